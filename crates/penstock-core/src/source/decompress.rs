//! Compressed data, recognised by its first bytes and never by a file's name.
//!
//! A decoder here is a plain function from bytes to bytes that holds its state, and never reads by
//! itself. So an error of the caller's own reader cannot be mistaken for damaged data, and the
//! reader may be asked again afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use penstock_scan::out_of_memory;

use super::frames::bzip2::within::Within;
use super::frames::pieced::Pieced;
use crate::error::{Fault, Kind};
use crate::limits::Limits;

/// How a source is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Found from its first bytes.
    #[default]
    Infer,
    /// Not compressed.
    None,
    /// gzip (BGZF too): all members, and zero bytes after any of them.
    Gzip,
    /// Zstandard: all frames.
    Zstd,
    /// bzip2: all streams.
    Bzip2,
    /// xz: all streams, with their padding.
    Xz,
}

impl Compression {
    /// Those that a file may have.
    pub const ALL: [Compression; 4] =
        [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

    /// The suffix of its files, with the dot: `".gz"`.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Compression::Infer | Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            Compression::Bzip2 => ".bz2",
            Compression::Xz => ".xz",
        }
    }

    /// The name, for messages and for options: `"gzip"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Compression::Infer => "infer",
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        }
    }

    /// True if a member of this compression can begin with the byte `first`.
    fn begins_with(self, first: u8) -> bool {
        match self {
            Compression::Infer | Compression::None => true,
            Compression::Gzip => first == 0x1f,
            Compression::Zstd => matches!(first, 0x28 | 0x50..=0x5f),
            Compression::Bzip2 => first == b'B',
            Compression::Xz => first == 0xfd,
        }
    }
}

/// The result of sniffing the first bytes of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sniff {
    /// Compressed in this way, or not at all.
    Is(Compression),
    /// A zip archive: not one document, and its directory is at its end.
    Zip,
    /// Too few bytes to decide.
    More,
}

/// Sniffs the first bytes of a source. It asks for more only while they are the beginning of a
/// known mark; ten bytes are always enough. A source with no more bytes than these is not
/// compressed.
///
/// ```
/// use penstock_core::source::{Compression, Sniff, sniff};
/// assert_eq!(sniff(b"\x1f\x8b"), Sniff::Is(Compression::Gzip));
/// assert_eq!(sniff(b"\x1f"), Sniff::More);
/// assert_eq!(sniff(b"{"), Sniff::Is(Compression::None));
/// ```
#[must_use]
pub fn sniff(prefix: &[u8]) -> Sniff {
    const MARKS: [(&[u8], Sniff); 6] = [
        (b"\x1f\x8b", Sniff::Is(Compression::Gzip)),
        (b"\x28\xb5\x2f\xfd", Sniff::Is(Compression::Zstd)),
        (b"\xfd7zXZ\0", Sniff::Is(Compression::Xz)),
        (b"PK\x03\x04", Sniff::Zip),
        // An archive without members.
        (b"PK\x05\x06", Sniff::Zip),
        (b"PK\x07\x08", Sniff::Zip),
    ];
    let mut open = false;
    for (mark, what) in MARKS {
        if prefix.starts_with(mark) {
            return what;
        }
        open |= mark.starts_with(prefix);
    }
    // A skippable frame; the seekable and the parallel kinds of zstd begin with one.
    let skippable = prefix.iter().zip([0x50, 0x2a, 0x4d, 0x18]).enumerate();
    if skippable.clone().all(|(i, (b, mark))| if i == 0 { b & 0xf0 == mark } else { *b == mark }) {
        if prefix.len() >= 4 {
            return Sniff::Is(Compression::Zstd);
        }
        open = true;
    }
    // "BZh" and a digit could be text, so look at the next bytes too: a block, or the end.
    let after = |mark: &[u8]| {
        let n = prefix.len().saturating_sub(4).min(mark.len());
        prefix.get(4..4 + n).unwrap_or_default() == &mark[..n]
    };
    let head = prefix.len().min(3);
    if prefix[..head] == b"BZh"[..head]
        && prefix.get(3).is_none_or(|level| matches!(level, b'1'..=b'9'))
        && (after(b"\x31\x41\x59\x26\x53\x59") || after(b"\x17\x72\x45\x38\x50\x90"))
    {
        if prefix.len() >= 10 {
            return Sniff::Is(Compression::Bzip2);
        }
        open = true;
    }
    if open { Sniff::More } else { Sniff::Is(Compression::None) }
}

