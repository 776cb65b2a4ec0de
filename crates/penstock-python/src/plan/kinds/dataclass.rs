//! Dataclasses.
//!
//! A dataclass may be filled without calling it if its `__init__` is the one that `dataclasses`
//! wrote for exactly these fields. The decorator leaves a user's `__init__` alone and says
//! `init=True` all the same, so nothing that the class says about itself is a proof. The code
//! object is: the function is made by `exec` from source without a file, inside a function that
//! only `dataclasses` has; its parameters are the fields that are read; the attributes that it
//! names are those it sets, in order; its defaults are the objects of the fields; and it closes
//! over one cell for each default that it fetches itself. An `__init__` with all of these
//! properties does what we expect, or was forged on purpose.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use super::classes::{Declared, Shape, Subject};
use super::signature;
use crate::plan::Absent;
use crate::plan::make::build::{self, Reason};
use crate::plan::make::type_objects::{self, Function};
use crate::plan::types::known;
use crate::plan::types::names::{Scope, same_name};

/// A `dataclasses.Field`.
struct Source<'py> {
    name: Bound<'py, PyString>,
    field: Bound<'py, PyAny>,
    default: Option<Bound<'py, PyAny>>,
    factory: Option<Bound<'py, PyAny>>,
    init: bool,
    /// `InitVar`: it is a parameter, and not an attribute.
    is_parameter: bool,
    kw_only: bool,
}

/// The fields of the dataclass, and how it is made.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let sources = sources(subject)?;
    let mut fields = Vec::with_capacity(sources.len());
    let mut scopes = Scopes::default();
    for source in &sources {
        let absent = source.absent(is_slot(&class, &source.name));
        let declared = if source.init {
            let annotation = source.field.getattr(intern!(py, "type"))?;
            let scope = scopes.of(subject, source)?;
            let mut field = subject.field_type(&source.name, annotation, scope)?;
            let metadata = source.field.getattr(intern!(py, "metadata"))?;
            field.say_all(&metadata, subject.place(source.name.to_str()?))?;
            subject.declared(source.name.clone(), field, scope, absent)?
        } else {
            let node = subject.compiler.any();
            Declared::unread(source.name.clone(), node, absent)
        };
        fields.push(declared);
    }
    if type_objects::has_plain_init(&class) && type_objects::has_plain_new(&class) {
        return Err(subject.error(" has no __init__ that takes its fields"));
    }
    let reason = match generated(&class, &sources)? {
        Ok(generated) => {
            let names: Vec<_> = sources.into_iter().map(|source| source.name).collect();
            let post_init = generated.post_init.then(|| intern!(py, "__post_init__"));
            match build::storage(&class, &names, post_init)? {
                Ok(build) => return Ok(Shape::new(fields, build)),
                Err(reason) => reason,
            }
        }
        Err(reason) => reason,
    };
    fields.retain(|field| field.is_read);
    signature::called(subject, fields, reason)
}

/// Reads the fields that the class has, in order.
fn sources<'py>(subject: &Subject<'_, 'py>) -> PyResult<Vec<Source<'py>>> {
    let py = subject.compiler.py;
    let all = type_objects::attribute(&subject.class, intern!(py, "__dataclass_fields__"));
    let Some(Ok(all)) = all.map(|all| all.cast_into::<PyDict>()) else {
        return Err(subject.error("'s __dataclass_fields__ is not what dataclasses makes"));
    };
    let mut sources = Vec::with_capacity(all.len());
    for (name, field) in &all {
        let kind = field.getattr(intern!(py, "_field_type"))?;
        if known::FIELD_CLASS_VAR.is(&kind) {
            continue;
        }
        let name = name.cast_into::<PyString>()?;
        let given = |object: Bound<'py, PyAny>| (!known::MISSING.is(&object)).then_some(object);
        sources.push(Source {
            default: given(field.getattr(intern!(py, "default"))?),
            factory: given(field.getattr(intern!(py, "default_factory"))?),
            init: field.getattr(intern!(py, "init"))?.is_truthy()?,
            is_parameter: !known::FIELD.is(&kind),
            kw_only: field.getattr(intern!(py, "kw_only"))?.is_truthy()?,
            name,
            field,
        });
    }
    Ok(sources)
}

