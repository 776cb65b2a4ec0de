//! The builder as the destination of a run.

use super::filling::Filling;
use crate::columns::Made;
use crate::edge::errors;
use crate::objects::{
    Elements, FormatOptions, Keys, MarkupOptions, Options, Owned, Refusal, Side, Why,
};
use crate::plan::PlanRef;
use penstock_arrow::{Keyed, Markup, NativeSink, Worker};
use penstock_core::error::Fail;
use penstock_core::formats::Reader;
use penstock_core::forward;
use penstock_core::path_step::PathStep;
use penstock_core::position::Place;
use penstock_core::protocol::{
    Copies, Destination, FormatReader, InputView, Kept, Misfit, Refused, Sink, Step, Unknown,
};
use penstock_core::run::{Failed, RecordScope, Run, Windows};
use penstock_core::select::{Condition, Open, Records};
use penstock_core::shape::Shape;
use penstock_core::source::Source;
use penstock_core::split::{self, RecordStart, Threads};
use penstock_core::value::lexical::Rules;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

impl<S: Side> Destination for Owned<S> {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = PyErr;

    const SHAPE: Option<Shape> = Some(S::SHAPE);
    const COPIES: Copies = Copies::All;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(&mut self, refusal: Refusal, _given: InputView<'_>) -> Refused<PyErr, PyErr> {
        match refusal.why() {
            Why::Mismatch(mismatch) => Refused::Misfit(mismatch),
            // They are kept where they are found. If they were not, the first would be the error.
            Why::Several(mut mismatches) => Refused::Misfit(mismatches.swap_remove(0)),
            Why::Kept => Refused::Break(errors::untold()),
            Why::Python(error) => Refused::Break(error),
        }
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _given: InputView<'_>) -> Vec<PathStep> {
        self.path(inside)
    }
    fn refusal(&self, at: u64, reason: String) -> Option<Refusal> {
        Some(Misfit::new(at, reason, Vec::new()).into())
    }
    fn breaks(refusal: &Refusal) -> bool {
        refusal.breaks()
    }
    fn ready(&self) -> u64 {
        Owned::ready(self) as u64
    }
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        Owned::keeps(self)
    }
    #[inline(always)]
    fn over_memory(&self, _given: InputView<'_>) -> Option<u64> {
        Owned::over_memory(self)
    }
    fn take_kept(&mut self) -> Kept<PyErr> {
        let problems = self.take_problems();
        Kept { misfits: problems.kept, omitted: problems.omitted }
    }
    #[inline(always)]
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        for (at, place) in self.unplaced() {
            *place = locate(at).map(Box::new);
        }
    }
}

/// The threads that fill columns of a run.
pub(crate) enum Pool {
    Keyed(Box<Threads<Worker<Keyed>>>),
    Markup(Box<Threads<Worker<Markup>>>),
}

impl Pool {
    /// The source, if the threads read it in the place of the run.
    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Pool::Keyed(threads) => threads.source(),
            Pool::Markup(threads) => threads.source(),
        }
    }

    /// If only some records of a piece were taken: where it begins, if another reader can begin there,
    /// and how many these are, with those before the last one that a condition has left out. If all of them
    /// were, the run stands behind the last one.
    pub(crate) fn taken_of_piece(&self) -> Option<(Option<&RecordStart>, u64)> {
        let (begin, taken, records, left_out) = match self {
            Pool::Keyed(threads) => {
                let (begin, taken, scope) = threads.taken_of_piece()?;
                (begin, taken, scope.inner().records(), scope.left_out_before(taken))
            }
            Pool::Markup(threads) => {
                let (begin, taken, scope) = threads.taken_of_piece()?;
                (begin, taken, scope.inner().records(), scope.left_out_before(taken))
            }
        };
        (taken < records).then_some((begin, taken as u64 + left_out))
    }

    /// How many pieces of the text the threads have read.
    pub(crate) fn taken(&self) -> u64 {
        match self {
            Pool::Keyed(threads) => threads.taken(),
            Pool::Markup(threads) => threads.taken(),
        }
    }
}

