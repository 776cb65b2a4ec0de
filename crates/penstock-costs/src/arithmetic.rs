//! Arithmetic, where each operation waits for the last (latency) and where it does not
//! (throughput).

use crate::{Entry, timed};
use std::hint::black_box;

/// One step after the other, eight times in a turn of the loop.
macro_rules! eight {
    ($step:expr) => {{
        $step;
        $step;
        $step;
        $step;
        $step;
        $step;
        $step;
        $step;
    }};
}

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "integer add, latency",
        // An addition and an exclusive or, in turn, so that no formula replaces all of them.
        per_turn: 128,
        make: || {
            Ok(Box::new(|turns| {
                let (mut sum, one, other) = black_box((1_u64, 3_u64, 5_u64));
                let time = timed(turns, || {
                    eight!(eight!(sum = (sum ^ one).wrapping_add(other)));
                });
                black_box(sum);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "integer add, throughput",
        per_turn: 128,
        make: || {
            Ok(Box::new(|turns| {
                let ([mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h], one, other) =
                    black_box(([1_u64; 8], 3_u64, 5_u64));
                // Eight that are independent, and no two with the same two steps: the compiler
                // would make one vector instruction of equal steps.
                let time = timed(turns, || {
                    eight!({
                        a = (a ^ one).wrapping_add(other);
                        b = b.wrapping_add(one) ^ other;
                        c = c.wrapping_sub(other) ^ one;
                        d = (d ^ other).wrapping_sub(one);
                        e = e.wrapping_add(other) ^ one;
                        f = (f ^ one).wrapping_sub(other);
                        g = g.wrapping_sub(one) ^ other;
                        h = (h ^ other).wrapping_add(one);
                    });
                });
                black_box([a, b, c, d, e, f, g, h]);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "integer multiply, latency",
        per_turn: 64,
        make: || {
            Ok(Box::new(|turns| {
                // Multiplied by itself: with a constant factor the compiler would calculate the
                // eighth power.
                let mut product = black_box(3_u64);
                let time = timed(turns, || {
                    eight!(eight!(product = product.wrapping_mul(product)));
                });
                black_box(product);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "integer divide, latency",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                // The quotient is the next divisor, so it stays in two sizes, both real work.
                let (mut quotient, dividend) = black_box((1_000_003_u64, 987_654_321_987_u64));
                let time = timed(turns, || eight!(quotient = dividend / (quotient | 1)));
                black_box(quotient);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "integer divide, throughput",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                let (mut divisors, dividend) = black_box(([1_000_003_u64; 8], 987_654_321_987_u64));
                Ok(timed(turns, || {
                    for divisor in &mut divisors {
                        *divisor = black_box(dividend / (*divisor | 1));
                    }
                }))
            }))
        },
    },
    Entry {
        name: "float divide, latency",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                let (mut quotient, dividend) = black_box((1.7_f64, 42.3_f64));
                let time = timed(turns, || eight!(quotient = dividend / quotient));
                black_box(quotient);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "float divide, throughput",
        per_turn: 8,
        make: || {
            Ok(Box::new(|turns| {
                let (mut quotients, dividend) = black_box(([1.7_f64; 8], 42.3_f64));
                Ok(timed(turns, || {
                    for quotient in &mut quotients {
                        *quotient = black_box(dividend / *quotient);
                    }
                }))
            }))
        },
    },
];
