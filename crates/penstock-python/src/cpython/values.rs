//! Where objects without `__slots__` have the values of their attributes.
//!
//! They are in an array of the object, and the class has the keys of all such arrays
//! (`Objects/dictobject.c`, `Include/internal/pycore_dict.h` and `pycore_object.h` of CPython). The array
//! has moved twice: 3.11 has it in front of the object, as a pointer; 3.12 shares the word of that pointer
//! with the object's dict; since 3.13 it stands behind the object itself.

use pyo3::ffi;

/// Whether the words in front of an object are those that [`values`] knows.
const MANAGED_DICT: std::ffi::c_ulong = 1 << 4;
/// The kind of keys that a class shares among its objects.
const SPLIT: u8 = 2;

/// The keys that the objects of a class share: the same header as that of the keys of any dict, from
/// 3.11 to 3.15.
#[repr(C)]
pub(crate) struct Keys {
    pub(crate) references: ffi::Py_ssize_t,
    log2_size: u8,
    pub(crate) log2_index_bytes: u8,
    pub(crate) kind: u8,
    version: u32,
    usable: ffi::Py_ssize_t,
    pub(crate) count: ffi::Py_ssize_t,
}

/// A key, and a value that only other dicts have here.
#[repr(C)]
struct Entry {
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
}

/// A dict, as far as it is looked at.
#[cfg(not(Py_3_13))]
#[repr(C)]
struct Dict {
    object: ffi::PyObject,
    used: ffi::Py_ssize_t,
    version: u64,
    keys: *const Keys,
    /// Null if the values stand beside the keys.
    values: *mut *mut ffi::PyObject,
}

/// The values of an object; null if it has none, or if its `__dict__` has them beside keys of its
/// own.
///
/// # Safety
/// A live object of a class whose [`keys`] were found.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn values(object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    // SAFETY: the fourth word in front of the object is the array, or null; then the third is the
    // object's dict, or null.
    unsafe {
        let values = object.cast::<*mut *mut ffi::PyObject>().sub(4).read();
        if !values.is_null() {
            return values;
        }
        values_of_dict(object, object.cast::<*mut Dict>().sub(3).read())
    }
}

/// As above.
///
/// # Safety
/// A live object of a class whose [`keys`] were found.
#[cfg(all(Py_3_12, not(Py_3_13)))]
#[inline(always)]
pub(crate) unsafe fn values(object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    // SAFETY: the third word in front of the object is its dict, or null, or the array less one
    // byte.
    unsafe {
        let word = object.cast::<*mut u8>().sub(3).read();
        if word.addr() & 1 == 1 {
            return word.add(1).cast();
        }
        values_of_dict(object, word.cast())
    }
}

/// The values of an object's dict, if that has the keys of the class.
///
/// # Safety
/// A live object and what it has for its dict.
#[cfg(not(Py_3_13))]
#[inline(always)]
unsafe fn values_of_dict(object: *mut ffi::PyObject, dict: *mut Dict) -> *mut *mut ffi::PyObject {
    // SAFETY: what else is there than a dict, or a dict of other keys, has no values of the class.
    unsafe {
        if dict.is_null() || ffi::PyDict_Check(dict.cast()) == 0 {
            return std::ptr::null_mut();
        }
        let class = ffi::Py_TYPE(object).cast::<ffi::PyHeapTypeObject>();
        if (*dict).keys != (*class).ht_cached_keys.cast::<Keys>() {
            return std::ptr::null_mut();
        }
        (*dict).values
    }
}

/// What stands behind an object: four bytes, the last of which says whether the values are these, and
/// the array. A dict of the object has the same array, as long as it has the keys of the class.
#[cfg(Py_3_13)]
#[repr(C)]
struct Inline {
    capacity: u8,
    size: u8,
    embedded: u8,
    valid: u8,
    values: [*mut ffi::PyObject; 1],
}

/// As above.
///
/// # Safety
/// A live object of a class whose [`keys`] were found.
#[cfg(Py_3_13)]
#[inline(always)]
pub(crate) unsafe fn values(object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    // SAFETY: such an object is followed by its values.
    unsafe {
        let size = (*ffi::Py_TYPE(object)).tp_basicsize;
        let inline = object.cast::<u8>().offset(size).cast::<Inline>();
        match (*inline).valid {
            0 => std::ptr::null_mut(),
            _ => (&raw mut (*inline).values).cast(),
        }
    }
}

/// Whether objects of a class have an array of values.
fn has_values(flags: std::ffi::c_ulong) -> bool {
    #[cfg(Py_3_13)]
    const INLINE_VALUES: std::ffi::c_ulong = 1 << 2;
    #[cfg(not(Py_3_13))]
    const INLINE_VALUES: std::ffi::c_ulong = 0;
    let wanted = MANAGED_DICT | INLINE_VALUES | ffi::Py_TPFLAGS_HEAPTYPE;
    flags & wanted == wanted
}

/// The keys of an object's class, in the order of the values. None if the object has no values of
/// its own, or if attribute access is not the usual one.
///
/// # Safety
/// A live object, and its class has the fact that is known for this version of CPython.
pub(crate) unsafe fn keys(object: *mut ffi::PyObject) -> Option<Vec<*mut ffi::PyObject>> {
    // SAFETY: a live object and its class. A class with these flags is one of the heap, and the
    // words around its objects are as above. Its keys are never replaced or shortened.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let usual = (*class).tp_getattro.is_some_and(|it| {
            std::ptr::fn_addr_eq(it, ffi::PyObject_GenericGetAttr as ffi::getattrofunc)
        });
        if !has_values(ffi::PyType_GetFlags(class)) || !usual {
            return None;
        }
        let keys = (*class.cast::<ffi::PyHeapTypeObject>()).ht_cached_keys.cast::<Keys>();
        if keys.is_null() || (*keys).kind != SPLIT || values(object).is_null() {
            return None;
        }
        let count = usize::try_from((*keys).count).ok()?;
        let entries = keys.add(1).cast::<u8>().add(1 << (*keys).log2_index_bytes).cast::<Entry>();
        let mut found = Vec::new();
        found.try_reserve(count).ok()?;
        found.extend((0..count).map(|at| (*entries.add(at)).key));
        Some(found)
    }
}
