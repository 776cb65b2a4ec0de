//! `Records`: the records of a document as a type, each made when you first ask for it.

use super::parts::{Document, Position, count_in, index_in, is_in, position};
use super::{Handle, Inner, matches, values};
use crate::edge::errors::guarded;
use crate::edge::modules;
use crate::edge::options;
use crate::edge::printable::printable;
use crate::objects::Options;
use crate::plan::PlanRef;
use penstock_core::document::{Match, places, scalar_end};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Unknown;
use penstock_core::word::Word;
use penstock_scan::{gathered, make_room};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The records of a JSON document as a type. `penstock.open` creates it if you pass a type.
///
/// It is a read-only `Sequence`. It makes a record when you first ask for it, and keeps it:
/// `rows[3] is rows[3]`. It neither makes other records nor checks that they fit the type. A slice
/// is a list of records.
///
/// Example:
///     >>> import penstock
///     >>> rows = penstock.open(b'[{"x": 1}, {"x": 2}, {"x": "three"}]', dict[str, int])
///     >>> len(rows), rows[-2], rows[1] is rows[1]
///     (3, {'x': 2}, True)
#[pyclass(frozen, generic, module = "penstock")]
pub(crate) struct Records {
    handle: Arc<Handle>,
    which: Which,
    plan: PlanRef,
    how: Options,
    /// The arguments that make the same object again from the text.
    into: Py<PyAny>,
    at: Option<Py<PyString>>,
    /// The records that were made.
    made: Mutex<HashMap<usize, Py<PyAny>>>,
    /// The positions of the values of maps and lists that hold scalars.
    begins: Mutex<HashMap<u64, Arc<[u64]>>>,
}

/// The records of a document as a type.
#[pyfunction]
#[pyo3(signature = (document, into, at, unknown, all_errors, /))]
pub(crate) fn document_records<'py>(
    document: &Bound<'py, Document>,
    into: &Bound<'py, PyAny>,
    at: Option<&Bound<'py, PyAny>>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
) -> PyResult<Records> {
    let py = document.py();
    guarded(py, || Records::new(py, document.get(), into, at, unknown, all_errors))
}

/// The values that are records.
enum Which {
    /// The elements of the root.
    Elements(Word, usize),
    /// The root itself.
    Root,
    /// The values at a path, and how many steps above its end its last `*` stands.
    Found(Vec<Match>, Option<usize>),
}

/// A map or list, and a position in it.
type Slot = (Word, usize);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Records {
    fn new<'py>(
        py: Python<'py>,
        part: &Document,
        into: &Bound<'py, PyAny>,
        at: Option<&Bound<'py, PyAny>>,
        unknown: &Bound<'py, PyAny>,
        all_errors: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        let inner = part.handle.get()?;
        let view = inner.view(py);
        let plan = crate::io::dialect::json(py)?.plan(into)?;
        let unknown = options::unknown_in_memory(options::text("unknown", unknown)?)?;
        let how = values::options(&inner, unknown, options::flag("all_errors", all_errors)?);
        let which = match at {
            Some(at) => {
                let path = matches::path(at)?;
                let mut matches = matches::all(&path, view, part.word)?;
                let found = gathered(std::iter::from_fn(|| matches.next(view)));
                Which::Found(found, path.last_star())
            }
            None => match view.container(part.word) {
                Some(list) if !list.is_map() => Which::Elements(part.word, list.slots()),
                _ => Which::Root,
            },
        };
        Ok(Records {
            handle: Arc::clone(&part.handle),
            which,
            plan,
            how,
            into: into.clone().unbind(),
            at: at.map(|at| at.cast::<PyString>().map(|at| at.clone().unbind())).transpose()?,
            made: Mutex::default(),
            begins: Mutex::default(),
        })
    }

    fn len(&self) -> usize {
        match &self.which {
            Which::Elements(_, len) => *len,
            Which::Root => 1,
            Which::Found(found, _) => found.len(),
        }
    }

    /// The record at a position, which must exist.
    fn record<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        if let Some(made) = locked(&self.made).get(&at) {
            return Ok(made.bind(py).clone());
        }
        let inner = self.handle.get()?;
        let (range, within) = self.range(py, &inner, at)?;
        let path = || -> Vec<PathStep> {
            within.map_or_else(Vec::new, |(within, slot)| inner.path_to(py, within, slot))
        };
        let how = (self.plan.clone_ref(py), self.how);
        let star = if let Which::Found(_, star) = &self.which { *star } else { None };
        let record = inner.decode(py, how, range, (Some(at as u64 + 1), star), &path)?;
        // The class's own code may have made the same record meanwhile. Then this one is dropped, but
        // not before the lock is released: its finalizer may look into these records.
        let kept = {
            let mut made = locked(&self.made);
            make_room(&mut *made, 1);
            made.entry(at).or_insert_with(|| record.clone().unbind()).bind(py).clone()
        };
        Ok(kept)
    }

    /// The position of a record in the text, and its path in the document.
    fn range(
        &self,
        py: Python<'_>,
        inner: &Inner,
        at: usize,
    ) -> PyResult<(Range<usize>, Option<Slot>)> {
        let view = inner.view(py);
        let (within, slot) = match &self.which {
            Which::Root => {
                let root = view.container(view.root());
                return Ok((root.map_or(view.whole(), |root| root.range()), None));
            }
            Which::Elements(within, _) => (*within, at),
            Which::Found(found, _) => (found[at].within, found[at].slot),
        };
        let nowhere = || pyo3::exceptions::PySystemError::new_err("a record that stands nowhere");
        let container = view.container(within).ok_or_else(nowhere)?;
        let value = container.slot(slot).ok_or_else(nowhere)?;
        let range = match view.container(value) {
            Some(record) => record.range(),
            None => {
                let mut begins = locked(&self.begins);
                let known = begins.entry(container.id());
                let begin = known.or_insert_with(|| places(&container).into()).get(slot).copied();
                drop(begins);
                let begin = begin.ok_or_else(nowhere)? as usize;
                begin..scalar_end(view.text(), begin)
            }
        };
        Ok((range, Some((within, slot))))
    }
}

