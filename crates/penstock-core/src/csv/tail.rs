//! Where the rows of a file end: is its last row whole?
//!
//! Rows are found by the stops of the grammar, as the reader finds them. But a row is not kept, so
//! it may have any length: the memory is constant. A fault within a row is text.

use std::sync::Arc;

use penstock_scan::{Isa, Job, Stops, dispatch, make_room};

use super::dialect::{Ends, Grammar, Line, begins_with};
use super::options::{Options, WrongDialect};
use super::rows::is_blank;
use super::stops::Found;

/// Where in a cell the scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Before its text: a quote would open it.
    Start,
    /// In text without quotes.
    Plain,
    /// Behind the quote that opens it.
    Quoted,
    /// Behind the quote that closes it.
    Behind,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It has just begun.
    New,
    Row,
    Comment,
}

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The offset behind the last row, blank line or comment that is whole.
    pub whole: u64,
    /// The offset behind the last byte.
    pub size: u64,
    /// The quote that is never closed, if the file ends within quotes.
    pub open: Option<u64>,
    /// Whether the last whole line ends with a carriage return alone.
    pub by_return: bool,
    /// How many rows there are before the last one, if that is not whole. The first row counts.
    pub rows: u64,
}

/// Finds how a file ends: takes all of it, in pieces.
///
/// ```
/// use penstock_core::csv::{Options, Tailing};
///
/// let mut tailing = Tailing::new(&Options::default())?;
/// tailing.take(b"a,b\n1,\"x\n");
/// tailing.take(b"y\"\n2,\"");
/// let tail = tailing.finish();
/// assert_eq!((tail.whole, tail.size, tail.open, tail.rows), (12, 15, Some(14), 2));
/// # Ok::<(), penstock_core::csv::WrongDialect>(())
/// ```
#[derive(Debug)]
pub struct Tailing {
    grammar: Grammar,
    delimiter: Box<[u8]>,
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<Box<[u8]>>,
    trim: bool,
    stops: Arc<Stops>,
    /// The last bytes, if it is not known yet what they mean, and what follows them.
    window: Vec<u8>,
    kind: Kind,
    within: Within,
    /// Whether there is a delimiter in the row.
    is_split: bool,
    /// Whether a row has one cell. None before the first row.
    is_single: Option<bool>,
    /// The offset of the last quote that opened a cell.
    quote_at: u64,
    /// `size` is that of the bytes that are done with.
    tail: Tail,
}

/// One window, compiled for each instruction set.
struct Run<'r, 't> {
    tailing: &'r mut Tailing,
    text: &'t [u8],
    last: bool,
}

impl Job for Run<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        self.tailing.scan(isa, self.text, self.last)
    }
}

impl Tailing {
    /// Nothing was taken yet. Lines are not skipped, and the header is a row.
    ///
    /// # Errors
    /// The dialect is not possible.
    pub fn new(options: &Options) -> Result<Self, WrongDialect> {
        Ok(Tailing {
            grammar: Grammar::new(options, usize::MAX),
            delimiter: options.delimiter.as_bytes().into(),
            quote: options.quote,
            escape: options.escape,
            comment: options.comment.as_ref().map(|comment| comment.as_bytes().into()),
            trim: options.trim,
            stops: Arc::new(options.stops()?),
            window: Vec::new(),
            kind: Kind::New,
            within: Within::Start,
            is_split: false,
            is_single: None,
            quote_at: 0,
            tail: Tail { whole: 0, size: 0, open: None, by_return: false, rows: 0 },
        })
    }

    /// The file's text begins at this offset, behind a byte order mark. Say so before anything is
    /// taken.
    pub fn begin_at(&mut self, start: u64) {
        (self.tail.whole, self.tail.size) = (start, start);
    }

    /// Takes the next bytes. They may be cut anywhere.
    pub fn take(&mut self, bytes: &[u8]) {
        if self.window.is_empty() {
            let taken = self.pass(bytes, false);
            self.keep(&bytes[taken..]);
            return;
        }
        // What is held back is shorter than the longest text of the dialect.
        self.keep(bytes);
        let window = std::mem::take(&mut self.window);
        let taken = self.pass(&window, false);
        self.window = window;
        self.window.drain(..taken);
    }

    /// How the file ends.
    #[must_use]
    pub fn finish(mut self) -> Tail {
        let window = std::mem::take(&mut self.window);
        self.pass(&window, true);
        if self.within == Within::Quoted {
            self.tail.open = Some(self.quote_at);
        }
        self.tail
    }

    fn keep(&mut self, bytes: &[u8]) {
        make_room(&mut self.window, bytes.len());
        self.window.extend_from_slice(bytes);
    }

    /// Scans a window. Returns how many bytes of it are done with.
    fn pass(&mut self, text: &[u8], last: bool) -> usize {
        let taken = dispatch(Run { tailing: self, text, last });
        self.tail.size += taken as u64;
        taken
    }

