//! XML 1.0, fifth edition, with Namespaces in XML 1.0; non-validating.

mod about;
mod doctype;
mod dtd;
mod elements;
mod escape;
mod expand;
mod extras;
mod grammar;
mod html_entities;
mod indent;
mod key;
mod names;
mod namespaces;
mod open;
mod options;
mod prolog;
mod reader;
mod reference;
mod run;
pub(crate) mod scope;
mod start;
mod start_tag;
mod tag;
mod text;
mod token;
mod walk;
mod whole;
pub mod writer;

pub use crate::repair::{Repair, RepairKind, Repairs};
pub use about::is_about;
pub use dtd::Notation;
pub use names::{check_path, is_name};
pub use namespaces::{XML, XMLNS};
pub use options::{Options, Unresolved};
pub use reader::Reader;
pub use start::{OpenElement, Start};
