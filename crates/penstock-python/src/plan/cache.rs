//! Plans that were made, kept as long as their classes are wanted.
//!
//! A plan needs its class, and a cache that needs its plans would keep every class for ever, the
//! ones that a function defines for a single call included. Nothing may be written onto the class
//! either, which would be the one place from which the garbage collector sees such a plan go with
//! its class. But a class is part of a reference cycle from birth, since it is the first entry of
//! its own `__mro__`: it never dies by its reference count, only in a collection. So it is enough
//! to let go of all plans when one begins. That is done at full collections, which come rarely
//! and each cost many times what the plans do that are made again after them. For classes that
//! come and go between two of them the cache is bounded.
//!
//! A class that was changed is noticed by its version, which CPython renews with every change of a
//! class or of a base of it; looking a plan up compares them. What is changed *inside* an object
//! that a class holds, such as its `__annotations__` dict, does not change the class and is not
//! noticed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFrozenSet, PyTuple, PyType};

use crate::failure::guarded;
use crate::verbs::small;
use penstock_core::shape::Form;

use super::names::Scope;
use super::settings::Settings;
use super::shown::PlanObject;
use super::types::{Compiler, Place};
use super::{Aim, Plan, classes, renaming, tokens, unions};

/// How many plans are kept of each sort. One more, and all are let go.
const MOST: usize = 512;

/// The plans of classes, by address and form. A plan keeps its class alive, and so the address
/// its own.
static CLASSES: Mutex<Option<OfClasses>> = Mutex::new(None);
type OfClasses = HashMap<(usize, Form), Arc<Plan>, BuildHasherDefault<Addresses>>;

/// Hashes addresses, which nobody chooses so that they collide.
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

/// The plans of other types, `list[City]` or `City | None`: those are made anew each time that
/// they are written, and found by equality. A plan with prefixes is found by these too. Dicts,
/// since comparing may run code of a metaclass.
static EXPRESSIONS: [PyOnceLock<Py<PyDict>>; Form::COUNT] =
    [const { PyOnceLock::new() }; Form::COUNT];

/// What a plan is to be for.
#[derive(Clone, Copy)]
pub(crate) struct Aimed<'a, 'py> {
    /// The form of the formats.
    pub(crate) form: Form,
    /// What prefixes are in the paths of markup.
    pub(crate) prefixes: Prefixes<'a, 'py>,
}

/// What prefixes are in the paths of markup.
#[derive(Clone, Copy)]
pub(crate) enum Prefixes<'a, 'py> {
    /// They stand for the namespaces of this mapping, if there is one.
    Bound(Option<&'a Bound<'py, PyDict>>),
    /// They are a part of the name.
    AsWritten,
}

impl<'py> Aimed<'_, 'py> {
    /// What tells the plan of a type from that for the form alone, if anything does.
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

impl From<Form> for Aimed<'_, '_> {
    fn from(form: Form) -> Self {
        Aimed { form, prefixes: Prefixes::Bound(None) }
    }
}

