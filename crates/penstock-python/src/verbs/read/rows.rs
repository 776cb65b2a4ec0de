//! The records of a reader's sources, one after the other.

use super::columns::Filled;
use crate::drive::driver::{Driver, Turn};
use crate::drive::progress::Meter;
use crate::edge::gc_refs::Held;
use crate::io::sources::SourceObject;
use crate::objects::Pause;
use crate::verbs::chain::Chain;
use crate::verbs::decode::BULK;
use crate::verbs::finding::Again;
use crate::verbs::may_wait;
use crate::verbs::split::Parted;
use penstock_core::limits::Limits;
use penstock_core::select::Records;
use penstock_scan::make_room;
use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::OnceLock;

/// Batches of fewer records pause the collector only if much input comes meanwhile: the pause would
/// take longer than the records.
const MANY: usize = 100;

/// After so many records in a row, signals are looked at. A format that needs all of its file at hand
/// reads no more of it on the way.
const BETWEEN_SIGNALS: usize = 64;

/// The same within a batch, where the pause of the collector is lifted for it.
const BETWEEN_SIGNALS_OF_BATCH: usize = 4096;

/// The file that a reader reads, by its format's own rules.
pub(in crate::verbs) struct Origin {
    pub(in crate::verbs) source: Py<SourceObject>,
    /// What is said if there are no records: it names their path.
    pub(in crate::verbs) sought: String,
    /// The arguments of the dialect, unless it is that of the name.
    pub(in crate::verbs) dialect: Option<Py<PyDict>>,
    /// Which values are records.
    pub(in crate::verbs) records: Option<Records>,
    pub(in crate::verbs) limits: Limits,
    /// Of an address, once somebody has asked: whether it is read from the middle, and the size of its
    /// text. Nothing can change it, because the file is pinned to a state.
    pub(in crate::verbs) parted: OnceLock<(Parted, u64)>,
}

/// The part of a reader that only one caller at a time may touch.
pub(in crate::verbs) struct Run {
    pub(in crate::verbs) driver: Driver,
    /// If its place can be kept.
    pub(in crate::verbs) origin: Option<Origin>,
    /// The sources that follow, if there are several.
    pub(in crate::verbs) chain: Option<Box<Chain>>,
    /// An error behind records that must be returned first.
    pub(in crate::verbs) pending: Option<Py<PyBaseException>>,
    /// Rows of a batch that an interrupt ended, latest first.
    pub(in crate::verbs) left: Vec<Py<PyAny>>,
    /// Why there are no more records, if that is not the end: the caller has closed it, or the
    /// caller's code broke off.
    pub(in crate::verbs) closed: Option<Box<str>>,
    /// Whether it was closed behind the last record of its source.
    pub(in crate::verbs) is_over: bool,
    /// If columns are filled: how.
    pub(in crate::verbs) filling: Option<Box<Filled>>,
    /// If the records have no class, or a `Decimal` of unknown digits: how their columns are found.
    pub(super) again: Option<Box<Again>>,
    /// How many records were taken one by one since signals were looked at.
    pub(in crate::verbs) unanswered: usize,
    /// How many records are still delivered.
    pub(in crate::verbs) allowed: u64,
}

impl Run {
    /// Raises if the reader is closed or has a pending error.
    #[inline(always)]
    pub(super) fn check(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(error) = self.pending.take() {
            return Err(PyErr::from_value(error.into_bound(py).into_any()));
        }
        match &self.closed {
            Some(why) if self.left.is_empty() => Err(PyValueError::new_err(why.to_string())),
            _ => Ok(()),
        }
    }

    /// So many records were delivered. Behind the last one that is wanted, the source is closed.
    #[inline]
    pub(super) fn delivered(&mut self, records: u64) {
        self.allowed -= records;
        if self.allowed == 0 {
            self.driver.close();
        }
    }

    /// How many records there are at most, if that is said.
    pub(super) fn most(&self) -> Option<u64> {
        Some(self.allowed).filter(|most| *most < u64::MAX)
    }

    /// Goes on with the next source, if there is one.
    #[cold]
    pub(super) fn next_source(&mut self, py: Python<'_>, meter: &Meter) -> PyResult<bool> {
        self.driver.close();
        let Some(chain) = &mut self.chain else { return Ok(false) };
        let Some((driver, origin)) = chain.next(py, &mut self.driver)? else {
            self.driver.end_of_all(py)?;
            return Ok(false);
        };
        meter.follow(driver.gauge());
        (self.driver, self.origin) = (driver, origin);
        Ok(true)
    }

