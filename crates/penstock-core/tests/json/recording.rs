//! A sink that writes down its events and gives prescribed answers, and the loop that shows a text
//! to a reader in windows. The fuzz targets use both.

use penstock_core::error::Fail;
use penstock_core::event::{Key, Members, Scalar, Text};
use penstock_core::json::{Framing, Reader, Step};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Coming, Flow, Hints, Look, LookAhead, Sink, Want};
use penstock_scan::ValidText;

use crate::naive::{Event, What};

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
    /// Chooses the maps to look ahead in, and the answers there.
    pub(crate) looks: u64,
    /// Whether the reader is told to take `NaN` and the infinities.
    pub(crate) non_finite: bool,
    /// Whether the reader is told to take comments and trailing commas.
    pub(crate) comments: bool,
}

impl Answers {
    /// Skips some values.
    pub(crate) fn skipping(seed: u64) -> Self {
        Answers { skips: seed, ..Answers::default() }
    }

    /// Whether it skips at this offset, in answer to a key or the beginning of a map or list.
    pub(crate) fn skips(self, at: usize) -> bool {
        chance(self.skips, at, 5)
    }

    /// Whether it looks ahead in the map that begins at this offset.
    pub(crate) fn looks(self, at: usize) -> bool {
        chance(self.looks, at, 2)
    }

    /// Its answer while looking ahead, to the token at this offset.
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
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) answers: Answers,
    /// Chooses where it pauses or stops.
    pub(crate) pauses: u64,
    /// Refuses the event with this number, and asks to abandon everything down to this depth.
    pub(crate) refusal: Option<(usize, usize)>,
    /// The expected keys as text has them, by the number of events before.
    pub(crate) lent: Vec<String>,
    /// The members that it expects: those before an even, and those before an odd number of events.
    pub(crate) ahead: [Vec<Coming>; 2],
    /// How many members were found ahead.
    pub(crate) found_ahead: usize,
    pub(crate) want: Want,
    /// Makes the reader use the portable instruction set.
    pub(crate) portable: bool,
    /// Makes the reader use the shared copy of the grammar.
    pub(crate) shared: bool,
    /// How many keys were found as expected.
    pub(crate) found: usize,
}

impl Recorder {
    /// Takes everything, expects no key, and wants the digits of numbers.
    pub(crate) fn new() -> Self {
        let (events, lent) = (Vec::new(), Vec::new());
        let want = Want::Digits;
        Recorder {
            events,
            answers: Answers::default(),
            pauses: 0,
            refusal: None,
            lent,
            ahead: [Vec::new(), Vec::new()],
            found_ahead: 0,
            want,
            portable: false,
            shared: false,
            found: 0,
        }
    }
    /// Skips some values, always the same ones.
    pub(crate) fn skipping(seed: u64) -> Self {
        Recorder::answering(Answers::skipping(seed))
    }
    /// Gives these answers.
    pub(crate) fn answering(answers: Answers) -> Self {
        Recorder { answers, ..Recorder::new() }
    }

    /// Expects these keys, and members ahead wherever several follow one another.
    pub(crate) fn ahead(lent: Vec<String>, want: Want) -> Self {
        let every_second = |from: usize| {
            let keys = lent.iter().skip(from).step_by(2);
            keys.map(|key| Coming { key: key.as_bytes().into(), want: Some(want) }).collect()
        };
        let ahead = [every_second(0), every_second(1)];
        Recorder { lent, ahead, want, ..Recorder::new() }
    }

    /// The members that it expects behind so many events.
    fn coming(&self, number: usize) -> &[Coming] {
        let ahead = self.ahead[number % 2].get(number / 2..).unwrap_or_default();
        let end = ahead.iter().position(|coming| coming.key.is_empty()).unwrap_or(ahead.len());
        &ahead[..end]
    }

    /// Writes an event down, and refuses it if it is the one to refuse. Yields its offset.
    fn keep(&mut self, at: u64, what: What) -> Result<usize, usize> {
        let number = self.events.len();
        let at = usize::try_from(at).unwrap();
        self.events.push((at, what));
        match self.refusal {
            Some((refused, depth)) if refused == number => Err(depth),
            _ => Ok(at),
        }
    }

