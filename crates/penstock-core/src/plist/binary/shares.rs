//! Which objects several others refer to.

use std::collections::HashMap;

use penstock_scan::{filled, make_room};

use super::object::{Members, Object, is_container};
use super::store::Store;
use super::trailer::Trailer;
use crate::event::ContainerKind;

/// For a part of a file with so many objects, there are bits for all of them, which take 16 MiB.
const DENSE: u64 = 1 << 26;

/// The objects with more than one reference.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// Two bits for each object.
    once: Vec<u64>,
    twice: Vec<u64>,
    /// If only a part of the file is read, and there is no bit for each object: the containers of the
    /// part, and whether they are shared there.
    part: HashMap<u64, bool>,
    /// It would take too long to count, because containers overlap: any object may be shared.
    any: bool,
}

impl Shares {
    /// Two bits for each object, and no reference yet.
    fn of_all(trailer: &Trailer) -> Self {
        let words = usize::try_from(trailer.objects.div_ceil(64)).unwrap_or(usize::MAX);
        let (once, twice) = (filled(0, words), filled(0, words));
        Shares { once, twice, ..Shares::default() }
    }

    /// Counts the references in all containers, also in those that the root does not lead to. What
    /// is wrong with an object does not matter before somebody wants it.
    pub(super) fn count(store: &mut impl Store, trailer: &Trailer) -> Self {
        let mut shares = Shares::of_all(trailer);
        shares.refer(trailer.root);
        // Containers that do not overlap have no more references than this.
        let mut left = trailer.table / trailer.reference.bytes;
        for number in 0..trailer.objects {
            let Ok(at) = trailer.find(store, number, 0) else { continue };
            if !store.word(at).is_ok_and(is_container) {
                continue;
            }
            let Ok(Object::Container(members)) = Object::read(store, trailer, number, at) else {
                continue;
            };
            let Members { kind, from, count } = members;
            // Keys are no containers.
            let (first, end) =
                if kind == ContainerKind::Map { (count, 2 * count) } else { (0, count) };
            if end > left {
                shares.any = true;
                return shares;
            }
            left -= end;
            for place in first..end {
                let Ok(word) = store.word(from + place * trailer.reference.bytes) else { break };
                shares.refer(trailer.reference.of(word));
            }
        }
        shares
    }

    /// Counts the references in all containers to which the root leads: from the member at the place
    /// `start` on, and up to the one at the place `until`, if these are not empty. It takes as long as
    /// reading them, and not as long as reading the whole file.
    pub(super) fn count_part(
        store: &mut impl Store,
        trailer: &Trailer,
        start: &[u64],
        until: &[u64],
    ) -> Self {
        let is_range = !start.is_empty() || !until.is_empty();
        let shares = if is_range && trailer.objects <= DENSE {
            Shares::of_all(trailer)
        } else {
            Shares::default()
        };
        shares.between(store, trailer, start, until)
    }

    /// The same, with bits for all objects or without.
    fn between(
        mut self,
        store: &mut impl Store,
        trailer: &Trailer,
        start: &[u64],
        until: &[u64],
    ) -> Self {
        let shares = &mut self;
        let mut left = trailer.table / trailer.reference.bytes;
        let mut ahead = Vec::new();
        // The containers around the first or the last member: where the places of these go on.
        let mut edges = vec![(trailer.root, start, until)];
        while let Some((number, start, until)) = edges.pop() {
            if start.is_empty() && until.is_empty() {
                shares.meet(store, trailer, number, &mut ahead);
                continue;
            }
            let Some(members) = container(store, trailer, number) else { continue };
            let first = start.first().map_or(0, |place| (*place).min(members.count));
            let end = match until {
                [] => members.count,
                [place] => *place,
                [place, ..] => place.saturating_add(1),
            };
            let end = end.min(members.count).max(first);
            if end - first > left {
                shares.any = true;
                return self;
            }
            left -= end - first;
            for place in first..end {
                let Some(number) = value(store, trailer, members, place) else { break };
                let from = if place == first { start.get(1..).unwrap_or_default() } else { &[] };
                let to = match until {
                    [last, rest @ ..] if *last == place => rest,
                    _ => &[],
                };
                if from.is_empty() && to.is_empty() {
                    shares.meet(store, trailer, number, &mut ahead);
                } else {
                    make_room(&mut edges, 1);
                    edges.push((number, from, to));
                }
            }
        }
        while let Some(members) = ahead.pop() {
            if members.count > left {
                shares.any = true;
                return self;
            }
            left -= members.count;
            for place in 0..members.count {
                let Some(number) = value(store, trailer, members, place) else { break };
                shares.meet(store, trailer, number, &mut ahead);
            }
        }
        self
    }

