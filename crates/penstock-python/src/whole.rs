//! `decode` and `load`: whole documents, and parts of texts that are decoded by themselves.

use crate::decoder::{in_pieces, slice};
use crate::failure::{self, Others, Told, Where, guarded};
use crate::grammar::Grammar;
use crate::objects::{Builder, Mismatch, Options, PathStep, Pause, Problems, Refusal, Why};
use crate::options::{self, Errors};
use crate::plan::Plan;
use crate::pump::{LARGE, Pump, Settings, Turn, total_exceeded};
use crate::repairs::Repaired;
use crate::sources;
use penstock_core::error::{Fail, Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::position::{CONTEXT, Counter, Place, locate_in};
use penstock_core::reader::{Reader, Step};
use penstock_core::source::encoding::{UTF8_BOM, foreign};
use penstock_core::source::{
    Compression, Detect, Options as SourceOptions, Settled, Sniff, Source, sniff, xml_encoding,
};
use penstock_scan::{BorrowedText, Rest};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::io::Cursor;
use std::sync::Arc;

/// How much is checked and read before signals are looked at: even where each value is slow to
/// make, an interrupt is answered within some ten milliseconds.
const SLICE: usize = 256 << 10;

/// How many slices are read before the interpreter lock is offered to other threads: taking it
/// back may cost milliseconds.
const SLICES: usize = 4;

/// Who is to be warned: the caller of the public function that called.
const CALLER: i32 = 2;

/// Documents below this size make too few objects for the collector to matter.
const BULK: usize = 64 << 10;

/// The words that decoding in memory and from a source share.
struct Common {
    grammar: Grammar,
    plan: Arc<Plan>,
    options: Options,
    limits: Limits,
}

impl Common {
    fn new(
        format: &str,
        into: &Bound<'_, PyAny>,
        duplicates: &Bound<'_, PyAny>,
        unknown: &Bound<'_, PyAny>,
        all_errors: &Bound<'_, PyAny>,
        grammar: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let duplicates = options::text("duplicates", duplicates)?;
        let unknown = options::unknown_in_memory(options::text("unknown", unknown)?)?;
        let grammar = Grammar::new(format, grammar)?;
        Ok(Common {
            plan: grammar.plan(into)?,
            grammar,
            options: Options {
                duplicates: options::duplicates(duplicates)?,
                unknown,
                all_errors: options::flag("all_errors", all_errors)?,
                pause: false,
                recycle: false,
            },
            limits: options::limits(limits)?,
        })
    }

    /// What the rows are for the caller: the one value, or the list of all.
    fn result<'py>(
        py: Python<'py>,
        is_document: bool,
        mut rows: Vec<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !is_document {
            return Ok(PyList::new(py, rows)?.into_any());
        }
        match rows.pop() {
            Some(row) => Ok(row.into_bound(py)),
            None => Err(pyo3::exceptions::PySystemError::new_err("a document without a value")),
        }
    }

    fn pump(self, name: Option<String>) -> Pump {
        let settings = Settings {
            grammar: self.grammar,
            records: None,
            options: self.options,
            errors: Errors::Raise,
            max_errors: 1,
            limits: self.limits,
            name,
        };
        Pump::new(self.plan, settings)
    }
}

/// The document in memory.
#[pyfunction]
#[pyo3(signature = (format, data, r#type, duplicates, unknown, all_errors, encoding, grammar, limits, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    format: &str,
    data: &Bound<'py, PyAny>,
    r#type: &Bound<'py, PyAny>,
    duplicates: &Bound<'py, PyAny>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    grammar: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let common = Common::new(format, r#type, duplicates, unknown, all_errors, grammar, limits)?;
        let encoding = options::text_or_none("encoding", encoding)?;
        let encoding = options::encoding(encoding)?.filter(|encoding| !encoding.is_utf8());
        if let Ok(text) = data.cast::<PyString>() {
            // Already decoded, whatever it was encoded in. A lone surrogate has no UTF-8.
            let text = match text.to_str() {
                Ok(text) => text,
                Err(error) => return surrogate(py, &common, text, error),
            };
            return in_memory(py, common, text.as_bytes());
        }
        let detect = common.grammar.detect();
        if let Some(encoding) = encoding.filter(|_| detect == Detect::Nothing) {
            let mut bytes = Vec::new();
            in_pieces(data, |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            })?;
            let options = SourceOptions {
                compression: Compression::None,
                encoding: Some(encoding),
                detect,
                limits: &common.limits,
                total_hint: None,
            };
            let source = Source::open(Box::new(Cursor::new(bytes)), options);
            return from_source(py, common, source, None);
        }
        if let Ok(bytes) = data.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            let settled = match detect {
                Detect::Xml => xml_encoding(bytes, encoding).ok(),
                _ => Some(Settled::UTF_8),
            };
            if settled.is_some_and(|settled| settled.encoding.is_utf8()) {
                return in_memory(py, common, bytes);
            }
        }
        // In another encoding, or another buffer, which may change while it is read: copied piece
        // by piece.
        let is_document = common.grammar.is_document();
        let mut pump = common.pump(None);
        pump.assume(encoding);
        let mut pause = Pause::begin(py)?;
        in_pieces(data, |piece| {
            pump.push(py, piece)?;
            pump.advance(py).map(|_| ())
        })?;
        pump.push_end(py)?;
        pump.advance(py)?;
        pump.promote_if_large(&mut pause);
        pump.repaired().warn(py, None, CALLER)?;
        Common::result(py, is_document, pump.builder_mut().take_rows())
    })
}

