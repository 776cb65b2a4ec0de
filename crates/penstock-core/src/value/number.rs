//! Numbers as RFC 8259 writes them: validated and converted in one pass.
//!
//! [`scan`] is on the hottest path of the JSON reader: most bytes of most documents are digits. It
//! validates the grammar to the letter and collects the value meanwhile. So an integer is finished
//! after its last digit, and a double is one multiplication away ([`to_f64`]). A number that does
//! not fit into 64 bits is reported as such and keeps its digits: nothing is rounded here unless
//! the caller asks for it.

/// Whether a number is written without a fraction and without an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberShape {
    /// Digits only: `12`, `-0`.
    Integer,
    /// With a fraction, an exponent or both: `1.0`, `1e2`.
    Decimal,
}

/// The result of [`scan`], and where it stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scanned {
    /// The first byte that is not part of the number. If it is the length of the slice, the number
    /// may continue in bytes that have not arrived: only the end of the input completes it.
    pub end: usize,
    /// The number, or the fault.
    pub outcome: Outcome,
}

/// The kind of number, or the fault in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// An integer literal that fits 64 bits.
    Int(i64),
    /// The integer literal `-0`: for an integer 0, for a double the negative zero.
    NegativeZero,
    /// An integer literal that does not fit 64 bits.
    Big,
    /// A number with a fraction or an exponent: `mantissa` times ten to the `exponent`.
    Real {
        /// The first 19 significant digits, without the sign.
        mantissa: u64,
        /// The power of ten by which the mantissa is multiplied.
        exponent: i32,
        /// True if the number begins with `-`, a zero too.
        negative: bool,
        /// False if the parts are not the whole number: digits other than zeros were dropped, or
        /// the exponent is beyond any useful one. Then only the text has the true value.
        exact: bool,
    },
    /// Not a number, however the slice may continue.
    Bad {
        /// The first byte that is not allowed here.
        at: usize,
        /// The problem, in the user's terms.
        reason: &'static str,
    },
    /// The slice ends where a digit must follow.
    Unfinished,
}

impl Outcome {
    /// The shape of the literal, or `None` if it is not one.
    ///
    /// ```
    /// use penstock_core::value::number::{NumberShape, scan};
    ///
    /// assert_eq!(scan(b"100 ", 0).outcome.shape(), Some(NumberShape::Integer));
    /// assert_eq!(scan(b"1e2 ", 0).outcome.shape(), Some(NumberShape::Decimal));
    /// assert_eq!(scan(b"1e, ", 0).outcome.shape(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn shape(&self) -> Option<NumberShape> {
        match self {
            Outcome::Int(_) | Outcome::NegativeZero | Outcome::Big => Some(NumberShape::Integer),
            Outcome::Real { .. } => Some(NumberShape::Decimal),
            Outcome::Bad { .. } | Outcome::Unfinished => None,
        }
    }
}

/// The number of digits that always fit into a `u64`.
const MOST_DIGITS: usize = 19;

/// Where the exponent saturates. It is far beyond any double, and far enough from the ends of an
/// `i32` that the fraction's length can be subtracted.
const FARTHEST_EXPONENT: i64 = 1 << 30;

