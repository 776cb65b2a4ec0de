//! Stages: sinks that stand between a reader and a destination and change the events.

mod driven;
mod held;
mod replay;

pub(crate) use held::{Held, Recording};
pub(crate) use replay::{Kept, behind_value};
pub use replay::{Replay, ReplayError};
