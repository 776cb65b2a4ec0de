//! The contents of elements: gathered while they are open, given to a method when they close.
//!
//! All open elements share one buffer for each sort of content. An element's share lies above the
//! shares of the elements around it. What happens to a share is decided where the element ends, so
//! text stays text: strings are made only for methods that ask.

use penstock_core::event::Key;
use penstock_core::value::number::{self, Outcome};
use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use std::sync::Arc;

/// A name as the reader reports it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) local: &'a str,
    pub(super) prefix: Option<&'a str>,
    pub(super) namespace: Option<&'a str>,
}

impl<'a> Seen<'a> {
    /// A name in a format with plain names.
    pub(super) fn plain(local: &'a str) -> Self {
        Seen { local, prefix: None, namespace: None }
    }
}

impl<'a> From<&Key<'a>> for Seen<'a> {
    #[inline(always)]
    fn from(key: &Key<'a>) -> Self {
        Seen {
            local: key.name.text.as_str(),
            prefix: key.prefix.map(|prefix| prefix.text.as_str()),
            namespace: key.namespace.map(|uri| uri.text.as_str()).filter(|uri| !uri.is_empty()),
        }
    }
}

/// The name of an element that has a method, and of its results.
pub(super) struct Name {
    /// With its prefix.
    written: Box<str>,
    /// The start of the local part in it.
    local: usize,
    namespace: Option<Box<str>>,
    object: PyOnceLock<Py<PyString>>,
}

impl Name {
    pub(super) fn new(seen: Seen<'_>) -> Self {
        let (written, local) = match seen.prefix {
            Some(prefix) => (format!("{prefix}:{}", seen.local), prefix.len() + 1),
            None => (seen.local.to_owned(), 0),
        };
        Name {
            written: written.into(),
            local,
            namespace: seen.namespace.map(Box::from),
            object: PyOnceLock::new(),
        }
    }

    /// Whether it is the same name, written in the same way.
    #[inline]
    pub(super) fn is(&self, seen: Seen<'_>) -> bool {
        self.local() == seen.local
            && self.prefix() == seen.prefix
            && self.namespace() == seen.namespace
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }
    pub(super) fn local(&self) -> &str {
        &self.written[self.local..]
    }
    pub(super) fn prefix(&self) -> Option<&str> {
        self.local.checked_sub(1).map(|colon| &self.written[..colon])
    }
    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The name as a key, as it is written.
    pub(super) fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.object.get_or_init(py, || PyString::new(py, &self.written).unbind()).bind(py).clone()
    }

    fn answers(&self, asked: &str) -> bool {
        answers(&self.written, self.local, self.namespace(), asked)
    }
}

/// Whether a name is the one that was asked for: as it is written, or as `{uri}local`.
fn answers(written: &str, local: usize, namespace: Option<&str>, asked: &str) -> bool {
    written == asked
        || asked
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
            .is_some_and(|(uri, name)| name == &written[local..] && uri == namespace.unwrap_or(""))
}

/// A piece of the text in which attributes are stored.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Span {
    fn of(self, text: &str) -> &str {
        &text[self.from..self.to]
    }
    fn back(self, by: usize) -> Span {
        Span { from: self.from - by, to: self.to - by }
    }
}

/// A scalar value; its text is elsewhere.
#[derive(Clone, Copy)]
pub(super) enum Sort {
    /// No value at all: an object.
    Nothing,
    /// A string.
    Text,
    /// A JSON number.
    Number,
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

impl Sort {
    /// The value with this `text`.
    pub(super) fn object<'py>(self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Sort::Text => Ok(PyString::new(py, text).into_any()),
            Sort::Number => number_object(py, text),
            Sort::Bool(value) => Ok(PyBool::new(py, value).to_owned().into_any()),
            Sort::Null | Sort::Nothing => Ok(py.None().into_bound(py)),
        }
    }
}

/// A JSON number as an int if it is written as one, otherwise as the nearest float.
fn number_object<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    match number::scan(digits.as_bytes(), 0).outcome {
        Outcome::Int(value) => Ok(value.into_pyobject(py)?.into_any()),
        Outcome::NegativeZero => Ok(0_i64.into_pyobject(py)?.into_any()),
        Outcome::Big => py.get_type::<PyInt>().call1((digits,)),
        outcome => {
            let value = number::to_f64(outcome, digits.as_bytes());
            if value.is_finite() {
                return Ok(PyFloat::new(py, value).into_any());
            }
            let short: String = digits.chars().take(40).collect();
            let message = format!("{short} is beyond the range of a float; .text has its digits");
            Err(super::misfit(py, &message))
        }
    }
}

