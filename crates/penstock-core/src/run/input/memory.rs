//! Text in memory that cannot change.

use penstock_scan::{BorrowedText, Rest};

use super::{Input, bad_text};
use crate::error::Fault;
use crate::position::{CONTEXT, Counter, Known, Place, locate_in};
use crate::protocol::InputView;

/// Text in memory that cannot change. It is checked piece by piece in place, and never dropped.
#[derive(Debug)]
pub struct InMemory<'a> {
    bytes: &'a [u8],
    /// The part from `from` on, as far as it is checked.
    text: BorrowedText<'a>,
    /// How many bytes at the beginning were skipped: those that are not text, and all before them.
    from: usize,
    rest: Rest,
    origin: Origin<'a>,
    /// Offsets count from the first byte of the text, and not from the beginning of its source.
    relative: bool,
    known: Known,
}

/// The position of a text within its source, if it is a part of one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The counts up to `before`, or up to the part if `before` is empty.
    pub counted: Counter,
    /// Text before the part. It is counted only if somebody asks for a position.
    pub before: &'a [u8],
    /// Text that is known to follow the part. Excerpts show it.
    pub behind: &'a [u8],
}

impl<'a> InMemory<'a> {
    /// The text in `bytes`; nothing of it is checked yet.
    #[must_use]
    pub fn new(bytes: &'a [u8], origin: Origin<'a>) -> Self {
        InMemory {
            bytes,
            text: BorrowedText::new(bytes),
            from: 0,
            rest: Rest::Nothing,
            origin,
            relative: false,
            known: Known::new(),
        }
    }

    /// The same, for destinations that use offsets as indexes into the text.
    #[must_use]
    pub fn relative(bytes: &'a [u8], origin: Origin<'a>) -> Self {
        InMemory { relative: true, ..InMemory::new(bytes, origin) }
    }

    /// Checks about `n` more bytes. It touches only the bytes.
    #[inline]
    pub fn more(&mut self, n: usize) {
        if !self.text.is_whole() {
            self.rest = self.text.advance_check(n);
        }
    }

    /// True if all bytes are checked and are text.
    #[inline]
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.text.is_whole()
    }

    /// The offset of the first byte in the source.
    fn start(&self) -> u64 {
        self.origin.counted.bytes() + self.origin.before.len() as u64
    }

    /// The counts up to a byte.
    fn count_to(&self, at: usize) -> Counter {
        let start = || {
            let mut counter = self.origin.counted;
            counter.advance(self.origin.before);
            counter
        };
        self.known.count_to((self.start(), start), self.bytes, at)
    }
}

impl Input for InMemory<'_> {
    const DROPS: bool = false;

    #[inline(always)]
    fn given(&self) -> InputView<'_> {
        InputView::Text { text: self.text.text(), last: self.text.is_whole() }
    }
    #[inline(always)]
    fn base(&self) -> u64 {
        let start = if self.relative { 0 } else { self.start() };
        start + self.from as u64
    }
    fn end(&self) -> u64 {
        self.base() + self.text.text().as_bytes().len() as u64
    }
    fn consume(&mut self, _n: usize) {}
    #[inline]
    fn fault(&self) -> Option<Fault> {
        bad_text(self.rest, self.end(), &self.text.bytes()[self.text.text().as_bytes().len()..])
    }
    fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize) {
        let end = self.text.text().as_bytes().len();
        self.from += end + pass(&self.text.bytes()[end..]);
        self.text = BorrowedText::new(&self.bytes[self.from..]);
        self.rest = Rest::Nothing;
    }
    fn locate(&self, offset: u64) -> Option<Place> {
        let first = if self.relative { 0 } else { self.start() };
        let at = usize::try_from(offset.saturating_sub(first)).unwrap_or(usize::MAX);
        let at = at.min(self.bytes.len());
        let counter = self.count_to(at);
        let near = &self.bytes[at - at.min(CONTEXT)..at];
        let before = self.origin.before;
        let far = &before[before.len() - before.len().min(CONTEXT - near.len())..];
        // Only the bytes that an excerpt can show are copied together.
        let rest = &self.bytes[at..self.bytes.len().min(at + CONTEXT)];
        let behind = &self.origin.behind[..self.origin.behind.len().min(CONTEXT - rest.len())];
        let place = counter.bytes();
        Some(locate_in(&counter, &[far, near].concat(), &[rest, behind].concat(), place, place))
    }
    fn counted(&self) -> Counter {
        self.count_to(self.from)
    }
}
