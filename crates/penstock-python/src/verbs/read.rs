//! `Reader`: the records of a source, one at a time or in batches.

use super::columns::Columns;
use crate::columns::{Asked, Chosen, Schema, Unions, columns_of, texts};
use crate::drive::progress::{Meter, Progress, count};
use crate::drive::pump::{Pump, Turn};
use crate::drive::timing::Timing;
use crate::edge::errors::{given, guarded, guarded_end};
use crate::edge::gc_refs::Held;
use crate::edge::modules;
use crate::edge::options::{self, PolicyObject};
use crate::edge::printable::printable;
use crate::edge::repairs;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use crate::objects::Pause;
use crate::plan::{is_plan_error, plan_error};
use crate::verbs::chain::{Chain, Opened, Recipe};
use crate::verbs::checkpoint;
use crate::verbs::decode::BULK;
use crate::verbs::finding::{self, Again, Stamp};
use crate::verbs::infer::of_options;
use crate::verbs::{may_wait, no_end, unknown_keys};
use penstock_arrow::{RecordBatch, SchemaRef};
use penstock_core::limits::Limits;
use penstock_core::select::Records;
use penstock_scan::make_room;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Mutex, MutexGuard};

/// Batches of fewer records pause the collector only if much input comes meanwhile: the pause would
/// take longer than the records.
const MANY: usize = 100;

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

/// The file that a reader reads, by its format's own rules.
pub(super) struct Origin {
    pub(super) source: Py<SourceObject>,
    /// What is said if there are no records: it names their path.
    pub(super) sought: String,
    /// The arguments of the dialect, unless it is that of the name.
    pub(super) dialect: Option<Py<PyDict>>,
    /// Which values are records.
    pub(super) records: Option<Records>,
    pub(super) limits: Limits,
}

/// The part of a reader that only one caller at a time may touch.
pub(super) struct Run {
    pub(super) pump: Pump,
    /// If its place can be kept.
    pub(super) origin: Option<Origin>,
    /// The sources that follow, if there are several.
    pub(super) chain: Option<Box<Chain>>,
    /// An error behind records that must be returned first.
    pub(super) pending: Option<Py<PyBaseException>>,
    /// Rows of a batch that an interrupt ended, latest first.
    pub(super) left: Vec<Py<PyAny>>,
    /// Why there are no more records, if that is not the end: the caller has closed it, or the
    /// caller's code broke off.
    pub(super) closed: Option<Box<str>>,
    /// Whether it was closed behind the last record of its source.
    pub(super) is_over: bool,
    /// If columns are filled: how.
    pub(super) filling: Option<Box<Filled>>,
    /// If the records have no class, or a `Decimal` of unknown digits: how their columns are found.
    again: Option<Box<Again>>,
}

/// How columns are filled.
pub(super) struct Filled {
    asked: Asked,
    /// The most rows, and about the most bytes, of a batch.
    batch: (usize, usize),
    threads: usize,
    schema: SchemaRef,
}

/// About how many bytes a batch of columns has at most.
const BATCH: usize = 1 << 24;

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

impl Run {
    /// Raises if the reader is closed or has a pending error.
    #[inline(always)]
    fn check(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(error) = self.pending.take() {
            return Err(PyErr::from_value(error.into_bound(py).into_any()));
        }
        match &self.closed {
            Some(why) if self.left.is_empty() => Err(PyValueError::new_err(why.to_string())),
            _ => Ok(()),
        }
    }

    /// Goes on with the next source, if there is one.
    #[cold]
    fn next_source(&mut self, py: Python<'_>, meter: &Meter) -> PyResult<bool> {
        self.pump.close();
        let Some(chain) = &mut self.chain else { return Ok(false) };
        let Some((pump, origin)) = chain.next(py, &mut self.pump)? else {
            self.pump.end_of_all(py)?;
            return Ok(false);
        };
        meter.follow(pump.gauge());
        (self.pump, self.origin) = (pump, origin);
        Ok(true)
    }

