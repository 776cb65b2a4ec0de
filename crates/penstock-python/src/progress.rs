//! How far a run has come.

use crate::pump::Gauge;
use pyo3::prelude::*;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

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
#[pyclass(frozen, get_all, module = "penstock")]
pub(crate) struct Progress {
    /// Bytes read from the source, before they are decompressed.
    bytes_read: u64,
    /// Bytes that the source has, before they are decompressed; None if that is not known.
    bytes_total: Option<u64>,
    /// Records delivered.
    records: u64,
    /// Seconds since the reader was made.
    elapsed: f64,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let Progress { bytes_read, records, elapsed, .. } = self;
        let total = self.bytes_total.map_or_else(|| "None".to_owned(), |total| total.to_string());
        format!(
            "Progress(bytes_read={bytes_read}, bytes_total={total}, records={records}, \
             elapsed={elapsed:.3})"
        )
    }
}

/// Reads the gauge of a run. As text it says how far that has come.
pub(crate) struct Meter {
    gauge: Arc<Gauge>,
    total: Option<u64>,
    begun: Instant,
}

impl Meter {
    pub(crate) fn new(gauge: Arc<Gauge>, total: Option<u64>) -> Self {
        Meter { gauge, total, begun: Instant::now() }
    }

    pub(crate) fn read(&self) -> Progress {
        Progress {
            bytes_read: self.gauge.bytes.load(Ordering::Relaxed),
            bytes_total: self.total,
            records: self.gauge.records.load(Ordering::Relaxed),
            elapsed: self.begun.elapsed().as_secs_f64(),
        }
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.gauge.skipped.load(Ordering::Relaxed)
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
fn grouped(number: u64) -> String {
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
