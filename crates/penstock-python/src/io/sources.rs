//! The sources that a caller may pass: a path, a binary file, or chunks of bytes.
//!
//! A source is read without the interpreter lock. Files that are Python objects take it while their
//! own methods run.

use super::stored::{About, Stored, is_remote};
use crate::edge::errors::{self, guarded};
use crate::edge::gc_refs::Held;
use crate::edge::options;
use penstock_core::limits::Limits;
use penstock_core::source::{
    Compression, Detect, Encoding, EndsEarly, Options, Source, SourceError,
};
use pyo3::exceptions::{PyIsADirectoryError, PyOSError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PyString};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::sync::{Arc, OnceLock};

/// The caller's source, its name, and the options for its bytes.
#[pyclass(frozen, name = "Source", module = "penstock._rust")]
pub(crate) struct SourceObject {
    object: Py<PyAny>,
    name: Option<String>,
    encoding: Option<Encoding>,
    compression: Compression,
    /// What file it was when it was opened first, if it is a path or an address.
    file: OnceLock<About>,
}

/// The size of a file in bytes, and when it was changed last, in nanoseconds.
pub(crate) type Version = (u64, i128);

#[pymethods]
impl SourceObject {
    #[new]
    #[pyo3(signature = (source, name, encoding, compression, /))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        name: Option<&Bound<'_, PyString>>,
        encoding: Option<&Bound<'_, PyAny>>,
        compression: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let compression = options::text_or_none("compression", compression)?;
            Ok(SourceObject {
                object: source.clone().unbind(),
                name: name.map(|name| name.to_string_lossy().into_owned()),
                encoding: options::encoding(options::text_or_none("encoding", encoding)?)?,
                compression: options::compression(compression)?,
                file: OnceLock::new(),
            })
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)
    }
}

impl SourceObject {
    /// What messages call it.
    pub(crate) fn name(&self) -> Option<String> {
        self.name.clone()
    }

    /// The caller's object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.object.bind(py)
    }

    pub(crate) fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// Which file it was when it was opened first, if it is a path or an address: the device and the number there.
    pub(crate) fn file(&self) -> Option<(u64, u64)> {
        self.file.get().map(|about| about.which)
    }

    /// Which state of the file it was then.
    pub(crate) fn version(&self) -> Option<Version> {
        self.file.get().map(|about| (about.size, about.changed))
    }

    /// Opens the source. Also returns the caller's object, if it must be kept.
    pub(crate) fn open(
        &self,
        py: Python<'_>,
        detect: Detect,
        limits: &Limits,
    ) -> PyResult<(Source, Option<Held>)> {
        self.open_up_to(py, detect, limits, None)
    }

    /// The same for whoever reads little of it: an address is not asked for more in advance.
    pub(crate) fn open_head(
        &self,
        py: Python<'_>,
        detect: Detect,
        limits: &Limits,
    ) -> PyResult<(Source, Option<Held>)> {
        self.open_up_to(py, detect, limits, Some(1))
    }

    fn open_up_to(
        &self,
        py: Python<'_>,
        detect: Detect,
        limits: &Limits,
        until: Option<u64>,
    ) -> PyResult<(Source, Option<Held>)> {
        let object = self.object.bind(py);
        let SourceObject { compression, encoding, .. } = *self;
        let options = Options { compression, encoding, detect, limits, total_hint: None };
        if let Ok(path) = object.cast::<PyString>() {
            let (source, file) = of_path(path, options)?;
            self.file.get_or_init(|| file);
            return Ok((source, None));
        }
        if is_remote(object)? {
            return self.open_remote(object, options, until);
        }
        let (reader, held): (Box<dyn Read + Send>, Held) =
            if let Some(file) = PythonFile::new(object)? {
                let held = file.method.clone();
                (Box::new(file), held)
            } else {
                let chunks = Chunks::new(object)?;
                let held = chunks.iterator.clone();
                (Box::new(chunks), held)
            };
        Ok((Source::open(reader, options), Some(held)))
    }

    /// Opens an address: a stream with pieces in flight. A binary property list is read at positions.
    /// Behind `until`, only what is read is asked for.
    fn open_remote(
        &self,
        remote: &Bound<'_, PyAny>,
        options: Options<'_>,
        until: Option<u64>,
    ) -> PyResult<(Source, Option<Held>)> {
        let stream = remote.call_method1(intern!(remote.py(), "open"), (0, until))?;
        let file = PythonFile::new(&stream)?.ok_or_else(errors::untold)?;
        let held = file.method.clone();
        let Some((stored, size)) = Stored::open(remote)? else {
            return Ok((Source::open(Box::new(file), options), Some(held)));
        };
        let about = stored.about()?;
        self.file.get_or_init(|| about);
        let source = Source::open(Box::new(file), Options { total_hint: Some(size), ..options });
        let source = match options.detect {
            Detect::Plist => source.with_positions(Arc::new(stored), size),
            _ => source,
        };
        Ok((source, Some(held)))
    }
}

