//! The CSV writer.
//!
//! For whoever changes it. A row is written at the end of one buffer, and only whole rows are
//! handed on. As long as the cells come in the order of the columns, they are written one after the
//! other. From the first key that is not the next column on, the cells are *scattered*: each is
//! written without a delimiter, its place is noted, and the end of the row puts them in order.
//!
//! The columns are known before the first row if somebody says them (`Writer::columns`, a given
//! header, the header of another table). Otherwise they are the keys of the first row, and the
//! header is put before it when it ends.

use std::collections::HashMap;
use std::sync::Arc;

use super::cells::{Cells, Kind};
use super::columns::{self, Known, boxed};
use super::direct::Direct;
use super::options::{Header, Options, WrongDialect};
use crate::event::{Key, KeyKind, KnownKeys, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, LookAhead, RowsAs, Sink, Want};
use crate::value::print;
use crate::writer::{self, Column, ENOUGH, Unwritable, make_room, scalars};
use penstock_scan::Chosen;

/// Which cells have quotes around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoting {
    /// Those that need them.
    #[default]
    Minimal,
    /// All but null.
    All,
    /// All but numbers and null.
    NonNumeric,
    /// None: what needs quotes is escaped or, if the dialect has no escape, refused.
    Never,
}

/// What becomes of text that a spreadsheet takes for a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// It is written as it is.
    #[default]
    AsTheyAre,
    /// It gets an apostrophe in front.
    Escape,
    /// It is refused.
    Refuse,
}

/// The options of a writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// The dialect in which the text is read back.
    pub dialect: Options,
    /// Which cells have quotes around them.
    pub quoting: Quoting,
    /// What becomes of text that a spreadsheet takes for a formula.
    pub formulas: Formulas,
    /// The text of null.
    pub null: Box<str>,
    /// Whether the text begins with a byte order mark.
    pub mark: bool,
    /// The first row of the file that the rows follow, if they do. A class must have the same
    /// columns in the same order.
    pub behind: Option<Vec<Box<str>>>,
}

/// What is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A row whose cells have keys.
    Map,
    /// A row whose cells have places.
    List,
}

/// A cell that is not where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scattered {
    column: usize,
    start: usize,
    end: usize,
}

/// Writes CSV.
#[derive(Debug)]
pub struct Writer {
    pub(super) out: Vec<u8>,
    pub(super) cells: Cells,
    pub(super) header: Header,
    mark: bool,
    /// How many columns the file has that the rows follow, if they do.
    pub(super) behind: Option<usize>,
    limits: Arc<Limits>,
    pub(super) columns: Vec<Column>,
    pub(super) known: Known,
    /// Whether a class may still say what it knows of the columns.
    pub(super) asks: bool,
    /// The number of the layout whose fields are the columns, in their order; 0 if there is none.
    pub(super) layout: u64,
    /// The delimiter and the quote, if most cells may be written directly.
    plainly: Option<(u8, u8)>,
    /// Whether the text of scalars is noted, and that of the last one.
    listens: bool,
    heard: Option<Vec<u8>>,
    isa: Chosen,
    /// The columns by name, as soon as a key is not the next column. Of several with one name, the
    /// first.
    pub(super) by_name: HashMap<Box<str>, usize>,
    open: Open,
    /// How many cells of the row stand in the order of the columns.
    pub(super) filled: usize,
    pub(super) is_scattered: bool,
    pub(super) scattered: Vec<Scattered>,
    /// For each column, whether one of these cells is its own.
    pub(super) taken: Vec<bool>,
    /// The column of the next cell.
    pub(super) column: usize,
    /// Where the first cell of the row ends, once it is written.
    first: usize,
    /// The row, while its cells are put in order.
    scratch: Vec<u8>,
    /// Where the current row begins in `out`: all before are whole rows.
    pub(super) row: usize,
    pub(super) records: u64,
    /// Whether what stands before the first row is written.
    pub(super) begun: bool,
}

