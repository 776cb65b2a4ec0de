//! How text becomes a cell: with quotes, with escapes, as it is, or not at all.
//!
//! # For maintainers
//!
//! A cell may stand as it is if the reader finds no *stop* in it, and if its first and its last byte
//! mean nothing. [`Cells`] has a table with what each byte may mean, so most cells are one pass over
//! their bytes; the rest goes to [`Cells::careful`], which decides.

use super::options::{NULL, Options, Terminator};
use super::writer::{Formulas, Quoting, WriterOptions};
use crate::writer::{Unwritable, make_room};

/// The byte ends a cell or a row, or is a quote or an escape: it needs quotes around the cell.
const STOP: u8 = 1;
/// Within quotes, it needs an escape.
const INNER: u8 = 2;
/// It may not stand at the beginning of a cell.
const FIRST: u8 = 4;
/// It may not stand at the end of a cell.
const LAST: u8 = 8;
/// It may not stand anywhere.
const NEVER: u8 = 16;

/// The byte order mark, which a reader drops at the beginning of a source.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, which may be anything.
    Text,
    /// A number.
    Number,
    /// Any other value, which is printed by Penstock.
    Other,
}

/// Writes cells of one dialect.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    table: Box<[u8; 256]>,
    quote: Option<u8>,
    escape: Option<u8>,
    trim: bool,
    comment: Option<Box<[u8]>>,
    pub(super) quoting: Quoting,
    formulas: Formulas,
    pub(super) null: Box<[u8]>,
    pub(super) delimiter: Box<[u8]>,
    pub(super) terminator: Box<[u8]>,
    /// All bytes that need quotes but are no control characters, if there are at most two of them.
    pub(super) stops: Option<[u8; 2]>,
    /// Whether numbers, dates and the like stand as they are.
    pub(super) safe: bool,
    /// The longest row that is read.
    pub(super) most: usize,
}

impl Cells {
    /// `options` has a possible dialect.
    pub(super) fn new(options: &WriterOptions, most: usize) -> Self {
        let Options { delimiter, quote, escape, comment, terminator, trim, .. } = &options.dialect;
        let terminator: Box<[u8]> = match terminator {
            Terminator::Exactly(text) => text.as_bytes().into(),
            Terminator::AsFirst | Terminator::Any => (*b"\n").into(),
        };
        let mut table = Box::new([0; 256]);
        let mut mark = |byte: u8, with: u8| table[usize::from(byte)] |= with;
        for byte in [delimiter.as_bytes()[0], terminator[0], b'\r', b'\n'] {
            mark(byte, STOP);
        }
        for byte in [quote, escape].into_iter().flatten() {
            mark(*byte, STOP | INNER);
        }
        mark(0, NEVER);
        if *trim {
            mark(b' ', FIRST | LAST);
            mark(b'\t', FIRST | LAST);
        }
        if options.formulas != Formulas::AsTheyAre {
            // 0xEF begins the full-width forms.
            for byte in [b'=', b'+', b'-', b'@', b'\t', b'\r', b'\n', 0xEF] {
                mark(byte, FIRST);
            }
        }
        if let Some(first) = options.null.as_bytes().first() {
            mark(*first, FIRST);
        }
        let is_safe = |byte: u8| table[usize::from(byte)] & (STOP | FIRST | LAST) == 0;
        let parts = (b'0'..=b'9').chain(b'a'..=b'z').chain(b'A'..=b'Z').chain(*b"+-.:/=");
        // What a spreadsheet takes for a formula is no matter here.
        let numbers = |byte: u8| {
            is_safe(byte) || (matches!(byte, b'+' | b'-' | b'=') && options.null.is_empty())
        };
        let stops = |byte: u8| table[usize::from(byte)] & STOP != 0;
        let safe = parts.clone().all(numbers) && !parts.clone().any(stops);
        let stops: Vec<u8> = (0x20..=u8::MAX).filter(|byte| stops(*byte)).collect();
        let stops = match stops[..] {
            [one] => Some([one, one]),
            [one, two] => Some([one, two]),
            _ => None,
        };
        Cells {
            safe,
            stops,
            table,
            quote: *quote,
            escape: *escape,
            trim: *trim,
            comment: comment.as_ref().map(|text| text.as_bytes().into()),
            quoting: options.quoting,
            formulas: options.formulas,
            null: options.null.as_bytes().into(),
            delimiter: delimiter.as_bytes().into(),
            terminator,
            most,
        }
    }

