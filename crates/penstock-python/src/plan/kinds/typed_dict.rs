//! `TypedDict`: a dict whose keys are known.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use super::classes::{Shape, Subject};
use crate::plan::Absent;
use crate::plan::make::{build, type_objects};
use crate::plan::types::builtin::display;
use crate::plan::types::known;

/// The keys of the dict.
///
/// `__required_keys__` does not know a `NotRequired[...]` in a string annotation, since nothing has
/// evaluated the string when the class is made. So the annotation decides.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let required = type_objects::attribute(&class, intern!(py, "__required_keys__"));
    let scope = subject.scope(&class)?;
    let mut fields = Vec::new();
    // The class's own annotations include those of its bases.
    for (name, annotation) in subject.annotations(&class)?.iter().flatten() {
        let name = name.cast_into::<PyString>()?;
        let field = subject.field_type(&name, annotation, &scope)?;
        let required = match (field.required, &required) {
            (Some(required), _) => required,
            (None, Some(required)) => required.contains(&name)?,
            (None, None) => true,
        };
        let absent = if required { Absent::Error } else { Absent::Unset };
        fields.push(subject.declared(name, field, &scope, absent)?);
    }
    let forbids_unknown = is_closed(subject, &class)?;
    let build = build::dict(subject.compiler.py, fields.iter().map(|field| &field.name))?;
    Ok(Shape { forbids_unknown, ..Shape::new(fields, build) })
}

/// Whether the dict has no other keys: `closed=True`, `extra_items=Never`, here or in a base.
fn is_closed<'py>(subject: &Subject<'_, 'py>, class: &Bound<'py, PyType>) -> PyResult<bool> {
    let py = class.py();
    let mut open = vec![class.clone()];
    while let Some(class) = open.pop() {
        let closed = class.getattr_opt(intern!(py, "__closed__"))?;
        if closed.map_or(Ok(false), |closed| closed.is_truthy())? {
            return Ok(true);
        }
        let extra = class.getattr_opt(intern!(py, "__extra_items__"))?;
        if let Some(extra) = extra.filter(|extra| !is_none_said(extra)) {
            if known::NEVER.is(&extra) || known::NEVER_EXTENSION.is(&extra) {
                return Ok(true);
            }
            let extra = display(&extra)?;
            let reason = format_args!(": extra_items={extra} is not supported yet");
            return Err(subject.error(reason));
        }
        // A dict type keeps its bases here, and its real base is `dict`.
        let bases = class.getattr_opt(intern!(py, "__orig_bases__"))?;
        let bases = bases.and_then(|bases| bases.cast_into::<PyTuple>().ok());
        for base in bases.iter().flatten() {
            let base = base.getattr_opt(intern!(py, "__origin__"))?.unwrap_or(base);
            open.extend(base.cast_into::<PyType>().ok());
        }
    }
    Ok(false)
}

/// Whether a class says nothing of the values of other keys.
fn is_none_said(extra: &Bound<'_, PyAny>) -> bool {
    known::NO_EXTRA_ITEMS.is(extra) || known::NO_EXTRA_ITEMS_EXTENSION.is(extra)
}
