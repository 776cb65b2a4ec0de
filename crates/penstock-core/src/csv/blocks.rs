//! Rows of the usual dialects, found 64 bytes at a time.
//!
//! # For maintainers
//!
//! The kernel gives a word for each character of the dialect, with a bit for each place where it
//! stands in 64 bytes. Whether a place is within quotes is the parity of the quotes before it, which
//! one product without carries finds for all 64 at once: Langdale and Lemire, *Parsing Gigabytes of
//! JSON per Second* (2019), part 3.1.1. What is left is counting bits.
//!
//! Only rows without any fault are found here. A quote opens a cell where one begins, or doubles
//! the quote before it; behind one that closes a cell comes a delimiter, the end of the line, or a
//! quote; a carriage return is followed by a line feed; there is no NUL. The first place at which
//! that is wrong ends the search before its row, and the [grammar](super::rows), which knows all
//! dialects, faults and repairs, reads that one. It also reads a row that the window cuts.

use penstock_scan::{Isa, Stops, make_room};

use super::options::{Options, Terminator};
use super::rows::{Cell, End};

pub(super) const BLOCK: usize = 64;

/// The rows of a window.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The delimiter, the quote, a line feed, a carriage return, and NUL.
    marks: Stops,
    quote: Option<u8>,
    most: usize,
    block: Block,
}

/// The current block, without what belongs to the rows that were taken out of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its place in the source, the end of the text that was known, and the row that comes next.
    at: u64,
    until: u64,
    next: u64,
    /// The delimiters between cells, and the line feeds behind rows.
    pub(super) between: u64,
    pub(super) ends: u64,
    pub(super) quotes: u64,
    above: u64,
    /// Whether the grammar must read the row behind the last of those ends.
    pub(super) is_stuck: bool,
    pub(super) after: After,
}

/// What the block after this one must know.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    /// All bits, if it begins within quotes.
    inside: u64,
    /// One, if a cell may begin with a quote there, or a quote that comes first is doubled.
    opens: u64,
    /// One, if a quote that may have closed a cell is the last byte before it.
    closed: u64,
    /// One, if a carriage return is.
    returned: u64,
}

/// Before a row.
pub(super) const FRESH: After = After { inside: 0, opens: 1, closed: 0, returned: 0 };

const NOTHING: Block = Block {
    at: 0,
    until: 0,
    next: u64::MAX,
    between: 0,
    ends: 0,
    quotes: 0,
    above: 0,
    is_stuck: false,
    after: FRESH,
};

/// A row without faults.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) end: End,
    pub(super) ascii: bool,
    /// Whether there is a quote in it.
    pub(super) quoted: bool,
}

/// What is done with the cells of a row.
pub(super) trait Cells {
    /// A cell ends at this place in its row. False if that is one too many.
    fn end(&mut self, at: usize) -> bool;
    /// Cells end at these places behind `from`. False if these are too many.
    fn ends(&mut self, from: usize, bits: u64) -> bool;
    /// Whether there are as many cells as there are columns.
    fn are_all(&self) -> bool;
}

/// Cells that are only counted.
pub(super) struct Counted {
    pub(super) left: usize,
}

impl Cells for Counted {
    #[inline(always)]
    fn end(&mut self, _at: usize) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.wrapping_sub(1);
        is_left
    }

    #[inline(always)]
    fn ends(&mut self, _from: usize, bits: u64) -> bool {
        let count = bits.count_ones() as usize;
        let are_left = self.left >= count;
        self.left = self.left.wrapping_sub(count);
        are_left
    }

    #[inline(always)]
    fn are_all(&self) -> bool {
        self.left == 0
    }
}

/// Cells the first of which are noted. There is room for these.
pub(super) struct Noted<'c> {
    cells: &'c mut Vec<Cell>,
    noted: usize,
    left: usize,
    begun: usize,
}

impl<'c> Noted<'c> {
    /// So many of them, of so many columns.
    #[inline(always)]
    pub(super) fn new(cells: &'c mut Vec<Cell>, noted: usize, columns: usize) -> Self {
        cells.clear();
        make_room(cells, noted);
        Noted { cells, noted, left: columns, begun: 0 }
    }

    #[inline(always)]
    fn note(&mut self, at: usize) {
        self.cells.push(Cell::plain(self.begun, at));
        self.begun = at + 1;
    }
}

impl Cells for Noted<'_> {
    #[inline(always)]
    fn end(&mut self, at: usize) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.cells.len() < self.noted {
            self.note(at);
        }
        true
    }

    #[inline(always)]
    fn ends(&mut self, from: usize, mut bits: u64) -> bool {
        let count = bits.count_ones() as usize;
        if self.left < count {
            return false;
        }
        self.left -= count;
        while bits != 0 && self.cells.len() < self.noted {
            self.note(from.wrapping_add(bits.trailing_zeros() as usize));
            bits &= bits - 1;
        }
        true
    }

    #[inline(always)]
    fn are_all(&self) -> bool {
        self.left == 0
    }
}

/// What separates cells in one of the usual dialects: one delimiter, doubled quotes or none, nothing
/// trimmed, no comments, and lines that may end with a line feed.
pub(super) fn usual_delimiter(options: &Options) -> Option<u8> {
    let &[delimiter] = options.delimiter.as_bytes() else { return None };
    let is_usual = options.escape.is_none()
        && options.comment.is_none()
        && !options.trim
        && !matches!(options.terminator, Terminator::Exactly(_))
        && !matches!(delimiter, b'\n' | b'\r' | 0);
    is_usual.then_some(delimiter)
}

