//! A lack of memory, for buffers whose size the input decides.
//!
//! The standard library ends the process if a vector cannot grow. Code that can return an error
//! reserves first and returns it. In the middle of a hot path [`make_room`] unwinds instead, as a
//! panic does but without a message, and whoever called the library reports it.

use std::collections::{HashMap, TryReserveError, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::panic::resume_unwind;

/// What unwinds if there is no memory.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

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
    if items.try_room(more).is_err() {
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
