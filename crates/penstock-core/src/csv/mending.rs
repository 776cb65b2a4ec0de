//! Repairs of rows: cells that are missing or too many, and characters that may not stand where they
//! do. The grammar ([`rows`](super::rows)) notes what it takes for text.

use penstock_scan::{TextBuf, ValidText, make_room};

use super::Reader;
use super::dialect::Grammar;
use super::options::escaped;
use super::rows::{self, End};
use crate::repair::{Repair, RepairKind};

impl Reader {
    /// Repairs a row with too few or too many cells. False if it stays a fault.
    #[cold]
    #[inline(never)]
    pub(super) fn mend(&mut self, end: End, columns: usize) -> bool {
        if self.row.wrong.is_some() {
            return false;
        }
        self.drop_trailing(columns);
        let (repairs, cells) = (self.grammar.repairs, self.row.cells.len());
        let (kind, at) = match self.row.cells.get(columns) {
            _ if cells == columns => return true,
            Some(extra) if repairs.has(RepairKind::LongRow) => (RepairKind::LongRow, extra.at),
            None if repairs.has(RepairKind::ShortRow) => (RepairKind::ShortRow, end.end),
            _ => return false,
        };
        make_room(&mut self.row.cells, columns.saturating_sub(cells));
        self.row.cells.resize(columns, rows::empty_cell(end.end));
        make_room(&mut self.row.repairs, 1);
        self.row.repairs.push((kind, at));
        true
    }

    /// Drops the empty cell behind a trailing delimiter, if that is repaired and the row has one cell
    /// more than `columns`.
    pub(super) fn drop_trailing(&mut self, columns: usize) {
        if !self.grammar.repairs.has(RepairKind::TrailingDelimiter)
            || self.row.cells.len() != columns + 1
            || columns == 0
        {
            return;
        }
        if let Some(&last) = self.row.cells.last()
            && last.from == last.to
            && !last.quoted
        {
            self.row.cells.pop();
            make_room(&mut self.row.repairs, 1);
            self.row.repairs.push((RepairKind::TrailingDelimiter, last.at));
        }
    }

    /// Notes the repairs of the current row, which is told or part of the header.
    #[cold]
    #[inline(never)]
    pub(super) fn note_repairs(&mut self) {
        let start = self.begun();
        make_room(&mut self.repairs, self.row.repairs.len());
        // Rows come in order, so only the repairs of this one are out of it.
        self.row.repairs.sort_unstable_by_key(|(_, at)| *at);
        let repairs = self.row.repairs.drain(..);
        self.repairs.extend(repairs.map(|(kind, at)| Repair { kind, offset: start + at as u64 }));
    }
}

/// Writes a cell that is repaired: without NUL characters, and with the quotes that are text.
#[cold]
pub(super) fn mended(
    scratch: &mut TextBuf,
    text: ValidText<'_>,
    cell: &rows::Cell,
    grammar: &Grammar,
) {
    let (bytes, escape) = (text.as_bytes(), grammar.escaping().filter(|_| cell.escaped));
    let drops = grammar.repairs.has(RepairKind::Nul);
    let is_quote = |byte: u8| grammar.escape().is_none() && Some(byte) == escape;
    let (mut at, mut kept) = (0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        let is_escape = Some(byte) == escape
            && if is_quote(byte) { cell.quoted && bytes.get(at + 1) == Some(&byte) } else { true };
        if is_escape || byte == 0 && drops {
            scratch.push_text(text.slice(kept..at));
            kept = at + 1;
        }
        let next = bytes.get(at + 1).filter(|_| is_escape);
        if let Some(other) = next.and_then(|next| escaped(byte, *next)) {
            scratch.push_char(other);
            (at, kept) = (at + 2, at + 2);
            continue;
        }
        // The character behind an escape is text, unless it is a NUL.
        at += 1 + usize::from(is_escape && bytes.get(at + 1).is_some_and(|next| *next != 0));
    }
    scratch.push_text(text.slice(kept..bytes.len()));
}
