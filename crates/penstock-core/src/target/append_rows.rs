//! A file behind whose rows others are written: its last row must be whole.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use memchr::memrchr;
use penstock_scan::{filled, make_room};

use super::{TargetError, Torn, of_text};
use crate::csv::{Tail, Tailing};
use crate::error::Fault;
use crate::limits::Limits;
use crate::position::{CONTEXT, Counter, Place, locate_in};
use crate::source::{Compression, Options, Source, SourceError};

/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;

/// After how many blocks the program is asked whether to go on.
const PATIENCE: u64 = 16;

/// The most bytes behind a place that an excerpt shows.
const BEHIND: u64 = 256;

/// Why no rows can be written behind those of a file.
#[derive(Debug)]
pub enum NotBehind {
    /// The file cannot be read, or is not whole.
    Target(TargetError),
    /// It ends within quotes.
    Open {
        /// The quote.
        fault: Fault,
        /// Its place.
        place: Box<Place>,
        /// The number of its row, from 1.
        record: u64,
        /// Whether the row could be removed.
        may_cut: bool,
    },
    /// Its rows end with carriage returns.
    Returns,
}

impl<E: Into<TargetError>> From<E> for NotBehind {
    fn from(error: E) -> Self {
        NotBehind::Target(error.into())
    }
}

/// Sees that the file at a path ends with a whole row. If not, that is an error, or the row is
/// removed. It is read once, in constant memory. `interrupted` is called now and then, and an error
/// of it ends the reading.
///
/// # Errors
/// The file cannot be read, or its last row is not whole; nothing was changed then.
pub fn end_rows(
    path: &Path,
    tailing: Tailing,
    torn: Torn,
    interrupted: fn() -> io::Result<()>,
) -> Result<(), NotBehind> {
    let mut tailing = Some(tailing);
    let mut last = Last::default();
    let is_packed = each_block(path, interrupted, |start, at, block| {
        if let Some(tailing) = &mut tailing {
            if at == start {
                tailing.begin_at(start);
            }
            tailing.take(block);
        }
        last.take(at, block);
        true
    })?;
    let Some(tail) = tailing.take().map(Tailing::finish) else { return Ok(()) };
    if tail.by_return {
        return Err(NotBehind::Returns);
    }
    if tail.whole == tail.size {
        return Ok(());
    }
    let may_cut = !is_packed;
    if torn == Torn::Cut && may_cut {
        return Ok(cut(path, &tail)?);
    }
    let Some(offset) = tail.open else { return Err(last.fault(&tail, may_cut).into()) };
    let fault = Fault::truncated(offset, "a quote that is never closed");
    let place = Box::new(place(path, offset, interrupted)?);
    Err(NotBehind::Open { fault, place, record: tail.rows + 1, may_cut })
}

/// Gives each block of a file's text, with the offset where the text begins and that of the block,
/// until that is false. Returns whether the file is compressed.
fn each_block(
    path: &Path,
    interrupted: fn() -> io::Result<()>,
    mut take: impl FnMut(u64, u64, &[u8]) -> bool,
) -> Result<bool, TargetError> {
    let limits = Limits { total: None, ratio: None, ..Limits::default() };
    let mut source = Source::open(Box::new(File::open(path)?), Options::new(&limits));
    let (mut block, mut taken, mut rounds) = (filled(0, BLOCK), 0, 0);
    loop {
        match source.read(&mut block) {
            Ok(0) => break,
            Ok(count) => {
                let start = source.start();
                if !take(start, start + taken, &block[..count]) {
                    break;
                }
                taken += count as u64;
            }
            Err(SourceError::Idle) => {}
            Err(SourceError::Io(error)) => return Err(error.into()),
            Err(SourceError::Fault(fault)) => return Err(of_text(fault, taken == 0).into()),
        }
        rounds += 1;
        if rounds % PATIENCE == 0 {
            interrupted()?;
        }
    }
    Ok(source.compression() != Compression::None)
}

/// Removes what follows the last whole row.
fn cut(path: &Path, tail: &Tail) -> Result<(), TargetError> {
    let file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.len() != tail.size {
        let reason = "somebody else has written to the file meanwhile, so the torn row stays";
        return Err(io::Error::other(reason).into());
    }
    Ok(file.set_len(tail.whole)?)
}

/// The place of a byte in a file's text.
fn place(
    path: &Path,
    offset: u64,
    interrupted: fn() -> io::Result<()>,
) -> Result<Place, TargetError> {
    let (mut counter, mut window, mut base) = (Counter::new(), Vec::new(), 0);
    each_block(path, interrupted, |start, at, block| {
        if at == start {
            counter.skip(start);
            base = start;
        }
        make_room(&mut window, block.len());
        window.extend_from_slice(block);
        let needed = offset.saturating_sub(CONTEXT as u64).saturating_sub(base);
        let passed = usize::try_from(needed).unwrap_or(usize::MAX).min(window.len());
        counter.advance(&window[..passed]);
        window.drain(..passed);
        base += passed as u64;
        base + (window.len() as u64) < offset + BEHIND
    })?;
    Ok(locate_in(&counter, b"", &window, base, offset))
}

/// The last line, whatever is in it.
#[derive(Default)]
struct Last {
    start: u64,
    is_ended: bool,
}

impl Last {
    fn take(&mut self, at: u64, block: &[u8]) {
        self.is_ended = block.ends_with(b"\n");
        if let Some(end) = memrchr(b'\n', block) {
            self.start = at + end as u64 + 1;
        }
    }

    /// A last row that is not whole, outside of quotes.
    fn fault(&self, tail: &Tail, may_cut: bool) -> Fault {
        let (start, what) = if self.is_ended {
            let at = tail.whole;
            (at, format!("the last row, at byte {at}, does not end as rows do: it may be torn"))
        } else {
            let at = self.start;
            let reason = "has no line feed: its record may be torn";
            (at, format!("the last line, at byte {at}, {reason}"))
        };
        let remedy = match (may_cut, self.is_ended) {
            (false, _) => "a compressed file must be written anew",
            (true, true) => "torn='cut' removes it",
            (true, false) => "torn='cut' removes it, a line feed at the end of the file keeps it",
        };
        Fault::truncated(start, format!("{what}; {remedy}"))
    }
}
