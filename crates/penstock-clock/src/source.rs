//! The sources of a clock: a counter that is fast, and the kernel's clocks, which are right.

/// A counter and two clocks.
///
/// Programs use [`System`](crate::System). Tests bring their own, with clocks that step and slew
/// and a counter that runs backwards.
pub trait Source {
    /// The counter. The processor may read it a little before the instructions before this call,
    /// and a little after those that follow it.
    fn counter(&self) -> u64;

    /// The counter, read after all instructions before this call are done.
    fn counter_ordered(&self) -> u64;

    /// Nanoseconds of a clock that never goes back, whichever thread asks.
    fn kernel_mono(&self) -> i64;

    /// Nanoseconds since 1970 in UTC, as the system has them.
    fn kernel_wall(&self) -> i64;

    /// Whether the counter can be used at all. The clock asks before it uses the counter for the
    /// first time, and then once a second.
    fn is_trusted(&self) -> bool;

    /// A number that distinguishes this process from the one that it was forked from.
    fn process(&self) -> u32;
}
