//! The targets that a caller may pass: a path, a binary file, or a function that takes bytes.
//!
//! A target is written to, and compresses, without the interpreter lock. Files and functions that
//! are Python objects take it while they run.

use super::dialect::Dialect;
use crate::edge::buffers::in_pieces;
use crate::edge::errors::{self, Named, Where, guarded, guarded_end};
use crate::edge::gc_refs::Held;
use crate::edge::options;
use penstock_core::csv::WrongDialect;
use penstock_core::limits::Limits;
use penstock_core::run::Spot;
use penstock_core::source::Compression;
#[cfg(target_os = "linux")]
use penstock_core::target::own_path;
use penstock_core::target::{
    self, Host, Kind, NotBehind, Over, Packing, Target, TargetError, Torn, kind_of,
};
use pyo3::exceptions::{
    PyBlockingIOError, PyException, PyMemoryError, PyOSError, PyOverflowError, PyRuntimeError,
    PyTypeError, PyValueError,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString, PyTuple};
#[cfg(target_os = "linux")]
use std::ffi::{CString, c_char, c_int};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

const ACCESS_DENIED: i32 = 13;
const TRY_AGAIN: i32 = 11;

/// A target, and its name in messages.
#[pyclass(frozen, weakref, name = "Target", module = "penstock._rust")]
pub(crate) struct TargetObject {
    target: Mutex<Target>,
    path: Option<Py<PyString>>,
    name: Option<String>,
    /// The caller's object, if there is one.
    held: Option<Held>,
    /// Whether it keeps the records before an error.
    appends: bool,
}

#[pymethods]
impl TargetObject {
    #[new]
    #[pyo3(signature = (
        target, name, compression, level, append, torn, sync, follow, pieces = false, /
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of a Python function")]
    fn new(
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        name: Option<&Bound<'_, PyString>>,
        compression: Option<&Bound<'_, PyAny>>,
        level: Option<&Bound<'_, PyAny>>,
        append: &Bound<'_, PyAny>,
        torn: &Bound<'_, PyAny>,
        sync: &Bound<'_, PyAny>,
        follow: bool,
        pieces: bool,
    ) -> PyResult<Self> {
        guarded(py, || {
            let compression = options::text_or_none("compression", compression)?;
            let how = How {
                packing: packing(options::compression(compression)?, level, pieces)?,
                append: options::flag("append", append)?,
                torn: super::targets::torn(options::text("torn", torn)?)?,
                sync: options::flag("sync", sync)?,
                follow,
            };
            let path = target.cast::<PyString>().ok();
            let name = name.map(|name| name.to_string_lossy().into_owned());
            let mut held = None;
            let opened = match path {
                Some(path) => how.open(path)?,
                None => {
                    let object = PythonTarget::new(target)?;
                    held = Some(object.object.clone());
                    Target::give(Box::new(object), how.packing, HOST)
                }
            };
            let path = path.map(|path| path.clone().unbind());
            let target =
                opened.map_err(|error| raised(py, error, path.as_ref(), name.as_deref()))?;
            let target = Mutex::new(target);
            Ok(TargetObject { target, path, name, held, appends: how.append })
        })
    }

