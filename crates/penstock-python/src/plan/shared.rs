//! A plan that several readers share, as the garbage collector sees it.

use super::Plan;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::ops::Deref;

/// A plan as an object of Python's.
///
/// A plan holds classes and functions of the caller's, which may hold the reader in turn. The
/// collector must be shown each reference of the plan once, however many readers share it. So they
/// share an object that shows them, and each shows that object.
#[pyclass(frozen, name = "SharedPlan", module = "penstock._rust")]
pub(crate) struct Shared(Plan);

#[pymethods]
impl Shared {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.traverse(&visit)
    }
}

/// A share of a plan. Whoever keeps one shows it to the collector.
pub(crate) struct PlanRef(Py<Shared>);

impl PlanRef {
    /// # Errors
    /// If there is no memory.
    pub(super) fn new(py: Python<'_>, plan: Plan) -> PyResult<Self> {
        Py::new(py, Shared(plan)).map(PlanRef)
    }

    #[inline]
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        PlanRef(self.0.clone_ref(py))
    }

    /// The address of the plan, which no other has while this one lives.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    /// The plan, which stays where it is.
    pub(crate) fn as_ptr(&self) -> *const Plan {
        &raw const self.0.get().0
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

impl Deref for PlanRef {
    type Target = Plan;

    #[inline]
    fn deref(&self) -> &Plan {
        &self.0.get().0
    }
}
