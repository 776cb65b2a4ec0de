//! A row on its way through text of which something is [known](super::known).

use std::ops::Range;

use super::dialect::Grammar;
use super::known::{Note, ReaderState, STEP, Way};
use super::rows::{CELL, Cell, Row, Within, Wrong};
use crate::repair::RepairKind;

impl Row {
    /// Notes the states of the scan at some places, of which those between the range's ends are in the
    /// same state. True if it joins a path there, at the end of which it continues.
    #[inline(never)]
    pub(super) fn joins(
        &mut self,
        text: &[u8],
        start: usize,
        range: Range<usize>,
        grammar: &Grammar,
    ) -> bool {
        let Some(mut way) = self.way.take() else { return false };
        let joined = self.note(&mut way, text, start, range, grammar);
        self.way = Some(way);
        joined.is_some()
    }

    fn note(
        &mut self,
        way: &mut Way,
        text: &[u8],
        start: usize,
        range: Range<usize>,
        grammar: &Grammar,
    ) -> Option<()> {
        let origin = self.origin;
        let to = origin + (range.end - start) as u64;
        while way.next * STEP <= to {
            let number = way.next;
            way.next += 1;
            let at = (number * STEP - origin) as usize;
            // In the middle of an escape, or of a delimiter, there is no state.
            if start + at < range.start {
                continue;
            }
            let Some(stand) = self.stand(way, &text[start..start + at], grammar) else { continue };
            let note = Note { number, stand, cell: origin + self.cell.at as u64 };
            let cell = self.cell.moved(origin as usize);
            let Some(end) = self.known.as_mut()?.join(note, cell, way) else {
                way.note(note, cell);
                continue;
            };
            if stand == ReaderState::Behind && !grammar.repairs.has(RepairKind::StrayQuote) {
                self.fault_on_path(Wrong::Behind, self.cell.to + 1);
            }
            if let Some((wrong, place)) = end.fault {
                self.fault_on_path(wrong, (place - origin) as usize);
            }
            let other = end.cell.moved((origin as usize).wrapping_neg());
            if end.cell.at as u64 >= number * STEP {
                self.cell = other;
            } else if stand != ReaderState::Behind {
                self.cell.to = other.to;
            }
            self.within = match end.stand {
                ReaderState::Fresh | ReaderState::Text => Within::Plain,
                ReaderState::Stray => Within::Stray,
                ReaderState::Quoted => Within::Quoted,
                ReaderState::Behind => Within::Behind,
            };
            self.at = (end.number * STEP - origin) as usize;
            return Some(());
        }
        None
    }

    /// A fault that is known of a path.
    fn fault_on_path(&mut self, wrong: Wrong, at: usize) {
        if self.wrong.is_none_or(|(_, known)| at < known) {
            self.wrong = Some((wrong, at));
        }
    }

    /// The state at the end of this part of the row. None if what comes then depends on more than that.
    fn stand(&self, way: &mut Way, row: &[u8], grammar: &Grammar) -> Option<ReaderState> {
        Some(match self.within {
            Within::Quoted => ReaderState::Quoted,
            Within::Stray => ReaderState::Stray,
            Within::Plain => {
                let is_text = way.has_text(row, self.cell.at, grammar.trim);
                if is_text { ReaderState::Text } else { ReaderState::Fresh }
            }
            Within::Behind if way.has_text(row, self.cell.to + 1, grammar.trim) => {
                ReaderState::Behind
            }
            Within::Behind => return None,
        })
    }

    /// The row did not end: the next ones may go the same way.
    #[cold]
    pub(super) fn remember(&mut self) {
        if !self.is_remembering {
            return;
        }
        let known = self.known.get_or_insert_default();
        known.until = known.until.max(self.origin + self.at as u64);
        if let Some(way) = &mut self.way {
            known.end(way);
        }
    }

    /// A scan of the beginning of the row that has come as far as is known.
    pub(super) fn known_part(&self, text: &[u8]) -> Row {
        let mut part = Row::default();
        let (Some(known), Some(way)) = (&self.known, &self.way) else { return part };
        let Some(note) = known.before(self.origin + text.len() as u64, way) else { return part };
        part.at = (note.number * STEP - self.origin) as usize;
        let at = (note.cell - self.origin) as usize;
        part.cell = Cell { at, from: at, to: at, ..CELL };
        part.within = match note.stand {
            ReaderState::Fresh | ReaderState::Text => Within::Plain,
            ReaderState::Stray => Within::Stray,
            ReaderState::Quoted => Within::Quoted,
            ReaderState::Behind => {
                part.cell.to = part.at - 1;
                Within::Behind
            }
        };
        part
    }
}
