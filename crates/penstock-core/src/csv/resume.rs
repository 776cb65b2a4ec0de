//! Reading on at any record.

use crate::protocol::FormatReader;

/// A reader that can begin at any record of its source, because it knows what comes before the
/// records.
pub trait Resume: FormatReader + Sized {
    /// Whether it knows everything that the records from here on depend on.
    fn is_settled(&self) -> bool;

    /// A reader at the beginning of any record, if this one is settled, or at the end of its source.
    /// None if it knows too little.
    fn resume(&self) -> Option<Self>;

    /// The most bytes before a record that [`may_follow`](Self::may_follow) looks at.
    fn looks_back(&self) -> usize;

    /// Whether a record may begin behind these bytes.
    fn may_follow(&self, before: &[u8]) -> bool;
}
