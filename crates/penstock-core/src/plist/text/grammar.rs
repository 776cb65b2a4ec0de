//! The rules of text property lists, in one function. `reader.rs` lists its invariants.
//!
//! Each rule has a name: search for `rule:`. An entry of a dictionary runs through `key`, `value` and `next` from top to
//! bottom. Where Foundation and GNUstep differ:
//!
//! | text | Foundation | GNUstep | here |
//! |---|---|---|---|
//! | no `;` before `}` | refused | taken | taken |
//! | no `;` before the end of a file of strings | refused | refused | refused |
//! | `key;` | the key is its own value | an empty string, in files of strings only | as Foundation |
//! | a key that is data, or a container | refused | taken | refused |
//! | white space and comments only | an empty dictionary | nothing | as Foundation |
//! | no text at all | refused | nothing | refused |
//! | a comment that is not closed | taken | refused | refused |

use super::data::Group;
use super::quoted::Rest;
use super::reader::{Comment, NOWHERE, Open, Reader, Role, State};
use super::token::{self, BareEnd, Passed};
use super::typed::typed;
use crate::error::{Fail, Fault};
use crate::event::{Scalar, Text};
use crate::protocol::{Flow, Listener, Step};
use penstock_scan::{Isa, ValidText, make_room};

/// What the reader does after a token.
enum Then {
    Go,
    Skip,
}

impl Reader {
    /// The grammar. `SKIP` compiles a copy that reports no events.
    #[inline(always)]
    pub(super) fn drive<I: Isa, S: Listener + ?Sized, const SKIP: bool>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        last: bool,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let text = valid.as_bytes();
        let base = self.base;
        let mut pos = self.pos;
        let mut state = self.state;
        let mut in_map = self.stack.last().is_some_and(|open| open.is_map);

