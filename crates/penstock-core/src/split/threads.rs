//! Several threads do the work of one run.

use super::beside::Beside;
use super::crew::{Crew, Ticket};
use super::filler::{Filled, Filler};
use super::pieces::{Piece, Pieces};
use super::point::Point;
use super::shares::{Lane, Shares};
use crate::reader::Reader;
use crate::run::{Failed, Input, Outlet, Run, Windows};
use crate::source::{Source, SourceError};
use std::collections::VecDeque;
use std::time::Duration;

/// How many pieces may wait, for each thread.
const AHEAD: usize = 4;

/// How long to wait for a thread, until the driver checks for signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// How many pieces are read in vain, for each that may wait, before the threads begin anew.
const MISSES: usize = 4;

/// A piece that has more bytes is read by the run: its records are so long that it makes no
/// difference, and what a lane holds has an end.
const LONGEST: usize = 64 << 20;

/// What the driver should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Advance the run: it has more text.
    Advance,
    /// Empty the destination: it is full.
    Full,
    /// Ask again: nothing came for some time.
    Wait,
}

/// The threads of a run, and the rest of its source.
#[derive(Debug)]
pub struct Threads<L> {
    pieces: Pieces,
    first: Filler<L>,
    crew: Crew<Filled<L>>,
    most: usize,
    /// The pieces that come next; those that are no thread's, too.
    queue: VecDeque<Next<L>>,
    /// What comes behind them, if that is known.
    end: Option<Result<(), SourceError>>,
    taking: Option<Taking<L>>,
    taken: u64,
    /// The last piece that the run has read, as long as nobody knows where to cut.
    last: Option<Piece>,
    /// How many pieces in a row were read in vain.
    missed: usize,
}

/// The point at which a piece begins, at which a run stands. None if no other reader can begin there.
fn begin_of_piece<S: Shares>(
    run: &Run<Reader, Windows, S::Cause>,
    outlet: &Outlet<S>,
) -> Option<Point> {
    let stand = run.reader().stand_behind()?;
    let (counted, records) = (run.input().counted(), run.records(outlet));
    Some(Point { counted, records, stand, open: outlet.open_behind() })
}

/// So many threads that begin as `first` does.
fn crew<L: Lane>(first: &Filler<L>, count: usize) -> Option<Crew<Filled<L>>> {
    let mut workers = Vec::new();
    for _ in 0..count {
        workers.push(first.alike()?);
    }
    Crew::new(workers).ok()
}

/// What the destination is taking over.
#[derive(Debug)]
struct Taking<L> {
    filled: Filled<L>,
    /// From which part on.
    from: usize,
    /// The beginning of the piece.
    begin: Option<Point>,
}

#[derive(Debug)]
enum Next<L> {
    Plain(Piece),
    Read(Ticket<Filled<L>>),
}

