//! A process is forked while another of its threads is the writer, at each access in turn.
//!
//! The child has the memory of that moment, but not that thread. The test does the same by stopping
//! the thread for good with a panic, and giving the process another number from then on.

use super::interleaving::stop_after;
use super::machine::{MICROSECOND, MILLISECOND, SECOND, Watch, World};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stops a thread that reads at its n-th access to shared memory, for each n.
fn at_each_place(prepare: impl Fn(&mut Watch), check: impl Fn(&mut Watch)) {
    let mut places = 0;
    loop {
        let mut watch = Watch::settled(World::new(places));
        prepare(&mut watch);
        let stopped =
            stop_after(places, || catch_unwind(AssertUnwindSafe(|| watch.clock.mono())).is_err());
        check(&mut watch);
        if !stopped {
            break;
        }
        places += 1;
    }
    assert!(places > 20, "{places}");
}

#[test]
fn the_child_goes_on() {
    at_each_place(
        |watch| watch.pass(MILLISECOND + 100 * MICROSECOND),
        |watch| {
            watch.world().process = 2;
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
            assert!(watch.clock.is_counting());
            let before = watch.clock.events().unwrap().looks;
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
            assert!(watch.clock.events().unwrap().looks > before + 5);
        },
    );
}

#[test]
fn the_child_of_a_process_that_leaves_the_counter_goes_on() {
    at_each_place(
        |watch| {
            watch.run(SECOND, MILLISECOND / 2, 0);
            watch.world().trusted = false;
            watch.pass(MILLISECOND + 100 * MICROSECOND);
        },
        |watch| {
            watch.world().process = 2;
            watch.run(SECOND + 20 * MILLISECOND, MILLISECOND, 0);
            assert!(!watch.clock.is_counting());
        },
    );
}

#[test]
fn a_writer_that_never_comes_back_makes_nothing_wrong() {
    at_each_place(
        |watch| watch.pass(MILLISECOND + 100 * MICROSECOND),
        |watch| {
            // The same process: as far as the clock knows, the writer is only slow.
            watch.world().rate = 1_000_100;
            watch.run(50 * MILLISECOND, 200 * MICROSECOND, 0);
        },
    );
}
