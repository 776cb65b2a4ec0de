//! The reader of property lists: it finds the form, and has the reader of that form read.

use super::text::{Looking, Looks};
use super::{Form, Options, binary, markup, text};
use crate::error::{Fail, Fault};
use crate::json;
use crate::limits::Limits;
use crate::protocol::{Copies, FormatReader, InputView, Listener, Step};
use crate::repair::{Repair, Repairs};

/// A reader of property lists, whatever their form.
#[derive(Debug)]
pub struct Reader {
    form: Option<Form>,
    limits: Limits,
    /// The faults of XML to repair.
    repairs: Repairs,
    /// The offset of the first byte, until the form is known.
    base: u64,
    looking: Looking,
    /// If only a part is read: from the member at one place to that at another.
    range: Option<[Box<[u64]>; 2]>,
    /// Whether others may read beside it.
    halts: bool,
    /// Whether it rests now and then.
    rests: bool,
    own: Own,
}

/// The reader of a form.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each run, in a box")]
enum Own {
    Unknown,
    Binary(binary::Reader),
    Xml(markup::Reader),
    Text(text::Reader),
    Json(json::Reader),
}

/// Has the form's own reader do it; before there is one, the answer is `$unknown`.
macro_rules! each {
    ($self:expr, $unknown:expr, $reader:ident => $call:expr) => {
        match $self {
            Own::Unknown => $unknown,
            Own::Binary($reader) => $call,
            Own::Xml($reader) => $call,
            Own::Text($reader) => $call,
            Own::Json($reader) => $call,
        }
    };
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(options: Options, limits: &Limits) -> Self {
        Reader {
            form: options.form,
            repairs: options.repairs,
            limits: limits.clone(),
            base: 0,
            looking: Looking::new(),
            range: None,
            halts: false,
            rests: false,
            own: Own::Unknown,
        }
    }

    /// The reader of a binary property list, if it is one.
    #[must_use]
    pub fn binary(&self) -> Option<&binary::Reader> {
        match &self.own {
            Own::Binary(reader) => Some(reader),
            _ => None,
        }
    }

    /// The reader of a binary property list, if it is one.
    pub fn binary_mut(&mut self) -> Option<&mut binary::Reader> {
        match &mut self.own {
            Own::Binary(reader) => Some(reader),
            _ => None,
        }
    }

    /// Before anything is read: others may read beside it, if it is a binary one. Then it
    /// [halts](binary::Reader::halt_within) in large containers.
    pub fn halt(&mut self) {
        self.halts = true;
    }

    /// Before anything is read: if it is a binary one, it [rests](binary::Reader::rest) now and then.
    pub fn rest(&mut self) {
        self.rests = true;
    }

    /// A reader beside the one of a binary property list: see [`binary::Reader::beside`]. None if this
    /// is a reader of another form.
    #[must_use]
    pub fn beside(&self, depth: usize) -> Option<Self> {
        let own = Own::Binary(self.binary()?.beside(depth)?);
        Some(Reader {
            own,
            ..Reader::new(Options { form: Some(Form::Binary), ..Options::default() }, &self.limits)
        })
    }

    /// A reader at the beginning of the same binary property list, of a range of it: see
    /// [`binary::Reader::between`]. None if this is a reader of another form.
    #[must_use]
    pub fn between(&self, start: &[u64], until: &[u64]) -> Option<Self> {
        if !matches!(self.form, None | Some(Form::Binary)) {
            return None;
        }
        let mut reader =
            Reader::new(Options { form: Some(Form::Binary), ..Options::default() }, &self.limits);
        reader.range = Some([start.into(), until.into()]);
        Some(reader)
    }

    /// Makes the reader of the form. False if more input decides which one it is.
    #[cold]
    fn decide(&mut self, given: InputView<'_>) -> Result<bool, Fault> {
        let form = match (given, self.form) {
            (InputView::Bytes(_) | InputView::At { .. }, None | Some(Form::Binary)) => Form::Binary,
            (InputView::Bytes(_) | InputView::At { .. }, Some(_)) => {
                return Err(Fault::malformed(0, "this is a binary property list"));
            }
            (InputView::Text { text, last: false }, _) if text.as_bytes().is_empty() => {
                return Ok(false);
            }
            (InputView::Text { .. }, Some(Form::Binary)) => {
                return Err(Fault::malformed(self.base, "this is no binary property list"));
            }
            (InputView::Text { .. }, Some(form)) => form,
            (InputView::Text { text, last }, None) => {
                match self.looking.look(text.as_bytes(), last) {
                    Looks::NeedMore => return Ok(false),
                    Looks::Xml => Form::Xml,
                    Looks::Text => Form::Text,
                    Looks::Json => Form::Json,
                }
            }
        };
        let limits = &self.limits;
        self.own = match form {
            Form::Binary => {
                let mut reader = match &self.range {
                    Some([start, until]) => binary::Reader::between(limits, start, until),
                    None => binary::Reader::new(limits),
                };
                reader.halt_within(if self.halts { usize::MAX } else { 0 });
                if self.rests {
                    reader.rest();
                }
                Own::Binary(reader)
            }
            Form::Xml => Own::Xml(markup::Reader::new(limits, self.repairs)),
            Form::Text => Own::Text(text::Reader::new(limits)),
            Form::Json => Own::Json(json::Reader::new(json::Framing::Document, limits)),
        };
        let base = self.base;
        each!(&mut self.own, (), reader => reader.jump(base));
        Ok(true)
    }
}

impl FormatReader for Reader {
    const COPIED_FOR: Copies = Copies::All;

    #[inline]
    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        if matches!(self.own, Own::Unknown) && !self.decide(given)? {
            return Ok(Step::More);
        }
        each!(&mut self.own, Ok(Step::More), reader => FormatReader::run(reader, given, sink))
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        if matches!(self.own, Own::Unknown) && !self.decide(given)? {
            return Ok(Step::More);
        }
        each!(&mut self.own, Ok(Step::More), reader => FormatReader::run_dyn(reader, given, sink))
    }
    fn base(&self) -> u64 {
        each!(&self.own, self.base, reader => reader.base())
    }
    fn consumed(&self) -> usize {
        each!(&self.own, 0, reader => reader.consumed())
    }
    fn offset(&self) -> u64 {
        each!(&self.own, self.base, reader => FormatReader::offset(reader))
    }
    fn drop_front(&mut self, count: usize) {
        each!(&mut self.own, (), reader => reader.drop_front(count));
    }
    fn jump(&mut self, base: u64) {
        each!(&mut self.own, self.base = base, reader => reader.jump(base));
    }
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, depth: usize) {
        each!(&mut self.own, (), reader => reader.abandon(depth));
    }
    fn is_abandoned(&self) -> bool {
        each!(&self.own, false, reader => reader.is_abandoned())
    }
    fn passes_faults(&self) -> bool {
        each!(&self.own, false, reader => reader.passes_faults())
    }
    fn failed_at(&self) -> Option<u64> {
        each!(&self.own, None, reader => FormatReader::failed_at(reader))
    }
    fn rescan(&mut self) {
        each!(&mut self.own, (), reader => reader.rescan());
    }
    fn take_repairs(&mut self) -> Vec<Repair> {
        match &mut self.own {
            Own::Xml(reader) => reader.take_repairs(),
            _ => Vec::new(),
        }
    }
}
