//! The loop from input to destination.

use super::destination::{Destination, Kept, Refused};
use super::input::{Input, Windows};
use super::policy::Policy;
use super::problem::{Failed, Failure, Misfit, Problem, Spot};
use super::repairs::RepairLog;
use crate::error::{Fail, Fault};
use crate::reader::{FormatReader, Step};
use crate::source::SourceError;

/// What a run has come to.
#[derive(Debug)]
pub enum Turn<C> {
    /// The destination asked for a pause: a record is finished, say.
    Paused,
    /// All that is at hand is read. The driver brings more input, or says that there is none.
    Dry,
    /// The end. Nothing more will come.
    End,
    /// A record is in error and passed over, and the policy is to hand the problem to the driver.
    Problem(Box<Problem<C>>),
}

/// What one call came to: a failure ends the run.
type Outcome<T, D> = Result<T, Failed<<D as Destination>::Cause, <D as Destination>::Break>>;

/// A run of one input through one reader.
#[derive(Debug)]
pub struct Run<R, I, C> {
    reader: R,
    input: I,
    policy: Policy,
    collected: Vec<Problem<C>>,
    repairs: RepairLog,
    /// How often the destination paused: records that were delivered.
    delivered: u64,
    /// Records that were in error.
    refused: u64,
    /// Records of the source that stand before this run's input.
    before: u64,
    /// Whether values at the root are counted as records.
    numbered: bool,
    /// Nothing more will be delivered.
    finished: bool,
    /// The document has ended, in good order.
    complete: bool,
}

impl<R: FormatReader, I: Input, C> Run<R, I, C> {
    /// A run at the beginning of its input. Problems name the record by its number, unless the
    /// document as a whole is the one record.
    pub fn new(reader: R, input: I, policy: Policy) -> Self {
        let numbered = !reader.is_document();
        let mut run = Run {
            reader,
            input,
            policy,
            collected: Vec::new(),
            repairs: RepairLog::default(),
            delivered: 0,
            refused: 0,
            before: 0,
            numbered,
            finished: false,
            complete: false,
        };
        run.find_reader();
        run
    }

    /// The same run, of which the first record is the one behind so many others.
    #[must_use]
    pub fn behind_records(mut self, before: u64) -> Self {
        (self.before, self.numbered) = (before, true);
        self
    }

    /// The same run, of which problems name no record.
    #[must_use]
    pub fn without_numbers(mut self) -> Self {
        self.numbered = false;
        self
    }

    /// What is read.
    pub fn input(&self) -> &I {
        &self.input
    }

    /// What is read, to bring more of it.
    #[inline(always)]
    pub fn input_mut(&mut self) -> &mut I {
        &mut self.input
    }

    /// Gives the input back.
    pub fn into_input(self) -> I {
        self.input
    }

    /// The offset in the source of the first byte that the reader is not done with.
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// How often the destination paused: records that were delivered, if it pauses for each.
    #[inline(always)]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// How many records were in error and passed over.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// What had to be repaired so far.
    pub fn repairs(&self) -> &RepairLog {
        &self.repairs
    }

    /// Whether nothing more will be delivered.
    #[inline(always)]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether the document has ended in good order: whatever follows is of no interest.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Nothing more will be asked for.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Reads on until the destination pauses, the input at hand is used up, or something is wrong.
    ///
    /// # Errors
    /// What ends the run. Afterwards it answers [`Turn::End`].
    #[inline]
    pub fn advance<D: Destination<Cause = C>>(&mut self, to: &mut D) -> Outcome<Turn<C>, D> {
        if self.finished {
            return Ok(Turn::End);
        }
        loop {
            let step = to.read_from(&mut self.reader, self.input.given());
            self.note_repairs();
            let problem = match step {
                Ok(Step::Paused) => {
                    self.delivered += 1;
                    return Ok(Turn::Paused);
                }
                Ok(Step::Stopped | Step::Done) => {
                    self.complete = true;
                    return self.end::<D>();
                }
                Ok(Step::More | Step::Again) => {
                    let input = &self.input;
                    to.place_kept(&|offset| input.locate(offset));
                    if I::DROPS {
                        self.drop_front(to);
                    }
                    let Some(fault) = self.input.fault() else {
                        return match self.input.take_over() {
                            Some(fault) => Err(self.fail(to, &fault)),
                            None => Ok(Turn::Dry),
                        };
                    };
                    self.bad_text(to, &fault)?
                }
                Err(Fail::Input(fault)) => self.bad_input(to, &fault)?,
                Err(Fail::Sink(error)) => self.bad_value(to, error)?,
            };
            if let Some(problem) = problem {
                return Ok(Turn::Problem(problem));
            }
        }
    }

