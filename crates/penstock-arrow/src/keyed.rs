//! Records of a format of members into columns: JSON, CSV, property lists.
//!
//! Each value goes from its event into its column. The events of the current record are kept beside
//! it, so that whoever drives this can have them [again](Keyed::again) as soon as an event is not
//! taken.

use crate::columns::Columns;
use crate::events::{Events, Span, What};
use crate::fast::{NativeSink, Settings};
use crate::plan::{Absent, Kind, NodeId, State, To};
use crate::values::Unfit;
use penstock_core::event::{Key, KeyKind, KnownKeys, Row, Rows, Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Duplicates, Flow, Sink, Trail, Want};
use penstock_core::shape::Shape;
use penstock_core::value::lexical::Type;
use penstock_core::value::unix::since_2001;
use penstock_scan::make_room;
use std::collections::HashMap;

/// What the coming value is.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// A value of a column.
    Column(NodeId),
    /// An object on the path to columns.
    State(u32),
    /// A record of any kind, or a part of one, of which nothing is kept.
    Unread,
    /// No value may come.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    Record,
    /// An object whose keys lead to columns.
    Struct,
    /// An object on the path to columns of the struct around it.
    Path,
    List,
    Map,
}

/// An open map or list.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// The column of the struct, the list or the map.
    node: NodeId,
    /// The row of the struct.
    row: usize,
    state: u32,
    /// The expected key.
    next: u32,
    aim: Aim,
}

/// Fills columns from maps and lists.
#[derive(Debug)]
pub struct Keyed {
    pub(crate) columns: Columns,
    pub(crate) settings: Settings,
    events: Events,
    frames: Vec<Frame>,
    /// The last of `frames`, or that of the record.
    top: Frame,
    /// Why the last event was not taken.
    why: Option<Unfit>,
    is_complete: bool,
    /// For each column of a table that is wanted, its place and the column that it fills.
    header: Option<Vec<(u32, NodeId)>>,
    /// The place of the cell that was not taken.
    misplaced: usize,
    /// The path of the value, if nothing of it is kept.
    trail: Trail,
}

impl Keyed {
    #[inline(always)]
    fn state(&self, node: NodeId, state: u32) -> Option<&State> {
        self.columns.struct_of(node)?.states.get(state as usize)
    }

    #[inline(always)]
    fn push_frame(&mut self, frame: Frame) {
        make_room(&mut self.frames, 1);
        self.frames.push(std::mem::replace(&mut self.top, frame));
    }

    /// A value was added, or not.
    #[inline(always)]
    fn taken(&mut self, added: Result<(), Unfit>, what: What, at: u64) -> Option<Flow> {
        match added {
            Ok(()) => {
                self.events.push(what, at);
                Some(Flow::Take)
            }
            Err(why) => self.refuse(why),
        }
    }

    #[cold]
    #[inline(never)]
    fn refuse(&mut self, why: Unfit) -> Option<Flow> {
        self.why = Some(why);
        None
    }

    /// A scalar where an object on the path to columns may be: these have no value.
    #[inline(never)]
    fn pass(&mut self, what: What, at: u64) -> Option<Flow> {
        match self.top.aim {
            Aim::State(_) => self.events.push(what, at),
            Aim::Unread => return self.unread(Trail::value),
            Aim::Column(_) | Aim::Nothing => return None,
        }
        Some(Flow::Take)
    }

    #[inline(never)]
    fn pass_text(&mut self, text: &str, what: fn(Span) -> What, at: u64) -> Option<Flow> {
        if let Aim::Unread = self.top.aim {
            return self.unread(Trail::value);
        }
        let span = self.events.keep(text)?;
        self.pass(what(span), at)
    }

    /// An event of a record of which nothing is kept.
    #[inline(never)]
    fn unread(&mut self, event: impl FnOnce(&mut Trail)) -> Option<Flow> {
        let Aim::Unread = self.top.aim else { return None };
        event(&mut self.trail);
        if self.trail.is_at_record() {
            let counted = self.columns.end_struct(self.columns.plan().root);
            counted.ok()?;
            self.is_complete = true;
        }
        Some(Flow::Take)
    }

