//! `events`: XML as kinds, values and offsets, for tools.
//!
//! Events are made in batches and returned one by one, so that the reader runs at its own speed
//! between two batches. At most a batch, the names of the open elements and a piece of text are
//! kept.

use crate::drive::driver::bring;
use crate::edge::errors::{self, Named, guarded, guarded_end};
use crate::edge::gc_refs::Held;
use crate::edge::modules;
use crate::edge::printable::printable;
use crate::edge::{options, repairs};
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use penstock_core::error::Fail;
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::formats::Reader;
use penstock_core::protocol::{
    Destination, Flow, FormatReader, Hints, InputView, LookAhead, Refused, Sink, Step,
};
use penstock_core::run::{Failed, Failure, Policy, Run as RunOf, Turn, Windows};
use penstock_scan::make_room;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

/// How many events are made before they are returned.
const BATCH: usize = 256;

/// The most bytes of text, as UTF-8, in one event. The public documentation gives this number.
const TEXT: usize = 64 << 10;

/// The size of the cache of names, which goes by their hash.
const NAMES: usize = 512;

/// Longer names, and URIs, are not cached.
const LONGEST: usize = 256;

/// The events of a document as an iterator. `penstock.xml.events` creates it.
///
/// It is also a context manager. If it opened the file, it closes the file after the last event, on
/// `close()` and when it is dropped.
///
/// Example:
///     >>> import io, penstock
///     >>> with penstock.xml.events(io.BytesIO(b"<a>x</a>")) as events:
///     ...     next(events)
///     ('start', 'a', 0)
#[pyclass(frozen, module = "penstock.xml")]
pub(crate) struct Events {
    run: Mutex<Run>,
    /// The caller's file.
    held: Option<Held>,
    /// The text of `repr`.
    title: String,
}

/// The part that only one caller at a time may touch.
struct Run {
    run: RunOf<Reader, Windows, PyErr>,
    told: Told,
    name: Option<String>,
    /// An error behind events that must be returned first.
    pending: Option<Py<PyBaseException>>,
    /// Why there are no more events, if that is not the end.
    closed: Option<Box<str>>,
}

impl Run {
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyTuple>>> {
        loop {
            if let Some(event) = self.told.queue.pop_front() {
                return Ok(Some(event));
            }
            if let Some(error) = self.pending.take() {
                return Err(PyErr::from_value(error.into_bound(py).into_any()));
            }
            if let Some(why) = &self.closed {
                return Err(PyValueError::new_err(why.to_string()));
            }
            let Run { run, told, .. } = self;
            match advance(py, run, &mut Teller { py, told }) {
                Ok(Turn::End) if self.told.queue.is_empty() => {
                    self.finish();
                    return Ok(None);
                }
                Ok(_) => {}
                Err(Ok(failure)) => {
                    let error = self.raised(py, failure);
                    if !errors::is_of_input(py, &error) {
                        let name = error.get_type(py).name()?;
                        let why = format!("these Events were broken off by {name}: make new ones");
                        self.closed = Some(why.into());
                    }
                    self.pending = Some(error.into_value(py));
                    self.finish();
                }
                // It came between two pieces of the source, so the next call goes on.
                Err(Err(interrupt)) => self.pending = Some(interrupt.into_value(py)),
            }
        }
    }

    /// Closes the source.
    fn finish(&mut self) {
        self.run.finish();
        self.run.input_mut().close();
    }

    #[cold]
    fn raised(&self, py: Python<'_>, failure: Failed<PyErr, PyErr>) -> PyErr {
        match *failure {
            // An event could not be made, and none of the caller's code was involved.
            Failure::Broken(error, _) => error,
            other => {
                let named = Named::new("xml", self.name.as_deref());
                errors::of_failure(py, Box::new(other), &named)
            }
        }
    }
}

/// Parses until there are events or the end. Otherwise returns the failure, or raises an interrupt.
fn advance(
    py: Python<'_>,
    run: &mut RunOf<Reader, Windows, PyErr>,
    teller: &mut Teller<'_, '_>,
) -> Result<Turn<PyErr>, Result<Failed<PyErr, PyErr>, PyErr>> {
    loop {
        match run.advance(teller).map_err(Ok)? {
            Turn::Dry => {
                bring(py, run, teller).map_err(Ok)?;
                py.check_signals().map_err(Err)?;
            }
            turn => return Ok(turn),
        }
    }
}

impl Events {
    fn enter(&self) -> PyResult<MutexGuard<'_, Run>> {
        match self.run.try_lock() {
            Ok(run) => Ok(run),
            Err(std::sync::TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "these Events are already at work: in another thread, or in code that they call",
            )),
            Err(std::sync::TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("these Events have failed and cannot go on"))
            }
        }
    }
}

