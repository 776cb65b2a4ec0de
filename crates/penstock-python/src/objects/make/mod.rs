//! Values to containers: each made in one step, when its last value is there.

mod by_name;
pub(crate) mod fields;
mod parts;
pub(crate) mod raised;
pub(crate) mod ring;
pub(crate) mod shapes;

use self::by_name::{by_name, by_name_at_once, call_post_init};
use self::fields::{fill_all, keep_missing};
use self::raised::own_code_raised;
use super::core::Core;
use super::core::frame::FrameKind;
use super::core::place::brief;
use super::core::refusal::{Mismatch, Refusal};
use crate::cpython::tuples::tuple_of;
use crate::cpython::{Fact, holds};
use crate::objects::core::refusal::Code;
use crate::plan::entries;
use crate::plan::{Build, ClassPlan, Kind, new_dict};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Duplicates;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ptr;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

/// Makes the current list, tuple or set. Its values leave the stack.
#[inline(always)]
pub(crate) fn list(builder: &mut Core<'_>, at: u64) -> Made {
    let base = builder.top().base;
    builder.weigh(base);
    let kind = &builder.plan().nodes[builder.top().node as usize].kind;
    match kind {
        _ if builder.top().spoiled => Err(spoiled(builder, at)),
        _ if builder.plan().packs(builder.top().node) => numbers(builder),
        Kind::Any | Kind::List(_) => new_list(builder, base),
        Kind::Tuple(items) if has_wrong_length(builder, items.len()) => {
            Err(wrong_length(builder, items.len(), at))
        }
        Kind::Tuple(_) | Kind::TupleOf(_) => new_tuple(builder, base),
        _ => new_set(builder, base, at, matches!(kind, Kind::FrozenSet(_))),
    }
}

/// The numbers of the current list, as one value.
#[inline(never)]
fn numbers(builder: &mut Core<'_>) -> Made {
    match builder.stack.pop(builder.attached()) {
        Some(numbers) => Ok(numbers.into_ptr()),
        None => Err(builder.raised()),
    }
}

/// Whether the current tuple does not have the expected length.
fn has_wrong_length(builder: &Core<'_>, expected: usize) -> bool {
    expected != builder.stack.len() - builder.top().base || builder.top().index > 0
}

#[cold]
#[inline(never)]
fn wrong_length(builder: &Core<'_>, expected: usize, at: u64) -> Refusal {
    let count = (builder.stack.len() - builder.top().base) as u64 + builder.top().index;
    let reason = if builder.is_markup() {
        format!("expected {expected} child elements, got {count}")
    } else {
        format!("expected an array of {expected}, got one of {count}")
    };
    outer_mismatch(builder, at, reason).coded(Code::Length)
}

/// Refuses to make the current container, because a value in it does not fit. Keeps the container's
/// own problems too.
#[cold]
#[inline(never)]
pub(crate) fn spoiled(builder: &mut Core<'_>, at: u64) -> Refusal {
    let kept = match builder.top().kind {
        FrameKind::Class | FrameKind::Element => {
            let class = builder.class();
            keep_missing(builder, class, 0, at)
        }
        FrameKind::Row => {
            let class = builder.class();
            let long = row_too_long(builder, class, at).map_or(Ok(()), |it| builder.keep(it));
            long.and_then(|()| keep_missing(builder, class, 0, at))
        }
        _ => match &builder.plan().nodes[builder.top().node as usize].kind {
            Kind::Tuple(items) if has_wrong_length(builder, items.len()) => {
                let refusal = wrong_length(builder, items.len(), at);
                builder.keep(refusal)
            }
            _ => Ok(()),
        },
    };
    kept.err().unwrap_or_else(Refusal::kept)
}

