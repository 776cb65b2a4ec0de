//! Chunks that the caller pushes and that must be decompressed: a [`Source`] reads them from an
//! inbox, which has nothing to give until the next chunk.

use penstock_scan::make_room;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::Limits;
use crate::source::{Compression, Detect, Encoding, Options, Sniff, Source, sniff};

/// The first bytes of pushed chunks, until their compression is known.
#[derive(Debug)]
pub(super) struct Sealed {
    bytes: Vec<u8>,
    compression: Compression,
    encoding: Option<Encoding>,
    detect: Detect,
    limits: Limits,
}

/// What the first bytes turn out to be.
#[derive(Debug)]
pub(super) enum Opened {
    /// Nothing yet: more bytes must come.
    Not,
    /// Plain data, which begins with these bytes.
    Plain { bytes: Vec<u8>, total: Option<u64> },
    /// Compressed data, or data that a source refuses, with how many bytes there are so far.
    Packed { unpacking: Unpacking, pushed: u64 },
}

impl Sealed {
    pub(super) fn new(options: Options<'_>) -> Self {
        let Options { compression, encoding, detect, limits, .. } = options;
        Sealed { bytes: Vec::new(), compression, encoding, detect, limits: limits.clone() }
    }

    /// Looks at the first bytes with the next chunk; no more follow if `ended`.
    pub(super) fn open(&mut self, chunk: &[u8], ended: bool) -> Opened {
        make_room(&mut self.bytes, chunk.len());
        self.bytes.extend_from_slice(chunk);
        if self.compression == Compression::Infer {
            match sniff(&self.bytes) {
                Sniff::More if !ended => return Opened::Not,
                Sniff::More | Sniff::Is(Compression::None) => {
                    let bytes = std::mem::take(&mut self.bytes);
                    return Opened::Plain { bytes, total: self.limits.total };
                }
                Sniff::Is(_) | Sniff::Zip => {}
            }
        }
        let Sealed { compression, encoding, detect, ref limits, .. } = *self;
        let inbox = Inbox::default();
        let bytes = std::mem::take(&mut self.bytes);
        let pushed = bytes.len() as u64;
        inbox.lock().bytes = bytes;
        let options = Options { compression, encoding, detect, limits, total_hint: None };
        let source = Box::new(Source::open(Box::new(inbox.clone()), options));
        Opened::Packed { unpacking: Unpacking { inbox, source, waits: false }, pushed }
    }
}

/// Decompresses pushed chunks.
#[derive(Debug)]
pub(super) struct Unpacking {
    inbox: Inbox,
    pub(super) source: Box<Source>,
    /// The source has read all that was pushed.
    pub(super) waits: bool,
}

impl Unpacking {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let bytes = &mut self.inbox.lock().bytes;
        make_room(bytes, chunk.len());
        bytes.extend_from_slice(chunk);
        self.waits = false;
    }

    /// Waits for the next chunk, if all that was pushed is read.
    pub(super) fn wait(&mut self) {
        let pushed = self.inbox.lock();
        self.waits = pushed.bytes.is_empty() && !pushed.ended;
    }

    pub(super) fn end(&mut self) {
        self.inbox.lock().ended = true;
        self.waits = false;
    }
}

/// Bytes that were pushed and not read. The source owns one end, so it is shared.
#[derive(Clone, Debug, Default)]
struct Inbox(Arc<Mutex<Pushed>>);

#[derive(Debug, Default)]
struct Pushed {
    bytes: Vec<u8>,
    read: usize,
    ended: bool,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Pushed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Inbox {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut pushed = self.lock();
        let Pushed { bytes, read, ended } = &mut *pushed;
        let n = (&bytes[*read..]).read(out)?;
        *read += n;
        if *read == bytes.len() {
            bytes.clear();
            *read = 0;
        }
        if n == 0 && !out.is_empty() && !*ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(n)
    }
}
