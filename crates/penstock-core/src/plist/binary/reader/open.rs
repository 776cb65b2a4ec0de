//! A container that is open, and where the reader leaves it or halts in it.

use crate::plist::binary::object::Members;

/// A container that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) number: u64,
    /// The offset of its marker.
    pub(super) at: u64,
    pub(super) members: Members,
    /// The next member.
    pub(super) next: u64,
    /// The member before which the reader leaves it, or halts. It leaves it behind the last one, unless
    /// a part ends earlier.
    pub(super) end: u64,
    /// If it halts there, what follows.
    pub(super) halt: Option<Halt>,
    /// Whether the key of the next member was reported.
    pub(super) keyed: bool,
}

/// The reader halts in a container, once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halt {
    /// The member before which it leaves the container.
    pub(super) last: u64,
    /// The next member when that was decided, and how many bytes were reported by then.
    pub(super) from: u64,
    pub(super) told: u64,
}

impl Open {
    /// The first of its members is the next one.
    pub(super) fn new(number: u64, at: u64, members: Members) -> Self {
        Open { number, at, members, next: 0, end: members.count, halt: None, keyed: false }
    }

    /// The member before which the reader leaves it.
    pub(super) fn last(&self) -> u64 {
        self.halt.map_or(self.end, |halt| halt.last)
    }

    /// Has the reader halt before a member, once. So many bytes were reported.
    pub(super) fn halt_before(&mut self, member: u64, told: u64) {
        let halt = Halt { last: self.last(), from: self.next, told };
        (self.end, self.halt) = (member.clamp(self.next, halt.last), Some(halt));
    }
}
