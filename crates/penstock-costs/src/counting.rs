//! Counting references: the cost of sharing an object.

use crate::{Entry, timed};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "atomic add",
        per_turn: 16,
        make: || {
            let count = AtomicU64::new(0);
            Ok(Box::new(move |turns| {
                Ok(timed(turns, || {
                    for _ in 0..16 {
                        black_box(&count).fetch_add(1, Ordering::Relaxed);
                    }
                }))
            }))
        },
    },
    Entry {
        name: "reference, take and drop",
        per_turn: 16,
        make: || {
            Ok(Box::new(|turns| {
                let shared = Rc::new(7_u64);
                Ok(timed(turns, || {
                    for _ in 0..16 {
                        drop(black_box(Rc::clone(black_box(&shared))));
                    }
                }))
            }))
        },
    },
    Entry {
        name: "atomic reference",
        per_turn: 16,
        make: || {
            let shared = Arc::new(7_u64);
            Ok(Box::new(move |turns| {
                Ok(timed(turns, || {
                    for _ in 0..16 {
                        drop(black_box(Arc::clone(black_box(&shared))));
                    }
                }))
            }))
        },
    },
];
