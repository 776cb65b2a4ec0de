//! Goes through the rest of a stream of bzip2 from one of its blocks on.
//!
//! The decoder gets a header, and then the bits from the block on, so that they begin with a byte. It
//! checks each block by the block's own checksum. That of the stream is no use: it is also that of the
//! blocks before. Whoever made the table has compared it. So the decoder gets the stream without that
//! checksum, and what stands for it is that all text has come where the table says that the stream
//! ends. Behind it, the file is read as from its start.

use super::super::{Frames, contradiction};
use super::{CHECKSUM, LENGTH, MAGIC, Stream, shift, stream_at};
use crate::error::Fault;
use crate::source::decompress::{Codec, Compression, Failed, Step, Why, fault_of};
use crate::source::frames::pieced::{cut, pass};

/// How many bytes are shifted at once.
const READY: usize = 32 << 10;

/// Where a decompressor is that has begun with a block.
pub(in crate::source) struct Within {
    stream: Stream,
    /// The bit of a byte at which the block begins.
    bit: u8,
    /// Where the next byte of input is in the file.
    at: u64,
    /// How many bytes are to be shifted still.
    left: u64,
    /// The last byte of input, which has some bits of the next one that is shifted.
    held: Option<u8>,
    /// Shifted bytes, of which the decoder has so many.
    ready: Vec<u8>,
    used: usize,
    has_begun: bool,
}

impl Within {
    /// The stream that has a piece inside. None if the piece begins with a stream.
    pub(in crate::source) fn of(frames: &Frames, index: usize) -> Option<Self> {
        let at = frames.pieces.get(index)?.at;
        let stream = *stream_at(&frames.streams, at)?;
        Some(Within {
            stream,
            bit: (at % 8) as u8,
            at: at / 8,
            left: (stream.end + LENGTH - at) / 8,
            held: None,
            ready: Vec::new(),
            used: 0,
            has_begun: false,
        })
    }

    /// As `Decompressor::step`, and whether the stream has ended.
    #[cold]
    #[inline(never)]
    pub(in crate::source) fn step(
        &mut self,
        codec: &mut Codec,
        window: u64,
        input: &[u8],
        out: &mut [u8],
        offset: u64,
        last: bool,
    ) -> Result<(Step, bool), (Step, Fault)> {
        let mut total = Step::default();
        let fault = |why, at| fault_of(Compression::Bzip2, window, why, at);
        let ended = last && input.is_empty();
        if !self.has_begun {
            codec.restart(window);
            let [b, z, h] = *MAGIC;
            if let Err(failed) = pass(codec, &[b, z, h, self.stream.level]) {
                return Err((total, fault(failed.why, offset)));
            }
            self.has_begun = true;
        }
        loop {
            let at = offset + total.written as u64;
            if self.used == self.ready.len() && self.left > 0 {
                total.consumed += self.make_ready(&input[total.consumed..]);
            }
            // If there is more text than the table says, it goes to a byte that nobody reads.
            let text = self.stream.text.saturating_sub(at);
            let mut surplus = [0];
            let room = match usize::try_from(text).unwrap_or(usize::MAX) {
                0 => &mut surplus[..],
                text => {
                    let room = &mut out[total.written..];
                    let most = room.len().min(text);
                    &mut room[..most]
                }
            };
            if room.is_empty() {
                return Ok((total, false));
            }
            let (step, is_end) = match codec.step(&self.ready[self.used..], room) {
                Ok(done) => done,
                Err(Failed { step, why }) => {
                    total.written += if text > 0 { step.written } else { 0 };
                    return Err((total, fault(why, offset + total.written as u64)));
                }
            };
            self.used += step.consumed;
            if text == 0 && step.written > 0 {
                return Err((total, self.other_text(at, "more")));
            }
            total.written += step.written;
            if is_end {
                return Err((total, self.other_text(at, "less")));
            }
            if step.consumed > 0 || step.written > 0 {
                continue;
            }
            let rest = input.len() - total.consumed;
            if self.used < self.ready.len() {
                let why = Why::Damaged("it makes no sense to the decoder".to_owned());
                return Err((total, fault(why, at)));
            }
            if self.left > 0 {
                if rest > 0 {
                    continue;
                }
                return if ended {
                    Err((total, cut(Compression::Bzip2, at)))
                } else {
                    Ok((total, false))
                };
            }
            if text > 0 {
                return Err((total, self.other_text(at, "less")));
            }
            let behind = (self.stream.end + LENGTH + CHECKSUM).div_ceil(8);
            let gap = usize::try_from(behind - self.at).unwrap_or(usize::MAX);
            if gap <= rest {
                total.consumed += gap;
                return Ok((total, true));
            }
            self.at += rest as u64;
            total.consumed += rest;
            return if ended {
                Err((total, cut(Compression::Bzip2, at)))
            } else {
                Ok((total, false))
            };
        }
    }

    /// Shifts some of the input, and gives how much it was.
    fn make_ready(&mut self, input: &[u8]) -> usize {
        self.ready.clear();
        self.used = 0;
        let before = u64::from(self.bit > 0 && self.held.is_none());
        let wanted = usize::try_from(self.left.saturating_add(before)).unwrap_or(usize::MAX);
        let count = input.len().min(READY).min(wanted);
        shift(&mut self.ready, &mut self.held, &input[..count], self.bit);
        self.left -= self.ready.len() as u64;
        self.at += count as u64;
        count
    }

    fn other_text(&self, at: u64, how: &str) -> Fault {
        let place = self.stream.begin / 8;
        let what = format!("the stream at byte {place} of the file has {how} text than it says");
        contradiction(Compression::Bzip2, at, what)
    }
}
