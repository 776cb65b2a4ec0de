//! Events to messages.
//!
//! Open elements are on a stack of frames. Only elements with a method gather content; the content
//! of others goes to the nearest element around them that has a method. An element from which
//! nothing is needed is skipped, or watched if elements with a method may occur in it.

use super::content::{Attribute, Content, Marks, Name, Seen, Sort, Span};
use super::dispatch::{Below, Dispatch, NONE, State};
use super::element::Element;
use crate::cpython::references::is_ours_alone;
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink};
use penstock_scan::make_room;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::borrow::Cow;
use std::mem::take;
use std::sync::Arc;

/// How many bytes are kept of the text of an element with children (its own, and that of elements
/// in it that have no method), and of the scalars of a JSON object. With more, none are kept, so
/// that an element around the whole document may have a method. Other text has `limits.token`.
const SHARE: usize = 8 << 20;

/// How much white space is kept before the first other character, between elements.
const SPACE: usize = 64 << 10;

/// No frame.
const NOWHERE: usize = usize::MAX;

/// The method and name for a key or the beginning of an element.
struct Entry {
    method: u32,
    /// The name, if there is a method.
    name: Option<Arc<Name>>,
    /// In JSON, the key as the name of an attribute, if the object around it has a method.
    key: Option<Span>,
    /// Whether it is the root, whose result is the result of `send`.
    root: bool,
}

/// An element that is open, or a JSON array.
struct Frame {
    entry: Entry,
    marks: Marks,
    /// Where its own states begin in `states`.
    states: usize,
    /// The holder before this frame.
    outer: usize,
    /// An array: its elements repeat the entry.
    list: bool,
    /// How many elements without any use are open in it, one inside the other. They have no frames.
    nested: usize,
    /// Whether it has child elements.
    parts: bool,
    /// Whether its text is white space so far.
    white: bool,
    /// The limit, in bytes, that its text exceeded, if it did.
    text_over: Option<usize>,
    attributes_over: bool,
}

/// Gathers elements and sends them.
pub(super) struct Messages<'py> {
    py: Python<'py>,
    dispatch: Dispatch,
    /// True for XML, where the root has a name.
    elements: bool,
    /// Whether the root was reported.
    rooted: bool,
    frames: Vec<Frame>,
    states: Vec<State>,
    pile: Content,
    /// The entry of the coming value, if its name was reported; its states are in `next`.
    pending: Option<Entry>,
    next: Vec<State>,
    /// The innermost frame that has a method.
    holder: usize,
    /// The name of the attribute that comes next: its text, prefix and namespace.
    attribute: (Span, usize, Span),
    /// An element that nobody else holds, to be used again.
    spare: Option<Py<Element>>,
    stop: Bound<'py, PyAny>,
    stopped: bool,
    result: Option<Py<PyAny>>,
    /// Where the element is whose method raised.
    raised_at: u64,
    token: usize,
}

type Answer = Result<Flow, Box<PyErr>>;

impl<'py> Messages<'py> {
    pub(super) fn new(
        dispatch: Dispatch,
        elements: bool,
        stop: Bound<'py, PyAny>,
        token: usize,
    ) -> Self {
        let mut messages = Messages {
            py: stop.py(),
            dispatch,
            elements,
            rooted: false,
            frames: Vec::new(),
            states: Vec::new(),
            pile: Content::default(),
            pending: None,
            next: Vec::new(),
            holder: NOWHERE,
            attribute: Default::default(),
            spare: None,
            stop,
            stopped: false,
            result: None,
            raised_at: 0,
            token,
        };
        if elements {
            let document = messages.document();
            messages.open(document, false);
        }
        messages
    }

    pub(super) fn raised_at(&self) -> u64 {
        self.raised_at
    }

    /// Ends the sending and returns the result of the root's method.
    pub(super) fn finish(&mut self, at: u64) -> Result<Option<Py<PyAny>>, Box<PyErr>> {
        if !self.stopped
            && let Some(document) = self.frames.pop()
        {
            self.close(&document, at)?;
        }
        Ok(self.result.take())
    }

