//! Accidents of a machine, one after the other; and then all of them, at random.

use super::machine::{
    ALLOWED, MICROSECOND, MILLISECOND, Machine, NANOSECOND, SECOND, Watch, World, delay,
};
use crate::Clock;

#[test]
fn nothing_is_looked_at_before_the_first_read() {
    let clock = Clock::new(Machine::new(World::new(1)));
    assert!(!clock.is_counting());
    assert_eq!(clock.source().world().questions, 0);
    assert_eq!(clock.source().world().mono, World::new(1).mono);
}

#[test]
fn until_there_are_two_looks_it_is_the_kernels_clock() {
    let mut watch = Watch::new(World::new(1));
    for _ in 0..10 {
        assert_eq!((watch.mono(), watch.wall()), (0, 0));
        assert!(!watch.clock.is_counting());
    }
    watch.pass(MILLISECOND);
    watch.mono();
    assert!(watch.clock.is_counting());
}

#[test]
fn a_quiet_machine() {
    for seed in 0..20 {
        let mut watch = Watch::new(World::new(seed));
        watch.run(SECOND / 4, 100 * MICROSECOND, 0);
        let events = watch.clock.events().unwrap();
        assert!(events.looks > 50, "{events:?}");
        assert_eq!((events.leaps, events.jumps, events.steps), (0, 0, 0));
        assert!(watch.worst_mono < 100 && watch.worst_wall < 100, "{}", watch.worst_mono);
    }
}

#[test]
fn counters_of_any_rate() {
    for frequency in [10_500, 24_000, 1_000_000, 1_999_999, 3_000_000, 5_700_000] {
        let mut world = World::new(3);
        world.frequency = frequency;
        let mut watch = Watch::settled(world);
        let count = i64::try_from(1_000_000 / frequency).unwrap();
        watch.run(SECOND / 10, 100 * MICROSECOND, count);
        assert!(watch.clock.is_counting(), "{frequency} kHz");
    }
}

#[test]
fn a_counter_that_stands_or_crawls_is_not_used() {
    for frequency in [0, 1, 100, 9_500] {
        let mut world = World::new(3);
        world.frequency = frequency;
        let mut watch = Watch::new(world);
        watch.run(SECOND / 10, 100 * MICROSECOND, 0);
        assert!(!watch.clock.is_counting());
    }
}

#[test]
fn threads_that_are_kept_from_running() {
    for seed in 0..40 {
        let mut world = World::new(seed);
        world.stalls = 20 * MILLISECOND;
        let mut watch = Watch::new(world);
        watch.run(SECOND, MILLISECOND, 0);
        assert_eq!(watch.clock.events().unwrap().jumps, 0);
    }
}

#[test]
fn reads_that_are_far_apart() {
    for seed in 0..10 {
        let mut watch = Watch::settled(World::new(seed));
        for distance in [2 * MILLISECOND, SECOND, 3_600 * SECOND, 86_400 * SECOND] {
            watch.world().rate = 1_000_040;
            watch.pass(distance);
            watch.check(0);
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
            watch.world().rate = 1_000_000;
            watch.check(0);
        }
        assert!(watch.clock.is_counting());
    }
}

#[test]
fn the_kernels_clock_is_slewed_as_ntp_does() {
    for seed in 0..40 {
        let mut watch = Watch::settled(World::new(seed));
        let mut rate = 0;
        for _ in 0..40 {
            // From any rate to any other within 500 ppm, in changes of at most that.
            let change = watch.world().random.below(1_001) - 500;
            rate = (rate + change).clamp(-500, 500);
            watch.world().rate = 1_000_000 + rate;
            let time = watch.world().random.some(10 * MILLISECOND);
            watch.run(time, 400 * MICROSECOND, 0);
        }
        let events = watch.clock.events().unwrap();
        assert_eq!((events.leaps, events.jumps, events.steps), (0, 0, 0));
    }
}

#[test]
fn the_kernels_clock_is_slewed_as_fast_as_it_can_be() {
    // 100,000 ppm is what adjtimex allows for.
    let worst = i64::try_from(delay() / NANOSECOND / 10).unwrap() * 5 / 4;
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        for rate in [1_083_333, 1_000_000, 916_667, 1_000_000, 1_100_000, 900_000] {
            watch.world().rate = rate;
            let begun = watch.offset;
            let until = watch.world().mono + 5 * MILLISECOND;
            while watch.world().mono < until {
                // The clock must not go back, so it stays ahead if the kernel's has slowed down.
                let error = watch.mono();
                assert!(error.abs() <= worst + ALLOWED, "{error}");
                assert!(watch.wall().abs() <= worst + ALLOWED);
                watch.pass(5 * MICROSECOND);
            }
            watch.recover(MILLISECOND);
            assert!(watch.offset - begun <= worst + ALLOWED);
            watch.run(5 * MILLISECOND, 100 * MICROSECOND, 0);
        }
        assert!(watch.clock.is_counting());
    }
}

