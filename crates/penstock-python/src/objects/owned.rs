//! A builder together with the plan that it builds by.
//!
//! A sink borrows its plan, and its state between events points into the plan: the type of the
//! coming value, the keys of the current map. A run lasts longer than any call. So an [`Owned`]
//! holds a sink beside the share that keeps its plan, and both go together.

use super::core::problems::{Problems, Unplaced};
use super::core::refusal::Refusal;
use super::core::{Core, Options};
use super::keyed::{Keyed, KeyedOptions, Taking};
use super::markup::{Markup, MarkupOptions};
use crate::plan::{Plan, PlanRef};
use penstock_core::forward;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Hints, Listener, LookAhead, Sink};
use penstock_core::shape::Shape;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A sink that builds objects, while it borrows its plan.
pub(crate) trait Build<'p>: Listener + Sink<Error = Refusal> {
    /// The options of the format.
    type Options;
    fn new(plan: &'p Plan, options: Options, own: Self::Options) -> Self;
    fn core(&self) -> &Core<'p>;
    fn core_mut(&mut self) -> &mut Core<'p>;
    /// See [`Owned::keeps`].
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        None
    }
    /// See [`Owned::bounds`].
    fn token(&self) -> usize {
        usize::MAX
    }
    /// See [`Owned::unplaced`].
    fn unplaced(&mut self) -> impl Iterator<Item = Unplaced<'_>>;
}

/// One of the two sinks, for any plan that it may borrow.
pub(crate) trait Side: 'static {
    /// The shape of its documents.
    const SHAPE: Shape;
    type Sink<'p>: Build<'p, Options = Self::Options>;
    type Options;
}

/// Formats of keys.
pub(crate) enum Keys {}

impl Side for Keys {
    const SHAPE: Shape = Shape::Members;
    type Sink<'p> = Keyed<'p>;
    type Options = KeyedOptions;
}

/// Formats of elements.
pub(crate) enum Elements {}

impl Side for Elements {
    const SHAPE: Shape = Shape::Elements;
    type Sink<'p> = Markup<'p>;
    type Options = MarkupOptions;
}

/// The options of a format, which choose the sink.
pub(crate) enum FormatOptions {
    Keyed(KeyedOptions),
    Markup(MarkupOptions),
}

/// Builds the values of one run.
pub(crate) struct Owned<S: Side> {
    /// Claims `'static` for a plan that lives only as long as `plan` does. Nobody outside of this
    /// file sees that. Dropped first.
    sink: S::Sink<'static>,
    plan: PlanRef,
}

impl<S: Side> Owned<S> {
    /// A builder for values of a plan's type.
    pub(crate) fn new(plan: PlanRef, options: Options, own: S::Options) -> Self {
        // SAFETY: the plan stays where it is as long as the share beside the sink lives. The share
        // is neither given away nor replaced, and is dropped after the sink.
        let borrowed: &'static Plan = unsafe { &*plan.as_ptr() };
        Owned { sink: <S::Sink<'static>>::new(borrowed, options, own), plan }
    }

    /// The plan.
    #[inline]
    pub(crate) fn planned(&self) -> &PlanRef {
        &self.plan
    }

    /// How it builds.
    pub(crate) fn options(&self) -> Options {
        self.sink.core().options
    }

    /// The most digits of a number in text, the most memory, and the most bytes of the text of an
    /// element.
    pub(crate) fn bounds(&self) -> (usize, Option<u64>, usize) {
        (self.sink.core().number, self.sink.core().memory, self.sink.token())
    }

    /// Shows the plan and the values at hand to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.plan.traverse(visit)?;
        self.sink.core().traverse(visit)
    }

    /// The finished records, which the caller takes over.
    pub(crate) fn take_rows(&mut self) -> Vec<Py<PyAny>> {
        self.sink.core_mut().take_rows()
    }
    /// The finished record, for drivers that take one at a time.
    #[inline]
    pub(crate) fn take_row(&mut self) -> Option<Py<PyAny>> {
        self.sink.core_mut().take_row()
    }
    /// Prepares for another document, after one that went well.
    #[inline]
    pub(crate) fn reopen(&mut self) {
        self.sink.core_mut().caches.reopen();
    }
    /// How many finished records are waiting.
    pub(crate) fn ready(&self) -> usize {
        self.sink.core().ready()
    }
    /// See [`Builder::expect_found_by`](crate::drive::destination::Builder::expect_found_by).
    pub(crate) fn expect_found_by(&mut self, step: PathStep) {
        self.sink.core_mut().matched = Some(step);
    }
    /// From now on no two columns of a table may have one name.
    pub(crate) fn set_distinct(&mut self) {
        self.sink.core_mut().set_distinct();
    }
    /// Sets whether rows may be filled again.
    pub(crate) fn set_recycling(&mut self, recycle: bool) {
        self.sink.core_mut().set_recycling(recycle);
    }
    /// The keys that no class named, with the number of times each occurred.
    pub(crate) fn unknown(&self) -> &BTreeMap<String, u64> {
        self.sink.core().unknown()
    }
    /// See [`Core::over_memory`].
    #[inline]
    pub(crate) fn over_memory(&self) -> Option<u64> {
        self.sink.core().over_memory()
    }
    /// See [`Core::path`].
    pub(crate) fn path(&self, inside: bool) -> Vec<PathStep> {
        self.sink.core().path(inside)
    }
    /// The problems of the current record that were not reported yet, in the order of the document.
    pub(crate) fn take_problems(&mut self) -> Problems {
        self.sink.core_mut().take_problems()
    }
    /// The positions that may be needed later, and were not looked up yet.
    pub(crate) fn unplaced(&mut self) -> impl Iterator<Item = Unplaced<'_>> {
        self.sink.unplaced()
    }
    /// From where on the source must be kept for a message, if at all.
    #[inline(always)]
    pub(crate) fn keeps(&self) -> Option<u64> {
        self.sink.keeps()
    }
}

impl Owned<Keys> {
    /// Builds from a Python value instead of a document.
    ///
    /// # Errors
    /// The value does not fit.
    pub(crate) fn take(
        &mut self,
        value: &Bound<'_, PyAny>,
        how: Taking<'_>,
    ) -> Result<(), Refusal> {
        self.sink.take(value, how)
    }

    /// The columns of the rows that follow, each with its field; see [`Keyed::single_columns`].
    pub(crate) fn single_columns(&self) -> Option<Vec<(u32, u32)>> {
        self.sink.single_columns()
    }
}

/// Forwards events. No reference to the plan gets out: an answer holds none, and lent keys are
/// borrowed from the builder.
macro_rules! to_sink {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(to_sink! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline(always)]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.sink.$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            self.sink.$method($($name),*)
        }
    };
}

impl<S: Side> Sink for Owned<S> {
    type Error = Refusal;
    forward!(sink, to_sink);
}

impl<S: Side> Hints for Owned<S> {
    forward!(hints, to_sink);
}

impl<S: Side> LookAhead for Owned<S> {
    forward!(ahead, to_sink);
}
