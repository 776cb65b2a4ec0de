//! The sink that builds Python objects by a plan.

use super::caches::{self, FieldCaches};
use super::elements::Markup;
use super::frame::{Frame, FrameKind, WAY};
use super::make::{self, Ring};
use super::order::Order;
use super::place::brief;
use super::problems::Problems;
use super::refusal::{PathStep, Refusal};
use super::stack::Stack;
use super::text::new_str;
use crate::plan::{
    Aim, Brief, ClassId, ClassPlan, KeyEdge, Kind, Node, NodeId, PLAIN, Plan, State, Target,
};
use penstock_core::event::{Key, KeyKind, Matched, Scalar, Text};
use penstock_core::near::nearest;
use penstock_core::sink::{Flow, Lent, Look, LookAhead, Sink, Want};
use pyo3::ffi;
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::ptr::NonNull;
use std::sync::Arc;

/// What a second value for the same key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// The last one counts.
    Last,
    /// The first one counts.
    First,
    /// The record is in error.
    Error,
}

/// What a key that the class does not name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It is passed over.
    Skip,
    /// The record is in error.
    Error,
    /// It is passed over and counted.
    Collect,
}

/// How to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) duplicates: Duplicates,
    pub(crate) unknown: Unknown,
    /// Whether to tell of all that is wrong with a record.
    pub(crate) all_errors: bool,
    /// Whether to pause after each record.
    pub(crate) pause: bool,
    /// Whether a row that nobody holds any more may be filled again.
    pub(crate) recycle: bool,
}

/// How many different unknown keys are counted one by one.
const MOST_UNKNOWN: usize = 1_000;

/// Builds the values of one run.
pub(crate) struct Builder {
    pub(super) plan: Arc<Plan>,
    pub(super) options: Options,
    pub(super) stack: Stack,
    /// The containers around the value at hand, the root's own frame first.
    pub(super) frames: Vec<Frame>,
    /// The last of them. Containers are entered and left for each record, so a frame is written
    /// where it stays and never moved.
    top: NonNull<Frame>,
    /// The keys of the map at hand, if it is one of fields: part of the plan.
    edges: NonNull<[KeyEdge]>,
    /// The aims of the fields of the class at hand: part of the plan.
    aims: NonNull<[Aim]>,
    /// Which key followed which, once a document proves to have an order of its own.
    pub(super) order: Option<Box<Order>>,
    pub(super) caches: FieldCaches,
    /// The first cache of each class.
    cache_base: Vec<usize>,
    pub(super) ring: Ring,
    /// The key or index by which a path's `*` found the record, where its class asks for it.
    pub(super) matched: Option<Py<PyAny>>,
    /// Finished records, oldest first.
    rows: Vec<Py<PyAny>>,
    unknown: BTreeMap<String, u64>,
    /// The keys of each open dict, kept only where duplicates are errors.
    pub(super) seen_keys: Vec<HashSet<Box<str>>>,
    /// Where the container or key at hand begins, for values that are made of a key or an index.
    pub(super) at: u64,
    /// Keys that lead on, met beyond the 64 that a frame can mark: with the depth of their frame.
    pub(super) seen_beyond: Vec<(usize, usize)>,
    /// The keys by which the containers on the way to fields were found, by depth.
    pub(super) way_keys: Vec<String>,
    pub(super) markup: Markup,
    /// What is wrong with the record at hand, where all of it is to be told.
    pub(super) problems: Problems,
}

// SAFETY: all pointers in here are to the plan's own memory, kept alive by the `Arc`, or owned
// references, which are not bound to a thread. The builder is only driven by code that holds the
// interpreter's token (see `attached`).
unsafe impl Send for Builder {}

/// What a sink's method answers.
pub(super) type Answer = Result<Flow, Refusal>;

