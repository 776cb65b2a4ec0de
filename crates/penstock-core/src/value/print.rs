//! Values as text: the inverse of the parsers beside this module.
//!
//! Each function appends to a buffer that has room for [`LONGEST`] bytes more, unless it says that
//! it makes room itself. What it writes, the parser of the same type reads back as the same value.

use super::base64::Spelling;
use super::datetime::{Date, DateTime, Offset, Time};
use super::duration::Duration;
use super::unix::Unit;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use penstock_scan::Pen;

/// No value of a fixed form is longer than this.
pub const LONGEST: usize = 64;

/// The two digits of each number below 100.
static PAIRS: [[u8; 2]; 100] = pairs();

const fn pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
}

#[inline(always)]
fn two(number: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&PAIRS[number as usize % 100]);
}

/// An integer in digits.
#[inline(always)]
pub fn int(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// The same with a pen.
#[inline(always)]
pub fn int_with(value: i64, pen: &mut Pen<'_>) {
    const EIGHT: u64 = 100_000_000;
    if value < 0 {
        pen.put(*b"-", 1);
    }
    let value = value.unsigned_abs();
    if value < EIGHT {
        return leading(value as u32, pen);
    }
    let (above, below) = (value / EIGHT, (value % EIGHT) as u32);
    if above < EIGHT {
        leading(above as u32, pen);
    } else {
        leading((above / EIGHT) as u32, pen);
        pen.put(eight_digits((above % EIGHT) as u32).to_le_bytes(), 8);
    }
    pen.put(eight_digits(below).to_le_bytes(), 8);
}

/// A number of up to eight digits, without zeros before them.
#[inline(always)]
fn leading(number: u32, pen: &mut Pen<'_>) {
    let digits = eight_digits(number);
    // The mark is in the last byte: of zero one digit is left.
    let zeros = ((digits & 0x0F0F_0F0F_0F0F_0F0F) | 1 << 60).trailing_zeros() / 8;
    pen.put((digits >> (8 * zeros)).to_le_bytes(), 8 - zeros as usize);
}

/// The eight digits of a number below 10^8, the first in the lowest byte.
#[inline(always)]
fn eight_digits(number: u32) -> u64 {
    // Halves of four digits, pairs of two, single ones: all of a step at once in one register. The
    // divisions are multiplications, exact for numbers of so many digits.
    let halves = u64::from(number / 10_000) | u64::from(number % 10_000) << 32;
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | (halves - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | (pairs - 10 * tens) << 8;
    digits | 0x3030_3030_3030_3030
}

/// An integer of more bits in digits.
pub fn uint(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// A finite double in the fewest digits that read back as the same double, in the spelling of
/// Python's `repr`: `1.0`, `0.0001`, `1e-05`, `1e+16`.
///
/// ```
/// use penstock_core::value::print::float;
///
/// let mut out = Vec::new();
/// float(1e16, &mut out);
/// assert_eq!(out, b"1e+16");
/// ```
#[inline]
pub fn float(value: f64, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format_finite(value).as_bytes();
    // The two spellings differ for numbers with an exponent and below 0.0001.
    if value.abs() >= 1e-4 && value.abs() < 1e16 || value == 0.0 {
        out.extend_from_slice(digits);
    } else {
        float_with_exponent(value, out);
    }
}

/// The same with a pen.
#[inline(always)]
pub fn float_with(value: f64, pen: &mut Pen<'_>) {
    if few_decimals(value, pen) {
        return;
    }
    let mut buffer = zmij::Buffer::new();
    if value.abs() >= 1e-4 && value.abs() < 1e16 || value == 0.0 {
        pen.copy(buffer.format_finite(value).as_bytes());
    } else {
        let mut out = Vec::new();
        float_with_exponent(value, &mut out);
        pen.copy(&out);
    }
}

/// Prints a double that is a number with at most six decimals, below 10^8. False if it is none, and
/// nothing is printed.
///
/// Such a number has at most fourteen digits, and no two numbers with so few are the same double. So
/// these digits are the fewest. Coordinates, prices and measurements are such numbers.
#[inline]
fn few_decimals(value: f64, pen: &mut Pen<'_>) -> bool {
    const SCALE: u32 = 1_000_000;
    let size = value.abs();
    if !(1e-4..1e8).contains(&size) {
        return false;
    }
    let scaled = size * f64::from(SCALE);
    let whole = (scaled + 0.5) as i64;
    // The product is rounded by less than a fiftieth. The quotient is the nearest double, and that
    // decides, but it takes longer.
    let rounded = whole as f64;
    if (scaled - rounded).abs() > 0.02 || rounded / f64::from(SCALE) != size {
        return false;
    }
    if value < 0.0 {
        pen.put(*b"-", 1);
    }
    let whole = whole.unsigned_abs();
    leading((whole / u64::from(SCALE)) as u32, pen);
    // Six digits with a point before them, and no zeros at the end but for the first digit.
    let digits = eight_digits((whole % u64::from(SCALE)) as u32) >> 16;
    let zeros = ((digits & 0x0F0F_0F0F_0F0F) | 1).leading_zeros() / 8 - 2;
    pen.put((digits << 8 | u64::from(b'.')).to_le_bytes(), 7 - zeros as usize);
    true
}

#[cold]
#[inline(never)]
fn float_with_exponent(value: f64, out: &mut Vec<u8>) {
    let Shortest { digits, count, exponent, negative } = Shortest::of(value);
    if negative {
        out.push(b'-');
    }
    out.push(digits[0]);
    if count > 1 {
        out.push(b'.');
        out.extend_from_slice(&digits[1..count]);
    }
    out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
    let power = exponent.unsigned_abs();
    if power < 10 {
        out.push(b'0');
    }
    uint(u64::from(power), out);
}

/// A finite double as ECMAScript writes it (ECMA-262, Number::toString), which RFC 8785 asks for:
/// `1`, `0.000001`, `1e-7`, `1e+21`. Negative zero is `0`.
///
/// ```
/// use penstock_core::value::print::ecma_float;
///
/// let mut out = Vec::new();
/// ecma_float(1e20, &mut out);
/// assert_eq!(out, b"100000000000000000000");
/// ```
pub fn ecma_float(value: f64, out: &mut Vec<u8>) {
    if value == 0.0 {
        out.push(b'0');
        return;
    }
    let Shortest { digits, count, exponent, negative } = Shortest::of(value);
    let digits = &digits[..count];
    if negative {
        out.push(b'-');
    }
    // The place of the decimal point among the digits.
    let point = exponent + 1;
    let zeros = |count: i32| std::iter::repeat_n(b'0', count.unsigned_abs() as usize);
    match point {
        1..=21 if point >= count as i32 => {
            out.extend_from_slice(digits);
            out.extend(zeros(point - count as i32));
        }
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
        -5..=0 => {
            out.extend_from_slice(b"0.");
            out.extend(zeros(point));
            out.extend_from_slice(digits);
        }
        _ => {
            out.push(digits[0]);
            if count > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
            uint(u64::from(exponent.unsigned_abs()), out);
        }
    }
}

/// The shortest digits of a double that is not zero: `d.ddd` times ten to the exponent.
struct Shortest {
    digits: [u8; 24],
    count: usize,
    exponent: i32,
    negative: bool,
}

impl Shortest {
    fn of(value: f64) -> Self {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value.abs()).as_bytes();
        let (mantissa, power) = match text.iter().position(|&byte| byte == b'e') {
            Some(at) => (&text[..at], decimal(&text[at + 1..])),
            None => (text, 0),
        };
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let (mut digits, mut count, mut leading) = ([0; 24], 0, 0);
        for &byte in mantissa.iter().filter(|&&byte| byte != b'.') {
            if count == 0 && byte == b'0' {
                leading += 1;
            } else if count < digits.len() {
                digits[count] = byte;
                count += 1;
            }
        }
        while count > 1 && digits[count - 1] == b'0' {
            count -= 1;
        }
        let exponent = power + point as i32 - 1 - leading;
        Shortest { digits, count, exponent, negative: value.is_sign_negative() }
    }
}

/// The number of an exponent: a sign, or none, and digits.
fn decimal(text: &[u8]) -> i32 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let number = digits.fold(0, |number, &digit| number * 10 + i32::from(digit - b'0'));
    if text.first() == Some(&b'-') { -number } else { number }
}

/// A date as RFC 3339 writes it.
pub fn date(Date { year, month, day }: Date, out: &mut Vec<u8>) {
    two((year / 100) as u8, out);
    two((year % 100) as u8, out);
    out.push(b'-');
    two(month, out);
    out.push(b'-');
    two(day, out);
}

/// A time as RFC 3339 writes it: without a fraction if there is none, else with six digits. An
/// offset with seconds is written as Python's `isoformat` does, because RFC 3339 has none.
pub fn time(time: Time, out: &mut Vec<u8>) {
    let Time { hour, minute, second, microsecond, offset } = time;
    two(hour, out);
    out.push(b':');
    two(minute, out);
    out.push(b':');
    two(second, out);
    fraction(microsecond, out);
    match offset {
        None => {}
        Some(Offset::Utc) => out.push(b'Z'),
        Some(Offset::Minutes(east)) => self::offset(i64::from(east) * 60_000_000, out),
        Some(Offset::Microseconds(east)) => self::offset(east, out),
    }
}

fn offset(east: i64, out: &mut Vec<u8>) {
    out.push(if east < 0 { b'-' } else { b'+' });
    let (seconds, microseconds) =
        (east.unsigned_abs() / 1_000_000, east.unsigned_abs() % 1_000_000);
    two((seconds / 3_600) as u8, out);
    out.push(b':');
    two((seconds / 60 % 60) as u8, out);
    if seconds % 60 != 0 || microseconds != 0 {
        out.push(b':');
        two((seconds % 60) as u8, out);
        fraction(microseconds as u32, out);
    }
}

fn fraction(microseconds: u32, out: &mut Vec<u8>) {
    if microseconds != 0 {
        out.push(b'.');
        two((microseconds / 10_000) as u8, out);
        two((microseconds / 100 % 100) as u8, out);
        two((microseconds % 100) as u8, out);
    }
}

/// A date and a time as RFC 3339 writes them, with a `T` in between.
pub fn datetime(DateTime { date, time }: DateTime, out: &mut Vec<u8>) {
    self::date(date, out);
    out.push(b'T');
    self::time(time, out);
}

/// A duration as ISO 8601 writes it: `P1DT2H3M4.5S`, `-PT1S`, `PT0S`.
pub fn duration(Duration { days, seconds, microseconds }: Duration, out: &mut Vec<u8>) {
    const DAY: i64 = 86_400;
    let mut whole = i64::from(days) * DAY + i64::from(seconds);
    let mut rest = i64::from(microseconds);
    if whole < 0 {
        out.push(b'-');
        (whole, rest) = if rest == 0 { (-whole, 0) } else { (-whole - 1, 1_000_000 - rest) };
    }
    out.push(b'P');
    if whole >= DAY {
        int(whole / DAY, out);
        out.push(b'D');
    }
    let (hours, minutes, seconds) = (whole % DAY / 3_600, whole % 3_600 / 60, whole % 60);
    if whole % DAY == 0 && rest == 0 && whole != 0 {
        return;
    }
    out.push(b'T');
    if hours != 0 {
        int(hours, out);
        out.push(b'H');
    }
    if minutes != 0 {
        int(minutes, out);
        out.push(b'M');
    }
    if seconds != 0 || rest != 0 || whole == 0 {
        int(seconds, out);
        fraction(rest as u32, out);
        out.push(b'S');
    }
}

/// A UUID as RFC 9562 writes it.
pub fn uuid(bytes: [u8; 16], out: &mut Vec<u8>) {
    for (place, byte) in bytes.into_iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        hex_byte(byte, out);
    }
}

