//! Generic classes and aliases: the values of their type variables.
//!
//! A class with arguments is planned once for each set of them. Its bases may declare its fields
//! and have type variables of their own. The arguments in the list of bases are the values of those
//! variables.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::edge::errors::is_reason;

use super::builtin::display;
use super::known;
use super::walk::Walk;
use super::wrappers::{arguments, forward, is_instance};
use crate::plan::make::type_objects;

/// The values of type variables.
pub(in crate::plan) type Bindings<'py> = Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// The value of a type variable: the class's argument, or its default, or its bound, or anything.
pub(in crate::plan) fn meaning<'py>(
    walk: &Walk<'_, 'py>,
    variable: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match walk.scope.binding(variable) {
        Some(meant) => Ok(meant.clone()),
        None => unbound(variable),
    }
}

/// The meaning of a type variable without a value.
fn unbound<'py>(variable: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = variable.py();
    if let Some(default) = default(variable)? {
        return Ok(default);
    }
    let bound = variable.getattr(intern!(py, "__bound__"))?;
    if !bound.is_none() {
        return Ok(bound);
    }
    let constraints = variable.getattr(intern!(py, "__constraints__"))?.cast_into::<PyTuple>()?;
    let mut constraints = constraints.iter();
    let Some(first) = constraints.next() else { return Ok(py.get_type::<PyAny>().into_any()) };
    let union = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Union"))?;
    let all = PyTuple::new(py, std::iter::once(first).chain(constraints).collect::<Vec<_>>())?;
    union.get_item(all)
}

/// The default of a type variable, if it has one.
fn default<'py>(variable: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = variable.py();
    let Some(has) = variable.getattr_opt(intern!(py, "has_default"))? else { return Ok(None) };
    if !has.call0()?.is_truthy()? {
        return Ok(None);
    }
    Ok(Some(variable.getattr(intern!(py, "__default__"))?))
}

/// The type variables in an annotation.
fn parameters<'py>(annotation: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let found = annotation.getattr_opt(intern!(annotation.py(), "__parameters__"))?;
    let found = found.and_then(|found| found.cast_into::<PyTuple>().ok());
    Ok(found.filter(|found| !found.is_empty()))
}

/// An annotation with type variables, with their values in place of them.
pub(in crate::plan) fn substituted<'py>(
    walk: &Walk<'_, 'py>,
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(variables) = parameters(annotation)? else { return Ok(None) };
    let mut meant = Vec::with_capacity(variables.len());
    for variable in &variables {
        if !is_instance(&variable, &known::TYPE_VAR) {
            return Err(walk.error(format_args!("{variable} is not supported yet")));
        }
        meant.push(meaning(walk, &variable)?);
    }
    let py = annotation.py();
    match annotation.get_item(PyTuple::new(py, meant)?) {
        // `Generic[T]` takes no values.
        Err(error) if is_reason(py, &error) => {
            Err(walk.error(format_args!("{} is not supported yet", display(annotation)?)))
        }
        meant => meant.map(Some),
    }
}

/// The argument of the variable at `place`. A `TypeVarTuple` takes all arguments that its
/// neighbours leave, so variables after it count from the end.
fn argument<'py>(
    variables: &Bound<'py, PyTuple>,
    place: usize,
    given: &Bound<'py, PyTuple>,
) -> Option<Bound<'py, PyAny>> {
    let is_variadic = |variable: Bound<'py, PyAny>| {
        is_instance(&variable, &known::TYPE_VAR_TUPLE)
            || is_instance(&variable, &known::TYPE_VAR_TUPLE_EXTENSION)
    };
    let place = match variables.iter().take(place).any(is_variadic) {
        false => place,
        true => given.len().checked_sub(variables.len() - place)?,
    };
    given.get_item(place).ok()
}

/// The values of an alias's own variables. Names in quotes in its value may be these.
pub(in crate::plan) fn of_variables<'py>(
    alias: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bindings<'py>> {
    let variables = alias.getattr(intern!(alias.py(), "__type_params__"))?;
    let variables = variables.cast_into::<PyTuple>()?;
    let pairs = variables.iter().enumerate().filter_map(|(place, variable)| {
        let meant = argument(&variables, place, arguments)?;
        is_instance(&variable, &known::TYPE_VAR).then_some((variable, meant))
    });
    Ok(pairs.collect())
}

/// The value of a generic alias with these arguments: `type Pair[T] = tuple[T, T]`.
pub(in crate::plan) fn of_alias<'py>(
    walk: &Walk<'_, 'py>,
    alias: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = alias.py();
    let variables = alias.getattr(intern!(py, "__type_params__"))?.cast_into::<PyTuple>()?;
    let value = alias.getattr(intern!(py, "__value__"))?;
    let stands_for = |variable: &Bound<'py, PyAny>| -> PyResult<Bound<'py, PyAny>> {
        if !is_instance(variable, &known::TYPE_VAR) {
            return Err(walk.error(format_args!("{variable} is not supported yet")));
        }
        let position = variables.iter().position(|known| known.is(variable));
        match position.and_then(|position| argument(&variables, position, arguments)) {
            Some(meant) => Ok(meant),
            None => meaning(walk, variable),
        }
    };
    if is_instance(&value, &known::TYPE_VAR) {
        return stands_for(&value);
    }
    let Some(used) = parameters(&value)? else { return Ok(value) };
    let meant = used.iter().map(|variable| stands_for(&variable)).collect::<PyResult<Vec<_>>>()?;
    value.get_item(PyTuple::new(py, meant)?)
}

