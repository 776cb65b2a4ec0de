//! Files that are read at positions: on a disk, or behind an address.
//!
//! What is behind an address is a `penstock._io.remote.Remote`, which asks for ranges of bytes. It is
//! called without the interpreter lock, and takes it.

use pyo3::exceptions::PyOSError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex};

use super::sources::{self, open_file};
use penstock_core::source::ReadAt;

/// A file that any number of threads read at positions. It is opened once, and shared.
#[derive(Clone)]
pub(crate) enum Stored {
    Disk(Arc<File>),
    Remote(Remote),
}

/// A `Remote` that knows its size.
pub(crate) struct Remote {
    object: Arc<Py<PyAny>>,
    /// The state to which it is pinned: whatever is read is compared with it.
    about: About,
    /// What reads on, if one read has followed the other so far. Not shared by clones: each has its
    /// own order.
    order: Mutex<Order>,
    /// How many bytes may lie between two reads that follow each other.
    gap: u64,
}

/// How reads have followed each other.
#[derive(Default)]
struct Order {
    /// Where the last one ended.
    at: u64,
    /// How many have begun where the one before ended.
    streak: u32,
    /// What reads on, with pieces in flight.
    stream: Option<Box<dyn Read + Send>>,
}

/// After so many reads that follow each other, the next ones come from a stream.
const IN_ORDER: u32 = 2;

/// Whoever goes from piece to piece of a compressed file passes over so many bytes at most. In the time
/// of a request for what follows, more than that would come in a stream.
const NEAR: u64 = 256 << 10;

impl Clone for Remote {
    fn clone(&self) -> Self {
        Remote { gap: self.gap, ..Remote::new(Arc::clone(&self.object), self.about) }
    }
}

impl Remote {
    fn new(object: Arc<Py<PyAny>>, about: About) -> Self {
        Remote { object, about, order: Mutex::default(), gap: 0 }
    }

    /// A stream from a position on. Behind `until`, it asks only for what is read.
    fn stream(&self, at: u64, until: Option<u64>) -> io::Result<Box<dyn Read + Send>> {
        Python::attach(|py| {
            let stream = self.object.bind(py).call_method1(intern!(py, "open"), (at, until))?;
            sources::reader(&stream)
        })
        .map_err(io::Error::other)
    }

    /// Reads one range of bytes.
    fn range(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let read = |py: Python<'_>| {
            let range = (offset, offset + out.len() as u64);
            let bytes = self.object.bind(py).call_method1(intern!(py, "read_range"), range)?;
            let bytes: PyBackedBytes = bytes.extract()?;
            if bytes.len() != out.len() {
                return Err(PyOSError::new_err("a range of bytes came with another length"));
            }
            out.copy_from_slice(&bytes);
            Ok(())
        };
        Python::attach(read).map_err(io::Error::other)
    }
}

impl ReadAt for Remote {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        // Another thread reads: it has the order.
        let Ok(mut order) = self.order.try_lock() else { return self.range(out, offset) };
        let between = offset.checked_sub(order.at).filter(|between| *between <= self.gap);
        let follows = between.is_some() && offset > 0;
        if !follows {
            *order = Order::default();
        }
        order.streak += u32::from(follows);
        let is_new = order.streak > IN_ORDER && order.stream.is_none();
        if is_new {
            order.stream = Some(self.stream(offset, None)?);
        }
        let read = match &mut order.stream {
            Some(stream) => {
                let between = between.filter(|_| !is_new).unwrap_or_default();
                pass(stream, between).and_then(|()| stream.read_exact(out))
            }
            None => self.range(out, offset),
        };
        match read {
            Ok(()) => order.at = offset + out.len() as u64,
            Err(_) => *order = Order::default(),
        }
        read
    }
}

