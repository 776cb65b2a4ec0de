//! From a source to its words: read, checked and gathered in one pass, without the interpreter lock.

use super::parts::Document;
use super::{Handle, HeldText, Inner};
use crate::decoder::in_pieces;
use crate::failure::{self, Others, Where, guarded};
use crate::objects::{Duplicates, Mismatch, PathStep, brief};
use crate::options;
use crate::pump::total_exceeded;
use crate::sources;
use penstock_core::document::{self, Gather, MOST_TEXT, Refusal};
use penstock_core::error::{Fail, Fault};
use penstock_core::json::{Framing, Reader};
use penstock_core::limits::Limits;
use penstock_core::position::{Counter, locate_in};
use penstock_core::reader::Step;
use penstock_core::source::encoding::{UTF8_BOM, foreign, refuse};
use penstock_core::source::{
    Compression, Detect, Encoding, Options, Sniff, Source, SourceError, sniff,
};
use penstock_scan::{BorrowedText, Rest, TextWindow};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::io::{self, Cursor};

/// How much is read, checked and gathered at a time: while it is in the processor's cache.
const PIECE: usize = 256 << 10;
/// How many pieces are done before signals are looked at.
const PIECES: usize = 32;

/// Opens a JSON document: `bytes` that are one, or what a path, a file or chunks hold.
#[pyfunction]
#[pyo3(signature = (source, duplicates, encoding, compression, limits, name, /))]
pub(crate) fn open<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    duplicates: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    compression: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
    name: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let duplicates = options::duplicates(options::text("duplicates", duplicates)?)?;
        let limits = options::limits(limits)?;
        let compression = options::text_or_none("compression", compression)?;
        let compression = options::compression(compression)?;
        let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let opening = Opening::new(duplicates, limits, name);
        let inner = if let Ok(bytes) = source.cast::<PyBytes>() {
            if as_they_are(bytes.as_bytes(), encoding, compression) {
                opening.lent(bytes)?
            } else {
                let copy = Cursor::new(bytes.as_bytes().to_vec());
                opening.read(py, Box::new(copy), compression, encoding)?
            }
        } else if is_buffer(source) {
            let mut copy = Vec::new();
            in_pieces(source, |piece| {
                copy.extend_from_slice(piece);
                Ok(())
            })?;
            opening.read(py, Box::new(Cursor::new(copy)), compression, encoding)?
        } else {
            let (source, _held) =
                sources::open(source, compression, encoding, Detect::Nothing, &opening.limits)?;
            opening.source(py, source)?
        };
        Document::root(py, Handle::new(inner))
    })
}

/// Whether an object is data in memory that may change.
fn is_buffer(source: &Bound<'_, PyAny>) -> bool {
    pyo3::types::PyMemoryView::from(source).is_ok()
}

/// Whether bytes are text already.
fn as_they_are(bytes: &[u8], encoding: Option<Encoding>, compression: Compression) -> bool {
    let packed = match compression {
        Compression::None => false,
        Compression::Infer => !matches!(sniff(bytes), Sniff::Is(Compression::None) | Sniff::More),
        _ => true,
    };
    !packed && encoding.is_none_or(Encoding::is_utf8)
}

/// A document that is being opened.
struct Opening {
    reader: Reader,
    gather: Gather,
    duplicates: Duplicates,
    limits: Limits,
    name: Option<String>,
}

/// Why it cannot be.
enum Stop {
    Input(Fault),
    Refused(Refusal),
    Source(io::Error),
}

impl From<Fail<Refusal>> for Stop {
    fn from(fail: Fail<Refusal>) -> Self {
        match fail {
            Fail::Input(fault) => Stop::Input(fault),
            Fail::Sink(refusal) => Stop::Refused(refusal),
        }
    }
}

