//! Where a run's events go.

use std::convert::Infallible;

use super::input::Given;
use super::problem::Misfit;
use crate::error::Fail;
use crate::position::Place;
use crate::reader::{FormatReader, Step};
use crate::select::{PathStep, Records, Select};
use crate::shape::Shape;
use crate::sink::{Listener, Sink};
use crate::trace::Trace;

/// Why a destination refused an event.
#[derive(Debug)]
pub enum Refused<C, B> {
    /// A value does not fit: a problem of its record.
    Misfit(Misfit<C>),
    /// Nothing more can be done, and the input is not the reason.
    Break(B),
}

/// All that a destination kept of what is wrong with the record at hand.
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

/// A sink that a [`Run`](super::Run) can drive: it says what its refusals mean, and where the
/// value at hand stands.
///
/// A run calls these methods only from [`advance`](super::Run::advance) and the methods that are
/// documented to report a failure. So a destination that needs a lock is driven by a caller that
/// holds it; all others run without.
pub trait Destination {
    /// Why an event was refused.
    type Error;
    /// What the destination's own code raises about a value.
    type Cause;
    /// What ends the run though the input is good.
    type Break;

    /// The only shape of documents that it takes, if it does not take any.
    const SHAPE: Option<Shape> = None;

    /// Has the reader read what it is given, and listens.
    ///
    /// # Errors
    /// As [`FormatReader::run`].
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<Self::Error>>;

    /// What a refusal means. `given` is the input at hand.
    fn refused(
        &mut self,
        error: Self::Error,
        given: Given<'_>,
    ) -> Refused<Self::Cause, Self::Break>;

    /// The offset at which the destination gave up, if it is not where the reader stands.
    fn broke_at(&self) -> Option<u64> {
        None
    }

    /// Gives up the record at hand. What is left of it is not reported.
    fn abandon_record(&mut self);

    /// Forgets the document as well: the next event begins a new one.
    fn restart(&mut self) {
        self.abandon_record();
    }

    /// The path from the root to the record at hand.
    fn record_path(&self) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path from the record to the value at hand; to the container around it, if not `inside`.
    fn value_path(&self, _inside: bool, _given: Given<'_>) -> Vec<PathStep> {
        Vec::new()
    }

    /// The path to what was read last, for a source that breaks off: to the record, where records
    /// are what a program waits for.
    fn path_so_far(&self, _given: Given<'_>) -> Vec<PathStep> {
        self.record_path()
    }

    /// How many maps and lists are open around the record.
    fn record_depth(&self) -> usize {
        0
    }

    /// Where records stand inside of the document: how many have begun, and whether the reader is
    /// within one. Nothing if each value at the root is a record.
    fn inner_records(&self) -> Option<(u64, bool)> {
        None
    }

    /// How many finished records wait to be taken.
    fn ready(&self) -> u64 {
        0
    }

    /// The offset from which on the text must stay at hand.
    fn keeps(&self) -> Option<u64> {
        None
    }

    /// Takes out what is wrong with the record at hand and was not reported yet.
    fn take_kept(&mut self) -> Kept<Self::Cause> {
        Kept::default()
    }

    /// Looks up the places of misfits that may be reported later: the text around them is about to
    /// be dropped.
    fn place_kept(&mut self, _locate: &dyn Fn(u64) -> Option<Place>) {}
}

/// A destination for all of a document, or for the records inside of it.
#[derive(Debug)]
pub enum Outlet<D> {
    /// Each value at the root is a record.
    Root(D),
    /// The records are inside the document.
    Inside(Select<D>),
}

impl<D: Listener> Outlet<D> {
    /// Leads to `to`: the records that `records` chooses, or else whatever is at the root.
    pub fn new(to: D, records: Option<Records>) -> Self {
        match records {
            Some(records) => Outlet::Inside(Select::new(to, records)),
            None => Outlet::Root(to),
        }
    }

    /// The destination behind the choice of records.
    #[inline(always)]
    pub fn inner(&self) -> &D {
        match self {
            Outlet::Root(to) => to,
            Outlet::Inside(select) => select.inner(),
        }
    }

    /// The destination behind the choice of records.
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
        match self {
            Outlet::Root(_) => 0,
            Outlet::Inside(select) => select.record_depth(),
        }
    }
    fn inner_records(&self) -> Option<(u64, bool)> {
        match self {
            Outlet::Root(_) => None,
            Outlet::Inside(select) => Some((select.records(), select.in_record())),
        }
    }
    fn ready(&self) -> u64 {
        self.inner().ready()
    }
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        self.inner().keeps()
    }
    fn take_kept(&mut self) -> Kept<D::Cause> {
        self.inner_mut().take_kept()
    }
    #[inline(always)]
    fn place_kept(&mut self, locate: &dyn Fn(u64) -> Option<Place>) {
        self.inner_mut().place_kept(locate);
    }
}

impl Destination for Trace {
    type Error = Infallible;
    type Cause = Infallible;
    type Break = Infallible;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: Given<'_>,
    ) -> Result<Step, Fail<Infallible>> {
        reader.run(given, self)
    }
    fn refused(&mut self, error: Infallible, _given: Given<'_>) -> Refused<Infallible, Infallible> {
        match error {}
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
}
