//! Arrow columns to a writer: the rows of an array as the events of records.
//!
//! [`Teller`] looks at the type once, and refuses what a format has no form for. For the rows of a
//! batch, the arrays are looked up once (`values.rs`), and then each row is told value by value
//! (`events.rs`), or written past the events where the writer leaves a quicker way (`quick.rs`).
//! [`Records`] tells them to any other destination (`records.rs`), at the places where a class looks
//! for them (`paths.rs`). Columns in columns are at most [`DEEPEST`] levels.

mod check;
mod events;
mod paths;
mod quick;
mod records;
mod times;
mod values;

use crate::tell::events::How;
use crate::tell::values::Told;
use arrow_array::Array;
use arrow_schema::FieldRef;
use penstock_core::path_step::PathStep;
use penstock_core::writer::{Column, ENOUGH, Unwritable, Writer};

pub use check::{Formless, Takes};
pub use paths::{Arranged, Paths};
pub use records::{Records, Slot};

/// How deep columns may be in columns.
pub const DEEPEST: usize = 64;

/// RecordFeed the rows of arrays of one type.
#[derive(Debug)]
pub struct Teller {
    field: FieldRef,
    how: How,
}

/// A value that cannot be written.
#[derive(Debug)]
pub struct Untold(Box<Inner>);

#[derive(Debug)]
struct Inner {
    reason: Unwritable,
    /// Where the value is in its row, from the inside out.
    path: Vec<PathStep>,
}

impl Untold {
    /// Why, and where the value is in its row.
    #[must_use]
    pub fn into_parts(self) -> (Unwritable, Vec<PathStep>) {
        let Inner { reason, mut path } = *self.0;
        path.reverse();
        (reason, path)
    }

    /// Says in which container the value is.
    #[cold]
    fn within(mut self, step: PathStep) -> Self {
        self.0.path.push(step);
        self
    }
}

impl From<Unwritable> for Untold {
    #[cold]
    fn from(reason: Unwritable) -> Self {
        Untold(Box::new(Inner { reason, path: Vec::new() }))
    }
}

impl Teller {
    /// A teller of arrays of this type for a format. With `omits`, members that are null are left
    /// out.
    ///
    /// # Errors
    /// The format has no form for a type.
    pub fn new(field: FieldRef, takes: Takes, omits: bool) -> Result<Self, Formless> {
        check::check(&field, takes)?;
        Ok(Teller { field, how: How { omits: omits || !takes.nulls } })
    }

    /// The columns of its rows.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        check::fields_of(self.field.data_type())
            .map(|fields| fields.iter().map(|field| Column::new(field.name())).collect())
            .unwrap_or_default()
    }

    /// RecordFeed rows from `row` on, until the writer has enough text, or the array ends. Each row that
    /// is told is counted. After an error the row that `row` says is not complete, and the writer
    /// must abandon it.
    ///
    /// # Errors
    /// A value cannot be written.
    pub fn tell<W: Writer>(
        &self,
        array: &dyn Array,
        row: &mut usize,
        writer: &mut W,
    ) -> Result<(), Untold> {
        let Some(told) = Told::new(array, &self.field, W::ELEMENTS) else {
            return Err(Unwritable::value("an array of another type than its schema says").into());
        };
        let mut scratch = Vec::new();
        let rows = array.len();
        while *row < rows {
            told.record(writer, *row, self.how, &mut scratch)?;
            *row += 1;
            if writer.ready().len() >= ENOUGH {
                break;
            }
        }
        Ok(())
    }
}
