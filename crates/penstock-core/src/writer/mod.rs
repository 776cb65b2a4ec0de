//! What the writers of all formats have in common.
//!
//! A writer is a destination of the same events that readers report. It writes them as text of its
//! format into a buffer, and never owns its output: whoever drives it takes the text out when
//! there is enough, and hands it on. So one writer serves a file, a `bytes` object and a pipe.

pub(crate) mod scalars;

use std::borrow::Cow;
use std::fmt;

use crate::csv;
use crate::event::Scalar;
use crate::json;
use crate::protocol::{Flow, Hints, LookAhead};
use penstock_scan::ValidText;

/// When a buffer has this much text, a writer answers [`Flow::Pause`],
/// and its driver hands the text on. It is small enough to stay in the processor's cache.
pub const ENOUGH: usize = 64 << 10;

/// Writes a document, event by event.
///
/// The values at the root are records. After [`Sink::abandon`](crate::protocol::Sink::abandon) the text
/// of the current record is gone from the buffer, provided that no part of it was taken.
pub trait Writer: LookAhead<Error = Unwritable> + Hints {
    /// Whether the format has elements and attributes: whether keys have kinds and namespaces, and
    /// all values are text.
    const ELEMENTS: bool = false;

    /// Whether a record is a row of cells, which have columns.
    const ROWS: bool = false;

    /// Whether all values are text, whose type the reader does not know.
    const LEXICAL: bool = Self::ELEMENTS || Self::ROWS;

    /// Whether the format has a null.
    const NULLS: bool = true;

    /// Whether the program's own objects are kept, instead of text that stands for them. Then a scalar that needs no
    /// conversion comes by [`hold`](Self::hold).
    const HOLDS: bool = false;

    /// A scalar, as the address of the program's object, which lives until this call returns.
    ///
    /// # Errors
    /// As [`Sink::null`](crate::protocol::Sink::null).
    fn hold(&mut self, object: usize) -> Result<Flow, Unwritable> {
        let _ = object;
        self.null(0)
    }

    /// The text that may be taken.
    fn ready(&self) -> &[u8];

    /// Forgets the text, because it was taken.
    fn taken(&mut self);

    /// Ends the output: what follows the last record is written.
    ///
    /// # Errors
    /// What was written so far is not whole, or there are too few or too many records for the
    /// format.
    fn finish(&mut self) -> Result<(), Unwritable>;

    /// Begins again, as a new writer with the same options and buffers.
    fn reopen(&mut self);

    /// How many records are complete.
    fn records(&self) -> u64;

    /// A writer of the records that follow: it writes them as this one would, with what stands
    /// before each of them. This one may be in a record. None if nobody else can, now or at all:
    /// before the first record is complete, or if what was written before must be known.
    fn beside(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Whether this one would have written the same records as one [beside](Self::beside) it, byte
    /// for byte.
    fn agrees(&self, _beside: &Self) -> bool {
        true
    }

    /// So many records were written [beside](Self::beside) this writer, and their text was handed
    /// on behind all of its own.
    fn pass(&mut self, _records: u64) {}

    /// A key that may be lent as it stands in JSON text: `"name":`. It is empty if the key needs an
    /// escape.
    ///
    /// # Errors
    /// As [`Sink::key`](crate::protocol::Sink::key).
    #[inline(always)]
    fn lent_key(&mut self, lent: &[u8], name: &str) -> Result<Flow, Unwritable> {
        let _ = lent;
        self.key(name.into(), 0)
    }

    /// A quicker way to write into the innermost open container, if the format and the options
    /// leave one.
    #[inline(always)]
    fn direct(&mut self) -> Option<json::direct::Direct<'_>> {
        None
    }

    /// If equal values must be equal text, also those without an order: a writer for the items of a
    /// set, whose texts are put in order.
    fn orderly(&self) -> Option<json::writer::Writer> {
        None
    }

    /// A value, as a writer of [`orderly`](Self::orderly) has written it.
    ///
    /// # Errors
    /// As [`Sink::null`](crate::protocol::Sink::null).
    fn again(&mut self, text: &[u8]) -> Result<Flow, Unwritable> {
        let _ = text;
        self.null(0)
    }

    /// Which names the options give. Only formats of elements have any.
    fn named(&self) -> Named {
        Named::default()
    }

    /// A value that is JSON text already: one value, without white space between its tokens. False if the format
    /// has no place for JSON.
    ///
    /// # Errors
    /// As [`Sink::null`](crate::protocol::Sink::null).
    fn json_text(&mut self, text: ValidText<'_>) -> Result<bool, Unwritable> {
        let _ = text;
        Ok(false)
    }

    /// A null of plain values, which have no types. As [`Sink::null`](crate::protocol::Sink::null),
    /// unless the format reads those as another value.
    ///
    /// # Errors
    /// As [`Sink::null`](crate::protocol::Sink::null).
    fn plain_null(&mut self) -> Result<Flow, Unwritable> {
        self.null(0)
    }

