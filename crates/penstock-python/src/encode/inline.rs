//! Where objects without `__slots__` keep the values of their attributes.
//!
//! CPython 3.11 keeps them in an array in front of the object. Once somebody asks for its
//! `__dict__`, the array is that dict's, as long as it has the keys of the class. These belong to
//! the class: a key has the same place in all of its objects. So the places are learnt of one
//! object, by what attribute access gives for each attribute, and are right for all later ones. In
//! other versions of CPython nothing is learnt.

use super::layout::{Field, Get, Step};
use crate::plan::class_attribute;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The places of the attributes of a class.
#[derive(Default)]
pub(super) struct Inline {
    places: OnceLock<Places>,
    /// How many objects were looked at in vain.
    tried: AtomicU8,
}

struct Places {
    /// The version of the class when they were learnt. With another one, an attribute may be
    /// something else.
    version: u32,
    /// The place of each field's attribute.
    of: Box<[u32]>,
}

/// A field that has no place.
const NO_PLACE: u32 = u32::MAX;

/// After so many objects nothing more is learnt.
const PATIENCE: u8 = 8;

/// The values of an object's attributes.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    values: *mut *mut ffi::PyObject,
    places: &'a [u32],
}

impl Values<'_> {
    /// For an object that has none.
    pub(super) const NONE: Values<'static> = Values { values: std::ptr::null_mut(), places: &[] };

    /// The value of a field; null if it is not here.
    ///
    /// # Safety
    /// The object lives, and nobody has changed its attributes since [`Inline::values`].
    #[inline(always)]
    pub(super) unsafe fn get(self, field: u32) -> *mut ffi::PyObject {
        match self.places.get(field as usize) {
            // SAFETY: the place was found among the keys of the class, which have no fewer places.
            Some(&place) if place != NO_PLACE => unsafe { *self.values.add(place as usize) },
            _ => std::ptr::null_mut(),
        }
    }
}

impl Inline {
    /// The values of an object.
    ///
    /// # Safety
    /// A live object of exactly the class.
    #[inline(always)]
    pub(super) unsafe fn values(&self, object: *mut ffi::PyObject) -> Values<'_> {
        let Some(places) = self.places.get() else { return Values::NONE };
        // SAFETY: as of this function. The class had the array when the places were learnt.
        unsafe {
            let class = ffi::Py_TYPE(object);
            let values = layout::values(object);
            if values.is_null() || (*class).tp_version_tag != places.version {
                return Values::NONE;
            }
            Values { values, places: &places.of }
        }
    }

    /// Whether places are known.
    #[inline(always)]
    pub(super) fn is_known(&self) -> bool {
        self.places.get().is_some()
    }

    /// Learns the places of an object's class, if its version of CPython has them.
    #[inline]
    pub(super) fn learn(&self, object: &Bound<'_, PyAny>, steps: &[Step]) -> PyResult<()> {
        if self.is_known() || self.tried.load(Ordering::Relaxed) >= PATIENCE {
            return Ok(());
        }
        self.tried.fetch_add(1, Ordering::Relaxed);
        if let Some(places) = found(object, steps)? {
            // Another thread may be faster; it found the same.
            let _ = self.places.set(places);
        }
        Ok(())
    }
}

/// The places, as an object shows them.
#[cold]
fn found(object: &Bound<'_, PyAny>, steps: &[Step]) -> PyResult<Option<Places>> {
    let py = object.py();
    let class = object.get_type();
    // SAFETY: a live object and its class.
    let keys = unsafe { layout::keys(object.as_ptr()) };
    let Some(keys) = keys else { return Ok(None) };
    let mut of = Vec::new();
    for step in steps {
        let Step::Field(Field { get: Get::Attribute(name), index, .. }) = step else { continue };
        let index = *index as usize;
        let Some(place) = keys.iter().position(|key| *key == name.as_ptr()) else {
            return Ok(None);
        };
        // A descriptor with `__set__` comes before the object's own value.
        let name = name.bind(py);
        let is_set = |descriptor: Bound<'_, PyAny>| {
            // SAFETY: a live object and its class.
            unsafe { (*ffi::Py_TYPE(descriptor.as_ptr())).tp_descr_set.is_some() }
        };
        // SAFETY: the place of a key of the class.
        let value = unsafe { *layout::values(object.as_ptr()).add(place) };
        if value.is_null() || class_attribute(&class, name).is_some_and(is_set) {
            return Ok(None);
        }
        // No code of the caller's runs here: attribute access finds the object's own value.
        if object.getattr(name)?.as_ptr() != value {
            return Ok(None);
        }
        if of.len() <= index {
            of.try_reserve(index + 1 - of.len())
                .map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
            of.resize(index + 1, NO_PLACE);
        }
        of[index] = u32::try_from(place).unwrap_or(NO_PLACE);
    }
    // SAFETY: a live class.
    let version = unsafe { (*class.as_type_ptr()).tp_version_tag };
    let is_valid = version != 0 && !of.is_empty();
    Ok(is_valid.then(|| Places { version, of: of.into() }))
}

