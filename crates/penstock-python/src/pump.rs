//! One run: a source or fed chunks through the window and the reader into the builder.
//!
//! The pump is where a format's reader, the choice of records and the builder meet, and where it
//! is decided what becomes of a record in error. It is driven from outside: row by row, batch by
//! batch, chunk by chunk.

use crate::failure::{self, Others, Told, Where};
use crate::grammar::Grammar;
use crate::objects::{Builder, Mismatch, Options, PathStep, Pause, Problems, Refusal, Why};
use crate::options::Errors;
use crate::plan::Plan;
use crate::repairs::Repaired;
use crate::timing::{Sampler, Timed};
use penstock_clock::Mono;
use penstock_core::error::{Fail, Fault};
use penstock_core::limits::Limits;
use penstock_core::reader::{Reader, Step};
use penstock_core::select::{Records, Select};
use penstock_core::sink::Sink;
use penstock_core::source::{Encoding, Source, SourceError, Window};
use penstock_scan::ValidText;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What can be seen of a run while it goes on, from any thread.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// Bytes read from the source, before they are decompressed.
    pub(crate) bytes: AtomicU64,
    /// Records delivered.
    pub(crate) records: AtomicU64,
    /// Records in error that were passed over.
    pub(crate) skipped: AtomicU64,
    /// Nanoseconds in the source, in scanning and in building; see `timing.rs`.
    pub(crate) timing: [AtomicU64; 3],
}

/// Documents above this size leave objects that are worth promoting.
pub(crate) const LARGE: u64 = 1 << 20;

/// More input than the limit.
pub(crate) fn total_exceeded(total: u64) -> Fault {
    Fault::limit(total, format!("the input is longer than {total} bytes (limits.total)"))
}

/// Where the events go.
pub(crate) enum Outlet {
    /// Each value at the root is a record.
    Root(Builder),
    /// The records are inside the document.
    Inside(Select<Builder>),
}

impl Outlet {
    /// Reads on.
    #[inline(always)]
    fn take_from(
        &mut self,
        reader: &mut Reader,
        text: ValidText<'_>,
        last: bool,
    ) -> Result<Step, Fail<Refusal>> {
        match self {
            Outlet::Root(builder) => reader.run(text, last, builder),
            Outlet::Inside(select) => reader.run(text, last, select),
        }
    }

    fn builder(&self) -> &Builder {
        match self {
            Outlet::Root(builder) => builder,
            Outlet::Inside(select) => select.inner(),
        }
    }

    fn builder_mut(&mut self) -> &mut Builder {
        match self {
            Outlet::Root(builder) => builder,
            Outlet::Inside(select) => select.inner_mut(),
        }
    }

    /// How many containers are open around the record.
    fn record_depth(&self) -> usize {
        match self {
            Outlet::Root(_) => 0,
            Outlet::Inside(select) => select.record_depth(),
        }
    }

    fn abandon(&mut self) {
        match self {
            Outlet::Root(builder) => builder.abandon(),
            Outlet::Inside(select) => select.abandon(),
        }
    }

    /// As before the first value.
    fn restart(&mut self) {
        match self {
            Outlet::Root(builder) => builder.abandon(),
            Outlet::Inside(select) => select.restart(),
        }
    }

    /// The way from the root to the record.
    fn prefix(&self) -> Vec<PathStep> {
        match self {
            Outlet::Root(_) => Vec::new(),
            Outlet::Inside(select) => {
                select.path_prefix().into_iter().map(PathStep::from).collect()
            }
        }
    }
}

/// Reads on, for a sample.
#[cold]
#[inline(never)]
fn run_measured(
    sampler: &mut Sampler,
    reader: &mut Reader,
    outlet: &mut Outlet,
    text: ValidText<'_>,
    last: bool,
) -> Result<Step, Fail<Refusal>> {
    sampler.measure(|clockwork| match clockwork {
        None => outlet.take_from(reader, text, last),
        Some(clockwork) => reader.run(text, last, &mut Timed { outlet, clockwork }),
    })
}

/// What the pump has come to.
pub(crate) enum Turn {
    /// A record is finished and waits in the builder.
    Row,
    /// It needs more input, or to be told that there is none.
    Dry,
    /// The end, in good order.
    End,
}

/// How a run is to be done.
pub(crate) struct Settings {
    pub(crate) grammar: Grammar,
    pub(crate) records: Option<Records>,
    pub(crate) options: Options,
    pub(crate) errors: Errors,
    pub(crate) max_errors: usize,
    pub(crate) limits: Limits,
    pub(crate) name: Option<String>,
}

