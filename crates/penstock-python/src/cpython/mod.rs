//! What this crate knows of CPython's inside, and whether it holds for the interpreter that runs.
//!
//! Whoever reads an object's memory, a reference count or a private function asks [`holds`] first, and
//! goes through the public interface if it does not. A [`Fact`] holds if its probe has found at
//! import what it expects. `SAFETY.md` has the table of them. The environment variable
//! `PENSTOCK_WITHOUT` names facts that shall not hold, so that tests can take the other way.

pub(crate) mod ints;
mod probe;
pub(crate) mod references;
pub(crate) mod symbols;
pub(crate) mod text;
pub(crate) mod tuples;
pub(crate) mod values;
pub(crate) mod versions;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicU32, Ordering};

/// Something that is known of CPython's inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The head of a `str`, and the characters behind it.
    Text,
    /// The digits of a small `int`.
    Ints,
    /// Where a list and a tuple have their items.
    Items,
    /// How an object of a class that is derived from `tuple` is made.
    Tuples,
    /// Where an object has the values of its attributes.
    Values,
    /// Where a dict has its entries.
    Entries,
    /// Where an object has its slots.
    Slots,
    /// That an object with one reference is seen by nobody else.
    References,
    /// That a class has another version when it has changed.
    Versions,
    /// That the interpreter calls a verb by its entry.
    Calls,
    /// The function that looks an attribute of a class up.
    Lookup,
    /// The function that makes a dict with room.
    Room,
}

/// All of them, each with its name.
const ALL: [(Fact, &str); 12] = [
    (Fact::Text, "text"),
    (Fact::Ints, "ints"),
    (Fact::Items, "items"),
    (Fact::Tuples, "tuples"),
    (Fact::Values, "values"),
    (Fact::Entries, "entries"),
    (Fact::Slots, "slots"),
    (Fact::References, "references"),
    (Fact::Versions, "versions"),
    (Fact::Calls, "calls"),
    (Fact::Lookup, "lookup"),
    (Fact::Room, "room"),
];

/// The facts that hold: a bit each.
static HELD: AtomicU32 = AtomicU32::new(0);

/// Whether a fact holds for this interpreter.
#[inline(always)]
pub(crate) fn holds(fact: Fact) -> bool {
    HELD.load(Ordering::Relaxed) & 1 << fact as u32 != 0
}

/// Finds out what holds. Until then nothing does.
///
/// # Errors
/// `PENSTOCK_WITHOUT` names something else, or there is no memory.
pub(crate) fn find(py: Python<'_>) -> PyResult<()> {
    symbols::find();
    let without = std::env::var("PENSTOCK_WITHOUT").unwrap_or_default();
    let mut refused = Vec::new();
    for name in without.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some((fact, _)) = ALL.iter().find(|(_, known)| *known == name) else {
            let known = ALL.map(|(_, name)| name).join(", ");
            let reason = format!("PENSTOCK_WITHOUT names '{name}', which is none of {known}");
            return Err(PyValueError::new_err(reason));
        };
        refused.push(*fact);
    }
    for (fact, _) in ALL {
        if !refused.contains(&fact) && probe::holds(py, fact)? {
            HELD.fetch_or(1 << fact as u32, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The facts by their names, and whether each holds.
#[pyfunction]
pub(crate) fn facts(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    for (fact, name) in ALL {
        found.set_item(name, holds(fact))?;
    }
    Ok(found)
}
