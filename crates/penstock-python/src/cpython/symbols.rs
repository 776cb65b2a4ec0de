//! Functions of CPython that its headers keep private.
//!
//! They are looked up by their names, so that an interpreter without them can load the extension.

use pyo3::ffi;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// All libraries that the process has loaded.
#[cfg(target_vendor = "apple")]
const EVERYWHERE: *mut c_void = std::ptr::without_provenance_mut(-2_isize as usize);
#[cfg(not(target_vendor = "apple"))]
const EVERYWHERE: *mut c_void = null_mut();

/// A private function; null if the interpreter has none of its name.
struct Symbol(AtomicPtr<c_void>);

impl Symbol {
    const fn unknown() -> Self {
        Symbol(AtomicPtr::new(null_mut()))
    }

    fn find(&self, name: &CStr) {
        // SAFETY: a name that ends in a zero.
        let found = unsafe { dlsym(EVERYWHERE, name.as_ptr()) };
        self.0.store(found, Ordering::Relaxed);
    }

    #[inline(always)]
    fn get(&self) -> *mut c_void {
        self.0.load(Ordering::Relaxed)
    }
}

static LOOKUP: Symbol = Symbol::unknown();
static ROOM: Symbol = Symbol::unknown();

/// Looks all of them up.
pub(super) fn find() {
    LOOKUP.find(c"_PyType_Lookup");
    ROOM.find(c"_PyDict_NewPresized");
}

type LookUp =
    unsafe extern "C" fn(*mut ffi::PyTypeObject, *mut ffi::PyObject) -> *mut ffi::PyObject;
type WithRoom = unsafe extern "C" fn(ffi::Py_ssize_t) -> *mut ffi::PyObject;

/// The function that finds the attribute of a type by its method resolution order, without
/// descriptors and without the metaclass. Its result is borrowed; null without an exception if
/// there is none.
#[inline(always)]
pub(crate) fn type_lookup() -> Option<LookUp> {
    let found = LOOKUP.get();
    // SAFETY: CPython has had the function with these parameters from 3.11 to 3.15.
    (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, LookUp>(found) })
}

/// The function that makes an empty dict with room for so many items.
#[inline(always)]
pub(crate) fn dict_with_room() -> Option<WithRoom> {
    let found = ROOM.get();
    // SAFETY: as above.
    (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, WithRoom>(found) })
}
