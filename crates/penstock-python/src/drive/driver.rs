//! Drives a run from Python: handles the interpreter lock, the collector, signals and the progress.
//!
//! A run works on objects while the lock is held; input is read without the lock. `Driver` is the run
//! of records into objects that `read`, `load` and `Decoder` share, driven row by row, batch by
//! batch or chunk by chunk. Policies and problems are the core's; here problems become exceptions.

use super::destination::{Builder, Pool};
use super::shorten::{Last, Shortener};
use super::timing::{Sampler, Timed};
use crate::edge::errors::{self, Named};
use crate::edge::options::{Errors, PolicyObject, warn_of_broken, warn_of_lack};
use crate::io::dialect::Dialect;
use crate::objects::{Options, Pause};
use crate::plan::PlanRef;
use penstock_clock::Mono;
use penstock_core::csv;
use penstock_core::formats::Reader;
use penstock_core::formats::ReaderState;
use penstock_core::limits::Limits;
use penstock_core::position::Counter;
use penstock_core::protocol::{Destination, FormatReader};
use penstock_core::run::{
    Failed, Failure, Input, LastRecord, Problem, RepairLog, Run, Turn as RunTurn, Windows,
};
use penstock_core::select::{Condition, Open, Records};
use penstock_core::source::SourceError;
use penstock_core::split::RecordStart;
use penstock_scan::make_room;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of a run that any thread may read while it goes on.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// Bytes read from the source, before they are decompressed.
    pub(crate) bytes: AtomicU64,
    /// Records delivered.
    pub(crate) records: AtomicU64,
    /// Bad records that were skipped.
    pub(crate) skipped: AtomicU64,
    /// Records that a condition has left out.
    pub(crate) filtered: AtomicU64,
    /// Nanoseconds in the source, in scanning and in building; see `timing.rs`.
    pub(crate) timing: [AtomicU64; 3],
}

