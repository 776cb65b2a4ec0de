//! Schemas of other libraries: an Arrow schema in a capsule, and the type of records that it means.
//!
//! The fields of a schema are the keys of a record, so a `TypedDict` says the same. It is made by
//! `penstock._arrow.schemas`, of the description that is made here.

use crate::edge::modules;
use crate::plan::plan_error;
use penstock_arrow::ffi::FFI_ArrowSchema;
use penstock_arrow::found::SCALARS;
use penstock_arrow::{DataType, Field, Schema, TimeUnit};
use penstock_scan::make_room;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyList, PyTuple, PyType};
use std::ffi::{CStr, c_char, c_void};

/// How deep columns may be inside of each other in a schema. The consumers of schemas recurse.
const DEEPEST: usize = 64;

/// The name of the extension type of the column of keys by which the records were found.
pub(crate) const KEY: &str = "penstock.key";

/// A schema as C sees it.
#[repr(C)]
struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut CSchema,
    dictionary: *mut CSchema,
    release: Option<unsafe extern "C" fn(*mut CSchema)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<CSchema>() == size_of::<FFI_ArrowSchema>());

/// Whether an object is no type, and has a schema to export.
pub(crate) fn is_schema(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyType>() {
        return Ok(false);
    }
    object.hasattr(intern!(object.py(), "__arrow_c_schema__"))
}

/// The schema that an object exports by `__arrow_c_schema__`.
///
/// # Errors
/// A `TypeError` if it exports something else, a `PlanError` for a type that Arrow for Rust does not
/// know or that is nested too deep, and whatever the object raises.
pub(crate) fn imported(object: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let py = object.py();
    let capsule = object.call_method0(intern!(py, "__arrow_c_schema__"))?;
    let Ok(capsule) = capsule.cast::<PyCapsule>() else {
        let kind = capsule.get_type().name()?;
        let reason = format!("__arrow_c_schema__ must return a capsule, not {kind}");
        return Err(PyTypeError::new_err(reason));
    };
    of_capsule(capsule)
}

/// The schema in a capsule named `arrow_schema`. The capsule keeps it.
///
/// # Errors
/// As for [`imported`].
pub(crate) fn of_capsule(capsule: &Bound<'_, PyCapsule>) -> PyResult<Schema> {
    let py = capsule.py();
    let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?;
    // SAFETY: a capsule of this name holds a schema of C's interface, and lives as long as `capsule`.
    let given = unsafe { pointer.cast::<CSchema>().as_ref() };
    if given.release.is_none() {
        return Err(PyValueError::new_err("the Arrow schema in the capsule was taken already"));
    }
    // SAFETY: it is not released, and what is in it lives as long as it does.
    if let Err(reason) = unsafe { check(given, DEEPEST) } {
        let reason = match reason {
            Some(reason) => format!("the Arrow schema is not valid: {reason}"),
            None => format!("the Arrow schema is nested more than {DEEPEST} deep"),
        };
        return Err(plan_error(py, reason));
    }
    // SAFETY: as above; the two structs are the same one of C.
    let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
    if schema.format() != "+s" {
        let reason = "an Arrow schema of one column is no schema of records: it must be a struct";
        return Err(PyTypeError::new_err(reason));
    }
    let mut fields = Vec::new();
    for child in schema.children() {
        let field = Field::try_from(child).map_err(|error| {
            let name = child.name().unwrap_or_default();
            plan_error(py, format!("the column {name:?} of the schema has no known type: {error}"))
        })?;
        make_room(&mut fields, 1);
        fields.push(field);
    }
    Ok(Schema::new(fields))
}

