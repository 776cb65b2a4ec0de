//! The blocks of xz, from the index at the end of each stream.

use penstock_scan::make_room;

use super::{Found, Frames, MOST, Piece, REMEDY, Scan, Whole, contradicts};
use crate::source::{Compression, ReadAt, SourceError};

/// The length of the header of a stream, and of its footer.
pub(super) const HEAD: usize = 12;

const MAGIC: &[u8; 6] = b"\xfd7zXZ\0";

/// The most bytes of an index that is read: a record of [`MOST`] has up to 18.
const LONGEST: u64 = 20 * MOST as u64;

/// A stream, and the blocks that its index lists: the length in the file and of the text.
struct Listed {
    head: [u8; HEAD],
    start: u64,
    blocks: Vec<(u64, u64)>,
}

/// Goes from stream to stream, from the end of the file to its start.
pub(super) fn find<F: ReadAt + ?Sized>(scan: &mut Scan<'_, F>) -> Result<Found, SourceError> {
    let whole = |reason| Ok(Err(Whole { compression: Compression::Xz, reason }));
    let mut streams: Vec<Listed> = Vec::new();
    let (mut end, mut count) = (scan.size, 0);
    while end > 0 {
        end = without_padding(scan, end)?;
        let Some(at) = end.checked_sub(2 * HEAD as u64) else { return whole(no_stream(end)) };
        let footer = scan.array::<HEAD>(at + HEAD as u64)?.unwrap_or_default();
        if &footer[10..] != b"YZ" {
            return whole(no_stream(end));
        }
        if crc(&footer[4..10]) != first_number(&footer) {
            return refused("the checksum of a stream's end is another");
        }
        let length = (u64::from(first_number(&footer[4..])) + 1) * 4;
        let Some(index_at) = (at + HEAD as u64).checked_sub(length) else {
            return refused("an index is longer than the file");
        };
        if length > LONGEST {
            return whole(too_many());
        }
        let index = scan.bytes(index_at, length as usize)?.unwrap_or_default();
        let Some(blocks) = listed(index) else { return refused("an index is damaged") };
        count += blocks.len();
        if count > MOST {
            return whole(too_many());
        }
        let all: Option<u64> =
            blocks.iter().try_fold(HEAD as u64, |sum, block| sum.checked_add(padded(block.0)?));
        let Some(start) = all.and_then(|all| index_at.checked_sub(all)) else {
            return refused("an index lists blocks that are longer than the file");
        };
        let head = scan.array::<HEAD>(start)?.unwrap_or_default();
        if &head[..6] != MAGIC || crc(&head[6..8]) != first_number(&head[8..]) {
            return refused("the blocks of an index do not begin with a stream");
        }
        if head[6..8] != footer[8..10] {
            return refused("a stream ends with other flags than it begins with");
        }
        make_room(&mut streams, 1);
        streams.push(Listed { head, start, blocks });
        end = start;
    }
    if count == 0 {
        return whole("the xz file holds no text".to_owned());
    }
    if count < 2 {
        return whole(format!("an xz file of one block cannot be split: {REMEDY}"));
    }
    streams.reverse();
    let mut frames = Frames {
        compression: Compression::Xz,
        pieces: Vec::new(),
        text: 0,
        heads: Vec::new(),
        streams: Vec::new(),
        is_believed: false,
    };
    make_room(&mut frames.pieces, count);
    make_room(&mut frames.heads, streams.len());
    for Listed { head, start, blocks } in streams {
        frames.heads.push((frames.pieces.len(), head));
        let mut at = start + HEAD as u64;
        for (size, text) in blocks {
            frames.pieces.push(Piece { at, size, text: frames.text });
            let Some(end) = frames.text.checked_add(text) else {
                return refused("the text is longer than a number can say");
            };
            frames.text = end;
            at += padded(size).unwrap_or(size);
        }
    }
    Ok(Ok(frames))
}

fn refused<T>(what: &str) -> Result<T, SourceError> {
    Err(contradicts(Compression::Xz, 0, what))
}

fn no_stream(at: u64) -> String {
    format!("the xz data before byte {at} of the file is not a whole stream, so it cannot be split")
}

fn too_many() -> String {
    format!("an xz file of more than {MOST} blocks cannot be split: {REMEDY}")
}

/// The end of the file without the zero bytes that may follow a stream, four at a time.
fn without_padding<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    mut end: u64,
) -> Result<u64, SourceError> {
    while end > 0 {
        let count = end.min(super::BLOCK as u64);
        let bytes = scan.bytes(end - count, count as usize)?.unwrap_or_default();
        let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count() as u64;
        end -= zeros & !3;
        if zeros < count {
            break;
        }
        if zeros & !3 == 0 {
            break;
        }
    }
    Ok(end)
}

/// The blocks that an index lists. None if it is not one.
fn listed(index: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (content, sum) = index.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != crc(content) {
        return None;
    }
    let mut rest = content.strip_prefix(&[0])?;
    let count = usize::try_from(number(&mut rest)?).ok()?;
    // A record has two bytes at least.
    if count > rest.len() / 2 {
        return None;
    }
    let mut blocks = Vec::new();
    make_room(&mut blocks, count);
    for _ in 0..count {
        let (size, text) = (number(&mut rest)?, number(&mut rest)?);
        // A block's header alone has eight.
        if size < 8 {
            return None;
        }
        blocks.push((size, text));
    }
    (rest.len() < 4 && rest.iter().all(|byte| *byte == 0)).then_some(blocks)
}

/// The length with the zero bytes that make it a multiple of four.
fn padded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(4)
}

/// Seven bits in each byte, the lowest first; the top bit says that more follow.
pub(super) fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return (*byte != 0 || shift == 0).then_some(number);
        }
    }
    None
}

pub(super) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn first_number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |it| u32::from_le_bytes(*it))
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The end of a stream with the header `head`, which has only this block. So a block can be decoded
/// without those beside it.
pub(super) fn end_of(head: &[u8; HEAD], size: u64, text: u64) -> Vec<u8> {
    let mut out = vec![0, 1];
    push_number(&mut out, size);
    push_number(&mut out, text);
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
    out.extend_from_slice(&crc(&out).to_le_bytes());
    let mut footer = [0; 6];
    footer[..4].copy_from_slice(&(out.len() as u32 / 4 - 1).to_le_bytes());
    footer[4..].copy_from_slice(&head[6..8]);
    out.extend_from_slice(&crc(&footer).to_le_bytes());
    out.extend_from_slice(&footer);
    out.extend_from_slice(b"YZ");
    out
}
