//! What becomes of each event: the destination gets it, and the terms that ask for it are answered.
//!
//! The answer of a condition does not depend on the order of the keys. So a value that the
//! destination refuses is not an error at once: the refusal waits until the condition is known, and
//! if the record is left, nobody hears of it.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | what is known of the record, and what that means for its events |
//! | `sink.rs` | the methods of the three traits |

mod sink;

use std::any::Any;
use std::sync::Arc;

use super::test::{Kind, Test};
use super::{Condition, Known, Quantifier, Term, Truth};
use crate::event::{Key, KeyKind, KnownKeys, Row, Scalar, Text};
use crate::protocol::{Flow, Listener};
use crate::select::automaton::{State, Target};
use penstock_scan::{TextBuf, make_room};

/// How many bytes of the text of an element are looked at, so that memory is bounded. The piece that
/// goes beyond is still taken.
const MOST_TEXT: usize = 16 << 20;

/// Why an event was refused.
#[derive(Debug)]
pub enum Left<E> {
    /// The record is not wanted. Its rest is not reported, and it is no error.
    Out,
    /// The destination refuses the event.
    Refused(E),
    /// No record can have what a term asks for: the reader knows the keys, and this is none of them.
    Lacks(Box<Lacking>),
}

/// A column that a term asks for, and that there is not.
#[derive(Debug)]
pub struct Lacking {
    /// The column, as the term has it.
    pub(super) column: String,
    /// Where the keys stand.
    pub(super) at: u64,
}

/// An open map or list in which a term may ask for something.
#[derive(Debug)]
struct Frame {
    /// Which steps may follow, if any lead on.
    state: Option<u32>,
    /// The element of an id whose terms ask for its text.
    whole: Option<u32>,
    /// In a list: how many of its elements have begun.
    begun: Option<u64>,
    /// The list of an id whose terms ask for each of its elements.
    each: Option<u32>,
    /// Where the text of an element begins, if a term asks for it.
    text: Option<usize>,
    /// The same with the text of the elements in it, as a class has it.
    string: Option<usize>,
}

/// What is known of the current record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none.
    Outside,
    /// Whether it is wanted is not known yet.
    Open,
    /// It is wanted.
    Wanted,
}

/// A refusal that waits: the sink's error, whose type only the methods know, and where it was.
#[derive(Debug)]
struct Refused {
    error: Box<dyn Any + Send>,
    at: u64,
}

/// Passes on the events of the records that a condition wants.
///
/// Each value at the root is a record. After [`Left::Out`], the caller calls [`Sink::abandon`](crate::protocol::Sink::abandon), and
/// the reader leaves the record, as after an error.
#[derive(Debug)]
pub struct Filtered<S> {
    inner: S,
    condition: Arc<Condition>,
    stage: Stage,
    /// Whether the events go to the destination, and nothing else is to be done: the record is wanted,
    /// and the destination wants the values.
    direct: bool,
    /// How many maps and lists of the record are open.
    depth: usize,
    /// Those of them in which a term may ask for something, each in the one before.
    frames: Vec<Frame>,
    /// Where the key that was reported last leads.
    target: Option<Target>,
    /// Whether it is the key of an element.
    is_element: bool,
    /// From this depth on, the destination does not want the values.
    muted: Option<usize>,
    /// The destination does not want the value of the key that was reported last.
    skips_next: bool,
    /// The destination has refused a value here, which becomes an error if the record is wanted.
    refused: Option<Refused>,
    /// Whether a refusal has another reason than the record, so that it cannot wait.
    breaks: fn(&dyn Any) -> bool,
    known: Known,
    /// The text of the open elements for which a term asks.
    text: String,
    /// The text of the open elements and of those in them, if a class has it at the place of a term, and how many
    /// such elements are open.
    string: String,
    strings: usize,
    room: TextBuf,
    left_out: u64,
    /// For each wanted record, how many were left out before it, if that is to be kept.
    left_out_before: Option<Vec<u64>>,
    /// Whether the reader skips the rest of the record that was left out last.
    leaves: bool,
    /// Of rows whose keys are known: the places of the keys for which terms ask, with their ids.
    columns: Vec<(usize, u32)>,
    /// Which keys the destination does not want.
    unwanted: Vec<bool>,
    /// The shape of these rows.
    shape: Option<u32>,
}

