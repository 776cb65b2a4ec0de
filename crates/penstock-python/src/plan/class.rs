//! What an object of a class is made of.

use super::{Aim, Kind, Names, Node, NodeId, Part, Pattern, Spread, Star, element};
use penstock_core::keys::KeyTable;
use penstock_core::select::Path;
use penstock_core::shape::Form;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// How to decode into one class.
pub(crate) struct ClassPlan {
    /// The class.
    pub(crate) class: Py<PyType>,
    /// Its name, for messages.
    pub(crate) name: Box<str>,
    /// The fields, in the order in which the class declares them. Behind them stand those of its
    /// parts.
    pub(crate) fields: Box<[Field]>,
    /// How many fields are its own.
    pub(super) own: usize,
    /// Its fields whose values are made of members of the same object, in the order of their own
    /// fields (`at(".")`).
    pub(crate) parts: Box<[Part]>,
    /// Its fields whose values come from several columns of a row, and that are no parts.
    pub(crate) spreads: Box<[Spread]>,
    /// For each field, the aim of a value for it.
    pub(crate) aims: Box<[Aim]>,
    /// The field and the node of each type of a choice.
    pub(super) routes: Vec<(u32, NodeId)>,
    /// Fields whose items become a dict, and the field of the items that is the key.
    pub(super) keys: Vec<(usize, String)>,
    /// How keys lead to fields. State 0 is the object itself; the others are the maps and lists on
    /// the path to fields whose path has several steps.
    pub(crate) states: Box<[State]>,
    /// The fields that take the key by which the object was found (`at("key()")`).
    pub(crate) takes_key: Box<[u32]>,
    /// For each aim, where the key stands by which its value is found.
    pub(crate) stars: Vec<Star>,
    /// Markup: the paths to fields. The first one of a field is where its value is written.
    pub(crate) paths: Box<[Way]>,
    /// True if some field gathers its values.
    pub(crate) gathers: bool,
    /// How an object is made of the field values.
    pub(crate) build: Build,
    /// Why the class is called, if it is: `City has its own __init__`.
    pub(crate) why_called: Option<Box<str>>,
    /// Whether the class itself refuses keys that it does not name.
    pub(crate) forbids_unknown: bool,
    /// Whether an array of the fields' values, in their order, is accepted too.
    pub(crate) takes_rows: bool,
    /// Whether nothing but such an array is accepted.
    pub(crate) only_rows: bool,
    /// Whether the class names the fields that do not fit when all values are there, as pydantic
    /// does.
    pub(crate) tells_fields: bool,
    /// Whether it, or the class of a part, does. Then the builder remembers where each value
    /// stands.
    pub(crate) notes_fields: bool,
    /// The field that takes all keys that the class does not name, with their values. While an
    /// object is made, it is a list in which they alternate.
    pub(crate) rest: Option<u32>,
}

/// The value of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagValue {
    Text(String),
    Int(i64),
}

impl ClassPlan {
    /// Sets for each field what its values become, once all types are known.
    pub(super) fn take_aim(&mut self, nodes: &[Node], form: Form) {
        let fields = self.fields.iter().zip(0..).map(|(field, index)| {
            let items = match nodes[field.node as usize].kind {
                Kind::Dict(_, item) if field.keyed.is_some() => Some(item),
                _ => element(nodes, field.node),
            };
            let node = items.filter(|_| field.gathers).unwrap_or(field.node);
            Aim::new(nodes, form, node, index, field.gathers)
        });
        let routes = self.routes.iter().map(|&(index, node)| {
            Aim::new(nodes, form, node, index, self.fields[index as usize].gathers)
        });
        let noted = |aim: Aim| match self.notes_fields && !aim.gathers {
            true => aim.finished(form),
            false => aim,
        };
        self.aims = fields.chain(routes).map(noted).collect();
    }

    /// The fields without those of its parts.
    pub(crate) fn own(&self) -> &[Field] {
        &self.fields[..self.own]
    }

    /// The part to which a field belongs, if it is none of its own.
    pub(crate) fn part_of(&self, field: u32) -> Option<&Part> {
        self.parts.iter().rev().find(|part| part.first <= field as usize)
    }

    /// The aim of the value to which a key or an element leads, if that is a value as a whole.
    pub(crate) fn aim_of(&self, to: Target) -> Option<u32> {
        match to {
            Target::Field(aim) => Some(aim),
            Target::State(state) => self.states[state as usize].whole,
        }
    }

    /// The class for calls into the interpreter. Borrowed from the plan.
    #[inline(always)]
    pub(crate) fn type_ptr(&self) -> *mut ffi::PyTypeObject {
        self.class.as_ptr().cast()
    }
}

