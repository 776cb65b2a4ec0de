//! One format to another: a reader's events into a writer, without an object in between.
//!
//! A [`Conversion`] is a [`Destination`] of a run. It owns a writer and an [`Output`], to which it
//! hands the writer's text: between records whenever there is enough, and within a record only if
//! nobody may abandon it. So a run needs no pause, and takes no more memory than one record, or
//! less.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the events, and what is between a reader and a writer |
//! | `conversion.rs` | the destination of a run |
//! | `plain.rs`, `names.rs` | elements to members: `@attribute`, `#text`, lists of repeated elements |
//! | `elements.rs`, `lists.rs` | elements to lists that lose nothing, and back |
//! | `members.rs` | which member of a repeated key is written |
//! | `cut.rs` | which columns of a table are kept |
//! | `out.rs` | the writer, and when its text is handed on |
//! | `worker.rs` | records of a piece of the text, converted in a thread of their own |
//! | `native/` | records of a class, without Python |
//!
//! Members become elements, and members members, without anything in between: the writers know the
//! conventions.

mod conversion;
mod cut;
mod elements;
mod lists;
mod members;
mod names;
pub mod native;
mod out;
mod plain;
mod worker;

pub use conversion::{Conversion, Stopped, Unfinished};
pub use cut::Cut;
pub use names::ForceList;
pub use out::{Kept, Output};

use crate::error::{Fail, brief};
use crate::event::{Cell, Key, KeyKind, KnownKeys, Row, Scalar, Text, repeated};
use crate::formats::AnyWriter;
use crate::path_step::PathStep;
use crate::protocol::{
    Code, Copies, Destination, Duplicates, Flow, FormatReader, Hints, InputView, LookAhead, Misfit,
    Refused, RowsAs, Sink, Step, Trail, Want, expand,
};
use crate::select::{Condition, Records};
use crate::value::number::Outcome;
use crate::writer::{Kind, Unwritable, Writer};
use elements::Elements;
use lists::Lists;
use members::{Member, Members};
use out::Out;
use penstock_scan::copied;
use plain::Plain;
use std::sync::Arc;

/// The form of elements among members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Maps, lists and text, as Penstock reads XML without a class: the convention of xmltodict.
    #[default]
    Plain,
    /// Lists that lose nothing: `["name", {"attribute": "value"}, "text", ["child"]]`.
    Element,
}

/// What a conversion does.
#[derive(Debug)]
pub struct Settings {
    /// Whether the source has elements.
    pub from_elements: bool,
    /// Whether the source's prefixes are resolved.
    pub has_namespaces: bool,
    /// The form of elements, if only one side has them.
    pub form: Form,
    /// Which elements are lists in the plain form although they occur once.
    pub force_list: ForceList,
    /// Which values are converted: none for each value at the root.
    pub records: Option<Records>,
    /// Which of them are wanted, if not all are.
    pub condition: Option<Arc<Condition>>,
    /// Whether a record in error is left out, so that its text waits until it is whole.
    pub leaves_out: bool,
    /// Which member of a repeated key is written: each one, or else not all of them. There are no
    /// elements on either side, unless in the plain form.
    pub duplicates: Option<Duplicates>,
}

/// What stands between the reader and the writer.
#[derive(Debug)]
enum Stage {
    Nothing,
    Plain(Box<Plain>),
    Elements(Box<Elements>),
    Lists(Lists),
    Members(Box<Members>),
}

/// Converts each value at the root. It is the destination of a [`Conversion`] behind the selection
/// of its records.
#[derive(Debug)]
pub struct Body<'t, O: Output> {
    stage: Stage,
    out: Out<'t, O>,
    trail: Trail,
    /// How many maps and lists are open.
    depth: usize,
    /// Where the event was that was refused.
    at: u64,
    records: u64,
    /// How many records there are at most.
    most: u64,
    memory: Option<u64>,
    /// The name of the element that is the next record, if somebody wants it.
    name: Option<RecordName>,
    /// Whether records have names that are written.
    names_records: bool,
    /// Whether columns or a key were refused because there are two of one name.
    repeats: bool,
    /// The columns that are kept, if not all of them are.
    cut: Option<Box<Cut>>,
}

#[derive(Debug)]
struct RecordName {
    local: String,
    prefix: Option<String>,
    namespace: Option<String>,
}

