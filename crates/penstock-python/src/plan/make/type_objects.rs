//! Reads CPython's type objects: facts that Python code cannot ask for, or only by running code of
//! the class.
//!
//! Everything here only reads. No function calls into a class, a metaclass or a descriptor, so the
//! results are what the interpreter itself acts on.

use std::mem;
use std::os::raw::c_ulong;

use crate::cpython::{Fact, holds, symbols};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

fn raw(class: &Bound<'_, PyType>) -> *mut ffi::PyTypeObject {
    class.as_type_ptr()
}

/// Reads one member of the type object.
macro_rules! member {
    ($class:expr, $name:ident) => {
        // SAFETY: the type object is alive, and its members are only written with the interpreter
        // lock held, which the `Bound` proves is ours.
        unsafe { (*raw($class)).$name }
    };
}

/// The attribute `name` in the dict of the class or of a base. `name` is interned.
pub(crate) fn attribute<'py>(
    class: &Bound<'py, PyType>,
    name: &Bound<'py, PyString>,
) -> Option<Bound<'py, PyAny>> {
    let lookup = if holds(Fact::Lookup) { symbols::type_lookup() } else { None };
    match lookup {
        // SAFETY: both are alive; the result is borrowed, and made ours before anything else
        // happens.
        Some(lookup) => unsafe {
            Bound::from_borrowed_ptr_or_opt(class.py(), lookup(raw(class), name.as_ptr()))
        },
        None => bases(class).iter().find_map(|base| own_attribute(base, name)),
    }
}

/// The attribute `name` in the class's own dict.
pub(in crate::plan) fn own_attribute<'py>(
    class: &Bound<'py, PyType>,
    name: &Bound<'py, PyString>,
) -> Option<Bound<'py, PyAny>> {
    own_dict(class)?.get_item(name).ok().flatten()
}

/// The class's own dict. Do not write to it: the interpreter caches its contents.
pub(in crate::plan) fn own_dict<'py>(class: &Bound<'py, PyType>) -> Option<Bound<'py, PyDict>> {
    let dict = member!(class, tp_dict);
    // SAFETY: a heap type's dict lives as long as the type; null is checked.
    unsafe { Bound::from_borrowed_ptr_or_opt(class.py(), dict) }?.cast_into().ok()
}

/// The classes in which attributes are looked up, the class itself first.
pub(in crate::plan) fn bases<'py>(class: &Bound<'py, PyType>) -> Vec<Bound<'py, PyType>> {
    let order = class.mro();
    order.iter().filter_map(|base| base.cast_into().ok()).collect()
}

/// The class that has an attribute, and the attribute.
pub(in crate::plan) fn owner<'py>(
    class: &Bound<'py, PyType>,
    name: &Bound<'py, PyString>,
) -> Option<(Bound<'py, PyType>, Bound<'py, PyAny>)> {
    bases(class).into_iter().find_map(|base| {
        let object = own_attribute(&base, name)?;
        Some((base, object))
    })
}

fn has_flag(class: &Bound<'_, PyType>, flag: c_ulong) -> bool {
    member!(class, tp_flags) & flag != 0
}

/// True if the class was made by a `class` statement or similar.
pub(in crate::plan) fn is_heap_type(class: &Bound<'_, PyType>) -> bool {
    has_flag(class, ffi::Py_TPFLAGS_HEAPTYPE)
}

/// True if the class has abstract methods.
pub(in crate::plan) fn is_abstract(class: &Bound<'_, PyType>) -> bool {
    has_flag(class, ffi::Py_TPFLAGS_IS_ABSTRACT)
}

/// True if objects of the class are not hashable: it sets `__hash__` to None.
pub(in crate::plan) fn is_unhashable(class: &Bound<'_, PyType>) -> bool {
    member!(class, tp_hash)
        .is_some_and(|hash| hash as usize == ffi::PyObject_HashNotImplemented as *const () as usize)
}

/// True if calling the class does what `type` does: `__new__`, then `__init__`.
pub(in crate::plan) fn is_called_by_type(class: &Bound<'_, PyType>) -> bool {
    let py = class.py();
    let plain = member!(&py.get_type::<PyType>(), tp_call).map(|call| call as usize);
    member!(&class.get_type(), tp_call).map(|call| call as usize) == plain
}

