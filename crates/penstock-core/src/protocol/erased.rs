//! A sink whose type the reader does not know: the reader calls its methods through a table.
//!
//! A grammar is compiled once for each type of sink, and its machine code is large. That pays if the sink is called for
//! every few bytes of the text. In all other cases (skipping, looking ahead, a sink that is seldom used, a processor
//! without the faster instructions) the readers use one copy, which calls an [`AnySink`].

use super::{Hints, Listener, LookAhead, Sink};
use crate::error::Fail;
use crate::forward;

/// A sink of any type. What stands behind it keeps the error if it refuses an event.
pub type AnySink<'s> = dyn Listener<Error = Refused> + 's;

/// A sink has refused an event.
#[derive(Debug)]
pub struct Refused;

/// Makes an [`AnySink`] of a sink. It keeps the sink's error, so that all sinks have the same type of error.
pub(crate) struct Kept<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    refusal: Option<S::Error>,
}

impl<S: Listener + ?Sized> Kept<'_, S> {
    /// Calls `run` with a sink as an [`AnySink`]. Returns the result of `run`, or the sink's own
    /// error.
    #[inline(always)]
    pub(crate) fn lend<T>(
        sink: &mut S,
        run: impl FnOnce(&mut AnySink<'_>) -> Result<T, Fail<Refused>>,
    ) -> Result<T, Fail<S::Error>> {
        let mut kept = Kept { sink, refusal: None };
        match run(&mut kept) {
            Ok(value) => Ok(value),
            Err(Fail::Input(fault)) => Err(Fail::Input(fault)),
            Err(Fail::Sink(Refused)) => {
                Err(Fail::Sink(kept.refusal.expect("who refuses says why")))
            }
        }
    }
}

impl<S: LookAhead + ?Sized> Kept<'_, S> {
    /// The same for what asks nothing of the sink, and finds no fault of the input.
    #[inline(always)]
    pub(crate) fn lend_ahead<T>(
        sink: &mut S,
        run: impl FnOnce(&mut dyn LookAhead<Error = Refused>) -> Result<T, Refused>,
    ) -> Result<T, S::Error> {
        let mut kept = Kept { sink, refusal: None };
        run(&mut kept).map_err(|Refused| kept.refusal.expect("who refuses says why"))
    }
}

/// The result of a sink's method.
trait Answer<E> {
    /// The same without the sink's type of error.
    type Erased;
    /// Keeps the error, if it is one.
    fn keep(self, refusal: &mut Option<E>) -> Self::Erased;
}

impl<T, E> Answer<E> for Result<T, E> {
    type Erased = Result<T, Refused>;
    #[inline(always)]
    fn keep(self, refusal: &mut Option<E>) -> Result<T, Refused> {
        self.map_err(|error| {
            *refusal = Some(error);
            Refused
        })
    }
}

impl<E> Answer<E> for bool {
    type Erased = bool;
    #[inline(always)]
    fn keep(self, _: &mut Option<E>) -> bool {
        self
    }
}

impl<E> Answer<E> for () {
    type Erased = ();
    #[inline(always)]
    fn keep(self, _: &mut Option<E>) {}
}

macro_rules! kept {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(kept! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            self.sink.$method($($name),*).keep(&mut self.refusal)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $kind),*) -> $result {
            self.sink.$method($($name),*)
        }
    };
}

impl<S: Sink + ?Sized> Sink for Kept<'_, S> {
    type Error = Refused;
    forward!(sink, kept);
}

impl<S: Sink + Hints + ?Sized> Hints for Kept<'_, S> {
    forward!(hints, kept);
}

impl<S: LookAhead + ?Sized> LookAhead for Kept<'_, S> {
    forward!(ahead, kept);
}
