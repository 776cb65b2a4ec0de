//! Where written bytes go: compresses them, writes them, and keeps or undoes what was written.
//!
//! A writer hands a [`Target`] its text, buffer by buffer. At the end the target is *finished* or
//! *aborted*; dropping it aborts it. What that means depends on the kind:
//!
//! | kind | finished | aborted |
//! |---|---|---|
//! | [`replace`](Target::replace): a file at a path | it gets its name, at once | it is removed, and the old file stays |
//! | [`append`](Target::append): a file of lines | the lines stay | the lines up to the last [`mark`](Target::mark) stay |
//! | [`through`](Target::through): a pipe or a device | closed | closed |
//! | [`give`](Target::give): anything that takes bytes | it has all bytes | it has the bytes so far |
//!
//! A write that fails aborts the target, because nobody knows what was written of it.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process;

use crate::error::Fault;

mod append_rows;
mod appended;
mod packing;
mod pieces;
mod replacement;

pub use append_rows::{NotBehind, end_rows};
pub use packing::Packing;
pub use replacement::{Kind, kind_of, own_path};

use appended::Appended;
pub(crate) use appended::of_text;
use packing::{Packer, make_room};
use replacement::Replacement;

/// Compressed bytes are gathered until there are so many, and given away.
const CHUNK: usize = 64 << 10;

/// What a target needs to know of the program around it.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Called if a signal may have interrupted a write. An error ends the write, and is its result.
    pub interrupted: fn() -> io::Result<()>,
    /// Closes a file, and says whether that went well. Dropping a file does not say it.
    pub close: fn(File) -> io::Result<()>,
    /// Gives a file that has none its name, which nobody must have. Without this, new files have a name
    /// from the beginning.
    pub name: Option<fn(&File, &Path) -> io::Result<()>>,
}

impl Default for Host {
    /// Goes on after signals, and does not ask how closing went.
    fn default() -> Self {
        Host {
            interrupted: || Ok(()),
            name: None,
            close: |file| {
                drop(file);
                Ok(())
            },
        }
    }
}

/// What is done about a file whose last line has no line feed when lines are appended to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Torn {
    /// It is an error.
    #[default]
    Refuse,
    /// The line is removed.
    Cut,
}

/// The reason why a target takes no bytes.
#[derive(Debug)]
pub enum TargetError {
    /// The error of the system, or of whoever takes the bytes, unchanged.
    Io(io::Error),
    /// The file that is appended to is not what it should be.
    Fault(Fault),
    /// Nothing is written any more.
    Over(Over),
}

/// How a target has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// It was finished.
    Finished,
    /// It was aborted.
    Aborted,
    /// A write failed.
    Failed,
    /// This process was forked off from the one that writes.
    Forked,
}

impl From<io::Error> for TargetError {
    fn from(error: io::Error) -> Self {
        TargetError::Io(error)
    }
}

impl From<Fault> for TargetError {
    fn from(fault: Fault) -> Self {
        TargetError::Fault(fault)
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Over::Finished => "the target is finished: nothing more can be written",
            Over::Aborted => "the target was aborted: nothing more can be written",
            Over::Failed => "an earlier write failed, so the target was aborted",
            Over::Forked => "only the process that opened the target can write to it",
        })
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::Io(error) => error.fmt(f),
            TargetError::Fault(fault) => fault.fmt(f),
            TargetError::Over(over) => over.fmt(f),
        }
    }
}

impl std::error::Error for TargetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TargetError::Io(error) => Some(error),
            TargetError::Fault(fault) => Some(fault),
            TargetError::Over(_) => None,
        }
    }
}

/// Takes bytes, and puts them where they belong.
///
/// ```
/// use penstock_core::target::{Host, Packing, Target};
///
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("penstock-{}.json", std::process::id()));
/// let mut target = Target::replace(&path, Packing::NONE, false, Host::default())?;
/// target.write_all(b"[1, ")?;
/// assert!(!path.exists());
/// target.write_all(b"2]")?;
/// target.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"[1, 2]");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Target {
    /// None if it is over.
    outlet: Option<RecordScope>,
    packer: Option<Packer>,
    /// Compressed bytes that were not written yet.
    packed: Vec<u8>,
    /// The `.gzi` of what was written, once that is finished.
    gzi: Option<Vec<u8>>,
    /// The bytes since the last mark, if they could not be taken back from the compressor.
    held: Option<Vec<u8>>,
    over: Over,
    taken: u64,
    given: u64,
    process: u32,
    host: Host,
}

/// Whoever takes the bytes.
enum RecordScope {
    Replaced(Replacement),
    Appended(Appended),
    Through(File),
    Given(Box<dyn Write + Send>),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("is_open", &self.outlet.is_some())
            .field("taken", &self.taken)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

impl Target {
    /// A file that replaces the one at `path`, or is new: written beside it, and renamed at the end.
    /// The path is that of [`Kind::File`]; a link would be replaced itself. With `sync`, the file is
    /// on the disk when the target is finished.
    ///
    /// # Errors
    /// No file can be made in that folder, or there is no memory for the compressor.
    pub fn replace(
        path: &Path,
        packing: Packing,
        sync: bool,
        host: Host,
    ) -> Result<Self, TargetError> {
        let packer = Packer::new(packing)?;
        let path = std::path::absolute(path)?;
        let outlet = RecordScope::Replaced(Replacement::beside(path, sync, &host)?);
        Ok(Target::new(outlet, packer, host))
    }

