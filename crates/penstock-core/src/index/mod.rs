//! Where the records of a file are that has one on each line, so that any of them can be read
//! without those before it.
//!
//! An [`Index`] keeps the places of every n-th record only, and n doubles when there are too many:
//! a file of any size needs [`MOST_MARKS`] of them at most. A line is a record if anything but
//! white space stands on it, as the reader has it.

mod build;
mod cursor;
mod file;

pub use build::Indexer;
pub use cursor::{Cursor, ReadAt, Stuck};
pub use file::{Fingerprint, Unusable, decode, encode};

/// Marks that an index has at most: 16 bytes each, 8 MiB in all.
pub const MOST_MARKS: usize = 1 << 19;

/// The beginning of a line on which a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset of the first byte of the line.
    pub offset: u64,
    /// The line, from 1.
    pub line: u64,
}

/// The places of records.
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

/// Where to look for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The nearest mark that is not behind it.
    pub mark: Mark,
    /// How many records stand between them.
    pub skip: u64,
    /// The offset at which it has ended for certain: the next mark, or the end of the file.
    pub end: u64,
}

impl Index {
    /// The index of a whole file that is in memory.
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

    /// Of how many records the place of one is known.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Where to look for a record, counted from 0.
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

/// Whether nothing but white space is on a line.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}
