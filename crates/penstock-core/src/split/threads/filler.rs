//! What each thread does: reads a piece into a worker.

use super::members::Members;
use super::pool::{Pool, Serve};
use crate::formats::Reader;
use crate::position::Counter;
use crate::protocol::{Destination, FormatReader, InputView, Step};
use crate::run::{InMemory, Input, Origin, RecordScope};
use crate::split::pieces::Piece;
use crate::split::shares::{Shares, Worker};

/// What a thread has made of a piece.
#[derive(Debug)]
pub(super) struct Filled<L, K> {
    /// A reader that stands at the end of the piece.
    pub(super) reader: Reader,
    /// The way to what has taken the records.
    pub(super) scope: RecordScope<L>,
    /// The counts over the piece.
    pub(super) counted: K,
}

/// Reads pieces.
#[derive(Debug)]
pub(super) struct Filler<L> {
    pub(super) reader: Reader,
    pub(super) scope: RecordScope<L>,
}

impl<L: Worker> Filler<L> {
    /// Reads pieces as a run does. None if nobody but its own reader can, now or at all.
    pub(super) fn beside<S: Shares<Worker = L>>(
        reader: &Reader,
        to: &RecordScope<S>,
    ) -> Option<Self> {
        let worker = to.inner().worker(to.left_out() > 0)?;
        Some(Filler { reader: reader.beside(to.depth())?, scope: to.beside(worker)? })
    }

    /// One that begins as this one does.
    fn alike(&self) -> Option<Self> {
        let worker = self.scope.inner().anew(None)?;
        let reader = self.reader.beside(self.scope.depth())?;
        Some(Filler { reader, scope: self.scope.beside(worker)? })
    }

    /// So many threads that begin as this one does.
    pub(super) fn pool<P: Send + Sync + 'static, K: Send + 'static>(
        &self,
        count: usize,
    ) -> Option<Pool<P, Filled<L, K>>>
    where
        Self: Serve<P, Done = Filled<L, K>>,
    {
        let mut workers = Vec::new();
        for _ in 0..count {
            workers.push(self.alike()?);
        }
        Pool::new(workers).ok()
    }

    /// The way to an empty worker. `used` lends its memory.
    fn anew<K>(&self, used: Option<Filled<L, K>>) -> Option<RecordScope<L>> {
        let used = used.map(|used| used.scope.into_inner());
        self.scope.beside(self.scope.inner().anew(used)?)
    }
}

impl<L: Worker> Serve<Piece> for Filler<L> {
    type Done = Filled<L, Counter>;

    fn work(&mut self, piece: &Piece, used: Option<Self::Done>) -> Option<Self::Done> {
        let mut scope = self.anew(used)?;
        let mut reader = self.reader.beside(scope.depth())?;
        reader.jump(piece.at());
        let mut input = InMemory::new(piece.bytes(), Origin::default());
        input.more(usize::MAX);
        if !input.is_whole() {
            return None;
        }
        let given = InputView::Text { text: input.given().text(), last: false };
        if !is_read_to_its_end(&mut scope, &mut reader, given) || reader.offset() != piece.end() {
            return None;
        }
        let mut counted = Counter::new();
        counted.advance(piece.bytes());
        Some(Filled { reader, scope, counted })
    }
}

/// Its reader stays with the thread, because it holds pages of the file.
impl<L: Worker> Serve<Members> for Filler<L> {
    type Done = Filled<L, u64>;

    fn work(&mut self, piece: &Members, used: Option<Self::Done>) -> Option<Self::Done> {
        let mut scope = self.anew(used)?;
        let depth = scope.depth();
        piece.lead(self.reader.binary_mut()?, depth);
        if !is_read_to_its_end(&mut scope, &mut self.reader, piece.given()) {
            return None;
        }
        let reader = self.reader.beside(depth)?;
        let counted = self.reader.binary_mut()?.told();
        Some(Filled { reader, scope, counted })
    }
}

/// Whether a reader reads all of a piece without a fault, and the worker takes all of it.
fn is_read_to_its_end<L: Worker>(
    scope: &mut RecordScope<L>,
    reader: &mut Reader,
    given: InputView<'_>,
) -> bool {
    let read = L::read_piece(scope, reader, given);
    matches!(read, Ok(Step::More)) && reader.take_repairs().is_empty()
}
