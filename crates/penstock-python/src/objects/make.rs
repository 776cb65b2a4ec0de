//! Values to containers: each made in one step, when its last value is there.

use super::builder::{Builder, Duplicates};
use super::frame::FrameKind;
use super::place::brief;
use super::refusal::{Mismatch, PathStep, Refusal};
use crate::failure::answer;
use crate::plan::{Absent, Build, ClassPlan, Field, Kind, NodeId, Target, element, entries};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};
use std::ptr;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

unsafe extern "C" {
    fn _PyDict_NewPresized(size: ffi::Py_ssize_t) -> *mut ffi::PyObject;
}

/// The list, tuple or set at hand. Its values leave the stack.
#[inline(always)]
pub(super) fn list(builder: &mut Builder, at: u64) -> Made {
    let base = builder.top().base;
    let kind = &builder.plan().nodes[builder.top().node as usize].kind;
    match kind {
        _ if builder.top().spoiled => Err(spoiled(builder, at)),
        Kind::Any | Kind::List(_) => new_list(builder, base),
        Kind::Tuple(items) if has_wrong_length(builder, items.len()) => {
            Err(wrong_length(builder, items.len(), at))
        }
        Kind::Tuple(_) | Kind::TupleOf(_) => new_tuple(builder, base),
        _ => new_set(builder, base, at, matches!(kind, Kind::FrozenSet(_))),
    }
}

/// Whether the tuple at hand has another length than it must have.
fn has_wrong_length(builder: &Builder, expected: usize) -> bool {
    expected != builder.stack.len() - builder.top().base || builder.top().index > 0
}

#[cold]
#[inline(never)]
fn wrong_length(builder: &Builder, expected: usize, at: u64) -> Refusal {
    let count = (builder.stack.len() - builder.top().base) as u64 + builder.top().index;
    let reason = if builder.is_markup() {
        format!("expected {expected} child elements, got {count}")
    } else {
        format!("expected an array of {expected}, got one of {count}")
    };
    outer_mismatch(builder, at, reason)
}

/// The container at hand is not made, because something in it does not fit. What else is wrong
/// with it is kept.
#[cold]
#[inline(never)]
pub(super) fn spoiled(builder: &mut Builder, at: u64) -> Refusal {
    if builder.is_lost() {
        return Refusal::kept();
    }
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

/// Keeps a problem for each required field without a value, from one on.
#[cold]
#[inline(never)]
fn keep_missing(
    builder: &mut Builder,
    class: &ClassPlan,
    from: usize,
    at: u64,
) -> Result<(), Refusal> {
    for (index, field) in class.fields.iter().enumerate().skip(from) {
        let lacks = builder.stack.get(builder.top().slots + index).is_null()
            && matches!(field.absent, Absent::Error)
            && !(field.gathers && nothing_gathered(builder, field)?.is_some());
        if lacks {
            let refusal = missing(builder, class, field, at);
            builder.keep(refusal)?;
        }
    }
    Ok(())
}

/// What is wrong with an array for a named tuple if it has too many items.
fn row_too_long(builder: &Builder, class: &ClassPlan, at: u64) -> Option<Refusal> {
    let (expected, got) = (class.fields.len(), builder.top().index);
    // Whoever calls its class decides for itself.
    let may_be_longer = !matches!(class.build, Build::Tuple) && !class.forbids_unknown;
    if got <= expected as u64 || may_be_longer {
        return None;
    }
    let reason = format!("expected an array of {expected}, got one of {got}");
    Some(outer_mismatch(builder, at, reason))
}

#[inline(always)]
fn new_list(builder: &mut Builder, base: usize) -> Made {
    let values = builder.stack.from(base);
    // SAFETY: a fresh list has as many empty items as asked for; each takes over one reference,
    // which the stack then forgets.
    unsafe {
        let list = ffi::PyList_New(values.len() as ffi::Py_ssize_t);
        if list.is_null() {
            return Err(builder.raised());
        }
        if !values.is_empty() {
            let items = (*list.cast::<ffi::PyListObject>()).ob_item;
            ptr::copy_nonoverlapping(values.as_ptr(), items, values.len());
        }
        builder.stack.forget_from(base);
        Ok(list)
    }
}

fn new_tuple(builder: &mut Builder, base: usize) -> Made {
    let values = builder.stack.from(base);
    // SAFETY: as for the list.
    unsafe {
        let tuple = ffi::PyTuple_New(values.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return Err(builder.raised());
        }
        for (index, &value) in values.iter().enumerate() {
            ffi::PyTuple_SET_ITEM(tuple, index as ffi::Py_ssize_t, value);
        }
        builder.stack.forget_from(base);
        Ok(tuple)
    }
}

fn new_set(builder: &mut Builder, base: usize, at: u64, frozen: bool) -> Made {
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
        // SAFETY: a set nobody else has seen, and a value that the stack owns. Hashing may run
        // the value's own code, which cannot reach either.
        if unsafe { ffi::PySet_Add(set.as_ptr(), builder.stack.get(place)) } != 0 {
            return Err(own_code_raised(builder, PyErr::fetch(py), at));
        }
    }
    builder.stack.release_from(py, base);
    Ok(set.into_ptr())
}

