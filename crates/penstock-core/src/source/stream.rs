//! The bytes of a source: read, decompressed, counted, and held to the limits.

use std::io::{self, Read};
use std::sync::Arc;

use penstock_scan::make_room;

use super::decompress::Decompressor;
use super::{CHUNK, Compression, EndsEarly, Frames, Sniff, SourceError, again, sniff};
use crate::error::Fault;
use crate::limits::Limits;

/// How many bytes must have come out before [`Limits::ratio`] is checked: small documents of blanks
/// compress without bound.
pub(super) const RATIO_GRACE: u64 = 16 << 20;

/// The ratio is checked whenever so many more bytes have come out, and never between. So it does
/// not depend on how many bytes are asked for at a time.
const RATIO_STEP: u64 = 64 << 10;

/// How many chunks may be decompressed without a byte of output, until the source answers
/// [`SourceError::Idle`]: members without content, and padding after the last one, have any length.
const PATIENCE: usize = 4;

/// Decompressed bytes of a reader.
pub(super) struct Stream {
    raw: Raw,
    compression: Compression,
    stage: Stage,
    /// Decompressed bytes so far.
    bytes: u64,
    /// Compressed bytes that the decoder has taken.
    taken: u64,
    /// The decoder has filled all room, so it may hold more bytes without a byte of input.
    holds: bool,
    limits: Limits,
    /// Found after bytes that were delivered first; a stream at fault stays at fault.
    fault: Option<Fault>,
}

/// The conversion of the reader's bytes to the stream's.
enum Stage {
    /// The first bytes have not been seen.
    Sealed,
    Plain,
    Compressed(Box<Decompressor>),
}

impl Stream {
    /// Nothing is read yet.
    pub(super) fn over(
        reader: Box<dyn Read + Send>,
        compression: Compression,
        limits: &Limits,
    ) -> Self {
        Stream {
            raw: Raw { reader, buffer: Vec::new(), start: 0, end: 0, count: 0, ended: false },
            compression,
            stage: Stage::Sealed,
            bytes: 0,
            taken: 0,
            holds: false,
            limits: limits.clone(),
            fault: None,
        }
    }

