//! The steps after a value is made as its type's kind: conversions and checks.
//!
//! For a `Path`, a `str` is decoded and `Path` is called with it. For a type with a function of its
//! own, the function's parameter is decoded and the function is called with it.

use penstock_core::value::moment::Of;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyType};

use crate::edge::errors::answer;
use crate::edge::modules;

use super::constraints::Check;
use super::type_objects;
use crate::plan::types::builtin::is_object_of;
use crate::plan::types::compiler::Compiler;
use crate::plan::types::{known, wrappers};
use crate::plan::{Kind, Node};

/// The steps after a value is made.
#[derive(Default)]
pub(crate) struct PostSteps {
    /// In this order.
    pub(crate) steps: Vec<Step>,
    /// The first step for which `None` is an ordinary value. If there is none, `None` means an
    /// absent value, and no step runs.
    pub(crate) null_from: Option<usize>,
    /// Whether the first step only stores the numbers of a list in less room.
    pub(crate) packs: bool,
    /// Whether some texts are invalid: in a union, such a text may belong to another member.
    pub(crate) has_form: bool,
    /// The final kind of the value, if it differs from the first.
    pub(in crate::plan) nature: Option<Nature>,
    /// Whether the final value is an object of a model of pydantic with fields, which pydantic makes
    /// of plain values: its element has the name of the model.
    pub(crate) is_model: bool,
    /// The class of the final value, if a step makes it and the plan knows the class.
    pub(in crate::plan) class: Option<Py<PyType>>,
    /// The members of an `Enum` that a step makes of integers, by these; it leaves any other integer.
    pub(in crate::plan) chosen: Option<Py<PyDict>>,
    /// Whether the final value is not hashable, if that differs from its kind.
    pub(in crate::plan) hashable: Option<bool>,
    /// For each function of the user's among the steps, the one that undoes it; None if there is
    /// no such function.
    pub(crate) backs: Vec<Option<Py<PyAny>>>,
    /// In a plan for typed values: what checks a value before it is written where all scalars are text.
    pub(crate) check_of_text: Option<Py<PyAny>>,
}

impl PostSteps {
    /// Whether a function makes the value of another one.
    pub(crate) fn converts(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Check(_)))
    }
}

/// One step.
pub(crate) enum Step {
    /// Calls a function of the user with the value; its result is the value.
    Call(Py<PyAny>),
    /// The same with a function that raises only if the value cannot be one of the type.
    Convert(Py<PyAny>),
    /// Removes white space around text.
    Trim,
    /// Checks the value.
    Check(Check),
}

/// The constraints that a value can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Nature {
    /// A number: bounds, and multiples.
    Number,
    /// A time: bounds.
    Ordered,
    /// The same, and its time zone.
    Moment,
    /// Its number of characters.
    Text,
    /// Its number of bytes.
    Bytes,
    /// Its number of items.
    Items,
    /// None of these.
    Other,
    /// Known only when the value exists.
    Unknown,
}

impl Node {
    /// The constraints that a value of the node can have.
    pub(in crate::plan) fn nature(&self, nodes: &[Node]) -> Nature {
        if let Some(nature) = self.after.as_ref().and_then(|after| after.nature) {
            return nature;
        }
        match &self.kind {
            Kind::Int | Kind::Float | Kind::Decimal => Nature::Number,
            Kind::Date | Kind::Duration => Nature::Ordered,
            Kind::Moment(moment) if moment.of == Of::Date => Nature::Ordered,
            Kind::DateTime | Kind::Moment(_) | Kind::Time => Nature::Moment,
            Kind::Str => Nature::Text,
            Kind::Bytes | Kind::Encoded(_) => Nature::Bytes,
            Kind::List(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Separated(_)
            | Kind::Dict(..) => Nature::Items,
            Kind::None | Kind::Raw | Kind::Bool | Kind::Uuid | Kind::Uid => Nature::Other,
            Kind::Any | Kind::Choice(_) | Kind::Class(_) | Kind::Tagged(_) => Nature::Unknown,
            Kind::Tokens(tokens) => {
                let mut natures =
                    tokens.members().map(|member| nodes[member as usize].nature(nodes));
                let first = natures.next().unwrap_or(Nature::Other);
                if natures.all(|nature| nature == first) { first } else { Nature::Other }
            }
        }
    }

    /// True if the node accepts any text unchanged.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Str) && self.after.as_ref().is_none_or(|after| !after.has_form)
    }
}

