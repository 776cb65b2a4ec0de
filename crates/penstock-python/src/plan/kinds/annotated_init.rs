//! Classes whose fields are the parameters of their `__init__`.
//!
//! The function itself handles absent parameters. If it only stores its parameters, it need not be
//! called.

use pyo3::prelude::*;
use pyo3::types::PyType;

use super::classes::{Declared, Shape, Subject};
use super::signature::{self, Constructor, Parameter, Parameters};
use crate::plan::make::build;
use crate::plan::make::proof::{self, Stored};
use crate::plan::make::type_objects;
use crate::plan::{Absent, Build};

/// True if the constructor of the class has parameters, and annotations.
pub(in crate::plan) fn has_one(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let Some(constructor) = Constructor::of(class)? else { return Ok(false) };
    let parameters = Parameters::of(&constructor.parts)?;
    Ok(!parameters.list.is_empty() && !constructor.annotations()?.is_empty())
}

/// The parameters of the constructor.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let Some(constructor) = Constructor::of(&subject.class)? else {
        return Err(subject.error(" has no __init__ whose parameters can be read"));
    };
    let parameters = Parameters::of(&constructor.parts)?;
    let mut fields = declared(subject, &constructor, &parameters)?;
    if let Some((stored, build)) = filled(subject, &constructor, &parameters)? {
        let mut left: Vec<_> = fields.into_iter().map(Some).collect();
        fields = Vec::with_capacity(stored.len());
        for (name, place) in stored {
            let Some(mut field) = left[place].take() else { continue };
            let parameter = std::mem::replace(&mut field.name, name);
            if field.key.is_none() {
                field.key = Some(parameter.to_str()?.to_owned());
            }
            if let Some(default) = &parameters.list[place].default {
                field.absent = Absent::Value(default.clone().unbind());
            }
            fields.push(field);
        }
        return Ok(Shape::new(fields, build));
    }
    signature::called(subject, fields, constructor.reason()?)
}

/// The parameters as fields.
fn declared<'py>(
    subject: &mut Subject<'_, 'py>,
    constructor: &Constructor<'py>,
    parameters: &Parameters<'py>,
) -> PyResult<Vec<Declared<'py>>> {
    let annotations = constructor.annotations()?;
    // Names in quotes are looked up in the module where the function was written.
    let scope = subject.scope(&constructor.owner)?.with_names(&constructor.parts.globals);
    let mut fields = Vec::with_capacity(parameters.list.len());
    for Parameter { name, default } in &parameters.list {
        let absent = if default.is_some() { Absent::Unset } else { Absent::Error };
        fields.push(match annotations.get_item(name)? {
            Some(annotation) => {
                let field = subject.field_type(name, annotation, &scope)?;
                subject.declared(name.clone(), field, &scope, absent)?
            }
            None => subject.undeclared(name.clone(), absent)?,
        });
    }
    Ok(fields)
}

/// The attributes that `__init__` sets, each with the place of its parameter, and how to set them
/// without a call. None if a program could notice that `__init__` was not called.
fn filled<'py>(
    subject: &Subject<'_, 'py>,
    constructor: &Constructor<'py>,
    parameters: &Parameters<'py>,
) -> PyResult<Option<(Stored<'py>, Build)>> {
    let class = &subject.class;
    if constructor.is_wrapped
        || type_objects::has_plain_init(class)
        || !type_objects::has_plain_setattr(class)
        || build::own_creation(class)?.is_some()
    {
        return Ok(None);
    }
    let Some(stored) = proof::stored(&constructor.parts, parameters)? else { return Ok(None) };
    let names: Vec<_> = stored.iter().map(|(name, _)| name.clone()).collect();
    let build = build::storage(class, &names, None)?;
    Ok(build.ok().map(|build| (stored, build)))
}
