//! The sink for formats of keys: JSON, CSV, property lists.

mod ahead;
mod columns;
mod containers;
mod header;
mod kept;
mod order;
mod paths;
mod rows;
pub(crate) mod shared;
mod unions;
mod values;

use self::order::Order;
use self::rows::Header;
pub(crate) use self::values::Taking;
use super::core::caches;
use super::core::frame::{Frame, FrameKind, ON_PATH};
use super::core::place::brief;
use super::core::problems::Unplaced;
use super::core::refusal::{Code, Refusal};
use super::core::{Answer, Core, Options};
use super::make;
use super::owned::Build;
use crate::plan::{Aim, ClassId, Kind, KindByte, NodeId, PLAIN, Plan, TagRule, Target};
use penstock_core::event::{Container, Key, KnownKeys, Matched, Members, Row, Scalar, Text};
use penstock_core::formats::Lends;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{
    Coming, Duplicates, Flow, Hints, Judge, Look, LookAhead, RowsAs, Sink, Unknown, Want,
};
use penstock_core::suggest::nearest;
use penstock_scan::make_room;
use pyo3::ffi;
use std::collections::HashSet;
use std::ops::{Deref, DerefMut};
use std::ptr;

/// How to build from formats of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyedOptions {
    pub(crate) lends: Lends,
    /// `limits.number`: the most digits of one number, where values are untyped text.
    pub(crate) number: usize,
    /// `limits.token`: the most bytes of a key.
    pub(crate) token: usize,
    /// `limits.memory`
    pub(crate) memory: Option<u64>,
}

/// Builds from maps and lists.
pub(crate) struct Keyed<'p> {
    pub(crate) core: Core<'p>,
    /// Which key followed which, as soon as a document proves to have an order of its own.
    order: Option<Box<Order>>,
    /// Which cells of a row become which fields, if rows are objects of a class.
    header: Option<Box<Header>>,
    /// How many keys were skipped that no class names.
    others: u32,
    /// `limits.token`
    longest_key: usize,
}

impl<'p> Deref for Keyed<'p> {
    type Target = Core<'p>;

    #[inline(always)]
    fn deref(&self) -> &Core<'p> {
        &self.core
    }
}

impl DerefMut for Keyed<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}

impl<'p> Build<'p> for Keyed<'p> {
    type Options = KeyedOptions;

    fn new(plan: &'p Plan, options: Options, own: KeyedOptions) -> Self {
        let mut core = Core::new(plan, options);
        (core.number, core.memory) = (own.number, own.memory);
        core.lends = match own.lends {
            Lends::Nothing => None,
            // A key that is lent is compared, whatever its length.
            Lends::Json => Some(plan.lent_to_json()).filter(|lent| lent.longest() <= own.token),
        };
        Keyed { core, order: None, header: None, others: 0, longest_key: own.token }
    }
    fn core(&self) -> &Core<'p> {
        &self.core
    }
    fn core_mut(&mut self) -> &mut Core<'p> {
        &mut self.core
    }
    fn unplaced(&mut self) -> impl Iterator<Item = Unplaced<'_>> {
        self.core.unplaced()
    }
}

