//! Writes cells without an event for each, and without asking for each what the options say.
//!
//! [`Writer::cells`](crate::writer::Writer::cells) gives a [`Direct`] in a row whose cells come in
//! the order of the columns, if the options leave cells as they are. Each of its functions either
//! writes a whole cell, or nothing and returns false: then the caller tells the writer the value in
//! the usual way, which also finds out what is wrong with it.

use super::cells::Cells;
use crate::value::print;
use crate::writer::Column;
use penstock_scan::{Chosen, Pen};

/// Writes the next cells of a row.
#[derive(Debug)]
pub struct Direct<'a> {
    pen: Pen<'a>,
    cells: &'a Cells,
    columns: &'a [Column],
    filled: &'a mut usize,
    delimiter: u8,
    quote: u8,
}

impl<'a> Direct<'a> {
    #[inline(always)]
    pub(super) fn new(
        out: &'a mut Vec<u8>,
        isa: Chosen,
        cells: &'a Cells,
        columns: &'a [Column],
        filled: &'a mut usize,
        (delimiter, quote): (u8, u8),
    ) -> Self {
        Direct { pen: Pen::new(out, isa), cells, columns, filled, delimiter, quote }
    }

    /// How many cells of the row are written.
    #[inline(always)]
    #[must_use]
    pub fn filled(&self) -> usize {
        *self.filled
    }

    /// Whether a key is that of the next column.
    #[inline(always)]
    #[must_use]
    pub fn is_next(&self, key: &[u8]) -> bool {
        self.columns.get(*self.filled).is_some_and(|column| column.name.as_bytes() == key)
    }

    /// What stands before a cell, with room for so many bytes behind it. False if there is no cell
    /// left, or no memory.
    #[inline(always)]
    fn begin(&mut self, room: usize) -> bool {
        if *self.filled >= self.columns.len() || !self.pen.room(room.saturating_add(SLACK)) {
            return false;
        }
        if *self.filled > 0 {
            self.pen.put([self.delimiter], 1);
        }
        *self.filled += 1;
        true
    }

    /// Text, which is UTF-8.
    #[inline(always)]
    #[must_use]
    pub fn text(&mut self, text: &[u8]) -> bool {
        if text.is_empty() {
            return self.empty();
        }
        if let Some(stops) = self.cells.stops
            && self.cells.has_plain_ends(text)
        {
            let mark = self.pen.len();
            if self.begin(text.len()) {
                if self.pen.copy_without(text, stops) {
                    return true;
                }
                self.pen.back_to(mark);
                *self.filled -= 1;
            }
        }
        self.any_text(text)
    }

    /// Text with any bytes.
    #[inline(never)]
    fn any_text(&mut self, text: &[u8]) -> bool {
        if !self.cells.is_plain(text) {
            return self.quoted(text);
        }
        if !self.begin(text.len()) {
            return false;
        }
        self.pen.copy(text);
        true
    }

    /// Text that needs quotes, or more than that.
    fn quoted(&mut self, text: &[u8]) -> bool {
        let Some(escape) = self.cells.quotes_only(text) else { return false };
        if !self.begin(text.len().saturating_mul(2)) {
            return false;
        }
        self.pen.put([self.quote], 1);
        let mut rest = text;
        while let Some(at) = self.cells.inner(rest) {
            self.pen.copy(&rest[..at]);
            self.pen.put([escape, rest[at]], 2);
            rest = &rest[at + 1..];
        }
        self.pen.copy(rest);
        self.pen.put([self.quote], 1);
        true
    }

    /// Text in the units of a CPython string that is not ASCII.
    #[inline(never)]
    #[must_use]
    pub fn units<U: Copy + Into<u32>>(&mut self, units: &[U]) -> bool {
        if units.is_empty() || !self.begin(units.len().saturating_mul(4)) {
            return false;
        }
        let mut text = [0; 4];
        let mut begun = false;
        let mut plain = true;
        let mark = self.pen.len();
        for &unit in units {
            let Some(char) = char::from_u32(unit.into()) else {
                plain = false;
                break;
            };
            let bytes = char.encode_utf8(&mut text).as_bytes();
            plain &= self.cells.may_follow(bytes[0], begun);
            begun = true;
            let used = bytes.len();
            self.pen.put(text, used);
        }
        let last = self.pen.last().map_or(0, |last| *last);
        if plain && self.cells.may_end(last) {
            return true;
        }
        let delimiter = usize::from(*self.filled > 1);
        self.pen.back_to(mark - delimiter);
        *self.filled -= 1;
        false
    }

    /// An empty text, which is not null.
    #[inline(never)]
    fn empty(&mut self) -> bool {
        let is_text = self.columns.get(*self.filled).and_then(|column| column.empty_is_text);
        if !self.begin(2) {
            return false;
        }
        if is_text != Some(true) || self.columns.len() == 1 {
            self.pen.put([self.quote, self.quote], 2);
        }
        true
    }

    /// An integer.
    #[inline(always)]
    #[must_use]
    pub fn int(&mut self, value: i64) -> bool {
        if !self.begin(print::LONGEST) {
            return false;
        }
        print::int_with(value, &mut self.pen);
        true
    }

    /// A double.
    #[inline(always)]
    #[must_use]
    pub fn float(&mut self, value: f64) -> bool {
        if !value.is_finite() || !self.begin(print::LONGEST) {
            return false;
        }
        print::float_with(value, &mut self.pen);
        true
    }

    /// `true` or `false`.
    #[inline(always)]
    #[must_use]
    pub fn boolean(&mut self, value: bool) -> bool {
        let begun = self.begin(8);
        if begun {
            self.pen
                .put(if value { *b"true    " } else { *b"false   " }, if value { 4 } else { 5 });
        }
        begun
    }

    /// Null.
    #[inline(always)]
    #[must_use]
    pub fn null(&mut self) -> bool {
        self.begin(0)
    }
}

/// How many bytes more than those of a cell there must be room for: a delimiter, and what a copy
/// writes beyond its end.
const SLACK: usize = 24;
