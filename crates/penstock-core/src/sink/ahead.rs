//! What a reader knows of a map before it reports its members.

use super::{Flow, Sink, Want, expand};
use crate::event::{Key, Row, Scalar, Text};

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

/// What a reader knows of a map before it reports its members.
///
/// *Looking ahead.* After a sink answered the beginning of a map with [`Flow::Look`], the reader calls
/// the `look_` methods for its members until the sink knows what it becomes. Then it reports the map
/// as always.
///
/// *Known keys.* A reader that knows the keys of maps before their values (a CSV file has a header)
/// reports them once, by [`known_keys`](LookAhead::known_keys), and is told for each whether it is
/// wanted. From then on it reports each such map as one [`row`](LookAhead::row). A sink that does
/// not know of rows gets their events.
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

    /// Maps with these keys, in this order, will stand where the next value stands: as the next
    /// records, or as the elements of the list at hand. The reader numbers its shapes, and reports a
    /// shape again if its keys change.
    ///
    /// `wanted` has a place for each key. The sink leaves there in which form it wants numbers, or
    /// nothing if it does not want the value of that key: then rows leave that out. All are wanted,
    /// as digits, if it does nothing.
    fn known_keys(&mut self, _shape: u32, _keys: &[Key<'_>], _wanted: &mut [Option<Want>]) {}

    /// A map of a known shape. All of it is reported in one call, unless the sink pauses or stops
    /// within it: then the reader goes on with the same row when it is called again.
    ///
    /// The answer is that to the last event. [`Flow::Skip`] means that the map is not wanted, with all
    /// that the reader would still report of it. [`Flow::Look`] is an answer only
    /// to a row without an end: the reader looks ahead, and then goes on with the row.
    ///
    /// A sink that takes rows at once leaves those that have begun to [`expand`]: it got their first
    /// events as such.
    #[inline]
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Self::Error> {
        expand(self, row)
    }
}
