//! The XML writer: events in, text of one document out.
//!
//! It takes two kinds of streams. In that of a reader of elements, every element is a key and a
//! map, and whoever reads the written document gets the same events. In a stream of members (JSON,
//! CSV, property lists, objects) the same conventions hold in which Penstock reads XML without a
//! class:
//!
//! - A member is an element with the name of its key; the key may have a prefix.
//! - The key `@name` is an attribute, and `@xmlns` or `@xmlns:p` a declaration. It comes before the
//!   other members of its map: an attribute after them is refused, because the start tag may have
//!   left the buffer.
//! - The key `#text` is the element's own text.
//! - A list is its key's element, repeated. An empty list is nothing. A list in a list is refused:
//!   no form of it would be read back as one.
//! - Numbers, dates and other values have the forms of XML Schema, which
//!   [`lexical`](crate::value::lexical) reads. [`Null`] says what becomes of `null`.
//!
//! What would not be read back is refused: names, characters and comments that XML does not allow,
//! attributes that occur twice, prefixes that nobody declares, and what exceeds a limit.
//!
//! # For maintainers
//!
//! | file | holds |
//! |---|---|
//! | `writer.rs` | the events, the stack of open maps and lists, and how a document begins and ends |
//! | `key.rs`, `extras.rs` | keys; comments and instructions |
//! | `start_tag.rs` | the start tag: the prefixes of names, attributes, declarations |
//! | `scope.rs` | the declarations of all open elements |
//! | `whole.rs` | the writer as its driver sees it: the text, its end, and the next document |
//! | `escape.rs`, `scalar.rs` | text with its escapes, and values without |
//! | `indent.rs` | line breaks, which can only be made when an element ends |
//!
//! All names are in one buffer, as a stack: those of open elements, those of open lists, and the
//! key whose value comes next. After an error the writer may be in any state, until `abandon`
//! returns it to that before the record.

use penstock_scan::Chosen;

use super::escape;
use super::indent::Lines;
use super::names;
pub use super::options::{Null, Records, WriterOptions};
use super::start_tag::{Name, Space, Spaces, StartTag};
use crate::event::{Key, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, LookAhead, Sink};
use crate::value::xsd;
use crate::writer::{ENOUGH, Kind, Unwritable, make_room, scalars};

/// The key whose value comes next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    None,
    Element(Name),
    Attribute(Name),
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// An element, whose name is the frame's.
    Element,
    /// A list, whose elements have the frame's name.
    List,
    /// The root element, as a list of records.
    Records,
    /// A list of pieces of text.
    Texts,
    /// The map around the root element.
    Document,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    name: Name,
    /// The length of the buffer of names without what belongs to the frame.
    keep: usize,
}

/// What [`abandon`](Sink::abandon) returns to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pub(super) length: usize,
    pub(super) names: usize,
    pub(super) has_root: bool,
}

/// Writes one XML document.
///
/// ```
/// use penstock_core::limits::Limits;
/// use penstock_core::protocol::Sink;
/// use penstock_core::writer::Writer as _;
/// use penstock_core::xml::writer::{Records, Writer, WriterOptions};
///
/// let records = Records::Within(vec!["shops".into()]);
/// let options = WriterOptions { records, record: "shop".into(), ..WriterOptions::default() };
/// let mut writer = Writer::new(options, &Limits::default())?;
/// writer.begin_map(0)?;
/// writer.key("name".into(), 0)?;
/// writer.text("Black & Decker".into(), 0)?;
/// writer.end_map(0)?;
/// writer.finish()?;
/// let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
///                 <shops><shop><name>Black &amp; Decker</name></shop></shops>";
/// assert_eq!(writer.ready(), expected.as_bytes());
/// # Ok::<(), penstock_core::writer::Unwritable>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    pub(super) options: WriterOptions,
    pub(super) limits: Limits,
    pub(super) text: Vec<u8>,
    pub(super) names: Vec<u8>,
    pub(super) isa: Chosen,
    pub(super) tag: StartTag,
    pub(super) spaces: Spaces,
    /// How many elements are open.
    pub(super) depth: usize,
    /// How many `]` are at the end of the current text.
    pub(super) brackets: usize,
    pub(super) indent: Option<Lines>,
    pub(super) frames: Vec<Frame>,
    /// How many of the frames are around the records.
    pub(super) base: usize,
    pub(super) pending: Pending,
    pub(super) root: Name,
    pub(super) around: Vec<Name>,
    pub(super) record: Name,
    /// The length of the buffer of names with those of the options only.
    pub(super) bottom: usize,
    /// How many records are complete.
    pub(super) records: u64,
    pub(super) started: bool,
    /// Whether the document has its root element.
    pub(super) has_root: bool,
    /// Whether a value at the root has begun.
    pub(super) in_root: bool,
    pub(super) mark: Mark,
    /// Whether a part of the current record was taken.
    pub(super) torn: bool,
    /// Whether there was an error since the last whole record.
    pub(super) spoilt: bool,
    /// Whether there was one that nothing removes.
    pub(super) broken: bool,
    /// The text of the last scalar, if somebody listens.
    pub(super) noted: Option<Option<Vec<u8>>>,
}

