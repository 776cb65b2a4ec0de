//! Where rows begin and end in the usual dialects, for whoever hops over them.

/// What decides where rows begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowKind {
    /// Ends a cell.
    pub(crate) delimiter: u8,
    /// What cells may have around them, and double within.
    pub(crate) quote: Option<u8>,
    /// Whether a blank line is a row: with one column, it is.
    pub(crate) are_blank_rows: bool,
}
