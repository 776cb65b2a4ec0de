//! The options for writing JSON.

use super::sorted::Order;
use crate::options::Indent;
use crate::select::{Path, Test};
use crate::writer::Unwritable;

/// What to write for a double that JSON has no number for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonFinite {
    /// It is refused.
    #[default]
    Refuse,
    /// `null`
    Null,
    /// `NaN`, `Infinity` and `-Infinity`, which are no JSON, but which some readers know.
    Literal,
}

/// The form of binary data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// base64 with its padding (RFC 4648, section 4).
    #[default]
    Base64,
    /// Pairs of hexadecimal digits.
    Hex,
}

/// How the records follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Records {
    /// There is one, and it is the document.
    #[default]
    One,
    /// A line each.
    Lines,
    /// Each between a record separator and a line feed (RFC 7464).
    Sequence,
    /// The elements of an array, which stands inside of objects with these keys, outermost first.
    Array(Vec<String>),
}

impl Records {
    /// Records at a path, as `at` of a reader would find them: `"data/rows/*"` are the elements of
    /// an array, which is the member `rows` of the object that is the member `data`.
    ///
    /// # Errors
    /// The path has no `*` at its end, or another step than keys before it.
    pub fn at(path: &str) -> Result<Self, Unwritable> {
        let refused = |reason: &str| Unwritable::value(format!("at={path:?}: {reason}"));
        let parsed = Path::parse(path).map_err(|error| refused(&error.reason))?;
        match parsed.steps() {
            [keys @ .., last] if *last.test() == Test::AnyChild && !parsed.anywhere() => {
                let is_key = |test: &Test| matches!(test, Test::Name { local: Some(_), .. });
                if keys.iter().all(|step| is_key(step.test())) {
                    return Ok(Records::Array(keys.iter().map(|key| key.key().into()).collect()));
                }
                Err(refused("the steps before the last must be keys, as in 'data/rows/*'"))
            }
            _ => Err(refused("records of JSON are the elements of an array: 'rows/*'")),
        }
    }
}

/// The options of a writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// How the records follow one another.
    pub records: Records,
    /// The white space for each level, or everything on one line.
    pub indent: Option<Indent>,
    /// The order of an object's members; none leaves it as it is.
    pub order: Option<Order>,
    /// Writes numbers as RFC 8785 asks for: those of a double, in the form of ECMAScript.
    pub doubles: bool,
    /// Writes every character that is not printable ASCII as an escape.
    pub ascii: bool,
    /// What to write for a double that JSON has no number for.
    pub non_finite: NonFinite,
    /// Writes decimal numbers as strings.
    pub decimals_as_text: bool,
    /// Writes integers beyond 2^53, which a double cannot hold, as strings.
    pub large_ints_as_text: bool,
    /// The form of binary data.
    pub binary: Binary,
}

impl WriterOptions {
    /// The canonical form of RFC 8785: members in the order of their keys' UTF-16 units, numbers as
    /// ECMAScript writes them, no white space.
    ///
    /// ```
    /// use penstock_core::json::writer::{Writer, WriterOptions};
    /// use penstock_core::limits::Limits;
    /// use penstock_core::protocol::Sink;
    /// use penstock_core::writer::Writer as _;
    ///
    /// let mut writer = Writer::new(WriterOptions::canonical(), &Limits::default());
    /// writer.begin_map(0)?;
    /// writer.key("b".into(), 0)?;
    /// writer.float(1e3, 0)?;
    /// writer.key("a".into(), 0)?;
    /// writer.null(0)?;
    /// writer.end_map(0)?;
    /// assert_eq!(writer.ready(), br#"{"a":null,"b":1000}"#);
    /// # Ok::<(), penstock_core::writer::Unwritable>(())
    /// ```
    #[must_use]
    pub fn canonical() -> Self {
        WriterOptions { order: Some(Order::Utf16), doubles: true, ..WriterOptions::default() }
    }

    /// Whether text is written as it is in memory but for escapes, and keys may be lent.
    pub(super) fn is_plain(&self) -> bool {
        self.indent.is_none() && self.order.is_none() && !self.ascii
    }
}
