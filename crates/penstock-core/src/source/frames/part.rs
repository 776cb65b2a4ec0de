//! A part of a table, small enough to be sent to another process, and a table as bytes.

use std::ops::Range;

use penstock_scan::make_room;

use super::xz::{HEAD, number, push_number};
use super::{Compression, Frames, Piece};

/// The compressions of files that have pieces, by their number in the bytes.
const COMPRESSIONS: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Xz];

impl Frames {
    /// The table for a reader that begins in this range of the text, and mostly ends in it. It has
    /// one piece from the range's beginning to its end, and one for the rest of the file. A reader
    /// can begin at the offset with it as well as with the whole table, but not much later. For xz,
    /// all blocks from there on stay in it.
    #[must_use]
    pub fn part(&self, text: Range<u64>) -> Frames {
        let first = self.piece_at(text.start);
        let behind = self.pieces.partition_point(|piece| piece.text < text.end).max(first + 1);
        let cuts = match self.compression {
            Compression::Xz => (first..self.pieces.len()).collect(),
            _ => vec![first, behind],
        };
        let mut pieces = Vec::new();
        for (nth, index) in cuts.iter().enumerate() {
            let last = cuts.get(nth + 1).map_or(self.pieces.len(), |next| *next).wrapping_sub(1);
            let (Some(from), Some(to)) = (self.pieces.get(*index), self.pieces.get(last)) else {
                continue;
            };
            pieces.push(Piece { size: to.at + to.size - from.at, ..*from });
        }
        let after = self.heads.partition_point(|(begin, _)| *begin <= first);
        let heads = self.heads[after.saturating_sub(1)..].iter();
        let heads = heads.map(|(begin, head)| (begin.saturating_sub(first), *head)).collect();
        Frames { pieces, heads, ..*self }
    }

    /// The table as bytes. A few are enough for a [part](Self::part).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        make_room(&mut out, 32 + 30 * self.pieces.len() + 20 * self.heads.len());
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
        Some(Frames { compression, pieces, text, heads, is_believed: flags & 0x80 != 0 })
    }
}
