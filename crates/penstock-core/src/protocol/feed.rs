//! Records that are no text: a program has them, and tells them as events.

use std::fmt;
use std::io;

use super::Step;
use super::erased::{AnySink, Refused};
use crate::error::Fail;

/// RecordFeed records.
pub trait RecordFeed: fmt::Debug + Send + Sync {
    /// RecordFeed the records at hand, each as a value at the root, until the sink pauses or stops.
    /// `last` says that no more will come. After an error the next call begins with the next record.
    ///
    /// # Errors
    /// The sink refused an event, or a record cannot be told.
    fn tell(&mut self, last: bool, sink: &mut AnySink<'_>) -> Result<Step, Fail<Refused>>;
}

/// RecordSource more of the records. The driver calls it, so it may wait.
pub trait RecordSource: fmt::Debug + Send {
    /// RecordSource some records. False at the end.
    ///
    /// # Errors
    /// Whoever has them failed.
    fn bring(&mut self) -> io::Result<bool>;
}
