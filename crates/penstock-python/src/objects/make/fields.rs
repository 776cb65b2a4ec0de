//! Fields of the current object: those without a value, and those that gather several.

use super::by_name::add_rest;
use super::raised::own_code_raised;
use super::{outer_mismatch, parts};
use crate::objects::core::Core;
use crate::objects::core::frame::FrameKind;
use crate::objects::core::refusal::{Code, Refusal};
use crate::plan::{Absent, Build, ClassPlan, Field, Kind, NodeId, Target, element};
use penstock_core::path_step::PathStep;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::collections::VecDeque;
use std::ptr;

/// Fills the places of all fields that have no value, and finishes those that gather.
#[inline(never)]
pub(crate) fn fill_all(builder: &mut Core<'_>, class: &ClassPlan, at: u64) -> Result<(), Refusal> {
    if !class.parts.is_empty() {
        return parts::fill_all(builder, class, at);
    }
    for (index, field) in class.fields.iter().enumerate() {
        if (builder.stack.get(builder.top().slots + index).is_null() || field.gathers)
            && let Err(refusal) = fill(builder, class, field, index, at)
        {
            builder.keep(refusal)?;
            keep_missing(builder, class, index + 1, at)?;
            return Err(Refusal::kept());
        }
    }
    Ok(())
}

/// Fills the place of a field that has no value, or finishes one that gathers.
pub(super) fn fill(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    field: &Field,
    index: usize,
    at: u64,
) -> Result<(), Refusal> {
    let py = builder.attached();
    let place = builder.top().slots + index;
    let there = builder.stack.get(place);
    // The function of a pydantic class gets these keys beside the others.
    let is_rest = class.rest == Some(index as u32) && !matches!(class.build, Build::Validate(_));
    let value = if is_rest && !there.is_null() {
        // SAFETY: a list, made by `gather`; the stack owns it.
        let pairs = unsafe { Bound::from_borrowed_ptr(py, there) };
        let dict = PyDict::new(py);
        add_rest(builder, &dict, &pairs, at)?;
        finished(builder, field, true, dict.into_any(), at)?
    } else if !there.is_null() {
        // SAFETY: gathered collections are lists, made by `gather`; the stack owns it.
        let gathered = unsafe { Bound::from_borrowed_ptr(py, there) };
        let finishes = gathers_items(builder, field)
            && builder.plan().nodes[field.node as usize].after.is_some();
        match collected(builder, field.node, gathered.clone(), at)? {
            Some(other) => finished(builder, field, finishes, other, at)?,
            None if finishes => finished(builder, field, finishes, gathered, at)?,
            None => return Ok(()),
        }
    } else {
        match &field.absent {
            Absent::Value(value) => value.bind(py).clone(),
            Absent::Factory(factory) => match factory.bind(py).call0() {
                Ok(value) => value,
                Err(error) => return Err(own_code_raised(builder, error, at)),
            },
            Absent::Unset => return Ok(()),
            Absent::Error if is_rest => {
                finished(builder, field, true, PyDict::new(py).into_any(), at)?
            }
            Absent::Error if field.gathers => match nothing_gathered(builder, field)? {
                Some(value) => finished(builder, field, true, value, at)?,
                None => return Err(missing(builder, class, field, at)),
            },
            Absent::Error => return Err(missing(builder, class, field, at)),
        }
    };
    let old = builder.stack.replace(place, value.into_ptr());
    // SAFETY: the stack gave its reference to us.
    unsafe { drop(Bound::from_owned_ptr_or_opt(py, old)) };
    Ok(())
}

/// Keeps a problem for each required field without a value, from field `first` on.
#[cold]
#[inline(never)]
pub(crate) fn keep_missing(
    builder: &mut Core<'_>,
    class: &ClassPlan,
    from: usize,
    at: u64,
) -> Result<(), Refusal> {
    for (index, field) in class.own().iter().enumerate().skip(from) {
        let lacks = builder.stack.get(builder.top().slots + index).is_null()
            && matches!(field.absent, Absent::Error)
            && !class.parts.iter().any(|part| part.field as usize == index)
            && !(field.gathers && nothing_gathered(builder, field)?.is_some());
        if lacks {
            let refusal = missing(builder, class, field, at);
            builder.keep(refusal)?;
        }
    }
    match class.parts.is_empty() {
        true => Ok(()),
        false => parts::keep_missing_of_parts(builder, class, at),
    }
}

/// Whether the values that a field gathers are the items of its own value.
fn gathers_items(builder: &Core<'_>, field: &Field) -> bool {
    let items = || element(&builder.plan().nodes, field.node).is_some();
    field.gathers && (field.keyed.is_some() || items())
}

/// Converts and checks a gathered collection, if its node asks for it.
fn finished<'py>(
    builder: &Core<'_>,
    field: &Field,
    finishes: bool,
    value: Bound<'py, PyAny>,
    at: u64,
) -> Result<Bound<'py, PyAny>, Refusal> {
    if !finishes {
        return Ok(value);
    }
    let py = value.py();
    let mut made = builder.finish(field.node, value.into_ptr(), at);
    if let Some(mismatch) = made.as_mut().err().and_then(Refusal::mismatch) {
        mismatch.path = builder.path(false);
        mismatch.path.push(PathStep::Key(field.key.to_string()));
    }
    // SAFETY: the reference is handed over to us.
    Ok(unsafe { Bound::from_owned_ptr(py, made?) })
}

