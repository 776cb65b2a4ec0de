//! The CSV reader: checked text in, rows out.

use std::sync::Arc;

use penstock_scan::{Chosen, Isa, Job, Stops, TextBuf, ValidText, dispatch_or};

use super::blocks::{Blocks, Counted, Noted, Whole, usual_delimiter};
use super::dialect::{Grammar, Line};
use super::header::Names;
use super::infer::Inference;
use super::many::Many;
use super::options::{Header, Options, WrongDialect};
use super::row_kind::RowKind;
use super::rows::{self, End};
use super::stops::Found;
use super::tail::Tailing;
use crate::error::{Fail, Fault};
use crate::event::Cell;
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Flow, Listener, RowsAs, Step, Want};
use crate::repair::Repair;

/// The number of the only shape.
pub(super) const SHAPE: u32 = 0;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// So many lines that are skipped, whatever is in them.
    Lines(u64),
    /// So many rows of the header, the first ones of which were read.
    Header(usize),
    /// A row.
    Row,
}

/// A line that is skipped, whatever is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    None,
    Comment,
    /// The rest of a line, behind bytes that are no text, or behind a row that was too long.
    Lost,
}

/// Reads CSV, window after window.
///
/// The caller gives [`run`](Reader::run) a window of text that begins at [`base`](Reader::base). It
/// calls `run` again with a longer window, or drops the first [`consumed`](Reader::consumed) bytes,
/// after calling [`drop_front`](Reader::drop_front).
#[derive(Debug)]
pub struct Reader {
    pub(super) state: State,
    skipped: Skipped,
    /// Whether a fault was reported, behind whose row the reader is.
    faulty: bool,
    /// The offset of the last row in error.
    failed_at: u64,
    /// How far the reader had to look to find the faults up to here.
    looked_to: u64,
    /// The index in the window of the current row.
    pub(super) pos: usize,
    /// The offset of the window's first byte in the source.
    pub(super) base: u64,
    stops: Arc<Stops>,
    /// What finds the rows. Nothing while it does.
    scan: Option<Box<Scan>>,
    pub(super) grammar: Grammar,
    pub(super) header: Header,
    comment: Option<Box<str>>,
    pub(super) row: rows::Row,
    /// The names of the columns, once they are known.
    pub(super) names: Option<Names>,
    /// Where in the source the last row of the header and its cells stand.
    pub(super) header_at: Option<u64>,
    pub(super) header_cells: Vec<u64>,
    /// Whether the sink was told the names, and how it wants the rows.
    pub(super) told: Option<RowsAs>,
    /// Whether the sink refused them: then no row can fit.
    pub(super) refused: bool,
    /// The forms that the sink wants, once it was told the names, and how many cells of a row there
    /// are up to the last one that it wants.
    pub(super) wanted: Vec<Option<Want>>,
    pub(super) needed: usize,
    /// How many events of the current row are reported.
    pub(super) reported: usize,
    /// The cells of the current row without escapes, one after the other.
    pub(super) scratch: TextBuf,
    /// Where each of them is.
    pub(super) places: Vec<(usize, usize)>,
    /// The repairs that nobody has taken yet.
    pub(super) repairs: Vec<Repair>,
    /// Kept for its memory only.
    pub(super) cells: Vec<Option<Cell<'static>>>,
    pub(super) options: Arc<Options>,
    /// If the dialect is found in the source: what is known of it.
    pub(super) inference: Option<Inference>,
}

/// What finds rows: it is lent to a run, because the reader is changed meanwhile.
#[derive(Debug)]
struct Scan {
    stops: Stops,
    /// Nothing if only the grammar knows the dialect.
    blocks: Option<Blocks>,
    many: Many,
}

/// One call of [`Reader::run`], compiled for each instruction set.
struct Run<'r, 'w, 's, S: ?Sized> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    sink: &'s mut S,
}

impl<S: Listener + ?Sized> Job for Run<'_, '_, '_, S> {
    type Output = Result<Step, Fail<S::Error>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Run { reader, text, last, sink } = self;
        reader.drive(isa, text, last, sink)
    }
}

impl Reader {
    /// A reader at the beginning of a source.
    ///
    /// # Errors
    /// The dialect is not possible.
    pub fn new(options: &Options, limits: &Limits) -> Result<Self, WrongDialect> {
        Ok(Self::checked(&Arc::new(options.clone()), Arc::new(options.stops()?), limits))
    }

