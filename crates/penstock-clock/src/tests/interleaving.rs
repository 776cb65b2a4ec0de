//! Threads that take turns at every access to shared memory, in every order with few changes.
//!
//! Only one thread runs at a time, and a schedule says when to switch. So the test covers the
//! sequentially consistent executions, and each of them can be reproduced. (`clock.rs` argues that
//! the orderings of the accesses are also strong enough, and `tests/threads.rs` exercises them.)

use super::machine::{
    AHEAD, ALLOWED, MICROSECOND, MILLISECOND, Machine, NANOSECOND, Random, SECOND, Watch, World,
};
use crate::Clock;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

thread_local! {
    static TURN: RefCell<Option<(Arc<Turns>, usize)>> = const { RefCell::new(None) };
    static STOP: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Called before each access to a shared word.
pub(crate) fn pause() {
    if let Some(left) = STOP.get() {
        STOP.set(left.checked_sub(1));
        assert!(left > 0, "stopped");
    }
    let turn = TURN.with_borrow(Clone::clone);
    if let Some((turns, own)) = turn {
        turns.step(own);
    }
}

/// Calls `work`, and makes its thread panic at the access to shared memory after `count` others.
pub(super) fn stop_after<T>(count: u64, work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    STOP.set(Some(count));
    let result = work();
    STOP.set(None);
    std::panic::set_hook(hook);
    result
}

/// Which thread has its turn, and for how many steps.
struct Turns {
    now: Mutex<Now>,
    changed: Condvar,
}

struct Now {
    thread: usize,
    left: u64,
    /// The following turns, each with its thread and its number of steps; the latest first.
    schedule: Vec<(usize, u64)>,
    done: Vec<bool>,
    steps: Vec<u64>,
}

impl Now {
    /// Gives the turn to the next unfinished thread of the schedule; without one, to any.
    fn change(&mut self) {
        while let Some((thread, left)) = self.schedule.pop() {
            if !self.done[thread] {
                (self.thread, self.left) = (thread, left);
                return;
            }
        }
        if let Some(thread) = self.done.iter().position(|done| !done) {
            (self.thread, self.left) = (thread, u64::MAX);
        }
    }
}

/// Something that happens to a machine.
type Accident = fn(&mut World);

impl Turns {
    fn new(thread: usize, left: u64, schedule: Vec<(usize, u64)>, threads: usize) -> Arc<Self> {
        let (done, steps) = (vec![false; threads], vec![0; threads]);
        let now = Now { thread, left, schedule, done, steps };
        Arc::new(Turns { now: Mutex::new(now), changed: Condvar::new() })
    }

    fn step(&self, own: usize) {
        let mut now = self.now.lock().unwrap();
        if now.thread == own && now.left == 0 {
            now.change();
            self.changed.notify_all();
        }
        while now.thread != own {
            now = self.changed.wait(now).unwrap();
        }
        now.left -= 1;
        now.steps[own] += 1;
    }

    fn finish(&self, own: usize) {
        let mut now = self.now.lock().unwrap();
        now.done[own] = true;
        if now.thread == own {
            now.change();
        }
        self.changed.notify_all();
    }
}

/// A value, with the times before and after it was requested.
#[derive(Debug, Clone, Copy)]
struct Seen {
    value: i64,
    before: i128,
    after: i128,
}

/// Lets threads read according to the schedule, and checks their values; returns how many steps
/// each took. Accidents may happen to the machine meanwhile, as if they were one more thread.
fn run(
    clock: &Clock<Machine>,
    threads: usize,
    reads: usize,
    schedule: &[(usize, u64)],
    accidents: &[Accident],
) -> Vec<u64> {
    let mut schedule: Vec<_> = schedule.iter().rev().copied().collect();
    let (thread, left) = schedule.pop().unwrap();
    let turns = Turns::new(thread, left, schedule, threads + 1);
    let first = clock.mono();
    let seen: Vec<Seen> = thread::scope(|scope| {
        let work = |own: usize| {
            let turns = Arc::clone(&turns);
            move || {
                TURN.set(Some((Arc::clone(&turns), own)));
                AHEAD.set(own == 0);
                let mut seen = Vec::new();
                for _ in 0..reads {
                    pause();
                    let before = clock.source().world().mono;
                    let value = clock.mono();
                    seen.push(Seen { value, before, after: clock.source().world().mono });
                }
                TURN.set(None);
                turns.finish(own);
                seen
            }
        };
        let handles: Vec<_> = (0..threads).map(|own| scope.spawn(work(own))).collect();
        TURN.set(Some((Arc::clone(&turns), threads)));
        for accident in accidents {
            pause();
            accident(&mut clock.source().world());
        }
        TURN.set(None);
        turns.finish(threads);
        handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
    });
    let last = clock.mono();
    for one in &seen {
        let apart = i64::try_from(clock.source().world().skew).unwrap();
        assert!(first <= one.value && one.value - apart <= last, "{first} {one:?} {last}");
        for other in &seen {
            let apart = i64::try_from(clock.source().world().skew).unwrap();
            let back = one.after < other.before && one.value - apart > other.value;
            assert!(!back, "by {}: {one:?} {other:?}", one.value - other.value);
        }
    }
    let now = turns.now.lock().unwrap();
    now.steps.clone()
}

/// How far apart the counters of two processors are, in nanoseconds.
const SKEW: i128 = 200;

/// The state of the clock when the threads begin.
type Prepare = fn(&Watch);

const CASES: [(&str, Prepare); 11] = [
    ("a segment has been good for long enough", |watch| {
        watch.pass(MILLISECOND + 50 * MICROSECOND);
    }),
    ("and the line is ahead", |watch| {
        watch.world().rate = 999_600;
        watch.pass(MILLISECOND + 50 * MICROSECOND);
    }),
    ("or far behind", |watch| {
        watch.world().rate = 1_009_000;
        watch.pass(MILLISECOND + 50 * MICROSECOND);
    }),
    ("a segment has ended", |watch| watch.pass(5 * MILLISECOND)),
    ("it ends meanwhile", |watch| {
        watch.pass(MILLISECOND + 249 * MICROSECOND);
        watch.world().stalls = 2 * MICROSECOND;
        watch.world().once_in = 2;
    }),
    ("it ends meanwhile, on processors that differ", |watch| {
        watch.world().rate = 1_000_450;
        watch.pass(MILLISECOND + 249 * MICROSECOND + 300 * NANOSECOND);
        watch.world().skew = SKEW;
    }),
    ("the kernel loses its trust", |watch| {
        watch.world().trusted = false;
        // The next question is due.
        watch.pass(2 * SECOND);
    }),
    ("the counter goes back", |watch| {
        let back = 4 * MILLISECOND * watch.world().frequency / 1_000;
        watch.world().counter -= back;
    }),
    ("the counter leaps", |watch| {
        let leap = SECOND * watch.world().frequency / 1_000;
        watch.world().counter += leap;
    }),
    ("the counter comes into use", |watch| {
        // The counter left the segment, and comes back a millisecond later.
        let leap = SECOND * watch.world().frequency / 1_000;
        watch.world().counter += leap;
        watch.clock.mono();
        assert!(!watch.clock.is_counting());
        watch.pass(2 * MILLISECOND);
    }),
    ("the counter comes into use, by a look that is only just narrow enough", |watch| {
        let leap = SECOND * watch.world().frequency / 1_000;
        watch.world().counter += leap;
        watch.clock.mono();
        watch.pass(2 * MILLISECOND);
        watch.world().stalls = 400 * NANOSECOND;
        watch.world().once_in = 2;
    }),
];

fn prepared(prepare: Prepare) -> Watch {
    let watch = Watch::settled(World::new(1));
    prepare(&watch);
    watch
}

#[test]
fn two_threads_with_two_changes() {
    for (case, prepare) in CASES {
        let longest =
            *run(&prepared(prepare).clock, 2, 2, &[(0, u64::MAX)], &[]).iter().max().unwrap();
        assert!(longest > 10, "{case}: {longest}");
        for first in 0..2 {
            for steps in 0..=longest {
                for more in (1..=longest).step_by(5) {
                    let schedule = [(first, steps), (1 - first, more), (first, u64::MAX)];
                    run(&prepared(prepare).clock, 2, 2, &schedule, &[]);
                }
            }
        }
    }
}

#[test]
fn three_threads_at_random() {
    let mut random = Random::new(7);
    for _ in 0..300 {
        for (_, prepare) in CASES {
            let mut schedule = Vec::new();
            for _ in 0..12 {
                let thread = usize::try_from(random.below(3)).unwrap();
                schedule.push((thread, 1 + u64::try_from(random.some(64)).unwrap()));
            }
            run(&prepared(prepare).clock, 3, 3, &schedule, &[]);
        }
    }
}

#[test]
fn a_thread_that_stands_still_in_the_middle() {
    // The other thread keeps reading for many segments, with every value within the bound.
    let longest = run(&prepared(CASES[0].1).clock, 2, 1, &[(0, u64::MAX)], &[])[0];
    for steps in 0..=longest {
        let watch = prepared(CASES[0].1);
        let turns = Turns::new(0, steps, vec![(1, u64::MAX)], 2);
        thread::scope(|scope| {
            let (clock, own) = (&watch.clock, Arc::clone(&turns));
            let slow = scope.spawn(move || {
                TURN.set(Some((Arc::clone(&own), 0)));
                let before = clock.source().world().mono_ns();
                let value = clock.mono();
                let after = clock.source().world().mono_ns();
                TURN.set(None);
                own.finish(0);
                assert!((before - ALLOWED..=after + ALLOWED).contains(&value));
            });
            TURN.set(Some((Arc::clone(&turns), 1)));
            let mut latest = 0;
            for _ in 0..300 {
                let before = clock.source().world().mono_ns();
                let value = clock.mono();
                let after = clock.source().world().mono_ns();
                assert!(value >= latest);
                assert!((before - ALLOWED..=after + ALLOWED).contains(&value));
                latest = value;
                clock.source().world().pass(100 * MICROSECOND);
            }
            TURN.set(None);
            turns.finish(1);
            slow.join().unwrap();
            assert!(clock.mono() >= latest);
        });
    }
}

/// Accidents that may happen while the threads run. The counter never returns to the valid segment.
const ACCIDENTS: [Accident; 9] = [
    |world| world.pass(200 * MICROSECOND),
    |world| world.pass(600 * MICROSECOND),
    |world| world.pass(MILLISECOND + 100 * MICROSECOND),
    |world| world.pass(3 * MILLISECOND),
    |world| world.rate = 1_000_000 + world.random.below(2_001) - 1_000,
    |world| {
        world.stalls = 500 * NANOSECOND;
        world.once_in = 3;
    },
    |world| world.stalls = 0,
    |world| world.counter += SECOND * world.frequency / 1_000,
    |world| world.counter -= 100 * SECOND * world.frequency / 1_000,
];

#[test]
fn threads_to_which_things_happen_at_random() {
    let mut random = Random::new(11);
    let mut below = |limit: i128| usize::try_from(random.below(limit)).unwrap();
    for _ in 0..RUNS {
        let accidents: Vec<_> = (0..12).map(|_| ACCIDENTS[below(9)]).collect();
        let mut schedule = Vec::new();
        for _ in 0..40 {
            let thread = below(4);
            let steps = if thread == 3 { 1 + below(2) } else { 1 + below(30) };
            schedule.push((thread, steps as u64));
        }
        let watch = Watch::settled(World::new(1));
        run(&watch.clock, 3, 4, &schedule, &accidents);
    }
}

/// How many schedules to try.
const RUNS: usize = 1_000;
