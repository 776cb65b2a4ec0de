//! The stage that replays, as the destination of a run.

use super::{Replay, ReplayError};
use crate::error::Fail;
use crate::forward;
use crate::protocol::{
    Destination, FormatReader, InputView, Listener, Misfit, Refused, Sink, Step,
};

/// Forwards a call to the sink that gets the events. Where that is not all, the method is written by
/// hand.
macro_rules! inner {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(inner! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut refused $($rest:tt)*) => {};
    (@ ref refusal $($rest:tt)*) => {};
    (@ mut abandon_record $($rest:tt)*) => {};
    (@ mut restart $($rest:tt)*) => {};
    (@ ref keeps $($rest:tt)*) => {};
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.inner_mut().$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.inner().$method($($name),*)
        }
    };
}

impl<E, D: Destination<Error = E> + Listener<Error = E>> Destination for Replay<D> {
    type Error = ReplayError<E>;
    type Cause = D::Cause;
    type Break = D::Break;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<ReplayError<E>>> {
        reader.run(given, self)
    }
    fn refused(
        &mut self,
        error: ReplayError<E>,
        given: InputView<'_>,
    ) -> Refused<D::Cause, D::Break> {
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
    forward!(destination, inner);

    fn refusal(&self, at: u64, reason: String) -> Option<ReplayError<E>> {
        self.inner().refusal(at, reason).map(ReplayError::Sink)
    }

    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn restart(&mut self) {
        self.abandon();
        self.inner_mut().restart();
    }
    /// A held-back event may be refused late, and its position is looked up only then.
    fn keeps(&self) -> Option<u64> {
        match (self.holds_from(), self.inner().keeps()) {
            (Some(held), Some(kept)) => Some(held.min(kept)),
            (held, kept) => held.or(kept),
        }
    }
}
