//! A file of lines to which records are appended.

use super::replacement::sync_folder;
use super::{Host, Packing, TargetError, Torn};
use crate::error::Fault;
use crate::limits::Limits;
use crate::source::{Blank, Compression, Options, Sniff, Source, SourceError, sniff};
use penstock_scan::filled;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process;

/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;

/// After how many blocks the host is asked whether to go on.
const PATIENCE: u64 = 16;

/// How the refusal of text in another encoding begins.
const FOREIGN: &str = "this looks like";

/// A file, and how much of it must stay.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) file: File,
    /// Its length when it was opened, and the end of the last record since.
    mark: u64,
    /// Its length, if nobody else writes to it.
    pub(super) end: u64,
    sync: bool,
    /// The folder, if it is synced too: the file is new.
    folder: Option<File>,
    process: u32,
}

impl Appended {
    /// Opens a file, and makes one if there is none. `path` leads to a regular file or to none.
    ///
    /// # Errors
    /// The system's error; or the file is not what it is appended to, or ends inside a line.
    pub(super) fn open(
        path: &Path,
        packing: Packing,
        torn: Torn,
        sync: bool,
        host: &Host,
    ) -> Result<Self, TargetError> {
        let folder = match path.parent().filter(|_| sync && !path.exists()) {
            Some(folder) => Some(File::open(folder)?),
            None => None,
        };
        let file =
            OpenOptions::new().read(true).append(true).create(true).mode(0o666).open(path)?;
        let length = file.metadata()?.len();
        let end = match packing.compression() {
            Compression::None => {
                let end = check_plain(&file, length, torn, host)?;
                if end != length {
                    file.set_len(end)?;
                }
                end
            }
            compression => {
                check_packed(&file, length, compression, host)?;
                length
            }
        };
        Ok(Appended { file, mark: end, end, sync, folder, process: process::id() })
    }

    /// Everything up to here stays.
    pub(super) fn mark(&mut self) {
        self.mark = self.end;
    }

    /// Whether nothing was appended yet, and nothing was there before.
    pub(super) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Keeps everything.
    pub(super) fn commit(self, host: &Host) -> io::Result<()> {
        if self.sync {
            self.file.sync_all()?;
        }
        (host.close)(self.file)?;
        sync_folder(self.folder.as_ref())
    }

    /// Removes whatever follows the last record.
    ///
    /// # Errors
    /// The system's error; or somebody else has written to the file, so nobody knows what is whose.
    pub(super) fn cut(&self) -> io::Result<()> {
        if self.end == self.mark || self.process != process::id() {
            return Ok(());
        }
        let length = self.file.metadata()?.len();
        if length != self.end {
            return Err(io::Error::other(
                "somebody else has written to the file meanwhile, so the unfinished record stays",
            ));
        }
        self.file.set_len(self.mark)
    }
}

/// The last line of a text.
#[derive(Default)]
struct Tail {
    /// The offset of its beginning.
    start: u64,
    /// As long as it is blank.
    blank: Option<Blank>,
}

impl Tail {
    fn at(start: u64) -> Self {
        Tail { start, blank: Some(Blank::default()) }
    }

    /// Takes the next bytes, which begin at `offset`.
    fn take(&mut self, offset: u64, mut bytes: &[u8]) {
        if let Some(end) = memchr::memrchr(b'\n', bytes) {
            *self = Tail::at(offset + end as u64 + 1);
            bytes = &bytes[end + 1..];
        }
        if self.blank.as_mut().is_some_and(|blank| !blank.takes(bytes)) {
            self.blank = None;
        }
    }

    /// Whether a record ends there without a line feed.
    fn is_torn(&self) -> bool {
        !self.blank.is_some_and(Blank::is_whole)
    }

    fn fault(&self, remedy: &str) -> Fault {
        let reason = format!(
            "the last line, at byte {}, has no line feed: its record may be torn; {remedy}",
            self.start
        );
        Fault::truncated(self.start, reason)
    }
}

