//! `Document`, and its two subclasses with parts: a map and a list.

use super::walk::{Step, Walk};
use super::{Handle, Inner, Matches, copying, values, written};
use crate::edge::errors::guarded;
use crate::edge::modules;
use crate::edge::options;
use crate::edge::printable::printable;
use penstock_core::document::{List, Map, View};
use penstock_core::path_step::PathStep;
use penstock_core::word::Word;
use penstock_scan::gathered;
use pyo3::exceptions::{
    PyAttributeError, PyIndexError, PyKeyError, PyTypeError, PyUnicodeError, PyValueError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySlice, PyString, PyTuple};
use std::sync::Arc;

/// An open JSON document, or an object or array in it. `penstock.open` creates it.
///
/// An object is a read-only `Mapping` and an array a read-only `Sequence`. You get scalars as
/// `int`, `str` and so on, and objects and arrays as a `Document` each. Penstock makes nothing
/// before you ask for it. A part keeps the whole document in memory.
///
/// Example:
///     >>> import penstock
///     >>> doc = penstock.open(b'{"items": [{"name": "Vila", "size": 1.50}]}')
///     >>> doc["items"][0]["name"], list(doc), len(doc["items"])
///     ('Vila', ['items'], 1)
///     >>> doc["items"][0]
///     Document(at 'items/0', an object of 2)
#[pyclass(frozen, subclass, module = "penstock")]
pub(crate) struct Document {
    pub(super) handle: Arc<Handle>,
    pub(super) word: Word,
}

/// A JSON object of an open document.
#[pyclass(frozen, extends = Document, module = "penstock._rust")]
pub(crate) struct DocumentMap;

/// A JSON array of an open document.
#[pyclass(frozen, extends = Document, module = "penstock._rust")]
pub(crate) struct DocumentList;

impl Document {
    /// The whole document.
    pub(super) fn root(py: Python<'_>, handle: Arc<Handle>) -> PyResult<Bound<'_, PyAny>> {
        let inner = handle.get()?;
        let view = inner.view(py);
        Document::part(py, &handle, &view, view.root())
    }

    /// The part of a word.
    pub(super) fn part<'py>(
        py: Python<'py>,
        handle: &Arc<Handle>,
        view: &View<'_>,
        word: Word,
    ) -> PyResult<Bound<'py, PyAny>> {
        let document = Document { handle: Arc::clone(handle), word };
        Ok(match view.container(word).map(|container| container.is_map()) {
            Some(true) => Bound::new(py, (DocumentMap, document))?.into_any(),
            Some(false) => Bound::new(py, (DocumentList, document))?.into_any(),
            None => Bound::new(py, document)?.into_any(),
        })
    }

    /// Its position in the text.
    pub(super) fn range(&self, view: &View<'_>) -> std::ops::Range<usize> {
        match view.container(self.word) {
            Some(container) => container.range(),
            // The document is a scalar.
            None => view.whole(),
        }
    }

    pub(super) fn path_steps(&self, py: Python<'_>, inner: &Inner) -> Vec<PathStep> {
        inner.path(py, self.word)
    }

    /// Its position, for messages: nothing at the root.
    fn shown_place(&self, py: Python<'_>, inner: &Inner) -> String {
        let path = written(&self.path_steps(py, inner));
        if path.is_empty() { String::new() } else { format!(" at '{path}'") }
    }

    /// The object of a value in the part.
    fn object<'py>(
        &self,
        py: Python<'py>,
        inner: &Inner,
        word: Word,
        slot: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let path = || inner.path_to(py, self.word, slot);
        values::object(py, &self.handle, inner, word, &path)
    }
}

/// The contents of a part.
enum Contents<'a> {
    Map(Map<'a>),
    List(List<'a>),
}

impl Document {
    fn contents<'a>(&self, view: View<'a>) -> PyResult<Contents<'a>> {
        match view.container(self.word) {
            Some(map) if map.is_map() => Ok(Contents::Map(Map(map))),
            Some(list) => Ok(Contents::List(List(list))),
            None => {
                let message = "the document is a scalar, and nothing is in it: to() returns it";
                Err(PyTypeError::new_err(message))
            }
        }
    }
}

/// The type that a part is asked for. `None` is a type, too.
enum Asked<'py> {
    Type(Bound<'py, PyAny>),
    /// None was given.
    Plain,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Asked<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Asked::Type(object.to_owned()))
    }
}