    /// The next row, or None at the end.
    #[inline]
    fn row(&mut self, py: Python<'_>, meter: &Meter) -> PyResult<Option<Py<PyAny>>> {
        self.check(py)?;
        if self.filling.is_some() {
            return Err(fills_columns());
        }
        if let Some(row) = self.left.pop() {
            return Ok(Some(row));
        }
        self.pump.builder_mut().set_recycling(true);
        loop {
            match self.pump.advance(py) {
                Ok(Turn::Row) => return Ok(self.pump.builder_mut().take_row()),
                Ok(Turn::Dry) => self.refill(py)?,
                Ok(Turn::End) => {
                    if !self.next_source(py, meter)? {
                        return Ok(None);
                    }
                    self.pump.builder_mut().set_recycling(true);
                }
                Err(error) => return Err(self.failed(py, error)),
            }
        }
    }

    /// The next batch of columns, or None at the end. An error behind the first record of a batch
    /// waits for the next call.
    fn columns(&mut self, py: Python<'_>, meter: &Meter) -> PyResult<Option<RecordBatch>> {
        self.check(py)?;
        loop {
            match self.pump.fill_batch(py) {
                Ok(Turn::Row) => return self.take_columns().map(Some),
                Ok(Turn::Dry) => {}
                Ok(Turn::End) => {
                    // The columns of another source are its own.
                    if self.rows() > 0 {
                        return self.take_columns().map(Some);
                    }
                    if !self.next_source(py, meter)? {
                        return Ok(None);
                    }
                    self.fill_again(py)?;
                }
                Err(error) => {
                    let error = self.failed(py, error);
                    if self.rows() == 0 || !may_wait(py, &error) {
                        return Err(error);
                    }
                    self.pending = Some(error.into_value(py));
                    return self.take_columns().map(Some);
                }
            }
        }
    }

    /// If the records have no class, finds their columns in so many threads, and begins again with
    /// those.
    #[cold]
    fn find_columns(&mut self, py: Python<'_>, meter: &Meter, threads: usize) -> PyResult<()> {
        if !self.pump.builder().planned().is_plain() {
            return Ok(());
        }
        let again = match self.again.as_deref_mut() {
            Some(again) => again,
            // The rest of a file may have others than all of it.
            None if self.origin.is_some() => {
                let reason = "with resume=, columns are those of a class or of a schema";
                return Err(plan_error(py, reason));
            }
            None => return Ok(()),
        };
        let first = again.source(py)?;
        let rest = match &mut self.chain {
            Some(chain) => chain.sources(py)?,
            None => Vec::new(),
        };
        let mut sources = rest;
        sources.insert(0, first);
        let stamps = sources.iter().map(|(_, source)| Stamp::of(py, source.get()));
        let mut stamps: VecDeque<Stamp> = stamps.collect::<PyResult<_>>()?;
        let schema = Bound::new(py, again.find(py, &sources, threads)?)?;
        let found = Held::new(&schema);
        again.recipe_mut().r#type = found.clone();
        let (dialect, source) = &sources[0];
        let opened = again.recipe_mut().open(py, dialect.get(), source.get())?;
        if let Some(stamp) = stamps.pop_front() {
            stamp.check(py, source.get())?;
        }
        if let Some(chain) = &mut self.chain {
            chain.read_as(found, stamps);
        }
        let mut pump = opened.pump;
        if self.chain.is_some() {
            pump.expect_others();
        }
        meter.follow(pump.gauge());
        self.pump = pump;
        self.again = None;
        Ok(())
    }

    /// If a `Decimal` declares no digits: counts those of its values.
    #[cold]
    fn count_digits(&mut self, py: Python<'_>, asked: &mut Asked) -> PyResult<()> {
        if !self.pump.builder().planned().counts_digits {
            return Ok(());
        }
        let chosen = std::mem::take(&mut asked.chosen);
        let counting = Asked { chosen, unions: asked.unions, counts: true, ..Asked::default() };
        let counted = columns_of(py, self.pump.builder().planned(), &counting)?.counted;
        if let (Some(again), Some(_)) = (self.again.as_deref(), counted.first()) {
            let mut sources = vec![again.source(py)?];
            if let Some(chain) = &mut self.chain {
                sources.append(&mut chain.sources(py)?);
            }
            let (digits, mut stamps) = again.count(py, &sources, &counting, &counted)?;
            if let Some(stamp) = stamps.pop_front() {
                stamp.check(py, sources[0].1.get())?;
            }
            if let Some(chain) = &mut self.chain {
                chain.expect(stamps);
            }
            asked.digits = Some(digits);
        }
        asked.chosen = counting.chosen;
        Ok(())
    }

