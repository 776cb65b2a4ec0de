//! The sink that collects evidence.

use super::numbers::number;
use super::texts::{LONGEST, Texts};
use super::tree::{Body, DEEPEST, PLACES, Place, Step, Tag, Tree};
use super::waiting::Waiting;
use crate::error::brief;
use crate::event::{Key, KeyKind, KnownKeys, Matched, Scalar, Text, repeated};
use crate::path_step::PathStep;
use crate::protocol::{Code, Flow, Hints, LookAhead, Misfit, RowsAs, Sink, Want};
use crate::value::xsd;
use crate::xml::is_about;
use penstock_scan::{copied, count_code_points, make_room};

/// Of the text of an element, so much is kept to find out what it is.
const KEPT: usize = 256;

/// Why a record is refused: where, what is wrong, and its path.
pub(crate) type Refusal = Box<Misfit>;

/// An open map, list or element.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    place: u32,
    /// Where its members go; 0 if there was none.
    body: u32,
    /// Its number among all.
    number: u64,
    is_list: bool,
    is_element: bool,
    /// How many members or items it has.
    members: u64,
    /// Whether it has child elements.
    has_elements: bool,
    /// Whether it is said to be no value, as `xsi:nil` does.
    is_nil: bool,
    /// Where among the children the next key is expected.
    next: usize,
    /// Whether the body is for this object alone, until its tag is known.
    is_apart: bool,
    /// The key that may tell of what class it is, and its value.
    tag: Option<(u32, Box<str>)>,
    /// Where its own text begins, and how many bytes it has.
    text: usize,
    length: u64,
    /// Whether that is more than is kept.
    is_long: bool,
}

/// Where the value goes that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Aim {
    /// Where the record or an item goes.
    #[default]
    Here,
    /// To a place.
    Place(u32),
    /// To that of the last key that waits.
    Waiting,
    /// To that of the tag of the innermost map.
    Tag,
    /// It says whether the element is no value.
    Nil,
}

/// A sink that collects evidence of records.
///
/// ```
/// use penstock_core::evidence::Evidence;
/// use penstock_core::protocol::Sink;
///
/// let mut evidence = Evidence::new();
/// evidence.begin_map(0).unwrap();
/// evidence.key("size".into(), 1).unwrap();
/// evidence.number(b"7", 7).unwrap();
/// evidence.end_map(8).unwrap();
/// let tree = evidence.tree();
/// let record = tree.body(tree.place(0).body);
/// let size = tree.place(record.children[0]);
/// assert_eq!((&*size.key, size.present, size.ints.range), ("size", 1, Some((7, 7))));
/// ```
#[derive(Debug, Default)]
pub struct Evidence {
    pub(super) tree: Tree,
    frames: Vec<Frame>,
    aim: Aim,
    /// How many keys and items were reported.
    events: u64,
    /// How many maps, lists and elements there were.
    number: u64,
    pub(super) complete: u64,
    /// The names of the elements that are records.
    names: Texts,
    is_element: bool,
    /// The beginning of the text of the open elements.
    text: String,
    name: String,
    /// The members of the innermost map before its tag.
    waiting: Waiting,
    /// By which name a path led to the record.
    led_by: String,
    /// Whether the records are rows of a table, whose columns are known.
    has_columns: bool,
    /// The evidence of the records that ended, if those in error are left out. Then this is that of
    /// the current record.
    whole: Option<Box<Evidence>>,
}

