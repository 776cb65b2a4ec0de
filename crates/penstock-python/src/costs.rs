//! The native operations of `penstock costs`, to be timed from Python.

use penstock_costs::Operation as Native;
use pyo3::exceptions::{PyLookupError, PyOSError};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// One native operation with all that it works on: `penstock_costs::Operation`.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Operation {
    native: Mutex<Native>,
    /// How often the operation is done in one turn of the loop.
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

    /// Take that many turns; return the nanoseconds that they took. The interpreter is free.
    #[pyo3(signature = (turns, /))]
    fn time(&self, py: Python<'_>, turns: u64) -> PyResult<u128> {
        py.detach(|| self.native.lock().unwrap_or_else(PoisonError::into_inner).time(turns))
            .map(|time| time.as_nanos())
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

/// Do nothing: what is left is the call of a native function from Python.
#[pyfunction]
pub(crate) fn nothing() {}