fn object(py: Python<'_>) -> Bound<'_, PyType> {
    py.get_type::<PyAny>()
}

/// True if `__new__` is that of `object`.
pub(in crate::plan) fn has_plain_new(class: &Bound<'_, PyType>) -> bool {
    let plain = member!(&object(class.py()), tp_new).map(|new| new as usize);
    member!(class, tp_new).map(|new| new as usize) == plain
}

/// True if `__init__` is that of `object`.
pub(in crate::plan) fn has_plain_init(class: &Bound<'_, PyType>) -> bool {
    let plain = member!(&object(class.py()), tp_init).map(|init| init as usize);
    member!(class, tp_init).map(|init| init as usize) == plain
}

/// True if memory for an object comes from the interpreter's own allocator.
pub(in crate::plan) fn has_plain_alloc(class: &Bound<'_, PyType>) -> bool {
    let plain = ffi::PyType_GenericAlloc as *const () as usize;
    member!(class, tp_alloc).is_some_and(|alloc| alloc as usize == plain)
}

/// True if setting an attribute works as for `object`.
pub(in crate::plan) fn has_plain_setattr(class: &Bound<'_, PyType>) -> bool {
    let plain = ffi::PyObject_GenericSetAttr as *const () as usize;
    member!(class, tp_setattro).is_some_and(|set| set as usize == plain)
}

/// True if code of the class runs when an object of it dies.
pub(in crate::plan) fn has_finalizer(class: &Bound<'_, PyType>) -> bool {
    member!(class, tp_finalize).is_some() || member!(class, tp_del).is_some()
}

/// True if the collector tracks objects of the class.
pub(in crate::plan) fn is_collected(class: &Bound<'_, PyType>) -> bool {
    has_flag(class, ffi::Py_TPFLAGS_HAVE_GC)
}

/// True if objects of the class are their header and so many slots, and nothing else.
pub(in crate::plan) fn has_room_for(class: &Bound<'_, PyType>, slots: usize) -> bool {
    let size = size_of::<ffi::PyObject>() + slots * size_of::<*mut ffi::PyObject>();
    usize::try_from(member!(class, tp_basicsize)) == Ok(size)
}

/// True if objects of the class have a `__dict__`.
pub(in crate::plan) fn has_dict(class: &Bound<'_, PyType>) -> bool {
    member!(class, tp_dictoffset) != 0
}

/// True if `object`, as an attribute of a class, itself handles setting that attribute on the
/// class's objects.
pub(in crate::plan) fn is_data_descriptor(object: &Bound<'_, PyAny>) -> bool {
    member!(&object.get_type(), tp_descr_set).is_some()
}

/// The byte offset of the slot behind `descriptor`, if a `__slots__` entry of the class or one of
/// its bases made it.
pub(in crate::plan) fn slot_offset(
    class: &Bound<'_, PyType>,
    descriptor: &Bound<'_, PyAny>,
) -> Option<usize> {
    let is_slot = descriptor.get_type().as_type_ptr() == &raw mut ffi::PyMemberDescr_Type;
    if !is_slot || !holds(Fact::Slots) {
        return None;
    }
    // SAFETY: an object of exactly this type has this layout, and its definition lives as long as
    // it does.
    let (owner, definition) = unsafe {
        let descriptor = descriptor.as_ptr().cast::<ffi::PyMemberDescrObject>();
        ((*descriptor).d_common.d_type, *(*descriptor).d_member)
    };
    // SAFETY: both are type objects, alive.
    let inherited = unsafe { ffi::PyType_IsSubtype(raw(class), owner) } != 0;
    let plain = definition.type_code == ffi::Py_T_OBJECT_EX && definition.flags == 0;
    let offset = usize::try_from(definition.offset).ok()?;
    let end = offset + mem::size_of::<*mut ffi::PyObject>();
    let inside = end <= usize::try_from(member!(class, tp_basicsize)).ok()?;
    let aligned = offset % mem::align_of::<*mut ffi::PyObject>() == 0;
    let after_head = offset >= mem::size_of::<ffi::PyObject>();
    (inherited && plain && inside && aligned && after_head).then_some(offset)
}

/// How many slots the objects of the class have, those of its bases included. `__dict__` and
/// `__weakref__` do not count.
pub(in crate::plan) fn slot_count(class: &Bound<'_, PyType>) -> usize {
    let own = |base: &Bound<'_, PyType>| {
        if !is_heap_type(base) {
            return 0;
        }
        // SAFETY: a heap type is a variable-sized object whose size is the number of its slots.
        unsafe { ffi::Py_SIZE(base.as_ptr()) }
    };
    bases(class).iter().map(|base| usize::try_from(own(base)).unwrap_or(0)).sum()
}