/// Reads the number that begins at `bytes[from]`, which must be `-` or a digit.
///
/// The number is the longest run of bytes that the grammar allows; the caller decides whether the
/// next byte may follow it. If a number touches the end of the slice, `end == bytes.len()`, and a
/// caller with more input must scan it again with more.
///
/// Grammar errors are an [`Outcome::Bad`]. They depend only on the bytes of the slice: no
/// continuation would make them valid. No input panics.
///
/// ```
/// use penstock_core::value::number::{Outcome, scan};
///
/// let found = scan(b"[-17, 0]", 1);
/// assert_eq!((found.outcome, found.end), (Outcome::Int(-17), 4));
/// let found = scan(b"42.53176]", 0);
/// let parts = Outcome::Real { mantissa: 4253176, exponent: -5, negative: false, exact: true };
/// assert_eq!(found.outcome, parts);
/// assert_eq!(scan(b"1.", 0).outcome, Outcome::Unfinished);
/// let reason = "expected a digit after '.'";
/// assert_eq!(scan(b"1.]", 0).outcome, Outcome::Bad { at: 2, reason });
/// ```
#[inline(always)]
#[must_use]
pub fn scan(bytes: &[u8], from: usize) -> Scanned {
    let negative = bytes.get(from) == Some(&b'-');
    let first = from + usize::from(negative);
    // Single digits are common enough, in the same fields again and again, to be worth a branch.
    let (mantissa, end) = match (digit(bytes, first), digit(bytes, first + 1)) {
        (Some(digit), None) => (digit, first + 1),
        _ => digits(bytes, first, 0),
    };
    let count = end - first;
    // One test for both rare faults: no digit at all, and a 0 with digits after it.
    if count != 1 && bytes.get(first).is_none_or(|byte| !(b'1'..=b'9').contains(byte)) {
        return misbegun(bytes, first);
    }
    match bytes.get(end) {
        Some(b'.' | b'e' | b'E') => decimal(bytes, first, end, mantissa, negative),
        _ => Scanned { end, outcome: integer(mantissa, count, negative) },
    }
}

/// The value of `count` digits without a leading zero, which collected to `mantissa`.
#[inline(always)]
fn integer(mantissa: u64, count: usize, negative: bool) -> Outcome {
    if count < MOST_DIGITS {
        let value = mantissa as i64;
        match (negative, value) {
            (false, _) => Outcome::Int(value),
            (true, 0) => Outcome::NegativeZero,
            (true, _) => Outcome::Int(-value),
        }
    } else if count > MOST_DIGITS || mantissa > i64::MAX as u64 + u64::from(negative) {
        Outcome::Big
    } else if negative {
        Outcome::Int((mantissa as i64).wrapping_neg())
    } else {
        Outcome::Int(mantissa as i64)
    }
}

/// The rest of a number whose integer digits, from `first`, end at `point`: a `.` or an `e`.
#[inline(always)]
fn decimal(bytes: &[u8], first: usize, point: usize, whole: u64, negative: bool) -> Scanned {
    let mut mantissa = whole;
    let mut end = point;
    let mut exponent = 0;
    let mut count = point - first;
    if bytes[point] == b'.' {
        (mantissa, end) = digits(bytes, point + 1, whole);
        let fraction = end - point - 1;
        if fraction == 0 {
            return digit_missing(bytes, end, "expected a digit after '.'");
        }
        exponent = -(fraction as i64);
        count += fraction;
    }
    if count > MOST_DIGITS || matches!(bytes.get(end), Some(b'e' | b'E')) {
        return uncommon(bytes, first, end, mantissa, exponent, negative);
    }
    let exponent = exponent as i32;
    Scanned { end, outcome: Outcome::Real { mantissa, exponent, negative, exact: true } }
}

/// The two rarer cases of [`decimal`]: an exponent, and more digits than always fit into a `u64`.
/// The digits from `first` to `end` collected to `mantissa`, which may have wrapped around.
#[inline(never)]
fn uncommon(
    bytes: &[u8],
    first: usize,
    mut end: usize,
    mut mantissa: u64,
    mut exponent: i64,
    negative: bool,
) -> Scanned {
    let mut exact = true;
    // The point does not count as a digit, and a number without one has at most as many.
    if end - first > MOST_DIGITS {
        (mantissa, exponent, exact) = significant(&bytes[first..end]);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = bytes.get(end + 1).filter(|byte| matches!(byte, b'+' | b'-'));
        let start = end + 1 + usize::from(sign.is_some());
        let mut power = 0_i64;
        end = start;
        while let Some(digit) = digit(bytes, end) {
            power = (power * 10 + digit as i64).min(FARTHEST_EXPONENT);
            end += 1;
        }
        if end == start {
            return digit_missing(bytes, end, "expected a digit in the exponent");
        }
        exact &= power < FARTHEST_EXPONENT;
        exponent += if sign == Some(&b'-') { -power } else { power };
    }
    exact &= exponent.abs() <= FARTHEST_EXPONENT;
    let exponent = exponent.clamp(-FARTHEST_EXPONENT, FARTHEST_EXPONENT) as i32;
    Scanned { end, outcome: Outcome::Real { mantissa, exponent, negative, exact } }
}

