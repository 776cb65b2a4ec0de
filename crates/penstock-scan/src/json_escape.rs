//! The escapes of JSON strings: resolved into text, or only checked.
//!
//! One function reads an escape; resolving and checking both stand on it, so they cannot differ
//! in what they accept.

use std::fmt;

use crate::swar;
use crate::text::{TextBuf, ValidText};

/// Why an escape is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeKind {
    /// The byte after the backslash is not one that may stand there.
    Unknown(u8),
    /// `\u` without four hexadecimal digits after it.
    Hex,
    /// A surrogate that is not one half of a pair.
    Unpaired(u16),
    /// The text ends after the backslash.
    Cut,
}

/// An escape that is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEscape {
    /// Index of the escape's backslash.
    pub at: usize,
    /// What is wrong with it.
    pub kind: EscapeKind,
}

impl BadEscape {
    /// What is wrong, in words.
    ///
    /// ```
    /// use penstock_scan::{BadEscape, EscapeKind};
    ///
    /// let bad = BadEscape { at: 0, kind: EscapeKind::Unpaired(0xD800) };
    /// assert_eq!(bad.reason(), r"unpaired surrogate \ud800");
    /// ```
    #[must_use]
    pub fn reason(&self) -> String {
        self.kind.to_string()
    }
}

impl fmt::Display for EscapeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EscapeKind::Unknown(b) if b.is_ascii_graphic() => {
                write!(f, "invalid escape '\\{}'", char::from(b))
            }
            EscapeKind::Unknown(b) => {
                write!(f, "invalid escape: a backslash followed by byte 0x{b:02x}")
            }
            EscapeKind::Hex => f.write_str("\\u must be followed by four hexadecimal digits"),
            EscapeKind::Unpaired(unit) => write!(f, "unpaired surrogate \\u{unit:04x}"),
            EscapeKind::Cut => f.write_str("a backslash at the end of the string"),
        }
    }
}

/// What [`check_json_escape`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeCheck {
    /// An escape of so many bytes: 2, 6, or 12 for a surrogate pair.
    Complete(usize),
    /// The bytes end within it; only more of them will tell.
    Incomplete,
    /// It is wrong, whatever may follow.
    Bad(BadEscape),
}

/// Checks the one escape that begins at the backslash at `at`, for strings that nobody wants the
/// text of. A surrogate pair counts as one.
///
/// Given the closing quote with the bytes, it never says [`EscapeCheck::Incomplete`].
///
/// ```
/// use penstock_scan::{EscapeCheck, check_json_escape};
///
/// assert_eq!(check_json_escape(br"a\n", 1), EscapeCheck::Complete(2));
/// assert_eq!(check_json_escape(br"\ud83d\ude", 0), EscapeCheck::Incomplete);
/// ```
#[inline]
#[must_use]
pub fn check_json_escape(bytes: &[u8], at: usize) -> EscapeCheck {
    match read_escape(bytes, at) {
        Ok((_, length)) => EscapeCheck::Complete(length),
        Err(Fault::End(_)) => EscapeCheck::Incomplete,
        Err(Fault::Bad(bad)) => EscapeCheck::Bad(bad),
    }
}

/// Appends the text that the inside of a JSON string stands for, and returns whether all that was
/// appended is ASCII. What is not an escape is copied as it is.
///
/// ```
/// use penstock_scan::{TextBuf, ValidText, unescape_json};
///
/// let mut out = TextBuf::new();
/// assert_eq!(unescape_json(ValidText::from(r"caf\u00e9"), &mut out), Ok(false));
/// assert_eq!(out.text().as_str(), "café");
/// ```
///
/// # Errors
/// The first escape that is wrong. `out` keeps what it had before.
pub fn unescape_json(raw: ValidText<'_>, out: &mut TextBuf) -> Result<bool, BadEscape> {
    let start = out.text().as_bytes().len();
    // No escape is shorter than what it stands for. The eight are for `push_plain`.
    out.reserve(raw.as_bytes().len() + 8);
    match resolve(raw, out) {
        Ok(()) => Ok(out.text().as_bytes()[start..].is_ascii()),
        Err(bad) => {
            out.truncate(start);
            Err(bad)
        }
    }
}

fn resolve(raw: ValidText<'_>, out: &mut TextBuf) -> Result<(), BadEscape> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    loop {
        // Scripts other than Latin come as nothing but escapes for whole words.
        while bytes.get(at) == Some(&b'\\') {
            let (char, length) = read_escape(bytes, at).map_err(Fault::at_the_end)?;
            out.push_char(char);
            at += length;
        }
        if at == bytes.len() {
            return Ok(());
        }
        at = push_plain(raw, at, out);
    }
}

