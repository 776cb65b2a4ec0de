//! The filter between a reader and a sink that passes only the records.
//!
//! [`Select`] walks the text outside the records with an [`Automaton`](super::Automaton). It answers
//! [`Flow::Skip`] for all values that cannot contain a record, so the reader skips them at scanning
//! speed. The events of a record go to the inner sink unchanged: there the filter costs one
//! comparison with zero for each event.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the walk outside the records |
//! | `sink.rs` | what becomes of each event |
//! | `go_on.rs` | where a filter goes on in the middle of a document, and what is known of what follows |

mod go_on;
mod sink;

use std::ops::Range;

use penstock_scan::make_room;

use super::automaton::Target;
use super::records::{CHILDREN, RecordPath, Records};
use crate::event::{Key, KeyKind, Matched, Text};
use crate::path_step::PathStep;
use crate::protocol::{Flow, Listener, Look, Sink};

/// An open map or list outside the records, or, at the bottom, the document itself.
#[derive(Clone, Copy, Debug)]
struct Frame {
    state: u32,
    /// The beginning of its current key in the buffer of keys.
    key: usize,
    at: Place,
}

/// The reader's position in an open map or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first key; in a document without a root key, always.
    Start,
    /// At a key of this kind.
    Key(KeyKind),
    /// In a list of which this many elements have begun.
    List(u64),
}

/// The role of a value outside the records.
enum Value {
    /// It cannot contain a record.
    Useless,
    /// It is the root of the document, which no key leads to.
    Root,
    /// Records may be inside it: the state for looking them up.
    Outer(u32),
    /// It is a record of this kind.
    Record(u32),
}

/// Forwards the events of the records to an inner sink, each record as if it were a document.
///
/// The inner sink's answers and errors are returned. After an error the caller calls
/// [`Sink::abandon`]. The reader must then leave the record without reporting its end, until
/// [`Select::record_depth`] maps and lists are open.
///
/// ```
/// use penstock_core::select::{Path, Records, Select};
/// use penstock_core::protocol::Sink;
/// use penstock_core::protocol::Trace;
///
/// // {"items": [7]}
/// let records = Records::at(&Path::parse("items/*").unwrap()).unwrap();
/// let mut select = Select::new(Trace::new(), records);
/// select.begin_map(0).unwrap();
/// select.key("items".into(), 1).unwrap();
/// select.begin_list(10).unwrap();
/// select.number(b"7", 11).unwrap();
/// select.end_list(12).unwrap();
/// select.end_map(13).unwrap();
/// assert_eq!(select.inner().text(), "     matched index 0\n  11 number 7\n");
/// ```
#[derive(Debug)]
pub struct Select<S> {
    inner: S,
    /// Open maps and lists of the record, its own included; 0 outside the records.
    depth: usize,
    records: Records,
    /// The document and the open maps and lists outside the records.
    frames: Vec<Frame>,
    /// The current keys of the frames, one after the other.
    keys: String,
    /// The target of the key that was reported last.
    pending: Option<Target>,
    met: u64,
    /// Whether there was a container all of whose children are records, or one without children of which any would
    /// have led on.
    reached: bool,
    /// Where the last record began that is a map or a list, and how many frames there were.
    last: Option<(u64, usize)>,
    /// The shapes of rows that were reported to the inner sink.
    shapes: Vec<u32>,
    /// Whether the current row goes to the inner sink.
    forwards_row: bool,
}

impl<S: Listener> Select<S> {
    /// A filter in front of `inner`.
    pub fn new(inner: S, records: Records) -> Self {
        let document = Frame { state: 0, key: 0, at: Place::Start };
        let (frames, keys) = (vec![document], String::new());
        Select {
            inner,
            depth: 0,
            records,
            frames,
            keys,
            pending: None,
            met: 0,
            reached: false,
            last: None,
            shapes: Vec::new(),
            forwards_row: false,
        }
    }
    /// The sink behind the filter.
    pub fn inner(&self) -> &S {
        &self.inner
    }
    /// The sink behind the filter.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
    /// Returns the sink behind the filter.
    pub fn into_inner(self) -> S {
        self.inner
    }
    /// The same filter in front of another sink, before anything is read.
    pub fn map<T: Listener>(self, make: impl FnOnce(S) -> T) -> Select<T> {
        let Select { inner, records, frames, keys, met, .. } = self;
        Select { frames, keys, met, ..Select::new(make(inner), records) }
    }

    /// How many records have begun, including the current one and those in error.
    pub fn records(&self) -> u64 {
        self.met
    }
    /// Whether there was a container all of whose children are records: they may be none.
    pub fn has_reached(&self) -> bool {
        self.reached
    }
    /// True inside a record.
    pub fn in_record(&self) -> bool {
        self.depth > 0
    }
    /// How many maps and lists are open outside the record.
    pub fn record_depth(&self) -> usize {
        self.frames.len() - 1
    }
    /// The path from the document to the record: the keys and positions outside the record.
    pub fn path_prefix(&self) -> Vec<PathStep> {
        let step = |(place, frame): (usize, &Frame)| {
            let name = || self.keys[self.key_range(place)].to_owned();
            match frame.at {
                Place::Start | Place::List(0) => None,
                Place::List(begun) => Some(PathStep::Index(begun - 1)),
                Place::Key(KeyKind::Attribute) => Some(PathStep::Attribute(name())),
                Place::Key(_) => Some(PathStep::Key(name())),
            }
        };
        self.frames.iter().enumerate().filter_map(step).collect()
    }
    /// Forgets the document as well as the record: the next event begins a new one. For formats
    /// of many documents, when one of them is malformed.
    pub fn restart(&mut self) {
        self.abandon();
        self.frames.truncate(1);
        self.frames[0].at = Place::Start;
        self.keys.clear();
    }

