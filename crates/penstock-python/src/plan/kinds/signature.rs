//! Classes that must be called: which fields their constructor takes, and how.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::classes::{Declared, Shape, Subject};
use super::pydantic;
use crate::plan::make::build::Reason;
use crate::plan::make::type_objects::{self, Function};
use crate::plan::types::annotations;
use crate::plan::types::names::same_name;
use crate::plan::{Absent, Build};

const TAKES_MORE_BY_POSITION: usize = 0x04;
const TAKES_MORE_BY_KEYWORD: usize = 0x08;

/// The most wrappers that a function may have.
const MOST_WRAPPERS: usize = 100;

/// One parameter of a function.
pub(in crate::plan) struct Parameter<'py> {
    pub(in crate::plan) name: Bound<'py, PyString>,
    pub(in crate::plan) default: Option<Bound<'py, PyAny>>,
}

/// The parameters of a function after its first.
pub(in crate::plan) struct Parameters<'py> {
    pub(in crate::plan) list: Vec<Parameter<'py>>,
    /// How many of them, from the first, may be passed by position.
    pub(in crate::plan) by_position: usize,
    /// How many of them, from the first, may not be passed by keyword.
    pub(in crate::plan) only_by_position: usize,
    /// `**kwargs`
    pub(in crate::plan) takes_any_keyword: bool,
    /// `*args`
    pub(in crate::plan) takes_rest: bool,
}

impl<'py> Parameters<'py> {
    pub(in crate::plan) fn of(function: &Function<'py>) -> PyResult<Self> {
        let py = function.code.py();
        let number = |name: &Bound<'py, PyString>| function.code.getattr(name)?.extract::<usize>();
        let arguments = number(intern!(py, "co_argcount"))?;
        let keyword_only = number(intern!(py, "co_kwonlyargcount"))?;
        let variables =
            function.code.getattr(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
        // `def __init__(*args)` has no separate first parameter.
        let first = arguments.min(1);
        let names = variables.iter().take(arguments + keyword_only).skip(first);
        let flags = number(intern!(py, "co_flags"))?;
        let by_position = arguments - first;
        let defaults: Vec<_> = function.defaults.iter().flatten().collect();
        let mut list = Vec::with_capacity(by_position + keyword_only);
        for (place, name) in names.enumerate() {
            let name = name.cast_into::<PyString>()?;
            let default = if place < by_position {
                let place = (place + defaults.len()).checked_sub(by_position);
                place.and_then(|place| defaults.get(place).cloned())
            } else {
                match &function.keyword_defaults {
                    Some(defaults) => defaults.get_item(&name)?,
                    None => None,
                }
            };
            list.push(Parameter { name, default });
        }
        let only_by_position = number(intern!(py, "co_posonlyargcount"))?.saturating_sub(1);
        let takes_any_keyword = flags & TAKES_MORE_BY_KEYWORD != 0;
        let takes_rest = flags & TAKES_MORE_BY_POSITION != 0;
        Ok(Parameters { list, by_position, only_by_position, takes_any_keyword, takes_rest })
    }

    fn place(&self, name: &Bound<'py, PyString>) -> Option<usize> {
        self.list.iter().position(|known| same_name(&known.name, name))
    }
}

/// The Python function that decides on the arguments of a class, if there is one.
pub(in crate::plan) struct Constructor<'py> {
    /// The class that defines it.
    pub(in crate::plan) owner: Bound<'py, PyType>,
    /// `__init__` or `__new__`.
    pub(in crate::plan) name: &'static str,
    /// The function, without its wrappers.
    pub(in crate::plan) function: Bound<'py, PyAny>,
    pub(in crate::plan) parts: Function<'py>,
    /// Whether it has wrappers.
    pub(in crate::plan) is_wrapped: bool,
}

impl<'py> Constructor<'py> {
    /// The constructor of the class: its `__init__`, or its `__new__` if the class defines only
    /// that.
    pub(in crate::plan) fn of(class: &Bound<'py, PyType>) -> PyResult<Option<Self>> {
        let py = class.py();
        let (name, interned) = if type_objects::has_plain_init(class) {
            ("__new__", intern!(py, "__new__"))
        } else {
            ("__init__", intern!(py, "__init__"))
        };
        let Some((owner, mut function)) = type_objects::owner(class, interned) else {
            return Ok(None);
        };
        // A class keeps `__new__` as a static method.
        if let Some(inner) = function.getattr_opt(intern!(py, "__func__"))? {
            function = inner;
        }
        // A decorator that keeps the signature sets `__wrapped__`.
        let mut is_wrapped = false;
        for _ in 0..MOST_WRAPPERS {
            match function.getattr_opt(intern!(py, "__wrapped__"))? {
                Some(inner) => (function, is_wrapped) = (inner, true),
                None => break,
            }
        }
        let Some(parts) = Function::of(&function) else { return Ok(None) };
        Ok(Some(Constructor { owner, name, function, parts, is_wrapped }))
    }

