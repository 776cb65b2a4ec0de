//! Rows of other columns behind those of a batch: two threads have filled columns by one plan.

use crate::bits::Bits;
use crate::column::{Bytes, Column, Data, Words, inside};
use crate::columns::Columns;
use crate::plan::{Kind, NodeId};
use crate::values::Unfit;
use penstock_scan::{gathered, make_room};
use std::ops::Range;

impl Columns {
    /// Columns of the same plan, without rows.
    #[must_use]
    pub fn alike(&self) -> Columns {
        Columns::new(self.plan.clone())
    }

    /// Appends some of the records of columns of the same plan, which take so many `bytes`. The
    /// result is the same as if they had been added here one by one.
    ///
    /// # Errors
    /// A column cannot hold all of that. Nothing is appended then.
    pub fn append(
        &mut self,
        from: &Columns,
        records: Range<usize>,
        bytes: usize,
    ) -> Result<(), Unfit> {
        let rows = self.rows();
        if let Err(unfit) = self.append_to(from, self.plan.root, records) {
            self.truncate(self.plan.root, rows);
            return Err(unfit);
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Appends rows of a column, with everything inside of it.
    fn append_to(&mut self, from: &Columns, node: NodeId, rows: Range<usize>) -> Result<(), Unfit> {
        let (to, other) = (&mut self.columns[node as usize], &from.columns[node as usize]);
        let items = to.append(other, rows.clone())?;
        match &from.plan.nodes[node as usize].kind {
            Kind::Struct(of) => {
                of.fields.iter().try_for_each(|field| self.append_to(from, *field, rows.clone()))
            }
            Kind::Tuple(item, count) => {
                self.append_to(from, *item, rows.start * count..rows.end * count)
            }
            kind => inside(kind)
                .into_iter()
                .flatten()
                .try_for_each(|inner| self.append_to(from, inner, items.clone())),
        }
    }

    /// Forgets all rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(self.plan.root, 0);
        for column in &mut self.columns {
            column.valid = None;
            if let Data::Dictionary(_, words) = &mut column.data {
                *words = Words::new();
            }
        }
        self.bytes = 0;
    }
}

impl Column {
    /// Appends the rows of a column of the same type. The columns inside are left. Returns which
    /// rows of these belong to them, if it is one of lists.
    fn append(&mut self, other: &Column, rows: Range<usize>) -> Result<Range<usize>, Unfit> {
        let mut items = rows.clone();
        match (&mut self.data, &other.data) {
            (Data::Int(to), Data::Int(from)) => extend(to, &from[rows.clone()]),
            (Data::Float(to), Data::Float(from)) => extend(to, &from[rows.clone()]),
            (Data::Bool(to), Data::Bool(from)) => to.append(from, rows.clone()),
            (Data::Bytes(to), Data::Bytes(from)) => to.append(from, rows.clone())?,
            (Data::Date(to), Data::Date(from)) => extend(to, &from[rows.clone()]),
            (Data::Decimal(to), Data::Decimal(from)) => extend(to, &from[rows.clone()]),
            (Data::Decimal256(to), Data::Decimal256(from)) => extend(to, &from[rows.clone()]),
            (Data::Uuid(to), Data::Uuid(from)) => extend(to, &from[16 * rows.start..16 * rows.end]),
            (Data::Dictionary(to, words), Data::Dictionary(from, others)) => {
                append_places(to, words, (from, other.valid.as_ref()), rows.clone(), others)?;
            }
            (Data::List(to), Data::List(from)) => {
                let ends = &from[rows.start..=rows.end];
                items = append_offsets(to, ends)?;
            }
            (Data::Nested, Data::Nested) => {}
            _ => unreachable!("columns of one plan"),
        }
        match (&mut self.valid, &other.valid) {
            (None, None) => {}
            (Some(to), None) => to.extend_with(true, rows.len()),
            (to, Some(from)) => {
                to.get_or_insert_with(|| Bits::filled(true, self.rows)).append(from, rows.clone());
            }
        }
        self.rows += rows.len();
        Ok(items)
    }
}

fn extend<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    make_room(to, from.len());
    to.extend_from_slice(from);
}

/// Appends the ends of strings or lists. `ends` begins with that of the row before. Returns the range
/// of what they hold.
fn append_offsets(to: &mut Vec<i32>, ends: &[i32]) -> Result<Range<usize>, Unfit> {
    let (Some(&first), Some(&last)) = (ends.first(), ends.last()) else { return Ok(0..0) };
    let end = to.last().copied().unwrap_or_default();
    if end.checked_add(last - first).is_none() {
        return Err(Unfit::Full);
    }
    make_room(to, ends.len() - 1);
    to.extend(ends[1..].iter().map(|at| at - first + end));
    Ok(first as usize..last as usize)
}

impl Bytes {
    fn append(&mut self, from: &Bytes, rows: Range<usize>) -> Result<(), Unfit> {
        let held = append_offsets(&mut self.offsets, &from.offsets[rows.start..=rows.end])?;
        extend(&mut self.bytes, &from.bytes[held]);
        Ok(())
    }
}

/// Appends the places of strings in a dictionary. A string that is new here gets its place when the
/// first of its rows comes, as it would without the other dictionary.
fn append_places(
    to: &mut Vec<i32>,
    words: &mut Words,
    (from, valid): (&[i32], Option<&Bits>),
    rows: Range<usize>,
    others: &Words,
) -> Result<(), Unfit> {
    const UNKNOWN: i32 = -1;
    let ends = &others.words.offsets;
    // The strings of an `Enum` or a `Literal` have the places of the type.
    if ends.len() == 1 {
        extend(to, &from[rows]);
        return Ok(());
    }
    let mut places = gathered(ends[1..].iter().map(|_| UNKNOWN));
    make_room(to, rows.len());
    for row in rows {
        if valid.is_some_and(|valid| !valid.get(row)) {
            // As for every null: it is no use of the string that has this place.
            to.push(0);
            continue;
        }
        let other = from[row] as usize;
        if places[other] == UNKNOWN {
            let word = &others.words.bytes[ends[other] as usize..ends[other + 1] as usize];
            places[other] = words.place(word).ok_or(Unfit::Full)?;
        }
        to.push(places[other]);
    }
    Ok(())
}