/// The first 19 significant digits of `text` (digits, and a point or none), the power of ten that
/// they are multiplied by, and whether that is all of the value.
fn significant(text: &[u8]) -> (u64, i64, bool) {
    let (mut mantissa, mut exponent, mut exact) = (0_u64, 0_i64, true);
    let (mut kept, mut behind_point) = (0, false);
    for &byte in text {
        if byte == b'.' {
            behind_point = true;
            continue;
        }
        let digit = u64::from(byte - b'0');
        if kept < MOST_DIGITS {
            mantissa = mantissa * 10 + digit;
            kept += usize::from(mantissa != 0);
            exponent -= i64::from(behind_point);
        } else {
            exact &= digit == 0;
            exponent += i64::from(!behind_point);
        }
    }
    (mantissa, exponent, exact)
}

/// The digit at `bytes[at]`, if there is one.
#[inline(always)]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at).map(|byte| u64::from(byte.wrapping_sub(b'0'))).filter(|digit| *digit <= 9)
}

/// Appends the digits at `at` to `value`, and returns their end. Wraps around: the caller counts
/// them.
///
/// Takes eight bytes at a time, the last group too: bytes after the last digit are shifted out, so
/// the number of digits needs arithmetic and no branch. A branch predictor cannot predict the
/// lengths of numbers, and a wrong prediction costs more than all of this.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize, mut value: u64) -> (u64, usize) {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
        // The high bit of each byte that is not a digit: above 9 once the digits' bits are off.
        let above = (word & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676;
        let others = (above | word) & 0x8080_8080_8080_8080;
        if others == 0 {
            value = value.wrapping_mul(100_000_000).wrapping_add(eight_digits(word));
            at += 8;
            continue;
        }
        let count = others.trailing_zeros() as usize / 8;
        // Moves the digits to the end of the word, with zeros before them; in two steps, since a
        // shift by 64 is not allowed.
        let shifted = (word << 8) << (56 - 8 * count);
        value = value.wrapping_mul(TENS[count]).wrapping_add(eight_digits(shifted));
        return (value, at + count);
    }
    while let Some(digit) = digit(bytes, at) {
        value = value.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    (value, at)
}

/// The factor of a value to which this many digits are appended.
const TENS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The value of eight digits, one in each byte, the first in the lowest: neighbours are joined to
/// pairs, pairs to fours, fours to the whole.
#[inline(always)]
fn eight_digits(word: u64) -> u64 {
    const EVEN: u64 = 0x0000_00FF_0000_00FF;
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let high = (pairs & EVEN).wrapping_mul(100 + (1_000_000 << 32));
    let low = ((pairs >> 16) & EVEN).wrapping_mul(1 + (10_000 << 32));
    high.wrapping_add(low) >> 32
}

/// No digit where the number begins, or a 0 with digits after it.
#[cold]
#[inline(never)]
fn misbegun(bytes: &[u8], first: usize) -> Scanned {
    if bytes.get(first) == Some(&b'0') {
        let reason = "a number cannot begin with 0 followed by digits";
        return Scanned { end: first + 1, outcome: Outcome::Bad { at: first + 1, reason } };
    }
    digit_missing(bytes, first, "expected a digit after '-'")
}

/// No digit at `at`, where one must be.
#[cold]
#[inline(never)]
fn digit_missing(bytes: &[u8], at: usize, reason: &'static str) -> Scanned {
    let outcome = if at < bytes.len() { Outcome::Bad { at, reason } } else { Outcome::Unfinished };
    Scanned { end: at, outcome }
}

