//! The items of a list of JSON, by quotes, brackets and commas alone.

use penstock_scan::{Isa, Job, dispatch};

use super::{BLOCK, Hop, block, carried};

/// A quote, a backslash, the brackets that open and those that close, and a comma. Of both kinds of
/// brackets, a curly one is a square one with one bit more.
const PAIRS: [(u8, u8); 5] = [(0, b'"'), (0, b'\\'), (0x20, b'{'), (0x20, b'}'), (0, b',')];

/// Hops over the items of a list. The text begins behind one of them, and the hop leads to the last
/// comma of the list in this text.
pub(crate) fn items(text: &[u8]) -> Hop {
    dispatch(Items(text))
}

#[derive(Clone, Copy)]
pub(super) struct Items<'t>(pub(super) &'t [u8]);

/// The commas of the list so far.
#[derive(Default)]
struct Commas {
    count: u64,
    last: usize,
}

impl Commas {
    #[inline(always)]
    fn add(&mut self, from: usize, commas: u64) {
        if commas != 0 {
            self.count += u64::from(commas.count_ones());
            self.last = from + (BLOCK - 1) - commas.leading_zeros() as usize;
        }
    }

    /// Of the items between the commas, all are passed.
    fn hop(&self, is_over: bool) -> Hop {
        Hop { at: self.last, records: self.count.saturating_sub(1), is_over }
    }
}

impl Job for Items<'_> {
    type Output = Hop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Hop {
        let Items(text) = self;
        let mut found = Commas::default();
        // All bits, if the block begins within quotes; one, if its first byte is escaped.
        let (mut inside, mut escapes) = (0, 0);
        let mut depth = 0_usize;
        let mut from = 0;
        let mut room = [0; BLOCK];
        while from < text.len() {
            let [mut quotes, slashes, opens, closes, commas] =
                isa.places(block(text, from, &mut room), &PAIRS);
            if slashes | escapes != 0 {
                quotes &= !escaped(slashes, &mut escapes);
            }
            let within = isa.parity(quotes) ^ inside;
            inside = carried(within);
            let (opens, closes, commas) = (opens & !within, closes & !within, commas & !within);
            let closing = closes.count_ones() as usize;
            if depth > closing {
                // Nowhere in this block is the list itself.
                depth = depth + opens.count_ones() as usize - closing;
                from += BLOCK;
                continue;
            }
            let (mut brackets, mut commas) = (opens | closes, commas);
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                let before = bit - 1;
                if depth == 0 {
                    found.add(from, commas & before);
                }
                commas &= !before;
                if opens & bit != 0 {
                    depth += 1;
                } else if depth == 0 {
                    return found.hop(true);
                } else {
                    depth -= 1;
                }
                brackets ^= bit;
            }
            if depth == 0 {
                found.add(from, commas);
            }
            from += BLOCK;
        }
        found.hop(false)
    }
}

/// The places that a backslash before them escapes. `carry` says whether the first one is, and then
/// whether the first one of the next block is.
#[inline(always)]
fn escaped(slashes: u64, carry: &mut u64) -> u64 {
    let mut escaped = *carry;
    let mut left = slashes & !escaped;
    *carry = 0;
    while left != 0 {
        let slash = left & left.wrapping_neg();
        *carry = slash >> 63;
        escaped |= slash << 1;
        // If what it escapes is a backslash, that one escapes nothing.
        left &= !(slash | slash << 1);
    }
    escaped
}
