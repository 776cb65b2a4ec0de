//! The atomic words that threads share.
//!
//! All of them are 64 bits wide. In tests, another thread may run at each access (see
//! `tests/interleaving.rs`).

use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic word.
#[derive(Debug)]
pub(crate) struct Word(AtomicU64);

impl Word {
    pub(crate) const fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    #[inline(always)]
    pub(crate) fn relaxed(&self) -> u64 {
        pause();
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn signed(&self) -> i64 {
        self.relaxed().cast_signed()
    }

    #[inline(always)]
    pub(crate) fn acquire(&self) -> u64 {
        pause();
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn set_relaxed(&self, value: u64) {
        pause();
        self.0.store(value, Ordering::Relaxed);
    }

    pub(crate) fn set_signed(&self, value: i64) {
        self.set_relaxed(value.cast_unsigned());
    }

    pub(crate) fn set_release(&self, value: u64) {
        pause();
        self.0.store(value, Ordering::Release);
    }

    /// A store in the single order of all sequentially consistent accesses.
    pub(crate) fn set_in_order(&self, value: u64) {
        pause();
        self.0.store(value, Ordering::SeqCst);
    }

    /// Replaces `old` by `new`; otherwise returns the present value.
    pub(crate) fn replace(&self, old: u64, new: u64) -> Result<(), u64> {
        pause();
        self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }
}

#[cfg(not(test))]
#[inline(always)]
fn pause() {}

#[cfg(test)]
use crate::tests::pause;
