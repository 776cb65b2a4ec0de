//! The JSON reader: checked text in, events out.
//!
//! The reader works on one window of text at a time and keeps all of its state in itself, so it
//! can stop at the end of any window, after any event, and go on when called again. Nothing
//! recurses: open maps and lists stand on an explicit stack. A token that is wanted stays in the
//! window until it is whole, and scanning it resumes where it stopped; a string that is skipped is
//! checked in pieces and never kept.
//!
//! There is one grammar, in [`Reader::drive`], compiled twice: once telling events and once, for
//! what the sink does not want, only checking.

use super::look::{Again, Asked, Looking, Refused, Scout, Seek};
use super::token::{self, Passed};
use crate::error::{Fail, Fault};
use crate::event::Text;
use crate::limits::Limits;
use crate::reader::Step;
use crate::sink::{Flow, Listener, Look, Want};
use crate::value::number::{self, Outcome};
use penstock_scan::{
    Isa, Job, StringEnd, TextBuf, ValidText, dispatch, dispatch_portable, stands_at, unescape_json,
};

/// How documents follow one another in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One value, and nothing behind it but white space.
    Document,
    /// NDJSON: each line is a value; blank lines are ignored.
    Lines,
    /// RFC 7464: each value stands between a record separator (0x1E) and a line feed.
    Sequence,
    /// Values one after another, with or without white space between them.
    Concatenated,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value at the root, or the end of a stream of values.
    Root,
    /// A value.
    Value,
    /// A value or `]`.
    FirstElement,
    /// A key or `}`.
    FirstKey,
    /// A key.
    Key,
    /// `:`.
    Colon,
    /// `,` or the end of the container.
    Next,
    /// What may follow a value at the root.
    After,
    /// The rest of a skipped string.
    SkippedText,
    /// The rest of a skipped key.
    SkippedKey,
    /// Passing over a record in error, up to the next separator.
    Lost,
}

/// Not skipping: a depth that is never reached.
const NOWHERE: usize = usize::MAX;

/// Reads JSON of any framing, window after window.
///
/// The caller gives [`run`](Reader::run) a window of text that begins at [`base`](Reader::base)
/// and calls it again with a longer one, or with one from which the first
/// [`consumed`](Reader::consumed) bytes were dropped after telling [`drop_front`](Reader::drop_front).
#[derive(Debug)]
pub struct Reader {
    /// What may come next.
    state: State,
    /// Where the next byte stands in the window.
    pos: usize,
    /// The window's first byte in the source.
    base: u64,
    /// True for each open map, false for each open list.
    stack: Vec<bool>,
    /// The depth at which skipping ends, or [`NOWHERE`].
    skip_to: usize,
    /// Whether it is an abandoned value that is skipped.
    abandoned: bool,
    /// The map that is looked into, if one is.
    looking: Option<Looking>,
    /// What was looked over more than once.
    again: Again,
    /// The member that is taken already, and passed over when it comes.
    led: Led,
    /// How many bytes of the unfinished token at `pos` are scanned already, and what is known of
    /// them.
    partial: Partial,
    /// How many bytes from `pos` are known to be a whole value and the white space behind it.
    trailing: usize,
    /// Whether a record separator stands before the coming value.
    separated: bool,
    /// Where escapes are resolved into.
    scratch: TextBuf,
    framing: Framing,
    depth_limit: usize,
    token_limit: usize,
    number_limit: usize,
    look_limit: usize,
}

/// A token that the window's end cut.
#[derive(Clone, Copy, Debug)]
struct Partial {
    scanned: usize,
    ascii: bool,
    escaped: bool,
}

const WHOLE: Partial = Partial { scanned: 0, ascii: true, escaped: false };

/// A member that was found before its turn, and all that it says taken: offsets of its key, and
/// behind its value.
#[derive(Clone, Copy, Debug)]
struct Led {
    at: u64,
    end: u64,
}

/// No member.
const NOT_LED: Led = Led { at: u64::MAX, end: u64::MAX };

/// One call of [`Reader::run`], to be compiled for each instruction set.
struct Run<'r, 'w, 's, S: Listener> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    sink: &'s mut S,
}

impl<S: Listener> Job for Run<'_, '_, '_, S> {
    type Output = Result<Step, Fail<S::Error>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Run { reader, text, last, sink } = self;
        loop {
            if reader.looking.is_some() {
                match reader.look(isa, text, last, sink)? {
                    Step::Turn => continue,
                    step => return Ok(step),
                }
            }
            let step = reader.drive_on(isa, text, last, sink)?;
            if step != Step::Turn {
                return Ok(step);
            }
        }
    }
}