#[test]
fn the_counter_drifts() {
    let mut watch = Watch::settled(World::new(5));
    for _ in 0..200 {
        // 20 ppm in a second, like a machine that warms up.
        watch.world().frequency += 1;
        watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
    }
    assert!(watch.worst_mono < 200, "{}", watch.worst_mono);
    assert_eq!(watch.clock.events().unwrap().jumps, 0);
}

#[test]
fn steps_of_the_wall_are_seen_within_the_delay() {
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        for step in [1, -1, 1_000, -3_600, 1_000_000_000, -1_000_000_000] {
            let step = step * 10 * MICROSECOND;
            watch.world().ahead += step;
            let stepped = watch.world().mono;
            let shift = i64::try_from(step / NANOSECOND).unwrap();
            loop {
                // Monotonic time does not notice the step. Wall is right, or right for a clock
                // without the step.
                assert!(watch.mono().abs() <= ALLOWED);
                let error = watch.wall();
                if watch.world().mono > stepped + delay() + MICROSECOND {
                    assert!(error.abs() <= ALLOWED, "{error} after a step of {shift}");
                    break;
                }
                assert!(error.abs() <= ALLOWED || (error + shift).abs() <= ALLOWED, "{error}");
                watch.pass(10 * MICROSECOND);
            }
            watch.run(5 * MILLISECOND, 100 * MICROSECOND, 0);
        }
        assert_eq!(watch.clock.events().unwrap().steps, 6);
    }
}

#[test]
fn the_counter_goes_back() {
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        // Further back than the segment is old.
        for back in [3 * MILLISECOND, SECOND, 1_800 * SECOND] {
            watch.run(4 * MILLISECOND, 100 * MICROSECOND, 0);
            let frequency = watch.world().frequency;
            // Not below zero.
            let back = back.min(watch.world().counter / frequency * 1_000 - SECOND);
            watch.world().counter -= back * frequency / 1_000;
            let error = watch.mono();
            assert!((0..2_000_000).contains(&error), "Mono jumps by {error}");
            assert!(watch.wall().abs() <= ALLOWED);
            watch.recover(2 * MILLISECOND);
            watch.run(SECOND, 10 * MILLISECOND, 0);
            watch.run(9 * SECOND, 10 * MILLISECOND, 0);
            assert!(watch.clock.is_counting());
        }
        assert_eq!(watch.clock.events().unwrap().jumps, 3);
    }
}

#[test]
fn the_counter_goes_back_by_less_than_a_segment() {
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        for back in [10, 100, 400, 900] {
            let lost = back * MICROSECOND;
            {
                let mut world = watch.world();
                let frequency = world.frequency;
                world.counter -= lost * frequency / 1_000;
            }
            // The clock cannot notice it before somebody reads. Then it is right again.
            watch.latest = i64::MIN;
            let until = watch.world().mono + delay() + lost;
            while watch.world().mono < until {
                let error = watch.mono();
                let most = i64::try_from(lost / NANOSECOND).unwrap() + ALLOWED;
                // If a count is before the segment, the clock continues after the segment's end.
                let ahead = i64::try_from(delay() / NANOSECOND).unwrap() + ALLOWED;
                assert!((-most..=ahead).contains(&error), "{error}");
                watch.pass(10 * MICROSECOND);
            }
            watch.recover(2 * MILLISECOND);
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
        }
    }
}

#[test]
fn the_counter_leaps_ahead() {
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        for leap in [20 * MICROSECOND, 900 * MICROSECOND, SECOND, 86_400 * SECOND] {
            let frequency = watch.world().frequency;
            watch.world().counter += leap * frequency / 1_000;
            let most = i64::try_from(leap.min(delay()) / NANOSECOND).unwrap();
            let until = watch.world().mono + delay();
            let jumps = watch.clock.events().unwrap().jumps;
            while watch.world().mono < until && watch.clock.events().unwrap().jumps == jumps {
                let error = watch.mono();
                assert!((-ALLOWED..=most + ALLOWED).contains(&error), "{error}");
                watch.pass(10 * MICROSECOND);
            }
            // If the clock is ahead, it does not stand still until the kernel's clock has caught
            // up.
            let before = watch.clock.mono();
            watch.pass(100 * MICROSECOND);
            assert!(watch.clock.mono() - before >= 100_000 - 2 * ALLOWED);
            watch.recover(2 * MILLISECOND);
            assert!(watch.offset <= 4 * (most + ALLOWED));
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
            assert!(watch.clock.is_counting());
        }
    }
}

