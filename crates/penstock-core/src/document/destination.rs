//! Gathering as the destination of a run.

use super::{Gather, MOST_TEXT, Refusal};
use crate::error::{Fail, brief};
use crate::path_step::PathStep;
use crate::protocol::{Destination, FormatReader, InputView, Misfit, Refused, Sink, Step};
use std::convert::Infallible;

/// There is no memory for the words of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

impl Destination for Gather {
    type Error = Refusal;
    type Cause = Infallible;
    type Break = NoMemory;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run(given, self)
    }

    #[cold]
    fn refused(&mut self, refusal: Refusal, given: InputView<'_>) -> Refused<Infallible, NoMemory> {
        let path = self.path(given.text());
        match refusal {
            Refusal::Memory => Refused::Break(NoMemory),
            Refusal::TooLong(at) => {
                let reason = format!("a document of more than {MOST_TEXT} bytes cannot be opened");
                Refused::Misfit(Misfit { limit: true, ..Misfit::new(at, reason, path) })
            }
            Refusal::Foreign(at) => {
                let reason = "an opened document cannot hold a value of this kind".to_owned();
                Refused::Misfit(Misfit::new(at, reason, path))
            }
            Refusal::Again(at) => {
                let name = match path.last() {
                    Some(PathStep::Key(name)) => brief(name),
                    _ => String::new(),
                };
                let reason = format!("the key {name} occurs more than once");
                Refused::Misfit(Misfit::new(at, reason, path))
            }
        }
    }

    fn over_memory(&self, given: InputView<'_>) -> Option<u64> {
        let text = given.text().as_bytes().len();
        self.most.filter(|most| (text + self.memory()) as u64 > *most)
    }

    fn abandon_record(&mut self) {
        self.abandon();
    }

    fn path_so_far(&self, given: InputView<'_>) -> Vec<PathStep> {
        self.path(given.text())
    }

    fn value_path(&self, _inside: bool, given: InputView<'_>) -> Vec<PathStep> {
        self.path(given.text())
    }
}
