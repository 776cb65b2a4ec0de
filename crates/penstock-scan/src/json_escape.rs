//! The escapes of JSON strings: resolves them into text, or only checks them.
//!
//! One function reads an escape. Resolving and checking both use it, so they accept the same
//! escapes.

use std::fmt;

use crate::swar;
use crate::text::{TextBuf, ValidText};

/// Why an escape is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeKind {
    /// The byte after the backslash is not allowed there.
    Unknown(u8),
    /// `\u` without four hexadecimal digits after it.
    Hex,
    /// A surrogate that is not one half of a pair.
    Unpaired(u16),
    /// The text ends after the backslash.
    Cut,
}

/// An invalid escape, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEscape {
    /// Index of the escape's backslash.
    pub at: usize,
    /// The problem.
    pub kind: EscapeKind,
}

impl BadEscape {
    /// The problem, in words.
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

/// The result of [`check_json_escape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeCheck {
    /// An escape of so many bytes: 2, 6, or 12 for a surrogate pair.
    Complete(usize),
    /// The bytes end inside it, so more of them are needed.
    Incomplete,
    /// It is invalid, whatever follows.
    Bad(BadEscape),
}

/// Checks the escape that begins at the backslash at `at`, for strings whose text is not wanted. A
/// surrogate pair counts as one.
///
/// If the bytes include the closing quote, the result is never [`EscapeCheck::Incomplete`].
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

/// Appends the text of the inside of a JSON string, and returns whether all of it is ASCII.
/// Everything but escapes is copied unchanged.
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
/// The first invalid escape. `out` keeps its previous contents.
pub fn unescape_json(raw: ValidText<'_>, out: &mut TextBuf) -> Result<bool, BadEscape> {
    let bytes = raw.as_bytes();
    let mut ascii = true;
    // No escape is shorter than its text. The eight bytes are for stores of a whole word.
    let write = |to: *mut u8| -> Result<usize, BadEscape> {
        // How many bytes are read, and how many are written. The second number is never larger.
        let (mut at, mut done) = (0, 0);
        while at < bytes.len() {
            if bytes[at] == b'\\' {
                let (char, length) = read_escape(bytes, at).map_err(Fault::at_the_end)?;
                let (utf8, written) = encoded(char);
                ascii &= written == 1;
                // SAFETY: there is room for `bytes.len() + 8` bytes, and `done` is at most `at`.
                unsafe { to.add(done).cast::<[u8; 4]>().write_unaligned(utf8) };
                (at, done) = (at + length, done + written);
                continue;
            }
            if let Some(word) = swar::word_at(bytes, at) {
                // Between escapes there is often only a space or a comma.
                let backslash = swar::equal(word, b'\\');
                if backslash != 0 {
                    // A marked byte is one of eight.
                    let run = swar::before(backslash);
                    ascii &= word & swar::HIGH & (u64::MAX >> (64 - 8 * run)) == 0;
                    // SAFETY: as above.
                    unsafe { to.add(done).cast::<[u8; 8]>().write_unaligned(word.to_le_bytes()) };
                    (at, done) = (at + run, done + run);
                    continue;
                }
            }
            let plain = &bytes[at..];
            let run = memchr::memchr(b'\\', plain).unwrap_or(plain.len());
            ascii &= plain[..run].is_ascii();
            // SAFETY: as above; and the buffer is not the text that is read.
            unsafe { to.add(done).copy_from_nonoverlapping(plain.as_ptr(), run) };
            (at, done) = (at + run, done + run);
        }
        Ok(done)
    };
    // SAFETY: the bytes written are the text of escapes, and everything between escapes, which
    // begin and end between characters: together they are text.
    unsafe { out.write_text(bytes.len() + 8, write) }?;
    Ok(ascii)
}

/// A character in UTF-8, and its length. The rest of the bytes mean nothing.
#[inline(always)]
fn encoded(char: char) -> ([u8; 4], usize) {
    let code = u32::from(char);
    let last = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
    match code {
        0..0x80 => ([code as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | (code >> 6) as u8, last(0), 0, 0], 2),
        0x800..0x1_0000 => ([0xE0 | (code >> 12) as u8, last(6), last(0), 0], 3),
        _ => ([0xF0 | (code >> 18) as u8, last(12), last(6), last(0)], 4),
    }
}

/// Why no escape was read.
enum Fault {
    /// The bytes end inside it; the error if nothing follows.
    End(BadEscape),
    /// It is invalid, whatever follows.
    Bad(BadEscape),
}

impl Fault {
    /// The error if no more bytes follow.
    fn at_the_end(self) -> BadEscape {
        match self {
            Fault::End(bad) | Fault::Bad(bad) => bad,
        }
    }
}

/// The character of the escape at `at`, and the escape's length. The byte at `at` itself counts as
/// a backslash.
#[inline(always)]
fn read_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let escape = bytes.get(at..).unwrap_or_default();
    let char = match escape.get(1) {
        Some(b'u') => {
            // All digits are there and it is no surrogate: nearly every escape.
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

/// [`read_escape`] for a `\u` that is cut, invalid, or a surrogate.
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
    // Missing digits count as zeros, so that an invalid one is found at once.
    let unit = hex(digits).ok_or(Fault::Bad(bad))?;
    if count < 4 { Err(Fault::End(bad)) } else { Ok(unit) }
}

/// The value of each byte as a hexadecimal digit; 0xFF if it is none.
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

/// The number in four hexadecimal digits.
#[inline(always)]
fn hex(digits: [u8; 4]) -> Option<u16> {
    let [a, b, c, d] = digits.map(|digit| DIGITS[usize::from(digit)]);
    let unit = u16::from(a) << 12 | u16::from(b) << 8 | u16::from(c) << 4 | u16::from(d);
    (a | b | c | d < 16).then_some(unit)
}
