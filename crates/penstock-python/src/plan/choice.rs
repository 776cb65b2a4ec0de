//! `Enum` and `Literal`: a value of the document finds an object that exists already.

use penstock_core::keys::KeyTable;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyMappingProxy, PyString, PyTuple, PyType};

use super::types::Place;
use super::{Choice, known, layout};

impl Choice {
    /// True if each value is text.
    pub(super) fn is_of_text(&self) -> bool {
        let none_of = self.bools.iter().all(Option::is_none);
        none_of && self.ints.is_empty() && self.null.is_none() && !self.text_objects.is_empty()
    }
}

/// How many values of a type a message about another value names at most.
const FEW: usize = 6;

/// The values as they are gathered.
#[derive(Default)]
struct Gathered {
    texts: Vec<String>,
    text_objects: Vec<Py<PyAny>>,
    ints: Vec<(i64, Py<PyAny>)>,
    bools: [Option<Py<PyAny>>; 2],
    null: Option<Py<PyAny>>,
    shown: Vec<String>,
}

impl Gathered {
    /// Adds a value, or returns false if it is not of a kind that a document could have.
    fn add(&mut self, value: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let shown;
        let object = object.clone().unbind();
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            // Of two that are equal the first counts, as in an `Enum`.
            if self.texts.iter().any(|known| known == text) {
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
            if self.ints.iter().any(|(known, _)| *known == number) {
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

    /// The values in words: `"a", "b" or 3`.
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

/// The values of a `Literal`, and its name.
pub(super) fn of_literal(
    values: &Bound<'_, PyTuple>,
    place: Place<'_>,
) -> PyResult<(Choice, String)> {
    let mut gathered = Gathered::default();
    let mut names = Vec::new();
    for value in values {
        let shown = value.repr()?.to_string();
        // The member of an `Enum` that is also a `str` is not that text.
        let member = known::ENUM_META.is(&value.get_type().get_type());
        if member || !gathered.add(&value, &value)? {
            let reason = format_args!("Literal[{shown}] is not supported yet");
            return Err(place.error(values.py(), reason));
        }
        names.push(shown);
    }
    let written = format!("Literal[{}]", names.join(", "));
    let title = match names.get(..FEW) {
        Some(first) if names.len() > FEW => format!("Literal[{}, ...]", first.join(", ")),
        _ => written.clone(),
    };
    Ok((gathered.into_choice(title, None), written))
}

/// The values of an `Enum`, each with its member.
pub(super) fn of_enum(class: &Bound<'_, PyType>, place: Place<'_>) -> PyResult<Choice> {
    let py = class.py();
    let name = class.name()?;
    let mut gathered = Gathered::default();
    let members = class.getattr(intern!(py, "__members__"))?.cast_into::<PyMappingProxy>()?;
    for member in members.values()? {
        let value = member.getattr(intern!(py, "_value_"))?;
        if !gathered.add(&value, &member)? {
            let member: String = member.getattr(intern!(py, "_name_"))?.extract()?;
            let value = value.repr()?;
            let reason = "only text, integers of 64 bits, bool and None are supported yet";
            return Err(place.error(py, format_args!("{name}.{member} is {value}; {reason}")));
        }
    }
    if gathered.shown.is_empty() {
        return Err(place.error(py, format_args!("{name} has no members")));
    }
    let missing = intern!(py, "_missing_");
    let base = known::ENUM.get(py).and_then(|base| base.cast::<PyType>().ok());
    let plain = base.and_then(|base| layout::own_attribute(base, missing));
    let own = match (layout::attribute(class, missing), plain) {
        (Some(own), Some(plain)) => !own.is(&plain),
        _ => true,
    };
    // A `_missing_` of its own may accept more than the values.
    let few = !own && gathered.shown.len() <= FEW;
    let title = if few { format!("{name} ({})", gathered.expected()) } else { name.to_string() };
    Ok(gathered.into_choice(title, own.then(|| class.clone().unbind())))
}
