//! Records that are no text: a program has them, and tells them as events.

use std::sync::Arc;

use super::{Format, Lends};
use crate::error::Fail;
use crate::limits::Limits;
use crate::options::{InvalidOption, OptionValue, impossible};
use crate::protocol::erased::{Kept, Refused};
use crate::protocol::{AnySink, FormatReader, InputView, Listener, RecordFeed, Step};
use crate::shape::Form;

/// The reader of such records.
#[derive(Debug)]
pub struct Reader(Box<dyn RecordFeed>);

impl Reader {
    /// A reader of what is told.
    #[must_use]
    pub fn new(tells: Box<dyn RecordFeed>) -> Self {
        Reader(tells)
    }
}

impl FormatReader for Reader {
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let last = match given {
            InputView::Text { last, .. } => last,
            InputView::Bytes(_) | InputView::At { .. } => true,
        };
        Kept::lend(sink, |sink| self.0.tell(last, sink))
    }
    fn base(&self) -> u64 {
        0
    }
    fn consumed(&self) -> usize {
        0
    }
    fn drop_front(&mut self, _count: usize) {}
    fn jump(&mut self, _base: u64) {}
    fn is_document(&self) -> bool {
        false
    }
    fn abandon(&mut self, _depth: usize) {}
    fn is_abandoned(&self) -> bool {
        false
    }
    fn can_recover(&self) -> bool {
        true
    }
}

/// The records of Arrow columns, as a format. It is in no table: nobody names it.
pub static FORMAT: Format = Format {
    name: "arrow",
    article: "an",
    title: "Arrow",
    suffixes: &[],
    begins_with: &[],
    is_stream: true,
    form: Form::KEYED,
    lends: Lends::Nothing,
    dialect,
    style,
};

#[derive(Debug)]
struct Dialect;

fn dialect(_: &[(String, OptionValue)]) -> Result<Arc<dyn super::Dialect>, InvalidOption> {
    Ok(Arc::new(Dialect))
}

fn style(_: &[(String, OptionValue)]) -> Result<Arc<dyn super::Style>, InvalidOption> {
    Err(impossible("Arrow columns are not written as text"))
}

impl super::Dialect for Dialect {
    fn format(&self) -> &'static Format {
        &FORMAT
    }
    fn is_document(&self) -> bool {
        false
    }
    fn default_records(&self) -> &'static str {
        "each row"
    }
    fn reader(&self, _everything: bool, _limits: &Limits) -> super::Reader {
        super::Reader::Records(Reader::new(Box::new(Nothing)))
    }
}

/// No records.
#[derive(Debug)]
struct Nothing;

impl RecordFeed for Nothing {
    fn tell(&mut self, _last: bool, _sink: &mut AnySink<'_>) -> Result<Step, Fail<Refused>> {
        Ok(Step::Done)
    }
}