/// The dict at hand, from the keys and values that alternate on the stack.
#[inline(always)]
pub(super) fn dict(builder: &mut Builder, at: u64) -> Made {
    if builder.top().spoiled {
        return Err(Refusal::kept());
    }
    let base = builder.top().base;
    let count = (builder.stack.len() - base) / 2;
    let simple = builder.options.duplicates == Duplicates::Last;
    let dict = new_dict(count);
    if dict.is_null() {
        return Err(builder.raised());
    }
    if !simple || !has_plain_keys(builder) {
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
    Ok(dict)
}

/// Whether all keys of the dict at hand are plain strings or integers.
#[inline(always)]
fn has_plain_keys(builder: &Builder) -> bool {
    let nodes = &builder.plan().nodes;
    match nodes[builder.top().node as usize].kind {
        Kind::Dict(keys, _) => {
            let keys = &nodes[keys as usize];
            matches!(keys.kind, Kind::Str | Kind::Any | Kind::Int) && keys.after.is_none()
        }
        _ => true,
    }
}

/// A dict whose keys may be any objects, or whose duplicates are not simply overwritten.
#[inline(never)]
fn careful_dict(builder: &mut Builder, dict: Bound<'_, PyAny>, at: u64) -> Made {
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
            // Two texts may stand for one object; two of the same text were refused before.
            let name = key.str()?.to_string_lossy().into_owned();
            let reason = format!("the key {} occurs more than once", brief(&name));
            let mut refusal = outer_mismatch(builder, at, reason);
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
    Ok(dict.into_ptr())
}

/// The object at hand. Its values leave the stack.
#[inline(always)]
pub(super) fn object(builder: &mut Builder, at: u64) -> Made {
    let class = builder.class();
    if builder.top().spoiled {
        return Err(spoiled(builder, at));
    }
    if builder.top().kind == FrameKind::Row
        && builder.top().index > class.fields.len() as u64
        && let Some(refusal) = row_too_long(builder, class, at)
    {
        return Err(refusal);
    }
    match &class.build {
        Build::Tuple if is_full_row(builder, class) => {
            named_tuple(builder, class, builder.top().slots)
        }
        Build::Slots { offsets, post_init, recyclable } => {
            let recycle = *recyclable && builder.options.recycle && builder.frames.len() == 2;
            slots(builder, class, offsets, post_init.as_ref(), recycle, at)
        }
        Build::Struct { first, offsets, bare } => {
            structure(builder, class, *first, offsets, *bare, at)
        }
        build => by_name(builder, class, build, at),
    }
}

/// Whether each field of the named tuple at hand has its value, from an array.
#[inline(always)]
fn is_full_row(builder: &Builder, class: &ClassPlan) -> bool {
    let top = builder.top();
    top.kind == FrameKind::Row && top.index == class.fields.len() as u64 && !class.gathers
}

/// Allocates an object and writes its slots.
#[inline(always)]
fn slots(
    builder: &mut Builder,
    class: &ClassPlan,
    offsets: &[usize],
    post_init: Option<&Py<PyString>>,
    recycle: bool,
    at: u64,
) -> Made {
    let base = builder.top().slots;
    if class.gathers || builder.stack.from(base).contains(&ptr::null_mut()) {
        fill_all(builder, class, at)?;
    }
    let object =
        if recycle { builder.ring.next(builder.attached(), class) } else { allocate(class) };
    if object.is_null() {
        return Err(builder.raised());
    }
    let values = builder.stack.from(base);
    for (&offset, &value) in offsets.iter().zip(values) {
        // SAFETY: the plan verified that at this offset of instances of this class stands the
        // slot of this field. A fresh object's slots are null and the ring empties those of a
        // used one; the slot takes over the stack's reference, which may be null for a field
        // that stays unset.
        unsafe { *object.cast::<u8>().add(offset).cast::<*mut ffi::PyObject>() = value };
    }
    builder.stack.forget_from(base);
    match post_init {
        None => Ok(object),
        Some(name) => call_post_init(builder, object, name, at),
    }
}

/// A new, empty instance, by the class's own allocator. Null with an exception set if there is no
/// memory.
#[inline(always)]
fn allocate(class: &ClassPlan) -> *mut ffi::PyObject {
    let class = class.type_ptr();
    // SAFETY: the plan verified that the class is allocated by the generic allocator and that
    // nothing else belongs to making an instance.
    unsafe { ffi::PyType_GenericAlloc(class, 0) }
}

/// Allocates a Struct of msgspec and writes its slots.
#[inline(never)]
fn structure(
    builder: &mut Builder,
    class: &ClassPlan,
    first: usize,
    offsets: &[usize],
    bare: bool,
    at: u64,
) -> Made {
    let base = builder.top().slots;
    if class.gathers || builder.stack.from(base).contains(&ptr::null_mut()) {
        fill_all(builder, class, at)?;
    }
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
    // SAFETY: a live object. msgspec itself leaves a Struct without containers out of what the
    // collector looks at, and adds it when one is assigned to it.
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

/// Whether an object is of a type whose objects the collector looks at.
///
/// # Safety
///
/// It is alive.
#[inline(always)]
unsafe fn is_container(object: *mut ffi::PyObject) -> bool {
    // SAFETY: by the contract.
    unsafe { ffi::PyType_HasFeature(ffi::Py_TYPE(object), ffi::Py_TPFLAGS_HAVE_GC) != 0 }
}

/// Fills the places of all fields that have no value, and finishes those that were gathered.
#[inline(never)]
fn fill_all(builder: &mut Builder, class: &ClassPlan, at: u64) -> Result<(), Refusal> {
    for (index, field) in class.fields.iter().enumerate() {
        if (builder.stack.get(builder.top().slots + index).is_null() || field.gathers)
            && let Err(refusal) = fill(builder, class, field, index, at)
        {
            builder.keep(refusal)?;
            keep_missing(builder, class, index + 1, at)?;
            return Err(Refusal::kept());
        }
    }
    Ok(())
}

/// Fills the place of a field that has no value, and finishes one that was gathered.
fn fill(
    builder: &mut Builder,
    class: &ClassPlan,
    field: &Field,
    index: usize,
    at: u64,
) -> Result<(), Refusal> {
    let py = builder.attached();
    let place = builder.top().slots + index;
    let there = builder.stack.get(place);
    let value = if !there.is_null() {
        // SAFETY: gathered collections are lists, made by `gather`; the stack owns it.
        let gathered = unsafe { Bound::from_borrowed_ptr(py, there) };
        let finishes = gathers_items(builder, field)
            && builder.plan().nodes[field.node as usize].after.is_some();
        match collected(builder, field.node, gathered.clone(), at)? {
            Some(other) => finished(builder, field, finishes, other, at)?,
            None if finishes => finished(builder, field, finishes, gathered, at)?,
            None => return Ok(()),
        }
    } else {
        match &field.absent {
            Absent::Value(value) => value.bind(py).clone(),
            Absent::Factory(factory) => match factory.bind(py).call0() {
                Ok(value) => value,
                Err(error) => return Err(own_code_raised(builder, error, at)),
            },
            Absent::Unset => return Ok(()),
            Absent::Error if field.gathers => match nothing_gathered(builder, field)? {
                Some(value) => finished(builder, field, true, value, at)?,
                None => return Err(missing(builder, class, field, at)),
            },
            Absent::Error => return Err(missing(builder, class, field, at)),
        }
    };
    let old = builder.stack.replace(place, value.into_ptr());
    // SAFETY: the stack gave its reference to us.
    unsafe { drop(Bound::from_owned_ptr_or_opt(py, old)) };
    Ok(())
}

/// Whether what a field gathers are the items of its value, and not the value itself.
fn gathers_items(builder: &Builder, field: &Field) -> bool {
    let items = || element(&builder.plan().nodes, field.node).is_some();
    field.gathers && (field.keyed.is_some() || items())
}

/// A collection that was gathered, with what is to be done with it.
fn finished<'py>(
    builder: &Builder,
    field: &Field,
    finishes: bool,
    value: Bound<'py, PyAny>,
    at: u64,
) -> Result<Bound<'py, PyAny>, Refusal> {
    if !finishes {
        return Ok(value);
    }
    let py = value.py();
    let mut made = builder.finish(field.node, value.into_ptr(), at);
    if let Some(mismatch) = made.as_mut().err().and_then(Refusal::mismatch) {
        mismatch.path = builder.path(false);
        mismatch.path.push(PathStep::Key(field.key.to_string()));
    }
    // SAFETY: the reference is handed over to us.
    Ok(unsafe { Bound::from_owned_ptr(py, made?) })
}