/// What reads a binary file that is a Python object.
pub(super) fn reader(file: &Bound<'_, PyAny>) -> PyResult<Box<dyn Read + Send>> {
    Ok(Box::new(PythonFile::new(file)?.ok_or_else(errors::untold)?))
}

/// The source of a file by its path, and what file that is.
fn of_path(path: &Bound<'_, PyString>, options: Options<'_>) -> PyResult<(Source, About)> {
    let (file, about) = open_file(path)?;
    let total_hint = about.is_file().then_some(about.len());
    let options = Options { total_hint, ..options };
    let which = About::from(&about);
    // A pipe may keep a thread waiting for ever.
    let Some(size) = total_hint else { return Ok((Source::open(Box::new(file), options), which)) };
    let positions = (options.detect == Detect::Plist).then(|| file.try_clone()).transpose()?;
    let source = Source::free(Arc::new((file, size)), options);
    let source = match positions {
        Some(file) => source.with_positions(Arc::new(file), size),
        None => source,
    };
    Ok((source, which))
}

/// The first `size` bytes of a file by its path or address, or fewer, decompressed. Empty if it cannot be decompressed:
/// whoever reads the file reports that.
#[pyfunction]
#[pyo3(signature = (file, size, /))]
pub(crate) fn opening<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    size: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(py, || {
        let limits = Limits::default();
        let options = Options {
            compression: Compression::Infer,
            encoding: None,
            detect: Detect::Plist,
            limits: &limits,
            total_hint: None,
        };
        let mut source = match file.cast::<PyString>() {
            Ok(path) => of_path(path, options)?.0,
            // No more is asked for than is looked at.
            Err(_) => {
                let stream = file.call_method1(intern!(py, "open"), (0, size))?;
                Source::open(reader(&stream)?, options)
            }
        };
        let mut bytes = vec![0; size];
        let mut count = 0;
        while count < size {
            match source.read(&mut bytes[count..]) {
                Ok(0) | Err(SourceError::Fault(_)) => break,
                Ok(n) => count += n,
                Err(SourceError::Idle) => py.check_signals()?,
                Err(SourceError::Io(error)) => return Err(error.into()),
            }
        }
        Ok(PyBytes::new(py, &bytes[..count]))
    })
}

pub(super) fn open_file(path: &Bound<'_, PyString>) -> PyResult<(File, Metadata)> {
    const READ_ONLY: i32 = 0;
    // Python's own function answers signals while it waits: a named pipe may have no writer yet.
    let opened = path.py().import("os")?.call_method1("open", (path, READ_ONLY))?;
    // SAFETY: a descriptor that was opened just now, and that nobody else knows.
    let file = unsafe { File::from_raw_fd(opened.extract()?) };
    let about = file.metadata()?;
    if about.is_dir() {
        const IS_A_DIRECTORY: i32 = 21;
        let message = "Is a directory; penstock.read() reads the files in it";
        let arguments = (IS_A_DIRECTORY, message, path.clone().unbind());
        return Err(PyIsADirectoryError::new_err(arguments));
    }
    Ok((file, about))
}

/// A binary file that is a Python object.
struct PythonFile {
    method: Held,
    /// True if the method fills a buffer (`readinto`) instead of returning bytes.
    fills: bool,
    /// If it is a response that declares its length, how many bytes were left of it at the beginning.
    declared: Option<Left>,
    /// Bytes that came.
    count: u64,
}

