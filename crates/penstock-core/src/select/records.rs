//! The filter between a reader and a sink that passes only the records.
//!
//! [`Select`] walks the text outside the records with an [`Automaton`]. It answers [`Flow::Skip`]
//! for all values that cannot contain a record, so the reader skips them at scanning speed. The
//! events of a record go to the inner sink unchanged: there the filter costs one comparison with
//! zero for each event.

use penstock_scan::{gathered, make_room};
use std::ops::Range;

use super::automaton::{Automaton, NameEdge, Refused, State, Target};
use super::open::{At, Open, SOMEWHERE};
use super::path::{Path, PathError};
use crate::event::{Key, KeyKind, KnownKeys, Matched, Row, Rows, Text};
use crate::forward;
use crate::path_step::PathStep;
use crate::protocol::{Flow, Lent, Listener, Look, LookAhead, RowsAs, Sink, Want, expand};

/// The path of the records, compiled.
#[derive(Clone, Debug)]
pub struct RecordPath {
    automaton: Automaton,
    /// For each kind of record, how many steps above it the last `*` of its path stands.
    stars: Box<[Option<usize>]>,
}

/// Which values of a document are its records.
#[derive(Clone, Debug)]
pub enum Records {
    /// The values that a path matches. If there are several paths, each is a kind of record.
    At(RecordPath),
    /// The elements of a list or the child elements of a root element; any other top-level value
    /// is itself a record.
    Default(RecordPath),
}

impl Records {
    /// The values that `path` matches.
    ///
    /// # Errors
    /// If the path leads to something that is not a value, or is too complex to compile.
    pub fn at(path: &Path) -> Result<Records, PathError> {
        let automaton = Automaton::record(path)?;
        Ok(Records::At(RecordPath { automaton, stars: [path.last_star()].into() }))
    }

    /// The values that any of `paths` matches. Each path is a kind, numbered by its position, and
    /// [`Sink::record`] reports the kind of each record.
    ///
    /// # Errors
    /// The index of a path, and its error.
    pub fn several(paths: &[Path]) -> Result<Records, (usize, PathError)> {
        for (kind, path) in paths.iter().enumerate() {
            Automaton::record(path).map_err(|error| (kind, error))?;
        }
        let kinds: Vec<(Path, u32)> = paths.iter().cloned().zip(0..).collect();
        let automaton = Automaton::fields(&kinds).map_err(|refused| match refused {
            Refused::Conflict { a, b } => {
                let (first, second) = (a.min(b) as usize, a.max(b) as usize);
                let reason = format!("it claims the same values as '{}'", paths[first]);
                (second, PathError::new(1, reason))
            }
            refused => (0, PathError::new(1, refused.to_string())),
        })?;
        Ok(Records::At(RecordPath {
            automaton,
            stars: paths.iter().map(Path::last_star).collect(),
        }))
    }

    /// The records if no path selects them.
    #[must_use]
    pub fn by_default() -> Records {
        let to = |accept, state| Some(Target { accept, state, any: true });
        let root = State { other: to(None, Some(CHILDREN)), ..State::default() };
        let children = State { other: to(Some(0), None), ..State::default() };
        let automaton = Automaton { states: vec![root, children] };
        Records::Default(RecordPath { automaton, stars: [None].into() })
    }

    fn states(&self) -> &[State] {
        match self {
            Records::At(path) | Records::Default(path) => &path.automaton.states,
        }
    }
}

/// The state of [`Records::Default`] in which every child is a record.
const CHILDREN: u32 = 1;

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

/// The children of an element, by their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Children<'s>(&'s State);

