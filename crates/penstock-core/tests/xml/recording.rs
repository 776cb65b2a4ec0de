//! A sink that writes down its events and gives prescribed answers, the loop that shows a text to a
//! reader in windows, and a function that derives the expected events from all events. The fuzz
//! targets use them.

use penstock_core::error::{Fail, Kind};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Step};
use penstock_core::xml::{Options, Reader, RepairKind};
use penstock_scan::ValidText;

/// An event, with its offset.
pub(crate) type Event = (u64, What);

/// The events of XML, with everything that they carry. Adjacent pieces are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Element(Name),
    Attribute(Name),
    Begin,
    Value(String),
    Piece(String),
    End,
    Comment(String),
    Instruction(String, String),
    Fault(Kind, String),
}

/// A name: its prefix and its namespace, if it has them, and its local part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) prefix: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) local: String,
}

/// The same choice for the same seed and position, one time in `one_in`. Never for the seed 0.
pub(crate) fn chance(seed: u64, place: u64, one_in: u64) -> bool {
    let mixed = (place ^ seed).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    seed != 0
        && (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32 & 0xFFFF
            < 0x1_0000 / one_in
}

/// A sink's answers. They are the same at the same position of a document, however it is cut.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// Chooses where to skip.
    pub(crate) skips: u64,
    /// Chooses where to watch.
    pub(crate) watches: u64,
    /// Chooses where to pause or stop.
    pub(crate) pauses: u64,
    /// Wants comments and instructions.
    pub(crate) extras: bool,
}

impl Answers {
    /// Skips some elements and attributes.
    pub(crate) fn skipping(seed: u64) -> Self {
        Answers { skips: seed, ..Answers::default() }
    }

    /// The answer to the event at an offset: `part` distinguishes events with the same offset.
    fn answer(self, at: u64, part: u64) -> Flow {
        let place = at * 4 + part;
        match () {
            () if chance(self.skips, place, 5) => Flow::Skip,
            () if chance(self.watches, place, 3) => Flow::Watch,
            () if chance(self.pauses, place, 4) => Flow::Pause,
            () if chance(self.pauses, place + 1, 8) => Flow::Stop,
            () => Flow::Take,
        }
    }
}

/// Which elements wake a sink that watches.
pub(crate) fn wakes(local: &[u8]) -> bool {
    local.first().is_some_and(|first| first % 2 == 0)
}

/// Distinguishes the events at one offset.
const NAME: u64 = 0;
const BEGIN: u64 = 1;
const OTHER: u64 = 2;

/// The events that a sink with these answers should get, out of all events.
pub(crate) fn filtered(all: &[Event], answers: Answers) -> Vec<Event> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mode {
        Take,
        Skip,
        Watch,
    }
    let (mut heard, mut modes) = (Vec::new(), vec![Mode::Take]);
    let mut unwanted = false;
    for event in all {
        let (at, what) = event;
        let mode = modes[modes.len() - 1];
        let asked = |part| match answers.answer(*at, part) {
            Flow::Skip => Mode::Skip,
            Flow::Watch => Mode::Watch,
            Flow::Take | Flow::Look | Flow::Pause | Flow::Stop => Mode::Take,
        };
        let tell = match what {
            What::Element(name) => {
                let told =
                    mode == Mode::Take || mode == Mode::Watch && wakes(name.local.as_bytes());
                modes.push(if told { asked(NAME) } else { mode });
                told
            }
            What::Begin => {
                if mode == Mode::Take {
                    let last = modes.len() - 1;
                    modes[last] = asked(BEGIN);
                }
                mode == Mode::Take
            }
            What::End => {
                modes.pop();
                mode == Mode::Take
            }
            What::Attribute(_) => {
                unwanted = asked(NAME) != Mode::Take;
                mode == Mode::Take
            }
            What::Value(_) => mode == Mode::Take && !unwanted,
            What::Fault(..) => true,
            What::Piece(_) | What::Comment(_) | What::Instruction(..) => mode == Mode::Take,
        };
        if tell {
            heard.push(event.clone());
        }
    }
    heard
}

/// Removes the text right before a fault: how much of it is reported depends on the end of the
/// window.
pub(crate) fn settled(mut events: Vec<Event>) -> Vec<Event> {
    if let [.., (_, What::Piece(_)), (_, What::Fault(..))] = events[..] {
        events.remove(events.len() - 2);
    }
    events
}

/// Clears the offsets of text. If characters are removed by repairs, a piece may begin at their
/// offset or after it, depending on the windows.
pub(crate) fn unplaced(mut events: Vec<Event>) -> Vec<Event> {
    for (at, what) in &mut events {
        if matches!(what, What::Piece(_)) {
            *at = 0;
        }
    }
    events
}

/// Keeps all events.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) answers: Answers,
    /// Refuses the event with this number, and asks to abandon everything down to this depth.
    pub(crate) refusal: Option<(usize, usize)>,
    /// Makes the reader use the portable instruction set.
    pub(crate) portable: bool,
    /// Makes the reader use the shared copy of the grammar.
    pub(crate) shared: bool,
}

