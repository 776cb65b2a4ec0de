//! `Reader`: the records of a source, one at a time or in batches.
//!
//! | file | holds |
//! |---|---|
//! | `rows.rs` | the records of a reader's sources, one after the other |
//! | `columns.rs` | the same as batches of columns |
//! | `inspect.rs` | what the command line asks |

mod columns;
mod inspect;
mod rows;

pub(super) use rows::{Origin, Run};

use columns::{BATCH, Names};

use crate::columns::{Asked, Flattened, Schema, Unions};
use crate::drive::driver::Driver;
use crate::drive::progress::{Meter, Progress, count};
use crate::drive::timing::Timing;
use crate::edge::errors::{given, guarded, guarded_end};
use crate::edge::gc_refs::Held;
use crate::edge::modules;
use crate::edge::options::{self, PolicyObject};
use crate::edge::printable::printable;
use crate::edge::repairs;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use crate::io::stored::is_remote;
use crate::verbs::chain::{Chain, Opened, Recipe};
use crate::verbs::checkpoint;
use crate::verbs::columns::Columns;
use crate::verbs::finding::Again;
use crate::verbs::infer::of_options;
use crate::verbs::{no_end, unknown_keys};
use penstock_arrow::RecordBatch;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use std::mem::take;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The records of a source as an iterator. The `read` functions create it.
///
/// It is also a context manager. If it opened the file, it closes the file after the last record,
/// on `close()` and when it is dropped.
///
/// Example:
///     >>> import io, penstock
///     >>> with penstock.json.read(io.BytesIO(b'[2, 3, "five", 7]'), int, errors="skip") as reader:
///     ...     next(reader), list(reader), reader.skipped, reader.progress.records
///     (2, [3, 7], 1, 3)
#[pyclass(frozen, generic, module = "penstock")]
pub(crate) struct Reader {
    run: Mutex<Run>,
    meter: Meter,
    /// The caller's objects that the run uses.
    held: Vec<Held>,
    /// The text of `repr` before the numbers.
    title: String,
}

/// The most threads that share the work of one run.
pub(crate) const MOST_THREADS: usize = 256;

/// # Errors
/// A `ValueError` if there can be no such number of threads.
pub(super) fn check_threads(threads: usize) -> PyResult<()> {
    if threads == 0 || threads > MOST_THREADS {
        let reason = format!("threads must be from 1 to {MOST_THREADS}");
        return Err(PyValueError::new_err(reason));
    }
    Ok(())
}

impl Reader {
    /// A reader of a run that is no source's.
    pub(super) fn over(
        driver: Driver,
        held: Vec<Held>,
        title: String,
        origin: Option<Origin>,
        chain: Option<Box<Chain>>,
    ) -> Self {
        let meter = Meter::new(driver.gauge().clone(), None);
        let (left, closed) = (Vec::new(), None);
        let again = None;
        let run = Run {
            driver,
            origin,
            chain,
            pending: None,
            left,
            closed,
            is_over: false,
            filling: None,
            again,
            unanswered: 0,
            allowed: u64::MAX,
        };
        Reader { run: Mutex::new(run), meter, held, title }
    }

    /// Before anything is read: delivers no more records than these.
    pub(super) fn up_to(mut self, limit: u64) -> Self {
        self.run.get_mut().unwrap_or_else(PoisonError::into_inner).allowed = limit;
        self
    }

    /// The next batch of columns, or None at the end.
    pub(crate) fn next_columns(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        self.enter()?
            .columns(py, &self.meter)
            .map_err(|error| no_end(py, error, "that the Reader called"))
    }

    /// Ends the reading, and closes what it opened.
    pub(crate) fn end(&self) -> PyResult<()> {
        let mut run = self.enter()?;
        let is_over = run.driver.is_complete() && run.pending.is_none() && run.left.is_empty();
        run.is_over |= is_over && run.closed.is_none();
        run.driver.finish();
        run.closed = Some("this Reader is closed".into());
        run.pending = None;
        run.left.clear();
        run.driver.close();
        Ok(())
    }

