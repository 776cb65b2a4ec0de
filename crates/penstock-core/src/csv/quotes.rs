//! Cells without their quotes and escapes.

use penstock_scan::{ValidText, make_room};

use super::Reader;
use super::blocks::Blocks;
use super::mending::mended;
use super::options::{NULL, escaped};

impl Reader {
    /// Takes the quotes off the cells of a row without faults.
    #[inline(never)]
    pub(super) fn unquote(&mut self, row: &[u8], blocks: &Blocks) {
        for cell in &mut self.row.cells {
            let quote = row.get(cell.at).copied();
            if cell.at < cell.to && quote == blocks.quote() {
                let inner = &row[cell.at + 1..cell.to - 1];
                (cell.from, cell.to) = (cell.at + 1, cell.to - 1);
                cell.quoted = true;
                cell.escaped = quote.is_some_and(|quote| memchr::memchr(quote, inner).is_some());
            }
        }
    }

    /// Writes the wanted cells with escapes into a buffer, without them.
    #[inline(always)]
    pub(super) fn unescape(&mut self, text: ValidText<'_>) {
        self.places.clear();
        if !self.row.is_plain && self.row.cells.iter().any(|cell| cell.escaped) {
            self.unescape_some(text);
        }
    }

    #[inline(never)]
    fn unescape_some(&mut self, text: ValidText<'_>) {
        let Reader { row, wanted, places, scratch, .. } = self;
        let has_null = self.grammar.has_null();
        scratch.clear();
        for (cell, want) in row.cells.iter_mut().zip(&*wanted) {
            if !cell.escaped || want.is_none() {
                continue;
            }
            let raw = &text.as_bytes()[self.pos + cell.from..self.pos + cell.to];
            if has_null && !cell.quoted && raw == NULL {
                cell.escaped = false;
                continue;
            }
            let from = scratch.text().as_bytes().len();
            let mut at = self.pos + cell.from;
            let to = self.pos + cell.to;
            let bytes = text.as_bytes();
            if cell.repaired {
                mended(scratch, text.slice(at..to), cell, &self.grammar);
                make_room(places, 1);
                places.push((from, scratch.text().as_bytes().len()));
                continue;
            }
            let escape = self.grammar.escaping();
            // Each escape is one byte of ASCII, whose next character is text, or stands for another.
            while let Some(next) = escape.and_then(|byte| memchr::memchr(byte, &bytes[at..to])) {
                scratch.push_text(text.slice(at..at + next));
                let kept = at + next + 1;
                let other = bytes.get(kept).zip(escape);
                if let Some(other) = other.and_then(|(next, escape)| escaped(escape, *next)) {
                    scratch.push_char(other);
                    at = kept + 1;
                    continue;
                }
                let length = text.as_str()[kept..to].chars().next().map_or(0, char::len_utf8);
                scratch.push_text(text.slice(kept..kept + length));
                at = kept + length;
            }
            scratch.push_text(text.slice(at..to));
            let end = scratch.text().as_bytes().len();
            make_room(places, 1);
            places.push((from, end));
        }
    }
}
