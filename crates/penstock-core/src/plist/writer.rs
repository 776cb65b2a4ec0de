//! The writer of property lists: that of the form.

use super::{binary, markup, text};
use crate::event::{Container, Key, Scalar, Text};
use crate::protocol::{Flow, Hints, LookAhead, Sink, Want};
use crate::value::print;
use crate::writer::{self, Kinds, Unwritable, make_room};

/// Writes a property list of any form but JSON.
#[derive(Debug)]
pub struct Writer {
    own: Own,
    /// For XML: what is around the records, if they are not the root.
    around: Option<Around>,
    /// The last scalar, if somebody listens.
    heard: Option<Heard>,
}

/// A scalar as a reader will report it.
#[derive(Debug, Default)]
struct Heard {
    kind: Reported,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Reported {
    #[default]
    Nothing,
    Untyped,
    Text,
    Number,
    Value(Scalar<'static>),
}

/// The writer of a form.
#[derive(Debug)]
pub(crate) enum Own {
    Binary(Box<binary::writer::Writer>),
    Xml(Box<markup::Writer>),
    Text(Box<text::writer::Writer>),
}

/// The dictionaries around the array of the records.
#[derive(Clone, Debug)]
struct Around {
    keys: Box<[String]>,
    /// Whether they have begun.
    begun: bool,
    /// How many containers of the record are open.
    depth: usize,
    records: u64,
}

/// Has the form's own writer do it.
macro_rules! each {
    ($own:expr, $writer:ident => $call:expr) => {
        match $own {
            Own::Binary($writer) => $call,
            Own::Xml($writer) => $call,
            Own::Text($writer) => $call,
        }
    };
}

impl Writer {
    /// A writer of one value, or of whatever the form's writer takes for records.
    pub(crate) fn new(own: Own) -> Self {
        Writer { own, around: None, heard: None }
    }

    /// A writer of records in an array, which is in dictionaries with these keys.
    pub(crate) fn around(writer: markup::Writer, keys: Vec<String>) -> Self {
        let around = Around { keys: keys.into(), begun: false, depth: 0, records: 0 };
        Writer { own: Own::Xml(Box::new(writer)), around: Some(around), heard: None }
    }

    /// Before a value: begins what is around the first record.
    #[inline]
    fn begin(&mut self) -> Result<(), Unwritable> {
        match &self.around {
            Some(Around { begun: false, .. }) => self.begin_records(),
            _ => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_records(&mut self) -> Result<(), Unwritable> {
        let (Own::Xml(writer), Some(around)) = (&mut self.own, &mut self.around) else {
            return Ok(());
        };
        around.begun = true;
        for key in &around.keys {
            writer.begin_map(0)?;
            writer.key(key.as_str().into(), 0)?;
        }
        writer.begin_list(0)?;
        writer.mark();
        Ok(())
    }

    /// Notes a scalar.
    #[cold]
    #[inline(never)]
    fn note(&mut self, value: Scalar<'_>) -> Result<(), Unwritable> {
        let (is_text, is_untyped) = match &self.own {
            Own::Text(writer) => (true, !writer.has_numbers()),
            _ => (false, false),
        };
        let Some(Heard { kind, bytes }) = &mut self.heard else { return Ok(()) };
        bytes.clear();
        make_room(bytes, print::LONGEST)?;
        let text = if is_text { Reported::Untyped } else { Reported::Text };
        let number = if is_untyped { Reported::Untyped } else { Reported::Number };
        *kind = match value {
            Scalar::Null => Reported::Nothing,
            Scalar::Text(value) | Scalar::Untyped(value) => {
                make_room(bytes, value.bytes().len())?;
                bytes.extend_from_slice(value.bytes());
                text
            }
            Scalar::Number(digits) | Scalar::Decimal(digits) => {
                make_room(bytes, digits.len())?;
                bytes.extend_from_slice(digits);
                number
            }
            Scalar::Int(value) => {
                print::int(value, bytes);
                number
            }
            Scalar::Float(value) if is_untyped => {
                print::float(value, bytes);
                number
            }
            Scalar::Date(date) => {
                print::date(date, bytes);
                text
            }
            Scalar::Time(time) => {
                print::time(time, bytes);
                text
            }
            Scalar::Duration(value) => {
                print::duration(value, bytes);
                text
            }
            Scalar::Uuid(value) => {
                print::uuid(value, bytes);
                text
            }
            Scalar::Float(value) => Reported::Value(Scalar::Float(value)),
            Scalar::Bool(value) => Reported::Value(Scalar::Bool(value)),
            Scalar::Uid(value) => Reported::Value(Scalar::Uid(value)),
            // A property list has types of its own for these, and no text is one.
            Scalar::Bytes(_) | Scalar::DateTime(_) | Scalar::Since2001(_) => Reported::Nothing,
        };
        Ok(())
    }

    /// A container of a record begins.
    #[inline]
    fn enter(&mut self) {
        if let Some(around) = &mut self.around {
            around.depth += 1;
        }
    }

    /// A value ends, which was a container if `left` is 1.
    #[inline]
    fn end(&mut self, left: usize) {
        if let (Own::Xml(writer), Some(around)) = (&mut self.own, &mut self.around) {
            around.depth -= left;
            if around.depth == 0 {
                around.records += 1;
                writer.mark();
            }
        }
    }
}

impl Sink for Writer {
    type Error = Unwritable;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.begin_map(at))?;
        self.enter();
        Ok(flow)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Unwritable> {
        let flow = each!(&mut self.own, writer => writer.end_map(at))?;
        self.end(1);
        Ok(flow)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.begin_list(at))?;
        self.enter();
        Ok(flow)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Unwritable> {
        let flow = each!(&mut self.own, writer => writer.end_list(at))?;
        self.end(1);
        Ok(flow)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Unwritable> {
        each!(&mut self.own, writer => writer.name(key, at))
    }
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        each!(&mut self.own, writer => writer.key(key, at))
    }
    fn container(&mut self, container: Container) {
        each!(&mut self.own, writer => writer.container(container));
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Unwritable> {
        if self.heard.is_some() {
            self.note(value)?;
        }
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.scalar(value, at))?;
        self.end(0);
        Ok(flow)
    }
    // What most values are, without a `Scalar` in between.
    fn int(&mut self, value: i64, at: u64) -> Result<Flow, Unwritable> {
        if self.heard.is_some() {
            self.note(Scalar::Int(value))?;
        }
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.int(value, at))?;
        self.end(0);
        Ok(flow)
    }
    fn float(&mut self, value: f64, at: u64) -> Result<Flow, Unwritable> {
        if self.heard.is_some() {
            self.note(Scalar::Float(value))?;
        }
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.float(value, at))?;
        self.end(0);
        Ok(flow)
    }
    fn text(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        if self.heard.is_some() {
            self.note(Scalar::Text(text))?;
        }
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.text(text, at))?;
        self.end(0);
        Ok(flow)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        each!(&mut self.own, writer => writer.piece(text, at))
    }
    fn abandon(&mut self) {
        self.heard = None;
        if let Some(around) = &mut self.around {
            around.depth = 0;
        }
        each!(&mut self.own, writer => writer.abandon());
    }
}

