//! Hops over records by the structure of the text alone.
//!
//! # For maintainers
//!
//! Between two points, the planner must know only how many records there are, and where the last of
//! them begin. From a place between two records, a hop finds that out of quotes and brackets, of tags, or
//! of line feeds: 64 bytes at a time, a word of bits for each kind of byte, as `csv/blocks.rs` finds rows. It
//! passes over whole records of one list or one element, or lines, and ends at a place where the reader can
//! go on as it stands. A block that lies within a record is only counted.
//!
//! Except for that over rows, a hop checks nothing. In text without faults it finds what the reader would find. Up to the place
//! of a fault it does as well, and what is behind that does not matter: whoever reads the part with
//! the fault meets it, in the same place and for the same reason as a reader of all the text.
//! Anything that a hop does not know for sure ends it before the record in which that is. Then the
//! reader reads on, and says where the next hop begins ([`Hops`](super::Hops)).

mod json;
mod lines;
mod rows;
mod xml;

#[cfg(test)]
mod tests;

pub(crate) use json::items;
pub(crate) use lines::lines;
pub(crate) use rows::rows;
pub(crate) use xml::{Child, children};

/// How many bytes are looked at at once.
const BLOCK: usize = 64;

/// How far a hop has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hop {
    /// How many bytes were passed.
    pub(crate) at: usize,
    /// How many records begin and end in these.
    pub(crate) records: u64,
    /// Whether more text would make no difference: the list is over, or there is something that only
    /// the reader knows.
    pub(crate) is_over: bool,
}

/// The bytes from a place of the text on. Behind its end are zeros: then they are in `room`.
#[inline(always)]
fn block<'t>(text: &'t [u8], from: usize, room: &'t mut [u8; BLOCK]) -> &'t [u8; BLOCK] {
    let rest = text.get(from..).unwrap_or_default();
    match rest.first_chunk::<BLOCK>() {
        // No copy: this is in a loop for each block.
        Some(bytes) => bytes,
        None => {
            *room = [0; BLOCK];
            room[..rest.len()].copy_from_slice(rest);
            room
        }
    }
}

/// The bits of so many bytes of a block.
#[inline(always)]
fn there(bytes: usize) -> u64 {
    if bytes < BLOCK { (1 << bytes) - 1 } else { u64::MAX }
}

/// All bits, if the last one is set.
#[inline(always)]
fn carried(bits: u64) -> u64 {
    (bits.cast_signed() >> 63).cast_unsigned()
}
