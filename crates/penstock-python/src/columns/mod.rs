//! Records as Arrow columns.
//!
//! The crate `penstock-arrow` has the columns, and fills them without Python. Here is what needs it:
//! the plan, which is made of that of the class, and the objects of records that only the class can
//! make.
//!
//! | file | holds |
//! |---|---|
//! | `plan.rs` | the columns of a class |
//! | `filling.rs` | the destination: columns, and the builder for what they do not take |
//! | `objects.rs` | an object into its columns |
//! | `schema.rs` | schemas of other libraries as types |
//! | `texts.rs` | arrays of texts that are not checked a second time |
//! | `stream.rs` | `Columns`, which hands out batches |
//! | `capsule.rs` | Arrow's C interface |
//! | `import.rs` | the same interface, for columns of others |

mod capsule;
mod filling;
mod import;
mod objects;
mod plan;
pub(crate) mod schema;
mod stream;
mod texts;

pub(crate) use capsule::Batch;
pub(crate) use filling::Filling;
pub(crate) use import::{Imported, STREAM};
pub(crate) use plan::{Asked, Chosen, Digits, Made, Mark, Unions, columns_of, no_digits};
pub(crate) use schema::SchemaObject as Schema;
pub(crate) use stream::Columns;
pub(crate) use texts::texts;
