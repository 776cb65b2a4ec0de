//! Property lists: binary, XML, OpenStep, GNUstep and JSON.
//!
//! Each form has a folder with its grammar and its writer. All forms report the same document in the
//! same events, so that nothing behind the reader knows which form there was.

pub mod binary;
mod format;
pub mod markup;
mod options;
mod reader;
mod style;
pub mod text;
mod writer;

pub use format::FORMAT;
pub use options::{Form, Options};
pub use reader::Reader;
pub use writer::Writer;
