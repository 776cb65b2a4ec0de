//! Dates and times as jiff reads them, and each fault by name.

use super::*;
use crate::value::fixed;
use jiff::civil;
use jiff::fmt::temporal::Pieces;
use proptest::prelude::*;

/// The result of jiff, which accepts far more spellings than the RFC.
fn oracle(text: &str) -> Option<DateTime> {
    let pieces = Pieces::parse(text).ok()?;
    let (date, time) = (pieces.date(), pieces.time()?);
    let offset = pieces.to_numeric_offset().map(|offset| {
        assert_eq!(offset.seconds() % 60, 0);
        (offset.seconds() / 60) as i16
    });
    let named_utc = text.ends_with(['Z', 'z']) || text.ends_with("-00:00");
    Some(DateTime {
        date: Date { year: date.year() as u16, month: date.month() as u8, day: date.day() as u8 },
        time: Time {
            hour: time.hour() as u8,
            minute: time.minute() as u8,
            second: time.second() as u8,
            microsecond: time.subsec_nanosecond() as u32 / 1_000,
            offset: offset.map(|minutes| match minutes {
                0 if named_utc => Offset::Utc,
                _ => Offset::Minutes(minutes),
            }),
        },
    })
}

/// Texts that jiff writes, with each way to write the offset.
fn texts() -> impl Strategy<Value = String> {
    let days = (1_i16..=9999, 1_i8..=12, 1_i8..=31)
        .prop_filter_map("no such day", |(y, m, d)| civil::Date::new(y, m, d).ok());
    let times = (0_i8..24, 0_i8..60, 0_i8..60, prop_oneof![Just(0), 0..1_000_000_i32])
        .prop_map(|(h, m, s, micros)| civil::time(h, m, s, micros * 1_000));
    (days, times, "[Tt ]", "Z|z||-00:00|[+-](0[0-9]|1[0-9]|2[0-3]):[0-5][0-9]")
        .prop_map(|(date, time, between, offset)| format!("{date}{between}{time}{offset}"))
}

fn refused(result: Result<impl fmt::Debug, Reason>) -> (usize, String) {
    let reason = result.expect_err("accepted");
    (reason.at, reason.message().into_owned())
}

#[test]
fn each_fault_has_its_place_and_words() {
    for (text, at, message) in [
        ("", 0, "expected a digit of the year"),
        ("+2023-01-01T00:00:00Z", 0, "expected a digit of the year"),
        ("202-01-01T00:00:00Z", 3, "expected a digit of the year"),
        ("0000-01-01T00:00:00Z", 0, "year 0 is not in 1..9999"),
        ("20230101T000000Z", 4, "expected '-' after the year"),
        ("2023-13-01T00:00:00Z", 5, "month 13 is not in 1..12"),
        ("2023-00-01T00:00:00Z", 5, "month 0 is not in 1..12"),
        ("2023-1-01T00:00:00Z", 6, "expected a digit of the month"),
        ("2023-01/01T00:00:00Z", 7, "expected '-' after the month"),
        ("2023-01-00T00:00:00Z", 8, "day 0 is not in 1..31"),
        ("2023-01-32T00:00:00Z", 8, "day 32 is not in 1..31"),
        ("2023-04-31T00:00:00Z", 8, "day 31 is not in 1..30 of April 2023"),
        ("2023-02-29T00:00:00Z", 8, "day 29 is not in 1..28 of February 2023"),
        ("1900-02-29T00:00:00Z", 8, "day 29 is not in 1..28 of February 1900"),
        ("2000-02-30T00:00:00Z", 8, "day 30 is not in 1..29 of February 2000"),
        ("2023-01-01", 10, "expected 'T' between date and time"),
        ("2023-01-01_00:00:00Z", 10, "expected 'T' between date and time"),
        ("2023-01-01  00:00:00Z", 11, "expected a digit of the hour"),
        ("2023-01-01T24:00:00Z", 11, "hour 24 is not in 0..23"),
        ("2023-01-01T00-00:00Z", 13, "expected ':' after the hour"),
        ("2023-01-01T00:60:00Z", 14, "minute 60 is not in 0..59"),
        ("2023-01-01T00:00", 16, "the seconds are missing"),
        ("2023-01-01T00:00Z", 16, "the seconds are missing"),
        ("2016-12-31T23:59:60Z", 17, "a leap second (:60) is not supported"),
        ("2016-12-31T23:59:61Z", 17, "second 61 is not in 0..59"),
        ("2023-01-01T00:00:00.Z", 20, "expected a digit of the fraction"),
        ("2023-01-01T00:00:00,5Z", 19, "unexpected text after the value"),
        ("2023-01-01T00:00:00.0000001Z", 26, "the fraction is finer than a microsecond"),
        ("2023-01-01T00:00:00+24:00", 20, "offset hour 24 is not in 0..23"),
        ("2023-01-01T00:00:00+23:60", 23, "offset minute 60 is not in 0..59"),
        ("2023-01-01T00:00:00+0100", 22, "expected ':' after the hours of the offset"),
        ("2023-01-01T00:00:00+01", 22, "expected ':' after the hours of the offset"),
        ("2023-01-01T00:00:00 Z", 19, "unexpected text after the value"),
        ("2023-01-01T00:00:00Z[UTC]", 20, "unexpected text after the value"),
    ] {
        assert_eq!(refused(datetime(text.as_bytes())), (at, message.to_string()), "{text}");
    }
    assert_eq!(refused(date(b"2023-01-01 ")).0, 10);
    assert_eq!(refused(time(b"T00:00:00")).0, 0);
}

