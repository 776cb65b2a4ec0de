//! The repairs that were made to a document: how many, and where the first of them stand.

use penstock_core::position::Counter;
use penstock_core::reader::Reader;
use penstock_core::xml::RepairKind;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ffi::CString;

/// How many repairs are kept one by one.
const KEPT: usize = 1_000;

/// A repair with its place.
struct Made {
    kind: RepairKind,
    offset: u64,
    line: u64,
    column: u64,
}

/// All repairs of a run.
#[derive(Default)]
pub(crate) struct Repaired {
    kept: Vec<Made>,
    counts: [u64; RepairKind::ALL.len()],
    /// What is counted up to the last one that is kept.
    counter: Counter,
}

impl Repaired {
    /// Takes over the repairs that a reader has made in the text at hand, which begins where
    /// `start` is counted.
    #[inline]
    pub(crate) fn take(&mut self, reader: &mut Reader, start: &Counter, text: &[u8]) {
        if let Reader::Xml(reader) = reader {
            let made = reader.take_repairs();
            if !made.is_empty() {
                self.add(&made, start, text);
            }
        }
    }

    #[cold]
    fn add(&mut self, made: &[penstock_core::xml::Repair], start: &Counter, text: &[u8]) {
        for repair in made {
            self.counts[repair.kind as usize] += 1;
            if self.kept.len() == KEPT {
                continue;
            }
            let (base, end) = (start.bytes(), start.bytes() + text.len() as u64);
            let at = repair.offset.clamp(base, end);
            if !(base..=at).contains(&self.counter.bytes()) {
                self.counter = *start;
            }
            let from = (self.counter.bytes() - base) as usize;
            self.counter.advance(&text[from..(at - base) as usize]);
            let (line, column) = (self.counter.line(), self.counter.column());
            self.kept.push(Made { kind: repair.kind, offset: repair.offset, line, column });
        }
    }

    /// Those that are kept, as `Repair` objects.
    pub(crate) fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = py.import("penstock._repairs")?.getattr("Repair")?;
        let list = PyList::empty(py);
        for Made { kind, offset, line, column } in &self.kept {
            list.append(class.call1((kind.name(), offset, line, column))?)?;
        }
        Ok(list)
    }

    /// How many there were of each kind of which there were some.
    pub(crate) fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (kind, count) in self.by_kind() {
            counts.set_item(kind, count)?;
        }
        Ok(counts)
    }

    fn by_kind(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counted = RepairKind::ALL.iter().map(|kind| (kind.name(), self.counts[*kind as usize]));
        counted.filter(|(_, count)| *count > 0)
    }

    /// Warns of them, if there are any, on behalf of the Python function so many calls up.
    pub(crate) fn warn(&self, py: Python<'_>, source: Option<&str>, level: i32) -> PyResult<()> {
        let Some(first) = self.kept.first() else { return Ok(()) };
        let total: u64 = self.counts.iter().sum();
        let repairs = if total == 1 { "repair" } else { "repairs" };
        let counts = self.by_kind().map(|(kind, count)| format!("{count} {kind}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let source = source.map_or_else(String::new, |source| format!("{source}: "));
        let message = format!(
            "{source}{total} {repairs} ({counts}); the first at line {}, column {}",
            first.line, first.column
        );
        let class = py.import("penstock._repairs")?.getattr("RepairWarning")?;
        let message = CString::new(message.replace('\0', "\\x00")).unwrap_or_default();
        PyErr::warn(py, &class, &message, level)
    }
}
