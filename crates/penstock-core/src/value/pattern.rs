//! Dates and times in a form that the user spells as for `datetime.strptime`.
//!
//! The pattern is compiled once. It is stricter than `strptime`, so that each text has one meaning:
//! names are English whatever the locale, a number directly before another number has all its
//! digits, and a weekday must be that of the date.

use super::datetime::{Cursor, Date, DateTime, MONTHS, Offset, Part, Problem, Reason, Time};
use super::moment::Of;

/// A compiled pattern.
///
/// ```
/// use penstock_core::value::datetime::datetime;
/// use penstock_core::value::moment::Of;
/// use penstock_core::value::pattern::Pattern;
///
/// let log = Pattern::new("%d/%b/%Y:%H:%M:%S %z").unwrap();
/// assert!(log.fits(Of::DateTime).is_ok());
/// let found = log.read(b"01/Mar/2026:12:30:00 +0100", false);
/// assert_eq!(found, datetime(b"2026-03-01T12:30:00+01:00"));
/// assert_eq!(Pattern::new("%Q").unwrap_err(), "%Q is no directive");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    items: Box<[Item]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    /// Exactly this text.
    Text(Box<[u8]>),
    /// White space, at least one character.
    Space,
    /// A part; true if its number has all its digits, because another number follows directly.
    Part(Directive, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Year,
    YearOfCentury,
    Month,
    MonthName,
    MonthAbbreviated,
    Day,
    DayOfYear,
    WeekdayName,
    WeekdayAbbreviated,
    Hour,
    HourOf12,
    HalfOfDay,
    Minute,
    Second,
    Fraction,
    Offset,
}

use Directive as D;

/// The letter of each directive.
const LETTERS: [(char, Directive); 16] = [
    ('Y', D::Year),
    ('y', D::YearOfCentury),
    ('m', D::Month),
    ('B', D::MonthName),
    ('b', D::MonthAbbreviated),
    ('d', D::Day),
    ('j', D::DayOfYear),
    ('A', D::WeekdayName),
    ('a', D::WeekdayAbbreviated),
    ('H', D::Hour),
    ('I', D::HourOf12),
    ('p', D::HalfOfDay),
    ('M', D::Minute),
    ('S', D::Second),
    ('f', D::Fraction),
    ('z', D::Offset),
];

/// Directives for the same part, of which a pattern has one.
const ALIKE: [&[Directive]; 6] = [
    &[D::Year, D::YearOfCentury],
    &[D::Month, D::MonthName, D::MonthAbbreviated, D::DayOfYear],
    &[D::Day, D::DayOfYear],
    &[D::WeekdayName, D::WeekdayAbbreviated],
    &[D::Hour, D::HourOf12],
    &[D::Hour, D::HalfOfDay],
];

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl Directive {
    fn is_number(self) -> bool {
        !matches!(
            self,
            D::MonthName
                | D::MonthAbbreviated
                | D::WeekdayName
                | D::WeekdayAbbreviated
                | D::HalfOfDay
                | D::Offset
        )
    }
}