/// The document of a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (format, source, r#type, duplicates, unknown, all_errors, encoding, grammar, compression, limits, name, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn load<'py>(
    py: Python<'py>,
    format: &str,
    source: &Bound<'py, PyAny>,
    r#type: &Bound<'py, PyAny>,
    duplicates: &Bound<'py, PyAny>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    grammar: &Bound<'py, PyAny>,
    compression: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
    name: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let common = Common::new(format, r#type, duplicates, unknown, all_errors, grammar, limits)?;
        let compression = options::text_or_none("compression", compression)?;
        let compression = options::compression(compression)?;
        let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
        let detect = common.grammar.detect();
        let (source, _held) = sources::open(source, compression, encoding, detect, &common.limits)?;
        let name = name.map(|name| name.to_string_lossy().into_owned());
        from_source(py, common, source, name)
    })
}

fn from_source(
    py: Python<'_>,
    common: Common,
    mut source: Source,
    name: Option<String>,
) -> PyResult<Bound<'_, PyAny>> {
    let is_document = common.grammar.is_document();
    let mut pump = common.pump(name);
    let mut pause = Pause::begin(py)?;
    loop {
        match pump.advance(py)? {
            Turn::Row => {}
            Turn::Dry => pump.refill(py, &mut source)?,
            Turn::End => break,
        }
    }
    pump.promote_if_large(&mut pause);
    pump.repaired().warn(py, pump.name(), CALLER)?;
    Common::result(py, is_document, pump.builder_mut().take_rows())
}

/// Bytes that cannot change under us: read where they are.
fn in_memory<'py>(py: Python<'py>, common: Common, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let start = if bytes.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
    let text = &bytes[start..];
    let mut counter = Counter::new();
    counter.skip(start as u64);
    let origin = Origin { counted: counter, ..Origin::default() };
    let document = Document { py, grammar: &common.grammar, bytes: text, text, origin };
    if let Some(total) = common.limits.total
        && bytes.len() as u64 > total
    {
        return Err(document.fault(&total_exceeded(total), None));
    }
    if start == 0
        && let Some(name) = foreign(&bytes[..bytes.len().min(4)])
    {
        return Err(document.fault(&penstock_core::source::encoding::refuse(name), None));
    }
    let Common { plan, options, limits, .. } = &common;
    let (rows, repaired) = document.read(Arc::clone(plan), *options, limits)?;
    repaired.warn(py, None, CALLER)?;
    Common::result(py, common.grammar.is_document(), rows)
}

/// Where a text stands that is decoded as a part of a source.
#[derive(Clone, Default)]
pub(crate) struct Origin<'a> {
    /// What is counted up to `before`, or up to the part if that is empty.
    pub(crate) counted: Counter,
    /// Text that stands before the part, and is counted only if a place is asked for.
    pub(crate) before: &'a [u8],
    /// What the source is called.
    pub(crate) source: Option<&'a str>,
    /// Which record it is, from 1.
    pub(crate) record: Option<u64>,
    /// Says where in the document it stands, once that is asked for. Without it, at the root.
    pub(crate) path: Option<&'a dyn Fn() -> Vec<PathStep>>,
}

impl Origin<'_> {
    fn steps(&self) -> Vec<PathStep> {
        self.path.map_or_else(Vec::new, |path| path())
    }
}

