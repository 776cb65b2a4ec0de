//! Compressed files that are read from the middle.
//!
//! Some compressed files are a sequence of pieces that are decompressed on their own: the blocks of
//! BGZF, xz and bzip2, the frames of zstd. [`Frames`] says where each of them begins, in the file and
//! in its text. Except for bzip2, it is found without decompressing anything:
//!
//! | file | how the pieces are found |
//! |---|---|
//! | BGZF | each block says how long it is, and so does its text: one small read for each block |
//! | BGZF with the index of `bgzip` (`.gzi`) | in the index |
//! | zstd with a seek table | in the table; a frame that declares its size must agree |
//! | zstd of several frames | the headers of frames and blocks, if all frames declare their size |
//! | xz | in the index at the end of each stream |
//! | bzip2 | at the magic numbers of blocks, each of which is decompressed ([`Frames::search`]) |
//!
//! Other files are read from the start, and [`Whole`] gives the reason.
//!
//! Whoever reads a piece checks it: if it does not end where the table says, or has more or less
//! text, that is a fault, before a byte too many is given. So if a file is read in parts that begin
//! and end at offsets of one table, their texts together are that of the file, or one of them is a
//! fault. A single reader that begins in the middle relies on the lengths of the texts before it. xz has
//! a checksum for these, and a seek table must agree with frames that declare their length. In other
//! files the lengths stand in one place only, and if one is wrong, offsets behind it are, too. Of a
//! `.gzi`, which could be that of another file, the block at the offset and the one before it are
//! checked first.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use penstock_scan::make_room;

use super::decompress::Compression;
use super::stream::Stream;
use super::{ReadAt, Sniff, SourceError, sniff};
use crate::error::Fault;
use crate::limits::Limits;

mod bgzf;
pub(super) mod bzip2;
mod part;
pub(super) mod pieced;
mod xz;
mod zstd;

/// If a file has more pieces, neighbours are joined to one. The table stays below 24 MiB.
const MOST: usize = 1 << 20;

/// How to make a file that can be split.
const REMEDY: &str = "penstock recompress makes one that can";

/// A part of a file that is decompressed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins in the file. Blocks of bzip2 begin at any bit, so theirs are counted in bits.
    pub at: u64,
    /// How many bytes of the file it has, without the padding behind a block of xz; for bzip2, how
    /// many bits, with all that stands before the next block.
    pub size: u64,
    /// Where its text begins in the text of the whole file.
    pub text: u64,
}

/// The pieces of a compressed file, in order.
///
/// ```
/// use std::io::Write;
/// use std::sync::Arc;
///
/// use penstock_core::limits::Limits;
/// use penstock_core::source::{Frames, Source};
/// # use penstock_core::source::ReadAt;
/// # struct Bytes(Vec<u8>);
/// # impl ReadAt for Bytes {
/// #     fn read_exact_at(&self, out: &mut [u8], offset: u64) -> std::io::Result<()> {
/// #         out.copy_from_slice(&self.0[offset as usize..][..out.len()]);
/// #         Ok(())
/// #     }
/// # }
///
/// let mut packed = zstd::bulk::compress(b"[1,", 3)?;
/// packed.extend(zstd::bulk::compress(b"2]", 3)?);
/// let (size, file) = (packed.len() as u64, Bytes(packed));
/// let frames = Frames::find(&file, size, None)?.map_err(|whole| whole.reason)?;
/// assert_eq!((frames.len(), frames.text()), (2, 5));
///
/// let limits = Limits::default();
/// let mut source = Source::inside(&Arc::new(frames), Box::new(file), 3, &limits)?;
/// let mut out = [0; 8];
/// assert_eq!(source.read(&mut out)?, 2);
/// assert_eq!(&out[..2], b"2]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames {
    compression: Compression,
    /// Begins of pieces ascend, in the file and in the text.
    pieces: Vec<Piece>,
    /// The end of the text.
    text: u64,
    /// For xz: from which piece on the blocks belong to a stream with this header.
    heads: Vec<(usize, [u8; xz::HEAD])>,
    /// For bzip2: the streams that pieces begin inside of.
    streams: Vec<bzip2::Stream>,
    /// Nobody has compared the table with the file.
    is_believed: bool,
}

/// The reason why a file can only be read from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// How it is compressed.
    pub compression: Compression,
    /// The reason, as a sentence without its full stop.
    pub reason: String,
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// What looking for pieces gives.
type Found = Result<Frames, Whole>;

