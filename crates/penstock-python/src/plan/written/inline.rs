//! Where objects without `__slots__` keep the values of their attributes.
//!
//! CPython keeps them in an array of the object ([`crate::cpython::values`]). Once somebody asks for the
//! object's `__dict__`, the array is that dict's, as long as it has the keys of the class. These
//! belong to the class: a key has the same place in all of its objects. So the places are learnt of
//! one object, by what attribute access gives for each attribute, and are right for all later ones.

use super::layout::{Field, Get, Step};
use crate::cpython::{Fact, holds, values};
use crate::plan::class_attribute;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The places of the attributes of a class.
#[derive(Default)]
pub(crate) struct Inline {
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
pub(crate) struct Values<'a> {
    values: *mut *mut ffi::PyObject,
    places: &'a [u32],
}

impl Values<'_> {
    /// For an object that has none.
    pub(crate) const NONE: Values<'static> = Values { values: std::ptr::null_mut(), places: &[] };

    /// The value of a field; null if it is not here.
    ///
    /// # Safety
    /// The object lives, and nobody has changed its attributes since [`Inline::values`].
    #[inline(always)]
    pub(crate) unsafe fn get(self, field: u32) -> *mut ffi::PyObject {
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
    pub(crate) unsafe fn values(&self, object: *mut ffi::PyObject) -> Values<'_> {
        let Some(places) = self.places.get() else { return Values::NONE };
        // SAFETY: as of this function. The class had the array when the places were learnt.
        unsafe {
            let class = ffi::Py_TYPE(object);
            let values = values::values(object);
            if values.is_null() || (*class).tp_version_tag != places.version {
                return Values::NONE;
            }
            Values { values, places: &places.of }
        }
    }

    /// Whether places are known.
    #[inline(always)]
    pub(crate) fn is_known(&self) -> bool {
        self.places.get().is_some()
    }

    /// Learns the places of an object's class.
    #[inline]
    pub(crate) fn learn(&self, object: &Bound<'_, PyAny>, steps: &[Step]) -> PyResult<()> {
        let in_vain = self.tried.load(Ordering::Relaxed) >= PATIENCE;
        if self.is_known() || in_vain || !holds(Fact::Values) {
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
    let keys = unsafe { values::keys(object.as_ptr()) };
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
        let value = unsafe { *values::values(object.as_ptr()).add(place) };
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
