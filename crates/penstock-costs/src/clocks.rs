//! Reading the time.

use crate::{Entry, timed};
use penstock_clock::{Mono, Wall};
use std::hint::black_box;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "monotonic clock, native",
        per_turn: 1,
        make: || {
            Ok(Box::new(|turns| {
                Ok(timed(turns, || {
                    black_box(Instant::now());
                }))
            }))
        },
    },
    Entry {
        name: "wall clock, native",
        per_turn: 1,
        make: || {
            Ok(Box::new(|turns| {
                Ok(timed(turns, || {
                    let since = SystemTime::now().duration_since(UNIX_EPOCH);
                    black_box(since.map_or(0, |since| since.as_nanos() as u64));
                }))
            }))
        },
    },
    Entry {
        name: "Mono, penstock-clock",
        per_turn: 1,
        make: || {
            Ok(Box::new(|turns| {
                Ok(timed(turns, || {
                    black_box(Mono::now());
                }))
            }))
        },
    },
    Entry {
        name: "Wall, penstock-clock",
        per_turn: 1,
        make: || {
            Ok(Box::new(|turns| {
                Ok(timed(turns, || {
                    black_box(Wall::now());
                }))
            }))
        },
    },
];
