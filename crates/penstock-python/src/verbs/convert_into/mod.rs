//! Conversions by a class: with objects, and without them.
//!
//! For whoever changes it. **Both do what `read` and `write` do, and nothing else.** With objects,
//! a driver reads records and a recorder writes them. Without them, a [`NativeRecord`] checks and keeps the
//! values of a record, and no interpreter lock is held. It takes what it knows to be right. As soon
//! as it does not take an event, a builder gets the events of the record so far, then this one and
//! all that follow: so errors are the builder's, to the letter, and so are all values that the native record
//! does not know. The same happens if the writer refuses a record.
//!
//! With several threads, a worker is the same without a builder: what the native record does not take, it leaves
//! to the run, with all of its piece.

mod events;

use crate::drive::driver::{Driver, Gauge, LONE_OBJECT, Settings, Turn};
use crate::drive::progress::Meter;
use crate::edge::errors::{self, Named, Raised};
use crate::edge::gc_refs::Held;
use crate::edge::options::{Errors, PolicyObject, warn_of_lack};
use crate::edge::repairs;
use crate::encode::native;
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::io::targets::TargetObject;
use crate::objects::{FormatOptions, Keys, Options, Owned, Refusal};
use crate::plan::{PlanRef, plan_error};
use crate::verbs::convert::{Done, Got, advance};
use crate::verbs::encode::Encoder;
use crate::verbs::threads::Together;
use crate::verbs::write::Recorder;
use penstock_arrow::Header;
use penstock_core::convert::Kept;
use penstock_core::convert::native::NativeRecord;
use penstock_core::each_writer;
use penstock_core::error::Fail;
use penstock_core::formats::Reader;
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{
    Copies, Destination, Duplicates, Flow, FormatReader, InputView, Look, Misfit, Refused, Sink,
    Step, Unknown,
};
use penstock_core::run::{Failed, Failure, Problem, RecordScope, Run, Windows};
use penstock_core::select::{Condition, Records};
use penstock_core::shape::Shape;
use penstock_core::split::{PIECE_MEMORY, Shares, Worker};
use penstock_core::target::{Target, TargetError};
use penstock_core::writer::{ENOUGH, Kind as Reason, Writer as _};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A class to convert by.
#[derive(FromPyObject)]
pub(super) struct Into<'py> {
    #[pyo3(item(0))]
    class: Bound<'py, PyAny>,
    #[pyo3(item(1))]
    encoder: Bound<'py, Encoder>,
    /// Whether objects may be made.
    #[pyo3(item(2))]
    objects: bool,
}

/// A conversion by a class, and what belongs to it.
pub(super) struct Opened {
    /// Without objects, or with them.
    pub(super) native: Result<Box<Native>, Box<Objects>>,
    pub(super) held: Vec<Held>,
    pub(super) meter: Meter,
}

