//! Converts text by the lexical forms of XML Schema.
//!
//! An element or an attribute holds text, and the field decides its type. White space around a
//! value is ignored ([`trimmed`]); inside, only the type's form may have it. Dates and times are
//! those of [`datetime`](super::datetime), which accepts a little more than the schema does, so
//! that all formats share one spelling.

use super::base64;
use super::number::{scan, short_digits_of, to_f64};

/// The text without the white space around it. That equals collapsing white space, because no form
/// below has any inside.
///
/// ```
/// use penstock_core::value::xsd::trimmed;
///
/// assert_eq!(trimmed(b"\n  12\t"), b"12");
/// assert_eq!(trimmed(b" \r\n"), b"");
/// ```
#[inline]
#[must_use]
pub fn trimmed(text: &[u8]) -> &[u8] {
    // Most values have none.
    match text {
        [first, .., last] if *first > b' ' && *last > b' ' => text,
        _ => {
            let behind = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
            let text = &text[behind..];
            let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
            &text[..end]
        }
    }
}

/// White space of XML. No other character counts: a no-break space is content.
#[inline]
#[must_use]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// `true`, `false`, `1` or `0`.
///
/// ```
/// use penstock_core::value::xsd::boolean;
///
/// assert_eq!(boolean(b"1"), Some(true));
/// assert_eq!(boolean(b"True"), None);
/// ```
#[inline]
#[must_use]
pub fn boolean(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"1" => Some(true),
        b"false" | b"0" => Some(false),
        _ => None,
    }
}

/// An integer of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer<'a> {
    /// One that fits into 64 bits.
    Small(i64),
    /// One that does not.
    Big {
        /// Whether it is below zero.
        negative: bool,
        /// Its digits, without leading zeros.
        digits: &'a [u8],
    },
}

/// Parses all of `text` as an integer: an optional sign, and digits, leading zeros included.
///
/// ```
/// use penstock_core::value::xsd::{Integer, integer};
///
/// assert_eq!(integer(b"+007"), Some(Integer::Small(7)));
/// assert_eq!(integer(b"-9223372036854775808"), Some(Integer::Small(i64::MIN)));
/// let digits = b"9223372036854775808";
/// assert_eq!(integer(digits), Some(Integer::Big { negative: false, digits }));
/// assert_eq!(integer(b"1.0"), None);
/// ```
#[inline]
#[must_use]
pub fn integer(text: &[u8]) -> Option<Integer<'_>> {
    let (negative, mut digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if let Some(value) = short_digits_of(digits) {
        let value = value.cast_signed();
        return Some(Integer::Small(if negative { -value } else { value }));
    }
    if digits.is_empty() {
        return None;
    }
    if digits.len() > FIT {
        let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
        digits = &digits[zeros.min(digits.len() - 1)..];
    }
    if digits.len() > FIT {
        return big(negative, digits);
    }
    let mut value = 0_i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(Integer::Small(if negative { -value } else { value }))
}

/// The number of digits that always fit into 64 bits.
const FIT: usize = 18;

#[cold]
fn big(negative: bool, digits: &[u8]) -> Option<Integer<'_>> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut value = 0_i64;
    for byte in digits {
        let digit = i64::from(byte - b'0');
        let next = value.checked_mul(10).and_then(|value| {
            if negative { value.checked_sub(digit) } else { value.checked_add(digit) }
        });
        match next {
            Some(next) => value = next,
            None => return Some(Integer::Big { negative, digits }),
        }
    }
    Some(Integer::Small(value))
}

/// The double nearest to all of `text`, ties to even: an optional sign, digits with an optional
/// point, at least one of them, an optional exponent; or `INF`, `+INF`, `-INF`, `NaN`. A number
/// beyond the largest double is infinite here; the caller decides what that means: see
/// [`is_infinity`].
///
/// ```
/// use penstock_core::value::xsd::float;
///
/// assert_eq!(float(b"-.5"), Some(-0.5));
/// assert_eq!(float(b"+12.E-1"), Some(1.2));
/// assert_eq!(float(b"-INF"), Some(f64::NEG_INFINITY));
/// assert!(float(b"NaN").is_some_and(f64::is_nan));
/// assert_eq!(float(b"inf"), None);
/// assert_eq!(float(b"."), None);
/// ```
#[inline]
#[must_use]
pub fn float(text: &[u8]) -> Option<f64> {
    if matches!(text.first(), Some(b'0'..=b'9' | b'-')) {
        let scanned = scan(text, 0);
        if scanned.end == text.len() && scanned.outcome.shape().is_some() {
            return Some(to_f64(scanned.outcome, text));
        }
    }
    float_rarely(text)
}

