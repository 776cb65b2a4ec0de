//! A sink that writes down its events and gives prescribed answers, and the loop that shows a text
//! to a reader in windows.

use penstock_core::error::{Fail, Kind};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::plist::markup::Reader;
use penstock_core::protocol::{Flow, FormatReader, Hints, InputView, Look, LookAhead, Sink, Step};
use penstock_core::repair::Repairs;
use penstock_core::value::datetime::DateTime;
use penstock_scan::ValidText;

/// An event, with its offset.
pub(crate) type Event = (u64, What);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    BeginMap,
    EndMap,
    BeginList,
    EndList,
    Key(String),
    Text(String),
    Int(i64),
    Number(String),
    /// As text, in which all that are no numbers are the same.
    Float(String),
    Bool(bool),
    Bytes(Vec<u8>),
    DateTime(DateTime),
    Uid(u64),
    Fault(Kind, String),
}

/// The same choice for the same seed and position, one time in `one_in`. Never for the seed 0.
fn chance(seed: u64, place: u64, one_in: u64) -> bool {
    let mixed = (place ^ seed).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    seed != 0
        && (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32 & 0xFFFF
            < 0x1_0000 / one_in
}

/// Whether a sink refuses the record at an offset.
pub(crate) fn refuses(seed: u64, at: u64) -> bool {
    chance(seed, at, 2)
}

/// A sink's answers. They are the same at the same position of a document, however it is cut.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// Chooses where to skip.
    pub(crate) skips: u64,
    /// Chooses where to look ahead.
    pub(crate) looks: u64,
    /// Chooses where to pause or stop.
    pub(crate) pauses: u64,
}

/// When a look ends, and whether the map is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    FoundByKey,
    FoundByValue,
    FoundAtEnd,
    SkippedByKey,
}

impl Answers {
    /// The answer to the event at an offset.
    pub(crate) fn answer(self, at: u64, what: &What) -> Flow {
        let key = matches!(what, What::Key(_));
        let begins = matches!(what, What::BeginMap | What::BeginList);
        let place = at * 4 + u64::from(matches!(what, What::EndMap | What::EndList));
        match () {
            () if (key || begins) && chance(self.skips, place, 6) => Flow::Skip,
            () if *what == What::BeginMap && chance(self.looks, place + 2, 3) => Flow::Look,
            () if chance(self.skips, place + 1, 9) => Flow::Watch,
            () if chance(self.pauses, place, 4) => Flow::Pause,
            // After it has stopped, a sink that looks ahead gets no more events.
            () if self.looks == 0 && chance(self.pauses, place + 1, 8) => Flow::Stop,
            () => Flow::Take,
        }
    }

    /// How the look in the map at an offset ends.
    pub(crate) fn ahead(self, at: u64) -> Ahead {
        match () {
            () if chance(self.looks, at * 4 + 3, 4) => Ahead::FoundByKey,
            () if chance(self.looks, at * 4 + 1, 3) => Ahead::FoundByValue,
            () if chance(self.looks, at * 4, 3) => Ahead::SkippedByKey,
            () => Ahead::FoundAtEnd,
        }
    }
}

/// Keeps all events.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) answers: Answers,
    /// Refuses the event with this number, and asks to abandon everything down to this depth.
    pub(crate) refusal: Option<(usize, usize)>,
    /// Ignores scalars.
    pub(crate) ignores: bool,
    /// Skips all containers.
    pub(crate) skips_all: bool,
    pub(crate) looking: u64,
    /// Looks ahead in the elements of a list at the root, and chooses which of them it refuses
    /// then: by a key, or at the end.
    pub(crate) refuses: u64,
    pub(crate) open: usize,
}

impl Recorder {
    pub(crate) fn new(answers: Answers) -> Self {
        Recorder { answers, ..Recorder::default() }
    }

    fn hear(&mut self, at: u64, what: What) -> Result<Flow, usize> {
        let number = self.events.len();
        let answer = self.answers.answer(at, &what);
        if answer == Flow::Look {
            self.looking = at;
        }
        self.events.push((at, what));
        match self.refusal {
            Some((refused, depth)) if refused == number => Err(depth),
            _ if self.skips_all => Ok(Flow::Skip),
            _ => Ok(answer),
        }
    }
}

impl Sink for Recorder {
    /// The depth down to which to abandon.
    type Error = usize;

    fn begin_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.open += 1;
        if self.refuses > 0 && self.open == 2 {
            self.events.push((at, What::BeginMap));
            self.looking = at;
            return Ok(Flow::Look);
        }
        self.hear(at, What::BeginMap)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.open -= 1;
        self.hear(at, What::EndMap)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.open += 1;
        self.hear(at, What::BeginList)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.open -= 1;
        self.hear(at, What::EndList)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, usize> {
        assert_eq!(key.kind, KeyKind::Member);
        assert!(key.prefix.is_none() && key.namespace.is_none());
        self.hear(at, What::Key(owned(key.name)))
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, usize> {
        let what = match value {
            Scalar::Text(text) => What::Text(owned(text)),
            Scalar::Int(value) => What::Int(value),
            Scalar::Number(digits) => What::Number(String::from_utf8(digits.to_vec()).unwrap()),
            Scalar::Float(value) => What::Float(format!("{value:?}")),
            Scalar::Bool(value) => What::Bool(value),
            Scalar::Bytes(bytes) => What::Bytes(bytes.to_vec()),
            Scalar::DateTime(value) => What::DateTime(value),
            Scalar::Uid(value) => What::Uid(value),
            other => panic!("a property list has no {other:?}"),
        };
        self.hear(at, what)
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, usize> {
        panic!("a property list has no {text:?} between elements")
    }
    fn abandon(&mut self) {}
}

impl Hints for Recorder {
    fn ignores_scalar(&self) -> bool {
        self.ignores
    }
}

impl LookAhead for Recorder {
    fn look_key(&mut self, _key: Text<'_>, _at: u64) -> Result<Look, usize> {
        if self.refuses > 0 {
            if !refuses(self.refuses, self.looking) || chance(self.refuses, self.looking * 2, 2) {
                return Ok(Look::Pass);
            }
            self.open = 1;
            return Err(1);
        }
        Ok(match self.answers.ahead(self.looking) {
            Ahead::FoundByKey => Look::Found,
            Ahead::FoundByValue => Look::Value,
            Ahead::FoundAtEnd => Look::Pass,
            Ahead::SkippedByKey => Look::Skip,
        })
    }
    fn look_end(&mut self, _at: u64) -> Result<Look, usize> {
        if refuses(self.refuses, self.looking) {
            self.open = 1;
            return Err(1);
        }
        let wanted = self.answers.ahead(self.looking) != Ahead::SkippedByKey;
        Ok(if wanted { Look::Found } else { Look::Skip })
    }
}

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
pub(crate) fn read(text: &str, limits: &Limits, cuts: &Cuts, recorder: &mut Recorder) {
    let mut reader = Reader::new(limits, Repairs::default());
    let growing = cuts.0.iter().any(|growth| *growth > 0);
    let mut growth = cuts.0.iter().cycle();
    let (mut start, mut end, mut last) = (0, if growing { 0 } else { text.len() }, !growing);
    loop {
        let before = reader.offset();
        let given = InputView::Text { text: ValidText::from(&text[start..end]), last };
        let step = reader.run(given, recorder);
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
                assert!(last);
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

/// The reader's events for a sink with these answers.
pub(crate) fn told(text: &str, cuts: &Cuts, answers: Answers) -> Vec<Event> {
    let mut recorder = Recorder::new(answers);
    read(text, &Limits::default(), cuts, &mut recorder);
    recorder.events
}