impl Children<'_> {
    /// Whether all of them are records.
    pub(crate) fn are_all_records(self) -> bool {
        let State { elements, other, .. } = self.0;
        elements.is_empty() && other.is_some_and(|to| to.accept.is_some())
    }

    /// Whether those of this name, behind this prefix, are records. None if records may be in them.
    pub(crate) fn is_record(self, prefix: Option<&str>, name: &str) -> Option<bool> {
        let (name, prefix) = (Text::from(name), prefix.map(Text::from));
        let key = Key { name, namespace: None, prefix, kind: KeyKind::Element };
        match self.0.key(&key) {
            None => Some(false),
            Some(to) => to.accept.is_some().then_some(true),
        }
    }
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
    /// Whether there was a container all of whose children are records.
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
    /// Where the last record began that is a map or a list.
    pub(crate) fn last(&self) -> Option<u64> {
        self.last.map(|(at, _)| at)
    }

    /// A filter in front of another sink, for a reader that begins at a record in the same
    /// containers as the last one. It counts from there. None if these are not open any more, and if
    /// records are found by their positions.
    pub(crate) fn beside<T: Listener>(&self, inner: T) -> Option<Select<T>> {
        let (_, frames) = self.last?;
        if frames != self.frames.len() {
            return None;
        }
        let mut beside = Select::new(inner, self.records.clone());
        beside.last = self.last;
        beside.frames.clone_from(&self.frames);
        beside.keys.clone_from(&self.keys);
        let top = beside.top();
        if let Place::List(begun) = &mut top.at {
            *begun = 0;
        }
        let state = top.state as usize;
        beside.records.states()[state].indexes.is_empty().then_some(beside)
    }

    /// Whether both are outside of a record, in the same containers.
    pub(crate) fn goes_on_as<T: Listener>(&self, other: &Select<T>) -> bool {
        let ([outer @ .., one], [others @ .., other_one]) = (&self.frames[..], &other.frames[..])
        else {
            return false;
        };
        let places = |frame: &Frame| (frame.state, frame.at);
        (self.depth, other.depth) == (0, 0)
            && outer.iter().map(places).eq(others.iter().map(places))
            && one.state == other_one.state
            && self.keys[..one.key] == other.keys[..other_one.key]
    }

    /// What is open outside of the record that has just begun, as it was before that.
    pub(crate) fn open(&self) -> Vec<Open> {
        let last = self.frames.len() - 1;
        let open = |(place, frame): (usize, &Frame)| Open {
            state: frame.state,
            at: match frame.at {
                Place::List(begun) if place == last => At::List(begun.saturating_sub(1)),
                Place::List(begun) => At::List(begun),
                Place::Start => At::Start,
                Place::Key(_) if place == last => At::Start,
                Place::Key(kind) => At::Key(kind, self.keys[self.key_range(place)].to_owned()),
            },
        };
        gathered(self.frames.iter().enumerate().map(open))
    }

    /// What is open outside of the record that has just ended.
    pub(crate) fn open_behind(&self) -> Vec<Open> {
        let mut open = self.open();
        if let (
            Some(Open { at: At::List(before), .. }),
            Some(Frame { at: Place::List(begun), .. }),
        ) = (open.last_mut(), self.frames.last())
        {
            *before = *begun;
        }
        open
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if that
    /// is not a place of this path.
    pub(crate) fn go_on(&mut self, open: &[Open], records: u64) -> bool {
        let states = self.records.states().len();
        if open.is_empty() || open.iter().any(|open| open.state as usize >= states) {
            return false;
        }
        self.frames.clear();
        self.keys.clear();
        make_room(&mut self.frames, open.len());
        for open in open {
            let key = self.keys.len();
            let at = match &open.at {
                At::Start => Place::Start,
                At::List(begun) => Place::List(*begun),
                At::Key(kind, name) => {
                    make_room(&mut self.keys, name.len());
                    self.keys.push_str(name);
                    Place::Key(*kind)
                }
            };
            self.frames.push(Frame { state: open.state, key, at });
        }
        self.met = records;
        true
    }

    /// The same behind nobody knows how many records, [somewhere](SOMEWHERE) in the innermost list.
    /// False, too, if records are found by their positions in it.
    pub(crate) fn go_on_somewhere(&mut self, open: &[Open]) -> bool {
        if !self.go_on(open, 0) {
            return false;
        }
        let top = self.top();
        if let Place::List(begun) = &mut top.at {
            *begun = SOMEWHERE;
        }
        let state = top.state as usize;
        self.records.states()[state].indexes.is_empty()
    }

    /// Counts what [another](Self::beside) has counted.
    pub(crate) fn pass<T: Listener>(&mut self, other: &Select<T>) {
        self.met += other.met;
        if let (Place::List(begun), Some(Place::List(more))) =
            (&mut self.top().at, other.frames.last().map(|frame| frame.at))
        {
            *begun += more;
        }
    }

    /// Whether the container around the record that has just begun has only records from there on,
    /// whatever its keys or the positions of its items are.
    pub(crate) fn only_records_follow(&self) -> bool {
        let Some(frame) = self.frames.last().filter(|_| self.frames.len() > 1) else {
            return false;
        };
        let State { keys, indexes, elements, attributes, other, .. } =
            &self.records.states()[frame.state as usize];
        let bare = keys.is_empty() && indexes.is_empty();
        let bare = bare && elements.is_empty() && attributes.is_empty();
        bare && other.is_some_and(|target| target.accept.is_some())
    }

    /// Leaves the record that has begun, and counts so many that follow it in the same container.
    pub(crate) fn leave_records(&mut self, count: u64) {
        self.abandon();
        self.pass_records(count);
    }

    /// Whether all items of the list in which the reader is between two of them are records.
    pub(crate) fn takes_items(&self) -> bool {
        self.depth == 0
            && self.frames.last().is_some_and(|frame| {
                let state = &self.records.states()[frame.state as usize];
                let is_record = state.other.is_some_and(|to| to.accept.is_some());
                matches!(frame.at, Place::List(_)) && state.indexes.is_empty() && is_record
            })
    }

    /// Which children of the element in which the reader is between two of them are records, if
    /// that is a question of their names alone, and not of their namespaces.
    pub(crate) fn children(&self) -> Option<Children<'_>> {
        let frame = self.frames.last().filter(|_| self.depth == 0)?;
        let state = &self.records.states()[frame.state as usize];
        let is_plain = |edge: &NameEdge| edge.namespace.is_none();
        let is_known = matches!(frame.at, Place::Key(KeyKind::Element))
            && self.frames.len() > 1
            && state.elements.iter().all(is_plain);
        is_known.then_some(Children(state))
    }

    /// Counts so many records that were passed behind the last one, in the same list or element.
    pub(crate) fn pass_records(&mut self, records: u64) {
        self.met += records;
        if let Place::List(begun) = &mut self.top().at {
            *begun += records;
        }
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

/// The methods that treat all events of a record alike. In a record they forward the event with the
/// same method; outside they ignore it.
macro_rules! filtered {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(filtered! { @ $method($($argument: $type),*) $(-> $result)? })*
    };
    // Written by hand: these find the records and count what is open.
    (@ begin_map $($rest:tt)*) => {};
    (@ end_map $($rest:tt)*) => {};
    (@ begin_list $($rest:tt)*) => {};
    (@ end_list $($rest:tt)*) => {};
    (@ name $($rest:tt)*) => {};
    (@ key $($rest:tt)*) => {};
    (@ written_key $($rest:tt)*) => {};
    (@ abandon $($rest:tt)*) => {};
    // A scalar may be a record itself.
    (@ scalar $($rest:tt)*) => { filtered! { @@ scalar $($rest)* } };
    (@ null $($rest:tt)*) => { filtered! { @@ null $($rest)* } };
    (@ boolean $($rest:tt)*) => { filtered! { @@ boolean $($rest)* } };
    (@ int $($rest:tt)*) => { filtered! { @@ int $($rest)* } };
    (@ float $($rest:tt)*) => { filtered! { @@ float $($rest)* } };
    (@ number $($rest:tt)*) => { filtered! { @@ number $($rest)* } };
    (@ text $($rest:tt)*) => { filtered! { @@ text $($rest)* } };
    (@ written_text $($rest:tt)*) => { filtered! { @@ written_text $($rest)* } };
    (@ written_number $($rest:tt)*) => { filtered! { @@ written_number $($rest)* } };
    (@@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            if self.forwards() { self.inner.$method($($argument),*) } else { Ok(Flow::Take) }
        }
    };
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            if self.depth > 0 { self.inner.$method($($argument),*) } else { Ok(Flow::Take) }
        }
    };
    (@ $method:ident($($argument:ident: $type:ty),*)) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) {
            if self.depth > 0 {
                self.inner.$method($($argument),*);
            }
        }
    };
}

