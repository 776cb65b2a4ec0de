//! The argument of a method: `Element`, and `Items`, the ordered multimap of its attributes and its
//! children.

use super::content::{Content, Name, Part, Sort};
use crate::edge::errors::guarded;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyUnicodeEncodeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};
use std::sync::Arc;

/// A closed element, which `send` passes to a method of the handler.
///
/// You may keep it. It makes its strings when you ask for them, so those that you do not use cost
/// nothing.
///
/// Example:
///     >>> import io, penstock
///     >>> class Show:
///     ...     def city(self, element):
///     ...         print(element.name, element.attributes["zip"], element.text)
///     >>> penstock.xml.send(io.BytesIO(b'<city zip="7000">Chur</city>'), Show())
///     city 7000 Chur
#[pyclass(module = "penstock")]
pub(crate) struct Element {
    pub(super) name: Arc<Name>,
    pub(super) sort: Sort,
    pub(super) content: Content,
    /// Why there is no text, if it was too long to be kept.
    pub(super) text_lost: Option<String>,
    /// Why there are no attributes, if there were too many to be kept.
    pub(super) attributes_lost: Option<String>,
}

impl Element {
    /// An empty element.
    pub(super) fn new(name: Arc<Name>) -> Self {
        Element {
            name,
            sort: Sort::Nothing,
            content: Content::default(),
            text_lost: None,
            attributes_lost: None,
        }
    }

    fn part(&self, py: Python<'_>, part: Part) -> PyResult<()> {
        match (part, &self.attributes_lost) {
            (Part::Attributes, Some(reason)) => Err(super::lost(py, reason)),
            _ => Ok(()),
        }
    }
}

#[pymethods]
impl Element {
    /// The name, without its prefix. The root of a JSON document has an empty name.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || {
            Ok(match self.name.prefix() {
                None => self.name.object(py),
                Some(_) => PyString::new(py, self.name.local()),
            })
        })
    }

    /// The prefix as it is written, or None.
    #[getter]
    fn prefix<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        guarded(py, || Ok(self.name.prefix().map(|prefix| PyString::new(py, prefix))))
    }

    /// The URI of the namespace, or None.
    #[getter]
    fn namespace<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        guarded(py, || Ok(self.name.namespace().map(|uri| PyString::new(py, uri))))
    }

    /// The text of the element and of the elements in it that have no method, without markup. It is
    /// empty if the element has child elements and everything else is white space. For a JSON
    /// scalar, its text.
    ///
    /// Raises `LimitExceeded` if the text was too long to be kept: 8 MiB for an element with
    /// children, otherwise `limits.token`.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || match &self.text_lost {
            Some(reason) => Err(super::lost(py, reason)),
            None => Ok(PyString::new(py, &self.content.text)),
        })
    }

    /// The value of a JSON scalar, which is an int, float, str, bool or None. It is None for a JSON
    /// object; in XML it is the text.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || match &self.text_lost {
            Some(reason) => Err(super::lost(py, reason)),
            None => self.sort.object(py, &self.content.text),
        })
    }

    /// The attributes, each a `str`. In JSON, the scalars of the object whose keys have no method,
    /// with their types.
    #[getter]
    fn attributes(slf: Bound<'_, Self>) -> PyResult<Items> {
        guarded(slf.py(), || slf.borrow().part(slf.py(), Part::Attributes))?;
        Ok(Items { owner: slf.unbind(), part: Part::Attributes })
    }

    /// The results of the methods of elements inside it, except None, under the elements' names.
    #[getter]
    fn children(slf: Bound<'_, Self>) -> Items {
        Items { owner: slf.unbind(), part: Part::Children }
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || {
            let name = PyString::new(py, self.name.written()).repr()?;
            Ok(PyString::new(py, &format!("<Element {name}>")))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.content.children.iter().try_for_each(|(_, object)| visit.call(object))
    }

    fn __clear__(&mut self) {
        self.content.children.clear();
    }
}

/// Attributes or children: names and values in their order. A name may occur several times.
///
/// `items["x"]` is the first value of a name, `items.all("x")` all of them, `items[0]` the value
/// at a position. Names are as the document writes them, with their prefix; `"{uri}x"` finds one by
/// its namespace. `len`, `in` and iteration work on the names, one per item. `Items` equal other
/// `Items` with the same names and values in the same order, and a dict if no name occurs twice.
///
/// Example:
///     >>> import io, penstock
///     >>> class Show:
///     ...     def zip(self, element):
///     ...         return int(element.text)
///     ...     def city(self, element):
///     ...         print(element.children, element.children["zip"], element.children.all("zip"))
///     >>> city = b"<city><zip>7000</zip><zip>7001</zip></city>"
///     >>> penstock.xml.send(io.BytesIO(city), Show())
///     Items([('zip', 7000), ('zip', 7001)]) 7000 [7000, 7001]
#[pyclass(module = "penstock", frozen, generic)]
pub(crate) struct Items {
    owner: Py<Element>,
    part: Part,
}

