//! White space, comments and strings without quotes, and the messages of the reader's faults.

use super::reader::{Comment, Reader};
use crate::error::Fault;
use penstock_scan::Isa;

/// The bytes of a string without quotes: those of Foundation, which are letters, digits and `_$/:.-`, and those that
/// GNUstep takes and writes besides.
const BARE: [bool; 256] = {
    let mut set = [false; 256];
    let others = b"_$/:.-!#%&*+?@|~^";
    let mut at = 0;
    while at < others.len() {
        set[others[at] as usize] = true;
        at += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphanumeric() {
            set[byte] = true;
        }
        byte += 1;
    }
    set
};

/// Whether a byte may stand in a string without quotes.
#[inline(always)]
pub(super) fn is_bare(byte: u8) -> bool {
    BARE[usize::from(byte)]
}

/// The end of a string without quotes.
pub(super) enum BareEnd {
    /// Another byte, or the end of the text.
    At(usize),
    /// The end of the window: continue here when there is more.
    Cut(usize),
    /// A comment that begins inside.
    Comment(usize),
}

/// Finds the end of a string without quotes. `from` is in it, or behind its last byte.
#[inline(always)]
pub(super) fn bare_end<I: Isa>(isa: I, text: &[u8], from: usize, last: bool) -> BareEnd {
    let mut at = from;
    loop {
        at = isa.xml_name(text, at);
        match text.get(at) {
            // Foundation's string ends before the star, and GNUstep's contains the comment.
            Some(b'/') => match text.get(at + 1) {
                Some(b'*') => return BareEnd::Comment(at),
                None if !last => return BareEnd::Cut(at),
                _ => at += 1,
            },
            Some(&byte) if is_bare(byte) => at += 1,
            None if !last => return BareEnd::Cut(at),
            _ => return BareEnd::At(at),
        }
    }
}

/// The two separators of Unicode, U+2028 and U+2029: white space, and the end of a line.
fn is_separator(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..).and_then(|rest| rest.first_chunk()), Some([0xE2, 0x80, 0xA8 | 0xA9]))
}

/// Where passing over white space and comments has stopped.
pub(super) enum Passed {
    /// At a token, or at the end of the text.
    At(usize),
    /// At the end of the window, in a comment or before what may be one.
    Cut(usize),
}

impl Reader {
    /// Passes over white space and comments, beginning with the rest of a comment that an earlier window has cut.
    #[inline(never)]
    pub(super) fn pass_space(
        &mut self,
        text: &[u8],
        from: usize,
        last: bool,
    ) -> Result<Passed, Fault> {
        let mut pos = from;
        loop {
            match self.comment {
                Comment::None => match text.get(pos) {
                    Some(b'\t'..=b'\r' | b' ') => pos += 1,
                    Some(0xE2) if is_separator(text, pos) => pos += 3,
                    Some(b'/') => {
                        self.comment = match text.get(pos + 1) {
                            Some(b'/') => Comment::Line,
                            Some(b'*') => Comment::Block,
                            None if !last => return Ok(Passed::Cut(pos)),
                            _ => return Ok(Passed::At(pos)),
                        };
                        self.begun = self.base + pos as u64;
                        pos += 2;
                    }
                    _ => return Ok(Passed::At(pos)),
                },
                Comment::Line => match memchr::memchr3(b'\n', b'\r', 0xE2, &text[pos..]) {
                    Some(end) if text[pos + end] == 0xE2 && !is_separator(text, pos + end) => {
                        pos += end + 1;
                    }
                    Some(end) => {
                        pos += end;
                        self.comment = Comment::None;
                    }
                    None if last => {
                        self.comment = Comment::None;
                        return Ok(Passed::At(text.len()));
                    }
                    None => return Ok(Passed::Cut(text.len())),
                },
                Comment::Block => match memchr::memchr(b'*', &text[pos..]) {
                    Some(star) => match text.get(pos + star + 1) {
                        Some(b'/') => {
                            pos += star + 2;
                            self.comment = Comment::None;
                        }
                        Some(_) => pos += star + 1,
                        None if last => return Err(self.ends_inside(text, "a comment")),
                        None => return Ok(Passed::Cut(pos + star)),
                    },
                    None if last => return Err(self.ends_inside(text, "a comment")),
                    None => return Ok(Passed::Cut(text.len())),
                },
            }
        }
    }

    /// The input ends inside the token that has begun.
    #[cold]
    #[inline(never)]
    pub(super) fn ends_inside(&self, text: &[u8], what: &str) -> Fault {
        let reason = format!("the input ends inside {what} that begins at byte {}", self.begun);
        Fault::truncated(self.base + text.len() as u64, reason)
    }

    /// The input ends inside the innermost array or dictionary.
    #[cold]
    #[inline(never)]
    pub(super) fn ends_open(&self, text: &[u8]) -> Fault {
        let reason = match self.stack.last() {
            Some(open) if !open.is_map => {
                format!("the input ends inside the array that begins at byte {}", open.at)
            }
            Some(open) if !self.is_unbraced() => {
                format!("the input ends inside the dictionary that begins at byte {}", open.at)
            }
            _ => "the input ends before the ';' of the last entry".to_owned(),
        };
        Fault::truncated(self.base + text.len() as u64, reason)
    }
}

/// Another token than the expected one is at `pos`.
#[cold]
#[inline(never)]
pub(super) fn unexpected(text: &[u8], pos: usize, base: u64, expected: &str) -> Fault {
    let found = match text.get(pos) {
        None => "the end".to_owned(),
        Some(b'\'') => "a single quote".to_owned(),
        Some(b'"') => "a double quote".to_owned(),
        Some(b'\n') => "the end of the line".to_owned(),
        Some(&byte) if byte.is_ascii_graphic() || byte == b' ' => {
            format!("'{}'", char::from(byte))
        }
        Some(&byte) if byte < 0x80 => format!("byte 0x{byte:02x}"),
        Some(_) => {
            let rest = String::from_utf8_lossy(&text[pos..text.len().min(pos + 4)]);
            let found = rest.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            format!("'{found}', which stands only in quotes")
        }
    };
    Fault::malformed(base + pos as u64, format!("{expected}, found {found}"))
}

/// More open containers than the limit.
#[cold]
#[inline(never)]
pub(super) fn too_deep(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("nested deeper than {limit} levels (limits.depth)"))
}

/// A string longer than the limit.
#[cold]
#[inline(never)]
pub(super) fn string_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a string longer than {limit} bytes (limits.token)"))
}

/// Data whose text is longer than the limit.
#[cold]
#[inline(never)]
pub(super) fn data_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("data of more than {limit} bytes of text (limits.token)"))
}

/// A typed value longer than the limit.
#[cold]
#[inline(never)]
pub(super) fn typed_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(
        at,
        format!("a value between '<*' and '>' longer than {limit} bytes (limits.number)"),
    )
}

/// A comment directly behind a string without quotes.
#[cold]
#[inline(never)]
pub(super) fn comment_in_bare(at: u64) -> Fault {
    let reason = "a comment inside a string without quotes: a space must come before it, or the \
                  string stands in quotes";
    Fault::malformed(at, reason)
}
