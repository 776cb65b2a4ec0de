//! Who listens: the protocol between readers and everything that stands behind them.
//!
//! A reader reports a document in its order. What it may call is split into three traits:
//!
//! - [`Sink`] receives the events, and answers what should happen to what comes next ([`Flow`]).
//! - [`Lent`] is what the reader may ask at any time: which key the sink expects, in which form it
//!   wants numbers, whether it wants comments. All of it has defaults.
//! - [`LookAhead`] is what a reader knows of a map before its members: for a sink that must see a
//!   later member before the first one, and for one that takes a map with known keys in one call. All
//!   of it has defaults, too.
//!
//! A [`Listener`] is all three; readers take nothing less. A simple sink writes `impl Lent for X {}` and
//! `impl LookAhead for X {}`. A sink that passes events on to another one names all methods by
//! [`forward!`](crate::forward).
//!
//! Calls are statically dispatched: each pair of reader and sink compiles to one loop.

mod ahead;
pub(crate) mod erased;
mod forward;
mod lent;
pub(crate) mod row;
mod told;

pub use ahead::{Look, LookAhead};
pub use lent::{Lent, Want};
pub use row::expand;
pub use told::{Flow, Sink};

use crate::event::{Key, Scalar, Text};

/// A sink with all that a reader may ask of it. Every type that has the three traits is one.
pub trait Listener: Sink + Lent + LookAhead {}

impl<S: Sink + Lent + LookAhead> Listener for S {}

/// Listens to nothing: with it, a reader only checks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Discard;

impl Lent for Discard {}
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