/// The integer that begins at `bytes[from]`, with the index after it, if it has up to seven digits
/// and a byte follows that cannot belong to it. Most numbers of most documents are like this. For
/// everything else, errors included, call [`scan`].
///
/// It loads eight bytes as one word, without a loop whose end the processor would have to predict.
///
/// ```
/// use penstock_core::value::number::short_int;
///
/// assert_eq!(short_int(b"-17, 0, 0, 0", 0), Some((-17, 3)));
/// assert_eq!(short_int(b"17", 0), None);
/// assert_eq!(short_int(b"1.5, 0, 0, 0", 0), None);
/// ```
#[inline(always)]
#[must_use]
pub fn short_int(bytes: &[u8], from: usize) -> Option<(i64, usize)> {
    const ZEROS: u64 = u64::from_le_bytes(*b"00000000");
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let negative = bytes.get(from) == Some(&b'-');
    let first = from + usize::from(negative);
    let word = u64::from_le_bytes(*bytes.get(first..)?.first_chunk()?);
    // A single digit, as many numbers are, needs none of the rest.
    let [digit, behind, ..] = word.to_le_bytes();
    if digit.is_ascii_digit() && matches!(behind, b',' | b'}' | b']') && !negative {
        return Some((i64::from(digit - b'0'), first + 1));
    }
    // The high bit of each byte that is not a digit: below '0' it borrows, above '9' it carries.
    let others = (word | (word ^ ZEROS).wrapping_add(0x7676_7676_7676_7676)) & HIGH;
    let count = (others.trailing_zeros() / 8) as usize;
    // None, or eight and perhaps more. The next byte must not belong to a longer number; `0` must
    // be alone, and `-0` is a special case.
    if count == 0 || count == 8 {
        return None;
    }
    let next = (word >> (8 * count)) as u8;
    let leading_zero = word as u8 == b'0' && (count > 1 || negative);
    if leading_zero || matches!(next, b'.' | b'e' | b'E') {
        return None;
    }
    // Zeros in front make them eight digits; then pairs, fours and all of them are joined.
    let digits = (word ^ ZEROS) << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let value = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF) as i64;
    Some((if negative { -value } else { value }, first + count))
}

/// The value and the end of a number of one to seven digits, a point and one to seven more, if
/// enough bytes follow it. Most numbers with a point are like this. Nothing for any other number,
/// which [`scan`] and [`to_f64`] then read from the beginning.
///
/// ```
/// use penstock_core::value::number::short_float;
///
/// assert_eq!(short_float(b"-1.25, 0, 0, 0", 0), Some((-1.25, 5)));
/// assert_eq!(short_float(b"-1.25", 0), None);
/// assert_eq!(short_float(b"1.25e3, 0, 0, 0", 0), None);
/// ```
#[inline(always)]
#[must_use]
pub fn short_float(bytes: &[u8], from: usize) -> Option<(f64, usize)> {
    let negative = bytes.get(from) == Some(&b'-');
    let first = from + usize::from(negative);
    let (whole, count, point) = short_digits(bytes, first)?;
    if point != b'.' || bytes[first] == b'0' && count > 1 {
        return None;
    }
    let (part, places, behind) = short_digits(bytes, first + count + 1)?;
    if matches!(behind, b'.' | b'e' | b'E') {
        return None;
    }
    // Clinger's case, as in `to_f64`: fewer than 15 digits.
    let mantissa = whole * TENS[places] + part;
    let size = mantissa as i64 as f64 / POWERS[places];
    let value = f64::from_bits(size.to_bits() | u64::from(negative) << 63);
    Some((value, first + count + 1 + places))
}

/// The value of all of a text of four to sixteen bytes, if it is such a number.
///
/// ```
/// use penstock_core::value::number::short_float_of;
///
/// assert_eq!(short_float_of(b"-1.25"), Some(-1.25));
/// assert_eq!(short_float_of(b"1234567.7654321"), Some(1234567.7654321));
/// assert_eq!(short_float_of(b"1.25x"), None);
/// assert_eq!(short_float_of(b"1.5"), None);
/// ```
#[inline(always)]
#[must_use]
pub fn short_float_of(text: &[u8]) -> Option<f64> {
    // In one word, with zeros behind: never stored, because it would be read at other places than
    // it was written.
    let mut word = match text.len() {
        8..=16 => {
            let first = u64::from_le_bytes(*text.first_chunk()?);
            let last = u64::from_le_bytes(*text.last_chunk()?);
            u128::from(first) | u128::from(last) << (8 * (text.len() - 8))
        }
        4..=7 => {
            let first = u32::from_le_bytes(*text.first_chunk()?);
            let last = u32::from_le_bytes(*text.last_chunk()?);
            u128::from(u64::from(first) | u64::from(last) << (8 * (text.len() - 4)))
        }
        _ => return None,
    };
    let negative = word as u8 == b'-';
    word >>= 8 * u32::from(negative);
    let (whole, count, point) = digits_of(word as u64)?;
    if point != b'.' || word as u8 == b'0' && count > 1 {
        return None;
    }
    word >>= 8 * (count + 1);
    let (part, places, _) = digits_of(word as u64)?;
    if usize::from(negative) + count + 1 + places != text.len() {
        return None;
    }
    let mantissa = whole * TENS[places] + part;
    let size = mantissa as i64 as f64 / POWERS[places];
    Some(f64::from_bits(size.to_bits() | u64::from(negative) << 63))
}