#[pymethods]
impl Document {
    /// Decodes the part into a type; by default into plain values: dicts, lists and scalars.
    ///
    /// It is `decode` of the part. Its errors are those of `decode`, with the position in the whole
    /// document.
    ///
    /// Args:
    ///     into: The type. Without one, you get plain values.
    ///     at: A path in the part, to the value that you want; the first if there are several.
    ///     unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
    ///     all_errors: Whether an error reports all problems.
    ///     types: Functions that make values of types; see `penstock.json.decode`.
    ///
    /// Raises:
    ///     ValidationError: It does not fit.
    ///     KeyError: There is nothing at the path.
    ///     PlanError: Penstock cannot decode into `into`.
    ///     ValueError: `at` is not a path, or the document is closed.
    ///
    /// Example:
    ///     >>> import penstock, decimal
    ///     >>> doc = penstock.open(b'{"items": [{"size": 1.50}]}')
    ///     >>> doc["items"].to(list[dict[str, decimal.Decimal]])
    ///     [{'size': Decimal('1.50')}]
    ///     >>> doc.to(decimal.Decimal, at="items/0/size")
    ///     Decimal('1.50')
    #[pyo3(
        signature = (into=Asked::Plain, /, *, at=None, unknown="skip", all_errors=false, types=None, **others),
        text_signature = "($self, into=..., /, *, at=None, unknown='skip', all_errors=False, types=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "what is decoded, as what, and how")]
    fn to<'py>(
        &self,
        py: Python<'py>,
        into: Asked<'py>,
        at: Option<&Bound<'py, PyAny>>,
        unknown: &str,
        all_errors: bool,
        types: Option<&Bound<'py, PyAny>>,
        others: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            options::refuse_others("to", others)?;
            let inner = self.handle.get()?;
            let into = match into {
                Asked::Type(into) => into,
                Asked::Plain => py.get_type::<PyAny>().into_any(),
            };
            let into = match types {
                Some(types) if !types.is_none() => {
                    py.import(modules::PLAN)?.getattr("with_types")?.call1((into, types))?
                }
                _ => into,
            };
            let plan = crate::io::dialect::json(py)?.plan(&into)?;
            let unknown = options::unknown_in_memory(unknown)?;
            let how = (plan, values::options(&inner, unknown, all_errors));
            let view = inner.view(py);
            let Some(at) = at.filter(|at| !at.is_none()) else {
                let path = || self.path_steps(py, &inner);
                return inner.decode(py, how, self.range(&view), (None, None), &path);
            };
            let path = super::matches::path(at)?;
            let star = path.last_star();
            let found = super::matches::first(&path, view, self.word)?;
            let Some(found) = found else {
                let place = self.shown_place(py, &inner);
                let message = format!("there is nothing at '{path}' in the document{place}");
                return Err(PyKeyError::new_err(message));
            };
            let path = || inner.path_to(py, found.within, found.slot);
            let of = (None, star);
            inner.decode(py, how, super::matches::range(view, &found)?, of, &path)
        })
    }

    /// The values at a path in this part, in the order of the text, as you ask for them. The path
    /// is written as for `penstock.read`. There is no search inside a value that was found, unless
    /// you ask for it.
    ///
    /// Args:
    ///     path: The path, from this part.
    ///     nested: Whether `//x` also finds each `x` inside an `x`. Each comes after that around it.
    ///
    /// Raises:
    ///     TypeError: `nested` is not a bool.
    ///     ValueError: `path` is not a path.
    ///
    /// Example:
    ///     >>> import penstock
    ///     >>> doc = penstock.open(b'{"a": {"name": "x"}, "b": {"name": "y"}}')
    ///     >>> list(doc.at("*/name"))
    ///     ['x', 'y']
    #[pyo3(signature = (path, /, *, nested=None, **others), text_signature = "($self, path, /, *, nested=False)")]
    fn at(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        nested: Option<&Bound<'_, PyAny>>,
        others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Matches> {
        guarded(py, || {
            options::refuse_others("at", others)?;
            let inner = self.handle.get()?;
            let nested = nested.map_or(Ok(false), |nested| options::flag("nested", nested))?;
            let path = super::matches::path(path)?;
            Matches::new(&self.handle, inner.view(py), self.word, &path, nested)
        })
    }

    /// The path from the root of the document to this part, written as for `at`; empty for the
    /// root. Finding it takes a search.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            Ok(PyString::new(py, &written(&self.path_steps(py, &inner))))
        })
    }

    /// The byte of the decompressed source at which this part begins, from 0.
    #[getter]
    fn offset<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            Ok(PyInt::new(py, inner.start + self.range(&inner.view(py)).start as u64))
        })
    }

    /// The line in which this part begins, from 1. Lines are counted when you ask for it.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            Ok(PyInt::new(py, inner.place(py, self.range(&inner.view(py)).start).line))
        })
    }

    /// The column in which this part begins, in code points from 1.
    #[getter]
    fn column<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        guarded(py, || {
            let inner = self.handle.get()?;
            Ok(PyInt::new(py, inner.place(py, self.range(&inner.view(py)).start).column))
        })
    }

    /// Releases the text and its index, for all parts of the document. Closing again does nothing;
    /// everything else raises `ValueError` from then on.
    fn close(&self) {
        self.handle.close();
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) {
        let _ = (kind, error, traceback);
        self.handle.close();
    }

    fn __eq__<'py>(
        this: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        guarded(py, || copying::equal(this, other))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(py, || copying::reduce(self, py))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guarded(py, || self.size(py))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        guarded(py, || {
            let inner = self.handle.get()?;
            let map = match self.contents(inner.view(py))? {
                Contents::Map(map) => map,
                Contents::List(list) => return self.element(&inner, &list, key),
            };
            match self.find(&inner, &map, key)? {
                Some(found) => Ok(found),
                None => {
                    let place = self.shown_place(py, &inner);
                    let message = format!("no key {} in the object{place}", key.repr()?);
                    Err(PyKeyError::new_err(message))
                }
            }
        })
    }

    fn __contains__(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, part) = (this.py(), this.get());
        guarded(py, || {
            let inner = part.handle.get()?;
            match part.contents(inner.view(py))? {
                Contents::Map(map) => Ok(key_text(key)?.is_some_and(|key| map.find(key).is_some())),
                Contents::List(_) => is_in(this.as_any(), key),
            }
        })
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Walk> {
        guarded(py, || {
            Ok(match self.contents(self.handle.get()?.view(py))? {
                Contents::Map(_) => Walk::new(self, Step::Keys),
                Contents::List(_) => Walk::new(self, Step::Elements),
            })
        })
    }

    fn __reversed__(&self, py: Python<'_>) -> PyResult<Walk> {
        guarded(py, || {
            let len = self.size(py)?;
            Ok(match self.contents(self.handle.get()?.view(py))? {
                Contents::Map(_) => Walk::backward(self, Step::Keys, len),
                Contents::List(_) => Walk::backward(self, Step::Elements, len),
            })
        })
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let inner = self.handle.get();
            let what = match inner.as_deref().map(|inner| inner.view(py).container(self.word)) {
                Ok(Some(map)) if map.is_map() => "object",
                Ok(Some(_)) => "array",
                Ok(None) => "scalar",
                Err(_) => "document",
            };
            Err(PyAttributeError::new_err(format!("a JSON {what} has no attribute '{name}'")))
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || {
            let Ok(inner) = self.handle.get() else {
                return Ok(PyString::new(py, "Document(closed)"));
            };
            let view = inner.view(py);
            let mut shown: Vec<String> = inner.name.iter().cloned().collect();
            let path = written(&self.path_steps(py, &inner));
            if !path.is_empty() {
                shown.push(format!("at '{path}'"));
            }
            shown.push(match view.container(self.word) {
                Some(map) if map.is_map() => format!("an object of {}", map.slots()),
                Some(list) => format!("an array of {}", list.slots()),
                None => "a scalar".to_owned(),
            });
            printable(py, &format!("Document({})", shown.join(", ")))
        })
    }
}

