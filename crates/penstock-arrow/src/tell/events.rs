//! Rows as events.

use super::Untold;
use super::times::{self, Found};
use super::values::{Told, Values};
use penstock_core::event::{Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::value::print;
use penstock_core::writer::{Unwritable, Writer};
use penstock_scan::ValidText;
use std::collections::HashSet;

/// How rows are told.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// Whether members that are null are left out.
    pub(super) omits: bool,
}

type Done = Result<(), Untold>;

#[inline(always)]
fn text_of(text: &str) -> Text<'_> {
    Text { text: ValidText::from(text), ascii: false }
}

impl Told {
    /// RecordFeed a row as a record.
    #[inline]
    pub(super) fn record<W: Writer>(
        &self,
        writer: &mut W,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> Done {
        self.value(writer, row, how, scratch)
    }

    /// RecordFeed the value of a row.
    fn value<W: Writer>(
        &self,
        writer: &mut W,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> Done {
        if self.is_null(row) {
            writer.plain_null()?;
            return Ok(());
        }
        match &self.values {
            Values::Keyed(keys, values) => {
                values.value(writer, keys.get(row) as usize, how, scratch)
            }
            Values::Runs(runs, values) => values.value(writer, runs.get(row), how, scratch),
            Values::Struct(columns) => {
                writer.begin_map(0)?;
                self.members(columns, writer, row, how, scratch)?;
                writer.end_map(0)?;
                Ok(())
            }
            Values::Map(ends, keys, values) => {
                let range = ends[row] as usize..ends[row + 1] as usize;
                self.entries(range, keys, values, writer, how, scratch)
            }
            Values::List(..)
            | Values::LargeList(..)
            | Values::ListView(..)
            | Values::LargeListView(..)
            | Values::FixedList(..) => {
                let Some((range, item)) = self.items(row) else { return Ok(()) };
                writer.begin_list(0)?;
                let begin = range.start;
                for place in range {
                    item.value(writer, place, how, scratch)
                        .map_err(|untold| untold.within(PathStep::Index((place - begin) as u64)))?;
                }
                writer.end_list(0)?;
                Ok(())
            }
            _ => self.scalar(writer, row, scratch),
        }
    }

    /// RecordFeed the columns of a struct.
    #[inline]
    fn members<W: Writer>(
        &self,
        columns: &[Told],
        writer: &mut W,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> Done {
        let mut next = 0;
        loop {
            next = super::quick::members((columns, &self.shared), next, writer, row, how, scratch);
            let Some(column) = columns.get(next) else { return Ok(()) };
            next += 1;
            let is_null = column.is_null(row);
            if is_null && how.omits && !W::ROWS {
                continue;
            }
            column
                .member(writer, row, is_null, how, scratch)
                .map_err(|untold| untold.within(PathStep::Key(column.name.to_string())))?;
        }
    }

    fn member<W: Writer>(
        &self,
        writer: &mut W,
        row: usize,
        is_null: bool,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> Done {
        writer.lent_key(self.lent.as_bytes(), &self.name)?;
        if is_null && W::ELEMENTS && self.name.starts_with(['@', '#']) {
            // No element that could be an empty one.
            writer.null(0)?;
            return Ok(());
        }
        self.value(writer, row, how, scratch)
    }

    /// RecordFeed a map.
    fn entries<W: Writer>(
        &self,
        range: std::ops::Range<usize>,
        keys: &Told,
        values: &Told,
        writer: &mut W,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> Done {
        unlike(keys, range.clone())?;
        writer.begin_map(0)?;
        // Attributes come before all else.
        for attributes in [true, false] {
            if attributes && !W::ELEMENTS {
                continue;
            }
            for place in range.clone() {
                let mut digits = Vec::new();
                let key = keys.key(place, &mut digits)?;
                if W::ELEMENTS && key.starts_with('@') != attributes {
                    continue;
                }
                let within = |untold: Untold| untold.within(PathStep::Key(key.to_owned()));
                writer.key(text_of(key), 0).map_err(|reason| within(reason.into()))?;
                if W::ELEMENTS && key.starts_with(['@', '#']) && values.is_null(place) {
                    writer.null(0).map_err(|reason| within(reason.into()))?;
                    continue;
                }
                values.value(writer, place, how, scratch).map_err(within)?;
            }
        }
        writer.end_map(0)?;
        Ok(())
    }

    /// A key of a map.
    pub(super) fn key<'k>(
        &'k self,
        place: usize,
        digits: &'k mut Vec<u8>,
    ) -> Result<&'k str, Untold> {
        if self.is_null(place) {
            return Err(Unwritable::value("a key of a map that is null").into());
        }
        match &self.values {
            Values::Text(array) => Ok(array.value(place)),
            Values::LargeText(array) => Ok(array.value(place)),
            Values::TextView(array) => Ok(array.value(place)),
            Values::Keyed(keys, values) => values.key(keys.get(place) as usize, digits),
            Values::Int(ints) => {
                print::int(ints.get(place), digits);
                Ok(std::str::from_utf8(digits).unwrap_or_default())
            }
            Values::U64(values) => {
                print::uint(values[place], digits);
                Ok(std::str::from_utf8(digits).unwrap_or_default())
            }
            _ => Err(Unwritable::value("a key of a map that is no text").into()),
        }
    }

    /// The text of a row, if it is one.
    #[inline(always)]
    pub(super) fn text(&self, row: usize) -> Option<&str> {
        match &self.values {
            Values::Text(array) => Some(array.value(row)),
            Values::LargeText(array) => Some(array.value(row)),
            Values::TextView(array) => Some(array.value(row)),
            _ => None,
        }
    }

    /// The bytes of a row, if these are its value.
    #[inline]
    pub(super) fn bytes(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            Values::Bytes(array) => Some(array.value(row)),
            Values::LargeBytes(array) => Some(array.value(row)),
            Values::BytesView(array) => Some(array.value(row)),
            Values::BytesFixed(array) => Some(array.value(row)),
            _ => None,
        }
    }

    /// The value of a row, if it is one of time, or a UUID.
    #[inline]
    pub(super) fn timed<'s>(
        &self,
        row: usize,
        scratch: &'s mut Vec<u8>,
    ) -> Result<Option<Found<'s>>, Unwritable> {
        Ok(Some(match &self.values {
            Values::Days(days) => Found::Scalar(Scalar::Date(times::date(days[row].into())?)),
            Values::Millis(millis) => {
                Found::Scalar(Scalar::Date(times::date_of_millis(millis[row])?))
            }
            Values::Time(counts, unit) => times::time(counts.get(row), *unit, scratch)?,
            Values::Instant(counts, unit, zone) => {
                times::instant(counts[row], *unit, *zone, scratch)?
            }
            Values::Span(counts, unit) => times::span(counts[row], *unit, scratch)?,
            Values::Uuid(array) => {
                let bytes = array.value(row).try_into().unwrap_or_default();
                Found::Scalar(Scalar::Uuid(bytes))
            }
            _ => return Ok(None),
        }))
    }

