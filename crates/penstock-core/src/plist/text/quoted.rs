//! Strings in quotes, and their escapes.
//!
//! Foundation and GNUstep differ in two escapes. An octal one is a character of the NEXTSTEP encoding for Foundation,
//! and of Unicode for GNUstep, which writes no octal escape above `\177`, where both are ASCII: so it is Foundation's.
//! `\u` with four digits is a character for GNUstep, and the letter u for Foundation, which does not write it: so it is
//! GNUstep's.

use super::reader::Reader;
use super::token;
use crate::error::Fault;
use penstock_scan::ValidText;

/// The characters of the NEXTSTEP encoding from 0x80 to 0xFD, from Unicode's own table of it
/// (`MAPPINGS/VENDORS/NEXT/NEXTSTEP.TXT`). 0xFE and 0xFF are no characters.
pub(super) const NEXTSTEP: [char; 126] = [
    '\u{a0}', 'À', 'Á', 'Â', 'Ã', 'Ä', 'Å', 'Ç', 'È', 'É', 'Ê', 'Ë', 'Ì', 'Í', 'Î', 'Ï', 'Ð', 'Ñ',
    'Ò', 'Ó', 'Ô', 'Õ', 'Ö', 'Ù', 'Ú', 'Û', 'Ü', 'Ý', 'Þ', 'µ', '×', '÷', '©', '¡', '¢', '£',
    '\u{2044}', '¥', 'ƒ', '§', '¤', '\u{2019}', '\u{201c}', '«', '\u{2039}', '\u{203a}',
    '\u{fb01}', '\u{fb02}', '®', '\u{2013}', '†', '‡', '·', '¦', '¶', '•', '\u{201a}', '\u{201e}',
    '\u{201d}', '»', '…', '‰', '¬', '¿', '¹', '\u{2cb}', '´', '\u{2c6}', '\u{2dc}', '¯', '\u{2d8}',
    '\u{2d9}', '¨', '²', '\u{2da}', '¸', '³', '\u{2dd}', '\u{2db}', '\u{2c7}', '\u{2014}', '±',
    '¼', '½', '¾', 'à', 'á', 'â', 'ã', 'ä', 'å', 'ç', 'è', 'é', 'ê', 'ë', 'ì', 'Æ', 'í', 'ª', 'î',
    'ï', 'ð', 'ñ', 'Ł', 'Ø', 'Œ', 'º', 'ò', 'ó', 'ô', 'õ', 'ö', 'æ', 'ù', 'ú', 'û', 'ı', 'ü', 'ý',
    'ł', 'ø', 'œ', 'ß', 'þ', 'ÿ',
];

/// An escape.
enum Escape {
    /// A character, and the length of the escape.
    Is(char, usize),
    /// A backslash alone: it is dropped, and the character after it stands for itself.
    Dropped,
    /// The window ends inside it.
    Cut,
    /// Why it is none.
    Bad(String),
}

/// The escape whose backslash is at `at`.
fn escape(text: &[u8], at: usize) -> Escape {
    let Some(&byte) = text.get(at + 1) else { return Escape::Cut };
    let is = match byte {
        b'a' => '\x07',
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'v' => '\x0b',
        b'0'..=b'7' => return octal(text, at),
        b'U' | b'u' => return unicode(text, at),
        0x80.. => return Escape::Dropped,
        // Quotes, backslashes, ends of lines, and everything that needs no escape.
        _ => char::from(byte),
    };
    Escape::Is(is, 2)
}

/// One to three octal digits: a character of the NEXTSTEP encoding.
fn octal(text: &[u8], at: usize) -> Escape {
    let digits = &text[at + 1..text.len().min(at + 4)];
    let count = digits.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    if count == digits.len() && count < 3 {
        return Escape::Cut;
    }
    let code = digits[..count].iter().fold(0, |code, digit| code * 8 + usize::from(digit - b'0'));
    let is = match code {
        0..0x80 => Some(char::from(code as u8)),
        _ => NEXTSTEP.get(code - 0x80).copied(),
    };
    match is {
        Some(is) => Escape::Is(is, 1 + count),
        None => Escape::Bad(format!("\\{code:o} is no character of the NEXTSTEP encoding")),
    }
}

