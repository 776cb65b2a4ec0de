//! Values of the standard library's classes as the scalars of events.

use super::Stop;
use crate::objects::{new_date, new_datetime, new_duration, new_time};
use penstock_core::value::datetime::{Date, DateTime, Offset, Time};
use penstock_core::value::duration::Duration;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyTime, PyTimeAccess, PyTzInfo,
    PyTzInfoAccess,
};

pub(crate) fn date(value: &Bound<'_, PyDate>) -> Date {
    Date { year: value.get_year() as u16, month: value.get_month(), day: value.get_day() }
}

/// The same, of a value that is nothing more than a date.
pub(super) fn exact_date(value: &Bound<'_, PyDate>) -> Result<Date, Stop> {
    let found = date(value);
    if !value.is_exact_instance_of::<PyDate>() {
        is_whole(value, || new_date(value.py(), found))?;
    }
    Ok(found)
}

pub(crate) fn datetime(value: &Bound<'_, PyDateTime>) -> Result<DateTime, Stop> {
    let date =
        Date { year: value.get_year() as u16, month: value.get_month(), day: value.get_day() };
    let found = DateTime { date, time: clock(value, value.get_tzinfo(), value.as_any())? };
    if !value.is_exact_instance_of::<PyDateTime>() {
        is_whole(value, || new_datetime(value.py(), found))?;
    }
    Ok(found)
}

/// Refuses an object of a derived class that is not equal to one of the base with the same fields:
/// no date at all (`NaT`), or one with nanoseconds. These would be lost.
#[cold]
fn is_whole<'py>(
    value: &Bound<'py, PyAny>,
    of_base: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> Result<(), Stop> {
    let same = of_base()
        .and_then(|base| value.eq(base))
        .map_err(|error| Stop::own_code(value.py(), "==", error))?;
    if same {
        return Ok(());
    }
    let class = value.get_type();
    let (class, value) = (class.name()?, value.repr()?);
    Err(Stop::misfit(format!(
        "{value} would be read back as another value: {class} has more than is written"
    )))
}

/// A day, for a form that may have a time too.
pub(crate) fn midnight(date: Date) -> DateTime {
    let time = Time { hour: 0, minute: 0, second: 0, microsecond: 0, offset: None };
    DateTime { date, time }
}

/// A time, for a form that may have a day too.
pub(crate) fn on_first_day(time: Time) -> DateTime {
    DateTime { date: Date { year: 1, month: 1, day: 1 }, time }
}

pub(crate) fn time(value: &Bound<'_, PyTime>) -> Result<Time, Stop> {
    let found = clock(value, value.get_tzinfo(), value.as_any())?;
    if !value.is_exact_instance_of::<PyTime>() {
        is_whole(value, || new_time(value.py(), found))?;
    }
    Ok(found)
}

fn clock<'py>(
    value: &impl PyTimeAccess,
    zone: Option<Bound<'py, PyTzInfo>>,
    object: &Bound<'py, PyAny>,
) -> Result<Time, Stop> {
    let offset = match zone {
        None => None,
        Some(zone) => match offset(&zone, object)? {
            None => {
                let zone = zone.repr()?;
                return Err(Stop::misfit(format!(
                    "its zone {zone} has no offset without a date: it would be lost"
                )));
            }
            found => found,
        },
    };
    Ok(Time {
        hour: value.get_hour(),
        minute: value.get_minute(),
        second: value.get_second(),
        microsecond: value.get_microsecond(),
        offset,
    })
}

fn offset(zone: &Bound<'_, PyTzInfo>, object: &Bound<'_, PyAny>) -> Result<Option<Offset>, Stop> {
    let py = zone.py();
    if zone.is(PyTzInfo::utc(py)?) {
        return Ok(Some(Offset::Utc));
    }
    let found = object
        .call_method0(intern!(py, "utcoffset"))
        .map_err(|error| Stop::own_code(py, "utcoffset()", error))?;
    if found.is_none() {
        return Ok(None);
    }
    let found = found.cast_into::<PyDelta>().map_err(PyErr::from)?;
    let seconds = i64::from(found.get_days()) * 86_400 + i64::from(found.get_seconds());
    let micros = i64::from(found.get_microseconds());
    Ok(Some(match (seconds % 60, micros) {
        // Any zone that shows UTC, so that equal values are written alike.
        (0, 0) if seconds == 0 => Offset::Utc,
        (0, 0) => Offset::Minutes((seconds / 60) as i16),
        _ => Offset::Microseconds(seconds * 1_000_000 + micros),
    }))
}

pub(crate) fn duration(value: &Bound<'_, PyDelta>) -> Duration {
    Duration {
        days: value.get_days(),
        seconds: value.get_seconds() as u32,
        microseconds: value.get_microseconds() as u32,
    }
}

/// The same, of a value that is nothing more than a duration.
pub(super) fn exact_duration(value: &Bound<'_, PyDelta>) -> Result<Duration, Stop> {
    let found = duration(value);
    if !value.is_exact_instance_of::<PyDelta>() {
        is_whole(value, || new_duration(value.py(), found))?;
    }
    Ok(found)
}

/// The number of a `UID`.
pub(super) fn uid(value: &Bound<'_, PyAny>) -> Result<u64, Stop> {
    Ok(value.getattr(intern!(value.py(), "data"))?.extract()?)
}

/// The bytes of a `UUID`.
pub(crate) fn uuid(value: &Bound<'_, PyAny>) -> Result<[u8; 16], Stop> {
    let number: u128 = value.getattr(intern!(value.py(), "int"))?.extract()?;
    Ok(number.to_be_bytes())
}
