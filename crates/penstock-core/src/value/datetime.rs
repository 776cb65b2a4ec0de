//! Dates and times as RFC 3339 writes them (section 5.6), to the microsecond. [`moment`](super::moment)
//! reads them in other forms as well.
//!
//! The types hold the same values as Python's `date`, `time` and `datetime`, so an accepted value
//! arrives unchanged. Values that they cannot hold are refused by name and never changed to a near
//! one: the year 0, a leap second, an instant finer than a microsecond.
//!
//! The parser follows the RFC's grammar to the letter, including the lower-case `t` and `z` and the
//! space between date and time, with one extension: the offset may be absent. The value is then
//! *naive*, a time on a clock of unknown place, and has an offset of `None`.

use std::borrow::Cow;
use std::fmt;

/// A day of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to the length of the month.
    pub day: u8,
}

/// A time of day, and the offset of its clock from UTC if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999.
    pub microsecond: u32,
    /// The clock's distance from UTC, or `None` if the text does not say.
    pub offset: Option<Offset>,
}

/// A day and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// The time of that day.
    pub time: Time,
}

impl Time {
    /// The same time as an object of Python keeps it, in which an offset of nothing is UTC.
    #[must_use]
    pub fn of_objects(self) -> Self {
        match self.offset {
            Some(Offset::Minutes(0) | Offset::Microseconds(0)) => {
                Time { offset: Some(Offset::Utc), ..self }
            }
            _ => self,
        }
    }
}

/// How far a clock is ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// UTC itself: `Z`, or `-00:00`, which the RFC gives the same meaning.
    Utc,
    /// This many minutes to the east, -1439 to 1439. `+00:00` is 0: a clock that shows UTC.
    Minutes(i16),
    /// This many microseconds to the east, less than a day. RFC 3339 has no such offset.
    Microseconds(i64),
}

impl Offset {
    /// The offset of so many minutes to the east or the west.
    pub(super) fn of_minutes(west: bool, minutes: i16) -> Self {
        match (west, minutes) {
            (false, _) => Offset::Minutes(minutes),
            (true, 0) => Offset::Utc,
            (true, _) => Offset::Minutes(-minutes),
        }
    }
}

/// Why a text is not a date or a time, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The first invalid byte, counted from the beginning of the text; its length if the text ends
    /// too early.
    pub at: usize,
    /// The problem there.
    pub problem: Problem,
}

/// The problems of a date or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// No digit where this part needs one.
    Digit(Part),
    /// A character that is not allowed here.
    Expected(&'static str),
    /// A part beyond its bounds.
    Range {
        /// The part.
        part: Part,
        /// The number in the text.
        value: u16,
        /// The smallest allowed number.
        least: u16,
        /// The largest allowed number.
        most: u16,
    },
    /// A day beyond the end of its month.
    Day {
        /// The year, which matters in February.
        year: u16,
        /// The month.
        month: u8,
        /// The day as written.
        day: u8,
        /// The month's length.
        most: u8,
    },
    /// The time ends after its minute.
    NoSeconds,
    /// Second 60.
    LeapSecond,
    /// A digit other than 0 after the sixth of the fraction.
    Finer,
    /// More text after the value.
    Behind,
    /// A date with a time zone, for a type that holds only a day.
    Zone,
    /// Midnight at the end of 9999-12-31, which would be a day of the year 10000.
    EndOfTime,
    /// A day of a week that ends after the year 9999.
    EndOfCalendar,
    /// A weekday that is not that of the date.
    OtherWeekday,
}

