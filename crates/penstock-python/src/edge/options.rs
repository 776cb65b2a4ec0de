//! Converts the options of callers.

use super::deep;
use super::errors::guarded;
use super::gc_refs::Held;
use super::{modules, warnings};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Duplicates, Unknown};
use penstock_core::run::Policy;
use penstock_core::source::{Compression, Encoding, encoding};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};

/// The options of a dialect or a style, for it to keep: those of a dict, and those that were named. Whoever may
/// run out of memory passes a dict, because PyO3 collects named arguments where nothing catches its panic.
pub(crate) fn named_options<'py>(
    py: Python<'py>,
    options: Option<&Bound<'py, PyDict>>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
    if let Some(named) = named {
        all.update(named.as_mapping())?;
    }
    Ok(all)
}

/// The exception for a word that is not allowed.
#[cold]
pub(crate) fn unknown_word(option: &str, word: &str, allowed: &str) -> PyErr {
    PyValueError::new_err(format!("{option} must be {allowed}, not '{}'", word.escape_debug()))
}

/// The exception for an option of the wrong type.
#[cold]
pub(crate) fn wrong_type(option: &str, wanted: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{option} must be {wanted}, not {kind}"))
}

/// The text of an option.
pub(crate) fn text<'a>(option: &str, object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match object.cast::<PyString>() {
        Ok(text) => text.to_str(),
        Err(_) => Err(wrong_type(option, "a str", object)),
    }
}

/// The text of an option that may be None.
pub(crate) fn text_or_none<'a>(
    option: &str,
    object: Option<&'a Bound<'_, PyAny>>,
) -> PyResult<Option<&'a str>> {
    let Some(object) = object else { return Ok(None) };
    match object.cast::<PyString>() {
        Ok(text) => text.to_str().map(Some),
        Err(_) => Err(wrong_type(option, "a str or None", object)),
    }
}

/// An option that is True or False.
pub(crate) fn flag(option: &str, object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => Err(wrong_type(option, "a bool", object)),
    }
}

/// `max_errors=`
pub(crate) fn max_errors(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let Ok(number) = object.cast::<PyInt>() else {
        return Err(wrong_type("max_errors", "an int", object));
    };
    if number.lt(1)? {
        return Err(PyValueError::new_err("max_errors must be at least 1"));
    }
    bound(number.as_any(), usize::MAX)
}

/// An integer, or `largest` if it is larger.
fn bound<T>(object: &Bound<'_, PyAny>, largest: T) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    let number: PyResult<T> = object.extract();
    match number {
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Ok(largest),
        number => number,
    }
}

/// `duplicates=`
pub(crate) fn duplicates(word: &str) -> PyResult<Duplicates> {
    match word {
        "last" => Ok(Duplicates::Last),
        "first" => Ok(Duplicates::First),
        "error" => Ok(Duplicates::Error),
        _ => Err(unknown_word("duplicates", word, "'last', 'first' or 'error'")),
    }
}

/// `unknown=`
pub(crate) fn unknown(word: &str) -> PyResult<Unknown> {
    match word {
        "skip" => Ok(Unknown::Skip),
        "error" => Ok(Unknown::Error),
        "collect" => Ok(Unknown::Collect),
        _ => Err(unknown_word("unknown", word, "'skip', 'error' or 'collect'")),
    }
}

/// `unknown=` where unknown keys are not counted.
pub(crate) fn unknown_in_memory(word: &str) -> PyResult<Unknown> {
    match word {
        "collect" => Err(PyValueError::new_err(
            "unknown must be 'skip' or 'error', not 'collect': only read() and Decoder have a place \
             to count",
        )),
        word => unknown(word),
    }
}

/// `compression=`
pub(crate) fn compression(word: Option<&str>) -> PyResult<Compression> {
    match word {
        None => Ok(Compression::None),
        Some("infer") => Ok(Compression::Infer),
        Some("gzip") => Ok(Compression::Gzip),
        Some("zstd") => Ok(Compression::Zstd),
        Some("bzip2") => Ok(Compression::Bzip2),
        Some("xz") => Ok(Compression::Xz),
        Some(word) => {
            let allowed = "'infer', None, 'gzip', 'zstd', 'bzip2' or 'xz'";
            Err(unknown_word("compression", word, allowed))
        }
    }
}

