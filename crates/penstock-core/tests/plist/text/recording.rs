//! A sink that writes down its events and gives prescribed answers, and the loop that shows a text to the reader in
//! windows. The fuzz target uses both.

use penstock_core::error::{Fail, Kind};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::plist::text::Reader;
use penstock_core::protocol::{Flow, FormatReader, Hints, InputView, Look, LookAhead, Sink, Step};
use penstock_core::value::datetime::{Date, DateTime, Offset, Time};

/// An event or a fault, and its offset.
pub(crate) type Event = (usize, String);

/// A fault as an event.
pub(crate) fn fault(at: usize, kind: Kind) -> Event {
    (at, format!("fault {kind:?}"))
}

/// Whether an answer ends a look.
pub(crate) fn ends(look: Look) -> bool {
    matches!(look, Look::Found | Look::Skip)
}

/// The same choice for the same seed and position, one time in `one_in`. Never for the seed 0.
pub(crate) fn chance(seed: u64, place: usize, one_in: u64) -> bool {
    let mixed = (place as u64 ^ seed).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    seed != 0
        && (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32 & 0xFFFF
            < 0x1_0000 / one_in
}

/// A sink's answers, always the same for the same seeds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    /// Chooses where to skip.
    pub(crate) skips: u64,
    /// Chooses the dictionaries to look ahead in, and the answers there.
    pub(crate) looks: u64,
}

impl Answers {
    pub(crate) fn skips(self, at: usize) -> bool {
        chance(self.skips, at, 5)
    }
    pub(crate) fn looks(self, at: usize) -> bool {
        chance(self.looks, at, 2)
    }
    pub(crate) fn look(self, at: usize) -> Look {
        match () {
            () if chance(self.looks, at + 1, 3) => Look::Value,
            () if chance(self.looks, at + 2, 8) => Look::Found,
            () if chance(self.looks, at + 3, 12) => Look::Skip,
            () => Look::Pass,
        }
    }
}

/// Keeps all events.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) answers: Answers,
    /// Chooses where it pauses or stops.
    pub(crate) pauses: u64,
    /// Refuses the event with this number, and asks to abandon everything down to this depth.
    pub(crate) refusal: Option<(usize, usize)>,
    /// Makes the reader use the portable instruction set.
    pub(crate) portable: bool,
    /// The message of the fault, if there was one.
    pub(crate) reason: Option<String>,
}

impl Recorder {
    fn keep(&mut self, at: u64, what: String) -> Result<usize, usize> {
        let number = self.events.len();
        let at = usize::try_from(at).unwrap();
        self.events.push((at, what));
        match self.refusal {
            Some((refused, depth)) if refused == number => Err(depth),
            _ => Ok(at),
        }
    }
    fn hear(&mut self, at: u64, what: String) -> Result<Flow, usize> {
        let map = what == "begin map";
        let at = self.keep(at, what)?;
        Ok(match () {
            () if self.answers.skips(at) => Flow::Skip,
            () if map && self.answers.looks(at) => Flow::Look,
            () if chance(self.pauses, at, 4) => Flow::Pause,
            () if chance(self.pauses, at + 1, 8) => Flow::Stop,
            () => Flow::Take,
        })
    }
    fn glimpse(&mut self, at: u64, what: String) -> Result<Look, usize> {
        let at = self.keep(at, what)?;
        Ok(self.answers.look(at))
    }
}

/// The text, which must be ASCII if the reader says so.
fn owned(text: Text<'_>) -> &str {
    let owned = text.text.as_str();
    assert!(!text.ascii || owned.is_ascii(), "not ASCII: {owned:?}");
    owned
}

/// An instant in UTC.
pub(crate) fn clock(DateTime { date, time }: DateTime) -> String {
    let Date { year, month, day } = date;
    let Time { hour, minute, second, microsecond, offset } = time;
    assert_eq!((microsecond, offset), (0, Some(Offset::Utc)));
    format!("datetime {year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

fn what(value: Scalar<'_>) -> String {
    match value {
        Scalar::Text(text) => format!("text {:?}", owned(text)),
        Scalar::Untyped(text) => format!("untyped {:?}", owned(text)),
        Scalar::Int(value) => format!("int {value}"),
        Scalar::Number(digits) => format!("number {}", digits.escape_ascii()),
        Scalar::Float(value) => format!("float {value:?}"),
        Scalar::Bool(value) => format!("bool {value}"),
        Scalar::DateTime(value) => clock(value),
        Scalar::Bytes(bytes) => {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            format!("bytes {}", digits.collect::<String>())
        }
        other => panic!("a text property list has no {other:?}"),
    }
}

impl Sink for Recorder {
    /// The depth down to which to abandon.
    type Error = usize;

    fn begin_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, "begin map".to_owned())
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, "end map".to_owned())
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, "begin list".to_owned())
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, "end list".to_owned())
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, usize> {
        assert_eq!(key.kind, KeyKind::Member);
        self.hear(at, format!("key {:?}", owned(key.name)))
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, usize> {
        self.hear(at, what(value))
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, usize> {
        panic!("there are no pieces of text, and here is {text:?}")
    }
    fn abandon(&mut self) {}
}

impl Hints for Recorder {}

impl LookAhead for Recorder {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, usize> {
        self.glimpse(at, format!("look at key {:?}", owned(key)))
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, usize> {
        self.glimpse(at, format!("look at {}", value.map_or("parts".to_owned(), what)))
    }
    fn look_end(&mut self, at: u64) -> Result<Look, usize> {
        self.glimpse(at, "look at end".to_owned())
    }
}

/// Shows the text to a reader, and continues after each pause. The window grows by these numbers of bytes, again and
/// again; by everything at once if there are none. A fault is recorded among the events.
pub(crate) fn read(text: &str, limits: &Limits, cuts: &[u8], recorder: &mut Recorder) {
    let mut reader = Reader::new(limits);
    let growing = cuts.iter().any(|growth| *growth > 0);
    let mut growth = cuts.iter().cycle();
    let (mut start, mut end, mut last) = (0, if growing { 0 } else { text.len() }, !growing);
    loop {
        let before = reader.offset();
        let window = InputView::Text { text: text[start..end].into(), last };
        let step = if recorder.portable {
            reader.run_portable(window.text(), last, recorder)
        } else {
            reader.run(window, recorder)
        };
        assert!(reader.offset() >= before && reader.consumed() <= end - start);
        match step {
            Ok(Step::More) => {
                assert!(!last, "asks for more than there is");
                let by = growth.next().map_or(0, |by| usize::from(*by));
                // Sometimes the window keeps bytes that are no longer needed, and sometimes the end is declared late.
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
            Ok(Step::Paused | Step::Stopped) => {
                // What was reported is at hand still.
                if let Some((at, _)) = recorder.events.last() {
                    assert!(*at >= start);
                }
            }
            Ok(Step::Done) => {
                assert!(last && reader.depth() == 0);
                return;
            }
            Ok(Step::Again) => panic!("a turn is no answer"),
            Err(Fail::Sink(depth)) => reader.abandon(depth),
            Err(Fail::Input(wrong)) => {
                let at = usize::try_from(wrong.offset()).unwrap();
                recorder.events.push(fault(at, wrong.kind()));
                recorder.reason = Some(wrong.reason().to_owned());
                return;
            }
        }
    }
}

/// The events of a text at once, and the message of its fault.
pub(crate) fn whole(text: &str, limits: &Limits, answers: Answers) -> (Vec<Event>, Option<String>) {
    let mut recorder = Recorder { answers, ..Recorder::default() };
    read(text, limits, &[], &mut recorder);
    (recorder.events, recorder.reason)
}
