//! Maps with keys of their own: searched from end to end at first, and indexed after some look-ups.
//!
//! Building an index costs as much as some look-ups that go through all keys. So the first look-ups
//! do that, and a program that wants one city out of a quarter of a million does not pay for an
//! index.

use super::Header;
use super::view::{Text, View};
use crate::protocol::Duplicates;
use crate::word::{Tag, Word};
use penstock_scan::{TextBuf, filled, gathered, make_room};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

/// How many look-ups go through all keys before the index is built.
const PATIENCE: u32 = 4;
/// No index is ever built for maps with this many keys or fewer.
const FEW: usize = 12;

/// The indexes of a document, by the position of the map's header.
#[derive(Debug, Default)]
pub(super) struct Indexes(Mutex<HashMap<usize, Entry>>);

#[derive(Debug, Default)]
struct Entry {
    looked: u32,
    index: Option<Arc<Index>>,
}

/// The position of a map's keys.
#[derive(Debug)]
pub struct Index {
    /// One more than the position of a key, or zero. The length is a power of two.
    places: Box<[u32]>,
    hasher: RandomState,
    /// If keys are repeated: for each distinct one its first position, and that of its value.
    distinct: Option<Box<[(u32, u32)]>>,
}

impl Index {
    /// How many distinct keys there are, if not all are.
    pub(super) fn distinct(&self) -> Option<usize> {
        self.distinct.as_ref().map(|distinct| distinct.len())
    }

    /// The first position of a distinct key, and that of its value.
    pub(super) fn entry(&self, at: usize) -> Option<(usize, usize)> {
        match &self.distinct {
            Some(distinct) => distinct.get(at).map(|(key, value)| (*key as usize, *value as usize)),
            None => Some((at, at)),
        }
    }
}

/// The keys of a map that stores them itself.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    view: View<'a>,
    /// The position of the map's header.
    index: usize,
    keys: &'a [u64],
}

impl<'a> Own<'a> {
    pub(super) fn new(view: View<'a>, index: usize, keys: &'a [u64]) -> Self {
        Own { view, index, keys }
    }

    /// The key at a position.
    pub(super) fn key(&self, slot: usize) -> Text<'a> {
        self.view.string(Word::from_bits(self.keys[slot]))
    }

    fn is(&self, bits: u64, name: &str, room: &mut TextBuf) -> bool {
        let key = Word::from_bits(bits);
        // The text has this length if it has no escapes.
        if key.tag() == Tag::Text && key.length().is_some_and(|length| length != name.len()) {
            return false;
        }
        self.view.string(key).resolve(room).as_str() == name
    }

    /// The position of the value that counts for a key.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        if self.keys.len() > FEW
            && let Some(index) = self.look()
        {
            return self.find_in(&index, name);
        }
        let first = self.view.document.duplicates == Duplicates::First;
        if let Some(word) = Word::short(name.as_bytes()) {
            let mut keys = self.keys.iter();
            let is = |key: &u64| *key == word.bits();
            return if first { keys.position(is) } else { keys.rposition(is) };
        }
        let mut room = TextBuf::new();
        let is = |key: &u64| self.is(*key, name, &mut room);
        let mut keys = self.keys.iter();
        if first { keys.position(is) } else { keys.rposition(is) }
    }

    fn find_in(&self, index: &Index, name: &str) -> Option<usize> {
        let mask = index.places.len() - 1;
        let mut place = index.hasher.hash_one(name) as usize;
        let mut room = TextBuf::new();
        loop {
            let slot = index.places[place & mask].checked_sub(1)? as usize;
            if self.is(self.keys[slot], name, &mut room) {
                return Some(slot);
            }
            place = place.wrapping_add(1);
        }
    }

    /// The index, if it exists or must now be built.
    fn look(&self) -> Option<Arc<Index>> {
        let mut indexes = self.indexes();
        let entry = indexes.entry(self.index).or_default();
        entry.looked += 1;
        if entry.index.is_none() && entry.looked > PATIENCE {
            entry.index = self.make().map(Arc::new);
        }
        entry.index.clone()
    }

    /// The index with the distinct keys; nothing if there is one key at most.
    pub(super) fn distinct(&self) -> Option<Arc<Index>> {
        let mut indexes = self.indexes();
        let entry = indexes.entry(self.index).or_default();
        if entry.index.is_none() {
            entry.index = self.make().map(Arc::new);
        }
        entry.index.clone()
    }

    fn indexes(&self) -> std::sync::MutexGuard<'a, HashMap<usize, Entry>> {
        let Indexes(indexes) = &self.view.document.indexes;
        indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds the index; nothing if there are more keys than an index can count.
    fn make(&self) -> Option<Index> {
        let count = self.keys.len();
        if count >= u32::MAX as usize / 2 {
            return None;
        }
        let mut places = filled(0_u32, (count * 2).next_power_of_two()).into_boxed_slice();
        let hasher = RandomState::new();
        let first = self.view.document.duplicates == Duplicates::First;
        let mask = places.len() - 1;
        // For each position of a repeated key, the position that was in the table for that key
        // before.
        let mut repeated: Vec<(u32, u32)> = Vec::new();
        let (mut room, mut other) = (TextBuf::new(), TextBuf::new());
        for (slot, bits) in (0_u32..).zip(self.keys) {
            let key = self.view.string(Word::from_bits(*bits));
            let name = key.resolve(&mut room).as_str();
            let mut place = hasher.hash_one(name) as usize;
            loop {
                let taken = &mut places[place & mask];
                if *taken == 0 {
                    *taken = slot + 1;
                    break;
                }
                if self.is(self.keys[*taken as usize - 1], name, &mut other) {
                    make_room(&mut repeated, 1);
                    repeated.push((slot, *taken - 1));
                    if !first {
                        *taken = slot + 1;
                    }
                    break;
                }
                place = place.wrapping_add(1);
            }
        }
        let distinct = (!repeated.is_empty()).then(|| distinct(count, &repeated, first));
        Some(Index { places, hasher, distinct })
    }
}

/// For each distinct key its first position and that of its value, from the repeated ones. Each of
/// these is a position and an earlier position of the same key: the first one if `first` counts,
/// otherwise the one before.
fn distinct(count: usize, repeated: &[(u32, u32)], first: bool) -> Box<[(u32, u32)]> {
    let mut origin: HashMap<u32, u32> = HashMap::new();
    let mut value: HashMap<u32, u32> = HashMap::new();
    for &(slot, earlier) in repeated {
        let from = origin.get(&earlier).copied().unwrap_or(earlier);
        make_room(&mut origin, 1);
        origin.insert(slot, from);
        if !first {
            make_room(&mut value, 1);
            value.insert(from, slot);
        }
    }
    let distinct = (0..count as u32)
        .filter(|slot| !origin.contains_key(slot))
        .map(|slot| (slot, value.get(&slot).copied().unwrap_or(slot)));
    gathered(distinct).into()
}

const _: () = assert!(Header::WORDS == 2);
