//! Decompresses piece by piece, and checks each against the table.

use std::io;
use std::sync::Arc;

use super::bzip2::within::Within;
use super::part::UNKNOWN;
use super::{Frames, contradiction, xz};
use crate::error::Fault;
use crate::limits::Limits;
use crate::source::decompress::{Codec, Compression, Decompressor, Failed, Step, Why, fault_of};

/// Where a decompressor is that goes by a table.
pub(in crate::source) struct Pieced {
    frames: Arc<Frames>,
    /// The piece at hand.
    index: usize,
    /// Where the next byte of input is in the file.
    at: u64,
    /// The decoder has seen nothing of the piece.
    is_fresh: bool,
}

impl Decompressor {
    /// A decoder that begins with a piece, and goes on through all that follow.
    ///
    /// # Errors
    /// Out of memory.
    pub(in crate::source) fn inside(
        frames: &Arc<Frames>,
        index: usize,
        at: u64,
        limits: &Limits,
    ) -> io::Result<Option<Self>> {
        let mut made = Decompressor::new(frames.compression, limits)?;
        if let Some(decompressor) = &mut made {
            if frames.compression == Compression::Bzip2 {
                decompressor.within = Within::of(frames, index).map(Box::new);
                return Ok(made);
            }
            let frames = Arc::clone(frames);
            decompressor.pieced = Some(Box::new(Pieced { frames, index, at, is_fresh: true }));
        }
        Ok(made)
    }
}

impl Pieced {
    /// As [`Decompressor::step`].
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
    ) -> Result<Step, (Step, Fault)> {
        let mut total = Step::default();
        let frames = Arc::clone(&self.frames);
        let compression = frames.compression;
        let ended = last && input.is_empty();
        loop {
            let at = offset + total.written as u64;
            let Some(piece) = frames.pieces.get(self.index) else {
                total.consumed = input.len();
                return Ok(total);
            };
            let rest = &input[total.consumed..];
            if self.at < piece.at {
                let gap = usize::try_from(piece.at - self.at).unwrap_or(usize::MAX);
                let gap = gap.min(rest.len());
                self.at += gap as u64;
                total.consumed += gap;
                if gap == rest.len() {
                    return if ended { Err((total, cut(compression, at))) } else { Ok(total) };
                }
                continue;
            }
            if self.is_fresh {
                self.begin(codec, window, at).map_err(|fault| (total, fault))?;
            }
            let room = &mut out[total.written..];
            if room.is_empty() {
                return Ok(total);
            }
            let left = usize::try_from(frames.end(self.index) - self.at).unwrap_or(usize::MAX);
            let text = usize::try_from(frames.text_end(self.index) - at).unwrap_or(usize::MAX);
            let part = &rest[..rest.len().min(left)];
            // If there is more text than the table says, it goes to a byte that nobody reads.
            let mut surplus = [0];
            let room = match text {
                0 => &mut surplus[..],
                text => {
                    let most = room.len().min(text);
                    &mut room[..most]
                }
            };
            let (step, is_end) = match codec.step(part, room) {
                Ok(done) => done,
                Err(Failed { step, why }) => {
                    total.consumed += step.consumed;
                    total.written += if text > 0 { step.written } else { 0 };
                    let at = offset + total.written as u64;
                    return Err((total, self.fault(window, why, at)));
                }
            };
            self.at += step.consumed as u64;
            total.consumed += step.consumed;
            if text == 0 && step.written > 0 {
                return Err((total, self.other_text(at, "more")));
            }
            total.written += step.written;
            let at = offset + total.written as u64;
            let (left, text) = (left - step.consumed, text - step.written);
            let has_moved = step.consumed > 0 || step.written > 0;
            let is_over = left == 0 && text == 0 && !has_moved;
            if is_end || (is_over && compression == Compression::Xz) {
                if left > 0 && !is_over {
                    // Another member of the same piece.
                    codec.restart(window);
                } else if text > 0 {
                    return Err((total, self.other_text(at, "less")));
                } else {
                    self.end(codec, window, at, is_end).map_err(|fault| (total, fault))?;
                }
                continue;
            }
            if has_moved {
                continue;
            }
            if left > 0 && part.is_empty() && !ended {
                return Ok(total);
            }
            return Err((total, self.stuck(window, at, left, part)));
        }
    }

    /// Prepares the decoder for the piece.
    fn begin(&mut self, codec: &mut Codec, window: u64, at: u64) -> Result<(), Fault> {
        let head = self.frames.head(self.index);
        if head == Some(&UNKNOWN) {
            let reason = format!("this part of the table ends at {at}");
            return Err(Fault::malformed(at, reason));
        }
        codec.restart(window);
        if let Some(head) = head {
            let passed = pass(codec, head);
            passed.map_err(|failed| self.fault(window, failed.why, at))?;
        }
        self.is_fresh = false;
        Ok(())
    }

    /// Goes on to the next piece, whether the decoder has come to the end of this one or not.
    fn end(&mut self, codec: &mut Codec, window: u64, at: u64, is_end: bool) -> Result<(), Fault> {
        if !is_end {
            let ended = self.end_block(codec);
            ended.map_err(|failed| self.fault(window, failed.why, at))?;
        }
        self.index += 1;
        self.is_fresh = true;
        Ok(())
    }

    /// Why the decoder has taken nothing, and made nothing, of a part of a piece.
    fn stuck(&self, window: u64, at: u64, left: usize, part: &[u8]) -> Fault {
        if left == 0 {
            self.other_end(at)
        } else if part.is_empty() {
            cut(self.frames.compression, at)
        } else {
            let why = Why::Damaged("it makes no sense to the decoder".to_owned());
            self.fault(window, why, at)
        }
    }

    fn fault(&self, window: u64, why: Why, at: u64) -> Fault {
        fault_of(self.frames.compression, window, why, at)
    }

    /// Ends the stream that was made of a block of xz.
    fn end_block(&self, codec: &mut Codec) -> Result<(), Failed> {
        let Some(head) = self.frames.head(self.index) else { return Ok(()) };
        let piece = &self.frames.pieces[self.index];
        let text = self.frames.text_end(self.index) - piece.text;
        if pass(codec, &xz::end_of(head, piece.size, text))? {
            return Ok(());
        }
        let why = Why::Damaged("a block has no end".to_owned());
        Err(Failed { step: Step::default(), why })
    }

    fn other_text(&self, at: u64, how: &str) -> Fault {
        let place = self.frames.pieces[self.index].at;
        self.contradicted(at, format!("at byte {place} of the file has {how} text than it says"))
    }

    fn other_end(&self, at: u64) -> Fault {
        let place = self.frames.pieces[self.index].at;
        self.contradicted(at, format!("at byte {place} of the file is longer than it says"))
    }

    fn contradicted(&self, at: u64, what: String) -> Fault {
        contradiction(self.frames.compression, at, format_args!("the piece {what}"))
    }
}

/// Has the decoder take bytes that make no text. True if its stream has ended.
pub(super) fn pass(codec: &mut Codec, mut bytes: &[u8]) -> Result<bool, Failed> {
    while !bytes.is_empty() {
        let (step, is_end) = codec.step(bytes, &mut [0])?;
        if is_end {
            return Ok(true);
        }
        if step.consumed == 0 || step.written > 0 {
            let why = Why::Damaged("it makes no sense to the decoder".to_owned());
            return Err(Failed { step: Step::default(), why });
        }
        bytes = &bytes[step.consumed..];
    }
    Ok(false)
}

pub(super) fn cut(compression: Compression, at: u64) -> Fault {
    Fault::truncated(at, format!("the {} data ends early", compression.name()))
}
