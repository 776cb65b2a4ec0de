//! Evidence of which classes read records, as plain data. Python decides what is made of it.

use super::finding::{Again, Sourced, read_all};
use crate::drive::driver::Gauge;
use crate::edge::errors::{Named, given};
use crate::edge::options::warn_of_broken;
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::plan::plan_error;
use crate::verbs::chain::Recipe;
use penstock_core::evidence::{Arrays, Evidence, Floats, Ints, Place, Step, Tag, Texts, Tree};
use penstock_core::run::{Policy, RecordScope, Run, Windows};
use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::atomic::Ordering;

impl Again {
    /// The evidence of the records in the sources, each of which is read by so many threads, and how
    /// many records were left out. Of several sources, the rest of a broken one is left out, unless
    /// errors are raised.
    pub(super) fn evidence(
        &self,
        py: Python<'_>,
        sources: &[Sourced<'_>],
        threads: usize,
        reports: bool,
    ) -> PyResult<(Evidence, u64)> {
        let mut all = Evidence::new();
        let (mut skipped, mut broken, mut first) = (0, 0, None);
        for (dialect, source) in sources {
            let gauge = Gauge::default();
            let (found, failed) =
                pass(py, self.recipe(), (dialect.get(), source.get()), threads, &gauge)?;
            skipped += gauge.skipped.load(Ordering::Relaxed);
            if let Some(error) = failed {
                if !self.leaves_out(py, sources, &error)? {
                    return Err(error);
                }
                if reports {
                    warn_of_broken(py, &error)?;
                }
                broken += 1;
                first.get_or_insert(error);
            }
            all.absorb(found);
        }
        match first {
            Some(error) if broken == sources.len() && all.records() == 0 => Err(error),
            _ => Ok((all, skipped)),
        }
    }
}

/// Reads all of a source in so many threads. If it cannot be read to its end, the error comes with
/// the evidence from before.
fn pass(
    py: Python<'_>,
    recipe: &Recipe,
    (dialect, source): (&Dialect, &SourceObject),
    threads: usize,
    gauge: &Gauge,
) -> PyResult<(Evidence, Option<PyErr>)> {
    let at = recipe.at.as_ref().map(|at| at.get(py)).transpose()?;
    let Choice { plan, mut records, condition, .. } =
        dialect.choose(&recipe.r#type.get(py)?, at.as_ref())?;
    if at.is_none() && dialect.has_elements() {
        // The same records, and their names.
        records = Some(dialect.records("*/*")?);
    }
    if plan.kinds.len() > 1 {
        let reason = "a class is inferred for one kind of records, and at= names several";
        return Err(plan_error(py, reason));
    }
    let errors = recipe.policy.get().errors(py)?;
    let policy = match errors.policy(recipe.policy.get().max_errors) {
        Policy::Raise => Policy::Raise,
        Policy::Skip | Policy::Collect { .. } | Policy::Hand => Policy::Skip,
    };
    let (opened, _held) = match source.open(py, dialect.detect(), &recipe.limits) {
        Ok(opened) => opened,
        Err(error) => return Ok((Evidence::new(), Some(error))),
    };
    let name = source.name();
    let run = Run::new(dialect.reader(false, &recipe.limits), Windows::of(opened), policy);
    let named = Named::new(dialect.name(), name.as_deref());
    let mut evidence = Evidence::new();
    // A condition decides about a record of which some was seen already.
    if policy == Policy::Skip || condition.is_some() {
        evidence = evidence.leaving_out();
    }
    let mut to = RecordScope::new(evidence, records).wanting(condition);
    let failed = read_all(py, run, &mut to, &named, threads, gauge).err();
    Ok((to.into_inner().into_whole(), failed))
}

/// Evidence as Python takes it: the place of the record, the names of its elements, how many records
/// there were, and the name of the format.
pub(super) fn told<'py>(
    py: Python<'py>,
    evidence: &Evidence,
    format: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let record = place(py, evidence.tree(), 0)?;
    (record, texts(py, evidence.names())?, evidence.records(), format).into_pyobject(py)
}

/// The name of a step.
fn step(step: Step) -> &'static str {
    match step {
        Step::Record => "record",
        Step::Member => "member",
        Step::Element => "element",
        Step::Attribute => "attribute",
        Step::Item => "item",
        Step::Text => "text",
        Step::Any => "any",
    }
}