/// A part of a text as what the plan says. `text` goes on behind the part as far as it is at hand,
/// so that messages can show what stands there; the part is its first `len` bytes.
///
/// # Errors
/// As for `decode`, with places in the source.
pub(crate) fn part<'py>(
    py: Python<'py>,
    grammar: &Grammar,
    (plan, options): (Arc<Plan>, Options),
    limits: &Limits,
    (text, len): (&[u8], usize),
    origin: Origin<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let document = Document { py, grammar, bytes: &text[..len], text, origin };
    let (rows, _) = document.read(plan, options, limits)?;
    Common::result(py, true, rows)
}

/// A document in memory, or a part of one.
struct Document<'py, 'a> {
    py: Python<'py>,
    grammar: &'a Grammar,
    /// What is read.
    bytes: &'a [u8],
    /// What is read and what is known to stand behind it.
    text: &'a [u8],
    origin: Origin<'a>,
}

impl Document<'_, '_> {
    /// The rows that it makes, and what had to be repaired for it.
    fn read(
        &self,
        plan: Arc<Plan>,
        options: Options,
        limits: &Limits,
    ) -> PyResult<(Vec<Py<PyAny>>, Repaired)> {
        let Document { py, grammar, .. } = *self;
        // Of a document that becomes plain values, nothing is to be lost.
        let mut reader = grammar.reader(plan.is_plain(), limits);
        let mut builder = Builder::new(plan, options);
        if let Some(markup) = grammar.markup(limits) {
            builder.set_markup(markup);
        }
        let mut repaired = Repaired::default();
        let mut text = BorrowedText::new(self.bytes);
        let mut pause = None;
        let start = self.start();
        if self.bytes.len() >= BULK {
            pause = Some(Pause::begin(py)?);
        }
        reader.jump(start);
        let mut slices = 0;
        loop {
            let rest = if text.is_whole() {
                Rest::Nothing
            } else {
                slices += 1;
                if slices > 1 {
                    py.check_signals()?;
                }
                if slices % SLICES == 0 {
                    py.detach(|| text.advance_check(SLICE))
                } else {
                    text.advance_check(SLICE)
                }
            };
            let step = reader.run(text.text(), text.is_whole(), &mut builder);
            repaired.take(&mut reader, &self.counter(), text.text().as_bytes());
            match step {
                Ok(Step::Done | Step::Stopped) => break,
                Ok(Step::More | Step::Paused | Step::Turn) => {}
                Err(Fail::Input(fault)) => return Err(self.fault(&fault, Some(&mut builder))),
                Err(Fail::Sink(refusal)) => {
                    return Err(self.refused(refusal, &mut builder, &reader));
                }
            }
            let end = start + text.text().as_bytes().len() as u64;
            let fault = match rest {
                Rest::Nothing => continue,
                Rest::Incomplete => {
                    Fault::truncated(end, "invalid UTF-8: the input ends inside a character")
                }
                Rest::Invalid { .. } => {
                    let byte = self.bytes[text.text().as_bytes().len()];
                    Fault::malformed(end, format!("invalid UTF-8: byte 0x{byte:02x}"))
                }
            };
            return Err(self.fault(&fault, Some(&mut builder)));
        }
        if let Some(pause) = &mut pause
            && self.bytes.len() as u64 >= LARGE
        {
            pause.promote();
        }
        Ok((builder.take_rows(), repaired))
    }
    /// The offset of the first byte.
    fn start(&self) -> u64 {
        self.origin.counted.bytes() + self.origin.before.len() as u64
    }

    /// What is counted before the first byte.
    fn counter(&self) -> Counter {
        let mut counter = self.origin.counted;
        counter.advance(self.origin.before);
        counter
    }

    /// How many of the bytes stand before an offset.
    fn index(&self, offset: u64) -> usize {
        let at = usize::try_from(offset.saturating_sub(self.start())).unwrap_or(usize::MAX);
        at.min(self.bytes.len())
    }

    fn place(&self, offset: u64) -> Place {
        let at = self.index(offset);
        let mut counter = self.counter();
        counter.advance(&self.bytes[..at]);
        self.place_behind(&counter, at)
    }

    /// The place of a byte up to which all is counted.
    fn place_behind(&self, counter: &Counter, at: usize) -> Place {
        let near = &self.bytes[at - at.min(CONTEXT)..at];
        let before = self.origin.before;
        let far = &before[before.len() - before.len().min(CONTEXT - near.len())..];
        let offset = counter.bytes();
        locate_in(counter, &[far, near].concat(), &self.text[at..], offset, offset)
    }