impl<S> Filtered<S> {
    /// A filter in front of `inner`. `breaks` says of the sink's error whether it has another reason
    /// than the record, such as the end of memory: it does not wait for the condition.
    pub fn new(inner: S, condition: Arc<Condition>, breaks: fn(&dyn Any) -> bool) -> Self {
        let known = Known::of(condition.terms.len());
        Filtered {
            inner,
            condition,
            stage: Stage::Outside,
            direct: false,
            depth: 0,
            frames: Vec::new(),
            target: None,
            is_element: false,
            muted: None,
            skips_next: false,
            refused: None,
            breaks,
            known,
            text: String::new(),
            string: String::new(),
            strings: 0,
            room: TextBuf::default(),
            left_out: 0,
            left_out_before: None,
            leaves: false,
            columns: Vec::new(),
            unwanted: Vec::new(),
            shape: None,
        }
    }

    /// The same for a piece of the text: it keeps [how many records](Self::left_out_before) were left out between
    /// those that are wanted.
    pub(crate) fn counting(
        inner: S,
        condition: Arc<Condition>,
        breaks: fn(&dyn Any) -> bool,
    ) -> Self {
        let left_out_before = Some(Vec::new());
        Filtered { left_out_before, ..Filtered::new(inner, condition, breaks) }
    }

    /// The sink behind the filter.
    pub fn inner(&self) -> &S {
        &self.inner
    }
    /// The sink behind the filter.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
    /// Returns the sink behind the filter.
    pub fn into_inner(self) -> S {
        self.inner
    }
    /// The condition.
    pub fn condition(&self) -> &Arc<Condition> {
        &self.condition
    }
    /// How many records were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
    /// How many records were left out before so many were wanted.
    pub(crate) fn left_out_before(&self, wanted: usize) -> u64 {
        let last = wanted.checked_sub(1);
        let kept = last.zip(self.left_out_before.as_ref()).and_then(|(last, all)| all.get(last));
        kept.copied().unwrap_or(0)
    }
    /// A record is wanted.
    #[inline]
    fn keep(&mut self) {
        if let Some(all) = &mut self.left_out_before {
            make_room(all, 1);
            all.push(self.left_out);
        }
    }
    /// Counts a record that was left out.
    pub(super) fn leave(&mut self) {
        self.left_out += 1;
        self.leaves = true;
    }
    /// Counts the records that another one has left out, in text that this one does not see.
    pub(crate) fn pass<T>(&mut self, other: &Filtered<T>) {
        self.left_out += other.left_out;
        self.leaves = false;
    }
    /// Whether it stands between two records.
    pub(crate) fn is_free(&self) -> bool {
        self.stage == Stage::Outside
    }
    /// See [`Destination::take_back`](crate::protocol::Destination::take_back).
    pub(crate) fn take_back(&mut self) -> bool {
        let leaves = std::mem::take(&mut self.leaves);
        self.left_out -= u64::from(leaves);
        leaves
    }
    /// Where the destination has refused a value of a record of which is not known whether it is
    /// wanted.
    pub(super) fn refused_at(&self) -> Option<u64> {
        self.refused.as_ref().map(|refused| refused.at)
    }

    pub(super) fn forget(&mut self) {
        self.stage = Stage::Outside;
        self.direct = false;
        self.leaves = false;
        self.depth = 0;
        self.frames.clear();
        self.target = None;
        self.is_element = false;
        self.muted = None;
        self.skips_next = false;
        self.refused = None;
        self.text.clear();
        self.leave_strings();
    }

    fn leave_strings(&mut self) {
        self.strings = 0;
        self.string.clear();
    }
}

impl<S: Listener> Filtered<S> {
    /// What follows is as [`direct`](Self::direct) says.
    #[inline]
    fn settle(&mut self) {
        self.direct = self.stage == Stage::Wanted
            && self.muted.is_none()
            && !self.skips_next
            && self.depth > 0;
    }

    /// Whether the destination gets the next value.
    fn tells(&self) -> bool {
        self.muted.is_none() && !self.skips_next && self.refused.is_none()
    }

    /// Whether any term may ask for what is in the innermost open map or list.
    fn watches(&self) -> bool {
        self.stage == Stage::Open && self.frames.len() == self.depth
    }

