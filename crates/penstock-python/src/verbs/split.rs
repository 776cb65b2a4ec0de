//! Parts of a file: where they begin, and the records of one of them.
//!
//! A part begins at a point (`core/split`), which Python holds as plain tuples, so that it can be
//! pickled or written as JSON.

use crate::columns::Schema;
use crate::drive::driver::{Driver, Gauge, Settings};
use crate::edge::errors::{Named, given, guarded};
use crate::edge::gc_refs::Held;
use crate::edge::options::{self, PolicyObject};
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::{SourceObject, Version};
use crate::io::stored::{FromHere, Stored, is_remote};
use crate::verbs::finding::read_all;
use crate::verbs::read::{Reader, check_threads};
use penstock_arrow::Finder;
use penstock_clock::Mono;
use penstock_core::csv;
use penstock_core::event::KeyKind;
use penstock_core::formats::Reader as AnyReader;
use penstock_core::formats::ReaderState;
use penstock_core::json::Container;
use penstock_core::limits::Limits;
use penstock_core::position::{CONTEXT, Counter};
use penstock_core::protocol::Destination;
use penstock_core::run::{Failure, Input, Policy, RecordScope, Run, Turn, Windows};
use penstock_core::select::{At, Open, Records};
use penstock_core::source::{Compression, Frames, ReadAt, Source, SourceError};
use penstock_core::split::{Head, Hops, Planner, RecordStart, pass_records};
use penstock_core::xml::OpenElement;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// After how many nanoseconds signals are looked for.
const PATIENCE: i64 = 20_000_000;

/// How many records are, if nothing is read between them.
const STEPS: usize = 1 << 12;

/// What is open for the reader: for JSON `"map"` and `"list"`, and `"record"` behind a record; for
/// XML the elements with the prefixes that they bind, for rows nothing. For a binary property list
/// the places of the record and of the containers around it.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum Stood {
    Lists(Vec<String>),
    Elements(Vec<(String, Vec<(String, String)>)>),
    Members(Vec<u64>),
}

/// Says that a record has just ended.
const BEHIND: &str = "record";

/// What is open for whoever selects the records: its state, and behind how many items or at which
/// name it is.
type Opened = (u32, Option<u64>, Option<(String, String)>);

/// Offset, line, column, records before, the format's own state, and what is open.
pub(super) type Told = (u64, u64, u64, u64, Option<Stood>, Vec<Opened>);

fn words(open: &[Container]) -> Vec<String> {
    let word = |open: &Container| match open {
        Container::Map => "map".to_owned(),
        Container::List => "list".to_owned(),
    };
    open.iter().map(word).collect()
}

pub(super) fn told(point: RecordStart) -> Told {
    let RecordStart { counted, records, stand, open } = point;
    let stood = match stand {
        ReaderState::Rows => None,
        ReaderState::Members(places) => Some(Stood::Members(places.into())),
        ReaderState::Lists(open) => Some(Stood::Lists(words(&open))),
        ReaderState::Behind(open) => {
            let mut words = words(&open);
            words.push(BEHIND.to_owned());
            Some(Stood::Lists(words))
        }
        ReaderState::Elements(open) => {
            Some(Stood::Elements(open.into_iter().map(|open| (open.name, open.bindings)).collect()))
        }
    };
    let opened = |open: Open| match open.at {
        At::Start => (open.state, None, None),
        At::List(begun) => (open.state, Some(begun), None),
        At::Key(kind, name) => {
            let kind = if kind == KeyKind::Element { "element" } else { "member" };
            (open.state, None, Some((kind.to_owned(), name)))
        }
    };
    let open = open.into_iter().map(opened).collect();
    (counted.bytes(), counted.line(), counted.column(), records, stood, open)
}