    /// Lines behind those of a file, which is made if there is none. The path is that of
    /// [`Kind::File`]. Compressed lines are a member (a frame, a stream) of their own. With `sync`,
    /// they are on the disk when the target is finished.
    ///
    /// # Errors
    /// The system's error. [`TargetError::Fault`] if the file's last line is not whole, or if the
    /// file has another compression or another encoding. Nothing was changed then.
    pub fn append(
        path: &Path,
        packing: Packing,
        torn: Torn,
        sync: bool,
        host: Host,
    ) -> Result<Self, TargetError> {
        let packer = Packer::new(packing)?;
        let outlet = RecordScope::Appended(Appended::open(path, packing, torn, sync, &host)?);
        let mut target = Target::new(outlet, packer, host);
        target.held = target.packer.is_some().then(Vec::new);
        Ok(target)
    }

    /// A pipe, a device, or another file that is open already.
    ///
    /// # Errors
    /// There is no memory for the compressor.
    pub fn through(file: File, packing: Packing, host: Host) -> Result<Self, TargetError> {
        Ok(Target::new(RecordScope::Through(file), Packer::new(packing)?, host))
    }

    /// Anything that takes bytes. It is flushed by [`flush`](Self::flush) only.
    ///
    /// # Errors
    /// There is no memory for the compressor.
    pub fn give(
        to: Box<dyn Write + Send>,
        packing: Packing,
        host: Host,
    ) -> Result<Self, TargetError> {
        Ok(Target::new(RecordScope::Given(to), Packer::new(packing)?, host))
    }

    fn new(outlet: RecordScope, packer: Option<Packer>, host: Host) -> Self {
        Target {
            outlet: Some(outlet),
            packer,
            packed: Vec::new(),
            gzi: None,
            held: None,
            over: Over::Aborted,
            taken: 0,
            given: 0,
            process: process::id(),
            host,
        }
    }

    /// How many bytes it was handed.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// How many bytes it has written: compressed ones, if it compresses.
    #[must_use]
    pub fn given(&self) -> u64 {
        self.given
    }

    /// The index of the blocks, as `bgzip` writes it to a `.gzi`: if it was finished, and wrote BGZF.
    #[must_use]
    pub fn gzi(&self) -> Option<&[u8]> {
        self.gzi.as_deref()
    }

    /// True until it is finished or aborted, or a write fails.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.outlet.is_some()
    }

