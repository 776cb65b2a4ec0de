//! `decode` and `load`: whole documents, and parts of a text that are decoded by themselves.

use super::small_documents;
use crate::drive::destination::Builder;
use crate::drive::driver::{Driver, LARGE, Settings, Turn as PumpTurn};
use crate::edge::buffers::{in_pieces, slice};
use crate::edge::errors::{self, Named, guarded};
use crate::edge::options::{self, Errors, PolicyObject};
use crate::edge::repairs;
use crate::io::dialect::Dialect;
use crate::io::sources::SourceObject;
use crate::objects::{Options, Pause};
use crate::plan::PlanRef;
use penstock_core::error::{Fault, Kind};
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::position::Counter;
use penstock_core::protocol::{Destination, FormatReader, Unknown};
use penstock_core::run::{
    Failed, Failure, InMemory, Input, Origin, Policy, Problem, Run, Spot, Turn, Whole, Windows,
    total_exceeded,
};
use penstock_core::source::encoding::{UTF8_BOM, foreign, refuse};
use penstock_core::source::{
    Compression, Detect, Encoding, Options as SourceOptions, Settled, Sniff, Source, is_binary,
    sniff, xml_encoding,
};
use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use std::io::Cursor;

/// How many bytes are checked and parsed before we check for signals. Even if each value is slow to
/// make, an interrupt is handled within about ten milliseconds.
const SLICE: usize = 256 << 10;

/// How many slices are parsed before other threads are offered the interpreter lock: getting it
/// back may cost milliseconds.
const SLICES: usize = 4;

/// Documents below this size make too few objects for the collector to matter.
pub(crate) const BULK: usize = 64 << 10;

/// The arguments that decoding in memory and from a source share.
struct Request<'a> {
    dialect: &'a Dialect,
    plan: PlanRef,
    options: Options,
    limits: Limits,
}

impl<'a> Request<'a> {
    fn new(
        dialect: &'a Dialect,
        into: &Bound<'_, PyAny>,
        duplicates: &Bound<'_, PyAny>,
        unknown: &Bound<'_, PyAny>,
        all_errors: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let duplicates = options::text("duplicates", duplicates)?;
        let unknown = options::unknown_in_memory(options::text("unknown", unknown)?)?;
        let options = Options {
            duplicates: options::duplicates(duplicates)?,
            unknown,
            all_errors: options::flag("all_errors", all_errors)?,
            ..small_documents::OPTIONS
        };
        let (plan, limits) = (dialect.plan(into)?, options::limits(limits)?);
        Ok(Request { dialect, plan, options, limits })
    }

    /// The result for the caller: the one value, or the list of all rows.
    fn result<'py>(
        py: Python<'py>,
        is_document: bool,
        mut rows: Vec<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !is_document {
            return Ok(PyList::new(py, rows)?.into_any());
        }
        the_value(py, rows.pop())
    }

    fn driver(self, name: Option<String>, input: Windows) -> Driver {
        let settings = Settings {
            records: None,
            condition: None,
            options: self.options,
            errors: Errors::Raise,
            max_errors: 1,
            limits: self.limits,
            name,
            wanted: None,
        };
        Driver::new(self.dialect, self.plan, settings, input)
    }
}

/// Decodes a document in memory.
#[pyfunction]
#[pyo3(signature = (dialect, data, r#type, duplicates, unknown, all_errors, encoding, limits, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    dialect: &Dialect,
    data: &Bound<'py, PyAny>,
    r#type: &Bound<'py, PyAny>,
    duplicates: &Bound<'py, PyAny>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let common = Request::new(dialect, r#type, duplicates, unknown, all_errors, limits)?;
        let encoding = options::encoding(options::text_or_none("encoding", encoding)?)?;
        at_hand(py, common, data, encoding)
    })
}

/// Decodes a document in memory for a `Decoder`, which has made its plan from these arguments.
///
/// # Errors
/// As for [`decode`].
pub(crate) fn decode_by<'py>(
    py: Python<'py>,
    arguments: &Bound<'py, PyTuple>,
    plan: &PlanRef,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let some = |index| -> PyResult<Option<Bound<'py, PyAny>>> {
        let argument = arguments.get_item(index)?;
        Ok((!argument.is_none()).then_some(argument))
    };
    let dialect = arguments.get_item(0)?.cast_into::<Dialect>()?;
    let policy = arguments.get_item(3)?.cast_into::<PolicyObject>()?;
    let PolicyObject { duplicates, unknown, all_errors, .. } = *policy.get();
    if unknown == Unknown::Collect {
        options::unknown_in_memory("collect")?;
    }
    let encoding = some(4)?;
    let common = Request {
        dialect: dialect.get(),
        plan: plan.clone_ref(py),
        options: Options { duplicates, unknown, all_errors, ..small_documents::OPTIONS },
        limits: options::limits(some(5)?.as_ref())?,
    };
    let encoding = options::encoding(options::text_or_none("encoding", encoding.as_ref())?)?;
    at_hand(py, common, data, encoding)
}