    /// A stream that begins with a piece of a compressed file: at these offsets in the file, where
    /// `reader` is, and in the text.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn inside(
        reader: Box<dyn Read + Send>,
        frames: &Arc<Frames>,
        index: usize,
        (at, text): (u64, u64),
        limits: &Limits,
    ) -> io::Result<Self> {
        let mut stream = Stream::over(reader, frames.compression(), limits);
        if let Some(decompressor) = Decompressor::inside(frames, index, at, limits)? {
            stream.stage = Stage::Compressed(Box::new(decompressor));
        }
        (stream.raw.count, stream.taken, stream.bytes) = (at, at, text);
        Ok(stream)
    }

    /// Bytes read from the reader.
    pub(super) fn raw_bytes(&self) -> u64 {
        self.raw.count
    }

    /// Decompressed bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `Infer` until the first bytes are seen.
    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Whether the first bytes were seen, and are not compressed.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.stage, Stage::Plain)
    }

    pub(super) fn is_compressed(&self) -> bool {
        matches!(self.stage, Stage::Compressed(_))
    }

    /// Whether plain bytes were read that nobody has taken.
    pub(super) fn is_ready(&self) -> bool {
        self.is_plain() && !self.raw.is_empty()
    }

    /// Reads decompressed bytes, within the limits.
    ///
    /// # Errors
    /// As [`Source::read`](super::Source::read).
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, SourceError> {
        let mut count = 0;
        loop {
            let room = self.until_check(out.len() - count);
            match self.step(&mut out[count..count + room], count == 0) {
                Ok(n) => {
                    count += n;
                    if count == out.len() || n < room || !self.is_compressed() {
                        return Ok(count);
                    }
                }
                // A fault stays, and another error has taken nothing.
                Err(SourceError::Fault(_) | SourceError::Idle) if count > 0 => return Ok(count),
                Err(error) => return Err(error),
            }
        }
    }

    /// How many of `room` bytes may come before the ratio is checked again.
    fn until_check(&self, room: usize) -> usize {
        if self.limits.ratio.is_none() || self.is_plain() {
            return room;
        }
        let left = RATIO_STEP - self.bytes % RATIO_STEP;
        room.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// One step of the decoder, or of the reader, which is asked only if there is nothing to give.
    fn step(&mut self, out: &mut [u8], may_ask: bool) -> Result<usize, SourceError> {
        if let Some(fault) = &self.fault {
            return Err(again(fault).into());
        }
        let n = match self.decompress(out, may_ask) {
            Ok(n) => n,
            Err((0, SourceError::Fault(fault))) => return Err(self.fail(fault)),
            Err((0, error)) => return Err(error),
            Err((n, SourceError::Fault(fault))) => {
                self.fault = Some(fault);
                n
            }
            // Bytes come together with an error only if it is a fault.
            Err((_, error)) => return Err(error),
        };
        let before = self.bytes;
        self.bytes += n as u64;
        if let Some(most) = self.limits.total.filter(|most| self.bytes > *most) {
            let fault = Fault::limit(
                most,
                format!("the source is longer than {most} bytes (limits.total)"),
            );
            self.bytes = most;
            return self.stop_after((most - before) as usize, fault);
        }
        if let Some(most) = self.limits.ratio
            && self.is_compressed()
            && self.bytes > RATIO_GRACE
            && self.bytes.is_multiple_of(RATIO_STEP)
            && self.bytes > self.taken.saturating_mul(most)
        {
            let fault = Fault::limit(
                self.bytes,
                format!(
                    "the {} data expands to more than {most} times its size (limits.ratio)",
                    self.compression.name()
                ),
            );
            return self.stop_after(n, fault);
        }
        Ok(n)
    }

    /// Delivers `n` bytes and then the fault, or the fault at once.
    fn stop_after(&mut self, n: usize, fault: Fault) -> Result<usize, SourceError> {
        let error = self.fail(fault);
        if n > 0 { Ok(n) } else { Err(error) }
    }

    /// Remembers a fault for all later reads.
    fn fail(&mut self, fault: Fault) -> SourceError {
        let error = again(&fault).into();
        self.fault = Some(fault);
        error
    }

    /// Reads decompressed bytes. A fault may come together with the bytes before it.
    fn decompress(&mut self, out: &mut [u8], may_ask: bool) -> Result<usize, (usize, SourceError)> {
        let at = self.bytes;
        for _ in 0..PATIENCE {
            match &mut self.stage {
                Stage::Sealed => self.unseal().map_err(|error| (0, error))?,
                Stage::Plain => {
                    return self.raw.read(out).map_err(|error| (0, of_reader(error, at)));
                }
                Stage::Compressed(decompressor) => {
                    if self.raw.is_empty() && !self.raw.ended && !self.holds {
                        if !may_ask {
                            return Ok(0);
                        }
                        self.raw.fill().map_err(|error| (0, of_reader(error, at)))?;
                    }
                    let (last, ended) = (self.raw.ended, self.raw.ended && self.raw.is_empty());
                    let step = match decompressor.step(self.raw.bytes(), out, self.bytes, last) {
                        Ok(step) => step,
                        Err((step, fault)) => {
                            self.fault = Some(again(&fault));
                            return Err((step.written, fault.into()));
                        }
                    };
                    self.raw.start += step.consumed;
                    self.taken += step.consumed as u64;
                    self.holds = step.written == out.len();
                    if step.written > 0 || ended {
                        return Ok(step.written);
                    }
                }
            }
        }
        Err((0, SourceError::Idle))
    }

    /// Looks at the first bytes to find their compression, or to check the one that the caller
    /// named.
    fn unseal(&mut self) -> Result<(), SourceError> {
        if self.compression != Compression::None {
            let seen = loop {
                match sniff(self.raw.bytes()) {
                    Sniff::More if !self.raw.ended => {
                        self.raw.fill().map_err(|error| of_reader(error, self.bytes))?;
                    }
                    seen => break seen,
                }
            };
            match agreed(self.compression, seen) {
                Ok(compression) => self.compression = compression,
                Err(reason) => return Err(self.fail(Fault::malformed(0, reason))),
            }
        }
        self.stage = match Decompressor::new(self.compression, &self.limits)? {
            Some(decompressor) => Stage::Compressed(Box::new(decompressor)),
            None => Stage::Plain,
        };
        Ok(())
    }
}

