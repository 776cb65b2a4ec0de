//! The cyclic garbage collector during bulk loads.
//!
//! Each few hundred new objects make the collector look for cycles among objects that were all
//! just made and are all alive: for a large load that is more than half of the time. So it is
//! paused, by one count for the whole process, and what was made meanwhile is afterwards put
//! among the old objects without a visit, so that the caller's next line does not pay instead.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{ffi, intern};
use std::sync::Mutex;

/// Pauses in force, in this process.
struct Count {
    /// How many.
    depth: usize,
    /// True if the collector ran before the first of them, so that it is to run after the last.
    was_enabled: bool,
    /// Which process this counts for: a forked child begins anew.
    process: u64,
    /// How many objects became old without a visit since the last full collection of ours.
    promoted: u64,
    /// How many may, before there is another one.
    patience: u64,
}

/// The least [`Count::patience`]: several large loads.
const PATIENCE: u64 = 400_000;

static COUNT: Mutex<Count> =
    Mutex::new(Count { depth: 0, was_enabled: false, process: 0, promoted: 0, patience: PATIENCE });

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
    /// Pauses the collector. What is made meanwhile stays young, unless [`promote`](Self::promote)
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

    /// Says that what was made is a lot: it becomes old without a visit when the pause ends.
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

/// The functions of the module `gc`, found once: where memory is short at the end of a load,
/// nothing need be made to call them.
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

/// Moves all tracked objects to the oldest generation without looking at them, unless somebody
/// froze objects for reasons of their own.
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

/// Looks at the old objects if many have become old without a visit.
///
/// The collector does not learn of those, and would not look at the old ones again because of
/// them. So it is made to before the next large load, by when what was loaded before is often
/// gone: garbage in cycles that loads leave behind stays bounded.
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
