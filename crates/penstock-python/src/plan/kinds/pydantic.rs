//! Pydantic models and dataclasses, and the types that only pydantic can make.
//!
//! A model's fields are decoded as they are annotated, and the model's own validator makes the
//! object, as calling the class does. So pydantic handles converters, constraints and validators,
//! absent fields and aliases. If a validator sees a value before its field is decoded, it gets
//! plain values. So does a type that only pydantic knows.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyString, PyTuple, PyType};

use super::classes::{Declared, Shape, Subject};
use super::left;
use super::signature::{Constructor, Parameter, Parameters};
use crate::edge::modules;
use crate::plan::make::post_steps::{Nature, PostSteps, Step, Via};
use crate::plan::make::type_objects;
use crate::plan::types::compiler::Model;
use crate::plan::types::names::{Scope, same_name};
use crate::plan::types::walk::Walk;
use crate::plan::types::wrappers::{FieldType, is_instance};
use crate::plan::types::{conversions, decimals, known};
use crate::plan::{Absent, Build, Kind, Node};

/// The most parts of an annotation that are searched.
const MOST_PARTS: usize = 1_000;

/// Validators of pydantic that take decoded values.
const AFTERWARDS: [&str; 3] = ["AfterValidator", "UuidVersion", "PathType"];

/// Whether pydantic was imported.
pub(crate) fn is_pydantic_there(py: Python<'_>) -> bool {
    known::PYDANTIC_MODEL.get(py).is_some()
}

/// True for an exception with which pydantic reports invalid values.
pub(crate) fn is_of_pydantic(error: &Bound<'_, PyAny>) -> bool {
    let class = known::PYDANTIC_ERROR.get(error.py());
    class.is_some_and(|class| error.get_type().is(class))
}

/// Makes a value of a type that only pydantic can make, with pydantic's own function. The model is
/// the class, if it is one whose value is decoded.
pub(in crate::plan) fn of_class<'py>(
    walk: &Walk<'_, 'py>,
    class: &Bound<'py, PyType>,
) -> PyResult<Option<(Via<'py>, Option<Model<'py>>)>> {
    let py = class.py();
    if !type_objects::is_heap_type(class) {
        return Ok(None);
    }
    if type_objects::attribute(class, intern!(py, "__pydantic_fields__")).is_some() {
        let Some(made) = whole(walk, class)? else { return Ok(None) };
        return Ok(Some((made, Some(model(class)?))));
    }
    if type_objects::attribute(class, intern!(py, "__get_pydantic_core_schema__")).is_none() {
        return Ok(None);
    }
    Ok(adapted(walk, class.as_any())?.map(|made| (made, None)))
}

/// Makes a value with pydantic's own function for a type.
fn adapted<'py>(
    walk: &Walk<'_, 'py>,
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Option<Via<'py>>> {
    let py = annotation.py();
    let Some(adapter) = known::PYDANTIC_ADAPTER.get(py) else { return Ok(None) };
    match adapter.call1((annotation,)) {
        Ok(adapter) => {
            let decode = adapter.getattr(intern!(py, "validate_python"))?;
            let schema = adapter.getattr(intern!(py, "core_schema"))?;
            let source = Some(plain_for(py, decimals::are_in(schema, None)?)?);
            Ok(Some(Via { decode, source, encode: Some(conversions::function(py, "dumped")?) }))
        }
        Err(cause) => {
            let name = crate::plan::types::builtin::display(annotation)?;
            let error = walk.error(format_args!("pydantic has no way to make {name}: {cause}"));
            error.set_cause(py, Some(cause));
            Err(error)
        }
    }
}

