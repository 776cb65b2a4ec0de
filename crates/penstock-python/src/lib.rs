//! Penstock for CPython: plans from classes, objects from events, and the verbs.
//!
//! Everything that users see is in `python/penstock`; this crate implements it.

// The extension is one library for one interpreter: nothing is exported to other crates.
#![allow(unreachable_pub)]

// By floor, the lowest first, as in ARCHITECTURE.md: a room names rooms of the groups before it only.
mod cpython;
mod edge;

mod clock;
mod costs;
mod plan;

mod objects;

mod io;

mod encode;

mod columns;

mod drive;

mod messages;
mod verbs;

mod document;

/// The extension module.
#[pyo3::pymodule(gil_used = true)]
mod _rust {
    #[pymodule_export]
    use crate::clock::{Report, report};
    #[pymodule_export]
    use crate::columns::schema::schema_of_seen;
    #[pymodule_export]
    use crate::columns::{Batch, Schema};
    #[pymodule_export]
    use crate::costs::{Operation, nothing};
    #[pymodule_export]
    use crate::cpython::facts;
    #[pymodule_export]
    use crate::document::{Document, DocumentList, DocumentMap, Records};
    #[pymodule_export]
    use crate::document::{document_items, document_records, document_values, open};
    #[pymodule_export]
    use crate::drive::progress::{Progress, WriterProgress};
    #[pymodule_export]
    use crate::drive::timing::Timing;
    #[pymodule_export]
    use crate::edge::allocator::fail_request;
    #[pymodule_export]
    use crate::edge::options::PolicyObject;
    #[pymodule_export]
    use crate::io::dialect::Dialect;
    #[pymodule_export]
    use crate::io::sources::{SourceObject, opening};
    #[pymodule_export]
    use crate::io::style::Style;
    #[pymodule_export]
    use crate::io::targets::{TargetObject, end_rows};
    #[pymodule_export]
    use crate::messages::{Element, Items, send};
    #[pymodule_export]
    use crate::plan::{PlanObject, Raw, contradiction, plan_tree};
    #[pymodule_export]
    use crate::verbs::archived::unarchive;
    #[pymodule_export]
    use crate::verbs::archiving::archive;
    #[pymodule_export]
    use crate::verbs::checkpoint::read_on;
    #[pymodule_export]
    use crate::verbs::columns::Columns;
    #[pymodule_export]
    use crate::verbs::convert::{Conversion, Converted};
    #[pymodule_export]
    use crate::verbs::decode::{decode, load};
    #[pymodule_export]
    use crate::verbs::encode::Encoder;
    #[pymodule_export]
    use crate::verbs::events::Events;
    #[pymodule_export]
    use crate::verbs::evidence::texts_seen;
    #[pymodule_export]
    use crate::verbs::fast_call::{direct, direct_encode, direct_json, direct_other};
    #[pymodule_export]
    use crate::verbs::feed::Decoder;
    #[pymodule_export]
    use crate::verbs::graph::Graph;
    #[pymodule_export]
    use crate::verbs::infer::infer;
    #[pymodule_export]
    use crate::verbs::make::{make, plain};
    #[pymodule_export]
    use crate::verbs::outline::outline;
    #[pymodule_export]
    use crate::verbs::ranges::{Chain, Ranges};
    #[pymodule_export]
    use crate::verbs::read::Reader;
    #[pymodule_export]
    use crate::verbs::read_columns::read_columns;
    #[pymodule_export]
    use crate::verbs::recompress::{Recompressed, Recompression};
    #[pymodule_export]
    use crate::verbs::rows::{Lookup, RowFile};
    #[pymodule_export]
    use crate::verbs::split::{Pieces, read_split, split_points, split_schema, split_size};
    #[pymodule_export]
    use crate::verbs::unfinished::completed;
    #[pymodule_export]
    use crate::verbs::write::{Writer, dump};
    #[pymodule_export]
    use crate::verbs::write_columns::convert_columns;

    use pyo3::exceptions::PyImportError;
    use pyo3::ffi;
    use pyo3::prelude::*;

    /// Refuses to be imported by a subinterpreter: classes, plans and caches are the process's, and
    /// would pass objects of one interpreter to another.
    fn only_here(_py: Python<'_>) -> PyResult<()> {
        // SAFETY: the token shows that the interpreter is attached.
        let is_main = unsafe { ffi::PyInterpreterState_Get() == ffi::PyInterpreterState_Main() };
        if is_main {
            return Ok(());
        }
        Err(PyImportError::new_err("penstock can be imported by the main interpreter only"))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        only_here(module.py())?;
        crate::cpython::find(module.py())?;
        // Made now, like the named classes above. If PyO3 makes them at their first use and memory
        // is short, it panics.
        let py = module.py();
        crate::edge::errors::quiet_panics();
        crate::edge::allocator::keep_reserve();
        crate::plan::on_clearing(&[
            crate::verbs::small_documents::let_go,
            crate::verbs::encode::let_go,
        ]);
        py.get_type::<crate::plan::Shared>();
        py.get_type::<crate::document::Matches>();
        py.get_type::<crate::document::RecordWalk>();
        py.get_type::<crate::document::Walk>();
        py.get_type::<crate::verbs::read::Batches>();
        py.get_type::<crate::verbs::rows::Through>();
        py.get_type::<crate::verbs::write::Chunks>();
        crate::clock::add(module)?;
        module.add("FORMATS", crate::io::dialect::table(py)?)?;
        module.add("COMPRESSIONS", crate::io::targets::compressions(py)?)?;
        module.add("MOST_THREADS", crate::verbs::read::MOST_THREADS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__build__", if cfg!(debug_assertions) { "debug" } else { "release" })
    }
}
