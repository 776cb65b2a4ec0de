//! Which objects several others refer to.

use penstock_scan::filled;

use super::object::{Members, Object};
use super::store::Store;
use super::trailer::Trailer;
use crate::event::ContainerKind;

/// The objects with more than one reference. Two bits for each object.
#[derive(Debug, Default)]
pub(super) struct Shares {
    once: Vec<u64>,
    twice: Vec<u64>,
    /// It would take too long to count, because containers overlap: any object may be shared.
    any: bool,
}

impl Shares {
    /// Counts the references in all containers, also in those that the root does not lead to. What
    /// is wrong with an object does not matter before somebody wants it.
    pub(super) fn count(store: &mut impl Store, trailer: &Trailer) -> Self {
        let words = usize::try_from(trailer.objects.div_ceil(64)).unwrap_or(usize::MAX);
        let mut shares = Shares { once: filled(0, words), twice: filled(0, words), any: false };
        shares.refer(trailer.root);
        // Containers that do not overlap have no more references than this.
        let mut left = trailer.table / trailer.reference.bytes;
        for number in 0..trailer.objects {
            let Ok(at) = trailer.find(store, number, 0) else { continue };
            let Ok(Object::Container(members)) = Object::read(store, trailer, number, at) else {
                continue;
            };
            let Members { kind, from, count } = members;
            let count = if kind == ContainerKind::Map { 2 * count } else { count };
            if count > left {
                shares.any = true;
                return shares;
            }
            left -= count;
            for place in 0..count {
                let Ok(word) = store.word(from + place * trailer.reference.bytes) else { break };
                shares.refer(trailer.reference.of(word));
            }
        }
        shares
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
        self.any || word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}
