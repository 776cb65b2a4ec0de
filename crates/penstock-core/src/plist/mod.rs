//! Property lists: binary, XML, OpenStep, GNUstep and JSON.
//!
//! Each form has a folder with its grammar and its writer. All forms report the same document in the
//! same events, so that nothing behind the reader knows which form there was.

pub mod binary;
pub mod markup;
mod options;
mod reader;
pub mod text;
mod writer;

pub use options::{Form, Options};
pub use reader::Reader;
pub(crate) use writer::Own;
pub use writer::Writer;
