//! `Rows`: the records of a file of lines, in any order.
//!
//! When you ask for a record, only that record is read, from its position in the file. The file has
//! no current position that readers could share by mistake, so any number of threads, and of
//! processes after a fork, may read.

use crate::dialect::Dialect;
use crate::failure::{self, Where, guarded};
use crate::objects::Options;
use crate::options;
use crate::plan::PlanRef;
use crate::sources::open_path;
use crate::verbs::decode::{self, PartOf};
use penstock_core::error::Fault;
use penstock_core::index::{
    Cursor, Fingerprint, Found, Index, Indexer, Mark, ReadAt, Rules, Stuck, Unusable, decode,
    encode,
};
use penstock_core::json::NDJSON;
use penstock_core::limits::Limits;
use penstock_core::position::{Counter, locate_in};
use penstock_core::source::encoding::{UTF8_BOM, foreign, refuse};
use penstock_core::source::{Compression, Sniff, sniff};
use penstock_scan::{filled, gathered};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes to index before checking for signals.
const SLICE: usize = 1 << 20;

/// The records of one file.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Lines {
    /// None once it is closed.
    file: Mutex<Option<Arc<File>>>,
    fingerprint: Fingerprint,
    index: Index,
    name: String,
    dialect: Dialect,
    plan: PlanRef,
    options: Options,
    limits: Limits,
    /// Whether the index was passed in.
    #[pyo3(get)]
    is_kept: bool,
}