/// Makes a value of `Json[T]`, which is text that holds another document, if the words beside an
/// annotation say that it is one.
pub(in crate::plan) fn json<'py>(
    walk: &Walk<'_, 'py>,
    annotation: &Bound<'py, PyAny>,
    words: &[Bound<'py, PyAny>],
) -> PyResult<Option<Via<'py>>> {
    let py = walk.compiler.py;
    let is_json = |word: &Bound<'py, PyAny>| {
        is_instance(word, &known::PYDANTIC_JSON) || known::PYDANTIC_JSON.is(word)
    };
    if !words.iter().any(is_json) {
        return Ok(None);
    }
    let whole = PyList::new(py, [annotation])?;
    if let Some(what) = left::without_effect(walk.compiler, &whole)? {
        let reason =
            format_args!("pydantic makes the value in Json[...], where {what} has no effect");
        return Err(walk.error(reason));
    }
    let parts = std::iter::once(annotation).chain(words).collect::<Vec<_>>();
    let annotated = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Annotated"))?;
    let Some(made) = adapted(walk, &annotated.get_item(PyTuple::new(py, parts)?)?)? else {
        return Ok(None);
    };
    Ok(Some(Via { source: Some(py.get_type::<PyString>().into_any()), ..made }))
}

/// Whether a model takes the plain value of a type that only pydantic can make, and makes it
/// itself. A strict model takes finished values only, except of text.
pub(in crate::plan) fn makes_itself<'py>(
    model: &Model<'py>,
    class: &Bound<'py, PyType>,
) -> PyResult<bool> {
    let is_strict = config(&model.class)?.get_item("strict")?;
    let is_strict = is_strict.map_or(Ok(false), |strict| strict.is_truthy())?;
    Ok(!is_strict || known::PYDANTIC_JSON.is(class.as_any()))
}

/// How to make a model that takes its value as a whole, if it does: a root model, and one with a
/// validator that sees the whole value first.
fn whole<'py>(walk: &Walk<'_, 'py>, class: &Bound<'py, PyType>) -> PyResult<Option<Via<'py>>> {
    let py = class.py();
    if !is_model(class) {
        return Ok(None);
    }
    complete(walk, class)?;
    let fields = fields(class)?;
    let is_root = class.getattr(intern!(py, "__pydantic_root_model__"))?.is_truthy()?;
    let raw = sees_all_first(class)? || has_paths(&fields)?;
    if !is_root && !raw {
        return Ok(None);
    }
    let root = intern!(py, "root");
    let source = match fields.get_item(root)? {
        Some(info) if is_root && !raw && !sees_first(class, root, &info)? => {
            left::with_own_words(&info)?
        }
        _ => {
            if let Some(what) = left::without_effect_in_fields(walk.compiler, &fields)? {
                return Err(walk.error(format_args!(
                    "pydantic makes {} of plain values itself, where {what} has no effect",
                    class.name()?
                )));
            }
            plain(class, None)?
        }
    };
    let encode = Some(conversions::function(py, if is_root && !raw { "root" } else { "dumped" })?);
    Ok(Some(Via { decode: validator(class)?, source: Some(source), encode }))
}

