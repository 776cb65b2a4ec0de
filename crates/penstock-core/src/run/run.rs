//! The loop from input to destination.

use super::input::{Input, Windows};
use super::policy::Policy;
use super::problem::{Failed, Failure, Problem, Spot};
use super::raw::Waiting;
use super::repairs::RepairLog;
use crate::error::{Fail, Fault, Kind};
use crate::path_step::PathStep;
use crate::position::Counter;
use crate::protocol::{Code, Destination, FormatReader, Kept, Misfit, Refused, Step};
use crate::source::SourceError;
use penstock_scan::{check_reserve, gathered, make_room};

/// The result of [`Run::advance`].
#[derive(Debug)]
pub enum Turn<C> {
    /// The destination asked for a pause, for example because a record is finished.
    Paused,
    /// The reader has read all input at hand. The driver brings more input, or declares its end.
    Dry,
    /// The end. No more records will come.
    End,
    /// A record was in error and skipped, and the policy is to hand the problem to the driver.
    Problem(Box<Problem<C>>),
}

/// The result of one call: a failure ends the run.
pub(super) type Outcome<T, D> =
    Result<T, Failed<<D as Destination>::Cause, <D as Destination>::Break>>;

/// A run of one input through one reader.
#[derive(Debug)]
pub struct Run<R, I, C> {
    pub(super) reader: R,
    pub(super) input: I,
    pub(super) policy: Policy,
    collected: Vec<Problem<C>>,
    /// The problem of the current record, while the rest of the record comes.
    pub(super) waiting: Option<Box<Waiting<C>>>,
    /// Whether a document that is its only record is read to its end although it is in error.
    looks_on: bool,
    /// The problem of such a document, while the rest of it is read.
    held: Option<Box<Problem<C>>>,
    repairs: RepairLog,
    /// Why no more input will come, if that is not its end. The run reports it when the reader has
    /// read the text before it.
    pub(super) cut: Option<Fault>,
    /// How often the destination paused: the number of delivered records.
    delivered: u64,
    /// The number of records in error.
    refused: u64,
    /// The number of records in the source before this run's input.
    pub(super) before: u64,
    /// Whether values at the root are counted as records.
    pub(super) numbered: bool,
    /// If a document without records is an error: what it says.
    wanted: Option<(Box<str>, bool)>,
    /// Why there should have been records, if there were none and that is no error.
    lack: Option<Box<str>>,
    /// Whether a part may end within a record, which is left then.
    leaves_torn: bool,
    /// No more records will be delivered.
    finished: bool,
    /// The document has ended without an error.
    complete: bool,
}

impl<R: FormatReader, I: Input, C> Run<R, I, C> {
    /// A run at the beginning of its input. Problems give the number of the record, unless the
    /// whole document is the one record.
    pub fn new(reader: R, input: I, policy: Policy) -> Self {
        let numbered = !reader.is_document();
        let mut run = Run {
            reader,
            input,
            policy,
            collected: Vec::new(),
            waiting: None,
            looks_on: false,
            held: None,
            repairs: RepairLog::default(),
            cut: None,
            delivered: 0,
            refused: 0,
            before: 0,
            numbered,
            wanted: None,
            lack: None,
            leaves_torn: false,
            finished: false,
            complete: false,
        };
        run.find_reader();
        run
    }

    /// From now on, a document that is its only record is read to its end although it is in error,
    /// and a fault behind that is reported with its problems.
    pub fn look_on(&mut self) {
        self.looks_on = self.reader.is_document();
    }

    /// What becomes of bad records from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// From now on, a document without records is an error with this reason. With `merely_told`, the
    /// run ends as any other one, and [`Run::take_lack`] has the reason.
    pub fn want_records(&mut self, otherwise: impl Into<Box<str>>, merely_told: bool) {
        self.wanted = Some((otherwise.into(), merely_told));
    }

    /// The reason from [`Run::want_records`], once, if the run has ended without a record.
    pub fn take_lack(&mut self) -> Option<Box<str>> {
        self.lack.take()
    }

