//! Room on the stack for the release of deep values.
//!
//! CPython releases a list in a list in a list by calls within calls: 3.13 until some thousands are
//! open, 3.14 until little of the stack is left; versions before them, until fifty are open. The
//! kernel enlarges the stack of the main thread when a call needs more, and ends the process if there
//! is no memory for it, which nobody can catch. So whoever allows deep documents gets the stack
//! beforehand, or `MemoryError`.

#[cfg(not(all(target_os = "linux", target_env = "gnu", Py_3_13)))]
pub(crate) fn make_room(_depth: usize) -> pyo3::PyResult<()> {
    Ok(())
}

#[cfg(all(target_os = "linux", target_env = "gnu", Py_3_13))]
pub(crate) use stack::make_room;

#[cfg(all(target_os = "linux", target_env = "gnu", Py_3_13))]
mod stack {
    use pyo3::PyResult;
    use pyo3::exceptions::PyMemoryError;
    use std::cell::Cell;
    use std::ffi::{c_int, c_ulong, c_void};
    use std::hint::black_box;
    use std::ptr::null_mut;

    /// Documents of this depth take little of the stack.
    const SHALLOW: usize = 5_000;
    /// About what the calls for one level take, if it is an object with a dict.
    const LEVEL: usize = 512;
    /// More than this is not made, however large a stack may grow: the usual size of one.
    const MOST: usize = 8 << 20;
    /// What is left alone at the end of the stack.
    const SPARE: usize = 64 << 10;
    /// What one call of [`touch`] uses.
    const FRAME: usize = 64 << 10;

    unsafe extern "C" {
        fn pthread_self() -> c_ulong;
        fn pthread_getattr_np(thread: c_ulong, attributes: *mut c_void) -> c_int;
        fn pthread_attr_getstack(
            attributes: *const c_void,
            lowest: *mut *mut c_void,
            size: *mut usize,
        ) -> c_int;
        fn pthread_attr_destroy(attributes: *mut c_void) -> c_int;
    }

    thread_local! {
        /// The depth for which the stack of this thread was made last.
        static MADE: Cell<usize> = const { Cell::new(0) };
    }

    /// Enlarges the stack of this thread for values of so many levels.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn make_room(depth: usize) -> PyResult<()> {
        if depth <= SHALLOW.max(MADE.get()) {
            return Ok(());
        }
        let bytes = depth.saturating_mul(LEVEL).min(MOST).min(left().saturating_sub(SPARE));
        // The kernel cannot refuse a stack as it can refuse this.
        let mut asked = Vec::<u8>::new();
        if asked.try_reserve_exact(bytes).is_err() {
            return Err(PyMemoryError::new_err(()));
        }
        drop(asked);
        touch(bytes / FRAME);
        MADE.set(depth);
        Ok(())
    }

    /// How many bytes of the stack of this thread are below this call, at the most. None if it runs on
    /// another stack, as coroutines of some libraries do.
    fn left() -> usize {
        /// At least as large as `pthread_attr_t` on every processor.
        #[repr(C, align(16))]
        struct Attributes([u64; 16]);

        let mut attributes = Attributes([0; 16]);
        let here = (&raw const attributes).addr();
        let (mut lowest, mut size) = (null_mut::<c_void>(), 0);
        let place = (&raw mut attributes).cast::<c_void>();
        // SAFETY: the attributes have room, are filled by the first function, and are given back.
        let known = unsafe {
            if pthread_getattr_np(pthread_self(), place) != 0 {
                return 0;
            }
            let known = pthread_attr_getstack(place, &raw mut lowest, &raw mut size) == 0;
            pthread_attr_destroy(place);
            known
        };
        let below = here.checked_sub(lowest.addr()).filter(|below| known && *below < size);
        below.unwrap_or_default()
    }

    /// Uses so many frames of the stack.
    #[inline(never)]
    fn touch(frames: usize) {
        let mut frame = [0_u8; FRAME];
        black_box(&mut frame);
        if frames > 0 {
            touch(frames - 1);
        }
        black_box(&mut frame);
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn the_stack_is_used_up_to_its_end() {
            super::make_room(usize::MAX).expect("memory");
            super::make_room(usize::MAX).expect("memory");
            assert_eq!(super::MADE.get(), usize::MAX);
        }
    }
}
