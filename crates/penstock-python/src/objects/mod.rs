//! Events to Python objects: the only place that touches CPython's object layout.
//!
//! Values are gathered on one stack of owned references, and every container is made in one step
//! when its last value is there: an object of the right class, a list of the right length, a dict of
//! the right size. So nothing half made can be seen from Python, and giving up a record is
//! dropping the stack.

mod attributes;
mod builder;
mod caches;
mod collector;
mod destination;
mod elements;
mod finish;
mod frame;
mod keys;
mod lexical;
mod make;
mod named;
mod order;
mod place;
mod plain;
mod problems;
mod refusal;
mod scalars;
mod stack;
mod standard;
#[cfg(test)]
mod tests;
mod text;
mod typed;
mod unions;
mod ways;

pub(crate) use builder::{Builder, Duplicates, Options, Unknown};
pub(crate) use collector::Pause;
pub(crate) use elements::{ForceList, MarkupOptions, Repeated};
pub(crate) use refusal::{PathStep, Refusal};
pub(crate) use text::new_str;
