//! A machine with a counter, two clocks, and accidents.

use crate::{BOUND, Clock, DELAY, Source};
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard};

/// Picoseconds, the unit of a machine's time.
pub(super) const NANOSECOND: i128 = 1_000;
pub(super) const MICROSECOND: i128 = 1_000 * NANOSECOND;
pub(super) const MILLISECOND: i128 = 1_000 * MICROSECOND;
pub(super) const SECOND: i128 = 1_000 * MILLISECOND;

/// Random numbers that are the same each time (SplitMix64, by Sebastiano Vigna).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: i128) -> i128 {
        i128::from(self.next()) % limit
    }

    /// Of any size up to `limit`, small ones as often as large ones.
    pub(super) fn some(&mut self, limit: i128) -> i128 {
        let bits = 127 - limit.leading_zeros();
        let size = self.below(i128::from(bits) + 1);
        self.below(limit.min(1 << size).max(1))
    }
}

thread_local! {
    /// Whether this thread runs on a processor whose counter is ahead.
    pub(super) static AHEAD: Cell<bool> = const { Cell::new(false) };
}

/// The complete state of a machine at one moment.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// The counter, times 10^6, and by how much it grows in a nanosecond.
    pub(super) counter: i128,
    pub(super) frequency: i128,
    /// The kernel's monotonic clock in picoseconds, and its rate in millionths.
    pub(super) mono: i128,
    pub(super) rate: i128,
    /// How far wall time is ahead of it, in picoseconds.
    pub(super) ahead: i128,
    /// How many nanoseconds the counters of some processors are ahead.
    pub(super) skew: i128,
    pub(super) trusted: bool,
    pub(super) process: u32,
    /// The longest time for which a thread is now and then kept from running.
    pub(super) stalls: i128,
    /// A thread is kept from running once in this many calls.
    pub(super) once_in: i128,
    /// How often the kernel was asked whether the counter can be trusted.
    pub(super) questions: u32,
    pub(super) random: Random,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        World {
            counter: 13_000_000_000_000 * 1_000_000,
            frequency: 2_600_000,
            mono: 77 * SECOND,
            rate: 1_000_000,
            ahead: 1_700_000_000 * SECOND,
            skew: 0,
            trusted: true,
            process: 1,
            stalls: 0,
            once_in: 50,
            questions: 0,
            random: Random::new(seed),
        }
    }

    /// Time passes.
    pub(super) fn pass(&mut self, time: i128) {
        self.counter += time * self.frequency / 1_000;
        self.mono += time * self.rate / 1_000_000;
    }

    /// A few nanoseconds pass, and now and then many more.
    fn call(&mut self) {
        let mut time = 2 * NANOSECOND + self.random.below(18 * NANOSECOND);
        if self.stalls > 0 && self.random.below(self.once_in) == 0 {
            time += self.random.some(self.stalls);
        }
        self.pass(time);
    }

    pub(super) fn mono_ns(&self) -> i64 {
        i64::try_from(self.mono.div_euclid(NANOSECOND)).unwrap()
    }

    pub(super) fn wall_ns(&self) -> i64 {
        i64::try_from((self.mono + self.ahead).div_euclid(NANOSECOND)).unwrap()
    }
}

/// A world as a source, to be shared by threads.
#[derive(Debug)]
pub(super) struct Machine(Mutex<World>);

impl Machine {
    pub(super) fn new(world: World) -> Self {
        Machine(Mutex::new(world))
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }
}

impl Source for Machine {
    fn counter(&self) -> u64 {
        self.counter_ordered()
    }

    fn counter_ordered(&self) -> u64 {
        let mut world = self.world();
        world.call();
        let ahead = if AHEAD.get() { world.skew * world.frequency } else { 0 };
        let counter = u64::try_from((world.counter + ahead).div_euclid(1_000_000)).unwrap();
        world.call();
        counter
    }

    fn kernel_mono(&self) -> i64 {
        let mut world = self.world();
        world.call();
        let time = world.mono_ns();
        world.call();
        time
    }

