//! What a document is written in, and how that is to be read: what differs from format to format
//! between a caller and a reader.

use crate::objects::{ForceList, FormatOptions, KeyedOptions, Lends, MarkupOptions, Repeated};
use crate::options::{format, framing, text, unknown_word, wrong_type};
use crate::plan::{Aimed, Plan, Prefixes, plan_from, plan_of_kinds};
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::reader::Reader;
use penstock_core::select::{Path, PathError, Records};
use penstock_core::shape::Form;
use penstock_core::source::Detect;
use penstock_core::xml::{self, RepairKind, Repairs, Unresolved};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};
use std::collections::HashMap;
use std::sync::Arc;

/// A format, with those of its options that are about the text and not about what is made of it.
pub(crate) enum Grammar {
    /// JSON, and how its values are framed.
    Json {
        /// What the format is called.
        format: &'static str,
        framing: Framing,
    },
    /// XML.
    Xml(Box<Markup>),
}

/// What is read into what.
pub(crate) struct Choice {
    pub(crate) plan: Arc<Plan>,
    /// Which values are records. Nothing if each one at the root is.
    pub(crate) records: Option<Records>,
    /// Both in words, for `repr`.
    pub(crate) title: String,
}

/// How XML is to be read.
pub(crate) struct Markup {
    options: xml::Options,
    /// The namespaces of the prefixes of paths.
    namespaces: HashMap<String, String>,
    /// The same for plans.
    prefixes: Py<PyDict>,
    repeated: Repeated,
    force_list: ForceList,
}

impl Grammar {
    /// From the format's name and what goes with it: for JSON the word for its framing, for XML a
    /// tuple of `namespaces`, `unresolved`, `repair`, `repeated` and `force_list`.
    pub(crate) fn new(name: &str, said: &Bound<'_, PyAny>) -> PyResult<Self> {
        match format(name)? {
            "xml" => Ok(Grammar::Xml(Box::new(Markup::new(said.cast::<PyTuple>()?)?))),
            format => Ok(Grammar::Json { format, framing: framing(text("framing", said)?)? }),
        }
    }

    /// What the format is called.
    pub(crate) fn format(&self) -> &'static str {
        match self {
            Grammar::Json { format, .. } => format,
            Grammar::Xml(_) => "xml",
        }
    }

    /// The same with its article.
    pub(crate) fn shown(&self) -> String {
        let article = if self.is_markup() { "an" } else { "a" };
        format!("{article} {}", self.format())
    }

    /// Whether a source is one document, and not values one after the other.
    pub(crate) fn is_document(&self) -> bool {
        matches!(self, Grammar::Xml(_) | Grammar::Json { framing: Framing::Document, .. })
    }

    /// Whether the format has elements and attributes.
    pub(crate) fn is_markup(&self) -> bool {
        matches!(self, Grammar::Xml(_))
    }

    /// Whether a document itself tells its encoding.
    pub(crate) fn detect(&self) -> Detect {
        if self.is_markup() { Detect::Xml } else { Detect::Nothing }
    }

    /// The plan for what a user passes as a type.
    pub(crate) fn plan(&self, into: &Bound<'_, PyAny>) -> PyResult<Arc<Plan>> {
        let py = into.py();
        plan_from(py, into, self.aimed(py))
    }

    /// What a plan is to be for.
    fn aimed<'a, 'py>(&'a self, py: Python<'py>) -> Aimed<'a, 'py> {
        match self {
            Grammar::Json { .. } => Form::KEYED.into(),
            Grammar::Xml(markup) if !markup.options.namespaces => {
                Aimed { form: Form::MARKUP, prefixes: Prefixes::AsWritten }
            }
            Grammar::Xml(markup) => {
                let prefixes = Prefixes::Bound(Some(markup.prefixes.bind(py)));
                Aimed { form: Form::MARKUP, prefixes }
            }
        }
    }

    /// A reader at the beginning of a source. `declarations` says whether declarations of
    /// namespaces are wanted as attributes.
    pub(crate) fn reader(&self, declarations: bool, limits: &Limits) -> Reader {
        match self {
            Grammar::Json { framing, .. } => Reader::Json(json::Reader::new(*framing, limits)),
            Grammar::Xml(markup) => {
                let options = xml::Options { declarations, ..markup.options };
                Reader::Xml(Box::new(xml::Reader::new(options, limits)))
            }
        }
    }

    /// How to build from the format.
    pub(crate) fn building(&self, limits: &Limits) -> FormatOptions {
        let &Limits { token, number, .. } = limits;
        let Grammar::Xml(markup) = self else {
            return FormatOptions::Keyed(KeyedOptions { lends: Lends::Json, number });
        };
        let Markup { repeated, force_list, .. } = &**markup;
        let (repeated, force_list) = (*repeated, force_list.clone());
        FormatOptions::Markup(MarkupOptions { repeated, force_list, token, number })
    }

    /// The URI that a prefix in a path stands for.
    pub(crate) fn namespace(&self, prefix: &str) -> Option<&str> {
        match self {
            Grammar::Json { .. } => None,
            Grammar::Xml(markup) => markup.namespaces.get(prefix).map(String::as_str),
        }
    }

    /// Whether names are only names: the format has no namespaces, or they are not to be resolved.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Grammar::Json { .. } => true,
            Grammar::Xml(markup) => !markup.options.namespaces,
        }
    }

    /// What is read into what, from `at=` and the type that goes with it.
    pub(crate) fn choose(
        &self,
        into: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Choice> {
        let Some(at) = at else {
            let plan = self.plan(into)?;
            let records = self.is_document().then(Records::by_default);
            let title = format!("{}, {}", plan.nodes[plan.root as usize].written, self.default());
            return Ok(Choice { plan, records, title });
        };
        if let Ok(at) = at.cast::<PyString>() {
            let at = at.to_str()?;
            let plan = self.plan(into)?;
            let records = Records::at(&self.path(at)?).map_err(|error| wrong_path(at, &error))?;
            let title = format!("{}, at {at:?}", plan.nodes[plan.root as usize].written);
            return Ok(Choice { plan, records: Some(records), title });
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
        let mut into: Vec<&str> = Vec::new();
        for &kind in &plan.kinds {
            let written = &*plan.nodes[kind as usize].written;
            if !into.contains(&written) {
                into.push(written);
            }
        }
        let at = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        let title = format!("{}, at {at}", into.join(" | "));
        Ok(Choice { plan, records: Some(records), title })
    }

    /// A path of records, its prefixes resolved.
    fn path(&self, at: &str) -> PyResult<Path> {
        let mut path = Path::parse(at).map_err(|error| wrong_path(at, &error))?;
        if self.is_plain() {
            path.as_written();
        } else {
            let bound = path.bind(|prefix| self.namespace(prefix));
            bound.map_err(|error| wrong_path(at, &error))?;
        }
        Ok(path)
    }

    /// What a record is where no path says it.
    fn default(&self) -> &'static str {
        match self {
            Grammar::Xml(_) => "the child elements of the root",
            Grammar::Json { framing: Framing::Document, .. } => {
                "the elements of a top-level array, else the document as one record"
            }
            Grammar::Json { framing: Framing::Lines, .. } => "a line each",
            Grammar::Json { .. } => "a value each",
        }
    }
}

