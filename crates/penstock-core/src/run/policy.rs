//! The policy for records that are in error.

/// What a run does with a problem of one record. Under every policy a problem ends the run if
/// nothing after it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The first problem ends the run.
    Raise,
    /// The record is skipped and counted. Its problem is not described.
    Skip,
    /// The record is skipped and its problem is kept. The run ends with all kept problems.
    Collect {
        /// How many problems are kept. One more ends the run.
        most: usize,
    },
    /// The record is skipped, and the driver gets the problem
    /// ([`Turn::Problem`](super::Turn::Problem)).
    Hand,
}

impl Policy {
    /// Whether somebody will see the problem of a record, so that it must be described.
    #[must_use]
    pub fn describes(self) -> bool {
        self != Policy::Skip
    }
}