/// The value of all of a text of one to sixteen digits, if it is one.
///
/// ```
/// use penstock_core::value::number::short_digits_of;
///
/// assert_eq!(short_digits_of(b"007"), Some(7));
/// assert_eq!(short_digits_of(b"1234567890123456"), Some(1_234_567_890_123_456));
/// assert_eq!((short_digits_of(b""), short_digits_of(b"-1"), short_digits_of(b"1e3")), (None, None, None));
/// ```
#[inline(always)]
#[must_use]
pub fn short_digits_of(text: &[u8]) -> Option<u64> {
    // In one word without a loop, as above, with the last digit in the highest byte.
    let length = text.len();
    let word = match length {
        9..=16 => {
            let first = all_digits(u64::from_le_bytes(*text.first_chunk()?))?;
            let rest = length - 8;
            // Digits of the first eight come again, in the lowest bytes.
            let last = u64::from_le_bytes(*text.last_chunk()?) ^ ZEROS;
            let last = all_digits(last >> (64 - 8 * rest) << (64 - 8 * rest) ^ ZEROS)?;
            return Some(first * WIDE_TENS[rest] + last);
        }
        8 => u64::from_le_bytes(*text.first_chunk()?),
        4..=7 => {
            let first = u32::from_le_bytes(*text.first_chunk()?) ^ ZEROS as u32;
            let last = u32::from_le_bytes(*text.last_chunk()?) ^ ZEROS as u32;
            let (first, last) = (u64::from(first), u64::from(last));
            (first << (64 - 8 * length) | last << 32) ^ ZEROS
        }
        1..=3 => {
            let byte = |at: usize| u64::from(text[at] ^ b'0') << (64 - 8 * (length - at));
            (byte(0) | byte(length / 2) | byte(length - 1)) ^ ZEROS
        }
        _ => return None,
    };
    all_digits(word)
}

/// Eight times the digit zero.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The powers of ten up to 10^8.
const WIDE_TENS: [u64; 9] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The value of eight bytes, the first one lowest, if all of them are digits.
#[inline(always)]
fn all_digits(word: u64) -> Option<u64> {
    let digits = word ^ ZEROS;
    (no_digits(digits) == 0).then(|| eight_digits(digits))
}

