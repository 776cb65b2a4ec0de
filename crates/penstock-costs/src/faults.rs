//! Operations that are wrong on purpose: each must be caught before anybody reads its time.

use crate::{Entry, timed};
use std::hint::black_box;
use std::time::Instant;

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        // Nobody uses the result, so the compiler removes the division, and then the loop.
        name: "fault: work and loop left out",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                let (dividend, divisor) = black_box((1e8_f64, 42.3_f64));
                let mut quotient = dividend;
                Ok(timed(turns, || quotient = dividend / divisor))
            }))
        },
    },
    Entry {
        // The same in a loop that must stay.
        name: "fault: work left out",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                let (dividend, divisor) = black_box((1e8_f64, 42.3_f64));
                let (mut quotient, mut turn) = (dividend, 0_u64);
                Ok(timed(turns, || {
                    quotient = dividend / divisor;
                    turn += 1;
                    black_box(turn);
                }))
            }))
        },
    },
    Entry {
        // The work is eight divisions, but is done once, because it does not change in the loop.
        name: "fault: work done once",
        per_turn: 1,
        make: || {
            Ok(Box::new(|turns| {
                let (dividend, divisor) = black_box((1e8_f64, 42.3_f64));
                let start = Instant::now();
                let quotient = (0..turns).fold(0.0, |_, _| dividend / divisor);
                black_box(quotient);
                Ok(start.elapsed())
            }))
        },
    },
];
