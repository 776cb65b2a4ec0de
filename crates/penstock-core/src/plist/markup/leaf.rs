//! The values of elements that have only text.

use penstock_scan::make_room;

use crate::value::base64;
use crate::value::datetime::{self, DateTime};
use crate::value::number::{Outcome, scan, to_f64};
use crate::value::xsd::{is_space, trimmed};

/// An integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Small(i64),
    /// One beyond 64 bits: its digits are in the buffer.
    Big,
}

/// Why a text is no value: the fault's reason, and whether a limit is the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    Form(String),
    Limit(String),
}

#[cold]
fn form(reason: &str) -> Bad {
    Bad::Form(reason.to_owned())
}

#[cold]
fn too_long(most: usize) -> Bad {
    Bad::Limit(format!("a number longer than {most} bytes (limits.number)"))
}

/// The integer that is written as `text`. White space may be around it, a sign and zeros before its
/// digits. After `0x` the digits are hexadecimal.
#[inline]
pub(super) fn integer(text: &[u8], most: usize, digits: &mut Vec<u8>) -> Result<Integer, Bad> {
    if text.len() <= most {
        let found = scan(text, 0);
        if found.end == text.len() {
            match found.outcome {
                Outcome::Int(value) => return Ok(Integer::Small(value)),
                Outcome::NegativeZero => return Ok(Integer::Small(0)),
                _ => {}
            }
        }
    }
    rare_integer(trimmed(text), most, digits)
}

#[cold]
fn rare_integer(text: &[u8], most: usize, digits: &mut Vec<u8>) -> Result<Integer, Bad> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, rest) = match rest {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        rest => (10, rest),
    };
    let valid = |byte: &u8| char::from(*byte).is_digit(radix);
    if rest.is_empty() || !rest.iter().all(valid) {
        return Err(form("<integer> has no integer"));
    }
    if rest.len() > most {
        return Err(too_long(most));
    }
    let zeros = rest.iter().take_while(|byte| **byte == b'0').count();
    let rest = &rest[zeros..];
    // At most 38 digits fit into 128 bits, whatever they are.
    let short = rest.len() <= if radix == 16 { 32 } else { 38 };
    if !short && radix == 16 {
        return Err(form("<integer> has more than 128 bits in hexadecimal"));
    }
    digits.clear();
    if short {
        let mut size: u128 = 0;
        for byte in rest {
            let digit = char::from(*byte).to_digit(radix).unwrap_or(0);
            size = size * u128::from(radix) + u128::from(digit);
        }
        let least = u128::from(i64::MIN.unsigned_abs());
        if negative && size <= least {
            return Ok(Integer::Small((size as i64).wrapping_neg()));
        }
        if let (false, Ok(value)) = (negative, i64::try_from(size)) {
            return Ok(Integer::Small(value));
        }
        let size = size.to_string();
        make_room(digits, size.len() + 1);
        if negative {
            digits.push(b'-');
        }
        digits.extend_from_slice(size.as_bytes());
        return Ok(Integer::Big);
    }
    make_room(digits, rest.len() + 1);
    if negative {
        digits.push(b'-');
    }
    digits.extend_from_slice(rest);
    Ok(Integer::Big)
}

/// The double that is written as `text`. White space may be around it, and the point needs digits
/// on one side only. `nan`, `inf` and `infinity` are in any case, with or without a sign.
#[inline]
pub(super) fn real(text: &[u8], most: usize) -> Result<f64, Bad> {
    if text.len() <= most {
        let found = scan(text, 0);
        if found.end == text.len() {
            let value = to_f64(found.outcome, text);
            if value.is_finite() {
                return Ok(value);
            }
        }
    }
    rare_real(trimmed(text), most)
}

#[cold]
fn rare_real(text: &[u8], most: usize) -> Result<f64, Bad> {
    if text.len() > most {
        return Err(too_long(most));
    }
    let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    match parsed {
        None => Err(form("<real> has no number")),
        Some(value) if value.is_infinite() && text.iter().any(u8::is_ascii_digit) => {
            Err(form("<real> has a number beyond the range of a double"))
        }
        Some(value) => Ok(value),
    }
}

/// The instant that is written as `text`: `2004-10-26T10:33:33Z`. White space may be around it.
/// Seconds, minutes and hours may be absent, the smallest first.
#[inline]
pub(super) fn date(text: &[u8]) -> Result<DateTime, Bad> {
    let text = trimmed(text);
    const FORM: &[u8; 20] = b"0000-00-00T00:00:00Z";
    let mut whole = *FORM;
    let written = match text {
        [written @ .., b'Z'] if matches!(written.len(), 10 | 13 | 16 | 19) => written,
        _ => return Err(form(NO_DATE)),
    };
    whole[..written.len()].copy_from_slice(written);
    let fits = whole.iter().zip(FORM).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    if !fits {
        return Err(form(NO_DATE));
    }
    datetime::datetime(&whole)
        .map_err(|reason| Bad::Form(format!("<date> has no date: {}", reason.message())))
}

const NO_DATE: &str = "<date> has no date like 2004-10-26T10:33:33Z";