/// The part of a look that a window allows. It is entered out of line, with the instruction set.
struct Ahead<'r, 'w, 's, 'l> {
    reader: &'r mut Reader,
    text: ValidText<'w>,
    last: bool,
    scout: &'s mut Scout<'l>,
}

impl Job for Ahead<'_, '_, '_, '_> {
    type Output = Result<Step, Fail<Refused>>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Ahead { reader, text, last, scout } = self;
        loop {
            let step = reader.drive_on(isa, text, last, scout)?;
            if step != Step::Turn {
                return Ok(step);
            }
        }
    }
}

impl Reader {
    /// A reader at the beginning of a source.
    #[must_use]
    pub fn new(framing: Framing, limits: &Limits) -> Self {
        Reader {
            state: State::Root,
            pos: 0,
            base: 0,
            stack: Vec::new(),
            skip_to: NOWHERE,
            abandoned: false,
            looking: None,
            again: Again::default(),
            led: NOT_LED,
            partial: WHOLE,
            trailing: 0,
            separated: false,
            scratch: TextBuf::new(),
            framing,
            depth_limit: limits.depth,
            token_limit: limits.token,
            number_limit: limits.number,
            look_limit: limits.lookahead,
        }
    }

    /// How values follow one another.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The offset of the window's first byte in the source.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// How many bytes of the window are done with.
    #[must_use]
    pub fn consumed(&self) -> usize {
        // The brace itself stays, for messages.
        self.looking.as_ref().map_or(self.pos, |looking| looking.from - 1)
    }

