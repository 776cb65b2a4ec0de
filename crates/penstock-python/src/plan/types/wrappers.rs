//! The parts of an annotation that concern the field, and not its type: `at(...)`, `Final`,
//! `Required`.

use pyo3::exceptions::PyNameError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple, PyType};

use super::compiler::Place;
use super::known;
use super::names::{Scope, Unresolved};

/// The most wrappers of an annotation. One with more refers to itself and to nothing else.
const MOST: usize = 100;

/// A field's annotation without the parts that concern the field.
pub(in crate::plan) struct FieldType<'py> {
    pub(in crate::plan) annotation: Bound<'py, PyAny>,
    /// The path of its value: `at(...)`.
    pub(in crate::plan) at: Option<At<'py>>,
    /// The other annotations beside the type, from the inside out.
    pub(in crate::plan) words: Vec<Bound<'py, PyAny>>,
    /// `Required[...]` or `NotRequired[...]`.
    pub(in crate::plan) required: Option<bool>,
    /// `InitVar[...]`: a parameter of the class, and not an attribute.
    pub(in crate::plan) init_var: bool,
    /// `ClassVar[...]`: it is not a field.
    pub(in crate::plan) class_var: bool,
}

impl<'py> FieldType<'py> {
    /// Takes the annotations under our name in a field's metadata: one, or a tuple of them.
    pub(in crate::plan) fn say_all(
        &mut self,
        metadata: &Bound<'py, PyAny>,
        place: Place<'_>,
    ) -> PyResult<()> {
        // Hardly any field has one.
        let name = intern!(metadata.py(), "penstock");
        let Ok(metadata) = metadata.cast::<PyMapping>() else { return Ok(()) };
        if !metadata.contains(name)? {
            return Ok(());
        }
        let said = metadata.get_item(name)?;
        let words = match said.cast_into::<PyTuple>() {
            Ok(words) => words.iter().collect(),
            Err(word) => vec![word.into_inner()],
        };
        self.say(words.into_iter(), place)
    }

    /// Takes the annotations beside the type.
    pub(in crate::plan) fn say(
        &mut self,
        words: impl DoubleEndedIterator<Item = Bound<'py, PyAny>>,
        place: Place<'_>,
    ) -> PyResult<()> {
        let mut said = Vec::new();
        for word in words {
            if !is_instance(&word, &known::AT) {
                // Text is a remark, and other libraries recognise their annotations by type.
                if !word.is_instance_of::<PyString>() {
                    said.push(word);
                }
            } else if self.at.replace(read_at(&word)?).is_some() {
                return Err(place.error(word.py(), "two at(...) for one field"));
            }
        }
        // For nested wrappers, the inner annotations come first.
        said.append(&mut self.words);
        self.words = said;
        Ok(())
    }
}

/// The contents of an `at(...)`.
pub(in crate::plan) struct At<'py> {
    /// As it would be written, without the `at`.
    pub(in crate::plan) shown: String,
    /// The paths, and for a choice the type of each.
    pub(in crate::plan) routes: Vec<(String, Option<Bound<'py, PyAny>>)>,
    /// The field of the items that holds their key in a dict.
    pub(in crate::plan) key: Option<String>,
    /// The path of the value in an item that becomes a value of a dict; then `key` is a path as well.
    pub(in crate::plan) value: Option<String>,
}

