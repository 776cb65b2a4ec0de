//! The input of a run: text in windows, text in memory, bytes as a whole, or a file read at
//! positions.

use std::fmt;
use std::sync::Arc;

use penstock_scan::{BorrowedText, Rest, TextWindow};

use crate::error::Fault;
use crate::position::{CONTEXT, Counter, Known, Place, locate_in};
use crate::protocol::{Brings, Given};
use crate::run::inbox::{Opened, Sealed, Unpacking};
use crate::source::{
    Compression, Detect, Encoding, Options, ReadAt, Source, SourceError, Window, is_binary,
    out_of_memory,
};

/// Input for a run. If it is text, it knows the line and column of each byte at hand.
pub trait Input {
    /// Whether the input drops bytes that the reader no longer needs.
    const DROPS: bool;

    /// The input at hand.
    fn given(&self) -> Given<'_>;

    /// The offset of the first byte at hand.
    fn base(&self) -> u64;

    /// The offset after the last byte at hand.
    fn end(&self) -> u64;

    /// Drops the first `n` bytes at hand. Called only if the input [drops](Self::DROPS).
    fn consume(&mut self, n: usize);

    /// The fault directly after the text at hand. The run reports it when the reader has read the
    /// text, so that errors come in document order.
    fn fault(&self) -> Option<Fault>;

    /// Drops the text at hand, and as many of the non-text bytes after it as `pass` answers, so
    /// that the rest can be read.
    fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize);

    /// Whether there may be text behind the fault. There is none if nobody knows how to read the
    /// bytes.
    fn goes_on(&self) -> bool {
        true
    }

    /// The reason why the input takes no more bytes, if that is not its end. The run asks once.
    fn take_over(&mut self) -> Option<Fault> {
        None
    }

    /// The end of a part of the text, which is at hand as a whole now, if it is not the last part.
    fn part(&self) -> Option<u64> {
        None
    }

    /// From now on, the part counts as a text of its own, which ends there. False if it did before, or
    /// if its end has not come.
    fn end_part(&mut self) -> bool {
        false
    }

    /// The position of a byte at hand, if the input is text. For a byte that was dropped, or has
    /// not come yet, it is the nearer end of the input at hand.
    fn locate(&self, offset: u64) -> Option<Place>;

    /// The counts up to the first byte at hand.
    fn counted(&self) -> Counter;
}

/// The fault for more input than the limit allows.
#[must_use]
pub fn total_exceeded(total: u64) -> Fault {
    Fault::limit(total, format!("the input is longer than {total} bytes (limits.total)"))
}

/// Text in windows, from a source or from chunks that the caller pushes. If the source turns out to
/// be binary, it is gathered instead, or read at positions.
#[derive(Debug)]
pub struct Windows {
    window: Window,
    /// No more input will come.
    ended: bool,
    feed: Feed,
    body: Body,
    /// The size from which on a file that is binary is read at positions.
    large: u64,
    /// The end of the text to read, if the source does not end with it: some bytes may follow, for
    /// excerpts.
    part: Option<u64>,
    /// Whether that is an end as any other for the reader.
    part_ended: bool,
}

/// What a reader gets.
enum Body {
    /// The text of the window.
    Text,
    /// These first bytes do not say whether the source is binary.
    Unknown(Vec<u8>),
    /// Bytes, which the reader gets when all of them have come.
    Bytes(Vec<u8>),
    /// All bytes.
    Binary(Binary),
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Text => f.write_str("Text"),
            Body::Unknown(bytes) => f.debug_tuple("Unknown").field(&bytes.len()).finish(),
            Body::Bytes(bytes) => f.debug_tuple("Bytes").field(&bytes.len()).finish(),
            Body::Binary(binary) => binary.fmt(f),
        }
    }
}

/// A binary source, which any number of threads can read.
#[derive(Clone)]
pub enum Binary {
    /// Its bytes, in memory.
    Bytes(Arc<Vec<u8>>),
    /// A file of this size, read at positions.
    At(Arc<dyn ReadAt + Send + Sync>, u64),
}

