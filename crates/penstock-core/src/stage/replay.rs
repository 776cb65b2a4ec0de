//! Looking ahead for readers that cannot: the stage holds a map's events back until the sink knows
//! what the map becomes, and then replays them.

use super::held::{Held, Recording};
use crate::event::{Container, Key, KeyKind, KnownKeys, Row, Scalar, Text};
use crate::forward;
use crate::protocol::row::{name as tell_name, scalar as tell_scalar};
use crate::protocol::{Flow, Hints, Listener, Look, LookAhead, RowsAs, Sink, Want, expand};
use crate::value::number::{Outcome, scan, to_f64};

/// Why an event was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError<E> {
    /// The sink behind the stage refused it.
    Sink(E),
    /// The map at this offset would need more memory for its events than the limit allows.
    TooFar {
        /// The offset of the map.
        at: u64,
        /// The limit, in bytes.
        limit: usize,
    },
}

impl<E> From<E> for ReplayError<E> {
    fn from(error: E) -> Self {
        ReplayError::Sink(error)
    }
}

/// What the stage does with the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Passes it on to the sink.
    Through,
    /// The sink looks ahead in the current map: the stage holds the event back.
    Holding {
        /// The offset of the map.
        at: u64,
        /// The sink wants the value of the last key.
        asked: bool,
    },
    /// The sink does not want the current map: the stage drops its events up to its end.
    Dropping,
    /// The sink wants no more events.
    Stopped,
}

/// Stands between a reader that cannot look ahead and a sink that may ask for it ([`Flow::Look`]).
/// The sink sees the same events as with a reader that can.
///
/// The stage copies the events that it holds back, at most `limits.lookahead` bytes. A pause during
/// the replay takes effect after it.
///
/// ```
/// use penstock_core::protocol::Sink;
/// use penstock_core::stage::Replay;
/// use penstock_core::protocol::Trace;
///
/// let mut stage = Replay::new(Trace::new(), 1 << 20);
/// stage.null(3).unwrap();
/// assert_eq!(stage.inner().text(), "   3 null\n");
/// ```
#[derive(Debug)]
pub struct Replay<S> {
    inner: S,
    limit: usize,
    mode: Mode,
    held: Recording,
    /// The sink asked for a pause while events were replayed.
    paused: bool,
}

/// What a stage keeps between two calls of a reader, without its sink.
#[derive(Debug)]
pub(crate) struct Kept {
    mode: Mode,
    held: Recording,
    paused: bool,
}

impl Default for Kept {
    fn default() -> Self {
        Kept { mode: Mode::Through, held: Recording::default(), paused: false }
    }
}

type Answer<S> = Result<Flow, ReplayError<<S as Sink>::Error>>;

impl<S: Listener> Replay<S> {
    /// A stage in front of `inner` that holds back at most `limit` bytes.
    pub fn new(inner: S, limit: usize) -> Self {
        let (mode, held) = (Mode::Through, Recording::default());
        Replay { inner, limit, mode, held, paused: false }
    }
    /// The sink behind the stage.
    pub fn inner(&self) -> &S {
        &self.inner
    }
    /// The sink behind the stage.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
    /// Returns the sink behind the stage.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// A stage that continues with what another one has kept, in front of the same sink.
    #[inline(always)]
    pub(crate) fn resume(inner: S, limit: usize, kept: Kept) -> Self {
        let Kept { mode, held, paused } = kept;
        Replay { inner, limit, mode, held, paused }
    }
    /// What the stage keeps, for whoever has the sink only for a while.
    #[inline(always)]
    pub(crate) fn into_kept(self) -> Kept {
        let Replay { mode, held, paused, .. } = self;
        Kept { mode, held, paused }
    }

    /// The offset of the map whose events are held back, if there is one.
    pub(super) fn holds_from(&self) -> Option<u64> {
        match self.mode {
            Mode::Holding { at, .. } => Some(at),
            Mode::Through | Mode::Dropping | Mode::Stopped => None,
        }
    }

    /// The answer for the reader: a pause that is due, unless the sink asks for something else.
    #[inline(always)]
    fn answered(&mut self, flow: Flow) -> Flow {
        if self.paused && flow == Flow::Take {
            self.paused = false;
            return Flow::Pause;
        }
        flow
    }

