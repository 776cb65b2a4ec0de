//! The destination of a run's events.

use super::input::Given;
use super::problem::Misfit;
use crate::error::Fail;
use crate::position::{Counter, Place};
use crate::reader::{FormatReader, Step};
use crate::select::{PathStep, Records, Select};
use crate::shape::Shape;
use crate::sink::{Listener, Sink};
use crate::split::Open;
use crate::trace::Trace;

/// Why a destination refused an event.
#[derive(Debug)]
pub enum Refused<C, B> {
    /// A value does not fit: this is a problem of its record.
    Misfit(Misfit<C>),
    /// The destination cannot continue, for a reason other than the input.
    Break(B),
}

/// The misfits of the current record that a destination has kept.
#[derive(Debug)]
pub struct Kept<C> {
    /// In the order of the document.
    pub misfits: Vec<Misfit<C>>,
    /// How many more there were.
    pub omitted: u64,
}

impl<C> Default for Kept<C> {
    fn default() -> Self {
        Kept { misfits: Vec::new(), omitted: 0 }
    }
}

/// The grammars of which a destination has a copy of the machine code of its own. All other grammars call its sink
/// through a table; see [`FormatReader::run_dyn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Of none: it is seldom used, or so slow that a call through a table does not matter.
    None,
    /// Of JSON and XML.
    Common,
    /// Of property lists, too, which have four grammars.
    All,
}

/// A sink that a [`Run`](super::Run) can drive. It explains its refusals, and gives the path of the
/// current value.
///
/// A run calls these methods only from [`advance`](super::Run::advance) and from the methods that
/// are documented to return a failure. So if a destination needs a lock, its driver holds the lock;
/// all other destinations run without one.
pub trait Destination {
    /// Why an event was refused.
    type Error;
    /// An exception that the destination's own code raised about a value.
    type Cause;
    /// A reason to end the run although the input is valid.
    type Break;

    /// The only shape of documents that the destination takes; none if it takes all shapes.
    const SHAPE: Option<Shape> = None;

    /// Which grammars are compiled for this destination alone.
    const COPIES: Copies = Copies::None;

    /// Lets the reader parse the input, and receives the events.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<Self::Error>>;

    /// Explains a refusal. `given` is the current input.
    fn refused(
        &mut self,
        error: Self::Error,
        given: Given<'_>,
    ) -> Refused<Self::Cause, Self::Break>;

    /// The offset at which the destination gave up, if it differs from the reader's.
    fn broke_at(&self) -> Option<u64> {
        None
    }

    /// A record is in error, whatever becomes of its problem, which need not be described for this. The
    /// run says where the record begins, if the format has a byte that separates records.
    fn meet_problem(&mut self, _begun: Option<u64>) {}

    /// Gives up the current record. The reader does not report the rest of it.
    fn abandon_record(&mut self);

    /// Forgets the document as well: the next event begins a new one.
    fn restart(&mut self) {
        self.abandon_record();
    }

    /// The path from the root to the current record.
    fn record_path(&self) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path from the record to the current value; if not `inside`, to the container around that
    /// value.
    fn value_path(&self, _inside: bool, _given: Given<'_>) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path to the value that was read last, for a source that fails. If a program waits for
    /// records, it is the path to the record.
    fn path_so_far(&self, _given: Given<'_>) -> Vec<PathStep> {
        self.record_path()
    }

    /// How many maps and lists are open outside the record.
    fn record_depth(&self) -> usize {
        0
    }

    /// For records inside the document: how many have begun, whether the reader is inside one, and
    /// whether it has met a container all of whose children are records. Nothing if each value at
    /// the root is a record.
    fn inner_records(&self) -> Option<(u64, bool, bool)> {
        None
    }

    /// How many finished records have not been taken yet.
    fn ready(&self) -> u64 {
        0
    }

    /// The offset from which the text must stay in memory.
    fn keeps(&self) -> Option<u64> {
        None
    }

    /// The limit on the memory that the destination may take, if it takes more. The run asks
    /// whenever the text at hand is read, and at the end.
    fn over_memory(&self, _given: Given<'_>) -> Option<u64> {
        None
    }

    /// The run has dropped all text at hand, and bytes behind it that are not text. `counted` are
    /// the counts up to the first byte that is now at hand.
    fn passed(&mut self, _counted: Counter) {}

    /// Takes the misfits of the current record that have not been reported yet.
    fn take_kept(&mut self) -> Kept<Self::Cause> {
        Kept::default()
    }

    /// Looks up the positions of misfits that may be reported later, because the text around them
    /// is about to be dropped.
    fn place_kept(&mut self, _locate: &dyn Fn(u64) -> Option<Place>) {}
}

/// A destination for a whole document, or for the records inside it.
#[derive(Debug)]
pub enum Outlet<D> {
    /// Each value at the root is a record.
    Root(D),
    /// The records are inside the document.
    Inside(Select<D>),
}

impl<D: Listener> Outlet<D> {
    /// Leads to `to`: the records that `records` selects, or otherwise each value at the root.
    pub fn new(to: D, records: Option<Records>) -> Self {
        match records {
            Some(records) => Outlet::Inside(Select::new(to, records)),
            None => Outlet::Root(to),
        }
    }

