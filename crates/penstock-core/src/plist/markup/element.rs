//! The elements of a property list.

/// An element of a property list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Plist,
    Dict,
    Array,
    Key,
    String,
    Integer,
    Real,
    Date,
    Data,
    True,
    False,
}

impl Element {
    /// The element of this name. Names are written in lower case.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"key" => Element::Key,
            b"string" => Element::String,
            b"integer" => Element::Integer,
            b"dict" => Element::Dict,
            b"array" => Element::Array,
            b"date" => Element::Date,
            b"true" => Element::True,
            b"false" => Element::False,
            b"real" => Element::Real,
            b"data" => Element::Data,
            b"plist" => Element::Plist,
            _ => return None,
        })
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Element::Plist => "plist",
            Element::Dict => "dict",
            Element::Array => "array",
            Element::Key => "key",
            Element::String => "string",
            Element::Integer => "integer",
            Element::Real => "real",
            Element::Date => "date",
            Element::Data => "data",
            Element::True => "true",
            Element::False => "false",
        }
    }

    /// Whether it is a value that contains no other.
    #[inline]
    pub(super) fn is_scalar(self) -> bool {
        !matches!(self, Element::Plist | Element::Dict | Element::Array | Element::Key)
    }
}
