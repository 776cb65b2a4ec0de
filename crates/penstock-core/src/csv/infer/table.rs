//! The table that a dialect makes of the sample, or why it makes none.

use penstock_scan::{Isa, Job, Stops, ValidText, copied, dispatch, filled, gathered, make_room};

use super::super::dialect::{Grammar, Line};
use super::super::options::{NULL, Options, Terminator, escaped};
use super::super::rows::{Cell, Row, Wrong};
use super::super::stops::Found;
use super::candidates::{USUAL, price};
use super::cost::{self, Cost, Kind};
use super::judge::{Columns, Verdict};
use crate::protocol::Judge;
use crate::repair::RepairKind;

/// How many kinds of cells there are.
const KINDS: usize = Kind::ALL.len();

/// A column of the table, without its first row.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// How many cells are of each kind, and what they cost.
    pub(super) counts: [u32; KINDS],
    costs: [Cost; KINDS],
    /// The common form of all texts; none if they differ.
    pub(super) form: Form,
    /// Whether the first row's cell stands here again.
    pub(super) recurs: bool,
}

/// The form of a text: letters, digits and the rest, without how many of them there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// There was no text yet.
    #[default]
    Open,
    /// All texts have this form. The flag says whether there are digits in it.
    Same(u64, bool),
    Various,
}

/// A cell of the first row.
#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) form: Form,
    cost: Cost,
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Where the first row of the table is, and how many rows there are with it.
    pub(super) at: usize,
    pub(super) rows: usize,
    pub(super) columns: Vec<Column>,
    pub(super) first: Vec<First>,
    /// The cells of the second row, which the columns count as well.
    pub(super) second: Vec<First>,
    /// How many lines before the first row are none of its rows.
    pub(super) skip: u64,
    /// Whether a blank line parts them from the table.
    pub(super) parted: bool,
    /// What the type says, if it knows the table.
    pub(super) verdict: Option<Verdict>,
    /// Whether the type knows the names of the first row.
    pub(super) named: bool,
    /// The share of cells with blanks at their edges is so large that they are no accident.
    pub(super) padded: bool,
    /// What everything costs but the cells: the dialect, the lines before the table and the row
    /// that the sample cuts.
    frame: Cost,
    /// What ends a cell.
    each: Cost,
}

/// Why a dialect makes no table of the sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// Where it fails: a byte of the sample.
    pub at: usize,
    /// The reason.
    pub reason: String,
}

impl Against {
    fn new(at: usize, reason: impl Into<String>) -> Self {
        Against { at, reason: reason.into() }
    }
}

/// What a row costs that has to be repaired.
const MENDED: Cost = 400;

/// One dialect on one sample.
#[derive(Clone, Copy)]
pub(super) struct Trial<'s> {
    pub(super) text: ValidText<'s>,
    /// Whether the sample is the whole source.
    pub(super) whole: bool,
    pub(super) options: &'s Options,
    pub(super) judge: Option<&'s dyn Judge>,
    /// The columns that the judge wants.
    pub(super) wanted: &'s Columns<'s>,
}

struct Try<'s> {
    trial: Trial<'s>,
    stops: &'s Stops,
    mode: Mode,
}

/// Where the table begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// At the row with the names that the judge knows.
    Names,
    /// Behind rows of which only the first cell has text.
    Padded,
    /// At the first row that has as many cells as all rows after it.
    Plain,
}

impl Job for Try<'_> {
    type Output = Result<Table, Against>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        Scan::new(self.trial, self.mode).run(isa, self.stops)
    }
}

impl<'s> Trial<'s> {
    /// The table, or why there is none.
    pub(super) fn run(self) -> Result<Table, Against> {
        let stops = self.options.stops().map_err(|wrong| Against::new(0, wrong.0))?;
        let run = |mode| dispatch(Try { trial: self, stops: &stops, mode });
        if self.judge.is_some_and(|judge| !judge.by_position())
            && let Ok(table) = run(Mode::Names)
        {
            return Ok(table);
        }
        let plain = run(Mode::Plain)?;
        if plain.skip == 0 && plain.first.len() > 2 && is_padding(&plain.first) {
            // Lines of a title, whose row has all its delimiters: a spreadsheet writes them so.
            if let Ok(table) = run(Mode::Padded)
                && !table.first.iter().any(|first| first.kind == Kind::Empty)
                && super::header::evidence(&table) > 0
            {
                return Ok(table);
            }
        }
        Ok(plain)
    }

