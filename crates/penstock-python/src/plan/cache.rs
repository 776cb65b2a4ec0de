//! Caches plans as long as their classes are needed.
//!
//! A plan holds its class, so a cache of plans would keep every class for ever, including those
//! that a function defines for a single call. We do not write anything to a class, and nowhere else
//! could the garbage collector see the plan and its class die together. But a class is part of a
//! reference cycle from birth, since it is the first entry of its own `__mro__`: it dies only in a
//! collection, never by its reference count. So it is enough to drop all plans when a full
//! collection begins. Full collections are rare, and each costs many times what it costs to make
//! the plans again. Between two of them, the cache's size is limited, for programs that define many
//! classes.
//!
//! CPython gives a class a new version with every change of the class or of a base, and a lookup
//! compares versions. A change *inside* an object that a class holds, such as its `__annotations__`
//! dict, does not change the class and is not noticed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFrozenSet, PyTuple, PyType};

use crate::edge::errors::guarded;
use penstock_core::shape::Form;

use super::keys::{found_by, renaming, untyped};
use super::kinds::classes;
use super::settings::Settings;
use super::shown::PlanObject;
use super::told_later;
use super::types::compiler::{Compiler, Place};
use super::types::names::Scope;
use super::types::{arrow_schema, tokens, unions};
use super::{Aim, Kind, NOTED, Plan, PlanRef, plan_error};

/// How many plans of each sort are kept. With one more, all are dropped.
const MOST: usize = 512;

/// The plans of classes, by address and form. A plan keeps its class alive, so that no other object
/// gets the address.
static CLASSES: Mutex<Option<OfClasses>> = Mutex::new(None);
type OfClasses = HashMap<(usize, Form), PlanRef, BuildHasherDefault<Addresses>>;

/// Hashes addresses. Nobody chooses these so that they collide.
#[derive(Default)]
struct Addresses(u64);

impl Hasher for Addresses {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }
    fn write_usize(&mut self, word: usize) {
        let mixed = (self.0 ^ word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
    fn write_isize(&mut self, word: isize) {
        self.write_usize(word.cast_unsigned());
    }
}

/// The plans of other types, such as `list[City]` or `City | None`. Python makes these anew each
/// time they are written, so they are found by equality, and by prefixes if the plan has some.
/// Dicts, because a comparison may run code of a metaclass.
static EXPRESSIONS: [PyOnceLock<Py<PyDict>>; Form::COUNT] =
    [const { PyOnceLock::new() }; Form::COUNT];

/// What a plan is made for.
#[derive(Clone, Copy)]
pub(crate) struct PlanKey<'a, 'py> {
    /// The form of the formats.
    pub(crate) form: Form,
    /// The meaning of prefixes in the paths of markup.
    pub(crate) prefixes: Prefixes<'a, 'py>,
}

/// The meaning of prefixes in the paths of markup.
#[derive(Clone, Copy)]
pub(crate) enum Prefixes<'a, 'py> {
    /// They stand for the namespaces of this mapping, if there is one.
    Bound(Option<&'a Bound<'py, PyDict>>),
    /// They are part of the name.
    AsWritten,
}

impl<'py> PlanKey<'_, 'py> {
    /// Distinguishes the plan of a type from that for the form alone, if anything does.
    pub(super) fn mark(self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match self.prefixes {
            _ if !self.form.has_elements() => None,
            Prefixes::AsWritten => Some(PyBool::new(py, false).to_owned().into_any()),
            Prefixes::Bound(Some(bound)) if !bound.is_empty() => {
                Some(PyFrozenSet::new(py, bound.items())?.into_any())
            }
            Prefixes::Bound(_) => None,
        })
    }
}

impl From<Form> for PlanKey<'_, '_> {
    fn from(form: Form) -> Self {
        PlanKey { form, prefixes: Prefixes::Bound(None) }
    }
}

/// The plan of a type, from the cache or new.
///
/// With settings it is always new.
///
/// # Errors
/// `PlanError` for a type that cannot be decoded into.
pub(crate) fn plan_for<'py>(
    py: Python<'py>,
    type_object: &Bound<'py, PyAny>,
    settings: &Settings<'py>,
    aimed: PlanKey<'_, 'py>,
) -> PyResult<PlanRef> {
    if !settings.is_default() {
        return new_plan(py, std::slice::from_ref(type_object), settings, aimed);
    }
    if let Some(mark) = aimed.mark(py)? {
        let key = PyTuple::new(py, [type_object, &mark])?;
        return of_expression(py, type_object, key.as_any(), aimed);
    }
    if let Ok(class) = type_object.cast::<PyType>() {
        return of_class(py, class, aimed.form);
    }
    of_expression(py, type_object, type_object, aimed)
}

