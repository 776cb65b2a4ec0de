//! Checkpoints: where a reader stands behind a record, and readers that go on there.

use crate::drive::driver::{Driver, Settings};
use crate::edge::errors::guarded;
use crate::edge::gc_refs::Held;
use crate::edge::options::{self, PolicyObject};
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::io::stored::{Stored, is_remote};
use crate::verbs::chain::{Chain, Opened, Recipe};
use crate::verbs::read::{Origin, Reader, Run};
use crate::verbs::split::{Parted, Planning, Told, part, point, told};
use penstock_core::formats::Reader as AnyReader;
use penstock_core::formats::ReaderState;
use penstock_core::run::Windows;
use penstock_core::source::{Compression, Detect, ReadAt};
use penstock_core::split::RecordStart;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::OnceLock;

/// The path, which file it was, whether that is plain text, the format, the arguments of its dialect,
/// where the records are, how many there were, whether the document has ended, the point, and the other
/// files.
type Checkpoint = (
    Py<PyAny>,
    (u64, u64),
    bool,
    &'static str,
    Option<Py<PyDict>>,
    String,
    u64,
    bool,
    Option<Told>,
    Option<Py<PyAny>>,
);

/// Where the records of a file are that are read on: which file it is, how they are found, how many
/// there were if the document has ended, the point, the arguments of the dialect, and whether more of
/// the file may come.
type Place =
    (Option<(u64, u64)>, Option<String>, Option<u64>, Option<Told>, Option<Py<PyDict>>, bool);

/// A file that is read on.
pub(super) type OpenedAt<'py> = (Bound<'py, Dialect>, Bound<'py, SourceObject>, Place);

/// What a checkpoint holds of a reader.
pub(super) fn keep(py: Python<'_>, run: &Run) -> PyResult<Checkpoint> {
    let refused = |reason: &str| PyValueError::new_err(format!("there is no checkpoint: {reason}"));
    let Some(origin) = &run.origin else {
        return Err(refused(match run.chain {
            Some(_) => "the reader is one of several files without resume=\"start\"",
            None => "the reader is none of penstock.read() of files by their paths or addresses",
        }));
    };
    let files = run.chain.as_ref().map(|chain| chain.files(py)).transpose()?;
    let Origin { source, sought, dialect, .. } = origin;
    let source = source.get();
    let path = source.object(py);
    let is_bare = source.encoding().is_none() && source.compression() == Compression::Infer;
    let is_behind_an_address = is_remote(path)?;
    if is_bare && is_behind_an_address && source.file().is_none() {
        return Err(refused("the server gives no ranges of bytes, so that nobody can go on there"));
    }
    let Some(file) = source.file().filter(|_| is_bare) else {
        return Err(refused("the reader was told the encoding or the compression"));
    };
    if let Some(why) = run.closed.as_ref().filter(|_| !run.is_over) {
        return Err(refused(why));
    }
    if !run.left.is_empty() {
        return Err(refused("records of a batch that was broken off are still to be taken"));
    }
    let driver = &run.driver;
    if run.pending.is_some() || (driver.is_finished() && !driver.is_complete()) {
        return Err(refused("the reader has failed behind the last record"));
    }
    let (parted, size) = match origin.parted.get() {
        Some(known) => known.clone(),
        None => Parted::open(py, source)?,
    };
    if is_behind_an_address {
        origin.parted.get_or_init(|| (parted.clone(), size));
    }
    // Such a file has places at its ends only, and does not grow.
    let whole = match &parted {
        Parted::Whole(why) if size == 0 => return Err(refused(why)),
        Parted::Whole(why) => Some(why),
        Parted::Plain(_) | Parted::InPieces(..) => None,
    };
    let is_plain = matches!(parted, Parted::Plain(_));
    let (format, at) = (driver.format(), sought.clone());
    let (path, records) = (path.clone().unbind(), driver.records());
    let dialect = dialect.as_ref().map(|dialect| dialect.clone_ref(py));
    let made = |records, ended, told| {
        Ok((path, file, is_plain, format, dialect, at, records, ended, told, files))
    };
    if driver.is_complete() && (driver.is_document() || whole.is_some()) {
        return made(records, true, None);
    }
    if records == 0 {
        return made(records, false, None);
    }
    if driver.is_over() {
        return made(records, true, None);
    }
    if let Some(why) = whole {
        return Err(refused(why));
    }
    if let Some(why) = driver.why_whole().filter(|_| driver.has_begun()) {
        return Err(refused(why));
    }
    let point = match driver.taken_of_piece() {
        None => driver.point_behind(),
        Some(None) => None,
        Some(Some(taken)) => next_of_piece(py, parted, origin, taken)?,
    };
    let point = point.ok_or_else(|| refused("a record depends on what comes before it"))?;
    made(point.records, false, Some(told(point)))
}

