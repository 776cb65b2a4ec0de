//! GNUstep's typed values, between `<*` and `>`: a letter for the type, and the value, which may stand in quotes.

use std::borrow::Cow;

use crate::event::Scalar;
use crate::value::datetime::{self, DateTime};
use crate::value::unix;

/// The value of the text between `<*` and `>`, or why there is none. The digits of an integer that is too large for 64
/// bits go to `digits`.
pub(super) fn typed<'d>(
    text: &[u8],
    digits: &'d mut Vec<u8>,
) -> Result<Scalar<'d>, Cow<'static, str>> {
    let Some((&letter, value)) = text.split_first() else {
        return Err("a letter for the type must follow '<*': I, R, B or D".into());
    };
    let value = match value {
        [b'"', inside @ .., b'"'] => inside,
        value => value,
    };
    match letter {
        b'I' => integer(value, digits).ok_or_else(|| no(value, "an integer of decimal digits")),
        b'R' => real(value),
        b'B' => match value {
            b"Y" => Ok(Scalar::Bool(true)),
            b"N" => Ok(Scalar::Bool(false)),
            _ => Err(no(value, "Y or N")),
        },
        b'D' => date(value)
            .map(Scalar::DateTime)
            .ok_or_else(|| no(value, "a date like 2001-12-31 23:59:59 +0000")),
        _ => {
            let letter = text.escape_ascii().next().map_or(' ', char::from);
            Err(format!("no type has the letter '{letter}': they are I, R, B and D").into())
        }
    }
}

/// A value is not what its letter says.
fn no(value: &[u8], what: &str) -> Cow<'static, str> {
    let found: String = String::from_utf8_lossy(value).chars().take(40).collect();
    format!("expected {what}, found {found:?}").into()
}

fn integer<'d>(value: &[u8], digits: &'d mut Vec<u8>) -> Option<Scalar<'d>> {
    let (minus, magnitude) = match value {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if magnitude.is_empty() || !magnitude.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let small = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
    if let Some(small) = small {
        return Some(Scalar::Int(small));
    }
    let zeros = magnitude.iter().take_while(|digit| **digit == b'0').count();
    digits.clear();
    digits.extend(minus.then_some(b'-'));
    digits.extend_from_slice(&magnitude[zeros..]);
    Some(Scalar::Number(digits))
}

fn real(value: &[u8]) -> Result<Scalar<'static>, Cow<'static, str>> {
    // Also a number that is infinite or none, as the C library writes them.
    let Some(real) = std::str::from_utf8(value).ok().and_then(|value| value.parse::<f64>().ok())
    else {
        return Err(no(value, "a real number"));
    };
    if real.is_infinite() && value.iter().any(u8::is_ascii_digit) {
        return Err("a real number that is too large for a double".into());
    }
    Ok(Scalar::Float(real))
}

/// `YYYY-MM-DD HH:MM:SS +HHMM`, as the same instant in UTC.
fn date(value: &[u8]) -> Option<DateTime> {
    let value: &[u8; 25] = value.try_into().ok()?;
    if value[10] != b' ' || value[19] != b' ' {
        return None;
    }
    // The same as ISO 8601 writes it.
    let mut iso = [b':'; 25];
    iso[..19].copy_from_slice(&value[..19]);
    iso[10] = b'T';
    iso[19..22].copy_from_slice(&value[20..23]);
    iso[23..].copy_from_slice(&value[23..]);
    unix::in_utc(datetime::datetime(&iso).ok()?)
}
