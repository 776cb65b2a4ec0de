//! The edge to the interpreter: memory, errors, options, modules, and its end. It knows no plan.

pub(crate) mod allocator;
pub(crate) mod buffers;
pub(crate) mod deep;
pub(crate) mod errors;
pub(crate) mod gc_refs;
pub(crate) mod modules;
pub(crate) mod options;
pub(crate) mod printable;
pub(crate) mod repairs;
pub(crate) mod shutdown;
pub(crate) mod warnings;
