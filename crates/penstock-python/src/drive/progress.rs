//! The progress of a run.

use super::driver::Gauge;
use super::timing::Timing;
use crate::edge::errors::guarded;
use penstock_clock::Mono;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far a `Reader` has come, at one moment.
///
/// Example:
///     >>> import io, penstock
///     >>> reader = penstock.json.read(io.BytesIO(b"[2, 3, 5]"), int)
///     >>> next(reader)
///     2
///     >>> progress = reader.progress
///     >>> progress.records, progress.bytes_read, progress.bytes_total
///     (1, 9, None)
#[pyclass(frozen, module = "penstock")]
pub(crate) struct Progress {
    bytes_read: u64,
    bytes_total: Option<u64>,
    records: u64,
    elapsed: f64,
}

#[pymethods]
impl Progress {
    /// Bytes read from the source, before decompression.
    #[getter]
    fn bytes_read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_read)
    }

    /// Bytes of the source, before decompression; None if unknown.
    #[getter]
    fn bytes_total<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyInt>>> {
        self.bytes_total.map(|total| count(py, total)).transpose()
    }

    /// The number of records that the reader has returned.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.records)
    }

    /// Seconds since the reader was created.
    #[getter]
    fn elapsed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFloat>> {
        guarded(py, || Ok(PyFloat::new(py, self.elapsed)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let Progress { bytes_read, records, elapsed, .. } = self;
        let total = self.bytes_total.map_or_else(|| "None".to_owned(), |total| total.to_string());
        let shown = format!(
            "Progress(bytes_read={bytes_read}, bytes_total={total}, records={records}, \
             elapsed={elapsed:.3})"
        );
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}

/// How far a `Writer` has come, at one moment.
///
/// Example:
///     >>> import io, penstock
///     >>> with penstock.ndjson.write(io.BytesIO(), compression="gzip") as writer:
///     ...     writer.write_all(range(1000))
///     ...     writer.flush()
///     ...     progress = writer.progress
///     >>> progress.records, progress.bytes_encoded, progress.bytes_written < 3890
///     (1000, 3890, True)
#[pyclass(frozen, module = "penstock")]
pub(crate) struct WriterProgress {
    pub(crate) records: u64,
    pub(crate) bytes_encoded: u64,
    pub(crate) bytes_written: u64,
    pub(crate) elapsed: f64,
}

#[pymethods]
impl WriterProgress {
    /// The number of records that were written, also those whose text still waits.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.records)
    }

    /// Bytes of text that the target was handed, before compression.
    #[getter]
    fn bytes_encoded<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_encoded)
    }

    /// Bytes that the target has written, after compression.
    #[getter]
    fn bytes_written<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_written)
    }

    /// Seconds since the writer was created.
    #[getter]
    fn elapsed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFloat>> {
        guarded(py, || Ok(PyFloat::new(py, self.elapsed)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let WriterProgress { records, bytes_encoded, bytes_written, elapsed } = self;
        let shown = format!(
            "WriterProgress(records={records}, bytes_encoded={bytes_encoded}, \
             bytes_written={bytes_written}, elapsed={elapsed:.3})"
        );
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}

/// A number as a Python `int`.
pub(crate) fn count(py: Python<'_>, number: u64) -> PyResult<Bound<'_, PyInt>> {
    guarded(py, || Ok(number.into_pyobject(py)?))
}

/// Reads the gauge of a run. As text, it is the progress of that run.
pub(crate) struct Meter {
    gauge: Mutex<Arc<Gauge>>,
    /// The numbers of the sources before, if there are several.
    past: Gauge,
    total: Option<u64>,
    begun: Mono,
}

impl Meter {
    pub(crate) fn new(gauge: Arc<Gauge>, total: Option<u64>) -> Self {
        let (gauge, past) = (Mutex::new(gauge), Gauge::default());
        Meter { gauge, past, total, begun: Mono::now() }
    }

    /// Goes on with the gauge of the next source.
    pub(crate) fn follow(&self, next: &Arc<Gauge>) {
        let mut gauge = self.now();
        self.past.add(&gauge);
        *gauge = Arc::clone(next);
    }

    fn now(&self) -> MutexGuard<'_, Arc<Gauge>> {
        // Locked only for a moment, in which nothing can panic.
        self.gauge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of all sources.
    fn all(&self) -> Gauge {
        let (all, gauge) = (Gauge::default(), self.now());
        all.add(&self.past);
        all.add(&gauge);
        all
    }

    pub(crate) fn read(&self) -> Progress {
        let all = self.all();
        Progress {
            bytes_read: all.bytes.into_inner(),
            bytes_total: self.total,
            records: all.records.into_inner(),
            elapsed: self.begun.elapsed().as_secs_f64(),
        }
    }

    pub(crate) fn timing(&self) -> Timing {
        Timing::of(&self.all())
    }

    pub(crate) fn filtered(&self) -> u64 {
        self.all().filtered.into_inner()
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.all().skipped.into_inner()
    }
}

impl fmt::Display for Meter {
    /// `12,345 records, 2 skipped, 41 %`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = self.read();
        let records = if now.records == 1 { "record" } else { "records" };
        write!(f, "{} {records}", grouped(now.records))?;
        if self.skipped() > 0 {
            write!(f, ", {} skipped", grouped(self.skipped()))?;
        }
        match now.bytes_total {
            Some(total) if total > 0 => write!(f, ", {} %", now.bytes_read * 100 / total),
            _ => write!(f, ", {} bytes", grouped(now.bytes_read)),
        }
    }
}

/// A number with a comma between each three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