impl RecordName {
    fn of(key: &Key<'_>) -> Self {
        let copy = |text: Text<'_>| copied(text.text.as_str());
        RecordName {
            local: copy(key.name),
            prefix: key.prefix.map(copy),
            namespace: key.namespace.map(copy),
        }
    }

    fn key(&self) -> Key<'_> {
        Key {
            name: self.local.as_str().into(),
            prefix: self.prefix.as_deref().map(Text::from),
            namespace: self.namespace.as_deref().map(Text::from),
            kind: KeyKind::Element,
        }
    }
}

impl<O: Output> Body<'_, O> {
    /// Notes where an event was, if it was refused.
    #[inline(always)]
    fn answer(&mut self, result: Result<(), Unwritable>, at: u64) -> Result<Flow, Unwritable> {
        match result {
            Ok(()) => Ok(Flow::Take),
            Err(error) => {
                self.at = at;
                Err(error)
            }
        }
    }

    #[inline(always)]
    fn begin(&mut self, is_list: bool, at: u64) -> Result<Flow, Unwritable> {
        let name = if self.depth == 0 { self.name.take() } else { None };
        if let Some(name) = name {
            let result = self.begin_named(&name, at);
            self.answer(result, at)?;
        }
        let result = match (&mut self.stage, is_list) {
            (Stage::Nothing, false) => self.out.writer.begin_map(at),
            (Stage::Nothing, true) => self.out.writer.begin_list(at),
            (Stage::Plain(plain), false) => plain.begin().map(|()| Flow::Take),
            (Stage::Elements(elements), false) => {
                elements.begin(&mut self.out).map(|()| Flow::Take)
            }
            (Stage::Lists(lists), false) => lists.begin_map().map(|()| Flow::Take),
            (Stage::Lists(lists), true) => lists.begin_list().map(|()| Flow::Take),
            (Stage::Members(members), _) => members.begin(is_list, at, &mut self.out),
            // No reader of elements reports a list.
            (Stage::Plain(_) | Stage::Elements(_), true) => Ok(Flow::Take),
        };
        let result = self.out.settle(result);
        // The path of a value that is refused ends with the value.
        if result.is_ok() {
            self.trail.begin(is_list);
            self.depth += 1;
        }
        self.answer(result, at)
    }

    /// RecordFeed the name of a record before it begins.
    #[cold]
    #[inline(never)]
    fn begin_named(&mut self, name: &RecordName, at: u64) -> Result<(), Unwritable> {
        let result = match &mut self.stage {
            Stage::Elements(elements) => {
                elements.name(&name.key(), &mut self.out).map(|()| Flow::Take)
            }
            _ => self.out.writer.name(name.key(), at),
        };
        self.out.settle(result)
    }

    #[inline(always)]
    fn end(&mut self, is_list: bool, at: u64) -> Result<Flow, Unwritable> {
        self.trail.end();
        self.depth = self.depth.saturating_sub(1);
        let result = match (&mut self.stage, is_list) {
            (Stage::Nothing, false) => self.out.writer.end_map(at),
            (Stage::Nothing, true) => self.out.writer.end_list(at),
            (Stage::Plain(plain), _) => plain.end().map(|()| Flow::Take),
            (Stage::Elements(elements), _) => elements.end(&mut self.out).map(|()| Flow::Take),
            (Stage::Lists(lists), true) => lists.end_list(&mut self.out).map(|()| Flow::Take),
            (Stage::Lists(lists), false) => {
                lists.end_map();
                Ok(Flow::Take)
            }
            (Stage::Members(members), _) => members.end(is_list, at, &mut self.out),
        };
        let result = self.out.settle(result).and_then(|()| self.end_value());
        self.ended(result, at)
    }

    /// Notes where a value ended, if it was refused.
    #[inline(always)]
    fn ended(&mut self, result: Result<Flow, Unwritable>, at: u64) -> Result<Flow, Unwritable> {
        if result.is_err() {
            self.at = match &mut self.stage {
                Stage::Members(members) => members.take_refused_at().unwrap_or(at),
                _ => at,
            };
        }
        result
    }

    /// Whether events go on to the writer as they come.
    #[inline(always)]
    fn passes(&self) -> bool {
        match &self.stage {
            Stage::Nothing => true,
            Stage::Members(members) => members.passes(),
            Stage::Plain(_) | Stage::Elements(_) | Stage::Lists(_) => false,
        }
    }

    /// Looks whether a key is repeated: what the reader is told then.
    #[inline(always)]
    fn repeated(&mut self, key: Text<'_>, at: u64) -> Option<Result<Flow, Unwritable>> {
        let Stage::Members(members) = &mut self.stage else { return None };
        match members.member(key) {
            Member::Written => None,
            Member::Skipped => Some(Ok(Flow::Skip)),
            Member::Refused(error) => {
                self.at = at;
                self.repeats = error.kind() == Kind::Value;
                Some(Err(error))
            }
        }
    }

    /// After each value: if it was the record, it is complete.
    #[inline(always)]
    fn end_value(&mut self) -> Result<Flow, Unwritable> {
        self.trail.value();
        if self.depth > 0 { Ok(Flow::Take) } else { self.end_record() }
    }

    #[inline(never)]
    fn end_record(&mut self) -> Result<Flow, Unwritable> {
        match &mut self.stage {
            Stage::Plain(plain) => plain.end_record(&mut self.out)?,
            Stage::Members(members) => members.end_record(&mut self.out, &mut self.trail)?,
            Stage::Nothing | Stage::Elements(_) | Stage::Lists(_) => {}
        }
        self.trail.clear();
        self.name = None;
        self.records += 1;
        self.out.end_record()?;
        Ok(if self.records < self.most { Flow::Take } else { Flow::Stop })
    }

    /// A value that is neither a map nor a list, which `write` writes if nothing stands in between.
    #[inline(always)]
    fn value(
        &mut self,
        at: u64,
        value: impl FnOnce() -> Scalar<'static>,
        write: impl FnOnce(&mut AnyWriter) -> Result<Flow, Unwritable>,
    ) -> Result<Flow, Unwritable> {
        if self.passes() {
            let result = write(&mut self.out.writer);
            let result = self.out.settle(result).and_then(|()| self.end_value());
            self.ended(result, at)
        } else {
            self.between(value(), at)
        }
    }

    /// A value for what stands in between.
    #[inline(never)]
    fn between(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        let result = match (&mut self.stage, value) {
            (Stage::Plain(plain), Scalar::Untyped(text)) => match plain.attribute(text) {
                Ok(true) => Ok(Flow::Take),
                Ok(false) => self.out.writer.text(text, at),
                Err(error) => Err(error),
            },
            (Stage::Elements(elements), Scalar::Untyped(text)) => {
                elements.attribute(text, &mut self.out).map(|()| Flow::Take)
            }
            (Stage::Lists(lists), value) => lists.scalar(value, &mut self.out).map(|()| Flow::Take),
            (Stage::Members(members), value) => members.scalar(value, at, &mut self.out),
            (_, value) => self.out.writer.scalar(value, at),
        };
        let result = self.out.settle(result).and_then(|()| self.end_value());
        self.ended(result, at)
    }
}