/// Decodes any object in memory.
fn at_hand<'py>(
    py: Python<'py>,
    common: Request<'_>,
    data: &Bound<'py, PyAny>,
    encoding: Option<Encoding>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(text) = data.cast::<PyString>() {
        // A `str` is decoded already, whatever its encoding was. A lone surrogate has no UTF-8.
        let text = match text.to_str() {
            Ok(text) => text,
            Err(error) => return surrogate(py, &common, text, error),
        };
        return in_memory(py, common, text.as_bytes());
    }
    let detect = common.dialect.detect();
    if let Some(encoding) = encoding.filter(|it| detect == Detect::Nothing && !it.is_utf8()) {
        let mut bytes = Vec::new();
        in_pieces(data, |piece| {
            make_room(&mut bytes, piece.len());
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
        if detect == Detect::Plist && is_binary(bytes) == Some(true) {
            return binary(py, common, bytes);
        }
        let settled = match detect {
            Detect::Xml | Detect::Plist => xml_encoding(bytes, encoding).ok(),
            _ => Some(Settled::UTF_8),
        };
        if settled.is_some_and(|settled| settled.encoding.is_utf8()) {
            return in_memory(py, common, bytes);
        }
    }
    // Another encoding, or a buffer that may change while it is read: the bytes are copied piece by
    // piece.
    let is_document = common.dialect.is_document();
    let input = Windows::pushed(detect, encoding, common.limits.total);
    let mut driver = common.driver(None, input);
    let mut pause = Pause::begin(py)?;
    in_pieces(data, |piece| {
        driver.push(py, piece)?;
        driver.advance(py).map(|_| ())
    })?;
    driver.push_end(py)?;
    while !matches!(driver.advance(py)?, PumpTurn::End) {
        py.check_signals()?;
    }
    driver.promote_if_large(&mut pause, &mut 0);
    repairs::warn(driver.repairs(), py, None)?;
    Request::result(py, is_document, driver.builder_mut().take_rows())
}

/// Decodes the document of a path, a file or chunks.
#[pyfunction]
#[pyo3(signature = (dialect, source, r#type, duplicates, unknown, all_errors, limits, /))]
#[expect(clippy::too_many_arguments, reason = "the public functions give them all, by position")]
pub(crate) fn load<'py>(
    py: Python<'py>,
    dialect: &Dialect,
    source: &SourceObject,
    r#type: &Bound<'py, PyAny>,
    duplicates: &Bound<'py, PyAny>,
    unknown: &Bound<'py, PyAny>,
    all_errors: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(py, || {
        let common = Request::new(dialect, r#type, duplicates, unknown, all_errors, limits)?;
        let (opened, _held) = source.open(py, dialect.detect(), &common.limits)?;
        from_source(py, common, opened, source.name())
    })
}

fn from_source<'py>(
    py: Python<'py>,
    common: Request<'_>,
    source: Source,
    name: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_document = common.dialect.is_document();
    let mut driver = common.driver(name, Windows::of(source).gathered());
    let (mut pause, mut promoted) = (None, 0);
    loop {
        match (driver.advance(py)?, &mut pause) {
            (PumpTurn::Row, _) => {}
            (PumpTurn::Dry, Some(pause)) => {
                driver.promote_if_large(pause, &mut promoted);
                pause.lift(py, || driver.refill(py))??;
            }
            (PumpTurn::Dry, None) => {
                driver.refill(py)?;
                if driver.received() >= BULK as u64 {
                    pause = Some(Pause::begin(py)?);
                }
            }
            (PumpTurn::End, Some(pause)) => {
                // The rest of a large document is small, and goes with it.
                driver.promote_if_large(pause, &mut promoted);
                if promoted > 0 {
                    pause.promote();
                }
                break;
            }
            (PumpTurn::End, None) => break,
        }
    }
    drop(pause);
    repairs::warn(driver.repairs(), py, driver.name())?;
    Request::result(py, is_document, driver.builder_mut().take_rows())
}

