//! Columns written past the events, where the writer leaves a quicker way.

use super::events::How;
use super::times::Found;
use super::values::{Told, Values};
use arrow_array::{GenericStringArray, OffsetSizeTrait};
use penstock_core::event::Scalar;
use penstock_core::value::print;
use penstock_core::writer::Writer;
use penstock_core::{csv, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes as many of the columns as it can, from `next` on. Returns the first that is not written.
/// `shared` is how many of the first columns are known to be those of the writer.
#[inline]
pub(super) fn members<W: Writer>(
    (columns, shared): (&[Told], &AtomicUsize),
    mut next: usize,
    writer: &mut W,
    row: usize,
    how: How,
    scratch: &mut Vec<u8>,
) -> usize {
    if W::ROWS {
        if let Some(mut direct) = writer.cells(0) {
            let mut known = shared.load(Ordering::Relaxed);
            // The cells so far are those of the columns before.
            while direct.filled() == next
                && let Some(column) = columns.get(next)
                && (next < known || direct.is_next(column.name.as_bytes()))
                && column.cell(&mut direct, row, scratch)
            {
                next += 1;
                known = known.max(next);
            }
            shared.store(known, Ordering::Relaxed);
        }
    } else if let Some(mut direct) = writer.direct() {
        while let Some(column) = columns.get(next)
            && column.quick_member(&mut direct, row, how, scratch)
        {
            next += 1;
        }
    }
    next
}

/// The text of a row. As `value` of the array, which is a call.
#[inline(always)]
fn text_at<O: OffsetSizeTrait>(array: &GenericStringArray<O>, row: usize) -> &[u8] {
    let ends = array.value_offsets();
    &array.value_data()[ends[row].as_usize()..ends[row + 1].as_usize()]
}

/// Has a value of time printed. False if it is none, or has no form.
#[inline]
fn printed<'s>(told: &Told, row: usize, scratch: &'s mut Vec<u8>) -> Option<&'s [u8]> {
    let found = told.timed(row, scratch).ok()??;
    // Nothing of these is borrowed.
    let scalar: Scalar<'static> = match found {
        Found::Text(_) => return Some(scratch),
        Found::Scalar(Scalar::Date(date)) => Scalar::Date(date),
        Found::Scalar(Scalar::Time(time)) => Scalar::Time(time),
        Found::Scalar(Scalar::DateTime(value)) => Scalar::DateTime(value),
        Found::Scalar(Scalar::Duration(value)) => Scalar::Duration(value),
        Found::Scalar(Scalar::Uuid(bytes)) => Scalar::Uuid(bytes),
        Found::Scalar(_) => return None,
    };
    scratch.clear();
    match scalar {
        Scalar::Date(date) => print::date(date, scratch),
        Scalar::Time(time) => print::time(time, scratch),
        Scalar::DateTime(value) => print::datetime(value, scratch),
        Scalar::Duration(value) => print::duration(value, scratch),
        Scalar::Uuid(bytes) => print::uuid(bytes, scratch),
        _ => return None,
    }
    Some(scratch)
}

impl Told {
    /// Writes a member into an object. If it answers false, nothing is written.
    #[inline]
    fn quick_member(
        &self,
        direct: &mut json::direct::Direct<'_>,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> bool {
        let is_null = self.is_null(row);
        if is_null && how.omits {
            return true;
        }
        let mark = direct.mark();
        let lent = self.lent.as_bytes();
        let begun = match lent.is_empty() {
            true => direct.key(self.name.as_bytes()),
            false => direct.lent_key(lent),
        };
        if begun && (if is_null { direct.null() } else { self.quick(direct, row, how, scratch) }) {
            return true;
        }
        direct.back_to(mark);
        false
    }

    /// Writes a value that is not null. If it answers false, part of it may be written.
    #[inline]
    fn quick(
        &self,
        direct: &mut json::direct::Direct<'_>,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> bool {
        match &self.values {
            Values::Text(array) => direct.text(text_at(array, row)),
            Values::Int(ints) => direct.int(ints.get(row)),
            Values::F64(values) => direct.float(values[row]),
            Values::Bool(values) => direct.boolean(values.value(row)),
            Values::LargeText(array) => direct.text(text_at(array, row)),
            Values::TextView(array) => direct.text(array.value(row).as_bytes()),
            Values::Keyed(keys, values) => {
                values.quick(direct, keys.get(row) as usize, how, scratch)
            }
            Values::F32(values) => direct.float(values[row].into()),
            Values::U64(values) => i64::try_from(values[row]).is_ok_and(|value| direct.int(value)),
            _ => self.quick_other(direct, row, how, scratch),
        }
    }

    #[inline(never)]
    fn quick_other(
        &self,
        direct: &mut json::direct::Direct<'_>,
        row: usize,
        how: How,
        scratch: &mut Vec<u8>,
    ) -> bool {
        match &self.values {
            Values::F16(values) => direct.float(values[row].to_f64()),
            Values::Runs(runs, values) => values.quick(direct, runs.get(row), how, scratch),
            Values::Struct(columns) => {
                direct.begin(b'{')
                    && columns.iter().all(|it| it.quick_member(direct, row, how, scratch))
                    && direct.end(b'}')
            }
            Values::List(..)
            | Values::LargeList(..)
            | Values::ListView(..)
            | Values::LargeListView(..)
            | Values::FixedList(..) => {
                let Some((range, item)) = self.items(row) else { return false };
                direct.begin(b'[')
                    && range.into_iter().all(|place| match item.is_null(place) {
                        true => direct.null(),
                        false => item.quick(direct, place, how, scratch),
                    })
                    && direct.end(b']')
            }
            _ => printed(self, row, scratch).is_some_and(|text| direct.text(text)),
        }
    }

    /// Writes a cell. If it answers false, nothing is written.
    #[inline]
    fn cell(
        &self,
        direct: &mut csv::direct::Direct<'_>,
        row: usize,
        scratch: &mut Vec<u8>,
    ) -> bool {
        if self.is_null(row) {
            return direct.null();
        }
        match &self.values {
            Values::Text(array) => direct.text(text_at(array, row)),
            Values::Int(ints) => direct.int(ints.get(row)),
            Values::F64(values) => direct.float(values[row]),
            Values::Bool(values) => direct.boolean(values.value(row)),
            Values::LargeText(array) => direct.text(text_at(array, row)),
            Values::TextView(array) => direct.text(array.value(row).as_bytes()),
            Values::Keyed(keys, values) => values.cell(direct, keys.get(row) as usize, scratch),
            Values::F32(values) => direct.float(values[row].into()),
            Values::U64(values) => i64::try_from(values[row]).is_ok_and(|value| direct.int(value)),
            Values::F16(values) => direct.float(values[row].to_f64()),
            Values::Runs(runs, values) => values.cell(direct, runs.get(row), scratch),
            // With an exponent, it is written as another text.
            _ if self.decimal(row, scratch) => !scratch.contains(&b'E') && direct.text(scratch),
            _ => printed(self, row, scratch).is_some_and(|text| direct.text(text)),
        }
    }
}
