//! Fills columns, and has a builder for records that they do not take.
//!
//! As in a conversion by a class: as soon as the columns do not take an event, the builder gets the
//! events of the record so far, then this one and all that follow. So errors are the builder's, to
//! the letter. If the builder makes an object of the record, that is taken apart into the columns.

use crate::columns::objects::{self, Classes};
use crate::objects::{Mismatch, Owned, Refusal, Side, left_out, shortened};
use crate::plan::PlanRef;
use penstock_arrow::{Columns, Header, NativeSink, Unfit, Worker};
use penstock_core::error::Fail;
use penstock_core::event::{Key, KnownKeys, Matched, Row, Rows, Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::position::Place;
use penstock_core::protocol::{
    Code, Copies, Destination, Flow, FormatReader, Hints, InputView, Judge, Kept, Look, LookAhead,
    Misfit, Refused, RowsAs, Sink, Step, Want,
};
use penstock_core::shape::Shape;
use penstock_core::split::{PIECE_MEMORY, Shares};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fills the columns of one run.
pub(crate) struct Filling<S: Side, F> {
    fast: F,
    slow: Owned<S>,
    classes: Classes,
    /// Whether the builder has the events of the record.
    is_slow: bool,
    /// Whether it gets those of all records.
    always: bool,
    records: u64,
    /// How often it has paused.
    pauses: u64,
    memory: Option<u64>,
    /// Whether only errors are wanted, and no rows.
    checks: bool,
    /// Of a table, what was answered for its header, if the columns take its rows.
    header: Option<Option<Arc<Header>>>,
}

type Answer = Result<Flow, Refusal>;

impl<S: Side, F: NativeSink> Filling<S, F> {
    /// With `always`, an object is made of each record.
    pub(crate) fn new(
        fast: F,
        slow: Owned<S>,
        classes: Classes,
        always: bool,
        memory: Option<u64>,
    ) -> Self {
        let (records, pauses, checks, header) = (0, 0, false, None);
        let is_slow = always;
        Filling { fast, slow, classes, is_slow, always, records, pauses, memory, checks, header }
    }

    /// The same, but only errors are wanted if `checks` is true.
    pub(crate) fn checking(self, checks: bool) -> Self {
        Filling { checks, ..self }
    }

    /// The columns.
    pub(crate) fn columns(&mut self) -> &mut Columns {
        self.fast.columns_mut()
    }

    /// Once: what to say of an element whose text was left out.
    #[cold]
    pub(crate) fn take_left_out(&mut self, py: Python<'_>) -> Option<String> {
        let (around, text, name) = self.fast.take_left_out()?;
        let (class, fields) = self.classes.structs.get(&around)?;
        let of = self.fast.columns().struct_of(around)?;
        let place = of.fields.iter().position(|field| *field == text)?;
        let class = &self.classes.plan.classes[*class as usize];
        let field = class.fields.get(*fields.get(place)? as usize)?.name.bind(py).to_string();
        Some(left_out(&class.name, &field, &name))
    }

    /// How many records there were.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Whether records are taken without the interpreter.
    pub(crate) fn is_free(&self) -> bool {
        !self.always
    }

    pub(crate) fn planned(&self) -> &PlanRef {
        self.slow.planned()
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.slow.traverse(visit)
    }

    pub(crate) fn unknown(&self) -> &BTreeMap<String, u64> {
        self.slow.unknown()
    }

    /// No records are made that somebody could take.
    pub(crate) fn take_rows(&mut self) -> Vec<Py<PyAny>> {
        Vec::new()
    }

    /// As above.
    pub(crate) fn take_row(&mut self) -> Option<Py<PyAny>> {
        None
    }

    pub(crate) fn set_recycling(&mut self, _: bool) {}

    pub(crate) fn expect_found_by(&mut self, step: PathStep) {
        self.slow.expect_found_by(step);
    }

    #[inline(always)]
    fn give(
        &mut self,
        at: u64,
        fast: impl FnOnce(&mut F) -> Option<Flow>,
        slow: impl FnOnce(&mut Owned<S>) -> Answer,
    ) -> Answer {
        if !self.is_slow
            && let Some(flow) = fast(&mut self.fast)
        {
            return if self.fast.is_complete() { Ok(self.ended()) } else { Ok(flow) };
        }
        self.give_slowly(at, slow)
    }

    #[inline(never)]
    fn give_slowly(&mut self, at: u64, slow: impl FnOnce(&mut Owned<S>) -> Answer) -> Answer {
        Python::attach(|py| {
            let why = self.fast.why();
            self.fall()?;
            let path = match &why {
                Some(Unfit::Range(..) | Unfit::Full) => self.slow.path(true),
                _ => Vec::new(),
            };
            let flow = slow(&mut self.slow)?;
            // The class takes the value, and the column does not.
            if let Some(why @ (Unfit::Range(..) | Unfit::Full)) = why
                && !self.checks
            {
                return Err(refusal(why, at, path));
            }
            self.row(py, at).map(|ended| ended.unwrap_or(flow))
        })
    }

    /// Gives the builder the events of the record so far. The interpreter is attached.
    #[cold]
    #[inline(never)]
    fn fall(&mut self) -> Result<(), Refusal> {
        if !self.is_slow {
            self.is_slow = true;
            self.fast.again(&mut self.slow)?;
        }
        Ok(())
    }

    /// Takes the record apart that the builder has made, if it is complete.
    fn row(&mut self, py: Python<'_>, at: u64) -> Result<Option<Flow>, Refusal> {
        let Some(row) = self.slow.take_row() else { return Ok(None) };
        self.fast.clear();
        if self.checks {
            return Ok(Some(self.ended()));
        }
        let columns = self.fast.columns_mut();
        if let Err(stopped) = objects::add_record(py, columns, &self.classes, row.bind(py)) {
            columns.abandon();
            return Err(match stopped {
                objects::Stopped::Raised(error) => error.into(),
                objects::Stopped::Unfit(why, path) => refusal(why, at, path),
            });
        }
        drop(row);
        Ok(Some(self.ended()))
    }

    /// A record is complete.
    #[inline(always)]
    fn ended(&mut self) -> Flow {
        self.records += 1;
        self.fast.clear();
        self.is_slow = self.always;
        if self.fast.is_full() {
            self.pauses += 1;
            return Flow::Pause;
        }
        Flow::Take
    }

    /// The same for an event that the columns never ask for.
    fn look(
        &mut self,
        slow: impl FnOnce(&mut Owned<S>) -> Result<Look, Refusal>,
    ) -> Result<Look, Refusal> {
        Python::attach(|_| slow(&mut self.slow))
    }
}

/// The refusal of a value that the class takes, and the column does not.
#[cold]
fn refusal(why: Unfit, at: u64, path: Vec<PathStep>) -> Refusal {
    let (expected, got) = match why {
        Unfit::Range(expected, got) => (expected.into_string(), shortened(&got)),
        Unfit::Full => {
            let expected = "no more than 2 GiB in one column".to_owned();
            (expected, "a value beyond that".to_owned())
        }
        Unfit::Form => ("a value of the column".to_owned(), "another one".to_owned()),
    };
    let reason = format!("expected {expected}, got {got}");
    let mismatch = Mismatch::new(at, reason, path);
    let mismatch = Mismatch { expected: Some(expected), got: Some(got), ..mismatch };
    Refusal::from(mismatch).coded(Code::Value)
}

impl<S: Side, F: NativeSink> Sink for Filling<S, F> {
    type Error = Refusal;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.begin_map(at), |slow| slow.begin_map(at))
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.end_map(at), |slow| slow.end_map(at))
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.begin_list(at), |slow| slow.begin_list(at))
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.end_list(at), |slow| slow.end_list(at))
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.give(at, |fast| fast.name(key, at), |slow| slow.name(key, at))
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Answer {
        self.give(at, |fast| fast.key(key, at), |slow| slow.key(key, at))
    }
    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.expected_key_found(at), |slow| slow.expected_key_found(at))
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        self.give(at, |fast| fast.scalar(value, at), |slow| slow.scalar(value, at))
    }
    #[inline(always)]
    fn null(&mut self, at: u64) -> Answer {
        self.give(at, |fast| fast.null(at), |slow| slow.null(at))
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Answer {
        self.give(at, |fast| fast.boolean(value, at), |slow| slow.boolean(value, at))
    }
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Answer {
        self.give(at, |fast| fast.int(value, at), |slow| slow.int(value, at))
    }
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Answer {
        self.give(at, |fast| fast.float(value, at), |slow| slow.float(value, at))
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Answer {
        self.give(at, |fast| fast.number(digits, at), |slow| slow.number(digits, at))
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.give(at, |fast| fast.text(text, at), |slow| slow.text(text, at))
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.give(at, |fast| fast.piece(text, at), |slow| slow.piece(text, at))
    }
    fn abandon(&mut self) {
        if self.is_slow {
            Python::attach(|_| self.slow.abandon());
        }
        self.is_slow = self.always;
        self.fast.clear();
    }
    fn matched(&mut self, by: Matched<'_>) {
        // Only a class that takes the key asks for it, and its records become objects.
        if self.always {
            self.slow.matched(by);
        }
    }
}

impl<S: Side, F: NativeSink> Hints for Filling<S, F> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.is_slow { self.slow.expected_key() } else { self.fast.expected_key() }
    }
    #[inline(always)]
    fn want(&self) -> Want {
        if self.is_slow { self.slow.want() } else { self.fast.want() }
    }
    fn wakes(&self, name: &[u8]) -> bool {
        self.slow.wakes(name)
    }
}

