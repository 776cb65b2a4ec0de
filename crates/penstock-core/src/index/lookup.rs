//! Which rows have which text in one column.
//!
//! The texts are not kept: an entry is a hash of the text and the number of the row in one word of
//! 64 bits. So a row takes 8 bytes, and as many bits of the hash are kept as the numbers of the
//! rows leave. The words are sorted, and rows with the same text stand side by side, in the order
//! of the file. Two texts may have the same bits: whoever asks compares the texts of the rows that
//! are found. The hash has keys that nobody can foresee, so a file cannot be made to have many rows
//! with one hash and different texts.

use penstock_scan::make_room;
use std::hash::{BuildHasher, RandomState};

/// The rows of a file by the text of one column.
///
/// ```
/// use penstock_core::index::Lookup;
///
/// let mut lookup = Lookup::new(0, 3);
/// for (row, text) in ["Bern", "Chur", "Bern"].iter().enumerate() {
///     lookup.add(row as u64, text.as_bytes());
/// }
/// lookup.sort();
/// assert_eq!(lookup.rows(b"Bern").collect::<Vec<_>>(), [0, 2]);
/// ```
#[derive(Debug)]
pub struct Lookup {
    column: usize,
    /// The low bits are the number of the row, the others are of the hash.
    entries: Vec<u64>,
    /// The bits of the number.
    mask: u64,
    /// The rows that count: the first, the one behind the last, and the step.
    only: (u64, u64, u64),
    keys: RandomState,
}

impl Lookup {
    /// For a column, from 0, of a file with so many rows.
    #[must_use]
    pub fn new(column: usize, rows: u64) -> Self {
        let mask = u64::MAX.checked_shr(rows.leading_zeros()).unwrap_or(0);
        let only = (0, u64::MAX, 1);
        Lookup { column, entries: Vec::new(), mask, only, keys: RandomState::new() }
    }

    /// The same for each `step`-th row from `first` up to `behind`.
    #[must_use]
    pub fn limited(self, first: u64, behind: u64, step: u64) -> Self {
        Lookup { only: (first, behind, step.max(1)), ..self }
    }

    /// The number of the row behind the last one that counts.
    #[must_use]
    pub fn behind(&self) -> u64 {
        self.only.1
    }

    /// The column, from 0.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Adds the text of a row. Rows that do not count, or are more than there should be, are left
    /// out.
    #[inline]
    pub fn add(&mut self, row: u64, text: &[u8]) {
        let (first, behind, step) = self.only;
        let counts =
            (first..behind).contains(&row) && (step == 1 || (row - first).is_multiple_of(step));
        if counts && row <= self.mask {
            let entry = self.hash(text) | row;
            make_room(&mut self.entries, 1);
            self.entries.push(entry);
        }
    }

    /// Sorts the rows, when all are added.
    pub fn sort(&mut self) {
        self.entries.shrink_to_fit();
        self.entries.sort_unstable();
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The rows that may have this text, in order.
    pub fn rows(&self, text: &[u8]) -> impl Iterator<Item = u64> + '_ {
        let hash = self.hash(text);
        let from = self.entries.partition_point(|entry| *entry < hash);
        let rows = self.entries.get(from..).unwrap_or_default();
        rows.iter()
            .take_while(move |entry| *entry & !self.mask == hash)
            .map(|entry| entry & self.mask)
    }

    /// The bits of the hash that are kept, in their places.
    #[inline]
    fn hash(&self, text: &[u8]) -> u64 {
        self.keys.hash_one(text) & !self.mask
    }
}

/// Compares some rows with a text.
#[derive(Debug)]
pub struct Comparison {
    column: usize,
    text: Vec<u8>,
    /// The rows to compare, in order, and how many of them are done.
    rows: Vec<u64>,
    done: usize,
    /// Those with the text.
    equal: Vec<u64>,
    /// How many rows with it are enough.
    enough: usize,
}

/// If the next row to compare is further away, whoever reads looks it up.
const NEAR: u64 = 64;

impl Comparison {
    /// Compares the cells of the column with the text, until `enough` of them are equal.
    #[must_use]
    pub fn new(column: usize, text: Vec<u8>, rows: Vec<u64>, enough: usize) -> Self {
        Comparison { column, text, rows, done: 0, equal: Vec::new(), enough }
    }

    /// The column, from 0.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// The next row to compare.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.rows.get(self.done).copied().filter(|_| self.equal.len() < self.enough)
    }

    /// Gives the comparison up.
    pub fn skip(&mut self) {
        self.done += 1;
    }

    /// Takes a row; false if the next one to compare is not near.
    #[inline]
    pub(super) fn compare(&mut self, row: u64, text: Option<&[u8]>) -> bool {
        while let Some(next) = self.next().filter(|next| *next <= row) {
            self.done += 1;
            if next == row && text == Some(&*self.text) {
                make_room(&mut self.equal, 1);
                self.equal.push(row);
            }
        }
        self.next().is_some_and(|next| next - row <= NEAR)
    }

    /// The rows with the text.
    #[must_use]
    pub fn into_equal(self) -> Vec<u64> {
        self.equal
    }
}