    /// Writes all of the bytes. There is no buffer: each call is at least one of the system,
    /// unless the bytes are compressed.
    ///
    /// # Errors
    /// The bytes cannot be written, or not any more. The target is then aborted.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), TargetError> {
        self.attempt(|target| {
            if let Some(held) = &mut target.held {
                make_room(held, bytes.len())?;
                held.extend_from_slice(bytes);
            } else {
                target.pack(bytes)?;
            }
            target.taken += bytes.len() as u64;
            Ok(())
        })
    }

    /// Says that a record ends here. A file that is appended to keeps everything up to the last
    /// mark. Pieces that can be decompressed on their own end at marks.
    ///
    /// # Errors
    /// As for [`write_all`](Self::write_all): compressed bytes are written now.
    pub fn mark(&mut self) -> Result<(), TargetError> {
        self.attempt(|target| {
            target.release()?;
            if let Some(packer) = &mut target.packer {
                packer.mark();
            }
            // Compressed records stay if their member can be ended.
            if target.held.is_none()
                && let Some(RecordScope::Appended(file)) = &mut target.outlet
            {
                file.mark();
            }
            Ok(())
        })
    }

    /// Passes on what the compressor holds back, and has the bytes passed on by whoever takes them.
    /// Records that are appended and compressed wait for their mark nevertheless.
    ///
    /// # Errors
    /// As for [`write_all`](Self::write_all).
    pub fn flush(&mut self) -> Result<(), TargetError> {
        self.attempt(|target| {
            if let Some(packer) = &mut target.packer {
                packer.flush(&mut target.packed)?;
                target.give_packed()?;
            }
            match &mut target.outlet {
                Some(RecordScope::Given(to)) => to.flush(),
                _ => Ok(()),
            }
        })
    }

    /// Ends the target well. A second call does nothing.
    ///
    /// # Errors
    /// The bytes cannot be written, or a write failed before. The target is then aborted. With one
    /// exception: if only the folder could not be synced, the file has its name already.
    pub fn finish(&mut self) -> Result<(), TargetError> {
        self.end(false)
    }

    /// The same, if there is no file of that name; otherwise it stays, and the target is aborted.
    ///
    /// # Errors
    /// There is one ([`io::ErrorKind::AlreadyExists`]), or the file system has no hard links; and as
    /// for [`finish`](Self::finish).
    pub fn finish_new(&mut self) -> Result<(), TargetError> {
        self.end(true)
    }

    fn end(&mut self, must_be_new: bool) -> Result<(), TargetError> {
        if self.outlet.is_none() && self.over == Over::Finished {
            return Ok(());
        }
        self.attempt(|target| {
            target.release()?;
            target.finish_packer()?;
            let host = target.host;
            match target.outlet.take() {
                Some(RecordScope::Replaced(file)) => file.commit(&host, must_be_new),
                Some(RecordScope::Appended(file)) => file.commit(&host),
                Some(RecordScope::Through(file)) => (host.close)(file),
                Some(RecordScope::Given(_)) | None => Ok(()),
            }
        })?;
        self.over = Over::Finished;
        Ok(())
    }

    /// Ends the target, and undoes what can be undone. Does nothing if it has ended.
    ///
    /// # Errors
    /// It could not be undone.
    pub fn abort(&mut self) -> Result<(), TargetError> {
        if self.outlet.is_none() {
            return Ok(());
        }
        self.over = Over::Aborted;
        let is_whole = self.held.is_some() && self.process == process::id();
        // The records up to the mark stay, if the end of their member can still be written.
        if is_whole
            && self.finish_packer().is_ok()
            && let Some(RecordScope::Appended(file)) = &mut self.outlet
        {
            file.mark();
        }
        Ok(self.undo()?)
    }

    fn undo(&mut self) -> io::Result<()> {
        (self.packer, self.held, self.packed) = (None, None, Vec::new());
        match self.outlet.take() {
            Some(RecordScope::Replaced(file)) => file.abort(),
            Some(RecordScope::Appended(file)) => file.cut(),
            Some(RecordScope::Through(_) | RecordScope::Given(_)) | None => Ok(()),
        }
    }

    /// Does something if the target is open. If that fails, the target is aborted.
    fn attempt(
        &mut self,
        work: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), TargetError> {
        if self.outlet.is_none() {
            return Err(TargetError::Over(self.over));
        }
        if self.process != process::id() {
            return Err(TargetError::Over(Over::Forked));
        }
        work(self).map_err(|error| {
            self.over = Over::Failed;
            // The first error counts.
            let _ = self.undo();
            error.into()
        })
    }

    /// Compresses what waited for a mark.
    fn release(&mut self) -> io::Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let bytes = std::mem::take(held);
        let packed = self.pack(&bytes);
        if let Some(held) = &mut self.held {
            *held = bytes;
            held.clear();
        }
        packed
    }

    /// Ends the compressed member. A file gets none for nothing if there is one already.
    fn finish_packer(&mut self) -> io::Result<()> {
        let Some(packer) = self.packer.take() else { return Ok(()) };
        let is_needless = match &self.outlet {
            Some(RecordScope::Appended(file)) => self.packed_nothing() && !file.is_empty(),
            _ => false,
        };
        if is_needless {
            return Ok(());
        }
        self.gzi = packer.finish(&mut self.packed)?;
        self.give_packed()
    }

    /// Whether the compressor was given nothing.
    fn packed_nothing(&self) -> bool {
        self.taken == self.held.as_ref().map_or(0, |held| held.len() as u64)
    }

    fn pack(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.packer.is_none() {
            return self.give_bytes(bytes);
        }
        for piece in bytes.chunks(CHUNK) {
            if let Some(packer) = &mut self.packer {
                packer.push(piece, &mut self.packed)?;
            }
            if self.packed.len() >= CHUNK {
                self.give_packed()?;
            }
        }
        Ok(())
    }

    fn give_packed(&mut self) -> io::Result<()> {
        let mut packed = std::mem::take(&mut self.packed);
        let result = self.give_bytes(&packed);
        packed.clear();
        self.packed = packed;
        result
    }

    /// Has the bytes taken, all of them.
    fn give_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let taken = match &mut self.outlet {
                Some(RecordScope::Replaced(file)) => file.file()?.write(bytes),
                Some(RecordScope::Appended(file)) => {
                    let taken = (&file.file).write(bytes);
                    file.end += *taken.as_ref().unwrap_or(&0) as u64;
                    taken
                }
                Some(RecordScope::Through(file)) => file.write(bytes),
                Some(RecordScope::Given(to)) => to.write(bytes),
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            };
            match taken {
                Ok(0) => {
                    let reason = format!("none of {} bytes could be written", bytes.len());
                    return Err(io::Error::new(io::ErrorKind::WriteZero, reason));
                }
                Ok(count) => {
                    let Some(rest) = bytes.get(count..) else {
                        return Err(io::Error::other("more was written than there is"));
                    };
                    self.given += count as u64;
                    bytes = rest;
                    // A signal that comes when some bytes are written ends the write without an
                    // error, and the next one may wait for ever.
                    if !bytes.is_empty() {
                        (self.host.interrupted)()?;
                    }
                }
                // If the error carries something, it is not the system's.
                Err(error)
                    if error.kind() == io::ErrorKind::Interrupted && error.get_ref().is_none() =>
                {
                    (self.host.interrupted)()?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Nobody asks any more.
        let _ = self.abort();
    }
}

#[cfg(test)]
mod tests;
