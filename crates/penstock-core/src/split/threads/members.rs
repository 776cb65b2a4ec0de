//! The threads of a run over a binary property list.
//!
//! Its reader [halts](crate::plist::binary::Reader::halt_within) behind the first records of a container.
//! If there are many more, threads read them, some members at a time, and the run passes over what
//! they have read. It reads what is in error itself.

use super::filler::{Filled, Filler};
use super::pool::{Pool, Ticket};
use super::taking::{Taking, begin_of_piece};
use super::{AHEAD, ALONE, PATIENCE, Turn};
use crate::formats::Reader;
use crate::plist::binary;
use crate::protocol::{Destination, InputView};
use crate::run::{Binary, Failed, RecordScope, Run, Windows};
use crate::split::shares::{Shares, Worker};
use std::collections::VecDeque;
use std::ops::Range;

/// How many bytes are about to be reported for a piece, and how many there must be for threads to be worth
/// it. Bytes are counted as [`told`](binary::Reader::told) counts them.
const PIECE: u64 = 256 << 10;
const WORTH: u64 = 1 << 20;

/// A member counts at least as so many bytes.
const LEAST: u64 = 8;

/// If nobody reads beside the run yet, it reads so many members before that is tried again.
const AGAIN: u64 = 1 << 10;

/// The most members of a piece.
const MOST: u64 = 1 << 16;

/// Of a piece for which more bytes would be reported, the run reads the members: they are so large
/// that it makes no difference, and what a worker holds has an end.
const LONGEST: u64 = 64 << 20;

/// Some members of a container.
#[derive(Clone, Debug)]
pub(super) struct Members {
    file: Binary,
    members: Range<u64>,
}

impl Members {
    /// Leads a reader to them that has begun in the same container.
    pub(super) fn lead(&self, reader: &mut binary::Reader, depth: usize) {
        reader.lead_to(depth, self.members.clone(), LONGEST);
    }

    /// The file.
    pub(super) fn given(&self) -> InputView<'_> {
        self.file.given()
    }
}

/// The threads of a run.
#[derive(Debug)]
pub(super) struct Threads<L> {
    file: Binary,
    count: usize,
    /// How many members a piece has, if that is fixed.
    size: Option<u64>,
    /// The container that is read together.
    shared: Option<Shared<L>>,
    taking: Taking<L, u64>,
}

/// A container that is read together.
#[derive(Debug)]
struct Shared<L> {
    first: Filler<L>,
    pool: Pool<Members, Filled<L, u64>>,
    queue: VecDeque<Ticket<Members, Filled<L, u64>>>,
    /// The members that are not in the queue yet.
    left: Range<u64>,
    /// How many members the next piece has.
    each: u64,
}

