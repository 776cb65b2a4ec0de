//! `encode` and `Encoder`: objects to text in memory.

use crate::edge::allocator;
use crate::edge::errors::guarded;
use crate::edge::options::unknown_word;
use crate::encode::plain::Plain;
use crate::encode::{Known, Omit, Walker};
use crate::io::style::{Style, unwritable};
use crate::plan::{PlanRef, plan_from};
use crate::verbs::decode::the_value;
use crate::verbs::write::{Chunks, iterate, numbered};
use penstock_core::each_writer;
use penstock_core::formats::AnyWriter;
use penstock_core::json::writer as json;
use penstock_core::limits::Limits;
use penstock_core::shape::Form;
use penstock_core::writer::{Content, Writer};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyIterator, PyTuple};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Writes objects as JSON, again and again.
#[pyclass(frozen, subclass, module = "penstock._rust")]
pub(crate) struct Encoder {
    work: Mutex<Work>,
    omit: Omit,
    /// The type that all objects are written as.
    plan: Option<PlanRef>,
    /// What stands for an object that cannot be written (`default=`).
    default: Option<Py<PyAny>>,
    style: Py<Style>,
    /// What it was made with, for pickling.
    arguments: Py<PyTuple>,
}

/// What one call leaves behind for the next.
struct Work {
    writer: AnyWriter,
    known: Known,
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (into, style, omit, default = None, /))]
    fn new(
        py: Python<'_>,
        into: Option<&Bound<'_, PyAny>>,
        style: &Bound<'_, Style>,
        omit: Option<&str>,
        default: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let (word, omit) = (omit, self::omit(omit)?);
            let aim = style.get().aim(py);
            let plan = into.map(|into| plan_from(py, into, aim.aimed(py))).transpose()?;
            let writer = style.get().writer(Content::Value, &Limits::default())?;
            let default = checked_default(default)?;
            let options = unusual(style, word)?;
            let known = Known::new(aim).or_else(py, default.as_ref()).under(options);
            let work = Mutex::new(Work { writer, known });
            let arguments = (into, style, word, default.as_ref()).into_pyobject(py)?.unbind();
            Ok(Encoder { work, omit, plan, default, style: style.clone().unbind(), arguments })
        })
    }

    /// One object as the whole text.
    #[pyo3(signature = (value, /))]
    fn encode<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = value.py();
        guarded(py, || {
            let mut work = self.work()?;
            work.known.refresh(py);
            one(&mut work, value, self.plan.as_ref(), self.omit)
        })
    }

    /// All objects that an iterable gives, one after the other.
    #[pyo3(signature = (values, /))]
    fn encode_all<'py>(&self, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = values.py();
        guarded(py, || {
            let mut work = self.work()?;
            work.known.refresh(py);
            let Work { writer, known } = &mut *work;
            let plan = self.plan.as_ref().map(|plan| known.number(py, plan));
            let values = iterate(self.verb_of_all(), values)?;
            each_writer!(writer, writer => all(&mut **writer, known, &values, plan, self.omit))
        })
    }

    /// The values of an iterable as records, in chunks of text.
    ///
    /// They are the text that `write` would write: in JSON, an array. Each chunk has at least `size`
    /// bytes, except for the last one, and ends with a whole record. If a value cannot be written, or
    /// the iterable raises, you get the records before it first.
    ///
    /// Args:
    ///     values: The records, from anything that can be iterated over.
    ///     size: How much text is gathered. With 1, each record is a chunk.
    ///
    /// Returns:
    ///     An iterator over the chunks.
    ///
    /// Raises:
    ///     TypeError: `values` is no iterable of records.
    ///     ValueError: `size` is less than 1.
    ///     EncodeError: While iterating: a value cannot be written. Its `record` says which.
    ///
    /// Example:
    ///     >>> import penstock
    ///     >>> encoder = penstock.ndjson.Encoder()
    ///     >>> list(encoder.chunks([{"n": 1}, {"n": 2}], size=1))
    ///     [b'{"n":1}\n', b'{"n":2}\n']
    #[pyo3(signature = (values, /, *, size = 65_536))]
    fn chunks(&self, values: &Bound<'_, PyAny>, size: usize) -> PyResult<Chunks> {
        guarded(values.py(), || match size {
            0 => Err(PyValueError::new_err("size must be at least 1")),
            _ => Chunks::new(self, values, size),
        })
    }

    /// As what it was made with: the type and the functions are pickled by their names.
    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = this.py();
        guarded(py, || {
            let partial = py.import(intern!(py, "functools"))?.getattr(intern!(py, "partial"))?;
            let new = py.get_type::<Encoder>().getattr(intern!(py, "__new__"))?;
            let call = partial.call1((new, this.get_type()))?;
            Ok((call, this.get().arguments.bind(py).clone()))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.arguments)?;
        if let Some(plan) = &self.plan {
            plan.traverse(&visit)?;
        }
        if let Some(default) = &self.default {
            visit.call(default)?;
        }
        // The collector must not wait. Whoever holds the lock is working.
        let Ok(work) = self.work.try_lock() else { return Ok(()) };
        work.known.traverse(&visit)
    }
}