impl Evidence {
    /// Knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Evidence::default()
    }

    /// The same without the records that are in error. It takes longer.
    #[must_use]
    pub fn leaving_out(mut self) -> Self {
        self.whole = Some(Box::default());
        self
    }

    /// Without the record that has not ended, if those in error are left out.
    #[must_use]
    pub fn into_whole(self) -> Evidence {
        self.whole.map_or_else(|| Evidence { whole: None, ..self }, |whole| *whole)
    }

    /// The places, of which the first is the record.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.whole.as_ref().map_or(&self.tree, |whole| &whole.tree)
    }

    /// How many records there were.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.whole.as_ref().map_or(self.complete, |whole| whole.complete)
    }

    /// The names of the elements that are records.
    #[must_use]
    pub fn names(&self) -> &Texts {
        self.whole.as_ref().map_or(&self.names, |whole| &whole.names)
    }

    /// Whether there is room for that of others, too.
    pub(super) fn has_room_for(&self, other: &Evidence) -> bool {
        self.tree().len() + other.tree.len() <= PLACES
    }

    /// Adds the evidence of complete records that come next.
    pub(super) fn take_in(&mut self, other: Evidence) {
        match &mut self.whole {
            Some(whole) => whole.absorb(other),
            None => self.absorb(other),
        }
    }

    /// Adds the evidence of records that come behind.
    pub fn absorb(&mut self, other: Evidence) {
        self.tree.absorb(other.tree, self.events);
        self.events += other.events;
        self.complete += other.complete;
        self.names.join(&other.names);
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.text.clear();
        self.waiting.clear();
        self.aim = Aim::Here;
        self.is_element = false;
    }

    /// The path of the current value.
    pub(super) fn steps(&self, inside: bool) -> Vec<PathStep> {
        let mut steps = Vec::new();
        for (depth, frame) in self.frames.iter().enumerate() {
            if frame.is_list {
                steps.push(PathStep::Index(frame.members.saturating_sub(1)));
                continue;
            }
            let below = match (self.frames.get(depth + 1), self.aim) {
                (Some(frame), _) => frame.place,
                (None, Aim::Place(place)) => place,
                _ => continue,
            };
            let place = self.tree.place(below);
            steps.push(match place.step {
                Step::Attribute => PathStep::Attribute(copied(&place.key)),
                _ => PathStep::Key(copied(&place.key)),
            });
        }
        if !inside {
            steps.pop();
        }
        steps
    }

    #[cold]
    fn misfit(&self, at: u64, code: Code, reason: String) -> Refusal {
        let mut misfit = Misfit::new(at, reason, self.steps(true));
        misfit.code = code;
        misfit.limit = code == Code::Limit;
        Box::new(misfit)
    }

    #[cold]
    fn too_many(&self, at: u64) -> Refusal {
        let reason = format!("there are more than {PLACES} places: choose records with at=");
        self.misfit(at, Code::Limit, reason)
    }

    /// A member of the innermost map: its value comes next.
    fn member(&mut self, step: Step, key: &str, at: u64) -> Result<Flow, Refusal> {
        let Some(top) = self.frames.last() else { return Ok(Flow::Take) };
        if top.body == 0 {
            let place = self.tree.place(top.place);
            if let Tag::By(of, by, _) = &place.tag {
                if step == *by && *key == **of && !top.is_nil {
                    // The value decides where it goes, and what has waited.
                    self.aim = Aim::Tag;
                    return Ok(Flow::Take);
                }
                if self.waits(step, key) {
                    return Ok(Flow::Take);
                }
                self.stop_waiting(at)?;
            }
        }
        self.aim = Aim::Place(self.lead(step, key, at)?);
        Ok(Flow::Take)
    }

    /// The value of the tag comes. If it is text, it says where the members go.
    #[inline(never)]
    fn meet_tag(&mut self, text: Option<&str>, at: u64) -> Result<(), Refusal> {
        let Some(top) = self.frames.last() else { return Ok(()) };
        let Tag::By(key, step, _) = &self.tree.place(top.place).tag else { return Ok(()) };
        let (key, step) = (key.clone(), *step);
        self.aim = Aim::Here;
        if let Some(text) = text {
            self.choose(step, &key, text);
        }
        self.stop_waiting(at)?;
        self.aim = Aim::Place(self.lead(step, &key, at)?);
        Ok(())
    }

    /// Lets a member of a map wait, if a tag tells where it belongs and has not come yet. False if it
    /// goes on at once.
    fn waits(&mut self, step: Step, key: &str) -> bool {
        let Some(top) = self.frames.last() else { return false };
        if top.body != 0 || step == Step::Element {
            return false;
        }
        let Tag::By(of, by, _) = &self.tree.place(top.place).tag else { return false };
        // Of another key that may tell, the usual way knows what it means.
        if (step == *by && *key == **of) || super::may_tell(key) {
            return false;
        }
        let waits = self.waiting.add_key(step, key);
        if waits {
            self.aim = Aim::Waiting;
        }
        waits
    }

    /// Gives what has waited to where it belongs.
    #[inline(never)]
    fn stop_waiting(&mut self, at: u64) -> Result<(), Refusal> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        let is_last_open = self.aim == Aim::Waiting;
        let mut result = Ok(());
        for (step, key, value) in waiting.members() {
            match self.lead(step, key, at) {
                Ok(place) => match value {
                    Some(value) => self.give(place, value),
                    // Its value comes now.
                    None if is_last_open => self.aim = Aim::Place(place),
                    None => {}
                },
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        waiting.clear();
        self.waiting = waiting;
        result
    }

    /// The tag of a map has come: what has waited goes to the objects with that value.
    fn choose(&mut self, step: Step, key: &str, text: &str) {
        let Some(top) = self.frames.last() else { return };
        let place = top.place;
        if top.body != 0 || text.is_empty() || text.len() > LONGEST {
            return;
        }
        match &self.tree.place(place).tag {
            Tag::By(of, by, _) if step == *by && *key == **of => {}
            _ => return,
        }
        let known = self.tree.tagged(place, text);
        if known != 0
            && let Some(top) = self.frames.last_mut()
        {
            (top.body, top.is_apart) = (known, false);
        }
    }

    /// Where the members of the innermost map go.
    fn open_body(&mut self) -> u32 {
        let Some(top) = self.frames.last_mut() else { return 0 };
        if top.body != 0 {
            return top.body;
        }
        let place = top.place;
        let (body, is_apart) = match (&self.tree.place(place).tag, self.tree.place(place).body) {
            (Tag::By(..), _) | (_, 0) => (self.tree.add_body(), true),
            (_, known) => (known, false),
        };
        (top.body, top.is_apart) = (body, is_apart);
        if self.has_columns && self.frames.len() == 1 {
            // No number of columns is too many, also if the rows before are kept elsewhere.
            self.tree.body_mut(body).is_row = true;
        }
        body
    }

    /// The place to which a key of the innermost map leads.
    fn lead(&mut self, step: Step, key: &str, at: u64) -> Result<u32, Refusal> {
        let body = self.open_body();
        let Some(top) = self.frames.last() else { return Ok(0) };
        let (place, number) = (top.place, top.number);
        let found = self.tree.child(body, step, key, top.next);
        let (child, index) = match found {
            Some(found) => found,
            None if self.tree.len() >= PLACES => return Err(self.too_many(at)),
            None if self.tree.is_full(body, step) => (self.tree.unite(body), 0),
            None => {
                let depth = self.tree.place(place).depth + 1;
                let child = self.tree.add_child(body, (step, key), depth, self.events);
                (child, self.tree.body(body).children.len() - 1)
            }
        };
        if let Some(keys) = &mut self.tree.body_mut(body).keys {
            keys.give(key, true);
        }
        let of = self.tree.place_mut(child);
        if of.now.1 == number && of.step != Step::Any {
            of.now.0 += 1;
        } else {
            of.now = (1, number);
            of.present += 1;
        }
        of.most = of.most.max(of.now.0);
        if let Some(top) = self.frames.last_mut() {
            top.members += 1;
            top.next = index + 1;
        }
        self.events += 1;
        Ok(child)
    }

    /// The place of the value that comes.
    fn place(&mut self, at: u64) -> Result<u32, Refusal> {
        match self.aim {
            Aim::Waiting => self.stop_waiting(at)?,
            Aim::Tag => self.meet_tag(None, at)?,
            _ => {}
        }
        if let Aim::Place(place) = std::mem::take(&mut self.aim) {
            return Ok(place);
        }
        let Some(top) = self.frames.last_mut() else { return Ok(0) };
        let place = top.place;
        top.members += 1;
        self.events += 1;
        let known = self.tree.place(place).arrays.item;
        if known != 0 {
            return Ok(known);
        }
        if self.tree.len() >= PLACES {
            return Err(self.too_many(at));
        }
        Ok(self.tree.item(place, self.events))
    }

    fn begin(&mut self, is_list: bool, at: u64) -> Result<Flow, Refusal> {
        let place = self.place(at)?;
        let is_element = std::mem::take(&mut self.is_element);
        if self.tree.place(place).depth >= DEEPEST {
            self.tree.place_mut(place).deep += 1;
            return Ok(Flow::Skip);
        }
        self.number += 1;
        make_room(&mut self.frames, 1);
        self.frames.push(Frame {
            place,
            body: 0,
            number: self.number,
            is_list,
            is_element,
            members: 0,
            has_elements: false,
            is_nil: false,
            next: 0,
            is_apart: false,
            tag: None,
            text: self.text.len(),
            length: 0,
            is_long: false,
        });
        Ok(Flow::Take)
    }

    /// A scalar at a place.
    #[inline(always)]
    fn give(&mut self, id: u32, value: Scalar<'_>) {
        let place = self.tree.place_mut(id);
        match value {
            Scalar::Null => place.nulls += 1,
            Scalar::Bool(false) => place.bools.0 += 1,
            Scalar::Bool(true) => place.bools.1 += 1,
            Scalar::Int(value) => place.ints.give(value),
            Scalar::Float(value) => place.floats.give_double(value),
            Scalar::Number(digits) | Scalar::Decimal(digits) => {
                number(digits, &mut place.ints, &mut place.floats);
            }
            Scalar::Text(text) | Scalar::Untyped(text) => {
                let is_quoted = matches!(value, Scalar::Text(_));
                let text = text.text.as_str();
                place.texts.get_or_insert_default().give(text, is_quoted);
                if place.may_tell {
                    self.tell(id, text);
                }
            }
            Scalar::Bytes(_) => place.bytes += 1,
            Scalar::Uid(_) => place.uids += 1,
            _ => place.moments += 1,
        }
    }

    /// A text that may tell of what class the innermost map is.
    #[inline(never)]
    fn tell(&mut self, child: u32, text: &str) {
        let Some(top) = self.frames.last_mut() else { return };
        if top.tag.is_some() || !top.is_apart || text.is_empty() || text.len() > LONGEST {
            return;
        }
        top.tag = Some((child, copied(text).into()));
        // What came before it goes where it belongs, and so does the rest.
        let (place, body) = (top.place, top.body);
        let key = self.tree.place(child);
        let (name, step) = (key.key.clone(), key.step);
        let Tag::By(of, by, _) = &self.tree.place(place).tag else { return };
        if (of, *by) != (&name, step) {
            return;
        }
        let known = self.tree.tagged(place, text);
        if known == 0 {
            return;
        }
        self.tree.join_bodies(known, body);
        let next = self.tree.child(known, step, &name, 0).map_or(0, |(_, index)| index + 1);
        if let Some(top) = self.frames.last_mut() {
            (top.body, top.is_apart, top.next) = (known, false, next);
        }
    }

    /// A map ends: its members are counted where they belong.
    fn end_body(&mut self, frame: &Frame) {
        let body = self.tree.body_mut(frame.body);
        body.count += 1;
        body.most = body.most.max(frame.members);
        if !frame.is_apart {
            return;
        }
        let place = frame.place;
        let tag = frame.tag.as_ref().map(|(child, value)| {
            let child = self.tree.place(*child);
            (child.key.clone(), child.step, value)
        });
        match (&self.tree.place(place).tag, tag) {
            (Tag::Unknown, Some((key, step, value))) => {
                self.tree.place_mut(place).tag = Tag::By(key, step, Vec::new());
                self.tree.add_tagged(place, value, frame.body);
            }
            (Tag::By(key, step, _), Some((of, by, value))) if *key == of && *step == by => {
                self.tree.add_tagged(place, value, frame.body);
            }
            _ => {
                self.tree.untag(place);
                self.tree.place_mut(place).tag = Tag::Nothing;
                self.tree.add_untagged(place, frame.body);
            }
        }
    }

    fn end(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.stop_waiting(at)?;
        if self.frames.last().is_some_and(|top| top.is_element) {
            self.end_element(at)?;
        } else {
            if self.frames.last().is_some_and(|top| !top.is_list) {
                self.open_body();
            }
            if let Some(frame) = self.frames.pop() {
                match frame.is_list {
                    true => self.end_list_of(&frame),
                    false => self.end_body(&frame),
                }
            }
        }
        self.aim = Aim::Here;
        Ok(self.ended())
    }

    fn end_list_of(&mut self, frame: &Frame) {
        let arrays = &mut self.tree.place_mut(frame.place).arrays;
        arrays.count += 1;
        let length = frame.members;
        arrays.length = Some(match arrays.length {
            Some((least, most)) => (least.min(length), most.max(length)),
            None => (length, length),
        });
    }

    fn end_element(&mut self, at: u64) -> Result<(), Refusal> {
        let Some(top) = self.frames.last() else { return Ok(()) };
        let (start, length, is_long, place) = (top.text, top.length, top.is_long, top.place);
        let has_parts = top.body != 0;
        let is_blank = !is_long && xsd::trimmed(&self.text.as_bytes()[start..]).is_empty();
        let mut into = Some(place);
        if top.is_nil {
            self.tree.place_mut(place).nulls += 1;
            into = None;
        } else if has_parts {
            let has_elements = top.has_elements;
            into = None;
            if !is_blank {
                into = Some(self.lead(Step::Text, "", at)?);
                if let Some(top) = self.frames.last_mut() {
                    // It is no key.
                    top.members -= 1;
                }
                if has_elements && let Some(top) = self.frames.last() {
                    self.tree.body_mut(top.body).mixed += 1;
                }
            }
        }
        if let Some(place) = into {
            let texts = self.tree.place_mut(place).texts.get_or_insert_default();
            match is_long {
                true => texts.give_long(length),
                false => texts.give(&self.text[start..], false),
            }
        }
        self.text.truncate(start);
        if let Some(frame) = self.frames.pop()
            && has_parts
        {
            self.end_body(&frame);
        }
        if self.frames.is_empty() && !self.led_by.is_empty() {
            self.names.give_often(&self.led_by, 1);
        }
        Ok(())
    }

    /// After each value: if it was a record, that is complete.
    fn ended(&mut self) -> Flow {
        if self.frames.is_empty() {
            self.complete += 1;
            self.clear();
            if let Some(mut whole) = self.whole.take() {
                let has_columns = self.has_columns;
                whole.absorb(std::mem::take(self));
                (self.whole, self.has_columns) = (Some(whole), has_columns);
            }
        }
        Flow::Take
    }
}

