//! Records of a class, without the interpreter.
//!
//! A [`NativeRecord`] receives the events of a record in a format of members, or its row. It checks each value against the
//! plan of the record's class as it comes, keeps it, and tells the complete record to a writer in
//! the order of the class. It knows the usual types only, and of no error more than that there is
//! one. Whatever it does not take is left to its driver, which can have all events of the record
//! [again](NativeRecord::again): the one that was not taken is not among them.
//!
//! | file | holds |
//! |---|---|
//! | `plan.rs` | the plan |
//! | `mod.rs` | the events, and what each leads to |
//! | `kept.rs` | the values of a record |
//! | `row.rs` | rows of a table |
//! | `tell.rs` | what the writer is told |

mod kept;
pub mod plan;
mod row;
mod tell;

use self::kept::{Event, Kept, NO_CLASS, What};
use self::plan::{Check, Form, Kind, Node, NodeId, Plan, To};
use self::tell::{Open, is_decimal, is_of};
use crate::event::Text;
use crate::protocol::{Flow, Sink, Want};
use penstock_scan::make_room;
use std::collections::HashSet;

/// What the coming value is.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// A value of a node, for a place; 0 is no place.
    Value(NodeId, u32),
    /// An object on the path to fields.
    Path(u32),
    /// No value may come.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    Record,
    List,
    /// A list of exactly so many values.
    Tuple,
    Dict,
    /// An object of a class.
    Class,
    /// An object on the path to fields.
    Path,
}

/// An open map or list.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// The index of its beginning.
    begun: u32,
    /// The node of its own, for a list or a dict.
    node: NodeId,
    aim: Aim,
    class: u32,
    /// The first place of the class.
    base: u32,
    state: u32,
    /// The expected key.
    next: u32,
    /// How many values it has.
    count: u32,
}

/// Fits records to a class.
///
/// ```
/// use penstock_core::convert::native::NativeRecord;
/// use penstock_core::convert::native::plan::{Class, Kind, Name, Node, Plan, State, Step, To, Absent};
/// use penstock_core::json::writer::{Writer, WriterOptions};
/// use penstock_core::limits::Limits;
/// use penstock_core::protocol::Want;
///
/// let node = |kind| Node { kind, nullable: false, want: Want::Native, checks: [].into(), cells: None };
/// let plan = Plan {
///     nodes: vec![node(Kind::Any), node(Kind::Class(0)), node(Kind::Int)],
///     classes: vec![Class {
///         fields: 1,
///         states: vec![State::new(&["n"], vec![To::Field(0, 2)])],
///         required: [0].into(),
///         steps: vec![Step::Field(Name::new("number"), 0, Absent::Nothing)],
///         forbids_unknown: false,
///     }],
///     root: 1,
///     plain: 0,
/// };
/// let mut record = NativeRecord::new(plan);
/// assert!(record.begin_map(0).is_some());
/// assert!(record.key("n".into(), 1).is_some());
/// // No string is an integer.
/// assert!(record.text("seven".into(), 5).is_none());
/// assert!(record.int(7, 5).is_some());
/// assert!(record.end_map(6).is_some());
/// assert!(record.is_complete());
///
/// let limits = Limits::default();
/// let mut writer = Writer::new(WriterOptions::default(), &limits);
/// record.tell(&mut writer).expect("a record");
/// assert_eq!(penstock_core::writer::Writer::ready(&writer), br#"{"number":7}"#);
/// ```
#[derive(Debug)]
pub struct NativeRecord {
    plan: Plan,
    kept: Kept,
    frames: Vec<Frame>,
    /// The last of `frames`, or that of the record.
    top: Frame,
    /// For each field and each path of the open and complete objects, the index of its value, and
    /// 1; 0 if there is none. The first one is no place.
    places: Vec<u32>,
    telling: Vec<Open>,
    /// The columns that lead to fields, if the records are rows.
    columns: Option<Vec<row::Column>>,
}