impl Builder {
    /// A builder for values of a plan's type.
    pub(crate) fn new(plan: Arc<Plan>, options: Options) -> Self {
        let mut caches = 0;
        let mut cache_base = Vec::with_capacity(plan.classes.len());
        for class in &plan.classes {
            cache_base.push(caches);
            caches += class.fields.len();
        }
        let root = plan.root;
        let aim = NonNull::from(&plan.aims[root as usize]);
        let mut frames = Vec::with_capacity(8);
        frames.push(Frame::new(FrameKind::Root, root, aim, 0));
        // SAFETY: the vector has a buffer, which stays where it is when the vector is moved.
        let top = unsafe { NonNull::new_unchecked(frames.as_mut_ptr()) };
        let mut builder = Builder {
            options,
            stack: Stack::default(),
            top,
            frames,
            edges: NonNull::from(&[]),
            aims: NonNull::from(&[]),
            order: None,
            caches: FieldCaches::new(caches),
            cache_base,
            ring: Ring::default(),
            matched: None,
            rows: Vec::new(),
            unknown: BTreeMap::new(),
            seen_keys: Vec::new(),
            at: 0,
            seen_beyond: Vec::new(),
            way_keys: Vec::new(),
            markup: Markup::default(),
            problems: Problems::default(),
            plan,
        };
        builder.settle_markup();
        builder
    }

