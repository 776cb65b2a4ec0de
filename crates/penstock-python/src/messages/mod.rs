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
use crate::{options, sources};
use dispatch::{Dispatch, Given};
use penstock_core::error::{Fail, Fault};
use penstock_core::reader::{Reader, Step};
use penstock_core::source::{Source, SourceError, Window};
use penstock_core::xml::{RepairKind, Unresolved};
use penstock_core::{json, xml};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use sink::Messages;
use std::collections::HashMap;

/// Sends what is in a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (format, source, claims, stop, encoding, framing, compression, limits, name, markup, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn send<'py>(
    py: Python<'py>,
    format: &str,
    source: &Bound<'py, PyAny>,
    claims: Vec<Given<'py>>,
    stop: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    framing: &Bound<'py, PyAny>,
    compression: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
    name: Option<&Bound<'py, PyString>>,
    markup: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<Bound<'py, PyAny>>)>,
) -> PyResult<Option<Py<PyAny>>> {
    guarded(py, || {
        let format = if format == "xml" { "xml" } else { options::format(format)? };
        let framing = options::framing(options::text("framing", framing)?)?;
        let compression = options::compression(options::text_or_none("compression", compression)?)?;
        let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
        let limits = options::limits(limits)?;
        let markup = markup.map(|(namespaces, unresolved, repairs)| {
            Markup::new(&namespaces, &unresolved, &repairs)
        });
        let markup = markup.transpose()?;
        let uri = |prefix: &str| markup.as_ref()?.bound.get(prefix).map(String::as_str);
        let plain = markup.as_ref().is_none_or(|markup| !markup.options.namespaces);
        let dispatch = Dispatch::new(&claims, plain, uri)?;
        let (source, _held) = sources::open(source, compression, encoding, &limits)?;
        let run = Run {
            reader: match &markup {
                Some(markup) => Reader::Xml(Box::new(xml::Reader::new(markup.options, &limits))),
                None => Reader::Json(json::Reader::new(framing, &limits)),
            },
            window: Window::new(),
            source,
            ended: false,
            format,
            name: name.map(|name| name.to_string_lossy().into_owned()),
        };
        run.finish(py, &mut Messages::new(dispatch, markup.is_some(), stop.clone(), limits.token))
    })
}

/// How XML is to be read.
struct Markup {
    options: xml::Options,
    /// The namespaces of the prefixes of paths.
    bound: HashMap<String, String>,
}

impl Markup {
    /// From None, False or a mapping; a word; a list of words.
    fn new(
        namespaces: &Bound<'_, PyAny>,
        unresolved: &Bound<'_, PyAny>,
        repairs: &[Bound<'_, PyAny>],
    ) -> PyResult<Self> {
        let mut options = xml::Options {
            unresolved: match options::text("unresolved", unresolved)? {
                "error" => Unresolved::Error,
                "text" => Unresolved::Text,
                word => {
                    let message = format!("unresolved must be 'error' or 'text', not {word:?}");
                    return Err(PyValueError::new_err(message));
                }
            },
            ..xml::Options::default()
        };
        for repair in repairs {
            let word = options::text("repair", repair)?;
            let named = |kind: &&RepairKind| word == "all" || word == kind.name();
            let asked: Vec<_> = RepairKind::ALL.iter().filter(named).collect();
            if asked.is_empty() {
                let names = RepairKind::ALL.map(RepairKind::name).join(", ");
                let message = format!("repair must be 'all' or some of {names}, not {word:?}");
                return Err(PyValueError::new_err(message));
            }
            options.repairs = asked.into_iter().fold(options.repairs, |all, kind| all.with(*kind));
        }
        let mut bound = HashMap::new();
        if namespaces.is(PyBool::new(namespaces.py(), false)) {
            options.namespaces = false;
        } else if !namespaces.is_none() {
            bound = namespaces.extract()?;
        }
        Ok(Markup { options, bound })
    }
}

/// A source on its way to a handler.
struct Run {
    reader: Reader,
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
            match self.reader.run(self.window.text(), last, messages) {
                Ok(Step::Done | Step::Stopped) => {
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
