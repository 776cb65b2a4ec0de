//! The characters that XML 1.0 allows, and those of names (fifth edition, 2.2 and 2.3).

use super::tag::BAD_COLON;
use crate::error::brief;
use crate::select::{Path, PathError, Step, Test};
use crate::writer::Unwritable;

/// Whether a document may contain a character.
pub(super) fn is_char(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}')
        || char >= '\u{10000}'
}

/// Whether a name may begin with a character. A colon may, if namespaces are off.
pub(super) fn is_name_start(char: char) -> bool {
    char.is_ascii_alphabetic()
        || matches!(char,
            ':' | '_'
            | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
            | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
            | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Whether a name may contain a character after its first.
pub(super) fn is_name_char(char: char) -> bool {
    is_name_start(char)
        || char.is_ascii_digit()
        || matches!(char,
            '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether an element or attribute may have this name, with its prefix or without one.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_char)
}

/// Refuses a path that nothing in a document can match, because a step is no name of an element or
/// attribute: an expression of XPath, or a number.
///
/// # Errors
/// At the first such step.
pub fn check_path(path: &Path) -> Result<(), PathError> {
    let is_odd = |step: &&Step| match step.test() {
        Test::Name { local: Some(local), .. } | Test::Attribute { local, .. } => !is_name(local),
        _ => false,
    };
    let Some(step) = path.steps().iter().find(is_odd) else { return Ok(()) };
    let reason = match (step.index(), step.key()) {
        (Some(_), _) => "an element has no name that is a number".to_owned(),
        (_, ".") => "'.' is no element: the element itself has no path, and its text has the path \
                     text()"
            .to_owned(),
        _ => format!("'{step}' is no name of an element or attribute"),
    };
    Err(PathError::new(step.column(), reason))
}

/// The end of the name that begins at `from`; none if no name begins there.
pub(super) fn name_end(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    if !rest.starts_with(is_name_start) {
        return None;
    }
    Some(from + rest.find(|char| !is_name_char(char)).unwrap_or(rest.len()))
}

/// For each byte of ASCII, whether a name may begin with it (2) or contain it (1). Above 0x7F, 4.
const ROLES: [u8; 256] = {
    let mut roles = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        roles[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => 2,
            b'0'..=b'9' | b'-' | b'.' => 1,
            0x80.. => 4,
            _ => 0,
        };
        byte += 1;
    }
    roles
};

/// Checks a name that is to be written, and returns the position of its colon, if it has one. With
/// `namespaces`, a name has at most one colon, with a name on either side of it.
#[inline]
pub(super) fn colon(name: &str, namespaces: bool) -> Result<Option<usize>, Unwritable> {
    let bytes = name.as_bytes();
    if bytes.first().is_some_and(|first| ROLES[usize::from(*first)] == 2)
        && bytes.iter().all(|byte| matches!(ROLES[usize::from(*byte)], 1 | 2))
    {
        return Ok(None);
    }
    rare_colon(name, namespaces)
}

/// Refuses a name with characters beyond ASCII, which no reference can stand for.
///
/// # Errors
/// There is one.
pub(super) fn in_ascii(name: &str) -> Result<(), Unwritable> {
    if name.is_ascii() {
        return Ok(());
    }
    Err(Unwritable::value(format!("{} is no name in ASCII", brief(name))))
}

/// As [`colon`], for names with a colon or with characters beyond ASCII, and for other text.
#[inline(never)]
fn rare_colon(name: &str, namespaces: bool) -> Result<Option<usize>, Unwritable> {
    let mut colon = None;
    let mut begins = true;
    for (at, char) in name.char_indices() {
        if char == ':' && namespaces {
            if begins || colon.is_some() {
                return Err(bad_colon(name));
            }
            colon = Some(at);
            begins = true;
        } else if begins && is_name_start(char) || !begins && is_name_char(char) {
            begins = false;
        } else if begins && is_name_char(char) {
            let reason = format!("{} is no name in XML: no name begins with {char:?}", brief(name));
            return Err(Unwritable::value(reason));
        } else {
            let reason = format!("{} is no name in XML: no name contains {char:?}", brief(name));
            return Err(Unwritable::value(reason));
        }
    }
    match begins {
        true if name.is_empty() => {
            Err(Unwritable::value("a name in XML has at least one character"))
        }
        true => Err(bad_colon(name)),
        false => Ok(colon),
    }
}

/// A name with colons in wrong places.
#[cold]
pub(super) fn bad_colon(name: &str) -> Unwritable {
    Unwritable::value(format!("{} is no name in XML: {BAD_COLON}", brief(name)))
}
