//! The rules of JSON, in one function. `reader.rs` lists its invariants.
//!
//! Each rule has a name: search for `rule:`. A rule's code reaches from its name to the next one. A member of a map
//! runs through `key`, `value` and `next` from top to bottom.

use super::ahead;
use super::comment::{self, Comment, Passing};
use super::framing::Framing;
use super::look::{Looking, NO_TAG};
use super::partial::{Partial, WHOLE};
use super::reader::{NOWHERE, Reader, State};
use super::token::{self, NonFinite, Passed};
use crate::error::{Fail, Fault};
use crate::event::{Members, Text};
use crate::protocol::{Flow, Listener, Step, Want};
use crate::source::encoding::UTF8_BOM;
use crate::value::number::{self, Outcome};
use penstock_scan::{Isa, ValidText, append, stands_at};

impl Reader {
    /// The grammar. `SKIP` compiles a copy that reports no events, and `COMMENTS` one that takes comments: so that the
    /// others have no instruction more.
    #[inline(always)]
    pub(super) fn drive<I: Isa, S: Listener + ?Sized, const SKIP: bool, const COMMENTS: bool>(
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
        // If there is no such member, its position is beyond any window.
        let mut early = self.early.at.checked_sub(base).unwrap_or(NO_TAG.at);

        /// Saves the state, and returns.
        macro_rules! leave {
            ($step:expr) => {{
                self.pos = pos;
                self.state = state;
                return Ok($step);
            }};
        }
        /// Returns a fault that was found in the token at `pos`.
        macro_rules! fail {
            ($fault:expr) => {{
                self.pos = pos;
                self.state = state;
                return Err(Fail::Input($fault));
            }};
        }
        /// Returns a fault that quotes the word at `pos`, once the whole word is in the window.
        macro_rules! unexpected {
            ($expected:expr) => {{
                if !last && !self.cut_off && token::is_cut(text, pos) {
                    leave!(Step::More);
                }
                fail!(token::unexpected(text, pos, base, $expected))
            }};
        }
        /// The window ends inside or before a token: asks for more, or fails if the document cannot
        /// end here.
        macro_rules! more {
            ($expected:expr) => {{
                if last {
                    fail!(Fault::truncated(base + text.len() as u64, $expected));
                }
                leave!(Step::More)
            }};
        }
        /// Skips white space.
        macro_rules! space {
            () => {
                if let Some(&byte) = text.get(pos) {
                    if byte <= b' ' {
                        let end = isa.space(text, pos);
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
        /// Passes over the comment at `pos`, if there is one and the caller takes comments, and goes on with the same
        /// rule. It stands where a rule finds another byte than it expects, so it costs nothing otherwise.
        macro_rules! comment {
            ($again:lifetime) => {
                if COMMENTS && text.get(pos) == Some(&b'/') {
                    match comment::pass(text, pos, self.comment, last) {
                        Passing::Ends(end) => {
                            pos = end;
                            self.comment = Comment::None;
                            continue $again;
                        }
                        Passing::Cut(at, comment) => {
                            pos = at;
                            self.comment = comment;
                            more!(comment::INSIDE)
                        }
                        Passing::Not => {}
                    }
                }
            };
        }
        /// Reports an event, and moves to `$state` and `$pos` whatever the answer is. Yields
        /// whether the answer was to skip.
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
                        // A separate test: a `match` of all answers would compile to a jump table.
                        answer if matches!(answer, Ok(Flow::Take)) => false,
                        Ok(Flow::Take | Flow::Watch) => false,
                        Ok(Flow::Look) => {
                            if state == State::FirstKey {
                                let Some(found) = self.take_early_tag(isa, valid, pos, sink) else {
                                    let depth = self.stack.len() - 1;
                                    self.looking =
                                        Some(Looking { from: pos, depth, passing: false });
                                    leave!(Step::Again)
                                };
                                (pos, state) = found;
                                early = self.early.at.checked_sub(base).unwrap_or(NO_TAG.at);
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
        /// At the root of a stream of values, a value is valid only if it ends there. It is not
        /// reported before that is known. `$end` is the end of the value that begins at `pos`.
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
        /// Skips a string from `$from`, inside it. Yields the index after its closing quote, or
        /// leaves in `$state` if the window ends first.
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
        /// Reads the literal at `pos` that is no finite number, if there is one; yields nothing
        /// otherwise. Only where the caller takes them.
        macro_rules! non_finite {
            ($at:expr, $scalar:lifetime) => {
                match token::non_finite(text, pos) {
                    NonFinite::Is(value, end) => {
                        ends!(end, true);
                        if SKIP || sink.ignores_scalar() {
                            state = after_value!();
                            pos = end;
                            value_done!();
                            break $scalar;
                        }
                        let _ = tell!(sink.float(value, $at), after_value!(), end);
                        break $scalar;
                    }
                    NonFinite::Cut => more!("the input ends inside a literal"),
                    NonFinite::Not => {}
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
        /// Seeks members ahead from a place on. None, if the next key may be that of an early tag: it is not told again.
        macro_rules! sought {
            ($from:expr, $coming:expr) => {{
                let coming = if self.early.at == NO_TAG.at { $coming } else { &[] };
                let (token, number) = (self.token_limit, self.number_limit);
                let room = &mut self.ahead;
                ahead::seek(
                    isa.chosen(),
                    ahead::Seek { text, from: $from, coming, room, token, number, lines },
                )
            }};
        }
        /// The members that were found.
        macro_rules! found {
            ($sought:expr) => {{
                let found = &self.ahead[..$sought.found];
                Members::new(valid, base, $sought.from, $sought.keys, found)
            }};
        }
        // rule: open
        /// Opens a map or a list, whose first byte is at `pos`.
        macro_rules! open {
            ($is_map:expr, $event:ident, $state:expr) => {{
                let at = base + pos as u64;
                let depth = self.stack.len();
                if depth >= self.depth_limit {
                    fail!(token::too_deep(at, self.depth_limit));
                }
                append(&mut self.stack, $is_map);
                in_map = $is_map;
                if tell!(sink.$event(at), $state, pos + 1) {
                    skip_to!(depth);
                }
            }};
        }
        // rule: close
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

        if COMMENTS && self.comment != Comment::None {
            match comment::pass(text, pos, self.comment, last) {
                Passing::Ends(end) => (pos, self.comment) = (end, Comment::None),
                Passing::Cut(at, _) => {
                    pos = at;
                    more!(comment::INSIDE)
                }
                Passing::Not => {}
            }
        }

        // A member of a map goes straight from its key through its value to the next comma or end.
        // Only the other starting points are looked up by state.
        'step: loop {
            'next: {
                'value: {
                    'key: {
                        if matches!(state, State::FirstKey | State::Key) {
                            break 'key;
                        }
                        if matches!(state, State::Value | State::FirstElement) {
                            break 'value;
                        }
                        match state {
                            State::Key | State::FirstKey => break 'key,
                            State::Value | State::FirstElement => break 'value,
                            State::Next => break 'next,
                            // rule: colon
                            State::Colon => {
                                space!();
                                match text.get(pos) {
                                    Some(b':') => {
                                        pos += 1;
                                        state = State::Value;
                                    }
                                    Some(_) => {
                                        comment!('step);
                                        unexpected!("expected ':' after the key")
                                    }
                                    None => more!("the input ends after a key"),
                                }
                            }
                            // rule: skipped-key
                            State::SkippedKey => {
                                pos = pass_string!(pos, State::SkippedKey);
                                state = State::Colon;
                            }
                            // rule: skipped-text
                            State::SkippedText => {
                                let end = pass_string!(pos, State::SkippedText);
                                ends!(end, false);
                                state = after_value!();
                                pos = end;
                                value_done!();
                            }
                            // rule: after
                            State::After if self.framing == Framing::Document => {
                                space!();
                                if pos < text.len() {
                                    comment!('step);
                                    let expected =
                                        "expected the end of the document after the value";
                                    unexpected!(expected);
                                }
                                leave!(if last { Step::Done } else { Step::More });
                            }
                            State::After => state = State::Root,
                            // rule: root
                            State::Root => {
                                pos = isa.space(text, pos);
                                self.begun = base + pos as u64;
                                let sequence = self.framing == Framing::Sequence;
                                match text.get(pos) {
                                    // Files that were joined bring theirs along.
                                    Some(&0xEF)
                                        if self.framing != Framing::Document
                                            && text[pos..].starts_with(UTF8_BOM) =>
                                    {
                                        pos += UTF8_BOM.len();
                                    }
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
                            // rule: lost
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
                    // rule: key
                    space!();
                    if !SKIP {
                        if pos as u64 == early {
                            pos = (self.early.end - base) as usize;
                            self.early = NO_TAG;
                            early = NO_TAG.at;
                            state = State::Next;
                            break 'next;
                        }
                        let coming = sink.members_ahead();
                        // Part of the key may have been scanned.
                        if !coming.is_empty() && self.partial.scanned == 0 {
                            let sought = sought!(pos, coming);
                            if sought.keys > 0 {
                                let members = found!(sought);
                                let _ = tell!(sink.members(&members), State::Next, sought.end);
                                break 'next;
                            }
                        }
                        let expected = sink.expected_key();
                        if !expected.is_empty() && stands_at(text, pos, expected) {
                            // An earlier window may have scanned part of it as an unknown key.
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
                        Some(b'}') if state == State::FirstKey || COMMENTS => {
                            close!(end_map);
                            continue 'step;
                        }
                        Some(_) => {
                            comment!('step);
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
                // rule: value
                space!();
                let Some(&byte) = text.get(pos) else {
                    more!("the input ends where a value is expected")
                };
                let at = base + pos as u64;
                'scalar: {
                    match byte {
                        // rule: string
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
                                // If the end of the line is not in the window yet, this avoids
                                // scanning the string again.
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
                            let ahead = if SKIP { &[][..] } else { sink.object_ahead() };
                            if ahead.is_empty() || self.stack.len() >= self.depth_limit {
                                open!(true, begin_map, State::FirstKey);
                                continue 'step;
                            }
                            let sought = sought!(pos + 1, ahead);
                            let is_record =
                                self.stack.is_empty() && self.framing != Framing::Document;
                            let ends = sought.brace.filter(|brace| {
                                // If it does not, or the window does not say so, that is found again
                                // behind the members: so no text is read again and again.
                                let ends = !is_record
                                    || matches!(
                                        self.value_ends(text, pos, brace + 1, last, false),
                                        Ok(true)
                                    );
                                self.trailing = 0;
                                ends
                            });
                            if let Some(brace) = ends {
                                let (members, end) = (found!(sought), base + brace as u64);
                                let told = sink.object(&members, at, end);
                                let _ = tell!(told, after_value!(), brace + 1);
                                break 'scalar;
                            }
                            open!(true, begin_map, State::FirstKey);
                            if sought.keys > 0 {
                                let members = found!(sought);
                                let _ = tell!(sink.members(&members), State::Next, sought.end);
                            }
                            continue 'step;
                        }
                        b'[' => {
                            open!(false, begin_list, State::FirstElement);
                            continue 'step;
                        }
                        // rule: number
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
                            let bad =
                                || matches!(scanned.outcome, Outcome::Bad { at, .. } if at < end);
                            if end == text.len() && !last && !bad() {
                                match self.number_goes_on(text, pos) {
                                    Ok(()) => leave!(Step::More),
                                    Err(fault) => fail!(fault),
                                }
                            }
                            if end - pos > self.number_limit {
                                fail!(token::number_too_long(at, self.number_limit));
                            }
                            match scanned.outcome {
                                Outcome::Bad { at: bad, reason } => {
                                    if self.non_finite {
                                        non_finite!(at, 'scalar);
                                    }
                                    let at = bad;
                                    if !last && !self.cut_off && token::is_cut(text, at) {
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
                        // rule: literal
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
                        b']' if state == State::FirstElement
                            // Behind the last comma of a list; a value at the root and one of a key must come.
                            || COMMENTS && !in_map && !self.stack.is_empty() =>
                        {
                            close!(end_list);
                            continue 'step;
                        }
                        _ => {
                            comment!('step);
                            let expected = match (state, byte) {
                                (State::FirstElement, _) => "expected a value or ']'",
                                (_, b']') if !in_map && !self.stack.is_empty() => {
                                    "expected a value after ','"
                                }
                                _ => "expected a value",
                            };
                            if self.non_finite {
                                non_finite!(at, 'scalar);
                            }
                            if !last && !self.cut_off && token::is_cut(text, pos) {
                                leave!(Step::More);
                            }
                            fail!(token::no_value(text, pos, base, expected))
                        }
                    }
                }
                if self.stack.is_empty() {
                    continue 'step;
                }
            }
            // rule: next
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
                    comment!('step);
                    unexpected!("expected ',' or '}'")
                }
                (_, false) => {
                    comment!('step);
                    unexpected!("expected ',' or ']'")
                }
            }
        }
    }
}
