//! Where a dict stores its values, for dicts that are copies of a pattern made here.
//!
//! A copy of a dict already has its keys. To store its values at their places takes one store each;
//! to set them by their keys takes one lookup each. The header of a dict's keys is
//! known, and the places are checked on a dict and on a copy of it before they are used.

use crate::cpython::values::Keys;
use crate::cpython::{Fact, holds, symbols};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The kind of keys that are all strings, in a dict that shares them with no other dict.
const STRINGS: u8 = 1;

/// An entry of such keys: the key, then its value. CPython's `PyDictUnicodeEntry`.
pub(crate) type DictEntry = [*mut ffi::PyObject; 2];

/// A new dict with room for so many items. Null with an exception set if there is no memory.
#[inline(always)]
pub(crate) fn new_dict(count: usize) -> *mut ffi::PyObject {
    // One for few items grows to that size with the first one.
    let with_room = match count {
        0..=5 => None,
        _ if holds(Fact::Room) => symbols::dict_with_room(),
        _ => None,
    };
    // SAFETY: a new object or null.
    unsafe {
        match with_room {
            Some(with_room) => with_room(count as ffi::Py_ssize_t),
            None => ffi::PyDict_New(),
        }
    }
}

/// A dict with None for each of its keys. Other dicts with these keys are made as copies of it.
pub(crate) struct Pattern {
    dict: Py<PyDict>,
    /// How many keys it has.
    keys: usize,
    /// Where the entries are: see [`offset_of`].
    pub(crate) offset: Option<usize>,
}

impl Pattern {
    /// The pattern for these keys.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn new<'py>(py: Python<'py>, keys: &[Bound<'py, PyString>]) -> PyResult<Self> {
        // It grows from an empty one: a dict with room for more than five keys is one for keys of any
        // kind, which has larger entries in places of their own.
        let dict = PyDict::new(py);
        for key in keys {
            dict.set_item(key, py.None())?;
        }
        // This checks a copy, because objects are copies of the pattern.
        let copy = dict.copy()?;
        let offset =
            offset_of(&dict, keys).filter(|&offset| offset_of(&copy, keys) == Some(offset));
        Ok(Pattern { dict: dict.unbind(), keys: keys.len(), offset })
    }

    /// A copy, to be filled. Null with an exception set if there is no memory.
    #[inline(always)]
    pub(crate) fn copy(&self, _py: Python<'_>) -> *mut ffi::PyObject {
        // SAFETY: copies a dict that lives here, while the interpreter is attached.
        unsafe { ffi::PyDict_Copy(self.dict.as_ptr()) }
    }

    /// Its entries, if it is known where they are.
    #[inline(always)]
    pub(crate) fn entries(&self) -> Option<&[DictEntry]> {
        let offset = self.offset?;
        // SAFETY: the dict lives here, nobody else has it, and it is never changed. The offset was
        // found on it.
        Some(unsafe { std::slice::from_raw_parts(entries(self.dict.as_ptr(), offset), self.keys) })
    }
}

/// The distance in bytes from the beginning of the keys of `dict` to its entries, if it is known:
/// `names` in this order, each with None. It is the same for each copy.
///
/// `dict` must be a new one into which only these keys were put.
fn offset_of(dict: &Bound<'_, PyDict>, names: &[Bound<'_, PyString>]) -> Option<usize> {
    let py = dict.py();
    if !holds(Fact::Entries) {
        return None;
    }
    let raw = dict.as_ptr().cast::<ffi::PyDictObject>();
    // SAFETY: a live dict, whose keys begin with this header.
    let (header, shared) = unsafe {
        let keys = (*raw).ma_keys.cast::<Keys>();
        (keys.cast_const().as_ref()?, !(*raw).ma_values.is_null())
    };
    let is_plain = header.kind == STRINGS
        && header.references == 1
        && header.count == names.len() as ffi::Py_ssize_t
        && dict.len() == names.len()
        && header.log2_index_bytes <= 16;
    if shared || !is_plain {
        return None;
    }
    let offset = size_of::<Keys>() + (1 << header.log2_index_bytes);
    for (index, name) in names.iter().enumerate() {
        // SAFETY: as many entries as the header says stand behind the index.
        let [key, value] = unsafe { *entries(dict.as_ptr(), offset).add(index) };
        if key != name.as_ptr() || value != py.None().as_ptr() {
            return None;
        }
    }
    Some(offset)
}

/// The entries of an unchanged copy of a dict for which [`offset_of`] found this offset.
///
/// # Safety
///
/// The dict is such a copy, or the pattern itself, and alive.
#[inline(always)]
pub(crate) unsafe fn entries(dict: *mut ffi::PyObject, offset: usize) -> *mut DictEntry {
    // SAFETY: by the contract, the entries stand there in the memory of the keys.
    unsafe {
        let keys = (*dict.cast::<ffi::PyDictObject>()).ma_keys;
        keys.cast::<u8>().add(offset).cast()
    }
}