/// The result of one step of a decoder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// Bytes taken from the input.
    pub(crate) consumed: usize,
    /// Bytes written to the output.
    pub(crate) written: usize,
}

/// Decodes a sequence of members (frames, streams) of one compression.
pub(crate) struct Decompressor {
    compression: Compression,
    codec: Codec,
    /// Between members: no byte of the next one has been seen.
    between: bool,
    /// Zero bytes since the last member.
    padding: u64,
    /// Bytes that a decoder may request as its window.
    window: u64,
    /// Goes by a table of pieces.
    pub(super) pieced: Option<Box<Pieced>>,
    /// Has begun inside of a stream of bzip2, which has not ended.
    pub(super) within: Option<Box<Within>>,
}

pub(super) enum Codec {
    Gzip(flate2::Decompress),
    Zstd(ZstdFrames),
    Bzip2(bzip2::Decompress),
    Xz(Box<lzma_rust2::XzStream>),
}

/// A zstd decoder that checks each frame against the size that it declares.
///
/// The library checks this only if it has all of a frame at once, or its last block is not empty.
pub(super) struct ZstdFrames {
    decoder: zstd::stream::raw::Decoder<'static>,
    /// The first bytes of the current frame, which hold its header.
    head: Vec<u8>,
    /// Bytes that the frame has produced.
    written: u64,
    /// The next bytes that the decoder can do anything with; see [`run`](Self::run).
    wanted: usize,
    /// The decoder may hold bytes for which there was no room.
    holds: bool,
}

/// The most bytes of the header of a frame.
const ZSTD_HEAD: usize = 18;

/// Enough to see how long the header of a frame is.
const ZSTD_START: usize = 5;

/// The decoder says how many bytes it would like to have: a block, and this header of the next one.
const ZSTD_BLOCK_HEAD: usize = 3;

impl ZstdFrames {
    /// One call of the decoder, for one block at most.
    ///
    /// If the decoder finds damage, it does not say what it has written by then. So it must not
    /// look at a block, or its header, in a call that also writes what came before. Otherwise the
    /// text before the damage would depend on the room that there was for it.
    fn run(
        &mut self,
        from: &mut zstd::stream::raw::InBuffer<'_>,
        to: &mut zstd::stream::raw::OutBuffer<'_, [u8]>,
    ) -> std::io::Result<usize> {
        use zstd::stream::raw::{InBuffer, Operation};
        let room = to.capacity();
        if self.holds {
            let hint = self.decoder.run(&mut InBuffer::around(&[]), to)?;
            self.holds = to.pos() == room;
            if to.pos() > 0 {
                return Ok(self.wants(hint));
            }
        }
        let mut part = InBuffer::around(&from.src[..from.src.len().min(self.wanted)]);
        let hint = self.decoder.run(&mut part, to)?;
        from.set_pos(part.pos());
        self.holds = to.pos() == room;
        Ok(self.wants(hint))
    }

    /// Notes how many bytes the decoder would like to have.
    fn wants(&mut self, hint: usize) -> usize {
        self.wanted = match hint {
            0 => ZSTD_START,
            hint => hint.checked_sub(ZSTD_BLOCK_HEAD).filter(|n| *n > 0).unwrap_or(hint),
        };
        hint
    }

