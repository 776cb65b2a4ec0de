//! Objects of classes that are derived from `tuple`.

use super::{Fact, holds};
use pyo3::ffi;
use std::ptr;

/// A tuple of a class with these items, whose references it takes over. Null with an exception set if
/// there is no memory; then it has taken none.
///
/// # Safety
/// The class is derived from `tuple`, has its memory from the interpreter's own allocator and is made by
/// `tuple.__new__`, and its objects have no more than their items. These are alive.
#[inline(always)]
pub(crate) unsafe fn tuple_of(
    class: *mut ffi::PyTypeObject,
    items: &[*mut ffi::PyObject],
) -> *mut ffi::PyObject {
    // SAFETY: as of this function.
    unsafe {
        if !holds(Fact::Tuples) {
            return called(class, items);
        }
        let tuple = new_tuple_of(class, items.len());
        if !tuple.is_null() {
            ptr::copy_nonoverlapping(items.as_ptr(), items_of_tuple(tuple), items.len());
        }
        tuple
    }
}

/// The same by `tuple.__new__`.
///
/// # Safety
/// As for [`tuple_of`].
#[cold]
unsafe fn called(
    class: *mut ffi::PyTypeObject,
    items: &[*mut ffi::PyObject],
) -> *mut ffi::PyObject {
    // SAFETY: as of this function. The arguments are a new tuple of one new tuple, which has
    // references of its own; the caller's are given up when the class's tuple has some, too.
    unsafe {
        let (plain, arguments) =
            (ffi::PyTuple_New(items.len() as ffi::Py_ssize_t), ffi::PyTuple_New(1));
        let mut made = ptr::null_mut();
        if !plain.is_null() && !arguments.is_null() {
            for (at, &item) in items.iter().enumerate() {
                ffi::Py_INCREF(item);
                ffi::PyTuple_SetItem(plain, at as ffi::Py_ssize_t, item);
            }
            ffi::Py_INCREF(plain);
            ffi::PyTuple_SetItem(arguments, 0, plain);
            if let Some(new) = ffi::PyTuple_Type.tp_new {
                made = new(class, arguments, ptr::null_mut());
            }
        }
        ffi::Py_XDECREF(arguments);
        ffi::Py_XDECREF(plain);
        if !made.is_null() {
            for &item in items {
                ffi::Py_DECREF(item);
            }
        }
        made
    }
}

/// A new tuple of a class, whose items are null. Null with an exception set if there is no memory.
///
/// # Safety
/// The class is derived from `tuple`, has its memory from the interpreter's own allocator, and its
/// objects have no more than their items.
#[inline(always)]
pub(super) unsafe fn new_tuple_of(
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
