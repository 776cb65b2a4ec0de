//! Measures where the time of a run goes: into the source, into scanning, into building.
//!
//! The time of the source is measured, by reading the clock twice for each window. Scanning and
//! building are one pass, and a record may take less time than reading the clock does, so they are
//! measured on samples. A sample is two records, one after the other. The first is parsed as
//! always, which gives the time per byte of this document. The second is parsed with the clock read
//! before and after each event, which gives the share of building. Then at least 128 times as many
//! bytes are parsed without a sample. A record during which the thread was interrupted does not
//! count.

use super::driver::Gauge;
use super::scope::{by_outlet, outlet_destination};
use crate::edge::errors::guarded;
use crate::objects::{Owned, Refusal, Side};
use penstock_clock::Mono;
use penstock_core::forward;
use penstock_core::protocol::{Hints, LookAhead, Sink};
use penstock_core::run::RecordScope;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::atomic::Ordering;

/// How many bytes are between samples: at least `APART`, and `APART_EACH` per byte of the last one.
const APART: u64 = 64 << 10;
const APART_EACH: u64 = 128;

/// Where the time of a `Reader` went so far, in seconds.
///
/// No number includes your own work with the records, or the time until you ask for the next one.
///
/// Example:
///     >>> import io, penstock
///     >>> reader = penstock.json.read(io.BytesIO(b"[2, 3, 5]"), int)
///     >>> sum(reader)
///     10
///     >>> timing = reader.timing
///     >>> timing.source > 0, timing.scan + timing.build > 0
///     (True, True)
#[pyclass(frozen, get_all, module = "penstock")]
pub(crate) struct Timing {
    /// Reading, decompressing, and checking the encoding.
    source: f64,
    /// Parsing the text. It is estimated from samples, like the next one.
    scan: f64,
    /// Making objects, and calling your code for them.
    build: f64,
}

#[pymethods]
impl Timing {
    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let Timing { source, scan, build } = self;
        let shown = format!("Timing(source={source:.3}, scan={scan:.3}, build={build:.3})");
        guarded(py, || Ok(PyString::new(py, &shown)))
    }
}

impl Timing {
    pub(crate) fn of(gauge: &Gauge) -> Self {
        let seconds = gauge.timing.each_ref().map(|nanoseconds| {
            // Not a number of years: doubles hold it exactly.
            nanoseconds.load(Ordering::Relaxed) as f64 / 1e9
        });
        let [source, scan, build] = seconds;
        Timing { source, scan, build }
    }
}

/// A sample that takes this many nanoseconds longer than so many times the usual time does not
/// count.
const INTERRUPTED: i64 = 10_000;
const UNUSUAL: i64 = 4;

/// More records than any document has: nothing is measured.
const OFF: u64 = u64::MAX / 2;

/// The record that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Parsed as always.
    Whole,
    /// Parsed with the clock read at each event.
    Split,
}

/// Chooses samples and sums them up. Times are in nanoseconds.
#[derive(Debug)]
pub(crate) struct Sampler {
    /// Records until the next sample begins.
    left: u64,
    phase: Phase,
    /// Where the measured record begins.
    from: u64,
    /// The measurements of the record so far.
    record: Spent,
    /// Sums over records parsed as always: their time and bytes.
    whole: (i64, u64),
    /// Sums over the other records: their whole time, and that of building.
    split: (i64, i64),
    samples: u64,
    /// The usual time for a thousand bytes, for either kind of sample.
    usual: [i64; 2],
    source: i64,
    is_held: bool,
}

/// The time of a part of a record.
#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    all: i64,
    building: i64,
    /// How often building was timed.
    calls: i64,
}

impl Sampler {
    /// A sampler that measures nothing.
    pub(crate) fn off() -> Self {
        Sampler {
            left: u64::MAX,
            phase: Phase::Whole,
            from: 0,
            record: Spent::default(),
            whole: (0, 0),
            split: (0, 0),
            samples: 0,
            usual: [0; 2],
            source: 0,
            is_held: false,
        }
    }

    /// Measures from the first record on.
    pub(crate) fn start(&mut self) {
        self.left = 0;
    }

    /// Measures nothing, and has each record count as if it were measured: something else than a
    /// sampler looks at its events.
    pub(crate) fn hold(&mut self) {
        (self.left, self.is_held) = (0, true);
    }

    /// Whether anything is measured.
    pub(crate) fn is_timing(&self) -> bool {
        self.left < OFF && !self.is_held
    }

