//! The native operations of `penstock costs`, to be timed from Python.

use penstock_costs::Operation as Native;
use pyo3::exceptions::{PyLookupError, PyOSError};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// One native operation with its data: `penstock_costs::Operation`.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Operation {
    native: Mutex<Native>,
    /// How many times one turn of the loop does the operation.
    #[pyo3(get)]
    per_turn: u32,
}

#[pymethods]
impl Operation {
    #[new]
    #[pyo3(signature = (name, /))]
    fn new(name: &str) -> PyResult<Self> {
        let native = Native::new(name)
            .map_err(|error| PyOSError::new_err(error.to_string()))?
            .ok_or_else(|| PyLookupError::new_err(format!("no operation '{name}'")))?;
        Ok(Operation { per_turn: native.per_turn(), native: Mutex::new(native) })
    }

    /// Return the names of all operations.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        Native::names().collect()
    }

    /// Run that many turns; return their nanoseconds. The interpreter lock is released.
    #[pyo3(signature = (turns, /))]
    fn time(&self, py: Python<'_>, turns: u64) -> PyResult<u128> {
        py.detach(|| self.native.lock().unwrap_or_else(PoisonError::into_inner).time(turns))
            .map(|time| time.as_nanos())
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

/// Does nothing: only the call of a native function from Python is left.
#[pyfunction]
pub(crate) fn nothing() {}