/// Takes the wrappers off a field's annotation.
pub(in crate::plan) fn field_type<'py>(
    annotation: Bound<'py, PyAny>,
    scope: &Scope<'py>,
    place: Place<'_>,
) -> PyResult<FieldType<'py>> {
    let py = annotation.py();
    let mut field = FieldType {
        annotation,
        at: None,
        words: Vec::new(),
        required: None,
        init_var: false,
        class_var: false,
    };
    for _ in 0..MOST {
        let annotation = &field.annotation;
        // Nearly every annotation is a class, and a class is not a wrapper.
        if annotation.is_instance_of::<PyType>() {
            return Ok(field);
        }
        if let Ok(text) = annotation.cast::<PyString>() {
            let meant = scope.evaluate(text).map_err(|why| place.unresolved(text, why))?;
            field.annotation = meant;
            continue;
        }
        if is_instance(annotation, &known::FORWARD_REF) {
            field.annotation = forward(annotation, scope, place)?;
            continue;
        }
        if known::CLASS_VAR.is(annotation) {
            field.class_var = true;
            return Ok(field);
        }
        if known::FINAL.is(annotation) {
            field.annotation = py.get_type::<PyAny>().into_any();
            return Ok(field);
        }
        if is_instance(annotation, &known::INIT_VAR) {
            // In an `Annotated` it means nothing to a dataclass.
            field.init_var |= field.words.is_empty() && field.at.is_none();
            field.annotation = annotation.getattr(intern!(py, "type"))?;
            continue;
        }
        // Neither is `list[int]` or `int | None`.
        if is_generic_alias(annotation) || is_instance(annotation, &known::UNION_TYPE) {
            return Ok(field);
        }
        let Some(origin) = annotation.getattr_opt(intern!(py, "__origin__"))? else {
            return Ok(field);
        };
        if is_instance(annotation, &known::ANNOTATED) {
            let words = metadata(annotation, scope, place)?;
            field.annotation = origin;
            field.say(words.into_iter(), place)?;
            continue;
        }
        if known::CLASS_VAR.is(&origin) {
            field.class_var = true;
            return Ok(field);
        }
        if known::SQLALCHEMY_MAPPED.is(&origin) {
            // What an object has there is a value of the type; the class has a column.
            field.annotation = arguments(annotation)?.get_item(0)?;
            continue;
        }
        let wrappers = [&known::FINAL, &known::REQUIRED, &known::NOT_REQUIRED];
        let read_only = [&known::READ_ONLY, &known::READ_ONLY_EXTENSION];
        if !wrappers.iter().chain(&read_only).any(|known| known.is(&origin)) {
            return Ok(field);
        }
        if known::REQUIRED.is(&origin) || known::NOT_REQUIRED.is(&origin) {
            if field.required.is_some() {
                return Err(place.error(py, "Required and NotRequired exclude each other"));
            }
            field.required = Some(known::REQUIRED.is(&origin));
        }
        field.annotation = arguments(annotation)?.get_item(0)?;
    }
    Err(place.error(py, "the annotation is nested too deep, or refers only to itself"))
}

/// True for `list[int]`, false for `typing.List[int]`.
pub(in crate::plan) fn is_generic_alias(object: &Bound<'_, PyAny>) -> bool {
    object.get_type().as_type_ptr() == &raw mut ffi::Py_GenericAliasType
}

/// The `X` of `*X` and `Unpack[X]`.
pub(in crate::plan) fn unpacked<'py>(
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = annotation.py();
    let Some(origin) = annotation.getattr_opt(intern!(py, "__origin__"))? else { return Ok(None) };
    if known::UNPACK.is(&origin) || known::UNPACK_EXTENSION.is(&origin) {
        return Ok(Some(arguments(annotation)?.get_item(0)?));
    }
    // `*tuple[int]` is an alias like `tuple[int]`, but for this attribute.
    let starred = annotation.getattr_opt(intern!(py, "__unpacked__"))?;
    if !is_generic_alias(annotation) || !starred.is_some_and(|it| it.is_truthy().unwrap_or(false)) {
        return Ok(None);
    }
    Ok(Some(origin.get_item(arguments(annotation)?)?))
}

pub(in crate::plan) fn is_instance(object: &Bound<'_, PyAny>, class: &known::Known) -> bool {
    class.is(&object.get_type())
}

pub(in crate::plan) fn arguments<'py>(
    annotation: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyTuple>> {
    Ok(annotation.getattr(intern!(annotation.py(), "__args__"))?.cast_into()?)
}

