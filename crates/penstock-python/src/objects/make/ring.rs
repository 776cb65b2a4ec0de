//! Rows of a stream that are filled again.

use super::allocate;
use crate::cpython::references::is_ours_alone;
use crate::plan::{Build, ClassPlan};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::ptr;

/// The last two rows of a stream, to be filled again when nobody holds them.
///
/// There are two because a loop's variable still holds the row before while the next one is made.
#[derive(Default)]
pub(crate) struct Ring {
    rows: [Option<Py<PyAny>>; 2],
    turn: usize,
}

impl Ring {
    /// Shows the rows to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.rows.iter().try_for_each(|row| visit.call(row))
    }

    /// A row with all slots empty, used or new. A new reference, or null with an exception set.
    #[inline(always)]
    pub(crate) fn next(&mut self, py: Python<'_>, class: &ClassPlan) -> *mut ffi::PyObject {
        if has_finalizer(class) {
            self.rows = [None, None];
            return allocate(class);
        }
        self.turn ^= 1;
        if let Some(row) = &self.rows[self.turn]
            && reusable(row.bind(py), class)
        {
            let row = row.clone_ref(py);
            empty(&row, class);
            // Releasing the old values may have run code that found the row.
            if is_untouched(row.bind(py), class) {
                return row.into_ptr();
            }
        }
        let fresh = allocate(class);
        // SAFETY: a new reference or null.
        if let Some(row) = unsafe { Bound::from_owned_ptr_or_opt(py, fresh) } {
            self.rows[self.turn] = Some(row.clone().unbind());
            return row.into_ptr();
        }
        ptr::null_mut()
    }
}

/// Whether the class has got a finalizer since it was planned: then each row must come to its end.
#[inline(always)]
fn has_finalizer(class: &ClassPlan) -> bool {
    // SAFETY: the plan keeps the class alive.
    unsafe { (*class.type_ptr()).tp_finalize.is_some() }
}

/// Whether nobody but the ring can ever see the row again.
#[inline(always)]
fn reusable(row: &Bound<'_, PyAny>, class: &ClassPlan) -> bool {
    is_ours_alone(row) && row.get_type_ptr() == class.type_ptr() && has_no_weakrefs(row)
}

/// Whether only the ring and the caller hold an emptied row, and it is still empty.
#[inline(always)]
fn is_untouched(row: &Bound<'_, PyAny>, class: &ClassPlan) -> bool {
    let Build::Slots { offsets, .. } = &class.build else { return false };
    let object = row.as_ptr();
    // SAFETY: a live object of the class, whose offsets the plan verified.
    let empty = |offset: &usize| unsafe {
        (*object.cast::<u8>().add(*offset).cast::<*mut ffi::PyObject>()).is_null()
    };
    // SAFETY: a live object.
    let references = unsafe { ffi::Py_REFCNT(object) };
    references == 2
        && row.get_type_ptr() == class.type_ptr()
        && has_no_weakrefs(row)
        && offsets.iter().all(empty)
}

/// Whether nobody holds a weak reference to an object.
#[inline(always)]
fn has_no_weakrefs(object: &Bound<'_, PyAny>) -> bool {
    let object = object.as_ptr();
    // SAFETY: a live object; where its type has a list of weak references, it stands at the
    // type's offset.
    unsafe {
        let offset = (*ffi::Py_TYPE(object)).tp_weaklistoffset;
        offset == 0 || (*object.cast::<u8>().offset(offset).cast::<*mut ffi::PyObject>()).is_null()
    }
}

/// Empties all slots of a used row.
#[inline(always)]
fn empty(row: &Py<PyAny>, class: &ClassPlan) {
    let Build::Slots { offsets, .. } = &class.build else { return };
    for &offset in offsets {
        // SAFETY: the plan verified the offsets. Only the ring and the caller hold the row, so code
        // that a released value may run cannot reach it.
        unsafe {
            let slot = row.as_ptr().cast::<u8>().add(offset).cast::<*mut ffi::PyObject>();
            let old = ptr::replace(slot, ptr::null_mut());
            ffi::Py_XDECREF(old);
        }
    }
}