#[pymethods]
impl Events {
    #[new]
    #[pyo3(signature = (dialect, source, limits, /))]
    fn new(
        py: Python<'_>,
        dialect: &Dialect,
        source: &SourceObject,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let limits = options::limits(limits)?;
            let (opened, held) = source.open(py, dialect.detect(), &limits)?;
            let name = source.name();
            let title = name.clone().unwrap_or_else(|| format!("{} stream", dialect.shown()));
            let reader = dialect.reader(false, &limits);
            let run = RunOf::new(reader, Windows::of(opened), Policy::Raise).without_numbers();
            let told = Told::new(py);
            let run = Run { run, told, name, pending: None, closed: None };
            Ok(Events { run: Mutex::new(run), held, title })
        })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyTuple>>> {
        guarded(py, || self.enter()?.next(py))
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
        let _ = (kind, error, traceback);
        self.close(py)
    }

    /// Ends the reading. If the iterator opened the file, this closes it. Closing again does
    /// nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded_end(py, || {
            let mut run = self.enter()?;
            run.finish();
            run.closed = Some("these Events are closed".into());
            run.pending = None;
            run.told.queue.clear();
            Ok(())
        })
    }

    /// The repairs with their positions; the first thousand of them.
    #[getter]
    fn repairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || {
            let run = self.enter()?;
            repairs::list(run.run.repairs(), py, run.name.as_deref())
        })
    }

    /// How many repairs of each kind there were.
    #[getter]
    fn repair_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || repairs::counts(self.enter()?.run.repairs(), py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.held.iter().try_for_each(|held| held.traverse(&visit))?;
        let Ok(run) = self.run.try_lock() else { return Ok(()) };
        visit.call(&run.pending)
    }

    fn __clear__(&self) {
        self.held.iter().for_each(Held::clear);
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let shown = format!("Events({})", self.title);
        guarded(py, || printable(py, &shown))
    }
}

/// The kinds of events.
#[derive(Clone, Copy)]
enum Sort {
    Start,
    Attribute,
    Text,
    End,
    Comment,
    Instruction,
}

/// The words for the kinds, in the same order.
const WORDS: [&str; 6] = ["start", "attribute", "text", "end", "comment", "instruction"];

/// Events that are not yet returned, and the state for the next ones.
struct Told {
    queue: VecDeque<Py<PyTuple>>,
    words: [Py<PyString>; WORDS.len()],
    /// The names of the open elements.
    open: Vec<Py<PyString>>,
    /// The attribute whose value comes next.
    attribute: Option<(Py<PyString>, u64)>,
    /// The part of a run of text that has not become events, and where it begins.
    text: String,
    text_at: u64,
    names: Names,
}

impl Told {
    fn new(py: Python<'_>) -> Self {
        Told {
            queue: VecDeque::with_capacity(BATCH + 4),
            words: WORDS.map(|word| PyString::intern(py, word).unbind()),
            open: Vec::new(),
            attribute: None,
            text: String::new(),
            text_at: 0,
            names: Names::default(),
        }
    }
}

/// The sink while the reader runs.
struct Teller<'a, 'py> {
    py: Python<'py>,
    told: &'a mut Told,
}

type Answer = PyResult<Flow>;

impl<'py> Teller<'_, 'py> {
    /// Adds an event.
    fn tell(&mut self, sort: Sort, value: Bound<'py, PyAny>, at: u64) -> PyResult<()> {
        let word = self.told.words[sort as usize].bind(self.py).clone().into_any();
        let at = at.into_pyobject(self.py)?.into_any();
        self.told.queue.push_back(PyTuple::new(self.py, [word, value, at])?.unbind());
        Ok(())
    }

    /// Pauses when a batch is complete.
    fn answer(&self) -> Flow {
        if self.told.queue.len() < BATCH { Flow::Take } else { Flow::Pause }
    }

    /// Makes an event of the gathered text.
    fn end_text(&mut self) -> PyResult<()> {
        if self.told.text.is_empty() {
            return Ok(());
        }
        let text = PyString::new(self.py, &self.told.text);
        self.told.text.clear();
        self.tell(Sort::Text, text.into_any(), self.told.text_at)
    }
}

impl Sink for Teller<'_, '_> {
    type Error = PyErr;

    fn begin_map(&mut self, _at: u64) -> Answer {
        Ok(self.answer())
    }

    fn end_map(&mut self, at: u64) -> Answer {
        self.end_text()?;
        if let Some(name) = self.told.open.pop() {
            self.tell(Sort::End, name.into_bound(self.py).into_any(), at)?;
        }
        Ok(self.answer())
    }

