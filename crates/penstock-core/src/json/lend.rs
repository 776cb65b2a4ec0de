//! Keys as JSON text has them.
//!
//! A sink gives the reader the key that it expects ([`Hints::expected_key`]), as JSON text has it:
//! `"name":`. So the reader finds a known key with one comparison in place. A key that needs an
//! escape is not given, because there is more than one way to write it.
//!
//! [`Hints::expected_key`]: crate::protocol::Hints::expected_key

use penstock_scan::make_room;

/// A key with its quotes and its colon, or nothing if it needs an escape.
///
/// ```
/// use penstock_core::json::lend::Key;
///
/// assert_eq!(Key::new("name").as_bytes(), b"\"name\":");
/// assert_eq!(Key::new("a \"quoted\" name").as_bytes(), b"");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key(Box<[u8]>);

impl Key {
    /// The key of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut text = String::new();
        if is_plain(name) {
            make_room(&mut text, name.len() + 3);
            push(name, &mut text);
        }
        Key(text.into_boxed_str().into_boxed_bytes())
    }

    /// The same, owned.
    #[must_use]
    pub fn into_bytes(self) -> Box<[u8]> {
        self.0
    }

    /// The key as JSON text has it; nothing if it needs an escape.
    #[must_use]
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Whether JSON text can hold a name without an escape.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    !name.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
}

/// Appends a key with its quotes and its colon. The name is copied without escapes.
pub fn push(name: &str, text: &mut String) {
    text.push('"');
    text.push_str(name);
    text.push_str("\":");
}