impl Into<'_> {
    pub(super) fn open(
        self,
        py: Python<'_>,
        dialect: &Dialect,
        source: &SourceObject,
        at: Option<&Bound<'_, PyAny>>,
        policy: &Bound<'_, PolicyObject>,
        limits: &Limits,
    ) -> PyResult<Opened> {
        let Choice { plan, records, condition, sought, .. } = dialect.choose(&self.class, at)?;
        let encoder = self.encoder.get();
        let recorder = Recorder::new(py, encoder, None)?;
        let style = encoder.style();
        let native = if plan.form.has_elements() {
            Err(format!("the source is {}", dialect.title()))
        } else if style.has_elements() {
            Err("the target is XML".to_owned())
        } else if policy.get().duplicates != Duplicates::Last {
            Err("duplicates= compares all keys".to_owned())
        } else if plan.kinds.len() > 1 {
            Err("there are several kinds of records".to_owned())
        } else {
            let by = encoder.walk(py).0;
            let rows = by.as_ref().filter(|_| style.form().is_lexical());
            let written = by.as_ref().filter(|_| plan.form.is_lexical());
            native(py, &plan, written.unwrap_or(&plan), rows)?
        };
        if let (Err(why), false) = (&native, self.objects) {
            return Err(plan_error(
                py,
                format!("{why}, so convert() must make objects: pass objects=True"),
            ));
        }
        let mut settings = Settings::new(
            py,
            policy.get(),
            (records, sought),
            limits.clone(),
            source.name(),
            true,
        )?;
        settings.condition = condition;
        let (opened, held) = source.open(py, dialect.detect(), limits)?;
        let total = opened.total();
        let held = held.into_iter().chain(settings.errors.held()).collect();
        let input = Windows::of(opened);
        Ok(match native {
            Ok(native) => {
                let is_lone_object =
                    dialect.is_json() && matches!(settings.records, Some(Records::Default(_)));
                let errors = settings.errors.policy(settings.max_errors);
                let FormatOptions::Keyed(own) = dialect.building(limits) else {
                    return Err(errors::untold());
                };
                let declarations = settings.records.is_none() && plan.is_plain();
                let mut run = Run::new(dialect.reader(declarations, limits), input, errors);
                if let Some((otherwise, merely_told)) = settings.wanted.take() {
                    run.want_records(otherwise, merely_told);
                }
                let gauge: Arc<Gauge> = Arc::default();
                let meter = Meter::new(Arc::clone(&gauge), total);
                let options = Options {
                    duplicates: Duplicates::Last,
                    unknown: Unknown::Skip,
                    all_errors: false,
                    pause: true,
                    recycle: false,
                    suggest: errors.describes()
                        || (dialect.is_document() && settings.records.is_none()),
                    distinct: false,
                };
                let native = Native {
                    run,
                    native: NativeRecord::new(native),
                    slow: Owned::new(plan, options, own),
                    recorder,
                    records: settings.records,
                    condition: settings.condition,
                    memory: limits.memory,
                    gauge,
                    format: dialect.name(),
                    name: source.name(),
                    is_lone_object,
                    threads: 1,
                    most: u64::MAX,
                };
                Opened { native: Ok(Box::new(native)), held, meter }
            }
            Err(_) => {
                let driver = Driver::new(dialect, plan, settings, input);
                let meter = Meter::new(driver.gauge().clone(), total);
                Opened {
                    native: Err(Box::new(Objects { driver, recorder, most: u64::MAX })),
                    held,
                    meter,
                }
            }
        })
    }
}

/// A conversion that makes an object of each record.
pub(super) struct Objects {
    driver: Driver,
    recorder: Recorder,
    /// How many records are written at most.
    most: u64,
}

impl Objects {
    /// Ends behind so many records.
    pub(super) fn end_behind(&mut self, most: u64) {
        self.most = most;
    }

    pub(super) fn gauge(&self) -> Arc<Gauge> {
        Arc::clone(self.driver.gauge())
    }

    /// Converts all of the source.
    pub(super) fn run(
        self: Box<Self>,
        py: Python<'_>,
        target: &TargetObject,
        open: &mut Target,
    ) -> PyResult<Done> {
        let Objects { mut driver, mut recorder, most } = *self;
        driver.builder_mut().set_recycling(true);
        let mut ended = None;
        let mut left = most;
        let rows = std::iter::from_fn(|| {
            left = left.checked_sub(1)?;
            loop {
                match driver.advance(py) {
                    Ok(Turn::Row) => {
                        let row = driver.builder_mut().take_row()?;
                        return Some(Ok(row.into_bound(py)));
                    }
                    Ok(Turn::End) => return None,
                    Ok(Turn::Dry) => match driver.refill(py) {
                        Ok(()) => {}
                        Err(error) => return Some(Err(error)),
                    },
                    Err(error) => {
                        if driver.is_complete() && is_group(py, &error) {
                            ended = Some(error);
                            return None;
                        }
                        return Some(Err(error));
                    }
                }
            }
        });
        recorder.records(py, rows, &mut |text, _| {
            let bytes = text.text();
            if bytes.len() >= ENOUGH {
                target.work(py, open, |open| open.write_all(bytes))?;
                text.taken();
            }
            Ok(None::<()>)
        })?;
        driver.close();
        let records = finish(py, &mut recorder, target, open)?;
        let repairs = repairs::counts(driver.repairs(), py)?.unbind();
        Ok(Done { records, repairs, collected: ended })
    }
}

/// Whether an error is a group of those that were collected.
fn is_group(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyBaseExceptionGroup>(py)
}

