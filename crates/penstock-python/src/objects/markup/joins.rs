//! The texts of repeated elements that are joined (`repeated="join"`), until the object or dict ends
//! that they belong to. They are gathered in a buffer, as a string that grew with each element would
//! be copied with each element.

use penstock_scan::{copied, make_room};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// Appends a text behind a space. False if that is longer than `token` bytes.
fn append(joined: &mut String, text: &str, token: usize) -> bool {
    if joined.len().saturating_add(1).saturating_add(text.len()) > token {
        return false;
    }
    make_room(joined, 1 + text.len());
    joined.push(' ');
    joined.push_str(text);
    true
}

/// The joined texts of the fields of open objects, by their places on the stack.
#[derive(Default)]
pub(crate) struct Joins(BTreeMap<usize, String>);

impl Joins {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Joins `text` to what the place holds: `first`, if nothing was joined to it yet. False if that
    /// is longer than `token` bytes.
    pub(crate) fn add(&mut self, place: usize, first: &str, text: &str, token: usize) -> bool {
        append(self.0.entry(place).or_insert_with(|| first.to_owned()), text, token)
    }

    /// Forgets the text of a place, whose value does not count any more.
    pub(crate) fn forget(&mut self, place: usize) {
        self.0.remove(&place);
    }

    /// Takes the texts of the object whose fields begin at a place.
    pub(crate) fn take_from(&mut self, place: usize) -> BTreeMap<usize, String> {
        self.0.split_off(&place)
    }
}

/// The joined texts of open dicts, by the places of the dicts on the stack: each dict's keys lead to
/// indexes of its texts.
#[derive(Default)]
pub(crate) struct NamedJoins(BTreeMap<usize, (Py<PyDict>, Vec<String>)>);

impl NamedJoins {
    /// Joins `text` to the value of a key: `first`, if nothing was joined to it yet. False if that
    /// is longer than `token` bytes.
    pub(crate) fn add(
        &mut self,
        base: usize,
        key: &Bound<'_, PyAny>,
        (first, text): (&str, &str),
        token: usize,
    ) -> PyResult<bool> {
        let py = key.py();
        let (indexes, texts) =
            self.0.entry(base).or_insert_with(|| (PyDict::new(py).unbind(), Vec::new()));
        let indexes = indexes.bind(py);
        let index = match indexes.get_item(key)? {
            Some(index) => index.extract()?,
            None => {
                indexes.set_item(key, texts.len())?;
                make_room(texts, 1);
                texts.push(copied(first));
                texts.len() - 1
            }
        };
        Ok(texts.get_mut(index).is_none_or(|joined| append(joined, text, token)))
    }

    /// Puts the joined texts into the dict at a place.
    pub(crate) fn settle(&mut self, base: usize, dict: &Bound<'_, PyDict>) -> PyResult<()> {
        let Some((indexes, texts)) = self.0.remove(&base) else { return Ok(()) };
        // A dict keeps the order in which its keys came, which is the order of the texts.
        for (key, text) in indexes.bind(dict.py()).keys().iter().zip(texts) {
            dict.set_item(key, text)?;
        }
        Ok(())
    }
}
