//! Where a text can be cut, so that a record probably begins there.

use memchr::{memchr, memmem, memrchr, memrchr_iter};

/// How records are told apart without reading them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Each line is a record, or none.
    Lines,
    /// Each line is a row, unless its end is within quotes, if there are any.
    Rows(Option<Quotes>),
    /// These bytes stand where a record begins.
    Mark {
        /// The last of what is before the record, and its first.
        bytes: Box<[u8]>,
        /// How many of them are before the record.
        before: usize,
    },
}

/// What is around cells, and between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotes {
    /// The quote.
    pub quote: u8,
    /// The last byte of what is before a cell, and the first one of what is behind it.
    pub between: (u8, u8),
}

/// How far to look back first for a quote that tells where cells begin and end.
const NEAR: usize = 64 << 10;

impl Quotes {
    /// Whether a quote begins a cell, and does not end one. None if the bytes beside it do not tell:
    /// in text without faults, a quote that has no other beside it does not stand within a cell.
    #[must_use]
    pub(crate) fn begins_cell(&self, bytes: &[u8], at: usize) -> Option<bool> {
        let (before, behind) = (*bytes.get(at.checked_sub(1)?)?, *bytes.get(at + 1)?);
        let (left, right) = self.between;
        let ends_line = |byte: u8| matches!(byte, b'\r' | b'\n');
        let opens = before == left || ends_line(before);
        let closes = behind == right || ends_line(behind);
        let is_alone = before != self.quote && behind != self.quote;
        (is_alone && opens != closes).then_some(opens)
    }

    /// Where the last row ends, as far as the quotes from a place on tell. None if they do not.
    fn last_end(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let feed = |from: usize, to: usize| memrchr(b'\n', &bytes[from..to]).map(|at| from + at);
        let last = feed(from, bytes.len())?;
        let quotes = || memrchr_iter(self.quote, &bytes[from..last]).map(|at| from + at);
        let mut is_inside = false;
        let mut is_told = true;
        for quote in quotes() {
            let begins = self.begins_cell(bytes, quote);
            is_inside ^= begins.unwrap_or(true);
            is_told = begins.is_some();
            if is_told {
                break;
            }
        }
        // The text begins outside of quotes. In its middle, that is not known.
        if !is_told && from > 0 {
            return None;
        }
        if !is_inside {
            return Some(last + 1);
        }
        let mut end = last;
        for quote in quotes() {
            if !is_inside && let Some(at) = feed(quote, end) {
                return Some(at + 1);
            }
            (is_inside, end) = (!is_inside, quote);
        }
        let at = if is_inside { None } else { feed(from, end) };
        at.map(|at| at + 1)
    }
}

/// The most bytes of a mark.
const LONGEST: usize = 512;

impl Boundary {
    /// Where maps begin as the one at this place in a JSON array: behind a comma, with the same white
    /// space, and with the same key.
    pub(super) fn as_in_list(text: &[u8], at: usize) -> Option<Boundary> {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let spaces = |bytes: &[u8]| bytes.iter().rev().take_while(is_space).count();
        let comma = at - spaces(text.get(..at)?);
        let before = text[..comma].strip_suffix(b",")?;
        // The byte that ends the record before it.
        let from = (before.len() - spaces(before)).checked_sub(1)?;
        let key = at + 1 + text.get(at + 1..)?.iter().take_while(is_space).count();
        let name = text.get(key..)?.strip_prefix(b"\"")?;
        let end = key + 2 + memchr(b'"', name)?;
        Boundary::at_mark(&text[from..end], at - from)
    }

    /// Where elements begin as the one at this place.
    pub(super) fn as_element(text: &[u8], at: usize) -> Option<Boundary> {
        let tag = text.get(at..)?;
        let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'>' | b'/');
        let end = tag.iter().take(LONGEST).position(ends)?;
        Boundary::at_mark(&tag[..=end], 0)
    }

    fn at_mark(mark: &[u8], before: usize) -> Option<Boundary> {
        (mark.len() <= LONGEST).then(|| Boundary::Mark { bytes: mark.into(), before })
    }

    /// The last place at which these bytes can be cut. They begin where a record does.
    ///
    /// ```
    /// use penstock_core::formats::{Boundary, Quotes};
    ///
    /// let rows = Boundary::Rows(Some(Quotes { quote: b'"', between: (b',', b',') }));
    /// assert_eq!(rows.last(b"1,a\n2,\"b\nc\"\n3,\"d\n"), Some(12));
    /// let records = Boundary::Mark { bytes: (*b",{\"id\"").into(), before: 1 };
    /// assert_eq!(records.last(br#"{"id":1},{"id":2},{"#), Some(9));
    /// ```
    #[must_use]
    pub fn last(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Boundary::Lines | Boundary::Rows(None) => memrchr(b'\n', bytes).map(|at| at + 1),
            Boundary::Rows(Some(quotes)) => {
                let near = bytes.len().saturating_sub(NEAR);
                let found = quotes.last_end(bytes, near);
                found.or_else(|| (near > 0).then(|| quotes.last_end(bytes, 0)).flatten())
            }
            Boundary::Mark { bytes: mark, before } => {
                memmem::rfind(bytes, mark).map(|at| at + before).filter(|at| *at > 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTES: Quotes = Quotes { quote: b'"', between: (b',', b',') };

    #[test]
    fn quotes_tell_where_the_last_row_ends() {
        let rows = Boundary::Rows(Some(QUOTES));
        for (bytes, end) in [
            ("1,2\n3,4", Some(4)),
            ("1,2", None),
            // The quote before the last line feed begins a cell, or ends one.
            ("1,2\n3,\"4\n5", Some(4)),
            ("x\n3\",4\n5", Some(7)),
            ("1,2\r\n\"3\n4\"\r\n5", Some(12)),
            // Doubled ones, and those with a delimiter on both sides, do not tell. Those before them do.
            ("1\n\"a\"\"\nb", Some(2)),
            ("1\n\"a\n\"\"\",\nb", Some(10)),
            ("1\n\"a\n,\",\nb", Some(9)),
            ("1\n2,\"a\",\",\n\nb", Some(2)),
            // If none does, the text begins outside of them.
            ("\",\"\n3,4\n", Some(8)),
            // A quote that must not be there says nothing of what follows the next one that does tell.
            ("5\" x,2\n\"a\",3\nb", Some(13)),
        ] {
            assert_eq!(rows.last(bytes.as_bytes()), end, "{bytes:?}");
        }
    }

    #[test]
    fn a_cell_is_longer_than_what_is_looked_at_first() {
        let text = format!("1\n\"{}", "a\n".repeat(NEAR));
        // Near its end, nothing tells that the line feeds are within quotes.
        assert_eq!(Boundary::Rows(Some(QUOTES)).last(text.as_bytes()), Some(text.len()));
        let text = format!("1\n\"{}\"\"\n", "a".repeat(NEAR));
        assert_eq!(Boundary::Rows(Some(QUOTES)).last(text.as_bytes()), Some(2));
        // Each quote is looked at twice, not once for each line feed.
        let text = format!("1\n\"a{}", "\"\"\n".repeat(1 << 18));
        assert_eq!(Boundary::Rows(Some(QUOTES)).last(text.as_bytes()), Some(2));
    }
}