    /// Prints a decimal number. False if it is none.
    pub(super) fn decimal(&self, row: usize, scratch: &mut Vec<u8>) -> bool {
        match &self.values {
            Values::Decimal32(values, scale) => {
                times::decimal(itoa::Buffer::new().format(values[row]), *scale, scratch);
            }
            Values::Decimal64(values, scale) => {
                times::decimal(itoa::Buffer::new().format(values[row]), *scale, scratch);
            }
            Values::Decimal128(values, scale) => {
                times::decimal(itoa::Buffer::new().format(values[row]), *scale, scratch);
            }
            Values::Decimal256(values, scale) => {
                times::decimal(&values[row].to_string(), *scale, scratch);
            }
            _ => return false,
        }
        true
    }

    /// RecordFeed a value that is neither null nor a container.
    fn scalar<W: Writer>(&self, writer: &mut W, row: usize, scratch: &mut Vec<u8>) -> Done {
        match &self.values {
            Values::Bool(values) => writer.boolean(values.value(row), 0)?,
            Values::Int(ints) => writer.int(ints.get(row), 0)?,
            Values::U64(values) => match i64::try_from(values[row]) {
                Ok(value) => writer.int(value, 0)?,
                Err(_) => {
                    let mut digits = itoa::Buffer::new();
                    writer.number(digits.format(values[row]).as_bytes(), 0)?
                }
            },
            Values::F16(values) => writer.float(values[row].to_f64(), 0)?,
            Values::F32(values) => writer.float(values[row].into(), 0)?,
            Values::F64(values) => writer.float(values[row], 0)?,
            _ => {
                if let Some(text) = self.text(row) {
                    writer.text(text_of(text), 0)?
                } else if let Some(bytes) = self.bytes(row) {
                    writer.scalar(Scalar::Bytes(bytes), 0)?
                } else if self.decimal(row, scratch) {
                    writer.scalar(Scalar::Decimal(scratch), 0)?
                } else {
                    match self.timed(row, scratch)? {
                        Some(Found::Scalar(scalar)) => writer.scalar(scalar, 0)?,
                        // A format of its own has times of its own, and text would be no time.
                        Some(Found::Text(_)) if !W::NULLS => {
                            let reason = penstock_core::value::unix::Reason::Finer.message();
                            return Err(Unwritable::value(reason).into());
                        }
                        Some(Found::Text(text)) => writer.word(text, false)?,
                        None => return Err(Unwritable::value("a value without a form").into()),
                    }
                }
            }
        };
        Ok(())
    }
}

/// Refuses a map in which a key comes twice: whoever reads it has one of the values.
fn unlike(keys: &Told, range: std::ops::Range<usize>) -> Done {
    if range.len() < 2 {
        return Ok(());
    }
    let mut met = HashSet::new();
    for place in range {
        let mut digits = Vec::new();
        let key = keys.key(place, &mut digits)?.to_owned();
        if met.contains(&key) {
            let untold: Untold = Unwritable::value("a key that comes twice in its map").into();
            return Err(untold.within(PathStep::Key(key)));
        }
        met.insert(key);
    }
    Ok(())
}