impl Gauge {
    /// Adds the numbers of another run.
    pub(crate) fn add(&self, other: &Gauge) {
        let add = |to: &AtomicU64, from: &AtomicU64| {
            to.fetch_add(from.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        add(&self.bytes, &other.bytes);
        add(&self.records, &other.records);
        add(&self.skipped, &other.skipped);
        add(&self.filtered, &other.filtered);
        for (to, from) in self.timing.iter().zip(&other.timing) {
            add(to, from);
        }
    }
}

/// Documents above this size leave objects that are worth promoting.
pub(crate) const LARGE: u64 = 1 << 20;

/// Reads more of a source for a run, without the interpreter lock.
pub(crate) fn bring<D: Destination>(
    py: Python<'_>,
    run: &mut Run<Reader, Windows, D::Cause>,
    to: &mut D,
) -> Result<(), Failed<D::Cause, D::Break>> {
    let input = run.input_mut();
    let brought = py.detach(|| input.more());
    run.brought(to, brought)
}

/// What is said of a document that was taken for one record and has none of its keys.
pub(crate) const LONE_OBJECT: &str = "; the whole document was read as one record: say at=\"*\" for its values, \
                           or at=\"KEY/*\" for the elements of an array in it";

/// Why the driver stopped.
pub(crate) enum Turn {
    /// A record is finished and waits in the builder.
    Row,
    /// It needs more input, or the end of the input.
    Dry,
    /// The end, without errors.
    End,
}

/// How a run works.
pub(crate) struct Settings {
    pub(crate) records: Option<Records>,
    /// Which of them are wanted, if not all are.
    pub(crate) condition: Option<Arc<Condition>>,
    pub(crate) options: Options,
    pub(crate) errors: Errors,
    pub(crate) max_errors: usize,
    pub(crate) limits: Limits,
    pub(crate) name: Option<String>,
    /// If a document must or should have records: what is said otherwise, and whether that is merely
    /// a warning.
    pub(crate) wanted: Option<(String, bool)>,
}

impl Settings {
    /// For records that are returned one by one. With `recycle`, rows that nobody holds may be
    /// filled again.
    pub(crate) fn new(
        py: Python<'_>,
        policy: &PolicyObject,
        (records, sought): (Option<Records>, String),
        limits: Limits,
        name: Option<String>,
        recycle: bool,
    ) -> PyResult<Self> {
        let PolicyObject { max_errors, duplicates, unknown, all_errors, empty, .. } = *policy;
        let suggest = true;
        let options = Options {
            duplicates,
            unknown,
            all_errors,
            pause: true,
            recycle,
            suggest,
            distinct: false,
        };
        let has_path = matches!(records, Some(Records::At(_)));
        let wanted = empty.wanted(sought, has_path);
        Ok(Settings {
            records,
            condition: None,
            options,
            errors: policy.errors(py)?,
            max_errors,
            limits,
            name,
            wanted,
        })
    }
}

/// A run of records into objects.
pub(crate) struct Driver {
    pub(super) run: Run<Reader, Windows, PyErr>,
    pub(super) builder: Builder,
    format: &'static str,
    name: Option<String>,
    errors: Errors,
    /// How many errors are collected at most.
    most: usize,
    pub(super) gauge: Arc<Gauge>,
    pub(super) sampler: Sampler,
    /// The collected errors of the sources before this one.
    earlier: Vec<Py<PyAny>>,
    /// Whether other sources may follow, so that collected errors wait for the end of those.
    pub(super) is_followed: bool,
    /// If records are shortened. The sampler is held then.
    shortener: Option<Shortener>,
    /// Whether an object at the root of the document is a record because no path says otherwise.
    is_lone_object: bool,
    broken_off: bool,
    /// Whether a condition chooses among the records.
    pub(super) is_conditional: bool,
    /// The offset of the first byte that comes.
    begins_at: u64,
    /// If the input begins at a place of a binary property list, which nothing but the point says until
    /// a record is met: that point.
    begun_at: Option<RecordStart>,
    /// If columns are filled by several threads: how many there will be, or they.
    pub(super) threads: Option<usize>,
    pub(super) pool: Option<Pool>,
    /// How many pieces of the text they had read when they were closed.
    pub(super) pieces: u64,
    /// How far lines were counted for `last_record`.
    counted: Counter,
    /// Once it is closed: why no part of the source can be read on its own, if that is so.
    whole: Option<&'static str>,
    closed: bool,
}

impl Driver {
    pub(crate) fn new(
        dialect: &Dialect,
        plan: PlanRef,
        settings: Settings,
        input: Windows,
    ) -> Self {
        // A whole document that becomes plain values must not lose anything.
        let declarations = settings.records.is_none() && plan.is_plain();
        let mut reader = dialect.reader(declarations, &settings.limits);
        if settings.records.is_none() {
            reader.rest();
        }
        Driver::over(dialect, reader, plan, settings, input)
    }

    /// A driver of what a reader reports, which is the dialect's, or takes its place.
    pub(crate) fn over(
        dialect: &Dialect,
        reader: Reader,
        plan: PlanRef,
        settings: Settings,
        input: Windows,
    ) -> Self {
        let Settings { records, condition, mut options, errors, max_errors, limits, name, wanted } =
            settings;
        let policy = errors.policy(max_errors);
        options.all_errors &= policy.describes();
        // If the document is the only record, its problem is always raised.
        options.suggest = policy.describes() || (dialect.is_document() && records.is_none());
        let looks_on = options.all_errors && records.is_none();
        let is_lone_object = dialect.is_json() && matches!(records, Some(Records::Default(_)));
        let builder = Builder::new(plan, options, dialect.building(&limits), records);
        let is_conditional = condition.is_some();
        let builder = builder.wanting(condition);
        let mut run = Run::new(reader, input, policy);
        if looks_on {
            run.look_on();
        }
        if let Some((otherwise, merely_told)) = wanted {
            run.want_records(otherwise, merely_told);
        }
        Driver {
            run,
            builder,
            format: dialect.name(),
            name,
            errors,
            most: max_errors,
            gauge: Arc::default(),
            sampler: Sampler::off(),
            earlier: Vec::new(),
            is_followed: false,
            shortener: None,
            is_lone_object,
            broken_off: false,
            is_conditional,
            begins_at: 0,
            begun_at: None,
            threads: None,
            pool: None,
            pieces: 0,
            counted: Counter::new(),
            whole: None,
            closed: false,
        }
    }

    pub(crate) fn gauge(&self) -> &Arc<Gauge> {
        &self.gauge
    }

    /// Before anything is read: measures where the time goes.
    pub(crate) fn time(&mut self) {
        self.sampler.start();
    }

    /// Before anything is read: shortens the records, and measures nothing.
    pub(crate) fn shorten(&mut self, whole: Option<usize>) {
        self.sampler.hold();
        self.shortener = Some(Shortener::new(whole));
    }

    /// Before anything is read: the input begins at this point of its source. False if the point is
    /// none of this path.
    pub(crate) fn begin_at(&mut self, point: &RecordStart) -> bool {
        self.begins_at = point.counted.bytes();
        self.begun_at = matches!(point.stand, ReaderState::Members(_)).then(|| point.clone());
        if point.open.is_empty() {
            self.run.pass_records(point.records);
        }
        self.begin_within(&point.open, point.records)
    }

    /// Before anything is read: so much is open around the first record, and so many records come
    /// before it. False if that is none of this path.
    pub(crate) fn begin_within(&mut self, open: &[Open], records: u64) -> bool {
        self.builder.begin_at(open, records)
    }

    /// Before anything is read: the document has ended behind so many records.
    pub(crate) fn pass_all(&mut self, records: u64) {
        self.run.pass_all(records);
    }

    /// Before anything is read: what is torn off at the end of the input is left for another time.
    pub(crate) fn leave_torn(&mut self) {
        self.run.leave_torn();
    }

    /// Why no part of the source can be read on its own, if that is so.
    pub(crate) fn why_whole(&self) -> Option<&'static str> {
        let input = self.run.input();
        if let Some(source) = self.pool.as_ref().and_then(Pool::source) {
            return source.why_whole();
        }
        match self.run.reader() {
            _ if self.closed => self.whole,
            reader if !reader.is_of_plists() => input.why_whole(),
            _ if input.is_plain_binary() => None,
            _ => Some(
                "of property lists, only a binary one that is not compressed can be read from the middle",
            ),
        }
    }

    /// How many records were met, with those before the input.
    pub(crate) fn records(&self) -> u64 {
        self.run.records(&self.builder)
    }

    /// The point behind the last record. None if no other reader can go on there.
    pub(crate) fn point_behind(&self) -> Option<RecordStart> {
        if let Some(begun) = &self.begun_at
            && begun.records == self.records()
        {
            return Some(begun.clone());
        }
        let all_read = self.run.is_complete() && !self.run.leaves_torn();
        let reader = self.run.reader();
        let at_end = if all_read { reader.stand_at_end() } else { None };
        let stand = at_end.or_else(|| reader.stand_behind())?;
        let at = self.run.offset();
        let counted = match &stand {
            // Its objects may be anywhere, so that no bytes come before it.
            ReaderState::Members(_) => Counter::new(),
            _ => {
                let place = self.run.input().locate(at)?;
                Counter::at(place.line, place.column, at)
            }
        };
        let records = self.records();
        Some(RecordStart { counted, records, stand, open: self.builder.open_behind() })
    }

    /// Before anything is read: other sources may follow.
    pub(crate) fn expect_others(&mut self) {
        self.is_followed = true;
    }

    /// Before anything is read: takes over the collected errors of the source before.
    pub(crate) fn follow(&mut self, before: &mut Driver) {
        self.is_followed = true;
        self.earlier = std::mem::take(&mut before.earlier);
        let policy = self.errors.policy(before.most.saturating_sub(self.earlier.len()));
        self.most = before.most;
        self.run.set_policy(policy);
    }

    /// Behind the last source: raises the errors that were collected in all of them.
    pub(crate) fn end_of_all(&mut self, py: Python<'_>) -> PyResult<()> {
        match std::mem::take(&mut self.earlier) {
            errors if errors.is_empty() => Ok(()),
            errors => Err(errors::group(py, errors)),
        }
    }

    /// What is known of the last record besides its value, if records are shortened.
    pub(crate) fn last(&self) -> Option<Last> {
        self.shortener.as_ref().map(Shortener::last)
    }

    /// The number of the last record, and where it ended.
    #[cold]
    pub(crate) fn last_record(&mut self) -> LastRecord {
        self.run.last_record(&self.builder, &mut self.counted)
    }

    /// The dialect of a table, once it is known.
    pub(crate) fn dialect(&self) -> Option<&csv::Options> {
        self.run.reader().csv()?.options()
    }

    /// The repairs so far.
    pub(crate) fn repairs(&self) -> &RepairLog {
        self.run.repairs()
    }

    /// What the format is called.
    pub(crate) fn format(&self) -> &'static str {
        self.format
    }

