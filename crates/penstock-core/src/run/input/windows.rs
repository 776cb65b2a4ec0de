//! Text in windows, from a source or from chunks that the caller pushes.

use std::sync::Arc;

use super::body::{Binary, Body, fill, gather};
use super::{Input, total_exceeded};
use crate::error::Fault;
use crate::position::{Counter, Place};
use crate::protocol::{InputView, RecordSource};
use crate::run::inbox::{Opened, Sealed, Unpacking};
use crate::source::{
    Compression, Detect, Encoding, Options, Source, SourceError, Window, is_binary,
};

/// The size from which on a binary file is read at positions, unless all of it becomes one value:
/// a smaller one is read faster as a whole.
const LARGE: u64 = 8 << 20;

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
    Records(Box<dyn RecordSource>),
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
    pub fn told(brings: Box<dyn RecordSource>) -> Self {
        Windows::over(Window::new(), Feed::Records(brings))
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
    /// have [some bytes](crate::position::CONTEXT) more, for excerpts.
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
            Feed::Records(brings) => *ended = !brings.bring().map_err(SourceError::Io)?,
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
            Feed::Sealed(_) | Feed::Records(_) => Some(0),
            Feed::Closed => None,
        }
    }
}

impl Input for Windows {
    const DROPS: bool = true;

    #[inline(always)]
    fn given(&self) -> InputView<'_> {
        match &self.body {
            Body::Bytes(bytes) if self.ended => InputView::Bytes(bytes),
            Body::Binary(binary) => binary.given(),
            Body::Text | Body::Unknown(_) | Body::Bytes(_) => {
                let text = self.window.text();
                if let Some(end) = self.part {
                    let length = end.saturating_sub(self.window.base());
                    let length = usize::try_from(length).unwrap_or(usize::MAX);
                    let text = text.slice(0..length.min(text.as_bytes().len()));
                    return InputView::Text { text, last: self.part_ended };
                }
                let last = self.ended && self.window.finish_fault().is_none();
                InputView::Text { text, last }
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
            | Feed::Records(_)
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