/// Ends the text. Returns how many records there are.
fn finish(
    py: Python<'_>,
    recorder: &mut Recorder,
    target: &TargetObject,
    open: &mut Target,
) -> PyResult<u64> {
    recorder.finish()?;
    let text = recorder.waiting();
    let bytes = text.text();
    target.work(py, open, |open| open.write_all(bytes))?;
    text.taken();
    Ok(
        each_writer!(&mut recorder.writer, writer => penstock_core::writer::Writer::records(&**writer)),
    )
}

/// A conversion that makes objects only where it must.
pub(super) struct Native {
    run: Run<Reader, Windows, PyErr>,
    native: NativeRecord,
    slow: Owned<Keys>,
    recorder: Recorder,
    records: Option<Records>,
    condition: Option<Arc<Condition>>,
    memory: Option<u64>,
    gauge: Arc<Gauge>,
    format: &'static str,
    name: Option<String>,
    is_lone_object: bool,
    threads: usize,
    /// How many records are written at most.
    most: u64,
}

impl Native {
    pub(super) fn gauge(&self) -> Arc<Gauge> {
        Arc::clone(&self.gauge)
    }

    /// Shares the work with so many threads, and ends behind so many records.
    pub(super) fn share(&mut self, threads: usize, most: u64) {
        (self.threads, self.most) = (threads, most);
    }

    /// Converts all of the source.
    pub(super) fn run(
        self: Box<Self>,
        py: Python<'_>,
        errors: &Errors,
        target: &TargetObject,
        open: &mut Target,
    ) -> PyResult<Done> {
        let Native {
            mut run,
            native,
            slow,
            recorder,
            records,
            condition,
            memory,
            gauge,
            threads,
            most,
            ..
        } = *self;
        let plan = Some(slow.planned().clone_ref(py));
        let named = Named::new(self.format, self.name.as_deref());
        let advised = |problem: &mut Problem<PyErr>| {
            if self.is_lone_object && problem.bare && problem.spot.path.is_empty() {
                problem.reason.push_str(LONE_OBJECT);
            }
        };
        let body = Body {
            native,
            is_slow: Cell::new(false),
            slow: RefCell::new(Some(slow)),
            recorder,
            to: To::Target(open),
            lost: None,
            records: 0,
            most,
            memory,
            plan,
            header: None,
        };
        let mut to = RecordScope::new(body, records).wanting(condition);
        let mut collected = None;
        let mut together = Together::new(threads, &mut run);
        let mut bring =
            |run: &mut Run<_, Windows, _>, to: &mut RecordScope<_>| together.bring(run, to, &gauge);
        loop {
            let records = |to: &RecordScope<Body<'_>>| to.inner().records;
            match py.detach(|| advance(&mut run, &mut to, &gauge, records, &mut bring)) {
                Ok(Got::Somewhere) => py.check_signals()?,
                Ok(Got::End) => {
                    if let Some(reason) = run.take_lack() {
                        warn_of_lack(py, &reason, self.name.as_deref())?;
                    }
                    break;
                }
                Ok(Got::Problem(mut problem)) => {
                    advised(&mut problem);
                    let error = errors::of_problem(py, *problem, &named)?;
                    let Errors::Give(function) = errors else { return Err(error) };
                    function.get(py)?.call1((error.into_value(py),))?;
                }
                Err(mut failed) => {
                    match &mut *failed {
                        Failure::One(problem) => advised(problem),
                        Failure::Collected(problems) => problems.iter_mut().for_each(advised),
                        Failure::Broken(..) | Failure::Source { .. } => {}
                    }
                    if run.is_complete() && matches!(*failed, Failure::Collected(_)) {
                        collected = Some(errors::of_failure(py, failed, &named));
                        break;
                    }
                    return Err(raised(py, failed, target, &named));
                }
            }
        }
        let Body { recorder, to: To::Target(open), .. } = to.inner_mut() else {
            return Err(errors::untold());
        };
        let records = finish(py, recorder, target, open)?;
        let repairs = repairs::counts(run.repairs(), py)?.unbind();
        Ok(Done { records, repairs, collected })
    }
}

/// Why a conversion ends although its source is good.
enum Stopped {
    /// The target does not take the text.
    Target(TargetError),
    Raised(PyErr),
}

impl Raised for Stopped {
    /// A target's own error is raised by whoever knows the target.
    fn raised(self) -> PyErr {
        match self {
            Stopped::Raised(error) => error,
            Stopped::Target(error) => {
                Python::attach(|py| crate::io::targets::raised(py, error, None, None))
            }
        }
    }
}

