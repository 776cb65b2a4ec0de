//! Dicts that have the same keys as an earlier one, in the same order: made as copies.
//!
//! The objects of a document mostly have the keys of others before them. To copy a dict that has
//! those keys, and to store the values in the copy, takes fewer instructions than to set
//! each value by its key. So a shape that occurs often gets a pattern, and all later dicts
//! of that shape are copies of it. Keys are compared by address: the builder keeps the short keys
//! that it has read, so that the same text is the same object.

use super::fill_entries;
use crate::plan::Pattern;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// For so many keys a copy pays. The plain way is faster for two and three, and nobody writes the
/// same hundred keys a million times.
const KEYS: std::ops::RangeInclusive<usize> = 4..=64;

/// How many shapes are known at a time.
const SHAPES: usize = 32;

/// A shape gets a pattern when it has occurred so often at its place, because making the pattern
/// costs as much as several dicts. Dicts of another shape with the same place count against it, so
/// that two shapes do not push each other out again and again.
const ENOUGH: u8 = 8;

/// The shapes of the dicts that a builder made.
#[derive(Default)]
pub(crate) struct Shapes(Option<Box<[Shape; SHAPES]>>);

/// What is known of a shape.
#[derive(Default)]
struct Shape {
    /// Made of the addresses of the keys. Another shape may have the same.
    signature: u64,
    known: Known,
    /// How often it occurred, less the dicts of other shapes at its place: at most `ENOUGH`.
    count: u8,
}

#[derive(Default)]
enum Known {
    /// It has no pattern yet.
    #[default]
    Seen,
    /// It has no pattern: a key repeats, say, or this version of CPython is not known.
    Unfit,
    /// Dicts of this shape are copies of this.
    Pattern(Pattern),
}

impl Shapes {
    /// A dict of keys and values that alternate. It takes over the values, but not the keys. None
    /// if there is no pattern for it (yet); null with an exception set if there is no memory.
    #[inline(always)]
    pub(super) fn make(
        &mut self,
        py: Python<'_>,
        pairs: &[[*mut ffi::PyObject; 2]],
    ) -> PyResult<Option<*mut ffi::PyObject>> {
        if KEYS.contains(&pairs.len()) { self.make_known(py, pairs) } else { Ok(None) }
    }

    /// Not inlined: dicts of few keys are frequent, and must not pay for this.
    #[inline(never)]
    fn make_known(
        &mut self,
        py: Python<'_>,
        pairs: &[[*mut ffi::PyObject; 2]],
    ) -> PyResult<Option<*mut ffi::PyObject>> {
        let signature = signature(pairs);
        let shapes = self.0.get_or_insert_default();
        let shape = &mut shapes[(signature >> 59) as usize % SHAPES];
        if shape.signature != signature {
            match shape.count.checked_sub(1) {
                Some(count) => shape.count = count,
                None => *shape = Shape { signature, ..Shape::default() },
            }
            return Ok(None);
        }
        shape.count = ENOUGH.min(shape.count + 1);
        match &shape.known {
            Known::Pattern(pattern) => return Ok(copy(py, pattern, pairs)),
            Known::Seen if shape.count == ENOUGH => shape.known = learn(py, pairs)?,
            Known::Seen | Known::Unfit => {}
        }
        Ok(None)
    }
}

/// A number for the keys in this order.
#[inline(always)]
fn signature(pairs: &[[*mut ffi::PyObject; 2]]) -> u64 {
    let mix = |mixed: u64, pair: &[*mut ffi::PyObject; 2]| {
        mixed.rotate_left(7) ^ (pair[0].addr() as u64 >> 4)
    };
    // The multiplier of Fibonacci hashing, which spreads to the upper bits.
    pairs.iter().fold(pairs.len() as u64, mix).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline(always)]
fn copy(
    py: Python<'_>,
    pattern: &Pattern,
    pairs: &[[*mut ffi::PyObject; 2]],
) -> Option<*mut ffi::PyObject> {
    let (offset, entries) = (pattern.offset?, pattern.entries()?);
    let is_same = entries.len() == pairs.len()
        && entries.iter().zip(pairs).all(|(entry, pair)| entry[0] == pair[0]);
    if !is_same {
        return None;
    }
    let dict = pattern.copy(py);
    if !dict.is_null() {
        // SAFETY: a copy of the pattern for which the offset was found, that nobody else has seen,
        // with as many entries as there are pairs.
        unsafe { fill_entries(dict, offset, pairs.iter().map(|pair| pair[1])) };
    }
    Some(dict)
}

#[cold]
#[inline(never)]
fn learn(py: Python<'_>, pairs: &[[*mut ffi::PyObject; 2]]) -> PyResult<Known> {
    let mut keys = Vec::with_capacity(pairs.len());
    for pair in pairs {
        // SAFETY: a key that the caller's stack owns.
        let (key, references) =
            unsafe { (Bound::from_borrowed_ptr(py, pair[0]), ffi::Py_REFCNT(pair[0])) };
        // A key that only the stack has, beside this, was made for this dict and will not come
        // again.
        let is_kept = references > 2;
        match key.cast_into_exact::<PyString>() {
            Ok(key) if is_kept => keys.push(key),
            _ => return Ok(Known::Unfit),
        }
    }
    let pattern = Pattern::new(py, &keys)?;
    Ok(if pattern.offset.is_some() { Known::Pattern(pattern) } else { Known::Unfit })
}
