//! The header: how the columns get their names, and how a sink is told.

use std::sync::Arc;

use penstock_scan::{Isa, ValidText, copied, gathered, make_room};

use super::Reader;
use super::options::Header;
use super::reader::{SHAPE, State};
use super::stops::Found;
use crate::error::{Fail, Fault};
use crate::event::{Key, KeyKind, KnownKeys};
use crate::protocol::{FormatReader, InputView, Listener, RowsAs, Step, Want};

/// The names of columns. They are shared, and made where memory may end: `Arc<[Box<str>]>` cannot.
pub(super) type Names = Arc<Vec<Box<str>>>;

fn keys_of(names: &[Box<str>]) -> Vec<Key<'_>> {
    gathered(names.iter().map(|name| Key {
        name: (&**name).into(),
        namespace: None,
        prefix: None,
        kind: KeyKind::Member,
    }))
}

/// A name, or a part of one.
fn boxed(text: &str) -> Box<str> {
    copied(text).into_boxed_str()
}

impl Reader {
    /// RecordFeed the sink the names of the columns.
    #[cold]
    #[inline(never)]
    fn tell_names<S: Listener + ?Sized>(
        &mut self,
        keys: &[Key<'_>],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.wanted.clear();
        make_room(&mut self.wanted, keys.len());
        self.wanted.resize(keys.len(), Some(Want::Digits));
        let at = self.header_at.unwrap_or_else(|| self.begun());
        let known = KnownKeys { shape: SHAPE, keys, places: &self.header_cells, at };
        self.refused = true;
        let told = sink.known_keys(&known, &mut self.wanted)?;
        self.told = Some(told);
        let last = self.wanted.iter().rposition(Option::is_some);
        self.needed = match told {
            RowsAs::Maps => last.map_or(0, |last| last + 1),
            RowsAs::Lists | RowsAs::AnyLists => self.wanted.len(),
        };
        self.refused = false;
        Ok(())
    }

    /// RecordFeed a sink the names of the columns, if they are known and it was not told.
    #[inline(always)]
    pub(super) fn tell_header<S: Listener + ?Sized>(
        &mut self,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        if self.told.is_some() {
            return Ok(());
        }
        let Some(names) = self.names.clone() else { return Ok(()) };
        self.tell_names(&keys_of(&names), sink)
    }

    /// Reads a row of the header, behind which so many are left, with itself. False if the window
    /// ends too early.
    #[cold]
    pub(super) fn header_row<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
        left: usize,
    ) -> Result<bool, Fault> {
        let Some(end) = self.next_row(found, text, last, 0) else { return Ok(false) };
        if self.row.wrong.is_some() {
            return Err(self.fault(end, 0));
        }
        self.drop_trailing(self.row.cells.len() - 1);
        let cells = self.texts(text);
        let names = match (self.names.take(), &self.header) {
            (Some(names), Header::Joined(_, between)) => joined(&names, &cells, between),
            _ => cells,
        };
        self.names = Some(Arc::new(names));
        let start = self.begun();
        let places = self.row.cells.iter().map(|cell| start + cell.at as u64);
        self.header_cells = gathered(places);
        self.header_at = Some(start);
        if !self.row.repairs.is_empty() {
            self.note_repairs();
        }
        self.pass(end);
        self.state = if left > 1 { State::Header(left - 1) } else { State::Row };
        Ok(true)
    }

    /// The names of columns without a header: their positions in the first row.
    #[cold]
    pub(super) fn positions<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
    ) -> Option<usize> {
        // All of its cells count, also if it does not end.
        self.row.is_remembering = false;
        let end = self.next_row(found, text, last, 0);
        self.row.is_remembering = true;
        end?;
        self.drop_trailing(self.row.cells.len().saturating_sub(1));
        let names = (0..self.row.cells.len()).map(|column| column.to_string().into());
        let names = gathered(names);
        let columns = names.len();
        self.names = Some(Arc::new(names));
        // It is a row like all others, and is scanned again.
        self.row.clear();
        found.restart(self.pos);
        Some(columns)
    }

    /// The texts of all cells of the current row.
    fn texts(&mut self, text: ValidText<'_>) -> Vec<Box<str>> {
        make_room(&mut self.wanted, self.row.cells.len());
        self.wanted.resize(self.row.cells.len(), Some(Want::Digits));
        self.unescape(text);
        self.wanted.clear();
        let mut places = self.places.iter();
        gathered(self.row.cells.iter().map(|cell| {
            let own = cell.escaped.then(|| places.next()).flatten();
            let text = match own {
                Some(&(from, to)) => self.scratch.text().slice(from..to),
                None => text.slice(self.pos + cell.from..self.pos + cell.to),
            };
            boxed(text.as_str())
        }))
    }
}

/// The names of columns from two rows of a header.
fn joined(before: &[Box<str>], cells: &[Box<str>], between: &str) -> Vec<Box<str>> {
    let name = |column: usize| {
        let above = before.get(column).map_or("", |name| name);
        let below = cells.get(column).map_or("", |name| name);
        match (above, below) {
            ("", name) | (name, "") => boxed(name),
            (above, below) => {
                let mut name = String::new();
                make_room(&mut name, above.len() + between.len() + below.len());
                for part in [above, between, below] {
                    name.push_str(part);
                }
                name.into_boxed_str()
            }
        }
    };
    gathered((0..before.len().max(cells.len())).map(name))
}

/// A reader that reports the names of the columns and nothing else: the destination refuses them if
/// no row can fit. The text at hand only says where they are.
#[derive(Debug)]
pub struct HeaderOnly(Reader);

impl HeaderOnly {
    /// The header of a reader that has read it.
    #[must_use]
    pub fn of(reader: &Reader) -> Option<Self> {
        Some(HeaderOnly(reader.at_a_row()?))
    }
}

impl FormatReader for HeaderOnly {
    fn run<S: Listener>(
        &mut self,
        _given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        self.0.tell_header(sink).map_err(Fail::Sink)?;
        Ok(Step::Done)
    }
    fn base(&self) -> u64 {
        self.0.base()
    }
    fn consumed(&self) -> usize {
        0
    }
    fn drop_front(&mut self, _count: usize) {}
    fn jump(&mut self, base: u64) {
        self.0.jump(base);
    }
    fn is_document(&self) -> bool {
        false
    }
    fn is_before_records(&self) -> bool {
        true
    }
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
}