impl Source<'_> {
    /// The value that `__init__` uses without an argument for the field.
    fn absent(&self, is_slot: bool) -> Absent {
        match (&self.factory, &self.default) {
            (Some(factory), _) => Absent::Factory(factory.clone().unbind()),
            (None, Some(default)) if self.init || is_slot => {
                Absent::Value(default.clone().unbind())
            }
            (None, None) if self.init => Absent::Error,
            // An attribute that is not set is read from the class.
            _ => Absent::Unset,
        }
    }
}

fn is_slot(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> bool {
    type_objects::attribute(class, name)
        .is_some_and(|found| type_objects::slot_offset(class, &found).is_some())
}

/// The scopes of the classes that declare fields, made when first needed.
#[derive(Default)]
struct Scopes<'py> {
    made: Vec<(Bound<'py, PyType>, Scope<'py>)>,
}

impl<'py> Scopes<'py> {
    /// The scope of the class that declares the field: the one whose own field it is.
    fn of(
        &mut self,
        subject: &mut Subject<'_, 'py>,
        source: &Source<'py>,
    ) -> PyResult<&Scope<'py>> {
        let py = subject.compiler.py;
        let mut class = subject.class.clone();
        for base in type_objects::bases(&class) {
            let fields = type_objects::own_attribute(&base, intern!(py, "__dataclass_fields__"));
            let fields = fields.and_then(|fields| fields.cast_into::<PyDict>().ok());
            let own = fields.and_then(|fields| fields.get_item(&source.name).ok().flatten());
            if own.is_some_and(|own| own.is(&source.field))
                && let Some(annotations) = subject.annotations(&base)?
                && annotations.contains(&source.name)?
            {
                class = base;
                break;
            }
        }
        let place = match self.made.iter().position(|(made, _)| made.is(&class)) {
            Some(place) => place,
            None => {
                let scope = subject.scope(&class)?;
                self.made.push((class, scope));
                self.made.len() - 1
            }
        };
        Ok(&self.made[place].1)
    }
}

/// The parts of a generated `__init__`.
struct Generated {
    post_init: bool,
}

/// Proves that the class's `__init__` is the one generated for these fields, or says why it is not.
fn generated(
    class: &Bound<'_, PyType>,
    sources: &[Source<'_>],
) -> PyResult<Result<Generated, Reason>> {
    let py = class.py();
    let Some((owner, init)) = type_objects::owner(class, intern!(py, "__init__")) else {
        return Ok(Err(format!("{} has its own __init__", class.name()?)));
    };
    let own = Ok(Err(format!("{} has its own __init__", owner.name()?)));
    let Some(function) = Function::of(&init) else { return own };
    let name = init.getattr(intern!(py, "__qualname__"))?;
    if name.to_string() != format!("{}.__init__", owner.qualname()?) {
        return own;
    }
    let code = Code { code: &function.code };
    if code.text(intern!(py, "co_filename"))? != "<string>"
        || code.text(intern!(py, "co_qualname"))? != "__create_fn__.<locals>.__init__"
    {
        return own;
    }
    if let Some(parameter) = sources.iter().find(|source| source.is_parameter) {
        return Ok(Err(format!("{} has the InitVar '{}'", class.name()?, parameter.name)));
    }
    // From here on it was generated by dataclasses, but perhaps for other fields.
    let other =
        Ok(Err(format!("{} has an __init__ that was not made for its fields", owner.name()?)));
    let (plain, keyword) = parameters(sources);
    let variables = code.tuple(intern!(py, "co_varnames"))?;
    let (name_count, wanted) = (variables.len(), 1 + plain.len() + keyword.len());
    if name_count != wanted
        || code.number(intern!(py, "co_argcount"))? != 1 + plain.len()
        || code.number(intern!(py, "co_kwonlyargcount"))? != keyword.len()
        || !same(variables.iter().skip(1), plain.iter().chain(&keyword).map(|s| &s.name))
        || !defaults_are(&function, &plain, &keyword)?
    {
        return other;
    }
    let set: Vec<_> = sources.iter().filter(|source| source.is_set(class)).collect();
    let fetched = set.iter().filter(|source| source.factory.is_some() || !source.init).count();
    let chosen = set.iter().any(|source| source.factory.is_some() && source.init);
    let free = code.tuple(intern!(py, "co_freevars"))?;
    // A frozen class sets its attributes with `object`'s `__setattr__`, because its own raises.
    let frozen = free.contains(intern!(py, "__dataclass_builtins_object__"))?;
    if free.len() != fetched + usize::from(chosen) + usize::from(frozen) {
        return other;
    }
    let mut names = code.tuple(intern!(py, "co_names"))?.as_sequence().to_list()?;
    let last = names.len().wrapping_sub(1);
    let post_init = match names.get_item(last) {
        Ok(name) if name.eq(intern!(py, "__post_init__"))? => {
            names = names.get_slice(0, last);
            true
        }
        _ => false,
    };
    let attributes = if frozen {
        if names.len() != 1 || !names.get_item(0)?.eq(intern!(py, "__setattr__"))? {
            return other;
        }
        // The names are constants, beside what the function returns.
        let names = PyList::empty(py);
        for constant in code.tuple(intern!(py, "co_consts"))? {
            if !constant.is_none() {
                names.append(constant)?;
            }
        }
        names
    } else {
        names
    };
    if attributes.len() != set.len() || !same(attributes.iter(), set.iter().map(|s| &s.name)) {
        return other;
    }
    if !frozen && !set.is_empty() && !type_objects::has_plain_setattr(class) {
        return Ok(Err(format!("{} overrides __setattr__", class.name()?)));
    }
    Ok(Ok(Generated { post_init }))
}

impl Source<'_> {
    /// True if `__init__` sets the attribute, whatever its arguments.
    fn is_set(&self, class: &Bound<'_, PyType>) -> bool {
        !matches!(self.absent(is_slot(class, &self.name)), Absent::Unset)
    }
}

