//! The points of a range of a text, found by a reader that has seen nothing before it.

use std::convert::Infallible;

use super::guess::Guess;
use super::hops::Hops;
use super::planner::Planner;
use super::point::RecordStart;
use crate::formats::Reader;
use crate::position::Counter;
use crate::run::{Failed, Failure, Input, RecordScope, Run, Turn, Windows};
use crate::select::Records;
use crate::source::{Source, SourceError};

/// How many windows are read before the driver is asked whether to go on.
const PATIENCE: usize = 16;

/// Whoever knows only the text before a range can meet it at points so far behind its beginning, too.
const MEETINGS: [u64; 3] = [16 << 10, 256 << 10, 2 << 20];

/// If a guess turns out to be wrong within so many bytes, there is another one: so often.
const SOON: u64 = 1 << 20;
const GUESSES: usize = 16;

/// A text that can be read from the middle.
pub trait Opens {
    /// A source that begins at this offset of it.
    ///
    /// # Errors
    /// It cannot be read.
    fn open_at(&self, offset: u64) -> Result<Source, SourceError>;
}

/// What a reader knows that has come to the first record of a text: all that it takes to read the
/// text from any point on.
#[derive(Debug)]
pub struct Head {
    reader: Reader,
    records: Option<Records>,
    first: RecordStart,
    meetings: [u64; 3],
}

/// What a range has told: points in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranged {
    /// The first one is where the reader has begun. All counts begin there: the records, the lines,
    /// the columns of its line, and the items of its list ([`SOMEWHERE`](crate::select::SOMEWHERE)).
    pub points: Vec<RecordStart>,
    /// Whether nothing follows behind the last of them: the document has ended, or ends with an error,
    /// or nothing else was wanted up to its end.
    pub is_over: bool,
}

/// What to look for in a range.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// A point. Without a place, the range begins there.
    pub start: &'a RecordStart,
    /// The range begins at the first record from this offset on, which is guessed: what is open there
    /// is as at the point.
    pub place: Option<u64>,
    /// The first records are wanted from these offsets on, which ascend,
    pub offsets: &'a [u64],
    /// and the first one from this offset on, with which the range ends. None if it ends with the text.
    pub until: Option<u64>,
}

/// How a reader has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It has found all points.
    Found,
    /// The document has ended.
    Over,
    /// It has met an error at this offset behind which nothing is read.
    Failed(u64),
    /// It has given up.
    Left,
}

impl Head {
    /// What a run knows that has come to the first record, at a point. None if no other reader can
    /// begin at any other record.
    #[must_use]
    pub fn of(
        run: &Run<Reader, Windows, Infallible>,
        scope: &RecordScope<Planner>,
        records: Option<Records>,
    ) -> Option<Self> {
        scope.beside(Planner::default())?;
        let reader = run.reader().beside(scope.depth())?;
        let first = RecordStart::of(run, scope)?;
        Some(Head { reader, records, first, meetings: MEETINGS })
    }