/// `encoding=`
pub(crate) fn encoding(word: Option<&str>) -> PyResult<Option<Encoding>> {
    let Some(word) = word else { return Ok(None) };
    match encoding::by_name(word) {
        Some(encoding) => Ok(Some(encoding)),
        None => Err(unknown_word("encoding", word, "a name of the WHATWG table")),
    }
}

/// `limits=`
pub(crate) fn limits(object: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(object) = object else { return Ok(Limits::default()) };
    let class = object.py().import(modules::LIMITS)?.getattr("Limits")?;
    if !object.is_instance(&class)? {
        return Err(wrong_type("limits", "a Limits", object));
    }
    let size = |name| bound(&object.getattr(name)?, usize::MAX);
    let bytes = |name| bound(&object.getattr(name)?, Some(u64::MAX));
    let depth = size("depth")?;
    deep::make_room(depth)?;
    Ok(Limits {
        depth,
        token: size("token")?,
        lookahead: size("lookahead")?,
        row: size("row")?,
        number: size("number")?,
        total: bytes("total")?,
        memory: bytes("memory")?,
        ratio: bytes("ratio")?,
        window: bound(&object.getattr("window")?, u64::MAX)?,
        attributes: size("attributes")?,
        name: size("name")?,
        tag: size("tag")?,
        entities: size("entities")?,
        amplification: bound(&object.getattr("amplification")?, u64::MAX)?,
        expansion: bytes("expansion")?,
    })
}

/// `empty=`: what happens if a document has no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    Allow,
    /// A warning, if a path says where they are.
    Warn,
    Error,
}

impl Empty {
    /// What a run is told of records that it must or should find. `has_path` says whether a path
    /// selects them.
    pub(crate) fn wanted(self, sought: String, has_path: bool) -> Option<(String, bool)> {
        match self {
            Empty::Error => Some((sought, false)),
            Empty::Warn if has_path => Some((sought, true)),
            _ => None,
        }
    }
}

/// Warns that a document has no records.
#[cold]
pub(crate) fn warn_of_lack(py: Python<'_>, reason: &str, source: Option<&str>) -> PyResult<()> {
    let source = source.map_or_else(String::new, |source| format!("{source}: "));
    let advice = "empty='allow' says that this is right, and empty='error' that it is not";
    let class = (modules::EMPTY, "EmptyWarning");
    warnings::issue(py, class, &format!("{source}{reason}; {advice}"))
}

/// Warns that the rest of a source is left out.
#[cold]
pub(crate) fn warn_of_broken(py: Python<'_>, error: &PyErr) -> PyResult<()> {
    let text = error.value(py).str()?;
    let class = (modules::BROKEN, "BrokenFileWarning");
    let message = format!("{}; the rest of this file is left out", text.to_string_lossy());
    warnings::issue(py, class, &message)
}

/// What happens with bad records: the options that `read` and `Decoder` share, checked once.
#[pyclass(frozen, name = "Policy", module = "penstock._rust")]
pub(crate) struct PolicyObject {
    /// The arguments that it was made with, for pickling.
    arguments: Py<PyTuple>,
    pub(crate) max_errors: usize,
    pub(crate) duplicates: Duplicates,
    pub(crate) unknown: Unknown,
    pub(crate) all_errors: bool,
    pub(crate) empty: Empty,
    /// How many records a reader delivers at most.
    pub(crate) limit: u64,
}