    /// The entry of the document itself.
    fn document(&mut self) -> Entry {
        let method = self.dispatch.document;
        self.next.clear();
        self.dispatch.start(&mut self.next);
        Entry { method, name: self.name_for(method, Seen::plain("")), key: None, root: true }
    }

    fn name_for(&mut self, method: u32, seen: Seen<'_>) -> Option<Arc<Name>> {
        (method != NONE).then(|| self.dispatch.methods[method as usize].name(seen))
    }

    /// The states of the innermost frame.
    #[inline(always)]
    fn here(&self) -> &[State] {
        let from = self.frames.last().map_or(self.states.len(), |frame| frame.states);
        &self.states[from..]
    }

    /// Begins an element, whose states are in `next`.
    #[inline(always)]
    fn begin(&mut self, entry: Entry) {
        let idle = entry.method == NONE && self.next.is_empty() && self.here().is_empty();
        match self.frames.last_mut() {
            Some(frame) if idle && !frame.list => frame.nested += 1,
            _ => self.open(entry, false),
        }
    }

    /// Opens a frame, whose states are in `next`.
    fn open(&mut self, entry: Entry, list: bool) {
        let holds = !list && entry.method != NONE;
        let outer = self.holder;
        if holds {
            self.holder = self.frames.len();
        }
        make_room(&mut self.frames, 1);
        self.frames.push(Frame {
            entry,
            marks: self.pile.marks(),
            states: self.states.len(),
            outer,
            list,
            nested: 0,
            parts: false,
            white: true,
            text_over: None,
            attributes_over: false,
        });
        self.states.append(&mut self.next);
    }

    /// Sends the element of a frame that has left the stack.
    fn close(&mut self, frame: &Frame, at: u64) -> Answer {
        self.states.truncate(frame.states);
        let method = frame.entry.method;
        if method == NONE {
            return Ok(Flow::Take);
        }
        self.holder = frame.outer;
        if frame.white && frame.parts {
            self.pile.text.truncate(frame.marks.text);
        }
        let sort = if self.elements { Sort::Text } else { Sort::Nothing };
        self.send(frame, sort, at)
    }

    /// Calls the method, and keeps what it returns.
    fn send(&mut self, frame: &Frame, sort: Sort, at: u64) -> Answer {
        let Some(name) = frame.entry.name.clone() else { return Ok(Flow::Take) };
        let method = frame.entry.method as usize;
        let is_root = frame.entry.root;
        let answer = if self.dispatch.methods[method].text_only {
            let text = PyString::new(self.py, &self.pile.text[frame.marks.text..]);
            self.pile.cut(&frame.marks);
            match lost_text(frame, &name) {
                Some(reason) => Err(super::lost(self.py, &reason)),
                None => self.dispatch.methods[method].call.bind(self.py).call1((text,)),
            }
        } else {
            let parent = self.pile.has_children(&frame.marks);
            let element = self.fill(frame, sort, name.clone())?;
            let answer =
                self.dispatch.methods[method].call.bind(self.py).call1((element.bind(self.py),));
            self.take_back(element, parent);
            answer
        };
        match answer {
            Ok(result) if result.is_none() => {
                if is_root {
                    self.result = None;
                }
                Ok(Flow::Take)
            }
            Ok(result) if result.is(&self.stop) || result.get_type().is(&self.stop) => {
                self.end(result)
            }
            Ok(result) => {
                if self.holder != NOWHERE {
                    make_room(&mut self.pile.children, 1);
                    self.pile.children.push((name, result.clone().unbind()));
                }
                if is_root {
                    self.result = Some(result.unbind());
                }
                Ok(Flow::Take)
            }
            Err(error) if error.value(self.py).is_instance(&self.stop)? => {
                self.end(error.into_value(self.py).into_bound(self.py).into_any())
            }
            Err(error) => {
                self.raised_at = at;
                Err(Box::new(error))
            }
        }
    }

    /// The handler asked to stop, with a value or without.
    fn end(&mut self, stop: Bound<'py, PyAny>) -> Answer {
        self.stopped = true;
        self.result = if stop.is(&self.stop) {
            None
        } else {
            let value = stop.getattr("value")?;
            (!value.is_none()).then(|| value.unbind())
        };
        Ok(Flow::Stop)
    }

