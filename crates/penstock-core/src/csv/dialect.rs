//! A dialect as the grammar needs it: what separates cells, and what ends a line.

use super::options::{NULL, Options, Terminator};
use super::rows::End;
use crate::repair::Repairs;

/// What ends a line. A line feed behind a carriage return belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// A line feed.
    Feeds,
    /// A carriage return.
    Returns,
    /// Either.
    Any,
}

/// A dialect, as the scan needs it.
#[derive(Clone, Debug)]
pub(super) struct Grammar {
    pub(super) delimiter: Box<[u8]>,
    pub(super) first: u8,
    pub(super) quote: Option<u8>,
    pub(super) escape: Option<u8>,
    pub(super) terminator: Option<Box<[u8]>>,
    /// What ends a line, if no text does. Nothing, until the first line has ended.
    lines: Option<Lines>,
    pub(super) trim: bool,
    pub(super) most: usize,
    /// Whether bytes that are no text follow the window: a carriage return at its end is not the
    /// first half of a pair.
    pub(super) bounded: bool,
    pub(super) repairs: Repairs,
}

impl Grammar {
    pub(super) fn new(options: &Options, most: usize) -> Self {
        Grammar {
            delimiter: options.delimiter.as_bytes().into(),
            first: options.delimiter.as_bytes().first().copied().unwrap_or(b','),
            quote: options.quote,
            escape: options.escape,
            terminator: match &options.terminator {
                Terminator::Exactly(text) => Some(text.as_bytes().into()),
                Terminator::AsFirst | Terminator::Any => None,
            },
            lines: (options.terminator == Terminator::Any).then_some(Lines::Any),
            trim: options.trim,
            most,
            bounded: false,
            repairs: options.repairs,
        }
    }

    /// The character that makes the next one text, if it is not the quote.
    pub(super) fn escape(&self) -> Option<u8> {
        self.escape
    }

    /// The character that makes the next one text.
    pub(super) fn escaping(&self) -> Option<u8> {
        self.escape.or(self.quote)
    }

    /// Whether a backslash escapes, as in the text files of databases.
    pub(super) fn has_null(&self) -> bool {
        self.escape == Some(NULL[0])
    }

    /// The longest row.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The end of a line that is skipped, whatever is in it.
    #[cold]
    pub(super) fn line(&self, text: &[u8], last: bool) -> Line {
        let (end, terminator): (Option<usize>, &[u8]) = match &self.terminator {
            Some(exactly) => (memchr::memmem::find(text, exactly), exactly),
            None if self.lines == Some(Lines::Feeds) => (memchr::memchr(b'\n', text), b"\n"),
            None => {
                let is = |byte: u8| byte == b'\r' || self.lines != Some(Lines::Returns);
                let end = memchr::memchr2_iter(b'\n', b'\r', text).find(|end| is(text[*end]));
                let is_cut = !last && !self.bounded && end.is_some_and(|end| text[end..] == *b"\r");
                let is_pair = end.is_some_and(|end| text[end..].starts_with(b"\r\n"));
                (end.filter(|_| !is_cut), if is_pair || is_cut { b"\r\n" } else { b"\n" })
            }
        };
        match end {
            Some(end) => Line::Ends(End { end, next: end + terminator.len() }),
            None if last => Line::Cut(text.len()),
            None => {
                // The terminator may have begun.
                let most = (terminator.len() - 1).min(text.len());
                let begun = (0..=most).rev().find(|begun| text.ends_with(&terminator[..*begun]));
                Line::Cut(text.len() - begun.unwrap_or(0))
            }
        }
    }

    /// Whether a line feed ends a line.
    #[inline(always)]
    pub(super) fn feeds(&self) -> bool {
        matches!(self.lines, Some(Lines::Feeds | Lines::Any))
    }

    /// Whether a carriage return alone ends a line.
    pub(super) fn returns(&self) -> bool {
        matches!(self.lines, Some(Lines::Returns | Lines::Any))
    }

    /// Whether it is known what ends a line.
    pub(super) fn is_settled(&self) -> bool {
        self.terminator.is_some() || self.lines.is_some()
    }

    /// The length of the end of a row that the bytes end with.
    pub(super) fn row_end(&self, bytes: &[u8]) -> Option<usize> {
        let is =
            |lines: Lines| self.lines.is_none_or(|known| known == lines || known == Lines::Any);
        match (&self.terminator, bytes) {
            (Some(exactly), _) => bytes.ends_with(exactly).then_some(exactly.len()),
            (None, [.., b'\r', b'\n']) => Some(2),
            (None, [.., b'\n']) if is(Lines::Feeds) => Some(1),
            (None, [.., b'\r']) if is(Lines::Returns) => Some(1),
            _ => None,
        }
    }

    /// The most bytes of the end of a row.
    pub(super) fn longest_end(&self) -> usize {
        self.terminator.as_ref().map_or(2, |exactly| exactly.len())
    }

    /// Whether a row ends at a stop.
    #[inline(always)]
    pub(super) fn terminator(&self, text: &[u8], at: usize, last: bool) -> Ends {
        if let Some(exactly) = &self.terminator {
            return begins_with(text, at, exactly, last);
        }
        let is =
            |lines: Lines| self.lines.is_none_or(|known| known == lines || known == Lines::Any);
        match text[at] {
            b'\n' if is(Lines::Feeds) => Ends::Yes(1),
            b'\r' => match text.get(at + 1) {
                Some(b'\n') => Ends::Yes(2),
                None if !last && !self.bounded => Ends::Cut,
                _ if is(Lines::Returns) => Ends::Yes(1),
                _ => Ends::No,
            },
            _ => Ends::No,
        }
    }

    /// Notes what ended a line: the first one decides.
    #[inline(always)]
    pub(super) fn line_ended(&mut self, text: &[u8]) {
        if self.lines.is_none() && self.terminator.is_none() && !text.is_empty() {
            let is_return = text == b"\r";
            self.lines = Some(if is_return { Lines::Returns } else { Lines::Feeds });
        }
    }
}

/// The end of a line that is skipped.
pub(super) enum Line {
    Ends(End),
    /// The line goes on behind the window. So many bytes of it are not needed.
    Cut(usize),
}

/// Whether something ends at a stop.
pub(super) enum Ends {
    /// Yes, and it is this long.
    Yes(usize),
    No,
    /// The window ends before that is known.
    Cut,
}

#[inline(always)]
pub(super) fn begins_with(text: &[u8], at: usize, wanted: &[u8], last: bool) -> Ends {
    let rest = &text[at..];
    if rest.starts_with(wanted) {
        Ends::Yes(wanted.len())
    } else if !last && rest.len() < wanted.len() && wanted.starts_with(rest) {
        Ends::Cut
    } else {
        Ends::No
    }
}
