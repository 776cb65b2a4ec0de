//! `Writer`, `Encoder.chunks` and `dump`: objects as text for a target.
//!
//! For whoever changes it. A record stays in the writer's buffer until it is whole, because one that
//! fails must leave nothing. So text is handed on between records only, and that is the only time
//! when the target is touched. `dump` writes one value, which may be larger than memory: its text
//! is handed on at any time, and an error discards the whole target.

use crate::columns::Imported;
use crate::drive::progress::{WriterProgress, grouped};
use crate::edge::errors::{guarded, guarded_end};
use crate::edge::modules;
use crate::edge::printable::printable;
use crate::encode::{Known, Omit, Walker};
use crate::io::style::unwritable;
use crate::io::targets::{TargetObject, noted};
use crate::plan::PlanRef;
use crate::verbs::encode::{Encoder, columns};
use crate::verbs::{no_end, write_columns};
use penstock_clock::Mono;
use penstock_core::each_writer;
use penstock_core::formats::AnyWriter;
use penstock_core::limits::Limits;
use penstock_core::target::Over;
use penstock_core::writer::{Content, ENOUGH, Writer as _};
use pyo3::exceptions::{
    PyBaseException, PyException, PyOSError, PyResourceWarning, PyRuntimeError, PyTypeError,
    PyValueError,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PyString, PyTuple};
use std::ffi::CString;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// After so many records, signals are asked for. The caller's iterable may be a list.
const PATIENCE: u64 = 64;

/// Writes records to a target. The `write` functions create it.
///
/// It is also a context manager. If the block ends well, the target is finished: a file at a path
/// gets its name only now. If an exception leaves the block, the target is aborted: the file that
/// was there before stays as it was. A file of lines that is appended to keeps the whole records
/// that were written before the exception.
///
/// A record that cannot be written leaves nothing in the target, and the writer can go on.
/// Text is gathered: the target gets it in pieces of about 64 KiB, each of whole records.
///
/// Example:
///     >>> import io, penstock
///     >>> file = io.BytesIO()
///     >>> with penstock.json.write(file) as writer:
///     ...     writer.write({"n": 1})
///     ...     writer.write_all({"n": n} for n in (2, 3))
///     >>> file.getvalue()
///     b'[{"n":1},{"n":2},{"n":3}]'
#[pyclass(frozen, generic, module = "penstock")]
pub(crate) struct Writer {
    work: Mutex<Work>,
    target: Py<TargetObject>,
    gauge: Gauge,
    /// The text of `repr` before the numbers.
    title: String,
    process: u32,
}

/// The part of a writer that only one caller at a time may touch.
struct Work {
    recorder: Recorder,
    state: State,
}

/// What may be done with a writer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The target failed, or is at work.
    Failed,
    Closed,
    Aborted,
}

/// The numbers of a writer. Any thread may read them.
struct Gauge {
    records: AtomicU64,
    encoded: AtomicU64,
    written: AtomicU64,
    begun: Mono,
}

impl Gauge {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Gauge { records: zero(), encoded: zero(), written: zero(), begun: Mono::now() }
    }

    fn bytes(&self, (encoded, written): (u64, u64)) {
        self.encoded.store(encoded, Ordering::Relaxed);
        self.written.store(written, Ordering::Relaxed);
    }
}

/// What is done after each record, with the text and the number of records.
pub(super) type Then<'a, T> = &'a mut dyn FnMut(&mut dyn Waiting, u64) -> PyResult<Option<T>>;

/// Makes text of records, one after the other.
pub(super) struct Recorder {
    pub(super) writer: AnyWriter,
    known: Known,
    /// The type that all records are written as.
    plan: Option<PlanRef>,
    omit: Omit,
}

