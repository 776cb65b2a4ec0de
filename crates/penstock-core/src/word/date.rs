//! Dates in a word: microseconds of the calendar, or seconds as a double.

use super::number::{narrow, widen};
use super::{Tag, Word};

/// A date and a time of day, as a clock and a calendar show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date<'a> {
    /// Microseconds from 1970-01-01 00:00 to the date, both as the same clock shows them.
    pub micros: i64,
    /// The clock.
    pub zone: Zone<'a>,
    /// True for the second of two moments at which a clock that was set back shows the same time.
    pub fold: bool,
}

/// The clock of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Zone<'a> {
    /// Unknown: the date has no zone.
    Naive,
    /// Universal time.
    Utc,
    /// This many seconds ahead of universal time.
    Offset(i32),
    /// The clock of a place, by its name.
    Named(&'a str),
}

impl Word {
    /// A date by the calendar: microseconds since 1970-01-01 00:00, in UTC or on a clock without a
    /// zone. Every `datetime` of Python fits, from the year 1 to 9999.
    ///
    /// ```
    /// use penstock_core::word::Word;
    ///
    /// let last = 253_402_300_799_999_999; // 9999-12-31 23:59:59.999999
    /// assert_eq!(Word::calendar(last, true).unwrap().as_calendar(), (last, true));
    /// assert_eq!(Word::calendar(i64::MAX, false), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn calendar(micros: i64, utc: bool) -> Option<Self> {
        if micros << 5 >> 5 != micros {
            return None;
        }
        Some(Word::new(Tag::Calendar, (micros as u64) << 1 | utc as u64))
    }

    /// The microseconds of a word with [`Tag::Calendar`], and whether they are in UTC.
    #[inline(always)]
    #[must_use]
    pub const fn as_calendar(self) -> (i64, bool) {
        (self.bits() as i64 >> 5, self.payload() & 1 == 1)
    }

    /// A date in seconds since 2001-01-01 00:00 UTC, as property lists store them: magnitudes from
    /// 2^-63 up to, but not including, 2^64. Zero, infinities and NaN do not fit.
    ///
    /// ```
    /// use penstock_core::word::Word;
    ///
    /// let unix = Word::seconds(-978_307_200.0).unwrap();
    /// assert_eq!(unix.as_seconds(), -978_307_200.0);
    /// assert_eq!(Word::seconds(0.0), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn seconds(since_2001: f64) -> Option<Self> {
        match narrow(since_2001) {
            Some(payload) => Some(Word::new(Tag::Seconds, payload)),
            None => None,
        }
    }

    /// The seconds of a word with [`Tag::Seconds`].
    #[inline(always)]
    #[must_use]
    pub const fn as_seconds(self) -> f64 {
        widen(self.payload())
    }
}
