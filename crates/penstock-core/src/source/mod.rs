//! Reads bytes, decompresses them, converts them to UTF-8, and counts them.
//!
//! Every reader of a stream uses a [`Source`]. It looks at the first bytes to find their
//! compression, and enforces the limits on the output. It distinguishes three kinds of errors: the
//! caller's own reader raised one, the data is damaged or cut, or a limit is exceeded. The
//! [`Window`] receives the text.

use penstock_scan::make_room;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use crate::error::Fault;
use crate::limits::Limits;

mod ahead;
mod blank;
mod declaration;
mod decompress;
pub mod encoding;
mod frames;
mod free;
mod read_at;
mod single;
mod stream;
mod window;

pub(crate) use blank::Blank;
pub use blank::is_blank;
pub use declaration::{DECLARATION, Detect, Settled, is_binary, xml_encoding};
pub use decompress::{Compression, Sniff, sniff};
pub use encoding::Encoding;
pub use frames::{Frames, Piece, Whole};
pub use free::Free;
pub use read_at::ReadAt;
pub use window::Window;
pub(crate) use window::{not_utf8, out_of_memory};

use ahead::Feed;
use declaration::Judge;
use encoding::Transcoder;
use stream::Stream;

/// Bytes requested from the reader at a time, if its output must be decoded.
const CHUNK: usize = 64 << 10;

/// How to read a source.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How it is compressed.
    pub compression: Compression,
    /// The encoding of its text. Without one it is UTF-8 or binary, and refused if it is plainly
    /// something else.
    pub encoding: Option<Encoding>,
    /// Whether the document itself declares its encoding, which then takes precedence over
    /// `encoding`.
    pub detect: Detect,
    /// The limits on the output.
    pub limits: &'a Limits,
    /// How many bytes the underlying reader will give, if that is known.
    pub total_hint: Option<u64>,
}

impl<'a> Options<'a> {
    /// All inferred, within these limits.
    #[must_use]
    pub fn new(limits: &'a Limits) -> Self {
        Options {
            compression: Compression::Infer,
            encoding: None,
            detect: Detect::Nothing,
            limits,
            total_hint: None,
        }
    }
}

/// What a reader puts into an [`io::Error`] if it knows that bytes are missing at its end, as in a
/// response that is shorter than it says. The source makes a [`Fault`] of it. It is a clause, as in
/// [`Fault::new`].
#[derive(Debug)]
pub struct EndsEarly(pub String);

impl fmt::Display for EndsEarly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EndsEarly {}

/// The reason why a source gives no bytes.
#[derive(Debug)]
pub enum SourceError {
    /// The error of the underlying reader, unchanged.
    Io(io::Error),
    /// The data is damaged, cut or over a limit.
    Fault(Fault),
    /// Nothing came yet, although something was read. Ask again, but see first whether somebody
    /// wants to interrupt: the source may go on like this for ever.
    Idle,
}

impl From<Fault> for SourceError {
    fn from(fault: Fault) -> Self {
        SourceError::Fault(fault)
    }
}

impl From<io::Error> for SourceError {
    /// A reader that has nothing yet, and may be asked again, says so by the kind alone.
    fn from(error: io::Error) -> Self {
        let bare = error.get_ref().is_none() && error.raw_os_error().is_none();
        if bare && error.kind() == io::ErrorKind::WouldBlock {
            return SourceError::Idle;
        }
        SourceError::Io(error)
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Io(error) => error.fmt(f),
            SourceError::Fault(fault) => fault.fmt(f),
            SourceError::Idle => f.write_str("nothing came yet"),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SourceError::Io(error) => Some(error),
            SourceError::Fault(fault) => Some(fault),
            SourceError::Idle => None,
        }
    }
}

/// A stream of text, or of binary data, from any reader.
///
/// ```
/// use penstock_core::limits::Limits;
/// use penstock_core::source::{Options, Source};
///
/// let limits = Limits::default();
/// let mut source = Source::open(Box::new(&b"\xef\xbb\xbf[1]"[..]), Options::new(&limits));
/// let mut out = [0; 64];
/// assert_eq!(source.read(&mut out)?, 3);
/// assert_eq!(&out[..3], b"[1]");
/// assert_eq!(source.read(&mut out)?, 0);
/// # Ok::<(), penstock_core::source::SourceError>(())
/// ```
pub struct Source {
    feed: Feed,
    text: Text,
    total: Option<u64>,
    /// Whether a binary property list may come, and whether one does.
    binary: Option<bool>,
    /// The same bytes, and how many there are, if they can be read at any position.
    positions: Option<(Arc<dyn ReadAt + Send + Sync>, u64)>,
    /// The text's fault, found after bytes that were delivered first: a source at fault stays so.
    fault: Option<Fault>,
}

