//! Which types have a form in which format.

use super::DEEPEST;
use arrow_schema::{DataType, Field, Fields};
use penstock_core::path_step::PathStep;
use penstock_core::writer::Writer;
use std::collections::HashSet;

/// What a format takes.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// Whether it has elements.
    pub elements: bool,
    /// Whether a record is a row of cells.
    pub rows: bool,
    /// Whether it has a null.
    pub nulls: bool,
}

impl Takes {
    /// What the format of a writer takes.
    #[must_use]
    pub fn of<W: Writer>(_: &W) -> Self {
        Takes { elements: W::ELEMENTS, rows: W::ROWS, nulls: W::NULLS }
    }
}

/// A column whose type has no form.
#[derive(Debug)]
pub struct Formless {
    /// Why, as a clause.
    pub reason: String,
    /// Where the column is.
    pub path: Vec<PathStep>,
}

impl Formless {
    #[cold]
    fn new(reason: impl Into<String>) -> Self {
        Formless { reason: reason.into(), path: Vec::new() }
    }

    #[cold]
    fn within(mut self, name: &str) -> Self {
        self.path.insert(0, PathStep::Key(name.to_owned()));
        self
    }
}

/// The fields of a type of records.
pub(super) fn fields_of(kind: &DataType) -> Option<&Fields> {
    match kind {
        DataType::Struct(fields) => Some(fields),
        DataType::Dictionary(_, values) => fields_of(values),
        DataType::RunEndEncoded(_, values) => fields_of(values.data_type()),
        _ => None,
    }
}

/// Where a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Record,
    Member,
    Item,
}

/// Refuses types without a form.
pub(super) fn check(field: &Field, takes: Takes) -> Result<(), Formless> {
    check_type(field.data_type(), takes, Place::Record, 0)
}

fn check_type(kind: &DataType, takes: Takes, place: Place, depth: usize) -> Result<(), Formless> {
    if depth > DEEPEST {
        return Err(Formless::new(format!("its columns are more than {DEEPEST} levels deep")));
    }
    let a_cell = takes.rows && place != Place::Record;
    match kind {
        DataType::Union(..) | DataType::Interval(_) => {
            Err(Formless::new(format!("the Arrow type {kind} has no form")))
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            if a_cell {
                return Err(Formless::new("a cell cannot hold a list"));
            }
            if takes.elements && place != Place::Member {
                return Err(Formless::new("XML has no list here that could be read back"));
            }
            check_type(item.data_type(), takes, Place::Item, depth + 1)
        }
        DataType::Struct(_) | DataType::Map(..) if a_cell => {
            Err(Formless::new("a cell cannot hold an object"))
        }
        DataType::Struct(fields) => {
            let mut names = HashSet::new();
            for field in fields {
                if !names.insert(field.name()) {
                    return Err(Formless::new("two columns have this name").within(field.name()));
                }
                check_type(field.data_type(), takes, Place::Member, depth + 1)
                    .map_err(|formless| formless.within(field.name()))?;
            }
            Ok(())
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(Formless::new("a map without entries"));
            };
            let [key, value] = &**fields else {
                return Err(Formless::new("a map whose entries are no keys and values"));
            };
            if !is_key(key.data_type()) {
                let kind = key.data_type();
                return Err(Formless::new(format!("the keys of its map are {kind}, and no text")));
            }
            check_type(value.data_type(), takes, Place::Member, depth + 1)
        }
        DataType::Dictionary(_, values) => check_type(values, takes, place, depth + 1),
        DataType::RunEndEncoded(_, values) => {
            check_type(values.data_type(), takes, place, depth + 1)
        }
        _ => Ok(()),
    }
}

/// Whether values of a type are keys of an object: text, or integers as text.
fn is_key(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_key(values),
        kind => kind.is_integer(),
    }
}