/// Converts a list to the collection that a node asks for, if that is not a list.
pub(crate) fn collected<'py>(
    builder: &Core<'_>,
    node: NodeId,
    list: Bound<'py, PyAny>,
    at: u64,
) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
    let py = list.py();
    let class = match &builder.plan().nodes[node as usize].kind {
        Kind::Set(_) => py.get_type::<pyo3::types::PySet>(),
        Kind::FrozenSet(_) => py.get_type::<pyo3::types::PyFrozenSet>(),
        Kind::TupleOf(_) => py.get_type::<PyTuple>(),
        _ => return Ok(None),
    };
    // A set hashes its elements, and that may call the elements' own code.
    let other = class.call1((list,));
    other.map(Some).map_err(|error| own_code_raised(builder, error, at))
}

/// The value of a gathering field when nothing matched: an empty collection, if the type is one.
fn nothing_gathered<'py>(
    builder: &Core<'py>,
    field: &Field,
) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
    let py = builder.attached();
    Ok(Some(match &builder.plan().nodes[field.node as usize].kind {
        Kind::List(_) => PyList::empty(py).into_any(),
        Kind::Set(_) => pyo3::types::PySet::empty(py)?.into_any(),
        Kind::FrozenSet(_) => pyo3::types::PyFrozenSet::empty(py)?.into_any(),
        Kind::TupleOf(_) => PyTuple::empty(py).into_any(),
        Kind::Dict(..) if field.keyed.is_some() => PyDict::new(py).into_any(),
        _ => return Ok(None),
    }))
}

/// The refusal of a required field without a value.
#[cold]
#[inline(never)]
pub(super) fn missing(builder: &Core<'_>, class: &ClassPlan, field: &Field, at: u64) -> Refusal {
    let reason = if builder.top().kind == FrameKind::Row {
        format!("{} lacks an item for the field {:?}", class.name, field.key)
    } else if builder.is_markup() {
        format!("{} lacks the required {}", class.name, markup_place(class, field))
    } else {
        // An "or" stands between the keys of a choice.
        let keys = field.key.escape_debug().to_string().replace(" or ", "\" or \"");
        format!("{} lacks the required key \"{keys}\"", class.name)
    };
    let mut refusal = outer_mismatch(builder, at, reason).coded(Code::Missing);
    if let Some(mismatch) = refusal.mismatch() {
        mismatch.missing = steps_to(class, field);
        // Also beside the part that lacks the field.
        let base = builder.top().base;
        let nothing = || builder.stack.from(base).iter().all(|value| value.is_null());
        // A field of an earlier problem is filled, but that was absent too.
        mismatch.bare = builder.frames.len() == 2 && nothing();
    }
    refusal
}

/// The steps from an object to the value of a field: the shortest ones, if there are several.
fn steps_to(class: &ClassPlan, field: &Field) -> Vec<PathStep> {
    let leads = |to: &Target| {
        let of = |aim: u32| &class.fields[class.aims[aim as usize].field as usize];
        class.aim_of(*to).is_some_and(|aim| ptr::eq(of(aim), field))
    };
    let mut seen = vec![false; class.states.len()];
    let mut next = VecDeque::from([(0, Vec::new())]);
    while let Some((at, way)) = next.pop_front() {
        let Some(state) = class.states.get(at as usize) else { continue };
        // The states of a class may lead back to themselves.
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let names = state.keys.iter().map(|edge| (&edge.name, &edge.to));
        let names = names.chain(state.elements.edges.iter().map(|edge| (&edge.name, &edge.to)));
        let attributes = state.attributes.edges.iter().map(|edge| (&edge.name, &edge.to));
        let step = names
            .clone()
            .find(|(_, to)| leads(to))
            .map(|(name, _)| PathStep::Key(name.to_string()))
            .or_else(|| {
                let (name, _) = attributes.clone().find(|(_, to)| leads(to))?;
                Some(PathStep::Attribute(name.to_string()))
            })
            .or_else(|| {
                let (index, _) = state.indexes.iter().find(|(_, to)| leads(to))?;
                Some(PathStep::Index(*index))
            });
        if let Some(step) = step {
            return way.into_iter().chain([step]).collect();
        }
        let keys = names.map(|(name, to)| (PathStep::Key(name.to_string()), to));
        let indexes = state.indexes.iter().map(|(index, to)| (PathStep::Index(*index), to));
        for (step, to) in keys.chain(indexes) {
            if let Target::State(to) = to {
                next.push_back((*to, way.iter().cloned().chain([step]).collect()));
            }
        }
    }
    Vec::new()
}

/// Describes where markup has the value of a field.
fn markup_place(class: &ClassPlan, field: &Field) -> String {
    let leads = |target: &Target| {
        let of = |aim: u32| &class.fields[class.aims[aim as usize].field as usize];
        class.aim_of(*target).is_some_and(|aim| ptr::eq(of(aim), field))
    };
    let element = class.states.iter().any(|state| {
        let edges = state.elements.edges.iter().map(|edge| &edge.to);
        edges.chain(&state.other).any(leads)
    });
    let attribute = class.states.iter().flat_map(|state| &state.attributes.edges);
    let place = match (element, attribute.map(|edge| &edge.to).any(leads)) {
        (true, true) => "element or attribute",
        (true, false) => "element",
        (false, true) => "attribute",
        (false, false) => "text",
    };
    // An "or" stands between the paths of a choice.
    format!("{place} '{}'", field.key.replace(" or ", "' or '"))
}
