//! Dates and times as ISO 8601 writes them, in the forms that `datetime.fromisoformat` of CPython
//! 3.13 reads.
//!
//! That function also reads texts that are no ISO 8601, some as another value than they say: half
//! an hour in `12.5` as half a second, or the offset in `2026-03-01+02:00` as a time. Those are
//! refused, so that each accepted text has one meaning.

use super::datetime::{Cursor, Date, DateTime, Offset, Part, Problem, Reason, Time};

const MIDNIGHT: Time = Time { hour: 0, minute: 0, second: 0, microsecond: 0, offset: None };

impl Cursor<'_> {
    /// All of the text as a date, or a date and a time with one character between them.
    pub(super) fn iso_datetime(mut self) -> Result<DateTime, Reason> {
        let date = self.iso_date()?;
        if self.end().is_ok() {
            return Ok(DateTime { date, time: MIDNIGHT });
        }
        match self.peek() {
            // A digit would be part of the date, and a sign that of an offset.
            Some(b'0'..=b'9' | b'+' | b'-') => {
                let problem = Problem::Expected("'T' between date and time");
                return Err(Reason { at: self.at, problem });
            }
            _ => self.at += 1,
        }
        // The other bytes of a character beyond ASCII.
        while self.peek().is_some_and(|byte| byte & 0xc0 == 0x80) {
            self.at += 1;
        }
        let time = self.iso_clock()?;
        self.end()?;
        Ok(DateTime { date, time })
    }

    /// All of the text as a day.
    pub(super) fn iso_day(mut self) -> Result<Date, Reason> {
        let date = self.iso_date()?;
        self.end()?;
        Ok(date)
    }

    /// All of the text as a time of day.
    pub(super) fn iso_time(mut self) -> Result<Time, Reason> {
        self.take(b'T');
        let time = self.iso_clock()?;
        self.end()?;
        Ok(time)
    }

    /// Passes a byte if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn iso_date(&mut self) -> Result<Date, Reason> {
        let year = self.number(Part::Year, 4, 1, 9999)?;
        let extended = self.take(b'-');
        if self.take(b'W') {
            return self.week(year, extended);
        }
        let month = self.two(Part::Month, 1, 12)?;
        if extended {
            self.pass(b"-", "'-' after the month")?;
        }
        self.day_of(year, month)
    }

    /// The two digits of a day of this month.
    fn day_of(&mut self, year: u16, month: u8) -> Result<Date, Reason> {
        let at = self.at;
        let day = self.two(Part::Day, 1, 31)?;
        Date::new(year, month, day).map_err(|problem| Reason { at, problem })
    }

    /// The week and the weekday, which is Monday if it is absent.
    fn week(&mut self, year: u16, extended: bool) -> Result<Date, Reason> {
        let first = Date { year, month: 1, day: 1 };
        // The first week of a year is the one with its first Thursday.
        let (day, weekday) = (first.to_number(), first.weekday());
        let monday = if weekday <= 3 { day - weekday } else { day + 7 - weekday };
        let is_long = weekday == 3 || (weekday == 2 && super::datetime::days(year, 2) == 29);
        let week = self.number(Part::Week, 2, 1, if is_long { 53 } else { 52 })?;
        let has_day = match extended {
            true => self.take(b'-'),
            false => self.peek().is_some_and(|byte| byte.is_ascii_digit()),
        };
        let at = self.at;
        let weekday = if has_day { self.number(Part::Weekday, 1, 1, 7)? } else { 1 };
        let number = monday + u32::from(week - 1) * 7 + u32::from(weekday - 1);
        Date::from_number(number).ok_or(Reason { at, problem: Problem::EndOfCalendar })
    }

    /// A time with its offset, each with or without colons.
    fn iso_clock(&mut self) -> Result<Time, Reason> {
        let hour = self.two(Part::Hour, 0, 23)?;
        let extended = self.peek() == Some(b':');
        let (mut minute, mut second, mut microsecond) = (0, 0, 0);
        if self.goes_on(extended) {
            minute = self.two(Part::Minute, 0, 59)?;
            if self.goes_on(extended) {
                second = self.second()?;
                microsecond = self.iso_fraction()?;
            }
        }
        let offset = self.iso_offset()?;
        Ok(Time { hour, minute, second, microsecond, offset })
    }

    /// Whether another part of a time follows.
    fn goes_on(&mut self, extended: bool) -> bool {
        match extended {
            true => self.take(b':'),
            false => self.peek().is_some_and(|byte| byte.is_ascii_digit()),
        }
    }

    pub(super) fn second(&mut self) -> Result<u8, Reason> {
        if self.text[self.at..].starts_with(b"60") {
            return Err(Reason { at: self.at, problem: Problem::LeapSecond });
        }
        self.two(Part::Second, 0, 59)
    }

    fn iso_fraction(&mut self) -> Result<u32, Reason> {
        if self.take(b'.') || self.take(b',') { self.places() } else { Ok(0) }
    }

    /// `Z`, or hours with minutes and seconds as far as they are there.
    pub(super) fn iso_offset(&mut self) -> Result<Option<Offset>, Reason> {
        let west = match self.sign(b"Z") {
            Ok(west) => west,
            Err(offset) => return Ok(offset),
        };
        let hours = self.number(Part::OffsetHour, 2, 0, 23)?;
        let extended = self.peek() == Some(b':');
        let (mut minutes, mut seconds, mut rest) = (0, 0, 0);
        if self.goes_on(extended) {
            minutes = self.number(Part::OffsetMinute, 2, 0, 59)?;
            if self.goes_on(extended) {
                seconds = self.number(Part::OffsetSecond, 2, 0, 59)?;
                rest = self.iso_fraction()?;
            }
        }
        let minutes = (hours * 60 + minutes) as i16;
        if (seconds, rest) != (0, 0) {
            let east = (i64::from(minutes) * 60 + i64::from(seconds)) * 1_000_000 + i64::from(rest);
            return Ok(Some(Offset::Microseconds(if west { -east } else { east })));
        }
        Ok(Some(Offset::of_minutes(west, minutes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use jiff::civil;
    use proptest::prelude::*;

    fn cursor(text: &str, cut: bool) -> Cursor<'_> {
        Cursor { cut, ..Cursor::new(text.as_bytes()) }
    }

    /// Every spelling of a day.
    fn days(date: Date) -> Vec<String> {
        let Date { year, month, day } = date;
        let mut all =
            vec![format!("{year:04}-{month:02}-{day:02}"), format!("{year:04}{month:02}{day:02}")];
        let week = civil::date(year as i16, month as i8, day as i8).iso_week_date();
        let (year, number) = (week.year(), week.week());
        let weekday = week.weekday().to_monday_one_offset();
        if (1..=9999).contains(&year) {
            all.push(format!("{year:04}-W{number:02}-{weekday}"));
            all.push(format!("{year:04}W{number:02}{weekday}"));
            if weekday == 1 {
                all.push(format!("{year:04}-W{number:02}"));
                all.push(format!("{year:04}W{number:02}"));
            }
        }
        all
    }

    /// Every spelling of a clock's parts, without superfluous zeros of the fraction.
    fn clocks(parts: [u32; 4]) -> Vec<String> {
        let [hour, minute, second, micros] = parts;
        let mut all = Vec::new();
        for colon in [":", ""] {
            if micros == 0 && second == 0 {
                if minute == 0 && colon.is_empty() {
                    all.push(format!("{hour:02}"));
                }
                all.push(format!("{hour:02}{colon}{minute:02}"));
            }
            let whole = format!("{hour:02}{colon}{minute:02}{colon}{second:02}");
            if micros == 0 {
                all.push(whole.clone());
            }
            let digits = format!("{micros:06}");
            let digits = digits.trim_end_matches('0');
            for point in [".", ","] {
                let digits = if digits.is_empty() { "0" } else { digits };
                all.push(format!("{whole}{point}{digits}"));
            }
        }
        all
    }

    fn offsets(offset: Option<Offset>) -> Vec<String> {
        let Some(offset) = offset else { return vec![String::new()] };
        let micros = match offset {
            Offset::Utc => 0,
            Offset::Minutes(minutes) => i64::from(minutes) * 60_000_000,
            Offset::Microseconds(micros) => micros,
        };
        let sign = if micros < 0 || offset == Offset::Utc { "-" } else { "+" };
        let all = micros.unsigned_abs();
        let seconds = all / 1_000_000;
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60, all % 1_000_000];
        let clocks = clocks(parts.map(|part| part as u32));
        let mut all: Vec<_> = clocks.iter().map(|clock| format!("{sign}{clock}")).collect();
        if offset == Offset::Utc {
            all.push("Z".into());
        }
        all
    }

    fn times(time: Time) -> Vec<String> {
        let Time { hour, minute, second, microsecond, offset } = time;
        let parts = [hour.into(), minute.into(), second.into(), microsecond];
        let offsets = offsets(offset);
        let with = |clock: &String| offsets.iter().map(|it| format!("{clock}{it}")).collect();
        clocks(parts).iter().flat_map(|clock: &String| -> Vec<String> { with(clock) }).collect()
    }

    fn any_date() -> impl Strategy<Value = Date> {
        let years = prop_oneof![1_i16..=9999, Just(1), Just(9999), 2019_i16..2030];
        (years, 1_i8..=12, 1_i8..=31).prop_filter_map("no such day", |(y, m, d)| {
            civil::Date::new(y, m, d).ok().map(|_| Date {
                year: y as u16,
                month: m as u8,
                day: d as u8,
            })
        })
    }

    fn any_time() -> impl Strategy<Value = Time> {
        let part = |most: u8| prop_oneof![Just(0), 0..most];
        let micros = || prop_oneof![Just(0), Just(500_000), 0..1_000_000_u32];
        let offset = prop_oneof![
            Just(None),
            Just(Some(Offset::Utc)),
            (-1439_i16..1440).prop_map(|minutes| Some(Offset::Minutes(minutes))),
            (-86_399_999_999_i64..86_400_000_000)
                .prop_filter("whole minutes", |it| it % 60_000_000 != 0)
                .prop_map(|micros| Some(Offset::Microseconds(micros))),
        ];
        (part(24), part(60), part(60), micros(), offset).prop_map(
            |(hour, minute, second, microsecond, offset)| Time {
                hour,
                minute,
                second,
                microsecond,
                offset,
            },
        )
    }

    proptest! {
        #![proptest_config(fixed(1_000))]

        #[test]
        fn every_spelling_is_read(date in any_date(), time in any_time(), between in "[Tt _/é]") {
            for day in days(date) {
                prop_assert_eq!(cursor(&day, false).iso_day(), Ok(date), "{}", day);
                let midnight = DateTime { date, time: MIDNIGHT };
                prop_assert_eq!(cursor(&day, false).iso_datetime(), Ok(midnight), "{}", day);
                for clock in times(time) {
                    prop_assert_eq!(cursor(&clock, false).iso_time(), Ok(time), "{}", clock);
                    let text = format!("{day}{between}{clock}");
                    let value = DateTime { date, time };
                    prop_assert_eq!(cursor(&text, false).iso_datetime(), Ok(value), "{}", text);
                }
            }
        }

        /// The twin knows all spellings of a value. What is read as the value is one of them.
        #[test]
        fn nothing_else_is_read(
            date in any_date(), time in any_time(), pick: prop::sample::Index,
            at: prop::sample::Index, byte in "[0-9TWZ:.,+-]|[ -~]|",
        ) {
            let (days_of, times_of) = (days(date), times(time));
            let mut text = format!("{}T{}", pick.get(&days_of), pick.get(&times_of));
            let at = at.index(text.len());
            text.replace_range(at..=at, &byte);
            let Ok(value) = cursor(&text, false).iso_datetime() else { return Ok(()) };
            let found = days(value.date).into_iter().any(|day| {
                let Some(rest) = text.strip_prefix(&day) else { return false };
                let Some(between) = rest.chars().next() else { return value.time == MIDNIGHT };
                let clock = rest[between.len_utf8()..].to_owned();
                !"+-0123456789".contains(between) && times(value.time).contains(&plain(&clock))
            });
            prop_assert!(found, "{text} as {value:?}");
        }

        #[test]
        fn what_is_cut_is_what_is_finer(time in any_time(), more in "[0-9]{1,20}") {
            for clock in times(time).iter().filter(|it| it.contains(['.', ',']) && time.offset.is_none()) {
                let point = clock.find(['.', ',']).unwrap() + 1;
                let text = format!("{}{:0<6}{more}", &clock[..point], &clock[point..]);
                prop_assert_eq!(cursor(&text, true).iso_time(), Ok(time), "{}", text);
                if more.contains(|digit| digit != '0') {
                    let refused = cursor(&text, false).iso_time().expect_err("finer");
                    prop_assert_eq!(refused.problem, Problem::Finer);
                }
            }
        }

        #[test]
        fn no_text_panics(text: String, bytes: Vec<u8>) {
            for bytes in [text.as_bytes(), &bytes] {
                for cut in [false, true] {
                    let of = || Cursor { cut, ..Cursor::new(bytes) };
                    for found in [of().iso_day().err(), of().iso_time().err(), of().iso_datetime().err()] {
                        prop_assert!(found.is_none_or(|reason| reason.at <= bytes.len()));
                    }
                }
            }
        }
    }

    /// The text without superfluous zeros at the end of its fractions.
    fn plain(clock: &str) -> String {
        let mut made = String::new();
        let mut rest = clock;
        while let Some(point) = rest.find(['.', ',']) {
            made.push_str(&rest[..=point]);
            let digits = rest[point + 1..].find(|it: char| !it.is_ascii_digit());
            let (digits, behind) =
                rest[point + 1..].split_at(digits.unwrap_or(rest.len() - point - 1));
            let short = digits.trim_end_matches('0');
            made.push_str(if short.is_empty() && !digits.is_empty() { "0" } else { short });
            rest = behind;
        }
        made + rest
    }

    #[test]
    fn each_fault_has_its_words() {
        for (text, at, message) in [
            ("2026", 4, "expected a digit of the month"),
            ("2026-060", 7, "expected '-' after the month"),
            ("2026-0301", 7, "expected '-' after the month"),
            ("202603-01", 6, "expected a digit of the day"),
            ("2026-W54", 6, "week 54 is not in 1..53"),
            ("2025-W53-1", 6, "week 53 is not in 1..52"),
            ("2026-W09-0", 9, "weekday 0 is not in 1..7"),
            ("9999-W52-7", 9, "the day is in the year 10000"),
            ("2026-03-01+02:00", 10, "expected 'T' between date and time"),
            ("2026W0971200", 8, "expected 'T' between date and time"),
            ("2026-03-01T24:00", 11, "hour 24 is not in 0..23"),
            ("2026-03-01T12.5", 13, "unexpected text after the value"),
            ("2026-03-01T12:3000", 16, "unexpected text after the value"),
            ("2026-03-01T1230:00", 15, "unexpected text after the value"),
            ("2026-03-01T12:30:60", 17, "a leap second (:60) is not supported"),
            ("2026-03-01T12:30z", 16, "unexpected text after the value"),
            ("2026-03-01T12:30+24", 17, "offset hour 24 is not in 0..23"),
            ("2026-03-01T12:30+0060", 19, "offset minute 60 is not in 0..59"),
            ("2026-03-01T12:30:00.", 20, "expected a digit of the fraction"),
            ("2026-03-01T12:30:00.0000001", 26, "the fraction is finer than a microsecond"),
        ] {
            let reason = cursor(text, false).iso_datetime().expect_err(text);
            assert_eq!((reason.at, &*reason.message()), (at, message), "{text}");
        }
    }
}
