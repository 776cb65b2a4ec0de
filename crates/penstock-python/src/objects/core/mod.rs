//! What both sinks share: the stack of values, the containers under construction, and the code that
//! makes objects from them.
//!
//! [`Core`] knows what the coming value becomes, and puts each value in its place. It does not know
//! how a format names things: the sinks do, [`Keyed`](super::keyed::Keyed) and
//! [`Markup`](super::markup::Markup).
//!
//! A value goes to its place in steps, each of which calls the next:
//!
//! | method | in | does |
//! |---|---|---|
//! | `give_*` | `scalars.rs`, `lexical.rs` | makes an object of a scalar |
//! | `put_part` | `keyed/` | takes a container that is made |
//! | `put` | here | converts and checks, if the type asks for it |
//! | `store` | here | chooses by the current container |
//! | `put_field`, `put_column`, `put_rarely` | here | the place itself |
//! | `deliver` | here | the record is complete |
//!
//! Elements have a `put_in_markup` of their own instead of the second to the fifth.

pub(crate) mod caches;
mod finish;
pub(crate) mod frame;
mod keys;
pub(crate) mod lexical;
pub(crate) mod noted;
mod packed;
pub(crate) mod paths;
pub(crate) mod place;
pub(crate) mod problems;
pub(crate) mod raw;
pub(crate) mod readback;
pub(crate) mod refusal;
mod scalars;
mod separated;
pub(crate) mod stack;
pub(crate) mod standard;
mod tags;
pub(crate) mod text;
mod typed;

use self::caches::FieldCaches;
use self::frame::{Frame, FrameKind, ON_PATH};
use self::noted::{Noted, Noting};
use self::problems::Problems;
use self::refusal::Refusal;
use self::stack::Stack;
use self::text::new_str;
use super::keyed::shared::Shared;
use super::make::ring::Ring;
use super::make::shapes::Shapes;
use crate::plan::{
    Aim, ClassId, ClassPlan, KeyEdge, KeyHints, Kind, Lent, NOTED, NOTHING_LENT, Node, NodeId,
    Plan, State, element,
};
use penstock_core::event::Text;
use penstock_core::json::writer as json;
use penstock_core::limits::Limits;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Duplicates, Flow, Unknown};
use penstock_scan::{append, make_room};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::ptr::NonNull;

/// How to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) duplicates: Duplicates,
    pub(crate) unknown: Unknown,
    /// Whether to report every problem of a record.
    pub(crate) all_errors: bool,
    /// Whether to pause after each record.
    pub(crate) pause: bool,
    /// Whether to fill a row again once nobody holds it any more.
    pub(crate) recycle: bool,
    /// Whether messages suggest a known name for an unknown one. Comparing names takes longer than
    /// reading them, so nobody does it for records that are skipped without a message.
    pub(crate) suggest: bool,
    /// Whether no two columns of a table may have one name, although the class names none of them.
    pub(crate) distinct: bool,
}

/// Bytes that count for each container, and for each value in one: about what CPython takes for
/// them.
const CONTAINER: u64 = 64;
const VALUE: u64 = 32;

/// How many different unknown keys are counted one by one, and how many bytes they may have
/// together. The public documentation gives these numbers.
const MOST_UNKNOWN: usize = 1_000;
const MOST_UNKNOWN_BYTES: usize = 1 << 20;