    /// Makes an element of the content above the marks of its frame.
    fn fill(&mut self, frame: &Frame, sort: Sort, name: Arc<Name>) -> PyResult<Py<Element>> {
        let text_lost = lost_text(frame, &name);
        let attributes_lost = frame.attributes_over.then(|| {
            format!("'{}' holds more scalars than {SHARE} bytes: they are not kept", name.written())
        });
        let object = match self.spare.take() {
            Some(spare) if is_ours_alone(spare.bind(self.py)) => spare,
            _ => Py::new(self.py, Element::new(name.clone()))?,
        };
        let mut inside = object.try_borrow_mut(self.py)?;
        inside.content.clear();
        (inside.name, inside.sort) = (name, sort);
        (inside.text_lost, inside.attributes_lost) = (text_lost, attributes_lost);
        self.pile.hand_over(&frame.marks, &mut inside.content);
        drop(inside);
        Ok(object)
    }

    /// Takes an element back if the method did not keep it. The results in it are released at once.
    fn take_back(&mut self, object: Py<Element>, parent: bool) {
        if !is_ours_alone(object.bind(self.py)) {
            return;
        }
        if parent {
            let inside = object.try_borrow_mut(self.py);
            let Ok(children) = inside.map(|mut inside| take(&mut inside.content.children)) else {
                return;
            };
            // After the borrow has ended: this may run Python code.
            drop(children);
        }
        self.spare = Some(object);
    }

    /// Whether some open element needs text.
    #[inline(always)]
    fn wants_text(&self) -> bool {
        self.frames.get(self.holder).is_some_and(|frame| frame.text_over.is_none())
    }

    /// The frame at `index`, if attributes may come for it and it needs them.
    #[inline(always)]
    fn attributed(&self, index: usize) -> Option<&Frame> {
        let frame = self.frames.get(index)?;
        let method = self.dispatch.methods.get(frame.entry.method as usize)?;
        let takes = !frame.list && !method.text_only && !frame.attributes_over;
        (takes && frame.nested == 0).then_some(frame)
    }

    /// The name of a child element.
    #[inline(always)]
    fn element(&mut self, key: &Key<'_>) -> Flow {
        if let Some(holder) = self.frames.get_mut(self.holder) {
            holder.parts = true;
        }
        self.next.clear();
        let mut next = take(&mut self.next);
        let seen = Seen::from(key);
        let method = self.dispatch.enter(self.here(), seen, &mut next);
        let nothing = method == NONE && next.is_empty() && !self.wants_text();
        self.next = next;
        if nothing && self.dispatch.below == Below::Nothing {
            return Flow::Skip;
        }
        // The document's own method comes before the root's.
        let root = !self.rooted && self.dispatch.document == NONE;
        self.rooted = true;
        self.pending = None;
        if method != NONE {
            let name = self.name_for(method, seen);
            self.pending = Some(Entry { method, name, key: None, root });
        }
        // If a path has begun, the depth of elements matters, so the sink must see where this one
        // ends.
        if nothing && self.dispatch.below == Below::Names && self.here().is_empty() {
            return Flow::Watch;
        }
        Flow::Take
    }

    /// The name of an attribute.
    #[inline(always)]
    fn attribute(&mut self, key: &Key<'_>) -> Flow {
        if self.attributed(self.frames.len().wrapping_sub(1)).is_none() {
            return Flow::Skip;
        }
        let seen = Seen::from(key);
        let letters = &mut self.pile.letters;
        let from = letters.len();
        if let Some(prefix) = seen.prefix {
            make_room(letters, prefix.len() + 1);
            letters.push_str(prefix);
            letters.push(':');
        }
        let prefix = letters.len() - from;
        make_room(letters, seen.local.len());
        letters.push_str(seen.local);
        let name = Span { from, to: letters.len() };
        let namespace = push(letters, seen.namespace.unwrap_or_default());
        self.attribute = (name, prefix, namespace);
        Flow::Take
    }