/// A part of a date or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Four digits.
    Year,
    /// Two digits.
    Month,
    /// Two digits.
    Day,
    /// Two digits.
    Hour,
    /// Two digits.
    Minute,
    /// Two digits.
    Second,
    /// One digit or more.
    Fraction,
    /// The two digits of the offset's hours.
    OffsetHour,
    /// The two digits of the offset's minutes.
    OffsetMinute,
    /// The two digits of the offset's seconds.
    OffsetSecond,
    /// The two digits of a week.
    Week,
    /// The digit of a day of a week, Monday being 1.
    Weekday,
    /// The three digits of a day of a year.
    DayOfYear,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Year => "year",
            Part::Month => "month",
            Part::Day => "day",
            Part::Hour => "hour",
            Part::Minute => "minute",
            Part::Second => "second",
            Part::Fraction => "fraction",
            Part::OffsetHour => "offset hour",
            Part::OffsetMinute => "offset minute",
            Part::OffsetSecond => "offset second",
            Part::Week => "week",
            Part::Weekday => "weekday",
            Part::DayOfYear => "day of the year",
        }
    }
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Reason {
    /// The problem, as a clause in the user's terms.
    ///
    /// ```
    /// use penstock_core::value::datetime::date;
    ///
    /// let reason = date(b"2023-13-01").expect_err("there is no such month");
    /// assert_eq!(reason.message(), "month 13 is not in 1..12");
    /// assert_eq!(reason.at, 5);
    /// ```
    #[must_use]
    pub fn message(&self) -> Cow<'static, str> {
        match self.problem {
            Problem::Digit(part) => format!("expected a digit of the {}", part.name()).into(),
            Problem::Expected(what) => format!("expected {what}").into(),
            Problem::Range { part, value, least, most } => {
                format!("{} {value} is not in {least}..{most}", part.name()).into()
            }
            Problem::Day { year, month, day, most } => {
                let month = MONTHS[usize::from(month - 1)];
                format!("day {day} is not in 1..{most} of {month} {year}").into()
            }
            Problem::NoSeconds => "the seconds are missing".into(),
            Problem::LeapSecond => "a leap second (:60) is not supported".into(),
            Problem::Finer => "the fraction is finer than a microsecond".into(),
            Problem::Behind => "unexpected text after the value".into(),
            Problem::Zone => "a date cannot keep a time zone".into(),
            Problem::EndOfTime => "hour 24 of 9999-12-31 is in the year 10000".into(),
            Problem::EndOfCalendar => "the day is in the year 10000".into(),
            Problem::OtherWeekday => "the date is another day of the week".into(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for Reason {}

/// Parses all of `text` as an instant or naive time: a date, one of `T`, `t` and a space, and a
/// time.
///
/// ```
/// use penstock_core::value::datetime::{Offset, datetime};
///
/// let value = datetime(b"2024-02-29T23:59:01.25+05:30")?;
/// assert_eq!((value.date.year, value.date.month, value.date.day), (2024, 2, 29));
/// assert_eq!(value.time.microsecond, 250_000);
/// assert_eq!(value.time.offset, Some(Offset::Minutes(330)));
/// assert_eq!(datetime(b"2024-02-29 23:59:01")?.time.offset, None);
/// # Ok::<(), penstock_core::value::datetime::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn datetime(text: &[u8]) -> Result<DateTime, Reason> {
    let mut cursor = Cursor::new(text);
    let date = cursor.date()?;
    cursor.pass(b"Tt ", "'T' between date and time")?;
    let time = cursor.time()?;
    cursor.end()?;
    Ok(DateTime { date, time })
}

/// As [`datetime`], but `24:00:00` is the first instant of the next day, as in XML Schema.
///
/// ```
/// use penstock_core::value::datetime::{datetime, datetime_to_24};
///
/// assert_eq!(datetime_to_24(b"1999-12-31T24:00:00Z"), datetime(b"2000-01-01T00:00:00Z"));
/// assert!(datetime_to_24(b"1999-12-31T24:00:01Z").is_err());
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn datetime_to_24(text: &[u8]) -> Result<DateTime, Reason> {
    Cursor { most_hour: 24, ..Cursor::new(text) }.datetime_to_24()
}

/// As [`time`], but `24:00:00` is midnight, as in XML Schema.
///
/// ```
/// use penstock_core::value::datetime::{time, time_to_24};
///
/// assert_eq!(time_to_24(b"24:00:00.0+01:00"), time(b"00:00:00+01:00"));
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn time_to_24(text: &[u8]) -> Result<Time, Reason> {
    Cursor { most_hour: 24, ..Cursor::new(text) }.time_to_24()
}

/// As [`date`], but a time zone after the day is refused by name, because a date cannot hold it.
///
/// ```
/// use penstock_core::value::datetime::date_without_zone;
///
/// let reason = date_without_zone(b"1999-12-31Z").expect_err("it has a time zone");
/// assert_eq!((reason.at, &*reason.message()), (10, "a date cannot keep a time zone"));
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn date_without_zone(text: &[u8]) -> Result<Date, Reason> {
    let mut cursor = Cursor::new(text);
    let date = cursor.date()?;
    let at = cursor.at;
    if matches!(cursor.offset(), Ok(Some(_))) && cursor.end().is_ok() {
        return Err(Reason { at, problem: Problem::Zone });
    }
    cursor.at = at;
    cursor.end()?;
    Ok(date)
}

/// Parses all of `text` as a day: `YYYY-MM-DD`.
///
/// ```
/// use penstock_core::value::datetime::{Date, date};
///
/// assert_eq!(date(b"1999-12-31")?, Date { year: 1999, month: 12, day: 31 });
/// assert!(date(b"1999-12-31T00:00:00Z").is_err());
/// # Ok::<(), penstock_core::value::datetime::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn date(text: &[u8]) -> Result<Date, Reason> {
    let mut cursor = Cursor::new(text);
    let date = cursor.date()?;
    cursor.end()?;
    Ok(date)
}

/// Parses all of `text` as a time of day: `hh:mm:ss`, an optional fraction, an optional offset.
///
/// ```
/// use penstock_core::value::datetime::{Offset, time};
///
/// let value = time(b"08:30:00.000001Z")?;
/// assert_eq!((value.hour, value.minute, value.second), (8, 30, 0));
/// assert_eq!((value.microsecond, value.offset), (1, Some(Offset::Utc)));
/// assert_eq!(time(b"08:30").expect_err("too short").message(), "the seconds are missing");
/// # Ok::<(), penstock_core::value::datetime::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn time(text: &[u8]) -> Result<Time, Reason> {
    let mut cursor = Cursor::new(text);
    let time = cursor.time()?;
    cursor.end()?;
    Ok(time)
}

