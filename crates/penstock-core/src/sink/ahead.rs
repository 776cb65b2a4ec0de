//! What a sink hears of a map before its first member, if it asked for that.

use super::Sink;
use crate::event::{Scalar, Text};

/// A sink's answer while a reader looks ahead for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Look on.
    Pass,
    /// To a key: its value is wanted ([`LookAhead::look_value`]). Else the same as `Pass`.
    Value,
    /// It is known what the map becomes: report it, from its first member on.
    Found,
    /// The map is not wanted: pass over it. Nothing more of it is reported, its end included.
    Skip,
}

/// What a reader reports of a map while it looks ahead, after a sink answered its beginning with
/// [`Flow::Look`](crate::sink::Flow::Look).
pub trait LookAhead: Sink {
    /// A key of the map.
    fn look_key(&mut self, _key: Text<'_>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// The value of the key that was asked for; none if it has parts.
    fn look_value(&mut self, _value: Option<Scalar<'_>>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// The map ends, and it is not known yet what it becomes. The reader reports it, unless the
    /// answer is [`Look::Skip`].
    fn look_end(&mut self, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }

    /// The key that says what the map becomes, as [`expected_key`](crate::sink::Lent::expected_key)
    /// lends one, or nothing. Where finding its value is simple, the reader does so without
    /// reporting other members, and calls [`tag_found`](LookAhead::tag_found) before it looks.
    #[inline(always)]
    fn tag_wanted(&self) -> &[u8] {
        &[]
    }
    /// In the map that begins, the key lent by [`tag_wanted`](LookAhead::tag_wanted) has this value.
    /// The sink answers whether that will do; else looking begins. If true, that member is not
    /// reported again.
    #[inline(always)]
    fn tag_found(&mut self, _value: Text<'_>) -> bool {
        false
    }
}
