//! `send`: a document as messages to an object of the caller's.
//!
//! The handler's methods are found once ([`dispatch`]). While the document is read, what the
//! elements with a method hold is gathered ([`sink`], [`content`]), and each is sent when it
//! closes ([`element`]). Nothing else of the document becomes a Python object, and nothing is kept
//! but what is open and what methods returned to those that are.

mod content;
mod destination;
mod dispatch;
mod element;
mod sink;

pub(crate) use element::{Element, Items};

use crate::failure::{self, Named, guarded};
use crate::grammar::Grammar;
use crate::pump::bring;
use crate::{options, repairs, sources};
use dispatch::{Dispatch, Given};
use penstock_core::run::{Input, Policy, Run, Spot, Turn, Windows};
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
        let named = Named::new(grammar.format(), name.as_deref());
        let reader = grammar.reader(false, &limits);
        let mut run = Run::new(reader, Windows::of(source), Policy::Raise).without_numbers();
        let markup = grammar.is_markup();
        let mut messages = Messages::new(dispatch, markup, stop.clone(), limits.token);
        let raised = |failure| failure::of_failure(py, failure, &named);
        loop {
            match run.advance(&mut messages).map_err(raised)? {
                Turn::Dry => {
                    bring(py, &mut run, &mut messages).map_err(raised)?;
                    py.check_signals()?;
                }
                Turn::End => break,
                Turn::Paused | Turn::Problem(_) => {}
            }
        }
        repairs::warn(run.repairs(), py, named.source, CALLER)?;
        let result = messages.finish(run.offset());
        result.map_err(|error| {
            let place = run.input().locate(messages.raised_at());
            failure::noted(py, *error, &named.at(Spot { place, ..Spot::default() }))
        })
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