    /// Checks the size after an event was held back.
    fn checked(&self) -> Result<(), ReplayError<S::Error>> {
        match self.mode {
            Mode::Holding { at, .. } if self.held.size() > self.limit => {
                Err(ReplayError::TooFar { at, limit: self.limit })
            }
            _ => Ok(()),
        }
    }

    /// Handles the sink's answer to the last held-back event while it looks ahead.
    fn looked(&mut self, answer: Look, asks: bool) -> Answer<S> {
        match answer {
            Look::Found => self.replay(),
            Look::Skip => {
                self.held.clear();
                self.mode = Mode::Dropping;
                Ok(Flow::Skip)
            }
            Look::Pass | Look::Value => {
                if let Mode::Holding { asked, .. } = &mut self.mode {
                    *asked = asks && answer == Look::Value;
                }
                self.checked()?;
                Ok(Flow::Take)
            }
        }
    }

    /// A key, in a mode that does not pass all keys on.
    #[cold]
    fn other_key(&mut self, key: Key<'_>, at: u64) -> Answer<S> {
        match self.mode {
            Mode::Through => Ok(tell_name(&mut self.inner, key, at)?),
            Mode::Dropping => Ok(Flow::Skip),
            Mode::Stopped => Ok(Flow::Stop),
            Mode::Holding { .. } => {
                self.held.key(&key, at);
                if self.held.depth() > 0 {
                    self.checked()?;
                    return Ok(Flow::Take);
                }
                let answer = self.inner.look_key(key.name, at)?;
                self.looked(answer, true)
            }
        }
    }

    /// A scalar, in a mode that does not pass all scalars on.
    #[cold]
    fn other_scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer<S> {
        match self.mode {
            Mode::Through => Ok(tell_scalar(&mut self.inner, value, at)?),
            Mode::Dropping => Ok(Flow::Take),
            Mode::Stopped => Ok(Flow::Stop),
            Mode::Holding { asked, .. } => {
                self.held.scalar(value, at);
                if self.held.depth() > 0 || !asked {
                    self.checked()?;
                    return Ok(Flow::Take);
                }
                let answer = self.inner.look_value(Some(in_form(value, Want::Native)), at)?;
                self.looked(answer, false)
            }
        }
    }

    /// A map or list begins.
    #[inline(always)]
    fn begin(&mut self, map: bool, at: u64) -> Answer<S> {
        if self.mode != Mode::Through {
            return self.other_begin(map, at);
        }
        let flow = if map { self.inner.begin_map(at)? } else { self.inner.begin_list(at)? };
        if map && flow == Flow::Look {
            self.mode = Mode::Holding { at, asked: false };
            return Ok(Flow::Take);
        }
        Ok(self.answered(flow))
    }

    #[cold]
    fn other_begin(&mut self, map: bool, at: u64) -> Answer<S> {
        match self.mode {
            Mode::Dropping => return Ok(Flow::Skip),
            Mode::Stopped => return Ok(Flow::Stop),
            Mode::Through => return self.begin(map, at),
            Mode::Holding { asked: true, .. } if self.held.depth() == 0 => {
                let answer = self.inner.look_value(None, at)?;
                let flow = self.looked(answer, false)?;
                if self.mode != Mode::Through {
                    if self.mode != (Mode::Dropping) && flow != Flow::Stop {
                        self.held.begin(map, at);
                    }
                    return Ok(flow);
                }
                // The replay ended with the key, and its answer says whether the sink wants the
                // value.
                return if flow == Flow::Skip { Ok(flow) } else { self.begin(map, at) };
            }
            Mode::Holding { .. } => {}
        }
        self.held.begin(map, at);
        self.checked()?;
        Ok(Flow::Take)
    }

    /// A map or list ends.
    #[inline(always)]
    fn end(&mut self, map: bool, at: u64) -> Answer<S> {
        if self.mode != Mode::Through {
            return self.other_end(map, at);
        }
        let flow = if map { self.inner.end_map(at)? } else { self.inner.end_list(at)? };
        Ok(self.answered(flow))
    }

