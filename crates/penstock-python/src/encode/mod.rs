//! Objects to events: what a writer gets to write.
//!
//! The encoder walks an object and tells a writer its values, as a reader tells a builder those of
//! a document. What it knows of a class is the class's plan, read backwards ([`crate::plan::written`]): which
//! attributes there are, under which keys, and what is done to a value on the way. Nothing
//! recurses: [`walk`] keeps the open containers on a stack of its own.

mod cells;
mod element_fields;
mod element_items;
mod elements;
mod keys;
mod known;
pub(crate) mod native;
mod ordered;
mod place;
pub(crate) mod plain;
mod problem;
mod quick;
mod readback;
mod rows;
pub(crate) mod scalars;
mod text;
mod unions;
mod values;
mod walk;

pub(crate) use crate::encode::native::{checks, native};
pub(crate) use known::Known;
pub(crate) use problem::Stop;
pub(crate) use walk::{Omit, Walker};
