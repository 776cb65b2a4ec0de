//! `Schema`: the columns of records that were found, or that a class has.

use super::capsule;
use crate::edge::errors::guarded;
use crate::edge::modules;
use crate::edge::printable::printable;
use crate::plan::plan_error;
use crate::plan::types::arrow_schema::{KEY, of_capsule};
use penstock_arrow::found::{At, Conflict, Found, Unfound};
use penstock_arrow::requested::agreed;
use penstock_arrow::{DataType, Field, FieldRef, Finder, Schema, SchemaRef, Seen};
use penstock_scan::make_room;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;

/// The schema in which columns are handed to a consumer that asks for another one.
///
/// # Errors
/// As for [`of_capsule`], and a `ValueError` if it is no schema of these columns.
pub(crate) fn requested(
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
    /// How many records were left out.
    skipped: u64,
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
        SchemaObject { schema, origin: None, skipped: 0 }
    }

    /// The schema of the records that were read.
    pub(crate) fn found(py: Python<'_>, finder: Finder, skipped: u64) -> PyResult<Self> {
        let (found, parts) = finder.into_parts();
        Self::of_origin(py, Origin { found, parts }, skipped)
    }

    fn of_origin(py: Python<'_>, origin: Origin, skipped: u64) -> PyResult<Self> {
        let schema = origin.found.schema();
        let schema = schema.map_err(|why| plan_error(py, why.to_string()))?;
        Ok(SchemaObject { schema: schema.into(), origin: Some(origin), skipped })
    }

    /// The columns.
    pub(crate) fn fields(&self) -> &[FieldRef] {
        self.schema.fields()
    }

    /// The same with one more column for the keys by which the records were found.
    ///
    /// # Errors
    /// A `ValueError`: a column has the name.
    pub(crate) fn with_keys(&self, name: &str) -> PyResult<Self> {
        if self.fields().iter().any(|field| field.name() == name) {
            let reason = format!("key_column: the records have a column '{name}', too");
            return Err(PyValueError::new_err(reason));
        }
        let metadata = [
            ("ARROW:extension:name".to_owned(), KEY.to_owned()),
            ("ARROW:extension:metadata".to_owned(), String::new()),
        ];
        let field = Field::new(name, DataType::Utf8, false);
        let mut fields = self.fields().to_vec();
        fields.push(field.with_metadata(HashMap::from(metadata)).into());
        Ok(SchemaObject::new(Schema::new(fields).into()))
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
#[pyo3(signature = (parts, seen, skipped = 0, /))]
pub(crate) fn schema_of_seen(
    py: Python<'_>,
    parts: Vec<String>,
    seen: Vec<Told>,
    skipped: u64,
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
        SchemaObject::of_origin(py, Origin { found, parts }, skipped)
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

    /// How many records in error were left out when it was found, with `errors="skip"`.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> lines = io.BytesIO(b'{"size": 134591}\n{"size"}\n')
    ///     >>> penstock.schema(lines, format="ndjson", errors="skip").skipped
    ///     1
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        guarded(py, || Ok(self.skipped.into_pyobject(py)?))
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
            let mut skipped = self.skipped;
            for other in others {
                let Ok(other) = other.cast::<SchemaObject>() else {
                    let name = other.get_type().name()?;
                    return Err(PyTypeError::new_err(format!("expected a Schema, got {name}")));
                };
                all.merge(py, other.get().origin()?)?;
                skipped += other.get().skipped;
            }
            SchemaObject::of_origin(py, all, skipped)
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
            (restored, (parts, seen, self.skipped)).into_pyobject(py)
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
pub(crate) fn shown(name: &str, schema: &Schema) -> String {
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
