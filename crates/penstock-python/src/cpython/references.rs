//! Who else can see an object.

use super::{Fact, holds};
use pyo3::ffi;
use pyo3::prelude::*;

/// Whether the caller has the only reference to an object, so that nobody else can ever see it again.
///
/// Since 3.14 the interpreter's own stack may have references that it does not count. Each is borrowed
/// from a variable whose own reference does count, for as long as that.
#[inline(always)]
pub(crate) fn is_ours_alone(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a live object.
    holds(Fact::References) && unsafe { is_unique(object.as_ptr()) }
}

#[cfg(not(Py_3_14))]
#[inline(always)]
unsafe fn is_unique(object: *mut ffi::PyObject) -> bool {
    // SAFETY: a live object, as of the caller.
    unsafe { ffi::Py_REFCNT(object) == 1 }
}

#[cfg(Py_3_14)]
unsafe extern "C" {
    #[link_name = "PyUnstable_Object_IsUniquelyReferenced"]
    fn is_uniquely_referenced(object: *mut ffi::PyObject) -> std::ffi::c_int;
}

/// The interpreter's own test.
#[cfg(Py_3_14)]
#[inline(always)]
unsafe fn is_unique(object: *mut ffi::PyObject) -> bool {
    // SAFETY: a live object, as of the caller.
    unsafe { is_uniquely_referenced(object) != 0 }
}
