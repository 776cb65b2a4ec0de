//! `Enum` and `Literal`: a value of the document selects an object that exists already.

use penstock_core::keys::KeyTable;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyMappingProxy, PyString, PyTuple, PyType};

use super::builtin::{builtin, is_type_of_none};
use super::compiler::Place;
use super::conversions::is_subclass;
use super::known;
use crate::plan::Choice;
use crate::plan::make::type_objects;

/// The types, besides the builtin ones, that values of an `Enum` may have.
static SPELT: [&known::Known; 2] = [&known::FRACTION, &known::ZONE_INFO];

/// The most values of a type that a message names.
const FEW: usize = 6;

/// The values while they are collected.
#[derive(Default)]
struct Gathered {
    texts: Vec<String>,
    text_objects: Vec<Py<PyAny>>,
    ints: Vec<(i64, Py<PyAny>)>,
    bools: [Option<Py<PyAny>>; 2],
    null: Option<Py<PyAny>>,
    shown: Vec<String>,
    /// The first value that a document has for two objects which are not of the same class: the objects.
    twins: Option<[Py<PyAny>; 2]>,
}

impl Gathered {
    /// Adds a value, or returns false if no document can have a value of its kind.
    fn add(&mut self, value: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let shown;
        let object = object.clone().unbind();
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            // Of two equal values the first counts, as in an `Enum`.
            if let Some(place) = self.texts.iter().position(|known| known == text) {
                let known = self.text_objects[place].clone_ref(value.py());
                self.note_twin(known.into_bound(value.py()), object.into_bound(value.py()));
                return Ok(true);
            }
            shown = format!("{text:?}");
            self.texts.push(text.into());
            self.text_objects.push(object);
        } else if let Ok(truth) = value.cast_exact::<PyBool>() {
            let place = &mut self.bools[usize::from(truth.is_true())];
            if place.is_some() {
                return Ok(true);
            }
            *place = Some(object);
            shown = if truth.is_true() { "true".into() } else { "false".into() };
        } else if value.is_instance_of::<PyInt>() {
            let Ok(number) = value.extract::<i64>() else { return Ok(false) };
            if let Some((_, known)) = self.ints.iter().find(|(known, _)| *known == number) {
                let known = known.clone_ref(value.py());
                self.note_twin(known.into_bound(value.py()), object.into_bound(value.py()));
                return Ok(true);
            }
            self.ints.push((number, object));
            shown = number.to_string();
        } else if value.is_none() {
            if self.null.is_none() {
                self.null = Some(object);
            }
            shown = "null".into();
        } else {
            return Ok(false);
        }
        self.shown.push(shown);
        Ok(true)
    }

    fn note_twin(&mut self, known: Bound<'_, PyAny>, more: Bound<'_, PyAny>) {
        if !known.get_type().is(more.get_type()) && self.twins.is_none() {
            self.twins = Some([known.unbind(), more.unbind()]);
        }
    }

    /// The values as a message shows them: `"a", "b" or 3`.
    fn expected(&self) -> String {
        match self.shown.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => "nothing".into(),
        }
    }

    fn into_choice(self, title: String, enum_class: Option<Py<PyType>>) -> Choice {
        let texts: Vec<&[u8]> = self.texts.iter().map(String::as_bytes).collect();
        let expected = self.expected();
        Choice {
            texts: KeyTable::new(&texts),
            text_objects: self.text_objects,
            ints: self.ints,
            bools: self.bools,
            null: self.null,
            enum_class,
            title: title.into(),
            expected: expected.into(),
        }
    }
}

/// A value of a `Literal` as its name shows it.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if !is_enum(&value.get_type()) {
        return Ok(value.repr()?.to_string());
    }
    let name: String = value.getattr(intern!(value.py(), "_name_"))?.extract()?;
    Ok(format!("{}.{name}", value.get_type().name()?))
}

/// The values of a `Literal`, and its name.
pub(in crate::plan) fn of_literal(
    values: &Bound<'_, PyTuple>,
    place: Place<'_>,
) -> PyResult<(Choice, String)> {
    let mut gathered = Gathered::default();
    let mut names = Vec::new();
    for value in values {
        let shown = shown(&value)?;
        // The member of an `Enum` stands for its value.
        let member = is_enum(&value.get_type());
        let stands_for =
            if member { value.getattr(intern!(values.py(), "_value_"))? } else { value.clone() };
        if !gathered.add(&stands_for, &value)? {
            let reason = format_args!("Literal[{shown}] is not supported yet");
            return Err(place.error(values.py(), reason));
        }
        names.push(shown);
    }
    let written = format!("Literal[{}]", names.join(", "));
    if let Some([one, more]) = &gathered.twins {
        let py = values.py();
        let (one, more) = (shown(one.bind(py))?, shown(more.bind(py))?);
        let reason = format_args!("{written}: nothing tells {one} and {more} apart in a document");
        return Err(place.error(py, reason));
    }
    let title = match names.get(..FEW) {
        Some(first) if names.len() > FEW => format!("Literal[{}, ...]", first.join(", ")),
        _ => written.clone(),
    };
    Ok((gathered.into_choice(title, None), written))
}

