//! Compresses bytes.
//!
//! A compressor is a plain function from bytes to bytes that holds its state, and never writes by
//! itself. So an error of the file is never one of the compressor, which may go on afterwards.

use super::pieces::Pieces;
use crate::source::Compression;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes by which the room for compressed data grows.
const ROOM: usize = 32 << 10;

/// A compression and its level, which fit together.
///
/// ```
/// use penstock_core::source::Compression;
/// use penstock_core::target::Packing;
///
/// assert_eq!(Packing::new(Compression::Gzip, None)?.level(), 6);
/// let refused = Packing::new(Compression::Gzip, Some(12)).unwrap_err();
/// assert_eq!(refused, "level must be from 0 to 9 for gzip, not 12");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    compression: Compression,
    level: i32,
    in_pieces: bool,
}

impl Packing {
    /// Bytes are written as they are.
    pub const NONE: Packing =
        Packing { compression: Compression::None, level: 0, in_pieces: false };

    /// A compression with a level, or with its usual one.
    ///
    /// # Errors
    /// The reason why there is no such level.
    pub fn new(compression: Compression, level: Option<i64>) -> Result<Self, String> {
        let Some((least, most, usual)) = levels(compression) else {
            return match level {
                Some(_) => Err("level= needs a compression".to_owned()),
                None => Ok(Packing::NONE),
            };
        };
        let level = level.unwrap_or(i64::from(usual));
        match i32::try_from(level) {
            Ok(level) if (least..=most).contains(&level) => {
                Ok(Packing { compression, level, in_pieces: false })
            }
            _ => Err(format!(
                "level must be from {least} to {most} for {}, not {level}",
                compression.name()
            )),
        }
    }

    /// The same in pieces that can be decompressed on their own, so that a reader may begin with any
    /// of them: gzip as BGZF, zstd as frames with a seek table.
    ///
    /// ```
    /// use penstock_core::source::Compression;
    /// use penstock_core::target::Packing;
    ///
    /// assert!(Packing::new(Compression::Zstd, None)?.in_pieces().is_ok());
    /// let refused = Packing::new(Compression::Xz, None)?.in_pieces().unwrap_err();
    /// assert_eq!(refused, "xz cannot be written in pieces: gzip and zstd can");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// The reason why this compression cannot be.
    pub fn in_pieces(self) -> Result<Self, String> {
        match self.compression {
            Compression::Gzip | Compression::Zstd => Ok(Packing { in_pieces: true, ..self }),
            other => {
                let name = other.name();
                Err(format!("{name} cannot be written in pieces: gzip and zstd can"))
            }
        }
    }

    /// The compression; [`Compression::None`] for none.
    #[must_use]
    pub fn compression(self) -> Compression {
        self.compression
    }

    /// The level.
    #[must_use]
    pub fn level(self) -> i32 {
        self.level
    }
}

/// The least level of a compression, the highest, and the one that its own tool uses.
fn levels(compression: Compression) -> Option<(i32, i32, i32)> {
    match compression {
        Compression::Infer | Compression::None => None,
        Compression::Gzip => Some((0, 9, 6)),
        Compression::Zstd => {
            let range = zstd::compression_level_range();
            Some((*range.start(), *range.end(), zstd::DEFAULT_COMPRESSION_LEVEL))
        }
        Compression::Bzip2 => Some((1, 9, 9)),
        Compression::Xz => Some((0, 9, 6)),
    }
}