impl Opening {
    fn new(duplicates: Duplicates, limits: Limits, name: Option<String>) -> Self {
        let policy = match duplicates {
            Duplicates::Last => document::Duplicates::Last,
            Duplicates::First => document::Duplicates::First,
            Duplicates::Error => document::Duplicates::Error,
        };
        let reader = Reader::new(Framing::Document, &limits);
        Opening { reader, gather: Gather::new(policy), duplicates, limits, name }
    }

    fn finish(self, text: HeldText, start: u64) -> PyResult<Inner> {
        let Opening { gather, duplicates, limits, name, .. } = self;
        match gather.finish() {
            Some(words) => Ok(Inner { text, words, start, name, duplicates, limits }),
            None => Err(pyo3::exceptions::PySystemError::new_err("a document without a value")),
        }
    }

    /// Bytes that cannot change: gathered where they are.
    fn lent(mut self, bytes: &Bound<'_, PyBytes>) -> PyResult<Inner> {
        let (py, all) = (bytes.py(), bytes.as_bytes());
        let start = if all.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
        let total = self.limits.total.filter(|total| all.len() as u64 > *total);
        let foreign = foreign(&all[..all.len().min(4)]).filter(|_| start == 0);
        let mut text = BorrowedText::new(&all[start..]);
        let mut done = match (total, foreign) {
            (Some(total), _) => Err(Stop::Input(total_exceeded(total))),
            (_, Some(name)) => Err(Stop::Input(refuse(name))),
            _ => Ok(false),
        };
        while let Ok(false) = done {
            py.check_signals()?;
            done = py.detach(|| {
                (0..PIECES).try_fold(false, |done, _| {
                    if done { Ok(true) } else { self.advance_lent(&mut text) }
                })
            });
        }
        if let Err(stop) = done {
            return Err(self.told(
                py,
                stop,
                &all[start..],
                text.text().as_bytes().len(),
                start as u64,
            ));
        }
        self.finish(HeldText::Lent(bytes.clone().unbind(), start), start as u64)
    }

    /// Gathers a piece; true at the end.
    fn advance_lent(&mut self, text: &mut BorrowedText<'_>) -> Result<bool, Stop> {
        let rest = text.advance_check(PIECE);
        fits(text.text().as_bytes().len())?;
        if self.reader.run(text.text(), text.is_whole(), &mut self.gather)? == Step::Done {
            return Ok(true);
        }
        let end = text.text().as_bytes().len();
        // A character that is cut is one that the bytes end in.
        bad_text(rest, end, &text.bytes()[end..], true)
    }

    fn read(
        self,
        py: Python<'_>,
        reader: Box<dyn io::Read + Send>,
        compression: Compression,
        encoding: Option<Encoding>,
    ) -> PyResult<Inner> {
        let limits = self.limits.clone();
        let options = Options { compression, encoding, ..Options::new(&limits) };
        self.source(py, Source::open(reader, options))
    }

    /// A source: read into memory, each piece gathered as it comes.
    fn source(mut self, py: Python<'_>, mut source: Source) -> PyResult<Inner> {
        let mut window = TextWindow::new();
        loop {
            let done = py.detach(|| {
                (0..PIECES).try_fold(false, |done, _| {
                    if done { Ok(true) } else { self.advance_source(&mut source, &mut window) }
                })
            });
            match done {
                Ok(false) => py.check_signals()?,
                Ok(true) => break,
                Err(stop) => {
                    let end = window.text().as_bytes().len();
                    let all = [window.text().as_bytes(), window.unchecked()].concat();
                    return Err(self.told(py, stop, &all, end, source.start()));
                }
            }
        }
        self.finish(HeldText::Read(window), source.start())
    }

    /// Reads and gathers a piece; true at the end.
    fn advance_source(
        &mut self,
        source: &mut Source,
        window: &mut TextWindow,
    ) -> Result<bool, Stop> {
        let (rest, ended) = more(source, window)?;
        fits(window.text().as_bytes().len())?;
        let last = ended && rest == Rest::Nothing;
        if self.reader.run(window.text(), last, &mut self.gather)? == Step::Done {
            return Ok(true);
        }
        bad_text(rest, window.text().as_bytes().len(), window.unchecked(), ended)
    }