    /// Why the text for null cannot stand as it is.
    pub(super) fn null_problem(&self) -> Option<&'static str> {
        let null = &self.null;
        let (first, last) = (null.first()?, null.last()?);
        if self.is_null(null) {
            return None;
        }
        let any = null.iter().fold(0, |all, byte| all | self.of(*byte));
        let is_blank = self.trim && (is_blank(*first) || is_blank(*last));
        (any & (STOP | NEVER) != 0 || is_blank)
            .then_some("null must be a text that needs no quotes")
    }

    /// Whether a text is NULL in the text files of databases, and this is one of them.
    pub(super) fn is_null(&self, text: &[u8]) -> bool {
        self.escape == Some(NULL[0]) && text == NULL
    }

    #[inline(always)]
    fn of(&self, byte: u8) -> u8 {
        self.table[usize::from(byte)]
    }

    /// Whether text that is not empty may stand as it is.
    #[inline(always)]
    pub(super) fn is_plain(&self, text: &[u8]) -> bool {
        let mut any = 0;
        for &byte in text {
            any |= self.of(byte);
        }
        any & (STOP | NEVER) == 0 && self.has_plain_ends(text)
    }

    /// Whether the ends of a text that is not empty may be those of a cell without quotes.
    #[inline(always)]
    pub(super) fn has_plain_ends(&self, text: &[u8]) -> bool {
        let (Some(first), Some(last)) = (text.first(), text.last()) else { return false };
        (self.of(*first) & FIRST) | (self.of(*last) & LAST) == 0
    }

    /// Whether a byte may stand in a cell without quotes: in the middle, or as the first one.
    #[inline(always)]
    pub(super) fn may_follow(&self, byte: u8, is_inside: bool) -> bool {
        let never = if is_inside { STOP | NEVER } else { STOP | NEVER | FIRST };
        self.of(byte) & never == 0
    }

    /// Whether a byte may be the last one of a cell without quotes.
    #[inline(always)]
    pub(super) fn may_end(&self, byte: u8) -> bool {
        self.of(byte) & LAST == 0
    }

    /// What escapes quotes in a text, if quotes around it are all that it needs.
    pub(super) fn quotes_only(&self, text: &[u8]) -> Option<u8> {
        let is_other = self.formulas != Formulas::AsTheyAre || !self.null.is_empty();
        if is_other || text.iter().any(|byte| self.of(*byte) & NEVER != 0) {
            return None;
        }
        self.escape.or(self.quote)
    }

    /// The place of the next byte that needs an escape within quotes.
    pub(super) fn inner(&self, text: &[u8]) -> Option<usize> {
        text.iter().position(|byte| self.of(*byte) & INNER != 0)
    }

    /// Whether cells of a kind have quotes, whatever is in them.
    #[inline(always)]
    pub(super) fn always(&self, kind: Kind) -> bool {
        match self.quoting {
            Quoting::Minimal | Quoting::Never => false,
            Quoting::All => true,
            Quoting::NonNumeric => kind != Kind::Number,
        }
    }

    /// Appends a cell of text that is not empty.
    #[inline(always)]
    pub(super) fn text(&self, text: &str, kind: Kind, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        if !self.always(kind) && self.is_plain(text.as_bytes()) {
            make_room(out, text.len())?;
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        self.careful(text, kind, out)
    }

    /// Appends an empty cell that is read as text, and not as null.
    pub(super) fn empty(&self, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        match self.quote {
            Some(quote) if self.quoting != Quoting::Never => {
                make_room(out, 2)?;
                out.extend_from_slice(&[quote, quote]);
                Ok(())
            }
            _ => Err(Unwritable::value("an empty text needs quotes, or it is read as none")),
        }
    }

    #[inline(never)]
    fn careful(&self, text: &str, kind: Kind, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let bytes = text.as_bytes();
        if !self.null.is_empty() && *bytes == *self.null && !self.is_null(bytes) {
            let reason = format!("the text {text:?} would be read as null (null=)");
            return Err(Unwritable::value(reason));
        }
        let mut prefix: &[u8] = b"";
        if kind == Kind::Text && self.formulas != Formulas::AsTheyAre && is_formula(text) {
            if self.formulas == Formulas::Refuse {
                let first: String = text.chars().take(1).collect();
                let reason =
                    format!("a spreadsheet takes text that begins with {first:?} for a formula");
                return Err(Unwritable::value(reason));
            }
            prefix = b"'";
        }
        let any = bytes.iter().chain(prefix).fold(0, |all, byte| all | self.of(*byte));
        if any & NEVER != 0 {
            return Err(Unwritable::value("CSV has no form for a NUL character"));
        }
        let is_edged = self.trim
            && (bytes.last().is_some_and(|byte| is_blank(*byte))
                || prefix.is_empty() && bytes.first().is_some_and(|byte| is_blank(*byte)));
        let needs = any & STOP != 0 || is_edged;
        match self.quote {
            Some(quote) if self.quoting != Quoting::Never => {
                if needs || self.always(kind) {
                    return self.quoted(quote, prefix, bytes, out);
                }
            }
            _ if !needs => {}
            _ => return self.escaped(prefix, text, is_edged, out),
        }
        make_room(out, prefix.len() + bytes.len())?;
        out.extend_from_slice(prefix);
        out.extend_from_slice(bytes);
        Ok(())
    }

    /// A cell with quotes around it.
    fn quoted(
        &self,
        quote: u8,
        prefix: &[u8],
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        make_room(out, prefix.len() + text.len() + 2)?;
        out.push(quote);
        for piece in [prefix, text] {
            let mut rest = piece;
            while let Some(at) = self.inner(rest) {
                make_room(out, rest.len() + 3)?;
                out.extend_from_slice(&rest[..at]);
                out.extend_from_slice(&[self.escape.unwrap_or(quote), rest[at]]);
                rest = &rest[at + 1..];
            }
            make_room(out, rest.len() + 1)?;
            out.extend_from_slice(rest);
        }
        make_room(out, 1)?;
        out.push(quote);
        Ok(())
    }

    /// A cell without quotes, with an escape before each character that means something.
    fn escaped(
        &self,
        prefix: &[u8],
        text: &str,
        is_edged: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        let Some(escape) = self.escape else { return Err(self.no_way(text)) };
        let last = prefix.len() + text.len() - 1;
        for (at, &byte) in prefix.iter().chain(text.as_bytes()).enumerate() {
            make_room(out, 2)?;
            let is_edge = is_edged && (at == 0 || at == last) && is_blank(byte);
            if self.of(byte) & STOP != 0 || is_edge {
                out.push(escape);
            }
            out.push(byte);
        }
        Ok(())
    }

    #[cold]
    fn no_way(&self, text: &str) -> Unwritable {
        let stop = text.chars().find(|char| {
            u8::try_from(*char).is_ok_and(|byte| byte.is_ascii() && self.of(byte) & STOP != 0)
        });
        let what = match stop {
            Some(char) => format!("a cell with {:?} needs quotes", char.to_string()),
            None => "a cell with white space at its end needs quotes".to_owned(),
        };
        Unwritable::value(format!("{what}, and the dialect writes none and has no escape"))
    }

    /// Puts quotes around the first cell of a row, if the row would be read as something else: as a
    /// comment or, at the beginning of a file, without its first character. `first` is how long that
    /// cell is.
    #[inline(always)]
    pub(super) fn begin_row(
        &self,
        out: &mut Vec<u8>,
        row: usize,
        first: usize,
        at_start: bool,
    ) -> Result<(), Unwritable> {
        let text = &out[row..];
        let is_comment =
            |text: &[u8]| self.comment.as_ref().is_some_and(|comment| text.starts_with(comment));
        let is_marked = at_start && text.starts_with(MARK);
        if !is_comment(text) && !is_marked {
            return Ok(());
        }
        let quote = self.quote.filter(|_| self.quoting != Quoting::Never);
        let quote = quote.filter(|quote| first > 0 && text.first() != Some(quote));
        if let Some(quote) = quote {
            make_room(out, 2)?;
            out.insert(row + first, quote);
            out.insert(row, quote);
            if !is_comment(&out[row..]) {
                return Ok(());
            }
        }
        Err(Unwritable::value(if is_marked {
            "the first character of the file would be read as a byte order mark"
        } else {
            "the row would be read as a comment"
        }))
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a spreadsheet may take a cell for a formula: it begins with one of the characters of
/// OWASP's page about CSV injection, and is no number.
fn is_formula(text: &str) -> bool {
    const FORMULAS: [char; 11] =
        ['=', '+', '-', '@', '\t', '\r', '\n', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}'];
    text.starts_with(FORMULAS) && !is_number(text)
}

/// Whether all of a text is a decimal number: `-5`, `+1.5e3`.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
        }
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_formulas() {
        for text in ["-5", "+1", "-1.5e3", "+.5", "-5.", "+1E+2"] {
            assert!(is_number(text) && !is_formula(text), "{text}");
        }
        for text in
            ["=1+1", "+49 30 1", "-", "-e5", "-1e", "@x", "-1-1", "+1,5", "\t1", "\u{FF1D}1"]
        {
            assert!(is_formula(text), "{text}");
        }
        for text in ["", "a=1", "1-1", " =1", "'=1"] {
            assert!(!is_formula(text), "{text}");
        }
    }
}
