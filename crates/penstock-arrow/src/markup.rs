//! Records of a format of elements into columns: XML.
//!
//! An element whose name leads to a column of scalars is a leaf: its text becomes the value when it
//! ends. An element that is a struct, or is on the path to columns, has a frame. Repeated elements
//! are the items of a list: each goes into the column of the items at once, and where the struct
//! ends they become a row of the list. What is not plain (an attribute and an element for one
//! field, `xsi:nil`, a repeated element for one value) is not taken.

use crate::columns::Columns;
use crate::events::{Events, Span, What};
use crate::fast::{LeftOut, NativeSink, Settings};
use crate::plan::{ElementState, Kind, NodeId, To};
use crate::values::Unfit;
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Flow, Sink};
use penstock_core::shape::Shape;
use penstock_core::value::xsd;
use penstock_core::xml::is_about;
use penstock_scan::{copied, make_room};

/// What the coming element is.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// A value of a column.
    Column(NodeId),
    /// An element on the path to columns.
    State(u32),
    /// No element may come.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    Record,
    Struct,
    /// An element on the path to columns of the struct around it.
    Path,
}

/// An open element that is no leaf.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// The column of the struct.
    node: NodeId,
    /// The row of the struct.
    row: usize,
    state: u32,
    /// Where its own text begins in the buffer.
    text: usize,
    aim: Aim,
    /// The name that was known last, and whether it is an attribute's.
    step: Option<(Span, bool)>,
}

/// An open element that becomes a scalar.
#[derive(Clone, Copy, Debug, Default)]
struct Leaf {
    /// How many elements are open in it, with itself; 0 if there is none.
    depth: u32,
    node: NodeId,
    at: u64,
    /// Where its text begins in the buffer.
    text: usize,
}

/// Fills columns from elements.
#[derive(Debug)]
pub struct Markup {
    columns: Columns,
    settings: Settings,
    events: Events,
    frames: Vec<Frame>,
    /// The last of `frames`, or that of the record.
    top: Frame,
    leaf: Leaf,
    /// The column of the attribute whose value comes.
    awaited: Option<NodeId>,
    /// The text of the open elements.
    text: String,
    /// Why the last event was not taken.
    why: Option<Unfit>,
    is_complete: bool,
    /// The first elements that were skipped in open elements whose text is taken: how many elements
    /// are open around each, and its name.
    skipped: Vec<(usize, String)>,
    /// Of those of a complete element: the one whose text was left out.
    left_out: Option<LeftOut>,
    /// Whether there was one.
    has_left_out: bool,
}

impl Markup {
    fn state(&self) -> Option<&ElementState> {
        self.columns.struct_of(self.top.node)?.elements.get(self.top.state as usize)
    }

    fn forbids_unknown(&self) -> bool {
        let own = self.columns.struct_of(self.top.node).is_some_and(|of| of.forbids_unknown);
        own || self.settings.forbids_unknown
    }

    #[inline(always)]
    fn push_frame(&mut self, frame: Frame) {
        make_room(&mut self.frames, 1);
        self.frames.push(std::mem::replace(&mut self.top, frame));
    }

    #[cold]
    #[inline(never)]
    fn refuse(&mut self, why: Unfit) -> Option<Flow> {
        self.why = Some(why);
        None
    }

    /// Whether a node takes the text of elements in it, as its own.
    fn is_text(&self, node: NodeId) -> bool {
        matches!(self.columns.node(node).kind, Kind::Str | Kind::Dictionary)
    }

    /// The column to which a name leads, if it may take a value.
    #[inline(always)]
    fn target(&self, to: To) -> Option<Aim> {
        Some(match to {
            To::Column(node) if self.columns.rows_of(node) > self.top.row => return None,
            To::Column(node) => Aim::Column(node),
            To::Items(list) => match self.columns.node(list).kind {
                Kind::List(item) => Aim::Column(item),
                _ => return None,
            },
            To::State(state) => Aim::State(state),
            To::Nothing => Aim::Nothing,
        })
    }

    /// Adds the text of an element or an attribute.
    #[inline(always)]
    fn add(&mut self, node: NodeId, text: &str) -> Result<(), Unfit> {
        let of = self.columns.node(node);
        if of.cells.as_ref().is_some_and(|cells| cells.is_null(text.as_bytes())) {
            return Err(Unfit::Form);
        }
        self.columns.untyped(node, text, self.settings.rules)
    }

    /// Adds the text in the buffer from a place on, and removes it.
    #[inline(always)]
    fn add_own(&mut self, node: NodeId, from: usize) -> Result<(), Unfit> {
        let mut text = std::mem::take(&mut self.text);
        let added = self.add(node, &text[from..]);
        text.truncate(from);
        self.text = text;
        added
    }