    /// Before anything is read: the document has ended behind so many records.
    pub fn pass_all(&mut self, records: u64) {
        self.pass_records(records);
        (self.finished, self.complete) = (true, true);
    }

    /// Before anything is read: the part of the text may end within a record, of which more may come
    /// another time. It is neither delivered nor an error.
    pub fn leave_torn(&mut self) {
        self.leaves_torn = true;
    }

    /// Whether the part of the text may end within a record.
    pub fn leaves_torn(&self) -> bool {
        self.leaves_torn
    }

    /// The same run, whose first record comes after `before` other records.
    #[must_use]
    pub fn behind_records(mut self, before: u64) -> Self {
        self.pass_records(before);
        self
    }

    /// Before anything is read: the first record comes after `before` other records.
    pub fn pass_records(&mut self, before: u64) {
        (self.before, self.numbered) = (before, true);
    }

    /// The same run, whose problems give no record number.
    #[must_use]
    pub fn without_numbers(mut self) -> Self {
        self.numbered = false;
        self
    }

    /// The input.
    pub fn input(&self) -> &I {
        &self.input
    }

    /// The input, so that the driver can bring more of it.
    #[inline(always)]
    pub fn input_mut(&mut self) -> &mut I {
        &mut self.input
    }

    /// The reader.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// The reader, for whoever leads it elsewhere in an input that is kept as a whole.
    pub(crate) fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the input.
    pub fn into_input(self) -> I {
        self.input
    }

    /// The offset in the source of the first byte that the reader still needs.
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// How often the destination paused: the number of delivered records, if it pauses for each.
    #[inline(always)]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// How many records were in error and skipped.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The repairs so far.
    pub fn repairs(&self) -> &RepairLog {
        &self.repairs
    }

    /// Whether no more records will be delivered.
    #[inline(always)]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether the document has ended without an error, so that the rest of the input does not
    /// matter.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether nothing is to be told that was met in the text so far.
    pub fn is_free(&self) -> bool {
        !self.finished && self.waiting.is_none() && self.cut.is_none()
    }

    /// Ends the run: the caller wants no more records.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Reads until the destination pauses, the input at hand is used up, or there is a problem.
    ///
    /// # Errors
    /// The failure that ends the run. Afterwards the run answers [`Turn::End`].
    #[inline]
    pub fn advance<D: Destination<Cause = C>>(&mut self, to: &mut D) -> Outcome<Turn<C>, D> {
        if self.finished {
            return Ok(Turn::End);
        }
        let mut rescanned = false;
        loop {
            // What a record leaves may be small and kept: errors, objects, plans.
            check_reserve();
            if self.waiting.is_some() {
                if let Some(turn) = self.wait(to)? {
                    return Ok(turn);
                }
                // Bytes that are not text were passed with the record.
                rescanned = false;
            }
            let step = to.read_from(&mut self.reader, self.input.given());
            self.note_repairs();
            let problem = match step {
                Ok(Step::Paused) => {
                    self.delivered += 1;
                    return Ok(Turn::Paused);
                }
                Ok(Step::Stopped | Step::Done) => {
                    self.check_memory(to)?;
                    self.complete = true;
                    return self.end(to);
                }
                Ok(Step::More | Step::Again) => {
                    let input = &self.input;
                    to.place_kept(&|offset| input.locate(offset));
                    self.check_memory(to)?;
                    if I::DROPS {
                        self.drop_front(to);
                    }
                    let fault = self.input.fault();
                    if let (None, Some(end)) = (&fault, self.input.part()) {
                        // What ends a row may be the beginning of what ends other rows.
                        let is_open = self.reader.offset() < end && !self.reader.is_document();
                        let text = self.input.given().text().as_bytes();
                        let is_cut = is_open && text.ends_with(b"\r") && !self.is_torn(text);
                        if is_cut && self.input.end_part() {
                            continue;
                        }
                        return self.end_of_part(to, end);
                    }
                    if fault.is_none() && self.cut.is_none() {
                        self.cut = self.input.take_over();
                    }
                    if fault.is_none() && self.cut.is_none() {
                        return Ok(Turn::Dry);
                    }
                    if !rescanned {
                        self.reader.rescan();
                        rescanned = true;
                        continue;
                    }
                    rescanned = false;
                    match (fault, self.cut.take()) {
                        (Some(fault), _) if !self.input.goes_on() => {
                            return Err(self.fail(to, &fault));
                        }
                        (Some(fault), cut) => {
                            self.cut = cut;
                            self.bad_text(to, &fault)?
                        }
                        (None, Some(cut)) => return Err(self.fail(to, &cut)),
                        (None, None) => None,
                    }
                }
                Err(Fail::Input(fault)) => self.bad_input(to, &fault)?,
                Err(Fail::Sink(error)) => self.bad_value(to, error)?,
            };
            if let Some(problem) = problem {
                return Ok(Turn::Problem(problem));
            }
        }
    }

