//! Files that any thread may read, because nobody else is needed for it.

use std::io::{self, Read};
use std::sync::{Arc, Weak};

/// A file that needs nobody else to be read, and never waits for somebody: one on a disk, or bytes
/// in memory.
pub trait Free: Send + Sync {
    /// Reads from any position.
    ///
    /// # Errors
    /// The system's.
    fn read_from(&self, out: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Reads from where the last such read ended, if the file has no positions.
    ///
    /// # Errors
    /// The system's.
    fn read_on(&self, out: &mut [u8]) -> io::Result<usize>;

    /// How many bytes there are.
    fn size(&self) -> u64;
}

/// A regular file on a disk, and its size.
#[cfg(unix)]
impl Free for (std::fs::File, u64) {
    fn read_from(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, out, offset)
    }

    fn read_on(&self, out: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(out)
    }

    fn size(&self) -> u64 {
        self.1
    }
}

/// Bytes in memory.
impl Free for Vec<u8> {
    fn read_from(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        (&self[at..]).read(out)
    }

    fn read_on(&self, _out: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

/// Reads a free file from its start, at a position of its own: a forked child shares the file's
/// with its parent. It does not keep the file open, because a child has no thread to drop its share.
pub(super) struct Reading {
    file: Weak<dyn Free>,
    at: u64,
    has_positions: bool,
}

impl Reading {
    pub(super) fn of(file: &Arc<dyn Free>) -> Self {
        Reading { file: Arc::downgrade(file), at: 0, has_positions: true }
    }
}

/// Linux, and most others: the file has no positions.
const SEEKS_NOT: i32 = 29;

impl Read for Reading {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let file = self.file.upgrade().ok_or_else(|| io::Error::other("the file is closed"))?;
        if self.has_positions {
            match file.read_from(out, self.at) {
                // Some file systems have regular files that can only be read in order.
                Err(error) if self.at == 0 && error.raw_os_error() == Some(SEEKS_NOT) => {
                    self.has_positions = false;
                }
                Ok(count) => {
                    self.at += count as u64;
                    return Ok(count);
                }
                error => return error,
            }
        }
        file.read_on(out)
    }
}
