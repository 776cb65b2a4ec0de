//! Property lists.

pub mod markup;
