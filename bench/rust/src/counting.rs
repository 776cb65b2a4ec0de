//! The allocator of the benchmark, which counts the bytes in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static ENABLED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ENABLED.load(Ordering::Relaxed) != 0 {
            IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ENABLED.load(Ordering::Relaxed) != 0 {
            IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `make` makes, and how many bytes more are in use with it: as asked for, without what the
/// allocator adds. Counted here only, since it would be part of every time otherwise.
pub fn counted<T>(make: impl FnOnce() -> T) -> (T, usize) {
    IN_USE.store(1 << 40, Ordering::Relaxed);
    ENABLED.store(1, Ordering::Relaxed);
    let made = make();
    ENABLED.store(0, Ordering::Relaxed);
    (made, IN_USE.load(Ordering::Relaxed) - (1 << 40))
}
