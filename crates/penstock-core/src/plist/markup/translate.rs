//! The sink between the XML reader and the destination: it makes a property list's events of the
//! events of elements.
//!
//! # For maintainers
//!
//! [`State`] is all that is kept between two calls; a [`Translator`] has it for one call, with the
//! destination and the window.
//!
//! 1. **An event is told once.** The state is set before the destination's answer is looked at.
//! 2. **A dictionary's beginning is held back** until its first key is read: it may be a UID
//!    ([`Hold`]). So one event of XML may be several of the property list. Those that are due are in
//!    [`Due`], and are told one after the other, over pauses ([`Translator::flush`]).
//! 3. **The text of an element stays where it is.** It is copied only if it comes in parts that are
//!    not one part of the source: references, CDATA sections, comments in it. Until it is told, the
//!    reader keeps the window from the element's start tag on, so that its place is known as well.
//! 4. **What the destination does not want is skipped by the XML reader**, by the answer to the
//!    element's name or beginning. The end of a skipped element is not reported.

use penstock_scan::{TextBuf, ValidText, make_room};

use super::element::Element;
use super::leaf::{self, Bad, Integer};
use crate::error::{Fail, Fault, brief};
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, Listener, LookAhead, Sink};
use crate::stage::{Kept, Replay, ReplayError};
use crate::value::print;
use crate::value::xsd::is_space;

/// The key of a dictionary that is a UID.
const UID: &str = "CF$UID";

/// An open dictionary or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Dict,
    Array,
    /// A dictionary of which the destination wants nothing more.
    Unwanted,
}

/// What is held back of the innermost dictionary, which may be a UID.
#[derive(Clone, Copy, Debug, Default)]
enum Hold {
    #[default]
    Nothing,
    /// Its beginning.
    Begin(u64),
    /// And the key of UIDs.
    Key { begin: u64, key: u64 },
    /// And its number.
    Number { begin: u64, key: u64, number: u64, at: u64 },
}

/// Events that were held back and are told now, in this order.
#[derive(Debug, Default)]
struct Due {
    begin: Option<u64>,
    /// The key of UIDs.
    key: Option<u64>,
    number: Option<(u64, u64)>,
    /// The text element that has ended.
    leaf: bool,
    /// The end of a dictionary.
    end: Option<u64>,
}

impl Due {
    fn is_empty(&self) -> bool {
        matches!(self, Due { begin: None, key: None, number: None, leaf: false, end: None })
    }
}

/// The text of an element that has only text.
#[derive(Clone, Copy, Debug)]
enum Span {
    /// There is none.
    Empty,
    /// These offsets of the source.
    Source { from: u64, to: u64 },
    /// In the buffer.
    Buffer,
}

impl Span {
    /// The text, in the window that begins at `base` or in the buffer.
    #[inline(always)]
    fn text<'t>(self, window: ValidText<'t>, base: u64, buffer: &'t TextBuf) -> ValidText<'t> {
        match self {
            Span::Empty => ValidText::from(""),
            Span::Source { from, to } => window.slice((from - base) as usize..(to - base) as usize),
            Span::Buffer => buffer.text(),
        }
    }
}

/// The state between two calls.
#[derive(Debug)]
pub(super) struct State {
    open: Vec<Open>,
    /// Whether the root element is `<plist>`.
    wrapped: bool,
    /// The offset of `<plist>`.
    plist_at: u64,
    /// Whether the one value of the property list has begun.
    has_root: bool,
    /// Whether the innermost dictionary has a key whose value has not come.
    has_key: bool,
    /// Whether the destination does not want that value.
    unwanted: bool,
    /// The element whose start tag came last.
    element: Element,
    /// Its offset. In the text of an entity, this is a place in the declaration.
    at: u64,
    /// The offset from which this call reads.
    from: u64,
    /// Whether it is open and has only text.
    in_leaf: bool,
    /// The first reference in the white space since the last tag.
    gap: Option<u64>,
    span: Span,
    ascii: bool,
    buffer: TextBuf,
    /// The digits of a large integer, or base64 without white space.
    digits: Vec<u8>,
    bytes: Vec<u8>,
    hold: Hold,
    due: Due,
    replay: Kept,
    depth: usize,
    token: usize,
    number: usize,
    lookahead: usize,
}