/// The problem of an array for a named tuple, if it has too many items.
fn row_too_long(builder: &Core<'_>, class: &ClassPlan, at: u64) -> Option<Refusal> {
    let (expected, got) = (class.fields.len(), builder.top().index);
    // If the class is called, its code decides for itself.
    let may_be_longer = !matches!(class.build, Build::Tuple) && !class.forbids_unknown;
    if got <= expected as u64 || may_be_longer {
        return None;
    }
    let reason = format!("expected an array of {expected}, got one of {got}");
    Some(outer_mismatch(builder, at, reason).coded(Code::Length))
}

#[inline(always)]
fn new_list(builder: &mut Core<'_>, base: usize) -> Made {
    let values = builder.stack.from(base);
    // SAFETY: a fresh list has as many empty items as asked for; each takes over one reference,
    // which the stack then forgets.
    unsafe {
        let list = ffi::PyList_New(values.len() as ffi::Py_ssize_t);
        if list.is_null() {
            return Err(builder.raised());
        }
        if holds(Fact::Items) && !values.is_empty() {
            let items = (*list.cast::<ffi::PyListObject>()).ob_item;
            ptr::copy_nonoverlapping(values.as_ptr(), items, values.len());
        } else {
            for (index, &value) in values.iter().enumerate() {
                ffi::PyList_SetItem(list, index as ffi::Py_ssize_t, value);
            }
        }
        builder.stack.forget_from(base);
        Ok(list)
    }
}

fn new_tuple(builder: &mut Core<'_>, base: usize) -> Made {
    let values = builder.stack.from(base);
    // SAFETY: as for the list.
    unsafe {
        let tuple = ffi::PyTuple_New(values.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return Err(builder.raised());
        }
        for (index, &value) in values.iter().enumerate() {
            ffi::PyTuple_SetItem(tuple, index as ffi::Py_ssize_t, value);
        }
        builder.stack.forget_from(base);
        Ok(tuple)
    }
}

fn new_set(builder: &mut Core<'_>, base: usize, at: u64, frozen: bool) -> Made {
    let py = builder.attached();
    // SAFETY: a new set, made from nothing; null is checked.
    let set = unsafe {
        let empty = if frozen {
            ffi::PyFrozenSet_New(ptr::null_mut())
        } else {
            ffi::PySet_New(ptr::null_mut())
        };
        Bound::from_owned_ptr_or_err(py, empty)?
    };
    for place in base..builder.stack.len() {
        // SAFETY: a set nobody else has seen, and a value that the stack owns. Hashing may run the
        // value's own code, which cannot reach either.
        if unsafe { ffi::PySet_Add(set.as_ptr(), builder.stack.get(place)) } != 0 {
            return Err(own_code_raised(builder, PyErr::fetch(py), at));
        }
    }
    builder.stack.release_from(py, base);
    Ok(set.into_ptr())
}

/// Makes the current dict from the keys and values that alternate on the stack.
#[inline(always)]
pub(crate) fn dict(builder: &mut Core<'_>, at: u64) -> Made {
    if builder.top().spoiled {
        return Err(Refusal::kept());
    }
    let base = builder.top().base;
    builder.weigh(base);
    let count = (builder.stack.len() - base) / 2;
    let is_simple = builder.options.duplicates == Duplicates::Last && has_plain_keys(builder);
    if is_simple {
        let (py, pairs) = (builder.attached(), builder.stack.from(base).as_chunks().0);
        if let Some(dict) = builder.shapes.make(py, pairs)? {
            if dict.is_null() {
                return Err(builder.raised());
            }
            for [key, _] in pairs {
                // SAFETY: the stack owns the key, and the dict has a reference of its own.
                unsafe { ffi::Py_DECREF(*key) };
            }
            builder.stack.forget_from(base);
            return Ok(dict);
        }
    }
    let dict = new_dict(count);
    if dict.is_null() {
        return Err(builder.raised());
    }
    if !is_simple {
        // SAFETY: the new reference is handed over.
        return careful_dict(
            builder,
            unsafe { Bound::from_owned_ptr(builder.attached(), dict) },
            at,
        );
    }
    for (index, pair) in builder.stack.from(base).chunks_exact(2).enumerate() {
        // SAFETY: a dict nobody else has seen; the keys are `str` or `int`, whose hashing and
        // comparing run no other code; both references are owned by the stack and released once
        // the dict has its own.
        unsafe {
            if ffi::PyDict_SetItem(dict, pair[0], pair[1]) != 0 {
                let failed = builder.raised();
                ffi::Py_DECREF(dict);
                // The pairs before this one were released as they went in.
                builder.stack.forget_some(base, 2 * index);
                return Err(failed);
            }
            ffi::Py_DECREF(pair[0]);
            ffi::Py_DECREF(pair[1]);
        }
    }
    builder.stack.forget_from(base);
    // SAFETY: a dict that was just made.
    if unsafe { ffi::PyDict_Size(dict) } < count as ffi::Py_ssize_t {
        return fitted(builder, dict, count);
    }
    Ok(dict)
}

