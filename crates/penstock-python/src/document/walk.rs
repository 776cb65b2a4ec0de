//! Iterating over a map or list of a document.

use super::parts::Document;
use super::{Handle, values};
use crate::edge::errors::guarded;
use penstock_core::document::{List, Map};
use penstock_core::path_step::PathStep;
use penstock_core::word::Word;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What an iteration returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Keys,
    Values,
    Items,
    Elements,
}

/// An iterator over a map or list.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Walk {
    handle: Arc<Handle>,
    word: Word,
    step: Step,
    /// How many values it has returned; going backward, how many are left.
    at: AtomicUsize,
    backward: bool,
}

impl Walk {
    pub(super) fn new(part: &Document, step: Step) -> Self {
        let (handle, at) = (Arc::clone(&part.handle), AtomicUsize::new(0));
        Walk { handle, word: part.word, step, at, backward: false }
    }

    pub(super) fn backward(part: &Document, step: Step, len: usize) -> Self {
        Walk { at: AtomicUsize::new(len), backward: true, ..Walk::new(part, step) }
    }
}

#[pymethods]
impl Walk {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            let view = inner.view(py);
            let Some(container) = view.container(self.word) else { return Ok(None) };
            let object = |word, slot| {
                let path = || -> Vec<PathStep> { inner.path_to(py, self.word, slot) };
                values::object(py, &self.handle, &inner, word, &path)
            };
            let at = if self.backward {
                let left = self.at.load(Ordering::Relaxed);
                let Some(at) = left.checked_sub(1) else { return Ok(None) };
                self.at.store(at, Ordering::Relaxed);
                at
            } else {
                self.at.fetch_add(1, Ordering::Relaxed)
            };
            if self.step == Step::Elements {
                return List(container).get(at).map(|word| object(word, at)).transpose();
            }
            let Some(entry) = Map(container).distinct().entry(at) else { return Ok(None) };
            let key = || values::string(py, &entry.key);
            let value = || object(entry.value, entry.slot);
            Ok(Some(match self.step {
                Step::Keys => key()?,
                Step::Values => value()?,
                _ => PyTuple::new(py, [key()?, value()?])?.into_any(),
            }))
        })
    }
}
