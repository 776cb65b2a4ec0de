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

use crate::failure::{self, guarded};
use crate::grammar::Grammar;
use crate::stream::{Broken, Stream};
use crate::{options, sources};
use dispatch::{Dispatch, Given};
use penstock_core::reader::Step;
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
        let (source, _held) =
            sources::open(source, compression, encoding, grammar.detect(), &limits)?;
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let mut stream = Stream::new(&grammar, source, &limits, name);
        let markup = grammar.is_markup();
        let mut messages = Messages::new(dispatch, markup, stop.clone(), limits.token);
        // What a method raised, with the place of the end of its element.
        let raised = |error: PyErr, stream: &Stream, messages: &Messages<'_>| {
            failure::noted(py, error, &stream.place(messages.raised_at()))
        };
        loop {
            match stream.run(py, &mut messages) {
                Ok(Step::Done | Step::Stopped) => break,
                Ok(_) => {}
                Err(Broken::Input(error)) => return Err(error),
                Err(Broken::Sink(error)) => return Err(raised(*error, &stream, &messages)),
            }
        }
        stream.repaired.warn(py, stream.name(), CALLER)?;
        let result = messages.finish(stream.offset());
        result.map_err(|error| raised(*error, &stream, &messages))
    })
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

/// The exception for a value that no element can hold.
#[cold]
fn unfit(py: Python<'_>, got: &str) -> PyErr {
    let reason = format!("expected text, a number, a truth value or null, got {got}");
    let work = || py.import("penstock._errors")?.getattr("ValidationError")?.call1((reason,));
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
