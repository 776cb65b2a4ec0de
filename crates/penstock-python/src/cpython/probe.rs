//! Finds out, on objects made for it, whether each fact is as expected.

use super::text::Units;
use super::{Fact, ints, symbols, text, tuples, values, versions};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

/// Whether a fact is as expected.
///
/// # Errors
/// There is no memory, for example.
pub(super) fn holds(py: Python<'_>, fact: Fact) -> PyResult<bool> {
    match fact {
        Fact::Text => text_holds(py),
        Fact::Ints => ints_hold(py),
        Fact::Items => items_hold(py),
        Fact::Tuples => tuples_hold(py),
        Fact::Values => values_hold(py),
        Fact::References => Ok(references_hold(py)),
        Fact::Versions => versions_hold(py),
        // Each pattern, class and entry has a probe of its own where it is used.
        Fact::Entries => Ok(size_of::<usize>() == 8),
        Fact::Slots | Fact::Calls => Ok(true),
        Fact::Lookup => Ok(symbols::type_lookup().is_some()),
        Fact::Room => Ok(symbols::dict_with_room().is_some()),
    }
}

fn text_holds(py: Python<'_>) -> PyResult<bool> {
    for sample in ["", "a", "penstock", "é", "ab\u{ff}", "日本", "a\u{10348}"] {
        let object = PyString::new(py, sample);
        // SAFETY: a live `str`, whose head is larger than all that is read of it.
        unsafe {
            let raw = object.as_ptr();
            let wanted = sample.is_ascii().then_some(sample.as_bytes());
            let found = text::ascii_behind(raw);
            // The address first, so that nothing is read where nothing may be.
            let data = ffi::PyUnicode_DATA(raw).cast::<u8>().cast_const();
            let length = ffi::PyUnicode_GET_LENGTH(raw) as usize;
            if found != wanted.map(|_| (data, length)) {
                return Ok(false);
            }
            if wanted.is_none() {
                let head = size_of::<ffi::PyCompactUnicodeObject>();
                if raw.cast::<u8>().add(head).cast_const() != data {
                    return Ok(false);
                }
                let mut length = 0;
                let utf8 = ffi::PyUnicode_AsUTF8AndSize(raw, &raw mut length);
                if utf8.is_null() {
                    return Err(PyErr::fetch(py));
                }
                let compact = raw.cast::<ffi::PyCompactUnicodeObject>();
                if (*compact).utf8.cast_const() != utf8 || (*compact).utf8_length != length {
                    return Ok(false);
                }
            }
            let units = match Units::by_width(raw) {
                Units::Utf8(units) => units.len(),
                Units::One(units) => units.len(),
                Units::Two(units) => units.len(),
                Units::Four(units) => units.len(),
            };
            if units != sample.chars().count() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn ints_hold(py: Python<'_>) -> PyResult<bool> {
    let one = (1_i64 << 30) - 1;
    let two = (1_i64 << 60) - 1;
    for magnitude in [0, 1, 2, 255, 65_537, one, one + 1, one + 2, 1 << 45, two] {
        for sample in [magnitude, -magnitude] {
            let object = sample.into_pyobject(py)?;
            // SAFETY: a live `int`, which has at least one digit or the room for it.
            if unsafe { ints::small(object.as_ptr()) } != Some(sample) {
                return Ok(false);
            }
        }
    }
    for sample in [two + 1, i64::MAX, i64::MIN] {
        let object = sample.into_pyobject(py)?;
        // SAFETY: as above.
        let (small, converted) =
            unsafe { (ints::small(object.as_ptr()), ints::converted(object.as_ptr())) };
        if small.is_some() || converted != Some(sample) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn items_hold(py: Python<'_>) -> PyResult<bool> {
    let items = [py.None(), PyString::new(py, "item").into_any().unbind()];
    let list = PyList::new(py, &items)?;
    let tuple = PyTuple::new(py, &items)?;
    // SAFETY: a live list and a live tuple of two items.
    unsafe {
        let of_list = (*list.as_ptr().cast::<ffi::PyListObject>()).ob_item;
        let of_tuple = tuples::items_of_tuple(tuple.as_ptr());
        for (at, item) in items.iter().enumerate() {
            let place = at as ffi::Py_ssize_t;
            let same = ffi::PyList_GetItem(list.as_ptr(), place) == item.as_ptr()
                && ffi::PyTuple_GetItem(tuple.as_ptr(), place) == item.as_ptr()
                && *of_list.add(at) == item.as_ptr()
                && *of_tuple.add(at) == item.as_ptr();
            if !same {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// A class of the probe's own, made as by a `class` statement.
fn class<'py>(base: &Bound<'py, PyType>, slots: bool) -> PyResult<Bound<'py, PyType>> {
    let py = base.py();
    let names = PyDict::new(py);
    if slots {
        names.set_item(intern!(py, "__slots__"), PyTuple::empty(py))?;
    }
    let made = py.get_type::<PyType>().call1(("Probe", (base,), names))?;
    Ok(made.cast_into::<PyType>()?)
}

fn tuples_hold(py: Python<'_>) -> PyResult<bool> {
    let class = class(&py.get_type::<PyTuple>(), true)?;
    let items = [PyString::new(py, "a").into_any(), PyString::new(py, "b").into_any()];
    let usual = class.call1((PyTuple::new(py, &items)?,))?;
    // SAFETY: the class is derived from `tuple` and has nothing of its own. Each item takes over a
    // reference.
    let made = unsafe {
        let made = tuples::new_tuple_of(class.as_type_ptr(), items.len());
        let made = Bound::from_owned_ptr_or_err(py, made)?;
        let places = tuples::items_of_tuple(made.as_ptr());
        for (at, item) in items.iter().enumerate() {
            places.add(at).write(item.clone().into_ptr());
        }
        made
    };
    Ok(made.eq(&usual)? && made.hash()? == usual.hash()?)
}

fn values_hold(py: Python<'_>) -> PyResult<bool> {
    let class = class(&py.get_type::<PyAny>(), false)?;
    let object = class.call0()?;
    let names = [intern!(py, "first"), intern!(py, "second")];
    for name in names {
        object.setattr(name, name)?;
    }
    // A dict of the object's own must not change the values.
    for has_dict in [false, true] {
        if has_dict {
            object.getattr(intern!(py, "__dict__"))?;
        }
        // SAFETY: a live object of a class that was made for this.
        let Some(keys) = (unsafe { values::keys(object.as_ptr()) }) else { return Ok(false) };
        for name in names {
            let Some(place) = keys.iter().position(|key| *key == name.as_ptr()) else {
                return Ok(false);
            };
            // SAFETY: the place of a key of the class.
            let value = unsafe { *values::values(object.as_ptr()).add(place) };
            if value != name.as_ptr() {
                return Ok(false);
            }
        }
    }
    // Of a dict with other keys the object has no array, or none that counts.
    object.setattr(intern!(py, "__dict__"), PyDict::new(py))?;
    // SAFETY: as above.
    Ok(unsafe { values::values(object.as_ptr()) }.is_null())
}

fn references_hold(py: Python<'_>) -> bool {
    let object = PyList::empty(py);
    // SAFETY: a live object.
    let count = || unsafe { ffi::Py_REFCNT(object.as_ptr()) };
    let one = count();
    let other = object.clone();
    let two = count();
    drop(other);
    (one, two, count()) == (1, 2, 1)
}

fn versions_hold(py: Python<'_>) -> PyResult<bool> {
    let class = class(&py.get_type::<PyAny>(), false)?;
    let derived = self::class(&class, false)?;
    let Some(before) = versions::assign(&derived) else { return Ok(false) };
    if versions::read(&derived) != Some(before) {
        return Ok(false);
    }
    class.setattr(intern!(py, "first"), py.None())?;
    let changed = versions::read(&derived) != Some(before);
    Ok(changed && versions::assign(&derived).is_some_and(|after| after != before))
}
