//! Dates, times and decimal numbers as the values and texts of events.

use penstock_core::event::Scalar;
use penstock_core::value::datetime::{Date, Offset, Time};
use penstock_core::value::duration::Duration;
use penstock_core::value::{print, unix};
use penstock_core::writer::Unwritable;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// How many of them are a second.
    in_second: i64,
}

impl Unit {
    pub(super) const SECONDS: Unit = Unit { in_second: 1 };
    pub(super) const MILLIS: Unit = Unit { in_second: 1_000 };
    pub(super) const MICROS: Unit = Unit { in_second: 1_000_000 };
    pub(super) const NANOS: Unit = Unit { in_second: 1_000_000_000 };

    /// The whole seconds, and the nanoseconds beyond.
    #[inline(always)]
    fn split(self, count: i64) -> (i64, u32) {
        let rest = count.rem_euclid(self.in_second) * (1_000_000_000 / self.in_second);
        (count.div_euclid(self.in_second), rest as u32)
    }
}

/// The zone of a column of instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// There is none: the values are no instants.
    None,
    /// UTC, and all zones that are names: an instant says no more in the form of another zone.
    Utc,
    /// So many minutes east of UTC.
    East(i16),
}

impl Zone {
    pub(super) fn of(name: Option<&str>) -> Self {
        let Some(name) = name else { return Zone::None };
        let bytes = name.as_bytes();
        let (sign, digits) = match bytes {
            [sign @ (b'+' | b'-'), a, b, b':', c, d] => (sign, [*a, *b, *c, *d]),
            [sign @ (b'+' | b'-'), a, b, c, d] => (sign, [*a, *b, *c, *d]),
            _ => return Zone::Utc,
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Zone::Utc;
        }
        let two = |tens: u8, ones: u8| i16::from(tens - b'0') * 10 + i16::from(ones - b'0');
        let (hours, minutes) = (two(digits[0], digits[1]), two(digits[2], digits[3]));
        match hours * 60 + minutes {
            0 => Zone::Utc,
            _ if hours > 23 || minutes > 59 => Zone::Utc,
            east if *sign == b'-' => Zone::East(-east),
            east => Zone::East(east),
        }
    }

    fn offset(self) -> Option<Offset> {
        match self {
            Zone::None => None,
            Zone::Utc => Some(Offset::Utc),
            Zone::East(east) => Some(Offset::Minutes(east)),
        }
    }
}

/// A value of time: one that events have, or the text of a finer one.
pub(super) enum Found<'t> {
    Scalar(Scalar<'t>),
    Text(&'t str),
}

#[cold]
fn out_of_range() -> Unwritable {
    Unwritable::value(unix::Reason::Range.message())
}

/// A day, from the days since 1970.
#[inline]
pub(super) fn date(days: i64) -> Result<Date, Unwritable> {
    i32::try_from(days).ok().and_then(Date::of_1970).ok_or_else(out_of_range)
}

/// A day, from milliseconds.
pub(super) fn date_of_millis(millis: i64) -> Result<Date, Unwritable> {
    if millis % 86_400_000 != 0 {
        return Err(Unwritable::value("a date of which not all of the day is meant"));
    }
    date(millis / 86_400_000)
}

fn clock(seconds: i64, micros: u32, offset: Option<Offset>) -> Time {
    Time {
        hour: (seconds / 3600) as u8,
        minute: (seconds / 60 % 60) as u8,
        second: (seconds % 60) as u8,
        microsecond: micros,
        offset,
    }
}

/// A time of day.
pub(super) fn time(count: i64, unit: Unit, scratch: &mut Vec<u8>) -> Result<Found<'_>, Unwritable> {
    let (seconds, nanos) = unit.split(count);
    if !(0..86_400).contains(&seconds) {
        return Err(Unwritable::value("a time of day that is not within 24 hours"));
    }
    let time = clock(seconds, nanos / 1_000, None);
    if nanos % 1_000 == 0 {
        return Ok(Found::Scalar(Scalar::Time(time)));
    }
    scratch.clear();
    print::time(Time { microsecond: 0, ..time }, scratch);
    fine(nanos, scratch);
    text(scratch)
}

