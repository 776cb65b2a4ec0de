//! Positions for people: line, column and a piece of the text around a byte.
//!
//! Success pays for none of this. A stream keeps a [`Counter`] of the bytes that it has dropped,
//! which costs one pass at scanning speed. Line, column and excerpt are calculated only for an
//! error. A newline is `'\n'`, lines and columns start at 1, and a column is a code point, not a
//! byte and not a width on a screen.

use std::cell::Cell;

use memchr::memrchr;
use penstock_scan::{count_code_points, count_newlines};

/// Code points shown before the place, at most.
const BEFORE: usize = 60;
/// Code points shown after it, at most.
const AFTER: usize = 40;
/// The most bytes of a code point.
const WIDEST: usize = 4;

/// Bytes of dropped text that must be kept, so that an excerpt does not depend on how the input was
/// cut into windows.
pub const CONTEXT: usize = BEFORE * WIDEST;

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the decompressed source before it.
    pub offset: u64,
    /// The line, from 1.
    pub line: u64,
    /// The column in code points, from 1.
    pub column: u64,
    /// The text around it.
    pub excerpt: Excerpt,
}

/// A printable piece of one line: control characters are replaced by their symbols; bytes that are
/// not UTF-8, and characters that would reorder the text around them, by U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The piece. One character for each code point of the source.
    pub text: String,
    /// How many code points of `text` come before the place.
    pub caret: usize,
    /// True if the line continues to the left of the piece.
    pub cut_left: bool,
    /// True if the line is known to continue to the right of the piece.
    pub cut_right: bool,
}

/// The counts of a text up to some byte of it.
///
/// ```
/// # use penstock_core::position::Counter;
/// let mut counter = Counter::default();
/// counter.advance("one\ntwo: é".as_bytes());
/// assert_eq!((counter.line(), counter.column(), counter.bytes()), (2, 7, 11));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    newlines: u64,
    /// Code points that begin after the last newline.
    in_line: u64,
    bytes: u64,
}

impl Counter {
    /// A counter with all counts zero.
    #[must_use]
    pub const fn new() -> Self {
        Counter { newlines: 0, in_line: 0, bytes: 0 }
    }

    /// The counts before the first byte of a line whose position is known.
    #[must_use]
    pub const fn at_line(line: u64, offset: u64) -> Self {
        Counter { newlines: line.saturating_sub(1), in_line: 0, bytes: offset }
    }

    /// The counts before a byte whose position is known, if it need not be the first of its line.
    #[must_use]
    pub const fn at(line: u64, column: u64, offset: u64) -> Self {
        let (newlines, in_line) = (line.saturating_sub(1), column.saturating_sub(1));
        Counter { newlines, in_line, bytes: offset }
    }

    /// Counts the bytes that follow. They may be cut anywhere, even inside a character.
    pub fn advance(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        match memrchr(b'\n', bytes) {
            None => self.in_line += count_code_points(bytes) as u64,
            Some(last) => {
                self.newlines += count_newlines(&bytes[..=last]) as u64;
                self.in_line = count_code_points(&bytes[last + 1..]) as u64;
            }
        }
    }

    /// Counts a text that was counted elsewhere.
    pub fn follow(&mut self, text: &Counter) {
        self.in_line = text.in_line + if text.newlines == 0 { self.in_line } else { 0 };
        self.newlines += text.newlines;
        self.bytes += text.bytes;
    }

    /// Counts bytes that take no column: a byte order mark.
    pub fn skip(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// The line of the next byte, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.newlines + 1
    }

    /// The column of the next code point, from 1.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.in_line + 1
    }

    /// The number of bytes counted.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The counts up to the byte of a text whose position was asked for last. If bytes are asked for in the
/// order of the text, all of them together cost one pass.
#[derive(Debug, Default)]
pub(crate) struct Known(Cell<Option<Counter>>);

impl Known {
    /// Nothing is known.
    pub(crate) const fn new() -> Self {
        Known(Cell::new(None))
    }

    /// The counts up to `bytes[at]`. The bytes are at the offset `base`, and `start` counts up to there.
    pub(crate) fn count_to(
        &self,
        (base, start): (u64, impl FnOnce() -> Counter),
        bytes: &[u8],
        at: usize,
    ) -> Counter {
        let here = base..=base + at as u64;
        let known = self.0.get().filter(|known| here.contains(&known.bytes()));
        let mut counter = known.unwrap_or_else(start);
        let from = usize::try_from(counter.bytes() - base).unwrap_or(at);
        counter.advance(&bytes[from..at]);
        self.0.set(Some(counter));
        counter
    }
}