impl NativeRecord {
    /// Before the first record.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let mut record = NativeRecord {
            top: Frame {
                kind: FrameKind::Record,
                begun: 0,
                node: plan.plain,
                aim: Aim::Value(plan.root, 0),
                class: NO_CLASS,
                base: 0,
                state: 0,
                next: 0,
                count: 0,
            },
            plan,
            kept: Kept::default(),
            frames: Vec::new(),
            places: Vec::new(),
            telling: Vec::new(),
            columns: None,
        };
        record.places.push(0);
        record
    }

    /// One for other records of the same class, and of the same table.
    #[must_use]
    pub fn beside(&self) -> Self {
        let mut record = NativeRecord::new(self.plan.clone());
        record.columns.clone_from(&self.columns);
        record
    }

    /// Forgets the record.
    #[inline]
    pub fn clear(&mut self) {
        self.kept.clear();
        self.places.truncate(1);
        if let Some(record) = self.frames.first() {
            self.top = *record;
            self.frames.clear();
        }
        self.top.count = 0;
    }

    /// Whether all of the record is there.
    #[inline(always)]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.top.kind == FrameKind::Record && self.top.count > 0
    }

    /// Whether nothing of the record is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.events.is_empty()
    }

    /// About how many bytes the record takes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.kept.size() + self.places.len() * size_of::<u32>()
    }

    /// The key that is expected.
    #[inline(always)]
    #[must_use]
    pub fn expected_key(&self) -> &[u8] {
        let Frame { kind: FrameKind::Class | FrameKind::Path, class, state, next, .. } = self.top
        else {
            return &[];
        };
        let state =
            self.plan.classes.get(class as usize).and_then(|c| c.states.get(state as usize));
        state.and_then(|it| it.lent.get(next as usize)).map_or(&[], |key| key.as_bytes())
    }

    /// The form in which the next number should come.
    #[inline(always)]
    #[must_use]
    pub fn want(&self) -> Want {
        match self.top.aim {
            Aim::Value(node, _) => self.node(node).want,
            Aim::Path(_) | Aim::Nothing => Want::Native,
        }
    }

    /// Reports the events of the record so far to another sink.
    ///
    /// # Errors
    /// The first refusal of the other sink.
    pub fn again<S: Sink>(&self, to: &mut S) -> Result<Flow, S::Error> {
        let mut flow = Flow::Take;
        for &Event { what, at } in &self.kept.events {
            flow = match what {
                What::BeginMap { .. } => to.begin_map(at)?,
                What::BeginList { .. } => to.begin_list(at)?,
                What::EndMap => to.end_map(at)?,
                What::EndList => to.end_list(at)?,
                What::Key(key) => to.key(self.kept.event_text(key), at)?,
                What::Null => to.null(at)?,
                What::Bool(value) => to.boolean(value, at)?,
                What::Int(value) => to.int(value, at)?,
                What::Float(value) => to.float(value, at)?,
                What::Number(digits) | What::Decimal(digits) => {
                    to.number(self.kept.text(digits).as_bytes(), at)?
                }
                What::Text(text, _) => to.text(self.kept.event_text(text), at)?,
            };
        }
        Ok(flow)
    }

    #[inline(always)]
    fn node(&self, node: NodeId) -> &Node {
        &self.plan.nodes[node as usize]
    }

    /// Keeps a value, and notes where it is.
    #[inline(always)]
    fn give(&mut self, what: What, place: u32, at: u64) -> Option<Flow> {
        let index = self.kept.push(what, at)?;
        self.note(index, place);
        Some(Flow::Take)
    }

    /// A value is complete.
    #[inline(always)]
    fn note(&mut self, index: u32, place: u32) {
        if place != 0
            && let Some(place) = self.places.get_mut(place as usize)
        {
            *place = index + 1;
        }
        self.top.count += 1;
        if self.top.kind == FrameKind::Tuple {
            self.aim_at_item();
        }
    }

    /// Aims at the next value of a tuple.
    fn aim_at_item(&mut self) {
        let next = match &self.node(self.top.node).kind {
            Kind::Tuple(items) => items.get(self.top.count as usize).copied(),
            _ => None,
        };
        self.top.aim = next.map_or(Aim::Nothing, |node| Aim::Value(node, 0));
    }

    #[inline(always)]
    fn push_frame(&mut self, frame: Frame) {
        make_room(&mut self.frames, 1);
        self.frames.push(std::mem::replace(&mut self.top, frame));
    }

    /// A map begins. None if it is not taken.
    #[inline(always)]
    pub fn begin_map(&mut self, at: u64) -> Option<Flow> {
        match self.top.aim {
            Aim::Value(node, _) => self.begin_map_of(node, at),
            Aim::Path(state) => {
                let Frame { class, base, .. } = self.top;
                let fields = self.plan.classes.get(class as usize)?.fields as u32;
                // An object that comes twice is one object in two pieces.
                let entered = self.places.get_mut((base + fields + state) as usize)?;
                if std::mem::replace(entered, 1) != 0 {
                    return None;
                }
                let what = What::BeginMap { end: 0, class: NO_CLASS, base: 0 };
                let begun = self.kept.push(what, at)?;
                let (kind, aim) = (FrameKind::Path, Aim::Nothing);
                self.push_frame(Frame { kind, begun, aim, state, next: 0, count: 0, ..self.top });
                Some(Flow::Take)
            }
            Aim::Nothing => None,
        }
    }

    #[inline(always)]
    fn begin_map_of(&mut self, node: NodeId, at: u64) -> Option<Flow> {
        let mut of = node;
        let (kind, class, aim) = loop {
            match &self.node(of).kind {
                Kind::Class(class) => break (FrameKind::Class, *class, Aim::Nothing),
                Kind::Any | Kind::Dict(_) => break (FrameKind::Dict, NO_CLASS, Aim::Nothing),
                Kind::Tokens(tokens) if of == node => of = tokens.map?,
                _ => return None,
            }
        };
        let mut base = 0;
        if kind == FrameKind::Class {
            let class = self.plan.classes.get(class as usize)?;
            base = u32::try_from(self.places.len()).ok()?;
            let more = class.fields + class.states.len();
            make_room(&mut self.places, more);
            self.places.resize(self.places.len() + more, 0);
        }
        let begun = self.kept.push(What::BeginMap { end: 0, class, base }, at)?;
        self.push_frame(Frame {
            kind,
            begun,
            node: of,
            aim,
            class,
            base,
            state: 0,
            next: 0,
            count: 0,
        });
        Some(Flow::Take)
    }

    /// The innermost map ends. None if it lacks something.
    #[inline(always)]
    pub fn end_map(&mut self, at: u64) -> Option<Flow> {
        match self.top.kind {
            FrameKind::Class => {
                let class = self.plan.classes.get(self.top.class as usize)?;
                let base = self.top.base as usize;
                let own = self.places.get(base..base + class.fields)?;
                if class.required.iter().any(|&field| own.get(field as usize) == Some(&0)) {
                    return None;
                }
            }
            FrameKind::Path => {
                let end = self.kept.push(What::EndMap, at)?;
                self.kept.set_end(self.top.begun as usize, end);
                self.top = self.frames.pop()?;
                return Some(Flow::Take);
            }
            FrameKind::Dict => {
                if self.top.count > 1 && self.has_twice() {
                    return None;
                }
            }
            FrameKind::Record | FrameKind::List | FrameKind::Tuple => return None,
        }
        self.end(What::EndMap, at)
    }

    /// A list begins. None if it is not taken.
    #[inline(always)]
    pub fn begin_list(&mut self, at: u64) -> Option<Flow> {
        let Aim::Value(node, _) = self.top.aim else { return None };
        let mut of = node;
        let (kind, item) = loop {
            match &self.node(of).kind {
                Kind::List(item) => break (FrameKind::List, Some(*item)),
                Kind::Any => break (FrameKind::List, Some(self.plan.plain)),
                Kind::Tuple(items) => break (FrameKind::Tuple, items.first().copied()),
                Kind::Tokens(tokens) if of == node => of = tokens.list?,
                _ => return None,
            }
        };
        let begun = self.kept.push(What::BeginList { end: 0 }, at)?;
        let aim = item.map_or(Aim::Nothing, |item| Aim::Value(item, 0));
        self.push_frame(Frame {
            kind,
            begun,
            node: of,
            aim,
            class: NO_CLASS,
            base: 0,
            state: 0,
            next: 0,
            count: 0,
        });
        Some(Flow::Take)
    }

    /// The innermost list ends. None if it lacks something.
    #[inline(always)]
    pub fn end_list(&mut self, at: u64) -> Option<Flow> {
        match self.top.kind {
            FrameKind::List => {}
            FrameKind::Tuple => match &self.node(self.top.node).kind {
                Kind::Tuple(items) if items.len() == self.top.count as usize => {}
                _ => return None,
            },
            _ => return None,
        }
        self.end(What::EndList, at)
    }

    /// The innermost container ends, and is a value of the one around it.
    #[inline(always)]
    fn end(&mut self, what: What, at: u64) -> Option<Flow> {
        let Frame { begun, node, count, .. } = self.top;
        let around = *self.frames.last()?;
        let Aim::Value(aim, place) = around.aim else { return None };
        let length = || count as usize;
        if !self.holds(node, length) || (aim != node && !self.holds(aim, length)) {
            return None;
        }
        let end = self.kept.push(what, at)?;
        self.kept.set_end(begun as usize, end);
        self.frames.pop();
        self.top = around;
        self.note(begun, place);
        Some(Flow::Take)
    }

    /// Whether a container satisfies what a node asks for.
    #[inline(always)]
    fn holds(&self, node: NodeId, length: impl Fn() -> usize) -> bool {
        let checks = &self.node(node).checks;
        checks.is_empty() || checks.iter().all(|check| check.length(length()))
    }

    /// Whether a key of the innermost map occurs twice, or there is no memory to find out.
    #[inline(never)]
    fn has_twice(&self) -> bool {
        let mut at = self.top.begun as usize + 1;
        let keys = std::iter::from_fn(|| match self.kept.get(at) {
            Some(What::Key(span)) => {
                at = self.kept.behind(at + 1);
                Some(self.kept.text(span))
            }
            _ => None,
        });
        if self.top.count <= 8 {
            let mut few = [""; 8];
            for (index, key) in keys.take(few.len()).enumerate() {
                if few[..index].contains(&key) {
                    return true;
                }
                few[index] = key;
            }
            return false;
        }
        let mut seen = HashSet::new();
        if seen.try_reserve(self.top.count as usize).is_err() {
            return true;
        }
        let mut keys = keys;
        keys.any(|key| !seen.insert(key))
    }

    /// A key. None if it is not taken.
    #[inline(always)]
    pub fn key(&mut self, key: Text<'_>, at: u64) -> Option<Flow> {
        match self.top.kind {
            FrameKind::Dict => {
                let span = self.kept.keep(key.text.as_str())?;
                self.kept.push(What::Key(span), at)?;
                let item = match &self.node(self.top.node).kind {
                    Kind::Dict(item) => *item,
                    _ => self.plan.plain,
                };
                self.top.aim = Aim::Value(item, 0);
                Some(Flow::Take)
            }
            FrameKind::Class | FrameKind::Path => {
                let class = self.plan.classes.get(self.top.class as usize)?;
                let state = class.states.get(self.top.state as usize)?;
                match state.table.find(key.bytes()) {
                    Some(found) => {
                        let to = *state.to.get(found as usize)?;
                        let span = self.kept.keep(key.text.as_str())?;
                        self.kept.push(What::Key(span), at)?;
                        self.found(found, to);
                        Some(Flow::Take)
                    }
                    None if class.forbids_unknown => None,
                    None => {
                        // Whoever gets the events again may say where an error is.
                        let span = self.kept.keep(key.text.as_str())?;
                        self.kept.push(What::Key(span), at)?;
                        self.top.aim = Aim::Nothing;
                        Some(Flow::Skip)
                    }
                }
            }
            _ => None,
        }
    }

    /// The expected key. None if it is not taken.
    #[inline(always)]
    pub fn expected_key_found(&mut self, at: u64) -> Option<Flow> {
        let Frame { class, state, next, .. } = self.top;
        let state = self.plan.classes.get(class as usize)?.states.get(state as usize)?;
        let to = *state.to.get(next as usize)?;
        // Without its quotes and its colon.
        let lent = state.lent.get(next as usize)?.as_bytes();
        let name = lent.get(1..lent.len().checked_sub(2)?)?;
        let span = self.kept.keep(std::str::from_utf8(name).ok()?)?;
        self.kept.push(What::Key(span), at)?;
        self.found(next, to);
        Some(Flow::Take)
    }

    #[inline(always)]
    fn found(&mut self, key: u32, to: To) {
        self.top.next = key + 1;
        self.top.aim = match to {
            To::Field(field, node) => Aim::Value(node, self.top.base + field),
            To::State(state) => Aim::Path(state),
        };
    }

    /// Null. None if it is not taken.
    pub fn null(&mut self, at: u64) -> Option<Flow> {
        let Aim::Value(node, place) = self.top.aim else { return self.pass(What::Null, at) };
        let of = self.node(node);
        let taken = of.nullable
            || match &of.kind {
                Kind::Any | Kind::None => true,
                Kind::Choice(choice) => choice.null,
                Kind::Tokens(tokens) => tokens.null.is_some_and(
                    |member| matches!(&self.node(member).kind, Kind::Choice(choice) if choice.null),
                ),
                _ => false,
            };
        if taken { self.give(What::Null, place, at) } else { None }
    }

    /// A scalar where an object on the path to fields may be: the fields are absent.
    fn pass(&mut self, what: What, at: u64) -> Option<Flow> {
        if !matches!(self.top.aim, Aim::Path(_)) {
            return None;
        }
        self.kept.push(what, at)?;
        Some(Flow::Take)
    }

    /// True or false. None if it is not taken.
    pub fn boolean(&mut self, value: bool, at: u64) -> Option<Flow> {
        let Aim::Value(node, place) = self.top.aim else {
            return self.pass(What::Bool(value), at);
        };
        let of = self.member(node, |tokens| tokens.boolean)?;
        let taken = match &self.node(of).kind {
            Kind::Any | Kind::Bool => true,
            Kind::Choice(choice) => choice.bools[usize::from(value)],
            _ => false,
        };
        if taken && self.meets(node, of, |_| false) {
            self.give(What::Bool(value), place, at)
        } else {
            None
        }
    }

    /// An integer. None if it is not taken.
    #[inline(always)]
    pub fn int(&mut self, value: i64, at: u64) -> Option<Flow> {
        let Aim::Value(node, place) = self.top.aim else {
            return self.pass(What::Int(value), at);
        };
        let of = self.member(node, |tokens| tokens.integer)?;
        let taken = match &self.node(of).kind {
            Kind::Int | Kind::Any => true,
            Kind::Choice(choice) => choice.ints.contains(&value),
            _ => false,
        };
        if taken && self.meets(node, of, |check| check.int(value)) {
            self.give(What::Int(value), place, at)
        } else {
            None
        }
    }

    /// A double. None if it is not taken.
    #[inline(always)]
    pub fn float(&mut self, value: f64, at: u64) -> Option<Flow> {
        let Aim::Value(node, place) = self.top.aim else {
            return self.pass(What::Float(value), at);
        };
        let of = self.member(node, |tokens| tokens.number)?;
        let taken = matches!(self.node(of).kind, Kind::Float | Kind::Any) && value.is_finite();
        if taken && self.meets(node, of, |check| check.float(value)) {
            self.give(What::Float(value), place, at)
        } else {
            None
        }
    }

    /// A number as its digits. None if it is not taken.
    pub fn number(&mut self, digits: &[u8], at: u64) -> Option<Flow> {
        let text = std::str::from_utf8(digits).ok()?;
        let Aim::Value(node, place) = self.top.aim else {
            let span = self.kept.keep(text)?;
            return self.pass(What::Number(span), at);
        };
        let whole = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
        let decimal =
            self.member(node, |tokens| if whole { tokens.integer } else { tokens.number });
        if let Some(decimal) = decimal
            && matches!(self.node(decimal).kind, Kind::Text(Form::Decimal))
        {
            if !is_decimal(digits) || !self.meets(node, decimal, |_| false) {
                return None;
            }
            let span = self.kept.keep(text)?;
            return self.give(What::Decimal(span), place, at);
        }
        if !whole {
            return None;
        }
        let of = self.member(node, |tokens| tokens.integer)?;
        let taken = matches!(self.node(of).kind, Kind::Int | Kind::Any);
        // An integer that fits 64 bits comes as one, unless somebody wants its digits.
        if !taken || text.parse::<i64>().is_ok() || !self.meets(node, of, |_| false) {
            return None;
        }
        let span = self.kept.keep(text)?;
        self.give(What::Number(span), place, at)
    }

    /// A string. None if it is not taken.
    #[inline(always)]
    pub fn text(&mut self, text: Text<'_>, at: u64) -> Option<Flow> {
        let Aim::Value(node, place) = self.top.aim else {
            let span = self.kept.keep(text.text.as_str())?;
            return self.pass(What::Text(span, Form::Plain), at);
        };
        let form = match &self.node(node).kind {
            Kind::Str | Kind::Any => Form::Plain,
            _ => self.form_of(node, text.bytes())?,
        };
        // The length of bytes is not that of their text.
        let knows = form == Form::Plain;
        if !self.meets(node, node, |check| knows && check.text(text.text.as_str())) {
            return None;
        }
        let span = self.kept.keep(text.text.as_str())?;
        self.give(What::Text(span, form), place, at)
    }

    /// The form in which a node takes a string. None if it does not.
    #[inline(never)]
    fn form_of(&self, node: NodeId, text: &[u8]) -> Option<Form> {
        match &self.node(node).kind {
            Kind::Str | Kind::Any => Some(Form::Plain),
            Kind::Text(form) => is_of(text, *form).then_some(*form),
            Kind::Choice(choice) => choice.texts.find(text).map(|_| Form::Plain),
            Kind::Tokens(tokens) => tokens.text.iter().find_map(|&member| {
                let of = self.node(member);
                match &of.kind {
                    // Nobody knows here whether it would take the string.
                    Kind::Other | Kind::Tokens(_) => Some(None),
                    _ if !of.checks.is_empty() => Some(None),
                    _ => self.form_of(member, text).map(Some),
                }
            })?,
            _ => None,
        }
    }

    /// The node of a value, or of the member of its union that takes such values.
    #[inline(always)]
    fn member(&self, node: NodeId, of: impl Fn(&plan::Tokens) -> Option<NodeId>) -> Option<NodeId> {
        match &self.node(node).kind {
            Kind::Tokens(tokens) => of(tokens),
            _ => Some(node),
        }
    }

    /// Whether a scalar satisfies what its node asks for, and what the member of its union does.
    #[inline(always)]
    fn meets(&self, node: NodeId, of: NodeId, meets: impl Fn(&Check) -> bool) -> bool {
        self.node(node).checks.iter().all(&meets)
            && (of == node || self.node(of).checks.iter().all(&meets))
    }
}
