//! Bytes that are known to be UTF-8.

use std::ops::Range;

use crate::memory::make_room;

/// Bytes that were checked to be UTF-8. The only ways to make one: check bytes
/// ([`ValidText::check`], [`ValidText::ascii`], [`TextWindow`](crate::TextWindow)), borrow a `str`,
/// resolve escapes into a [`TextBuf`], or cut a part of another one between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidText<'a>(&'a [u8]);

impl<'a> From<&'a str> for ValidText<'a> {
    #[inline(always)]
    fn from(text: &'a str) -> Self {
        ValidText(text.as_bytes())
    }
}

impl<'a> ValidText<'a> {
    /// Takes bytes as text without checking them again.
    ///
    /// # Safety
    /// The bytes must be UTF-8.
    #[inline(always)]
    pub(crate) const unsafe fn from_checked(bytes: &'a [u8]) -> Self {
        ValidText(bytes)
    }
    /// Takes bytes as text if all of them are ASCII: for texts that are short, and known to be
    /// nothing else.
    ///
    /// ```
    /// use penstock_scan::ValidText;
    ///
    /// assert_eq!(ValidText::ascii(b"cafe").map(ValidText::as_str), Some("cafe"));
    /// assert_eq!(ValidText::ascii("café".as_bytes()), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn ascii(bytes: &'a [u8]) -> Option<Self> {
        // ASCII is UTF-8.
        bytes.is_ascii().then_some(ValidText(bytes))
    }
    /// The bytes.
    #[inline(always)]
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }
    /// The same as a `str`.
    #[inline(always)]
    #[must_use]
    pub fn as_str(self) -> &'a str {
        debug_assert!(std::str::from_utf8(self.0).is_ok());
        // SAFETY: the private field only ever holds UTF-8: it comes from a `str`, from
        // `TextBuf`, from bytes that are ASCII, from a caller of `from_checked` who vouches for it, or from `slice`, which
        // checks that both ends are character boundaries.
        unsafe { std::str::from_utf8_unchecked(self.0) }
    }
    /// The part `range`. Both ends must be character boundaries.
    ///
    /// # Panics
    /// If the range is out of bounds or cuts a character.
    #[inline(always)]
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> ValidText<'a> {
        assert!(self.is_boundary(range.start) && self.is_boundary(range.end));
        ValidText(&self.0[range])
    }
    /// False if `at` is inside a character.
    #[inline(always)]
    pub(crate) fn is_boundary(self, at: usize) -> bool {
        self.0.get(at).is_none_or(|b| (*b as i8) >= -0x40)
    }
}

/// An owned, growing buffer of checked text; escapes are resolved into it.
///
/// ```
/// use penstock_scan::{TextBuf, ValidText};
///
/// let mut buf = TextBuf::new();
/// buf.push_text(ValidText::from("caf"));
/// buf.push_char('é');
/// assert_eq!(buf.text().as_str(), "café");
/// ```
#[derive(Debug, Default)]
pub struct TextBuf(
    /// Only whole characters are ever appended, so it is UTF-8 whenever no method runs.
    Vec<u8>,
);

impl TextBuf {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        TextBuf(Vec::new())
    }
    /// Its contents.
    #[inline(always)]
    #[must_use]
    pub fn text(&self) -> ValidText<'_> {
        ValidText(&self.0)
    }
    /// Drops the contents and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Appends a piece of text.
    #[inline(always)]
    pub fn push_text(&mut self, text: ValidText<'_>) {
        make_room(&mut self.0, text.as_bytes().len());
        self.0.extend_from_slice(text.as_bytes());
    }
    /// Appends a character.
    // Arrays of a fixed length are stored without a call, which `char::encode_utf8` would need.
    #[inline(always)]
    pub fn push_char(&mut self, char: char) {
        make_room(&mut self.0, char.len_utf8());
        let code = u32::from(char);
        let last = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
        match code {
            0..0x80 => self.0.push(code as u8),
            0x80..0x800 => self.0.extend_from_slice(&[0xC0 | (code >> 6) as u8, last(0)]),
            0x800..0x1_0000 => {
                self.0.extend_from_slice(&[0xE0 | (code >> 12) as u8, last(6), last(0)]);
            }
            _ => {
                let first = 0xF0 | (code >> 18) as u8;
                self.0.extend_from_slice(&[first, last(12), last(6), last(0)]);
            }
        }
    }
    /// Appends what `write` writes: it gets the place of `most` bytes, and returns how many it
    /// wrote. If it fails, nothing is appended.
    ///
    /// # Safety
    /// `write` must return at most `most`, after writing so many bytes of UTF-8.
    #[inline(always)]
    pub(crate) unsafe fn write_text<E>(
        &mut self,
        most: usize,
        write: impl FnOnce(*mut u8) -> Result<usize, E>,
    ) -> Result<(), E> {
        make_room(&mut self.0, most);
        let len = self.0.len();
        // SAFETY: the end of the contents is inside the memory or at its end.
        let written = write(unsafe { self.0.as_mut_ptr().add(len) })?;
        // SAFETY: there was room for `most`, and the caller wrote these bytes.
        unsafe { self.0.set_len(len + written) };
        Ok(())
    }
    /// Drops all but the first `len` bytes, which must end between characters.
    ///
    /// # Panics
    /// If a character would be cut.
    pub fn truncate(&mut self, len: usize) {
        assert!(self.text().is_boundary(len));
        self.0.truncate(len);
    }
}