/// The arguments of a generic class, with names in quotes resolved.
pub(in crate::plan) fn resolved<'py>(
    walk: &Walk<'_, 'py>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut meant = Vec::with_capacity(arguments.len());
    for argument in arguments {
        meant.push(if let Ok(text) = argument.cast::<PyString>() {
            walk.scope.evaluate(text).map_err(|why| walk.place.unresolved(text, why))?
        } else if is_instance(&argument, &known::FORWARD_REF) {
            forward(&argument, walk.scope, walk.place)?
        } else {
            argument
        });
    }
    PyTuple::new(walk.compiler.py, meant)
}

/// The values of the variables of `base` in a class with these arguments.
pub(in crate::plan) fn bindings<'py>(
    class: &Bound<'py, PyType>,
    given: Option<&Bound<'py, PyTuple>>,
    base: &Bound<'py, PyType>,
) -> PyResult<Bindings<'py>> {
    let py = class.py();
    // Hardly any class is generic.
    if given.is_none() && type_objects::attribute(class, intern!(py, "__orig_bases__")).is_none() {
        return Ok(Vec::new());
    }
    let mut open = vec![(class.clone(), own(class, given)?)];
    let mut found = Vec::new();
    // A `TypedDict` also has the annotations of its bases.
    let merged = type_objects::own_attribute(base, intern!(py, "__total__")).is_some();
    while let Some((class, bindings)) = open.pop() {
        if class.is(base) || merged {
            found.extend(bindings.iter().cloned());
        }
        if class.is(base) && !merged {
            break;
        }
        let bases = type_objects::own_attribute(&class, intern!(py, "__orig_bases__"));
        let bases = bases.and_then(|bases| bases.cast_into::<PyTuple>().ok());
        let mut plain: Vec<Bound<'py, PyType>> =
            class.bases().iter().filter_map(|base| base.cast_into().ok()).collect();
        for written in bases.iter().flatten() {
            let Some(origin) = written.getattr_opt(intern!(py, "__origin__"))? else { continue };
            let Ok(origin) = origin.cast_into::<PyType>() else { continue };
            plain.retain(|base| !base.is(&origin));
            let mut meant = Vec::new();
            for argument in arguments(&written)? {
                meant.push(with(&argument, &bindings)?);
            }
            let given = PyTuple::new(py, meant)?;
            let own = own(&origin, Some(&given))?;
            open.push((origin, own));
        }
        for base in plain {
            if type_objects::is_heap_type(&base) {
                let own = own(&base, None)?;
                open.push((base, own));
            }
        }
    }
    Ok(found)
}

/// The values of the class's own variables.
fn own<'py>(
    class: &Bound<'py, PyType>,
    given: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bindings<'py>> {
    let Some(variables) = parameters(class.as_any())? else { return Ok(Vec::new()) };
    let mut bindings = Vec::with_capacity(variables.len());
    for (place, variable) in variables.iter().enumerate() {
        if !is_instance(&variable, &known::TYPE_VAR) {
            continue;
        }
        let meant = match given.and_then(|given| argument(&variables, place, given)) {
            Some(meant) => meant,
            None => unbound(&variable)?,
        };
        bindings.push((variable, meant));
    }
    Ok(bindings)
}

/// The values of the variables of a class with these arguments. A class that is not derived from
/// `Generic` has the variables of its bases, in their order.
pub(in crate::plan) fn positional<'py>(
    class: &Bound<'py, PyType>,
    bases: &Option<Bound<'py, PyTuple>>,
    given: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bindings<'py>> {
    let bindings = own(class, given)?;
    let (true, Some(given)) = (bindings.is_empty(), given) else { return Ok(bindings) };
    let mut variables: Vec<Bound<'py, PyAny>> = Vec::new();
    for base in bases.iter().flatten() {
        for variable in parameters(&base)?.iter().flatten() {
            if !variables.iter().any(|known| known.is(&variable)) {
                variables.push(variable);
            }
        }
    }
    let variables = PyTuple::new(class.py(), variables)?;
    let own = variables.iter().enumerate().filter_map(|(place, variable)| {
        let meant = argument(&variables, place, given)?;
        is_instance(&variable, &known::TYPE_VAR).then_some((variable, meant))
    });
    Ok(own.collect())
}

/// An annotation with these bindings applied.
pub(in crate::plan) fn with<'py>(
    annotation: &Bound<'py, PyAny>,
    bindings: &Bindings<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let stands_for = |variable: &Bound<'py, PyAny>| {
        let bound = bindings.iter().find(|(known, _)| known.is(variable));
        bound.map_or_else(|| variable.clone(), |(_, meant)| meant.clone())
    };
    if is_instance(annotation, &known::TYPE_VAR) {
        return Ok(stands_for(annotation));
    }
    if annotation.is_instance_of::<PyType>() && !super::wrappers::is_generic_alias(annotation) {
        return Ok(annotation.clone());
    }
    let Some(variables) = parameters(annotation)? else { return Ok(annotation.clone()) };
    let meant: Vec<_> = variables.iter().map(|variable| stands_for(&variable)).collect();
    annotation.get_item(PyTuple::new(annotation.py(), meant)?)
}