    /// Writes all of the bytes.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(py, || {
            let mut target = self.lock()?;
            let before = target.taken();
            let written = in_pieces(data, |piece| {
                if target.taken() > before {
                    py.check_signals()?;
                }
                self.work(py, &mut target, |target| target.write_all(piece))
            });
            if written.is_err() && target.taken() > before {
                // Half of the data is no use to anybody, and the first error counts.
                let _ = target.abort();
            }
            written
        })
    }

    /// Says that a record ends here.
    fn mark(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, || self.work(py, &mut *self.lock()?, Target::mark))
    }

    /// Passes on whatever is held back.
    pub(crate) fn flush(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, || self.work(py, &mut *self.lock()?, Target::flush))
    }

    /// Ends the target well. With `new`, it must not replace a file.
    #[pyo3(signature = (new = false, /))]
    pub(crate) fn finish(&self, py: Python<'_>, new: bool) -> PyResult<()> {
        guarded_end(py, || {
            let finish = if new { Target::finish_new } else { Target::finish };
            self.work(py, &mut *self.lock()?, finish)
        })
    }

    /// Ends the target, and undoes what can be undone.
    pub(crate) fn abort(&self, py: Python<'_>) -> PyResult<()> {
        guarded_end(py, || self.work(py, &mut *self.lock()?, Target::abort))
    }

    /// How many bytes it was handed.
    #[getter]
    fn taken(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        errors::given(py, || Ok(self.lock()?.taken()))
    }

    /// How many bytes it has written.
    #[getter]
    fn given(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        errors::given(py, || Ok(self.lock()?.given()))
    }

    /// The `.gzi` of what was written in pieces of gzip, once it is finished.
    #[getter]
    fn gzi<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        guarded(py, || Ok(self.lock()?.gzi().map(|gzi| PyBytes::new(py, gzi))))
    }

    /// Whether nothing more can be written.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        guarded_end(py, || Ok(!self.lock()?.is_open()))
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Finishes the target, or aborts it if the block ends with an exception.
    fn __exit__(
        &self,
        py: Python<'_>,
        class: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded_end(py, || {
            if class.is_none() {
                return self.finish(py, false);
            }
            noted(self.abort(py), error)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.held.iter().try_for_each(|held| held.traverse(&visit))
    }

    fn __clear__(&self) {
        self.held.iter().for_each(Held::clear);
    }
}

impl TargetObject {
    /// Writes text that ends with a whole record. Returns how many bytes the target was handed so
    /// far, and how many it has written.
    pub(crate) fn take(&self, py: Python<'_>, text: &[u8]) -> PyResult<(u64, u64)> {
        let mut target = self.lock()?;
        self.work(py, &mut target, |target| {
            target.write_all(text)?;
            if self.appends { target.mark() } else { Ok(()) }
        })?;
        Ok((target.taken(), target.given()))
    }

    /// How many bytes it was handed, and how many it has written; none if it is at work.
    pub(crate) fn counts(&self) -> Option<(u64, u64)> {
        self.lock().ok().map(|target| (target.taken(), target.given()))
    }

    /// Whether it keeps the records before an error.
    pub(crate) fn appends(&self) -> bool {
        self.appends
    }

    /// Its name in messages, if it has one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The target, if nobody uses it.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Target>> {
        match self.target.try_lock() {
            Ok(target) => Ok(target),
            Err(TryLockError::Poisoned(target)) => Ok(PoisonError::into_inner(target)),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this Target is already at work: in another thread, or in code that it is calling",
            )),
        }
    }

    /// Works without the interpreter lock.
    pub(crate) fn work(
        &self,
        py: Python<'_>,
        target: &mut Target,
        work: impl FnOnce(&mut Target) -> Result<(), TargetError> + Send,
    ) -> PyResult<()> {
        py.detach(|| work(target)).map_err(|error| self.raised(py, error))
    }

    /// The exception for an error of this target.
    pub(crate) fn raised(&self, py: Python<'_>, error: TargetError) -> PyErr {
        raised(py, error, self.path.as_ref(), self.name.as_deref())
    }
}

/// The compressions that a file may have: each with its name and its suffix.
pub(crate) fn compressions(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let row = |compression: Compression| (compression.name(), compression.suffix());
    PyTuple::new(py, Compression::ALL.map(row))
}

/// The outcome of undoing something after an error. The first error counts, and a second one becomes
/// a note of it.
pub(crate) fn noted(undone: PyResult<()>, error: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = error.py();
    match undone {
        Err(second) if second.is_instance_of::<PyException>(py) => {
            let note = format!("The target could not be aborted: {}", second.value(py));
            error.call_method1(intern!(py, "add_note"), (note,)).map(drop)
        }
        other => other,
    }
}

