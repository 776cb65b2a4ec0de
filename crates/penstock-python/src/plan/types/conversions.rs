//! Types of the standard library that are made from a simpler value, in most cases from their text
//! as `str` prints it.
//!
//! Each has a kind, and a function that is called with the value. The functions are in
//! `penstock._annotations.conversions`, which is imported when a plan needs such a type.

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::edge::errors::answer;
use crate::edge::modules;

use super::known::{self, Known};
use super::walk::{Walk, node};
use crate::plan::make::post_steps::{Nature, PostSteps, Step};
use crate::plan::make::type_objects;
use crate::plan::{Kind, Node};

/// How a type is made from a simpler value.
struct Conversion {
    known: &'static Known,
    /// Its name in an annotation.
    name: &'static str,
    /// The function of `penstock._annotations.conversions`; the class itself, if there is none.
    function: Option<&'static str>,
    /// Whether some texts are no values of the type.
    has_form: bool,
    nature: Nature,
}

impl Conversion {
    const fn by_class(known: &'static Known, name: &'static str) -> Self {
        let (has_form, nature) = (true, Nature::Ordered);
        Conversion { known, name, function: None, has_form, nature }
    }

    const fn by(
        known: &'static Known,
        name: &'static str,
        function: &'static str,
        nature: Nature,
    ) -> Self {
        Conversion { known, name, function: Some(function), has_form: true, nature }
    }
}

static OF_TEXT: [Conversion; 9] = [
    Conversion::by_class(&known::IPV4_ADDRESS, "IPv4Address"),
    Conversion::by_class(&known::IPV6_ADDRESS, "IPv6Address"),
    Conversion::by_class(&known::IPV4_NETWORK, "IPv4Network"),
    Conversion::by_class(&known::IPV6_NETWORK, "IPv6Network"),
    Conversion::by_class(&known::IPV4_INTERFACE, "IPv4Interface"),
    Conversion::by_class(&known::IPV6_INTERFACE, "IPv6Interface"),
    Conversion::by(&known::ZONE_INFO, "ZoneInfo", "zone", Nature::Other),
    Conversion::by(&known::FRACTION, "Fraction", "fraction", Nature::Number),
    Conversion::by(&known::COMPLEX, "complex", "number", Nature::Other),
];

/// A function of `penstock._annotations.conversions`.
pub(crate) fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, modules::CONVERSIONS))?.getattr(name)
}

/// A function of `penstock._annotations.conversions` with its first argument.
pub(in crate::plan) fn applied<'py>(
    py: Python<'py>,
    name: &str,
    argument: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    partial(py)?.call1((function(py, name)?, argument))
}

/// Whether a function may be one of those that [`applied`] makes.
pub(crate) fn is_applied(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(function.is_exact_instance(partial(function.py())?))
}

/// `functools.partial`
fn partial(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static PARTIAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    PARTIAL.import(py, "functools", "partial")
}

impl<'py> Walk<'_, 'py> {
    /// A node of text that is converted.
    fn of_text(
        &self,
        class: &Bound<'py, PyType>,
        function: Bound<'py, PyAny>,
        name: String,
        has_form: bool,
        nature: Nature,
        nullable: bool,
    ) -> Node {
        let mut node = node(Kind::Str, nullable, name);
        // If not every text is valid, the white space around it is removed.
        let trims = has_form && self.compiler.form.is_lexical();
        let trim = trims.then_some(Step::Trim);
        let steps = trim.into_iter().chain([Step::Convert(function.unbind())]);
        let after = PostSteps::add(&mut node, steps);
        (after.has_form, after.nature) = (has_form, Some(nature));
        after.hashable = Some(true);
        after.class = Some(class.clone().unbind());
        node
    }

    /// A class of the standard library that is made from a simpler value, if it is one.
    pub(in crate::plan) fn converted(
        &self,
        class: &Bound<'py, PyType>,
        nullable: bool,
    ) -> PyResult<Option<Node>> {
        let py = self.compiler.py;
        if known::PATH_LIKE.is(class) {
            let path = py.import(intern!(py, "pathlib"))?.getattr(intern!(py, "PurePath"))?;
            return self.path(path.cast()?, nullable).map(Some);
        }
        if known::PURE_PATH.get(py).is_some_and(|path| is_subclass(class, path)) {
            return self.path(class, nullable).map(Some);
        }
        if !is_of_module(class, &["builtins", "ipaddress", "zoneinfo", "fractions", "re"])? {
            return Ok(None);
        }
        if class.as_type_ptr() == &raw mut ffi::PyByteArray_Type {
            let mut node = node(Kind::Bytes, nullable, "bytearray".into());
            let after =
                PostSteps::add(&mut node, [Step::Convert(class.clone().into_any().unbind())]);
            (after.nature, after.hashable) = (Some(Nature::Bytes), Some(false));
            after.class = Some(class.clone().unbind());
            return Ok(Some(node));
        }
        if let Some(found) = OF_TEXT.iter().find(|conversion| conversion.known.is(class)) {
            let by = match found.function {
                Some(name) => function(py, name)?,
                None => class.clone().into_any(),
            };
            let Conversion { name, has_form, nature, .. } = found;
            return Ok(Some(self.of_text(class, by, (*name).into(), *has_form, *nature, nullable)));
        }
        if known::PATTERN_TYPE.is(class) {
            let by = function(py, "pattern")?;
            return Ok(Some(self.of_text(
                class,
                by,
                "Pattern".into(),
                false,
                Nature::Other,
                nullable,
            )));
        }
        Ok(None)
    }

    /// A path, or a subclass of a path class.
    fn path(&self, class: &Bound<'py, PyType>, nullable: bool) -> PyResult<Node> {
        let name = class.name()?.to_string();
        if answer(class.py(), class.call1(("x",)))?.is_none() {
            return Err(self.error(format_args!("{name} is of another operating system")));
        }
        let by = class.clone().into_any();
        Ok(self.of_text(class, by, name, false, Nature::Other, nullable))
    }

    /// A set of flags, from their integer.
    pub(in crate::plan) fn flags(
        &self,
        class: &Bound<'py, PyType>,
        nullable: bool,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        let mut node = node(Kind::Int, nullable, class.name()?.to_string());
        let steps = [Step::Convert(applied(py, "flags", class)?.unbind())];
        let after = PostSteps::add(&mut node, steps);
        (after.nature, after.class) = (Some(Nature::Unknown), Some(class.clone().unbind()));
        Ok(node)
    }
}

/// True if the class says that it is from one of these modules. Nearly none is, and then there is
/// nothing to compare.
///
/// # Errors
/// Only those that the class did not cause, such as a lack of memory.
pub(in crate::plan) fn is_of_module(class: &Bound<'_, PyType>, modules: &[&str]) -> PyResult<bool> {
    let py = class.py();
    let Some(module) = answer(py, class.module())? else { return Ok(false) };
    Ok(answer(py, module.to_str())?.is_some_and(|name| modules.contains(&name)))
}

/// By the real bases, without calling `__subclasscheck__`.
pub(in crate::plan) fn is_subclass(class: &Bound<'_, PyType>, base: &Bound<'_, PyAny>) -> bool {
    type_objects::bases(class).iter().any(|class| class.is(base))
}