impl Writer {
    /// A writer at the beginning of its output.
    ///
    /// # Errors
    /// The dialect is not possible, or one that cannot be written.
    pub fn new(options: &WriterOptions, limits: &Limits) -> Result<Self, WrongDialect> {
        options.dialect.stops()?;
        let wrong = |reason: &str| Err(WrongDialect(reason.to_owned()));
        if options.dialect.skip > 0 {
            return wrong("skip_rows is for reading: what stands there is not written");
        }
        if matches!(options.dialect.header, Header::Joined(..)) {
            return wrong("a header of several rows is for reading: pass header='first'");
        }
        if options.formulas != Formulas::AsTheyAre
            && (options.quoting == Quoting::Never || options.dialect.quote.is_none())
        {
            return wrong("formulas needs quotes: without them, text may begin a cell of its own");
        }
        let (mut header, behind) = (options.dialect.header.clone(), options.behind.as_ref());
        match (&header, behind) {
            (Header::First, Some(names)) => header = Header::InputView(names.clone()),
            (Header::InputView(names), Some(cells)) if names.len() != cells.len() => {
                return Err(WrongDialect(format!(
                    "the file has {} columns, and header names {}",
                    cells.len(),
                    names.len()
                )));
            }
            _ => {}
        }
        let behind = behind.map(Vec::len);
        let cells = Cells::new(options, limits.row);
        if let Some(reason) = cells.null_problem() {
            return wrong(reason);
        }
        let mut writer = Writer {
            plainly: plainly(options, &cells),
            out: Vec::new(),
            cells,
            header,
            mark: options.mark,
            behind,
            limits: Arc::new(limits.clone()),
            columns: Vec::new(),
            known: Known::No,
            asks: true,
            layout: 0,
            listens: false,
            heard: None,
            isa: Chosen::best(),
            by_name: HashMap::new(),
            open: Open::Nothing,
            filled: 0,
            is_scattered: false,
            scattered: Vec::new(),
            taken: Vec::new(),
            column: 0,
            first: 0,
            scratch: Vec::new(),
            row: 0,
            records: 0,
            begun: false,
        };
        writer.given();
        Ok(writer)
    }

    fn begin_row(&mut self, open: Open) -> Result<Flow, Unwritable> {
        match (self.open, open) {
            (Open::Nothing, Open::List)
                if self.known == Known::No && self.header == Header::First =>
            {
                return Err(Unwritable::value(
                    "a list has no names for the header: pass a dialect with header=None, or with \
                     the names",
                ));
            }
            (Open::Nothing, _) => {}
            (_, Open::List) => return Err(self.no_cell("a list")),
            _ => return Err(self.no_cell("an object")),
        }
        self.open = open;
        (self.filled, self.column, self.is_scattered, self.first) = (0, 0, false, 0);
        self.row = self.out.len();
        Ok(Flow::Take)
    }

    #[cold]
    fn no_cell(&self, what: &str) -> Unwritable {
        match self.columns.get(self.column).filter(|_| self.open == Open::Map) {
            Some(Column { name, .. }) => {
                let reason = format!("the column {name:?} has {what}, which a cell cannot hold");
                Unwritable::value(reason)
            }
            None => Unwritable::value(format!("a cell cannot hold {what}")),
        }
    }

    /// Before a cell: what separates it from the last one. Returns where it begins.
    #[inline(always)]
    fn begin_cell(&mut self) -> Result<usize, Unwritable> {
        match self.open {
            Open::Map => {}
            Open::List => self.next_place()?,
            Open::Nothing => {
                return Err(Unwritable::value(
                    "a row is an object, a dict or a list, and not a single value",
                ));
            }
        }
        if self.filled > 0 && !self.is_scattered {
            let delimiter = &self.cells.delimiter;
            make_room(&mut self.out, delimiter.len())?;
            self.out.extend_from_slice(delimiter);
        }
        Ok(self.out.len())
    }

    /// After a cell that began at `start`.
    #[inline(always)]
    fn end_cell(&mut self, start: usize) -> Result<Flow, Unwritable> {
        let end = self.out.len();
        if self.is_scattered {
            self.scattered.try_reserve(1).map_err(|_| Unwritable::memory())?;
            self.scattered.push(Scattered { column: self.column, start, end });
            self.taken[self.column] = true;
        } else {
            if self.filled == 0 {
                self.first = end - self.row;
            }
            self.filled += 1;
        }
        Ok(Flow::Take)
    }

