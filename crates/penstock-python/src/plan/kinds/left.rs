//! What pydantic passes over in a value that it makes itself, of plain values: annotations of
//! Penstock's, and options of the plan. They would have no effect, so they are refused.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::edge::modules;
use crate::plan::types::compiler::Compiler;
use crate::plan::types::known;

/// What has no effect in a value of these annotations, if there is something.
pub(in crate::plan) fn without_effect<'py>(
    compiler: &Compiler<'py>,
    annotations: &Bound<'py, PyList>,
) -> PyResult<Option<String>> {
    let py = compiler.py;
    let settings = &compiler.settings;
    let moments = match (&settings.unix, &settings.times) {
        (Some(_), _) => Some("unix"),
        (None, Some(_)) => Some("times"),
        (None, None) => None,
    };
    let function = py.import(intern!(py, modules::LEFT))?.getattr(intern!(py, "without_effect"))?;
    let types = settings.types.as_ref();
    function.call1((annotations, settings.rename.is_some(), moments, types))?.extract()
}

/// Why a plan with that is refused.
pub(in crate::plan) fn reason(what: &str) -> String {
    format!("pydantic makes this value of plain values itself, where {what} has no effect")
}

/// The same for a class whose fields are these, and whose name is renamed by nobody.
pub(super) fn without_effect_in_fields<'py>(
    compiler: &Compiler<'py>,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Option<String>> {
    let py = compiler.py;
    if compiler.settings.rename.is_some() && !fields.is_empty() {
        return Ok(Some("rename=".to_owned()));
    }
    let annotations = PyList::empty(py);
    for info in fields.values() {
        annotations.append(info.getattr(intern!(py, "annotation"))?)?;
        for word in info.getattr(intern!(py, "metadata"))?.try_iter()? {
            annotations.append(word?)?;
        }
    }
    without_effect(compiler, &annotations)
}

/// The words beside the annotation of a field that pydantic does not know: Penstock's and msgspec's.
pub(super) fn own_words<'py>(info: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = info.py();
    let mut words = Vec::new();
    for word in info.getattr(intern!(py, "metadata"))?.try_iter()? {
        let word = word?;
        let module = word.get_type().module()?;
        // What pydantic does not know.
        if module == "penstock" || module == "msgspec" || known::HEX.is(&word) {
            words.push(word);
        }
    }
    Ok(words)
}

/// The annotation of a field, with these words beside it.
pub(super) fn with_own_words<'py>(info: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = info.py();
    let annotation = info.getattr(intern!(py, "annotation"))?;
    let words = own_words(info)?;
    if words.is_empty() {
        return Ok(annotation);
    }
    let parts = std::iter::once(annotation).chain(words).collect::<Vec<_>>();
    let annotated = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Annotated"))?;
    annotated.get_item(PyTuple::new(py, parts)?)
}