impl State {
    pub(super) fn new(limits: &Limits) -> Self {
        State {
            open: Vec::new(),
            wrapped: false,
            plist_at: 0,
            has_root: false,
            has_key: false,
            unwanted: false,
            element: Element::Plist,
            at: 0,
            from: 0,
            in_leaf: false,
            gap: None,
            span: Span::Empty,
            ascii: true,
            buffer: TextBuf::new(),
            digits: Vec::new(),
            bytes: Vec::new(),
            hold: Hold::Nothing,
            due: Due::default(),
            replay: Kept::default(),
            depth: limits.depth,
            token: limits.token,
            number: limits.number,
            lookahead: limits.lookahead,
        }
    }

    /// The offset from which the text must stay in the window. An entity that was declared before
    /// this call is no part of the window any more, nor need it be.
    pub(super) fn keeps(&self) -> Option<u64> {
        ((self.in_leaf || self.due.leaf) && self.at >= self.from).then_some(self.at)
    }

    /// The rest of the value inside `depth` dictionaries and arrays is not reported. Returns how
    /// many elements there are around it, if there is a rest.
    pub(super) fn abandon(&mut self, depth: usize) -> Option<usize> {
        // What was held back belongs to the value.
        self.replay = Kept::default();
        // A dictionary whose end is due is still open for the destination. And an element that
        // came before the events that are due may be open, which is no part of the value.
        if self.open.len() + usize::from(self.due.end.is_some()) <= depth {
            return None;
        }
        self.open.truncate(depth);
        (self.has_key, self.unwanted, self.in_leaf) = (false, false, false);
        (self.hold, self.due) = (Hold::Nothing, Due::default());
        Some(depth + usize::from(self.wrapped))
    }
}

/// The destination has refused an event, or the elements are no property list. The translator keeps
/// which.
#[derive(Debug)]
pub(super) struct Refused;

type Answer = Result<Flow, Refused>;

/// The state with the destination and the window of one call.
pub(super) struct Translator<'a, S: Listener + ?Sized> {
    state: &'a mut State,
    to: Replay<&'a mut S>,
    window: ValidText<'a>,
    base: u64,
    refusal: Option<Fail<S::Error>>,
}

impl<'a, S: Listener + ?Sized> Translator<'a, S> {
    pub(super) fn new(
        state: &'a mut State,
        sink: &'a mut S,
        window: ValidText<'a>,
        base: u64,
        from: u64,
    ) -> Self {
        state.from = from;
        let kept = std::mem::take(&mut state.replay);
        let to = Replay::resume(sink, state.lookahead, kept);
        Translator { state, to, window, base, refusal: None }
    }

    /// Ends the call. Returns why an event was refused, if one was.
    pub(super) fn finish(self) -> Option<Fail<S::Error>> {
        self.state.replay = self.to.into_kept();
        self.refusal
    }

