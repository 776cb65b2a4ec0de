//! The stops of a window: the bytes at which the grammar decides something, found 64 at a time.

use penstock_scan::{Isa, Stops};

/// The stops of a window, one after the other.
pub(super) struct Found<'t, I> {
    pub(super) isa: I,
    pub(super) text: &'t [u8],
    pub(super) stops: &'t Stops,
    /// Where the current block begins, its stops that were not taken, and its bytes above 0x7F.
    block: usize,
    left: u64,
    above: u64,
}

const BLOCK: usize = 64;

#[cfg(test)]
thread_local! {
    /// How many blocks were looked at.
    pub(super) static LOADED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl<'t, I: Isa> Found<'t, I> {
    #[inline(always)]
    pub(super) fn new(isa: I, text: &'t [u8], stops: &'t Stops, from: usize) -> Self {
        let mut found = Found { isa, text, stops, block: from, left: 0, above: 0 };
        found.load(from);
        found
    }

    /// Goes back to a place.
    pub(super) fn restart(&mut self, place: usize) {
        self.load(place);
    }

    #[inline(always)]
    fn load(&mut self, block: usize) {
        #[cfg(test)]
        LOADED.set(LOADED.get() + 1);
        self.block = block;
        let rest = self.text.get(block..).unwrap_or_default();
        (self.left, self.above) = match rest.first_chunk::<BLOCK>() {
            Some(bytes) => self.isa.stops(bytes, self.stops),
            None => {
                let mut bytes = [0; BLOCK];
                bytes[..rest.len()].copy_from_slice(rest);
                let (stops, above) = self.isa.stops(&bytes, self.stops);
                // The zeros behind the text may be stops, and are none.
                (stops & ((1 << rest.len()) - 1), above)
            }
        };
    }

    /// The next stop that is not before `from`. `ascii` becomes false if there is a byte above 0x7F
    /// in the blocks that are left for it, from `start` on.
    #[inline(always)]
    pub(super) fn next(&mut self, from: usize, start: usize, ascii: &mut bool) -> Option<usize> {
        loop {
            while self.left == 0 {
                let next = self.block + BLOCK;
                *ascii &= self.is_ascii(start, next);
                if next >= self.text.len() {
                    return None;
                }
                self.load(next);
            }
            let stop = self.block + self.left.trailing_zeros() as usize;
            self.left &= self.left - 1;
            if stop >= from {
                return Some(stop);
            }
        }
    }

    /// Goes to a place behind the current one, which need not be a stop.
    #[inline(always)]
    pub(super) fn go_to(&mut self, place: usize) {
        if place >= self.block + BLOCK {
            self.load(place);
        }
    }

    /// Whether the bytes of the current block between two places are ASCII.
    #[inline(always)]
    pub(super) fn is_ascii(&self, start: usize, end: usize) -> bool {
        let from = start.saturating_sub(self.block);
        let to = end.saturating_sub(self.block);
        if from >= BLOCK || to == 0 {
            return true;
        }
        let above = self.above >> from << from;
        above & (u64::MAX >> (BLOCK - to.min(BLOCK))) == 0
    }
}
