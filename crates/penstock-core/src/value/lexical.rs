//! Text to values, once a destination says which type it wants.
//!
//! A format that has only text (XML, CSV) leaves the type of a value to its destination, and the
//! destination calls [`untyped`]. A format that marks its strings (JSON) has its own forms for
//! numbers and booleans, but none for dates, UUIDs or bytes: they come as strings, and the
//! destination calls [`quoted`]. Objects and columns convert by the same two functions, so both
//! accept the same text.
//!
//! The results are plain values, or a [`Reason`]. The caller adds the rest of the message (the
//! field, the position, the text itself).

use super::base64::Spelling;
use super::datetime::{self, Date, DateTime, Time};
use super::duration::{self, Duration};
use super::exact::exact;
use super::moment::Moment;
use super::number::{Outcome, scan, short_float_of, to_f64};
use super::unix;
use super::xsd::{self, Integer};
use super::{base64, hex, uuid};
use std::borrow::Cow;

/// The most digits of an integer that is written with a fraction or an exponent, because `1e9999`
/// is short, but its value is long.
const MOST_DIGITS: usize = 4_300;

/// The type to which a text is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'a> {
    /// True or false.
    Bool,
    /// An integer of any size.
    Int,
    /// A double.
    Float,
    /// A decimal number, which keeps its digits.
    Decimal,
    /// A date with a time.
    DateTime,
    /// A date or a time, in a form that the user chose.
    Moment(&'a Moment),
    /// A date.
    Date,
    /// A time.
    Time,
    /// A duration.
    Duration,
    /// A UUID.
    Uuid,
    /// Bytes, from base64.
    Base64,
    /// Bytes, from another spelling of base64.
    Base64As(Spelling),
    /// Bytes, from base64 in lines.
    Base64InLines,
    /// Bytes, from hexadecimal digits.
    Hex,
}

/// The value of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// True or false.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// An integer, perhaps beyond 64 bits.
    BigInt {
        /// Whether it is below zero.
        negative: bool,
        /// Its digits.
        digits: Cow<'a, [u8]>,
    },
    /// A double.
    Float(f64),
    /// A decimal number: the text without white space around it.
    Decimal(&'a [u8]),
    /// A date with a time.
    DateTime(DateTime),
    /// A date.
    Date(Date),
    /// A time.
    Time(Time),
    /// A duration.
    Duration(Duration),
    /// A UUID, the first digit the most significant.
    Uuid(u128),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The reason why a text is no value of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has no form of the type. There is no more to say.
    Form,
    /// It is a number beyond the range of a double.
    Range,
    /// It is a longer number than [`Rules::number`] allows.
    Limit(String),
    /// It is no date, time or number of its type.
    Other(Cow<'static, str>),
    /// It is a number, but no instant: see the reason for the number without white space around it.
    Unix(unix::Reason),
}

/// The settings from the caller's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether a number with a fraction or an exponent is an integer if its value is one.
    pub lax: bool,
    /// How many digits a number may have (`limits.number`).
    pub number: usize,
}

/// Converts untyped text to a value, by the lexical forms of XML Schema. White space around it is
/// ignored.
///
/// ```
/// use penstock_core::value::lexical::{Reason, Rules, Type, Value, untyped};
///
/// let rules = Rules { lax: false, number: 100 };
/// assert_eq!(untyped(b" 7\n", Type::Int, rules), Ok(Value::Int(7)));
/// assert_eq!(untyped(b"1", Type::Bool, rules), Ok(Value::Bool(true)));
/// assert_eq!(untyped(b"7.0", Type::Int, rules), Err(Reason::Form));
/// ```
///
/// # Errors
/// The reason why the text is no value of the type.
pub fn untyped<'a>(text: &'a [u8], to: Type<'_>, rules: Rules) -> Result<Value<'a>, Reason> {
    let text = xsd::trimmed(text);
    Ok(match to {
        Type::Int => return int(text, rules),
        Type::Float => Value::Float(float(text)?),
        Type::Bool => Value::Bool(xsd::boolean(text).ok_or(Reason::Form)?),
        Type::Decimal if !xsd::is_decimal(text) => return Err(no_decimal()),
        Type::Decimal if text.len() > rules.number => {
            let most = rules.number;
            let reason = format!("a number longer than {most} bytes (limits.number)");
            return Err(Reason::Limit(reason));
        }
        Type::Decimal => Value::Decimal(text),
        Type::Moment(moment) => moment.untyped(text)?,
        Type::DateTime => Value::DateTime(datetime::datetime_to_24(text)?),
        Type::Date => Value::Date(datetime::date_without_zone(text)?),
        Type::Time => Value::Time(datetime::time_to_24(text)?),
        Type::Duration => Value::Duration(duration::duration(text)?),
        Type::Uuid => uuid(text)?,
        Type::Base64 | Type::Base64InLines => in_lines(text, Spelling::Standard)?,
        Type::Base64As(spelling) => in_lines(text, spelling)?,
        Type::Hex => hexadecimal(text)?,
    })
}