    fn rows(&mut self) -> usize {
        self.pump.builder_mut().columns().map_or(0, |columns| columns.rows())
    }

    fn take_columns(&mut self) -> PyResult<RecordBatch> {
        let Some(columns) = self.pump.builder_mut().columns() else {
            return Err(PyRuntimeError::new_err("this Reader fills no columns"));
        };
        columns.batch_with(texts).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// From now on, fills columns.
    fn fill(
        &mut self,
        py: Python<'_>,
        asked: Asked,
        batch: (usize, usize),
        threads: usize,
    ) -> PyResult<SchemaRef> {
        let schema = self.pump.fill(py, &asked, batch, threads)?;
        let filled = Filled { asked, batch, threads, schema: schema.clone() };
        self.filling = Some(Box::new(filled));
        Ok(schema)
    }

    /// Fills the columns from the next source, too.
    fn fill_again(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(Filled { asked, batch, threads, schema }) = self.filling.as_deref() else {
            return Ok(());
        };
        let found = self.pump.fill(py, asked, *batch, *threads)?;
        if found != *schema {
            let reason = "the columns of this format are others than those of the first one";
            return Err(plan_error(py, reason));
        }
        Ok(())
    }

    fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        self.pump.refill(py).map_err(|error| self.failed(py, error))
    }

    /// After an error: closes the source, if nothing more is read of it.
    #[cold]
    fn failed(&mut self, py: Python<'_>, error: PyErr) -> PyErr {
        if self.pump.is_finished() {
            self.pump.close();
        }
        if self.pump.is_broken_off() {
            let name = error.get_type(py).name().map_or_else(|_| "?".into(), |it| it.to_string());
            let why = format!("this Reader was broken off by {name}: make a new one");
            self.closed = Some(why.into());
        }
        error
    }

    /// Up to `n` rows. An error behind the first of them waits for the next call.
    fn batch(&mut self, py: Python<'_>, meter: &Meter, n: usize) -> PyResult<Vec<Py<PyAny>>> {
        self.check(py)?;
        if self.filling.is_some() {
            return Err(fills_columns());
        }
        let mut pause = if n >= MANY { Some(Pause::begin(py)?) } else { None };
        self.pump.builder_mut().set_recycling(false);
        let mut rows = Vec::new();
        while rows.len() < n
            && let Some(row) = self.left.pop()
        {
            rows.push(row);
        }
        while rows.len() < n {
            let turn = self.pump.advance(py).and_then(|turn| {
                match (&turn, &mut pause) {
                    (Turn::Dry, Some(pause)) => pause.lift(py, || self.refill(py))??,
                    (Turn::Dry, None) => {
                        self.refill(py)?;
                        if self.pump.at_hand() >= BULK as u64 {
                            pause = Some(Pause::begin(py)?);
                        }
                    }
                    // A new pump makes new objects unless it is told otherwise.
                    (Turn::End, _) if self.next_source(py, meter)? => return Ok(Turn::Dry),
                    _ => {}
                }
                Ok(turn)
            });
            match turn {
                Ok(Turn::Row) => {
                    make_room(&mut rows, 1);
                    rows.extend(self.pump.builder_mut().take_row());
                }
                Ok(Turn::Dry) => {}
                Ok(Turn::End) => break,
                Err(error) => {
                    let error = self.failed(py, error);
                    if rows.is_empty() || !may_wait(py, &error) {
                        rows.reverse();
                        self.left = rows;
                        return Err(error);
                    }
                    self.pending = Some(error.into_value(py));
                    break;
                }
            }
        }
        Ok(rows)
    }
}

#[cold]
fn fills_columns() -> PyErr {
    PyValueError::new_err("the records of this Reader go into columns")
}