/// The parts that a text gives.
#[derive(Default)]
struct Found {
    year: u16,
    month: u8,
    day: u16,
    weekday: Option<u32>,
    hour: u8,
    afternoon: Option<bool>,
    minute: u8,
    second: u8,
    microsecond: u32,
    offset: Option<Offset>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let mut items: Vec<Item> = Vec::new();
        let mut letters = pattern.chars().peekable();
        let mut text = String::new();
        let flush = |text: &mut String, items: &mut Vec<Item>| {
            if !text.is_empty() {
                items.push(Item::Text(std::mem::take(text).into_bytes().into()));
            }
        };
        while let Some(letter) = letters.next() {
            if letter.is_ascii_whitespace() {
                flush(&mut text, &mut items);
                if items.last() != Some(&Item::Space) {
                    items.push(Item::Space);
                }
                continue;
            }
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let Some(letter) = letters.next() else {
                return Err("it ends after a %".to_owned());
            };
            if letter == '%' {
                text.push('%');
                continue;
            }
            let known = LETTERS.iter().find(|(known, _)| *known == letter);
            let Some(&(_, directive)) = known else {
                return Err(format!("%{} is no directive", letter.escape_debug()));
            };
            flush(&mut text, &mut items);
            if let Some(Item::Part(before, all)) = items.last_mut() {
                *all = before.is_number() && directive.is_number();
            }
            items.push(Item::Part(directive, false));
        }
        flush(&mut text, &mut items);
        let made = Pattern { items: items.into() };
        made.check()?;
        Ok(made)
    }

    fn has(&self, directive: Directive) -> bool {
        self.count(directive) > 0
    }

    fn count(&self, directive: Directive) -> usize {
        let same = |item: &&Item| matches!(item, Item::Part(it, _) if *it == directive);
        self.items.iter().filter(same).count()
    }

    /// Refuses parts that occur twice, and those that mean nothing without another.
    fn check(&self) -> Result<(), String> {
        let letter =
            |directive| LETTERS.iter().find(|(_, it)| *it == directive).map_or('%', |it| it.0);
        for (letter, directive) in LETTERS {
            if self.count(directive) > 1 {
                return Err(format!("%{letter} occurs twice"));
            }
        }
        for alike in ALIKE {
            let mut present = alike.iter().filter(|it| self.has(**it));
            if let (Some(one), Some(more)) = (present.next(), present.next()) {
                return Err(format!("%{} and %{} exclude each other", letter(*one), letter(*more)));
            }
        }
        let hour = if self.has(D::HourOf12) { D::HourOf12 } else { D::Hour };
        for (one, other) in [
            (D::HourOf12, D::HalfOfDay),
            (D::HalfOfDay, D::HourOf12),
            (D::Minute, hour),
            (D::Second, D::Minute),
            (D::Fraction, D::Second),
            (D::Offset, hour),
        ] {
            if self.has(one) && !self.has(other) {
                return Err(format!("%{} needs %{}", letter(one), letter(other)));
            }
        }
        Ok(())
    }

    /// Checks that the pattern gives all parts of a type, and none that it would lose.
    ///
    /// # Errors
    /// What is missing or too much, in words.
    pub fn fits(&self, of: Of) -> Result<(), &'static str> {
        let any = |all: &[Directive]| all.iter().any(|it| self.has(*it));
        let year = any(&[D::Year, D::YearOfCentury]);
        let month = any(&[D::Month, D::MonthName, D::MonthAbbreviated]);
        let date = year && (self.has(D::DayOfYear) || (month && self.has(D::Day)));
        let weekday = any(&[D::WeekdayName, D::WeekdayAbbreviated]);
        let of_date = year || month || weekday || any(&[D::Day, D::DayOfYear]);
        let hour = any(&[D::Hour, D::HourOf12]);
        match of {
            Of::DateTime | Of::Date if !date => Err("it lacks the year, the month or the day"),
            Of::Date if hour => Err("a date cannot keep a time"),
            Of::Time if of_date => Err("a time cannot keep a date"),
            Of::Time if !hour => Err("it lacks the hour"),
            _ => Ok(()),
        }
    }

    /// Reads all of a text; the parts that the pattern does not have are 0, and the first day of the
    /// year 1. If `cut`, digits beyond microseconds are dropped.
    ///
    /// # Errors
    /// The first fault of the text.
    pub fn read(&self, text: &[u8], cut: bool) -> Result<DateTime, Reason> {
        let mut cursor = Cursor { cut, ..Cursor::new(text) };
        let mut found = Found { year: 1, month: 1, day: 1, ..Found::default() };
        for item in &self.items {
            match item {
                Item::Text(text) if cursor.text[cursor.at..].starts_with(text) => {
                    cursor.at += text.len();
                }
                Item::Text(_) => {
                    let problem = Problem::Expected("the text of the pattern");
                    return Err(Reason { at: cursor.at, problem });
                }
                Item::Space => {
                    cursor.pass(b" \t\n\r\x0b\x0c", "white space")?;
                    while cursor.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                        cursor.at += 1;
                    }
                }
                Item::Part(directive, all) => cursor.part(*directive, *all, &mut found)?,
            }
        }
        cursor.end()?;
        let reason = |problem| Reason { at: text.len(), problem };
        let date = if self.has(D::DayOfYear) {
            let first = Date { year: found.year, month: 1, day: 1 };
            let date = Date::from_number(first.to_number() + u32::from(found.day) - 1);
            let beyond =
                Problem::Range { part: Part::DayOfYear, value: found.day, least: 1, most: 365 };
            date.filter(|date| date.year == found.year).ok_or(reason(beyond))?
        } else {
            Date::new(found.year, found.month, found.day as u8).map_err(reason)?
        };
        if found.weekday.is_some_and(|weekday| weekday != date.weekday()) {
            return Err(reason(Problem::OtherWeekday));
        }
        let hour = match found.afternoon {
            Some(afternoon) => found.hour % 12 + if afternoon { 12 } else { 0 },
            None => found.hour,
        };
        let Found { minute, second, microsecond, offset, .. } = found;
        Ok(DateTime { date, time: Time { hour, minute, second, microsecond, offset } })
    }

    /// Appends a value in this form, with names as here and numbers with all their digits. Returns
    /// false if it would not be read back: the form lacks a part that is not 0, or the zone.
    ///
    /// ```
    /// use penstock_core::value::datetime::datetime;
    /// use penstock_core::value::pattern::Pattern;
    ///
    /// let value = datetime(b"2026-03-01T12:30:00+01:00").unwrap();
    /// let (log, mut text) = (Pattern::new("%d/%b/%Y:%H:%M:%S %z").unwrap(), Vec::new());
    /// assert!(log.print(value, &mut text));
    /// assert_eq!(text, b"01/Mar/2026:12:30:00 +0100");
    /// assert!(!Pattern::new("%Y-%m-%d").unwrap().print(value, &mut text));
    /// ```
    pub fn print(&self, value: DateTime, out: &mut Vec<u8>) -> bool {
        let DateTime { date, time } = value;
        let before = out.len();
        for item in &self.items {
            match item {
                Item::Text(text) => out.extend_from_slice(text),
                Item::Space => out.push(b' '),
                Item::Part(directive, _) => part(*directive, date, time, out),
            }
        }
        let same = |a: Option<Offset>, b: Option<Offset>| a.map(micros) == b.map(micros);
        let read = self.read(&out[before..], false);
        read.is_ok_and(|read| {
            let offset = time.offset;
            same(read.time.offset, offset)
                && DateTime { time: Time { offset, ..read.time }, ..read } == value
        })
    }
}

