//! A sink that writes down what it hears and answers as it is told to, the loop that shows a text
//! to a reader in windows, and what a reader should say of which all is known. The fuzz targets
//! use them.

use penstock_core::error::{Fail, Kind};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::reader::Step;
use penstock_core::sink::{Flow, Lent, LookAhead, Sink};
use penstock_core::xml::{Options, Reader, RepairKind};
use penstock_scan::ValidText;

/// An event, at its byte.
pub(crate) type Event = (u64, What);

/// The events of XML, with all that they carry. Pieces that adjoin are one.
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

/// A name: its prefix and its namespace, where it has them, and its local part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) prefix: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) local: String,
}

/// The same choice for the same seed and place, one time in `one_in`. Never for the seed 0.
pub(crate) fn chance(seed: u64, place: u64, one_in: u64) -> bool {
    let mixed = (place ^ seed).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    seed != 0
        && (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32 & 0xFFFF
            < 0x1_0000 / one_in
}

/// How a sink answers. The same at the same place of a document, however it is cut.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// Chooses where to skip.
    pub(crate) skips: u64,
    /// Chooses where to watch.
    pub(crate) watches: u64,
    /// Chooses where to pause, or to want no more.
    pub(crate) pauses: u64,
    /// Wants comments and instructions.
    pub(crate) extras: bool,
}

impl Answers {
    /// Skips some elements and attributes.
    pub(crate) fn skipping(seed: u64) -> Self {
        Answers { skips: seed, ..Answers::default() }
    }

    /// To the event that stands at a byte: `part` tells those of one byte apart.
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

/// What of an event's byte is told.
const NAME: u64 = 0;
const BEGIN: u64 = 1;
const OTHER: u64 = 2;

/// What a sink with these answers should hear, of all that there is.
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

/// Without the text that stands right before a fault: how much of it is told depends on where the
/// window ended.
pub(crate) fn settled(mut events: Vec<Event>) -> Vec<Event> {
    if let [.., (_, What::Piece(_)), (_, What::Fault(..))] = events[..] {
        events.remove(events.len() - 2);
    }
    events
}

/// Without the places of text, where characters are left out: text begins where they stood or
/// behind them, as the windows have it.
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
    /// Refuses the event of this number, asking to give up what is open down to this depth.
    pub(crate) refusal: Option<(usize, usize)>,
    /// Has the reader use the portable instruction set.
    pub(crate) portable: bool,
    /// Has the reader use the copy of the grammar that sinks share.
    pub(crate) shared: bool,
}

impl Recorder {
    /// Answers so.
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
    /// The depth down to which to give up.
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

impl Lent for Recorder {
    fn extras(&self) -> bool {
        self.answers.extras
    }
    fn wakes(&self, name: &[u8]) -> bool {
        wakes(name)
    }
}

impl LookAhead for Recorder {}

/// The text, which must be ASCII where the reader says that it is.
fn owned(text: Text<'_>) -> String {
    let owned = text.text.as_str().to_owned();
    assert!(!text.ascii || owned.is_ascii(), "not ASCII: {owned:?}");
    owned
}

/// How a text is shown: by how many bytes the window grows each time, over and over. Nothing is
/// all at once.
#[derive(Clone, Debug)]
pub(crate) struct Cuts(pub(crate) Vec<u8>);

impl Cuts {
    pub(crate) const WHOLE: Cuts = Cuts(Vec::new());

    /// One byte (or the character that it begins) after the other.
    pub(crate) fn bytes() -> Self {
        Cuts(vec![1])
    }
}

/// Shows the text to a reader, and goes on after each pause. A fault is the last of the events.
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
                // Some of the windows keep what is done with; some ends come as news.
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
                // Junk after the root element is not even waited for.
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