    /// Keeps a refusal until it is known whether the record is wanted.
    fn refuse<T>(
        &mut self,
        answer: Result<T, S::Error>,
        at: u64,
    ) -> Result<Option<T>, Left<S::Error>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if self.stage != Stage::Open || (self.breaks)(&error) => {
                Err(Left::Refused(error))
            }
            Err(error) => {
                self.refused = Some(Refused { error: Box::new(error), at });
                Ok(None)
            }
        }
    }

    /// Whether a term may ask for the value of a key of the innermost map, given by its name as the
    /// format writes it.
    fn may_lead_on(&self, name: &[u8]) -> bool {
        if name.is_empty() || !self.watches() {
            return false;
        }
        let Some(Frame { state: Some(state), .. }) = self.frames.last() else { return false };
        let state = self.state(*state);
        self.condition.has_escapes
            || state.other.is_some()
            || state.keys.iter().any(|edge| edge.key.as_bytes() == name)
    }

    /// Whether a class has text where a term asks for that of an element: it is that of the elements in it, too.
    fn asks_for_string(&self, id: u32) -> bool {
        let mut terms = self.condition.asked[id as usize].iter();
        terms.any(|term| self.condition.terms[*term as usize].kind == Kind::Text)
    }

    fn state(&self, state: u32) -> &State {
        &self.condition.automaton.states[state as usize]
    }

    /// The id to which a value belongs.
    fn id(&self, target: Target) -> Option<u32> {
        target.accept.or_else(|| self.state(target.state?).whole)
    }

    /// A record begins if none is open.
    fn begin_record(&mut self) {
        if self.stage == Stage::Outside {
            self.leaves = false;
            self.stage = Stage::Open;
            self.known = Known::of(self.condition.terms.len());
        }
    }

    /// A value begins: where the path to it leads, and the id of the list whose element it is.
    fn lead(&mut self) -> (Option<Target>, Option<u32>) {
        if !self.watches() {
            return (None, None);
        }
        let Some(Frame { state, begun, each, .. }) = self.frames.last_mut() else {
            // The record itself.
            return (None, None);
        };
        match begun {
            None => (self.target.take(), None),
            Some(begun) => {
                let (state, place) = (*state, *begun);
                *begun += 1;
                let states = &self.condition.automaton.states;
                (state.and_then(|state| states[state as usize].index(place)), *each)
            }
        }
    }

    /// Answers the terms that ask for a value. `answer` says what a term gets, if it gets anything.
    fn answer(&mut self, id: u32, answer: impl Fn(&Term) -> Option<bool>) {
        let condition = &*self.condition;
        for number in &condition.asked[id as usize] {
            if self.known.of_term(*number) != Truth::Open {
                continue;
            }
            let term = &condition.terms[*number as usize];
            if let Some(found) = answer(term)
                && term.settles(found)
            {
                self.known.answer(*number, found);
            }
        }
    }

    /// What the condition says now. If the record is wanted, what was refused is an error.
    fn decide(&mut self) -> Result<(), Left<S::Error>> {
        if self.stage != Stage::Open {
            return Ok(());
        }
        match self.condition.value(self.known) {
            Truth::Open => Ok(()),
            Truth::No => Err(Left::Out),
            Truth::Yes => {
                self.stage = Stage::Wanted;
                self.keep();
                self.leave_strings();
                self.frames.clear();
                match self
                    .refused
                    .take()
                    .and_then(|refused| refused.error.downcast::<S::Error>().ok())
                {
                    Some(error) => Err(Left::Refused(*error)),
                    None => Ok(()),
                }
            }
        }
    }

    /// The record ends: answers what nobody has answered, and decides.
    fn end_record(&mut self) -> Result<(), Left<S::Error>> {
        if self.stage == Stage::Open {
            self.known.end(&self.condition.terms);
            self.decide()?;
        }
        Ok(())
    }

    /// A map or a list begins.
    fn begin(&mut self, is_list: bool, at: u64) -> Result<Flow, Left<S::Error>> {
        let is_root = self.stage == Stage::Outside;
        self.begin_record();
        let is_element = std::mem::take(&mut self.is_element);
        let (target, list) = self.lead();
        let mut within = match target {
            _ if is_root => Some(0),
            Some(target) => target.state,
            None => None,
        };
        let mut each = None;
        let found = target.and_then(|target| self.id(target));
        for id in [found, list].into_iter().flatten() {
            if is_element {
                // Its text comes.
                self.answer(id, |term| (term.test == Test::Exists).then_some(true));
            } else if is_list && Some(id) == found {
                let one = |term: &Term| term.quantifier == Quantifier::First;
                self.answer(id, |term| one(term).then(|| term.test.of_container()));
                let terms = &self.condition.asked[id as usize];
                let is_asked = terms.iter().any(|term| !one(&self.condition.terms[*term as usize]));
                each = is_asked.then_some(id);
            } else {
                self.answer(id, |term| Some(term.test.of_container()));
            }
        }
        self.decide()?;
        if self.stage == Stage::Wanted {
            within = None;
        }
        within = within.filter(|state| !is_list || self.state(*state).looks_into_lists());
        let whole = found.filter(|_| is_element && self.stage == Stage::Open);
        let is_watched = within.is_some() || each.is_some() || whole.is_some() || self.strings > 0;
        let has_string = whole.is_some_and(|id| self.asks_for_string(id));
        let is_told = self.tells();
        let skips = std::mem::take(&mut self.skips_next);
        let flow = if is_told {
            let answer = if is_list { self.inner.begin_list(at) } else { self.inner.begin_map(at) };
            self.refuse(answer, at)?
        } else {
            None
        };
        let flow = match (flow, is_watched) {
            (Some(Flow::Skip), _) if is_root => {
                // The destination does not want the record.
                self.forget();
                return Ok(Flow::Skip);
            }
            (None, false) if is_root => {
                // It refuses the record, in which nothing answers a term: that is all of it.
                self.end_record()?;
                self.forget();
                return Ok(Flow::Skip);
            }
            (Some(Flow::Skip) | None, false) => return Ok(Flow::Skip),
            (Some(Flow::Skip), true) => {
                self.muted = Some(self.depth);
                Flow::Take
            }
            (Some(Flow::Watch), true) => Flow::Take,
            (Some(flow), _) => flow,
            (None, true) => {
                if skips {
                    self.muted = Some(self.depth);
                }
                Flow::Take
            }
        };
        if is_watched {
            let asks = |state: u32| !self.state(state).takes_text.is_empty();
            let text = whole.is_some() || ((is_element || is_root) && within.is_some_and(asks));
            make_room(&mut self.frames, 1);
            self.frames.push(Frame {
                state: within,
                whole,
                begun: is_list.then_some(0),
                each,
                text: text.then_some(self.text.len()),
                string: has_string.then_some(self.string.len()),
            });
            self.strings += usize::from(has_string);
        }
        self.depth += 1;
        self.settle();
        Ok(flow)
    }

    /// A map or a list ends.
    fn end(&mut self, is_list: bool, at: u64) -> Result<Flow, Left<S::Error>> {
        if self.watches()
            && let Some(Frame { state, whole, text: Some(from), string, .. }) = self.frames.pop()
        {
            let string = string.map(|from| {
                self.strings -= 1;
                let string = self.string[from..].to_owned();
                if self.strings == 0 {
                    self.string.clear();
                }
                string
            });
            let states = &self.condition.automaton.states;
            let parts = state.map(|state| &states[state as usize].takes_text);
            let ids: Vec<u32> = whole.iter().chain(parts.into_iter().flatten()).copied().collect();
            let text = self.text.split_off(from);
            for id in ids {
                let string = string.as_deref().filter(|_| whole == Some(id));
                self.answer(id, |term| {
                    let of_class = string.filter(|_| term.kind == Kind::Text);
                    term.answer(Scalar::Untyped(Text::from(of_class.unwrap_or(&text))))
                });
            }
            self.decide()?;
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.end_record()?;
        }
        if self.muted == Some(self.depth) {
            self.muted = None;
            self.settle();
            return Ok(Flow::Take);
        }
        if self.depth == 0 {
            self.stage = Stage::Outside;
        }
        self.settle();
        if !self.tells() {
            return Ok(Flow::Take);
        }
        let answer = if is_list { self.inner.end_list(at) } else { self.inner.end_map(at) };
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Take))
    }

    /// A key: `tell` reports it to the destination.
    fn key_of(
        &mut self,
        key: &Key<'_>,
        at: u64,
        tell: impl FnOnce(&mut S) -> Result<Flow, S::Error>,
    ) -> Result<Flow, Left<S::Error>> {
        self.target = match self.frames.last() {
            Some(Frame { state: Some(state), .. }) if self.watches() => self.state(*state).key(key),
            _ => None,
        };
        self.is_element = key.kind == KeyKind::Element;
        let flow = if self.tells() {
            let answer = tell(&mut self.inner);
            self.refuse(answer, at)?
        } else {
            None
        };
        let is_asked = self.target.is_some() || self.is_element && self.strings > 0;
        match flow {
            Some(Flow::Skip) if is_asked => {
                self.skips_next = true;
                self.direct = false;
                Ok(Flow::Take)
            }
            None if is_asked => Ok(Flow::Take),
            None => Ok(Flow::Skip),
            Some(flow) => Ok(flow),
        }
    }

    /// A value that is neither a map nor a list: `tell` reports it to the destination.
    fn value(
        &mut self,
        value: Scalar<'_>,
        at: u64,
        tell: impl FnOnce(&mut S) -> Result<Flow, S::Error>,
    ) -> Result<Flow, Left<S::Error>> {
        let is_root = self.stage == Stage::Outside;
        self.begin_record();
        self.is_element = false;
        let (target, list) = self.lead();
        let found = target.and_then(|target| self.id(target));
        for id in [found, list].into_iter().flatten() {
            self.answer(id, |term| term.answer(value));
        }
        if found.or(list).is_some() {
            self.decide()?;
        }
        if is_root {
            self.end_record()?;
            self.stage = Stage::Outside;
        }
        let is_told = self.tells();
        self.skips_next = false;
        self.settle();
        if !is_told {
            return Ok(Flow::Take);
        }
        let answer = tell(&mut self.inner);
        Ok(self.refuse(answer, at)?.unwrap_or(Flow::Take))
    }

    /// Whether a term asks for the value that comes next, if it comes in the innermost map or list.
    fn asks_next(&self) -> bool {
        self.watches()
            && match self.frames.last() {
                Some(Frame { begun: Some(_), .. }) => true,
                _ => self.target.is_some(),
            }
    }

    /// Tests a row whose values are all there. Nothing is said of the destination.
    fn test_row(&mut self, row: &Row<'_>) -> Truth {
        self.known = Known::of(self.condition.terms.len());
        for column in 0..self.columns.len() {
            let (place, id) = self.columns[column];
            if let Some(Some(cell)) = row.cells.get(place) {
                self.answer(id, |term| term.answer(cell.value));
            }
        }
        self.known.end(&self.condition.terms);
        self.condition.value(self.known)
    }

    /// Finds the columns for which terms ask: by name, or by position if there is no such name.
    fn find_columns(&mut self, known: &KnownKeys<'_>) -> Result<(), Left<S::Error>> {
        let condition = &*self.condition;
        self.columns.clear();
        for (id, numbers) in (0..).zip(&condition.asked) {
            let mut terms = numbers.iter().map(|number| &condition.terms[*number as usize]);
            let Some(Term { path, .. }) = terms.clone().next() else { continue };
            let start = &condition.automaton.states[0];
            let is_named = |key| start.key(key).and_then(|target| self.id(target)) == Some(id);
            let position = || match path.steps() {
                [step] => step.index().and_then(|index| usize::try_from(index).ok()),
                _ => None,
            };
            let place = known.keys.iter().position(is_named).or_else(position);
            match place.filter(|place| *place < known.keys.len()) {
                Some(place) => self.columns.push((place, id)),
                None if terms.all(|term| term.test.is_of_presence()) => {}
                None => {
                    let column = path.to_string();
                    return Err(Left::Lacks(Box::new(Lacking { column, at: known.at })));
                }
            }
        }
        Ok(())
    }

    /// Reports a row without the values that only terms ask for.
    fn tell_row(&mut self, row: &mut Row<'_>) -> Result<Flow, Left<S::Error>> {
        if !self.columns.iter().any(|(place, _)| self.unwanted[*place]) {
            return self.inner.row(row).map_err(Left::Refused);
        }
        let cells: Vec<_> = row
            .cells
            .iter()
            .enumerate()
            .map(|(place, cell)| {
                cell.filter(|_| !self.unwanted.get(place).is_some_and(|unwanted| *unwanted))
            })
            .collect();
        let mut told = row.with_cells(&cells);
        let answer = self.inner.row(&mut told);
        let reported = told.reported();
        *row = row.clone().resumed(reported);
        answer.map_err(Left::Refused)
    }
}
