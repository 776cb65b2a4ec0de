//! Reads a compressed file in a second thread while its text is parsed.
//!
//! The thread owns the [`Stream`], fills a few pieces of memory with its bytes, and waits until one
//! of them is empty again. So it is never more than [`PIECES`] pieces ahead. At the end, at an
//! error, or when nobody wants more, it gives the stream back, which then answers as if there had
//! been no thread. A thread begins only when a file has proved to be compressed and not small.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::frames::is_shorter;
use super::free::{Free, Reading};
use super::stream::Stream;
use super::{CHUNK, Compression, Options, SourceError};
use crate::limits::Limits;
use penstock_scan::make_room;

/// The bytes of a piece: what a window holds.
const PIECE: usize = 256 << 10;

/// How many pieces there are. One is being filled and one being taken; the third is there for when
/// one of the two sides takes longer for once.
const PIECES: usize = 3;

/// How many bytes must have come before a thread begins, and how many must at least be left to
/// read: starting one takes as long as decompressing a few kilobytes, and most files are small.
const AFTER: u64 = 512 << 10;
const LEFT: u64 = 64 << 10;

/// Decoders need some kilobytes of stack.
const STACK: usize = 512 << 10;

/// How long to wait for a piece, until the driver checks for signals.
const WAIT: Duration = Duration::from_millis(10);

/// How many bytes a forked child passes over, until its driver checks for signals.
const PASS: usize = 1 << 20;

/// The threads that read ahead now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The bytes of a source, read by the caller or ahead of it.
pub(super) struct Feed {
    state: State,
    /// What a thread needs. None if there will be no thread, or no other one.
    free: Option<FreeFile>,
    /// Bytes that must still be passed over: those before the offset in a piece, and in a forked
    /// child, those that its parent has read.
    to_pass: u64,
}

enum State {
    Here(Stream),
    Ahead(Ahead),
    /// The thread has ended in a panic.
    Lost(Counts),
}

/// How far a stream has come.
#[derive(Clone, Copy)]
struct Counts {
    bytes: u64,
    raw_bytes: u64,
    compression: Compression,
}

impl Counts {
    fn of(stream: &Stream) -> Self {
        let (bytes, raw_bytes) = (stream.bytes(), stream.raw_bytes());
        Counts { bytes, raw_bytes, compression: stream.compression() }
    }
}

/// A file, and how it is read.
struct FreeFile {
    file: Arc<dyn Free>,
    limits: Limits,
    /// A thread has begun, and there is no other.
    begun: bool,
    sizes: Sizes,
}

/// When a thread begins, and how much it reads at a time.
#[derive(Clone, Copy)]
struct Sizes {
    after: u64,
    left: u64,
    piece: usize,
}

impl Feed {
    pub(super) fn here(stream: Stream) -> Self {
        Feed { state: State::Here(stream), free: None, to_pass: 0 }
    }

    /// The bytes of a stream behind so many.
    pub(super) fn behind(stream: Stream, to_pass: u64) -> Self {
        Feed { to_pass, ..Feed::here(stream) }
    }

    pub(super) fn free(file: Arc<dyn Free>, options: &Options<'_>) -> Self {
        let reading = Reading::of(&file);
        let stream = Stream::over(Box::new(reading), options.compression, options.limits);
        let sizes = Sizes { after: AFTER, left: LEFT, piece: PIECE };
        let limits = options.limits.clone();
        let free = Some(FreeFile { file, limits, begun: false, sizes });
        Feed { state: State::Here(stream), free, to_pass: 0 }
    }

    pub(super) fn raw_bytes(&self) -> u64 {
        self.counts().raw_bytes
    }

    /// Decompressed bytes that were read from here.
    pub(super) fn bytes(&self) -> u64 {
        self.counts().bytes + self.to_pass
    }

    pub(super) fn compression(&self) -> Compression {
        self.counts().compression
    }

    fn counts(&self) -> Counts {
        match &self.state {
            State::Here(stream) => Counts::of(stream),
            State::Ahead(Ahead { counts, .. }) | State::Lost(counts) => *counts,
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(&self.state, State::Here(stream) if stream.is_plain())
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(&self.state, State::Here(stream) if stream.is_ready())
    }

    /// Reads decompressed bytes, within the limits.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, SourceError> {
        self.begin();
        match &mut self.state {
            State::Here(_) if self.to_pass > 0 => self.pass(),
            State::Here(stream) => stream.read(out),
            State::Ahead(ahead) if ahead.is_elsewhere() => self.begin_again(),
            State::Ahead(ahead) => match ahead.read(out) {
                Some(count) => count,
                None => self.take_back(out),
            },
            State::Lost(_) => Err(lost().into()),
        }
    }