impl Reader {
    /// A reader of a run that is no source's.
    pub(super) fn over(
        pump: Pump,
        held: Vec<Held>,
        title: String,
        origin: Option<Origin>,
        chain: Option<Box<Chain>>,
    ) -> Self {
        let meter = Meter::new(pump.gauge().clone(), None);
        let (left, closed) = (Vec::new(), None);
        let again = None;
        let run = Run {
            pump,
            origin,
            chain,
            pending: None,
            left,
            closed,
            is_over: false,
            filling: None,
            again,
        };
        Reader { run: Mutex::new(run), meter, held, title }
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
        let is_over = run.pump.is_complete() && run.pending.is_none() && run.left.is_empty();
        run.is_over |= is_over && run.closed.is_none();
        run.pump.finish();
        run.closed = Some("this Reader is closed".into());
        run.pending = None;
        run.left.clear();
        run.pump.close();
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
            let Opened { mut pump, mut held, mut title, sought, records, total } =
                recipe.open(py, dialect, source)?;
            let limits = recipe.limits.clone();
            if !alike && let Some(into) = title.strip_suffix(dialect.default_records()) {
                title = format!("{into}the records of each format");
            }
            let title = format!("{shown} -> {title}");
            let meter = Meter::new(pump.gauge().clone(), sizes.unwrap_or(total));
            let planned = pump.builder().planned();
            let again = (planned.is_plain() || planned.counts_digits).then(|| {
                let again = Again::new(given.0, given.1, recipe.copied(py));
                held.extend(again.held());
                Box::new(again)
            });
            let chain = rest.map(|rest| {
                pump.expect_others();
                let rest = Held::new(&rest);
                held.extend([rest.clone(), recipe.r#type.clone()]);
                held.extend(recipe.at.clone());
                Box::new(Chain::new(py, rest, recipe))
            });
            let (pending, left) = (None, Vec::new());
            let is_path = source.object(py).is_instance_of::<PyString>();
            let source = given.1.clone().unbind();
            let origin = kept.filter(|_| is_path);
            let origin =
                origin.map(|(dialect,)| Origin { source, sought, dialect, records, limits });
            let closed = None;
            let run = Run {
                pump,
                origin,
                chain,
                pending,
                left,
                closed,
                is_over: false,
                filling: None,
                again,
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
    ///         others are not parsed.
    ///     unions: What becomes of a field with values of several types, as `int | str`. By default
    ///         that is an error. With `"text"`, its scalars become text; with `"json"`, its values
    ///         become JSON.
    ///     threads: How many threads parse at once, also to find the columns of records without a
    ///         class. The batches and the errors are the same for any number. Each takes some
    ///         mebibytes of memory. One thread reads the first mebibyte, property lists that are text,
    ///         XML that declares entities, and records that only a Python object can be made of.
    ///
    /// Raises:
    ///     PlanError: The type of a field has no column; or there is no class, and the reader was made
    ///         with `resume=`.
    ///     ValueError: `rows` or `threads` is less than 1; there is no such field; there is no such
    ///         word for `unions`; or something was read before.
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
    #[pyo3(signature = (rows = 65_536, columns = None, unions = "error", threads = 1))]
    fn columns(
        this: Bound<'_, Self>,
        rows: usize,
        columns: Option<Vec<String>>,
        unions: &str,
        threads: usize,
    ) -> PyResult<Columns> {
        let py = this.py();
        guarded(py, || {
            if rows == 0 {
                return Err(PyValueError::new_err("rows must be at least 1"));
            }
            check_threads(threads)?;
            if columns.as_ref().is_some_and(Vec::is_empty) {
                return Err(PyValueError::new_err("columns must name at least one"));
            }
            let chosen = Chosen::new(&columns.unwrap_or_default());
            let mut asked = Asked { chosen, unions: Unions::of(unions)?, ..Asked::default() };
            let schema = {
                let run = &mut *this.get().enter()?;
                run.check(py)?;
                if run.filling.is_some() {
                    return Err(fills_columns());
                }
                if run.pump.has_begun() || !run.left.is_empty() {
                    let reason = "columns() comes before anything is read of this Reader";
                    return Err(PyValueError::new_err(reason));
                }
                if asked.unions != Unions::default() && run.pump.builder().planned().is_plain() {
                    let reason = "unions= is for the fields of a class: without one, values of \
                                  several types at one place are an error";
                    return Err(PyValueError::new_err(reason));
                }
                run.find_columns(py, &this.get().meter, threads)?;
                run.count_digits(py, &mut asked)?;
                run.fill(py, asked, (rows, BATCH), threads)?
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
        given(py, || Ok(self.enter()?.pump.pieces()))
    }

    /// For the command line, before anything is read: reads all records, and keeps none. The type is a
    /// class without fields, and the records may be of any kind. With `distinct`, no two columns of a
    /// table may have one name.
    #[pyo3(signature = (threads, distinct, /))]
    fn _pass_over(&self, py: Python<'_>, threads: usize, distinct: bool) -> PyResult<()> {
        guarded(py, || {
            check_threads(threads)?;
            let run = &mut *self.enter()?;
            if distinct {
                run.pump.builder_mut().set_distinct();
            }
            let asked = Asked { unread: true, ..Asked::default() };
            run.fill(py, asked, (usize::MAX, usize::MAX), threads)?;
            while run.columns(py, &self.meter)?.is_some() {}
            Ok(())
        })
    }

    /// For the command line, before anything is read: reads all records for their errors, in several
    /// threads. False if there is no column for each field of the class, or if it takes objects to
    /// check a record: then nothing is read.
    #[pyo3(signature = (threads, /))]
    fn _check(&self, py: Python<'_>, threads: usize) -> PyResult<bool> {
        guarded(py, || {
            check_threads(threads)?;
            let run = &mut *self.enter()?;
            run.check(py)?;
            let asked = Asked { counts: true, checks: true, ..Asked::default() };
            match columns_of(py, run.pump.builder().planned(), &asked) {
                Ok(made) if made.why_objects.is_none() => {}
                Err(error) if !is_plan_error(py, &error) => return Err(error),
                _ => return Ok(false),
            }
            let read = finding::pass_over(py, &mut run.pump, &asked, threads);
            read.map(|()| true).map_err(|error| run.failed(py, error))
        })
    }

    /// For `penstock.schema`, before anything is read: the schema of the records, which are not read
    /// again. With a class, it is that of the class.
    #[pyo3(signature = (threads, /))]
    fn _schema(&self, py: Python<'_>, threads: usize) -> PyResult<Schema> {
        guarded(py, || {
            check_threads(threads)?;
            let run = &mut *self.enter()?;
            run.check(py)?;
            let again = run.again.take_if(|_| run.pump.builder().planned().is_plain());
            let Some(again) = again else {
                let mut asked = Asked::default();
                run.count_digits(py, &mut asked)?;
                let schema = run.pump.fill(py, &asked, (1, 1), 1)?;
                run.closed = Some("this Reader is closed".into());
                return Ok(Schema::new(schema));
            };
            let mut sources = vec![again.source(py)?];
            if let Some(chain) = &mut run.chain {
                sources.append(&mut chain.sources(py)?);
            }
            run.pump.close();
            let found = again.find(py, &sources, threads);
            run.pump.finish();
            run.closed = Some("this Reader is closed".into());
            found
        })
    }

    /// For the command line, before anything is read: keeps the names of records, and shortens the
    /// records to about twice as many characters as `whole`, if it is a number.
    #[pyo3(signature = (whole, /))]
    fn _shorten(&self, py: Python<'_>, whole: Option<usize>) -> PyResult<()> {
        guarded(py, || {
            self.enter()?.pump.shorten(whole);
            Ok(())
        })
    }

    /// For the command line: the name of the last record, if a key led to it, and whether the
    /// record was shortened.
    fn _last(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || {
            let last = self.enter()?.pump.last();
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
                let pump = &mut self.enter()?.pump;
                (pump.name().map(str::to_owned), pump.last_record())
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
            let options = entered.pump.dialect();
            options.map(|options| of_options(py, options)).transpose()
        })
    }

    /// Where the time went so far. This is cheap, and safe to ask from another thread.
    #[getter]
    fn timing(&self) -> Timing {
        self.meter.timing()
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
            let Run { pump, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.unknown(py, pump),
                None => unknown_keys(py, pump.builder()),
            }
        })
    }

    /// The repairs with their positions; the first thousand of them.
    #[getter]
    fn repairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(py, || {
            let Run { pump, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.repairs(py, pump),
                None => repairs::list(pump.repairs(), py, pump.name()),
            }
        })
    }

    /// How many repairs of each kind there were.
    #[getter]
    fn repair_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || {
            let Run { pump, chain, .. } = &*self.enter()?;
            match chain {
                Some(chain) => chain.repair_counts(py, pump),
                None => repairs::counts(pump.repairs(), py),
            }
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.held.iter().try_for_each(|held| held.traverse(&visit))?;
        // The collector must not wait. A run that goes on is held by somebody.
        let Ok(run) = self.run.try_lock() else { return Ok(()) };
        visit.call(&run.pending)?;
        run.left.iter().try_for_each(|row| visit.call(row))?;
        run.pump.traverse(&visit)
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
