//! `Decoder`: the records of chunks that the caller feeds.

use crate::failure::guarded;
use crate::objects::{Options, Pause};
use crate::options::{self, Errors};
use crate::plan::plan_from;
use crate::pump::{Gauge, Pump, Settings, Turn};
use crate::reader::{records, unknown_keys};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyString, PyTuple};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

/// How much of a fed chunk is worked on at a time.
const PIECE: usize = 1 << 20;

/// Records out of chunks. The public classes of the same name stand on this one.
#[pyclass(frozen, generic, subclass, module = "penstock._rust")]
pub(crate) struct Decoder {
    run: Mutex<Run>,
    gauge: Arc<Gauge>,
    /// What it was made with, to be made again elsewhere.
    arguments: Py<PyTuple>,
}

struct Run {
    pump: Pump,
    /// An error that came behind records which had to be delivered first.
    pending: Option<PyErr>,
    /// Records that `finish` completed before it raised.
    left: Vec<Py<PyAny>>,
    /// Whether a chunk was fed.
    begun: bool,
    ended: bool,
}

impl Run {
    /// Reads on until the input at hand is used up.
    fn drain(&mut self, py: Python<'_>, rows: &mut Vec<Py<PyAny>>) -> PyResult<()> {
        loop {
            match self.pump.advance(py)? {
                Turn::Row => rows.extend(self.pump.builder_mut().take_row()),
                Turn::Dry | Turn::End => return Ok(()),
            }
        }
    }

    /// The rows there are; the error behind them only if there are none, otherwise next time.
    fn deliver<'py>(
        &mut self,
        py: Python<'py>,
        rows: Vec<Py<PyAny>>,
        result: PyResult<()>,
    ) -> PyResult<Bound<'py, PyList>> {
        match result {
            Err(error) if rows.is_empty() => return Err(error),
            Err(error) => self.pending = Some(error),
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
            return Err(error);
        }
        if self.ended || self.pump.is_finished() {
            return Err(PyValueError::new_err("this Decoder has ended: make a new one"));
        }
        self.begun = true;
        let _pause = Pause::begin(py)?;
        let mut rows = Vec::new();
        let result = in_pieces(chunk, |piece| {
            self.pump.push(py, piece)?;
            self.drain(py, &mut rows)
        });
        self.deliver(py, rows, result)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        self.begun = true;
        let mut rows = std::mem::take(&mut self.left);
        if self.ended || self.pump.is_finished() {
            return PyList::new(py, rows);
        }
        self.ended = true;
        let _pause = Pause::begin(py)?;
        let result = self.pump.push_end(py).and_then(|()| self.drain(py, &mut rows));
        if let Err(error) = result {
            // No call need follow this one, so the error does not wait; the rows do.
            self.left = rows;
            return Err(error);
        }
        PyList::new(py, rows)
    }
}

/// Gives the bytes of a bytes-like object piece by piece. Only `bytes` are borrowed; whatever may
/// change meanwhile is copied.
pub(crate) fn in_pieces(
    chunk: &Bound<'_, PyAny>,
    mut work: impl FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(bytes) = chunk.cast::<PyBytes>() {
        return bytes.as_bytes().chunks(PIECE).try_for_each(work);
    }
    let view = match PyMemoryView::from(chunk) {
        Ok(view) if !chunk.is_instance_of::<PyString>() => view,
        _ => {
            let kind = chunk.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a bytes-like object, got {kind}")));
        }
    };
    let view = view.call_method1("cast", ("B",))?;
    let length = view.len()?;
    for from in (0..length).step_by(PIECE) {
        let to = length.min(from + PIECE);
        let piece =
            view.get_item(pyo3::types::PySlice::new(chunk.py(), from as isize, to as isize, 1))?;
        let piece = piece.call_method0("tobytes")?;
        work(piece.cast::<PyBytes>()?.as_bytes())?;
    }
    Ok(())
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
    #[pyo3(signature = (format, r#type, at, errors, max_errors, duplicates, unknown, encoding, framing, limits, /))]
    #[expect(clippy::too_many_arguments, reason = "the public classes give them all, by position")]
    fn new(
        py: Python<'_>,
        format: &str,
        r#type: &Bound<'_, PyAny>,
        at: Option<&str>,
        errors: &Bound<'_, PyAny>,
        max_errors: usize,
        duplicates: &str,
        unknown: &str,
        encoding: Option<&str>,
        framing: &str,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let arguments = PyTuple::new(
                py,
                [
                    format.into_pyobject(py)?.into_any(),
                    r#type.clone(),
                    at.into_pyobject(py)?,
                    errors.clone(),
                    max_errors.into_pyobject(py)?.into_any(),
                    duplicates.into_pyobject(py)?.into_any(),
                    unknown.into_pyobject(py)?.into_any(),
                    encoding.into_pyobject(py)?,
                    framing.into_pyobject(py)?.into_any(),
                    limits.into_pyobject(py)?,
                ],
            )?;
            if options::encoding(encoding)?.is_some_and(|encoding| !encoding.is_utf8()) {
                let message = "a Decoder is fed UTF-8; for another encoding use read()";
                return Err(PyValueError::new_err(message));
            }
            let framing = options::framing(framing)?;
            let settings = Settings {
                format: options::format(format)?,
                framing,
                records: records(at, framing)?,
                options: Options {
                    duplicates: options::duplicates(duplicates)?,
                    unknown: options::unknown(unknown)?,
                    pause: true,
                    recycle: false,
                },
                errors: Errors::new(errors)?,
                max_errors: max_errors.max(1),
                limits: options::limits(limits)?,
                name: None,
            };
            let pump = Pump::new(plan_from(py, r#type)?, settings);
            let gauge = pump.gauge().clone();
            let run = Run { pump, pending: None, left: Vec::new(), begun: false, ended: false };
            Ok(Decoder { run: Mutex::new(run), gauge, arguments: arguments.unbind() })
        })
    }

    /// Takes in a chunk, and returns the records that it completes.
    #[pyo3(signature = (chunk, /))]
    fn feed<'py>(
        &self,
        py: Python<'py>,
        chunk: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || self.enter()?.feed(py, chunk))
    }

    /// Says that no chunk follows, and returns the records that this completes.
    ///
    /// If it raises, records that were completed before the fault are returned by a second call.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || self.enter()?.finish(py))
    }

    /// How many records were in error and passed over.
    #[getter]
    fn skipped(&self) -> u64 {
        self.gauge.skipped.load(Ordering::Relaxed)
    }

    /// With `unknown="collect"`: the keys that no class named, with how often each was met.
    #[getter]
    fn unknown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        unknown_keys(py, self.enter()?.pump.builder())
    }

    /// A decoder that was not fed yet can be pickled.
    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let decoder = this.get();
        if decoder.enter()?.begun {
            return Err(PyTypeError::new_err("a Decoder that was fed cannot be pickled"));
        }
        let py = this.py();
        Ok((py.get_type::<Decoder>().into_any(), decoder.arguments.bind(py).clone()))
    }
}