    #[cold]
    fn other_end(&mut self, map: bool, at: u64) -> Answer<S> {
        match self.mode {
            Mode::Through => self.end(map, at),
            Mode::Stopped => Ok(Flow::Stop),
            Mode::Dropping => {
                // Everything that begins inside the dropped map is skipped, so this is the end of
                // the map itself.
                self.mode = Mode::Through;
                Ok(self.answered(Flow::Take))
            }
            Mode::Holding { .. } if self.held.depth() > 0 => {
                self.held.end(map, at);
                self.checked()?;
                Ok(Flow::Take)
            }
            Mode::Holding { .. } => {
                if self.inner.look_end(at)? == Look::Skip {
                    self.held.clear();
                    self.mode = Mode::Through;
                    return Ok(Flow::Take);
                }
                self.held.push(Held::EndMap, at);
                self.replay()
            }
        }
    }

    /// Holds back an event that has no effect on the look. False if the event must not be held
    /// back.
    fn holds(
        &mut self,
        event: impl FnOnce(&mut Recording) -> Held,
        at: u64,
    ) -> Result<bool, ReplayError<S::Error>> {
        if let Mode::Holding { .. } = self.mode {
            let event = event(&mut self.held);
            self.held.push(event, at);
            self.checked()?;
        }
        Ok(self.mode != Mode::Through)
    }

    /// Replays all events that were held back. Returns the answer to the last event.
    fn replay(&mut self) -> Answer<S> {
        self.mode = Mode::Through;
        let held = std::mem::take(&mut self.held);
        let flow = self.replay_all(&held);
        // Reuse its buffers for the next map.
        self.held = held;
        self.held.clear();
        Ok(flow?)
    }

    fn replay_all(&mut self, held: &Recording) -> Result<Flow, S::Error> {
        let mut last = Flow::Take;
        let mut place = 0;
        while let Some((event, at)) = held.get(place) {
            place += 1;
            let at = *at;
            let inner = &mut self.inner;
            last = match event {
                Held::Key(key) => {
                    let flow = tell_name(inner, held.key_of(key), at)?;
                    if flow == Flow::Skip && place < held.len() {
                        place = behind_value(held, place);
                        Flow::Take
                    } else {
                        flow
                    }
                }
                Held::Scalar(value) => {
                    let value = in_form(held.scalar_of(value), inner.want());
                    tell_scalar(inner, value, at)?
                }
                Held::BeginMap { end } => match inner.begin_map(at)? {
                    Flow::Look if look(inner, held, place, *end)? => Flow::Take,
                    Flow::Skip | Flow::Look => {
                        place = end + 1;
                        Flow::Take
                    }
                    flow => flow,
                },
                Held::BeginList { end } => match inner.begin_list(at)? {
                    Flow::Skip => {
                        place = end + 1;
                        Flow::Take
                    }
                    flow => flow,
                },
                Held::EndMap => inner.end_map(at)?,
                Held::EndList => inner.end_list(at)?,
                Held::Piece(text) => inner.piece(held.text_of(text), at)?,
                Held::Comment(text) => inner.comment(held.text_of(text), at)?,
                Held::Instruction(target, data) => {
                    inner.instruction(held.text_of(target), held.text_of(data), at)?
                }
                Held::Container(container) => {
                    inner.container(*container);
                    Flow::Take
                }
            };
            match last {
                Flow::Pause => {
                    self.paused = true;
                    last = Flow::Take;
                }
                Flow::Stop => {
                    self.mode = Mode::Stopped;
                    return Ok(Flow::Stop);
                }
                Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => {}
            }
        }
        Ok(self.answered(last))
    }
}

/// The index after the value at `place`.
pub(crate) fn behind_value(held: &Recording, mut place: usize) -> usize {
    while let Some((Held::Container(_), _)) = held.get(place) {
        place += 1;
    }
    match held.get(place) {
        Some((Held::BeginMap { end } | Held::BeginList { end }, _)) => end + 1,
        _ => place + 1,
    }
}

