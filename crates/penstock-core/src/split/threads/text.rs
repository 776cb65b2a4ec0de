//! The threads of a run over text.

use super::filler::{Filled, Filler};
use super::pool::{Pool, Ticket};
use super::taking::{Taking, begin_of_piece};
use super::{AHEAD, ALONE, PATIENCE, Turn};
use crate::formats::Reader;
use crate::position::Counter;
use crate::run::{Failed, Input, RecordScope, Run, Windows};
use crate::source::{Source, SourceError};
use crate::split::pieces::{Piece, Pieces};
use crate::split::shares::{Shares, Worker};
use std::collections::VecDeque;

/// How many pieces are read in vain, for each that may wait, before the threads begin anew.
const MISSES: usize = 4;

/// A piece that has more bytes is read by the run: its records are so long that it makes no
/// difference, and what a worker holds has an end.
const LONGEST: usize = 64 << 20;

/// The threads of a run, and the rest of its source.
#[derive(Debug)]
pub(super) struct Threads<L> {
    pieces: Pieces,
    first: Filler<L>,
    pool: Pool<Piece, Filled<L, Counter>>,
    most: usize,
    /// The pieces that come next; those that are no thread's, too.
    queue: VecDeque<Next<L>>,
    /// What comes behind them, if that is known.
    end: Option<Result<(), SourceError>>,
    taking: Taking<L, Counter>,
    /// The last piece that the run has read, as long as nobody knows where to cut.
    last: Option<Piece>,
    /// How many pieces in a row were read in vain.
    missed: usize,
}

#[derive(Debug)]
enum Next<L> {
    Plain(Piece),
    Read(Ticket<Piece, Filled<L, Counter>>),
}

impl<L: Worker> Threads<L> {
    /// So many threads beside a run that has read all its text, with pieces of about so many bytes, if
    /// that is said. None if nobody but its own reader can read what follows, now or at all, or if too
    /// little text has come.
    pub(super) fn begin<S: Shares<Worker = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        scope: &RecordScope<S>,
        count: usize,
        size: Option<usize>,
    ) -> Option<Self> {
        if size.is_none() && run.input().end() < ALONE {
            return None;
        }
        let first = Filler::beside(run.reader(), scope)?;
        let pool = first.pool(count)?;
        let (source, at) = run.input_mut().take_source()?;
        let mut pieces = Pieces::of(source, at);
        if let Some(size) = size {
            pieces = pieces.sized(size);
        }
        run.reader().cut().into_iter().for_each(|cut| pieces.cut_by(cut));
        let most = AHEAD * pool.count();
        Some(Threads {
            pieces,
            first,
            pool,
            most,
            queue: VecDeque::new(),
            end: None,
            taking: Taking::new(),
            last: None,
            missed: 0,
        })
    }

    pub(super) fn source(&self) -> &Source {
        self.pieces.source()
    }

    pub(super) fn taking(&self) -> &Taking<L, Counter> {
        &self.taking
    }

    /// The run is dry: brings what comes next.
    pub(super) fn step<S: Shares<Worker = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
    ) -> Result<Turn, Failed<S::Cause, S::Break>> {
        if self.taking.go_on(run, scope, Some(&self.pool))? {
            return Ok(Turn::Full);
        }
        self.learn(run.reader(), scope);
        if self.missed >= MISSES * self.most {
            self.renew(run.reader(), scope);
        }
        if !self.look_ahead() && self.queue.is_empty() {
            return Ok(Turn::Wait);
        }
        let Some(next) = self.queue.pop_front() else {
            match self.end.take() {
                Some(Err(error)) => run.brought(scope, Err(error))?,
                Some(Ok(())) | None => run.push_end(scope)?,
            }
            return Ok(Turn::Advance);
        };
        let piece = match next {
            Next::Plain(piece) => piece,
            Next::Read(ticket) if self.is_at(ticket.piece(), run, scope) => {
                let Ok(filled) = self.pool.take(&ticket, PATIENCE) else {
                    self.queue.push_front(Next::Read(ticket));
                    return Ok(Turn::Wait);
                };
                let piece = ticket.into_piece();
                if let Some(filled) = filled {
                    if Taking::can_take(run, scope, &filled) {
                        let begin = begin_of_piece(run, scope);
                        run.pass(piece.bytes(), &filled.counted);
                        self.pieces.take_back(piece);
                        self.missed = 0;
                        self.taking.begin(scope, filled, begin);
                        let is_full = self.taking.go_on(run, scope, Some(&self.pool))?;
                        return Ok(if is_full { Turn::Full } else { Turn::Advance });
                    }
                    self.pool.take_back(filled);
                }
                self.missed += 1;
                piece
            }
            Next::Read(ticket) => {
                self.missed += 1;
                ticket.into_piece()
            }
        };
        run.push(scope, piece.bytes())?;
        self.last = Some(piece);
        Ok(Turn::Advance)
    }

    /// Looks where to cut, in the piece that the run has read.
    fn learn<S: Shares<Worker = L>>(&mut self, reader: &Reader, scope: &RecordScope<S>) {
        let Some(piece) = self.last.take() else { return };
        if !self.pieces.is_cut()
            && let Some(at) = scope.last().and_then(|at| at.checked_sub(piece.at()))
            && let Some(cut) =
                reader.cut_as(piece.bytes(), usize::try_from(at).unwrap_or(usize::MAX))
        {
            self.pieces.cut_by(cut);
        }
        self.pieces.take_back(piece);
    }

    /// The threads begin where the run does not stand any more: has them begin as it stands now.
    #[cold]
    fn renew<S: Shares<Worker = L>>(&mut self, reader: &Reader, scope: &RecordScope<S>) {
        let Some(first) = Filler::beside(reader, scope) else { return };
        let Some(pool) = first.pool(self.pool.count()) else { return };
        (self.first, self.pool, self.missed) = (first, pool, 0);
        if reader.cut().is_none() {
            self.pieces.cut_anew();
        }
        for next in &mut self.queue {
            if let Next::Read(ticket) = next {
                *next = Next::Plain(ticket.piece().clone());
            }
        }
    }

    /// Reads the next pieces. False if nothing came yet.
    fn look_ahead(&mut self) -> bool {
        // As long as nobody knows where to cut, one piece must be read before the next.
        let most = if self.pieces.is_cut() { self.most } else { 1 };
        while self.queue.len() < most && self.end.is_none() {
            match self.pieces.next_piece() {
                Ok(Some(piece)) => {
                    let is_good = piece.is_whole() && piece.bytes().len() <= LONGEST;
                    self.queue.push_back(if is_good {
                        Next::Read(self.pool.begin(piece))
                    } else {
                        Next::Plain(piece)
                    });
                }
                Ok(None) => self.end = Some(Ok(())),
                Err(SourceError::Idle) => return false,
                Err(error) => self.end = Some(Err(error)),
            }
        }
        true
    }

    /// Whether the run stands where a thread has begun to read, as it stood there.
    fn is_at<S: Shares<Worker = L>>(
        &self,
        piece: &Piece,
        run: &Run<Reader, Windows, S::Cause>,
        scope: &RecordScope<S>,
    ) -> bool {
        let at = piece.at();
        (run.input().base(), run.offset(), run.input().end()) == (at, at, at)
            && run.is_free()
            && run.input().ends_at().is_none_or(|end| piece.end() <= end)
            && run.reader().goes_on_as(&self.first.reader)
            && scope.goes_on_as(&self.first.scope)
    }
}
