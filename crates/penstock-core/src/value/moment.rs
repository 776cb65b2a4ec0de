//! Dates and times in a form that the user chooses, or as numbers.
//!
//! Without a choice, destinations call [`datetime`] directly.

use super::datetime::{self, Cursor};
use super::lexical::{Reason, Value, is_number};
use super::pattern::Pattern;
use super::unix::{self, Unit};
use super::xsd;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A date with a time.
    DateTime,
    /// A day.
    Date,
    /// A time of day.
    Time,
}

/// The form of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// RFC 3339.
    #[default]
    Rfc3339,
    /// ISO 8601, in the forms that `datetime.fromisoformat` of CPython 3.13 reads.
    Iso,
    /// A form that the user spells.
    Pattern(Pattern),
}

/// How a text or a number becomes a date or a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What it becomes.
    pub of: Of,
    /// The form of its text.
    pub form: Form,
    /// Whether digits beyond microseconds are dropped. Otherwise they are an error.
    pub cut: bool,
    /// For a date with a time: the unit of numbers, if it may be one.
    pub unit: Option<Unit>,
}

impl Moment {
    /// A value of this type, in the form that needs no choice.
    #[must_use]
    pub fn new(of: Of) -> Self {
        Moment { of, form: Form::default(), cut: false, unit: None }
    }

    /// Converts a number since the beginning of 1970.
    ///
    /// # Errors
    /// The reason why it is no instant.
    pub fn number(&self, digits: &[u8], unit: Unit) -> Result<datetime::DateTime, unix::Reason> {
        unix::counted(digits, unit, self.cut)
    }

    /// Converts a string of a format with types. A number may stand in it as well, unless digits
    /// may be a date in the form of the text.
    ///
    /// ```
    /// use penstock_core::value::moment::{Form, Moment, Of};
    ///
    /// let moment = Moment { form: Form::Iso, cut: true, ..Moment::new(Of::DateTime) };
    /// let nanoseconds = moment.quoted(b"20260301T123000.123456789+01");
    /// assert_eq!(nanoseconds, Moment::new(Of::DateTime).quoted(b"2026-03-01 12:30:00.123456+01:00"));
    /// ```
    ///
    /// # Errors
    /// The reason why it is no value of the type.
    pub fn quoted(&self, text: &[u8]) -> Result<Value<'static>, Reason> {
        match self.unit {
            Some(unit) if self.form == Form::Rfc3339 && is_number(text) => self.instant(text, unit),
            _ => self.text(text, 23),
        }
    }

    /// Converts untyped text without white space around it. As in XML Schema, 24:00 is an hour.
    ///
    /// # Errors
    /// The reason why it is no value of the type.
    pub fn untyped(&self, text: &[u8]) -> Result<Value<'static>, Reason> {
        match self.unit {
            Some(unit) if xsd::is_decimal(text) => self.instant(text, unit),
            _ if self.form == Form::Rfc3339 && self.of == Of::Date => {
                Ok(Value::Date(datetime::date_without_zone(text)?))
            }
            _ => self.text(text, 24),
        }
    }

    fn instant(&self, digits: &[u8], unit: Unit) -> Result<Value<'static>, Reason> {
        self.number(digits, unit).map(Value::DateTime).map_err(Reason::Unix)
    }

    fn text(&self, text: &[u8], most_hour: u16) -> Result<Value<'static>, Reason> {
        let cursor = Cursor { most_hour, cut: self.cut, ..Cursor::new(text) };
        Ok(match (&self.form, self.of) {
            (Form::Rfc3339, Of::DateTime) => Value::DateTime(cursor.datetime_to_24()?),
            (Form::Rfc3339, Of::Date) => Value::Date(datetime::date(text)?),
            (Form::Rfc3339, Of::Time) => Value::Time(cursor.time_to_24()?),
            (Form::Iso, Of::DateTime) => Value::DateTime(cursor.iso_datetime()?),
            (Form::Iso, Of::Date) => Value::Date(cursor.iso_day()?),
            (Form::Iso, Of::Time) => Value::Time(cursor.iso_time()?),
            (Form::Pattern(pattern), of) => {
                let found = pattern.read(text, self.cut)?;
                match of {
                    Of::DateTime => Value::DateTime(found),
                    Of::Date => Value::Date(found.date),
                    Of::Time => Value::Time(found.time),
                }
            }
        })
    }
}
