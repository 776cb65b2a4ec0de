//! JSON (RFC 8259) and its streams: NDJSON, RFC 7464 sequences, concatenated values.

mod format;
mod look;
mod reader;
mod token;

pub use crate::reader::Step;
pub use reader::{Framing, Reader};
