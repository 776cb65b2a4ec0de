//! The bytes of a source that is not text.

use super::Input;
use crate::error::Fault;
use crate::position::{Counter, Place};
use crate::protocol::InputView;

/// All bytes of a source that is not text.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a>(pub &'a [u8]);

impl Input for Whole<'_> {
    const DROPS: bool = false;

    fn given(&self) -> InputView<'_> {
        InputView::Bytes(self.0)
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        self.0.len() as u64
    }
    fn consume(&mut self, _n: usize) {}
    fn fault(&self) -> Option<Fault> {
        None
    }
    fn pass_fault(&mut self, _pass: &mut dyn FnMut(&[u8]) -> usize) {}
    fn locate(&self, _offset: u64) -> Option<Place> {
        None
    }
    fn counted(&self) -> Counter {
        Counter::new()
    }
}
