//! The bytes that were read and are still needed.
//!
//! Readers work over a [`Window`]. It takes text in at its end, checks once that it is UTF-8, and
//! drops it at its front when the reader no longer needs it. It counts the dropped bytes, so that
//! any byte of the window still has its line and column in the whole.

use penstock_scan::{Rest, TextWindow, ValidText};

use crate::error::{Fault, Kind};
use crate::position::{CONTEXT, Counter, Known, Place, locate_in};
use crate::source::declaration::Judge;
use crate::source::encoding::{Encoding, Transcoder};
use crate::source::{CHUNK, Detect, Settled, Source, SourceError, again};

/// The size of the first fill: small, so that the first record comes at once.
const FIRST: usize = 64 << 10;
/// The size that a window holds from then on, unless a token is longer.
const STEADY: usize = 256 << 10;

/// A stretch of checked text from a source, or from chunks that a caller pushes.
///
/// An unfinished token stays, and the window doubles when it is full: `n` bytes cost O(n), however
/// small the pieces.
///
/// ```
/// use penstock_core::source::Window;
///
/// let mut window = Window::new();
/// window.push(b"[1,\n 2")?;
/// assert_eq!(window.text().as_str(), "[1,\n 2");
/// window.consume(5);
/// window.push(b"3]")?;
/// assert_eq!((window.base(), window.text().as_str()), (5, "23]"));
/// assert_eq!((window.locate(7).line, window.locate(7).column), (2, 4));
/// # Ok::<(), penstock_core::error::Fault>(())
/// ```
#[derive(Debug)]
pub struct Window {
    text: TextWindow,
    /// The bytes after the text.
    rest: Rest,
    /// The counts of all dropped bytes.
    counter: Counter,
    known: Known,
    /// The last dropped bytes, for excerpts.
    context: Vec<u8>,
    /// How many bytes the next fill should make the window hold.
    target: usize,
    start: Start,
    /// Converts the chunks to text, if they are in another encoding.
    transcoder: Option<Box<Transcoder>>,
    /// The fault that the transcoder found after the text.
    broken: Option<Fault>,
}

/// Whether the first bytes, which may declare the encoding, are decided on.
#[derive(Debug)]
enum Start {
    /// These pushed bytes are held back until the encoding is decided.
    Held {
        bytes: Vec<u8>,
        judge: Judge,
    },
    /// The document is in an encoding that is not supported, or not in the one that it declares.
    Refused(Fault),
    Settled,
}

/// The object identifier of signed data: PKCS #7 (RFC 2315), and CMS after it (RFC 5652).
const SIGNED: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";

/// The fault at bytes that are no UTF-8, from the offset `at`.
#[cold]
pub(crate) fn not_utf8(at: u64, bytes: &[u8]) -> Fault {
    // A sequence of ASN.1 begins with `0` and its length. Profiles of devices are signed so.
    let first = &bytes[..bytes.len().min(32)];
    if at == 1 && memchr::memmem::find(first, SIGNED).is_some() {
        let cure = "'openssl cms -verify -noverify -inform der -in FILE' writes its content";
        return Fault::malformed(0, format!("this is signed data: {cure}"));
    }
    let byte = bytes.first().copied().unwrap_or_default();
    Fault::malformed(at, format!("invalid UTF-8: byte 0x{byte:02x}"))
}

impl Default for Window {
    fn default() -> Self {
        Window::new()
    }
}

impl Window {
    /// An empty window, without memory. Chunks pushed to it are UTF-8.
    #[must_use]
    pub const fn new() -> Self {
        Window::detecting(Detect::Nothing, None)
    }

    /// An empty window for chunks whose encoding is found as by a [`Source`] with the same
    /// [`Options`](super::Options). Other encodings are converted to UTF-8, and offsets refer to
    /// the converted text.
    ///
    /// ```
    /// use penstock_core::source::{Detect, Window};
    ///
    /// let mut window = Window::detecting(Detect::Xml, None);
    /// window.push(b"<?xml version='1.0' encoding='latin-1'?><a>\xe9")?;
    /// assert!(window.text().as_str().ends_with("<a>é"));
    /// # Ok::<(), penstock_core::error::Fault>(())
    /// ```
    #[must_use]
    pub const fn detecting(detect: Detect, encoding: Option<Encoding>) -> Self {
        Window {
            text: TextWindow::new(),
            rest: Rest::Nothing,
            counter: Counter::new(),
            known: Known::new(),
            context: Vec::new(),
            target: 0,
            start: Start::Held { bytes: Vec::new(), judge: Judge::new(detect, encoding) },
            transcoder: None,
            broken: None,
        }
    }