/// The point that was told.
pub(super) fn point(dialect: &Dialect, told: Told) -> RecordStart {
    let (offset, line, column, records, stood, opened) = told;
    let stand = match stood {
        None => ReaderState::Rows,
        Some(Stood::Members(places)) => ReaderState::Members(places.into()),
        // Nothing is open around lines.
        Some(Stood::Lists(mut open)) if !dialect.has_elements() => {
            let is_behind = open.pop_if(|last| last == BEHIND).is_some();
            let kind = |open: &String| match open.as_str() {
                "map" => Container::Map,
                _ => Container::List,
            };
            let open = open.iter().map(kind).collect();
            if is_behind { ReaderState::Behind(open) } else { ReaderState::Lists(open) }
        }
        Some(Stood::Lists(_)) => ReaderState::Elements(Vec::new()),
        Some(Stood::Elements(open)) => ReaderState::Elements(
            open.into_iter().map(|(name, bindings)| OpenElement { name, bindings }).collect(),
        ),
    };
    let open = |(state, begun, name): Opened| Open {
        state,
        at: match (begun, name) {
            (Some(begun), _) => At::List(begun),
            (None, Some((kind, name))) => {
                let kind = if kind == "element" { KeyKind::Element } else { KeyKind::Member };
                At::Key(kind, name)
            }
            (None, None) => At::Start,
        },
    };
    let open = opened.into_iter().map(open).collect();
    RecordStart { counted: Counter::at(line, column, offset), records, stand, open }
}

/// A run that looks for points.
pub(super) struct Planning {
    run: Run<AnyReader, Windows, Infallible>,
    to: RecordScope<Planner>,
    /// What hops over the records between two points, if anything can.
    hops: Option<Hops>,
}

impl Planning {
    pub(super) fn new(
        dialect: &Dialect,
        limits: &Limits,
        source: Source,
        records: Option<Records>,
    ) -> Self {
        Planning::over(dialect, limits, Windows::of(source), records)
    }

    /// The same for what is behind a point, which a reader is at. None if the point is none of this path.
    pub(super) fn behind(
        reader: AnyReader,
        input: Windows,
        records: Option<Records>,
        point: &RecordStart,
    ) -> Option<Self> {
        let run = Planner::run(reader, input);
        let mut to = RecordScope::new(Planner::default(), records);
        let is_there = to.go_on(&point.open, point.records);
        is_there.then_some(Planning { run, to, hops: None })
    }

    fn over(dialect: &Dialect, limits: &Limits, input: Windows, records: Option<Records>) -> Self {
        let run = Planner::run(dialect.reader(false, limits), input);
        let to = RecordScope::new(Planner::default(), records);
        Planning { run, to, hops: None }
    }

    /// From now on, what is between points is hopped over, if anything can do that.
    fn hop(&mut self) {
        self.hops = Hops::beside(self.run.reader(), &self.to);
    }

    /// Goes on to the next record that is wanted. False if there is none: at the end, or before an
    /// error that ends the reading, which whoever reads the last part will meet.
    pub(super) fn go_on(&mut self, py: Python<'_>) -> PyResult<bool> {
        loop {
            let Planning { run, to, hops } = self;
            let turn = py.detach(|| {
                let begun = Mono::now_relaxed().as_nanos();
                while Mono::now_relaxed().as_nanos() - begun < PATIENCE {
                    let turn = match hops {
                        Some(hops) => hops.advance(run, to),
                        None => run.advance(to),
                    };
                    match turn {
                        Ok(Turn::Dry) => {
                            let read = run.input().end();
                            if let Some(vain) = hops.take_if(|hops| !hops.are_worth_it(read)) {
                                vain.end(to);
                                continue;
                            }
                            let brought = run.input_mut().more();
                            run.brought(to, brought)?;
                        }
                        turn => return turn,
                    }
                }
                Ok(Turn::Dry)
            });
            match turn {
                Ok(Turn::Paused) => return Ok(true),
                Ok(Turn::End) => return Ok(false),
                Ok(Turn::Dry | Turn::Problem(_)) => py.check_signals()?,
                Err(failure) => match *failure {
                    Failure::Source { error, .. } => return Err(error.into()),
                    _ => return Ok(false),
                },
            }
        }
    }

    /// The point at the record to which it has gone.
    pub(super) fn point(&self) -> Option<RecordStart> {
        RecordStart::of(&self.run, &self.to)
    }

    /// How many records inside of the document have begun.
    fn met(&self) -> u64 {
        self.to.inner_records().map_or(0, |(begun, ..)| begun)
    }

