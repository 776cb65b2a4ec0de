//! JSON (RFC 8259) and its streams: NDJSON, RFC 7464 sequences, concatenated values.

mod ahead;
pub mod canonical;
mod comment;
pub mod direct;
mod framing;
mod grammar;
pub mod lend;
pub(crate) mod look;
mod options;
mod partial;
mod reader;
mod run;
pub(crate) mod sorted;
mod start;
mod tell;
mod token;
mod unfinished;
pub mod writer;

pub use crate::protocol::Step;
pub use framing::Framing;
pub use reader::Reader;
pub use sorted::Order;
pub(crate) use sorted::Sorted;
pub use start::{Coming, Container, Start};
pub use tell::tell;
pub use unfinished::Unfinished;
