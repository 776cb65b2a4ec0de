//! `Conversion`: a source of one format into a target of another.
//!
//! Without a class, there is no object in between, and the whole run goes on without the interpreter
//! lock. It takes the lock for signals, for errors that the caller's function gets, and while files
//! that are Python objects are read and written. `convert_into.rs` has the conversions by a class.

use super::threads::Together;
use crate::drive::driver::Gauge;
use crate::drive::progress::{Meter, Progress, count};
use crate::edge::errors::{self, Named, Raised, guarded};
use crate::edge::gc_refs::Held;
use crate::edge::options::{self, Errors, PolicyObject};
use crate::edge::repairs;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use crate::io::style::Style;
use crate::io::targets::TargetObject;
use crate::verbs::convert_into::{Into, Native, Objects};
use crate::verbs::read::check_threads;
use penstock_clock::Mono;
use penstock_core::convert::{self, Cut, Form, Settings, Stopped, Unfinished};
use penstock_core::error::{Fault, Kind};
use penstock_core::formats::{AnyWriter, Reader};
use penstock_core::limits::Limits;
use penstock_core::protocol::Destination;
use penstock_core::run::{Failed, Failure, Input, Policy, Run, Turn, Windows};
use penstock_core::target::{Target, TargetError};
use penstock_core::writer::{Content, Kind as Reason};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// How long the run goes on before it looks for signals, in nanoseconds.
const PATIENCE: i64 = 20_000_000;

/// A conversion before it is run, while it runs, and after that.
#[pyclass(frozen, weakref, module = "penstock._rust")]
pub(crate) struct Conversion {
    /// Taken by whoever runs it.
    prepared: Mutex<Option<Prepared>>,
    target: Py<TargetObject>,
    policy: Py<PolicyObject>,
    /// The caller's objects that it uses.
    held: Vec<Held>,
    meter: Meter,
}

/// What is run.
enum Prepared {
    /// Without a class.
    Plain(Box<Plain>),
    /// By a class, without objects.
    Native(Box<Native>),
    /// By a class, with objects.
    Objects(Box<Objects>),
}

struct Plain {
    run: Run<Reader, Windows, Infallible>,
    writer: AnyWriter,
    settings: Settings,
    cut: Option<Cut>,
    limits: Limits,
    gauge: Arc<Gauge>,
    format: &'static str,
    name: Option<String>,
    threads: usize,
    most: u64,
}

/// The numbers of a conversion.
///
/// Example:
///     >>> import io, penstock
///     >>> target = io.BytesIO()
///     >>> penstock.convert(io.BytesIO(b"[1, 2]"), target, format="json", to="ndjson")
///     Converted(records=2, skipped=0, bytes_read=6, bytes_written=4)
#[pyclass(frozen, module = "penstock")]
pub(crate) struct Converted {
    records: u64,
    skipped: u64,
    bytes_read: u64,
    bytes_written: u64,
    repairs: Py<PyDict>,
}

impl Converted {
    /// Of columns, which are no bytes.
    pub(super) fn of_columns(py: Python<'_>, records: u64, bytes_written: u64) -> PyResult<Self> {
        let repairs = PyDict::new(py).unbind();
        Ok(Converted { records, skipped: 0, bytes_read: 0, bytes_written, repairs })
    }
}

#[pymethods]
impl Converted {
    /// How many records were written. A whole document is one.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.records)
    }

    /// How many records were in error, and left out.
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.skipped)
    }

    /// The bytes of the source, before they were decompressed.
    #[getter]
    fn bytes_read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_read)
    }

    /// The bytes of the target, after they were compressed.
    #[getter]
    fn bytes_written<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        count(py, self.bytes_written)
    }

    /// How many repairs there were of each kind that occurred, with `repair=`.
    #[getter]
    fn repair_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(py, || self.repairs.bind(py).copy())
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let Converted { records, skipped, bytes_read, bytes_written, .. } = self;
        let shown = format!(
            "Converted(records={records}, skipped={skipped}, bytes_read={bytes_read}, \
             bytes_written={bytes_written})"
        );
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}