impl Sink for Evidence {
    type Error = Refusal;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.begin(false, at)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.begin(true, at)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.end(at)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.end(at)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Refusal> {
        let local = key.name.text.as_str();
        self.is_element = key.kind == KeyKind::Element;
        if self.frames.is_empty() {
            return Ok(Flow::Take);
        }
        if let Some(top) = self.frames.last_mut() {
            top.is_element |= key.kind != KeyKind::Member;
        }
        if key.kind == KeyKind::Attribute && is_about(&key) {
            if local == "nil" || local.ends_with(":nil") {
                self.aim = Aim::Nil;
                return Ok(Flow::Take);
            }
            return Ok(Flow::Skip);
        }
        let step = match key.kind {
            KeyKind::Member => Step::Member,
            KeyKind::Attribute => Step::Attribute,
            KeyKind::Element => {
                if let Some(top) = self.frames.last_mut() {
                    top.has_elements = true;
                }
                Step::Element
            }
        };
        let Some(prefix) = key.prefix else {
            return self.member(step, local, at);
        };
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        make_room(&mut name, local.len() + 2);
        match key.namespace {
            Some(uri) => {
                make_room(&mut name, uri.bytes().len() + 2);
                name.push('{');
                name.push_str(uri.text.as_str());
                name.push('}');
            }
            None => {
                make_room(&mut name, prefix.bytes().len() + 1);
                name.push_str(prefix.text.as_str());
                name.push(':');
            }
        }
        make_room(&mut name, local.len());
        name.push_str(local);
        let led = self.member(step, &name, at);
        self.name = name;
        led
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Refusal> {
        if self.aim == Aim::Nil {
            self.aim = Aim::Here;
            if let (Some(top), Scalar::Untyped(text) | Scalar::Text(text)) =
                (self.frames.last_mut(), value)
            {
                top.is_nil = xsd::boolean(xsd::trimmed(text.bytes())) == Some(true);
            }
            return Ok(Flow::Take);
        }
        self.is_element = false;
        match (self.aim, value) {
            (Aim::Waiting, value) if self.waiting.add_value(value) => {
                self.aim = Aim::Here;
                return Ok(Flow::Take);
            }
            (Aim::Tag, Scalar::Text(text) | Scalar::Untyped(text)) => {
                self.meet_tag(Some(text.text.as_str()), at)?;
            }
            _ => {}
        }
        let id = self.place(at)?;
        self.give(id, value);
        if self.frames.is_empty() { Ok(self.ended()) } else { Ok(Flow::Take) }
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Refusal> {
        let Some(top) = self.frames.last_mut() else { return Ok(Flow::Take) };
        top.is_element = true;
        let text = text.text.as_str();
        // Between elements, white space says nothing.
        if top.has_elements && xsd::trimmed(text.as_bytes()).is_empty() {
            return Ok(Flow::Take);
        }
        top.length += count_code_points(text.as_bytes()) as u64;
        let held = self.text.len() - top.text;
        if held + text.len() <= KEPT {
            make_room(&mut self.text, text.len());
            self.text.push_str(text);
        } else {
            top.is_long = true;
        }
        Ok(Flow::Take)
    }
    fn matched(&mut self, by: Matched<'_>) {
        if let Matched::Key(name) = by {
            let name = name.text.as_str();
            self.led_by.clear();
            make_room(&mut self.led_by, name.len());
            self.led_by.push_str(name);
        }
    }
    fn abandon(&mut self) {
        self.clear();
        if self.whole.is_some() {
            (self.tree, self.names, self.events) = (Tree::default(), Texts::default(), 0);
        }
    }
}

impl Hints for Evidence {
    fn want(&self) -> Want {
        Want::Digits
    }
}

impl LookAhead for Evidence {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        _wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        // A table without rows has columns, too.
        if !self.frames.is_empty() {
            return Ok(RowsAs::Maps);
        }
        self.has_columns = true;
        if let Some(whole) = &mut self.whole {
            return whole.columns(known);
        }
        self.columns(known)
    }
}

impl Evidence {
    /// The columns of a table.
    fn columns(&mut self, known: &KnownKeys<'_>) -> Result<RowsAs, Refusal> {
        let names = known.keys.iter().map(|key| key.name.text.as_str());
        if let Some((column, name)) = repeated(names, |_| true) {
            let reason = format!("the column {} occurs more than once", brief(name));
            let mut refused = self.misfit(known.at(column), Code::Repeated, reason);
            refused.path = vec![PathStep::Key(copied(name))];
            return Err(refused);
        }
        if self.tree.len() + known.keys.len() > PLACES {
            return Err(self.too_many(known.at));
        }
        let body = match self.tree.place(0).body {
            0 => self.tree.add_body(),
            known => known,
        };
        let record = self.tree.place_mut(0);
        (record.body, record.tag) = (body, Tag::Nothing);
        self.tree.body_mut(body).is_row = true;
        for key in known.keys {
            let name = key.name.text.as_str();
            if self.tree.child(body, Step::Member, name, 0).is_none() {
                self.tree.add_child(body, (Step::Member, name), 1, self.events);
                self.events += 1;
            }
        }
        Ok(RowsAs::Maps)
    }
}

impl Body {
    /// The places that come in an object, in the order of their first appearance.
    #[must_use]
    pub fn in_order(&self, tree: &Tree) -> Vec<u32> {
        let mut children = self.children.clone();
        children.sort_by_key(|child| tree.place(*child).first);
        children
    }
}

impl Place {
    /// The step that leads there, as `at` writes it.
    #[must_use]
    pub fn at(&self) -> String {
        match self.step {
            Step::Member => PathStep::Key(copied(&self.key)).to_string(),
            Step::Attribute => format!("@{}", self.key),
            Step::Element => copied(&self.key),
            Step::Text => "text()".to_owned(),
            Step::Item | Step::Any => "*".to_owned(),
            Step::Record => String::new(),
        }
    }
}
