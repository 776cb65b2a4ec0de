//! The warning of text that is left out.

use super::modules;
use pyo3::prelude::*;
use std::ffi::CString;

/// Warns of mixed content of which a class takes a part. The warning names the Python code that reads.
pub(crate) fn warn(py: Python<'_>, reason: &str) -> PyResult<()> {
    let class = py.import(modules::EMPTY)?.getattr("MixedContentWarning")?;
    let message = CString::new(reason.replace('\0', "\\x00")).unwrap_or_default();
    PyErr::warn(py, &class, &message, 1)
}
