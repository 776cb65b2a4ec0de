//! The CSV reader as a run sees it.

use super::{Reader, Resume};
use crate::error::Fail;
use crate::protocol::{FormatReader, InputView, Listener, Step};
use crate::repair::Repair;

impl FormatReader for Reader {
    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        if self.is_open() && !self.decide(text, last, sink.judge().as_deref())? {
            return Ok(Step::More);
        }
        self.run(text, last, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        if self.is_open() && !self.decide(text, last, sink.judge().as_deref())? {
            return Ok(Step::More);
        }
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
        false
    }
    /// A row is told as a whole, so there is nothing to give up.
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
    fn failed_at(&self) -> Option<u64> {
        Some(self.row_in_error())
    }
    fn can_recover(&self) -> bool {
        !self.is_before_rows()
    }
    fn is_before_records(&self) -> bool {
        self.is_before_rows()
    }
    fn rescan(&mut self) {
        Reader::rescan(self);
        self.bound();
    }
    fn recover(&mut self) {
        self.recover();
    }
    fn is_lost(&self) -> bool {
        self.is_lost()
    }
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.take_repairs()
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        Reader::pass_bytes(self, bytes)
    }
    fn goes_on_behind(&self, held: &[u8]) -> bool {
        self.has_scanned(held.len())
    }
}

impl Resume for Reader {
    fn is_settled(&self) -> bool {
        self.is_settled()
    }
    fn resume(&self) -> Option<Self> {
        self.at_a_row()
    }
    fn looks_back(&self) -> usize {
        self.longest_end()
    }
    fn may_follow(&self, before: &[u8]) -> bool {
        self.row_end(before).is_some()
    }
}