    /// The texts of all rows from an offset on, for two dialects that cost the same.
    pub(super) fn texts(self, from: usize) -> Vec<Vec<String>> {
        let Ok(stops) = self.options.stops() else { return Vec::new() };
        dispatch(Texts { trial: self, stops: &stops, from })
    }
}

/// Whether only the first cell has text, and there it is no number.
fn is_padding(first: &[First]) -> bool {
    let mut rest = first.iter();
    rest.next().is_some_and(|first| first.kind == Kind::Text)
        && rest.all(|first| first.text.is_empty())
}

/// All texts of a table.
struct Texts<'s> {
    trial: Trial<'s>,
    stops: &'s Stops,
    from: usize,
}

impl Job for Texts<'_> {
    type Output = Vec<Vec<String>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let mut rows = Rows::new(isa, self.trial, self.stops, self.from);
        let mut all = Vec::new();
        while let Some(Next::Row { at, .. }) = rows.next_row() {
            make_room(&mut all, 1);
            all.push(rows.texts(at));
        }
        all
    }
}

/// The rows of the sample.
struct Rows<'s, I> {
    trial: Trial<'s>,
    found: Found<'s, I>,
    grammar: Grammar,
    row: Row,
    pos: usize,
    /// Whether the line before the current row was blank.
    parted: bool,
    /// For each comment, its length and how many cells it would have as a row.
    comments: Vec<(usize, usize)>,
}

/// What [`Rows`] found.
enum Next {
    Row {
        at: usize,
        wrong: Option<(Wrong, usize)>,
    },
    /// The sample cuts the row that begins here.
    Cut {
        at: usize,
    },
}

impl<'s, I: Isa> Rows<'s, I> {
    #[inline(always)]
    fn new(isa: I, trial: Trial<'s>, stops: &'s Stops, from: usize) -> Self {
        Rows {
            trial,
            found: Found::new(isa, trial.text.as_bytes(), stops, from),
            grammar: Grammar::new(trial.options, usize::MAX),
            row: Row::default(),
            pos: from,
            parted: false,
            comments: Vec::new(),
        }
    }

    /// The next row that is neither blank nor a comment.
    #[inline(always)]
    fn next_row(&mut self) -> Option<Next> {
        self.parted = false;
        let bytes = self.trial.text.as_bytes();
        while self.pos < bytes.len() {
            let at = self.pos;
            if let Some(comment) = self.trial.options.comment.as_deref()
                && bytes[at..].starts_with(comment.as_bytes())
            {
                match self.grammar.line(&bytes[at..], self.trial.whole) {
                    Line::Ends(end) => {
                        self.grammar.line_ended(&bytes[at + end.end..at + end.next]);
                        self.pos += end.next;
                        let delimiter = self.trial.options.delimiter.as_bytes();
                        let line = &bytes[at..self.pos];
                        let cells = 1 + memchr::memmem::find_iter(line, delimiter).count();
                        make_room(&mut self.comments, 1);
                        self.comments.push((line.len(), cells));
                        self.found.go_to(self.pos);
                        continue;
                    }
                    Line::Cut(_) => return None,
                }
            }
            self.row.clear();
            let whole = self.trial.whole;
            let Some(end) = self.row.scan(&mut self.found, at, whole, &self.grammar) else {
                self.pos = bytes.len();
                return Some(Next::Cut { at });
            };
            self.grammar.line_ended(&bytes[at + end.end..at + end.next]);
            self.pos += end.next;
            let wrong = self.row.wrong;
            if let [only] = &self.row.cells[..]
                && only.from == only.to
                && !only.quoted
                && wrong.is_none()
            {
                self.parted = true;
                continue;
            }
            return Some(Next::Row { at, wrong });
        }
        None
    }

    /// The text of a cell of the row that begins at an offset.
    fn text(&self, at: usize, cell: &Cell) -> std::borrow::Cow<'s, str> {
        let text = self.trial.text.slice(at + cell.from..at + cell.to).as_str();
        let is_null = self.grammar.has_null() && !cell.quoted && text.as_bytes() == NULL;
        let Some(escape) = self.grammar.escaping().filter(|_| cell.escaped && !is_null) else {
            return text.into();
        };
        let mut plain = String::new();
        make_room(&mut plain, text.len());
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            if character != char::from(escape) {
                plain.push(character);
                continue;
            }
            let Some(next) = characters.next() else { break };
            let other = u8::try_from(next).ok().and_then(|next| escaped(escape, next));
            plain.push(other.unwrap_or(next));
        }
        plain.into()
    }

    /// The texts of all cells of the row that begins at an offset.
    fn texts(&self, at: usize) -> Vec<String> {
        gathered(self.row.cells.iter().map(|cell| copied(&self.text(at, cell))))
    }
}