impl<S: Listener> Sink for Select<S> {
    type Error = S::Error;

    forward!(told, filtered);

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0
            && let Some(flow) = self.outer_begin(false, at)
        {
            return Ok(flow);
        }
        let flow = self.inner.begin_map(at)?;
        self.depth += usize::from(flow != Flow::Skip);
        Ok(flow)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0 {
            self.outer_end();
            return Ok(Flow::Take);
        }
        self.depth -= 1;
        self.inner.end_map(at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0
            && let Some(flow) = self.outer_begin(true, at)
        {
            return Ok(flow);
        }
        let flow = self.inner.begin_list(at)?;
        self.depth += usize::from(flow != Flow::Skip);
        Ok(flow)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Result<Flow, Self::Error> {
        if self.depth == 0 {
            self.outer_end();
            return Ok(Flow::Take);
        }
        self.depth -= 1;
        self.inner.end_list(at)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 { self.inner.name(key, at) } else { Ok(self.outer_key(&key)) }
    }
    #[inline(always)]
    fn key(&mut self, name: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 {
            return self.inner.key(name, at);
        }
        let key = Key { name, namespace: None, prefix: None, kind: KeyKind::Member };
        Ok(self.outer_key(&key))
    }
    #[inline(always)]
    fn written_key(&mut self, name: Text<'_>, raw: Text<'_>, at: u64) -> Result<Flow, Self::Error> {
        if self.depth > 0 { self.inner.written_key(name, raw, at) } else { self.key(name, at) }
    }
    fn abandon(&mut self) {
        self.depth = 0;
        self.pending = None;
        self.inner.abandon();
    }
}

/// The reader's questions go to the inner sink, with two exceptions: the inner sink's expectations
/// for a record do not hold outside of one.
macro_rules! lent {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(lent! { @ $method($($argument: $type),*) -> $result })*
    };
    (@ expected_key $($rest:tt)*) => {};
    (@ expected_name $($rest:tt)*) => {};
    (@ ignores_scalar $($rest:tt)*) => {};
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($argument: $type),*) -> $result {
            self.inner.$method($($argument),*)
        }
    };
}

