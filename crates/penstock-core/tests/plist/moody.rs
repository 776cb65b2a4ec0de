//! A sink whose answers look random, and are the same for the same events.

use penstock_core::event::{Container, Key, Matched, Scalar, Text};
use penstock_core::protocol::{Flow, Hints, Look, LookAhead, Sink, Trace};

/// How often a sink gives which answer: one time in so many, or never if 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mood {
    pub(crate) seed: u64,
    pub(crate) skips: u64,
    pub(crate) looks: u64,
    pub(crate) pauses: u64,
    pub(crate) stops: u64,
    pub(crate) refuses: u64,
    pub(crate) shares: bool,
}

/// Writes down every event that it gets.
#[derive(Debug)]
pub(crate) struct Moody {
    pub(crate) trace: Trace,
    mood: Mood,
    events: u64,
}

/// The sink refused an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl Moody {
    pub(crate) fn new(mood: Mood) -> Self {
        Moody { trace: Trace::new(), mood, events: 0 }
    }

    /// A number that depends on the seed and on how many events came before, and not on pauses.
    fn roll(&mut self) -> u64 {
        self.events += 1;
        let mixed = (self.mood.seed ^ self.events).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32
    }

    fn answer(&mut self, skips: bool, looks: bool) -> Result<Flow, Refused> {
        let rolled = self.roll();
        let due = |times: u64, salt: u64| times > 0 && (rolled >> salt).is_multiple_of(times);
        if due(self.mood.refuses, 3) {
            return Err(Refused);
        }
        if due(self.mood.stops, 5) {
            return Ok(Flow::Stop);
        }
        if looks && due(self.mood.looks, 1) {
            return Ok(Flow::Look);
        }
        if skips && due(self.mood.skips, 2) {
            return Ok(Flow::Skip);
        }
        Ok(if due(self.mood.pauses, 0) { Flow::Pause } else { Flow::Take })
    }

    fn look(&mut self) -> Look {
        match self.roll() % 12 {
            0 => Look::Found,
            1 => Look::Skip,
            2..6 => Look::Value,
            _ => Look::Pass,
        }
    }

    fn note(&mut self, key: &str, at: u64) {
        let Ok(_) = self.trace.key(key.into(), at);
    }
}

impl Sink for Moody {
    type Error = Refused;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Refused> {
        let answer = self.answer(true, true)?;
        // What is skipped has no end.
        let Ok(_) =
            if answer == Flow::Skip { self.trace.null(at) } else { self.trace.begin_map(at) };
        Ok(answer)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Refused> {
        let Ok(_) = self.trace.end_map(at);
        self.answer(false, false)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Refused> {
        let answer = self.answer(true, false)?;
        let Ok(_) =
            if answer == Flow::Skip { self.trace.null(at) } else { self.trace.begin_list(at) };
        Ok(answer)
    }
    fn end_list(&mut self, at: u64) -> Result<Flow, Refused> {
        let Ok(_) = self.trace.end_list(at);
        self.answer(false, false)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Refused> {
        let Ok(_) = self.trace.name(key, at);
        self.answer(true, false)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Refused> {
        let Ok(_) = self.trace.scalar(value, at);
        self.answer(false, false)
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Result<Flow, Refused> {
        let Ok(_) = self.trace.piece(text, at);
        self.answer(false, false)
    }
    fn abandon(&mut self) {
        self.trace.abandon();
    }
    fn matched(&mut self, by: Matched<'_>) {
        self.trace.matched(by);
    }
    fn container(&mut self, container: Container) {
        self.trace.container(container);
    }
}

impl Hints for Moody {
    fn shares(&self) -> bool {
        self.mood.shares
    }
}

impl LookAhead for Moody {
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refused> {
        self.note(&format!("look {}", key.text.as_str()), at);
        Ok(self.look())
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, Refused> {
        self.note(&format!("value {}", value.is_some()), at);
        if let Some(value) = value {
            let Ok(_) = self.trace.scalar(value, at);
        }
        Ok(self.look())
    }
    fn look_end(&mut self, at: u64) -> Result<Look, Refused> {
        self.note("look end", at);
        Ok(self.look())
    }
}
