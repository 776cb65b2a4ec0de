//! Pauses the cyclic garbage collector during bulk loads.
//!
//! The collector runs after every few hundred new objects. In a large load these are all new and
//! alive, so it finds nothing and takes more than half of the time. So we pause it, by one count
//! for the whole process. Afterwards the new objects are moved among the old ones without a visit,
//! so that the caller's next line does not pay instead.
//!
//! The pause is for the time in which objects are made. While a load waits for bytes, or lets other
//! threads run, the collector goes on.
//!
//! We pause it by the number of new objects after which it runs. Whether it is switched on at all
//! (`gc.enable()`, `gc.disable()`) is the program's affair, at any time.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use pyo3::{ffi, intern};
use std::sync::Mutex;

/// The pauses in force in this process.
struct Count {
    /// How many.
    depth: usize,
    /// The argument of `gc.set_threshold` that ends them: the program's own threshold.
    before: Option<Py<PyTuple>>,
    /// The process that this counts for: a forked child begins anew.
    process: u64,
    /// How many objects became old without a visit since our last full collection.
    promoted: u64,
    /// How many may become old before the next full collection.
    patience: u64,
}

/// The least [`Count::patience`]: several large loads.
const PATIENCE: u64 = 400_000;

/// The number of new objects after which the collector runs during a pause. No program has so many,
/// and none sets this number itself.
const NEVER: i64 = 2_000_000_000;

static COUNT: Mutex<Count> =
    Mutex::new(Count { depth: 0, before: None, process: 0, promoted: 0, patience: PATIENCE });

/// Whether the fork hook is in place.
static HOOKED: PyOnceLock<()> = PyOnceLock::new();

/// Pauses the collector as long as it lives, except while it is [lifted](Self::lift). Never keep it
/// across a return to Python code that may run for long.
pub(crate) struct Pause {
    /// The process that it counts in; None while it is lifted.
    process: Option<u64>,
    promote: bool,
    /// How many objects became old when it was lifted.
    promoted: u64,
}

/// Works on the counts. `work` drops no object and calls nothing but `gc.set_threshold`, so no other
/// thread waits for the lock while it holds the interpreter.
fn with<T>(work: impl FnOnce(&mut Count) -> T) -> T {
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
        let mut pause = Pause { process: None, promote: false, promoted: 0 };
        pause.resume(py)?;
        Ok(pause)
    }

    /// Says that many objects were made: when the pause ends or is lifted, they become old without a
    /// visit.
    pub(crate) fn promote(&mut self) {
        self.promote = true;
    }

    /// Lets the collector run during `work`, which waits for bytes or for other threads.
    ///
    /// Where making objects old visits them, that is put off until there are as many new ones as became
    /// old before. So the visits of all lifts together are proportional to the number of objects.
    ///
    /// # Errors
    /// If the pause cannot begin again, for lack of memory.
    pub(crate) fn lift<T>(&mut self, py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
        let later = self.promote && functions(py)?.freezing_visits && young(py)? < self.promoted;
        self.promote &= !later;
        let done = self.lift_shortly(py, work);
        self.promote |= later;
        done
    }

    /// The same, without putting that off: for a caller that lifts it only once for each large piece of a
    /// text. There the visits are few, and a collection of all new objects at each lift would take longer.
    ///
    /// # Errors
    /// As of [`lift`](Self::lift).
    pub(crate) fn lift_shortly<T>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce() -> T,
    ) -> PyResult<T> {
        self.end(py);
        let done = work();
        self.resume(py)?;
        Ok(done)
    }

    fn resume(&mut self, py: Python<'_>) -> PyResult<()> {
        let gc = functions(py)?;
        let now = gc.threshold(py)?;
        // If the number is ours although there is no pause, the program has read it during a pause
        // and set it again. The one before the last pause is the program's own.
        let own = (now != NEVER).then(|| PyTuple::new(py, [now])).transpose()?;
        let mut own = own.map(Bound::unbind);
        let (process, paused) = with(|count| {
            let mut paused = Ok(());
            if count.depth == 0 {
                if own.is_some() {
                    std::mem::swap(&mut count.before, &mut own);
                }
                paused = gc.set_threshold(py, &gc.never);
            }
            if paused.is_ok() {
                count.depth += 1;
            }
            (count.process, paused)
        });
        drop(own);
        paused?;
        self.process = Some(process);
        Ok(())
    }

    fn end(&mut self, py: Python<'_>) {
        let Some(process) = self.process.take() else { return };
        let is_last = with(|count| {
            if count.process != process {
                return false; // The pause was the parent's; the fork has ended it here.
            }
            count.depth -= 1;
            count.depth == 0
        });
        if !is_last {
            return;
        }
        // Both fail only for lack of memory, and must not lose the load.
        let promoted = if std::mem::take(&mut self.promote) { promote(py) } else { Ok(0) };
        let promoted = promoted.map(|count| self.promoted += count);
        for failed in [promoted, give_back(py)].into_iter().filter_map(Result::err) {
            failed.write_unraisable(py, None);
        }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if self.process.is_some() {
            Python::attach(|py| self.end(py));
        }
    }
}

