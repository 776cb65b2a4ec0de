//! Runs, driven from Python: into objects or into columns, with the interpreter's lock, the collector,
//! signals, threads, progress and times.

mod columns;
pub(crate) mod destination;
pub(crate) mod driver;
pub(crate) mod filling;
pub(crate) mod progress;
pub(crate) mod scope;
pub(crate) mod shorten;
pub(crate) mod timing;