/// The fields of the model, and how to make an object.
pub(in crate::plan) fn shape<'py>(subject: &mut Subject<'_, 'py>) -> PyResult<Shape<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let config = config(&class)?;
    let is = |name: &str, unsaid: bool| match config.get_item(name)? {
        Some(said) if !said.is_none() => said.is_truthy(),
        _ => Ok(unsaid),
    };
    let by_name = is("validate_by_name", false)? || is("populate_by_name", false)?;
    let by_alias = is("validate_by_alias", true)?;
    let scope = subject.scope(&class)?;
    let mut fields = Vec::new();
    for (name, info) in &super::pydantic::fields(&class)? {
        let name = name.cast_into::<PyString>()?;
        // A field of a dataclass may be no parameter.
        let init = info.getattr_opt(intern!(py, "init"))?;
        if init.is_some_and(|init| init.is(&*PyBool::new(py, false))) {
            continue;
        }
        let mut names = if by_alias { aliases(&info)? } else { Vec::new() };
        if (names.is_empty() || by_name) && !contains(&names, &name) {
            names.push(name.clone());
        }
        let required = info.call_method0(intern!(py, "is_required"))?.is_truthy()?;
        // The model decides which of several names counts, and what to do if there is none.
        let absent = |alone: bool| match alone && required {
            true => Absent::Error,
            false => Absent::Unset,
        };
        let first = declared(subject, &name, &info, &scope, absent(names.len() == 1))?;
        let moved = first.at.is_some() || first.key.is_some();
        let (key, node) = (first.key.clone(), first.node);
        let mut names = names.into_iter();
        let Some(of_first) = names.next() else { continue };
        let default = known_default(&class, &name)?;
        fields.push(Declared { name: of_first, key, default, ..first });
        if moved {
            continue;
        }
        let more = names
            .map(|name| Declared { is_read: true, ..Declared::unread(name, node, absent(false)) });
        fields.extend(more);
    }
    if is_model(&class) {
        add_parameters(subject, &mut fields)?;
    }
    let extra = config.get_item("extra")?;
    let extra: Option<String> = extra.and_then(|extra| extra.extract().ok());
    let allows = extra.as_deref() == Some("allow");
    let is_validated = is_model(&class) || allows && is_initialized_by_pydantic(&class)?;
    let mut rest = None;
    if is_validated && allows {
        rest = Some(fields.len() as u32);
        let any = subject.compiler.any();
        let node = subject.compiler.push(Kind::List(any), false, "list".into());
        let (name, absent) = (PyString::new(py, "*"), Absent::Unset);
        fields.push(Declared::unread(name, node, absent));
    }
    let build = if is_validated {
        Build::Validate(validator(&class)?.unbind())
    } else {
        let keywords = PyTuple::new(py, fields.iter().map(|field| &field.name))?.unbind();
        Build::Call { first: 0, positional: 0, keywords }
    };
    let kind = if is_model(&class) { "model" } else { "dataclass" };
    Ok(Shape {
        why_called: Some(format!("{} is a pydantic {kind}", subject.name)),
        forbids_unknown: extra.as_deref() == Some("forbid"),
        rest,
        ..Shape::new(fields, build)
    })
}

/// Adds the parameters of the model's own `__init__` that are no fields of it.
fn add_parameters<'py>(
    subject: &mut Subject<'_, 'py>,
    fields: &mut Vec<Declared<'py>>,
) -> PyResult<()> {
    let py = subject.compiler.py;
    let Some(constructor) = Constructor::of(&subject.class)? else { return Ok(()) };
    if known::PYDANTIC_MODEL.is(constructor.owner.as_any()) {
        return Ok(());
    }
    let annotations = constructor.annotations()?;
    let scope = subject.scope(&constructor.owner)?.with_names(&constructor.parts.globals);
    let parameters = Parameters::of(&constructor.parts)?.list;
    let own = super::pydantic::fields(&subject.class)?;
    for Parameter { name, default } in parameters {
        let is_known = |field: &Declared<'py>| same_name(&field.name, &name);
        // A private one is no part of a document: settings have such.
        if name.to_str()?.starts_with('_') || own.contains(&name)? || fields.iter().any(is_known) {
            continue;
        }
        let absent = if default.is_some() { Absent::Unset } else { Absent::Error };
        let annotation = annotations.get_item(&name)?;
        let annotation = annotation.unwrap_or_else(|| py.get_type::<PyAny>().into_any());
        let field = subject.field_type(&name, annotation, &scope)?;
        fields.push(subject.declared(name, field, &scope, absent)?);
    }
    Ok(())
}

/// True for a model, false for a dataclass.
fn is_model(class: &Bound<'_, PyType>) -> bool {
    let base = known::PYDANTIC_MODEL.get(class.py());
    base.is_some_and(|base| type_objects::bases(class).iter().any(|class| class.is(base)))
}