    /// Notes a reference. The first one to a container leads to its members.
    fn meet(
        &mut self,
        store: &mut impl Store,
        trailer: &Trailer,
        number: u64,
        ahead: &mut Vec<Members>,
    ) {
        if !self.once.is_empty() {
            if !self.refer(number)
                && let Some(members) = container(store, trailer, number)
            {
                make_room(ahead, 1);
                ahead.push(members);
            }
            return;
        }
        if let Some(twice) = self.part.get_mut(&number) {
            *twice = true;
            return;
        }
        if let Some(members) = container(store, trailer, number) {
            make_room(&mut self.part, 1);
            self.part.insert(number, false);
            make_room(ahead, 1);
            ahead.push(members);
        }
    }

    /// Notes a reference to an object. Whether there was one before, or there is no such object.
    #[inline(always)]
    fn refer(&mut self, number: u64) -> bool {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        let (Some(once), Some(twice)) = (self.once.get_mut(word), self.twice.get_mut(word)) else {
            return true;
        };
        let before = *once & bit;
        *twice |= before;
        *once |= bit;
        before != 0
    }

    /// Whether more than one reference leads to an object.
    #[inline]
    pub(super) fn has(&self, number: u64) -> bool {
        let word = self.twice.get((number / 64) as usize);
        self.any
            || word.is_some_and(|word| word >> (number % 64) & 1 == 1)
            || self.part.get(&number).is_some_and(|twice| *twice)
    }
}

/// The members of an object, if it is a container.
fn container(store: &mut impl Store, trailer: &Trailer, number: u64) -> Option<Members> {
    let at = trailer.find(store, number, 0).ok()?;
    match Object::read(store, trailer, number, at) {
        Ok(Object::Container(members)) => Some(members),
        _ => None,
    }
}

/// The number of the value of a member. Keys are no containers.
fn value(store: &mut impl Store, trailer: &Trailer, members: Members, place: u64) -> Option<u64> {
    let before = if members.kind == ContainerKind::Map { members.count } else { 0 };
    let word = store.word(members.from + (before + place) * trailer.reference.bytes).ok()?;
    Some(trailer.reference.of(word))
}

#[cfg(test)]
mod tests {
    use super::super::store::Memory;
    use super::*;

    /// [[x, x], [x], {y: [x, w]}, w] and w = [x]: x twice in the first item only.
    const FILE: [&[u8]; 7] = [
        b"bplist00",
        &[0xA4, 1, 2, 3, 6, 0xA2, 7, 7, 0xA1, 7, 0xD1, 4, 5],
        &[0x51, b'y', 0xA2, 7, 6, 0xA1, 7, 0xA0],
        // Where they are, and the trailer: eight objects, the first one the root, the table at 29.
        &[8, 13, 16, 18, 21, 23, 26, 28],
        &[0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 8],
        &[0; 8],
        &[0, 0, 0, 0, 0, 0, 0, 29],
    ];

    fn shared(start: &[u64], until: &[u64], is_dense: bool) -> Vec<u64> {
        let bytes = FILE.concat();
        let store = &mut Memory(&bytes);
        let trailer = Trailer::read(store, bytes.len() as u64).expect("a good one");
        let shares = if is_dense { Shares::of_all(&trailer) } else { Shares::default() };
        let shares = shares.between(store, &trailer, start, until);
        // Only of these does anybody ask.
        (0..8).filter(|number| *number != 4 && shares.has(*number)).collect()
    }

    #[test]
    fn of_a_range() {
        for is_dense in [false, true] {
            for (start, until, expected) in [
                (&[][..], &[][..], &[6, 7][..]),
                (&[], &[1], &[7]),
                (&[0], &[1], &[7]),
                (&[1], &[2], &[]),
                (&[1], &[], &[6, 7]),
                (&[1], &[3], &[7]),
                (&[2], &[3], &[7]),
                (&[3], &[], &[]),
                (&[0, 1], &[1], &[]),
                (&[0, 1], &[1, 1], &[7]),
                (&[2, 0, 1], &[3], &[]),
                (&[2, 0, 0], &[2, 0, 1], &[]),
                (&[9], &[], &[]),
                (&[], &[9, 9], &[6, 7]),
                (&[2], &[1], &[]),
            ] {
                assert_eq!(shared(start, until, is_dense), expected, "{start:?} {until:?}");
            }
        }
    }
}
