//! Building as the end of a run.

use super::builder::Builder;
use super::refusal::{PathStep, Refusal, Why};
use crate::failure;
use penstock_core::error::Fail;
use penstock_core::position::Place;
use penstock_core::reader::{FormatReader, Step};
use penstock_core::run::{Destination, Given, Kept, Refused};
use penstock_core::sink::Sink;
use pyo3::prelude::*;

impl Destination for Builder {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = PyErr;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run(given, self)
    }
    fn refused(&mut self, refusal: Refusal, _given: Given<'_>) -> Refused<PyErr, PyErr> {
        match refusal.why() {
            Why::Mismatch(mismatch) => Refused::Misfit(mismatch),
            Why::Kept => Refused::Break(failure::untold()),
            Why::Python(error) => Refused::Break(error),
        }
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _given: Given<'_>) -> Vec<PathStep> {
        self.path(inside)
    }
    fn ready(&self) -> u64 {
        Builder::ready(self) as u64
    }
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        Builder::keeps(self)
    }
    fn take_kept(&mut self) -> Kept<PyErr> {
        let problems = self.take_problems();
        Kept { misfits: problems.kept, omitted: problems.omitted }
    }
    #[inline(always)]
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        for misfit in self.unplaced() {
            misfit.place = locate(misfit.at).map(Box::new);
        }
    }
}
