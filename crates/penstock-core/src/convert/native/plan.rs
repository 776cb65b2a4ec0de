//! What a class asks of a record, without the interpreter.

use crate::json::lend;
use crate::keys::KeyTable;
use crate::protocol::Want;
use crate::value::cells::Cells;
use penstock_scan::gathered;

/// Index into [`Plan::nodes`].
pub type NodeId = u32;
/// Index into [`Plan::classes`].
pub type ClassId = u32;

/// The type of the records, with all types inside it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All classes.
    pub classes: Vec<Class>,
    /// The node of a record.
    pub root: NodeId,
    /// The node of plain values, of which [`Kind::Any`] consists.
    pub plain: NodeId,
}

/// One type.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it takes.
    pub kind: Kind,
    /// Whether it also takes null.
    pub nullable: bool,
    /// The form in which the reader should give a number.
    pub want: Want,
    /// What its values must satisfy.
    pub checks: Box<[Check]>,
    /// The other forms of its value in a cell, if the user declared some.
    pub cells: Option<Box<Cells>>,
}

/// What a node takes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Every value.
    Any,
    /// Null alone.
    None,
    /// True and false.
    Bool,
    /// An integer of any size.
    Int,
    /// A number.
    Float,
    /// A string.
    Str,
    /// A string of this form. For [`Form::Decimal`], also a number.
    Text(Form),
    /// One of these strings, integers and truth values.
    Choice(Box<Choice>),
    /// One of several types; the kind of the value decides.
    Tokens(Box<Tokens>),
    /// A list.
    List(NodeId),
    /// A list of exactly these.
    Tuple(Box<[NodeId]>),
    /// A map with any keys.
    Dict(NodeId),
    /// An object of a class.
    Class(ClassId),
    /// Nothing that is known here: each value is left to somebody else.
    Other,
}

/// The form of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// None: it stays as it is.
    Plain,
    /// A date and time of RFC 3339.
    DateTime,
    /// A date of RFC 3339.
    Date,
    /// A time of RFC 3339.
    Time,
    /// A duration of ISO 8601.
    Duration,
    /// A UUID.
    Uuid,
    /// A number without an exponent, and with at most six digits behind the point: so it is written
    /// as it was.
    Decimal,
    /// Base64.
    Bytes,
}

/// The values of a `Literal` or an `Enum`.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Strings.
    pub texts: KeyTable,
    /// Integers.
    pub ints: Vec<i64>,
    /// Whether false and true are among them.
    pub bools: [bool; 2],
    /// Whether null is.
    pub null: bool,
}

/// Which member of a union takes which values.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// Null, if a member of its own takes it.
    pub null: Option<NodeId>,
    /// True and false.
    pub boolean: Option<NodeId>,
    /// A number without fraction and exponent.
    pub integer: Option<NodeId>,
    /// Any other number.
    pub number: Option<NodeId>,
    /// A string: the first member that takes it.
    pub text: Vec<NodeId>,
    /// A list.
    pub list: Option<NodeId>,
    /// A map.
    pub map: Option<NodeId>,
}

/// What a value must satisfy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// It has this relation to an integer.
    Int(Relation, i64),
    /// It has this relation to a double.
    Float(Relation, f64),
    /// It is a multiple.
    Multiple(i64),
    /// It has at least and at most so many characters or items.
    Length(usize, usize),
}

impl Check {
    /// Whether so many characters or items satisfy it, as far as is known here.
    #[must_use]
    pub fn length(&self, length: usize) -> bool {
        matches!(self, Check::Length(least, most) if (*least..=*most).contains(&length))
    }

    /// Whether a string does.
    #[must_use]
    #[inline(never)]
    pub fn text(&self, text: &str) -> bool {
        self.length(text.chars().count())
    }

    /// Whether an integer does.
    #[must_use]
    #[inline(never)]
    pub fn int(&self, value: i64) -> bool {
        match self {
            Check::Int(relation, limit) => related(value, *relation, *limit),
            Check::Float(relation, limit) => {
                value.unsigned_abs() <= EXACT && related(value as f64, *relation, *limit)
            }
            Check::Multiple(of) => value.wrapping_rem(*of) == 0,
            Check::Length(..) => false,
        }
    }

    /// Whether a double does.
    #[must_use]
    #[inline(never)]
    pub fn float(&self, value: f64) -> bool {
        match self {
            Check::Int(relation, limit) => {
                limit.unsigned_abs() <= EXACT && related(value, *relation, *limit as f64)
            }
            Check::Float(relation, limit) => related(value, *relation, *limit),
            Check::Multiple(_) | Check::Length(..) => false,
        }
    }
}

/// How a value is compared with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Less.
    Less,
    /// Less or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
}

/// Every integer up to this magnitude is exactly a double.
const EXACT: u64 = 1 << 53;

fn related<T: PartialOrd>(value: T, relation: Relation, limit: T) -> bool {
    match relation {
        Relation::Less => value < limit,
        Relation::AtMost => value <= limit,
        Relation::Greater => value > limit,
        Relation::AtLeast => value >= limit,
    }
}

/// A class: which keys lead to its fields, and how its objects are written.
#[derive(Clone, Debug)]
pub struct Class {
    /// How many fields it has.
    pub fields: usize,
    /// The keys of an object, and of the objects on the paths to fields. The first is that of the
    /// object itself.
    pub states: Vec<State>,
    /// The fields that must be there, in their order.
    pub required: Box<[u32]>,
    /// How an object is written.
    pub steps: Vec<Step>,
    /// Whether a key that it does not name is an error.
    pub forbids_unknown: bool,
}

/// The known keys of one object.
#[derive(Clone, Debug)]
pub struct State {
    /// Finds a key.
    pub table: KeyTable,
    /// The keys as JSON text has them.
    pub lent: Vec<lend::Key>,
    /// Where each leads.
    pub to: Vec<To>,
}

impl State {
    /// The keys of an object, and where each leads.
    #[must_use]
    pub fn new(keys: &[&str], to: Vec<To>) -> Self {
        let bytes = gathered(keys.iter().map(|key| key.as_bytes()));
        State {
            table: KeyTable::new(&bytes),
            lent: gathered(keys.iter().map(|key| lend::Key::new(key))),
            to,
        }
    }
}

/// Where a key leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// To a field, whose values are of a node.
    Field(u32, NodeId),
    /// To an object on the path to fields.
    State(u32),
}

/// A key that is written.
#[derive(Clone, Debug)]
pub struct Name {
    /// The key.
    pub name: Box<str>,
    /// The key as JSON text has it.
    pub lent: lend::Key,
}

impl Name {
    /// A key.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Name { name: name.into(), lent: lend::Key::new(name) }
    }
}

/// One step of writing an object.
#[derive(Clone, Debug)]
pub enum Step {
    /// A field, and what is written if it is absent.
    Field(Name, u32, Absent),
    /// A value that all objects have.
    Fixed(Name, Constant),
    /// An object on the path to fields begins.
    Open(Name),
    /// It ends.
    Close,
}

/// What is written for a field that is absent.
#[derive(Clone, Debug)]
pub enum Absent {
    /// Nothing.
    Nothing,
    /// Its default.
    Default(Constant),
}

/// A value that is known before anything is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A decimal number: its digits.
    Decimal(Box<[u8]>),
    /// A string.
    Text(Box<str>),
    /// A value whose text has this form.
    Formed(Box<str>, Form),
    /// An empty list.
    List,
    /// An empty map.
    Map,
}
