//! Tells a sink the header alone, before any row is read.

use super::Reader;
use crate::error::Fail;
use crate::reader::{FormatReader, Step};
use crate::run::Given;
use crate::sink::Listener;

/// A reader that reports the names of the columns and nothing else: the destination refuses them if
/// no row can fit. The text at hand only says where they are.
#[derive(Debug)]
pub struct HeaderOnly(Reader);

impl HeaderOnly {
    /// The header of a reader that has read it.
    #[must_use]
    pub fn of(reader: &Reader) -> Option<Self> {
        Some(HeaderOnly(reader.at_a_row()?))
    }
}

impl FormatReader for HeaderOnly {
    fn run<S: Listener>(
        &mut self,
        _given: Given<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        self.0.tell_header(sink).map_err(Fail::Sink)?;
        Ok(Step::Done)
    }
    fn base(&self) -> u64 {
        self.0.base()
    }
    fn consumed(&self) -> usize {
        0
    }
    fn drop_front(&mut self, _count: usize) {}
    fn jump(&mut self, base: u64) {
        self.0.jump(base);
    }
    fn is_document(&self) -> bool {
        false
    }
    fn is_before_records(&self) -> bool {
        true
    }
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
}
