//! `penstock.clock`: the time for Python, and the report about the clock.

use penstock_clock::{BOUND, CLOCK, Counter, Mono, Source, System, Wall};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::CStr;
use std::hint::black_box;
use std::ptr;

/// Nanoseconds since 1970. It uses the interpreter's own calling convention: the usual conversion
/// of arguments and errors would cost more than reading the time.
unsafe extern "C" fn wall_ns(_: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this, so it is attached; it takes over the new reference, and
    // null is an error that was set.
    unsafe { ffi::PyLong_FromLongLong(Wall::now().as_nanos()) }
}

/// Nanoseconds of the monotonic clock.
unsafe extern "C" fn mono_ns(_: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as above.
    unsafe { ffi::PyLong_FromLongLong(Mono::now().as_nanos()) }
}

/// The definition, to which `PyCFunction_NewEx` keeps a pointer.
struct Definition(ffi::PyMethodDef);

// SAFETY: it is never changed, and what it points to is static.
unsafe impl Sync for Definition {}

const fn definition(
    name: &'static CStr,
    function: ffi::PyCFunction,
    doc: &'static CStr,
) -> Definition {
    Definition(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: function },
        ml_flags: ffi::METH_NOARGS,
        ml_doc: doc.as_ptr(),
    })
}

static WALL_NS: Definition = definition(
    c"wall_ns",
    wall_ns,
    c"wall_ns()\n--\n\n\
    Return the time of day in nanoseconds since 1970, in UTC.\n\n\
    It follows the system's time, as `time.time_ns` does, and goes back if that is set back. It\n\
    notices a change within 1.25 ms. It works until the year 2262.\n\n\
    Example:\n    \
    >>> import time\n    \
    >>> from penstock import clock\n    \
    >>> abs(clock.wall_ns() - time.time_ns()) < 10**9\n    \
    True\n",
);

static MONO_NS: Definition = definition(
    c"mono_ns",
    mono_ns,
    c"mono_ns()\n--\n\n\
    Return nanoseconds since a moment that stays the same while the process runs.\n\n\
    It never goes back, whichever thread asks, and does not follow changes of the time of day. Like\n\
    `time.monotonic_ns`, it does not count the time that the machine sleeps. Do not mix numbers\n\
    of the two.\n\n\
    Example:\n    \
    >>> from penstock import clock\n    \
    >>> begun = clock.mono_ns()\n    \
    >>> clock.mono_ns() >= begun\n    \
    True\n",
);

/// Adds both functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let public = pyo3::types::PyString::new(py, "penstock.clock");
    for (name, Definition(definition)) in [("wall_ns", &WALL_NS), ("mono_ns", &MONO_NS)] {
        // SAFETY: the definition is static and only read; the returned reference is ours, or null
        // with an error set.
        let function = unsafe {
            let function = ffi::PyCFunction_NewEx(
                ptr::from_ref(definition).cast_mut(),
                ptr::null_mut(),
                public.as_ptr(),
            );
            Bound::from_owned_ptr_or_err(py, function)?
        };
        module.add(name, function)?;
    }
    Ok(())
}

/// The result of `penstock.clock.report`: how the clock reads the time here.
///
/// Example:
///     >>> from penstock import clock
///     >>> report = clock.report()
///     >>> report.bound == (1500 if report.source == "counter" else 0)
///     True
#[pyclass(frozen, get_all, module = "penstock.clock")]
pub(crate) struct Report {
    /// `"counter"` if the clock reads the processor's counter now, otherwise `"kernel"`.
    source: &'static str,
    /// Why.
    reason: &'static str,
    /// Nanoseconds that one reading of `Wall` takes, measured now, without Python.
    wall: f64,
    /// The same for the monotonic clock.
    mono: f64,
    /// The same for `clock_gettime`, the kernel's clock.
    kernel: f64,
    /// The largest difference to the kernel's time in nanoseconds; 0 if the clock reads that.
    bound: u64,
    /// How often the clock compared itself with the kernel's clocks.
    looks: u64,
    /// How often the monotonic time was ahead by more than could be steered away.
    leaps: u64,
    /// How often the counter had gone back, or ran at another rate.
    jumps: u64,
    /// How often the system's time was set.
    steps: u64,
    /// The largest error that a comparison found, in nanoseconds; the clock steered it away.
    largest: u64,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let Report { source, wall, mono, kernel, bound, looks, .. } = self;
        let Report { reason, leaps, jumps, steps, largest, .. } = self;
        format!(
            "Report(source='{source}', reason=\"{reason}\", wall={wall:.1}, mono={mono:.1}, \
             kernel={kernel:.1}, bound={bound}, looks={looks}, leaps={leaps}, jumps={jumps}, \
             steps={steps}, largest={largest})"
        )
    }
}

/// The source in use, and why.
fn source() -> (&'static str, &'static str) {
    if CLOCK.is_counting() {
        return ("counter", "the kernel keeps its own time by the processor's counter");
    }
    let reason = match Counter::examine() {
        Counter::Usable => {
            "the counter could be used; it was not read often enough, or something happened to it"
        }
        Counter::Unknown => "the counters of this kind of processor are not used",
        Counter::NotInvariant => "the processor does not promise that its counter has one rate",
        Counter::NotTheKernels => {
            "the kernel does not keep its time by the processor's counter, or does not say"
        }
    };
    ("kernel", reason)
}

/// The shortest time of one reading in several rounds, in nanoseconds.
fn cost(read: impl Fn() -> i64) -> f64 {
    const READS: u32 = 200;
    let rounds = (0..25).map(|_| {
        let begun = System.kernel_mono();
        for _ in 0..READS {
            black_box(read());
        }
        System.kernel_mono() - begun
    });
    rounds.min().map_or(0.0, |least| least as f64 / f64::from(READS))
}

/// How the clock reads the time here. Takes less than three milliseconds.
#[pyfunction]
pub(crate) fn report(py: Python<'_>) -> Report {
    py.detach(|| {
        // The counter is used only after it was read for a millisecond.
        let begun = Mono::now();
        while !CLOCK.is_counting() && begun.elapsed().as_micros() < 1_500 {}
        let (wall, mono) = (cost(|| Wall::now().as_nanos()), cost(|| Mono::now().as_nanos()));
        let kernel = cost(|| System.kernel_wall());
        let (source, reason) = source();
        let bound = if source == "counter" { BOUND.as_nanos() as u64 } else { 0 };
        let events = CLOCK.events().unwrap_or_default();
        let penstock_clock::Events { looks, leaps, jumps, steps, largest } = events;
        Report { source, reason, wall, mono, kernel, bound, looks, leaps, jumps, steps, largest }
    })
}
