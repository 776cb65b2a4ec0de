//! Records of a piece of the text into columns of their own, in a thread of their own.

use crate::columns::Columns;
use crate::fast::NativeSink;
use crate::values::Unfit;
use penstock_core::error::Fail;
use penstock_core::event::{Key, KnownKeys, Row, Rows, Scalar, Text};
use penstock_core::protocol::{
    Copies, Destination, Flow, FormatReader, Hints, InputView, LookAhead, Refused, RowsAs, Sink,
    Step, Want,
};
use penstock_scan::{gathered, make_room};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

/// Takes the records of a piece. It has no objects to fall back on: if an event is not taken, the
/// piece is the driver's.
#[derive(Debug)]
pub struct Worker<F> {
    fast: F,
    header: Option<Arc<Header>>,
    /// After each record, about how many bytes all values take.
    ends: Vec<usize>,
}

/// The answer that the driver's destination gave for the header of a table.
#[derive(Clone, Debug)]
pub struct Header {
    /// The names.
    pub names: Vec<Box<str>>,
    /// The forms in which the values are wanted.
    pub wanted: Vec<Option<Want>>,
    /// As what the rows are wanted.
    pub rows: RowsAs,
}

impl Header {
    /// The answer for these columns.
    #[must_use]
    pub fn of(known: &KnownKeys<'_>, wanted: &[Option<Want>], rows: RowsAs) -> Self {
        Header { names: gathered(names(known).map(Box::from)), wanted: wanted.to_vec(), rows }
    }

    /// Whether it is the answer for these columns.
    #[must_use]
    pub fn is_of(&self, known: &KnownKeys<'_>) -> bool {
        names(known).eq(self.names.iter().map(|name| &**name))
    }
}

fn names<'k>(known: &'k KnownKeys<'_>) -> impl Iterator<Item = &'k str> {
    known.keys.iter().map(|key| key.name.text.as_str())
}

/// The driver must read the piece.
#[derive(Clone, Copy, Debug)]
pub struct NotTaken;

type Answer = Result<Flow, NotTaken>;

impl<F: NativeSink> Worker<F> {
    /// Takes records as `fast` does, into columns of its own. Of a table, `header` is what the
    /// driver has answered.
    pub fn beside(fast: &F, header: Option<Arc<Header>>) -> Self {
        Worker::of(fast, fast.columns().alike(), Vec::new(), header)
    }

    fn of(fast: &F, columns: Columns, ends: Vec<usize>, header: Option<Arc<Header>>) -> Self {
        Worker { fast: F::new(columns, *fast.settings()), header, ends }
    }

    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.ends.len()
    }

    /// Puts records into a batch, from this one on, until it is full. Returns how many these were,
    /// and with which record the next batch begins, if this one is full.
    pub fn give(&mut self, from: usize, to: &mut F) -> (usize, Option<usize>) {
        if let Some(found) = self.fast.take_left_out() {
            to.note_left_out(found);
        }
        let mut next = from;
        while next < self.records() && !to.is_full() {
            let records = self.some(next, to);
            if self.append(records.clone(), to).is_err() {
                // A column is full. The next batch has room for all that a piece can have.
                assert!(to.columns().rows() > 0, "a column holds the records of a piece");
                return (next - from, Some(next));
            }
            next = records.end;
        }
        (next - from, to.is_full().then_some(next))
    }

    /// The records from this one on by which a batch is full.
    fn some(&self, from: usize, to: &F) -> Range<usize> {
        let (settings, to) = (to.settings(), to.columns());
        let before = self.bytes_to(from);
        let room = settings.rows.saturating_sub(to.rows()).max(1);
        let most = settings.bytes.saturating_sub(to.bytes());
        // The first record by which the batch is full is its last.
        let count = self.ends[from..].partition_point(|end| end - before < most) + 1;
        from..self.records().min(from.saturating_add(count.min(room)))
    }

    fn append(&mut self, records: Range<usize>, to: &mut F) -> Result<(), Unfit> {
        let bytes = self.bytes_to(records.end) - self.bytes_to(records.start);
        let (mine, to) = (self.fast.columns_mut(), to.columns_mut());
        if to.rows() == 0 && records == (0..mine.rows()) {
            std::mem::swap(to, mine);
            return Ok(());
        }
        to.append(mine, records, bytes)
    }

    /// About how many bytes the values of the first records take, up to this one.
    fn bytes_to(&self, record: usize) -> usize {
        record.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    #[inline(always)]
    fn taken(&mut self, flow: Option<Flow>) -> Answer {
        match flow {
            Some(_) if self.fast.is_complete() => Ok(self.ended()),
            Some(flow) => Ok(flow),
            None => Err(NotTaken),
        }
    }

    #[inline(always)]
    fn ended(&mut self) -> Flow {
        self.fast.clear();
        make_room(&mut self.ends, 1);
        self.ends.push(self.fast.columns_mut().bytes());
        Flow::Take
    }
}

