//! Makes objects by the names of their fields: by calling the class, by setting attributes, and as
//! dicts.

use super::fields::fill_all;
use super::named_tuple;
use super::raised::own_code_raised;
use super::{Made, allocate, fill_entries, outer_mismatch};
use crate::objects::core::Core;
use crate::objects::core::place::brief;
use crate::objects::core::refusal::{Code, Refusal};
use crate::plan::{Build, ClassPlan, Pattern, new_dict};
use penstock_core::protocol::Duplicates;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::HashSet;
use std::ptr;

/// Calls a method of a new object. Takes the reference and returns it.
#[inline(never)]
pub(crate) fn call_post_init(
    builder: &Core<'_>,
    object: *mut ffi::PyObject,
    name: &Py<PyString>,
    at: u64,
) -> Made {
    let py = builder.attached();
    // SAFETY: the reference is handed over to us.
    let object = unsafe { Bound::from_owned_ptr(py, object) };
    match object.call_method0(name.bind(py)) {
        Ok(_) => Ok(object.into_ptr()),
        Err(error) => Err(own_code_raised(builder, error, at)),
    }
}

/// Chooses among all ways of making an object that go by the names of its fields, and the named
/// tuple.
#[inline(never)]
pub(crate) fn by_name(builder: &mut Core<'_>, class: &ClassPlan, build: &Build, at: u64) -> Made {
    let base = builder.top().slots;
    if class.gathers || builder.stack.from(base).contains(&ptr::null_mut()) {
        fill_all(builder, class, at)?;
    }
    let py = builder.attached();
    let made = match build {
        Build::Attributes { post_init: Some(name) } => {
            let object = by_name_at_once(builder, class, build, base)?;
            return call_post_init(builder, object, name, at);
        }
        Build::Call { first, positional, keywords } => {
            call(builder, class, *first, *positional, keywords.bind(py))
                .map_err(|error| own_code_raised(builder, error, at))
        }
        Build::Validate(function) => validated(builder, class, base, function.bind(py), at),
        Build::Fill => {
            fill_by_name(builder, class, base).map_err(|error| own_code_raised(builder, error, at))
        }
        _ => return by_name_at_once(builder, class, build, base),
    }?;
    builder.stack.release_from(py, base);
    if class.notes_fields {
        builder.forget_noted(base);
    }
    Ok(made.into_ptr())
}

/// The same for objects that are made without calling code that may refuse the values.
#[inline(never)]
pub(super) fn by_name_at_once(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    build: &Build,
    base: usize,
) -> Made {
    match build {
        Build::Tuple => named_tuple(builder, class, base),
        Build::Dict(pattern) => typed_dict(builder, class, pattern, base),
        _ => {
            let object = attributes(builder, class, base)?;
            builder.stack.release_from(builder.attached(), base);
            Ok(object)
        }
    }
}

fn typed_dict(builder: &mut Core<'_>, class: &ClassPlan, pattern: &Pattern, base: usize) -> Made {
    let values = builder.stack.from(base);
    let absent = values.iter().filter(|value| value.is_null()).count();
    let dict = match absent {
        0 => pattern.copy(builder.attached()),
        _ => new_dict(values.len() - absent),
    };
    if dict.is_null() {
        return Err(builder.raised());
    }
    if absent == 0
        && let Some(offset) = pattern.offset
    {
        // SAFETY: a copy of the pattern for which the plan found the offset, that nobody else has
        // seen. It has an entry for each field.
        unsafe { fill_entries(dict, offset, values.iter().copied()) };
        builder.stack.forget_from(base);
        return Ok(dict);
    }
    for (field, &value) in class.fields.iter().zip(values) {
        if value.is_null() {
            continue;
        }
        // SAFETY: a dict nobody else has seen, an interned name, and a value that the stack owns.
        unsafe {
            if ffi::PyDict_SetItem(dict, field.name.as_ptr(), value) != 0 {
                ffi::Py_DECREF(dict);
                return Err(builder.raised());
            }
        }
    }
    builder.stack.release_from(builder.attached(), base);
    Ok(dict)
}

/// Passes the values, as a dict, to a function of the class.
fn validated<'py>(
    builder: &Core<'_>,
    class: &ClassPlan,
    base: usize,
    function: &Bound<'py, PyAny>,
    at: u64,
) -> Result<Bound<'py, PyAny>, Refusal> {
    let py = function.py();
    let dict = PyDict::new(py);
    for (place, (field, &value)) in class.fields.iter().zip(builder.stack.from(base)).enumerate() {
        // SAFETY: the stack owns the reference, or the place is empty.
        match unsafe { Bound::from_borrowed_ptr_or_opt(py, value) } {
            None => {}
            Some(rest) if class.rest == Some(place as u32) => add_rest(builder, &dict, &rest, at)?,
            Some(value) => dict.set_item(field.name.bind(py), value)?,
        }
    }
    function.call1((dict,)).map_err(|error| own_code_raised(builder, error, at))
}

