//! Checks that bytes are UTF-8, at the speed of the scan, and classifies the end of a piece.

use crate::text::ValidText;

/// The bytes after the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: all bytes are text.
    Nothing,
    /// One to three bytes that begin a character, which more input may complete.
    Incomplete,
    /// Bytes that no further input can make UTF-8.
    Invalid {
        /// Index of the first byte of the bad sequence, which is also the length of the text
        /// before it.
        at: usize,
    },
}

/// Checked bytes: the result of [`ValidText::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked<'a> {
    /// The longest beginning with whole characters only.
    pub text: ValidText<'a>,
    /// The kind of the bytes after it.
    pub rest: Rest,
}

impl<'a> ValidText<'a> {
    /// Checks bytes. Whatever they are, the result holds the text at their beginning; the caller
    /// decides what to do with the rest.
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
        // A window often ends within a character. That end is set aside first, so that the quickest
        // check, which answers only yes or no, answers yes.
        let (head, tail) = bytes.split_at(bytes.len() - cut_length(bytes));
        let (text, rest) = match simdutf8::basic::from_utf8(head) {
            Ok(text) => (text.as_bytes(), rest_of(head.len(), tail)),
            Err(_) => {
                // Check again, more slowly, to find the position.
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

/// How many bytes at the end, 0 to 3, look like a character that continues after them.
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

/// The kind of the bytes of [`cut_length`] at `at`: they may be invalid (0xF5, or 0xE0 0x80).
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
