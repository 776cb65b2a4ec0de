//! Finds what was written before, so that equal objects are stored once.

use std::hash::{BuildHasher, RandomState};

use crate::writer::Unwritable;

/// A hash of bytes that nobody can foresee.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) fn new() -> Self {
        Hash(RandomState::new().hash_one(0_u64))
    }

    #[inline(always)]
    pub(super) fn of(self, marker: u8, bytes: &[u8]) -> u32 {
        let start = bytes.len() as u64 ^ u64::from(marker) << 56;
        let mut state = self.0 ^ start.wrapping_mul(SPREAD);
        let mut rest = bytes;
        while let Some((next, after)) = rest.split_first_chunk::<16>()
            && !after.is_empty()
        {
            let next = u128::from_le_bytes(*next);
            state = self.fold(state ^ next as u64, (next >> 64) as u64);
            rest = after;
        }
        let (first, last) = ends(bytes);
        (self.fold(self.fold(state ^ first, last), SPREAD) >> 32) as u32
    }

    /// The hash of a container before its first member.
    #[inline(always)]
    pub(super) fn begin(self, marker: u8) -> Members {
        Members(self.0 ^ u64::from(marker))
    }

    /// The same behind one more member.
    #[inline(always)]
    pub(super) fn with(self, Members(state): Members, number: u32) -> Members {
        Members(self.fold(state ^ u64::from(number), SPREAD))
    }

    /// Both halves of a product of two words that depend on the secret.
    #[inline(always)]
    fn fold(self, first: u64, last: u64) -> u64 {
        let product = u128::from(first) * u128::from(last ^ self.0.rotate_left(32));
        (product >> 64) as u64 ^ product as u64
    }
}

/// Two words that have the last 16 bytes, or all if there are fewer. They overlap: a copy into two
/// words would be read before the processor has written it.
#[inline(always)]
fn ends(bytes: &[u8]) -> (u64, u64) {
    if let Some(last) = bytes.last_chunk::<16>() {
        let last = u128::from_le_bytes(*last);
        (last as u64, (last >> 64) as u64)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into())
    } else if let [first, .., last] = bytes {
        (u64::from(*first) | u64::from(bytes[1]) << 8, (*last).into())
    } else {
        (bytes.first().copied().unwrap_or_default().into(), 0)
    }
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a container's first members.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members(u64);

impl Members {
    /// If these are all.
    #[inline(always)]
    pub(super) fn hash(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// The numbers of objects by the hash of their contents, which the caller keeps.
///
/// Most objects of a large document are new. `tags` is an eighth of the slots, so it stays in the
/// processor's cache, and tells of a new object that it is new. Its slot is only written, and
/// nothing waits for that.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// For each slot: zero if it is free, or else some bits of its hash.
    tags: Vec<u8>,
    /// A hash above a number.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    pub(super) fn clear(&mut self) {
        // A large table would take longer to clear than a small document to write.
        if self.slots.len() > 1024 {
            *self = Table::default();
        }
        self.tags.fill(0);
        self.used = 0;
    }