#[pymethods]
impl Records {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guarded(py, || self.handle.get().map(|_| self.len()))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            self.handle.get()?;
            let len = self.len();
            match position(index, len)? {
                Position::At(at) => self.record(py, at),
                Position::Slice(positions) => {
                    let list = PyList::empty(py);
                    for at in positions {
                        list.append(self.record(py, at)?)?;
                    }
                    Ok(list.into_any())
                }
                Position::Outside => Err(PyIndexError::new_err(format!(
                    "index {index} is out of range of {len} records"
                ))),
                Position::None => {
                    let kind = index.get_type().name()?;
                    let message = format!("records are indexed by int or slice, not {kind}");
                    Err(PyTypeError::new_err(message))
                }
            }
        })
    }

    fn __iter__(this: Py<Self>) -> RecordWalk {
        RecordWalk { records: this, at: AtomicUsize::new(0) }
    }

    fn __contains__(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        guarded(this.py(), || is_in(this.as_any(), value))
    }

    /// The position of the first record that equals `value`.
    ///
    /// Raises:
    ///     ValueError: There is none.
    #[pyo3(signature = (value, start=0, stop=isize::MAX, /))]
    fn index<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyInt>> {
        guarded(this.py(), || index_in(this.as_any(), value, (start, stop)))
    }

    /// How many records equal `value`.
    #[pyo3(signature = (value, /))]
    fn count<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyInt>> {
        guarded(this.py(), || count_in(this.as_any(), value))
    }

    /// The document that the records are in.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || Document::root(py, Arc::clone(&self.handle)))
    }

    /// Releases the document, for all its parts, and the records that were made.
    fn close(&self) {
        self.handle.close();
        let made = std::mem::take(&mut *locked(&self.made));
        drop(made);
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) {
        let _ = (kind, error, traceback);
        self.close();
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, || {
            let document = Document::root(py, Arc::clone(&self.handle))?;
            let again = py.import(modules::OPEN)?.getattr("_records_again")?;
            let unknown = match self.how.unknown {
                Unknown::Error => "error",
                _ => "skip",
            };
            let at = self.at.as_ref().map(|at| at.clone_ref(py));
            let into = self.into.clone_ref(py);
            let given = (document, into, at, unknown, self.how.all_errors).into_pyobject(py)?;
            Ok((again, given).into_pyobject(py)?.into_any())
        })
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.into)?;
        self.plan.traverse(&visit)?;
        // The collector must not wait. Nobody keeps the lock while Python code runs.
        match self.made.try_lock() {
            Ok(made) => made.values().try_for_each(|made| visit.call(made)),
            Err(TryLockError::Poisoned(made)) => {
                made.into_inner().values().try_for_each(|made| visit.call(made))
            }
            Err(TryLockError::WouldBlock) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let made = std::mem::take(&mut *locked(&self.made));
        drop(made);
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(py, || {
            let Ok(inner) = self.handle.get() else {
                return Ok(PyString::new(py, "Records(closed)"));
            };
            let name = inner.name.as_deref().unwrap_or("a json document");
            let written = &self.plan.nodes[self.plan.root as usize].written;
            printable(py, &format!("Records({name} -> {written}, {} of them)", self.len()))
        })
    }
}

/// An iterator over records.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct RecordWalk {
    records: Py<Records>,
    at: AtomicUsize,
}

#[pymethods]
impl RecordWalk {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(py, || {
            let records = self.records.get();
            let at = self.at.fetch_add(1, Ordering::Relaxed);
            if at >= records.__len__(py)? {
                return Ok(None);
            }
            records.record(py, at).map(Some)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.records)
    }
}