#[cfg(not(Py_3_12))]
mod layout {
    //! CPython 3.11: `Objects/dictobject.c`, `Include/internal/pycore_dict.h` and `pycore_object.h`.

    use pyo3::ffi;

    /// Whether the four words in front of an object are those that [`values`] knows.
    const MANAGED_DICT: std::ffi::c_ulong = 1 << 4;
    /// The kind of keys that a class shares among its objects.
    const SPLIT: u8 = 2;

    /// The keys that the objects of a class share.
    #[repr(C)]
    struct Keys {
        references: isize,
        log2_size: u8,
        log2_index_bytes: u8,
        kind: u8,
        version: u32,
        usable: isize,
        count: isize,
    }

    /// A key, and a value that only other dicts have here.
    #[repr(C)]
    struct Entry {
        key: *mut ffi::PyObject,
        value: *mut ffi::PyObject,
    }

    /// A dict, as far as it is looked at.
    #[repr(C)]
    struct Dict {
        object: ffi::PyObject,
        used: isize,
        version: u64,
        keys: *const Keys,
        /// Null if the values stand beside the keys.
        values: *mut *mut ffi::PyObject,
    }

    /// The values of an object; null if its `__dict__` has them beside keys of its own.
    ///
    /// # Safety
    /// A live object of a class whose [`keys`] were found.
    #[inline(always)]
    pub(super) unsafe fn values(object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
        // SAFETY: the fourth word in front of the object.
        let values = unsafe { object.cast::<*mut *mut ffi::PyObject>().sub(4).read() };
        if !values.is_null() {
            return values;
        }
        // SAFETY: the third word in front of the object is its dict, or null. What else is there
        // than a dict, or a dict of other keys, has no values of the class.
        unsafe {
            let dict = object.cast::<*mut Dict>().sub(3).read();
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

    /// The keys of an object's class, in the order of the values. None if the object has no values
    /// of its own, or if attribute access is not the usual one.
    ///
    /// # Safety
    /// A live object.
    pub(super) unsafe fn keys(object: *mut ffi::PyObject) -> Option<Vec<*mut ffi::PyObject>> {
        // SAFETY: a live object and its class. A class with the flag is one of the heap, and the
        // words in front of its objects are as above. Its keys are never replaced or shortened.
        unsafe {
            let class = ffi::Py_TYPE(object);
            let flags = ffi::PyType_GetFlags(class);
            let usual = (*class).tp_getattro.is_some_and(|it| {
                std::ptr::fn_addr_eq(it, ffi::PyObject_GenericGetAttr as ffi::getattrofunc)
            });
            if flags & MANAGED_DICT == 0 || flags & ffi::Py_TPFLAGS_HEAPTYPE == 0 || !usual {
                return None;
            }
            let keys = (*class.cast::<ffi::PyHeapTypeObject>()).ht_cached_keys.cast::<Keys>();
            if keys.is_null() || (*keys).kind != SPLIT || values(object).is_null() {
                return None;
            }
            let count = usize::try_from((*keys).count).ok()?;
            let entries =
                keys.add(1).cast::<u8>().add(1 << (*keys).log2_index_bytes).cast::<Entry>();
            let mut found = Vec::new();
            found.try_reserve(count).ok()?;
            found.extend((0..count).map(|at| (*entries.add(at)).key));
            Some(found)
        }
    }
}

#[cfg(Py_3_12)]
mod layout {
    use pyo3::ffi;

    pub(super) unsafe fn values(_object: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
        std::ptr::null_mut()
    }

    pub(super) unsafe fn keys(_object: *mut ffi::PyObject) -> Option<Vec<*mut ffi::PyObject>> {
        None
    }
}