    /// RecordFeed what is due from the call before.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> Answer {
        if self.state.due.is_empty() { Ok(Flow::Take) } else { self.flush() }
    }

    #[cold]
    fn fault(&mut self, fault: Fault) -> Refused {
        self.refusal = Some(Fail::Input(fault));
        Refused
    }

    #[cold]
    fn malformed(&mut self, at: u64, reason: impl Into<String>) -> Refused {
        self.fault(Fault::malformed(at, reason.into()))
    }

    #[cold]
    fn bad(&mut self, bad: Bad) -> Refused {
        let at = self.state.at;
        self.fault(match bad {
            Bad::Form(reason) => Fault::malformed(at, reason),
            Bad::Limit(reason) => Fault::limit(at, reason),
        })
    }

    /// The destination's answer. Elements cannot be watched, and the stage looks ahead.
    #[inline(always)]
    fn answered(&mut self, answer: Result<Flow, ReplayError<S::Error>>) -> Answer {
        match answer {
            Ok(Flow::Watch | Flow::Look) => Ok(Flow::Take),
            Ok(flow) => Ok(flow),
            Err(error) => Err(self.refused(error)),
        }
    }

    #[cold]
    fn refused(&mut self, error: ReplayError<S::Error>) -> Refused {
        self.refusal = Some(match error {
            ReplayError::Sink(error) => Fail::Sink(error),
            ReplayError::TooFar { at, limit } => {
                let reason = format!(
                    "the first {limit} bytes of the object do not say of which class it is \
                     (limits.lookahead): the key that does should come first"
                );
                Fail::Input(Fault::limit(at, reason))
            }
        });
        Refused
    }

    /// RecordFeed what is due. If the destination pauses, the rest of it stays due.
    #[inline(never)]
    fn flush(&mut self) -> Answer {
        let mut last = Flow::Take;
        if let Some(at) = self.state.due.begin.take() {
            let answer = self.to.begin_map(at);
            last = self.answered(answer)?;
            if last == Flow::Skip {
                // The dictionary is still open, unless its end is what made it known.
                let due = std::mem::take(&mut self.state.due);
                if let (None, Some(open)) = (due.end, self.state.open.last_mut()) {
                    *open = Open::Unwanted;
                }
                return Ok(Flow::Take);
            }
        }
        if let Some(at) = self.state.due.key.take_if(|_| goes_on(last)) {
            let answer = self.to.key(UID.into(), at);
            last = self.answered(answer)?;
            if last == Flow::Skip {
                let due = std::mem::take(&mut self.state.due);
                // Its value has come, or its start tag.
                self.state.unwanted = due.number.is_none() && !due.leaf;
                return Ok(Flow::Take);
            }
        }
        if let Some((number, at)) = self.state.due.number.take_if(|_| goes_on(last)) {
            let answer = match i64::try_from(number) {
                Ok(number) => self.to.int(number, at),
                Err(_) => {
                    let mut digits = Vec::new();
                    print::uint(number, &mut digits);
                    self.to.number(&digits, at)
                }
            };
            last = self.answered(answer)?;
        }
        if self.state.due.leaf && goes_on(last) {
            self.state.due.leaf = false;
            last = self.leaf()?;
        }
        if let Some(at) = self.state.due.end.take_if(|_| goes_on(last)) {
            let answer = self.to.end_map(at);
            last = self.answered(answer)?;
        }
        Ok(if goes_on(last) { Flow::Take } else { last })
    }

    /// RecordFeed the text element that has ended.
    #[inline]
    fn leaf(&mut self) -> Answer {
        let State { element, at, ascii, .. } = *self.state;
        let text = self.state.span.text(self.window, self.base, &self.state.buffer);
        let answer = match element {
            Element::Key => {
                let answer = self.to.key(Text { text, ascii }, at);
                let flow = self.answered(answer)?;
                self.state.unwanted = flow == Flow::Skip;
                return Ok(flow);
            }
            Element::String => self.to.text(Text { text, ascii }, at),
            Element::Integer => {
                match leaf::integer(text.as_bytes(), self.state.number, &mut self.state.digits) {
                    Ok(Integer::Small(value)) => self.to.int(value, at),
                    Ok(Integer::Big) => self.to.number(&self.state.digits, at),
                    Err(bad) => return Err(self.bad(bad)),
                }
            }
            Element::Real => match leaf::real(text.as_bytes(), self.state.number) {
                Ok(value) => self.to.float(value, at),
                Err(bad) => return Err(self.bad(bad)),
            },
            Element::Date => match leaf::date(text.as_bytes()) {
                Ok(value) => self.to.scalar(Scalar::DateTime(value), at),
                Err(bad) => return Err(self.bad(bad)),
            },
            Element::Data => {
                let (dense, bytes) = (&mut self.state.digits, &mut self.state.bytes);
                match leaf::data(text.as_bytes(), dense, bytes) {
                    Ok(()) => self.to.scalar(Scalar::Bytes(bytes), at),
                    Err(bad) => return Err(self.bad(bad)),
                }
            }
            Element::True => self.to.boolean(true, at),
            Element::False => self.to.boolean(false, at),
            Element::Plist | Element::Dict | Element::Array => return Ok(Flow::Take),
        };
        self.answered(answer)
    }

    /// Whether the text of the element that has ended is the key of UIDs.
    fn is_uid_key(&self) -> bool {
        let text = self.state.span.text(self.window, self.base, &self.state.buffer);
        text.as_bytes() == UID.as_bytes()
    }

    /// The number of a UID, which has ended.
    fn uid(&mut self) -> Result<Option<u64>, Refused> {
        let text = self.state.span.text(self.window, self.base, &self.state.buffer);
        match leaf::integer(text.as_bytes(), self.state.number, &mut self.state.digits) {
            Ok(Integer::Small(value)) => Ok(u64::try_from(value).ok()),
            Ok(Integer::Big) => {
                let digits = std::str::from_utf8(&self.state.digits).unwrap_or_default();
                Ok(digits.parse().ok())
            }
            Err(bad) => Err(self.bad(bad)),
        }
    }

    /// A start tag: whether the element may stand here.
    fn placed(&mut self, name: &[u8], at: u64) -> Result<Element, Refused> {
        let Some(element) = Element::of(name) else {
            return Err(self.unknown(name, at));
        };
        if self.state.in_leaf {
            let outer = self.state.element.name();
            let reason = format!("<{}> in <{outer}>, which has only text", element.name());
            return Err(self.malformed(at, reason));
        }
        let reason = match (self.state.open.last(), element) {
            (Some(Open::Dict), Element::Key) if !self.state.has_key => return Ok(element),
            (Some(Open::Dict), Element::Key) => "expected a value after the key, got <key>",
            (Some(_), Element::Plist) => "<plist> inside of <plist>",
            (Some(Open::Dict), _) if self.state.has_key => return Ok(element),
            (Some(Open::Dict), _) => {
                let name = element.name();
                return Err(self.malformed(at, format!("expected <key> or </dict>, got <{name}>")));
            }
            (_, Element::Key) => "<key> outside of <dict>",
            (Some(_), _) => return Ok(element),
            (None, Element::Plist) if !self.state.wrapped => return Ok(element),
            (None, Element::Plist) => "<plist> inside of <plist>",
            (None, _) if !self.state.has_root => return Ok(element),
            (None, _) => "<plist> has more than one value",
        };
        Err(self.malformed(at, reason))
    }

    #[cold]
    fn unknown(&mut self, name: &[u8], at: u64) -> Refused {
        let name = brief(&String::from_utf8_lossy(name));
        self.malformed(at, format!("{name} is no element of a property list"))
    }

    /// Where the text between elements at an offset goes on behind white space, and whether a
    /// reference stands there.
    #[cold]
    fn behind_space(&self, at: u64) -> (u64, bool) {
        let place = at.wrapping_sub(self.base) as usize;
        let Some(raw) = self.window.as_bytes().get(place..) else { return (at, true) };
        let spaces = raw.iter().take_while(|byte| is_space(**byte)).count();
        (at + spaces as u64, raw.get(spaces) == Some(&b'&'))
    }

    /// White space between elements that is not as it is written. If text follows, its fault is at
    /// the first reference: whether both come in one piece depends on the windows.
    #[cold]
    fn resolved_space(&mut self, at: u64) {
        let (place, reference) = self.behind_space(at);
        if reference {
            self.state.gap.get_or_insert(place);
        }
    }

    /// Text between elements, which is not white space. The offset is that of its first character.
    #[cold]
    fn stray(&mut self, at: u64) -> Refused {
        let at = self.state.gap.unwrap_or_else(|| self.behind_space(at).0);
        let reason = match self.state.open.last() {
            Some(Open::Array) => "text in <array>, which has only elements",
            Some(_) => "text in <dict>, which has only elements",
            None => "text in <plist>, which has only elements",
        };
        self.malformed(at, reason)
    }

    /// Whether text stands in the window as it is. Resolved text stands elsewhere, and so does that
    /// of entities.
    #[inline(always)]
    fn is_written(&self, bytes: &[u8], at: u64) -> bool {
        let place = at.wrapping_sub(self.base) as usize;
        let here = self.window.as_bytes().get(place..).unwrap_or_default();
        here.len() >= bytes.len() && std::ptr::eq(here.as_ptr(), bytes.as_ptr())
    }

    /// More text of the current element.
    #[inline(always)]
    fn append(&mut self, text: Text<'_>, at: u64) -> Answer {
        let bytes = text.text.as_bytes();
        self.state.ascii &= text.ascii;
        let written = self.is_written(bytes, at);
        let end = at.wrapping_add(bytes.len() as u64);
        match self.state.span {
            Span::Empty if written && bytes.len() <= self.state.token => {
                self.state.span = Span::Source { from: at, to: end };
                return Ok(Flow::Take);
            }
            Span::Source { from, to }
                if written && to == at && (end - from) as usize <= self.state.token =>
            {
                self.state.span = Span::Source { from, to: end };
                return Ok(Flow::Take);
            }
            span => {
                if !matches!(span, Span::Buffer) {
                    self.state.buffer.clear();
                    if let Span::Source { from, to } = span {
                        let place = (from - self.base) as usize..(to - self.base) as usize;
                        self.state.buffer.push_text(self.window.slice(place));
                    }
                    self.state.span = Span::Buffer;
                }
                if self.state.buffer.text().as_bytes().len() + bytes.len() <= self.state.token {
                    self.state.buffer.push_text(text.text);
                    return Ok(Flow::Take);
                }
            }
        }
        let (at, limit) = (self.state.at, self.state.token);
        let reason = format!("a string longer than {limit} bytes (limits.token)");
        Err(self.fault(Fault::limit(at, reason)))
    }

    /// The element that has only text ends.
    #[inline(always)]
    fn end_leaf(&mut self) -> Answer {
        self.state.in_leaf = false;
        let is_key = self.state.element == Element::Key;
        self.state.has_key = is_key;
        if let Hold::Nothing = self.state.hold { self.leaf() } else { self.end_held_leaf() }
    }

    /// It is in a dictionary that is held back.
    fn end_held_leaf(&mut self) -> Answer {
        match self.state.hold {
            Hold::Begin(begin) if self.is_uid_key() => {
                self.state.hold = Hold::Key { begin, key: self.state.at };
                return Ok(Flow::Take);
            }
            Hold::Key { begin, key } => {
                let at = self.state.at;
                match self.uid()? {
                    Some(number) => {
                        self.state.hold = Hold::Number { begin, key, number, at };
                        return Ok(Flow::Take);
                    }
                    None => self.release(),
                }
            }
            _ => self.release(),
        }
        self.state.due.leaf = true;
        self.flush()
    }

    /// The dictionary is no UID: what was held back is due.
    fn release(&mut self) {
        let due = &mut self.state.due;
        match std::mem::take(&mut self.state.hold) {
            Hold::Nothing => {}
            Hold::Begin(begin) => due.begin = Some(begin),
            Hold::Key { begin, key } => (due.begin, due.key) = (Some(begin), Some(key)),
            Hold::Number { begin, key, number, at } => {
                (due.begin, due.key, due.number) = (Some(begin), Some(key), Some((number, at)));
            }
        }
    }
}