    fn at(&self, offset: u64, builder: Option<&Builder>) -> Where<'_> {
        let place = Some(self.place(offset));
        match builder {
            Some(builder) => Where { place, ..self.of_record(builder, builder.path(true)) },
            None => {
                let Origin { source, record, .. } = self.origin;
                let path = self.origin.steps();
                Where { format: self.grammar.format(), source, place, record, path }
            }
        }
    }

    /// What is known of the record at hand without a place in it, of which `path` leads to a value.
    fn of_record(&self, builder: &Builder, path: Vec<PathStep>) -> Where<'_> {
        let streamed = !self.grammar.is_document();
        let record = match self.origin.record {
            None => streamed.then(|| builder.ready() as u64 + 1),
            record => record,
        };
        let path = self.origin.steps().into_iter().chain(path).collect();
        let format = self.grammar.format();
        Where { format, source: self.origin.source, place: None, record, path }
    }

    #[cold]
    fn fault(&self, fault: &Fault, builder: Option<&mut Builder>) -> PyErr {
        failure::either(self.told_fault(fault, builder))
    }

    fn told_fault(&self, fault: &Fault, builder: Option<&mut Builder>) -> Told {
        if fault.kind() == Kind::Malformed
            && fault.offset() == 0
            && let Some(what) = packed(self.bytes)
        {
            let reason = format!("this is {what}; load() decompresses, decode() does not");
            let fault = Fault::malformed(0, reason);
            return failure::of_fault(self.py, &fault, &self.at(0, None), Others::default());
        }
        let Some(builder) = builder else {
            let place = self.at(fault.offset(), None);
            return failure::of_fault(self.py, fault, &place, Others::default());
        };
        let others = self.others(builder)?;
        failure::of_fault(self.py, fault, &self.at(fault.offset(), Some(builder)), others)
    }

    #[cold]
    fn refused(&self, refusal: Refusal, builder: &mut Builder, reader: &Reader) -> PyErr {
        match refusal.why() {
            Why::Kept => failure::untold(),
            Why::Python(error) => {
                // What raised is an object being made, not one of its values.
                let mut place = self.of_record(builder, builder.path(false));
                place.place = Some(self.place(reader.offset()));
                failure::noted(self.py, error, &place)
            }
            Why::Mismatch(mismatch) => failure::either(self.told_mismatch(&mismatch, builder)),
        }
    }

    fn told_mismatch(&self, mismatch: &Mismatch, builder: &mut Builder) -> Told {
        let others = self.others(builder)?;
        let mut place = self.of_record(builder, mismatch.path.clone());
        place.place = Some(self.place(mismatch.at));
        failure::of_mismatch(self.py, mismatch, &place, others)
    }

    /// What is wrong with the record at hand, beside what is told. The document is gone through
    /// once for the places of all of it.
    #[cold]
    fn others(&self, builder: &mut Builder) -> PyResult<Others> {
        let Problems { kept, omitted, .. } = builder.take_problems();
        let (mut counter, mut passed) = (self.counter(), 0);
        let error = |problem: &Mismatch| {
            let at = self.index(problem.at);
            counter.advance(&self.bytes[passed..at]);
            passed = at;
            let mut place = self.of_record(builder, problem.path.clone());
            place.place = Some(self.place_behind(&counter, at));
            let error = failure::of_mismatch(self.py, problem, &place, Others::default())?;
            Ok(error.into_value(self.py).into_any())
        };
        Ok(Others { errors: kept.iter().map(error).collect::<PyResult<_>>()?, omitted })
    }
}

/// What the data is, if it is compressed.
#[cold]
fn packed(bytes: &[u8]) -> Option<String> {
    match sniff(bytes) {
        Sniff::Is(Compression::None) | Sniff::More => None,
        Sniff::Is(compression) => Some(format!("{} data", compression.name())),
        Sniff::Zip => Some("a zip archive".to_owned()),
        _ => None,
    }
}

/// A `str` with a lone surrogate, which no encoding of text has.
#[cold]
fn surrogate<'py>(
    py: Python<'py>,
    common: &Common,
    text: &Bound<'py, PyString>,
    error: PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    if !error.is_instance_of::<pyo3::exceptions::PyUnicodeEncodeError>(py) {
        return Err(error);
    }
    let index: usize = error.value(py).getattr("start")?.extract()?;
    let head = text.call_method1("encode", ("utf-8", "replace"))?;
    let head = head.cast::<PyBytes>()?.as_bytes();
    // Each surrogate before the first is none, so that the head has the right length.
    let before = slice(text, 0, index)?;
    let offset = before.call_method0("encode")?.len()?;
    let grammar = &common.grammar;
    let document = Document { py, grammar, bytes: head, text: head, origin: Origin::default() };
    let reason = "the str has a lone surrogate, which is not text";
    Err(document.fault(&Fault::malformed(offset as u64, reason), None))
}
