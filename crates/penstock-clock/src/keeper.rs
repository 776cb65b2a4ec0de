//! Decides how the line continues after a comparison with the kernel's clocks.
//!
//! The method is that of a piecewise linear clock that its callers correct, such as Abseil's
//! `GetCurrentTimeNanos` (absl/time/clock.cc). It measures the rate against the kernel's clock, and
//! corrects a small error by the rate of the next segment instead of a step. Three things differ.
//! Comparisons are a thousand times as frequent. The monotonic line is steered, and wall time is an
//! exact difference from it, because the kernel runs both of its clocks at one rate. And an error
//! that cannot be steered away, because the line would have to go back, becomes an offset.

use crate::Source;
use crate::segment::{POINT, Proposal, Segment};

const MICROSECOND: i64 = 1_000;
const MILLISECOND: i64 = 1_000 * MICROSECOND;
const SECOND: i64 = 1_000 * MILLISECOND;

/// For how long a segment is good, in nanoseconds.
pub(crate) const REACH: i64 = MILLISECOND;
/// For how long it is good at most, while another thread is about to replace it.
pub(crate) const END: i64 = REACH + REACH / 4;
/// Errors up to this size are steered away, in nanoseconds.
const STEERED: i64 = 5 * MICROSECOND;
/// If two readings of the kernel's clock are farther apart, they are no comparison: the thread was
/// interrupted.
const WIDEST: i64 = 500;
/// How often a comparison is repeated until it is narrow.
const LOOKS: usize = 8;
/// The time between two checks whether the counter can be trusted.
const QUESTIONED: i64 = SECOND;
/// A first rate is measured over at most this time: too much may have happened in a longer one.
const FRESH: i64 = 2 * REACH;
/// The greatest age of the comparison from which rates are measured.
const OLD: i64 = 2 * SECOND;
/// How much rates may differ, as one in so many. If they differ more, something has happened to the
/// counter.
const DIFFERENT: i64 = 1_000;
/// A counter that does not count this often is too coarse, in nanoseconds.
const COARSE: u64 = 100;
/// How long to use the kernel's clock after a counter has gone back; twice as long the next time.
const BACKWARDS: i64 = SECOND;
/// How long to use it at most.
const LONGEST: i64 = 64 * SECOND;

/// The counter and both clocks at one moment.
#[derive(Debug, Clone, Copy)]
struct Look {
    count: u64,
    /// The kernel's monotonic clock at that count.
    mono: i64,
    /// The uncertainty of that.
    error: i64,
    /// Wall time is ahead of monotonic time by at least the first, and at most the second.
    ahead: (i64, i64),
}

impl Look {
    /// Compares until it was quick. `usual` is how long it takes.
    fn take(source: &impl Source, usual: &mut i64) -> Option<Look> {
        let mut best: Option<(i64, Look)> = None;
        for _ in 0..LOOKS {
            let before = source.kernel_mono();
            let count = source.counter_ordered();
            let between = source.kernel_mono();
            let wall = source.kernel_wall();
            let after = source.kernel_mono();
            let (width, rest) = (between - before, after - between);
            if width < 0 || rest < 0 {
                continue;
            }
            let (taken, error) = (width.saturating_add(rest), width / 2 + 1);
            if width <= WIDEST && rest <= WIDEST && best.is_none_or(|(least, _)| taken < least) {
                // The kernel rounds its two clocks apart by up to a nanosecond.
                let ahead = (wall.saturating_sub(after) - 1, wall.saturating_sub(between) + 1);
                best = Some((taken, Look { count, mono: before + width / 2, error, ahead }));
            }
            if taken <= usual.saturating_mul(2) {
                break;
            }
        }
        let (taken, look) = best?;
        *usual = taken.min(*usual + *usual / 16 + 1);
        Some(look)
    }
}

/// The rate of the counter.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    /// The latest comparison, and two older ones: the rate is measured from the oldest, and the
    /// other replaces it next.
    latest: Option<Look>,
    next: Option<Look>,
    oldest: Option<Look>,
    scale: Option<u64>,
}

/// The rate according to a comparison.
enum Verdict {
    /// Nanoseconds for one count, times 2^32.
    Rate(u64),
    /// Nothing yet: it needs another comparison.
    Unknown,
    /// It has changed.
    Different,
    /// The counter has gone back.
    Backwards,
}

