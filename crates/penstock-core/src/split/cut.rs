//! Where a text can be cut, so that a record probably begins there.

use memchr::{memchr_iter, memmem, memrchr};

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
    /// A record begins with these bytes.
    Mark {
        /// The bytes, from the separator before the record on.
        bytes: Box<[u8]>,
        /// How many of them are the separator.
        before: usize,
    },
}

impl Cut {
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
                    if before % 2 == 0 {
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