/// The class that a schema means, or the type itself.
fn typed<'py>(object: &Bound<'py, PyAny>, form: Form) -> PyResult<Bound<'py, PyAny>> {
    if !arrow_schema::is_schema(object)? {
        return Ok(object.clone());
    }
    arrow_schema::class_of(object.py(), &arrow_schema::imported(object)?, form.has_elements())
}

/// The plan for what a user passes as a type: a type, or a `Plan`.
///
/// # Errors
/// As for [`plan_for`].
pub(crate) fn plan_from<'py>(
    py: Python<'py>,
    object: &Bound<'py, PyAny>,
    aimed: PlanKey<'_, 'py>,
) -> PyResult<PlanRef> {
    // The most frequent case: a class, in a format without further options.
    if !aimed.form.has_elements()
        && let Ok(class) = object.cast::<PyType>()
    {
        return of_class(py, class, aimed.form);
    }
    match object.cast::<PlanObject>() {
        Ok(object) => object.get().plan(py, aimed),
        Err(_) => plan_for(py, object, &Settings::default(), aimed),
    }
}

/// The plan for several kinds of records that are read at once.
///
/// # Errors
/// As for [`plan_for`].
pub(crate) fn plan_of_kinds<'py>(
    py: Python<'py>,
    types: &[Bound<'py, PyAny>],
    aimed: PlanKey<'_, 'py>,
) -> PyResult<PlanRef> {
    let mut plain = Vec::with_capacity(types.len());
    let mut settings = Settings::default();
    for object in types {
        plain.push(match object.cast::<PlanObject>() {
            Ok(object) => object.get().unwrapped(py, &mut settings)?,
            Err(_) => object.clone(),
        });
    }
    new_plan(py, &plain, &settings, aimed)
}

fn of_class(py: Python<'_>, class: &Bound<'_, PyType>, form: Form) -> PyResult<PlanRef> {
    let key = (class.as_ptr() as usize, form);
    let known = kept().as_ref().and_then(|plans| plans.get(&key).map(|plan| plan.clone_ref(py)));
    if let Some(plan) = known
        && plan.is_current(py)
    {
        return Ok(plan);
    }
    let settings = Settings::default();
    let plan = new_plan(py, &[class.clone().into_any()], &settings, form.into())?;
    // Nothing is dropped while the lock is held: that could run code that needs the lock.
    let mut old = None;
    let replaced = {
        let mut plans = kept();
        if plans.as_ref().is_some_and(|plans| plans.len() >= MOST) {
            old = plans.take();
        }
        plans.get_or_insert_default().insert(key, plan.clone_ref(py))
    };
    drop((old, replaced));
    Ok(plan)
}

fn of_expression<'py>(
    py: Python<'py>,
    expression: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    aimed: PlanKey<'_, 'py>,
) -> PyResult<PlanRef> {
    let expressions = &EXPRESSIONS[aimed.form.index()];
    let plans = expressions.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    let make = || new_plan(py, std::slice::from_ref(expression), &Settings::default(), aimed);
    let known = match plans.get_item(key) {
        Ok(known) => known,
        // It has no hash: `Annotated[int, []]`, or no type at all.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => return make(),
        Err(error) => return Err(error),
    };
    if let Some(known) = known
        && let Some(plan) = known.cast::<PlanObject>()?.get().kept(py, aimed.form)
    {
        return Ok(plan);
    }
    let plan = make()?;
    // Schemas are equal although their metadata is not.
    if arrow_schema::is_schema(expression)? {
        return Ok(plan);
    }
    if plans.len() >= MOST {
        plans.clear();
    }
    plans.set_item(key, Py::new(py, PlanObject::of(expression, plan.clone_ref(py)))?)?;
    Ok(plan)
}

fn kept() -> MutexGuard<'static, Option<OfClasses>> {
    // The map is consistent between any two statements that could panic.
    CLASSES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a plan of one type, or of several kinds.