/// True for a root model.
pub(in crate::plan) fn is_root(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let is_root = class.getattr_opt(intern!(class.py(), "__pydantic_root_model__"))?;
    is_root.map_or(Ok(false), |is_root| is_root.is_truthy())
}

/// True for a dataclass with pydantic's own `__init__`. That takes any keywords if the class allows
/// extra ones, and a dict of them has the same effect.
fn is_initialized_by_pydantic(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let init = class.getattr(intern!(py, "__init__"))?;
    match init.getattr_opt(intern!(py, "__module__"))? {
        Some(module) => module.eq("pydantic._internal._dataclasses"),
        None => Ok(false),
    }
}

/// Makes pydantic resolve the annotations, as it would when the class is called.
fn complete(walk: &Walk<'_, '_>, class: &Bound<'_, PyType>) -> PyResult<()> {
    let py = class.py();
    let is_complete = || class.getattr(intern!(py, "__pydantic_complete__"))?.is_truthy();
    if is_complete()? {
        return Ok(());
    }
    let options = PyDict::new(py);
    options.set_item("raise_errors", false)?;
    if let Some(names) = &walk.compiler.settings.namespace {
        options.set_item("_types_namespace", names)?;
    }
    class.call_method(intern!(py, "model_rebuild"), (), Some(&options))?;
    if is_complete()? {
        return Ok(());
    }
    let name = class.name()?;
    let reason = format_args!(
        "pydantic cannot resolve the annotations of {name}: call {name}.model_rebuild(), or pass \
         Plan({name}, namespace=...)"
    );
    Err(walk.error(reason))
}

/// The effect of calling the model.
fn validator<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    class.getattr(intern!(py, "__pydantic_validator__"))?.getattr(intern!(py, "validate_python"))
}

fn fields<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyDict>> {
    Ok(class.getattr(intern!(class.py(), "__pydantic_fields__"))?.cast_into()?)
}

/// The settings of the class as a whole.
fn config<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyDict>> {
    let py = class.py();
    for name in [intern!(py, "model_config"), intern!(py, "__pydantic_config__")] {
        if let Some(config) = class.getattr_opt(name)?
            && let Ok(config) = config.cast_into::<PyDict>()
        {
            return Ok(config);
        }
    }
    Ok(PyDict::new(py))
}

/// What the annotations of a class are left to.
fn model<'py>(class: &Bound<'py, PyType>) -> PyResult<Model<'py>> {
    let py = class.py();
    let name = "val_json_bytes";
    let form = config(class)?.get_item(name)?.filter(|form| !form.is_none());
    let (bytes, text) = match (form, known::PYDANTIC_ADAPTER.get(py)) {
        (Some(form), Some(adapter)) if !form.eq("utf8")? => {
            // Pydantic's own functions for text that becomes `bytes`, with its own messages.
            let (settings, options) = (PyDict::new(py), PyDict::new(py));
            settings.set_item(name, &form)?;
            settings.set_item("ser_json_bytes", form)?;
            options.set_item(intern!(py, "config"), settings)?;
            let adapter = adapter.call((py.get_type::<PyBytes>(),), Some(&options))?;
            let text = conversions::applied(py, "text_by", &adapter)?;
            (adapter.getattr(intern!(py, "validate_strings"))?, text)
        }
        _ => {
            let bytes = py.get_type::<PyString>().getattr(intern!(py, "encode"))?;
            (bytes, conversions::function(py, "text")?)
        }
    };
    Ok(Model { class: class.clone(), bytes, text })
}