    /// What it builds by.
    #[inline]
    pub(crate) fn planned(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The finished records, which the caller takes over.
    pub(crate) fn take_rows(&mut self) -> Vec<Py<PyAny>> {
        std::mem::take(&mut self.rows)
    }

    /// A finished record, where one at a time is finished.
    #[inline]
    pub(crate) fn take_row(&mut self) -> Option<Py<PyAny>> {
        self.rows.pop()
    }

    /// How many finished records are waiting.
    pub(crate) fn ready(&self) -> usize {
        self.rows.len()
    }

    /// Changes whether rows may be used again.
    pub(crate) fn set_recycling(&mut self, recycle: bool) {
        self.options.recycle = recycle;
    }

    /// The keys that no class named, with how often each was met.
    pub(crate) fn unknown(&self) -> &BTreeMap<String, u64> {
        &self.unknown
    }

    /// The interpreter's token.
    #[inline(always)]
    pub(super) fn attached<'py>(&self) -> Python<'py> {
        // SAFETY: the sink's methods are reached only through the pump, whose every entry is
        // given the token and keeps it while the reader runs.
        unsafe { Python::assume_attached() }
    }

    /// The plan, for as long as the caller likes within a call.
    #[inline(always)]
    pub(super) fn plan<'a>(&self) -> &'a Plan {
        // SAFETY: `self.plan` is never replaced, so what it points to lives as long as `self`,
        // and no method lets such a reference out of its call.
        unsafe { &*Arc::as_ptr(&self.plan) }
    }

    /// What the coming value is to become.
    #[inline(always)]
    pub(super) fn aim<'a>(&self) -> &'a Aim {
        // SAFETY: aims point into the plan, which `self` keeps alive, or to `WAY`.
        unsafe { self.top().aim.as_ref() }
    }

    /// The node of the coming value.
    #[inline(always)]
    pub(super) fn item<'a>(&self) -> &'a Node {
        &self.plan().nodes[self.aim().node as usize]
    }

    /// The class whose fields the container at hand holds.
    #[inline(always)]
    pub(super) fn class<'a>(&self) -> &'a ClassPlan {
        &self.plan().classes[self.top().class as usize]
    }

    #[inline(always)]
    pub(super) fn state<'a>(&self) -> &'a State {
        &self.class().states[self.top().state as usize]
    }

    /// The aim of a value that becomes a node and is for no field.
    #[inline(always)]
    pub(super) fn aim_of(&self, node: NodeId) -> NonNull<Aim> {
        NonNull::from(&self.plan().aims[node as usize])
    }

    /// The coming value is for a field of the class at hand.
    #[inline(always)]
    pub(super) fn aim_at(&mut self, field: u32) {
        // SAFETY: points into the plan, which `self` keeps alive.
        let aims = unsafe { self.aims.as_ref() };
        self.top_mut().aim = NonNull::from(&aims[field as usize]);
    }

    /// The container at hand.
    #[inline(always)]
    pub(super) fn top(&self) -> &Frame {
        // SAFETY: always the last of `frames`, which is never empty: see `frames_changed`.
        unsafe { self.top.as_ref() }
    }

    #[inline(always)]
    pub(super) fn top_mut(&mut self) -> &mut Frame {
        // SAFETY: as above.
        unsafe { self.top.as_mut() }
    }

    /// To be called after each change of `frames`.
    #[inline(always)]
    fn frames_changed(&mut self) {
        let last = self.frames.len() - 1;
        // SAFETY: the root's frame is never removed, so `last` is an index of the vector. Through its
        // own pointer, so that reading the vector later does not end what this one may do.
        self.top = unsafe { NonNull::new_unchecked(self.frames.as_mut_ptr().add(last)) };
        self.edges = NonNull::from(&[]);
    }

    #[inline(always)]
    pub(super) fn push_frame(&mut self, frame: Frame) {
        self.frames.push(frame);
        self.frames_changed();
    }

    /// Has the keys and fields of the map at hand within reach.
    #[inline(always)]
    pub(super) fn at_class(&mut self) {
        let class = self.class();
        self.aims = NonNull::from(&*class.aims);
        if matches!(self.top().kind, FrameKind::Class | FrameKind::WayMap) {
            self.edges = NonNull::from(&*class.states[self.top().state as usize].keys);
        }
    }

    /// Leaves the container at hand for the one around it.
    #[inline(always)]
    pub(super) fn pop_frame(&mut self) {
        self.frames.truncate(self.frames.len() - 1);
        self.frames_changed();
        if !self.seen_beyond.is_empty() {
            let depth = self.frames.len();
            self.seen_beyond.retain(|(of, _)| *of <= depth);
        }
        if self.top().kind.has_fields() {
            self.at_class();
        }
    }

    /// Enters the object of a class: its map, or for a named tuple its array.
    #[inline(always)]
    pub(super) fn enter_class(
        &mut self,
        class: ClassId,
        node: NodeId,
        row: bool,
        at: u64,
    ) -> Answer {
        let plan = &self.plan().classes[class as usize];
        let base = self.stack.len();
        self.stack.push_empty(plan.fields.len());
        let kind = if row { FrameKind::Row } else { FrameKind::Class };
        let aim = self.top().aim;
        let mut frame = Frame::new(kind, node, aim, base);
        frame.class = class;
        self.push_frame(frame);
        self.at_class();
        if !plan.takes_key.is_empty() {
            self.at = at;
            self.give_key(&plan.takes_key)?;
        }
        if row {
            self.aim_at_column();
        } else if self.order.is_some() {
            self.top_mut().next = self.first_key();
        }
        Ok(Flow::Take)
    }

    /// The map at hand, whose class was not known, is of this one. As if it were just
    /// [entered](Self::enter_class), for a class that takes no key.
    #[inline(always)]
    pub(super) fn become_class(&mut self, class: ClassId) {
        self.stack.push_empty(self.plan().classes[class as usize].fields.len());
        (self.top_mut().kind, self.top_mut().class) = (FrameKind::Class, class);
        self.at_class();
        if self.order.is_some() {
            self.top_mut().next = self.first_key();
        }
    }

    /// The coming value is for the field at the next position of a named tuple.
    #[inline(always)]
    pub(super) fn aim_at_column(&mut self) {
        // SAFETY: points into the plan, which `self` keeps alive.
        let aims = unsafe { self.aims.as_ref() };
        let aim = aims.get(self.top().index as usize).unwrap_or(&WAY);
        self.top_mut().aim = NonNull::from(aim);
    }

    /// What a known key leads to.
    #[inline(always)]
    fn follow(&mut self, key: usize, at: u64) -> Answer {
        // SAFETY: points into the plan, which `self` keeps alive.
        let edges = unsafe { self.edges.as_ref() };
        match edges[key].to {
            Target::Field(aim) => {
                self.aim_at(aim);
                if self.options.duplicates != Duplicates::Last {
                    return self.follow_once(at);
                }
                Ok(Flow::Take)
            }
            Target::State(state) => self.follow_way(key, state, at),
        }
    }

    /// A key of a field, where a second one is not simply the one that counts.
    #[inline(never)]
    fn follow_once(&mut self, at: u64) -> Answer {
        let field = self.aim().field;
        let filled = !self.stack.get(self.top().slots + field as usize).is_null();
        if filled && !self.aim().gathers {
            let name = &self.class().fields[field as usize].key;
            return self.again(name, at);
        }
        Ok(Flow::Take)
    }

    /// A key came again, where that is not simply the last one counting.
    #[cold]
    #[inline(never)]
    pub(super) fn again(&mut self, name: &str, at: u64) -> Answer {
        if self.options.duplicates == Duplicates::First {
            return Ok(Flow::Skip);
        }
        let reason = format!("the key {} occurs more than once", brief(name));
        Err(self.mismatch(at, reason, None, None))
    }

    /// A key that the class does not name.
    #[inline(never)]
    fn unknown_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        self.remember_way_key(key.text.as_str());
        if let Some(rest) = self.class().rest {
            return self.key_of_rest(rest, key, at);
        }
        match self.unknown_in_class() {
            Unknown::Skip => Ok(Flow::Skip),
            _ if self.says_class(key.bytes()) => Ok(Flow::Skip),
            Unknown::Error => {
                let name = key.text.as_str();
                let class = &self.class().name;
                let near = nearest(name, self.state().keys.iter().map(|edge| &*edge.name));
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                let reason = format!("{class} has no field for the key {}{near}", brief(name));
                Err(self.mismatch(at, reason, None, None))
            }
            Unknown::Collect => {
                self.count_unknown(format!("{}.{}", self.class().name, key.text.as_str()));
                Ok(Flow::Skip)
            }
        }
    }