/// A list as the collection that a node asks for, if that is another one.
pub(super) fn collected<'py>(
    builder: &Builder,
    node: NodeId,
    list: Bound<'py, PyAny>,
    at: u64,
) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
    let py = list.py();
    let class = match &builder.plan().nodes[node as usize].kind {
        Kind::Set(_) => py.get_type::<pyo3::types::PySet>(),
        Kind::FrozenSet(_) => py.get_type::<pyo3::types::PyFrozenSet>(),
        Kind::TupleOf(_) => py.get_type::<PyTuple>(),
        _ => return Ok(None),
    };
    // Sets hash their elements, which may be the elements' own code.
    let other = class.call1((list,));
    other.map(Some).map_err(|error| own_code_raised(builder, error, at))
}

/// What a field has gathered when nothing matched: an empty collection, if it is one.
fn nothing_gathered<'py>(
    builder: &Builder,
    field: &Field,
) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
    let py = builder.attached();
    Ok(Some(match &builder.plan().nodes[field.node as usize].kind {
        Kind::List(_) => PyList::empty(py).into_any(),
        Kind::Set(_) => pyo3::types::PySet::empty(py)?.into_any(),
        Kind::FrozenSet(_) => pyo3::types::PyFrozenSet::empty(py)?.into_any(),
        Kind::TupleOf(_) => PyTuple::empty(py).into_any(),
        Kind::Dict(..) if field.keyed.is_some() => PyDict::new(py).into_any(),
        _ => return Ok(None),
    }))
}