/// How far a run got without the lock.
pub(super) enum Got<C> {
    /// Some time has passed, or nothing came: it may go on.
    Somewhere,
    End,
    Problem(Box<penstock_core::run::Problem<C>>),
}

/// How far it got, or why it ends.
pub(super) type Advanced<C, B> = Result<Got<C>, Failed<C, B>>;

type Failing = Failed<Infallible, Stopped<TargetError>>;
type Converting<'t> = convert::Conversion<'t, Target>;

impl Raised for Stopped<TargetError> {
    /// A target's own error is raised by whoever knows the target.
    fn raised(self) -> PyErr {
        match self {
            Stopped::Memory => PyMemoryError::new_err(()),
            Stopped::Output(error) => {
                Python::attach(|py| crate::io::targets::raised(py, error, None, None))
            }
        }
    }
}

#[pymethods]
impl Conversion {
    #[new]
    /// `into` has the type of the records, their encoder, and whether objects may be made. `cut` has
    /// the columns that are kept of a table, and whether these are left out instead. `threads` is how
    /// many threads convert, `most` how many records are written at most, and `duplicates` which
    /// member of a repeated key is written, if not each one.
    #[pyo3(signature = (
        dialect, source, style, target, at, form, policy, limits, into = None, cut = None,
        threads = 1, most = None, duplicates = None, /
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of a Python function")]
    fn new(
        py: Python<'_>,
        dialect: &Dialect,
        source: &SourceObject,
        style: &Style,
        target: &Bound<'_, TargetObject>,
        at: Option<&Bound<'_, PyAny>>,
        form: &Bound<'_, PyAny>,
        policy: &Bound<'_, PolicyObject>,
        limits: Option<&Bound<'_, PyAny>>,
        into: Option<Into<'_>>,
        cut: Option<(String, bool)>,
        threads: usize,
        most: Option<u64>,
        duplicates: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            check_threads(threads)?;
            // The threads would read what is behind the last record.
            let threads = if most.is_some() { 1 } else { threads };
            let most = most.unwrap_or(u64::MAX).max(1);
            let cut = cut.map(|(text, inverts)| Cut::parse(&text, inverts)).transpose();
            let cut = cut.map_err(PyValueError::new_err)?;
            let limits = options::limits(limits)?;
            if let Some(into) = into {
                let opened = into.open(py, dialect, source, at, policy, &limits)?;
                let target = target.clone().unbind();
                return Ok(Conversion {
                    prepared: Mutex::new(Some(match opened.native {
                        Ok(mut native) => {
                            native.share(threads, most);
                            Prepared::Native(native)
                        }
                        Err(mut objects) => {
                            objects.end_behind(most);
                            Prepared::Objects(objects)
                        }
                    })),
                    target,
                    policy: policy.clone().unbind(),
                    held: opened.held,
                    meter: opened.meter,
                });
            }
            let duplicates = options::text_or_none("duplicates", duplicates)?;
            let duplicates = duplicates.map(options::duplicates).transpose()?;
            let form = self::form(options::text("form", form)?)?;
            let at = options::text_or_none("at", at)?;
            let (records, sought) = match at {
                Some(at) => (Some(dialect.records(at)?), format!("there is nothing at {at:?}")),
                None => {
                    let inside = dialect.is_document() && style.is_stream();
                    let records = inside.then(penstock_core::select::Records::by_default);
                    (records, "there is no record".to_owned())
                }
            };
            let condition = dialect.condition(py, None)?;
            let is_one = records.is_none() && dialect.is_document();
            let content = if is_one { Content::Value } else { Content::Records(None) };
            let writer = style.writer(content, &limits)?;
            let policy = policy.clone();
            let PolicyObject { max_errors, empty, .. } = *policy.get();
            let errors = policy.get().errors(py)?.policy(max_errors);
            let (opened, held) = source.open(py, dialect.detect(), &limits)?;
            let gauge: Arc<Gauge> = Arc::default();
            let meter = Meter::new(Arc::clone(&gauge), opened.total());
            let settings = Settings {
                from_elements: dialect.has_elements(),
                has_namespaces: !dialect.has_plain_names(),
                form,
                force_list: dialect.force_list().clone(),
                leaves_out: errors != Policy::Raise && !is_one,
                duplicates,
                records,
                condition,
            };
            let mut reader = dialect.reader(settings.records.is_none(), &limits);
            reader.hide_subset();
            let mut run = Run::new(reader, Windows::of(opened), errors);
            if let Some((otherwise, merely_told)) = empty.wanted(sought, at.is_some()) {
                run.want_records(otherwise, merely_told);
            }
            let (format, name) = (dialect.name(), source.name());
            let plain =
                Plain { run, writer, settings, cut, limits, gauge, format, name, threads, most };
            Ok(Conversion {
                prepared: Mutex::new(Some(Prepared::Plain(Box::new(plain)))),
                target: target.clone().unbind(),
                policy: policy.unbind(),
                held: held.into_iter().collect(),
                meter,
            })
        })
    }

    /// Converts. Errors that were collected are raised when the target is finished. `warns` says
    /// whether it warns of repairs.
    #[pyo3(signature = (warns = false, /))]
    fn run(&self, py: Python<'_>, warns: bool) -> PyResult<Converted> {
        guarded(py, || {
            let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(prepared) = prepared else {
                return Err(PyRuntimeError::new_err("this Conversion was run already"));
            };
            let errors = self.policy.get().errors(py)?;
            let target = self.target.get();
            let mut open = target.lock()?;
            let (gauge, made) = match prepared {
                Prepared::Plain(plain) => {
                    (Arc::clone(&plain.gauge), plain.run(py, &errors, target, &mut open, warns))
                }
                Prepared::Native(native) => {
                    (native.gauge(), native.run(py, &errors, target, &mut open))
                }
                Prepared::Objects(objects) => (objects.gauge(), objects.run(py, target, &mut open)),
            };
            let finished = match made {
                Ok(Done { records, repairs, collected }) => target
                    .work(py, &mut open, Target::finish)
                    .and_then(|()| collected.map_or(Ok((records, repairs)), Err)),
                Err(error) => {
                    // The first error counts.
                    let _ = target.work(py, &mut open, Target::abort);
                    Err(error)
                }
            };
            let (records, repairs) = finished?;
            Ok(Converted {
                records,
                skipped: gauge.skipped.load(Ordering::Relaxed),
                bytes_read: gauge.bytes.load(Ordering::Relaxed),
                bytes_written: open.given(),
                repairs,
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
        visit.call(&self.target)?;
        visit.call(&self.policy)
    }

    fn __clear__(&self) {
        self.held.iter().for_each(Held::clear);
    }
}

/// A conversion that came to the end of its source.
pub(super) struct Done {
    pub(super) records: u64,
    /// How many repairs there were of each kind.
    pub(super) repairs: Py<PyDict>,
    /// The errors that were collected.
    pub(super) collected: Option<PyErr>,
}

impl Plain {
    /// Converts all of the source.
    fn run(
        self: Box<Self>,
        py: Python<'_>,
        errors: &Errors,
        target: &TargetObject,
        open: &mut Target,
        warns: bool,
    ) -> PyResult<Done> {
        let Plain { mut run, writer, settings, cut, limits, gauge, format, name, threads, most } =
            *self;
        let named = Named::new(format, name.as_deref());
        let to = convert::Conversion::new(settings, writer, open, &limits);
        let mut to = to.cutting(cut).up_to(most);
        let mut collected = None;
        let mut together = Together::new(threads, &mut run);
        let mut bring = |run: &mut Run<_, Windows, _>, to: &mut Converting<'_>| {
            together.bring(run, to.scope(), &gauge)
        };
        loop {
            match py.detach(|| advance(&mut run, &mut to, &gauge, Converting::records, &mut bring))
            {
                Ok(Got::Somewhere) => py.check_signals()?,
                Ok(Got::End) => {
                    if let Some(reason) = run.take_lack() {
                        options::warn_of_lack(py, &reason, name.as_deref())?;
                    }
                    break;
                }
                Ok(Got::Problem(problem)) => {
                    let error = errors::of_problem(py, *problem, &named)?;
                    let Errors::Give(function) = errors else { return Err(error) };
                    function.get(py)?.call1((error.into_value(py),))?;
                }
                Err(failed) if run.is_complete() && matches!(*failed, Failure::Collected(_)) => {
                    collected = Some(errors::of_failure(py, failed, &named));
                    break;
                }
                Err(failed) => return Err(raised(py, failed, target, &named)),
            }
        }
        match py.detach(|| to.finish()) {
            Ok(()) => {
                if warns {
                    repairs::warn(run.repairs(), py, name.as_deref())?;
                }
                let repairs = repairs::counts(run.repairs(), py)?.unbind();
                Ok(Done { records: to.records(), repairs, collected })
            }
            Err(Unfinished::Output(error)) => Err(target.raised(py, error)),
            Err(Unfinished::Text(reason)) => {
                let kind = match reason.kind() {
                    Reason::Memory => return Err(PyMemoryError::new_err(())),
                    Reason::Limit => Kind::Limit,
                    _ => Kind::Mismatch,
                };
                let reason = penstock_scan::copied(reason.reason());
                let fault = Fault::new(kind, run.input().end(), reason);
                Err(errors::of_failure(py, run.fail(&mut to, &fault), &named))
            }
        }
    }
}

/// Goes on until some time has passed. `bring` brings input when all of it was read, and counts the
/// bytes of the source.
pub(super) fn advance<D: Destination>(
    run: &mut Run<Reader, Windows, D::Cause>,
    to: &mut D,
    gauge: &Gauge,
    records: impl Fn(&D) -> u64,
    mut bring: impl FnMut(
        &mut Run<Reader, Windows, D::Cause>,
        &mut D,
    ) -> Result<(), Failed<D::Cause, D::Break>>,
) -> Advanced<D::Cause, D::Break> {
    let begun = Mono::now_relaxed().as_nanos();
    loop {
        let turn = run.advance(to);
        gauge.records.store(records(to), Ordering::Relaxed);
        gauge.skipped.store(run.refused(), Ordering::Relaxed);
        match turn? {
            Turn::Dry => {}
            Turn::End => return Ok(Got::End),
            Turn::Problem(problem) => return Ok(Got::Problem(problem)),
            // A conversion never pauses.
            Turn::Paused => continue,
        }
        let before = run.input().end();
        bring(run, to)?;
        let passed = Mono::now_relaxed().as_nanos() - begun;
        if run.input().end() == before || passed > PATIENCE {
            return Ok(Got::Somewhere);
        }
    }
}

/// The exception for a failure. One of the target is raised as the target raises it.
#[cold]
fn raised(py: Python<'_>, failed: Failing, target: &TargetObject, named: &Named<'_>) -> PyErr {
    match *failed {
        Failure::Broken(Stopped::Output(error), _) => target.raised(py, error),
        Failure::Broken(Stopped::Memory, _) => PyMemoryError::new_err(()),
        failure => errors::of_failure(py, Box::new(failure), named),
    }
}

/// `form=`
fn form(word: &str) -> PyResult<Form> {
    match word {
        "plain" => Ok(Form::Plain),
        "element" => Ok(Form::Element),
        _ => Err(options::unknown_word("form", word, "'plain' or 'element'")),
    }
}