/// Makes one object, stores each field's name at its offset and reads it back as the attribute.
/// True if each attribute gives the name at its offset.
///
/// No code of the class runs: the object is allocated and not initialised, the attributes are read
/// as `object` reads them, and the caller has checked that there is no finalizer.
pub(in crate::plan) fn offsets_hold(
    class: &Bound<'_, PyType>,
    names: &[Bound<'_, PyString>],
    offsets: &[usize],
) -> PyResult<bool> {
    let py = class.py();
    let Some(alloc) = member!(class, tp_alloc) else { return Ok(false) };
    // SAFETY: the allocator is the interpreter's own, and this is a class of fixed size.
    let probe = unsafe { Bound::from_owned_ptr_or_err(py, alloc(raw(class), 0)) }?;
    for (name, offset) in names.iter().zip(offsets) {
        // SAFETY: `slot_offset` found the offset to be that of an object slot inside the object.
        // It is empty, since the memory is new: the slot now owns a reference to the name.
        unsafe {
            let slot = probe.as_ptr().cast::<u8>().add(*offset).cast::<*mut ffi::PyObject>();
            let before = slot.replace(name.clone().into_ptr().cast());
            ffi::Py_XDECREF(before);
        }
    }
    for name in names {
        // SAFETY: both are alive.
        let value = unsafe { ffi::PyObject_GenericGetAttr(probe.as_ptr(), name.as_ptr()) };
        // SAFETY: the result is ours, or null with an exception set.
        let value = unsafe { Bound::from_owned_ptr_or_opt(py, value) };
        if !value.is_some_and(|value| value.is(name)) {
            drop(PyErr::take(py));
            return Ok(false);
        }
    }
    Ok(true)
}

/// The parts of a plain Python function that plans use.
pub(in crate::plan) struct Function<'py> {
    /// Its code object.
    pub(in crate::plan) code: Bound<'py, PyAny>,
    /// Its global names.
    pub(in crate::plan) globals: Bound<'py, PyDict>,
    /// The defaults of its last positional parameters.
    pub(in crate::plan) defaults: Option<Bound<'py, PyTuple>>,
    /// The defaults of its keyword-only parameters.
    pub(in crate::plan) keyword_defaults: Option<Bound<'py, PyDict>>,
}

impl<'py> Function<'py> {
    /// The parts of `object`, if it is a function written in Python.
    pub(in crate::plan) fn of(object: &Bound<'py, PyAny>) -> Option<Self> {
        let py = object.py();
        // SAFETY: `PyFunction_Check` says that the object has the parts; all are borrowed from
        // it and made ours.
        unsafe {
            if ffi::PyFunction_Check(object.as_ptr()) == 0 {
                return None;
            }
            let code = ffi::PyFunction_GetCode(object.as_ptr());
            let globals = ffi::PyFunction_GetGlobals(object.as_ptr());
            let defaults = ffi::PyFunction_GetDefaults(object.as_ptr());
            let keyword_defaults = ffi::PyFunction_GetKwDefaults(object.as_ptr());
            Some(Function {
                code: Bound::from_borrowed_ptr_or_opt(py, code)?,
                globals: Bound::from_borrowed_ptr_or_opt(py, globals)?.cast_into().ok()?,
                defaults: Bound::from_borrowed_ptr_or_opt(py, defaults)
                    .and_then(|defaults| defaults.cast_into().ok()),
                keyword_defaults: Bound::from_borrowed_ptr_or_opt(py, keyword_defaults)
                    .and_then(|defaults| defaults.cast_into().ok()),
            })
        }
    }
}