/// Whether a schema is what the interface says, with everything in it: names and types are UTF-8, and
/// there are the children of each type. Arrow's own conversion panics otherwise, and calls itself for
/// each level.
///
/// # Errors
/// What is wrong. Nothing, if it is only nested too deep.
///
/// # Safety
/// The schema is not released. Each text that it has ends with a NUL, and it has as many children as it
/// says.
unsafe fn check(schema: &CSchema, deepest: usize) -> Result<(), Option<String>> {
    let mut left: Vec<(&CSchema, usize)> = vec![(schema, 0)];
    while let Some((at, depth)) = left.pop() {
        if depth > deepest {
            return Err(None);
        }
        // SAFETY: the caller's promise.
        let text = |text: *const c_char| unsafe { CStr::from_ptr(text) };
        if !at.name.is_null() && text(at.name).to_str().is_err() {
            let name = text(at.name).to_string_lossy();
            return Err(Some(format!("the name of a column is not UTF-8: {name:?}")));
        }
        if at.format.is_null() {
            return Err(Some("a column has no type".to_owned()));
        }
        let format = text(at.format).to_str().map_err(|_| {
            let format = text(at.format).to_string_lossy();
            Some(format!("the type of a column is not UTF-8: {format:?}"))
        })?;
        let count = usize::try_from(at.n_children).unwrap_or_default();
        let least = match format {
            "+l" | "+L" | "+vl" | "+vL" | "+m" => 1,
            "+r" => 2,
            _ if format.starts_with("+w") => 1,
            // A union says the numbers of its types, which are those of the children.
            _ => match format.strip_prefix("+ud:").or_else(|| format.strip_prefix("+us:")) {
                None => 0,
                Some(ids) => {
                    let most = ids.split(',').filter_map(|id| id.parse::<usize>().ok()).max();
                    most.map_or(0, |id| id + 1)
                }
            },
        };
        if count < least || (count > 0 && at.children.is_null()) {
            return Err(Some("a type without the types that are in it".to_owned()));
        }
        for index in 0..count {
            // SAFETY: a schema has as many children as it says, and they live as long as it does.
            let Some(child) = (unsafe { (*at.children.add(index)).as_ref() }) else {
                return Err(Some("a type without the types that are in it".to_owned()));
            };
            make_room(&mut left, 1);
            left.push((child, depth + 1));
        }
        // SAFETY: as above.
        if let Some(words) = unsafe { at.dictionary.as_ref() } {
            make_room(&mut left, 1);
            left.push((words, depth + 1));
        }
    }
    Ok(())
}

/// The same for a schema that is about to be imported with its arrays.
///
/// # Errors
/// What is wrong.
pub(crate) fn check_imported(
    schema: &FFI_ArrowSchema,
    deepest: usize,
) -> Result<(), Option<String>> {
    // SAFETY: the two structs are the same one of C. Whoever gives a schema promises the rest.
    unsafe { check(&*(&raw const *schema).cast::<CSchema>(), deepest) }
}

/// The class that a schema means: a `TypedDict` with its fields as keys.
///
/// # Errors
/// A `PlanError` for a type that has no column here.
pub(crate) fn class_of<'py>(
    py: Python<'py>,
    schema: &Schema,
    has_elements: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut names: Vec<&str> = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        if names.contains(&field.name().as_str()) {
            return Err(twice(py, field.name()));
        }
        names.push(field.name());
    }
    let fields = described(py, schema.fields().iter().map(AsRef::as_ref), "")?;
    let make = py.import(intern!(py, modules::SCHEMAS))?.getattr(intern!(py, "record"))?;
    make.call1((fields, has_elements))
}

fn twice(py: Python<'_>, name: &str) -> PyErr {
    plan_error(py, format!("the schema has two columns {name:?}"))
}

/// Fields as `penstock._arrow.schemas` takes them: name, kind, arguments, whether null is a value, and
/// the fields inside.
fn described<'a, 'py>(
    py: Python<'py>,
    fields: impl Iterator<Item = &'a Field>,
    path: &str,
) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for field in fields {
        let path =
            if path.is_empty() { field.name().clone() } else { format!("{path}/{}", field.name()) };
        all.append(one(py, field, &path)?)?;
    }
    Ok(all)
}