    /// What a key that the class at hand does not name means.
    pub(super) fn unknown_in_class(&self) -> Unknown {
        if self.class().forbids_unknown { Unknown::Error } else { self.options.unknown }
    }

    /// A key that the class does not name, and takes nevertheless.
    fn key_of_rest(&mut self, rest: u32, key: Text<'_>, at: u64) -> Answer {
        let object = caches::key(self.attached(), key);
        if object.is_null() {
            return Err(self.raised());
        }
        self.aim_at(rest);
        self.gather(object, at)
    }

    /// One more of what no class named.
    pub(super) fn count_unknown(&mut self, name: String) {
        if let Some(count) = self.unknown.get_mut(&name) {
            *count += 1;
        } else if self.unknown.len() < MOST_UNKNOWN {
            self.unknown.insert(name, 1);
        } else {
            *self.unknown.entry("...".to_owned()).or_default() += 1;
        }
    }

    /// A value is made: does with it what is to be done, and puts it where it belongs. Takes over
    /// the reference.
    #[inline(always)]
    pub(super) fn put(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        if self.aim().finishes {
            let value = self.finish(self.aim().node, value, at)?;
            return self.store(value, at);
        }
        self.store(value, at)
    }

    /// A container of this node is made, and left: puts it where it belongs.
    #[inline(always)]
    fn put_part(&mut self, node: NodeId, value: *mut ffi::PyObject, at: u64) -> Answer {
        // A member of a union has an end of its own.
        let value = if node == self.aim().node { value } else { self.finish(node, value, at)? };
        self.put(value, at)
    }

