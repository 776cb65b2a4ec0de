//! Whether pydantic makes a `Decimal` from a value that a validator sees before it is decoded.
//!
//! The answer is in the schema that pydantic makes of each class: nested dicts that name their
//! `type`, with `definition-ref` where they refer to one of the `definitions`.
//! <https://docs.pydantic.dev/latest/api/pydantic_core_schema/>

use std::collections::HashSet;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

/// The keys of a schema whose values are the user's, and not schemas.
const NO_SCHEMAS: [&str; 4] = ["metadata", "serialization", "default", "expected"];

/// True if a `Decimal` is made somewhere in an object of the class, or in one field of it.
pub(in crate::plan) fn are_made<'py>(
    class: &Bound<'py, PyType>,
    field: Option<&Bound<'py, PyString>>,
) -> PyResult<bool> {
    are_in(class.getattr(intern!(class.py(), "__pydantic_core_schema__"))?, field)
}

/// True if a `Decimal` is made somewhere in a value of the schema, or in one field of it.
pub(in crate::plan) fn are_in<'py>(
    schema: Bound<'py, PyAny>,
    field: Option<&Bound<'py, PyString>>,
) -> PyResult<bool> {
    let py = schema.py();
    // A schema that does not exist yet is made when it is read.
    let schema = py.get_type::<PyDict>().call1((schema,))?.cast_into::<PyDict>()?;
    let definitions = PyDict::new(py);
    let mut described = Some(schema.clone().into_any());
    if let Some(listed) = schema.get_item(intern!(py, "definitions"))? {
        for definition in listed.try_iter()? {
            let definition = definition?;
            definitions.set_item(definition.get_item(intern!(py, "ref"))?, definition)?;
        }
        // The definitions are only referred to; the schema itself is under its key.
        described = schema.get_item(intern!(py, "schema"))?;
    }
    let open = described.into_iter().collect();
    let mut parts = Parts { definitions, open, seen: HashSet::new() };
    if let Some(name) = field {
        while let Some(part) = parts.next()? {
            if let Some(field) = field_of(&part, name)? {
                parts.open = vec![field];
                break;
            }
        }
    }
    while let Some(part) = parts.next()? {
        if let Some(kind) = part.get_item(intern!(py, "type"))?
            && kind.eq("decimal")?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The schema of a field, if `part` is the schema of the fields of a class.
fn field_of<'py>(
    part: &Bound<'py, PyDict>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = part.py();
    let Some(fields) = part.get_item(intern!(py, "fields"))? else { return Ok(None) };
    if let Ok(fields) = fields.cast::<PyDict>() {
        return fields.get_item(name);
    }
    // A dataclass has a list of them.
    let Ok(fields) = fields.cast_into::<PyList>() else { return Ok(None) };
    for field in &fields {
        // The schema around it lists their names alone.
        let Ok(field) = field.cast_into::<PyDict>() else { continue };
        let own = field.get_item(intern!(py, "name"))?;
        if own.map_or(Ok(false), |own| own.eq(name))? {
            return Ok(Some(field.into_any()));
        }
    }
    Ok(None)
}

/// All dicts in a schema, and in the definitions that it refers to, each once.
struct Parts<'py> {
    definitions: Bound<'py, PyDict>,
    open: Vec<Bound<'py, PyAny>>,
    seen: HashSet<usize>,
}

impl<'py> Parts<'py> {
    fn next(&mut self) -> PyResult<Option<Bound<'py, PyDict>>> {
        while let Some(part) = self.open.pop() {
            if !self.seen.insert(part.as_ptr() as usize) {
                continue;
            }
            if let Ok(list) = part.cast::<PyList>() {
                self.open.extend(list);
            } else if let Ok(tuple) = part.cast::<PyTuple>() {
                self.open.extend(tuple);
            } else if let Ok(part) = part.cast_into::<PyDict>() {
                self.open_all_of(&part)?;
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    fn open_all_of(&mut self, part: &Bound<'py, PyDict>) -> PyResult<()> {
        for (key, value) in part {
            if key.eq("schema_ref")? {
                self.open.extend(self.definitions.get_item(value)?);
            } else if !NO_SCHEMAS.iter().any(|known| key.eq(known).unwrap_or(false)) {
                self.open.push(value);
            }
        }
        Ok(())
    }
}
