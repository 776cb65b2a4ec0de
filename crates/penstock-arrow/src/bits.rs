//! Truth values, eight in a byte, the first one lowest: as Arrow stores them.

use penstock_scan::make_room;
use std::ops::Range;

/// A vector of truth values.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    /// So many times the same.
    pub(crate) fn filled(value: bool, count: usize) -> Self {
        let mut bits = Bits::default();
        let byte = if value { 0xFF } else { 0 };
        make_room(&mut bits.bytes, count.div_ceil(8));
        bits.bytes.resize(count.div_ceil(8), byte);
        bits.count = count;
        bits.clear_rest();
        bits
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: bool) {
        let bit = self.count % 8;
        if bit == 0 {
            make_room(&mut self.bytes, 1);
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(value) << bit;
        }
        self.count += 1;
    }

    pub(crate) fn get(&self, at: usize) -> bool {
        self.bytes[at / 8] >> (at % 8) & 1 == 1
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        if count < self.count {
            self.count = count;
            self.bytes.truncate(count.div_ceil(8));
            self.clear_rest();
        }
    }

    /// Adds the same value so many times.
    pub(crate) fn extend_with(&mut self, value: bool, count: usize) {
        self.append(&Bits::filled(value, count), 0..count);
    }

    /// Adds some of the values of another vector.
    pub(crate) fn append(&mut self, from: &Bits, values: Range<usize>) {
        make_room(&mut self.bytes, values.len().div_ceil(8) + 1);
        let (mut at, end) = (values.start, values.end);
        while at < end {
            // As many as the current byte of each of the two still has.
            let (into, out) = (self.count % 8, at % 8);
            let count = (8 - into.max(out)).min(end - at);
            if into == 0 {
                self.bytes.push(0);
            }
            let mask = ((1_u16 << count) - 1) as u8;
            let bits = (from.bytes[at / 8] >> out) & mask;
            if let Some(last) = self.bytes.last_mut() {
                *last |= bits << into;
            }
            self.count += count;
            at += count;
        }
    }

    /// The bits behind the last one are zero.
    fn clear_rest(&mut self) {
        let used = self.count % 8;
        if used > 0
            && let Some(last) = self.bytes.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// The bytes, and how many values they hold.
    pub(crate) fn into_parts(self) -> (Vec<u8>, usize) {
        (self.bytes, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_pushed_and_taken_back() {
        let mut bits = Bits::filled(true, 11);
        bits.push(false);
        bits.push(true);
        bits.truncate(12);
        bits.truncate(40);
        bits.push(true);
        assert_eq!(bits.into_parts(), (vec![0xFF, 0b1_0111], 13));
        let mut bits = Bits::filled(false, 8);
        bits.truncate(0);
        bits.push(true);
        assert_eq!(bits.into_parts(), (vec![1], 1));
    }

    /// Any part of a vector behind any other.
    #[test]
    fn bits_are_appended() {
        let values: Vec<bool> = (0..40_u32).map(|at| at * at % 7 < 3).collect();
        let all = |values: &[bool]| {
            let mut bits = Bits::default();
            values.iter().for_each(|value| bits.push(*value));
            bits
        };
        for before in 0..18 {
            for from in 0..18 {
                for to in from..=values.len() {
                    let mut bits = all(&values[..before]);
                    bits.append(&all(&values), from..to);
                    bits.extend_with(true, 3);
                    let one_by_one = [&values[..before], &values[from..to], &[true; 3]].concat();
                    assert_eq!(bits.into_parts(), all(&one_by_one).into_parts());
                }
            }
        }
    }
}
