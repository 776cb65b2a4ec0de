//! A lack of memory, for buffers whose size the input decides.
//!
//! The standard library ends the process if a vector cannot grow. Code that can return an error
//! reserves first and returns it. In the middle of a hot path [`make_room`] unwinds instead, as a
//! panic does but without a message, and whoever called the library reports it.

use std::collections::{HashMap, TryReserveError, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What unwinds if there is no memory.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

/// Whether an allocator with a reserve has served a request from it.
static SHORT: AtomicBool = AtomicBool::new(false);
/// What fills the reserve again, and returns false if there is no memory for that.
static REFILL: OnceLock<fn() -> bool> = OnceLock::new();

/// An allocator with a reserve calls this once. `refill` is asked where work can end, after the
/// reserve was used: it returns true if there is a whole reserve again.
pub fn keep_reserve_with(refill: fn() -> bool) {
    let _ = REFILL.set(refill);
}

/// An allocator says that its reserve is used, or whole again.
pub fn set_short(short: bool) {
    SHORT.store(short, Ordering::Release);
}

/// Whether the reserve is used and there is no memory to fill it again.
///
/// Requests that may not fail are served from the reserve when memory has run out. Each of them is
/// small, so nothing would ever fail if a program keeps their results, until the reserve is gone and
/// the process with it. So whoever loops asks this, and ends with a lack of memory.
#[inline(always)]
pub fn is_short() -> bool {
    SHORT.load(Ordering::Relaxed) && !refilled()
}

/// Unwinds with [`OutOfMemory`] if the reserve is used and there is no memory to fill it again.
#[inline(always)]
pub fn check_reserve() {
    if SHORT.load(Ordering::Relaxed) && !refilled() {
        out_of_memory();
    }
}

#[cold]
#[inline(never)]
fn refilled() -> bool {
    REFILL.get().is_none_or(|refill| refill())
}

/// A buffer that grows: vectors, strings and tables.
pub trait Room {
    /// How many more items there is room for.
    fn left(&self) -> usize;
    /// Makes room for so many more items.
    ///
    /// # Errors
    /// If there is no memory; the buffer is unchanged.
    fn try_room(&mut self, more: usize) -> Result<(), TryReserveError>;
}

impl<T> Room for Vec<T> {
    #[inline(always)]
    fn left(&self) -> usize {
        self.capacity() - self.len()
    }
    fn try_room(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.try_reserve(more)
    }
}

impl Room for String {
    #[inline(always)]
    fn left(&self) -> usize {
        self.capacity() - self.len()
    }
    fn try_room(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.try_reserve(more)
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Room for HashMap<K, V, S> {
    #[inline(always)]
    fn left(&self) -> usize {
        self.capacity() - self.len()
    }
    fn try_room(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.try_reserve(more)
    }
}

impl<T> Room for VecDeque<T> {
    #[inline(always)]
    fn left(&self) -> usize {
        self.capacity() - self.len()
    }
    fn try_room(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.try_reserve(more)
    }
}

/// Makes room for so many more items. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// let mut items = vec![1, 2];
/// penstock_scan::make_room(&mut items, 3);
/// assert!(items.capacity() >= 5);
/// ```
#[inline(always)]
pub fn make_room<B: Room>(items: &mut B, more: usize) {
    if items.left() < more {
        grow(items, more);
    }
}

#[cold]
#[inline(never)]
fn grow<B: Room>(items: &mut B, more: usize) {
    // A request of little may have been served from the reserve, which is not for buffers.
    if items.try_room(more).is_err() || is_short() {
        out_of_memory();
    }
}

/// Appends an item. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// let mut items = vec![1, 2];
/// penstock_scan::append(&mut items, 3);
/// assert_eq!(items, [1, 2, 3]);
/// ```
#[inline(always)]
pub fn append<T>(items: &mut Vec<T>, item: T) {
    make_room(items, 1);
    let length = items.len();
    // SAFETY: there is room for one more. `Vec::push` would look for it again.
    unsafe {
        items.as_mut_ptr().add(length).write(item);
        items.set_len(length + 1);
    }
}

/// So many equal items. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// assert_eq!(penstock_scan::filled(7, 3), [7, 7, 7]);
/// ```
#[must_use]
pub fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    let mut items = Vec::new();
    make_room(&mut items, count);
    items.resize(count, item);
    items
}

/// All items of an iterator. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// assert_eq!(penstock_scan::gathered(1..4), [1, 2, 3]);
/// ```
pub fn gathered<T>(from: impl IntoIterator<Item = T>) -> Vec<T> {
    let from = from.into_iter();
    let mut items = Vec::new();
    make_room(&mut items, from.size_hint().0);
    for item in from {
        make_room(&mut items, 1);
        items.push(item);
    }
    items
}

/// A copy of a text. If there is no memory, it unwinds with [`OutOfMemory`].
///
/// ```
/// assert_eq!(penstock_scan::copied("text"), "text");
/// ```
#[must_use]
pub fn copied(text: &str) -> String {
    let mut copy = String::new();
    make_room(&mut copy, text.len());
    copy.push_str(text);
    copy
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