/// The scan of a sample.
struct Scan<'s> {
    trial: Trial<'s>,
    mode: Mode,
    table: Table,
    /// The most cells of a row that stands before the table, and whether one of these rows has
    /// nothing but values.
    before: usize,
    before_values: bool,
    rows_before: usize,
    /// Rows of the table that were repaired.
    mended: usize,
    /// The first row that is not one of the grammar.
    fault: Option<Against>,
    /// For each column, the one of the judge.
    known: Vec<Option<usize>>,
    /// Rows in which an unusual delimiter leaves usual ones over, and those in which it leaves
    /// only some before blanks, as in sentences; and whether the first row is one of them.
    left: [usize; 2],
    left_first: [bool; 2],
    /// Rows in whose first cell several spaces in a row part texts, as where columns are filled up.
    aligned: usize,
    /// Cells that are not the first of their row, and those of them with a blank before the text,
    /// or behind it.
    inner: usize,
    led: usize,
    trailed: usize,
}

impl<'s> Scan<'s> {
    fn new(trial: Trial<'s>, mode: Mode) -> Self {
        let (frame, each) = price(trial.options);
        let table = Table {
            at: 0,
            rows: 0,
            columns: Vec::new(),
            first: Vec::new(),
            second: Vec::new(),
            skip: 0,
            parted: false,
            verdict: None,
            named: false,
            padded: false,
            frame,
            each,
        };
        Scan {
            trial,
            mode,
            table,
            before: 0,
            before_values: false,
            rows_before: 0,
            mended: 0,
            fault: None,
            known: Vec::new(),
            left: [0; 2],
            left_first: [false; 2],
            aligned: 0,
            inner: 0,
            led: 0,
            trailed: 0,
        }
    }

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I, stops: &'s Stops) -> Result<Table, Against> {
        let text = self.trial.text.as_bytes();
        let mut rows = Rows::new(isa, self.trial, stops, 0);
        let mut cut = text.len();
        while let Some(next) = rows.next_row() {
            match next {
                Next::Cut { at } => cut = at,
                Next::Row { at, wrong: Some((wrong, place)) } => {
                    let against = Against::new(at + place, reason(wrong));
                    if matches!(wrong, Wrong::Open | Wrong::Nul) {
                        return Err(against);
                    }
                    self.faulty(against, rows.row.cells.len())?;
                }
                Next::Row { at, wrong: None } => self.row(at, &rows)?,
            }
        }
        if self.table.rows == 0 {
            let reason = match self.mode {
                Mode::Names => "no row has the names",
                Mode::Padded | Mode::Plain => "no row ends in the sample",
            };
            return Err(self.fault.unwrap_or_else(|| Against::new(0, reason)));
        }
        // What is cut, or stands before the table, costs as much as any text, and more for each
        // row: nothing explains it.
        let apart = (text.len() - cut + self.table.at) as Cost;
        self.table.frame += 60 * apart + 120 * self.rows_before as Cost;
        // A comment with as many cells as a row may be one.
        let columns = self.table.columns.len();
        for (length, cells) in &rows.comments {
            let may_be = columns > 1 && *cells >= columns;
            self.table.frame += 60 * *length as Cost + if may_be { 3_000 } else { 0 };
        }
        self.finish()
    }

    /// A row that is not one of the grammar: it cannot be one of the table.
    fn faulty(&mut self, against: Against, cells: usize) -> Result<(), Against> {
        if self.mode == Mode::Names && self.table.rows > 0 {
            return Err(against);
        }
        self.fault.get_or_insert(against);
        self.end_block(cells);
        Ok(())
    }

    /// All rows so far stand before the table.
    fn end_block(&mut self, cells: usize) {
        self.rows_before += self.table.rows + 1;
        self.before = self.before.max(cells).max(self.table.columns.len());
        self.before_values |= self.table.rows > 0
            && (0..self.table.columns.len()).all(|column| self.is_typed(column));
        self.table.rows = 0;
        self.table.columns.clear();
        self.table.first.clear();
        self.table.second.clear();
        (self.left, self.left_first) = ([0; 2], [false; 2]);
        (self.inner, self.led, self.trailed, self.mended) = (0, 0, 0, 0);
        self.aligned = 0;
    }

    fn is_typed(&self, column: usize) -> bool {
        let counts = &self.table.columns[column].counts;
        let typed = counts[Kind::Number as usize] + counts[Kind::Moment as usize];
        self.table.first[column].kind.is_typed() || typed > 0
    }

    /// Whether a row that has another number of cells than the table is repaired: nothing, if it is
    /// not; or whether that has to be an exception.
    fn mends(&self, cells: &[Cell], columns: usize) -> Option<bool> {
        let may = |kind: RepairKind| self.trial.options.repairs.has(kind);
        let is_end = |last: &Cell| last.from == last.to && !last.quoted;
        if cells.len() == columns + 1
            && cells.last().is_some_and(is_end)
            && may(RepairKind::TrailingDelimiter)
        {
            return Some(false);
        }
        let kind = if cells.len() < columns { RepairKind::ShortRow } else { RepairKind::LongRow };
        may(kind).then_some(true)
    }

    #[inline(always)]
    fn row<I: Isa>(&mut self, at: usize, rows: &Rows<'s, I>) -> Result<(), Against> {
        let cells = &rows.row.cells;
        if self.table.rows > 0 && cells.len() != self.table.columns.len() {
            if let Some(rarely) = self.mends(cells, self.table.columns.len()) {
                self.mended += usize::from(rarely);
                self.table.rows += 1;
                self.table.frame += MENDED * Cost::from(rarely);
                return Ok(());
            }
        } else if !rows.row.repairs.is_empty() {
            self.mended += 1;
            self.table.frame += MENDED;
        }
        if self.table.rows > 0 && cells.len() != self.table.columns.len() {
            let columns = self.table.columns.len();
            let reason = format!(
                "the row has {}, and the rows before it have {columns}",
                counted(cells.len(), "cell")
            );
            let against = Against::new(at, reason);
            if self.mode == Mode::Names {
                return Err(against);
            }
            // A row of a table never stands before it: a table with rows of various lengths is
            // not cut in two.
            self.fault.get_or_insert(against);
            self.end_block(0);
            // The row itself belongs to the next block.
            self.rows_before -= 1;
        }
        let may_follow = self.before <= 1 || 2 * self.before <= cells.len();
        if self.mode != Mode::Names && self.rows_before > 0 && (!may_follow || self.before_values) {
            return Err(self.fault.take().unwrap_or_else(|| Against::new(at, "rows differ")));
        }
        if self.table.rows == 0 && !self.begin(at, rows) {
            self.rows_before += 1;
            self.mended = 0;
            return Ok(());
        }
        self.add(at, rows);
        Ok(())
    }

    /// Begins a table with the row. False if it begins later.
    #[cold]
    fn begin<I: Isa>(&mut self, at: usize, rows: &Rows<'s, I>) -> bool {
        let cells = &rows.row.cells;
        let texts = rows.texts(at);
        match (self.mode, self.trial.judge) {
            (Mode::Names, Some(_)) => match self.trial.wanted.matched(&texts) {
                Some(known) => {
                    let columns = known.iter().filter(|column| column.is_some()).count();
                    self.table.verdict = Some(Verdict { misfits: 0, known: columns });
                    self.table.named = true;
                    self.known = known;
                }
                None => return false,
            },
            (_, Some(judge)) if judge.by_position() && self.trial.wanted.len() == cells.len() => {
                self.table.verdict = Some(Verdict { misfits: 0, known: cells.len() });
                self.known = gathered((0..cells.len()).map(Some));
            }
            _ => {
                self.table.verdict = None;
                self.known.clear();
            }
        }
        let first = texts.into_iter().map(|text| {
            let (kind, cost) = cost::cell(text.as_bytes());
            First { form: form(text.as_bytes()), kind, cost, text }
        });
        self.table.first = gathered(first);
        if self.mode == Mode::Padded && is_padding(&self.table.first) {
            self.table.first.clear();
            return false;
        }
        self.table.columns = filled(Column::default(), cells.len());
        (self.table.at, self.table.parted) = (at, rows.parted);
        true
    }

    /// A row of the table.
    #[inline(always)]
    fn add<I: Isa>(&mut self, at: usize, rows: &Rows<'s, I>) {
        let is_first = self.table.rows == 0;
        self.table.rows += 1;
        let usual = self.trial.options.delimiter.len() == 1
            && USUAL.contains(&self.trial.options.delimiter.as_bytes()[0])
            && self.table.columns.len() > 1;
        let mut left = [false; 2];
        for (place, cell) in rows.row.cells.iter().enumerate() {
            let text = rows.text(at, cell);
            let bytes = text.as_bytes();
            if let [first, .., last] | [first @ last] = bytes
                && place > 0
                && !cell.quoted
            {
                let is_blank = |byte: &u8| usize::from(matches!(byte, b' ' | b'\t'));
                self.inner += 1;
                self.led += is_blank(first);
                self.trailed += is_blank(last);
            }
            if place == 0 && !cell.quoted {
                self.aligned += usize::from(text.trim().contains("  "));
            }
            let (kind, mut cost) =
                if is_first { (self.table.first[place].kind, 0) } else { cost::cell(bytes) };
            // The comma of a number is its own, beside other numbers.
            let is_number = kind == Kind::Number && rows.row.cells.len() > 1;
            if !usual && !cell.quoted && !is_number {
                note_usual(bytes, &mut left);
            }
            if is_first {
                continue;
            }
            // Who trims writes blanks without a thought; a character that is escaped for nothing
            // is one that somebody wanted to write.
            let raw = cell.to - cell.from;
            if self.trial.options.escape.is_some() && raw > bytes.len() {
                let raw = &self.trial.text.as_bytes()[at + cell.from..at + cell.to];
                cost += self.needless(raw);
            }
            cost += u64::from(cell.quoted) * 5;
            if self.table.rows == 2 {
                make_room(&mut self.table.second, 1);
                self.table.second.push(First {
                    form: form(bytes),
                    kind,
                    cost,
                    text: copied(&text),
                });
            }
            let column = &mut self.table.columns[place];
            column.counts[kind as usize] += 1;
            column.costs[kind as usize] += cost;
            if kind == Kind::Text {
                column.form = column.form.with(form(bytes));
            }
            column.recurs |= !bytes.is_empty() && *self.table.first[place].text == *text;
            if let (Some(Some(known)), Some(judge), Some(verdict)) =
                (self.known.get(place), self.trial.judge, &mut self.table.verdict)
            {
                verdict.misfits += usize::from(!judge.fits(*known, &text));
            }
        }
        for (place, left) in left.into_iter().enumerate() {
            self.left[place] += usize::from(left);
            self.left_first[place] |= is_first && left;
        }
    }

    /// What characters cost that are escaped without need.
    #[cold]
    fn needless(&self, raw: &[u8]) -> Cost {
        let options = self.trial.options;
        let needs = |byte: u8| {
            Some(byte) == options.quote
                || Some(byte) == options.escape
                || byte == options.delimiter.as_bytes()[0]
                || matches!(byte, b'\n' | b'\r')
        };
        let mut cost = 0;
        let mut at = 0;
        while let Some(next) = raw.get(at + 1) {
            let is_escape = Some(raw[at]) == options.escape;
            cost += if is_escape && !needs(*next) { 300 } else { 0 };
            at += if is_escape { 2 } else { 1 };
        }
        cost
    }

    /// The table, now that it is whole.
    fn finish(mut self) -> Result<Table, Against> {
        let begins = self.table.at;
        let columns = self.table.columns.len();
        let is_usual = columns > 1
            && USUAL.iter().any(|byte| self.trial.options.delimiter.as_bytes() == [*byte]);
        let is_left = self.left_first[0]
            || 4 * self.left[0] > self.table.rows
            || self.left_first[1] && 4 * self.left[1] > 3 * self.table.rows;
        if !is_usual && !self.table.named && is_left {
            let what = if columns == 1 { "one column is" } else { "the cells are" };
            let reason = format!("{what} left with commas, semicolons, tabs or bars in them");
            return Err(self.fault.unwrap_or_else(|| Against::new(begins, reason)));
        }
        if columns == 1
            && !self.table.named
            && self.table.rows > 1
            && self.aligned == self.table.rows
        {
            let reason = "one column is left with runs of spaces in each row";
            return Err(self.fault.unwrap_or_else(|| Against::new(begins, reason)));
        }
        if columns == 1 && self.trial.options.terminator != Terminator::AsFirst {
            let reason = "one column, and line ends of several kinds";
            return Err(self.fault.unwrap_or_else(|| Against::new(begins, reason)));
        }
        let good = self.table.rows - self.mended;
        if self.mended > 0 && (columns < 2 || good < 3 || 9 * (self.mended - 1) >= good) {
            let reason = format!("{} of {} rows need repairs", self.mended, self.table.rows);
            return Err(Against::new(begins, reason));
        }
        // Without a quote, texts that begin with one would keep it.
        if self.trial.options.quote.is_none() {
            let text = self.trial.text.as_bytes();
            let delimiter = &self.trial.options.delimiter;
            if super::candidates::begins_cell(&text[begins..], delimiter, b'"') {
                return Err(Against::new(begins, "cells begin with quotes"));
            }
        }
        if begins > 0 {
            self.table.skip = self.lines_before()?;
        }
        if self.rows_before > 0 && !self.table.named {
            let is_sure = self.table.parted || super::header::evidence(&self.table) > 0;
            if self.table.rows < 2 || columns < 2 || !is_sure {
                let reason = "the lines before it may be rows";
                return Err(self.fault.unwrap_or_else(|| Against::new(begins, reason)));
            }
        } else if self.rows_before == 0 {
            // Blank lines and comments are skipped without being counted.
            self.table.skip = 0;
        }
        let padded = |count: usize| self.inner > 0 && 10 * count >= 9 * self.inner;
        self.table.padded = padded(self.led) || padded(self.trailed);
        Ok(self.table)
    }

    /// How many lines a reader has to skip.
    fn lines_before(&self) -> Result<u64, Against> {
        let text = &self.trial.text.as_bytes();
        let mut grammar = Grammar::new(self.trial.options, usize::MAX);
        let (mut at, mut lines) = (0, 0);
        while at < self.table.at {
            match grammar.line(&text[at..], true) {
                Line::Ends(end) => {
                    grammar.line_ended(&text[at + end.end..at + end.next]);
                    at += end.next;
                    lines += 1;
                }
                Line::Cut(_) => break,
            }
        }
        let reason = "the table begins within a line";
        if at == self.table.at { Ok(lines) } else { Err(Against::new(at, reason)) }
    }
}