/// A field of a class.
pub(crate) struct Field {
    /// The attribute, interned.
    pub(crate) name: Py<PyString>,
    /// Where its value stands in the document, for messages: its key or path. No key leads to a
    /// field with `init=False`.
    pub(crate) key: Box<str>,
    /// What its value becomes.
    pub(crate) node: NodeId,
    /// What the field gets if its value is absent.
    pub(crate) absent: Absent,
    /// Its default, if the field stays [`Unset`](Absent::Unset) because a library fills it in.
    pub(crate) default: Option<Absent>,
    /// True if values are gathered from several matches (a path with `*` or `//`).
    pub(crate) gathers: bool,
    /// If the gathered objects become a dict: the field of the objects whose value is the key.
    pub(crate) keyed: Option<u32>,
}

/// What happens if the document has no value for a field.
pub(crate) enum Absent {
    /// It is a [`Mismatch`](penstock_core::error::Kind::Mismatch).
    Error,
    /// This object is stored.
    Value(Py<PyAny>),
    /// This is called without arguments, and the result is stored.
    Factory(Py<PyAny>),
    /// The field stays unset, or the call is made without it.
    Unset,
}

/// A path in markup, to a field.
pub(crate) struct Way {
    /// The path, with its prefixes bound.
    pub(crate) path: Path,
    /// The field.
    pub(crate) field: u32,
    /// The index of the aim that it leads to: the field, or one type of a choice.
    pub(crate) aim: u32,
}

/// The keys of one map, or the elements of one list, on the path to fields.
pub(crate) struct State {
    /// Its number among those of all classes.
    pub(crate) number: u32,
    /// The known keys.
    pub(crate) keys: Box<[KeyEdge]>,
    /// Finds the index into `keys`.
    pub(crate) table: KeyTable,
    /// Elements of a list by index.
    pub(crate) indexes: Box<[(u64, Target)]>,
    /// Where any other key or element leads (a `*` step), if anywhere.
    pub(crate) other: Option<Target>,
    /// Fields which collect the key or index that led to this state (`*/key()`).
    pub(crate) takes_key: Box<[u32]>,
    /// Markup: the child elements.
    pub(crate) elements: Names,
    /// Markup: the attributes.
    pub(crate) attributes: Names,
    /// Markup: the aim of an element's own text, as an index into the aims. If it gathers, each run
    /// of text between child elements is a value.
    pub(crate) text: Option<u32>,
    /// Markup: the aim of all text below the element, if other fields have parts of the element.
    pub(crate) whole: Option<u32>,
}

/// One known key.
pub(crate) struct KeyEdge {
    /// The key itself, for messages.
    pub(crate) name: Box<str>,
    /// Where it leads.
    pub(crate) to: Target,
}

/// Where a key or an element leads.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// To the value of a field: an index into the aims of the class. These are one for each field,
    /// and behind them one for each type of a choice.
    Field(u32),
    /// To another map or list on the path.
    State(u32),
}

/// How an object is made from the values of its fields.
pub(crate) enum Build {
    /// Allocate it and write its slots by offset, then call `__post_init__` if it has one. Only
    /// where nobody can tell the difference from calling the class.
    Slots {
        /// Byte offset of each field's slot.
        offsets: Box<[usize]>,
        /// The method that is called afterwards, if there is one.
        post_init: Option<Py<PyString>>,
        /// Whether an object may be filled again for a later row: no finalizer, nothing but slots.
        recyclable: bool,
    },
    /// Allocate it and write its slots by offset, as msgspec's own constructor of a Struct does.
    Struct {
        /// The first field that has a slot. The values of those before it are only checked.
        first: usize,
        /// Byte offset of the slot of each field from there on.
        offsets: Box<[usize]>,
        /// Whether an object is nothing but these slots and may be tracked by the collector. Then
        /// its memory need not be cleared first, and it is tracked only if necessary.
        bare: bool,
    },
    /// Allocate it and set its attributes by name with the generic setter, in the order of the
    /// fields, then call `__post_init__`. Only where nobody can tell the difference from calling
    /// the class.
    Attributes {
        /// The method that is called afterwards, if there is one.
        post_init: Option<Py<PyString>>,
    },
    /// Call the class without arguments, and set its attributes.
    Fill,
    /// A `NamedTuple` with the generated constructor: items by position.
    Tuple,
    /// A `TypedDict`: a dict with the present keys. If all are present, it is a copy of this.
    Dict(Pattern),
    /// Call the class. Leading fields go by position as far as they have values, the others by
    /// keyword. A field that may only go by position always has a value.
    Call {
        /// The first field that is passed. The values of those before it are only checked.
        first: usize,
        /// How many leading fields go by position.
        positional: usize,
        /// The names of those that go by keyword, as a tuple of interned strings.
        keywords: Py<pyo3::types::PyTuple>,
    },
    /// Call a function of the class with a dict of the present keys.
    Validate(Py<PyAny>),
}

impl Field {
    /// What an object that was read has if the field was absent.
    #[inline]
    pub(crate) fn default(&self) -> &Absent {
        self.default.as_ref().unwrap_or(&self.absent)
    }
}

impl Absent {
    pub(super) fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Absent::Error => Absent::Error,
            Absent::Value(value) => Absent::Value(value.clone_ref(py)),
            Absent::Factory(factory) => Absent::Factory(factory.clone_ref(py)),
            Absent::Unset => Absent::Unset,
        }
    }
}