impl Recorder {
    /// Writes what an encoder writes, as records.
    pub(super) fn new(py: Python<'_>, encoder: &Encoder, at: Option<&str>) -> PyResult<Self> {
        let style = encoder.style();
        let writer = style.writer(Content::Records(at), &Limits::default())?;
        let (plan, omit) = encoder.walk(py);
        let known = Known::new(style.aim(py)).or_else(py, encoder.default());
        let known = known.under(encoder.unusual(py)?);
        let mut recorder = Recorder { writer, known, plan, omit };
        let Recorder { writer, known, plan, .. } = &mut recorder;
        if let Some(plan) = plan {
            let plan = known.number(py, plan);
            each_writer!(writer, writer => columns(py, &mut **writer, known, plan))?;
        }
        Ok(recorder)
    }

    /// One for records beside this one, which are no objects. None if nobody else can write them, now or
    /// at all.
    pub(super) fn beside(&self) -> Option<Self> {
        let (writer, known) = (self.writer.beside()?, self.known.without_objects());
        Some(Recorder { writer, known, plan: None, omit: self.omit })
    }

    /// Writes one record as text, or nothing of it. Returns how many records there are, and how
    /// much text waits.
    pub(super) fn record(&mut self, value: &Bound<'_, PyAny>) -> PyResult<(u64, usize)> {
        self.known.refresh(value.py());
        self.records(value.py(), std::iter::once(Ok(value.clone())), &mut |text, count| {
            Ok(Some((count, text.text().len())))
        })
        .map(Option::unwrap_or_default)
    }

    /// Writes records until `then` answers something.
    pub(super) fn records<'py, T>(
        &mut self,
        py: Python<'py>,
        values: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
        then: Then<'_, T>,
    ) -> PyResult<Option<T>> {
        let Recorder { writer, known, plan, omit } = self;
        let plan = plan.as_ref().map(|plan| known.number(py, plan));
        each_writer!(writer, writer => {
            let mut walker = Walker::new(py, &mut **writer, known, *omit);
            for value in values {
                let value = value?;
                let before = walker.writer().records();
                if before % PATIENCE == PATIENCE - 1 {
                    py.check_signals()?;
                }
                // An interrupt after the record's end would leave the record, so it waits.
                let written = walker.write(&value, plan, &mut |writer| {
                    if writer.records() == before { py.check_signals() } else { Ok(()) }
                });
                written.map_err(|error| numbered(py, error, before + 1))?;
                let writer = walker.writer();
                let count = writer.records();
                if let Some(answer) = then(writer, count)? {
                    return Ok(Some(answer));
                }
            }
            Ok(None)
        })
    }

    /// Whether records are written as a type that the caller named.
    pub(super) fn is_typed(&self) -> bool {
        self.plan.is_some()
    }

    /// What is left out.
    pub(super) fn omit(&self) -> Omit {
        self.omit
    }

    pub(super) fn waiting(&mut self) -> &mut dyn Waiting {
        each_writer!(&mut self.writer, writer => &mut **writer)
    }

    pub(super) fn finish(&mut self) -> PyResult<()> {
        each_writer!(&mut self.writer, writer => writer.finish()).map_err(unwritable)
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(plan) = &self.plan {
            plan.traverse(visit)?;
        }
        self.known.traverse(visit)
    }
}

/// Text that waits for its target.
pub(super) trait Waiting {
    fn text(&self) -> &[u8];
    fn taken(&mut self);
    fn abandon(&mut self);
}

impl<W: penstock_core::writer::Writer> Waiting for W {
    fn text(&self) -> &[u8] {
        self.ready()
    }
    fn taken(&mut self) {
        penstock_core::writer::Writer::taken(self);
    }
    fn abandon(&mut self) {
        penstock_core::protocol::Sink::abandon(self);
    }
}