impl<L: Lane> Threads<L> {
    /// So many threads beside a run that has read all its text. None if nobody but its own reader
    /// can read what follows, now or at all. Afterwards, only [`step`](Self::step) brings input.
    pub fn begin<S: Shares<Lane = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        outlet: &Outlet<S>,
        count: usize,
    ) -> Option<Self> {
        Threads::begin_sized(run, outlet, count, None)
    }

    /// The same with pieces of about so many bytes, for tests.
    #[doc(hidden)]
    pub fn begin_sized<S: Shares<Lane = L>, C>(
        run: &mut Run<Reader, Windows, C>,
        outlet: &Outlet<S>,
        count: usize,
        size: Option<usize>,
    ) -> Option<Self> {
        let first = Filler::beside(run.reader(), outlet)?;
        let crew = crew(&first, count)?;
        let (source, at) = run.input_mut().take_source()?;
        let mut pieces = Pieces::of(source, at);
        if let Some(size) = size {
            pieces = pieces.sized(size);
        }
        run.reader().cut().into_iter().for_each(|cut| pieces.cut_by(cut));
        let most = AHEAD * crew.count();
        Some(Threads {
            pieces,
            first,
            crew,
            most,
            queue: VecDeque::new(),
            end: None,
            taking: None,
            taken: 0,
            last: None,
            missed: 0,
        })
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &Source {
        self.pieces.source()
    }

    /// If the destination is full of records of a piece: where the piece begins, if another reader can
    /// begin there, from which part of the lane on they are still to be taken over, and the lane. The
    /// run stands behind the piece.
    #[must_use]
    pub fn taken_of_piece(&self) -> Option<(Option<&Point>, usize, &L)> {
        let Taking { filled, from, begin } = self.taking.as_ref()?;
        Some((begin.as_ref(), *from, filled.outlet.inner()))
    }

    /// Why no part of the source can be read on its own, if that is so.
    #[must_use]
    pub fn why_whole(&self) -> Option<&'static str> {
        self.source().why_whole()
    }

    /// How many pieces the threads have read.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The run is dry: brings what comes next.
    ///
    /// # Errors
    /// The failure that ends the run: the source failed.
    pub fn step<S: Shares<Lane = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        outlet: &mut Outlet<S>,
    ) -> Result<Turn, Failed<S::Cause, S::Break>> {
        if self.is_full_of_taken(run, outlet)? {
            return Ok(Turn::Full);
        }
        self.learn(run.reader(), outlet);
        if self.missed >= MISSES * self.most {
            self.renew(run.reader(), outlet);
        }
        if !self.look_ahead() && self.queue.is_empty() {
            return Ok(Turn::Wait);
        }
        let Some(next) = self.queue.pop_front() else {
            match self.end.take() {
                Some(Err(error)) => run.brought(outlet, Err(error))?,
                Some(Ok(())) | None => run.push_end(outlet)?,
            }
            return Ok(Turn::Advance);
        };
        let piece = match next {
            Next::Plain(piece) => piece,
            Next::Read(ticket) if self.is_at(ticket.piece(), run, outlet) => {
                let Ok(filled) = self.crew.take(&ticket, PATIENCE) else {
                    self.queue.push_front(Next::Read(ticket));
                    return Ok(Turn::Wait);
                };
                let piece = ticket.into_piece();
                if let Some(filled) = filled {
                    let goes_on = run.reader().goes_on_as(&filled.reader)
                        && outlet.goes_on_as(&filled.outlet)
                        && outlet.inner().can_take(filled.outlet.inner());
                    if goes_on {
                        let begin = begin_of_piece(run, outlet);
                        run.pass(piece.bytes(), &filled.counted);
                        outlet.pass(&filled.outlet);
                        (self.taken, self.missed) = (self.taken + 1, 0);
                        self.taking = Some(Taking { filled, from: 0, begin });
                        self.pieces.take_back(piece);
                        let is_full = self.is_full_of_taken(run, outlet)?;
                        return Ok(if is_full { Turn::Full } else { Turn::Advance });
                    }
                    self.crew.take_back(filled);
                }
                self.missed += 1;
                piece
            }
            Next::Read(ticket) => {
                self.missed += 1;
                ticket.into_piece()
            }
        };
        run.push(outlet, piece.bytes())?;
        self.last = Some(piece);
        Ok(Turn::Advance)
    }

    /// Looks where to cut, in the piece that the run has read.
    fn learn<S: Shares<Lane = L>>(&mut self, reader: &Reader, outlet: &Outlet<S>) {
        let Some(piece) = self.last.take() else { return };
        if !self.pieces.is_cut()
            && let Some(at) = outlet.last().and_then(|at| at.checked_sub(piece.at()))
            && let Some(cut) =
                reader.cut_as(piece.bytes(), usize::try_from(at).unwrap_or(usize::MAX))
        {
            self.pieces.cut_by(cut);
        }
        self.pieces.take_back(piece);
    }

    /// The threads begin where the run does not stand any more: has them begin as it stands now.
    #[cold]
    fn renew<S: Shares<Lane = L>>(&mut self, reader: &Reader, outlet: &Outlet<S>) {
        let Some(first) = Filler::beside(reader, outlet) else { return };
        let Some(crew) = crew(&first, self.crew.count()) else { return };
        (self.first, self.crew, self.missed) = (first, crew, 0);
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
                        Next::Read(self.crew.begin(piece))
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
    fn is_at<S: Shares<Lane = L>>(
        &self,
        piece: &Piece,
        run: &Run<Reader, Windows, S::Cause>,
        outlet: &Outlet<S>,
    ) -> bool {
        let at = piece.at();
        (run.input().base(), run.offset(), run.input().end()) == (at, at, at)
            && run.is_free()
            && run.input().ends_at().is_none_or(|end| piece.end() <= end)
            && run.reader().goes_on_as(&self.first.reader)
            && outlet.goes_on_as(&self.first.outlet)
    }

    /// Has the destination take over what the threads have taken. Whether it is full before that is
    /// done.
    fn is_full_of_taken<S: Shares<Lane = L>>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        outlet: &mut Outlet<S>,
    ) -> Result<bool, Failed<S::Cause, S::Break>> {
        let Some(Taking { mut filled, from, begin }) = self.taking.take() else {
            return Ok(false);
        };
        match outlet.inner_mut().take_over(filled.outlet.inner_mut(), from) {
            Ok(None) => self.crew.take_back(filled),
            Ok(Some(next)) => {
                self.taking = Some(Taking { filled, from: next, begin });
                return Ok(true);
            }
            Err(why) => return Err(run.break_off(outlet, why)),
        }
        Ok(false)
    }
}
