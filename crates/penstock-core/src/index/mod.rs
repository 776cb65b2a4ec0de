//! Finds the records of a file with one record per line, so that any of them can be read without
//! those before it.
//!
//! An [`Index`] stores the position of every n-th record only. n doubles when there are too many,
//! so a file of any size needs at most [`MOST_MARKS`] of them. A line is a record if anything but
//! white space is on it, as for the reader.

mod build;
mod cursor;
mod file;

use crate::source::encoding::UTF8_BOM;

pub use build::Indexer;
pub use cursor::{Cursor, ReadAt, Stuck};
pub use file::{Fingerprint, Unusable, decode, encode};

/// The most marks of an index: 16 bytes each, 8 MiB in all.
pub const MOST_MARKS: usize = 1 << 19;

/// The beginning of a line with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset of the first byte of the line.
    pub offset: u64,
    /// The line, from 1.
    pub line: u64,
}

/// The positions of records.
///
/// ```
/// use penstock_core::index::{Index, Mark};
///
/// let index = Index::of(b"{\"a\": 1}\n\n{\"a\": 2}\n");
/// assert_eq!(index.records(), 2);
/// let found = index.find(1).expect("there are two records");
/// assert_eq!((found.mark, found.skip, found.end), (Mark { offset: 10, line: 3 }, 0, 19));
/// assert!(index.find(2).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Those of the records 0, `step`, 2 `step` ...
    marks: Vec<Mark>,
    /// A power of two.
    step: u64,
    records: u64,
    size: u64,
}

/// The position from which to search for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The nearest mark at or before it.
    pub mark: Mark,
    /// How many records are between them.
    pub skip: u64,
    /// An offset at or after its end: the next mark, or the end of the file.
    pub end: u64,
}

impl Index {
    /// The index of a whole file in memory.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut indexer = Indexer::new(0);
        indexer.feed(bytes);
        indexer.finish()
    }

    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many bytes the file has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The distance between two records whose positions are stored.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The position from which to search for a record, counted from 0.
    #[must_use]
    pub fn find(&self, record: u64) -> Option<Found> {
        if record >= self.records {
            return None;
        }
        let place = usize::try_from(record / self.step).ok()?;
        let mark = *self.marks.get(place)?;
        let end = self.marks.get(place + 1).map_or(self.size, |next| next.offset);
        Some(Found { mark, skip: record % self.step, end })
    }
}

/// Whether a line has only white space, and byte order marks of files that were joined.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    let mut blank = Blank::default();
    blank.takes(line) && blank.is_whole()
}

/// The beginning of a line that has had only white space and byte order marks so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blank {
    /// How many bytes of a mark were the last ones.
    mark: usize,
}

impl Blank {
    /// Takes a piece of the line; false if it has anything else.
    #[inline]
    pub(crate) fn takes(&mut self, piece: &[u8]) -> bool {
        piece.iter().all(|byte| {
            let is_space = self.mark == 0 && matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            if !is_space && *byte == UTF8_BOM[self.mark] {
                self.mark = (self.mark + 1) % UTF8_BOM.len();
                return true;
            }
            is_space
        })
    }

    /// Whether it does not end inside a mark.
    pub(crate) fn is_whole(self) -> bool {
        self.mark == 0
    }
}
