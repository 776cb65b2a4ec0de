//! Records that a reader finds.
//!
//! A record is read from the nearest mark before it. The walk over the records in between makes
//! nothing, and needs no lock. Then a reader begins at the record itself, with a builder.

use super::{At, Of, Place, Records, RowFile, Trouble, nowhere, unreadable};
use crate::drive::destination::Builder;
use crate::edge::errors::{self, Named};
use crate::io::stored::Stored;
use crate::plan::PlanRef;
use crate::verbs::decode::building;
use penstock_core::csv::{self, HeaderOnly, Resume};
use penstock_core::formats::Reader;
use penstock_core::index::{Extent, Found, Index, Mark, Reach, Stuck, Walk};
use penstock_core::run::{Failed, Policy, Problem, Turn};
use penstock_core::source::ReadAt;
use penstock_scan::filled;
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::convert::Infallible;

/// How many blocks a walk reads before signals are checked.
const BLOCKS: usize = 4;

/// How the reason begins if bytes are no text.
const NO_TEXT: &str = "invalid UTF-8";

/// Why a walk ended early.
pub(super) enum Stopped {
    Stuck(Stuck),
    Failed(Failed<Infallible, Infallible>),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Stopped::Stuck(Stuck::Unreadable(error))
    }
}

impl From<Failed<Infallible, Infallible>> for Stopped {
    fn from(failed: Failed<Infallible, Infallible>) -> Self {
        Stopped::Failed(failed)
    }
}

/// What a walk over a part of a file came to.
pub(super) enum Walked {
    /// The destination has what it wants.
    Paused,
    /// A record is in error, and the policy is to hand it over.
    Problem(Box<Problem<Infallible>>),
    /// There are no more records.
    End,
    /// Signals should be checked.
    Slice,
}

/// Reads a few blocks of a file into a walk.
pub(super) fn walk<R: Resume>(
    file: &Stored,
    reach: &mut Reach<R, Infallible>,
    walk: &mut Walk<Infallible>,
) -> Result<Walked, Stopped> {
    for _ in 0..BLOCKS {
        match reach.advance(walk)? {
            Turn::Paused => return Ok(Walked::Paused),
            Turn::Problem(problem) => return Ok(Walked::Problem(problem)),
            Turn::End => return Ok(Walked::End),
            Turn::Dry => {
                reach.read(file)?;
                reach.give(walk)?;
            }
        }
    }
    Ok(Walked::Slice)
}

/// The exception for a walk that ended early.
#[cold]
pub(super) fn stopped(py: Python<'_>, stopped: Stopped, of: Of<'_>) -> PyErr {
    match stopped {
        Stopped::Stuck(Stuck::Unreadable(error)) => unreadable(py, of, error),
        Stopped::Stuck(Stuck::Changed | Stuck::TooLong(_)) => {
            let reason = "the file has changed since it was opened: open it again";
            errors::either(errors::of_decode(py, reason, &nowhere(of)))
        }
        Stopped::Failed(failed) => errors::of_failure(py, failed, &named(of)),
    }
}

fn named((format, name): Of<'_>) -> Named<'_> {
    Named::new(format, Some(name))
}

/// The reader behind what comes before the records. None if there are no records.
///
/// A record in error is no error yet. But if the columns are not known before it, it is.
pub(super) fn settled(
    py: Python<'_>,
    file: &Stored,
    of: Of<'_>,
    reader: csv::Reader,
    (start, size): (u64, u64),
) -> PyResult<Option<Box<Reader>>> {
    let mut reach = Reach::from_start(reader, start, size);
    let mut first = Walk::to_the_first();
    let mut wrong = None;
    loop {
        py.check_signals()?;
        let walked = py.detach(|| walk(file, &mut reach, &mut first));
        let reader = reach.run().reader();
        match walked.map_err(|why| stopped(py, why, of))? {
            Walked::Slice => continue,
            Walked::Problem(problem) if reader.awaits_header() => {
                return Err(errors::either(errors::of_problem(py, *problem, &named(of))));
            }
            // Without a header, the first row that can be read says how many columns there are.
            Walked::Problem(problem) if !reader.is_settled() => {
                wrong.get_or_insert(problem);
                continue;
            }
            Walked::End if reader.names().is_none() => {
                if let Some(problem) = wrong {
                    return Err(errors::either(errors::of_problem(py, *problem, &named(of))));
                }
            }
            Walked::Problem(_) | Walked::Paused | Walked::End => {}
        }
        return Ok(reader.resume().map(|reader| Box::new(reader.into())));
    }
}

/// Finds the records, in one pass over the file.
pub(super) fn indexed(
    py: Python<'_>,
    file: &Stored,
    of: Of<'_>,
    reader: csv::Reader,
    (start, size): (u64, u64),
) -> PyResult<Index> {
    let mut reach = Reach::from_start(reader, start, size);
    reach.set_policy(Policy::Skip);
    let mut all = Walk::indexing(start);
    loop {
        py.check_signals()?;
        let walked = py.detach(|| walk(file, &mut reach, &mut all));
        match walked.map_err(|why| stopped(py, why, of))? {
            Walked::Slice | Walked::Paused | Walked::Problem(_) => {}
            Walked::End => return all.into_index(size).ok_or_else(errors::untold),
        }
    }
}

/// A run over records that makes objects.
pub(super) struct Reading {
    reach: Reach<Reader, PyErr>,
    builder: Builder,
    /// Whether the first block begins where a record may begin. None as long as nothing was read.
    between: Option<bool>,
}

impl Reading {
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.builder.traverse(visit)
    }
}

