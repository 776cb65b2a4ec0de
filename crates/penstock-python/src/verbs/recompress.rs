//! `Recompression`: the bytes of a source, compressed so that they can be read from the middle.

use crate::drive::driver::Gauge;
use crate::drive::progress::{Meter, Progress, count};
use crate::edge::errors::{self, guarded};
use crate::edge::gc_refs::Held;
use crate::edge::options;
use crate::io::sources::SourceObject;
use crate::io::targets::TargetObject;
use penstock_clock::Mono;
use penstock_core::recompress::{self, Stopped};
use penstock_core::source::{Detect, SourceError};
use penstock_core::target::Target;
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// How long it goes on before it looks for signals, in nanoseconds.
const PATIENCE: i64 = 20_000_000;

/// A recompression before it is run, while it runs, and after that.
#[pyclass(frozen, weakref, module = "penstock._rust")]
pub(crate) struct Recompression {
    /// Taken by whoever runs it.
    prepared: Mutex<Option<Box<recompress::Recompression>>>,
    target: Py<TargetObject>,
    /// The caller's source.
    held: Option<Held>,
    name: Option<String>,
    gauge: Arc<Gauge>,
    meter: Meter,
}

/// The numbers of a recompression.
///
/// Example:
///     >>> import io, penstock
///     >>> penstock.recompress(io.BytesIO(b"[1, 2]"), io.BytesIO(), to="gzip")
///     Recompressed(bytes_read=6, bytes=6, bytes_written=62)
#[pyclass(frozen, module = "penstock")]
pub(crate) struct Recompressed {
    bytes_read: u64,
    bytes: u64,
    bytes_written: u64,
}

#[pymethods]
impl Recompressed {
    /// The bytes of the source, before they were decompressed.
    #[getter]
    fn bytes_read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_read)
    }

    /// The bytes without any compression.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes)
    }

    /// The bytes of the target.
    #[getter]
    fn bytes_written<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_written)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let Recompressed { bytes_read, bytes, bytes_written } = self;
        let shown = format!(
            "Recompressed(bytes_read={bytes_read}, bytes={bytes}, bytes_written={bytes_written})"
        );
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}

#[pymethods]
impl Recompression {
    #[new]
    #[pyo3(signature = (source, target, is_table, limits, /))]
    fn new(
        py: Python<'_>,
        source: &SourceObject,
        target: &Bound<'_, TargetObject>,
        is_table: bool,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let limits = options::limits(limits)?;
            let (opened, held) = source.open(py, Detect::Nothing, &limits)?;
            let gauge: Arc<Gauge> = Arc::default();
            let meter = Meter::new(Arc::clone(&gauge), opened.total());
            let prepared = Box::new(recompress::Recompression::new(opened, is_table));
            Ok(Recompression {
                prepared: Mutex::new(Some(prepared)),
                target: target.clone().unbind(),
                held,
                name: source.name(),
                gauge,
                meter,
            })
        })
    }

    /// Recompresses.
    fn run(&self, py: Python<'_>) -> PyResult<Recompressed> {
        guarded(py, || {
            let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(mut prepared) = prepared else {
                return Err(PyRuntimeError::new_err("this Recompression was run already"));
            };
            let target = self.target.get();
            let mut open = target.lock()?;
            let done = self.advance_to_end(py, &mut prepared, target, &mut open);
            if let Err(error) = done.and_then(|()| target.work(py, &mut open, Target::finish)) {
                // The first error counts.
                let _ = target.work(py, &mut open, Target::abort);
                return Err(error);
            }
            Ok(Recompressed {
                bytes_read: prepared.source().raw_bytes(),
                bytes: open.taken(),
                bytes_written: open.given(),
            })
        })
    }

    /// How far it is. Any thread may ask.
    #[getter]
    fn progress(&self) -> Progress {
        self.meter.read()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.held.iter().try_for_each(|held| held.traverse(&visit))?;
        visit.call(&self.target)
    }

    fn __clear__(&self) {
        self.held.iter().for_each(Held::clear);
    }
}

impl Recompression {
    fn advance_to_end(
        &self,
        py: Python<'_>,
        prepared: &mut recompress::Recompression,
        target: &TargetObject,
        open: &mut Target,
    ) -> PyResult<()> {
        let name = self.name.as_deref();
        loop {
            match py.detach(|| advance(prepared, open, &self.gauge)) {
                Ok(true) => py.check_signals()?,
                Ok(false) => return Ok(()),
                Err(Stopped::Source(SourceError::Idle)) => py.check_signals()?,
                Err(Stopped::Source(SourceError::Io(error))) => {
                    return Err(errors::of_source(py, error, &errors::of_no_format(name)));
                }
                Err(Stopped::Source(SourceError::Fault(fault))) => {
                    return Err(errors::either(errors::of_bytes(py, &fault, name)));
                }
                Err(Stopped::Target(error)) => return Err(target.raised(py, error)),
            }
        }
    }
}

/// Goes on until some time has passed. False at the end.
fn advance(
    prepared: &mut recompress::Recompression,
    target: &mut Target,
    gauge: &Gauge,
) -> Result<bool, Stopped> {
    let begun = Mono::now_relaxed().as_nanos();
    loop {
        let more = prepared.step(target)?;
        gauge.bytes.store(prepared.source().raw_bytes(), Ordering::Relaxed);
        if !more || Mono::now_relaxed().as_nanos() - begun > PATIENCE {
            return Ok(more);
        }
    }
}
