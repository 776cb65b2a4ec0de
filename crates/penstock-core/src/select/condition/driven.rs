//! Records that a condition wants, as the destination of a run.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use super::{Condition, Filtered, Left};
use crate::error::{Fail, Fault, brief};
use crate::path_step::PathStep;
use crate::protocol::{
    Copies, Destination, Discard, FormatReader, InputView, Listener, Refused, Sink, Step,
};
use crate::select::Select;
use crate::shape::Shape;

/// Where the records are of which some are wanted.
#[derive(Debug)]
pub enum Where<D> {
    /// Each value at the root is a record.
    Root(Filtered<D>),
    /// The records are inside the document.
    Inside(Select<Filtered<D>>),
}

/// Says which grammars are compiled for records of a condition: for objects those of JSON and XML, which
/// report each value by a call. Nothing is read with it.
struct Copied<D>(PhantomData<D>);

impl<D: Destination> Destination for Copied<D> {
    type Error = Infallible;
    type Cause = Infallible;
    type Break = Infallible;

    const SHAPE: Option<Shape> = D::SHAPE;
    const COPIES: Copies = match D::COPIES {
        Copies::All => Copies::Common,
        Copies::Common | Copies::None => Copies::None,
    };

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Infallible>> {
        reader.run_dyn(given, &mut Discard)
    }
    fn refused(&mut self, error: Infallible, _: InputView<'_>) -> Refused<Infallible, Infallible> {
        match error {}
    }
    fn abandon_record(&mut self) {}
}

impl<E, D: Destination<Error = E> + Listener + Sink<Error = E>> Where<D> {
    /// Lets the reader parse the input. A record that is not wanted is left, as one in error would be.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    pub fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<E>> {
        self.read_by(reader, |some, reader| match some {
            Where::Root(filtered) => reader.run_for::<Copied<D>, _>(given, filtered),
            Where::Inside(select) => reader.run_for::<Copied<D>, _>(given, select),
        })
    }

    /// The same for a reader that `run` lets parse, with a sink in front of the records.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    pub(crate) fn read_by<R: FormatReader>(
        &mut self,
        reader: &mut R,
        mut run: impl FnMut(&mut Self, &mut R) -> Result<Step, Fail<Left<E>>>,
    ) -> Result<Step, Fail<E>> {
        loop {
            match run(self, reader) {
                Ok(step) => return Ok(step),
                Err(Fail::Input(fault)) => return Err(Fail::Input(fault)),
                Err(Fail::Sink(Left::Refused(error))) => return Err(Fail::Sink(error)),
                Err(Fail::Sink(Left::Lacks(lacking))) => {
                    let reason = format!("where: there is no column {}", brief(&lacking.column));
                    let refusal = self.filtered().inner().refusal(lacking.at, reason.clone());
                    return Err(match refusal {
                        Some(error) => Fail::Sink(error),
                        None => Fail::Input(Fault::malformed(lacking.at, reason)),
                    });
                }
                Err(Fail::Sink(Left::Out)) => {
                    let depth = self.record_depth();
                    self.abandon_record();
                    self.filtered_mut().leave();
                    reader.abandon(depth);
                }
            }
        }
    }

    /// Gives up the current record.
    pub fn abandon_record(&mut self) {
        match self {
            Where::Root(filtered) => {
                filtered.forget();
                filtered.inner_mut().abandon_record();
            }
            Where::Inside(select) => select.abandon(),
        }
    }

    /// Forgets the document as well.
    pub fn restart(&mut self) {
        match self {
            Where::Root(filtered) => {
                filtered.forget();
                filtered.inner_mut().restart();
            }
            Where::Inside(select) => select.restart(),
        }
    }

    /// From which byte on the text must stay in memory.
    pub fn keeps(&self) -> Option<u64> {
        match (self.filtered().refused_at(), self.filtered().inner().keeps()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}

impl<D: Listener> Where<D> {
    /// The filter.
    pub fn filtered(&self) -> &Filtered<D> {
        match self {
            Where::Root(filtered) => filtered,
            Where::Inside(select) => select.inner(),
        }
    }

    /// The filter.
    pub fn filtered_mut(&mut self) -> &mut Filtered<D> {
        match self {
            Where::Root(filtered) => filtered,
            Where::Inside(select) => select.inner_mut(),
        }
    }

    /// The condition.
    pub fn condition(&self) -> &Arc<Condition> {
        self.filtered().condition()
    }

    /// How many maps and lists are open outside the record.
    pub fn record_depth(&self) -> usize {
        match self {
            Where::Root(_) => 0,
            Where::Inside(select) => select.record_depth(),
        }
    }

    /// The path from the root to the current record.
    pub fn record_path(&self) -> Vec<PathStep> {
        match self {
            Where::Root(_) => Vec::new(),
            Where::Inside(select) => select.path_prefix(),
        }
    }
}