/// An offset in microseconds.
fn micros(offset: Offset) -> i64 {
    match offset {
        Offset::Utc => 0,
        Offset::Minutes(minutes) => i64::from(minutes) * 60_000_000,
        Offset::Microseconds(micros) => micros,
    }
}

/// Appends a number with so many digits.
fn digits(value: u32, width: usize, out: &mut Vec<u8>) {
    let text = format!("{value:0width$}");
    out.extend_from_slice(text.as_bytes());
}

/// Appends one part of a value.
fn part(directive: Directive, date: Date, time: Time, out: &mut Vec<u8>) {
    let name = |name: &str, abbreviated: bool, out: &mut Vec<u8>| {
        let name = name.as_bytes();
        out.extend_from_slice(if abbreviated { &name[..3] } else { name });
    };
    let month = MONTHS[usize::from(date.month - 1) % 12];
    let weekday = WEEKDAYS[date.weekday() as usize % 7];
    let first = Date { month: 1, day: 1, ..date };
    match directive {
        D::Year => digits(date.year.into(), 4, out),
        D::YearOfCentury => digits(u32::from(date.year) % 100, 2, out),
        D::Month => digits(date.month.into(), 2, out),
        D::MonthName => name(month, false, out),
        D::MonthAbbreviated => name(month, true, out),
        D::Day => digits(date.day.into(), 2, out),
        D::DayOfYear => digits(date.to_number() - first.to_number() + 1, 3, out),
        D::WeekdayName => name(weekday, false, out),
        D::WeekdayAbbreviated => name(weekday, true, out),
        D::Hour => digits(time.hour.into(), 2, out),
        D::HourOf12 => digits((u32::from(time.hour) + 11) % 12 + 1, 2, out),
        D::HalfOfDay => out.extend_from_slice(if time.hour < 12 { b"AM" } else { b"PM" }),
        D::Minute => digits(time.minute.into(), 2, out),
        D::Second => digits(time.second.into(), 2, out),
        D::Fraction => digits(time.microsecond, 6, out),
        D::Offset => {
            let Some(offset) = time.offset.map(micros) else { return };
            out.push(if offset < 0 { b'-' } else { b'+' });
            let micros = offset.unsigned_abs();
            let (seconds, micros) = (micros / 1_000_000, (micros % 1_000_000) as u32);
            digits((seconds / 3_600) as u32, 2, out);
            digits((seconds / 60 % 60) as u32, 2, out);
            if seconds % 60 > 0 || micros > 0 {
                digits((seconds % 60) as u32, 2, out);
            }
            if micros > 0 {
                out.push(b'.');
                digits(micros, 6, out);
            }
        }
    }
}

