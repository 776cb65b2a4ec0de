//! The values at a path in a document.

use super::{Handle, values};
use crate::edge::errors::guarded;
use crate::edge::options::text;
use crate::io::dialect::wrong_path;
use penstock_core::document::{self, Match, View, place_of, scalar_end};
use penstock_core::path_step::PathStep;
use penstock_core::select::Path;
use penstock_core::word::Word;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// An iterator over the values at a path.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Matches {
    handle: Arc<Handle>,
    matches: Mutex<document::Matches>,
}

/// A path of JSON.
pub(super) fn path(at: &Bound<'_, PyAny>) -> PyResult<Path> {
    let at = text("a path", at)?;
    let mut path = Path::parse(at).map_err(|error| wrong_path(at, &error))?;
    path.as_written();
    Ok(path)
}

/// All values at a path in a part.
pub(super) fn all(path: &Path, view: View<'_>, from: Word) -> PyResult<document::Matches> {
    document::Matches::new(path, view, from, false)
        .map_err(|error| wrong_path(&path.to_string(), &error))
}

/// The first value at a path in a part.
pub(super) fn first(path: &Path, view: View<'_>, from: Word) -> PyResult<Option<Match>> {
    Ok(all(path, view, from)?.next(view))
}

/// The position in the text of a value that was found.
pub(super) fn range(view: View<'_>, found: &Match) -> PyResult<Range<usize>> {
    if let Some(container) = view.container(found.value) {
        return Ok(container.range());
    }
    let within = view.container(found.within);
    match within.and_then(|within| place_of(&within, found.slot)) {
        Some(at) => Ok(at as usize..scalar_end(view.text(), at as usize)),
        None => Err(pyo3::exceptions::PySystemError::new_err("a value that stands nowhere")),
    }
}

impl Matches {
    pub(super) fn new(
        handle: &Arc<Handle>,
        view: View<'_>,
        from: Word,
        path: &Path,
        nested: bool,
    ) -> PyResult<Self> {
        let matches = document::Matches::new(path, view, from, nested)
            .map_err(|error| wrong_path(&path.to_string(), &error))?;
        let matches = Mutex::new(matches);
        Ok(Matches { handle: Arc::clone(handle), matches })
    }
}

#[pymethods]
impl Matches {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            let found = {
                // Nothing in here releases the interpreter lock, so nobody waits for this one.
                let mut matches = self.matches.lock().unwrap_or_else(PoisonError::into_inner);
                matches.next(inner.view(py))
            };
            let Some(Match { value, within, slot }) = found else { return Ok(None) };
            let path = || -> Vec<PathStep> { inner.path_to(py, within, slot) };
            values::object(py, &self.handle, &inner, value, &path).map(Some)
        })
    }
}
