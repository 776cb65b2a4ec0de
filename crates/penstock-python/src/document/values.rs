//! Words to Python objects: scalars as `decode` makes them, and parts of the document for the rest.

use super::parts::Document;
use super::{Handle, Inner};
use crate::objects::{Options, new_str};
use crate::plan::PlanRef;
use penstock_core::document::{Number, Text, Value};
use penstock_core::event;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Unknown;
use penstock_core::value::number::{Outcome, scan, to_f64};
use penstock_core::word::Word;
use penstock_scan::TextBuf;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use pyo3::{IntoPyObjectExt, ffi};
use std::sync::Arc;

/// The options for decoding a part.
pub(super) fn options(inner: &Inner, unknown: Unknown, all_errors: bool) -> Options {
    Options {
        duplicates: inner.duplicates,
        unknown,
        all_errors,
        ..crate::verbs::small_documents::OPTIONS
    }
}

/// The plan of plain values.
pub(super) fn plain(py: Python<'_>) -> PyResult<PlanRef> {
    crate::io::dialect::json(py)?.plan(py.get_type::<PyAny>().as_any())
}

/// The object of a word. `path` gives its path, in case the word is no valid value.
pub(super) fn object<'py>(
    py: Python<'py>,
    handle: &Arc<Handle>,
    inner: &Inner,
    word: Word,
    path: &dyn Fn() -> Vec<PathStep>,
) -> PyResult<Bound<'py, PyAny>> {
    let view = inner.view(py);
    match view.value(word) {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => Ok(PyBool::new(py, value).to_owned().into_any()),
        Value::Int(value) => Ok(PyInt::new(py, value).into_any()),
        Value::Number(Number::Parts(found)) => Ok(PyFloat::new(py, found.to_f64()).into_any()),
        Value::Number(Number::Digits(digits, from)) => {
            match scan(digits, 0).outcome {
                Outcome::Int(value) => return value.into_bound_py_any(py),
                found @ Outcome::Real { .. } => {
                    let value = to_f64(found, digits);
                    if value.is_finite() {
                        return Ok(PyFloat::new(py, value).into_any());
                    }
                }
                _ => {}
            }
            let how = (plain(py)?, options(inner, Unknown::Skip, false));
            inner.decode(py, how, from..from + digits.len(), (None, None), path)
        }
        Value::Text(text) => string(py, &text),
        Value::Map(_) | Value::List(_) => Document::part(py, handle, &view, word),
    }
}

/// A `str` of a string or key.
pub(super) fn string<'py>(py: Python<'py>, text: &Text<'_>) -> PyResult<Bound<'py, PyAny>> {
    let mut room = TextBuf::new();
    let text = text.resolve(&mut room);
    let text = event::Text { text, ascii: text.as_bytes().is_ascii() };
    let object: *mut ffi::PyObject = new_str(py, text);
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, object) }
}
