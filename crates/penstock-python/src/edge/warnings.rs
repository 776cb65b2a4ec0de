//! Warnings of Penstock's own classes.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::ffi::CString;

/// The packages whose code stands between the user's line and a reader: Penstock, and those that take
/// its columns.
const BETWEEN: [&str; 5] = ["penstock", "polars", "pyarrow", "duckdb", "pandas"];

/// Issues a warning. It names the line of the user's code.
#[cold]
pub(crate) fn issue(py: Python<'_>, (module, class): (&str, &str), message: &str) -> PyResult<()> {
    let class = py.import(module)?.getattr(class)?;
    let message = CString::new(message.replace('\0', "\\x00")).unwrap_or_default();
    PyErr::warn(py, &class, &message, level(py)?)
}

/// How many functions up the user's code is. `skip_file_prefixes` of the standard library could say
/// that from Python 3.12 on.
fn level(py: Python<'_>) -> PyResult<i32> {
    let frame = py.import(intern!(py, "sys"))?.call_method1(intern!(py, "_getframe"), (0,));
    let mut frame = match frame {
        Ok(frame) => frame,
        // A thread that is none of Python's has no frames.
        Err(error) if error.is_instance_of::<PyValueError>(py) => return Ok(1),
        Err(error) => return Err(error),
    };
    for level in 1.. {
        let globals = frame.getattr(intern!(py, "f_globals"))?.cast_into::<PyDict>();
        let globals = globals.map_err(PyErr::from)?;
        let name = globals.get_item(intern!(py, "__name__"))?;
        let name = name.and_then(|name| name.cast_into::<PyString>().ok());
        let is_between = match &name {
            Some(name) => {
                let name = name.to_string_lossy();
                BETWEEN.contains(&name.split('.').next().unwrap_or_default())
            }
            None => false,
        };
        if !is_between {
            return Ok(level);
        }
        frame = frame.getattr(intern!(py, "f_back"))?;
        if frame.is_none() {
            break;
        }
    }
    Ok(1)
}
