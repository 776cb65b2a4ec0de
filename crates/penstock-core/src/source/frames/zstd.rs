//! The frames of zstd, from the seek table of its seekable format, or from their headers.

use super::{Found, Gathered, REMEDY, Scan, Whole, contradicts};
use crate::source::{Compression, ReadAt, SourceError};

const FRAME: u32 = 0xFD2F_B528;

/// Frames without text have this magic number, with any last four bits.
const SKIPPABLE: u32 = 0x184D_2A50;
const SKIPPABLE_HEAD: u64 = 8;

/// The magic number of the frame with the seek table, and the one that ends it.
const TABLE: u32 = 0x184D_2A5E;
const SEEKABLE: u32 = 0x8F92_EAB1;

/// The number of frames, a byte of flags, and the magic number.
const FOOTER: usize = 9;

/// Four bytes behind a frame.
const CHECKSUM: u64 = 4;

/// A frame, as its first bytes declare it.
enum Head {
    /// With its length.
    Skippable(u64),
    /// Compressed data.
    Data { head: u64, text: Option<u64>, has_checksum: bool },
}

fn head<F: ReadAt + ?Sized>(scan: &mut Scan<'_, F>, at: u64) -> Result<Option<Head>, SourceError> {
    let Some(magic) = scan.array(at)? else { return Ok(None) };
    let magic = u32::from_le_bytes(magic);
    if magic & !0xF == SKIPPABLE {
        let Some(size) = scan.array(at + 4)? else { return Ok(None) };
        return Ok(Some(Head::Skippable(SKIPPABLE_HEAD + u64::from(u32::from_le_bytes(size)))));
    }
    if magic != FRAME {
        return Ok(None);
    }
    let Some([flags]) = scan.array(at + 4)? else { return Ok(None) };
    let is_single = flags & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    let declared = match flags >> 6 {
        0 => u64::from(is_single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let text_at = 5 + u64::from(!is_single) + dictionary;
    let Some(bytes) = scan.bytes(at + text_at, declared as usize)? else { return Ok(None) };
    let mut text = [0; 8];
    text[..bytes.len()].copy_from_slice(bytes);
    // Two bytes begin where one ends.
    let text = u64::from_le_bytes(text).checked_add(if declared == 2 { 256 } else { 0 });
    Ok(Some(Head::Data {
        head: text_at + declared,
        text: text.filter(|_| declared > 0),
        has_checksum: flags & 4 != 0,
    }))
}

pub(super) fn find<F: ReadAt + ?Sized>(scan: &mut Scan<'_, F>) -> Result<Found, SourceError> {
    let footer = scan.size.checked_sub(FOOTER as u64);
    if let Some(at) = footer
        && let Some(footer) = scan.array::<FOOTER>(at)?
        && let Some((count, rest)) = footer.split_first_chunk::<4>()
        && rest[1..] == SEEKABLE.to_le_bytes()
    {
        return by_table(scan, u32::from_le_bytes(*count), rest[0]);
    }
    walk(scan)
}

/// The frames as the seek table lists them.
fn by_table<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    count: u32,
    flags: u8,
) -> Result<Found, SourceError> {
    let refused = |text, what: String| Err(contradicts(Compression::Zstd, text, what));
    if flags & 0x7C != 0 {
        let reason = format!("the seek table is of a kind that is not known: {REMEDY}");
        return Ok(Err(Whole { compression: Compression::Zstd, reason }));
    }
    let entry = if flags & 0x80 == 0 { 8 } else { 12 };
    let content = u64::from(count) * entry + FOOTER as u64;
    let Some(table) = scan.size.checked_sub(content + SKIPPABLE_HEAD) else {
        return refused(0, format!("it lists {count} frames, for which the file is too short"));
    };
    let begins = scan.array::<8>(table)?.map(u64::from_le_bytes);
    let says = u32::try_from(content).map(|content| u64::from(TABLE) | u64::from(content) << 32);
    if begins != says.ok() {
        return refused(0, format!("it lists {count} frames, but its own length is another"));
    }
    let mut gathered = Gathered::new();
    let mut at = 0;
    // The entries are read apart from the frames, so that neither moves the other's block away.
    let mut entries = Scan::new(scan.file, scan.size);
    for index in 0..u64::from(count) {
        let text = gathered.text;
        let sizes = entries.array::<8>(table + SKIPPABLE_HEAD + index * entry)?;
        let sizes = u64::from_le_bytes(sizes.unwrap_or_default());
        let (size, more) = (sizes & u64::from(u32::MAX), sizes >> 32);
        if size > table - at {
            return refused(text, format!("frame {index} is longer than the file"));
        }
        let agrees = match head(scan, at)? {
            Some(Head::Skippable(skipped)) => skipped == size && more == 0,
            Some(Head::Data { text: declared, .. }) => declared.is_none_or(|it| it == more),
            None => false,
        };
        if !agrees {
            return refused(text, format!("frame {index} is another one at byte {at} of the file"));
        }
        // 2³² frames of 2³² bytes are not too many for a number.
        gathered.push(at, size, more);
        at += size;
    }
    if at != table {
        return refused(gathered.text, format!("its frames end at byte {at} of the file"));
    }
    Ok(Ok(gathered.finish(Compression::Zstd)))
}

/// Goes from frame to frame, and from block to block in each of them.
fn walk<F: ReadAt + ?Sized>(scan: &mut Scan<'_, F>) -> Result<Found, SourceError> {
    let whole = |reason| Ok(Err(Whole { compression: Compression::Zstd, reason }));
    let mut gathered = Gathered::new();
    let mut at = 0;
    while at < scan.size {
        let size = match head(scan, at)? {
            Some(Head::Skippable(size)) => size,
            Some(Head::Data { head, text: Some(text), has_checksum }) => {
                let blocks = at + head;
                let checksum = if has_checksum { CHECKSUM } else { 0 };
                let size = end_of_blocks(scan, blocks)?.map(|end| end + checksum - at);
                match size {
                    Some(size) if size <= scan.size - at && gathered.push(at, size, text) => size,
                    _ => return whole(no_frame(at)),
                }
            }
            Some(Head::Data { .. }) => {
                return whole(format!(
                    "the zstd frame at byte {at} of the file does not say how long its text is, \
                     so the file cannot be split: {REMEDY}"
                ));
            }
            None => return whole(no_frame(at)),
        };
        at += size;
    }
    if gathered.pieces.len() < 2 {
        return whole(format!("a zstd file of one frame cannot be split: {REMEDY}"));
    }
    Ok(Ok(gathered.finish(Compression::Zstd)))
}

fn no_frame(at: u64) -> String {
    format!(
        "the zstd data at byte {at} of the file is not a whole frame, so the file cannot be split"
    )
}

/// Where the blocks of a frame end. None if the file ends before, or there is something else.
fn end_of_blocks<F: ReadAt + ?Sized>(
    scan: &mut Scan<'_, F>,
    mut at: u64,
) -> Result<Option<u64>, SourceError> {
    loop {
        let Some([low, middle, high]) = scan.array::<3>(at)? else { return Ok(None) };
        let head = u32::from_le_bytes([low, middle, high, 0]);
        let size = match head >> 1 & 3 {
            // One byte, many times.
            1 => 1,
            3 => return Ok(None),
            _ => head >> 3,
        };
        at += 3 + u64::from(size);
        if head & 1 == 1 {
            return Ok(Some(at));
        }
    }
}
