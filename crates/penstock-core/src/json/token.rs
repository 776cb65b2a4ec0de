//! What the JSON reader says of tokens that are not what they should be, and the small tests it
//! makes on bytes.

use crate::error::Fault;

/// Stands before each value of an RFC 7464 sequence.
pub(super) const SEPARATOR: u8 = 0x1E;

/// Why a document cannot end where it does.
pub(super) const INSIDE_STRING: &str = "the input ends inside a string";

/// Whether a byte can stand in a number, wherever in it.
#[inline(always)]
pub(super) fn may_stand_in_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Something else stands at `pos`.
#[cold]
#[inline(never)]
pub(super) fn unexpected(text: &[u8], pos: usize, base: u64, expected: &str) -> Fault {
    Fault::malformed(base + pos as u64, format!("{expected}, found {}", found(text, pos)))
}

/// A word that is not `true`, `false` or `null`.
#[cold]
#[inline(never)]
pub(super) fn bad_literal(text: &[u8], pos: usize, base: u64) -> Fault {
    unexpected(text, pos, base, "expected a value")
}

/// A control character in a string.
#[cold]
#[inline(never)]
pub(super) fn control(text: &[u8], pos: usize, base: u64) -> Fault {
    let byte = text.get(pos).copied().unwrap_or(0);
    let reason = match byte {
        b'\n' => "a line feed in a string must be written \\n".to_owned(),
        b'\r' => "a carriage return in a string must be written \\r".to_owned(),
        b'\t' => "a tab in a string must be written \\t".to_owned(),
        _ => format!("a control character in a string must be written \\u{byte:04x}"),
    };
    Fault::malformed(base + pos as u64, reason)
}

/// Bytes that begin like a number and are none.
#[cold]
#[inline(never)]
pub(super) fn bad_number(text: &[u8], at: usize, base: u64, reason: &'static str) -> Fault {
    if reason.starts_with("expected") {
        unexpected(text, at, base, reason)
    } else {
        Fault::malformed(base + at as u64, reason)
    }
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
pub(super) fn too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a string longer than {limit} bytes (limits.token)"))
}

/// A number longer than the limit.
#[cold]
#[inline(never)]
pub(super) fn number_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a number longer than {limit} bytes (limits.number)"))
}

/// What stands at `pos`, in words. Only the one character is looked at: what follows it may not
/// have come yet, and a message must not depend on that.
fn found(text: &[u8], pos: usize) -> String {
    match text.get(pos) {
        None => "the end".to_owned(),
        Some(b'\'') => "a single quote".to_owned(),
        Some(b'"') => "a string".to_owned(),
        Some(b'\n') => "the end of the line".to_owned(),
        Some(&byte) if byte.is_ascii_graphic() => format!("'{}'", char::from(byte)),
        Some(&byte) if byte < 0x80 => format!("byte 0x{byte:02x}"),
        Some(_) => {
            let rest = &text[pos..text.len().min(pos + 4)];
            let text = String::from_utf8_lossy(rest);
            format!("'{}'", text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER))
        }
    }
}