impl Table {
    /// What the sample costs as this table, whose first `header` rows have the names of the columns.
    pub(super) fn cost(&self, header: usize) -> Cost {
        let rows = self.rows as Cost;
        let mut cost = self.frame + self.each * rows * self.columns.len() as Cost;
        for (place, (column, first)) in self.columns.iter().zip(&self.first).enumerate() {
            let name = |text: &str| cost::text(text.as_bytes()) + cost::joined(text.as_bytes());
            let mut counts = column.counts;
            // Nobody makes a column that has neither a name nor a cell.
            let is_empty = first.kind == Kind::Empty && counts[1..] == [0; KINDS - 1];
            cost += if is_empty { 100 } else { 0 };
            if header > 0 {
                cost += name(&first.text);
            } else {
                counts[first.kind as usize] += 1;
                cost += first.cost;
            }
            cost += column.costs.iter().sum::<Cost>();
            if header > 1 {
                let second = &self.second[place];
                counts[second.kind as usize] -= 1;
                cost = cost + name(&second.text) - second.cost;
            }
            cost += cost::kinds(&counts);
        }
        cost
    }
}

impl Form {
    fn with(self, other: Form) -> Form {
        match self {
            Form::Open => other,
            _ if self == other => self,
            _ => Form::Various,
        }
    }
}