/// `bytes`, or a `bytearray`, of the text that a model has for them.
pub(in crate::plan) fn bytes<'py>(
    class: &Bound<'py, PyType>,
    model: &Model<'py>,
    nullable: bool,
) -> Node {
    let is_plain = class.is(class.py().get_type::<PyBytes>());
    let name = if is_plain { "bytes" } else { "bytearray" };
    let mut node = crate::plan::types::walk::node(Kind::Str, nullable, name.into());
    let mut steps = vec![Step::Call(model.bytes.clone().unbind())];
    if !is_plain {
        steps.push(Step::Convert(class.clone().into_any().unbind()));
    }
    let after = PostSteps::add(&mut node, steps);
    (after.nature, after.hashable) = (Some(Nature::Bytes), Some(is_plain));
    after.backs.push(Some(model.text.clone().unbind()));
    after.class = Some(class.clone().unbind());
    node
}

/// The aliases of a field, in the order in which they count.
fn aliases<'py>(info: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyString>>> {
    let py = info.py();
    let mut alias = info.getattr(intern!(py, "validation_alias"))?;
    if alias.is_none() {
        alias = info.getattr(intern!(py, "alias"))?;
    }
    if is_instance(&alias, &known::PYDANTIC_ALIAS_CHOICES) {
        let choices = alias.getattr(intern!(py, "choices"))?;
        return choices.try_iter()?.map(|choice| Ok(choice?.cast_into()?)).collect();
    }
    Ok(alias.cast_into().into_iter().collect())
}

/// The aliases under which a class takes the values of its fields, each with the field's name.
pub(crate) fn names_by_alias<'py>(
    class: &Bound<'py, PyType>,
) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let by_alias = config(class)?.get_item("validate_by_alias")?;
    if by_alias.map_or(Ok(false), |said| Ok::<_, PyErr>(!said.is_none() && !said.is_truthy()?))? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (name, info) in fields(class)? {
        found.extend(aliases(&info)?.into_iter().map(|alias| (alias, name.clone())));
    }
    Ok(found)
}

/// What a field has that is not given: its default, or its factory. Nothing if pydantic does not know the field.
pub(in crate::plan) fn default<'py>(
    class: &Bound<'py, PyType>,
    field: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    if !is_pydantic_there(py) || !class.hasattr(intern!(py, "__pydantic_fields__"))? {
        return Ok(None);
    }
    let Some(info) = fields(class)?.get_item(field)? else { return Ok(None) };
    let factory = info.getattr(intern!(py, "default_factory"))?;
    if factory.is_none() {
        info.getattr(intern!(py, "default")).map(Some)
    } else {
        Ok(Some(factory))
    }
}

/// What an object has in a field that is not given, if pydantic keeps that to itself and it can be told without the other fields.
fn known_default(
    class: &Bound<'_, PyType>,
    field: &Bound<'_, PyString>,
) -> PyResult<Option<Absent>> {
    let py = class.py();
    let Some(default) = default(class, field)? else { return Ok(None) };
    let Some(info) = fields(class)?.get_item(field)? else { return Ok(None) };
    let config = class.getattr_opt(intern!(py, "model_config"))?;
    let of_class = match config.and_then(|config| config.cast_into::<PyDict>().ok()) {
        Some(config) => config.get_item(intern!(py, "validate_default"))?,
        None => None,
    };
    let of_field = info.getattr(intern!(py, "validate_default"))?;
    let is_validated = match of_field.is_none() {
        true => of_class.map_or(Ok(false), |it| it.is_truthy())?,
        false => of_field.is_truthy()?,
    };
    let required = info.call_method0(intern!(py, "is_required"))?.is_truthy()?;
    if is_validated || required {
        return Ok(None);
    }
    if info.getattr(intern!(py, "default_factory"))?.is_none() {
        return Ok(Some(Absent::Value(default.unbind())));
    }
    let needs_fields = info.getattr_opt(intern!(py, "default_factory_takes_validated_data"))?;
    let needs_fields = needs_fields.map_or(Ok(false), |it| it.is_truthy())?;
    Ok((!needs_fields).then(|| Absent::Factory(default.unbind())))
}

