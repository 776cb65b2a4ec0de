//! Lines without a record.

use super::encoding::UTF8_BOM;

/// Whether a line has only white space, and byte order marks of files that were joined.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    let mut blank = Blank::default();
    blank.takes(line) && blank.is_whole()
}

/// The beginning of a line that has had only white space and byte order marks so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blank {
    /// How many bytes of a mark were the last ones.
    mark: usize,
}

impl Blank {
    /// Takes a piece of the line; false if it has anything else.
    #[inline]
    pub(crate) fn takes(&mut self, piece: &[u8]) -> bool {
        piece.iter().all(|byte| {
            let is_space = self.mark == 0 && matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            if !is_space && *byte == UTF8_BOM[self.mark] {
                self.mark = (self.mark + 1) % UTF8_BOM.len();
                return true;
            }
            is_space
        })
    }

    /// Whether it does not end inside a mark.
    pub(crate) fn is_whole(self) -> bool {
        self.mark == 0
    }
}