/// The form of a text.
fn form(text: &[u8]) -> Form {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut before = 0;
    let mut digits = false;
    for byte in text {
        let class = match byte {
            b'a'..=b'z' | 0x80.. => b'a',
            b'A'..=b'Z' => b'A',
            b'0'..=b'9' => b'0',
            other => *other,
        };
        digits |= class == b'0';
        if class != before {
            hash = (hash ^ u64::from(class)).wrapping_mul(0x0100_0000_01b3);
        }
        before = class;
    }
    Form::Same(hash, digits)
}

/// Notes whether a text has one of the usual delimiters, and whether it has one before a blank only,
/// as in sentences.
fn note_usual(text: &[u8], left: &mut [bool; 2]) {
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| USUAL.contains(byte)) {
        let is_behind_blank = at.checked_sub(1).and_then(|at| text.get(at)) == Some(&b' ');
        left[usize::from(text.get(at + 1) == Some(&b' ') && !is_behind_blank)] = true;
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn reason(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Quote => "a quote in a cell that does not begin with one",
        Wrong::Behind => "text behind the closing quote of a cell",
        Wrong::Nul => "a NUL character",
        Wrong::Return => "a carriage return without a line feed",
        Wrong::Feed => "a line feed without a carriage return",
        Wrong::Open => "a quote that is never closed",
        Wrong::Long { .. } => "a row that is too long",
    }
}
