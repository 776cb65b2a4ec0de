//! The grammar: where a row and its cells begin and end.
//!
//! # For maintainers
//!
//! A row is scanned from one *stop* to the next: a byte at which the grammar decides something. The
//! kernel finds the stops of 64 bytes at a time, as bits of one word, and the loop takes them out
//! one by one, so bytes between stops cost nothing. Everything that is kept counts from the
//! beginning of the row, which stays in the window until the row is whole. If a window ends within
//! a row, `at` and `within` say where the next one continues, so no byte is looked at twice.
//!
//! A fault does not end the scan. The row's end is found as if the faulty character were text, so
//! the next row is read as usual. Two faults have no such end: a quote that nothing closes, and a
//! row that exceeds its limit. Reading goes on behind the line in which such a row began, also if
//! the end of the row is at hand: that depends on how the input was cut. So the same text is scanned
//! for many rows, and `known.rs` sees that each of them does not scan all of it.

use penstock_scan::{Isa, make_room};

use super::dialect::{Ends, Grammar, Line, begins_with};
use super::known::{Known, STEP, Way};
use super::stops::Found;
use crate::repair::RepairKind;

/// A cell, in bytes from the beginning of its row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// Where the cell begins: its quote, if it has one.
    pub(super) at: usize,
    /// The text, without quotes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether quotes are doubled in it, or characters escaped.
    pub(super) escaped: bool,
    /// Whether it has quotes around it.
    pub(super) quoted: bool,
    /// Whether it has quotes or NUL characters that are repaired.
    pub(super) repaired: bool,
}

/// Where in a cell the scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// In text without quotes, or before any.
    Plain,
    /// Behind a quote in text that does not begin with one.
    Stray,
    /// Behind the quote that opens the cell.
    Quoted,
    /// Behind the quote that closes it, which stands at the end of its text.
    Behind,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// There is a quote in a cell that does not begin with one.
    Quote,
    /// There is text between the closing quote of a cell and its end.
    Behind,
    /// There is a NUL character.
    Nul,
    /// There is a carriage return, and the first line ended with a line feed.
    Return,
    /// There is a line feed, and the first line ended with a carriage return.
    Feed,
    /// The input ends within quotes.
    Open,
    /// The row is longer than it may be. If quotes are open, one of them may never be closed.
    Long { open: bool },
}

/// The row that is being scanned. All positions count from its beginning.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// The first fault, and its place.
    pub(super) wrong: Option<(Wrong, usize)>,
    /// Whether there is no byte above 0x7F in it.
    pub(super) ascii: bool,
    /// Whether it is known that no cell has quotes or escapes.
    pub(super) is_plain: bool,
    /// Everything before is scanned.
    pub(super) at: usize,
    /// The current cell.
    pub(super) cell: Cell,
    pub(super) within: Within,
    /// What was repaired in it, and where.
    pub(super) repairs: Vec<(RepairKind, usize)>,
    /// The end of the last escaped character: white space before it is not trimmed.
    kept: usize,
    /// Whether the line in which a row in error began goes on behind the window.
    pub(super) line_goes_on: bool,
    /// How many bytes had to be looked at to find a fault behind whose first line reading goes on.
    pub(super) looked_at: usize,
    /// Where in the source the row begins, for what is known of its text.
    pub(super) origin: u64,
    /// What is known of text in which rows did not end. Only a reader needs that, which goes on behind
    /// the first line of such a row.
    pub(super) known: Option<Box<Known>>,
    pub(super) is_remembering: bool,
    /// The way through text of which something is known.
    pub(super) way: Option<Box<Way>>,
}

/// The end of a row, and the beginning of the next one, from the beginning of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) end: usize,
    pub(super) next: usize,
}

pub(super) const CELL: Cell =
    Cell { at: 0, from: 0, to: 0, escaped: false, quoted: false, repaired: false };

impl Cell {
    /// The same cell, if its places count from elsewhere.
    pub(super) fn moved(self, by: usize) -> Self {
        let Cell { at, from, to, .. } = self;
        let [at, from, to] = [at, from, to].map(|place| place.wrapping_add(by));
        Cell { at, from, to, ..self }
    }

    /// A cell without quotes.
    #[inline(always)]
    pub(super) fn plain(at: usize, to: usize) -> Self {
        Cell { at, from: at, to, escaped: false, quoted: false, repaired: false }
    }
}

