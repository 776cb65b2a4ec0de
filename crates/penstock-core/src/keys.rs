//! Finds a key among the keys of a class if it is not the predicted one.
//!
//! The set of keys is small and is known before the first byte is read. So the table searches for a
//! seed of the hash that gives every key a place of its own. The hash takes a `Sample` of the key:
//! its length and both its ends. For up to 16 bytes the sample *is* the key, and finding one
//! compares three words and reads no other memory. Only a longer key is compared byte by byte,
//! once.
//!
//! Hostile input cannot make the table slow. Its keys come from the author of the class and not
//! from the document. So does the longest walk from a key's place, which also bounds the search for
//! a key that is not there.

use penstock_scan::{filled, gathered, make_room};

/// A fixed set of keys, and the position of each in the list that it was made from.
#[derive(Clone, Debug)]
pub struct KeyTable {
    /// For each place the key in it: an index of `entries`, or [`FREE`]. The length is a power of
    /// two.
    places: Box<[u32]>,
    entries: Box<[Entry]>,
    /// The keys longer than 16 bytes, one after the other.
    long: Box<[u8]>,
    seed: u64,
    /// How many places after its own a key may be.
    longest_walk: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sample: Sample,
    /// The beginning of the key in `long`, if the key is there.
    from: usize,
}

/// Marks a free place.
const FREE: u32 = u32::MAX;

/// The longest key that its [`Sample`] contains completely.
const SAMPLED: usize = 16;

impl KeyTable {
    /// A table of `keys`, which should be distinct: among equal keys the first one is found.
    ///
    /// ```
    /// use penstock_core::keys::KeyTable;
    ///
    /// let table = KeyTable::new(&[b"name", b"latitude", b"longitude"]);
    /// assert_eq!(table.find(b"longitude"), Some(2));
    /// assert_eq!(table.find(b"altitude"), None);
    /// ```
    ///
    /// # Panics
    /// If there are more than 2³² - 1 keys.
    #[must_use]
    pub fn new(keys: &[&[u8]]) -> Self {
        assert!(keys.len() < FREE as usize, "too many keys");
        let mut long = Vec::new();
        let entries = gathered(keys.iter().map(|key| {
            let from = long.len();
            if key.len() > SAMPLED {
                make_room(&mut long, key.len());
                long.extend_from_slice(key);
            }
            Entry { sample: Sample::of(key), from }
        }));
        let mut table = KeyTable {
            places: filled(FREE, places_for(keys.len())).into(),
            entries: entries.into(),
            long: long.into(),
            seed: 0,
            longest_walk: 0,
        };
        table.choose_seed();
        table.settle();
        table
    }

    /// The position of `key` in the list that the table was made from.
    ///
    /// ```
    /// # use penstock_core::keys::KeyTable;
    /// assert_eq!(KeyTable::new(&[b"", b"a"]).find(b""), Some(0));
    /// assert_eq!(KeyTable::new(&[]).find(b""), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let sample = Sample::of(key);
        let mut place = sample.hash(self.seed) as usize;
        for _ in 0..=self.longest_walk {
            let index = *self.places.get(place & (self.places.len() - 1))?;
            // The mark of a free place is not a valid index.
            let entry = self.entries.get(index as usize)?;
            if entry.sample == sample && self.middle_agrees(entry, key) {
                return Some(index);
            }
            place = place.wrapping_add(1);
        }
        None
    }

    /// True if `key`, whose sample is the entry's, is the entry's key.
    #[inline(always)]
    fn middle_agrees(&self, entry: &Entry, key: &[u8]) -> bool {
        key.len() <= SAMPLED || self.long.get(entry.from..entry.from + key.len()) == Some(key)
    }

    /// Searches for a seed that gives each key its own place. If there are many keys, it takes the
    /// best of a few seeds: then such seeds are rare, and keys with equal samples have none.
    fn choose_seed(&mut self) {
        let mask = self.places.len() as u64 - 1;
        let mut taken = filled(0_u64, self.places.len().div_ceil(64));
        let mut fewest = usize::MAX;
        // This bounds the number of hashes, not of tries.
        let tries = (SEARCH / self.entries.len().max(1)).max(2) as u64;
        for number in 1..=tries {
            let seed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            taken.fill(0);
            let mut collisions = 0;
            for entry in &self.entries {
                let place = entry.sample.hash(seed) & mask;
                let (word, bit) = (&mut taken[(place / 64) as usize], 1 << (place % 64));
                collisions += usize::from(*word & bit != 0);
                *word |= bit;
            }
            if collisions < fewest {
                (fewest, self.seed) = (collisions, seed);
            }
            if fewest == 0 {
                break;
            }
        }
    }

    /// Puts each key into its place or the next free one.
    fn settle(&mut self) {
        let mask = self.places.len() - 1;
        for (index, entry) in (0..FREE).zip(&self.entries) {
            let own = entry.sample.hash(self.seed) as usize;
            // There are more places than keys, so one of them is free.
            let mut walk = 0;
            while self.places[own.wrapping_add(walk) & mask] != FREE {
                walk += 1;
            }
            self.places[own.wrapping_add(walk) & mask] = index;
            self.longest_walk = self.longest_walk.max(walk);
        }
    }
}

