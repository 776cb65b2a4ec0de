//! `Columns`: the records of a source as batches of columns.

use super::column_stream;
use super::read::Reader;
use crate::columns::{Batch, capsule, requested, shown};
use crate::edge::errors::guarded;
use crate::edge::printable::printable;
use penstock_arrow::{RecordBatch, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString};
use std::sync::atomic::{AtomicBool, Ordering};

/// The records of a source as Arrow columns. `Reader.columns` creates it.
///
/// Whatever takes Arrow data takes it, without copying: `pyarrow.table(columns)`,
/// `polars.DataFrame(columns)`, `duckdb.from_arrow(columns)`. Iterating it gives the batches. The
/// records are read meanwhile, and only once.
///
/// Example:
///     >>> import io, penstock
///     >>> from dataclasses import dataclass
///     >>> @dataclass
///     ... class Point:
///     ...     x: int
///     ...     y: float | None = None
///     >>> points = io.BytesIO(b'{"x": 1, "y": 2}\n{"x": 3}\n')
///     >>> columns = penstock.ndjson.read(points, Point).columns()
///     >>> columns
///     Columns(x: Int64, y: Float64 | null)
///     >>> [len(batch) for batch in columns]
///     [2]
#[pyclass(frozen, weakref, module = "penstock")]
pub(crate) struct Columns {
    reader: Py<Reader>,
    schema: SchemaRef,
    /// Whether a stream was handed out.
    is_taken: AtomicBool,
}

impl Columns {
    pub(crate) fn new(reader: Py<Reader>, schema: SchemaRef) -> Self {
        Columns { reader, schema, is_taken: AtomicBool::new(false) }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch, or None at the end.
    pub(super) fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        self.reader.get().next_columns(py)
    }

    /// The consumer wants no more.
    pub(super) fn leave(&self) {
        // If somebody is reading, whoever that is closes it.
        let _ = self.reader.get().end();
    }
}

#[pymethods]
impl Columns {
    /// The schema, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, &self.schema))
    }

    /// The stream of batches, in a capsule. There is one.
    ///
    /// The columns get the types of `requested_schema`, where these can hold the same values: longer
    /// offsets, views or a dictionary of strings, another width of integers, another unit of time. A
    /// column keeps its own type if the requested one is not to be had.
    ///
    /// Raises:
    ///     ValueError: `requested_schema` has other columns, or a column of another kind of values.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        this: Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let py = this.py();
        guarded(py, || {
            let schema = requested(this.get().schema(), requested_schema)?;
            if this.get().is_taken.swap(true, Ordering::AcqRel) {
                let reason = "these Columns are read once: read the source again for more";
                return Err(PyValueError::new_err(reason));
            }
            column_stream::stream(py, this.clone().unbind(), schema)
        })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        guarded(py, || {
            if self.is_taken.load(Ordering::Acquire) {
                let reason = "these Columns are read once: read the source again for more";
                return Err(PyValueError::new_err(reason));
            }
            Ok(self.next(py)?.map(Batch::new))
        })
    }

    /// The reader that fills the columns, for its `progress`, `skipped` and `repairs`.
    #[getter]
    fn reader(&self, py: Python<'_>) -> Py<Reader> {
        self.reader.clone_ref(py)
    }

    /// Where this stands: behind the last row that was handed over, in a batch or through a stream, or
    /// at the beginning. See `Reader.checkpoint`.
    ///
    /// `penstock.columns(..., resume=checkpoint)` and `penstock.read(..., resume=checkpoint)` go on
    /// there. With several threads, the records between this place and the next one at which a thread
    /// has begun are passed over once more.
    ///
    /// Raises:
    ///     ValueError: As for `Reader.checkpoint`; or an error comes behind the last row.
    ///     OSError: The file cannot be opened.
    ///
    /// Example:
    ///     >>> import pathlib, penstock
    ///     >>> from typing import NamedTuple
    ///     >>> class Point(NamedTuple):
    ///     ...     x: int
    ///     >>> path = pathlib.Path("points.ndjson")
    ///     >>> _ = path.write_text('{"x": 1}\n{"x": 2}\n{"x": 3}\n')
    ///     >>> points = penstock.columns(path, Point, rows=2, resume="start")
    ///     >>> len(next(points))
    ///     2
    ///     >>> list(penstock.read(path, Point, resume=points.checkpoint()))
    ///     [Point(x=3)]
    fn checkpoint(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.reader.get().checkpoint(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.reader)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || printable(py, &shown("Columns", &self.schema)))
    }
}
