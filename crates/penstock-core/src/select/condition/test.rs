//! What a term asks of a value.

use super::number::Number;
use crate::event::Scalar;
use crate::value::datetime::{self, Date, DateTime, Time};
use crate::value::duration::{self, Duration};
use crate::value::lexical::is_number;
use crate::value::number::{scan, to_f64};
use crate::value::unix;
use crate::value::uuid::uuid;
use crate::value::xsd::{self, Integer};
use std::cmp::Ordering;

/// The kind of value that a class has at the place of a term. It says how text and numbers become
/// values: `0.1` is a double in one class, and a decimal number in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Nobody says: the format's own kinds count, and untyped text is what the literal is.
    #[default]
    Any,
    /// True or false.
    Bool,
    /// An integer.
    Int,
    /// A double.
    Float,
    /// A decimal number.
    Decimal,
    /// Text.
    Text,
    /// Another one: dates, times, UUIDs. The literal has the same kind.
    Other,
}

/// A value that a caller wrote.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// True or false, which are 1 and 0 as well.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A double.
    Float(f64),
    /// A decimal number or a large integer, as its digits.
    Digits(Box<[u8]>),
    /// Text.
    Text(Box<str>),
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A day and a time.
    DateTime(DateTime),
    /// A span of time.
    Duration(Duration),
    /// A UUID, the first digit the most significant.
    Uuid(u128),
}

/// How a value compares to a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// It is equal.
    Eq,
    /// It is not equal. A value of another kind is not.
    Ne,
    /// It is less.
    Lt,
    /// It is less or equal.
    Le,
    /// It is greater.
    Gt,
    /// It is greater or equal.
    Ge,
}

impl Compare {
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Compare::Eq => order == Some(Ordering::Equal),
            Compare::Ne => order != Some(Ordering::Equal),
            Compare::Lt => order == Some(Ordering::Less),
            Compare::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Compare::Gt => order == Some(Ordering::Greater),
            Compare::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// Literals of which a value may be one.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOf {
    literals: Box<[Literal]>,
    /// Whether they are in their order, so that few of them are looked at.
    is_sorted: bool,
}

impl OneOf {
    /// Of these literals. Many texts, or many integers, are as good as few.
    #[must_use]
    pub fn new(mut literals: Vec<Literal>) -> Self {
        let texts = literals.iter().all(|literal| matches!(literal, Literal::Text(_)));
        let ints = literals.iter().all(|literal| matches!(literal, Literal::Int(_)));
        if texts || ints {
            literals.sort_unstable_by(|one, other| match (one, other) {
                (Literal::Text(one), Literal::Text(other)) => one.cmp(other),
                (Literal::Int(one), Literal::Int(other)) => one.cmp(other),
                _ => Ordering::Equal,
            });
        }
        OneOf { literals: literals.into(), is_sorted: texts || ints }
    }

    /// The literals.
    #[must_use]
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    fn have(&self, value: Scalar<'_>, kind: Kind) -> bool {
        let order = |literal| order(value, kind, literal);
        if !self.is_sorted {
            return self.literals.iter().any(|literal| order(literal) == Some(Ordering::Equal));
        }
        // A value that does not compare with one of them compares with none.
        let found = |literal| order(literal).map_or(Ordering::Less, Ordering::reverse);
        self.literals.binary_search_by(found).is_ok()
    }
}

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(regex::Regex);

impl Pattern {
    /// Parses a regular expression. It is matched in linear time.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, String> {
        regex::Regex::new(pattern).map(Pattern).map_err(|error| {
            let said = error.to_string();
            // The last line, behind the pattern with a mark.
            let last = said.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        })
    }

    fn is_in(&self, text: &[u8]) -> bool {
        std::str::from_utf8(text).is_ok_and(|text| self.0.is_match(text))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// A question to a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// How it compares.
    Compare(Compare, Literal),
    /// Whether it is equal to one of these.
    In(OneOf),
    /// Whether it is neither less than the first one nor greater than the second one.
    Between(Literal, Literal),
    /// Whether it is text that starts so.
    StartsWith(Box<str>),
    /// Whether it is text that ends so.
    EndsWith(Box<str>),
    /// Whether it is text with this in it.
    Contains(Box<str>),
    /// Whether it is text in which this is found.
    Matches(Box<Pattern>),
    /// Whether it is null, or not there.
    IsNone,
    /// Whether it is there.
    Exists,
}