impl<O: Output> Body<'_, O> {
    /// Refuses two columns of one name, unless they become columns again: a map has one of them only.
    fn check_columns(
        &mut self,
        known: &KnownKeys<'_>,
        mut places: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<(), Unwritable> {
        if matches!(self.out.writer, AnyWriter::Csv(_)) {
            return Ok(());
        }
        let names = places.clone().map(|place| known.keys[place].name.text.as_str());
        let Some((nth, name)) = repeated(names, |_| true) else { return Ok(()) };
        self.at = places.nth(nth).map_or(known.at, |place| known.at(place));
        self.trail.key(name.as_bytes(), KeyKind::Member);
        self.repeats = true;
        Err(Unwritable::value(format!("the column {} occurs more than once", brief(name))))
    }

    /// Finds the columns that are kept, and tells them to the writer.
    fn cut_columns(
        &mut self,
        cut: &mut Cut,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Unwritable> {
        self.at = known.at;
        let columns = cut.resolve(known, wanted)?;
        self.check_columns(known, cut.places().iter().copied())?;
        // Another file of the same run may have its columns in another order.
        if self.out.writer.wants_columns() {
            self.out.writer.columns(columns, 0)?;
        }
        Ok(RowsAs::Maps)
    }

    /// Writes the columns of a row that are kept.
    fn cut_row(&mut self, cut: &Cut, row: &mut Row<'_>) -> Result<Flow, Unwritable> {
        self.begin_map(row.at)?;
        for place in cut.places() {
            if let Some(Some(Cell { value, key_at, at })) = row.cells.get(*place) {
                let Some(key) = row.keys.get(*place) else { continue };
                self.key(key.name, *key_at)?;
                self.scalar(*value, *at)?;
            }
        }
        row.take();
        self.end_map(row.end.unwrap_or(row.at))
    }
}

impl<O: Output> Sink for Body<'_, O> {
    type Error = Unwritable;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.begin(false, at)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.end(false, at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.begin(true, at)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.end(true, at)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        self.trail.key(key.name.bytes(), key.kind);
        if let Some(answer) = self.repeated(key.name, at) {
            return answer;
        }
        let result = match &mut self.stage {
            Stage::Nothing => self.out.writer.name(key, at),
            Stage::Members(members) => members.key(key.name, at, &mut self.out),
            Stage::Plain(plain) => plain.name(&key).map(|()| Flow::Take),
            Stage::Elements(elements) => elements.name(&key, &mut self.out).map(|()| Flow::Take),
            Stage::Lists(lists) => lists.key(&key, &mut self.out).map(|()| Flow::Take),
        };
        let result = self.out.settle(result);
        self.answer(result, at)
    }
    #[inline(always)]
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        if let Stage::Nothing = self.stage {
            self.trail.key(key.bytes(), KeyKind::Member);
            let result = self.out.writer.key(key, at);
            let result = self.out.settle(result);
            return self.answer(result, at);
        }
        self.name(Key { name: key, namespace: None, prefix: None, kind: KeyKind::Member }, at)
    }
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, raw: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        if self.passes() {
            self.trail.key(key.bytes(), KeyKind::Member);
            if let Some(answer) = self.repeated(key, at) {
                return answer;
            }
            let result = self.out.writer.written_key(key, raw, at);
            let result = self.out.settle(result);
            return self.answer(result, at);
        }
        self.key(key, at)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        if self.passes() {
            let result = self.out.writer.scalar(value, at);
            let result = self.out.settle(result).and_then(|()| self.end_value());
            return self.ended(result, at);
        }
        self.between(value, at)
    }
    #[inline(always)]
    fn null(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.value(at, || Scalar::Null, |writer| writer.null(at))
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, at: u64) -> Result<Flow, Unwritable> {
        self.value(at, || Scalar::Bool(value), |writer| writer.boolean(value, at))
    }
    #[inline(always)]
    fn number(&mut self, digits: &[u8], at: u64) -> Result<Flow, Unwritable> {
        if self.passes() {
            return self.value(at, || Scalar::Null, |writer| writer.number(digits, at));
        }
        self.between(Scalar::Number(digits), at)
    }
    #[inline(always)]
    fn text(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        if self.passes() {
            return self.value(at, || Scalar::Null, |writer| writer.text(text, at));
        }
        self.between(Scalar::Text(text), at)
    }
    #[inline(always)]
    fn written_text(&mut self, raw: Text<'_>, escaped: bool, at: u64) -> Result<Flow, Unwritable> {
        self.value(at, || Scalar::Null, |writer| writer.written_text(raw, escaped, at))
    }
    #[inline(always)]
    fn written_number(
        &mut self,
        digits: &[u8],
        found: Outcome,
        at: u64,
    ) -> Result<Flow, Unwritable> {
        self.value(at, || Scalar::Null, |writer| writer.written_number(digits, found, at))
    }
    #[inline(always)]
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        let result = match &mut self.stage {
            Stage::Plain(plain) => {
                plain.piece(text);
                return Ok(Flow::Take);
            }
            Stage::Elements(elements) => elements.piece(text, &mut self.out).map(|()| Flow::Take),
            Stage::Nothing | Stage::Lists(_) | Stage::Members(_) => self.out.writer.piece(text, at),
        };
        let result = self.out.settle(result);
        self.answer(result, at)
    }
    fn comment(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        let result = match &mut self.stage {
            Stage::Elements(elements) => {
                let strings = [elements::COMMENT.into(), text];
                elements.extra(&strings, &mut self.out).map(|()| Flow::Take)
            }
            Stage::Nothing => self.out.writer.comment(text, at),
            Stage::Plain(_) | Stage::Lists(_) | Stage::Members(_) => Ok(Flow::Take),
        };
        let result = self.out.settle(result);
        self.answer(result, at)
    }
    fn instruction(
        &mut self,
        target: Text<'_>,
        data: Text<'_>,
        at: u64,
    ) -> Result<Flow, Unwritable> {
        let result = match &mut self.stage {
            Stage::Elements(elements) => {
                let strings = [elements::INSTRUCTION.into(), target, data];
                let count = if data.bytes().is_empty() { 2 } else { 3 };
                elements.extra(&strings[..count], &mut self.out).map(|()| Flow::Take)
            }
            Stage::Nothing => self.out.writer.instruction(target, data, at),
            Stage::Plain(_) | Stage::Lists(_) | Stage::Members(_) => Ok(Flow::Take),
        };
        let result = self.out.settle(result);
        self.answer(result, at)
    }
    fn abandon(&mut self) {
        match &mut self.stage {
            Stage::Nothing => {}
            Stage::Plain(plain) => plain.forget(),
            Stage::Elements(elements) => elements.forget(),
            Stage::Lists(lists) => lists.forget(),
            Stage::Members(members) => members.forget(),
        }
        self.out.writer.abandon();
        self.trail.clear();
        self.name = None;
        self.depth = 0;
    }
}