/// About the most hashes to spend on the search for a seed.
const SEARCH: usize = 300;

/// Two to four places for each key, and at least one.
fn places_for(keys: usize) -> usize {
    (keys * 2 + 1).next_power_of_two()
}

/// The input of the hash: a key's length and both its ends, at most eight bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    first: u64,
    last: u64,
    length: usize,
}

impl Sample {
    /// The sample of `key`. In a key of less than 16 bytes the ends overlap and together contain
    /// all of it, so equal samples of such keys are equal keys.
    #[inline(always)]
    fn of(key: &[u8]) -> Sample {
        let (first, last) = match (key.first_chunk(), key.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => match (key.first_chunk(), key.last_chunk(), key) {
                (Some(first), Some(last), _) => {
                    (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into())
                }
                (_, _, [first, .., last]) => {
                    (u64::from(*first) | u64::from(key[1]) << 8, u64::from(*last))
                }
                (_, _, [only]) => (u64::from(*only), 0),
                _ => (0, 0),
            },
        };
        Sample { first, last, length: key.len() }
    }

    /// One multiplication of both ends, folded so that every bit of them reaches the low bits.
    #[inline(always)]
    fn hash(self, seed: u64) -> u64 {
        let last = self.last.rotate_left(29) ^ (self.length as u64).wrapping_mul(LENGTH);
        let product = u128::from(self.first ^ seed) * u128::from(last ^ seed.rotate_left(32));
        (product >> 64) as u64 ^ product as u64
    }
}

/// Spreads the length over the word.
const LENGTH: u64 = 0xA076_1D64_78BD_642F;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    fn naive(keys: &[&[u8]], key: &[u8]) -> Option<u32> {
        keys.iter().position(|candidate| *candidate == key).map(|index| index as u32)
    }

    fn assert_agrees(keys: &[Vec<u8>], more: &[Vec<u8>]) {
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let table = KeyTable::new(&keys);
        for key in keys.iter().copied().chain(more.iter().map(Vec::as_slice)) {
            assert_eq!(table.find(key), naive(&keys, key), "{key:?} in {keys:?}");
            // A key that is near another is not that key.
            for at in 0..key.len() {
                let mut near = key.to_vec();
                near[at] ^= 1;
                assert_eq!(table.find(&near), naive(&keys, &near), "{near:?} in {keys:?}");
                assert_eq!(table.find(&key[..at]), naive(&keys, &key[..at]));
                assert_eq!(table.find(&key[at..]), naive(&keys, &key[at..]));
            }
            let longer = [key, b"\0"].concat();
            assert_eq!(table.find(&longer), naive(&keys, &longer));
        }
    }

    #[test]
    fn keys_with_one_sample_are_told_apart() {
        let keys: Vec<Vec<u8>> =
            (0..300).map(|number| format!("aaaaaaaa-{number:03}-zzzzzzzz").into_bytes()).collect();
        assert_agrees(&keys, &[]);
    }

    #[test]
    fn ten_keys_have_a_place_each() {
        let names =
            "id name latitude longitude country population elevation timezone modified kind";
        let keys: Vec<&[u8]> = names.split(' ').map(str::as_bytes).collect();
        assert_eq!(KeyTable::new(&keys).longest_walk, 0);
    }

    #[test]
    fn walks_are_short_in_large_tables_too() {
        for count in [30, 60, 200, 1_000, 20_000] {
            let names: Vec<String> = (0..count).map(|number| format!("field_{number}")).collect();
            let keys: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
            let table = KeyTable::new(&keys);
            assert!(table.longest_walk < 24, "{} of {count}", table.longest_walk);
            for (index, key) in (0..).zip(&keys) {
                assert_eq!(table.find(key), Some(index));
            }
        }
    }

    #[test]
    fn of_equal_keys_the_first_is_found() {
        assert_eq!(KeyTable::new(&[b"x", b"a", b"a"]).find(b"a"), Some(1));
    }

    fn distinct(keys: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut seen = std::collections::HashSet::new();
        keys.into_iter().filter(|key| seen.insert(key.clone())).collect()
    }

    /// Keys of all lengths over few letters, with ends in common.
    fn keys(most: usize) -> impl Strategy<Value = Vec<Vec<u8>>> {
        let key = "(|prefix__|pre)[ab\0]{0,20}(|__suffix|fix)".prop_map(String::into_bytes);
        prop::collection::vec(prop_oneof![key, "[a-z]{0,12}".prop_map(String::into_bytes)], 0..most)
            .prop_map(distinct)
    }

    proptest! {
        #![proptest_config(Config {
            cases: 500,
            rng_seed: RngSeed::Fixed(0x70656e73),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn finds_what_a_linear_search_finds(keys in keys(40), more in keys(20)) {
            assert_agrees(&keys, &more);
        }

        #[test]
        fn any_bytes_may_be_keys(
            keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
        ) {
            assert_agrees(&distinct(keys), &[]);
        }
    }
}
