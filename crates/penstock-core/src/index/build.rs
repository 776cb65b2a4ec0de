//! Builds an index in one pass over the file, in chunks of any size.

use super::{Index, MOST_MARKS, Mark};
use crate::source::Blank;

/// An index being built.
///
/// ```
/// use penstock_core::index::{Index, Indexer};
///
/// let mut indexer = Indexer::new(0);
/// for chunk in [&b"[1]\n[2"[..], b"]\n"] {
///     indexer.feed(chunk);
/// }
/// assert_eq!(indexer.finish(), Index::of(b"[1]\n[2]\n"));
/// ```
#[derive(Debug)]
pub struct Indexer {
    index: Index,
    /// The current line.
    line: Mark,
    /// As long as it is blank.
    blank: Option<Blank>,
    most: usize,
}

impl Indexer {
    /// An indexer at the beginning of a file. `start` is the number of bytes before the text: those
    /// of a byte order mark.
    #[must_use]
    pub fn new(start: u64) -> Self {
        Indexer::with_most(start, MOST_MARKS)
    }

    /// The same with another maximum number of marks, which is two or more.
    #[must_use]
    pub fn with_most(start: u64, most: usize) -> Self {
        let (index, line) = (Index::empty(start), Mark::of_line(1, start));
        Indexer { index, line, blank: Some(Blank::default()), most: most.max(2) }
    }

    /// Takes the next bytes. They may be cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            self.look_at(&bytes[from..end]);
            self.end_line();
            from = end + 1;
            self.line = Mark::of_line(self.line.line + 1, self.index.size + from as u64);
            self.blank = Some(Blank::default());
        }
        self.look_at(&bytes[from..]);
        self.index.size += bytes.len() as u64;
    }

    /// Takes a piece of the current line.
    #[inline]
    fn look_at(&mut self, piece: &[u8]) {
        // The first byte is usually enough.
        if let Some(blank) = &mut self.blank
            && !blank.takes(piece)
        {
            self.blank = None;
            self.note();
        }
    }

    /// A line that ends inside a mark is not blank.
    #[inline]
    fn end_line(&mut self) {
        if self.blank.is_some_and(|blank| !blank.is_whole()) {
            self.note();
        }
    }

    /// The current line has a record.
    #[inline]
    fn note(&mut self) {
        self.index.note(self.line, self.most);
    }

    /// The index, at the end of the file.
    #[must_use]
    pub fn finish(mut self) -> Index {
        self.end_line();
        self.index
    }
}