    fn hear(&mut self, at: u64, what: What) -> Result<Flow, usize> {
        let map = what == What::BeginMap;
        let at = self.keep(at, what)?;
        Ok(match () {
            () if self.answers.skips(at) => Flow::Skip,
            () if map && self.answers.looks(at) => Flow::Look,
            () if chance(self.pauses, at, 4) => Flow::Pause,
            () if chance(self.pauses, at + 1, 8) => Flow::Stop,
            () => Flow::Take,
        })
    }

    fn glimpse(&mut self, at: u64, what: What) -> Result<Look, usize> {
        let at = self.keep(at, what)?;
        Ok(self.answers.look(at))
    }
}

impl Sink for Recorder {
    /// The depth down to which to abandon.
    type Error = usize;

    fn begin_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, What::BeginMap)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, What::EndMap)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, What::BeginList)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, usize> {
        self.hear(at, What::EndList)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, usize> {
        self.hear(at, What::Key(owned(key.name)))
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, usize> {
        self.hear(at, what(value))
    }
    fn piece(&mut self, text: Text<'_>, _at: u64) -> Result<Flow, usize> {
        panic!("JSON has no pieces of text, and here is {text:?}")
    }
    fn abandon(&mut self) {}
    fn members(&mut self, members: &Members<'_>) -> Result<Flow, usize> {
        self.found_ahead += members.keys();
        for (place, member) in members.iter().enumerate() {
            assert_eq!(member.place, place);
            self.expected_key_found(member.key_at)?;
            self.scalar(member.value, member.at)?;
        }
        Ok(Flow::Take)
    }
    fn expected_key_found(&mut self, at: u64) -> Result<Flow, usize> {
        let name = self.lent[self.events.len() % self.lent.len()].trim_end_matches(':');
        let name = name[1..name.len() - 1].to_owned();
        self.found += 1;
        self.hear(at, What::Key(name))
    }
}

impl Hints for Recorder {
    fn expected_key(&self) -> &[u8] {
        match self.lent.len() {
            0 => &[],
            lent => self.lent[self.events.len() % lent].as_bytes(),
        }
    }
    fn members_ahead(&self) -> &[Coming] {
        self.coming(self.events.len())
    }
    fn object_ahead(&self) -> &[Coming] {
        self.coming(self.events.len() + 1)
    }
    fn want(&self) -> Want {
        self.want
    }
}

impl LookAhead for Recorder {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, usize> {
        self.glimpse(at, What::LookKey(owned(key)))
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, usize> {
        self.glimpse(at, What::LookValue(value.map(|value| Box::new(what(value)))))
    }
    fn look_end(&mut self, at: u64) -> Result<Look, usize> {
        self.glimpse(at, What::LookEnd)
    }
}

fn what(value: Scalar<'_>) -> What {
    match value {
        Scalar::Null => What::Null,
        Scalar::Bool(value) => What::Bool(value),
        Scalar::Int(value) => What::Int(value),
        Scalar::Float(value) => What::Float(value.to_bits()),
        Scalar::Number(digits) => What::Number(String::from_utf8(digits.to_vec()).unwrap()),
        Scalar::Text(text) => What::Text(owned(text)),
        other => panic!("JSON has no {other:?}"),
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

/// Shows the text to a reader, and continues after each pause and, if possible, after each fault.
/// Faults are recorded among the events.
pub(crate) fn read(
    text: &str,
    framing: Framing,
    limits: &Limits,
    cuts: &Cuts,
    recorder: &mut Recorder,
) {
    let Answers { non_finite, comments, .. } = recorder.answers;
    let reader = Reader::new(framing, limits).taking_non_finite(non_finite);
    let mut reader = reader.taking_comments(comments);
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
                assert!(last && reader.depth() == 0);
                return;
            }
            Ok(Step::Again) => panic!("a turn is no answer"),
            Err(Fail::Sink(depth)) => reader.abandon(depth),
            Err(Fail::Input(fault)) => {
                let at = usize::try_from(fault.offset()).unwrap();
                recorder.events.push((at, What::Fault(fault.kind())));
                if !reader.resynchronise() {
                    return;
                }
            }
        }
    }
}
