//! `penstock.Plan`: a plan that a program can keep and inspect.

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use penstock_core::formats::Format;
use penstock_core::shape::Form;

use crate::edge::errors::{answer, guarded, is_reason};
use crate::edge::options;

use super::cache::{PlanKey, plan_for};
use super::settings::{self, KeptSettings, Settings, registry};
use super::types::builtin::display;
use super::{Absent, Build, ClassPlan, Kind, Plan, PlanRef};

/// How Penstock decodes values into a type.
///
/// You may pass it wherever you may pass a type. If you create it before the first use, you find
/// out early that Penstock cannot decode into a class. `namespace` gives string annotations the
/// names that are local to a function. Its `repr` shows for each class whether Penstock fills it
/// directly or calls it, and why. It shows the plan for JSON, or for XML if the type is for XML
/// only; `format(plan, "xml")` and `format(plan, "csv")` show those for XML and CSV.
///
/// Args:
///     cls: The type.
///     namespace: Names for the string annotations of the type and of all types inside it.
///     rename: How to make keys from the names of fields: a style, `"camel"`, `"pascal"`,
///         `"kebab"`, `"snake"` or `"upper"`; a mapping of names to keys, or of classes to one of
///         these; or a function of the name. Fields with an `at(...)` keep their path.
///     strict: False accepts text that holds an `int`, `float`, `bool` or `Decimal`, `1.0` for an
///         `int`, and `0` and `1` for a `bool`. Penstock never rounds.
///     types: Functions that make values of types, as in `via(...)`: `{Money: Money.parse}`.
///     tag: The key that tells the classes of a union apart, with the names of the classes as its
///         values; or a `tag(...)`.
///     unix: The unit of numbers that are decoded as a `datetime`: `"s"`, `"ms"`, `"us"` or `"ns"`
///         since 1970.
///     times: The form of dates and times in text: `"rfc3339"`, `"iso"` for ISO 8601, or a
///         `times(...)` without a pattern.
///     cells: The other forms of values where all values are text: a `cells(...)`.
///
/// Raises:
///     PlanError: Penstock cannot decode into the type.
///
/// Example:
///     >>> from dataclasses import dataclass
///     >>> import penstock
///     >>> @dataclass(slots=True)
///     ... class City:
///     ...     name: str
///     ...     zip_code: int
///     >>> plan = penstock.Plan(City, rename="camel")
///     >>> penstock.json.decode('{"name": "Chur", "zipCode": 7000}', plan)
///     City(name='Chur', zip_code=7000)
///     >>> plan
///     Plan(City, rename='camel')
///     City, fast: slots by offset
///         name: str
///         zip_code: int at 'zipCode'
#[pyclass(name = "Plan", module = "penstock", frozen)]
pub(crate) struct PlanObject {
    type_object: Py<PyAny>,
    settings: KeptSettings,
    /// The form of its first plan, which `repr` shows.
    form: Form,
    /// A plan for each form, made when it is first needed.
    plans: Mutex<[Option<PlanRef>; Form::COUNT]>,
}

impl PlanObject {
    /// A plan that was made for this type.
    pub(super) fn of(type_object: &Bound<'_, PyAny>, plan: PlanRef) -> Self {
        PlanObject::new_with(type_object, &Settings::default(), plan)
    }

    fn new_with(type_object: &Bound<'_, PyAny>, settings: &Settings<'_>, plan: PlanRef) -> Self {
        let form = plan.form;
        let mut plans = [const { None }; Form::COUNT];
        plans[form.index()] = Some(plan);
        PlanObject {
            type_object: type_object.clone().unbind(),
            settings: KeptSettings::of(settings),
            form,
            plans: Mutex::new(plans),
        }
    }

    fn plans(&self) -> MutexGuard<'_, [Option<PlanRef>; Form::COUNT]> {
        // The array is consistent between any two statements that could panic.
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cached plan for a form, unless there is none yet or a class has changed.
    pub(super) fn kept(&self, py: Python<'_>, form: Form) -> Option<PlanRef> {
        let plan = self.plans()[form.index()].as_ref().map(|plan| plan.clone_ref(py));
        plan.filter(|plan| plan.is_current(py))
    }

