//! Spans of time as ISO 8601 and XML Schema write them, to the microsecond.
//!
//! A duration here is a number of microseconds, like Python's `timedelta`. A month or a year has no
//! fixed length, and a part finer than a microsecond would have to be rounded. Both are refused,
//! unless they are zero and so have no effect.

use std::borrow::Cow;
use std::fmt;

/// A span of time, normalised like Python's `timedelta`: only the days may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Duration {
    /// -999,999,999 to 999,999,999.
    pub days: i32,
    /// 0 to 86,399.
    pub seconds: u32,
    /// 0 to 999,999.
    pub microseconds: u32,
}

/// Why a text is not a duration, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The first invalid byte, counted from the beginning of the text; its length if the text ends
    /// too early.
    pub at: usize,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    /// No `P` where the value begins.
    Begin,
    /// No part at all, after the `P` or the `T`.
    Empty,
    /// No digit where a number begins or continues.
    Digit,
    /// No letter that is allowed after a number here.
    Designator,
    /// A fraction of a unit that is not the last.
    Fraction,
    /// Years or months.
    Calendar,
    /// A digit other than 0 after the sixth of the fraction.
    Finer,
    /// More days than the type can hold.
    Range,
}

impl Reason {
    /// The problem, as a clause in the user's terms.
    #[must_use]
    pub fn message(&self) -> Cow<'static, str> {
        match self.problem {
            Problem::Begin => "expected 'P', as in P1DT12H",
            Problem::Empty => "expected a number and its unit",
            Problem::Digit => "expected a digit",
            Problem::Designator => "expected the letter of a unit, in the order W, D, T, H, M, S",
            Problem::Fraction => "only the last unit may have a fraction",
            Problem::Calendar => "years and months have no fixed length",
            Problem::Finer => "the fraction is finer than a microsecond",
            Problem::Range => "it is more than 999999999 days",
        }
        .into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for Reason {}

const SECOND: i128 = 1_000_000;
const DAY: i128 = 86_400 * SECOND;
const MOST_DAYS: i128 = 999_999_999;

/// The units in their order: the letter, whether it comes after the `T`, and its microseconds.
/// Years and months have no length.
const UNITS: [(u8, bool, Option<i128>); 7] = [
    (b'Y', false, None),
    (b'M', false, None),
    (b'W', false, Some(7 * DAY)),
    (b'D', false, Some(DAY)),
    (b'H', true, Some(3_600 * SECOND)),
    (b'M', true, Some(60 * SECOND)),
    (b'S', true, Some(SECOND)),
];

/// Parses all of `text` as a duration: an optional sign, `P`, weeks, days, and after a `T` hours,
/// minutes and seconds, each optional. The last of them may have a fraction (ISO 8601-2).
///
/// ```
/// use penstock_core::value::duration::{Duration, duration};
///
/// let value = duration(b"P1DT2H30M1.5S")?;
/// assert_eq!(value, Duration { days: 1, seconds: 9_001, microseconds: 500_000 });
/// assert_eq!(duration(b"-PT1S")?, Duration { days: -1, seconds: 86_399, microseconds: 0 });
/// assert_eq!(duration(b"P2W1D")?.days, 15);
/// assert_eq!(duration(b"PT0.5H")?.seconds, 1_800);
/// let reason = duration(b"P1M").expect_err("how many days?");
/// assert_eq!((reason.at, &*reason.message()), (1, "years and months have no fixed length"));
/// # Ok::<(), penstock_core::value::duration::Reason>(())
/// ```
///
/// # Errors
/// The first fault of the text.
pub fn duration(text: &[u8]) -> Result<Duration, Reason> {
    let fail = |at, problem| Err(Reason { at, problem });
    let negative = text.first() == Some(&b'-');
    let mut at = usize::from(negative || text.first() == Some(&b'+'));
    if text.get(at) != Some(&b'P') {
        return fail(at, Problem::Begin);
    }
    at += 1;
    let (mut total, mut units, mut in_time, mut empty) = (0_i128, &UNITS[..], false, true);
    while at < text.len() {
        if text[at] == b'T' && !in_time {
            (in_time, empty) = (true, true);
            at += 1;
            continue;
        }
        let from = at;
        let number = Number::read(text, &mut at)?;
        let Some(&letter) = text.get(at) else { return fail(at, Problem::Designator) };
        let place = units.iter().position(|(unit, time, _)| (*unit, *time) == (letter, in_time));
        let Some(place) = place else { return fail(at, Problem::Designator) };
        match (units[place].2, number.fraction) {
            (_, Some(_)) if at + 1 != text.len() => return fail(from, Problem::Fraction),
            (None, fraction) if number.whole != 0 || fraction.is_some_and(|it| it > 0) => {
                return fail(from, Problem::Calendar);
            }
            (None, _) => {}
            (Some(length), fraction) => {
                // A fraction is in millionths, and a unit has whole seconds.
                total += number.whole * length;
                total += i128::from(fraction.unwrap_or(0)) * (length / SECOND);
            }
        }
        units = &units[place + 1..];
        (at, empty) = (at + 1, false);
    }
    if empty {
        return fail(at, Problem::Empty);
    }
    if negative {
        total = -total;
    }
    let (days, rest) = (total.div_euclid(DAY), total.rem_euclid(DAY));
    if days.abs() > MOST_DAYS {
        return fail(0, Problem::Range);
    }
    Ok(Duration {
        days: days as i32,
        seconds: (rest / SECOND) as u32,
        microseconds: (rest % SECOND) as u32,
    })
}

/// A number with its fraction, if it has one, in millionths.
struct Number {
    whole: i128,
    fraction: Option<u32>,
}

impl Number {
    fn read(text: &[u8], at: &mut usize) -> Result<Number, Reason> {
        // Larger than any useful value, and far enough from the end of the type that nothing
        // overflows.
        const MOST: i128 = 1 << 64;
        let mut whole = 0;
        let from = *at;
        while let Some(digit) = digit(text, *at) {
            whole = (whole * 10 + i128::from(digit)).min(MOST);
            *at += 1;
        }
        if *at == from {
            return Err(Reason { at: *at, problem: Problem::Digit });
        }
        if text.get(*at) != Some(&b'.') {
            return Ok(Number { whole, fraction: None });
        }
        *at += 1;
        let (from, mut fraction, mut place) = (*at, 0, 100_000);
        while let Some(digit) = digit(text, *at) {
            if place == 0 && digit != 0 {
                return Err(Reason { at: *at, problem: Problem::Finer });
            }
            fraction += u32::from(digit) * place;
            place /= 10;
            *at += 1;
        }
        if *at == from {
            return Err(Reason { at: *at, problem: Problem::Digit });
        }
        Ok(Number { whole, fraction: Some(fraction) })
    }
}

/// The digit at `text[at]`, if there is one.
fn digit(text: &[u8], at: usize) -> Option<u8> {
    text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::fixed;
    use proptest::prelude::*;

    /// Microseconds.
    fn total(value: Duration) -> i128 {
        let (seconds, micros) = (i128::from(value.seconds), i128::from(value.microseconds));
        i128::from(value.days) * DAY + seconds * SECOND + micros
    }

    #[test]
    fn each_fault_has_its_place_and_words() {
        for (text, at, message) in [
            ("", 0, "expected 'P', as in P1DT12H"),
            ("1D", 0, "expected 'P', as in P1DT12H"),
            ("-1D", 1, "expected 'P', as in P1DT12H"),
            ("P", 1, "expected a number and its unit"),
            ("P1DT", 4, "expected a number and its unit"),
            ("PD", 1, "expected a digit"),
            ("PT1.S", 4, "expected a digit"),
            ("PT.5S", 2, "expected a digit"),
            ("P1", 2, "expected the letter of a unit, in the order W, D, T, H, M, S"),
            ("P1H", 2, "expected the letter of a unit, in the order W, D, T, H, M, S"),
            ("PT1D", 3, "expected the letter of a unit, in the order W, D, T, H, M, S"),
            ("PT1S1M", 5, "expected the letter of a unit, in the order W, D, T, H, M, S"),
            ("PT1S1S", 5, "expected the letter of a unit, in the order W, D, T, H, M, S"),
            ("P1.5DT1S", 1, "only the last unit may have a fraction"),
            ("PT1.5H1M", 2, "only the last unit may have a fraction"),
            ("P1Y", 1, "years and months have no fixed length"),
            ("P0Y2MT1S", 3, "years and months have no fixed length"),
            ("PT0.0000001S", 10, "the fraction is finer than a microsecond"),
            ("P1000000000D", 0, "it is more than 999999999 days"),
            ("-P999999999DT1S", 0, "it is more than 999999999 days"),
            (
                "PT99999999999999999999999999999999999999999999999999S",
                0,
                "it is more than 999999999 days",
            ),
        ] {
            let reason = duration(text.as_bytes()).expect_err(text);
            assert_eq!((reason.at, &*reason.message()), (at, message), "{text}");
        }
    }

    #[test]
    fn what_is_zero_says_nothing() {
        let value = duration(b"P0Y0M1DT0H0M0.5000000000S").map(total);
        assert_eq!(value, Ok(DAY + SECOND / 2));
        assert_eq!(duration(b"-PT0S").map(total), Ok(0));
        assert_eq!(duration(b"P999999999DT86399.999999S").map(|value| value.days), Ok(999_999_999));
        assert_eq!(duration(b"-P999999999D").map(|value| value.days), Ok(-999_999_999));
    }

    proptest! {
        #![proptest_config(fixed(2_000))]

        #[test]
        fn the_parts_add_up(
            negative: bool, days in 0_u32..900_000_000, hours: u16, minutes: u16, seconds: u32,
            micros in 0_u32..1_000_000,
        ) {
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}P{days}DT{hours}H{minutes}M{seconds}.{micros:06}S");
            let seconds = i128::from(hours) * 3_600 + i128::from(minutes) * 60 + i128::from(seconds);
            let sum = i128::from(days) * DAY + seconds * SECOND + i128::from(micros);
            let expected = if negative { -sum } else { sum };
            prop_assert_eq!(duration(text.as_bytes()).map(total), Ok(expected));
        }

        #[test]
        fn no_bytes_panic(text in "[-+]?P?[0-9YMDTHSW.]{0,12}|.{0,8}") {
            let result = duration(text.as_bytes());
            prop_assert!(result.err().is_none_or(|reason| reason.at <= text.len()));
        }
    }
}
