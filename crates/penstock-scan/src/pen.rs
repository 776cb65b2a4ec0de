//! Appends short pieces to a vector.
//!
//! `Vec::extend_from_slice` copies a slice of any length, which is a call, and reads and writes the
//! vector's length each time. A [`Pen`] keeps its place in a register, and copies a short piece
//! with a few stores of fixed size. These may write beyond the piece's end: what is there is
//! written again by the next piece, or never becomes part of the vector.

use crate::isa::{Chosen, Isa, Job};
use crate::memory::out_of_memory;
use crate::swar::{control, equal};

/// Appends to a vector. The vector has the new length when the pen is dropped.
///
/// ```
/// use penstock_scan::{Chosen, Pen};
///
/// let mut out = Vec::new();
/// let mut pen = Pen::new(&mut out, Chosen::best());
/// pen.copy(b"[");
/// assert!(pen.json_string(b"plain", b','));
/// // A quote needs an escape, so nothing is written.
/// assert!(!pen.json_string(b"\"", b','));
/// drop(pen);
/// assert_eq!(out, b"[\"plain\",");
/// ```
#[derive(Debug)]
pub struct Pen<'a> {
    out: &'a mut Vec<u8>,
    isa: Chosen,
    /// Where the vector begins, where the next byte goes, and where the vector's memory ends. All
    /// bytes before `at` are initialised.
    begin: *mut u8,
    at: *mut u8,
    end: *mut u8,
}

impl Drop for Pen<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let length = self.len();
        // SAFETY: so many bytes are initialised.
        unsafe { self.out.set_len(length) };
    }
}

impl<'a> Pen<'a> {
    /// A pen at the end of a vector.
    #[inline(always)]
    pub fn new(out: &'a mut Vec<u8>, isa: Chosen) -> Self {
        let (length, capacity) = (out.len(), out.capacity());
        let begin = out.as_mut_ptr();
        // SAFETY: both are within the vector's memory or at its end.
        let (at, end) = unsafe { (begin.add(length), begin.add(capacity)) };
        Pen { out, isa, begin, at, end }
    }

    /// How many bytes the vector has.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "it is the place, and nobody asks")]
    pub fn len(&self) -> usize {
        self.at.addr() - self.begin.addr()
    }

    /// Takes back everything after a place. A place beyond the end changes nothing.
    #[inline(always)]
    pub fn back_to(&mut self, length: usize) {
        if length < self.len() {
            // SAFETY: it is before `at`.
            self.at = unsafe { self.begin.add(length) };
        }
    }

    /// The last byte, to be replaced.
    #[inline(always)]
    pub fn last(&mut self) -> Option<&mut u8> {
        // SAFETY: if there is a byte, it is initialised and before `at`.
        (self.at > self.begin).then(|| unsafe { &mut *self.at.sub(1) })
    }

    /// Makes room for so many bytes. False if there is no memory.
    #[inline(always)]
    #[must_use]
    pub fn room(&mut self, more: usize) -> bool {
        self.end.addr() - self.at.addr() >= more || self.grow(more)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> bool {
        let length = self.len();
        // SAFETY: so many bytes are initialised.
        unsafe { self.out.set_len(length) };
        let grown = self.out.try_reserve(more).is_ok();
        self.begin = self.out.as_mut_ptr();
        // SAFETY: both are within the vector's memory or at its end.
        (self.at, self.end) =
            unsafe { (self.begin.add(length), self.begin.add(self.out.capacity())) };
        grown
    }

    #[inline(always)]
    fn needs(&mut self, more: usize) {
        if !self.room(more) {
            out_of_memory();
        }
    }

    /// Appends the first `used` of these bytes. There should be room for all of them; if there is
    /// no memory, it unwinds.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, bytes: [u8; N], used: usize) {
        self.needs(N);
        // SAFETY: there is room for all of them, and no more of them are kept than there are.
        unsafe {
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.add(used.min(N));
        }
    }

