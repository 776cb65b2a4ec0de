//! The time of the machine: the processor's time stamp counter and the kernel's clocks.

use crate::Source;

/// The source for programs.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

/// Whether the counter of the processor can be used, or why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// It runs at one rate, and the kernel uses it for its own time.
    Usable,
    /// The counter of this processor is not known here.
    Unknown,
    /// The processor does not guarantee that it runs at one rate.
    NotInvariant,
    /// The kernel keeps its time by something else, which means that it found the counter
    /// unreliable; or it does not say.
    NotTheKernels,
}

impl Counter {
    /// Asks the processor and the kernel.
    #[must_use]
    pub fn examine() -> Self {
        if !cfg!(target_arch = "x86_64") {
            Counter::Unknown
        } else if !is_invariant() {
            Counter::NotInvariant
        } else if !is_the_kernels() {
            Counter::NotTheKernels
        } else {
            Counter::Usable
        }
    }
}

/// CPUID 0x8000_0007, EDX bit 8 (Intel SDM volume 3, 19.17.1; AMD APM volume 3, appendix E.4.7).
#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn is_invariant() -> bool {
    false
}

/// The clock source that the kernel's own watchdog has left in use.
fn is_the_kernels() -> bool {
    use std::io::Read;
    let name = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let mut text = [0; 16];
    let read = std::fs::File::open(name).and_then(|mut file| file.read(&mut text));
    read.is_ok_and(|n| text[..n].trim_ascii_end() == b"tsc")
}

impl Source for System {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn counter(&self) -> u64 {
        // SAFETY: reading the counter touches nothing else. A process that may not read it could
        // not call `clock_gettime` either, which reads it too.
        unsafe { std::arch::x86_64::_rdtsc() }
    }

    /// The kernel does the same for `clock_gettime`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn counter_ordered(&self) -> u64 {
        // SAFETY: as above; the fence needs SSE2, which every x86-64 processor has.
        unsafe {
            std::arch::x86_64::_mm_lfence();
            std::arch::x86_64::_rdtsc()
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn counter(&self) -> u64 {
        0
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn counter_ordered(&self) -> u64 {
        0
    }

    #[inline]
    fn kernel_mono(&self) -> i64 {
        kernel(libc::CLOCK_MONOTONIC)
    }

    #[inline]
    fn kernel_wall(&self) -> i64 {
        kernel(libc::CLOCK_REALTIME)
    }

    fn is_trusted(&self) -> bool {
        Counter::examine() == Counter::Usable
    }

    fn process(&self) -> u32 {
        std::process::id()
    }
}

/// A clock of the kernel, in nanoseconds.
#[inline]
pub(crate) fn kernel(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is ours to write to. The call fails only for clocks that the kernel does not
    // have, and it has both of these.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