/// An instant, or a time on a clock of no known zone.
#[inline]
pub(super) fn instant(
    count: i64,
    unit: Unit,
    zone: Zone,
    scratch: &mut Vec<u8>,
) -> Result<Found<'_>, Unwritable> {
    let (seconds, nanos) = unit.split(count);
    let east = match zone {
        Zone::East(minutes) => i64::from(minutes) * 60,
        _ => 0,
    };
    let micros = seconds
        .checked_add(east)
        .and_then(|seconds| seconds.checked_mul(1_000_000))
        .and_then(|micros| micros.checked_add(i64::from(nanos / 1_000)));
    let found = micros.map(unix::of_microseconds).and_then(Result::ok).ok_or_else(out_of_range)?;
    let mut value = found;
    value.time.offset = zone.offset();
    if nanos % 1_000 == 0 {
        return Ok(Found::Scalar(Scalar::DateTime(value)));
    }
    scratch.clear();
    value.time.microsecond = 0;
    print::date(value.date, scratch);
    scratch.push(b'T');
    print::time(Time { offset: None, ..value.time }, scratch);
    fine(nanos, scratch);
    let mut with_offset = Vec::new();
    print::time(Time { hour: 0, minute: 0, second: 0, ..value.time }, &mut with_offset);
    // Behind 00:00:00
    scratch.extend_from_slice(with_offset.get(8..).unwrap_or_default());
    text(scratch)
}

/// A span of time.
pub(super) fn span(count: i64, unit: Unit, scratch: &mut Vec<u8>) -> Result<Found<'_>, Unwritable> {
    const MOST: i64 = 999_999_999;
    let (seconds, nanos) = unit.split(count);
    let days = seconds.div_euclid(86_400);
    if !(-MOST..=MOST).contains(&days) {
        return Err(Unwritable::value("a span of time of more than 999,999,999 days"));
    }
    let duration = Duration {
        days: days as i32,
        seconds: seconds.rem_euclid(86_400) as u32,
        microseconds: nanos / 1_000,
    };
    if nanos % 1_000 == 0 {
        return Ok(Found::Scalar(Scalar::Duration(duration)));
    }
    // The amount, because a negative duration is written as that with a sign.
    scratch.clear();
    let amount = count.unsigned_abs();
    let (whole, nanos) = (amount / 1_000_000_000, (amount % 1_000_000_000) as u32);
    if count < 0 {
        scratch.push(b'-');
    }
    // With a microsecond, so that there are seconds, and a fraction, which is replaced.
    let (days, seconds) = (whole / 86_400, whole % 86_400);
    let shown = Duration { days: days as i32, seconds: seconds as u32, microseconds: 1 };
    print::duration(shown, scratch);
    scratch.truncate(scratch.len().saturating_sub(".000001S".len()));
    fine(nanos, scratch);
    scratch.push(b'S');
    text(scratch)
}

/// A fraction of nine digits.
fn fine(nanos: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(format!(".{nanos:09}").as_bytes());
}

/// What was printed, which is ASCII.
fn text(printed: &[u8]) -> Result<Found<'_>, Unwritable> {
    Ok(Found::Text(std::str::from_utf8(printed).unwrap_or_default()))
}

/// A decimal number as Python's `str` writes it, from its digits with their sign.
pub(super) fn decimal(unscaled: &str, scale: i8, out: &mut Vec<u8>) {
    out.clear();
    let digits = match unscaled.strip_prefix('-') {
        Some(digits) => {
            out.push(b'-');
            digits
        }
        None => unscaled,
    }
    .as_bytes();
    let exponent = -i64::from(scale);
    let left = digits.len() as i64 + exponent;
    // The point is where it belongs, or behind the first digit of a number with an exponent.
    let point = if exponent <= 0 && left > -6 { left } else { 1 };
    if point <= 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', point.unsigned_abs() as usize));
        out.extend_from_slice(digits);
    } else {
        let (whole, fraction) = digits.split_at((point as usize).min(digits.len()));
        out.extend_from_slice(whole);
        if !fraction.is_empty() {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
    }
    if left != point {
        out.extend_from_slice(format!("E{:+}", left - point).as_bytes());
    }
}