    /// An empty window inside a document in UTF-8, at the position `counted`: the first byte is
    /// part of the text, and no encoding is looked for.
    #[must_use]
    pub fn resumed(counted: Counter) -> Self {
        let mut window = Window::new();
        (window.counter, window.start) = (counted, Start::Settled);
        window
    }

    /// RecordFeed a window without text which bytes come before it, for excerpts.
    pub fn recall(&mut self, before: &[u8]) {
        // The mark at the beginning of a source is no text.
        let is_all = self.base() == before.len() as u64;
        let behind_mark = before.strip_prefix(b"\xEF\xBB\xBF").filter(|_| is_all);
        let before = behind_mark.unwrap_or(before);
        remember(&mut self.context, before);
    }

    /// Passes over text that comes next and was read elsewhere: `counted` are the counts over it
    /// alone. The window must be empty.
    ///
    /// # Panics
    /// If there is text at hand.
    pub fn pass(&mut self, text: &[u8], counted: &Counter) {
        assert!(self.len() == 0, "text comes before what was read elsewhere");
        self.counter.follow(counted);
        remember(&mut self.context, text);
    }

    /// Reads more of `source`; false at its end. Call it when the reader can do nothing more with
    /// the present text.
    ///
    /// # Errors
    /// As [`Source::read`], and [`fault`](Self::fault) if there is one: nothing is read after bytes
    /// that are not text. After an error of the source's own reader, and after
    /// [`SourceError::Idle`], you may call it again.
    pub fn fill(&mut self, source: &mut Source) -> Result<bool, SourceError> {
        if let Some(fault) = self.fault() {
            return Err(fault.into());
        }
        let live = self.len();
        let room = self.next_target(live) - live;
        let at = self.end();
        let spare = self.text.spare(room).map_err(|_| out_of_memory(at, room))?;
        let n = source.read(spare)?;
        if let Start::Held { .. } = self.start {
            // The source has already checked the first bytes.
            self.start = Start::Settled;
            self.counter.skip(source.start());
        }
        self.text.commit(n);
        self.rest = self.text.advance_check();
        self.target = self.target.max(STEADY);
        Ok(n > 0)
    }

