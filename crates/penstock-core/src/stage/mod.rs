//! Stages: sinks that stand between a reader and a destination and change what passes.

mod held;
mod replay;

pub use replay::{Replay, ReplayError};
