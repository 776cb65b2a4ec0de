//! What a value becomes, by its type.

use super::types::mark::Mark;
use super::types::packed::Packed;
use super::{ClassId, NodeId, PostSteps, Separated, Tokens};
use penstock_core::keys::KeyTable;
use penstock_core::protocol::Want;
use penstock_core::select::NamespaceTest;
use penstock_core::shape::Form;
use penstock_core::value::cells::Cells;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{Moment, Of};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::Arc;

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
    /// Everything that the user wrote beside the type, for who describes it.
    pub(crate) words: Vec<Py<PyAny>>,
    /// The type for messages about values, as a user would write it. A choice with few values lists
    /// them: `list[int]`, `Size ("S" or "L")`.
    pub(crate) name: Box<str>,
    /// The type as a user would write it: `list[int]`, `Size | None`.
    pub(crate) written: Box<str>,
}

/// The node of plain values, which every plan has.
pub(crate) const PLAIN: NodeId = 0;

/// The field of an aim whose value is a part of a plain value, if the builder remembers where each
/// part stands.
pub(crate) const NOTED: u32 = u32::MAX;

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
    /// [`Kind::Raw`]
    Raw,
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
            Kind::Raw => KindByte::Raw,
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
    pub(super) fn finished(self, form: Form) -> Self {
        let stays = form.has_elements() || self.kind == KindByte::Raw;
        let kind = if stays { self.kind } else { KindByte::Other };
        Aim { kind, finishes: true, ..self }
    }
}

/// What a node's value becomes.
pub(crate) enum Kind {
    /// Plain dicts, lists and scalars: `Any`, `object`, or no annotation.
    Any,
    /// The text of any value of JSON: [`Raw`](super::Raw).
    Raw,
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
    pub(super) fn counts(&self) -> bool {
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
    pub(super) fn members(&self) -> impl Iterator<Item = NodeId> {
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
    pub(super) fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
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
