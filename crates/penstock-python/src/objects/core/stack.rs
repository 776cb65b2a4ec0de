//! The stack of values under construction, and that of finished records.

use penstock_scan::{make_room, out_of_memory};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::ptr;

/// Owned references and empty places. Truncating or dropping the stack releases the references on
/// it.
#[derive(Default)]
pub(crate) struct Stack {
    values: Vec<*mut ffi::PyObject>,
}

// SAFETY: the pointers are owned references to Python objects, which are not bound to a thread;
// every method that touches a count asks for the interpreter's token.
unsafe impl Send for Stack {}

impl Stack {
    /// How many places there are.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Puts a value on top. The stack owns the reference from now on.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: *mut ffi::PyObject) {
        if self.values.len() == self.values.capacity() {
            self.grow(value);
        }
        let length = self.values.len();
        // SAFETY: there is room for one more. `Vec::push` would look for it again.
        unsafe {
            self.values.as_mut_ptr().add(length).write(value);
            self.values.set_len(length + 1);
        }
    }

    /// Makes room for a value. If there is no memory, it releases the value and unwinds.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, value: *mut ffi::PyObject) {
        if self.values.try_reserve(1).is_err() {
            // SAFETY: an owned reference or null. Values are pushed while the interpreter is
            // attached.
            unsafe { ffi::Py_XDECREF(value) };
            out_of_memory();
        }
    }

    /// Takes the value on top, if there is one.
    #[inline(always)]
    pub(crate) fn pop(&mut self, py: Python<'_>) -> Option<Py<PyAny>> {
        let value = self.values.pop()?;
        // SAFETY: the stack owned this reference, or held null.
        unsafe { Bound::from_owned_ptr_or_opt(py, value) }.map(Bound::unbind)
    }

    /// All values.
    pub(crate) fn into_values(mut self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let values = std::mem::take(&mut self.values);
        // SAFETY: as for `pop`.
        let value = |value| unsafe { Bound::from_owned_ptr_or_opt(py, value) };
        values.into_iter().filter_map(value).map(Bound::unbind).collect()
    }

    /// Puts `count` empty places on top.
    #[inline(always)]
    pub(crate) fn push_empty(&mut self, count: usize) {
        make_room(&mut self.values, count);
        let length = self.values.len();
        // SAFETY: there is room for `count` more behind the length, and all of them are written.
        // Volatile, because the compiler would otherwise call a function that fills memory, and
        // they are few.
        unsafe {
            let end = self.values.as_mut_ptr().add(length);
            for index in 0..count {
                end.add(index).write_volatile(ptr::null_mut());
            }
            self.values.set_len(length + count);
        }
    }

    /// The value in a place, or null. Borrowed.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> *mut ffi::PyObject {
        self.values[place]
    }

    /// Puts a value in a place and returns the old one, owned, or null.
    #[inline(always)]
    pub(crate) fn replace(
        &mut self,
        place: usize,
        value: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject {
        std::mem::replace(&mut self.values[place], value)
    }

    /// All values from a place on, borrowed.
    #[inline(always)]
    pub(crate) fn from(&self, place: usize) -> &[*mut ffi::PyObject] {
        &self.values[place..]
    }

    /// Forgets all values from a place on, whose references have found other owners.
    #[inline(always)]
    pub(crate) fn forget_from(&mut self, place: usize) {
        self.values.truncate(place);
    }

    /// Forgets `count` values from a place on, whose references have found other owners. The values
    /// behind them stay.
    pub(crate) fn forget_some(&mut self, place: usize, count: usize) {
        self.values.drain(place..place + count);
    }

    /// Shows the values to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.values.iter().filter(|value| !value.is_null()).try_for_each(|value| {
            // SAFETY: the stack owns this reference; a `Py` is a pointer to an object and not null.
            visit.call(unsafe { &*ptr::from_ref(value).cast::<Py<PyAny>>() })
        })
    }

    /// Releases all values from a place on.
    pub(crate) fn release_from(&mut self, _py: Python<'_>, place: usize) {
        // Each value leaves the stack before it is released: a destructor may run any code.
        while self.values.len() > place {
            if let Some(value) = self.values.pop() {
                // SAFETY: the stack owned this reference or held null, and `_py` shows that the
                // interpreter is attached.
                unsafe { ffi::Py_XDECREF(value) };
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if !self.values.is_empty() {
            Python::attach(|py| self.release_from(py, 0));
        }
    }
}
