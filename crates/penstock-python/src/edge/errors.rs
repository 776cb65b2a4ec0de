//! Makes exceptions from faults, problems and failures.

use super::modules;
use super::shutdown;
use penstock_core::document::NoMemory;
use penstock_core::error::{Fault, Kind};
use penstock_core::path_step::PathStep;
use penstock_core::position::Place;
use penstock_core::protocol::Code;
use penstock_core::run::{Failed, Failure, Problem, Spot};
use penstock_scan::{OutOfMemory, make_room};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyException, PyMemoryError, PySystemError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::convert::Infallible;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where an error occurred, as far as it is known.
pub(crate) struct Where<'a> {
    pub(crate) format: &'static str,
    pub(crate) source: Option<&'a str>,
    pub(crate) place: Option<Place>,
    pub(crate) record: Option<u64>,
    pub(crate) path: Vec<PathStep>,
}

impl Where<'_> {
    /// Whether the input is bytes: neither columns nor [`VALUES`] nor an [`ARCHIVE`].
    fn has_bytes(&self) -> bool {
        ![VALUES, ARCHIVE, penstock_core::formats::arrow::FORMAT.name].contains(&self.format)
    }

    /// The name of the format, if there is one.
    fn format(&self) -> Option<&'static str> {
        match self.format {
            ARCHIVE => Some(penstock_core::formats::plist::FORMAT.name),
            format => Some(format).filter(|format| !format.is_empty() && *format != VALUES),
        }
    }
}

/// The input is values of Python, which are in no format.
pub(crate) const VALUES: &str = "values";
/// The input is the objects of a keyed archive, which have no offsets.
pub(crate) const ARCHIVE: &str = "archive";

/// A kind of problem, and where something is absent.
#[derive(Default)]
struct Details {
    code: Option<Code>,
    missing: Vec<PathStep>,
    /// The offset, for input that is not text.
    offset: Option<u64>,
}

/// The names that exceptions about a run use for its input.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) format: &'static str,
    pub(crate) source: Option<&'a str>,
    /// The path of the input in its document, if it is only a part of one.
    pub(crate) within: Option<&'a dyn Fn() -> Vec<PathStep>>,
}

impl<'a> Named<'a> {
    pub(crate) fn new(format: &'static str, source: Option<&'a str>) -> Self {
        Named { format, source, within: None }
    }

    /// The same place, with the names.
    pub(crate) fn at(&self, spot: Spot) -> Where<'a> {
        let Spot { place, record, path } = spot;
        // Columns are no text.
        let place = place.filter(|_| self.format != penstock_core::formats::arrow::FORMAT.name);
        let mut steps = self.within.map_or_else(Vec::new, |within| within());
        steps.extend(path);
        Where { format: self.format, source: self.source, place, record, path: steps }
    }
}

/// An error of a run that is an exception or becomes one.
pub(crate) trait Raised {
    fn raised(self) -> PyErr;
}

impl Raised for PyErr {
    fn raised(self) -> PyErr {
        self
    }
}

impl Raised for Box<PyErr> {
    fn raised(self) -> PyErr {
        *self
    }
}

impl Raised for Infallible {
    fn raised(self) -> PyErr {
        match self {}
    }
}

impl Raised for NoMemory {
    fn raised(self) -> PyErr {
        PyMemoryError::new_err(())
    }
}

/// The other problems of a record, as errors of their own.
#[derive(Default)]
struct Others {
    errors: Vec<Py<PyAny>>,
    /// How many more there were.
    omitted: u64,
}

impl Others {
    fn of<C: Raised>(
        py: Python<'_>,
        problems: Vec<Problem<C>>,
        omitted: u64,
        named: &Named<'_>,
    ) -> PyResult<Self> {
        let error = |problem| Ok(of_problem(py, problem, named)?.into_value(py).into_any());
        Ok(Others { errors: problems.into_iter().map(error).collect::<PyResult<_>>()?, omitted })
    }
}

/// A path as `at` would write it.
fn written(path: &[PathStep]) -> Option<String> {
    // Containers may be very deep.
    let mut text = String::new();
    for (index, step) in path.iter().enumerate() {
        let step = step.to_string();
        make_room(&mut text, step.len() + 1);
        text.push_str(if index == 0 { "" } else { "/" });
        text.push_str(&step);
    }
    (!text.is_empty()).then_some(text)
}