    /// Goes on to the next record of a binary property list, or to one behind it that so many are
    /// before. False as for [`go_on`](Self::go_on).
    fn go_on_to(&mut self, py: Python<'_>, wanted: u64, steps: &mut usize) -> PyResult<bool> {
        let most = wanted.saturating_sub(self.met());
        pass_records(&mut self.run, &mut self.to, most);
        *steps += 1;
        if steps.is_multiple_of(STEPS) {
            py.check_signals()?;
        }
        self.go_on(py)
    }

    /// Whether it has met the objects of a binary property list, each of which has its place.
    fn has_places(&self) -> bool {
        self.run.input().is_plain_binary()
    }

    /// The points of a binary property list of so many bytes. Its objects may be anywhere, so that
    /// each record counts for as many bytes as any other: where the point is that is wanted at an
    /// offset, and which offset it says it is at.
    fn points_by_places(
        mut self,
        py: Python<'_>,
        dialect: &Dialect,
        limits: &Limits,
        records: Option<Records>,
        offsets: &[u64],
        size: u64,
    ) -> PyResult<Vec<Told>> {
        let mut steps = 0;
        while self.go_on_to(py, u64::MAX, &mut steps)? {}
        let total = self.met();
        let part_of = |whole: u64, of: u64, part: u64| {
            let part = u128::from(whole) * u128::from(part) + u128::from(of / 2);
            u64::try_from(part / u128::from(of.max(1))).unwrap_or(u64::MAX)
        };
        let mut planning = Planning::over(dialect, limits, self.run.into_input(), records);
        let mut points = Vec::new();
        if !planning.go_on(py)? {
            return Ok(points);
        }
        for offset in offsets {
            let wanted = part_of(total, size, *offset);
            // The first part begins at the first record, and no part is empty.
            if wanted < planning.met() {
                continue;
            }
            while planning.met() <= wanted {
                if !planning.go_on_to(py, wanted, &mut steps)? {
                    return Ok(points);
                }
            }
            let Some(mut point) = planning.point() else { continue };
            point.counted = Counter::at(1, 1, part_of(size, total, point.records));
            push(&mut points, told(point))?;
        }
        Ok(points)
    }

    /// What it knows at the first record, for readers of ranges; see [`Head::of`].
    pub(super) fn head(&self, records: Option<Records>) -> Option<Head> {
        Head::of(&self.run, &self.to, records)
    }

    /// Why no part of the source can be read on its own, if that is so.
    pub(super) fn why_whole(&self) -> Option<&'static str> {
        self.run.input().why_whole()
    }

    /// Whether a carriage return alone ends a row, as far as it is known.
    pub(super) fn ends_lines_by_return(&self) -> bool {
        self.run.reader().csv().is_some_and(csv::Reader::ends_lines_by_return)
    }

    /// A reader at a point of the source. None if the point is none of it.
    pub(super) fn reader_at(&self, point: &RecordStart) -> Option<AnyReader> {
        self.run.reader().at(&point.stand, point.counted.bytes())
    }
}

/// A file that can be read from the middle.
#[derive(Clone)]
pub(super) enum Parted {
    Plain(Stored),
    InPieces(Stored, Frames),
    /// It cannot, for this reason.
    Whole(String),
}

impl Parted {
    /// Whether it is the file that was opened for a source first, if it can be read from the middle.
    pub(super) fn is_of(&self, source: &SourceObject) -> PyResult<bool> {
        match self {
            Parted::Plain(file) | Parted::InPieces(file, _) => {
                Ok(source.file() == Some(file.about()?.which))
            }
            Parted::Whole(_) => Ok(true),
        }
    }

    /// The file by its path or address. None if it can be read in order only.
    fn stored(py: Python<'_>, source: &SourceObject) -> PyResult<Option<(Stored, u64)>> {
        let object = source.object(py);
        if !object.is_instance_of::<PyString>() && !is_remote(object)? {
            let message = "a part is one of a file, which is named by its path";
            return Err(PyTypeError::new_err(message));
        }
        Stored::open(object)
    }

    /// The same with the pieces that were found in it.
    fn in_pieces(py: Python<'_>, source: &SourceObject, frames: Frames) -> PyResult<Self> {
        let (file, _) = Parted::stored(py, source)?.ok_or_else(changed)?;
        Ok(Parted::InPieces(file, frames))
    }

