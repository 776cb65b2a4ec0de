//! The objects in annotations and classes that are recognised by their address.
//!
//! This imports nothing. An annotation cannot use a module that was never imported, so a lookup in
//! `sys.modules` is enough, and `import penstock` stays cheap.

use crate::modules;
use penstock_scan::out_of_memory;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyString};
use std::ptr;

/// A module's attribute, fetched when its module is first found imported.
pub(super) struct Known {
    module: &'static str,
    name: &'static str,
    object: PyOnceLock<Py<PyAny>>,
}

impl Known {
    const fn new(module: &'static str, name: &'static str) -> Self {
        Known { module, name, object: PyOnceLock::new() }
    }

    /// The object, or None if its module was not imported or does not have it.
    pub(super) fn get<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
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
        let module = imported(&text(py, self.module))?;
        // A lookup that finds something allocates nothing.
        module.getattr_opt(text(py, self.name)).ok()?
    }

    /// True if `object` is exactly this object.
    pub(super) fn is(&self, object: &Bound<'_, PyAny>) -> bool {
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
pub(super) fn imported<'py>(name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: `sys.modules` is borrowed from the interpreter; the result is a reference of ours.
    let modules = unsafe { Bound::from_borrowed_ptr(name.py(), ffi::PyImport_GetModuleDict()) };
    modules.cast_into::<PyDict>().ok()?.get_item(name).ok()?
}

pub(super) static ANY: Known = Known::new("typing", "Any");
pub(super) static UNION: Known = Known::new("typing", "Union");
pub(super) static OPTIONAL: Known = Known::new("typing", "Optional");
pub(super) static LITERAL: Known = Known::new("typing", "Literal");
pub(super) static CLASS_VAR: Known = Known::new("typing", "ClassVar");
pub(super) static FINAL: Known = Known::new("typing", "Final");
pub(super) static REQUIRED: Known = Known::new("typing", "Required");
pub(super) static NOT_REQUIRED: Known = Known::new("typing", "NotRequired");
pub(super) static READ_ONLY: Known = Known::new("typing", "ReadOnly");
pub(super) static READ_ONLY_EXTENSION: Known = Known::new("typing_extensions", "ReadOnly");
pub(super) static ANNOTATED: Known = Known::new("typing", "_AnnotatedAlias");
pub(super) static SELF: Known = Known::new("typing", "Self");
pub(super) static SELF_EXTENSION: Known = Known::new("typing_extensions", "Self");
pub(super) static LITERAL_STRING: Known = Known::new("typing", "LiteralString");
pub(super) static TYPE_ALIAS: Known = Known::new("typing", "TypeAliasType");
pub(super) static TYPE_ALIAS_EXTENSION: Known = Known::new("typing_extensions", "TypeAliasType");
pub(super) static FORWARD_REF: Known = Known::new("typing", "ForwardRef");
pub(super) static TYPE_VAR: Known = Known::new("typing", "TypeVar");
pub(super) static TYPE_VAR_TUPLE: Known = Known::new("typing", "TypeVarTuple");
pub(super) static TYPE_VAR_TUPLE_EXTENSION: Known = Known::new("typing_extensions", "TypeVarTuple");
pub(super) static UNPACK: Known = Known::new("typing", "Unpack");
pub(super) static UNPACK_EXTENSION: Known = Known::new("typing_extensions", "Unpack");
pub(super) static NEW_TYPE: Known = Known::new("typing", "NewType");
pub(super) static TYPED_DICT_META: Known = Known::new("typing", "_TypedDictMeta");
pub(super) static TYPED_DICT_META_EXTENSION: Known =
    Known::new("typing_extensions", "_TypedDictMeta");
pub(super) static NO_EXTRA_ITEMS: Known = Known::new("typing", "NoExtraItems");
pub(super) static NO_EXTRA_ITEMS_EXTENSION: Known = Known::new("typing_extensions", "NoExtraItems");
pub(super) static NEVER: Known = Known::new("typing", "Never");
pub(super) static NEVER_EXTENSION: Known = Known::new("typing_extensions", "Never");
pub(super) static UNION_TYPE: Known = Known::new("types", "UnionType");

pub(super) static DECIMAL: Known = Known::new("decimal", "Decimal");
pub(super) static INVALID_OPERATION: Known = Known::new("decimal", "InvalidOperation");
pub(super) static DATETIME: Known = Known::new("datetime", "datetime");
pub(super) static DATE: Known = Known::new("datetime", "date");
pub(super) static TIME: Known = Known::new("datetime", "time");
pub(super) static UUID: Known = Known::new("uuid", "UUID");
pub(super) static UID: Known = Known::new("plistlib", "UID");

pub(super) static ENUM: Known = Known::new("enum", "Enum");
pub(super) static ENUM_META: Known = Known::new("enum", "EnumMeta");
pub(super) static FLAG: Known = Known::new("enum", "Flag");

