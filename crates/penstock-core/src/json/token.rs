//! The JSON reader's faults of tokens, and its small tests on bytes.

use crate::error::Fault;
use crate::value::number::{self, Outcome};
use penstock_scan::{BadEscape, EscapeCheck, Isa, check_json_escape, stands_at};

/// The byte before each value of an RFC 7464 sequence.
pub(super) const SEPARATOR: u8 = 0x1E;

/// Why a document cannot end here.
pub(super) const INSIDE_STRING: &str = "the input ends inside a string";

/// Where the skipping of a string has stopped.
pub(super) enum Passed {
    /// After its closing quote.
    Closed(usize),
    /// At the end of the window: continue here when there is more.
    Cut(usize),
    /// A control character.
    Control(usize),
    /// A bad escape.
    BadEscape(BadEscape),
}

/// Skips the inside of an unwanted string, from `from`, and validates it.
#[inline(always)]
pub(super) fn pass_string<I: Isa>(isa: I, text: &[u8], from: usize) -> Passed {
    let mut pos = from;
    loop {
        pos = isa.json_string(text, pos).at;
        match text.get(pos) {
            Some(b'"') => return Passed::Closed(pos + 1),
            // One escape is often followed by others.
            Some(b'\\') => {
                while text.get(pos) == Some(&b'\\') {
                    match check_json_escape(text, pos) {
                        EscapeCheck::Complete(length) => pos += length,
                        EscapeCheck::Incomplete => return Passed::Cut(pos),
                        EscapeCheck::Bad(bad) => return Passed::BadEscape(bad),
                    }
                }
            }
            Some(_) => return Passed::Control(pos),
            None => return Passed::Cut(pos),
        }
    }
}

/// The index after the scalar at `pos`, which is only validated. Nothing if none stands there, or if a number is longer
/// than so many bytes. A number at the end of the window may go on.
#[inline(always)]
pub(super) fn behind_scalar<I: Isa>(
    isa: I,
    text: &[u8],
    pos: usize,
    numbers: usize,
) -> Option<usize> {
    match *text.get(pos)? {
        b'"' => match pass_string(isa, text, pos + 1) {
            Passed::Closed(end) => Some(end),
            _ => None,
        },
        b'-' | b'0'..=b'9' => {
            let short = match number::short_int(text, pos) {
                Some((_, end)) => Some(end),
                None => number::short_float(text, pos).map(|(_, end)| end),
            };
            if let Some(end) = short.filter(|end| end - pos <= numbers) {
                return Some(end);
            }
            let scanned = number::scan(text, pos);
            let is_good = !matches!(scanned.outcome, Outcome::Bad { .. } | Outcome::Unfinished);
            (is_good && scanned.end - pos <= numbers).then_some(scanned.end)
        }
        b't' => behind_word(text, pos, b"true"),
        b'f' => behind_word(text, pos, b"false"),
        b'n' => behind_word(text, pos, b"null"),
        _ => None,
    }
}

/// The index after a literal, if it stands there.
#[inline(always)]
pub(super) fn behind_word(text: &[u8], pos: usize, word: &[u8]) -> Option<usize> {
    stands_at(text, pos, word).then_some(pos + word.len())
}

/// The index after the escapes at `at`, one after another. They are not validated here: an invalid
/// one may be skipped wrongly, and is found when the string is resolved.
#[inline(always)]
pub(super) fn behind_escapes(text: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some([b'\\', b'u', digits @ ..]) = text.get(at..).and_then(|t| t.first_chunk::<6>()) {
        // Neither a quote nor a control character, because those would end the string.
        if !digits.iter().all(|&digit| digit >= b'0') {
            break;
        }
        at += 6;
    }
    if text.get(at) == Some(&b'\\') && at + 1 < text.len() && text[at + 1] >= 0x20 {
        at += 2;
    }
    at
}

