//! Proves by its code what a function does.
//!
//! If a function has the same code as a source that we write here, it does what the source says.
//! Then it need not be called if we can do the same without it.

use std::ffi::CString;

use pyo3::exceptions::{PySyntaxError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::code::PyCodeInput;
use pyo3::types::{PyCode, PyString, PyTuple};

use super::type_objects::Function;
use crate::plan::kinds::signature::Parameters;

/// The flags of a code object that say how it runs. The others say where it was written.
const HOW_IT_RUNS: u64 = 0x3ef & !0x10;

/// The attributes of code objects that are compared.
const PARTS: [&str; 9] = [
    "co_code",
    "co_names",
    "co_varnames",
    "co_consts",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_freevars",
    "co_cellvars",
];

/// True if the interpreter compiles `source`, one `def` statement, to this function's code. This
/// does not check global names and defaults.
pub(in crate::plan) fn is_written(function: &Function<'_>, source: &str) -> PyResult<bool> {
    let code = &function.code;
    let py = code.py();
    let Some(wanted) = compiled(py, source)? else { return Ok(false) };
    for part in PARTS {
        if !code.getattr(part)?.eq(wanted.getattr(part)?)? {
            return Ok(false);
        }
    }
    let flags = |code: &Bound<'_, PyAny>| code.getattr(intern!(py, "co_flags"))?.extract::<u64>();
    Ok(flags(code)? & HOW_IT_RUNS == flags(&wanted)? & HOW_IT_RUNS)
}

/// The code of the function that a `def` statement defines; None if the statement is not valid
/// Python.
fn compiled<'py>(py: Python<'py>, source: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(source) = CString::new(source) else { return Ok(None) };
    let module = match PyCode::compile(py, &source, c"<proof>", PyCodeInput::File) {
        Ok(module) => module,
        // A field may have a name that no source can have.
        Err(error)
            if error.is_instance_of::<PySyntaxError>(py)
                || error.is_instance_of::<PyValueError>(py) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let constants = module.getattr(intern!(py, "co_consts"))?.cast_into::<PyTuple>()?;
    Ok(constants.iter().find(|constant| constant.is_instance_of::<PyCode>()))
}

/// The attributes that a function sets, in order, each with the place of its parameter.
pub(in crate::plan) type Stored<'py> = Vec<(Bound<'py, PyString>, usize)>;

/// The attributes that an `__init__` sets, in order, each with the place of its parameter, if the
/// function does nothing but set each attribute to a parameter of its own.
///
/// An attribute has the name of its parameter, perhaps with underscores before it.
pub(in crate::plan) fn stored<'py>(
    function: &Function<'py>,
    parameters: &Parameters<'py>,
) -> PyResult<Option<Stored<'py>>> {
    let py = function.code.py();
    let names = function.code.getattr(intern!(py, "co_names"))?.cast_into::<PyTuple>()?;
    let named = parameters.list.len();
    if names.len() != named || parameters.takes_rest || parameters.takes_any_keyword {
        return Ok(None);
    }
    let mut stored = Vec::with_capacity(named);
    let mut taken = vec![false; named];
    for name in &names {
        let name = name.cast_into::<PyString>()?;
        let text = name.to_str()?;
        let find = |text: &str| {
            parameters.list.iter().position(|known| known.name.to_str().is_ok_and(|it| it == text))
        };
        let place = find(text).or_else(|| find(text.trim_start_matches('_')));
        match place {
            Some(place) if !std::mem::replace(&mut taken[place], true) => {
                stored.push((name, place));
            }
            _ => return Ok(None),
        }
    }
    let variables = function.code.getattr(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
    let Ok(first) = variables.get_item(0) else { return Ok(None) };
    let mut source = format!("def __init__({}):\n", written(&first.to_string(), parameters));
    let constants = function.code.getattr(intern!(py, "co_consts"))?.cast_into::<PyTuple>()?;
    if let Some(text) = constants.iter().next().filter(|it| it.is_instance_of::<PyString>()) {
        source.push_str(&format!(" {}\n", text.repr()?));
    }
    for (name, place) in &stored {
        source.push_str(&format!(" {first}.{name} = {}\n", parameters.list[*place].name));
    }
    if stored.is_empty() {
        source.push_str(" pass\n");
    }
    Ok(is_written(function, &source)?.then_some(stored))
}

/// The parameters as they stand in a `def`, after `first`.
fn written(first: &str, parameters: &Parameters<'_>) -> String {
    let mut parts = vec![first.to_owned()];
    for (place, parameter) in parameters.list.iter().enumerate() {
        if place == parameters.only_by_position && place > 0 {
            parts.push("/".to_owned());
        }
        if place == parameters.by_position {
            parts.push("*".to_owned());
        }
        parts.push(parameter.name.to_string());
    }
    let all = parameters.list.len();
    if parameters.only_by_position == all && all > 0 {
        parts.push("/".to_owned());
    }
    parts.join(", ")
}
