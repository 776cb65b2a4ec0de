//! Records by the text of a column.

use super::records::{Walked, stopped, walk};
use super::{Records, RowFile, Trouble};
use crate::edge::errors::{self, guarded};
use penstock_core::index::{Comparison, Found as Place, Lookup as Found, Walk};
use penstock_core::suggest::nearest;
use penstock_scan::{gathered, make_room};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The records of a file by the text of one column.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Lookup {
    rows: Py<RowFile>,
    found: Found,
}

impl Lookup {
    /// Reads the rows from `first` up to `behind`, and takes each `step`-th one of them.
    pub(super) fn new(
        py: Python<'_>,
        rows: Py<RowFile>,
        by: &str,
        (first, behind, step): (u64, u64, u64),
    ) -> PyResult<Self> {
        let file = rows.get();
        let found = Found::new(file.column(by)?, file.index.records());
        let found = found.limited(first, behind, step);
        let mut found = if first < behind { file.gathered(py, found, first)? } else { found };
        py.detach(|| found.sort());
        Ok(Lookup { rows, found })
    }
}

#[pymethods]
impl Lookup {
    fn __len__(&self) -> usize {
        self.found.len()
    }

    /// The numbers of the records with this text, in order: 8 bytes each, as the machine orders
    /// them.
    fn rows<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyBytes>> {
        guarded(py, || {
            let equal = self.equal(py, text, usize::MAX)?;
            let mut bytes = Vec::new();
            make_room(&mut bytes, 8 * equal.len());
            equal.iter().for_each(|row| bytes.extend_from_slice(&row.to_ne_bytes()));
            Ok(PyBytes::new(py, &bytes))
        })
    }

    /// Whether a record has this text.
    fn has(&self, py: Python<'_>, text: &str) -> PyResult<bool> {
        guarded(py, || Ok(!self.equal(py, text, 1)?.is_empty()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.rows)
    }
}

impl Lookup {
    /// The records with this text: up to `enough` of them.
    fn equal(&self, py: Python<'_>, text: &str, enough: usize) -> PyResult<Vec<u64>> {
        let file = self.rows.get();
        let open = file.open_file()?;
        let rows = gathered(self.found.rows(text.as_bytes()));
        let text = gathered(text.bytes());
        let mut comparison = Comparison::new(self.found.column(), text, rows, enough);
        while let Some(next) = comparison.next() {
            py.check_signals()?;
            let (from, mut reach) = file.reach(py, next, &file.find(next)?)?;
            let mut compared = Walk::comparing(comparison, from);
            let ended = loop {
                py.check_signals()?;
                let walked = py.detach(|| {
                    let walked = walk(&open, &mut reach, &mut compared);
                    file.check(&open).map(|()| walked)
                });
                let walked = walked.map_err(|trouble| file.told(py, trouble, next))?;
                match walked.map_err(|why| stopped(py, why, file.named()))? {
                    Walked::Slice | Walked::Problem(_) => {}
                    Walked::Paused => break false,
                    Walked::End => break true,
                }
            };
            comparison = compared.into_comparison().ok_or_else(errors::untold)?;
            if ended && comparison.next().is_some() {
                return Err(file.told(py, Trouble::Changed, next));
            }
        }
        Ok(comparison.into_equal())
    }
}

impl RowFile {
    /// Reads the texts of a column, from a row on.
    fn gathered(&self, py: Python<'_>, found: Found, first: u64) -> PyResult<Found> {
        let file = self.open_file()?;
        let at = self.find(first)?;
        let (from, mut reach) = self.reach(py, first, &Place { end: self.index.size(), ..at })?;
        let mut all = Walk::gathering(found, from);
        loop {
            py.check_signals()?;
            let walked = py.detach(|| {
                let walked = walk(&file, &mut reach, &mut all);
                self.check(&file).map(|()| walked)
            });
            let walked = walked.map_err(|trouble| self.told(py, trouble, first))?;
            match walked.map_err(|why| stopped(py, why, self.named()))? {
                Walked::Slice | Walked::Problem(_) => {}
                Walked::Paused | Walked::End => {
                    return all.into_lookup().ok_or_else(errors::untold);
                }
            }
        }
    }

    /// The column with a name, or else at a position.
    fn column(&self, by: &str) -> PyResult<usize> {
        if let Records::Lines = self.records {
            let format = self.dialect.get().name();
            let message = format!("index(by=) looks up rows by a column, and {format} has none");
            return Err(PyValueError::new_err(message));
        }
        let names = self.csv().and_then(|reader| reader.names()).unwrap_or_default();
        let mut found = names.iter().enumerate().filter(|(_, name)| &***name == by);
        match (found.next(), found.next()) {
            (Some((column, _)), None) => return Ok(column),
            (Some((first, _)), Some((second, _))) => {
                let message = format!(
                    "two columns are named {by:?}: pass the position of one, by=\"{first}\" or \
                     by=\"{second}\""
                );
                return Err(PyValueError::new_err(message));
            }
            (None, _) => {}
        }
        if let Some(column) = by.parse().ok().filter(|column| *column < names.len()) {
            return Ok(column);
        }
        let near = nearest(by, names.iter().map(|name| &**name));
        let near = near.map(|near| format!(": did you mean {near:?}?")).unwrap_or_default();
        Err(PyValueError::new_err(format!("no column is named {by:?}{near}")))
    }
}
