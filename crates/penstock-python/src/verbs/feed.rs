//! `Decoder`: the records of chunks that the caller feeds.

use super::small_documents;
use super::unfinished;
use crate::drive::driver::{Driver, Settings, Turn};
use crate::drive::progress::{Meter, count};
use crate::edge::buffers::in_pieces;
use crate::edge::errors::guarded;
use crate::edge::gc_refs::Held;
use crate::edge::options::{self, Errors, PolicyObject};
use crate::edge::printable::printable;
use crate::edge::repairs;
use crate::io::dialect::{Choice, Dialect};
use crate::objects::{self, Pause};
use crate::plan::PlanRef;
use crate::verbs::decode;
use crate::verbs::{may_wait, unknown_keys};
use penstock_core::json::Unfinished;
use penstock_core::run::Windows;
use penstock_core::source::{Detect, Options};
use penstock_scan::make_room;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use std::mem::take;
use std::sync::{Mutex, MutexGuard};

/// Records from chunks. The public classes of the same name derive from this one.
#[pyclass(frozen, generic, subclass, module = "penstock._rust")]
pub(crate) struct Decoder {
    run: Mutex<Run>,
    meter: Meter,
    /// The text of `repr` before the numbers.
    title: String,
    /// The caller's objects that the run uses.
    held: Option<Held>,
    /// The arguments that it was made with, for pickling.
    arguments: Py<PyTuple>,
    whole: Whole,
}

/// How a whole document is decoded.
enum Whole {
    /// Without options: small documents need only the plan.
    Usual(PlanRef),
    /// With options.
    Other(PlanRef),
    /// Not at all: the decoder is for records.
    No(&'static str),
}

impl Whole {
    /// For a decoder with these settings; `other` if there are options that are not the default.
    fn new(
        py: Python<'_>,
        plan: &PlanRef,
        dialect: &Dialect,
        settings: &Settings,
        at: bool,
        other: bool,
        limit: u64,
    ) -> Self {
        if limit < u64::MAX {
            return Whole::No("decode() takes a whole document: make the Decoder without limit=");
        }
        if at {
            return Whole::No("this Decoder reads the records at a path, and decodes no document");
        }
        if !matches!(settings.errors, Errors::Raise) {
            return Whole::No("decode() raises its error: make the Decoder without errors=");
        }
        let objects::Options { duplicates, unknown, all_errors, .. } = settings.options;
        let usual =
            objects::Options { duplicates, unknown, all_errors, ..small_documents::OPTIONS }
                == small_documents::OPTIONS;
        let json = dialect.is_json() && !dialect.has_options(py);
        let plan = plan.clone_ref(py);
        if usual && json && !other { Whole::Usual(plan) } else { Whole::Other(plan) }
    }
}

struct Run {
    driver: Driver,
    /// An error behind records that must be returned first.
    pending: Option<Py<PyBaseException>>,
    /// Records that `finish` completed before it raised.
    left: Vec<Py<PyAny>>,
    /// Whether a chunk was fed.
    begun: bool,
    ended: bool,
    /// How many records are still delivered.
    allowed: u64,
    /// The text of the record that has not ended, for `peek`.
    unfinished: Option<Unfinished>,
}

impl Run {
    /// Parses until the input is used up, or until the last record that is wanted.
    fn drain(&mut self, py: Python<'_>, rows: &mut Vec<Py<PyAny>>) -> PyResult<()> {
        loop {
            match self.driver.advance(py)? {
                Turn::Row => {
                    make_room(rows, 1);
                    rows.extend(self.driver.builder_mut().take_row());
                    self.allowed -= 1;
                    if self.allowed == 0 {
                        self.driver.close();
                        return Ok(());
                    }
                }
                Turn::Dry if self.driver.holds_more() => self.driver.refill(py)?,
                Turn::Dry | Turn::End => return Ok(()),
            }
        }
    }