/// A required field without a value.
#[cold]
#[inline(never)]
fn missing(builder: &Builder, class: &ClassPlan, field: &Field, at: u64) -> Refusal {
    let reason = if builder.top().kind == FrameKind::Row {
        format!("{} lacks an item for the field {:?}", class.name, field.key)
    } else if builder.is_markup() {
        format!("{} lacks the required {}", class.name, markup_place(class, field))
    } else {
        // The keys of a choice are told apart by a word.
        let keys = field.key.escape_debug().to_string().replace(" or ", "\" or \"");
        format!("{} lacks the required key \"{keys}\"", class.name)
    };
    outer_mismatch(builder, at, reason)
}

/// Where markup has the value of a field, in words.
fn markup_place(class: &ClassPlan, field: &Field) -> String {
    let leads = |target: &Target| match target {
        Target::Field(aim) => {
            ptr::eq(&class.fields[class.aims[*aim as usize].field as usize], field)
        }
        Target::State(_) => false,
    };
    let element = class.states.iter().any(|state| {
        let edges = state.elements.edges.iter().map(|edge| &edge.to);
        edges.chain(&state.other).any(leads)
    });
    let attribute = class.states.iter().flat_map(|state| &state.attributes.edges);
    let place = match (element, attribute.map(|edge| &edge.to).any(leads)) {
        (true, true) => "element or attribute",
        (true, false) => "element",
        (false, true) => "attribute",
        (false, false) => "text",
    };
    // The paths of a choice are told apart by a word.
    format!("{place} '{}'", field.key.replace(" or ", "' or '"))
}

