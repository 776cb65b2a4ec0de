//! The value of an `int`.

use super::{Fact, holds};
use pyo3::ffi;

/// The value of an `int`, if it has no more than 64 bits.
///
/// # Safety
/// A live object of exactly the class `int`.
#[inline(always)]
pub(crate) unsafe fn int(value: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: as of this function.
    unsafe {
        if holds(Fact::Ints)
            && let Some(small) = small(value)
        {
            return Some(small);
        }
        converted(value)
    }
}

/// The same, by the public interface.
///
/// # Safety
/// As for [`int`].
#[inline]
pub(super) unsafe fn converted(value: *mut ffi::PyObject) -> Option<i64> {
    let mut overflow = 0;
    // SAFETY: a live `int`. An object of exactly this class raises nothing.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(value, &raw mut overflow) };
    (overflow == 0).then_some(value)
}

/// How many bits of a value are in a digit. The probe compares values of one and two digits.
const DIGIT: u32 = 30;

/// The value, if it has at most two digits.
///
/// # Safety
/// As for [`int`].
#[inline(always)]
pub(super) unsafe fn small(value: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: the digits stand behind the head, and there are as many as it says.
    unsafe {
        let (sign, count, digits) = digits(value);
        let magnitude = match count {
            0 => 0,
            1 => i64::from(*digits),
            2 => i64::from(*digits) | i64::from(*digits.add(1)) << DIGIT,
            _ => return None,
        };
        Some(sign * magnitude)
    }
}

/// The sign, the number of digits, and where they are: until 3.11 the size is the number of digits, with
/// the sign of the value (Include/cpython/longintrepr.h).
///
/// # Safety
/// As for [`int`].
#[cfg(not(Py_3_12))]
#[inline(always)]
unsafe fn digits(value: *mut ffi::PyObject) -> (i64, usize, *const u32) {
    // SAFETY: a variable-sized object.
    unsafe {
        // `Py_SIZE` asserts that its object is no int, whose size is no number of items.
        let size = (*value.cast::<ffi::PyVarObject>()).ob_size;
        let digits = value.cast::<ffi::PyVarObject>().add(1).cast::<u32>().cast_const();
        (if size < 0 { -1 } else { 1 }, size.unsigned_abs(), digits)
    }
}

/// The same since 3.12: the lowest two bits of a tag are one less the sign, and the number of digits begins
/// at the fourth bit. Zero has one digit and the tag of none.
///
/// # Safety
/// As for [`int`].
#[cfg(Py_3_12)]
#[inline(always)]
unsafe fn digits(value: *mut ffi::PyObject) -> (i64, usize, *const u32) {
    // SAFETY: the tag stands behind the head of the object, and the digits behind the tag.
    unsafe {
        let tag = value.add(1).cast::<usize>();
        let digits = tag.add(1).cast::<u32>().cast_const();
        let tag = *tag;
        (1 - (tag & 3) as i64, tag >> 3, digits)
    }
}
