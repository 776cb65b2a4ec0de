//! The time in nanoseconds.
//!
//! [`Wall`] is the time of the day, [`Mono`] the time that passes. On x86-64, where the kernel itself
//! keeps its time by the processor's counter, reading one is one read of that counter and a
//! multiplication; everywhere else it is `clock_gettime`. There is no thread and nothing to set up.
//!
//! A line is laid through the kernel's clocks and followed for a millisecond ([`Clock`] says how);
//! whoever comes later looks at them again. [`BOUND`] is how far it can be off.

mod clock;
mod keeper;
mod segment;
mod source;
mod system;
#[cfg(test)]
mod tests;
mod time;
mod word;

pub use clock::Clock;
pub use keeper::Events;
pub use source::Source;
pub use system::{Counter, System};
pub use time::{CLOCK, Mono, Wall};

use std::time::Duration;

/// How far [`Wall`] and [`Mono`] are off the kernel's clocks at most, as long as the rate of these
/// changes by no more than 500 ppm at a time, which is all that NTP asks for.
///
/// Half a look at the kernel's clocks (250 ns) and 500 ppm of the 1.25 ms that a segment lasts at
/// most, over the three quarters of an error that are gone when it ends. A change of the rate by r
/// adds r times 1.25 ms until it is seen. A step of the system's time is seen by [`Wall`] at the next
/// look, one millisecond later at most; [`Mono`] does not see it at all.
pub const BOUND: Duration = Duration::from_nanos(1_500);

/// How long a step of the system's time may go unseen by [`Wall`].
pub const DELAY: Duration = Duration::from_nanos(keeper::END.unsigned_abs());