    /// The number of the object with this hash which is the `same`, or else `number`, which it gets.
    ///
    /// # Errors
    /// There is no memory.
    #[inline(always)]
    pub(super) fn find_or_add(
        &mut self,
        hash: u32,
        number: u32,
        same: impl Fn(u32) -> bool,
    ) -> Result<u32, Unwritable> {
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow()?;
        }
        let mask = self.tags.len() - 1;
        let tag = tag_of(hash);
        let mut place = hash as usize & mask;
        loop {
            let found = self.tags[place];
            if found == 0 {
                self.tags[place] = tag;
                self.slots[place] = u64::from(hash) << 32 | u64::from(number);
                self.used += 1;
                return Ok(number);
            }
            if found == tag {
                let slot = self.slots[place];
                if (slot >> 32) as u32 == hash && same(slot as u32) {
                    return Ok(slot as u32);
                }
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Unwritable> {
        let count = (2 * self.slots.len()).max(64);
        let (mut tags, mut slots) = (Vec::new(), Vec::new());
        tags.try_reserve_exact(count).map_err(|_| Unwritable::memory())?;
        slots.try_reserve_exact(count).map_err(|_| Unwritable::memory())?;
        tags.resize(count, 0);
        slots.resize(count, 0);
        for (slot, _) in self.slots.iter().zip(&self.tags).filter(|(_, tag)| **tag != 0) {
            let hash = (slot >> 32) as u32;
            let mut place = hash as usize & (count - 1);
            while tags[place] != 0 {
                place = (place + 1) & (count - 1);
            }
            (tags[place], slots[place]) = (tag_of(hash), *slot);
        }
        (self.tags, self.slots) = (tags, slots);
        Ok(())
    }
}

/// Bits of a hash that do not choose the slot of a table with less than 2^25 of them.
#[inline(always)]
fn tag_of(hash: u32) -> u8 {
    (hash >> 25) as u8 | 0x80
}

/// The longest object that is remembered.
const LONGEST: usize = 59;
/// How many are, of each kind.
const PLACES: usize = 1 << 13;

/// The last short objects that were written, as many as there is place for: 1 MiB in all.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Keys, and then other values, which do not displace them.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u32,
    /// Zero if there is none here.
    length: u8,
    bytes: [u8; LONGEST],
}

const NONE: Entry = Entry { number: 0, length: 0, bytes: [0; LONGEST] };
const _: () = assert!(size_of::<Entry>() == 64);

impl Recent {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Forgets the objects with this number and all later ones.
    pub(super) fn forget_from(&mut self, number: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.number >= number) {
            entry.length = 0;
        }
    }

    /// The number of an equal object, if it is known. If not, the object is remembered by `number`.
    pub(super) fn find_or_add(
        &mut self,
        hash: u32,
        bytes: &[u8],
        is_key: bool,
        number: u32,
    ) -> Result<u32, Unwritable> {
        if bytes.len() > LONGEST {
            return Ok(number);
        }
        if self.entries.is_empty() {
            self.entries.try_reserve_exact(2 * PLACES).map_err(|_| Unwritable::memory())?;
            self.entries.resize(2 * PLACES, NONE);
        }
        let place = hash as usize % PLACES + if is_key { 0 } else { PLACES };
        let entry = &mut self.entries[place];
        if usize::from(entry.length) == bytes.len() && entry.bytes[..bytes.len()] == *bytes {
            return Ok(entry.number);
        }
        (entry.number, entry.length) = (number, bytes.len() as u8);
        entry.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_have_one_number() {
        let (hash, mut table) = (Hash::new(), Table::default());
        let items: Vec<String> = (0..10_000).map(|number| (number % 3_000).to_string()).collect();
        for (number, item) in items.iter().enumerate() {
            let same = |other: u32| items[other as usize] == *item;
            let found = table.find_or_add(hash.of(0x50, item.as_bytes()), number as u32, same);
            assert_eq!(found.unwrap(), number as u32 % 3_000);
        }
    }

    #[test]
    fn all_bytes_and_their_number_matter() {
        let hash = Hash(0x0123_4567_89AB_CDEF);
        let bytes: Vec<u8> = (1..60).collect();
        let mut seen = std::collections::HashSet::new();
        for length in 0..bytes.len() {
            assert!(seen.insert(hash.of(0x50, &bytes[..length])));
            for place in 0..length {
                let mut other = bytes[..length].to_vec();
                other[place] ^= 0x80;
                assert!(seen.insert(hash.of(0x50, &other)));
            }
            let members = bytes[..length]
                .iter()
                .fold(hash.begin(0xA0), |members, byte| hash.with(members, u32::from(*byte)));
            assert!(length == 0 || seen.insert(members.hash()));
        }
    }

    #[test]
    fn what_is_recent() {
        let (hash, mut recent) = (Hash::new(), Recent::default());
        let mut find = |bytes: &[u8], key, number| {
            recent.find_or_add(hash.of(0, bytes), bytes, key, number).unwrap()
        };
        assert_eq!(find(b"Pa", false, 0), 0);
        assert_eq!(find(b"Pa", false, 1), 0);
        assert_eq!(find(b"Pa", true, 1), 1);
        assert_eq!(find(&[b'x'; 60], false, 2), 2);
        assert_eq!(find(&[b'x'; 60], false, 3), 3);
        recent.forget_from(1);
        let hash = hash.of(0, b"Pa");
        assert_eq!(recent.find_or_add(hash, b"Pa", true, 7).unwrap(), 7);
        assert_eq!(recent.find_or_add(hash, b"Pa", false, 7).unwrap(), 0);
    }
}