/// Methods that hand their event on.
macro_rules! told {
    ($($method:ident($($name:ident: $kind:ty),*);)*) => {
        $(#[inline(always)]
        fn $method(&mut self, $($name: $kind,)* at: u64) -> Answer {
            let flow = self.fast.$method($($name,)* at);
            self.taken(flow)
        })*
    };
}

impl<F: NativeSink> Sink for Worker<F> {
    type Error = NotTaken;

    told! {
        begin_map();
        end_map();
        begin_list();
        end_list();
        name(key: Key<'_>);
        key(key: Text<'_>);
        expected_key_found();
        scalar(value: Scalar<'_>);
        null();
        boolean(value: bool);
        int(value: i64);
        float(value: f64);
        number(digits: &[u8]);
        text(text: Text<'_>);
        piece(text: Text<'_>);
    }
    fn abandon(&mut self) {
        self.fast.clear();
    }
}

impl<F: NativeSink> Hints for Worker<F> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        self.fast.expected_key()
    }
    #[inline(always)]
    fn want(&self) -> Want {
        self.fast.want()
    }
}

impl<F: NativeSink> LookAhead for Worker<F> {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, NotTaken> {
        let header = self.header.as_ref().ok_or(NotTaken)?;
        if !header.is_of(known) {
            return Err(NotTaken);
        }
        wanted.copy_from_slice(&header.wanted);
        if !self.fast.known_keys(known, wanted) {
            return Err(NotTaken);
        }
        Ok(header.rows)
    }
    #[inline(always)]
    fn row(&mut self, row: &mut Row<'_>) -> Answer {
        if !row.is_new() || row.end.is_none() || self.fast.row(row).is_none() {
            return Err(NotTaken);
        }
        row.take();
        Ok(self.ended())
    }
    fn takes_rows(&self) -> bool {
        self.fast.takes_rows()
    }
    fn rows(&mut self, rows: &Rows<'_>) -> Result<(usize, Flow), NotTaken> {
        let count = self.fast.rows(rows, false);
        let mut end = self.bytes_to(self.records());
        make_room(&mut self.ends, count);
        for size in self.fast.columns().row_sizes() {
            end += size;
            self.ends.push(end);
        }
        Ok((count, Flow::Take))
    }
}

impl<F: NativeSink> Destination for Worker<F> {
    type Error = NotTaken;
    type Cause = Infallible;
    type Break = NotTaken;

    const SHAPE: Option<penstock_core::shape::Shape> = Some(F::SHAPE);
    const COPIES: Copies = Copies::Common;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<NotTaken>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, error: NotTaken, _given: InputView<'_>) -> Refused<Infallible, NotTaken> {
        Refused::Break(error)
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
}

impl<F: NativeSink + Send + 'static> penstock_core::split::Worker for Worker<F> {
    fn anew(&self, used: Option<Self>) -> Option<Self> {
        let header = self.header.clone();
        Some(match used {
            Some(used) => {
                let (columns, ends) = used.emptied();
                Worker::of(&self.fast, columns, ends, header)
            }
            None => Worker::beside(&self.fast, header),
        })
    }
}

impl<F: NativeSink> Worker<F> {
    /// The memory of what was given.
    fn emptied(self) -> (Columns, Vec<usize>) {
        let (mut columns, mut ends) = (self.fast.into_columns(), self.ends);
        columns.clear();
        ends.clear();
        (columns, ends)
    }
}
