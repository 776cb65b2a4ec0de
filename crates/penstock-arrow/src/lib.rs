//! Records into Arrow columns, and out of them, without Python.
//!
//! [`Columns`] holds the rows of one batch: a tree of columns, each with buffers of its own that are
//! handed to Arrow when the batch is complete. A column is filled value by value, and what does not
//! fit is refused ([`Unfit`]). A row that is not completed is taken back.
//!
//! | file | holds |
//! |---|---|
//! | `plan.rs` | the plan: names, types, and which key leads to which column |
//! | `column.rs` | the values of one column |
//! | `bits.rs` | truth values, eight in a byte |
//! | `columns.rs` | the tree of columns, and their rows |
//! | `values.rs` | values of all types into their columns |
//! | `append.rs` | rows of other columns behind those of a batch |
//! | `batch.rs` | the schema, and a batch of what the columns hold |
//! | `fast.rs` | what both of the next two do |
//! | `keyed.rs` | maps, lists and rows into columns |
//! | `markup.rs` | elements into columns |
//! | `table.rs` | rows of a table into columns, column by column |
//! | `worker.rs` | the records of a piece of the text into columns of their own |
//! | `found.rs` | the schema that records have |
//! | `seen.rs` | the same as plain data |
//! | `finder.rs` | the destination that finds it |
//! | `view.rs` | what a consumer gets: flat columns, a column of paths |
//! | `wanted.rs` | which places of records are looked at |
//! | `requested.rs` | a batch in the types that its consumer asks for |
//! | `events.rs` | the events of one record, which can be had again |
//! | `tell` | the other way: the rows of columns as events for a writer |

#![forbid(unsafe_code)]

mod append;
mod batch;
mod bits;
mod column;
mod columns;
mod events;
mod fast;
mod finder;
pub mod found;
mod keyed;
mod markup;
pub mod plan;
pub mod requested;
mod seen;
mod table;
pub mod tell;
mod values;
pub mod view;
mod wanted;
mod worker;

pub use arrow_array::{
    Array, ArrayRef, RecordBatch, StringArray, StructArray, ffi, ffi_stream, make_array,
};
pub use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
pub use arrow_schema::{
    ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit,
};
pub use batch::Texts;
pub use columns::Columns;
pub use fast::{LeftOut, NativeSink, Settings};
pub use finder::Finder;
pub use found::Mixed;
pub use keyed::Keyed;
pub use markup::Markup;
pub use seen::Seen;
pub use values::{MOST_DIGITS, Unfit};
pub use view::{Flat, View};
pub use wanted::Wanted;
pub use worker::{Header, NotTaken, Worker};
