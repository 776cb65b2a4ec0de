//! Numbers of an array: they are gathered in a `bytearray`, in the form of the array's type, and no
//! object is made for each.
//!
//! The array's function gets the `bytearray` and copies it once. If there is a number that the type
//! cannot hold, all numbers become a list instead, and the function says which of them it refuses.

use super::frame::FrameKind;
use super::{Answer, Core};
use crate::plan::KindByte;
use crate::plan::types::packed::{Number, Packed};
use penstock_core::protocol::Flow;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyFloat, PyInt, PyList, PyMemoryView};
use std::ptr;

impl Core<'_> {
    /// Gives a number to the array that the current container or field gathers. None if there is no
    /// such array, or if it cannot hold the number.
    #[inline]
    pub(crate) fn pack(&mut self, number: Number) -> Option<Answer> {
        if self.aim().kind != KindByte::Packed {
            return None;
        }
        let form = self.item().packed?;
        let top = self.top();
        let place = match top.kind {
            FrameKind::Numbers => top.base,
            FrameKind::Class | FrameKind::PathMap | FrameKind::PathList | FrameKind::Gathered
                if top.aim.gathers =>
            {
                top.slots + top.aim.field as usize
            }
            _ => return None,
        };
        match self.packed_at(place, form, number) {
            Ok(true) => Some(self.packed_next()),
            Ok(false) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// The array of the current container has one number more.
    fn packed_next(&mut self) -> Answer {
        match self.top().kind {
            FrameKind::Numbers | FrameKind::Gathered => self.top_mut().index += 1,
            FrameKind::PathList => self.next_element()?,
            _ => {}
        }
        Ok(Flow::Take)
    }

    /// Begins a list of numbers: an empty `bytearray` on the stack.
    pub(crate) fn begin_numbers(&mut self) -> PyResult<()> {
        let empty = new_bytes(self.attached(), &[])?;
        self.stack.push(empty);
        Ok(())
    }

    /// Adds a value to the current list of numbers. Takes over the reference.
    pub(crate) fn add_number(&mut self, value: *mut ffi::PyObject) -> Answer {
        // SAFETY: the reference is handed over to us.
        let value = unsafe { Bound::from_owned_ptr(self.attached(), value) };
        let (place, form) = (self.top().base, self.item().packed);
        self.add_packed(place, form, &value)?;
        self.packed_next()
    }

    /// Adds a value to the collection in a place: to the numbers, if they are for an array that can
    /// hold it, otherwise to a list.
    pub(crate) fn add_packed(
        &mut self,
        place: usize,
        form: Option<Packed>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = value.py();
        if let Some(form) = form
            && let Some(number) = number_of(value)
            && self.packed_at(place, form, number)?
        {
            return Ok(());
        }
        let there = self.stack.get(place);
        if there.is_null() {
            self.stack.replace(place, PyList::new(py, [value])?.into_ptr());
            return Ok(());
        }
        // SAFETY: the stack owns this reference.
        let there = unsafe { Bound::from_borrowed_ptr(py, there) };
        if let Ok(list) = there.cast::<PyList>() {
            return list.append(value);
        }
        let list = match form {
            Some(form) => unpacked(form, &there)?,
            None => PyList::empty(py),
        };
        list.append(value)?;
        let old = self.stack.replace(place, list.into_any().into_ptr());
        // SAFETY: the stack gave its reference to us.
        unsafe { drop(Bound::from_owned_ptr_or_opt(py, old)) };
        Ok(())
    }

    /// Adds a number to the numbers in a place. False if there is a list, or the array cannot hold
    /// the number.
    #[inline]
    fn packed_at(&mut self, place: usize, form: Packed, number: Number) -> PyResult<bool> {
        let Some(bytes) = form.bytes_of(number) else { return Ok(false) };
        let bytes = bytes.as_slice();
        let (py, there) = (self.attached(), self.stack.get(place));
        if there.is_null() {
            let first = new_bytes(py, bytes)?;
            self.stack.replace(place, first);
            return Ok(true);
        }
        // SAFETY: the stack owns a reference to this object. If it is a `bytearray`, nobody else
        // knows it, so that no view of it is open and no other thread uses it. After the resize, it
        // has room for the bytes behind its former length.
        unsafe {
            if ffi::PyByteArray_CheckExact(there) == 0 {
                return Ok(false);
            }
            let length = ffi::PyByteArray_Size(there);
            if ffi::PyByteArray_Resize(there, length + bytes.len() as ffi::Py_ssize_t) != 0 {
                return Err(PyErr::fetch(py));
            }
            let end = ffi::PyByteArray_AsString(there).cast::<u8>().add(length as usize);
            ptr::copy_nonoverlapping(bytes.as_ptr(), end, bytes.len());
        }
        self.weight += bytes.len() as u64;
        Ok(true)
    }
}

/// A `bytearray` of these bytes: a new reference.
fn new_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the pointer and the length are those of a slice; null is checked.
    unsafe {
        let made = ffi::PyByteArray_FromStringAndSize(
            bytes.as_ptr().cast(),
            bytes.len() as ffi::Py_ssize_t,
        );
        Ok(Bound::from_owned_ptr_or_err(py, made)?.into_ptr())
    }
}

/// The number that an object is, if it is one of a type that arrays hold.
fn number_of(value: &Bound<'_, PyAny>) -> Option<Number> {
    if value.is_exact_instance_of::<PyFloat>() {
        return value.extract().ok().map(Number::Float);
    }
    if let Ok(truth) = value.cast_exact::<PyBool>() {
        return Some(Number::Truth(truth.is_true()));
    }
    if !value.is_exact_instance_of::<PyInt>() {
        return None;
    }
    let small = value.extract().map(Number::Int);
    small.or_else(|_| value.extract().map(Number::Natural)).ok()
}

/// The numbers as a list of objects.
#[cold]
fn unpacked<'py>(form: Packed, bytes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let bytes = bytes.cast::<PyByteArray>()?;
    let view = PyMemoryView::from(bytes)?.call_method1("cast", (form.code(),))?;
    Ok(view.call_method0("tolist")?.cast_into::<PyList>()?)
}