impl<S: Side, F: NativeSink> LookAhead for Filling<S, F> {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_key(key, at))
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_value(value, at))
    }
    fn look_end(&mut self, at: u64) -> Result<Look, Refusal> {
        self.look(|slow| slow.look_end(at))
    }
    #[inline(always)]
    fn tag_wanted(&self) -> &[u8] {
        if self.is_slow { self.slow.tag_wanted() } else { &[] }
    }
    fn tag_found(&mut self, value: Text<'_>) -> bool {
        Python::attach(|_| self.slow.tag_found(value))
    }
    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        self.slow.judge()
    }
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        let rows = Python::attach(|_| self.slow.known_keys(known, wanted))?;
        if !self.always {
            let are_taken = self.fast.known_keys(known, wanted);
            self.header = Some(are_taken.then(|| Arc::new(Header::of(known, wanted, rows))));
        }
        Ok(rows)
    }
    #[inline(always)]
    fn row(&mut self, row: &mut Row<'_>) -> Answer {
        if !self.is_slow && row.is_new() && row.end.is_some() && self.fast.row(row).is_some() {
            row.take();
            return Ok(self.ended());
        }
        self.row_slowly(row)
    }
    fn takes_rows(&self) -> bool {
        !self.always && self.fast.takes_rows()
    }
    fn rows(&mut self, rows: &Rows<'_>) -> Result<(usize, Flow), Refusal> {
        if self.is_slow {
            return Ok((0, Flow::Take));
        }
        let count = self.fast.rows(rows, true);
        self.records += count as u64;
        if count > 0 && self.fast.is_full() {
            self.pauses += 1;
            return Ok((count, Flow::Pause));
        }
        Ok((count, Flow::Take))
    }
}

