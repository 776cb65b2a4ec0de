//! The walk over the graph of objects, as events.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the walk |
//! | `open.rs` | a container that is open |
//! | `ranges.rs` | where a reader of a range begins, ends and halts, and who reads beside it |

mod open;
mod ranges;

use std::collections::HashMap;

use penstock_scan::{filled, make_room, stands_at};

use open::Open;

use super::object::{Members, Object};
use super::shares::Shares;
use super::store::{Memory, Paged, Pages, Store};
use super::strings::{Strings, ascii};
use super::trailer::Trailer;
use crate::error::{Fail, Fault};
use crate::event::{Container, ContainerKind, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::erased::{AnySink, Kept, Refused};
use crate::protocol::{Copies, Flow, FormatReader, InputView, Listener, Look, Step};

/// As many bytes may be reported, however small the file is.
const FREE: u64 = 8 << 20;
/// A string or data of so many bytes counts as nothing: the reference to it has counted.
const SMALL: u64 = 64;
/// Among so many open containers, the current one is searched one by one.
const NEAR: usize = 64;

/// So many keys are known by their numbers.
const KEYS: usize = 64;
/// A property list of so few objects has nothing to repeat.
const FEW: u64 = 8;

/// If the reader halts in containers: how many members these have at least, and behind how many of them
/// it halts.
const MANY: u64 = 16;
const FIRST: u64 = 4;

/// A reader that rests does so behind so many reported bytes, and behind so many members of one container.
const REST: u64 = 1 << 18;
const REST_MEMBERS: u64 = 1 << 14;

/// A short key of ASCII that was read before.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The number of the object, or [`u64::MAX`] if there is none.
    number: u64,
    /// The offset of its marker.
    at: u64,
    /// Where its text is.
    from: u64,
    count: usize,
}

/// Reads a binary property list, from bytes in memory or from a file at positions.
///
/// It can pause and continue after any event. What the sink skips is not even looked at.
#[derive(Debug)]
pub struct Reader {
    trailer: Option<Trailer>,
    /// If only what one object leads to is read: the trailer, with that object for the root.
    part: Option<Trailer>,
    /// If it begins at a member: its place, as [`places`](Self::places).
    start: Box<[u64]>,
    /// If it ends before a member: its place.
    until: Box<[u64]>,
    /// How many of the open containers are those around that member.
    edge: usize,
    /// Whether the root was begun.
    begun: bool,
    open: Vec<Open>,
    /// The numbers of the open containers behind the first [`NEAR`].
    far: HashMap<u64, ()>,
    /// It halts in containers of many members that are open inside of fewer than so many others.
    halts_within: usize,
    /// How many bytes were reported for each member, the last time that some were read before it halted.
    told_for_each: u64,
    /// Which objects are shared, if the sink wants to know.
    shares: Option<Shares>,
    /// The offset of the object at hand.
    at: u64,
    /// How many bytes were reported: those of containers, and of long strings and data.
    told: u64,
    /// How many may be, or how many may be until the reader rests.
    most: u64,
    /// If it rests: how many may be.
    limit: Option<u64>,
    strings: Strings,
    /// The keys that came last, by the last bits of their numbers: records repeat them.
    keys: Box<[Known]>,
    pages: Pages,
    depth_limit: usize,
    amplification: u64,
    expansion: Option<u64>,
}