    /// The range in `keys` of the current key of the frame at `place`.
    fn key_range(&self, place: usize) -> Range<usize> {
        let end = self.frames.get(place + 1).map_or(self.keys.len(), |next| next.key);
        self.frames[place].key..end
    }

    fn top(&mut self) -> &mut Frame {
        let top = self.frames.len() - 1;
        &mut self.frames[top]
    }

    /// A key outside the records: decides whether its value can contain a record.
    #[inline(never)]
    fn outer_key(&mut self, key: &Key<'_>) -> Flow {
        let frame = self.top();
        frame.at = Place::Key(key.kind);
        let Frame { state, key: begin, .. } = *frame;
        self.keys.truncate(begin);
        make_room(&mut self.keys, key.name.bytes().len());
        self.keys.push_str(key.name.text.as_str());
        self.pending = self.records.states()[state as usize].key(key);
        if self.pending.is_some() { Flow::Take } else { Flow::Skip }
    }

    /// A value outside the records begins: determines its role.
    fn value(&mut self) -> Value {
        let frame = self.top();
        let target = match &mut frame.at {
            Place::Start => return Value::Root,
            Place::Key(_) => self.pending.take(),
            Place::List(begun) => {
                let (index, state) = (*begun, frame.state as usize);
                *begun += 1;
                self.records.states()[state].index(index)
            }
        };
        match target {
            Some(Target { accept: Some(kind), .. }) => Value::Record(kind),
            Some(Target { state: Some(state), .. }) => Value::Outer(state),
            _ => Value::Useless,
        }
    }

    /// Whether a map that begins here is a record, and there is only one kind of records.
    fn records_follow(&self) -> bool {
        let path = match &self.records {
            Records::At(path) | Records::Default(path) => path,
        };
        let Some(frame) = self.frames.last() else { return false };
        let target = match frame.at {
            Place::Start => return matches!(self.records, Records::Default(_)),
            Place::Key(_) => self.pending,
            Place::List(begun) => path.automaton.states[frame.state as usize].index(begun),
        };
        path.stars.len() == 1 && target.is_some_and(|target| target.accept.is_some())
    }

    /// A map or list begins outside the records. Returns the answer, or none if it is a record.
    #[inline(never)]
    fn outer_begin(&mut self, list: bool, at: u64) -> Option<Flow> {
        let state = match (self.value(), &self.records) {
            (Value::Useless, _) => return Some(Flow::Skip),
            (Value::Outer(state), _) => state,
            (Value::Root, Records::At(_)) => 0,
            (Value::Root, Records::Default(_)) if list => CHILDREN,
            (Value::Root, _) => {
                self.announce(0);
                return None;
            }
            (Value::Record(kind), _) => {
                self.last = Some((at, self.frames.len()));
                self.announce(kind);
                return None;
            }
        };
        let within = &self.records.states()[state as usize];
        if list && !within.looks_into_lists() {
            return Some(Flow::Skip);
        }
        self.reached |= within.other.is_some_and(|to| to.accept.is_some());
        let at = if list { Place::List(0) } else { Place::Start };
        make_room(&mut self.frames, 1);
        self.frames.push(Frame { state, key: self.keys.len(), at });
        Some(Flow::Take)
    }

    /// A scalar outside the records: decides whether it is a record.
    #[inline(never)]
    fn is_record(&mut self) -> bool {
        let kind = match self.value() {
            Value::Record(kind) => Some(kind),
            Value::Root => matches!(self.records, Records::Default(_)).then_some(0),
            Value::Useless | Value::Outer(_) => None,
        };
        if let Some(kind) = kind {
            self.announce(kind);
        }
        kind.is_some()
    }

    /// A map or list ends outside the records.
    #[inline(never)]
    fn outer_end(&mut self) {
        // The document has no end event, so the bottom frame stays.
        if self.frames.len() > 1
            && let Some(ended) = self.frames.pop()
        {
            self.keys.truncate(ended.key);
            // It has no children, of which any would have done. Below `//`, that is so anywhere.
            let is_empty = matches!(ended.at, Place::Start | Place::List(0));
            let any = self.records.states()[ended.state as usize].other;
            self.reached |= is_empty && any.is_some_and(|to| to.state != Some(ended.state));
        }
        if let [document] = &mut self.frames[..] {
            document.at = Place::Start;
            self.keys.clear();
        }
    }

    /// If the inner sink does not want a map after a look, the reader does not report the end of
    /// that map.
    fn looked<E>(&mut self, answer: Result<Look, E>) -> Result<Look, E> {
        if let Ok(Look::Skip) = answer {
            self.depth -= 1;
        }
        answer
    }

    /// A record begins: counts it, and reports its kind and the match of the path's `*`.
    fn announce(&mut self, kind: u32) {
        self.met += 1;
        let Records::At(RecordPath { stars, .. }) = &self.records else { return };
        if stars.len() > 1 {
            self.inner.record(kind);
        }
        let Some(Some(above)) = stars.get(kind as usize).copied() else { return };
        let place = self.frames.len() - 1 - above;
        match self.frames[place].at {
            Place::Start => {}
            Place::Key(_) => {
                let key = self.key_range(place);
                self.inner.matched(Matched::Key(Text::from(&self.keys[key])));
            }
            Place::List(begun) => self.inner.matched(Matched::Index(begun - 1)),
        }
    }

    /// Whether to forward a scalar to the inner sink.
    #[inline(always)]
    fn forwards(&mut self) -> bool {
        self.depth > 0 || self.is_record()
    }
}