/// Why a line could not be read.
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
impl Lines {
    /// Opens a file, and finds its records unless `index` has their positions. If `index` is not of
    /// this file, that is an error if `required`; otherwise a new index is made.
    #[new]
    #[pyo3(signature = (path, name, r#type, duplicates, unknown, all_errors, limits, index, required, /))]
    #[expect(clippy::too_many_arguments, reason = "the public function gives all, by position")]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyString>,
        name: &str,
        r#type: &Bound<'_, PyAny>,
        duplicates: &Bound<'_, PyAny>,
        unknown: &Bound<'_, PyAny>,
        all_errors: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyAny>>,
        index: Option<&[u8]>,
        required: bool,
    ) -> PyResult<Self> {
        guarded(py, || {
            let dialect = Dialect::usual(py, &NDJSON)?;
            let plan = dialect.plan(r#type)?;
            let options = Options {
                duplicates: options::duplicates(options::text("duplicates", duplicates)?)?,
                unknown: options::unknown(options::text("unknown", unknown)?)?,
                all_errors: options::flag("all_errors", all_errors)?,
                pause: false,
                recycle: false,
                suggest: true,
            };
            let limits = options::limits(limits)?;
            let (file, size) = open_path(path)?;
            if size.is_none() {
                let message = format!(
                    "{name} is no regular file, so its records cannot be read at random: go \
                     through it with read()"
                );
                return Err(PyValueError::new_err(message));
            }
            let of_file = |error: io::Error| unreadable(py, name, error);
            let fingerprint = py.detach(|| fingerprint(&file)).map_err(of_file)?;
            let start = beginning(py, &file, name, fingerprint.size)?;
            let kept = match index.map(|index| decode(index, &fingerprint)) {
                Some(Err(Unusable::Stale)) if required => {
                    let place = nowhere(name);
                    let reason =
                        "the file has changed since these Rows were pickled: open it again";
                    return Err(failure::either(failure::of_decode(py, reason, &place)));
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
                None => indexed(py, &file, start, fingerprint.size, name)?,
            };
            let lines = Lines {
                file: Mutex::new(Some(Arc::new(file))),
                fingerprint,
                index,
                name: name.to_owned(),
                dialect,
                plan,
                options,
                limits,
                is_kept,
            };
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
        guarded(py, || {
            let (mark, line) = self.line(py, record)?;
            self.decoded(py, record, mark, &line, &self.plan)
        })
    }

    /// A record as another type.
    fn get_as<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        r#type: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let plan = self.dialect.plan(r#type)?;
            let (mark, line) = self.line(py, record)?;
            self.decoded(py, record, mark, &line, &plan)
        })
    }

    /// The bytes of a record in the file, without its line end.
    fn raw<'py>(&self, py: Python<'py>, record: u64) -> PyResult<Bound<'py, PyBytes>> {
        guarded(py, || {
            let (_, line) = self.line(py, record)?;
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            Ok(PyBytes::new(py, line.strip_suffix(b"\r").unwrap_or(line)))
        })
    }

    /// Iterates over the records from `first` up to `behind`.
    fn through(slf: Bound<'_, Self>, first: u64, behind: u64) -> Through {
        let place = Mutex::new(Place { record: first, behind, cursor: None });
        Through { lines: slf.unbind(), place }
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

impl Lines {
    fn open_file(&self) -> PyResult<Arc<File>> {
        // Locked only for a moment, in which nothing can panic.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        file.ok_or_else(|| PyValueError::new_err("these Rows are closed"))
    }

    /// A line with its position.
    fn line(&self, py: Python<'_>, record: u64) -> PyResult<(Mark, Vec<u8>)> {
        let Some(found) = self.index.find(record) else {
            return Err(PyIndexError::new_err("there is no such record"));
        };
        let file = self.open_file()?;
        let read = py.detach(|| {
            let read = || {
                let mut cursor = Cursor::new(&*file, found, found.end, self.limits.token)?;
                Ok::<_, Stuck>(
                    cursor.next(&*file)?.map(|(mark, line)| (mark, gathered(line.iter().copied()))),
                )
            };
            let line = read();
            self.check(&file)?;
            // By the index there is a record, so there must be a line.
            line?.ok_or(Trouble::Changed)
        });
        read.map_err(|trouble| self.told(py, trouble, record))
    }

    /// Whether the file is unchanged since it was opened. Asked after each read: a change before the
    /// read shows as well, and one during it only then.
    fn check(&self, file: &File) -> Result<(), Trouble> {
        let about = file.metadata().map_err(Stuck::Unreadable)?;
        let Fingerprint { size, modified, .. } = self.fingerprint;
        if about.len() == size && changed_at(&about) == modified {
            return Ok(());
        }
        Err(Trouble::Changed)
    }

    fn unchanged(&self, py: Python<'_>, file: &File) -> PyResult<()> {
        self.check(file).map_err(|trouble| self.told(py, trouble, 0))
    }

    /// Decodes a line.
    fn decoded<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        mark: Mark,
        line: &[u8],
        plan: &PlanRef,
    ) -> PyResult<Bound<'py, PyAny>> {
        let of = PartOf {
            counted: Counter::at_line(mark.line, mark.offset),
            source: Some(&self.name),
            record: Some(record + 1),
            ..PartOf::default()
        };
        let how = (plan.clone_ref(py), self.options);
        decode::part(py, &self.dialect, how, &self.limits, (line, line.len()), of)
    }

    #[cold]
    fn told(&self, py: Python<'_>, trouble: Trouble, record: u64) -> PyErr {
        let place = |mark: Option<Mark>| {
            let place = mark.map(|Mark { line, offset, .. }| {
                locate_in(&Counter::at_line(line, offset), b"", b"", offset, offset)
            });
            let record = mark.is_some().then_some(record + 1);
            Where { place, record, ..nowhere(&self.name) }
        };
        match trouble {
            Trouble::Changed | Trouble::Stuck(Stuck::Changed) => {
                let reason = "the file has changed since it was opened: open it again";
                failure::either(failure::of_decode(py, reason, &place(None)))
            }
            Trouble::Stuck(Stuck::Unreadable(error)) => failure::of_source(py, error, &place(None)),
            Trouble::Stuck(Stuck::TooLong(mark)) => {
                let most = self.limits.token;
                let reason = format!("a record longer than {most} bytes (limits.token)");
                let fault = Fault::limit(mark.offset, reason);
                failure::either(failure::of_fault(py, &fault, &place(Some(mark))))
            }
        }
    }
}

