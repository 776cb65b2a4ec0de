//! `open`: documents to look into. A [`Handle`] holds the words of a document together with its
//! text. All parts of the document share it, and closing the document empties it.

mod copying;
mod matches;
mod opening;
mod parts;
mod records;
mod values;
mod walk;

pub(crate) use matches::Matches;
pub(crate) use opening::open;
pub(crate) use parts::{Document, DocumentList, DocumentMap, document_items, document_values};
pub(crate) use records::{RecordWalk, Records, document_records};
pub(crate) use walk::Walk;

use crate::io::dialect;
use crate::objects::Options;
use crate::plan::PlanRef;
use crate::verbs::decode::{self, PartOf};
use penstock_core::document::{self, View};
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::position::{Counter, Place, locate_in};
use penstock_core::protocol::Duplicates;
use penstock_core::word::Word;
use penstock_scan::{TextWindow, ValidText};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The state that the parts of a document share, until it is closed.
pub(super) struct Handle(RwLock<Option<Arc<Inner>>>);

impl Handle {
    fn new(inner: Inner) -> Arc<Self> {
        Arc::new(Handle(RwLock::new(Some(Arc::new(inner)))))
    }

    /// The document. It stays for as long as the caller needs it, even if someone closes it
    /// meanwhile.
    fn get(&self) -> PyResult<Arc<Inner>> {
        let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| PyValueError::new_err("this Document is closed"))
    }

    fn close(&self) {
        let inner = self.0.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(inner);
    }
}

/// An open document.
pub(super) struct Inner {
    text: HeldText,
    words: document::Document,
    /// How many bytes precede the text: a byte order mark.
    start: u64,
    /// The name of the source in messages.
    name: Option<String>,
    duplicates: Duplicates,
    limits: Limits,
    counts: Counts,
}

/// A text in memory.
enum HeldText {
    /// Text that was read.
    Read(TextWindow),
    /// Text in the caller's `bytes`, from this position on.
    Whole(Py<PyBytes>, usize),
}

impl HeldText {
    fn text(&self, py: Python<'_>) -> ValidText<'_> {
        match self {
            HeldText::Read(window) => window.text(),
            HeldText::Whole(bytes, from) => {
                let bytes = &bytes.as_bytes(py)[*from..];
                // SAFETY: `opening` has checked them to the end, and `bytes` do not change.
                ValidText::from(unsafe { std::str::from_utf8_unchecked(bytes) })
            }
        }
    }
}

/// The counts of lines and characters at every [`EVERY`]th byte of a text, made when somebody asks
/// for a position. So all positions of a document together cost one pass, and each of them counts
/// at most `EVERY` bytes more.
#[derive(Default)]
struct Counts(OnceLock<Vec<Counter>>);

/// How far apart the known counts are: some microseconds of counting.
const EVERY: usize = 32 << 10;

impl Counts {
    /// Counts the whole text, whose first byte is the byte `start` of its source.
    fn count(&self, text: &[u8], start: u64) {
        self.0.get_or_init(|| {
            let mut counter = start_at(start);
            let count = |piece| {
                counter.advance(piece);
                counter
            };
            text.chunks_exact(EVERY).map(count).collect()
        });
    }

    /// The last known counts at or before a byte of the text, and the byte at which they are.
    fn nearest(&self, at: usize, start: u64) -> (Counter, usize) {
        let known = self.0.get().zip((at / EVERY).checked_sub(1));
        let known = known.and_then(|(counts, index)| Some((*counts.get(index)?, index + 1)));
        known.map_or_else(|| (start_at(start), 0), |(counter, nth)| (counter, nth * EVERY))
    }
}

/// The counts at the beginning of a text, after `start` bytes that take no column.
fn start_at(start: u64) -> Counter {
    let mut counter = Counter::new();
    counter.skip(start);
    counter
}

impl Inner {
    fn view<'a>(&'a self, py: Python<'_>) -> View<'a> {
        View::new(&self.words, self.text.text(py))
    }

    /// The position of a byte of the text.
    fn place(&self, py: Python<'_>, at: usize) -> Place {
        let text = self.text.text(py).as_bytes();
        self.counts.count(text, self.start);
        let (counter, from) = self.counts.nearest(at, self.start);
        let base = self.start + from as u64;
        locate_in(&counter, &text[..from], &text[from..], base, self.start + at as u64)
    }

    /// Decodes a part of the text by a plan. `path` leads to it, and the `*` that found it stands
    /// `star` steps above its end.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        (plan, options): (PlanRef, Options),
        range: Range<usize>,
        (record, star): (Option<u64>, Option<usize>),
        path: &dyn Fn() -> Vec<PathStep>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = self.text.text(py).as_bytes();
        let (counted, from) = self.counts.nearest(range.start, self.start);
        let of = PartOf {
            counted,
            before: &text[from..range.start],
            source: self.name.as_deref(),
            record,
            path: Some(path),
            found_by: star.filter(|_| plan.takes_key(plan.root)).and_then(|above| {
                let mut path = path();
                path.truncate(path.len().saturating_sub(above));
                path.pop()
            }),
        };
        let part = (&text[range.start..], range.len());
        let decoded = decode::part(py, dialect::json(py)?, (plan, options), &self.limits, part, of);
        if decoded.is_err() {
            // The error has a position, and the next error will need one.
            self.counts.count(text, self.start);
        }
        decoded
    }

    /// The path to a map or list.
    fn path(&self, py: Python<'_>, container: Word) -> Vec<PathStep> {
        let view = self.view(py);
        let container = view.container(container);
        container.map_or_else(Vec::new, |container| view.path(&container))
    }

    /// The path to a value in a map or list.
    fn path_to(&self, py: Python<'_>, container: Word, slot: usize) -> Vec<PathStep> {
        let mut path = self.path(py, container);
        path.extend(self.view(py).container(container).map(|it| it.step(slot)));
        path
    }
}

/// A path as `at` would write it.
fn written(path: &[PathStep]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}
