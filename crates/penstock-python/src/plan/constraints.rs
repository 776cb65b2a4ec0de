//! Constraints: what is asked of a value beside its type.
//!
//! They come from the words of several libraries (`annotated_types`, `msgspec.Meta`, Pydantic's
//! `Field`), which `penstock._constraints` says in one way: a kind, and what belongs to it. Here
//! it is made sure that the question makes sense for the type, and the common ones are made such
//! that no Python code is needed to answer them.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyString};

use super::after::{After, Nature, Step};
use super::walk::Walk;
use super::{Node, NodeId, known, layout, wrappers};

/// A question to a value, and what is said where the answer is no.
pub(crate) struct Check {
    /// The question.
    pub(crate) test: Test,
    /// What was expected: `int > 0`, `str of at least 2 characters`.
    pub(crate) expected: Box<str>,
}

/// A question to a value.
pub(crate) enum Test {
    /// How it compares to another.
    Bound(CompareOp, Limit),
    /// Whether it is so many times an integer.
    Multiple(i64, Py<PyAny>),
    /// How long it is.
    Length { least: usize, most: usize },
    /// Whether a function of it is true.
    Holds(Py<PyAny>),
}

/// What a value is compared to.
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
    /// The object that is held, if there is one.
    pub(super) fn object(&self) -> Option<&Py<PyAny>> {
        match &self.test {
            Test::Bound(_, limit) => Some(limit.object()),
            Test::Multiple(_, object) | Test::Holds(object) => Some(object),
            Test::Length { .. } => None,
        }
    }
}

/// What a node's values are called in messages: `list` for a `list[int]`.
fn bare(node: &Node) -> &str {
    let name = node.written.strip_suffix(" | None").unwrap_or(&node.written);
    match name.split_once('[') {
        Some((name, rest)) if !rest.contains('|') => name,
        _ => name,
    }
}

/// Adds the constraints that stand beside a type.
pub(super) fn constrain<'py>(
    walk: &mut Walk<'_, 'py>,
    node: &mut Node,
    id: NodeId,
    words: &[Bound<'py, PyAny>],
) -> PyResult<()> {
    for word in words {
        if wrappers::is_instance(word, &known::TAG) {
            walk.tag(node, id, word)?;
        } else if speaks_of_constraints(word) {
            add(walk, node, word)?;
        }
    }
    Ok(())
}

/// Whether a word is one of a library whose words are known.
fn speaks_of_constraints(word: &Bound<'_, PyAny>) -> bool {
    if wrappers::is_instance(word, &known::PATTERN) {
        return true;
    }
    layout::bases(&word.get_type()).iter().any(|class| {
        let module = class.module();
        module.as_ref().ok().and_then(|module| module.to_str().ok()).is_some_and(|module| {
            let package = module.split('.').next().unwrap_or_default();
            matches!(package, "annotated_types" | "msgspec" | "pydantic")
        })
    })
}

/// Adds what one word says.
fn add<'py>(walk: &Walk<'_, 'py>, node: &mut Node, word: &Bound<'py, PyAny>) -> PyResult<()> {
    let py = word.py();
    let module = py.import(intern!(py, "penstock._constraints"))?;
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
                After::add(node, [Step::Call(argument.unbind())]);
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
        After::add(node, [Step::Check(Check { test, expected: expected.into() })]);
    }
    Ok(())
}

fn is_sized(nature: Nature) -> bool {
    matches!(nature, Nature::Text | Nature::Bytes | Nature::Items | Nature::Unknown)
}

/// Whether values of a nature can be more or less than a bound, as far as it can be known.
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