impl Binary {
    /// What a reader gets.
    #[must_use]
    pub fn given(&self) -> Given<'_> {
        match self {
            Binary::Bytes(bytes) => Given::Bytes(bytes),
            Binary::At(file, size) => Given::At { file: &**file, size: *size },
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Binary::Bytes(bytes) => bytes.len() as u64,
            Binary::At(_, size) => *size,
        }
    }
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.given().fmt(f)
    }
}

/// The size from which on a binary file is read at positions, unless all of it becomes one value:
/// a smaller one is read faster as a whole.
const LARGE: u64 = 8 << 20;

/// How many bytes of a binary source are read at a time.
const PIECE: usize = 1 << 20;

/// The origin of a window's text.
#[derive(Debug)]
enum Feed {
    Source(Box<Source>),
    Pushed {
        /// How many bytes may be pushed.
        total: Option<u64>,
        pushed: u64,
        /// The fault for exceeding `total`, which comes after the bytes that are allowed.
        over: Option<Fault>,
    },
    /// As long as it is not known whether the pushed chunks are compressed.
    Sealed(Box<Sealed>),
    Unpacked {
        unpacking: Unpacking,
        pushed: u64,
    },
    /// Records that are no text, so the window stays empty.
    Told(Box<dyn Brings>),
    Closed,
}

impl Windows {
    /// Text from a source.
    #[must_use]
    pub fn of(source: Source) -> Self {
        let feed = Feed::Source(Box::new(source));
        Windows { body: Body::Unknown(Vec::new()), ..Windows::over(Window::new(), feed) }
    }

    /// Records that are no text.
    #[must_use]
    pub fn told(brings: Box<dyn Brings>) -> Self {
        Windows::over(Window::new(), Feed::Told(brings))
    }

    fn over(window: Window, feed: Feed) -> Self {
        let (part, part_ended) = (None, false);
        Windows { window, ended: false, feed, body: Body::Text, large: LARGE, part, part_ended }
    }

    /// The same input, which is gathered if it is binary, whatever its size: all of it becomes one
    /// value.
    #[must_use]
    pub fn gathered(mut self) -> Self {
        self.large = u64::MAX;
        self
    }

    /// Text from a source that begins inside a document, at the position `counted`: the byte range
    /// of a split. The source must have been [resumed](Source::resume).
    #[must_use]
    pub fn of_range(source: Source, counted: Counter) -> Self {
        let feed = Feed::Source(Box::new(source));
        Windows::over(Window::resumed(counted), feed)
    }

    /// The same input up to an offset where a record begins, which is not read. The source should
    /// have [some bytes](CONTEXT) more, for excerpts.
    #[must_use]
    pub fn up_to(mut self, end: u64) -> Self {
        self.part = Some(end);
        self
    }

    /// Where the part ends that is read, if it is said.
    #[must_use]
    pub fn ends_at(&self) -> Option<u64> {
        self.part
    }

    /// Text from chunks that the caller pushes: at most `total` bytes.
    #[must_use]
    pub fn pushed(detect: Detect, encoding: Option<Encoding>, total: Option<u64>) -> Self {
        let feed = Feed::Pushed { total, pushed: 0, over: None };
        let windows = Windows::over(Window::detecting(detect, encoding), feed);
        match detect {
            Detect::Plist => Windows { body: Body::Unknown(Vec::new()), ..windows },
            _ => windows,
        }
    }

    /// Text from chunks that the caller pushes, from the position `counted` inside a document on.
    #[must_use]
    pub fn pushed_from(counted: Counter) -> Self {
        let feed = Feed::Pushed { total: None, pushed: 0, over: None };
        Windows::over(Window::resumed(counted), feed)
    }

    /// Before the first chunk: the bytes before it, for excerpts.
    pub fn recall(&mut self, before: &[u8]) {
        self.window.recall(before);
    }

    /// Text from chunks that the caller pushes, which may be compressed. The driver brings them in
    /// by [`more`](Self::more) as long as it [holds](Self::holds_more) any.
    #[must_use]
    pub fn unpacked(options: Options<'_>) -> Self {
        let mut windows = Windows::pushed(options.detect, options.encoding, options.limits.total);
        if options.compression != Compression::None {
            windows.feed = Feed::Sealed(Box::new(Sealed::new(options)));
        }
        windows
    }