/// Looks ahead in a map that is held back, up to its end. False if the sink does not want it.
fn look<S: Listener>(
    inner: &mut S,
    held: &Recording,
    mut place: usize,
    end: usize,
) -> Result<bool, S::Error> {
    while place < end
        && let Some((event, at)) = held.get(place)
    {
        place += 1;
        let Held::Key(key) = event else { continue };
        let mut answer = inner.look_key(held.key_of(key).name, *at)?;
        let behind = behind_value(held, place);
        if answer == Look::Value {
            while let Some((Held::Container(_), _)) = held.get(place) {
                place += 1;
            }
            let Some((value, at)) = held.get(place) else { break };
            let value = match value {
                Held::Scalar(value) => Some(in_form(held.scalar_of(value), Want::Native)),
                _ => None,
            };
            answer = inner.look_value(value, *at)?;
        }
        match answer {
            Look::Pass | Look::Value => place = behind,
            Look::Found => return Ok(true),
            Look::Skip => return Ok(false),
        }
    }
    let at = held.get(end).map_or(0, |(_, at)| *at);
    Ok(inner.look_end(at)? != Look::Skip)
}

/// A number of digits in the form that the sink wants; any other value unchanged.
fn in_form(value: Scalar<'_>, want: Want) -> Scalar<'_> {
    let Scalar::Number(digits) = value else { return value };
    if want == Want::Digits {
        return value;
    }
    match (want, scan(digits, 0).outcome) {
        (Want::Native, Outcome::Int(int)) => Scalar::Int(int),
        (Want::Native, Outcome::NegativeZero) => Scalar::Int(0),
        (Want::Native, Outcome::Big) | (_, Outcome::Bad { .. } | Outcome::Unfinished) => value,
        (_, outcome) => match to_f64(outcome, digits) {
            double if double.is_finite() => Scalar::Float(double),
            _ => value,
        },
    }
}

/// The methods that stand for [`Sink::scalar`]: the stage holds them back as the value that they
/// carry. Of the other methods, those about the next value are passed on.
macro_rules! held_back {
    ($trait:ident $($how:ident $method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(held_back! { @ $method($($argument: $type),*) $(-> $result)? })*
    };
    (@ begin_map $($rest:tt)*) => {};
    (@ end_map $($rest:tt)*) => {};
    (@ begin_list $($rest:tt)*) => {};
    (@ end_list $($rest:tt)*) => {};
    (@ name $($rest:tt)*) => {};
    (@ key $($rest:tt)*) => {};
    (@ written_key $($rest:tt)*) => {};
    (@ piece $($rest:tt)*) => {};
    (@ comment $($rest:tt)*) => {};
    (@ instruction $($rest:tt)*) => {};
    (@ container $($rest:tt)*) => {};
    (@ abandon $($rest:tt)*) => {};
    (@ scalar $($rest:tt)*) => { held_back! { @@ scalar(|value| value) $($rest)* } };
    (@ null $($rest:tt)*) => { held_back! { @@ null(()) $($rest)* } };
    (@ boolean $($rest:tt)*) => { held_back! { @@ boolean(Scalar::Bool) $($rest)* } };
    (@ int $($rest:tt)*) => { held_back! { @@ int(Scalar::Int) $($rest)* } };
    (@ float $($rest:tt)*) => { held_back! { @@ float(Scalar::Float) $($rest)* } };
    (@ number $($rest:tt)*) => { held_back! { @@ number(Scalar::Number) $($rest)* } };
    (@ text $($rest:tt)*) => { held_back! { @@ text(Scalar::Text) $($rest)* } };
    (@@ null($scalar:expr) ($at:ident: $offset:ty) -> $result:ty) => {
        #[inline(always)]
        fn null(&mut self, $at: $offset) -> $result {
            if self.mode != Mode::Through {
                return self.other_scalar(Scalar::Null, $at);
            }
            let flow = self.inner.null($at)?;
            Ok(self.answered(flow))
        }
    };
    (@@ $method:ident($scalar:expr) ($value:ident: $type:ty, $at:ident: $offset:ty) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $value: $type, $at: $offset) -> $result {
            if self.mode != Mode::Through {
                return self.other_scalar(($scalar)($value), $at);
            }
            let flow = self.inner.$method($value, $at)?;
            Ok(self.answered(flow))
        }
    };
    // Called only if the sink expects a key or wants another form, and it does neither while events
    // are held back.
    (@ $method:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) -> $result {
            debug_assert_eq!(self.mode, Mode::Through);
            let flow = self.inner.$method($($argument),*)?;
            Ok(self.answered(flow))
        }
    };
    (@ $method:ident($($argument:ident: $type:ty),*)) => {
        #[inline(always)]
        fn $method(&mut self, $($argument: $type),*) {
            self.inner.$method($($argument),*);
        }
    };
}

