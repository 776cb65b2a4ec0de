//! A part of a table, small enough to be sent to another process, and a table as bytes.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use penstock_scan::make_room;

use super::bzip2::{Stream, streams_of};
use super::xz::{HEAD, number, push_number};
use super::{Compression, Frames, Piece};

/// The compressions of files that have pieces, by their number in the bytes.
const COMPRESSIONS: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];

/// Stands for the headers of the blocks of xz behind a part.
pub(super) const UNKNOWN: [u8; HEAD] = [0; HEAD];

/// A checksum of a table and of what it is for.
fn sum(bytes: &[u8], purpose: &str) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.update(purpose.as_bytes());
    crc.sum().to_le_bytes()
}

impl Frames {
    /// The table for a reader that begins in this range of the text, and ends in it. It has one
    /// piece from the range's beginning to its end, and one for the rest of the file. A reader can
    /// begin at the offset with it as well as with the whole table, but not much later.
    ///
    /// For xz, all blocks of the range stay in it, because a block's length is part of what ends
    /// it; a reader that goes on behind the block in which the range ends gets a fault. Of a table
    /// that is believed, the piece at the offset and the one before it are compared with the file,
    /// so they stay as they are.
    #[must_use]
    pub fn part(&self, text: Range<u64>) -> Frames {
        let first = self.piece_at(text.start);
        let behind = self.pieces.partition_point(|piece| piece.text < text.end).max(first + 1);
        let cuts = match self.compression {
            Compression::Xz => (first..=behind).collect(),
            _ if self.is_believed => vec![first.saturating_sub(1), first, first + 1, behind],
            _ => vec![first, behind],
        };
        let mut part = self.cut(cuts);
        if self.compression == Compression::Xz {
            part.heads = self.heads_of(first..behind);
            if behind < self.pieces.len() {
                part.heads.push((behind - first, UNKNOWN));
            }
        }
        part
    }

    /// A table that is no longer than it must be for [parts](Self::part) that begin at these offsets
    /// of the text, which ascend. For xz, it is the whole table.
    #[must_use]
    pub fn for_parts_at(&self, offsets: impl IntoIterator<Item = u64>) -> Frames {
        if self.compression == Compression::Xz {
            return self.clone();
        }
        let mut cuts = vec![0];
        for offset in offsets {
            let first = self.piece_at(offset);
            make_room(&mut cuts, 3);
            if self.is_believed {
                cuts.extend([first.saturating_sub(1), first, first + 1]);
            } else {
                cuts.push(first);
            }
        }
        self.cut(cuts)
    }

    /// The table with pieces that begin where these do, up to the end of the file. Of one that is
    /// joined, nobody knows the header that is not its first block's.
    fn cut(&self, mut cuts: Vec<usize>) -> Frames {
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces = Vec::new();
        make_room(&mut pieces, cuts.len());
        for (nth, index) in cuts.iter().enumerate() {
            let last = cuts.get(nth + 1).map_or(self.pieces.len(), |next| *next).wrapping_sub(1);
            let last = last.min(self.pieces.len().wrapping_sub(1));
            let (Some(from), Some(to)) = (self.pieces.get(*index), self.pieces.get(last)) else {
                continue;
            };
            pieces.push(Piece { size: to.at + to.size - from.at, ..*from });
        }
        let streams = streams_of(&self.streams, &pieces);
        Frames { pieces, streams, heads: Vec::new(), ..*self }
    }

    /// The headers of the streams of these blocks, which are counted from the first of them.
    fn heads_of(&self, blocks: Range<usize>) -> Vec<(usize, [u8; HEAD])> {
        let after = self.heads.partition_point(|(begin, _)| *begin <= blocks.start);
        let heads = self.heads[after.saturating_sub(1)..].iter();
        let heads = heads.take_while(|(begin, _)| *begin < blocks.end);
        heads.map(|(begin, head)| (begin.saturating_sub(blocks.start), *head)).collect()
    }