/// The highest bit of each byte that is no digit from 0 to 9.
#[inline(always)]
fn no_digits(word: u64) -> u64 {
    let above = (word & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676;
    (above | word) & 0x8080_8080_8080_8080
}

/// One to seven digits: their value, how many there are, and the byte after them.
#[inline(always)]
fn short_digits(bytes: &[u8], at: usize) -> Option<(u64, usize, u8)> {
    digits_of(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The same of eight bytes, the first one lowest.
#[inline(always)]
fn digits_of(word: u64) -> Option<(u64, usize, u8)> {
    let digits = word ^ ZEROS;
    let count = (no_digits(digits).trailing_zeros() / 8) as usize;
    if count == 0 || count == 8 {
        return None;
    }
    let value = eight_digits(digits << (64 - 8 * count));
    Some((value, count, (word >> (8 * count)) as u8))
}

/// The powers of ten that are doubles.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The double nearest to a scanned number, ties to even. `raw` is the text that `outcome` was
/// scanned from, from its first byte to [`Scanned::end`].
///
/// Always the same bits as `str::parse::<f64>` of the text. Infinite if the number is beyond the
/// largest double; the caller decides what that means. `NaN` if it is not a number.
///
/// ```
/// use penstock_core::value::number::{scan, to_f64};
///
/// let value = |text: &[u8]| to_f64(scan(text, 0).outcome, text);
/// assert_eq!(value(b"-122.41941"), -122.41941);
/// assert_eq!(value(b"0.30000000000000000000000000000001"), 0.3);
/// assert!(value(b"-0").is_sign_negative());
/// assert_eq!(value(b"1e400"), f64::INFINITY);
/// ```
#[inline]
#[must_use]
pub fn to_f64(outcome: Outcome, raw: &[u8]) -> f64 {
    match outcome {
        Outcome::Int(value) => value as f64,
        Outcome::NegativeZero => -0.0,
        // Clinger's case: both factors are doubles, so the single operation rounds once.
        Outcome::Real { mantissa, exponent: exponent @ -22..=22, negative, exact: true }
            if mantissa <= 1 << 53 =>
        {
            let power = POWERS[exponent.unsigned_abs() as usize];
            let mantissa = mantissa as i64 as f64;
            let size = if exponent < 0 { mantissa / power } else { mantissa * power };
            // Without a branch, because signs are as good as random.
            f64::from_bits(size.to_bits() | u64::from(negative) << 63)
        }
        Outcome::Real { mantissa, exponent: exponent @ -27..=-1, negative, exact: true } => {
            match divided(mantissa, exponent.unsigned_abs() as usize) {
                Some(size) => f64::from_bits(size.to_bits() | u64::from(negative) << 63),
                None => nearest(raw),
            }
        }
        Outcome::Big | Outcome::Real { .. } => nearest(raw),
        Outcome::Bad { .. } | Outcome::Unfinished => f64::NAN,
    }
}

/// For each power of five that fits 64 bits: its length in bits, and the first 64 bits of its
/// reciprocal. The first entry, for 1, only makes the powers count from 0.
const RECIPROCALS: [(i32, u64); 28] = {
    let mut table = [(0, 0); 28];
    let (mut power, mut five) = (0, 1_u128);
    while power < table.len() {
        let length = 128 - five.leading_zeros();
        table[power] = (length as i32, ((1_u128 << (63 + length)) / five) as u64);
        five *= 5;
        power += 1;
    }
    table
};

/// `mantissa` divided by ten to the `power`, which is 1 to 27, rounded to the nearest double.
/// Nothing if 64 bits of the reciprocal are not enough, which happens once in a few hundred times.
///
/// Programs print numbers of 16 to 19 digits, which are beyond [Clinger's case](POWERS). This is
/// the method of Eisel and Lemire, reduced to the powers that need only one multiplication and
/// cannot give subnormal numbers.
#[inline]
fn divided(mantissa: u64, power: usize) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let (length, reciprocal) = RECIPROCALS[power];
    let zeros = mantissa.leading_zeros();
    let product = u128::from(mantissa << zeros) * u128::from(reciprocal);
    let high = (product >> 64) as u64;
    // The reciprocal was cut, so the true product is larger, by less than one unit of `high`. That
    // unit matters only if it carries through all bits below the one that decides on rounding. For
    // the same reason a tie cannot be detected: here it is a row of ones.
    if high & 0x1FF == 0x1FF {
        return None;
    }
    // 53 bits are kept, and the one below decides.
    let dropped = 11 - high.leading_zeros();
    let kept = ((high >> (dropped - 1)) + 1) >> 1;
    let two_to = dropped as i32 + 1 - zeros as i32 - length - power as i32;
    Some(kept as i64 as f64 * f64::from_bits(((1023 + two_to) as u64) << 52))
}

/// The standard library's result, which is right for numbers of any length.
#[inline(never)]
fn nearest(raw: &[u8]) -> f64 {
    let parsed = std::str::from_utf8(raw).ok().and_then(|text| text.parse().ok());
    debug_assert!(parsed.is_some(), "not the text of a number");
    parsed.unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests;