    fn text_cell(&mut self, text: &str) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        if self.listens {
            self.note(text.as_bytes())?;
        }
        if text.is_empty() {
            self.empty_cell()?;
        } else {
            self.cells.text(text, Kind::Text, &mut self.out)?;
        }
        self.end_cell(start)
    }

    /// An empty text, which is not null.
    fn empty_cell(&mut self) -> Result<(), Unwritable> {
        let is_text = self.columns.get(self.column).map(|column| column.empty_is_text);
        let always = self.cells.always(Kind::Text);
        match is_text.flatten() {
            // Nobody said what it is read as, or there is nothing else to read.
            None | Some(true) if self.cells.quoting == Quoting::Never => Ok(()),
            // Of one column, other readers take an empty cell for a blank line.
            Some(true) if !always && self.columns.len() > 1 => Ok(()),
            _ => self.cells.empty(&mut self.out),
        }
    }

    /// A cell that `print` appends.
    #[inline(always)]
    fn printed(
        &mut self,
        kind: Kind,
        print: impl FnOnce(&mut Vec<u8>) -> Result<(), Unwritable>,
    ) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        print(&mut self.out)?;
        if self.listens {
            self.note_from(start)?;
        }
        if !self.cells.safe || self.cells.always(kind) {
            self.again(start, kind)?;
        }
        self.end_cell(start)
    }

    /// Writes a printed cell again as text.
    #[cold]
    fn again(&mut self, start: usize, kind: Kind) -> Result<(), Unwritable> {
        self.scratch.clear();
        make_room(&mut self.scratch, self.out.len() - start)?;
        self.scratch.extend_from_slice(&self.out[start..]);
        self.out.truncate(start);
        let text = std::str::from_utf8(&self.scratch).unwrap_or_default();
        self.cells.text(text, kind, &mut self.out)
    }

    /// Binary data without a byte: an empty cell, which quotes would not change.
    fn no_bytes(&mut self) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        if self.listens {
            self.note(b"")?;
        }
        let column = self.columns.get(self.column);
        if column.is_some_and(|column| column.empty_is_text == Some(false)) {
            return Err(Unwritable::value("an empty value would be read as none"));
        }
        self.end_cell(start)
    }

    fn null_cell(&mut self) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        self.heard = None;
        self.push_null()?;
        self.end_cell(start)
    }

    /// NULL of another table: without quotes or escapes.
    fn cell_as_it_is(&mut self, text: &[u8]) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        make_room(&mut self.out, text.len())?;
        self.out.extend_from_slice(text);
        self.end_cell(start)
    }

    fn push_null(&mut self) -> Result<(), Unwritable> {
        let null = &self.cells.null;
        make_room(&mut self.out, null.len())?;
        self.out.extend_from_slice(null);
        Ok(())
    }

    /// Ends a row. Afterwards all of the text is whole rows.
    #[inline(always)]
    pub(super) fn end_row(&mut self) -> Result<Flow, Unwritable> {
        if self.known == Known::No || self.filled < self.columns.len() || self.is_scattered {
            self.complete()?;
        }
        self.open = Open::Nothing;
        let at_start = self.header != Header::First && self.records == 0 && !self.mark;
        let at_start = at_start && self.behind.is_none();
        self.cells.begin_row(&mut self.out, self.row, self.first, at_start)?;
        if self.out.len() - self.row > self.cells.most {
            return Err(self.too_long());
        }
        if self.columns.len() == 1 && at_start && self.out.len() == self.row {
            self.check_blank()?;
        }
        make_room(&mut self.out, self.cells.terminator.len())?;
        self.out.extend_from_slice(&self.cells.terminator);
        if !self.begun {
            self.begin_text()?;
        }
        self.records += 1;
        self.asks = false;
        self.row = self.out.len();
        Ok(if self.row >= ENOUGH { Flow::Pause } else { Flow::Take })
    }

    /// A blank line is a row only for a reader that knows that there is one column.
    fn check_blank(&self) -> Result<(), Unwritable> {
        if self.header == Header::Positions {
            return Err(Unwritable::value(
                "the first row would be a blank line, which is no row without a header",
            ));
        }
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> Unwritable {
        let most = self.cells.most;
        Unwritable::limit(format!("a row is longer than {most} bytes (limits.row)"))
    }

    /// Puts the cells in the order of the columns, and null where there is none.
    #[inline(never)]
    fn complete(&mut self) -> Result<(), Unwritable> {
        if self.columns.is_empty() {
            return Err(Unwritable::value("a row without a column"));
        }
        if self.known == Known::No {
            self.check_width(self.columns.len())?;
            self.known = Known::FirstRow;
        }
        let count = self.columns.len();
        if self.open == Open::List && self.filled < count {
            return Err(self.other_length(&self.filled.to_string()));
        }
        let mut scattered = std::mem::take(&mut self.scattered);
        if !self.is_scattered {
            scattered.clear();
        }
        scattered.sort_unstable_by_key(|cell| cell.column);
        let from = scattered.iter().map(|cell| cell.start).min().unwrap_or(self.out.len());
        self.scratch.clear();
        make_room(&mut self.scratch, self.out.len() - from)?;
        self.scratch.extend_from_slice(&self.out[from..]);
        self.out.truncate(from);
        let mut cells = scattered.iter().peekable();
        for column in self.filled..count {
            make_room(&mut self.out, self.cells.delimiter.len())?;
            if column > 0 {
                self.out.extend_from_slice(&self.cells.delimiter);
            }
            match cells.next_if(|cell| cell.column == column) {
                Some(cell) => {
                    let text = &self.scratch[cell.start - from..cell.end - from];
                    make_room(&mut self.out, text.len())?;
                    self.out.extend_from_slice(text);
                }
                None => self.push_null()?,
            }
            if column == 0 {
                self.first = self.out.len() - self.row;
            }
        }
        self.scattered = scattered;
        Ok(())
    }

    /// What stands before the first row, which begins at `row`.
    #[cold]
    #[inline(never)]
    fn begin_text(&mut self) -> Result<(), Unwritable> {
        let (row, length) = (self.row, self.out.len() - self.row);
        self.push_header()?;
        self.out[row..].rotate_left(length);
        Ok(())
    }

    fn push_header(&mut self) -> Result<(), Unwritable> {
        if self.mark && self.behind.is_none() {
            make_room(&mut self.out, 3)?;
            self.out.extend_from_slice(b"\xEF\xBB\xBF");
        }
        if self.header == Header::First {
            self.push_names()?;
        }
        self.begun = true;
        Ok(())
    }

    fn push_names(&mut self) -> Result<(), Unwritable> {
        let row = self.out.len();
        let mut first = 0;
        for (number, Column { name, .. }) in self.columns.iter().enumerate() {
            make_room(&mut self.out, self.cells.delimiter.len())?;
            if number > 0 {
                self.out.extend_from_slice(&self.cells.delimiter);
            }
            let is_blank = name.is_empty() && self.columns.len() == 1;
            if !name.is_empty() {
                self.cells.text(name, Kind::Text, &mut self.out)?;
            } else if is_blank || self.cells.always(Kind::Text) {
                self.cells.empty(&mut self.out)?;
            }
            if number == 0 {
                first = self.out.len() - row;
            }
        }
        self.cells.begin_row(&mut self.out, row, first, !self.mark)?;
        if self.out.len() - row > self.cells.most {
            return Err(self.too_long());
        }
        make_room(&mut self.out, self.cells.terminator.len())?;
        self.out.extend_from_slice(&self.cells.terminator);
        Ok(())
    }
}