impl PostSteps {
    /// Adds steps to a node.
    pub(in crate::plan) fn add(
        node: &mut Node,
        steps: impl IntoIterator<Item = Step>,
    ) -> &mut PostSteps {
        let after = node.after.get_or_insert_default();
        after.steps.extend(steps);
        after
    }

    /// True if the final value may be another one than the first.
    pub(crate) fn changes(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Check(_) | Step::Trim))
    }

    /// Whether it is known which values may be final ones.
    pub(crate) fn knows_class(&self) -> bool {
        self.class.is_some() || self.chosen.is_some()
    }

    /// True if the final value is said to be bytes.
    pub(in crate::plan) fn is_of_bytes(&self) -> bool {
        self.nature == Some(Nature::Bytes)
    }

    /// Visits all objects that the steps hold.
    pub(in crate::plan) fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
        let steps = self.steps.iter().filter_map(|step| match step {
            Step::Call(function) | Step::Convert(function) => Some(function),
            Step::Check(check) => check.object(),
            Step::Trim => None,
        });
        let class = self.class.iter().map(Py::as_any).chain(self.chosen.iter().map(Py::as_any));
        steps.chain(self.backs.iter().flatten()).chain(&self.check_of_text).chain(class)
    }

    /// Whether a value may be one that the steps make, as far as its class shows it. None if they
    /// leave the class as it is.
    pub(crate) fn makes(&self, value: &Bound<'_, PyAny>) -> Option<bool> {
        if !self.changes() {
            return None;
        }
        if let Some(members) = &self.chosen {
            let is_bool = value.is_instance_of::<PyBool>();
            let mut members = members.bind(value.py()).iter();
            let is_number = value.is_instance_of::<PyInt>() && !is_bool;
            return Some(is_number || members.any(|(_, member)| member.is(value)));
        }
        let Some(class) = &self.class else { return (!self.backs.is_empty()).then_some(true) };
        let class = class.bind(value.py());
        // A truth value is no number here.
        let is_bool = value.is_instance_of::<PyBool>() && !class.is(value.get_type());
        Some(is_object_of(value, class) && !is_bool)
    }
}

/// A user's function that makes a value from another.
pub(in crate::plan) struct Via<'py> {
    pub(in crate::plan) decode: Bound<'py, PyAny>,
    /// Its parameter's type; anything, if it has no annotation.
    pub(in crate::plan) source: Option<Bound<'py, PyAny>>,
    /// The function that makes the parameter's value from a result, if there is one.
    pub(in crate::plan) encode: Option<Bound<'py, PyAny>>,
}

impl<'py> Via<'py> {
    /// From a `via(...)`, or from a function alone. `makes` is the type of its results.
    fn of(object: &Bound<'py, PyAny>, makes: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let word = if wrappers::is_instance(object, &known::VIA) {
            object.clone()
        } else {
            py.import(intern!(py, modules::VIA))?.getattr(intern!(py, "via"))?.call1((object,))?
        };
        let source = word.call_method1(intern!(py, "_takes"), (makes,))?;
        let source = (!source.is(py.Ellipsis())).then_some(source);
        let encode = word.getattr(intern!(py, "encode"))?;
        let encode = (!encode.is_none()).then_some(encode);
        Ok(Via { decode: word.getattr(intern!(py, "decode"))?, source, encode })
    }
}

/// The `via(...)` among the words beside an annotation.
pub(in crate::plan) fn via_of<'py>(
    annotation: &Bound<'py, PyAny>,
    words: &[Bound<'py, PyAny>],
) -> PyResult<Option<Via<'py>>> {
    let found = words.iter().find(|word| wrappers::is_instance(word, &known::VIA));
    found.map(|via| Via::of(via, annotation)).transpose()
}

/// The entry of a type in the caller's registry.
pub(in crate::plan) fn of_registry<'py>(
    compiler: &Compiler<'py>,
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Option<Via<'py>>> {
    let Some(types) = &compiler.settings.types else { return Ok(None) };
    // Not everything in an annotation is hashable.
    if answer(compiler.py, annotation.hash())?.is_none() {
        return Ok(None);
    }
    let types: &Bound<'py, PyDict> = types;
    types.get_item(annotation)?.map(|found| Via::of(&found, annotation)).transpose()
}

/// The class's own rule for decoding: `__penstock__`.
pub(in crate::plan) fn of_class<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Via<'py>>> {
    let name = intern!(class.py(), "__penstock__");
    if type_objects::attribute(class, name).is_none() {
        return Ok(None);
    }
    Via::of(&class.getattr(name)?, class.as_any()).map(Some)
}