/// `\U` and four digits: a unit of UTF-16.
fn unicode(text: &[u8], at: usize) -> Escape {
    let first = match unit(text, at) {
        Ok(unit) => unit,
        Err(other) => return other,
    };
    let unpaired = || Escape::Bad(format!("unpaired surrogate \\U{first:04x}"));
    match first {
        0xD800..0xDC00 => {
            match (text.get(at + 6), text.get(at + 7)) {
                (None, _) | (Some(b'\\'), None) => return Escape::Cut,
                (Some(b'\\'), Some(b'U' | b'u')) => {}
                _ => return unpaired(),
            }
            let second = match unit(text, at + 6) {
                Ok(unit) => unit,
                Err(Escape::Cut) => return Escape::Cut,
                Err(_) => return unpaired(),
            };
            let pair = char::decode_utf16([first, second]).next();
            match pair {
                Some(Ok(is)) => Escape::Is(is, 12),
                _ => unpaired(),
            }
        }
        _ => match char::from_u32(first.into()) {
            Some(is) => Escape::Is(is, 6),
            None => unpaired(),
        },
    }
}

/// The unit of UTF-16 in the escape at `at`, or why there is none.
fn unit(text: &[u8], at: usize) -> Result<u16, Escape> {
    let digits = &text[at + 2..text.len().min(at + 6)];
    let mut unit = 0;
    for &digit in digits {
        match char::from(digit).to_digit(16) {
            Some(digit) => unit = unit << 4 | digit as u16,
            None => {
                let letter = char::from(text[at + 1]);
                let reason = format!("\\{letter} must be followed by four hexadecimal digits");
                return Err(Escape::Bad(reason));
            }
        }
    }
    if digits.len() < 4 { Err(Escape::Cut) } else { Ok(unit) }
}

/// Where reading a token has stopped.
pub(super) enum Rest {
    /// At the byte that closes it.
    Closed(usize),
    /// At the end of the window: continue here when there is more.
    Cut(usize),
}

impl Reader {
    /// Reads on inside a string in quotes. If it is kept, its text goes to the scratch buffer.
    #[inline(never)]
    pub(super) fn quoted(
        &mut self,
        valid: ValidText<'_>,
        from: usize,
        keeps: bool,
    ) -> Result<Rest, Fault> {
        let text = valid.as_bytes();
        let longest = self.begun.saturating_add(1).saturating_add(self.token_limit as u64);
        let mut pos = from;
        loop {
            let end = memchr::memchr2(self.quote, b'\\', &text[pos..]);
            let end = end.map_or(text.len(), |found| pos + found);
            if keeps {
                let piece = valid.slice(pos..end);
                self.ascii &= piece.as_bytes().is_ascii();
                self.scratch.push_text(piece);
            }
            pos = end;
            loop {
                if keeps && self.base + pos as u64 > longest {
                    return Err(token::string_too_long(self.begun, self.token_limit));
                }
                match text.get(pos) {
                    None => return Ok(Rest::Cut(pos)),
                    Some(b'\\') => match escape(text, pos) {
                        Escape::Is(is, length) => {
                            if keeps {
                                self.ascii &= is.is_ascii();
                                self.scratch.push_char(is);
                            }
                            pos += length;
                        }
                        Escape::Dropped => {
                            pos += 1;
                            break;
                        }
                        Escape::Cut => return Ok(Rest::Cut(pos)),
                        Escape::Bad(reason) => {
                            return Err(Fault::malformed(self.base + pos as u64, reason));
                        }
                    },
                    Some(&byte) if byte == self.quote => return Ok(Rest::Closed(pos)),
                    Some(_) => break,
                }
            }
        }
    }
}