/// How many bytes a response has left, by the length that it declares.
#[derive(Clone, Copy)]
enum Left {
    /// Of `http.client`. Its `read1` counts from Python 3.13 on.
    Bytes(u64),
    /// Of urllib3, or of a response within another file. What is read may be longer than what came,
    /// because they may decompress.
    Encoded(u64),
}

/// How many files may be around a response.
const WRAPPERS: usize = 8;

impl Left {
    /// None for other objects. `file` may be the response, or a buffer or a `GzipFile` around it.
    fn of(file: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = file.py();
        // Whoever has an object of a module has imported the module.
        let is_a = |object: &Bound<'_, PyAny>, module, class| -> PyResult<bool> {
            let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
            let Some(module) = modules.get_item(module)? else { return Ok(false) };
            object.is_instance(&module.getattr(class)?)
        };
        let mut object = file.clone();
        for depth in 0..WRAPPERS {
            let number = |name| object.getattr_opt(name).ok()??.extract::<u64>().ok();
            if let Some(left) = number(intern!(py, "length_remaining")) {
                return Ok(Some(Left::Encoded(left)));
            }
            if let Some(left) = number(intern!(py, "length"))
                && is_a(&object, intern!(py, "http.client"), intern!(py, "HTTPResponse"))?
            {
                return Ok(Some(if depth == 0 { Left::Bytes(left) } else { Left::Encoded(left) }));
            }
            // Other files with a `fileobj`, such as the members of an archive, may end before it does.
            let within = if let Some(raw) = object.getattr_opt(intern!(py, "raw"))? {
                raw
            } else if let Some(file) = object.getattr_opt(intern!(py, "fileobj"))?
                && is_a(&object, intern!(py, "gzip"), intern!(py, "GzipFile"))?
            {
                file
            } else {
                break;
            };
            object = within;
        }
        Ok(None)
    }
}

impl PythonFile {
    /// None if the object is no file.
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        // `read1` returns the bytes that are there; `read` of a buffered file waits until it has
        // all of them.
        let py = object.py();
        let read = [intern!(py, "read1"), intern!(py, "read"), intern!(py, "readinto")];
        for (name, fills) in read.into_iter().zip([false, false, true]) {
            if let Some(method) = object.getattr_opt(name)? {
                let (method, declared) = (Held::new(&method), Left::of(object)?);
                return Ok(Some(PythonFile { method, fills, declared, count: 0 }));
            }
        }
        Ok(None)
    }

    /// Whether a response that gives no more bytes lacks some. `http.client` ends one that is cut in
    /// the same way as any other one.
    fn ends_early(&self, py: Python<'_>) -> PyResult<Option<EndsEarly>> {
        let Some(declared) = self.declared else { return Ok(None) };
        let Some(file) = self.method.get(py)?.getattr_opt(intern!(py, "__self__"))? else {
            return Ok(None);
        };
        let missing = match (declared, Left::of(&file)?) {
            (Left::Bytes(declared), Some(Left::Bytes(left))) => {
                left.min(declared.saturating_sub(self.count))
            }
            (Left::Encoded(_), Some(Left::Encoded(left))) => left,
            _ => 0,
        };
        let (are, bytes) = if missing == 1 { ("is", "byte") } else { ("are", "bytes") };
        Ok((missing > 0).then(|| {
            EndsEarly(format!(
                "the response ends here, and {missing} {bytes} of the length that it declares {are} missing"
            ))
        }))
    }

    fn read_attached(&self, py: Python<'_>, out: &mut [u8]) -> PyResult<usize> {
        let method = self.method.get(py)?;
        if self.fills {
            let buffer = PyByteArray::new_with(py, out.len(), |_| Ok(()))?;
            let answer = method.call1((&buffer,))?;
            if answer.is_none() {
                return Err(would_block());
            }
            let count: usize = answer.extract()?;
            let filled = buffer.to_vec();
            match (filled.get(..count), out.get_mut(..count)) {
                (Some(filled), Some(out)) => out.copy_from_slice(filled),
                _ => return Err(too_many(&method, out.len(), count)),
            }
            return Ok(count);
        }
        let answer = method.call1((out.len(),))?;
        if answer.is_none() {
            return Err(would_block());
        }
        if answer.is_instance_of::<PyString>() {
            return Err(errors::text_mode());
        }
        let bytes = to_bytes(&answer)?;
        let bytes = bytes.as_bytes();
        if bytes.len() > out.len() {
            return Err(too_many(&method, out.len(), bytes.len()));
        }
        out[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

/// The error of a file whose method has raised one. The stream of an address says by an attribute that
/// the end comes too early.
#[cold]
fn raised(py: Python<'_>, error: PyErr) -> io::Error {
    match error.value(py).getattr_opt(intern!(py, "ends_early")) {
        Ok(Some(_)) => {
            let reason = error.value(py).to_string();
            io::Error::new(io::ErrorKind::UnexpectedEof, EndsEarly(reason))
        }
        _ => io::Error::other(error),
    }
}

/// The exception for a file that claims to have read more than was asked for, or than there is.
#[cold]
fn too_many(method: &Bound<'_, PyAny>, asked: usize, given: usize) -> PyErr {
    match method.repr() {
        Ok(method) => PyOSError::new_err(format!(
            "{method} returned {given} bytes where {asked} were asked for"
        )),
        Err(error) => error,
    }
}

fn would_block() -> PyErr {
    PyOSError::new_err("the file has no bytes at hand and does not wait for them (non-blocking)")
}

/// A bytes-like object as bytes.
fn to_bytes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let py = object.py();
    let view = pyo3::types::PyMemoryView::from(object).map_err(|_| {
        let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |n| n.to_string());
        let advice = match object.hasattr(intern!(py, "__fspath__")) {
            Ok(true) => ": the paths of several files must be a list",
            _ => "",
        };
        PyTypeError::new_err(format!("expected chunks of bytes, got {kind}{advice}"))
    })?;
    Ok(py.get_type::<PyBytes>().call1((view,))?.cast_into()?)
}

