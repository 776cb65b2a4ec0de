//! Finds the schema of records: a destination that keeps [what was found](crate::found).
//!
//! A record counts when it is complete: what was seen in it is kept until then, so a record in error
//! adds nothing. Only of a record with very many values is some of that counted before.

use crate::found::{At, Found, Mixed, Numbers, Step as Kin, Unfound, called, kind};
use crate::wanted::{ALL, Wanted};
use penstock_core::error::{Fail, brief};
use penstock_core::event::{Key, KeyKind, KnownKeys, Scalar, Text, repeated};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{
    Code, Destination, Flow, FormatReader, Hints, InputView, LookAhead, Misfit, Refused, RowsAs,
    Sink, Step, Want,
};
use penstock_core::split::{Shares, Worker};
use penstock_core::xml::is_about;
use penstock_scan::{copied, make_room};
use std::convert::Infallible;
use std::sync::Arc;

/// The most values of a record that are kept until it is complete.
const MOST: usize = 1 << 16;

/// The longest text that may stand for a number.
const LONGEST: usize = 32;

/// The most digits of a fraction in untyped text: that many a double keeps.
const EXACT: usize = 17;

/// A value of the record.
#[derive(Clone, Copy, Debug)]
struct Fact {
    place: u32,
    kinds: u16,
    counts: Counts,
    /// Which of the parents it is in.
    parent: u64,
    numbers: Option<Numbers>,
}

/// What a value counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// As a value of its parent.
    Value,
    /// As a parent of values.
    Parent,
    /// As nothing more.
    Nothing,
}

/// An open map, list or element.
#[derive(Clone, Copy, Debug)]
struct Frame {
    place: u32,
    /// Its number among all.
    number: u64,
    is_element: bool,
    /// Whether it is a list, and its next index.
    index: Option<u64>,
    /// Where among the children the next key is expected.
    next: usize,
    /// What is wanted in it.
    wanted: u32,
    /// Whether an element has attributes or child elements.
    has_parts: bool,
    /// Where its own text begins, and whether it is more than is kept.
    text: usize,
    is_long: bool,
}

/// Why a record is refused: where, what is wrong, and its path.
pub(crate) type Refusal = Box<Misfit<Infallible>>;

/// The sink that finds a schema.
#[derive(Debug)]
pub struct Finder {
    found: Found,
    part: u32,
    /// What the parts are called, if there are several.
    parts: Vec<Box<str>>,
    records: u64,
    /// How many of them were complete.
    complete: u64,
    /// How many of them may be.
    most: u64,
    facts: Vec<Fact>,
    frames: Vec<Frame>,
    /// How many maps and elements there were.
    number: u64,
    /// How many places this part has made.
    made: u64,
    /// Where the key before the next value leads.
    key: Option<u32>,
    /// The places that are looked at, if those are not all.
    wanted: Option<Arc<Wanted>>,
    /// What is wanted in the next value.
    key_wanted: u32,
    /// The beginning of the text of the open elements.
    text: String,
    name: String,
}

impl Default for Finder {
    fn default() -> Self {
        Finder::new()
    }
}

