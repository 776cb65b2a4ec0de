//! What the caller's type knows of the table.

/// The type of the rows, as far as it can tell one dialect from another: the names of its columns,
/// and which texts are values of theirs.
pub trait Judge {
    /// The columns that the type names, or the cells of a row, if it takes them by position.
    fn columns(&self) -> &[Wanted];

    /// Whether rows are taken by position: the type has nothing to do with the names of columns.
    fn by_position(&self) -> bool;

    /// Whether a cell is a value of the column.
    fn fits(&self, column: usize, cell: &str) -> bool;
}

/// A column that a type names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its names. One of them is enough.
    pub names: Vec<Box<str>>,
    /// Whether there is no row without it.
    pub required: bool,
}

/// What a judge says of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// How many cells are no values of their columns.
    pub(super) misfits: usize,
    /// How many columns the type knows.
    pub(super) known: usize,
}

/// The columns of a table that a type knows: for each column, the place in [`Judge::columns`].
/// Nothing if one that is required is not there, or if there is none at all.
pub(super) fn matched(judge: &dyn Judge, cells: &[String]) -> Option<Vec<Option<usize>>> {
    let wanted = judge.columns();
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
