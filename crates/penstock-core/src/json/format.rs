//! JSON as one of the formats: its reader as a run sees it.

use memchr::memchr;

use super::{Framing, Reader};
use crate::error::Fail;
use crate::reader::{FormatReader, Step};
use crate::run::Given;
use crate::sink::Listener;

/// A reader that somebody else goes on with.
impl FormatReader for &mut Reader {
    #[inline]
    fn run<S: Listener>(&mut self, given: Given<'_>, sink: &mut S) -> Result<Step, Fail<S::Error>> {
        FormatReader::run(&mut **self, given, sink)
    }
    fn base(&self) -> u64 {
        Reader::base(self)
    }
    fn consumed(&self) -> usize {
        Reader::consumed(self)
    }
    fn drop_front(&mut self, count: usize) {
        Reader::drop_front(self, count);
    }
    fn jump(&mut self, base: u64) {
        Reader::jump(self, base);
    }
    fn is_document(&self) -> bool {
        FormatReader::is_document(&**self)
    }
    fn abandon(&mut self, depth: usize) {
        Reader::abandon(self, depth);
    }
    fn is_abandoned(&self) -> bool {
        Reader::is_abandoned(self)
    }
    fn can_recover(&self) -> bool {
        FormatReader::can_recover(&**self)
    }
    fn recover(&mut self) {
        FormatReader::recover(&mut **self);
    }
    fn is_lost(&self) -> bool {
        Reader::is_lost(self)
    }
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        FormatReader::pass_bytes(&mut **self, bytes)
    }
}

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
        self.framing() == Framing::Document
    }
    fn abandon(&mut self, depth: usize) {
        self.abandon(depth);
    }
    fn is_abandoned(&self) -> bool {
        self.is_abandoned()
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
    fn pass_bytes(&mut self, bytes: &[u8]) -> usize {
        memchr(self.separator(), bytes).unwrap_or(bytes.len())
    }
}