    /// The file with the table that a part of it holds, and what that is for. Without one, the pieces
    /// are looked for.
    fn with(
        py: Python<'_>,
        source: &SourceObject,
        pieces: Option<(String, String)>,
        limits: &Limits,
    ) -> PyResult<Self> {
        let Some((text, purpose)) = pieces else {
            return Ok(Parted::search(py, source, 1, limits)?.0);
        };
        let Some(frames) = Frames::from_text(&text, &purpose) else {
            return Err(PyValueError::new_err(
                "the pieces of this part are damaged, or those of another part or file",
            ));
        };
        Parted::in_pieces(py, source, frames)
    }

    /// The file with the pieces that somebody has found in it.
    pub(super) fn with_pieces(
        py: Python<'_>,
        source: &SourceObject,
        Pieces(frames): &Pieces,
    ) -> PyResult<Self> {
        Parted::in_pieces(py, source, frames.clone())
    }

    /// The file, and the size of its text, if nothing has to be decompressed to know its pieces.
    pub(super) fn open(py: Python<'_>, source: &SourceObject) -> PyResult<(Self, u64)> {
        Parted::found(py, source, None)
    }

    /// The file, and the size of its text. One of bzip2 is decompressed, with so many threads.
    fn search(
        py: Python<'_>,
        source: &SourceObject,
        threads: usize,
        limits: &Limits,
    ) -> PyResult<(Self, u64)> {
        Parted::found(py, source, Some((threads, limits)))
    }

    fn found(
        py: Python<'_>,
        source: &SourceObject,
        decoding: Option<(usize, &Limits)>,
    ) -> PyResult<(Self, u64)> {
        let Some((file, size)) = Parted::stored(py, source)? else {
            return Ok((Parted::Whole("it is no regular file".to_owned()), 0));
        };
        // The index that bgzip writes beside its files.
        let object = source.object(py);
        let index = match object.cast::<PyString>() {
            Ok(path) => match std::fs::read(format!("{}.gzi", path.to_string_lossy())) {
                Ok(index) => Some(index),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(error.into()),
            },
            Err(_) => object.call_method0(intern!(py, "gzi"))?.extract::<Option<Vec<u8>>>()?,
        };
        let patient = Patient { file: &file.passed_over(), reads: AtomicUsize::new(0) };
        let found = py.detach(|| match decoding {
            None => Frames::find(&patient, size, index.as_deref()),
            Some((threads, limits)) => {
                Frames::search(&patient, size, index.as_deref(), threads, limits)
            }
        });
        Ok(match found {
            Ok(Ok(frames)) => {
                let text = frames.text();
                (Parted::InPieces(file, frames), text)
            }
            Ok(Err(whole)) if whole.compression == Compression::None => (Parted::Plain(file), size),
            Ok(Err(whole)) => (Parted::Whole(whole.reason), size),
            Err(SourceError::Io(error)) => return Err(error.into()),
            // Whoever reads it meets the fault.
            Err(SourceError::Fault(fault)) => (Parted::Whole(fault.reason().to_owned()), size),
            Err(SourceError::Idle) => (Parted::Whole("it is not there".to_owned()), size),
        })
    }
}

/// A file that takes long to look through, so that signals are looked for meanwhile.
struct Patient<'a> {
    file: &'a Stored,
    reads: AtomicUsize,
}

/// How many bytes come in a read at most whose time does not matter.
const SHORT: usize = 64 << 10;

impl ReadAt for Patient<'_> {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        if out.len() > SHORT || reads.is_multiple_of(STEPS) {
            Python::attach(|py| py.check_signals())?;
        }
        self.file.read_exact_at(out, offset)
    }
}

/// Where the pieces of a compressed file are, for parts of it.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Pieces(Frames);

/// What a table is for that is kept for parts of any size.
const KEPT: &str = "any parts";