impl Blocks {
    /// Nothing if the dialect is not one of the usual ones.
    pub(super) fn of(options: &Options, most: usize) -> Option<Self> {
        let delimiter = usual_delimiter(options)?;
        // Without a quote, no byte may be taken for one: none is above 0x7F in the set.
        let quote = options.quote.unwrap_or(delimiter);
        let marks = Stops::of(&[delimiter, quote, b'\n', b'\r', 0])?;
        Some(Blocks { marks, quote: options.quote, most, block: NOTHING })
    }

    pub(super) fn quote(&self) -> Option<u8> {
        self.quote
    }

    /// The most bytes of a row.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The block at a place of a text, for rows that are not taken out of it one by one.
    #[inline(always)]
    pub(super) fn block<I: Isa>(
        &mut self,
        isa: I,
        text: &[u8],
        from: usize,
        after: After,
    ) -> Block {
        self.load(isa, text, 0, from, after);
        self.block
    }

    /// Forgets the text.
    pub(super) fn forget(&mut self) {
        self.block = NOTHING;
    }

    /// Reads a block, at a place of the text.
    #[inline(always)]
    fn load<I: Isa>(&mut self, isa: I, text: &[u8], base: u64, from: usize, after: After) {
        let rest = text.get(from..).unwrap_or_default();
        let (marks, known) = match rest.first_chunk::<BLOCK>() {
            Some(bytes) => (isa.marks(bytes, &self.marks), u64::MAX),
            None => {
                let mut bytes = [0; BLOCK];
                bytes[..rest.len()].copy_from_slice(rest);
                (isa.marks(&bytes, &self.marks), (1 << rest.len()) - 1)
            }
        };
        let [delimiters, quotes, feeds, returns] = marks.first;
        let quotes = if self.quote.is_some() { quotes } else { 0 };
        let inside = isa.parity(quotes) ^ after.inside;
        let (between, ends, returns) = (delimiters & !inside, feeds & !inside, returns & !inside);
        let (opening, closing) = (quotes & inside, quotes & !inside);
        let starts = between | ends | closing;
        // What comes where something else must.
        let behind_quote = closing << 1 | after.closed;
        let behind_return = returns << 1 | after.returned;
        let wrong = marks.others
            | opening & !(starts << 1 | after.opens)
            | behind_quote & !(between | ends | returns | opening)
            | behind_return & !ends;
        let wrong = wrong & known;
        // Of the rows that end before the first of them, all is right.
        let right = (wrong & wrong.wrapping_neg()).wrapping_sub(1);
        self.block = Block {
            at: base + from as u64,
            until: base + text.len() as u64,
            next: u64::MAX,
            between,
            ends: ends & right & known,
            quotes,
            above: marks.above,
            is_stuck: wrong != 0,
            after: After {
                inside: (inside.cast_signed() >> 63).cast_unsigned(),
                opens: starts >> 63,
                closed: closing >> 63,
                returned: returns >> 63,
            },
        };
    }

    /// The row at a place of the text, which begins at `base` in the source, if it is all there,
    /// without a fault, and has as many cells as there are columns.
    #[inline(always)]
    pub(super) fn row<I: Isa>(
        &mut self,
        isa: I,
        text: &[u8],
        base: u64,
        start: usize,
        cells: &mut impl Cells,
    ) -> Option<Whole> {
        let row = self.search(isa, text, base, start, cells);
        if row.is_none() {
            // The grammar goes on here, and its row may end within the block.
            self.forget();
        }
        row
    }

    #[inline(always)]
    fn search<I: Isa>(
        &mut self,
        isa: I,
        text: &[u8],
        base: u64,
        start: usize,
        cells: &mut impl Cells,
    ) -> Option<Whole> {
        let begun = base + start as u64;
        let is_here = begun == self.block.next && self.block.until == base + text.len() as u64;
        if !is_here {
            self.load(isa, text, base, start, FRESH);
        }
        let (mut above, mut quotes) = (0, 0);
        loop {
            let block = &mut self.block;
            // Where in the row the block begins. It may begin before the row: then this wraps, and
            // so do the sums below.
            let from = block.at.wrapping_sub(begun) as usize;
            if block.ends != 0 {
                let end = block.ends.trailing_zeros();
                let mine = (1 << end) - 1;
                let are_columns = cells.ends(from, block.between & mine);
                above |= block.above & mine;
                quotes |= block.quotes & mine;
                block.between &= !mine;
                block.above &= !mine;
                block.quotes &= !mine;
                block.ends &= block.ends - 1;
                let feed = from.wrapping_add(end as usize);
                let is_pair = feed > 0 && text[start + feed - 1] == b'\r';
                let end = End { end: feed - usize::from(is_pair), next: feed + 1 };
                let next = begun + end.next as u64;
                block.next = if block.at + (BLOCK as u64) > next { next } else { u64::MAX };
                let is_whole = are_columns && cells.end(end.end) && cells.are_all();
                return (is_whole && end.end <= self.most).then_some(Whole {
                    end,
                    ascii: above == 0,
                    quoted: quotes != 0,
                });
            }
            if block.is_stuck || !cells.ends(from, block.between) {
                return None;
            }
            above |= block.above;
            quotes |= block.quotes;
            let next = (block.at - base) as usize + BLOCK;
            if next >= text.len() || next - start > self.most.saturating_add(BLOCK) {
                return None;
            }
            let after = block.after;
            self.load(isa, text, base, next, after);
        }
    }
}