    /// Returns the rows. An error behind them is raised now if there are none, otherwise next time.
    fn deliver<'py>(
        &mut self,
        py: Python<'py>,
        rows: Vec<Py<PyAny>>,
        result: PyResult<()>,
    ) -> PyResult<Bound<'py, PyList>> {
        match result {
            Err(error) if rows.is_empty() || !may_wait(py, &error) => {
                self.left = rows;
                return Err(error);
            }
            Err(error) => self.pending = Some(error.into_value(py)),
            Ok(()) => {}
        }
        PyList::new(py, rows)
    }

    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        chunk: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        if let Some(error) = self.pending.take() {
            return Err(PyErr::from_value(error.into_bound(py).into_any()));
        }
        if self.ended || self.driver.is_finished() && !self.driver.is_complete() {
            return Err(PyValueError::new_err("this Decoder has ended: make a new one"));
        }
        self.begun = true;
        if self.driver.is_complete() || self.allowed == 0 {
            return Ok(PyList::empty(py));
        }
        let is_small = chunk.cast::<PyBytes>().is_ok_and(|it| it.as_bytes().len() < decode::BULK);
        let _pause = if is_small { None } else { Some(Pause::begin(py)?) };
        let mut rows = Vec::new();
        let mut taken = false;
        let result = in_pieces(chunk, |piece| {
            if self.allowed == 0 {
                return Ok(());
            }
            taken = true;
            if let Some(unfinished) = &mut self.unfinished {
                unfinished.push(piece);
            }
            self.driver.push(py, piece)?;
            self.drain(py, &mut rows)
        });
        if taken && result.is_err() {
            // The rest of the chunk is lost, so no later chunk may be joined to what was read.
            self.driver.finish();
        }
        self.deliver(py, rows, result)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(error) = self.pending.take() {
            return Err(PyErr::from_value(error.into_bound(py).into_any()));
        }
        self.begun = true;
        let mut rows = take(&mut self.left);
        let is_over = self.driver.is_finished() || self.allowed == 0;
        if std::mem::replace(&mut self.ended, true) || is_over {
            return PyList::new(py, rows);
        }
        let result = self.driver.push_end(py).and_then(|()| self.drain(py, &mut rows));
        if let Err(error) = result {
            // The caller may not call again, so the error does not wait; the rows do.
            self.left = rows;
            return Err(error);
        }
        PyList::new(py, rows)
    }
}

