//! The cyclic garbage collector during bulk loads.
//!
//! Each few hundred new objects make the collector look for cycles among objects that were all
//! just made and are all alive: for a large load that is more than half of the time. So it is
//! paused, by one count for the whole process, and what was made meanwhile is afterwards put
//! among the old objects without a visit, so that the caller's next line does not pay instead.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::Mutex;


/// Pauses in force, in this process.
struct Count {
    /// How many.
    depth: usize,
    /// True if the collector ran before the first of them, so that it is to run after the last.
    was_enabled: bool,
    /// Which process this counts for: a forked child begins anew.
    process: u64,
}

static COUNT: Mutex<Count> = Mutex::new(Count { depth: 0, was_enabled: false, process: 0 });

/// Whether the fork hook is in place.
static HOOKED: PyOnceLock<()> = PyOnceLock::new();


/// The collector is paused as long as this lives. Never kept across a return to Python code
/// that may run for long.
pub(crate) struct Pause {
    process: u64,
    promote: bool,
}

fn with<T>(work: impl FnOnce(&mut Count) -> T) -> T {
    // Nothing in here can panic or give up the interpreter lock, so the lock is free or held by
    // nobody that will ever wait for us.
    let mut count = match COUNT.lock() {
        Ok(count) => count,
        Err(poisoned) => poisoned.into_inner(),
    };
    work(&mut count)
}

impl Pause {
    /// Pauses the collector. `promote` says that what is made meanwhile is many and long-lived.
    pub(crate) fn begin(py: Python<'_>, promote: bool) -> PyResult<Pause> {
        HOOKED.get_or_try_init(py, || hook(py))?;
        let process = with(|count| {
            if count.depth == 0 {
                // SAFETY: `py` shows that the interpreter is attached.
                count.was_enabled = unsafe { ffi::PyGC_Disable() } == 1;
            }
            count.depth += 1;
            count.process
        });
        Ok(Pause { process, promote })
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        Python::attach(|py| {
            let resume = with(|count| {
                if count.process != self.process {
                    return false; // The pause was the parent's; the fork has ended it here.
                }
                count.depth -= 1;
                count.depth == 0 && count.was_enabled
            });
            if !resume {
                return;
            }
            if self.promote {
                promote(py);
            }
            // SAFETY: the interpreter is attached.
            unsafe { ffi::PyGC_Enable() };
        });
    }
}

/// Moves all tracked objects to the oldest generation without looking at them, unless somebody
/// froze objects for reasons of their own.
fn promote(py: Python<'_>) {
    let work = || -> PyResult<()> {
        let gc = py.import("gc")?;
        if gc.call_method0("get_freeze_count")?.extract::<usize>()? == 0 {
            gc.call_method0("freeze")?;
            gc.call_method0("unfreeze")?;
        }
        Ok(())
    };
    if let Err(error) = work() {
        // Only a courtesy to the caller's next line: its failure must not lose the load.
        error.write_unraisable(py, None);
    }
}

/// Has a forked child begin with no pause: the threads that held them are not in it.
fn hook(py: Python<'_>) -> PyResult<()> {
    let after = wrap_pyfunction!(after_fork, py)?;
    let names = pyo3::types::PyDict::new(py);
    names.set_item("after_in_child", after)?;
    py.import("os")?.call_method("register_at_fork", (), Some(&names))?;
    Ok(())
}

#[pyfunction]
fn after_fork() {
    let resume = with(|count| {
        let resume = count.depth > 0 && count.was_enabled;
        count.depth = 0;
        count.process += 1;
        resume
    });
    if resume {
        // SAFETY: called from Python, so the interpreter is attached.
        unsafe { ffi::PyGC_Enable() };
    }
}