/// Builds the values of one run, by a plan that it borrows. A [`Builder`](crate::drive::destination::Builder) keeps
/// both across calls.
pub(crate) struct Core<'p> {
    plan: &'p Plan,
    pub(crate) options: Options,
    pub(crate) stack: Stack,
    /// The containers around the current value, the root's own frame first.
    pub(crate) frames: Vec<Frame<'p>>,
    /// The last of `frames`. Each record enters and leaves containers, so a frame is written where
    /// it stays and never moved.
    top: NonNull<Frame<'p>>,
    /// The keys of the current map, if it holds fields.
    pub(crate) edges: &'p [KeyEdge],
    /// The keys lent to the reader, if any.
    pub(crate) lends: Option<&'p KeyHints>,
    /// The keys of `edges` as they stand in the text.
    pub(crate) lent: &'p Lent,
    /// The aims of the fields of the current class.
    pub(crate) aims: &'p [Aim],
    pub(crate) caches: FieldCaches,
    /// The index of the first cache of each class.
    cache_base: Vec<usize>,
    pub(crate) ring: Ring,
    pub(crate) shapes: Shapes,
    /// The key or index by which a path's `*` found the record, if its class asks for it.
    pub(crate) matched: Option<PathStep>,
    /// Finished records, oldest first.
    rows: Stack,
    unknown: BTreeMap<String, u64>,
    /// How many more bytes of their names are kept.
    unknown_left: usize,
    /// The keys of each open dict, kept only where duplicates are errors.
    pub(crate) seen_keys: Vec<HashSet<Box<str>>>,
    /// Where the current container or key begins, for values made from a key or an index.
    pub(crate) at: u64,
    /// Keys that lead on and have an index beyond the 64 bits of a frame, with the depth of their
    /// frame.
    pub(crate) seen_beyond: Vec<(usize, usize)>,
    /// The keys of the containers on the path to fields, by depth.
    pub(crate) path_keys: Vec<String>,
    /// True if the current value is an attribute's.
    pub(crate) attribute: bool,
    /// A number in a form that the user declared, written again. Kept for its memory only.
    room: Vec<u8>,
    /// The most digits of a number in text (`limits.number`).
    pub(crate) number: usize,
    /// Writes the values that stay text.
    json: Option<Box<json::Writer>>,
    /// `limits.memory`
    pub(crate) memory: Option<u64>,
    /// About how many bytes the objects take that were made since the last record was taken: the
    /// text of strings and numbers, and the containers. Counting costs an addition for each.
    pub(crate) weight: u64,
    /// The problems of the current record, if all of them are to be reported.
    pub(crate) problems: Problems,
    /// Where values stand that may be refused after they were made. The last one of a slot counts.
    pub(crate) noted: Vec<Noted>,
    /// The plain value under construction, if its parts are among them.
    pub(crate) noting: Option<Noting>,
    /// The containers of the record to which the document refers more than once.
    pub(crate) shared: Option<Box<Shared>>,
    /// The member of a union that took the last value of one.
    pub(crate) fitted: NodeId,
}

// SAFETY: the only pointer in here is `top`, into the vector beside it. Everything else may be
// sent: the plan may be shared, and owned references to Python objects are not bound to a thread.
unsafe impl Send for Core<'_> {}

/// What a sink's method answers.
pub(crate) type Answer = Result<Flow, Refusal>;

impl<'p> Core<'p> {
    /// A builder for values of a plan's type.
    pub(crate) fn new(plan: &'p Plan, options: Options) -> Self {
        let mut caches = 0;
        let mut cache_base = Vec::with_capacity(plan.classes.len());
        for class in &plan.classes {
            cache_base.push(caches);
            caches += class.fields.len();
        }
        Core { caches: FieldCaches::new(caches), cache_base, ..Core::of_scalars(plan, options) }
    }

    /// A builder that makes no objects of classes.
    fn of_scalars(plan: &'p Plan, options: Options) -> Self {
        let root = plan.root;
        let aim = &plan.aims[root as usize];
        let mut frames = Vec::with_capacity(8);
        frames.push(Frame::new(FrameKind::Root, root, aim, 0));
        // SAFETY: the vector has a buffer, which stays where it is when the vector is moved.
        let top = unsafe { NonNull::new_unchecked(frames.as_mut_ptr()) };
        Core {
            plan,
            options,
            stack: Stack::default(),
            top,
            frames,
            edges: &[],
            lends: None,
            lent: &NOTHING_LENT,
            aims: &[],
            caches: FieldCaches::new(0),
            cache_base: Vec::new(),
            ring: Ring::default(),
            shapes: Shapes::default(),
            matched: None,
            rows: Stack::default(),
            unknown: BTreeMap::new(),
            unknown_left: MOST_UNKNOWN_BYTES,
            seen_keys: Vec::new(),
            at: 0,
            seen_beyond: Vec::new(),
            path_keys: Vec::new(),
            attribute: false,
            room: Vec::new(),
            number: Limits::default().number,
            json: None,
            memory: None,
            weight: 0,
            problems: Problems::default(),
            noted: Vec::new(),
            noting: None,
            shared: None,
            fitted: root,
        }
    }

