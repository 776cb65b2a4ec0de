//! Named tuples: `typing.NamedTuple` and `collections.namedtuple`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::classes::{Declared, Shape, Subject};
use super::signature;
use crate::plan::make::build::Reason;
use crate::plan::make::type_objects::{self, Function};
use crate::plan::{Absent, Build};

/// The fields of the tuple, and how it is made.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let names = type_objects::attribute(&class, intern!(py, "_fields"));
    let Some(Ok(names)) = names.map(|names| names.cast_into::<PyTuple>()) else {
        return Err(subject.error("'s _fields is not a tuple"));
    };
    let defaults = type_objects::attribute(&class, intern!(py, "_field_defaults"));
    // The class that has the fields also has their annotations.
    let declaring = type_objects::bases(&class)
        .into_iter()
        .find(|base| type_objects::own_attribute(base, intern!(py, "_fields")).is_some())
        .unwrap_or_else(|| class.clone());
    let annotations = subject.annotations(&declaring)?;
    let scope = subject.scope(&declaring)?;
    let mut fields = Vec::with_capacity(names.len());
    for name in &names {
        let name = name.cast_into::<PyString>()?;
        let default = match &defaults {
            Some(defaults) if defaults.contains(&name)? => Some(defaults.get_item(&name)?),
            _ => None,
        };
        let absent = default.map_or(Absent::Error, |default| Absent::Value(default.unbind()));
        let annotation = match &annotations {
            Some(annotations) => annotations.get_item(&name)?,
            None => None,
        };
        let declared = match annotation {
            Some(annotation) => {
                let field = subject.field_type(&name, annotation, &scope)?;
                subject.declared(name, field, &scope, absent)?
            }
            None => subject.undeclared(name, absent)?,
        };
        fields.push(declared);
    }
    match why_called(subject, &fields)? {
        None => Ok(Shape::new(fields, Build::Tuple)),
        Some(reason) => signature::called(subject, fields, reason),
    }
}

/// Why calling the class is not the same as making a tuple of the values.
///
/// The generated `__new__` is a lambda that knows one global name, and that is `tuple.__new__`.
fn why_called(subject: &Subject<'_, '_>, fields: &[Declared<'_>]) -> PyResult<Option<Reason>> {
    let py = subject.compiler.py;
    let class = &subject.class;
    let name = subject.name;
    if !type_objects::is_called_by_type(class) {
        let metaclass = class.get_type();
        return Ok(Some(format!("{name}'s metaclass {} has its own __call__", metaclass.name()?)));
    }
    if !type_objects::has_plain_init(class) {
        return Ok(Some(format!("{name} has its own __init__")));
    }
    if !type_objects::has_plain_alloc(class) {
        return Ok(Some(format!("{name} has its own allocator")));
    }
    let own = Ok(Some(format!("{name} has its own __new__")));
    let Some(new) = type_objects::attribute(class, intern!(py, "__new__")) else { return own };
    let new = new.getattr_opt(intern!(py, "__func__"))?.unwrap_or(new);
    let Some(function) = Function::of(&new) else { return own };
    let attribute = |name| function.code.getattr(name);
    let globals = &function.globals;
    let tuple_new = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
    let makes_tuples =
        globals.get_item(intern!(py, "_tuple_new"))?.is_some_and(|new| new.is(&tuple_new));
    let names = PyTuple::new(py, ["_tuple_new"])?;
    let variables = attribute(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
    let mut same = variables.len() == fields.len() + 1;
    for (variable, field) in variables.iter().skip(1).zip(fields) {
        same = same && variable.eq(&field.name)?;
    }
    let generated = makes_tuples
        && globals.len() == 3
        && attribute(intern!(py, "co_names"))?.eq(names)?
        && attribute(intern!(py, "co_name"))?.eq("<lambda>")?
        && attribute(intern!(py, "co_filename"))?.eq("<string>")?
        && same
        && defaults_are(&function, fields)?;
    if generated { Ok(None) } else { own }
}

/// True if the defaults of `__new__` are those that the class gives for its last fields.
fn defaults_are(function: &Function<'_>, fields: &[Declared<'_>]) -> PyResult<bool> {
    let mut said = fields.iter().filter_map(|field| match &field.absent {
        Absent::Value(value) => Some(value),
        _ => None,
    });
    let mut actual = function.defaults.iter().flatten();
    loop {
        match (said.next(), actual.next()) {
            (None, None) => return Ok(true),
            (Some(said), Some(actual)) if actual.is(said) => {}
            _ => return Ok(false),
        }
    }
}
