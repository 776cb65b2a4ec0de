//! Classes that must be called: which fields their constructor takes, and how.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::build::Reason;
use super::classes::{Declared, Shape, Subject};
use super::layout::{self, Function};
use super::names::same_name;
use super::{Absent, Build};

const TAKES_MORE_BY_POSITION: usize = 0x04;
const TAKES_MORE_BY_KEYWORD: usize = 0x08;

/// The parameters of a function after its first.
struct Parameters<'py> {
    names: Vec<Bound<'py, PyString>>,
    /// How many of `names`, from the first, may go by position.
    by_position: usize,
    /// How many of `names`, from the first, may not go by keyword.
    only_by_position: usize,
    /// Which of `names` have a default.
    optional: Vec<bool>,
    takes_any_keyword: bool,
    /// `*args`
    takes_rest: bool,
}

impl<'py> Parameters<'py> {
    fn of(function: &Function<'py>) -> PyResult<Self> {
        let py = function.code.py();
        let number = |name: &Bound<'py, PyString>| function.code.getattr(name)?.extract::<usize>();
        let arguments = number(intern!(py, "co_argcount"))?;
        let keyword_only = number(intern!(py, "co_kwonlyargcount"))?;
        let variables =
            function.code.getattr(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
        // `def __init__(*args)` has no first parameter of its own.
        let first = arguments.min(1);
        let names = variables.iter().take(arguments + keyword_only).skip(first);
        let names =
            names.map(|name| name.cast_into::<PyString>()).collect::<Result<Vec<_>, _>>()?;
        let flags = number(intern!(py, "co_flags"))?;
        let by_position = arguments - first;
        let defaults = function.defaults.as_ref().map_or(0, |defaults| defaults.len());
        let mut optional = vec![false; names.len()];
        for (place, name) in names.iter().enumerate() {
            optional[place] = if place < by_position {
                place + defaults >= by_position
            } else {
                match &function.keyword_defaults {
                    Some(defaults) => defaults.contains(name)?,
                    None => false,
                }
            };
        }
        let only_by_position = number(intern!(py, "co_posonlyargcount"))?.saturating_sub(1);
        let takes_any_keyword = flags & TAKES_MORE_BY_KEYWORD != 0;
        let takes_rest = flags & TAKES_MORE_BY_POSITION != 0;
        Ok(Parameters {
            names,
            by_position,
            only_by_position,
            optional,
            takes_any_keyword,
            takes_rest,
        })
    }

    fn place(&self, name: &Bound<'py, PyString>) -> Option<usize> {
        for (place, known) in self.names.iter().enumerate() {
            if same_name(known, name) {
                return Some(place);
            }
        }
        None
    }
}

/// A class that is called, for this reason. Fields that its constructor does not take are left to
/// it; an absent field that has a default there is left out of the call.
pub(super) fn called<'py>(
    subject: &Subject<'_, 'py>,
    fields: Vec<Declared<'py>>,
    reason: Reason,
) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let parameters = match constructor(subject)? {
        Some(function) => Some(Parameters::of(&function)?),
        None => None,
    };
    let mut taken = Vec::with_capacity(fields.len());
    for mut field in fields {
        let place = match &parameters {
            Some(parameters) => parameters.place(&field.name),
            None => None,
        };
        let by_name = parameters.as_ref().is_none_or(|parameters| parameters.takes_any_keyword);
        let optional = match (place, &parameters) {
            (Some(place), Some(parameters)) => parameters.optional[place],
            _ if by_name => !matches!(field.absent, Absent::Error),
            (None, Some(parameters)) if parameters.takes_rest => {
                let rest = format_args!(
                    ": {reason}, which takes '{}' by position at most; that is not supported yet",
                    field.name
                );
                return Err(subject.error(rest));
            }
            _ => continue,
        };
        field.absent = if optional { Absent::Unset } else { Absent::Error };
        taken.push(field);
    }
    // Who receives the call before the constructor, or after it, takes the same arguments, and
    // may take them by name only.
    let alone = is_alone(subject);
    let mut positional = 0;
    if let Some(parameters) = &parameters {
        for (name, optional) in parameters.names.iter().zip(&parameters.optional) {
            let known = taken.iter().any(|field| same_name(&field.name, name));
            if !optional && !known {
                let rest = format_args!(": {reason}, whose parameter '{name}' is not a field");
                return Err(subject.error(rest));
            }
        }
        let most = if alone { parameters.by_position } else { parameters.only_by_position };
        while positional < most
            && let Some(field) = taken.get(positional)
            && matches!(field.absent, Absent::Error)
            && same_name(&field.name, &parameters.names[positional])
        {
            positional += 1;
        }
        if positional < parameters.only_by_position {
            let name = &parameters.names[positional];
            let rest = format_args!(
                ": {reason}, whose parameter '{name}' goes by position only; that is not supported yet"
            );
            return Err(subject.error(rest));
        }
    }
    let keywords = PyTuple::new(py, taken[positional..].iter().map(|field| &field.name))?.unbind();
    let build = Build::Call { positional, keywords };
    Ok(Shape { fields: taken, build, why_called: Some(reason), tag: None })
}

/// True if no other Python code receives the arguments of a call than the constructor.
fn is_alone(subject: &Subject<'_, '_>) -> bool {
    let class = &subject.class;
    let has_own_new = || {
        let new = layout::owner(class, intern!(subject.compiler.py, "__new__"));
        new.is_some_and(|(owner, _)| layout::is_heap_type(&owner))
    };
    layout::is_called_by_type(class) && (layout::has_plain_init(class) || !has_own_new())
}

/// The function that decides what the class may be called with, if it is written in Python.
fn constructor<'py>(subject: &Subject<'_, 'py>) -> PyResult<Option<Function<'py>>> {
    let py = subject.compiler.py;
    let class = &subject.class;
    let mut found = if layout::has_plain_init(class) {
        layout::attribute(class, intern!(py, "__new__"))
    } else {
        layout::attribute(class, intern!(py, "__init__"))
    };
    // `__new__` is kept as a static method.
    if let Some(method) = &found
        && let Some(function) = method.getattr_opt(intern!(py, "__func__"))?
    {
        found = Some(function);
    }
    Ok(found.as_ref().and_then(Function::of))
}
