//! Makes a plan from a class, once per class.
//!
//! A plan is everything that decoding needs to know about a type, resolved before a byte is read:
//! nodes for the types, classes with their fields, the states by which keys lead to fields, and how
//! to make an object of the class. Plans are immutable and shared between calls and threads. They
//! are kept beside the class, never on it, and dropped with it.
//!
//! | file or folder | holds |
//! |---|---|
//! | `node.rs` | what a value becomes, by its type |
//! | `class.rs` | what an object of a class is made of |
//! | `kinds/` | the kinds of classes: dataclasses, attrs, pydantic and others |
//! | `types/` | annotations to nodes |
//! | `keys/` | keys and paths to fields |
//! | `make/` | how an object is made, and what happens to a value after that |
//! | `written/` | the plan read backwards, for writing |
//! | `raw.rs` | `penstock.Raw` |
//! | `belonging.rs` | to which type a Python value belongs |
//! | `cache.rs` | the plans that are kept |
//! | `settings.rs`, `shown.rs` | the options of `penstock.Plan`, and the object |
//! | `tree.rs` | the plan as values of Python, for who describes it |

mod belonging;
mod cache;
mod class;
mod judging;
pub(crate) mod keys;
pub(crate) mod kinds;
pub(crate) mod make;
mod node;
mod plain_parts;
mod raw;
mod settings;
mod shared;
mod shown;
mod told_later;
mod tree;
pub(crate) mod types;
pub(crate) mod written;

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::cpython::versions;
use crate::edge::modules;
use written::layout::Layouts;

use penstock_core::shape::Form;
use penstock_core::value::cells::Cells;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

pub(crate) use crate::plan::keys::hints::{KeyHints, Lent, NOTHING_LENT, runs};
pub(crate) use crate::plan::keys::spread::{Spread, Stars};
pub(crate) use crate::plan::make::type_objects::attribute as class_attribute;
pub(crate) use cache::{PlanKey, Prefixes, on_clearing, plan_from, plan_of_kinds};
pub(crate) use class::{Absent, Build, ClassPlan, Field, KeyEdge, State, TagValue, Target, Way};
pub(crate) use keys::flat::Part;
pub(crate) use keys::found_by::{Star, needs_key, no_key};
pub(crate) use keys::markup::{NameEdge, Names};
pub(crate) use keys::untyped::{Separated, contradiction};
pub(crate) use kinds::attrs::message_of_attrs;
pub(crate) use kinds::msgspec::is_unset;
pub(crate) use kinds::pydantic::{
    has_serializer, is_of_pydantic, is_pydantic_there, names_by_alias,
};
pub(crate) use kinds::signature::makes_none;
pub(crate) use make::build::slots;
pub(crate) use make::constraints::{Check, Limit, Test};
pub(crate) use make::entries::{Pattern, entries, new_dict};
pub(crate) use make::post_steps::{PostSteps, Step};
pub(crate) use node::{
    Aim, Choice, EarlyField, EarlyTag, Kind, KindByte, NOTED, Node, PLAIN, TagRule, Tagged, element,
};
pub(crate) use raw::Raw;
pub(crate) use shared::{PlanRef, Shared};
pub(crate) use shown::PlanObject;
pub(crate) use tree::plan_tree;
pub(crate) use types::builtin::{
    decimal_text, is_decimal, is_enum, is_no_decimal, is_object_of, is_uid, is_uuid,
};
pub(crate) use types::tokens::Tokens;

/// Index into [`Plan::nodes`].
pub(crate) type NodeId = u32;
/// Index into [`Plan::classes`].
pub(crate) type ClassId = u32;

/// The plan of one type, with all types inside it.
pub(crate) struct Plan {
    /// All nodes; types that occur twice or refer to themselves share one.
    pub(crate) nodes: Vec<Node>,
    /// All classes found, each once.
    pub(crate) classes: Vec<ClassPlan>,
    /// For each node, the aim of a value that becomes it.
    pub(crate) aims: Box<[Aim]>,
    /// The same for a part of a plain value, where the builder remembers where each part stands.
    pub(crate) noted_aims: Box<[Aim]>,
    /// For each node, whether it is a container whose items have places that are remembered; empty
    /// if none is.
    notes_items: Box<[bool]>,
    /// The node of the type itself.
    pub(crate) root: NodeId,
    /// The node of each kind of record, where several kinds are read at once; else that of the
    /// type.
    pub(crate) kinds: Box<[NodeId]>,
    /// The form of the formats that the plan is for.
    pub(crate) form: Form,
    /// Whether text and numbers are converted if nothing is lost (`strict=False`).
    pub(crate) lax: bool,
    /// Whether there is a `Decimal` that declares no digits. For columns, they are counted.
    pub(crate) counts_digits: bool,
    /// The other forms of values in untyped text, for all nodes that have none of their own.
    pub(crate) cells: Option<Arc<Cells>>,
    /// The caller's functions for certain types, also for objects in places without a type.
    types: Option<Py<PyDict>>,
    /// The classes that were read to make the plan, each with its version at that time.
    seen: Box<[Seen]>,
    /// The keys as they stand in JSON text, once a JSON document is read with the plan.
    json: OnceLock<KeyHints>,
    /// How the objects of its classes are written, once one is.
    layouts: OnceLock<Layouts>,
    /// Whether it has places for plain values, once somebody asks.
    plain_parts: OnceLock<bool>,
}

