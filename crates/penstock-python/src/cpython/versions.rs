//! The version of a class, which changes when the class or a base of it is changed.

use super::{Fact, holds};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

#[cfg(Py_3_12)]
unsafe extern "C" {
    fn PyUnstable_Type_AssignVersionTag(class: *mut ffi::PyTypeObject) -> std::ffi::c_int;
}

/// The version of the class, after giving it one if it had none. None if CPython has no version
/// left for it, or if versions are not known to change: then nobody can tell whether the class has
/// changed.
pub(crate) fn assigned(class: &Bound<'_, PyType>) -> Option<u32> {
    holds(Fact::Versions).then(|| assign(class)).flatten()
}

/// The version of the class. None if it has none, or was changed and not used since.
#[inline]
pub(crate) fn version(class: &Bound<'_, PyType>) -> Option<u32> {
    holds(Fact::Versions).then(|| read(class)).flatten()
}

pub(super) fn assign(class: &Bound<'_, PyType>) -> Option<u32> {
    #[cfg(Py_3_12)]
    // SAFETY: a live class.
    unsafe {
        PyUnstable_Type_AssignVersionTag(class.as_type_ptr());
    }
    // A lookup gives the class a version, if there is one left.
    #[cfg(not(Py_3_12))]
    if let Some(lookup) = super::symbols::type_lookup() {
        let name = pyo3::intern!(class.py(), "__init__");
        // SAFETY: a live class and a live `str`. The result is borrowed and not used.
        unsafe { lookup(class.as_type_ptr(), name.as_ptr()) };
    }
    read(class)
}

#[inline]
pub(super) fn read(class: &Bound<'_, PyType>) -> Option<u32> {
    // SAFETY: a live class, whose members are only written with the interpreter lock held.
    let (flags, version) = unsafe {
        let class = class.as_type_ptr();
        ((*class).tp_flags, (*class).tp_version_tag)
    };
    // Since 3.13 the version alone says whether there is one.
    let is_valid = cfg!(Py_3_13) || flags & ffi::Py_TPFLAGS_VALID_VERSION_TAG != 0;
    (is_valid && version != 0).then_some(version)
}