impl Finder {
    /// Knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Finder {
            found: Found::new(),
            part: 0,
            parts: Vec::new(),
            records: 0,
            complete: 0,
            most: u64::MAX,
            facts: Vec::new(),
            frames: Vec::new(),
            number: 0,
            made: 0,
            key: None,
            wanted: None,
            key_wanted: ALL,
            text: String::new(),
            name: String::new(),
        }
    }

    /// The same, but only these places are looked at, and values of several kinds may be at one of
    /// them.
    #[must_use]
    pub fn of(wanted: Option<Arc<Wanted>>, mixed: Mixed) -> Self {
        let mut finder = Finder { wanted, ..Finder::new() };
        finder.found.mixed = mixed;
        finder
    }

    /// How many records of this part were complete.
    #[must_use]
    pub fn complete(&self) -> u64 {
        self.complete
    }

    /// Ends behind so many records of this part, of which there is at least one.
    pub fn end_behind(&mut self, most: u64) {
        self.most = most;
    }

    /// The records that follow are of another part, of this name.
    pub fn begin_part(&mut self, name: &str) {
        self.clear();
        self.part = self.parts.len() as u32;
        make_room(&mut self.parts, 1);
        self.parts.push(copied(name).into());
        (self.records, self.complete, self.made) = (0, 0, 0);
    }

    /// The part begins behind so many records.
    pub fn pass_records(&mut self, records: u64) {
        self.records = records;
    }

    /// What was found.
    #[must_use]
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// What was found, and what the parts are called.
    #[must_use]
    pub fn into_parts(self) -> (Found, Vec<Box<str>>) {
        (self.found, self.parts)
    }

    fn clear(&mut self) {
        for fact in self.facts.drain(..) {
            self.found.place_mut(fact.place).now = 0;
        }
        self.frames.clear();
        self.text.clear();
        self.key = None;
    }

    /// The path of the current value.
    fn steps(&self, inside: bool) -> Vec<PathStep> {
        let mut steps = Vec::new();
        for (depth, frame) in self.frames.iter().enumerate() {
            if let Some(next) = frame.index {
                steps.push(PathStep::Index(next.saturating_sub(1)));
                continue;
            }
            let below = self.frames.get(depth + 1).map(|frame| frame.place).or(self.key);
            if let Some(below) = below {
                let place = self.found.place(below);
                steps.push(match place.step {
                    Kin::Attribute => PathStep::Attribute(copied(&place.name[1..])),
                    _ => PathStep::Key(copied(&place.name)),
                });
            }
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
        Box::new(misfit)
    }

    #[cold]
    fn unfound(&self, at: u64, why: &Unfound) -> Refusal {
        let mut refused = self.misfit(at, Code::Limit, why.to_string());
        refused.limit = true;
        refused
    }

    /// The child of the open map or element. False if nobody wants it.
    fn lead(&mut self, name: &str, step: Kin, at: u64) -> Result<bool, Refusal> {
        let Some(top) = self.frames.last().copied() else { return Ok(true) };
        self.key_wanted = match &self.wanted {
            None => ALL,
            Some(_) if step == Kin::Item => top.wanted,
            Some(wanted) => match wanted.child(top.wanted, name) {
                Some(inside) => inside,
                None => return Ok(false),
            },
        };
        let (child, next) = match self.found.child(top.place, name, top.next) {
            Some(found) => found,
            None => {
                self.made += 1;
                let order = (self.part, self.made);
                let child = self.found.add(top.place, name, step, order);
                let child = child.map_err(|why| self.unfound(at, &why))?;
                (child, self.found.place(top.place).children.len())
            }
        };
        if let Some(top) = self.frames.last_mut() {
            top.next = next;
        }
        self.key = Some(child);
        Ok(true)
    }

    /// The place of the value that comes.
    fn aim(&mut self, at: u64) -> Result<u32, Refusal> {
        let Some(top) = self.frames.last_mut() else { return Ok(0) };
        let Some(index) = &mut top.index else { return Ok(self.key.unwrap_or_default()) };
        *index += 1;
        self.lead("", Kin::Item, at)?;
        Ok(self.key.take().unwrap_or_default())
    }

    /// Keeps that values of these kinds are at a place.
    fn give(
        &mut self,
        place: u32,
        kinds: u16,
        counts: Counts,
        numbers: Option<Numbers>,
        at: u64,
    ) -> Result<(), Refusal> {
        let of = self.found.place(place);
        let is_element = of.step == Kin::Element || place == 0;
        let known = of.kinds | of.now;
        if !self.found.mixed.agree(known | kinds, is_element) {
            return Err(self.disagree(known, kinds, of.first, at));
        }
        if self.facts.len() >= MOST {
            self.settle();
        }
        self.found.place_mut(place).now |= kinds;
        let parent = self.frames.last().map_or(0, |top| top.number);
        make_room(&mut self.facts, 1);
        self.facts.push(Fact { place, kinds, counts, parent, numbers });
        Ok(())
    }

    #[cold]
    fn disagree(&self, known: u16, kinds: u16, first: Option<At>, at: u64) -> Refusal {
        let record = At { part: self.part, record: self.records + 1 };
        let first = first.unwrap_or(record);
        let place = match self.parts.get(first.part as usize) {
            Some(name) if self.part != first.part => {
                format!("record {} of {name}", first.record)
            }
            _ if first == record => "this record".to_owned(),
            _ => format!("record {}", first.record),
        };
        let (expected, got) = (called(known), called(kinds));
        let advice = self.found.mixed.advice(known | kinds);
        let reason = format!("expected {expected} as in {place}, got {got}{advice}");
        let mut refused = self.misfit(at, Code::Type, reason);
        refused.expected = Some(expected.to_owned());
        refused.got = Some(got.to_owned());
        refused
    }

    /// Counts what was kept.
    fn settle(&mut self) {
        let record = At { part: self.part, record: self.records + 1 };
        for fact in self.facts.drain(..) {
            let place = self.found.place_mut(fact.place);
            place.kinds |= fact.kinds;
            place.now = 0;
            if let Some(numbers) = &fact.numbers {
                place.numbers.join(numbers);
            }
            if place.first.is_none() && fact.kinds & !(kind::NULL | kind::EMPTY) != 0 {
                place.first = Some(record);
            }
            if fact.kinds & (kind::WRITTEN | kind::TEXT) != 0 {
                place.texts += 1;
            }
            match fact.counts {
                Counts::Value if place.last == fact.parent && fact.parent > 0 => {
                    place.repeats |= place.step == Kin::Element;
                }
                Counts::Value => {
                    place.rows += 1;
                    place.last = fact.parent;
                }
                Counts::Parent => place.instances += 1,
                Counts::Nothing => {}
            }
        }
    }

    fn begin(&mut self, is_list: bool, at: u64) -> Result<Flow, Refusal> {
        let place = self.aim(at)?;
        let is_element = !is_list && self.found.place(place).step == Kin::Element;
        if place == 0 && is_list {
            return Err(self.no_record("an array", at));
        }
        if is_element {
            // Its kinds are known when it ends.
            self.give(place, 0, Counts::Value, None, at)?;
        } else {
            let of = if is_list { kind::LIST } else { kind::STRUCT };
            self.give(place, of, Counts::Value, None, at)?;
            self.give(place, of, Counts::Parent, None, at)?;
        }
        self.number += 1;
        make_room(&mut self.frames, 1);
        let is_record = self.frames.is_empty();
        let inside = if is_record && self.wanted.is_some() { 0 } else { self.key_wanted };
        self.frames.push(Frame {
            place,
            number: self.number,
            is_element,
            index: is_list.then_some(0),
            next: 0,
            wanted: inside,
            has_parts: false,
            text: self.text.len(),
            is_long: false,
        });
        self.key = None;
        Ok(Flow::Take)
    }

    fn ended(&mut self) -> Flow {
        if self.frames.is_empty() {
            self.settle();
            self.records += 1;
            self.complete += 1;
            self.clear();
            if self.complete >= self.most {
                return Flow::Stop;
            }
        }
        Flow::Take
    }

    fn end_element(&mut self, frame: Frame, at: u64) -> Result<(), Refusal> {
        let (kinds, numbers) =
            if frame.is_long { (kind::UNTYPED, None) } else { written(&self.text[frame.text..]) };
        self.text.truncate(frame.text);
        let is_blank = kinds & kind::EMPTY != 0 || kinds == BLANK;
        let kinds = match (frame.has_parts || frame.place == 0, is_blank) {
            (true, true) => kind::STRUCT,
            (true, false) => kind::STRUCT | (kinds & !BLANK),
            (false, _) => kinds & !BLANK | if kinds & BLANK != 0 { kind::UNTYPED } else { 0 },
        };
        // The record itself has counted already.
        let counts = if frame.place == 0 { Counts::Nothing } else { Counts::Parent };
        self.give(frame.place, kinds, counts, numbers, at)
    }

    #[cold]
    fn no_record(&self, got: &str, at: u64) -> Refusal {
        let mut reason = format!("expected an object, got {got}");
        if got == "an array" {
            reason.push_str(
                "; a NamedTuple as the class names its elements, and one more '/*' at the end of \
                 at= makes records of them",
            );
        }
        let mut refused = self.misfit(at, Code::Type, reason);
        refused.expected = Some("an object".to_owned());
        refused.got = Some(got.to_owned());
        refused
    }
}

