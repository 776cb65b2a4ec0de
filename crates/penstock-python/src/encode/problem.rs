//! Why an object cannot be written, and where.

use crate::edge::modules;
use penstock_core::writer::{Kind, Unwritable};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Why the encoder stops.
pub(crate) enum Stop {
    /// A value does not fit: the reason, and what the caller's own code raised, if it did.
    Misfit(String, Option<PyErr>),
    /// An exception that is none of a value: a lack of memory, an interrupt.
    Raised(PyErr),
}

impl Stop {
    #[cold]
    pub(crate) fn misfit(reason: impl Into<String>) -> Self {
        Stop::Misfit(reason.into(), None)
    }

    /// What code of the caller raised about a value.
    #[cold]
    pub(super) fn own_code(py: Python<'_>, what: &str, error: PyErr) -> Self {
        let fatal = error.is_instance_of::<PyMemoryError>(py)
            || !error.is_instance_of::<pyo3::exceptions::PyException>(py);
        if fatal {
            Stop::Raised(error)
        } else if is_ours(py, &error) {
            Stop::Misfit(error.value(py).to_string(), None)
        } else {
            Stop::Misfit(format!("{what} raises {error}"), Some(error))
        }
    }

    /// An `EncodeError`, or the exception itself.
    #[cold]
    pub(crate) fn into_error(self, py: Python<'_>, path: String) -> PyErr {
        let (reason, cause) = match self {
            Stop::Raised(error) => return error,
            Stop::Misfit(reason, cause) => (reason, cause),
        };
        let make = || {
            let class = py.import(modules::ERRORS)?.getattr("EncodeError")?;
            let known = PyDict::new(py);
            known.set_item("path", (!path.is_empty()).then_some(&path))?;
            class.getattr("_at")?.call((reason,), Some(&known))
        };
        match make() {
            Ok(error) => {
                let error = PyErr::from_value(error);
                error.set_cause(py, cause);
                error
            }
            Err(error) => error,
        }
    }
}

impl From<Unwritable> for Stop {
    #[cold]
    fn from(unwritable: Unwritable) -> Self {
        match unwritable.kind() {
            Kind::Memory => Stop::Raised(PyMemoryError::new_err(())),
            _ => Stop::misfit(unwritable.reason()),
        }
    }
}

impl From<PyErr> for Stop {
    #[cold]
    fn from(error: PyErr) -> Self {
        Stop::Raised(error)
    }
}

/// Whether a function of Penstock's own raised it, which says all in its message.
#[cold]
fn is_ours(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import(modules::CONVERSIONS).and_then(|module| module.getattr("Refused"));
    class.is_ok_and(|class| error.get_type(py).is(&class))
}
