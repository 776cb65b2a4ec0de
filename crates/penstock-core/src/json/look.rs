//! Looking ahead in a map: reports its keys before any of its members.
//!
//! If a sink must know one of a map's keys before it knows what the map becomes, it answers [`Flow::Look`]. The reader
//! then runs ahead over the members until the sink knows. It validates everything, but reports only what the sink asks
//! for. Then it returns to the opening brace and continues from there. The members stay in the window meanwhile, so a
//! limit bounds how far the reader runs. At the end of a window it continues where it was, so one look reads no byte
//! twice. But a map in a map may be read again by one look for each map around it: that is bounded as well ([`Again`]).

use super::comment::Comment;
use super::framing::Framing;
use super::partial::WHOLE;
use super::reader::{NOWHERE, Reader, State};
use super::token;
use crate::error::Fail;
use crate::event::{Key, KeyKind, Scalar, Text};
use crate::protocol::erased::{AnySink, Refused};
use crate::protocol::{Flow, Hints, Listener, Look, LookAhead, Sink, Step, Want};
use penstock_scan::{Chosen, Isa, Job, StringEnd, ValidText, stands_at};

/// A map in which the reader looks ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looking {
    /// The index after its opening brace in the window.
    pub(super) from: usize,
    /// How many maps and lists are open outside it.
    pub(super) depth: usize,
    /// Whether the sink does not want the value of the current key.
    pub(super) passing: bool,
}

/// How many times, on average, looks may read the bytes of a document again.
const TIMES: u64 = 64;

/// How many bytes looks have read that an earlier look had read already.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// The furthest offset in the source that a look has reached.
    to: u64,
    bytes: u64,
}

impl Again {
    /// Adds a look from one offset of the source to another. False if there were too many by now.
    pub(crate) fn add(&mut self, from: u64, to: u64, limit: usize) -> bool {
        self.bytes += self.to.min(to).saturating_sub(from);
        self.to = self.to.max(to);
        self.bytes <= to.saturating_add(limit as u64).saturating_mul(TIMES)
    }
}

/// Finds a key among the members of a map without reporting any, usually in a fraction of the time.
/// It validates what it reads, and gives up at everything that is not simple, complete and within
/// the limits. Then the grammar looks, from the beginning of the map.
pub(super) struct Seek<'t> {
    pub(super) text: &'t [u8],
    /// The beginning of the first member.
    pub(super) from: usize,
    /// The key, as text has it, with its colon.
    pub(super) sought: &'t [u8],
    /// The longest key.
    pub(super) tokens: usize,
    /// The longest number.
    pub(super) numbers: usize,
    /// How many bytes it may read.
    pub(super) bytes: usize,
}

impl Job for Seek<'_> {
    /// The beginning of the key, and of its value.
    type Output = Option<(usize, usize)>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Seek { text, from, tokens, numbers, bytes, .. } = self;
        let name = self.sought.strip_suffix(b":")?;
        let mut pos = from;
        while pos - from <= bytes {
            if text.get(pos) != Some(&b'"') {
                return None;
            }
            let end = isa.json_string(text, pos + 1).at;
            if text.get(end) != Some(&b'"') || end - pos > tokens {
                return None;
            }
            let (key, found) = (pos, end + 1 - pos == name.len() && stands_at(text, pos, name));
            pos = isa.space(text, end + 1);
            if text.get(pos) != Some(&b':') {
                return None;
            }
            pos = isa.space(text, pos + 1);
            if found {
                return Some((key, pos));
            }
            pos = isa.space(text, token::behind_scalar(isa, text, pos, numbers)?);
            if text.get(pos) != Some(&b',') {
                return None;
            }
            pos = isa.space(text, pos + 1);
        }
        None
    }
}

/// Reports to a sink only what it looks for.
///
/// It does not know the sink's type, so the search is compiled once for each instruction set, and
/// not for each sink.
pub(crate) struct Scout<'s, 'k> {
    sink: &'s mut AnySink<'k>,
    /// How the search ended, if it has ended.
    pub(crate) found: Option<Look>,
    /// Whether to skip the current value.
    pub(crate) passing: bool,
}

impl<'s, 'k> Scout<'s, 'k> {
    pub(crate) fn new(sink: &'s mut AnySink<'k>, passing: bool) -> Self {
        Scout { sink, found: None, passing }
    }

    /// Converts the sink's answer, which may end the search, into what the reader does next.
    fn settle(&mut self, answer: Result<Look, Refused>, flow: Flow) -> Result<Flow, Refused> {
        let answer = answer?;
        if matches!(answer, Look::Pass | Look::Value) {
            self.passing = answer == Look::Pass;
            return Ok(flow);
        }
        self.found = Some(answer);
        Ok(Flow::Stop)
    }

    /// A value: if it is a map or a list, the reader skips it.
    #[inline(always)]
    fn value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Flow, Refused> {
        if self.passing {
            return Ok(Flow::Skip);
        }
        let answer = self.sink.look_value(value, at);
        self.settle(answer, Flow::Skip)
    }
}