impl writer::Writer for Writer {
    const ROWS: bool = true;

    fn ready(&self) -> &[u8] {
        &self.out[..self.row]
    }
    fn taken(&mut self) {
        self.out.drain(..self.row);
        for cell in &mut self.scattered {
            cell.start = cell.start.saturating_sub(self.row);
            cell.end = cell.end.saturating_sub(self.row);
        }
        self.row = 0;
    }
    fn finish(&mut self) -> Result<(), Unwritable> {
        if self.open != Open::Nothing {
            return Err(Unwritable::value("the last row is not complete"));
        }
        if !self.begun && !self.columns.is_empty() {
            self.push_header()?;
        }
        self.row = self.out.len();
        Ok(())
    }
    fn reopen(&mut self) {
        self.out.clear();
        (self.open, self.row, self.records) = (Open::Nothing, 0, 0);
        self.given();
    }
    fn records(&self) -> u64 {
        self.records
    }
    fn beside(&self) -> Option<Self> {
        // The columns are known, and stand in the text.
        if self.records == 0 {
            return None;
        }
        let header = match &self.header {
            Header::InputView(names) => {
                Header::InputView(columns::copied(names, |name| boxed(name))?)
            }
            other => other.clone(),
        };
        let columns = columns::copied(&self.columns, |column| {
            Ok(Column { name: boxed(&column.name)?, ..*column })
        })?;
        let Writer { mark, behind, known, asks, layout, plainly, isa, records, begun, .. } = *self;
        Some(Writer {
            out: Vec::new(),
            cells: self.cells.clone(),
            header,
            mark,
            behind,
            limits: Arc::clone(&self.limits),
            columns,
            known,
            asks,
            layout,
            plainly,
            listens: false,
            heard: None,
            isa,
            by_name: HashMap::new(),
            open: Open::Nothing,
            filled: 0,
            is_scattered: false,
            scattered: Vec::new(),
            taken: Vec::new(),
            column: 0,
            first: 0,
            scratch: Vec::new(),
            row: 0,
            records,
            begun,
        })
    }
    fn pass(&mut self, records: u64) {
        self.records += records;
    }
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
        let start = self.begin_cell()?;
        if self.listens {
            self.note(text.as_bytes())?;
        }
        let kind = if is_number { Kind::Number } else { Kind::Other };
        self.cells.text(text, kind, &mut self.out)?;
        self.end_cell(start)
    }
    #[inline(always)]
    fn wants_columns(&self) -> bool {
        self.asks && matches!(self.known, Known::No | Known::Header)
    }
    fn columns(&mut self, columns: Vec<Column>, layout: u64) -> Result<(), Unwritable> {
        if self.known == Known::Header {
            return self.same_columns(&columns, layout);
        }
        if self.known == Known::No && self.open == Open::Nothing && !columns.is_empty() {
            self.check_width(columns.len())?;
            self.columns = columns;
            let in_order = layout == 0 || self.header != Header::Positions || self.by_position()?;
            self.layout = if in_order { layout } else { 0 };
            self.known = if layout == 0 { Known::Source } else { Known::Class };
        }
        Ok(())
    }
    #[inline(always)]
    fn cells(&mut self, layout: u64) -> Option<Direct<'_>> {
        let plainly = self.plainly?;
        let is_ready = self.begun
            && self.open != Open::Nothing
            && (layout == self.layout || layout == 0)
            && !self.is_scattered
            && !self.listens;
        is_ready.then(|| {
            let Writer { out, isa, cells, columns, filled, .. } = self;
            Direct::new(out, *isa, cells, columns, filled, plainly)
        })
    }
    fn listen(&mut self) -> bool {
        !std::mem::replace(&mut self.listens, true)
    }
    fn heard(&self) -> Option<&[u8]> {
        self.heard.as_deref()
    }
    fn marks(&self, text: &[u8]) -> bool {
        self.cells.is_null(text)
    }
    fn reported(&mut self) -> Option<Scalar<'_>> {
        let text = std::str::from_utf8(self.heard.as_deref()?).ok()?;
        Some(match self.cells.is_null(text.as_bytes()) {
            true => Scalar::Text(text.into()),
            false => Scalar::Untyped(text.into()),
        })
    }
    fn ignore(&mut self) {
        (self.listens, self.heard) = (false, None);
    }
}