/// A mismatch of the container at hand as a whole.
#[cold]
#[inline(never)]
fn outer_mismatch(builder: &Builder, at: u64, reason: String) -> Refusal {
    Mismatch::new(at, reason, builder.path(false)).into()
}

/// The class's own code raised. What it says of its values makes the record unfit; anything else
/// is the program's own affair and goes through as it is.
#[cold]
#[inline(never)]
pub(super) fn own_code_raised(builder: &Builder, error: PyErr, at: u64) -> Refusal {
    raised_by(builder, error, at, false)
}

/// Code of the user's raised: of the value that comes if `inside`, else of the container at hand.
#[cold]
#[inline(never)]
pub(super) fn raised_by(builder: &Builder, error: PyErr, at: u64, inside: bool) -> Refusal {
    let py = builder.attached();
    let of_values = error.is_instance_of::<pyo3::exceptions::PyValueError>(py)
        || error.is_instance_of::<pyo3::exceptions::PyTypeError>(py);
    if !of_values {
        return error.into();
    }
    let (steps, reason) = match said(py, &error) {
        Ok(said) => said,
        Err(instead) => return instead.into(),
    };
    let mut refusal = outer_mismatch(builder, at, reason);
    if let Some(mismatch) = refusal.mismatch() {
        mismatch.cause = Some(error);
        if inside {
            mismatch.path = builder.path(true);
        }
        mismatch.path.extend(steps);
    }
    refusal
}

/// What an exception of the user's code says, and the way from its value to what it speaks of.
fn said(py: Python<'_>, error: &PyErr) -> PyResult<(Vec<PathStep>, String)> {
    if crate::plan::is_of_pydantic(error.value(py))
        && let Some(said) = answer(py, of_pydantic(py, error))?
    {
        return Ok(said);
    }
    let name = error.get_type(py).name()?.to_string();
    let reason = match answer(py, error.value(py).str())? {
        Some(said) if said.is_empty()? => name,
        Some(said) => format!("{name}: {}", said.to_string_lossy()),
        None => format!("{name}: <unprintable {name} object>"),
    };
    Ok((Vec::new(), reason))
}

/// What an exception of pydantic's says of its first problem, in a line, and where that is.
fn of_pydantic(py: Python<'_>, error: &PyErr) -> PyResult<(Vec<PathStep>, String)> {
    let plain = PyDict::new(py);
    for left_out in ["include_url", "include_context", "include_input"] {
        plain.set_item(left_out, false)?;
    }
    let problems = error.value(py).call_method("errors", (), Some(&plain))?;
    let problems = problems.cast_into::<PyList>()?;
    let first = problems.get_item(0)?;
    let mut reason: String = first.get_item("msg")?.extract()?;
    match problems.len() - 1 {
        0 => {}
        1 => reason.push_str(" (and 1 more problem)"),
        more => reason.push_str(&format!(" (and {more} more problems)")),
    }
    let mut steps = Vec::new();
    for step in first.get_item("loc")?.try_iter()? {
        let step = step?;
        steps.push(match step.cast::<PyInt>() {
            Ok(index) => PathStep::Index(index.extract()?),
            Err(_) => PathStep::Key(step.str()?.to_string_lossy().into_owned()),
        });
    }
    Ok((steps, reason))
}