    /// Whether a source is one document, and no row of lines.
    pub(crate) fn is_document(&self) -> bool {
        self.run.reader().is_document()
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn builder(&self) -> &Builder {
        &self.builder
    }

    pub(crate) fn builder_mut(&mut self) -> &mut Builder {
        &mut self.builder
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.run.is_finished()
    }

    /// Whether the run was ended by an exception that is no error of the input: by the program's own
    /// code, or by an interrupt in it.
    pub(crate) fn is_broken_off(&self) -> bool {
        self.broken_off
    }

    /// Whether the document has ended without errors, so that the rest of the input does not
    /// matter.
    pub(crate) fn is_complete(&self) -> bool {
        self.run.is_complete()
    }

    /// Whether nothing can follow the last record, although the run has not ended yet.
    pub(crate) fn is_over(&self) -> bool {
        self.run.reader().is_over()
    }

    /// Shows the plan and the values at hand to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.builder.traverse(visit)
    }

    /// Ends the run.
    pub(crate) fn finish(&mut self) {
        self.run.finish();
    }

    /// Closes the source, if it was opened for the run.
    pub(crate) fn close(&mut self) {
        self.whole = self.why_whole();
        self.closed = true;
        self.pieces = self.pieces();
        self.pool = None;
        self.run.input_mut().close();
    }