/// The fields that are parameters: by position or keyword, and by keyword only.
fn parameters<'a, 'py>(sources: &'a [Source<'py>]) -> (Vec<&'a Source<'py>>, Vec<&'a Source<'py>>) {
    sources.iter().filter(|source| source.init).partition(|source| !source.kw_only)
}

/// True if the function's defaults are those of the fields. Defaults of factories are a marker that
/// only the function itself uses.
fn defaults_are(
    function: &Function<'_>,
    plain: &[&Source<'_>],
    keyword: &[&Source<'_>],
) -> PyResult<bool> {
    let has_default = |source: &&&Source<'_>| source.default.is_some() || source.factory.is_some();
    let with_default: Vec<_> = plain.iter().filter(has_default).collect();
    let defaults: Vec<_> = function.defaults.iter().flatten().collect();
    if defaults.len() != with_default.len() {
        return Ok(false);
    }
    let same = |source: &Source<'_>, actual: &Bound<'_, PyAny>| {
        source.default.as_ref().is_none_or(|default| default.is(actual))
    };
    if !with_default.iter().zip(&defaults).all(|(source, actual)| same(source, actual)) {
        return Ok(false);
    }
    let with_default: Vec<_> = keyword.iter().filter(has_default).collect();
    let Some(defaults) = &function.keyword_defaults else { return Ok(with_default.is_empty()) };
    for source in &with_default {
        match defaults.get_item(&source.name)? {
            Some(actual) if same(source, &actual) => {}
            _ => return Ok(false),
        }
    }
    Ok(defaults.len() == with_default.len())
}

fn same<'a, 'py: 'a>(
    actual: impl Iterator<Item = Bound<'py, PyAny>>,
    wanted: impl Iterator<Item = &'a Bound<'py, PyString>>,
) -> bool {
    for (actual, wanted) in actual.zip(wanted) {
        if !same_name(wanted, &actual) {
            return false;
        }
    }
    true
}

/// A code object's attributes.
struct Code<'a, 'py> {
    code: &'a Bound<'py, PyAny>,
}

impl<'py> Code<'_, 'py> {
    fn text(&self, name: &Bound<'py, PyString>) -> PyResult<String> {
        self.code.getattr(name)?.extract()
    }
    fn number(&self, name: &Bound<'py, PyString>) -> PyResult<usize> {
        self.code.getattr(name)?.extract()
    }
    fn tuple(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyTuple>> {
        Ok(self.code.getattr(name)?.cast_into()?)
    }
}
