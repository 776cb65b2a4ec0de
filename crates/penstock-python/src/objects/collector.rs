//! Pauses the cyclic garbage collector during bulk loads.
//!
//! The collector runs after every few hundred new objects. In a large load these are all new and
//! alive, so it finds nothing and takes more than half of the time. So we pause it, by one count
//! for the whole process. Afterwards the new objects are moved among the old ones without a visit,
//! so that the caller's next line does not pay instead.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{ffi, intern};
use std::sync::Mutex;

/// The pauses in force in this process.
struct Count {
    /// How many.
    depth: usize,
    /// True if the collector was enabled before the first of them, so that the last one enables it.
    was_enabled: bool,
    /// The process that this counts for: a forked child begins anew.
    process: u64,
    /// How many objects became old without a visit since our last full collection.
    promoted: u64,
    /// How many may become old before the next full collection.
    patience: u64,
}

/// The least [`Count::patience`]: several large loads.
const PATIENCE: u64 = 400_000;

static COUNT: Mutex<Count> =
    Mutex::new(Count { depth: 0, was_enabled: false, process: 0, promoted: 0, patience: PATIENCE });

/// Whether the fork hook is in place.
static HOOKED: PyOnceLock<()> = PyOnceLock::new();

/// Pauses the collector as long as it lives. Never keep it across a return to Python code that may
/// run for long.
pub(crate) struct Pause {
    process: u64,
    promote: bool,
}

fn with<T>(work: impl FnOnce(&mut Count) -> T) -> T {
    // Nothing in here can panic or give up the interpreter lock. So the lock is free, or its holder
    // will never wait for us.
    let mut count = match COUNT.lock() {
        Ok(count) => count,
        Err(poisoned) => poisoned.into_inner(),
    };
    work(&mut count)
}

impl Pause {
    /// Pauses the collector. Objects made meanwhile stay young, unless [`promote`](Self::promote)
    /// is called.
    pub(crate) fn begin(py: Python<'_>) -> PyResult<Pause> {
        HOOKED.get_or_try_init(py, || hook(py))?;
        functions(py)?;
        catch_up(py)?;
        let process = with(|count| {
            if count.depth == 0 {
                // SAFETY: `py` shows that the interpreter is attached.
                count.was_enabled = unsafe { ffi::PyGC_Disable() } == 1;
            }
            count.depth += 1;
            count.process
        });
        Ok(Pause { process, promote: false })
    }

    /// Says that many objects were made: when the pause ends, they become old without a visit.
    pub(crate) fn promote(&mut self) {
        self.promote = true;
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        /// Switches the collector on, whatever happens before.
        struct Enable;
        impl Drop for Enable {
            fn drop(&mut self) {
                // SAFETY: only made and dropped while the interpreter is attached, below.
                unsafe { ffi::PyGC_Enable() };
            }
        }
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
            let _enable = Enable;
            if self.promote
                && let Err(error) = promote(py)
            {
                // Only a courtesy to the caller's next line: its failure must not lose the load.
                error.write_unraisable(py, None);
            }
        });
    }
}

/// The functions of the module `gc`, found once, so that calling them at the end of a load
/// allocates nothing even if memory is short.
struct Functions {
    get_freeze_count: Py<PyAny>,
    get_count: Py<PyAny>,
    freeze: Py<PyAny>,
    unfreeze: Py<PyAny>,
    collect: Py<PyAny>,
    get_objects: Py<PyAny>,
}

static FUNCTIONS: PyOnceLock<Functions> = PyOnceLock::new();

fn functions(py: Python<'_>) -> PyResult<&'static Functions> {
    FUNCTIONS.get_or_try_init(py, || {
        let gc = py.import(intern!(py, "gc"))?;
        let function = |name| gc.getattr(name).map(Bound::unbind);
        Ok(Functions {
            get_freeze_count: function(intern!(py, "get_freeze_count"))?,
            get_count: function(intern!(py, "get_count"))?,
            freeze: function(intern!(py, "freeze"))?,
            unfreeze: function(intern!(py, "unfreeze"))?,
            collect: function(intern!(py, "collect"))?,
            get_objects: function(intern!(py, "get_objects"))?,
        })
    })
}

/// Moves all tracked objects to the oldest generation without visiting them, unless the program has
/// frozen objects itself.
fn promote(py: Python<'_>) -> PyResult<()> {
    let gc = functions(py)?;
    if gc.get_freeze_count.call0(py)?.extract::<usize>(py)? > 0 {
        return Ok(());
    }
    let young = gc.get_count.call0(py)?.bind(py).get_item(0)?.extract::<i64>()?.max(0) as u64;
    gc.freeze.call0(py)?;
    gc.unfreeze.call0(py)?;
    with(|count| count.promoted += young);
    Ok(())
}

/// Runs a full collection if many objects have become old without a visit.
///
/// The collector does not count those, so it would never visit the old objects because of them. We
/// run it before the next large load, because the objects of earlier loads are often gone by then.
/// This bounds the garbage in cycles that loads leave behind.
fn catch_up(py: Python<'_>) -> PyResult<()> {
    // SAFETY: `py` shows that the interpreter is attached.
    let enabled = unsafe { ffi::PyGC_IsEnabled() } == 1;
    if !enabled || with(|count| count.promoted < count.patience) {
        return Ok(());
    }
    let gc = functions(py)?;
    gc.collect.call0(py)?;
    let old = gc.get_objects.call1(py, (2,))?.bind(py).len()? as u64;
    with(|count| {
        count.promoted = 0;
        count.patience = PATIENCE.max(old / 2);
    });
    Ok(())
}

/// Makes a forked child begin with no pause: the threads that held the pauses are not in it.
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