impl Encoder {
    pub(super) fn style(&self) -> &Style {
        self.style.get()
    }

    /// What callers know `encode_all` by: for formats of records, it is behind `encode`.
    fn verb_of_all(&self) -> &'static str {
        if self.style().is_stream() { "encode" } else { "encode_all" }
    }

    /// How objects are walked.
    pub(super) fn walk(&self, py: Python<'_>) -> (Option<PlanRef>, Omit) {
        (self.plan.as_ref().map(|plan| plan.clone_ref(py)), self.omit)
    }

    /// The options that decide how a value is written, if they are not the usual ones.
    pub(super) fn unusual<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let word: Option<String> = self.arguments.bind(py).get_item(2)?.extract()?;
        unusual(self.style.bind(py), word.as_deref())
    }

    /// What stands for an object that cannot be written.
    pub(super) fn default(&self) -> Option<&Py<PyAny>> {
        self.default.as_ref()
    }

    /// One object as text, in pieces.
    pub(super) fn in_pieces(
        &self,
        value: &Bound<'_, PyAny>,
        take: &mut dyn FnMut(&[u8]) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = value.py();
        let mut work = self.work()?;
        work.known.refresh(py);
        let Work { writer, known } = &mut *work;
        let plan = self.plan.as_ref().map(|plan| known.number(py, plan));
        each_writer!(writer, writer => pieces(&mut **writer, known, value, plan, self.omit, take))
    }

    fn work(&self) -> PyResult<MutexGuard<'_, Work>> {
        match self.work.try_lock() {
            Ok(work) => Ok(work),
            // A call ended for lack of memory. The next one begins anew.
            Err(TryLockError::Poisoned(work)) => Ok(work.into_inner()),
            Err(TryLockError::WouldBlock) => Err(busy()),
        }
    }
}

/// The options that decide how a value is written, if they are not the usual ones.
fn unusual<'py>(
    style: &Bound<'py, Style>,
    omit: Option<&str>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let mut found = style.get().unusual(style.py())?;
    if let Some(omit) = omit {
        found.get_or_insert_with(|| PyDict::new(style.py())).set_item("omit", omit)?;
    }
    Ok(found)
}

/// `default=`
fn checked_default(default: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    match default {
        Some(default) if !default.is_callable() => {
            let kind = default.get_type().name()?;
            Err(PyTypeError::new_err(format!("default must be a function or None, not {kind}")))
        }
        default => Ok(default.map(|default| default.clone().unbind())),
    }
}

#[cold]
fn busy() -> PyErr {
    PyRuntimeError::new_err("the Encoder is in use, by another thread or by code that it called")
}

/// `omit=`
pub(super) fn omit(word: Option<&str>) -> PyResult<Omit> {
    match word {
        None => Ok(Omit::Nothing),
        Some("none") => Ok(Omit::None),
        Some("defaults") => Ok(Omit::Defaults),
        Some(word) => Err(unknown_word("omit", word, "'none', 'defaults' or None")),
    }
}

/// One object as JSON, without options.
pub(crate) fn plainly<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    let mut work = spare().unwrap_or_else(|| Box::new(Work::new()));
    work.known.refresh(py);
    let result = one(&mut work, value, None, Omit::Nothing);
    keep(work);
    result
}