impl Date {
    /// The day, if its month, whose number is from 1 to 12, has it.
    pub(super) fn new(year: u16, month: u8, day: u8) -> Result<Date, Problem> {
        let most = days(year, month);
        match day <= most {
            true => Ok(Date { year, month, day }),
            false => Err(Problem::Day { year, month, day, most }),
        }
    }

    /// The day of this number, if the calendar has it. The first day of the year 1 has the number 0.
    pub(super) fn from_number(number: u32) -> Option<Date> {
        // Years are counted from March, so that a leap day is the last day of its year.
        let days = number + 306;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
        let year = u16::try_from(year + 400 * era).ok().filter(|year| *year < 10_000)?;
        Some(Date { year, month: month as u8, day: day as u8 })
    }

    /// The number of days from the first day of the year 1.
    pub(super) fn to_number(self) -> u32 {
        let Date { year, month, day } = self;
        let (year, months) = (u32::from(year) - 1, 1..month);
        let before = year * 365 + year / 4 - year / 100 + year / 400;
        before + months.map(|it| u32::from(days(self.year, it))).sum::<u32>() + u32::from(day) - 1
    }

    /// The day of the week, Monday being 0.
    pub(super) fn weekday(self) -> u32 {
        self.to_number() % 7
    }

    /// The day after this one, if the calendar has it.
    fn next(self) -> Option<Date> {
        let Date { year, month, day } = self;
        if day < days(year, month) {
            return Some(Date { day: day + 1, ..self });
        }
        match (year, month) {
            (9999, 12) => None,
            (_, 12) => Some(Date { year: year + 1, month: 1, day: 1 }),
            _ => Some(Date { month: month + 1, day: 1, ..self }),
        }
    }
}

