//! `infer`: the dialect of a table, and what speaks for it.

use crate::drive::driver::bring;
use crate::edge::errors::{self, Named, given};
use crate::edge::modules;
use crate::edge::options;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use crate::plan::PlanRef;
use penstock_core::csv;
use penstock_core::csv::infer::{Inferred, Kind, Tried};
use penstock_core::csv::{Header, Options, Terminator};
use penstock_core::event::{Key, Row, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, Judge, LookAhead, Sink};
use penstock_core::run::{Policy, Run, Turn, Windows};
use penstock_core::unrefusing;
use penstock_scan::gathered;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::convert::Infallible;

/// A dialect, the names of its columns with the kinds of their cells, how many rows the sample has,
/// why there is a header, and what became of each dialect that was tried.
type Found<'py> =
    (Bound<'py, PyAny>, Vec<(String, &'static str)>, usize, &'static str, Vec<Outcome>);

/// A dialect that was tried: the columns and the bytes of its table, or where it fails and why.
type Outcome = (String, Option<(usize, u64)>, Option<(usize, String)>);

/// Finds the dialect of a source, for rows of a type.
#[pyfunction]
#[pyo3(signature = (dialect, source, into, limits, /))]
pub(crate) fn infer<'py>(
    py: Python<'py>,
    dialect: &Dialect,
    source: &SourceObject,
    into: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Py<PyAny>> {
    given(py, || {
        let limits = options::limits(limits)?;
        let mut asking = Asking { plan: dialect.plan(into)? };
        // A file that the caller opened stays open: nothing is held any longer than this call.
        let (opened, _held) = source.open(py, dialect.detect(), &limits)?;
        let name = source.name();
        let reader = dialect.reader(false, &limits);
        let mut run = Run::new(reader, Windows::of(opened), Policy::Raise);
        let named = Named::new(dialect.name(), name.as_deref());
        loop {
            let turn = run.advance(&mut asking);
            if let Some(inferred) = run.reader().csv().and_then(csv::Reader::inferred) {
                return found(py, inferred);
            }
            match turn {
                Ok(Turn::Dry) => {
                    let brought = bring(py, &mut run, &mut asking);
                    brought.map_err(|failure| errors::of_failure(py, failure, &named))?;
                    py.check_signals()?;
                }
                Ok(_) => {}
                Err(failure) => return Err(errors::of_failure(py, failure, &named)),
            }
        }
    })
}

fn found<'py>(py: Python<'py>, inferred: &Inferred) -> PyResult<Found<'py>> {
    let dialect = of_options(py, &inferred.options)?;
    let kind = |kind: Kind| match kind {
        Kind::Empty => "empty",
        Kind::Number => "number",
        Kind::Moment => "time",
        Kind::Text => "text",
    };
    let columns = inferred.columns.iter().map(|(name, of)| (name.clone(), kind(*of)));
    let tried = inferred.tried.iter().map(|Tried { dialect, outcome }| match outcome {
        Ok(good) => (dialect.clone(), Some(*good), None),
        Err(bad) => (dialect.clone(), None, Some((bad.at, bad.reason.clone()))),
    });
    Ok((dialect, gathered(columns), inferred.rows, inferred.header, gathered(tried)))
}

/// A `penstock.csv.Dialect`.
pub(crate) fn of_options<'py>(py: Python<'py>, options: &Options) -> PyResult<Bound<'py, PyAny>> {
    let character = |byte: Option<u8>| byte.map(|byte| char::from(byte).to_string());
    let words = PyDict::new(py);
    words.set_item("delimiter", &*options.delimiter)?;
    words.set_item("quote", character(options.quote))?;
    words.set_item("escape", character(options.escape))?;
    words.set_item("comment", options.comment.as_deref())?;
    let terminator = match &options.terminator {
        Terminator::AsFirst => None,
        Terminator::Any => Some("any"),
        Terminator::Exactly(text) => Some(&**text),
    };
    words.set_item("terminator", terminator)?;
    words.set_item("trim", options.trim)?;
    words.set_item("skip_rows", options.skip)?;
    match &options.header {
        Header::First => words.set_item("header", "first")?,
        Header::Positions => words.set_item("header", py.None())?,
        Header::InputView(names) => {
            words.set_item("header", gathered(names.iter().map(|name| name.to_string())))?;
        }
        Header::Joined(rows, _) => words.set_item("header", rows)?,
    }
    py.import(modules::DIALECT)?.getattr("Dialect")?.call((), Some(&words))
}

/// Wants nothing but to say which columns the caller's type has.
struct Asking {
    plan: PlanRef,
}

impl Sink for Asking {
    type Error = Infallible;
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Stop)
    }
    fn abandon(&mut self) {}
}

impl Hints for Asking {}

impl LookAhead for Asking {
    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        self.plan.judge()
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Infallible> {
        row.take();
        Ok(Flow::Stop)
    }
}

unrefusing!(Asking, run_dyn);
