//! Text of up to seven bytes, in the word itself.

use super::{Tag, Word};
use std::fmt;

/// Text of up to seven bytes, taken out of its word. Nothing here checks that it is UTF-8: it is what
/// was put in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Short {
    /// The length, and then the text; zeros fill the rest.
    bytes: [u8; 8],
}

impl Short {
    /// The bytes of the text.
    ///
    /// ```
    /// use penstock_core::word::Word;
    ///
    /// assert_eq!(Word::short(b"Vila").unwrap().as_short().as_bytes(), b"Vila");
    /// assert_eq!(Word::short(b"Vilanova"), None);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        // Only a word that was made of any bits can say more than seven.
        self.bytes.get(1..=self.bytes[0] as usize).unwrap_or(&self.bytes[1..])
    }

    /// The text, if it is UTF-8.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }
}

impl fmt::Debug for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(self.as_bytes()), f)
    }
}

impl Word {
    /// Text of up to seven bytes, or `None` for a longer one.
    #[inline(always)]
    #[must_use]
    pub fn short(text: &[u8]) -> Option<Self> {
        let length = text.len();
        // Loads that overlap, so that no length needs a loop or a call.
        let bytes = if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            if length > 7 {
                return None;
            }
            let shift = 8 * (length - 4);
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift
        } else if let (Some(first), Some(last)) = (text.first(), text.last()) {
            let middle = u64::from(text[length / 2]) << (8 * (length / 2));
            u64::from(*first) | middle | u64::from(*last) << (8 * (length - 1))
        } else {
            0
        };
        Some(Word::new(Tag::Short, bytes << 4 | length as u64))
    }

    /// The text of a word with [`Tag::Short`].
    #[inline(always)]
    #[must_use]
    pub const fn as_short(self) -> Short {
        let mut bytes = self.bits().to_le_bytes();
        bytes[0] >>= 4;
        Short { bytes }
    }
}