/// An attribute, or a scalar member of an object.
#[derive(Clone, Copy)]
pub(super) struct Attribute {
    /// The name as it is written.
    pub(super) name: Span,
    /// The length of the prefix and its colon.
    pub(super) prefix: usize,
    pub(super) namespace: Span,
    pub(super) value: Span,
    pub(super) sort: Sort,
}

/// A result, under the name of its element.
pub(super) type Child = (Arc<Name>, Py<PyAny>);

/// The contents of one element, or of all open ones.
#[derive(Default)]
pub(super) struct Content {
    pub(super) text: String,
    /// The names and values of the attributes.
    pub(super) letters: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Child>,
}

/// The beginning of an element's share.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks {
    pub(super) text: usize,
    pub(super) letters: usize,
    attributes: usize,
    children: usize,
}

impl Content {
    pub(super) fn marks(&self) -> Marks {
        Marks {
            text: self.text.len(),
            letters: self.letters.len(),
            attributes: self.attributes.len(),
            children: self.children.len(),
        }
    }

    /// Whether there are results above the marks.
    pub(super) fn has_children(&self, marks: &Marks) -> bool {
        self.children.len() > marks.children
    }

    /// How many attributes are above the marks.
    pub(super) fn attributes_above(&self, marks: &Marks) -> usize {
        self.attributes.len().saturating_sub(marks.attributes)
    }

    /// Drops all attributes above the marks.
    pub(super) fn drop_attributes(&mut self, marks: &Marks) {
        self.letters.truncate(marks.letters);
        self.attributes.truncate(marks.attributes);
    }

    /// Drops everything above the marks.
    pub(super) fn cut(&mut self, marks: &Marks) {
        self.text.truncate(marks.text);
        self.drop_attributes(marks);
        self.children.truncate(marks.children);
    }

    /// Moves everything above the marks into an empty `Content`.
    pub(super) fn hand_over(&mut self, marks: &Marks, to: &mut Content) {
        make_room(&mut to.text, self.text.len() - marks.text);
        make_room(&mut to.letters, self.letters.len() - marks.letters);
        make_room(&mut to.attributes, self.attributes.len() - marks.attributes);
        make_room(&mut to.children, self.children.len() - marks.children);
        to.text.push_str(&self.text[marks.text..]);
        to.letters.push_str(&self.letters[marks.letters..]);
        let by = marks.letters;
        to.attributes.extend(self.attributes[marks.attributes..].iter().map(|attribute| {
            let Attribute { name, namespace, value, .. } = *attribute;
            let (name, namespace, value) = (name.back(by), namespace.back(by), value.back(by));
            Attribute { name, namespace, value, ..*attribute }
        }));
        to.children.extend(self.children.drain(marks.children..));
        self.cut(marks);
    }

    /// Clears everything except the results. Their release may run Python code, so it happens
    /// elsewhere.
    pub(super) fn clear(&mut self) {
        /// The room that is kept for the next element.
        const ROOM: usize = 64 << 10;
        self.text.clear();
        self.text.shrink_to(ROOM);
        self.letters.clear();
        self.letters.shrink_to(ROOM);
        self.attributes.clear();
        self.attributes.shrink_to(ROOM / size_of::<Attribute>());
    }
}

/// The attributes or the results of an element: names and values in their order.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Attributes,
    Children,
}

impl Content {
    pub(super) fn count(&self, part: Part) -> usize {
        match part {
            Part::Attributes => self.attributes.len(),
            Part::Children => self.children.len(),
        }
    }

    /// The next position, from one on, of a name.
    pub(super) fn find(&self, part: Part, asked: &str, from: usize) -> Option<usize> {
        let found = match part {
            Part::Attributes => self.attributes[from..].iter().position(|attribute| {
                let namespace = attribute.namespace.of(&self.letters);
                let written = attribute.name.of(&self.letters);
                answers(written, attribute.prefix, Some(namespace), asked)
            }),
            Part::Children => {
                self.children[from..].iter().position(|(name, _)| name.answers(asked))
            }
        };
        found.map(|at| from + at)
    }

    pub(super) fn name<'py>(
        &self,
        py: Python<'py>,
        part: Part,
        index: usize,
    ) -> Bound<'py, PyString> {
        match part {
            Part::Attributes => PyString::new(py, self.attributes[index].name.of(&self.letters)),
            Part::Children => self.children[index].0.object(py),
        }
    }

    pub(super) fn value<'py>(
        &self,
        py: Python<'py>,
        part: Part,
        index: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        match part {
            Part::Attributes => {
                let Attribute { value, sort, .. } = self.attributes[index];
                sort.object(py, value.of(&self.letters))
            }
            Part::Children => Ok(self.children[index].1.bind(py).clone()),
        }
    }
}
