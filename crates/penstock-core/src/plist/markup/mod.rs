//! Property lists as XML.

mod element;
mod leaf;
mod reader;
mod translate;

pub use reader::Reader;