    /// The same, with [other places](MEETINGS) to meet a range at, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn meeting_at(self, meetings: [u64; 3]) -> Self {
        Head { meetings, ..self }
    }

    /// The first record.
    #[must_use]
    pub fn first(&self) -> &RecordStart {
        &self.first
    }

    /// Finds points in a range of the text. `goes_on` is asked now and then.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn scan(
        &self,
        text: &dyn Opens,
        asked: Asked<'_>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Ranged, SourceError> {
        let Some(place) = asked.place else {
            let begin = asked.start.counted.bytes();
            return Ok(self.walk(text, begin, u64::MAX, asked, goes_on)?.0);
        };
        let until = asked.until.unwrap_or(u64::MAX);
        let Some(guess) = Guess::of(&self.reader, text, asked.start.counted.bytes())? else {
            return Ok(Ranged::default());
        };
        // A wrong guess may lead to the end of the text. A record that is longer than the range is left
        // to whoever knows that it is one.
        let most = until.saturating_add(until.saturating_sub(place));
        let mut from = place;
        for _ in 0..GUESSES {
            let Some(begin) = guess.find(text, from, until)? else { break };
            match self.walk(text, begin, most, asked, goes_on)? {
                (_, End::Failed(at)) if at < begin + SOON => from = begin + 1,
                (ranged, _) => return Ok(ranged),
            }
        }
        Ok(Ranged::default())
    }

    /// The same from a place that somebody else has guessed, for tests.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    #[doc(hidden)]
    pub fn scan_from(
        &self,
        text: &dyn Opens,
        begin: u64,
        asked: Asked<'_>,
    ) -> Result<Ranged, SourceError> {
        Ok(self.walk(text, begin, u64::MAX, asked, &mut || true)?.0)
    }

    /// Finds the points from a place on at which a record begins.
    fn walk(
        &self,
        text: &dyn Opens,
        begin: u64,
        most: u64,
        asked: Asked<'_>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(Ranged, End), SourceError> {
        let mut ranged = Ranged::default();
        let Some(mut walk) = Walk::begin(self, text, begin, most, asked.start)? else {
            return Ok((ranged, End::Left));
        };
        let is_last = asked.until.is_none() && asked.place.is_none();
        let meetings = self.meetings.map(|bytes| begin + bytes);
        let mut meetings = meetings.iter().copied().filter(|_| asked.place.is_some()).peekable();
        let mut offsets = asked.offsets.iter().copied().skip_while(|at| *at <= begin).peekable();
        let mut wanted = Some(begin);
        while let Some(offset) = wanted {
            let known = ranged.points.last().map(|point| point.counted.bytes());
            if known.is_none_or(|known| known < offset) {
                match walk.find(offset, goes_on)? {
                    End::Found => {}
                    end => {
                        ranged.is_over = end != End::Left;
                        return Ok((ranged, end));
                    }
                }
                match RecordStart::of(&walk.run, &walk.to) {
                    Some(point) => {
                        penstock_scan::make_room(&mut ranged.points, 1);
                        ranged.points.push(point);
                    }
                    // As if it were not there.
                    None if is_last && !ranged.points.is_empty() => {}
                    None => return Ok((ranged, End::Left)),
                }
            }
            if asked.until == Some(offset) {
                break;
            }
            let next = match (meetings.peek(), offsets.peek()) {
                (Some(one), Some(other)) if one < other => meetings.next(),
                (Some(_), None) => meetings.next(),
                _ => offsets.next(),
            };
            wanted = match (next, asked.until) {
                (Some(next), Some(until)) => Some(next.min(until)),
                (next, until) => next.or(until),
            };
        }
        // Nothing else is wanted.
        ranged.is_over = asked.until.is_none();
        Ok((ranged, End::Found))
    }
}

/// A run that looks for points.
struct Walk {
    run: Run<Reader, Windows, Infallible>,
    to: RecordScope<Planner>,
    hops: Option<Hops>,
    /// Where it has begun.
    begin: u64,
    /// It gives up when it has read up to here.
    most: u64,
}

impl Walk {
    /// A run that begins at a place, where as much is open as at a point. None if it cannot be.
    fn begin(
        head: &Head,
        text: &dyn Opens,
        begin: u64,
        most: u64,
        start: &RecordStart,
    ) -> Result<Option<Self>, SourceError> {
        let counted = Counter::at(1, 1, begin);
        let (stand, open) = (start.stand.clone(), start.open.clone());
        let start = RecordStart { counted, records: 0, stand, open };
        let mut to = RecordScope::new(Planner::default(), head.records.clone());
        let Some(reader) = head.reader.at(&start.stand, start.counted.bytes()) else {
            return Ok(None);
        };
        if !to.go_on_somewhere(&start.open) {
            return Ok(None);
        }
        let input = Windows::of_range(text.open_at(begin)?, counted);
        let hops = Hops::beside(&reader, &to);
        let run = Planner::run(reader, input);
        Ok(Some(Walk { run, to, hops, begin, most }))
    }

    /// Goes on to the first record that begins at this offset or behind it.
    fn find(&mut self, wanted: u64, goes_on: &mut dyn FnMut() -> bool) -> Result<End, SourceError> {
        let Walk { run, to, hops, begin, most } = self;
        to.inner_mut().want(wanted);
        let mut windows = 0;
        loop {
            let turn = match hops {
                Some(hops) => hops.advance(run, to),
                None => run.advance(to),
            };
            let failed: Failed<Infallible, Infallible> = match turn {
                Ok(Turn::Paused) => return Ok(End::Found),
                Ok(Turn::End) => return Ok(End::Over),
                // No problem is described.
                Ok(Turn::Problem(_)) => continue,
                Ok(Turn::Dry) => {
                    windows += 1;
                    if run.offset() > *most || windows % PATIENCE == 0 && !goes_on() {
                        return Ok(End::Left);
                    }
                    let read = run.input().end() - *begin;
                    if let Some(vain) = hops.take_if(|hops| !hops.are_worth_it(read)) {
                        vain.end(to);
                        continue;
                    }
                    let brought = run.input_mut().more();
                    match run.brought(to, brought) {
                        Ok(()) => continue,
                        Err(failed) => failed,
                    }
                }
                Err(failed) => failed,
            };
            return match *failed {
                Failure::Source { error, .. } => Err(SourceError::Io(error)),
                _ => Ok(End::Failed(run.offset())),
            };
        }
    }
}
