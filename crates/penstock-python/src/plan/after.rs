//! What is done with a value after it is made as its type's kind says: conversions and checks.
//!
//! A `Path` is a `str` that `Path` is then called with; a type with a function of its own is what
//! that function takes, and then a call of it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::types::Compiler;
use super::walk::Walk;
use super::{Node, NodeId, known, layout, wrappers};

/// What is done with a value after it is made.
pub(crate) struct After {
    /// In this order.
    pub(crate) steps: Vec<Step>,
    /// Whether `None` is a value like any other, and not what stands for the absence of one.
    pub(crate) takes_null: bool,
    /// Whether not every text can be such a value: in a union, what does not fit may be another
    /// member's.
    pub(crate) has_form: bool,
}

/// One thing that is done with a value.
pub(crate) enum Step {
    /// This is called with the value, and what it returns is the value.
    Call(Py<PyAny>),
}

impl After {
    /// Adds steps to what is done with a node's value.
    pub(super) fn add(node: &mut Node, steps: Vec<Step>) {
        if steps.is_empty() {
            return;
        }
        let after = node.after.get_or_insert_with(|| {
            Box::new(After { steps: Vec::new(), takes_null: false, has_form: false })
        });
        after.steps.extend(steps);
    }

    /// Visits all objects that are held.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
        self.steps.iter().map(|step| match step {
            Step::Call(function) => function,
        })
    }
}

/// A function of the user's that makes a value of another.
pub(super) struct Via<'py> {
    pub(super) decode: Bound<'py, PyAny>,
    /// What it takes; anything, if it does not say.
    pub(super) source: Option<Bound<'py, PyAny>>,
}

impl<'py> Via<'py> {
    /// From a `via(...)`, or from the function alone.
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let word = if wrappers::is_instance(object, &known::VIA) {
            object.clone()
        } else {
            py.import(intern!(py, "penstock._via"))?
                .getattr(intern!(py, "via"))?
                .call1((object,))?
        };
        let source = word.call_method0(intern!(py, "_takes"))?;
        let source = (!source.is(py.Ellipsis())).then_some(source);
        Ok(Via { decode: word.getattr(intern!(py, "decode"))?, source })
    }
}

/// The `via(...)` among what stands beside a type.
pub(super) fn via_of<'py>(words: &[Bound<'py, PyAny>]) -> PyResult<Option<Via<'py>>> {
    let found = words.iter().find(|word| wrappers::is_instance(word, &known::VIA));
    found.map(Via::of).transpose()
}

/// What the caller's registry says of a type.
pub(super) fn of_registry<'py>(
    compiler: &Compiler<'py>,
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Option<Via<'py>>> {
    let Some(types) = &compiler.settings.types else { return Ok(None) };
    // Not everything that may stand in an annotation has a hash.
    if annotation.hash().is_err() {
        return Ok(None);
    }
    let types: &Bound<'py, PyDict> = types;
    types.get_item(annotation)?.map(|found| Via::of(&found)).transpose()
}

/// What the class itself says of how it is decoded: `__penstock__`.
pub(super) fn of_class<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Via<'py>>> {
    let name = intern!(class.py(), "__penstock__");
    if layout::attribute(class, name).is_none() {
        return Ok(None);
    }
    Via::of(&class.getattr(name)?).map(Some)
}

/// Adds the constraints that stand beside a type.
pub(super) fn constrain<'py>(
    walk: &mut Walk<'_, 'py>,
    node: &mut Node,
    id: NodeId,
    words: &[Bound<'py, PyAny>],
) -> PyResult<()> {
    for word in words.iter().filter(|word| wrappers::is_instance(word, &known::TAG)) {
        walk.tag(node, id, word)?;
    }
    wrappers::refuse_constraints(words, walk.place)
}
