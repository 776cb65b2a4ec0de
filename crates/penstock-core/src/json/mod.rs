//! JSON (RFC 8259) and its streams: NDJSON, RFC 7464 sequences, concatenated values.

pub mod canonical;
pub mod direct;
mod format;
mod framing;
mod grammar;
pub mod lend;
pub(crate) mod look;
mod options;
mod partial;
mod reader;
pub(crate) mod sorted;
mod start;
mod token;
pub mod writer;

pub use crate::reader::Step;
pub use format::{JSON, NDJSON};
pub use framing::Framing;
pub use reader::Reader;
pub use sorted::Order;
pub(crate) use sorted::Sorted;
pub use start::{Coming, Container, Start};
