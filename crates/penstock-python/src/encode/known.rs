//! What a walker keeps from one object to the next.

use crate::io::style::Aim;
use crate::plan::{ClassId, PlanRef, plan_from};
use penstock_scan::TextBuf;
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::collections::HashMap;

/// What a walker keeps from one object to the next.
pub(crate) struct Known {
    /// What the plans are made for.
    aim: Aim,
    /// The plans of the classes that were met, by the address of the class. A plan keeps its class
    /// alive.
    pub(super) plans: HashMap<usize, usize>,
    pub(super) kept: Vec<PlanRef>,
    /// The number of the plan that has the caller's functions for types.
    types: Option<usize>,
    /// Classes whose objects are written by their own plan, each with that and its number there.
    met: [Option<(usize, usize, ClassId)>; MET],
    /// The number of the plan of plain values.
    plain: Option<usize>,
    /// The caller's function for objects that cannot be written.
    pub(super) default: Option<Py<PyAny>>,
    /// The options that decide how a value is written, if they are not the usual ones.
    pub(super) options: Option<Py<PyDict>>,
    pub(super) scratch: TextBuf,
    /// How many sets are being put in order, one inside the other.
    pub(super) ordering: u32,
}

/// How many classes are found without a table. Records have one class, or a few.
const MET: usize = 8;

impl Known {
    pub(crate) fn new(aim: impl Into<Aim>) -> Self {
        let (plans, kept, scratch) = (HashMap::new(), Vec::new(), TextBuf::default());
        Known {
            aim: aim.into(),
            plans,
            kept,
            types: None,
            met: [None; MET],
            plain: None,
            default: None,
            options: None,
            scratch,
            ordering: 0,
        }
    }

    /// The same with a function for objects that cannot be written.
    pub(crate) fn or_else(mut self, py: Python<'_>, default: Option<&Py<PyAny>>) -> Self {
        self.default = default.map(|default| default.clone_ref(py));
        self
    }

    /// The same for options by which values are not written as usual.
    pub(crate) fn under(mut self, options: Option<Bound<'_, PyDict>>) -> Self {
        self.options = options.map(Bound::unbind);
        self
    }

    /// One for text in which no object is written.
    pub(crate) fn without_objects(&self) -> Self {
        Known::new(self.aim.form())
    }

    /// Shows the objects that it keeps to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(default) = &self.default {
            visit.call(default)?;
        }
        if let Some(options) = &self.options {
            visit.call(options)?;
        }
        self.kept.iter().try_for_each(|plan| plan.traverse(visit))
    }

    /// The plans that are kept.
    pub(crate) fn plans(&self) -> &[PlanRef] {
        &self.kept
    }

    /// Forgets all plans if one of them is of a class that has changed.
    pub(crate) fn refresh(&mut self, py: Python<'_>) {
        if self.kept.iter().any(|plan| !plan.is_current(py)) {
            self.plans.clear();
            (self.types, self.met, self.plain) = (None, [None; MET], None);
            drop(std::mem::take(&mut self.kept));
        }
    }

    /// The number of a plan.
    pub(crate) fn number(&mut self, py: Python<'_>, plan: &PlanRef) -> usize {
        let known = self.kept.iter().position(|known| known.address() == plan.address());
        known.unwrap_or_else(|| {
            let number = self.keep(plan.clone_ref(py));
            if plan.has_types() {
                self.types = Some(number);
            }
            number
        })
    }

    fn keep(&mut self, plan: PlanRef) -> usize {
        self.kept.push(plan);
        self.kept.len() - 1
    }

    /// The plan of a class, and its number there, if an object of it was written by it before.
    #[inline(always)]
    pub(super) fn class_met(&self, class: *mut ffi::PyTypeObject) -> Option<(usize, ClassId)> {
        let (known, plan, number) = self.met[place(class)]?;
        (known == class.addr()).then_some((plan, number))
    }

    pub(super) fn meet(&mut self, class: *mut ffi::PyTypeObject, plan: usize, number: ClassId) {
        self.met[place(class)] = Some((class.addr(), plan, number));
    }

    /// The number of the plan of plain values.
    #[inline]
    pub(super) fn plain(&mut self, py: Python<'_>) -> PyResult<usize> {
        if let Some(plain) = self.plain {
            return Ok(plain);
        }
        let plain = self.of_class(&py.get_type::<PyAny>())?;
        self.plain = Some(plain);
        Ok(plain)
    }

    /// The number of the plan of a class.
    #[inline]
    pub(super) fn of_class(&mut self, class: &Bound<'_, PyType>) -> PyResult<usize> {
        let key = class.as_ptr() as usize;
        if let Some(&known) = self.plans.get(&key) {
            return Ok(known);
        }
        let py = class.py();
        let aimed = self.aim.aimed(py);
        let plan = match self.types {
            Some(types) => self.kept[types].of_class_likewise(class, aimed)?,
            None => plan_from(py, class.as_any(), aimed)?,
        };
        let number = self.keep(plan);
        self.plans.insert(key, number);
        Ok(number)
    }
}

/// Where a class is noted.
#[inline(always)]
fn place(class: *mut ffi::PyTypeObject) -> usize {
    (class.addr() >> 4 ^ class.addr() >> 10) % MET
}
