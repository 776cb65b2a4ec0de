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
//! | 1 | how records were found: 0 as lines, 1 by a reader |
//! | 4 | CRC-32 of the reader's dialect, or 0 |
//! | 8 | number of records |
//! | 1 | base-two logarithm of the step |
//! | ... | for each mark, less that before it: the offset, and the line; then the column less 1 |
//! | 4 | CRC-32 of all of the above |
//!
//! The checksums detect accidents. An index is trusted as much as its file: a forged one leads to
//! the wrong line. But it can claim no more lines than its file has room for.

use super::{Index, MOST_MARKS, Mark};
use penstock_scan::make_room;
use std::fmt;

const MAGIC: &[u8; 8] = b"PENSTIX\x02";

/// Before the first mark.
const NOWHERE: Mark = Mark { offset: 0, line: 0, column: 1 };

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
    /// How its records were found.
    pub rules: Rules,
}

/// How the records of a file were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Each line is a record, unless it is blank.
    Lines,
    /// By a reader, in a dialect with this digest.
    Dialect(u32),
}

impl Rules {
    /// The rules of a dialect, from a text that is another one for every other dialect.
    #[must_use]
    pub fn of_dialect(described: &str) -> Self {
        Rules::Dialect(Fingerprint::digest([described.as_bytes()]))
    }

    /// As bytes.
    fn parts(self) -> (u8, u32) {
        match self {
            Rules::Lines => (0, 0),
            Rules::Dialect(digest) => (1, digest),
        }
    }
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
    /// They are the index of this file, but its records were found by other rules.
    OtherRules,
}

impl fmt::Display for Unusable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Unusable::Foreign => "it is not an index, or one of another version",
            Unusable::Damaged => "it is damaged",
            Unusable::Stale => "the file has changed since it was made",
            Unusable::OtherRules => "it was made for another dialect",
        })
    }
}

/// An index as bytes.
#[must_use]
pub fn encode(index: &Index, of: &Fingerprint) -> Vec<u8> {
    let mut out = Vec::new();
    make_room(&mut out, 64 + 4 * index.marks.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&of.size.to_le_bytes());
    out.extend_from_slice(&of.modified.to_le_bytes());
    out.extend_from_slice(&of.sample.to_le_bytes());
    let (kind, digest) = of.rules.parts();
    out.push(kind);
    out.extend_from_slice(&digest.to_le_bytes());
    out.extend_from_slice(&index.records.to_le_bytes());
    out.push(index.step.trailing_zeros() as u8);
    let mut before = NOWHERE;
    for mark in &index.marks {
        make_room(&mut out, 3 * LONGEST_NUMBER);
        push_number(&mut out, mark.offset - before.offset);
        push_number(&mut out, mark.line - before.line);
        push_number(&mut out, mark.column.saturating_sub(1));
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
    if (Fingerprint { size, modified, sample, rules: of.rules }) != *of {
        return Err(Unusable::Stale);
    }
    let [kind] = take(&mut rest)?;
    if (kind, u32::from_le_bytes(take(&mut rest)?)) != of.rules.parts() {
        return Err(Unusable::OtherRules);
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
    let mut before = NOWHERE;
    for _ in 0..count {
        let offset = take_number(&mut rest)?.checked_add(before.offset);
        let line = take_number(&mut rest)?.checked_add(before.line);
        let column = take_number(&mut rest)?.checked_add(1);
        let (Some(offset), Some(line), Some(column)) = (offset, line, column) else {
            return Err(Unusable::Damaged);
        };
        before = Mark { offset, line, column };
        marks.push(before);
    }
    let index = Index { marks, step, records, size };
    let fits = match of.rules {
        Rules::Lines => has_lines(&index),
        Rules::Dialect(_) => has_rows(&index),
    };
    if !rest.is_empty() || !fits {
        return Err(Unusable::Damaged);
    }
    Ok(index)
}

/// Whether all lines and records that an index claims fit between its marks: a line takes a byte at
/// least, and a record another one. The last line may have no line feed.
fn has_lines(index: &Index) -> bool {
    let Index { marks, step, size, .. } = index;
    let begin = marks.iter().all(|mark| mark.column == 1);
    let between = marks.windows(2).all(|pair| {
        let bytes = pair[1].offset.checked_sub(pair[0].offset);
        let lines = pair[1].line.checked_sub(pair[0].line);
        let (Some(bytes), Some(lines)) = (bytes, lines) else { return false };
        lines >= *step && bytes.checked_sub(lines).is_some_and(|rest| rest >= *step)
    });
    let room = |last: &Mark| size.checked_sub(last.offset).map(|rest| rest.div_ceil(2));
    begin && between && has_room(index, room)
}

/// The same for rows, which take a byte each, as the lines do. They need not be lines.
fn has_rows(index: &Index) -> bool {
    let Index { marks, step, size, .. } = index;
    let begin = marks.iter().all(|mark| mark.column - 1 <= mark.offset);
    let between = marks.windows(2).all(|pair| {
        let bytes = pair[1].offset.checked_sub(pair[0].offset);
        let lines = pair[1].line.checked_sub(pair[0].line);
        let (Some(bytes), Some(lines)) = (bytes, lines) else { return false };
        bytes >= lines && bytes >= *step
    });
    begin && between && has_room(index, |last| size.checked_sub(last.offset))
}

/// Whether the lines before the first mark have room, and the records behind the last one, behind
/// which there is room for `room` records.
fn has_room(index: &Index, room: impl Fn(&Mark) -> Option<u64>) -> bool {
    let Index { marks, step, records, .. } = index;
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return *records == 0 };
    let begins = first.line.checked_sub(1).is_some_and(|lines| lines <= first.offset);
    let behind = records - step * (marks.len() as u64 - 1);
    begins && room(last).is_some_and(|room| room >= behind)
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
