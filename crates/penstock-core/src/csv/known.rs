//! What is known of text in which rows do not end, so that it is not scanned again for each row.
//!
//! # For maintainers
//!
//! Nothing ends a row whose quote is never closed, and reading goes on behind the line in which it
//! began. The next row may open a quote that is not closed either. If each line does, and each scan
//! went to the end, that would take time in the square of the text.
//!
//! But a scan has few states, and what is behind a place depends on the state there and on nothing
//! before. So if a row did not end, the scans of the rows that begin in the same text note at each
//! 64th byte in which state they are. A scan that comes to such a place in a state in which another
//! scan was there goes the same *path*: it continues at once where that one had come to. As there
//! are few states, there are few paths, and all of them together are a few times as long as the text.
//!
//! A row that joined a path and then ends well is scanned again, for its cells. Reading goes on behind
//! it then, so that costs as much as the row is long.

use penstock_scan::make_room;

use super::rows::{Cell, Wrong};

/// The distance of the places at which states are noted.
pub(super) const STEP: u64 = 64;

/// The states in which what follows does not depend on what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReaderState {
    /// Before the text of a cell: a quote opens it.
    Fresh,
    /// In a cell that does not begin with a quote.
    Text,
    /// Behind a quote in such a cell.
    Stray,
    /// Within quotes.
    Quoted,
    /// In text behind the quote that closed the cell.
    Behind,
}

const STANDS: usize = 5;

/// The state at a place, and where the current cell began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// The number of the place: its offset in the source is so many steps.
    pub(super) number: u64,
    pub(super) stand: ReaderState,
    pub(super) cell: u64,
}

/// What scans met behind a place, until they had come to the end of the text, or of what a row may hold.
#[derive(Debug, Default)]
struct Path {
    notes: Vec<Note>,
    /// The current cell at the last note. Its places are offsets in the source.
    cell: Cell,
    /// The faults up to the last note, in their order.
    faults: Vec<(Wrong, u64)>,
}

impl Path {
    fn end(&self) -> u64 {
        self.notes.last().map_or(0, |note| note.number)
    }

    /// The last note that is not behind a place.
    fn before(&self, number: u64) -> Option<Note> {
        let behind = self.notes.partition_point(|note| note.number <= number);
        self.notes.get(behind.checked_sub(1)?).copied()
    }
}

/// The paths through a part of the source.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The offset up to which rows were scanned that did not end.
    pub(super) until: u64,
    /// The number of the first place of `met`.
    first: u64,
    /// For each place and state: one more than the number of the path that goes through it.
    met: Vec<[u8; STANDS]>,
    paths: Vec<Path>,
}

/// A path that a scan has joined: at which place, and where its own cell began there.
#[derive(Clone, Copy, Debug)]
struct Joined {
    number: u64,
    path: u8,
    cell: u64,
}

/// The way of a scan in text of which something is known.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The offset of the row.
    start: u64,
    /// The next place.
    pub(super) next: u64,
    /// What was noted since the last path was joined, and before the first one.
    own: Vec<Note>,
    before: Vec<Note>,
    /// The cell at the last note.
    cell: Cell,
    faults: Vec<(Wrong, u64)>,
    joined: Vec<Joined>,
    /// Where blanks begin that were looked at, and how far.
    blank_from: usize,
    blank_to: usize,
}

/// What a scan needs to continue at the end of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) number: u64,
    pub(super) stand: ReaderState,
    /// Its places are offsets in the source.
    pub(super) cell: Cell,
    /// The first fault behind the place at which the path was joined.
    pub(super) fault: Option<(Wrong, u64)>,
}

/// Adds a fault to those of a path, which are in their order.
fn add(faults: &mut Vec<(Wrong, u64)>, fault: (Wrong, u64)) {
    let behind = faults.iter().rev().take_while(|known| known.1 > fault.1).count();
    make_room(faults, 1);
    faults.insert(faults.len() - behind, fault);
}

impl Way {
    pub(super) fn from(offset: u64) -> Self {
        Way { start: offset, next: offset.div_ceil(STEP), ..Way::default() }
    }

    pub(super) fn note(&mut self, note: Note, cell: Cell) {
        make_room(&mut self.own, 1);
        self.own.push(note);
        self.cell = cell;
    }

    pub(super) fn fault(&mut self, wrong: Wrong, at: u64) {
        add(&mut self.faults, (wrong, at));
    }

    /// Whether there is text behind a place in a part of a row. With `trim`, blanks are none. They are
    /// looked at once, although this is asked at each place in them.
    pub(super) fn has_text(&mut self, row: &[u8], from: usize, trim: bool) -> bool {
        if !trim {
            return row.len() > from;
        }
        if self.blank_from != from || self.blank_to > row.len() {
            (self.blank_from, self.blank_to) = (from, from);
        }
        let rest = row.get(self.blank_to..).unwrap_or_default();
        self.blank_to += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.blank_to < row.len()
    }

    /// Whether the cells before the end of a path are not known.
    pub(super) fn has_joined(&self) -> bool {
        !self.joined.is_empty()
    }
}