        /// Saves the state, and returns.
        macro_rules! leave {
            ($step:expr) => {{
                self.pos = pos;
                self.state = state;
                return Ok($step);
            }};
        }
        /// Returns a fault.
        macro_rules! fail {
            ($fault:expr) => {{
                self.pos = pos;
                self.state = state;
                return Err(Fail::Input($fault));
            }};
        }
        /// Returns a fault: another token than the expected one is at `pos`.
        macro_rules! unexpected {
            ($expected:expr) => {
                fail!(token::unexpected(text, pos, base, $expected))
            };
        }
        /// The window ends: asks for more, or fails if the document cannot end here.
        macro_rules! more {
            ($fault:expr) => {{
                if last {
                    fail!($fault);
                }
                leave!(Step::More)
            }};
        }
        /// The window ends in a token that has begun.
        macro_rules! inside {
            ($what:expr) => {
                more!(self.ends_inside(text, $what))
            };
        }
        /// Passes over white space and comments.
        macro_rules! space {
            () => {
                if let Some(&byte) = text.get(pos) {
                    if byte <= b' ' {
                        pos = isa.space(text, pos);
                    }
                    if let Some(b'/' | 0x0B | 0x0C | 0xE2) = text.get(pos) {
                        match self.pass_space(text, pos, last) {
                            Ok(Passed::At(at)) => pos = at,
                            Ok(Passed::Cut(at)) => {
                                pos = at;
                                leave!(Step::More);
                            }
                            Err(fault) => fail!(fault),
                        }
                    }
                }
            };
        }
        /// Reports an event, and moves to `$state` and `$pos` whatever the answer is. Yields whether the answer was to
        /// skip.
        macro_rules! tell {
            ($event:expr, $state:expr, $pos:expr) => {{
                if SKIP {
                    state = $state;
                    pos = $pos;
                    Then::Go
                } else {
                    let answer = $event;
                    state = $state;
                    pos = $pos;
                    match answer {
                        // A separate test: a `match` of all answers would compile to a jump table.
                        answer if matches!(answer, Ok(Flow::Take)) => Then::Go,
                        Ok(Flow::Take | Flow::Watch) => Then::Go,
                        Ok(Flow::Look) => {
                            if matches!(state, State::Key | State::FirstKey) {
                                self.look_in(pos, state);
                                leave!(Step::Again);
                            }
                            Then::Go
                        }
                        Ok(Flow::Skip) => Then::Skip,
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
        /// The state after a value.
        macro_rules! after_value {
            () => {
                if self.stack.is_empty() { State::After } else { State::Next }
            };
        }
        /// A value is complete. A skipping reader may have reached its end.
        macro_rules! value_done {
            () => {
                if SKIP && self.stack.len() == self.skip_to {
                    self.skip_to = NOWHERE;
                    self.abandoned = false;
                    leave!(Step::Again);
                }
            };
        }
        /// Starts to skip down to a depth.
        macro_rules! skip_to {
            ($depth:expr) => {{
                self.skip_to = $depth;
                leave!(Step::Again)
            }};
        }
        /// Reports a value that ends at `$end`, unless it is skipped.
        macro_rules! value {
            ($keeps:expr, $event:expr, $end:expr) => {{
                self.held = None;
                if !SKIP && $keeps {
                    let _ = tell!($event, after_value!(), $end);
                } else {
                    state = after_value!();
                    pos = $end;
                    value_done!();
                }
            }};
        }
        /// Reports a string as a value.
        macro_rules! string {
            ($string:expr, $at:expr) => {{
                let string: Text<'_> = $string;
                if string.bytes().is_empty() {
                    sink.text(string, $at)
                } else {
                    sink.scalar(Scalar::Untyped(string), $at)
                }
            }};
        }
        // rule: open
        macro_rules! open {
            ($is_map:expr, $event:ident, $at:expr, $state:expr, $pos:expr) => {{
                let depth = self.stack.len();
                if depth >= self.depth_limit {
                    fail!(token::too_deep($at, self.depth_limit));
                }
                make_room(&mut self.stack, 1);
                self.stack.push(Open { at: $at, is_map: $is_map });
                in_map = $is_map;
                if let Then::Skip = tell!(sink.$event($at), $state, $pos) {
                    skip_to!(depth);
                }
            }};
        }
        // rule: close
        macro_rules! close {
            ($event:ident, $end:expr) => {{
                let at = base + pos as u64;
                self.stack.pop();
                in_map = self.stack.last().is_some_and(|open| open.is_map);
                let _ = tell!(sink.$event(at), after_value!(), $end);
                value_done!();
            }};
        }
        /// A string with its text ends before `$end`.
        macro_rules! finish {
            ($role:expr, $string:expr, $at:expr, $end:expr) => {
                match $role {
                    Role::Value => value!(true, string!($string, $at), $end),
                    Role::Root => {
                        // It stays held, because what it is comes later.
                        self.first.keep($string, $at);
                        state = State::Alone;
                        pos = $end;
                    }
                    Role::Key => {
                        if text.get($end) != Some(&b'=')
                            && text.get(isa.space(text, $end)) != Some(&b'=')
                        {
                            // It may be its own value.
                            self.key.keep($string, $at);
                        } else {
                            self.held = None;
                        }
                        if let Then::Skip = tell!(sink.key($string, $at), State::Equals, $end) {
                            skip_to!(self.stack.len());
                        }
                    }
                }
            };
        }

        if self.comment != Comment::None {
            match self.pass_space(text, pos, last) {
                Ok(Passed::At(at)) => pos = at,
                Ok(Passed::Cut(at)) => {
                    pos = at;
                    leave!(Step::More);
                }
                Err(fault) => fail!(fault),
            }
        }
        // An entry goes straight from its key through its value to the next one. Only the other starting points are
        // looked up by state.
        'step: loop {
            'next: {
                'value: {
                    'key: {
                        match state {
                            State::Key => break 'key,
                            State::Value | State::Element => break 'value,
                            State::Next => break 'next,
                            // rule: equals
                            State::Equals => {
                                space!();
                                match text.get(pos) {
                                    Some(b'=') => {
                                        self.held = None;
                                        pos += 1;
                                        state = State::Value;
                                    }
                                    Some(b';') => {
                                        self.held = None;
                                        let (key, at) = (self.key.text(), self.key.at);
                                        if !SKIP && !sink.ignores_scalar() {
                                            let _ = tell!(string!(key, at), State::Key, pos + 1);
                                        } else {
                                            state = State::Key;
                                            pos += 1;
                                            value_done!();
                                        }
                                    }
                                    Some(_) => unexpected!("expected '=' or ';' after the key"),
                                    None => more!(self.ends_open(text)),
                                }
                            }
                            // rule: quoted
                            State::Quoted(role) => {
                                let keeps = !SKIP && self.held.is_some();
                                let end = match self.quoted(valid, pos, keeps) {
                                    Ok(Rest::Closed(end)) => end + 1,
                                    Ok(Rest::Cut(at)) => {
                                        pos = at;
                                        inside!("a string");
                                    }
                                    Err(fault) => fail!(fault),
                                };
                                if keeps {
                                    let string = self.scratch.text();
                                    let string = Text { text: string, ascii: self.ascii };
                                    finish!(role, string, self.begun, end);
                                } else if role == Role::Key {
                                    self.held = None;
                                    state = State::Equals;
                                    pos = end;
                                } else {
                                    value!(false, Ok(Flow::Take), end);
                                }
                            }
                            // rule: bare
                            State::Bare(role) => {
                                let from = self.held.filter(|_| !SKIP);
                                let found = token::bare_end(isa, text, pos, last);
                                let (BareEnd::At(at) | BareEnd::Cut(at) | BareEnd::Comment(at)) =
                                    found;
                                if from.is_some_and(|from| at - from > self.token_limit) {
                                    fail!(token::string_too_long(self.begun, self.token_limit));
                                }
                                match (found, from) {
                                    (BareEnd::Comment(at), _) => {
                                        fail!(token::comment_in_bare(base + at as u64))
                                    }
                                    (BareEnd::Cut(at), _) => {
                                        pos = at;
                                        leave!(Step::More);
                                    }
                                    (BareEnd::At(end), Some(from)) => {
                                        let string = valid.slice(from..end);
                                        let string = Text { text: string, ascii: true };
                                        finish!(role, string, self.begun, end);
                                    }
                                    (BareEnd::At(end), None) if role == Role::Key => {
                                        self.held = None;
                                        state = State::Equals;
                                        pos = end;
                                    }
                                    (BareEnd::At(end), None) => value!(false, Ok(Flow::Take), end),
                                }
                            }
                            // rule: data
                            State::Hexadecimal | State::Base64 => {
                                let keeps = !SKIP && self.held.is_some();
                                let rest = match state {
                                    State::Base64 => self.base64(text, pos, keeps),
                                    _ => self.hexadecimal(text, pos, keeps),
                                };
                                match rest {
                                    Ok(Rest::Closed(end)) => {
                                        let value = Scalar::Bytes(&self.bytes);
                                        value!(keeps, sink.scalar(value, self.begun), end + 1);
                                    }
                                    Ok(Rest::Cut(at)) => {
                                        pos = at;
                                        inside!("data");
                                    }
                                    Err(fault) => fail!(fault),
                                }
                            }
                            // rule: typed
                            State::Typed => {
                                let from = self.held.unwrap_or(pos);
                                let found = memchr::memchr(b'>', &text[pos..]);
                                let end = found.map_or(text.len(), |found| pos + found);
                                if end - from > self.number_limit.saturating_add(2) {
                                    fail!(token::typed_too_long(self.begun, self.number_limit));
                                }
                                if found.is_none() {
                                    pos = end;
                                    inside!("a typed value");
                                }
                                let inside = text.get(from + 2..end).unwrap_or_default();
                                let value = match typed(inside, &mut self.bytes) {
                                    Ok(value) => value,
                                    Err(reason) => fail!(Fault::malformed(self.begun, reason)),
                                };
                                let at = self.begun;
                                let keeps = !SKIP && !sink.ignores_scalar();
                                value!(
                                    keeps,
                                    match value {
                                        Scalar::Int(value) => sink.int(value, at),
                                        Scalar::Float(value) => sink.float(value, at),
                                        Scalar::Bool(value) => sink.boolean(value, at),
                                        Scalar::Number(digits) => sink.number(digits, at),
                                        other => sink.scalar(other, at),
                                    },
                                    end + 1
                                );
                            }
                            // rule: root
                            State::Root => {
                                space!();
                                if pos < text.len() {
                                    break 'value;
                                }
                                let at = base + pos as u64;
                                if !last {
                                    leave!(Step::More);
                                }
                                if at == 0 {
                                    fail!(Fault::truncated(0, "the input is empty"));
                                }
                                self.unbraced = true;
                                open!(true, begin_map, at, State::Key, pos);
                            }
                            // rule: alone
                            State::Alone => {
                                space!();
                                match text.get(pos) {
                                    Some(b'=' | b';') => {
                                        self.unbraced = true;
                                        let at = self.first.at;
                                        open!(true, begin_map, at, State::FirstKey, pos);
                                    }
                                    Some(_) => unexpected!(
                                        "expected '=' or ';' after the string, or the end of the document"
                                    ),
                                    None if last => {
                                        let (string, at) = (self.first.text(), self.first.at);
                                        let keeps = !SKIP && !sink.ignores_scalar();
                                        value!(keeps, string!(string, at), pos);
                                    }
                                    None => leave!(Step::More),
                                }
                            }
                            // rule: first-key
                            State::FirstKey => {
                                // It is held until it is known whether it is its own value.
                                if SKIP {
                                    state = State::Equals;
                                } else {
                                    self.key.keep(self.first.text(), self.first.at);
                                    let (key, at) = (self.key.text(), self.key.at);
                                    if let Then::Skip = tell!(sink.key(key, at), State::Equals, pos)
                                    {
                                        skip_to!(self.stack.len());
                                    }
                                }
                            }
                            // rule: after
                            State::After => {
                                space!();
                                if pos < text.len() {
                                    unexpected!("expected the end of the document after the value");
                                }
                                leave!(if last { Step::Done } else { Step::More });
                            }
                        }
                        continue 'step;
                    }
                    // rule: key
                    space!();
                    let Some(&byte) = text.get(pos) else {
                        if last && self.is_unbraced() {
                            close!(end_map, pos);
                            continue 'step;
                        }
                        more!(self.ends_open(text))
                    };
                    if byte == b'}' && !self.is_unbraced() {
                        close!(end_map, pos + 1);
                        continue 'step;
                    }
                    match self.begin_string(isa, text, pos, last, byte) {
                        Begin::Whole { from, to, end, ascii } => {
                            if SKIP {
                                pos = end;
                                state = State::Equals;
                            } else {
                                let string = Text { text: valid.slice(from..to), ascii };
                                let at = base + pos as u64;
                                self.held = Some(pos);
                                finish!(Role::Key, string, at, end);
                            }
                        }
                        Begin::Quoted => {
                            self.start_quoted(pos, byte, !SKIP);
                            pos += 1;
                            state = State::Quoted(Role::Key);
                            continue 'step;
                        }
                        Begin::Bare(to) => {
                            self.start(pos, !SKIP);
                            pos = to;
                            state = State::Bare(Role::Key);
                            continue 'step;
                        }
                        Begin::None if self.is_unbraced() => unexpected!("expected a key"),
                        Begin::None => unexpected!("expected a key or '}'"),
                    }
                    space!();
                    if text.get(pos) != Some(&b'=') {
                        continue 'step;
                    }
                    self.held = None;
                    pos += 1;
                    state = State::Value;
                }
                // rule: value
                space!();
                let Some(&byte) = text.get(pos) else { more!(self.ends_open(text)) };
                let at = base + pos as u64;
                let role = if state == State::Root { Role::Root } else { Role::Value };
                match self.begin_string(isa, text, pos, last, byte) {
                    Begin::Whole { from, to, end, ascii } => {
                        if SKIP || role == Role::Value && sink.ignores_scalar() {
                            value!(false, Ok(Flow::Take), end);
                        } else {
                            let string = Text { text: valid.slice(from..to), ascii };
                            self.held = Some(pos);
                            finish!(role, string, at, end);
                        }
                        if state != State::Next {
                            continue 'step;
                        }
                    }
                    Begin::Quoted => {
                        let keeps = !SKIP && (role == Role::Root || !sink.ignores_scalar());
                        self.start_quoted(pos, byte, keeps);
                        pos += 1;
                        state = State::Quoted(role);
                        continue 'step;
                    }
                    Begin::Bare(to) => {
                        let keeps = !SKIP && (role == Role::Root || !sink.ignores_scalar());
                        self.start(pos, keeps);
                        pos = to;
                        state = State::Bare(role);
                        continue 'step;
                    }
                    Begin::None => match byte {
                        b'{' => {
                            open!(true, begin_map, at, State::Key, pos + 1);
                            continue 'step;
                        }
                        b'(' => {
                            open!(false, begin_list, at, State::Element, pos + 1);
                            continue 'step;
                        }
                        b')' if state == State::Element => {
                            close!(end_list, pos + 1);
                            continue 'step;
                        }
                        b'<' => {
                            let Some(&byte) = text.get(pos + 1) else {
                                self.begun = at;
                                inside!("data")
                            };
                            let keeps = !SKIP && !sink.ignores_scalar();
                            let (rest, length) = match byte {
                                b'*' => (State::Typed, 2),
                                b'[' => (State::Base64, 2),
                                _ => (State::Hexadecimal, 1),
                            };
                            // A typed value is checked as a whole.
                            self.start(pos, keeps || rest == State::Typed);
                            self.bytes.clear();
                            self.group = Group::default();
                            pos += length;
                            state = rest;
                            continue 'step;
                        }
                        _ if state == State::Element => unexpected!("expected a value or ')'"),
                        _ => unexpected!("expected a value"),
                    },
                }
            }
            // rule: next
            space!();
            let Some(&byte) = text.get(pos) else { more!(self.ends_open(text)) };
            match (byte, in_map) {
                (b';', true) => {
                    pos += 1;
                    state = State::Key;
                }
                (b',', false) => {
                    pos += 1;
                    state = State::Element;
                }
                (b'}', true) if !self.is_unbraced() => close!(end_map, pos + 1),
                (b')', false) => close!(end_list, pos + 1),
                (_, true) if self.is_unbraced() => unexpected!("expected ';'"),
                (_, true) => unexpected!("expected ';' or '}'"),
                (_, false) => unexpected!("expected ',' or ')'"),
            }
        }
    }

