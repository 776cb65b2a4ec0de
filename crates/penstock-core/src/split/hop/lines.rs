//! Lines of JSON, by line feeds and white space alone.

use penstock_scan::{Isa, Job, dispatch};

use super::{BLOCK, Hop, block, there};

/// A line feed, the other white space, and the first byte of a byte order mark.
const PAIRS: [(u8, u8); 5] = [(0, b'\n'), (0, b' '), (0, b'\t'), (0, b'\r'), (0, 0xEF)];

/// Hops over lines. The text begins within one of them, behind its record, and the hop leads to the
/// last line feed in this text. Each line that has anything but white space is a record, or one in
/// error. Only the reader knows whether a byte order mark, which joined files bring along, is all that
/// a line has.
pub(crate) fn lines(text: &[u8]) -> Hop {
    dispatch(Lines(text))
}

#[derive(Clone, Copy)]
pub(super) struct Lines<'t>(pub(super) &'t [u8]);

impl Job for Lines<'_> {
    type Output = Hop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Hop {
        let Lines(text) = self;
        let mut hop = Hop::default();
        // How many lines have anything, behind the first line feed and before the block.
        let mut records = 0;
        // One, if the block continues the white space with which a line begins.
        let mut is_blank = 0;
        let mut from = 0;
        let mut room = [0; BLOCK];
        while from < text.len() {
            let [feeds, spaces, tabs, returns, marks] =
                isa.places(block(text, from, &mut room), &PAIRS);
            let spaces = spaces | tabs | returns;
            let starts = feeds << 1 | is_blank;
            // The sum carries each start over the white space to the first byte behind it.
            let (sum, is_cut) = (starts & spaces).overflowing_add(spaces);
            let begun = (starts | sum) & !spaces & !feeds & there(text.len() - from);
            // A line that may have a mark only, and all behind it, are none of the hop's.
            let unknown = begun & marks;
            let known = (unknown & unknown.wrapping_neg()).wrapping_sub(1);
            let feeds = feeds & known;
            if feeds != 0 {
                let last = BLOCK - 1 - feeds.leading_zeros() as usize;
                let before = begun & ((1 << last) - 1);
                hop.at = from + last;
                hop.records = records + u64::from(before.count_ones());
            }
            if unknown != 0 {
                hop.is_over = true;
                break;
            }
            records += u64::from(begun.count_ones());
            is_blank = u64::from(is_cut) | feeds >> 63;
            from += BLOCK;
        }
        hop
    }
}
