//! Calls of one function with one argument, whose result is the next call's argument.

use crate::{Entry, timed};
use std::array;
use std::hint::black_box;

/// The smallest function that must still be called.
#[inline(never)]
fn step(value: u64) -> u64 {
    value.wrapping_add(1) ^ 2
}

trait Step: Send {
    fn step(&self, value: u64) -> u64;
}

struct Up;
struct Down;

impl Step for Up {
    #[inline(never)]
    fn step(&self, value: u64) -> u64 {
        value.wrapping_add(1) ^ 2
    }
}

impl Step for Down {
    #[inline(never)]
    fn step(&self, value: u64) -> u64 {
        value.wrapping_sub(1) ^ 2
    }
}

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "call, direct",
        per_turn: 16,
        make: || {
            Ok(Box::new(|turns| {
                let mut value = black_box(1);
                let time = timed(turns, || {
                    for _ in 0..4 {
                        value = step(step(step(step(value))));
                    }
                });
                black_box(value);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "call, virtual",
        per_turn: 16,
        make: || {
            // There are two classes, and each call looks up the object. With one class, the
            // compiler would look up its method before the loop.
            let objects: [Box<dyn Step>; 16] = array::from_fn(|index| -> Box<dyn Step> {
                if index % 2 == 0 { Box::new(Up) } else { Box::new(Down) }
            });
            Ok(Box::new(move |turns| {
                let mut value = black_box(1);
                let time = timed(turns, || {
                    for object in black_box(&objects) {
                        value = object.step(value);
                    }
                });
                black_box(value);
                Ok(time)
            }))
        },
    },
    Entry {
        name: "call, cached pointer",
        per_turn: 16,
        make: || {
            Ok(Box::new(|turns| {
                let cached = black_box(step as fn(u64) -> u64);
                let mut value = black_box(1);
                let time = timed(turns, || {
                    for _ in 0..4 {
                        value = cached(cached(cached(cached(value))));
                    }
                });
                black_box(value);
                Ok(time)
            }))
        },
    },
];
