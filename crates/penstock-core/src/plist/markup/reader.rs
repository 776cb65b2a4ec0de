//! The reader of property lists that are written as XML: the XML reader, and behind it a sink that
//! makes a property list's events of those of elements.

use super::translate::{State, Translator, too_deep};
use crate::error::{Fail, Fault, Kind};
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Copies, Flow, FormatReader, InputView, Listener, Step};
use crate::repair::{Repair, Repairs};
use crate::xml;

/// Reads one document, window after window.
///
/// The root element is `<plist>` or a value. `<plist>` has one value. Attributes mean nothing, nor
/// do comments and instructions. A dictionary whose only key is `CF$UID`, with an integer from 0 to
/// 2^64 - 1, is a UID. The depth is that of dictionaries and arrays. Of what the destination skips,
/// only the XML is checked.
#[derive(Debug)]
pub struct Reader {
    xml: xml::Reader,
    state: State,
    /// How many dictionaries and arrays may be open.
    depth: usize,
}

/// The elements that are open beside dictionaries and arrays: `<plist>`, and one with text.
const OTHERS: usize = 2;

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(limits: &Limits, repairs: Repairs) -> Self {
        // A property list has no namespaces.
        let options = xml::Options { namespaces: false, repairs, ..xml::Options::default() };
        let elements = Limits { depth: limits.depth.saturating_add(OTHERS), ..limits.clone() };
        let xml = xml::Reader::new(options, &elements);
        Reader { xml, state: State::new(limits), depth: limits.depth }
    }

    /// A fault of the XML. Elements may be too deep where the destination skips them.
    #[cold]
    fn of_xml(&self, fault: Fault) -> Fault {
        let elements = too_deep(fault.offset(), self.depth.saturating_add(OTHERS));
        if fault.kind() == Kind::Limit && fault.reason() == elements.reason() {
            return too_deep(fault.offset(), self.depth);
        }
        fault
    }
}

impl Reader {
    /// The copy of the translator that all sinks share. It is not generic, so there is only one.
    #[inline(never)]
    fn run_any(
        &mut self,
        given: InputView<'_>,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        self.translate(given, sink)
    }

    #[inline]
    fn translate<S: Listener + ?Sized>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let (text, last) = given.as_text()?;
        let (base, from) = (self.xml.base(), self.offset());
        let mut translator = Translator::new(&mut self.state, sink, text, base, from);
        let step = match translator.begin() {
            Ok(Flow::Pause) => Ok(Step::Paused),
            Ok(Flow::Stop) => Ok(Step::Stopped),
            // The translator is small beside the grammar, so all destinations share one copy of
            // that.
            Ok(_) => self.xml.run_dyn(text, last, &mut translator),
            Err(refused) => Err(Fail::Sink(refused)),
        };
        match (step, translator.finish()) {
            (_, Some(refusal)) => Err(refusal),
            (Err(Fail::Input(fault)), None) => Err(Fail::Input(self.of_xml(fault))),
            (Ok(step), None) => Ok(step),
            (Err(Fail::Sink(_)), None) => unreachable!("who refuses says why"),
        }
    }
}

impl FormatReader for Reader {
    const COPIED_FOR: Copies = Copies::All;

    fn run<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        self.translate(given, sink)
    }
    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(given, sink))
    }
    fn base(&self) -> u64 {
        self.xml.base()
    }
    fn consumed(&self) -> usize {
        let consumed = self.xml.consumed();
        match self.state.keeps() {
            Some(at) => consumed.min(at.saturating_sub(self.xml.base()) as usize),
            None => consumed,
        }
    }
    fn drop_front(&mut self, count: usize) {
        self.xml.drop_front(count);
    }
    fn jump(&mut self, base: u64) {
        self.xml.jump(base);
    }
    fn is_document(&self) -> bool {
        true
    }
    fn abandon(&mut self, depth: usize) {
        if let Some(depth) = self.state.abandon(depth) {
            self.xml.abandon(depth);
        }
    }
    fn is_abandoned(&self) -> bool {
        self.xml.is_abandoned()
    }
    fn rescan(&mut self) {
        self.xml.rescan();
    }
    fn take_repairs(&mut self) -> Vec<Repair> {
        self.xml.take_repairs()
    }
}