#[pymethods]
impl Pieces {
    /// Takes back what [`kept`](Self::kept) gave.
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &str) -> PyResult<Self> {
        let frames = Frames::from_text(text, KEPT).map(Pieces);
        frames.ok_or_else(|| PyValueError::new_err("these are no pieces"))
    }

    /// As much of the table as parts need that begin at these offsets.
    #[pyo3(signature = (begins, /))]
    fn kept(&self, py: Python<'_>, begins: Vec<u64>) -> PyResult<Py<PyAny>> {
        given(py, || Ok(self.0.for_parts_at(begins.into_iter().map(before)).to_text(KEPT)))
    }

    /// The table for the part with these bytes of the text; the purpose says which part that is.
    #[pyo3(signature = (begin, end, purpose, /))]
    fn part(
        &self,
        py: Python<'_>,
        begin: u64,
        end: Option<u64>,
        purpose: &str,
    ) -> PyResult<Py<PyAny>> {
        let bytes = before(begin)..end.unwrap_or(u64::MAX);
        given(py, || Ok(self.0.part(bytes).to_text(purpose)))
    }
}

/// Where a reader begins whose records begin at an offset: an error there has some text before it.
fn before(begin: u64) -> u64 {
    begin.saturating_sub(CONTEXT as u64)
}

/// How many bytes of text a file has, why it is one part, if it is, and where its pieces are, if it is
/// compressed in pieces. One of bzip2 is decompressed for that, with so many threads, or is one part.
#[pyfunction]
#[pyo3(signature = (source, limits, threads, /))]
pub(crate) fn split_size(
    source: &Bound<'_, SourceObject>,
    limits: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let py = source.py();
    given(py, || {
        let (source, limits) = (source.get(), options::limits(limits)?);
        let (parted, text) = match threads {
            Some(threads) => {
                check_threads(threads)?;
                Parted::search(py, source, threads, &limits)?
            }
            None => Parted::open(py, source)?,
        };
        Ok(match parted {
            Parted::Plain(_) => (text, None, None),
            Parted::InPieces(_, frames) => (text, None, Some(Pieces(frames))),
            Parted::Whole(why) => (text, Some(why), None),
        })
    })
}

fn push(points: &mut Vec<Told>, point: Told) -> PyResult<()> {
    points.try_reserve(1).map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
    points.push(point);
    Ok(())
}

