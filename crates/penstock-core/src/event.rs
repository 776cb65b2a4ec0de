//! What a reader can say about a document.
//!
//! Every format is told in the same words: maps, lists, keys and scalars, and for XML the few
//! extras that an element needs. The words are [`Sink`](crate::sink::Sink)'s methods; this module
//! holds what they carry.

use penstock_scan::ValidText;

/// A piece of checked text, with what the scan already knows of it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The bytes, UTF-8 checked, escapes and entities already resolved.
    pub text: ValidText<'a>,
    /// True if the scan saw no byte above 0x7F. False says nothing.
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

/// What a key is, in the format that has it.
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
    /// The namespace's URI, where the format has namespaces and this name is in one.
    pub namespace: Option<Text<'a>>,
    /// The prefix as written, where there was one.
    pub prefix: Option<Text<'a>>,
    /// What kind of key it is. It also settles what a second key of the same name means: for an
    /// element "one more of these", for a member or an attribute "a duplicate".
    pub kind: KeyKind,
}

impl Key<'_> {
    /// True if the same key again means one more of the same (XML elements), false if it is a
    /// duplicate (JSON, property lists).
    pub fn repeats(&self) -> bool {
        self.kind == KeyKind::Element
    }
}

/// A value without parts.
///
/// Numbers keep what the format itself knows: a JSON number is its digits, and only the
/// destination decides between integer, float and decimal.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`, a property list's boolean.
    Bool(bool),
    /// An integer that the format stores as one (binary property list), or a JSON integer that
    /// fits, where the sink [wants](crate::sink::Want) it native.
    Int(i64),
    /// A binary double (binary property list), or a JSON number rounded to the nearest one, where
    /// the sink wants it so. Never an infinity from JSON.
    Float(f64),
    /// A JSON number as it stands in the text: checked against the grammar, not yet valued.
    Number(&'a [u8]),
    /// A string that the format marks as a string.
    Text(Text<'a>),
    /// Text whose type only the destination knows: XML, CSV.
    Untyped(Text<'a>),
    /// Binary data (property lists).
    Bytes(&'a [u8]),
    /// Seconds since 2001-01-01T00:00:00Z, the property list's own date.
    Date(f64),
    /// A property list's UID.
    Uid(u64),
}

/// The step by which a path's `*` found its match.
#[derive(Clone, Copy, Debug)]
pub enum Matched<'a> {
    /// The key of a map.
    Key(Text<'a>),
    /// The position in a list, from 0.
    Index(u64),
}