/// Has the work wait for the next call.
fn keep(work: Box<Work>) {
    // Plans hold classes, so no more of them wait than a program uses at a time.
    if work.known.plans().len() <= MOST {
        let before = match SPARE.try_lock() {
            Ok(mut spare) => spare.replace(work),
            Err(_) => Some(work),
        };
        // Only now, without the lock: that may run code.
        drop(before);
    }
}

/// How many plans a spare keeps.
const MOST: usize = 16;

/// What the last call of [`plainly`] left behind.
static SPARE: Mutex<Option<Box<Work>>> = Mutex::new(None);

fn spare() -> Option<Box<Work>> {
    SPARE.try_lock().ok().and_then(|mut spare| spare.take())
}

/// Lets the spare go, and with it the plans that it keeps.
pub(crate) fn let_go(_py: Python<'_>) {
    drop(spare());
}

/// One object as plain values.
pub(super) fn plainly_as_values<'py>(
    value: &Bound<'py, PyAny>,
    into: Option<&Bound<'py, PyAny>>,
    omit: Omit,
    limits: &Limits,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let options = match omit {
        Omit::Nothing => None,
        Omit::None => Some([("omit", "none")].into_py_dict(py)?),
        Omit::Defaults => Some([("omit", "defaults")].into_py_dict(py)?),
    };
    let walk = |known: &mut Known, plan: Option<&PlanRef>| {
        let mut writer = Plain::new(py, limits);
        let plan = plan.map(|plan| known.number(py, plan));
        Walker::new(py, &mut writer, known, omit)
            .write(value, plan, &mut |_| py.check_signals())?;
        the_value(py, writer.take().map(Bound::unbind))
    };
    if let Some(into) = into {
        // A plan may have the caller's functions for types, which no other call may meet, nor the classes that were
        // planned without them.
        let plan = plan_from(py, into, Form::KEYED.into())?;
        return walk(&mut Known::new(Form::KEYED).under(options), Some(&plan));
    }
    let mut work = spare().unwrap_or_else(|| Box::new(Work::new()));
    work.known.refresh(py);
    work.known = work.known.under(options);
    let made = walk(&mut work.known, None);
    work.known = work.known.under(None);
    keep(work);
    made
}

impl Work {
    fn new() -> Self {
        let writer = json::Writer::new(json::WriterOptions::default(), &Limits::default());
        Work { writer: AnyWriter::Json(Box::new(writer)), known: Known::new(Form::KEYED) }
    }
}

fn one<'py>(
    work: &mut Work,
    value: &Bound<'py, PyAny>,
    plan: Option<&PlanRef>,
    omit: Omit,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    let Work { writer, known } = work;
    let plan = plan.map(|plan| known.number(py, plan));
    each_writer!(writer, writer => whole(&mut **writer, known, value, plan, omit))
}

/// One object as the whole text of a writer.
fn whole<'py, W: Writer>(
    writer: &mut W,
    known: &mut Known,
    value: &Bound<'py, PyAny>,
    plan: Option<usize>,
    omit: Omit,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    writer.reopen();
    let mut text = Gathered::default();
    Walker::new(py, writer, known, omit).write(value, plan, &mut |writer| text.take(py, writer))?;
    writer.finish().map_err(unwritable)?;
    text.finish(py, writer)
}

/// One object as the whole text of a writer, in pieces.
fn pieces<W: Writer>(
    writer: &mut W,
    known: &mut Known,
    value: &Bound<'_, PyAny>,
    plan: Option<usize>,
    omit: Omit,
    take: &mut dyn FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    writer.reopen();
    let mut hand_on = |writer: &mut W| {
        take(writer.ready())?;
        writer.taken();
        Ok(())
    };
    Walker::new(value.py(), writer, known, omit).write(value, plan, &mut hand_on)?;
    writer.finish().map_err(unwritable)?;
    hand_on(writer)
}

