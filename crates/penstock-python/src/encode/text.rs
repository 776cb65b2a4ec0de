//! The text of a `str`.

use super::Stop;
use crate::cpython::text::{Units, ascii};
use penstock_core::event::Text;
use penstock_scan::TextBuf;
use pyo3::exceptions::PyMemoryError;
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
    // SAFETY: a live `str`. ASCII is UTF-8.
    let text = unsafe { std::str::from_utf8_unchecked(ascii(text.as_ptr())?) };
    Some(Text { text: text.into(), ascii: true })
}

#[inline(never)]
fn converted<'a>(text: &Bound<'_, PyString>, scratch: &'a mut TextBuf) -> Result<Text<'a>, Stop> {
    scratch.clear();
    // SAFETY: a live `str`.
    let is_text = match unsafe { Units::by_width(text.as_ptr()) } {
        // `by_width` gives no UTF-8; the arm is there because the type has it.
        Units::Utf8(units) | Units::One(units) => push(units, scratch),
        Units::Two(units) => push(units, scratch),
        Units::Four(units) => push(units, scratch),
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