/// Decodes bytes that cannot change, without copying them.
fn in_memory<'py>(
    py: Python<'py>,
    common: Request<'_>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let start = if bytes.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
    let mut counted = Counter::new();
    counted.skip(start as u64);
    let input = InMemory::new(&bytes[start..], Origin { counted, ..Origin::default() });
    let named = Named::new(common.dialect.name(), None);
    if let Some(total) = common.limits.total
        && bytes.len() as u64 > total
    {
        return Err(at_once(py, &total_exceeded(total), &input, &named));
    }
    if start == 0
        && let Some(name) = foreign(&bytes[..bytes.len().min(4)])
    {
        return Err(at_once(py, &refuse(name), &input, &named));
    }
    let Request { dialect, plan, options, limits } = &common;
    let mut builder = building(dialect, plan.clone_ref(py), *options, limits);
    // A document that becomes plain values must not lose anything.
    let reader = dialect.reader(plan.is_plain(), limits);
    let mut run = Run::new(reader, input, Policy::Raise);
    if options.all_errors {
        run.look_on();
    }
    if let Err(failure) = drive(py, &mut run, &mut builder, bytes.len())? {
        return Err(match (&*failure, packed(bytes)) {
            (Failure::One(problem), Some(what)) if is_at_the_beginning(problem) => {
                let reason = format!("this is {what}; load() decompresses, decode() does not");
                at_once(py, &Fault::malformed(0, reason), run.input(), &named)
            }
            _ => errors::of_failure(py, failure, &named),
        });
    }
    repairs::warn(run.repairs(), py, None)?;
    Request::result(py, dialect.is_document(), builder.take_rows())
}

/// Decodes bytes that are not text, and cannot change.
fn binary<'py>(py: Python<'py>, common: Request<'_>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let Request { dialect, plan, options, limits, .. } = &common;
    let named = Named::new(dialect.name(), None);
    if let Some(total) = limits.total
        && bytes.len() as u64 > total
    {
        let fault = errors::of_fault(py, &total_exceeded(total), &named.at(Spot::default()));
        return Err(errors::either(fault));
    }
    let mut builder = building(dialect, plan.clone_ref(py), *options, limits);
    let mut reader = dialect.reader(plan.is_plain(), limits);
    reader.rest();
    let mut run = Run::new(reader, Whole(bytes), Policy::Raise);
    let mut pause = if bytes.len() >= BULK { Some(Pause::begin(py)?) } else { None };
    loop {
        match run.advance(&mut builder) {
            Ok(Turn::End) => break,
            // The reader stops now and then, so that an interrupt is handled.
            Ok(Turn::Paused | Turn::Dry | Turn::Problem(_)) => py.check_signals()?,
            Err(failure) => return Err(errors::of_failure(py, failure, &named)),
        }
    }
    if let Some(pause) = &mut pause
        && bytes.len() as u64 >= LARGE
    {
        pause.promote();
    }
    Request::result(py, true, builder.take_rows())
}

/// Whether already the first bytes are not of the format. The first byte of a compressed file may be text of a cell.
fn is_at_the_beginning(problem: &Problem<PyErr>) -> bool {
    problem.kind == Kind::Malformed && problem.offset <= 1
}

/// The exception for a fault of the input as a whole rather than of one record.
#[cold]
fn at_once(py: Python<'_>, fault: &Fault, input: &InMemory<'_>, named: &Named<'_>) -> PyErr {
    let spot = Spot { place: input.locate(fault.offset()), ..Spot::default() };
    errors::either(errors::of_fault(py, fault, &named.at(spot)))
}

/// A builder for everything in the input.
pub(crate) fn building(
    dialect: &Dialect,
    plan: PlanRef,
    options: Options,
    limits: &Limits,
) -> Builder {
    Builder::new(plan, options, dialect.building(limits), None)
}

