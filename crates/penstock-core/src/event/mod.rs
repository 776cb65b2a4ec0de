//! The parts of the events that a reader reports.
//!
//! Every format reports the same events: maps, lists, keys and scalars, and a few extras for the
//! elements of XML. The events are the methods of [`Sink`](crate::protocol::Sink); this module holds
//! their arguments.

pub mod members;
pub(crate) mod row;
mod rows;

pub use members::{Member, Members};
pub use row::{Cell, Keys, KnownKeys, Row, repeated};
pub use rows::{RowCell, Rows};

use crate::value::datetime::{Date, DateTime, Time};
use crate::value::duration::Duration;
use penstock_scan::ValidText;

/// A piece of checked text.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The text, checked as UTF-8, with escapes and entities already resolved.
    pub text: ValidText<'a>,
    /// True if the scan saw no byte above 0x7F. False means that it is unknown.
    pub ascii: bool,
}

impl<'a> Text<'a> {
    /// The bytes of the text.
    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text { text: ValidText::from(text), ascii: text.is_ascii() }
    }
}

/// The kind of a key in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A member of a JSON object, a property list's dictionary, a CSV column.
    Member,
    /// The name of a child element.
    Element,
    /// The name of an attribute, without `@`.
    Attribute,
}

/// A key with everything that a format may say about it.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The name: for a prefixed element or attribute, its local part.
    pub name: Text<'a>,
    /// The namespace's URI, if the format has namespaces and the name is in one.
    pub namespace: Option<Text<'a>>,
    /// The prefix as written, if there is one.
    pub prefix: Option<Text<'a>>,
    /// What kind of key it is. It also settles what a second key of the same name means: for an
    /// element "one more of these", for a member or an attribute "a duplicate".
    pub kind: KeyKind,
}

impl Key<'_> {
    /// True if a second key of the same name is one more of its kind (XML elements), false if it is
    /// a duplicate (JSON, property lists).
    pub fn repeats(&self) -> bool {
        self.kind == KeyKind::Element
    }
}

/// A value that is neither a map nor a list.
///
/// Numbers stay in the form that the format gives them: a JSON number is its digits, and only the
/// destination decides between integer, float and decimal.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`, a property list's boolean.
    Bool(bool),
    /// An integer that the format stores as one (binary property list), or a JSON integer that
    /// fits, if the sink [wants](crate::protocol::Want) it native.
    Int(i64),
    /// A binary double (binary property list), or a JSON number rounded to the nearest one, if the
    /// sink wants that. A JSON number never becomes an infinity.
    Float(f64),
    /// A JSON number as its digits in the text: validated, not yet converted.
    Number(&'a [u8]),
    /// A string that the format marks as a string; in CSV, an empty cell in quotes.
    Text(Text<'a>),
    /// Text whose type only the destination knows: XML, CSV. In CSV, an empty one may stand for no
    /// value.
    Untyped(Text<'a>),
    /// A decimal number, if the format or the object marks it as one: its digits as JSON would
    /// write them, with or without an exponent.
    Decimal(&'a [u8]),
    /// Binary data.
    Bytes(&'a [u8]),
    /// A day of the calendar.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A day and a time.
    DateTime(DateTime),
    /// Seconds since 2001-01-01T00:00:00Z: the date of a property list, which may be finer than a
    /// [`DateTime`](Scalar::DateTime) or outside its range of years.
    Since2001(f64),
    /// A span of time.
    Duration(Duration),
    /// The sixteen bytes of a UUID, in the order in which it is written.
    Uuid([u8; 16]),
    /// A UID: the number by which a property list refers to an object of an archive.
    Uid(u64),
}

// It is passed with every event that has no method of its own.
const _: () = assert!(size_of::<Scalar<'_>>() == 32);

impl Scalar<'_> {
    /// The name of the value in messages, after "got".
    ///
    /// ```
    /// use penstock_core::event::Scalar;
    ///
    /// assert_eq!(Scalar::Uid(7).called(), "a UID");
    /// ```
    #[must_use]
    pub fn called(&self) -> &'static str {
        match self {
            Scalar::Null => "null",
            Scalar::Bool(true) => "true",
            Scalar::Bool(false) => "false",
            Scalar::Int(_) => "an integer",
            Scalar::Float(_) | Scalar::Number(_) => "a number",
            Scalar::Text(_) => "a string",
            Scalar::Untyped(_) => "text",
            Scalar::Decimal(_) => "a decimal number",
            Scalar::Bytes(_) => "binary data",
            Scalar::Date(_) => "a date",
            Scalar::Time(_) => "a time",
            Scalar::DateTime(_) | Scalar::Since2001(_) => "a date and time",
            Scalar::Duration(_) => "a duration",
            Scalar::Uuid(_) => "a UUID",
            Scalar::Uid(_) => "a UID",
        }
    }
}

/// The kind of a map or list, if the format says more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Values in an order.
    List,
    /// Values without an order, none of them twice. Reported as a list.
    Set,
    /// Keys and values.
    Map,
}

/// What the reader knows about a map or list before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container {
    /// The kind.
    pub kind: ContainerKind,
    /// The number of the object, if the format can refer to one object several times (a property
    /// list, a graph of Python objects): containers with the same number are the same object.
    pub shared: Option<u64>,
}

/// The step by which a path's `*` found its match.
#[derive(Clone, Copy, Debug)]
pub enum Matched<'a> {
    /// The key of a map.
    Key(Text<'a>),
    /// The position in a list, from 0.
    Index(u64),
}