    fn attribute(&mut self, key: &Key<'_>, at: u64) -> Option<Flow> {
        if self.leaf.depth > 1 {
            return Some(Flow::Skip);
        }
        if self.leaf.depth == 1 || self.top.kind == FrameKind::Record {
            return self.other_attribute(key);
        }
        let state = self.state()?;
        let Some(found) = state.attributes.find(key) else {
            let flow = self.other_attribute(key)?;
            self.top.step = None;
            return Some(flow);
        };
        match self.target(state.attributes.edges[found as usize].to)? {
            Aim::Column(node) => {
                let name = self.events.push_name(key, at)?;
                self.top.step = Some((name, true));
                self.awaited = Some(node);
                Some(Flow::Take)
            }
            Aim::State(_) | Aim::Nothing => Some(Flow::Skip),
        }
    }

    /// An attribute for no column.
    fn other_attribute(&mut self, key: &Key<'_>) -> Option<Flow> {
        (!is_about(key) && !self.forbids_unknown()).then_some(Flow::Skip)
    }

    #[inline(always)]
    fn element(&mut self, key: &Key<'_>, at: u64) -> Option<Flow> {
        if self.leaf.depth > 0 {
            if !self.is_text(self.leaf.node) {
                return None;
            }
            self.events.push_name(key, at)?;
            return Some(Flow::Take);
        }
        if self.top.kind == FrameKind::Record {
            let name = self.events.push_name(key, at)?;
            self.top.step = Some((name, false));
            return Some(Flow::Take);
        }
        let state = self.state()?;
        let aim = match state.elements.find(key) {
            Some(found) => self.target(state.elements.edges[found as usize].to)?,
            None if self.forbids_unknown() => return None,
            None => {
                // A fault in it is not in the element before it.
                let in_text = state.text.is_some();
                self.top.step = None;
                if in_text && !self.has_left_out {
                    self.skip_in_text(key);
                }
                return Some(Flow::Skip);
            }
        };
        let name = self.events.push_name(key, at)?;
        (self.top.aim, self.top.step) = (aim, Some((name, false)));
        Some(if matches!(aim, Aim::Nothing) { Flow::Skip } else { Flow::Take })
    }

    /// The own text of an element that ends, if a column takes it.
    #[inline(always)]
    fn end_text(&mut self) -> Result<(), Unfit> {
        let from = self.top.text;
        let Some(node) = self.state().and_then(|state| state.text) else {
            return Ok(());
        };
        // Empty text is a string, and no value of any other type.
        if !self.is_text(node) && xsd::trimmed(&self.text.as_bytes()[from..]).is_empty() {
            self.text.truncate(from);
            return Ok(());
        }
        if self.columns.rows_of(node) > self.top.row {
            return Err(Unfit::Form);
        }
        if !self.skipped.is_empty() {
            self.leave_out(node, from);
        }
        self.add_own(node, from)
    }

    /// Remembers that an element is skipped whose text may belong to the text around it.
    #[cold]
    #[inline(never)]
    fn skip_in_text(&mut self, key: &Key<'_>) {
        let depth = self.frames.len();
        while self.skipped.pop_if(|(of, _)| *of > depth).is_some() {}
        if self.skipped.last().is_none_or(|(of, _)| *of < depth) {
            make_room(&mut self.skipped, 1);
            self.skipped.push((depth, copied(key.name.text.as_str())));
        }
    }

    /// Notes, once, that the text of an element was left out, if there is text around it.
    #[cold]
    #[inline(never)]
    fn leave_out(&mut self, node: NodeId, from: usize) {
        let depth = self.frames.len();
        while self.skipped.pop_if(|(of, _)| *of > depth).is_some() {}
        let found = self.skipped.pop_if(|(of, _)| *of == depth);
        let is_blank = xsd::trimmed(&self.text.as_bytes()[from..]).is_empty();
        if let Some((_, name)) = found
            && !is_blank
            && !self.has_left_out
        {
            self.left_out = Some((self.top.node, node, name));
            self.has_left_out = true;
        }
    }

    fn end_struct(&mut self) -> Result<(), Unfit> {
        let node = self.top.node;
        let count = self.columns.struct_of(node).map_or(0, |of| of.gathers.len());
        for place in 0..count {
            let list = self.columns.struct_of(node).map(|of| of.gathers[place]);
            if let Some(list) = list
                && self.columns.items(list) > 0
            {
                self.columns.end_list(list)?;
            }
        }
        self.columns.end_struct(node)
    }
}

impl NativeSink for Markup {
    const SHAPE: Shape = Shape::Elements;