    /// The table as text, for one purpose: [`from_text`](Self::from_text) takes it back only if the
    /// same purpose is named. So a table that has come to another file or part is found out before
    /// anything is read by it.
    #[must_use]
    pub fn to_text(&self, purpose: &str) -> String {
        let mut bytes = self.encode();
        let sum = sum(&bytes, purpose);
        bytes.extend_from_slice(&sum);
        BASE64.encode(bytes)
    }

    /// The table that [`to_text`](Self::to_text) has made for this purpose. None if the text is
    /// anything else.
    #[must_use]
    pub fn from_text(text: &str, purpose: &str) -> Option<Frames> {
        let bytes = BASE64.decode(text).ok()?;
        let (bytes, given) = bytes.split_last_chunk::<4>()?;
        if *given != sum(bytes, purpose) {
            return None;
        }
        Frames::decode(bytes)
    }

    /// The table as bytes. A few are enough for a [part](Self::part).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        make_room(
            &mut out,
            32 + 30 * self.pieces.len() + 20 * self.heads.len() + 31 * self.streams.len(),
        );
        let compression = COMPRESSIONS.iter().position(|it| *it == self.compression);
        out.push(compression.unwrap_or(0) as u8 | u8::from(self.is_believed) << 7);
        push_number(&mut out, self.text);
        push_number(&mut out, self.pieces.len() as u64);
        let (mut at, mut text) = (0, 0);
        for piece in &self.pieces {
            push_number(&mut out, piece.at - at);
            push_number(&mut out, piece.size);
            push_number(&mut out, piece.text - text);
            (at, text) = (piece.at + piece.size, piece.text);
        }
        for (begin, head) in &self.heads {
            push_number(&mut out, *begin as u64);
            out.extend_from_slice(head);
        }
        at = 0;
        for stream in &self.streams {
            push_number(&mut out, stream.begin - at);
            push_number(&mut out, stream.end - stream.begin);
            push_number(&mut out, stream.text);
            out.push(stream.level);
            at = stream.end;
        }
        out
    }

    /// The table in the bytes. None if they are no table. A forged one leads to errors, as one of
    /// another file does.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Frames> {
        let (flags, mut rest) = bytes.split_first()?;
        let compression = *COMPRESSIONS.get(usize::from(flags & 0x7F))?;
        let text = number(&mut rest)?;
        let count = usize::try_from(number(&mut rest)?).ok()?;
        // A piece has three bytes at least.
        if count > rest.len() / 3 {
            return None;
        }
        let mut pieces = Vec::new();
        make_room(&mut pieces, count);
        let (mut at, mut begin) = (0_u64, 0_u64);
        for _ in 0..count {
            at = at.checked_add(number(&mut rest)?)?;
            let size = number(&mut rest)?;
            begin = begin.checked_add(number(&mut rest)?)?;
            pieces.push(Piece { at, size, text: begin });
            at = at.checked_add(size)?;
        }
        // With the padding of xz, too, an offset is a number.
        if begin > text || at > i64::MAX as u64 {
            return None;
        }
        let mut streams: Vec<Stream> = Vec::new();
        at = 0;
        while compression == Compression::Bzip2 && !rest.is_empty() {
            let begin = at.checked_add(number(&mut rest)?)?;
            let end = begin.checked_add(number(&mut rest)?)?;
            let text = number(&mut rest)?;
            let (level, behind) = rest.split_first()?;
            if end > i64::MAX as u64 {
                return None;
            }
            make_room(&mut streams, 1);
            streams.push(Stream { begin, end, text, level: *level });
            (at, rest) = (end, behind);
        }
        let mut heads: Vec<(usize, [u8; HEAD])> = Vec::new();
        while !rest.is_empty() {
            let begin = usize::try_from(number(&mut rest)?).ok()?;
            let (head, behind) = rest.split_first_chunk::<HEAD>()?;
            if heads.last().is_some_and(|(last, _)| *last > begin) {
                return None;
            }
            make_room(&mut heads, 1);
            heads.push((begin, *head));
            rest = behind;
        }
        let has_heads = heads.first().is_some_and(|(begin, _)| *begin == 0);
        if has_heads != (compression == Compression::Xz && count > 0) {
            return None;
        }
        let is_believed = flags & 0x80 != 0;
        Some(Frames { compression, pieces, text, heads, streams, is_believed })
    }
}
