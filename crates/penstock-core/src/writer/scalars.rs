//! Values that are not text, in the forms of XML Schema, for the writers. None of them contains a
//! character that must be escaped.

use super::{Unwritable, make_room};
use crate::event::Scalar;
use crate::limits::Limits;
use crate::value::{print, unix};

/// Appends a value that is neither text nor null.
pub(crate) fn plain(
    value: Scalar<'_>,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    make_room(out, print::LONGEST)?;
    match value {
        Scalar::Null | Scalar::Text(_) | Scalar::Untyped(_) => {}
        Scalar::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        Scalar::Int(value) => print::int(value, out),
        Scalar::Float(value) if value.is_finite() => print::float(value, out),
        Scalar::Float(value) => out.extend_from_slice(match value {
            _ if value.is_nan() => b"NaN",
            _ if value > 0.0 => b"INF",
            _ => b"-INF",
        }),
        Scalar::Number(digits) => number(digits, out)?,
        Scalar::Decimal(digits) => decimal(digits, limits.number, out)?,
        Scalar::Bytes(bytes) => base64(bytes, out)?,
        Scalar::Date(date) => print::date(date, out),
        Scalar::Time(time) => print::time(time, out),
        Scalar::DateTime(datetime) => print::datetime(datetime, out),
        Scalar::Since2001(seconds) => match unix::since_2001(seconds) {
            Ok(datetime) => print::datetime(datetime, out),
            Err(_) => {
                let reason =
                    format!("{seconds} seconds since 2001 are no date that can be written");
                return Err(Unwritable::value(reason));
            }
        },
        Scalar::Duration(duration) => print::duration(duration, out),
        Scalar::Uuid(bytes) => print::uuid(bytes, out),
        Scalar::Uid(number) => print::uint(number, out),
    }
    Ok(())
}

fn push(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    make_room(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// A number as its digits; or one of the words of JavaScript for values that are none.
fn number(digits: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    match digits {
        b"NaN" => push(b"NaN", out),
        b"Infinity" => push(b"INF", out),
        b"-Infinity" => push(b"-INF", out),
        _ if !digits.is_empty() && digits.iter().all(is_part) => push(digits, out),
        _ => Err(no_number(digits)),
    }
}

#[cold]
fn no_number(digits: &[u8]) -> Unwritable {
    Unwritable::value(format!("{:?} is no number", String::from_utf8_lossy(digits)))
}

/// The parts of a decimal number: its sign, its digits, how many of them stand before the point,
/// and its exponent.
fn parts(text: &[u8]) -> Option<(&[u8], Vec<u8>, i64)> {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
    let exponent = match text.get(end + 1..) {
        None => 0,
        // With more digits it is beyond every limit.
        Some(digits) => std::str::from_utf8(digits).ok()?.parse::<i32>().ok()?.into(),
    };
    let negative = text.first() == Some(&b'-');
    let signed = negative || text.first() == Some(&b'+');
    let mantissa = &text[usize::from(signed).min(end)..end];
    let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
    let digits: Vec<u8> = mantissa.iter().copied().filter(|byte| *byte != b'.').collect();
    let points = mantissa.len() - digits.len();
    if points > 1 || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((if negative { b"-" } else { b"" }, digits, point as i64 + exponent))
}

/// A decimal number without an exponent, which XML Schema's has not.
pub(crate) fn decimal(text: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    if !text.is_empty() && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.')) {
        return push(text, out);
    }
    let Some((sign, digits, point)) = parts(text) else {
        return Err(match text {
            b"NaN" | b"Infinity" | b"-Infinity" => {
                Unwritable::value("XML has no form for a decimal number that is not finite")
            }
            _ => no_number(text),
        });
    };
    let length = match usize::try_from(point) {
        Ok(point) => point.max(digits.len()),
        Err(_) => point.unsigned_abs() as usize + digits.len(),
    };
    if length > limit {
        let reason = format!("a number of more than {limit} digits (limits.number)");
        return Err(Unwritable::limit(reason));
    }
    make_room(out, length + 3)?;
    out.extend_from_slice(sign);
    match usize::try_from(point) {
        Ok(point) if point >= digits.len() => {
            out.extend_from_slice(&digits);
            out.resize(out.len() + point - digits.len(), b'0');
        }
        Ok(point @ 1..) => {
            out.extend_from_slice(&digits[..point]);
            out.push(b'.');
            out.extend_from_slice(&digits[point..]);
        }
        _ => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + point.unsigned_abs() as usize, b'0');
            out.extend_from_slice(&digits);
        }
    }
    Ok(())
}

fn base64(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let length = bytes.len().div_ceil(3).checked_mul(4).ok_or_else(Unwritable::memory)?;
    make_room(out, length)?;
    print::base64(bytes, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: Scalar<'_>) -> Result<String, String> {
        let mut out = Vec::new();
        let limits = Limits { number: 20, ..Limits::default() };
        let result = plain(value, &limits, &mut out);
        result.map(|()| String::from_utf8(out).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn decimals_have_no_exponent() {
        for (digits, expected) in [
            ("1.10", "1.10"),
            ("-0", "-0"),
            ("1E+2", "100"),
            ("-1.25E+1", "-12.5"),
            ("1.25e2", "125"),
            ("12E-1", "1.2"),
            ("1.5E-7", "0.00000015"),
            ("-12E-2", "-0.12"),
            ("0E+3", "0000"),
            ("+7e0", "7"),
        ] {
            assert_eq!(written(Scalar::Decimal(digits.as_bytes())).as_deref(), Ok(expected));
        }
        for (digits, reason) in [
            ("1E+999999999", "a number of more than 20 digits (limits.number)"),
            ("1E-21", "a number of more than 20 digits (limits.number)"),
            ("NaN", "XML has no form for a decimal number that is not finite"),
            ("<", "\"<\" is no number"),
            ("1E", "\"1E\" is no number"),
            ("E1", "\"E1\" is no number"),
            ("", "\"\" is no number"),
            ("1E99999999999", "\"1E99999999999\" is no number"),
        ] {
            assert_eq!(written(Scalar::Decimal(digits.as_bytes())), Err(reason.to_owned()));
        }
    }

    #[test]
    fn numbers_are_digits() {
        assert_eq!(written(Scalar::Number(b"-1.5e+300")).as_deref(), Ok("-1.5e+300"));
        assert_eq!(written(Scalar::Number(b"-Infinity")).as_deref(), Ok("-INF"));
        assert_eq!(written(Scalar::Float(f64::INFINITY)).as_deref(), Ok("INF"));
        assert_eq!(written(Scalar::Float(f64::NAN)).as_deref(), Ok("NaN"));
        assert_eq!(written(Scalar::Float(1e16)).as_deref(), Ok("1e+16"));
        assert_eq!(written(Scalar::Number(b"1<")), Err("\"1<\" is no number".to_owned()));
        assert_eq!(written(Scalar::Bytes(b"\x00\xff~~")).as_deref(), Ok("AP9+fg=="));
        assert_eq!(written(Scalar::Bytes(b"")).as_deref(), Ok(""));
        assert_eq!(written(Scalar::Since2001(0.5)).as_deref(), Ok("2001-01-01T00:00:00.500000Z"));
        let never = "inf seconds since 2001 are no date that can be written";
        assert_eq!(written(Scalar::Since2001(f64::INFINITY)), Err(never.to_owned()));
    }
}