impl Rate {
    fn look(&mut self, now: Look) -> Verdict {
        let Some(latest) = self.latest else {
            return self.forget(now, Verdict::Unknown);
        };
        let passed = now.mono - latest.mono;
        if now.count < latest.count {
            return self.forget(now, Verdict::Backwards);
        }
        let noise = latest.error + now.error + 2;
        let Some(short) = Self::between(&latest, &now) else {
            return self.forget(now, Verdict::Different);
        };
        let Some(known) = self.scale else {
            if passed > FRESH {
                return self.forget(now, Verdict::Unknown);
            }
            self.scale = Some(short);
            self.latest = Some(now);
            return Verdict::Rate(short);
        };
        let off = |scale: u64| {
            let counts = u128::from(now.count - latest.count);
            let expected = (counts * u128::from(scale)) >> POINT;
            passed.saturating_sub(i64::try_from(expected).unwrap_or(i64::MAX)).saturating_abs()
        };
        let long = self.oldest.and_then(|oldest| Self::between(&oldest, &now));
        let scale = match long {
            Some(long) if off(long) <= noise => long,
            _ if off(known) <= noise + passed / DIFFERENT => {
                self.oldest = Some(latest);
                self.next = Some(latest);
                short
            }
            _ => return self.forget(now, Verdict::Different),
        };
        if self.next.is_none_or(|next| now.mono - next.mono > OLD / 2) {
            self.oldest = self.next;
            self.next = Some(now);
        }
        self.scale = Some(scale);
        self.latest = Some(now);
        Verdict::Rate(scale)
    }

    /// Starts again from this comparison.
    fn forget(&mut self, now: Look, verdict: Verdict) -> Verdict {
        *self = Rate { latest: Some(now), next: Some(now), oldest: Some(now), scale: None };
        verdict
    }

    /// The rate between two comparisons, if they are far enough apart, and the counter is not too
    /// coarse.
    fn between(from: &Look, to: &Look) -> Option<u64> {
        let counts = to.count.checked_sub(from.count)?;
        let passed = u64::try_from(to.mono - from.mono).ok()?;
        if passed < REACH.cast_unsigned() / 2 || counts < passed / COARSE {
            return None;
        }
        u64::try_from((u128::from(passed) << POINT) / u128::from(counts)).ok()
    }
}

/// The counts that show how the clock does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Events {
    /// How often the clock compared itself with the kernel's clocks.
    pub looks: u64,
    /// How often the line was ahead by more than could be steered away.
    pub leaps: u64,
    /// How often the counter had gone back, or ran at another rate.
    pub jumps: u64,
    /// How often wall time was stepped.
    pub steps: u64,
    /// The largest error that was found and steered away, in nanoseconds.
    pub largest: u64,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Decision {
    /// Nothing, until the kernel's monotonic clock says this.
    Wait(i64),
    /// A new segment; if it uses the kernel's clock, until then.
    Replace(Proposal, i64),
}

/// The state of the thread that compares with the kernel's clocks. There is one such thread at a
/// time.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    rate: Rate,
    /// How long a comparison usually takes, in nanoseconds.
    usual: i64,
    ahead: Option<Ahead>,
    /// When to check again whether the counter can be trusted.
    question_at: i64,
    /// The counter cannot be used.
    pub(crate) distrusted: bool,
    /// How long to use the kernel's clock if something happens to the counter.
    penalty: i64,
    /// When that last happened.
    trouble_at: i64,
    pub(crate) events: Events,
}

impl Keeper {
    pub(crate) const fn new() -> Self {
        Keeper {
            rate: Rate { latest: None, next: None, oldest: None, scale: None },
            usual: 50,
            ahead: None,
            question_at: i64::MIN,
            distrusted: false,
            penalty: 0,
            trouble_at: i64::MIN,
            events: Events { looks: 0, leaps: 0, jumps: 0, steps: 0, largest: 0 },
        }
    }

    /// Another process: drops whatever was half written at the fork.
    pub(crate) fn restart(&mut self) {
        *self = Keeper::new();
    }