/// A run.
pub(crate) struct Pump {
    reader: Reader,
    window: Window,
    outlet: Outlet,
    grammar: Grammar,
    name: Option<String>,
    /// What had to be repaired.
    repaired: Repaired,
    errors: Errors,
    max_errors: usize,
    collected: Vec<Py<PyAny>>,
    /// Records that were in error.
    refused: u64,
    /// How many bytes may be fed.
    total: Option<u64>,
    /// More were: the fault that comes behind those that may.
    over: Option<Fault>,
    /// No more input will come.
    ended: bool,
    /// Nothing more will be delivered.
    finished: bool,
    /// The document has ended, in good order.
    complete: bool,
    gauge: Arc<Gauge>,
    sampler: Sampler,
}

impl Pump {
    pub(crate) fn new(plan: Arc<Plan>, settings: Settings) -> Self {
        // Of a whole document that becomes plain values, nothing is to be lost.
        let declarations = settings.records.is_none() && plan.is_plain();
        let reader = settings.grammar.reader(declarations, &settings.limits);
        let mut options = settings.options;
        // Nobody looks at errors that are only counted.
        options.all_errors &= !matches!(settings.errors, Errors::Skip);
        let mut builder = Builder::new(plan, options);
        if let Some(markup) = settings.grammar.markup(&settings.limits) {
            builder.set_markup(markup);
        }
        let window = Window::detecting(settings.grammar.detect(), None);
        let outlet = match settings.records {
            Some(records) => Outlet::Inside(Select::new(builder, records)),
            None => Outlet::Root(builder),
        };
        Pump {
            reader,
            window,
            outlet,
            grammar: settings.grammar,
            repaired: Repaired::default(),
            name: settings.name,
            errors: settings.errors,
            max_errors: settings.max_errors,
            collected: Vec::new(),
            refused: 0,
            total: settings.limits.total,
            over: None,
            ended: false,
            finished: false,
            complete: false,
            gauge: Arc::default(),
            sampler: Sampler::off(),
        }
    }

    pub(crate) fn gauge(&self) -> &Arc<Gauge> {
        &self.gauge
    }

    /// Before anything is pushed: the encoding of chunks that do not tell it.
    pub(crate) fn assume(&mut self, encoding: Option<Encoding>) {
        self.window = Window::detecting(self.grammar.detect(), encoding);
    }

    /// Before anything is read: the gauge is to say where the time goes.
    pub(crate) fn time(&mut self) {
        self.sampler.start();
    }

