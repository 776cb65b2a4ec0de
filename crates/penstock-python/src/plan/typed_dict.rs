//! `TypedDict`: a dict whose keys are known.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::classes::{Shape, Subject, own_annotations};
use super::{Absent, build, layout};

/// The keys of the dict.
///
/// `__required_keys__` does not know a `NotRequired[...]` in a string annotation, since nothing has
/// evaluated the string when the class is made. So the annotation decides.
pub(super) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let required = layout::attribute(&class, intern!(py, "__required_keys__"));
    let scope = subject.scope(&class)?;
    let mut fields = Vec::new();
    // The class's own annotations include those of its bases.
    for (name, annotation) in own_annotations(&class).iter().flatten() {
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
    let build = build::dict(subject.compiler.py, fields.iter().map(|field| &field.name))?;
    Ok(Shape::new(fields, build))
}