impl Test {
    /// The answer if there is no value.
    pub(super) fn of_nothing(&self) -> bool {
        matches!(self, Test::IsNone)
    }

    /// Whether it asks only for whether there is a value.
    pub(super) fn is_of_presence(&self) -> bool {
        matches!(self, Test::IsNone | Test::Exists)
    }

    /// The answer for a map or a list.
    pub(super) fn of_container(&self) -> bool {
        matches!(self, Test::Exists | Test::Compare(Compare::Ne, _))
    }

    /// The answer for a value of a place where a class has this kind.
    pub(super) fn of(&self, value: Scalar<'_>, kind: Kind) -> bool {
        match self {
            Test::Compare(compare, literal) => compare.holds(order(value, kind, literal)),
            Test::In(literals) => literals.have(value, kind),
            Test::Between(least, most) => {
                Compare::Ge.holds(order(value, kind, least))
                    && Compare::Le.holds(order(value, kind, most))
            }
            Test::StartsWith(start) => {
                text_of(value, kind).is_some_and(|text| text.starts_with(start.as_bytes()))
            }
            Test::EndsWith(end) => {
                text_of(value, kind).is_some_and(|text| text.ends_with(end.as_bytes()))
            }
            Test::Contains(part) => text_of(value, kind).is_some_and(|text| {
                part.is_empty() || memchr::memmem::find(text, part.as_bytes()).is_some()
            }),
            Test::Matches(pattern) => text_of(value, kind).is_some_and(|text| pattern.is_in(text)),
            Test::IsNone => matches!(value, Scalar::Null),
            Test::Exists => true,
        }
    }
}

/// The bytes of a value that is text. UTF-8 sorts as its code points do, which is Python's order.
fn text_of<'v>(value: Scalar<'v>, kind: Kind) -> Option<&'v [u8]> {
    match (value, kind) {
        (Scalar::Text(text) | Scalar::Untyped(text), Kind::Any | Kind::Text) => Some(text.bytes()),
        _ => None,
    }
}

/// How a value compares to a literal; nothing if their kinds differ, and for a double that is not a
/// number.
fn order(value: Scalar<'_>, kind: Kind, literal: &Literal) -> Option<Ordering> {
    match literal {
        Literal::Bool(literal) => match truth(value, kind) {
            Some(found) => Some(found.cmp(literal)),
            None => number(value, kind)?.compare(Number::Int((*literal).into())),
        },
        Literal::Int(literal) => number(value, kind)?.compare(Number::Int(*literal)),
        Literal::Float(literal) => number(value, kind)?.compare(Number::Float(*literal)),
        Literal::Digits(literal) => number(value, kind)?.compare(Number::Digits(literal)),
        Literal::Text(literal) => Some(text_of(value, kind)?.cmp(literal.as_bytes())),
        Literal::Date(literal) => {
            let of = |date: Date| (date.year, date.month, date.day);
            Some(of(date(value)?).cmp(&of(*literal)))
        }
        Literal::Time(literal) => {
            let (one, other) = (time(value)?, *literal);
            // Two clocks compare only if both say where they are, or neither does.
            (one.offset.is_some() == other.offset.is_some())
                .then(|| in_day(one).cmp(&in_day(other)))
        }
        Literal::DateTime(literal) => {
            let (one, other) = (moment(value)?, *literal);
            (one.time.offset.is_some() == other.time.offset.is_some())
                .then(|| instant(one).cmp(&instant(other)))
        }
        Literal::Duration(literal) => {
            let of = |span: Duration| (span.days, span.seconds, span.microseconds);
            Some(of(span(value)?).cmp(&of(*literal)))
        }
        Literal::Uuid(literal) => Some(uuid_of(value)?.cmp(literal)),
    }
}

fn truth(value: Scalar<'_>, kind: Kind) -> Option<bool> {
    match value {
        Scalar::Bool(value) => Some(value),
        Scalar::Untyped(text) if matches!(kind, Kind::Any | Kind::Bool) => {
            xsd::boolean(xsd::trimmed(text.bytes()))
        }
        _ => None,
    }
}

