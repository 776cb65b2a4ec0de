//! A source that is read at single positions.

use super::Input;
use crate::error::Fault;
use crate::position::{Counter, Place};
use crate::protocol::InputView;
use crate::source::ReadAt;

/// A source that is read at single positions: a binary format that ends with its table of contents
/// need not be read as a whole for one value.
#[derive(Debug)]
pub struct Positioned<F> {
    file: F,
    size: u64,
}

impl<F: ReadAt> Positioned<F> {
    /// A file of `size` bytes.
    pub fn new(file: F, size: u64) -> Self {
        Positioned { file, size }
    }
}

impl<F: ReadAt> Input for Positioned<F> {
    const DROPS: bool = false;

    fn given(&self) -> InputView<'_> {
        InputView::At { file: &self.file, size: self.size }
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        self.size
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
