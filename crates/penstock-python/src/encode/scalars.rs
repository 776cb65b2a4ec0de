//! Values of the standard library's classes as the scalars of events.

use super::Stop;
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

pub(crate) fn datetime(value: &Bound<'_, PyDateTime>) -> Result<DateTime, Stop> {
    let date =
        Date { year: value.get_year() as u16, month: value.get_month(), day: value.get_day() };
    Ok(DateTime { date, time: clock(value, value.get_tzinfo(), value.as_any())? })
}

/// A day, for a form that may have a time too.
pub(crate) fn midnight(value: &Bound<'_, PyDate>) -> DateTime {
    let time = Time { hour: 0, minute: 0, second: 0, microsecond: 0, offset: None };
    DateTime { date: date(value), time }
}

/// A time, for a form that may have a day too.
pub(crate) fn on_first_day(time: Time) -> DateTime {
    DateTime { date: Date { year: 1, month: 1, day: 1 }, time }
}

pub(crate) fn time(value: &Bound<'_, PyTime>) -> Result<Time, Stop> {
    clock(value, value.get_tzinfo(), value.as_any())
}

fn clock<'py>(
    value: &impl PyTimeAccess,
    zone: Option<Bound<'py, PyTzInfo>>,
    object: &Bound<'py, PyAny>,
) -> Result<Time, Stop> {
    let offset = match zone {
        None => None,
        Some(zone) => offset(&zone, object)?,
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

/// The number of a `UID`.
pub(super) fn uid(value: &Bound<'_, PyAny>) -> Result<u64, Stop> {
    Ok(value.getattr(intern!(value.py(), "data"))?.extract()?)
}

/// The bytes of a `UUID`.
pub(crate) fn uuid(value: &Bound<'_, PyAny>) -> Result<[u8; 16], Stop> {
    let number: u128 = value.getattr(intern!(value.py(), "int"))?.extract()?;
    Ok(number.to_be_bytes())
}