/// A dict with fewer keys than it has room for, because some were repeated: moved to a smaller one
/// if it is less than half full. Takes over the reference.
#[cold]
#[inline(never)]
fn fitted(builder: &Core<'_>, dict: *mut ffi::PyObject, room: usize) -> Made {
    // SAFETY: dicts that nobody else has seen. An update of an empty dict compares no keys, because
    // those of a dict differ from each other, so it runs no other code.
    unsafe {
        if ffi::PyDict_Size(dict) as usize >= room / 2 {
            return Ok(dict);
        }
        let small = ffi::PyDict_New();
        if small.is_null() || ffi::PyDict_Update(small, dict) != 0 {
            let failed = builder.raised();
            ffi::Py_XDECREF(small);
            ffi::Py_DECREF(dict);
            return Err(failed);
        }
        ffi::Py_DECREF(dict);
        Ok(small)
    }
}

/// Whether all keys of the current dict are plain strings or integers.
#[inline(always)]
fn has_plain_keys(builder: &Core<'_>) -> bool {
    let nodes = &builder.plan().nodes;
    match nodes[builder.top().node as usize].kind {
        Kind::Dict(keys, _) => {
            let keys = &nodes[keys as usize];
            matches!(keys.kind, Kind::Str | Kind::Any | Kind::Int) && keys.after.is_none()
        }
        _ => true,
    }
}

/// Makes a dict whose keys may be any objects, or whose duplicates do not simply replace each
/// other.
#[inline(never)]
fn careful_dict(builder: &mut Core<'_>, dict: Bound<'_, PyAny>, at: u64) -> Made {
    let base = builder.top().base;
    let count = (builder.stack.len() - base) / 2;
    let py = builder.attached();
    for index in 0..count {
        let place = base + 2 * index;
        // SAFETY: the stack owns both; places of finished pairs are never empty.
        let (key, value) = unsafe {
            (
                Bound::from_borrowed_ptr(py, builder.stack.get(place)),
                Bound::from_borrowed_ptr(py, builder.stack.get(place + 1)),
            )
        };
        let known = builder.options.duplicates != Duplicates::Last && {
            let known = dict.contains(&key);
            known.map_err(|error| own_code_raised(builder, error, at))?
        };
        if known {
            if builder.options.duplicates == Duplicates::First {
                continue;
            }
            // Two texts may convert to equal keys; two equal texts were refused before.
            let name = key.str()?.to_string_lossy().into_owned();
            let reason = format!("the key {} occurs more than once", brief(&name));
            let mut refusal = outer_mismatch(builder, at, reason).coded(Code::Repeated);
            if let Some(mismatch) = refusal.mismatch() {
                mismatch.path.push(PathStep::Key(name));
            }
            return Err(refusal);
        }
        dict.set_item(key, value).map_err(|error| own_code_raised(builder, error, at))?;
    }
    if builder.options.duplicates == Duplicates::Error {
        builder.seen_keys.pop();
    }
    builder.stack.release_from(py, base);
    fitted(builder, dict.into_ptr(), count)
}