/// The values that JSON has no number for.
#[inline(never)]
fn float_rarely(text: &[u8]) -> Option<f64> {
    match text {
        b"NaN" => return Some(f64::NAN),
        b"INF" | b"+INF" => return Some(f64::INFINITY),
        b"-INF" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let e = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
    if !is_decimal(&text[..e]) || (e < text.len() && !is_signed(&text[e + 1..])) {
        return None;
    }
    // The standard library reads all of these forms, and rounds correctly.
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether the text names an infinity, and is not a number that is too large.
///
/// ```
/// use penstock_core::value::xsd::is_infinity;
///
/// assert!(is_infinity(b"-INF"));
/// assert!(!is_infinity(b"1e400"));
/// ```
#[must_use]
pub fn is_infinity(text: &[u8]) -> bool {
    text.ends_with(b"F")
}

/// An optional sign, and digits.
fn is_signed(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether all of `text` is a decimal number: an optional sign and digits, with an optional point
/// before, between or after them.
///
/// ```
/// use penstock_core::value::xsd::is_decimal;
///
/// assert!(is_decimal(b"+.50"));
/// assert!(is_decimal(b"-007."));
/// assert!(!is_decimal(b"1e3"));
/// ```
#[must_use]
pub fn is_decimal(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let points = rest.iter().filter(|byte| **byte == b'.').count();
    let digits = rest.iter().filter(|byte| byte.is_ascii_digit()).count();
    digits > 0 && points < 2 && digits + points == rest.len()
}

/// Appends the bytes of the base64 `text` to `out`. White space may be anywhere, because files
/// break their lines anywhere.
///
/// ```
/// use penstock_core::value::xsd::base64_binary;
///
/// let mut out = Vec::new();
/// base64_binary(b"cGVu\n  c3Rv Y2s=", &mut out)?;
/// assert_eq!(out, b"penstock");
/// # Ok::<(), penstock_core::value::base64::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text, at its position in the text as it was given.
pub fn base64_binary(text: &[u8], out: &mut Vec<u8>) -> Result<(), base64::Reason> {
    base64_in_lines(text, base64::Spelling::Standard, out)
}

/// As [`base64_binary`], in another spelling.
pub(super) fn base64_in_lines(
    text: &[u8],
    spelling: base64::Spelling,
    out: &mut Vec<u8>,
) -> Result<(), base64::Reason> {
    if !text.iter().any(|byte| is_space(*byte)) {
        return base64::decode_as(text, spelling, out);
    }
    let dense: Vec<u8> = text.iter().copied().filter(|byte| !is_space(*byte)).collect();
    base64::decode_as(&dense, spelling, out).map_err(|mut reason| {
        let mut places = text.iter().enumerate().filter(|(_, byte)| !is_space(**byte));
        reason.at = places.nth(reason.at).map_or(text.len(), |(place, _)| place);
        reason
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use proptest::prelude::*;

    #[test]
    fn only_white_space_of_xml_is_trimmed() {
        for (text, left) in [
            ("", ""),
            (" ", ""),
            ("a", "a"),
            (" a", "a"),
            ("a\n", "a"),
            ("\t a b \r\n", "a b"),
            ("\u{a0}1\u{a0}", "\u{a0}1\u{a0}"),
            ("\u{b}1", "\u{b}1"),
            (" \u{b}1 ", "\u{b}1"),
        ] {
            assert_eq!(trimmed(text.as_bytes()), left.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_fault_in_base64_stands_where_it_is_in_the_text() {
        let mut out = Vec::new();
        let reason = base64_binary(b"QU JD\n*A==", &mut out).expect_err("there is a '*' in it");
        assert_eq!(reason.at, 6);
        let reason = base64_binary(b"QQ = \n", &mut out).expect_err("padding is missing");
        assert_eq!((reason.at, reason.message()), (6, "padding '=' is missing"));
        assert!(out.is_empty());
    }

    proptest! {
        #![proptest_config(fixed(4_000))]

        #[test]
        fn integers_are_those_of_the_standard_library(text in "[+-]?[0-9]{1,25}|[+-]?0{0,30}[0-9]{0,20}|.{0,4}") {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
            let well_formed = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let found = integer(text.as_bytes());
            prop_assert_eq!(found.is_some(), well_formed);
            let fits = text.parse::<i128>().ok().map(i64::try_from);
            match found {
                Some(Integer::Small(value)) => prop_assert_eq!(fits, Some(Ok(value))),
                Some(Integer::Big { negative, digits }) => {
                    prop_assert!(!matches!(fits, Some(Ok(_))));
                    prop_assert_eq!(negative, text.starts_with('-'));
                    let own = text.trim_start_matches(['+', '-']).trim_start_matches('0');
                    prop_assert_eq!(digits, own.as_bytes());
                }
                None => {}
            }
        }

        #[test]
        fn floats_are_those_of_the_standard_library(
            text in r"[+-]?([0-9]{1,22}(\.[0-9]{0,22})?|\.[0-9]{1,22})([eE][+-]?[0-9]{1,3})?",
        ) {
            let expected: f64 = text.parse().expect("a number");
            let found = float(text.as_bytes()).expect("a number");
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
        }

        #[test]
        fn what_is_no_float_is_refused(text in "[-+0-9.eEINFa]{0,7}|.{0,4}") {
            // Rust also accepts "inf", "nan" and "infinity", in any case.
            let named = matches!(&*text, "NaN" | "INF" | "+INF" | "-INF");
            let letters = text.bytes().any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E'));
            let expected = named || (!letters && text.parse::<f64>().is_ok());
            prop_assert_eq!(float(text.as_bytes()).is_some(), expected, "{}", text);
        }

        #[test]
        fn decimals_are_floats_without_an_exponent(text in "[-+0-9.e]{0,6}") {
            let expected = !text.contains('e') && text.parse::<f64>().is_ok();
            prop_assert_eq!(is_decimal(text.as_bytes()), expected);
        }
    }
}
