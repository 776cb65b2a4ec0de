//! Many threads that read the clock of the process, and hand on what they saw.

use penstock_clock::{CLOCK, Clock, Mono, Source, System, Wall};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc;

#[test]
fn no_thread_sees_less_than_another_did_before() {
    let highest = AtomicI64::new(i64::MIN);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200_000 {
                    let seen = highest.load(Ordering::Acquire);
                    let now = Mono::now().as_nanos();
                    assert!(now >= seen, "by {}", seen - now);
                    highest.fetch_max(now, Ordering::AcqRel);
                }
            });
        }
    });
    // Another test of this process may be the writer right now, but none stays it.
    let mut tries = 0..10_000;
    assert!(tries.any(|_| {
        std::thread::yield_now();
        CLOCK.events().is_some()
    }));
}

#[test]
fn a_moment_that_is_handed_on_is_not_later() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (back, again) = mpsc::sync_channel(1);
    let other = std::thread::spawn(move || {
        for sent in receiver {
            let now = Mono::now();
            assert!(now >= sent);
            back.send(now).unwrap();
        }
    });
    for _ in 0..5_000 {
        sender.send(Mono::now()).unwrap();
        let returned = again.recv().unwrap();
        assert!(Mono::now() >= returned);
    }
    drop(sender);
    other.join().unwrap();
}

#[test]
fn threads_of_their_own_see_the_same_day() {
    let first = Wall::now();
    let second = std::thread::spawn(Wall::now).join().unwrap();
    assert!(second.nanos_since(first).abs() < 60_000_000_000);
}

/// A counter that is one number for all threads, so that every read is one step; segments last a
/// thousand of these, and the threads replace them all the time.
struct Ticks(AtomicU64);

impl Source for Ticks {
    fn counter(&self) -> u64 {
        self.0.fetch_add(1_000, Ordering::SeqCst)
    }

    fn counter_ordered(&self) -> u64 {
        self.counter()
    }

    fn kernel_mono(&self) -> i64 {
        // A little irregular, so that each segment has a rate of its own.
        let now = self.0.fetch_add(1_000, Ordering::SeqCst).cast_signed();
        now + (now / 700_000 % 2) * 50
    }

    fn kernel_wall(&self) -> i64 {
        self.kernel_mono()
    }

    fn is_trusted(&self) -> bool {
        true
    }

    fn process(&self) -> u32 {
        1
    }
}

#[test]
fn threads_that_replace_segments_all_the_time() {
    let clock = Clock::new(Ticks(AtomicU64::new(1)));
    let highest = AtomicI64::new(i64::MIN);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100_000 {
                    let seen = highest.load(Ordering::Acquire);
                    let now = clock.mono();
                    assert!(now >= seen, "by {}", seen - now);
                    highest.fetch_max(now, Ordering::AcqRel);
                }
            });
        }
    });
}

#[test]
fn a_child_that_is_forked_while_all_threads_read() {
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..300_000 {
                        let _ = Mono::now();
                    }
                })
            })
            .collect();
        let mut children = Vec::new();
        while readers.iter().any(|reader| !reader.is_finished()) && children.len() < 50 {
            let parent = Mono::now();
            // SAFETY: the child calls nothing that is not safe behind a fork: it reads clocks and ends.
            let child = unsafe { libc::fork() };
            assert!(child >= 0);
            if child == 0 {
                let mut latest = parent;
                let mut right = true;
                let until = System.kernel_mono() + 3_000_000;
                while System.kernel_mono() < until {
                    let now = Mono::now();
                    right &= now >= latest;
                    latest = now;
                }
                // It looks at the kernel's clocks like any process.
                right &= CLOCK.events().is_some();
                // SAFETY: it ends here, without the destructors of threads that it does not have.
                unsafe { libc::_exit(i32::from(!right)) };
            }
            children.push(child);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        for child in children {
            let mut status = 0;
            // SAFETY: `status` is ours, and the child is.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0);
        }
    });
}