    /// The annotations of its parameters.
    pub(in crate::plan) fn annotations(&self) -> PyResult<Bound<'py, PyDict>> {
        annotations::of_function(&self.function, &self.owner)
    }

    /// Why the class is called.
    pub(in crate::plan) fn reason(&self) -> PyResult<Reason> {
        Ok(format!("{} has its own {}", self.owner.name()?, self.name))
    }
}

/// Whether an object has None in a field that was not given, where only its class decides that: by what
/// pydantic knows of the field, the default of the constructor's parameter, or the attribute of the class.
pub(crate) fn makes_none(
    class: &Bound<'_, PyType>,
    attribute: &Bound<'_, PyString>,
    parameter: &Bound<'_, PyString>,
) -> PyResult<bool> {
    if let Some(default) = pydantic::default(class, attribute)? {
        return Ok(default.is_none());
    }
    if let Some(constructor) = Constructor::of(class)? {
        let parameters = Parameters::of(&constructor.parts)?;
        if let Some(place) = parameters.place(parameter) {
            return Ok(parameters.list[place].default.as_ref().is_some_and(|it| it.is_none()));
        }
    }
    Ok(class.getattr_opt(attribute)?.is_some_and(|default| default.is_none()))
}

/// A class that is called, for this reason. The constructor handles fields that it does not take
/// itself. If a field is absent and has a default there, the call omits it.
pub(in crate::plan) fn called<'py>(
    subject: &Subject<'_, 'py>,
    fields: Vec<Declared<'py>>,
    reason: Reason,
) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let constructor = Constructor::of(&subject.class)?;
    let parameters = match &constructor {
        Some(constructor) => Some(Parameters::of(&constructor.parts)?),
        None => None,
    };
    let mut taken = Vec::with_capacity(fields.len());
    for mut field in fields {
        let place = parameters.as_ref().and_then(|parameters| parameters.place(&field.name));
        let by_name = parameters.as_ref().is_none_or(|parameters| parameters.takes_any_keyword);
        field.absent = match (place, &parameters) {
            (Some(place), Some(parameters)) => match &parameters.list[place].default {
                // A positional argument cannot be left out before one that is present.
                Some(default) if place < parameters.only_by_position => {
                    Absent::Value(default.clone().unbind())
                }
                Some(_) => Absent::Unset,
                None => Absent::Error,
            },
            _ if by_name => match field.absent {
                Absent::Error => Absent::Error,
                _ => Absent::Unset,
            },
            (None, Some(parameters)) if parameters.takes_rest => {
                let rest = format_args!(
                    ": {reason}, which takes '{}' by position at most; that is not supported yet",
                    field.name
                );
                return Err(subject.error(rest));
            }
            _ => continue,
        };
        taken.push((place.unwrap_or(usize::MAX), field));
    }
    // Functions that run before or after the constructor get the same arguments, but perhaps only
    // by name.
    let alone = is_alone(subject) && constructor.is_none_or(|constructor| !constructor.is_wrapped);
    let mut positional = 0;
    if let Some(parameters) = &parameters {
        for (place, parameter) in parameters.list.iter().enumerate() {
            let known = taken.iter().any(|(of, _)| *of == place);
            let name = &parameter.name;
            if !known && parameter.default.is_none() {
                let rest = format_args!(": {reason}, whose parameter '{name}' is not a field");
                return Err(subject.error(rest));
            }
        }
        // Positional-only parameters come first, in their order.
        let only = parameters.only_by_position;
        taken.sort_by_key(|(place, _)| if *place < only { *place } else { only });
        let most = if alone { parameters.by_position } else { only };
        while positional < most
            && let Some((place, _)) = taken.get(positional)
            && *place == positional
        {
            positional += 1;
        }
        let left = taken.iter().skip(positional).any(|(place, _)| *place < only);
        if left {
            let name = &parameters.list[positional].name;
            let rest = format_args!(
                ": {reason}, whose parameter '{name}' goes by position only and is not a field"
            );
            return Err(subject.error(rest));
        }
    }
    let fields: Vec<_> = taken.into_iter().map(|(_, field)| field).collect();
    let keywords = PyTuple::new(py, fields[positional..].iter().map(|field| &field.name))?.unbind();
    let build = Build::Call { first: 0, positional, keywords };
    Ok(Shape { why_called: Some(reason), ..Shape::new(fields, build) })
}

/// True if no Python code except the constructor gets the arguments of a call.
fn is_alone(subject: &Subject<'_, '_>) -> bool {
    let class = &subject.class;
    let has_own_new = || {
        let new = type_objects::owner(class, intern!(subject.compiler.py, "__new__"));
        new.is_some_and(|(owner, _)| type_objects::is_heap_type(&owner))
    };
    type_objects::is_called_by_type(class)
        && (type_objects::has_plain_init(class) || !has_own_new())
}