    /// The same way to another destination, before anything is read.
    pub fn map<E: Listener>(self, make: impl FnOnce(D) -> E) -> Outlet<E> {
        match self {
            Outlet::Root(to) => Outlet::Root(make(to)),
            Outlet::Inside(select) => Outlet::Inside(select.map(make)),
        }
    }

    /// The same way to another destination, for a reader that begins at a record in the same
    /// containers as the last one. None if these are not open any more, and if records are found by
    /// their positions.
    pub fn beside<E: Listener>(&self, to: E) -> Option<Outlet<E>> {
        match self {
            Outlet::Root(_) => Some(Outlet::Root(to)),
            Outlet::Inside(select) => Some(Outlet::Inside(select.beside(to)?)),
        }
    }

    /// Where the last record inside the document began, if it is a map or a list.
    pub fn last(&self) -> Option<u64> {
        match self {
            Outlet::Root(_) => None,
            Outlet::Inside(select) => select.last(),
        }
    }

    /// Whether both are outside of a record, in the same containers.
    pub fn goes_on_as<E: Listener>(&self, other: &Outlet<E>) -> bool {
        match (self, other) {
            (Outlet::Root(_), Outlet::Root(_)) => true,
            (Outlet::Inside(one), Outlet::Inside(other)) => one.goes_on_as(other),
            _ => false,
        }
    }

    /// Counts the records and elements that [another](Self::beside) has counted.
    pub fn pass<E: Listener>(&mut self, other: &Outlet<E>) {
        if let (Outlet::Inside(one), Outlet::Inside(other)) = (self, other) {
            one.pass(other);
        }
    }

    /// Counts so many records that were passed in another way, in the same list or element as the
    /// last one.
    pub(crate) fn pass_records(&mut self, records: u64) {
        if let Outlet::Inside(select) = self {
            select.pass_records(records);
        }
    }

    /// Returns the destination behind the selection of records.
    pub fn into_inner(self) -> D {
        match self {
            Outlet::Root(to) => to,
            Outlet::Inside(select) => select.into_inner(),
        }
    }

    /// How many maps and lists are open outside the record.
    pub fn depth(&self) -> usize {
        match self {
            Outlet::Root(_) => 0,
            Outlet::Inside(select) => select.record_depth(),
        }
    }

    /// What is open outside of the record that has just begun, as it was before that.
    pub fn open(&self) -> Vec<Open> {
        match self {
            Outlet::Root(_) => Vec::new(),
            Outlet::Inside(select) => select.open(),
        }
    }

    /// What is open outside of the record that has just ended.
    pub fn open_behind(&self) -> Vec<Open> {
        match self {
            Outlet::Root(_) => Vec::new(),
            Outlet::Inside(select) => select.open_behind(),
        }
    }

    /// See [`Select::only_records_follow`].
    pub(crate) fn only_records_follow(&self) -> bool {
        match self {
            Outlet::Root(_) => false,
            Outlet::Inside(select) => select.only_records_follow(),
        }
    }