#[cold]
#[inline(never)]
pub(super) fn refused(reason: &'static str) -> Unwritable {
    Unwritable::value(reason)
}

/// A sequence of events that no reader reports.
#[cold]
#[inline(never)]
pub(super) fn unordered() -> Unwritable {
    refused("an event where none of its kind can be")
}

const NOWHERE: Name = Name { start: 0, name: 0, colon: 0, end: 0, space: Space::AsWritten };

impl Writer {
    /// A writer of one document.
    ///
    /// # Errors
    /// An option is not possible: a name that is none, a prefix that cannot be declared.
    pub fn new(mut options: WriterOptions, limits: &Limits) -> Result<Self, Unwritable> {
        let spaces = Spaces::new(&options)?;
        if let Some(place) = options.prefixes.iter().position(|(prefix, _)| prefix.is_empty()) {
            options.default_namespace = Some(options.prefixes.remove(place).1);
        }
        let mut writer = Writer {
            spaces,
            indent: options.indent.map(Lines::new),
            options,
            limits: limits.clone(),
            text: Vec::new(),
            names: Vec::new(),
            isa: Chosen::best(),
            tag: StartTag::default(),
            depth: 0,
            brackets: 0,
            frames: Vec::new(),
            base: 0,
            pending: Pending::None,
            root: NOWHERE,
            around: Vec::new(),
            record: NOWHERE,
            bottom: 0,
            records: 0,
            started: false,
            has_root: false,
            in_root: false,
            mark: Mark::default(),
            torn: false,
            spoilt: false,
            broken: false,
            noted: None,
        };
        let root = writer.options.root.clone();
        writer.root = writer.option_name(root.as_deref().unwrap_or("root"))?;
        if let Records::Within(names) = writer.options.records.clone() {
            let default = if names.is_empty() { vec!["root".to_owned()] } else { Vec::new() };
            for name in names.iter().chain(&default) {
                let name = writer.option_name(name)?;
                writer.around.push(name);
            }
        }
        let record = writer.options.record.clone();
        writer.record = writer.option_name(if record.is_empty() { "item" } else { &record })?;
        writer.bottom = writer.names.len();
        Ok(writer)
    }

    /// A name from the options.
    fn option_name(&mut self, name: &str) -> Result<Name, Unwritable> {
        if let Some((uri, local)) = name.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            let space = if uri.is_empty() { Space::None } else { Space::Uri };
            return self.keep_name(uri, "", local, space);
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        self.keep_name("", prefix, local, Space::AsWritten)
    }