/// One choice of the texts and integers of several; None if two of them have the same.
pub(in crate::plan) fn joined<'a>(
    py: Python<'_>,
    parts: impl Iterator<Item = &'a Choice>,
) -> PyResult<Option<Choice>> {
    let mut gathered = Gathered::default();
    let mut count = 0;
    for part in parts {
        for object in part.text_objects.iter().chain(part.ints.iter().map(|(_, object)| object)) {
            let object = object.bind(py);
            // A member of an `Enum` stands for its value.
            let value = object.getattr_opt(intern!(py, "_value_"))?;
            gathered.add(value.as_ref().unwrap_or(object), object)?;
            count += 1;
        }
    }
    let title = gathered.expected();
    Ok((gathered.shown.len() == count).then(|| gathered.into_choice(title, None)))
}

impl Choice {
    /// Its values that are text.
    pub(in crate::plan) fn values(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut values = Vec::with_capacity(self.text_objects.len());
        for object in &self.text_objects {
            let object = object.bind(py);
            let value = object.getattr_opt(intern!(py, "_value_"))?;
            values.extend(value.as_ref().unwrap_or(object).extract::<String>().ok());
        }
        Ok(values)
    }
}

/// How to find the members of an `Enum`.
pub(in crate::plan) enum Members<'py> {
    /// Documents can have their values.
    Choice(Choice),
    /// Their values are all of this type, which may be a union.
    Values { of: Bound<'py, PyAny> },
}

/// Whether documents can have values of a type.
fn is_written(class: &Bound<'_, PyType>) -> bool {
    builtin(class).is_some() || SPELT.iter().any(|known| known.is(class))
}

fn is_tuple(class: &Bound<'_, PyType>) -> bool {
    class.is(class.py().get_type::<PyTuple>())
}

/// True for an `Enum`, whatever else it is.
pub(in crate::plan) fn is_enum(class: &Bound<'_, PyType>) -> bool {
    let meta = known::ENUM_META.get(class.py());
    meta.is_some_and(|meta| is_subclass(&class.get_type(), meta))
}

/// True for a `Flag`.
pub(in crate::plan) fn is_flag(class: &Bound<'_, PyType>) -> bool {
    known::FLAG.get(class.py()).is_some_and(|flag| is_subclass(class, flag))
}

/// The one type of all values; `float` for that and `int`.
fn common_type<'py>(
    values: &[(Bound<'py, PyAny>, Bound<'py, PyAny>)],
) -> Option<Bound<'py, PyType>> {
    let mut common: Option<Bound<'py, PyType>> = None;
    for (value, _) in values {
        let class = value.get_type();
        match &common {
            None => common = Some(class),
            Some(known) if known.is(&class) => {}
            Some(known) => {
                let py = class.py();
                let (int, float) = (py.get_type::<PyInt>(), py.get_type::<PyFloat>());
                let is_number = |class: &Bound<'_, PyType>| class.is(&int) || class.is(&float);
                if !is_number(known) || !is_number(&class) {
                    return None;
                }
                common = Some(float);
            }
        }
    }
    common
}

/// The values of an `Enum`, each with its member.
pub(in crate::plan) fn of_enum<'py>(
    class: &Bound<'py, PyType>,
    place: Place<'_>,
) -> PyResult<Members<'py>> {
    let py = class.py();
    let name = class.name()?;
    let mut gathered = Gathered::default();
    let members = class.getattr(intern!(py, "__members__"))?.cast_into::<PyMappingProxy>()?;
    let mut values = Vec::new();
    for member in members.values()? {
        values.push((member.getattr(intern!(py, "_value_"))?, member));
    }
    for (value, member) in &values {
        if gathered.add(value, member)? {
            continue;
        }
        if let Some(of) = common_type(&values)
            && (is_written(&of) || is_tuple(&of))
        {
            return Ok(Members::Values { of: of.into_any() });
        }
        let types: Vec<_> = values.iter().map(|(value, _)| value.get_type()).collect();
        if types.iter().all(|of| is_written(of) || is_type_of_none(of)) {
            let union = py.import(intern!(py, "typing"))?.getattr(intern!(py, "Union"))?;
            return Ok(Members::Values { of: union.get_item(PyTuple::new(py, types)?)? });
        }
        let member: String = member.getattr(intern!(py, "_name_"))?.extract()?;
        let value = value.repr()?;
        let reason = "a document has no such value, or the values are of several types";
        return Err(place.error(py, format_args!("{name}.{member} is {value}; {reason}")));
    }
    if gathered.shown.is_empty() {
        return Err(place.error(py, format_args!("{name} has no members")));
    }
    let missing = intern!(py, "_missing_");
    let base = known::ENUM.get(py).and_then(|base| base.cast::<PyType>().ok());
    let plain = base.and_then(|base| type_objects::own_attribute(base, missing));
    let own = match (type_objects::attribute(class, missing), plain) {
        (Some(own), Some(plain)) => !own.is(&plain),
        _ => true,
    };
    // A `_missing_` of its own may accept more than the values.
    let few = !own && gathered.shown.len() <= FEW;
    let title = if few { format!("{name} ({})", gathered.expected()) } else { name.to_string() };
    Ok(Members::Choice(gathered.into_choice(title, own.then(|| class.clone().unbind()))))
}
