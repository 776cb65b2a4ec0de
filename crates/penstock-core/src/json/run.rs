//! The JSON reader as a run sees it.

use memchr::memchr;

use super::{Framing, Reader};
use crate::error::Fail;
use crate::protocol::{FormatReader, InputView, Listener, Step};

impl FormatReader for Reader {
    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        self.run(text, last, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
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
        self.framing() == Framing::Document
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
    }
    fn record(&self) -> Option<(u64, u8)> {
        self.can_recover().then(|| (self.begun, self.separator()))
    }
    fn can_recover(&self) -> bool {
        matches!(self.framing(), Framing::Lines | Framing::Sequence)
    }
    fn recover(&mut self) {
        let _ = self.resynchronise();
    }
    fn is_lost(&self) -> bool {
        self.is_lost()
    }
    fn rescan(&mut self) {
        self.rescan();
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        memchr(self.separator(), bytes).unwrap_or(bytes.len())
    }
}