    /// Appends bytes. There should be room for them and 16 more; if there is no memory, it unwinds.
    #[inline(always)]
    pub fn copy(&mut self, bytes: &[u8]) {
        self.needs(bytes.len().saturating_add(SLACK));
        // SAFETY: there is room for them and what `copy_short` needs behind them.
        unsafe {
            if bytes.len() <= SHORT {
                copy_short(bytes, self.at, ESCAPED);
            } else {
                self.at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
            self.at = self.at.add(bytes.len());
        }
    }

    /// Appends bytes, if none of them is a control character (below 0x20) or one of `stops`. False,
    /// and nothing is appended, if one is, or there is no memory.
    #[inline(always)]
    #[must_use]
    pub fn copy_without(&mut self, bytes: &[u8], stops: [u8; 2]) -> bool {
        if !self.room(bytes.len().saturating_add(SLACK)) {
            return false;
        }
        // SAFETY: there is room for the bytes and `SLACK` more, which is what `copy_short` needs.
        let without = unsafe {
            if bytes.len() <= SHORT {
                copy_short(bytes, self.at, stops) == 0
            } else {
                copy_long(bytes, self.at, stops)
            }
        };
        if without {
            // SAFETY: so many bytes are written.
            self.at = unsafe { self.at.add(bytes.len()) };
        }
        without
    }

    /// Appends text between quotes, and a byte behind them. False, and nothing is appended, if a
    /// byte of the text needs an escape, or there is no memory.
    #[inline(always)]
    #[must_use]
    pub fn json_string(&mut self, text: &[u8], after: u8) -> bool {
        if !self.room(text.len().saturating_add(SLACK)) {
            return false;
        }
        // SAFETY: there is room for the text and `SLACK` bytes more.
        unsafe {
            let into = self.at.add(1);
            let plain = if text.len() <= SHORT {
                copy_short(text, into, ESCAPED) == 0
            } else {
                self.isa.enter(CopyPlain { text, into })
            };
            if !plain {
                return false;
            }
            self.at.write(b'"');
            into.add(text.len()).cast::<[u8; 2]>().write_unaligned([b'"', after]);
            self.at = into.add(text.len() + 2);
        }
        true
    }

    /// The same for text in the units of a CPython string, which is converted to UTF-8. It also is
    /// false if there is a surrogate.
    #[inline(never)]
    #[must_use]
    pub fn json_units<U: Copy + Into<u32>>(&mut self, units: &[U], after: u8) -> bool {
        if !self.room(units.len().saturating_mul(4).saturating_add(SLACK)) {
            return false;
        }
        // SAFETY: there is room for four bytes for each unit, and for quotes and a byte. All that
        // `at` passes is written.
        unsafe {
            let mut at = self.at;
            at.write(b'"');
            at = at.add(1);
            for &unit in units {
                let unit: u32 = unit.into();
                let low = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
                if unit < 0x80 {
                    if unit < 0x20 || unit == 0x22 || unit == 0x5C {
                        return false;
                    }
                    at.write(unit as u8);
                    at = at.add(1);
                } else if unit < 0x800 {
                    at.cast::<[u8; 2]>().write_unaligned([0xC0 | (unit >> 6) as u8, low(0)]);
                    at = at.add(2);
                } else if unit < 0x1_0000 {
                    if unit & 0xF800 == 0xD800 {
                        return false;
                    }
                    let bytes = [0xE0 | (unit >> 12) as u8, low(6), low(0)];
                    at.cast::<[u8; 3]>().write_unaligned(bytes);
                    at = at.add(3);
                } else {
                    let bytes = [0xF0 | (unit >> 18) as u8, low(12), low(6), low(0)];
                    at.cast::<[u8; 4]>().write_unaligned(bytes);
                    at = at.add(4);
                }
            }
            at.cast::<[u8; 2]>().write_unaligned([b'"', after]);
            self.at = at.add(2);
        }
        true
    }
}

/// Up to here a copy in place is quicker than a call.
const SHORT: usize = 32;

/// How many bytes more than those of a piece there must be room for: what a copy writes beyond
/// its end, the quotes and a byte.
const SLACK: usize = 16;

/// What needs an escape in a JSON string, besides the control characters.
const ESCAPED: [u8; 2] = *b"\"\\";

/// Copies up to [`SHORT`] bytes. Not zero if one of them is a control character or one of `stops`.
///
/// # Safety
/// `into` has room for the bytes, and is apart from them.
#[inline(always)]
unsafe fn copy_short(bytes: &[u8], into: *mut u8, stops: [u8; 2]) -> u64 {
    let (from, length) = (bytes.as_ptr(), bytes.len());
    // Loads and stores that may overlap, because a copy of variable length would be a call.
    macro_rules! both_ends {
        ($size:literal, $word:ty) => {{
            // SAFETY: there are at least so many bytes to read, and room for them.
            let (first, last) = unsafe {
                let first = from.cast::<[u8; $size]>().read_unaligned();
                let last = from.add(length - $size).cast::<[u8; $size]>().read_unaligned();
                into.cast::<[u8; $size]>().write_unaligned(first);
                into.add(length - $size).cast::<[u8; $size]>().write_unaligned(last);
                (first, last)
            };
            (<$word>::from_le_bytes(first), <$word>::from_le_bytes(last))
        }};
    }
    if length >= 16 {
        let (first, last) = both_ends!(16, u128);
        sixteen_stop(first, stops) | sixteen_stop(last, stops)
    } else if length >= 8 {
        let (first, last) = both_ends!(8, u64);
        sixteen_stop(u128::from(first) | u128::from(last) << 64, stops)
    } else if length >= 4 {
        let (first, last) = both_ends!(4, u32);
        eight_stop(u64::from(first) | u64::from(last) << 32, stops)
    } else if length >= 2 {
        let (first, last) = both_ends!(2, u16);
        // The upper half is copied from the lower one, because zeros would be control characters.
        let both = u64::from(first) | u64::from(last) << 16;
        eight_stop(both | both << 32, stops)
    } else if length == 1 {
        // SAFETY: there is a byte, and room for it.
        let byte = unsafe {
            let byte = from.read();
            into.write(byte);
            byte
        };
        u64::from(byte < 0x20 || stops.contains(&byte))
    } else {
        0
    }
}

/// Copies more than [`SHORT`] bytes. False if one of them is a control character or one of `stops`.
///
/// # Safety
/// `into` has room for the bytes, and is apart from them.
#[inline(never)]
unsafe fn copy_long(bytes: &[u8], into: *mut u8, stops: [u8; 2]) -> bool {
    let (blocks, _) = bytes.as_chunks();
    let last = bytes.last_chunk();
    let stopped = |block: &[u8; 16]| sixteen_stop(u128::from_le_bytes(*block), stops) != 0;
    if blocks.iter().chain(last).any(stopped) {
        return false;
    }
    // SAFETY: the caller's promise.
    unsafe { into.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    true
}

/// Not zero if one of these bytes is a control character or one of `stops`.
#[inline(always)]
const fn eight_stop(word: u64, stops: [u8; 2]) -> u64 {
    control(word) | equal(word, stops[0]) | equal(word, stops[1])
}

/// The same for sixteen bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sixteen_stop(bytes: u128, stops: [u8; 2]) -> u64 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    // SAFETY: SSE2 is part of every x86-64 processor.
    let found = unsafe {
        let bytes = _mm_set_epi64x((bytes >> 64) as i64, bytes as i64);
        let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
        let [first, second] = stops.map(|stop| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(stop as i8)));
        _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(first, second)))
    };
    u64::from(found.cast_unsigned())
}