    /// The driver calls this when it has brought input, or has failed to.
    ///
    /// # Errors
    /// The failure that ends the run: the source failed. Damage, or more than the limits allow, is
    /// reported by [`advance`](Self::advance), after the text before it.
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
            Err(SourceError::Fault(fault)) => {
                self.cut = Some(fault);
                self.find_reader();
                Ok(())
            }
            Err(error) => Err(self.source_failed(to, error)),
        }
    }

    /// Moves the reader to where the input begins: a byte order mark may come before it.
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

    /// Fails if the destination takes more memory than it may.
    #[inline(always)]
    fn check_memory<D: Destination<Cause = C>>(&mut self, to: &mut D) -> Outcome<(), D> {
        match to.over_memory(self.input.given()) {
            None => Ok(()),
            Some(most) => Err(self.out_of_bounds(to, most)),
        }
    }

    #[cold]
    fn out_of_bounds<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        most: u64,
    ) -> Failed<C, D::Break> {
        let reason = format!("the objects take more than {most} bytes of memory (limits.memory)");
        self.fail(to, &Fault::limit(self.reader.offset(), reason))
    }

    /// Drops the bytes that neither the reader nor the destination needs any more.
    fn drop_front<D: Destination<Cause = C>>(&mut self, to: &D) {
        let mut done = self.reader.consumed();
        for from in [to.keeps(), self.keeps_record()].into_iter().flatten() {
            let before = from.saturating_sub(self.reader.base());
            done = done.min(usize::try_from(before).unwrap_or(usize::MAX));
        }
        self.input.consume(done);
        self.reader.drop_front(done);
    }

    /// The end of the document, without an error of its own: fails with the collected problems, if
    /// any, and if there is no record but should be.
    fn end<D: Destination<Cause = C>>(&mut self, to: &D) -> Outcome<Turn<C>, D> {
        self.finished = true;
        if let Some(held) = self.held.take() {
            return Err(Box::new(Failure::One(*held)));
        }
        if let Some((reason, merely_told)) = self.wanted.take()
            && self.met(to) == 0
        {
            if merely_told {
                // A list without elements has been found, and is right.
                let reached = to.inner_records().is_some_and(|(.., reached)| reached);
                self.lack = (!reached).then_some(reason);
            } else {
                let at = self.reader.offset();
                let spot = Spot { place: self.input.locate(at), record: None, path: Vec::new() };
                let misfit = Misfit::new(at, reason.into(), Vec::new());
                let problem = Problem::of_misfit(Misfit { code: Code::Empty, ..misfit }, spot);
                return Err(Box::new(Failure::One(problem)));
            }
        }
        if self.collected.is_empty() {
            return Ok(Turn::End);
        }
        Err(Box::new(Failure::Collected(std::mem::take(&mut self.collected))))
    }

    /// Whether the text at hand ends within a record of which more may come.
    #[cold]
    fn is_torn(&self, text: &[u8]) -> bool {
        let held = text.get(self.reader.consumed()..).unwrap_or_default();
        self.leaves_torn && self.reader.goes_on_behind(held)
    }

    /// The end of a part of the text, which ends where a record begins.
    #[cold]
    fn end_of_part<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        end: u64,
    ) -> Outcome<Turn<C>, D> {
        let left = self.input.given().text().as_bytes().get(self.reader.consumed()..);
        let is_read = left.is_some_and(|left| self.reader.is_settled_before_a_record(left));
        let is_read = is_read && (self.reader.offset()..=self.input.end()).contains(&end);
        let is_read = is_read && !to.inner_records().is_some_and(|(_, within, _)| within);
        if self.leaves_torn {
            self.waiting = None;
            self.complete = true;
        }
        if is_read || self.leaves_torn {
            return self.end(to);
        }
        let reason = "the part of the text does not end where a record does: it has changed";
        let fault = Fault::malformed(self.reader.offset(), reason);
        Err(self.fail(to, &fault))
    }

    /// The bytes after the text that was read are not text.
    #[cold]
    fn bad_text<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let lost = self.reader.is_lost();
        let problem = if lost { None } else { self.bad_input(to, fault)? };
        if self.waiting.is_some() {
            return Ok(None);
        }
        let reader = &mut self.reader;
        self.input.pass_fault(&mut |bytes| reader.pass_bytes(bytes));
        self.reader.jump(self.input.base());
        to.passed(self.input.counted());
        Ok(problem)
    }

    /// The input violates the format. The reader continues after it only if it can find the
    /// beginning of the next record.
    #[cold]
    fn bad_input<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let lacking = fault.kind() == Kind::Memory;
        let within = to.inner_records().is_some_and(|(_, within, _)| within);
        if !lacking && within && self.reader.passes_faults() {
            let kept = to.take_kept();
            let problem = self.pass_over(to, |run, to| {
                let problem = Problem::of_fault(fault, run.spot_of_fault(to, fault.offset()));
                run.with_kept(to, problem, kept)
            })?;
            self.abandon_record(to);
            return Ok(problem);
        }
        if lacking || !self.reader.can_recover() {
            return Err(self.fail(to, fault));
        }
        let mut problem = None;
        // A record that a condition has left out must be well formed, too.
        if !self.reader.is_abandoned() || to.take_back() {
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

    /// A value does not fit, or the destination gives up.
    #[cold]
    fn bad_value<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        error: D::Error,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        let misfit = match to.refused(error, self.input.given()) {
            Refused::Misfit(misfit) => misfit,
            Refused::Break(why) => return Err(self.break_off(to, why)),
        };
        let kept = to.take_kept();
        let single = self.reader.is_document() && to.inner_records().is_none()
            || self.reader.is_before_records();
        if single {
            let problem = self.misfit(to, misfit);
            let problem = self.with_kept(to, problem, kept);
            if std::mem::take(&mut self.looks_on) {
                self.held = Some(Box::new(problem));
                self.abandon_record(to);
                return Ok(None);
            }
            self.finished = true;
            return Err(Box::new(Failure::One(problem)));
        }
        let problem = self.pass_over(to, |run, to| {
            let problem = run.misfit(to, misfit);
            run.with_kept(to, problem, kept)
        })?;
        self.abandon_record(to);
        Ok(problem)
    }

    /// Ends the run because the destination cannot go on.
    #[cold]
    pub fn break_off<D: Destination<Cause = C>>(
        &mut self,
        to: &D,
        why: D::Break,
    ) -> Failed<C, D::Break> {
        self.finished = true;
        // The destination gave up while making a container, and not one of its values.
        let at = to.broke_at().unwrap_or_else(|| self.reader.offset());
        let spot = self.spot(to, at, false);
        Box::new(Failure::Broken(why, spot))
    }

    /// Gives up the current record, and goes on behind it.
    fn abandon_record<D: Destination<Cause = C>>(&mut self, to: &mut D) {
        let depth = to.record_depth();
        to.abandon_record();
        self.reader.abandon(depth);
    }

    /// Applies the policy to the problem of a record. The problem is described only if somebody
    /// will see it.
    fn pass_over<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        describe: impl FnOnce(&Self, &D) -> Problem<C>,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        to.meet_problem(self.reader.record().map(|(begun, ..)| begun));
        if !self.policy.describes() {
            self.refused += 1;
            return Ok(None);
        }
        let problem = describe(self, to);
        self.tell(to, problem)
    }

    /// Applies the policy to the problem of a record, which is complete.
    pub(super) fn settle<D: Destination<Cause = C>>(
        &mut self,
        problem: Problem<C>,
    ) -> Outcome<Option<Box<Problem<C>>>, D> {
        match self.policy {
            Policy::Raise => {
                self.finished = true;
                return Err(Box::new(Failure::One(problem)));
            }
            Policy::Hand => {
                self.refused += 1;
                return Ok(Some(Box::new(problem)));
            }
            Policy::Collect { most } => {
                self.refused += 1;
                if self.collected.len() >= most {
                    self.finished = true;
                    let collected = std::mem::take(&mut self.collected);
                    return Err(Box::new(Failure::Collected(collected)));
                }
                make_room(&mut self.collected, 1);
                self.collected.push(problem);
            }
            Policy::Skip => self.refused += 1,
        }
        Ok(None)
    }

    /// Ends the run with a fault that the driver found, and with all problems collected before.
    pub fn fail<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        fault: &Fault,
    ) -> Failed<C, D::Break> {
        self.finished = true;
        let kept = to.take_kept();
        let problem = Problem::of_fault(fault, self.spot_of_fault(to, fault.offset()));
        let mut problem = self.with_kept(to, problem, kept);
        self.add_waiting(&mut problem.others, &mut problem.omitted);
        if self.collected.is_empty() {
            return Box::new(Failure::One(problem));
        }
        let mut collected = std::mem::take(&mut self.collected);
        make_room(&mut collected, 1);
        collected.push(problem);
        Box::new(Failure::Collected(collected))
    }

    /// The failure for a source that cannot be read any further.
    #[cold]
    fn source_failed<D: Destination<Cause = C>>(
        &mut self,
        to: &mut D,
        error: SourceError,
    ) -> Failed<C, D::Break> {
        match error {
            SourceError::Fault(fault) => self.fail(to, &fault),
            // No input reports this: it stays dry.
            SourceError::Idle => {
                self.source_failed(to, SourceError::Io(std::io::ErrorKind::WouldBlock.into()))
            }
            SourceError::Io(error) => {
                self.finished = true;
                let Kept { misfits, mut omitted } = to.take_kept();
                let others = misfits.into_iter().map(|misfit| self.misfit(to, misfit));
                let mut others: Vec<_> = others.collect();
                self.add_waiting(&mut others, &mut omitted);
                let path = to.path_so_far(self.input.given());
                let place = self.input.locate(self.input.end());
                let spot = Spot { place, record: self.record(to), path };
                Box::new(Failure::Source { error, spot, others, omitted })
            }
        }
    }

    /// Adds the problem that waits for the end of its record, or of the document, to those before
    /// a fault that comes first.
    fn add_waiting(&mut self, others: &mut Vec<Problem<C>>, omitted: &mut u64) {
        let held = self.held.take().map(|held| *held);
        let Some(mut problem) = self.waiting.take().map(|waiting| waiting.problem).or(held) else {
            return;
        };
        *omitted += std::mem::take(&mut problem.omitted);
        let more = std::mem::take(&mut problem.others);
        others.splice(0..0, std::iter::once(problem).chain(more));
    }

    /// Makes the problem of a value that does not fit.
    fn misfit<D: Destination<Cause = C>>(&self, to: &D, misfit: Misfit<C>) -> Problem<C> {
        let mut misfit = misfit;
        let mut path = to.record_path();
        make_room(&mut path, misfit.path.len());
        path.append(&mut misfit.path);
        let known = misfit.place.take().map(|place| *place);
        let place = known.or_else(|| self.input.locate(misfit.at));
        let spot = Spot { place, record: self.record(to), path };
        Problem::of_misfit(misfit, spot)
    }

    /// Adds the other kept problems of its record to a problem.
    fn with_kept<D: Destination<Cause = C>>(
        &self,
        to: &D,
        mut problem: Problem<C>,
        kept: Kept<C>,
    ) -> Problem<C> {
        let others = kept.misfits.into_iter().map(|misfit| self.misfit(to, misfit));
        problem.others = gathered(others);
        problem.omitted = kept.omitted;
        problem
    }

    /// The position of a fault. A fault between records belongs to no record.
    fn spot_of_fault<D: Destination<Cause = C>>(&self, to: &D, offset: u64) -> Spot {
        if to.inner_records().is_some_and(|(_, within, _)| !within) {
            return Spot { place: self.input.locate(offset), record: None, path: Vec::new() };
        }
        let mut spot = self.spot(to, offset, true);
        if let Some(open) = self.reader.open_elements() {
            let of_attribute = matches!(spot.path.last(), Some(PathStep::Attribute(_)));
            spot.path.truncate(open + usize::from(of_attribute));
        }
        spot
    }

    /// The position of the current value of the current record, or of the container around that
    /// value if not `inside`.
    fn spot<D: Destination<Cause = C>>(&self, to: &D, offset: u64, inside: bool) -> Spot {
        let mut path = to.record_path();
        let mut within = to.value_path(inside, self.input.given());
        // Containers may be very deep.
        make_room(&mut path, within.len());
        path.append(&mut within);
        Spot { place: self.input.locate(offset), record: self.record(to), path }
    }

    /// How many records there were in the source, with those in error, and the current one if it
    /// is inside the document.
    pub fn records<D: Destination<Cause = C>>(&self, to: &D) -> u64 {
        self.before + self.met(to)
    }

    /// How many records there were, with those in error.
    pub(super) fn met<D: Destination<Cause = C>>(&self, to: &D) -> u64 {
        let at_root = self.delivered + to.ready() + self.refused + to.left_out();
        to.inner_records().map_or(at_root, |(begun, ..)| begun)
    }

    /// The number of the current record, from 1.
    fn record<D: Destination<Cause = C>>(&self, to: &D) -> Option<u64> {
        match to.inner_records() {
            Some((begun, ..)) => Some(self.before + begun).filter(|_| begun > 0),
            None => {
                let met = self.delivered + to.ready() + self.refused + to.left_out();
                let number = self.before + met + 1;
                (self.numbered && !self.reader.is_before_records()).then_some(number)
            }
        }
    }
}

