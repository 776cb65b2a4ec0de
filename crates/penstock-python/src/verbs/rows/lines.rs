//! Records that are lines.

use super::{At, Of, Place, RowFile, SLICE, Trouble, unreadable};
use crate::io::stored::Stored;
use crate::plan::PlanRef;
use crate::verbs::decode::{self, PartOf};
use penstock_core::index::{Cursor, Found, Index, Indexer, Mark, Stuck};
use penstock_core::position::Counter;
use penstock_core::source::ReadAt;
use penstock_scan::{filled, gathered};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::io;

impl RowFile {
    /// A line with its position.
    pub(super) fn line(&self, py: Python<'_>, record: u64) -> PyResult<(Mark, Vec<u8>)> {
        let Some(found) = self.index.find(record) else {
            return Err(PyIndexError::new_err("there is no such record"));
        };
        let file = self.open_file()?;
        let read = py.detach(|| {
            let read = || {
                let mut cursor = Cursor::new(&*file, found, found.end, self.limits.token)?;
                Ok::<_, Stuck>(
                    cursor.next(&*file)?.map(|(mark, line)| (mark, gathered(line.iter().copied()))),
                )
            };
            let line = read();
            self.check(&file)?;
            // By the index there is a record, so there must be a line.
            line?.ok_or(Trouble::Changed)
        });
        read.map_err(|trouble| self.told(py, trouble, record))
    }

    /// Decodes a line.
    pub(super) fn decoded<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        mark: Mark,
        line: &[u8],
        plan: &PlanRef,
    ) -> PyResult<Bound<'py, PyAny>> {
        let of = PartOf {
            counted: Counter::at_line(mark.line, mark.offset),
            source: Some(&self.name),
            record: Some(record + 1),
            ..PartOf::default()
        };
        let how = (plan.clone_ref(py), self.options);
        decode::part(py, self.dialect.get(), how, &self.limits, (line, line.len()), of)
    }

    /// The next record of an iteration.
    pub(super) fn next_line(
        &self,
        py: Python<'_>,
        place: &mut Place,
    ) -> PyResult<Option<Py<PyAny>>> {
        let Place { record, at, .. } = place;
        let Some(found) = self.index.find(*record) else { return Ok(None) };
        let read = self.at_cursor(&*self.open_file()?, at, found);
        let (mark, line) = read.map_err(|trouble| self.told(py, trouble, *record))?;
        *record += 1;
        let made = self.decoded(py, *record - 1, mark, line, &self.plan)?;
        Ok(Some(made.unbind()))
    }

    /// The line at a cursor, or `found` if there is none yet.
    fn at_cursor<'a>(
        &self,
        file: &Stored,
        at: &'a mut At,
        found: Found,
    ) -> Result<(Mark, &'a [u8]), Trouble> {
        let fresh = || Cursor::new(file, found, self.index.size(), self.limits.token);
        let begun = match at {
            At::Line(_) => Ok(()),
            At::Nowhere | At::Record(_) => fresh().map(|cursor| *at = At::Line(cursor)),
        };
        let line = match (begun, at) {
            (Err(stuck), _) => Err(stuck),
            (Ok(()), At::Line(cursor)) => cursor.next(file),
            (Ok(()), At::Nowhere | At::Record(_)) => Ok(None),
        };
        self.check(file)?;
        line?.ok_or(Trouble::Changed)
    }
}

/// Finds the records, in one pass over the file.
pub(super) fn indexed(
    py: Python<'_>,
    file: &Stored,
    (start, size): (u64, u64),
    of: Of<'_>,
) -> PyResult<Index> {
    let mut indexer = Indexer::new(start);
    let mut block = filled(0, SLICE);
    let mut at = start;
    while at < size {
        py.check_signals()?;
        let length = (size - at).min(SLICE as u64) as usize;
        let read = py.detach(|| {
            let block = &mut block[..length];
            file.read_exact_at(block, at)?;
            indexer.feed(block);
            io::Result::Ok(())
        });
        read.map_err(|error| unreadable(py, of, error))?;
        at += length as u64;
    }
    Ok(indexer.finish())
}
