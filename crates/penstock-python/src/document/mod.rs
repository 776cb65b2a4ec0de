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

use crate::dialect;
use crate::objects::{Options, PathStep};
use crate::plan::Plan;
use crate::verbs::decode::{self, PartOf};
use penstock_core::document::{self, View};
use penstock_core::limits::Limits;
use penstock_core::position::{Counter, Place, locate_in};
use penstock_core::word::Word;
use penstock_scan::{TextWindow, ValidText};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

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
    duplicates: crate::objects::Duplicates,
    limits: Limits,
}

/// A text in memory.
enum HeldText {
    /// Text that was read.
    Read(TextWindow),
    /// Text in the caller's `bytes`, from this position on.
    Lent(Py<PyBytes>, usize),
}

impl HeldText {
    fn text(&self, py: Python<'_>) -> ValidText<'_> {
        match self {
            HeldText::Read(window) => window.text(),
            HeldText::Lent(bytes, from) => {
                let bytes = &bytes.as_bytes(py)[*from..];
                // SAFETY: `opening` has checked them to the end, and `bytes` do not change.
                ValidText::from(unsafe { std::str::from_utf8_unchecked(bytes) })
            }
        }
    }
}

impl Inner {
    fn view<'a>(&'a self, py: Python<'_>) -> View<'a> {
        View::new(&self.words, self.text.text(py))
    }

    fn counter(&self) -> Counter {
        let mut counter = Counter::new();
        counter.skip(self.start);
        counter
    }

    /// The position of a byte of the text.
    fn place(&self, py: Python<'_>, at: usize) -> Place {
        let text = self.text.text(py).as_bytes();
        locate_in(&self.counter(), &[], text, self.start, self.start + at as u64)
    }

    /// Decodes a part of the text by a plan. `path` leads to it.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        (plan, options): (Arc<Plan>, Options),
        range: Range<usize>,
        record: Option<u64>,
        path: &dyn Fn() -> Vec<PathStep>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = self.text.text(py).as_bytes();
        let of = PartOf {
            counted: self.counter(),
            before: &text[..range.start],
            source: self.name.as_deref(),
            record,
            path: Some(path),
        };
        let part = (&text[range.start..], range.len());
        decode::part(py, dialect::json(py)?, (plan, options), &self.limits, part, of)
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
