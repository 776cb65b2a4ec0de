//! Classes of attrs: `attrs.define`, `attrs.frozen`, `attr.s`.
//!
//! A field's key is its alias, as the class's own `__init__` takes it: `_x` is `x`. If a field has
//! a converter, its value is decoded for the converter's parameter, and the converter makes the
//! final value, because it runs in `__init__`.
//!
//! If `__init__` only stores its parameters, objects are filled without calling it. Its code proves
//! that: it is the code of the source that attrs would write to do just that.

use std::fmt::Write as _;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::edge::errors::is_reason;
use crate::edge::modules;

use super::classes::{Declared, Shape, Subject};
use super::signature::{self, Parameters};
use crate::plan::Absent;
use crate::plan::make::build::{self, Reason};
use crate::plan::make::proof;
use crate::plan::make::type_objects::{self, Function};
use crate::plan::types::known;
use crate::plan::types::names::{Scope, Unresolved, same_name};
use crate::plan::types::wrappers::{FieldType, is_instance};

/// The message of an exception of attrs's validators, which have the field, its type and the value
/// behind it.
pub(crate) fn message_of_attrs<'py>(error: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let given = error.getattr(intern!(error.py(), "args")).ok()?.cast_into::<PyTuple>().ok()?;
    let (message, field) = (given.get_item(0).ok()?, given.get_item(1).ok()?);
    let is_of_attrs =
        message.is_instance_of::<PyString>() && is_instance(&field, &known::ATTRS_ATTRIBUTE);
    is_of_attrs.then_some(message)
}

/// An `attrs.Attribute` after reading it.
struct Source<'py> {
    name: Bound<'py, PyString>,
    alias: Bound<'py, PyString>,
    attribute: Bound<'py, PyAny>,
    default: Default<'py>,
    init: bool,
    kw_only: bool,
    converter: Option<Bound<'py, PyAny>>,
}

enum Default<'py> {
    None,
    Value(Bound<'py, PyAny>),
    Factory(Bound<'py, PyAny>),
    /// A factory that takes the object, so there must be one.
    OfObject,
}

/// The fields of the class, and how to make an object.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let class = subject.class.clone();
    let sources = sources(subject)?;
    if type_objects::has_plain_init(&class) && type_objects::has_plain_new(&class) {
        return Err(subject.error(" has no __init__ that takes its fields"));
    }
    let reason = match generated(&class, &sources)? {
        Ok(post_init) => {
            let stored: Vec<_> = sources.iter().filter(|source| source.is_stored()).collect();
            let names: Vec<_> = stored.iter().map(|source| source.name.clone()).collect();
            let py = class.py();
            let post_init = post_init.then(|| intern!(py, "__attrs_post_init__"));
            match build::storage(&class, &names, post_init)? {
                Ok(build) => {
                    let mut fields = Vec::with_capacity(stored.len());
                    for source in stored {
                        let mut field = declared(subject, source)?;
                        if field.key.is_none() && !same_name(&source.alias, &source.name) {
                            field.key = Some(source.alias.to_str()?.to_owned());
                        }
                        field.name = source.name.clone();
                        fields.push(field);
                    }
                    return Ok(Shape::new(fields, build));
                }
                Err(reason) => reason,
            }
        }
        Err(reason) => reason,
    };
    let mut fields = Vec::with_capacity(sources.len());
    for source in sources.iter().filter(|source| source.init) {
        fields.push(declared(subject, source)?);
    }
    signature::called(subject, fields, reason)
}

/// Reads the fields that the class has, in order.
fn sources<'py>(subject: &Subject<'_, 'py>) -> PyResult<Vec<Source<'py>>> {
    let py = subject.compiler.py;
    let all = type_objects::attribute(&subject.class, intern!(py, "__attrs_attrs__"));
    let Some(Ok(all)) = all.map(|all| all.cast_into::<PyTuple>()) else {
        return Err(subject.error("'s __attrs_attrs__ is not what attrs makes"));
    };
    let mut sources = Vec::with_capacity(all.len());
    for attribute in &all {
        let get = |name: &Bound<'py, PyString>| attribute.getattr(name);
        let name = get(intern!(py, "name"))?.cast_into::<PyString>()?;
        let alias = attribute.getattr_opt(intern!(py, "alias"))?;
        let alias = match alias.and_then(|alias| alias.cast_into::<PyString>().ok()) {
            // An argument is found by the address of its name, if that is interned.
            Some(alias) => PyString::intern(py, alias.to_str()?),
            None => PyString::intern(py, name.to_str()?.trim_start_matches('_')),
        };
        let converter = get(intern!(py, "converter"))?;
        sources.push(Source {
            default: default(get(intern!(py, "default"))?)?,
            init: get(intern!(py, "init"))?.is_truthy()?,
            kw_only: get(intern!(py, "kw_only"))?.is_truthy()?,
            converter: (!converter.is_none()).then_some(converter),
            name,
            alias,
            attribute,
        });
    }
    Ok(sources)
}

