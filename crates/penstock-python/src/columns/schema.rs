//! Schemas of other libraries: an Arrow schema in a capsule, and the type of records that it means.
//!
//! The fields of a schema are the keys of a record, so a `TypedDict` says the same. It is made by
//! `penstock._arrow.schemas`, of the description that is made here.

use super::capsule;
use crate::failure::guarded;
use crate::modules;
use crate::plan::plan_error;
use crate::printable::printable;
use penstock_arrow::ffi::FFI_ArrowSchema;
use penstock_arrow::found::{At, Conflict, Found, Unfound};
use penstock_arrow::requested::agreed;
use penstock_arrow::{DataType, Field, FieldRef, Finder, Schema, SchemaRef, Seen, TimeUnit};
use penstock_scan::make_room;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyList, PyString, PyTuple, PyType};
use std::ffi::{CStr, c_char, c_void};

/// How deep columns may be inside of each other in a schema. The consumers of schemas recurse.
const DEEPEST: usize = 64;

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

/// The schema in which columns are handed to a consumer that asks for another one.
///
/// # Errors
/// As for [`of_capsule`], and a `ValueError` if it is no schema of these columns.
pub(super) fn requested(
    own: &SchemaRef,
    capsule: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<SchemaRef>> {
    let Some(capsule) = capsule else { return Ok(None) };
    let Ok(capsule) = capsule.cast::<PyCapsule>() else {
        let kind = capsule.get_type().name()?;
        let reason = format!("requested_schema must be a capsule or None, not {kind}");
        return Err(PyTypeError::new_err(reason));
    };
    let agreed = agreed(own, &of_capsule(capsule)?).map_err(PyValueError::new_err)?;
    Ok((agreed != *own).then_some(agreed))
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
pub(super) fn check_imported(
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

/// The columns of records: their names and types. `penstock.schema` finds it.
///
/// Pass it to `read` and `columns` in place of a class, and to whatever takes an Arrow schema:
/// `pyarrow.schema(schema)`.
///
/// Example:
///     >>> import io, penstock
///     >>> rows = io.BytesIO(b"name,size\nBern,134591\nBasel,\n")
///     >>> penstock.schema(rows, format="csv")
///     Schema(name: Utf8, size: Int64 | null)
#[pyclass(frozen, name = "Schema", module = "penstock")]
pub(crate) struct SchemaObject {
    schema: SchemaRef,
    /// What was found in records, if it was.
    origin: Option<Origin>,
}

/// What was found in parts of records, and what these are called.
struct Origin {
    found: Found,
    parts: Vec<Box<str>>,
}

/// A place as Python holds it: see [`Seen`].
type Told = (
    String,
    u8,
    u32,
    (u32, u64),
    u16,
    Option<(u32, u64)>,
    (i64, u64, u32, u32),
    (bool, bool),
    (u64, u64, u64),
    bool,
);

impl SchemaObject {
    pub(crate) fn new(schema: SchemaRef) -> Self {
        SchemaObject { schema, origin: None }
    }

    /// The schema of the records that were read.
    pub(crate) fn found(py: Python<'_>, finder: Finder) -> PyResult<Self> {
        let (found, parts) = finder.into_parts();
        Self::of_origin(py, Origin { found, parts })
    }

    fn of_origin(py: Python<'_>, origin: Origin) -> PyResult<Self> {
        let schema = origin.found.schema();
        let schema = schema.map_err(|why| plan_error(py, why.to_string()))?;
        Ok(SchemaObject { schema: schema.into(), origin: Some(origin) })
    }

    fn origin(&self) -> PyResult<&Origin> {
        let why = "this schema is that of a class, and was not found in records";
        self.origin.as_ref().ok_or_else(|| PyTypeError::new_err(why))
    }
}

impl Origin {
    /// Adds what was found in other parts, which come behind these.
    fn merge(&mut self, py: Python<'_>, other: &Origin) -> PyResult<()> {
        let mut found = other.found.clone();
        found.number(u32::try_from(self.parts.len()).unwrap_or(u32::MAX), 0, 0);
        make_room(&mut self.parts, other.parts.len());
        self.parts.extend(other.parts.iter().cloned());
        match self.found.merge(&found) {
            Ok(()) => Ok(()),
            Err(Unfound::Conflict(conflict)) => Err(self.conflict(py, conflict)),
            Err(why) => Err(plan_error(py, why.to_string())),
        }
    }

    /// The exception for values of two kinds at one place.
    #[cold]
    fn conflict(&self, py: Python<'_>, conflict: Conflict) -> PyErr {
        let place = |at: Option<At>| {
            let at = at?;
            Some(format!(" as in record {} of {}", at.record, self.parts.get(at.part as usize)?))
        };
        let [(expected, one), (got, other)] = conflict.kinds;
        let (one, other) = (place(one).unwrap_or_default(), place(other).unwrap_or_default());
        let reason = format!("expected {expected}{one}, got {got}{other}");
        let work = || {
            let attributes = PyDict::new(py);
            attributes.set_item(intern!(py, "path"), conflict.path)?;
            attributes.set_item(intern!(py, "code"), "type")?;
            let class = py.import(modules::ERRORS)?.getattr("ValidationError")?;
            class.call((reason,), Some(&attributes))
        };
        work().map_or_else(|error| error, PyErr::from_value)
    }
}

/// The schema that was found, and then sent to this process.
#[pyfunction]
#[pyo3(signature = (parts, seen, /))]
pub(crate) fn schema_of_seen(
    py: Python<'_>,
    parts: Vec<String>,
    seen: Vec<Told>,
) -> PyResult<SchemaObject> {
    guarded(py, || {
        let place = |told: Told| {
            let (name, step, parent, order, kinds, first, numbers, wide, counts, repeats) = told;
            Seen { name, step, parent, order, kinds, first, numbers, wide, counts, repeats }
        };
        let seen: Vec<Seen> = seen.into_iter().map(place).collect();
        let found = Found::of_seen(&seen);
        let found =
            found.ok_or_else(|| PyValueError::new_err("this is no schema that was found"))?;
        let parts = parts.into_iter().map(String::into_boxed_str).collect();
        SchemaObject::of_origin(py, Origin { found, parts })
    })
}

#[pymethods]
impl SchemaObject {
    /// The schema, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, &self.schema))
    }

    /// The names of the columns.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || PyList::new(py, self.schema.fields().iter().map(|field| field.name())))
    }

    /// Return the schema that one pass over all of these records finds: over those of this schema,
    /// and then over those of the others.
    ///
    /// So parts of the records can be read in several processes: `penstock.split` makes parts, and
    /// `Split.schema` finds the schema of one. In what order the parts are merged does not matter, but for
    /// the order of the columns, which is that of their first appearance.
    ///
    /// Args:
    ///     others: Schemas that were found in records. They can be pickled.
    ///
    /// Raises:
    ///     ValidationError: Values of two kinds are in one place.
    ///     PlanError: There are too many columns; or no column holds all numbers of a place exactly.
    ///     TypeError: One of them is the schema of a class.
    ///
    /// Example:
    ///     >>> import pathlib, penstock
    ///     >>> path = pathlib.Path("readings.ndjson")
    ///     >>> _ = path.write_text('{"level": 2, "note": "low"}\n{"level": 2.5}\n')
    ///     >>> first, last = (part.schema() for part in penstock.split(path, parts=2))
    ///     >>> first, first.merge(last)
    ///     (Schema(level: Int64, note: Utf8), Schema(level: Float64, note: Utf8 | null))
    #[pyo3(signature = (*others))]
    fn merge(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let py = others.py();
        guarded(py, || {
            let Origin { found, parts } = self.origin()?;
            let mut all = Origin { found: found.clone(), parts: parts.clone() };
            for other in others {
                let Ok(other) = other.cast::<SchemaObject>() else {
                    let name = other.get_type().name()?;
                    return Err(PyTypeError::new_err(format!("expected a Schema, got {name}")));
                };
                all.merge(py, other.get().origin()?)?;
            }
            SchemaObject::of_origin(py, all)
        })
    }

    /// Pickle what was found.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(py, || {
            let Origin { found, parts } = self.origin()?;
            let told = |seen: Seen| {
                let Seen { name, step, parent, order, kinds, first, numbers, wide, .. } = seen;
                let Seen { counts, repeats, .. } = seen;
                (name, step, parent, order, kinds, first, numbers, wide, counts, repeats)
            };
            let seen: Vec<Told> = found.seen().into_iter().map(told).collect();
            let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
            let restored = py.import(modules::COLUMN_TYPES)?.getattr("restored")?;
            (restored, (parts, seen)).into_pyobject(py)
        })
    }

    /// For the command line: the columns, each after the one that it is in, with its depth, its name,
    /// its type, and whether it may hold null.
    fn _lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || {
            let lines = PyList::empty(py);
            let mut left = Vec::new();
            push_fields(&mut left, self.schema.fields(), 0);
            while let Some((depth, field)) = left.pop() {
                let (kind, inside) = outlined(field);
                lines.append((depth, field.name(), kind, field.is_nullable()))?;
                push_fields(&mut left, inside, depth + 1);
            }
            Ok(lines)
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<SchemaObject>().is_ok_and(|other| other.get().schema == self.schema)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || printable(py, &shown("Schema", &self.schema)))
    }
}

