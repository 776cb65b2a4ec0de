//! The XML reader: checked text in, events out.

use penstock_scan::ValidText;

use super::repair::{Repair, Repairs};
use crate::error::{Fail, Fault};
use crate::limits::Limits;
use crate::reader::Step;
use crate::sink::Sink;

/// What becomes of a reference to an entity that only something outside the document could
/// declare. Nothing outside is ever opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unresolved {
    /// It is a fault.
    #[default]
    Error,
    /// It stands for itself, as it is written.
    Text,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether prefixes stand for namespaces. If not, names are told as they are written, and
    /// `xmlns` attributes are attributes.
    pub namespaces: bool,
    /// Whether `xmlns` attributes are told as attributes though they are resolved.
    pub declarations: bool,
    /// What becomes of references that cannot be resolved.
    pub unresolved: Unresolved,
    /// What may be repaired.
    pub repairs: Repairs,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            namespaces: true,
            declarations: false,
            unresolved: Unresolved::Error,
            repairs: Repairs::default(),
        }
    }
}

/// Reads one document, window after window, as [`json::Reader`](crate::json::Reader) does.
#[derive(Debug)]
pub struct Reader {
    pos: usize,
    base: u64,
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(_options: Options, _limits: &Limits) -> Self {
        Reader { pos: 0, base: 0 }
    }
    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }
    /// How many bytes of the window are done with.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.pos
    }
    /// The offset in the source of the first byte that is not done with.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }
    /// How many elements are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        0
    }
    /// Tells that the first `count` bytes of the window were dropped.
    pub fn drop_front(&mut self, count: usize) {
        self.pos -= count;
        self.base += count as u64;
    }
    /// Gives up the element that was under construction at `depth`.
    pub fn abandon(&mut self, _depth: usize) {}
    /// True while passing over what is left of an abandoned element.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        false
    }
    /// Tells that the window now begins at `base`.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base) = (0, base);
    }
    /// The repairs made since this was asked last, in the order of the document.
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        Vec::new()
    }
    /// The names of the notations that the document declares, and their identifiers.
    /// Reads as far as the window, the document or the sink allow.
    ///
    /// # Errors
    /// As for [`json::Reader::run`](crate::json::Reader::run).
    pub fn run<S: Sink>(
        &mut self,
        text: ValidText<'_>,
        _last: bool,
        _sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Err(Fault::malformed(self.base + text.as_bytes().len() as u64, "not written yet").into())
    }
}