    /// The same for a dialect that was checked. `stops` are [its own](Options::stops).
    pub(crate) fn checked(options: &Arc<Options>, stops: Arc<Stops>, limits: &Limits) -> Self {
        let names = match &options.header {
            Header::InputView(names) => Some(Arc::new(names.clone())),
            _ => None,
        };
        let mut reader = Reader {
            state: State::Lines(options.skip),
            skipped: Skipped::None,
            faulty: false,
            failed_at: 0,
            looked_to: 0,
            pos: 0,
            base: 0,
            stops,
            scan: None,
            grammar: Grammar::new(options, limits.row),
            header: options.header.clone(),
            comment: options.comment.clone(),
            row: rows::Row::remembering(),
            names,
            header_at: None,
            header_cells: Vec::new(),
            told: None,
            refused: false,
            wanted: Vec::new(),
            needed: 0,
            reported: 0,
            scratch: TextBuf::new(),
            places: Vec::new(),
            repairs: Vec::new(),
            cells: Vec::new(),
            inference: None,
            options: Arc::clone(options),
        };
        reader.lines_left(options.skip);
        reader
    }

    /// Whether everything is known that the rows from here on depend on: the names of the columns,
    /// and what ends a line.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.names().is_some() && self.grammar.is_settled()
    }

    /// Whether the header is still to be read, or lines before it.
    #[must_use]
    pub fn awaits_header(&self) -> bool {
        self.state != State::Row
    }

    /// Whether the rows before this offset can be read without what follows it. A row that does not
    /// end is in error because of all that was looked at for its end, and the next rows are in there.
    #[must_use]
    pub fn can_be_cut(&self, at: u64) -> bool {
        at >= self.looked_to
    }

    /// A reader at the beginning of any row of the same source, once this one is
    /// [settled](Self::is_settled), or at the end of the source. None if there are no columns yet.
    #[must_use]
    pub fn at_a_row(&self) -> Option<Self> {
        self.names()?;
        Some(Reader {
            state: State::Row,
            skipped: Skipped::None,
            faulty: false,
            failed_at: 0,
            looked_to: 0,
            pos: 0,
            base: 0,
            stops: Arc::clone(&self.stops),
            scan: None,
            grammar: self.grammar.clone(),
            // It was read.
            header: Header::Positions,
            comment: self.comment.clone(),
            row: rows::Row::remembering(),
            names: self.names.clone(),
            header_at: self.header_at,
            header_cells: self.header_cells.clone(),
            told: None,
            refused: false,
            wanted: Vec::new(),
            needed: 0,
            reported: 0,
            scratch: TextBuf::new(),
            places: Vec::new(),
            repairs: Vec::new(),
            cells: Vec::new(),
            inference: None,
            options: Arc::clone(&self.options),
        })
    }

    /// Whether nothing of a row was read, and none is skipped.
    pub(crate) fn is_between_rows(&self) -> bool {
        let is_free = self.skipped == Skipped::None && !self.faulty;
        is_free && self.state == State::Row && self.reported == 0
    }

    /// What decides where rows begin and end, if the dialect is one of the usual ones, and the names
    /// of the columns are known.
    pub(crate) fn row_kind(&self) -> Option<RowKind> {
        Some(RowKind {
            delimiter: usual_delimiter(&self.options)?,
            quote: self.options.quote,
            are_blank_rows: self.names()?.len() == 1,
        })
    }

    /// The most bytes of a row that begins here. None if none begins here, or lines do not end with a
    /// line feed.
    pub(crate) fn row_ahead(&self) -> Option<usize> {
        let is_here = self.is_between_rows() && self.row.is_new() && self.grammar.feeds();
        is_here.then(|| self.grammar.most())
    }

    /// What finds how a file in this dialect ends.
    ///
    /// # Errors
    /// The dialect is not possible.
    pub fn tailing(&self) -> Result<Tailing, WrongDialect> {
        Tailing::new(&self.options)
    }

    /// Whether a row has begun, and the next bytes, so many of them, are in it: it goes on behind them.
    /// Otherwise the last of them may end it.
    pub(super) fn has_scanned(&self, bytes: usize) -> bool {
        !self.row.is_new() && self.row.place(0) == bytes
    }

    /// How many of these bytes, the last ones of which end a row, are that end. None if no row ends
    /// there.
    #[must_use]
    pub fn row_end(&self, bytes: &[u8]) -> Option<usize> {
        self.grammar.row_end(bytes)
    }

    /// The most bytes of the end of a row.
    #[must_use]
    pub fn longest_end(&self) -> usize {
        self.grammar.longest_end()
    }

    /// Whether a carriage return ends a line without a line feed behind it.
    #[must_use]
    pub fn ends_lines_by_return(&self) -> bool {
        self.grammar.returns()
    }

    /// After a fault: the offset of the row in error.
    #[must_use]
    pub fn row_in_error(&self) -> u64 {
        self.failed_at
    }

    /// What comes when so many lines are still to be skipped.
    fn lines_left(&mut self, left: u64) {
        self.state = match (&self.header, left) {
            (_, 1..) => State::Lines(left),
            (Header::First, 0) => State::Header(1),
            (Header::Joined(rows, _), 0) => State::Header((*rows).max(1)),
            (Header::InputView(_) | Header::Positions, 0) => State::Row,
        };
    }

    /// The names of the columns, once they are known.
    #[must_use]
    pub fn names(&self) -> Option<&[Box<str>]> {
        self.names.as_ref().filter(|_| self.state == State::Row).map(|names| &names[..])
    }

    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes of the window the reader no longer needs.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.pos
    }

    /// The offset in the source of the current row.
    #[must_use]
    pub fn begun(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// RecordFeed the reader that the first `count` bytes of the window were dropped.
    ///
    /// # Panics
    /// If the reader still needs some of them.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.pos, "dropped bytes that are still needed");
        self.pos -= count;
        self.base += count as u64;
    }

    /// RecordFeed the reader that the window now begins at `base`.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base) = (0, base);
        self.grammar.bounded = false;
        if let Some(Scan { blocks: Some(blocks), .. }) = self.scan.as_deref_mut() {
            blocks.forget();
        }
        self.row.forget();
    }

    /// RecordFeed the reader that bytes which are not text follow the window, until it
    /// [jumps](Self::jump) behind them.
    pub fn bound(&mut self) {
        self.grammar.bounded = true;
    }

    /// After a fault: goes on with the next row. Behind bytes that are not text, that is the next
    /// line.
    pub fn recover(&mut self) {
        if !std::mem::take(&mut self.faulty) {
            self.reported = 0;
            self.row.clear();
            self.skipped = Skipped::Lost;
        }
    }

    /// True while the reader skips the rest of a line in error.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.skipped == Skipped::Lost
    }

    /// How many of these bytes, which are not text, belong to the line in error.
    #[must_use]
    pub fn pass_bytes(&self, bytes: &[u8]) -> usize {
        match self.grammar.line(bytes, false) {
            Line::Ends(end) => end.end,
            // What may be the end of the line is text.
            Line::Cut(passed) => passed,
        }
    }

    /// Reads as far as the window, the document or the sink allow.
    ///
    /// `text` begins at [`base`](Reader::base). `last` says that nothing follows it.
    ///
    /// # Errors
    /// [`Fail::Input`] if a row is not CSV, has another number of cells than there are columns, or
    /// exceeds a limit; [`Fail::Sink`] if the sink refused an event. The reader is behind the row
    /// then.
    pub fn run<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        dispatch_or(Run { reader: self, text, last, sink }, |run| {
            run.reader.run_portable(run.text, run.last, run.sink)
        })
    }

    /// As [`run`](Reader::run), with one copy of the grammar for all sinks: it calls the sink through a table. A row is
    /// one call, or many rows are, so only a sink that does very little for each row is slower.
    ///
    /// # Errors
    /// As [`run`](Reader::run).
    pub fn run_dyn<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(Chosen::best(), text, last, sink))
    }

    /// As [`run_dyn`](Reader::run_dyn), without the processor's special instructions: for
    /// processors that lack them, and for tests.
    ///
    /// # Errors
    /// As [`run`](Reader::run).
    #[doc(hidden)]
    pub fn run_portable<S: Listener + ?Sized>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(Chosen::portable(), text, last, sink))
    }

    /// The copy of the grammar that all sinks share. It is not generic, so there is only one.
    #[inline(never)]
    fn run_any(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        isa.enter(Run { reader: self, text, last, sink })
    }

    #[inline(always)]
    fn drive<I: Isa, S: Listener + ?Sized>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        // Nothing is told of a header that the caller gives before it is known that there is text.
        if text.as_bytes().is_empty() && !last && self.is_given() {
            return Ok(Step::More);
        }
        let mut scan = self.scan.take().unwrap_or_else(|| {
            let blocks = Blocks::of(&self.options, self.grammar.most());
            Box::new(Scan { stops: Stops::clone(&self.stops), blocks, many: Many::new() })
        });
        let step = self.rows(isa, text, last, sink, &mut scan);
        self.scan = Some(scan);
        step
    }

    #[inline(always)]
    fn rows<I: Isa, S: Listener + ?Sized>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
        scan: &mut Scan,
    ) -> Result<Step, Fail<S::Error>> {
        let dry = if last { Step::Done } else { Step::More };
        let Scan { stops, blocks, many } = scan;
        let mut found = None;
        let columns = match &self.names {
            Some(names) if self.state == State::Row => names.len(),
            _ => {
                let place = self.row.place(self.pos);
                let found = found.insert(Found::new(isa, text.as_bytes(), stops, place));
                match self.columns(found, text, last).map_err(Fail::Input)? {
                    Some(columns) => columns,
                    None => return Ok(dry),
                }
            }
        };
        if self.told.is_none() && self.skipped == Skipped::Lost {
            // The caller gave the header. It is told where the first row may begin, and not somewhere in
            // a line that is lost, because that would depend on how the input was cut.
            let place = self.row.place(self.pos);
            let found = found.get_or_insert_with(|| Found::new(isa, text.as_bytes(), stops, place));
            if !self.pass_lines(found, text, last) && !last {
                return Ok(dry);
            }
        }
        self.tell_header(sink).map_err(Fail::Sink)?;
        let takes_rows = self.needed > 0 && sink.takes_rows();
        let are_even = !self.has_any_rows();
        loop {
            if takes_rows
                && let Some(blocks) = blocks
                && let Some(flow) = self.tell_many(isa, blocks, many, text, columns, sink)?
            {
                match flow {
                    Flow::Pause => return Ok(Step::Paused),
                    Flow::Stop => return Ok(Step::Stopped),
                    Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => continue,
                }
            }
            let end = match blocks.as_mut().and_then(|it| self.whole_row(isa, it, text, columns)) {
                Some(end) => end,
                None => {
                    let place = self.row.place(self.pos);
                    let found = match &mut found {
                        Some(found) => {
                            found.go_to(place);
                            found
                        }
                        None => found.insert(Found::new(isa, text.as_bytes(), stops, place)),
                    };
                    let Some(end) = self.next_row(found, text, last, columns) else {
                        return Ok(dry);
                    };
                    let is_uneven = are_even && self.row.cells.len() != columns;
                    if (self.row.wrong.is_some() || is_uneven) && !self.mend(end, columns) {
                        return Err(Fail::Input(self.fault(end, columns)));
                    }
                    end
                }
            };
            match self.tell(text, end, sink)? {
                Flow::Pause => return Ok(Step::Paused),
                Flow::Stop => return Ok(Step::Stopped),
                Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => {}
            }
        }
    }

    /// Reads what comes before the rows, and returns how many columns there are. Nothing if the
    /// window ends too early.
    #[cold]
    fn columns<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
    ) -> Result<Option<usize>, Fault> {
        while self.state != State::Row {
            if !self.before_rows(found, text, last)? {
                return Ok(None);
            }
        }
        match &self.names {
            Some(names) => Ok(Some(names.len())),
            None => Ok(self.positions(found, text, last)),
        }
    }

    /// Whether rows may have any number of cells: their columns have no names, and the sink takes lists.
    pub(super) fn has_any_rows(&self) -> bool {
        self.options.header == Header::Positions && self.told == Some(RowsAs::AnyLists)
    }

    /// Whether a row of a usual dialect may begin here.
    #[inline(always)]
    pub(super) fn is_before_a_row(&self) -> bool {
        self.row.is_new() && self.skipped == Skipped::None && self.grammar.feeds()
    }

    /// The next row, if nothing is wrong with it and it is all there.
    #[inline(always)]
    fn whole_row<I: Isa>(
        &mut self,
        isa: I,
        blocks: &mut Blocks,
        text: ValidText<'_>,
        columns: usize,
    ) -> Option<End> {
        if !self.is_before_a_row() {
            return None;
        }
        let bytes = text.as_bytes();
        if self.needed == 0 {
            let mut counted = Counted { left: columns };
            let row = blocks.row(isa, bytes, self.base, self.pos, &mut counted)?;
            return Some(row.end);
        }
        let mut noted = Noted::new(&mut self.row.cells, self.needed, columns);
        let row = blocks.row(isa, bytes, self.base, self.pos, &mut noted);
        let Some(Whole { end, ascii, quoted }) = row else {
            self.row.cells.clear();
            return None;
        };
        (self.row.ascii, self.row.is_plain) = (ascii, !quoted);
        if quoted {
            self.unquote(&bytes[self.pos..], blocks);
        }
        Some(end)
    }

    /// Whether the caller gives the header. A reader in the middle of a source has read it.
    fn is_given(&self) -> bool {
        matches!(self.header, Header::InputView(_))
    }

    /// Whether the sink was not told the names of the columns yet. Without a header, the first row
    /// that is none names nothing, and the next one does.
    pub(super) fn is_before_rows(&self) -> bool {
        let has_header = self.names.is_some() && !self.is_given();
        self.refused || self.told.is_none() && (has_header || self.state != State::Row)
    }

    /// Notes what ended a line.
    #[inline(always)]
    fn line_ended(&mut self, text: ValidText<'_>, end: End) {
        let ending = &text.as_bytes()[self.pos + end.end..self.pos + end.next];
        self.grammar.line_ended(ending);
    }

    /// Moves behind the current row.
    #[inline(always)]
    pub(super) fn pass(&mut self, end: End) {
        self.pos += end.next;
        self.reported = 0;
        self.row.clear();
    }

    /// Scans the next row that is neither blank nor a comment. With one column, a blank line is an
    /// empty cell.
    #[inline(always)]
    pub(super) fn next_row<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
        columns: usize,
    ) -> Option<End> {
        loop {
            if self.pos == text.as_bytes().len() {
                return None;
            }
            if (self.comment.is_some() || self.skipped != Skipped::None)
                && !self.pass_lines(found, text, last)
            {
                return None;
            }
            self.row.origin = self.begun();
            let end = self.row.scan(found, self.pos, last, &self.grammar)?;
            self.line_ended(text, end);
            if columns != 1
                && let [only] = &self.row.cells[..]
                && only.from == only.to
                && !only.quoted
                && self.row.wrong.is_none()
            {
                self.pass(end);
                continue;
            }
            return Some(end);
        }
    }

    /// Passes over lines that are no rows. False if nothing more is at hand.
    #[cold]
    fn pass_lines<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
    ) -> bool {
        loop {
            let rest = &text.as_bytes()[self.pos..];
            if self.skipped == Skipped::None {
                let Some(comment) = self.comment.as_deref().map(str::as_bytes) else {
                    return !rest.is_empty();
                };
                if !rest.starts_with(comment) {
                    let may_be = !last && comment.starts_with(rest);
                    return !may_be && !rest.is_empty();
                }
                self.row.clear();
                self.skipped = Skipped::Comment;
            }
            match self.grammar.line(rest, last) {
                Line::Ends(end) => {
                    self.line_ended(text, end);
                    self.pos += end.next;
                    self.skipped = Skipped::None;
                    found.go_to(self.pos);
                }
                Line::Cut(passed) => {
                    self.pos += passed;
                    return false;
                }
            }
        }
    }

    /// Reads one thing that comes before the rows. False if the window ends too early.
    #[cold]
    fn before_rows<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        text: ValidText<'_>,
        last: bool,
    ) -> Result<bool, Fault> {
        match self.state {
            State::Row => Ok(true),
            State::Lines(left) => {
                let rest = &text.as_bytes()[self.pos..];
                match self.grammar.line(rest, last) {
                    Line::Ends(end) => {
                        self.line_ended(text, end);
                        self.pos += end.next;
                        found.go_to(self.pos);
                        self.lines_left(left - 1);
                        Ok(true)
                    }
                    Line::Cut(passed) => {
                        self.pos += passed;
                        Ok(false)
                    }
                }
            }
            State::Header(left) => self.header_row(found, text, last, left),
        }
    }

    /// The repairs since the last call, in the order of the document.
    #[inline(always)]
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.repairs)
    }

    /// The fault of the current row. The reader then goes on behind it.
    #[cold]
    pub(super) fn fault(&mut self, end: End, columns: usize) -> Fault {
        let fault = self.describe(end, columns);
        if self.row.line_goes_on {
            self.skipped = Skipped::Lost;
        }
        (self.faulty, self.failed_at) = (true, self.begun());
        let looked_at = self.row.looked_at as u64;
        self.looked_to = self.looked_to.max(self.failed_at.saturating_add(looked_at));
        self.pass(end);
        fault
    }
}
