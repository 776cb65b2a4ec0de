//! Objects of the standard library's classes: dates, times, durations and UUIDs.

use crate::plan::slots;
use penstock_core::value::{datetime, duration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyDict, PyString, PyTime, PyType, PyTzInfo};
use pyo3::{ffi, intern};

pub(crate) fn new_datetime(
    py: Python<'_>,
    found: datetime::DateTime,
) -> PyResult<Bound<'_, PyAny>> {
    let datetime::DateTime { date: datetime::Date { year, month, day }, time } = found;
    let datetime::Time { hour, minute, second, microsecond, offset } = time;
    let mut own = None;
    let zone = zone(py, offset, &mut own)?;
    let year = i32::from(year);
    let made = PyDateTime::new(py, year, month, day, hour, minute, second, microsecond, zone)?;
    Ok(made.into_any())
}

pub(crate) fn new_date(py: Python<'_>, found: datetime::Date) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyDate::new(py, i32::from(found.year), found.month, found.day)?.into_any())
}

pub(crate) fn new_time(py: Python<'_>, found: datetime::Time) -> PyResult<Bound<'_, PyAny>> {
    let datetime::Time { hour, minute, second, microsecond, offset } = found;
    let mut own = None;
    let zone = zone(py, offset, &mut own)?;
    Ok(PyTime::new(py, hour, minute, second, microsecond, zone)?.into_any())
}

pub(crate) fn new_duration(
    py: Python<'_>,
    found: duration::Duration,
) -> PyResult<Bound<'_, PyAny>> {
    let (seconds, microseconds) = (found.seconds as i32, found.microseconds as i32);
    Ok(PyDelta::new(py, found.days, seconds, microseconds, false)?.into_any())
}

/// The zone of an offset of so many microseconds, which is not whole minutes.
#[cold]
#[inline(never)]
fn fine(py: Python<'_>, east: i64) -> PyResult<Bound<'_, PyTzInfo>> {
    let (days, rest) = (east.div_euclid(86_400_000_000), east.rem_euclid(86_400_000_000));
    let (seconds, micros) = ((rest / 1_000_000) as i32, (rest % 1_000_000) as i32);
    let delta = PyDelta::new(py, days as i32, seconds, micros, false)?;
    PyTzInfo::fixed_offset(py, delta)
}

/// How many offsets there are, in minutes: each is less than a day, to the east or the west.
const OFFSETS: usize = 2 * 24 * 60;

/// The zone of an offset: `timezone.utc` for a `Z`, else one object per offset, because there are
/// few offsets and documents repeat them. Any other offset gets one of its `own`.
#[inline]
fn zone<'a, 'py>(
    py: Python<'py>,
    offset: Option<datetime::Offset>,
    own: &'a mut Option<Bound<'py, PyTzInfo>>,
) -> PyResult<Option<&'a Bound<'py, PyTzInfo>>> {
    static ZONES: [PyOnceLock<Py<PyTzInfo>>; OFFSETS] = [const { PyOnceLock::new() }; OFFSETS];
    let minutes = match offset {
        None => return Ok(None),
        Some(datetime::Offset::Microseconds(east)) => return Ok(Some(own.insert(fine(py, east)?))),
        Some(datetime::Offset::Utc) => 0,
        Some(datetime::Offset::Minutes(minutes)) => minutes,
    };
    // Offsets to the west are in the second half, from its end.
    let known = &ZONES[usize::from(minutes.rem_euclid(OFFSETS as i16).unsigned_abs())];
    let zone = known.get_or_try_init(py, || -> PyResult<Py<PyTzInfo>> {
        if minutes == 0 {
            return Ok(PyTzInfo::utc(py)?.to_owned().unbind());
        }
        let delta = PyDelta::new(py, 0, i32::from(minutes) * 60, 0, true)?;
        Ok(PyTzInfo::fixed_offset(py, delta)?.unbind())
    })?;
    Ok(Some(zone.bind(py)))
}

/// What is needed to make a UUID.
struct Uuids {
    class: Py<PyType>,
    /// Where its objects keep the number and `is_safe`.
    slots: Option<[usize; 2]>,
    /// The `is_safe` of a UUID that is made from a number.
    safety: Py<PyAny>,
}

impl Uuids {
    fn of(py: Python<'_>) -> PyResult<Self> {
        let class = py.import(intern!(py, "uuid"))?.getattr(intern!(py, "UUID"))?;
        let class = class.cast_into::<PyType>()?;
        let names: [&Bound<'_, PyString>; 2] = [intern!(py, "int"), intern!(py, "is_safe")];
        let called = by_calling(class.as_any(), 1)?;
        let safety = called.getattr(names[1])?.unbind();
        let offsets = slots(&class, &names.map(Clone::clone))?;
        let slots = offsets.and_then(|offsets| <[usize; 2]>::try_from(&*offsets).ok());
        Ok(Uuids { class: class.unbind(), slots, safety })
    }
}

fn by_calling<'py>(class: &Bound<'py, PyAny>, value: u128) -> PyResult<Bound<'py, PyAny>> {
    let named = PyDict::new(class.py());
    named.set_item(intern!(class.py(), "int"), int_of(class.py(), value)?)?;
    class.call((), Some(&named))
}

/// An `int` of 128 bits. From 3.13 on, PyO3 panics if there is no memory for one.
fn int_of(py: Python<'_>, value: u128) -> PyResult<Bound<'_, PyAny>> {
    #[cfg(Py_3_13)]
    // SAFETY: as many bytes as `value` has; a new object, or null with an exception set.
    unsafe {
        let bytes = value.to_ne_bytes();
        let made = ffi::PyLong_FromUnsignedNativeBytes(
            bytes.as_ptr().cast(),
            bytes.len(),
            ffi::Py_ASNATIVEBYTES_NATIVE_ENDIAN,
        );
        Bound::from_owned_ptr_or_err(py, made)
    }
    #[cfg(not(Py_3_13))]
    Ok(value.into_pyobject(py)?.into_any())
}

pub(crate) fn new_uuid(py: Python<'_>, value: u128) -> PyResult<Bound<'_, PyAny>> {
    static UUIDS: PyOnceLock<Uuids> = PyOnceLock::new();
    let uuids = UUIDS.get_or_try_init(py, || Uuids::of(py))?;
    let class = uuids.class.bind(py);
    let Some(offsets) = uuids.slots else { return by_calling(class, value) };
    let parts = [int_of(py, value)?.unbind(), uuids.safety.clone_ref(py)];
    // SAFETY: `slots` found that objects of the class are memory from the generic allocator which
    // holds only the two slots at these offsets. The slots are empty, since the object is new, and
    // take the references over.
    unsafe {
        let object = ffi::PyType_GenericAlloc(class.as_type_ptr(), 0);
        let object = Bound::from_owned_ptr_or_err(py, object)?;
        for (offset, part) in offsets.into_iter().zip(parts) {
            let slot = object.as_ptr().cast::<u8>().add(offset).cast::<*mut ffi::PyObject>();
            slot.write(part.into_ptr());
        }
        Ok(object)
    }
}