/// The same for sixteen bytes.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[inline(always)]
fn sixteen_stop(bytes: u128, stops: [u8; 2]) -> u64 {
    use std::arch::aarch64::{
        vceqq_u8, vcltq_u8, vcombine_u8, vcreate_u8, vdupq_n_u8, vget_lane_u64, vorrq_u8,
        vreinterpret_u64_u8, vreinterpretq_u16_u8, vshrn_n_u16,
    };
    // SAFETY: NEON is part of every 64-bit ARM processor. What is left of each byte that stops is
    // a nibble of ones.
    unsafe {
        let bytes = vcombine_u8(vcreate_u8(bytes as u64), vcreate_u8((bytes >> 64) as u64));
        let control = vcltq_u8(bytes, vdupq_n_u8(0x20));
        let [first, second] = stops.map(|stop| vceqq_u8(bytes, vdupq_n_u8(stop)));
        let found = vorrq_u8(control, vorrq_u8(first, second));
        vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(found))))
    }
}

/// The same for sixteen bytes.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
#[inline(always)]
const fn sixteen_stop(bytes: u128, stops: [u8; 2]) -> u64 {
    eight_stop(bytes as u64, stops) | eight_stop((bytes >> 64) as u64, stops)
}

/// Copies text. False if a byte of it needs an escape.
struct CopyPlain<'a> {
    text: &'a [u8],
    /// Has room for the text.
    into: *mut u8,
}

