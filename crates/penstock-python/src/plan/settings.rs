//! The options of `Plan` beside the class.

use std::fmt::Write as _;

use penstock_core::value::moment::Form;
use penstock_core::value::pattern::Pattern;
use penstock_core::value::unix::Unit;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyType};

use super::plan_error;
use super::types::builtin::display;

/// The settings of a plan.
#[derive(Clone)]
pub(super) struct Settings<'py> {
    /// Names for string annotations.
    pub(super) namespace: Option<Bound<'py, PyDict>>,
    /// How to make the keys of fields from their names.
    pub(super) rename: Option<Bound<'py, PyAny>>,
    /// Whether a value of another type is always refused.
    pub(super) strict: bool,
    /// The functions that make values of certain types.
    pub(super) types: Option<Bound<'py, PyDict>>,
    /// The key, or the `tag(...)`, that distinguishes the classes of a union.
    pub(super) tag: Option<Bound<'py, PyAny>>,
    /// The unit of numbers that are decoded as a datetime.
    pub(super) unix: Option<Bound<'py, PyAny>>,
    /// The form of dates and times: its name, or a `times(...)`.
    pub(super) times: Option<Bound<'py, PyAny>>,
    /// The other forms of values in untyped text: a `cells(...)`.
    pub(super) cells: Option<Bound<'py, PyAny>>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            namespace: None,
            rename: None,
            strict: true,
            types: None,
            tag: None,
            unix: None,
            times: None,
            cells: None,
        }
    }
}

impl<'py> Settings<'py> {
    /// True if there is no setting.
    pub(super) fn is_default(&self) -> bool {
        self.namespace.is_none()
            && self.rename.is_none()
            && self.strict
            && self.types.is_none()
            && self.tag.is_none()
            && self.unix.is_none()
            && self.times.is_none()
            && self.cells.is_none()
    }

    /// Adds the settings of another plan.
    ///
    /// # Errors
    /// `PlanError` if both have the same setting with different values.
    pub(super) fn join(&mut self, other: &Settings<'py>) -> PyResult<()> {
        let py = match other.objects().next() {
            Some(object) => object.py(),
            None => {
                self.strict &= other.strict;
                return Ok(());
            }
        };
        for (own, more) in
            [(&mut self.namespace, &other.namespace), (&mut self.types, &other.types)]
        {
            if let Some(more) = more {
                // The setting nearest to the use wins.
                let all = more.copy()?;
                if let Some(own) = &own {
                    all.update(own.as_mapping())?;
                }
                *own = Some(all);
            }
        }
        let single = [
            ("rename", &mut self.rename, &other.rename),
            ("tag", &mut self.tag, &other.tag),
            ("unix", &mut self.unix, &other.unix),
            ("times", &mut self.times, &other.times),
            ("cells", &mut self.cells, &other.cells),
        ];
        for (name, own, more) in single {
            let Some(more) = more else { continue };
            if let Some(own) = own
                && !own.eq(more)?
            {
                let reason = format_args!("two plans that are used together differ in {name}=");
                return Err(plan_error(py, reason));
            }
            *own = Some(more.clone());
        }
        self.strict &= other.strict;
        Ok(())
    }

    fn objects(&self) -> impl Iterator<Item = &Bound<'py, PyAny>> {
        let dicts = self.namespace.iter().chain(&self.types).map(|dict| dict.as_any());
        let [rename, tag, unix] = [&self.rename, &self.tag, &self.unix];
        let all = [rename, tag, unix, &self.times, &self.cells];
        all.into_iter().flatten().chain(dicts)
    }
}

/// The same settings, kept without the interpreter's token.
#[derive(Default)]
pub(super) struct KeptSettings {
    namespace: Option<Py<PyDict>>,
    rename: Option<Py<PyAny>>,
    lax: bool,
    types: Option<Py<PyDict>>,
    tag: Option<Py<PyAny>>,
    unix: Option<Py<PyAny>>,
    times: Option<Py<PyAny>>,
    cells: Option<Py<PyAny>>,
}

impl KeptSettings {
    pub(super) fn of(settings: &Settings<'_>) -> Self {
        let Settings { namespace, rename, strict, types, tag, unix, times, cells } =
            settings.clone();
        KeptSettings {
            namespace: namespace.map(Bound::unbind),
            rename: rename.map(Bound::unbind),
            lax: !strict,
            types: types.map(Bound::unbind),
            tag: tag.map(Bound::unbind),
            unix: unix.map(Bound::unbind),
            times: times.map(Bound::unbind),
            cells: cells.map(Bound::unbind),
        }
    }