/// Makes the current object. Its values leave the stack.
#[inline(always)]
pub(crate) fn object(builder: &mut Core<'_>, at: u64) -> Made {
    let class = builder.class();
    if builder.top().spoiled {
        return Err(spoiled(builder, at));
    }
    builder.weigh_values(class.fields.len());
    if builder.top().kind == FrameKind::Row
        && builder.top().index > class.fields.len() as u64
        && let Some(refusal) = row_too_long(builder, class, at)
    {
        return Err(refusal);
    }
    let base = builder.top().slots;
    match &class.build {
        Build::Tuple if is_full_row(builder, class) => named_tuple(builder, class, base),
        Build::Slots { offsets, post_init, recyclable } => {
            fill_absent(builder, class, base, at)?;
            let recycle = *recyclable && builder.options.recycle && builder.frames.len() == 2;
            let object = slots(builder, class, offsets, recycle, base)?;
            match post_init {
                None => Ok(object),
                Some(name) => call_post_init(builder, object, name, at),
            }
        }
        Build::Struct { first, offsets, bare } => {
            fill_absent(builder, class, base, at)?;
            structure(builder, class, *first, offsets, *bare, base)
        }
        build => by_name(builder, class, build, at),
    }
}

/// Makes an object whose class [is made at once](crate::plan::Lent::is_whole), of the values on the stack from a place on:
/// all fields have theirs. Its values leave the stack.
#[inline(always)]
pub(crate) fn object_at_once(builder: &mut Core<'_>, class: &ClassPlan, base: usize) -> Made {
    builder.weigh_values(class.fields.len());
    match &class.build {
        Build::Slots { offsets, recyclable, .. } => {
            let recycle = *recyclable && builder.options.recycle && builder.frames.len() == 1;
            slots(builder, class, offsets, recycle, base)
        }
        Build::Struct { first, offsets, bare } => {
            structure(builder, class, *first, offsets, *bare, base)
        }
        build => by_name_at_once(builder, class, build, base),
    }
}

/// Fills the places of fields that have no value.
#[inline(always)]
fn fill_absent(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    base: usize,
    at: u64,
) -> Result<(), Refusal> {
    match class.gathers || builder.stack.from(base).contains(&ptr::null_mut()) {
        true => fill_all(builder, class, at),
        false => Ok(()),
    }
}

/// Refuses to make an array whose class is not known: its first item, which gives the class, is not
/// there or does not fit.
#[cold]
#[inline(never)]
pub(crate) fn empty_row(builder: &Core<'_>, at: u64) -> Made {
    if builder.top().spoiled {
        return Err(Refusal::kept());
    }
    let name = &builder.plan().nodes[builder.top().node as usize].name;
    Err(outer_mismatch(builder, at, format!("expected {name}, got an empty array"))
        .coded(Code::Union))
}

/// Whether an array has given each field of the current named tuple its value.
#[inline(always)]
fn is_full_row(builder: &Core<'_>, class: &ClassPlan) -> bool {
    let top = builder.top();
    top.kind == FrameKind::Row && top.index == class.fields.len() as u64 && !class.gathers
}

/// Allocates an object and writes its slots.
#[inline(always)]
fn slots(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    offsets: &[usize],
    recycle: bool,
    base: usize,
) -> Made {
    let object =
        if recycle { builder.ring.next(builder.attached(), class) } else { allocate(class) };
    if object.is_null() {
        return Err(builder.raised());
    }
    let values = builder.stack.from(base);
    for (&offset, &value) in offsets.iter().zip(values) {
        // SAFETY: the plan verified that instances of this class have the slot of this field at
        // this offset. A fresh object's slots are null, and the ring empties those of a used one.
        // The slot takes over the stack's reference, which may be null for a field that stays
        // unset.
        unsafe { *object.cast::<u8>().add(offset).cast::<*mut ffi::PyObject>() = value };
    }
    builder.stack.forget_from(base);
    Ok(object)
}

