//! The objects in annotations and classes that are recognised by their address.
//!
//! This imports no module that takes time. An annotation cannot use a module that was never
//! imported, so a lookup in `sys.modules` is enough, and `import penstock` stays cheap. What the
//! syntax of Python makes (`type X = ...`, `int | str`) is there without any import.

use crate::edge::modules;
use penstock_scan::out_of_memory;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyString};
use std::ptr;

/// A module's attribute, fetched when its module is first found imported.
pub(in crate::plan) struct Known {
    module: &'static str,
    name: &'static str,
    object: PyOnceLock<Py<PyAny>>,
}

impl Known {
    const fn new(module: &'static str, name: &'static str) -> Self {
        Known { module, name, object: PyOnceLock::new() }
    }

    /// The object, or None if its module was not imported or does not have it.
    pub(in crate::plan) fn get<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        if self.object.get(py).is_none() {
            let object = self.found(py)?;
            // Another thread may have been faster; it found the same object.
            let _ = self.object.set(py, object.unbind());
        }
        self.object.get(py).map(|object| object.bind(py))
    }

    /// Looks for the object. For want of memory it would be taken for another one, so this unwinds.
    fn found<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        if ptr::eq(self, &raw const UNION_TYPE) {
            // It exists without any module.
            let union = py.get_type::<PyInt>().bitor(py.get_type::<PyString>());
            return Some(union.unwrap_or_else(|_| out_of_memory()).get_type().into_any());
        }
        let made_by_syntax =
            [&raw const TYPE_ALIAS, &raw const TYPE_VAR, &raw const TYPE_VAR_TUPLE];
        if made_by_syntax.iter().any(|known| ptr::eq(self, *known)) {
            // `typing` has it from this module, which is a part of the interpreter.
            match py.import(text(py, "_typing")).and_then(|it| it.getattr_opt(text(py, self.name)))
            {
                Ok(Some(found)) => return Some(found),
                Err(error) if error.is_instance_of::<PyMemoryError>(py) => out_of_memory(),
                // Before CPython 3.12, `typing` makes it.
                Ok(None) | Err(_) => {}
            }
        }
        let module = imported(&text(py, self.module))?;
        // A lookup that finds something allocates nothing.
        module.getattr_opt(text(py, self.name)).ok()?
    }

    /// True if `object` is exactly this object.
    pub(in crate::plan) fn is(&self, object: &Bound<'_, PyAny>) -> bool {
        self.get(object.py()).is_some_and(|known| known.is(object))
    }
}

/// A name as an object of Python. Unwinds if there is no memory.
fn text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyString> {
    // SAFETY: the text is that long. A new object, or null with an exception set.
    let made = unsafe {
        let length = text.len() as ffi::Py_ssize_t;
        let made = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), length);
        Bound::from_owned_ptr_or_err(py, made)
    };
    match made {
        // SAFETY: just made as one.
        Ok(made) => unsafe { made.cast_into_unchecked() },
        Err(_) => out_of_memory(),
    }
}

/// A module, if it was imported. This allocates nothing.
pub(in crate::plan) fn imported<'py>(name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: `sys.modules` is borrowed from the interpreter; the result is a reference of ours.
    let modules = unsafe { Bound::from_borrowed_ptr(name.py(), ffi::PyImport_GetModuleDict()) };
    modules.cast_into::<PyDict>().ok()?.get_item(name).ok()?
}

pub(in crate::plan) static ANY: Known = Known::new("typing", "Any");
pub(in crate::plan) static UNION: Known = Known::new("typing", "Union");
pub(in crate::plan) static OPTIONAL: Known = Known::new("typing", "Optional");
pub(in crate::plan) static LITERAL: Known = Known::new("typing", "Literal");
pub(in crate::plan) static CLASS_VAR: Known = Known::new("typing", "ClassVar");
pub(in crate::plan) static FINAL: Known = Known::new("typing", "Final");
pub(in crate::plan) static REQUIRED: Known = Known::new("typing", "Required");
pub(in crate::plan) static NOT_REQUIRED: Known = Known::new("typing", "NotRequired");
pub(in crate::plan) static READ_ONLY: Known = Known::new("typing", "ReadOnly");
pub(in crate::plan) static READ_ONLY_EXTENSION: Known = Known::new("typing_extensions", "ReadOnly");
pub(in crate::plan) static ANNOTATED: Known = Known::new("typing", "_AnnotatedAlias");
pub(in crate::plan) static SELF: Known = Known::new("typing", "Self");
pub(in crate::plan) static SELF_EXTENSION: Known = Known::new("typing_extensions", "Self");
pub(in crate::plan) static LITERAL_STRING: Known = Known::new("typing", "LiteralString");
pub(in crate::plan) static TYPE_ALIAS: Known = Known::new("typing", "TypeAliasType");
pub(in crate::plan) static TYPE_ALIAS_EXTENSION: Known =
    Known::new("typing_extensions", "TypeAliasType");
