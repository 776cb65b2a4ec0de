//! The native rows of `penstock costs`: single operations, done as often as asked, and timed.
//!
//! Nothing is judged here. `python/penstock/costs` decides how often is often enough, what the loop
//! costs and whether to believe a time, for these rows and for those of Python.
//!
//! Each operation guarantees the following, so that it is done and nothing else is:
//!
//! - Its inputs come from [`black_box`](std::hint::black_box) and its result goes into one, so the
//!   compiler can neither calculate it in advance nor remove it.
//! - If one operation must wait for the one before (*latency*), each takes the result of the last,
//!   in registers. If not (*throughput*), there are eight that are independent of each other.
//! - A turn of the loop contains operations of a few cycles [several times](Operation::per_turn).
//! - Everything that it needs is made with the operation, and is not timed.

#![forbid(unsafe_code)]

mod arithmetic;
mod calls;
mod clocks;
mod counting;
mod faults;
mod memory;
mod threads;

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

/// Runs a number of turns; returns their time.
type Timed = Box<dyn FnMut(u64) -> io::Result<Duration> + Send>;

/// A kind of operation: its name, how often a turn contains it, and the function that makes it.
struct Entry {
    name: &'static str,
    per_turn: u32,
    make: fn() -> io::Result<Timed>,
}

/// The loop alone, which is around every other operation.
const LOOP: &[Entry] = &[Entry {
    name: "loop",
    per_turn: 1,
    make: || {
        Ok(Box::new(|turns| {
            let mut turn = 0_u64;
            Ok(timed(turns, || {
                turn += 1;
                black_box(turn);
            }))
        }))
    },
}];

const ALL: &[&[Entry]] = &[
    LOOP,
    arithmetic::ENTRIES,
    calls::ENTRIES,
    memory::ENTRIES,
    counting::ENTRIES,
    threads::ENTRIES,
    clocks::ENTRIES,
    faults::ENTRIES,
];

/// One operation with its data.
///
/// # Example
///
/// ```
/// let mut copy = penstock_costs::Operation::new("copy 16 B")?.expect("there is one");
/// let time = copy.time(1_000)?;
/// assert!(time.as_nanos() > 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Operation {
    per_turn: u32,
    timed: Timed,
}

impl Operation {
    /// Makes the operation of a name, or none if there is none.
    ///
    /// # Errors
    ///
    /// The operating system's error, for operations that need a thread.
    pub fn new(name: &str) -> io::Result<Option<Self>> {
        match ALL.iter().copied().flatten().find(|entry| entry.name == name) {
            Some(entry) => Ok(Some(Self { per_turn: entry.per_turn, timed: (entry.make)()? })),
            None => Ok(None),
        }
    }

    /// The names of all operations.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().copied().flatten().map(|entry| entry.name)
    }

    /// How often one turn of the loop does the operation.
    #[must_use]
    pub fn per_turn(&self) -> u32 {
        self.per_turn
    }

    /// Runs that many turns and returns their time, the loop included.
    ///
    /// # Errors
    ///
    /// The operating system's error, for operations that use it.
    pub fn time(&mut self, turns: u64) -> io::Result<Duration> {
        (self.timed)(turns)
    }
}

/// The loop around every operation. It is compiled once for each operation, so that the operation
/// is inlined.
#[inline(always)]
fn timed(turns: u64, mut turn: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..turns {
        turn();
    }
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_operation_is_made_and_takes_turns() {
        for name in Operation::names() {
            let mut operation = Operation::new(name).unwrap().unwrap();
            assert!(operation.per_turn() >= 1, "{name}");
            for turns in [0, 1, 3] {
                operation.time(turns).unwrap();
            }
        }
    }

    #[test]
    fn a_name_is_one_operation() {
        let names: HashSet<_> = Operation::names().collect();
        assert_eq!(names.len(), Operation::names().count());
        assert!(Operation::new("nothing of this name").unwrap().is_none());
    }
}