impl Reader {
    /// A reader at the beginning of a property list.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Reader {
            trailer: None,
            part: None,
            start: Box::default(),
            until: Box::default(),
            edge: 0,
            begun: false,
            open: Vec::new(),
            far: HashMap::new(),
            halts_within: 0,
            told_for_each: 0,
            shares: None,
            at: 0,
            told: 0,
            most: 0,
            limit: None,
            strings: Strings::new(limits),
            keys: Box::default(),
            pages: Pages::default(),
            depth_limit: limits.depth,
            amplification: limits.amplification,
            expansion: limits.expansion,
        }
    }

    /// The same for a part of a property list whose trailer is known: all that this object leads to.
    pub(super) fn at(trailer: Trailer, number: u64, limits: &Limits) -> Self {
        let mut reader = Reader::new(limits);
        reader.part = Some(trailer.rooted(number));
        reader
    }

    /// Reads all bytes of a property list, or continues behind the last event.
    fn read<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        size: u64,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let trailer = match self.trailer {
            Some(trailer) => trailer,
            None => {
                let trailer = match self.part {
                    Some(part) => part,
                    None => Trailer::read(store, size)?,
                };
                if sink.shares() {
                    let is_range = !self.start.is_empty() || !self.until.is_empty();
                    self.shares = Some(if self.part.is_some() || is_range {
                        Shares::count_part(store, &trailer, &self.start, &self.until)
                    } else {
                        Shares::count(store, &trailer)
                    });
                }
                let times = size.saturating_mul(self.amplification).max(FREE);
                let more = self.expansion.map_or(u64::MAX, |most| most.saturating_add(size));
                self.most = times.min(more);
                if let Some(limit) = &mut self.limit {
                    *limit = self.most;
                    self.most = self.most.min(REST);
                }
                *self.trailer.insert(trailer)
            }
        };
        if !self.begun {
            self.begun = true;
            let from = trailer.root_said_at();
            if !self.start.is_empty() {
                self.descend(store, &trailer)?;
            } else if let Some(step) = self.value(store, &trailer, trailer.root, from, sink)? {
                return Ok(step);
            }
        }
        self.drive(store, &trailer, sink)
    }

    /// Reports the members of the open containers.
    #[inline(always)]
    fn drive<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let width = trailer.reference;
        while let Some(open) = self.open.last_mut() {
            let Members { kind, from, count } = open.members;
            if open.next == open.end && !open.keyed {
                if let Some(halt) = open.halt.take() {
                    open.end = halt.last;
                    let (told, members) = (self.told - halt.told, open.next - halt.from);
                    self.told_for_each = told.checked_div(members).unwrap_or(self.told_for_each);
                    self.rest_among_many();
                    return Ok(Step::More);
                }
                let at = open.at;
                self.close();
                let flow = match kind {
                    ContainerKind::Map => sink.end_map(at),
                    ContainerKind::List | ContainerKind::Set => sink.end_list(at),
                };
                match flow.map_err(Fail::Sink)? {
                    Flow::Pause => return Ok(Step::Paused),
                    Flow::Stop => return Ok(Step::Stopped),
                    Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => continue,
                }
            }
            let mut place = from + open.next * width.bytes;
            if kind == ContainerKind::Map {
                if !open.keyed {
                    let key = width.of(store.word(place)?);
                    open.keyed = true;
                    match self.member_key(store, trailer, key, place, sink)? {
                        Flow::Take | Flow::Watch | Flow::Look => {}
                        Flow::Skip => {
                            self.pass();
                            continue;
                        }
                        Flow::Pause => return Ok(Step::Paused),
                        Flow::Stop => return Ok(Step::Stopped),
                    }
                }
                place += count * width.bytes;
            }
            self.pass();
            let number = width.of(store.word(place)?);
            if let Some(step) = self.value(store, trailer, number, place, sink)? {
                return Ok(step);
            }
        }
        Ok(Step::Done)
    }

    /// Goes on to the next member of the innermost container.
    #[inline(always)]
    fn pass(&mut self) {
        if let Some(open) = self.open.last_mut() {
            (open.next, open.keyed) = (open.next + 1, false);
        }
    }

    /// Leaves the innermost container.
    #[inline(always)]
    fn close(&mut self) {
        if self.open.len() > NEAR
            && let Some(open) = self.open.last()
        {
            self.far.remove(&open.number);
        }
        self.open.pop();
    }

    /// Reports an object to which the reference at the offset `from` leads. The step that ends the
    /// call, if the sink asks for one.
    #[inline(always)]
    fn value<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        number: u64,
        from: u64,
        sink: &mut S,
    ) -> Result<Option<Step>, Fail<S::Error>> {
        let at = trailer.find(store, number, from)?;
        self.at = at;
        let flow = match Object::read(store, trailer, number, at)? {
            Object::Container(members) => {
                return self.begin(store, trailer, Open::new(number, at, members), sink);
            }
            scalar => self.scalar(store, scalar, at, |value| tell(sink, value, at))?,
        };
        Ok(step_for(flow))
    }

    /// Hands over a value that is no container.
    #[inline(always)]
    fn scalar<St: Store, T, E>(
        &mut self,
        store: &mut St,
        object: Object,
        at: u64,
        tell: impl FnOnce(Scalar<'_>) -> Result<T, E>,
    ) -> Result<T, Fail<E>> {
        self.count_long(object, at)?;
        self.strings.scalar(store, object, at, tell)
    }

    /// Reports the key of a member.
    #[inline(always)]
    fn member_key<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        number: u64,
        from: u64,
        sink: &mut S,
    ) -> Result<Flow, Fail<S::Error>> {
        let Some(known) = self.keys.get(number as usize % KEYS).filter(|key| key.number == number)
        else {
            return self.new_key(store, trailer, number, from, sink);
        };
        let Known { at, from, count, .. } = *known;
        self.at = at;
        let bytes = store.bytes(from, count)?;
        let expected = sink.expected_name();
        let told = if expected.len() == count && count > 0 && stands_at(bytes, 0, expected) {
            sink.expected_key_found(at)
        } else {
            sink.key(ascii(bytes, from)?, at)
        };
        told.map_err(Fail::Sink)
    }

    /// Reports a key that is not known, and gets to know it if it is short.
    #[inline(never)]
    fn new_key<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        number: u64,
        from: u64,
        sink: &mut S,
    ) -> Result<Flow, Fail<S::Error>> {
        let flow = self.key(store, trailer, number, from, |text, at| sink.key(text, at))?;
        let at = self.at;
        if let Object::Ascii { from, count } = Object::read(store, trailer, number, at)?
            && count <= SMALL
            && trailer.objects > FEW
        {
            if self.keys.is_empty() {
                let none = Known { number: u64::MAX, at: 0, from: 0, count: 0 };
                self.keys = filled(none, KEYS).into();
            }
            let known = Known { number, at, from, count: count as usize };
            self.keys[number as usize % KEYS] = known;
        }
        Ok(flow)
    }

    /// Hands over the object that is a key.
    #[inline(always)]
    fn key<St: Store, T, E>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        number: u64,
        from: u64,
        tell: impl FnOnce(Text<'_>, u64) -> Result<T, E>,
    ) -> Result<T, Fail<E>> {
        let at = trailer.find(store, number, from)?;
        self.at = at;
        let object = Object::read(store, trailer, number, at)?;
        self.count_long(object, at)?;
        self.strings.key(store, object, number, at, |text| tell(text, at))
    }

    /// Counts the bytes of a long string or of data, which is about to be reported.
    #[inline(always)]
    fn count_long(&mut self, object: Object, at: u64) -> Result<(), Fault> {
        let bytes = match object {
            Object::Data { count, .. } | Object::Ascii { count, .. } => count,
            Object::Utf16 { units, .. } => 2 * units,
            _ => return Ok(()),
        };
        if bytes > SMALL && self.count(bytes - SMALL, at)? {
            self.rest_soon();
        }
        Ok(())
    }

    /// A container begins.
    #[inline]
    fn begin<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        open: Open,
        sink: &mut S,
    ) -> Result<Option<Step>, Fail<S::Error>> {
        let Open { number, at, members, .. } = open;
        self.check_new(number, at)?;
        let is_shared = self.shares.as_ref().is_some_and(|shares| shares.has(number));
        if is_shared || members.kind == ContainerKind::Set {
            sink.container(Container { kind: members.kind, shared: is_shared.then_some(number) });
        }
        self.push(open);
        let is_map = members.kind == ContainerKind::Map;
        let flow = if is_map { sink.begin_map(at) } else { sink.begin_list(at) };
        let flow = flow.map_err(Fail::Sink)?;
        if flow == Flow::Skip {
            self.close();
            return Ok(None);
        }
        self.halt_if_many();
        if members.count > REST_MEMBERS {
            self.rest_among_many();
        }
        let rests = self.count_members(trailer, at, members)?;
        if is_map && flow == Flow::Look {
            self.look(store, trailer, at, members, sink)?;
        }
        Ok(step_for(flow).or(rests.then_some(Step::More)))
    }

    /// Fails if a container is open already, or is within too many others.
    #[inline(always)]
    fn check_new(&self, number: u64, at: u64) -> Result<(), Fault> {
        let near = &self.open[..self.open.len().min(NEAR)];
        if near.iter().any(|other| other.number == number) || self.far.contains_key(&number) {
            return Err(Fault::malformed(at, format!("object {number} contains itself")));
        }
        if self.open.len() >= self.depth_limit {
            let limit = self.depth_limit;
            let reason = format!("nested deeper than {limit} levels (limits.depth)");
            return Err(Fault::limit(at, reason));
        }
        Ok(())
    }

    /// A container is open now.
    #[inline(always)]
    fn push(&mut self, open: Open) {
        let mut open = open;
        if self.edge < self.until.len() && self.edge == self.open.len() {
            self.find_end(&mut open);
        }
        if self.open.len() >= NEAR {
            make_room(&mut self.far, 1);
            self.far.insert(open.number, ());
        }
        make_room(&mut self.open, 1);
        self.open.push(open);
    }

    /// A container is open now that the sink takes.
    #[inline(always)]
    fn halt_if_many(&mut self) {
        if self.open.len() <= self.halts_within
            && let Some(open) = self.open.last_mut()
            && open.end - open.next >= MANY
        {
            open.halt_before(open.next + FIRST, self.told);
        }
    }

    /// If a container is around the member before which the reader ends, nothing behind that is read.
    #[cold]
    fn find_end(&mut self, open: &mut Open) {
        let last = self.until[self.edge];
        let is_around = match self.edge.checked_sub(1) {
            None => true,
            Some(outer) => self.open[outer].next.checked_sub(1) == Some(self.until[outer]),
        };
        if is_around {
            self.edge += 1;
            let inner = u64::from(self.edge < self.until.len());
            open.end = last.saturating_add(inner).clamp(open.next, open.members.count);
        }
    }

    /// Counts the bytes of a container. True if the reader rests behind its beginning.
    #[inline(always)]
    fn count_members(
        &mut self,
        trailer: &Trailer,
        at: u64,
        members: Members,
    ) -> Result<bool, Fault> {
        let Members { kind, from, count } = members;
        let width = trailer.reference.bytes;
        let each = if kind == ContainerKind::Map { 2 * width } else { width };
        self.count(from - at + count * each, at)
    }

    /// Looks at the keys of a map that has begun, until the sink knows what it becomes.
    #[cold]
    #[inline(never)]
    fn look<St: Store, S: Listener + ?Sized>(
        &mut self,
        store: &mut St,
        trailer: &Trailer,
        at: u64,
        members: Members,
        sink: &mut S,
    ) -> Result<(), Fail<S::Error>> {
        let width = trailer.reference;
        let mut found = None;
        for place in 0..members.count {
            let from = members.from + place * width.bytes;
            let number = width.of(store.word(from)?);
            let mut answer =
                self.key(store, trailer, number, from, |key, at| sink.look_key(key, at))?;
            if answer == Look::Value {
                let from = from + members.count * width.bytes;
                let number = width.of(store.word(from)?);
                let at = trailer.find(store, number, from)?;
                self.at = at;
                answer = match Object::read(store, trailer, number, at)? {
                    Object::Container(_) => sink.look_value(None, at).map_err(Fail::Sink)?,
                    scalar => {
                        self.scalar(store, scalar, at, |value| sink.look_value(Some(value), at))?
                    }
                };
            }
            if matches!(answer, Look::Found | Look::Skip) {
                found = Some(answer);
                break;
            }
        }
        let answer = match found {
            Some(answer) => answer,
            None => sink.look_end(at).map_err(Fail::Sink)?,
        };
        if answer == Look::Skip {
            self.close();
        }
        Ok(())
    }

    /// Counts bytes that are reported. Fails if the objects expand to more than they may. True if the reader
    /// has to rest.
    #[inline(always)]
    fn count(&mut self, bytes: u64, at: u64) -> Result<bool, Fault> {
        self.told = self.told.saturating_add(bytes);
        if self.told > self.most { self.much(at) } else { Ok(false) }
    }

    #[cold]
    #[inline(never)]
    fn much(&mut self, at: u64) -> Result<bool, Fault> {
        match self.limit {
            Some(limit) if self.told <= limit => {
                self.most = self.told.saturating_add(REST).min(limit);
                Ok(true)
            }
            _ => Err(self.too_much(at)),
        }
    }

    /// If it rests, it does so behind some members of the innermost container, if these are many.
    #[cold]
    #[inline(never)]
    fn rest_among_many(&mut self) {
        if self.limit.is_some() {
            self.halt_behind(REST_MEMBERS);
        }
    }

    /// Rests behind the member at hand.
    #[cold]
    #[inline(never)]
    fn rest_soon(&mut self) {
        self.halt_behind(1);
    }

    /// Halts behind so many members of the innermost container, if there are more. If it halts there in any case, it goes
    /// on with that.
    fn halt_behind(&mut self, members: u64) {
        if let Some(open) = self.open.last_mut()
            && open.halt.is_none()
            && open.end.saturating_sub(open.next) > members
        {
            open.halt_before(open.next + members, self.told);
        }
    }

    fn too_much(&self, at: u64) -> Fault {
        let size = self.trailer.map_or(0, |trailer| trailer.size);
        let reason = match self.expansion {
            Some(most) if self.told > most.saturating_add(size) => {
                format!("shared objects expand to more than {most} bytes (limits.expansion)")
            }
            _ => format!(
                "shared objects expand to more than {} bytes for each byte of input \
                 (limits.amplification)",
                self.amplification
            ),
        };
        Fault::limit(at, reason)
    }
}

