//! Property lists.

pub mod binary;
pub mod markup;
pub mod text;
