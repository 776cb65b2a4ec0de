//! The functions that are called for each request, with a way past Python for the usual call.
//!
//! `penstock.json.decode(data, City)` names no option. To run it as a function written in Python
//! takes longer than to decode a small document: a frame is made, six defaults are looked up by
//! name, and all of it is passed on. So the public name stands for an object that is called as the
//! function is. It decodes the document itself if no option is named and the document is small, and
//! calls the function otherwise. All that a function shows of itself, its signature and its
//! documentation included, is the function's own.

use crate::failure::guarded;
use crate::verbs::small;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A function that decodes a document in memory. Made by [`direct`] and [`direct_json`].
#[pyclass(frozen, dict, weakref, module = "penstock._rust")]
pub(crate) struct Verb {
    /// The function, written in Python.
    function: Py<PyAny>,
    /// Whether the format is found out from the data, and not always JSON.
    guesses: bool,
}

/// What a function shows of itself.
const SHOWN: [&str; 5] = ["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"];

impl Verb {
    fn of<'py>(function: &Bound<'py, PyAny>, guesses: bool) -> PyResult<Bound<'py, Self>> {
        let verb =
            Bound::new(function.py(), Verb { function: function.clone().unbind(), guesses })?;
        for name in SHOWN {
            verb.setattr(name, function.getattr(name)?)?;
        }
        verb.setattr("__wrapped__", function)?;
        Ok(verb)
    }

    /// The document, if this is the usual call.
    #[inline]
    fn usual<'py>(&self, arguments: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (data, into) = match arguments.as_slice() {
            [data] => (data, None),
            [data, into] => (data, Some(into)),
            _ => return Ok(None),
        };
        if self.guesses && !small::small_text(data).is_some_and(begins_as_json) {
            return Ok(None);
        }
        match into {
            Some(into) => small::decode(data, into),
            None => small::decode(data, &data.py().get_type::<PyAny>()),
        }
    }
}

/// Whether the first byte of a document leaves no doubt that it is JSON.
fn begins_as_json(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9'))
}

/// The function for JSON.
#[pyfunction]
#[pyo3(signature = (function, /))]
pub(crate) fn direct_json<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Verb>> {
    Verb::of(function, false)
}

/// The function for any format.
#[pyfunction]
#[pyo3(signature = (function, /))]
pub(crate) fn direct<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Verb>> {
    Verb::of(function, true)
}

#[pymethods]
impl Verb {
    #[pyo3(signature = (*arguments, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if options.is_none()
            && let Some(made) = guarded(py, || self.usual(arguments))?
        {
            return Ok(made);
        }
        self.function.bind(py).call(arguments, options)
    }

    /// As of a function: found in a class by way of an object, it is a method.
    fn __get__<'py>(
        this: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if object.is_none() {
            return Ok(this.clone().into_any());
        }
        let py = this.py();
        let types = py.import(intern!(py, "types"))?;
        types.call_method1(intern!(py, "MethodType"), (this, object))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.function.bind(py).repr()?.into_any())
    }

    /// Pickled by its name, like a function.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).getattr(intern!(py, "__qualname__"))
    }
}
