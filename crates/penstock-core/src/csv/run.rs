//! The CSV reader as a run sees it.

use super::{Reader, Resume};
use penstock_scan::ValidText;

use crate::error::{Fail, Fault};
use crate::protocol::{Copies, FormatReader, InputView, Listener, Step};
use crate::repair::Repair;

impl Reader {
    /// The text at hand, and whether it is the last, once the dialect is known. Nothing if that takes more text.
    #[inline]
    fn text<'w>(
        &mut self,
        given: InputView<'w>,
        sink: &(impl Listener + ?Sized),
    ) -> Result<Option<(ValidText<'w>, bool)>, Fault> {
        let (text, last) = given.as_text()?;
        let is_known = !self.is_open() || self.decide(text, last, sink.judge().as_deref())?;
        Ok(is_known.then_some((text, last)))
    }
}

impl FormatReader for Reader {
    const COPIED_FOR: Copies = Copies::All;

    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        match self.text(given, sink)? {
            Some((text, last)) => self.run(text, last, sink),
            None => Ok(Step::More),
        }
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        match self.text(given, sink)? {
            Some((text, last)) => self.run_dyn(text, last, sink),
            None => Ok(Step::More),
        }
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
