//! The types that need no plan of their own, and how types are written in messages.

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::edge::errors::{answer, untold};

use super::known;
use crate::plan::{Kind, NodeId, Raw};

/// The builtin collections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum Container {
    List,
    Set,
    FrozenSet,
    Tuple,
    Dict,
}

impl Container {
    /// The collection that this class is.
    pub(in crate::plan) fn of(class: &Bound<'_, PyType>) -> Option<Self> {
        let is = |builtin| builtin_type(class, builtin);
        if is(&raw const ffi::PyList_Type) {
            Some(Container::List)
        } else if is(&raw const ffi::PyDict_Type) {
            Some(Container::Dict)
        } else if is(&raw const ffi::PyTuple_Type) {
            Some(Container::Tuple)
        } else if is(&raw const ffi::PySet_Type) {
            Some(Container::Set)
        } else if is(&raw const ffi::PyFrozenSet_Type) {
            Some(Container::FrozenSet)
        } else {
            None
        }
    }

    pub(in crate::plan) fn name(self) -> &'static str {
        match self {
            Container::List => "list",
            Container::Set => "set",
            Container::FrozenSet => "frozenset",
            Container::Tuple => "tuple",
            Container::Dict => "dict",
        }
    }

    pub(in crate::plan) fn with_article(self) -> &'static str {
        if self == Container::FrozenSet { "a frozenset" } else { "a set" }
    }

    /// The collection with items (and keys) of one type.
    pub(in crate::plan) fn of_one_kind(self, key: Option<NodeId>, item: NodeId) -> Kind {
        match (self, key) {
            (Container::Set, _) => Kind::Set(item),
            (Container::FrozenSet, _) => Kind::FrozenSet(item),
            (Container::Tuple, _) => Kind::TupleOf(item),
            (Container::Dict, Some(key)) => Kind::Dict(key, item),
            _ => Kind::List(item),
        }
    }
}

/// The kind and name of a class whose values have no parts.
pub(in crate::plan) fn builtin(class: &Bound<'_, PyType>) -> Option<(Kind, &'static str)> {
    let is = |builtin| builtin_type(class, builtin);
    if is(&raw const ffi::PyUnicode_Type) {
        return Some((Kind::Str, "str"));
    } else if is(&raw const ffi::PyLong_Type) {
        return Some((Kind::Int, "int"));
    } else if is(&raw const ffi::PyFloat_Type) {
        return Some((Kind::Float, "float"));
    } else if is(&raw const ffi::PyBool_Type) {
        return Some((Kind::Bool, "bool"));
    } else if is(&raw const ffi::PyBytes_Type) {
        return Some((Kind::Bytes, "bytes"));
    } else if is(&raw const ffi::PyBaseObject_Type) || known::ANY.is(class) {
        return Some((Kind::Any, "Any"));
    } else if is_type_of_none(class) {
        return Some((Kind::None, "None"));
    } else if class.is(class.py().get_type::<Raw>()) {
        return Some((Kind::Raw, "Raw"));
    }
    let others: [(_, fn() -> Kind, _); 7] = [
        (&known::TIMEDELTA, || Kind::Duration, "timedelta"),
        (&known::DATETIME, || Kind::DateTime, "datetime"),
        (&known::DATE, || Kind::Date, "date"),
        (&known::TIME, || Kind::Time, "time"),
        (&known::DECIMAL, || Kind::Decimal, "Decimal"),
        (&known::UUID, || Kind::Uuid, "UUID"),
        (&known::UID, || Kind::Uid, "UID"),
    ];
    let (_, kind, name) = others.into_iter().find(|(known, ..)| known.is(class))?;
    Some((kind(), name))
}

fn builtin_type(object: &Bound<'_, PyAny>, builtin: *const ffi::PyTypeObject) -> bool {
    object.as_ptr().cast_const().cast() == builtin
}

pub(in crate::plan) fn is_type_of_none(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    object.is(py.None().bind(py).get_type())
}

/// An annotation as a user would write it.
///
/// # Errors
/// Only errors that the type did not cause, such as a lack of memory.
pub(in crate::plan) fn display(annotation: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(class) = annotation.cast::<PyType>() {
        return Ok(match builtin(class) {
            Some((_, name)) => name.into(),
            None => class.name()?.to_string(),
        });
    }
    Ok(match answer(annotation.py(), annotation.repr())? {
        Some(repr) => repr.to_string().replace("typing.", ""),
        None => "an object whose repr() fails".into(),
    })
}

/// A class with its module, for messages that must identify it.
pub(in crate::plan) fn qualified(class: &Bound<'_, PyType>) -> String {
    let name = class.qualname().map_or_else(|_| "?".into(), |name| name.to_string());
    match class.module() {
        Ok(module) if module != "builtins" => format!("{module}.{name}"),
        _ => name,
    }
}

fn is_instance(value: &Bound<'_, PyAny>, class: &known::Known) -> bool {
    let class = class.get(value.py()).and_then(|class| class.cast::<PyType>().ok());
    class.is_some_and(|class| is_object_of(value, class))
}

/// Whether an object is of a class or of one derived from it, by the real bases. This runs no code,
/// and cannot fail.
pub(crate) fn is_object_of(value: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> bool {
    // SAFETY: both live.
    unsafe { ffi::PyObject_TypeCheck(value.as_ptr(), class.as_type_ptr()) != 0 }
}

/// The digits of a `Decimal`, as that class itself prints them.
pub(crate) fn decimal_text<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = value.py();
    let class = known::DECIMAL.get(py).ok_or_else(untold)?;
    let text = class.call_method1(intern!(py, "__str__"), (value,))?;
    Ok(text.cast_into()?)
}

/// True for a `Decimal`.
pub(crate) fn is_decimal(value: &Bound<'_, PyAny>) -> bool {
    is_instance(value, &known::DECIMAL)
}

/// True for a `UUID`.
pub(crate) fn is_uuid(value: &Bound<'_, PyAny>) -> bool {
    is_instance(value, &known::UUID)
}

/// True for a `plistlib.UID`.
pub(crate) fn is_uid(value: &Bound<'_, PyAny>) -> bool {
    is_instance(value, &known::UID)
}

/// True for a member of an `Enum`.
pub(crate) fn is_enum(value: &Bound<'_, PyAny>) -> bool {
    is_instance(value, &known::ENUM)
}

/// True for the exception with which `Decimal` refuses a text.
pub(crate) fn is_no_decimal(error: &Bound<'_, PyAny>) -> bool {
    known::INVALID_OPERATION.is(&error.get_type())
}
