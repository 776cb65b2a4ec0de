//! Records as Arrow columns.
//!
//! The crate `penstock-arrow` has the columns, and fills them without Python. Here is what needs it:
//! the plan, which is made of that of the class, and the objects of records that only the class can
//! make.
//!
//! | file | holds |
//! |---|---|
//! | `plan.rs` | the columns of a class |
//! | `objects.rs` | an object into its columns |
//! | `schema.rs` | `Schema`: what was found in records, or a class has |
//! | `texts.rs` | arrays of texts that are not checked a second time |
//! | `capsule.rs` | Arrow's C interface: schemas and batches |
//! | `import.rs` | the same interface, for columns of others |

pub(crate) mod capsule;
mod import;
pub(crate) mod objects;
mod plan;
pub(crate) mod schema;
mod texts;

pub(crate) use capsule::{Batch, handed, of_schema};
pub(crate) use import::{Imported, STREAM};
pub(crate) use plan::{
    Asked, Chosen, Digits, Flattened, Made, Unions, columns_of, names_of, no_digits, view_of,
};
pub(crate) use schema::{SchemaObject as Schema, requested, shown};
pub(crate) use texts::texts;