/// Returns the length that the file shall have.
fn check_plain(file: &File, length: u64, torn: Torn, host: &Host) -> Result<u64, TargetError> {
    if length == 0 {
        return Ok(0);
    }
    let mut head = [0; 16];
    let count = file.read_at(&mut head, 0)?;
    match sniff(&head[..count]) {
        Sniff::Is(Compression::None) | Sniff::More => {}
        Sniff::Is(compression) => {
            let reason =
                format!("this is {} data, and plain text would follow", compression.name());
            return Err(Fault::malformed(0, reason).into());
        }
        Sniff::Zip => {
            let reason = "this is a zip archive, and plain text would follow";
            return Err(Fault::malformed(0, reason).into());
        }
    }
    check_encoding(&head[..count])?;
    let mut block = filled(0, BLOCK);
    let mut end = length;
    let mut rounds = 0;
    // Most files end with a line feed, so that the first block is enough.
    let mut size = 1;
    let start = loop {
        let begin = end.saturating_sub(size as u64);
        let piece = &mut block[..(end - begin) as usize];
        file.read_exact_at(piece, begin)?;
        if let Some(at) = memchr::memrchr(b'\n', piece) {
            break begin + at as u64 + 1;
        }
        if begin == 0 {
            break 0;
        }
        (end, size, rounds) = (begin, BLOCK, rounds + 1);
        if rounds % PATIENCE == 0 {
            (host.interrupted)()?;
        }
    };
    let mut tail = Tail::at(start);
    let mut at = start;
    // The first character that is not a space decides.
    while at < length && tail.blank.is_some() {
        let piece = &mut block[..(length - at).min(BLOCK as u64) as usize];
        file.read_exact_at(piece, at)?;
        tail.take(at, piece);
        at += piece.len() as u64;
    }
    match torn {
        _ if !tail.is_torn() => Ok(length),
        Torn::Cut => Ok(start),
        Torn::Refuse => {
            let remedy = "torn='cut' removes it, a line feed at the end of the file keeps it";
            Err(tail.fault(remedy).into())
        }
    }
}

/// Text of Penstock's is UTF-8, and so must be what it follows.
fn check_encoding(head: &[u8]) -> Result<(), TargetError> {
    let limits = Limits::default();
    let options = Options { compression: Compression::None, ..Options::new(&limits) };
    let mut source = Source::open(Box::new(io::Cursor::new(head.to_owned())), options);
    match source.read(&mut [0; 16]) {
        Err(SourceError::Fault(fault)) => Err(not_utf8(&fault).into()),
        _ => Ok(()),
    }
}

/// The fault of a file's text. At its beginning, it may be one about another encoding.
pub(crate) fn of_text(fault: Fault, at_beginning: bool) -> Fault {
    if at_beginning && fault.reason().starts_with(FOREIGN) { not_utf8(&fault) } else { fault }
}

fn not_utf8(fault: &Fault) -> Fault {
    let what = fault.reason().split(';').next().unwrap_or_default();
    Fault::malformed(fault.offset(), format!("{what}, and UTF-8 would follow"))
}

/// Reads all of the file, because only that finds its last line.
fn check_packed(
    file: &File,
    length: u64,
    compression: Compression,
    host: &Host,
) -> Result<(), TargetError> {
    if length == 0 {
        return Ok(());
    }
    let limits = Limits { total: None, ratio: None, ..Limits::default() };
    let reader = file.try_clone()?.take(length);
    let mut source =
        Source::open(Box::new(reader), Options { compression, ..Options::new(&limits) });
    let mut tail = Tail::at(0);
    let (mut block, mut at, mut rounds) = (filled(0, BLOCK), 0, 0);
    loop {
        match source.read(&mut block) {
            Ok(0) => break,
            Ok(count) => {
                tail.take(source.start() + at, &block[..count]);
                at += count as u64;
            }
            Err(SourceError::Idle) => {}
            Err(SourceError::Io(error)) => return Err(error.into()),
            Err(SourceError::Fault(fault)) => return Err(of_text(fault, at == 0).into()),
        }
        rounds += 1;
        if rounds % PATIENCE == 0 {
            (host.interrupted)()?;
        }
    }
    if tail.is_torn() {
        return Err(tail.fault("a compressed file must be written anew").into());
    }
    Ok(())
}