/// More open dictionaries and arrays than the limit.
#[cold]
pub(super) fn too_deep(at: u64, limit: usize) -> Fault {
    Fault::limit(at, format!("nested deeper than {limit} levels (limits.depth)"))
}

/// Whether the next event may be told at once.
#[inline(always)]
fn goes_on(flow: Flow) -> bool {
    !matches!(flow, Flow::Pause | Flow::Stop)
}

impl<S: Listener + ?Sized> Sink for Translator<'_, S> {
    type Error = Refused;

    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        // Attributes mean nothing.
        if key.kind != KeyKind::Element {
            return Ok(Flow::Skip);
        }
        if let Some(Open::Unwanted) = self.state.open.last() {
            return Ok(Flow::Skip);
        }
        let element = self.placed(key.name.bytes(), at)?;
        (self.state.element, self.state.at) = (element, at);
        self.state.gap = None;
        self.state.has_root |= element != Element::Plist;
        match (self.state.hold, element) {
            (Hold::Nothing, _) => {}
            (Hold::Begin(_), _) | (Hold::Key { .. }, Element::Integer) => return Ok(Flow::Take),
            (Hold::Key { .. } | Hold::Number { .. }, _) => {
                self.release();
                let flow = self.flush()?;
                if !goes_on(flow) {
                    return Ok(flow);
                }
            }
        }
        if self.passed(element) == Flow::Skip {
            return Ok(Flow::Skip);
        }
        if element.is_scalar() && self.to.ignores_scalar() {
            self.state.has_key = false;
            return Ok(Flow::Skip);
        }
        Ok(Flow::Take)
    }

    fn begin_map(&mut self, at: u64) -> Answer {
        let element = self.state.element;
        // The answer may have come after a pause.
        if self.passed(element) == Flow::Skip {
            return Ok(Flow::Skip);
        }
        match element {
            Element::Plist => {
                (self.state.wrapped, self.state.plist_at) = (true, at);
                Ok(Flow::Take)
            }
            Element::Dict => {
                self.open(Open::Dict, at)?;
                self.state.hold = Hold::Begin(at);
                Ok(Flow::Take)
            }
            Element::Array => {
                self.open(Open::Array, at)?;
                let answer = self.to.begin_list(at);
                let flow = self.answered(answer)?;
                if flow == Flow::Skip {
                    self.state.open.pop();
                }
                Ok(flow)
            }
            _ => {
                self.state.in_leaf = true;
                self.state.ascii = true;
                self.state.span = Span::Empty;
                Ok(Flow::Take)
            }
        }
    }

    fn end_map(&mut self, at: u64) -> Answer {
        self.state.gap = None;
        if self.state.in_leaf {
            return self.end_leaf();
        }
        let open = self.state.open.pop();
        let has_key = std::mem::take(&mut self.state.has_key);
        match open {
            Some(Open::Dict) if has_key => {
                Err(self.malformed(at, "expected a value after the key, got </dict>"))
            }
            Some(Open::Dict) => match std::mem::take(&mut self.state.hold) {
                Hold::Nothing => {
                    let answer = self.to.end_map(at);
                    self.answered(answer)
                }
                Hold::Number { begin, number, .. } => {
                    let answer = self.to.scalar(Scalar::Uid(number), begin);
                    self.answered(answer)
                }
                Hold::Begin(begin) | Hold::Key { begin, .. } => {
                    (self.state.due.begin, self.state.due.end) = (Some(begin), Some(at));
                    self.flush()
                }
            },
            Some(Open::Array) => {
                let answer = self.to.end_list(at);
                self.answered(answer)
            }
            Some(Open::Unwanted) => Ok(Flow::Take),
            None if self.state.has_root => Ok(Flow::Take),
            None => Err(self.malformed(self.state.plist_at, "<plist> has no value")),
        }
    }

    fn piece(&mut self, text: Text<'_>, at: u64) -> Answer {
        let is_blank = || text.bytes().iter().all(|byte| is_space(*byte));
        if self.state.in_leaf {
            let element = self.state.element;
            if !matches!(element, Element::True | Element::False) {
                return self.append(text, at);
            }
            if !is_blank() {
                let at = self.state.at;
                return Err(self.malformed(at, format!("text in <{}>", element.name())));
            }
            return Ok(Flow::Take);
        }
        if !is_blank() {
            if self.state.open.last() != Some(&Open::Unwanted) {
                return Err(self.stray(at));
            }
        } else if !self.is_written(text.bytes(), at) {
            self.resolved_space(at);
        }
        Ok(Flow::Take)
    }

    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl<S: Listener + ?Sized> Translator<'_, S> {
    /// A dictionary or an array begins.
    #[inline(always)]
    fn open(&mut self, open: Open, at: u64) -> Result<(), Refused> {
        if self.state.open.len() >= self.state.depth {
            return Err(self.fault(too_deep(at, self.state.depth)));
        }
        make_room(&mut self.state.open, 1);
        self.state.open.push(open);
        self.state.has_key = false;
        Ok(())
    }

    /// Skips an element that the destination does not want.
    #[inline(always)]
    fn passed(&mut self, element: Element) -> Flow {
        if let Some(Open::Unwanted) = self.state.open.last() {
            return Flow::Skip;
        }
        if self.state.unwanted && element != Element::Key {
            (self.state.unwanted, self.state.has_key) = (false, false);
            return Flow::Skip;
        }
        Flow::Take
    }
}

impl<S: Listener + ?Sized> Hints for Translator<'_, S> {}
impl<S: Listener + ?Sized> LookAhead for Translator<'_, S> {}