    /// See [`Select::leave_records`].
    pub(crate) fn leave_records(&mut self, count: u64) {
        match self {
            Outlet::Root(to) => to.abandon(),
            Outlet::Inside(select) => select.leave_records(count),
        }
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if
    /// that is not a place where records are.
    pub fn go_on(&mut self, open: &[Open], records: u64) -> bool {
        match self {
            Outlet::Root(_) => open.is_empty(),
            Outlet::Inside(select) => select.go_on(open, records),
        }
    }

    /// The same, somewhere in the innermost list, and behind nobody knows how many records. False if
    /// that makes a difference for which of its items are records.
    pub(crate) fn go_on_somewhere(&mut self, open: &[Open]) -> bool {
        match self {
            Outlet::Root(_) => open.is_empty(),
            Outlet::Inside(select) => select.go_on_somewhere(open),
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner(&self) -> &D {
        match self {
            Outlet::Root(to) => to,
            Outlet::Inside(select) => select.inner(),
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner_mut(&mut self) -> &mut D {
        match self {
            Outlet::Root(to) => to,
            Outlet::Inside(select) => select.inner_mut(),
        }
    }
}

impl<E, D: Destination<Error = E> + Listener + Sink<Error = E>> Destination for Outlet<D> {
    type Error = E;
    type Cause = D::Cause;
    type Break = D::Break;

    const SHAPE: Option<Shape> = D::SHAPE;
    const COPIES: Copies = D::COPIES;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<E>> {
        match self {
            Outlet::Root(to) => reader.run_for::<D, _>(given, to),
            Outlet::Inside(select) => reader.run_for::<D, _>(given, select),
        }
    }
    fn refused(&mut self, error: E, given: Given<'_>) -> Refused<D::Cause, D::Break> {
        self.inner_mut().refused(error, given)
    }
    fn broke_at(&self) -> Option<u64> {
        self.inner().broke_at()
    }
    fn meet_problem(&mut self, begun: Option<u64>) {
        self.inner_mut().meet_problem(begun);
    }
    fn abandon_record(&mut self) {
        match self {
            Outlet::Root(to) => to.abandon_record(),
            Outlet::Inside(select) => select.abandon(),
        }
    }
    fn restart(&mut self) {
        match self {
            Outlet::Root(to) => to.restart(),
            Outlet::Inside(select) => select.restart(),
        }
    }
    fn record_path(&self) -> Vec<PathStep> {
        match self {
            Outlet::Root(_) => Vec::new(),
            Outlet::Inside(select) => select.path_prefix(),
        }
    }
    fn value_path(&self, inside: bool, given: Given<'_>) -> Vec<PathStep> {
        self.inner().value_path(inside, given)
    }
    fn record_depth(&self) -> usize {
        self.depth()
    }
    fn inner_records(&self) -> Option<(u64, bool, bool)> {
        match self {
            Outlet::Root(_) => None,
            Outlet::Inside(select) => {
                Some((select.records(), select.in_record(), select.has_reached()))
            }
        }
    }
    fn ready(&self) -> u64 {
        self.inner().ready()
    }
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        self.inner().keeps()
    }
    #[inline(always)]
    fn over_memory(&self, given: Given<'_>) -> Option<u64> {
        self.inner().over_memory(given)
    }
    fn take_kept(&mut self) -> Kept<D::Cause> {
        self.inner_mut().take_kept()
    }
    #[inline(always)]
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        self.inner_mut().place_kept(locate);
    }
}

/// Makes a [`Destination`](crate::run::Destination) of a sink that refuses nothing. The second word is
/// the method of the [reader](crate::reader::FormatReader) that it uses: `run`, or `run_dyn`, which
/// compiles no further copy of the grammar. Other methods of the trait may follow in braces.
#[macro_export]
macro_rules! unrefusing {
    ($sink:ty, $run:ident $(, { $($method:item)* })?) => {
        impl $crate::run::Destination for $sink {
            type Error = ::std::convert::Infallible;
            type Cause = ::std::convert::Infallible;
            type Break = ::std::convert::Infallible;

            fn read_from<R: $crate::reader::FormatReader>(
                &mut self,
                reader: &mut R,
                given: $crate::run::Given<'_>,
            ) -> Result<$crate::reader::Step, $crate::error::Fail<Self::Error>> {
                reader.$run(given, self)
            }
            fn refused(
                &mut self,
                error: Self::Error,
                _given: $crate::run::Given<'_>,
            ) -> $crate::run::Refused<Self::Cause, Self::Break> {
                match error {}
            }
            fn abandon_record(&mut self) {
                $crate::sink::Sink::abandon(self);
            }
            $($($method)*)?
        }
    };
}

unrefusing!(Trace, run);