    /// The next row, or None at the end.
    #[inline]
    pub(super) fn row(&mut self, py: Python<'_>, meter: &Meter) -> PyResult<Option<Py<PyAny>>> {
        self.check(py)?;
        if self.filling.is_some() {
            return Err(fills_columns());
        }
        if self.allowed == 0 {
            return Ok(None);
        }
        if let Some(row) = self.left.pop() {
            self.delivered(1);
            return Ok(Some(row));
        }
        self.driver.builder_mut().set_recycling(true);
        self.unanswered += 1;
        if self.unanswered == BETWEEN_SIGNALS {
            self.unanswered = 0;
            py.check_signals()?;
        }
        loop {
            match self.driver.advance(py) {
                Ok(Turn::Row) => {
                    let row = self.driver.builder_mut().take_row();
                    self.delivered(1);
                    return Ok(row);
                }
                Ok(Turn::Dry) => self.refill(py)?,
                Ok(Turn::End) => {
                    if !self.next_source(py, meter)? {
                        return Ok(None);
                    }
                    self.driver.builder_mut().set_recycling(true);
                }
                Err(error) => return Err(self.failed(py, error)),
            }
        }
    }

    pub(super) fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(again) = self.again.take() {
            // Its source is read now. It is not kept, so that what it has opened is closed in time.
            again.held().iter().for_each(Held::clear);
        }
        self.driver.refill(py).map_err(|error| self.failed(py, error))
    }

    /// After an error: closes the source, if nothing more is read of it.
    #[cold]
    pub(super) fn failed(&mut self, py: Python<'_>, error: PyErr) -> PyErr {
        if self.driver.is_finished() {
            self.driver.close();
        }
        if self.driver.is_broken_off() {
            let name = error.get_type(py).name().map_or_else(|_| "?".into(), |it| it.to_string());
            let why = format!("this Reader was broken off by {name}: make a new one");
            self.closed = Some(why.into());
        }
        error
    }

    /// Up to `n` rows. An error behind the first of them waits for the next call.
    pub(super) fn batch(
        &mut self,
        py: Python<'_>,
        meter: &Meter,
        n: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        self.check(py)?;
        if self.filling.is_some() {
            return Err(fills_columns());
        }
        let n = n.min(usize::try_from(self.allowed).unwrap_or(usize::MAX));
        let mut pause = if n >= MANY { Some(Pause::begin(py)?) } else { None };
        self.driver.builder_mut().set_recycling(false);
        let mut rows = Vec::new();
        while rows.len() < n
            && let Some(row) = self.left.pop()
        {
            rows.push(row);
        }
        while rows.len() < n {
            let turn = self.driver.advance(py).and_then(|turn| {
                match (&turn, &mut pause) {
                    (Turn::Dry, Some(pause)) => pause.lift(py, || self.refill(py))??,
                    (Turn::Dry, None) => {
                        self.refill(py)?;
                        if self.driver.at_hand() >= BULK as u64 {
                            pause = Some(Pause::begin(py)?);
                        }
                    }
                    // A new driver makes new objects unless it is told otherwise.
                    (Turn::End, _) if self.next_source(py, meter)? => return Ok(Turn::Dry),
                    _ => {}
                }
                Ok(turn)
            });
            match turn {
                Ok(Turn::Row) => {
                    make_room(&mut rows, 1);
                    rows.extend(self.driver.builder_mut().take_row());
                    if rows.len().is_multiple_of(BETWEEN_SIGNALS_OF_BATCH) {
                        let answered = match &mut pause {
                            Some(pause) => pause.lift_shortly(py, || py.check_signals())?,
                            None => py.check_signals(),
                        };
                        if let Err(error) = answered {
                            rows.reverse();
                            self.left = rows;
                            return Err(error);
                        }
                    }
                }
                Ok(Turn::Dry) => {}
                Ok(Turn::End) => break,
                Err(error) => {
                    let error = self.failed(py, error);
                    if rows.is_empty() || !may_wait(py, &error) {
                        rows.reverse();
                        self.left = rows;
                        return Err(error);
                    }
                    self.pending = Some(error.into_value(py));
                    break;
                }
            }
        }
        self.delivered(rows.len() as u64);
        Ok(rows)
    }
}

#[cold]
pub(super) fn fills_columns() -> PyErr {
    PyValueError::new_err("the records of this Reader go into columns")
}
