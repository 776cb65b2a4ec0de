//! Numbers in a word: integers of 60 bits, numbers by their digits, and doubles of a common size.

use super::{Tag, Word};
use crate::value::number::{NumberShape, Outcome, scan, to_f64};
use std::fmt;

/// A number as a JSON document writes it without an exponent: its digits, and the position of the
/// point.
///
/// `1.10` is 110 at the scale 2, and differs from `1.1`, which is 11 at the scale 1. No two
/// spellings have the same parts, so the parts give the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// True if it begins with `-`, even for zero.
    pub negative: bool,
    /// All of its digits, at most 2^53.
    pub mantissa: u64,
    /// How many of them are after the point, at most 22.
    pub scale: u8,
}

impl Decimal {
    /// The largest mantissa: every integer up to it is a double.
    pub const MOST: u64 = 1 << 53;
    /// The largest scale: every power of ten up to it is a double.
    pub const SCALES: u8 = 22;

    /// The nearest double, by one division.
    ///
    /// ```
    /// use penstock_core::word::Decimal;
    ///
    /// let price = Decimal { negative: true, mantissa: 110, scale: 2 };
    /// assert_eq!((price.to_f64(), price.to_string()), (-1.1, "-1.10".to_owned()));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // Within the limits of a decimal, the text is not used.
        to_f64(self.outcome(), b"")
    }

    /// Its word: a decimal within the limits always has one.
    #[inline]
    pub(super) const fn word(self) -> Option<Word> {
        Word::decimal(self.negative, self.mantissa, -(self.scale as i32))
    }

    /// The parts as the number scanner returns them.
    #[inline(always)]
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        let Decimal { negative, mantissa, scale } = self;
        Outcome::Real { mantissa, exponent: -(scale as i32), negative, exact: true }
    }
}

/// The text that the parts were read from.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(f, "{sign}{}", self.mantissa);
        }
        let digits = format!("{:0width$}", self.mantissa, width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

/// A JSON number that is not a 64-bit integer, by its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Numeral<'a>(pub(super) Written<'a>);

/// The text of a numeral. If a number fits a decimal, it is always one, so equal texts have equal
/// parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Written<'a> {
    Parts(Decimal),
    Text(&'a str),
}

impl fmt::Display for Numeral<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Written::Parts(decimal) => decimal.fmt(f),
            Written::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Numeral<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Numeral({self})")
    }
}

/// The offset of the narrowed exponent. The code 0 is reserved for zero.
const REBIAS: u64 = 1023 - 64;

/// The sixty bits of a double whose exponent fits seven of them.
///
/// The sign and the fraction stay unchanged, so with the exponent nothing is lost.
#[inline(always)]
pub(super) const fn narrow(value: f64) -> Option<u64> {
    let bits = value.to_bits();
    let exponent = bits >> 52 & 0x7FF;
    if exponent <= REBIAS || exponent > REBIAS + 127 {
        return None;
    }
    let sign = bits >> 63 << 59;
    Some(sign | ((bits & (u64::MAX >> 1)) - (REBIAS << 52)))
}

/// The double from the sixty bits of [`narrow`].
#[inline(always)]
pub(super) const fn widen(payload: u64) -> f64 {
    let sign = payload >> 59 << 63;
    f64::from_bits(sign | ((payload & (u64::MAX >> 5)) + (REBIAS << 52)))
}

impl Word {
    /// An integer of 60 bits.
    #[inline(always)]
    #[must_use]
    pub const fn integer(value: i64) -> Option<Self> {
        if value << 4 >> 4 == value { Some(Word::new(Tag::Integer, value as u64)) } else { None }
    }

    /// The integer of a word with [`Tag::Integer`].
    #[inline(always)]
    #[must_use]
    pub const fn as_int(self) -> i64 {
        self.bits() as i64 >> 4
    }

