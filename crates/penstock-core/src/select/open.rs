//! What is open outside of the records, as data: how far whoever selects them has come.

use crate::event::KeyKind;

/// So many items of a list come before a range that begins somewhere in it, as far as its reader
/// knows. No list has as many.
pub const SOMEWHERE: u64 = 1 << 62;

/// A map, a list or an element that is open outside of the records, or the document itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The state of the path of the records.
    pub state: u32,
    /// How far its members or items were read.
    pub at: At,
}

/// How far the members or items of a container were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// Not to any of them, or it does not matter to which.
    Start,
    /// To a member or a child of this name.
    Key(KeyKind, String),
    /// Behind so many items of a list.
    List(u64),
}