    /// Shows the values at hand to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.stack.traverse(visit)?;
        self.ring.traverse(visit)?;
        self.shared.iter().try_for_each(|shared| shared.traverse(visit))?;
        self.rows.traverse(visit)
    }

    /// The finished records, which the caller takes over.
    pub(crate) fn take_rows(&mut self) -> Vec<Py<PyAny>> {
        self.weight = 0;
        std::mem::take(&mut self.rows).into_values(self.attached())
    }

    /// The finished record, for drivers that take one at a time.
    #[inline]
    pub(crate) fn take_row(&mut self) -> Option<Py<PyAny>> {
        self.weight = 0;
        self.rows.pop(self.attached())
    }

    /// How many finished records are waiting.
    pub(crate) fn ready(&self) -> usize {
        self.rows.len()
    }

    /// Counts the container that is made of the values on the stack from a place on.
    #[inline(always)]
    pub(crate) fn weigh(&mut self, base: usize) {
        self.weigh_values(self.stack.len() - base);
    }

    /// Counts a container of so many values.
    #[inline(always)]
    pub(crate) fn weigh_values(&mut self, count: usize) {
        self.weight += CONTAINER + VALUE * count as u64;
    }

    /// `limits.memory`, if the objects take more.
    #[inline]
    pub(crate) fn over_memory(&self) -> Option<u64> {
        let most = self.memory?;
        let loose = (self.stack.len() + self.rows.len()) as u64;
        (self.weight + VALUE * loose > most).then_some(most)
    }

    /// From now on no two columns of a table may have one name.
    pub(crate) fn set_distinct(&mut self) {
        self.options.distinct = true;
    }

    /// Sets whether rows may be filled again.
    pub(crate) fn set_recycling(&mut self, recycle: bool) {
        self.options.recycle = recycle;
    }

    /// The keys that no class named, with the number of times each occurred.
    pub(crate) fn unknown(&self) -> &BTreeMap<String, u64> {
        &self.unknown
    }

    /// Forgets the record under construction.
    pub(crate) fn abandon(&mut self) {
        self.stack.release_from(self.attached(), 0);
        self.weight = 0;
        self.seen_keys.clear();
        self.seen_beyond.clear();
        self.problems = Problems::default();
        self.noted.clear();
        self.noting = None;
        self.shared = None;
        self.frames.truncate(1);
        self.frames_changed();
        self.forget_class();
        self.top_mut().spoiled = false;
    }

    /// Sets the kind of the next record, where several kinds are read at once.
    pub(crate) fn expect_kind(&mut self, kind: u32) {
        let Some(&node) = self.plan.kinds.get(kind as usize) else { return };
        let aim = self.aim_of(node);
        (self.top_mut().node, self.top_mut().aim) = (node, aim);
    }

    /// The interpreter's token, as long as the plan is borrowed.
    #[inline(always)]
    pub(crate) fn attached(&self) -> Python<'p> {
        // SAFETY: events reach a builder only through a run. Every entry of a run is given the
        // token and keeps it while the reader runs.
        unsafe { Python::assume_attached() }
    }

    /// The plan.
    #[inline(always)]
    pub(crate) fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Whether the plan is for markup.
    pub(crate) fn is_markup(&self) -> bool {
        self.plan().form.has_elements()
    }

    /// What the coming value becomes.
    #[inline(always)]
    pub(crate) fn aim(&self) -> &'p Aim {
        self.top().aim
    }

    /// The node of the coming value.
    #[inline(always)]
    pub(crate) fn item(&self) -> &'p Node {
        &self.plan.nodes[self.aim().node as usize]
    }

    /// The class whose fields the current container holds.
    #[inline(always)]
    pub(crate) fn class(&self) -> &'p ClassPlan {
        &self.plan.classes[self.top().class as usize]
    }

    #[inline(always)]
    pub(crate) fn state(&self) -> &'p State {
        &self.class().states[self.top().state as usize]
    }

    /// The aim of a value that becomes this node and is for no field.
    #[inline(always)]
    pub(crate) fn aim_of(&self, node: NodeId) -> &'p Aim {
        &self.plan.aims[node as usize]
    }

    /// Aims the coming value at a field of the current class.
    #[inline(always)]
    pub(crate) fn aim_at(&mut self, field: u32) {
        self.top_mut().aim = &self.aims[field as usize];
    }

    /// The current container.
    #[inline(always)]
    pub(crate) fn top(&self) -> &Frame<'p> {
        // SAFETY: always the last of `frames`, which is never empty: see `frames_changed`.
        unsafe { self.top.as_ref() }
    }

    #[inline(always)]
    pub(crate) fn top_mut(&mut self) -> &mut Frame<'p> {
        // SAFETY: as above.
        unsafe { self.top.as_mut() }
    }

    /// Must be called after each change of `frames`.
    #[inline(always)]
    fn frames_changed(&mut self) {
        let last = self.frames.len() - 1;
        // SAFETY: the root's frame is never removed, so `last` is an index of the vector. The
        // pointer comes from the vector's own, so that a later read of the vector does not
        // invalidate it.
        self.top = unsafe { NonNull::new_unchecked(self.frames.as_mut_ptr().add(last)) };
    }

    /// No keys are within reach.
    #[inline(always)]
    fn forget_class(&mut self) {
        self.edges = &[];
        self.lent = &NOTHING_LENT;
    }

    #[inline(always)]
    pub(crate) fn push_frame(&mut self, frame: Frame<'p>) {
        append(&mut self.frames, frame);
        self.frames_changed();
        self.forget_class();
    }

    /// Enters the map, element or row of a class.
    #[inline(always)]
    pub(crate) fn push_class(&mut self, frame: Frame<'p>) {
        append(&mut self.frames, frame);
        self.frames_changed();
        self.at_class();
    }

    /// Puts the keys and fields of the current map within reach.
    #[inline(always)]
    pub(crate) fn at_class(&mut self) {
        let class = self.class();
        self.aims = &class.aims;
        if matches!(self.top().kind, FrameKind::Class | FrameKind::PathMap) {
            let state = &class.states[self.top().state as usize];
            self.edges = &state.keys;
            self.lent = self.lends.map_or(&NOTHING_LENT, |lends| lends.keys(state));
        } else {
            self.forget_class();
        }
    }

    /// Leaves the current container for the one around it.
    #[inline(always)]
    pub(crate) fn pop_frame(&mut self) {
        self.frames.truncate(self.frames.len() - 1);
        self.frames_changed();
        if !self.seen_beyond.is_empty() {
            let depth = self.frames.len();
            self.seen_beyond.retain(|(of, _)| *of <= depth);
        }
        if self.top().kind.has_fields() {
            self.at_class();
        } else {
            self.forget_class();
        }
    }

    /// Aims the coming value at the field at the next position of a named tuple.
    #[inline(always)]
    pub(crate) fn aim_at_column(&mut self) {
        let aim = self.aims.get(self.top().index as usize).unwrap_or(&ON_PATH);
        self.top_mut().aim = aim;
    }

    /// What happens with a key that the current class does not name.
    pub(crate) fn unknown_in_class(&self) -> Unknown {
        if self.class().forbids_unknown { Unknown::Error } else { self.options.unknown }
    }

    /// Counts a name that no class has, of which these are the parts.
    pub(crate) fn count_unknown(&mut self, parts: &[&str]) {
        let length = parts.iter().map(|part| part.len()).sum();
        let mut name = String::new();
        if length <= MOST_UNKNOWN_BYTES {
            make_room(&mut name, length);
            name.extend(parts.iter().copied());
        }
        if let Some(count) = self.unknown.get_mut(&name) {
            *count += 1;
        } else if self.unknown.len() < MOST_UNKNOWN && length <= self.unknown_left {
            self.unknown_left -= length;
            self.unknown.insert(name, 1);
        } else {
            *self.unknown.entry("...".to_owned()).or_default() += 1;
        }
    }

    /// Converts and checks a new value if its type asks for it, and puts it in its place. Takes
    /// over the reference.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        if self.aim().finishes {
            let value = self.finish_noted(value, at)?;
            return self.store(value, at);
        }
        self.store(value, at)
    }

    /// Puts a finished value in its place. Takes over the reference.
    #[inline(always)]
    pub(crate) fn store(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        // Most values are for a class, so that is asked first: the `match` below is a jump table.
        if self.top().kind == FrameKind::Class {
            return self.put_field(value, at);
        }
        match self.top().kind {
            FrameKind::PlainDict | FrameKind::PlainList | FrameKind::Dict | FrameKind::List => {
                self.stack.push(value);
                Ok(Flow::Take)
            }
            FrameKind::Root => self.deliver(value),
            FrameKind::Row => self.put_column(value, at),
            _ => self.put_rarely(value, at),
        }
    }

    /// Puts a value into a field.
    #[inline(always)]
    fn put_field(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        let aim = self.aim();
        if aim.gathers {
            return self.gather(value, at);
        }
        let place = self.top().slots + aim.field as usize;
        let old = self.stack.replace(place, value);
        if !old.is_null() {
            // SAFETY: the stack gave its reference to us.
            unsafe { drop(Bound::from_owned_ptr(self.attached(), old)) };
        }
        Ok(Flow::Take)
    }

    /// Puts a value at the next position of a named tuple.
    #[inline(always)]
    fn put_column(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        let answer = self.put_field(value, at)?;
        self.top_mut().index += 1;
        self.aim_at_column();
        Ok(answer)
    }

    #[inline(never)]
    fn put_rarely(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        match self.top().kind {
            FrameKind::Tuple => {
                self.stack.push(value);
                self.expect_position();
                Ok(Flow::Take)
            }
            FrameKind::Gathered => {
                let answer = self.gather(value, at)?;
                self.top_mut().index += 1;
                Ok(answer)
            }
            FrameKind::Numbers => self.add_number(value),
            FrameKind::PathMap => self.put_field(value, at),
            FrameKind::Union => self.begin_fields(value, at),
            FrameKind::PathList => {
                let answer = self.put_field(value, at)?;
                self.next_element()?;
                Ok(answer)
            }
            _ => self.store(value, at),
        }
    }

    /// Aims at the coming element of a tuple of a fixed length.
    pub(crate) fn expect_position(&mut self) {
        if let Kind::Tuple(items) = &self.plan().nodes[self.top().node as usize].kind {
            let item = items.get(self.stack.len() - self.top().base);
            let is_noted = self.top().aim.field == NOTED;
            self.top_mut().aim = match item {
                Some(&item) if is_noted => &self.plan().noted_aims[item as usize],
                Some(&item) => self.aim_of(item),
                None => &ON_PATH,
            };
        }
    }

    /// Appends a complete record to the rows.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, value: *mut ffi::PyObject) -> Answer {
        self.rows.push(value);
        Ok(if self.options.pause { Flow::Pause } else { Flow::Take })
    }

    /// The index of the current field's cache.
    #[inline(always)]
    pub(crate) fn cache(&self) -> Option<usize> {
        let of_fields = matches!(
            self.top().kind,
            FrameKind::Class | FrameKind::Row | FrameKind::Element | FrameKind::Wrapper
        );
        of_fields.then(|| self.field_cache())
    }

    /// The index of the cache of the current class's first field.
    #[inline(always)]
    pub(crate) fn first_cache(&self) -> usize {
        self.cache_base[self.top().class as usize]
    }

    /// The same of another class.
    #[inline(always)]
    pub(crate) fn first_cache_of(&self, class: ClassId) -> usize {
        self.cache_base[class as usize]
    }

    #[inline(always)]
    pub(crate) fn field_cache(&self) -> usize {
        self.cache_base[self.top().class as usize] + self.aim().field as usize
    }

    /// The exception that the interpreter has just set, as a refusal.
    #[cold]
    #[inline(never)]
    pub(crate) fn raised(&self) -> Refusal {
        PyErr::fetch(self.attached()).into()
    }

    /// Whether a field takes any number of values.
    pub(crate) fn collects(&self, field: u32) -> bool {
        let field = &self.class().fields[field as usize];
        field.keyed.is_some()
            || (field.gathers && element(&self.plan().nodes, field.node).is_some())
    }

    /// `None`: a new reference.
    pub(crate) fn new_none(&self) -> *mut ffi::PyObject {
        self.attached().None().into_ptr()
    }

    /// Puts a key of a `dict[K, V]` on the stack.
    pub(crate) fn push_dict_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        let Kind::Dict(keys, _) = self.plan().nodes[self.top().node as usize].kind else {
            return Ok(Flow::Skip);
        };
        let py = self.attached();
        let node = &self.plan().nodes[keys as usize];
        let object = match &node.kind {
            Kind::Str | Kind::Any if node.after.is_none() => {
                // The outermost dict's keys occur once, so a cache would not help.
                if self.frames.len() == 2 { new_str(py, key) } else { caches::key(py, key) }
            }
            Kind::Int if node.after.is_none() => self.int_key(keys, key, at)?,
            _ => self.typed_key(keys, key, at)?,
        };
        if object.is_null() {
            return Err(self.raised());
        }
        self.stack.push(object);
        Ok(Flow::Take)
    }
}
