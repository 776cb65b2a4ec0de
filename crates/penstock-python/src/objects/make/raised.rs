//! Turns exceptions of the user's own code into refusals.

use super::outer_mismatch;
use crate::failure::answer;
use crate::objects::core::Core;
use crate::objects::core::refusal::{Code, PathStep, Refusal};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList};

/// The class's own code raised. A `ValueError` or `TypeError` means that the record does not fit;
/// any other exception is raised as it is.
#[cold]
#[inline(never)]
pub(crate) fn own_code_raised(builder: &Core<'_>, error: PyErr, at: u64) -> Refusal {
    raised_by(builder, error, at, false)
}

/// The user's own code raised: about the coming value if `inside`, else about the current
/// container.
#[cold]
#[inline(never)]
pub(crate) fn raised_by(builder: &Core<'_>, error: PyErr, at: u64, inside: bool) -> Refusal {
    let py = builder.attached();
    let of_values = error.is_instance_of::<pyo3::exceptions::PyValueError>(py)
        || error.is_instance_of::<pyo3::exceptions::PyTypeError>(py);
    if !of_values {
        return error.into();
    }
    let (steps, reason) = match said(py, &error) {
        Ok(said) => said,
        Err(instead) => return instead.into(),
    };
    let mut refusal = outer_mismatch(builder, at, reason).coded(Code::Refused);
    if let Some(mismatch) = refusal.mismatch() {
        mismatch.cause = Some(error);
        if inside {
            mismatch.path = builder.path(true);
        }
        mismatch.path.extend(steps);
    }
    refusal
}

/// The text of an exception of the user's code, and the path from its value to the part that it is
/// about.
fn said(py: Python<'_>, error: &PyErr) -> PyResult<(Vec<PathStep>, String)> {
    if crate::plan::is_of_pydantic(error.value(py))
        && let Some(said) = answer(py, of_pydantic(py, error))?
    {
        return Ok(said);
    }
    let name = error.get_type(py).name()?.to_string();
    let reason = match answer(py, error.value(py).str())? {
        Some(said) if said.is_empty()? => name,
        Some(said) => format!("{name}: {}", said.to_string_lossy()),
        None => format!("{name}: <unprintable {name} object>"),
    };
    Ok((Vec::new(), reason))
}

/// The first problem of an exception of pydantic's, in one line, and its path.
fn of_pydantic(py: Python<'_>, error: &PyErr) -> PyResult<(Vec<PathStep>, String)> {
    let plain = PyDict::new(py);
    for left_out in ["include_url", "include_context", "include_input"] {
        plain.set_item(left_out, false)?;
    }
    let problems = error.value(py).call_method("errors", (), Some(&plain))?;
    let problems = problems.cast_into::<PyList>()?;
    let first = problems.get_item(0)?;
    let mut reason: String = first.get_item("msg")?.extract()?;
    match problems.len() - 1 {
        0 => {}
        1 => reason.push_str(" (and 1 more problem)"),
        more => reason.push_str(&format!(" (and {more} more problems)")),
    }
    let mut steps = Vec::new();
    for step in first.get_item("loc")?.try_iter()? {
        let step = step?;
        steps.push(match step.cast::<PyInt>() {
            Ok(index) => PathStep::Index(index.extract()?),
            Err(_) => PathStep::Key(step.str()?.to_string_lossy().into_owned()),
        });
    }
    Ok((steps, reason))
}
