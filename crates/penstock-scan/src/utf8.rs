//! Checks that bytes are UTF-8, at the speed of the scan, and says what the end of a piece means.

use crate::text::ValidText;

/// What follows the text in bytes that were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: all bytes are text.
    Nothing,
    /// One to three bytes that begin a character, which more input may complete.
    Incomplete,
    /// Bytes that no input can make UTF-8.
    Invalid {
        /// Index of the first byte of the bad sequence, which is also the length of the text
        /// before it.
        at: usize,
    },
}

/// Bytes that were checked, as [`ValidText::check`] gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked<'a> {
    /// The longest beginning that is whole characters.
    pub text: ValidText<'a>,
    /// What the bytes after it are.
    pub rest: Rest,
}

impl<'a> ValidText<'a> {
    /// Checks bytes. Whatever they are, the answer holds the text that they begin with; what
    /// becomes of the rest is the caller's to say.
    ///
    /// ```
    /// use penstock_scan::{Rest, ValidText};
    ///
    /// let checked = ValidText::check(b"caf\xC3");
    /// assert_eq!(checked.text.as_str(), "caf");
    /// assert_eq!(checked.rest, Rest::Incomplete);
    /// assert_eq!(ValidText::check(b"caf\xE9!").rest, Rest::Invalid { at: 3 });
    /// ```
    #[must_use]
    pub fn check(bytes: &'a [u8]) -> Checked<'a> {
        // A window often ends within a character. That end is set aside first, so that the check
        // that only says yes or no, the quickest, says yes for it.
        let (head, tail) = bytes.split_at(bytes.len() - cut_length(bytes));
        let (text, rest) = match simdutf8::basic::from_utf8(head) {
            Ok(text) => (text.as_bytes(), rest_of(head.len(), tail)),
            Err(_) => {
                // The same once more, slower, by the check that says where.
                let at = simdutf8::compat::from_utf8(head)
                    .map_or_else(|error| error.valid_up_to(), str::len);
                (&head[..at], Rest::Invalid { at })
            }
        };
        // SAFETY: simdutf8 found the whole of `head`, or the part of it up to `valid_up_to`, to be
        // UTF-8.
        Checked { text: unsafe { ValidText::from_checked(text) }, rest }
    }
}

/// How many bytes at the end, 0 to 3, look like a character that goes on after them.
#[inline]
fn cut_length(bytes: &[u8]) -> usize {
    for (back, &b) in bytes.iter().rev().take(3).enumerate() {
        let length = match b {
            0x80..0xC0 => continue,
            0..0x80 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        };
        return if back + 1 < length { back + 1 } else { 0 };
    }
    0
}

/// What the bytes of [`cut_length`] are, which stand at `at`: they may be impossible (0xF5, or
/// 0xE0 0x80).
#[inline]
fn rest_of(at: usize, tail: &[u8]) -> Rest {
    if tail.is_empty() {
        return Rest::Nothing;
    }
    match std::str::from_utf8(tail) {
        Err(error) if error.error_len().is_none() => Rest::Incomplete,
        _ => Rest::Invalid { at },
    }
}
