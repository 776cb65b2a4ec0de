//! Several threads do the work of one run.
//!
//! | file | holds |
//! |---|---|
//! | `pool.rs` | threads that work on pieces |
//! | `filler.rs` | what each of them does: it reads a piece |
//! | `taking.rs` | how the destination takes over what they have made |
//! | `text.rs` | the threads of a run over text |
//! | `members.rs` | the threads of a run over a binary property list |

mod filler;
mod members;
mod pool;
mod taking;
mod text;

use super::point::RecordStart;
use super::shares::{Shares, Worker};
use crate::formats::Reader;
use crate::run::{Failed, RecordScope, Run, Windows};
use crate::source::Source;
use std::time::Duration;

/// For less than so many bytes, starting threads takes longer than reading them.
const ALONE: u64 = 1 << 20;

/// How many pieces may wait, for each thread.
const AHEAD: usize = 4;

/// How long to wait for a thread, until the driver checks for signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// What the driver should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Advance the run: it has more to read.
    Advance,
    /// Empty the destination: it is full. Then ask again, before you advance the run: it may stand at
    /// its end, and the destination has not taken over all that comes before that.
    Full,
    /// Ask again: nothing came for some time.
    Wait,
}

/// The threads of a run.
#[derive(Debug)]
pub struct Threads<L>(Kind<L>);

#[derive(Debug)]
enum Kind<L> {
    Text(text::Threads<L>),
    Members(members::Threads<L>),
}

/// Before anything is read: threads may begin beside the run.
pub fn expect_threads<C>(run: &mut Run<Reader, Windows, C>) {
    run.reader_mut().halt();
}

impl<L: Worker> Threads<L> {
    /// So many threads beside a run that has read all its text, or has halted. None if nobody but its
    /// own reader can read what follows, now or at all, or if too little of it has come. Afterwards,
    /// only [`step`](Self::step) brings input.
    pub fn begin<S: Shares<Worker = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        scope: &RecordScope<S>,
        count: usize,
    ) -> Option<Self> {
        Threads::begin_sized(run, scope, count, None)
    }

    /// The same with pieces of about so many bytes or members, for tests.
    #[doc(hidden)]
    pub fn begin_sized<S: Shares<Worker = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        scope: &RecordScope<S>,
        count: usize,
        size: Option<usize>,
    ) -> Option<Self> {
        Some(Threads(if run.reader().is_of_plists() {
            Kind::Members(members::Threads::begin(run, scope, count, size)?)
        } else {
            Kind::Text(text::Threads::begin(run, scope, count, size)?)
        }))
    }

    /// The source, if they read it in the place of the run.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        match &self.0 {
            Kind::Text(threads) => Some(threads.source()),
            Kind::Members(_) => None,
        }
    }

    /// If the destination is full of records of a piece: where the piece begins, if another reader can
    /// begin there, from which part of the worker on they are still to be taken over, and the way to the worker.
    /// The run stands behind the piece.
    #[must_use]
    pub fn taken_of_piece(&self) -> Option<(Option<&RecordStart>, usize, &RecordScope<L>)> {
        match &self.0 {
            Kind::Text(threads) => threads.taking().now(),
            Kind::Members(threads) => threads.taking().now(),
        }
    }

    /// How many pieces the threads have read.
    #[must_use]
    pub fn taken(&self) -> u64 {
        match &self.0 {
            Kind::Text(threads) => threads.taking().count(),
            Kind::Members(threads) => threads.taking().count(),
        }
    }

    /// The run is dry: brings what comes next.
    ///
    /// # Errors
    /// The failure that ends the run: the source failed.
    pub fn step<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
    ) -> Result<Turn, Failed<S::Cause, S::Break>> {
        match &mut self.0 {
            Kind::Text(threads) => threads.step(run, scope),
            Kind::Members(threads) => threads.step(run, scope),
        }
    }
}
