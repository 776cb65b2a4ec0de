//! The destination of a run: for a whole document, or for the records inside it.

use crate::error::Fail;
use crate::forward;
use crate::path_step::PathStep;
use crate::protocol::{Copies, Destination, FormatReader, InputView, Listener, Sink, Step};
use crate::select::{Condition, Filtered, Open, Records, Select, Where};
use crate::shape::Shape;
use std::any::Any;
use std::sync::Arc;

/// A destination for a whole document, or for the records inside it.
#[derive(Debug)]
pub enum RecordScope<D> {
    /// Each value at the root is a record.
    Root(D),
    /// The records are inside the document.
    Inside(Select<D>),
    /// Records of which a condition wants some.
    Where(Box<Where<D>>),
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
    pub fn map<E>(self, make: impl FnOnce(D) -> E) -> RecordScope<E>
    where
        E: Listener + Destination<Error = <E as Sink>::Error>,
    {
        match self {
            RecordScope::Root(to) => RecordScope::Root(make(to)),
            RecordScope::Inside(select) => RecordScope::Inside(select.map(make)),
            RecordScope::Where(some) => {
                let condition = some.condition().clone();
                let filtered = |to: D| Filtered::new(make(to), condition, breaks::<E>);
                RecordScope::Where(Box::new(match *some {
                    Where::Root(to) => Where::Root(filtered(to.into_inner())),
                    Where::Inside(select) => {
                        Where::Inside(select.map(|to| filtered(to.into_inner())))
                    }
                }))
            }
        }
    }

    /// Before anything is read: the destination gets only those of the records that a condition wants,
    /// if there is one.
    #[must_use]
    pub fn wanting(self, condition: Option<Arc<Condition>>) -> Self
    where
        D: Destination<Error = <D as Sink>::Error>,
    {
        let Some(condition) = condition else { return self };
        let filtered = |to| Filtered::new(to, condition, breaks::<D>);
        RecordScope::Where(Box::new(match self {
            RecordScope::Root(to) => Where::Root(filtered(to)),
            RecordScope::Inside(select) => Where::Inside(select.map(filtered)),
            RecordScope::Where(some) => return RecordScope::Where(some),
        }))
    }

    /// Whether a condition chooses among the records.
    pub fn is_conditional(&self) -> bool {
        matches!(self, RecordScope::Where(_))
    }

    /// The same way to another destination, for a reader that begins at a record in the same
    /// containers as the last one. None if these are not open any more, and if records are found by
    /// their positions.
    pub fn beside<E>(&self, to: E) -> Option<RecordScope<E>>
    where
        E: Listener + Destination<Error = <E as Sink>::Error>,
    {
        Some(match self {
            RecordScope::Root(_) => RecordScope::Root(to),
            RecordScope::Inside(select) => RecordScope::Inside(select.beside(to)?),
            RecordScope::Where(some) => {
                let to = Filtered::counting(to, some.condition().clone(), breaks::<E>);
                RecordScope::Where(Box::new(match &**some {
                    Where::Root(_) => Where::Root(to),
                    Where::Inside(select) => Where::Inside(select.beside(to)?),
                }))
            }
        })
    }

    /// Where the last record inside the document began, if it is a map or a list.
    pub fn last(&self) -> Option<u64> {
        match self {
            RecordScope::Root(_) => None,
            RecordScope::Inside(select) => select.last(),
            RecordScope::Where(some) => match &**some {
                Where::Root(_) => None,
                Where::Inside(select) => select.last(),
            },
        }
    }

    /// Whether both are outside of a record, in the same containers.
    pub fn goes_on_as<E: Listener>(&self, other: &RecordScope<E>) -> bool {
        match (self, other) {
            (RecordScope::Root(_), RecordScope::Root(_)) => true,
            (RecordScope::Inside(one), RecordScope::Inside(other)) => one.goes_on_as(other),
            (RecordScope::Where(one), RecordScope::Where(other)) => match (&**one, &**other) {
                (Where::Root(one), Where::Root(other)) => one.is_free() && other.is_free(),
                (Where::Inside(one), Where::Inside(other)) => one.goes_on_as(other),
                _ => false,
            },
            _ => false,
        }
    }

    /// Counts the records and elements that [another](Self::beside) has counted.
    pub fn pass<E: Listener>(&mut self, other: &RecordScope<E>) {
        match (self, other) {
            (RecordScope::Inside(one), RecordScope::Inside(other)) => one.pass(other),
            (RecordScope::Where(one), RecordScope::Where(other)) => {
                if let (Where::Inside(one), Where::Inside(other)) = (&mut **one, &**other) {
                    one.pass(other);
                }
                one.filtered_mut().pass(other.filtered());
            }
            _ => {}
        }
    }

    /// Counts so many records that were passed in another way, in the same list or element as the
    /// last one.
    pub(crate) fn pass_records(&mut self, records: u64) {
        match self {
            RecordScope::Root(_) => {}
            RecordScope::Inside(select) => select.pass_records(records),
            RecordScope::Where(some) => {
                if let Where::Inside(select) = &mut **some {
                    select.pass_records(records);
                }
            }
        }
    }

