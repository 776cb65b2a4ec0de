//! The handler's messages as the destination of a run.

use super::sink::Messages;
use penstock_core::error::Fail;
use penstock_core::protocol::{Destination, FormatReader, InputView, Refused, Step};
use pyo3::prelude::*;

impl Destination for Messages<'_> {
    type Error = Box<PyErr>;
    type Cause = PyErr;
    type Break = Box<PyErr>;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Box<PyErr>>> {
        reader.run_dyn(given, self)
    }
    fn refused(&mut self, error: Box<PyErr>, _given: InputView<'_>) -> Refused<PyErr, Box<PyErr>> {
        Refused::Break(error)
    }
    /// A method is called when its element ends, and the error is reported at the element.
    fn broke_at(&self) -> Option<u64> {
        Some(self.raised_at())
    }
    fn abandon_record(&mut self) {}
}