/// What a `typing.ForwardRef` refers to.
pub(in crate::plan) fn forward<'py>(
    reference: &Bound<'py, PyAny>,
    scope: &Scope<'py>,
    place: Place<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = reference.py();
    let text = reference.getattr(intern!(py, "__forward_arg__"))?.cast_into::<PyString>()?;
    let module = reference.getattr(intern!(py, "__forward_module__"))?;
    let mut wider = None;
    if let Ok(module) = module.cast::<PyString>() {
        wider = Some(scope.in_module(module));
    }
    // In 3.14 the text may have names that stand for objects.
    if let Some(names) = reference.getattr_opt(intern!(py, "__extra_names__"))?
        && let Ok(names) = names.cast::<PyDict>()
    {
        wider = Some(wider.as_ref().unwrap_or(scope).with_more(names)?);
    }
    match wider.as_ref().unwrap_or(scope).evaluate(&text) {
        Ok(meant) => Ok(meant),
        Err(Unresolved::Name) => match by_itself(reference, scope)? {
            Some(meant) => Ok(meant),
            None => Err(place.unresolved(&resolved_text(reference, text)?, Unresolved::Name)),
        },
        Err(why) => Err(place.unresolved(&resolved_text(reference, text)?, why)),
    }
}

/// What a reference finds: since 3.14 it knows the names of its module, even of one that was never
/// imported, and the variables of the functions around it.
fn by_itself<'py>(
    reference: &Bound<'py, PyAny>,
    scope: &Scope<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = reference.py();
    let Some(evaluate) = reference.getattr_opt(intern!(py, "evaluate"))? else { return Ok(None) };
    let names = PyDict::new(py);
    names.set_item(intern!(py, "locals"), scope.own_names(py)?)?;
    match evaluate.call((), Some(&names)) {
        Ok(meant) => Ok(Some(meant)),
        Err(error) if error.is_instance_of::<PyNameError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a reference as its author wrote it.
fn resolved_text<'py>(
    reference: &Bound<'py, PyAny>,
    text: Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyString>> {
    match reference.getattr_opt(intern!(reference.py(), "__resolved_str__"))? {
        Some(resolved) => Ok(resolved.cast_into()?),
        None => Ok(text),
    }
}

/// The annotations beside the type in an `Annotated`. Since 3.14 one whose name is not known yet is a
/// reference; to leave it out would be to read another type.
pub(in crate::plan) fn metadata<'py>(
    annotated: &Bound<'py, PyAny>,
    scope: &Scope<'py>,
    place: Place<'_>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let words = annotated.getattr(intern!(annotated.py(), "__metadata__"))?;
    let words = words.cast_into::<PyTuple>()?;
    let meant = |word: Bound<'py, PyAny>| {
        if is_instance(&word, &known::FORWARD_REF) {
            forward(&word, scope, place)
        } else {
            Ok(word)
        }
    };
    words.iter().map(meant).collect()
}

fn read_at<'py>(at: &Bound<'py, PyAny>) -> PyResult<At<'py>> {
    let py = at.py();
    let path = at.getattr(intern!(py, "path"))?;
    let key = at.getattr(intern!(py, "key"))?.extract()?;
    let value = at.getattr(intern!(py, "value"))?.extract()?;
    if let Ok(path) = path.cast::<PyString>() {
        let path = path.to_str()?.to_owned();
        return Ok(At { shown: path.clone(), routes: vec![(path, None)], key, value });
    }
    let mut routes = Vec::new();
    for route in path.try_iter()? {
        let route = route?;
        if let Ok(path) = route.cast::<PyString>() {
            routes.push((path.to_str()?.to_owned(), None));
            continue;
        }
        let (path, into): (String, Bound<'py, PyAny>) = route.extract()?;
        routes.push((path, Some(into)));
    }
    let paths: Vec<_> = routes.iter().map(|(path, _)| path.as_str()).collect();
    Ok(At { shown: paths.join(" or "), routes, key, value })
}
