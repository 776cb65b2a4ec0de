//! What fills columns without Python: from members ([`Keyed`](crate::Keyed)), or from elements
//! ([`Markup`](crate::Markup)).

use crate::columns::Columns;
use crate::plan::NodeId;
use crate::values::Unfit;
use penstock_core::event::{Key, KnownKeys, Row, Rows, Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Duplicates, Flow, Sink, Want};
use penstock_core::shape::Shape;
use penstock_core::value::lexical::Rules;

/// How records are taken, and when a batch is full.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What happens with a second value for the same key.
    pub duplicates: Duplicates,
    /// Whether a key that no class names is an error.
    pub forbids_unknown: bool,
    /// Whether records may be of any kind, because nothing of them is kept. There are no columns then.
    pub unread: bool,
    /// The options for numbers in text.
    pub rules: Rules,
    /// The most bytes of the text of an element.
    pub token: usize,
    /// How many records a batch has.
    pub rows: usize,
    /// About how many bytes a batch may have. It is exceeded by no more than a record.
    pub bytes: usize,
}

impl Settings {
    /// Whether there is enough for a batch.
    #[inline(always)]
    pub(crate) fn is_full(&self, columns: &Columns) -> bool {
        columns.rows() >= self.rows || columns.bytes() >= self.bytes
    }
}

/// The column of a struct, the column of its text, and the name of an element in that text whose own
/// text was left out.
pub type LeftOut = (NodeId, NodeId, String);

/// Fills columns from events. Its methods are those of a [`Sink`], and answer None for what it does
/// not take: whoever drives it can have the events of the record so far [again](NativeSink::again), and
/// the one that was not taken is not among them.
pub trait NativeSink {
    /// The documents that it takes.
    const SHAPE: Shape;

    /// Fills these columns.
    fn new(columns: Columns, settings: Settings) -> Self;
    /// How records are taken, and when a batch is full.
    fn settings(&self) -> &Settings;
    /// Whether there is enough for a batch.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.settings().is_full(self.columns())
    }
    /// Returns the columns.
    fn into_columns(self) -> Columns;
    /// The columns.
    fn columns(&self) -> &Columns;
    /// The columns.
    fn columns_mut(&mut self) -> &mut Columns;
    /// Forgets the events of the record, and takes back what there is of it if it is not complete.
    fn clear(&mut self);
    /// Whether all of the record is there.
    fn is_complete(&self) -> bool;
    /// About how many bytes the events of the record take.
    fn size(&self) -> usize;
    /// Why the last event was not taken, if a column is the reason.
    fn why(&mut self) -> Option<Unfit>;
    /// The path of the current value, or, if not `inside`, of the container around it.
    fn path(&self, inside: bool) -> Vec<PathStep>;
    /// Reports the events of the record so far to another sink.
    ///
    /// # Errors
    /// The first refusal of the other sink.
    fn again<S: Sink>(&self, to: &mut S) -> Result<Flow, S::Error>;

    /// A map, or an element, begins.
    fn begin_map(&mut self, at: u64) -> Option<Flow>;
    /// The innermost map ends.
    fn end_map(&mut self, at: u64) -> Option<Flow>;
    /// A name.
    fn name(&mut self, key: Key<'_>, at: u64) -> Option<Flow>;
    /// A scalar of any kind.
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Option<Flow>;

    /// A list begins.
    fn begin_list(&mut self, _at: u64) -> Option<Flow> {
        None
    }
    /// The innermost list ends.
    fn end_list(&mut self, _at: u64) -> Option<Flow> {
        None
    }
    /// A key.
    fn key(&mut self, _key: Text<'_>, _at: u64) -> Option<Flow> {
        None
    }
    /// The expected key.
    fn expected_key_found(&mut self, _at: u64) -> Option<Flow> {
        None
    }
    /// Null.
    fn null(&mut self, _at: u64) -> Option<Flow> {
        None
    }
    /// True or false.
    fn boolean(&mut self, _value: bool, _at: u64) -> Option<Flow> {
        None
    }
    /// An integer.
    fn int(&mut self, _value: i64, _at: u64) -> Option<Flow> {
        None
    }
    /// A double.
    fn float(&mut self, _value: f64, _at: u64) -> Option<Flow> {
        None
    }
    /// A number as its digits.
    fn number(&mut self, _digits: &[u8], _at: u64) -> Option<Flow> {
        None
    }
    /// A string.
    fn text(&mut self, _text: Text<'_>, _at: u64) -> Option<Flow> {
        None
    }
    /// Text between tags.
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Option<Flow> {
        Some(Flow::Take)
    }
    /// The columns of a table are known. False if its rows are not taken.
    fn known_keys(&mut self, _known: &KnownKeys<'_>, _wanted: &mut [Option<Want>]) -> bool {
        false
    }
    /// A row of a table. None if it is not taken; nothing of it is left then.
    fn row(&mut self, _row: &Row<'_>) -> Option<()> {
        None
    }
    /// Whether rows are taken several at a time.
    #[inline(always)]
    fn takes_rows(&self) -> bool {
        false
    }
    /// Rows of a table. Returns how many of them are taken, from the first one on: if `is_bounded`,
    /// not more than there are in a batch.
    fn rows(&mut self, _rows: &Rows<'_>, _is_bounded: bool) -> usize {
        0
    }
    /// Where the cell is that was not taken of a row, and its path.
    fn misplaced(&self, _row: &Row<'_>) -> Option<(u64, Vec<PathStep>)> {
        None
    }
    /// Once: the column of the text of an element, and the name of the element in it whose text was
    /// left out.
    fn take_left_out(&mut self) -> Option<LeftOut> {
        None
    }
    /// Takes over what [`take_left_out`](Self::take_left_out) of another one has returned.
    fn note_left_out(&mut self, _found: LeftOut) {}
    /// The key that is expected.
    fn expected_key(&self) -> &[u8] {
        &[]
    }
    /// The form in which the next number should come.
    fn want(&self) -> Want {
        Want::Native
    }
    /// The offset from which the text must stay in memory, for a message.
    fn keeps(&self) -> Option<u64> {
        None
    }
}