/// The points at the first records that begin at these offsets or behind them, or why there are none.
#[pyfunction]
#[pyo3(signature = (dialect, source, r#type, at, limits, offsets, size, /))]
pub(crate) fn split_points(
    dialect: &Bound<'_, Dialect>,
    source: &Bound<'_, SourceObject>,
    r#type: &Bound<'_, PyAny>,
    at: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
    offsets: Vec<u64>,
    size: u64,
) -> PyResult<Py<PyAny>> {
    let py = dialect.py();
    given(py, || {
        let (dialect, limits) = (dialect.get(), options::limits(limits)?);
        let Choice { records, .. } = dialect.choose(r#type, at)?;
        let (opened, _) = source.get().open(py, dialect.detect(), &limits)?;
        let mut planning = Planning::new(dialect, &limits, opened, records.clone());
        if !planning.go_on(py)? {
            return Ok((Vec::new(), Some("it has no record")));
        }
        if planning.has_places() {
            if planning.point().is_none() {
                return Ok((Vec::new(), Some("it is one record")));
            }
            let points =
                planning.points_by_places(py, dialect, &limits, records, &offsets, size)?;
            return Ok((points, None));
        }
        if let Some(why) = planning.run.input().why_whole() {
            return Ok((Vec::new(), Some(why)));
        }
        // A point at the first record shows what a second would be.
        if planning.point().is_none() {
            return Ok((Vec::new(), Some("a record depends on what comes before it")));
        }
        planning.hop();
        let mut points: Vec<Told> = Vec::new();
        for offset in offsets {
            if points.last().is_some_and(|point| point.0 >= offset) {
                continue;
            }
            planning.to.inner_mut().want(offset);
            if !planning.go_on(py)? {
                break;
            }
            let Some(point) = planning.point() else { continue };
            push(&mut points, told(point))?;
        }
        Ok((points, None))
    })
}

/// Reads the records of a part: from a point, or from the beginning, to the record that begins at an
/// offset, or to the end. Of a binary property list, to the record at a place.
#[pyfunction]
#[pyo3(signature = (dialect, source, r#type, at, policy, limits, version, start, end, until, pieces, /))]
#[expect(clippy::too_many_arguments, reason = "what is read, from where, as what, and how")]
pub(crate) fn read_split(
    dialect: &Bound<'_, Dialect>,
    source: &Bound<'_, SourceObject>,
    r#type: &Bound<'_, PyAny>,
    at: Option<&Bound<'_, PyAny>>,
    policy: &Bound<'_, PolicyObject>,
    limits: Option<&Bound<'_, PyAny>>,
    version: Version,
    start: Option<Told>,
    end: Option<u64>,
    until: Option<Vec<u64>>,
    pieces: Option<(String, String)>,
) -> PyResult<Reader> {
    let py = dialect.py();
    guarded(py, || {
        let (dialect, limits) = (dialect.get(), options::limits(limits)?);
        let Choice { plan, records, condition, title, sought } = dialect.choose(r#type, at)?;
        let name = source.get().name();
        let shown = name.clone().unwrap_or_default();
        let bounds = Bounds { version, start, end, until, pieces };
        let Begun { reader, input, point } =
            begin(py, dialect, source.get(), &limits, records.clone(), bounds)?;
        let mut settings =
            Settings::new(py, policy.get(), (records, sought), limits.clone(), name, true)?;
        settings.condition = condition;
        // A part may have no record.
        settings.wanted.take_if(|(_, merely_told)| *merely_told);
        let held: Vec<Held> = settings.errors.held().into_iter().collect();
        let mut driver = match reader {
            Some(reader) => Driver::over(dialect, reader, plan, settings, input),
            None => Driver::new(dialect, plan, settings, input),
        };
        let is_there = match &point {
            None => true,
            Some(RecordStart { stand: ReaderState::Members(_), open, records, .. }) => {
                driver.begin_within(open, *records)
            }
            Some(point) => driver.begin_at(point),
        };
        if !is_there {
            return Err(changed());
        }
        driver.time();
        Ok(Reader::over(driver, held, format!("{shown} -> {title}"), None, None)
            .up_to(policy.get().limit))
    })
}

/// The schema of the records of a part.
#[pyfunction]
#[pyo3(signature = (dialect, source, at, skip, limits, version, start, end, until, pieces, threads, /))]
#[expect(clippy::too_many_arguments, reason = "what is read, from where, and how")]
pub(crate) fn split_schema(
    dialect: &Bound<'_, Dialect>,
    source: &Bound<'_, SourceObject>,
    at: Option<&Bound<'_, PyAny>>,
    skip: bool,
    limits: Option<&Bound<'_, PyAny>>,
    version: Version,
    start: Option<Told>,
    end: Option<u64>,
    until: Option<Vec<u64>>,
    pieces: Option<(String, String)>,
    threads: usize,
) -> PyResult<Schema> {
    let py = dialect.py();
    guarded(py, || {
        check_threads(threads)?;
        let (dialect, limits) = (dialect.get(), options::limits(limits)?);
        let plain = py.get_type::<PyAny>();
        let Choice { records, condition, .. } = dialect.choose(plain.as_any(), at)?;
        let bounds = Bounds { version, start, end, until, pieces };
        let Begun { reader, input, point } =
            begin(py, dialect, source.get(), &limits, records.clone(), bounds)?;
        let policy = if skip { Policy::Skip } else { Policy::Raise };
        let reader = reader.unwrap_or_else(|| dialect.reader(false, &limits));
        let mut run = Run::new(reader, input, policy);
        let name = source.get().name();
        let mut finder = Finder::new();
        finder.begin_part(name.as_deref().unwrap_or(dialect.name()));
        if let Some(point) = &point {
            finder.pass_records(point.records);
            if point.open.is_empty() {
                run.pass_records(point.records);
            }
        }
        let mut to = RecordScope::new(finder, records).wanting(condition);
        if let Some(RecordStart { open, records, .. }) = &point
            && !to.go_on(open, *records)
        {
            return Err(changed());
        }
        let named = Named::new(dialect.name(), name.as_deref());
        let gauge = Gauge::default();
        read_all(py, run, &mut to, &named, threads, &gauge)?;
        Schema::found(py, to.into_inner(), gauge.skipped.load(Ordering::Relaxed))
    })
}

/// Where a part begins and ends: at a point and before an offset, or at the beginning and the end of
/// the file, which was split in this state. A part of a binary property list ends before the record at
/// a place. One of a compressed file holds a table of its pieces, and what that is for.
struct Bounds {
    version: Version,
    start: Option<Told>,
    end: Option<u64>,
    until: Option<Vec<u64>>,
    pieces: Option<(String, String)>,
}

/// What reads a part: a reader, if it is not the dialect's at the beginning of a text, its input, and
/// the point at which both are.
struct Begun {
    reader: Option<AnyReader>,
    input: Windows,
    point: Option<RecordStart>,
}

/// Opens a part.
fn begin(
    py: Python<'_>,
    dialect: &Dialect,
    source: &SourceObject,
    limits: &Limits,
    records: Option<Records>,
    bounds: Bounds,
) -> PyResult<Begun> {
    let Bounds { version, start, end, until, pieces } = bounds;
    let point = start.map(|start| point(dialect, start));
    let (opened, _) = match &point {
        None => source.open(py, dialect.detect(), limits)?,
        Some(_) => source.open_head(py, dialect.detect(), limits)?,
    };
    // The path may lead to another file by now.
    if source.version() != Some(version) {
        return Err(replaced(source));
    }
    let places = match &point {
        Some(RecordStart { stand: ReaderState::Members(places), open, .. }) => {
            // The path of the record has as many steps as there are containers around it.
            if open.len() != places.len() + 1 {
                return Err(changed());
            }
            Some(&places[..])
        }
        _ => until.as_ref().map(|_| &[][..]),
    };
    if let Some(places) = places {
        let reader = dialect.reader(false, limits);
        let reader = reader.between(places, &until.unwrap_or_default()).ok_or_else(changed)?;
        return Ok(Begun { reader: Some(reader), input: Windows::of(opened), point });
    }
    let Some(point) = point else {
        let mut input = Windows::of(opened);
        if let Some(end) = end {
            input = input.up_to(end);
        }
        return Ok(Begun { reader: None, input, point });
    };
    let parted = Parted::with(py, source, pieces, limits)?;
    if !parted.is_of(source)? {
        return Err(replaced(source));
    }
    let input = part(parted, &point, end, limits)?;
    let mut planning = Planning::new(dialect, limits, opened, records);
    let reader = if planning.go_on(py)? { planning.reader_at(&point) } else { None };
    Ok(Begun { reader: Some(reader.ok_or_else(changed)?), input, point: Some(point) })
}

#[cold]
fn replaced(source: &SourceObject) -> PyErr {
    let shown = source.name().unwrap_or_default();
    PyValueError::new_err(format!("{shown} has changed since it was split"))
}

#[cold]
fn changed() -> PyErr {
    PyValueError::new_err(
        "this part is none of the file: it has changed, or was split at another path",
    )
}

/// The text of a part, with the bytes before it for excerpts.
pub(super) fn part(
    parted: Parted,
    point: &RecordStart,
    end: Option<u64>,
    limits: &Limits,
) -> PyResult<Windows> {
    let begin = point.counted.bytes();
    let before = before(begin);
    let mut source = match parted {
        Parted::Plain(file) => Source::resume(Box::new(FromHere::new(file, before, end)?), limits),
        Parted::InPieces(file, frames) => {
            let inside = Source::inside(&Arc::new(frames), Box::new(file), before, limits);
            inside.map_err(|_| changed())?
        }
        Parted::Whole(_) => return Err(changed()),
    };
    let mut recalled = [0; CONTEXT];
    let recalled = &mut recalled[..(begin - before) as usize];
    let mut known = 0;
    while known < recalled.len() {
        match source.read(&mut recalled[known..]) {
            Ok(0) => return Err(changed()),
            Ok(count) => known += count,
            Err(SourceError::Idle) => {}
            Err(SourceError::Io(error)) => return Err(error.into()),
            Err(SourceError::Fault(_)) => return Err(changed()),
        }
    }
    let mut input = Windows::of_range(source, point.counted);
    input.recall(recalled);
    Ok(match end {
        Some(end) => input.up_to(end),
        None => input,
    })
}