    /// Puts a finished value where it belongs. Takes over the reference.
    #[inline(always)]
    pub(super) fn store(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        // What most values are for is asked first: a table of all kinds would be jumped through.
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
            FrameKind::WayMap => self.put_field(value, at),
            FrameKind::WayList => {
                let answer = self.put_field(value, at)?;
                self.next_element()?;
                Ok(answer)
            }
            _ => self.store(value, at),
        }
    }

    /// The coming element of a tuple of a fixed length.
    pub(super) fn expect_position(&mut self) {
        if let Kind::Tuple(items) = &self.plan().nodes[self.top().node as usize].kind {
            let item = items.get(self.stack.len() - self.top().base);
            self.top_mut().aim = item.map_or(NonNull::from(&WAY), |&item| self.aim_of(item));
        }
    }

    /// A record is complete.
    #[inline(always)]
    pub(super) fn deliver(&mut self, value: *mut ffi::PyObject) -> Answer {
        // SAFETY: the reference is handed over to us.
        self.rows.push(unsafe { Bound::from_owned_ptr(self.attached(), value) }.unbind());
        Ok(if self.options.pause { Flow::Pause } else { Flow::Take })
    }

    /// The place of the cache for the field at hand.
    #[inline(always)]
    pub(super) fn cache(&self) -> Option<usize> {
        let of_fields = matches!(
            self.top().kind,
            FrameKind::Class | FrameKind::Row | FrameKind::Element | FrameKind::Wrapper
        );
        of_fields.then(|| self.field_cache())
    }

    #[inline(always)]
    pub(super) fn field_cache(&self) -> usize {
        self.cache_base[self.top().class as usize] + self.aim().field as usize
    }
}

impl Sink for Builder {
    type Error = Refusal;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        let aim = self.aim();
        let answer = match aim.brief {
            Brief::Any => self.begin_dict(FrameKind::PlainDict, aim.node, self.top().aim),
            Brief::Other => match self.item().kind {
                Kind::Class(class) => self.enter_class(class, aim.node, false, at),
                Kind::Tagged(_) => self.look(aim.node),
                _ => self.begin_other_map(aim.node, at),
            },
            Brief::Way => self.begin_way_map(at),
            Brief::Markup => self.begin_element(at),
            _ => Err(self.misfit(at, "an object")),
        };
        self.begun(answer)
    }

    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        let made = match self.top().kind {
            FrameKind::Class => make::object(self, at),
            FrameKind::PlainDict | FrameKind::Dict => make::dict(self, at),
            FrameKind::WayMap => return self.end_way(),
            _ => return self.end_element(at),
        };
        self.end_part(made, at)
    }

    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        let aim = self.aim();
        let answer = match aim.brief {
            Brief::Any => {
                let element = self.top().aim;
                self.push_frame(Frame::new(
                    FrameKind::PlainList,
                    aim.node,
                    element,
                    self.stack.len(),
                ));
                Ok(Flow::Take)
            }
            Brief::Way => self.begin_way_list(at),
            _ if aim.gathers && self.gathers_elements() => self.begin_gathered(),
            _ => match self.item().kind {
                Kind::Class(class) => self.begin_row(class, aim.node, at),
                _ => self.begin_list_of(aim.node, at),
            },
        };
        self.begun(answer)
    }

    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer {
        let made = match self.top().kind {
            FrameKind::PlainList | FrameKind::List | FrameKind::Tuple => make::list(self, at),
            FrameKind::Row => make::object(self, at),
            _ => return self.end_way(),
        };
        self.end_part(made, at)
    }

    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Answer {
        let answer = match self.top().kind {
            FrameKind::PlainDict => self.plain_key(key, at),
            FrameKind::Dict => self.dict_key(key, at),
            _ => self.field_key(key, at),
        };
        self.keyed(answer)
    }

    #[inline]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        match key.kind {
            KeyKind::Member => self.key(key.name, at),
            KeyKind::Element => {
                let answer = self.element(key, at);
                self.keyed(answer)
            }
            KeyKind::Attribute => {
                let answer = self.attribute(key, at);
                self.keyed(answer)
            }
        }
    }

    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        let answer = self.give_scalar(value, at);
        self.valued(answer)
    }

    #[inline]
    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.add_text(text, at)
    }

    fn abandon(&mut self) {
        self.stack.release_from(self.attached(), 0);
        self.seen_keys.clear();
        self.seen_beyond.clear();
        self.markup.clear();
        self.problems = Problems::default();
        self.frames.truncate(1);
        self.frames_changed();
        self.top_mut().spoiled = false;
    }

    fn matched(&mut self, by: Matched<'_>) {
        self.record_matched(by);
    }

    fn record(&mut self, kind: u32) {
        let Some(&node) = self.plan().kinds.get(kind as usize) else { return };
        let aim = self.aim_of(node);
        (self.top_mut().node, self.top_mut().aim) = (node, aim);
    }

    #[inline(always)]
    fn null(&mut self, at: u64) -> Answer {
        let answer = self.give_null(at);
        self.valued(answer)
    }

    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Answer {
        let answer = self.give_bool(value, at);
        self.valued(answer)
    }

    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Answer {
        let answer = self.give_int(value, at);
        self.valued(answer)
    }

    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Answer {
        let answer = self.give_float(value, at);
        self.valued(answer)
    }

    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Answer {
        let answer = self.give_number(digits, at);
        self.valued(answer)
    }

    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Answer {
        let answer = self.give_text(text, at);
        self.valued(answer)
    }

    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Answer {
        let key = self.top().next;
        self.found_key(key);
        let answer = self.follow(key as usize, at);
        self.keyed(answer)
    }
}