/// Converts a string of a format with types to a value: the whole string, as JSON or RFC 3339 would
/// write it. Numbers and booleans are for callers that accept them as strings.
///
/// ```
/// use penstock_core::value::lexical::{Reason, Type, Value, quoted};
///
/// assert_eq!(quoted(b"cGVu", Type::Base64), Ok(Value::Bytes(b"pen".to_vec())));
/// assert_eq!(quoted(b" true", Type::Bool), Err(Reason::Form));
/// ```
///
/// # Errors
/// The reason why the string is no value of the type.
pub fn quoted<'a>(text: &'a [u8], to: Type<'_>) -> Result<Value<'a>, Reason> {
    Ok(match to {
        Type::Int if is_number(text) => whole(text)?,
        Type::Float if is_number(text) => {
            let value = to_f64(scan(text, 0).outcome, text);
            Value::Float(Some(value).filter(|value| value.is_finite()).ok_or(Reason::Form)?)
        }
        Type::Int | Type::Float => return Err(Reason::Form),
        Type::Bool => Value::Bool(xsd::boolean(text).ok_or(Reason::Form)?),
        Type::Decimal if is_number(text) => Value::Decimal(text),
        Type::Decimal => return Err(no_decimal()),
        Type::Moment(moment) => moment.quoted(text)?,
        Type::DateTime => Value::DateTime(datetime::datetime(text)?),
        Type::Date => Value::Date(datetime::date(text)?),
        Type::Time => Value::Time(datetime::time(text)?),
        Type::Duration => Value::Duration(duration::duration(text)?),
        Type::Uuid => uuid(text)?,
        Type::Base64 => {
            let mut bytes = Vec::new();
            base64::decode(text, &mut bytes)?;
            Value::Bytes(bytes)
        }
        Type::Base64As(spelling) => {
            let mut bytes = Vec::new();
            base64::decode_as(text, spelling, &mut bytes)?;
            Value::Bytes(bytes)
        }
        Type::Base64InLines => in_lines(text, Spelling::Standard)?,
        Type::Hex => hexadecimal(text)?,
    })
}

/// Converts untyped text without white space around it to an integer.
///
/// # Errors
/// The reason why the text is no integer.
#[inline]
pub fn int(text: &[u8], rules: Rules) -> Result<Value<'_>, Reason> {
    match xsd::integer(text) {
        Some(Integer::Small(value)) => Ok(Value::Int(value)),
        Some(Integer::Big { negative, digits }) if digits.len() <= rules.number => {
            Ok(Value::BigInt { negative, digits: digits.into() })
        }
        Some(Integer::Big { .. }) => {
            let most = rules.number;
            let reason = format!("an integer of more than {most} digits (limits.number)");
            Err(Reason::Limit(reason))
        }
        None if rules.lax && xsd::float(text).is_some() => whole(text),
        None => Err(Reason::Form),
    }
}

/// Converts untyped text without white space around it to a double.
///
/// # Errors
/// The reason why the text is no double.
#[inline]
pub fn float(text: &[u8]) -> Result<f64, Reason> {
    // Most numbers have few digits, and a point in them.
    if let Some(value) = short_float_of(text) {
        return Ok(value);
    }
    match xsd::float(text) {
        Some(value) if value.is_infinite() && !xsd::is_infinity(text) => Err(Reason::Range),
        Some(value) => Ok(value),
        None => Err(Reason::Form),
    }
}

/// Converts a number to an integer, however the number is written: `1.0` or `25e-1e1`.
///
/// ```
/// use penstock_core::value::lexical::{Reason, Value, whole};
///
/// let thousand = Value::BigInt { negative: false, digits: b"1000".into() };
/// assert_eq!(whole(b"1.0e3"), Ok(thousand));
/// assert_eq!(whole(b"1.5"), Err(Reason::Form));
/// ```
///
/// # Errors
/// [`Reason::Form`] if it is no number, is no integer, or has too many digits.
pub fn whole(number: &[u8]) -> Result<Value<'_>, Reason> {
    let number = exact(number).ok_or(Reason::Form)?;
    let digits = number.integer(MOST_DIGITS).ok_or(Reason::Form)?;
    Ok(Value::BigInt { negative: number.negative, digits: digits.into() })
}