    /// Counts a step; `ended` tells whether it ended the frame. False if the size of the frame
    /// differs from the one it declares.
    fn note(&mut self, consumed: &[u8], written: usize, ended: bool) -> bool {
        let head = consumed.len().min(ZSTD_HEAD - self.head.len());
        self.head.extend_from_slice(&consumed[..head]);
        self.written += written as u64;
        if !ended {
            return true;
        }
        let declared = zstd::zstd_safe::get_frame_content_size(&self.head);
        let holds = !matches!(declared, Ok(Some(size)) if size != self.written);
        self.head.clear();
        self.written = 0;
        holds
    }
}

/// The reason why a step failed, and how far it came.
pub(super) struct Failed {
    pub(super) step: Step,
    pub(super) why: Why,
}

pub(super) enum Why {
    Damaged(String),
    Window,
    Memory,
}

/// zstd's message about a frame whose window is larger than allowed.
const ZSTD_WINDOW: &str = "Frame requires too much memory for decoding";

/// zstd's message if there is no memory for the window.
const ZSTD_MEMORY: &str = "Allocation error : not enough memory";

/// The logarithms of a window that zstd accepts as its limit on every machine.
const ZSTD_WINDOW_LOG: (u32, u32) = (10, 30);

impl Decompressor {
    /// A decoder of `compression`, if it is one.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new(compression: Compression, limits: &Limits) -> std::io::Result<Option<Self>> {
        let window = limits.window;
        let Some(codec) = Codec::new(compression, window)? else { return Ok(None) };
        let (between, padding, pieced, within) = (false, 0, None, None);
        Ok(Some(Decompressor { compression, codec, between, padding, window, pieced, within }))
    }

    /// Decodes from `input` to `out`, which is not empty, until one of them is used up. An empty
    /// `input` brings out the bytes that are still held back. If there are none at the end of a
    /// source, where nothing follows `input`, and there is no error, the data is complete.
    ///
    /// # Errors
    /// The fault, at the byte `offset + written`, with how far the step came.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        out: &mut [u8],
        offset: u64,
        last: bool,
    ) -> Result<Step, (Step, Fault)> {
        if let Some(pieced) = &mut self.pieced {
            return pieced.step(&mut self.codec, self.window, input, out, offset, last);
        }
        if let Some(within) = &mut self.within {
            let (step, is_end) =
                within.step(&mut self.codec, self.window, input, out, offset, last)?;
            if is_end {
                self.within = None;
                self.between = true;
            }
            return Ok(step);
        }
        let mut total = Step::default();
        loop {
            if self.between {
                let rest = &input[total.consumed..];
                let skip = match self.compression {
                    Compression::Gzip | Compression::Xz => {
                        rest.iter().position(|b| *b != 0).unwrap_or(rest.len())
                    }
                    _ => 0,
                };
                total.consumed += skip;
                self.padding += skip as u64;
                let ended = last && input.is_empty();
                let Some(first) = input.get(total.consumed) else {
                    return if ended { self.check_padding(total, offset) } else { Ok(total) };
                };
                self.check_padding(total, offset)?;
                if !self.compression.begins_with(*first) {
                    let name = self.compression.name();
                    let reason = format!("the {name} data is followed by something else");
                    return Err((total, Fault::malformed(offset + total.written as u64, reason)));
                }
                self.codec.restart(self.window);
                self.between = false;
                self.padding = 0;
            }
            let rest = &input[total.consumed..];
            let room = &mut out[total.written..];
            let had = (rest.len(), room.len());
            let (step, ended) = match self.codec.step(rest, room) {
                Ok(done) => done,
                Err(Failed { step, why }) => {
                    total.consumed += step.consumed;
                    total.written += step.written;
                    return Err((total, self.fault(why, offset + total.written as u64)));
                }
            };
            total.consumed += step.consumed;
            total.written += step.written;
            let at = offset + total.written as u64;
            if ended {
                self.between = true;
                continue;
            }
            if step.consumed == had.0 || step.written == had.1 {
                let nothing = total.consumed == 0 && total.written == 0;
                if nothing && last && input.is_empty() {
                    let reason = format!("the {} data ends early", self.compression.name());
                    return Err((total, Fault::truncated(at, reason)));
                }
                return Ok(total);
            }
            if step.consumed == 0 && step.written == 0 {
                let stuck = Why::Damaged("it makes no sense to the decoder".to_owned());
                return Err((total, self.fault(stuck, at)));
            }
        }
    }

    fn check_padding(&self, total: Step, offset: u64) -> Result<Step, (Step, Fault)> {
        if self.compression == Compression::Xz && !self.padding.is_multiple_of(4) {
            let why = Why::Damaged("its padding is not a multiple of four bytes".to_owned());
            return Err((total, self.fault(why, offset + total.written as u64)));
        }
        Ok(total)
    }

    fn fault(&self, why: Why, at: u64) -> Fault {
        fault_of(self.compression, self.window, why, at)
    }
}

