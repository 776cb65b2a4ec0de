//! The beginning of a record, as data: all that a reader must know to begin there, in another
//! process, and to say the same of each record as a reader of all the text.

use crate::formats::ReaderState;
use crate::position::Counter;
use crate::select::Open;

/// The beginning of a record that is not the first, or the end of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordStart {
    /// The counts up to it.
    pub counted: Counter,
    /// How many records come before it.
    pub records: u64,
    /// What is open for the reader.
    pub stand: ReaderState,
    /// What is open for whoever selects the records; nothing if all values at the root are records.
    pub open: Vec<Open>,
}