/// The place of the byte `offset` in a text, of which only `bytes` is in memory. They start at the
/// offset `base`, where `start` was counted, and follow `before`, the last bytes that were dropped.
/// If the whole document is at hand, `start` is zero, `before` is empty and `base` is 0.
///
/// An offset outside `bytes` counts as the nearer end.
#[must_use]
pub fn locate_in(start: &Counter, before: &[u8], bytes: &[u8], base: u64, offset: u64) -> Place {
    let at = usize::try_from(offset.saturating_sub(base)).unwrap_or(usize::MAX).min(bytes.len());
    let mut counter = *start;
    counter.advance(&bytes[..at]);
    Place {
        offset: base + at as u64,
        line: counter.line(),
        column: counter.column(),
        excerpt: excerpt(counter.in_line, before, bytes, at),
    }
}

/// The excerpt around `bytes[at]`, which has `in_line` code points before it in its line.
fn excerpt(in_line: u64, before: &[u8], bytes: &[u8], at: usize) -> Excerpt {
    let near = &bytes[at.saturating_sub(CONTEXT)..at];
    let far = &before[before.len() - before.len().min(CONTEXT - near.len())..];
    let mut left = [far, near].concat();
    if let Some(newline) = memrchr(b'\n', &left) {
        left.drain(..=newline);
    }
    let mut text: Vec<char> = Vec::with_capacity(BEFORE + AFTER);
    // If a character is cut, the left end starts with the rest of it. That is dropped again,
    // because it is further away than `BEFORE` code points.
    push_visible(&mut text, &left);
    text.drain(..text.len().saturating_sub(BEFORE));
    let caret = text.len();

    let right = &bytes[at..bytes.len().min(at + (AFTER + 1) * WIDEST)];
    let line = &right[..memchr::memchr(b'\n', right).unwrap_or(right.len())];
    let ends_here = line.len() < right.len();
    let line = match line {
        [line @ .., b'\r'] if ends_here => line,
        line => line,
    };
    push_visible(&mut text, if ends_here { line } else { whole_characters(line) });
    let cut_right = text.len() > caret + AFTER;
    text.truncate(caret + AFTER);

    Excerpt { text: text.into_iter().collect(), caret, cut_left: in_line > caret as u64, cut_right }
}

/// `bytes` without an incomplete character at their end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        // The bytes end where the character could still have been completed.
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => {
            // An earlier error hides the end: check the last character alone.
            let lead = bytes.iter().rev().take(WIDEST).position(|b| (*b as i8) >= -0x40);
            let Some(lead) = lead.map(|back| bytes.len() - 1 - back) else { return bytes };
            match std::str::from_utf8(&bytes[lead..]) {
                Err(error) if error.error_len().is_none() => &bytes[..lead],
                _ => bytes,
            }
        }
    }
}