    /// Locks the run, if nobody uses it.
    #[inline]
    fn enter(&self) -> PyResult<MutexGuard<'_, Run>> {
        match self.run.try_lock() {
            Ok(run) => Ok(run),
            Err(std::sync::TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this Reader is already at work: in another thread, or in code that it is calling",
            )),
            // A panic was reported as an InternalError when it happened.
            Err(std::sync::TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("this Reader has failed and cannot go on"))
            }
        }
    }
}

#[pymethods]
impl Reader {
    #[new]
    /// `several` has what `repr` calls the sources, whether they are of one format, the number of
    /// their bytes, and an iterator that gives a dialect and a source for each after the first.
    /// `kept` says that its place can be kept: with the arguments of the dialect, unless that is the
    /// one of the name.
    #[pyo3(signature = (dialect, source, r#type, at, policy, limits, timing = true, several = None, kept = None, /))]
    #[expect(clippy::too_many_arguments, reason = "what is read, from where, as what, and how")]
    fn new(
        py: Python<'_>,
        dialect: Bound<'_, Dialect>,
        source: Bound<'_, SourceObject>,
        r#type: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        policy: &Bound<'_, PolicyObject>,
        limits: Option<&Bound<'_, PyAny>>,
        timing: bool,
        several: Option<(String, bool, Option<u64>, Bound<'_, PyAny>)>,
        kept: Option<(Option<Py<PyDict>>,)>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let (given, dialect) = ((&dialect, &source), dialect.get());
            let source = source.get();
            let name = source.name();
            let shown = name.unwrap_or_else(|| format!("{} stream", dialect.shown()));
            let (shown, alike, sizes, rest) = match several {
                Some((shown, alike, sizes, rest)) => (shown, alike, Some(sizes), Some(rest)),
                None => (shown, true, None, None),
            };
            let recipe = Recipe {
                r#type: Held::new(r#type),
                at: at.map(Held::new),
                policy: policy.clone().unbind(),
                limits: options::limits(limits)?,
                timing,
            };
            let Opened { mut driver, mut held, mut title, sought, records, total } =
                recipe.open(py, dialect, source)?;
            let limits = recipe.limits.clone();
            if !alike && let Some(into) = title.strip_suffix(dialect.default_records()) {
                title = format!("{into}the records of each format");
            }
            let title = format!("{shown} -> {title}");
            let meter = Meter::new(driver.gauge().clone(), sizes.unwrap_or(total));
            let planned = driver.builder().planned();
            let again = (planned.is_plain() || planned.counts_digits).then(|| {
                let again = Again::new(given.0, given.1, recipe.copied(py));
                held.extend(again.held());
                Box::new(again)
            });
            let chain = rest.map(|rest| {
                driver.expect_others();
                let rest = Held::new(&rest);
                held.extend([rest.clone(), recipe.r#type.clone()]);
                held.extend(recipe.at.clone());
                Box::new(Chain::new(py, rest, recipe))
            });
            let (pending, left) = (None, Vec::new());
            let object = source.object(py);
            let is_file = object.is_instance_of::<PyString>() || is_remote(object)?;
            let source = given.1.clone().unbind();
            let origin = kept.filter(|_| is_file);
            let origin = origin.map(|(dialect,)| {
                let parted = OnceLock::new();
                Origin { source, sought, dialect, records, limits, parted }
            });
            let closed = None;
            let run = Run {
                driver,
                origin,
                chain,
                pending,
                left,
                closed,
                is_over: false,
                filling: None,
                again,
                unanswered: 0,
                allowed: policy.get().limit,
            };
            Ok(Reader { run: Mutex::new(run), meter, held, title })
        })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        guarded(py, || {
            self.enter()?
                .row(py, &self.meter)
                .map_err(|error| no_end(py, error, "that the Reader called"))
        })
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let _ = (kind, error, traceback);
        self.close(py)
    }

    /// Ends the reading. If the reader opened the file, this closes it. Closing again does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded_end(py, || self.end())
    }