impl<O: Output> Hints for Body<'_, O> {
    #[inline(always)]
    fn want(&self) -> Want {
        Want::Digits
    }
    #[inline(always)]
    fn as_written(&self) -> bool {
        self.passes() && self.out.writer.as_written()
    }
    #[inline(always)]
    fn extras(&self) -> bool {
        match self.stage {
            Stage::Elements(_) => true,
            Stage::Nothing => self.out.writer.extras(),
            Stage::Plain(_) | Stage::Lists(_) | Stage::Members(_) => false,
        }
    }
}

impl<O: Output> LookAhead for Body<'_, O> {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Unwritable> {
        if let Some(mut cut) = self.cut.take() {
            let told = self.cut_columns(&mut cut, known, wanted);
            self.cut = Some(cut);
            return told;
        }
        self.check_columns(known, 0..known.keys.len())?;
        match self.stage {
            Stage::Nothing => self.out.writer.known_keys(known, wanted),
            _ => Ok(RowsAs::Maps),
        }
    }
    fn row(&mut self, row: &mut Row<'_>) -> Result<Flow, Unwritable> {
        match self.cut.take() {
            Some(cut) if row.is_new() => {
                let written = self.cut_row(&cut, row);
                self.cut = Some(cut);
                written
            }
            cut => {
                self.cut = cut;
                expand(self, row)
            }
        }
    }
}