/// Reads on behind a checkpoint, or from the start. If there are `files`, they are those that follow.
#[pyfunction]
#[pyo3(signature = (opened, r#type, at, policy, limits, files, shown, /))]
#[expect(clippy::too_many_arguments, reason = "what is read, from where, as what, and how")]
pub(crate) fn read_on(
    py: Python<'_>,
    opened: OpenedAt<'_>,
    r#type: &Bound<'_, PyAny>,
    at: Option<&Bound<'_, PyAny>>,
    policy: &Bound<'_, PolicyObject>,
    limits: Option<&Bound<'_, PyAny>>,
    files: Option<&Bound<'_, PyAny>>,
    shown: &str,
) -> PyResult<Reader> {
    guarded(py, || {
        let recipe = Recipe {
            r#type: Held::new(r#type),
            at: at.map(Held::new),
            policy: policy.clone().unbind(),
            limits: options::limits(limits)?,
            timing: true,
        };
        let (Opened { mut driver, mut held, title, .. }, origin) = open_on(py, &recipe, opened)?;
        let title = format!("{shown} -> {title}");
        let Some(files) = files else {
            let reader = Reader::over(driver, held, title, Some(origin), None);
            return Ok(reader.up_to(policy.get().limit));
        };
        driver.expect_others();
        let files = Held::new(files);
        held.extend([files.clone(), recipe.r#type.clone()]);
        held.extend(recipe.at.clone());
        let chain = Chain::of_kept(py, files, recipe)?;
        let reader = Reader::over(driver, held, title, Some(origin), Some(Box::new(chain)));
        Ok(reader.up_to(policy.get().limit))
    })
}

/// The point at the record of a piece that comes behind so many, which are passed over once more.
fn next_of_piece(
    py: Python<'_>,
    parted: Parted,
    origin: &Origin,
    (begin, taken, reader): (&RecordStart, u64, AnyReader),
) -> PyResult<Option<RecordStart>> {
    let limits = &origin.limits;
    let input = match &begin.stand {
        ReaderState::Members(_) => {
            Windows::of(origin.source.get().open(py, Detect::Plist, limits)?.0)
        }
        _ => part(parted, begin, None, limits)?,
    };
    let records = origin.records.clone();
    let mut planning = Planning::behind(reader, input, records, begin).ok_or_else(elsewhere)?;
    // No record of the piece is in error, or the run would have read it.
    for _ in 0..=taken {
        if !planning.go_on(py)? {
            return Err(elsewhere());
        }
    }
    let records = begin.records + taken;
    Ok(planning.point().map(|point| RecordStart { records, ..point }))
}

/// Opens a file behind a checkpoint, or at its start. Of a document that has ended behind so many
/// records, nothing is left. If more of a plain file of lines or rows may come, what is behind the
/// last line feed is left for another time.
pub(super) fn open_on(
    py: Python<'_>,
    recipe: &Recipe,
    opened: OpenedAt<'_>,
) -> PyResult<(Opened, Origin)> {
    let (dialect, source, (which, sought, ended, start, kept, may_grow)) = opened;
    let (dialect, limits) = (dialect.get(), &recipe.limits);
    if which.is_none() && !may_grow {
        // It is read as any other file.
        let opened = recipe.open(py, dialect, source.get())?;
        let origin = Origin {
            source: source.unbind(),
            sought: opened.sought.clone(),
            dialect: kept,
            records: opened.records.clone(),
            limits: limits.clone(),
            parted: OnceLock::new(),
        };
        return Ok((opened, origin));
    }
    let at = recipe.at.as_ref().map(|at| at.get(py)).transpose()?;
    let Choice { plan, records, condition, title, sought: mine } =
        dialect.choose(&recipe.r#type.get(py)?, at.as_ref())?;
    if let Some(sought) = sought.filter(|sought| *sought != mine) {
        return Err(of_others(&sought, &mine));
    }
    let origin = Origin {
        source: source.clone().unbind(),
        sought: mine.clone(),
        dialect: kept,
        records: records.clone(),
        limits: limits.clone(),
        parted: OnceLock::new(),
    };
    let source = source.get();
    let name = source.name();
    let (opened, _) = source.open_head(py, dialect.detect(), limits)?;
    let (parted, size) = Parted::open(py, source)?;
    if is_remote(source.object(py))? {
        origin.parted.get_or_init(|| (parted.clone(), size));
    }
    if which.is_some_and(|which| source.file() != Some(which)) || !parted.is_of(source)? {
        let shown = name.unwrap_or_default();
        return Err(PyValueError::new_err(format!("{shown} was replaced while it was opened")));
    }
    let point = start.map(|start| point(dialect, start));
    let mut planning = Planning::new(dialect, limits, opened, records.clone());
    let has_places = matches!(&point, Some(RecordStart { stand: ReaderState::Members(_), .. }));
    if !has_places {
        // What stands before the first record is read, or all if there is none.
        planning.go_on(py)?;
    }
    let is_growing = may_grow && planning.why_whole().is_none() && !dialect.is_document();
    let end = match &parted {
        Parted::Plain(file) if is_growing => {
            Some(end_of_lines(file, size, planning.ends_lines_by_return())?)
        }
        _ => None,
    };
    let chosen = (records.clone(), mine.clone());
    let mut settings = Settings::new(py, recipe.policy.get(), chosen, limits.clone(), name, true)?;
    settings.condition = condition;
    if point.as_ref().is_some_and(|point| point.records > 0) {
        settings.wanted = None;
    }
    let held: Vec<Held> = settings.errors.held().into_iter().collect();
    let mut driver = match &point {
        None => {
            let mut input = Windows::of(source.open(py, dialect.detect(), limits)?.0);
            if let Some(end) = end {
                input = input.up_to(end);
            }
            Driver::new(dialect, plan, settings, input)
        }
        Some(point) => {
            let (reader, input) = match &point.stand {
                ReaderState::Members(places) => {
                    // The path of the record has as many steps as there are containers around it.
                    let is_there = point.open.len() == places.len() + 1;
                    let reader = dialect.reader(false, limits).between(places, &[]);
                    let input = Windows::of(source.open(py, dialect.detect(), limits)?.0);
                    (reader.filter(|_| is_there), input)
                }
                _ => {
                    let end = end.map(|end| end.max(point.counted.bytes()));
                    (planning.reader_at(point), part(parted, point, end, limits)?)
                }
            };
            let reader = reader.ok_or_else(elsewhere)?;
            let mut driver = Driver::over(dialect, reader, plan, settings, input);
            if !driver.begin_at(point) {
                return Err(elsewhere());
            }
            driver
        }
    };
    if end.is_some() {
        driver.leave_torn();
    }
    if let Some(records) = ended {
        driver.pass_all(records);
    }
    if recipe.timing {
        driver.time();
    }
    Ok((Opened { driver, held, title, sought: mine, records, total: None }, origin))
}

/// The error for a checkpoint of other records. Both are described by what an error says if there are
/// none.
#[cold]
fn of_others(sought: &str, mine: &str) -> PyErr {
    let of = |sought: &str| match sought.strip_prefix("there is nothing ") {
        Some(place) => format!("those {place}"),
        None => "those of the document itself".to_owned(),
    };
    let reason = "the checkpoint is one of other records: it was made for";
    PyValueError::new_err(format!("{reason} {}, and not for {}", of(sought), of(mine)))
}

#[cold]
fn elsewhere() -> PyErr {
    PyValueError::new_err("the checkpoint is none of this file: it has changed")
}

/// The offset behind the last line feed of a file. If a carriage return alone ends its rows, that does as
/// well, unless it is the last byte: a line feed may follow. In any other file, it may stand within a
/// row, or be white space in a line of JSON.
fn end_of_lines(file: &Stored, size: u64, by_return: bool) -> PyResult<u64> {
    let mut bytes = [0; 1 << 16];
    let mut end = size;
    while end > 0 {
        let length = end.min(bytes.len() as u64);
        let bytes = &mut bytes[..length as usize];
        file.read_exact_at(bytes, end - length)?;
        let ends = |(at, byte): (usize, &u8)| {
            let is_last = end - length + at as u64 + 1 == size;
            *byte == b'\n' || (*byte == b'\r' && by_return && !is_last)
        };
        let ended = bytes.iter().enumerate().rev().find(|it| ends(*it));
        if let Some((at, _)) = ended {
            return Ok(end - length + at as u64 + 1);
        }
        end -= length;
    }
    Ok(0)
}