    /// The records as Arrow columns, in batches of up to `rows` rows and about 16 MiB.
    ///
    /// Nothing may have been read before. The interpreter's lock is released while the columns are
    /// filled, unless only Python can make the objects of the class.
    ///
    /// Args:
    ///     rows: How many rows a batch has at most.
    ///     columns: The names of the fields that are wanted, or their paths (`"place/latitude"`). The
    ///         others are not parsed. Without a class, a path is a column of its own, with the path as
    ///         its name; otherwise it is a field in the column of the object around it.
    ///     unions: What becomes of values of several types: of a field such as `int | str`, or without
    ///         a class, of one place in the records. By default that is an error. With `"text"`,
    ///         scalars become text; with `"json"`, all values become JSON.
    ///     flatten: Whether each field of an object is a column of its own, with its path as the name
    ///         (`"place/latitude"`). Lists stay columns of lists.
    ///     key_column: Without a class, the name of one more column, with the key by which each record
    ///         was found, as with `at="*"`.
    ///     file_column: The name of one more column, with the path of each record's file.
    ///     threads: How many threads parse at once, also to find the columns of records without a
    ///         class. The batches and the errors are the same for any number. Each takes some
    ///         mebibytes of memory. One thread reads the first mebibyte, property lists that are text,
    ///         XML that declares entities, and records that only a Python object can be made of.
    ///
    /// Raises:
    ///     PlanError: The type of a field has no column; or there is no class, and the reader was made
    ///         with `resume=`.
    ///     ValueError: `rows` or `threads` is less than 1; there is no such field, or there is one of
    ///         the name `file_column` or `key_column`; there is no such word for `unions`; there is a
    ///         class and a `key_column`; or something was read before.
    ///     TypeError: There is a `file_column`, and the source has no path.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> from dataclasses import dataclass
    ///     >>> @dataclass
    ///     ... class City:
    ///     ...     name: str
    ///     ...     size: int
    ///     >>> rows = io.BytesIO(b"name,size\nBern,134591\nBasel,177595\n")
    ///     >>> penstock.csv.read(rows, City).columns()
    ///     Columns(name: Utf8, size: Int64)
    #[pyo3(
        signature = (
            rows = 65_536,
            columns = None,
            unions = "error",
            threads = 1,
            *,
            flatten = false,
            key_column = None,
            file_column = None,
            **others
        ),
        text_signature = "($self, rows=65536, columns=None, unions=\"error\", threads=1, *, \
                          flatten=False, key_column=None, file_column=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the user's")]
    fn columns(
        this: Bound<'_, Self>,
        rows: usize,
        columns: Option<Vec<String>>,
        unions: &str,
        threads: usize,
        flatten: bool,
        key_column: Option<String>,
        file_column: Option<String>,
        others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Columns> {
        let py = this.py();
        guarded(py, || {
            options::refuse_others("columns", others)?;
            if rows == 0 {
                return Err(PyValueError::new_err("rows must be at least 1"));
            }
            check_threads(threads)?;
            if columns.as_ref().is_some_and(Vec::is_empty) {
                return Err(PyValueError::new_err("columns must name at least one"));
            }
            let unions = Unions::of(unions)?;
            let flat = if flatten { Flattened::All } else { Flattened::None };
            let asked = Asked { unions, flat, file_column, ..Asked::default() };
            let names = Names { wanted: columns.unwrap_or_default(), keys: key_column };
            let batch = (rows, BATCH);
            let schema = {
                let Reader { meter, .. } = this.get();
                this.get().enter()?.begin_columns(py, meter, asked, &names, batch, threads)?
            };
            Ok(Columns::new(this.clone().unbind(), schema))
        })
    }

    /// The records in lists of up to `n`, the last one shorter.
    ///
    /// It never reuses objects, and pauses the garbage collector while it makes a long list, except
    /// while it waits for the source. An error after the first record of a list is raised once you have got that list.
    ///
    /// Raises:
    ///     ValueError: `n` is less than 1.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> list(penstock.json.read(io.BytesIO(b"[2, 3, 5]"), int).batches(2))
    ///     [[2, 3], [5]]
    #[pyo3(signature = (n, /))]
    fn batches(this: Bound<'_, Self>, n: usize) -> PyResult<Batches> {
        guarded(this.py(), || match n {
            0 => Err(PyValueError::new_err("n must be at least 1")),
            _ => Ok(Batches { reader: this.clone().unbind(), n }),
        })
    }

    /// Where this reader stands: behind the last record that it has given you, or at the beginning.
    ///
    /// `penstock.read(..., resume=checkpoint)` goes on there, in this process or another. The reader must
    /// be one of `penstock.read`, or of `penstock.csv.read` without repairs, of one file by its path; or
    /// of several files with `resume=`.
    ///
    /// Returns:
    ///     A `Checkpoint`: small, can be pickled, and JSON of it is `as_dict()`.
    ///
    /// Raises:
    ///     ValueError: The reader is no such one, was closed before its end, or has failed; the file
    ///         was replaced while it was read; it is compressed as a whole, and this is neither its
    ///         beginning nor its end; nothing can go on there, as in an entity of XML or in a property
    ///         list that is not binary; or the last line has no line feed, so that more of it may come.
    ///     OSError: The file cannot be opened.
    ///
    /// Example:
    ///     >>> import pathlib, penstock
    ///     >>> path = pathlib.Path("primes.ndjson")
    ///     >>> _ = path.write_text("2\n3\n5\n")
    ///     >>> with penstock.read(path, int) as reader:
    ///     ...     next(reader), next(reader)
    ///     ...     checkpoint = reader.checkpoint()
    ///     (2, 3)
    ///     >>> list(penstock.read(path, int, resume=checkpoint))
    ///     [5]
    pub(crate) fn checkpoint(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let run = &mut *self.enter()?;
            let kept = checkpoint::keep(py, run)?;
            Ok(py.import(modules::CHECKPOINT)?.getattr("of")?.call1(kept)?.unbind())
        })
    }

    /// For tests: how many pieces of this source several threads have read.
    fn _pieces(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || Ok(self.enter()?.driver.pieces()))
    }

    /// For the command line, before anything is read: reads all records, and keeps none. The type is a
    /// class without fields, and the records may be of any kind. With `distinct`, no two columns of a
    /// table may have one name.
    #[pyo3(signature = (threads, distinct, /))]
    fn _pass_over(&self, py: Python<'_>, threads: usize, distinct: bool) -> PyResult<()> {
        guarded(py, || self.enter()?.pass_over(py, &self.meter, threads, distinct))
    }

    /// For the command line, before anything is read: reads all records for their errors, in several
    /// threads. False if there is no column for each field of the class, or if it takes objects to
    /// check a record: then nothing is read.
    #[pyo3(signature = (threads, /))]
    fn _check(&self, py: Python<'_>, threads: usize) -> PyResult<bool> {
        guarded(py, || self.enter()?.check_all(py, threads))
    }

    /// For `penstock.schema`, before anything is read: the schema of the records, which are not read
    /// again. With a class, it is that of the class. `reports` says whether broken files are reported
    /// that `errors=` leaves out, and `most` how many records count.
    #[pyo3(signature = (threads, reports = true, unions = "error", most = None, /))]
    fn _schema(
        &self,
        py: Python<'_>,
        threads: usize,
        reports: bool,
        unions: &str,
        most: Option<u64>,
    ) -> PyResult<Schema> {
        guarded(py, || self.enter()?.schema(py, threads, reports, Unions::of(unions)?, most))
    }

    /// For `penstock.infer`, before anything is read: the evidence of the records, which are not read
    /// again. `reports` says whether broken files are reported that `errors=` leaves out.
    #[pyo3(signature = (threads, reports = true, /))]
    fn _evidence(&self, py: Python<'_>, threads: usize, reports: bool) -> PyResult<Py<PyAny>> {
        given(py, || self.enter()?.evidence(py, threads, reports))
    }

    /// For the command line, before anything is read: keeps the names of records, and shortens the
    /// records to about twice as many characters as `whole`, if it is a number.
    #[pyo3(signature = (whole, /))]
    fn _shorten(&self, py: Python<'_>, whole: Option<usize>) -> PyResult<()> {
        guarded(py, || {
            self.enter()?.driver.shorten(whole);
            Ok(())
        })
    }

    /// For the command line: the name of the last record, if a key led to it, and whether the
    /// record was shortened.
    fn _last(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || {
            let last = self.enter()?.driver.last();
            Ok(last.map_or((None, false), |last| (last.name, last.cut)))
        })
    }

    /// How far the reader has come. This is cheap, and safe to ask from another thread.
    #[getter]
    fn progress(&self) -> Progress {
        self.meter.read()
    }

    /// Where the last record was that the reader has returned, as a `penstock.streams.Place`.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> with penstock.ndjson.read(io.BytesIO(b'2\n3\n5\n'), int) as reader:
    ///     ...     next(reader), next(reader), reader.place
    ///     (2, 3, Place(source=None, record=2, line=2, offset=3))
    #[getter]
    fn place<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let (name, last) = {
                let driver = &mut self.enter()?.driver;
                (driver.name().map(str::to_owned), driver.last_record())
            };
            let class = py.import(modules::PLACE)?.getattr("Place")?;
            class.call1((name, last.number, last.line, last.end))
        })
    }

    /// Pushes all records through a pipeline, and closes the reader; see `penstock.streams`.
    ///
    /// Returns:
    ///     A `penstock.streams.Summary`: how many records were read, how many of them failed in a
    ///     stage, and whether a stage stopped the reading.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> from penstock.streams import Pipeline
    ///     >>> doubled = []
    ///     >>> pipeline = Pipeline(lambda n: 2 * n, doubled)
    ///     >>> penstock.json.read(io.BytesIO(b"[2, 3, 5]"), int).into(pipeline)
    ///     Summary(items=3, failed=0, stopped=False)
    ///     >>> doubled
    ///     [4, 6, 10]
    #[pyo3(signature = (pipeline, /))]
    fn into<'py>(
        this: Bound<'py, Self>,
        pipeline: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        guarded(py, || pipelines(py)?.call_method1("read_into", (this, pipeline)))
    }

    /// A pipeline that reads these records and hands them to `stage`; see `penstock.streams`.
    fn __or__<'py>(
        this: Bound<'py, Self>,
        stage: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        guarded(py, || pipelines(py)?.call_method1("begin", (this, stage)))
    }

    /// The `penstock.csv.Dialect` of the current source. None for other formats, and as long as the
    /// reader has not found it.
    ///
    /// Example:
    ///     >>> import io, penstock
    ///     >>> rows = io.BytesIO(b"name;size\nBern;134591\n")
    ///     >>> with penstock.csv.read(rows, dialect="infer") as reader:
    ///     ...     next(reader), reader.dialect
    ///     ({'name': 'Bern', 'size': '134591'}, Dialect(';'))
    #[getter]
    fn dialect<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, || {
            let entered = self.enter()?;
            let options = entered.driver.dialect();
            options.map(|options| of_options(py, options)).transpose()
        })
    }

    /// Where the time went so far. This is cheap, and safe to ask from another thread.
    #[getter]
    fn timing(&self) -> Timing {
        self.meter.timing()
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
        guarded(py, || {
            let Run { driver, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.unknown(py, driver),
                None => unknown_keys(py, driver.builder()),
            }
        })
    }

    /// The repairs with their positions; the first thousand of them.
    #[getter]
    fn repairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || {
            let Run { driver, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.repairs(py, driver),
                None => repairs::list(driver.repairs(), py, driver.name()),
            }
        })
    }

    /// How many repairs of each kind there were.
    #[getter]
    fn repair_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || {
            let Run { driver, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.repair_counts(py, driver),
                None => repairs::counts(driver.repairs(), py),
            }
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
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

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let shown = format!("Reader({}, {})", self.title, self.meter);
        guarded(py, || printable(py, &shown))
    }
}

/// The module of pipelines, which few programs need.
#[cold]
fn pipelines(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(modules::PIPELINE)
}

/// What `Reader.batches` returns.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Batches {
    reader: Py<Reader>,
    n: usize,
}

#[pymethods]
impl Batches {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.reader)
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let batch = || {
            let Reader { meter, .. } = self.reader.get();
            let rows = self.reader.get().enter()?.batch(py, meter, self.n)?;
            if rows.is_empty() { Ok(None) } else { PyList::new(py, rows).map(Some) }
        };
        guarded(py, || batch().map_err(|error| no_end(py, error, "that the Reader called")))
    }
}