/// Says in an `EncodeError` which record it is about.
#[cold]
pub(super) fn numbered(py: Python<'_>, error: PyErr, record: u64) -> PyErr {
    let number = || {
        let class = py.import(intern!(py, modules::ERRORS))?.getattr("EncodeError")?;
        if error.is_instance(py, &class) {
            error.value(py).call_method1("_number", (record,))?;
        }
        Ok(())
    };
    match number() {
        Ok(()) => error,
        Err(instead) => instead,
    }
}

/// Iterates over records. A text or a dict can be iterated over too, but nobody means that.
pub(super) fn iterate<'py>(
    verb: &str,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    let is_one = values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyByteArray>()
        || values.is_instance_of::<PyDict>();
    if is_one || values.get_type().getattr_opt(intern!(values.py(), "__iter__"))?.is_none() {
        let kind = values.get_type().name()?;
        let reason = format!("{verb}() takes an iterable of records, not {kind}");
        return Err(PyTypeError::new_err(reason));
    }
    values.try_iter()
}

#[pymethods]
impl Writer {
    #[new]
    /// `open(...)` returns the target. It is called when everything else is known to be right.
    #[pyo3(signature = (encoder, at, open, /, *arguments, **options))]
    fn new(
        encoder: &Encoder,
        at: Option<&str>,
        open: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = open.py();
        guarded(py, || {
            let recorder = Recorder::new(py, encoder, at)?;
            let target = open.call(arguments, options)?.cast_into::<TargetObject>()?;
            let name = match target.get().name() {
                Some(name) => name.to_owned(),
                None => format!("{} stream", encoder.style().title()),
            };
            let title = match &recorder.plan {
                Some(plan) => format!("{} -> {name}", plan.nodes[plan.root as usize].written),
                None => name,
            };
            Ok(Writer {
                work: Mutex::new(Work { recorder, state: State::Open }),
                target: target.unbind(),
                gauge: Gauge::new(),
                title,
                process: process::id(),
            })
        })
    }

    /// Write one record.
    ///
    /// Raises:
    ///     EncodeError: The record cannot be written. The target gets nothing of it, and the writer
    ///         can go on.
    ///     OSError: The target cannot be written to. It is aborted.
    ///     ValueError: The writer is closed.
    #[pyo3(signature = (record, /))]
    fn write(&self, record: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = record.py();
        guarded(py, || {
            let mut work = self.enter()?;
            let (count, waits) = work.recorder.record(record)?;
            self.gauge.records.store(count, Ordering::Relaxed);
            if waits >= ENOUGH { self.hand_on(py, &mut work) } else { Ok(()) }
        })
    }

    /// Write each record of an iterable.
    ///
    /// If the iterable raises an exception, it passes through unchanged. The records before it are
    /// written, and the writer can go on.
    ///
    /// Raises:
    ///     EncodeError: A record cannot be written; its `record` says which. Those before it are
    ///         written.
    ///     OSError: The target cannot be written to. It is aborted.
    ///     ValueError: The writer is closed.
    #[pyo3(signature = (records, /))]
    fn write_all(&self, records: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = records.py();
        guarded(py, || {
            let mut guard = self.enter()?;
            let Work { recorder, state } = &mut *guard;
            recorder.known.refresh(py);
            let values = iterate("write_all", records)?;
            recorder.records(py, values, &mut |text, count| {
                self.gauge.records.store(count, Ordering::Relaxed);
                if text.text().len() >= ENOUGH {
                    self.hand(py, text, state)?;
                }
                Ok(None::<()>)
            })?;
            Ok(())
        })
    }

