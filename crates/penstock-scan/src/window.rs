//! The input that a reader works on: bytes are appended at the back, checked once, and dropped at
//! the front.

use std::collections::TryReserveError;

use crate::text::ValidText;
use crate::utf8::Rest;

/// A growing buffer: its front is checked text, and its back is bytes that are not checked yet.
///
/// Each byte is checked once, and moved a bounded number of times on average. Dropping from the
/// front only counts; the rest moves when room is needed and it is the smaller part.
///
/// ```
/// use penstock_scan::{Rest, TextWindow};
///
/// let mut window = TextWindow::new();
/// window.extend_from_slice(b"[\"caf\xC3")?;
/// assert_eq!(window.advance_check(), Rest::Incomplete);
/// assert_eq!(window.text().as_str(), "[\"caf");
///
/// window.drop_front(2);
/// let spare = window.spare(16)?;
/// spare[..2].copy_from_slice(b"\xA9\"");
/// window.commit(2);
/// assert_eq!(window.advance_check(), Rest::Nothing);
/// assert_eq!(window.text().as_str(), "café\"");
/// # Ok::<(), std::collections::TryReserveError>(())
/// ```
// Invariants: `start <= checked <= filled <= bytes.len()`; `bytes[start..checked]` is UTF-8. The
// bytes from `filled` on are initialised and have no meaning.
#[derive(Debug, Default)]
pub struct TextWindow {
    bytes: Vec<u8>,
    /// The start of the bytes that were not dropped.
    start: usize,
    /// The end of the checked text.
    checked: usize,
    /// The end of the bytes that came in.
    filled: usize,
}

impl TextWindow {
    /// An empty window, without memory.
    #[must_use]
    pub const fn new() -> Self {
        TextWindow { bytes: Vec::new(), start: 0, checked: 0, filled: 0 }
    }

    /// Lends room for `n` bytes after the present ones; call [`commit`](Self::commit) with the
    /// number that was written. Its previous contents have no meaning.
    ///
    /// # Errors
    /// If there is not enough memory. The window is unchanged.
    pub fn spare(&mut self, n: usize) -> Result<&mut [u8], TryReserveError> {
        let (dead, live) = (self.start, self.filled - self.start);
        if dead > live && self.bytes.len() - self.filled < n {
            // This moves fewer bytes than were dropped since the last time.
            self.bytes.copy_within(self.start..self.filled, 0);
            self.start = 0;
            self.checked -= dead;
            self.filled = live;
        }
        let here = self.bytes.len() - self.filled;
        if here < n {
            self.bytes.try_reserve(n - here)?;
            self.bytes.resize(self.filled + n, 0);
        }
        Ok(&mut self.bytes[self.filled..self.filled + n])
    }

    /// Takes the first `n` of the bytes that [`spare`](Self::spare) lent.
    ///
    /// # Panics
    /// If there is not enough room.
    pub fn commit(&mut self, n: usize) {
        assert!(n <= self.bytes.len() - self.filled);
        self.filled += n;
    }

    /// Takes a copy of the bytes.
    ///
    /// # Errors
    /// If there is not enough memory. The window is unchanged.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), TryReserveError> {
        self.spare(bytes.len())?.copy_from_slice(bytes);
        self.commit(bytes.len());
        Ok(())
    }

    /// Checks the unchecked bytes, and adds the valid ones to the text. An
    /// [index](Rest::Invalid::at) counts from the beginning of the text. Bytes that are not text
    /// stay, and are checked again the next time.
    pub fn advance_check(&mut self) -> Rest {
        let checked = ValidText::check(&self.bytes[self.checked..self.filled]);
        // The old text and the new are UTF-8, so both together are.
        self.checked += checked.text.as_bytes().len();
        match checked.rest {
            Rest::Invalid { .. } => Rest::Invalid { at: self.checked - self.start },
            rest => rest,
        }
    }

    /// The checked text, without the dropped part.
    #[inline(always)]
    #[must_use]
    pub fn text(&self) -> ValidText<'_> {
        // SAFETY: `bytes[start..checked]` is UTF-8: `advance_check` moves `checked` over text
        // only, `drop_front` moves `start` to boundaries only, `spare` moves all of it together
        // and lends nothing before `filled`.
        unsafe { ValidText::from_checked(&self.bytes[self.start..self.checked]) }
    }

    /// The bytes after the text: not checked yet, or found not to be text.
    #[inline]
    #[must_use]
    pub fn unchecked(&self) -> &[u8] {
        &self.bytes[self.checked..self.filled]
    }

    /// Drops the first `n` bytes of the text. Nothing moves.
    ///
    /// # Panics
    /// If the text is shorter, or a character would be cut.
    #[inline]
    pub fn drop_front(&mut self, n: usize) {
        assert!(n <= self.checked - self.start && self.text().is_boundary(n));
        self.start += n;
        if self.start == self.filled {
            self.clear();
        }
    }

    /// Drops the first `n` of the unchecked bytes, which are not text and will never be. All the
    /// text before them must have been dropped.
    ///
    /// # Panics
    /// If there is text before them, or there are fewer bytes.
    pub fn drop_unchecked(&mut self, n: usize) {
        assert!(self.start == self.checked && n <= self.filled - self.checked);
        self.start += n;
        self.checked += n;
    }

    /// How many bytes of memory it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// Drops everything and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        (self.start, self.checked, self.filled) = (0, 0, 0);
    }
}