/// The text of a key, if a document may have such a key.
fn key_text<'a>(key: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
    let Ok(text) = key.cast::<PyString>() else {
        // Like a dict: refuse an object that cannot be a key.
        key.hash()?;
        return Ok(None);
    };
    match text.to_str() {
        Ok(text) => Ok(Some(text)),
        // A lone surrogate, which no text has.
        Err(error) if error.is_instance_of::<PyUnicodeError>(key.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Document {
    /// The value of a key, if there is one.
    #[inline]
    fn find<'py>(
        &self,
        inner: &Inner,
        map: &Map<'_>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(slot) = key_text(key)?.and_then(|key| map.find(key)) else { return Ok(None) };
        let word = map.0.slot(slot);
        word.map(|word| self.object(key.py(), inner, word, slot)).transpose()
    }

    /// The result of an index or slice of a list.
    fn element<'py>(
        &self,
        inner: &Inner,
        list: &List<'_>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (index.py(), list.len());
        let element = |at| list.get(at).map(|word| self.object(py, inner, word, at)).transpose();
        match position(index, len)? {
            Position::At(at) => {
                if let Some(element) = element(at)? {
                    return Ok(element);
                }
            }
            Position::Slice(positions) => {
                let elements = PyList::empty(py);
                for at in positions {
                    elements.append(element(at)?)?;
                }
                return Ok(elements.into_any());
            }
            Position::Outside => {}
            Position::None => {
                let (kind, place) = (index.get_type().name()?, self.shown_place(py, inner));
                let message = format!("the array{place} is indexed by int or slice, not {kind}");
                return Err(PyTypeError::new_err(message));
            }
        }
        let place = self.shown_place(py, inner);
        let message = format!("index {index} is out of range of the array of {len}{place}");
        Err(PyIndexError::new_err(message))
    }

    /// How many members or elements there are.
    fn size(&self, py: Python<'_>) -> PyResult<usize> {
        let inner = self.handle.get()?;
        Ok(match self.contents(inner.view(py))? {
            Contents::Map(map) => map.len(),
            Contents::List(list) => list.len(),
        })
    }
}