impl Decoder {
    fn enter(&self) -> PyResult<MutexGuard<'_, Run>> {
        match self.run.try_lock() {
            Ok(run) => Ok(run),
            Err(std::sync::TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this Decoder is already at work: in another thread, or in code that it is calling",
            )),
            Err(std::sync::TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("this Decoder has failed and cannot go on"))
            }
        }
    }
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (dialect, r#type, at, policy, encoding, limits, compression, partial = None, /))]
    #[expect(clippy::too_many_arguments, reason = "what is decoded, as what, and how")]
    fn new(
        py: Python<'_>,
        dialect: &Bound<'_, Dialect>,
        r#type: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        policy: &Bound<'_, PolicyObject>,
        encoding: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        compression: Option<&Bound<'_, PyAny>>,
        partial: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let arguments = PyTuple::new(
                py,
                [
                    dialect.as_any().clone(),
                    r#type.clone(),
                    at.into_pyobject(py)?,
                    policy.as_any().clone(),
                    encoding.into_pyobject(py)?,
                    limits.into_pyobject(py)?,
                    compression.into_pyobject(py)?,
                    match partial {
                        Some(partial) => partial.clone(),
                        None => PyBool::new(py, false).to_owned().into_any(),
                    },
                ],
            )?;
            let unfinished = match partial {
                Some(partial) => unfinished::strings(partial)?.map(Unfinished::of_records),
                None => None,
            };
            if unfinished.is_some() && at.is_some() {
                let message = "partial is for a document, and for the elements of an array at its root: leave out at";
                return Err(PyValueError::new_err(message));
            }
            let (dialect, policy) = (dialect.get(), policy.get());
            let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
            if encoding.is_some_and(|it| !it.is_utf8()) && dialect.detect() == Detect::Nothing {
                let message = "a Decoder is fed UTF-8; for another encoding use read()";
                return Err(PyValueError::new_err(message));
            }
            let Choice { plan, records, condition, title, sought } = dialect.choose(r#type, at)?;
            let title = format!("{} -> {title}", dialect.name());
            let other = encoding.is_some() || limits.is_some();
            let limits = options::limits(limits)?;
            let mut settings = Settings::new(py, policy, (records, sought), limits, None, false)?;
            settings.condition = condition;
            let held = settings.errors.held();
            let allowed = policy.limit;
            let whole = Whole::new(py, &plan, dialect, &settings, at.is_some(), other, allowed);
            let compression =
                options::compression(options::text_or_none("compression", compression)?)?;
            let (detect, limits) = (dialect.detect(), &settings.limits);
            let how = Options { compression, encoding, detect, limits, total_hint: None };
            let input = Windows::unpacked(how);
            let driver = Driver::new(dialect, plan, settings, input);
            let meter = Meter::new(driver.gauge().clone(), None);
            let (begun, ended) = (false, false);
            let left = Vec::new();
            let run = Run { driver, pending: None, left, begun, ended, allowed, unfinished };
            let arguments = arguments.unbind();
            Ok(Decoder { run: Mutex::new(run), meter, title, held, arguments, whole })
        })
    }

    /// Takes a chunk, and returns the records that it completes.
    #[pyo3(signature = (chunk, /))]
    fn feed<'py>(
        &self,
        py: Python<'py>,
        chunk: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || self.enter()?.feed(py, chunk))
    }

    /// Ends the input, and returns the records that this completes.
    ///
    /// If it raises, a second call returns the records that were completed before the error.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || self.enter()?.finish(py))
    }

    /// Ends the input because its source failed, and raises what a reader of that source raises.
    #[pyo3(name = "_fail", signature = (error, /))]
    fn fail(&self, py: Python<'_>, error: &Bound<'_, PyBaseException>) -> PyResult<()> {
        guarded(py, || {
            let mut run = self.enter()?;
            run.ended = true;
            run.driver.fail(py, PyErr::from_value(error.as_any().clone()))
        })
    }

    /// Decode one whole document, whatever was fed before.
    #[pyo3(signature = (data, /))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let plan = match &self.whole {
                Whole::Usual(plan) => {
                    if let Some(made) = small_documents::decode_with(data, plan)? {
                        return Ok(made);
                    }
                    plan
                }
                Whole::Other(plan) => plan,
                Whole::No(why) => return Err(PyValueError::new_err(*why)),
            };
            decode::decode_by(py, self.arguments.bind(py), plan, data)
        })
    }

    /// The record that has not ended, as a text that ends. None if nothing of it has come.
    #[pyo3(name = "_unfinished")]
    fn unfinished<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let run = self.enter()?;
        guarded(py, || match &run.unfinished {
            // Nothing behind the last record is looked at.
            Some(_) if run.allowed == 0 => Ok(None),
            Some(unfinished) => Ok(unfinished.completed().map(|text| PyBytes::new(py, &text))),
            None => Err(PyValueError::new_err(
                "this Decoder keeps no text to look at: make it with partial=True, or with \
                 partial='trailing-strings' for strings that have not ended",
            )),
        })
    }

    /// Decode a text into another type than this decoder's, with its options.
    #[pyo3(name = "_decode_as", signature = (data, r#type, /))]
    fn decode_as<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        r#type: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let arguments = self.arguments.bind(py);
            let plan = arguments.get_item(0)?.cast::<Dialect>()?.get().plan(r#type)?;
            decode::decode_by(py, arguments, &plan, data)
        })
    }

    /// How many records a condition has left out.
    #[getter]
    fn filtered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.meter.filtered())
    }

    /// How many bad records were left out.
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.meter.skipped())
    }

    /// With `unknown="collect"`, how often each key occurred that no class names.
    #[getter]
    fn unknown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || unknown_keys(py, self.enter()?.driver.builder()))
    }

    /// The repairs with their positions; the first thousand of them.
    #[getter]
    fn repairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || repairs::list(self.enter()?.driver.repairs(), py, None))
    }

    /// How many repairs of each kind there were.
    #[getter]
    fn repair_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || repairs::counts(self.enter()?.driver.repairs(), py))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let shown = format!("Decoder({}, {})", self.title, self.meter);
        guarded(py, || printable(py, &shown))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.arguments)?;
        if let Whole::Usual(plan) | Whole::Other(plan) = &self.whole {
            plan.traverse(&visit)?;
        }
        self.held.iter().try_for_each(|held| held.traverse(&visit))?;
        // The collector must not wait. A run that goes on is held by somebody.
        let Ok(run) = self.run.try_lock() else { return Ok(()) };
        visit.call(&run.pending)?;
        run.left.iter().try_for_each(|row| visit.call(row))?;
        run.driver.traverse(&visit)
    }

    fn __clear__(&self) {
        self.held.iter().for_each(Held::clear);
        let left = self.run.try_lock().map(|mut run| (take(&mut run.left), run.pending.take()));
        drop(left);
    }

    /// A decoder that was not fed yet can be pickled.
    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, decoder) = (this.py(), this.get());
        guarded(py, || {
            if decoder.enter()?.begun {
                return Err(PyTypeError::new_err("a Decoder that was fed cannot be pickled"));
            }
            Ok((py.get_type::<Decoder>().into_any(), decoder.arguments.bind(py).clone()))
        })
    }
}
