//! Makes the words of a source: reads, checks and gathers them in one pass, without the interpreter
//! lock.

use super::parts::Document;
use super::{Counts, Handle, HeldText, Inner};
use crate::edge::buffers::in_pieces;
use crate::edge::errors::{self, Named, guarded};
use crate::edge::options;
use crate::io::sources::SourceObject;
use penstock_core::document::{Gather, MOST_TEXT, NoMemory};
use penstock_core::error::Fault;
use penstock_core::json::{Framing, Reader};
use penstock_core::limits::Limits;
use penstock_core::position::Counter;
use penstock_core::protocol::Duplicates;
use penstock_core::run::{
    Failed, Failure, InMemory, Input, KeptText, Origin, Policy, Run, Spot, Turn, total_exceeded,
};
use penstock_core::source::encoding::{UTF8_BOM, foreign, refuse};
use penstock_core::source::{
    Compression, Detect, Encoding, Options, Sniff, Source, SourceError, sniff,
};
use penstock_scan::{gathered, make_room};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::convert::Infallible;
use std::sync::Arc;

/// How much is read, checked and gathered at a time, while it is in the processor's cache.
const PIECE: usize = 256 << 10;
/// How many pieces are processed before we check for signals.
const PIECES: usize = 32;

/// Opens a JSON document: from `bytes`, or from a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (source, duplicates, limits, /))]
pub(crate) fn open<'py>(
    py: Python<'py>,
    source: &SourceObject,
    duplicates: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let duplicates = options::duplicates(options::text("duplicates", duplicates)?)?;
        let limits = options::limits(limits)?;
        let (compression, encoding) = (source.compression(), source.encoding());
        let opening = Opening::new(duplicates, limits, source.name());
        let object = source.object(py);
        let inner = if let Ok(bytes) = object.cast::<PyBytes>() {
            if as_they_are(bytes.as_bytes(), encoding, compression) {
                opening.lent(bytes)?
            } else {
                let copy = gathered(bytes.as_bytes().iter().copied());
                opening.read(py, copy, compression, encoding)?
            }
        } else if is_buffer(object) {
            let mut copy = Vec::new();
            in_pieces(object, |piece| {
                make_room(&mut copy, piece.len());
                copy.extend_from_slice(piece);
                Ok(())
            })?;
            opening.read(py, copy, compression, encoding)?
        } else {
            let (opened, _held) = source.open(py, Detect::Nothing, &opening.limits)?;
            opening.source(py, opened)?
        };
        Document::root(py, Handle::new(inner))
    })
}

/// Whether an object is data in memory that may change.
fn is_buffer(source: &Bound<'_, PyAny>) -> bool {
    pyo3::types::PyMemoryView::from(source).is_ok()
}

/// Whether bytes are UTF-8 already, and not compressed.
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
    gather: Gather,
    duplicates: Duplicates,
    limits: Limits,
    name: Option<String>,
}

type Outcome<T> = Result<T, Failed<Infallible, NoMemory>>;

impl Opening {
    fn new(duplicates: Duplicates, limits: Limits, name: Option<String>) -> Self {
        Opening { gather: Gather::new(duplicates).within(limits.memory), duplicates, limits, name }
    }

    fn run<I: Input>(&self, input: I) -> Run<Reader, I, Infallible> {
        Run::new(Reader::new(Framing::Document, &self.limits), input, Policy::Raise)
    }

    fn raised(&self, py: Python<'_>, failure: Failed<Infallible, NoMemory>) -> PyErr {
        errors::of_failure(py, failure, &Named::new("json", self.name.as_deref()))
    }

    fn finish(self, text: HeldText, start: u64) -> PyResult<Inner> {
        let Opening { gather, duplicates, limits, name } = self;
        match gather.finish() {
            Some(words) => {
                let counts = Counts::default();
                Ok(Inner { text, words, start, name, duplicates, limits, counts })
            }
            None => Err(pyo3::exceptions::PySystemError::new_err("a document without a value")),
        }
    }

    /// Gathers bytes that cannot change, without copying them.
    fn lent(mut self, bytes: &Bound<'_, PyBytes>) -> PyResult<Inner> {
        let (py, all) = (bytes.py(), bytes.as_bytes());
        let start = if all.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
        let mut counted = Counter::new();
        counted.skip(start as u64);
        let origin = Origin { counted, ..Origin::default() };
        let mut run = self.run(InMemory::relative(&all[start..], origin));
        let total = self.limits.total.filter(|total| all.len() as u64 > *total);
        let foreign = foreign(&all[..all.len().min(4)]).filter(|_| start == 0);
        if let Some(fault) = total.map(total_exceeded).or_else(|| foreign.map(refuse)) {
            let failure = run.fail(&mut self.gather, &fault);
            return Err(self.raised(py, failure));
        }
        gather(py, &mut run, &mut self.gather, |input| {
            input.more(PIECE);
            Ok(true)
        })?
        .map_err(|failure| self.raised(py, failure))?;
        self.finish(HeldText::Whole(bytes.clone().unbind(), start), start as u64)
    }

    fn read(
        self,
        py: Python<'_>,
        bytes: Vec<u8>,
        compression: Compression,
        encoding: Option<Encoding>,
    ) -> PyResult<Inner> {
        let limits = self.limits.clone();
        let options = Options { compression, encoding, ..Options::new(&limits) };
        self.source(py, Source::free(Arc::new(bytes), options))
    }

    /// Reads a source into memory and gathers each piece as it comes.
    fn source(mut self, py: Python<'_>, source: Source) -> PyResult<Inner> {
        let mut run = self.run(KeptText::of(source));
        gather(py, &mut run, &mut self.gather, |input| input.more(PIECE))?
            .map_err(|failure| self.raised(py, failure))?;
        let (text, start) = run.into_input().into_text();
        self.finish(HeldText::Read(text), start)
    }
}

/// Gathers a whole document without the interpreter lock, which is taken now and then to check for
/// signals. An exception of a signal handler is raised.
fn gather<I: Input + Send>(
    py: Python<'_>,
    run: &mut Run<Reader, I, Infallible>,
    to: &mut Gather,
    more: impl Fn(&mut I) -> Result<bool, Option<SourceError>> + Sync,
) -> PyResult<Outcome<()>> {
    loop {
        py.check_signals()?;
        match py.detach(|| gather_pieces(run, to, &more)) {
            Ok(false) => {}
            Ok(true) => return Ok(Ok(())),
            Err(failure) => return Ok(Err(failure)),
        }
    }
}

/// Gathers until it is time to check for signals. True at the end.
fn gather_pieces<I: Input>(
    run: &mut Run<Reader, I, Infallible>,
    to: &mut Gather,
    more: impl Fn(&mut I) -> Result<bool, Option<SourceError>>,
) -> Outcome<bool> {
    for _ in 0..PIECES {
        match more(run.input_mut()) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(Some(error)) => run.brought(to, Err(error))?,
            Err(None) => return Err(Box::new(Failure::Broken(NoMemory, Spot::default()))),
        }
        if gather_piece(run, to)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gathers the text at hand. True at the end.
fn gather_piece<I: Input>(run: &mut Run<Reader, I, Infallible>, to: &mut Gather) -> Outcome<bool> {
    // A word can point into a text of at most so many bytes.
    if run.input().given().text().as_bytes().len() as u64 > MOST_TEXT {
        let reason = format!("a document of more than {MOST_TEXT} bytes cannot be opened");
        return Err(run.fail(to, &Fault::limit(MOST_TEXT, reason)));
    }
    Ok(matches!(run.advance(to)?, Turn::End))
}
