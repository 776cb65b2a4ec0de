//! Compares and pickles documents.

use super::parts::Document;
use super::values;
use crate::edge::modules;
use penstock_core::protocol::{Duplicates, Unknown};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

impl Document {
    /// The plain value of the part.
    fn plain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.handle.get()?;
        let how = (values::plain(py)?, values::options(&inner, Unknown::Skip, false));
        let path = || self.path_steps(py, &inner);
        inner.decode(py, how, self.range(&inner.view(py)), (None, None), &path)
    }
}

/// Compares a part with another part or a plain value, both as plain values.
pub(super) fn equal<'py>(
    this: &Bound<'py, Document>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if this.is(other) {
        return Ok(pyo3::types::PyBool::new(py, true).to_owned().into_any());
    }
    // Most unequal values already differ in length.
    if let (Ok(own), Ok(others)) = (this.len(), other.len())
        && own != others
    {
        return Ok(pyo3::types::PyBool::new(py, false).to_owned().into_any());
    }
    let own = this.get().plain(py)?;
    match other.cast::<Document>() {
        Ok(other) => own.rich_compare(other.get().plain(py)?, pyo3::basic::CompareOp::Eq),
        Err(_) => own.rich_compare(other, pyo3::basic::CompareOp::Eq),
    }
}

/// How to make the part again: from its own text, as a document by itself.
pub(super) fn reduce<'py>(part: &Document, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
    let inner = part.handle.get()?;
    let view = inner.view(py);
    let text = PyBytes::new(py, &view.text().as_bytes()[part.range(&view)]);
    let duplicates = match inner.duplicates {
        Duplicates::Last => "last",
        Duplicates::First => "first",
        Duplicates::Error => "error",
    };
    let again = py.import(intern!(py, modules::OPEN))?.getattr(intern!(py, "_again"))?;
    PyTuple::new(
        py,
        [
            again,
            PyTuple::new(py, [text.into_any(), duplicates.into_pyobject(py)?.into_any()])?
                .into_any(),
        ],
    )
}