    /// The offset in the source of the first byte that is not done with.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.consumed() as u64
    }

    /// How many maps and lists are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Tells that the first `count` bytes of the window were dropped.
    ///
    /// # Panics
    /// If they are not done with.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.consumed(), "dropped bytes that are still needed");
        self.pos -= count;
        if let Some(looking) = &mut self.looking {
            looking.from -= count;
        }
        self.base += count as u64;
    }

    /// Gives up the value that was under construction at `depth`: what is left of it is passed
    /// over, checked and without events. For a value that did not fit.
    pub fn abandon(&mut self, depth: usize) {
        // What was looked over is not looked at again.
        self.looking = None;
        self.led = NOT_LED;
        if self.stack.len() > depth {
            self.skip_to = depth;
            self.abandoned = true;
        }
    }

    /// After malformed input in a stream of values: passes over everything up to the next
    /// separator. False if the framing has none, so that nothing after the fault can be trusted.
    #[must_use]
    pub fn resynchronise(&mut self) -> bool {
        if !matches!(self.framing, Framing::Lines | Framing::Sequence) {
            return false;
        }
        self.state = State::Lost;
        self.looking = None;
        self.led = NOT_LED;
        self.partial = WHOLE;
        self.trailing = 0;
        self.stack.clear();
        self.skip_to = NOWHERE;
        self.abandoned = false;
        true
    }

    /// Tells a lost reader that the window now begins at `base`: what was between could not be
    /// shown to it.
    pub fn jump(&mut self, base: u64) {
        (self.pos, self.base) = (0, base);
    }

    /// True while passing over a record in error.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state == State::Lost
    }

    /// True while passing over what is left of an [abandoned](Self::abandon) value.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// The byte after which a lost reader finds its way again.
    #[must_use]
    pub fn separator(&self) -> u8 {
        if self.framing == Framing::Sequence { token::SEPARATOR } else { b'\n' }
    }

    /// Reads as far as the window, the document or the sink allow.
    ///
    /// `text` begins at [`base`](Reader::base). `last` says that nothing follows it.
    ///
    /// # Errors
    /// [`Fail::Input`] where the text is not JSON, ends early (only if `last`) or exceeds a limit;
    /// [`Fail::Sink`] where the sink refused an event.
    #[inline]
    pub fn run<S: Listener>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        dispatch(Run { reader: self, text, last, sink })
    }

    /// As [`run`](Reader::run), without the processor's own instructions: for tests.
    ///
    /// # Errors
    /// As [`run`](Reader::run).
    #[doc(hidden)]
    pub fn run_portable<S: Listener>(
        &mut self,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        dispatch_portable(Run { reader: self, text, last, sink })
    }

    /// Looks ahead in the map at hand, as far as the window, the limit or the sink allow.
    #[inline(never)]
    fn look<I: Isa, S: Listener>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let Some(Looking { from, depth, passing }) = self.looking else { return Ok(Step::Turn) };
        // No more is seen than the limit allows, however much of it is here: where a search ends
        // must not depend on the windows.
        let bytes = text.as_bytes();
        let mut end = from.saturating_add(self.look_limit);
        let cut = end < bytes.len();
        if cut {
            while bytes[end] & 0xC0 == 0x80 {
                end -= 1;
            }
            // Nothing more comes: the token at hand is judged as if it had not been cut before.
            self.partial = WHOLE;
        }
        let (seen, last) = if cut { (text.slice(0..end), false) } else { (text, last) };
        let mut asked = Asked { sink, refusal: None };
        let mut scout = Scout::new(&mut asked, passing);
        let step = isa.enter(Ahead { reader: self, text: seen, last, scout: &mut scout });
        let Scout { found, passing, .. } = scout;
        if !cut && matches!(step, Ok(Step::More)) {
            self.looking = Some(Looking { from, depth, passing });
            return Ok(Step::More);
        }
        self.looking = None;
        let at = self.base + from as u64;
        match step {
            Err(Fail::Input(fault)) => return Err(Fail::Input(fault)),
            Err(Fail::Sink(Refused)) => {
                if let Some(refusal) = asked.refusal {
                    return Err(Fail::Sink(refusal));
                }
            }
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
            return Ok(Step::Turn);
        }
        self.pos = from;
        self.state = State::FirstKey;
        self.stack.truncate(depth);
        self.stack.push(true);
        self.partial = WHOLE;
        self.trailing = 0;
        Ok(Step::Turn)
    }

    /// Finds the member that is looked for in the map behind whose brace `from` is, where it and all
    /// before it are plain and here: then nothing has to be told to find it, and nor has it itself if
    /// the sink takes it. Yields where to go on: behind the member if it is the first, else at `from`.
    #[inline(always)]
    fn lead<I: Isa, S: Listener>(
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
        let first = isa.json_space(text, from);
        let is_first = stands_at(text, first, sought);
        let (key, quote) = if is_first {
            (first, isa.json_space(text, first + sought.len()))
        } else {
            let (tokens, numbers, bytes) = (self.token_limit, self.number_limit, self.look_limit);
            isa.enter(Seek { text, from: first, sought, tokens, numbers, bytes })?
        };
        if text.get(quote) != Some(&b'"') {
            return None;
        }
        let StringEnd { at: end, ascii } = isa.json_string(text, quote + 1);
        let is_plain = text.get(end) == Some(&b'"');
        // Where a limit or the end of a line is met, it is met while looking.
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
        self.led = Led { at: self.base + key as u64, end: self.base + end as u64 + 1 };
        Some((from, State::FirstKey))
    }

    /// The grammar, as far as the same compilation of it goes.
    #[inline(always)]
    fn drive_on<I: Isa, S: Listener>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        if self.skip_to == NOWHERE {
            self.drive::<I, S, false>(isa, text, last, sink)
        } else {
            self.drive::<I, S, true>(isa, text, last, sink)
        }
    }

    /// The grammar. `SKIP` compiles it without events.
    #[inline(always)]
    fn drive<I: Isa, S: Listener, const SKIP: bool>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let text = valid.as_bytes();
        let base = self.base;
        let lines = self.framing == Framing::Lines;
        let mut pos = self.pos;
        let mut state = self.state;
        let mut in_map = self.stack.last().copied().unwrap_or(false);
        // Beyond any window if there is none.
        let mut led = self.led.at.checked_sub(base).unwrap_or(NOT_LED.at);

        /// Leaves with everything in place to go on.
        macro_rules! leave {
            ($step:expr) => {{
                self.pos = pos;
                self.state = state;
                return Ok($step);
            }};
        }
        /// Leaves with a fault; the token at `pos` is where it was found.
        macro_rules! fail {
            ($fault:expr) => {{
                self.pos = pos;
                self.state = state;
                return Err(Fail::Input($fault));
            }};
        }
        /// Leaves with a fault that names what stands at `pos`, once all of that has come.
        macro_rules! unexpected {
            ($expected:expr) => {{
                if !last && token::is_cut(text, pos) {
                    leave!(Step::More);
                }
                fail!(token::unexpected(text, pos, base, $expected))
            }};
        }
        /// The window ends inside or before something: leaves for more, or fails with why the
        /// document cannot end here.
        macro_rules! more {
            ($expected:expr) => {{
                if last {
                    fail!(Fault::truncated(base + text.len() as u64, $expected));
                }
                leave!(Step::More)
            }};
        }
        /// Passes over white space.
        macro_rules! space {
            () => {
                if let Some(&byte) = text.get(pos) {
                    if byte <= b' ' {
                        let end = isa.json_space(text, pos);
                        if lines && let Some(at) = memchr::memchr(b'\n', &text[pos..end]) {
                            pos += at;
                            let offset = base + pos as u64;
                            fail!(Fault::malformed(offset, "the line ends inside a value"));
                        }
                        pos = end;
                    }
                }
            };
        }
        /// Tells an event, then stands at `$state` and `$pos` whatever the answer. Yields whether
        /// the answer was to skip.
        macro_rules! tell {
            ($event:expr, $state:expr, $pos:expr) => {{
                if SKIP {
                    state = $state;
                    pos = $pos;
                    false
                } else {
                    let answer = $event;
                    state = $state;
                    pos = $pos;
                    match answer {
                        // Asked by itself: a table of all answers would be jumped through.
                        answer if matches!(answer, Ok(Flow::Take)) => false,
                        Ok(Flow::Take | Flow::Watch) => false,
                        Ok(Flow::Look) => {
                            if state == State::FirstKey {
                                let Some(found) = self.lead(isa, valid, pos, sink) else {
                                    let depth = self.stack.len() - 1;
                                    self.looking =
                                        Some(Looking { from: pos, depth, passing: false });
                                    leave!(Step::Turn)
                                };
                                (pos, state) = found;
                                led = self.led.at.checked_sub(base).unwrap_or(NOT_LED.at);
                            }
                            false
                        }
                        Ok(Flow::Skip) => true,
                        Ok(Flow::Pause) => leave!(Step::Paused),
                        Ok(Flow::Stop) => leave!(Step::Stopped),
                        Err(error) => {
                            self.pos = pos;
                            self.state = state;
                            return Err(Fail::Sink(error));
                        }
                    }
                }
            }};
        }
        /// Where the reader stands after a value.
        macro_rules! after_value {
            () => {
                if self.stack.is_empty() { State::After } else { State::Next }
            };
        }
        /// A value is complete. A skipping reader may have arrived.
        macro_rules! value_done {
            () => {
                if SKIP && self.stack.len() == self.skip_to {
                    self.skip_to = NOWHERE;
                    self.abandoned = false;
                    leave!(Step::Turn);
                }
            };
        }
        /// Begins to skip down to a depth.
        macro_rules! skip_to {
            ($depth:expr) => {{
                self.skip_to = $depth;
                leave!(Step::Turn)
            }};
        }
        /// At the root of a stream of values, a value is only good if it ends there: told no
        /// sooner than that is known. `$end` is the end of the value that begins at `pos`.
        macro_rules! ends {
            ($end:expr, $bare:expr) => {
                if self.stack.is_empty() && self.framing != Framing::Document {
                    match self.value_ends(text, pos, $end, last, $bare) {
                        Ok(true) => {}
                        Ok(false) => leave!(Step::More),
                        Err(fault) => fail!(fault),
                    }
                }
            };
        }
        /// Passes over a skipped string from `$from`, inside it; yields the index behind its closing
        /// quote, or leaves in `$state` where the window ends.
        macro_rules! pass_string {
            ($from:expr, $state:expr) => {
                match token::pass_string(isa, text, $from) {
                    Passed::Closed(end) => end,
                    Passed::Cut(at) => {
                        pos = at;
                        state = $state;
                        more!(token::INSIDE_STRING)
                    }
                    Passed::Control(at) => {
                        pos = at;
                        fail!(token::control(text, at, base))
                    }
                    Passed::BadEscape(bad) => {
                        fail!(Fault::malformed(base + bad.at as u64, bad.reason()))
                    }
                }
            };
        }
        /// Resolves the escapes of a string, if it has any.
        macro_rules! resolve {
            ($string:ident) => {
                if $string.escaped
                    && let Err(fault) = self.resolve(valid, &mut $string)
                {
                    fail!(fault);
                }
            };
        }
        /// Opens a map or a list, whose first byte is at `pos`.
        macro_rules! open {
            ($is_map:expr, $event:ident, $state:expr) => {{
                let at = base + pos as u64;
                let depth = self.stack.len();
                if depth >= self.depth_limit {
                    fail!(token::too_deep(at, self.depth_limit));
                }
                self.stack.push($is_map);
                in_map = $is_map;
                if tell!(sink.$event(at), $state, pos + 1) {
                    skip_to!(depth);
                }
            }};
        }
        /// Closes the map or list whose last byte is at `pos`.
        macro_rules! close {
            ($event:ident) => {{
                let at = base + pos as u64;
                if self.stack.len() == 1 && lines {
                    match self.value_ends(text, pos, pos + 1, last, false) {
                        Ok(true) => {}
                        Ok(false) => leave!(Step::More),
                        Err(fault) => fail!(fault),
                    }
                }
                self.stack.pop();
                in_map = self.stack.last().copied().unwrap_or(false);
                let next = after_value!();
                let _ = tell!(sink.$event(at), next, pos + 1);
                value_done!();
            }};
        }

        // A member of a map passes straight from its key through its value to what follows it; only
        // what begins elsewhere is looked up by its state.
        'step: loop {
            'next: {
                'value: {
                    'key: {
                        match state {
                            State::Key | State::FirstKey => break 'key,
                            State::Value | State::FirstElement => break 'value,
                            State::Next => break 'next,
                            State::Colon => {
                                space!();
                                match text.get(pos) {
                                    Some(b':') => {
                                        pos += 1;
                                        state = State::Value;
                                    }
                                    Some(_) => {
                                        unexpected!("expected ':' after the key")
                                    }
                                    None => more!("the input ends after a key"),
                                }
                            }
                            State::SkippedKey => {
                                pos = pass_string!(pos, State::SkippedKey);
                                state = State::Colon;
                            }
                            State::SkippedText => {
                                let end = pass_string!(pos, State::SkippedText);
                                ends!(end, false);
                                state = after_value!();
                                pos = end;
                                value_done!();
                            }
                            State::After if self.framing == Framing::Document => {
                                space!();
                                if pos < text.len() {
                                    let expected =
                                        "expected the end of the document after the value";
                                    unexpected!(expected);
                                }
                                leave!(if last { Step::Done } else { Step::More });
                            }
                            State::After => state = State::Root,
                            State::Root => {
                                pos = isa.json_space(text, pos);
                                let sequence = self.framing == Framing::Sequence;
                                match text.get(pos) {
                                    Some(&token::SEPARATOR) if sequence => {
                                        self.separated = true;
                                        pos += 1;
                                    }
                                    Some(_) if sequence && !self.separated => {
                                        unexpected!(
                                            "expected a record separator (0x1E) before the value"
                                        )
                                    }
                                    Some(_) => {
                                        self.separated = false;
                                        state = State::Value;
                                    }
                                    None if last && self.framing == Framing::Document => {
                                        fail!(Fault::truncated(
                                            base + pos as u64,
                                            "the input is empty"
                                        ))
                                    }
                                    None => leave!(if last { Step::Done } else { Step::More }),
                                }
                            }
                            State::Lost => {
                                let separator = self.separator();
                                match memchr::memchr(separator, &text[pos..]) {
                                    Some(at) => {
                                        pos += at;
                                        state = State::Root;
                                    }
                                    None => {
                                        pos = text.len();
                                        leave!(if last { Step::Done } else { Step::More });
                                    }
                                }
                            }
                        }
                        continue 'step;
                    }
                    space!();
                    if !SKIP {
                        if pos as u64 == led {
                            pos = (self.led.end - base) as usize;
                            self.led = NOT_LED;
                            led = NOT_LED.at;
                            state = State::Next;
                            break 'next;
                        }
                        let expected = sink.expected_key();
                        if !expected.is_empty() && stands_at(text, pos, expected) {
                            // Part of it may have been scanned as an unknown key before.
                            self.partial.scanned = 0;
                            let end = pos + expected.len();
                            let at = base + pos as u64;
                            if tell!(sink.expected_key_found(at), State::Value, end) {
                                skip_to!(self.stack.len());
                            }
                            break 'value;
                        }
                    }
                    match text.get(pos) {
                        Some(b'"') => {}
                        Some(b'}') if state == State::FirstKey => {
                            close!(end_map);
                            continue 'step;
                        }
                        Some(_) => {
                            let expected = match (state, text[pos]) {
                                (State::FirstKey, _) => "expected a key in double quotes or '}'",
                                (_, b'}') => "expected a key after ','",
                                _ => "expected a key in double quotes",
                            };
                            unexpected!(expected)
                        }
                        None => more!("the input ends inside an object"),
                    }
                    if SKIP {
                        pos = pass_string!(pos + 1, State::SkippedKey);
                        state = State::Colon;
                        if text.get(pos) != Some(&b':') {
                            continue 'step;
                        }
                        pos += 1;
                        state = State::Value;
                        break 'value;
                    }
                    let at = base + pos as u64;
                    let (mut string, end) = match self.string(isa, valid, pos, last) {
                        Ok(Some(found)) => found,
                        Ok(None) => leave!(Step::More),
                        Err(fault) => fail!(fault),
                    };
                    let raw = valid.slice(string.from..string.to);
                    resolve!(string);
                    let key = string.text(valid, &self.scratch);
                    let raw = Text { text: raw, ..key };
                    if tell!(sink.written_key(key, raw, at), State::Colon, end) {
                        skip_to!(self.stack.len());
                    }
                    if text.get(pos) != Some(&b':') {
                        continue 'step;
                    }
                    pos += 1;
                    state = State::Value;
                }
                space!();
                let Some(&byte) = text.get(pos) else {
                    more!("the input ends where a value is expected")
                };
                let at = base + pos as u64;
                'scalar: {
                    match byte {
                        b'"' => {
                            if SKIP || sink.ignores_scalar() {
                                let end = pass_string!(pos + 1, State::SkippedText);
                                ends!(end, false);
                                state = after_value!();
                                pos = end;
                                value_done!();
                                break 'scalar;
                            }
                            let (mut string, end) = match self.string(isa, valid, pos, last) {
                                Ok(Some(found)) => found,
                                Ok(None) => leave!(Step::More),
                                Err(fault) => fail!(fault),
                            };
                            if lines && self.stack.is_empty() {
                                // If the line's end is not here yet, the string is not scanned again.
                                let (ascii, escaped) = (string.ascii, string.escaped);
                                self.partial = Partial { scanned: end - 1 - pos, ascii, escaped };
                                match self.value_ends(text, pos, end, last, false) {
                                    Ok(true) => self.partial = WHOLE,
                                    Ok(false) => leave!(Step::More),
                                    Err(fault) => {
                                        fail!(token::first_fault(text, pos, end, base, fault))
                                    }
                                }
                            }
                            if sink.as_written() {
                                if string.escaped
                                    && let Err(fault) =
                                        token::check_escapes(text, string.from, string.to, base)
                                {
                                    fail!(fault);
                                }
                                let raw = valid.slice(string.from..string.to);
                                let raw = Text { text: raw, ascii: string.ascii };
                                let _ = tell!(
                                    sink.written_text(raw, string.escaped, at),
                                    after_value!(),
                                    end
                                );
                                break 'scalar;
                            }
                            resolve!(string);
                            let string = string.text(valid, &self.scratch);
                            let _ = tell!(sink.text(string, at), after_value!(), end);
                        }
                        b'{' => {
                            open!(true, begin_map, State::FirstKey);
                            continue 'step;
                        }
                        b'[' => {
                            open!(false, begin_list, State::FirstElement);
                            continue 'step;
                        }
                        b'-' | b'0'..=b'9' => {
                            if self.partial.scanned > 0 && !self.number_is_here(text, pos, last) {
                                match self.number_goes_on(text, pos) {
                                    Ok(()) => leave!(Step::More),
                                    Err(fault) => fail!(fault),
                                }
                            }
                            let want = if SKIP { Want::Digits } else { sink.want() };
                            if want == Want::Native
                                && let Some((int, end)) = number::short_int(text, pos)
                                && end - pos <= self.number_limit
                            {
                                ends!(end, true);
                                let _ = tell!(sink.int(int, at), after_value!(), end);
                                break 'scalar;
                            }
                            if want != Want::Digits
                                && !sink.ignores_scalar()
                                && !sink.as_written()
                                && let Some((double, end)) = number::short_float(text, pos)
                                && end - pos <= self.number_limit
                            {
                                ends!(end, true);
                                let _ = tell!(sink.float(double, at), after_value!(), end);
                                break 'scalar;
                            }
                            let scanned = number::scan(text, pos);
                            let end = scanned.end;
                            if end == text.len() && !last {
                                match self.number_goes_on(text, pos) {
                                    Ok(()) => leave!(Step::More),
                                    Err(fault) => fail!(fault),
                                }
                            }
                            if end - pos > self.number_limit {
                                fail!(token::number_too_long(at, self.number_limit));
                            }
                            match scanned.outcome {
                                Outcome::Bad { at, reason } => {
                                    if !last && token::is_cut(text, at) {
                                        leave!(Step::More);
                                    }
                                    fail!(token::bad_number(text, at, base, reason))
                                }
                                Outcome::Unfinished => more!("the input ends inside a number"),
                                _ => {}
                            }
                            ends!(end, true);
                            if SKIP || sink.ignores_scalar() {
                                state = after_value!();
                                pos = end;
                                value_done!();
                                break 'scalar;
                            }
                            let raw = &text[pos..end];
                            if sink.as_written() {
                                let outcome = scanned.outcome;
                                let _ = tell!(
                                    sink.written_number(raw, outcome, at),
                                    after_value!(),
                                    end
                                );
                                break 'scalar;
                            }
                            let _ = match (want, scanned.outcome) {
                                (Want::Native, Outcome::Int(int)) => {
                                    tell!(sink.int(int, at), after_value!(), end)
                                }
                                (Want::Native, Outcome::NegativeZero) => {
                                    tell!(sink.int(0, at), after_value!(), end)
                                }
                                (Want::Native, Outcome::Big) | (Want::Digits, _) => {
                                    tell!(sink.number(raw, at), after_value!(), end)
                                }
                                (_, outcome) => {
                                    let double = number::to_f64(outcome, raw);
                                    if double.is_finite() {
                                        tell!(sink.float(double, at), after_value!(), end)
                                    } else {
                                        tell!(sink.number(raw, at), after_value!(), end)
                                    }
                                }
                            };
                        }
                        b't' | b'f' | b'n' => {
                            let word: &[u8] = match byte {
                                b't' => b"true",
                                b'f' => b"false",
                                _ => b"null",
                            };
                            let end = pos + word.len();
                            match text.get(pos..end) {
                                Some(found) if found == word => {}
                                None if word.starts_with(&text[pos..]) => {
                                    more!("the input ends inside a literal")
                                }
                                _ => unexpected!("expected a value"),
                            }
                            ends!(end, true);
                            if SKIP || sink.ignores_scalar() {
                                state = after_value!();
                                pos = end;
                                value_done!();
                                break 'scalar;
                            }
                            let _ = match byte {
                                b'n' => tell!(sink.null(at), after_value!(), end),
                                _ => tell!(sink.boolean(byte == b't', at), after_value!(), end),
                            };
                        }
                        b']' if state == State::FirstElement => {
                            close!(end_list);
                            continue 'step;
                        }
                        _ => {
                            let expected = match (state, byte) {
                                (State::FirstElement, _) => "expected a value or ']'",
                                (_, b']') if !in_map && !self.stack.is_empty() => {
                                    "expected a value after ','"
                                }
                                _ => "expected a value",
                            };
                            unexpected!(expected)
                        }
                    }
                }
                if self.stack.is_empty() {
                    continue 'step;
                }
            }
            space!();
            let Some(&byte) = text.get(pos) else {
                more!(if in_map {
                    "the input ends inside an object"
                } else {
                    "the input ends inside an array"
                })
            };
            match (byte, in_map) {
                (b',', true) => {
                    pos += 1;
                    state = State::Key;
                    continue 'step;
                }
                (b',', false) => {
                    pos += 1;
                    state = State::Value;
                    continue 'step;
                }
                (b'}', true) => close!(end_map),
                (b']', false) => close!(end_list),
                (_, true) => {
                    unexpected!("expected ',' or '}'")
                }
                (_, false) => {
                    unexpected!("expected ',' or ']'")
                }
            }
        }
    }

    /// The string whose opening quote is at `pos`, and the index behind its closing quote; nothing
    /// if the window ends before that.
    #[inline(always)]
    fn string<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        last: bool,
    ) -> Result<Option<(StringToken, usize)>, Fault> {
        let text = valid.as_bytes();
        let Partial { scanned, mut ascii, mut escaped } = self.partial;
        if scanned == 0 {
            (ascii, escaped) = (true, false);
        }
        let mut from = pos + scanned.max(1);
        loop {
            let found = isa.json_string(text, from);
            ascii &= found.ascii;
            if found.at - pos - 1 > self.token_limit {
                let fault = token::too_long(self.base + pos as u64, self.token_limit);
                return Err(token::first_fault(text, pos, found.at, self.base, fault));
            }
            match text.get(found.at) {
                Some(b'"') => {
                    let end = found.at;
                    self.partial = WHOLE;
                    let token = StringToken { from: pos + 1, to: end, ascii, escaped };
                    return Ok(Some((token, end + 1)));
                }
                Some(b'\\') if found.at + 1 < text.len() => {
                    if text[found.at + 1] < 0x20 {
                        // Not even looked behind: in a stream of lines, the next may begin there.
                        let fault = token::control(text, found.at + 1, self.base);
                        return Err(token::first_fault(text, pos, found.at + 1, self.base, fault));
                    }
                    escaped = true;
                    from = token::behind_escapes(text, found.at);
                }
                Some(b'\\') | None => {
                    if last {
                        let end = self.base + text.len() as u64;
                        let fault = Fault::truncated(end, token::INSIDE_STRING);
                        return Err(token::first_fault(text, pos, found.at, self.base, fault));
                    }
                    self.partial = Partial { scanned: found.at - pos, ascii, escaped };
                    return Ok(None);
                }
                Some(_) => {
                    let fault = token::control(text, found.at, self.base);
                    return Err(token::first_fault(text, pos, found.at, self.base, fault));
                }
            }
        }
    }

    /// Resolves the escapes of a string into the scratch buffer.
    #[inline(never)]
    fn resolve(&mut self, valid: ValidText<'_>, token: &mut StringToken) -> Result<(), Fault> {
        self.scratch.clear();
        let raw = valid.slice(token.from..token.to);
        match unescape_json(raw, &mut self.scratch) {
            Ok(ascii) => {
                token.ascii = ascii;
                Ok(())
            }
            Err(bad) => {
                let at = self.base + (token.from + bad.at) as u64;
                Err(Fault::malformed(at, bad.reason()))
            }
        }
    }

    /// Whether the number at `pos`, which an earlier window cut, is whole in this one.
    #[cold]
    #[inline(never)]
    fn number_is_here(&mut self, text: &[u8], pos: usize, last: bool) -> bool {
        let from = pos + self.partial.scanned;
        // One that is too long is looked at: it may not be one number.
        let long = text.len() - pos > self.number_limit;
        let all = || text[from..].iter().all(|byte| token::may_stand_in_number(*byte));
        let here = last || long || !all();
        if here {
            self.partial = WHOLE;
        }
        here
    }

    /// The window ends where the number at `pos` may go on.
    #[cold]
    #[inline(never)]
    fn number_goes_on(&mut self, text: &[u8], pos: usize) -> Result<(), Fault> {
        let scanned = text.len() - pos;
        if scanned > self.number_limit {
            return Err(token::number_too_long(self.base + pos as u64, self.number_limit));
        }
        self.partial.scanned = scanned;
        Ok(())
    }

    /// Whether the value that begins at `pos` and ends at `end`, at the root of a stream of
    /// values, is followed by what must follow it. False if the window ends before that shows.
    /// `bare` values (numbers and literals) do not show their own end.
    #[inline(never)]
    fn value_ends(
        &mut self,
        text: &[u8],
        pos: usize,
        end: usize,
        last: bool,
        bare: bool,
    ) -> Result<bool, Fault> {
        let fault = |at: usize, expected| token::unexpected(text, at, self.base, expected);
        let is_cut = |at: usize| !last && token::is_cut(text, at);
        match (self.framing, text.get(end)) {
            (Framing::Lines, _) => {
                let from = end.max(pos + self.trailing);
                let space = text[from..].iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r'));
                let at = space.map_or(text.len(), |space| from + space);
                match text.get(at) {
                    Some(b'\n') => {}
                    Some(_) if is_cut(at) => return Ok(false),
                    Some(_) => {
                        return Err(fault(at, "expected the end of the line after the value"));
                    }
                    None if last => {}
                    None => {
                        self.trailing = at - pos;
                        return Ok(false);
                    }
                }
            }
            (Framing::Sequence, Some(b' ' | b'\t' | b'\r' | b'\n')) => {}
            (_, Some(_)) if bare && is_cut(end) => return Ok(false),
            (Framing::Sequence, Some(_)) if bare => {
                return Err(fault(end, "expected white space after the value"));
            }
            (Framing::Sequence, None) if bare && last => {
                // RFC 7464, 2.4: such a value may have been cut short.
                let at = self.base + end as u64;
                return Err(Fault::truncated(at, "the input ends inside the last value"));
            }
            (Framing::Concatenated, Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'{' | b'[')) => {}
            (Framing::Concatenated, Some(_)) if bare => {
                return Err(fault(end, "expected white space after the value"));
            }
            (_, None) if bare && !last => return Ok(false),
            _ => {}
        }
        self.trailing = 0;
        Ok(true)
    }
}

/// A string found in the window.
#[derive(Clone, Copy)]
struct StringToken {
    /// Its first byte in the window, behind the quote.
    from: usize,
    /// Its closing quote.
    to: usize,
    ascii: bool,
    /// True if it stands resolved in the scratch buffer.
    escaped: bool,
}

impl StringToken {
    #[inline(always)]
    fn text<'a>(&self, valid: ValidText<'a>, scratch: &'a TextBuf) -> Text<'a> {
        let text = if self.escaped { scratch.text() } else { valid.slice(self.from..self.to) };
        Text { text, ascii: self.ascii }
    }
}
