//! Streams and arrays of others, through Arrow's C interface.
//!
//! What is trusted: the structures themselves, and that each buffer is as long as its array says,
//! because the interface has no other word for that. All that can be found in the buffers is
//! checked before anybody reads it: offsets, the keys of dictionaries, views, and UTF-8.

use crate::edge::errors::{self, Named};
use crate::plan::types::arrow_schema::check_imported;
use penstock_arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use penstock_arrow::ffi_stream::FFI_ArrowArrayStream;
use penstock_arrow::tell::DEEPEST;
use penstock_arrow::{ArrayRef, DataType, Field, FieldRef, Fields, make_array};
use penstock_core::run::Spot;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_int};
use std::sync::Arc;

/// What messages call a stream.
pub(crate) const STREAM: &str = "<Arrow stream>";

/// The number of an error that means a lack of memory.
const ENOMEM: c_int = 12;

/// The arrays of an object, one after the other.
pub(crate) struct Imported {
    arrays: Arrays,
    field: FieldRef,
}

enum Arrays {
    Stream(Box<FFI_ArrowArrayStream>),
    One(Option<FFI_ArrowArray>),
}

/// Why there is no array.
pub(crate) enum Lost {
    /// The producer says so.
    Failed(c_int, String),
    /// What it gave is no array of its type.
    Wrong(String),
}

impl Lost {
    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        // An interrupt that ended the producer's own code is raised as that.
        if let Err(interrupt) = py.check_signals() {
            return interrupt;
        }
        let reason = match self {
            Lost::Failed(ENOMEM, _) => return PyMemoryError::new_err(()),
            Lost::Failed(number, text) if text.is_empty() => {
                format!("reading failed: error {number}")
            }
            Lost::Failed(_, text) => format!("reading failed: {text}"),
            Lost::Wrong(reason) => format!("the columns are not valid: {reason}"),
        };
        let place = Named::new("arrow", Some(STREAM)).at(Spot::default());
        errors::of_decode(py, &reason, &place).unwrap_or_else(|instead| instead)
    }
}

impl Imported {
    /// The arrays of an object with `__arrow_c_stream__` or `__arrow_c_array__`.
    ///
    /// # Errors
    /// It has neither, its method raises, or it gives something else.
    pub(crate) fn of(verb: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
            return Imported::of_stream(py, &method.call0()?);
        }
        if let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            return Imported::of_array(&method.call0()?);
        }
        let kind = object.get_type().name()?;
        let reason = format!(
            "{verb}() takes an object with __arrow_c_stream__ or __arrow_c_array__, not {kind}"
        );
        Err(PyTypeError::new_err(reason))
    }

    fn of_stream(py: Python<'_>, capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let place: *mut FFI_ArrowArrayStream = pointer(capsule, c"arrow_array_stream")?;
        // SAFETY: a capsule of this name has a stream, and it stays while we hold the capsule.
        // What is moved out is marked as released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(place) };
        if stream.release().is_none() {
            return Err(PyValueError::new_err("this Arrow stream was taken already"));
        }
        let mut stream = Box::new(stream);
        let field = py.detach(|| schema_of(&mut stream)).map_err(|lost| lost.raised(py))?;
        Ok(Imported { arrays: Arrays::Stream(stream), field })
    }

    fn of_array(pair: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reason = "__arrow_c_array__ must give a schema and an array, each in a capsule";
        let pair = pair.cast::<PyTuple>().map_err(|_| PyTypeError::new_err(reason))?;
        if pair.len() != 2 {
            return Err(PyTypeError::new_err(reason));
        }
        let schema: *mut FFI_ArrowSchema = pointer(&pair.get_item(0)?, c"arrow_schema")?;
        let array: *mut FFI_ArrowArray = pointer(&pair.get_item(1)?, c"arrow_array")?;
        // SAFETY: capsules of these names have these structures, and stay while we hold the tuple.
        // The array is moved out, and marked as released.
        let (schema, array) = unsafe { (&*schema, FFI_ArrowArray::from_raw(array)) };
        if schema.release().is_none() || array.is_released() {
            return Err(PyValueError::new_err("this Arrow array was taken already"));
        }
        let field = field_of(schema).map_err(|lost| lost.raised(pair.py()))?;
        Ok(Imported { arrays: Arrays::One(Some(array)), field })
    }

    /// The type of the arrays: of records, a struct.
    pub(crate) fn field(&self) -> &FieldRef {
        &self.field
    }

    /// The next array, or none at the end. Needs no interpreter lock.
    ///
    /// # Errors
    /// The producer failed, or the array is not of its type.
    pub(crate) fn next(&mut self) -> Result<Option<ArrayRef>, Lost> {
        let array = match &mut self.arrays {
            Arrays::One(array) => match array.take() {
                Some(array) => array,
                None => return Ok(None),
            },
            Arrays::Stream(stream) => {
                let mut array = FFI_ArrowArray::empty();
                let Some(get_next) = stream.get_next() else {
                    return Err(Lost::Wrong("a stream without get_next".to_owned()));
                };
                // SAFETY: the stream is not released, nobody else uses it, and `array` is a place
                // for an array that holds none.
                let number = unsafe { get_next(&raw mut **stream, &raw mut array) };
                if number != 0 {
                    return Err(failed(stream, number));
                }
                if array.is_released() {
                    return Ok(None);
                }
                array
            }
        };
        let kind = self.field.data_type();
        fits(&array, kind).map_err(|reason| Lost::Wrong(reason.to_owned()))?;
        let kind = imported(&array, kind);
        // SAFETY: it has the buffers and children of its type. What else it must be is said at the
        // top of this file; what can be checked is checked below, before anything reads it.
        let data = unsafe { from_ffi_and_data_type(array, kind) };
        let data = data.map_err(|error| Lost::Wrong(error.to_string()))?;
        data.validate_full().map_err(|error| Lost::Wrong(error.to_string()))?;
        Ok(Some(make_array(data)))
    }
}