/// The empty cell at a place.
pub(super) fn empty_cell(at: usize) -> Cell {
    Cell { at, from: at, to: at, ..CELL }
}

impl Row {
    /// A row of a reader, which goes on behind the first line of one that does not end.
    pub(super) fn remembering() -> Self {
        Row { is_remembering: true, ..Row::default() }
    }
}

impl Default for Row {
    fn default() -> Self {
        Row {
            cells: Vec::new(),
            wrong: None,
            ascii: true,
            is_plain: false,
            at: 0,
            cell: CELL,
            within: Within::Plain,
            repairs: Vec::new(),
            kept: 0,
            line_goes_on: false,
            looked_at: 0,
            origin: 0,
            known: None,
            is_remembering: false,
            way: None,
        }
    }
}

#[inline(always)]
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

impl Row {
    /// Forgets the row, and keeps its memory.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        (self.wrong, self.ascii, self.at) = (None, true, 0);
        (self.cell, self.within, self.kept) = (CELL, Within::Plain, 0);
        (self.is_plain, self.line_goes_on, self.looked_at) = (false, false, 0);
        self.repairs.clear();
        self.way = None;
    }

    /// Forgets what is known of the text: other text follows.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.known = None;
    }

    #[cold]
    fn fault(&mut self, wrong: Wrong, at: usize) {
        if let Some(way) = &mut self.way {
            way.fault(wrong, self.origin + at as u64);
        }
        if self.wrong.is_none_or(|(_, known)| at < known) {
            self.wrong = Some((wrong, at));
        }
    }

    /// A fault that may be repaired: then the character is text, or nothing.
    #[cold]
    #[inline(never)]
    fn mend(&mut self, wrong: Wrong, at: usize, grammar: &Grammar) {
        let kind = match wrong {
            Wrong::Nul => RepairKind::Nul,
            Wrong::Quote | Wrong::Behind => RepairKind::StrayQuote,
            Wrong::Return => RepairKind::BareCr,
            Wrong::Feed | Wrong::Open | Wrong::Long { .. } => return self.fault(wrong, at),
        };
        if !grammar.repairs.has(kind) {
            return self.fault(wrong, at);
        }
        // All quotes of a cell are one repair.
        let known = |&(known, of): &(RepairKind, usize)| known == kind && of >= self.cell.at;
        if kind != RepairKind::StrayQuote || !self.repairs.last().is_some_and(known) {
            make_room(&mut self.repairs, 1);
            self.repairs.push((kind, at));
        }
        if wrong == Wrong::Nul {
            (self.cell.escaped, self.cell.repaired) = (true, true);
        }
    }

    /// There is text between the closing quote of the current cell and its end. If that is repaired,
    /// all quotes in the cell are text, but a first and a last one.
    #[cold]
    #[inline(never)]
    fn text_behind(&mut self, text: &[u8], end: usize, grammar: &Grammar) {
        self.mend(Wrong::Behind, self.cell.to + 1, grammar);
        if self.wrong.is_some() {
            return;
        }
        let mut to = end;
        if grammar.trim {
            let cell = &text[self.cell.at..end];
            let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
            to -= cell.iter().rev().take_while(blank).count();
        }
        let is_closed = Some(text[to - 1]) == grammar.quote;
        (self.cell.from, self.cell.to) = match is_closed {
            true => (self.cell.at + 1, to - 1),
            false => (self.cell.at, to),
        };
        // Quotes around it are none if the last one is missing.
        self.cell.quoted = is_closed;
        (self.cell.escaped, self.cell.repaired) = (true, true);
    }

    /// Whether nothing of the row is scanned.
    #[inline(always)]
    pub(super) fn is_new(&self) -> bool {
        self.at == 0
    }

    /// Where in the window the scan of a row that begins at `start` goes on.
    pub(super) fn place(&self, start: usize) -> usize {
        start + self.at
    }

    /// Scans on in the row that begins at `start`. Nothing if it may go on behind the window.
    #[inline(always)]
    pub(super) fn scan<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> Option<End> {
        if self.known.is_some() {
            return self.scan_known(found, start, last, grammar);
        }
        self.scan_on::<I, false>(found, start, last, grammar)
    }

    /// As [`scan`](Self::scan), if there is text in which rows did not end.
    #[cold]
    #[inline(never)]
    fn scan_known<I: Isa>(
        &mut self,
        found: &mut Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> Option<End> {
        let is_fresh = self.is_new() && self.way.is_none();
        let known = self.known.as_mut()?;
        if is_fresh && self.origin < known.until {
            known.forget_before(self.origin);
            self.way = Some(Box::new(Way::from(self.origin)));
        }
        let Some(way) = &self.way else {
            return self.scan_on::<I, false>(found, start, last, grammar);
        };
        debug_assert!(way.next * STEP >= self.origin);
        let end = self.scan_on::<I, true>(found, start, last, grammar)?;
        if self.wrong.is_none() && self.way.as_ref().is_some_and(|way| way.has_joined()) {
            // It has cells that were not scanned.
            self.clear();
            found.restart(start);
            return self.scan_on::<I, false>(found, start, last, grammar);
        }
        Some(end)
    }

    /// Scans on. With `KNOWN`, the row goes a way through text of which something is known.
    #[inline(always)]
    fn scan_on<I: Isa, const KNOWN: bool>(
        &mut self,
        found: &mut Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> Option<End> {
        let text = found.text;
        let mut from = start + self.at;
        loop {
            let stop = found.next(from, start, &mut self.ascii);
            if KNOWN {
                let to = stop.unwrap_or(text.len());
                if self.joins(text, start, from..to, grammar) {
                    from = start + self.at;
                    if self.at > grammar.most {
                        return Some(self.too_long(found, start, last, grammar));
                    }
                    found.restart(from);
                    continue;
                }
            }
            let Some(stop) = stop else {
                self.at = text.len() - start;
                if !last {
                    return self.cut(found, start, last, grammar);
                }
                let end = End { end: self.at, next: self.at };
                if self.within == Within::Quoted {
                    self.fault(Wrong::Open, self.cell.at);
                    if self.at > grammar.most {
                        return Some(self.too_long(found, start, last, grammar));
                    }
                    self.looked_at = self.at;
                    self.remember();
                    return Some(self.first_line(&text[start..], last, grammar));
                }
                self.end_cell(&text[start..], end.end, grammar);
                return Some(self.ended(end, found, start, last, grammar));
            };
            let byte = text[stop];
            from = stop + 1;
            if self.within == Within::Quoted {
                if Some(byte) == grammar.quote {
                    if grammar.escape.is_none() {
                        match text.get(from) {
                            Some(next) if *next == byte => {
                                self.cell.escaped = true;
                                from += 1;
                                continue;
                            }
                            None if !last => return self.cut_at(stop, found, start, grammar),
                            _ => {}
                        }
                    }
                    self.cell.to = stop - start;
                    self.within = Within::Behind;
                } else if Some(byte) == grammar.escape {
                    if from == text.len() && !last {
                        return self.cut_at(stop, found, start, grammar);
                    }
                    self.cell.escaped = true;
                    from += 1;
                } else if byte == 0 {
                    self.mend(Wrong::Nul, stop - start, grammar);
                }
                continue;
            }
            if byte == grammar.first {
                let length = if grammar.delimiter.len() == 1 {
                    1
                } else {
                    match begins_with(text, stop, &grammar.delimiter, last) {
                        Ends::Yes(length) => length,
                        Ends::No => continue,
                        Ends::Cut => return self.cut_at(stop, found, start, grammar),
                    }
                };
                self.end_cell(&text[start..], stop - start, grammar);
                from = stop + length;
                let at = from - start;
                self.cell = Cell { at, from: at, to: at, ..CELL };
                self.within = Within::Plain;
            } else if Some(byte) == grammar.quote {
                let before = &text[start + self.cell.at..stop];
                if matches!(self.within, Within::Behind | Within::Stray) {
                    // What stands behind a closed cell is found when the cell ends. The text before a
                    // stray quote is not looked at again for each quote that follows.
                    if self.within == Within::Stray {
                        self.mend(Wrong::Quote, stop - start, grammar);
                    }
                } else if before.is_empty() || (grammar.trim && is_blank(before)) {
                    let at = stop - start;
                    self.cell = Cell { at, from: at + 1, to: at + 1, quoted: true, ..CELL };
                    self.within = Within::Quoted;
                } else {
                    self.within = Within::Stray;
                    self.mend(Wrong::Quote, stop - start, grammar);
                }
            } else if Some(byte) == grammar.escape {
                if from == text.len() && !last {
                    return self.cut_at(stop, found, start, grammar);
                }
                self.cell.escaped = true;
                from += 1;
                self.kept = from - start;
            } else if byte == 0 {
                self.mend(Wrong::Nul, stop - start, grammar);
            } else {
                match grammar.terminator(text, stop, last) {
                    Ends::Yes(length) => {
                        self.end_cell(&text[start..], stop - start, grammar);
                        self.ascii &= found.is_ascii(start, stop);
                        let end = stop - start;
                        let end = End { end, next: end + length };
                        return Some(self.ended(end, found, start, last, grammar));
                    }
                    Ends::Cut => return self.cut_at(stop, found, start, grammar),
                    Ends::No if grammar.terminator.is_none() => {
                        let wrong = if byte == b'\r' { Wrong::Return } else { Wrong::Feed };
                        self.mend(wrong, stop - start, grammar);
                    }
                    Ends::No => {}
                }
            }
        }
    }

    /// The whole row.
    #[inline(always)]
    fn ended<I: Isa>(
        &mut self,
        end: End,
        found: &Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> End {
        if end.end > grammar.most {
            return self.too_long(found, start, last, grammar);
        }
        end
    }

    /// Ends the current cell.
    #[inline(always)]
    fn end_cell(&mut self, text: &[u8], end: usize, grammar: &Grammar) {
        if self.within == Within::Plain && !grammar.trim {
            // A copy of the whole cell would wait for its parts, which were just stored.
            let Cell { at, escaped, quoted, repaired, .. } = self.cell;
            make_room(&mut self.cells, 1);
            self.cells.push(Cell { at, from: at, to: end, escaped, quoted, repaired });
            return;
        }
        if self.within == Within::Behind {
            let behind = &text[self.cell.to + 1..end];
            if !(behind.is_empty() || grammar.trim && is_blank(behind)) {
                self.text_behind(text, end, grammar);
            }
        } else {
            (self.cell.from, self.cell.to) = (self.cell.at, end);
            if grammar.trim {
                let cell = &text[self.cell.at..end];
                let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
                self.cell.from += cell.iter().take_while(blank).count();
                let cell = &text[self.cell.from.max(self.kept.min(end))..end];
                self.cell.to -= cell.iter().rev().take_while(blank).count();
            }
        }
        make_room(&mut self.cells, 1);
        self.cells.push(self.cell);
    }

    /// The window ends before it is known what a stop means: the scan goes on there.
    #[cold]
    fn cut_at<I: Isa>(
        &mut self,
        stop: usize,
        found: &Found<'_, I>,
        start: usize,
        grammar: &Grammar,
    ) -> Option<End> {
        self.ascii &= found.is_ascii(start, stop);
        self.at = stop - start;
        self.cut(found, start, false, grammar)
    }

    /// A row that the window cuts: nothing, unless it is too long already.
    #[cold]
    fn cut<I: Isa>(
        &mut self,
        found: &Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> Option<End> {
        (self.at > grammar.most).then(|| self.too_long(found, start, last, grammar))
    }

    /// A row that is too long. Whether a quote is open is asked at the limit, because the row may
    /// have been scanned further, or not.
    #[cold]
    #[inline(never)]
    fn too_long<I: Isa>(
        &mut self,
        found: &Found<'_, I>,
        start: usize,
        last: bool,
        grammar: &Grammar,
    ) -> End {
        let whole = &found.text[start..];
        let text = &whole[..grammar.most.min(whole.len())];
        let mut part = self.known_part(text);
        self.at = self.at.max(text.len());
        self.remember();
        let mut stops = Found::new(found.isa, text, found.stops, part.at);
        part.scan_on::<I, false>(&mut stops, 0, false, grammar);
        let open = part.within == Within::Quoted;
        let at = if open { part.cell.at } else { 0 };
        self.wrong = Some((Wrong::Long { open }, at));
        // Without a header, the cells of the first row say how many columns there are.
        self.cells = part.cells;
        make_room(&mut self.cells, 1);
        self.cells.push(part.cell);
        self.looked_at = grammar.most.saturating_add(1);
        self.first_line(whole, last, grammar)
    }

    /// The end of the line in which a row in error begins, or as much of it as is at hand.
    #[cold]
    fn first_line(&mut self, row: &[u8], last: bool, grammar: &Grammar) -> End {
        match grammar.line(row, last) {
            Line::Ends(end) => end,
            Line::Cut(passed) => {
                self.line_goes_on = !last;
                End { end: passed, next: passed }
            }
        }
    }
}