impl Hints for Writer {
    /// Binary integers and doubles; a number beyond both as its digits.
    fn want(&self) -> Want {
        Want::Native
    }
}

impl LookAhead for Writer {}

impl writer::Writer for Writer {
    const NULLS: bool = false;

    fn ready(&self) -> &[u8] {
        each!(&self.own, writer => writer.ready())
    }
    fn taken(&mut self) {
        each!(&mut self.own, writer => writer.taken());
    }
    fn finish(&mut self) -> Result<(), Unwritable> {
        self.begin()?;
        if let (Own::Xml(writer), Some(around)) = (&mut self.own, &self.around) {
            writer.end_list(0)?;
            for _ in &around.keys {
                writer.end_map(0)?;
            }
        }
        each!(&mut self.own, writer => writer.finish())
    }
    fn reopen(&mut self) {
        each!(&mut self.own, writer => writer.reopen());
        if let Some(around) = &mut self.around {
            (around.begun, around.depth, around.records) = (false, 0, 0);
        }
    }
    fn listen(&mut self) -> bool {
        self.heard.replace(Heard::default()).is_none()
    }
    fn ignore(&mut self) {
        self.heard = None;
    }
    fn reported(&mut self) -> Option<Scalar<'_>> {
        let Heard { kind, bytes } = self.heard.as_ref()?;
        let text = std::str::from_utf8(bytes).ok()?;
        match *kind {
            Reported::Nothing => None,
            Reported::Untyped => Some(Scalar::Untyped(text.into())),
            Reported::Text => Some(Scalar::Text(text.into())),
            Reported::Number => Some(Scalar::Number(bytes)),
            Reported::Value(value) => Some(value),
        }
    }
    fn kinds(&self) -> Kinds {
        if matches!(self.own, Own::Text(_)) { Kinds::Unknown } else { Kinds::Kept }
    }
    fn has_only_text(&self) -> bool {
        matches!(&self.own, Own::Text(writer) if !writer.has_numbers())
    }
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
        if self.heard.is_some() {
            self.note(Scalar::Untyped(text.into()))?;
        }
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.word(text, is_number))?;
        self.end(0);
        Ok(flow)
    }
    fn records(&self) -> u64 {
        match &self.around {
            Some(around) => around.records,
            None => each!(&self.own, writer => writer.records()),
        }
    }
    fn beside(&self) -> Option<Self> {
        let mut around = self.around.clone();
        let own = match (&self.own, &mut around) {
            (Own::Xml(writer), Some(around)) if around.records > 0 => {
                around.depth = 0;
                Own::Xml(Box::new(writer.beside()))
            }
            (Own::Text(writer), None) => Own::Text(Box::new(writer.beside()?)),
            // Binary records are in the order of their numbers.
            _ => return None,
        };
        Some(Writer { own, around, heard: None })
    }
    fn pass(&mut self, records: u64) {
        match (&mut self.own, &mut self.around) {
            (_, Some(around)) => around.records += records,
            (Own::Text(writer), None) => writer.pass(records),
            (_, None) => {}
        }
    }
}