    pub(super) fn bind<'py>(&self, py: Python<'py>) -> Settings<'py> {
        let any = |object: &Option<Py<PyAny>>| object.as_ref().map(|it| it.bind(py).clone());
        let dict = |object: &Option<Py<PyDict>>| object.as_ref().map(|it| it.bind(py).clone());
        Settings {
            namespace: dict(&self.namespace),
            rename: any(&self.rename),
            strict: !self.lax,
            types: dict(&self.types),
            tag: any(&self.tag),
            unix: any(&self.unix),
            times: any(&self.times),
            cells: any(&self.cells),
        }
    }

    /// The settings as the options of `Plan` that make them.
    pub(super) fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        let dicts = [("namespace", &self.namespace), ("types", &self.types)];
        for (name, dict) in dicts {
            if let Some(dict) = dict {
                options.set_item(name, dict)?;
            }
        }
        let single = [
            ("rename", &self.rename),
            ("tag", &self.tag),
            ("unix", &self.unix),
            ("times", &self.times),
            ("cells", &self.cells),
        ];
        for (name, value) in single {
            if let Some(value) = value {
                options.set_item(name, value)?;
            }
        }
        if self.lax {
            options.set_item("strict", false)?;
        }
        Ok(options)
    }

    /// All objects that the settings hold.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Py<PyAny>> {
        let dicts = self.namespace.iter().chain(&self.types).map(Py::as_any);
        let [rename, tag, unix] = [&self.rename, &self.tag, &self.unix];
        let all = [rename, tag, unix, &self.times, &self.cells];
        all.into_iter().flatten().chain(dicts)
    }

    /// Adds the settings to a `repr`: `, rename='camel', strict=False`.
    pub(super) fn show(&self, py: Python<'_>, text: &mut String) -> PyResult<()> {
        // Writing to a string does not fail.
        if let Some(rename) = &self.rename {
            let _ = write!(text, ", rename={}", shown(rename.bind(py))?);
        }
        if self.lax {
            text.push_str(", strict=False");
        }
        if let Some(types) = &self.types {
            let pairs: PyResult<Vec<_>> = types
                .bind(py)
                .iter()
                .map(|(of, by)| Ok(format!("{}: {}", display(&of)?, shown(&by)?)))
                .collect();
            let _ = write!(text, ", types={{{}}}", pairs?.join(", "));
        }
        for (name, object) in [
            ("tag", &self.tag),
            ("unix", &self.unix),
            ("times", &self.times),
            ("cells", &self.cells),
        ] {
            if let Some(object) = object {
                let _ = write!(text, ", {name}={}", shown(object.bind(py))?);
            }
        }
        Ok(())
    }
}

/// An option's value for a `repr`: functions and classes by their name.
fn shown(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = object.getattr_opt("__qualname__")?;
    Ok(match name {
        Some(name) if name.is_instance_of::<PyString>() => name.to_string(),
        _ => object.repr()?.to_string(),
    })
}

/// `types=`: types, and the functions that make their values.
///
/// # Errors
/// `TypeError` if it is not a mapping of types to functions.
pub(super) fn registry<'py>(
    object: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(object) = object else { return Ok(None) };
    let Ok(mapping) = object.cast::<PyMapping>() else {
        let kind = object.get_type().name()?;
        let reason = format!("types must be a mapping of types to functions, not {kind}");
        return Err(PyTypeError::new_err(reason));
    };
    // A copy, so that later changes of the registry do not change the plan.
    let types = PyDict::new(object.py());
    types.update(mapping)?;
    for (of, by) in &types {
        let via = super::types::wrappers::is_instance(&by, &super::types::known::VIA);
        if !via && !by.is_callable() {
            let (of, kind) = (display(&of)?, by.get_type().name()?);
            let reason = format!("types[{of}] must be a function or a via(...), not {kind}");
            return Err(PyTypeError::new_err(reason));
        }
    }
    Ok((!types.is_empty()).then_some(types))
}

/// The styles of `rename=`.
const STYLES: [&str; 5] = ["camel", "pascal", "kebab", "snake", "upper"];