    /// Takes the source out, if it is one of text: from now on, its bytes are
    /// [pushed](Self::push), from the offset on that is returned with it.
    pub fn take_source(&mut self) -> Option<(Box<Source>, u64)> {
        if !matches!((&self.body, &self.feed), (Body::Text, Feed::Source(_))) || self.ended {
            return None;
        }
        let pushed = self.window.end();
        let instead = Feed::Pushed { total: None, pushed, over: None };
        match std::mem::replace(&mut self.feed, instead) {
            Feed::Source(source) => Some((source, pushed)),
            feed => {
                self.feed = feed;
                None
            }
        }
    }

    /// Once text has come from a source: why no part of it can be read on its own, if that is so.
    #[must_use]
    pub fn why_whole(&self) -> Option<&'static str> {
        match (&self.body, &self.feed) {
            (Body::Text, Feed::Source(source)) => source.why_whole(),
            _ => Some("it is no text"),
        }
    }

    /// If it is binary, and all of it is there: what others can read as well.
    pub fn binary(&mut self) -> Option<Binary> {
        if let Body::Bytes(bytes) = &mut self.body
            && self.ended
        {
            self.body = Body::Binary(Binary::Bytes(Arc::new(std::mem::take(bytes))));
        }
        match &self.body {
            Body::Binary(binary) => Some(binary.clone()),
            Body::Text | Body::Unknown(_) | Body::Bytes(_) => None,
        }
    }

    /// Once something has come from a source: whether it is binary and not compressed, so that any
    /// byte of it can be read without those before it.
    #[must_use]
    pub fn is_plain_binary(&self) -> bool {
        match (&self.body, &self.feed) {
            (Body::Binary(Binary::At(..)), _) => true,
            (Body::Bytes(_) | Body::Binary(_), Feed::Source(source)) => {
                source.compression() == Compression::None
            }
            _ => false,
        }
    }

    /// Passes over text that was read elsewhere, as [`Window::pass`].
    ///
    /// # Panics
    /// If there is text at hand.
    pub fn pass(&mut self, text: &[u8], counted: &Counter) {
        self.window.pass(text, counted);
    }

    /// Whether pushed chunks wait to be decompressed.
    #[must_use]
    pub fn holds_more(&self) -> bool {
        matches!(&self.feed, Feed::Unpacked { unpacking, .. } if !unpacking.waits && !self.ended)
    }

    /// Reads some more of the source into the window. It touches only the source and the window, so
    /// the driver may give up a lock that the destination needs.
    ///
    /// # Errors
    /// As [`Window::fill`].
    pub fn more(&mut self) -> Result<(), SourceError> {
        let Windows { window, ended, feed, body, large, .. } = self;
        if *ended && matches!(body, Body::Bytes(_) | Body::Binary(_)) {
            // The reader has halted, and nothing follows.
            return Ok(());
        }
        match feed {
            Feed::Source(source) => match fill(window, body, source, *large) {
                Ok(more) => *ended = !more,
                // The run stays dry, and the driver asks again.
                Err(SourceError::Idle) => {}
                Err(error) => return Err(error),
            },
            Feed::Unpacked { unpacking, .. } => {
                match fill(window, body, &mut unpacking.source, u64::MAX) {
                    Ok(more) => *ended = !more,
                    Err(SourceError::Idle) => unpacking.wait(),
                    Err(error) => return Err(error),
                }
            }
            Feed::Pushed { .. } | Feed::Sealed(_) => {}
            Feed::Told(brings) => *ended = !brings.bring().map_err(SourceError::Io)?,
            Feed::Closed => *ended = true,
        }
        Ok(())
    }

    /// Takes a chunk from the caller, as far as the limit allows.
    ///
    /// # Errors
    /// As [`Window::push`].
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let opened = match &mut self.feed {
            Feed::Sealed(sealed) => sealed.open(chunk, false),
            Feed::Unpacked { unpacking, pushed } => {
                *pushed += chunk.len() as u64;
                unpacking.push(chunk);
                return Ok(());
            }
            _ => return self.push_plain(chunk),
        };
        self.open(opened)
    }

    /// Goes on by what the first bytes are.
    fn open(&mut self, opened: Opened) -> Result<(), Fault> {
        match opened {
            Opened::Not => Ok(()),
            Opened::Packed { unpacking, pushed } => {
                self.feed = Feed::Unpacked { unpacking, pushed };
                Ok(())
            }
            Opened::Plain { bytes, total } => {
                self.feed = Feed::Pushed { total, pushed: 0, over: None };
                self.push_plain(&bytes)
            }
        }
    }

    fn push_plain(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let mut chunk = chunk;
        if let Feed::Pushed { total, pushed, over } = &mut self.feed {
            let room = total.map_or(u64::MAX, |total| total.saturating_sub(*pushed));
            let room = usize::try_from(room).unwrap_or(usize::MAX).min(chunk.len());
            if room < chunk.len() {
                *over = Some(total_exceeded(*pushed + room as u64));
            }
            *pushed += chunk.len() as u64;
            chunk = &chunk[..room];
        }
        match &mut self.body {
            Body::Text => self.window.push(chunk),
            Body::Bytes(bytes) => gather(bytes, chunk),
            Body::Unknown(first) => {
                gather(first, chunk)?;
                match is_binary(first) {
                    None => Ok(()),
                    Some(true) => {
                        self.body = Body::Bytes(std::mem::take(first));
                        Ok(())
                    }
                    Some(false) => self.push_text(),
                }
            }
            Body::Binary(_) => Ok(()),
        }
    }

    /// The first bytes are those of a text.
    fn push_text(&mut self) -> Result<(), Fault> {
        match std::mem::replace(&mut self.body, Body::Text) {
            Body::Unknown(first) => self.window.push(&first),
            body => {
                self.body = body;
                Ok(())
            }
        }
    }

    /// Declares that no more chunks will follow.
    ///
    /// # Errors
    /// As [`Window::finish`].
    pub fn push_end(&mut self) -> Result<(), Fault> {
        if let Feed::Sealed(sealed) = &mut self.feed {
            let opened = sealed.open(&[], true);
            self.open(opened)?;
        }
        if let Feed::Unpacked { unpacking, .. } = &mut self.feed {
            // The source tells when it has ended.
            unpacking.end();
            return Ok(());
        }
        self.push_text()?;
        self.ended = true;
        self.window.finish()
    }

    /// Drops the source.
    pub fn close(&mut self) {
        self.feed = Feed::Closed;
    }

    /// Bytes read from the source, before decompression, or pushed by the caller.
    #[must_use]
    pub fn raw_bytes(&self) -> Option<u64> {
        match &self.feed {
            Feed::Source(source) => Some(source.raw_bytes()),
            Feed::Pushed { pushed, .. } | Feed::Unpacked { pushed, .. } => Some(*pushed),
            Feed::Sealed(_) | Feed::Told(_) => Some(0),
            Feed::Closed => None,
        }
    }
}