/// The delimiter and the quote, if cells that need no quotes are written as they are.
fn plainly(options: &WriterOptions, cells: &Cells) -> Option<(u8, u8)> {
    let WriterOptions { dialect, quoting, null, .. } = options;
    match (dialect.delimiter.as_bytes(), dialect.quote, quoting) {
        ([delimiter], Some(quote), Quoting::Minimal)
            if cells.safe && null.is_empty() && dialect.comment.is_none() =>
        {
            Some((*delimiter, quote))
        }
        _ => None,
    }
}

impl Writer {
    #[cold]
    fn note_from(&mut self, start: usize) -> Result<(), Unwritable> {
        let out = std::mem::take(&mut self.out);
        let noted = self.note(&out[start..]);
        self.out = out;
        noted
    }

    /// Notes the text of a scalar.
    #[cold]
    fn note(&mut self, text: &[u8]) -> Result<(), Unwritable> {
        let mut heard = self.heard.take().unwrap_or_default();
        heard.clear();
        make_room(&mut heard, text.len())?;
        heard.extend_from_slice(text);
        self.heard = Some(heard);
        Ok(())
    }
}

impl Sink for Writer {
    type Error = Unwritable;

    #[inline(always)]
    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin_row(Open::Map)
    }
    #[inline(always)]
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.end_row()
    }
    #[inline(always)]
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.begin_row(Open::List)
    }
    #[inline(always)]
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        self.end_row()
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        if key.kind == KeyKind::Member {
            return self.key(key.name, at);
        }
        let at = if key.kind == KeyKind::Attribute { "@" } else { "" };
        let colon = if key.prefix.is_some() { ":" } else { "" };
        let prefix = key.prefix.map_or("", |prefix| prefix.text.as_str());
        self.find(&format!("{at}{prefix}{colon}{}", key.name.text.as_str()))?;
        Ok(Flow::Take)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.find(key.text.as_str())?;
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        let kind = match value {
            Scalar::Null => return self.null_cell(),
            Scalar::Text(text) => return self.text(text, at),
            // An empty cell of another table is null as much as it is text.
            Scalar::Untyped(text) if text.bytes().is_empty() => return self.null_cell(),
            Scalar::Untyped(text) if self.cells.is_null(text.bytes()) => {
                return self.cell_as_it_is(text.bytes());
            }
            Scalar::Untyped(text) => return self.text(text, at),
            Scalar::Decimal(b"NaN" | b"Infinity" | b"-Infinity") => {
                let reason = "CSV has no form for a decimal number that is not finite";
                return Err(Unwritable::value(reason));
            }
            Scalar::Int(_) | Scalar::Float(_) | Scalar::Number(_) | Scalar::Decimal(_) => {
                Kind::Number
            }
            Scalar::Uid(_) => Kind::Number,
            Scalar::Bytes([]) => return self.no_bytes(),
            _ => Kind::Other,
        };
        let limits = Arc::clone(&self.limits);
        self.printed(kind, |out| scalars::plain(value, &limits, out))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        Err(Unwritable::value("CSV has no place for text between elements"))
    }
    fn abandon(&mut self) {
        self.out.truncate(self.row);
        self.open = Open::Nothing;
        self.is_scattered = false;
        writer::Writer::ignore(self);
        if !self.begun && matches!(self.known, Known::No | Known::FirstRow) {
            self.given();
        }
    }
    #[inline(always)]
    fn int(&mut self, value: i64, _at: u64) -> Result<Flow, Unwritable> {
        self.printed(Kind::Number, |out| {
            make_room(out, print::LONGEST)?;
            print::int(value, out);
            Ok(())
        })
    }
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Result<Flow, Unwritable> {
        if !value.is_finite() {
            return self.scalar(Scalar::Float(value), at);
        }
        self.printed(Kind::Number, |out| {
            make_room(out, print::LONGEST)?;
            print::float(value, out);
            Ok(())
        })
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        self.text_cell(text.text.as_str())
    }
}

impl Hints for Writer {
    fn want(&self) -> Want {
        Want::Digits
    }
}

impl LookAhead for Writer {
    /// The header of another table.
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        _wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Unwritable> {
        if self.known == Known::No && self.open == Open::Nothing && !known.keys.is_empty() {
            self.of_source(known.keys.iter().map(|key| key.name.text.as_str()))?;
        }
        Ok(RowsAs::Maps)
    }
}