    /// What had to be repaired so far.
    pub(crate) fn repaired(&self) -> &Repaired {
        &self.repaired
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn builder(&self) -> &Builder {
        self.outlet.builder()
    }

    pub(crate) fn builder_mut(&mut self) -> &mut Builder {
        self.outlet.builder_mut()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether the document has ended in good order: whatever follows is of no interest.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Nothing more will be asked for.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Reads on until a record is finished, the input is used up, or something is wrong.
    #[inline]
    pub(crate) fn advance(&mut self, py: Python<'_>) -> PyResult<Turn> {
        if self.finished {
            return Ok(Turn::End);
        }
        loop {
            let last = self.ended && self.window.finish_fault().is_none();
            let text = self.window.text();
            let Pump { reader, outlet, sampler, .. } = self;
            let step = if sampler.is_on() {
                run_measured(sampler, reader, outlet, text, last)
            } else {
                outlet.take_from(reader, text, last)
            };
            self.repaired.take(&mut self.reader, self.window.counter(), text.as_bytes());
            match step {
                Ok(Step::Paused) => {
                    let before = self.gauge.records.fetch_add(1, Ordering::Relaxed);
                    if self.sampler.is_on() {
                        self.sampler.end_record(self.reader.offset(), before + 1);
                        self.sampler.tell(&self.gauge, None, self.reader.offset());
                    } else {
                        self.sampler.pass();
                        self.sampler.begin_record(|| self.reader.offset());
                    }
                    return Ok(Turn::Row);
                }
                Ok(Step::Stopped | Step::Done) => {
                    self.complete = true;
                    return self.end(py);
                }
                Ok(Step::More | Step::Turn) => {
                    self.place_problems();
                    let mut done = self.reader.consumed();
                    if let Some(from) = self.outlet.builder().keeps() {
                        let before = from.saturating_sub(self.reader.base());
                        done = done.min(usize::try_from(before).unwrap_or(usize::MAX));
                    }
                    self.window.consume(done);
                    self.reader.drop_front(done);
                    let fault =
                        if self.ended { self.window.finish_fault() } else { self.window.fault() };
                    match fault {
                        Some(fault) => self.bad_text(py, fault)?,
                        None if self.over.is_some() => return self.end_over(py),
                        None => return Ok(Turn::Dry),
                    }
                }
                Err(Fail::Input(fault)) => self.bad_input(py, fault)?,
                Err(Fail::Sink(refusal)) => self.refused(py, refusal)?,
            }
        }
    }

    /// Reads more of the source into the window, without the interpreter lock.
    pub(crate) fn refill(&mut self, py: Python<'_>, source: &mut Source) -> PyResult<()> {
        let begun = self.sampler.is_timing().then(Mono::now_relaxed);
        let window = &mut self.window;
        let filled = py.detach(|| window.fill(source));
        if begun.is_some() {
            self.sampler.tell(&self.gauge, begun, self.reader.offset());
        }
        self.gauge.bytes.store(source.raw_bytes(), Ordering::Relaxed);
        match filled {
            Ok(true) => self.begin(),
            Ok(false) => self.ended = true,
            Err(SourceError::Fault(fault)) => {
                self.finished = true;
                return Err(self.fatal(py, &fault));
            }
            Err(SourceError::Io(error)) => {
                self.finished = true;
                let others = self.others(py)?;
                let at = self.place_of(self.window_end(), self.outlet.prefix());
                return Err(failure::of_source(py, error, &at, others));
            }
        }
        py.check_signals()
    }

    /// Takes in a chunk that the caller feeds: as much of it as `limits.total` allows.
    pub(crate) fn push(&mut self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = self.gauge.bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        let room = self.total.map_or(u64::MAX, |total| total.saturating_sub(fed));
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(chunk.len());
        if room < chunk.len() {
            self.over = Some(total_exceeded(fed + room as u64));
        }
        let pushed = self.window.push(&chunk[..room]);
        match pushed {
            Ok(()) => {
                self.begin();
                py.check_signals()
            }
            Err(fault) => {
                self.finished = true;
                Err(self.fatal(py, &fault))
            }
        }
    }

    /// No more chunks will be fed.
    pub(crate) fn push_end(&mut self, py: Python<'_>) -> PyResult<()> {
        self.ended = true;
        match self.window.finish() {
            Ok(()) => {
                self.begin();
                Ok(())
            }
            Err(fault) => {
                self.finished = true;
                Err(self.fatal(py, &fault))
            }
        }
    }

    /// The end of what may be fed.
    #[cold]
    fn end_over(&mut self, py: Python<'_>) -> PyResult<Turn> {
        self.finished = true;
        match self.over.take() {
            Some(fault) => Err(self.fatal(py, &fault)),
            None => Ok(Turn::End),
        }
    }

    /// After a whole document: what a large one leaves becomes old at once.
    pub(crate) fn promote_if_large(&self, pause: &mut Pause) {
        if self.window.base() >= LARGE {
            pause.promote();
        }
    }

    /// Tells the reader where the text begins: a byte order mark stands before it.
    fn begin(&mut self) {
        if self.reader.base() != self.window.base() {
            self.reader.jump(self.window.base());
        }
    }

    /// The end: raises what was collected.
    fn end(&mut self, py: Python<'_>) -> PyResult<Turn> {
        self.finished = true;
        if self.sampler.is_timing() {
            self.sampler.tell(&self.gauge, None, self.reader.offset());
        }
        if self.collected.is_empty() {
            return Ok(Turn::End);
        }
        Err(failure::group(py, std::mem::take(&mut self.collected)))
    }

    /// Bytes that are not text, behind the text that was read.
    #[cold]
    fn bad_text(&mut self, py: Python<'_>, fault: Fault) -> PyResult<()> {
        if !self.reader.is_lost() {
            self.bad_input(py, fault)?;
        }
        let separator = self.reader.separator();
        self.window.pass_fault(separator);
        self.reader.jump(self.window.base());
        Ok(())
    }

    /// Input that is not the format. Only where values are framed can reading go on behind it.
    #[cold]
    fn bad_input(&mut self, py: Python<'_>, fault: Fault) -> PyResult<()> {
        if !self.grammar.resumes() || matches!(self.errors, Errors::Raise) {
            self.finished = true;
            return Err(self.fatal(py, &fault));
        }
        if !self.reader.is_abandoned() {
            let others = self.others(py)?;
            self.refuse(py, |pump| failure::of_fault(py, &fault, &pump.place(&fault), others))?;
        }
        self.outlet.restart();
        let _ = self.reader.resynchronise();
        Ok(())
    }

    /// A record that does not fit, or the user's own exception.
    #[cold]
    fn refused(&mut self, py: Python<'_>, refusal: Refusal) -> PyResult<()> {
        let mismatch = match refusal.why() {
            Why::Mismatch(mismatch) => mismatch,
            Why::Kept => return Err(failure::untold()),
            Why::Python(error) => {
                self.finished = true;
                // What raised is an object being made, not one of its values.
                let mut path = self.outlet.prefix();
                path.extend(self.builder().path(false));
                let at = self.place_of(self.reader.offset(), path);
                return Err(failure::noted(py, error, &at));
            }
        };
        let others = self.others(py)?;
        let single = self.grammar.is_document() && matches!(self.outlet, Outlet::Root(_));
        if single || matches!(self.errors, Errors::Raise) {
            self.finished = true;
            return Err(failure::either(self.mismatch_error(py, &mismatch, others)));
        }
        self.refuse(py, |pump| pump.mismatch_error(py, &mismatch, others))?;
        let depth = self.outlet.record_depth();
        self.outlet.abandon();
        self.reader.abandon(depth);
        Ok(())
    }

    fn mismatch_error(&self, py: Python<'_>, mismatch: &Mismatch, others: Others) -> Told {
        let mut path = self.outlet.prefix();
        path.extend(mismatch.path.iter().cloned());
        let mut place = self.place_of(mismatch.at, path);
        if let Some(known) = &mismatch.place {
            place.place = Some((**known).clone());
        }
        failure::of_mismatch(py, mismatch, &place, others)
    }

    /// What is wrong with the record at hand, beside what is told.
    #[cold]
    fn others(&mut self, py: Python<'_>) -> PyResult<Others> {
        let Problems { kept, omitted, .. } = self.builder_mut().take_problems();
        let error = |problem: &Mismatch| {
            let error = self.mismatch_error(py, problem, Others::default())?;
            Ok(error.into_value(py).into_any())
        };
        Ok(Others { errors: kept.iter().map(error).collect::<PyResult<_>>()?, omitted })
    }

    /// Looks up the places of what may be told later, as the text around them is about to go.
    fn place_problems(&mut self) {
        let window = &self.window;
        let builder = match &mut self.outlet {
            Outlet::Root(builder) => builder,
            Outlet::Inside(select) => select.inner_mut(),
        };
        for problem in builder.unplaced() {
            problem.place = Some(Box::new(window.locate(problem.at)));
        }
    }

    /// Does with the error of a record what the caller chose. The error itself is only made for
    /// those who look at it.
    fn refuse(&mut self, py: Python<'_>, error: impl FnOnce(&Self) -> Told) -> PyResult<()> {
        if matches!(self.errors, Errors::Skip) {
            self.refused += 1;
            self.gauge.skipped.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let error = match error(self) {
            Ok(error) => error,
            Err(instead) => {
                self.finished = true;
                return Err(instead);
            }
        };
        self.refused += 1;
        self.gauge.skipped.fetch_add(1, Ordering::Relaxed);
        match &self.errors {
            Errors::Raise => return Err(error),
            Errors::Skip => {}
            Errors::Give(target) => {
                let given = target.get(py).and_then(|target| target.call1((error.into_value(py),)));
                if let Err(error) = given {
                    self.finished = true;
                    return Err(error);
                }
            }
            Errors::Collect => {
                if self.collected.len() >= self.max_errors {
                    self.finished = true;
                    return Err(failure::group(py, std::mem::take(&mut self.collected)));
                }
                self.collected.push(error.into_value(py).into_any());
            }
        }
        Ok(())
    }

    /// The exception for a fault behind which nothing is read, with all that were collected before.
    fn fatal(&mut self, py: Python<'_>, fault: &Fault) -> PyErr {
        let told = self.others(py);
        let told = told.and_then(|others| failure::of_fault(py, fault, &self.place(fault), others));
        let error = match told {
            Ok(error) if !self.collected.is_empty() => error,
            told => return failure::either(told),
        };
        let mut errors = std::mem::take(&mut self.collected);
        errors.push(error.into_value(py).into_any());
        failure::group(py, errors)
    }

    /// The place of a fault. One between records is in none of them.
    fn place(&self, fault: &Fault) -> Where<'_> {
        let within = match &self.outlet {
            Outlet::Root(_) => true,
            Outlet::Inside(select) => select.in_record(),
        };
        let mut path = Vec::new();
        if within {
            path = self.outlet.prefix();
            path.extend(self.builder().path(true));
        }
        let mut place = self.place_of(fault.offset(), path);
        place.record = place.record.filter(|_| within);
        place
    }

    fn place_of(&self, offset: u64, path: Vec<PathStep>) -> Where<'_> {
        let record = match &self.outlet {
            Outlet::Root(_) if self.grammar.is_document() => None,
            Outlet::Root(_) => {
                let waiting = self.builder().ready() as u64;
                Some(self.gauge.records.load(Ordering::Relaxed) + waiting + self.refused + 1)
            }
            Outlet::Inside(select) => Some(select.records()).filter(|&record| record > 0),
        };
        let place = Some(self.window.locate(offset));
        Where { format: self.grammar.format(), source: self.name.as_deref(), place, record, path }
    }

    fn window_end(&self) -> u64 {
        self.window.base() + self.window.text().as_bytes().len() as u64
    }
}
