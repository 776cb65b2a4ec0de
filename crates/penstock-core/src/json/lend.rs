//! Keys as they stand in JSON text.
//!
//! A sink lends the reader the key that it expects ([`Lent::expected_key`]), in the form in which
//! it stands in the text: `"name":`. So the reader finds a known key by one comparison in place.
//! A key that would need an escape is not lent, because there is more than one way to write it.
//!
//! [`Lent::expected_key`]: crate::sink::Lent::expected_key

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
            text.reserve_exact(name.len() + 3);
            push(name, &mut text);
        }
        Key(text.into_boxed_str().into_boxed_bytes())
    }

    /// The key as it stands in the text; nothing if it needs an escape.
    #[must_use]
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Whether a name stands in JSON text as it is, without an escape.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    !name.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
}

/// Appends a key with its quotes and its colon. The name stands in it as it is.
pub fn push(name: &str, text: &mut String) {
    text.push('"');
    text.push_str(name);
    text.push_str("\":");
}