fn default(object: Bound<'_, PyAny>) -> PyResult<Default<'_>> {
    let py = object.py();
    if known::ATTRS_NOTHING.is(&object) {
        return Ok(Default::None);
    }
    if !is_instance(&object, &known::ATTRS_FACTORY) {
        return Ok(Default::Value(object));
    }
    if object.getattr(intern!(py, "takes_self"))?.is_truthy()? {
        return Ok(Default::OfObject);
    }
    Ok(Default::Factory(object.getattr(intern!(py, "factory"))?))
}

impl Source<'_> {
    /// The value that `__init__` uses without an argument for the field.
    fn absent(&self) -> Absent {
        match &self.default {
            Default::None => Absent::Error,
            Default::Value(value) => Absent::Value(value.clone().unbind()),
            Default::Factory(factory) => Absent::Factory(factory.clone().unbind()),
            Default::OfObject => Absent::Unset,
        }
    }

    /// True if `__init__` sets the attribute.
    fn is_stored(&self) -> bool {
        self.init || !matches!(self.default, Default::None)
    }
}

/// A field under the name by which `__init__` takes it.
fn declared<'py>(subject: &mut Subject<'_, 'py>, source: &Source<'py>) -> PyResult<Declared<'py>> {
    let py = subject.compiler.py;
    let absent = source.absent();
    if !source.init {
        let (name, node) = (source.name.clone(), subject.compiler.any());
        return Ok(Declared::unread(name, node, absent));
    }
    let name = &source.alias;
    let owner = owner(&subject.class, source)?;
    let scope = subject.scope(&owner)?;
    let own = annotation(subject, &owner, source)?;
    let annotation = match &source.converter {
        Some(converter) => taken(converter, own, &scope)?,
        None => own,
    };
    let annotation = annotation.unwrap_or_else(|| py.get_type::<PyAny>().into_any());
    let mut field = match &source.converter {
        // The converter's parameter is annotated elsewhere, so the class's scope does not apply.
        Some(_) => {
            let plain = Scope::new(None, None, &subject.compiler.relatives);
            subject.field_type(name, annotation, &plain)?
        }
        None => subject.field_type(name, annotation, &scope)?,
    };
    say(&mut field, source, subject)?;
    subject.declared(name.clone(), field, &scope, absent)
}

fn say<'py>(
    field: &mut FieldType<'py>,
    source: &Source<'py>,
    subject: &Subject<'_, 'py>,
) -> PyResult<()> {
    let metadata = source.attribute.getattr(intern!(subject.compiler.py, "metadata"))?;
    field.say_all(&metadata, subject.place(source.alias.to_str()?))
}

/// The class that declares the field: the nearest one that owns it.
fn owner<'py>(class: &Bound<'py, PyType>, source: &Source<'py>) -> PyResult<Bound<'py, PyType>> {
    let py = class.py();
    for base in type_objects::bases(class) {
        let own = type_objects::own_attribute(&base, intern!(py, "__attrs_attrs__"));
        let Some(Ok(own)) = own.map(|own| own.cast_into::<PyTuple>()) else { continue };
        for attribute in own {
            if attribute.getattr(intern!(py, "name"))?.eq(&source.name)?
                && !attribute.getattr(intern!(py, "inherited"))?.is_truthy()?
            {
                return Ok(base);
            }
        }
    }
    Ok(class.clone())
}

/// The type of the field in the class.
fn annotation<'py>(
    subject: &mut Subject<'_, 'py>,
    owner: &Bound<'py, PyType>,
    source: &Source<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let said = source.attribute.getattr(intern!(owner.py(), "type"))?;
    if !said.is_none() {
        return Ok(Some(said));
    }
    match subject.annotations(owner)? {
        Some(annotations) => annotations.get_item(&source.name),
        None => Ok(None),
    }
}

/// The type of a converter's parameter, if it is annotated. `own` is the annotation of the field.
fn taken<'py>(
    converter: &Bound<'py, PyAny>,
    own: Option<Bound<'py, PyAny>>,
    scope: &Scope<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = converter.py();
    let mut function = converter.clone();
    if is_instance(converter, &known::ATTRS_CONVERTER) {
        function = converter.getattr(intern!(py, "converter"))?;
    }
    let makes = own.unwrap_or_else(|| py.None().into_bound(py));
    // A name that only type checkers know is left as it is written: the converter needs none.
    let makes = match makes.cast::<PyString>().map(|text| scope.evaluate(text)) {
        Ok(Ok(meant)) => meant,
        Ok(Err(Unresolved::Raised(error))) if !is_reason(py, &error) => return Err(error),
        _ => makes,
    };
    let via = py.import(intern!(py, modules::VIA))?.getattr(intern!(py, "via"))?;
    let taken = via.call1((function,))?.call_method1(intern!(py, "_takes"), (makes,))?;
    Ok((!taken.is(py.Ellipsis())).then_some(taken))
}