    /// Appends a name to the buffer of names.
    #[inline]
    pub(super) fn keep_name(
        &mut self,
        uri: &str,
        prefix: &str,
        local: &str,
        space: Space,
    ) -> Result<Name, Unwritable> {
        let own_colon = names::colon(local, self.options.namespaces)?;
        if self.options.ascii {
            names::in_ascii(local)?;
            names::in_ascii(prefix)?;
        }
        if !prefix.is_empty()
            && (own_colon.is_some() || names::colon(prefix, self.options.namespaces)?.is_some())
        {
            return Err(names::bad_colon(&format!("{prefix}:{local}")));
        }
        make_room(&mut self.names, uri.len() + prefix.len() + 1 + local.len())?;
        let start = self.names.len();
        if !uri.is_empty() {
            self.names.extend_from_slice(uri.as_bytes());
        }
        let name = self.names.len();
        let mut colon = name + own_colon.unwrap_or(0);
        if !prefix.is_empty() {
            self.names.extend_from_slice(prefix.as_bytes());
            colon = self.names.len();
            self.names.push(b':');
        }
        self.names.extend_from_slice(local.as_bytes());
        Ok(Name { start, name, colon, end: self.names.len(), space })
    }

    /// The text that may be taken now.
    #[inline(always)]
    pub(super) fn output(&self) -> &Vec<u8> {
        match &self.indent {
            None => &self.text,
            Some(indent) => &indent.ready,
        }
    }