    /// A JSON key.
    fn member(&mut self, seen: Seen<'_>) -> Flow {
        self.next.clear();
        let mut next = take(&mut self.next);
        let method = self.dispatch.enter(self.here(), seen, &mut next);
        self.next = next;
        let wanted = method != NONE || !self.next.is_empty();
        let attributed = self.attributed(self.frames.len().wrapping_sub(1)).is_some();
        if !wanted && !attributed && self.dispatch.below == Below::Nothing {
            return Flow::Skip;
        }
        let key = (attributed && method == NONE).then(|| push(&mut self.pile.letters, seen.local));
        let name = self.name_for(method, seen);
        self.pending = Some(Entry { method, name, key, root: false });
        Flow::Take
    }

    /// The entry of the JSON value that begins; its states are in `next`.
    fn value(&mut self) -> Entry {
        if let Some(entry) = self.pending.take() {
            return entry;
        }
        let Some(list) = self.frames.last() else { return self.document() };
        let Entry { method, ref name, key, root } = list.entry;
        let entry = Entry { method, name: name.clone(), key, root };
        self.next.clear();
        self.next.extend_from_slice(&self.states[list.states..]);
        entry
    }

    /// A JSON scalar.
    fn leaf(&mut self, sort: Sort, text: &str, at: u64) -> Answer {
        let entry = self.value();
        if entry.method != NONE {
            self.open(entry, false);
            let Some(frame) = self.frames.pop() else { return Ok(Flow::Take) };
            self.states.truncate(frame.states);
            self.holder = frame.outer;
            make_room(&mut self.pile.text, text.len());
            self.pile.text.push_str(text);
            return self.send(&frame, sort, at);
        }
        let Some(name) = entry.key else { return Ok(Flow::Take) };
        // There may be arrays between an object and its repeated members.
        let Some(owner) = self.frames.iter().rposition(|frame| !frame.list) else {
            return Ok(Flow::Take);
        };
        if self.attributed(owner).is_none() {
            return Ok(Flow::Take);
        }
        let value = push(&mut self.pile.letters, text);
        let namespace = Span { from: value.to, to: value.to };
        make_room(&mut self.pile.attributes, 1);
        self.pile.attributes.push(Attribute { name, prefix: 0, namespace, value, sort });
        let frame = &mut self.frames[owner];
        let held = self.pile.letters.len() - frame.marks.letters
            + self.pile.attributes_above(&frame.marks) * size_of::<Attribute>();
        if held > SHARE {
            frame.attributes_over = true;
            self.pile.drop_attributes(&frame.marks);
        }
        Ok(Flow::Take)
    }
}

/// Appends text, and returns where it is.
fn push(letters: &mut String, text: &str) -> Span {
    let from = letters.len();
    make_room(letters, text.len());
    letters.push_str(text);
    Span { from, to: letters.len() }
}

/// Why the text of a frame was not kept, if it was not.
fn lost_text(frame: &Frame, name: &Name) -> Option<String> {
    let limit = frame.text_over?;
    let remedy = if limit == SHARE {
        "its own and that of the elements in it that have no method"
    } else {
        "limits.token"
    };
    Some(format!("the text of '{}' is longer than {limit} bytes ({remedy})", name.written()))
}