/// Stands for text of white space only, which is never kept.
const BLANK: u16 = 1 << 15;

/// The kinds of untyped text, and the number if it is one.
fn written(text: &str) -> (u16, Option<Numbers>) {
    match text {
        "" => return (kind::EMPTY, None),
        "true" | "false" => return (kind::UNTYPED_BOOL, None),
        _ => {}
    }
    let bytes = text.as_bytes();
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return (BLANK, None);
    }
    if bytes.len() > LONGEST || !matches!(bytes[0], b'0'..=b'9' | b'-') {
        return (kind::UNTYPED, None);
    }
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let starts = whole == 1 || (whole > 1 && digits[0] != b'0');
    if !starts {
        return (kind::UNTYPED, None);
    }
    if whole == digits.len() {
        // There is one zero only.
        return match text {
            "-0" => (kind::UNTYPED, None),
            _ => (kind::UNTYPED_INT, Some(integer(bytes))),
        };
    }
    let number = digits.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
    let kept = number.iter().filter(|byte| byte.is_ascii_digit());
    let kept = kept.skip_while(|byte| **byte == b'0').count();
    let rest = &digits[whole..];
    let is_number = is_fraction(rest) && kept <= EXACT;
    let is_finite = text.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number && is_finite {
        (kind::UNTYPED_FLOAT, Some(Numbers::default()))
    } else {
        (kind::UNTYPED, None)
    }
}