    /// The exception for what stops the opening. `end` is where the text ends that was looked at.
    #[cold]
    fn told(&self, py: Python<'_>, stop: Stop, bytes: &[u8], end: usize, start: u64) -> PyErr {
        let mut counter = Counter::new();
        counter.skip(start);
        let path = || -> Vec<PathStep> {
            let text = std::str::from_utf8(&bytes[..end.min(bytes.len())]).unwrap_or_default();
            self.gather.path(text.into()).into_iter().map(PathStep::from).collect()
        };
        let at = |offset: u64, path: Vec<PathStep>| Where {
            format: "json",
            source: self.name.as_deref(),
            place: Some(locate_in(&counter, &[], bytes, start, offset)),
            record: None,
            path,
        };
        let told = match stop {
            Stop::Input(fault) => {
                let offset = start + fault.offset();
                let fault = Fault::new(fault.kind(), offset, fault.reason().to_owned());
                failure::of_fault(py, &fault, &at(offset, path()), Others::default())
            }
            Stop::Source(error) => {
                let at = at(start + bytes.len() as u64, path());
                return failure::of_source(py, error, &at, Others::default());
            }
            Stop::Refused(Refusal::Memory) => return PyMemoryError::new_err(()),
            Stop::Refused(Refusal::TooLong(offset)) => {
                let reason = format!("a document of more than {MOST_TEXT} bytes cannot be opened");
                let offset = start + offset;
                let fault = Fault::limit(offset, reason);
                failure::of_fault(py, &fault, &at(offset, path()), Others::default())
            }
            Stop::Refused(Refusal::Foreign(offset)) => {
                let (offset, path) = (start + offset, path());
                let reason = "an opened document cannot hold a value of this kind".to_owned();
                let mismatch = Mismatch::new(offset, reason, path.clone());
                failure::of_mismatch(py, &mismatch, &at(offset, path), Others::default())
            }
            Stop::Refused(Refusal::Again(offset)) => {
                let (offset, path) = (start + offset, path());
                let name = match path.last() {
                    Some(PathStep::Key(name)) => brief(name),
                    _ => String::new(),
                };
                let reason = format!("the key {name} occurs more than once");
                let mismatch = Mismatch::new(offset, reason, path.clone());
                failure::of_mismatch(py, &mismatch, &at(offset, path), Others::default())
            }
        };
        failure::either(told)
    }
}

/// Whether words can point to all places of a text of so many bytes.
fn fits(length: usize) -> Result<(), Stop> {
    let most = MOST_TEXT;
    if length as u64 > most { Err(Stop::Refused(Refusal::TooLong(most))) } else { Ok(()) }
}

/// Reads a piece; what stands behind the text, and whether that was all.
fn more(source: &mut Source, window: &mut TextWindow) -> Result<(Rest, bool), Stop> {
    let spare = window.spare(PIECE).map_err(|_| Stop::Refused(Refusal::Memory))?;
    let count = source.read(spare).map_err(|error| match error {
        SourceError::Fault(fault) => Stop::Input(fault),
        SourceError::Io(error) => Stop::Source(error),
    })?;
    window.commit(count);
    Ok((window.advance_check(), count == 0))
}

/// Whether what stands behind a text, which ends at `end`, cannot become text.
fn bad_text(rest: Rest, end: usize, behind: &[u8], ended: bool) -> Result<bool, Stop> {
    let end = end as u64;
    match rest {
        Rest::Invalid { .. } => {
            let byte = behind.first().copied().unwrap_or_default();
            Err(Stop::Input(Fault::malformed(end, format!("invalid UTF-8: byte 0x{byte:02x}"))))
        }
        Rest::Incomplete if ended => {
            let reason = "invalid UTF-8: the input ends inside a character";
            Err(Stop::Input(Fault::truncated(end, reason)))
        }
        _ => Ok(false),
    }
}
