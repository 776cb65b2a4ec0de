//! Text of the input and names of files, made safe to print.

use super::modules;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The text of a `repr`: in one line, and with everything that could drive a terminal written as
/// escapes. Messages of exceptions are written by the same function, which is in Python.
pub(crate) fn printable<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(PyString::new(py, text));
    }
    let module = py.import(intern!(py, modules::ERRORS))?;
    let safe = module.call_method1(intern!(py, "_printable"), (text,))?;
    Ok(safe.cast_into::<PyString>()?)
}