/// Whether it is a point and digits, or an exponent, or both.
fn is_fraction(rest: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = match rest.strip_prefix(b".") {
        Some(behind) => match digits(behind) {
            0 => return false,
            count => &behind[count..],
        },
        None => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', power @ ..] => {
            let power = power.strip_prefix(b"-").or(power.strip_prefix(b"+")).unwrap_or(power);
            !power.is_empty() && digits(power) == power.len()
        }
        _ => false,
    }
}

/// An integer by its digits, which have no needless zeros.
fn integer(digits: &[u8]) -> Numbers {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let count = digits.iter().filter(|byte| byte.is_ascii_digit()).count();
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let mut numbers = Numbers { digits: (count, 0), ..Numbers::default() };
    if let Ok(value) = text.parse::<i64>() {
        return small(value);
    }
    numbers.inexact = true;
    match text.parse::<u64>() {
        Ok(value) => numbers.most = value,
        Err(_) => numbers.beyond = true,
    }
    numbers
}

fn small(value: i64) -> Numbers {
    let count = value.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
    Numbers {
        least: value.min(0),
        most: u64::try_from(value).unwrap_or_default(),
        beyond: false,
        inexact: value.unsigned_abs() > 1 << 53,
        digits: (count, 0),
    }
}

/// The digits of a JSON number.
fn number(digits: &[u8]) -> (u16, Numbers) {
    if digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-')) {
        return (kind::INT, integer(digits));
    }
    let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
    let split = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, power) = match split {
        Some(at) => (&unsigned[..at], &unsigned[at + 1..]),
        None => (unsigned, &b"0"[..]),
    };
    let power = std::str::from_utf8(power).ok().and_then(|power| power.parse::<i64>().ok());
    // A power beyond that has no decimal number here anyway.
    let power = power.unwrap_or(i64::from(i32::MAX)).clamp(-100_000, 100_000);
    let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
    let behind = mantissa.get(point + 1..).unwrap_or_default();
    let behind = behind.len() - behind.iter().rev().take_while(|byte| **byte == b'0').count();
    let bounded = |count: i64| u32::try_from(count.clamp(0, 1 << 30)).unwrap_or(u32::MAX >> 2);
    let digits = (bounded(point as i64 + power), bounded(behind as i64 - power));
    (kind::FLOAT, Numbers { digits, ..Numbers::default() })
}