/// The value of a document that was read to its end.
#[inline]
pub(crate) fn the_value(py: Python<'_>, row: Option<Py<PyAny>>) -> PyResult<Bound<'_, PyAny>> {
    match row {
        Some(row) => Ok(row.into_bound(py)),
        None => Err(pyo3::exceptions::PySystemError::new_err("a document without a value")),
    }
}

/// Parses `len` bytes in memory to their end, or returns the failure. An interrupt is raised.
#[inline]
pub(crate) fn drive<R: FormatReader, D: Destination<Cause = PyErr, Break = PyErr>>(
    py: Python<'_>,
    run: &mut Run<R, InMemory<'_>, PyErr>,
    builder: &mut D,
    len: usize,
) -> PyResult<Result<(), Failed<PyErr, PyErr>>> {
    let mut pause = if len >= BULK { Some(Pause::begin(py)?) } else { None };
    let mut slices = 0;
    loop {
        if !run.input().is_whole() {
            slices += 1;
            if slices > 1 {
                py.check_signals()?;
            }
            let input = run.input_mut();
            match &mut pause {
                Some(pause) if slices % SLICES == 0 => {
                    pause.promote();
                    pause.lift_shortly(py, || py.detach(|| input.more(SLICE)))?;
                }
                _ => input.more(SLICE),
            }
        }
        match run.advance(builder) {
            Ok(Turn::End) => break,
            Ok(Turn::Paused | Turn::Dry | Turn::Problem(_)) => {}
            Err(failure) => return Ok(Err(failure)),
        }
    }
    if let Some(pause) = &mut pause
        && len as u64 >= LARGE
    {
        pause.promote();
    }
    Ok(Ok(()))
}

/// The position of a text that is decoded as a part of a source.
#[derive(Clone, Default)]
pub(crate) struct PartOf<'a> {
    /// The count of lines and characters up to `before`, or up to the part if `before` is empty.
    pub(crate) counted: Counter,
    /// Text before the part. It is counted only if a position is asked for.
    pub(crate) before: &'a [u8],
    /// The name of the source.
    pub(crate) source: Option<&'a str>,
    /// The number of the record, from 1.
    pub(crate) record: Option<u64>,
    /// Finds the path of the part in its document, if an error needs it. None: the part is the
    /// root.
    pub(crate) path: Option<&'a dyn Fn() -> Vec<PathStep>>,
    /// The key by which a path's `*` found the part, if its class takes that.
    pub(crate) found_by: Option<PathStep>,
}

/// Decodes a part of a text by a plan. The part is the first `len` bytes of `text`. The rest of
/// `text` is whatever follows in memory, so that messages can show it.
///
/// # Errors
/// As for `decode`, with positions in the source.
pub(crate) fn part<'py>(
    py: Python<'py>,
    dialect: &Dialect,
    (plan, options): (PlanRef, Options),
    limits: &Limits,
    (text, len): (&[u8], usize),
    of: PartOf<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let PartOf { counted, before, source, record, path, found_by } = of;
    let (bytes, behind) = text.split_at(len);
    let reader = dialect.reader(plan.is_plain(), limits);
    let mut builder = building(dialect, plan, options, limits);
    if let Some(found_by) = found_by {
        builder.expect_found_by(found_by);
    }
    let input = InMemory::new(bytes, Origin { counted, before, behind });
    let run = Run::new(reader, input, Policy::Raise);
    let mut run = match record {
        Some(record) => run.behind_records(record.saturating_sub(1)),
        None => run.without_numbers(),
    };
    let named = Named { format: dialect.name(), source, within: path };
    let ended = drive(py, &mut run, &mut builder, len)?;
    ended.map_err(|failure| errors::of_failure(py, failure, &named))?;
    Request::result(py, true, builder.take_rows())
}

/// The name of the compression, if the data is compressed.
#[cold]
fn packed(bytes: &[u8]) -> Option<String> {
    match sniff(bytes) {
        Sniff::Is(Compression::None) | Sniff::More => None,
        Sniff::Is(compression) => Some(format!("{} data", compression.name())),
        Sniff::Zip => Some("a zip archive".to_owned()),
        _ => None,
    }
}

/// The error for a `str` with a lone surrogate, which no encoding of text has.
#[cold]
fn surrogate<'py>(
    py: Python<'py>,
    common: &Request<'_>,
    text: &Bound<'py, PyString>,
    error: PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    if !error.is_instance_of::<pyo3::exceptions::PyUnicodeEncodeError>(py) {
        return Err(error);
    }
    let index: usize = error.value(py).getattr("start")?.extract()?;
    let head = text.call_method1("encode", ("utf-8", "replace"))?;
    let head = head.cast::<PyBytes>()?.as_bytes();
    // There is no surrogate before the first one, so the head has the right length.
    let before = slice(text, 0, index)?;
    let offset = before.call_method0("encode")?.len()?;
    let reason = "the str has a lone surrogate, which is not text";
    let (input, named) =
        (InMemory::new(head, Origin::default()), Named::new(common.dialect.name(), None));
    Err(at_once(py, &Fault::malformed(offset as u64, reason), &input, &named))
}