    /// Whether the current record is measured.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.left == 0
    }

    /// Counts a record that was not measured.
    #[inline(always)]
    pub(crate) fn pass(&mut self) {
        self.left -= 1;
    }

    /// Calls `run` and measures it. `run` gets a `Clockwork` for [`Timed`] if the clock is to be
    /// read at each event.
    pub(crate) fn measure<T>(&mut self, run: impl FnOnce(Option<&mut Clockwork>) -> T) -> T {
        let mut clockwork = Clockwork::default();
        let begun = Mono::now_relaxed();
        let result = match self.phase {
            Phase::Whole => run(None),
            Phase::Split => run(Some(&mut clockwork)),
        };
        self.record.all += since(begun);
        self.record.building += clockwork.spent;
        self.record.calls += clockwork.calls;
        result
    }

    /// Ends the measured record, the `count`-th one, at this offset.
    #[cold]
    pub(crate) fn end_record(&mut self, offset: u64, count: u64) {
        if self.is_held {
            return;
        }
        let bytes = offset.saturating_sub(self.from);
        let Spent { all, building, calls } = std::mem::take(&mut self.record);
        self.from = offset;
        let counts = self.is_usual(all, bytes);
        match self.phase {
            Phase::Whole => {
                if self.samples == 1 {
                    // The first record was parsed with cold caches.
                    (self.whole, self.split) = ((0, 0), (0, 0));
                }
                if counts {
                    self.whole = (self.whole.0 + all, self.whole.1 + bytes);
                }
                self.phase = Phase::Split;
            }
            Phase::Split => {
                let looks = calls * cost_of_a_look() / 1_000;
                let (all, building) = (all - 2 * looks, (building - looks).max(0));
                if counts {
                    self.split = (self.split.0 + all.max(building), self.split.1 + building);
                }
                self.phase = Phase::Whole;
                self.samples += 1;
                let apart = APART.max(bytes.saturating_mul(APART_EACH));
                self.left = 1 + apart / (offset / count.max(1)).max(1);
            }
        }
    }

    /// Whether a sample counts. If the thread was interrupted, the record took a thousand times as
    /// long, and would distort the result.
    fn is_usual(&mut self, all: i64, bytes: u64) -> bool {
        let usual = &mut self.usual[usize::from(self.phase == Phase::Split)];
        let bytes = bytes.max(1).cast_signed();
        let expected = usual.saturating_mul(bytes) / 1_000;
        if self.samples > 1 && all > INTERRUPTED + UNUSUAL * expected {
            // If samples stay that slow, they soon count.
            *usual = usual.saturating_mul(2).saturating_add(1);
            return false;
        }
        *usual += (all.saturating_mul(1_000) / bytes - *usual) / 8;
        true
    }

    /// Begins to measure the next record here, if it is its turn.
    #[inline(always)]
    pub(crate) fn begin_record(&mut self, offset: impl FnOnce() -> u64) {
        if self.left == 0 {
            self.from = offset();
        }
    }

    /// Adds the time of the source since `begun`, and writes the times up to `offset` to the gauge.
    pub(crate) fn tell(&mut self, gauge: &Gauge, begun: Option<Mono>, offset: u64) {
        self.source += begun.map_or(0, since);
        let (mut time, mut bytes) = self.whole;
        if self.left == 0 && self.phase == Phase::Whole {
            // In a document without records, the first record never ends.
            time += self.record.all;
            bytes += offset.saturating_sub(self.from);
        }
        let share = |part: i64, whole: i64, of: i64| {
            let product = i128::from(part) * i128::from(of);
            i64::try_from(product / i128::from(whole.max(1))).unwrap_or(0)
        };
        let run = share(time, bytes.cast_signed(), offset.cast_signed());
        let build = share(self.split.1, self.split.0, run);
        let told = [self.source, run - build, build];
        for (place, nanoseconds) in gauge.timing.iter().zip(told) {
            place.store(nanoseconds.max(0).cast_unsigned(), Ordering::Relaxed);
        }
    }
}

/// Nanoseconds since `begun`.
fn since(begun: Mono) -> i64 {
    Mono::now_relaxed().as_nanos() - begun.as_nanos()
}

/// The time of one reading of the clock, in thousandths of a nanosecond.
fn cost_of_a_look() -> i64 {
    let begun = Mono::now_relaxed();
    (1..20).for_each(|_| {
        std::hint::black_box(Mono::now_relaxed());
    });
    since(begun) * 1_000 / 20
}

/// The time that a sink took.
#[derive(Debug, Default)]
pub(crate) struct Clockwork {
    spent: i64,
    calls: i64,
}

/// A scope, with the clock read before and after each event.
pub(crate) struct Timed<'a, S: Side> {
    pub(crate) scope: &'a mut RecordScope<Owned<S>>,
    pub(crate) clockwork: &'a mut Clockwork,
}

outlet_destination!(Timed);

/// A method that calls the same method of the sink inside. It is timed if it is an event, and not
/// if the reader only asks for something.
macro_rules! timed {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(timed! { @ $how $method($($argument: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $method(&mut self, $($argument: $kind),*) $(-> $result)? {
            let begun = Mono::now_relaxed();
            let result = match self.scope {
                RecordScope::Root(sink) => sink.$method($($argument),*),
                RecordScope::Inside(sink) => sink.$method($($argument),*),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            };
            self.clockwork.spent += since(begun);
            self.clockwork.calls += 1;
            result
        }
    };
    (@ ref $method:ident($($argument:ident: $kind:ty),*) -> $result:ty) => {
        fn $method(&self, $($argument: $kind),*) -> $result {
            match &self.scope {
                RecordScope::Root(sink) => sink.$method($($argument),*),
                RecordScope::Inside(sink) => sink.$method($($argument),*),
                RecordScope::Where(_) => unreachable!("see `is_conditional`"),
            }
        }
    };
}

impl<S: Side> Sink for Timed<'_, S> {
    type Error = Refusal;
    forward!(sink, timed);
}

impl<S: Side> Hints for Timed<'_, S> {
    forward!(hints, timed);
}

impl<S: Side> LookAhead for Timed<'_, S> {
    forward!(ahead, timed);
}