    /// The string that begins with `byte` at `pos`, if there is one.
    #[inline(always)]
    fn begin_string<I: Isa>(&self, isa: I, text: &[u8], pos: usize, last: bool, byte: u8) -> Begin {
        if byte == b'"' {
            let (mut end, mut ascii) = (pos + 1, true);
            loop {
                let found = isa.json_string(text, end);
                ascii &= found.ascii;
                end = found.at;
                match text.get(end) {
                    // Ends of lines and other control characters need no escape.
                    Some(&byte) if byte < b' ' => end += 1,
                    _ => break,
                }
            }
            if text.get(end) != Some(&b'"') || end - pos - 1 > self.token_limit {
                return Begin::Quoted;
            }
            return Begin::Whole { from: pos + 1, to: end, end: end + 1, ascii };
        }
        if byte == b'\'' {
            return Begin::Quoted;
        }
        if !token::is_bare(byte) {
            return Begin::None;
        }
        match token::bare_end(isa, text, pos, last) {
            BareEnd::At(end) if end - pos <= self.token_limit => {
                Begin::Whole { from: pos, to: end, end, ascii: true }
            }
            BareEnd::At(at) | BareEnd::Cut(at) | BareEnd::Comment(at) => Begin::Bare(at),
        }
    }

    /// A token begins at `pos` that is read in pieces.
    #[inline(always)]
    fn start(&mut self, pos: usize, keeps: bool) {
        self.begun = self.base + pos as u64;
        self.held = keeps.then_some(pos);
    }

    /// A string in quotes begins at `pos` that is read in pieces.
    #[inline(always)]
    fn start_quoted(&mut self, pos: usize, quote: u8, keeps: bool) {
        self.start(pos, keeps);
        self.quote = quote;
        self.ascii = true;
        self.scratch.clear();
    }
}

/// How a string begins.
enum Begin {
    /// Its text is the window from `from` to `to`, and the token ends before `end`.
    Whole { from: usize, to: usize, end: usize, ascii: bool },
    /// In quotes, and it is cut, has escapes, or is too long.
    Quoted,
    /// Without quotes, and it is cut there, or has a fault there.
    Bare(usize),
    /// There is none.
    None,
}
