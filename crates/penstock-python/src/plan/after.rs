//! What is done with a value after it is made as its type's kind says: conversions and checks.
//!
//! A `Path` is a `str` that `Path` is then called with; a type with a function of its own is what
//! that function takes, and then a call of it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::failure::answer;

use super::constraints::Check;
use super::types::Compiler;
use super::{Kind, Node, known, layout, wrappers};

/// What is done with a value after it is made.
#[derive(Default)]
pub(crate) struct After {
    /// In this order.
    pub(crate) steps: Vec<Step>,
    /// The first of the steps for which `None` is a value like any other. Where there is none, it
    /// stands for the absence of one, and nothing is done with it.
    pub(crate) null_from: Option<usize>,
    /// Whether not every text can be such a value: in a union, what does not fit may be another
    /// member's.
    pub(crate) has_form: bool,
    /// What the value is in the end, if not what its kind says.
    pub(super) nature: Option<Nature>,
    /// Whether the value in the end has no hash, if that is not as its kind says.
    pub(super) hashable: Option<bool>,
}

/// One thing that is done with a value.
pub(crate) enum Step {
    /// A function of the user's is called with the value, and what it returns is the value.
    Call(Py<PyAny>),
    /// The same, by a function that only raises where the value cannot be one of the type.
    Convert(Py<PyAny>),
    /// White space around text goes.
    Trim,
    /// The value is looked at.
    Check(Check),
}

/// What may be asked of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// To be more or less than another, and a multiple of one.
    Number,
    /// To be before or after another.
    Ordered,
    /// The same, and in which time zone it is.
    Moment,
    /// How many characters it has.
    Text,
    /// How many bytes it has.
    Bytes,
    /// How many items it has.
    Items,
    /// Nothing of all this.
    Other,
    /// That shows when the value is there.
    Unknown,
}

impl Node {
    /// What may be asked of a value of the node.
    pub(super) fn nature(&self, nodes: &[Node]) -> Nature {
        if let Some(nature) = self.after.as_ref().and_then(|after| after.nature) {
            return nature;
        }
        match &self.kind {
            Kind::Int | Kind::Float | Kind::Decimal => Nature::Number,
            Kind::Date | Kind::Duration => Nature::Ordered,
            Kind::DateTime | Kind::Instant(_) | Kind::Time => Nature::Moment,
            Kind::Str => Nature::Text,
            Kind::Bytes | Kind::Hex => Nature::Bytes,
            Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Dict(..) => Nature::Items,
            Kind::None | Kind::Bool | Kind::Uuid => Nature::Other,
            Kind::Any | Kind::Choice(_) | Kind::Class(_) | Kind::Tagged(_) => Nature::Unknown,
            Kind::Tokens(tokens) => {
                let mut natures =
                    tokens.members().map(|member| nodes[member as usize].nature(nodes));
                let first = natures.next().unwrap_or(Nature::Other);
                if natures.all(|nature| nature == first) { first } else { Nature::Other }
            }
        }
    }

    /// True if the node takes any text as it is.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Str) && self.after.as_ref().is_none_or(|after| !after.has_form)
    }
}

impl After {
    /// Adds steps to what is done with a node's value.
    pub(super) fn add(node: &mut Node, steps: impl IntoIterator<Item = Step>) -> &mut After {
        let after = node.after.get_or_insert_default();
        after.steps.extend(steps);
        after
    }

    /// Visits all objects that are held.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(function) | Step::Convert(function) => Some(function),
            Step::Check(check) => check.object(),
            Step::Trim => None,
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
    if answer(compiler.py, annotation.hash())?.is_none() {
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
