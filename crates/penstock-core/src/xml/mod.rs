//! XML 1.0, fifth edition, with Namespaces in XML 1.0; non-validating.

mod doctype;
mod dtd;
mod elements;
mod expand;
mod format;
mod names;
mod namespaces;
mod open;
mod prolog;
mod reader;
mod reference;
mod repair;
mod tag;
mod text;
mod token;
mod walk;

pub use dtd::Notation;
pub use namespaces::{XML, XMLNS};
pub use reader::{Options, Reader, Unresolved};
pub use repair::{Repair, RepairKind, Repairs};