/// Puts the bytes that are written as `text` in base64 into `bytes`. White space may be anywhere.
pub(super) fn data(text: &[u8], dense: &mut Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), Bad> {
    dense.clear();
    bytes.clear();
    let text = if text.iter().any(|byte| is_space(*byte)) {
        make_room(dense, text.len());
        dense.extend(text.iter().copied().filter(|byte| !is_space(*byte)));
        &**dense
    } else {
        text
    };
    base64::decode(text, bytes)
        .map_err(|reason| Bad::Form(format!("<data> has no base64: {}", reason.message())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Result<String, Bad> {
        let mut digits = Vec::new();
        Ok(match integer(text.as_bytes(), 50, &mut digits)? {
            Integer::Small(value) => value.to_string(),
            Integer::Big => String::from_utf8(digits).expect("digits are ASCII"),
        })
    }

    #[test]
    fn integers_are_decimal_or_hexadecimal() {
        for (text, value) in [
            ("0", "0"),
            ("-0", "0"),
            (" \n7\t", "7"),
            ("+7", "7"),
            ("007", "7"),
            ("-007", "-7"),
            ("0x1F", "31"),
            ("0XfF", "255"),
            ("-0x10", "-16"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775809", "-9223372036854775809"),
            ("18446744073709551615", "18446744073709551615"),
            ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"),
            ("-0x8000000000000000", "-9223372036854775808"),
            ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
            ("0099999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            (
                "-1234567890123456789012345678901234567890",
                "-1234567890123456789012345678901234567890",
            ),
        ] {
            assert_eq!(int(text).as_deref(), Ok(value), "{text}");
        }
        for text in ["", " ", "-", "+", "0x", "1.0", "1e2", "0xg", "1 2", "--1", "1_000", "\u{661}"]
        {
            assert_eq!(int(text), Err(form("<integer> has no integer")), "{text}");
        }
        let long = format!("0x{}", "f".repeat(33));
        assert_eq!(int(&long), Err(form("<integer> has more than 128 bits in hexadecimal")));
        assert_eq!(int(&"1".repeat(51)), Err(too_long(50)));
    }

    #[test]
    fn reals_may_be_no_numbers() {
        for (text, value) in [
            ("0", 0.0),
            ("-0", -0.0),
            ("1.5", 1.5),
            (" -2.5e-3\n", -0.0025),
            ("+1", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("007", 7.0),
            ("0.30000000000000000000000000000001", 0.3),
            ("+infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("inf", f64::INFINITY),
            ("1e-400", 0.0),
        ] {
            let found = real(text.as_bytes(), 50).map(f64::to_bits);
            assert_eq!(found, Ok(value.to_bits()), "{text}");
        }
        assert!(real(b"nan", 50).is_ok_and(f64::is_nan));
        assert!(real(b"-NaN", 50).is_ok_and(f64::is_nan));
        for text in ["", ".", "1e", "0x10", "1 2", "1_0", "1,5", "\u{661}", "infin"] {
            assert_eq!(real(text.as_bytes(), 50), Err(form("<real> has no number")), "{text}");
        }
        let beyond = Err(form("<real> has a number beyond the range of a double"));
        assert_eq!(real(b"1e400", 50), beyond);
        assert_eq!(real(b"-1e400", 50), beyond);
        assert_eq!(real(&[b'1'; 51], 50), Err(too_long(50)));
    }

    #[test]
    fn dates_are_in_utc() {
        let whole = |text: &str| datetime::datetime(text.as_bytes()).map_err(|_| form(""));
        for (text, same) in [
            ("2004-10-26T10:33:33Z", "2004-10-26T10:33:33Z"),
            ("\n 2004-10-26T10:33:33Z ", "2004-10-26T10:33:33Z"),
            ("2004-10-26T10:33Z", "2004-10-26T10:33:00Z"),
            ("2004-10-26T10Z", "2004-10-26T10:00:00Z"),
            ("2004-10-26Z", "2004-10-26T00:00:00Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(date(text.as_bytes()), whole(same), "{text}");
        }
        for text in [
            "",
            "Z",
            "2004Z",
            "2004-10Z",
            "2004-10-26T10:33:33",
            "2004-10-26T10:33:33z",
            "2004-10-26 10:33:33Z",
            "2004-10-26T10:33:33.5Z",
            "2004-10-26T10:33:33+00:00",
            "-004-10-26T10:33:33Z",
            "2004-10-26T10:33:33ZZ",
            "2004-10-26T10:3Z",
            "\u{661}004-10-26Z",
        ] {
            assert_eq!(date(text.as_bytes()), Err(form(NO_DATE)), "{text}");
        }
        for (text, reason) in [
            ("2004-13-01Z", "<date> has no date: month 13 is not in 1..12"),
            ("2023-02-29T00:00:00Z", "<date> has no date: day 29 is not in 1..28 of February 2023"),
            ("0000-01-01Z", "<date> has no date: year 0 is not in 1..9999"),
            ("2004-10-26T24:00:00Z", "<date> has no date: hour 24 is not in 0..23"),
            ("2016-12-31T23:59:60Z", "<date> has no date: a leap second (:60) is not supported"),
        ] {
            assert_eq!(date(text.as_bytes()), Err(form(reason)), "{text}");
        }
    }

    #[test]
    fn data_has_white_space_anywhere() {
        let (mut dense, mut bytes) = (b"old".to_vec(), b"old".to_vec());
        for text in ["cGVuc3RvY2s=", "\n\tcGVu\n\tc3Rv Y2s=\n\t", "c G V u c3RvY2s\r\n="] {
            assert_eq!(data(text.as_bytes(), &mut dense, &mut bytes), Ok(()));
            assert_eq!(bytes, b"penstock");
        }
        assert_eq!(data(b" ", &mut dense, &mut bytes), Ok(()));
        assert_eq!(bytes, b"");
        let refused = Err(form("<data> has no base64: padding '=' is missing"));
        assert_eq!(data(b"cGVuc3RvY2s", &mut dense, &mut bytes), refused);
        let refused = Err(form("<data> has no base64: not a character of base64"));
        assert_eq!(data(b"cGVu.c3Rv", &mut dense, &mut bytes), refused);
    }
}
