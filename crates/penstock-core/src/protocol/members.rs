//! What a destination does with members that its class does not expect.

/// Which value counts if a map repeats a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The last one.
    Last,
    /// The first one.
    First,
    /// None: the record is in error.
    Error,
}

/// What happens with a key that the class does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is skipped.
    Skip,
    /// The record is in error.
    Error,
    /// It is skipped and counted.
    Collect,
}