    fn kernel_wall(&self) -> i64 {
        let mut world = self.world();
        world.call();
        let time = world.wall_ns();
        world.call();
        time
    }

    fn is_trusted(&self) -> bool {
        let mut world = self.world();
        world.questions += 1;
        world.trusted
    }

    fn process(&self) -> u32 {
        self.world().process
    }
}

/// A clock on a machine, with the properties of the values that it gave.
pub(super) struct Watch {
    pub(super) clock: Clock<Machine>,
    /// The latest monotonic value.
    pub(super) latest: i64,
    /// How far the monotonic clock is permanently ahead of the kernel's. It grows if the kernel's
    /// clock goes back relative to it.
    pub(super) offset: i64,
    /// The largest errors so far.
    pub(super) worst_mono: i64,
    pub(super) worst_wall: i64,
}

pub(super) const ALLOWED: i64 = BOUND.as_nanos() as i64;

/// As picoseconds.
pub(super) fn delay() -> i128 {
    i128::try_from(DELAY.as_nanos()).unwrap() * NANOSECOND
}

/// How far a value is outside the times before and after it was requested.
fn outside(value: i64, before: i64, after: i64) -> i64 {
    if value < before { value - before } else { (value - after).max(0) }
}

impl Watch {
    pub(super) fn new(world: World) -> Self {
        Watch {
            clock: Clock::new(Machine::new(world)),
            latest: i64::MIN,
            offset: 0,
            worst_mono: 0,
            worst_wall: 0,
        }
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.clock.source().world()
    }

    pub(super) fn pass(&self, time: i128) {
        self.world().pass(time);
    }

    /// Reads the monotonic time, which must not go back; returns its error.
    pub(super) fn mono(&mut self) -> i64 {
        let before = self.world().mono_ns();
        let value = self.clock.mono();
        let after = self.world().mono_ns();
        assert!(value >= self.latest, "it went back by {}", self.latest - value);
        self.latest = value;
        outside(value, before + self.offset, after + self.offset)
    }

    /// Reads wall time; returns its error.
    pub(super) fn wall(&self) -> i64 {
        let before = self.world().wall_ns();
        let value = self.clock.wall();
        let after = self.world().wall_ns();
        outside(value, before, after)
    }

    /// Both errors must be within the bound plus `more`.
    pub(super) fn check(&mut self, more: i64) {
        let (mono, wall) = (self.mono(), self.wall());
        self.worst_mono = self.worst_mono.max(mono.abs());
        self.worst_wall = self.worst_wall.max(wall.abs());
        assert!(mono.abs() <= ALLOWED + more, "Mono is off by {mono} ns");
        assert!(wall.abs() <= ALLOWED + more, "Wall is off by {wall} ns");
    }

    /// Reads at random intervals of up to `apart` until `time` has passed.
    pub(super) fn run(&mut self, time: i128, apart: i128, more: i64) {
        let until = self.world().mono + time;
        while self.world().mono < until {
            self.check(more);
            let mut world = self.world();
            let some = world.random.some(apart);
            world.pass(some);
        }
    }

    /// A watch whose clock already uses the counter.
    pub(super) fn settled(world: World) -> Self {
        let mut watch = Watch::new(world);
        watch.run(5 * MILLISECOND, 50 * MICROSECOND, 0);
        assert!(watch.clock.is_counting());
        watch
    }

    /// Reads until the clock is on the line again, without checking errors; then accepts the
    /// present lead of the monotonic time.
    pub(super) fn recover(&mut self, time: i128) {
        let until = self.world().mono + time;
        while self.world().mono < until {
            self.mono();
            self.wall();
            self.pass(20 * MICROSECOND);
        }
        let kernel = self.world().mono_ns();
        let ahead = self.clock.mono() - kernel;
        assert!(ahead >= self.offset - ALLOWED, "the offset went back");
        self.offset = ahead;
    }
}