    fn new(columns: Columns, settings: Settings) -> Self {
        let aim = Aim::Column(columns.plan().root);
        let kind = FrameKind::Record;
        Markup {
            columns,
            settings,
            events: Events::default(),
            frames: Vec::new(),
            top: Frame { kind, node: 0, row: 0, state: 0, text: 0, aim, step: None },
            leaf: Leaf::default(),
            awaited: None,
            text: String::new(),
            why: None,
            is_complete: false,
            skipped: Vec::new(),
            left_out: None,
            has_left_out: false,
        }
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }
    fn columns_mut(&mut self) -> &mut Columns {
        &mut self.columns
    }

    fn clear(&mut self) {
        if !self.is_complete {
            self.columns.abandon();
        }
        self.events.clear();
        self.text.clear();
        self.leaf = Leaf::default();
        self.awaited = None;
        self.skipped.clear();
        if let Some(record) = self.frames.first() {
            self.top = *record;
            self.frames.clear();
        }
        self.top.step = None;
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
        self.events.size() + self.text.len()
    }

    fn why(&mut self) -> Option<Unfit> {
        self.why.take()
    }

    fn path(&self, inside: bool) -> Vec<PathStep> {
        let top = inside.then_some(&self.top);
        let steps = self.frames.iter().chain(top).filter_map(|frame| frame.step);
        let step = |(name, is_attribute)| {
            let name = copied(self.events.text(name));
            if is_attribute { PathStep::Attribute(name) } else { PathStep::Key(name) }
        };
        steps.map(step).collect()
    }

    fn again<S: Sink>(&self, to: &mut S) -> Result<Flow, S::Error> {
        self.events.again(to)
    }

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Option<Flow> {
        if self.leaf.depth > 0 {
            self.leaf.depth += 1;
            self.events.push(What::BeginMap, at);
            return Some(Flow::Take);
        }
        let text = self.text.len();
        match self.top.aim {
            Aim::Column(node) => match self.columns.node(node).kind {
                Kind::Struct(_) => {
                    let (kind, row) = (FrameKind::Struct, self.columns.rows_of(node));
                    let aim = Aim::Nothing;
                    self.push_frame(Frame { kind, node, row, state: 0, text, aim, step: None });
                }
                Kind::List(_) | Kind::Tuple(..) | Kind::Map(..) => return None,
                _ => self.leaf = Leaf { depth: 1, node, at, text },
            },
            Aim::State(state) => {
                let kind = FrameKind::Path;
                let aim = Aim::Nothing;
                self.push_frame(Frame { kind, state, text, aim, step: None, ..self.top });
            }
            Aim::Nothing => return None,
        }
        self.events.push(What::BeginMap, at);
        Some(Flow::Take)
    }

    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Option<Flow> {
        let ended = match self.leaf.depth {
            0 => self.end_text().and_then(|()| match self.top.kind {
                FrameKind::Struct => self.end_struct(),
                FrameKind::Path => Ok(()),
                FrameKind::Record => Err(Unfit::Form),
            }),
            1 => self.add_own(self.leaf.node, self.leaf.text),
            _ => Ok(()),
        };
        if let Err(why) = ended {
            return self.refuse(why);
        }
        self.events.push(What::EndMap, at);
        if self.leaf.depth > 0 {
            self.leaf.depth -= 1;
        } else {
            self.top = self.frames.pop()?;
            if self.top.kind == FrameKind::Record {
                self.is_complete = true;
            }
        }
        Some(Flow::Take)
    }

    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Option<Flow> {
        match key.kind {
            KeyKind::Attribute => self.attribute(&key, at),
            KeyKind::Element | KeyKind::Member => self.element(&key, at),
        }
    }

    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Option<Flow> {
        let (Scalar::Untyped(text), Some(node)) = (value, self.awaited.take()) else {
            return None;
        };
        let span = self.events.keep(text.text.as_str())?;
        match self.add(node, text.text.as_str()) {
            Ok(()) => {
                self.events.push(What::Untyped(span), at);
                Some(Flow::Take)
            }
            Err(why) => self.refuse(why),
        }
    }

    #[inline(always)]
    fn piece(&mut self, text: Text<'_>, at: u64) -> Option<Flow> {
        if self.leaf.depth == 0 && self.state().is_none_or(|state| state.text.is_none()) {
            return Some(Flow::Take);
        }
        if self.text.len() + text.bytes().len() > self.settings.token {
            return None;
        }
        let span = self.events.keep(text.text.as_str())?;
        self.events.push(What::Piece(span), at);
        make_room(&mut self.text, text.bytes().len());
        self.text.push_str(text.text.as_str());
        Some(Flow::Take)
    }

    fn take_left_out(&mut self) -> Option<LeftOut> {
        self.left_out.take()
    }

    fn note_left_out(&mut self, found: LeftOut) {
        if !self.has_left_out {
            self.left_out = Some(found);
            self.has_left_out = true;
        }
    }

    fn keeps(&self) -> Option<u64> {
        (self.leaf.depth > 0).then_some(self.leaf.at)
    }
}
