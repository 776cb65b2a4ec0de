//! The values of one column.

use crate::bits::Bits;
use crate::plan::{Kind, NodeId};
use arrow_buffer::i256;
use penstock_scan::{Chosen, Pen, make_room};
use std::collections::HashMap;

/// One column of the rows so far.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) data: Data,
    /// Which rows hold a value; nothing as long as all of them do.
    pub(crate) valid: Option<Bits>,
    /// How many rows there are.
    pub(crate) rows: usize,
}

/// The buffers of a column.
#[derive(Debug)]
pub(crate) enum Data {
    /// Integers of all widths, times, instants, spans and places in a dictionary.
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Bits),
    /// Strings and binary data.
    Bytes(Bytes),
    Date(Vec<i32>),
    Decimal(Vec<i128>),
    Decimal256(Vec<i256>),
    Uuid(Vec<u8>),
    /// The places of strings among those of the dictionary.
    Dictionary(Vec<i32>, Words),
    /// Where the items of each row begin, and where the last row's end.
    List(Vec<i32>),
    /// The columns inside hold all, or there is nothing to hold.
    Nested,
}

/// Strings one after the other.
#[derive(Debug)]
pub(crate) struct Bytes {
    /// Where each begins, and where the last one ends.
    pub(crate) offsets: Vec<i32>,
    pub(crate) bytes: Vec<u8>,
}

impl Bytes {
    pub(crate) fn new() -> Self {
        Bytes { offsets: vec![0], bytes: Vec::new() }
    }

    /// Adds a string; false if there is no place for more.
    #[inline(always)]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        make_room(&mut self.offsets, 1);
        let end = self.bytes.len() + bytes.len();
        let Ok(end) = i32::try_from(end) else { return false };
        // Most strings are short.
        Pen::new(&mut self.bytes, Chosen::portable()).copy(bytes);
        self.offsets.push(end);
        true
    }

    fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows + 1);
        self.bytes.truncate(self.offsets.last().map_or(0, |end| *end as usize));
    }
}

/// The strings of a dictionary.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) words: Bytes,
    places: HashMap<Box<[u8]>, i32>,
}

impl Words {
    pub(crate) fn new() -> Self {
        Words { words: Bytes::new(), places: HashMap::new() }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Takes all strings back but the first.
    pub(crate) fn truncate(&mut self, count: usize) {
        for place in count..self.count() {
            let ends = &self.words.offsets[place..place + 2];
            self.places.remove(&self.words.bytes[ends[0] as usize..ends[1] as usize]);
        }
        self.words.truncate(count);
    }

    /// The place of a string, which is added if it is new. None if there is no place for more.
    pub(crate) fn place(&mut self, word: &[u8]) -> Option<i32> {
        if let Some(place) = self.places.get(word) {
            return Some(*place);
        }
        let place = i32::try_from(self.places.len()).ok()?;
        if !self.words.push(word) {
            return None;
        }
        let mut copy = Vec::new();
        make_room(&mut copy, word.len());
        copy.extend_from_slice(word);
        make_room(&mut self.places, 1);
        self.places.insert(copy.into(), place);
        Some(place)
    }
}

/// A vector with room for as many values as another one has, so that the next batch need not grow.
fn alike<T>(before: &[T]) -> Vec<T> {
    let mut next = Vec::new();
    // If there is none, it grows as it must.
    let _ = next.try_reserve(before.len());
    next
}

impl Data {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Int(_)
            | Kind::Time(_)
            | Kind::Timestamp { .. }
            | Kind::Duration
            | Kind::ChoiceInt(_) => Data::Int(Vec::new()),
            Kind::Float | Kind::Float32 => Data::Float(Vec::new()),
            Kind::Bool => Data::Bool(Bits::default()),
            Kind::Str | Kind::Json | Kind::Spelled | Kind::Bytes(_) => Data::Bytes(Bytes::new()),
            Kind::Date(_) => Data::Date(Vec::new()),
            Kind::Decimal { precision, .. } if *precision <= 38 => Data::Decimal(Vec::new()),
            Kind::Decimal { .. } => Data::Decimal256(Vec::new()),
            Kind::Uuid => Data::Uuid(Vec::new()),
            Kind::Dictionary => Data::Dictionary(Vec::new(), Words::new()),
            Kind::Choice(_) => Data::Dictionary(Vec::new(), Words::new()),
            Kind::List(_) | Kind::Map(..) => Data::List(vec![0]),
            Kind::Null | Kind::Tuple(..) | Kind::Struct(_) => Data::Nested,
        }
    }

    /// The same without values, and with room for as many.
    fn emptied(&self) -> Self {
        match self {
            Data::Int(values) => Data::Int(alike(values)),
            Data::Float(values) => Data::Float(alike(values)),
            Data::Bool(_) => Data::Bool(Bits::default()),
            Data::Bytes(values) => {
                let mut offsets = alike(&values.offsets);
                offsets.push(0);
                Data::Bytes(Bytes { offsets, bytes: alike(&values.bytes) })
            }
            Data::Date(values) => Data::Date(alike(values)),
            Data::Decimal(values) => Data::Decimal(alike(values)),
            Data::Decimal256(values) => Data::Decimal256(alike(values)),
            Data::Uuid(values) => Data::Uuid(alike(values)),
            Data::Dictionary(values, _) => Data::Dictionary(alike(values), Words::new()),
            Data::List(offsets) => {
                let mut offsets = alike(offsets);
                offsets.push(0);
                Data::List(offsets)
            }
            Data::Nested => Data::Nested,
        }
    }
}

