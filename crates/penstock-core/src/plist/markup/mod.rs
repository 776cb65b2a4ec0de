//! Property lists as XML.

mod element;
mod escape;
mod leaf;
mod reader;
mod translate;
mod writer;

pub use reader::Reader;
pub use writer::Writer;