/// Adds the keys that a class does not name, which alternate with their values. Repeated elements
/// become a list.
pub(super) fn add_rest(
    builder: &Core<'_>,
    dict: &Bound<'_, PyDict>,
    rest: &Bound<'_, PyAny>,
    at: u64,
) -> Result<(), Refusal> {
    let py = dict.py();
    let mut pairs = rest.try_iter()?;
    // The lists of repeated elements, by their addresses. The dict holds them.
    let mut repeated: HashSet<usize> = HashSet::new();
    while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
        let (key, value) = (key?, value?);
        if builder.is_markup() {
            match dict.get_item(&key)? {
                None => dict.set_item(key, value)?,
                Some(known) if repeated.contains(&(known.as_ptr() as usize)) => {
                    known.cast_into::<PyList>().map_err(PyErr::from)?.append(value)?;
                }
                Some(known) => {
                    let list = PyList::new(py, [known, value])?;
                    repeated.insert(list.as_ptr() as usize);
                    dict.set_item(key, list)?;
                }
            }
            continue;
        }
        if builder.options.duplicates != Duplicates::Last && dict.contains(&key)? {
            if builder.options.duplicates == Duplicates::First {
                continue;
            }
            let name = key.str()?.to_string_lossy().into_owned();
            let reason = format!("the key {} occurs more than once", brief(&name));
            return Err(outer_mismatch(builder, at, reason).coded(Code::Repeated));
        }
        dict.set_item(key, value)?;
    }
    Ok(())
}

/// Allocates an object and sets its attributes with the generic setter.
fn attributes(builder: &Core<'_>, class: &ClassPlan, base: usize) -> Made {
    let py = builder.attached();
    let object = allocate(class);
    if object.is_null() {
        return Err(builder.raised());
    }
    for (field, &value) in class.fields.iter().zip(builder.stack.from(base)) {
        if value.is_null() {
            continue;
        }
        // SAFETY: a fresh object that nobody else has seen, a live name and value. The plan
        // verified that setting this attribute means the generic setter.
        unsafe {
            let name = field.name.bind(py).as_ptr();
            if ffi::PyObject_GenericSetAttr(object, name, value) != 0 {
                ffi::Py_DECREF(object);
                return Err(builder.raised());
            }
        }
    }
    Ok(object)
}

/// Calls the class with the values from field `first` on.
fn call<'py>(
    builder: &Core<'_>,
    class: &ClassPlan,
    first: usize,
    positional: usize,
    keywords: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keywords.py();
    let values = builder.stack.from(builder.top().slots + first);
    let vectorcall = |values: &[*mut ffi::PyObject], positional, names: &Bound<'py, PyTuple>| {
        let names = if names.is_empty() { ptr::null_mut() } else { names.as_ptr() };
        // SAFETY: the values are live and borrowed for the call; the names are as many as the
        // values behind the positional ones.
        unsafe {
            let class = class.type_ptr().cast();
            let made = ffi::PyObject_Vectorcall(class, values.as_ptr(), positional, names);
            Bound::from_owned_ptr_or_err(py, made)
        }
    };
    if !values.contains(&ptr::null_mut()) {
        return vectorcall(values, positional, keywords);
    }
    // Absent values are left out; the values behind the first are passed by name.
    let by_position = values[..positional].iter().take_while(|value| !value.is_null()).count();
    let mut given = values[..by_position].to_vec();
    let mut names = Vec::with_capacity(values.len() - by_position);
    for (field, &value) in class.fields[first..].iter().zip(values).skip(by_position) {
        if !value.is_null() {
            given.push(value);
            names.push(field.name.bind(py));
        }
    }
    vectorcall(&given, by_position, &PyTuple::new(py, names)?)
}

/// Calls the class without arguments, and sets the attributes as a program would.
fn fill_by_name<'py>(
    builder: &Core<'py>,
    class: &ClassPlan,
    base: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = builder.attached();
    let object = class.class.bind(py).call0()?;
    for (field, &value) in class.fields.iter().zip(builder.stack.from(base)) {
        // SAFETY: the stack owns the reference, or the place is empty.
        if let Some(value) = unsafe { Bound::from_borrowed_ptr_or_opt(py, value) } {
            object.setattr(field.name.bind(py), value)?;
        }
    }
    Ok(object)
}