/// The number that a class holds.
fn number(value: Scalar<'_>, kind: Kind) -> Option<Number<'_>> {
    let number = match value {
        Scalar::Bool(value) if matches!(kind, Kind::Any | Kind::Bool) => Number::Int(value.into()),
        Scalar::Int(value) => Number::Int(value),
        Scalar::Float(value) => Number::Float(value),
        Scalar::Number(digits) => of_digits(digits, kind == Kind::Any),
        Scalar::Decimal(digits) => Number::Digits(digits),
        Scalar::Untyped(text) => {
            let text = xsd::trimmed(text.bytes());
            match (kind, xsd::integer(text)) {
                (Kind::Text | Kind::Other, _) => return None,
                (Kind::Bool, _) => Number::Int(xsd::boolean(text)?.into()),
                (_, Some(Integer::Small(value))) => Number::Int(value),
                (_, Some(Integer::Big { .. })) => Number::Digits(text),
                (Kind::Decimal, None) => {
                    if !xsd::is_decimal(text) {
                        return None;
                    }
                    Number::Digits(text)
                }
                (Kind::Int, None) => {
                    // `1.0` and `1e3` are integers if the reader is lax.
                    xsd::float(text)?;
                    Number::Digits(text)
                }
                (Kind::Any | Kind::Float, None) => Number::Float(xsd::float(text)?),
            }
        }
        // A class takes a decimal number from a string, too.
        Scalar::Text(text) if kind == Kind::Decimal && is_number(text.bytes()) => {
            Number::Digits(text.bytes())
        }
        _ => return None,
    };
    match (kind, number) {
        (Kind::Float, Number::Int(value)) => Some(Number::Float(value as f64)),
        (Kind::Float, Number::Digits(digits)) => {
            Some(Number::Float(to_f64(scan(digits, 0).outcome, digits)))
        }
        (Kind::Text | Kind::Other, _) => None,
        _ => Some(number),
    }
}

/// The number of a JSON number's digits. If `natively`, one with a fraction or an exponent is a
/// double.
fn of_digits(digits: &[u8], natively: bool) -> Number<'_> {
    if let Some(Integer::Small(value)) = xsd::integer(digits) {
        return Number::Int(value);
    }
    let is_integer = !digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if natively && !is_integer {
        return Number::Float(to_f64(scan(digits, 0).outcome, digits));
    }
    Number::Digits(digits)
}

/// The text of a value that may stand for a date, and whether white space around it counts.
fn date_text<'v>(value: &Scalar<'v>) -> Option<&'v [u8]> {
    match value {
        Scalar::Text(text) => Some(text.bytes()),
        Scalar::Untyped(text) => Some(xsd::trimmed(text.bytes())),
        _ => None,
    }
}

fn date(value: Scalar<'_>) -> Option<Date> {
    match value {
        Scalar::Date(date) => Some(date),
        value => datetime::date(date_text(&value)?).ok(),
    }
}

fn time(value: Scalar<'_>) -> Option<Time> {
    match value {
        Scalar::Time(time) => Some(time),
        value => datetime::time(date_text(&value)?).ok(),
    }
}

fn moment(value: Scalar<'_>) -> Option<DateTime> {
    match value {
        Scalar::DateTime(value) => Some(value),
        Scalar::Since2001(seconds) => unix::since_2001(seconds).ok(),
        Scalar::Untyped(text) => datetime::datetime_to_24(xsd::trimmed(text.bytes())).ok(),
        Scalar::Text(text) => datetime::datetime(text.bytes()).ok(),
        _ => None,
    }
}

fn span(value: Scalar<'_>) -> Option<Duration> {
    match value {
        Scalar::Duration(value) => Some(value),
        value => duration::duration(date_text(&value)?).ok(),
    }
}

fn uuid_of(value: Scalar<'_>) -> Option<u128> {
    match value {
        Scalar::Uuid(bytes) => Some(u128::from_be_bytes(bytes)),
        value => uuid(date_text(&value)?),
    }
}

/// The microseconds of a day in UTC, if the clock says where it is.
fn in_day(time: Time) -> i64 {
    let day = Date { year: 1970, month: 1, day: 1 };
    instant(DateTime { date: day, time })
}

/// The microseconds from 1970 to an instant, or to the same time on a clock of unknown place.
fn instant(value: DateTime) -> i64 {
    let offset = value.time.offset.or(Some(datetime::Offset::Utc));
    let known = DateTime { time: Time { offset, ..value.time }, ..value };
    unix::microseconds(known).unwrap_or_default()
}