impl Sink for Scout<'_, '_> {
    type Error = Refused;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Refused> {
        self.value(None, at)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Refused> {
        self.value(None, at)
    }
    fn end_map(&mut self, at: u64) -> Result<Flow, Refused> {
        // The map has no more members to look at.
        let wanted = self.sink.look_end(at)? != Look::Skip;
        self.found = Some(if wanted { Look::Found } else { Look::Skip });
        Ok(Flow::Stop)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Refused> {
        Ok(Flow::Take)
    }
    fn key(&mut self, key: Text<'_>, at: u64) -> Result<Flow, Refused> {
        let answer = self.sink.look_key(key, at);
        self.settle(answer, Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, Refused> {
        debug_assert_eq!(key.kind, KeyKind::Member);
        self.key(key.name, at)
    }
    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Result<Flow, Refused> {
        self.value(Some(value), at)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Refused> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Scout<'_, '_> {
    fn want(&self) -> Want {
        Want::Native
    }
    fn ignores_scalar(&self) -> bool {
        self.passing
    }
}

impl LookAhead for Scout<'_, '_> {}

/// A member that was found and reported early: the offset of its key, and the offset after its
/// value.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlyTag {
    pub(super) at: u64,
    pub(super) end: u64,
}

/// No member.
pub(super) const NO_TAG: EarlyTag = EarlyTag { at: u64::MAX, end: u64::MAX };

/// A look as far as one window goes. It is entered out of line, with the instruction set.
struct Ahead<'r, 'w, 's, 'l, 'k, const COMMENTS: bool> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    scout: &'s mut Scout<'l, 'k>,
}

impl<const COMMENTS: bool> Job for Ahead<'_, '_, '_, '_, '_, COMMENTS> {
    type Output = Result<Step, Fail<Refused>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Ahead { reader, text, last, scout } = self;
        loop {
            let step = if reader.skip_to == NOWHERE {
                reader.drive::<I, Scout<'_, '_>, false, COMMENTS>(isa, text, last, scout)?
            } else {
                reader.pass_over(isa.chosen(), text, last)?
            };
            if step != Step::Again {
                return Ok(step);
            }
        }
    }
}

impl Reader {
    /// Looks ahead in the current map, as far as the window, the limit or the sink allow.
    #[inline(never)]
    pub(super) fn look(
        &mut self,
        isa: Chosen,
        text: ValidText<'_>,
        last: bool,
        sink: &mut AnySink<'_>,
    ) -> Result<Step, Fail<Refused>> {
        let Some(Looking { from, depth, passing }) = self.looking else { return Ok(Step::Again) };
        // Cut at the limit even if more text is in the window: the end of a search must not depend
        // on the windows.
        let bytes = text.as_bytes();
        let mut end = from.saturating_add(self.look_limit);
        let cut = end < bytes.len();
        if cut {
            while bytes[end] & 0xC0 == 0x80 {
                end -= 1;
            }
            // No more text will come, so judge the current token as if no window had cut it.
            self.partial = WHOLE;
        }
        let (seen, last) = if cut { (text.slice(0..end), false) } else { (text, last) };
        let mut scout = Scout::new(sink, passing);
        let to = &mut scout;
        let step = match self.comments {
            true => isa.enter(Ahead::<true> { reader: self, text: seen, last, scout: to }),
            false => isa.enter(Ahead::<false> { reader: self, text: seen, last, scout: to }),
        };
        let Scout { found, passing, .. } = scout;
        if !cut && matches!(step, Ok(Step::More)) {
            self.looking = Some(Looking { from, depth, passing });
            return Ok(Step::More);
        }
        self.looking = None;
        let at = self.base + from as u64;
        match step {
            Err(fail) => return Err(fail),
            Ok(Step::More) => {
                return Err(Fail::Input(token::looks_too_far(at, self.look_limit)));
            }
            Ok(_) => {}
        }
        if !self.again.add(at, self.base + self.pos as u64, self.look_limit) {
            return Err(Fail::Input(token::looks_too_often(at)));
        }
        if found == Some(Look::Skip) {
            self.skip_to = if self.stack.len() > depth { depth } else { NOWHERE };
            return Ok(Step::Again);
        }
        self.pos = from;
        self.state = State::FirstKey;
        self.stack.truncate(depth);
        self.stack.push(true);
        self.partial = WHOLE;
        self.comment = Comment::None;
        self.trailing = 0;
        Ok(Step::Again)
    }

    /// Finds the wanted member in the map whose first byte after the brace is `from`, if the member
    /// and all before it are simple and in the window. Then no other member has to be reported to
    /// find it, and if the sink takes its value, the member itself is not reported again. Yields
    /// where to continue: after the member if it is the first, otherwise at `from`.
    #[inline(always)]
    pub(super) fn take_early_tag<I: Isa, S: Listener + ?Sized>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        from: usize,
        sink: &mut S,
    ) -> Option<(usize, State)> {
        let text = valid.as_bytes();
        let sought = sink.tag_wanted();
        if sought.is_empty() || sought.len() > self.token_limit {
            return None;
        }
        let first = isa.space(text, from);
        let is_first = stands_at(text, first, sought);
        let (key, quote) = if is_first {
            (first, isa.space(text, first + sought.len()))
        } else {
            let (tokens, numbers, bytes) = (self.token_limit, self.number_limit, self.look_limit);
            isa.enter(Seek { text, from: first, sought, tokens, numbers, bytes })?
        };
        if text.get(quote) != Some(&b'"') {
            return None;
        }
        let StringEnd { at: end, ascii } = isa.json_string(text, quote + 1);
        let is_plain = text.get(end) == Some(&b'"');
        // A limit or the end of a line is left to the look, which reports it.
        let is_within = end - quote <= self.token_limit
            && end + 1 - from <= self.look_limit
            && (self.framing != Framing::Lines || !text[from..quote].contains(&b'\n'));
        let value = Text { text: valid.slice(quote + 1..end), ascii };
        if !is_plain || !is_within || !sink.tag_found(value) {
            return None;
        }
        if is_first {
            return Some((end + 1, State::Next));
        }
        self.early = EarlyTag { at: self.base + key as u64, end: self.base + end as u64 + 1 };
        Some((from, State::FirstKey))
    }
}
