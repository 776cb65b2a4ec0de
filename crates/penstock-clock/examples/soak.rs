//! Reads the clock beside the kernel's for a long time, and says how far apart they were.
//!
//!     cargo run --release -p penstock-clock --example soak -- 600
//!
//! The argument is how many seconds it takes. Some threads read at once, in distances from nothing to
//! seconds. Each value has to lie between two readings of the kernel's clock around it, give or take
//! the bound; and no monotonic value may be less than one that any thread saw before. The exit code
//! is 1 if that does not hold.

use penstock_clock::{BOUND, CLOCK, Counter, Mono, Source, System, Wall};
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const THREADS: u64 = 3;
/// Readings of the kernel's clock that are no farther apart say where between them a value should be.
const NARROW: i64 = 250;

/// How far values were off, in nanoseconds.
struct Errors {
    /// How many were off by so much from the middle, where the readings around were narrow.
    near: Vec<u64>,
    /// The most that one was outside of the readings around it.
    outside: i64,
    reads: u64,
}

impl Errors {
    fn new() -> Self {
        Errors { near: vec![0; 10_001], outside: 0, reads: 0 }
    }

    fn take(&mut self, before: i64, value: i64, after: i64) {
        self.reads += 1;
        self.outside = self.outside.max(before - value).max(value - after);
        if after - before <= NARROW {
            let off = (value - before - (after - before) / 2).unsigned_abs();
            let last = self.near.len() - 1;
            self.near[usize::try_from(off).map_or(last, |off| off.min(last))] += 1;
        }
    }

    fn add(&mut self, other: &Errors) {
        self.reads += other.reads;
        self.outside = self.outside.max(other.outside);
        for (sum, count) in self.near.iter_mut().zip(&other.near) {
            *sum += count;
        }
    }

    /// The error that so many values in a million do not exceed.
    fn at(&self, millionths: u64) -> usize {
        let all: u64 = self.near.iter().sum();
        let mut left =
            all - all / 1_000_000 * millionths - all % 1_000_000 * millionths / 1_000_000;
        for (off, count) in self.near.iter().enumerate().rev() {
            if left < *count {
                return off;
            }
            left -= count;
        }
        0
    }

    fn print(&self, name: &str) {
        let largest = self.near.iter().rposition(|count| *count > 0).unwrap_or(0);
        eprintln!(
            "{name:<6}{:>14} {:>8} {:>8} {:>8} {:>8} {:>10}",
            self.reads,
            self.at(500_000),
            self.at(990_000),
            self.at(999_900),
            largest,
            self.outside,
        );
    }
}

/// What one thread sees until the end.
fn read(seed: u64, until: i64, highest: &AtomicI64) -> (Errors, Errors, u64) {
    let (mut wall, mut mono, mut back) = (Errors::new(), Errors::new(), 0);
    let mut random = seed;
    while System.kernel_mono() < until {
        // Bursts, with pauses of up to a second behind them.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        for _ in 0..(random >> 48) {
            let before = System.kernel_wall();
            let value = Wall::now().as_nanos();
            wall.take(before, value, System.kernel_wall());
            let seen = highest.load(Ordering::Acquire);
            let before = System.kernel_mono();
            let value = Mono::now().as_nanos();
            mono.take(before, value, System.kernel_mono());
            back += u64::from(value < seen);
            highest.fetch_max(value, Ordering::AcqRel);
        }
        let pause = 1_u64 << ((random >> 32) % 30);
        std::thread::sleep(Duration::from_nanos(pause.min(until.unsigned_abs())));
    }
    (wall, mono, back)
}

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60_u32);
    let until = System.kernel_mono() + i64::from(seconds) * 1_000_000_000;
    let highest = AtomicI64::new(i64::MIN);
    eprintln!("{seconds} s on {THREADS} threads; the counter: {:?}", Counter::examine());
    let (mut wall, mut mono, mut back) = (Errors::new(), Errors::new(), 0);
    std::thread::scope(|scope| {
        let highest = &highest;
        let threads: Vec<_> =
            (1..=THREADS).map(|seed| scope.spawn(move || read(seed, until, highest))).collect();
        for thread in threads {
            let Ok((some_wall, some_mono, some_back)) = thread.join() else { continue };
            wall.add(&some_wall);
            mono.add(&some_mono);
            back += some_back;
        }
    });
    eprintln!("error in ns     reads      50 %     99 %  99.99 %  largest    outside");
    wall.print("Wall");
    mono.print("Mono");
    eprintln!("bound {} ns; the counter is in use: {}", BOUND.as_nanos(), CLOCK.is_counting());
    if let Some(events) = CLOCK.events() {
        eprintln!("{events:?}");
    }
    eprintln!("Mono went back {back} times");
    let bound = i64::try_from(BOUND.as_nanos()).unwrap_or(i64::MAX);
    // A step of the system's time is no error, though it looks like one.
    let stepped = CLOCK.events().is_some_and(|events| events.steps > 0);
    let kept = back == 0 && mono.outside <= bound && (stepped || wall.outside <= bound);
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
