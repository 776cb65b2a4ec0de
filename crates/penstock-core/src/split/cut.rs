//! Where a text can be cut, so that a record probably begins there.

use memchr::{memchr, memchr_iter, memmem, memrchr};

/// How records are told apart without reading them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Each line is a record, or none.
    Lines,
    /// Each line is a row, unless its end is within quotes.
    Rows {
        /// The quote, if there is one.
        quote: Option<u8>,
    },
    /// These bytes stand where a record begins.
    Mark {
        /// The last of what is before the record, and its first.
        bytes: Box<[u8]>,
        /// How many of them are before the record.
        before: usize,
    },
}

/// The most bytes of a mark.
const LONGEST: usize = 512;

impl Cut {
    /// Where maps begin as the one at this place in a JSON array: behind a comma, with the same white
    /// space, and with the same key.
    pub(super) fn as_in_list(text: &[u8], at: usize) -> Option<Cut> {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let spaces = |bytes: &[u8]| bytes.iter().rev().take_while(is_space).count();
        let comma = at - spaces(text.get(..at)?);
        let before = text[..comma].strip_suffix(b",")?;
        // The byte that ends the record before it.
        let from = (before.len() - spaces(before)).checked_sub(1)?;
        let key = at + 1 + text.get(at + 1..)?.iter().take_while(is_space).count();
        let name = text.get(key..)?.strip_prefix(b"\"")?;
        let end = key + 2 + memchr(b'"', name)?;
        Cut::at_mark(&text[from..end], at - from)
    }

    /// Where elements begin as the one at this place.
    pub(super) fn as_element(text: &[u8], at: usize) -> Option<Cut> {
        let tag = text.get(at..)?;
        let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'>' | b'/');
        let end = tag.iter().take(LONGEST).position(ends)?;
        Cut::at_mark(&tag[..=end], 0)
    }

    fn at_mark(mark: &[u8], before: usize) -> Option<Cut> {
        (mark.len() <= LONGEST).then(|| Cut::Mark { bytes: mark.into(), before })
    }

    /// The last place at which these bytes can be cut. They begin where a record does.
    ///
    /// ```
    /// use penstock_core::split::Cut;
    ///
    /// let rows = Cut::Rows { quote: Some(b'"') };
    /// assert_eq!(rows.last(b"1,a\n2,\"b\nc\"\n3,\"d\n"), Some(12));
    /// let records = Cut::Mark { bytes: (*b",{\"id\"").into(), before: 1 };
    /// assert_eq!(records.last(br#"{"id":1},{"id":2},{"#), Some(9));
    /// ```
    #[must_use]
    pub fn last(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Cut::Lines | Cut::Rows { quote: None } => memrchr(b'\n', bytes).map(|at| at + 1),
            Cut::Rows { quote: Some(quote) } => {
                let mut before = memchr_iter(*quote, bytes).count();
                let mut end = bytes.len();
                loop {
                    let at = memrchr(b'\n', &bytes[..end])?;
                    before -= memchr_iter(*quote, &bytes[at..end]).count();
                    if before.is_multiple_of(2) {
                        return Some(at + 1);
                    }
                    end = at;
                }
            }
            Cut::Mark { bytes: mark, before } => {
                memmem::rfind(bytes, mark).map(|at| at + before).filter(|at| *at > 0)
            }
        }
    }
}
