//! How the sink is told rows: one by one, or many in one go.

use penstock_scan::{Isa, ValidText, make_room};

use super::blocks::Blocks;
use super::many::Many;
use super::options::NULL;
use super::reader::{Reader, SHAPE};
use super::rows::End;
use crate::error::Fail;
use crate::event::{Cell, Row, Rows, Scalar, Text};
use crate::protocol::{Flow, Listener, RowsAs, Want};

/// The same vector without its items, for items that live another time. The memory is kept.
fn recycled<'b>(mut cells: Vec<Option<Cell<'_>>>) -> Vec<Option<Cell<'b>>> {
    cells.clear();
    cells.into_iter().map(|_| None).collect()
}

impl Reader {
    /// RecordFeed the sink as many rows as it takes in one go. Nothing if there are none.
    #[inline(always)]
    pub(super) fn tell_many<I: Isa, S: Listener + ?Sized>(
        &mut self,
        isa: I,
        blocks: &mut Blocks,
        many: &mut Many,
        text: ValidText<'_>,
        columns: usize,
        sink: &mut S,
    ) -> Result<Option<Flow>, Fail<S::Error>> {
        if !self.is_before_a_row() || self.reported > 0 {
            return Ok(None);
        }
        let bytes = text.as_bytes();
        let Some(found) = many.find(isa, blocks, bytes, self.pos, columns) else {
            return Ok(None);
        };
        let quote = blocks.quote().filter(|_| found.quoted);
        let text = text.slice(self.pos..bytes.len());
        let ends = many.ends(found.rows, columns);
        let rows = Rows::new(text, self.base + self.pos as u64, ends, columns, quote);
        let (taken, flow) = sink.rows(&rows).map_err(Fail::Sink)?;
        let size = rows.size(taken);
        many.taken(size, taken == found.rows);
        self.pos += size;
        Ok((taken > 0).then_some(flow))
    }

    /// RecordFeed the sink the current row.
    #[inline(always)]
    pub(super) fn tell<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        end: End,
        sink: &mut S,
    ) -> Result<Flow, Fail<S::Error>> {
        if self.needed == 0 {
            return self.tell_none(end, sink);
        }
        if self.row.cells.len() > self.wanted.len() && self.has_any_rows() {
            make_room(&mut self.wanted, self.row.cells.len());
            self.wanted.resize(self.row.cells.len(), Some(Want::Digits));
        }
        self.unescape(text);
        let mut cells = recycled(std::mem::take(&mut self.cells));
        make_room(&mut cells, self.row.cells.len());
        let names = self.names.as_ref().map_or(&[][..], |names| &names[..]);
        let start = self.base + self.pos as u64;
        let mut places = self.places.iter();
        for (cell, want) in self.row.cells.iter().zip(&self.wanted) {
            let at = start + cell.at as u64;
            cells.push(want.map(|_| {
                let text = match cell.escaped.then(|| places.next()).flatten() {
                    Some(&(from, to)) => self.scratch.text().slice(from..to),
                    None => text.slice(self.pos + cell.from..self.pos + cell.to),
                };
                let text = Text { text, ascii: self.row.ascii };
                // Quotes around nothing say that it is a text, and so does an escape in front of NULL.
                let is_text = cell.quoted && cell.from == cell.to
                    || cell.escaped && text.bytes() == NULL && self.grammar.has_null();
                let value = match is_text {
                    true => Scalar::Text(text),
                    false => Scalar::Untyped(text),
                };
                Cell { value, key_at: at, at }
            }));
        }
        let row = Row::of_members(SHAPE, names, &cells, start, Some(start + end.end as u64));
        let is_list = matches!(self.told, Some(RowsAs::Lists | RowsAs::AnyLists));
        let mut row = row.as_list(is_list).resumed(self.reported);
        let answer = sink.row(&mut row);
        let (done, reported) = (row.is_done(), row.reported());
        self.cells = recycled(cells);
        // A refused row is finished, too.
        self.told_of(done || answer.is_err(), reported, end);
        answer.map_err(Fail::Sink)
    }

    /// RecordFeed the sink that there is a row, none of whose cells it wants.
    #[inline(always)]
    fn tell_none<S: Listener + ?Sized>(
        &mut self,
        end: End,
        sink: &mut S,
    ) -> Result<Flow, Fail<S::Error>> {
        let names = self.names.as_ref().map_or(&[][..], |names| &names[..]);
        let start = self.base + self.pos as u64;
        let row = Row::of_members(SHAPE, names, &[], start, Some(start + end.end as u64));
        let mut row = row.resumed(self.reported);
        let answer = sink.row(&mut row);
        let (done, reported) = (row.is_done(), row.reported());
        self.told_of(done || answer.is_err(), reported, end);
        answer.map_err(Fail::Sink)
    }

    /// Passes the row, if the sink has taken or refused it.
    #[inline(always)]
    fn told_of(&mut self, done: bool, reported: usize, end: End) {
        if done {
            if !self.row.repairs.is_empty() {
                self.note_repairs();
            }
            self.pass(end);
        } else {
            // The row is scanned again when its other events are reported.
            self.reported = reported;
            self.row.clear();
        }
    }
}