    /// Write each row of Arrow columns as a record.
    ///
    /// No Python objects are made, and the interpreter's lock is released. The names of the columns
    /// are the keys, and null is written as `None` is. The writer must have been made without a type.
    ///
    /// Args:
    ///     columns: An object with `__arrow_c_stream__` or `__arrow_c_array__`: of polars, pyarrow,
    ///         DuckDB, pandas, or of Penstock.
    ///
    /// Raises:
    ///     EncodeError: The format has no form for the type of a column, and nothing is written; or
    ///         it has none for a value, and the records before it are written.
    ///     DecodeError: Whoever makes the columns failed. The records before that are written.
    ///     OSError: The target cannot be written to. It is aborted.
    ///     TypeError: The object has no columns.
    ///     ValueError: The writer is closed, or has a type.
    ///
    /// Example:
    ///     >>> import io, penstock, polars
    ///     >>> file = io.BytesIO()
    ///     >>> with penstock.ndjson.write(file) as writer:
    ///     ...     writer.columns(polars.DataFrame({"name": ["Bern", "Chur"], "size": [134591, None]}))
    ///     >>> file.getvalue()
    ///     b'{"name":"Bern","size":134591}\n{"name":"Chur","size":null}\n'
    #[pyo3(signature = (columns, /))]
    fn columns(&self, columns: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = columns.py();
        guarded(py, || {
            let imported = Imported::of("columns", columns)?;
            let mut guard = self.enter()?;
            let Work { recorder, state } = &mut *guard;
            write_columns::columns(py, imported, recorder, &mut |text, count| {
                self.gauge.records.store(count, Ordering::Relaxed);
                if text.text().len() >= ENOUGH { self.hand(py, text, state) } else { Ok(()) }
            })
        })
    }

    /// Hand on all text that was gathered, and have the target pass it on.
    ///
    /// A file at a path still gets its name only at the end. What is appended to a file is in the
    /// file now.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, || {
            let mut work = self.enter()?;
            self.hand_on(py, &mut work)?;
            work.state = State::Failed;
            self.target.get().flush(py)?;
            work.state = State::Open;
            self.count();
            Ok(())
        })
    }

    /// Finish the target: a file at a path gets its name. Closing again does nothing.
    ///
    /// Raises:
    ///     OSError: The target cannot be finished, or failed before. It is aborted.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded_end(py, || {
            let mut work = self.lock()?;
            match work.state {
                State::Closed | State::Aborted => return Ok(()),
                State::Failed => {
                    work.state = State::Aborted;
                    self.target.get().abort(py)?;
                    return Err(failed());
                }
                State::Open => self.check_process()?,
            }
            let finished = self.finish(py, &mut work);
            work.state = State::Closed;
            finished.inspect_err(|_| {
                work.state = State::Aborted;
                // The first error counts.
                let _ = self.target.get().abort(py);
            })
        })
    }

    /// Abort the target: a file at a path stays as it was before. Does nothing after `close`.
    ///
    /// A file that is appended to keeps all whole records. Whatever a pipe or a file object got is
    /// not taken back.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        guarded_end(py, || {
            let mut work = self.lock()?;
            let state = std::mem::replace(&mut work.state, State::Aborted);
            match state {
                State::Closed => {
                    work.state = State::Closed;
                    Ok(())
                }
                State::Aborted => Ok(()),
                State::Failed => self.target.get().abort(py),
                State::Open => self.give_up(py, &mut work),
            }
        })
    }

    /// Whether nothing more can be written.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        guarded_end(py, || Ok(matches!(self.lock()?.state, State::Closed | State::Aborted)))
    }

    /// How far the writer has come. This is cheap, and safe to ask from another thread.
    #[getter]
    fn progress(&self) -> WriterProgress {
        let Gauge { records, encoded, written, begun } = &self.gauge;
        WriterProgress {
            records: records.load(Ordering::Relaxed),
            bytes_encoded: encoded.load(Ordering::Relaxed),
            bytes_written: written.load(Ordering::Relaxed),
            elapsed: begun.elapsed().as_secs_f64(),
        }
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let _ = traceback;
        guarded_end(
            py,
            || if kind.is_none() { self.close(py) } else { noted(self.abort(py), error) },
        )
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.target)?;
        // The collector must not wait. Whoever holds the lock is working.
        let Ok(work) = self.work.try_lock() else { return Ok(()) };
        work.recorder.traverse(&visit)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let now = self.progress();
        let records = if now.records == 1 { "record" } else { "records" };
        let (count, bytes) = (grouped(now.records), grouped(now.bytes_written));
        let shown = format!("Writer({}, {count} {records}, {bytes} bytes)", self.title);
        guarded(py, || printable(py, &shown))
    }
}

