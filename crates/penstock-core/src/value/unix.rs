//! Instants as numbers of units since the beginning of 1970, in UTC.

use super::datetime::{Date, DateTime, Offset, Time};
use super::exact::exact;

/// The unit of the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Thousandths of them.
    Milliseconds,
    /// Millionths.
    Microseconds,
    /// Thousand-millionths.
    Nanoseconds,
}

/// Why a number is not an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is not a number.
    Number,
    /// It is finer than microseconds.
    Finer,
    /// It is not in the years 1 to 9999.
    Range,
}

impl Reason {
    /// The reason in words, as the end of a sentence.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Reason::Number => "it is no number",
            Reason::Finer => "it is finer than a microsecond",
            Reason::Range => "it is not in the years 1 to 9999",
        }
    }
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
/// From the first day of the year 1 to that of 1970.
const DAYS_BEFORE_1970: i64 = 719_162;
/// The beginning of the year 1, and that of the year 10000, in microseconds.
const FIRST: i64 = -62_135_596_800 * SECOND;
const BEHIND: i64 = 253_402_300_800 * SECOND;

/// The exact instant of this many units, as a time in UTC.
///
/// # Errors
/// The text is not a number, would have to be rounded, or is out of range.
///
/// ```
/// use penstock_core::value::datetime::datetime;
/// use penstock_core::value::unix::{Reason, Unit, instant};
///
/// let found = instant(b"1767225600.25", Unit::Seconds)?;
/// assert_eq!(Ok(found), datetime(b"2026-01-01T00:00:00.25Z"));
/// assert_eq!(instant(b"1.5", Unit::Microseconds), Err(Reason::Finer));
/// assert_eq!(instant(b"1e20", Unit::Seconds), Err(Reason::Range));
/// # Ok::<(), Reason>(())
/// ```
pub fn instant(digits: &[u8], unit: Unit) -> Result<DateTime, Reason> {
    counted(digits, unit, false)
}

/// As [`instant`]; if `cut`, digits beyond microseconds are dropped: the result is the last
/// microsecond that is not after the instant.
///
/// # Errors
/// The text is not a number, would have to be rounded, or is out of range.
pub(super) fn counted(digits: &[u8], unit: Unit, cut: bool) -> Result<DateTime, Reason> {
    let power = match unit {
        Unit::Seconds => 6,
        Unit::Milliseconds => 3,
        Unit::Microseconds => 0,
        Unit::Nanoseconds => -3,
    };
    let add = |value: i64, digit: &u8| value * 10 + i64::from(digit - b'0');
    // Nearly all numbers are integers, and this many digits fit 64 bits with any unit.
    if power >= 0 && (1..=12).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        return at(digits.iter().fold(0, add) * 10_i64.pow(power as u32));
    }
    let mut number = exact(digits).ok_or(Reason::Number)?;
    number.exponent += power;
    let mut below = 0;
    if number.exponent < 0 && !number.digits.is_empty() {
        if !cut {
            return Err(Reason::Finer);
        }
        // The digits that are dropped are not all zeros, so a negative number is further down.
        below = i64::from(number.negative);
        let finer = number.exponent.unsigned_abs().try_into().unwrap_or(usize::MAX);
        let kept = number.digits.len().saturating_sub(finer);
        number.digits.truncate(kept);
        number.exponent = 0;
    }
    // This many digits fit 64 bits.
    let whole = number.integer(18).ok_or(Reason::Range)?;
    let value = whole.iter().fold(0, add);
    at(if number.negative { -value - below } else { value })
}

/// The seconds from the beginning of 1970 to that of 2001.
const EPOCH_2001: i64 = 978_307_200;

/// The instant this many seconds after the beginning of 2001, to the nearest microsecond, as a time
/// in UTC. Property lists count like this.
///
/// # Errors
/// The number is not finite, or out of range.
///
/// ```
/// use penstock_core::value::datetime::datetime;
/// use penstock_core::value::unix::{Reason, since_2001};
///
/// assert_eq!(Ok(since_2001(-0.5)?), datetime(b"2000-12-31T23:59:59.5Z"));
/// assert_eq!(since_2001(f64::NAN), Err(Reason::Number));
/// assert_eq!(since_2001(1e300), Err(Reason::Range));
/// # Ok::<(), Reason>(())
/// ```
pub fn since_2001(seconds: f64) -> Result<DateTime, Reason> {
    if !seconds.is_finite() {
        return Err(Reason::Number);
    }
    // The whole seconds are exact, and so is the remaining fraction.
    let whole = seconds.floor();
    if !(-1e12..1e12).contains(&whole) {
        return Err(Reason::Range);
    }
    let micros = ((seconds - whole) * SECOND as f64).round_ties_even() as i64;
    at((whole as i64 + EPOCH_2001) * SECOND + micros)
}

/// The instant this many microseconds after the beginning of 1970, as a time in UTC.
///
/// # Errors
/// The number is out of range.
pub fn of_microseconds(value: i64) -> Result<DateTime, Reason> {
    at(value)
}