pub(in crate::plan) static FORWARD_REF: Known = Known::new("typing", "ForwardRef");
pub(in crate::plan) static TYPE_VAR: Known = Known::new("typing", "TypeVar");
pub(in crate::plan) static TYPE_VAR_TUPLE: Known = Known::new("typing", "TypeVarTuple");
pub(in crate::plan) static TYPE_VAR_TUPLE_EXTENSION: Known =
    Known::new("typing_extensions", "TypeVarTuple");
pub(in crate::plan) static UNPACK: Known = Known::new("typing", "Unpack");
pub(in crate::plan) static UNPACK_EXTENSION: Known = Known::new("typing_extensions", "Unpack");
pub(in crate::plan) static NEW_TYPE: Known = Known::new("typing", "NewType");
pub(in crate::plan) static TYPED_DICT_META: Known = Known::new("typing", "_TypedDictMeta");
pub(in crate::plan) static TYPED_DICT_META_EXTENSION: Known =
    Known::new("typing_extensions", "_TypedDictMeta");
pub(in crate::plan) static NO_EXTRA_ITEMS: Known = Known::new("typing", "NoExtraItems");
pub(in crate::plan) static NO_EXTRA_ITEMS_EXTENSION: Known =
    Known::new("typing_extensions", "NoExtraItems");
pub(in crate::plan) static NEVER: Known = Known::new("typing", "Never");
pub(in crate::plan) static NEVER_EXTENSION: Known = Known::new("typing_extensions", "Never");
pub(in crate::plan) static UNION_TYPE: Known = Known::new("types", "UnionType");

pub(in crate::plan) static DECIMAL: Known = Known::new("decimal", "Decimal");
pub(in crate::plan) static INVALID_OPERATION: Known = Known::new("decimal", "InvalidOperation");
pub(in crate::plan) static DATETIME: Known = Known::new("datetime", "datetime");
pub(in crate::plan) static DATE: Known = Known::new("datetime", "date");
pub(in crate::plan) static TIME: Known = Known::new("datetime", "time");
pub(in crate::plan) static UUID: Known = Known::new("uuid", "UUID");
pub(in crate::plan) static UID: Known = Known::new("plistlib", "UID");

pub(in crate::plan) static ENUM: Known = Known::new("enum", "Enum");
pub(in crate::plan) static ENUM_META: Known = Known::new("enum", "EnumMeta");
pub(in crate::plan) static FLAG: Known = Known::new("enum", "Flag");

pub(in crate::plan) static SEQUENCE: Known = Known::new("collections.abc", "Sequence");
pub(in crate::plan) static MUTABLE_SEQUENCE: Known =
    Known::new("collections.abc", "MutableSequence");
pub(in crate::plan) static ITERABLE: Known = Known::new("collections.abc", "Iterable");
pub(in crate::plan) static COLLECTION: Known = Known::new("collections.abc", "Collection");
pub(in crate::plan) static MAPPING: Known = Known::new("collections.abc", "Mapping");
pub(in crate::plan) static MUTABLE_MAPPING: Known = Known::new("collections.abc", "MutableMapping");
pub(in crate::plan) static ABSTRACT_SET: Known = Known::new("collections.abc", "Set");
pub(in crate::plan) static MUTABLE_SET: Known = Known::new("collections.abc", "MutableSet");
pub(in crate::plan) static DEQUE: Known = Known::new("collections", "deque");
pub(in crate::plan) static DEFAULT_DICT: Known = Known::new("collections", "defaultdict");
pub(in crate::plan) static ORDERED_DICT: Known = Known::new("collections", "OrderedDict");
pub(in crate::plan) static COUNTER: Known = Known::new("collections", "Counter");
pub(in crate::plan) static ARRAY: Known = Known::new("array", "array");
pub(in crate::plan) static NDARRAY: Known = Known::new("numpy", "ndarray");

pub(in crate::plan) static PATH_LIKE: Known = Known::new("os", "PathLike");
pub(in crate::plan) static PURE_PATH: Known = Known::new("pathlib", "PurePath");
pub(in crate::plan) static IPV4_ADDRESS: Known = Known::new("ipaddress", "IPv4Address");
pub(in crate::plan) static IPV6_ADDRESS: Known = Known::new("ipaddress", "IPv6Address");
pub(in crate::plan) static IPV4_NETWORK: Known = Known::new("ipaddress", "IPv4Network");
pub(in crate::plan) static IPV6_NETWORK: Known = Known::new("ipaddress", "IPv6Network");
pub(in crate::plan) static IPV4_INTERFACE: Known = Known::new("ipaddress", "IPv4Interface");
pub(in crate::plan) static IPV6_INTERFACE: Known = Known::new("ipaddress", "IPv6Interface");
pub(in crate::plan) static ZONE_INFO: Known = Known::new("zoneinfo", "ZoneInfo");
pub(in crate::plan) static PATTERN_TYPE: Known = Known::new("re", "Pattern");
pub(in crate::plan) static FRACTION: Known = Known::new("fractions", "Fraction");
pub(in crate::plan) static COMPLEX: Known = Known::new("builtins", "complex");

