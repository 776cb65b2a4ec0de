//! A style of a format, as a Python object: the format of what is written and the options for
//! writing it.

use super::dialect::{of_name, of_python, refused};
use crate::edge::errors::guarded;
use crate::edge::options::{named_options, text};
use crate::plan::{PlanKey, Prefixes};
use penstock_core::formats::{self, AnyWriter};
use penstock_core::limits::Limits;
use penstock_core::shape::Form;
use penstock_core::writer::{Content, Kind, Unwritable};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyString, PyTuple};
use std::sync::Arc;

/// A format with the options of its text: `indent`, `framing`, `root`. Those for walking objects
/// (`omit`) are the encoder's.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Style {
    core: Arc<dyn formats::Style>,
    /// The namespaces of the prefixes in paths, for plans.
    prefixes: Option<Py<PyDict>>,
    /// The options that it was made with, for pickling.
    options: Py<PyDict>,
}

#[pymethods]
impl Style {
    #[new]
    #[pyo3(signature = (format, options=None, /, **named))]
    fn new(
        py: Python<'_>,
        format: &str,
        options: Option<&Bound<'_, PyDict>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let format = of_name(format)?;
            let options = named_options(py, options, named)?;
            let mut said = Vec::with_capacity(options.len());
            for (option, value) in &options {
                said.push((text("an option", &option)?.to_owned(), of_python(&value)?));
            }
            let core = (format.style)(&said).map_err(|wrong| refused(&wrong))?;
            let prefixes = core.namespaces().map(|pairs| pairs.to_vec().into_py_dict(py));
            let prefixes = prefixes.transpose()?.map(Bound::unbind);
            Ok(Style { core, prefixes, options: options.unbind() })
        })
    }

    /// The name of the format.
    #[getter]
    fn format(&self) -> &'static str {
        self.core.format().name
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        guarded(py, || {
            Ok((PyTuple::new(py, [self.core.format().name])?, self.options.bind(py).clone()))
        })
    }
}

impl Style {
    /// The form of what is written, for plans.
    pub(crate) fn form(&self) -> Form {
        self.core.format().form
    }

    /// Whether the format has elements.
    pub(crate) fn has_elements(&self) -> bool {
        self.form().has_elements()
    }

    /// What people call the format.
    pub(crate) fn title(&self) -> &'static str {
        self.core.format().title
    }

    /// Whether what is written is a list of values, and not one document.
    pub(crate) fn is_stream(&self) -> bool {
        self.core.format().is_stream
    }

    /// The options that decide how a value is written, if they are not the usual ones, and the form, if there are
    /// several. None if all are usual.
    pub(crate) fn unusual<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let usual = [
            ("decimals", "number"),
            ("large_ints", "number"),
            ("binary", "base64"),
            ("non_finite", "error"),
        ];
        let mut found = None;
        for (name, usual) in usual {
            let Some(said) = self.options.bind(py).get_item(name)? else { continue };
            if !said.eq(usual)? {
                found.get_or_insert_with(|| PyDict::new(py)).set_item(name, said)?;
            }
        }
        if let Some(said) = self.options.bind(py).get_item("canonical")?
            && said.is_truthy()?
        {
            found.get_or_insert_with(|| PyDict::new(py)).set_item("canonical", said)?;
        }
        // Some forms leave out what is None.
        if let Some(form) = self.core.default_form() {
            let said = self.options.bind(py).get_item("form")?;
            let form = said.unwrap_or_else(|| PyString::intern(py, form).into_any());
            found.get_or_insert_with(|| PyDict::new(py)).set_item("form", form)?;
        }
        Ok(found)
    }

    /// What plans are made for.
    pub(crate) fn aim(&self, py: Python<'_>) -> Aim {
        let prefixes = self.prefixes.as_ref().map(|prefixes| prefixes.clone_ref(py));
        Aim { form: self.form(), prefixes }
    }

    /// A writer at the beginning of its output.
    pub(crate) fn writer(&self, content: Content<'_>, limits: &Limits) -> PyResult<AnyWriter> {
        self.core.writer(content, limits).map_err(unwritable)
    }
}

/// What plans are made for, to keep.
pub(crate) struct Aim {
    form: Form,
    /// The namespaces of the prefixes in paths; None if they are parts of the names.
    prefixes: Option<Py<PyDict>>,
}

impl Aim {
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn aimed<'a, 'py>(&'a self, py: Python<'py>) -> PlanKey<'a, 'py> {
        let form = self.form;
        match &self.prefixes {
            Some(prefixes) => PlanKey { form, prefixes: Prefixes::Bound(Some(prefixes.bind(py))) },
            None if form.has_elements() => PlanKey { form, prefixes: Prefixes::AsWritten },
            None => form.into(),
        }
    }
}

impl From<Form> for Aim {
    fn from(form: Form) -> Self {
        Aim { form, prefixes: None }
    }
}

/// The exception for a reason that is not about a value.
#[cold]
pub(crate) fn unwritable(reason: Unwritable) -> PyErr {
    match reason.kind() {
        Kind::Memory => PyMemoryError::new_err(()),
        _ => PyValueError::new_err(reason.reason().to_owned()),
    }
}