/// Iterates over records: reads whole blocks of the file.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Through {
    lines: Py<Lines>,
    place: Mutex<Place>,
}

struct Place {
    record: u64,
    behind: u64,
    cursor: Option<Cursor>,
}

#[pymethods]
impl Through {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.lines)
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
            let Place { record, behind, cursor } = &mut *place;
            let Some(found) = lines.index.find(*record).filter(|_| *record < *behind) else {
                return Ok(None);
            };
            let read = next_line(lines, &*lines.open_file()?, cursor, found);
            let (mark, line) = read.map_err(|trouble| lines.told(py, trouble, *record))?;
            *record += 1;
            let made = lines.decoded(py, *record - 1, mark, line, &lines.plan)?;
            Ok(Some(made.unbind()))
        })
    }
}

/// The line at a cursor, or `found` if there is none yet.
fn next_line<'a>(
    lines: &Lines,
    file: &File,
    cursor: &'a mut Option<Cursor>,
    found: Found,
) -> Result<(Mark, &'a [u8]), Trouble> {
    let line = match cursor {
        Some(cursor) => cursor.next(file),
        None => {
            let end = lines.index.size();
            match Cursor::new(file, found, end, lines.limits.token) {
                Ok(new) => cursor.insert(new).next(file),
                Err(stuck) => Err(stuck),
            }
        }
    };
    lines.check(file)?;
    line?.ok_or(Trouble::Changed)
}

/// When a file was changed last, in nanoseconds since 1970.
fn changed_at(about: &std::fs::Metadata) -> i64 {
    about.mtime().saturating_mul(1_000_000_000).saturating_add(about.mtime_nsec())
}

/// The state of the file, by which an index recognises it.
fn fingerprint(file: &File) -> io::Result<Fingerprint> {
    let about = file.metadata()?;
    let size = about.len();
    let mut samples = Vec::new();
    for (offset, length) in Fingerprint::samples(size) {
        let mut sample = filled(0, length);
        file.read_exact_at(&mut sample, offset)?;
        samples.push(sample);
    }
    let sample = Fingerprint::digest(samples.iter().map(Vec::as_slice));
    Ok(Fingerprint { size, modified: changed_at(&about), sample, rules: Rules::Lines })
}

/// How many bytes precede the first line: those of a byte order mark.
fn beginning(py: Python<'_>, file: &File, name: &str, size: u64) -> PyResult<u64> {
    let mut head = vec![0; size.min(8) as usize];
    file.read_exact_at(&mut head, 0).map_err(|error| unreadable(py, name, error))?;
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
            Where { place: Some(locate_in(&Counter::new(), b"", &head, 0, 0)), ..nowhere(name) };
        let fault = refuse(encoding);
        return Err(failure::either(failure::of_fault(py, &fault, &place)));
    }
    Ok(if head.starts_with(UTF8_BOM) { UTF8_BOM.len() as u64 } else { 0 })
}

/// Finds the records, in one pass over the file.
fn indexed(py: Python<'_>, file: &File, start: u64, size: u64, name: &str) -> PyResult<Index> {
    let mut indexer = Indexer::new(start);
    let mut block = filled(0, SLICE);
    let mut at = start;
    while at < size {
        py.check_signals()?;
        let length = (size - at).min(SLICE as u64) as usize;
        let read = py.detach(|| {
            let block = &mut block[..length];
            file.read_exact_at(block, at)?;
            indexer.feed(block);
            io::Result::Ok(())
        });
        read.map_err(|error| unreadable(py, name, error))?;
        at += length as u64;
    }
    Ok(indexer.finish())
}

/// The error of a file that was opened and can no longer be read.
#[cold]
fn unreadable(py: Python<'_>, name: &str, error: io::Error) -> PyErr {
    failure::of_source(py, error, &nowhere(name))
}

/// The place of an error about the file as a whole.
fn nowhere(name: &str) -> Where<'_> {
    Where { format: "ndjson", source: Some(name), place: None, record: None, path: Vec::new() }
}
