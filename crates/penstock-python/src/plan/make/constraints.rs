//! Constraints: conditions on a value beyond its type.
//!
//! They come from several libraries (`annotated_types`, `msgspec.Meta`, pydantic's `Field`), and
//! `penstock._annotations.constraints` converts them to one form: a kind and its argument. This module checks
//! that a constraint makes sense for the type, and stores the common ones so that checking them
//! needs no Python code.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyString, PyType};

use super::post_steps::{Nature, PostSteps, Step};
use super::type_objects;
use crate::edge::modules;
use crate::plan::types::walk::Walk;
use crate::plan::types::{known, wrappers};
use crate::plan::{Node, NodeId, is_plan_error};

/// A check of a value, with the text for messages.
pub(crate) struct Check {
    /// The check.
    pub(crate) test: Test,
    /// What was expected: `int > 0`, `str of at least 2 characters`.
    pub(crate) expected: Box<str>,
}

/// A check of a value.
pub(crate) enum Test {
    /// A comparison with another value.
    Bound(CompareOp, Limit),
    /// Whether it is a multiple of an integer.
    Multiple(i64, Py<PyAny>),
    /// A bound on its length.
    Length { least: usize, most: usize },
    /// Whether a function of it is true.
    Holds(Py<PyAny>),
}

/// The value to compare with.
pub(crate) enum Limit {
    Int(i64, Py<PyAny>),
    Float(f64, Py<PyAny>),
    Other(Py<PyAny>),
}

impl Limit {
    fn of(object: &Bound<'_, PyAny>) -> Self {
        let kept = object.clone().unbind();
        if object.is_exact_instance_of::<PyInt>()
            && let Ok(value) = object.extract()
        {
            Limit::Int(value, kept)
        } else if let Ok(value) = object.cast_exact::<PyFloat>() {
            Limit::Float(value.value(), kept)
        } else {
            Limit::Other(kept)
        }
    }

    /// The limit as an object.
    pub(crate) fn object(&self) -> &Py<PyAny> {
        match self {
            Limit::Int(_, object) | Limit::Float(_, object) | Limit::Other(object) => object,
        }
    }
}

impl Check {
    /// The object that it holds, if any.
    pub(in crate::plan) fn object(&self) -> Option<&Py<PyAny>> {
        match &self.test {
            Test::Bound(_, limit) => Some(limit.object()),
            Test::Multiple(_, object) | Test::Holds(object) => Some(object),
            Test::Length { .. } => None,
        }
    }
}

/// The name of a node's values in messages: `list` for a `list[int]`.
fn bare(node: &Node) -> &str {
    let name = node.written.strip_suffix(" | None").unwrap_or(&node.written);
    match name.split_once('[') {
        Some((name, rest)) if !rest.contains('|') => name,
        _ => name,
    }
}

/// Adds the constraints beside a type.
pub(in crate::plan) fn constrain<'py>(
    walk: &mut Walk<'_, 'py>,
    node: &mut Node,
    id: NodeId,
    words: &[Bound<'py, PyAny>],
) -> PyResult<()> {
    // What pydantic alone knows may change the value, and a class of pydantic applies everything
    // itself. So there the words behind it are left to the class as well.
    let mut is_left = false;
    for word in words {
        if wrappers::is_instance(word, &known::TAG) {
            walk.tag(node, id, word)?;
        } else if wrappers::is_instance(word, &known::PATTERN) {
            add(walk, node, word)?;
        } else if !is_left && speaks_of_constraints(word) {
            match add(walk, node, word) {
                Err(error) if walk.compiler.model.is_some() && is_plan_error(word.py(), &error) => {
                    is_left = true;
                }
                added => added?,
            }
        }
    }
    Ok(())
}

/// Whether an annotation is from a library whose annotations are known, or for pydantic.
fn speaks_of_constraints(word: &Bound<'_, PyAny>) -> bool {
    // It may be a class itself: `Annotated[int, SkipValidation]`.
    let class = word.cast::<PyType>().cloned().unwrap_or_else(|_| word.get_type());
    let name = intern!(word.py(), "__get_pydantic_core_schema__");
    if type_objects::attribute(&class, name).is_some() {
        return true;
    }
    type_objects::bases(&class).iter().any(|class| {
        let module = class.module();
        module.as_ref().ok().and_then(|module| module.to_str().ok()).is_some_and(|module| {
            let package = module.split('.').next().unwrap_or_default();
            matches!(package, "annotated_types" | "msgspec" | "pydantic")
        })
    })
}