impl Sink for Keyed<'_> {
    type Error = Refusal;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        if self.core.shared.is_some()
            && let Some(answer) = self.give_shared(at)
        {
            return self.begun(answer);
        }
        let aim = self.aim();
        let answer = match aim.kind {
            KindByte::Any => self.begin_dict(FrameKind::PlainDict, aim.node, self.top().aim),
            KindByte::Other => match self.item().kind {
                Kind::Class(class) => self.enter_class(class, aim.node, false, at),
                Kind::Tagged(_) => self.look(aim.node),
                _ => self.begin_other_map(aim.node, at),
            },
            KindByte::OnPath => self.begin_path_map(at),
            _ => self.begin_text(at),
        };
        self.begun(answer)
    }

    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        let made = match self.top().kind {
            FrameKind::Class => {
                if self.order.is_some() {
                    let (number, lent) = (self.state().number, self.core.lent);
                    self.end_in_order(number, lent);
                }
                make::object(&mut self.core, at)
            }
            FrameKind::PlainDict | FrameKind::Dict => make::dict(&mut self.core, at),
            FrameKind::PathMap => return self.end_on_path(),
            FrameKind::Union => return Err(self.unlooked(at)),
            _ => return self.end_rarely(true, at),
        };
        self.end_part(made, at)
    }

    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        if self.core.shared.is_some()
            && let Some(answer) = self.give_shared(at)
        {
            return self.begun(answer);
        }
        let aim = self.aim();
        let answer = match aim.kind {
            KindByte::Any => {
                let element = self.top().aim;
                self.core.push_frame(Frame::new(
                    FrameKind::PlainList,
                    aim.node,
                    element,
                    self.core.stack.len(),
                ));
                Ok(Flow::Take)
            }
            KindByte::OnPath => self.begin_path_list(at),
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
            FrameKind::PlainList | FrameKind::List | FrameKind::Tuple | FrameKind::Numbers => {
                make::list(&mut self.core, at)
            }
            FrameKind::Row => make::object(&mut self.core, at),
            FrameKind::Union => make::empty_row(&self.core, at),
            _ => return self.end_rarely(false, at),
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

    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.key(key.name, at)
    }

    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        let answer = self.give_scalar(value, at);
        self.valued(answer)
    }

    fn abandon(&mut self) {
        self.core.abandon();
    }

    fn matched(&mut self, by: Matched<'_>) {
        self.record_matched(by);
    }

    fn record(&mut self, kind: u32) {
        self.core.expect_kind(kind);
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
        if key as usize >= self.core.edges.len() {
            return self.other_found();
        }
        self.found_key(key);
        let answer = self.follow(key as usize, at);
        self.keyed(answer)
    }

    #[inline(always)]
    fn members(&mut self, members: &Members<'_>) -> Answer {
        self.fill_ahead(members)
    }

    #[inline(always)]
    fn object(&mut self, members: &Members<'_>, at: u64, end: u64) -> Answer {
        self.make_ahead(members, at, end)
    }

    fn container(&mut self, container: Container) {
        self.expect_shared(container);
    }

    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
}

impl Hints for Keyed<'_> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        match self.core.lent.coming(self.top().next as usize) {
            Some(coming) => &coming.key,
            None if self.order.is_some() && !self.core.edges.is_empty() => self.expected_other(),
            None => &[],
        }
    }

    #[inline(always)]
    fn members_ahead(&self) -> &[Coming] {
        if self.core.options.duplicates != Duplicates::Last {
            return &[];
        }
        if self.order.is_some() {
            return self.ahead_in_order();
        }
        self.core.lent.run(self.top().next as usize)
    }

    #[inline(always)]
    fn object_ahead(&self) -> &[Coming] {
        self.expected_object()
    }

    #[inline(always)]
    fn want(&self) -> Want {
        self.aim().want
    }

    #[inline(always)]
    fn expected_name(&self) -> &[u8] {
        self.core.edges.get(self.top().next as usize).map_or(&[], |edge| edge.name.as_bytes())
    }

    fn shares(&self) -> bool {
        self.plan().has_plain_parts()
    }
}

impl LookAhead for Keyed<'_> {
    fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        self.plan().judge()
    }

    #[inline(always)]
    fn tag_wanted(&self) -> &[u8] {
        self.tag_as_written()
    }

    #[inline(always)]
    fn tag_found(&mut self, value: Text<'_>) -> bool {
        self.take_early_tag(value)
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

    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        self.read_header(known, wanted)
    }

    #[inline]
    fn row(&mut self, row: &mut Row<'_>) -> Answer {
        self.row_of_columns(row)
    }
}

