//! The reader as a run sees it.

use super::Reader;
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
        false
    }
    /// A row is told as a whole, so there is nothing to give up.
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
    fn can_recover(&self) -> bool {
        true
    }
    fn recover(&mut self) {
        self.recover();
    }
    fn is_lost(&self) -> bool {
        self.is_lost()
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        Reader::pass_bytes(self, bytes)
    }
}
