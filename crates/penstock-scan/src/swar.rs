//! Eight bytes at a time in one 64-bit register: for machines without vectors, and for runs that
//! are too short for them.
//!
//! Words are loaded in little-endian order on every machine, so that the first byte is the lowest
//! one and `trailing_zeros` finds the first match.

/// 0x01 in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// 0x80 in every byte.
pub(crate) const HIGH: u64 = 0x8080_8080_8080_8080;

/// `byte` in every byte.
#[inline(always)]
pub(crate) const fn splat(byte: u8) -> u64 {
    ONES * byte as u64
}

/// The eight bytes at `at`, if there are that many.
#[inline(always)]
pub(crate) fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The sixteen bytes at `at`, which is inside of the slice. Those past its end are `fill`.
#[inline(always)]
pub(crate) fn sixteen_at(bytes: &[u8], at: usize, fill: u8) -> u128 {
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u128::from_le_bytes(*chunk);
    }
    let left = (bytes.len() - at) as u32;
    let there = match bytes.last_chunk() {
        // The end of the slice, with what was before `at` shifted out.
        Some(chunk) => u128::from_le_bytes(*chunk) >> (8 * (16 - left)),
        None => short(&bytes[at..]),
    };
    there | (u128::from_le_bytes([fill; 16]) << (8 * left))
}

/// Up to fifteen bytes, followed by zeros. Made of two loads that may overlap, because a copy of
/// variable length would be a call.
#[inline(always)]
fn short(bytes: &[u8]) -> u128 {
    let shift = |size: usize| 8 * (bytes.len() - size);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << shift(8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << shift(4)
    } else {
        bytes.iter().rev().fold(0, |word, &b| word << 8 | u128::from(b))
    }
}

/// 0x80 in every byte that equals `byte`, and in no other.
#[inline(always)]
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ splat(byte);
    // Adding 0x7F to seven bits carries into the eighth unless they are all zero, and never
    // further: no byte disturbs its neighbour.
    !(((difference & !HIGH) + !HIGH) | difference) & HIGH
}

/// 0x80 in every byte below 0x20, and in no other.
#[inline(always)]
pub(crate) const fn control(word: u64) -> u64 {
    equal(word & splat(0xE0), 0)
}

/// 0x80 in every byte from `first` to `last`, which are below 0x80, and in no other.
#[inline(always)]
pub(crate) const fn between(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !HIGH;
    // Both sums of seven bits carry into the eighth and never further.
    (low + splat(0x80 - first)) & !(low + splat(0x7F - last)) & !word & HIGH
}

/// 0x01 in every byte that does not continue a UTF-8 character.
#[inline(always)]
pub(crate) const fn leads(word: u64) -> u64 {
    ((!word >> 7) | (word >> 6)) & ONES
}

/// A bit for each byte that is marked with 0x80, the first byte's lowest.
#[inline(always)]
pub(crate) const fn bits(marks: u64) -> u64 {
    // The mark of each byte is moved to its place in the highest one; no two meet.
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// How many of the eight bytes, from the first on, are before the first mark.
#[inline(always)]
pub(crate) const fn before(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The sum of the eight bytes.
#[inline(always)]
pub(crate) const fn sum(word: u64) -> usize {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    let pairs = (word & EVEN) + ((word >> 8) & EVEN);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
}

/// For each place, whether an odd number of bits is set up to and including it.
#[inline(always)]
pub(crate) const fn parity(bits: u64) -> u64 {
    // Each step doubles how many places a bit's sum reaches back.
    let bits = bits ^ (bits << 1);
    let bits = bits ^ (bits << 2);
    let bits = bits ^ (bits << 4);
    let bits = bits ^ (bits << 8);
    let bits = bits ^ (bits << 16);
    bits ^ (bits << 32)
}
