//! Records of a piece of the text into columns of their own, in a thread of their own.

use crate::columns::Columns;
use crate::fast::Fast;
use crate::threads::Fills;
use crate::values::Unfit;
use penstock_core::error::Fail;
use penstock_core::event::{Key, KnownKeys, Row, Scalar, Text};
use penstock_core::position::Counter;
use penstock_core::reader::{FormatReader, Reader, Step};
use penstock_core::run::{Destination, Given, Input, Lent as LentText, Origin, Outlet, Refused};
use penstock_core::sink::{Flow, Lent, LookAhead, RowsAs, Sink, Want};
use penstock_core::split::{Beside, Piece, Worker};
use penstock_scan::{gathered, make_room};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

/// Takes the records of a piece. It has no objects to fall back on: if an event is not taken, the
/// piece is the driver's.
#[derive(Debug)]
pub struct Lane<F> {
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
}

fn names<'k>(known: &'k KnownKeys<'_>) -> impl Iterator<Item = &'k str> {
    known.keys.iter().map(|key| key.name.text.as_str())
}

/// The driver must read the piece.
#[derive(Clone, Copy, Debug)]
pub struct NotTaken;

type Answer = Result<Flow, NotTaken>;

impl<F: Fast> Lane<F> {
    /// Takes records as `fast` does, into columns of its own. Of a table, `header` is what the
    /// driver has answered.
    pub fn beside(fast: &F, header: Option<Arc<Header>>) -> Self {
        Lane::of(fast, fast.columns().alike(), Vec::new(), header)
    }

    fn of(fast: &F, columns: Columns, ends: Vec<usize>, header: Option<Arc<Header>>) -> Self {
        Lane { fast: F::new(columns, *fast.settings()), header, ends }
    }

    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.ends.len()
    }

    /// Appends records to a batch: as many from this one on as it may have. Returns which these were.
    ///
    /// # Errors
    /// A column cannot hold them.
    pub(crate) fn give(&mut self, from: usize, to: &mut F) -> Result<Range<usize>, Unfit> {
        let (settings, to) = (*to.settings(), to.columns_mut());
        let before = from.checked_sub(1).map_or(0, |last| self.ends[last]);
        let room = settings.rows.saturating_sub(to.rows()).max(1);
        let most = settings.bytes.saturating_sub(to.bytes());
        // The first record by which the batch is full is its last.
        let count = self.ends[from..].partition_point(|end| end - before < most) + 1;
        let records = from..self.records().min(from + count.min(room));
        let bytes = records.end.checked_sub(1).map_or(0, |last| self.ends[last]) - before;
        let mine = self.fast.columns_mut();
        if to.rows() == 0 && records == (0..mine.rows()) {
            std::mem::swap(to, mine);
        } else {
            to.append(mine, records.clone(), bytes)?;
        }
        Ok(records)
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

impl<F: Fast> Sink for Lane<F> {
    type Error = NotTaken;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        let flow = self.fast.begin_map(at);
        self.taken(flow)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        let flow = self.fast.end_map(at);
        self.taken(flow)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        let flow = self.fast.begin_list(at);
        self.taken(flow)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer {
        let flow = self.fast.end_list(at);
        self.taken(flow)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        let flow = self.fast.name(key, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Answer {
        let flow = self.fast.key(key, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Answer {
        let flow = self.fast.expected_key_found(at);
        self.taken(flow)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        let flow = self.fast.scalar(value, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn null(&mut self, at: u64) -> Answer {
        let flow = self.fast.null(at);
        self.taken(flow)
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Answer {
        let flow = self.fast.boolean(value, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Answer {
        let flow = self.fast.int(value, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Answer {
        let flow = self.fast.float(value, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Answer {
        let flow = self.fast.number(digits, at);
        self.taken(flow)
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Answer {
        let flow = self.fast.text(text, at);
        self.taken(flow)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        let flow = self.fast.piece(text, at);
        self.taken(flow)
    }
    fn abandon(&mut self) {
        self.fast.clear();
    }
}

impl<F: Fast> Lent for Lane<F> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        self.fast.expected_key()
    }
    #[inline(always)]
    fn want(&self) -> Want {
        self.fast.want()
    }
}

impl<F: Fast> LookAhead for Lane<F> {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, NotTaken> {
        let header = self.header.as_ref().ok_or(NotTaken)?;
        if !names(known).eq(header.names.iter().map(|name| &**name)) {
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
}

impl<F: Fast> Destination for Lane<F> {
    type Error = NotTaken;
    type Cause = Infallible;
    type Break = NotTaken;

    const SHAPE: Option<penstock_core::shape::Shape> = Some(F::SHAPE);

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<NotTaken>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, error: NotTaken, _given: Given<'_>) -> Refused<Infallible, NotTaken> {
        Refused::Break(error)
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
}

/// What a thread has made of a piece.
#[derive(Debug)]
pub(crate) struct Filled<F> {
    /// The reader at the end of the piece.
    pub(crate) reader: Reader,
    /// The way to the columns.
    pub(crate) outlet: Outlet<Lane<F>>,
    /// The counts over the piece.
    pub(crate) counted: Counter,
}

/// Reads pieces into columns.
#[derive(Debug)]
pub(crate) struct Filler<F> {
    pub(crate) reader: Reader,
    pub(crate) outlet: Outlet<Lane<F>>,
}

impl<F: Fast> Filler<F> {
    /// Reads pieces as a run does. None if nobody but its own reader can, now or at all.
    pub(crate) fn beside<S: Fills<F>>(reader: &Reader, outlet: &Outlet<S>) -> Option<Self> {
        let lane = outlet.inner().lane()?;
        let reader = reader.beside(outlet.depth())?;
        Some(Filler { reader, outlet: outlet.beside(lane)? })
    }

    /// One that begins as another does.
    pub(crate) fn alike(&self) -> Option<Self> {
        let lane = self.outlet.inner();
        let lane = Lane::beside(&lane.fast, lane.header.clone());
        let reader = self.reader.beside(self.outlet.depth())?;
        Some(Filler { reader, outlet: self.outlet.beside(lane)? })
    }
}

impl<F: Fast + Send + 'static> Worker for Filler<F> {
    type Done = Filled<F>;

    fn work(&mut self, piece: &Piece, used: Option<Filled<F>>) -> Option<Filled<F>> {
        let Lane { fast, header, .. } = self.outlet.inner();
        let lane = match used {
            Some(used) => {
                let (columns, ends) = used.outlet.into_inner().emptied();
                Lane::of(fast, columns, ends, header.clone())
            }
            None => Lane::beside(fast, header.clone()),
        };
        let mut outlet = self.outlet.beside(lane)?;
        let mut reader = self.reader.beside(outlet.depth())?;
        reader.jump(piece.at());
        let mut input = LentText::new(piece.bytes(), Origin::default());
        input.more(usize::MAX);
        if !input.is_whole() {
            return None;
        }
        let given = Given::Text { text: input.given().text(), last: false };
        match outlet.read_from(&mut reader, given) {
            Ok(Step::More) => {}
            Ok(_) | Err(_) => return None,
        }
        if reader.offset() != piece.end() || !reader.take_repairs().is_empty() {
            return None;
        }
        let mut counted = Counter::new();
        counted.advance(piece.bytes());
        Some(Filled { reader, outlet, counted })
    }
}

impl<F: Fast> Lane<F> {
    /// The memory of what was given.
    fn emptied(self) -> (Columns, Vec<usize>) {
        let (mut columns, mut ends) = (self.fast.into_columns(), self.ends);
        columns.clear();
        ends.clear();
        (columns, ends)
    }
}