/// A path with something absent behind it, as a tuple of Python.
fn steps<'py>(
    py: Python<'py>,
    path: &[PathStep],
    missing: &[PathStep],
) -> PyResult<Bound<'py, PyTuple>> {
    let step = |step: &PathStep| -> PyResult<Bound<'py, PyAny>> {
        Ok(match step {
            PathStep::Key(key) => PyString::new(py, key).into_any(),
            PathStep::Attribute(name) => PyString::new(py, &format!("@{name}")).into_any(),
            PathStep::Index(index) => index.into_pyobject(py)?.into_any(),
        })
    };
    let mut all = Vec::new();
    for each in path.iter().chain(missing) {
        make_room(&mut all, 1);
        all.push(step(each)?);
    }
    PyTuple::new(py, all)
}

/// An exception of ours, by the name of its class.
fn make<'py>(
    py: Python<'py>,
    class: &str,
    reason: &str,
    place: &Where<'_>,
    details: &Details,
    others: Others,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import(modules::ERRORS)?.getattr(class)?;
    let known = PyDict::new(py);
    known.set_item("format", place.format())?;
    known.set_item("source", place.source)?;
    known.set_item("record", place.record)?;
    known.set_item("path", written(&place.path))?;
    known.set_item("steps", steps(py, &place.path, &details.missing)?)?;
    if let Some(code) = details.code {
        known.set_item("code", code.word())?;
    }
    if let Some(at) = &place.place {
        known.set_item("offset", at.offset)?;
        known.set_item("line", at.line)?;
        known.set_item("column", at.column)?;
        let (text, caret) = excerpt(at);
        known.set_item("excerpt", text)?;
        known.set_item("caret", caret)?;
    } else if let Some(offset) = details.offset
        && place.has_bytes()
    {
        known.set_item("offset", offset)?;
    }
    if !others.errors.is_empty() {
        known.set_item("others", PyTuple::new(py, others.errors)?)?;
        known.set_item("omitted", others.omitted)?;
    }
    class.call((reason,), Some(&known)).map_err(|error| lost_for_memory(py, error))
}

/// The exception of a call of a class of ours, which raises no `SystemError`: where CPython has no memory
/// for the frame of a function, it sets no exception, and then complains of that.
#[cold]
fn lost_for_memory(py: Python<'_>, error: PyErr) -> PyErr {
    match error.is_instance_of::<PySystemError>(py) {
        true => PyMemoryError::new_err(()),
        false => error,
    }
}

/// The line around a place, with dots where it is cut.
fn excerpt(place: &Place) -> (String, usize) {
    const DOTS: &str = "\u{2026}";
    let found = &place.excerpt;
    let left = if found.cut_left { DOTS } else { "" };
    let right = if found.cut_right { DOTS } else { "" };
    (format!("{left}{}{right}", found.text), left.chars().count() + found.caret)
}

/// The class for a kind of fault.
fn class_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Truncated => "TruncatedInput",
        Kind::Mismatch => "ValidationError",
        Kind::Limit => "LimitExceeded",
        _ => "MalformedInput",
    }
}

/// The exception that reports an error of the input. Or the one that came in its place and is no
/// error of the input, such as a lack of memory.
pub(crate) type Told = Result<PyErr, PyErr>;

/// The exception to raise, either way.
pub(crate) fn either(told: Told) -> PyErr {
    told.unwrap_or_else(|instead| instead)
}

/// The exception for a fault of the input.
#[cold]
pub(crate) fn of_fault(py: Python<'_>, fault: &Fault, place: &Where<'_>) -> Told {
    if fault.kind() == Kind::Memory {
        return Err(PyMemoryError::new_err(()));
    }
    let details = Details::default();
    make(py, class_of(fault.kind()), fault.reason(), place, &details, Others::default())
        .map(PyErr::from_value)
}

/// The same for a source of which only the bytes matter, and not the format.
#[cold]
pub(crate) fn of_bytes(py: Python<'_>, fault: &Fault, source: Option<&str>) -> Told {
    if fault.kind() == Kind::Memory {
        return Err(PyMemoryError::new_err(()));
    }
    let details = Details { offset: Some(fault.offset()), ..Details::default() };
    let place = of_no_format(source);
    make(py, class_of(fault.kind()), fault.reason(), &place, &details, Others::default())
        .map(PyErr::from_value)
}

/// The place of an error of which only the source is known.
pub(crate) fn of_no_format(source: Option<&str>) -> Where<'_> {
    Where { format: "", source, place: None, record: None, path: vec![] }
}

