//! What a clock reads: a counter that is fast, and the clocks of the kernel that are right.

/// A counter and two clocks.
///
/// [`System`](crate::System) is the one that programs use. Tests bring their own, whose clocks are
/// stepped and slewed and whose counter runs backwards.
pub trait Source {
    /// The counter. The processor may read it a little before what stands before this call in the
    /// program, and a little after what stands behind it.
    fn counter(&self) -> u64;

    /// The counter, read when all that stands before this call in the program is done.
    fn counter_ordered(&self) -> u64;

    /// Nanoseconds of a clock that never goes back, whichever thread asks.
    fn kernel_mono(&self) -> i64;

    /// Nanoseconds since 1970 in UTC, as the system has them.
    fn kernel_wall(&self) -> i64;

    /// Whether the counter can be used at all. Asked before it is used for the first time, and once
    /// in a second while it is.
    fn is_trusted(&self) -> bool;

    /// A number that tells this process from the one that it was forked from.
    fn process(&self) -> u32;
}
