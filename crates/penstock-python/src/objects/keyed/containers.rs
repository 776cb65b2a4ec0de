//! What Python values are read as: mappings, lists, attributes of an object.

use super::values::SLICE;
use crate::edge::errors::answer;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMapping, PyMappingProxy, PyString};

pub(super) fn is_bytes(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>()
}

/// An attribute of an object, if it has it.
pub(super) fn attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match object.getattr(name) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A mapping as a dict. Unless `not_rows`, also a row of a database, which has keys.
pub(super) fn mapping<'py>(
    value: &Bound<'py, PyAny>,
    not_rows: bool,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = value.py();
    if let Ok(dict) = value.cast::<PyDict>() {
        return Ok(Some(dict.clone()));
    }
    let class = value.get_type();
    let of = if not_rows {
        match value.cast::<PyMapping>() {
            Ok(_) => value.clone(),
            Err(_) => return Ok(None),
        }
    } else if let Some(rows) = class.getattr_opt(intern!(py, "_mapping"))?
        && !rows.is_none()
    {
        value.getattr(intern!(py, "_mapping"))?
    } else if value.cast::<PyMapping>().is_ok()
        || value.is_instance_of::<PyMappingProxy>()
        || class.getattr_opt(intern!(py, "keys"))?.is_some()
            && class.getattr_opt(intern!(py, "__getitem__"))?.is_some()
    {
        value.clone()
    } else {
        return Ok(None);
    };
    let dict = PyDict::new(py);
    dict.call_method1(intern!(py, "update"), (of,))?;
    Ok(Some(dict))
}

/// What can be iterated over, as a list.
pub(super) fn items<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = value.py();
    if value.get_type().getattr_opt(intern!(py, "__iter__"))?.is_none() {
        return Ok(None);
    }
    match answer(py, value.try_iter())? {
        Some(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(item?)?;
                // It may have no end.
                if list.len().is_multiple_of(SLICE) {
                    py.check_signals()?;
                }
            }
            Ok(Some(list))
        }
        None => Ok(None),
    }
}

#[cold]
pub(super) fn changed(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("the {what} was changed while an object was made of it"))
}

/// The class of a value, for messages.
pub(super) fn class_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.get_type().name()?.to_string())
}
