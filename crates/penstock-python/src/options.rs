//! What a caller may choose, from the words in which it is said.

use crate::objects::{Duplicates, Unknown};
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::source::{Compression, Encoding, encoding};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A word that is none of those allowed.
#[cold]
fn unknown_word(option: &str, word: &str, allowed: &str) -> PyErr {
    PyValueError::new_err(format!("{option} must be {allowed}, not {word:?}"))
}

/// `format=`: the name as a constant, for errors.
pub(crate) fn format(word: &str) -> PyResult<&'static str> {
    match word {
        "json" => Ok("json"),
        "ndjson" => Ok("ndjson"),
        _ => Err(unknown_word("format", word, "'json' or 'ndjson'")),
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

/// `framing=`
pub(crate) fn framing(word: &str) -> PyResult<Framing> {
    match word {
        "document" => Ok(Framing::Document),
        "lines" => Ok(Framing::Lines),
        "sequence" => Ok(Framing::Sequence),
        "concatenated" => Ok(Framing::Concatenated),
        _ => Err(unknown_word("framing", word, "'lines', 'sequence' or 'concatenated'")),
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
        None => Err(pyo3::exceptions::PyLookupError::new_err(format!("unknown encoding: {word}"))),
    }
}

/// `limits=`
pub(crate) fn limits(object: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(object) = object else { return Ok(Limits::default()) };
    Ok(Limits {
        depth: object.getattr("depth")?.extract()?,
        token: object.getattr("token")?.extract()?,
        number: object.getattr("number")?.extract()?,
        total: object.getattr("total")?.extract()?,
        ratio: object.getattr("ratio")?.extract()?,
        window: object.getattr("window")?.extract()?,
    })
}

/// `errors=`: what becomes of records that do not fit.
pub(crate) enum Errors {
    /// The first one is raised.
    Raise,
    /// They are counted.
    Skip,
    /// They are raised together, after the last good record.
    Collect,
    /// They are given to this.
    Give(Py<PyAny>),
}

impl Errors {
    /// From the word, or the callable.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(word) = object.extract::<&str>() else {
            if object.is_callable() {
                return Ok(Errors::Give(object.clone().unbind()));
            }
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "errors must be 'raise', 'skip', 'collect' or a callable, not {kind}"
            )));
        };
        match word {
            "raise" => Ok(Errors::Raise),
            "skip" => Ok(Errors::Skip),
            "collect" => Ok(Errors::Collect),
            _ => Err(unknown_word("errors", word, "'raise', 'skip', 'collect' or a callable")),
        }
    }
}