/// Bytes as pairs of hexadecimal digits, in lower case. The buffer needs room for two bytes each.
pub fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    bytes.iter().for_each(|&byte| hex_byte(byte, out));
}

/// Bytes as a spelling of base64. The buffer needs room for four bytes for each three.
pub fn base64_as(bytes: &[u8], spelling: Spelling, out: &mut Vec<u8>) {
    let before = out.len();
    base64(bytes, out);
    if spelling == Spelling::Url {
        for byte in &mut out[before..] {
            *byte = match *byte {
                b'+' => b'-',
                b'/' => b'_',
                other => other,
            };
        }
    }
    if spelling != Spelling::Standard {
        let padding = out.iter().rev().take_while(|&&byte| byte == b'=').count();
        out.truncate((out.len() - padding).max(before));
    }
}

/// Bytes as base64 in lines of 76 characters, as MIME has it (RFC 2045, section 6.8). The buffer
/// needs room for six bytes for each three.
pub fn base64_in_lines(bytes: &[u8], out: &mut Vec<u8>) {
    for (line, part) in bytes.chunks(57).enumerate() {
        if line > 0 {
            out.extend_from_slice(b"\r\n");
        }
        base64(part, out);
    }
}

/// Bytes as base64 with its padding (RFC 4648, section 4). The buffer needs room for four bytes for
/// each three.
pub fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    let before = out.len();
    out.resize(before + bytes.len().div_ceil(3) * 4, b'=');
    let written = STANDARD.encode_slice(bytes, &mut out[before..]).unwrap_or_default();
    debug_assert_eq!(before + written, out.len());
}