/// Whether values of a type are strings, however they are stored.
fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn one<'py>(py: Python<'py>, field: &Field, path: &str) -> PyResult<Bound<'py, PyTuple>> {
    let none = || PyList::empty(py);
    let no = || PyTuple::empty(py);
    let refused = || {
        let kind = field.data_type();
        plan_error(py, format!("the column {path:?} of the schema is {kind}: no record has that"))
    };
    let uuid = field.extension_type_name() == Some("arrow.uuid");
    let (kind, arguments, inside) = match field.data_type() {
        DataType::Null => ("null", no(), none()),
        DataType::Boolean => ("bool", no(), none()),
        DataType::Int8 => ("int8", no(), none()),
        DataType::Int16 => ("int16", no(), none()),
        DataType::Int32 => ("int32", no(), none()),
        DataType::Int64 => ("int64", no(), none()),
        DataType::UInt8 => ("uint8", no(), none()),
        DataType::UInt16 => ("uint16", no(), none()),
        DataType::UInt32 => ("uint32", no(), none()),
        DataType::UInt64 => ("uint64", no(), none()),
        DataType::Float32 => ("float32", no(), none()),
        DataType::Float64 => ("float64", no(), none()),
        kind if is_text(kind) && field.extension_type_name() == Some("arrow.json") => {
            ("json", no(), none())
        }
        kind if is_text(kind) && field.extension_type_name() == Some(SCALARS) => {
            ("scalars", no(), none())
        }
        kind if is_text(kind) && field.extension_type_name() == Some(KEY) => ("key", no(), none()),
        kind if is_text(kind) => ("str", no(), none()),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => ("bytes", no(), none()),
        DataType::FixedSizeBinary(16) if uuid => ("uuid", no(), none()),
        DataType::Date32 => ("date", no(), none()),
        DataType::Time64(TimeUnit::Microsecond) => ("time", no(), none()),
        DataType::Duration(TimeUnit::Microsecond) => ("duration", no(), none()),
        DataType::Timestamp(unit, zone) => {
            let utc = match zone.as_deref() {
                None => false,
                Some("UTC" | "+00:00" | "Z" | "Etc/UTC") => true,
                Some(_) => return Err(refused()),
            };
            let unit = match unit {
                TimeUnit::Second => "s",
                TimeUnit::Millisecond => "ms",
                TimeUnit::Microsecond => "us",
                TimeUnit::Nanosecond => "ns",
            };
            ("timestamp", (unit, utc).into_pyobject(py)?, none())
        }
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale)
            if (0..=*precision as i16).contains(&i16::from(*scale)) =>
        {
            ("decimal", (*precision, *scale).into_pyobject(py)?, none())
        }
        DataType::Dictionary(places, words) if places.is_integer() && is_text(words) => {
            ("dictionary", no(), none())
        }
        DataType::List(item) | DataType::LargeList(item) => {
            ("list", no(), described(py, std::iter::once(item.as_ref()), path)?)
        }
        DataType::FixedSizeList(item, count) => {
            let inside = described(py, std::iter::once(item.as_ref()), path)?;
            ("array", (*count,).into_pyobject(py)?, inside)
        }
        DataType::Struct(fields) => {
            let mut names: Vec<&str> = Vec::with_capacity(fields.len());
            for field in fields {
                if names.contains(&field.name().as_str()) {
                    return Err(twice(py, field.name()));
                }
                names.push(field.name());
            }
            ("struct", no(), described(py, fields.iter().map(AsRef::as_ref), path)?)
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) if pair.len() == 2 && !pair[0].data_type().is_nested() => {
                ("map", no(), described(py, pair.iter().map(AsRef::as_ref), path)?)
            }
            _ => return Err(refused()),
        },
        _ => return Err(refused()),
    };
    let nullable = PyBool::new(py, field.is_nullable());
    (field.name(), kind, arguments, nullable, inside).into_pyobject(py)
}