/// Calls a method of a new object. Takes the reference and gives it back.
#[inline(never)]
fn call_post_init(
    builder: &Builder,
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

/// All the ways of making an object that go by the names of its fields, and the named tuple.
#[inline(never)]
fn by_name(builder: &mut Builder, class: &ClassPlan, build: &Build, at: u64) -> Made {
    let base = builder.top().slots;
    if class.gathers || builder.stack.from(base).contains(&ptr::null_mut()) {
        fill_all(builder, class, at)?;
    }
    let py = builder.attached();
    let made = match build {
        Build::Tuple => return named_tuple(builder, class, base),
        Build::Dict { pattern, entries } => {
            return typed_dict(builder, class, pattern, *entries, base);
        }
        Build::Attributes { post_init } => {
            let object = attributes(builder, class, base)?;
            builder.stack.release_from(py, base);
            return match post_init {
                None => Ok(object),
                Some(name) => call_post_init(builder, object, name, at),
            };
        }
        Build::Call { first, positional, keywords } => {
            call(builder, class, *first, *positional, keywords.bind(py))
                .map_err(|error| own_code_raised(builder, error, at))
        }
        Build::Validate(function) => validated(builder, class, base, function.bind(py), at),
        Build::Fill => {
            fill_by_name(builder, class, base).map_err(|error| own_code_raised(builder, error, at))
        }
        Build::Slots { .. } | Build::Struct { .. } => return Err(builder.raised()),
    }?;
    builder.stack.release_from(py, base);
    Ok(made.into_ptr())
}

fn named_tuple(builder: &mut Builder, class: &ClassPlan, base: usize) -> Made {
    let values = builder.stack.from(base);
    let type_ptr = class.type_ptr();
    // SAFETY: the plan verified that the class is a tuple with the generic allocator and
    // constructor; the fresh tuple's items take over the stack's references.
    unsafe {
        let Some(allocate) = (*type_ptr).tp_alloc else { return Err(builder.raised()) };
        let tuple = allocate(type_ptr, values.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return Err(builder.raised());
        }
        let items = (&raw mut (*tuple.cast::<ffi::PyTupleObject>()).ob_item).cast();
        ptr::copy_nonoverlapping(values.as_ptr(), items, values.len());
        builder.stack.forget_from(base);
        Ok(tuple)
    }
}

fn typed_dict(
    builder: &mut Builder,
    class: &ClassPlan,
    pattern: &Py<PyDict>,
    entries: Option<usize>,
    base: usize,
) -> Made {
    let values = builder.stack.from(base);
    let absent = values.iter().filter(|value| value.is_null()).count();
    let dict = match absent {
        // SAFETY: copies a dict that lives in the plan; null is checked below.
        0 => unsafe { ffi::PyDict_Copy(pattern.as_ptr()) },
        _ => new_dict(values.len() - absent),
    };
    if dict.is_null() {
        return Err(builder.raised());
    }
    if absent == 0
        && let Some(offset) = entries
    {
        // SAFETY: a copy of the pattern for which the plan found the offset, that nobody else has
        // seen. It has an entry for each field.
        unsafe { fill_entries(dict, offset, values) };
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

/// Puts values, which the dict takes over, where a copied dict has None.
///
/// # Safety
///
/// `entries` may be called for the dict and the offset, and there are no more values than entries.
#[inline(always)]
unsafe fn fill_entries(dict: *mut ffi::PyObject, offset: usize, values: &[*mut ffi::PyObject]) {
    // SAFETY: by the contract. The places hold references to None, of which there are always more.
    unsafe {
        let entries = entries(dict, offset);
        let mut has_parts = false;
        for (index, &value) in values.iter().enumerate() {
            let place = &raw mut (*entries.add(index))[1];
            ffi::Py_DECREF(place.replace(value));
            has_parts |= is_container(value);
        }
        // The collector does not look at a dict in which there is nothing that it could reach.
        if has_parts && ffi::PyObject_GC_IsTracked(dict) == 0 {
            ffi::PyObject_GC_Track(dict.cast());
        }
    }
}

/// A new dict with room for so many items. Null with an exception set if there is no memory.
#[inline(always)]
fn new_dict(count: usize) -> *mut ffi::PyObject {
    // SAFETY: a new object or null. One for few items grows to that size with the first one.
    unsafe {
        if count > 5 { _PyDict_NewPresized(count as ffi::Py_ssize_t) } else { ffi::PyDict_New() }
    }
}

/// What a function of the class's makes of the values, as a dict.
fn validated<'py>(
    builder: &Builder,
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

/// Adds the keys that a class does not name, which alternate with their values. Elements that
/// repeat become a list.
fn add_rest(
    builder: &Builder,
    dict: &Bound<'_, PyDict>,
    rest: &Bound<'_, PyAny>,
    at: u64,
) -> Result<(), Refusal> {
    let py = dict.py();
    let mut pairs = rest.try_iter()?;
    let mut repeated: Vec<Bound<'_, PyList>> = Vec::new();
    while let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
        let (key, value) = (key?, value?);
        if builder.is_markup() {
            match dict.get_item(&key)? {
                None => dict.set_item(key, value)?,
                Some(known) => match repeated.iter().find(|list| list.is(&known)) {
                    Some(list) => list.append(value)?,
                    None => {
                        let list = PyList::new(py, [known, value])?;
                        dict.set_item(key, &list)?;
                        repeated.push(list);
                    }
                },
            }
            continue;
        }
        if builder.options.duplicates != Duplicates::Last && dict.contains(&key)? {
            if builder.options.duplicates == Duplicates::First {
                continue;
            }
            let name = key.str()?.to_string_lossy().into_owned();
            let reason = format!("the key {} occurs more than once", brief(&name));
            return Err(outer_mismatch(builder, at, reason));
        }
        dict.set_item(key, value)?;
    }
    Ok(())
}

/// Allocates an object and sets its attributes by the generic setter.
fn attributes(builder: &Builder, class: &ClassPlan, base: usize) -> Made {
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
        // verified that the generic setter is what setting this attribute means.
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
    builder: &Builder,
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
    // What is absent is left out, and what comes behind it goes by its name.
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
    builder: &Builder,
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

/// The last two rows of a stream, for filling again when nobody holds them.
///
/// Two, because a loop's variable still holds the row before while the next one is made.
#[derive(Default)]
pub(super) struct Ring {
    rows: [Option<Py<PyAny>>; 2],
    turn: usize,
}

impl Ring {
    /// A row with all slots empty: used or new. A new reference, or null with an exception set.
    #[inline(always)]
    fn next(&mut self, py: Python<'_>, class: &ClassPlan) -> *mut ffi::PyObject {
        self.turn ^= 1;
        if let Some(row) = &self.rows[self.turn]
            && reusable(row.bind(py), class)
        {
            let row = row.clone_ref(py);
            empty(&row, class);
            // What was released may have run code that found the row.
            if is_untouched(row.bind(py), class) {
                return row.into_ptr();
            }
        }
        let fresh = allocate(class);
        // SAFETY: a new reference or null.
        if let Some(row) = unsafe { Bound::from_owned_ptr_or_opt(py, fresh) } {
            self.rows[self.turn] = Some(row.clone().unbind());
            return row.into_ptr();
        }
        ptr::null_mut()
    }
}

/// Whether nobody but the ring can ever see the row again.
#[inline(always)]
fn reusable(row: &Bound<'_, PyAny>, class: &ClassPlan) -> bool {
    references(row) == 1 && row.get_type_ptr() == class.type_ptr() && has_no_weakrefs(row)
}

/// Whether an emptied row is still only the ring's and the caller's, and still empty.
#[inline(always)]
fn is_untouched(row: &Bound<'_, PyAny>, class: &ClassPlan) -> bool {
    let Build::Slots { offsets, .. } = &class.build else { return false };
    let object = row.as_ptr();
    // SAFETY: a live object of the class, whose offsets the plan verified.
    let empty = |offset: &usize| unsafe {
        (*object.cast::<u8>().add(*offset).cast::<*mut ffi::PyObject>()).is_null()
    };
    references(row) == 2
        && row.get_type_ptr() == class.type_ptr()
        && has_no_weakrefs(row)
        && offsets.iter().all(empty)
}

/// How many references to an object there are.
#[inline(always)]
fn references(object: &Bound<'_, PyAny>) -> ffi::Py_ssize_t {
    // SAFETY: a live object.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) }
}

/// Whether nobody holds a weak reference to an object.
#[inline(always)]
fn has_no_weakrefs(object: &Bound<'_, PyAny>) -> bool {
    let object = object.as_ptr();
    // SAFETY: a live object; where its type has a list of weak references, it stands at the
    // type's offset.
    unsafe {
        let offset = (*ffi::Py_TYPE(object)).tp_weaklistoffset;
        offset == 0 || (*object.cast::<u8>().offset(offset).cast::<*mut ffi::PyObject>()).is_null()
    }
}

/// Empties all slots of a used row.
#[inline(always)]
fn empty(row: &Py<PyAny>, class: &ClassPlan) {
    let Build::Slots { offsets, .. } = &class.build else { return };
    for &offset in offsets {
        // SAFETY: the plan verified the offsets. Only the ring and the caller hold the row, so
        // code that a released value may run cannot reach it.
        unsafe {
            let slot = row.as_ptr().cast::<u8>().add(offset).cast::<*mut ffi::PyObject>();
            let old = ptr::replace(slot, ptr::null_mut());
            ffi::Py_XDECREF(old);
        }
    }
}
