//! Starting inside a document: what a reader must know of the text before.
//!
//! As for JSON, the reader of the part before tells its final position ([`Reader::start_here`]),
//! which must be where the next part began.

use std::sync::Arc;

use penstock_scan::ValidText;

use super::dtd::Dtd;
use super::options::Options;
use super::reader::{NOWHERE, Reader, State};
use crate::limits::Limits;

/// An element that is open where a reader starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenElement {
    /// Its name, as its start tag has it, with the prefix.
    pub name: String,
    /// The prefixes that its start tag declares, with their namespaces. The default namespace has the empty prefix; an
    /// empty namespace unbinds it.
    pub bindings: Vec<(String, String)>,
}

/// The declarations of the document type.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) dtd: Dtd,
    pub(super) open_ended: bool,
    pub(super) unread: bool,
    pub(super) standalone: bool,
}

/// The position where a reader starts: in the content of an element, between two pieces of text or
/// markup.
///
/// A start that is made by hand has no document type, so a reference to an entity that is declared there is a fault,
/// and attributes have no defaults. A start that a [reader](Reader::start_here) has made has that reader's
/// declarations. The expansion of entities is counted anew for each part.
#[derive(Clone, Debug)]
pub struct Start {
    /// The offset in the source of the first byte to read.
    pub offset: u64,
    /// The elements that are open at this position, outermost first: at least the root. The reader
    /// does not report their beginnings, but does report their ends.
    pub open: Vec<OpenElement>,
    declared: Option<Arc<Declared>>,
}

impl Start {
    /// In the content of the last of these elements.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn inside(offset: u64, open: Vec<OpenElement>) -> Self {
        assert!(!open.is_empty(), "outside of the root element");
        Start { offset, open, declared: None }
    }
}

impl Reader {
    /// A reader that starts inside a document.
    ///
    /// ```
    /// use penstock_core::limits::Limits;
    /// use penstock_core::protocol::Discard;
    /// use penstock_core::xml::{OpenElement, Options, Reader, Start};
    /// use penstock_core::protocol::Step;
    ///
    /// let part = "<p:item id='2'/></list>";
    /// let bindings = vec![("p".to_owned(), "urn:p".to_owned())];
    /// let start = Start::inside(7_000, vec![OpenElement { name: "list".to_owned(), bindings }]);
    /// let mut reader = Reader::starting(Options::default(), &Limits::default(), &start);
    /// assert_eq!(reader.run(part.into(), true, &mut Discard).unwrap(), Step::Done);
    /// assert_eq!(reader.offset(), 7_000 + part.len() as u64);
    /// ```
    #[must_use]
    pub fn starting(options: Options, limits: &Limits, start: &Start) -> Self {
        let mut reader = Reader::new(options, limits);
        reader.base = start.offset;
        reader.seen_root = true;
        reader.state = State::Content;
        for element in &start.open {
            reader.open.push(element.name.as_bytes());
            let depth = reader.open.depth();
            for (prefix, uri) in &element.bindings {
                let (prefix, uri) = (ValidText::from(&**prefix), ValidText::from(&**uri));
                reader.spaces.bind(prefix, uri, depth);
            }
        }
        if let Some(declared) = &start.declared {
            let Declared { dtd, open_ended, unread, standalone } = (**declared).clone();
            (reader.dtd, reader.open_ended) = (dtd, open_ended);
            (reader.unread, reader.standalone) = (unread, standalone);
            reader.seen_doctype = true;
        }
        reader
    }

    /// The position of this [reader](Reader::offset), for another reader to start at: that one would report the same
    /// events as this one from here on. None if that is impossible: outside the root element, in a start tag, a
    /// comment, an instruction, a CDATA section or an entity, and while skipping.
    #[must_use]
    pub fn start_here(&self) -> Option<Start> {
        let is_plain = self.state == State::Content && self.inputs.is_empty();
        if !is_plain || self.skip_to != NOWHERE || !self.watches.is_empty() {
            return None;
        }
        let open = self.open_elements().collect();
        Some(Start { offset: self.offset(), open, declared: self.declared() })
    }

    fn open_elements(&self) -> impl Iterator<Item = OpenElement> {
        self.open.names().enumerate().map(|(depth, name)| OpenElement {
            name: String::from_utf8_lossy(name).into_owned(),
            bindings: self.spaces.bound_at(depth + 1).collect(),
        })
    }

    fn declared(&self) -> Option<Arc<Declared>> {
        (self.seen_doctype || self.standalone).then(|| {
            Arc::new(Declared {
                dtd: self.dtd.clone(),
                open_ended: self.open_ended,
                unread: self.unread,
                standalone: self.standalone,
            })
        })
    }

    /// A reader before any child of the innermost of the outermost `depth` elements that are open
    /// here. It has no position. None outside the root element, and if entities are declared: their
    /// expansion is counted over the whole document.
    pub(crate) fn beside(&self, depth: usize) -> Option<Self> {
        if self.dtd.has_entities() {
            return None;
        }
        self.inside(self.open_around(depth)?)
    }

    /// The outermost `depth` elements that are open here. None outside the root element, and in an
    /// entity.
    pub(crate) fn open_around(&self, depth: usize) -> Option<Vec<OpenElement>> {
        let is_inside = depth > 0 && depth <= self.open.depth() && self.inputs.is_empty();
        is_inside.then(|| self.open_elements().take(depth).collect())
    }

    /// Whether tags alone say where elements begin and end in what follows: there are no entities,
    /// and nothing is repaired.
    pub(crate) fn is_plain(&self) -> bool {
        !self.dtd.has_entities() && self.options.repairs.is_empty()
    }

    /// Whether it stands in the content of the innermost of so many elements, between two pieces of
    /// text or markup, and not in an entity.
    pub(crate) fn is_between_children(&self, depth: usize) -> bool {
        let stands = (self.state, self.open.depth()) == (State::Content, depth) && depth > 0;
        let is_alone = self.inputs.is_empty() && self.skip_to == NOWHERE;
        let is_awake = self.watches.is_empty() && self.woken.is_empty();
        let is_fresh = self.cut_reference.is_none() && self.partial.scanned == 0;
        stands && is_alone && is_awake && is_fresh
    }

    /// The prefix of a name, if it may have one, and the rest of it.
    pub(crate) fn split_name<'n>(&self, name: &'n str) -> (Option<&'n str>, &'n str) {
        match name.split_once(':') {
            Some((prefix, local)) if self.options.namespaces => (Some(prefix), local),
            _ => (None, name),
        }
    }

    /// A reader as this one, without a position, in the content of these elements. None if there are
    /// none.
    pub(crate) fn inside(&self, open: Vec<OpenElement>) -> Option<Self> {
        if open.is_empty() {
            return None;
        }
        let start = Start { offset: 0, open, declared: self.declared() };
        Some(Reader::starting(self.options, &self.limits, &start))
    }
}