/// True if the annotation of a field has a function that writes its values, or leaves them out.
pub(crate) fn has_serializer(info: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = info.py();
    let sometimes = info.getattr_opt(intern!(py, "exclude_if"))?;
    if sometimes.is_some_and(|sometimes| !sometimes.is_none()) {
        return Ok(true);
    }
    for word in info.getattr(intern!(py, "metadata"))?.try_iter()? {
        let word = word?;
        if is_serializer(&word) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True for a function of pydantic that writes values.
pub(in crate::plan) fn is_serializer(word: &Bound<'_, PyAny>) -> bool {
    let words = [&known::PYDANTIC_PLAIN_SERIALIZER, &known::PYDANTIC_WRAP_SERIALIZER];
    words.into_iter().any(|serializer| is_instance(word, serializer))
}

/// True if some field has a path, which the model follows itself.
fn has_paths(fields: &Bound<'_, PyDict>) -> PyResult<bool> {
    let py = fields.py();
    for info in fields.values() {
        let alias = info.getattr(intern!(py, "validation_alias"))?;
        let choices = match is_instance(&alias, &known::PYDANTIC_ALIAS_CHOICES) {
            true => alias.getattr(intern!(py, "choices"))?.cast_into::<PyList>()?,
            false => PyList::new(py, [alias])?,
        };
        if choices.iter().any(|it| !it.is_none() && !it.is_instance_of::<PyString>()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn contains(names: &[Bound<'_, PyString>], name: &Bound<'_, PyString>) -> bool {
    names.iter().any(|known| same_name(known, name))
}

/// A field under its own name.
fn declared<'py>(
    subject: &mut Subject<'_, 'py>,
    name: &Bound<'py, PyString>,
    info: &Bound<'py, PyAny>,
    scope: &Scope<'py>,
    absent: Absent,
) -> PyResult<Declared<'py>> {
    let py = subject.compiler.py;
    let class = subject.class.clone();
    let is_first = sees_first(&class, name, info)?;
    let annotation = match is_first {
        true => {
            if let Some(what) = without_effect(subject, info)? {
                return Err(subject.place(name.to_str()?).error(py, left::reason(&what)));
            }
            plain(&class, Some(name))?
        }
        false => info.getattr(intern!(py, "annotation"))?,
    };
    // Pydantic checks its constraints. Ours are checked here.
    let words = left::own_words(info)?;
    let field = |subject: &mut Subject<'_, 'py>, annotation| -> PyResult<FieldType<'py>> {
        let mut field = subject.field_type(name, annotation, scope)?;
        field.say(words.clone().into_iter(), subject.place(name.to_str()?))?;
        Ok(field)
    };
    let field_type = field(subject, annotation)?;
    let (at, worded) = (field_type.at.is_some(), !field_type.words.is_empty());
    let kept = subject.compiler.mark();
    subject.compiler.model = Some(model(&class)?);
    let first = subject.declared(name.clone(), field_type, scope, absent.clone_ref(py));
    subject.compiler.model = None;
    match first {
        Err(error) if crate::plan::is_plan_error(py, &error) && !at && !worded => {
            if without_effect(subject, info)?.is_some() {
                return Err(error);
            }
            subject.compiler.reset(kept);
            let type_of_plain = plain(&class, Some(name))?;
            let field_type = field(subject, type_of_plain.clone())?;
            let mut declared = subject.declared(name.clone(), field_type, scope, absent)?;
            check(subject, &class, info, &type_of_plain, &mut declared)?;
            Ok(declared)
        }
        // What a validator of the class makes of a value is not known to the field's type.
        Ok(mut declared) if is_first && !worded && !has_validator(&class, name)? => {
            let type_of_plain = plain(&class, Some(name))?;
            check(subject, &class, info, &type_of_plain, &mut declared)?;
            Ok(declared)
        }
        first => first,
    }
}

/// Has the values of a field that pydantic makes checked when they are written, if that decides something.
fn check<'py>(
    subject: &mut Subject<'_, 'py>,
    class: &Bound<'py, PyType>,
    info: &Bound<'py, PyAny>,
    type_of_plain: &Bound<'py, PyAny>,
    declared: &mut Declared<'py>,
) -> PyResult<()> {
    let known = declared.node as usize;
    let (of, want, nullable) = match &subject.compiler.nodes[known] {
        Node { kind: Kind::Any, want, nullable, .. } => (Kind::Any, *want, *nullable),
        // Plain values that have all digits of their numbers.
        Node { kind: Kind::Tokens(tokens), want, nullable, .. } => {
            (Kind::Tokens(tokens.clone()), *want, *nullable)
        }
        _ => return Ok(()),
    };
    let Some(decided) = decided(subject, class, info, type_of_plain)? else { return Ok(()) };
    // The node of plain values is everybody's.
    declared.node = subject.compiler.push(of, nullable, "Any".into());
    let own = &mut subject.compiler.nodes[declared.node as usize];
    own.want = want;
    let after = PostSteps::add(own, []);
    after.backs.push(Some(decided.check.unbind()));
    after.check_of_text = decided.check_of_text.map(Bound::unbind);
    Ok(())
}

/// What has no effect in a field that pydantic makes itself.
fn without_effect<'py>(
    subject: &Subject<'_, 'py>,
    info: &Bound<'py, PyAny>,
) -> PyResult<Option<String>> {
    let py = info.py();
    let annotations = PyList::new(py, [info.getattr(intern!(py, "annotation"))?])?;
    left::without_effect(subject.compiler, &annotations)
}

/// What checks a value of a field that is left to pydantic: that it makes the same value of what is written.
struct Decided<'py> {
    check: Bound<'py, PyAny>,
    /// In a plan of typed values: the same for a format in which all scalars are text.
    check_of_text: Option<Bound<'py, PyAny>>,
}

