//! How the destination of a run takes over what the threads have made.

use super::filler::Filled;
use super::pool::Pool;
use crate::formats::Reader;
use crate::run::{Failed, Input, RecordScope, Run, Windows};
use crate::split::point::RecordStart;
use crate::split::shares::{Shares, Worker};

/// What the destination takes over. Of each piece, a thread says a `K`.
#[derive(Debug)]
pub(super) struct Taking<L, K> {
    now: Option<Piece<L, K>>,
    count: u64,
}

/// What a thread has made of a piece.
#[derive(Debug)]
struct Piece<L, K> {
    filled: Filled<L, K>,
    /// From which part on it is still to be taken over.
    from: usize,
    /// The beginning of the piece.
    begin: Option<RecordStart>,
}

/// The point at which a piece begins, at which a run stands. None if no other reader can begin there.
pub(super) fn begin_of_piece<S: Shares>(
    run: &Run<Reader, Windows, S::Cause>,
    scope: &RecordScope<S>,
) -> Option<RecordStart> {
    let stand = run.reader().stand_behind()?;
    let (counted, records) = (run.input().counted(), run.records(scope));
    Some(RecordStart { counted, records, stand, open: scope.open_behind() })
}

impl<L: Worker, K> Taking<L, K> {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Taking { now: None, count: 0 }
    }

    /// How many pieces were taken over, or are being taken over.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Of the piece that is being taken over: its beginning, from which part on, and the way to the worker.
    pub(super) fn now(&self) -> Option<(Option<&RecordStart>, usize, &RecordScope<L>)> {
        let Piece { filled, from, begin } = self.now.as_ref()?;
        Some((begin.as_ref(), *from, &filled.scope))
    }

    /// Whether a run that stands where a piece begins would go on behind it as the thread that has read
    /// it, and its destination can take it over.
    pub(super) fn can_take<S: Shares<Worker = L>>(
        run: &Run<Reader, Windows, S::Cause>,
        scope: &RecordScope<S>,
        filled: &Filled<L, K>,
    ) -> bool {
        run.reader().goes_on_as(&filled.reader)
            && scope.goes_on_as(&filled.scope)
            && scope.inner().can_take(filled.scope.inner())
    }

    /// The run has passed a piece: the destination counts what is in it, and takes it over as soon as
    /// this [goes on](Self::go_on).
    pub(super) fn begin<S: Shares<Worker = L>>(
        &mut self,
        scope: &mut RecordScope<S>,
        filled: Filled<L, K>,
        begin: Option<RecordStart>,
    ) {
        scope.pass(&filled.scope);
        self.count += 1;
        self.now = Some(Piece { filled, from: 0, begin });
    }

    /// Has the destination take over what is left of the piece. Whether it is full before that is done.
    pub(super) fn go_on<S: Shares<Worker = L>, P: Send + Sync + 'static>(
        &mut self,
        run: &mut Run<Reader, Windows, S::Cause>,
        scope: &mut RecordScope<S>,
        pool: Option<&Pool<P, Filled<L, K>>>,
    ) -> Result<bool, Failed<S::Cause, S::Break>>
    where
        K: Send + 'static,
    {
        let Some(Piece { mut filled, from, begin }) = self.now.take() else {
            return Ok(false);
        };
        match scope.inner_mut().take_over(filled.scope.inner_mut(), from) {
            Ok(None) => {
                if let Some(pool) = pool {
                    pool.take_back(filled);
                }
            }
            Ok(Some(next)) => {
                self.now = Some(Piece { filled, from: next, begin });
                return Ok(true);
            }
            Err(why) => return Err(run.break_off(scope, why)),
        }
        Ok(false)
    }
}
