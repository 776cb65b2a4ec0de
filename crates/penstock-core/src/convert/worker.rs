//! Records of a piece of the text, converted in a thread of their own.
//!
//! A worker is what the run has: the same stage and a writer of the same kind, which begins between
//! two records and writes with each one what stands before it. So the run hands the worker's text on
//! as it is. What the writer knows of the records before is settled by then, such as the columns
//! of a table; if it is not, there is no worker.

use super::conversion::read;
use super::{Body, Stage, Stopped};
use crate::convert::Output;
use crate::error::Fail;
use crate::protocol::{FormatReader, InputView, Step, Trail};
use crate::run::RecordScope;
use crate::split::{PIECE_MEMORY, Shares, Worker};
use crate::writer::Unwritable;

impl Stage {
    /// What stands in between for other records. None if they must be known to each other.
    fn beside(&self) -> Option<Stage> {
        Some(match self {
            Stage::Nothing => Stage::Nothing,
            Stage::Plain(plain) => Stage::Plain(Box::new(plain.beside())),
            Stage::Elements(elements) => Stage::Elements(Box::new(elements.beside()?)),
            Stage::Lists(_) => Stage::Lists(super::Lists::new()),
            Stage::Members(members) => Stage::Members(Box::new(members.beside())),
        })
    }
}

impl<O: Output> Body<'_, O> {
    fn beside(&self) -> Option<Body<'static, O>> {
        Some(Body {
            stage: self.stage.beside()?,
            out: self.out.beside()?,
            trail: Trail::new(),
            depth: 0,
            at: 0,
            records: 0,
            most: u64::MAX,
            memory: self.memory,
            name: None,
            names_records: self.names_records,
            repeats: false,
            cut: self.cut.clone(),
        })
    }
}

impl<O: Output<Error: Send> + Send + 'static> Worker for Body<'static, O> {
    fn anew(&self, used: Option<Self>) -> Option<Self> {
        match used {
            // Between two records, it has nothing but memory and what it knows of keys.
            Some(mut used) if used.depth == 0 && self.out.agrees(&used.out) => {
                (used.records, used.name) = (0, None);
                used.out.clear();
                Some(used)
            }
            _ => self.beside(),
        }
    }
    fn read_piece<R: FormatReader>(
        scope: &mut RecordScope<Self>,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Unwritable>> {
        let step = read(scope, reader, given)?;
        let body = scope.inner_mut();
        if body.depth == 0 {
            body.out.hand().map_err(Fail::Sink)?;
        }
        Ok(step)
    }
}

impl<O: Output<Error: Send> + Send + 'static> Shares for Body<'_, O> {
    type Worker = Body<'static, O>;

    fn worker(&self, _others: bool) -> Option<Body<'static, O>> {
        // No record of a piece takes so much memory. Nobody looks whether it takes less.
        let is_bounded = self.memory.is_none_or(|most| most >= PIECE_MEMORY);
        if is_bounded { self.beside() } else { None }
    }
    fn can_take(&self, worker: &Body<'static, O>) -> bool {
        self.out.agrees(&worker.out)
    }
    fn take_over(
        &mut self,
        worker: &mut Body<'static, O>,
        _from: usize,
    ) -> Result<Option<usize>, Stopped<O::Error>> {
        if self.out.take_over(&worker.out, worker.records).is_err() {
            return Err(self.out.lost.take().map_or(Stopped::Memory, Stopped::Output));
        }
        self.records += worker.records;
        Ok(None)
    }
}