/// A new, empty instance, by the class's own allocator. Null with an exception set if there is no
/// memory.
#[inline(always)]
fn allocate(class: &ClassPlan) -> *mut ffi::PyObject {
    let class = class.type_ptr();
    // SAFETY: the plan verified that the class is allocated by the generic allocator and that an
    // instance needs nothing else.
    unsafe { ffi::PyType_GenericAlloc(class, 0) }
}

/// Allocates a Struct of msgspec and writes its slots.
#[inline(never)]
fn structure(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    first: usize,
    offsets: &[usize],
    bare: bool,
    base: usize,
) -> Made {
    let object = match bare {
        // SAFETY: the class is allocated by the generic allocator, which does this, empties the
        // slots, all of which are written below, and shows the object to the collector.
        true => unsafe { ffi::PyObject_GC_New(class.type_ptr()) },
        false => allocate(class),
    };
    if object.is_null() {
        return Err(builder.raised());
    }
    let (looked_at, values) = builder.stack.from(base).split_at(first);
    let mut has_parts = false;
    for (&offset, &value) in offsets.iter().zip(values) {
        // SAFETY: as in `slots`. None of the values is null: a Struct has no field that stays unset.
        unsafe {
            *object.cast::<u8>().add(offset).cast::<*mut ffi::PyObject>() = value;
            has_parts |= is_container(value);
        }
    }
    for &value in looked_at {
        // SAFETY: the stack owned it, or the place is empty. It is a text or a number, whose
        // destructor runs no code.
        unsafe { ffi::Py_XDECREF(value) };
    }
    builder.stack.forget_from(base);
    // SAFETY: a live object. msgspec itself does not show the collector a Struct without
    // containers, and tracks it when one is assigned to it.
    unsafe {
        match bare {
            true if has_parts => ffi::PyObject_GC_Track(object.cast()),
            false if !has_parts && ffi::PyObject_GC_IsTracked(object) != 0 => {
                ffi::PyObject_GC_UnTrack(object.cast());
            }
            _ => {}
        }
    }
    Ok(object)
}

/// Puts values, which the dict takes over, where a copied dict has None.
///
/// # Safety
///
/// `entries` may be called for the dict and the offset, and there are no more values than entries.
#[inline(always)]
unsafe fn fill_entries(
    dict: *mut ffi::PyObject,
    offset: usize,
    values: impl Iterator<Item = *mut ffi::PyObject>,
) {
    // SAFETY: by the contract. The places hold references to None, of which there are always more.
    unsafe {
        let entries = entries(dict, offset);
        let mut has_parts = false;
        for (index, value) in values.enumerate() {
            let place = &raw mut (*entries.add(index))[1];
            ffi::Py_DECREF(place.replace(value));
            has_parts |= is_container(value);
        }
        // The collector does not visit a dict that holds nothing it could reach.
        if has_parts && ffi::PyObject_GC_IsTracked(dict) == 0 {
            ffi::PyObject_GC_Track(dict.cast());
        }
    }
}

/// Whether an object is of a type whose objects the collector visits.
///
/// # Safety
///
/// It is alive.
#[inline(always)]
unsafe fn is_container(object: *mut ffi::PyObject) -> bool {
    // SAFETY: by the contract.
    unsafe { ffi::PyType_HasFeature(ffi::Py_TYPE(object), ffi::Py_TPFLAGS_HAVE_GC) != 0 }
}

/// The mismatch of the current container as a whole.
#[cold]
#[inline(never)]
fn outer_mismatch(builder: &Core<'_>, at: u64, reason: String) -> Refusal {
    Mismatch::new(at, reason, builder.path(false)).into()
}

fn named_tuple(builder: &mut Core<'_>, class: &ClassPlan, base: usize) -> Made {
    let values = builder.stack.from(base);
    // SAFETY: the plan verified that the class is a tuple with the generic allocator and
    // constructor; the fresh tuple takes over the stack's references.
    unsafe {
        let tuple = tuple_of(class.type_ptr(), values);
        if tuple.is_null() {
            return Err(builder.raised());
        }
        builder.stack.forget_from(base);
        Ok(tuple)
    }
}
