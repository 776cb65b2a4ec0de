//! Reads the bytes of bytes-like objects.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PySlice, PyString};

/// How many bytes are passed on at a time.
const PIECE: usize = 256 << 10;

/// Passes on the bytes of a bytes-like object piece by piece. Only `bytes` are borrowed; an object
/// that may change meanwhile is copied.
pub(crate) fn in_pieces(
    chunk: &Bound<'_, PyAny>,
    mut work: impl FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(bytes) = chunk.cast::<PyBytes>() {
        return bytes.as_bytes().chunks(PIECE).try_for_each(work);
    }
    if chunk.is_instance_of::<PyString>() {
        return Err(no_bytes(chunk));
    }
    let view = match PyMemoryView::from(chunk) {
        Ok(view) => view,
        Err(error) if error.is_instance_of::<PyTypeError>(chunk.py()) => {
            return Err(no_bytes(chunk));
        }
        Err(error) => return Err(error),
    };
    let py = chunk.py();
    // A view that is not plain contiguous bytes is cast by Python, at once.
    let view = match view.call_method1(intern!(py, "cast"), ("B",)) {
        Ok(view) => view,
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            view.call_method0(intern!(py, "tobytes"))?
        }
        Err(error) => return Err(error),
    };
    let length = view.len()?;
    for from in (0..length).step_by(PIECE) {
        let piece = slice(&view, from, length.min(from + PIECE))?;
        let piece = py.get_type::<PyBytes>().call1((piece,))?;
        work(piece.cast::<PyBytes>()?.as_bytes())?;
    }
    Ok(())
}

/// `object[from:to]`, by calling the class `slice`. `PySlice::new` leaks its three ints, and
/// `PySequence` imports `collections.abc`, which can fail if memory is short.
pub(crate) fn slice<'py>(
    object: &Bound<'py, PyAny>,
    from: usize,
    to: usize,
) -> PyResult<Bound<'py, PyAny>> {
    object.get_item(object.py().get_type::<PySlice>().call1((from, to))?)
}

/// The exception for an object without bytes.
#[cold]
fn no_bytes(chunk: &Bound<'_, PyAny>) -> PyErr {
    let is_parsed = chunk.is_instance_of::<PyDict>() || chunk.is_instance_of::<PyList>();
    let advice = match is_parsed {
        true => ": values that are parsed already are for penstock.make()",
        false => "",
    };
    match chunk.get_type().name() {
        Ok(kind) => {
            PyTypeError::new_err(format!("expected a bytes-like object, got {kind}{advice}"))
        }
        Err(error) => error,
    }
}