impl Input for Windows {
    const DROPS: bool = true;

    #[inline(always)]
    fn given(&self) -> Given<'_> {
        match &self.body {
            Body::Bytes(bytes) if self.ended => Given::Bytes(bytes),
            Body::Binary(binary) => binary.given(),
            Body::Text | Body::Unknown(_) | Body::Bytes(_) => {
                let text = self.window.text();
                if let Some(end) = self.part {
                    let length = end.saturating_sub(self.window.base());
                    let length = usize::try_from(length).unwrap_or(usize::MAX);
                    let text = text.slice(0..length.min(text.as_bytes().len()));
                    return Given::Text { text, last: self.part_ended };
                }
                let last = self.ended && self.window.finish_fault().is_none();
                Given::Text { text, last }
            }
        }
    }
    #[inline(always)]
    fn base(&self) -> u64 {
        self.window.base()
    }
    fn part(&self) -> Option<u64> {
        let text = self.window.base() + self.window.text().as_bytes().len() as u64;
        self.part.filter(|end| text >= *end || self.ended)
    }
    fn end_part(&mut self) -> bool {
        let has_come = self.part.is_some_and(|end| self.end() >= end);
        has_come && !std::mem::replace(&mut self.part_ended, has_come)
    }
    fn end(&self) -> u64 {
        match &self.body {
            Body::Text | Body::Unknown(_) => {
                self.window.base() + self.window.text().as_bytes().len() as u64
            }
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Binary(binary) => binary.size(),
        }
    }
    fn consume(&mut self, n: usize) {
        self.window.consume(n);
    }
    fn fault(&self) -> Option<Fault> {
        let fault = if self.ended { self.window.finish_fault() } else { self.window.fault() };
        // What follows a part is not read.
        fault.filter(|fault| self.part.is_none_or(|end| fault.offset() < end))
    }
    fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize) {
        self.window.pass_fault(pass);
    }
    fn goes_on(&self) -> bool {
        self.window.goes_on()
    }
    fn take_over(&mut self) -> Option<Fault> {
        match &mut self.feed {
            Feed::Pushed { over, .. } => over.take(),
            Feed::Source(_)
            | Feed::Sealed(_)
            | Feed::Unpacked { .. }
            | Feed::Told(_)
            | Feed::Closed => None,
        }
    }
    fn locate(&self, offset: u64) -> Option<Place> {
        match &self.body {
            Body::Text | Body::Unknown(_) => Some(self.window.locate(offset)),
            Body::Bytes(_) | Body::Binary(_) => None,
        }
    }
    fn counted(&self) -> Counter {
        *self.window.counter()
    }
}