/// Proves that the class's `__init__` only stores its parameters, and finds whether it calls
/// `__attrs_post_init__` then; or returns why the class must be called.
fn generated(class: &Bound<'_, PyType>, sources: &[Source<'_>]) -> PyResult<Result<bool, Reason>> {
    let py = class.py();
    let name = class.name()?;
    let Some((owner, init)) = type_objects::owner(class, intern!(py, "__init__")) else {
        return Ok(Err(format!("{name} has its own __init__")));
    };
    let own = Ok(Err(format!("{} has its own __init__", owner.name()?)));
    let Some(function) = Function::of(&init) else { return own };
    let file = function.code.getattr(intern!(py, "co_filename"))?.to_string();
    if !file.starts_with("<attrs generated") {
        return own;
    }
    for source in sources {
        let validator = source.attribute.getattr(intern!(py, "validator"))?;
        let what = if source.converter.is_some() {
            "a converter"
        } else if !validator.is_none() {
            "a validator"
        } else if matches!(source.default, Default::OfObject) {
            "a factory that takes the object"
        } else {
            continue;
        };
        return Ok(Err(format!("{name} has {what} for '{}'", source.name)));
    }
    let names = function.code.getattr(intern!(py, "co_names"))?;
    let variables = function.code.getattr(intern!(py, "co_varnames"))?;
    let post_init = names.contains(intern!(py, "__attrs_post_init__"))?;
    let way = if variables.contains(intern!(py, "_inst_dict"))? {
        Way::Dict { caches: variables.contains(intern!(py, "_setattr"))? }
    } else if variables.contains(intern!(py, "_setattr"))? {
        Way::Cached
    } else {
        Way::Plain
    };
    if way == Way::Plain && !type_objects::has_plain_setattr(class) {
        return Ok(Err(format!("{name} overrides __setattr__")));
    }
    let more =
        Ok(Err(format!("{} has an __init__ that does more than store its fields", owner.name()?)));
    let source = written(sources, way, post_init);
    let same = proof::is_written(&function, &source)? && has_objects(&function, sources)?;
    if same { Ok(Ok(post_init)) } else { more }
}

/// How a generated `__init__` sets attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By a statement.
    Plain,
    /// With `object`'s `__setattr__`.
    Cached,
    /// In the `__dict__`.
    Dict { caches: bool },
}

/// The `__init__` that stores its parameters and does nothing else, as attrs writes it.
fn written(sources: &[Source<'_>], way: Way, post_init: bool) -> String {
    let mut parameters = vec!["self".to_owned()];
    let all = || sources.iter().filter(|source| source.init);
    parameters.extend(all().filter(|it| !it.kw_only).map(|it| it.alias.to_string()));
    if all().any(|source| source.kw_only) {
        parameters.push("*".to_owned());
        parameters.extend(all().filter(|it| it.kw_only).map(|it| it.alias.to_string()));
    }
    // Writing to a string does not fail.
    let mut text = format!("def __init__({}):\n", parameters.join(", "));
    if matches!(way, Way::Cached | Way::Dict { caches: true }) {
        text.push_str(" _setattr = _cached_setattr_get(self)\n");
    }
    if matches!(way, Way::Dict { .. }) {
        text.push_str(" _inst_dict = self.__dict__\n");
    }
    let set = |name: &str, value: &str| match way {
        Way::Plain => format!("self.{name} = {value}"),
        Way::Cached => format!("_setattr('{name}', {value})"),
        Way::Dict { .. } => format!("_inst_dict['{name}'] = {value}"),
    };
    let empty = text.len();
    for source in sources.iter().filter(|source| source.is_stored()) {
        let (name, alias) = (source.name.to_string(), source.alias.to_string());
        let made = format!("__attr_factory_{name}()");
        let _ = match (&source.default, source.init) {
            (Default::Factory(_), true) => {
                let (given, made) = (set(&name, &alias), set(&name, &made));
                writeln!(text, " if {alias} is not NOTHING:\n  {given}\n else:\n  {made}")
            }
            (Default::Factory(_), false) => writeln!(text, " {}", set(&name, &made)),
            (_, true) => writeln!(text, " {}", set(&name, &alias)),
            (_, false) => {
                writeln!(text, " {}", set(&name, &format!("attr_dict['{name}'].default")))
            }
        };
    }
    if post_init {
        text.push_str(" self.__attrs_post_init__()\n");
    }
    if text.len() == empty {
        text.push_str(" pass\n");
    }
    text
}

/// True if the function's defaults and factories are those of the fields.
fn has_objects(function: &Function<'_>, sources: &[Source<'_>]) -> PyResult<bool> {
    let parameters = Parameters::of(function)?;
    for source in sources {
        let parameter = parameters.list.iter().find(|it| same_name(&it.name, &source.alias));
        let parameter = match parameter {
            Some(parameter) => parameter.default.as_ref(),
            None if source.init => return Ok(false),
            None => None,
        };
        let same = match (&source.default, parameter) {
            (Default::None, default) => default.is_none(),
            (Default::Value(value), Some(default)) => value.is(default),
            (Default::Value(_), None) => !source.init,
            (Default::Factory(factory), default) => {
                let global = format!("__attr_factory_{}", source.name);
                let global = function.globals.get_item(global)?;
                global.is_some_and(|global| global.is(factory))
                    && default.is_none_or(|default| known::ATTRS_NOTHING.is(default))
            }
            (Default::OfObject, _) => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