/// Builds the records of a document of any format. The format chooses the sink, once for a run.
#[expect(clippy::large_enum_variant, reason = "there is one for each run")]
pub(crate) enum Builder {
    /// From maps and lists.
    Keyed(RecordScope<Owned<Keys>>),
    /// From elements.
    Markup(RecordScope<Owned<Elements>>),
    /// Columns, from maps and lists.
    KeyedColumns(Box<RecordScope<Filling<Keys, Keyed>>>),
    /// Columns, from elements.
    MarkupColumns(Box<RecordScope<Filling<Elements, Markup>>>),
}

/// Forwards a call to the scope of the sink that was chosen.
macro_rules! each {
    ($self:expr, $scope:ident => $call:expr) => {
        match $self {
            Builder::Keyed($scope) => $call,
            Builder::Markup($scope) => $call,
            Builder::KeyedColumns($scope) => $call,
            Builder::MarkupColumns($scope) => $call,
        }
    };
}

impl Builder {
    /// A builder of the records that `records` chooses, or else of the value at the root.
    pub(crate) fn new(
        plan: PlanRef,
        options: Options,
        own: FormatOptions,
        records: Option<Records>,
    ) -> Self {
        match own {
            FormatOptions::Keyed(own) => {
                Builder::Keyed(RecordScope::new(Owned::new(plan, options, own), records))
            }
            FormatOptions::Markup(own) => {
                Builder::Markup(RecordScope::new(Owned::new(plan, options, own), records))
            }
        }
    }

    /// Before anything is read: takes only those of the records that a condition wants, if there is one.
    pub(crate) fn wanting(self, condition: Option<Arc<Condition>>) -> Self {
        match self {
            Builder::Keyed(scope) => Builder::Keyed(scope.wanting(condition)),
            Builder::Markup(scope) => Builder::Markup(scope.wanting(condition)),
            // Columns are filled in the place of objects, of which some are wanted already.
            filling => filling,
        }
    }

    /// The plan.
    pub(crate) fn planned(&self) -> &PlanRef {
        each!(self, scope => scope.inner().planned())
    }

    /// Before anything is read: fills columns from now on, instead of making objects. A batch has at
    /// most so many rows, and about so many bytes.
    pub(crate) fn fill(&mut self, py: Python<'_>, made: Made, rows: usize, bytes: usize) {
        let (options, (number, memory, token)) = match self {
            Builder::Keyed(scope) => (scope.inner().options(), scope.inner().bounds()),
            Builder::Markup(scope) => (scope.inner().options(), scope.inner().bounds()),
            // It fills columns already.
            Builder::KeyedColumns(_) | Builder::MarkupColumns(_) => return,
        };
        let plan = self.planned().clone_ref(py);
        let rules = Rules { lax: plan.lax, number };
        let Made { plan: columns, classes, why_objects, unread, checks, .. } = made;
        let always = why_objects.is_some() || options.unknown == Unknown::Collect;
        let settings = penstock_arrow::Settings {
            duplicates: options.duplicates,
            forbids_unknown: options.unknown == Unknown::Error,
            unread,
            rules,
            token,
            rows,
            bytes,
        };
        let columns = penstock_arrow::Columns::new(columns);
        // It is replaced at once.
        let none = Owned::new(plan, options, MarkupOptions::default());
        let before = std::mem::replace(self, Builder::Markup(RecordScope::Root(none)));
        *self = match before {
            Builder::Keyed(scope) => Builder::KeyedColumns(Box::new(scope.map(|slow| {
                let fast = Keyed::new(columns, settings);
                Filling::new(fast, slow, classes, always, memory).checking(checks)
            }))),
            Builder::Markup(scope) => Builder::MarkupColumns(Box::new(scope.map(|slow| {
                let fast = Markup::new(columns, settings);
                Filling::new(fast, slow, classes, always, memory).checking(checks)
            }))),
            filling => filling,
        };
    }

    /// The columns, if it fills some.
    pub(crate) fn columns(&mut self) -> Option<&mut penstock_arrow::Columns> {
        match self {
            Builder::Keyed(_) | Builder::Markup(_) => None,
            Builder::KeyedColumns(scope) => Some(scope.inner_mut().columns()),
            Builder::MarkupColumns(scope) => Some(scope.inner_mut().columns()),
        }
    }