/// The conversion of the source's bytes to text.
enum Text {
    /// The bytes seen so far do not determine the encoding.
    Opening {
        seen: Vec<u8>,
        judge: Judge,
    },
    /// UTF-8: `seen` from `at` on, and then the source's bytes unchanged. `skipped` bytes were a
    /// byte order mark.
    Plain {
        seen: Vec<u8>,
        at: usize,
        skipped: usize,
    },
    Transcoded {
        transcoder: Box<Transcoder>,
        piece: Vec<u8>,
    },
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("compression", &self.compression())
            .field("raw_bytes", &self.raw_bytes())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl Source {
    /// A source over `reader`. Nothing is read yet.
    #[must_use]
    pub fn open(reader: Box<dyn Read + Send>, options: Options<'_>) -> Self {
        Source::fed(Feed::here(Stream::over(reader, options.compression, options.limits)), options)
    }

    /// A source over a file that needs nobody else to be read. If it is compressed, and not small,
    /// a second thread reads and decompresses it while the caller works on the bytes. There is
    /// nothing else by which to tell the difference. The thread ends with the source.
    ///
    /// ```
    /// use penstock_core::limits::Limits;
    /// use penstock_core::source::{Options, Source};
    /// use std::sync::Arc;
    ///
    /// let limits = Limits::default();
    /// let mut source = Source::free(Arc::new(b"[1]".to_vec()), Options::new(&limits));
    /// let mut out = [0; 64];
    /// assert_eq!(source.read(&mut out)?, 3);
    /// # Ok::<(), penstock_core::source::SourceError>(())
    /// ```
    #[must_use]
    pub fn free(file: Arc<dyn Free>, options: Options<'_>) -> Self {
        Source::fed(Feed::free(file, &options), options)
    }

    fn fed(feed: Feed, options: Options<'_>) -> Self {
        let judge = Judge::new(options.detect, options.encoding);
        let text = Text::Opening { seen: Vec::new(), judge };
        Source {
            feed,
            text,
            total: options.total_hint,
            binary: (options.detect == Detect::Plist).then_some(false),
            positions: None,
            fault: None,
        }
    }

    /// The same source, whose `size` bytes `file` can read at any position, too.
    #[must_use]
    pub fn with_positions(mut self, file: Arc<dyn ReadAt + Send + Sync>, size: u64) -> Self {
        self.positions = Some((file, size));
        self
    }

    /// Whether the source is not text. Reads as many bytes as it takes to know that.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn is_binary(&mut self) -> Result<bool, SourceError> {
        if self.binary.is_none() {
            return Ok(false);
        }
        while let Text::Opening { .. } = self.text {
            self.read_opening()?;
        }
        Ok(self.binary == Some(true))
    }

    /// The bytes of the source at any position, and how many there are, if nothing has to be
    /// decompressed. Ask when the first bytes are known.
    pub fn take_positions(&mut self) -> Option<(Arc<dyn ReadAt + Send + Sync>, u64)> {
        self.feed.is_plain().then(|| self.positions.take()).flatten()
    }

    /// A source that begins inside a plain document in UTF-8: a byte range of a file. Its first
    /// bytes are not checked for an encoding or a compression.
    #[must_use]
    pub fn resume(reader: Box<dyn Read + Send>, limits: &Limits) -> Self {
        let options = Options { compression: Compression::None, ..Options::new(limits) };
        let mut source = Source::open(reader, options);
        source.text = Text::Plain { seen: Vec::new(), at: 0, skipped: 0 };
        source
    }

