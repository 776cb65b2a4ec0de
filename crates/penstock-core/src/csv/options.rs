//! The dialect of a file.

use crate::repair::Repairs;
use penstock_scan::Stops;
use std::fmt;

/// What ends a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Terminator {
    /// A line feed, or a carriage return and a line feed. A carriage return alone is a fault, unless
    /// the first line ends with one: then all lines do, and a line feed alone is a fault.
    #[default]
    AsFirst,
    /// A line feed, a carriage return, or both.
    Any,
    /// Exactly this text, of ASCII.
    Exactly(Box<str>),
}

/// Where the names of the columns come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The first row.
    #[default]
    First,
    /// Nowhere: each column is named by its position, from 0.
    Positions,
    /// The caller; all rows are data.
    InputView(Vec<Box<str>>),
    /// This many rows, whose cells are joined by the text, column by column. Empty cells are left
    /// out.
    Joined(usize, Box<str>),
}

/// The dialect of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What separates cells: one or more characters of ASCII.
    pub delimiter: Box<str>,
    /// The quote, which makes everything up to the next one the text of a cell.
    pub quote: Option<u8>,
    /// The character that makes the next one text. Without it, a quote in a quoted cell is doubled.
    /// Behind a backslash, some letters stand for other characters.
    pub escape: Option<u8>,
    /// A row that begins with this text is a comment.
    pub comment: Option<Box<str>>,
    /// What ends a row.
    pub terminator: Terminator,
    /// Whether spaces and tabs around a cell and around its quotes are no part of it.
    pub trim: bool,
    /// How many lines before the header are skipped, whatever is in them.
    pub skip: u64,
    /// Where the names of the columns come from.
    pub header: Header,
    /// The faults that are repaired.
    pub repairs: Repairs,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            delimiter: ",".into(),
            quote: Some(b'"'),
            escape: None,
            comment: None,
            terminator: Terminator::default(),
            trim: false,
            skip: 0,
            header: Header::default(),
            repairs: Repairs::default(),
        }
    }
}

/// The character for which an escaped one stands, in the text files of MySQL and PostgreSQL. All
/// others, and those behind another escape than a backslash, stand for themselves.
#[inline]
pub(super) fn escaped(escape: u8, next: u8) -> Option<char> {
    if escape != b'\\' {
        return None;
    }
    Some(match next {
        b'0' => '\0',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'v' => '\u{B}',
        b'Z' => '\u{1A}',
        _ => return None,
    })
}

/// NULL in these files: a cell without quotes that is nothing else. A reader is told it as it stands,
/// so that `cells(null=)` can name it. The same text, escaped, is told as a text.
pub(super) const NULL: &[u8] = b"\\N";

/// Why a dialect is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDialect(pub String);

impl fmt::Display for WrongDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongDialect {}

impl Options {
    /// The bytes at which the grammar decides something.
    ///
    /// # Errors
    /// Two of the characters are the same, so that a text could be read in two ways; or one of them
    /// is not possible.
    pub fn stops(&self) -> Result<Stops, WrongDialect> {
        let wrong = |reason: &str| WrongDialect(reason.to_owned());
        if self.delimiter.is_empty() || !self.delimiter.is_ascii() {
            return Err(wrong("delimiter must be one or more characters of ASCII"));
        }
        let mut bytes = vec![0, self.delimiter.as_bytes()[0]];
        match &self.terminator {
            Terminator::AsFirst | Terminator::Any => bytes.extend_from_slice(b"\r\n"),
            Terminator::Exactly(text) if text.is_empty() || !text.is_ascii() => {
                return Err(wrong("terminator must be one or more characters of ASCII"));
            }
            Terminator::Exactly(text) => bytes.push(text.as_bytes()[0]),
        }
        for (word, byte) in [("quote", self.quote), ("escape", self.escape)] {
            if byte.is_some_and(|byte| !byte.is_ascii() || byte == 0) {
                return Err(WrongDialect(format!("{word} must be a character of ASCII")));
            }
        }
        if self.escape == self.quote && self.quote.is_some() {
            return Err(wrong("a quote that escapes itself is a doubled one: leave escape out"));
        }
        bytes.extend(self.quote);
        bytes.extend(self.escape);
        let mut sorted = bytes.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong(
                "delimiter, quote, escape and terminator must begin with different characters",
            ));
        }
        let letter = |byte: &u8| *byte == b'N' || escaped(b'\\', *byte).is_some();
        if self.escape == Some(b'\\') && bytes[1..].iter().any(letter) {
            return Err(wrong(
                "behind a backslash, 0, b, f, n, r, t, v, N and Z have meanings of their own: \
                 delimiter, quote and terminator must begin with other characters",
            ));
        }
        if self.trim && self.delimiter.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(wrong("white space cannot both separate cells and be trimmed"));
        }
        match self.comment.as_ref().map(|comment| comment.as_bytes().first()) {
            Some(None) => return Err(wrong("comment must be one or more characters, or None")),
            Some(Some(first)) if bytes[1..].contains(first) => {
                return Err(wrong(
                    "comment must not begin like the delimiter, the quote, the escape or the \
                     terminator",
                ));
            }
            _ => {}
        }
        Stops::of(&bytes).ok_or_else(|| wrong("the characters of the dialect must be ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_meaning() {
        let with = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.stops().map(drop).map_err(|wrong| wrong.0)
        };
        assert_eq!(with(|_| {}), Ok(()));
        assert_eq!(with(|options| options.delimiter = "||".into()), Ok(()));
        let same = "delimiter, quote, escape and terminator must begin with different characters";
        assert_eq!(with(|options| options.delimiter = "\"".into()), Err(same.to_owned()));
        assert_eq!(
            with(|options| options.escape = Some(b'"')),
            Err("a quote that escapes itself is a doubled one: leave escape out".to_owned())
        );
        assert_eq!(
            with(|options| (options.delimiter, options.trim) = ("\t".into(), true)),
            Err("white space cannot both separate cells and be trimmed".to_owned())
        );
        assert_eq!(
            with(|options| options.delimiter = "é".into()),
            Err("delimiter must be one or more characters of ASCII".to_owned())
        );
        let comment =
            "comment must not begin like the delimiter, the quote, the escape or the terminator";
        assert_eq!(with(|options| options.comment = Some("\"x".into())), Err(comment.to_owned()));
        assert_eq!(with(|options| options.comment = Some("#".into())), Ok(()));
        assert_eq!(
            with(|options| options.terminator = Terminator::Exactly("".into())),
            Err("terminator must be one or more characters of ASCII".to_owned())
        );
    }
}