#[inline(always)]
fn hex_byte(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// An instant as the number of units since the beginning of 1970: in whole units, or with the
/// digits of a fraction that are needed. Nothing if the value has no offset, and so is no instant.
///
/// ```
/// use penstock_core::value::datetime::datetime;
/// use penstock_core::value::print::instant;
/// use penstock_core::value::unix::Unit;
///
/// let mut out = Vec::new();
/// let value = datetime(b"2026-01-01T00:00:00.25Z").unwrap();
/// assert!(instant(value, Unit::Seconds, &mut out));
/// assert_eq!(out, b"1767225600.25");
/// ```
pub fn instant(value: DateTime, unit: Unit, out: &mut Vec<u8>) -> bool {
    let Some(microseconds) = super::unix::microseconds(value) else { return false };
    let (each, places) = match unit {
        Unit::Seconds => (1_000_000, 6),
        Unit::Milliseconds => (1_000, 3),
        Unit::Microseconds => (1, 0),
        Unit::Nanoseconds => {
            let mut digits = itoa::Buffer::new();
            out.extend_from_slice(digits.format(i128::from(microseconds) * 1_000).as_bytes());
            return true;
        }
    };
    if microseconds < 0 {
        out.push(b'-');
    }
    let (whole, mut rest) =
        (microseconds.unsigned_abs() / each, microseconds.unsigned_abs() % each);
    uint(whole, out);
    if rest != 0 {
        out.push(b'.');
        let mut width = places;
        while rest % 10 == 0 {
            rest /= 10;
            width -= 1;
        }
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(rest).as_bytes();
        out.extend(std::iter::repeat_n(b'0', width - digits.len()));
        out.extend_from_slice(digits);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{base64 as read_base64, datetime as read, duration as read_duration};
    use super::super::{fixed, hex as read_hex, unix, uuid as read_uuid};
    use super::*;
    use proptest::prelude::*;

    fn printed_long(print: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        print(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn printed(print: impl FnOnce(&mut Vec<u8>)) -> String {
        let text = printed_long(print);
        assert!(text.len() <= LONGEST);
        text
    }

    proptest! {
        #[test]
        fn few_decimals_as_the_shortest_digits(
            whole in prop_oneof![0_i64..200, any::<u32>().prop_map(i64::from), 0..1_i64 << 47],
            decimals in 0..9_i32,
            off in -2..3_i64,
            negative in any::<bool>(),
        ) {
            let near = whole as f64 / 10_f64.powi(decimals);
            let near = f64::from_bits(near.to_bits().saturating_add_signed(off));
            let value = if negative { -near } else { near };
            prop_assume!(value.is_finite());
            let (mut out, mut naive) = (Vec::new(), Vec::new());
            float_with(value, &mut Pen::new(&mut out, penstock_scan::Chosen::best()));
            float(value, &mut naive);
            prop_assert_eq!(String::from_utf8(out), String::from_utf8(naive));
        }
    }

    #[test]
    fn floats_as_repr() {
        let cases: [(f64, &str, &str); 21] = [
            (0.0, "0.0", "0"),
            (-0.0, "-0.0", "0"),
            (1.0, "1.0", "1"),
            (-1.5, "-1.5", "-1.5"),
            (0.1, "0.1", "0.1"),
            (100.0, "100.0", "100"),
            (1e-4, "0.0001", "0.0001"),
            (1e-5, "1e-05", "0.00001"),
            (1.5e-5, "1.5e-05", "0.000015"),
            (1e-6, "1e-06", "0.000001"),
            (1e-7, "1e-07", "1e-7"),
            (-1.25e-10, "-1.25e-10", "-1.25e-10"),
            (1e15, "1000000000000000.0", "1000000000000000"),
            (9_007_199_254_740_993.0, "9007199254740992.0", "9007199254740992"),
            (1e16, "1e+16", "10000000000000000"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568e+17", "123456789012345680"),
            (1e20, "1e+20", "100000000000000000000"),
            (1e21, "1e+21", "1e+21"),
            (1e100, "1e+100", "1e+100"),
            (5e-324, "5e-324", "5e-324"),
            (f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308"),
        ];
        for (value, repr, ecma) in cases {
            assert_eq!(printed(|out| float(value, out)), repr);
            assert_eq!(printed(|out| ecma_float(value, out)), ecma);
        }
    }

    fn penned(write: impl Fn(&mut Pen<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Pen::new(&mut out, penstock_scan::Chosen::best()));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_of_each_length() {
        for power in 0..19 {
            let ten = 10_i64.pow(power);
            for value in [ten, ten - 1, ten + 1, ten * 9, ten / 2, -ten, i64::MAX, i64::MIN] {
                assert_eq!(penned(|pen| int_with(value, pen)), value.to_string());
            }
        }
        for value in 0..100_000 {
            assert_eq!(penned(|pen| int_with(value, pen)), value.to_string());
        }
    }

    #[test]
    fn durations_as_iso() {
        let cases = [
            (0, 0, 0, "PT0S"),
            (1, 0, 0, "P1D"),
            (1, 7_384, 500_000, "P1DT2H3M4.500000S"),
            (-1, 86_399, 0, "-PT1S"),
            (-1, 86_399, 999_999, "-PT0.000001S"),
            (-1, 0, 0, "-P1D"),
            (-2, 43_200, 0, "-P1DT12H"),
            (0, 3_600, 0, "PT1H"),
            (999_999_999, 86_399, 999_999, "P999999999DT23H59M59.999999S"),
            (-999_999_999, 0, 0, "-P999999999D"),
        ];
        for (days, seconds, microseconds, text) in cases {
            let value = Duration { days, seconds, microseconds };
            assert_eq!(printed(|out| duration(value, out)), text);
            assert_eq!(read_duration::duration(text.as_bytes()), Ok(value));
        }
    }

    fn times() -> impl Strategy<Value = Time> {
        let offset = prop_oneof![
            Just(None),
            Just(Some(Offset::Utc)),
            (-1_439_i16..=1_439).prop_map(|minutes| Some(Offset::Minutes(minutes))),
        ];
        (0_u8..24, 0_u8..60, 0_u8..60, 0_u32..1_000_000, any::<bool>(), offset).prop_map(
            |(hour, minute, second, microsecond, whole, offset)| {
                let microsecond = if whole { 0 } else { microsecond };
                Time { hour, minute, second, microsecond, offset }
            },
        )
    }

    fn dates() -> impl Strategy<Value = Date> {
        (1_u16..=9_999, 1_u8..=12, 1_u8..=28).prop_map(|(year, month, day)| Date {
            year,
            month,
            day,
        })
    }

    proptest! {
        #![proptest_config(fixed(2_000))]

        #[test]
        fn floats_read_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [printed(|out| float(value, out)), printed(|out| ecma_float(value, out))] {
                prop_assert_eq!(text.parse::<f64>().unwrap(), value);
            }
        }

        #[test]
        fn numbers_as_without_a_pen(bits in any::<u64>(), shift in 0_u32..64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(penned(|pen| float_with(value, pen)), printed(|out| float(value, out)));
            let value = bits as i64 >> shift;
            prop_assert_eq!(penned(|pen| int_with(value, pen)), printed(|out| int(value, out)));
        }

        #[test]
        fn times_read_back(date in dates(), time in times()) {
            let value = DateTime { date, time };
            let text = printed(|out| datetime(value, out));
            prop_assert_eq!(read::datetime(text.as_bytes()), Ok(value));
            let text = printed(|out| self::time(time, out));
            prop_assert_eq!(read::time(text.as_bytes()), Ok(time));
            let text = printed(|out| self::date(date, out));
            prop_assert_eq!(read::date(text.as_bytes()), Ok(date));
        }

        #[test]
        fn durations_read_back(
            days in -999_999_999..=999_999_999_i32,
            small in -3..=3_i32,
            seconds in 0_u32..86_400,
            microseconds in prop_oneof![Just(0), 0_u32..1_000_000],
        ) {
            for days in [days, small] {
                let value = Duration { days, seconds, microseconds };
                let text = printed(|out| duration(value, out));
                prop_assert_eq!(read_duration::duration(text.as_bytes()), Ok(value));
            }
        }

        #[test]
        fn bytes_read_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = printed_long(|out| base64(&bytes, out));
            let mut back = Vec::new();
            prop_assert_eq!(read_base64::decode(text.as_bytes(), &mut back), Ok(()));
            prop_assert_eq!(&back, &bytes);
            back.clear();
            let text = printed_long(|out| hex(&bytes, out));
            prop_assert!(read_hex::decode(text.as_bytes(), &mut back));
            prop_assert_eq!(&back, &bytes);
        }

        #[test]
        fn uuids_read_back(value in any::<u128>()) {
            let text = printed(|out| uuid(value.to_be_bytes(), out));
            prop_assert_eq!(read_uuid::uuid(text.as_bytes()), Some(value));
        }

        #[test]
        fn instants_read_back(date in dates(), time in times()) {
            let value = DateTime { date, time };
            for unit in [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds] {
                let mut out = Vec::new();
                prop_assert_eq!(instant(value, unit, &mut out), time.offset.is_some());
                if time.offset.is_some() {
                    let back = unix::instant(&out, unit);
                    // An instant near either end may be in no year of its own in UTC.
                    if let Ok(back) = back {
                        prop_assert_eq!(unix::microseconds(back), unix::microseconds(value));
                    } else {
                        prop_assert!(matches!(date.year, 1 | 9_999));
                    }
                }
            }
        }
    }
}