#[pymethods]
impl PolicyObject {
    #[new]
    #[pyo3(signature = (errors, max_errors, duplicates, unknown, all_errors, empty, limit = None, /))]
    #[expect(clippy::too_many_arguments, reason = "one for each option")]
    fn new(
        py: Python<'_>,
        errors: &Bound<'_, PyAny>,
        max_errors: &Bound<'_, PyAny>,
        duplicates: &Bound<'_, PyAny>,
        unknown: &Bound<'_, PyAny>,
        all_errors: &Bound<'_, PyAny>,
        empty: &Bound<'_, PyAny>,
        limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            Errors::new(errors)?;
            let mut arguments = vec![errors, max_errors, duplicates, unknown, all_errors, empty];
            arguments.extend(limit);
            Ok(PolicyObject {
                limit: limit.map_or(Ok(u64::MAX), most)?,
                arguments: PyTuple::new(py, arguments)?.unbind(),
                max_errors: super::options::max_errors(max_errors)?,
                duplicates: super::options::duplicates(text("duplicates", duplicates)?)?,
                unknown: super::options::unknown(text("unknown", unknown)?)?,
                all_errors: flag("all_errors", all_errors)?,
                empty: match text("empty", empty)? {
                    "allow" => Empty::Allow,
                    "warn" => Empty::Warn,
                    "error" => Empty::Error,
                    word => {
                        return Err(unknown_word("empty", word, "'allow', 'warn' or 'error'"));
                    }
                },
            })
        })
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.arguments.bind(py).clone()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.arguments)
    }
}

impl PolicyObject {
    /// The same for a first pass: records in error are passed over, unless they are raised.
    pub(crate) fn of_first_pass(&self, py: Python<'_>) -> PyResult<Self> {
        let arguments = self.arguments.bind(py);
        let list = arguments.to_list();
        if !matches!(self.errors(py)?, Errors::Raise) {
            list.set_item(0, "skip")?;
        }
        Ok(PolicyObject { arguments: list.to_tuple().unbind(), ..*self })
    }

    /// What happens with records that do not fit.
    pub(crate) fn errors(&self, py: Python<'_>) -> PyResult<Errors> {
        Errors::new(&self.arguments.bind(py).get_item(0)?)
    }
}

/// `limit=`: how many records there are at most.
fn most(limit: &Bound<'_, PyAny>) -> PyResult<u64> {
    let is_number = limit.is_instance_of::<PyInt>() && !limit.is_instance_of::<PyBool>();
    match limit.extract::<u64>() {
        Ok(most) if is_number && most > 0 => Ok(most),
        _ => {
            let reason = "limit must be a number of records, from 1 on, or None";
            Err(PyValueError::new_err(reason))
        }
    }
}

/// `errors=`: what happens with records that do not fit.
pub(crate) enum Errors {
    /// The first one is raised.
    Raise,
    /// They are counted.
    Skip,
    /// They are raised together, after the last good record.
    Collect,
    /// This function is called with each.
    Give(Held),
}

impl Errors {
    /// The function to call, if there is one.
    pub(crate) fn held(&self) -> Option<Held> {
        if let Errors::Give(target) = self { Some(target.clone()) } else { None }
    }

    /// The same as a policy of the run.
    pub(crate) fn policy(&self, max_errors: usize) -> Policy {
        match self {
            Errors::Raise => Policy::Raise,
            Errors::Skip => Policy::Skip,
            Errors::Collect => Policy::Collect { most: max_errors },
            Errors::Give(_) => Policy::Hand,
        }
    }

    /// From the word, or the callable.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(word) = object.extract::<&str>() else {
            if object.is_callable() {
                return Ok(Errors::Give(Held::new(object)));
            }
            return Err(wrong_type("errors", "'raise', 'skip', 'collect' or a callable", object));
        };
        match word {
            "raise" => Ok(Errors::Raise),
            "skip" => Ok(Errors::Skip),
            "collect" => Ok(Errors::Collect),
            _ => Err(unknown_word("errors", word, "'raise', 'skip', 'collect' or a callable")),
        }
    }
}

/// Refuses options that a method does not have, and says where they are. A method that takes them
/// as `**others` gets none at a call without a mistake.
pub(crate) fn refuse_others(name: &str, others: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    match others {
        Some(others) => Err(unexpected(name, others)),
        None => Ok(()),
    }
}

#[cold]
fn unexpected(name: &str, others: &Bound<'_, PyDict>) -> PyErr {
    let py = others.py();
    let message = || -> PyResult<String> {
        let module = py.import(intern!(py, modules::SUGGEST))?;
        module.call_method1(intern!(py, "refusal"), (name, others))?.extract()
    };
    match message() {
        Ok(message) => PyTypeError::new_err(message),
        Err(instead) => instead,
    }
}