impl Lent for Builder {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        // SAFETY: points into the plan, which `self` keeps alive, or to a constant.
        let edges = unsafe { self.edges.as_ref() };
        edges.get(self.top().next as usize).map_or(&[], |edge| &edge.quoted)
    }

    #[inline(always)]
    fn want(&self) -> Want {
        self.aim().want
    }
}

impl LookAhead for Builder {
    #[inline(always)]
    fn tag_wanted(&self) -> &[u8] {
        self.tag_as_written()
    }

    #[inline(always)]
    fn tag_found(&mut self, value: Text<'_>) -> bool {
        self.take_lead(value)
    }

    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refusal> {
        let answer = self.tag_key(key, at);
        self.looked(answer)
    }

    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, Refusal> {
        let answer = self.tag_value(value, at);
        self.looked(answer)
    }

    fn look_end(&mut self, at: u64) -> Result<Look, Refusal> {
        let answer = self.no_tag(at);
        self.looked(answer)
    }
}

impl Builder {
    #[inline(always)]
    fn begin_dict(&mut self, kind: FrameKind, node: NodeId, values: NonNull<Aim>) -> Answer {
        self.push_frame(Frame::new(kind, node, values, self.stack.len()));
        if self.options.duplicates == Duplicates::Error {
            self.seen_keys.push(HashSet::new());
        }
        Ok(Flow::Take)
    }

    /// A map that becomes a dict, or the member of a union that takes maps.
    #[inline(never)]
    fn begin_other_map(&mut self, node: NodeId, at: u64) -> Answer {
        match &self.plan().nodes[node as usize].kind {
            &Kind::Class(class) => self.enter_class(class, node, false, at),
            &Kind::Dict(_, value) => self.begin_dict(FrameKind::Dict, node, self.aim_of(value)),
            Kind::Any => self.begin_dict(FrameKind::PlainDict, node, self.aim_of(PLAIN)),
            Kind::Tokens(tokens) if let Some(member) = tokens.map => {
                self.begin_other_map(member, at)
            }
            Kind::Tagged(_) => self.look(node),
            _ => Err(self.misfit(at, "an object")),
        }
    }

    /// A list for a node.
    #[inline(always)]
    fn begin_list_of(&mut self, node: NodeId, at: u64) -> Answer {
        let (kind, element) = match &self.plan().nodes[node as usize].kind {
            Kind::List(element)
            | Kind::Set(element)
            | Kind::FrozenSet(element)
            | Kind::TupleOf(element) => (FrameKind::List, self.aim_of(*element)),
            Kind::Tuple(items) => {
                let first = items.first().map_or(NonNull::from(&WAY), |&n| self.aim_of(n));
                (FrameKind::Tuple, first)
            }
            _ => return self.begin_other_list(node, at),
        };
        self.push_frame(Frame::new(kind, node, element, self.stack.len()));
        Ok(Flow::Take)
    }

