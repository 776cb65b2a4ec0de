//! The repairs of a run, for Python.

use super::{modules, warnings};
use penstock_core::run::{PlacedRepair, RepairLog};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The first thousand repairs, as `Repair` objects.
pub(crate) fn list<'py>(
    log: &RepairLog,
    py: Python<'py>,
    source: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let class = py.import(modules::REPAIRS)?.getattr("Repair")?;
    let list = PyList::empty(py);
    for PlacedRepair { kind, offset, line, column } in log.kept() {
        list.append(class.call1((kind.name(), offset, line, column, source))?)?;
    }
    Ok(list)
}

/// How many repairs there were of each kind that occurred.
pub(crate) fn counts<'py>(log: &RepairLog, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let counts = PyDict::new(py);
    for (kind, count) in log.by_kind() {
        counts.set_item(kind.name(), count)?;
    }
    Ok(counts)
}

/// Warns of repairs, if there are any.
pub(crate) fn warn(log: &RepairLog, py: Python<'_>, source: Option<&str>) -> PyResult<()> {
    let Some(first) = log.kept().first() else { return Ok(()) };
    let total = log.total();
    let repairs = if total == 1 { "repair" } else { "repairs" };
    let counts = log.by_kind().map(|(kind, count)| format!("{count} {}", kind.name()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let source = source.map_or_else(String::new, |source| format!("{source}: "));
    let message = format!(
        "{source}{total} {repairs} ({counts}); the first at line {}, column {}",
        first.line, first.column
    );
    warnings::issue(py, (modules::REPAIRS, "RepairWarning"), &message)
}