/// Compresses one member (frame, stream).
pub(super) enum Packer {
    Gzip(flate2::Compress),
    Zstd(zstd::stream::raw::Encoder<'static>),
    /// With its level.
    Bzip2(bzip2::Compress, bzip2::Compression),
    Xz(Box<lzma_rust2::XzWriter<Vec<u8>>>),
    Pieces(Box<Pieces>),
}

impl Packer {
    /// None if bytes are written as they are.
    ///
    /// # Errors
    /// There is no memory: the highest levels need hundreds of megabytes.
    pub(super) fn new(packing: Packing) -> io::Result<Option<Self>> {
        let Packing { compression, level, in_pieces } = packing;
        let unsigned = level.unsigned_abs();
        Ok(Some(match compression {
            Compression::Infer | Compression::None => return Ok(None),
            Compression::Gzip => {
                ensure(512 << 10)?;
                if in_pieces {
                    return Ok(Some(Packer::Pieces(Box::new(Pieces::bgzf(unsigned)?))));
                }
                let level = flate2::Compression::new(unsigned);
                Packer::Gzip(made(|| flate2::Compress::new_gzip(level, 15))?)
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::raw::Encoder::new(level).map_err(of_zstd)?;
                // As its own tool does it.
                encoder
                    .set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))
                    .map_err(of_zstd)?;
                if in_pieces {
                    return Ok(Some(Packer::Pieces(Box::new(Pieces::zstd(encoder)))));
                }
                Packer::Zstd(encoder)
            }
            Compression::Bzip2 => {
                // Eight bytes for each byte of a block.
                ensure(unsigned as usize * 800_000 + (512 << 10))?;
                let level = bzip2::Compression::new(unsigned);
                Packer::Bzip2(made(|| bzip2::Compress::new(level, 0))?, level)
            }
            Compression::Xz => {
                let options = lzma_rust2::XzOptions::with_preset(unsigned);
                ensure((options.lzma_options.get_memory_usage() as usize).saturating_mul(1024))?;
                Packer::Xz(Box::new(lzma_rust2::XzWriter::new(Vec::new(), options)?))
            }
        }))
    }

    /// Compresses all of the input. What is ready is appended to `out`.
    pub(super) fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Packer::Gzip(encoder) => deflate(encoder, input, flate2::FlushCompress::None, out),
            Packer::Zstd(encoder) => zstd_push(encoder, input, out),
            Packer::Bzip2(encoder, _) => bzip(encoder, input, bzip2::Action::Run, out),
            Packer::Xz(writer) => {
                writer.write_all(input)?;
                drain(writer.inner_mut(), out)
            }
            Packer::Pieces(pieces) => pieces.push(input, out),
        }
    }

    /// Says that a record ends here.
    pub(super) fn mark(&mut self) {
        if let Packer::Pieces(pieces) = self {
            pieces.mark();
        }
    }

    /// Appends whatever it holds back, so that a reader of `out` sees all of the input. That
    /// compresses less well.
    pub(super) fn flush(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Packer::Gzip(encoder) => deflate(encoder, &[], flate2::FlushCompress::Sync, out),
            Packer::Zstd(encoder) => {
                use zstd::stream::raw::Operation;
                zstd_end(out, |to| encoder.flush(to))
            }
            // A block does not end with a byte, so the stream must end.
            Packer::Bzip2(encoder, level) if encoder.total_in() > 0 => {
                bzip(encoder, &[], bzip2::Action::Finish, out)?;
                *encoder = made(|| bzip2::Compress::new(*level, 0))?;
                Ok(())
            }
            Packer::Bzip2(..) => Ok(()),
            Packer::Xz(writer) => {
                writer.flush()?;
                drain(writer.inner_mut(), out)
            }
            Packer::Pieces(pieces) => pieces.flush(out),
        }
    }

    /// Appends the end of the member. The result is a `.gzi`, if there is one for the bytes.
    pub(super) fn finish(self, out: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
        match self {
            Packer::Gzip(mut encoder) => {
                deflate(&mut encoder, &[], flate2::FlushCompress::Finish, out)
            }
            Packer::Zstd(mut encoder) => {
                use zstd::stream::raw::Operation;
                zstd_end(out, |to| encoder.finish(to, true))
            }
            Packer::Bzip2(mut encoder, _) => bzip(&mut encoder, &[], bzip2::Action::Finish, out),
            Packer::Xz(writer) => drain(&mut writer.finish()?, out),
            Packer::Pieces(mut pieces) => {
                pieces.finish(out)?;
                return pieces.gzi();
            }
        }?;
        Ok(None)
    }
}

