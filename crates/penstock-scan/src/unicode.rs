//! Converts UTF-8 to the units of CPython's strings.
//!
//! CPython stores a string in the narrowest of four widths that holds all its characters. So
//! [`shape`] first measures a text, then the caller makes an object of that size and width, then
//! [`widen_latin1`], [`widen_ucs2`] or [`widen_ucs4`] fills its memory.
//!
//! In most scripts the branch predictor cannot predict the length of the next character. So hardly
//! a branch here depends on the text: [`Isa::units`] splits eight bytes at a time in the same way,
//! whatever they are.

use std::mem::MaybeUninit;

use crate::isa::{Isa, Job, dispatch};
use crate::swar;
use crate::text::ValidText;

/// The narrowest unit that holds every character of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// One byte each, all below U+0080: the UTF-8 bytes are the units.
    Ascii,
    /// One byte each, up to U+00FF.
    Latin1,
    /// Two bytes each, up to U+FFFF.
    Ucs2,
    /// Four bytes each.
    Ucs4,
}

/// The size of a text as a CPython string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many characters (code points) it has, which is how many units.
    pub chars: usize,
    /// The width of each.
    pub width: Width,
}

/// The value of the bytes past the end of a text: they begin no character.
const FILL: u8 = 0x80;

/// The number of characters and the width of the widest.
///
/// ```
/// use penstock_scan::{Shape, ValidText, Width, shape};
///
/// assert_eq!(shape(ValidText::from("naïve")), Shape { chars: 5, width: Width::Latin1 });
/// assert_eq!(shape(ValidText::from("水")), Shape { chars: 1, width: Width::Ucs2 });
/// ```
#[inline]
#[must_use]
pub fn shape(text: ValidText<'_>) -> Shape {
    let bytes = text.as_bytes();
    let (mut wide, mut astral, mut chars) = (0, 0, 0);
    // Each byte of the counts is one column; every chunk adds at most 2 to it.
    for batch in bytes.chunks(16 * 127) {
        let mut counts = 0;
        let mut at = 0;
        while at < batch.len() {
            let chunk = swar::sixteen_at(batch, at, FILL);
            for word in [chunk as u64, (chunk >> 64) as u64] {
                counts += swar::leads(word);
                wide |= not_latin1(word);
                astral |= not_ucs2(word);
            }
            at += 16;
        }
        chars += swar::sum(counts);
    }
    let width = if astral & swar::HIGH != 0 {
        Width::Ucs4
    } else if wide & swar::HIGH != 0 {
        Width::Ucs2
    } else if chars < bytes.len() {
        Width::Latin1
    } else {
        Width::Ascii
    };
    Shape { chars, width }
}

/// The top bit of every byte that begins a character above U+00FF: 0xC4 and more. Other bits are
/// arbitrary.
#[inline(always)]
fn not_latin1(word: u64) -> u64 {
    word & (word << 1) & ((word << 2) | (word << 3) | (word << 4) | (word << 5))
}

/// The top bit of every byte that begins a character above U+FFFF: 0xF0 and more. Other bits are
/// arbitrary.
#[inline(always)]
fn not_ucs2(word: u64) -> u64 {
    word & (word << 1) & (word << 2) & (word << 3)
}

/// Writes the text as units of one byte, and returns how many. That many units of `out` are
/// meaningful and initialised; later ones may have been written too.
///
/// Stops early, without panicking, before a character that does not fit the unit, and when `out`
/// is full.
///
/// ```
/// use std::mem::MaybeUninit;
/// use penstock_scan::{ValidText, widen_latin1};
///
/// let mut out = [MaybeUninit::uninit(); 5];
/// assert_eq!(widen_latin1(ValidText::from("naïve"), &mut out), 5);
/// ```
#[inline]
pub fn widen_latin1(text: ValidText<'_>, out: &mut [MaybeUninit<u8>]) -> usize {
    dispatch(Widen { text, out })
}

