//! The characters of a `str`.

use super::{Fact, holds};
use pyo3::ffi;
use std::slice::from_raw_parts;

/// The bits of the word `state` in the head of a `str` which say that its characters are ASCII and stand
/// behind the head: the sixth and the seventh, from 3.11 to 3.15 (Include/cpython/unicodeobject.h).
const COMPACT_ASCII: u32 = 0x60;

/// The head of a `str`, as far as it is looked at.
#[repr(C)]
struct Head {
    object: ffi::PyObject,
    length: ffi::Py_ssize_t,
    hash: ffi::Py_hash_t,
    state: u32,
}

const _: () = assert!(size_of::<Head>() <= size_of::<ffi::PyASCIIObject>());

/// The memory behind the head.
///
/// # Safety
/// A live `str`.
#[inline(always)]
unsafe fn behind(text: *mut ffi::PyObject) -> *mut u8 {
    // SAFETY: as of this function.
    unsafe { text.cast::<ffi::PyASCIIObject>().add(1).cast() }
}

/// The length of the characters behind the head, and where they are, if the `str` is ASCII.
///
/// # Safety
/// A live `str`, and [`Fact::Text`] holds.
#[inline(always)]
pub(super) unsafe fn ascii_behind(text: *mut ffi::PyObject) -> Option<(*const u8, usize)> {
    // SAFETY: as of this function.
    unsafe {
        let head = text.cast::<Head>();
        ((*head).state & COMPACT_ASCII == COMPACT_ASCII)
            .then(|| (behind(text).cast_const(), (*head).length as usize))
    }
}

/// The bytes of a `str`, if it is known to be ASCII.
///
/// # Safety
/// A live `str`. The bytes are good as long as it lives.
#[inline(always)]
pub(crate) unsafe fn ascii<'a>(text: *mut ffi::PyObject) -> Option<&'a [u8]> {
    if !holds(Fact::Text) {
        return None;
    }
    // SAFETY: as of this function.
    unsafe { ascii_behind(text).map(|(data, length)| from_raw_parts(data, length)) }
}

/// The bytes of a `str` that this crate has made of ASCII.
///
/// # Safety
/// A live `str` made by `PyUnicode_New` for ASCII. The bytes are good as long as it lives.
#[inline(always)]
pub(crate) unsafe fn own_ascii<'a>(text: *mut ffi::PyObject) -> &'a [u8] {
    // SAFETY: as of this function.
    unsafe {
        let length = ffi::PyUnicode_GET_LENGTH(text) as usize;
        from_raw_parts(behind_ascii(text), length)
    }
}

/// Where the characters of a new `str` of ASCII are written.
///
/// # Safety
/// A live `str` made by `PyUnicode_New` for ASCII.
#[inline(always)]
pub(crate) unsafe fn behind_ascii(text: *mut ffi::PyObject) -> *mut u8 {
    // SAFETY: as of this function.
    unsafe {
        if holds(Fact::Text) {
            return behind(text);
        }
        ffi::PyUnicode_DATA(text).cast()
    }
}

/// Where the characters of a new `str` of more than ASCII are written.
///
/// # Safety
/// A live `str` made by `PyUnicode_New` for characters above ASCII.
#[inline(always)]
pub(crate) unsafe fn behind_wide(text: *mut ffi::PyObject) -> *mut u8 {
    // SAFETY: as of this function.
    unsafe {
        if holds(Fact::Text) {
            return text.cast::<ffi::PyCompactUnicodeObject>().add(1).cast();
        }
        ffi::PyUnicode_DATA(text).cast()
    }
}

/// The characters of a `str`.
pub(crate) enum Units<'a> {
    /// ASCII, or UTF-8 that the string has already.
    Utf8(&'a [u8]),
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

impl Units<'_> {
    /// # Safety
    /// A live `str`. The units are good as long as it lives.
    #[inline(always)]
    pub(crate) unsafe fn of(text: *mut ffi::PyObject) -> Self {
        // SAFETY: UTF-8 that stands beside a `str` stays as long as that.
        unsafe {
            if let Some(bytes) = ascii(text) {
                return Units::Utf8(bytes);
            }
            if holds(Fact::Text)
                && let Some(bytes) = utf8_beside(text)
            {
                return Units::Utf8(bytes);
            }
            Self::by_width(text)
        }
    }

    /// The same by the public interface.
    ///
    /// # Safety
    /// As for [`Units::of`].
    #[inline(always)]
    pub(crate) unsafe fn by_width(text: *mut ffi::PyObject) -> Self {
        // SAFETY: a `str` has so many units of the width that its kind says, and they do not change
        // while it lives.
        unsafe {
            let length = ffi::PyUnicode_GET_LENGTH(text) as usize;
            let data = ffi::PyUnicode_DATA(text);
            match ffi::PyUnicode_KIND(text) {
                ffi::PyUnicode_1BYTE_KIND => Units::One(from_raw_parts(data.cast(), length)),
                ffi::PyUnicode_2BYTE_KIND => Units::Two(from_raw_parts(data.cast(), length)),
                _ => Units::Four(from_raw_parts(data.cast(), length)),
            }
        }
    }
}

/// The UTF-8 that a `str` of more than ASCII keeps, once somebody has asked for it.
///
/// # Safety
/// A live `str` that is not ASCII, and [`Fact::Text`] holds.
#[inline(always)]
pub(super) unsafe fn utf8_beside<'a>(text: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: as of this function.
    unsafe {
        let compact = text.cast::<ffi::PyCompactUnicodeObject>();
        let utf8 = (*compact).utf8;
        (!utf8.is_null()).then(|| from_raw_parts(utf8.cast(), (*compact).utf8_length as usize))
    }
}
