//! The writer of property lists: that of the form.

use super::{binary, markup, text};
use crate::event::{Container, Key, Scalar, Text};
use crate::sink::{Flow, Lent, LookAhead, Sink, Want};
use crate::writer::{self, Unwritable};

/// Writes a property list of any form but JSON.
#[derive(Debug)]
pub struct Writer {
    own: Own,
    /// For XML: what is around the records, if they are not the root.
    around: Option<Around>,
}

/// The writer of a form.
#[derive(Debug)]
pub(super) enum Own {
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
    pub(super) fn new(own: Own) -> Self {
        Writer { own, around: None }
    }

    /// A writer of records in an array, which is in dictionaries with these keys.
    pub(super) fn around(writer: markup::Writer, keys: Vec<String>) -> Self {
        let around = Around { keys: keys.into(), begun: false, depth: 0, records: 0 };
        Writer { own: Own::Xml(Box::new(writer)), around: Some(around) }
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
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.scalar(value, at))?;
        self.end(0);
        Ok(flow)
    }
    // What most values are, without a `Scalar` in between.
    fn int(&mut self, value: i64, at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.int(value, at))?;
        self.end(0);
        Ok(flow)
    }
    fn float(&mut self, value: f64, at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.float(value, at))?;
        self.end(0);
        Ok(flow)
    }
    fn text(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        self.begin()?;
        let flow = each!(&mut self.own, writer => writer.text(text, at))?;
        self.end(0);
        Ok(flow)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Unwritable> {
        each!(&mut self.own, writer => writer.piece(text, at))
    }
    fn abandon(&mut self) {
        if let Some(around) = &mut self.around {
            around.depth = 0;
        }
        each!(&mut self.own, writer => writer.abandon());
    }
}

impl Lent for Writer {
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
    fn word(&mut self, text: &str, is_number: bool) -> Result<Flow, Unwritable> {
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
        Some(Writer { own, around })
    }
    fn pass(&mut self, records: u64) {
        match (&mut self.own, &mut self.around) {
            (_, Some(around)) => around.records += records,
            (Own::Text(writer), None) => writer.pass(records),
            (_, None) => {}
        }
    }
}
