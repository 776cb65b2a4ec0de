//! What the caller's type says of a table.

use std::collections::HashMap;

use penstock_scan::{filled, make_room};

use crate::protocol::Wanted;

/// What a judge says of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// How many cells are no values of their columns.
    pub(super) misfits: usize,
    /// How many columns the type knows.
    pub(super) known: usize,
}

/// The columns that a type names, by name.
#[derive(Debug)]
pub(super) struct Columns<'w> {
    wanted: &'w [Wanted],
    places: HashMap<&'w str, usize>,
}

impl<'w> Columns<'w> {
    pub(super) fn new(wanted: &'w [Wanted]) -> Self {
        let mut places = HashMap::new();
        for (place, column) in wanted.iter().enumerate() {
            make_room(&mut places, column.names.len());
            places.extend(column.names.iter().map(|name| (&**name, place)));
        }
        Columns { wanted, places }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.wanted.len()
    }

    /// The columns of a table that the type knows: for each column, the place in the type's.
    /// Nothing if one that is required is not there, or if there is none at all.
    pub(super) fn matched(&self, cells: &[String]) -> Option<Vec<Option<usize>>> {
        let mut found = filled(false, self.wanted.len());
        let mut columns = filled(None, cells.len());
        for (column, cell) in columns.iter_mut().zip(cells) {
            if let Some(&place) = self.places.get(cell.trim())
                && !std::mem::replace(&mut found[place], true)
            {
                *column = Some(place);
            }
        }
        let mut all = self.wanted.iter().zip(&found);
        let is_lacking = all.any(|(column, found)| column.required && !found);
        (!is_lacking && found.contains(&true)).then_some(columns)
    }
}
