//! A clock that many threads read and none waits for.
//!
//! There are two slots, and one of them holds the valid segment. Its number and its phase are one
//! word, `state`. Readers load it before and after reading a slot (a sequence lock with two copies,
//! like the kernel's `seqcount_latch`), so a writer that is stopped anywhere stops no reader.
//!
//! A thread that finds the segment old enough tries to become the writer, with one attempt at a
//! lock. The writer reads the kernel's clocks, writes the next segment into the other slot, and
//! publishes it. Nobody waits for that lock: a thread that does not get it continues with the
//! present segment and, after its end, with the kernel's clock.
//!
//! **The beginning of a segment** must be decided after its publication, because until then threads
//! may take values from the segment before it. But from then on there are readers who need it. So a
//! segment is published without a beginning. The first thread that needs it, reader or writer,
//! reads the counter and enters the beginning with one atomic exchange; all others find it there.
//! Every value of the segment before was taken at a count that is no later, so the line at that
//! count is no less. If values may have been taken from the kernel's clock, that thread first reads
//! and enters the kernel's clock: then the segment begins at that value or above. Last, the writer
//! writes the beginning into the slot, which saves readers the calculation.

use crate::Source;
use crate::keeper::{Decision, Events, Keeper};
use crate::segment::{Proposal, Segment, Start};
use crate::word::Word;
use std::cell::UnsafeCell;
use std::sync::atomic::{Ordering, fence};

/// Nobody has written the beginning of the segment into its slot yet.
const JOINING: u64 = 1;
/// The segment is the kernel's clock.
const PLAIN: u64 = 2;
/// The step of a state to the next segment.
const NEXT: u64 = 4;

/// If a count is this little before the beginning of a segment, a processor has read it early, or
/// is that little behind: 25 us at 2.6 GHz.
const EARLY: u64 = 1 << 16;

/// Bits of an entry for its tag; the value is above them.
const TAG: u64 = 0xfff;
/// The beginning of a segment is at least the value of the other entry.
const WITH_KERNEL: u64 = 0x800;

/// The place of a segment.
#[derive(Debug)]
#[repr(align(64))]
struct Slot {
    // Its beginning. Written by the writer when the phase `JOINING` ends.
    base: Word,
    mono: Word,
    wall: Word,
    reach: Word,
    // Written before it is published.
    scale: Word,
    end: Word,
    offset: Word,
    delta: Word,
    rest: Rest,
}

/// Only threads that join a segment need the rest.
#[derive(Debug)]
#[repr(align(64))]
struct Rest {
    anchor: Word,
    at: Word,
    reach_at: Word,
    end_at: Word,
    /// Values of this segment were taken from the kernel's clock.
    kernel: Word,
    /// The first thread that needs it enters how many counts after `anchor` it begins.
    start: Word,
    /// The same for the nanoseconds after `at`, at least.
    least: Word,
}

impl Slot {
    const fn new() -> Self {
        Slot {
            base: Word::new(0),
            mono: Word::new(i64::MIN.cast_unsigned()),
            wall: Word::new(0),
            reach: Word::new(0),
            scale: Word::new(0),
            end: Word::new(0),
            offset: Word::new(0),
            delta: Word::new(0),
            rest: Rest {
                anchor: Word::new(0),
                at: Word::new(0),
                reach_at: Word::new(0),
                end_at: Word::new(0),
                kernel: Word::new(0),
                start: Word::new(0),
                least: Word::new(0),
            },
        }
    }

    /// The segment, if its beginning is written.
    fn settled(&self) -> Segment {
        Segment {
            base: self.base.relaxed(),
            scale: self.scale.relaxed(),
            mono: self.mono.signed(),
            reach: self.reach.relaxed(),
            end: self.end.relaxed(),
            offset: self.offset.signed(),
            delta: self.delta.signed(),
        }
    }

    fn settle(&self, segment: &Segment) {
        self.base.set_relaxed(segment.base);
        self.mono.set_signed(segment.mono);
        self.wall.set_signed(segment.mono.saturating_add(segment.delta));
        self.reach.set_relaxed(segment.reach);
        self.end.set_relaxed(segment.end);
    }

    fn propose(&self, new: &Proposal, tag: u64) {
        self.scale.set_relaxed(new.scale);
        self.offset.set_signed(new.offset);
        self.delta.set_signed(new.delta);
        self.rest.anchor.set_relaxed(new.anchor);
        self.rest.at.set_signed(new.at);
        self.rest.reach_at.set_relaxed(new.reach_at);
        self.rest.end_at.set_relaxed(new.end_at);
        self.rest.kernel.set_relaxed(0);
        // Not every segment has this entry, so one of 2,048 segments ago must not be mistaken for
        // it. The segments of this slot have all odd numbers, or all even ones.
        self.rest.least.set_relaxed(tag ^ 1);
    }

    fn proposal(&self, plain: bool) -> Proposal {
        Proposal {
            plain,
            anchor: self.rest.anchor.relaxed(),
            at: self.rest.at.signed(),
            scale: self.scale.relaxed(),
            reach_at: self.rest.reach_at.relaxed(),
            end_at: self.rest.end_at.relaxed(),
            offset: self.offset.signed(),
            delta: self.delta.signed(),
        }
    }
}

