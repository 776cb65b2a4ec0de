//! `send`: a document as messages to an object of the caller's.
//!
//! The handler's methods are found once ([`dispatch`]). While the document is read, what the
//! elements with a method hold is gathered ([`sink`], [`content`]), and each is sent when it
//! closes ([`element`]). Nothing else of the document becomes a Python object, and nothing is kept
//! but what is open and what methods returned to those that are.

mod content;
mod dispatch;
mod element;
mod sink;

pub(crate) use element::{Element, Items};

use crate::failure::{self, Where, guarded};
use crate::grammar::Grammar;
use crate::repairs::Repaired;
use crate::{options, sources};
use dispatch::{Dispatch, Given};
use penstock_core::error::{Fail, Fault};
use penstock_core::reader::{Reader, Step};
use penstock_core::source::{Source, SourceError, Window};
use pyo3::prelude::*;
use pyo3::types::PyString;
use sink::Messages;

/// Who is to be warned: the caller of the public function, which calls a private one that calls.
const CALLER: i32 = 3;

/// Sends what is in a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (format, source, claims, stop, encoding, grammar, compression, limits, name, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn send<'py>(
    py: Python<'py>,
    format: &str,
    source: &Bound<'py, PyAny>,
    claims: Vec<Given<'py>>,
    stop: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    grammar: &Bound<'py, PyAny>,
    compression: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
    name: Option<&Bound<'py, PyString>>,
) -> PyResult<Option<Py<PyAny>>> {
    guarded(py, || {
        let grammar = Grammar::new(format, grammar)?;
        let compression = options::compression(options::text_or_none("compression", compression)?)?;
        let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
        let limits = options::limits(limits)?;
        let namespace = |prefix: &str| grammar.namespace(prefix);
        let dispatch = Dispatch::new(&claims, grammar.is_plain(), namespace)?;
        let (source, _held) = sources::open(source, compression, encoding, &limits)?;
        let run = Run {
            reader: grammar.reader(false, &limits),
            repaired: Repaired::default(),
            window: Window::new(),
            source,
            ended: false,
            format: grammar.format(),
            name: name.map(|name| name.to_string_lossy().into_owned()),
        };
        run.finish(
            py,
            &mut Messages::new(dispatch, grammar.is_markup(), stop.clone(), limits.token),
        )
    })
}

/// A source on its way to a handler.
struct Run {
    reader: Reader,
    /// What had to be repaired.
    repaired: Repaired,
    window: Window,
    source: Source,
    /// No more input will come.
    ended: bool,
    format: &'static str,
    name: Option<String>,
}

impl Run {
    fn finish(
        mut self,
        py: Python<'_>,
        messages: &mut Messages<'_>,
    ) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let last = self.ended && self.window.finish_fault().is_none();
            let text = self.window.text();
            let step = self.reader.run(text, last, messages);
            self.repaired.take(&mut self.reader, self.window.counter(), text.as_bytes());
            match step {
                Ok(Step::Done | Step::Stopped) => {
                    self.repaired.warn(py, self.name.as_deref(), CALLER)?;
                    let at = self.reader.offset();
                    return messages.finish(at).map_err(|error| self.raised(py, *error, messages));
                }
                Ok(Step::More | Step::Paused | Step::Turn) => {}
                Err(Fail::Input(fault)) => return Err(self.fault(py, &fault)),
                Err(Fail::Sink(error)) => return Err(self.raised(py, *error, messages)),
            }
            let done = self.reader.consumed();
            self.window.consume(done);
            self.reader.drop_front(done);
            let fault = if self.ended { self.window.finish_fault() } else { self.window.fault() };
            if let Some(fault) = fault {
                return Err(self.fault(py, &fault));
            }
            self.refill(py)?;
        }
    }

    /// Reads more of the source into the window, without the interpreter lock.
    fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        let Run { window, source, .. } = self;
        match py.detach(|| window.fill(source)) {
            Ok(true) => {
                // A byte order mark stands before the text.
                if self.reader.base() != self.window.base() {
                    self.reader.jump(self.window.base());
                }
            }
            Ok(false) => self.ended = true,
            Err(SourceError::Fault(fault)) => return Err(self.fault(py, &fault)),
            Err(SourceError::Io(error)) => {
                let end = self.window.base() + self.window.text().as_bytes().len() as u64;
                return Err(failure::of_source(py, error, &self.place(end)));
            }
        }
        py.check_signals()
    }

    #[cold]
    fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        failure::of_fault(py, fault, &self.place(fault.offset()))
    }

    /// What a method raised, with the place of the end of its element.
    #[cold]
    fn raised(&self, py: Python<'_>, error: PyErr, messages: &Messages<'_>) -> PyErr {
        failure::noted(py, error, &self.place(messages.raised_at()))
    }

    fn place(&self, offset: u64) -> Where<'_> {
        let place = Some(self.window.locate(offset));
        let source = self.name.as_deref();
        Where { format: self.format, source, place, record: None, path: Vec::new() }
    }
}

/// The exception for something that was too long to be kept, and is asked for.
#[cold]
fn lost(py: Python<'_>, reason: &str) -> PyErr {
    let work = || py.import("penstock._errors")?.getattr("LimitExceeded")?.call1((reason,));
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
