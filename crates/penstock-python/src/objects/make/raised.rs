//! Turns exceptions of the user's own code into refusals.

use crate::edge::errors::{answer, is_of_values};
use crate::objects::core::Core;
use crate::objects::core::noted::Noted;
use crate::objects::core::refusal::{Code, Mismatch, Refusal};
use crate::plan::{Field, Kind};
use penstock_core::path_step::PathStep;
use penstock_core::select::{Path, Test};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList};

/// The class's own code raised. A `ValueError` or `TypeError` means that the record does not fit;
/// any other exception is raised as it is.
#[cold]
#[inline(never)]
pub(crate) fn own_code_raised(builder: &Core<'_>, error: PyErr, at: u64) -> Refusal {
    raised_by(builder, error, at, false)
}

/// The user's own code raised: about the coming value if `inside`, else about the current
/// container.
#[cold]
#[inline(never)]
pub(crate) fn raised_by(builder: &Core<'_>, error: PyErr, at: u64, inside: bool) -> Refusal {
    let py = builder.attached();
    if !is_of_values(py, &error) && !crate::plan::is_no_decimal(error.value(py)) {
        return error.into();
    }
    let told = match said(py, &error) {
        Ok(told) => told,
        Err(instead) => return instead.into(),
    };
    let mut mismatches = Vec::new();
    for Told { mut steps, reason, missing } in told {
        let mut mismatch = Mismatch::new(at, reason, builder.path(inside));
        mismatch.code = if missing.is_some() { Code::Missing } else { Code::Refused };
        mismatch.missing = missing.into_iter().collect();
        // A class that says what is wrong with its fields, or a function with parts of its value.
        if !inside && let Some((noted, field)) = field_of(builder, &steps) {
            (mismatch.at, mismatch.place) = (noted.at, noted.place.clone());
            // Pydantic counts the items of a set in an order of its own.
            if matches!(
                builder.plan().nodes[field.node as usize].kind,
                Kind::Set(_) | Kind::FrozenSet(_)
            ) {
                steps.truncate(1);
            }
            steps.splice(..1, path_of(field));
        } else if inside
            && !steps.is_empty()
            && let Some(noted) = builder.noted_in_value(&steps)
        {
            (mismatch.at, mismatch.place) = (noted.at, noted.place.clone());
        }
        mismatch.cause = Some(error.clone_ref(py));
        if builder.is_markup() {
            steps.iter_mut().for_each(name_attribute);
        }
        mismatch.path.extend(steps);
        mismatches.push(mismatch);
    }
    mismatches.sort_by_key(|mismatch| mismatch.at);
    if mismatches.len() == 1 || !builder.options.all_errors {
        let more = mismatches.len() - 1;
        let mut first = mismatches.remove(0);
        match more {
            0 => {}
            1 => first.reason.push_str(" (and 1 more problem)"),
            _ => first.reason.push_str(&format!(" (and {more} more problems)")),
        }
        return first.into();
    }
    Refusal::several(mismatches)
}

/// The field that a path from the current object begins with, and where the part of its value
/// stands to which the path leads.
fn field_of<'b>(builder: &'b Core<'_>, steps: &[PathStep]) -> Option<(&'b Noted, &'b Field)> {
    let Some(PathStep::Key(name)) = steps.first() else { return None };
    if !builder.top().kind.has_fields() || !builder.class().tells_fields {
        return None;
    }
    let py = builder.attached();
    let fields = builder.class().own().iter().enumerate();
    let mut named = fields.filter(|(_, field)| field.name.bind(py) == name.as_str());
    named.find_map(|(index, field)| Some((builder.noted_of(index, &steps[1..])?, field)))
}

/// The key that an attribute has in a plain value becomes the step to the attribute.
fn name_attribute(step: &mut PathStep) {
    if let PathStep::Key(key) = step
        && let Some(name) = key.strip_prefix('@')
    {
        *step = PathStep::Attribute(name.to_owned());
    }
}

/// The path from an object to the value of a field: its key, or the steps of its `at(...)`.
fn path_of(field: &Field) -> Vec<PathStep> {
    let key = || vec![PathStep::Key(field.key.to_string())];
    let Ok(path) = Path::parse(&field.key) else { return key() };
    let steps = path.steps().iter().map(|step| match step.test() {
        Test::Attribute { local, .. } => Some(PathStep::Attribute(local.to_string())),
        Test::Name { .. } => Some(match step.index() {
            Some(index) => PathStep::Index(index),
            None => PathStep::Key(step.key().to_owned()),
        }),
        Test::AnyChild | Test::Text | Test::KeyOf => None,
    });
    steps.collect::<Option<_>>().unwrap_or_else(key)
}

/// One problem that an exception of the user's code tells.
struct Told {
    /// The path from its value to the part that it is about.
    steps: Vec<PathStep>,
    reason: String,
    /// The key that the part lacks, if that is the problem.
    missing: Option<PathStep>,
}

/// What an exception of the user's code tells: at least one problem.
fn said(py: Python<'_>, error: &PyErr) -> PyResult<Vec<Told>> {
    if crate::plan::is_of_pydantic(error.value(py))
        && let Some(told) = answer(py, of_pydantic(py, error))?
        && !told.is_empty()
    {
        return Ok(told);
    }
    let name = error.get_type(py).name()?.to_string();
    let told = match crate::plan::message_of_attrs(error.value(py)) {
        Some(message) => message.str(),
        None => error.value(py).str(),
    };
    let reason = match answer(py, told)? {
        Some(said) if said.is_empty()? => name,
        // Its own text is that of a list: `[<class 'decimal.ConversionSyntax'>]`.
        Some(said)
            if crate::plan::is_no_decimal(error.value(py))
                && said.to_string_lossy().starts_with("[<class 'decimal.") =>
        {
            format!("{name}: the value is no decimal number, or out of range")
        }
        Some(said) => format!("{name}: {}", said.to_string_lossy()),
        None => format!("{name}: <unprintable {name} object>"),
    };
    Ok(vec![Told { steps: Vec::new(), reason, missing: None }])
}

/// The problems of an exception of pydantic's.
fn of_pydantic(py: Python<'_>, error: &PyErr) -> PyResult<Vec<Told>> {
    let plain = PyDict::new(py);
    for left_out in ["include_url", "include_context", "include_input"] {
        plain.set_item(left_out, false)?;
    }
    let problems = error.value(py).call_method("errors", (), Some(&plain))?;
    let mut told = Vec::new();
    for problem in problems.cast_into::<PyList>()? {
        let mut steps = Vec::new();
        for step in problem.get_item("loc")?.try_iter()? {
            let step = step?;
            steps.push(match step.cast::<PyInt>() {
                Ok(index) => PathStep::Index(index.extract()?),
                Err(_) => PathStep::Key(step.str()?.to_string_lossy().into_owned()),
            });
        }
        let mut reason: String = problem.get_item("msg")?.extract()?;
        let kind: String = problem.get_item("type")?.extract()?;
        let mut missing = None;
        if kind == "missing"
            && let Some(PathStep::Key(key)) = steps.last()
        {
            reason = format!("{reason}: \"{}\"", key.escape_debug());
            missing = steps.pop();
        }
        told.push(Told { steps, reason, missing });
    }
    Ok(told)
}