    /// Parses until a record is finished, the input is used up, or there is an error.
    #[inline]
    pub(crate) fn advance(&mut self, py: Python<'_>) -> PyResult<Turn> {
        loop {
            let Driver { run, builder, sampler, gauge, shortener, is_conditional, .. } = self;
            let turn = if sampler.is_on() {
                match shortener {
                    Some(shortener) => shortener.advance(run, builder),
                    None => run_measured(sampler, run, builder),
                }
            } else {
                run.advance(builder)
            };
            if !matches!(turn, Ok(RunTurn::Problem(_))) {
                gauge.skipped.store(run.refused(), Ordering::Relaxed);
            }
            if *is_conditional {
                gauge.filtered.store(builder.left_out(), Ordering::Relaxed);
            }
            match turn {
                Ok(RunTurn::Paused) => {
                    let records = run.delivered();
                    gauge.records.store(records, Ordering::Relaxed);
                    if sampler.is_on() {
                        sampler.end_record(run.offset(), records);
                        if sampler.is_timing() {
                            sampler.tell(gauge, None, run.offset());
                        }
                    } else {
                        sampler.pass();
                        sampler.begin_record(|| run.offset());
                    }
                    return Ok(Turn::Row);
                }
                Ok(RunTurn::Dry) => return Ok(Turn::Dry),
                Ok(RunTurn::End) => {
                    self.tell_sampler();
                    self.warn_of_lack(py)?;
                    return Ok(Turn::End);
                }
                Ok(RunTurn::Problem(problem)) => self.hand(py, *problem)?,
                Err(failure) => {
                    self.tell_sampler();
                    if self.is_followed && self.run.is_complete() {
                        return self.keep_collected(py, failure);
                    }
                    return Err(self.raised(py, failure));
                }
            }
        }
    }