/// What came of reading one record.
enum One {
    Made(Py<PyAny>),
    /// An error of the record. The next one can be read.
    Wrong(PyErr),
    /// An error that ends the reading.
    Ended(PyErr),
}

impl RowFile {
    /// The reader of the records.
    pub(super) fn reader(&self) -> Option<&Reader> {
        match &self.records {
            Records::Lines => None,
            Records::Of(reader) => reader.as_deref(),
        }
    }

    /// The reader of rows.
    pub(super) fn csv(&self) -> Option<&csv::Reader> {
        self.reader()?.csv()
    }

    pub(super) fn find(&self, record: u64) -> PyResult<Found> {
        let found = self.index.find(record);
        found.ok_or_else(|| PyIndexError::new_err("there is no such record"))
    }

    /// A walk from the nearest mark before a record.
    pub(super) fn reach(
        &self,
        py: Python<'_>,
        record: u64,
        found: &Found,
    ) -> PyResult<(u64, Reach<csv::Reader, Infallible>)> {
        let from = self.index.marked(record);
        let reader = self.csv().ok_or(Stuck::Changed);
        let (start, size) = (self.start, self.index.size());
        let reach = reader.and_then(|reader| {
            Reach::from_record(reader, (from, &found.mark), found.end, (start, size))
        });
        let mut reach = reach.map_err(|stuck| self.told(py, Trouble::Stuck(stuck), record))?;
        reach.set_policy(Policy::Skip);
        Ok((from, reach))
    }

    /// Where a record is. Its file was not changed meanwhile.
    fn extent(&self, py: Python<'_>, record: u64, found: &Found) -> PyResult<Extent> {
        let file = self.open_file()?;
        let (from, mut reach) = self.reach(py, record, found)?;
        let mut to = Walk::to(record, from, &found.mark);
        loop {
            let walked = py.detach(|| {
                let walked = walk(&file, &mut reach, &mut to);
                self.check(&file).map(|()| walked)
            });
            let walked = walked.map_err(|trouble| self.told(py, trouble, record))?;
            let walked = walked.map_err(|why| stopped(py, why, self.named()))?;
            if let Some(extent) = to.found() {
                return Ok(extent);
            }
            match walked {
                Walked::Slice => py.check_signals()?,
                // By the index there is a record.
                _ => return Err(self.told(py, Trouble::Changed, record)),
            }
        }
    }

    /// The position of a record, and an offset at or after its end, as far as that is known.
    fn place_of(&self, py: Python<'_>, record: u64) -> PyResult<(Mark, u64)> {
        let found = self.find(record)?;
        match found.skip {
            0 => Ok((found.mark, found.end)),
            _ => Ok((self.extent(py, record, &found)?.mark, found.end)),
        }
    }

    /// The bytes of a record, without its end.
    pub(super) fn bytes_of(&self, py: Python<'_>, record: u64) -> PyResult<Vec<u8>> {
        let found = self.find(record)?;
        let Extent { mark, end } = self.extent(py, record, &found)?;
        let Some(length) = end.and_then(|end| usize::try_from(end - mark.offset).ok()) else {
            // It is no text, or too long: the error says so.
            self.read_one(py, record, &self.plan)?;
            return Err(self.told(py, Trouble::Changed, record));
        };
        let file = self.open_file()?;
        let read = py.detach(|| {
            let mut bytes = filled(0, length);
            let read = file.read_exact_at(&mut bytes, mark.offset);
            self.check(&file)?;
            read.map_err(Stuck::Unreadable)?;
            Ok(bytes)
        });
        let mut bytes = read.map_err(|trouble| self.told(py, trouble, record))?;
        let end = self.csv().and_then(|reader| reader.row_end(&bytes)).unwrap_or(0);
        bytes.truncate(bytes.len() - end);
        Ok(bytes)
    }