/// Sees that rows can be written behind those of a file: its last row is whole, or removed.
#[pyfunction]
#[pyo3(signature = (path, name, dialect, torn, /))]
pub(crate) fn end_rows(
    py: Python<'_>,
    path: &Bound<'_, PyString>,
    name: &str,
    dialect: &Dialect,
    torn: &Bound<'_, PyAny>,
) -> PyResult<()> {
    guarded(py, || {
        let torn = super::targets::torn(options::text("torn", torn)?)?;
        let reader = dialect.reader(false, &Limits::default()).into_csv();
        let reader = reader.ok_or_else(errors::untold)?;
        let impossible = |wrong: WrongDialect| PyValueError::new_err(wrong.0);
        let tailing = reader.tailing().map_err(impossible)?;
        let place: PathBuf = path.extract()?;
        let ended = py.detach(|| target::end_rows(&place, tailing, torn, interrupted));
        match ended {
            Ok(()) => Ok(()),
            Err(NotBehind::Returns) => {
                Err(PyValueError::new_err("append= needs rows that end with a line feed"))
            }
            Err(NotBehind::Target(error)) => {
                Err(raised(py, error, Some(&path.clone().unbind()), Some(name)))
            }
            Err(NotBehind::Open { fault, place, record, may_cut }) => {
                let spot = Spot { place: Some(*place), record: Some(record), path: vec![] };
                let place = Named::new("csv", Some(name)).at(spot);
                let error = errors::either(errors::of_fault(py, &fault, &place));
                if may_cut {
                    error.add_note(py, "torn='cut' removes the row.")?;
                }
                Err(error)
            }
        }
    })
}

/// `compression=` and `level=`
fn packing(
    compression: Compression,
    level: Option<&Bound<'_, PyAny>>,
    pieces: bool,
) -> PyResult<Packing> {
    let level = match level {
        None => None,
        Some(level) if !level.is_instance_of::<PyInt>() || level.is_instance_of::<PyBool>() => {
            return Err(options::wrong_type("level", "an int or None", level));
        }
        Some(level) => match level.extract::<i64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(level.py()) => {
                Some(if level.lt(0)? { i64::MIN } else { i64::MAX })
            }
            level => Some(level?),
        },
    };
    let packing = Packing::new(compression, level);
    let packing = if pieces { packing.and_then(Packing::in_pieces) } else { packing };
    packing.map_err(PyValueError::new_err)
}

/// `torn=`
fn torn(word: &str) -> PyResult<Torn> {
    match word {
        "error" => Ok(Torn::Refuse),
        "cut" => Ok(Torn::Cut),
        _ => Err(options::unknown_word("torn", word, "'error' or 'cut'")),
    }
}

/// How a path is opened.
struct How {
    packing: Packing,
    append: bool,
    torn: Torn,
    sync: bool,
    /// Whether a link is followed to its file. Otherwise it is replaced.
    follow: bool,
}

impl How {
    /// Opens a path. The inner error is the target's own.
    fn open(&self, path: &Bound<'_, PyString>) -> PyResult<Result<Target, TargetError>> {
        let py = path.py();
        let place: PathBuf = path.extract()?;
        let kind =
            match py.detach(|| if self.follow { kind_of(&place) } else { Ok(Kind::File(place)) }) {
                Ok(kind) => kind,
                Err(error) => return Ok(Err(error.into())),
            };
        let How { packing, append, torn, sync, .. } = *self;
        match kind {
            Kind::Through => Ok(Target::through(open_through(path)?, packing, HOST)),
            Kind::File(place) if append => {
                Ok(py.detach(|| Target::append(&place, packing, torn, sync, HOST)))
            }
            Kind::File(place) => {
                let opened = py.detach(|| Target::replace(&place, packing, sync, HOST));
                if let Err(TargetError::Io(error)) = &opened
                    && error.raw_os_error() == Some(ACCESS_DENIED)
                {
                    let reason = "Permission denied for a new file beside it";
                    let arguments = (ACCESS_DENIED, reason, path.clone().unbind());
                    return Err(PyOSError::new_err(arguments));
                }
                Ok(opened)
            }
        }
    }
}