    /// Starts the thread, if it is worth one.
    fn begin(&mut self) {
        let (State::Here(stream), Some(free)) = (&mut self.state, &mut self.free) else { return };
        let left = || free.file.size().saturating_sub(stream.raw_bytes());
        let pays = !free.begun && stream.is_compressed() && stream.bytes() >= free.sizes.after;
        if !pays || self.to_pass > 0 || left() < free.sizes.left {
            return;
        }
        free.begun = true;
        let (size, lost) = (free.sizes.piece, State::Lost(Counts::of(stream)));
        if let State::Here(stream) = std::mem::replace(&mut self.state, lost) {
            let begun = Ahead::begin(Box::new(stream), size);
            self.state = begun.map_or_else(|stream| State::Here(*stream), State::Ahead);
        }
    }

    /// The thread has ended, and all that it read is taken.
    fn take_back(&mut self, out: &mut [u8]) -> Result<usize, SourceError> {
        let State::Ahead(ahead) = &mut self.state else { return Ok(0) };
        let (counts, joined) = (ahead.counts, ahead.join());
        let back = ahead.shared.lock().stream.take();
        let error = ahead.shared.lock().error.take();
        self.state = back.map_or(State::Lost(counts), |stream| State::Here(*stream));
        if let Err(panic) = joined {
            resume_unwind(panic);
        }
        match error {
            Some(error) => Err(error.into()),
            // The end, or a fault.
            None => self.read(out),
        }
    }

    /// This is a forked child: the thread is its parent's, and so is the stream. It reads the file
    /// again.
    #[cold]
    fn begin_again(&mut self) -> Result<usize, SourceError> {
        let (State::Ahead(ahead), Some(free)) = (&self.state, &self.free) else {
            return Err(lost().into());
        };
        let reading = Reading::of(&free.file);
        let Counts { bytes, compression, .. } = ahead.counts;
        self.to_pass = bytes;
        let stream = Stream::over(Box::new(reading), compression, &free.limits);
        self.state = State::Here(stream);
        Err(SourceError::Idle)
    }

    /// Passes over bytes that nobody wants.
    #[cold]
    fn pass(&mut self) -> Result<usize, SourceError> {
        let State::Here(stream) = &mut self.state else { return Ok(0) };
        let mut passed = Vec::new();
        make_room(&mut passed, CHUNK);
        passed.resize(CHUNK, 0);
        for _ in 0..PASS / CHUNK {
            let most = usize::try_from(self.to_pass).unwrap_or(usize::MAX).min(CHUNK);
            if most == 0 {
                break;
            }
            let count = stream.read(&mut passed[..most])?;
            if count == 0 {
                let error = match self.free {
                    Some(_) => io::Error::other("the file is shorter than before the fork"),
                    None => is_shorter(),
                };
                return Err(error.into());
            }
            self.to_pass -= count as u64;
        }
        Err(SourceError::Idle)
    }
}

#[cold]
fn lost() -> io::Error {
    io::Error::other("the thread that read ahead has failed")
}

/// A thread that reads ahead.
struct Ahead {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The process that the thread belongs to.
    process: u32,
    /// The piece that is being taken, from `at` to `full`.
    piece: Vec<u8>,
    at: usize,
    full: usize,
    /// How far the caller has come. Of the file, all that the piece was made of counts as read.
    counts: Counts,
}

/// What the two threads share.
struct Shared {
    pieces: Mutex<Pieces>,
    /// A piece is full, or the thread has ended.
    filled: Condvar,
    /// A piece is empty, or no more are wanted.
    emptied: Condvar,
}

struct Pieces {
    full: VecDeque<Full>,
    empty: Vec<Vec<u8>>,
    /// Nobody wants more.
    unwanted: bool,
    /// The thread fills no more.
    ended: bool,
    /// The stream, before the thread takes it and after it has put it back.
    stream: Option<Box<Stream>>,
    /// The reader's error behind the last piece.
    error: Option<io::Error>,
}

/// A piece with so many bytes, and how many were read from the file up to there.
struct Full {
    piece: Vec<u8>,
    full: usize,
    raw_bytes: u64,
}

impl Ahead {
    /// The stream comes back if no thread can begin.
    fn begin(stream: Box<Stream>, size: usize) -> Result<Self, Box<Stream>> {
        let begun = begin_one(stream, size);
        if begun.is_err() {
            RUNNING.fetch_sub(1, Ordering::Relaxed);
        }
        begun
    }

    /// Moves bytes to `out`, as many as are there. None: there will be no more from this thread.
    fn read(&mut self, out: &mut [u8]) -> Option<Result<usize, SourceError>> {
        let mut count = 0;
        loop {
            let n = (self.full - self.at).min(out.len() - count);
            out[count..count + n].copy_from_slice(&self.piece[self.at..self.at + n]);
            self.at += n;
            self.counts.bytes += n as u64;
            count += n;
            if count == out.len() {
                return Some(Ok(count));
            }
            match self.next(count == 0) {
                Next::Piece => {}
                _ if count > 0 => return Some(Ok(count)),
                Next::Late => return Some(Err(SourceError::Idle)),
                Next::End => return None,
            }
        }
    }