/// The exception for a failure. One of the target is raised as the target raises it.
#[cold]
fn raised(
    py: Python<'_>,
    failed: Failed<PyErr, Stopped>,
    target: &TargetObject,
    named: &Named<'_>,
) -> PyErr {
    match *failed {
        Failure::Broken(Stopped::Target(error), _) => target.raised(py, error),
        failure => errors::of_failure(py, Box::new(failure), named),
    }
}

/// Converts records.
struct Body<'t> {
    native: NativeRecord,
    /// Whether the builder has the events of the record.
    is_slow: Cell<bool>,
    /// The builder. A worker has none.
    slow: RefCell<Option<Owned<Keys>>>,
    recorder: Recorder,
    to: To<'t>,
    /// Why the target took no text.
    lost: Option<TargetError>,
    records: u64,
    most: u64,
    memory: Option<u64>,
    /// The plan of the builder.
    plan: Option<PlanRef>,
    /// Of a table, what the builder has answered for its header.
    header: Option<Arc<Header>>,
}

/// Where the text goes.
enum To<'t> {
    Target(&'t mut Target),
    Worker(Kept),
}

type Answer = Result<Flow, Refusal>;

impl Body<'_> {
    #[inline(always)]
    fn give(
        &mut self,
        native: impl FnOnce(&mut NativeRecord) -> Option<Flow>,
        slow: impl FnOnce(&mut Owned<Keys>) -> Answer,
    ) -> Answer {
        if !self.is_slow.get()
            && let Some(flow) = native(&mut self.native)
        {
            return if self.native.is_complete() { self.end_record() } else { Ok(flow) };
        }
        self.give_slowly(slow)
    }

    #[inline(always)]
    fn give_slowly(&mut self, slow: impl FnOnce(&mut Owned<Keys>) -> Answer) -> Answer {
        if self.is_lane() {
            return Err(Refusal::kept());
        }
        Python::attach(|py| {
            self.fall()?;
            let flow = slow(builder(self.slow.get_mut())?)?;
            self.row(py).map(|ended| ended.unwrap_or(flow))
        })
    }

    fn is_lane(&self) -> bool {
        matches!(self.to, To::Worker(_))
    }

    /// The same for an event that the native record never asks for.
    fn look(
        &mut self,
        slow: impl FnOnce(&mut Owned<Keys>) -> Result<Look, Refusal>,
    ) -> Result<Look, Refusal> {
        Python::attach(|_| slow(builder(self.slow.get_mut())?))
    }

    /// Gives the builder the events of the record so far. The interpreter is attached.
    #[cold]
    #[inline(never)]
    fn fall(&self) -> Result<(), Refusal> {
        if !self.is_slow.replace(true) {
            self.native.again(builder(&mut self.slow.borrow_mut())?)?;
        }
        Ok(())
    }

    /// Writes the record that the builder has, if it is complete.
    fn row(&mut self, py: Python<'_>) -> Result<Option<Flow>, Refusal> {
        let Some(row) = builder(self.slow.get_mut())?.take_row() else { return Ok(None) };
        self.recorder.record(row.bind(py))?;
        drop(row);
        self.ended().map(Some)
    }

    /// The record is complete.
    #[inline(always)]
    fn end_record(&mut self) -> Answer {
        let Body { native, recorder, .. } = self;
        match each_writer!(&mut recorder.writer, writer => native.tell(&mut **writer)) {
            Ok(_) => self.ended(),
            Err(refused) if refused.kind() == Reason::Memory => {
                Err(PyMemoryError::new_err(()).into())
            }
            Err(_) => {
                self.recorder.waiting().abandon();
                if self.is_lane() {
                    return Err(Refusal::kept());
                }
                let ended = Python::attach(|py| {
                    self.fall()?;
                    self.row(py)
                })?;
                Ok(ended.unwrap_or(Flow::Take))
            }
        }
    }

    /// After a record was written.
    #[inline(always)]
    fn ended(&mut self) -> Answer {
        self.records += 1;
        self.native.clear();
        self.is_slow.set(false);
        if self.recorder.waiting().text().len() >= ENOUGH {
            self.hand()?;
        }
        Ok(if self.records < self.most { Flow::Take } else { Flow::Stop })
    }

    /// Hands the text on.
    #[inline(never)]
    fn hand(&mut self) -> Result<(), Refusal> {
        let text = self.recorder.waiting();
        match &mut self.to {
            To::Target(open) => give(open, text.text(), &mut self.lost)?,
            // The run reads the piece.
            To::Worker(kept) => kept.take(text.text()).map_err(|_| Refusal::kept())?,
        }
        text.taken();
        Ok(())
    }
}

