//! Plain annotated classes: no decorator, no base class, no `__init__` of interest.
//!
//! Such a class means `cls()` and then one attribute for each value. A default is the class's own
//! attribute, so nothing is stored for an absent value. If its `__init__` has parameters without
//! annotations, the annotations of the class give their types.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::classes::{self, Shape, Subject};
use super::signature::{self, Constructor, Parameters};
use crate::plan::make::build::{self, Reason};
use crate::plan::make::type_objects;
use crate::plan::types::known;
use crate::plan::{Absent, Build, is_object_of};

/// The annotated attributes of the class and its bases, those of the bases first.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let class = subject.class.clone();
    let fields = classes::annotated(subject, |class, name, _| absent(class, name))?;
    let reason = match own_code(&class)? {
        None => {
            let names: Vec<_> = fields.iter().map(|field| field.name.clone()).collect();
            match build::storage(&class, &names, None)? {
                Ok(build) => return Ok(Shape::new(fields, build)),
                // A property is set like any attribute, as the class intends.
                Err(reason) if type_objects::has_dict(&class) => reason,
                Err(reason) => {
                    return Err(subject.error(format_args!(" cannot be filled: {reason}")));
                }
            }
        }
        Some(reason) => reason,
    };
    if takes_anything(&class)? {
        let asked = fields.len();
        let shape = signature::called(subject, fields, reason)?;
        return match &shape.why_called {
            Some(reason) if shape.fields.is_empty() && asked > 0 => {
                Err(subject.error(format_args!(": {reason}, which takes none of its attributes")))
            }
            _ => Ok(shape),
        };
    }
    Ok(Shape { why_called: Some(reason), ..Shape::new(fields, Build::Fill) })
}

/// The user code that runs when an object of the class is made and filled, if there is some.
fn own_code(class: &Bound<'_, PyType>) -> PyResult<Option<Reason>> {
    if !type_objects::has_plain_init(class) && !is_of_protocol(class)? {
        let owner = type_objects::owner(class, intern!(class.py(), "__init__"));
        let owner = owner.map_or_else(|| class.clone(), |(owner, _)| owner);
        return Ok(Some(format!("{} has its own __init__", owner.name()?)));
    }
    if let Some(reason) = build::own_creation(class)? {
        return Ok(Some(reason));
    }
    let plain = type_objects::has_plain_setattr(class);
    Ok((!plain).then_some(format!("{} overrides __setattr__", class.name()?)))
}

/// True if the `__init__` is the one that `typing` gives to protocols: in their subclasses it
/// replaces that of `object`.
fn is_of_protocol(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let Some(init) = type_objects::attribute(class, intern!(py, "__init__")) else {
        return Ok(false);
    };
    let module = init.getattr_opt(intern!(py, "__module__"))?;
    Ok(module.is_some_and(|module| module.eq("typing").unwrap_or(false)))
}

/// True if the class may be called with arguments, as far as its constructor says.
fn takes_anything(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let Some(constructor) = Constructor::of(class)? else { return Ok(false) };
    let parameters = Parameters::of(&constructor.parts)?;
    let by_name = !parameters.list.is_empty() || parameters.takes_any_keyword;
    // A `__new__` that takes any arguments leaves them to the `__init__`, and there is none.
    Ok(by_name && !(constructor.name == "__new__" && parameters.list.is_empty()))
}

/// What an object of the class has as the attribute when nothing is stored.
fn absent(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> Absent {
    match type_objects::attribute(class, name) {
        // If SQLAlchemy cannot say it, the key is required.
        Some(found) if is_mapped(&found) => absent_column(&found).unwrap_or(Absent::Error),
        Some(found) if !type_objects::is_data_descriptor(&found) => Absent::Unset,
        _ => Absent::Error,
    }
}

/// Whether an attribute of a class is a column or a relation of SQLAlchemy.
fn is_mapped(attribute: &Bound<'_, PyAny>) -> bool {
    let mapped = known::SQLALCHEMY_MAPPED.get(attribute.py());
    let mapped = mapped.and_then(|mapped| mapped.cast::<PyType>().ok());
    mapped.is_some_and(|mapped| is_object_of(attribute, mapped))
}

/// A column may be absent if the database, or SQLAlchemy, has a value for it; and a relation may.
fn absent_column(attribute: &Bound<'_, PyAny>) -> PyResult<Absent> {
    let py = attribute.py();
    let property = attribute.getattr(intern!(py, "property"))?;
    let Some(columns) = property.getattr_opt(intern!(py, "columns"))? else {
        return Ok(Absent::Unset);
    };
    let column = columns.get_item(0)?;
    let has = |name| -> PyResult<bool> { Ok(!column.getattr(name)?.is_none()) };
    let is_filled = column.getattr(intern!(py, "nullable"))?.is_truthy()?
        || column.getattr(intern!(py, "primary_key"))?.is_truthy()?
        || has(intern!(py, "default"))?
        || has(intern!(py, "server_default"))?;
    Ok(if is_filled { Absent::Unset } else { Absent::Error })
}