    /// Returns the destination behind the selection of records.
    pub fn into_inner(self) -> D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.into_inner(),
            RecordScope::Where(some) => match *some {
                Where::Root(to) => to.into_inner(),
                Where::Inside(select) => select.into_inner().into_inner(),
            },
        }
    }

    /// How many maps and lists are open outside the record.
    pub fn depth(&self) -> usize {
        match self {
            RecordScope::Root(_) => 0,
            RecordScope::Inside(select) => select.record_depth(),
            RecordScope::Where(some) => some.record_depth(),
        }
    }

    /// What is open outside of the record that has just begun, as it was before that.
    pub fn open(&self) -> Vec<Open> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.open(),
            RecordScope::Where(some) => match &**some {
                Where::Root(_) => Vec::new(),
                Where::Inside(select) => select.open(),
            },
        }
    }

    /// What is open outside of the record that has just ended.
    pub fn open_behind(&self) -> Vec<Open> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.open_behind(),
            RecordScope::Where(some) => match &**some {
                Where::Root(_) => Vec::new(),
                Where::Inside(select) => select.open_behind(),
            },
        }
    }

    /// Of what [goes beside](Self::beside): how many records a condition has left out before so many were wanted.
    pub fn left_out_before(&self, wanted: usize) -> u64 {
        match self {
            RecordScope::Root(_) | RecordScope::Inside(_) => 0,
            RecordScope::Where(some) => some.filtered().left_out_before(wanted),
        }
    }

    /// See [`Select::only_records_follow`].
    pub(crate) fn only_records_follow(&self) -> bool {
        match self {
            RecordScope::Root(_) => false,
            RecordScope::Inside(select) => select.only_records_follow(),
            // Each of them is to be read.
            RecordScope::Where(_) => false,
        }
    }

    /// See [`Select::leave_records`].
    pub(crate) fn leave_records(&mut self, count: u64) {
        match self {
            RecordScope::Root(to) => to.abandon(),
            RecordScope::Inside(select) => select.leave_records(count),
            RecordScope::Where(some) => match &mut **some {
                Where::Root(to) => to.abandon(),
                Where::Inside(select) => select.leave_records(count),
            },
        }
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if
    /// that is not a place where records are.
    pub fn go_on(&mut self, open: &[Open], records: u64) -> bool {
        match self {
            RecordScope::Root(_) => open.is_empty(),
            RecordScope::Inside(select) => select.go_on(open, records),
            RecordScope::Where(some) => match &mut **some {
                Where::Root(_) => open.is_empty(),
                Where::Inside(select) => select.go_on(open, records),
            },
        }
    }

    /// The same, somewhere in the innermost list, and behind nobody knows how many records. False if
    /// that makes a difference for which of its items are records.
    pub(crate) fn go_on_somewhere(&mut self, open: &[Open]) -> bool {
        match self {
            RecordScope::Root(_) => open.is_empty(),
            RecordScope::Inside(select) => select.go_on_somewhere(open),
            RecordScope::Where(some) => match &mut **some {
                Where::Root(_) => open.is_empty(),
                Where::Inside(select) => select.go_on_somewhere(open),
            },
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner(&self) -> &D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.inner(),
            RecordScope::Where(some) => some.filtered().inner(),
        }
    }

    /// The destination behind the selection of records.
    #[inline(always)]
    pub fn inner_mut(&mut self) -> &mut D {
        match self {
            RecordScope::Root(to) => to,
            RecordScope::Inside(select) => select.inner_mut(),
            RecordScope::Where(some) => some.filtered_mut().inner_mut(),
        }
    }
}

/// See [`Destination::breaks`].
fn breaks<D: Destination<Error: 'static>>(error: &dyn Any) -> bool {
    error.downcast_ref().is_some_and(D::breaks)
}

/// Forwards a call to the destination behind the selection of records. Where that makes a difference,
/// the method is written by hand.
macro_rules! inside {
    (destination $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(inside! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut abandon_record $($rest:tt)*) => {};
    (@ ref left_out $($rest:tt)*) => {};
    (@ mut take_back $($rest:tt)*) => {};
    (@ ref keeps $($rest:tt)*) => {};
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
            RecordScope::Where(some) => some.read_from(reader, given),
        }
    }
    forward!(destination, inside);

    fn abandon_record(&mut self) {
        match self {
            RecordScope::Root(to) => to.abandon_record(),
            RecordScope::Inside(select) => select.abandon(),
            RecordScope::Where(some) => some.abandon_record(),
        }
    }
    fn restart(&mut self) {
        match self {
            RecordScope::Root(to) => to.restart(),
            RecordScope::Inside(select) => select.restart(),
            RecordScope::Where(some) => some.restart(),
        }
    }
    fn record_path(&self) -> Vec<PathStep> {
        match self {
            RecordScope::Root(_) => Vec::new(),
            RecordScope::Inside(select) => select.path_prefix(),
            RecordScope::Where(some) => some.record_path(),
        }
    }
    fn path_so_far(&self, given: InputView<'_>) -> Vec<PathStep> {
        match self {
            RecordScope::Root(to) => to.path_so_far(given),
            RecordScope::Inside(select) => select.path_prefix(),
            RecordScope::Where(some) => match &**some {
                Where::Root(to) => to.inner().path_so_far(given),
                Where::Inside(select) => select.path_prefix(),
            },
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
            RecordScope::Where(some) => match &**some {
                Where::Root(_) => None,
                Where::Inside(select) => {
                    Some((select.records(), select.in_record(), select.has_reached()))
                }
            },
        }
    }
    fn left_out(&self) -> u64 {
        match self {
            RecordScope::Root(_) | RecordScope::Inside(_) => 0,
            RecordScope::Where(some) => some.filtered().left_out(),
        }
    }
    fn take_back(&mut self) -> bool {
        match self {
            RecordScope::Root(_) | RecordScope::Inside(_) => false,
            RecordScope::Where(some) => some.filtered_mut().take_back(),
        }
    }
    #[inline(always)]
    fn keeps(&self) -> Option<u64> {
        match self {
            RecordScope::Root(to) => to.keeps(),
            RecordScope::Inside(select) => select.inner().keeps(),
            RecordScope::Where(some) => some.keeps(),
        }
    }
}