/// A path that is none, or leads nowhere.
pub(crate) fn wrong_path(at: &str, error: &PathError) -> PyErr {
    PyValueError::new_err(format!("at={at:?}, column {}: {}", error.column, error.reason))
}

impl Markup {
    fn new(said: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let [namespaces, unresolved, repair, repeated, force_list] =
            [0, 1, 2, 3, 4].map(|index| said.get_item(index));
        let mut options = xml::Options {
            unresolved: self::unresolved(text("unresolved", &unresolved?)?)?,
            repairs: repairs(&repair?)?,
            ..xml::Options::default()
        };
        let mut bound = HashMap::new();
        let mut prefixes = PyDict::new(said.py());
        let namespaces = namespaces?;
        if namespaces.is(PyBool::new(said.py(), false)) {
            options.namespaces = false;
        } else if !namespaces.is_none() {
            (bound, prefixes) = bindings(&namespaces)?;
        }
        Ok(Markup {
            options,
            namespaces: bound,
            prefixes: prefixes.unbind(),
            repeated: self::repeated(text("repeated", &repeated?)?)?,
            force_list: self::force_list(&force_list?)?,
        })
    }
}

/// `namespaces=`, where it is neither None nor False.
fn bindings<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<(HashMap<String, String>, Bound<'py, PyDict>)> {
    let wrong = || wrong_type("namespaces", "a mapping of prefixes to URIs, None or False", object);
    let mapping = object.cast::<PyDict>().map_err(|_| wrong())?;
    let mut bound = HashMap::new();
    for (prefix, uri) in mapping {
        let uri = text("a namespace's URI", &uri)?.to_owned();
        bound.insert(text("a namespace's prefix", &prefix)?.to_owned(), uri);
    }
    Ok((bound, mapping.clone()))
}

/// `unresolved=`
fn unresolved(word: &str) -> PyResult<Unresolved> {
    match word {
        "error" => Ok(Unresolved::Error),
        "text" => Ok(Unresolved::Text),
        _ => Err(unknown_word("unresolved", word, "'error' or 'text'")),
    }
}

/// `repair=`, as an iterable of words.
fn repairs(object: &Bound<'_, PyAny>) -> PyResult<Repairs> {
    let mut repairs = Repairs::default();
    for word in object.try_iter()? {
        let word = word?;
        let word = text("repair", &word)?;
        let named = |kind: &&RepairKind| word == "all" || word == kind.name();
        let mut meant = RepairKind::ALL.iter().filter(named).peekable();
        if meant.peek().is_none() {
            let names = RepairKind::ALL.map(|kind| format!("'{}'", kind.name()));
            let allowed = format!("'all' or some of {}", names.join(", "));
            return Err(unknown_word("repair", word, &allowed));
        }
        repairs = meant.fold(repairs, |repairs, kind| repairs.with(*kind));
    }
    Ok(repairs)
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
