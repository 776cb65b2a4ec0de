//! `send`: a document as messages to the caller's object.
//!
//! The handler's methods are found once ([`dispatch`]). While the document is read, the contents of
//! elements with a method are gathered ([`sink`], [`content`]), and each element is sent when it
//! closes ([`element`]). Nothing else of the document becomes a Python object. Only open elements
//! are kept, with the results of the methods inside them.

mod content;
mod destination;
mod dispatch;
mod element;
mod sink;

pub(crate) use element::{Element, Items};

use crate::drive::driver::bring;
use crate::edge::errors::{self, Named, guarded};
use crate::edge::modules;
use crate::edge::{options, repairs};
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use dispatch::{Dispatch, InputView};
use penstock_core::run::{Input, Policy, Run, Spot, Turn, Windows};
use pyo3::prelude::*;
use sink::Messages;

/// Sends the document of a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (dialect, source, claims, stop, limits, /))]
pub(crate) fn send<'py>(
    py: Python<'py>,
    dialect: &Dialect,
    source: &SourceObject,
    claims: Vec<InputView<'py>>,
    stop: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Py<PyAny>>> {
    guarded(py, || {
        let limits = options::limits(limits)?;
        let namespace = |prefix: &str| dialect.namespace(prefix);
        let plain = dialect.has_plain_names();
        let dispatch = Dispatch::new(&claims, plain, namespace, |path| dialect.check(path))?;
        let (opened, _held) = source.open(py, dialect.detect(), &limits)?;
        let name = source.name();
        let named = Named::new(dialect.name(), name.as_deref());
        let reader = dialect.reader(false, &limits);
        let mut run = Run::new(reader, Windows::of(opened), Policy::Raise).without_numbers();
        let markup = dialect.has_elements();
        let mut messages = Messages::new(dispatch, markup, stop.clone(), limits.token);
        let raised = |failure| errors::of_failure(py, failure, &named);
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
        repairs::warn(run.repairs(), py, named.source)?;
        let result = messages.finish(run.offset());
        result.map_err(|error| {
            let place = run.input().locate(messages.raised_at());
            errors::noted(py, *error, &named.at(Spot { place, ..Spot::default() }))
        })
    })
}

/// The exception for content that was too long to be kept, and that a method asks for.
#[cold]
fn lost(py: Python<'_>, reason: &str) -> PyErr {
    let work = || py.import(modules::ERRORS)?.getattr("LimitExceeded")?.call1((reason,));
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The exception for a value that no element can hold.
#[cold]
fn unfit(py: Python<'_>, got: &str) -> PyErr {
    misfit(py, &format!("expected text, a number, a truth value or null, got {got}"))
}

/// The exception for a value that cannot be given as it is asked for.
#[cold]
fn misfit(py: Python<'_>, reason: &str) -> PyErr {
    let work = || py.import(modules::ERRORS)?.getattr("ValidationError")?.call1((reason,));
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
