//! The run of a driver that fills columns, in one thread or in several.

use super::destination::{Builder, Pool};
use super::driver::{Driver, Gauge, Turn, bring};
use crate::columns::{Asked, columns_of};
use crate::edge::errors::{self};
use crate::objects::warn_of_mixed;
use penstock_arrow::SchemaRef;
use penstock_clock::Mono;
use penstock_core::formats::Reader;
use penstock_core::formats::ReaderState;
use penstock_core::protocol::Destination;
use penstock_core::run::{Failed, Input, Run, Turn as RunTurn, Windows};
use penstock_core::split::{self, RecordStart, Turn as Stepped};
use pyo3::prelude::*;
use std::sync::atomic::Ordering;

impl Driver {
    /// Before anything is read: fills columns, in several threads if there shall be more than one.
    /// Returns their schema.
    pub(crate) fn fill(
        &mut self,
        py: Python<'_>,
        asked: &Asked,
        (rows, bytes): (usize, usize),
        threads: usize,
    ) -> PyResult<SchemaRef> {
        self.threads = Some(threads).filter(|threads| *threads > 1);
        let made = columns_of(py, self.builder.planned(), asked)?;
        self.sampler.hold();
        self.builder.fill(py, made, rows, bytes);
        let (_, takes_objects) = self.builder.filled();
        if self.threads.is_some() && !takes_objects {
            split::expect_threads(&mut self.run);
        }
        match self.builder.columns() {
            Some(columns) => Ok(columns.schema().clone()),
            None => Err(errors::untold()),
        }
    }

    /// Fills columns until there is enough for a batch, or there is an error; without the
    /// interpreter lock, unless it takes objects.
    pub(crate) fn fill_batch(&mut self, py: Python<'_>) -> PyResult<Turn> {
        // `list` asks for one batch after another, and many of them may be of one piece of the input.
        py.check_signals()?;
        loop {
            let Driver { run, builder, gauge, threads, pool, .. } = self;
            let (_, takes_objects) = builder.filled();
            let got = if let Some(pool) = pool {
                py.detach(|| fill_together(run, builder, gauge, pool))
            } else if takes_objects {
                fill_on(run, builder, gauge, |run, builder| bring(py, run, builder))
            } else {
                py.detach(|| {
                    fill_on(run, builder, gauge, |run, builder| {
                        if let Some(count) = *threads {
                            *pool = builder.begin_threads(run, count);
                        }
                        if pool.is_some() {
                            return Ok(());
                        }
                        let brought = run.input_mut().more();
                        run.brought(builder, brought)
                    })
                })
            };
            if let Some(reason) = self.builder.take_left_out(py) {
                warn_of_mixed(py, &reason)?;
            }
            match got {
                Ok(RunTurn::Paused) => return Ok(Turn::Row),
                Ok(RunTurn::Dry) => py.check_signals()?,
                Ok(RunTurn::End) => {
                    self.warn_of_lack(py)?;
                    return Ok(Turn::End);
                }
                Ok(RunTurn::Problem(problem)) => self.hand(py, *problem)?,
                Err(failure) => {
                    if self.is_followed && self.run.is_complete() {
                        return self.keep_collected(py, failure);
                    }
                    return Err(self.raised(py, failure));
                }
            }
        }
    }

    /// How many pieces of the text several threads have read.
    pub(crate) fn pieces(&self) -> u64 {
        self.pieces + self.pool.as_ref().map_or(0, Pool::taken)
    }

    /// If threads have read more records of a piece than the columns hold: where the piece begins, how
    /// many of its records they hold, and a reader there. Within, None if no other reader can begin
    /// there.
    pub(crate) fn taken_of_piece(&self) -> Option<Option<(&RecordStart, u64, Reader)>> {
        let (begin, taken) = self.pool.as_ref()?.taken_of_piece()?;
        let reader = begin.and_then(|begin| match &begin.stand {
            ReaderState::Members(places) => self.run.reader().between(places, &[]),
            _ => self.run.reader().at(&begin.stand, begin.counted.bytes()),
        });
        Some(begin.zip(reader).map(|(begin, reader)| (begin, taken, reader)))
    }
}

/// Fills columns until a batch is full or some time has passed, together with the threads.
fn fill_together(
    run: &mut Run<Reader, Windows, PyErr>,
    builder: &mut Builder,
    gauge: &Gauge,
    pool: &mut Pool,
) -> Result<RunTurn<PyErr>, Failed<PyErr, PyErr>> {
    let begun = Mono::now_relaxed().as_nanos();
    loop {
        // The run stands behind a piece of which rows are still to be taken over, and that may be its end.
        let turn = match pool.taken_of_piece() {
            Some(_) => Ok(RunTurn::Dry),
            None => run.advance(builder),
        };
        let is_dry = matches!(turn, Ok(RunTurn::Dry));
        let stepped = if is_dry { Some(builder.step(run, pool)) } else { None };
        gauge.records.store(builder.filled().0, Ordering::Relaxed);
        gauge.filtered.store(builder.left_out(), Ordering::Relaxed);
        if let Some(source) = pool.source() {
            gauge.bytes.store(source.raw_bytes(), Ordering::Relaxed);
        }
        if !matches!(turn, Ok(RunTurn::Problem(_))) {
            gauge.skipped.store(run.refused(), Ordering::Relaxed);
        }
        match stepped.transpose()? {
            None => return turn,
            Some(Stepped::Full) => return Ok(RunTurn::Paused),
            Some(Stepped::Wait) => return Ok(RunTurn::Dry),
            Some(Stepped::Advance) => {}
        }
        if Mono::now_relaxed().as_nanos() - begun > PATIENCE {
            return Ok(RunTurn::Dry);
        }
    }
}

/// How long columns are filled before signals are looked for, in nanoseconds.
const PATIENCE: i64 = 20_000_000;

/// Fills columns until they pause or some time has passed.
fn fill_on(
    run: &mut Run<Reader, Windows, PyErr>,
    builder: &mut Builder,
    gauge: &Gauge,
    mut bring: impl FnMut(
        &mut Run<Reader, Windows, PyErr>,
        &mut Builder,
    ) -> Result<(), Failed<PyErr, PyErr>>,
) -> Result<RunTurn<PyErr>, Failed<PyErr, PyErr>> {
    let begun = Mono::now_relaxed().as_nanos();
    loop {
        let turn = run.advance(builder);
        gauge.records.store(builder.filled().0, Ordering::Relaxed);
        if !matches!(turn, Ok(RunTurn::Problem(_))) {
            gauge.skipped.store(run.refused(), Ordering::Relaxed);
        }
        gauge.filtered.store(builder.left_out(), Ordering::Relaxed);
        let turn = turn?;
        if !matches!(turn, RunTurn::Dry) {
            return Ok(turn);
        }
        let before = run.input().end();
        bring(run, builder)?;
        if let Some(bytes) = run.input().raw_bytes() {
            gauge.bytes.store(bytes, Ordering::Relaxed);
        }
        let passed = Mono::now_relaxed().as_nanos() - begun;
        if run.input().end() == before || passed > PATIENCE {
            return Ok(RunTurn::Dry);
        }
    }
}
