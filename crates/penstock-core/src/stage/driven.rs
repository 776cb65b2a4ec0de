//! The stage that replays, as the destination of a run.

use super::{Replay, ReplayError};
use crate::error::Fail;
use crate::path_step::PathStep;
use crate::position::Place;
use crate::protocol::{
    Destination, FormatReader, Given, Kept, Listener, Misfit, Refused, Sink, Step,
};

impl<E, D: Destination<Error = E> + Listener<Error = E>> Destination for Replay<D> {
    type Error = ReplayError<E>;
    type Cause = D::Cause;
    type Break = D::Break;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<ReplayError<E>>> {
        reader.run(given, self)
    }
    fn refused(&mut self, error: ReplayError<E>, given: Given<'_>) -> Refused<D::Cause, D::Break> {
        match error {
            ReplayError::Sink(error) => self.inner_mut().refused(error, given),
            ReplayError::TooFar { at, limit } => {
                let reason = format!(
                    "the first {limit} bytes of the object do not say of which class it is \
                     (limits.lookahead): the key that does should come first"
                );
                let path = self.inner().value_path(false, given);
                let misfit = Misfit { limit: true, ..Misfit::new(at, reason, path) };
                Refused::Misfit(misfit)
            }
        }
    }
    fn broke_at(&self) -> Option<u64> {
        self.inner().broke_at()
    }
    fn meet_problem(&mut self, begun: Option<u64>) {
        self.inner_mut().meet_problem(begun);
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn restart(&mut self) {
        self.abandon();
        self.inner_mut().restart();
    }
    fn record_path(&self) -> Vec<PathStep> {
        self.inner().record_path()
    }
    fn value_path(&self, inside: bool, given: Given<'_>) -> Vec<PathStep> {
        self.inner().value_path(inside, given)
    }
    fn path_so_far(&self, given: Given<'_>) -> Vec<PathStep> {
        self.inner().path_so_far(given)
    }
    fn record_depth(&self) -> usize {
        self.inner().record_depth()
    }
    fn inner_records(&self) -> Option<(u64, bool, bool)> {
        self.inner().inner_records()
    }
    fn ready(&self) -> u64 {
        self.inner().ready()
    }
    /// A held-back event may be refused late, and its position is looked up only then.
    fn keeps(&self) -> Option<u64> {
        match (self.holds_from(), self.inner().keeps()) {
            (Some(held), Some(kept)) => Some(held.min(kept)),
            (held, kept) => held.or(kept),
        }
    }
    fn over_memory(&self, given: Given<'_>) -> Option<u64> {
        self.inner().over_memory(given)
    }
    fn take_kept(&mut self) -> Kept<D::Cause> {
        self.inner_mut().take_kept()
    }
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        self.inner_mut().place_kept(locate);
    }
}
