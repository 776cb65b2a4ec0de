//! Which objects several others refer to.

use std::collections::HashMap;

use penstock_scan::{filled, make_room};

use super::object::{Members, Object, is_container};
use super::store::Store;
use super::trailer::Trailer;
use crate::event::ContainerKind;

/// The objects with more than one reference.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// Two bits for each object.
    once: Vec<u64>,
    twice: Vec<u64>,
    /// If only a part of the file is read: its containers, and whether they are shared there.
    part: HashMap<u64, bool>,
    /// It would take too long to count, because containers overlap: any object may be shared.
    any: bool,
}

impl Shares {
    /// Counts the references in all containers, also in those that the root does not lead to. What
    /// is wrong with an object does not matter before somebody wants it.
    pub(super) fn count(store: &mut impl Store, trailer: &Trailer) -> Self {
        let words = usize::try_from(trailer.objects.div_ceil(64)).unwrap_or(usize::MAX);
        let (once, twice) = (filled(0, words), filled(0, words));
        let mut shares = Shares { once, twice, ..Shares::default() };
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

    /// Counts the references in all containers to which the root leads. It takes as long as reading
    /// them, and not as long as reading the whole file.
    pub(super) fn count_part(store: &mut impl Store, trailer: &Trailer) -> Self {
        let mut shares = Shares::default();
        let mut left = trailer.table / trailer.reference.bytes;
        let mut ahead = Vec::new();
        shares.meet(store, trailer, trailer.root, &mut ahead);
        while let Some(Members { kind, from, count }) = ahead.pop() {
            // Keys are no containers.
            let first = if kind == ContainerKind::Map { count } else { 0 };
            if count > left {
                shares.any = true;
                return shares;
            }
            left -= count;
            for place in first..first + count {
                let Ok(word) = store.word(from + place * trailer.reference.bytes) else { break };
                shares.meet(store, trailer, trailer.reference.of(word), &mut ahead);
            }
        }
        shares
    }

    /// Notes a reference. The first one to a container leads to its members.
    fn meet(
        &mut self,
        store: &mut impl Store,
        trailer: &Trailer,
        number: u64,
        ahead: &mut Vec<Members>,
    ) {
        if let Some(twice) = self.part.get_mut(&number) {
            *twice = true;
            return;
        }
        let Ok(at) = trailer.find(store, number, 0) else { return };
        if let Ok(Object::Container(members)) = Object::read(store, trailer, number, at) {
            make_room(&mut self.part, 1);
            self.part.insert(number, false);
            make_room(ahead, 1);
            ahead.push(members);
        }
    }

    #[inline(always)]
    fn refer(&mut self, number: u64) {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if let (Some(once), Some(twice)) = (self.once.get_mut(word), self.twice.get_mut(word)) {
            *twice |= *once & bit;
            *once |= bit;
        }
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
