//! Files that are read at positions.

use std::io;

/// A file that can be read at any position, by any number of threads.
pub trait ReadAt {
    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::UnexpectedEof`] if the file ends before that.
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()>;
}

#[cfg(unix)]
impl ReadAt for std::fs::File {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, out, offset)
    }
}