    /// The digits `mantissa` with a point `-exponent` digits before their end, if that is a
    /// [`Decimal`]. A number written with an exponent, or with more zeros, has another text;
    /// [`numeral`](Word::numeral) checks that.
    ///
    /// ```
    /// use penstock_core::word::{Decimal, Word};
    ///
    /// let zero = Word::decimal(true, 0, -1).unwrap().as_decimal();
    /// assert_eq!(zero.to_string(), "-0.0");
    /// assert_eq!(Word::decimal(false, Decimal::MOST + 1, -1), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn decimal(negative: bool, mantissa: u64, exponent: i32) -> Option<Self> {
        if mantissa > Decimal::MOST || exponent > 0 || exponent < -(Decimal::SCALES as i32) {
            return None;
        }
        let payload = mantissa << 6 | (negative as u64) << 5 | exponent.unsigned_abs() as u64;
        Some(Word::new(Tag::Decimal, payload))
    }

    /// The number of a word with [`Tag::Decimal`].
    #[inline(always)]
    #[must_use]
    pub const fn as_decimal(self) -> Decimal {
        let payload = self.payload();
        Decimal { negative: payload & 32 != 0, mantissa: payload >> 6, scale: (payload & 31) as u8 }
    }

    /// A double: zero, or a magnitude from 2^-63 up to, but not including, 2^64.
    ///
    /// ```
    /// use penstock_core::word::Word;
    ///
    /// assert!(Word::double(-0.0).unwrap().as_double().is_sign_negative());
    /// assert_eq!(Word::double(42.53176).unwrap().as_double(), 42.53176);
    /// assert_eq!(Word::double(f64::NAN), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn double(value: f64) -> Option<Self> {
        match narrow(value) {
            Some(payload) => Some(Word::new(Tag::Double, payload)),
            None if value == 0.0 => Some(Word::new(Tag::Double, value.to_bits() >> 4)),
            None => None,
        }
    }

    /// The double of a word with [`Tag::Double`].
    #[inline(always)]
    #[must_use]
    pub const fn as_double(self) -> f64 {
        let payload = self.payload();
        // The code 0 with a fraction is unused.
        if payload & (127 << 52) == 0 {
            f64::from_bits(payload >> 59 << 63)
        } else {
            widen(payload)
        }
    }

    /// The number in `digits`, for which [`scan`] returned `found`: an integer or a decimal, if a
    /// word can hold it with its text.
    #[inline(always)]
    #[must_use]
    pub fn numeral(digits: &[u8], found: Outcome) -> Option<Self> {
        match found {
            Outcome::Int(value) => Word::integer(value),
            Outcome::NegativeZero => Word::decimal(true, 0, 0),
            Outcome::Real { mantissa, exponent, negative, exact: true } => {
                Word::decimal(negative, mantissa, exponent).filter(|_| spells(digits, exponent))
            }
            _ => None,
        }
    }

    /// The number in all of `text`, if it is a JSON number and a word can hold it with its text.
    ///
    /// ```
    /// use penstock_core::word::Word;
    ///
    /// assert_eq!(Word::number(b"17"), Word::integer(17));
    /// assert_eq!(Word::number(b"1.10"), Word::decimal(false, 110, -2));
    /// assert_eq!(Word::number(b"1.1e0"), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn number(text: &[u8]) -> Option<Self> {
        let found = scan(text, 0);
        if found.end == text.len() { Word::numeral(text, found.outcome) } else { None }
    }
}

/// True if a number with this `exponent` is written with a point and `-exponent` digits after it.
/// An exponent must be ruled out too: `1.5e-3` has the parts of `0.0015`, and its point in the same
/// place.
#[inline(always)]
fn spells(digits: &[u8], exponent: i32) -> bool {
    let fraction = exponent.unsigned_abs() as usize;
    let point = digits.len().checked_sub(fraction + 1);
    point.is_some_and(|point| digits[point] == b'.') && !has_exponent(digits)
}

/// True if there is an `e` or `E` in the text of a number: of its bytes, only these have the bit.
#[inline(always)]
fn has_exponent(digits: &[u8]) -> bool {
    const BIT: u8 = 0x40;
    match (digits.first_chunk(), digits.last_chunk()) {
        // Two loads, which may overlap.
        (Some(first), Some(last)) if digits.len() <= 16 => {
            let all = u64::from_le_bytes(*first) | u64::from_le_bytes(*last);
            all & u64::from_le_bytes([BIT; 8]) != 0
        }
        _ => digits.iter().any(|byte| byte & BIT != 0),
    }
}

impl<'a> Numeral<'a> {
    /// The number in all of `text`, as JSON writes it; `None` if it is a 64-bit integer or not a
    /// number.
    #[must_use]
    pub fn new(text: &'a str) -> Option<Self> {
        let found = scan(text.as_bytes(), 0);
        let integer = matches!(found.outcome, Outcome::Int(_));
        if integer || found.end != text.len() || found.outcome.shape().is_none() {
            return None;
        }
        let word = Word::numeral(text.as_bytes(), found.outcome);
        Some(Numeral(word.map_or(Written::Text(text), |word| Written::Parts(word.as_decimal()))))
    }

    /// Whether it is written with neither a fraction nor an exponent.
    #[must_use]
    pub fn shape(&self) -> NumberShape {
        let integer = match self.0 {
            Written::Parts(decimal) => decimal.scale == 0,
            Written::Text(text) => !text.contains(['.', 'e', 'E']),
        };
        if integer { NumberShape::Integer } else { NumberShape::Decimal }
    }
}
