//! Plans read backwards: under which keys the attributes of an object are written.

pub(crate) mod inline;
pub(crate) mod layout;
pub(crate) mod simple;
pub(crate) mod tree;