/// Fails if there is no memory for an encoder, which would end the process when it asks itself.
fn ensure(bytes: usize) -> io::Result<()> {
    make_room(&mut Vec::<u8>::new(), bytes)
}

/// Makes an encoder. Those of other crates panic if there is no memory for them: the only reason that
/// there is.
pub(super) fn made<T>(make: impl FnOnce() -> T) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(make)).map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// Makes room behind the bytes.
pub(super) fn make_room<T>(out: &mut Vec<T>, more: usize) -> io::Result<()> {
    out.try_reserve(more).map_err(|_| io::ErrorKind::OutOfMemory.into())
}

fn drain(from: &mut Vec<u8>, out: &mut Vec<u8>) -> io::Result<()> {
    make_room(out, from.len())?;
    out.append(from);
    Ok(())
}

/// An encoder that neither takes nor gives would be asked for ever.
#[cold]
pub(super) fn stuck(name: &str) -> io::Error {
    io::Error::other(format!("the encoder of {name} makes no progress"))
}

pub(super) fn deflate(
    encoder: &mut flate2::Compress,
    mut input: &[u8],
    flush: flate2::FlushCompress,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    loop {
        make_room(out, ROOM)?;
        let before = (encoder.total_in(), out.len());
        let status = encoder.compress_vec(input, out, flush)?;
        let taken = (encoder.total_in() - before.0) as usize;
        input = &input[taken..];
        let done = match flush {
            flate2::FlushCompress::Finish => status == flate2::Status::StreamEnd,
            // If the room was just enough, there may be more.
            flate2::FlushCompress::Sync => input.is_empty() && out.len() < out.capacity(),
            _ => input.is_empty(),
        };
        if done {
            return Ok(());
        }
        if taken == 0 && out.len() == before.1 {
            return Err(stuck("gzip"));
        }
    }
}

fn bzip(
    encoder: &mut bzip2::Compress,
    mut input: &[u8],
    action: bzip2::Action,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    loop {
        make_room(out, ROOM)?;
        let before = (encoder.total_in(), out.len());
        let status = encoder.compress_vec(input, out, action).map_err(io::Error::other)?;
        let taken = (encoder.total_in() - before.0) as usize;
        input = &input[taken..];
        let done = match action {
            bzip2::Action::Finish => status == bzip2::Status::StreamEnd,
            _ => input.is_empty(),
        };
        if done {
            return Ok(());
        }
        if taken == 0 && out.len() == before.1 {
            return Err(stuck("bzip2"));
        }
    }
}

pub(super) fn zstd_push(
    encoder: &mut zstd::stream::raw::Encoder<'static>,
    input: &[u8],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    use zstd::stream::raw::{InBuffer, Operation, OutBuffer};
    let mut from = InBuffer::around(input);
    while from.pos() < input.len() {
        make_room(out, ROOM)?;
        let before = (from.pos(), out.len());
        let mut to = OutBuffer::around_pos(out, before.1);
        encoder.run(&mut from, &mut to).map_err(of_zstd)?;
        if (from.pos(), out.len()) == before {
            return Err(stuck("zstd"));
        }
    }
    Ok(())
}

