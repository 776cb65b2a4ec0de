//! The blocks of BGZF: members of gzip that say in an extra field how long they are.

use super::{Found, Frames, Gathered, Piece, REMEDY, Scan, Whole, contradicts};
use crate::source::{Compression, ReadAt, SourceError};

/// The fixed part of a member's header, with the length of the extra field.
const HEAD: usize = 12;

/// A member's end: the checksum and the length of its text.
const TAIL: u64 = 8;

/// The most bytes of a block, and of its text.
const LARGEST: u64 = 64 << 10;

/// The bytes of an entry of a `.gzi`: two offsets.
const ENTRY: usize = 16;

/// A block of the file.
struct Block {
    size: u64,
    text: u64,
}

/// The block at an offset, if there is one.
fn block<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    at: u64,
) -> Result<Option<Block>, SourceError> {
    let Some(head) = scan.array::<HEAD>(at)? else { return Ok(None) };
    // Deflated, with an extra field and nothing else.
    if head[..4] != [0x1f, 0x8b, 8, 4] {
        return Ok(None);
    }
    let extra = u16::from_le_bytes([head[10], head[11]]);
    let Some(fields) = scan.bytes(at + HEAD as u64, usize::from(extra))? else { return Ok(None) };
    let Some(size) = size_in(fields) else { return Ok(None) };
    let least = HEAD as u64 + u64::from(extra) + TAIL;
    if size <= least {
        return Ok(None);
    }
    let Some(text) = scan.array::<4>(at + size - 4)? else { return Ok(None) };
    let text = u64::from(u32::from_le_bytes(text));
    Ok((text <= LARGEST).then_some(Block { size, text }))
}

/// The size of the block, from the subfield `BC`.
fn size_in(mut fields: &[u8]) -> Option<u64> {
    loop {
        let (head, rest) = fields.split_first_chunk::<4>()?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let value = rest.get(..length)?;
        if head[..2] == *b"BC" {
            let size = <[u8; 2]>::try_from(value).ok()?;
            return Some(u64::from(u16::from_le_bytes(size)) + 1);
        }
        fields = &rest[length..];
    }
}

/// Goes from block to block.
pub(super) fn find<F: ReadAt + ?Sized>(scan: &mut Scan<'_, F>) -> Result<Found, SourceError> {
    let mut gathered = Gathered::new();
    match walk(scan, 0, &mut gathered)? {
        Ok(()) => Ok(Ok(gathered.finish(Compression::Gzip))),
        Err(whole) => Ok(Err(whole)),
    }
}

/// Goes on from block to block up to the end of the file.
fn walk<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    mut at: u64,
    gathered: &mut Gathered,
) -> Result<Result<(), Whole>, SourceError> {
    while at < scan.size {
        let Some(Block { size, text }) = block(scan, at)? else { return Ok(Err(no_block(at))) };
        gathered.push(at, size, text);
        at += size;
    }
    Ok(Ok(()))
}

fn no_block(at: u64) -> Whole {
    let reason = match at {
        0 => format!("a gzip file that is not BGZF cannot be split: {REMEDY}"),
        at => format!(
            "the gzip data at byte {at} of the file is not a block of BGZF, so the file cannot be \
             split: {REMEDY}"
        ),
    };
    Whole { compression: Compression::Gzip, reason }
}

/// The blocks as a `.gzi` lists them: all but the first, and perhaps not the last ones.
pub(super) fn by_index<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    gzi: &[u8],
) -> Result<Found, SourceError> {
    let refused = |text, what: &str| Err(contradicts(Compression::Gzip, text, what));
    let Some((count, entries)) = gzi.split_first_chunk::<8>() else {
        return refused(0, "the .gzi is cut");
    };
    if u64::from_le_bytes(*count) != (entries.len() / ENTRY) as u64
        || !entries.len().is_multiple_of(ENTRY)
    {
        return refused(0, "the .gzi has another length than it says");
    }
    if block(scan, 0)?.is_none() {
        return Ok(Err(no_block(0)));
    }
    let mut gathered = Gathered::new();
    let (mut at, mut text) = (0, 0);
    for entry in entries.chunks_exact(ENTRY) {
        let number = |from: usize| {
            entry.get(from..).and_then(<[u8]>::first_chunk).map_or(0, |it| u64::from_le_bytes(*it))
        };
        let (next, next_text) = (number(0), number(8));
        let size = next.checked_sub(at).filter(|size| (1..=LARGEST).contains(size));
        let more = next_text.checked_sub(text).filter(|more| *more <= LARGEST);
        let (Some(size), Some(more)) = (size, more) else {
            return refused(text, "the .gzi has a block that cannot be as long as it says");
        };
        if next > scan.size || !gathered.push(at, size, more) {
            return refused(text, "the .gzi has blocks behind the end of the file");
        }
        (at, text) = (next, next_text);
    }
    if walk(scan, at, &mut gathered)?.is_err() {
        return refused(text, "the last block of the .gzi is not a block of the file");
    }
    Ok(Ok(Frames { is_believed: true, ..gathered.finish(Compression::Gzip) }))
}

/// Compares the piece that a reader begins with, and the one before it, with the file.
pub(super) fn confirm(
    file: &(impl ReadAt + ?Sized),
    frames: &Frames,
    index: usize,
) -> Result<(), SourceError> {
    let pieces = frames.pieces.iter().enumerate().take(index + 1).skip(index.saturating_sub(1));
    for (index, piece) in pieces {
        let Piece { at, size, text } = *piece;
        let mut scan = Scan::new(file, at + size);
        let mut gathered = Gathered::new();
        let found = walk(&mut scan, at, &mut gathered)?;
        if found.is_err() || gathered.text != frames.text_end(index) - text {
            let what = format!("at byte {at} of the file is no block of the .gzi");
            return Err(contradicts(Compression::Gzip, text, what));
        }
    }
    Ok(())
}