    /// A list that becomes a named tuple, a plain one, or the member of a union that takes lists.
    #[inline(never)]
    fn begin_other_list(&mut self, node: NodeId, at: u64) -> Answer {
        match &self.plan().nodes[node as usize].kind {
            &Kind::Class(class) => self.begin_row(class, node, at),
            Kind::Any => {
                let plain = self.aim_of(PLAIN);
                self.push_frame(Frame::new(FrameKind::PlainList, node, plain, self.stack.len()));
                Ok(Flow::Take)
            }
            Kind::Tokens(tokens) if let Some(member) = tokens.list => {
                self.begin_list_of(member, at)
            }
            _ => Err(self.misfit(at, "an array")),
        }
    }

    /// A key of fields that was not the one lent.
    #[inline(never)]
    fn field_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        match self.state().table.find(key.bytes()) {
            Some(found) => {
                self.found_key(found);
                self.follow(found as usize, at)
            }
            None => match self.state().other {
                Some(target) => {
                    self.at = at;
                    self.follow_other(target, Matched::Key(key))
                }
                None => self.unknown_key(key, at),
            },
        }
    }

    /// A key of a plain dict.
    #[inline(always)]
    fn plain_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        if self.options.duplicates == Duplicates::Error {
            self.key_once(key, at)?;
        }
        let object = caches::key(self.attached(), key);
        if object.is_null() {
            return Err(self.raised());
        }
        self.stack.push(object);
        Ok(Flow::Take)
    }

    /// The container at hand ends, of whose values this was made.
    #[inline(always)]
    fn end_part(&mut self, made: Result<*mut ffi::PyObject, Refusal>, at: u64) -> Answer {
        let value = match made {
            Ok(value) => value,
            Err(refusal) => return self.lost_container(refusal),
        };
        let node = self.top().node;
        self.pop_frame();
        let answer = self.put_part(node, value, at);
        self.valued(answer)
    }

    /// Remembers a key of the dict at hand, where it may occur only once.
    #[inline(never)]
    fn key_once(&mut self, key: Text<'_>, at: u64) -> Result<(), Refusal> {
        let key = key.text.as_str();
        if self.seen_keys.last_mut().is_none_or(|seen| seen.insert(key.into())) {
            return Ok(());
        }
        let reason = format!("the key {} occurs more than once", brief(key));
        let mut refusal = self.mismatch(at, reason, None, None);
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.path.push(PathStep::Key(key.to_owned()));
        }
        Err(refusal)
    }

    /// A key of a `dict[K, V]`.
    fn dict_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        if self.options.duplicates == Duplicates::Error {
            self.key_once(key, at)?;
        }
        self.push_dict_key(key, at)
    }

    /// Puts a key of a `dict[K, V]` on the stack.
    pub(super) fn push_dict_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        let Kind::Dict(keys, _) = self.plan().nodes[self.top().node as usize].kind else {
            return Ok(Flow::Skip);
        };
        let py = self.attached();
        let node = &self.plan().nodes[keys as usize];
        let object = match &node.kind {
            Kind::Str | Kind::Any if node.after.is_none() => {
                // The keys of the outermost dict are met once each.
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

    /// The exception that the interpreter has just set.
    #[cold]
    #[inline(never)]
    pub(super) fn raised(&self) -> Refusal {
        PyErr::fetch(self.attached()).into()
    }

    /// An array where an object of a class is expected.
    #[inline(never)]
    fn begin_row(&mut self, class: ClassId, node: NodeId, at: u64) -> Answer {
        let plan = &self.plan().classes[class as usize];
        if plan.takes_rows {
            return self.enter_class(class, node, true, at);
        }
        let expected = &self.item().name;
        let reason = format!(
            "expected {expected}, got an array; for its elements ask for list[{expected}], or end \
             the path in '/*'"
        );
        Err(self.mismatch(at, reason, Some(expected.to_string()), Some("an array".to_owned())))
    }
}
