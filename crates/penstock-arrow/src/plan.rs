//! What columns a type of records has, and which key leads to which of them.

use penstock_core::json::lend;
use penstock_core::keys::KeyTable;
use penstock_core::protocol::Want;
use penstock_core::select::Names;
use penstock_core::value::cells::Cells;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::Moment;
use penstock_core::value::unix::Unit;
use penstock_scan::gathered;
use std::sync::Arc;

pub use penstock_core::convert::native::plan::{Check, Relation};

/// Index into [`Plan::nodes`].
pub type NodeId = u32;

/// All columns of the records, with those inside of them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The columns. A column inside of another stands behind it.
    pub nodes: Vec<Node>,
    /// The node of a record: a [`Kind::Struct`].
    pub root: NodeId,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name. The items of a list are called `item`.
    pub name: Box<str>,
    /// The type of its values.
    pub kind: Kind,
    /// Whether null is one of its values.
    pub nullable: bool,
    /// What stands there if the record has no value for it.
    pub absent: Absent,
    /// The form in which the reader should give a number.
    pub want: Want,
    /// What its values must satisfy.
    pub checks: Box<[Check]>,
    /// The other forms of its values in untyped text.
    pub cells: Option<Arc<Cells>>,
}

impl Node {
    /// Whether the column may hold null.
    #[must_use]
    pub fn may_be_null(&self) -> bool {
        self.nullable || self.absent == Absent::Null
    }
}

/// The type of the values of a column.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing but null.
    Null,
    /// Integers.
    Int(Width),
    /// Doubles.
    Float,
    /// Floats of 32 bits.
    Float32,
    /// Truth values.
    Bool,
    /// Strings.
    Str,
    /// JSON text.
    Json,
    /// Strings that stand for values of several types.
    Spelled,
    /// Strings, of which each is stored once.
    Dictionary,
    /// Binary data, from text of this form.
    Bytes(Type<'static>),
    /// Days.
    Date(Option<Box<Moment>>),
    /// Times of day.
    Time(Option<Box<Moment>>),
    /// Instants in UTC, or times on a clock of no known zone.
    Timestamp {
        /// What is counted.
        unit: Unit,
        /// Whether the values are instants.
        utc: bool,
        /// The form of its text, if the user chose one.
        moment: Option<Box<Moment>>,
    },
    /// Spans of time.
    Duration,
    /// Decimal numbers of at most so many digits, so many of them behind the point.
    Decimal {
        /// All digits: at most 38, or 76. With 0, the digits of the values are only counted.
        precision: u8,
        /// Those behind the point.
        scale: i8,
    },
    /// UUIDs.
    Uuid,
    /// One of these strings.
    Choice(Choice),
    /// One of these integers.
    ChoiceInt(Box<[i64]>),
    /// Lists.
    List(NodeId),
    /// Lists of exactly so many items.
    Tuple(NodeId, usize),
    /// Records.
    Struct(Struct),
    /// Keys, which are scalars, and values.
    Map(NodeId, NodeId),
}

/// The range of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// -128 to 127
    I8,
    /// -32,768 to 32,767
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// 0 to 255
    U8,
    /// 0 to 65,535
    U16,
    /// 0 to 2³² - 1
    U32,
    /// 0 to 2⁶⁴ - 1
    U64,
}

impl Width {
    /// The smallest and the largest value; those of `U64` that fit into an `i64`.
    #[must_use]
    pub const fn range(self) -> (i64, i64) {
        match self {
            Width::I8 => (i8::MIN as i64, i8::MAX as i64),
            Width::I16 => (i16::MIN as i64, i16::MAX as i64),
            Width::I32 => (i32::MIN as i64, i32::MAX as i64),
            Width::I64 => (i64::MIN, i64::MAX),
            Width::U8 => (0, u8::MAX as i64),
            Width::U16 => (0, u16::MAX as i64),
            Width::U32 => (0, u32::MAX as i64),
            Width::U64 => (0, i64::MAX),
        }
    }

    /// The name of the type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Width::I8 => "int8",
            Width::I16 => "int16",
            Width::I32 => "int32",
            Width::I64 => "int64",
            Width::U8 => "uint8",
            Width::U16 => "uint16",
            Width::U32 => "uint32",
            Width::U64 => "uint64",
        }
    }
}

/// The strings of a `Literal` or an `Enum`.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Finds a string.
    pub texts: KeyTable,
    /// The strings, in the order of the type.
    pub values: Box<[Box<str>]>,
}

/// The columns of a record, or of an object inside of one.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its columns, in their order.
    pub fields: Box<[NodeId]>,
    /// The keys of the object, and of the objects on the paths to columns. The first is that of the
    /// object itself.
    pub states: Box<[State]>,
    /// The same for formats of elements.
    pub elements: Box<[ElementState]>,
    /// The columns whose lists are repeated elements.
    pub gathers: Box<[NodeId]>,
    /// Whether a key that it does not name is an error.
    pub forbids_unknown: bool,
}

/// The known names in one element.
#[derive(Clone, Debug)]
pub struct ElementState {
    /// Of child elements.
    pub elements: Names<To>,
    /// Of attributes.
    pub attributes: Names<To>,
    /// The column that takes the element's own text.
    pub text: Option<NodeId>,
}

/// The known keys of one object.
#[derive(Clone, Debug)]
pub struct State {
    /// Finds a key.
    pub table: KeyTable,
    /// The keys as JSON text has them.
    pub lent: Vec<lend::Key>,
    /// The keys.
    pub names: Vec<Box<str>>,
    /// Where each leads.
    pub to: Vec<To>,
}

impl State {
    /// The keys of an object, and where each leads.
    #[must_use]
    pub fn new(keys: Vec<Box<str>>, to: Vec<To>) -> Self {
        let bytes = gathered(keys.iter().map(|key| key.as_bytes()));
        State {
            table: KeyTable::new(&bytes),
            lent: gathered(keys.iter().map(|key| lend::Key::new(key))),
            names: keys,
            to,
        }
    }
}

/// Where a key leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// To the value of a column.
    Column(NodeId),
    /// To an item of the lists of a column.
    Items(NodeId),
    /// To an object on the path to columns.
    State(u32),
    /// To a field that nobody wants as a column.
    Nothing,
}

/// What stands in a column if the record has no value for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Absent {
    /// The record is in error.
    Error,
    /// Null.
    Null,
    /// An integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A string; of a column of another type, its text in quotes.
    Text(Box<str>),
    /// An empty list.
    List,
    /// An empty map.
    Map,
    /// A default that no column can hold without its object.
    Object,
}