    /// The same source, which gives its decompressed bytes as they are: it neither looks for an
    /// encoding nor leaves a byte order mark out. Call it before the first read.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.text = Text::Plain { seen: Vec::new(), at: 0, skipped: 0 };
        self
    }

    /// A source that begins inside a compressed document in UTF-8, at the byte `offset` of its text.
    /// It decompresses from the start of the piece that has the byte, and reads on through all that
    /// follow. Limits, and the offsets of faults, are those of a source that began at the start;
    /// [`raw_bytes`](Self::raw_bytes) and [`bytes`](Self::bytes) count from there as well.
    ///
    /// # Errors
    /// The file cannot be read, contradicts the table, or has fewer bytes of text. There is no
    /// memory for the decoder.
    pub fn inside(
        frames: &Arc<Frames>,
        file: Box<dyn ReadAt + Send>,
        offset: u64,
        limits: &Limits,
    ) -> Result<Self, SourceError> {
        let (stream, to_pass) = Frames::stream(frames, file, offset, limits)?;
        let mut source = Source::fed(Feed::behind(stream, to_pass), Options::new(limits));
        source.text = Text::Plain { seen: Vec::new(), at: 0, skipped: 0 };
        Ok(source)
    }

    /// Once text has come: why a part of it cannot be read on its own, if that is so.
    #[must_use]
    pub fn why_whole(&self) -> Option<&'static str> {
        match &self.text {
            Text::Plain { .. } => None,
            _ => Some("its encoding is not UTF-8"),
        }
    }

    /// Bytes read from the underlying reader: the only honest measure of progress if the data is
    /// compressed.
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.feed.raw_bytes()
    }

    /// Decompressed bytes so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.feed.bytes()
    }

    /// How many bytes the underlying reader will give, if that is known.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// How the data is compressed: `Infer` until the first bytes are seen.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.feed.compression()
    }

    /// The offset of the first byte that [`read`](Self::read) gives: not 0 if the source has a
    /// UTF-8 byte order mark. It is known after the first read.
    #[must_use]
    pub fn start(&self) -> u64 {
        match self.text {
            Text::Plain { skipped, .. } => skipped as u64,
            Text::Opening { .. } | Text::Transcoded { .. } => 0,
        }
    }

    /// Reads some bytes into `out`: at least one, unless the source has ended or `out` is empty.
    ///
    /// # Errors
    /// An error of the underlying reader passes through unchanged, and the source may be asked
    /// again, as after [`SourceError::Idle`]. A fault is final: it comes after all bytes before it,
    /// and then on every call.
    pub fn read(&mut self, out: &mut [u8]) -> Result<usize, SourceError> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.text {
                Text::Plain { seen, at, .. } if *at < seen.len() => {
                    let n = (seen.len() - *at).min(out.len());
                    out[..n].copy_from_slice(&seen[*at..*at + n]);
                    *at += n;
                    if !self.feed.is_ready() || n == out.len() {
                        return Ok(n);
                    }
                    // Bytes that were read already cost nothing to add. A limit that they reach
                    // stays reached.
                    return Ok(n + self.read_bytes(&mut out[n..]).unwrap_or(0));
                }
                Text::Plain { .. } => return self.read_bytes(out),
                Text::Opening { .. } => self.read_opening()?,
                Text::Transcoded { transcoder, .. } => {
                    let n = transcoder.take(out);
                    if n > 0 || (transcoder.ended() && self.fault.is_none()) {
                        return Ok(n);
                    }
                    self.transcode()?;
                }
            }
        }
    }

    /// Looks at the first bytes, to find the encoding.
    fn read_opening(&mut self) -> Result<(), SourceError> {
        let Text::Opening { seen, judge } = &mut self.text else { return Ok(()) };
        let (mut seen, judge) = (std::mem::take(seen), *judge);
        let mut ended = false;
        let failed = loop {
            match judge.settle(&seen, ended) {
                Ok(None) => {}
                Ok(Some(settled)) => return self.settle(settled, seen),
                Err(fault) => break self.fail(fault),
            }
            let len = seen.len();
            make_room(&mut seen, judge.most().saturating_sub(len));
            seen.resize(judge.most(), 0);
            let read = self.read_bytes(&mut seen[len..]);
            seen.truncate(len + read.as_ref().map_or(0, |n| *n));
            match read {
                Ok(n) => ended = n == 0,
                // The fault stays, and comes after the bytes that were seen.
                Err(SourceError::Fault(_)) if len > 0 => ended = true,
                Err(error) => break error,
            }
        };
        self.text = Text::Opening { seen, judge };
        Err(failed)
    }

    /// The encoding is known, and the bytes seen belong to the text.
    fn settle(&mut self, settled: Settled, seen: Vec<u8>) -> Result<(), SourceError> {
        let Settled { encoding, mark } = settled;
        if let Some(binary) = &mut self.binary {
            *binary = is_binary(&seen) == Some(true);
        }
        if encoding.is_utf8() {
            self.text = Text::Plain { seen, at: mark, skipped: mark };
            return Ok(());
        }
        let mut transcoder = Box::new(Transcoder::new(encoding));
        let pushed = if seen.is_empty() { Ok(()) } else { transcoder.push(&seen) };
        self.text = Text::Transcoded { transcoder, piece: Vec::new() };
        // An earlier one lies further on.
        if let Err(fault) = pushed {
            self.fault = Some(fault);
        }
        Ok(())
    }

    /// Decodes one more piece. If it holds a fault, the fault waits until the text before it is
    /// taken.
    fn transcode(&mut self) -> Result<(), SourceError> {
        let Text::Transcoded { piece, .. } = &mut self.text else { return Ok(()) };
        let mut piece = std::mem::take(piece);
        let lacking = CHUNK.saturating_sub(piece.len());
        make_room(&mut piece, lacking);
        piece.resize(CHUNK, 0);
        let read = self.read_bytes(&mut piece);
        let Text::Transcoded { transcoder, piece: place } = &mut self.text else { return Ok(()) };
        let pushed = match &read {
            Ok(n) => transcoder.push(&piece[..*n]),
            Err(_) => Ok(()),
        };
        *place = piece;
        read?;
        if let Err(fault) = pushed {
            self.fault = Some(fault);
        }
        Ok(())
    }

    /// Reads decompressed bytes, within the limits.
    fn read_bytes(&mut self, out: &mut [u8]) -> Result<usize, SourceError> {
        match &self.fault {
            Some(fault) => Err(again(fault).into()),
            None => self.feed.read(out),
        }
    }

    /// Remembers a fault for all later reads.
    fn fail(&mut self, fault: Fault) -> SourceError {
        let error = again(&fault).into();
        self.fault = Some(fault);
        error
    }
}

/// The same fault once more.
#[cold]
fn again(fault: &Fault) -> Fault {
    Fault::new(fault.kind(), fault.offset(), fault.reason().to_owned())
}
