//! The counts for positions: lines, and the characters of a column.

use crate::isa::{Isa, Job, dispatch};

/// How many line feeds are among the bytes.
///
/// ```
/// assert_eq!(penstock_scan::count_newlines(b"one\ntwo\n"), 2);
/// ```
#[must_use]
pub fn count_newlines(bytes: &[u8]) -> usize {
    // Counts with vectors, chosen at run time, without stopping at each match.
    memchr::memchr_iter(b'\n', bytes).count()
}

/// How many of the bytes do not continue a UTF-8 character. In text, that is its number of code
/// points; in a piece of text, the number of characters that begin in it.
///
/// ```
/// assert_eq!(penstock_scan::count_code_points("añ水😀".as_bytes()), 4);
/// ```
#[must_use]
pub fn count_code_points(bytes: &[u8]) -> usize {
    struct CodePoints<'a>(&'a [u8]);

    impl Job for CodePoints<'_> {
        type Output = usize;
        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            isa.code_points(self.0)
        }
    }

    dispatch(CodePoints(bytes))
}