impl<L: Worker> Threads<L> {
    /// For so many threads beside a run that has halted, with pieces of so many members each, if that
    /// is said. None if it is no binary property list, or too small, or if all of it is one record.
    pub(super) fn begin<S: Shares<Worker = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        scope: &RecordScope<S>,
        count: usize,
        size: Option<usize>,
    ) -> Option<Self> {
        let file = run.input_mut().binary()?;
        let reader = run.reader_mut().binary_mut()?;
        let is_small = size.is_none() && file.size() < ALONE;
        if is_small || scope.inner_records().is_none() {
            reader.halt_within(0);
            return None;
        }
        // The driver advances the run before the first step.
        reader.halt_again();
        let size = size.map(|size| size.max(1) as u64);
        Some(Threads { file, count, size, shared: None, taking: Taking::new() })
    }

    pub(super) fn taking(&self) -> &Taking<L, u64> {
        &self.taking
    }

    /// The run has halted: has its destination take over what comes next, or lets it read on.
    pub(super) fn step<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
    ) -> Result<Turn, Failed<S::Cause, S::Break>> {
        let turn = self.take_or_let(run, scope)?;
        if let (Turn::Full | Turn::Wait, Some(reader)) = (turn, run.reader_mut().binary_mut()) {
            // The driver advances the run before it asks again.
            reader.halt_again();
        }
        Ok(turn)
    }

    fn take_or_let<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
    ) -> Result<Turn, Failed<S::Cause, S::Break>> {
        if self.is_full_of_taken(run, scope)? {
            return Ok(Turn::Full);
        }
        let depth = scope.depth();
        let Some(reader) = run.reader_mut().binary_mut() else { return Ok(Turn::Advance) };
        if scope.inner_records().is_some_and(|(_, within, _)| within) {
            // No record is in another one.
            reader.halt_within(depth);
            return Ok(Turn::Advance);
        }
        let Some(ahead) = reader.members_ahead(depth).filter(|_| run.is_free()) else {
            return Ok(Turn::Advance);
        };
        if ahead.is_empty() {
            // All members of the container were read.
            self.shared = None;
            return Ok(Turn::Advance);
        }
        let is_here = |shared: &Shared<L>| shared.is_at(run.reader(), scope, &ahead);
        if !self.shared.as_ref().is_some_and(is_here) {
            self.shared = self.share(run, scope, ahead.clone());
        }
        let Some(shared) = &mut self.shared else {
            // The first records may be in error, or smaller than others.
            if let Some(reader) = run.reader_mut().binary_mut() {
                reader.halt_before(ahead.start.saturating_add(AGAIN));
            }
            return Ok(Turn::Advance);
        };
        let Some(next) = shared.next(&self.file) else { return Ok(Turn::Advance) };
        let Ok(filled) = shared.pool.take(&next, PATIENCE) else {
            shared.queue.push_front(next);
            return Ok(Turn::Wait);
        };
        let Range { start, end } = next.into_piece().members;
        let filled = filled.filter(|filled| Taking::can_take(run, scope, filled));
        let begin = filled.as_ref().and_then(|_| begin_of_piece(run, scope));
        let Some(reader) = run.reader_mut().binary_mut() else { return Ok(Turn::Advance) };
        match filled {
            Some(filled) if reader.pass_told(depth, end - start, filled.counted) => {
                reader.halt_again();
                shared.each = each(self.size, filled.counted / (end - start));
                self.taking.begin(scope, filled, begin);
                let is_full = self.is_full_of_taken(run, scope)?;
                Ok(if is_full { Turn::Full } else { Turn::Advance })
            }
            _ => {
                // The run reads these itself.
                reader.halt_before(end);
                Ok(Turn::Advance)
            }
        }
    }

    /// The container in which the run has halted. None if nobody can read beside it, or if there are not
    /// so many members ahead that threads are worth it.
    fn share<S: Shares<Worker = L>>(
        &self,
        run: &Run<Reader, Windows, S::Cause>,
        scope: &RecordScope<S>,
        ahead: Range<u64>,
    ) -> Option<Shared<L>> {
        let told = run.reader().binary()?.told_for_each().max(LEAST);
        let least = if self.size.is_some() { 1 } else { WORTH };
        if told.saturating_mul(ahead.end - ahead.start) < least {
            return None;
        }
        let first = Filler::beside(run.reader(), scope)?;
        let pool = first.pool(self.count)?;
        let each = each(self.size, told);
        Some(Shared { first, pool, queue: VecDeque::new(), left: ahead, each })
    }

    fn is_full_of_taken<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
    ) -> Result<bool, Failed<S::Cause, S::Break>> {
        self.taking.go_on(run, scope, self.shared.as_ref().map(|shared| &shared.pool))
    }
}

/// How many members a piece has, if so many bytes are reported for one. `size` says it for tests.
fn each(size: Option<u64>, told: u64) -> u64 {
    size.unwrap_or_else(|| (PIECE / told.max(LEAST)).clamp(1, MOST))
}

impl<L: Worker> Shared<L> {
    /// Whether a run has halted before the members that come next.
    fn is_at<S: Shares<Worker = L>>(
        &self,
        reader: &Reader,
        scope: &RecordScope<S>,
        ahead: &Range<u64>,
    ) -> bool {
        let next = self.queue.front().map_or(self.left.start, |next| next.piece().members.start);
        next == ahead.start
            && reader.goes_on_as(&self.first.reader)
            && scope.goes_on_as(&self.first.scope)
    }

    /// Hands out pieces of the file, and returns the one that comes next.
    fn next(&mut self, file: &Binary) -> Option<Ticket<Members, Filled<L, u64>>> {
        while self.queue.len() < AHEAD * self.pool.count() && !self.left.is_empty() {
            let end = self.left.end.min(self.left.start.saturating_add(self.each));
            let members = self.left.start..end;
            self.left.start = end;
            self.queue.push_back(self.pool.begin(Members { file: file.clone(), members }));
        }
        self.queue.pop_front()
    }
}
