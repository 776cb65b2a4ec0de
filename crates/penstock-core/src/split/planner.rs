//! Finds points: places in a text at which other readers can begin.

use std::convert::Infallible;

use super::point::RecordStart;
use crate::event::{Key, KnownKeys, Row, Scalar, Text};
use crate::formats::Reader;
use crate::formats::ReaderState;
use crate::position::Counter;
use crate::protocol::{Destination, Flow, Hints, LookAhead, RowsAs, Sink, Want};
use crate::run::{Input, Policy, RecordScope, Run, Windows};
use crate::unrefusing;

/// The destination of a run that pauses at the beginning of the first record from an offset on, and
/// has all others skipped.
#[derive(Debug)]
pub struct Planner {
    wanted: u64,
    /// Where the record begins at which it paused last.
    found: u64,
    /// How many records there were, also those in error.
    records: u64,
    /// Where the last of them began.
    last: u64,
    /// Whether the parts of a record are reported, because the run has paused at its beginning, or
    /// is to pause behind it.
    within: bool,
    /// It also pauses behind each record that comes behind so many.
    stops_behind: u64,
    /// Whether that is why it has paused.
    is_behind: bool,
}

impl Default for Planner {
    fn default() -> Self {
        Planner {
            wanted: 0,
            found: 0,
            records: 0,
            last: u64::MAX,
            within: false,
            stops_behind: u64::MAX,
            is_behind: false,
        }
    }
}

impl Planner {
    /// A run for it. Of a record in error it need not know more than that there is one, so no problem is
    /// described: where most records are in error, that would take most of the time.
    pub fn run(reader: Reader, input: Windows) -> Run<Reader, Windows, Infallible> {
        Run::new(reader, input, Policy::Skip)
    }

    /// Pauses at the first record that begins at this offset or behind it.
    pub fn want(&mut self, offset: u64) {
        self.wanted = offset;
    }

    /// The offset from which on it pauses.
    pub(super) fn wanted(&self) -> u64 {
        self.wanted
    }

    /// From now on, it also pauses behind each record, except for so many that end next.
    pub(super) fn stop_behind(&mut self, records: u64) {
        let ended = self.records - u64::from(self.within);
        self.stops_behind = ended.saturating_add(records);
    }

    /// Whether it has just paused behind a record, and not at the beginning of one.
    pub(super) fn take_behind(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }

    /// So many records were passed in another way.
    pub(super) fn pass(&mut self, records: u64) {
        self.records += records;
        self.last = u64::MAX;
    }

    #[inline(always)]
    fn begin(&mut self, at: u64) -> Flow {
        if self.within {
            return Flow::Skip;
        }
        self.records += 1;
        self.last = at;
        if at < self.wanted && self.records <= self.stops_behind {
            return Flow::Skip;
        }
        self.within = true;
        if at < self.wanted { Flow::Take } else { self.pause(at) }
    }

    #[cold]
    fn pause(&mut self, at: u64) -> Flow {
        self.found = at;
        Flow::Pause
    }

    fn end(&mut self) -> Flow {
        self.within = false;
        self.behind()
    }

    /// Behind a record.
    #[inline(always)]
    fn behind(&mut self) -> Flow {
        self.is_behind = self.records > self.stops_behind;
        if self.is_behind { Flow::Pause } else { Flow::Take }
    }

    #[inline(always)]
    fn single(&mut self, at: u64) -> Flow {
        if self.within {
            return Flow::Take;
        }
        self.records += 1;
        self.last = at;
        if at < self.wanted { self.behind() } else { self.pause(at) }
    }
}

impl Sink for Planner {
    type Error = Infallible;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(at))
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(self.end())
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(at))
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(self.end())
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Skip)
    }
    fn scalar(&mut self, _value: Scalar<'_>, at: u64) -> Result<Flow, Infallible> {
        Ok(self.single(at))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        self.within = false;
    }
}

impl Hints for Planner {}

impl LookAhead for Planner {
    fn known_keys(
        &mut self,
        _known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Infallible> {
        wanted.fill(None);
        Ok(RowsAs::Maps)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Infallible> {
        let at = row.at;
        row.take();
        Ok(self.single(at))
    }
}

unrefusing!(Planner, run_dyn, {
    /// A record in error is counted if it was not told before.
    fn meet_problem(&mut self, begun: Option<u64>) {
        self.records += u64::from(begun != Some(self.last));
    }
});

impl RecordStart {
    /// The point at which a run has paused. None if no other reader can begin there.
    #[must_use]
    pub fn of(
        run: &Run<Reader, Windows, Infallible>,
        scope: &RecordScope<Planner>,
    ) -> Option<RecordStart> {
        let at = scope.inner().found;
        let stand = run.reader().stand(at, scope.depth())?;
        let counted = match (&stand, run.input().locate(at)) {
            // Its objects may be anywhere, so that no bytes come before it.
            (ReaderState::Members(_), _) => Counter::new(),
            (_, place) => place.map(|place| Counter::at(place.line, place.column, at))?,
        };
        let within = scope.inner_records().map(|(begun, ..)| begun);
        let records = within.unwrap_or(scope.inner().records) - 1;
        Some(RecordStart { counted, records, stand, open: scope.open() })
    }
}

/// Passes over records of a binary property list, without looking at them, behind the one at which
/// the run has paused: up to `most`, but none that is not in the same container, and only if all that
/// follows there are records. Its reader reads on behind them. How many it has passed.
pub fn pass_records(
    run: &mut Run<Reader, Windows, Infallible>,
    scope: &mut RecordScope<Planner>,
    most: u64,
) -> u64 {
    let depth = scope.depth();
    let Some(reader) = run.reader_mut().binary_mut() else { return 0 };
    if !scope.only_records_follow() {
        return 0;
    }
    let count = reader.left_behind(depth).min(most);
    reader.pass_members(depth, count);
    scope.leave_records(count);
    count
}
