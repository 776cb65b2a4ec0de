//! Keyed archives: the objects of a table, each made once, behind those that it needs.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | makes the objects |
//! | `moment.rs` | dates |
//! | `place.rs` | where an object stands |
//! | `table.rs` | which objects are needed, and in which order |
//!
//! Objects of the caller's classes are made by their plans, as `make` does it. What is rare is made by
//! `penstock._archives.keyed`, and so is the whole archive if this does not know what to do: an object in
//! a cycle that must be complete when it is made, a damaged one. That also finds the words for it.

mod moment;
mod place;
mod table;

use self::table::{Mapped, NOBODY, SLICE, Shape, Table, get, list};
use super::make;
use super::small_documents;
use crate::edge::errors::{ARCHIVE, Named, guarded};
use crate::edge::options;
use crate::objects::{Keys, Options, Owned, Pause, Taking};
use crate::plan::{Kind, Plan, PlanRef, plan_from};
use penstock_core::limits::Limits;
use penstock_core::protocol::Unknown;
use penstock_core::shape::Form;
use penstock_scan::{filled, make_room};
use pyo3::exceptions::{PyException, PyMemoryError, PyNotImplementedError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PySet, PyString, PyType};
use std::collections::HashSet;

/// Why an archive is not made here.
enum Stop {
    /// Python code is to do it.
    Elsewhere,
    /// A value does not fit.
    Refused(PyErr),
    /// Something was raised.
    Raised(PyErr),
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Self {
        Stop::Raised(error)
    }
}