/// Another token than the expected one is at `pos`.
#[cold]
#[inline(never)]
pub(super) fn unexpected(text: &[u8], pos: usize, base: u64, expected: &str) -> Fault {
    Fault::malformed(base + pos as u64, format!("{expected}, found {}", found(text, pos)))
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

/// The first bad escape of the string that begins at `pos`, before the byte `to` at which scanning
/// it found `fault`. Faults are reported in the order of the text, as they are when it is skipped.
#[cold]
#[inline(never)]
pub(super) fn first_fault(text: &[u8], pos: usize, to: usize, base: u64, fault: Fault) -> Fault {
    first_bad_escape(text, pos, to, base).unwrap_or(fault)
}

/// The first bad escape of the string that begins at `pos`, before the byte `to`.
pub(super) fn first_bad_escape(text: &[u8], pos: usize, to: usize, base: u64) -> Option<Fault> {
    let mut at = pos + 1;
    while let Some(plain) = memchr::memchr(b'\\', &text[at.min(to)..to]) {
        match check_json_escape(text, at + plain) {
            EscapeCheck::Complete(length) => at += plain + length,
            EscapeCheck::Incomplete => break,
            EscapeCheck::Bad(bad) => {
                return Some(Fault::malformed(base + bad.at as u64, bad.reason()));
            }
        }
    }
    None
}

/// Checks the escapes of a whole string, from `from` to its closing quote at `to`, if the string is
/// reported as it is written.
#[inline(never)]
pub(super) fn check_escapes(text: &[u8], from: usize, to: usize, base: u64) -> Result<(), Fault> {
    let mut at = from;
    while let Some(plain) = memchr::memchr(b'\\', &text[at..to]) {
        at += plain;
        while text.get(at) == Some(&b'\\') {
            match check_json_escape(text, at) {
                EscapeCheck::Complete(length) => at += length,
                // It cannot be before its closing quote.
                EscapeCheck::Incomplete => break,
                EscapeCheck::Bad(bad) => {
                    return Err(Fault::malformed(base + bad.at as u64, bad.reason()));
                }
            }
        }
    }
    Ok(())
}

/// Something else than a value is at `pos`.
#[cold]
#[inline(never)]
pub(super) fn no_value(text: &[u8], pos: usize, base: u64, expected: &str) -> Fault {
    let found = found(text, pos);
    // Other writers put these in place of numbers that JSON does not have. A reader that takes them
    // finds no fault in them, except behind a minus.
    let option = match &*found {
        "'Infinity'" => " (non_finite=True takes it)",
        "'NaN'" if pos == 0 || text[pos - 1] != b'-' => " (non_finite=True takes it)",
        _ => "",
    };
    Fault::malformed(base + pos as u64, format!("{expected}, found {found}{option}"))
}

/// A literal in place of a number that is not finite.
pub(super) enum NonFinite {
    /// Its value, and the index after it.
    Is(f64, usize),
    /// The window ends inside one.
    Cut,
    /// There is none.
    Not,
}

/// The literal at `pos` that is no finite number: `NaN`, `Infinity` or `-Infinity`.
#[cold]
#[inline(never)]
pub(super) fn non_finite(text: &[u8], pos: usize) -> NonFinite {
    let rest = text.get(pos..).unwrap_or_default();
    let (word, value): (&[u8], _) = match rest.first() {
        Some(b'N') => (b"NaN", f64::NAN),
        Some(b'I') => (b"Infinity", f64::INFINITY),
        Some(b'-') => (b"-Infinity", f64::NEG_INFINITY),
        _ => return NonFinite::Not,
    };
    match rest.get(..word.len()) {
        Some(found) if found == word => NonFinite::Is(value, pos + word.len()),
        None if word.starts_with(rest) => NonFinite::Cut,
        _ => NonFinite::Not,
    }
}

/// Bytes that begin like a number but are not one.
#[cold]
#[inline(never)]
pub(super) fn bad_number(text: &[u8], at: usize, base: u64, reason: &'static str) -> Fault {
    if reason.starts_with("expected a digit after '-'") {
        no_value(text, at, base, reason)
    } else if reason.starts_with("expected") {
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

/// The fault of the string that begins at `pos` and is longer than the limit: a bad escape that
/// begins before the limit, or else the length. Nothing if the window cuts such an escape, so it is
/// not known yet which.
#[cold]
#[inline(never)]
pub(super) fn long_string(text: &[u8], pos: usize, base: u64, limit: usize) -> Option<Fault> {
    let mut at = pos + 1;
    let end = text.len().min(at.saturating_add(limit).saturating_add(1));
    while let Some(plain) = memchr::memchr(b'\\', &text[at.min(end)..end]) {
        match check_json_escape(text, at + plain) {
            EscapeCheck::Complete(length) => at += plain + length,
            EscapeCheck::Incomplete => return None,
            EscapeCheck::Bad(bad) => {
                return Some(Fault::malformed(base + bad.at as u64, bad.reason()));
            }
        }
    }
    let reason = format!("a string longer than {limit} bytes (limits.token)");
    Some(Fault::limit(base + pos as u64, reason))
}

/// The limit is reached before the key that determines a map's class. `at` is after the map's
/// opening brace.
#[cold]
#[inline(never)]
pub(super) fn looks_too_far(at: u64, limit: usize) -> Fault {
    let reason = format!(
        "the first {limit} bytes of the object do not say of which class it is \
         (limits.lookahead): the key that does should come first"
    );
    Fault::limit(at - 1, reason)
}

/// Nested maps were searched for the keys of their classes, and too many bytes were read again.
#[cold]
#[inline(never)]
pub(super) fn looks_too_often(at: u64) -> Fault {
    let reason = "objects in objects do not say early of which class they are, and are looked over \
                  too many times (limits.lookahead): the key that does should come first";
    Fault::limit(at - 1, reason)
}

/// A number longer than the limit.
#[cold]
#[inline(never)]
pub(super) fn number_too_long(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("a number longer than {limit} bytes (limits.number)"))
}

/// The longest word that a message repeats.
const WORD: usize = 20;

/// Whether the window ends inside the word at `pos` that a message would repeat. A message must not
/// depend on how the input was cut.
#[cold]
#[inline(never)]
pub(super) fn is_cut(text: &[u8], pos: usize) -> bool {
    let rest = text.get(pos..).unwrap_or_default();
    match rest.first() {
        Some(b'/') => rest.len() == 1,
        Some(byte) if byte.is_ascii_alphanumeric() => {
            rest.len() < WORD && rest.iter().all(u8::is_ascii_alphanumeric)
        }
        _ => false,
    }
}

/// A description of the text at `pos`.
fn found(text: &[u8], pos: usize) -> String {
    let rest = text.get(pos..).unwrap_or_default();
    let word = rest.iter().take(WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match rest.first() {
        None => "the end".to_owned(),
        Some(b'\'') => "a single quote".to_owned(),
        Some(b'"') => "a string".to_owned(),
        Some(b'\n') => "the end of the line".to_owned(),
        Some(b'/') if rest.starts_with(b"//") || rest.starts_with(b"/*") => {
            "a comment (penstock.json takes it with comments=True)".to_owned()
        }
        Some(_) if word > 1 => format!("'{}'", String::from_utf8_lossy(&rest[..word])),
        Some(&byte) if byte.is_ascii_graphic() => format!("'{}'", char::from(byte)),
        Some(&byte) if byte < 0x80 => format!("byte 0x{byte:02x}"),
        Some(_) => {
            let text = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
            format!("'{}'", text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER))
        }
    }
}