/// Gives text to the target.
fn give(open: &mut Target, text: &[u8], lost: &mut Option<TargetError>) -> Result<(), Refusal> {
    open.write_all(text).map_err(|error| {
        *lost = Some(error);
        // `refused` looks at `lost` first.
        Refusal::kept()
    })
}

/// The builder, which the run has.
fn builder(slow: &mut Option<Owned<Keys>>) -> Result<&mut Owned<Keys>, Refusal> {
    slow.as_mut().ok_or_else(Refusal::kept)
}

impl Body<'_> {
    /// What takes records as this does, without a builder.
    fn beside(&self) -> Option<Body<'static>> {
        Some(Body {
            native: self.native.beside(),
            is_slow: Cell::new(false),
            slow: RefCell::new(None),
            recorder: self.recorder.beside()?,
            to: To::Worker(Kept::default()),
            lost: None,
            records: 0,
            most: u64::MAX,
            memory: self.memory,
            plan: None,
            header: self.header.clone(),
        })
    }
}

impl Worker for Body<'static> {
    fn anew(&self, used: Option<Self>) -> Option<Self> {
        let Some(mut used) = used else { return self.beside() };
        used.native.clear();
        used.records = 0;
        if let To::Worker(kept) = &mut used.to {
            kept.clear();
        }
        Some(used)
    }
    fn read_piece<R: FormatReader>(
        scope: &mut RecordScope<Self>,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        let step = scope.read_from(reader, given)?;
        scope.inner_mut().hand().map_err(Fail::Sink)?;
        Ok(step)
    }
}

impl Shares for Body<'_> {
    type Worker = Body<'static>;

    fn worker(&self, _others: bool) -> Option<Body<'static>> {
        // No record of a piece takes so much memory. Nobody looks whether it takes less.
        let is_bounded = self.memory.is_none_or(|most| most >= PIECE_MEMORY);
        if is_bounded { self.beside() } else { None }
    }
    fn take_over(
        &mut self,
        worker: &mut Body<'static>,
        _from: usize,
    ) -> Result<Option<usize>, Stopped> {
        let mut taken = self.hand();
        if let (To::Target(open), To::Worker(kept), Ok(())) = (&mut self.to, &worker.to, &taken) {
            taken = give(open, kept.text(), &mut self.lost);
        }
        if let (Err(_), Some(lost)) = (taken, self.lost.take()) {
            return Err(Stopped::Target(lost));
        }
        self.recorder.writer.pass(worker.records);
        self.records += worker.records;
        Ok(None)
    }
}

impl Destination for Body<'_> {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = Stopped;

    const SHAPE: Option<Shape> = Some(Shape::Members);
    const COPIES: Copies = Copies::Common;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, refusal: Refusal, given: InputView<'_>) -> Refused<PyErr, Stopped> {
        if let Some(lost) = self.lost.take() {
            return Refused::Break(Stopped::Target(lost));
        }
        let refused = Python::attach(|_| match self.slow.get_mut() {
            Some(slow) => slow.refused(refusal, given),
            None => Refused::Break(errors::untold()),
        });
        match refused {
            Refused::Misfit(misfit) => Refused::Misfit(misfit),
            Refused::Break(error) => Refused::Break(Stopped::Raised(error)),
        }
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
        Python::attach(|_| match (self.fall(), &*self.slow.borrow()) {
            (Ok(()), Some(slow)) => slow.path(inside),
            _ => Vec::new(),
        })
    }
    fn ready(&self) -> u64 {
        self.records
    }
    fn over_memory(&self, _given: InputView<'_>) -> Option<u64> {
        let most = self.memory?;
        // Objects take more than the values of the native record, but less than four times as much.
        if !self.is_slow.get() && self.native.size() as u64 <= most / 4 {
            return None;
        }
        Python::attach(|_| match (self.fall(), &*self.slow.borrow()) {
            (Ok(()), Some(slow)) => slow.over_memory(),
            _ => None,
        })
    }
}