impl Column {
    /// A column without rows.
    pub(crate) fn new(kind: &Kind) -> Self {
        Column { data: Data::of(kind), valid: None, rows: 0 }
    }

    /// Takes all rows out.
    pub(crate) fn take(&mut self) -> Column {
        let next = Column { data: self.data.emptied(), valid: None, rows: 0 };
        std::mem::replace(self, next)
    }

    /// A row has its value.
    #[inline(always)]
    pub(crate) fn filled(&mut self) {
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
        self.rows += 1;
    }

    /// So many rows have their value.
    #[inline(always)]
    pub(crate) fn filled_by(&mut self, count: usize) {
        if let Some(valid) = &mut self.valid {
            valid.extend_with(true, count);
        }
        self.rows += count;
    }

    /// A row has none. What stands in the buffers there does not matter.
    #[inline(never)]
    pub(crate) fn unfilled(&mut self) {
        let rows = self.rows;
        self.valid.get_or_insert_with(|| Bits::filled(true, rows)).push(false);
        self.rows += 1;
    }

    /// Puts something into the buffers for a row without a value. The columns inside are left. Returns
    /// about how many bytes that takes: as much as a value, but for strings.
    pub(crate) fn pad(&mut self) -> usize {
        match &mut self.data {
            Data::Int(values) => push(values, 0),
            Data::Float(values) => push(values, 0.0),
            Data::Bool(values) => values.push(false),
            Data::Bytes(values) => {
                values.push(b"");
            }
            Data::Date(values) => push(values, 0),
            Data::Decimal(values) => push(values, 0),
            Data::Decimal256(values) => push(values, i256::ZERO),
            Data::Uuid(values) => {
                make_room(values, 16);
                values.extend_from_slice(&[0; 16]);
            }
            Data::Dictionary(values, _) => push(values, 0),
            Data::List(offsets) => {
                let end = offsets.last().copied().unwrap_or_default();
                push(offsets, end);
            }
            Data::Nested => {}
        }
        match self.data {
            Data::Int(_) | Data::Float(_) => 8,
            Data::Bytes(_) | Data::Date(_) | Data::Dictionary(..) | Data::List(_) => 4,
            Data::Decimal(_) | Data::Uuid(_) => 16,
            Data::Decimal256(_) => 32,
            Data::Bool(_) | Data::Nested => 1,
        }
    }

    /// Takes rows back. The columns inside are left. Returns where the items of a list now end.
    pub(crate) fn truncate(&mut self, rows: usize) -> usize {
        self.rows = rows;
        if let Some(valid) = &mut self.valid {
            valid.truncate(rows);
        }
        match &mut self.data {
            Data::Int(values) => values.truncate(rows),
            Data::Float(values) => values.truncate(rows),
            Data::Bool(values) => values.truncate(rows),
            Data::Bytes(values) => values.truncate(rows),
            Data::Date(values) => values.truncate(rows),
            Data::Decimal(values) => values.truncate(rows),
            Data::Decimal256(values) => values.truncate(rows),
            Data::Uuid(values) => values.truncate(16 * rows),
            // A word that is not used does no harm.
            Data::Dictionary(values, _) => values.truncate(rows),
            Data::List(offsets) => {
                offsets.truncate(rows + 1);
                return offsets.last().map_or(0, |end| *end as usize);
            }
            Data::Nested => {}
        }
        rows
    }
}

#[inline(always)]
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) {
    make_room(values, 1);
    values.push(value);
}

/// The columns inside a column.
pub(crate) fn inside(kind: &Kind) -> [Option<NodeId>; 2] {
    match kind {
        Kind::List(item) | Kind::Tuple(item, _) => [Some(*item), None],
        Kind::Map(key, value) => [Some(*key), Some(*value)],
        _ => [None, None],
    }
}