    /// Takes a chunk that the caller pushes. It drops a byte order mark at the very start. It may
    /// hold back the first bytes until it is clear whether they are a mark, or what the encoding
    /// is.
    ///
    /// # Errors
    /// The encoding is refused, as by [`Source::read`]; or there was a [`fault`](Self::fault)
    /// before. Bytes that are not text are not an error here, but the fault that comes after the
    /// text before them.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        let mut chunk = chunk;
        while let Start::Held { bytes, judge } = &mut self.start {
            if chunk.is_empty() {
                return Ok(());
            }
            // As long as a mark is possible, each byte may be the one that decides.
            let n = if bytes.len() < 4 { 1 } else { chunk.len().min(judge.most() - bytes.len()) };
            bytes.extend_from_slice(&chunk[..n]);
            chunk = &chunk[n..];
            self.judge(false)?;
        }
        self.append(chunk)
    }

    /// Ends the pushed input, and releases the bytes that [`push`](Self::push) holds back.
    /// [`finish_fault`](Self::finish_fault) reports a bad end of the text.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(&mut self) -> Result<(), Fault> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        self.judge(true)?;
        if self.transcoder.is_some() { self.transcode(&[]) } else { Ok(()) }
    }

    /// Checks the bytes that are held back, and takes them if they are text.
    fn judge(&mut self, ended: bool) -> Result<(), Fault> {
        let Start::Held { bytes, judge } = &mut self.start else { return Ok(()) };
        match judge.settle(bytes, ended) {
            Ok(None) => Ok(()),
            Err(fault) => {
                self.start = Start::Refused(again(&fault));
                Err(fault)
            }
            Ok(Some(Settled { encoding, mark })) => {
                let bytes = std::mem::take(bytes);
                self.start = Start::Settled;
                self.counter.skip(mark as u64);
                if !encoding.is_utf8() {
                    self.transcoder = Some(Box::new(Transcoder::new(encoding)));
                }
                self.append(&bytes[mark..])
            }
        }
    }

    fn append(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        if self.transcoder.is_some() {
            return chunk.chunks(CHUNK).try_for_each(|piece| self.transcode(piece));
        }
        if !chunk.is_empty() {
            let at = self.end();
            self.text.extend_from_slice(chunk).map_err(|_| out_of_memory(at, chunk.len()))?;
            self.rest = self.text.advance_check();
        }
        Ok(())
    }

    /// Takes a piece in another encoding; an empty one is the end. After bytes that are not text,
    /// nothing more is taken.
    fn transcode(&mut self, piece: &[u8]) -> Result<(), Fault> {
        let at = self.end();
        let Some(transcoder) = self.transcoder.as_mut().filter(|_| self.broken.is_none()) else {
            return Ok(());
        };
        self.broken = transcoder.push(piece).err();
        let ready = transcoder.ready();
        self.text.extend_from_slice(ready).map_err(|_| out_of_memory(at, ready.len()))?;
        self.rest = self.text.advance_check();
        Ok(())
    }

    /// The checked text. It may end anywhere between two characters.
    #[inline(always)]
    #[must_use]
    pub fn text(&self) -> ValidText<'_> {
        self.text.text()
    }

    /// The offset in the source of the text's first byte.
    #[inline]
    #[must_use]
    pub fn base(&self) -> u64 {
        self.counter.bytes()
    }

    /// The counts up to the text's first byte: use it to find the positions of many bytes in one
    /// pass.
    #[inline]
    #[must_use]
    pub fn counter(&self) -> &Counter {
        &self.counter
    }

    /// The fault right after the text, if the bytes there are not UTF-8. Report it only when the
    /// reader has read the text, so that errors come in document order.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        if let Start::Refused(fault) = &self.start {
            return Some(again(fault));
        }
        if let Some(fault) = &self.broken {
            return Some(again(fault));
        }
        let Rest::Invalid { .. } = self.rest else { return None };
        Some(not_utf8(self.text_end(), self.text.unchecked()))
    }

    /// Whether there may be text behind the fault.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.broken.is_none() && !matches!(self.start, Start::Refused(_))
    }

    /// The fault at the end of the text if the input ends here: it may end inside a character.
    #[must_use]
    pub fn finish_fault(&self) -> Option<Fault> {
        match self.rest {
            Rest::Incomplete => Some(Fault::truncated(
                self.text_end(),
                "invalid UTF-8: the input ends inside a character",
            )),
            _ => self.fault(),
        }
    }

    /// Drops the first `n` bytes of the text. This takes a pass over them, so call it once per
    /// window or record, not for each token.
    ///
    /// # Panics
    /// If the text is shorter, or a character would be cut.
    pub fn consume(&mut self, n: usize) {
        let dropped = &self.text.text().as_bytes()[..n];
        self.counter.advance(dropped);
        remember(&mut self.context, dropped);
        self.text.drop_front(n);
    }

    /// After a [`fault`](Self::fault): drops the text and as many of the invalid bytes after it as
    /// `pass` answers, so that the reader can continue after them. The window may then be filled
    /// again. This does not pass a fault of another encoding than UTF-8.
    pub fn pass_fault(&mut self, pass: &mut dyn FnMut(&[u8]) -> usize) {
        self.consume(self.text.text().as_bytes().len());
        let behind = self.text.unchecked();
        let passed = pass(behind).min(behind.len());
        self.counter.advance(&behind[..passed]);
        remember(&mut self.context, &behind[..passed]);
        self.text.drop_unchecked(passed);
        self.rest = self.text.advance_check();
    }

    /// The position of a byte of the window, by its offset in the source. A byte that was dropped,
    /// or has not arrived, counts as the nearer end of the window. Bytes in the order of the text cost one
    /// pass over it, however many there are.
    #[must_use]
    pub fn locate(&self, offset: u64) -> Place {
        let (text, base) = (self.text.text().as_bytes(), self.base());
        let at = usize::try_from(offset.saturating_sub(base)).unwrap_or(usize::MAX);
        // Join the text and the bytes after it only around the position.
        let from = at.min(text.len()).saturating_sub(CONTEXT);
        let to = text.len().min(from + 4 * CONTEXT);
        let behind = self.text.unchecked();
        let near = [&text[from..to], &behind[..behind.len().min(CONTEXT)]];
        let near = if to == text.len() { near.concat() } else { near[0].to_vec() };
        let counter = self.known.count_to((base, || self.counter), text, from);
        let before = if from == 0 { self.context.as_slice() } else { &[] };
        locate_in(&counter, before, &near, base + from as u64, offset)
    }

    /// The number of bytes in the window.
    fn len(&self) -> usize {
        self.text.text().as_bytes().len() + self.text.unchecked().len()
    }

    fn text_end(&self) -> u64 {
        self.base() + self.text.text().as_bytes().len() as u64
    }

    pub(crate) fn end(&self) -> u64 {
        self.base() + self.len() as u64
    }

    /// How many bytes to hold after the next fill, if `live` are there. The number doubles when
    /// hardly any room is left, and returns to the normal size when the long token has gone.
    fn next_target(&mut self, live: usize) -> usize {
        if self.target == 0 {
            self.target = FIRST;
        } else if live < STEADY / 2 {
            self.target = STEADY;
        }
        while self.target - self.target / 8 < live {
            self.target *= 2;
        }
        self.target
    }
}