impl<S: Listener> Sink for Replay<S> {
    type Error = ReplayError<S::Error>;

    forward!(sink, held_back);

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer<S> {
        self.begin(true, at)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer<S> {
        self.end(true, at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer<S> {
        self.begin(false, at)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer<S> {
        self.end(false, at)
    }
    #[inline(always)]
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer<S> {
        if self.mode != Mode::Through {
            return self.other_key(key, at);
        }
        let flow = self.inner.name(key, at)?;
        Ok(self.answered(flow))
    }
    #[inline(always)]
    fn key(&mut self, name: Text<'_>, at: u64) -> Answer<S> {
        if self.mode != Mode::Through {
            let key = Key { name, namespace: None, prefix: None, kind: KeyKind::Member };
            return self.other_key(key, at);
        }
        let flow = self.inner.key(name, at)?;
        Ok(self.answered(flow))
    }
    fn written_key(&mut self, key: Text<'_>, raw: Text<'_>, at: u64) -> Answer<S> {
        if self.mode != Mode::Through {
            return self.key(key, at);
        }
        let flow = self.inner.written_key(key, raw, at)?;
        Ok(self.answered(flow))
    }
    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer<S> {
        if self.holds(|held| Held::Piece(held.keep(text)), at)? {
            return Ok(Flow::Take);
        }
        let flow = self.inner.piece(text, at)?;
        Ok(self.answered(flow))
    }
    fn comment(&mut self, text: Text<'_>, at: u64) -> Answer<S> {
        if self.holds(|held| Held::Comment(held.keep(text)), at)? {
            return Ok(Flow::Take);
        }
        let flow = self.inner.comment(text, at)?;
        Ok(self.answered(flow))
    }
    fn instruction(&mut self, target: Text<'_>, data: Text<'_>, at: u64) -> Answer<S> {
        if self.holds(|held| Held::Instruction(held.keep(target), held.keep(data)), at)? {
            return Ok(Flow::Take);
        }
        let flow = self.inner.instruction(target, data, at)?;
        Ok(self.answered(flow))
    }
    fn container(&mut self, container: Container) {
        match self.mode {
            Mode::Through => self.inner.container(container),
            // It is small, and the size is checked at the map or list that follows.
            Mode::Holding { .. } => self.held.push(Held::Container(container), 0),
            Mode::Dropping | Mode::Stopped => {}
        }
    }
    fn abandon(&mut self) {
        (self.mode, self.paused) = (Mode::Through, false);
        self.held.clear();
        self.inner.abandon();
    }
}

/// While events are held back, the stage gives the reader no expected key, and takes numbers as
/// digits.
impl<S: Listener> Hints for Replay<S> {
    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        if self.mode == Mode::Through { self.inner.expected_key() } else { &[] }
    }
    #[inline(always)]
    fn want(&self) -> Want {
        if self.mode == Mode::Through { self.inner.want() } else { Want::Digits }
    }
    #[inline(always)]
    fn ignores_scalar(&self) -> bool {
        match self.mode {
            Mode::Through => self.inner.ignores_scalar(),
            Mode::Holding { .. } => false,
            Mode::Dropping | Mode::Stopped => true,
        }
    }
    #[inline(always)]
    fn as_written(&self) -> bool {
        self.mode == Mode::Through && self.inner.as_written()
    }
    #[inline(always)]
    fn extras(&self) -> bool {
        self.inner.extras()
    }
    fn shares(&self) -> bool {
        self.inner.shares()
    }
    #[inline(always)]
    fn wakes(&self, name: &[u8]) -> bool {
        self.mode != Mode::Through || self.inner.wakes(name)
    }
}

/// The reader is never asked to look ahead, so the methods for that keep their defaults.
impl<S: Listener> LookAhead for Replay<S> {
    fn known_keys(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Self::Error> {
        Ok(self.inner.known_keys(known, wanted)?)
    }
    fn row(&mut self, row: &mut Row<'_>) -> Answer<S> {
        if self.mode != Mode::Through {
            return expand(self, row);
        }
        let flow = self.inner.row(row)?;
        if flow == Flow::Look && !row.is_done() {
            self.mode = Mode::Holding { at: row.at, asked: false };
            return expand(self, row);
        }
        Ok(self.answered(flow))
    }
}