/// The tag of entries for the segment of a state.
fn tag(state: u64) -> u64 {
    state / NEXT % WITH_KERNEL
}

/// Enters `value` in place of the entry `old`, unless that has changed; returns the present entry.
fn enter(word: &Word, old: u64, value: u64, tag: u64) -> u64 {
    let entry = value.min(u64::MAX >> TAG.count_ones()) << TAG.count_ones() | tag;
    match word.replace(old, entry) {
        Ok(()) => entry,
        Err(there) => there,
    }
}

/// Which of the two times to read, and how carefully to read the counter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The monotonic time, ordered after everything that the thread did before.
    Mono,
    /// The monotonic time, without that order.
    Relaxed,
    /// Wall time.
    Wall,
}

/// A monotonic clock and a wall clock, over one counter.
///
/// Reading takes no lock and writes to nothing that is shared, except for one reading in a
/// millisecond. Nothing happens before the first reading, and there is no thread.
/// [`Mono::now`](crate::Mono::now) and [`Wall::now`](crate::Wall::now) read the clock of the
/// process. Another one is useful only with a source of its own.
///
/// # Example
/// ```
/// use penstock_clock::{Clock, System};
///
/// static CLOCK: Clock<System> = Clock::new(System);
///
/// let begun = CLOCK.mono();
/// assert!(CLOCK.mono() >= begun);
/// ```
#[derive(Debug)]
pub struct Clock<S> {
    /// The number of the segment, times four, and its phase.
    state: State,
    slots: [Slot; 2],
    /// When the kernel's clock reaches this, check whether the counter can be used.
    due: Word,
    /// The process of the writer, or zero.
    writer: Word,
    keeper: UnsafeCell<Keeper>,
    source: S,
}

/// In a cache line apart from the words that are written more often.
#[derive(Debug)]
#[repr(align(64))]
struct State(Word);

// SAFETY: `keeper` is the only part that is not `Sync`. Only the holder of `writer` touches it,
// which is one thread.
unsafe impl<S: Sync> Sync for Clock<S> {}

impl<S: Source> Clock<S> {
    /// A clock that nobody has read yet.
    pub const fn new(source: S) -> Self {
        Clock {
            state: State(Word::new(PLAIN)),
            slots: [Slot::new(), Slot::new()],
            due: Word::new(i64::MIN.cast_unsigned()),
            writer: Word::new(0),
            keeper: UnsafeCell::new(Keeper::new()),
            source,
        }
    }

    /// Nanoseconds of the monotonic clock: at least as much as any thread read before it handed
    /// something to this one, directly or not.
    #[inline]
    pub fn mono(&self) -> i64 {
        self.read(Kind::Mono)
    }

    /// Nanoseconds of the monotonic clock, read without waiting for the instructions before: a few
    /// nanoseconds cheaper, and that much early or late for other threads.
    #[inline]
    pub fn mono_relaxed(&self) -> i64 {
        self.read(Kind::Relaxed)
    }

    /// Nanoseconds since 1970 in UTC.
    #[inline]
    pub fn wall(&self) -> i64 {
        self.read(Kind::Wall)
    }

    /// The source.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Whether the counter is in use now.
    pub fn is_counting(&self) -> bool {
        self.state.0.acquire() & PLAIN == 0
    }

    /// The counts so far. Nothing, if a writer is at work right now.
    pub fn events(&self) -> Option<Events> {
        self.as_writer(|keeper| keeper.events)
    }

    #[inline(always)]
    fn read(&self, kind: Kind) -> i64 {
        let state = self.state.0.acquire();
        if state & (PLAIN | JOINING) == 0 {
            let slot = &self.slots[(state / NEXT % 2) as usize];
            let count = match kind {
                Kind::Mono => self.source.counter_ordered(),
                Kind::Relaxed | Kind::Wall => self.source.counter(),
            };
            let counts = count.wrapping_sub(slot.base.relaxed());
            let scale = slot.scale.relaxed();
            let value = if kind == Kind::Wall { &slot.wall } else { &slot.mono }.signed();
            let reach = slot.reach.relaxed();
            fence(Ordering::Acquire);
            if counts < reach && self.state.0.relaxed() == state {
                return value.wrapping_add(crate::segment::scaled(counts, scale));
            }
        }
        self.read_slowly(kind)
    }

    #[cold]
    #[inline(never)]
    fn read_slowly(&self, kind: Kind) -> i64 {
        loop {
            let state = self.state.0.acquire();
            let plain = state & PLAIN != 0;
            if plain {
                let kernel = self.source.kernel_mono();
                if kernel >= self.due.signed() && self.look(state) {
                    continue;
                }
                if kind == Kind::Wall {
                    return self.source.kernel_wall();
                }
                let value = self.segment(state).beyond(kernel);
                if self.is_still(state) {
                    return value;
                }
                continue;
            }
            let segment = self.segment(state);
            let count = self.source.counter_ordered();
            let mut counts = count.wrapping_sub(segment.base);
            if counts.wrapping_neg() < EARLY {
                counts = 0;
            }
            if counts >= segment.reach && self.look(state) {
                continue;
            }
            let delta = if kind == Kind::Wall { segment.delta } else { 0 };
            let value = if counts < segment.end {
                segment.along(counts).wrapping_add(delta)
            } else if kind == Kind::Wall {
                return self.source.kernel_wall();
            } else {
                // In this order, so that either this thread or the one that joins the next segment
                // sees the other: see `start`.
                let kernel = &self.slot(state).rest.kernel;
                if kernel.relaxed() == 0 {
                    kernel.set_in_order(1);
                }
                fence(Ordering::SeqCst);
                segment.beyond(self.source.kernel_mono())
            };
            if self.is_still(state) {
                return value;
            }
        }
    }