impl Sink for Messages<'_> {
    type Error = Box<PyErr>;

    #[inline(always)]
    fn name(&mut self, key: Key<'_>, _at: u64) -> Answer {
        Ok(match key.kind {
            KeyKind::Element => self.element(&key),
            KeyKind::Attribute => self.attribute(&key),
            KeyKind::Member => self.member(Seen::from(&key)),
        })
    }

    #[inline(always)]
    fn begin_map(&mut self, _at: u64) -> Answer {
        if self.elements {
            let nobody = Entry { method: NONE, name: None, key: None, root: false };
            let entry = self.pending.take().unwrap_or(nobody);
            self.begin(entry);
            return Ok(Flow::Take);
        }
        let told = self.pending.is_some();
        let mut entry = self.value();
        let key = entry.key.take();
        if told && let Some(key) = key {
            // The key names no attribute.
            self.pile.letters.truncate(key.from);
        }
        let nothing = entry.method == NONE && self.next.is_empty();
        if nothing && self.dispatch.below == Below::Nothing {
            return Ok(Flow::Skip);
        }
        self.begin(entry);
        Ok(Flow::Take)
    }

    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        self.pending = None;
        if let Some(frame) = self.frames.last_mut()
            && frame.nested > 0
        {
            frame.nested -= 1;
            return Ok(Flow::Take);
        }
        match self.frames.pop() {
            Some(frame) => self.close(&frame, at),
            None => Ok(Flow::Take),
        }
    }

    fn begin_list(&mut self, _at: u64) -> Answer {
        let entry = self.value();
        self.open(entry, true);
        Ok(Flow::Take)
    }

    fn end_list(&mut self, _at: u64) -> Answer {
        let Some(list) = self.frames.pop() else { return Ok(Flow::Take) };
        self.states.truncate(list.states);
        // An array inside an array shares its key.
        let within = self.frames.last().is_some_and(|frame| frame.list);
        if let Some(key) = list.entry.key
            && !within
            && self.pile.attributes_above(&list.marks) == 0
        {
            // The key names no attribute.
            self.pile.letters.truncate(key.from);
        }
        Ok(Flow::Take)
    }

    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        let digits;
        let (sort, text) = match value {
            Scalar::Untyped(text) if self.elements => {
                let (name, prefix, namespace) = self.attribute;
                let value = push(&mut self.pile.letters, text.text.as_str());
                let attribute = Attribute { name, prefix, namespace, value, sort: Sort::Text };
                make_room(&mut self.pile.attributes, 1);
                self.pile.attributes.push(attribute);
                return Ok(Flow::Take);
            }
            Scalar::Text(text) | Scalar::Untyped(text) => (Sort::Text, text.text.as_str()),
            Scalar::Number(number) => {
                digits = String::from_utf8_lossy(number);
                (Sort::Number, digits.as_ref())
            }
            Scalar::Bool(true) => (Sort::Bool(true), "true"),
            Scalar::Bool(false) => (Sort::Bool(false), "false"),
            Scalar::Null => (Sort::Null, ""),
            Scalar::Int(value) => {
                digits = Cow::Owned(value.to_string());
                (Sort::Number, digits.as_ref())
            }
            Scalar::Float(value) if value.is_finite() => {
                digits = Cow::Owned(format!("{value:?}"));
                (Sort::Number, digits.as_ref())
            }
            Scalar::Float(_)
            | Scalar::Decimal(_)
            | Scalar::Bytes(_)
            | Scalar::Date(_)
            | Scalar::Time(_)
            | Scalar::DateTime(_)
            | Scalar::Since2001(_)
            | Scalar::Duration(_)
            | Scalar::Uuid(_)
            | Scalar::Uid(_) => {
                self.raised_at = at;
                return Err(Box::new(super::unfit(self.py, value.called())));
            }
        };
        self.leaf(sort, text, at)
    }

    #[inline(always)]
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Answer {
        self.pending = None;
        let Some(frame) = self.frames.get_mut(self.holder) else { return Ok(Flow::Take) };
        if frame.text_over.is_some() {
            return Ok(Flow::Take);
        }
        let mut text = text.text.as_str();
        let mut held = self.pile.text.len() - frame.marks.text;
        if frame.white {
            let rest = text.trim_ascii_start();
            frame.white = rest.is_empty();
            if frame.parts {
                let room = SPACE.saturating_sub(held).min(text.len() - rest.len());
                make_room(&mut self.pile.text, room);
                self.pile.text.push_str(&text[..room]);
                (held, text) = (held + room, rest);
            }
        }
        let limit = if frame.parts { SHARE } else { self.token };
        if held + text.len() > limit {
            frame.text_over = Some(limit);
            self.pile.text.truncate(frame.marks.text);
            return Ok(Flow::Take);
        }
        make_room(&mut self.pile.text, text.len());
        self.pile.text.push_str(text);
        Ok(Flow::Take)
    }

    fn abandon(&mut self) {}
}

impl Hints for Messages<'_> {
    #[inline(always)]
    fn wakes(&self, name: &[u8]) -> bool {
        self.dispatch.wakes(name)
    }
}

impl LookAhead for Messages<'_> {}
