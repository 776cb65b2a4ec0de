pub(super) fn is_char(c: char) -> bool {
    matches!(c, '\t'|'\n'|'\r'|' '..='\u{d7ff}'|'\u{e000}'..='\u{fffd}'|'\u{10000}'..='\u{10ffff}')
}
pub(super) fn is_name_start(c: char) -> bool {
    c == ':'
        || c == '_'
        || c.is_ascii_alphabetic()
        || matches!(c, '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}
pub(super) fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-'|'.'|'0'..='9'|'\u{B7}'|'\u{300}'..='\u{36F}'|'\u{203F}'..='\u{2040}')
}
pub(super) fn name_end(text: &str, from: usize) -> Option<usize> {
    let r = &text[from..];
    let mut it = r.char_indices();
    let (_, c) = it.next()?;
    if !is_name_start(c) {
        return None;
    }
    for (i, c) in it {
        if !is_name_char(c) {
            return Some(from + i);
        }
    }
    Some(text.len())
}
