//! Rows of the usual dialects, many in one go: for a sink that takes them column by column.
//!
//! # For maintainers
//!
//! The blocks are those of [`super::blocks`], with the same checks. But nothing is decided for a
//! row: the places of all cells' ends go into one list, eight at a time, without a branch for each
//! (Langdale and Lemire, *Parsing Gigabytes of JSON per Second* (2019), part 3.1.2). Afterwards,
//! each n-th of them must be the end of a row, and there must be no other: then each row has n
//! cells. Rows from the first one on that has not are left to the grammar.

use penstock_scan::{Isa, make_room};

use super::blocks::{BLOCK, Blocks, FRESH};

/// The most bytes that are looked at in one go. The sink goes over them again for each column, so
/// they and the places of their cells should stay in the processor's cache.
const MOST: usize = 8 << 10;
/// As many at least, even if the rows before could not be taken.
const LEAST: usize = 512;
/// If fewer rows are found, going over them column by column is not worth it.
const FEW: usize = 2;
/// The most rows that are then read one by one, until others are looked for.
const MOST_ALONE: usize = 63;

/// The places of the cells that were found last.
#[derive(Debug)]
pub(super) struct Many {
    /// 0, and for each cell one more than the place of its end.
    ends: Vec<u32>,
    /// How many bytes are looked at next.
    span: usize,
    /// So many rows are read one by one before that, and so many were the last time.
    alone: usize,
    last_alone: usize,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// So many rows are whole.
    pub(super) rows: usize,
    /// Whether there may be a quote in them.
    pub(super) quoted: bool,
}

impl Many {
    pub(super) fn new() -> Self {
        Many { ends: Vec::new(), span: MOST, alone: 0, last_alone: 0 }
    }

    /// The places of the cells of so many rows.
    pub(super) fn ends(&self, rows: usize, columns: usize) -> &[u32] {
        &self.ends[..=rows * columns]
    }

    /// The sink has taken rows of so many bytes, of all that were found or not.
    #[inline(always)]
    pub(super) fn taken(&mut self, bytes: usize, all: bool) {
        self.span = if all { 2 * self.span } else { bytes }.clamp(LEAST, MOST);
    }

    /// Finds rows from `start` on. Nothing if the first ones are not whole and right, or it makes no
    /// sense to look.
    #[inline(always)]
    pub(super) fn find<I: Isa>(
        &mut self,
        isa: I,
        blocks: &mut Blocks,
        text: &[u8],
        start: usize,
        columns: usize,
    ) -> Option<Found> {
        if self.alone > 0 {
            self.alone -= 1;
            return None;
        }
        // A row that is longer than its limit is the grammar's.
        if columns == 0 || blocks.most() < MOST + BLOCK {
            return None;
        }
        if self.ends.is_empty() {
            // Each byte may be the end of a cell.
            let room = 1 + MOST + 2 * BLOCK;
            make_room(&mut self.ends, room);
            self.ends.resize(room, 0);
        }
        let stop = text.len().min(start.saturating_add(self.span));
        let (mut noted, mut whole, mut rows) = (1, 1, 0);
        let (mut at, mut after, mut quotes, mut is_stuck) = (start, FRESH, 0, false);
        while at < stop && !is_stuck {
            let block = blocks.block(isa, text, at, after);
            let mut left = block.between | block.ends;
            if block.ends != 0 {
                rows += block.ends.count_ones() as usize;
                let to_last = u64::MAX >> block.ends.leading_zeros();
                whole = noted + (left & to_last).count_ones() as usize;
            }
            let count = left.count_ones() as usize;
            let from = (at - start + 1) as u32;
            for eight in self.ends[noted..noted + BLOCK].chunks_exact_mut(8) {
                for end in eight {
                    *end = from.wrapping_add(left.trailing_zeros());
                    left &= left.wrapping_sub(1);
                }
                if left == 0 {
                    break;
                }
            }
            noted += count;
            quotes |= block.quotes;
            is_stuck = block.is_stuck;
            (after, at) = (block.after, at + BLOCK);
        }
        // The grammar goes on anywhere.
        blocks.forget();
        let quoted = quotes != 0;
        let feeds = |row: usize| text[start + self.ends[row * columns] as usize - 1] == b'\n';
        let are_even = rows > 0 && whole == rows * columns + 1 && (1..=rows).all(feeds);
        if are_even && rows >= FEW {
            self.last_alone = 0;
            return Some(Found { rows, quoted });
        }
        let is_wrong = !are_even && rows > 0 || is_stuck;
        self.find_uneven(text, start, columns, whole, quoted, is_wrong)
    }

    /// Looks for the first row that has another number of cells, among those that end where the
    /// list of `whole` ends does.
    #[cold]
    #[inline(never)]
    fn find_uneven(
        &mut self,
        text: &[u8],
        start: usize,
        columns: usize,
        whole: usize,
        quoted: bool,
        is_wrong: bool,
    ) -> Option<Found> {
        let is_feed = |end: &u32| text[start + *end as usize - 1] == b'\n';
        let rows = self.ends[1..whole].chunks(columns).take_while(|row| {
            row.len() == columns && row.iter().position(is_feed) == Some(columns - 1)
        });
        let rows = rows.count();
        let is_worth_it = rows >= FEW || !is_wrong && self.span < MOST;
        self.span = if is_wrong { LEAST } else { 2 * self.span }.min(MOST);
        if is_worth_it {
            self.last_alone = 0;
            return (rows > 0).then_some(Found { rows, quoted });
        }
        self.last_alone = (2 * self.last_alone + 1).min(MOST_ALONE);
        self.alone = self.last_alone;
        None
    }
}