impl Cursor<'_> {
    fn part(&mut self, directive: Directive, all: bool, found: &mut Found) -> Result<(), Reason> {
        match directive {
            D::Year => found.year = self.number(Part::Year, 4, 1, 9999)?,
            D::YearOfCentury => {
                let year = self.number(Part::Year, 2, 0, 99)?;
                found.year = year + if year < 69 { 2000 } else { 1900 };
            }
            D::Month => found.month = self.some(Part::Month, 2, all, 1, 12)? as u8,
            D::MonthName => found.month = 1 + self.name(&MONTHS, false, "a month")? as u8,
            D::MonthAbbreviated => found.month = 1 + self.name(&MONTHS, true, "a month")? as u8,
            D::Day => found.day = self.some(Part::Day, 2, all, 1, 31)?,
            D::DayOfYear => found.day = self.some(Part::DayOfYear, 3, all, 1, 366)?,
            D::WeekdayName => {
                found.weekday = Some(self.name(&WEEKDAYS, false, "a day of the week")? as u32);
            }
            D::WeekdayAbbreviated => {
                found.weekday = Some(self.name(&WEEKDAYS, true, "a day of the week")? as u32);
            }
            D::Hour => found.hour = self.some(Part::Hour, 2, all, 0, 23)? as u8,
            D::HourOf12 => found.hour = self.some(Part::Hour, 2, all, 1, 12)? as u8,
            D::HalfOfDay => {
                found.afternoon = Some(self.name(&["AM", "PM"], false, "AM or PM")? == 1);
            }
            D::Minute => found.minute = self.some(Part::Minute, 2, all, 0, 59)? as u8,
            D::Second if self.text[self.at..].starts_with(b"60") => {
                return Err(Reason { at: self.at, problem: Problem::LeapSecond });
            }
            D::Second => found.second = self.some(Part::Second, 2, all, 0, 59)? as u8,
            D::Fraction => found.microsecond = self.places()?,
            D::Offset => match self.iso_offset()? {
                None => {
                    let problem = Problem::Expected("an offset");
                    return Err(Reason { at: self.at, problem });
                }
                offset => found.offset = offset,
            },
        }
        Ok(())
    }

    /// A number of at most `width` digits, or of exactly as many.
    fn some(
        &mut self,
        part: Part,
        width: usize,
        all: bool,
        least: u16,
        most: u16,
    ) -> Result<u16, Reason> {
        let rest = &self.text[self.at..];
        let digits = rest.iter().take(width).take_while(|byte| byte.is_ascii_digit()).count();
        let width = if all { width } else { digits.max(1) };
        self.number(part, width as u8, least, most)
    }

    /// The index of the name that is next, in upper or lower case.
    fn name(
        &mut self,
        names: &[&str],
        abbreviated: bool,
        what: &'static str,
    ) -> Result<usize, Reason> {
        let rest = &self.text[self.at..];
        let found = names.iter().position(|name| {
            let name = if abbreviated { &name.as_bytes()[..3] } else { name.as_bytes() };
            rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name))
        });
        let Some(found) = found else {
            return Err(Reason { at: self.at, problem: Problem::Expected(what) });
        };
        self.at += if abbreviated { 3 } else { names[found].len() };
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::datetime::datetime;
    use crate::value::fixed;
    use jiff::civil;
    use proptest::prelude::*;

    fn read(pattern: &str, text: &str) -> Result<DateTime, String> {
        let pattern = Pattern::new(pattern).expect(pattern);
        pattern.read(text.as_bytes(), false).map_err(|reason| reason.message().into_owned())
    }

    #[test]
    fn texts() {
        for (pattern, text, same) in [
            ("%d.%m.%Y %H:%M", "1.3.2026 7:05", "2026-03-01T07:05:00"),
            ("%Y%m%d%H%M%S", "20260301123059", "2026-03-01T12:30:59"),
            ("%a, %d %b %Y %H:%M:%S GMT", "Sun, 01 Mar 2026  12:30:00 GMT", "2026-03-01T12:30:00"),
            ("%A %B %d %y", "sunday march 1 26", "2026-03-01T00:00:00"),
            ("%y%j", "69365", "1969-12-31T00:00:00"),
            ("%m/%d/%Y %I:%M %p", "3/1/2026 12:05 am", "2026-03-01T00:05:00"),
            ("%m/%d/%Y %I%p", "3/1/2026 12PM", "2026-03-01T12:00:00"),
            (
                "%d/%m/%Y,%H:%M:%S.%f%z",
                "01/03/2026,12:30:00.25-0130",
                "2026-03-01T12:30:00.25-01:30",
            ),
            ("100%% %Y-%m-%d", "100% 2026-03-01", "2026-03-01T00:00:00"),
        ] {
            let expected =
                datetime(same.as_bytes()).map_err(|reason| reason.message().into_owned());
            assert_eq!(read(pattern, text), expected, "{text}");
        }
    }

    #[test]
    fn faults() {
        for (pattern, text, message) in [
            ("%d.%m.%Y", "1/3/2026", "expected the text of the pattern"),
            ("%d.%m.%Y", "1.3.26", "expected a digit of the year"),
            ("%d.%m.%Y", "1.3.2026 ", "unexpected text after the value"),
            ("%d.%m.%Y", "31.4.2026", "day 31 is not in 1..30 of April 2026"),
            ("%Y%m%d", "2026301", "month 30 is not in 1..12"),
            ("%Y%m%d", "202631", "month 31 is not in 1..12"),
            ("%d %b %Y", "1 Mrz 2026", "expected a month"),
            ("%a %d.%m.%Y", "Mon 1.3.2026", "the date is another day of the week"),
            ("%Y %j", "2025 366", "day of the year 366 is not in 1..365"),
            ("%Y-%m-%d %H:%M:%S", "2026-03-01 12:30:60", "a leap second (:60) is not supported"),
            ("%Y-%m-%d %I%p", "2026-03-01 13PM", "hour 13 is not in 1..12"),
            ("%Y-%m-%d %H%z", "2026-03-01 13", "expected an offset"),
            ("%Y-%m-%d %H", "2026-03-01T13", "expected white space"),
        ] {
            assert_eq!(read(pattern, text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn patterns_that_are_none() {
        for (pattern, message) in [
            ("%d.%m.%", "it ends after a %"),
            ("%Z", "%Z is no directive"),
            ("%Y %Y", "%Y occurs twice"),
            ("%Y %y", "%Y and %y exclude each other"),
            ("%H %p", "%H and %p exclude each other"),
            ("%I", "%I needs %p"),
            ("%S", "%S needs %M"),
        ] {
            assert_eq!(Pattern::new(pattern), Err(message.to_owned()), "{pattern}");
        }
        for (pattern, of, message) in [
            ("%d.%m.", Of::DateTime, "it lacks the year, the month or the day"),
            ("%Y-%m-%d %H", Of::Date, "a date cannot keep a time"),
            ("%a %H", Of::Time, "a time cannot keep a date"),
            ("x", Of::Time, "it lacks the hour"),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().fits(of), Err(message), "{pattern}");
        }
    }

    proptest! {
        #![proptest_config(fixed(2_000))]

        #[test]
        fn what_jiff_writes_is_read(
            (y, m, d) in (1_i16..=9999, 1_i8..=12, 1_i8..=31), h in 0_i8..24, min in 0_i8..60,
            s in 0_i8..60, micros in 0..1_000_000_i32, place in 0_usize..5,
        ) {
            const FORMS: [&str; 5] = [
                "%A %d %B %Y %I:%M:%S.%f %p", "%Y%m%d%H%M%S.%f", "%j.%Y %H:%M:%S.%f",
                "%a %b %d %H %M %S.%f %Y", "%d/%b/%Y:%H:%M:%S.%f",
            ];
            let Ok(date) = civil::Date::new(y, m, d) else { return Ok(()) };
            let moment = date.at(h, min, s, micros * 1_000);
            let text = moment.strftime(&FORMS[place].replace(".%f", "")).to_string();
            let found = read(&FORMS[place].replace(".%f", ""), &text).map_err(TestCaseError::fail)?;
            let expected = datetime(format!("{}T{}", date, civil::time(h, min, s, 0)).as_bytes());
            prop_assert_eq!(Ok(found), expected);
        }

        #[test]
        fn what_is_printed_is_read(
            (y, m, d) in (1_u16..=9999, 1_u8..=12, 1_u8..=31), h in 0_u8..24, min in 0_u8..60,
            s in 0_u8..60, micros in 0..1_000_000_u32, west in -86_399..86_399_i64,
            pattern in "(%[YymBbdjAaHIpMSfz]|[-a-z0-9 %]){1,9}", place in 0_usize..5,
        ) {
            const FORMS: [&str; 5] = [
                "%A %d %B %Y %I:%M:%S.%f %p %z", "%Y%m%d%H%M%S.%f%z", "%j.%Y %H:%M:%S.%f %z",
                "%a %b %d %H %M %S.%f %z %Y", "%d/%b/%Y:%H:%M:%S.%f%z",
            ];
            let Ok(date) = Date::new(y, m, d) else { return Ok(()) };
            for offset in [
                Some(Offset::Microseconds(west * 1_000_000 + i64::from(micros))),
                Some(Offset::Minutes((west / 60) as i16)),
                Some(Offset::Utc),
                None,
            ] {
                let time = Time { hour: h, minute: min, second: s, microsecond: micros, offset };
                let value = DateTime { date, time };
                let mut text = b"before".to_vec();
                let form = Pattern::new(FORMS[place]).unwrap();
                prop_assert_eq!(form.print(value, &mut text), offset.is_some());
                if let Ok(form) = Pattern::new(&pattern) {
                    text.clear();
                    if form.print(value, &mut text) {
                        let read = form.read(&text, false).map_err(|_| TestCaseError::fail("no"))?;
                        prop_assert_eq!(read.date, date);
                        prop_assert_eq!(read.time.offset.map(super::micros), offset.map(super::micros));
                    }
                }
            }
        }

        #[test]
        fn no_text_panics(text: Vec<u8>, pattern in "(%[YymBbdjAaHIpMSfz]|.)*") {
            if let Ok(pattern) = Pattern::new(&pattern) {
                let found = pattern.read(&text, true);
                prop_assert!(found.is_ok() || pattern.read(&text, false).is_err());
            }
        }
    }
}