    /// To be called when input was brought, or could not be.
    ///
    /// # Errors
    /// What ends the run: the source could not be read on, or holds more than the limits allow.
    #[inline]
    pub fn brought<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        brought: Result<(), SourceError>,
    ) -> Outcome<(), D> {
        match brought {
            Ok(()) => {
                self.find_reader();
                Ok(())
            }
            Err(error) => Err(self.source_failed(to, error)),
        }
    }

    /// The reader stands where the input begins: a byte order mark may stand before it.
    #[inline(always)]
    fn find_reader(&mut self) {
        if self.reader.base() != self.input.base() {
            self.reader.jump(self.input.base());
        }
    }

    #[inline(always)]
    fn note_repairs(&mut self) {
        let made = self.reader.take_repairs();
        if !made.is_empty() {
            let given = self.input.given();
            self.repairs.add(&made, &self.input.counted(), given.text().as_bytes());
        }
    }

    /// Drops what the reader and the destination are done with.
    fn drop_front<D: Destination<Cause = C>>(&mut self, to: &D) {
        let mut done = self.reader.consumed();
        if let Some(from) = to.keeps() {
            let before = from.saturating_sub(self.reader.base());
            done = done.min(usize::try_from(before).unwrap_or(usize::MAX));
        }
        self.input.consume(done);
        self.reader.drop_front(done);
    }

    /// The end, in good order: of all that was collected.
    fn end<D: Destination<Cause = C>>(&mut self) -> Outcome<Turn<C>, D> {
        self.finished = true;
        if self.collected.is_empty() {
            return Ok(Turn::End);
        }
        Err(Box::new(Failure::Collected(std::mem::take(&mut self.collected))))
    }

    /// Bytes that are not text, behind the text that was read.
    #[cold]
    fn bad_text<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let lost = self.reader.is_lost();
        let problem = if lost { None } else { self.bad_input(to, fault)? };
        let reader = &mut self.reader;
        self.input.pass_fault(&mut |bytes| reader.pass_bytes(bytes));
        self.reader.jump(self.input.base());
        Ok(problem)
    }

    /// Input that is not the format. Reading goes on behind it only where the reader can find out
    /// where the next record begins.
    #[cold]
    fn bad_input<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        if !self.reader.can_recover() || self.policy == Policy::Raise {
            return Err(self.fail(to, fault));
        }
        let mut problem = None;
        if !self.reader.is_abandoned() {
            let kept = to.take_kept();
            problem = self.pass_over(to, |run, to| {
                let problem = Problem::of_fault(fault, run.spot_of_fault(to, fault.offset()));
                run.with_kept(to, problem, kept)
            })?;
        }
        to.restart();
        self.reader.recover();
        Ok(problem)
    }

    /// A value that does not fit, or a destination that gives up.
    #[cold]
    fn bad_value<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        error: D::Error,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let misfit = match to.refused(error, self.input.given()) {
            Refused::Misfit(misfit) => misfit,
            Refused::Break(why) => {
                self.finished = true;
                // What gave up was making a container, not one of its values.
                let at = to.broke_at().unwrap_or_else(|| self.reader.offset());
                let spot = self.spot(to, at, false);
                return Err(Box::new(Failure::Broken(why, spot)));
            }
        };
        let kept = to.take_kept();
        let single = self.reader.is_document() && to.inner_records().is_none();
        if single || self.policy == Policy::Raise {
            self.finished = true;
            let problem = self.misfit(to, misfit);
            return Err(Box::new(Failure::One(self.with_kept(to, problem, kept))));
        }
        let problem = self.pass_over(to, |run, to| {
            let problem = run.misfit(to, misfit);
            run.with_kept(to, problem, kept)
        })?;
        let depth = to.record_depth();
        to.abandon_record();
        self.reader.abandon(depth);
        Ok(problem)
    }

    /// Does with the problem of a record what the policy says. The problem is described only for
    /// those who look at it.
    fn pass_over<D: Destination<Cause = C>>(
        &mut self,
        to: &D,
        describe: impl FnOnce(&Self, &D) -> Problem<C>,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let problem = self.policy.describes().then(|| describe(self, to));
        self.refused += 1;
        match (self.policy, problem) {
            (Policy::Hand, Some(problem)) => return Ok(Some(Box::new(problem))),
            (Policy::Collect { most }, Some(problem)) => {
                if self.collected.len() >= most {
                    self.finished = true;
                    let collected = std::mem::take(&mut self.collected);
                    return Err(Box::new(Failure::Collected(collected)));
                }
                self.collected.push(problem);
            }
            (Policy::Raise | Policy::Skip, _) | (_, None) => {}
        }
        Ok(None)
    }

    /// Ends the run for a fault that the driver found, with all that was collected before.
    pub fn fail<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Failed<C, D::Break> {
        self.finished = true;
        let kept = to.take_kept();
        let problem = Problem::of_fault(fault, self.spot_of_fault(to, fault.offset()));
        let problem = self.with_kept(to, problem, kept);
        if self.collected.is_empty() {
            return Box::new(Failure::One(problem));
        }
        let mut collected = std::mem::take(&mut self.collected);
        collected.push(problem);
        Box::new(Failure::Collected(collected))
    }

    /// The failure for a source that cannot be read on.
    #[cold]
    fn source_failed<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        error: SourceError,
    ) -> Failed<C, D::Break> {
        match error {
            SourceError::Fault(fault) => self.fail(to, &fault),
            SourceError::Io(error) => {
                self.finished = true;
                let Kept { misfits, omitted } = to.take_kept();
                let others = misfits.into_iter().map(|misfit| self.misfit(to, misfit)).collect();
                let path = to.path_so_far(self.input.given());
                let place = self.input.locate(self.input.end());
                let spot = Spot { place, record: self.record(to), path };
                Box::new(Failure::Source { error, spot, others, omitted })
            }
        }
    }

    /// What the run says of a value that does not fit.
    fn misfit<D: Destination<Cause = C>>(&self, to: &D, misfit: Misfit<C>) -> Problem<C> {
        let mut misfit = misfit;
        let mut path = to.record_path();
        path.append(&mut misfit.path);
        let known = misfit.place.take().map(|place| *place);
        let place = known.or_else(|| self.input.locate(misfit.at));
        let spot = Spot { place, record: self.record(to), path };
        Problem::of_misfit(misfit, spot)
    }

    /// The problem together with what else was kept of its record.
    fn with_kept<D: Destination<Cause = C>>(
        &self,
        to: &D,
        mut problem: Problem<C>,
        kept: Kept<C>,
    ) -> Problem<C> {
        problem.others = kept.misfits.into_iter().map(|misfit| self.misfit(to, misfit)).collect();
        problem.omitted = kept.omitted;
        problem
    }

    /// Where a fault stands. One between records is in none of them.
    fn spot_of_fault<D: Destination<Cause = C>>(&self, to: &D, offset: u64) -> Spot {
        if to.inner_records().is_some_and(|(_, within)| !within) {
            return Spot { place: self.input.locate(offset), record: None, path: Vec::new() };
        }
        self.spot(to, offset, true)
    }

    /// Where something stands: at the value at hand of the record at hand, or at the container
    /// around that value if not `inside`.
    fn spot<D: Destination<Cause = C>>(&self, to: &D, offset: u64, inside: bool) -> Spot {
        let mut path = to.record_path();
        path.extend(to.value_path(inside, self.input.given()));
        Spot { place: self.input.locate(offset), record: self.record(to), path }
    }

    /// The number of the record at hand, from 1.
    fn record<D: Destination<Cause = C>>(&self, to: &D) -> Option<u64> {
        match to.inner_records() {
            Some((begun, _)) => Some(self.before + begun).filter(|_| begun > 0),
            None => {
                let number = self.before + self.delivered + to.ready() + self.refused + 1;
                self.numbered.then_some(number)
            }
        }
    }
}

impl<R: FormatReader, C> Run<R, Windows, C> {
    /// Takes in a chunk that the caller pushes.
    ///
    /// # Errors
    /// What ends the run.
    pub fn push<D: Destination<Cause = C>>(&mut self, to: &mut D, chunk: &[u8]) -> Outcome<(), D> {
        let pushed = self.input.push(chunk).map_err(SourceError::from);
        self.brought(to, pushed)
    }

    /// Says that no chunk will follow.
    ///
    /// # Errors
    /// What ends the run.
    pub fn push_end<D: Destination<Cause = C>>(&mut self, to: &mut D) -> Outcome<(), D> {
        let ended = self.input.push_end().map_err(SourceError::from);
        self.brought(to, ended)
    }
}