/// The checks of a field, if it has what pydantic decides in its own way.
fn decided<'py>(
    subject: &Subject<'_, 'py>,
    class: &Bound<'py, PyType>,
    info: &Bound<'py, PyAny>,
    type_of_plain: &Bound<'py, PyAny>,
) -> PyResult<Option<Decided<'py>>> {
    let py = class.py();
    let adapter = conversions::function(py, "adapter")?.call1((info, config(class)?))?;
    if adapter.is_none() {
        return Ok(None);
    }
    let is_lexical = subject.compiler.form.is_lexical();
    // What a reader has where all is text is what XML has.
    let format = if is_lexical { "xml" } else { "json" };
    let format = py.import(intern!(py, "penstock"))?.getattr(format)?;
    let whole = py.get_type::<PyAny>().into_any();
    let of = if is_lexical { &whole } else { type_of_plain };
    let check = conversions::applied(py, "decided", (&adapter, of, format))?;
    let check_of_text = match is_lexical {
        true => None,
        false => Some(conversions::applied(py, "decided_as_text", (adapter, type_of_plain))?),
    };
    Ok(Some(Decided { check, check_of_text }))
}

/// The type for a value that a validator sees before it is decoded: plain values. If decimals are
/// made of it, numbers keep all their digits.
fn plain<'py>(
    class: &Bound<'py, PyType>,
    field: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let mut exact = decimals::are_made(class, field)?;
    // A validator in place of pydantic's own is called for what the annotation says.
    for (name, info) in &fields(class)? {
        if !exact && field.is_none_or(|field| same_name(field, &name)) {
            let annotation = info.getattr(intern!(py, "annotation"))?;
            let has_digits =
                py.import(intern!(py, modules::PARAMETERS))?.getattr(intern!(py, "has_digits"))?;
            exact = has_digits.call1((annotation,))?.is_truthy()?;
        }
    }
    plain_for(py, exact)
}