    #[inline(always)]
    fn scan<I: Isa>(&mut self, isa: I, text: &[u8], last: bool) -> usize {
        let stops = Arc::clone(&self.stops);
        let mut found = Found::new(isa, text, &stops, 0);
        // Everything before is scanned. The text of the cell begins at `cell`, or before the window.
        let (mut from, mut cell) = (0, 0);
        let mut ascii = true;
        loop {
            if self.kind != Kind::Row {
                match self.begin_row(text, from, last) {
                    Ok(begin) => (from, cell) = (begin, begin),
                    Err(taken) => return taken,
                }
                found.go_to(from);
            }
            let Some(stop) = found.next(from, from, &mut ascii) else {
                self.leave(&text[cell.min(text.len())..]);
                return text.len();
            };
            let byte = text[stop];
            from = stop + 1;
            let is_cut = from == text.len() && !last;
            if self.within == Within::Quoted {
                if Some(byte) == self.quote {
                    if self.escape.is_none() {
                        if text.get(from) == Some(&byte) {
                            from += 1;
                            continue;
                        }
                        if is_cut {
                            return stop;
                        }
                    }
                    self.within = Within::Behind;
                } else if Some(byte) == self.escape {
                    if is_cut {
                        return stop;
                    }
                    from += 1;
                }
                continue;
            }
            if byte == self.delimiter[0] {
                match begins_with(text, stop, &self.delimiter, last) {
                    Ends::Yes(length) => from = stop + length,
                    Ends::No => continue,
                    Ends::Cut => {
                        self.leave(&text[cell..stop]);
                        return stop;
                    }
                }
                (self.within, self.is_split, cell) = (Within::Start, true, from);
            } else if Some(byte) == self.quote {
                self.leave(&text[cell..stop]);
                if self.within == Within::Start {
                    self.within = Within::Quoted;
                    self.quote_at = self.tail.size + stop as u64;
                } else if self.within == Within::Plain {
                    // The text before it is not looked at again.
                    cell = from;
                }
            } else if Some(byte) == self.escape {
                if is_cut {
                    self.leave(&text[cell..stop]);
                    return stop;
                }
                if self.within == Within::Start {
                    self.within = Within::Plain;
                }
                from += 1;
            } else if byte != 0 {
                match self.grammar.terminator(text, stop, last) {
                    Ends::Yes(length) => {
                        self.leave(&text[cell..stop]);
                        from = stop + length;
                        self.end_row(&text[stop..from], from);
                    }
                    Ends::Cut => {
                        self.leave(&text[cell..stop]);
                        return stop;
                    }
                    Ends::No => {}
                }
            }
        }
    }

    /// Notes what the text of a cell is, as far as it is scanned.
    #[inline(always)]
    fn leave(&mut self, text: &[u8]) {
        if self.within == Within::Start && !(text.is_empty() || self.trim && is_blank(text)) {
            self.within = Within::Plain;
        }
    }

    /// A row begins, or a comment goes on: returns where the row begins. If that is not in the
    /// window, how many bytes are done with.
    #[inline(always)]
    fn begin_row(&mut self, text: &[u8], mut from: usize, last: bool) -> Result<usize, usize> {
        loop {
            if self.kind == Kind::New {
                let rest = &text[from..];
                if rest.is_empty() {
                    return Err(from);
                }
                match &self.comment {
                    Some(comment) if rest.starts_with(comment) => self.kind = Kind::Comment,
                    Some(comment) if !last && comment.starts_with(rest) => return Err(from),
                    _ => {
                        (self.kind, self.within, self.is_split) = (Kind::Row, Within::Start, false);
                        return Ok(from);
                    }
                }
            }
            match self.grammar.line(&text[from..], last) {
                Line::Ends(end) => {
                    let (end, next) = (from + end.end, from + end.next);
                    self.end_line(&text[end..next], next);
                    from = next;
                }
                Line::Cut(passed) => return Err(from + passed),
            }
        }
    }

    /// A row ends: `ending` is its end, and `next` is where the next one begins in the window.
    #[inline(always)]
    fn end_row(&mut self, ending: &[u8], next: usize) {
        let is_blank = self.within == Within::Start && !self.is_split;
        if !is_blank || self.is_single == Some(true) {
            self.is_single.get_or_insert(!self.is_split);
            self.tail.rows += 1;
        }
        self.end_line(ending, next);
    }

    #[inline(always)]
    fn end_line(&mut self, ending: &[u8], next: usize) {
        self.grammar.line_ended(ending);
        (self.kind, self.within) = (Kind::New, Within::Start);
        self.tail.whole = self.tail.size + next as u64;
        self.tail.by_return = ending == b"\r";
    }
}
