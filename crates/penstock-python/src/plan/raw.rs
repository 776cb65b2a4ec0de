//! `penstock.Raw`: a value of JSON that stays text.

use penstock_scan::ValidText;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A value of JSON that stays text.
///
/// As a type, it takes any value of JSON and keeps its text. `encode` copies the text into what it writes. So a
/// program passes on what it does not look into, and pays for no objects. `penstock.json.decode(raw, T)` reads it later,
/// as another type perhaps that depends on the fields beside it.
///
/// The text has no white space between its tokens. Numbers have the digits that they were written with, and members
/// their order; strings have no escapes but those that they need. Two are equal if their texts are.
///
/// Only JSON and NDJSON have a place for it. Every other format refuses it.
///
/// Args:
///     data: A document of JSON as `str`, `bytes` or another buffer.
///
/// Raises:
///     DecodeError: `data` is not JSON.
///
/// Example:
///     >>> import penstock
///     >>> from dataclasses import dataclass
///     >>> @dataclass
///     ... class Event:
///     ...     type: str
///     ...     payload: penstock.Raw
///     >>> event = penstock.json.decode(b'{"type": "click", "payload": {"x": 1, "y": 2.50}}', Event)
///     >>> event.payload
///     Raw(b'{"x":1,"y":2.50}')
///     >>> penstock.json.decode(event.payload)
///     {'x': 1, 'y': 2.5}
///     >>> penstock.json.encode(event)
///     b'{"type":"click","payload":{"x":1,"y":2.50}}'
#[pyclass(frozen, module = "penstock")]
pub(crate) struct Raw {
    /// Valid JSON, which is UTF-8.
    text: Py<PyBytes>,
}

impl Raw {
    /// Keeps the text of a value.
    pub(crate) fn of(py: Python<'_>, text: ValidText<'_>) -> PyResult<Py<PyAny>> {
        let bytes = PyBytes::new_with(py, text.as_bytes().len(), |room| {
            room.copy_from_slice(text.as_bytes());
            Ok(())
        })?;
        Ok(Py::new(py, Raw { text: bytes.unbind() })?.into_any())
    }

    /// The text, as a writer takes it.
    pub(crate) fn json<'a>(&'a self, py: Python<'a>) -> PyResult<ValidText<'a>> {
        let text = std::str::from_utf8(self.text.as_bytes(py));
        Ok(text.map_err(|error| PyValueError::new_err(error.to_string()))?.into())
    }
}

#[pymethods]
impl Raw {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = data.py();
        let json = py.import(intern!(py, "penstock.json"))?;
        let made = json.call_method1(intern!(py, "decode"), (data, py.get_type::<Raw>()))?;
        Ok(Raw { text: made.cast::<Raw>()?.get().text.clone_ref(py) })
    }

    /// The text, as UTF-8.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.text.clone_ref(py)
    }

    fn __bytes__(&self, py: Python<'_>) -> Py<PyBytes> {
        self.text.clone_ref(py)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.json(py)?.as_str().to_owned())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Raw({})", self.text.bind(py).repr()?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Raw>();
        other.is_ok_and(|other| other.get().text.as_bytes(py) == self.text.as_bytes(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.text.bind(py).hash()
    }

    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (Py<PyBytes>,)) {
        (py.get_type::<Raw>().into_any().unbind(), (self.text.clone_ref(py),))
    }

    /// The memory of the text.
    ///
    /// # Safety
    /// The interpreter calls this with a view that it owns.
    unsafe fn __getbuffer__(
        slf: PyRef<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        // SAFETY: the view is the interpreter's, and the bytes live. They fill the view, and it keeps them.
        match unsafe { ffi::PyObject_GetBuffer(slf.text.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