/// Opens what is written through.
fn open_through(path: &Bound<'_, PyString>) -> PyResult<File> {
    let os = path.py().import("os")?;
    let flag = |name: &str| os.getattr(name)?.extract::<i32>();
    let place: PathBuf = path.extract()?;
    let own = own_descriptor(&place);
    // Of a file, a second description would have a place of its own, and what the program prints next
    // would overwrite what comes here.
    if let Some(own) = own
        && fs::metadata(&place).is_ok_and(|about| about.is_file())
        && takes_bytes(&os, own)?
    {
        let copy = os.call_method1("dup", (own,))?;
        // SAFETY: a descriptor that was made just now, and that nobody else knows.
        return Ok(unsafe { File::from_raw_fd(copy.extract()?) });
    }
    let mut flags = flag("O_WRONLY")? | flag("O_NOCTTY")?;
    // It may be a file of another process, which has written to it already.
    if fs::metadata(&place).is_ok_and(|about| about.is_file()) {
        flags |= flag("O_APPEND")?;
    }
    // Python's own function answers signals while it waits: a pipe may have no reader yet.
    let opened = os.call_method1("open", (path, flags))?;
    // SAFETY: a descriptor that was opened just now, and that nobody else knows.
    Ok(unsafe { File::from_raw_fd(opened.extract()?) })
}

/// Whether a descriptor is open for writing.
fn takes_bytes(os: &Bound<'_, PyModule>, descriptor: i32) -> PyResult<bool> {
    let control = os.py().import("fcntl")?;
    let flags = control.call_method1("fcntl", (descriptor, control.getattr("F_GETFL")?))?;
    let access = flags.extract::<i32>()? & os.getattr("O_ACCMODE")?.extract::<i32>()?;
    Ok(access != os.getattr("O_RDONLY")?.extract::<i32>()?)
}

/// The descriptor of this process that a path names, behind all links to such a name.
fn own_descriptor(path: &Path) -> Option<i32> {
    let mut at = std::path::absolute(path).ok()?;
    for _ in 0..MOST_LINKS {
        let folder = at.parent()?;
        let own = format!("/proc/{}/fd", std::process::id());
        let task = Path::new("/proc/thread-self/fd");
        let is_own = ["/dev/fd", "/proc/self/fd", &own].iter().any(|it| folder == Path::new(it));
        if is_own || folder == task {
            return at.file_name()?.to_str()?.parse().ok();
        }
        let to = fs::read_link(&at).ok()?;
        at = folder.join(to);
    }
    None
}

/// The most links that lead to a descriptor.
const MOST_LINKS: usize = 40;

/// What targets ask of the interpreter.
const HOST: Host = Host { interrupted, close, name: Some(name) };

#[cfg(target_os = "linux")]
unsafe extern "C" {
    fn linkat(
        from: c_int,
        old: *const c_char,
        to: c_int,
        new: *const c_char,
        flags: c_int,
    ) -> c_int;
}

/// Gives a file that has none its name.
///
/// `std::fs::hard_link` does not follow links, and the only name that the kernel has for such a file is
/// a link.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    /// A path counts from the current folder.
    const HERE: c_int = -100;
    /// The link is followed.
    const FOLLOW: c_int = 0x400;
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::from);
    let (old, new) = (text(&own_path(file))?, text(path)?);
    // SAFETY: both texts end with a NUL and live until the call returns, which keeps neither.
    match unsafe { linkat(HERE, old.as_ptr(), HERE, new.as_ptr(), FOLLOW) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Other systems have no files without a name.
#[cfg(not(target_os = "linux"))]
fn name(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn interrupted() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::other)
}

/// Closes a file by the interpreter's function, because the one of Rust does not say how it went.
fn close(file: File) -> io::Result<()> {
    Python::attach(|py| {
        let closed = py
            .import(intern!(py, "os"))
            .and_then(|os| os.call_method1(intern!(py, "close"), (file.as_raw_fd(),)));
        let Err(error) = closed else {
            let _ = file.into_raw_fd();
            return Ok(());
        };
        if !error.is_instance_of::<PyOSError>(py) {
            return Err(io::Error::other(error));
        }
        // Linux closes it nevertheless.
        let _ = file.into_raw_fd();
        let code = error.value(py).getattr(intern!(py, "errno")).and_then(|code| code.extract());
        Err(code.map_or_else(|_| io::Error::other(error), io::Error::from_raw_os_error))
    })
}

