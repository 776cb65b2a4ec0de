//! What a reader reports about a map before its members.

use super::{Flow, Judge, Sink, Want, expand};
use crate::event::{KnownKeys, Row, Rows, Scalar, Text};

/// A sink's answer while a reader looks ahead for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Continue looking.
    Pass,
    /// In answer to a key: the sink wants its value ([`LookAhead::look_value`]). Otherwise the same
    /// as `Pass`.
    Value,
    /// The sink knows what the map becomes: report the map, from its first member on.
    Found,
    /// The sink does not want the map: skip it. The reader reports nothing more of it, not even its
    /// end.
    Skip,
}

/// How a sink gets the rows of known keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowsAs {
    /// As maps: each value after its key.
    #[default]
    Maps,
    /// As lists of the wanted values, without the keys.
    Lists,
    /// The same, and a row may have fewer or more values than there are keys, if nobody has named them.
    AnyLists,
}

/// What a reader reports about a map before its members.
///
/// *Looking ahead.* If a sink answers the beginning of a map with [`Flow::Look`], the reader calls
/// the `look_` methods for its members until the sink knows what the map becomes. Then it reports
/// the map as usual.
///
/// *Known keys.* A reader that knows the keys of maps before their values (a CSV file has a header)
/// reports them once, with [`known_keys`](LookAhead::known_keys). The sink answers for each key
/// whether it wants the values. From then on the reader reports each such map as one
/// [`row`](LookAhead::row). A sink that does not implement rows gets their events.
pub trait LookAhead: Sink {
    /// A key of the map.
    fn look_key(&mut self, _key: Text<'_>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// The value of the key that the sink asked for; none if the value is a map or a list.
    fn look_value(&mut self, _value: Option<Scalar<'_>>, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }
    /// The map ends before the sink knows what it becomes. The reader now reports the map, unless
    /// the answer is [`Look::Skip`].
    fn look_end(&mut self, _at: u64) -> Result<Look, Self::Error> {
        Ok(Look::Found)
    }

    /// The key that decides what the map becomes, in the form of
    /// [`expected_key`](super::Hints::expected_key), or nothing. If its value is easy to find,
    /// the reader finds it without reporting other members, and calls
    /// [`tag_found`](LookAhead::tag_found) before it starts to look.
    #[inline(always)]
    fn tag_wanted(&self) -> &[u8] {
        &[]
    }
    /// In the map that begins, the key from [`tag_wanted`](LookAhead::tag_wanted) has this value.
    /// The sink answers whether this value is enough; if not, the reader starts to look. If true,
    /// that member is not reported again.
    #[inline(always)]
    fn tag_found(&mut self, _value: Text<'_>) -> bool {
        false
    }

    /// The next values will be maps with these keys, in this order: the next records, or the
    /// elements of the current list. The reader numbers its shapes, and reports a shape again if
    /// its keys change.
    ///
    /// `wanted` has an entry for each key. The sink sets it to the form in which it wants numbers,
    /// or to nothing if it does not want the values of that key: rows then leave them out. If the
    /// sink changes nothing, it gets all values, and numbers as digits. The answer says how it wants
    /// the rows.
    ///
    /// # Errors
    /// The sink's error, if no map with these keys can fit: none is reported then.
    fn known_keys(
        &mut self,
        _known: &KnownKeys<'_>,
        _wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Self::Error> {
        Ok(RowsAs::Maps)
    }

    /// What the sink's type knows of the columns of a table, for a reader that has to find out how
    /// the table is written.
    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        None
    }

    /// A map of a known shape. The reader reports all of it in one call. If the sink pauses or
    /// stops within the row, the reader continues with the same row when it is called again.
    ///
    /// The sink answers as it would answer the last event. [`Flow::Skip`] means that it does not
    /// want the map, nor anything that the reader would still report of it. [`Flow::Look`] is
    /// allowed only for a row without an end: the reader looks ahead, and then continues with the
    /// row.
    ///
    /// A sink that handles rows itself must pass a row that has already begun to [`expand`],
    /// because it got the first events of that row one by one.
    #[inline]
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Self::Error> {
        expand(self, row)
    }

    /// Whether the sink takes maps of the known keys several at a time, as a table. The reader asks
    /// once for each piece of the text.
    #[inline(always)]
    fn takes_rows(&self) -> bool {
        false
    }

    /// Several maps of the shape that was reported last. The sink takes as many of them as it can,
    /// from the first one on, as it would take them [one by one](LookAhead::row), and answers how
    /// many these were, and what it would answer to the last one. The reader reports the next one
    /// by itself.
    ///
    /// # Errors
    /// As for a row that the sink refuses; none of them was taken.
    fn rows(&mut self, _rows: &Rows<'_>) -> Result<(usize, Flow), Self::Error> {
        Ok((0, Flow::Take))
    }
}
