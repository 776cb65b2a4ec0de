//! Makes a plan from a class, once per class.
//!
//! A plan is everything that decoding needs to know about a type, resolved before a byte is read:
//! nodes for the types, classes with their fields, the states by which keys lead to fields, and how
//! to make an object of the class. Plans are immutable and shared between calls and threads. They
//! are kept beside the class, never on it, and dropped with it.

mod cache;
mod judging;
pub(crate) mod keys;
pub(crate) mod kinds;
pub(crate) mod make;
mod plain_parts;
mod settings;
mod shared;
mod shown;
pub(crate) mod types;
pub(crate) mod written;

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::cpython::versions;
use crate::edge::modules;
use types::mark::Mark;
use types::packed::Packed;
use written::layout::Layouts;

use penstock_core::keys::KeyTable;
use penstock_core::protocol::Want;
use penstock_core::select::{NamespaceTest, Path};
use penstock_core::shape::Form;
use penstock_core::value::cells::Cells;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{Moment, Of};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

pub(crate) use crate::plan::keys::spread::{Spread, Stars};
pub(crate) use crate::plan::make::type_objects::attribute as class_attribute;
pub(crate) use cache::{Aimed, Prefixes, on_clearing, plan_from, plan_of_kinds};
pub(crate) use keys::flat::Part;
pub(crate) use keys::found_by::{Star, needs_key, no_key};
pub(crate) use keys::lent::LentKeys;
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
pub(crate) use shared::{PlanRef, Shared};
pub(crate) use shown::PlanObject;
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
    json: OnceLock<LentKeys>,
    /// How the objects of its classes are written, once one is.
    layouts: OnceLock<Layouts>,
    /// Whether it has places for plain values, once somebody asks.
    plain_parts: OnceLock<bool>,
}

impl Plan {
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
        aimed: Aimed<'_, 'py>,
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
    pub(crate) fn lent_to_json(&self) -> &LentKeys {
        self.json.get_or_init(|| LentKeys::of_json(self))
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

/// One type as it stands in an annotation.
pub(crate) struct Node {
    /// What to make.
    pub(crate) kind: Kind,
    /// True if `None` is accepted too (`X | None`).
    pub(crate) nullable: bool,
    /// The form in which the reader should give a number here.
    pub(crate) want: Want,
    /// The conversions and checks of the value after it is made, if any.
    pub(crate) after: Option<Box<PostSteps>>,
    /// The other forms of the value in untyped text, if the user declared some.
    pub(crate) cells: Option<Arc<Cells>>,
    /// The form in which an array holds it, if it is a number of one.
    pub(crate) packed: Option<Packed>,
    /// What the user said of its column, if anything.
    pub(crate) column: Option<Mark>,
    /// The type for messages about values, as a user would write it. A choice with few values lists
    /// them: `list[int]`, `Size ("S" or "L")`.
    pub(crate) name: Box<str>,
    /// The type as a user would write it: `list[int]`, `Size | None`.
    pub(crate) written: Box<str>,
}

/// The node of plain values, which every plan has.
pub(crate) const PLAIN: NodeId = 0;

/// What the builder must know about a coming value. As small as possible, because the builder reads
/// it for each value of a document.
pub(crate) struct Aim {
    /// The kind, as far as a byte can say it.
    pub(crate) kind: KindByte,
    /// The form in which the reader should give a number.
    pub(crate) want: Want,
    /// True if the field gathers several values, and the coming value is one of them.
    pub(crate) gathers: bool,
    /// True if there is something to do when the value is made: conversions, checks, or to remember
    /// where it stands.
    pub(crate) finishes: bool,
    /// The node of the value.
    pub(crate) node: NodeId,
    /// The field of the class that the value is for, if any.
    pub(crate) field: u32,
}

/// The kinds that most values of documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindByte {
    /// [`Kind::Any`]
    Any,
    /// [`Kind::Int`]
    Int,
    /// [`Kind::Float`]
    Float,
    /// [`Kind::Str`]
    Str,
    /// A number of an array.
    Packed,
    /// Any other kind: see the node.
    Other,
    /// Any kind, from markup.
    Markup,
    /// No kind: the value is on the path to fields, or leads to none.
    OnPath,
}

impl Aim {
    /// The aim of a value that becomes `node` and is for `field`.
    pub(crate) fn new(nodes: &[Node], form: Form, node: NodeId, field: u32, gathers: bool) -> Self {
        let Node { kind, want, after, cells, packed, .. } = &nodes[node as usize];
        let finishes = after.is_some();
        let byte = match kind {
            _ if form.has_elements() => KindByte::Markup,
            _ if packed.is_some() => KindByte::Packed,
            _ if finishes || cells.is_some() => KindByte::Other,
            Kind::Any => KindByte::Any,
            Kind::Int => KindByte::Int,
            Kind::Float => KindByte::Float,
            Kind::Str => KindByte::Str,
            _ => KindByte::Other,
        };
        Aim { kind: byte, want: *want, gathers, finishes, node, field }
    }

