//! Structs of msgspec.
//!
//! Their slots are filled as msgspec's own constructor fills them. A Struct with more than slots is
//! called. The options that say how a Struct is encoded also say what the document has: the names,
//! the tag, arrays for objects, and whether unknown keys are refused.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use super::classes::{Declared, Shape, Subject};
use crate::plan::make::{build, type_objects};
use crate::plan::types::wrappers::is_instance;
use crate::plan::types::{choice, known};
use crate::plan::{Absent, Build, Kind, NodeId};

/// The fields of the Struct, and how it is made.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let tuple = |name: &Bound<'py, PyString>| -> PyResult<Bound<'py, PyTuple>> {
        Ok(class.getattr(name)?.cast_into()?)
    };
    if class.getattr_opt(intern!(py, "__struct_fields__"))?.is_none() {
        let reason =
            " is not complete: msgspec tells its fields once __init_subclass__ has returned";
        return Err(subject.error(reason));
    }
    let names = tuple(intern!(py, "__struct_fields__"))?;
    let keys = tuple(intern!(py, "__struct_encode_fields__"))?;
    let defaults = tuple(intern!(py, "__struct_defaults__"))?;
    let by_position = tuple(intern!(py, "__match_args__"))?;
    let config = class.getattr(intern!(py, "__struct_config__"))?;
    let is = |name: &Bound<'py, PyString>| config.getattr(name)?.is_truthy();
    let mut fields = Vec::with_capacity(names.len() + 1);
    fields.extend(tag(subject, &config)?);
    let first = fields.len();
    for (place, (name, key)) in names.iter().zip(&keys).enumerate() {
        let name = name.cast_into::<PyString>()?;
        let default = (place + defaults.len()).checked_sub(names.len());
        let default = default.and_then(|place| defaults.get_item(place).ok());
        let mut field = declared(subject, &name, absent(default)?)?;
        if field.key.is_none() && !key.eq(&name)? {
            field.key = Some(key.extract()?);
        }
        fields.push(field);
    }
    // Keyword-only fields are at the end, whichever class they are from.
    let positional = by_position.len().min(names.len());
    let keywords = names.as_sequence().get_slice(positional, names.len())?.to_tuple()?.unbind();
    let own_names: Vec<_> = fields[first..].iter().map(|field| field.name.clone()).collect();
    // A user's metaclass may call its classes in another way.
    let made = match known::MSGSPEC_META.is(class.get_type().as_any()) {
        true => build::structure(&class, &own_names, first)?,
        false => None,
    };
    let why_called = made
        .is_none()
        .then(|| format!("{} is a msgspec Struct with more to it than slots", subject.name));
    let build = made.unwrap_or(Build::Call { first, positional, keywords });
    Ok(Shape {
        why_called,
        forbids_unknown: is(intern!(py, "forbid_unknown_fields"))?,
        takes_rows: is(intern!(py, "array_like"))?,
        ..Shape::new(fields, build)
    })
}

/// True for a Struct that msgspec encodes as an array.
pub(in crate::plan) fn is_array_like(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    match type_objects::attribute(class, intern!(py, "__struct_fields__")) {
        None => Ok(false),
        Some(_) => {
            let config = class.getattr(intern!(py, "__struct_config__"))?;
            config.getattr(intern!(py, "array_like"))?.is_truthy()
        }
    }
}

/// A field of the Struct, by the annotation of the class that declares it.
fn declared<'py>(
    subject: &mut Subject<'_, 'py>,
    name: &Bound<'py, PyString>,
    absent: Absent,
) -> PyResult<Declared<'py>> {
    for base in type_objects::bases(&subject.class) {
        let Some(annotations) = subject.annotations(&base)? else { continue };
        let Some(annotation) = annotations.get_item(name)? else { continue };
        let scope = subject.scope(&base)?;
        let field = subject.field_type(name, annotation, &scope)?;
        return subject.declared(name.clone(), field, &scope, absent);
    }
    subject.undeclared(name.clone(), absent)
}

/// True for the object that says that a field has no value.
pub(crate) fn is_unset(object: &Bound<'_, PyAny>) -> bool {
    is_instance(object, &known::UNSET_TYPE) || is_instance(object, &known::MSGSPEC_UNSET_TYPE)
}

/// The value of an absent field.
fn absent(default: Option<Bound<'_, PyAny>>) -> PyResult<Absent> {
    Ok(match default {
        None => Absent::Error,
        Some(default) if known::MSGSPEC_NODEFAULT.is(&default) => Absent::Error,
        Some(default) if is_instance(&default, &known::MSGSPEC_FACTORY) => {
            Absent::Factory(default.getattr(intern!(default.py(), "factory"))?.unbind())
        }
        Some(default) => Absent::Value(default.unbind()),
    })
}

/// The key that distinguishes the Struct from others. If present, it must have this Struct's value.
fn tag<'py>(
    subject: &mut Subject<'_, 'py>,
    config: &Bound<'py, PyAny>,
) -> PyResult<Option<Declared<'py>>> {
    let py = subject.compiler.py;
    let value = config.getattr(intern!(py, "tag"))?;
    let Ok(name) = config.getattr(intern!(py, "tag_field"))?.cast_into::<PyString>() else {
        return Ok(None);
    };
    let node = tag_node(subject, &name, value)?;
    // In an array, it is the first item.
    let is_row = config.getattr(intern!(py, "array_like"))?.is_truthy()?;
    let is_row = is_row && !subject.compiler.form.has_elements();
    let absent = if is_row { Absent::Error } else { Absent::Unset };
    Ok(Some(Declared {
        name,
        key: None,
        node,
        at: None,
        absent,
        default: None,
        is_read: true,
        is_rest: false,
        columns: None,
    }))
}

fn tag_node<'py>(
    subject: &mut Subject<'_, 'py>,
    name: &Bound<'py, PyString>,
    value: Bound<'py, PyAny>,
) -> PyResult<NodeId> {
    let values = PyTuple::new(subject.compiler.py, [value])?;
    let (choice, written) = choice::of_literal(&values, subject.place(name.to_str()?))?;
    Ok(subject.compiler.push(Kind::Choice(Box::new(choice)), false, written))
}