/// Asks until the encoder holds nothing back.
pub(super) fn zstd_end(
    out: &mut Vec<u8>,
    mut step: impl FnMut(&mut zstd::stream::raw::OutBuffer<'_, Vec<u8>>) -> io::Result<usize>,
) -> io::Result<()> {
    loop {
        make_room(out, ROOM)?;
        let before = out.len();
        let mut to = zstd::stream::raw::OutBuffer::around_pos(out, before);
        let left = step(&mut to).map_err(of_zstd)?;
        if left == 0 {
            return Ok(());
        }
        if out.len() == before {
            return Err(stuck("zstd"));
        }
    }
}

/// zstd allocates for itself, and says in words that it could not.
pub(super) fn of_zstd(error: io::Error) -> io::Error {
    if error.to_string().starts_with("Allocation error") {
        return io::ErrorKind::OutOfMemory.into();
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::source::{Options, Source, SourceError};

    fn text(lines: u32) -> Vec<u8> {
        (0..lines).flat_map(|n| format!("{{\"n\": {}}}\n", n * n % 9973).into_bytes()).collect()
    }

    fn unpacked(packed: Vec<u8>) -> Result<Vec<u8>, SourceError> {
        let limits = Limits::default();
        let mut source = Source::open(Box::new(io::Cursor::new(packed)), Options::new(&limits));
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            match source.read(&mut piece)? {
                0 => return Ok(all),
                n => all.extend_from_slice(&piece[..n]),
            }
        }
    }

    #[test]
    fn each_level_of_each_compression_is_read_back() {
        let text = text(5_000);
        for compression in Compression::ALL {
            for level in -5..=22 {
                let Ok(packing) = Packing::new(compression, Some(level)) else { continue };
                // The highest need 700 MB.
                if (compression, level > 19) == (Compression::Zstd, true) {
                    continue;
                }
                let mut packer = Packer::new(packing).unwrap().unwrap();
                let mut out = Vec::new();
                for piece in text.chunks(10_021) {
                    packer.push(piece, &mut out).unwrap();
                }
                packer.finish(&mut out).unwrap();
                assert!(level <= 0 || out.len() * 2 < text.len(), "{packing:?} {}", out.len());
                assert_eq!(unpacked(out).unwrap(), text, "{packing:?}");
            }
        }
    }

    #[test]
    fn what_was_flushed_can_be_read() {
        let text = text(10_000);
        for compression in Compression::ALL {
            let packing = Packing::new(compression, None).unwrap();
            let mut packer = Packer::new(packing).unwrap().unwrap();
            let mut out = Vec::new();
            for (n, piece) in text.chunks(40_000).enumerate() {
                packer.push(piece, &mut out).unwrap();
                packer.flush(&mut out).unwrap();
                packer.flush(&mut out).unwrap();
                let limits = Limits::default();
                let reader = io::Cursor::new(out.clone());
                let mut source = Source::open(Box::new(reader), Options::new(&limits));
                let (mut seen, mut room) = (0, vec![0; 4096]);
                while let Ok(count @ 1..) = source.read(&mut room) {
                    seen += count;
                }
                let expected = (40_000 * (n + 1)).min(text.len());
                assert_eq!(seen, expected, "{compression:?}");
            }
            packer.finish(&mut out).unwrap();
            assert_eq!(unpacked(out).unwrap(), text, "{compression:?}");
        }
    }

    #[test]
    fn nothing_is_a_whole_member() {
        for compression in Compression::ALL {
            let packing = Packing::new(compression, None).unwrap();
            let mut out = Vec::new();
            Packer::new(packing).unwrap().unwrap().finish(&mut out).unwrap();
            assert!(!out.is_empty());
            assert_eq!(unpacked(out).unwrap(), b"");
        }
    }

    #[test]
    fn levels_that_there_are_not() {
        let cases = [
            (Compression::Gzip, -1, "level must be from 0 to 9 for gzip, not -1"),
            (Compression::Gzip, 10, "level must be from 0 to 9 for gzip, not 10"),
            (Compression::Zstd, 23, "level must be from -131072 to 22 for zstd, not 23"),
            (Compression::Bzip2, 0, "level must be from 1 to 9 for bzip2, not 0"),
            (Compression::Xz, 10, "level must be from 0 to 9 for xz, not 10"),
            (
                Compression::Xz,
                i64::MAX,
                "level must be from 0 to 9 for xz, not 9223372036854775807",
            ),
            (Compression::None, 3, "level= needs a compression"),
        ];
        for (compression, level, reason) in cases {
            assert_eq!(Packing::new(compression, Some(level)), Err(reason.to_owned()));
        }
    }
}
