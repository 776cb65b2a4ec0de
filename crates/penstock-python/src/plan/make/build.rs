//! Finds where the fields of an object are stored: in slots, in attributes, or out of reach.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::entries::Pattern;
use super::type_objects;
use crate::plan::Build;

/// Why a class must be called: a clause that names it.
pub(in crate::plan) type Reason = String;

/// How to give field values to a new object of `class` without calling it, if a call would do no
/// more than set these attributes in this order.
///
/// The caller has checked `__init__`. This checks the rest: whether creating the object is plain,
/// and where each attribute would be stored.
pub(in crate::plan) fn storage(
    class: &Bound<'_, PyType>,
    names: &[Bound<'_, PyString>],
    post_init: Option<&Bound<'_, PyString>>,
) -> PyResult<Result<Build, Reason>> {
    if let Some(reason) = own_creation(class)? {
        return Ok(Err(reason));
    }
    let mut offsets = Vec::with_capacity(names.len());
    for name in names {
        let found = type_objects::attribute(class, name);
        match &found {
            Some(found) if let Some(offset) = type_objects::slot_offset(class, found) => {
                offsets.push(offset);
            }
            Some(found) if type_objects::is_data_descriptor(found) => {
                let kind = found.get_type().name()?;
                return Ok(Err(format!("{} has a {kind} for '{name}'", class.name()?)));
            }
            _ if type_objects::has_dict(class) => {}
            _ => return Ok(Err(format!("{} has no place for '{name}'", class.name()?))),
        }
    }
    // A finalizer would run on the probe object for the offsets.
    let finalizer = type_objects::has_finalizer(class);
    if offsets.len() < names.len()
        || finalizer
        || !type_objects::offsets_hold(class, names, &offsets)?
    {
        return Ok(Ok(Build::Attributes {
            post_init: post_init.map(|name| name.clone().unbind()),
        }));
    }
    let only_slots =
        !type_objects::has_dict(class) && type_objects::slot_count(class) == offsets.len();
    let recyclable = only_slots && post_init.is_none();
    let post_init = post_init.map(|name| name.clone().unbind());
    Ok(Ok(Build::Slots { offsets: offsets.into(), post_init, recyclable }))
}

/// Why creating an object takes more than memory and `__init__`, if it does.
pub(in crate::plan) fn own_creation(class: &Bound<'_, PyType>) -> PyResult<Option<Reason>> {
    let name = class.name()?;
    if !type_objects::is_called_by_type(class) {
        let metaclass = class.get_type();
        return Ok(Some(format!("{name}'s metaclass {} has its own __call__", metaclass.name()?)));
    }
    if !type_objects::has_plain_new(class) {
        return Ok(Some(format!("{name} has its own __new__")));
    }
    let plain = type_objects::has_plain_alloc(class);
    Ok((!plain).then(|| format!("{name} has its own allocator")))
}

/// The byte offsets of the slots of these names, if a new object of `class` is memory with these
/// slots filled and nothing else.
pub(crate) fn slots(
    class: &Bound<'_, PyType>,
    names: &[Bound<'_, PyString>],
) -> PyResult<Option<Box<[usize]>>> {
    let built = storage(class, names, None)?;
    Ok(match built {
        Ok(Build::Slots { offsets, recyclable: true, .. }) => Some(offsets),
        _ => None,
    })
}

/// How to make an object of a msgspec class without calling it, if that is memory with the slots of
/// these names filled and nothing else.
///
/// The caller has checked that msgspec's own function handles the call, and does no more than this
/// and calling `__post_init__`.
pub(in crate::plan) fn structure(
    class: &Bound<'_, PyType>,
    names: &[Bound<'_, PyString>],
    first: usize,
) -> PyResult<Option<Build>> {
    let py = class.py();
    let is_more = type_objects::attribute(class, intern!(py, "__post_init__")).is_some()
        || type_objects::has_finalizer(class)
        || !type_objects::has_plain_alloc(class);
    if is_more {
        return Ok(None);
    }
    let offset = |name| type_objects::slot_offset(class, &type_objects::attribute(class, name)?);
    let Some(offsets) = names.iter().map(offset).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    if !type_objects::offsets_hold(class, names, &offsets)? {
        return Ok(None);
    }
    let only_slots =
        !type_objects::has_dict(class) && type_objects::has_room_for(class, offsets.len());
    let bare = only_slots && type_objects::is_collected(class);
    Ok(Some(Build::Struct { first, offsets: offsets.into(), bare }))
}

/// A dict with these keys, made as a copy of one that has them all.
pub(in crate::plan) fn dict<'a, 'py: 'a>(
    py: Python<'py>,
    names: impl Iterator<Item = &'a Bound<'py, PyString>>,
) -> PyResult<Build> {
    let names: Vec<_> = names.cloned().collect();
    Ok(Build::Dict(Pattern::new(py, &names)?))
}