/// The fault of a decoder, at the byte `at` of the text.
pub(super) fn fault_of(compression: Compression, window: u64, why: Why, at: u64) -> Fault {
    let name = compression.name();
    match why {
        Why::Damaged(what) => Fault::malformed(at, format!("the {name} data is damaged: {what}")),
        Why::Memory => {
            let reason = format!("out of memory: no room to decompress the {name} data");
            Fault::new(Kind::Memory, at, reason)
        }
        Why::Window => Fault::limit(
            at,
            format!(
                "the {name} data asks for a window of more than {window} bytes (limits.window)"
            ),
        ),
    }
}

impl Codec {
    pub(super) fn new(compression: Compression, window: u64) -> std::io::Result<Option<Self>> {
        Ok(Some(match compression {
            Compression::Infer | Compression::None => return Ok(None),
            Compression::Gzip => Codec::Gzip(made(|| flate2::Decompress::new_gzip(15))),
            Compression::Bzip2 => Codec::Bzip2(made(|| bzip2::Decompress::new(false))),
            Compression::Xz => Codec::Xz(new_xz(window)),
            Compression::Zstd => {
                let mut decoder = made(zstd::stream::raw::Decoder::new)?;
                let (least, most) = ZSTD_WINDOW_LOG;
                let log = window.max(1).ilog2().clamp(least, most);
                decoder.set_parameter(zstd::zstd_safe::DParameter::WindowLogMax(log))?;
                let head = Vec::with_capacity(ZSTD_HEAD);
                let (wanted, holds) = (ZSTD_START, false);
                Codec::Zstd(ZstdFrames { decoder, head, written: 0, wanted, holds })
            }
        }))
    }

    /// Prepares for another member.
    pub(super) fn restart(&mut self, window: u64) {
        match self {
            Codec::Gzip(decoder) => *decoder = made(|| flate2::Decompress::new_gzip(15)),
            Codec::Bzip2(decoder) => *decoder = made(|| bzip2::Decompress::new(false)),
            Codec::Xz(decoder) => *decoder = new_xz(window),
            // A zstd decoder begins a new frame by itself.
            Codec::Zstd(_) => {}
        }
    }

