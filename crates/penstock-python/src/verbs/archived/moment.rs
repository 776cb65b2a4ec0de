//! Dates, which are seconds since 2001.

use super::Stop;
use pyo3::prelude::*;
use pyo3::types::PyDelta;

const DAY: f64 = 86_400.0;

/// The date, with microseconds as `timedelta` rounds them.
pub(super) fn of<'py>(epoch: &Bound<'py, PyAny>, seconds: f64) -> Result<Bound<'py, PyAny>, Stop> {
    // More than nine thousand years, or no number.
    if seconds.is_nan() || seconds.abs() > 3e11 {
        return Err(Stop::Elsewhere);
    }
    let whole = seconds.trunc();
    // Halves go to the even one. A second has an even number of them.
    let micros = ((seconds - whole) * 1e6).round_ties_even() as i32;
    let days = (whole / DAY).floor();
    let rest = (whole - days * DAY) as i32;
    let delta = PyDelta::new(epoch.py(), days as i32, rest, micros, true)?;
    Ok(epoch.add(delta)?)
}