    fn end_unread(&mut self) -> Option<Flow> {
        self.unread(|trail| {
            trail.end();
            trail.value();
        })
    }

    #[inline(always)]
    fn end(&mut self, ended: Result<(), Unfit>, what: What, at: u64) -> Option<Flow> {
        if let Err(why) = ended {
            return self.refuse(why);
        }
        self.events.push(what, at);
        self.top = self.frames.pop()?;
        if self.top.kind == FrameKind::Record {
            self.is_complete = true;
        }
        Some(Flow::Take)
    }

    /// The date of a property list. What the column does not simply hold is an object's.
    fn instant(&mut self, seconds: f64, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.unread(Trail::value) };
        let of = self.columns.node(node);
        let is_usual = matches!(of.kind, Kind::Timestamp { moment: None, .. });
        if !is_usual || !of.checks.is_empty() {
            return None;
        }
        let found = since_2001(seconds).ok()?;
        self.columns.datetime(node, found).ok()?;
        self.events.push(What::Since2001(seconds), at);
        Some(Flow::Take)
    }

    /// The data of a property list. What the column does not simply hold is an object's.
    fn data(&mut self, bytes: &[u8], at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.unread(Trail::value) };
        if !matches!(self.columns.node(node).kind, Kind::Bytes(Type::Base64)) {
            return None;
        }
        let span = self.events.keep_data(bytes)?;
        let added = self.columns.binary(node, bytes);
        self.taken(added, What::Data(span), at)
    }

    /// Whether a key of the innermost map occurs twice.
    fn has_twice(&self) -> bool {
        let count = self.columns.items(self.top.node);
        let Kind::Map(key, _) = self.columns.node(self.top.node).kind else { return false };
        let keys = self.columns.last_texts(key, count);
        if count <= 8 {
            let mut few = [&b""[..]; 8];
            for (index, key) in keys.take(few.len()).enumerate() {
                if few[..index].contains(&key) {
                    return true;
                }
                few[index] = key;
            }
            return false;
        }
        let mut seen = HashMap::new();
        make_room(&mut seen, count);
        let mut keys = keys;
        keys.any(|key| seen.insert(key, ()).is_some())
    }

    #[inline(never)]
    fn unknown(&mut self, what: What, at: u64) -> Option<Flow> {
        let forbids = self.columns.struct_of(self.top.node)?.forbids_unknown;
        if forbids || self.settings.forbids_unknown {
            return None;
        }
        self.events.push(what, at);
        self.top.aim = Aim::Nothing;
        Some(Flow::Skip)
    }

    #[inline(always)]
    fn found(&mut self, key: u32, what: What, at: u64) -> Option<Flow> {
        let Frame { node, state, .. } = self.top;
        let to = *self.state(node, state)?.to.get(key as usize)?;
        self.top.next = key + 1;
        self.top.aim = match to {
            To::Column(node) => {
                if self.columns.rows_of(node) > self.top.row {
                    match self.settings.duplicates {
                        Duplicates::Last => self.columns.truncate(node, self.top.row),
                        Duplicates::First => {
                            self.events.push(what, at);
                            return Some(Flow::Skip);
                        }
                        Duplicates::Error => return None,
                    }
                }
                Aim::Column(node)
            }
            // Only repeated elements lead there.
            To::Items(_) => return None,
            To::State(state) => Aim::State(state),
            To::Nothing => {
                self.events.push(what, at);
                self.top.aim = Aim::Nothing;
                return Some(Flow::Skip);
            }
        };
        self.events.push(what, at);
        Some(Flow::Take)
    }

    fn columns_of(&self, known: &KnownKeys<'_>) -> Option<Vec<(u32, NodeId)>> {
        let root = self.columns.plan().root;
        let state = self.state(root, 0)?;
        let mut header: Vec<(u32, NodeId)> = Vec::new();
        for (place, key) in (0_u32..).zip(known.keys) {
            let Some(found) = state.table.find(key.name.bytes()) else { continue };
            match state.to.get(found as usize)? {
                To::Column(node) if header.iter().any(|(_, known)| known == node) => return None,
                To::Column(node) => {
                    make_room(&mut header, 1);
                    header.push((place, *node));
                }
                To::State(_) | To::Items(_) => return None,
                To::Nothing => {}
            }
        }
        Some(header)
    }

    #[inline(always)]
    fn fill(&mut self, header: &[(u32, NodeId)], row: &Row<'_>) -> Result<(), Unfit> {
        for (place, node) in header {
            let Some(Some(cell)) = row.cells.get(*place as usize) else { continue };
            let added = self.value(*node, cell.value);
            if added.is_err() {
                self.misplaced = *place as usize;
                return added;
            }
        }
        self.columns.end_struct(self.columns.plan().root)
    }

    /// Adds the value of a cell. If it stands for a default, nothing is added.
    #[inline(always)]
    pub(crate) fn value(&mut self, node: NodeId, value: Scalar<'_>) -> Result<(), Unfit> {
        match value {
            Scalar::Untyped(text) if self.is_there(node, text.bytes()) => {
                self.columns.untyped(node, text.text.as_str(), self.settings.rules)
            }
            _ => self.value_rarely(node, value),
        }
    }

    /// Whether a text stands for a value.
    #[inline(always)]
    fn is_there(&self, node: NodeId, text: &[u8]) -> bool {
        let cells = &self.columns.node(node).cells;
        !text.is_empty() && cells.as_ref().is_none_or(|cells| !cells.is_null(text))
    }

    /// A cell that is empty, or stands for no value.
    #[inline(never)]
    fn value_rarely(&mut self, node: NodeId, value: Scalar<'_>) -> Result<(), Unfit> {
        let of = self.columns.node(node);
        let text = match value {
            Scalar::Text(text) => match &of.kind {
                Kind::Str | Kind::Dictionary => {
                    return self.columns.text(node, text.text.as_str());
                }
                // An escape in front of NULL says that it is a text.
                _ if !text.bytes().is_empty() => {
                    return self.columns.untyped(node, text.text.as_str(), self.settings.rules);
                }
                _ => text,
            },
            Scalar::Untyped(text) => text,
            _ => return Err(Unfit::Form),
        };
        if of.nullable {
            return self.columns.null(node);
        }
        if of.absent != Absent::Error {
            return Ok(());
        }
        self.columns.untyped(node, text.text.as_str(), self.settings.rules)
    }
}

