//! An index as bytes, to be stored beside its file and loaded again.
//!
//! All numbers are little-endian or LEB128:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `PENSTIX` and the version of this layout |
//! | 8 | size of the file |
//! | 8 | when it was changed last, in nanoseconds since 1970 |
//! | 4 | CRC-32 of samples of its content |
//! | 8 | number of records |
//! | 1 | base-two logarithm of the step |
//! | ... | for each mark, less that before it: the offset, and the line |
//! | 4 | CRC-32 of all of the above |
//!
//! The checksums detect accidents. An index is trusted as much as its file: a forged one leads to
//! the wrong line. But it can claim no more lines than its file has room for.

use super::{Index, MOST_MARKS, Mark};
use penstock_scan::make_room;
use std::fmt;

const MAGIC: &[u8; 8] = b"PENSTIX\x01";

/// The most bytes of a number.
const LONGEST_NUMBER: usize = 10;

/// The state of a file, by which its index is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Its size in bytes.
    pub size: u64,
    /// The time of its last change, in nanoseconds since 1970.
    pub modified: i64,
    /// The CRC-32 of samples of its content.
    pub sample: u32,
}

impl Fingerprint {
    /// Bytes of one sample.
    const PIECE: u64 = 4 << 10;
    /// How many samples are taken, evenly spread: the first at the beginning, the last at the end.
    const PIECES: u64 = 32;

    /// The ranges of a file of `size` bytes that are sampled: offset and length. A small file is
    /// sampled whole.
    pub fn samples(size: u64) -> impl Iterator<Item = (u64, usize)> {
        let all = size <= Self::PIECE * Self::PIECES;
        let length = if all { size } else { Self::PIECE };
        let count = if all { 1 } else { Self::PIECES };
        (0..count).map(move |piece| {
            let offset = (size - length) / (count - 1).max(1) * piece;
            let offset = if piece + 1 == count && !all { size - length } else { offset };
            (offset, usize::try_from(length).unwrap_or(usize::MAX))
        })
    }

    /// Combines the samples.
    #[must_use]
    pub fn digest<'a>(samples: impl IntoIterator<Item = &'a [u8]>) -> u32 {
        let mut crc = flate2::Crc::new();
        for sample in samples {
            crc.update(sample);
        }
        crc.sum()
    }
}

/// The reason why bytes cannot be used as the index of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// They are not an index, or one of another version.
    Foreign,
    /// They are a damaged index.
    Damaged,
    /// They are the index of another file, or of an older state of this one.
    Stale,
}

impl fmt::Display for Unusable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Unusable::Foreign => "it is not an index, or one of another version",
            Unusable::Damaged => "it is damaged",
            Unusable::Stale => "the file has changed since it was made",
        })
    }
}

/// An index as bytes.
#[must_use]
pub fn encode(index: &Index, of: &Fingerprint) -> Vec<u8> {
    let mut out = Vec::new();
    make_room(&mut out, 64 + 3 * index.marks.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&of.size.to_le_bytes());
    out.extend_from_slice(&of.modified.to_le_bytes());
    out.extend_from_slice(&of.sample.to_le_bytes());
    out.extend_from_slice(&index.records.to_le_bytes());
    out.push(index.step.trailing_zeros() as u8);
    let mut before = Mark { offset: 0, line: 0 };
    for mark in &index.marks {
        make_room(&mut out, 2 * LONGEST_NUMBER);
        push_number(&mut out, mark.offset - before.offset);
        push_number(&mut out, mark.line - before.line);
        before = *mark;
    }
    let sum = Fingerprint::digest([&out[..]]);
    out.extend_from_slice(&sum.to_le_bytes());
    out
}

/// The index in the bytes, if it belongs to the file.
///
/// # Errors
/// [`Unusable`] gives the reason why it cannot be used.
pub fn decode(bytes: &[u8], of: &Fingerprint) -> Result<Index, Unusable> {
    if bytes.get(..MAGIC.len()) != Some(MAGIC) {
        return Err(Unusable::Foreign);
    }
    let (mut rest, sum) = bytes.split_last_chunk::<4>().ok_or(Unusable::Damaged)?;
    if u32::from_le_bytes(*sum) != Fingerprint::digest([rest]) {
        return Err(Unusable::Damaged);
    }
    rest = &rest[MAGIC.len()..];
    let size = u64::from_le_bytes(take(&mut rest)?);
    let modified = i64::from_le_bytes(take(&mut rest)?);
    let sample = u32::from_le_bytes(take(&mut rest)?);
    if (Fingerprint { size, modified, sample }) != *of {
        return Err(Unusable::Stale);
    }
    let records = u64::from_le_bytes(take(&mut rest)?);
    let [step] = take(&mut rest)?;
    let step = 1_u64.checked_shl(u32::from(step)).ok_or(Unusable::Damaged)?;
    let count = usize::try_from(records.div_ceil(step)).unwrap_or(usize::MAX);
    if count > MOST_MARKS {
        return Err(Unusable::Damaged);
    }
    let mut marks = Vec::new();
    make_room(&mut marks, count);
    let mut before = Mark { offset: 0, line: 0 };
    for _ in 0..count {
        let offset = take_number(&mut rest)?.checked_add(before.offset);
        let line = take_number(&mut rest)?.checked_add(before.line);
        let (Some(offset), Some(line)) = (offset, line) else { return Err(Unusable::Damaged) };
        before = Mark { offset, line };
        marks.push(before);
    }
    let index = Index { marks, step, records, size };
    if !rest.is_empty() || !has_room(&index) {
        return Err(Unusable::Damaged);
    }
    Ok(index)
}

/// Whether all lines and records that an index claims fit between its marks: a line takes a byte at
/// least, and a record another one. The last line may have no line feed.
fn has_room(index: &Index) -> bool {
    let Index { marks, step, records, size } = index;
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return *records == 0 };
    let begins = first.line.checked_sub(1).is_some_and(|lines| lines <= first.offset);
    let between = marks.windows(2).all(|pair| {
        let bytes = pair[1].offset.checked_sub(pair[0].offset);
        let lines = pair[1].line.checked_sub(pair[0].line);
        let (Some(bytes), Some(lines)) = (bytes, lines) else { return false };
        lines >= *step && bytes.checked_sub(lines).is_some_and(|rest| rest >= *step)
    });
    let behind = records - step * (marks.len() as u64 - 1);
    let rest = size.checked_sub(last.offset);
    begins && between && rest.is_some_and(|rest| rest.div_ceil(2) >= behind)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Unusable> {
    let (taken, behind) = rest.split_first_chunk::<N>().ok_or(Unusable::Damaged)?;
    *rest = behind;
    Ok(*taken)
}

/// Seven bits in each byte, the lowest first; the top bit says that more follow.
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(rest: &mut &[u8]) -> Result<u64, Unusable> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = take(rest)?;
        let bits = u64::from(byte & 0x7F);
        if (bits << shift) >> shift != bits {
            return Err(Unusable::Damaged);
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Unusable::Damaged)
}