impl Writer {
    /// Locks the writer, if nobody uses it.
    fn lock(&self) -> PyResult<MutexGuard<'_, Work>> {
        match self.work.try_lock() {
            Ok(work) => Ok(work),
            // A call ended for lack of memory.
            Err(TryLockError::Poisoned(work)) => {
                let mut work = work.into_inner();
                work.recorder.waiting().abandon();
                self.work.clear_poison();
                Ok(work)
            }
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this Writer is already at work: in another thread, or in code that it is calling",
            )),
        }
    }

    /// Locks the writer for writing.
    fn enter(&self) -> PyResult<MutexGuard<'_, Work>> {
        let work = self.lock()?;
        match work.state {
            State::Open => self.check_process().map(|()| work),
            State::Failed => Err(failed()),
            State::Closed => Err(PyValueError::new_err("this Writer is closed")),
            State::Aborted => Err(PyValueError::new_err("this Writer was aborted")),
        }
    }

    /// In a process that was forked off, the text that waits is a copy.
    fn check_process(&self) -> PyResult<()> {
        if self.process == process::id() {
            return Ok(());
        }
        Err(PyValueError::new_err(Over::Forked.to_string()))
    }

    /// Hands the text of whole records on. If that fails, the writer has failed.
    fn hand(&self, py: Python<'_>, text: &mut dyn Waiting, state: &mut State) -> PyResult<()> {
        if text.text().is_empty() {
            return Ok(());
        }
        *state = State::Failed;
        let counts = self.target.get().take(py, text.text())?;
        text.taken();
        *state = State::Open;
        self.gauge.bytes(counts);
        Ok(())
    }

    fn hand_on(&self, py: Python<'_>, work: &mut Work) -> PyResult<()> {
        let Work { recorder, state } = work;
        self.hand(py, recorder.waiting(), state)
    }

    /// Takes the target's numbers over.
    fn count(&self) {
        if let Some(counts) = self.target.get().counts() {
            self.gauge.bytes(counts);
        }
    }

    fn finish(&self, py: Python<'_>, work: &mut Work) -> PyResult<()> {
        work.recorder.finish()?;
        self.hand_on(py, work)?;
        self.target.get().finish(py, false)?;
        self.count();
        Ok(())
    }

    /// Aborts the target. If it keeps whole records, it gets those that wait.
    fn give_up(&self, py: Python<'_>, work: &mut Work) -> PyResult<()> {
        let target = self.target.get();
        let kept = if target.appends() && self.check_process().is_ok() {
            let kept = self.hand_on(py, work);
            work.state = State::Aborted;
            kept
        } else {
            Ok(())
        };
        let aborted = target.abort(py);
        self.count();
        kept.and(aborted)
    }

    /// For a writer that nobody has closed.
    #[cold]
    fn forgotten(&self, py: Python<'_>) {
        if self.abort(py).is_err() {
            // Nobody asks any more.
        }
        let shown = self.title.replace('\0', "?");
        let message = format!("unclosed Writer({shown}): its target was aborted");
        let warned = CString::new(message)
            .map_err(PyErr::from)
            .and_then(|message| PyErr::warn(py, &py.get_type::<PyResourceWarning>(), &message, 1));
        if let Err(error) = warned {
            error.write_unraisable(py, None);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let is_over = match self.work.try_lock() {
            Ok(work) => matches!(work.state, State::Closed | State::Aborted),
            Err(_) => false,
        };
        if is_over || self.process != process::id() {
            return;
        }
        // An interpreter that ends lets nobody attach.
        let _ = Python::try_attach(|py| {
            // This may happen while an exception is on its way.
            let before = PyErr::take(py);
            self.forgotten(py);
            if let Some(before) = before {
                before.restore(py);
            }
        });
    }
}

