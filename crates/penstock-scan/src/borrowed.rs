//! Borrowed text, checked piece by piece.

use crate::{Rest, ValidText};

/// Borrowed bytes with a growing checked beginning: for data that is in memory as a whole, but
/// should be checked only as it is read.
#[derive(Clone, Copy, Debug)]
pub struct BorrowedText<'a> {
    bytes: &'a [u8],
    /// `bytes[..checked]` is UTF-8.
    checked: usize,
}

impl<'a> BorrowedText<'a> {
    /// No byte is checked yet.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        BorrowedText { bytes, checked: 0 }
    }

    /// Checks about `n` more bytes, and returns the kind of the bytes after the text.
    /// [`Rest::Incomplete`] and [`Rest::Invalid`] are final if the text [is whole](Self::is_whole)
    /// or cannot grow.
    pub fn advance_check(&mut self, n: usize) -> Rest {
        let end = self.bytes.len().min(self.checked.saturating_add(n.max(4)));
        let checked = ValidText::check(&self.bytes[self.checked..end]);
        self.checked += checked.text.as_bytes().len();
        match checked.rest {
            // The piece ends inside a character, but the data does not.
            Rest::Incomplete if end < self.bytes.len() => Rest::Nothing,
            Rest::Invalid { .. } => Rest::Invalid { at: self.checked },
            rest => rest,
        }
    }

    /// The checked text.
    #[inline]
    #[must_use]
    pub fn text(&self) -> ValidText<'a> {
        // SAFETY: only `advance_check` moves `checked`, and only over text.
        unsafe { ValidText::from_checked(&self.bytes[..self.checked]) }
    }

    /// True if all bytes are text and checked.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.checked == self.bytes.len()
    }

    /// All the bytes, checked or not.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_same_as_the_whole() {
        let text = "aé漢𝄞b".repeat(5);
        for step in 0..9 {
            let mut borrowed = BorrowedText::new(text.as_bytes());
            while !borrowed.is_whole() {
                assert_eq!(borrowed.advance_check(step), Rest::Nothing);
                assert!(text.starts_with(borrowed.text().as_str()));
            }
        }
        let mut cut = BorrowedText::new(&"ab漢".as_bytes()[..4]);
        assert_eq!(cut.advance_check(9), Rest::Incomplete);
        assert_eq!(cut.text().as_str(), "ab");
        let mut bad = BorrowedText::new(b"ab\xffcd");
        assert_eq!(bad.advance_check(9), Rest::Invalid { at: 2 });
        assert_eq!(bad.text().as_str(), "ab");
    }
}