/// The instant this many microseconds after the beginning of 1970.
fn at(value: i64) -> Result<DateTime, Reason> {
    if !(FIRST..BEHIND).contains(&value) {
        return Err(Reason::Range);
    }
    let (days, rest) = (value.div_euclid(DAY), value.rem_euclid(DAY));
    let (seconds, microsecond) = (rest / SECOND, (rest % SECOND) as u32);
    let time = Time {
        hour: (seconds / 3600) as u8,
        minute: (seconds / 60 % 60) as u8,
        second: (seconds % 60) as u8,
        microsecond,
        offset: Some(Offset::Utc),
    };
    let days = u32::try_from(days + DAYS_BEFORE_1970).map_err(|_| Reason::Range)?;
    Ok(DateTime { date: Date::from_number(days).ok_or(Reason::Range)?, time })
}

impl Date {
    /// The day so many days after the first of 1970; nothing if it is not in the years 1 to 9999.
    ///
    /// ```
    /// use penstock_core::value::datetime::Date;
    ///
    /// assert_eq!(Date::of_1970(-1), Some(Date { year: 1969, month: 12, day: 31 }));
    /// assert_eq!(Date::of_1970(-719_163), None);
    /// ```
    #[must_use]
    pub fn of_1970(days: i32) -> Option<Self> {
        let number = u32::try_from(i64::from(days) + DAYS_BEFORE_1970).ok()?;
        Date::from_number(number)
    }

    /// The days from the first of 1970.
    ///
    /// ```
    /// use penstock_core::value::datetime::Date;
    ///
    /// assert_eq!(Date { year: 1969, month: 12, day: 31 }.since_1970(), -1);
    /// ```
    #[must_use]
    pub fn since_1970(self) -> i32 {
        self.to_number() as i32 - DAYS_BEFORE_1970 as i32
    }
}

/// The microseconds from the beginning of 1970 to an instant; nothing if the value has no offset.
#[must_use]
pub fn microseconds(value: DateTime) -> Option<i64> {
    let Time { hour, minute, second, microsecond, offset } = value.time;
    let east = match offset? {
        Offset::Utc => 0,
        Offset::Minutes(minutes) => i64::from(minutes) * 60 * SECOND,
        Offset::Microseconds(microseconds) => microseconds,
    };
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    let days = i64::from(value.date.to_number()) - DAYS_BEFORE_1970;
    Some(days * DAY + seconds * SECOND + i64::from(microsecond) - east)
}

/// The same instant in UTC; nothing if the value has no offset, or the instant is out of range.
///
/// ```
/// use penstock_core::value::datetime::datetime;
/// use penstock_core::value::unix::in_utc;
///
/// let value = datetime(b"2001-01-01T00:30:00+01:00")?;
/// assert_eq!(in_utc(value), datetime(b"2000-12-31T23:30:00Z").ok());
/// # Ok::<(), penstock_core::value::datetime::Reason>(())
/// ```
#[must_use]
pub fn in_utc(value: DateTime) -> Option<DateTime> {
    at(microseconds(value)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(super::super::fixed(2_000))]

        #[test]
        fn as_jiff_tells_it(value in FIRST..BEHIND) {
            let Ok(theirs) = Timestamp::from_microsecond(value) else { return Ok(()) };
            let theirs = theirs.to_zoned_datetime(jiff::tz::TimeZone::UTC);
            let ours = instant(value.to_string().as_bytes(), Unit::Microseconds).unwrap();
            let DateTime { date, time } = ours;
            prop_assert_eq!(
                (i64::from(date.year), date.month as i8, date.day as i8),
                (i64::from(theirs.year()), theirs.month(), theirs.day())
            );
            prop_assert_eq!(
                (time.hour as i8, time.minute as i8, time.second as i8),
                (theirs.hour(), theirs.minute(), theirs.second())
            );
            prop_assert_eq!(i64::from(time.microsecond), value.rem_euclid(SECOND));
            let whole = value.div_euclid(SECOND);
            let whole_seconds = instant(whole.to_string().as_bytes(), Unit::Seconds);
            prop_assert_eq!(whole_seconds, instant(format!("{whole}.0").as_bytes(), Unit::Seconds));
            let seconds = format!("{value}e-6");
            prop_assert_eq!(instant(seconds.as_bytes(), Unit::Seconds), Ok(ours));
            let nanoseconds = format!("{value}000");
            let by_nanoseconds = instant(nanoseconds.as_bytes(), Unit::Nanoseconds);
            prop_assert_eq!(by_nanoseconds, Ok(ours));
        }
    }

    #[test]
    fn the_ends() {
        let first = instant(b"-62135596800", Unit::Seconds).unwrap();
        assert_eq!(first.date, Date { year: 1, month: 1, day: 1 });
        assert_eq!(instant(b"-62135596800.000001", Unit::Seconds), Err(Reason::Range));
        let last = instant(b"253402300799999.999", Unit::Milliseconds).unwrap();
        assert_eq!(
            (last.date, last.time.microsecond),
            (Date { year: 9999, month: 12, day: 31 }, 999_999)
        );
        assert_eq!(instant(b"253402300800", Unit::Seconds), Err(Reason::Range));
        assert_eq!(instant(b"1e-7", Unit::Seconds), Err(Reason::Finer));
        assert_eq!(instant(b"1e999999999999", Unit::Nanoseconds), Err(Reason::Range));
        assert_eq!(instant(b"1e-999999999999", Unit::Seconds), Err(Reason::Finer));
        assert_eq!(instant(b"0e-999999999999", Unit::Seconds).unwrap().date.year, 1970);
    }
}
