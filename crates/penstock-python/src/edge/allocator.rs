//! The allocator of the extension: the system's, with three additions.
//!
//! **Small requests are served from a reserve when memory has run out.** Large ones may fail, and end
//! in `MemoryError`. But the standard library ends the process if a small one fails. So some
//! megabytes are kept that nothing touches, and are given back piece by piece when requests fail,
//! which is enough for the way to the exception. Small pieces that a program keeps would use all of
//! it up without a failure. So wherever work can end, it is asked whether the reserve was used
//! ([`penstock_scan::check_reserve`]), and if it cannot be filled again, the work ends in `MemoryError`.
//!
//! **Large cleared memory is not touched.**
//! Decompressors ask for some megabytes of cleared memory for each member of a file, and use as
//! much of it as the member is long. The C library clears memory that it has used before by
//! writing to all of it. For a file of many small members that takes a thousand times as long as
//! reading them. The kernel clears a page when it is first used.
//!
//! **A test can let a large request fail.** No test could make the kernel refuse exactly the n-th
//! request. Small requests pay one comparison for that, and large ones a call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// From this size on the kernel clears. Only that of Linux does: on other systems, pages that are given back may
/// come with what was in them.
const LARGE: usize = if cfg!(target_os = "linux") { 1 << 20 } else { usize::MAX };
/// A multiple of the size of a page, on every machine.
const PAGES: usize = 64 << 10;
/// Linux: the pages are given back, and come as zeros when they are next used.
const MADV_DONTNEED: c_int = 4;

/// Linux 5.14: the pages get memory in one step.
#[cfg(target_os = "linux")]
const MADV_POPULATE_WRITE: c_int = 23;
/// The size of a page on most machines. On others the kernel refuses what is not at a page.
#[cfg(target_os = "linux")]
const PAGE: usize = 4 << 10;

/// Says that so many bytes are about to be written, perhaps for the first time.
///
/// Otherwise the processor stops at each new page and asks the kernel for it, which takes longer
/// than to copy a page of text.
///
/// # Safety
/// The memory is the caller's.
#[inline]
pub(crate) unsafe fn will_write(start: *mut u8, length: usize) {
    #[cfg(target_os = "linux")]
    {
        static UNKNOWN: AtomicBool = AtomicBool::new(false);
        if UNKNOWN.load(Ordering::Relaxed) {
            return;
        }
        let before = start.addr() % PAGE;
        // SAFETY: the first page holds a byte of the caller's too. No byte of any is changed.
        let refused = unsafe {
            let page = start.sub(before).cast();
            madvise(page, before + length, MADV_POPULATE_WRITE) != 0
        };
        if refused {
            UNKNOWN.store(true, Ordering::Relaxed);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, length);
}

unsafe extern "C" {
    fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
}

/// Up to this size requests are served from the reserve. It is never more than a few times what a
/// single step asks for that cannot fail.
const SMALL: usize = 64 << 10;
/// The reserve is many blocks, each of them large enough for a small request. They are given back one
/// after the other: whoever else asks for memory finds what is left of one block, and not megabytes.
const BLOCK: Layout = match Layout::from_size_align(2 * SMALL, 16) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u128>(),
};
const BLOCKS: usize = 32;

/// The blocks of the reserve, or null for each that is used.
static RESERVED: [AtomicPtr<u8>; BLOCKS] = [const { AtomicPtr::new(null_mut()) }; BLOCKS];

/// Takes the reserve for the first time.
pub(crate) fn keep_reserve() {
    penstock_scan::keep_reserve_with(fill_reserve);
    fill_reserve();
}

/// Takes again what was used of the reserve. False if there is no memory for that.
#[cold]
#[inline(never)]
fn fill_reserve() -> bool {
    for block in &RESERVED {
        if !block.load(Ordering::Relaxed).is_null() {
            continue;
        }
        // SAFETY: the layout has a size. Memory that another thread was faster to reserve is given back.
        unsafe {
            let memory = System.alloc(BLOCK);
            if memory.is_null() {
                return false;
            }
            let kept =
                block.compare_exchange(null_mut(), memory, Ordering::AcqRel, Ordering::Relaxed);
            if kept.is_err() {
                System.dealloc(memory, BLOCK);
            }
        }
    }
    penstock_scan::set_short(false);
    true
}

/// Gives a block of the reserve back to the system. False if all are used already.
#[cold]
#[inline(never)]
fn use_reserve() -> bool {
    penstock_scan::set_short(true);
    for block in &RESERVED {
        let memory = block.swap(null_mut(), Ordering::AcqRel);
        if !memory.is_null() {
            // SAFETY: `fill_reserve` allocated it with this layout, and whoever swaps it out owns it.
            unsafe { System.dealloc(memory, BLOCK) };
            return true;
        }
    }
    false
}