/// The length of a month.
pub(super) fn days(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

/// The microseconds of one unit in each place of the fraction.
const PLACES: [u32; 6] = [100_000, 10_000, 1_000, 100, 10, 1];

/// The two-digit numbers at these positions. None if one of the bytes is not a digit.
#[inline(always)]
fn pairs<const N: usize>(text: &[u8], places: [usize; N]) -> Option<[u8; N]> {
    let mut beyond = false;
    // The compiler does not inline the closure that `map` of an array takes.
    let mut pairs = [0; N];
    for (pair, &at) in pairs.iter_mut().zip(&places) {
        let (tens, ones) = (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
        beyond |= tens > 9 || ones > 9;
        *pair = tens.wrapping_mul(10).wrapping_add(ones);
    }
    (!beyond).then_some(pairs)
}

/// Parses `YYYY-MM-DD` if it is valid. If not, the walk finds the fault and its position.
#[inline(always)]
fn plain_date(text: &[u8; 10]) -> Option<Date> {
    let [century, rest, month, day] = pairs(text, [0, 2, 5, 8])?;
    let year = u16::from(century) * 100 + u16::from(rest);
    let known = year > 0 && (1..=12).contains(&month) && text[4] == b'-' && text[7] == b'-';
    (known && (1..=days(year, month)).contains(&day)).then_some(Date { year, month, day })
}

/// The same for `hh:mm:ss`; its hour is below 24.
#[inline(always)]
fn plain_time(text: &[u8; 8]) -> Option<(u8, u8, u8)> {
    let [hour, minute, second] = pairs(text, [0, 3, 6])?;
    let known = hour < 24 && minute < 60 && second < 60 && text[2] == b':' && text[5] == b':';
    known.then_some((hour, minute, second))
}

/// Walks over the text, one part of the grammar at a time.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    /// 23, or 24 if that may mean the end of a day.
    pub(super) most_hour: u16,
    /// Whether digits beyond microseconds are dropped.
    pub(super) cut: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Cursor { text, at: 0, most_hour: 23, cut: false }
    }

    /// All of the text as a date with a time, which may be 24:00.
    pub(super) fn datetime_to_24(mut self) -> Result<DateTime, Reason> {
        let mut date = self.date()?;
        self.pass(b"Tt ", "'T' between date and time")?;
        let at = self.at;
        let mut time = self.time()?;
        self.end()?;
        if time.hour == 24 {
            time.hour = 0;
            date = date.next().ok_or(Reason { at, problem: Problem::EndOfTime })?;
        }
        Ok(DateTime { date, time })
    }

    /// All of the text as a time, which may be 24:00.
    pub(super) fn time_to_24(mut self) -> Result<Time, Reason> {
        let mut time = self.time()?;
        self.end()?;
        time.hour %= 24;
        Ok(time)
    }

    fn date(&mut self) -> Result<Date, Reason> {
        if let Some(date) = self.text[self.at..].first_chunk().and_then(plain_date) {
            self.at += 10;
            return Ok(date);
        }
        let year = self.number(Part::Year, 4, 1, 9999)?;
        self.pass(b"-", "'-' after the year")?;
        let month = self.two(Part::Month, 1, 12)?;
        self.pass(b"-", "'-' after the month")?;
        let at = self.at;
        let day = self.two(Part::Day, 1, 31)?;
        Date::new(year, month, day).map_err(|problem| Reason { at, problem })
    }

    fn time(&mut self) -> Result<Time, Reason> {
        if let Some((hour, minute, second)) =
            self.text[self.at..].first_chunk().and_then(plain_time)
        {
            self.at += 8;
            let microsecond = self.fraction()?;
            let offset = self.offset()?;
            return Ok(Time { hour, minute, second, microsecond, offset });
        }
        let at = self.at;
        let hour = self.two(Part::Hour, 0, self.most_hour)?;
        self.pass(b":", "':' after the hour")?;
        let minute = self.two(Part::Minute, 0, 59)?;
        if self.peek() != Some(b':') {
            return Err(Reason { at: self.at, problem: Problem::NoSeconds });
        }
        self.at += 1;
        let second = self.second()?;
        let microsecond = self.fraction()?;
        if hour == 24 && (minute, second, microsecond) != (0, 0, 0) {
            let problem = Problem::Range { part: Part::Hour, value: 24, least: 0, most: 23 };
            return Err(Reason { at, problem });
        }
        let offset = self.offset()?;
        Ok(Time { hour, minute, second, microsecond, offset })
    }

    /// The fraction of a second, if there is one, in microseconds.
    fn fraction(&mut self) -> Result<u32, Reason> {
        if self.peek() != Some(b'.') {
            return Ok(0);
        }
        self.at += 1;
        self.places()
    }

    /// The digits of a fraction of a second, in microseconds.
    pub(super) fn places(&mut self) -> Result<u32, Reason> {
        let mut microseconds = u32::from(self.digit(Part::Fraction)?) * PLACES[0];
        let mut places = PLACES[1..].iter();
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let at = self.at;
            let digit = self.digit(Part::Fraction)?;
            match places.next() {
                Some(place) => microseconds += u32::from(digit) * place,
                None if digit == 0 || self.cut => {}
                None => return Err(Reason { at, problem: Problem::Finer }),
            }
        }
        Ok(microseconds)
    }

    fn offset(&mut self) -> Result<Option<Offset>, Reason> {
        let west = match self.sign(b"Zz") {
            Ok(west) => west,
            Err(offset) => return Ok(offset),
        };
        let hours = self.number(Part::OffsetHour, 2, 0, 23)?;
        self.pass(b":", "':' after the hours of the offset")?;
        let minutes = self.number(Part::OffsetMinute, 2, 0, 59)?;
        Ok(Some(Offset::of_minutes(west, (hours * 60 + minutes) as i16)))
    }

    /// Passes the sign of an offset: true for one to the west. Without a sign, the whole offset: UTC
    /// for one of the bytes `utc`, which it passes, or nothing.
    pub(super) fn sign(&mut self, utc: &[u8]) -> Result<bool, Option<Offset>> {
        let found = match self.peek() {
            Some(b'+') => Ok(false),
            Some(b'-') => Ok(true),
            Some(byte) if utc.contains(&byte) => Err(Some(Offset::Utc)),
            _ => return Err(None),
        };
        self.at += 1;
        found
    }

    /// The end of the text.
    pub(super) fn end(&self) -> Result<(), Reason> {
        if self.at == self.text.len() {
            return Ok(());
        }
        Err(Reason { at: self.at, problem: Problem::Behind })
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes one of the bytes `any`; `what` describes them in messages.
    pub(super) fn pass(&mut self, any: &[u8], what: &'static str) -> Result<(), Reason> {
        if !self.peek().is_some_and(|byte| any.contains(&byte)) {
            return Err(Reason { at: self.at, problem: Problem::Expected(what) });
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn digit(&mut self, part: Part) -> Result<u8, Reason> {
        match self.peek().map(|byte| byte.wrapping_sub(b'0')) {
            Some(digit @ 0..=9) => {
                self.at += 1;
                Ok(digit)
            }
            _ => Err(Reason { at: self.at, problem: Problem::Digit(part) }),
        }
    }

    /// A part of exactly `width` digits and its bounds.
    pub(super) fn number(
        &mut self,
        part: Part,
        width: u8,
        least: u16,
        most: u16,
    ) -> Result<u16, Reason> {
        let at = self.at;
        let mut value = 0;
        for _ in 0..width {
            value = value * 10 + u16::from(self.digit(part)?);
        }
        if !(least..=most).contains(&value) {
            return Err(Reason { at, problem: Problem::Range { part, value, least, most } });
        }
        Ok(value)
    }

    /// A part of two digits.
    pub(super) fn two(&mut self, part: Part, least: u16, most: u16) -> Result<u8, Reason> {
        Ok(self.number(part, 2, least, most)? as u8)
    }
}

#[cfg(test)]
mod tests;