/// As [`widen_latin1`], with units of two bytes.
#[inline]
pub fn widen_ucs2(text: ValidText<'_>, out: &mut [MaybeUninit<u16>]) -> usize {
    dispatch(Widen { text, out })
}

/// As [`widen_latin1`], with units of four bytes, which hold every character.
#[inline]
pub fn widen_ucs4(text: ValidText<'_>, out: &mut [MaybeUninit<u32>]) -> usize {
    dispatch(Widen { text, out })
}

/// A unit of a string in memory.
pub(crate) trait Unit: Copy {
    /// The greatest character that it holds.
    const MAX: u32;
    /// The unit of a character that it holds.
    fn of(code: u32) -> Self;
}

impl Unit for u8 {
    const MAX: u32 = 0xFF;
    #[inline(always)]
    fn of(code: u32) -> u8 {
        code as u8
    }
}

impl Unit for u16 {
    const MAX: u32 = 0xFFFF;
    #[inline(always)]
    fn of(code: u32) -> u16 {
        code as u16
    }
}

impl Unit for u32 {
    const MAX: u32 = 0x10_FFFF;
    #[inline(always)]
    fn of(code: u32) -> u32 {
        code
    }
}

/// Takes eight bytes at a time, wherever characters begin and end: a character belongs to the
/// eight in which it begins.
pub(crate) struct Widen<'a, 'b, T> {
    pub(crate) text: ValidText<'a>,
    pub(crate) out: &'b mut [MaybeUninit<T>],
}

impl<T: Unit> Job for Widen<'_, '_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let bytes = self.text.as_bytes();
        let out = self.out;
        let (mut at, mut made) = (0, 0);
        while at < bytes.len() {
            let chunk = swar::sixteen_at(bytes, at, FILL);
            let word = chunk as u64;
            let ascii = (word | (chunk >> 64) as u64) & swar::HIGH == 0;
            let chunk = chunk.to_le_bytes();
            if ascii && let Some(slots) = out[made..].first_chunk_mut::<16>() {
                for (slot, b) in slots.iter_mut().zip(chunk) {
                    slot.write(T::of(u32::from(b)));
                }
                at += 16;
                made += 16;
                continue;
            }
            let unfit = if T::MAX == 0xFF { not_latin1(word) } else { not_ucs2(word) };
            if unfit & swar::HIGH != 0 {
                // A character of four bytes, or one that does not fit.
                for here in at..bytes.len().min(at + 8) {
                    if bytes[here] & 0xC0 != 0x80 {
                        let Some(code) = first_char(&bytes[here..]) else { return made };
                        let Some(slot) = out.get_mut(made) else { return made };
                        if code > T::MAX {
                            return made;
                        }
                        slot.write(T::of(code));
                        made += 1;
                    }
                }
                at += 8;
                continue;
            }
            let (units, count) = isa.units(&chunk);
            if let Some(slots) = out[made..].first_chunk_mut::<8>() {
                // All eight at once; those beyond `count` are overwritten by what follows.
                for (slot, unit) in slots.iter_mut().zip(units) {
                    slot.write(T::of(u32::from(unit)));
                }
            } else {
                let room = out.len() - made;
                for (slot, unit) in out[made..].iter_mut().zip(units).take(count) {
                    slot.write(T::of(u32::from(unit)));
                }
                if count > room {
                    return out.len();
                }
            }
            at += 8;
            made += count;
        }
        made
    }
}

/// The first character. None if there is none; text never ends within one.
#[inline(always)]
fn first_char(bytes: &[u8]) -> Option<u32> {
    let low = |b: u8| u32::from(b & 0x3F);
    match *bytes {
        [a, ..] if a < 0x80 => Some(u32::from(a)),
        [a, b, ..] if a < 0xE0 => Some(u32::from(a & 0x1F) << 6 | low(b)),
        [a, b, c, ..] if a < 0xF0 => Some(u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c)),
        [a, b, c, d, ..] => Some(u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d)),
        _ => None,
    }
}