/// Reads some more of a source: into the window, or, if it is binary, into its bytes. False at its
/// end.
fn fill(
    window: &mut Window,
    body: &mut Body,
    source: &mut Source,
    large: u64,
) -> Result<bool, SourceError> {
    if let Body::Unknown(_) = body {
        *body = if !source.is_binary()? {
            Body::Text
        } else if let Some((file, size)) = source.take_positions().filter(|it| it.1 >= large) {
            Body::Binary(Binary::At(file, size))
        } else {
            Body::Bytes(Vec::new())
        };
    }
    match body {
        Body::Text | Body::Unknown(_) => window.fill(source),
        Body::Binary(_) => Ok(false),
        Body::Bytes(bytes) => {
            let len = bytes.len();
            // As a vector does: the cost of growing is that of the bytes.
            if bytes.capacity() - len < PIECE {
                let hint = source.total().and_then(|all| usize::try_from(all).ok()).unwrap_or(0);
                reserve(bytes, hint.saturating_sub(len).clamp(PIECE, PIECE << 4).max(len))?;
            }
            bytes.resize(len + PIECE, 0);
            let read = source.read(&mut bytes[len..]);
            bytes.truncate(len + read.as_ref().map_or(0, |n| *n));
            Ok(read? > 0)
        }
    }
}

fn gather(bytes: &mut Vec<u8>, chunk: &[u8]) -> Result<(), Fault> {
    if bytes.capacity() - bytes.len() < chunk.len() {
        reserve(bytes, chunk.len())?;
    }
    bytes.extend_from_slice(chunk);
    Ok(())
}

fn reserve(bytes: &mut Vec<u8>, more: usize) -> Result<(), Fault> {
    bytes.try_reserve(more).map_err(|_| out_of_memory(bytes.len() as u64, more))
}

/// Text in memory that cannot change. It is checked piece by piece in place, and never dropped.
#[derive(Debug)]
pub struct Lent<'a> {
    bytes: &'a [u8],
    /// The part from `from` on, as far as it is checked.
    text: BorrowedText<'a>,
    /// How many bytes at the beginning were skipped: those that are not text, and all before them.
    from: usize,
    rest: Rest,
    origin: Origin<'a>,
    /// Offsets count from the first byte of the text, and not from the beginning of its source.
    relative: bool,
    known: Known,
}

/// The position of a text within its source, if it is a part of one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The counts up to `before`, or up to the part if `before` is empty.
    pub counted: Counter,
    /// Text before the part. It is counted only if somebody asks for a position.
    pub before: &'a [u8],
    /// Text that is known to follow the part. Excerpts show it.
    pub behind: &'a [u8],
}

impl<'a> Lent<'a> {
    /// The text in `bytes`; nothing of it is checked yet.
    #[must_use]
    pub fn new(bytes: &'a [u8], origin: Origin<'a>) -> Self {
        Lent {
            bytes,
            text: BorrowedText::new(bytes),
            from: 0,
            rest: Rest::Nothing,
            origin,
            relative: false,
            known: Known::new(),
        }
    }