impl NativeSink for Keyed {
    const SHAPE: Shape = Shape::Members;

    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Option<Flow> {
        self.key(key.name, at)
    }

    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Option<Flow> {
        None
    }

    fn new(columns: Columns, settings: Settings) -> Self {
        let top = Frame {
            kind: FrameKind::Record,
            node: 0,
            row: 0,
            state: 0,
            next: 0,
            aim: match settings.unread {
                true => Aim::Unread,
                false => Aim::Column(columns.plan().root),
            },
        };
        Keyed {
            columns,
            settings,
            events: Events::default(),
            frames: Vec::new(),
            top,
            why: None,
            is_complete: false,
            header: None,
            misplaced: 0,
            trail: Trail::new(),
        }
    }
    fn columns(&self) -> &Columns {
        &self.columns
    }
    fn columns_mut(&mut self) -> &mut Columns {
        &mut self.columns
    }
    #[inline]
    fn clear(&mut self) {
        if !self.is_complete {
            self.columns.abandon();
        }
        self.events.clear();
        if let Some(record) = self.frames.first() {
            self.top = *record;
            self.frames.clear();
        }
        if self.settings.unread {
            self.trail.clear();
        }
        self.is_complete = false;
    }
    #[inline(always)]
    fn is_complete(&self) -> bool {
        self.is_complete
    }
    #[inline(always)]
    fn settings(&self) -> &Settings {
        &self.settings
    }
    fn into_columns(self) -> Columns {
        self.columns
    }
    fn size(&self) -> usize {
        self.events.size()
    }
    fn why(&mut self) -> Option<Unfit> {
        self.why.take()
    }
    fn path(&self, inside: bool) -> Vec<PathStep> {
        if self.settings.unread {
            return self.trail.path(inside);
        }
        let is_dict =
            |level: usize| self.frames.get(level).unwrap_or(&self.top).kind == FrameKind::Map;
        self.events.path(inside, is_dict)
    }
    fn again<S: Sink>(&self, to: &mut S) -> Result<Flow, S::Error> {
        self.events.again(to)
    }
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        let Frame { kind: FrameKind::Struct | FrameKind::Path, node, state, next, .. } = self.top
        else {
            return &[];
        };
        let state = self.state(node, state);
        state.and_then(|it| it.lent.get(next as usize)).map_or(&[], |key| key.as_bytes())
    }
    #[inline(always)]
    fn want(&self) -> Want {
        match self.top.aim {
            Aim::Column(node) => self.columns.node(node).want,
            Aim::State(_) | Aim::Nothing => Want::Native,
            Aim::Unread => Want::Digits,
        }
    }
    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Option<Flow> {
        let frame = match self.top.aim {
            Aim::Column(node) => {
                let kind = match self.columns.node(node).kind {
                    Kind::Struct(_) => FrameKind::Struct,
                    Kind::Map(..) => FrameKind::Map,
                    _ => return None,
                };
                let row = self.columns.rows_of(node);
                Frame { kind, node, row, state: 0, next: 0, aim: Aim::Nothing }
            }
            Aim::State(state) => {
                let kind = FrameKind::Path;
                Frame { kind, state, next: 0, aim: Aim::Nothing, ..self.top }
            }
            Aim::Unread => return self.unread(|trail| trail.begin(false)),
            Aim::Nothing => return None,
        };
        self.events.push(What::BeginMap, at);
        self.push_frame(frame);
        Some(Flow::Take)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Option<Flow> {
        let node = self.top.node;
        let ended = match self.top.kind {
            FrameKind::Struct => self.columns.end_struct(node),
            FrameKind::Path => Ok(()),
            FrameKind::Map if self.has_twice() => Err(Unfit::Form),
            FrameKind::Map => self.columns.end_list(node),
            FrameKind::Record | FrameKind::List => return self.end_unread(),
        };
        self.end(ended, What::EndMap, at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else {
            return self.unread(|trail| trail.begin(true));
        };
        let (Kind::List(item) | Kind::Tuple(item, _)) = self.columns.node(node).kind else {
            return None;
        };
        self.events.push(What::BeginList, at);
        let aim = Aim::Column(item);
        self.push_frame(Frame { kind: FrameKind::List, node, row: 0, state: 0, next: 0, aim });
        Some(Flow::Take)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Option<Flow> {
        if self.top.kind != FrameKind::List {
            return self.end_unread();
        }
        let ended = self.columns.end_list(self.top.node);
        self.end(ended, What::EndList, at)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Option<Flow> {
        let text = key.text.as_str();
        match self.top.kind {
            FrameKind::Struct | FrameKind::Path => {
                let found = self.state(self.top.node, self.top.state)?.table.find(key.bytes());
                let span = self.events.keep(text)?;
                match found {
                    Some(found) => self.found(found, What::Key(span), at),
                    None => self.unknown(What::Key(span), at),
                }
            }
            FrameKind::Map => {
                let Kind::Map(keys, values) = self.columns.node(self.top.node).kind else {
                    return None;
                };
                let span = self.events.keep(text)?;
                self.top.aim = Aim::Column(values);
                let added = self.columns.text(keys, text);
                self.taken(added, What::Key(span), at)
            }
            FrameKind::Record | FrameKind::List => {
                self.unread(|trail| trail.key(text.as_bytes(), KeyKind::Member))?;
                Some(Flow::Skip)
            }
        }
    }
    #[inline(always)]
    fn expected_key_found(&mut self, at: u64) -> Option<Flow> {
        let Frame { node, state, next, .. } = self.top;
        let Keyed { columns, events, .. } = self;
        let state = columns.struct_of(node)?.states.get(state as usize)?;
        let span = events.keep(state.names.get(next as usize)?)?;
        self.found(next, What::Key(span), at)
    }
    #[inline(never)]
    fn null(&mut self, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.pass(What::Null, at) };
        let added = self.columns.null(node);
        self.taken(added, What::Null, at)
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.pass(What::Bool(value), at) };
        let added = self.columns.boolean(node, value);
        self.taken(added, What::Bool(value), at)
    }
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.pass(What::Int(value), at) };
        let added = self.columns.int(node, value);
        self.taken(added, What::Int(value), at)
    }
    #[inline(always)]
    fn float(&mut self, value: f64, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else { return self.pass(What::Float(value), at) };
        let added = self.columns.float(node, value);
        self.taken(added, What::Float(value), at)
    }
    #[inline(never)]
    fn number(&mut self, digits: &[u8], at: u64) -> Option<Flow> {
        let written = std::str::from_utf8(digits).ok()?;
        let Aim::Column(node) = self.top.aim else {
            return self.pass_text(written, What::Number, at);
        };
        let span = self.events.keep(written)?;
        let added = self.columns.digits(node, digits);
        self.taken(added, What::Number(span), at)
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Option<Flow> {
        let Aim::Column(node) = self.top.aim else {
            return self.pass_text(text.text.as_str(), What::Text, at);
        };
        let span = self.events.keep(text.text.as_str())?;
        let added = match self.columns.node(node).kind {
            Kind::Str => self.columns.text(node, text.text.as_str()),
            _ => self.columns.quoted_rarely(node, text.bytes()),
        };
        self.taken(added, What::Text(span), at)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Option<Flow> {
        match value {
            Scalar::Null => self.null(at),
            Scalar::Bool(value) => self.boolean(value, at),
            Scalar::Int(value) => self.int(value, at),
            Scalar::Float(value) => self.float(value, at),
            Scalar::Number(digits) => self.number(digits, at),
            Scalar::Text(text) => self.text(text, at),
            Scalar::Since2001(seconds) => self.instant(seconds, at),
            Scalar::Bytes(bytes) => self.data(bytes, at),
            _ => self.unread(Trail::value),
        }
    }
    fn misplaced(&self, row: &Row<'_>) -> Option<(u64, Vec<PathStep>)> {
        let cell = row.cells.get(self.misplaced).copied().flatten()?;
        let key = row.keys.get(self.misplaced)?;
        Some((cell.at, vec![PathStep::Key(key.name.text.as_str().to_owned())]))
    }
    fn known_keys(&mut self, known: &KnownKeys<'_>, wanted: &mut [Option<Want>]) -> bool {
        self.header = self.columns_of(known);
        let Some(header) = &self.header else { return false };
        // The class asked for its columns. Some of them nobody wants here.
        for (place, wanted) in (0_u32..).zip(wanted) {
            if !header.iter().any(|(known, _)| *known == place) {
                *wanted = None;
            }
        }
        true
    }
    #[inline(always)]
    fn row(&mut self, row: &Row<'_>) -> Option<()> {
        let header = self.header.take()?;
        let filled = self.fill(&header, row);
        self.header = Some(header);
        match filled {
            Ok(()) => {
                self.is_complete = true;
                Some(())
            }
            Err(why) => {
                self.columns.abandon();
                self.refuse(why);
                None
            }
        }
    }
    fn takes_rows(&self) -> bool {
        self.header.is_some()
    }
    #[inline(never)]
    fn rows(&mut self, rows: &Rows<'_>, is_bounded: bool) -> usize {
        let Some(header) = self.header.take() else { return 0 };
        let settings = self.settings;
        let count = self.add_rows(&header, rows, is_bounded.then_some(&settings));
        self.header = Some(header);
        count
    }
}