    /// One call of the decoder: how far it came, and whether a member ends there.
    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(Step, bool), Failed> {
        match self {
            Codec::Gzip(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let result = decoder.decompress(input, out, flate2::FlushDecompress::None);
                let step = since(before, (decoder.total_in(), decoder.total_out()));
                match result {
                    Ok(status) => Ok((step, status == flate2::Status::StreamEnd)),
                    Err(error) => {
                        let what = error.message().unwrap_or("invalid data").to_owned();
                        Err(Failed { step, why: Why::Damaged(what) })
                    }
                }
            }
            Codec::Zstd(frames) => {
                use zstd::stream::raw::{InBuffer, OutBuffer};
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(out);
                let result = frames.run(&mut from, &mut to);
                let step = Step { consumed: from.pos(), written: to.pos() };
                match result {
                    Ok(hint) => {
                        if frames.note(&input[..step.consumed], step.written, hint == 0) {
                            return Ok((step, hint == 0));
                        }
                        let what = "a frame has another size than it declares".to_owned();
                        Err(Failed { step, why: Why::Damaged(what) })
                    }
                    Err(error) => {
                        let what = error.to_string();
                        let why = match what.as_str() {
                            ZSTD_WINDOW => Why::Window,
                            ZSTD_MEMORY => Why::Memory,
                            _ => Why::Damaged(what),
                        };
                        Err(Failed { step, why })
                    }
                }
            }
            Codec::Bzip2(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let result = decoder.decompress(input, out);
                let step = since(before, (decoder.total_in(), decoder.total_out()));
                match result {
                    Ok(bzip2::Status::MemNeeded) => Err(Failed { step, why: Why::Memory }),
                    Ok(status) => Ok((step, status == bzip2::Status::StreamEnd)),
                    Err(error) => {
                        let what = error.to_string();
                        let what = what.strip_prefix("bzip2: ").unwrap_or(&what).to_owned();
                        Err(Failed { step, why: Why::Damaged(what) })
                    }
                }
            }
            Codec::Xz(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let result = decoder.process(input, out, lzma_rust2::Action::Run);
                let step = since(before, (decoder.total_in(), decoder.total_out()));
                match result {
                    Ok(done) => Ok((step, done.status == lzma_rust2::Status::StreamEnd)),
                    Err(error) => {
                        let why = match error.kind() {
                            // Both are this kind: that there is no memory, and that the data
                            // asks for more than the limit.
                            std::io::ErrorKind::OutOfMemory if is_lack(&error) => Why::Memory,
                            std::io::ErrorKind::OutOfMemory => Why::Window,
                            _ => Why::Damaged(error.to_string()),
                        };
                        Err(Failed { step, why })
                    }
                }
            }
        }
    }
}

/// Makes a decoder. Those of other crates panic if there is no memory for them: the only reason that
/// there is.
fn made<T>(make: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| out_of_memory())
}

/// Whether the xz decoder had no memory. Otherwise the data asks for more than its limit.
fn is_lack(error: &std::io::Error) -> bool {
    error.to_string().ends_with("too large")
}

/// What an xz decoder needs besides its dictionary, in KiB, by its own calculation.
const XZ_OVERHEAD: u64 = 40;

fn new_xz(window: u64) -> Box<lzma_rust2::XzStream> {
    // The largest number would mean no limit.
    let limit = u32::try_from(window / 1024 + XZ_OVERHEAD).unwrap_or(u32::MAX - 1);
    Box::new(lzma_rust2::XzStream::new_mem_limit(false, limit.min(u32::MAX - 1)))
}

/// The step from one pair of totals, in and out, to another.
fn since(before: (u64, u64), after: (u64, u64)) -> Step {
    Step { consumed: (after.0 - before.0) as usize, written: (after.1 - before.1) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sniffing() {
        let cases = [
            (&b"\x1f\x8b\x08"[..], Sniff::Is(Compression::Gzip)),
            (b"\x28\xb5\x2f\xfd", Sniff::Is(Compression::Zstd)),
            (b"\x5e\x2a\x4d\x18", Sniff::Is(Compression::Zstd)),
            (b"BZh91AY&SY", Sniff::Is(Compression::Bzip2)),
            (b"BZh1\x17\x72\x45\x38\x50\x90", Sniff::Is(Compression::Bzip2)),
            (b"\xfd7zXZ\0", Sniff::Is(Compression::Xz)),
            (b"PK\x03\x04", Sniff::Zip),
            (b"PK\x05\x06", Sniff::Zip),
        ];
        for (mark, what) in cases {
            assert_eq!(sniff(mark), what);
            // Each beginning needs more bytes, except that two bytes of gzip are enough.
            for n in 0..mark.len() {
                let answer = sniff(&mark[..n]);
                assert!(answer == Sniff::More || answer == what, "{mark:?} {n}");
            }
        }
        for plain in [
            &b"{"[..],
            b"[1",
            b"BZh0",
            b"BZh9 name",
            b"PK,name",
            b"\x1f\x8a",
            b"P*M.",
            b"\xef\xbb\xbf",
            b"(\xb5\x2f.",
        ] {
            assert_eq!(sniff(plain), Sniff::Is(Compression::None), "{plain:?}");
        }
    }
}