/// Appends `bytes` as printable characters: one per code point, and one per byte, or run of bytes,
/// that is not UTF-8.
fn push_visible(text: &mut Vec<char>, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().chars().map(visible));
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// A visible substitute for `c` on a terminal, one column wide.
fn visible(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '\u{2421}',
        // The other controls, line separators, and characters that reorder or hide text.
        '\u{80}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// Line and column by walking the text.
    fn naive(text: &str, offset: usize) -> (u64, u64) {
        let (mut line, mut column) = (1, 1);
        for (at, c) in text.char_indices() {
            if at >= offset {
                break;
            }
            if c == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        (line, column)
    }

    fn whole(text: &[u8], offset: usize) -> Place {
        locate_in(&Counter::default(), b"", text, 0, offset as u64)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 200,
            rng_seed: RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// However a text is cut, each byte has the position that it has in the whole.
        #[test]
        fn windows_do_not_matter(
            text in "[a-zé漢𝄞\r\n]{0,40}[ab漢]{0,90}[a\n\t🦀]{0,60}",
            cuts in prop::collection::vec(0_usize..600, 0..6),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|c| *c <= bytes.len()).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let (mut counter, mut base) = (Counter::default(), 0);
            for cut in cuts {
                let before = &bytes[base.max(CONTEXT) - CONTEXT..base];
                for offset in base..=cut {
                    let place = locate_in(
                        &counter, before, &bytes[base..], base as u64, offset as u64,
                    );
                    prop_assert_eq!((place.line, place.column), naive(&text, offset));
                    prop_assert_eq!(place, whole(bytes, offset));
                }
                counter.advance(&bytes[base..cut]);
                base = cut;
            }
            prop_assert_eq!(counter.bytes(), bytes.len() as u64);
        }

        /// Whatever was asked for before, and whatever part of the text is at hand, the counts up to a byte
        /// are the same. In the order of the text, no byte is counted twice.
        #[test]
        fn what_is_known_does_not_matter(
            text in "[aé\n]{0,99}",
            asked in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..20),
        ) {
            let bytes = text.as_bytes();
            let counted = |to: usize| {
                let mut counter = Counter::at(7, 3, 10);
                counter.advance(&bytes[..to]);
                counter
            };
            let known = Known::new();
            for (base, at) in asked {
                let base = base.index(bytes.len() + 1);
                let at = at.index(bytes.len() - base + 1);
                let before = known.0.get().map(|before| before.bytes());
                let first = 10 + base as u64;
                let goes_on = before.is_some_and(|before| first <= before && before <= first + at as u64);
                let start = || {
                    assert!(!goes_on, "counted from the first byte again");
                    counted(base)
                };
                prop_assert_eq!(known.count_to((first, start), &bytes[base..], at), counted(base + at));
            }
        }

        /// A text may be counted in parts, each on its own.
        #[test]
        fn counts_follow_counts(one in "[aé\n]{0,9}", other in "[aé\n]{0,9}") {
            let (mut all, mut parts, mut part) = (Counter::new(), Counter::new(), Counter::new());
            all.advance((one.clone() + &other).as_bytes());
            parts.advance(one.as_bytes());
            part.advance(other.as_bytes());
            parts.follow(&part);
            prop_assert_eq!(all, parts);
        }

        /// For any bytes, an excerpt is one short line without control characters.
        #[test]
        fn any_bytes(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0_usize..500,
        ) {
            let excerpt = whole(&bytes, at).excerpt;
            let length = excerpt.text.chars().count();
            prop_assert!(excerpt.caret <= BEFORE && length - excerpt.caret <= AFTER);
            prop_assert!(!excerpt.text.chars().any(char::is_control));
        }
    }

    #[test]
    fn excerpts() {
        let place = whole(b"{\"a\": 1,\r\n \"b\":\tx\x1b[0m }\r\n]", 16);
        assert_eq!((place.line, place.column), (2, 7));
        assert_eq!(place.excerpt.text, " \"b\":␉x␛[0m }");
        assert_eq!(place.excerpt.caret, 6);
        assert!(!place.excerpt.cut_left && !place.excerpt.cut_right);

        let long = "漢".repeat(200);
        let place = whole(long.as_bytes(), 300);
        assert_eq!(place.column, 101);
        assert_eq!(place.excerpt.text, "漢".repeat(BEFORE + AFTER));
        assert_eq!(place.excerpt.caret, BEFORE);
        assert!(place.excerpt.cut_left && place.excerpt.cut_right);
    }

    #[test]
    fn excerpts_of_what_is_not_text() {
        assert_eq!(whole(b"ab\xffcd", 2).excerpt.text, "ab\u{fffd}cd");
        // An excerpt does not show a character that the window cuts, and does show one that the
        // line cuts.
        assert_eq!(whole(b"ab\xe6\xbc", 1).excerpt.text, "ab");
        assert_eq!(whole(b"\xffb\xe6\xbc", 1).excerpt.text, "\u{fffd}b");
        assert_eq!(whole(b"ab\xe6\xbc\n", 1).excerpt.text, "ab\u{fffd}");
        assert_eq!(whole("a\u{202e}b".as_bytes(), 0).excerpt.text, "a\u{fffd}b");
    }

    #[test]
    fn ends() {
        let empty = whole(b"", 0);
        assert_eq!((empty.offset, empty.line, empty.column), (0, 1, 1));
        assert_eq!(empty.excerpt, Excerpt::default());
        let beyond = whole(b"ab\n", 99);
        assert_eq!((beyond.offset, beyond.line, beyond.column), (3, 2, 1));
        // A lone carriage return is not a newline.
        assert_eq!(whole(b"a\rb", 2).line, 1);
    }
}