/// Gives the program its own threshold back, unless it has set another one meanwhile.
fn give_back(py: Python<'_>) -> PyResult<()> {
    let gc = functions(py)?;
    // If there is no memory to ask for it, it is ours in all likelihood.
    if gc.threshold(py).is_ok_and(|now| now != NEVER) {
        return Ok(());
    }
    with(|count| count.before.as_ref().map_or(Ok(()), |own| gc.set_threshold(py, own)))
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
    get_threshold: Py<PyAny>,
    set_threshold: Py<PyAny>,
    /// The argument of `set_threshold` that pauses the collector.
    never: Py<PyTuple>,
    /// Whether freezing visits the objects: with the incremental collector of the first releases of
    /// 3.14, which tells itself by its third threshold. Elsewhere it joins lists.
    freezing_visits: bool,
}

impl Functions {
    /// The number of new objects after which the collector runs.
    fn threshold(&self, py: Python<'_>) -> PyResult<i64> {
        self.get_threshold.call0(py)?.bind(py).get_item(0)?.extract()
    }

    /// Sets it. This allocates nothing.
    fn set_threshold(&self, py: Python<'_>, arguments: &Py<PyTuple>) -> PyResult<()> {
        self.set_threshold.bind(py).call1(arguments.bind(py)).map(|_| ())
    }
}

static FUNCTIONS: PyOnceLock<Functions> = PyOnceLock::new();

fn functions(py: Python<'_>) -> PyResult<&'static Functions> {
    FUNCTIONS.get_or_try_init(py, || {
        let gc = py.import(intern!(py, "gc"))?;
        let function = |name| gc.getattr(name).map(Bound::unbind);
        let third = gc.call_method0(intern!(py, "get_threshold"))?.get_item(2)?;
        Ok(Functions {
            freezing_visits: cfg!(Py_3_14) && third.extract::<i64>()? == 0,
            get_freeze_count: function(intern!(py, "get_freeze_count"))?,
            get_count: function(intern!(py, "get_count"))?,
            freeze: function(intern!(py, "freeze"))?,
            unfreeze: function(intern!(py, "unfreeze"))?,
            collect: function(intern!(py, "collect"))?,
            get_objects: function(intern!(py, "get_objects"))?,
            get_threshold: function(intern!(py, "get_threshold"))?,
            set_threshold: function(intern!(py, "set_threshold"))?,
            never: PyTuple::new(py, [NEVER])?.unbind(),
        })
    })
}

/// How many objects may be frozen without the program's doing. When it starts, 3.12 freezes some
/// hundred, and other versions none; a program that freezes what it has freezes thousands.
const OF_START: usize = if cfg!(all(Py_3_12, not(Py_3_13))) { 1_000 } else { 0 };

/// Moves all tracked objects to the oldest generation without visiting them, unless the program has
/// frozen objects itself. How many these are.
fn promote(py: Python<'_>) -> PyResult<u64> {
    let gc = functions(py)?;
    if !is_enabled(py) || gc.get_freeze_count.call0(py)?.extract::<usize>(py)? > OF_START {
        return Ok(0);
    }
    let young = young(py)?;
    gc.freeze.call0(py)?;
    gc.unfreeze.call0(py)?;
    with(|count| count.promoted += young);
    Ok(young)
}

/// How many objects the collector has not visited yet.
fn young(py: Python<'_>) -> PyResult<u64> {
    let count = functions(py)?.get_count.call0(py)?;
    Ok(count.bind(py).get_item(0)?.extract::<i64>()?.max(0) as u64)
}

/// Runs a full collection if many objects have become old without a visit.
///
/// The collector does not count those, so it would never visit the old objects because of them. We
/// run it before the next large load, because the objects of earlier loads are often gone by then.
/// This bounds the garbage in cycles that loads leave behind.
fn catch_up(py: Python<'_>) -> PyResult<()> {
    if !is_enabled(py) || with(|count| count.promoted < count.patience) {
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
fn after_fork(py: Python<'_>) -> PyResult<()> {
    let was_paused = with(|count| {
        count.process += 1;
        std::mem::take(&mut count.depth) > 0
    });
    if was_paused { give_back(py) } else { Ok(()) }
}

/// Whether the program lets the collector run.
fn is_enabled(_py: Python<'_>) -> bool {
    // SAFETY: the token shows that the interpreter is attached.
    unsafe { ffi::PyGC_IsEnabled() == 1 }
}
