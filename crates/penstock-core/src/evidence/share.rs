//! Evidence as the destination of a run, and how threads share its work.

use super::sink::{Evidence, Refusal};
use crate::error::Fail;
use crate::path_step::PathStep;
use crate::protocol::{Destination, FormatReader, InputView, Misfit, Refused, Sink, Step};
use crate::split::{Shares, Worker};
use std::convert::Infallible;

impl Destination for Evidence {
    type Error = Refusal;
    type Cause = Infallible;
    type Break = Infallible;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run_dyn(given, self)
    }
    fn refused(&mut self, refusal: Refusal, _: InputView<'_>) -> Refused<Infallible, Infallible> {
        Refused::Misfit(*refusal)
    }
    fn refusal(&self, at: u64, reason: String) -> Option<Refusal> {
        Some(Box::new(Misfit::new(at, reason, Vec::new())))
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _: InputView<'_>) -> Vec<PathStep> {
        self.steps(inside)
    }
    fn ready(&self) -> u64 {
        self.records()
    }
}

/// Collects the evidence of a piece on its own.
impl Worker for Evidence {
    fn anew(&self, _used: Option<Self>) -> Option<Self> {
        Some(Evidence::new())
    }
}

impl Shares for Evidence {
    type Worker = Evidence;

    fn worker(&self, others: bool) -> Option<Evidence> {
        // The columns of a table are known by then.
        if self.records() > 0 || others { self.anew(None) } else { None }
    }
    fn can_take(&self, worker: &Evidence) -> bool {
        self.has_room_for(worker)
    }
    fn take_over(
        &mut self,
        worker: &mut Evidence,
        _from: usize,
    ) -> Result<Option<usize>, Infallible> {
        self.take_in(std::mem::take(worker));
        Ok(None)
    }
}
