//! Markers, counts and strings, as they stand in a binary property list.

use crate::event::Text;
use crate::writer::{Unwritable, make_room};

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

/// Appends a marker and a count.
#[inline(always)]
pub(super) fn push_mark(high: u8, count: u64, out: &mut Vec<u8>) {
    if count < 15 {
        out.push(high | count as u8);
    } else {
        push_long_mark(high, count, out);
    }
}

#[inline(never)]
pub(super) fn push_long_mark(high: u8, count: u64, out: &mut Vec<u8>) {
    out.push(high | 0xF);
    let width = width_of(count);
    out.push(0x10 | width.trailing_zeros() as u8);
    push_all([count].into_iter(), width, out);
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

pub(super) fn push_counted(
    high: u8,
    count: u64,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    make_room(out, bytes.len().saturating_add(LONGEST_MARK))?;
    push_mark(high, count, out);
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends a string.
#[inline(always)]
pub(super) fn push_text(text: Text<'_>, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let bytes = text.bytes();
    if text.ascii || bytes.is_ascii() {
        return push_counted(0x50, bytes.len() as u64, bytes, out);
    }
    push_utf16(text.text.as_str(), out)
}

#[inline(never)]
pub(super) fn push_utf16(text: &str, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let units = text.encode_utf16().count();
    make_room(out, units.saturating_mul(2).saturating_add(LONGEST_MARK))?;
    push_mark(0x60, units as u64, out);
    for unit in text.encode_utf16() {
        out.extend_from_slice(&unit.to_be_bytes());
    }
    Ok(())
}