impl Plan {
    /// Whether a node is a container whose items have places that are remembered.
    #[inline(always)]
    pub(crate) fn notes_items(&self, node: NodeId) -> bool {
        self.notes_items.get(node as usize) == Some(&true)
    }

    /// Whether a node is a list of numbers of which an array is made.
    pub(crate) fn packs(&self, node: NodeId) -> bool {
        let item = element(&self.nodes, node);
        item.is_some_and(|item| self.nodes[item as usize].packed.is_some())
    }

    /// Whether a node is a dict whose values may be anything: of an element it has all, by the
    /// convention of plain values, and not only the child elements.
    pub(crate) fn is_open_dict(&self, node: NodeId) -> bool {
        let Kind::Dict(key, value) = self.nodes[node as usize].kind else { return false };
        let (key, value) = (&self.nodes[key as usize], &self.nodes[value as usize]);
        matches!(key.kind, Kind::Str | Kind::Any)
            && matches!(value.kind, Kind::Any)
            && key.after.is_none()
            && value.after.is_none()
    }

    /// Whether the caller gave functions for types.
    pub(crate) fn has_types(&self) -> bool {
        self.types.is_some()
    }

    /// A plan of a class with the same functions for types.
    #[cold]
    pub(crate) fn of_class_likewise<'py>(
        &self,
        class: &Bound<'py, PyType>,
        aimed: PlanKey<'_, 'py>,
    ) -> PyResult<PlanRef> {
        let py = class.py();
        let types = self.types.as_ref().map(|types| types.bind(py).clone());
        let settings = settings::Settings { types, ..settings::Settings::default() };
        cache::plan_for(py, class.as_any(), &settings, aimed)
    }

    /// The other forms that the user declared for a node itself, and not for the whole plan.
    pub(crate) fn own_cells<'p>(&'p self, node: &'p Node) -> Option<&'p Cells> {
        let cells = node.cells.as_ref()?;
        let is_general = self.cells.as_ref().is_some_and(|general| Arc::ptr_eq(general, cells));
        (!is_general).then_some(cells)
    }

    /// What the field of a class gets without a value; for a field of a part, what the class of the
    /// part says.
    pub(crate) fn absent<'p>(&'p self, class: &'p ClassPlan, field: u32) -> &'p Absent {
        let (mut class, mut field) = (class, field);
        while let Some(part) = class.part_of(field) {
            (class, field) = (&self.classes[part.class as usize], field - part.first as u32);
        }
        &class.fields[field as usize].absent
    }

    /// True if every document becomes plain values.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.nodes[self.root as usize].kind, Kind::Any)
    }

    /// Whether an object that a map becomes may have a field for the key by which it was found.
    pub(crate) fn takes_key(&self, node: NodeId) -> bool {
        match &self.nodes[node as usize].kind {
            Kind::Class(class) => !self.classes[*class as usize].takes_key.is_empty(),
            Kind::Tagged(tagged) => tagged.members().any(|node| self.takes_key(node)),
            Kind::Tokens(tokens) => tokens.map.is_some_and(|node| self.takes_key(node)),
            _ => false,
        }
    }

    /// The keys as they stand in JSON text.
    pub(crate) fn lent_to_json(&self) -> &KeyHints {
        self.json.get_or_init(|| KeyHints::of_json(self))
    }

    /// How the objects of the plan's classes are written, in formats of keys and typed values.
    pub(crate) fn layouts(&self, py: Python<'_>) -> PyResult<&Layouts> {
        if self.layouts.get().is_none() {
            // Another thread may be faster; it found the same.
            let _ = self.layouts.set(Layouts::of(py, self)?);
        }
        Ok(self.layouts.get_or_init(|| unreachable!("it was set above")))
    }

    /// The same, if they were made before.
    #[inline]
    pub(crate) fn made_layouts(&self) -> Option<&Layouts> {
        self.layouts.get()
    }

    /// True as long as no class of the plan, and no base of one, has changed.
    pub(crate) fn is_current(&self, py: Python<'_>) -> bool {
        self.seen.iter().all(|seen| versions::version(seen.class.bind(py)) == Some(seen.version))
    }
}

/// A class at one moment. CPython gives it another version when the class or a base of it changes.
struct Seen {
    class: Py<PyType>,
    /// 0, which is no version, if CPython had none left.
    version: u32,
}

impl Plan {
    /// Whether a value of it stays the text that it is in JSON.
    pub(crate) fn has_raw(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.kind, Kind::Raw))
    }
}

/// True for a `PlanError`.
pub(crate) fn is_plan_error(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import(modules::ERRORS).and_then(|module| module.getattr("PlanError"));
    class.is_ok_and(|class| error.value(py).is_instance(&class).unwrap_or(false))
}

/// A `PlanError`: Penstock cannot decode into the type.
pub(crate) fn plan_error(py: Python<'_>, message: impl fmt::Display) -> PyErr {
    let class = py.import(modules::ERRORS).and_then(|module| module.getattr("PlanError"));
    match class.and_then(|class| class.call1((message.to_string(),))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
