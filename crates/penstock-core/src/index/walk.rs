//! Walks over the records of a reader: counts them, and notes where they begin.
//!
//! The reader finds the records, so they are those that reading gives, in every dialect and with
//! every fault. A record in error counts, as for whoever reads.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::lookup::{Comparison, Lookup};
use super::{Index, MOST_MARKS, Mark};
use crate::error::Fail;
use crate::event::{Key, KnownKeys, Row, Scalar, Text};
use crate::position::Counter;
use crate::protocol::{
    Destination, Flow, FormatReader, Hints, InputView, LookAhead, Refused, RowsAs, Sink, Step, Want,
};

/// A walk over records: the destination of a run that makes nothing. `C` is the cause of the run's
/// problems, of which the walk has none.
///
/// It takes rows only: other records are not counted.
#[derive(Debug)]
pub struct Walk<C> {
    /// The number of the next record, from 0.
    next: u64,
    task: Task,
    /// The counts up to a byte at hand, if positions are noted.
    here: Counter,
    /// The record in error, if there is one: what is known of it before it is given up.
    failed: Extent,
    /// What causes the problems of the run.
    cause: PhantomData<fn() -> C>,
}

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its first byte.
    pub mark: Mark,
    /// The offset behind it, with or without the end of its line. None if that is not known: the
    /// record is longer than the limits allow, or is no text.
    pub end: Option<u64>,
}

/// What a walk is for.
#[derive(Debug)]
enum Task {
    /// To reach the first record.
    Begin,
    /// An index with at most so many marks. The last marks have no line (0) until it is counted.
    Index(Index, usize),
    /// The record with this number.
    Find(u64, Option<Extent>),
    /// The rows with each text of a column.
    Gather(Lookup),
    /// The rows with one text of a column.
    Compare(Comparison),
}

const NOWHERE: Mark = Mark { offset: 0, line: 0, column: 0 };

impl<C> Walk<C> {
    fn new(next: u64, here: Counter, task: Task) -> Self {
        let failed = Extent { mark: NOWHERE, end: None };
        Walk { next, task, here, failed, cause: PhantomData }
    }

    /// A walk from the beginning of the source, which pauses before its first record.
    #[must_use]
    pub fn to_the_first() -> Self {
        Walk::new(0, Counter::new(), Task::Begin)
    }

    /// A walk from the beginning of the source, whose text begins at `start`, for its index.
    #[must_use]
    pub fn indexing(start: u64) -> Self {
        Walk::indexing_with_most(start, MOST_MARKS)
    }

    /// The same with another maximum number of marks, which is two or more.
    #[must_use]
    pub fn indexing_with_most(start: u64, most: usize) -> Self {
        let task = Task::Index(Index::empty(start), most.max(2));
        Walk::new(0, Counter::at(1, 1, start), task)
    }

    /// A walk that begins at the mark of a record, and pauses behind another one.
    #[must_use]
    pub fn to(wanted: u64, from: u64, mark: &Mark) -> Self {
        Walk::new(from, mark.counted(), Task::Find(wanted, None))
    }

    /// A walk that begins at a record, which notes the texts of a column. It pauses behind the last
    /// row that counts.
    #[must_use]
    pub fn gathering(lookup: Lookup, from: u64) -> Self {
        Walk::new(from, Counter::new(), Task::Gather(lookup))
    }

    /// A walk that begins at a record, and compares some rows with a text. It pauses before long
    /// stretches in which there are no rows to compare.
    #[must_use]
    pub fn comparing(comparison: Comparison, from: u64) -> Self {
        Walk::new(from, Counter::new(), Task::Compare(comparison))
    }

    /// How many records there were before the next one.
    #[must_use]
    pub fn passed_records(&self) -> u64 {
        self.next
    }

    /// The index, at the end of a file of `size` bytes; nothing if the walk was not for one.
    #[must_use]
    pub fn into_index(self, size: u64) -> Option<Index> {
        match self.task {
            Task::Index(index, _) => Some(Index { size, ..index }),
            _ => None,
        }
    }

    /// The record that was searched for.
    #[must_use]
    pub fn found(&self) -> Option<Extent> {
        match self.task {
            Task::Find(_, found) => found,
            _ => None,
        }
    }

    /// The texts of a column.
    #[must_use]
    pub fn into_lookup(self) -> Option<Lookup> {
        match self.task {
            Task::Gather(lookup) => Some(lookup),
            _ => None,
        }
    }

    /// The rows that were compared.
    #[must_use]
    pub fn into_comparison(self) -> Option<Comparison> {
        match self.task {
            Task::Compare(comparison) => Some(comparison),
            _ => None,
        }
    }

    /// The column whose cells are needed.
    fn column(&self) -> Option<usize> {
        match &self.task {
            Task::Begin | Task::Index(..) | Task::Find(..) => None,
            Task::Gather(lookup) => Some(lookup.column()),
            Task::Compare(comparison) => Some(comparison.column()),
        }
    }

