//! XML 1.0, fifth edition, with Namespaces in XML 1.0; non-validating.

mod reader;
mod repair;

pub use reader::{Options, Reader, Unresolved};
pub use repair::{Repair, RepairKind, Repairs};