/// Puts fields on a stack, the first one on top.
fn push_fields<'a>(left: &mut Vec<(usize, &'a Field)>, fields: &'a [FieldRef], depth: usize) {
    make_room(left, fields.len());
    left.extend(fields.iter().rev().map(|field| (depth, &**field)));
}

/// The type of a field in a few words, and the fields of the structs in it.
fn outlined(field: &Field) -> (String, &[FieldRef]) {
    let inner = |field: &Field| {
        let null = if field.is_nullable() { " | null" } else { "" };
        format!("{}{null}", outlined(field).0)
    };
    if let Some(name) = field.extension_type_name() {
        return (name.to_owned(), &[]);
    }
    match field.data_type() {
        DataType::Struct(fields) => ("Struct".to_owned(), fields),
        DataType::List(item) => (format!("List({})", inner(item)), outlined(item).1),
        DataType::FixedSizeList(item, count) => {
            (format!("FixedSizeList({}, {count})", inner(item)), outlined(item).1)
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) if pair.len() == 2 => {
                let (key, value) = (inner(&pair[0]), inner(&pair[1]));
                (format!("Map({key}, {value})"), outlined(&pair[1]).1)
            }
            kind => (kind.to_string(), &[]),
        },
        kind => (kind.to_string(), &[]),
    }
}

/// A schema as `repr` shows it.
pub(super) fn shown(name: &str, schema: &Schema) -> String {
    let mut shown = format!("{name}(");
    for (index, field) in schema.fields().iter().enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        let null = if field.is_nullable() { " | null" } else { "" };
        let piece = format!("{separator}{}: {}{null}", field.name(), field.data_type());
        make_room(&mut shown, piece.len() + 1);
        shown.push_str(&piece);
    }
    shown.push(')');
    shown
}
