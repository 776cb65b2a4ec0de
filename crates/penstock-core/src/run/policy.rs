//! What becomes of records that are in error.

/// What a run does with a problem of one record. A problem behind which nothing can be read ends
/// the run under every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The first problem ends the run.
    Raise,
    /// The record is passed over and counted. Nobody describes what is wrong with it.
    Skip,
    /// The record is passed over and the problem kept. The run ends with all of them.
    Collect {
        /// How many are kept. One more ends the run.
        most: usize,
    },
    /// The record is passed over and the driver is handed the problem
    /// ([`Turn::Problem`](super::Turn::Problem)).
    Hand,
}

impl Policy {
    /// Whether anybody looks at what is wrong with a record, so that it is worth describing.
    #[must_use]
    pub fn describes(self) -> bool {
        self != Policy::Skip
    }
}