/// What is in a capsule.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        let name = name.to_string_lossy();
        PyTypeError::new_err(format!("expected a capsule {name:?}"))
    })?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

/// Why a stream failed.
#[cold]
fn failed(stream: &mut FFI_ArrowArrayStream, number: c_int) -> Lost {
    let Some(get_last_error) = stream.get_last_error() else {
        return Lost::Failed(number, String::new());
    };
    // SAFETY: the stream is not released, and its last call failed. The text stays until the next.
    let text = unsafe {
        let text = get_last_error(&raw mut *stream);
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into() }
    };
    Lost::Failed(number, text)
}

fn schema_of(stream: &mut FFI_ArrowArrayStream) -> Result<FieldRef, Lost> {
    let Some(get_schema) = stream.get_schema() else {
        return Err(Lost::Wrong("a stream without get_schema".to_owned()));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and `schema` is a place for a schema that holds none.
    let number = unsafe { get_schema(&raw mut *stream, &raw mut schema) };
    if number != 0 {
        return Err(failed(stream, number));
    }
    field_of(&schema)
}

/// The field that a schema says.
fn field_of(schema: &FFI_ArrowSchema) -> Result<FieldRef, Lost> {
    check_imported(schema, DEEPEST).map_err(|reason| {
        let deep = || format!("its columns are more than {DEEPEST} levels deep");
        Lost::Wrong(reason.unwrap_or_else(deep))
    })?;
    let field = Field::try_from(schema).map_err(|error| Lost::Wrong(error.to_string()))?;
    Ok(Arc::new(field))
}

/// The type as which an array is imported. An array of nulls has no buffers, but polars gives it the
/// one that a struct without columns has; the values are the same.
fn imported(array: &FFI_ArrowArray, kind: &DataType) -> DataType {
    let inside = |number: usize, field: &FieldRef| -> FieldRef {
        let kind = imported(array.child(number), field.data_type());
        match kind == *field.data_type() {
            true => Arc::clone(field),
            false => Arc::new(field.as_ref().clone().with_data_type(kind)),
        }
    };
    match kind {
        DataType::Null if array.num_buffers() == 1 => DataType::Struct(Fields::empty()),
        DataType::List(item) => DataType::List(inside(0, item)),
        DataType::LargeList(item) => DataType::LargeList(inside(0, item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inside(0, item), *size),
        DataType::ListView(item) => DataType::ListView(inside(0, item)),
        DataType::LargeListView(item) => DataType::LargeListView(inside(0, item)),
        DataType::Map(entries, sorted) => DataType::Map(inside(0, entries), *sorted),
        DataType::Struct(fields) => {
            let fields = fields.iter().enumerate();
            DataType::Struct(fields.map(|(number, field)| inside(number, field)).collect())
        }
        kind => kind.clone(),
    }
}

/// Whether an array has as many buffers and children as its type, at least.
fn fits(array: &FFI_ArrowArray, kind: &DataType) -> Result<(), &'static str> {
    let most = isize::MAX as usize / 32;
    if array.len() > most || array.offset() > most {
        return Err("an array of an impossible length");
    }
    let one: [&DataType; 1];
    let two: [&DataType; 2];
    let several: Vec<&DataType>;
    let (buffers, inside): (usize, &[&DataType]) = match kind {
        DataType::Null => (0, &[]),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => (3, &[]),
        DataType::Utf8View | DataType::BinaryView => (3, &[]),
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            one = [item.data_type()];
            (2, &one)
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            one = [item.data_type()];
            (3, &one)
        }
        DataType::FixedSizeList(item, _) => {
            one = [item.data_type()];
            (1, &one)
        }
        DataType::Struct(fields) => {
            several = fields.iter().map(|field| field.data_type()).collect();
            (1, &several)
        }
        DataType::RunEndEncoded(ends, values) => {
            two = [ends.data_type(), values.data_type()];
            (0, &two)
        }
        _ => (2, &[]),
    };
    if array.num_buffers() < buffers {
        return Err("an array with fewer buffers than its type has");
    }
    if array.num_children() != inside.len() {
        return Err("an array with other arrays in it than its type has");
    }
    for (number, kind) in inside.iter().enumerate() {
        fits(array.child(number), kind)?;
    }
    match (kind, array.dictionary()) {
        (DataType::Dictionary(_, values), Some(dictionary)) => fits(dictionary, values),
        (DataType::Dictionary(..), None) => Err("an array of keys without their dictionary"),
        _ => Ok(()),
    }
}
