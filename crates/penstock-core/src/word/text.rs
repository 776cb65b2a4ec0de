//! Text: up to seven bytes are in the word itself.

use super::{Tag, Word};
use std::fmt;

/// Text of up to seven bytes, taken from its word. Nothing here checks that it is UTF-8: it is the
/// text from which the word was made.
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
        // Only a word made from arbitrary bits can have more than seven.
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

/// Text, wherever it is stored. Text of up to seven bytes is always inside a word, so equal texts
/// have equal forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'a>(Place<'a>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    Word(Short),
    Text(&'a str),
}

impl<'a> Text<'a> {
    /// This text.
    #[inline]
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        match Word::short(text.as_bytes()) {
            Some(word) => word.as_short().into(),
            None => Text(Place::Text(text)),
        }
    }

    /// The text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // An arena puts only text into words.
            Place::Word(short) => short.as_str().unwrap_or_default(),
            Place::Text(text) => text,
        }
    }

    /// The word that holds all of it.
    #[inline]
    pub(super) fn word(&self) -> Option<Word> {
        match &self.0 {
            Place::Word(short) => Word::short(short.as_bytes()),
            Place::Text(_) => None,
        }
    }
}

impl From<Short> for Text<'_> {
    #[inline]
    fn from(short: Short) -> Self {
        Text(Place::Word(short))
    }
}

/// By code points, which is the same as by bytes.
impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Word {
    /// Text of up to seven bytes, or `None` for a longer one.
    #[inline(always)]
    #[must_use]
    pub fn short(text: &[u8]) -> Option<Self> {
        let length = text.len();
        // Overlapping loads, so that no length needs a loop or a call.
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

    /// A key that orders words with [`Tag::Short`] as their bytes are ordered, in one comparison.
    #[inline(always)]
    pub(super) const fn short_rank(self) -> u64 {
        // The first byte becomes the highest. Text that is padded with zeros comes before text that
        // continues with zeros, by its length.
        self.bits().swap_bytes() << 8 | (self.payload() & 15)
    }
}