/// Appends the plain run at `at` and returns where it ends.
#[inline(always)]
fn push_plain(raw: ValidText<'_>, at: usize, out: &mut TextBuf) -> usize {
    let bytes = raw.as_bytes();
    if let Some(word) = swar::word_at(bytes, at) {
        // Between escapes there is often only a space or a comma.
        let backslash = swar::equal(word, b'\\');
        if backslash != 0 {
            let run = swar::before(backslash);
            // SAFETY: `at` is where an escape ended or the text began, and the run ends before a
            // backslash: both are boundaries of checked text. A marked byte is one of eight.
            unsafe { out.push_short(word.to_le_bytes(), run) };
            return at + run;
        }
    }
    let end = memchr::memchr(b'\\', &bytes[at..]).map_or(bytes.len(), |run| at + run);
    out.push_text(raw.slice(at..end));
    end
}

/// Why no escape was read.
enum Fault {
    /// The bytes end within it; what it is if nothing follows.
    End(BadEscape),
    /// It is wrong, whatever follows.
    Bad(BadEscape),
}

impl Fault {
    /// The error, where the bytes are all there is.
    fn at_the_end(self) -> BadEscape {
        match self {
            Fault::End(bad) | Fault::Bad(bad) => bad,
        }
    }
}

/// The character that the escape at `at` stands for, and its length. The byte at `at` itself is
/// taken to be a backslash.
#[inline(always)]
fn read_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let escape = bytes.get(at..).unwrap_or_default();
    let char = match escape.get(1) {
        Some(b'u') => {
            // All digits there, no surrogate: nearly every one.
            let unit = escape.first_chunk::<6>().and_then(|e| hex([e[2], e[3], e[4], e[5]]));
            return match unit.and_then(|unit| char::from_u32(u32::from(unit))) {
                Some(char) => Ok((char, 6)),
                None => read_rare(bytes, at),
            };
        }
        Some(b'n') => '\n',
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(&b) => return Err(Fault::Bad(BadEscape { at, kind: EscapeKind::Unknown(b) })),
        None => return Err(Fault::End(BadEscape { at, kind: EscapeKind::Cut })),
    };
    Ok((char, 2))
}

/// [`read_escape`] for a `\u` that is cut, is wrong, or is a surrogate.
#[inline(never)]
fn read_rare(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let first = read_unit(bytes, at)?;
    let unpaired = BadEscape { at, kind: EscapeKind::Unpaired(first) };
    if !(0xD800..0xDC00).contains(&first) {
        // A low surrogate with no high one before it. (A unit that is a character never comes
        // here.)
        return char::from_u32(u32::from(first)).map(|char| (char, 6)).ok_or(Fault::Bad(unpaired));
    }
    match bytes[at + 6..] {
        [] | [b'\\'] => return Err(Fault::End(unpaired)),
        [b'\\', b'u', ..] => {}
        _ => return Err(Fault::Bad(unpaired)),
    }
    let second = read_unit(bytes, at + 6)?;
    char::decode_utf16([first, second])
        .next()
        .and_then(Result::ok)
        .map(|char| (char, 12))
        .ok_or(Fault::Bad(unpaired))
}

/// The four digits of the `\u` at `at`.
fn read_unit(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    let bad = BadEscape { at, kind: EscapeKind::Hex };
    let mut digits = [b'0'; 4];
    let there = bytes[at + 2..].iter().take(4);
    let count = there.len();
    digits.iter_mut().zip(there).for_each(|(digit, &b)| *digit = b);
    // Digits that are still to come are taken to be zeros, so that a wrong one shows at once.
    let unit = hex(digits).ok_or(Fault::Bad(bad))?;
    if count < 4 { Err(Fault::End(bad)) } else { Ok(unit) }
}

/// What each byte is worth as a hexadecimal digit; 0xFF if it is none.
const DIGITS: [u8; 256] = {
    let mut digits = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// The number that four hexadecimal digits are.
#[inline(always)]
fn hex(digits: [u8; 4]) -> Option<u16> {
    let [a, b, c, d] = digits.map(|digit| DIGITS[usize::from(digit)]);
    let unit = u16::from(a) << 12 | u16::from(b) << 8 | u16::from(c) << 4 | u16::from(d);
    (a | b | c | d < 16).then_some(unit)
}