impl Frames {
    /// Finds the pieces of a file of `size` bytes, whose `.gzi` has the bytes `gzi`, if there is one.
    ///
    /// # Errors
    /// [`SourceError::Io`] if the file cannot be read. [`SourceError::Fault`] if it has a table that
    /// contradicts it.
    pub fn find(
        file: &(impl ReadAt + ?Sized),
        size: u64,
        gzi: Option<&[u8]>,
    ) -> Result<Found, SourceError> {
        let mut scan = Scan::new(file, size);
        let whole = |compression, reason: String| Ok(Err(Whole { compression, reason }));
        match sniff(scan.first(SNIFFED)?) {
            Sniff::Is(Compression::Gzip) => match gzi {
                Some(gzi) => bgzf::by_index(&mut scan, gzi),
                None => bgzf::find(&mut scan),
            },
            Sniff::Is(Compression::Zstd) => zstd::find(&mut scan),
            Sniff::Is(Compression::Xz) => xz::find(&mut scan),
            Sniff::Is(Compression::Bzip2) => {
                let reason = "all of a bzip2 file must be decompressed to find its blocks";
                whole(Compression::Bzip2, reason.to_owned())
            }
            Sniff::Zip => whole(Compression::None, "a zip archive cannot be split".to_owned()),
            _ => whole(Compression::None, "the file is not compressed".to_owned()),
        }
    }

    /// As [`find`](Self::find), but decompresses a file of bzip2, with so many threads, to find out
    /// where the text of its blocks begins. It is not split if it expands to more than the limits allow.
    ///
    /// # Errors
    /// As [`find`](Self::find). [`SourceError::Fault`] also if there is no memory for a decoder.
    pub fn search(
        file: &(impl ReadAt + ?Sized),
        size: u64,
        gzi: Option<&[u8]>,
        threads: usize,
        limits: &Limits,
    ) -> Result<Found, SourceError> {
        let mut scan = Scan::new(file, size);
        match sniff(scan.first(SNIFFED)?) {
            Sniff::Is(Compression::Bzip2) => bzip2::find(&mut scan, threads, limits.ratio),
            _ => Frames::find(file, size, gzi),
        }
    }

    /// How the file is compressed.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How many bytes of text the file has.
    #[must_use]
    pub fn text(&self) -> u64 {
        self.text
    }

    /// How many pieces there are. Some may have no text.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are no pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The number of the piece at which a reader begins that wants the text from `offset` on: the
    /// first one that begins there, or else the last one before. Pieces without text belong to the
    /// text behind them, so that somebody reads them, and finds it if they do have text.
    #[must_use]
    pub fn piece_at(&self, offset: u64) -> usize {
        let next = self.pieces.partition_point(|piece| piece.text < offset);
        match self.pieces.get(next) {
            Some(piece) if piece.text == offset => next,
            _ => next.saturating_sub(1),
        }
    }

    /// Where the text of a piece ends.
    fn text_end(&self, index: usize) -> u64 {
        self.pieces.get(index + 1).map_or(self.text, |next| next.text)
    }

    /// Where a piece ends in the file.
    fn end(&self, index: usize) -> u64 {
        let end = self.pieces.get(index).map_or(0, |piece| piece.at.saturating_add(piece.size));
        match self.compression {
            Compression::Xz => end.next_multiple_of(4),
            Compression::Bzip2 => end.div_ceil(8),
            _ => end,
        }
    }

    /// The header of the stream that a block of xz belongs to.
    fn head(&self, index: usize) -> Option<&[u8; xz::HEAD]> {
        let after = self.heads.partition_point(|(first, _)| *first <= index);
        Some(&self.heads.get(after.checked_sub(1)?)?.1)
    }

    /// The text from `offset` on.
    pub(super) fn stream(
        frames: &Arc<Frames>,
        file: Box<dyn ReadAt + Send>,
        offset: u64,
        limits: &Limits,
    ) -> Result<(Stream, u64), SourceError> {
        if let Some(most) = limits.total.filter(|most| offset > *most) {
            let reason = format!("the source is longer than {most} bytes (limits.total)");
            return Err(Fault::limit(most, reason).into());
        }
        if offset > frames.text {
            let reason = format!("the text has {} bytes, and none at {offset}", frames.text);
            return Err(Fault::malformed(frames.text, reason).into());
        }
        let index = frames.piece_at(offset);
        if frames.is_believed {
            bgzf::confirm(&*file, frames, index)?;
        }
        let first = frames.pieces.get(index).copied();
        let Piece { at, text, .. } = first.unwrap_or(Piece { at: 0, size: 0, text: 0 });
        if offset < text {
            let reason = format!("this part of the table begins at {text}, behind {offset}");
            return Err(Fault::malformed(offset, reason).into());
        }
        let end = frames.end(frames.len().saturating_sub(1));
        let at = match frames.compression {
            Compression::Bzip2 => at / 8,
            _ => at,
        };
        let reader = Box::new(Range { file, at, end });
        let stream = Stream::inside(reader, frames, index, (at, text), limits)?;
        Ok((stream, offset - text))
    }
}

/// Enough bytes for any answer of [`sniff`].
const SNIFFED: usize = 10;