    /// Whether the values read since `state` belong together.
    fn is_still(&self, state: u64) -> bool {
        fence(Ordering::SeqCst);
        self.state.0.acquire() == state
    }

    fn slot(&self, state: u64) -> &Slot {
        &self.slots[(state / NEXT % 2) as usize]
    }

    /// The segment that is valid in this state.
    fn segment(&self, state: u64) -> Segment {
        if state & JOINING == 0 {
            return self.slot(state).settled();
        }
        let old = self.slot(state.wrapping_sub(NEXT)).settled();
        let new = self.slot(state).proposal(state & PLAIN != 0);
        self.start(state, &old, &new).join(&old, &new)
    }

    /// The beginning of this state's segment: as it was decided, or here.
    fn start(&self, state: u64, old: &Segment, new: &Proposal) -> Start {
        // Entries differ from those of older segments by their tag. To mistake one for another, a
        // thread would have to sleep between two instructions for 2,047 segments.
        let tag = tag(state);
        let rest = &self.slot(state).rest;
        let mut start = rest.start.acquire();
        let least = rest.least.acquire();
        // An entry of a later segment must not be overwritten.
        let late = !self.is_still(state);
        if start & TAG & !WITH_KERNEL != tag && !late {
            let count = self.source.counter_ordered();
            let before = &self.slot(state.wrapping_sub(NEXT)).rest.kernel;
            start = if old.place(count).is_some() && before.acquire() == 0 {
                enter(&rest.start, start, count.saturating_sub(new.anchor), tag)
            } else {
                if least & TAG != tag {
                    let kernel = self.source.kernel_mono().saturating_add(new.offset);
                    let above = kernel.saturating_sub(new.at).max(0);
                    enter(&rest.least, least, above.cast_unsigned(), tag);
                }
                let count = self.source.counter_ordered();
                enter(&rest.start, start, count.saturating_sub(new.anchor), WITH_KERNEL | tag)
            };
        }
        let kernel = (start & WITH_KERNEL != 0).then(|| {
            let above = rest.least.acquire() >> TAG.count_ones();
            new.at.saturating_add(above.cast_signed())
        });
        Start { count: new.anchor.saturating_add(start >> TAG.count_ones()), kernel }
    }

    /// Tries to replace the segment of this state; returns whether it did.
    fn look(&self, state: u64) -> bool {
        self.as_writer(|keeper| {
            if self.state.0.relaxed() != state {
                return true;
            }
            if state & JOINING != 0 {
                // The process that this one was forked from left it like this.
                self.settle(state);
                return true;
            }
            let (slot, plain) = (self.slot(state), state & PLAIN != 0);
            match keeper.decide(&self.source, &slot.settled(), plain) {
                Decision::Wait(due) => {
                    self.due.set_signed(due);
                    false
                }
                Decision::Replace(proposal, due) => {
                    self.due.set_signed(due);
                    let kind = JOINING | if proposal.plain { PLAIN } else { 0 };
                    let next = (state / NEXT * NEXT).wrapping_add(NEXT) | kind;
                    // A thread that still sees the state in which that slot was valid must not see
                    // the new contents of the slot.
                    fence(Ordering::Release);
                    self.slot(next).propose(&proposal, tag(next));
                    self.state.0.set_in_order(next);
                    fence(Ordering::SeqCst);
                    self.settle(next);
                    true
                }
            }
        })
        .unwrap_or(false)
    }

    /// Writes the beginning of the segment into its slot. Only the writer does this.
    fn settle(&self, state: u64) {
        let segment = self.segment(state);
        self.slot(state).settle(&segment);
        self.state.0.set_release(state & !JOINING);
    }

    /// Calls `work` as the writer, unless there is one.
    fn as_writer<T>(&self, work: impl FnOnce(&mut Keeper) -> T) -> Option<T> {
        let own = u64::from(self.source.process()) + 1;
        let mut stale = false;
        if let Err(there) = self.writer.replace(0, own) {
            // A writer of another process did not come with the fork.
            if there == own || self.writer.replace(there, own).is_err() {
                return None;
            }
            stale = true;
        }
        // SAFETY: this thread took the word `writer`, from zero or from a thread that this process
        // does not have. So no other thread is here until it is given back below.
        let keeper = unsafe { &mut *self.keeper.get() };
        if stale {
            keeper.restart();
        }
        let result = work(keeper);
        self.writer.set_release(0);
        Some(result)
    }
}