impl Sink for Finder {
    type Error = Refusal;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.begin(false, at)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Refusal> {
        self.begin(true, at)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Refusal> {
        if let Some(frame) = self.frames.pop()
            && frame.is_element
        {
            self.end_element(frame, at)?;
        }
        self.key = None;
        Ok(self.ended())
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Refusal> {
        self.frames.pop();
        self.key = None;
        Ok(self.ended())
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Refusal> {
        let local = key.name.text.as_str();
        if self.frames.is_empty() {
            return Ok(Flow::Take);
        }
        if key.kind == KeyKind::Attribute && is_about(&key) {
            return Ok(Flow::Skip);
        }
        if let Some(top) = self.frames.last_mut() {
            top.has_parts = true;
            top.is_element |= key.kind != KeyKind::Member;
        }
        let step = match key.kind {
            KeyKind::Member => {
                let is_wanted = self.lead(local, Kin::Member, at)?;
                return Ok(if is_wanted { Flow::Take } else { Flow::Skip });
            }
            KeyKind::Element => Kin::Element,
            KeyKind::Attribute => Kin::Attribute,
        };
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        if step == Kin::Attribute {
            name.push('@');
        }
        if let Some(prefix) = key.prefix {
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
        }
        make_room(&mut name, local.len());
        name.push_str(local);
        let led = self.lead(&name, step, at);
        self.name = name;
        led.map(|is_wanted| if is_wanted { Flow::Take } else { Flow::Skip })
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Refusal> {
        if self.frames.is_empty() {
            return Err(self.no_record(value.called(), at));
        }
        let place = self.aim(at)?;
        let (kinds, numbers) = match value {
            Scalar::Null => (kind::NULL, None),
            Scalar::Bool(_) => (kind::BOOL, None),
            Scalar::Int(value) => (kind::INT, Some(small(value))),
            Scalar::Number(digits) | Scalar::Decimal(digits) => {
                let (kinds, numbers) = number(digits);
                (kinds, Some(numbers))
            }
            Scalar::Float(_) => {
                // Its digits are not known.
                let digits = (u32::MAX >> 2, 0);
                (kind::FLOAT, Some(Numbers { digits, ..Numbers::default() }))
            }
            Scalar::Text(_) => (kind::TEXT, None),
            Scalar::Untyped(text) => match written(text.text.as_str()) {
                (BLANK, _) => (kind::UNTYPED, None),
                known => known,
            },
            Scalar::DateTime(_) | Scalar::Since2001(_) => (kind::MOMENT, None),
            Scalar::Bytes(_) => (kind::BYTES, None),
            other => {
                let reason = format!("{} has no column", other.called());
                return Err(self.misfit(at, Code::Type, reason));
            }
        };
        self.give(place, kinds, Counts::Value, numbers, at)?;
        self.key = None;
        Ok(Flow::Take)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, Refusal> {
        let Some(top) = self.frames.last_mut() else { return Ok(Flow::Take) };
        top.is_element = true;
        let held = self.text.len() - top.text;
        let text = text.text.as_str();
        // White space in front of children is kept in short only.
        let is_blank = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if held + text.len() > LONGEST && (!is_blank || held == 0) {
            if !is_blank {
                top.is_long = true;
            } else {
                self.text.push(' ');
            }
            return Ok(Flow::Take);
        }
        if held + text.len() <= LONGEST {
            make_room(&mut self.text, text.len());
            self.text.push_str(text);
        }
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {
        self.clear();
        self.records += 1;
    }
}

impl Hints for Finder {
    fn want(&self) -> Want {
        Want::Digits
    }
}

impl LookAhead for Finder {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        // A table without rows has columns, too.
        if self.frames.is_empty() {
            let names = known.keys.iter().map(|key| key.name.text.as_str());
            if let Some((column, name)) = repeated(names, |_| true) {
                let reason = format!("the column {} occurs more than once", brief(name));
                let mut refused = self.misfit(known.at(column), Code::Repeated, reason);
                refused.path = vec![PathStep::Key(copied(name))];
                return Err(refused);
            }
            for (key, want) in known.keys.iter().zip(wanted) {
                let name = key.name.text.as_str();
                if self.wanted.as_ref().is_some_and(|wanted| wanted.child(0, name).is_none()) {
                    *want = None;
                    continue;
                }
                if self.found.child(0, name, 0).is_none() {
                    self.made += 1;
                    let added = self.found.add(0, name, Kin::Member, (self.part, self.made));
                    let child = added.map_err(|why| self.unfound(known.at, &why))?;
                    self.found.place_mut(child).kinds |= kind::COLUMN;
                }
            }
        }
        Ok(RowsAs::Maps)
    }
}

impl Destination for Finder {
    type Error = Refusal;
    type Cause = Infallible;
    type Break = Infallible;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Refusal>> {
        reader.run_dyn(given, self)
    }
    fn refused(&mut self, refusal: Refusal, _: InputView<'_>) -> Refused<Infallible, Infallible> {
        Refused::Misfit(*refusal)
    }
    fn refusal(&self, at: u64, reason: String) -> Option<Refusal> {
        Some(Box::new(Misfit::new(at, reason, Vec::new())))
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _: InputView<'_>) -> Vec<PathStep> {
        self.steps(inside)
    }
    fn ready(&self) -> u64 {
        self.complete
    }
}

/// Finds the schema of a piece on its own, to be merged.
impl Worker for Finder {
    fn anew(&self, _used: Option<Self>) -> Option<Self> {
        Some(Finder::of(self.wanted.clone(), self.found.mixed))
    }
}

impl Shares for Finder {
    type Worker = Finder;

    fn worker(&self, others: bool) -> Option<Finder> {
        // A worker is told the columns of a table once more: behind a row, that says nothing new.
        if self.complete > 0 || others { self.anew(None) } else { None }
    }
    fn can_take(&self, worker: &Finder) -> bool {
        self.found.goes_on_with(&worker.found)
    }
    fn take_over(
        &mut self,
        worker: &mut Finder,
        _from: usize,
    ) -> Result<Option<usize>, Infallible> {
        worker.found.number(self.part, self.made, self.records);
        self.found.merge(&worker.found).expect("what it can take");
        self.made += worker.made;
        self.records += worker.records;
        self.complete += worker.complete;
        Ok(None)
    }
}

/// A place as messages show it.
pub(crate) struct Shown(pub(crate) (&'static str, Option<At>));

impl std::fmt::Display for Shown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, at) = self.0;
        match at {
            Some(at) if at.part > 0 => {
                write!(out, "{name} in record {} of part {}", at.record, at.part + 1)
            }
            Some(at) => write!(out, "{name} in record {}", at.record),
            None => write!(out, "{name}"),
        }
    }
}
