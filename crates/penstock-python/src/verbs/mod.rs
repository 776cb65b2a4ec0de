//! The functions that Python calls: one file for each verb.
//!
//! A verb checks the caller's arguments, opens the source, drives a run and returns the results.
//! The run itself is in the core. `drive` handles the interpreter lock and the collector
//! meanwhile.

pub(crate) mod archived;
pub(crate) mod archiving;
mod chain;
pub(crate) mod checkpoint;
mod column_stream;
pub(crate) mod columns;
pub(crate) mod convert;
mod convert_into;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod events;
pub(crate) mod evidence;
pub(crate) mod fast_call;
pub(crate) mod feed;
mod finding;
pub(crate) mod graph;
pub(crate) mod infer;
pub(crate) mod make;
pub(crate) mod outline;
pub(crate) mod ranges;
pub(crate) mod read;
pub(crate) mod read_columns;
pub(crate) mod recompress;
pub(crate) mod rows;
pub(crate) mod small_documents;
pub(crate) mod split;
pub(crate) mod threads;
pub(crate) mod unfinished;
pub(crate) mod write;
pub(crate) mod write_columns;

use crate::drive::destination::Builder;
use pyo3::exceptions::{PyException, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Whether an error may wait until the rows before it are returned. An interrupt may not.
fn may_wait(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}

/// Code that is called during an iteration must not end it by a `StopIteration` of its own, as with
/// PEP 479 for generators. `which` says which code it is.
#[cold]
fn no_end(py: Python<'_>, error: PyErr, which: &str) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err(format!("code {which} raised StopIteration"));
    raised.set_cause(py, Some(error));
    raised
}

/// The keys that no class named.
fn unknown_keys<'py>(py: Python<'py>, builder: &Builder) -> PyResult<Bound<'py, PyDict>> {
    let keys = PyDict::new(py);
    for (name, count) in builder.unknown() {
        keys.set_item(PyString::new(py, name), count)?;
    }
    Ok(keys)
}
