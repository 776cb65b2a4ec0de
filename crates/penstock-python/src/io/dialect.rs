//! A dialect of a format, as a Python object: the format of a document and the options for reading
//! it.

use super::condition::Wanted;
use crate::edge::errors::guarded;
use crate::edge::options::{named_options, text, text_or_none, unknown_word, wrong_type};
use crate::objects::{ForceList, FormatOptions, KeyedOptions, MarkupOptions, Repeated, Root};
use crate::plan::{Plan, PlanKey, PlanRef, Prefixes, plan_error, plan_from, plan_of_kinds};
use penstock_core::formats::{self, FORMATS, Format, Lends, Reader};
use penstock_core::limits::Limits;
use penstock_core::options::{InvalidOption, OptionValue, Value, alternatives};
use penstock_core::select::{Condition, Path, PathError, Records};
use penstock_core::shape::Form;
use penstock_core::source::Detect;
use penstock_core::xml::check_path;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDict, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString, PyTuple,
};
use std::sync::Arc;

/// A format with its options.
///
/// The options of the text are the format's (`non_finite` of JSON; `framing` of NDJSON; `namespaces`, `unresolved` and
/// `repair` of XML). The options for building from elements are here: `repeated`, `force_list` and `root`.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Dialect {
    core: Arc<dyn formats::Dialect>,
    /// The namespaces of the prefixes in paths, for plans.
    prefixes: Option<Py<PyDict>>,
    repeated: Repeated,
    force_list: ForceList,
    /// The element that the root must be.
    root: Option<Arc<Root>>,
    /// Which records are wanted, if not all are.
    wanted: Option<Arc<Wanted>>,
    /// The options that it was made with, for pickling.
    options: Py<PyDict>,
}

/// The type to read, and which values are records.
pub(crate) struct Choice {
    pub(crate) plan: PlanRef,
    /// Which values are records. None: each value at the root.
    pub(crate) records: Option<Records>,
    /// Which of them are wanted, if not all are.
    pub(crate) condition: Option<Arc<Condition>>,
    /// The type and the path as `repr` shows them.
    pub(crate) title: String,
    /// What is said of a document without records.
    pub(crate) sought: String,
}

#[pymethods]
impl Dialect {
    #[new]
    #[pyo3(signature = (format, options=None, /, **named))]
    fn new(
        py: Python<'_>,
        format: &str,
        options: Option<&Bound<'_, PyDict>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let format = of_name(format)?;
            let options = named_options(py, options, named)?;
            let (mut repeated, mut force_list) = (Repeated::default(), ForceList::default());
            let (mut root, mut wanted) = (None, None);
            let mut said = Vec::with_capacity(options.len());
            for (option, value) in &options {
                match (format.form.has_elements(), text("an option", &option)?) {
                    (true, "repeated") => {
                        repeated = super::dialect::repeated(text("repeated", &value)?)?
                    }
                    (true, "force_list") => force_list = super::dialect::force_list(&value)?,
                    (true, "root") => {
                        let name = (!value.is_none()).then_some(&value);
                        root = text_or_none("root", name)?.map(str::to_owned);
                    }
                    (_, "where") => wanted = Some(Arc::new(Wanted::of(&value)?)),
                    (_, option) => said.push((option.to_owned(), of_python(&value)?)),
                }
            }
            let core = (format.dialect)(&said).map_err(|wrong| refused(&wrong))?;
            let prefixes = core.namespaces().map(|namespaces| namespaces.into_pyobject(py));
            let prefixes = prefixes.transpose()?.map(Bound::unbind);
            let options = options.unbind();
            let root_name = root;
            let mut dialect =
                Dialect { core, prefixes, repeated, force_list, root: None, wanted, options };
            if let Some(root) = root_name {
                dialect.root = Some(Arc::new(dialect.root_named(&root)?));
            }
            Ok(dialect)
        })
    }

    /// The same dialect, for those records that a condition wants.
    #[pyo3(signature = (given, /))]
    fn wanting(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        guarded(py, || {
            let options = self.options.bind(py).copy()?;
            options.set_item("where", given)?;
            Ok(Dialect {
                core: Arc::clone(&self.core),
                prefixes: self.prefixes.as_ref().map(|prefixes| prefixes.clone_ref(py)),
                repeated: self.repeated,
                force_list: self.force_list.clone(),
                root: self.root.clone(),
                wanted: Some(Arc::new(Wanted::of(given)?)),
                options: options.unbind(),
            })
        })
    }

    /// The name of the format.
    #[getter]
    fn format(&self) -> &'static str {
        self.name()
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        guarded(py, || Ok((PyTuple::new(py, [self.name()])?, self.options.bind(py).clone())))
    }
}

