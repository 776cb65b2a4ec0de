//! Caches, so that a string that repeats is made once.
//!
//! There are two, both direct-mapped, and both compare bytes, never the hash alone. One holds the
//! keys of plain dicts, for the whole process. The other holds the values of one field of one run;
//! it measures whether it pays and switches itself off if not.

use super::text::new_ascii;
use crate::cpython::text::own_ascii;
use penstock_core::event::Text;
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::UnsafeCell;
use std::ptr;

/// Longer strings are rarely repeated and cost more to compare.
const LONGEST: usize = 32;

/// Spreads the length and the outer bytes of a short string over the bits of a word.
#[inline(always)]
fn spread(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let (head, tail) = match length {
        8.. => (word(&bytes[..8]), word(&bytes[length - 8..])),
        4..8 => (half(&bytes[..4]), half(&bytes[length - 4..])),
        _ => (bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
    };
    let mixed = (head ^ (length as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ tail.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    mixed ^ mixed >> 29
}

#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

#[inline(always)]
fn half(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, |four| u64::from(u32::from_le_bytes(four)))
}

/// Whether two short strings are equal, without a call.
#[inline(always)]
fn same(left: &[u8], right: &[u8]) -> bool {
    let length = left.len();
    if length != right.len() {
        return false;
    }
    match length {
        8..=16 => {
            word(&left[..8]) == word(&right[..8])
                && word(&left[length - 8..]) == word(&right[length - 8..])
        }
        4..8 => {
            half(&left[..4]) == half(&right[..4])
                && half(&left[length - 4..]) == half(&right[length - 4..])
        }
        _ => left == right,
    }
}

/// A direct-mapped table of ASCII strings: a new string replaces the old one.
struct Table<const SIZE: usize> {
    entries: [*mut ffi::PyObject; SIZE],
}

impl<const SIZE: usize> Table<SIZE> {
    /// The string with these bytes, cached or new: a new reference, and whether it was cached. Null
    /// with an exception set if there is no memory.
    #[inline(always)]
    fn get(&mut self, py: Python<'_>, bytes: &[u8]) -> (*mut ffi::PyObject, bool) {
        let hash = spread(bytes);
        let place = ((hash ^ hash >> 32) as usize) % SIZE;
        let entry = self.entries[place];
        if !entry.is_null() {
            // SAFETY: entries are ASCII strings made below, owned by this table.
            let found = unsafe { own_ascii(entry) };
            if same(found, bytes) {
                // SAFETY: the entry is alive, and `py` shows that the interpreter is attached.
                unsafe { ffi::Py_INCREF(entry) };
                return (entry, true);
            }
        }
        let fresh = new_ascii(py, bytes);
        if !fresh.is_null() {
            // SAFETY: as above; the table takes one reference and gives up its reference to the old
            // entry, a `str`, whose destruction runs no code.
            unsafe {
                ffi::Py_INCREF(fresh);
                ffi::Py_XDECREF(entry);
            }
            self.entries[place] = fresh;
        }
        (fresh, false)
    }
}

/// The keys of plain dicts, in one table for the whole process.
struct Keys(UnsafeCell<Table<2048>>);

// SAFETY: only reached through `key`, whose caller holds the interpreter's token. The module
// declares that it needs the interpreter lock, so no two threads are in there at once, and
// nothing in there runs Python code or gives up the lock.
unsafe impl Sync for Keys {}

static KEYS: Keys = Keys(UnsafeCell::new(Table { entries: [ptr::null_mut(); 2048] }));

/// A key of a plain dict: a new reference, with its hash computed. Null with an exception set if
/// there is no memory.
#[inline(always)]
pub(crate) fn key(py: Python<'_>, key: Text<'_>) -> *mut ffi::PyObject {
    let bytes = key.bytes();
    if !key.ascii || bytes.len() > LONGEST || bytes.len() < 2 {
        return super::text::new_str(py, key);
    }
    // SAFETY: see `Keys`.
    let table = unsafe { &mut *KEYS.0.get() };
    let (object, known) = table.get(py, bytes);
    if !known && !object.is_null() {
        // SAFETY: a live `str`; hashing one cannot fail, and stores the hash in it.
        unsafe { ffi::PyObject_Hash(object) };
    }
    object
}

/// After how many values a field cache measures whether it pays.
const TRIAL: u32 = 512;

/// The values of one field.
struct FieldCache {
    table: Table<256>,
    asked: u32,
    known: u32,
}

/// The caches of all fields of a run.
#[derive(Default)]
pub(crate) struct FieldCaches {
    fields: Vec<Slot>,
    /// Whether one of them is closed.
    closed: bool,
}

/// The state of one field's cache.
enum Slot {
    /// No cache yet, only a count of the values: small documents never pay for a cache.
    Waiting(u8),
    /// A cache.
    Open(Box<FieldCache>),
    /// A cache was tried and did not pay.
    Closed,
}

// SAFETY: the entries are owned references, which are not bound to a thread; they are touched
// only with the interpreter's token.
unsafe impl Send for FieldCaches {}

impl FieldCaches {
    /// With room for so many fields.
    pub(crate) fn new(fields: usize) -> Self {
        FieldCaches { fields: (0..fields).map(|_| Slot::Waiting(0)).collect(), closed: false }
    }

    /// Gives each closed cache another try, because another document comes.
    #[inline]
    pub(crate) fn reopen(&mut self) {
        if std::mem::take(&mut self.closed) {
            for field in &mut self.fields {
                if matches!(field, Slot::Closed) {
                    *field = Slot::Waiting(0);
                }
            }
        }
    }

    /// The string for a value of a field. A new reference, or null with an exception set.
    #[inline(always)]
    pub(crate) fn value(
        &mut self,
        py: Python<'_>,
        field: usize,
        text: Text<'_>,
    ) -> *mut ffi::PyObject {
        let bytes = text.bytes();
        if !text.ascii || bytes.len() > LONGEST || bytes.len() < 2 {
            return super::text::new_str(py, text);
        }
        match self.fields.get_mut(field) {
            Some(Slot::Open(cache)) => {
                let (object, known) = cache.table.get(py, bytes);
                cache.asked += 1;
                cache.known += u32::from(known);
                if cache.asked == TRIAL {
                    self.judge(py, field);
                }
                object
            }
            None | Some(Slot::Closed) => new_ascii(py, bytes),
            Some(Slot::Waiting(seen)) => {
                *seen += 1;
                if *seen == 16 {
                    self.open(field);
                }
                new_ascii(py, bytes)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn open(&mut self, field: usize) {
        let table = Table { entries: [ptr::null_mut(); 256] };
        self.fields[field] = Slot::Open(Box::new(FieldCache { table, asked: 0, known: 0 }));
    }

    /// Closes a cache that knew fewer than a third of the values it was asked for; lets the others
    /// go on until the next judgement.
    #[cold]
    #[inline(never)]
    fn judge(&mut self, _py: Python<'_>, field: usize) {
        if let Slot::Open(cache) = &mut self.fields[field] {
            let pays = cache.known * 3 >= cache.asked;
            (cache.asked, cache.known) = (0, 0);
            if !pays {
                self.fields[field] = Slot::Closed;
                self.closed = true;
            }
        }
    }
}

impl Drop for FieldCache {
    fn drop(&mut self) {
        Python::attach(|_py| {
            for entry in self.table.entries {
                // SAFETY: the cache owns one reference to each entry that is not null, and the
                // interpreter is attached.
                unsafe { ffi::Py_XDECREF(entry) };
            }
        });
    }
}
