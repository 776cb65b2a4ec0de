//! Arithmetic at the limits.

use crate::{Mono, Wall};
use std::time::{Duration, SystemTime};

#[test]
fn moments_are_subtracted() {
    let (early, late) = (Mono::from_nanos(-5), Mono::from_nanos(7));
    assert_eq!(late - early, Duration::from_nanos(12));
    assert_eq!(early - late, Duration::ZERO);
    let (first, last) = (Mono::from_nanos(i64::MIN), Mono::from_nanos(i64::MAX));
    assert_eq!(last - first, Duration::from_nanos(u64::MAX));
    assert_eq!(last + Duration::MAX, last);
    assert_eq!(first - Duration::MAX, first);
    assert_eq!(late - Duration::from_nanos(12), early);
}

#[test]
fn the_time_of_day_is_before_1970_too() {
    let wall = Wall::from_nanos(-1_500_000_000);
    assert_eq!(SystemTime::from(wall), SystemTime::UNIX_EPOCH - Duration::from_millis(1_500));
    assert_eq!(
        SystemTime::from(Wall::from_nanos(1)),
        SystemTime::UNIX_EPOCH + Duration::from_nanos(1)
    );
    assert_eq!(Wall::from_nanos(3).nanos_since(Wall::from_nanos(5)), -2);
    assert_eq!(Wall::from_nanos(i64::MIN).nanos_since(Wall::from_nanos(1)), i64::MIN);
    assert_eq!(Wall::from_nanos(3) - Duration::from_nanos(5), Wall::from_nanos(-2));
}

#[test]
fn the_machines_own() {
    let system = SystemTime::now();
    let wall = SystemTime::from(Wall::now());
    let off = wall.duration_since(system).unwrap_or_else(|error| error.duration());
    assert!(off < Duration::from_secs(60), "{off:?}");
    let begun = Mono::now();
    let mut latest = begun;
    for _ in 0..100_000 {
        let now = Mono::now();
        assert!(now >= latest);
        latest = now;
    }
    assert!(begun.elapsed() >= latest - begun);
}
