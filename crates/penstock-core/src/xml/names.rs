//! The characters that XML 1.0 allows, and those of names (fifth edition, 2.2 and 2.3).

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

/// The end of the name that begins at `from`; none if no name begins there.
pub(super) fn name_end(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    if !rest.starts_with(is_name_start) {
        return None;
    }
    Some(from + rest.find(|char| !is_name_char(char)).unwrap_or(rest.len()))
}
