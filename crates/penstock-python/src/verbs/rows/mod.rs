//! `Rows`: the records of a file, in any order.
//!
//! When you ask for a record, only that record is read, from its position in the file. The file has
//! no current position that readers could share by mistake, so any number of threads, and of
//! processes after a fork, may read.
//!
//! A record of NDJSON is a line (`lines.rs`). Those of CSV are found by the reader of the format
//! (`records.rs`), and by the text of a column (`lookup.rs`).

mod lines;
mod lookup;
mod records;

pub(crate) use lookup::Lookup;

use crate::edge::errors::{self, Where, guarded};
use crate::edge::options;
use crate::io::dialect::Dialect;
use crate::io::stored::{About, Stored};
use crate::objects::Options;
use crate::plan::PlanRef;
use penstock_core::error::Fault;
use penstock_core::formats::Reader;
use penstock_core::index::{
    Cursor, Fingerprint, Index, Mark, Rules, Stuck, Unusable, decode, encode,
};
use penstock_core::limits::Limits;
use penstock_core::position::{Counter, locate_in};
use penstock_core::source::encoding::{UTF8_BOM, foreign, refuse};
use penstock_core::source::{Compression, ReadAt, Sniff, sniff};
use penstock_scan::filled;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes to index before checking for signals.
const SLICE: usize = 1 << 20;

/// The records of one file.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct RowFile {
    /// None once it is closed.
    file: Mutex<Option<Arc<Stored>>>,
    fingerprint: Fingerprint,
    /// The offset of the first byte of the text.
    start: u64,
    index: Index,
    records: Records,
    name: String,
    dialect: Py<Dialect>,
    plan: PlanRef,
    options: Options,
    limits: Limits,
    /// Whether the index was passed in.
    #[pyo3(get)]
    is_kept: bool,
}

/// How the records of a file are found.
enum Records {
    /// Each line is one.
    Lines,
    /// By this reader, which has read what comes before the records. None if there are no records.
    Of(Option<Box<Reader>>),
}

/// Why a record could not be read.
enum Trouble {
    Stuck(Stuck),
    /// The file has another size or date than when it was opened.
    Changed,
}

impl From<Stuck> for Trouble {
    fn from(stuck: Stuck) -> Self {
        Trouble::Stuck(stuck)
    }
}