impl<O: Output> Destination for Body<'_, O> {
    type Error = Unwritable;
    type Cause = std::convert::Infallible;
    type Break = Stopped<O::Error>;

    const COPIES: Copies = Copies::Common;

    fn read_from<R: FormatReader>(
        &mut self,
        reader: &mut R,
        given: InputView<'_>,
    ) -> Result<Step, Fail<Unwritable>> {
        reader.run_for::<Self, _>(given, self)
    }
    fn refused(
        &mut self,
        error: Unwritable,
        given: InputView<'_>,
    ) -> Refused<Self::Cause, Self::Break> {
        if let Some(lost) = self.out.lost.take() {
            return Refused::Break(Stopped::Output(lost));
        }
        if error.kind() == Kind::Memory {
            return Refused::Break(Stopped::Memory);
        }
        let path = self.value_path(true, given);
        let misfit = Misfit::new(self.at, copied(error.reason()), path);
        let limit = error.kind() == Kind::Limit;
        let code = match std::mem::take(&mut self.repeats) {
            true => Code::Repeated,
            false if limit => Code::Limit,
            false => Code::Value,
        };
        Refused::Misfit(Misfit { code, limit, ..misfit })
    }
    fn refusal(&self, _at: u64, reason: String) -> Option<Unwritable> {
        Some(Unwritable::value(reason))
    }
    fn breaks(error: &Unwritable) -> bool {
        error.kind() == Kind::Memory
    }
    fn abandon_record(&mut self) {
        self.abandon();
    }
    fn value_path(&self, inside: bool, _given: InputView<'_>) -> Vec<PathStep> {
        self.trail.path(inside)
    }
    fn ready(&self) -> u64 {
        self.records
    }
    /// What is kept may be refused late, and its position is looked up only then.
    fn keeps(&self) -> Option<u64> {
        match &self.stage {
            Stage::Members(members) => members.holds_from(),
            _ => None,
        }
    }
    fn over_memory(&self, _given: InputView<'_>) -> Option<u64> {
        self.memory.filter(|most| self.out.writer.ready().len() as u64 > *most)
    }
}
