//! The annotations of a class or a function, as its body has them.
//!
//! Until CPython 3.13 they stand in the class's dict. From 3.14 on the dict has a function that
//! evaluates them (PEP 649), and the builder of plans calls it: by then, most names are known that were
//! not when the class was made. If a name is still unknown, `annotationlib` evaluates the
//! rest, and a `ForwardRef` says what is missing.
//!
//! Nothing here reads `class.__annotations__`, because that writes to the class.

use pyo3::exceptions::PyNameError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::edge::errors::is_reason;

use super::builtin::display;
use crate::plan::make::type_objects;

/// `annotationlib.Format.VALUE`, which every function of annotations takes.
const VALUE: u8 = 1;

/// The annotations in the body of a class; None if there are none.
///
/// # Errors
/// A `PlanError` if they cannot be read.
pub(in crate::plan) fn own_annotations<'py>(
    class: &Bound<'py, PyType>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let found = match declared(class)? {
        Some(Own::Dict(annotations)) => annotations,
        Some(Own::Function(function)) => evaluated(&function, class)?,
        None => return Ok(None),
    };
    Ok((!found.is_empty()).then_some(found))
}

/// Whether the class, or a base of it, has annotations.
pub(in crate::plan) fn is_annotated(class: &Bound<'_, PyType>) -> PyResult<bool> {
    for base in type_objects::bases(class) {
        if own_annotations(&base)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The annotations of the parameters of a function.
///
/// # Errors
/// A `PlanError` that names the class if they cannot be read.
pub(in crate::plan) fn of_function<'py>(
    function: &Bound<'py, PyAny>,
    class: &Bound<'py, PyType>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = function.py();
    if let Some(annotate) = function.getattr_opt(intern!(py, "__annotate__"))?
        && !annotate.is_none()
    {
        return evaluated(&annotate, class);
    }
    let annotations = function.getattr(intern!(py, "__annotations__"))?;
    annotations.cast_into().map_err(|other| unreadable(class, &no_dict(other.into_inner())))
}

/// Where the body of a class has its annotations.
enum Own<'py> {
    Dict(Bound<'py, PyDict>),
    Function(Bound<'py, PyAny>),
}

fn declared<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Own<'py>>> {
    let py = class.py();
    // A class whose module has the future import has a dict in 3.14, too.
    if let Some(annotations) = type_objects::own_attribute(class, intern!(py, "__annotations__")) {
        // A base that is no class of Python may have a descriptor of this name.
        if !type_objects::is_heap_type(class) {
            return Ok(None);
        }
        let annotations = annotations.cast_into::<PyDict>();
        return annotations
            .map(|annotations| Some(Own::Dict(annotations)))
            .map_err(|other| unreadable(class, &no_dict(other.into_inner())));
    }
    if cfg!(not(Py_3_14)) || !type_objects::is_heap_type(class) {
        return Ok(None);
    }
    // Somebody has asked for them, or set them.
    if let Some(kept) = type_objects::own_attribute(class, intern!(py, "__annotations_cache__"))
        && let Ok(kept) = kept.cast_into()
    {
        return Ok(Some(Own::Dict(kept)));
    }
    // The second name is that of a function that the body of the class has defined itself.
    for name in [intern!(py, "__annotate_func__"), intern!(py, "__annotate__")] {
        if let Some(function) = type_objects::own_attribute(class, name)
            && !function.is_none()
        {
            return Ok(Some(Own::Function(function)));
        }
    }
    Ok(None)
}

/// The annotations that a function of annotations gives.
fn evaluated<'py>(
    function: &Bound<'py, PyAny>,
    class: &Bound<'py, PyType>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = class.py();
    let found = match function.call1((VALUE,)) {
        Err(error) if error.is_instance_of::<PyNameError>(py) => {
            let library = py.import(intern!(py, "annotationlib"))?;
            let format = library.getattr(intern!(py, "Format"))?;
            let arguments = (function, format.getattr(intern!(py, "FORWARDREF"))?);
            let owner = PyDict::new(py);
            owner.set_item(intern!(py, "owner"), class)?;
            let call = library.getattr(intern!(py, "call_annotate_function"))?;
            call.call(arguments, Some(&owner))
        }
        found => found,
    };
    let found = match found {
        // Interrupts and want of memory are not about the class.
        Err(error) if !is_reason(py, &error) => return Err(error),
        Err(error) => return Err(caused(unreadable(class, &shown(py, &error)), py, error)),
        Ok(found) => found,
    };
    found.cast_into().map_err(|other| unreadable(class, &no_dict(other.into_inner())))
}

fn shown(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py);
    match value.get_type().name() {
        Ok(name) => format!("{name}: {value}"),
        Err(_) => value.to_string(),
    }
}

fn no_dict(object: Bound<'_, PyAny>) -> String {
    let shown = display(&object).unwrap_or_else(|_| "another object".to_owned());
    format!("{shown} is not a dict")
}

fn caused(error: PyErr, py: Python<'_>, cause: PyErr) -> PyErr {
    error.set_cause(py, Some(cause));
    error
}

#[cold]
fn unreadable(class: &Bound<'_, PyType>, why: &str) -> PyErr {
    let name = super::builtin::qualified(class);
    crate::plan::plan_error(
        class.py(),
        format_args!("{name}: its annotations cannot be read: {why}"),
    )
}