/// Passes over bytes of a stream.
fn pass(stream: &mut (dyn Read + Send), count: u64) -> io::Result<()> {
    let passed = io::copy(&mut stream.take(count), &mut io::sink())?;
    if passed < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Which file it is, and in which state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct About {
    /// The device, and the number there.
    pub(crate) which: (u64, u64),
    pub(crate) size: u64,
    /// When it was changed last, in nanoseconds. Of an address: a digest of its version, or 0.
    pub(crate) changed: i128,
}

impl From<&Metadata> for About {
    fn from(about: &Metadata) -> Self {
        let changed = i128::from(about.mtime()) * 1_000_000_000 + i128::from(about.mtime_nsec());
        About { which: (about.dev(), about.ino()), size: about.len(), changed }
    }
}

/// Whether a caller's object is a file behind an address, as `penstock._io.sources.is_remote` says. Other
/// files may give ranges, too.
pub(crate) fn is_remote(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    Ok(object.getattr_opt(intern!(py, "read_range"))?.is_some()
        && object.getattr_opt(intern!(py, "kept"))?.is_some())
}

/// The state of a file behind an address. None if its size is not known, so that it is a stream.
pub(crate) fn about_remote(remote: &Bound<'_, PyAny>) -> PyResult<Option<About>> {
    let py = remote.py();
    let state = remote.call_method0(intern!(py, "stat"))?;
    let Some(size) = state.getattr(intern!(py, "st_size"))?.extract()? else { return Ok(None) };
    let which = (
        state.getattr(intern!(py, "st_dev"))?.extract()?,
        state.getattr(intern!(py, "st_ino"))?.extract()?,
    );
    let changed = state.getattr(intern!(py, "st_mtime_ns"))?.extract()?;
    Ok(Some(About { which, size, changed }))
}

impl Stored {
    /// Opens a path, or a `Remote`. None if it is no regular file, or a stream.
    pub(crate) fn open(object: &Bound<'_, PyAny>) -> PyResult<Option<(Self, u64)>> {
        if let Ok(path) = object.cast::<PyString>() {
            let (file, about) = open_file(path)?;
            let size = about.is_file().then_some(about.len());
            return Ok(size.map(|size| (Stored::Disk(Arc::new(file)), size)));
        }
        let about = about_remote(object)?;
        let remote = |about| Stored::Remote(Remote::new(Arc::new(object.clone().unbind()), about));
        Ok(about.map(|about| (remote(about), about.size)))
    }

    /// The same for whoever goes from piece to piece and reads a little of each.
    pub(crate) fn passed_over(&self) -> Self {
        match self {
            Stored::Disk(file) => Stored::Disk(Arc::clone(file)),
            Stored::Remote(remote) => Stored::Remote(Remote { gap: NEAR, ..remote.clone() }),
        }
    }

    /// Whether the state of the file has a name: that of another one is another.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Stored::Remote(remote) if remote.about.changed != 0)
    }

    /// Which file it is now. An address is pinned to a state: a read notices that it is another.
    pub(crate) fn about(&self) -> io::Result<About> {
        match self {
            Stored::Disk(file) => Ok(About::from(&file.metadata()?)),
            Stored::Remote(remote) => Ok(remote.about),
        }
    }
}

impl ReadAt for Stored {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Stored::Disk(file) => FileExt::read_exact_at(&**file, out, offset),
            Stored::Remote(_) if out.is_empty() => Ok(()),
            Stored::Remote(remote) => remote.read_exact_at(out, offset),
        }
    }
}

/// Reads a file on from a position. Others may read it, too.
pub(crate) enum FromHere {
    Disk { file: Arc<File>, at: u64 },
    Remote(Box<dyn Read + Send>),
}

impl FromHere {
    /// Reads from `at` on. Behind `until`, an address is asked only for what is read.
    ///
    /// # Errors
    /// The stream of an address cannot be opened.
    pub(crate) fn new(file: Stored, at: u64, until: Option<u64>) -> io::Result<Self> {
        Ok(match file {
            Stored::Disk(file) => FromHere::Disk { file, at },
            Stored::Remote(remote) => FromHere::Remote(remote.stream(at, until)?),
        })
    }
}

impl Read for FromHere {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            FromHere::Disk { file, at } => {
                let count = file.read_at(out, *at)?;
                *at += count as u64;
                Ok(count)
            }
            FromHere::Remote(stream) => stream.read(out),
        }
    }
}