    /// Reads more of the source into the window, without the interpreter lock.
    pub(crate) fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        let begun = self.sampler.is_timing().then(Mono::now_relaxed);
        let brought = bring(py, &mut self.run, &mut self.builder);
        if begun.is_some() {
            self.sampler.tell(&self.gauge, begun, self.run.offset());
        }
        self.count_bytes();
        brought.map_err(|failure| self.raised(py, failure))?;
        py.check_signals()
    }

    /// Takes in a chunk that the caller feeds: as much of it as `limits.total` allows.
    pub(crate) fn push(&mut self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let pushed = self.run.push(&mut self.builder, chunk);
        self.count_bytes();
        pushed.map_err(|failure| self.raised(py, failure))?;
        py.check_signals()
    }

    /// Whether pushed chunks wait to be decompressed.
    pub(crate) fn holds_more(&self) -> bool {
        self.run.input().holds_more()
    }

    /// Ends the run as if its source had raised, if that is an error of the source.
    #[cold]
    pub(crate) fn fail(&mut self, py: Python<'_>, raised: PyErr) -> PyResult<()> {
        let failed = Err(SourceError::Io(io::Error::other(raised)));
        let failed = self.run.brought(&mut self.builder, failed);
        failed.map_err(|failure| self.raised(py, failure))
    }

    /// Ends the chunks.
    pub(crate) fn push_end(&mut self, py: Python<'_>) -> PyResult<()> {
        let ended = self.run.push_end(&mut self.builder);
        ended.map_err(|failure| self.raised(py, failure))
    }

    /// Whether text has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.received() > self.begins_at
    }

    /// How many bytes of text have come so far.
    pub(crate) fn received(&self) -> u64 {
        self.run.input().end()
    }

    /// How many of them are at hand.
    pub(crate) fn at_hand(&self) -> u64 {
        self.received() - self.run.input().base()
    }

    /// Has the objects of a large document promoted when the pause ends or is lifted. Those of the
    /// first `promoted` bytes are promoted already.
    pub(crate) fn promote_if_large(&self, pause: &mut Pause, promoted: &mut u64) {
        let read = self.run.input().base();
        if read - *promoted >= LARGE {
            *promoted = read;
            pause.promote();
        }
    }

    fn count_bytes(&self) {
        if let Some(bytes) = self.run.input().raw_bytes() {
            self.gauge.bytes.store(bytes, Ordering::Relaxed);
        }
    }

    fn tell_sampler(&mut self) {
        if self.sampler.is_timing() {
            self.sampler.tell(&self.gauge, None, self.run.offset());
        }
    }

    fn named(&self) -> Named<'_> {
        Named::new(self.format, self.name.as_deref())
    }

    /// Gives the problem of a record to the caller's function. The record counts as skipped once
    /// there is an exception to give.
    #[cold]
    pub(super) fn hand(&mut self, py: Python<'_>, mut problem: Problem<PyErr>) -> PyResult<()> {
        self.advise(&mut problem);
        let handed = errors::of_problem(py, problem, &self.named()).and_then(|error| {
            self.gauge.skipped.store(self.run.refused(), Ordering::Relaxed);
            let Errors::Give(target) = &self.errors else { return Err(error) };
            target.get(py)?.call1((error.into_value(py),))
        });
        handed.map(|_| ()).inspect_err(|_| {
            self.run.finish();
            self.broken_off = true;
        })
    }

    /// Reports an error behind which nothing more is read of the source: with a warning, or to the
    /// caller's function.
    ///
    /// # Errors
    /// The error, if it shall be raised.
    #[cold]
    pub(crate) fn leave_out(&mut self, py: Python<'_>, error: PyErr) -> PyResult<()> {
        match &self.errors {
            Errors::Raise | Errors::Collect => Err(error),
            Errors::Skip => warn_of_broken(py, &error),
            // It was called with it, or has raised it.
            Errors::Give(_) if self.broken_off => Err(error),
            Errors::Give(target) => {
                let given = target.get(py)?.call1((error.into_value(py),));
                given.map(|_| ()).inspect_err(|_| self.broken_off = true)
            }
        }
    }

    /// Says in which other way a document may be read that was taken for one record, and is none.
    fn advise(&self, problem: &mut Problem<PyErr>) {
        // What else is in the document cannot be said: it may be gone, and a message must not depend
        // on how the input was cut.
        if self.is_lone_object && problem.bare && problem.spot.path.is_empty() {
            problem.reason.push_str(LONE_OBJECT);
        }
    }

    /// The exception for a failure. Errors that were collected in the sources before come with it.
    #[cold]
    pub(super) fn raised(&mut self, py: Python<'_>, mut failure: Failed<PyErr, PyErr>) -> PyErr {
        match &mut *failure {
            Failure::One(problem) => self.advise(problem),
            Failure::Collected(problems) => problems.iter_mut().for_each(|it| self.advise(it)),
            Failure::Broken(..) | Failure::Source { .. } => {}
        }
        let by_program = matches!(*failure, Failure::Broken(..) | Failure::Source { .. });
        let problems = match *failure {
            Failure::Collected(problems) if !self.earlier.is_empty() => problems,
            Failure::One(problem) if !self.earlier.is_empty() => vec![problem],
            failure => {
                let error = errors::of_failure(py, Box::new(failure), &self.named());
                self.broken_off = by_program && !errors::is_of_input(py, &error);
                return error;
            }
        };
        match errors::of_problems(py, problems, &self.named()) {
            Ok(errors) => {
                make_room(&mut self.earlier, errors.len());
                self.earlier.extend(errors);
                errors::group(py, std::mem::take(&mut self.earlier))
            }
            Err(instead) => instead,
        }
    }

    /// At the end: warns if there was no record where a path says that there are some.
    #[inline]
    pub(super) fn warn_of_lack(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.run.take_lack() {
            None => Ok(()),
            Some(reason) => warn_of_lack(py, &reason, self.name.as_deref()),
        }
    }

    /// At the end of a source that others follow: the collected errors wait.
    #[cold]
    pub(super) fn keep_collected(
        &mut self,
        py: Python<'_>,
        failure: Failed<PyErr, PyErr>,
    ) -> PyResult<Turn> {
        let Failure::Collected(problems) = *failure else {
            return Err(errors::of_failure(py, failure, &self.named()));
        };
        let errors = errors::of_problems(py, problems, &self.named())?;
        make_room(&mut self.earlier, errors.len());
        self.earlier.extend(errors);
        Ok(Turn::End)
    }
}

/// Advances the run for a sample.
#[cold]
#[inline(never)]
fn run_measured(
    sampler: &mut Sampler,
    run: &mut Run<Reader, Windows, PyErr>,
    builder: &mut Builder,
) -> Result<RunTurn<PyErr>, Failed<PyErr, PyErr>> {
    sampler.measure(|clockwork| match clockwork {
        None => run.advance(builder),
        Some(clockwork) => match builder {
            Builder::Keyed(scope) if !scope.is_conditional() => {
                run.advance(&mut Timed { scope, clockwork })
            }
            Builder::Markup(scope) if !scope.is_conditional() => {
                run.advance(&mut Timed { scope, clockwork })
            }
            // Columns, and records of a condition, are not timed.
            _ => run.advance(builder),
        },
    })
}
