//! Attributes that are about the document.

use crate::event::Key;

/// Whether an attribute is about the document rather than part of it: those of XML Schema, and the
/// namespace declarations of a reader that does not resolve them.
#[inline(always)]
#[must_use]
pub fn is_about(key: &Key<'_>) -> bool {
    // For nearly all attributes this first test is enough.
    (key.prefix.is_some() || key.name.bytes().starts_with(b"x")) && is_about_rarely(key)
}

#[inline(never)]
fn is_about_rarely(key: &Key<'_>) -> bool {
    const SCHEMA: &[u8] = b"http://www.w3.org/2001/XMLSchema-instance";
    const DECLARATIONS: &[u8] = b"http://www.w3.org/2000/xmlns/";
    let name = key.name.bytes();
    match (key.namespace, key.prefix) {
        (Some(uri), _) => matches!(uri.bytes(), SCHEMA | DECLARATIONS),
        (None, Some(prefix)) => matches!(prefix.bytes(), b"xsi" | b"xmlns"),
        (None, None) => name.starts_with(b"xsi:") || name.starts_with(b"xmlns"),
    }
}
