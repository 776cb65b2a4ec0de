//! The XML reader as a run sees it.

use super::Reader;
use crate::error::Fail;
use crate::protocol::{FormatReader, InputView, Listener, Step};
use crate::repair::Repair;
use crate::shape::Shape;

impl FormatReader for Reader {
    const SHAPE: Shape = Shape::Elements;

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
        true
    }
    fn open_elements(&self) -> Option<usize> {
        Some(self.depth())
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
    }
    fn is_settled_before_a_record(&self, held: &[u8]) -> bool {
        // Brackets are an error before `>`, and a record begins with `<`.
        held.iter().all(|byte| matches!(byte, b'\r' | b']'))
    }
    fn rescan(&mut self) {
        self.rescan();
    }
    #[inline(always)]
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.take_repairs()
    }
}