impl Items {
    /// Runs a function on the contents of the element.
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&Content) -> PyResult<T>) -> PyResult<T> {
        guarded(py, || work(&self.owner.try_borrow(py)?.content))
    }

    /// The first value of a name.
    fn find<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = name.py();
        let Some(name) = asked(name)? else { return Ok(None) };
        self.with(py, |content| {
            let index = content.find(self.part, name, 0);
            index.map(|index| content.value(py, self.part, index)).transpose()
        })
    }

    /// One object for each item.
    fn list<'py, T>(
        &self,
        py: Python<'py>,
        each: impl Fn(&Content, usize) -> PyResult<T>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        T: IntoPyObject<'py>,
    {
        self.with(py, |content| {
            let all = (0..content.count(self.part)).map(|index| each(content, index));
            PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
        })
    }
}

/// The text of the name asked for. A name without UTF-8 is in no document.
fn asked<'a>(name: &'a Bound<'_, PyString>) -> PyResult<Option<&'a str>> {
    match name.to_str() {
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(name.py()) => Ok(None),
        text => text.map(Some),
    }
}

#[pymethods]
impl Items {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |content| Ok(content.count(self.part)))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(name) = key.cast::<PyString>() {
            let found = self.find(name)?;
            let missing = || PyKeyError::new_err(name.clone().unbind());
            return guarded(py, || found.ok_or_else(missing));
        }
        self.with(py, |content| {
            if !key.is_instance_of::<PyInt>() {
                let kind = key.get_type().name()?;
                let message = format!("Items are found by a name or a position, not by {kind}");
                return Err(PyTypeError::new_err(message));
            }
            let count = content.count(self.part);
            let asked: Option<isize> = key.extract().ok();
            let index = asked.and_then(|asked| match usize::try_from(asked) {
                Ok(index) => Some(index),
                Err(_) => count.checked_sub(asked.unsigned_abs()),
            });
            match index.filter(|&index| index < count) {
                Some(index) => content.value(py, self.part, index),
                None => Err(PyIndexError::new_err(format!("position {key} of {count} items"))),
            }
        })
    }

    /// The first value of a name, or `default`.
    #[pyo3(signature = (name, default=None, /))]
    fn get<'py>(
        &self,
        name: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.find(name)?.or(default))
    }

    /// All values of a name, in their order.
    #[pyo3(signature = (name, /))]
    fn all<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyList>> {
        let py = name.py();
        let name = asked(name)?;
        self.with(py, |content| {
            let mut from = 0;
            let next = || {
                let index = content.find(self.part, name?, from)?;
                from = index + 1;
                Some(content.value(py, self.part, index))
            };
            PyList::new(py, std::iter::from_fn(next).collect::<PyResult<Vec<_>>>()?)
        })
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(text) = name.cast::<PyString>() else { return Ok(false) };
        let Some(text) = asked(text)? else { return Ok(false) };
        self.with(name.py(), |content| Ok(content.find(self.part, text, 0).is_some()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    /// The names, in their order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |content, index| Ok(content.name(py, self.part, index)))
    }

    /// The values, in their order.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |content, index| content.value(py, self.part, index))
    }

    /// Pairs of name and value, in their order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |content, index| {
            let value = content.value(py, self.part, index)?;
            PyTuple::new(py, [content.name(py, self.part, index).into_any(), value])
        })
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let items = self.items(py)?;
        if let Ok(other) = other.cast::<Items>() {
            return items.rich_compare(other.get().items(py)?, pyo3::basic::CompareOp::Eq);
        }
        let Ok(other) = other.cast::<PyDict>() else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        if other.len() != items.len() {
            return Ok(pyo3::types::PyBool::new(py, false).to_owned().into_any());
        }
        // The dict is shorter if a name occurs twice, and so unequal.
        PyDict::from_sequence(items.as_any())?.rich_compare(other, pyo3::basic::CompareOp::Eq)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let items = self.items(py)?.repr()?;
        guarded(py, || Ok(PyString::new(py, &format!("Items({items})"))))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.owner)
    }
}