#[test]
fn the_counter_runs_at_another_rate() {
    // On another machine, after a migration.
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        for frequency in [3_100_000, 2_100_000, 2_100_100, 2_600_000] {
            watch.world().frequency = frequency;
            watch.recover(3 * MILLISECOND);
            watch.run(20 * MILLISECOND, 100 * MICROSECOND, 0);
            assert!(watch.clock.is_counting());
        }
    }
}

#[test]
fn the_machine_sleeps() {
    // The counter continues, stands still, or starts from zero; the monotonic clock stands still;
    // wall time continues.
    for (seed, counter) in [(1, "on"), (2, "stands"), (3, "anew")] {
        let mut watch = Watch::settled(World::new(seed));
        watch.pass(700 * SECOND);
        watch.run(5 * MILLISECOND, 100 * MICROSECOND, 0);
        let slept = 600 * SECOND;
        {
            let mut world = watch.world();
            world.ahead += slept;
            match counter {
                "on" => world.counter += slept * world.frequency / 1_000,
                "anew" => world.counter = 1_000_000,
                _ => {}
            }
        }
        let error = watch.mono();
        assert!((-ALLOWED..2_000_000).contains(&error), "{counter}: {error}");
        watch.pass(delay());
        watch.mono();
        assert!(watch.wall().abs() <= ALLOWED, "{counter}");
        watch.recover(2 * MILLISECOND);
        watch.run(2 * SECOND, MILLISECOND, 0);
        assert!(watch.clock.is_counting(), "{counter}");
    }
}

#[test]
fn a_counter_that_the_kernel_does_not_use_is_not_used() {
    let mut world = World::new(1);
    world.trusted = false;
    let mut watch = Watch::new(world);
    watch.run(3 * SECOND, MILLISECOND, 0);
    assert_eq!((watch.worst_mono, watch.worst_wall), (0, 0));
    assert!(!watch.clock.is_counting());
    assert_eq!(watch.world().questions, 1);
}

#[test]
fn the_kernel_loses_its_trust() {
    for seed in 0..20 {
        let mut watch = Watch::settled(World::new(seed));
        watch.world().trusted = false;
        watch.run(SECOND + 3 * MILLISECOND, MILLISECOND / 2, 0);
        assert!(!watch.clock.is_counting());
        watch.run(SECOND, MILLISECOND, 0);
        assert_eq!(watch.wall(), 0);
        assert_eq!(watch.world().questions, 2);
    }
}

#[test]
fn it_is_asked_once_in_a_second() {
    let mut watch = Watch::settled(World::new(9));
    watch.run(5 * SECOND, MILLISECOND, 0);
    let questions = watch.world().questions;
    assert!((5..=7).contains(&questions), "{questions}");
}

#[test]
fn all_of_it() {
    for seed in 0..150 {
        let mut world = World::new(seed);
        world.stalls = 5 * MILLISECOND;
        world.once_in = 200;
        let mut watch = Watch::new(world);
        for _ in 0..60 {
            {
                let mut world = watch.world();
                let frequency = world.frequency;
                match world.random.below(8) {
                    0 => world.rate = 1_000_000 + world.random.below(1_001) - 500,
                    1 => world.ahead += world.random.some(100 * SECOND),
                    2 => world.ahead -= world.random.some(SECOND),
                    3 => world.counter += world.random.some(SECOND) * frequency / 1_000,
                    4 => {
                        let back = 3 * MILLISECOND + world.random.some(SECOND);
                        world.counter =
                            (world.counter - back * frequency / 1_000).max(1_000_000_000);
                    }
                    5 => world.frequency = 2_000_000 + world.random.below(2_000_000),
                    6 => world.process += 1,
                    _ => {}
                }
            }
            // Time never goes back, whatever happens. A wrong counter cannot mislead the clock for
            // longer than this loop.
            for _ in 0..200 {
                watch.mono();
                watch.wall();
                let mut world = watch.world();
                let some = world.random.some(300 * MICROSECOND);
                world.pass(some);
            }
        }
        watch.world().stalls = 0;
        watch.world().rate = 1_000_000;
        watch.recover(20 * MILLISECOND);
        watch.run(50 * MILLISECOND, MILLISECOND, 0);
    }
}