/// Adds dropped bytes to the last ones.
fn remember(context: &mut Vec<u8>, dropped: &[u8]) {
    if dropped.len() >= CONTEXT {
        context.clear();
        context.extend_from_slice(&dropped[dropped.len() - CONTEXT..]);
        return;
    }
    // Trimmed only now and then: most calls append a few bytes.
    if context.len() > 4 * CONTEXT {
        context.drain(..context.len() - CONTEXT);
    }
    context.extend_from_slice(dropped);
}

#[cold]
pub(crate) fn out_of_memory(at: u64, room: usize) -> Fault {
    Fault::new(Kind::Memory, at, format!("out of memory: no room for {room} more bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::source::Options;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    fn kind_at(fault: Option<Fault>) -> Option<(Kind, u64)> {
        fault.map(|f| (f.kind(), f.offset()))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 200,
            rng_seed: RngSeed::Fixed(2),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// For any chunks and any drops, the text, base and positions are those of the whole.
        #[test]
        fn chunks_and_drops_do_not_matter(
            mark in any::<bool>(),
            text in "[a-z{}é漢𝄞\n]{0,300}",
            steps in prop::collection::vec((1_usize..50, 0_usize..60), 1..40),
        ) {
            let mut whole = if mark { "\u{feff}".to_owned() } else { String::new() };
            whole.push_str(&text);
            let head = whole.len() - text.len();
            let mut window = Window::new();
            let (mut fed, mut dropped) = (0, head);
            for (feed, drop) in steps {
                let to = whole.len().min(fed + feed);
                window.push(&whole.as_bytes()[fed..to]).unwrap();
                fed = to;
                if fed < 4 {
                    continue;
                }
                prop_assert_eq!(window.base(), dropped as u64);
                let here = window.text().as_str();
                prop_assert!(whole[dropped..].starts_with(here));
                prop_assert!(fed - dropped - here.len() < 4);
                for offset in (dropped..=dropped + here.len()).step_by(7) {
                    let place = window.locate(offset as u64);
                    let full = locate_in(
                        &Counter::default(), b"", text.as_bytes(), head as u64, offset as u64,
                    );
                    prop_assert_eq!((place.line, place.column), (full.line, full.column));
                    prop_assert_eq!(place.offset, full.offset);
                    let left = |place: &Place| -> String {
                        place.excerpt.text.chars().take(place.excerpt.caret).collect()
                    };
                    prop_assert_eq!(left(&place), left(&full));
                    prop_assert_eq!(place.excerpt.cut_left, full.excerpt.cut_left);
                }
                let mut drop = drop.min(here.len());
                while !here.is_char_boundary(drop) {
                    drop -= 1;
                }
                window.consume(drop);
                dropped += drop;
            }
        }
    }

    #[test]
    fn faults_come_behind_the_text() {
        let mut window = Window::new();
        window.push(b"[1, \"\xc3").unwrap();
        assert_eq!(window.text().as_str(), "[1, \"");
        assert!(window.fault().is_none());
        assert_eq!(kind_at(window.finish_fault()), Some((Kind::Truncated, 5)));
        window.consume(4);
        window.push(b"\x28]").unwrap();
        assert_eq!(window.text().as_str(), "\"");
        let fault = window.fault().unwrap();
        assert_eq!(fault.reason(), "invalid UTF-8: byte 0xc3");
        assert_eq!(kind_at(Some(fault)), Some((Kind::Malformed, 5)));
        assert_eq!(kind_at(window.push(b"x").err()), Some((Kind::Malformed, 5)));
        let place = window.locate(5);
        assert_eq!((place.column, place.excerpt.text.as_str()), (6, "[1, \"\u{fffd}(]"));

        let limits = Limits::default();
        let mut source = Source::open(Box::new(&b"ab\xffcd"[..]), Options::new(&limits));
        let mut window = Window::new();
        assert!(window.fill(&mut source).unwrap());
        assert_eq!(window.text().as_str(), "ab");
        let SourceError::Fault(fault) = window.fill(&mut source).unwrap_err() else { panic!() };
        assert_eq!(fault.offset(), 2);
    }

    #[test]
    fn the_last_of_the_passed_bytes_are_remembered() {
        let long = "x".repeat(3 * CONTEXT);
        let line = [b"\xff", long.as_bytes(), b"\n"].concat();
        let mut window = Window::new();
        window.push(b"one\n").unwrap();
        window.push(&line).unwrap();
        window.pass_fault(&mut |behind| behind.len());
        window.push(b"two").unwrap();
        let place = window.locate(line.len() as u64 + 6);
        assert_eq!((place.line, place.column), (3, 3));
        assert_eq!((place.excerpt.text.as_str(), place.excerpt.cut_left), ("two", false));
    }

    #[test]
    fn starts_in_any_pieces() {
        let starts: [(&[u8], Result<&str, &str>); 9] = [
            (b"\xef\xbb\xbf[1]", Ok("[1]")),
            (b"\xef\xbb\xbf", Ok("")),
            ("\u{feff}\u{feff}1".as_bytes(), Ok("\u{feff}1")),
            (b"1", Ok("1")),
            (b"", Ok("")),
            ("\u{f000}".as_bytes(), Ok("\u{f000}")),
            (
                b"[\x001\0]\0",
                Err("this looks like UTF-16 (little endian); say encoding='utf-16-le'"),
            ),
            (
                b"\0\0\0[\0\0\0]",
                Err("this looks like UTF-32 (big endian); say encoding='utf-32-be'"),
            ),
            (
                b"\xff\xfe[\0",
                Err("this looks like UTF-16 (little endian); say encoding='utf-16-le'"),
            ),
        ];
        for (bytes, expected) in starts {
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let mut window = Window::new();
                    let done = [&bytes[..first], &bytes[first..second], &bytes[second..]]
                        .iter()
                        .try_for_each(|chunk| window.push(chunk))
                        .and_then(|()| window.finish());
                    match (done, expected) {
                        (Ok(()), Ok(text)) => {
                            assert_eq!(window.text().as_str(), text);
                            assert_eq!(window.base(), (bytes.len() - text.len()) as u64);
                        }
                        (Err(fault), Err(reason)) => {
                            assert_eq!(fault.reason(), reason);
                            assert!(window.push(b"more").is_err(), "it stays so");
                        }
                        other => panic!("{bytes:?} {first} {second}: {other:?}"),
                    }
                }
            }
        }
    }

    /// Gives at most `most` bytes at a time.
    struct Slow(std::io::Cursor<Vec<u8>>, usize);

    impl std::io::Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = out.len().min(self.1);
            std::io::Read::read(&mut self.0, &mut out[..n])
        }
    }

    #[test]
    fn memory_follows_the_longest_token() {
        let limits = Limits::default();
        for (most, token) in [(100, 40), (7_000, 3_000), (1 << 20, 900), (1 << 20, 1_500_000)] {
            let text = "x".repeat(4 << 20).into_bytes();
            let mut source = Source::open(
                Box::new(Slow(std::io::Cursor::new(text), most)),
                Options::new(&limits),
            );
            let mut window = Window::new();
            let mut peak = 0;
            while window.fill(&mut source).unwrap() {
                peak = peak.max(window.target);
                let whole = window.len() / token * token;
                window.consume(whole);
            }
            assert_eq!(window.end(), 4 << 20);
            assert!(peak <= (2 * token).next_power_of_two().max(512 << 10), "{token}: {peak}");
        }
    }

    /// The window moves bytes when its memory grows, or when it drops those before them. Over many
    /// small pushes that must be at most a few times as many bytes as were pushed.
    #[test]
    fn one_byte_pushes_are_linear() {
        const PUSHES: usize = 100_000;
        for every in [usize::MAX, 1_000] {
            let mut window = Window::new();
            window.push(b"[\"").unwrap();
            let mut moved = 0;
            for pushed in 1..=PUSHES {
                let first = window.text().as_bytes().as_ptr();
                let memory = window.text.memory();
                window.push(b"x").unwrap();
                if window.text.memory() != memory || window.text().as_bytes().as_ptr() != first {
                    moved += window.len();
                }
                if pushed % every == 0 {
                    window.consume(window.len());
                }
            }
            assert_eq!(window.end() as usize, PUSHES + 2);
            assert!(moved <= 4 * PUSHES, "{every}: {moved}");
        }
    }
}