    /// The same, for destinations that use offsets as indexes into the text.
    #[must_use]
    pub fn relative(bytes: &'a [u8], origin: Origin<'a>) -> Self {
        Lent { relative: true, ..Lent::new(bytes, origin) }
    }

    /// Checks about `n` more bytes. It touches only the bytes.
    #[inline]
    pub fn more(&mut self, n: usize) {
        if !self.text.is_whole() {
            self.rest = self.text.advance_check(n);
        }
    }

    /// True if all bytes are checked and are text.
    #[inline]
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.text.is_whole()
    }

    /// The offset of the first byte in the source.
    fn start(&self) -> u64 {
        self.origin.counted.bytes() + self.origin.before.len() as u64
    }

    /// The counts up to a byte.
    fn count_to(&self, at: usize) -> Counter {
        let start = || {
            let mut counter = self.origin.counted;
            counter.advance(self.origin.before);
            counter
        };
        self.known.count_to((self.start(), start), self.bytes, at)
    }
}

impl Input for Lent<'_> {
    const DROPS: bool = false;

    #[inline(always)]
    fn given(&self) -> Given<'_> {
        Given::Text { text: self.text.text(), last: self.text.is_whole() }
    }
    #[inline(always)]
    fn base(&self) -> u64 {
        let start = if self.relative { 0 } else { self.start() };
        start + self.from as u64
    }
    fn end(&self) -> u64 {
        self.base() + self.text.text().as_bytes().len() as u64
    }
    fn consume(&mut self, _n: usize) {}
    #[inline]
    fn fault(&self) -> Option<Fault> {
        bad_text(self.rest, self.end(), &self.text.bytes()[self.text.text().as_bytes().len()..])
    }
    fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize) {
        let end = self.text.text().as_bytes().len();
        self.from += end + pass(&self.text.bytes()[end..]);
        self.text = BorrowedText::new(&self.bytes[self.from..]);
        self.rest = Rest::Nothing;
    }
    fn locate(&self, offset: u64) -> Option<Place> {
        let first = if self.relative { 0 } else { self.start() };
        let at = usize::try_from(offset.saturating_sub(first)).unwrap_or(usize::MAX);
        let at = at.min(self.bytes.len());
        let counter = self.count_to(at);
        let near = &self.bytes[at - at.min(CONTEXT)..at];
        let before = self.origin.before;
        let far = &before[before.len() - before.len().min(CONTEXT - near.len())..];
        // Only the bytes that an excerpt can show are copied together.
        let rest = &self.bytes[at..self.bytes.len().min(at + CONTEXT)];
        let behind = &self.origin.behind[..self.origin.behind.len().min(CONTEXT - rest.len())];
        let place = counter.bytes();
        Some(locate_in(&counter, &[far, near].concat(), &[rest, behind].concat(), place, place))
    }
    fn counted(&self) -> Counter {
        self.count_to(self.from)
    }
}

/// Text that is read and kept as a whole, to be accessed later.
#[derive(Debug)]
pub struct Kept {
    source: Box<Source>,
    window: TextWindow,
    rest: Rest,
    ended: bool,
}

impl Kept {
    /// A text of which nothing is read yet.
    #[must_use]
    pub fn of(source: Source) -> Self {
        let (window, rest) = (TextWindow::new(), Rest::Nothing);
        Kept { source: Box::new(source), window, rest, ended: false }
    }

    /// Reads about `n` more bytes. False if nothing came yet: see [`SourceError::Idle`].
    ///
    /// # Errors
    /// As [`Source::read`]; `None` if there is no memory for the bytes.
    pub fn more(&mut self, n: usize) -> Result<bool, Option<SourceError>> {
        let spare = self.window.spare(n).map_err(|_| None)?;
        let count = match self.source.read(spare) {
            Ok(count) => count,
            Err(SourceError::Idle) => return Ok(false),
            Err(error) => return Err(Some(error)),
        };
        self.window.commit(count);
        self.ended = count == 0;
        self.rest = self.window.advance_check();
        Ok(true)
    }

    /// How many bytes of text are at hand.
    #[must_use]
    pub fn len(&self) -> usize {
        self.window.text().as_bytes().len()
    }

