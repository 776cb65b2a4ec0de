//! A lack of memory, for buffers whose size the input decides.
//!
//! The standard library ends the process if a vector cannot grow. Code that can return an error
//! reserves first and returns it. In the middle of a hot path [`make_room`] unwinds instead, as a
//! panic does but without a message, and whoever called the library reports it.

use std::panic::resume_unwind;

/// What unwinds if there is no memory.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

/// Makes room for so many more items. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// let mut items = vec![1, 2];
/// penstock_scan::make_room(&mut items, 3);
/// assert!(items.capacity() >= 5);
/// ```
#[inline(always)]
pub fn make_room<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        grow(items, more);
    }
}

#[cold]
#[inline(never)]
fn grow<T>(items: &mut Vec<T>, more: usize) {
    if items.try_reserve(more).is_err() {
        out_of_memory();
    }
}

/// Unwinds with [`OutOfMemory`].
#[cold]
#[inline(never)]
pub fn out_of_memory() -> ! {
    resume_unwind(Box::new(OutOfMemory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_unwinds() {
        let mut items = vec![0_u64; 3];
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            make_room(&mut items, usize::MAX / 16);
        }));
        assert!(caught.is_err_and(|what| what.is::<OutOfMemory>()));
        assert_eq!(items, [0, 0, 0]);
    }
}
