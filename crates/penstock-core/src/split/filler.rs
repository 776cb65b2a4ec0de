//! What each thread does: reads a piece into a lane.

use super::beside::Beside;
use super::crew::Worker;
use super::pieces::Piece;
use super::shares::{Lane, Shares};
use crate::position::Counter;
use crate::reader::{FormatReader, Reader, Step};
use crate::run::{Given, Input, Lent, Origin, Outlet};

/// What a thread has made of a piece.
#[derive(Debug)]
pub(super) struct Filled<L> {
    /// The reader at the end of the piece.
    pub(super) reader: Reader,
    /// The way to what has taken the records.
    pub(super) outlet: Outlet<L>,
    /// The counts over the piece.
    pub(super) counted: Counter,
}

/// Reads pieces.
#[derive(Debug)]
pub(super) struct Filler<L> {
    pub(super) reader: Reader,
    pub(super) outlet: Outlet<L>,
}

impl<L: Lane> Filler<L> {
    /// Reads pieces as a run does. None if nobody but its own reader can, now or at all.
    pub(super) fn beside<S: Shares<Lane = L>>(reader: &Reader, to: &Outlet<S>) -> Option<Self> {
        let lane = to.inner().lane()?;
        Some(Filler { reader: reader.beside(to.depth())?, outlet: to.beside(lane)? })
    }

    /// One that begins as this one does.
    pub(super) fn alike(&self) -> Option<Self> {
        let lane = self.outlet.inner().anew(None)?;
        let reader = self.reader.beside(self.outlet.depth())?;
        Some(Filler { reader, outlet: self.outlet.beside(lane)? })
    }
}

impl<L: Lane> Worker for Filler<L> {
    type Done = Filled<L>;

    fn work(&mut self, piece: &Piece, used: Option<Filled<L>>) -> Option<Filled<L>> {
        let used = used.map(|used| used.outlet.into_inner());
        let lane = self.outlet.inner().anew(used)?;
        let mut outlet = self.outlet.beside(lane)?;
        let mut reader = self.reader.beside(outlet.depth())?;
        reader.jump(piece.at());
        let mut input = Lent::new(piece.bytes(), Origin::default());
        input.more(usize::MAX);
        if !input.is_whole() {
            return None;
        }
        let given = Given::Text { text: input.given().text(), last: false };
        match L::read_piece(&mut outlet, &mut reader, given) {
            Ok(Step::More) => {}
            Ok(_) | Err(_) => return None,
        }
        if reader.offset() != piece.end() || !reader.take_repairs().is_empty() {
            return None;
        }
        let mut counted = Counter::new();
        counted.advance(piece.bytes());
        Some(Filled { reader, outlet, counted })
    }
}
