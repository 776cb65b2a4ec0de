//! Plain annotated classes: no decorator, no base class, no `__init__`.
//!
//! What such a class means is `cls()` and then an attribute for each value. A default is the
//! class's own attribute, so an absent value needs nothing to be stored.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::build;
use super::classes::{Declared, Shape, Subject, own_annotations};
use super::layout;
use super::names::same_name;
use super::{Absent, Build};

/// Why objects of the class cannot be made that way, if so: a clause that names it.
pub(super) fn refusal(class: &Bound<'_, PyType>) -> PyResult<Option<String>> {
    let name = class.name()?;
    let reason = if !layout::has_plain_init(class) {
        format!("{name} has its own __init__")
    } else if let Some(reason) = build::own_creation(class)? {
        reason
    } else if !layout::has_plain_setattr(class) {
        format!("{name} overrides __setattr__")
    } else {
        return Ok(None);
    };
    Ok(Some(format!("{reason}; that kind of class is not supported yet")))
}

/// True if the class says by its `__init__` what its fields are: a kind of its own.
pub(super) fn has_annotated_init(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let Some(init) = layout::attribute(class, intern!(py, "__init__")) else { return Ok(false) };
    match init.getattr_opt(intern!(py, "__annotations__"))? {
        Some(annotations) => annotations.is_truthy(),
        None => Ok(false),
    }
}

/// The annotated attributes of the class and its bases, those of the bases first.
pub(super) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let class = subject.class.clone();
    let mut fields: Vec<Declared<'py>> = Vec::new();
    for base in layout::bases(&class).iter().rev() {
        let Some(annotations) = own_annotations(base) else { continue };
        let scope = subject.scope(base)?;
        for (name, annotation) in &annotations {
            let name = name.cast_into::<PyString>()?;
            let field = subject.field_type(&name, annotation, &scope)?;
            let mut place = None;
            for (index, known) in fields.iter().enumerate() {
                if same_name(&known.name, &name) {
                    place = Some(index);
                }
            }
            if field.class_var {
                place.map(|place| fields.remove(place));
                continue;
            }
            let absent = absent(&class, &name);
            let declared = subject.declared(name, field, &scope, absent)?;
            // An annotation that is repeated in a subclass keeps its place, as in a dict.
            match place {
                Some(place) => fields[place] = declared,
                None => fields.push(declared),
            }
        }
    }
    let names: Vec<_> = fields.iter().map(|field| field.name.clone()).collect();
    let build = match build::storage(&class, &names, false)? {
        Ok(build) => build,
        // A property is set like any attribute: that is what the class asks for.
        Err(_) if layout::has_dict(&class) => Build::Attributes { post_init: false },
        Err(reason) => return Err(subject.error(format_args!(" cannot be filled: {reason}"))),
    };
    Ok(Shape { fields, build, why_called: None, tag: None })
}

/// What an object of the class has for the attribute when nothing is stored.
fn absent(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> Absent {
    match layout::attribute(class, name) {
        Some(found) if !layout::is_data_descriptor(&found) => Absent::Unset,
        _ => Absent::Error,
    }
}