    /// Raises the error of a type that no row fits, because of the header.
    pub(super) fn check_header(&self, py: Python<'_>, plan: &PlanRef) -> PyResult<()> {
        let (start, size) = (self.start, self.index.size());
        // The text is read only for the place of an error.
        for is_read in [false, true] {
            let Some(header) = self.csv().and_then(HeaderOnly::of) else { return Ok(()) };
            let plan = plan.clone_ref(py);
            let mut builder = building(self.dialect.get(), plan, self.options, &self.limits);
            let mut reach = Reach::from_start(header, start, size);
            if is_read {
                let file = self.open_file()?;
                let read = py.detach(|| reach.read(&*file));
                read.map_err(|error| unreadable(py, self.named(), error))?;
                reach.give(&mut builder).map_err(|failed| self.failed(py, failed))?;
            }
            match reach.advance(&mut builder) {
                Err(failed) if is_read => return Err(self.failed(py, failed)),
                Err(_) => {}
                Ok(_) => return Ok(()),
            }
        }
        Ok(())
    }

    #[cold]
    fn failed(&self, py: Python<'_>, failed: Failed<PyErr, PyErr>) -> PyErr {
        errors::of_failure(py, failed, &named(self.named()))
    }

    /// A run that begins at a record.
    fn reading(&self, py: Python<'_>, record: u64, plan: &PlanRef, all: bool) -> PyResult<Reading> {
        let (mark, end) = self.place_of(py, record)?;
        let reader = self.reader().ok_or(Stuck::Changed);
        let size = self.index.size();
        let end = if all { size } else { end };
        let reach = reader.and_then(|reader| {
            Reach::from_record(reader, (record, &mark), end, (self.start, size))
        });
        let reach = reach.map_err(|stuck| self.told(py, Trouble::Stuck(stuck), record))?;
        let plan = plan.clone_ref(py);
        let builder = building(self.dialect.get(), plan, self.options, &self.limits);
        Ok(Reading { reach, builder, between: None })
    }

    /// The next record of a run.
    fn next_of(&self, py: Python<'_>, reading: &mut Reading, record: u64) -> PyResult<One> {
        let Reading { reach, builder, between } = reading;
        let named = named(self.named());
        let changed = || One::Ended(self.told(py, Trouble::Changed, record));
        loop {
            match reach.advance(builder) {
                Ok(Turn::Paused) => {
                    return Ok(match (builder.take_row(), between.replace(true)) {
                        (Some(row), Some(true)) => One::Made(row),
                        _ => changed(),
                    });
                }
                Ok(Turn::Problem(problem)) => {
                    // A record begins behind another one, but bytes that are no text may be in a
                    // comment.
                    if between.replace(true) != Some(true) && !problem.reason.starts_with(NO_TEXT) {
                        return Ok(changed());
                    }
                    return Ok(match errors::of_problem(py, *problem, &named) {
                        Ok(error) => One::Wrong(error),
                        Err(instead) => One::Ended(instead),
                    });
                }
                Ok(Turn::End) => return Ok(changed()),
                Ok(Turn::Dry) if reach.is_at_end() => return Ok(changed()),
                Ok(Turn::Dry) => {
                    py.check_signals()?;
                    self.read_on(py, reach, record)?;
                    between.get_or_insert(reach.is_between_records());
                    if let Err(failed) = reach.give(builder) {
                        return Ok(One::Ended(self.failed(py, failed)));
                    }
                }
                // A program's own exception about one record does not concern the next one.
                Err(failed) => return Ok(One::Ended(self.failed(py, failed))),
            }
        }
    }

    /// Reads the next block.
    fn read_on(
        &self,
        py: Python<'_>,
        reach: &mut Reach<Reader, PyErr>,
        record: u64,
    ) -> PyResult<()> {
        let file = self.open_file()?;
        let read = py.detach(|| {
            let read = reach.read(&*file);
            self.check(&file)?;
            read.map_err(|error| Trouble::Stuck(Stuck::Unreadable(error)))
        });
        read.map_err(|trouble| self.told(py, trouble, record))
    }

    /// A record as a type.
    pub(super) fn read_one<'py>(
        &self,
        py: Python<'py>,
        record: u64,
        plan: &PlanRef,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut reading = self.reading(py, record, plan, false)?;
        match self.next_of(py, &mut reading, record)? {
            One::Made(row) => Ok(row.into_bound(py)),
            One::Wrong(error) | One::Ended(error) => Err(error),
        }
    }

    /// The next record of an iteration.
    pub(super) fn next_record(
        &self,
        py: Python<'_>,
        place: &mut Place,
    ) -> PyResult<Option<Py<PyAny>>> {
        let Place { record, at, .. } = place;
        if !matches!(at, At::Record(_)) {
            *at = At::Record(Box::new(self.reading(py, *record, &self.plan, true)?));
        }
        let At::Record(reading) = at else { return Err(errors::untold()) };
        // What was read may be older than that the file was closed.
        self.open_file()?;
        let one = self.next_of(py, reading, *record);
        match one {
            Ok(One::Made(row)) => {
                *record += 1;
                Ok(Some(row))
            }
            Ok(One::Wrong(error)) => {
                *record += 1;
                Err(error)
            }
            Ok(One::Ended(error)) => {
                (*record, *at) = (*record + 1, At::Nowhere);
                Err(error)
            }
            Err(error) => {
                *at = At::Nowhere;
                Err(error)
            }
        }
    }
}