    /// Takes the next full piece, and gives the last one back.
    fn next(&mut self, wait: bool) -> Next {
        let mut pieces = self.shared.lock();
        if wait && pieces.full.is_empty() && !pieces.ended {
            let waited = self.shared.filled.wait_timeout(pieces, WAIT);
            pieces = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let Some(Full { piece, full, raw_bytes }) = pieces.full.pop_front() else {
            return if pieces.ended { Next::End } else { Next::Late };
        };
        let taken = std::mem::replace(&mut self.piece, piece);
        (self.at, self.full, self.counts.raw_bytes) = (0, full, raw_bytes);
        // At first there was none.
        if !taken.is_empty() {
            pieces.empty.push(taken);
            self.shared.emptied.notify_one();
        }
        Next::Piece
    }

    /// Whether the thread belongs to another process, of which this one is a fork. Then its memory
    /// is as it was in the middle of some step, and must not be looked at.
    fn is_elsewhere(&self) -> bool {
        self.process != std::process::id()
    }

    /// Waits for the end of a thread from which nothing more is wanted.
    fn join(&mut self) -> thread::Result<()> {
        self.shared.lock().unwanted = true;
        self.shared.emptied.notify_one();
        self.thread.take().map_or(Ok(()), JoinHandle::join)
    }
}

enum Next {
    Piece,
    Late,
    End,
}

impl Drop for Ahead {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        if self.is_elsewhere() {
            // There is nothing to join or to detach: the system has taken its stack.
            std::mem::forget(self.thread.take());
        } else {
            drop(self.join());
        }
    }
}

fn begin_one(stream: Box<Stream>, size: usize) -> Result<Ahead, Box<Stream>> {
    // One for each processor: more would only wait for each other.
    if RUNNING.fetch_add(1, Ordering::Relaxed) >= processors() {
        return Err(stream);
    }
    let mut empty = Vec::with_capacity(PIECES);
    for _ in 0..PIECES {
        let mut piece = Vec::new();
        if piece.try_reserve_exact(size).is_err() {
            return Err(stream);
        }
        piece.resize(size, 0);
        empty.push(piece);
    }
    let counts = Counts::of(&stream);
    let pieces = Pieces {
        full: VecDeque::with_capacity(PIECES),
        empty,
        unwanted: false,
        ended: false,
        stream: Some(stream),
        error: None,
    };
    let shared =
        Shared { pieces: Mutex::new(pieces), filled: Condvar::new(), emptied: Condvar::new() };
    let shared = Arc::new(shared);
    let ending = Ending(shared.clone());
    let builder = thread::Builder::new().name("penstock-ahead".to_owned()).stack_size(STACK);
    let thread = match builder.spawn(move || ending.0.work()) {
        Ok(thread) => Some(thread),
        Err(_) => match shared.lock().stream.take() {
            Some(stream) => return Err(stream),
            None => None,
        },
    };
    let (piece, process) = (Vec::new(), std::process::id());
    Ok(Ahead { shared, thread, process, piece, at: 0, full: 0, counts })
}

/// How many threads can run at once.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    // One processor would do the same work in turns.
    let count = || thread::available_parallelism().map_or(0, |count| count.get());
    match *PROCESSORS.get_or_init(count) {
        0 | 1 => 0,
        count => count,
    }
}

/// Says that the thread has ended, however it does.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.filled.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let Some(mut stream) = self.lock().stream.take() else { return };
        let error = self.fill(&mut stream);
        let mut pieces = self.lock();
        (pieces.stream, pieces.error) = (Some(stream), error);
    }

    /// Fills pieces until no more are wanted, or the stream does not go on.
    fn fill(&self, stream: &mut Stream) -> Option<io::Error> {
        while let Some(mut piece) = self.next_empty() {
            let mut full = 0;
            let (goes_on, error) = loop {
                match stream.read(&mut piece[full..]) {
                    // The stream says the same to whoever asks it again.
                    Ok(0) | Err(SourceError::Fault(_)) => break (false, None),
                    Ok(count) => full += count,
                    Err(SourceError::Idle) => {}
                    Err(SourceError::Io(error)) => break (false, Some(error)),
                }
                if full == piece.len() {
                    break (true, None);
                }
                if self.lock().unwanted {
                    break (false, None);
                }
            };
            if full > 0 {
                let full = Full { piece, full, raw_bytes: stream.raw_bytes() };
                self.lock().full.push_back(full);
                self.filled.notify_one();
            }
            if !goes_on {
                return error;
            }
        }
        None
    }

    /// Waits for an empty piece. None if no more are wanted.
    fn next_empty(&self) -> Option<Vec<u8>> {
        let mut pieces = self.lock();
        loop {
            if pieces.unwanted {
                return None;
            }
            if let Some(piece) = pieces.empty.pop() {
                return Some(piece);
            }
            pieces = self.emptied.wait(pieces).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests;
