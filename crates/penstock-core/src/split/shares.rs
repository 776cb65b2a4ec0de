//! Destinations whose records others can take beside them.

use crate::error::Fail;
use crate::protocol::{Destination, FormatReader, InputView, Listener, Sink, Step};
use crate::run::RecordScope;

/// No record of a piece takes more memory than this: pieces have at most 64 MiB. If a destination
/// has a limit below it, nobody reads beside it, because nobody would look whether a record is too
/// large.
pub const PIECE_MEMORY: u64 = 2 << 30;

/// Takes the records of pieces in a thread of its own, as the destination of a run would take them.
/// It tells no problem: a piece of which it does not take everything is read by the run itself.
pub trait Worker:
    Listener + Destination<Error = <Self as Sink>::Error> + Send + Sized + 'static
{
    /// An empty one that takes records in the same way. `used` lends its memory.
    fn anew(&self, used: Option<Self>) -> Option<Self>;

    /// Lets a reader parse a piece, and receives the events that `scope` leads to it.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    fn read_piece<R: FormatReader>(
        scope: &mut RecordScope<Self>,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<<Self as Sink>::Error>> {
        scope.read_from(reader, given)
    }
}

/// A destination that shares its work with others.
pub trait Shares: Listener + Destination<Error = <Self as Sink>::Error> {
    /// What takes records beside it.
    type Worker: Worker;

    /// What takes records as this destination does. None if nobody else can, now or at all. `others` says whether
    /// there were records that a condition has left out.
    fn worker(&self, others: bool) -> Option<Self::Worker>;

    /// Whether it can take over what a worker has taken, and then has what it would have if it had read
    /// the piece itself. Otherwise the run reads the piece.
    fn can_take(&self, _lane: &Self::Worker) -> bool {
        true
    }

    /// Takes over what a worker has taken, from the part on that this number says: 0, or what this
    /// has answered. None if that was all of it. Otherwise it is full: the driver empties it, and
    /// then calls this again with the answer.
    ///
    /// # Errors
    /// It cannot go on.
    fn take_over(
        &mut self,
        worker: &mut Self::Worker,
        from: usize,
    ) -> Result<Option<usize>, Self::Break>;
}