/// Says the columns of a type, if the format has columns.
pub(super) fn columns<W: Writer>(
    py: Python<'_>,
    writer: &mut W,
    known: &mut Known,
    plan: usize,
) -> PyResult<()> {
    if W::ROWS { Walker::new(py, writer, known, Omit::Nothing).say_columns(plan) } else { Ok(()) }
}

/// All objects that an iterable gives as the whole text of a writer.
fn all<'py, W: Writer>(
    writer: &mut W,
    known: &mut Known,
    values: &Bound<'py, PyIterator>,
    plan: Option<usize>,
    omit: Omit,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = values.py();
    writer.reopen();
    let mut text = Gathered::default();
    if let Some(plan) = plan {
        columns(py, writer, known, plan)?;
    }
    let mut walker = Walker::new(py, writer, known, omit);
    for value in values.try_iter()? {
        // Nothing is handed on within a record, so that one in error leaves nothing.
        let number = walker.writer().records() + 1;
        let written = walker.write(&value?, plan, &mut |writer| text.take(py, writer));
        written.map_err(|error| numbered(py, error, number))?;
    }
    writer.finish().map_err(unwritable)?;
    text.finish(py, writer)
}

unsafe extern "C" {
    fn _PyBytes_Resize(bytes: *mut *mut ffi::PyObject, size: ffi::Py_ssize_t) -> std::ffi::c_int;
}

/// A `bytes` that grows. Text is handed on to it while it is still in the processor's cache.
#[derive(Default)]
struct Gathered {
    bytes: Option<Py<PyBytes>>,
    length: usize,
}

impl Gathered {
    fn take(&mut self, py: Python<'_>, writer: &mut impl Writer) -> PyResult<()> {
        py.check_signals()?;
        self.push(py, writer.ready())?;
        writer.taken();
        Ok(())
    }

    fn finish<'py>(
        mut self,
        py: Python<'py>,
        writer: &mut impl Writer,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if self.bytes.is_none() {
            // SAFETY: a new object, or null with an exception set.
            let made = unsafe {
                let text = writer.ready();
                let bytes =
                    ffi::PyBytes_FromStringAndSize(text.as_ptr().cast(), text.len() as isize);
                Bound::from_owned_ptr_or_err(py, bytes)?
            };
            return Ok(made.cast_into::<PyBytes>()?);
        }
        self.push(py, writer.ready())?;
        let length = self.length;
        self.resize(py, length)?;
        match self.bytes {
            Some(bytes) => Ok(bytes.into_bound(py)),
            None => Ok(PyBytes::new(py, b"")),
        }
    }

    fn push(&mut self, py: Python<'_>, text: &[u8]) -> PyResult<()> {
        let needed = self.length + text.len();
        let room = self.bytes.as_ref().map_or(0, |bytes| bytes.as_bytes(py).len());
        if needed > room {
            self.resize(py, needed.max(room.saturating_mul(2)).max(1 << 20))?;
        }
        let Some(bytes) = &self.bytes else { return Ok(()) };
        // SAFETY: nobody else has the object, which has this much room behind what is written.
        unsafe {
            let data = ffi::PyBytes_AS_STRING(bytes.as_ptr()).cast::<u8>().cast_mut();
            allocator::will_write(data.add(self.length), text.len());
            data.add(self.length).copy_from_nonoverlapping(text.as_ptr(), text.len());
        }
        self.length = needed;
        Ok(())
    }

    fn resize(&mut self, py: Python<'_>, room: usize) -> PyResult<()> {
        // SAFETY: nobody else has the object. On failure it is gone, and an exception is set.
        unsafe {
            let mut bytes = match self.bytes.take() {
                Some(bytes) => bytes.into_ptr(),
                None => {
                    let bytes = ffi::PyBytes_FromStringAndSize(std::ptr::null(), room as isize);
                    let bytes = Bound::from_owned_ptr_or_err(py, bytes)?;
                    self.bytes = Some(bytes.cast_into::<PyBytes>()?.unbind());
                    return Ok(());
                }
            };
            if _PyBytes_Resize(&raw mut bytes, room as isize) != 0 {
                return Err(PyErr::fetch(py));
            }
            self.bytes = Some(Bound::from_owned_ptr(py, bytes).cast_into::<PyBytes>()?.unbind());
        }
        Ok(())
    }
}