    /// The answer to an event.
    #[inline(always)]
    pub(super) fn answer(&mut self, result: Result<(), Unwritable>) -> Result<Flow, Unwritable> {
        let result = match &mut self.indent {
            Some(indent) if result.is_ok() => indent.settle(&mut self.text),
            _ => result,
        };
        match result {
            Ok(()) if self.output().len() >= ENOUGH => Ok(Flow::Pause),
            Ok(()) => Ok(Flow::Take),
            Err(error) => {
                self.spoilt = true;
                self.broken |= !self.in_root && error.kind() == Kind::Memory;
                Err(error)
            }
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Unwritable> {
        make_room(&mut self.text, bytes.len())?;
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    /// The document begins.
    #[cold]
    pub(super) fn start(&mut self) -> Result<(), Unwritable> {
        self.started = true;
        // What fails here is not part of a record.
        self.broken = true;
        if self.options.declaration {
            let name = if self.options.ascii { "US-ASCII" } else { "UTF-8" };
            self.push(b"<?xml version=\"1.0\" encoding=\"")?;
            self.push(name.as_bytes())?;
            self.push(b"\"?>\n")?;
        }
        for index in 0..self.around.len() {
            let keep = self.names.len();
            self.open(self.around[index], keep, FrameKind::Element)?;
        }
        self.base = self.frames.len();
        self.broken = false;
        Ok(())
    }

    /// A value at the root begins, or its key.
    pub(super) fn begin_root(&mut self) -> Result<(), Unwritable> {
        if !self.started {
            self.start()?;
        }
        self.close_tag()?;
        if let Some(indent) = &mut self.indent {
            indent.settle(&mut self.text)?;
        }
        let (length, names) = (self.output().len(), self.names.len());
        self.mark = Mark { length, names, has_root: self.has_root };
        (self.in_root, self.torn) = (true, false);
        Ok(())
    }

    #[inline(always)]
    fn at_root(&self) -> bool {
        self.frames.len() == self.base
    }

    /// A value has ended.
    #[inline(always)]
    fn end_value(&mut self) {
        if self.at_root() {
            self.in_root = false;
            self.records += 1;
        }
    }

    /// Writes the `>` of the start tag, if that is still open.
    #[inline(always)]
    pub(super) fn close_tag(&mut self) -> Result<(), Unwritable> {
        if self.tag.open {
            self.tag.open = false;
            if self.tag.unfinished
                && let Err(error) = self.finish_tag()
            {
                self.broken |= !self.in_root;
                return Err(error);
            }
            self.push(b">")?;
        }
        Ok(())
    }

    /// An element begins: completes the tag of the one around it.
    #[inline(always)]
    fn begin_child(&mut self) -> Result<(), Unwritable> {
        self.close_tag()?;
        if self.depth == 0 {
            if self.has_root {
                return Err(refused(
                    "a second root element: XML has one, so name an element around them with root",
                ));
            }
            self.has_root = true;
        }
        match &mut self.indent {
            Some(indent) => indent.child(&mut self.text),
            None => Ok(()),
        }
    }

    /// Opens an element. Its frame keeps so much of the buffer of names.
    fn open(&mut self, name: Name, keep: usize, kind: FrameKind) -> Result<(), Unwritable> {
        self.begin_child()?;
        if let Some(indent) = &mut self.indent {
            indent.begin(kind == FrameKind::Records || !self.in_root)?;
        }
        let place = self.begin_tag(name)?;
        let name = Name { name: place.start, end: place.end, ..name };
        self.push_frame(Frame { kind, name, keep })
    }

    #[inline(always)]
    fn push_frame(&mut self, frame: Frame) -> Result<(), Unwritable> {
        if self.frames.len() == self.frames.capacity() {
            self.frames.try_reserve(1).map_err(|_| Unwritable::memory())?;
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Closes the innermost element, whose frame is the last.
    fn close(&mut self) -> Result<(), Unwritable> {
        let Some(frame) = self.frames.pop() else { return Err(unordered()) };
        if let Some(indent) = &mut self.indent {
            indent.end(&self.text, self.tag.open)?;
        }
        self.end_tag(frame.name)?;
        self.names.truncate(frame.keep);
        Ok(())
    }

    /// Writes the end of an element.
    #[inline(always)]
    fn end_tag(&mut self, name: Name) -> Result<(), Unwritable> {
        if self.tag.open {
            self.tag.open = false;
            if self.tag.unfinished {
                self.finish_tag()?;
            }
            self.push(b"/>")?;
        } else {
            let name = &self.names[name.range()];
            make_room(&mut self.text, name.len() + 3)?;
            self.text.extend_from_slice(b"</");
            self.text.extend_from_slice(name);
            self.text.push(b'>');
        }
        self.brackets = 0;
        self.depth -= 1;
        if self.spaces.scope.depth > self.depth {
            self.spaces.scope.leave(self.depth);
        }
        Ok(())
    }

    /// Writes an element that has a value and no frame.
    fn leaf(&mut self, name: Name, value: Scalar<'_>) -> Result<(), Unwritable> {
        let null = matches!(value, Scalar::Null);
        if null && self.options.null == Null::Omit && self.depth > 0 {
            return Ok(());
        }
        let keep = self.names.len();
        self.begin_child()?;
        let place = self.begin_tag(name)?;
        match value {
            Scalar::Null if self.options.null == Null::Nil => self.nil()?,
            Scalar::Null | Scalar::Bytes([]) => {}
            Scalar::Text(text) | Scalar::Untyped(text) => {
                if !text.bytes().is_empty() {
                    self.close_tag()?;
                    self.escaped(text)?;
                }
            }
            value => {
                self.close_tag()?;
                scalars::plain(value, &self.limits, &mut self.text)?;
            }
        }
        self.end_tag(Name { name: place.start, end: place.end, ..name })?;
        self.names.truncate(keep);
        Ok(())
    }

    /// Appends character data.
    #[inline(always)]
    fn escaped(&mut self, text: Text<'_>) -> Result<(), Unwritable> {
        let from = self.text.len();
        escape::text(self.isa, text.text, &mut self.brackets, &mut self.text)?;
        self.in_ascii(from)
    }

    /// Makes references of the characters from a place on that are not ASCII, if none may be.
    #[inline(always)]
    pub(super) fn in_ascii(&mut self, from: usize) -> Result<(), Unwritable> {
        if self.options.ascii { escape::in_ascii(&mut self.text, from) } else { Ok(()) }
    }

    /// Notes the text of a value.
    #[cold]
    fn note(&mut self, value: Scalar<'_>) -> Result<(), Unwritable> {
        let mut text = Vec::new();
        match value {
            Scalar::Null => {
                self.noted = Some(None);
                return Ok(());
            }
            Scalar::Text(value) | Scalar::Untyped(value) => {
                make_room(&mut text, value.bytes().len())?;
                text.extend_from_slice(value.bytes());
            }
            value => scalars::plain(value, &self.limits, &mut text)?,
        }
        self.noted = Some(Some(text));
        Ok(())
    }

    /// Writes a value as text of the innermost element.
    fn content(&mut self, value: Scalar<'_>) -> Result<(), Unwritable> {
        let empty = match value {
            Scalar::Null | Scalar::Bytes([]) => true,
            Scalar::Text(text) | Scalar::Untyped(text) => text.bytes().is_empty(),
            _ => false,
        };
        if empty {
            // A line break would become this text.
            if let Some(indent) = &mut self.indent
                && !matches!(value, Scalar::Null)
            {
                indent.text(true)?;
            }
            return Ok(());
        }
        self.close_tag()?;
        if let Some(indent) = &mut self.indent {
            let blank = match value {
                Scalar::Text(text) | Scalar::Untyped(text) => xsd::trimmed(text.bytes()).is_empty(),
                _ => false,
            };
            indent.text(blank)?;
        }
        match value {
            Scalar::Text(text) | Scalar::Untyped(text) => self.escaped(text),
            value => {
                self.brackets = 0;
                scalars::plain(value, &self.limits, &mut self.text)
            }
        }
    }

    /// The frame inside the current record.
    #[inline(always)]
    pub(super) fn top(&self) -> Option<&Frame> {
        if self.at_root() { None } else { self.frames.last() }
    }

    /// Whether there is one record, and not many within elements.
    pub(super) fn is_one(&self) -> bool {
        self.around.is_empty()
    }

    /// The name of the value at the root.
    fn root_name(&self, own: Option<Name>) -> Name {
        match own {
            own if !self.is_one() => own.unwrap_or(self.record),
            Some(own) if self.options.root.is_none() => own,
            _ => self.root,
        }
    }

    /// The name of a value without a key, and what of the buffer of names it keeps.
    fn unkeyed(&mut self) -> Result<Option<Name>, Unwritable> {
        match self.top() {
            None => {
                self.begin_root()?;
                Ok(None)
            }
            Some(Frame { kind: FrameKind::List, name, .. }) => Ok(Some(*name)),
            Some(Frame { kind: FrameKind::Records, .. }) => Ok(Some(self.record)),
            Some(Frame { kind: FrameKind::Texts, .. }) => {
                Err(refused("the text of an element is no map"))
            }
            Some(_) => Err(unordered()),
        }
    }

    fn open_map(&mut self) -> Result<(), Unwritable> {
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::Element(name) => {
                let keep = name.start;
                let name = if self.at_root() { self.root_name(Some(name)) } else { name };
                self.open(name, keep, FrameKind::Element)
            }
            Pending::Attribute(_) => Err(refused("the value of an attribute is no map")),
            Pending::Text => Err(refused("the text of an element is no map")),
            Pending::None => {
                let keep = self.names.len();
                match self.unkeyed()? {
                    Some(name) => self.open(name, keep, FrameKind::Element),
                    None if self.is_one() && self.options.root.is_none() => {
                        self.push_frame(Frame { kind: FrameKind::Document, name: NOWHERE, keep })
                    }
                    None => self.open(self.root_name(None), keep, FrameKind::Element),
                }
            }
        }
    }

    fn open_list(&mut self) -> Result<(), Unwritable> {
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::Element(name) => {
                let keep = name.start;
                let name = if self.at_root() { self.root_name(Some(name)) } else { name };
                self.push_frame(Frame { kind: FrameKind::List, name, keep })
            }
            Pending::Attribute(_) => Err(refused("the value of an attribute is no list")),
            Pending::Text => {
                let keep = self.names.len();
                self.push_frame(Frame { kind: FrameKind::Texts, name: NOWHERE, keep })
            }
            Pending::None => {
                if self.top().is_none() && self.is_one() {
                    self.begin_root()?;
                    let keep = self.names.len();
                    return self.open(self.root, keep, FrameKind::Records);
                }
                Err(refused("a list in a list: XML has no form for it"))
            }
        }
    }

    fn write_scalar(&mut self, value: Scalar<'_>) -> Result<(), Unwritable> {
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::Element(own) => {
                let name = if self.at_root() { self.root_name(Some(own)) } else { own };
                self.leaf(name, value)?;
                self.names.truncate(own.start);
            }
            Pending::Attribute(name) => {
                self.attribute(name, value)?;
                self.names.truncate(name.start);
            }
            Pending::Text => self.content(value)?,
            Pending::None => {
                if self.top().is_some_and(|frame| frame.kind == FrameKind::Texts) {
                    return self.content(value);
                }
                let name = self.unkeyed()?;
                self.leaf(name.unwrap_or_else(|| self.root_name(None)), value)?;
            }
        }
        self.end_value();
        Ok(())
    }

    fn close_map(&mut self) -> Result<(), Unwritable> {
        if !matches!(self.pending, Pending::None) {
            return Err(unordered());
        }
        match self.top().map(|frame| frame.kind) {
            Some(FrameKind::Element) => self.close()?,
            Some(FrameKind::Document) => {
                self.frames.pop();
                if !self.has_root {
                    return Err(refused(NO_ROOT));
                }
            }
            _ => return Err(unordered()),
        }
        self.end_value();
        Ok(())
    }

    fn close_list(&mut self) -> Result<(), Unwritable> {
        match self.top().copied() {
            Some(Frame { kind: FrameKind::List | FrameKind::Texts, keep, .. }) => {
                self.frames.pop();
                self.names.truncate(keep);
            }
            Some(Frame { kind: FrameKind::Records, .. }) => self.close()?,
            _ => return Err(unordered()),
        }
        self.end_value();
        Ok(())
    }

    fn write_piece(&mut self, text: Text<'_>) -> Result<(), Unwritable> {
        let is_element = self.top().is_some_and(|frame| frame.kind == FrameKind::Element);
        match self.pending {
            Pending::None if is_element => self.content(Scalar::Text(text)),
            Pending::None if self.at_root() => Err(refused("text outside of the root element")),
            _ => Err(unordered()),
        }
    }

    pub(super) fn write_end(&mut self) -> Result<(), Unwritable> {
        if self.spoilt {
            return Err(refused("the document is not whole, because a part of it was refused"));
        }
        if self.in_root || !matches!(self.pending, Pending::None) {
            return Err(refused("the document ends within a value"));
        }
        if !self.started {
            self.start()?;
        }
        while !self.frames.is_empty() {
            self.close()?;
        }
        self.base = 0;
        if !self.has_root {
            return Err(refused(NO_ROOT));
        }
        if let Some(indent) = &mut self.indent {
            make_room(&mut self.text, 1)?;
            self.text.push(b'\n');
            indent.settle(&mut self.text)?;
        }
        Ok(())
    }
}

const NO_ROOT: &str = "there is no root element";

impl Sink for Writer {
    type Error = Unwritable;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.open_map();
        self.answer(result)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.close_map();
        self.answer(result)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.open_list();
        self.answer(result)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.close_list();
        self.answer(result)
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.take_key(key);
        self.answer(result)
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, Unwritable> {
        if self.noted.is_some() {
            self.note(value)?;
        }
        let result = self.write_scalar(value);
        self.answer(result)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        let result = self.write_piece(text);
        self.answer(result)
    }
    fn comment(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Unwritable> {
        let result = if self.options.extras { self.write_comment(text) } else { Ok(()) };
        self.answer(result)
    }
    fn instruction(
        &mut self,
        target: Text<'_>,
        data: Text<'_>,
        _at: u64,
    ) -> Result<Flow, Unwritable> {
        let result =
            if self.options.extras { self.write_instruction(target, data) } else { Ok(()) };
        self.answer(result)
    }

    fn abandon(&mut self) {
        self.pending = Pending::None;
        self.noted = None;
        if self.in_root {
            self.in_root = false;
            self.broken |= self.torn;
            self.tag.open = false;
            self.frames.truncate(self.base);
            self.names.truncate(self.mark.names);
            self.depth = self.base;
            self.has_root = self.mark.has_root;
            self.spaces.scope.leave(self.depth);
            self.brackets = 0;
            match &mut self.indent {
                Some(indent) => indent.abandon(&mut self.text, self.mark.length, self.base),
                None => self.text.truncate(self.mark.length),
            }
        }
        self.spoilt = self.broken;
    }
}

impl Hints for Writer {
    #[inline(always)]
    fn extras(&self) -> bool {
        self.options.extras
    }
}

impl LookAhead for Writer {}
