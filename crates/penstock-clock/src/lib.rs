//! The time in nanoseconds.
//!
//! [`Wall`] is the time of day, [`Mono`] is elapsed time. On x86-64, if the kernel itself keeps its
//! time by the processor's counter, reading one is one read of that counter and a multiplication.
//! Everywhere else it is `clock_gettime`. There is no thread and nothing to set up.
//!
//! The clock lays a line through the kernel's clocks and follows it for a millisecond ([`Clock`]
//! says how). The next caller after that compares again. [`BOUND`] is the greatest error.

#[cfg(not(unix))]
compile_error!("Penstock runs on Linux and macOS: its clock reads the clocks of Unix");

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

/// The greatest difference of [`Wall`] and [`Mono`] from the kernel's clocks, as long as their rate
/// changes by at most 500 ppm at a time, the most that NTP asks for.
///
/// It is half a comparison with the kernel's clocks (250 ns) and 500 ppm of the 1.25 ms that a
/// segment lasts at most, over the three quarters of an error that are gone when it ends. A change
/// of the rate by r adds r times 1.25 ms until the clock notices it. [`Wall`] notices a step of the
/// system's time at the next comparison, one millisecond later at most; [`Mono`] never does.
pub const BOUND: Duration = Duration::from_nanos(1_500);

/// How long [`Wall`] may take to notice a step of the system's time.
pub const DELAY: Duration = Duration::from_nanos(keeper::END.unsigned_abs());