#[pymethods]
impl RowFile {
    /// Opens a file, and finds its records unless `index` has their positions. If `index` is not of
    /// this file, that is an error if `required`; otherwise a new index is made.
    #[new]
    #[pyo3(signature = (path, name, dialect, r#type, duplicates, unknown, all_errors, limits, index, required, /))]
    #[expect(clippy::too_many_arguments, reason = "the public function gives all, by position")]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        name: &str,
        dialect: &Bound<'_, Dialect>,
        r#type: &Bound<'_, PyAny>,
        duplicates: &Bound<'_, PyAny>,
        unknown: &Bound<'_, PyAny>,
        all_errors: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyAny>>,
        index: Option<&[u8]>,
        required: bool,
    ) -> PyResult<Self> {
        guarded(py, || {
            let form = dialect.get();
            let plan = form.plan(r#type)?;
            let options = Options {
                duplicates: options::duplicates(options::text("duplicates", duplicates)?)?,
                unknown: options::unknown(options::text("unknown", unknown)?)?,
                all_errors: options::flag("all_errors", all_errors)?,
                pause: true,
                recycle: false,
                suggest: true,
                distinct: false,
            };
            let limits = options::limits(limits)?;
            let Some((file, _)) = Stored::open(path)? else {
                let message = format!(
                    "{name} is no regular file, so its records cannot be read at random: go \
                     through it with read()"
                );
                return Err(PyValueError::new_err(message));
            };
            let of = (form.name(), name);
            let of_file = |error: io::Error| unreadable(py, of, error);
            let reader = form.reader(false, &limits);
            let rules = match reader.csv() {
                Some(_) => Rules::of_dialect(&form.described(&limits)),
                None => Rules::Lines,
            };
            let fingerprint = py.detach(|| fingerprint(&file, rules)).map_err(of_file)?;
            let size = fingerprint.size;
            let start = beginning(py, &file, of, size)?;
            let records = match reader.into_csv() {
                Some(reader) => {
                    Records::Of(records::settled(py, &file, of, reader, (start, size))?)
                }
                None => Records::Lines,
            };
            let kept = match index.map(|index| decode(index, &fingerprint)) {
                Some(Err(Unusable::Stale)) if required => {
                    let place = nowhere(of);
                    let reason =
                        "the file has changed since these Rows were pickled: open it again";
                    return Err(errors::either(errors::of_decode(py, reason, &place)));
                }
                Some(Err(unusable)) if required => {
                    let message = format!("the index of {name} cannot be used: {unusable}");
                    return Err(PyValueError::new_err(message));
                }
                kept => kept.and_then(Result::ok),
            };
            let is_kept = kept.is_some();
            let index = match kept {
                Some(index) => index,
                None => match &records {
                    Records::Lines => lines::indexed(py, &file, (start, size), of)?,
                    Records::Of(_) => {
                        let reader = form.reader(false, &limits).into_csv();
                        let reader = reader.ok_or_else(errors::untold)?;
                        records::indexed(py, &file, of, reader, (start, size))?
                    }
                },
            };
            let lines = RowFile {
                file: Mutex::new(Some(Arc::new(file))),
                fingerprint,
                start,
                index,
                records,
                name: name.to_owned(),
                dialect: dialect.clone().unbind(),
                plan,
                options,
                limits,
                is_kept,
            };
            lines.check_header(py, &lines.plan)?;
            lines.unchanged(py, &*lines.open_file()?)?;
            Ok(lines)
        })
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.index.records()).unwrap_or(usize::MAX)
    }

    /// The positions of the records, as bytes to store.
    fn index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guarded(py, || Ok(PyBytes::new(py, &encode(&self.index, &self.fingerprint))))
    }

    /// A record, decoded.
    fn get<'py>(&self, py: Python<'py>, record: u64) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || self.made(py, record, &self.plan))
    }

    /// A record as another type.
    fn get_as<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        r#type: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let plan = self.dialect.get().plan(r#type)?;
            self.check_header(py, &plan)?;
            self.made(py, record, &plan)
        })
    }

    /// The bytes of a record in the file, without its line end.
    fn raw<'py>(&self, py: Python<'py>, record: u64) -> PyResult<Bound<'py, PyBytes>> {
        guarded(py, || {
            let bytes = match &self.records {
                Records::Lines => self.line(py, record)?.1,
                Records::Of(_) => return Ok(PyBytes::new(py, &self.bytes_of(py, record)?)),
            };
            let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            Ok(PyBytes::new(py, line.strip_suffix(b"\r").unwrap_or(line)))
        })
    }

    /// Iterates over the records from `first` up to `behind`.
    fn through(slf: Bound<'_, Self>, first: u64, behind: u64) -> Through {
        let place = Mutex::new(Place { record: first, behind, at: At::Nowhere });
        Through { lines: slf.unbind(), place }
    }

    /// The records with each text in a column, of those from `first` up to `behind`, of which each
    /// `step`-th one is taken.
    fn look_up(
        slf: Bound<'_, Self>,
        py: Python<'_>,
        by: &str,
        first: u64,
        behind: u64,
        step: u64,
    ) -> PyResult<Lookup> {
        guarded(py, || Lookup::new(py, slf.clone().unbind(), by, (first, behind, step)))
    }

    /// Closes the file. Closing it again does nothing.
    fn close(&self) {
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.plan.traverse(&visit)
    }

    /// Whether the file is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl RowFile {
    fn open_file(&self) -> PyResult<Arc<Stored>> {
        // Locked only for a moment, in which nothing can panic.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        file.ok_or_else(|| PyValueError::new_err("these Rows are closed"))
    }

    /// The format, and the name of the file.
    fn named(&self) -> (&'static str, &str) {
        (self.dialect.get().name(), &self.name)
    }

    /// A record as a type.
    fn made<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        plan: &PlanRef,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.records {
            Records::Lines => {
                let (mark, line) = self.line(py, record)?;
                self.decoded(py, record, mark, &line, plan)
            }
            Records::Of(_) => self.read_one(py, record, plan),
        }
    }

    /// Whether the file is unchanged since it was opened. Asked after each read: a change before the
    /// read shows as well, and one during it only then.
    fn check(&self, file: &Stored) -> Result<(), Trouble> {
        let about = file.about().map_err(Stuck::Unreadable)?;
        let Fingerprint { size, modified, .. } = self.fingerprint;
        if about.size == size && changed_at(about) == modified {
            return Ok(());
        }
        Err(Trouble::Changed)
    }

    fn unchanged(&self, py: Python<'_>, file: &Stored) -> PyResult<()> {
        self.check(file).map_err(|trouble| self.told(py, trouble, 0))
    }

    #[cold]
    fn told(&self, py: Python<'_>, trouble: Trouble, record: u64) -> PyErr {
        let place = |mark: Option<Mark>| {
            let place = mark.map(|Mark { line, offset, .. }| {
                locate_in(&Counter::at_line(line, offset), b"", b"", offset, offset)
            });
            let record = mark.is_some().then_some(record + 1);
            Where { place, record, ..nowhere(self.named()) }
        };
        match trouble {
            Trouble::Changed | Trouble::Stuck(Stuck::Changed) => {
                let reason = "the file has changed since it was opened: open it again";
                errors::either(errors::of_decode(py, reason, &place(None)))
            }
            Trouble::Stuck(Stuck::Unreadable(error)) => errors::of_source(py, error, &place(None)),
            Trouble::Stuck(Stuck::TooLong(mark)) => {
                let most = self.limits.token;
                let reason = format!("a record longer than {most} bytes (limits.token)");
                let fault = Fault::limit(mark.offset, reason);
                errors::either(errors::of_fault(py, &fault, &place(Some(mark))))
            }
        }
    }
}