impl<'p> Keyed<'p> {
    /// Enters the object of a class: its map, or for a named tuple its array.
    #[inline(always)]
    pub(crate) fn enter_class(
        &mut self,
        class: ClassId,
        node: NodeId,
        row: bool,
        at: u64,
    ) -> Answer {
        let plan = &self.plan().classes[class as usize];
        if plan.only_rows && !row {
            return Err(self.misfit(at, "an object"));
        }
        let base = self.core.stack.len();
        self.core.stack.push_empty(plan.fields.len());
        let kind = if row { FrameKind::Row } else { FrameKind::Class };
        let aim = self.top().aim;
        let mut frame = Frame::new(kind, node, aim, base);
        frame.class = class;
        self.core.push_class(frame);
        if !plan.takes_key.is_empty() {
            self.core.at = at;
            self.give_key(&plan.takes_key)?;
        }
        if row {
            self.aim_at_column();
        } else if self.order.is_some() {
            self.expect_first();
        }
        Ok(Flow::Take)
    }

    /// Makes the current map, whose class was not known, one of this class. As if it were just
    /// [entered](Self::enter_class), for a class that takes no key.
    #[inline(always)]
    pub(crate) fn become_class(&mut self, class: ClassId) {
        self.core.stack.push_empty(self.plan().classes[class as usize].fields.len());
        (self.top_mut().kind, self.top_mut().class) = (FrameKind::Class, class);
        self.at_class();
        if self.order.is_some() {
            self.expect_first();
        }
    }

    /// Follows a known key.
    #[inline(always)]
    fn follow(&mut self, key: usize, at: u64) -> Answer {
        match self.core.edges[key].to {
            Target::Field(aim) => {
                self.aim_at(aim);
                if self.core.options.duplicates != Duplicates::Last {
                    return self.follow_once(at);
                }
                Ok(Flow::Take)
            }
            Target::State(state) => self.follow_path(key, state, at),
        }
    }

    /// Checks a field's key where a second one does not simply replace the first.
    #[inline(never)]
    fn follow_once(&mut self, at: u64) -> Answer {
        let field = self.aim().field;
        let filled = !self.core.stack.get(self.top().slots + field as usize).is_null();
        if filled && !self.aim().gathers {
            let name = &self.class().fields[field as usize].key;
            return self.again(name, at);
        }
        Ok(Flow::Take)
    }

    /// Answers a repeated key where it does not simply replace the first.
    #[cold]
    #[inline(never)]
    pub(crate) fn again(&mut self, name: &str, at: u64) -> Answer {
        if self.core.options.duplicates == Duplicates::First {
            return Ok(Flow::Skip);
        }
        let reason = format!("the key {} occurs more than once", brief(name));
        Err(self.mismatch(at, reason, None, None).coded(Code::Repeated))
    }

