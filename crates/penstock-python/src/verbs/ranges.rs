//! The points of a file whose ranges are scanned side by side, also in other processes.
//!
//! A range tells plain values, as a part is one (`split.rs`). `penstock._parts.ranges` has the ranges
//! scanned, and gives what they tell to the chain.

use super::split::{Parted, Pieces, Planning, Told, point, told};
use crate::edge::errors::{given, guarded};
use crate::edge::options;
use crate::io::dialect::{Choice, Dialect};
use crate::io::sources::SourceObject;
use crate::io::stored::{FromHere, Stored};
use penstock_core::limits::Limits;
use penstock_core::source::{Frames, Source, SourceError};
use penstock_core::split::{self, Asked, Head, Opens, Ranged};
use penstock_scan::gathered;
use pyo3::prelude::*;
use std::sync::Arc;

/// A file, and how it is read from the middle.
struct Text {
    file: Stored,
    frames: Option<Arc<Frames>>,
    limits: Limits,
    /// Where readers end, as far as that is known. An address is asked for little behind it.
    until: Option<u64>,
}

impl Opens for Text {
    fn open_at(&self, offset: u64) -> Result<Source, SourceError> {
        let file = self.file.clone();
        match &self.frames {
            None => {
                let reader = FromHere::new(file, offset, self.until).map_err(SourceError::Io)?;
                Ok(Source::resume(Box::new(reader), &self.limits))
            }
            Some(frames) => Source::inside(frames, Box::new(file), offset, &self.limits),
        }
    }
}

/// What a range has told: points, and whether nothing follows them.
type Answer = (Vec<Told>, bool);

fn ranged(dialect: &Dialect, (points, is_over): Answer) -> Ranged {
    Ranged { points: points.into_iter().map(|told| point(dialect, told)).collect(), is_over }
}

/// A file whose ranges can be scanned, by several threads at once.
#[pyclass(frozen, module = "penstock._rust")]
pub(crate) struct Ranges {
    dialect: Py<Dialect>,
    text: Text,
    head: Head,
}

#[pymethods]
impl Ranges {
    /// The ranges of a file of so many bytes of text. None if nobody can begin in the middle of it, or
    /// if only a pass over all of it finds its points.
    #[staticmethod]
    #[pyo3(signature = (dialect, source, r#type, at, limits, size, pieces, /))]
    fn of(
        dialect: &Bound<'_, Dialect>,
        source: &Bound<'_, SourceObject>,
        r#type: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        size: u64,
        pieces: Option<&Bound<'_, Pieces>>,
    ) -> PyResult<Option<Self>> {
        let py = dialect.py();
        guarded(py, || {
            let (kept, dialect, source) = (dialect.clone().unbind(), dialect.get(), source.get());
            let limits = options::limits(limits)?;
            // One pass would not read all of it.
            if limits.total.is_some_and(|total| total < size) {
                return Ok(None);
            }
            let parted = match pieces {
                Some(pieces) => Parted::with_pieces(py, source, pieces.get())?,
                None => Parted::open(py, source)?.0,
            };
            let (file, frames) = match parted {
                Parted::Plain(file) => (file, None),
                Parted::InPieces(file, frames) => (file, Some(Arc::new(frames))),
                Parted::Whole(_) => return Ok(None),
            };
            let Choice { records, .. } = dialect.choose(r#type, at)?;
            let (opened, _) = source.open_head(py, dialect.detect(), &limits)?;
            let mut planning = Planning::new(dialect, &limits, opened, records.clone());
            if !planning.go_on(py)? || planning.why_whole().is_some() {
                return Ok(None);
            }
            let text = Text { file, frames, limits, until: None };
            let head = planning.head(records);
            Ok(head.map(|head| Ranges { dialect: kept, text, head }))
        })
    }

    /// The points that are wanted at these offsets, of which ranges are to tell.
    fn chain(&self, py: Python<'_>, offsets: Vec<u64>) -> PyResult<Chain> {
        guarded(py, || {
            let first = self.head.first().clone();
            let chain = split::Chain::new(first, offsets);
            Ok(Chain { dialect: self.dialect.clone_ref(py), chain })
        })
    }

    /// What a range tells, from a point on, or from the first record on that seems to begin at an
    /// offset or behind it, with the same things open as at the point.
    #[pyo3(signature = (start, place, offsets, until, /))]
    fn scan(
        &self,
        py: Python<'_>,
        start: Told,
        place: Option<u64>,
        offsets: Vec<u64>,
        until: Option<u64>,
    ) -> PyResult<Py<PyAny>> {
        given(py, || {
            let begin = point(self.dialect.get(), start);
            let asked = Asked { start: &begin, place, offsets: &offsets, until };
            let mut interrupted = None;
            let mut goes_on = || {
                Python::attach(|py| py.check_signals())
                    .map_err(|why| interrupted = Some(why))
                    .is_ok()
            };
            let Text { file, frames, limits, .. } = &self.text;
            let (file, frames, limits) = (file.clone(), frames.clone(), limits.clone());
            let text = Text { file, frames, limits, until };
            let found = py.detach(|| self.head.scan(&text, asked, &mut goes_on));
            if let Some(why) = interrupted {
                return Err(why);
            }
            match found {
                Ok(Ranged { points, is_over }) => {
                    let told: Answer = (points.into_iter().map(told).collect(), is_over);
                    Ok(told)
                }
                Err(SourceError::Io(error)) => Err(error.into()),
                // Nothing is read behind a fault, if it is there: whoever has guessed does not know.
                Err(SourceError::Fault(_) | SourceError::Idle) => match place {
                    None => Ok((vec![told(begin)], true)),
                    Some(_) => Ok((Vec::new(), false)),
                },
            }
        })
    }
}

/// The points of a file, as far as ranges have told them.
#[pyclass(module = "penstock._rust")]
pub(crate) struct Chain {
    dialect: Py<Dialect>,
    chain: split::Chain,
}

#[pymethods]
impl Chain {
    /// The last point that is known.
    #[getter]
    fn at(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || Ok(told(self.chain.at().clone())))
    }

    /// Whether there is no other.
    #[getter]
    fn is_over(&self) -> bool {
        self.chain.is_over()
    }

    /// The points that are wanted.
    #[getter]
    fn points(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        given(py, || Ok(gathered(self.chain.points().iter().cloned().map(told))))
    }

    /// The offsets that a range is to look for.
    #[pyo3(signature = (begin, until, /))]
    fn wanted(&self, py: Python<'_>, begin: u64, until: Option<u64>) -> PyResult<Py<PyAny>> {
        given(py, || Ok(self.chain.wanted(begin, until)))
    }

    /// Takes over what a range tells behind the point that is known, if it has met that.
    #[pyo3(signature = (answer, /))]
    fn take(&mut self, py: Python<'_>, answer: Answer) -> PyResult<bool> {
        guarded(py, || Ok(self.chain.take(&ranged(self.dialect.get(), answer))))
    }

    /// Where somebody who goes on from the point that is known may meet a range, before an offset.
    #[pyo3(signature = (answer, until, /))]
    fn meeting(&self, py: Python<'_>, answer: Answer, until: u64) -> PyResult<Py<PyAny>> {
        given(py, || Ok(self.chain.meeting(&ranged(self.dialect.get(), answer), until)))
    }
}
