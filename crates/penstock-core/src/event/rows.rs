//! Rows of a table, several at a time.

use penstock_scan::{ValidText, make_room};

/// Rows of a shape whose keys are known, one behind the other: their text, and where their cells
/// end. All of them are whole, and each has a cell for every key.
///
/// A reader that finds the cells of many rows in one go reports them so, to a sink that can take
/// them column by column ([`takes_rows`](crate::protocol::LookAhead::takes_rows)).
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    text: ValidText<'a>,
    /// The offset of the text.
    at: u64,
    /// 0, and then for each cell one more than the place of its end in the text.
    ends: &'a [u32],
    /// How many cells a row has.
    width: usize,
    /// What cells may have around them, if there is any.
    quote: Option<u8>,
}

/// The cell of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCell<'a> {
    /// A text without a type. Quotes around it are left out.
    Untyped(ValidText<'a>),
    /// Quotes around nothing: a text without characters.
    Empty,
    /// A text without a type, which had quotes around it, and in which [quotes are
    /// doubled](Rows::undoubled).
    Doubled(ValidText<'a>),
}

impl<'a> Rows<'a> {
    /// Rows of so many cells, whose text begins at an offset. `ends` has 0, and then for each cell
    /// one more than the place of its end in the text. The last cell of a row may have a carriage
    /// return behind it. A cell that begins with `quote` ends with it.
    #[must_use]
    pub fn new(
        text: ValidText<'a>,
        at: u64,
        ends: &'a [u32],
        width: usize,
        quote: Option<u8>,
    ) -> Self {
        debug_assert!(width > 0 && ends.len() % width == 1 % width, "whole rows");
        Rows { text, at, ends, width, quote }
    }

    /// How many rows there are.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        (self.ends.len() - 1) / self.width
    }

    /// The offset of the first row.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Where the first rows end: how many bytes they have, with what ends them.
    #[must_use]
    pub fn size(&self, rows: usize) -> usize {
        self.ends[rows * self.width] as usize
    }

    /// The cells of a column, from a row on.
    #[inline(always)]
    pub fn column(&self, place: usize, from: usize) -> impl Iterator<Item = RowCell<'a>> + '_ {
        let is_last = place + 1 == self.width;
        let ends = self.ends.get(from * self.width + place..).unwrap_or_default();
        // Behind the last cell of a column, there is no pair of ends that is one of it.
        let pairs = ends.windows(2).step_by(self.width);
        pairs.map(move |pair| self.cell_between(pair[0] as usize, pair[1] as usize - 1, is_last))
    }

    /// A cell.
    #[must_use]
    pub fn cell(&self, row: usize, place: usize) -> Option<RowCell<'a>> {
        self.column(place, row).next()
    }

    /// The text of a cell with one quote for two, in a buffer.
    pub fn undoubled<'r>(&self, text: ValidText<'_>, room: &'r mut String) -> &'r str {
        room.clear();
        make_room(room, text.as_bytes().len());
        let mut left = text.as_str();
        while let Some(at) = self.quote.and_then(|quote| memchr::memchr(quote, left.as_bytes())) {
            // The second one of the two is left out.
            room.push_str(&left[..=at]);
            left = left.get(at + 2..).unwrap_or_default();
        }
        room.push_str(left);
        room
    }

    #[inline(always)]
    fn cell_between(&self, from: usize, mut to: usize, is_last: bool) -> RowCell<'a> {
        let bytes = self.text.as_bytes();
        if is_last && from < to && bytes[to - 1] == b'\r' {
            to -= 1;
        }
        if self.quote.is_some() && from < to && Some(bytes[from]) == self.quote {
            return self.unquoted(from + 1, to - 1);
        }
        RowCell::Untyped(self.text.slice(from..to))
    }

    #[inline(never)]
    fn unquoted(&self, from: usize, to: usize) -> RowCell<'a> {
        let text = self.text.slice(from..to);
        match (text.as_bytes(), self.quote) {
            ([], _) => RowCell::Empty,
            (bytes, Some(quote)) if memchr::memchr(quote, bytes).is_some() => {
                RowCell::Doubled(text)
            }
            _ => RowCell::Untyped(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<'a>(rows: &Rows<'a>, place: usize) -> Vec<RowCell<'a>> {
        rows.column(place, 0).collect()
    }

    #[test]
    fn the_cells_of_a_column() {
        let text = ValidText::from("7,\"Vila, La\"\r\n8,\"\"\n,\"a\"\"b\"\n");
        let ends = [0, 2, 14, 16, 19, 20, 27];
        let rows = Rows::new(text, 50, &ends, 2, Some(b'"'));
        assert_eq!((rows.count(), rows.at(), rows.size(2)), (3, 50, 19));
        let untyped = |text| RowCell::Untyped(ValidText::from(text));
        assert_eq!(column(&rows, 0), [untyped("7"), untyped("8"), untyped("")]);
        let doubled = ValidText::from("a\"\"b");
        let cells = [untyped("Vila, La"), RowCell::Empty, RowCell::Doubled(doubled)];
        assert_eq!(column(&rows, 1), cells);
        let room = &mut String::new();
        assert_eq!(rows.undoubled(doubled, room), "a\"b");
        assert_eq!(rows.undoubled(ValidText::from("\"\"é\"\"\"\""), room), "\"é\"\"");
        assert_eq!((rows.cell(1, 0), rows.cell(3, 0)), (Some(untyped("8")), None));
    }

    #[test]
    fn a_single_column() {
        let ends = [0, 2, 3, 6];
        let rows = Rows::new(ValidText::from("a\n\nbc\n"), 0, &ends, 1, None);
        let untyped = |text| RowCell::Untyped(ValidText::from(text));
        assert_eq!(column(&rows, 0), [untyped("a"), untyped(""), untyped("bc")]);
    }
}