#[test]
fn zeros_behind_the_sixth_place_of_a_fraction_say_nothing() {
    let text = format!("00:00:00.123456{}Z", "0".repeat(100));
    assert_eq!(time(text.as_bytes()).map(|time| time.microsecond), Ok(123_456));
}

#[test]
fn hour_24_is_the_next_day_and_only_on_the_hour() {
    for (text, same) in [
        ("2023-01-01T24:00:00", "2023-01-02T00:00:00"),
        ("2024-02-29T24:00:00.000Z", "2024-03-01T00:00:00Z"),
        ("2023-12-31T24:00:00-05:00", "2024-01-01T00:00:00-05:00"),
    ] {
        assert_eq!(datetime_to_24(text.as_bytes()), datetime(same.as_bytes()), "{text}");
    }
    for (text, at, message) in [
        ("2023-01-01T24:00:01", 11, "hour 24 is not in 0..23"),
        ("2023-01-01T24:01:00", 11, "hour 24 is not in 0..23"),
        ("2023-01-01T24:00:00.1", 11, "hour 24 is not in 0..23"),
        ("2023-01-01T25:00:00", 11, "hour 25 is not in 0..24"),
        ("9999-12-31T24:00:00", 11, "hour 24 of 9999-12-31 is in the year 10000"),
    ] {
        let expected = (at, message.to_owned());
        assert_eq!(refused(datetime_to_24(text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn a_date_with_a_zone_is_refused_by_name() {
    for text in ["2023-01-01Z", "2023-01-01+05:30", "2023-01-01-00:00"] {
        let expected = (10, "a date cannot keep a time zone".to_owned());
        assert_eq!(refused(date_without_zone(text.as_bytes())), expected, "{text}");
    }
    assert_eq!(refused(date_without_zone(b"2023-01-01Zx")).1, "unexpected text after the value");
    assert_eq!(date_without_zone(b"2023-01-01"), date(b"2023-01-01"));
}

#[test]
fn every_day_of_the_calendar_is_known() {
    for year in (1..=9999).step_by(99).chain([1900, 2000, 2023, 2024]) {
        for (month, day) in (0..=13_i8).flat_map(|month| (0..=32).map(move |day| (month, day))) {
            let ours = date(format!("{year:04}-{month:02}-{day:02}").as_bytes());
            let theirs = civil::Date::new(year, month, day);
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{year}-{month}-{day}");
        }
    }
}

proptest! {
    #![proptest_config(fixed(4_000))]

    #[test]
    fn what_the_oracle_writes_is_read(text in texts()) {
        let expected = oracle(&text).expect("jiff reads what jiff wrote");
        prop_assert_eq!(datetime(text.as_bytes()), Ok(expected));
        prop_assert_eq!(date(&text.as_bytes()[..10]), Ok(expected.date));
        prop_assert_eq!(time(&text.as_bytes()[11..]), Ok(expected.time));
    }

    #[test]
    fn a_changed_byte_is_refused_or_read_as_by_the_oracle(
        text in texts(), at: usize, byte in "[0-9TtZz .:+-]|[ -~]",
    ) {
        let mut text = text;
        let at = at % text.len();
        text.replace_range(at..=at, &byte);
        if let Ok(value) = datetime(text.as_bytes()) {
            prop_assert_eq!(Some(value), oracle(&text), "{}", text);
        }
    }

    #[test]
    fn every_beginning_is_refused_at_its_end_or_is_a_value(text in texts()) {
        for end in 0..text.len() {
            match datetime(&text.as_bytes()[..end]) {
                Ok(value) => prop_assert_eq!(Some(value), oracle(&text[..end])),
                Err(reason) => prop_assert_eq!(reason.at, end),
            }
        }
    }

    #[test]
    fn no_bytes_panic(text: Vec<u8>, at in 0_usize..25, byte: u8) {
        let mut good = b"2024-02-29T23:59:01.25+05:30".to_vec();
        good[at] = byte;
        for bytes in [&text, &good] {
            for result in [date(bytes).err(), time(bytes).err(), datetime(bytes).err()] {
                prop_assert!(result.is_none_or(|reason| reason.at <= bytes.len()));
            }
        }
    }
}
