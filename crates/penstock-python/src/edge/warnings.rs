//! Warnings of Penstock's own classes.

use pyo3::prelude::*;
use std::ffi::CString;

/// Issues a warning. It names the Python function `level` calls up.
pub(crate) fn issue(
    py: Python<'_>,
    (module, class): (&str, &str),
    message: &str,
    level: i32,
) -> PyResult<()> {
    let class = py.import(module)?.getattr(class)?;
    let message = CString::new(message.replace('\0', "\\x00")).unwrap_or_default();
    PyErr::warn(py, &class, &message, level)
}