    /// Reads the kernel's clocks, and decides what follows the segment `old`.
    pub(crate) fn decide(&mut self, source: &impl Source, old: &Segment, plain: bool) -> Decision {
        let now = source.kernel_mono();
        if now >= self.question_at {
            if !source.is_trusted() {
                self.distrusted = true;
                return self.leave(old, plain, None, now, i64::MAX);
            }
            self.question_at = now.saturating_add(QUESTIONED);
        }
        let Some(look) = Look::take(source, &mut self.usual) else {
            return self.leave(old, plain, None, now, now.saturating_add(REACH));
        };
        self.events.looks += 1;
        let now = look.mono;
        match self.rate.look(look) {
            Verdict::Rate(scale) => self.follow(old, plain, &look, scale),
            Verdict::Unknown => self.leave(old, plain, Some(&look), now, now.saturating_add(REACH)),
            verdict => {
                self.events.jumps += 1;
                let least = if matches!(verdict, Verdict::Backwards) { BACKWARDS } else { REACH };
                let quiet = now.saturating_sub(self.trouble_at) > LONGEST;
                let twice = if quiet { 0 } else { self.penalty * 2 };
                self.penalty = twice.clamp(least, LONGEST);
                self.trouble_at = now;
                self.leave(old, plain, Some(&look), now, now.saturating_add(self.penalty))
            }
        }
    }

    /// A new segment of the line.
    fn follow(&mut self, old: &Segment, plain: bool, look: &Look, scale: u64) -> Decision {
        let (error, offset) = self.absorbed(old, plain, look);
        let error = error.max(-STEERED);
        self.events.largest = self.events.largest.max(error.unsigned_abs());
        let counts = |nanoseconds: i64| {
            (u128::from(nanoseconds.cast_unsigned()) << POINT) / u128::from(scale.max(1))
        };
        let reach = u64::try_from(counts(REACH)).unwrap_or(0);
        let end = u64::try_from(counts(END)).unwrap_or(0);
        // The error is gone when the segment has lasted as long as it should.
        let steer = (i128::from(error) << POINT) / i128::from(reach.max(1));
        let steered = u64::try_from(i128::from(scale) - steer).unwrap_or(scale);
        let proposal = Proposal {
            plain: false,
            anchor: look.count,
            at: look.mono.saturating_add(offset),
            scale: steered,
            reach_at: look.count.saturating_add(reach),
            end_at: look.count.saturating_add(end),
            offset,
            delta: self.ahead(look).saturating_sub(offset),
        };
        Decision::Replace(proposal, 0)
    }

    /// The kernel's clock from here on, until `due`.
    fn leave(
        &mut self,
        old: &Segment,
        plain: bool,
        look: Option<&Look>,
        now: i64,
        due: i64,
    ) -> Decision {
        if plain {
            return Decision::Wait(due);
        }
        let offset = look.map_or(old.offset, |look| self.absorbed(old, plain, look).1);
        let anchor = look.map_or(old.base, |look| look.count);
        let at = now.saturating_add(offset);
        let proposal = Proposal {
            plain: true,
            anchor,
            at,
            scale: 0,
            reach_at: 0,
            end_at: 0,
            offset,
            delta: 0,
        };
        Decision::Replace(proposal, due)
    }

    /// How far the line is ahead of the kernel's clock, in nanoseconds, and its offset. The line
    /// cannot go back: if it is far ahead, it continues from there.
    fn absorbed(&mut self, old: &Segment, plain: bool, look: &Look) -> (i64, i64) {
        let kernel = look.mono.saturating_add(old.offset);
        let error = match old.place(look.count) {
            Some(counts) if !plain => old.along(counts).saturating_sub(kernel),
            // After the straight line it is the kernel's clock, unless that is behind.
            _ => old.last().saturating_sub(kernel).max(0),
        };
        if error <= STEERED {
            return (error, old.offset);
        }
        self.events.leaps += 1;
        (0, old.offset.saturating_add(error))
    }

    /// How far wall time is ahead: as before, unless that is impossible now.
    fn ahead(&mut self, look: &Look) -> i64 {
        let (least, most) = look.ahead;
        let ahead = match self.ahead {
            // Each comparison narrows it a little more.
            Some(Ahead { least: above, most: below, .. }) if above.max(least) > below.min(most) => {
                self.events.steps += 1;
                Ahead::between(least, most)
            }
            Some(Ahead { least: above, most: below, value }) => {
                let (least, most) = (above.max(least), below.min(most));
                Ahead { least, most, value: value.clamp(least, most) }
            }
            None => Ahead::between(least, most),
        };
        self.ahead = Some(ahead);
        ahead.value
    }
}

/// How far wall time is ahead of monotonic time: constant until it is stepped.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    least: i64,
    most: i64,
    /// The value to use, between these.
    value: i64,
}

impl Ahead {
    fn between(least: i64, most: i64) -> Self {
        Ahead { least, most, value: least.saturating_add((most - least) / 2) }
    }
}