/// The error for a file that does not have all that a table says of its pieces.
#[cold]
pub(super) fn is_shorter() -> io::Error {
    let reason = "the file is shorter than when its pieces were found: it has changed";
    io::Error::new(io::ErrorKind::UnexpectedEof, reason)
}

/// Reads a range of a file.
struct Range {
    file: Box<dyn ReadAt + Send>,
    at: u64,
    end: u64,
}

impl Read for Range {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let count = left.min(out.len());
        let read = self.file.read_exact_at(&mut out[..count], self.at);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => is_shorter(),
            _ => error,
        })?;
        self.at += count as u64;
        Ok(count)
    }
}

/// How many bytes are read at a time: headers that are close to each other come together.
const BLOCK: usize = 4 << 10;

/// Reads small parts of a file, mostly in ascending order.
struct Scan<'a, F: ?Sized> {
    file: &'a F,
    size: u64,
    block: Vec<u8>,
    /// Where the block begins.
    base: u64,
}

impl<'a, F: ReadAt + ?Sized> Scan<'a, F> {
    fn new(file: &'a F, size: u64) -> Self {
        Scan { file, size, block: Vec::new(), base: 0 }
    }

    /// The first bytes of the file, or as many as there are.
    fn first(&mut self, count: usize) -> io::Result<&[u8]> {
        let count = usize::try_from(self.size).unwrap_or(usize::MAX).min(count);
        Ok(self.bytes(0, count)?.unwrap_or_default())
    }

    /// `count` bytes at an offset; None if the file ends before. The room for them is the caller's
    /// to bound.
    fn bytes(&mut self, at: u64, count: usize) -> io::Result<Option<&[u8]>> {
        let Some(left) = self.size.checked_sub(at) else { return Ok(None) };
        if (count as u64) > left {
            return Ok(None);
        }
        let within = at.checked_sub(self.base).and_then(|from| usize::try_from(from).ok());
        let from = match within.filter(|from| from + count <= self.block.len()) {
            Some(from) => from,
            None => {
                let more = usize::try_from(left).unwrap_or(usize::MAX).min(count.max(BLOCK));
                self.block.clear();
                make_room(&mut self.block, more);
                self.block.resize(more, 0);
                self.base = at;
                if let Err(error) = self.file.read_exact_at(&mut self.block, at) {
                    self.block.clear();
                    return Err(error);
                }
                0
            }
        };
        Ok(Some(&self.block[from..from + count]))
    }

    /// `N` bytes at an offset; None if the file ends before.
    fn array<const N: usize>(&mut self, at: u64) -> io::Result<Option<[u8; N]>> {
        Ok(self.bytes(at, N)?.and_then(|bytes| bytes.first_chunk::<N>()).copied())
    }
}

/// Gathers pieces, and joins neighbours if there are too many.
struct Gathered {
    pieces: Vec<Piece>,
    /// The end of the text so far.
    text: u64,
    /// How many parts of the file are one piece.
    step: u32,
    /// How many the last one has.
    last: u32,
}

impl Gathered {
    fn new() -> Self {
        Gathered { pieces: Vec::new(), text: 0, step: 1, last: 1 }
    }

    /// One more part, with so much text. False if the text is longer than a number can say.
    fn push(&mut self, at: u64, size: u64, text: u64) -> bool {
        let Some(end) = self.text.checked_add(text) else { return false };
        match self.pieces.last_mut() {
            Some(piece) if self.last < self.step => {
                piece.size = at + size - piece.at;
                self.last += 1;
            }
            _ => {
                if self.pieces.len() == MOST {
                    self.join();
                }
                make_room(&mut self.pieces, 1);
                self.pieces.push(Piece { at, size, text: self.text });
                self.last = 1;
            }
        }
        self.text = end;
        true
    }

    /// Makes one piece of two.
    fn join(&mut self) {
        let mut kept = 0;
        for index in (0..self.pieces.len()).step_by(2) {
            let mut piece = self.pieces[index];
            if let Some(next) = self.pieces.get(index + 1) {
                piece.size = next.at + next.size - piece.at;
            }
            self.pieces[kept] = piece;
            kept += 1;
        }
        self.pieces.truncate(kept);
        self.step *= 2;
    }

    fn finish(self, compression: Compression) -> Frames {
        let Gathered { pieces, text, .. } = self;
        let (heads, streams) = (Vec::new(), Vec::new());
        Frames { compression, pieces, text, heads, streams, is_believed: false }
    }
}

/// A table that contradicts the file.
fn contradicts(compression: Compression, text: u64, what: impl fmt::Display) -> SourceError {
    contradiction(compression, text, what).into()
}

fn contradiction(compression: Compression, text: u64, what: impl fmt::Display) -> Fault {
    let name = compression.name();
    Fault::malformed(text, format!("the table of the {name} data contradicts it: {what}"))
}