/// Makes a small request again and again, each time with a block of the reserve less.
#[cold]
#[inline(never)]
fn ask_again(size: usize, request: impl Fn() -> *mut u8) -> *mut u8 {
    while size <= SMALL && use_reserve() {
        let memory = request();
        if !memory.is_null() {
            return memory;
        }
    }
    null_mut()
}

/// From this size on a test can let a request fail. Smaller ones do not depend on how long a document
/// is, or are the beginning of a buffer that does.
const WATCHED: usize = 4 << 10;
/// The size from which on it does.
static LEAST: AtomicUsize = AtomicUsize::new(WATCHED);

/// The number of the watched request that fails, or zero, and how many there were since it was set.
static FAILING: AtomicUsize = AtomicUsize::new(0);
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// Let the n-th request from now on fail, of those of `least` bytes or more and never less than
/// 4 KiB; return how many of them there were since the last call. With zero, none fails and none is
/// counted. For tests.
#[pyo3::pyfunction]
#[pyo3(signature = (n, least, /))]
pub(crate) fn fail_request(n: usize, least: usize) -> usize {
    LEAST.store(least, Ordering::Relaxed);
    FAILING.store(n, Ordering::Relaxed);
    SEEN.swap(0, Ordering::Relaxed)
}

/// True if a test has this request fail. The reserve is not for it: it must do without.
#[inline]
fn refused(size: usize) -> bool {
    size >= WATCHED && is_failing(size)
}

#[cold]
#[inline(never)]
fn is_failing(size: usize) -> bool {
    let failing = FAILING.load(Ordering::Relaxed);
    failing != 0
        && size >= LEAST.load(Ordering::Relaxed)
        && SEEN.fetch_add(1, Ordering::Relaxed) + 1 == failing
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: everything is the system's allocator. Large cleared memory is its memory, cleared here. A
// request may fail at any time.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe {
            let memory = System.alloc(layout);
            if memory.is_null() {
                return ask_again(layout.size(), || System.alloc(layout));
            }
            memory
        }
    }
    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A buffer that shrinks stays where it is.
        if size > layout.size() && refused(size) {
            return null_mut();
        }
        // SAFETY: as above. If it fails, the old memory stays as it is.
        unsafe {
            let moved = System.realloc(memory, layout, size);
            if moved.is_null() {
                return ask_again(size, || System.realloc(memory, layout, size));
            }
            moved
        }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return null_mut();
        }
        // On macOS, pages that are given back may come with what they held.
        if layout.size() < LARGE || !cfg!(target_os = "linux") {
            // SAFETY: as above.
            return unsafe {
                let memory = System.alloc_zeroed(layout);
                if memory.is_null() {
                    return ask_again(layout.size(), || System.alloc_zeroed(layout));
                }
                memory
            };
        }
        // SAFETY: as above. If there is memory, it has that size.
        unsafe {
            let memory = System.alloc(layout);
            if !memory.is_null() {
                clear(memory, layout.size());
            }
            memory
        }
    }
}

/// Fills memory with zeros: whole pages by giving them back, the rest by writing.
///
/// # Safety
///
/// It is `size` bytes of the system's allocator, at least two times [`PAGES`], that nobody else
/// refers to.
#[cold]
unsafe fn clear(memory: *mut u8, size: usize) {
    let before = memory.addr().next_multiple_of(PAGES) - memory.addr();
    let pages = (size - before) / PAGES * PAGES;
    // SAFETY: both parts, and the pages between them, lie inside the memory. It is private and
    // anonymous, as the C library's always is, so the pages come back as zeros. If the kernel
    // refuses, as for locked memory, it has not touched them.
    unsafe {
        let first = memory.add(before);
        memory.write_bytes(0, before);
        if madvise(first.cast(), pages, MADV_DONTNEED) != 0 {
            first.write_bytes(0, pages);
        }
        first.add(pages).write_bytes(0, size - before - pages);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn large_memory_is_cleared_wherever_it_begins() {
        for size in [1 << 20, (1 << 20) + 1, (3 << 20) + 4_095, 8 << 20] {
            for _ in 0..4 {
                let mut used = vec![0_u8; size];
                assert!(used.iter().all(|byte| *byte == 0), "{size}");
                used.fill(7);
            }
        }
    }

    /// The memory of this process that is in use, in bytes.
    fn resident() -> usize {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
        let pages: usize = statm.split(' ').nth(1).expect("a field").parse().expect("a number");
        pages * 4096
    }

    #[test]
    fn large_memory_is_cleared_without_being_touched() {
        const SIZE: usize = 16 << 20;
        // Twice: the C library keeps memory of this size for later once some was released.
        drop(vec![1_u8; SIZE]);
        let used = vec![1_u8; SIZE];
        let with = resident();
        drop(used);
        let cleared = vec![0_u8; SIZE];
        assert!(resident() + SIZE / 2 < with);
        assert_eq!(cleared.last(), Some(&0));
    }
}