impl Dialect {
    /// The dialect of a format without any option.
    pub(crate) fn usual(py: Python<'_>, format: &'static Format) -> PyResult<Self> {
        let core = (format.dialect)(&[]).map_err(|wrong| refused(&wrong))?;
        let prefixes = core.namespaces().is_some().then(|| PyDict::new(py).unbind());
        let (repeated, force_list) = (Repeated::default(), ForceList::default());
        let options = PyDict::new(py).unbind();
        let (root, wanted) = (None, None);
        Ok(Dialect { core, prefixes, repeated, force_list, root, wanted, options })
    }

    /// The name of the format.
    #[inline]
    pub(crate) fn name(&self) -> &'static str {
        self.core.format().name
    }

    /// What people call the format.
    pub(crate) fn title(&self) -> &'static str {
        self.core.format().title
    }

    /// The name with its article.
    pub(crate) fn shown(&self) -> String {
        let Format { article, name, .. } = self.core.format();
        format!("{article} {name}")
    }

    /// Whether a source is one document, rather than values one after the other.
    #[inline]
    pub(crate) fn is_document(&self) -> bool {
        self.core.is_document()
    }

    /// Whether a source is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        std::ptr::eq(self.core.format(), &raw const penstock_core::formats::json::JSON)
    }

    /// A text that is another one for every dialect in which records are other parts of a file.
    pub(crate) fn described(&self, limits: &Limits) -> String {
        format!("{:?} {}", self.core, limits.row)
    }

    /// Whether it was made with options.
    pub(crate) fn has_options(&self, py: Python<'_>) -> bool {
        !self.options.bind(py).is_empty()
    }

    /// Whether the format has elements and attributes.
    pub(crate) fn has_elements(&self) -> bool {
        self.core.format().form.has_elements()
    }

    /// How a document itself declares its encoding.
    #[inline]
    pub(crate) fn detect(&self) -> Detect {
        self.core.detect()
    }

    /// The plan for what a user passes as a type.
    pub(crate) fn plan(&self, into: &Bound<'_, PyAny>) -> PyResult<PlanRef> {
        let py = into.py();
        let plan = plan_from(py, into, self.aimed(py))?;
        self.has_place_for(py, &plan)?;
        Ok(plan)
    }

    /// Refuses a type with a `Raw` for a format other than JSON.
    fn has_place_for(&self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let format = self.core.format();
        if matches!(format.lends, Lends::Json) || !plan.has_raw() {
            return Ok(());
        }
        let written = &plan.nodes[plan.root as usize].written;
        Err(plan_error(
            py,
            format_args!("{written}: a Raw is a part of JSON, and {} has none", format.title),
        ))
    }

    /// What a plan is made for.
    fn aimed<'a, 'py>(&'a self, py: Python<'py>) -> PlanKey<'a, 'py> {
        let form = self.core.format().form;
        match &self.prefixes {
            Some(prefixes) => PlanKey { form, prefixes: Prefixes::Bound(Some(prefixes.bind(py))) },
            None if form.has_elements() => PlanKey { form, prefixes: Prefixes::AsWritten },
            None => form.into(),
        }
    }

    /// A reader at the beginning of a source. With `everything`, it reports declarations of
    /// namespaces as attributes.
    #[inline]
    pub(crate) fn reader(&self, everything: bool, limits: &Limits) -> Reader {
        self.core.reader(everything, limits)
    }

    /// The options for building from the format.
    pub(crate) fn building(&self, limits: &Limits) -> FormatOptions {
        let &Limits { token, number, memory, .. } = limits;
        if !self.has_elements() {
            let lends = self.core.format().lends;
            return FormatOptions::Keyed(KeyedOptions { lends, number, token, memory });
        }
        let (repeated, force_list) = (self.repeated, self.force_list.clone());
        let root = self.root.clone();
        FormatOptions::Markup(MarkupOptions { repeated, force_list, root, token, number, memory })
    }

    /// The URI that a prefix in a path stands for.
    pub(crate) fn namespace(&self, prefix: &str) -> Option<&str> {
        self.core.namespaces()?.get(prefix).map(String::as_str)
    }

    /// Whether names are used as written: the format has no namespaces, or they are not to be
    /// resolved.
    pub(crate) fn has_plain_names(&self) -> bool {
        self.core.namespaces().is_none()
    }

    /// Refuses a path that nothing in a document of the format can match.
    pub(crate) fn check(&self, path: &Path) -> Result<(), PathError> {
        if self.has_elements() { check_path(path) } else { Ok(()) }
    }

    /// What the records are without `at=`, for `repr`.
    pub(crate) fn default_records(&self) -> &'static str {
        self.core.default_records()
    }

    /// The records at a path.
    pub(crate) fn records(&self, at: &str) -> PyResult<Records> {
        Records::at(&self.path(at)?).map_err(|error| wrong_path(at, &error))
    }

    /// Which elements are lists although they occur once.
    pub(crate) fn force_list(&self) -> &ForceList {
        &self.force_list
    }

    /// The choice for `at=` and the type.
    pub(crate) fn choose(
        &self,
        into: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Choice> {
        let mut choice = self.choose_all(into, at)?;
        choice.condition = self.condition(into.py(), Some(&choice.plan))?;
        if let Some(wanted) = &self.wanted {
            choice.title = format!("{}, where {}", choice.title, wanted.shown());
        }
        Ok(choice)
    }

    /// The same without a condition.
    fn choose_all(
        &self,
        into: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Choice> {
        let Some(at) = at else {
            let plan = self.plan(into)?;
            let records = self.is_document().then(Records::by_default);
            let title = format!(
                "{}, {}",
                plan.nodes[plan.root as usize].written,
                self.core.default_records()
            );
            let sought = "there is no record".to_owned();
            return Ok(Choice { plan, records, condition: None, title, sought });
        };
        if let Ok(at) = at.cast::<PyString>() {
            let at = at.to_str()?;
            let plan = self.plan(into)?;
            let records = self.records(at)?;
            let title = format!("{}, at {at:?}", plan.nodes[plan.root as usize].written);
            let sought = format!("there is nothing at {at:?}");
            return Ok(Choice { plan, records: Some(records), condition: None, title, sought });
        }
        if !at.hasattr("keys")? {
            return Err(wrong_type("at", "a str, a mapping of paths to types, or None", at));
        }
        self.kinds(into, &at.py().get_type::<PyDict>().call1((at,))?.cast_into()?)
    }

    /// Several kinds of records, from a dict of paths and types.
    fn kinds(&self, into: &Bound<'_, PyAny>, at: &Bound<'_, PyDict>) -> PyResult<Choice> {
        let py = at.py();
        if !into.is(py.get_type::<PyAny>()) {
            let message = "at says the type of each kind of record: leave the other type out";
            return Err(PyValueError::new_err(message));
        }
        if at.is_empty() {
            return Err(PyValueError::new_err("at names no records: it is empty"));
        }
        let (mut words, mut paths, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (word, kind) in at {
            let word = text("a path in at", &word)?.to_owned();
            paths.push(self.path(&word)?);
            words.push(word);
            types.push(kind);
        }
        let records = Records::several(&paths);
        let records = records.map_err(|(path, error)| wrong_path(&words[path], &error))?;
        let plan = plan_of_kinds(py, &types, self.aimed(py))?;
        self.has_place_for(py, &plan)?;
        let mut into: Vec<&str> = Vec::new();
        for &kind in &plan.kinds {
            let written = &*plan.nodes[kind as usize].written;
            if !into.contains(&written) {
                into.push(written);
            }
        }
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        let (at, sought) = (words.join(", "), words.join(" or "));
        let title = format!("{}, at {at}", into.join(" | "));
        let sought = format!("there is nothing at {sought}");
        Ok(Choice { plan, records: Some(records), condition: None, title, sought })
    }

    /// Which records of a type are wanted, if not all are.
    pub(crate) fn condition(
        &self,
        py: Python<'_>,
        plan: Option<&Plan>,
    ) -> PyResult<Option<Arc<Condition>>> {
        let Some(wanted) = &self.wanted else { return Ok(None) };
        let is_rows = self.core.format().form == Form::ROWS;
        let path = |text: &str| {
            let mut path = Path::parse(text)?;
            match self.core.namespaces() {
                None => path.as_written(),
                Some(_) => path.bind(|prefix| self.namespace(prefix))?,
            }
            self.check(&path)?;
            Ok(path)
        };
        wanted.condition(py, plan, is_rows, &path).map(Some)
    }

    /// The path of the records, with its prefixes resolved.
    /// The element that the root must be.
    fn root_named(&self, root: &str) -> PyResult<Root> {
        let path = self.path(root).ok().filter(|path| path.steps().len() == 1 && !path.anywhere());
        let found = path.and_then(|path| Root::new(root, &path));
        found.ok_or_else(|| {
            let message = format!("root={root:?}: it is the name of an element, as a path has it");
            PyValueError::new_err(message)
        })
    }

    fn path(&self, at: &str) -> PyResult<Path> {
        let mut path = Path::parse(at).map_err(|error| wrong_path(at, &error))?;
        if self.core.namespaces().is_none() {
            path.as_written();
        } else {
            let bound = path.bind(|prefix| self.namespace(prefix));
            bound.map_err(|error| wrong_path(at, &error))?;
        }
        self.check(&path).map_err(|error| wrong_path(at, &error))?;
        Ok(path)
    }
}

/// The exception for a path that is invalid.
pub(crate) fn wrong_path(at: &str, error: &PathError) -> PyErr {
    PyValueError::new_err(format!("at={at:?}, column {}: {}", error.column, error.reason))
}

/// The format with this name.
pub(crate) fn of_name(name: &str) -> PyResult<&'static Format> {
    Format::by_name(name).ok_or_else(|| {
        let names: Vec<String> =
            FORMATS.iter().map(|format| format!("'{}'", format.name)).collect();
        unknown_word("format", name, &alternatives(&names))
    })
}

/// JSON without options, as `open` reads it.
pub(crate) fn json(py: Python<'_>) -> PyResult<&Dialect> {
    static JSON: PyOnceLock<Dialect> = PyOnceLock::new();
    JSON.get_or_try_init(py, || Dialect::usual(py, &penstock_core::formats::json::JSON))
}

/// The table of formats. Each row has the name, the name as people write it, the suffixes, the
/// characters that only this format may begin with, and whether a source is a list of values.
pub(crate) fn table(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let rows = FORMATS.iter().map(|format| {
        let begins: Vec<String> = format.begins_with.iter().map(char::to_string).collect();
        let suffixes = PyTuple::new(py, format.suffixes)?;
        (format.name, format.title, suffixes, PyTuple::new(py, begins)?, format.is_stream)
            .into_pyobject(py)
    });
    PyTuple::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}

/// Converts an option for the format, which checks it.
pub(crate) fn of_python(object: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    let kind = object.get_type().name()?.to_string();
    let value = if object.is_none() {
        Value::Nothing
    } else if let Ok(flag) = object.cast::<PyBool>() {
        Value::Flag(flag.is_true())
    } else if let Ok(text) = object.cast::<PyString>() {
        Value::Text(text.to_str()?.to_owned())
    } else if object.is_instance_of::<PyInt>() {
        object.extract().map_or(Value::Other, Value::Number)
    } else if let Ok(mapping) = object.cast::<PyMapping>() {
        let mut pairs = Vec::new();
        for pair in mapping.items()? {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            pairs.push((of_python(&key)?, of_python(&value)?));
        }
        Value::Pairs(pairs)
    } else if object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>()
    {
        let several = object.try_iter()?.map(|one| of_python(&one?));
        Value::Several(several.collect::<PyResult<_>>()?)
    } else {
        Value::Other
    };
    Ok(OptionValue { kind, value })
}

/// The exception for an option that the format does not take.
#[cold]
pub(crate) fn refused(wrong: &InvalidOption) -> PyErr {
    match wrong {
        InvalidOption::Word { .. } | InvalidOption::Impossible { .. } => {
            PyValueError::new_err(wrong.to_string())
        }
        InvalidOption::Type { .. } | InvalidOption::Unknown { .. } => {
            PyTypeError::new_err(wrong.to_string())
        }
    }
}

/// `repeated=`
fn repeated(word: &str) -> PyResult<Repeated> {
    match word {
        "error" => Ok(Repeated::Error),
        "first" => Ok(Repeated::First),
        "last" => Ok(Repeated::Last),
        "join" => Ok(Repeated::Join),
        _ => Err(unknown_word("repeated", word, "'error', 'first', 'last' or 'join'")),
    }
}

/// `force_list=`: a bool, or an iterable of names.
fn force_list(object: &Bound<'_, PyAny>) -> PyResult<ForceList> {
    if let Ok(always) = object.cast::<PyBool>() {
        return Ok(if always.is_true() { ForceList::Always } else { ForceList::Never });
    }
    let names = object.try_iter()?.map(|name| Ok(text("force_list", &name?)?.to_owned()));
    Ok(ForceList::Names(names.collect::<PyResult<_>>()?))
}
