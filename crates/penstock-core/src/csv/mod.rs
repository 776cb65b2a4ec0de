//! CSV (RFC 4180) and its kin: rows of cells, separated by tabs, semicolons or anything else.
//!
//! | file | holds |
//! |---|---|
//! | `blocks.rs` | rows of the usual dialects, found 64 bytes at a time |
//! | `cells.rs` | how text becomes a cell |
//! | `columns.rs` | the columns of a table that is written |
//! | `dialect.rs` | what separates cells and ends lines, as the grammar needs it |
//! | `direct.rs` | cells without an event for each |
//! | `run.rs` | the reader as a run sees it |
//! | `infer` | the dialect of a file that nobody has named |
//! | `header.rs` | how the columns get their names, and how a sink is told |
//! | `many.rs` | the same, many rows in one go |
//! | `mending.rs` | repairs of rows |
//! | `options.rs` | the dialect: the separator, the quotes, the ends of rows, the header |
//! | `quotes.rs` | cells without their quotes and escapes |
//! | `resume.rs`, `row_kind.rs` | where a reader can go on in the middle of a file |
//! | `rows.rs` | the grammar: where a row and its cells begin and end |
//! | `stops.rs` | the bytes at which the grammar decides something |
//! | `known.rs`, `ways.rs` | what is known of text in which rows do not end |
//! | `reader.rs` | the state between windows, and what comes before the rows |
//! | `telling.rs` | how the sink is told rows |
//! | `faults.rs` | what is wrong with a row, in words |
//! | `tail.rs` | whether the last row of a file is whole |
//! | `writer.rs` | rows of events as text: the columns, the header, and the order of the cells |

mod blocks;
mod cells;
mod columns;
mod dialect;
pub mod direct;
mod faults;
mod header;
pub mod infer;
mod known;
mod many;
mod mending;
mod options;
mod quotes;
mod reader;
mod resume;
mod row_kind;
mod rows;
mod run;
mod stops;
mod tail;
mod telling;
mod ways;
pub mod writer;

pub use header::HeaderOnly;
pub use options::{Header, Options, Terminator, WrongDialect};
pub use reader::Reader;
pub use resume::Resume;
pub(crate) use row_kind::RowKind;
pub use tail::{Tail, Tailing};