impl Known {
    /// Forgets what is before an offset, now and then.
    pub(super) fn forget_before(&mut self, offset: u64) {
        if offset >= self.until {
            self.met.clear();
            self.paths.clear();
        }
        let first = offset / STEP;
        if self.met.is_empty() {
            self.first = first;
            return;
        }
        let passed = usize::try_from(first.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if passed <= self.met.len() / 2 {
            return;
        }
        self.met.drain(..passed.min(self.met.len()));
        self.first = first;
        for path in &mut self.paths {
            let passed = path.notes.partition_point(|note| note.number < first);
            path.notes.drain(..passed);
            let passed = path.faults.partition_point(|fault| fault.1 < offset);
            path.faults.drain(..passed);
        }
    }

    fn slot(&mut self, number: u64) -> Option<&mut [u8; STANDS]> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        if place >= self.met.len() {
            let more = place + 1 - self.met.len();
            make_room(&mut self.met, more);
            self.met.resize(place + 1, [0; STANDS]);
        }
        self.met.get_mut(place)
    }

    /// The path that goes through a place, if the way is not on it.
    fn path_at(&self, note: Note, way: &Way) -> Option<u8> {
        let place = usize::try_from(note.number.checked_sub(self.first)?).ok()?;
        let path = self.met.get(place)?[note.stand as usize].checked_sub(1)?;
        let is_other = way.joined.last().is_none_or(|joined| joined.path != path);
        let reaches = self.paths.get(usize::from(path)).is_some_and(|it| it.end() >= note.number);
        (is_other && reaches).then_some(path)
    }

    /// Joins the path that goes through a place, if there is one: returns its end.
    pub(super) fn join(&mut self, note: Note, cell: Cell, way: &mut Way) -> Option<End> {
        let number = self.path_at(note, way)?;
        self.keep(way, Some((number, note, cell)));
        make_room(&mut way.joined, 1);
        way.joined.push(Joined { number: note.number, path: number, cell: note.cell });
        let path = self.paths.get(usize::from(number))?;
        let last = path.notes.last()?;
        let from = note.number * STEP;
        let first = path.faults.partition_point(|fault| fault.1 < from);
        way.next = last.number + 1;
        Some(End {
            number: last.number,
            stand: last.stand,
            cell: path.cell,
            fault: path.faults.get(first).copied(),
        })
    }

    /// Keeps the way of a scan whose row did not end.
    pub(super) fn end(&mut self, way: &mut Way) {
        self.keep(way, None);
    }

    /// Keeps what a way has noted by itself: behind the path that it joined, or before the path that
    /// it now joins, or as a path of its own.
    fn keep(&mut self, way: &mut Way, joins: Option<(u8, Note, Cell)>) {
        let Way { start, own, before, cell, faults, joined, .. } = way;
        let number = match (joined.last(), joins) {
            (Some(joined), _) => joined.path,
            (None, Some((path, ..))) => path,
            (None, None) if own.is_empty() => return,
            (None, None) => {
                // Whatever went through a place from here on is still known to be there.
                let is_behind = |path: &Path| path.end() * STEP < *start;
                match self.paths.iter().position(is_behind) {
                    Some(done) => {
                        self.paths[done] = Path::default();
                        done as u8
                    }
                    None => {
                        if self.paths.len() == usize::from(u8::MAX) - 1 {
                            // There are not so many states. What is forgotten is scanned again.
                            self.met.clear();
                            self.paths.clear();
                            self.first = *start / STEP;
                        }
                        make_room(&mut self.paths, 1);
                        self.paths.push(Path::default());
                        (self.paths.len() - 1) as u8
                    }
                }
            }
        };
        for note in &*own {
            if let Some(slot) = self.slot(note.number) {
                slot[note.stand as usize] = number + 1;
            }
        }
        if joined.is_empty() && joins.is_some() {
            std::mem::swap(own, before);
        } else if let Some(path) = self.paths.get_mut(usize::from(number)) {
            let last = joins.filter(|_| !joined.is_empty());
            if own.is_empty() && last.is_none() {
                return;
            }
            make_room(&mut path.notes, own.len() + 1);
            path.notes.append(own);
            if let Some((_, note, at)) = last {
                path.notes.push(note);
                path.cell = at;
            } else {
                path.cell = *cell;
            }
            let end = path.end() * STEP;
            for fault in faults.drain(..).filter(|fault| fault.1 < end) {
                add(&mut path.faults, fault);
            }
        }
        own.clear();
        faults.clear();
    }

    /// The last state that was noted on a way, not behind a place. None if that is before the first.
    pub(super) fn before(&self, offset: u64, way: &Way) -> Option<Note> {
        let number = offset / STEP;
        let last = |notes: &[Note]| {
            let behind = notes.partition_point(|note| note.number <= number);
            notes.get(behind.checked_sub(1)?).copied()
        };
        if let Some(note) = last(&way.own) {
            return Some(note);
        }
        for joined in way.joined.iter().rev().filter(|joined| joined.number <= number) {
            let path = self.paths.get(usize::from(joined.path))?;
            if let Some(mut note) = path.before(number).filter(|it| it.number >= joined.number) {
                if note.cell < joined.number * STEP {
                    note.cell = joined.cell;
                }
                return Some(note);
            }
        }
        last(&way.before)
    }
}

#[cfg(test)]
mod tests;
