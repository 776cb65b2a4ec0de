//! Markers, counts and strings, as they stand in a binary property list.

use crate::writer::{Unwritable, make_room};

/// The high half of a map's marker.
pub(super) const DICT: u8 = 0xD0;

/// The most bytes of a marker and a count.
pub(super) const LONGEST_MARK: usize = 10;

#[cold]
pub(super) fn too_many() -> Unwritable {
    Unwritable::value("too many objects for a binary property list")
}

/// Appends an item.
#[inline(always)]
pub(super) fn push<T>(items: &mut Vec<T>, item: T) -> Result<(), Unwritable> {
    if items.len() == items.capacity() {
        items.try_reserve(1).map_err(|_| Unwritable::memory())?;
    }
    items.push(item);
    Ok(())
}

/// What stands before the bytes of an object: its marker, and a count unless that is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) marker: u8,
    count: u64,
}

impl Mark {
    /// A marker without a count.
    #[inline(always)]
    pub(super) fn of(marker: u8) -> Self {
        Mark { marker, count: 0 }
    }

    /// The high half of a marker, and a count.
    #[inline(always)]
    pub(super) fn counted(high: u8, count: usize) -> Self {
        Mark { marker: high | count.min(15) as u8, count: count as u64 }
    }

    /// How many bytes it has.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        if self.count < 15 { 1 } else { 2 + usize::from(width_of(self.count)) }
    }

    /// Appends it.
    #[inline(always)]
    pub(super) fn push(self, out: &mut Vec<u8>) {
        out.push(self.marker);
        if self.count >= 15 {
            let width = width_of(self.count);
            out.push(0x10 | width.trailing_zeros() as u8);
            push_all([self.count].into_iter(), width, out);
        }
    }

    /// Appends it, and the bytes behind it.
    #[inline(always)]
    pub(super) fn push_with(self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
        make_room(out, bytes.len().saturating_add(LONGEST_MARK))?;
        self.push(out);
        out.extend_from_slice(bytes);
        Ok(())
    }

    /// Whether an object, as it stands in the file, is this and these bytes. The marker and the
    /// length tell the count.
    #[inline(always)]
    pub(super) fn is_that_of(self, object: &[u8], bytes: &[u8]) -> bool {
        object.len() == self.len() + bytes.len()
            && object.first() == Some(&self.marker)
            && object.ends_with(bytes)
    }
}

/// What stands before an integer, and its bytes.
#[inline(always)]
pub(super) fn int(value: i64, bytes: &mut [u8; 8]) -> (Mark, &[u8]) {
    *bytes = value.to_be_bytes();
    match value {
        0..0x100 => (Mark::of(0x10), &bytes[7..]),
        0x100..0x1_0000 => (Mark::of(0x11), &bytes[6..]),
        0x1_0000..0x1_0000_0000 => (Mark::of(0x12), &bytes[4..]),
        _ => (Mark::of(0x13), bytes),
    }
}

/// The members of a container as they stand in the file: of a map, whose keys and values come in
/// turn, first all keys.
#[inline(always)]
pub(super) fn in_order(high: u8, members: &[u32], mut each: impl FnMut(u32)) {
    if high != DICT {
        return members.iter().for_each(|member| each(*member));
    }
    let (members, _) = members.as_chunks();
    members.iter().for_each(|[key, _]| each(*key));
    members.iter().for_each(|[_, value]| each(*value));
}

/// Appends integers of 1, 2, 4 or 8 bytes.
#[inline(always)]
pub(super) fn push_all(values: impl Iterator<Item = u64>, width: u8, out: &mut Vec<u8>) {
    match width {
        1 => values.for_each(|value| out.push(value as u8)),
        2 => values.for_each(|value| out.extend_from_slice(&(value as u16).to_be_bytes())),
        4 => values.for_each(|value| out.extend_from_slice(&(value as u32).to_be_bytes())),
        _ => values.for_each(|value| out.extend_from_slice(&value.to_be_bytes())),
    }
}

/// The bytes of integers below a bound that every reader knows: 1, 2, 4 or 8.
pub(super) fn width_of(bound: u64) -> u8 {
    match bound {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x1_0000_0000 => 4,
        _ => 8,
    }
}

/// The text as UTF-16, for a string that is not ASCII.
#[inline(never)]
pub(super) fn to_utf16(text: &str, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    out.clear();
    make_room(out, text.encode_utf16().count().saturating_mul(2))?;
    for unit in text.encode_utf16() {
        out.extend_from_slice(&unit.to_be_bytes());
    }
    Ok(())
}
