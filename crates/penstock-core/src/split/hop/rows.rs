//! Rows of CSV in the usual dialects, by quotes and line feeds.
//!
//! # For maintainers
//!
//! A row in error is one of the file, and the next one is read: so this hop, unlike others, must find
//! every fault that decides where a row ends. They are those of `csv/blocks.rs`. How many cells a row
//! has does not matter here, because a row with another number of them is a row, too.

use penstock_scan::{Isa, Job, dispatch};

use super::{BLOCK, Hop, block, carried, there};
use crate::csv::RowKind;

/// Hops over rows. The text begins with one, and the hop leads behind the last one that ends in it, or
/// to the first one in error.
pub(crate) fn rows(text: &[u8], kind: RowKind) -> Hop {
    dispatch(Rows(text, kind))
}

#[derive(Clone, Copy)]
pub(super) struct Rows<'t>(pub(super) &'t [u8], pub(super) RowKind);

/// The last block in which rows end.
#[derive(Clone, Copy, Default)]
struct Last {
    from: usize,
    ends: u64,
    /// Where rows begin in it, and how many have begun before it.
    begun: u64,
    before: u64,
}

impl Last {
    #[inline(always)]
    fn hop(self, is_over: bool) -> Hop {
        let Some(end) = self.ends.checked_ilog2() else { return Hop { is_over, ..Hop::default() } };
        let to_end = u64::MAX >> (BLOCK as u32 - 1 - end);
        let records = self.before + u64::from((self.begun & to_end).count_ones());
        Hop { at: self.from + end as usize + 1, records, is_over }
    }
}

impl Job for Rows<'_> {
    type Output = Hop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Hop {
        let Rows(text, RowKind { delimiter, quote, are_blank_rows }) = self;
        // Without a quote, no byte may be taken for one.
        let quoted = if quote.is_some() { u64::MAX } else { 0 };
        let blank = if are_blank_rows { 0 } else { u64::MAX };
        let marks = [(0, b'\n'), (0, quote.unwrap_or(b'\n')), (0, b'\r'), (0, 0)];
        let mut last = Last::default();
        let mut begun = 0;
        // All bits, if the block begins within quotes.
        let mut inside = 0;
        // One, if the last byte before it may have closed a cell, is a carriage return, or ends a row.
        let (mut closed, mut returned, mut ended) = (0, 0, 1);
        let mut from = 0;
        let mut room = [0; BLOCK];
        while from < text.len() {
            let bytes = block(text, from, &mut room);
            let there = there(text.len() - from);
            let [feeds, quotes, returns, nuls] = isa.places(bytes, &marks);
            let quotes = quotes & quoted;
            let (mut ends, mut returns, mut wrong) = (feeds, returns, nuls);
            if quotes | inside | closed != 0 {
                let within = isa.parity(quotes) ^ inside;
                let [delimiters] = isa.places(bytes, &[(0, delimiter)]);
                let between = delimiters & !within;
                (ends, returns) = (feeds & !within, returns & !within);
                let (opening, closing) = (quotes & within, quotes & !within);
                let starts = between | ends | closing;
                // A cell begins behind these, or a quote that comes first is doubled.
                let first = from.checked_sub(1).is_none_or(|before| {
                    let byte = text[before];
                    byte == b'\n' || byte == delimiter || Some(byte) == quote
                });
                wrong |= opening & !(starts << 1 | u64::from(first))
                    | (closing << 1 | closed) & !(between | ends | returns | opening);
                (inside, closed) = (carried(within), closing >> 63);
            }
            wrong = (wrong | (returns << 1 | returned) & !ends) & there;
            // Before the first fault, all is right.
            let right = (wrong & wrong.wrapping_neg()).wrapping_sub(1);
            let starts = ends << 1 | ended;
            ends &= right;
            let mine = Last {
                from,
                ends,
                begun: starts & !((ends | returns) & blank) & there,
                before: begun,
            };
            last = if ends == 0 { last } else { mine };
            if wrong != 0 {
                return last.hop(true);
            }
            begun += u64::from(mine.begun.count_ones());
            (returned, ended) = (returns >> 63, ends >> 63);
            from += BLOCK;
        }
        last.hop(false)
    }
}