/// Makes what a value of an archive stands for: `(value,)`, or None if Python code is to do it.
///
/// `graph` is the archive, `known` the classes of UIDs and of archived objects, and the epoch, and `stored` a
/// UID, or a dict of several. `how` has the options `unknown` and `all_errors`.
#[pyfunction]
#[pyo3(signature = (graph, known, stored, r#type, classes, how, /))]
pub(crate) fn unarchive<'py>(
    py: Python<'py>,
    graph: &Bound<'py, PyAny>,
    known: (Bound<'py, PyType>, Bound<'py, PyAny>, Bound<'py, PyAny>),
    stored: &Bound<'py, PyAny>,
    r#type: Option<&Bound<'py, PyAny>>,
    classes: &Bound<'py, PyMapping>,
    how: (Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
    guarded(py, || {
        let options = Options {
            unknown: options::unknown_in_memory(options::text("unknown", &how.0)?)?,
            all_errors: options::flag("all_errors", &how.1)?,
            ..small_documents::OPTIONS
        };
        let limits: Limits = options::limits(None)?;
        let plan_of = |object: &Bound<'py, PyAny>| plan_from(py, object, Form::KEYED.into());
        let root = r#type.map(plan_of).transpose()?;
        let (mut mapped, mut builders) = (Vec::new(), Vec::new());
        for member in classes.items()?.iter() {
            let (name, class): (String, Bound<'py, PyAny>) = member.extract()?;
            let plan = plan_of(&class)?;
            mapped.push(Mapped { name, keys: wanted(&plan, options.unknown) });
            builders.push(make::builder(plan, options, &limits));
        }
        let source: Option<String> = graph.getattr(intern!(py, "source"))?.extract()?;
        let mut pause = Pause::begin(py)?;
        let made = Table::new(graph, &mapped, known.0).and_then(|table| {
            let made = filled(None, table.count);
            let how = How { options, limits, source, is_typed: root.is_some() };
            let mut maker = Maker {
                table,
                class: known.1,
                epoch: known.2,
                made,
                builders,
                how,
                shared: HashSet::new(),
                stored: stored.clone(),
            };
            maker.root(root)
        });
        match made {
            Ok(made) => {
                pause.promote();
                Ok(Some((made,)))
            }
            Err(Stop::Refused(error)) => Err(error),
            Err(Stop::Raised(error)) if !may_be_made_elsewhere(py, &error) => Err(error),
            Err(Stop::Raised(_) | Stop::Elsewhere) => Ok(None),
        }
    })
}

/// Whether Python code meets the same exception in its own way. An interrupt, and a lack of memory, are
/// raised at once.
fn may_be_made_elsewhere(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py)
}

/// The keys that a class takes; none if it may take any.
fn wanted(plan: &Plan, unknown: Unknown) -> Option<HashSet<Box<str>>> {
    let root = &plan.nodes[plan.root as usize];
    let Kind::Class(class) = root.kind else { return None };
    let class = &plan.classes[class as usize];
    let state = class.states.first()?;
    let takes_any = class.rest.is_some() || state.other.is_some() || class.forbids_unknown;
    if takes_any || root.after.is_some() || unknown != Unknown::Skip {
        return None;
    }
    Some(state.keys.iter().map(|edge| edge.name.clone()).collect())
}

/// How objects are made.
struct How {
    options: Options,
    limits: Limits,
    source: Option<String>,
    /// Whether the root has a type.
    is_typed: bool,
}

/// Makes the objects.
struct Maker<'a, 'py> {
    table: Table<'a, 'py>,
    /// `ArchivedObject`
    class: Bound<'py, PyAny>,
    /// The beginning of 2001.
    epoch: Bound<'py, PyAny>,
    /// What there is of each object: all of it, or in a cycle an empty one.
    made: Vec<Option<Bound<'py, PyAny>>>,
    /// One for each class of the caller's.
    builders: Vec<Owned<Keys>>,
    how: How,
    /// The containers to which several objects refer, by their addresses.
    shared: HashSet<usize>,
    /// What is asked for.
    stored: Bound<'py, PyAny>,
}

impl<'py> Maker<'_, 'py> {
    /// Makes what is asked for.
    fn root(&mut self, plan: Option<PlanRef>) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        // All of the archive's names, unless there is one root.
        let several = match self.stored.is(&self.table.graph.getattr(intern!(py, "top"))?) {
            true => self.stored.cast_exact::<PyDict>().ok().cloned(),
            false => None,
        };
        let roots: Vec<_> = match &several {
            Some(several) => several.values().iter().collect(),
            None => vec![self.stored.clone()],
        };
        self.table.walk(&roots)?;
        let is_mapped =
            |number: &u32| matches!(self.table.shapes[*number as usize], Shape::Mapped(_));
        let is_typed = self.how.is_typed || self.table.order.iter().any(is_mapped);
        if is_typed && (self.table.has_cycles || self.table.has_inline) {
            return Err(Stop::Elsewhere);
        }
        let order = std::mem::take(&mut self.table.order);
        let containers: HashSet<u32> = match is_typed {
            true => self.table.shared.iter().copied().collect(),
            false => HashSet::new(),
        };
        for (place, &number) in order.iter().enumerate() {
            if place % SLICE == SLICE - 1 {
                py.check_signals()?;
            }
            let made = self.object(number)?;
            if !containers.is_empty() && containers.contains(&number) {
                self.shared.insert(made.as_ptr() as usize);
            }
            self.made[number as usize] = Some(made);
        }
        let value = match several {
            Some(several) => {
                let made = PyDict::new(py);
                for (key, value) in several {
                    made.set_item(key, self.value(&value)?)?;
                }
                made.into_any()
            }
            None => self.value(&roots[0])?,
        };
        match plan {
            Some(plan) => {
                let builder = make::builder(plan, self.how.options, &self.how.limits);
                self.take(&value, builder, NOBODY)
            }
            None => Ok(value),
        }
    }

    /// What a value in the table stands for.
    fn value(&mut self, stored: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Stop> {
        match self.table.number(stored)? {
            None => Ok(stored.clone()),
            Some(number) => self.numbered(number),
        }
    }

    /// The same for a value of an object, to which the reference at a place belongs.
    #[inline]
    fn at(&mut self, place: usize, stored: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Stop> {
        match self.table.reference(place) {
            None => Ok(stored.clone()),
            Some(number) => self.numbered(number),
        }
    }

    #[inline]
    fn numbered(&mut self, number: u32) -> Result<Bound<'py, PyAny>, Stop> {
        match self.made.get(number as usize) {
            Some(Some(made)) => Ok(made.clone()),
            _ => self.first(number),
        }
    }

    /// An object that is not made yet: a scalar, or an empty one in a cycle.
    #[inline(never)]
    fn first(&mut self, number: u32) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        let made = match self.table.shapes[number as usize] {
            _ if number == 0 => py.None().into_bound(py),
            Shape::Scalar => {
                let stored = self.table.stored(number)?;
                match stored.cast_exact::<PyString>() {
                    Ok(text) if text == "$null" => py.None().into_bound(py),
                    _ => stored,
                }
            }
            Shape::Array | Shape::Bare => PyList::empty(py).into_any(),
            Shape::Dictionary => PyDict::new(py).into_any(),
            Shape::Other => {
                let dict = self.table.dict(number)?;
                let class = self.table.class(number, &dict)?;
                let names = self.table.classes[class].names.clone();
                self.class.call1((names.get_item(0)?, names))?
            }
            _ => return Err(Stop::Elsewhere),
        };
        self.made[number as usize] = Some(made.clone());
        Ok(made)
    }

    /// Makes an object. All that it needs is made, or in a cycle empty.
    fn object(&mut self, number: u32) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        let shape = self.table.shapes[number as usize];
        if shape == Shape::Bare {
            let items = self.table.stored(number)?.cast_into().map_err(PyErr::from)?;
            return self.array(number, &items);
        }
        let dict = self.table.dict(number)?;
        let mut place = self.table.begin(number);
        match shape {
            Shape::Text => found(get(&dict, intern!(py, "NS.string"))?),
            Shape::Date => {
                let seconds = found(get(&dict, intern!(py, "NS.time"))?)?;
                moment::of(&self.epoch, seconds.extract()?)
            }
            Shape::Array => {
                let items = found(list(&dict, intern!(py, "NS.objects"))?)?;
                self.array(number, &items)
            }
            Shape::Set => {
                let items = found(list(&dict, intern!(py, "NS.objects"))?)?;
                let items = self.items(number, &items)?;
                match PySet::new(py, &items) {
                    Ok(set) => Ok(set.into_any()),
                    Err(error) if !may_be_made_elsewhere(py, &error) => Err(error.into()),
                    // Python's sets have no lists and dicts.
                    Err(_) => Ok(PyList::new(py, items)?.into_any()),
                }
            }
            Shape::Dictionary => {
                let keys = found(list(&dict, intern!(py, "NS.keys"))?)?;
                let items = found(list(&dict, intern!(py, "NS.objects"))?)?;
                let made = self.made[number as usize]
                    .get_or_insert_with(|| PyDict::new(py).into_any())
                    .clone();
                let into = made.cast::<PyDict>().map_err(PyErr::from)?;
                for (key, item) in keys.iter().zip(items.iter()) {
                    into.set_item(self.at(place, &key)?, self.at(place + 1, &item)?)?;
                    place += 2;
                }
                Ok(made)
            }
            Shape::Mapped(class) => {
                let fields = PyDict::new(py);
                for (key, value) in &dict {
                    if let Some(field) = self.table.field(Some(class), &key)? {
                        fields.set_item(field, self.at(place, &value)?)?;
                        place += 1;
                    }
                }
                self.mapped(number, class, &fields)
            }
            Shape::Other => {
                let fields = PyDict::new(py);
                for (key, value) in &dict {
                    if let Some(field) = self.table.field(None, &key)? {
                        fields.set_item(field, self.at(place, &value)?)?;
                        place += 1;
                    }
                }
                if let Some(shell) = self.made[number as usize].clone() {
                    shell.setattr(intern!(py, "fields"), fields)?;
                    return Ok(shell);
                }
                let class = self.table.class(number, &dict)?;
                let names = self.table.classes[class].names.clone();
                Ok(self.class.call1((names.get_item(0)?, names, fields))?)
            }
            Shape::Rare => self.rare(number, &dict),
            Shape::Bare | Shape::Scalar => Err(Stop::Elsewhere),
        }
    }

    fn items(
        &mut self,
        number: u32,
        stored: &Bound<'py, PyList>,
    ) -> Result<Vec<Bound<'py, PyAny>>, Stop> {
        let mut items = Vec::new();
        make_room(&mut items, stored.len());
        for (each, place) in stored.iter().zip(self.table.begin(number)..) {
            items.push(self.at(place, &each)?);
        }
        Ok(items)
    }

    fn array(
        &mut self,
        number: u32,
        stored: &Bound<'py, PyList>,
    ) -> Result<Bound<'py, PyAny>, Stop> {
        let items = self.items(number, stored)?;
        match self.made[number as usize].clone() {
            Some(shell) => {
                shell.call_method1(intern!(self.table.py, "extend"), (items,))?;
                Ok(shell)
            }
            None => Ok(PyList::new(self.table.py, items)?.into_any()),
        }
    }

    /// Makes an object of the caller's class.
    fn mapped(
        &mut self,
        number: u32,
        class: u32,
        fields: &Bound<'py, PyDict>,
    ) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        let builder = &mut self.builders[class as usize];
        if !self.how.options.all_errors {
            let depth = self.how.limits.depth;
            let how = Taking { attributes: false, depth, keeps: Some(&self.shared) };
            if builder.take(fields.as_any(), how).is_ok()
                && let Some(made) = builder.take_row()
            {
                builder.reopen();
                return Ok(made.into_bound(py));
            }
        }
        // Again, by a builder that can say what is wrong.
        let plan = builder.planned().clone_ref(py);
        let again = || make::builder(plan.clone_ref(py), self.how.options, &self.how.limits);
        self.builders[class as usize] = again();
        let builder = again();
        self.take(fields.as_any(), builder, number)
    }

    /// Makes a value by a plan, or says what is wrong with it.
    fn take(
        &self,
        value: &Bound<'py, PyAny>,
        builder: Owned<Keys>,
        number: u32,
    ) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        let how =
            Taking { attributes: false, depth: self.how.limits.depth, keeps: Some(&self.shared) };
        let within = || self.steps(number);
        let source = self.how.source.as_deref();
        let named = Named { format: ARCHIVE, source, within: Some(&within) };
        make::take(value, builder, how, &named).map_err(|error| {
            match error.is_instance_of::<PyNotImplementedError>(py) {
                true => Stop::Elsewhere,
                false => Stop::Refused(error),
            }
        })
    }

    /// Has Python code make an object.
    fn rare(&mut self, number: u32, dict: &Bound<'py, PyDict>) -> Result<Bound<'py, PyAny>, Stop> {
        let py = self.table.py;
        let graph = self.table.graph;
        let known = graph.getattr(intern!(py, "made"))?;
        let known = known.cast::<PyDict>().map_err(PyErr::from)?;
        let mut needed = Vec::new();
        self.table.each_within(dict, |table, value| {
            if let Some(number) = table.number(value)? {
                make_room(&mut needed, 1);
                needed.push((number, value.clone()));
            }
            Ok(())
        })?;
        for (number, value) in needed {
            known.set_item(number, self.value(&value)?)?;
        }
        let task = graph.call_method1(intern!(py, "construct"), (number,))?;
        Ok(graph.call_method1(intern!(py, "run"), (task,))?)
    }
}

/// What was there when the object was looked at.
fn found<T>(value: Option<T>) -> Result<T, Stop> {
    value.ok_or(Stop::Elsewhere)
}