/// The exception for an error of a target. One of the caller's own object passes as it is.
#[cold]
pub(crate) fn raised(
    py: Python<'_>,
    error: TargetError,
    path: Option<&Py<PyString>>,
    name: Option<&str>,
) -> PyErr {
    match error {
        TargetError::Io(error) => of_system(py, error, path),
        TargetError::Fault(fault) => {
            let place =
                Where { format: "ndjson", source: name, place: None, record: None, path: vec![] };
            errors::either(errors::of_fault(py, &fault, &place))
        }
        // Whoever catches the errors of the system has not seen the end of it.
        TargetError::Over(Over::Failed) => PyOSError::new_err(Over::Failed.to_string()),
        TargetError::Over(over) => PyValueError::new_err(over.to_string()),
    }
}

fn of_system(py: Python<'_>, error: io::Error, path: Option<&Py<PyString>>) -> PyErr {
    if error.kind() == io::ErrorKind::OutOfMemory {
        return PyMemoryError::new_err(());
    }
    let Some(code) = error.raw_os_error() else { return PyErr::from(error) };
    let reason = py.import("os").and_then(|os| os.call_method1("strerror", (code,)));
    match (reason, path) {
        (Ok(reason), Some(path)) => PyOSError::new_err((code, reason.unbind(), path.clone_ref(py))),
        (Ok(reason), None) => PyOSError::new_err((code, reason.unbind())),
        (Err(instead), _) => instead,
    }
}

/// A Python object that takes bytes.
struct PythonTarget {
    object: Held,
    /// True if it is a file, and not a function.
    is_file: bool,
    /// True if None means that it took nothing.
    is_raw: bool,
}

impl PythonTarget {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let is_file = object.hasattr(intern!(py, "write"))?;
        let is_raw = object.is_instance(&py.import("io")?.getattr("RawIOBase")?)?;
        Ok(PythonTarget { object: Held::new(object), is_file, is_raw })
    }

    fn write_attached(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        let object = self.object.get(py)?;
        let data = PyBytes::new_with(py, bytes.len(), |data| {
            data.copy_from_slice(bytes);
            Ok(())
        })?;
        let answer = if self.is_file {
            object.call_method1(intern!(py, "write"), (data,))?
        } else {
            object.call1((data,))?
        };
        if answer.is_none() {
            if self.is_raw {
                let reason = "the file takes no bytes now and does not wait (non-blocking)";
                return Err(PyBlockingIOError::new_err((TRY_AGAIN, reason)));
            }
            return Ok(bytes.len());
        }
        let is_count = answer.is_instance_of::<PyInt>() && !answer.is_instance_of::<PyBool>();
        match answer.extract::<usize>() {
            Ok(count) if is_count && count <= bytes.len() => Ok(count),
            _ => Err(no_count(&object, &answer, bytes.len(), is_count)),
        }
    }
}

/// The exception for an answer that is not the number of bytes that were taken.
#[cold]
fn no_count(
    object: &Bound<'_, PyAny>,
    answer: &Bound<'_, PyAny>,
    given: usize,
    is_number: bool,
) -> PyErr {
    let (object, kind) = match (object.repr(), answer.get_type().name()) {
        (Ok(object), Ok(kind)) => (object, kind),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    if is_number {
        return PyOSError::new_err(format!("{object} said that it took {answer} of {given} bytes"));
    }
    PyTypeError::new_err(format!(
        "{object} returned {kind} for {given} bytes: it must return how many it took, or None for all"
    ))
}

impl Write for PythonTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| self.write_attached(py, bytes)).map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flush = |py: Python<'_>| {
            let object = self.object.get(py)?;
            match object.getattr_opt(intern!(py, "flush"))? {
                Some(flush) if self.is_file => flush.call0().map(drop),
                _ => Ok(()),
            }
        };
        Python::attach(flush).map_err(io::Error::other)
    }
}