    /// The type; the settings of this plan are added to `settings`.
    ///
    /// # Errors
    /// `PlanError`, if `settings` has another value for one of them.
    pub(super) fn unwrapped<'py>(
        &self,
        py: Python<'py>,
        settings: &mut Settings<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        settings.join(&self.settings.bind(py))?;
        Ok(self.type_object.bind(py).clone())
    }

    /// The plan for the formats of a form, made again if a class has changed.
    ///
    /// # Errors
    /// `PlanError`, if Penstock cannot decode into the type from those formats, or no longer can.
    pub(crate) fn plan<'py>(&self, py: Python<'py>, aimed: PlanKey<'_, 'py>) -> PyResult<PlanRef> {
        let settings = self.settings.bind(py);
        let make = || plan_for(py, self.type_object.bind(py), &settings, aimed);
        if aimed.mark(py)?.is_some() {
            return make();
        }
        if let Some(plan) = self.kept(py, aimed.form) {
            return Ok(plan);
        }
        let plan = make()?;
        // The old plan is dropped after the lock is released: that could run code that needs the
        // lock.
        let old = self.plans()[aimed.form.index()].replace(plan.clone_ref(py));
        drop(old);
        Ok(plan)
    }

    /// Describes how each class is made from documents of this form.
    fn show<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyString>> {
        let plan = self.plan(py, form.into())?;
        let mut text = format!("Plan({}", plan.nodes[plan.root as usize].written);
        self.settings.show(py, &mut text)?;
        text.push(')');
        if plan.form.has_elements() {
            text.push_str(" for XML");
        } else if plan.form.is_lexical() {
            text.push_str(" for CSV");
        }
        for class in &plan.classes {
            plan.show(class, py, &mut text)?;
        }
        Ok(PyString::new(py, &text))
    }
}

#[pymethods]
impl PlanObject {
    #[new]
    #[pyo3(
        signature = (
            cls, /, *, namespace=None, rename=None, strict=None, types=None, tag=None, unix=None,
            times=None, cells=None, **others
        ),
        text_signature = "(cls, /, *, namespace=None, rename=None, strict=True, types=None, \
                          tag=None, unix=None, times='rfc3339', cells=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is an option of its own")]
    fn new<'py>(
        py: Python<'py>,
        cls: &Bound<'py, PyAny>,
        namespace: Option<&Bound<'py, PyDict>>,
        rename: Option<Bound<'py, PyAny>>,
        strict: Option<&Bound<'py, PyAny>>,
        types: Option<&Bound<'py, PyAny>>,
        tag: Option<Bound<'py, PyAny>>,
        unix: Option<Bound<'py, PyAny>>,
        times: Option<Bound<'py, PyAny>>,
        cells: Option<Bound<'py, PyAny>>,
        others: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            options::refuse_others("Plan", others)?;
            // A copy, so that `locals()` is not kept alive and later changes have no effect.
            let namespace = namespace.map(|names| names.copy()).transpose()?;
            if let Some(rename) = &rename {
                settings::rename(rename)?;
            }
            if let Some(unix) = &unix {
                settings::unit(unix)?;
            }
            if let Some(times) = &times {
                settings::times(times)?;
            }
            if let Some(cells) = &cells {
                settings::cells(cells)?;
            }
            if let Some(tag) = &tag {
                settings::tag(tag)?;
            }
            let strict = strict.map_or(Ok(true), |strict| options::flag("strict", strict))?;
            let types = registry(types)?;
            let mut settings =
                Settings { namespace, rename, strict, types, tag, unix, times, cells };
            // A plan of a plan adds its settings.
            let cls = match cls.cast::<PlanObject>() {
                Ok(plan) => &plan.get().unwrapped(py, &mut settings)?,
                Err(_) => cls,
            };
            // The type may use features that only markup has: then this is a plan for markup.
            let plan = match plan_for(py, cls, &settings, Form::KEYED.into()) {
                Ok(plan) => plan,
                Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                    let second = plan_for(py, cls, &settings, Form::MARKUP.into());
                    second.map_err(|second| if is_reason(py, &second) { error } else { second })?
                }
                Err(error) => return Err(error),
            };
            Ok(PlanObject::new_with(cls, &settings, plan))
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || self.show(py, self.form))
    }

    /// `format(plan, "xml")`: the `repr` for one format.
    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || match spec {
            "" => self.show(py, self.form),
            _ => match Format::by_name(spec) {
                Some(format) => self.show(py, format.form),
                None => {
                    let what = "'json', 'ndjson', 'xml', 'csv' and 'plist' are formats of a plan";
                    Err(PyValueError::new_err(format!("{what}, not {spec:?}")))
                }
            },
        })
    }

    /// `Plan[City]`, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        py.import(intern!(py, "types"))?.getattr(intern!(py, "GenericAlias"))?.call1((class, item))
    }

    /// As the call that makes it: the type and the functions are pickled by their names.
    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = this.py();
        guarded(py, || {
            let options = this.get().settings.options(py)?;
            let partial = py.import(intern!(py, "functools"))?.getattr(intern!(py, "partial"))?;
            let call = partial.call((py.get_type::<PlanObject>(),), Some(&options))?;
            Ok((call, PyTuple::new(py, [this.get().type_object.bind(py)])?))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.type_object)?;
        for object in self.settings.objects() {
            visit.call(object)?;
        }
        // The collector must not wait. Nobody keeps the lock while Python code runs.
        let Ok(plans) = self.plans.try_lock() else { return Ok(()) };
        plans.iter().flatten().try_for_each(|plan| plan.traverse(&visit))
    }
}