    fn begin_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }

    fn end_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }

    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        let name = self.told.names.get(self.py, &key);
        if key.kind == KeyKind::Attribute {
            self.told.attribute = Some((name.unbind(), at));
            return Ok(Flow::Take);
        }
        self.end_text()?;
        make_room(&mut self.told.open, 1);
        self.told.open.push(name.clone().unbind());
        self.tell(Sort::Start, name.into_any(), at)?;
        Ok(Flow::Take)
    }

    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        match (value, self.told.attribute.take()) {
            (Scalar::Untyped(text), Some((name, at))) => {
                let value = PyString::new(self.py, text.text.as_str());
                let pair = PyTuple::new(self.py, [name.into_bound(self.py), value])?;
                self.tell(Sort::Attribute, pair.into_any(), at)?;
                Ok(self.answer())
            }
            (value, _) => Err(foreign(self.py, &value, at)),
        }
    }

    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        if self.told.text.is_empty() {
            self.told.text_at = at;
        }
        let text = text.text.as_str();
        make_room(&mut self.told.text, text.len());
        self.told.text.push_str(text);
        // Where a run is split depends on the text only.
        while self.told.text.len() > TEXT {
            let boundary = |at: &usize| self.told.text.is_char_boundary(*at);
            let end = (0..=TEXT).rev().find(boundary).unwrap_or(0);
            let part = PyString::new(self.py, &self.told.text[..end]);
            self.told.text.drain(..end);
            self.tell(Sort::Text, part.into_any(), self.told.text_at)?;
        }
        Ok(self.answer())
    }

    fn abandon(&mut self) {}

    fn comment(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.end_text()?;
        let text = PyString::new(self.py, text.text.as_str());
        self.tell(Sort::Comment, text.into_any(), at)?;
        Ok(self.answer())
    }

    fn instruction(&mut self, target: Text<'_>, data: Text<'_>, at: u64) -> Answer {
        self.end_text()?;
        let parts = [target, data].map(|part| PyString::new(self.py, part.text.as_str()));
        let pair = PyTuple::new(self.py, parts)?;
        self.tell(Sort::Instruction, pair.into_any(), at)?;
        Ok(self.answer())
    }
}

impl Hints for Teller<'_, '_> {
    fn extras(&self) -> bool {
        true
    }
}

impl LookAhead for Teller<'_, '_> {}

/// The exception for a value that cannot be an attribute's.
#[cold]
fn foreign(py: Python<'_>, value: &Scalar<'_>, at: u64) -> PyErr {
    let reason = format!("expected the text of an attribute, got {} (byte {at})", value.called());
    let work = || py.import(modules::ERRORS)?.getattr("ValidationError")?.call1((reason,));
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

impl Destination for Teller<'_, '_> {
    type Error = PyErr;
    type Cause = PyErr;
    type Break = PyErr;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<PyErr>> {
        reader.run_dyn(given, self)
    }
    fn refused(&mut self, error: PyErr, _given: InputView<'_>) -> Refused<PyErr, PyErr> {
        Refused::Break(error)
    }
    fn abandon_record(&mut self) {}
}

/// A cache of names as strings, `{uri}local` or `local`, because most names repeat. A new one
/// replaces the old one.
#[derive(Default)]
struct Names {
    entries: Vec<Option<Name>>,
}

struct Name {
    uri: Box<str>,
    local: Box<str>,
    written: Py<PyString>,
}

impl Names {
    fn get<'py>(&mut self, py: Python<'py>, key: &Key<'_>) -> Bound<'py, PyString> {
        let local = key.name.text.as_str();
        let uri = key.namespace.map_or("", |uri| uri.text.as_str());
        if local.len() > LONGEST || uri.len() > LONGEST {
            return written(py, uri, local);
        }
        let lacking = NAMES.saturating_sub(self.entries.len());
        make_room(&mut self.entries, lacking);
        self.entries.resize_with(NAMES, || None);
        let entry = &mut self.entries[place(uri, local)];
        match entry {
            Some(name) if *name.local == *local && *name.uri == *uri => {
                name.written.bind(py).clone()
            }
            _ => {
                let written = written(py, uri, local);
                let (uri, local) = (uri.into(), local.into());
                *entry = Some(Name { uri, local, written: written.clone().unbind() });
                written
            }
        }
    }
}

/// The place of a name in the cache, by its letters and the length of the URI.
fn place(uri: &str, local: &str) -> usize {
    let hash = local.bytes().fold(uri.len() as u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 32) as usize % NAMES
}

/// A name as events show it.
fn written<'py>(py: Python<'py>, uri: &str, local: &str) -> Bound<'py, PyString> {
    if uri.is_empty() {
        PyString::new(py, local)
    } else {
        PyString::new(py, &format!("{{{uri}}}{local}"))
    }
}