    /// The same for a value with more to do when it is made.
    fn finished(self, form: Form) -> Self {
        let kind = if form.has_elements() { self.kind } else { KindByte::Other };
        Aim { kind, finishes: true, ..self }
    }
}

/// What a node's value becomes.
pub(crate) enum Kind {
    /// Plain dicts, lists and scalars: `Any`, `object`, or no annotation.
    Any,
    /// `None` alone.
    None,
    /// `bool`.
    Bool,
    /// `int`, of any size.
    Int,
    /// `float`.
    Float,
    /// `str`.
    Str,
    /// `bytes`, from base64 text.
    Bytes,
    /// `bytes`, from text in another form.
    Encoded(Type<'static>),
    /// `datetime.timedelta`.
    Duration,
    /// An object of one of several classes.
    Tagged(Box<Tagged>),
    /// One of several types; the kind of the value decides.
    Tokens(Box<Tokens>),
    /// `decimal.Decimal`, from the digits of a number or from text.
    Decimal,
    /// `datetime.datetime`.
    DateTime,
    /// One of the three below, in a form that the user chose.
    Moment(Box<Moment>),
    /// `datetime.date`.
    Date,
    /// `datetime.time`.
    Time,
    /// `uuid.UUID`.
    Uuid,
    /// `plistlib.UID`.
    Uid,
    /// An `Enum` by value, or a `Literal`: the value selects an existing object.
    Choice(Box<Choice>),
    /// `list[T]`.
    List(NodeId),
    /// `set[T]`.
    Set(NodeId),
    /// `frozenset[T]`.
    FrozenSet(NodeId),
    /// `tuple[T, ...]`.
    TupleOf(NodeId),
    /// `tuple[A, B, C]`: exactly these.
    Tuple(Box<[NodeId]>),
    /// One of the five above, whose items stand in one untyped text.
    Separated(Box<Separated>),
    /// `dict[K, V]`. `K` is `str`, or a kind that text can be converted to.
    Dict(NodeId, NodeId),
    /// An object of a class.
    Class(ClassId),
}

impl Kind {
    /// The type to which [`penstock_core::value::lexical`] converts text for this kind, if there is one.
    pub(crate) fn lexical(&self) -> Option<Type<'_>> {
        Some(match self {
            Kind::Bool => Type::Bool,
            Kind::Int => Type::Int,
            Kind::Float => Type::Float,
            Kind::Decimal => Type::Decimal,
            Kind::DateTime => Type::DateTime,
            Kind::Moment(moment) => Type::Moment(moment),
            Kind::Date => Type::Date,
            Kind::Time => Type::Time,
            Kind::Duration => Type::Duration,
            Kind::Uuid => Type::Uuid,
            Kind::Bytes => Type::Base64,
            Kind::Encoded(to) => *to,
            _ => return None,
        })
    }

    /// Whether values are dates or times of this type.
    pub(crate) fn is(&self, of: Of) -> bool {
        match self {
            Kind::Moment(moment) => moment.of == of,
            Kind::DateTime => of == Of::DateTime,
            Kind::Date => of == Of::Date,
            Kind::Time => of == Of::Time,
            _ => false,
        }
    }

    /// Whether a number is accepted that counts from the beginning of 1970.
    fn counts(&self) -> bool {
        matches!(self, Kind::Moment(moment) if moment.unit.is_some())
    }
}

/// A union of classes, where the document says which class an object has.
pub(crate) struct Tagged {
    /// How the document says it.
    pub(crate) by: TagRule,
    /// The values or keys that a message lists: `"a", "b" or "c"`.
    pub(crate) expected: Box<str>,
    /// What an object becomes that is of none of these: a class, a dict or plain values.
    pub(crate) other: Option<NodeId>,
}

impl Tagged {
    /// The nodes of all that a value may become, some more than once.
    pub(crate) fn every(&self) -> impl Iterator<Item = NodeId> {
        let arrays: &[(Py<PyAny>, NodeId)] = match &self.by {
            TagRule::First { classes, .. } => classes,
            _ => &[],
        };
        self.members().chain(arrays.iter().map(|(_, node)| *node))
    }

