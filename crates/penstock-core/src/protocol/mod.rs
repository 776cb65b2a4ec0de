//! The protocol between readers and destinations.
//!
//! A reader reports a document in document order. The methods that it may call are split into three
//! traits:
//!
//! - [`Sink`] receives the events, and answers what the reader should do next ([`Flow`]).
//! - [`Hints`] has the questions that the reader may ask at any time: which key the sink expects, in
//!   which form it wants numbers, whether it wants comments. All of its methods have defaults.
//! - [`LookAhead`] receives what the reader knows of a map before its members. It serves a sink
//!   that must see a later member before the first one, and a sink that takes a map with known keys
//!   in one call. All of its methods have defaults, too.
//!
//! A [`Listener`] has all three traits, and readers require one. For a simple sink, write `impl Hints for X {}` and
//! `impl LookAhead for X {}`. A sink that forwards events to another one names all methods with
//! [`forward!`](crate::forward).
//!
//! For a destination that asks for [copies](Destination::COPIES) of grammars, the reader and the sink compile to one
//! loop. All other sinks are called through a table ([`erased`]).

mod ahead;
mod borrowed;
mod destination;
pub mod erased;
mod feed;
mod forward;
mod hints;
mod input;
mod judge;
mod members;
mod misfit;
mod reader;
pub(crate) mod row;
mod sink;
mod trace;
mod trail;

pub use ahead::{Look, LookAhead, RowsAs};
pub use destination::{Copies, Destination, Kept, Refused};
pub use erased::AnySink;
pub use feed::{RecordFeed, RecordSource};
pub use hints::{Coming, Hints, Want};
pub use input::InputView;
pub use judge::{Judge, Wanted};
pub use members::{Duplicates, Unknown};
pub use misfit::{Code, Misfit};
pub(crate) use reader::takes;
pub use reader::{FormatReader, Step};
pub use row::{expand, expand_inline};
pub use sink::{Flow, Sink};
pub use trace::Trace;
pub use trail::Trail;

use crate::event::{Key, Scalar, Text};

/// A sink with everything that a reader may call. Every type that has the three traits is one.
pub trait Listener: Sink + Hints + LookAhead {}

impl<S: Sink + Hints + LookAhead> Listener for S {}

/// Ignores every event: with it, a reader only validates.
#[derive(Debug, Default, Clone, Copy)]
pub struct Discard;

impl Hints for Discard {}
impl LookAhead for Discard {}

impl Sink for Discard {
    type Error = std::convert::Infallible;
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Skip)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Self::Error> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}
