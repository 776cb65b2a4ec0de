//! The reader of a range: where it begins and ends, where it halts, and who reads beside it.

use std::ops::Range;

use super::Reader;
use super::open::Open;
use crate::error::Fault;
use crate::event::ContainerKind;
use crate::limits::Limits;
use crate::plist::binary::object::Object;
use crate::plist::binary::store::{Pages, Store};
use crate::plist::binary::trailer::Trailer;
use crate::protocol::FormatReader;

impl Reader {
    /// A reader at the beginning of the same property list, of a range of it: from the member at one
    /// place to the one at another, as [`places`](Self::places) says them. Without the one, it begins
    /// at the root; without the other, it ends with the root. The place may also be that behind the
    /// last member of its container.
    ///
    /// It does not report the beginnings of the containers around the first member.
    #[must_use]
    pub fn between(limits: &Limits, start: &[u64], until: &[u64]) -> Self {
        let mut reader = Reader::new(limits);
        (reader.start, reader.until) = (start.into(), until.into());
        reader
    }

    /// The place of the value that was begun last, inside of `depth` containers: which member it is
    /// of the container around it, which member that is, and so on, the outermost first. None if it
    /// is the root.
    #[must_use]
    pub fn places(&self, depth: usize) -> Option<Box<[u64]>> {
        let around = self.open.get(..depth).filter(|around| !around.is_empty())?;
        around.iter().map(|open| open.next.checked_sub(1)).collect()
    }

    /// The place of the member that comes next where the reader is behind a value, as
    /// [`places`](Self::places): in the innermost open container, which may have no such member. Empty
    /// behind the root.
    #[must_use]
    pub fn places_behind(&self) -> Box<[u64]> {
        let innermost = self.open.len().saturating_sub(1);
        let place = |(depth, open): (usize, &Open)| match depth == innermost {
            true => open.next,
            false => open.next.saturating_sub(1),
        };
        self.open.iter().enumerate().map(place).collect()
    }

    /// Whether the reader is behind the root.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.begun && self.open.is_empty()
    }

    /// How many members come behind the value at hand in the container around it, which is inside of
    /// `depth - 1` others.
    #[must_use]
    pub fn left_behind(&self, depth: usize) -> u64 {
        let around = depth.checked_sub(1).and_then(|last| self.open.get(last));
        around.map_or(0, |open| open.last() - open.next)
    }

    /// Leaves the value at hand, and passes over so many members of the container around it.
    pub fn pass_members(&mut self, depth: usize, count: u64) {
        self.abandon(depth);
        if let Some(open) = self.open.last_mut() {
            let next = open.next.saturating_add(count).min(open.last());
            (open.next, open.end, open.halt) = (next, open.last(), None);
            open.keyed = false;
        }
    }

    /// From now on, it halts once in each container of many members that is open inside of fewer than so
    /// many others, behind some of these: it says that it needs [more](crate::protocol::Step::More), and
    /// reads on when it is called again. In the meantime, others can begin [beside](Self::beside) it.
    pub fn halt_within(&mut self, others: usize) {
        self.halts_within = others;
    }

    /// From now on, it rests now and then: it says that it needs [more](crate::protocol::Step::More), and reads
    /// on when it is called again. In the meantime, its driver can answer signals.
    pub fn rest(&mut self) {
        self.limit = Some(0);
    }

    /// Which member of the innermost container comes next, and before which one the reader leaves it, if
    /// it is between two members, and so many containers are open.
    #[must_use]
    pub fn members_ahead(&self, depth: usize) -> Option<Range<u64>> {
        let open = self.open.last().filter(|open| self.open.len() == depth && !open.keyed)?;
        Some(open.next..open.last())
    }

    /// Halts before a member of the innermost container, once. It may be the next one.
    pub fn halt_before(&mut self, member: u64) {
        if let Some(open) = self.open.last_mut() {
            open.halt_before(member, self.told);
        }
    }

    /// Halts once more where it has halted.
    pub fn halt_again(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.halt_before(open.next, self.told);
        }
    }

    /// How many bytes it has reported for each member, the last time that it read some before it halted.
    #[must_use]
    pub fn told_for_each(&self) -> u64 {
        self.told_for_each
    }

    /// A reader in the same `depth` containers, if these are all that are open. It reads members to
    /// which it is [led](Self::lead_to). None if what the sink gets depends on more than these members.
    #[must_use]
    pub fn beside(&self, depth: usize) -> Option<Self> {
        self.members_ahead(depth)?;
        if self.shares.is_some() {
            return None;
        }
        Some(Reader {
            trailer: self.trailer,
            part: None,
            start: Box::default(),
            until: Box::default(),
            edge: 0,
            begun: true,
            open: self.open.clone(),
            far: self.far.clone(),
            halts_within: 0,
            told_for_each: 0,
            shares: None,
            at: self.at,
            told: 0,
            most: 0,
            limit: None,
            strings: self.strings.alike(),
            keys: Box::default(),
            pages: Pages::default(),
            ..*self
        })
    }

    /// Leads it to these members of the container within which it has begun [beside](Self::beside)
    /// another one, inside of `depth - 1` others. It halts behind them. It may report so many bytes.
    pub fn lead_to(&mut self, depth: usize, members: Range<u64>, most: u64) {
        self.abandon(depth);
        (self.told, self.most) = (0, most);
        if let Some(open) = self.open.last_mut() {
            (open.next, open.keyed) = (members.start, false);
            open.halt_before(members.end, 0);
        }
    }

    /// How many bytes it has reported: those of containers, and of long strings and data.
    #[must_use]
    pub fn told(&self) -> u64 {
        self.told
    }

    /// Goes on behind members of which another one has reported so many bytes. False if that is more
    /// than may be reported: then it stays where it is.
    pub fn pass_told(&mut self, depth: usize, members: u64, told: u64) -> bool {
        let all = self.told.saturating_add(told);
        if all > self.most {
            return false;
        }
        self.told = all;
        self.pass_members(depth, members);
        true
    }

    /// Whether both are between two members, in the same containers.
    #[must_use]
    pub fn goes_on_as(&self, other: &Self) -> bool {
        let is_between = |reader: &Self| reader.open.last().is_some_and(|open| !open.keyed);
        let numbers = self.open.iter().map(|open| open.number);
        is_between(self) && is_between(other) && numbers.eq(other.open.iter().map(|it| it.number))
    }

    /// Opens the containers around the member at which it begins.
    pub(super) fn descend<St: Store>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
    ) -> Result<(), Fault> {
        let start = std::mem::take(&mut self.start);
        let width = trailer.reference;
        let (mut number, mut from) = (trailer.root, trailer.root_said_at());
        for (depth, place) in start.iter().enumerate() {
            let at = trailer.find(store, number, from)?;
            self.at = at;
            let is_last = depth + 1 == start.len();
            let members = match Object::read(store, trailer, number, at)? {
                Object::Container(members) if *place < members.count + u64::from(is_last) => {
                    members
                }
                _ => {
                    let reason =
                        format!("object {number} has no member {place}, where a part begins");
                    return Err(Fault::malformed(at, reason));
                }
            };
            self.check_new(number, at)?;
            let next = if is_last { *place } else { place + 1 };
            self.push(Open { next, ..Open::new(number, at, members) });
            self.count_members(trailer, at, members)?;
            if is_last {
                self.halt_if_many();
                break;
            }
            let first = if members.kind == ContainerKind::Map { members.count } else { 0 };
            from = members.from + (first + place) * width.bytes;
            number = width.of(store.word(from)?);
        }
        Ok(())
    }
}
