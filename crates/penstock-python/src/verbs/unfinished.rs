//! `partial=`: documents that are still being written.

use crate::edge::buffers::in_pieces;
use crate::edge::errors::guarded;
use penstock_core::json::{Framing, Reader, Unfinished};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Discard, Step};
use penstock_core::source::encoding::UTF8_BOM;
use penstock_scan::{ValidText, make_room};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

/// The value of `partial`: whether documents may be unfinished, and then whether strings count that have not ended.
pub(super) fn strings(partial: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    if let Ok(said) = partial.cast::<PyBool>() {
        return Ok(said.is_true().then_some(false));
    }
    if partial.cast::<PyString>().is_ok_and(|said| said == "trailing-strings") {
        return Ok(Some(true));
    }
    let message = format!("partial must be a bool or 'trailing-strings', not {}", partial.repr()?);
    Err(PyValueError::new_err(message))
}

/// The data as a whole document, if it is the beginning of one. Otherwise the data as they are: a document that has
/// ended, nothing at all, and what is no JSON, for the reader to say so.
#[pyfunction]
#[pyo3(signature = (data, partial, comments, /))]
pub(crate) fn completed<'py>(
    data: &Bound<'py, PyAny>,
    partial: &Bound<'py, PyAny>,
    comments: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    guarded(py, || {
        let (Some(strings), comments) = (strings(partial)?, comments.is_truthy()?) else {
            return Ok(data.clone());
        };
        let mut text = Vec::new();
        if let Ok(string) = data.cast::<PyString>() {
            let Ok(string) = string.to_str() else { return Ok(data.clone()) };
            make_room(&mut text, string.len());
            text.extend_from_slice(string.as_bytes());
        } else {
            in_pieces(data, |piece| {
                make_room(&mut text, piece.len());
                text.extend_from_slice(piece);
                Ok(())
            })?;
        }
        let text = text.strip_prefix(&UTF8_BOM[..]).unwrap_or(&text);
        // A character that the end cuts is no fault.
        let valid = match std::str::from_utf8(text) {
            Ok(valid) => valid,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Ok(data.clone()),
        };
        let reader = Reader::new(Framing::Document, &Limits::default());
        let mut reader = reader.taking_non_finite(true).taking_comments(comments);
        if !matches!(reader.run_dyn(ValidText::from(valid), false, &mut Discard), Ok(Step::More)) {
            return Ok(data.clone());
        }
        let mut unfinished = Unfinished::of_document(strings);
        unfinished.push(valid.as_bytes());
        Ok(match unfinished.completed() {
            Some(whole) => PyBytes::new(py, &whole).into_any(),
            None => data.clone(),
        })
    })
}