/// The exception for a problem, with exceptions for the other problems of the same record.
#[cold]
pub(crate) fn of_problem<C: Raised>(
    py: Python<'_>,
    problem: Problem<C>,
    named: &Named<'_>,
) -> Told {
    if problem.kind == Kind::Memory {
        return Err(PyMemoryError::new_err(()));
    }
    let Problem {
        kind,
        offset,
        reason,
        code,
        missing,
        expected,
        got,
        spot,
        cause,
        others,
        omitted,
        raw,
        ..
    } = problem;
    let others = Others::of(py, others, omitted, named)?;
    let details = Details { code: Some(code), missing, offset: Some(offset) };
    let error = make(py, class_of(kind), &reason, &named.at(spot), &details, others)?;
    if kind == Kind::Mismatch {
        error.setattr("expected", expected)?;
        error.setattr("got", got)?;
    }
    if let Some(raw) = raw {
        error.setattr("raw", PyBytes::new(py, &raw))?;
    }
    let error = PyErr::from_value(error);
    if let Some(cause) = cause {
        error.set_cause(py, Some(cause.raised()));
    }
    Ok(error)
}

/// The exception for the failure that ended a run.
#[cold]
#[expect(clippy::boxed_local, reason = "a run's failure is boxed, and this is where they all end")]
pub(crate) fn of_failure<C: Raised, B: Raised>(
    py: Python<'_>,
    failure: Failed<C, B>,
    named: &Named<'_>,
) -> PyErr {
    match *failure {
        Failure::One(problem) => either(of_problem(py, problem, named)),
        Failure::Collected(problems) => match Others::of(py, problems, 0, named) {
            Ok(others) => group(py, others.errors),
            Err(instead) => instead,
        },
        Failure::Broken(raised, spot) => noted(py, raised.raised(), &named.at(spot)),
        Failure::Source { error, spot, others, omitted } => {
            match Others::of(py, others, omitted, named) {
                Ok(others) => of_source_with(py, error, &named.at(spot), others),
                Err(instead) => instead,
            }
        }
    }
}

/// The `DecodeError` for a source that cannot be read on, with a reason of ours.
#[cold]
pub(crate) fn of_decode(py: Python<'_>, reason: &str, place: &Where<'_>) -> Told {
    make(py, "DecodeError", reason, place, &Details::default(), Others::default())
        .map(PyErr::from_value)
}

/// The exception for a source that raised. Exceptions that are not about the source, such as an
/// interrupt, are raised as they are. So are a lack of memory, a refusal to read at all, and our
/// own exceptions.
#[cold]
pub(crate) fn of_source(py: Python<'_>, error: io::Error, place: &Where<'_>) -> PyErr {
    of_source_with(py, error, place, Others::default())
}

fn of_source_with(py: Python<'_>, error: io::Error, place: &Where<'_>, others: Others) -> PyErr {
    let raised = PyErr::from(error);
    if is_of_input(py, &raised)
        || !raised.is_instance_of::<PyException>(py)
        || raised.is_instance_of::<PyTypeError>(py)
        || raised.is_instance_of::<PyMemoryError>(py)
    {
        return raised;
    }
    let told = raised.get_type(py).name().and_then(|name| {
        let reason = format!("reading failed: {name}: {}", raised.value(py));
        make(py, "DecodeError", &reason, place, &Details::default(), others)
    });
    match told {
        Ok(error) => {
            let error = PyErr::from_value(error);
            error.set_cause(py, Some(raised));
            error
        }
        Err(instead) => instead,
    }
}

/// True if an exception reports an error of the input, and does not come from the program.
pub(crate) fn is_of_input(py: Python<'_>, raised: &PyErr) -> bool {
    let ours = py.import(modules::ERRORS).and_then(|module| module.getattr("PenstockError"));
    ours.and_then(|class| raised.value(py).is_instance(&class)).unwrap_or(false)
}

/// True if an exception says that a source cannot be read to its end.
#[cold]
pub(crate) fn is_of_source(py: Python<'_>, raised: &PyErr) -> bool {
    let class = py.import(modules::ERRORS).and_then(|module| module.getattr("DecodeError"));
    class.and_then(|class| raised.value(py).is_instance(&class)).unwrap_or(false)
}

/// An exception that is not ours, with a note that gives the position in the document.
#[cold]
pub(crate) fn noted(py: Python<'_>, error: PyErr, place: &Where<'_>) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let details = Details::default();
    let note = make(py, "DecodeError", "raised here", place, &details, Others::default())
        .and_then(|place| error.value(py).call_method1(intern!(py, "add_note"), (place.str()?,)));
    match note {
        Ok(_) => error,
        Err(second) => second,
    }
}

/// True if an exception is about the code that raised it, and not about memory or an interrupt.
pub(crate) fn is_reason(py: Python<'_>, raised: &PyErr) -> bool {
    raised.is_instance_of::<PyException>(py) && !raised.is_instance_of::<PyMemoryError>(py)
}

/// True if an exception of the caller's code says that a value does not fit: a `ValueError` or a
/// `TypeError`. Any other exception is the program's own affair.
pub(crate) fn is_of_values(py: Python<'_>, raised: &PyErr) -> bool {
    raised.is_instance_of::<PyValueError>(py) || raised.is_instance_of::<PyTypeError>(py)
}