/// The plan of a type, made now or before.
///
/// With settings it is made anew each time.
///
/// # Errors
/// `PlanError` for a type that cannot be decoded into.
pub(crate) fn plan_for<'py>(
    py: Python<'py>,
    type_object: &Bound<'py, PyAny>,
    settings: &Settings<'py>,
    aimed: Aimed<'_, 'py>,
) -> PyResult<Arc<Plan>> {
    if !settings.is_default() {
        return Ok(Arc::new(new_plan(py, std::slice::from_ref(type_object), settings, aimed)?));
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

/// The plan for what a user passes as a type: a type, or a `Plan`.
///
/// # Errors
/// As for [`plan_for`].
pub(crate) fn plan_from<'py>(
    py: Python<'py>,
    object: &Bound<'py, PyAny>,
    aimed: Aimed<'_, 'py>,
) -> PyResult<Arc<Plan>> {
    // What is asked for most: a class, in a format that has nothing else to say of it.
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
    aimed: Aimed<'_, 'py>,
) -> PyResult<Arc<Plan>> {
    let mut plain = Vec::with_capacity(types.len());
    let mut settings = Settings::default();
    for object in types {
        plain.push(match object.cast::<PlanObject>() {
            Ok(object) => object.get().unwrapped(py, &mut settings)?,
            Err(_) => object.clone(),
        });
    }
    Ok(Arc::new(new_plan(py, &plain, &settings, aimed)?))
}

fn of_class(py: Python<'_>, class: &Bound<'_, PyType>, form: Form) -> PyResult<Arc<Plan>> {
    let key = (class.as_ptr() as usize, form);
    let known = kept().as_ref().and_then(|plans| plans.get(&key).cloned());
    if let Some(plan) = known
        && plan.is_current(py)
    {
        return Ok(plan);
    }
    let settings = Settings::default();
    let plan = Arc::new(new_plan(py, &[class.clone().into_any()], &settings, form.into())?);
    listen_to_collector(py)?;
    // Nothing is dropped while the lock is held: that could run code which wants it.
    let mut old = None;
    let replaced = {
        let mut plans = kept();
        if plans.as_ref().is_some_and(|plans| plans.len() >= MOST) {
            old = plans.take();
        }
        plans.get_or_insert_default().insert(key, plan.clone())
    };
    drop((old, replaced));
    Ok(plan)
}

fn of_expression<'py>(
    py: Python<'py>,
    expression: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    aimed: Aimed<'_, 'py>,
) -> PyResult<Arc<Plan>> {
    let expressions = &EXPRESSIONS[aimed.form.index()];
    let plans = expressions.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    let make = || new_plan(py, std::slice::from_ref(expression), &Settings::default(), aimed);
    let known = match plans.get_item(key) {
        Ok(known) => known,
        // It has no hash: `Annotated[int, []]`, or no type at all.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => return Ok(Arc::new(make()?)),
        Err(error) => return Err(error),
    };
    if let Some(known) = known
        && let Some(plan) = known.cast::<PlanObject>()?.get().kept(py, aimed.form)
    {
        return Ok(plan);
    }
    let plan = Arc::new(make()?);
    listen_to_collector(py)?;
    if plans.len() >= MOST {
        plans.clear();
    }
    plans.set_item(key, Py::new(py, PlanObject::of(expression, plan.clone()))?)?;
    Ok(plan)
}

fn kept() -> MutexGuard<'static, Option<OfClasses>> {
    // The map is whole between any two statements that could panic.
    CLASSES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a plan of one type, or of several kinds.
fn new_plan<'py>(
    py: Python<'py>,
    types: &[Bound<'py, PyAny>],
    settings: &Settings<'py>,
    aimed: Aimed<'_, 'py>,
) -> PyResult<Plan> {
    let Aimed { form, prefixes } = aimed;
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
        kinds.push(compiler.node(type_object, &[], &scope, Place { field: None })?);
    }
    let mut plans = Vec::with_capacity(compiler.met.len());
    // Planning a class may meet others.
    while plans.len() < compiler.met.len() {
        plans.push(classes::plan(&mut compiler, plans.len())?);
    }
    let mut nodes = compiler.nodes;
    if let Some(rename) = &settings.rename {
        renaming::settle(rename, &plans, &compiler.renamable)?;
    }
    classes::settle_keys(py, &nodes, &mut plans)?;
    unions::settle(py, compiler.unions, &mut nodes, &plans, form)?;
    if !settings.strict {
        tokens::loosen(&mut nodes);
    }
    for plan in &mut plans {
        plan.take_aim(&nodes, form);
    }
    let aim = |node| Aim::new(&nodes, form, node, 0, false);
    let aims = (0..nodes.len() as u32).map(aim).collect();
    let root = kinds.first().copied().unwrap_or_default();
    let (kinds, seen) = (kinds.into(), compiler.seen.into());
    let states = plans.iter_mut().flat_map(|plan| &mut plan.states);
    states.zip(0..).for_each(|(state, number)| state.number = number);
    let (lax, json) = (!settings.strict, OnceLock::new());
    Ok(Plan { nodes, classes: plans, aims, root, kinds, form, lax, seen, json })
}

fn pair_of_text(
    (prefix, uri): &(Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> PyResult<(String, String)> {
    Ok((prefix.extract()?, uri.extract()?))
}

/// Lets all plans go when a full collection begins, from the first plan on.
fn listen_to_collector(py: Python<'_>) -> PyResult<()> {
    static LISTENING: PyOnceLock<()> = PyOnceLock::new();
    LISTENING.get_or_try_init(py, || {
        let callbacks = py.import(intern!(py, "gc"))?.getattr(intern!(py, "callbacks"))?;
        callbacks.call_method1(intern!(py, "append"), (wrap_pyfunction!(on_collection, py)?,))?;
        Ok::<_, PyErr>(())
    })?;
    Ok(())
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
            small::let_go(py);
            for plans in EXPRESSIONS.iter().filter_map(|plans| plans.get(py)) {
                plans.bind(py).clear();
            }
        }
        Ok(())
    })
}
