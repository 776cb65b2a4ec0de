//! The instruction set that every processor has: plain Rust, eight bytes at a time.

use crate::isa::{Isa, StringEnd};
use crate::swar;

/// The token of the instruction set that needs no proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable(());

impl Portable {
    pub(crate) const fn new() -> Self {
        Portable(())
    }
}

impl Isa for Portable {
    const NAME: &'static str = "portable";

    #[inline(always)]
    fn json_string(self, bytes: &[u8], from: usize) -> StringEnd {
        let mut at = from;
        let mut above = 0;
        while let Some(word) = swar::word_at(bytes, at) {
            let stops = swar::equal(word, b'"') | swar::equal(word, b'\\') | swar::control(word);
            if stops != 0 {
                // All bits below the first stop; the stop itself is ASCII.
                above |= word & (stops ^ (stops - 1));
                let at = at + swar::before(stops);
                return StringEnd { at, ascii: above & swar::HIGH == 0 };
            }
            above |= word;
            at += 8;
        }
        let mut ascii = above & swar::HIGH == 0;
        while let Some(&b) = bytes.get(at) {
            if b == b'"' || b == b'\\' || b < 0x20 {
                break;
            }
            ascii &= b < 0x80;
            at += 1;
        }
        StringEnd { at, ascii }
    }

    #[inline(always)]
    fn json_space(self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        // The two common cases, none and one, are decided on the bytes themselves.
        for _ in 0..2 {
            if !is_space(bytes, at) {
                return at;
            }
            at += 1;
        }
        while let Some(word) = swar::word_at(bytes, at) {
            let others = spaces(word) ^ swar::HIGH;
            if others != 0 {
                return at + swar::before(others);
            }
            at += 8;
        }
        while is_space(bytes, at) {
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn xml_text(self, bytes: &[u8], from: usize) -> StringEnd {
        run_until(bytes, from, |b| {
            matches!(b, b'<' | b'&' | b']' | 0xEF) || (b < 0x20 && b != b'\t' && b != b'\n')
        })
    }

    #[inline(always)]
    fn xml_value(self, bytes: &[u8], from: usize) -> StringEnd {
        run_until(bytes, from, |b| matches!(b, b'"' | b'\'' | b'<' | b'&' | 0xEF) || b < 0x20)
    }

    #[inline(always)]
    fn xml_name(self, bytes: &[u8], from: usize) -> usize {
        let stops = |b| !(u8::is_ascii_alphanumeric(&b) || matches!(b, b'.' | b'-' | b'_'));
        run_until(bytes, from, stops).at
    }

    #[inline(always)]
    fn code_points(self, bytes: &[u8]) -> usize {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut total = rest.iter().filter(|&&b| (b as i8) >= -0x40).count();
        // Each byte of the sum counts one column; 255 rounds are what it can hold.
        for batch in words.chunks(255) {
            let sum: u64 = batch.iter().map(|word| swar::leads(u64::from_le_bytes(*word))).sum();
            total += swar::sum(sum);
        }
        total
    }

    #[inline(always)]
    fn units(self, bytes: &[u8; 16]) -> ([u16; 8], usize) {
        let mut units = [0; 8];
        let mut count = 0;
        for lane in 0..8 {
            let a = u16::from(bytes[lane]);
            let b = u16::from(bytes[lane + 1] & 0x3F);
            let c = u16::from(bytes[lane + 2] & 0x3F);
            let unit = match a {
                0..0x80 => a,
                0x80..0xC0 => continue,
                0xC0..0xE0 => (a & 0x1F) << 6 | b,
                _ => a << 12 | b << 6 | c,
            };
            units[count] = unit;
            count += 1;
        }
        (units, count)
    }
}

/// Whether the byte at `at` is there and is JSON white space.
#[inline(always)]
pub(crate) fn is_space(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        // Almost every byte that is asked about is above the space: one comparison for it.
        Some(&b) if b <= b' ' => matches!(b, b' ' | b'\n' | b'\r' | b'\t'),
        _ => false,
    }
}

/// 0x80 in every byte of the word that is JSON white space, and in no other.
#[inline(always)]
fn spaces(word: u64) -> u64 {
    swar::equal(word, b' ')
        | swar::equal(word, b'\n')
        | swar::equal(word, b'\r')
        | swar::equal(word, b'\t')
}

/// [`Isa::json_string`] as a call, for the other instruction sets' short ends.
#[inline(never)]
pub(crate) fn json_string(bytes: &[u8], from: usize) -> StringEnd {
    Portable::new().json_string(bytes, from)
}

/// [`Isa::json_space`] as a call, for the other instruction sets' short ends.
#[inline(never)]
pub(crate) fn json_space(bytes: &[u8], from: usize) -> usize {
    Portable::new().json_space(bytes, from)
}

/// The end of the run of bytes at which nothing stops.
#[inline(always)]
fn run_until(bytes: &[u8], from: usize, stops: impl Fn(u8) -> bool) -> StringEnd {
    let run = bytes.get(from..).unwrap_or_default();
    let length = run.iter().position(|b| stops(*b)).unwrap_or(run.len());
    StringEnd { at: from + length, ascii: run[..length].is_ascii() }
}
