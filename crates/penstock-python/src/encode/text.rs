//! The text of a `str`.

use super::Stop;
use penstock_core::event::Text;
use penstock_scan::TextBuf;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The text of a `str`: in place if it is ASCII, else converted into `scratch`. CPython would keep
/// UTF-8 that it makes beside the string for as long as that lives.
#[inline(always)]
pub(super) fn text_of<'a>(
    text: &'a Bound<'_, PyString>,
    scratch: &'a mut TextBuf,
) -> Result<Text<'a>, Stop> {
    match ascii_of(text) {
        Some(text) => Ok(text),
        None => converted(text, scratch),
    }
}

/// The text of a `str` that is ASCII. Ask for it first where every nanosecond counts: the parts of
/// this stay in registers, and those of the result of [`text_of`] do not.
#[inline(always)]
pub(super) fn ascii_of<'a>(text: &'a Bound<'_, PyString>) -> Option<Text<'a>> {
    let object = text.as_ptr();
    // SAFETY: a `str`, which is complete in all supported versions of CPython.
    let (ascii, length) = unsafe {
        (ffi::PyUnicode_IS_COMPACT_ASCII(object) != 0, ffi::PyUnicode_GET_LENGTH(object))
    };
    if !ascii {
        return None;
    }
    // SAFETY: the bytes of an ASCII string stand behind its head and never change while it lives,
    // and ASCII is UTF-8.
    let text = unsafe {
        let data = ffi::PyUnicode_DATA(object).cast::<u8>();
        std::str::from_utf8_unchecked(std::slice::from_raw_parts(data, length as usize))
    };
    Some(Text { text: text.into(), ascii: true })
}

#[inline(never)]
fn converted<'a>(text: &Bound<'_, PyString>, scratch: &'a mut TextBuf) -> Result<Text<'a>, Stop> {
    let object = text.as_ptr();
    // SAFETY: as in `ascii_of`.
    let length = unsafe { ffi::PyUnicode_GET_LENGTH(object) } as usize;
    scratch.clear();
    // SAFETY: a `str` has so many units of the width that its kind says, and they do not change
    // while it lives.
    let is_text = unsafe {
        let data = ffi::PyUnicode_DATA(object);
        match ffi::PyUnicode_KIND(object) {
            ffi::PyUnicode_1BYTE_KIND => {
                push(std::slice::from_raw_parts(data.cast::<u8>(), length), scratch)
            }
            ffi::PyUnicode_2BYTE_KIND => {
                push(std::slice::from_raw_parts(data.cast::<u16>(), length), scratch)
            }
            _ => push(std::slice::from_raw_parts(data.cast::<u32>(), length), scratch),
        }
    };
    if !is_text {
        return Err(Stop::misfit("the str has a lone surrogate, which no encoding has"));
    }
    Ok(Text { text: scratch.text(), ascii: false })
}

/// Appends characters. False if one of them is a surrogate.
fn push<U: Copy + Into<u32>>(units: &[U], scratch: &mut TextBuf) -> bool {
    for &unit in units {
        match char::from_u32(unit.into()) {
            Some(char) => scratch.push_char(char),
            None => return false,
        }
    }
    true
}

/// A copy of a text's bytes.
///
/// # Errors
/// If there is no memory.
pub(super) fn copied(text: &[u8]) -> PyResult<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(text.len()).map_err(|_| PyMemoryError::new_err(()))?;
    copy.extend_from_slice(text);
    Ok(copy)
}