    /// Whether no text is at hand.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text, and the offset of its first byte in the source.
    #[must_use]
    pub fn into_text(self) -> (TextWindow, u64) {
        let start = self.source.start();
        (self.window, start)
    }
}

/// Offsets count from the first byte of the text. Positions are those in the source.
impl Input for Kept {
    const DROPS: bool = false;

    fn given(&self) -> Given<'_> {
        let last = self.ended && self.rest == Rest::Nothing;
        Given::Text { text: self.window.text(), last }
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        (self.len() + self.window.unchecked().len()) as u64
    }
    fn consume(&mut self, _n: usize) {}
    fn fault(&self) -> Option<Fault> {
        let rest = match self.rest {
            Rest::Incomplete if !self.ended => Rest::Nothing,
            rest => rest,
        };
        bad_text(rest, self.len() as u64, self.window.unchecked())
    }
    fn pass_fault(&mut self, _pass: &mut dyn FnMut(&[u8]) -> usize) {
        // Kept documents have no framing, so the run reads nothing after a fault.
    }
    fn locate(&self, offset: u64) -> Option<Place> {
        let start = self.source.start();
        let (text, behind) = (self.window.text().as_bytes(), self.window.unchecked());
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        // Only the bytes that an excerpt can show are copied together.
        let from = at.saturating_sub(CONTEXT);
        let to = text.len().min(from + 4 * CONTEXT);
        let behind = if to == text.len() { &behind[..behind.len().min(CONTEXT)] } else { &[] };
        let mut counter = Counter::new();
        counter.skip(start);
        counter.advance(&text[..from]);
        let near = [&text[from..to], behind].concat();
        Some(locate_in(&counter, &[], &near, start + from as u64, start + offset))
    }
    fn counted(&self) -> Counter {
        let mut counter = Counter::new();
        counter.skip(self.source.start());
        counter
    }
}

/// The fault in the bytes after a text that ends at the offset `end`, if more input cannot change
/// it.
#[inline]
fn bad_text(rest: Rest, end: u64, behind: &[u8]) -> Option<Fault> {
    match rest {
        Rest::Nothing => None,
        Rest::Incomplete => {
            Some(Fault::truncated(end, "invalid UTF-8: the input ends inside a character"))
        }
        Rest::Invalid { .. } => {
            let byte = behind.first().copied().unwrap_or_default();
            Some(Fault::malformed(end, format!("invalid UTF-8: byte 0x{byte:02x}")))
        }
    }
}

/// All bytes of a source that is not text.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a>(pub &'a [u8]);

impl Input for Whole<'_> {
    const DROPS: bool = false;

    fn given(&self) -> Given<'_> {
        Given::Bytes(self.0)
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        self.0.len() as u64
    }
    fn consume(&mut self, _n: usize) {}
    fn fault(&self) -> Option<Fault> {
        None
    }
    fn pass_fault(&mut self, _pass: &mut dyn FnMut(&[u8]) -> usize) {}
    fn locate(&self, _offset: u64) -> Option<Place> {
        None
    }
    fn counted(&self) -> Counter {
        Counter::new()
    }
}

/// A source that is read at single positions: a binary format that ends with its table of contents
/// need not be read as a whole for one value.
#[derive(Debug)]
pub struct Positioned<F> {
    file: F,
    size: u64,
}

impl<F: ReadAt> Positioned<F> {
    /// A file of `size` bytes.
    pub fn new(file: F, size: u64) -> Self {
        Positioned { file, size }
    }
}

impl<F: ReadAt> Input for Positioned<F> {
    const DROPS: bool = false;

    fn given(&self) -> Given<'_> {
        Given::At { file: &self.file, size: self.size }
    }
    fn base(&self) -> u64 {
        0
    }
    fn end(&self) -> u64 {
        self.size
    }
    fn consume(&mut self, _n: usize) {}
    fn fault(&self) -> Option<Fault> {
        None
    }
    fn pass_fault(&mut self, _pass: &mut dyn FnMut(&[u8]) -> usize) {}
    fn locate(&self, _offset: u64) -> Option<Place> {
        None
    }
    fn counted(&self) -> Counter {
        Counter::new()
    }
}