    /// See [`Filling::take_left_out`].
    pub(crate) fn take_left_out(&mut self, py: Python<'_>) -> Option<String> {
        match self {
            Builder::MarkupColumns(scope) => scope.inner_mut().take_left_out(py),
            _ => None,
        }
    }

    /// How many records are in columns, and whether that takes the interpreter.
    pub(crate) fn filled(&self) -> (u64, bool) {
        match self {
            Builder::Keyed(_) | Builder::Markup(_) => (0, true),
            Builder::KeyedColumns(scope) => (scope.inner().records(), !scope.inner().is_free()),
            Builder::MarkupColumns(scope) => (scope.inner().records(), !scope.inner().is_free()),
        }
    }

    /// Before the next text is brought: has so many threads read it, if they can.
    pub(crate) fn begin_threads<C>(
        &self,
        run: &mut Run<Reader, Windows, C>,
        count: usize,
    ) -> Option<Pool> {
        match self {
            Builder::Keyed(_) | Builder::Markup(_) => None,
            Builder::KeyedColumns(scope) => {
                Threads::begin(run, scope, count).map(|threads| Pool::Keyed(Box::new(threads)))
            }
            Builder::MarkupColumns(scope) => {
                Threads::begin(run, scope, count).map(|threads| Pool::Markup(Box::new(threads)))
            }
        }
    }

    /// The run is dry: takes what the threads have read, or brings the next text.
    pub(crate) fn step(
        &mut self,
        run: &mut Run<Reader, Windows, PyErr>,
        pool: &mut Pool,
    ) -> Result<split::Turn, Failed<PyErr, PyErr>> {
        match (self, pool) {
            (Builder::KeyedColumns(scope), Pool::Keyed(threads)) => threads.step(run, scope),
            (Builder::MarkupColumns(scope), Pool::Markup(threads)) => threads.step(run, scope),
            _ => unreachable!("the threads of another builder"),
        }
    }

    /// See [`Owned::traverse`].
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        each!(self, scope => scope.inner().traverse(visit))
    }

    /// See [`Owned::take_rows`].
    pub(crate) fn take_rows(&mut self) -> Vec<Py<PyAny>> {
        each!(self, scope => scope.inner_mut().take_rows())
    }

    /// See [`Owned::take_row`].
    #[inline]
    pub(crate) fn take_row(&mut self) -> Option<Py<PyAny>> {
        each!(self, scope => scope.inner_mut().take_row())
    }

    /// Before columns are filled: no two columns of a table may have one name.
    pub(crate) fn set_distinct(&mut self) {
        if let Builder::Keyed(scope) = self {
            scope.inner_mut().set_distinct();
        }
    }

    /// See [`Owned::set_recycling`].
    pub(crate) fn set_recycling(&mut self, recycle: bool) {
        each!(self, scope => scope.inner_mut().set_recycling(recycle));
    }

    /// Before anything is read: the key by which the value was found, for a class that takes it.
    pub(crate) fn expect_found_by(&mut self, step: PathStep) {
        each!(self, scope => scope.inner_mut().expect_found_by(step));
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if that
    /// is not a place where records are.
    pub(crate) fn begin_at(&mut self, open: &[Open], records: u64) -> bool {
        each!(self, scope => scope.go_on(open, records))
    }

    /// See [`RecordScope::open_behind`].
    pub(crate) fn open_behind(&self) -> Vec<Open> {
        each!(self, scope => scope.open_behind())
    }

    /// See [`Owned::unknown`].
    pub(crate) fn unknown(&self) -> &BTreeMap<String, u64> {
        each!(self, scope => scope.inner().unknown())
    }
}

/// Forwards a call to the scope of the sink that was chosen.
macro_rules! chosen {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(chosen! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline(always)]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            each!(self, scope => scope.$method($($name),*))
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            each!(self, scope => scope.$method($($name),*))
        }
    };
}

impl Destination for Builder {
    type Error = Refusal;
    type Cause = PyErr;
    type Break = PyErr;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        each!(self, scope => scope.read_from(reader, given))
    }
    forward!(destination, chosen);
}
