//! Compresses in pieces that can be decompressed on their own: BGZF, and the seekable form of zstd.
//!
//! The text of a piece ends where a record ends, if it has been told of such a place in the second
//! half of the piece. Otherwise it is cut at its largest size.

use std::io;

use super::packing::{deflate, made, make_room, of_zstd, stuck, zstd_end, zstd_push};

/// The most text of a block of BGZF. As stored bytes, it still fits a block.
const BLOCK: usize = 0xFF00;

/// The most text of a frame.
const FRAME: usize = 1 << 20;

/// The header of a block: deflated, no time, an unknown system, and six bytes more, which are a
/// field of two bytes with the size of the block.
const BLOCK_HEAD: &[u8; 16] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0";

/// The last block of a file, which has no text.
const BLOCK_END: &[u8; 28] =
    b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/// A skippable frame with the seek table, and the end of it.
const TABLE: u32 = 0x184D_2A5E;
const SEEKABLE: u32 = 0x8F92_EAB1;

/// Gathers the text of a piece.
pub(super) struct Pieces {
    coder: Coder,
    text: Vec<u8>,
    /// How many bytes of it are whole records.
    whole: usize,
}

enum Coder {
    Bgzf {
        deflate: flate2::Compress,
        /// Where each block begins, in the file and in the text.
        begins: Vec<(u64, u64)>,
        /// Where the next one begins.
        at: (u64, u64),
    },
    Zstd {
        encoder: zstd::stream::raw::Encoder<'static>,
        /// How long each frame is, in the file and in the text.
        sizes: Vec<(u32, u32)>,
    },
}

impl Pieces {
    pub(super) fn bgzf(level: u32) -> io::Result<Self> {
        let level = flate2::Compression::new(level);
        let deflate = made(|| flate2::Compress::new(level, false))?;
        Ok(Pieces::of(Coder::Bgzf { deflate, begins: Vec::new(), at: (0, 0) }))
    }

    pub(super) fn zstd(encoder: zstd::stream::raw::Encoder<'static>) -> Self {
        Pieces::of(Coder::Zstd { encoder, sizes: Vec::new() })
    }

    fn of(coder: Coder) -> Self {
        Pieces { coder, text: Vec::new(), whole: 0 }
    }

    /// Adds text. Pieces that are full are appended to `out`.
    pub(super) fn push(&mut self, mut input: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let most = match self.coder {
            Coder::Bgzf { .. } => BLOCK,
            Coder::Zstd { .. } => FRAME,
        };
        while !input.is_empty() {
            let (now, later) = input.split_at(input.len().min(most - self.text.len()));
            make_room(&mut self.text, now.len())?;
            self.text.extend_from_slice(now);
            input = later;
            if self.text.len() == most {
                let end = if self.whole >= most / 2 { self.whole } else { most };
                self.end_piece(end, out)?;
            }
        }
        Ok(())
    }

    /// A record ends here.
    pub(super) fn mark(&mut self) {
        self.whole = self.text.len();
    }

    /// Makes a piece of all text.
    pub(super) fn flush(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if self.text.is_empty() { Ok(()) } else { self.end_piece(self.text.len(), out) }
    }

    /// Appends the end of the file.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.flush(out)?;
        if let Coder::Zstd { sizes, .. } = &self.coder
            && sizes.is_empty()
        {
            // So that the file is one of zstd.
            self.end_piece(0, out)?;
        }
        match &self.coder {
            Coder::Bgzf { .. } => {
                make_room(out, BLOCK_END.len())?;
                out.extend_from_slice(BLOCK_END);
            }
            Coder::Zstd { sizes, .. } => {
                let length = 8 * sizes.len() + 9;
                make_room(out, 8 + length)?;
                let (length, count) = (whole_number(length)?, whole_number(sizes.len())?);
                out.extend_from_slice(&TABLE.to_le_bytes());
                out.extend_from_slice(&length.to_le_bytes());
                for (size, text) in sizes {
                    out.extend_from_slice(&size.to_le_bytes());
                    out.extend_from_slice(&text.to_le_bytes());
                }
                out.extend_from_slice(&count.to_le_bytes());
                // No checksums, because the frames have their own.
                out.push(0);
                out.extend_from_slice(&SEEKABLE.to_le_bytes());
            }
        }
        Ok(())
    }

    /// The blocks as a `.gzi` lists them: how many, and where each but the first begins.
    pub(super) fn gzi(&self) -> io::Result<Option<Vec<u8>>> {
        let Coder::Bgzf { begins, .. } = &self.coder else { return Ok(None) };
        let listed = begins.get(1..).unwrap_or_default();
        let mut out = Vec::new();
        make_room(&mut out, 8 + 16 * listed.len())?;
        out.extend_from_slice(&(listed.len() as u64).to_le_bytes());
        for (at, text) in listed {
            out.extend_from_slice(&at.to_le_bytes());
            out.extend_from_slice(&text.to_le_bytes());
        }
        Ok(Some(out))
    }

    /// Makes a piece of the first `end` bytes of the text.
    fn end_piece(&mut self, end: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let (text, start) = (&self.text[..end], out.len());
        match &mut self.coder {
            Coder::Bgzf { deflate: encoder, begins, at } => {
                make_room(out, BLOCK_HEAD.len() + 2)?;
                out.extend_from_slice(BLOCK_HEAD);
                out.extend_from_slice(&[0; 2]);
                encoder.reset();
                deflate(encoder, text, flate2::FlushCompress::Finish, out)?;
                let mut crc = flate2::Crc::new();
                crc.update(text);
                make_room(out, 8)?;
                out.extend_from_slice(&crc.sum().to_le_bytes());
                out.extend_from_slice(&whole_number(text.len())?.to_le_bytes());
                let size = out.len() - start;
                let last = u16::try_from(size - 1)
                    .map_err(|_| io::Error::other("a block of BGZF is longer than 64 KiB"))?;
                out[start + 16..start + 18].copy_from_slice(&last.to_le_bytes());
                make_room(begins, 1)?;
                begins.push(*at);
                *at = (at.0 + size as u64, at.1 + text.len() as u64);
            }
            Coder::Zstd { encoder, sizes } => {
                use zstd::stream::raw::Operation;
                encoder.reinit().map_err(of_zstd)?;
                encoder.set_pledged_src_size(Some(text.len() as u64)).map_err(of_zstd)?;
                zstd_push(encoder, text, out)?;
                zstd_end(out, |to| encoder.finish(to, true))?;
                make_room(sizes, 1)?;
                sizes.push((whole_number(out.len() - start)?, whole_number(text.len())?));
            }
        }
        self.text.copy_within(end.., 0);
        self.text.truncate(self.text.len() - end);
        self.whole = self.whole.saturating_sub(end);
        Ok(())
    }
}

/// A number of four bytes.
fn whole_number(count: usize) -> io::Result<u32> {
    u32::try_from(count).map_err(|_| stuck("a seek table, which is full,"))
}