/// Adds the constraints of one annotation.
fn add<'py>(walk: &Walk<'_, 'py>, node: &mut Node, word: &Bound<'py, PyAny>) -> PyResult<()> {
    let py = word.py();
    let module = py.import(intern!(py, modules::CONSTRAINTS))?;
    let said = match module.call_method1(intern!(py, "said"), (word,)) {
        Ok(said) => said.cast_into::<PyList>()?,
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            return Err(walk.error(error.value(py)));
        }
        Err(error) => return Err(error),
    };
    for one in said {
        let (kind, argument, phrase): (String, Bound<'py, PyAny>, String) = one.extract()?;
        let nature = node.nature(&walk.compiler.nodes);
        let refuse = || {
            let (name, word) = (bare(node), word.repr()?);
            Err(walk.error(format_args!("{word} says nothing of {name}")))
        };
        let test = match kind.as_str() {
            "call" if matches!(nature, Nature::Text | Nature::Unknown) => {
                PostSteps::add(node, [Step::Call(argument.unbind())]);
                continue;
            }
            "gt" | "ge" | "lt" | "le" if is_comparable(py, nature, &argument)? => {
                let op = match kind.as_str() {
                    "gt" => CompareOp::Gt,
                    "ge" => CompareOp::Ge,
                    "lt" => CompareOp::Lt,
                    _ => CompareOp::Le,
                };
                Test::Bound(op, Limit::of(&argument))
            }
            "multiple_of"
                if matches!(nature, Nature::Number | Nature::Ordered | Nature::Unknown) =>
            {
                let is_multiple = module.getattr(intern!(py, "Multiple"))?.call1((&argument,))?;
                match argument.extract::<i64>() {
                    Ok(of) if of != 0 && argument.is_exact_instance_of::<PyInt>() => {
                        Test::Multiple(of, is_multiple.unbind())
                    }
                    _ => Test::Holds(is_multiple.unbind()),
                }
            }
            "min_length" if is_sized(nature) => {
                Test::Length { least: argument.extract()?, most: usize::MAX }
            }
            "max_length" if is_sized(nature) => {
                Test::Length { least: 0, most: argument.extract()? }
            }
            "pattern" if matches!(nature, Nature::Text | Nature::Unknown) => {
                Test::Holds(argument.unbind())
            }
            "timezone" if matches!(nature, Nature::Moment | Nature::Unknown) => {
                Test::Holds(argument.unbind())
            }
            "holds" => Test::Holds(argument.unbind()),
            _ => return refuse(),
        };
        let expected = match &test {
            Test::Length { least, most } => {
                let (word, count) =
                    if *most == usize::MAX { ("at least", least) } else { ("at most", most) };
                let noun = match nature {
                    Nature::Text => "character",
                    Nature::Bytes => "byte",
                    _ => "item",
                };
                let plural = if *count == 1 { "" } else { "s" };
                format!("{} of {word} {count} {noun}{plural}", bare(node))
            }
            _ => format!("{} {phrase}", bare(node)),
        };
        PostSteps::add(node, [Step::Check(Check { test, expected: expected.into() })]);
    }
    Ok(())
}

fn is_sized(nature: Nature) -> bool {
    matches!(nature, Nature::Text | Nature::Bytes | Nature::Items | Nature::Unknown)
}

/// Whether values of this kind can be compared with a bound, as far as that can be known.
fn is_comparable(py: Python<'_>, nature: Nature, bound: &Bound<'_, PyAny>) -> PyResult<bool> {
    let sample = match nature {
        Nature::Ordered | Nature::Moment | Nature::Unknown => return Ok(true),
        Nature::Items | Nature::Other => return Ok(false),
        Nature::Number => 0_i64.into_pyobject(py)?.into_any(),
        Nature::Text => PyString::new(py, "").into_any(),
        Nature::Bytes => PyBytes::new(py, b"").into_any(),
    };
    match sample.rich_compare(bound, CompareOp::Lt) {
        Ok(_) => Ok(true),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(false),
        Err(error) => Err(error),
    }
}
