//! Annotations: what a value becomes, by its type.

pub(crate) mod annotations;
pub(crate) mod arrow_schema;
pub(crate) mod builtin;
pub(crate) mod choice;
pub(crate) mod compiler;
pub(crate) mod containers;
pub(crate) mod conversions;
pub(crate) mod decimals;
pub(crate) mod derived;
pub(crate) mod generics;
pub(crate) mod known;
pub(crate) mod mark;
pub(crate) mod names;
pub(crate) mod overlap;
pub(crate) mod packed;
pub(crate) mod tokens;
pub(crate) mod unions;
pub(crate) mod walk;
pub(crate) mod words;
pub(crate) mod wrappers;
