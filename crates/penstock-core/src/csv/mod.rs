//! CSV (RFC 4180) and its kin: rows of cells, separated by tabs, semicolons or anything else.
//!
//! | file | holds |
//! |---|---|
//! | `behind.rs` | sees that rows can be written behind those of a file |
//! | `blocks.rs` | rows of the usual dialects, found 64 bytes at a time |
//! | `cells.rs` | how text becomes a cell |
//! | `columns.rs` | the columns of a table that is written |
//! | `direct.rs` | cells without an event for each |
//! | `format.rs` | the row in the table of formats, the options, and the reader as a run sees it |
//! | `infer` | the dialect of a file that nobody has named |
//! | `header.rs` | how the columns get their names, and how a sink is told |
//! | `many.rs` | the same, many rows in one go |
//! | `mending.rs` | repairs of rows |
//! | `options.rs` | the dialect: the separator, the quotes, the ends of rows, the header |
//! | `quotes.rs` | cells without their quotes and escapes |
//! | `rows.rs` | the grammar: where a row and its cells begin and end |
//! | `reader.rs` | the state between windows, the header, and what the sink is told |
//! | `style.rs` | the options for writing |
//! | `tail.rs` | whether the last row of a file is whole |
//! | `writer.rs` | rows of events as text: the columns, the header, and the order of the cells |

mod behind;
mod blocks;
mod cells;
mod columns;
pub mod direct;
mod format;
mod header;
pub mod infer;
mod known;
mod many;
mod mending;
mod options;
mod quotes;
mod reader;
mod rows;
mod style;
mod tail;
pub mod writer;

pub use behind::{NotBehind, end_rows};
pub use format::FORMAT;
pub use header::HeaderOnly;
pub use options::{Header, Options, Terminator, WrongDialect};
pub use reader::Reader;
pub use tail::{Tail, Tailing};