pub(in crate::plan) static FIELD: Known = Known::new("dataclasses", "_FIELD");
pub(in crate::plan) static FIELD_CLASS_VAR: Known = Known::new("dataclasses", "_FIELD_CLASSVAR");
pub(in crate::plan) static MISSING: Known = Known::new("dataclasses", "MISSING");
pub(in crate::plan) static KW_ONLY: Known = Known::new("dataclasses", "KW_ONLY");
pub(in crate::plan) static INIT_VAR: Known = Known::new("dataclasses", "InitVar");

pub(in crate::plan) static ATTRS_NOTHING: Known = Known::new("attr", "NOTHING");
pub(in crate::plan) static ATTRS_ATTRIBUTE: Known = Known::new("attr", "Attribute");
pub(in crate::plan) static ATTRS_FACTORY: Known = Known::new("attr", "Factory");
pub(in crate::plan) static ATTRS_CONVERTER: Known = Known::new("attr", "Converter");

pub(in crate::plan) static MSGSPEC_NODEFAULT: Known = Known::new("msgspec", "NODEFAULT");
pub(in crate::plan) static MSGSPEC_UNSET_TYPE: Known = Known::new("msgspec", "UnsetType");
pub(in crate::plan) static MSGSPEC_FACTORY: Known = Known::new("msgspec._core", "Factory");
pub(in crate::plan) static MSGSPEC_META: Known = Known::new("msgspec._core", "StructMeta");

pub(in crate::plan) static PYDANTIC_MODEL: Known = Known::new("pydantic", "BaseModel");
pub(in crate::plan) static PYDANTIC_ADAPTER: Known = Known::new("pydantic", "TypeAdapter");
pub(in crate::plan) static PYDANTIC_ALIAS_CHOICES: Known = Known::new("pydantic", "AliasChoices");
pub(in crate::plan) static PYDANTIC_FIELD: Known = Known::new("pydantic.fields", "FieldInfo");
pub(in crate::plan) static PYDANTIC_PLAIN_SERIALIZER: Known =
    Known::new("pydantic.functional_serializers", "PlainSerializer");
pub(in crate::plan) static PYDANTIC_WRAP_SERIALIZER: Known =
    Known::new("pydantic.functional_serializers", "WrapSerializer");
pub(in crate::plan) static PYDANTIC_JSON: Known = Known::new("pydantic.types", "Json");
pub(in crate::plan) static PYDANTIC_ERROR: Known = Known::new("pydantic_core", "ValidationError");

pub(in crate::plan) static SQLALCHEMY_MAPPED: Known = Known::new("sqlalchemy.orm", "Mapped");

pub(in crate::plan) static TIMEDELTA: Known = Known::new("datetime", "timedelta");
pub(in crate::plan) static HEX: Known = Known::new(modules::AT, "Hex");
pub(in crate::plan) static BASE64_URL: Known = Known::new(modules::AT, "Base64Url");
pub(in crate::plan) static BASE64_UNPADDED: Known = Known::new(modules::AT, "Base64Unpadded");
pub(in crate::plan) static BASE64_MIME: Known = Known::new(modules::AT, "Base64Mime");
pub(in crate::plan) static REST: Known = Known::new(modules::AT, "rest");
pub(in crate::plan) static VIA: Known = Known::new(modules::VIA, "via");
pub(in crate::plan) static PATTERN: Known = Known::new(modules::MARKS, "pattern");
pub(in crate::plan) static UNIX: Known = Known::new(modules::TIMES, "unix");
pub(in crate::plan) static COLUMN: Known = Known::new(modules::COLUMN_TYPES, "column");
pub(in crate::plan) static TIMES: Known = Known::new(modules::TIMES, "times");
pub(in crate::plan) static CELLS: Known = Known::new(modules::CELLS, "cells");
pub(in crate::plan) static SEPARATED: Known = Known::new(modules::CELLS, "separated");
pub(in crate::plan) static SPREAD: Known = Known::new(modules::CELLS, "spread");
pub(in crate::plan) static TYPECODE: Known = Known::new(modules::MARKS, "typecode");
pub(in crate::plan) static EXACT: Known = Known::new(modules::MARKS, "Exact");
pub(in crate::plan) static UNSET_TYPE: Known = Known::new(modules::MARKS, "UnsetType");
pub(in crate::plan) static TAG: Known = Known::new(modules::TAG, "tag");
pub(in crate::plan) static AT: Known = Known::new(modules::AT, "at");