impl Read for PythonFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let count = self.read_attached(py, out).map_err(|error| raised(py, error))?;
            self.count += count as u64;
            if count == 0
                && !out.is_empty()
                && let Some(early) = self.ends_early(py).map_err(io::Error::other)?
            {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, early));
            }
            Ok(count)
        })
    }
}

/// How many chunks may be empty until the driver checks for signals.
const PATIENCE: usize = 64;

/// Chunks of bytes, from any iterable.
struct Chunks {
    iterator: Held,
    /// The rest of the last chunk, from `at` on.
    chunk: Option<Py<PyBytes>>,
    at: usize,
}

/// Nobody reads on: whoever shows the iterator to the collector need not keep it, and a generator closes what it
/// has opened.
impl Drop for Chunks {
    fn drop(&mut self) {
        self.iterator.clear();
    }
}

impl Chunks {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Chunks { iterator: Held::new(object.try_iter()?.as_any()), chunk: None, at: 0 })
    }

    /// None: there were only empty chunks, and there may be more.
    fn read_attached(&mut self, py: Python<'_>, out: &mut [u8]) -> PyResult<Option<usize>> {
        for _ in 0..PATIENCE {
            if let Some(chunk) = &self.chunk {
                let left = &chunk.as_bytes(py)[self.at..];
                let count = left.len().min(out.len());
                out[..count].copy_from_slice(&left[..count]);
                self.at += count;
                if self.at == chunk.as_bytes(py).len() {
                    self.chunk = None;
                }
                if count > 0 {
                    return Ok(Some(count));
                }
                continue;
            }
            let mut iterator = self.iterator.get(py)?.cast_into::<PyIterator>()?;
            let Some(chunk) = iterator.next().transpose()? else { return Ok(Some(0)) };
            if chunk.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err("expected chunks of bytes, got str"));
            }
            self.chunk = Some(to_bytes(&chunk)?.unbind());
            self.at = 0;
        }
        Ok(None)
    }
}

impl Read for Chunks {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = Python::attach(|py| self.read_attached(py, out)).map_err(io::Error::other)?;
        // The driver checks for signals before it asks again.
        read.ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }
}
