//! Records into Arrow columns, without Python.
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
//! | `batch.rs` | the schema, and a batch of what the columns hold |
//! | `keyed.rs` | maps, lists and rows into columns |
//! | `events.rs` | the events of one record, which can be had again |

#![forbid(unsafe_code)]

mod batch;
mod bits;
mod column;
mod columns;
mod events;
pub mod keyed;
pub mod plan;
mod values;

pub use arrow_array::{Array, RecordBatch, StructArray, ffi};
pub use arrow_schema::{ArrowError, Schema, SchemaRef};
pub use columns::Columns;
pub use keyed::Keyed;
pub use values::Unfit;