#[pymethods]
impl DocumentMap {
    /// The value of a key, otherwise `default`.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        this: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, part) = (this.py(), this.as_super().get());
        guarded(py, || {
            let inner = part.handle.get()?;
            let found = match part.contents(inner.view(py))? {
                Contents::Map(map) => part.find(&inner, &map, key)?,
                Contents::List(_) => None,
            };
            Ok(found.or(default).unwrap_or_else(|| py.None().into_bound(py)))
        })
    }

    /// The keys, as a set-like view.
    fn keys<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(this, "Keys")
    }

    /// The values, as a view.
    fn values<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(this, "Values")
    }

    /// The keys with their values, as a view.
    fn items<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(this, "Items")
    }
}

/// The iterator of a map's `values()`.
#[pyfunction]
#[pyo3(signature = (map, /))]
pub(crate) fn document_values(map: &Bound<'_, DocumentMap>) -> Walk {
    Walk::new(map.as_super().get(), Step::Values)
}

/// The iterator of a map's `items()`.
#[pyfunction]
#[pyo3(signature = (map, /))]
pub(crate) fn document_items(map: &Bound<'_, DocumentMap>) -> Walk {
    Walk::new(map.as_super().get(), Step::Items)
}

/// One of a map's views, from the Python side.
fn view_of<'py>(map: &Bound<'py, DocumentMap>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = map.py();
    guarded(py, || py.import(intern!(py, modules::VIEWS))?.getattr(name)?.call1((map,)))
}

#[pymethods]
impl DocumentList {
    /// The position of the first element that equals `value`.
    ///
    /// Raises:
    ///     ValueError: There is none.
    #[pyo3(signature = (value, start=0, stop=isize::MAX, /))]
    fn index<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyInt>> {
        guarded(this.py(), || index_in(this.as_any(), value, (start, stop)))
    }

    /// How many elements equal `value`.
    #[pyo3(signature = (value, /))]
    fn count<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyInt>> {
        guarded(this.py(), || count_in(this.as_any(), value))
    }
}

/// An index as the caller gives it.
pub(super) enum Position {
    At(usize),
    Slice(Vec<usize>),
    Outside,
    /// It is not an index.
    None,
}

/// The elements that an index selects among `len` elements.
pub(super) fn position(index: &Bound<'_, PyAny>, len: usize) -> PyResult<Position> {
    if let Ok(slice) = index.cast::<PySlice>() {
        let found = slice.indices(len as isize)?;
        let places =
            (0..found.slicelength).map(|step| (found.start + step as isize * found.step) as usize);
        return Ok(Position::Slice(gathered(places)));
    }
    if !index.hasattr(intern!(index.py(), "__index__"))? {
        return Ok(Position::None);
    }
    let Ok(at) = index.extract::<isize>() else { return Ok(Position::Outside) };
    let at = if at < 0 { at + len as isize } else { at };
    let at = usize::try_from(at).ok().filter(|at| *at < len);
    Ok(at.map_or(Position::Outside, Position::At))
}

/// The index of a value in a sequence.
pub(super) fn index_in<'py>(
    sequence: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
    (start, stop): (isize, isize),
) -> PyResult<Bound<'py, PyInt>> {
    let len = sequence.len()?;
    let bound = |at: isize| (if at < 0 { at + len as isize } else { at }).max(0) as usize;
    for at in bound(start)..bound(stop).min(len) {
        if sequence.get_item(at)?.eq(value)? {
            return Ok(PyInt::new(sequence.py(), at));
        }
    }
    Err(PyValueError::new_err(format!("{} is not in the sequence", value.repr()?)))
}

/// How often a value occurs in a sequence.
pub(super) fn count_in<'py>(
    sequence: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyInt>> {
    let mut count = 0_usize;
    for element in sequence.try_iter()? {
        count += usize::from(element?.eq(value)?);
    }
    Ok(PyInt::new(sequence.py(), count))
}

/// Whether a value occurs in a sequence.
pub(super) fn is_in(sequence: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    for element in sequence.try_iter()? {
        if element?.eq(value)? {
            return Ok(true);
        }
    }
    Ok(false)
}
