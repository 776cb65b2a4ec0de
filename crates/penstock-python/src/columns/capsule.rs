//! Arrow's C interface: schemas and arrays in capsules.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>. A capsule owns
//! what is in it until a consumer moves that out, which it says by clearing `release`; what is left
//! is released with the capsule.

use super::schema::requested;
use crate::edge::errors::guarded;
use penstock_arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use penstock_arrow::requested::converted;
use penstock_arrow::{Array, RecordBatch, Schema, SchemaRef, StructArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString, PyTuple};

/// A capsule with a schema.
pub(crate) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, of_schema(schema)?, c"arrow_schema")
}

pub(crate) fn of_schema(schema: &Schema) -> PyResult<FFI_ArrowSchema> {
    FFI_ArrowSchema::try_from(schema).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A batch as the consumer asked for it.
pub(crate) fn handed(
    py: Python<'_>,
    batch: RecordBatch,
    requested: Option<&SchemaRef>,
    before: u64,
) -> PyResult<RecordBatch> {
    let Some(schema) = requested else { return Ok(batch) };
    py.detach(|| converted(&batch, schema, before)).map_err(PyValueError::new_err)
}

/// One batch of columns.
///
/// Whatever takes Arrow data takes it, without copying: `pyarrow.record_batch(batch)`,
/// `polars.DataFrame(batch)`.
///
/// Example:
///     >>> import io, penstock
///     >>> from typing import TypedDict
///     >>> class Point(TypedDict):
///     ...     x: int
///     ...     y: int
///     >>> points = io.BytesIO(b'[{"x": 1, "y": 2}, {"x": 3, "y": 5}]')
///     >>> for batch in penstock.json.read(points, Point).columns():
///     ...     len(batch)
///     2
#[pyclass(frozen, name = "ColumnBatch", module = "penstock")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

impl Batch {
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Batch { batch }
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The schema, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || schema(py, self.batch.schema_ref()))
    }

    /// The schema and the columns, each in a capsule.
    ///
    /// `requested_schema` means the same as for `Columns.__arrow_c_stream__`.
    ///
    /// Raises:
    ///     ValueError: `requested_schema` has other columns, or a column of another kind of values; or
    ///         a value does not fit.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        guarded(py, || {
            let asked = requested(self.batch.schema_ref(), requested_schema)?;
            let batch = handed(py, self.batch.clone(), asked.as_ref(), 0)?;
            let described = schema(py, batch.schema_ref())?;
            let array = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
            let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
            PyTuple::new(py, [described, array])
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let shown = format!("ColumnBatch({} rows)", self.batch.num_rows());
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}