impl<S: Side, F: NativeSink> Filling<S, F> {
    /// A row that the columns do not take.
    #[inline(never)]
    fn row_slowly(&mut self, row: &mut Row<'_>) -> Answer {
        Python::attach(|py| {
            let why = self.fast.why();
            self.is_slow = true;
            let flow = self.slow.row(row)?;
            let at = row.at;
            if let (Some(why @ (Unfit::Range(..) | Unfit::Full)), Some((at, path)), false) =
                (why, self.fast.misplaced(row), self.checks)
            {
                self.slow.take_row();
                return Err(refusal(why, at, path));
            }
            self.row_of(py, at).map(|ended| ended.unwrap_or(flow))
        })
    }

    fn row_of(&mut self, py: Python<'_>, at: u64) -> Result<Option<Flow>, Refusal> {
        self.row(py, at)
    }
}

impl<S: Side, F: NativeSink + Send + 'static> Shares for Filling<S, F> {
    type Worker = Worker<F>;

    fn worker(&self, others: bool) -> Option<Worker<F>> {
        // No record of a piece takes so much memory. Nobody looks whether it takes less.
        let is_bounded = self.memory.is_none_or(|most| most >= PIECE_MEMORY);
        let is_free = self.is_free() && is_bounded && (self.records > 0 || others);
        match &self.header {
            Some(None) => None,
            Some(header) => is_free.then(|| Worker::beside(&self.fast, header.clone())),
            None => is_free.then(|| Worker::beside(&self.fast, None)),
        }
    }
    fn take_over(&mut self, worker: &mut Worker<F>, from: usize) -> Result<Option<usize>, PyErr> {
        if self.checks {
            self.records += worker.records() as u64;
            return Ok(None);
        }
        let (records, next) = worker.give(from, &mut self.fast);
        self.records += records as u64;
        Ok(next)
    }
}

impl<S: Side, F: NativeSink> Destination for Filling<S, F> {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = PyErr;

    const SHAPE: Option<Shape> = Some(S::SHAPE);
    const COPIES: Copies = Copies::Common;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, refusal: Refusal, given: InputView<'_>) -> Refused<PyErr, PyErr> {
        Python::attach(|_| self.slow.refused(refusal, given))
    }
    fn refusal(&self, at: u64, reason: String) -> Option<Refusal> {
        Some(Misfit::new(at, reason, Vec::new()).into())
    }
    fn breaks(refusal: &Refusal) -> bool {
        refusal.breaks()
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _given: InputView<'_>) -> Vec<PathStep> {
        if self.is_slow {
            return Python::attach(|_| self.slow.path(inside));
        }
        self.fast.path(inside)
    }
    fn ready(&self) -> u64 {
        // A run counts each pause as a record.
        self.records - self.pauses
    }
    fn keeps(&self) -> Option<u64> {
        if self.is_slow { self.slow.keeps() } else { self.fast.keeps() }
    }
    fn over_memory(&self, _given: InputView<'_>) -> Option<u64> {
        if self.is_slow {
            return self.slow.over_memory();
        }
        self.memory.filter(|most| self.fast.size() as u64 > *most)
    }
    fn take_kept(&mut self) -> Kept<PyErr> {
        if !self.is_slow {
            return Kept::default();
        }
        let problems = self.slow.take_problems();
        Kept { misfits: problems.kept, omitted: problems.omitted }
    }
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        if self.is_slow {
            for (at, place) in self.slow.unplaced() {
                *place = locate(at).map(Box::new);
            }
        }
    }
}
