//! The two kinds of time.

use crate::{Clock, System};
use std::ops::{Add, Sub};
use std::time::{Duration, SystemTime};

/// The clock of the process.
pub static CLOCK: Clock<System> = Clock::new(System);

/// A moment of elapsed time: never earlier than one taken before it.
///
/// Nanoseconds since some moment that stays the same while the process runs. Like the kernel's
/// `CLOCK_MONOTONIC`, whose rate it has, it does not count the time that a machine sleeps. You may
/// subtract two moments, which gives a [`Duration`]; they say nothing about the time of day.
///
/// # Example
/// ```
/// use penstock_clock::Mono;
///
/// let begun = Mono::now();
/// let passed = Mono::now() - begun;
/// assert!(passed < std::time::Duration::from_secs(3600));
/// ```
///
/// ```compile_fail
/// let nonsense = penstock_clock::Wall::now() - penstock_clock::Mono::now();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mono(i64);

impl Mono {
    /// The present moment. It is at or after each moment that another thread took before it handed
    /// something to this one.
    #[must_use]
    #[inline]
    pub fn now() -> Self {
        Mono(CLOCK.mono())
    }

    /// The present moment, read without waiting for the instructions before: some nanoseconds
    /// cheaper. Between threads, moments may be out of order by that much.
    #[must_use]
    #[inline]
    pub fn now_relaxed() -> Self {
        Mono(CLOCK.mono_relaxed())
    }

    /// Nanoseconds since a moment that is the same for the whole process.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The moment this many nanoseconds after the one that `as_nanos` counts from.
    #[must_use]
    pub const fn from_nanos(nanoseconds: i64) -> Self {
        Mono(nanoseconds)
    }

    /// How long ago it was.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Mono::now() - self
    }
}

impl Sub for Mono {
    type Output = Duration;

    /// The time from `earlier` to here; nothing, if `earlier` is the later one.
    fn sub(self, earlier: Mono) -> Duration {
        let passed = i128::from(self.0) - i128::from(earlier.0);
        Duration::from_nanos(u64::try_from(passed).unwrap_or(0))
    }
}

impl Add<Duration> for Mono {
    type Output = Mono;

    /// The moment that much later; the last possible one, if that is beyond it.
    fn add(self, time: Duration) -> Mono {
        Mono(self.0.saturating_add(nanoseconds(time)))
    }
}

impl Sub<Duration> for Mono {
    type Output = Mono;

    fn sub(self, time: Duration) -> Mono {
        Mono(self.0.saturating_sub(nanoseconds(time)))
    }
}

/// A moment of the time of day: nanoseconds since 1970 in UTC, without leap seconds.
///
/// It follows the system's time, so it may go back when that is set. It works until the year 2262.
///
/// # Example
/// ```
/// use penstock_clock::Wall;
/// use std::time::{Duration, SystemTime};
///
/// let now = Wall::now();
/// assert!(now > Wall::from_nanos(1_700_000_000_000_000_000));
/// assert_eq!((now + Duration::from_micros(5)).nanos_since(now), 5_000);
/// assert!(SystemTime::from(now) > SystemTime::UNIX_EPOCH);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wall(i64);

impl Wall {
    /// The present moment.
    #[must_use]
    #[inline]
    pub fn now() -> Self {
        Wall(CLOCK.wall())
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The moment this many nanoseconds after 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_nanos(nanoseconds: i64) -> Self {
        Wall(nanoseconds)
    }

    /// Nanoseconds from `other` to here by the system's time, which may have been set meanwhile;
    /// negative if `other` is later.
    #[must_use]
    pub const fn nanos_since(self, other: Wall) -> i64 {
        self.0.saturating_sub(other.0)
    }
}

impl Add<Duration> for Wall {
    type Output = Wall;

    /// The moment that much later; the last possible one, if that is beyond it.
    fn add(self, time: Duration) -> Wall {
        Wall(self.0.saturating_add(nanoseconds(time)))
    }
}

impl Sub<Duration> for Wall {
    type Output = Wall;

    fn sub(self, time: Duration) -> Wall {
        Wall(self.0.saturating_sub(nanoseconds(time)))
    }
}

impl From<Wall> for SystemTime {
    fn from(wall: Wall) -> SystemTime {
        let distance = Duration::from_nanos(wall.0.unsigned_abs());
        if wall.0 < 0 {
            SystemTime::UNIX_EPOCH - distance
        } else {
            SystemTime::UNIX_EPOCH + distance
        }
    }
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
