//! Finds the records of a file, so that any of them can be read without those before it.
//!
//! An [`Index`] stores the position of every n-th record only. n doubles when there are too many,
//! so a file of any size needs at most [`MOST_MARKS`] of them.
//!
//! | file | holds |
//! |---|---|
//! | `build.rs` | the index of a file of lines: a line is a record if anything but white space is on it |
//! | `cursor.rs` | reads lines from any position of a file |
//! | `walk.rs` | a destination that notes where the records of a reader begin, in one pass |
//! | `reach.rs` | a run over the records of a file from any of them on |
//! | `lookup.rs` | which rows have which text in one column |
//! | `file.rs` | an index as bytes |

mod build;
mod cursor;
mod file;
mod lookup;
mod reach;
mod walk;

use crate::position::Counter;
use penstock_scan::make_room;

pub use build::Indexer;
pub use cursor::{Cursor, Stuck};
pub use file::{Fingerprint, Rules, Unusable, decode, encode};
pub use lookup::{Comparison, Lookup};
pub use reach::Reach;
pub use walk::{Extent, Walk};

/// The most marks of an index: 24 bytes each, 6 MiB in all.
pub const MOST_MARKS: usize = 1 << 18;

/// The beginning of a record, or of the line with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset of the first byte.
    pub offset: u64,
    /// The line, from 1.
    pub line: u64,
    /// The column in code points, from 1: it is greater if records are not separated by newlines.
    pub column: u64,
}

impl Mark {
    /// The first byte of a line.
    #[must_use]
    pub const fn of_line(line: u64, offset: u64) -> Self {
        Mark { offset, line, column: 1 }
    }

    /// The counts up to it.
    #[must_use]
    pub const fn counted(&self) -> Counter {
        Counter::at(self.line, self.column, self.offset)
    }
}

/// The positions of records.
///
/// ```
/// use penstock_core::index::{Index, Mark};
///
/// let index = Index::of(b"{\"a\": 1}\n\n{\"a\": 2}\n");
/// assert_eq!(index.records(), 2);
/// let found = index.find(1).expect("there are two records");
/// assert_eq!((found.mark, found.skip, found.end), (Mark::of_line(3, 10), 0, 19));
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

    /// An index without records.
    fn empty(size: u64) -> Self {
        Index { marks: Vec::new(), step: 1, records: 0, size }
    }

    /// Adds the next record. If that makes more than `most` marks, every other one is dropped.
    #[inline]
    fn note(&mut self, at: Mark, most: usize) {
        if self.records & (self.step - 1) == 0 {
            if self.marks.len() == most {
                let mut place = 0;
                self.marks.retain(|_| {
                    place += 1;
                    place % 2 == 1
                });
                self.step *= 2;
            }
            if self.records & (self.step - 1) == 0 {
                make_room(&mut self.marks, 1);
                self.marks.push(at);
            }
        }
        self.records += 1;
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

    /// The number of the record at the last mark that is not after a record: both count from 0.
    #[must_use]
    pub fn marked(&self, record: u64) -> u64 {
        record - record % self.step
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