/// The type of plain values, with all digits of their numbers or with floats.
fn plain_for(py: Python<'_>, exact: bool) -> PyResult<Bound<'_, PyAny>> {
    Ok(match exact {
        true => py.import(intern!(py, modules::MARKS))?.getattr(intern!(py, "Exact"))?,
        false => py.get_type::<PyAny>().into_any(),
    })
}

/// True if a validator of the model sees all of its value before it is decoded.
fn sees_all_first(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let decorators = class.getattr(intern!(py, "__pydantic_decorators__"))?;
    for kind in [intern!(py, "model_validators"), intern!(py, "root_validators")] {
        for decorator in decorators.getattr(kind)?.cast_into::<PyDict>()?.values() {
            let mode = decorator.getattr(intern!(py, "info"))?.getattr(intern!(py, "mode"))?;
            if !mode.eq("after")? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// True if a validator of the class sees the value of a field before it is decoded.
fn has_validator(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = class.py();
    let decorators = class.getattr(intern!(py, "__pydantic_decorators__"))?;
    for kind in [intern!(py, "field_validators"), intern!(py, "validators")] {
        for decorator in decorators.getattr(kind)?.cast_into::<PyDict>()?.values() {
            let info = decorator.getattr(intern!(py, "info"))?;
            let mode = info.getattr(intern!(py, "mode"))?;
            let of = info.getattr(intern!(py, "fields"))?;
            if !mode.eq("after")? && (of.contains(name)? || of.contains("*")?) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// True if a validator sees the value of a field before it is decoded.
fn sees_first(
    class: &Bound<'_, PyType>,
    name: &Bound<'_, PyString>,
    info: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let py = class.py();
    if has_validator(class, name)? {
        return Ok(true);
    }
    let metadata = info.getattr(intern!(py, "metadata"))?;
    for word in metadata.try_iter()? {
        if wants_first(&word?)? {
            return Ok(true);
        }
    }
    // One that is a function is called with the plain value.
    if let Some(tells) = info.getattr_opt(intern!(py, "discriminator"))?
        && !tells.is_none()
        && !tells.is_instance_of::<PyString>()
    {
        return Ok(true);
    }
    // A part deeper in the annotation: `list[Annotated[int, BeforeValidator(...)]]`.
    let mut open = vec![info.getattr(intern!(py, "annotation"))?];
    for _ in 0..MOST_PARTS {
        let Some(part) = open.pop() else { break };
        if part.is_instance_of::<PyType>() && !crate::plan::types::wrappers::is_generic_alias(&part)
        {
            continue;
        }
        // What an alias stands for.
        if let Some(meant) = part.getattr_opt(intern!(py, "__value__"))? {
            open.push(meant);
        }
        for parts in [intern!(py, "__args__"), intern!(py, "__metadata__")] {
            if let Some(parts) = part.getattr_opt(parts)?
                && let Ok(parts) = parts.cast_into::<PyTuple>()
            {
                open.extend(parts.iter());
            }
        }
        if !part.is_instance_of::<PyType>() && wants_first(&part)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True for a pydantic annotation that sees a value after it was decoded, when the model is made.
pub(in crate::plan) fn is_told_later(word: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = word.get_type();
    let name = intern!(word.py(), "__get_pydantic_core_schema__");
    if type_objects::attribute(&class, name).is_none() {
        return Ok(false);
    }
    let class = class.name()?;
    Ok(AFTERWARDS.iter().any(|known| class == *known))
}

/// True for a pydantic annotation that sees a value before it is decoded.
fn wants_first(word: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = word.py();
    let class = word.get_type();
    let name = intern!(py, "__get_pydantic_core_schema__");
    if type_objects::attribute(&class, name).is_none() {
        // It may also be a class: `Json`.
        let own = word.cast::<PyType>().ok();
        return Ok(own.is_some_and(|own| type_objects::attribute(own, name).is_some()));
    }
    let class = class.name()?;
    Ok(!AFTERWARDS.iter().any(|known| class == *known))
}
