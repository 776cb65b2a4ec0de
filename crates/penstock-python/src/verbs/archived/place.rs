//! Where an object stands, for messages.

use super::table::{NOBODY, Shape, list};
use super::{Maker, Stop};
use penstock_core::path_step::PathStep;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

impl<'py> Maker<'_, 'py> {
    /// The path to an object, by which it was found first.
    #[cold]
    pub(super) fn steps(&self, number: u32) -> Vec<PathStep> {
        let mut steps = Vec::new();
        let mut child = number;
        while child != NOBODY {
            let parent = self.table.parents[child as usize];
            steps.extend(self.step(parent, child).unwrap_or_default());
            child = parent;
        }
        let outer = self.table.graph.getattr(intern!(self.table.py, "steps"));
        let outer: Vec<Bound<'py, PyAny>> =
            outer.and_then(|steps| steps.extract()).unwrap_or_default();
        let outer = outer.iter().filter_map(|step| match step.extract() {
            Ok(index) => Some(PathStep::Index(index)),
            Err(_) => step.extract().ok().map(PathStep::Key),
        });
        outer.chain(steps.into_iter().rev()).collect()
    }

    /// The step from an object to one to which it refers.
    fn step(&self, parent: u32, child: u32) -> Result<Option<PathStep>, Stop> {
        let table = &self.table;
        let py = table.py;
        let is =
            |value: &Bound<'py, PyAny>| matches!(table.number(value), Ok(Some(at)) if at == child);
        let place = |items: &Bound<'py, PyList>| items.iter().position(|item| is(&item));
        let named = |dict: &Bound<'py, PyDict>| {
            let key = dict.iter().find(|(_, value)| is(value)).map(|(key, _)| key.to_string());
            key.map(|key| if key.starts_with("$$") { key[1..].to_owned() } else { key })
        };
        if parent == NOBODY {
            let several = self.stored.cast_exact::<PyDict>();
            return Ok(several.ok().and_then(named).map(PathStep::Key));
        }
        let index = |place: usize| PathStep::Index(place as u64);
        Ok(match table.shapes[parent as usize] {
            Shape::Bare => {
                let stored = table.stored(parent)?;
                stored.cast_exact::<PyList>().ok().and_then(place).map(index)
            }
            Shape::Array | Shape::Set => list(&table.dict(parent)?, intern!(py, "NS.objects"))?
                .and_then(|items| place(&items))
                .map(index),
            Shape::Dictionary => {
                let dict = table.dict(parent)?;
                let found = list(&dict, intern!(py, "NS.objects"))?.and_then(|items| place(&items));
                match (found, list(&dict, intern!(py, "NS.keys"))?) {
                    (Some(place), Some(keys)) => Some(PathStep::Key(self.key(&keys, place)?)),
                    _ => None,
                }
            }
            Shape::Mapped(_) | Shape::Other => named(&table.dict(parent)?).map(PathStep::Key),
            Shape::Rare => named(&table.dict(parent)?)
                .filter(|key| matches!(&**key, "NS.base" | "NSAttributes" | "$1"))
                .map(PathStep::Key),
            _ => None,
        })
    }

    /// A key of a dictionary, as a step.
    fn key(&self, keys: &Bound<'py, PyList>, place: usize) -> Result<String, Stop> {
        let key = keys.get_item(place)?;
        let made = match self.table.number(&key)? {
            Some(number) => match &self.made[number as usize] {
                Some(made) => made.clone(),
                None => self.table.stored(number)?,
            },
            None => key,
        };
        match made.cast_exact::<PyString>() {
            Ok(text) => Ok(text.to_str()?.to_owned()),
            Err(_) => Ok(made.str()?.to_str()?.to_owned()),
        }
    }
}