/// Whether all of a text is a number as JSON would write it.
///
/// ```
/// use penstock_core::value::lexical::is_number;
///
/// assert!(is_number(b"-1.5e3"));
/// assert!(!is_number(b"+1") && !is_number(b"1_000") && !is_number(b"NaN"));
/// ```
#[must_use]
pub fn is_number(text: &[u8]) -> bool {
    if !matches!(text.first(), Some(b'-' | b'0'..=b'9')) {
        return false;
    }
    let scanned = scan(text, 0);
    scanned.end == text.len()
        && !matches!(scanned.outcome, Outcome::Bad { .. } | Outcome::Unfinished)
}

fn uuid(text: &[u8]) -> Result<Value<'_>, Reason> {
    let reason = || Reason::Other("it is no UUID".into());
    uuid::uuid(text).map(Value::Uuid).ok_or_else(reason)
}

/// Base64 with white space anywhere.
fn in_lines(text: &[u8], spelling: Spelling) -> Result<Value<'static>, Reason> {
    let mut bytes = Vec::new();
    xsd::base64_in_lines(text, spelling, &mut bytes)?;
    Ok(Value::Bytes(bytes))
}

fn hexadecimal(text: &[u8]) -> Result<Value<'_>, Reason> {
    let mut bytes = Vec::new();
    match hex::decode(text, &mut bytes) {
        true => Ok(Value::Bytes(bytes)),
        false => Err(Reason::Other("it is not pairs of hexadecimal digits".into())),
    }
}

fn no_decimal() -> Reason {
    Reason::Other("it is no decimal number".into())
}

impl From<datetime::Reason> for Reason {
    fn from(reason: datetime::Reason) -> Self {
        Reason::Other(reason.message())
    }
}

impl From<duration::Reason> for Reason {
    fn from(reason: duration::Reason) -> Self {
        Reason::Other(reason.message())
    }
}