pub(super) static SEQUENCE: Known = Known::new("collections.abc", "Sequence");
pub(super) static MUTABLE_SEQUENCE: Known = Known::new("collections.abc", "MutableSequence");
pub(super) static ITERABLE: Known = Known::new("collections.abc", "Iterable");
pub(super) static COLLECTION: Known = Known::new("collections.abc", "Collection");
pub(super) static MAPPING: Known = Known::new("collections.abc", "Mapping");
pub(super) static MUTABLE_MAPPING: Known = Known::new("collections.abc", "MutableMapping");
pub(super) static ABSTRACT_SET: Known = Known::new("collections.abc", "Set");
pub(super) static MUTABLE_SET: Known = Known::new("collections.abc", "MutableSet");
pub(super) static DEQUE: Known = Known::new("collections", "deque");
pub(super) static DEFAULT_DICT: Known = Known::new("collections", "defaultdict");
pub(super) static ORDERED_DICT: Known = Known::new("collections", "OrderedDict");
pub(super) static COUNTER: Known = Known::new("collections", "Counter");
pub(super) static ARRAY: Known = Known::new("array", "array");
pub(super) static NDARRAY: Known = Known::new("numpy", "ndarray");

pub(super) static PATH_LIKE: Known = Known::new("os", "PathLike");
pub(super) static PURE_PATH: Known = Known::new("pathlib", "PurePath");
pub(super) static IPV4_ADDRESS: Known = Known::new("ipaddress", "IPv4Address");
pub(super) static IPV6_ADDRESS: Known = Known::new("ipaddress", "IPv6Address");
pub(super) static IPV4_NETWORK: Known = Known::new("ipaddress", "IPv4Network");
pub(super) static IPV6_NETWORK: Known = Known::new("ipaddress", "IPv6Network");
pub(super) static IPV4_INTERFACE: Known = Known::new("ipaddress", "IPv4Interface");
pub(super) static IPV6_INTERFACE: Known = Known::new("ipaddress", "IPv6Interface");
pub(super) static ZONE_INFO: Known = Known::new("zoneinfo", "ZoneInfo");
pub(super) static PATTERN_TYPE: Known = Known::new("re", "Pattern");
pub(super) static FRACTION: Known = Known::new("fractions", "Fraction");
pub(super) static COMPLEX: Known = Known::new("builtins", "complex");

pub(super) static FIELD: Known = Known::new("dataclasses", "_FIELD");
pub(super) static FIELD_CLASS_VAR: Known = Known::new("dataclasses", "_FIELD_CLASSVAR");
pub(super) static MISSING: Known = Known::new("dataclasses", "MISSING");
pub(super) static KW_ONLY: Known = Known::new("dataclasses", "KW_ONLY");
pub(super) static INIT_VAR: Known = Known::new("dataclasses", "InitVar");

pub(super) static ATTRS_NOTHING: Known = Known::new("attr", "NOTHING");
pub(super) static ATTRS_ATTRIBUTE: Known = Known::new("attr", "Attribute");
pub(super) static ATTRS_FACTORY: Known = Known::new("attr", "Factory");
pub(super) static ATTRS_CONVERTER: Known = Known::new("attr", "Converter");

pub(super) static MSGSPEC_NODEFAULT: Known = Known::new("msgspec", "NODEFAULT");
pub(super) static MSGSPEC_UNSET_TYPE: Known = Known::new("msgspec", "UnsetType");
pub(super) static MSGSPEC_FACTORY: Known = Known::new("msgspec._core", "Factory");
pub(super) static MSGSPEC_META: Known = Known::new("msgspec._core", "StructMeta");

pub(super) static PYDANTIC_MODEL: Known = Known::new("pydantic", "BaseModel");
pub(super) static PYDANTIC_ADAPTER: Known = Known::new("pydantic", "TypeAdapter");
pub(super) static PYDANTIC_ALIAS_CHOICES: Known = Known::new("pydantic", "AliasChoices");
pub(super) static PYDANTIC_FIELD: Known = Known::new("pydantic.fields", "FieldInfo");
pub(super) static PYDANTIC_PLAIN_SERIALIZER: Known =
    Known::new("pydantic.functional_serializers", "PlainSerializer");
pub(super) static PYDANTIC_WRAP_SERIALIZER: Known =
    Known::new("pydantic.functional_serializers", "WrapSerializer");
pub(super) static PYDANTIC_JSON: Known = Known::new("pydantic.types", "Json");
pub(super) static PYDANTIC_ERROR: Known = Known::new("pydantic_core", "ValidationError");

pub(super) static TIMEDELTA: Known = Known::new("datetime", "timedelta");
pub(super) static HEX: Known = Known::new(modules::AT, "Hex");
pub(super) static BASE64_URL: Known = Known::new(modules::AT, "Base64Url");
pub(super) static BASE64_UNPADDED: Known = Known::new(modules::AT, "Base64Unpadded");
pub(super) static BASE64_MIME: Known = Known::new(modules::AT, "Base64Mime");
pub(super) static REST: Known = Known::new(modules::AT, "rest");
pub(super) static VIA: Known = Known::new(modules::VIA, "via");
pub(super) static PATTERN: Known = Known::new(modules::MARKS, "pattern");
pub(super) static UNIX: Known = Known::new(modules::TIMES, "unix");
pub(super) static COLUMN: Known = Known::new(modules::COLUMN_TYPES, "column");
pub(super) static TIMES: Known = Known::new(modules::TIMES, "times");
pub(super) static CELLS: Known = Known::new(modules::CELLS, "cells");
pub(super) static SEPARATED: Known = Known::new(modules::CELLS, "separated");
pub(super) static SPREAD: Known = Known::new(modules::CELLS, "spread");
pub(super) static TYPECODE: Known = Known::new(modules::MARKS, "typecode");
pub(super) static EXACT: Known = Known::new(modules::MARKS, "Exact");
pub(super) static TAG: Known = Known::new(modules::TAG, "tag");
pub(super) static AT: Known = Known::new(modules::AT, "at");