    /// Text that stands for a value of another type than text, such as a number.
    ///
    /// # Errors
    /// As [`Sink::text`](crate::protocol::Sink::text).
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
        let _ = is_number;
        self.text(text.into(), 0)
    }

    /// Says of the element that has begun, and has no content yet, that it is null.
    ///
    /// # Errors
    /// As [`Sink::null`](crate::protocol::Sink::null).
    fn nil(&mut self) -> Result<(), Unwritable> {
        Ok(())
    }

    /// Whether [`columns`](Self::columns) would change anything.
    fn wants_columns(&self) -> bool {
        false
    }

    /// Says which columns the rows have that follow, if the format has rows. `layout` is a number
    /// for [`cells`](Self::cells), or 0 if the columns are those of another table.
    ///
    /// # Errors
    /// They do not go with what is written already.
    fn columns(&mut self, columns: Vec<Column>, layout: u64) -> Result<(), Unwritable> {
        let _ = (columns, layout);
        Ok(())
    }

    /// A quicker way to write the next cells of the open row, if the format and the options leave
    /// one, and if the columns are those that were said for this layout, or `layout` is 0.
    #[inline(always)]
    fn cells(&mut self, layout: u64) -> Option<csv::direct::Direct<'_>> {
        let _ = layout;
        None
    }

    /// From now on, notes the text of each scalar as a reader will get it. False if that is done
    /// already.
    fn listen(&mut self) -> bool {
        false
    }

    /// The text of the last scalar since [`listen`](Self::listen). None if there was no scalar, or
    /// null.
    fn heard(&self) -> Option<&[u8]> {
        None
    }

    /// Whether a reader is told that this text is one, so that no word of `cells(null=)` is meant.
    fn marks(&self, text: &[u8]) -> bool {
        let _ = text;
        false
    }

    /// No more is noted.
    fn ignore(&mut self) {}

    /// The last scalar since [`listen`](Self::listen), as a reader of the text will report it. None
    /// if there was none, or null.
    fn reported(&mut self) -> Option<Scalar<'_>> {
        let text = std::str::from_utf8(self.heard()?).ok()?;
        Some(Scalar::Untyped(text.into()))
    }

    /// What a reader knows of the kinds of values.
    fn kinds(&self) -> Kinds {
        if Self::LEXICAL { Kinds::Unknown } else { Kinds::Kept }
    }

    /// Whether all scalars are text to a reader that knows no types.
    fn has_only_text(&self) -> bool {
        Self::LEXICAL
    }
}

/// What a reader knows of the kinds of the values that a writer writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// Numbers are numbers, and text is text.
    Kept,
    /// By an option, some numbers are written as text, or in the form of others.
    Changed,
    /// All are text, or text may be anything.
    Unknown,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: Box<str>,
    /// Whether an empty cell is read as an empty value, of text or of bytes, and not as null or a
    /// default; none if nobody knows.
    pub empty_is_text: Option<bool>,
}

impl Column {
    /// A column of which only the name is known.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Column { name: penstock_scan::copied(name).into_boxed_str(), empty_is_text: None }
    }
}

/// The names that the options of a format of elements give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Whether there are records within other elements, and not one value.
    pub within: bool,
    /// Whether the root element has a name.
    pub root: bool,
    /// Whether records have one.
    pub record: bool,
}

/// What a writer gets to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// One value, which is the document.
    Value,
    /// Records, at the path at which a reader would find them; none for the place where it looks
    /// without a path.
    Records(Option<&'a str>),
}

/// Why an event cannot be written.
///
/// One word wide, as [`Flow`] is: both are passed in registers.
#[derive(Debug)]
pub struct Unwritable(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    reason: Cow<'static, str>,
}

/// The class of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The format cannot hold the value, or its reader would refuse it.
    Value,
    /// One of the [`Limits`](crate::limits::Limits) is exceeded.
    Limit,
    /// There is no memory for the text.
    Memory,
}

impl Unwritable {
    /// The format cannot hold a value. `reason` is a clause without a capital or a full stop.
    #[cold]
    #[inline(never)]
    pub fn value(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Value, reason.into())
    }

    /// A limit is exceeded. `reason` names it.
    #[cold]
    #[inline(never)]
    pub fn limit(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Limit, reason.into())
    }

    /// There is no memory.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn memory() -> Self {
        Self::new(Kind::Memory, "there is no memory for the text".into())
    }

    fn new(kind: Kind, reason: Cow<'static, str>) -> Self {
        Unwritable(Box::new(Inner { kind, reason }))
    }

    /// The class of the reason.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The reason as a clause.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.reason)
    }
}

impl std::error::Error for Unwritable {}

/// Makes room for so many more bytes.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn make_room(text: &mut Vec<u8>, more: usize) -> Result<(), Unwritable> {
    if text.capacity() - text.len() < more { grow(text, more) } else { Ok(()) }
}

/// A copy of bytes.
///
/// # Errors
/// There is no memory.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, Unwritable> {
    let mut copy = Vec::new();
    make_room(&mut copy, bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

#[cold]
#[inline(never)]
fn grow(text: &mut Vec<u8>, more: usize) -> Result<(), Unwritable> {
    text.try_reserve(more).map_err(|_| Unwritable::memory())
}