impl Job for CopyPlain<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        let CopyPlain { text, into } = self;
        if isa.json_string(text, 0).at < text.len() {
            return false;
        }
        // SAFETY: whoever made the job has room for the text, apart from it.
        unsafe { into.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &[u8], after: u8) -> Option<Vec<u8>> {
        let plain = text.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
        plain.then(|| [b"\"", text, &[b'"', after]].concat())
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let byte =
            prop_oneof![20 => 0x20_u8..0x22, 20 => b'a'..=b'z', 5 => 0x80_u8.., 1 => any::<u8>()];
        let plain = prop_oneof![b'a'..=b'z', 0x80_u8..];
        prop_oneof![
            prop::collection::vec(byte, 0..40),
            prop::collection::vec(plain, 0..200),
            prop::collection::vec(any::<u8>(), 0..5),
        ]
    }

    proptest! {
        #[test]
        fn strings_as_the_naive_twin(texts in prop::collection::vec(texts(), 0..20)) {
            for isa in [Chosen::best(), Chosen::portable()] {
                let (mut out, mut expected) = (Vec::new(), Vec::new());
                let mut pen = Pen::new(&mut out, isa);
                for text in &texts {
                    let twin = naive(text, b',');
                    prop_assert_eq!(pen.json_string(text, b','), twin.is_some());
                    expected.extend(twin.unwrap_or_default());
                    let before = pen.len();
                    pen.copy(b"dropped");
                    pen.back_to(before);
                    pen.copy(text);
                    expected.extend_from_slice(text);
                    pen.put(*b"four and more", 4);
                    expected.extend_from_slice(b"four");
                    prop_assert_eq!(pen.len(), expected.len());
                }
                drop(pen);
                prop_assert_eq!(&out, &expected);
            }
        }

        #[test]
        fn cells_as_the_naive_twin(
            texts in prop::collection::vec(texts(), 0..20),
            first in prop_oneof![Just(b','), any::<u8>()],
            second in prop_oneof![Just(b'"'), any::<u8>()],
        ) {
            let (mut out, mut expected) = (Vec::new(), Vec::new());
            let mut pen = Pen::new(&mut out, Chosen::best());
            for text in &texts {
                let without =
                    text.iter().all(|&byte| byte >= 0x20 && byte != first && byte != second);
                prop_assert_eq!(pen.copy_without(text, [first, second]), without);
                expected.extend_from_slice(if without { text } else { b"" });
                prop_assert_eq!(pen.len(), expected.len());
            }
            drop(pen);
            prop_assert_eq!(&out, &expected);
        }

        #[test]
        fn units_as_the_standard_library(text in prop_oneof![".{0,40}", "[a-zà-ü]{0,40}", "[ -~]{0,9}"]) {
            let mut expected = naive(text.as_bytes(), b':').unwrap_or_default();
            let units: Vec<u32> = text.chars().map(u32::from).collect();
            let mut out = Vec::new();
            prop_assert_eq!(Pen::new(&mut out, Chosen::best()).json_units(&units, b':'), !expected.is_empty());
            prop_assert_eq!(&out, &expected);
            if let Ok(units) = units.iter().map(|&unit| u8::try_from(unit)).collect::<Result<Vec<_>, _>>() {
                let mut out = Vec::new();
                prop_assert_eq!(Pen::new(&mut out, Chosen::best()).json_units(&units, b':'), !expected.is_empty());
                prop_assert_eq!(&out, &expected);
            }
            if let Ok(mut units) = units.iter().map(|&unit| u16::try_from(unit)).collect::<Result<Vec<_>, _>>() {
                let mut out = Vec::new();
                prop_assert_eq!(Pen::new(&mut out, Chosen::best()).json_units(&units, b':'), !expected.is_empty());
                prop_assert_eq!(&out, &expected);
                units.push(0xD800);
                expected.clear();
                prop_assert!(!Pen::new(&mut out, Chosen::best()).json_units(&units, b':'));
            }
        }
    }

    #[test]
    fn the_last_byte_can_be_replaced() {
        let mut out = Vec::new();
        let mut pen = Pen::new(&mut out, Chosen::best());
        assert_eq!(pen.last(), None);
        pen.copy(b"a,");
        *pen.last().unwrap() = b']';
        drop(pen);
        assert_eq!(out, b"a]");
    }
}
