//! What the caller's type says of a table.

use crate::sink::Wanted;

/// What a judge says of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// How many cells are no values of their columns.
    pub(super) misfits: usize,
    /// How many columns the type knows.
    pub(super) known: usize,
}

/// The columns of a table that a type knows: for each column, the place in the type's.
/// Nothing if one that is required is not there, or if there is none at all.
pub(super) fn matched(wanted: &[Wanted], cells: &[String]) -> Option<Vec<Option<usize>>> {
    let mut columns = vec![None; cells.len()];
    for (place, column) in wanted.iter().enumerate() {
        let is = |cell: &&String| column.names.iter().any(|name| **name == *cell.trim());
        match cells.iter().position(|cell| is(&cell)) {
            Some(at) => columns[at] = Some(place),
            None if column.required => return None,
            None => {}
        }
    }
    columns.iter().any(Option::is_some).then_some(columns)
}
