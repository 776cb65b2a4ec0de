//! Checked text to `str`.

use crate::cpython::text::{behind_ascii, behind_wide};
use penstock_core::event::Text;
use penstock_scan::{Width, shape, widen_latin1, widen_ucs2, widen_ucs4};
use pyo3::ffi;
use pyo3::prelude::*;
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// A new `str`, or the interpreter's own for the empty and the one-character ones. Null with an
/// exception set if there is no memory.
#[inline(always)]
pub(crate) fn new_str(py: Python<'_>, text: Text<'_>) -> *mut ffi::PyObject {
    if text.ascii { new_ascii(py, text.bytes()) } else { new_wide(py, text) }
}

/// A new `str` of ASCII bytes.
#[inline(always)]
pub(crate) fn new_ascii(_py: Python<'_>, bytes: &[u8]) -> *mut ffi::PyObject {
    let length = bytes.len();
    if length <= 1 {
        // SAFETY: the pointer and length are a valid slice. For these lengths this call returns
        // the interpreter's shared objects.
        return unsafe {
            ffi::PyUnicode_FromStringAndSize(bytes.as_ptr().cast(), length as ffi::Py_ssize_t)
        };
    }
    // SAFETY: a fresh ASCII object has room for `length` bytes behind its header, and nobody else
    // has seen it yet.
    unsafe {
        let object = ffi::PyUnicode_New(length as ffi::Py_ssize_t, 127);
        if !object.is_null() {
            ptr::copy_nonoverlapping(bytes.as_ptr(), behind_ascii(object), length);
        }
        object
    }
}

/// A new `str` of text that may be beyond ASCII: counted and measured once, then written at its
/// final width.
#[inline(never)]
fn new_wide(py: Python<'_>, text: Text<'_>) -> *mut ffi::PyObject {
    if let Some(object) = new_short(text) {
        return object;
    }
    let found = shape(text.text);
    let greatest = match found.width {
        Width::Ascii => return new_ascii(py, text.bytes()),
        Width::Latin1 => 0xFF,
        Width::Ucs2 => 0xFFFF,
        Width::Ucs4 => 0x10_FFFF,
    };
    // SAFETY: a fresh object of this width has `chars` units behind its header (not the ASCII
    // one, as the greatest character is beyond ASCII), aligned for the unit, and nobody else has
    // seen it yet. `shape` counted the characters that the kernels write; they write all of them.
    unsafe {
        let object = ffi::PyUnicode_New(found.chars as ffi::Py_ssize_t, greatest);
        if object.is_null() {
            return object;
        }
        let data = behind_wide(object);
        let chars = found.chars;
        let written = match found.width {
            Width::Ascii | Width::Latin1 => {
                let out = slice::from_raw_parts_mut(data.cast::<MaybeUninit<u8>>(), chars);
                widen_latin1(text.text, out)
            }
            Width::Ucs2 => {
                let out = slice::from_raw_parts_mut(data.cast::<MaybeUninit<u16>>(), chars);
                widen_ucs2(text.text, out)
            }
            Width::Ucs4 => {
                let out = slice::from_raw_parts_mut(data.cast::<MaybeUninit<u32>>(), chars);
                widen_ucs4(text.text, out)
            }
        };
        debug_assert_eq!(written, chars);
        object
    }
}

/// Up to how many bytes a string is decoded before it is measured.
const SHORT: usize = 96;

/// A new `str` of a short text, decoded once into a buffer, which also shows its width. For so few
/// characters that is faster than measuring first. None if the text is longer, or has one of the
/// rare characters beyond U+FFFF.
#[inline(always)]
fn new_short(text: Text<'_>) -> Option<*mut ffi::PyObject> {
    if text.bytes().len() > SHORT {
        return None;
    }
    let mut units = [0_u16; SHORT];
    let (mut count, mut all) = (0, 0);
    // There are no more characters than bytes.
    for (unit, char) in units.iter_mut().zip(text.text.as_str().chars()) {
        *unit = u16::try_from(u32::from(char)).ok()?;
        all |= *unit;
        count += 1;
    }
    let greatest = if all < 0x80 {
        0x7F
    } else if all < 0x100 {
        0xFF
    } else {
        0xFFFF
    };
    // SAFETY: a fresh object of this width has `count` units behind its header, which is the
    // ASCII one exactly if the greatest character is, aligned for the unit; nobody else has seen it
    // yet, and all units are written. Each narrow unit fits a byte, as `all` shows.
    unsafe {
        let object = ffi::PyUnicode_New(count as ffi::Py_ssize_t, greatest);
        if object.is_null() {
            return Some(object);
        }
        let data = if greatest == 0x7F { behind_ascii(object) } else { behind_wide(object) };
        if greatest == 0xFFFF {
            ptr::copy_nonoverlapping(units.as_ptr(), data.cast::<u16>(), count);
        } else {
            for (index, &unit) in units[..count].iter().enumerate() {
                *data.add(index) = unit as u8;
            }
        }
        Some(object)
    }
}