impl Recorder {
    /// Gives these answers.
    pub(crate) fn new(answers: Answers) -> Self {
        Recorder { answers, ..Recorder::default() }
    }

    fn hear(&mut self, at: u64, part: u64, what: What) -> Result<Flow, usize> {
        let number = self.events.len();
        self.events.push((at, what));
        match self.refusal {
            Some((refused, depth)) if refused == number => Err(depth),
            _ => Ok(self.answers.answer(at, part)),
        }
    }
}

impl Sink for Recorder {
    /// The depth down to which to abandon.
    type Error = usize;

    fn begin_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, BEGIN, What::Begin)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, OTHER, What::End)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, usize> {
        panic!("XML has no lists, and here is one at {at}")
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, usize> {
        panic!("XML has no lists, and here one ends at {at}")
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, usize> {
        let name = Name {
            prefix: key.prefix.map(owned),
            namespace: key.namespace.map(owned),
            local: owned(key.name),
        };
        let what = match key.kind {
            KeyKind::Element => What::Element(name),
            KeyKind::Attribute => What::Attribute(name),
            KeyKind::Member => panic!("XML has no members, and here is {name:?}"),
        };
        self.hear(at, NAME, what)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, usize> {
        let Scalar::Untyped(text) = value else { panic!("XML has no {value:?}") };
        self.hear(at, OTHER, What::Value(owned(text)))
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, usize> {
        let text = owned(text);
        assert!(!text.is_empty(), "an empty piece at {at}");
        match self.events.last_mut() {
            Some((_, What::Piece(before))) => before.push_str(&text),
            _ => self.events.push((at, What::Piece(text))),
        }
        Ok(self.answers.answer(at, OTHER))
    }
    fn abandon(&mut self) {}
    fn comment(&mut self, text: Text<'_>, at: u64) -> Result<Flow, usize> {
        self.hear(at, OTHER, What::Comment(owned(text)))
    }
    fn instruction(&mut self, target: Text<'_>, data: Text<'_>, at: u64) -> Result<Flow, usize> {
        self.hear(at, OTHER, What::Instruction(owned(target), owned(data)))
    }
}

impl Hints for Recorder {
    fn extras(&self) -> bool {
        self.answers.extras
    }
    fn wakes(&self, name: &[u8]) -> bool {
        wakes(name)
    }
}

impl LookAhead for Recorder {}

/// The text, which must be ASCII if the reader says so.
fn owned(text: Text<'_>) -> String {
    let owned = text.text.as_str().to_owned();
    assert!(!text.ascii || owned.is_ascii(), "not ASCII: {owned:?}");
    owned
}

/// How to show a text: the number of bytes by which the window grows each time, repeated. An empty
/// list shows everything at once.
#[derive(Clone, Debug)]
pub(crate) struct Cuts(pub(crate) Vec<u8>);

impl Cuts {
    pub(crate) const WHOLE: Cuts = Cuts(Vec::new());

    /// One byte (or the character that it begins) after the other.
    pub(crate) fn bytes() -> Self {
        Cuts(vec![1])
    }
}

/// Shows the text to a reader, and continues after each pause. A fault is the last of the events.
pub(crate) fn read(
    text: &str,
    options: Options,
    limits: &Limits,
    cuts: &Cuts,
    recorder: &mut Recorder,
) {
    let mut reader = Reader::new(options, limits);
    let growing = cuts.0.iter().any(|growth| *growth > 0);
    let mut growth = cuts.0.iter().cycle();
    let (mut start, mut end, mut last) = (0, if growing { 0 } else { text.len() }, !growing);
    loop {
        let before = reader.offset();
        let window = ValidText::from(&text[start..end]);
        let step = if recorder.portable {
            reader.run_portable(window, last, recorder)
        } else if recorder.shared {
            reader.run_dyn(window, last, recorder)
        } else {
            reader.run(window, last, recorder)
        };
        assert!(reader.offset() >= before && reader.consumed() <= end - start);
        match step {
            Ok(Step::More) => {
                assert!(!last, "asks for more than there is");
                let by = growth.next().map_or(0, |by| usize::from(*by));
                // Sometimes the window keeps bytes that are no longer needed, and sometimes the end
                // is declared late.
                if by % 2 == 1 {
                    let done = reader.consumed();
                    reader.drop_front(done);
                    start += done;
                    assert_eq!(reader.base(), start as u64);
                }
                last = end == text.len();
                end = (end + by).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                last |= end == text.len() && by.is_multiple_of(3);
            }
            Ok(Step::Paused | Step::Stopped) => {}
            Ok(Step::Done) => {
                // If junk after the root element is ignored, the reader does not wait for its end.
                assert!(last || options.repairs.has(RepairKind::TrailingJunk));
                assert_eq!(reader.depth(), 0);
                return;
            }
            Ok(Step::Again) => panic!("a turn is no answer"),
            Err(Fail::Sink(depth)) => reader.abandon(depth),
            Err(Fail::Input(fault)) => {
                let what = What::Fault(fault.kind(), fault.reason().to_owned());
                recorder.events.push((fault.offset(), what));
                return;
            }
        }
    }
}