/// The reader's error, after `at` decompressed bytes.
fn of_reader(error: io::Error, at: u64) -> SourceError {
    match error.downcast::<EndsEarly>() {
        Ok(EndsEarly(reason)) => Fault::truncated(at, reason).into(),
        Err(error) => error.into(),
    }
}

/// The compression, from the caller's option and the first bytes; or why the two contradict each
/// other.
fn agreed(said: Compression, seen: Sniff) -> Result<Compression, String> {
    let name = said.name();
    match (said, seen) {
        (Compression::Infer, Sniff::Is(compression)) => Ok(compression),
        (Compression::Infer, Sniff::More) => Ok(Compression::None),
        (Compression::Infer, Sniff::Zip) => {
            let reason = "this is a zip archive; it can be opened by its path or from a seekable \
                          file only";
            Err(reason.to_owned())
        }
        // The decoder will find that it ends early.
        (_, Sniff::More) => Ok(said),
        (_, Sniff::Zip) => Err(format!("this is a zip archive, not {name} data")),
        (_, Sniff::Is(Compression::None)) => Err(format!("this is not {name} data")),
        (_, Sniff::Is(other)) if other == said => Ok(said),
        (_, Sniff::Is(other)) => Err(format!("this is {} data, not {name} data", other.name())),
    }
}

/// The caller's reader, with a buffer for bytes that must be examined first.
struct Raw {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes that the reader has given.
    count: u64,
    /// The reader has said that it has no more bytes, and is not asked again.
    ended: bool,
}

impl Raw {
    /// Bytes that were read and not taken yet.
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Reads more bytes and appends them to the buffer.
    fn fill(&mut self) -> io::Result<()> {
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        }
        let lacking = CHUNK.saturating_sub(self.buffer.len());
        make_room(&mut self.buffer, lacking);
        self.buffer.resize(CHUNK, 0);
        let n = ask(&mut *self.reader, &mut self.buffer[self.end..])?;
        self.end += n;
        self.count += n as u64;
        self.ended = n == 0;
        Ok(())
    }

    /// Takes the bytes in the buffer, or else reads directly into `out`.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.is_empty() {
            let n = out.len().min(self.end - self.start);
            out[..n].copy_from_slice(&self.bytes()[..n]);
            self.start += n;
            return Ok(n);
        }
        if self.ended {
            return Ok(0);
        }
        self.buffer = Vec::new();
        (self.start, self.end) = (0, 0);
        let n = ask(&mut *self.reader, out)?;
        self.count += n as u64;
        self.ended = n == 0;
        Ok(n)
    }
}

/// Calls the reader, which is someone else's code.
fn ask(reader: &mut dyn Read, out: &mut [u8]) -> io::Result<usize> {
    match reader.read(out) {
        Ok(n) if n > out.len() => {
            Err(io::Error::other("the reader says that it gave more than was asked of it"))
        }
        // A signal interrupted the system call: nothing came yet. If the error carries something,
        // such as a Python exception that a signal handler raised, it must not be swallowed.
        Err(error) if error.kind() == io::ErrorKind::Interrupted && error.get_ref().is_none() => {
            Err(io::ErrorKind::WouldBlock.into())
        }
        answer => answer,
    }
}
