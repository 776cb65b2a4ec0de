//! The destination of a run: for a whole document, or for the records inside it.

use crate::error::Fail;
use crate::forward;
use crate::path_step::PathStep;
use crate::protocol::{Copies, Destination, FormatReader, InputView, Listener, Sink, Step};
use crate::select::{Open, Records, Select};
use crate::shape::Shape;

/// A destination for a whole document, or for the records inside it.
#[derive(Debug)]
pub enum RecordScope<D> {
    /// Each value at the root is a record.
    Root(D),
    /// The records are inside the document.
    Inside(Select<D>),
}

impl<D: Listener> RecordScope<D> {
    /// Leads to `to`: the records that `records` selects, or otherwise each value at the root.
    pub fn new(to: D, records: Option<Records>) -> Self {
        match records {
            Some(records) => RecordScope::Inside(Select::new(to, records)),
            None => RecordScope::Root(to),
        }
    }

    /// The same way to another destination, before anything is read.
    pub fn map<E: Listener>(self, make: impl FnOnce(D) -> E) -> RecordScope<E> {
        match self {
            RecordScope::Root(to) => RecordScope::Root(make(to)),
            RecordScope::Inside(select) => RecordScope::Inside(select.map(make)),
        }
    }

    /// The same way to another destination, for a reader that begins at a record in the same
    /// containers as the last one. None if these are not open any more, and if records are found by
    /// their positions.
    pub fn beside<E: Listener>(&self, to: E) -> Option<RecordScope<E>> {
        match self {
            RecordScope::Root(_) => Some(RecordScope::Root(to)),
            RecordScope::Inside(select) => Some(RecordScope::Inside(select.beside(to)?)),
        }
    }

    /// Where the last record inside the document began, if it is a map or a list.
    pub fn last(&self) -> Option<u64> {
        match self {
            RecordScope::Root(_) => None,
            RecordScope::Inside(select) => select.last(),
        }
    }

    /// Whether both are outside of a record, in the same containers.
    pub fn goes_on_as<E: Listener>(&self, other: &RecordScope<E>) -> bool {
        match (self, other) {
            (RecordScope::Root(_), RecordScope::Root(_)) => true,
            (RecordScope::Inside(one), RecordScope::Inside(other)) => one.goes_on_as(other),
            _ => false,
        }
    }

    /// Counts the records and elements that [another](Self::beside) has counted.
    pub fn pass<E: Listener>(&mut self, other: &RecordScope<E>) {
        if let (RecordScope::Inside(one), RecordScope::Inside(other)) = (self, other) {
            one.pass(other);
        }
    }

    /// Counts so many records that were passed in another way, in the same list or element as the
    /// last one.
    pub(crate) fn pass_records(&mut self, records: u64) {
        if let RecordScope::Inside(select) = self {
            select.pass_records(records);
        }
    }

    /// Returns the destination behind the selection of records.
    pub fn into_inner(self) -> D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.into_inner(),
        }
    }

    /// How many maps and lists are open outside the record.
    pub fn depth(&self) -> usize {
        match self {
            RecordScope::Root(_) => 0,
            RecordScope::Inside(select) => select.record_depth(),
        }
    }

    /// What is open outside of the record that has just begun, as it was before that.
    pub fn open(&self) -> Vec<Open> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.open(),
        }
    }

    /// What is open outside of the record that has just ended.
    pub fn open_behind(&self) -> Vec<Open> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.open_behind(),
        }
    }

    /// See [`Select::only_records_follow`].
    pub(crate) fn only_records_follow(&self) -> bool {
        match self {
            RecordScope::Root(_) => false,
            RecordScope::Inside(select) => select.only_records_follow(),
        }
    }

    /// See [`Select::leave_records`].
    pub(crate) fn leave_records(&mut self, count: u64) {
        match self {
            RecordScope::Root(to) => to.abandon(),
            RecordScope::Inside(select) => select.leave_records(count),
        }
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if
    /// that is not a place where records are.
    pub fn go_on(&mut self, open: &[Open], records: u64) -> bool {
        match self {
            RecordScope::Root(_) => open.is_empty(),
            RecordScope::Inside(select) => select.go_on(open, records),
        }
    }

    /// The same, somewhere in the innermost list, and behind nobody knows how many records. False if
    /// that makes a difference for which of its items are records.
    pub(crate) fn go_on_somewhere(&mut self, open: &[Open]) -> bool {
        match self {
            RecordScope::Root(_) => open.is_empty(),
            RecordScope::Inside(select) => select.go_on_somewhere(open),
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner(&self) -> &D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.inner(),
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner_mut(&mut self) -> &mut D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.inner_mut(),
        }
    }
}

/// Forwards a call to the destination behind the selection of records. Where that makes a difference,
/// the method is written by hand.
macro_rules! inside {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(inside! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut abandon_record $($rest:tt)*) => {};
    (@ mut restart $($rest:tt)*) => {};
    (@ ref record_path $($rest:tt)*) => {};
    (@ ref path_so_far $($rest:tt)*) => {};
    (@ ref record_depth $($rest:tt)*) => {};
    (@ ref inner_records $($rest:tt)*) => {};
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline(always)]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.inner_mut().$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            self.inner().$method($($name),*)
        }
    };
}

impl<E, D: Destination<Error = E> + Listener + Sink<Error = E>> Destination for RecordScope<D> {
    type Error = E;
    type Cause = D::Cause;
    type Break = D::Break;

    const SHAPE: Option<Shape> = D::SHAPE;
    const COPIES: Copies = D::COPIES;

    #[inline(always)]
    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<E>> {
        match self {
            RecordScope::Root(to) => reader.run_for::<D, _>(given, to),
            RecordScope::Inside(select) => reader.run_for::<D, _>(given, select),
        }
    }
    forward!(destination, inside);

    fn abandon_record(&mut self) {
        match self {
            RecordScope::Root(to) => to.abandon_record(),
            RecordScope::Inside(select) => select.abandon(),
        }
    }
    fn restart(&mut self) {
        match self {
            RecordScope::Root(to) => to.restart(),
            RecordScope::Inside(select) => select.restart(),
        }
    }
    fn record_path(&self) -> Vec<PathStep> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.path_prefix(),
        }
    }
    fn path_so_far(&self, given: InputView<'_>) -> Vec<PathStep> {
        match self {
            RecordScope::Root(to) => to.path_so_far(given),
            RecordScope::Inside(select) => select.path_prefix(),
        }
    }
    fn record_depth(&self) -> usize {
        self.depth()
    }
    fn inner_records(&self) -> Option<(u64, bool, bool)> {
        match self {
            RecordScope::Root(_) => None,
            RecordScope::Inside(select) => {
                Some((select.records(), select.in_record(), select.has_reached()))
            }
        }
    }
}
