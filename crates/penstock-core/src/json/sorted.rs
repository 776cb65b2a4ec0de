//! The members of open objects, put in order when the object ends.
//!
//! The text of the members is already written, in the order in which they came. For each the place
//! of its text and its key are kept. Objects whose members came in order, and all of an encoder
//! that sorts can do, cost only the comparison.

use std::cmp::Ordering;

use crate::event::Text;
use crate::writer::{Unwritable, make_room};

/// An order of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By their code points, as Python sorts them.
    CodePoints,
    /// By their UTF-16 units, as RFC 8785 asks for.
    Utf16,
}

#[derive(Debug)]
struct Member {
    /// Where its key begins in the text of all keys.
    key: usize,
    /// Where its text begins in the output.
    at: usize,
}

#[derive(Debug)]
struct Map {
    /// Where its first member begins in the output.
    begin: usize,
    /// Its first member, and the text of its keys.
    members: usize,
    keys: usize,
    in_order: bool,
}

/// The members of the open objects.
#[derive(Debug)]
pub(crate) struct Sorted {
    order: Order,
    /// Whether a repeated key is refused.
    unique: bool,
    maps: Vec<Map>,
    members: Vec<Member>,
    keys: Vec<u8>,
    /// For putting the text in order.
    scratch: Vec<u8>,
}

impl Sorted {
    pub(crate) fn new(order: Order, unique: bool) -> Self {
        Sorted {
            order,
            unique,
            maps: Vec::new(),
            members: Vec::new(),
            keys: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.maps.clear();
        self.members.clear();
        self.keys.clear();
    }

    /// Whether no object is open.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Where the outermost open object begins, with its bracket.
    pub(crate) fn outermost(&self) -> Option<usize> {
        self.maps.first().map(|map| map.begin.saturating_sub(1))
    }

    /// The output before this place is gone.
    pub(crate) fn shift(&mut self, gone: usize) {
        self.maps.iter_mut().for_each(|map| map.begin -= gone);
        self.members.iter_mut().for_each(|member| member.at -= gone);
    }

    /// An object begins: its first member will be at this place.
    pub(crate) fn begin(&mut self, begin: usize) -> Result<(), Unwritable> {
        self.maps.try_reserve(1).map_err(|_| Unwritable::memory())?;
        let (members, keys) = (self.members.len(), self.keys.len());
        self.maps.push(Map { begin, members, keys, in_order: true });
        Ok(())
    }

    /// A member with this key begins at this place.
    pub(crate) fn key(&mut self, key: Text<'_>, at: usize) -> Result<(), Unwritable> {
        let Some(map) = self.maps.last_mut() else { return Ok(()) };
        self.members.try_reserve(1).map_err(|_| Unwritable::memory())?;
        make_room(&mut self.keys, key.bytes().len())?;
        if let Some(last) = self.members[map.members..].last() {
            let order = compare(self.order, &self.keys[last.key..], key.bytes());
            map.in_order &= order == Ordering::Less || (order == Ordering::Equal && !self.unique);
        }
        self.members.push(Member { key: self.keys.len(), at });
        self.keys.extend_from_slice(key.bytes());
        Ok(())
    }

    /// The innermost object ends, but for its bracket: each member ends in the same way, with a comma for
    /// example.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let Some(map) = self.maps.pop() else { return Ok(()) };
        if !map.in_order {
            self.put_in_order(&map, out)?;
        }
        self.members.truncate(map.members);
        self.keys.truncate(map.keys);
        Ok(())
    }

    fn put_in_order(&mut self, map: &Map, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let Sorted { order, unique, members, keys, scratch, .. } = self;
        let members = &members[map.members..];
        let key = |index: usize| {
            let end = members.get(index + 1).map_or(keys.len(), |next| next.key);
            &keys[members[index].key..end]
        };
        let mut places = Vec::new();
        places.try_reserve_exact(members.len()).map_err(|_| Unwritable::memory())?;
        places.extend(0..members.len());
        // Members with the same key stay in their order. A stable sort would need memory for that.
        places.sort_unstable_by(|&a, &b| compare(*order, key(a), key(b)).then(a.cmp(&b)));
        if *unique && let Some(twice) = places.windows(2).find(|it| key(it[0]) == key(it[1])) {
            let key = String::from_utf8_lossy(key(twice[0])).into_owned();
            return Err(Unwritable::value(format!(
                "the key {key:?} is repeated, which the canonical form does not allow"
            )));
        }
        scratch.clear();
        make_room(scratch, out.len() - map.begin)?;
        for place in places {
            let end = members.get(place + 1).map_or(out.len(), |next| next.at);
            scratch.extend_from_slice(&out[members[place].at..end]);
        }
        out.truncate(map.begin);
        out.extend_from_slice(scratch);
        Ok(())
    }
}

/// Compares two keys in UTF-8.
fn compare(order: Order, a: &[u8], b: &[u8]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (a.get(same), b.get(same)) {
        // The order of bytes is that of code points. UTF-16 puts the characters beyond U+FFFF, which
        // begin with 0xF0 or more, before those from U+E000 on, which begin with 0xEE or 0xEF.
        (Some(&x), Some(&y)) if order == Order::Utf16 && (x >= 0xEE && y >= 0xEE) => {
            (x < 0xF0).cmp(&(y < 0xF0)).then(x.cmp(&y))
        }
        (x, y) => x.cmp(&y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_compare_as_their_units(a in ".{0,4}", b in ".{0,4}") {
            let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            let (x, y) = (a.as_bytes(), b.as_bytes());
            prop_assert_eq!(compare(Order::Utf16, x, y), units(&a).cmp(&units(&b)));
            prop_assert_eq!(compare(Order::CodePoints, x, y), a.cmp(&b));
        }
    }
}