/// Iterates over records: reads whole blocks of the file.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Through {
    lines: Py<RowFile>,
    place: Mutex<Place>,
}

struct Place {
    record: u64,
    behind: u64,
    at: At,
}

/// Where the next record is read.
enum At {
    /// It must be looked up.
    Nowhere,
    Line(Cursor),
    Record(Box<records::Reading>),
}

#[pymethods]
impl Through {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.lines)?;
        match self.place.try_lock().as_deref() {
            Ok(Place { at: At::Record(reading), .. }) => reading.traverse(&visit),
            _ => Ok(()),
        }
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        guarded(py, || {
            let lines = self.lines.get();
            let Ok(mut place) = self.place.try_lock() else {
                let message = "these Rows are gone through by another thread: use an iterator each";
                return Err(PyValueError::new_err(message));
            };
            if place.record >= place.behind {
                return Ok(None);
            }
            match &lines.records {
                Records::Lines => lines.next_line(py, &mut place),
                Records::Of(_) => lines.next_record(py, &mut place),
            }
        })
    }
}

/// When a file was changed last, in nanoseconds since 1970.
fn changed_at(about: About) -> i64 {
    about.changed.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The state of the file, by which an index recognises it.
fn fingerprint(file: &Stored, rules: Rules) -> io::Result<Fingerprint> {
    let about = file.about()?;
    let size = about.size;
    let mut samples = Vec::new();
    // A server that calls this state by a name needs no samples: each would be a request.
    let places = if file.is_named() { Vec::new() } else { Fingerprint::samples(size).collect() };
    for (offset, length) in places {
        let mut sample = filled(0, length);
        file.read_exact_at(&mut sample, offset)?;
        samples.push(sample);
    }
    let sample = Fingerprint::digest(samples.iter().map(Vec::as_slice));
    Ok(Fingerprint { size, modified: changed_at(about), sample, rules })
}

/// The format and the name of a file.
type Of<'a> = (&'static str, &'a str);

/// How many bytes precede the text: those of a byte order mark.
fn beginning(py: Python<'_>, file: &Stored, of: Of<'_>, size: u64) -> PyResult<u64> {
    let (_, name) = of;
    let mut head = vec![0; size.min(8) as usize];
    file.read_exact_at(&mut head, 0).map_err(|error| unreadable(py, of, error))?;
    let packed = match sniff(&head) {
        Sniff::Is(Compression::None) | Sniff::More => None,
        Sniff::Is(compression) => Some(format!("{} data", compression.name())),
        Sniff::Zip => Some("a zip archive".to_owned()),
        _ => None,
    };
    if let Some(packed) = packed {
        let message = format!(
            "{name} is {packed}, so its records cannot be read at random: decompress it first, or \
             go through it with read()"
        );
        return Err(PyValueError::new_err(message));
    }
    if let Some(encoding) = foreign(&head[..head.len().min(4)]) {
        let place =
            Where { place: Some(locate_in(&Counter::new(), b"", &head, 0, 0)), ..nowhere(of) };
        let fault = refuse(encoding);
        return Err(errors::either(errors::of_fault(py, &fault, &place)));
    }
    Ok(if head.starts_with(UTF8_BOM) { UTF8_BOM.len() as u64 } else { 0 })
}

/// The error of a file that was opened and can no longer be read.
#[cold]
fn unreadable(py: Python<'_>, of: Of<'_>, error: io::Error) -> PyErr {
    errors::of_source(py, error, &nowhere(of))
}

/// The place of an error about the file as a whole.
fn nowhere((format, name): Of<'_>) -> Where<'_> {
    Where { format, source: Some(name), place: None, record: None, path: Vec::new() }
}
