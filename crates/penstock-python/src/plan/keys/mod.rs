//! Keys and paths: which of a document's values is for which field.

pub(crate) mod by_path;
pub(crate) mod flat;
pub(crate) mod found_by;
pub(crate) mod hints;
pub(crate) mod markup;
pub(crate) mod paths;
pub(crate) mod renaming;
pub(crate) mod spread;
pub(crate) mod untyped;