/// A place with all that is below it, which is not deep.
fn place<'py>(py: Python<'py>, tree: &Tree, id: u32) -> PyResult<Bound<'py, PyTuple>> {
    let of = tree.place(id);
    let Place { key, present, most, nulls, bools, moments, bytes, uids, deep, .. } = of;
    let led = (&**key, of.at(), step(of.step), *present, *most);
    let counts = (*nulls, bools.0, bools.1, *moments, *bytes, *uids, *deep);
    let texts = of.texts.as_deref().map(|it| texts(py, it)).transpose()?;
    (
        led,
        counts,
        ints(&of.ints),
        floats(&of.floats),
        texts,
        arrays(py, tree, &of.arrays)?,
        bodies(py, tree, of)?,
    )
        .into_pyobject(py)
}

type TaggedBodies<'py> = (Option<(String, &'static str)>, Bound<'py, PyList>);

/// The key that tells objects apart, and the bodies with its values; without one, at most one body.
fn bodies<'py>(py: Python<'py>, tree: &Tree, of: &Place) -> PyResult<TaggedBodies<'py>> {
    let list = PyList::empty(py);
    if of.body != 0 {
        list.append((None::<&str>, body(py, tree, of.body)?))?;
    }
    let Tag::By(key, by, values) = &of.tag else { return Ok((None, list)) };
    let mut values: Vec<_> = values.iter().collect();
    values.sort_unstable();
    for (value, id) in values {
        list.append((Some(&**value), body(py, tree, *id)?))?;
    }
    Ok((Some((key.to_string(), step(*by))), list))
}

/// How many objects there were, how many of them had mixed text, the most keys, the keys if they are
/// data, whether they are columns, and the places of the values.
fn body<'py>(py: Python<'py>, tree: &Tree, id: u32) -> PyResult<Bound<'py, PyTuple>> {
    let of = tree.body(id);
    let children = PyList::empty(py);
    for child in of.in_order(tree) {
        children.append(place(py, tree, child)?)?;
    }
    let keys = of.keys.as_deref().map(|it| texts(py, it)).transpose()?;
    (of.count, of.mixed, of.most, keys, of.is_row, children).into_pyobject(py)
}

type IntsTold = (u64, Option<(i64, i64)>, u32);

fn ints(of: &Ints) -> IntsTold {
    (of.count, of.range, of.beyond)
}

type FloatsTold = (u64, Option<(f64, f64)>, Option<(u32, u32)>, bool, bool);

fn floats(of: &Floats) -> FloatsTold {
    (of.count, of.range, of.scale, of.inexact, of.scientific)
}

fn texts<'py>(py: Python<'py>, of: &Texts) -> PyResult<Bound<'py, PyTuple>> {
    let of = of.told();
    let values = of.values.as_ref().map(|values| {
        let mut told: Vec<(&str, u64)> = Vec::new();
        make_room(&mut told, values.len());
        told.extend(values.iter().map(|(text, count)| (&**text, *count)));
        told
    });
    let counts = (of.count, of.empty, of.marked, of.blank);
    (counts, of.length, of.forms, ints(&of.ints), floats(&of.floats), values).into_pyobject(py)
}

type ArraysTold<'py> = (u64, Option<(u64, u64)>, Option<Bound<'py, PyTuple>>);

fn arrays<'py>(py: Python<'py>, tree: &Tree, of: &Arrays) -> PyResult<ArraysTold<'py>> {
    let item = if of.item == 0 { None } else { Some(place(py, tree, of.item)?) };
    Ok((of.count, of.length, item))
}

/// What there is to say of keys, each with how often it came.
#[pyfunction]
#[pyo3(signature = (keys, /))]
pub(crate) fn texts_seen(py: Python<'_>, keys: Vec<(String, u64)>) -> PyResult<Py<PyAny>> {
    given(py, || {
        let mut seen = Texts::default();
        keys.iter().for_each(|(key, times)| seen.give_often(key, *times));
        texts(py, &seen)
    })
}