#[cold]
fn failed() -> PyErr {
    // Whoever catches the errors of the system has not seen the end of it.
    PyOSError::new_err(Over::Failed.to_string())
}

/// Writes one value to a target. Whoever calls it finishes the target, or aborts it.
#[pyfunction]
#[pyo3(signature = (encoder, value, target, /))]
pub(crate) fn dump(
    encoder: &Encoder,
    value: &Bound<'_, PyAny>,
    target: &TargetObject,
) -> PyResult<()> {
    let py = value.py();
    guarded(py, || {
        encoder.in_pieces(value, &mut |text| {
            py.check_signals()?;
            target.take(py, text).map(drop)
        })
    })
}

/// What `Encoder.chunks` returns.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Chunks {
    work: Mutex<Flowing>,
}

struct Flowing {
    recorder: Recorder,
    /// None at the end.
    values: Option<Py<PyIterator>>,
    /// The least that a chunk has, but for the last one.
    size: usize,
    /// An error behind records that must be returned first.
    pending: Option<Py<PyBaseException>>,
}

impl Chunks {
    pub(super) fn new(encoder: &Encoder, values: &Bound<'_, PyAny>, size: usize) -> PyResult<Self> {
        let py = values.py();
        let values = Some(iterate("chunks", values)?.unbind());
        let recorder = Recorder::new(py, encoder, None)?;
        Ok(Chunks { work: Mutex::new(Flowing { recorder, values, size, pending: None }) })
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        guarded(py, || {
            let mut work = match self.work.try_lock() {
                Ok(work) => work,
                Err(TryLockError::Poisoned(_)) => {
                    return Err(PyRuntimeError::new_err(
                        "these chunks have failed and cannot go on",
                    ));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(PyRuntimeError::new_err(
                        "these chunks are already being made: in another thread, or in code that \
                         is called for them",
                    ));
                }
            };
            work.next(py).map_err(|error| no_end(py, error, "that made the chunks"))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(work) = self.work.try_lock() else { return Ok(()) };
        visit.call(&work.values)?;
        visit.call(&work.pending)?;
        work.recorder.traverse(&visit)
    }

    fn __clear__(&self) {
        let held = self.work.try_lock().map(|mut work| (work.values.take(), work.pending.take()));
        drop(held);
    }
}

impl Flowing {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if let Some(error) = self.pending.take() {
            return Err(PyErr::from_value(error.into_bound(py).into_any()));
        }
        let Some(values) = &self.values else { return Ok(None) };
        let values = values.bind(py).clone();
        self.recorder.known.refresh(py);
        let size = self.size;
        let written = self.recorder.records(py, values, &mut |text, _| {
            if text.text().len() < size {
                return Ok(None);
            }
            take(py, text).map(Some)
        });
        let ended = match written {
            Ok(Some(chunk)) => return Ok(Some(chunk)),
            Ok(None) => self.recorder.finish(),
            Err(error) => Err(error),
        };
        drop(self.values.take());
        if let Err(error) = ended {
            if self.recorder.waiting().text().is_empty() || !error.is_instance_of::<PyException>(py)
            {
                return Err(error);
            }
            self.pending = Some(error.into_value(py));
        }
        let text = self.recorder.waiting();
        if text.text().is_empty() { Ok(None) } else { take(py, text).map(Some) }
    }
}

fn take<'py>(py: Python<'py>, text: &mut dyn Waiting) -> PyResult<Bound<'py, PyBytes>> {
    let chunk = PyBytes::new_with(py, text.text().len(), |chunk| {
        chunk.copy_from_slice(text.text());
        Ok(())
    })?;
    text.taken();
    Ok(chunk)
}