impl Plan {
    /// Shows the objects that may hold others to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.types)?;
        for seen in &self.seen {
            visit.call(&seen.class)?;
        }
        for node in &self.nodes {
            node.words.iter().try_for_each(|word| visit.call(word))?;
            for object in node.after.iter().flat_map(|after| after.objects()) {
                visit.call(object)?;
            }
            if let Kind::Choice(choice) = &node.kind {
                let ints = choice.ints.iter().map(|(_, object)| object);
                let bools = choice.bools.iter().flatten();
                for object in choice.text_objects.iter().chain(ints).chain(bools) {
                    visit.call(object)?;
                }
                visit.call(&choice.null)?;
                visit.call(&choice.enum_class)?;
            }
            if let Kind::Tagged(tagged) = &node.kind {
                tagged.by.objects().try_for_each(|object| visit.call(object))?;
            }
        }
        for class in &self.classes {
            visit.call(&class.class)?;
            if let Build::Validate(function) = &class.build {
                visit.call(function)?;
            }
            for field in &class.fields {
                match field.default() {
                    Absent::Value(object) | Absent::Factory(object) => visit.call(object)?,
                    Absent::Error | Absent::Unset => {}
                }
            }
        }
        Ok(())
    }

    /// Adds a class: a line for how it is made, and one for each field.
    fn show(&self, class: &ClassPlan, py: Python<'_>, text: &mut String) -> PyResult<()> {
        let way = match &class.build {
            Build::Slots { .. } | Build::Struct { .. } => "fast: slots by offset",
            Build::Attributes { .. } => "fast: attributes",
            Build::Tuple => "fast: a tuple",
            Build::Dict(_) => "fast: a dict",
            Build::Call { .. } | Build::Validate(_) => "called",
            Build::Fill => "called, then filled",
        };
        let why = class.why_called.as_ref().map_or(String::new(), |why| format!(": {why}"));
        // Writing to a string does not fail.
        let _ = write!(text, "\n{}, {way}{why}", class.name);
        for (id, field) in (0..).zip(class.own()) {
            let is_rest = class.rest == Some(id);
            if is_rest && matches!(class.build, Build::Validate(_)) {
                text.push_str("\n    all other keys");
                continue;
            }
            let name = field.name.bind(py).to_string();
            let node = &self.nodes[field.node as usize].written;
            let _ = match (class.is_read(id), name == *field.key) {
                _ if is_rest => write!(text, "\n    {name}: {node}, all other keys"),
                (true, true) => write!(text, "\n    {name}: {node}"),
                (true, false) => write!(text, "\n    {name}: {node} at '{}'", field.key),
                (false, _) => write!(text, "\n    {name}, not read"),
            };
            let _ = match &field.absent {
                Absent::Error => Ok(()),
                Absent::Unset => write!(text, ", may be absent"),
                Absent::Value(value) => match answer(py, value.bind(py).repr())? {
                    Some(value) => write!(text, " = {value}"),
                    None => write!(text, " = a default"),
                },
                Absent::Factory(factory) => {
                    write!(text, " = {}()", display(factory.bind(py))?)
                }
            };
        }
        Ok(())
    }
}

impl ClassPlan {
    /// True if some key leads to the field.
    fn is_read(&self, id: u32) -> bool {
        let leads = |to: &super::Target| {
            let aim = self.aim_of(*to).and_then(|aim| self.aims.get(aim as usize));
            aim.is_some_and(|aim| aim.field == id)
        };
        self.takes_key.contains(&id)
            || self.parts.iter().any(|part| part.field == id)
            || self.spreads.iter().any(|spread| spread.field == id)
            || self.states.iter().any(|state| {
                state.keys.iter().any(|edge| leads(&edge.to))
                    || state.elements.edges.iter().any(|edge| leads(&edge.to))
                    || state.attributes.edges.iter().any(|edge| leads(&edge.to))
                    || state.text.is_some_and(|aim| leads(&super::Target::Field(aim)))
                    || state.indexes.iter().any(|(_, to)| leads(to))
                    || state.other.iter().any(leads)
                    || state.takes_key.contains(&id)
            })
    }
}