impl From<base64::Reason> for Reason {
    fn from(reason: base64::Reason) -> Self {
        Reason::Other(reason.message().into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::moment::{Form, Of};
    use super::super::unix::Unit;
    use super::*;

    const SECONDS: Moment =
        Moment { of: Of::DateTime, form: Form::Rfc3339, cut: false, unit: Some(Unit::Seconds) };
    const STRICT: Rules = Rules { lax: false, number: 20 };
    const LAX: Rules = Rules { lax: true, number: 20 };

    fn big(digits: &[u8]) -> Value<'_> {
        Value::BigInt { negative: false, digits: digits.into() }
    }

    #[test]
    fn white_space_counts_in_strings_only() {
        let types = [
            (Type::Bool, "true"),
            (Type::Int, "12"),
            (Type::Float, "1.5"),
            (Type::Decimal, "1.50"),
            (Type::DateTime, "2026-01-02T03:04:05Z"),
            (Type::Moment(&SECONDS), "2026-01-02T03:04:05Z"),
            (Type::Moment(&SECONDS), "1767225600"),
            (Type::Date, "2026-01-02"),
            (Type::Time, "03:04:05"),
            (Type::Duration, "PT5M"),
            (Type::Uuid, "12345678-9abc-def0-1234-56789abcdef0"),
            (Type::Base64, "cGVu"),
            (Type::Hex, "0aFF"),
        ];
        for (to, text) in types {
            let spaced = format!("\t{text} \r\n");
            let found = untyped(text.as_bytes(), to, STRICT);
            assert!(found.is_ok(), "{to:?}");
            assert_eq!(untyped(spaced.as_bytes(), to, STRICT), found, "{to:?}");
            assert!(quoted(text.as_bytes(), to).is_ok(), "{to:?}");
            assert!(quoted(spaced.as_bytes(), to).is_err(), "{to:?}");
            assert!(untyped(b"x", to, STRICT).is_err() && quoted(b"x", to).is_err(), "{to:?}");
            assert!(untyped(b" ", to, STRICT).is_err() || to == Type::Base64 || to == Type::Hex);
        }
    }

    #[test]
    fn integers() {
        let of = |text: &'static str, rules| untyped(text.as_bytes(), Type::Int, rules);
        assert_eq!(of("+007", STRICT), Ok(Value::Int(7)));
        assert_eq!(of("99999999999999999999", STRICT), Ok(big(b"99999999999999999999")));
        let long = "an integer of more than 20 digits (limits.number)".to_owned();
        assert_eq!(of("999999999999999999999", STRICT), Err(Reason::Limit(long)));
        for text in ["1.0", "1e0", "", "1x", "0x1", "NaN"] {
            assert_eq!(of(text, STRICT), Err(Reason::Form), "{text}");
        }
        assert_eq!(of("12.50e1", LAX), Ok(big(b"125")));
        for text in ["1.5", "1e-1", "1e5000", "NaN", "INF", "x"] {
            assert_eq!(of(text, LAX), Err(Reason::Form), "{text}");
        }
        assert_eq!(quoted(b"1.0", Type::Int), Ok(big(b"1")));
        assert_eq!(quoted(b"+1", Type::Int), Err(Reason::Form));
    }

    #[test]
    fn floats() {
        let of = |text: &str| match untyped(text.as_bytes(), Type::Float, STRICT) {
            Ok(Value::Float(value)) => Ok(value),
            Ok(other) => panic!("{other:?}"),
            Err(reason) => Err(reason),
        };
        assert_eq!(of("-.5"), Ok(-0.5));
        assert_eq!(of("INF"), Ok(f64::INFINITY));
        assert!(of("NaN").is_ok_and(f64::is_nan));
        assert_eq!(of("1e400"), Err(Reason::Range));
        assert_eq!(of("inf"), Err(Reason::Form));
        assert_eq!(quoted(b"1e400", Type::Float), Err(Reason::Form));
        assert_eq!(quoted(b"NaN", Type::Float), Err(Reason::Form));
        assert_eq!(quoted(b"25e-1", Type::Float), Ok(Value::Float(2.5)));
    }

    #[test]
    fn short_floats_are_those_of_the_standard_library() {
        let mut texts: Vec<String> = Vec::new();
        for whole in ["0", "1", "12", "007", "1234567", "12345678", "", "-0", "-3", "-1234567"] {
            for part in ["", ".", ".0", ".5", ".1234567", ".12345678", ".1x", ".5e1", ".1.2", ".5-"]
            {
                texts.push(format!("{whole}{part}"));
            }
        }
        for text in texts {
            let expected = match xsd::float(text.as_bytes()) {
                Some(value) => Ok(value.to_bits()),
                None => Err(Reason::Form),
            };
            assert_eq!(float(text.as_bytes()).map(f64::to_bits), expected, "{text}");
        }
    }

    #[test]
    fn decimals_keep_their_digits() {
        assert_eq!(untyped(b" +.50 ", Type::Decimal, STRICT), Ok(Value::Decimal(b"+.50")));
        let long = "a number longer than 20 bytes (limits.number)".to_owned();
        let found = untyped(b"1.00000000000000000000", Type::Decimal, STRICT);
        assert_eq!(found, Err(Reason::Limit(long)));
        assert_eq!(untyped(b"1e3", Type::Decimal, STRICT), Err(no_decimal()));
        assert_eq!(quoted(b"1e3", Type::Decimal), Ok(Value::Decimal(b"1e3")));
        assert_eq!(quoted(b"1_0", Type::Decimal), Err(no_decimal()));
    }

    #[test]
    fn instants_are_numbers_or_dates() {
        let of = |text: &'static [u8]| untyped(text, Type::Moment(&SECONDS), STRICT);
        assert_eq!(of(b"0"), of(b"1970-01-01T00:00:00Z"));
        assert_eq!(of(b"1e20"), Err(Reason::Other("expected a digit of the year".into())));
        assert_eq!(of(b"0.0000001"), Err(Reason::Unix(unix::Reason::Finer)));
    }

    #[test]
    fn reasons_say_what_is_wrong() {
        for (to, text, reason) in [
            (Type::Uuid, "12", "it is no UUID"),
            (Type::Hex, "abc", "it is not pairs of hexadecimal digits"),
            (Type::Base64, "a!==", "not a character of base64"),
            (Type::Date, "2026-13-01", "month 13 is not in 1..12"),
            (Type::Duration, "P1Y", "years and months have no fixed length"),
        ] {
            let reason = Err(Reason::Other(reason.into()));
            assert_eq!(untyped(text.as_bytes(), to, STRICT), reason, "{text}");
            assert_eq!(quoted(text.as_bytes(), to), reason, "{text}");
        }
    }
}
