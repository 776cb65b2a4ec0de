//! Objects of classes that are derived from `tuple`.

use pyo3::ffi;

/// A new tuple of a class, whose items are null. Null with an exception set if there is no memory.
///
/// # Safety
/// The class is derived from `tuple`, has its memory from the interpreter's own allocator, and its
/// objects have no more than their items.
#[inline(always)]
pub(crate) unsafe fn new_tuple_of(
    class: *mut ffi::PyTypeObject,
    count: usize,
) -> *mut ffi::PyObject {
    // SAFETY: as of this function. The new object is a tuple that nobody else has seen.
    unsafe {
        let tuple = ffi::PyType_GenericAlloc(class, count as ffi::Py_ssize_t);
        // Since 3.14 a tuple keeps its hash, and -1 says that it has not been computed.
        #[cfg(Py_3_14)]
        if !tuple.is_null() {
            (*tuple.cast::<ffi::PyTupleObject>()).ob_hash = -1;
        }
        tuple
    }
}

/// Where a tuple has its items.
///
/// # Safety
/// A live tuple.
#[inline(always)]
pub(crate) unsafe fn items_of_tuple(tuple: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    // SAFETY: as of this function.
    unsafe { (&raw mut (*tuple.cast::<ffi::PyTupleObject>()).ob_item).cast() }
}
