//! What a destination knows of a table before it is read.

/// The type of the rows, as far as it can tell one dialect from another: the names of its columns,
/// and which texts are values of theirs.
pub trait Judge {
    /// The columns that the type names, or the cells of a row, if it takes them by position.
    fn columns(&self) -> Vec<Wanted>;

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