/// `rename=`, checked as far as possible without a class.
pub(super) fn rename(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(word) = object.cast::<PyString>() {
        if STYLES.contains(&word.to_str()?) {
            return Ok(());
        }
        let word = word.to_str()?.escape_debug();
        let reason = format!(
            "rename must be 'camel', 'pascal', 'kebab', 'snake', 'upper', a mapping or a function, \
             not '{word}'"
        );
        return Err(PyValueError::new_err(reason));
    }
    if object.cast::<PyMapping>().is_ok()
        || object.is_callable() && !object.is_instance_of::<PyType>()
    {
        return Ok(());
    }
    let kind = object.get_type().name()?;
    let reason = format!("rename must be a str, a mapping or a function, not {kind}");
    Err(PyTypeError::new_err(reason))
}

/// The unit of a `unix(...)`, or of the option of that name.
///
/// # Errors
/// `ValueError` or `TypeError` if it is not a unit.
pub(super) fn unit(object: &Bound<'_, PyAny>) -> PyResult<Unit> {
    let said = match super::types::wrappers::is_instance(object, &super::types::known::UNIX) {
        true => object.getattr("unit")?,
        false => object.clone(),
    };
    let Ok(word) = said.cast::<PyString>() else {
        let kind = said.get_type().name()?;
        return Err(PyTypeError::new_err(format!("unix must be a str, not {kind}")));
    };
    Ok(match word.to_str()? {
        "s" => Unit::Seconds,
        "ms" => Unit::Milliseconds,
        "us" => Unit::Microseconds,
        "ns" => Unit::Nanoseconds,
        other => {
            let other = other.escape_debug();
            let reason = format!("unix must be 's', 'ms', 'us' or 'ns', not '{other}'");
            return Err(PyValueError::new_err(reason));
        }
    })
}

/// Whether a `unix(...)` or a `times(...)` drops digits beyond microseconds.
pub(super) fn cut(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let words = [&super::types::known::UNIX, &super::types::known::TIMES];
    match words.iter().any(|word| super::types::wrappers::is_instance(object, word)) {
        true => object.getattr("cut")?.extract(),
        false => Ok(false),
    }
}

/// The form of a `times(...)`, or of the option of that name, or what is wrong with its pattern;
/// and whether digits beyond microseconds are dropped.
///
/// # Errors
/// `ValueError` or `TypeError` if it is not a form.
pub(super) fn form(object: &Bound<'_, PyAny>) -> PyResult<(Result<Form, String>, bool)> {
    let said = match super::types::wrappers::is_instance(object, &super::types::known::TIMES) {
        true => object.getattr("form")?,
        false => object.clone(),
    };
    let Ok(word) = said.cast::<PyString>() else {
        let kind = said.get_type().name()?;
        let reason = format!("times must be a str or a times(...), not {kind}");
        return Err(PyTypeError::new_err(reason));
    };
    let form = match word.to_str()? {
        "rfc3339" => Ok(Form::Rfc3339),
        "iso" => Ok(Form::Iso),
        pattern if pattern.contains('%') => match Pattern::new(pattern) {
            Ok(pattern) => Ok(Form::Pattern(pattern)),
            Err(why) => Err(format!("the pattern of times(...): {why}")),
        },
        other => {
            let other = other.escape_debug();
            let reason = format!("times must be 'iso' or 'rfc3339', not '{other}'");
            return Err(PyValueError::new_err(reason));
        }
    };
    Ok((form, cut(object)?))
}

/// `times=`, which is for dates and times alike, so that it is no pattern.
pub(super) fn times(object: &Bound<'_, PyAny>) -> PyResult<()> {
    match form(object)?.0 {
        Ok(Form::Rfc3339 | Form::Iso) => Ok(()),
        Ok(Form::Pattern(_)) | Err(_) => {
            let reason = "times= takes no pattern: put times(...) beside the type that it is for";
            Err(PyValueError::new_err(reason))
        }
    }
}

/// `cells=`, checked.
pub(super) fn cells(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if super::types::wrappers::is_instance(object, &super::types::known::CELLS) {
        return Ok(());
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("cells must be a cells(...), not {kind}")))
}

/// `tag=`, checked as far as possible without a union.
pub(super) fn tag(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_word = super::types::wrappers::is_instance(object, &super::types::known::TAG);
    if is_word || object.is_instance_of::<PyString>() {
        return Ok(());
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("tag must be a str or a tag(...), not {kind}")))
}