    /// Counts on to an offset of the text at hand, which begins at `base`.
    fn count_to(&mut self, offset: u64, (base, text): (u64, &[u8])) {
        let within = |offset: u64| usize::try_from(offset.checked_sub(base)?).ok();
        let between = within(self.here.bytes()).zip(within(offset));
        if let Some(bytes) = between.and_then(|(from, to)| text.get(from..to)) {
            self.here.advance(bytes);
        }
    }

    /// The mark of a byte of the text at hand.
    fn mark_at(&mut self, offset: u64, at_hand: (u64, &[u8])) -> Mark {
        self.count_to(offset, at_hand);
        Mark { offset, line: self.here.line(), column: self.here.column() }
    }

    /// Counts the lines of the records that were noted, as long as their text is at hand.
    fn count_lines(&mut self, at_hand: (u64, &[u8])) {
        if let Task::Find(_, Some(Extent { mark, .. })) = &self.task
            && mark.line == 0
        {
            let mark = self.mark_at(mark.offset, at_hand);
            if let Task::Find(_, Some(found)) = &mut self.task {
                found.mark = mark;
            }
            return;
        }
        let Task::Index(index, _) = &mut self.task else { return };
        let mut marks = std::mem::take(&mut index.marks);
        let from = marks.iter().rposition(|mark| mark.line > 0).map_or(0, |last| last + 1);
        for mark in &mut marks[from..] {
            *mark = self.mark_at(mark.offset, at_hand);
        }
        if let Task::Index(index, _) = &mut self.task {
            index.marks = marks;
        }
    }
}

impl<C> Sink for Walk<C> {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Skip)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Skip)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Skip)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl<C> Hints for Walk<C> {}

impl<C> LookAhead for Walk<C> {
    fn known_keys(
        &mut self,
        _known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Infallible> {
        let column = self.column();
        for (place, want) in wanted.iter_mut().enumerate() {
            *want = (Some(place) == column).then_some(Want::Digits);
        }
        Ok(RowsAs::Maps)
    }

    #[inline(always)]
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Infallible> {
        let record = self.next;
        let mark = Mark { offset: row.at, ..NOWHERE };
        let text = |column: usize| match row.cells.get(column) {
            Some(Some(cell)) => match cell.value {
                Scalar::Untyped(text) | Scalar::Text(text) => Some(text.text.as_bytes()),
                _ => None,
            },
            _ => None,
        };
        let answer = match &mut self.task {
            Task::Begin => return Ok(Flow::Pause),
            Task::Index(index, most) => {
                index.note(mark, *most);
                Flow::Take
            }
            Task::Find(wanted, found) if *wanted <= record => {
                // It may have been one in error.
                if *wanted == record {
                    *found = Some(Extent { mark, end: row.end });
                }
                Flow::Pause
            }
            Task::Find(..) => Flow::Take,
            Task::Gather(lookup) => {
                if let Some(text) = text(lookup.column()) {
                    lookup.add(record, text);
                }
                if record < lookup.behind() { Flow::Take } else { Flow::Pause }
            }
            Task::Compare(comparison) => {
                if comparison.compare(record, text(comparison.column())) {
                    Flow::Take
                } else {
                    Flow::Pause
                }
            }
        };
        row.take();
        self.next += 1;
        Ok(answer)
    }
}

impl<C> Destination for Walk<C> {
    type Error = Infallible;
    type Cause = C;
    type Break = Infallible;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Infallible>> {
        let base = reader.base();
        let step = reader.run(given, self);
        if let Task::Index(..) | Task::Find(..) = self.task {
            let at_hand = (base, given.text().as_bytes());
            self.count_lines(at_hand);
            // If the next bytes are no text, the record in error begins where the reader waits.
            let (began, end) = match &step {
                Err(Fail::Input(_)) => {
                    (reader.failed_at(), (!reader.is_lost()).then(|| reader.offset()))
                }
                _ => (None, None),
            };
            let mark = self.mark_at(began.unwrap_or_else(|| reader.offset()), at_hand);
            self.failed = Extent { mark, end };
        }
        step
    }

    fn refused(&mut self, error: Infallible, _given: InputView<'_>) -> Refused<C, Infallible> {
        match error {}
    }

    fn abandon_record(&mut self) {}

    /// A record is in error.
    fn restart(&mut self) {
        let record = self.next;
        self.next += 1;
        match &mut self.task {
            Task::Begin | Task::Gather(_) => {}
            Task::Index(index, most) => index.note(self.failed.mark, *most),
            Task::Find(wanted, found) => {
                if *wanted == record {
                    *found = Some(self.failed);
                }
            }
            Task::Compare(comparison) => {
                comparison.compare(record, None);
            }
        }
    }

    fn passed(&mut self, counted: Counter) {
        self.here = counted;
    }
}