    /// The nodes of all that an object may become, some more than once.
    fn members(&self) -> impl Iterator<Item = NodeId> {
        let (classes, ints): (&[NodeId], &[(i64, NodeId)]) = match &self.by {
            // No key leads to an array.
            TagRule::Unsettled | TagRule::First { .. } => (&[], &[]),
            TagRule::Value { classes, ints, .. } => (classes, ints),
            TagRule::Keys { classes, .. } => (classes, &[]),
        };
        classes.iter().copied().chain(ints.iter().map(|(_, node)| *node)).chain(self.other)
    }
}

/// What distinguishes the classes of a union.
pub(crate) enum TagRule {
    /// The classes are not planned yet.
    Unsettled,
    /// The value of a key; in markup, of an attribute.
    Value {
        /// The key; of an attribute without its prefix.
        tag: Box<str>,
        /// The namespace of the attribute.
        namespace: NamespaceTest,
        /// Its values that are text.
        table: KeyTable,
        /// The keys of `table`.
        texts: Vec<Box<str>>,
        /// Parallel to the keys of `table`: the node of the class.
        classes: Vec<NodeId>,
        /// Its values that are integers, and the node of the class of each.
        ints: Vec<(i64, NodeId)>,
        /// Parallel to the keys of `table`: the class of each, if everything about the member that
        /// gives it is known.
        early: Vec<Option<EarlyTag>>,
    },
    /// The first item of an array, which is the first field of each class.
    First {
        /// The node of the item: a choice of all values.
        item: NodeId,
        /// Each value, and the node of its class.
        classes: Vec<(Py<PyAny>, NodeId)>,
    },
    /// The keys that are present: those that an object of one class must have, and that no other
    /// class has.
    Keys {
        /// The keys.
        table: KeyTable,
        /// Parallel to the keys of `table`: the node of the class.
        classes: Vec<NodeId>,
    },
}

impl TagRule {
    /// The Python objects that it holds.
    fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
        let early: &[Option<EarlyTag>] = match self {
            TagRule::Value { early, .. } => early,
            _ => &[],
        };
        let first: &[(Py<PyAny>, NodeId)] = match self {
            TagRule::First { classes, .. } => classes,
            _ => &[],
        };
        let fields = early.iter().flatten().filter_map(|early| early.field.as_ref());
        fields.map(|field| &field.value).chain(first.iter().map(|(object, _)| object))
    }
}

/// The member of an object that gives its class.
pub(crate) struct EarlyTag {
    /// The class.
    pub(crate) class: ClassId,
    /// The field of the member; None if the class does not name the key.
    pub(crate) field: Option<EarlyField>,
}

/// The field whose value gives the class.
pub(crate) struct EarlyField {
    /// The key, as an index into those of the object itself.
    pub(crate) key: u32,
    /// The field that it leads to.
    pub(crate) field: u32,
    /// The field's value.
    pub(crate) value: Py<PyAny>,
}

/// The values of an `Enum` or a `Literal`.
pub(crate) struct Choice {
    /// Text values, and the object that each stands for.
    pub(crate) texts: KeyTable,
    /// Parallel to the keys of `texts`.
    pub(crate) text_objects: Vec<Py<PyAny>>,
    /// Integer values.
    pub(crate) ints: Vec<(i64, Py<PyAny>)>,
    /// `true` and `false`, if they are values.
    pub(crate) bools: [Option<Py<PyAny>>; 2],
    /// `null`, if it is a value.
    pub(crate) null: Option<Py<PyAny>>,
    /// An `Enum` with a `_missing_` of its own: it is called with a value that is none of these.
    pub(crate) enum_class: Option<Py<PyType>>,
    /// The type in messages about values, with the values if they are few.
    pub(super) title: Box<str>,
    /// The values for messages, as a document has them: `"a", "b" or 3`.
    pub(crate) expected: Box<str>,
}

impl Choice {
    /// Whether an object is one of those that the values stand for.
    pub(crate) fn holds(&self, value: &Bound<'_, PyAny>) -> bool {
        let ints = self.ints.iter().map(|(_, object)| object);
        let bools = self.bools.iter().flatten();
        let mut objects = self.text_objects.iter().chain(ints).chain(bools);
        let class = value.get_type();
        let same = |object: &Py<PyAny>| {
            let object = object.bind(value.py());
            object.is(value) || (object.get_type().is(&class) && object.eq(value).unwrap_or(false))
        };
        objects.any(same) || (value.is_none() && self.null.is_some())
    }
}

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
    own: usize,
    /// Its fields whose values are made of members of the same object, in the order of their own
    /// fields (`at(".")`).
    pub(crate) parts: Box<[Part]>,
    /// Its fields whose values come from several columns of a row, and that are no parts.
    pub(crate) spreads: Box<[Spread]>,
    /// For each field, the aim of a value for it.
    pub(crate) aims: Box<[Aim]>,
    /// The field and the node of each type of a choice.
    routes: Vec<(u32, NodeId)>,
    /// Fields whose items become a dict, and the field of the items that is the key.
    keys: Vec<(usize, String)>,
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

/// The type of the elements of a collection.
pub(crate) fn element(nodes: &[Node], node: NodeId) -> Option<NodeId> {
    match nodes[node as usize].kind {
        Kind::List(element)
        | Kind::Set(element)
        | Kind::FrozenSet(element)
        | Kind::TupleOf(element) => Some(element),
        _ => None,
    }
}

impl ClassPlan {
    /// Sets for each field what its values become, once all types are known.
    fn take_aim(&mut self, nodes: &[Node], form: Form) {
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

impl Absent {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Absent::Error => Absent::Error,
            Absent::Value(value) => Absent::Value(value.clone_ref(py)),
            Absent::Factory(factory) => Absent::Factory(factory.clone_ref(py)),
            Absent::Unset => Absent::Unset,
        }
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