/// Reports a value with the method for its kind, which is known where this is called.
#[inline(always)]
fn tell<S: Listener + ?Sized>(sink: &mut S, value: Scalar<'_>, at: u64) -> Result<Flow, S::Error> {
    match value {
        Scalar::Text(text) => sink.text(text, at),
        Scalar::Int(value) => sink.int(value, at),
        Scalar::Float(value) => sink.float(value, at),
        Scalar::Bool(value) => sink.boolean(value, at),
        Scalar::Null => sink.null(at),
        Scalar::Number(digits) => sink.number(digits, at),
        other => sink.scalar(other, at),
    }
}

/// The step that an answer asks for.
#[inline(always)]
fn step_for(flow: Flow) -> Option<Step> {
    match flow {
        Flow::Take | Flow::Skip | Flow::Watch | Flow::Look => None,
        Flow::Pause => Some(Step::Paused),
        Flow::Stop => Some(Step::Stopped),
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
        match given {
            InputView::Bytes(bytes) => self.read(&mut Memory(bytes), bytes.len() as u64, sink),
            // Reading a file takes so long that the calls through a table do not matter.
            InputView::At { .. } | InputView::Text { .. } => self.run_dyn(given, sink),
        }
    }

    fn run_dyn<S: Listener>(
        &mut self,
        given: InputView<'_>,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        Kept::lend(sink, |sink| self.run_any(given, sink))
    }

    fn base(&self) -> u64 {
        0
    }
    fn consumed(&self) -> usize {
        0
    }
    /// The object at hand: there are no bytes that the reader no longer needs.
    fn offset(&self) -> u64 {
        self.at
    }
    fn drop_front(&mut self, count: usize) {
        debug_assert_eq!(count, 0, "a binary property list stays as a whole");
    }
    fn jump(&mut self, base: u64) {
        debug_assert_eq!(base, 0, "a binary property list begins at its first byte");
    }
    fn is_document(&self) -> bool {
        true
    }
    /// The rest of the value need not be read to find what follows.
    fn abandon(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }
    fn is_abandoned(&self) -> bool {
        false
    }
    fn passes_faults(&self) -> bool {
        true
    }
}

impl Reader {
    /// The copy of the walk that all sinks share.
    #[inline(never)]
    fn run_any(
        &mut self,
        given: InputView<'_>,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        match given {
            InputView::Bytes(bytes) => self.read(&mut Memory(bytes), bytes.len() as u64, sink),
            InputView::At { file, size } => {
                let mut pages = std::mem::take(&mut self.pages);
                let step = self.read(&mut Paged { file, size, pages: &mut pages }, size, sink);
                self.pages = pages;
                step
            }
            InputView::Text { .. } => {
                Err(Fail::Input(Fault::malformed(0, "a binary property list is no text")))
            }
        }
    }
}