    /// A key that the class does not name.
    #[inline(never)]
    fn unknown_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        self.remember_key(key.text.as_str());
        if let Some(rest) = self.class().rest
            && self.top().kind == FrameKind::Class
        {
            return self.key_of_rest(rest, key, at);
        }
        match self.unknown_in_class() {
            Unknown::Skip => {
                self.learn_other(key);
                Ok(Flow::Skip)
            }
            _ if self.says_class(key.bytes()) => Ok(Flow::Skip),
            Unknown::Error => {
                let name = key.text.as_str();
                let class = &self.class().name;
                let known = self.state().keys.iter().map(|edge| &*edge.name);
                let near = if self.core.options.suggest { nearest(name, known) } else { None };
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                let reason = format!("{class} has no field for the key {}{near}", brief(name));
                Err(self.mismatch(at, reason, None, None).coded(Code::Unknown))
            }
            Unknown::Collect => {
                let class = &self.class().name;
                self.core.count_unknown(&[class, ".", key.text.as_str()]);
                Ok(Flow::Skip)
            }
        }
    }

    /// A key that the class does not name but collects.
    fn key_of_rest(&mut self, rest: u32, key: Text<'_>, at: u64) -> Answer {
        let object = caches::key(self.attached(), key);
        if object.is_null() {
            return Err(self.raised());
        }
        self.aim_at(rest);
        self.gather(object, at)
    }

    /// Puts a container of this node, which was made and left, in its place.
    #[inline(always)]
    fn put_part(&mut self, node: NodeId, value: *mut ffi::PyObject, at: u64) -> Answer {
        // A member of a union has conversions and checks of its own.
        let value = if node == self.aim().node { value } else { self.finish(node, value, at)? };
        self.put(value, at)
    }

    #[inline(always)]
    fn begin_dict(&mut self, kind: FrameKind, node: NodeId, values: &'p Aim) -> Answer {
        self.core.push_frame(Frame::new(kind, node, values, self.core.stack.len()));
        if self.core.options.duplicates == Duplicates::Error {
            make_room(&mut self.core.seen_keys, 1);
            self.core.seen_keys.push(HashSet::new());
        }
        Ok(Flow::Take)
    }

    /// Begins a map that becomes a dict, or the member of a union that takes maps.
    #[inline(never)]
    fn begin_other_map(&mut self, node: NodeId, at: u64) -> Answer {
        match &self.plan().nodes[node as usize].kind {
            &Kind::Class(class) => self.enter_class(class, node, false, at),
            &Kind::Dict(_, value) => {
                let values = self.core.aim_in(node, value, at);
                self.begin_dict(FrameKind::Dict, node, values)
            }
            Kind::Any => {
                let values = self.core.aim_in_plain(PLAIN, at);
                self.begin_dict(FrameKind::PlainDict, node, values)
            }
            Kind::Tokens(tokens) if let Some(member) = tokens.map => {
                if tokens.is_plain
                    && let &Kind::Dict(_, value) = self.kind(member)
                {
                    let values = self.core.aim_in_plain(value, at);
                    return self.begin_dict(FrameKind::Dict, member, values);
                }
                self.begin_other_map(member, at)
            }
            Kind::Tagged(_) => self.look(node),
            _ => Err(self.misfit(at, "an object")),
        }
    }

    /// Begins a list for a node.
    #[inline(always)]
    fn begin_list_of(&mut self, node: NodeId, at: u64) -> Answer {
        let (kind, element) = match &self.plan().nodes[node as usize].kind {
            Kind::List(element) | Kind::TupleOf(element) => {
                (FrameKind::List, self.core.aim_in(node, *element, at))
            }
            Kind::Set(element) | Kind::FrozenSet(element) => {
                (FrameKind::List, self.aim_of(*element))
            }
            Kind::Tuple(items) => {
                let first = items.first().map_or(&ON_PATH, |&n| self.core.aim_in(node, n, at));
                (FrameKind::Tuple, first)
            }
            _ => return self.begin_other_list(node, at),
        };
        if element.kind == KindByte::Packed {
            return self.begin_numbers_of(node, element);
        }
        self.core.push_frame(Frame::new(kind, node, element, self.core.stack.len()));
        Ok(Flow::Take)
    }

    /// Begins a list that becomes an array of numbers.
    #[inline(never)]
    fn begin_numbers_of(&mut self, node: NodeId, number: &'p Aim) -> Answer {
        let base = self.core.stack.len();
        self.core.begin_numbers()?;
        self.core.push_frame(Frame::new(FrameKind::Numbers, node, number, base));
        Ok(Flow::Take)
    }

    /// Begins a list that becomes a named tuple or a plain list, or the member of a union that
    /// takes lists.
    #[inline(never)]
    fn begin_other_list(&mut self, node: NodeId, at: u64) -> Answer {
        match &self.plan().nodes[node as usize].kind {
            &Kind::Class(class) => self.begin_row(class, node, at),
            Kind::Any => {
                let plain = self.core.aim_in_plain(PLAIN, at);
                self.core.push_frame(Frame::new(
                    FrameKind::PlainList,
                    node,
                    plain,
                    self.core.stack.len(),
                ));
                Ok(Flow::Take)
            }
            Kind::Tagged(tagged) if let TagRule::First { item, .. } = tagged.by => {
                let (item, base) = (self.aim_of(item), self.core.stack.len());
                self.core.push_frame(Frame::new(FrameKind::Union, node, item, base));
                Ok(Flow::Take)
            }
            Kind::Tokens(tokens) if let Some(member) = tokens.list => {
                if tokens.is_plain
                    && let &Kind::List(element) = self.kind(member)
                {
                    let element = self.core.aim_in_plain(element, at);
                    let base = self.core.stack.len();
                    self.core.push_frame(Frame::new(FrameKind::List, member, element, base));
                    return Ok(Flow::Take);
                }
                self.begin_list_of(member, at)
            }
            Kind::Raw => self.begin_raw(false, at),
            _ => Err(self.misfit(at, "an array")),
        }
    }

    /// Begins an array where an object of a class is expected.
    #[inline(never)]
    fn begin_row(&mut self, class: ClassId, node: NodeId, at: u64) -> Answer {
        let plan = &self.plan().classes[class as usize];
        if plan.takes_rows {
            return self.enter_class(class, node, true, at);
        }
        let expected = &self.item().name;
        let reason = if plan.states.first().is_some_and(|state| !state.indexes.is_empty()) {
            format!(
                "expected {expected}, got an array; a NamedTuple or tuple[...] takes its elements \
                 by their positions"
            )
        } else {
            format!(
                "expected {expected}, got an array; for its elements ask for list[{expected}], or \
                 end the path in '/*'"
            )
        };
        Err(self.mismatch(at, reason, Some(expected.to_string()), Some("an array".to_owned())))
    }

    /// A field's key that was not the lent one.
    #[inline(never)]
    fn field_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        match self.top().kind {
            FrameKind::Union => return Err(self.unlooked(at)),
            FrameKind::Raw => return self.raw_key(key, at),
            _ => {}
        }
        match self.state().table.find(key.bytes()) {
            Some(found) => {
                self.found_key(found);
                self.follow(found as usize, at)
            }
            None => match self.state().other {
                Some(target) => {
                    self.core.at = at;
                    self.follow_other(target, Matched::Key(key))
                }
                None => self.unknown_key(key, at),
            },
        }
    }

    /// A key of a plain dict.
    #[inline(always)]
    fn plain_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        if self.core.options.duplicates == Duplicates::Error {
            self.key_once(key, at)?;
        }
        let object = caches::key(self.attached(), key);
        if object.is_null() {
            return Err(self.raised());
        }
        self.core.stack.push(object);
        Ok(Flow::Take)
    }

    /// A key of a `dict[K, V]`.
    fn dict_key(&mut self, key: Text<'_>, at: u64) -> Answer {
        if self.core.options.duplicates == Duplicates::Error {
            self.key_once(key, at)?;
        }
        self.push_dict_key(key, at)
    }

    /// Remembers a key of the current dict, where it may occur only once.
    #[inline(never)]
    fn key_once(&mut self, key: Text<'_>, at: u64) -> Result<(), Refusal> {
        let key = key.text.as_str();
        if self.core.seen_keys.last_mut().is_none_or(|seen| seen.insert(key.into())) {
            return Ok(());
        }
        let reason = format!("the key {} occurs more than once", brief(key));
        let mut refusal = self.mismatch(at, reason, None, None).coded(Code::Repeated);
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.path.push(PathStep::Key(key.to_owned()));
        }
        Err(refusal)
    }

    /// Begins a map where no object is expected: it may stay text.
    #[cold]
    #[inline(never)]
    fn begin_text(&mut self, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::Raw => self.begin_raw(true, at),
            _ => Err(self.misfit(at, "an object")),
        }
    }

    /// A container ends that is on the path to fields, that stays text, or that stands inside such a one.
    #[inline(never)]
    fn end_rarely(&mut self, is_map: bool, at: u64) -> Answer {
        if self.top().kind != FrameKind::Raw {
            return self.end_on_path();
        }
        match self.end_raw(is_map, at) {
            Ok(Some(made)) => self.end_part(Ok(made), at),
            Ok(None) => Ok(Flow::Take),
            Err(refusal) => self.end_part(Err(refusal), at),
        }
    }

    /// The current container ends: puts `made`, which was made of its values.
    #[inline(always)]
    fn end_part(&mut self, made: Result<*mut ffi::PyObject, Refusal>, at: u64) -> Answer {
        if self.core.shared.is_some() {
            self.keep_shared(made.as_ref().map_or(ptr::null_mut(), |made| *made));
        }
        let value = match made {
            Ok(value) => value,
            Err(refusal) => return self.lost_container(refusal),
        };
        let node = self.top().node;
        self.pop_frame();
        let answer = self.put_part(node, value, at);
        self.valued(answer)
    }
}
