//! Locks, threads, and messages between them.

use crate::{Entry, Timed, timed};
use std::hint::black_box;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: "lock and unlock",
        per_turn: 16,
        make: || {
            let lock = Mutex::new(0_u64);
            Ok(Box::new(move |turns| {
                Ok(timed(turns, || {
                    for _ in 0..16 {
                        if let Ok(mut count) = black_box(&lock).lock() {
                            *count += 1;
                        }
                    }
                }))
            }))
        },
    },
    Entry {
        name: "queue, put and get",
        per_turn: 1,
        make: || {
            let (put, get) = channel::<u64>();
            Ok(Box::new(move |turns| {
                Ok(timed(turns, || {
                    let taken = put.send(black_box(7)).is_ok().then(|| get.try_recv());
                    black_box(taken.is_some());
                }))
            }))
        },
    },
    Entry { name: "queue, there and back", per_turn: 1, make: there_and_back },
    Entry { name: "thread, start and join", per_turn: 1, make: || Ok(Box::new(start_and_join)) },
];

/// A message to a thread that waits for it, and its answer. The thread ends when its queue does.
fn there_and_back() -> io::Result<Timed> {
    let (put, taken) = channel::<u64>();
    let (answer, get) = channel::<u64>();
    thread::Builder::new().spawn(move || {
        for message in taken {
            if answer.send(message + 1).is_err() {
                break;
            }
        }
    })?;
    Ok(Box::new(move |turns| {
        Ok(timed(turns, || {
            let answered = put.send(black_box(7)).is_ok().then(|| get.recv());
            black_box(answered.is_some());
        }))
    }))
}

/// A thread that does nothing. If the system refuses a thread, the measurement ends.
fn start_and_join(turns: u64) -> io::Result<Duration> {
    let start = Instant::now();
    for _ in 0..turns {
        let thread = thread::Builder::new().spawn(|| black_box(7_u64))?;
        black_box(thread.join().is_ok());
    }
    Ok(start.elapsed())
}