fn new_plan<'py>(
    py: Python<'py>,
    types: &[Bound<'py, PyAny>],
    settings: &Settings<'py>,
    aimed: PlanKey<'_, 'py>,
) -> PyResult<PlanRef> {
    let PlanKey { form, prefixes } = aimed;
    let mut compiler = Compiler::new(py, form, settings.clone());
    match prefixes {
        Prefixes::AsWritten => compiler.prefixes = None,
        Prefixes::Bound(bound) => {
            let pairs = bound.into_iter().flatten().map(|pair| pair_of_text(&pair));
            compiler.prefixes = Some(pairs.collect::<PyResult<_>>()?);
        }
    }
    let scope = Scope::new(None, settings.namespace.as_ref(), &compiler.relatives);
    let mut kinds = Vec::with_capacity(types.len());
    for type_object in types {
        let type_object = typed(type_object, form)?;
        kinds.push(compiler.node(&type_object, &[], &scope, Place { field: None })?);
    }
    let mut plans = Vec::with_capacity(compiler.met.len());
    // Planning a class may find others.
    while plans.len() < compiler.met.len() {
        plans.push(classes::plan(&mut compiler, plans.len())?);
    }
    compiler.check_hashes()?;
    compiler.give_factories()?;
    let mut nodes = compiler.nodes;
    if let Some(rename) = &settings.rename {
        renaming::settle(rename, &plans, &compiler.renamable)?;
    }
    classes::settle_keys(py, &nodes, &mut plans)?;
    let prefixes = compiler.prefixes.as_deref();
    unions::settle(py, compiler.unions, &mut nodes, &plans, form, prefixes)?;
    if !settings.strict {
        tokens::loosen(&mut nodes);
    }
    let cells = settings.cells.as_ref().filter(|_| form.is_lexical());
    if cells.is_some() && plans.is_empty() && !nodes.iter().any(has_forms) {
        let written = kinds.first().map_or("", |kind| &*nodes[*kind as usize].written);
        let reason = "cells= says how values stand in text, and every value is text in";
        return Err(plan_error(
            py,
            format_args!("{reason} {written}: give a type that has others"),
        ));
    }
    let cells = cells.map(|cells| untyped::settle(&mut nodes, cells)).transpose()?;
    for plan in &mut plans {
        plan.take_aim(&nodes, form);
    }
    found_by::settle(py, &nodes, &plans)?;
    let aim = |node| Aim::new(&nodes, form, node, 0, false);
    let aims = (0..nodes.len() as u32).map(aim).collect();
    let noted = |node| Aim::new(&nodes, form, node, NOTED, false).finished(form);
    let noted_aims = (0..nodes.len() as u32).map(noted).collect();
    let notes_items = told_later::containers(py, &nodes)?;
    let root = kinds.first().copied().unwrap_or_default();
    let (kinds, seen) = (kinds.into(), compiler.seen.into());
    let states = plans.iter_mut().flat_map(|plan| &mut plan.states);
    states.zip(0..).for_each(|(state, number)| state.number = number);
    let (lax, json) = (!settings.strict, OnceLock::new());
    let counts_digits =
        nodes.iter().any(|node| matches!(node.kind, super::Kind::Decimal) && node.column.is_none());
    listen_to_collector(py)?;
    let plan = Plan {
        nodes,
        classes: plans,
        aims,
        noted_aims,
        notes_items,
        root,
        kinds,
        form,
        lax,
        counts_digits,
        cells,
        types: settings.types.as_ref().map(|types| types.clone().unbind()),
        seen,
        json,
        layouts: OnceLock::new(),
        plain_parts: OnceLock::new(),
    };
    PlanRef::new(py, plan)
}

/// Whether values of a node may stand in text in several forms.
fn has_forms(node: &super::Node) -> bool {
    node.nullable
        || !matches!(
            node.kind,
            Kind::Any
                | Kind::Str
                | Kind::List(_)
                | Kind::Set(_)
                | Kind::FrozenSet(_)
                | Kind::TupleOf(_)
                | Kind::Tuple(_)
                | Kind::Dict(..)
        )
}

fn pair_of_text(
    (prefix, uri): &(Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> PyResult<(String, String)> {
    Ok((prefix.extract()?, uri.extract()?))
}

/// From the first plan on, drops all plans that are cached, and what is spare, whenever a full
/// collection begins.
fn listen_to_collector(py: Python<'_>) -> PyResult<()> {
    static LISTENING: PyOnceLock<()> = PyOnceLock::new();
    LISTENING.get_or_try_init(py, || {
        let callbacks = py.import(intern!(py, "gc"))?.getattr(intern!(py, "callbacks"))?;
        callbacks.call_method1(intern!(py, "append"), (wrap_pyfunction!(on_collection, py)?,))?;
        Ok::<_, PyErr>(())
    })?;
    Ok(())
}

/// The functions of what else keeps plans that nobody may need any more: each lets them go.
type Keepers = [fn(Python<'_>)];
static KEEPERS: OnceLock<&Keepers> = OnceLock::new();

/// Has these called whenever the cache drops its plans.
pub(crate) fn on_clearing(keepers: &'static Keepers) {
    KEEPERS.get_or_init(|| keepers);
}

/// Called by the collector before and after each of its runs.
#[pyfunction]
#[pyo3(name = "_penstock_plans")]
fn on_collection(phase: &Bound<'_, PyAny>, info: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = phase.py();
    guarded(py, || {
        let generation = info.get_item(intern!(py, "generation"))?;
        if phase.eq(intern!(py, "start"))? && generation.is_some_and(|g| g.eq(2).unwrap_or(false)) {
            let old = kept().take();
            drop(old);
            KEEPERS.get().into_iter().for_each(|keepers| keepers.iter().for_each(|one| one(py)));
            for plans in EXPRESSIONS.iter().filter_map(|plans| plans.get(py)) {
                plans.bind(py).clear();
            }
        }
        Ok(())
    })
}
