//! Python objects held where the garbage collector can see them.

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard};

/// An object of the caller's that a run needs deep inside: the file it reads, the target of its
/// errors. The object made for the run shares it and shows it to the collector, so that a caller
/// who holds that object can be collected together with it.
#[derive(Clone)]
pub(crate) struct Held(Arc<Mutex<Option<Py<PyAny>>>>);

impl Held {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Self {
        Held(Arc::new(Mutex::new(Some(object.clone().unbind()))))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        // Locked only for a moment, in which nothing can panic.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The object.
    ///
    /// # Errors
    /// If the collector has cleared it. Then only the end of the run can still use it.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &*self.lock() {
            Some(object) => Ok(object.bind(py).clone()),
            None => Err(PyValueError::new_err("this was closed by the garbage collector")),
        }
    }

    /// Shows the object to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // The collector must not wait. Nobody keeps the lock while Python code runs.
        match self.0.try_lock() {
            Ok(object) => visit.call(&*object),
            Err(_) => Ok(()),
        }
    }

    /// Releases the object.
    pub(crate) fn clear(&self) {
        let object = self.lock().take();
        drop(object);
    }
}
