//! The functions that are called for each request, with a way past Python for the usual call.
//!
//! `penstock.json.decode(data, City)` names no option. To run it as a function written in Python
//! takes longer than to decode a small document: a frame is made, six defaults are looked up by
//! name, and all of it is passed on. So the public name stands for an object that is called as the
//! function is. It decodes the document itself if no option is named and the document is small, and
//! calls the function otherwise. Its signature, its documentation and its name are those of the
//! function.
//!
//! The interpreter calls the object by PEP 590's vectorcall, which passes the arguments where they
//! are. PyO3 offers only `__call__`, for which the interpreter must first make a tuple.

use super::small_documents;
use crate::cpython::{Fact, holds};
use crate::edge::errors::guarded;
use crate::edge::modules;
use crate::verbs::encode;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// What is done for the usual call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usual {
    /// A document is decoded, whose format is found out from the data.
    Decode,
    /// A JSON document is decoded.
    DecodeJson,
    /// Nothing: there is no way past Python.
    Other,
    /// A value is written as JSON.
    Encode,
}

/// A function for a document in memory. Made by [`direct`], [`direct_json`],
/// [`direct_other`] and [`direct_encode`].
#[pyclass(frozen, dict, weakref, module = "penstock._rust")]
pub(crate) struct Verb {
    /// Where the interpreter looks for the way to call this, at the offset that the class names.
    entry: ffi::vectorcallfunc,
    /// The function, written in Python.
    function: Py<PyAny>,
    usual: Usual,
}

/// What a function shows of itself.
const SHOWN: [&str; 5] = ["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"];

impl Verb {
    fn of<'py>(function: &Bound<'py, PyAny>, usual: Usual) -> PyResult<Bound<'py, Self>> {
        let verb = Verb { entry: call, function: function.clone().unbind(), usual };
        let verb = Bound::new(function.py(), verb)?;
        name_the_entry(&verb);
        for name in SHOWN {
            verb.setattr(name, function.getattr(name)?)?;
        }
        verb.setattr("__wrapped__", function)?;
        Ok(verb)
    }

    /// The result, if this is the usual call: the data or the value, perhaps a type, and no option.
    #[inline]
    fn usual<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        into: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.usual == Usual::Encode {
            return match into {
                None => encode::plainly(data).map(|text| Some(text.into_any())),
                Some(_) => Ok(None),
            };
        }
        if self.usual == Usual::Other {
            return Ok(None);
        }
        if self.usual == Usual::Decode
            && !small_documents::small_text(data).is_some_and(begins_as_json)
        {
            return Ok(None);
        }
        match into {
            Some(into) => small_documents::decode(data, into),
            None => small_documents::decode(data, &data.py().get_type::<PyAny>()),
        }
    }
}

/// Has the interpreter find the entry. All verbs are of one class, so this changes something only
/// for the first. Without an entry, or if the interpreter does not find it there, it makes a tuple and calls
/// the function.
fn name_the_entry(verb: &Bound<'_, Verb>) {
    if !holds(Fact::Calls) {
        return;
    }
    let offset = (&raw const verb.get().entry).addr() - verb.as_ptr().addr();
    // SAFETY: the class of an object that lives; the interpreter is attached, so nobody else reads
    // or changes it meanwhile. Nothing is derived from the class, and each object of it has a
    // `vectorcallfunc` at the offset, which never changes.
    unsafe {
        let class = ffi::Py_TYPE(verb.as_ptr());
        (*class).tp_vectorcall_offset = offset.cast_signed();
        (*class).tp_flags |= ffi::Py_TPFLAGS_HAVE_VECTORCALL;
        let found = ffi::PyVectorcall_Function(verb.as_ptr());
        if !found.is_some_and(|it| std::ptr::fn_addr_eq(it, call as ffi::vectorcallfunc)) {
            (*class).tp_flags &= !ffi::Py_TPFLAGS_HAVE_VECTORCALL;
        }
        ffi::PyType_Modified(class);
    }
}

/// How the interpreter calls a [`Verb`].
///
/// # Safety
/// As of each `vectorcallfunc`: the interpreter is attached, `verb` is a [`Verb`], and `arguments`
/// are as many objects as `count` and the tuple of `names` say.
unsafe extern "C" fn call(
    verb: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: see above. An interpreter that ends lets nobody attach: then the function has to do.
    unsafe {
        if names.is_null()
            && let positional @ 1..=2 = ffi::PyVectorcall_NARGS(count)
            && let Some(Some(made)) = Python::try_attach(|py| {
                let verb = Borrowed::from_ptr(py, verb);
                let verb = verb.cast_unchecked::<Verb>().get();
                let data = Borrowed::from_ptr(py, *arguments);
                let into = (positional == 2).then(|| Borrowed::from_ptr(py, *arguments.add(1)));
                match guarded(py, || verb.usual(&data, into.as_deref())) {
                    Ok(made) => made.map(Bound::into_ptr),
                    Err(error) => {
                        error.restore(py);
                        Some(std::ptr::null_mut())
                    }
                }
            })
        {
            return made;
        }
        let function = {
            let py = Python::assume_attached();
            let verb = Borrowed::from_ptr(py, verb);
            verb.cast_unchecked::<Verb>().get().function.as_ptr()
        };
        let made = ffi::PyObject_Vectorcall(function, arguments, count, names);
        if made.is_null() && !names.is_null() {
            let py = Python::assume_attached();
            let function = Borrowed::from_ptr(py, function);
            let raised = elsewhere(&function, &Borrowed::from_ptr(py, names), PyErr::fetch(py));
            raised.restore(py);
        }
        made
    }
}

/// The exception of a call: if it names an option that the function does not have, one that says
/// where that option is.
#[cold]
fn elsewhere(function: &Bound<'_, PyAny>, names: &Bound<'_, PyAny>, raised: PyErr) -> PyErr {
    let py = function.py();
    if !raised.is_instance_of::<PyTypeError>(py) {
        return raised;
    }
    let message = || -> PyResult<Option<String>> {
        let module = py.import(intern!(py, modules::SUGGEST))?;
        module.call_method1(intern!(py, "elsewhere"), (function, names))?.extract()
    };
    match message() {
        Ok(Some(message)) => PyTypeError::new_err(message),
        Ok(None) => raised,
        Err(instead) => instead,
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
    Verb::of(function, Usual::DecodeJson)
}

/// The function for any format.
#[pyfunction]
#[pyo3(signature = (function, /))]
pub(crate) fn direct<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Verb>> {
    Verb::of(function, Usual::Decode)
}

/// The function that writes JSON.
#[pyfunction]
#[pyo3(signature = (function, /))]
pub(crate) fn direct_encode<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Verb>> {
    Verb::of(function, Usual::Encode)
}

/// The function for another format. As an object it says where an option is that it does not have.
#[pyfunction]
#[pyo3(signature = (function, /))]
pub(crate) fn direct_other<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Verb>> {
    Verb::of(function, Usual::Other)
}

#[pymethods]
impl Verb {
    /// For who asks for the method itself. A call takes the entry.
    #[pyo3(signature = (*arguments, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.function.bind(py);
        function.call(arguments, options).map_err(|raised| match options {
            Some(options) => elsewhere(function, options, raised),
            None => raised,
        })
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