impl<S: Listener> Lent for Select<S> {
    // The form of numbers and strings is asked for outside the records as well: the next value may
    // be a record. `Select` never answers `Watch` outside the records, so the sink is asked for
    // names only in a record.
    forward!(lent, lent);

    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.depth > 0 { self.inner.expected_key() } else { &[] }
    }
    #[inline(always)]
    fn expected_name(&self) -> &[u8] {
        if self.depth > 0 { self.inner.expected_name() } else { &[] }
    }
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        self.depth > 0 && self.inner.ignores_scalar()
    }
}

/// The reader looks ahead only in maps inside a record, because outside nobody answers `Look`.
macro_rules! looking {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(looking! { @ $how $method($($argument: $type),*) $(-> $result)? })*
    };
    // Written by hand: records may be rows.
    (@ mut known_keys $($rest:tt)*) => {};
    (@ mut row $($rest:tt)*) => {};
    (@ ref takes_rows $($rest:tt)*) => {};
    (@ mut rows $($rest:tt)*) => {};
    (@ mut tag_found($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn tag_found(&mut self, $($argument: $type),*) -> $result {
            self.inner.tag_found($($argument),*)
        }
    };
    (@ mut $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $method(&mut self, $($argument: $type),*) -> $result {
            let answer = self.inner.$method($($argument),*);
            self.looked(answer)
        }
    };
    (@ ref $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($argument: $type),*) -> $result {
            self.inner.$method($($argument),*)
        }
    };
}

impl<S: Listener> LookAhead for Select<S> {
    forward!(ahead, looking);

    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Self::Error> {
        self.shapes.retain(|shape| *shape != known.shape);
        if self.depth == 0 && !self.records_follow() {
            return Ok(RowsAs::Maps);
        }
        self.shapes.push(known.shape);
        self.inner.known_keys(known, wanted)
    }

    fn takes_rows(&self) -> bool {
        // Each record is counted, so those outside of any come one by one.
        self.depth > 0 && self.inner.takes_rows()
    }
    fn rows(&mut self, rows: &Rows<'_>) -> Result<(usize, Flow), Self::Error> {
        if self.depth == 0 {
            return Ok((0, Flow::Take));
        }
        self.inner.rows(rows)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Self::Error> {
        if row.is_new() {
            self.forwards_row = self.shapes.contains(&row.shape);
            if self.forwards_row && self.depth == 0 {
                match self.outer_begin(false, row.at) {
                    None => {}
                    Some(Flow::Skip) => {
                        row.take();
                        return Ok(Flow::Skip);
                    }
                    Some(_) => {
                        row.take_begin();
                        self.forwards_row = false;
                    }
                }
            }
            self.depth += usize::from(self.forwards_row);
        }
        if !self.forwards_row {
            return expand(self, row);
        }
        let flow = self.inner.row(row)?;
        let is_over = row.end.is_some() || flow == Flow::Skip;
        self.depth -= usize::from(row.is_done() && is_over);
        Ok(flow)
    }
}
