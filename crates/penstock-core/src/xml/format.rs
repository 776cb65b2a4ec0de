//! XML as one of the formats: its reader as a run sees it.

use super::{Reader, Repair};
use crate::error::Fail;
use crate::reader::{FormatReader, Step};
use crate::run::Given;
use crate::sink::Listener;

impl FormatReader for Reader {
    #[inline]
    fn run<S: Listener>(&mut self, given: Given<'_>, sink: &mut S) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.run(text, last, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: Given<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.run_dyn(text, last, sink)
    }
    fn base(&self) -> u64 {
        self.base()
    }
    fn consumed(&self) -> usize {
        self.consumed()
    }
    fn drop_front(&mut self, count: usize) {
        self.drop_front(count);
    }
    fn jump(&mut self, base: u64) {
        self.jump(base);
    }
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
    }
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.take_repairs()
    }
}