/// The result of a user's object, or None if it raised. Exceptions that are not its fault, such as
/// a lack of memory, are raised.
pub(crate) fn answer<T>(py: Python<'_>, given: PyResult<T>) -> PyResult<Option<T>> {
    match given {
        Ok(given) => Ok(Some(given)),
        Err(error) if is_reason(py, &error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An error without a reason, which is a bug of ours.
#[cold]
pub(crate) fn untold() -> PyErr {
    PySystemError::new_err("a record in error without a problem")
}

/// The exceptions for several problems.
#[cold]
pub(crate) fn of_problems<C: Raised>(
    py: Python<'_>,
    problems: Vec<Problem<C>>,
    named: &Named<'_>,
) -> PyResult<Vec<Py<PyAny>>> {
    Ok(Others::of(py, problems, 0, named)?.errors)
}

/// All collected errors as one exception.
#[cold]
pub(crate) fn group(py: Python<'_>, errors: Vec<Py<PyAny>>) -> PyErr {
    let count = errors.len();
    let records = if count == 1 { "record" } else { "records" };
    let work = || {
        let class = py.import("builtins")?.getattr("ExceptionGroup")?;
        class.call1((format!("{count} {records} in error"), errors))
    };
    match work() {
        Ok(group) => PyErr::from_value(group),
        Err(error) => error,
    }
}

/// The exception for a file that returns text.
#[cold]
pub(crate) fn text_mode() -> PyErr {
    PyTypeError::new_err("the file gives text, not bytes: open it with 'rb'")
}

/// The message with which PyO3 panics if the interpreter cannot make a string, list or dict for it.
/// The only reason for that is a lack of memory; the interpreter's own exception goes to
/// `sys.unraisablehook`.
const NO_OBJECT: &str = "PyObject pointer is null";

/// Has panics print their message and nothing else.
///
/// The standard library's hook prints where a panic came from, if `RUST_BACKTRACE` is set. It holds
/// a lock meanwhile, and allocates. If there is no memory for that, the report of the failed
/// allocation waits for the same lock, for ever.
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        // These decoders panic if there is no memory for them, which is reported as that.
        let decoder = info.location().is_some_and(|at| {
            ["/flate2-", "/zlib-rs-", "/bzip2-", "/zstd-safe-"]
                .iter()
                .any(|name| at.file().contains(name))
        });
        if !decoder && info.payload().downcast_ref::<&str>() != Some(&NO_OBJECT) {
            // If there is nobody to read it, the exception still says it.
            let _ = writeln!(io::stderr(), "penstock: {info}");
        }
    }));
}

/// Runs a function that Python called. A panic is our bug, and becomes an exception that programs
/// catch with `except Exception`. If memory has run out so far that there is no reserve, it is not
/// even called.
///
/// The exception is made here. PyO3 makes those of `new_err` only when it returns them to the
/// interpreter. A panic there, for lack of memory for the message, would end the process.
#[inline]
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    if penstock_scan::is_short() {
        return Err(PyMemoryError::new_err(()));
    }
    guarded_end(py, work)
}

/// As [`guarded`], for what is no Python object yet. PyO3 would make it one where nothing catches its
/// panic if there is no memory for that.
pub(crate) fn given<'py, T>(
    py: Python<'py>,
    work: impl FnOnce() -> PyResult<T>,
) -> PyResult<Py<PyAny>>
where
    T: IntoPyObject<'py>,
{
    guarded(py, || work()?.into_py_any(py))
}

/// As [`guarded`], for what gives memory back or tells what is there: it works without a reserve.
#[inline]
pub(crate) fn guarded_end<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    shutdown::prepare();
    let made = || {
        work().inspect_err(|error| {
            error.value(py);
        })
    };
    match catch_unwind(AssertUnwindSafe(made)) {
        Ok(result) => result,
        Err(panic) => Err(internal(py, &*panic)),
    }
}

#[cold]
fn internal(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    if panic.is::<OutOfMemory>() {
        return PyMemoryError::new_err(());
    }
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    if what == NO_OBJECT {
        return PyMemoryError::new_err(());
    }
    // PyO3 panics in some places where an object cannot be made, and leaves the exception set.
    if let Some(raised) = PyErr::take(py)
        && raised.is_instance_of::<PyMemoryError>(py)
    {
        return raised;
    }
    let work = || {
        let class = py.import(modules::ERRORS)?.getattr("InternalError")?;
        class.call1((format!("a fault of Penstock itself, please report it: {what}"),))
    };
    match work() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