impl<R: FormatReader, C> Run<R, Windows, C> {
    /// Takes a chunk from the caller.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub fn push<D: Destination<Cause = C>>(&mut self, to: &mut D, chunk: &[u8]) -> Outcome<(), D> {
        let pushed = self.input.push(chunk).map_err(SourceError::from);
        self.brought(to, pushed)
    }

    /// Goes on behind text that was read elsewhere, by a reader that stands where this one would:
    /// `counted` are the counts over that text alone. All text before it was read. The driver has
    /// told the destination what was in it.
    pub fn pass(&mut self, text: &[u8], counted: &Counter) {
        self.input.pass(text, counted);
        self.reader.jump(self.input.base());
    }

    /// Passes over so many bytes of the text at hand, from where the reader stands: it would stand
    /// behind them as it does before them. Whoever calls this tells the destination what is in them.
    pub(crate) fn pass_over_text(&mut self, bytes: usize) {
        self.input.consume(self.reader.consumed() + bytes);
        self.reader.jump(self.input.base());
    }

    /// Declares that no more chunks will follow.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub fn push_end<D: Destination<Cause = C>>(&mut self, to: &mut D) -> Outcome<(), D> {
        if self.cut.is_some() {
            // The input ends by that fault, which is still to be told.
            return Ok(());
        }
        let ended = self.input.push_end().map_err(SourceError::from);
        self.brought(to, ended)
    }
}
