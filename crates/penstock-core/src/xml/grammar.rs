//! The rules of XML, in one function. `reader.rs` lists its invariants.
//!
//! Each rule has a name: search for `rule:`. A rule's code reaches from its name to the next one.

use penstock_scan::{Isa, ValidText, make_room, stands_at};

use super::prolog;
use super::reader::{NOWHERE, Reader, State};
use super::reference::CutReference;
use super::tag::{Locus, Stop};
use super::text::{Next, Rough};
use super::token;
use crate::error::{Fail, Fault};
use crate::event::{Scalar, Text};
use crate::protocol::{Flow, Listener, Step};

/// The steps of reporting a start tag: its name, its beginning, and then the name and the value of
/// each attribute.
const TELL_NAME: usize = 0;
const TELL_BEGIN: usize = 1;
const TELL_ATTRIBUTES: usize = 2;

impl Reader {
    /// The grammar. `SKIP` compiles a copy that reports no events.
    #[inline(always)]
    pub(super) fn drive<I: Isa, S: Listener + ?Sized, const SKIP: bool>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        last: bool,
        locus: Locus,
        sink: &mut S,
    ) -> Result<Step, Fail<S::Error>> {
        let text = valid.as_bytes();
        let mut pos = self.place();
        let mut state = self.state;

        /// Saves the state, and returns.
        macro_rules! leave {
            ($step:expr) => {{
                self.stand(pos, state);
                return Ok($step);
            }};
        }
        /// Returns a fault.
        macro_rules! fail {
            ($fault:expr) => {{
                self.stand(pos, state);
                return Err(Fail::Input($fault));
            }};
        }
        /// Returns the fault of a part of the reader, if it has one.
        macro_rules! checked {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(fault) => fail!(fault),
                }
            };
        }
        /// The window ends inside a construct that `$what` names.
        macro_rules! more {
            ($what:expr) => {{
                if last {
                    fail!(self.ends_inside(text.len(), locus, $what));
                }
                leave!(Step::More)
            }};
        }
        /// Reports an event, and moves to `$state` and `$pos` whatever the answer is. Yields the
        /// answer, unless it makes the reader return.
        macro_rules! tell {
            ($event:expr, $state:expr, $pos:expr) => {{
                let answer = $event;
                state = $state;
                pos = $pos;
                match answer {
                    Ok(Flow::Look) => Flow::Take,
                    Ok(flow @ (Flow::Take | Flow::Skip | Flow::Watch)) => flow,
                    Ok(Flow::Pause) => leave!(Step::Paused),
                    Ok(Flow::Stop) => leave!(Step::Stopped),
                    Err(error) => {
                        self.stand(pos, state);
                        return Err(Fail::Sink(error));
                    }
                }
            }};
        }
        /// An element has ended, and is no longer open. This may end a skipped part, or the element
        /// that woke the sink.
        macro_rules! ended {
            () => {
                if self.open.depth() == 0 {
                    state = State::Outside;
                }
                if SKIP {
                    if self.open.depth() == self.skip_to {
                        self.arrive();
                        leave!(Step::Again);
                    }
                } else if self.falls_asleep() {
                    leave!(Step::Again);
                }
            };
        }
        /// The same, and reports the end of the element. If the element woke the sink, the reader
        /// skips again, whatever the answer is.
        macro_rules! end {
            ($at:expr, $pos:expr) => {
                if SKIP {
                    pos = $pos;
                    ended!();
                } else {
                    let asleep = self.falls_asleep();
                    tell!(sink.end_map($at), self.outside(), $pos);
                    if asleep {
                        leave!(Step::Again);
                    }
                }
            };
        }
        /// More of some incomplete markup has come: whether to wait for still more.
        macro_rules! waits {
            () => {
                if self.partial.scanned > 0 {
                    if !last
                        && text.len() - pos <= self.limits.tag
                        && self.partial.finds_end(text, pos, false).is_none()
                    {
                        leave!(Step::More);
                    }
                    self.partial.forget();
                }
            };
        }
        /// The end of the window cuts markup: waits for more of it.
        macro_rules! cut {
            ($what:expr) => {{
                if text.len() - pos > self.limits.tag {
                    fail!(token::tag_too_long(locus.at(pos), self.limits.tag));
                }
                if !last {
                    self.partial.finds_end(text, pos, false);
                }
                more!($what)
            }};
        }

        /// A comment begins.
        macro_rules! comment {
            () => {{
                if !SKIP && self.tells(sink.extras()) {
                    match checked!(self.whole(text, pos, 4, b"--", locus)) {
                        Some(end) if text.get(end + 2) == Some(&b'>') => {
                            checked!(self.characters(isa, text, pos..end, locus));
                            let inside = self.resolved(valid.slice(pos + 4..end), locus);
                            let at = locus.at(pos);
                            tell!(sink.comment(inside, at), self.outside(), end + 3);
                            continue;
                        }
                        // Otherwise the other rule reports the fault.
                        Some(end) if last || end + 2 < text.len() => {}
                        None if last => {}
                        _ => more!("a comment"),
                    }
                }
                pos += 4;
                state = State::Comment;
            }};
        }
        /// A processing instruction begins.
        macro_rules! instruction {
            () => {{
                match self.target(isa, valid, pos, locus) {
                    Ok(target) if !SKIP && self.tells(sink.extras()) => {
                        let found = checked!(self.whole(text, pos, target - pos, b"?>", locus));
                        let Some(end) = found else {
                            if last {
                                // Otherwise the other rule reports the fault.
                                (pos, state) = (target, State::Instruction);
                                continue;
                            }
                            leave!(Step::More)
                        };
                        checked!(self.characters(isa, text, pos..end, locus));
                        let name = valid.slice(pos + 2..target);
                        let name = Text { text: name, ascii: name.as_bytes().is_ascii() };
                        let data = isa.space(text, target).min(end);
                        let data = self.resolved(valid.slice(data..end), locus);
                        let at = locus.at(pos);
                        tell!(sink.instruction(name, data, at), self.outside(), end + 2);
                    }
                    Ok(target) => {
                        pos = target;
                        state = State::Instruction;
                    }
                    Err(Stop::Fault(fault)) => fail!(fault),
                    Err(Stop::Cut) => more!("a processing instruction"),
                }
            }};
        }

        loop {
            match state {
                State::Content => {
                    // rule: text
                    // Text, up to markup.
                    let found = isa.xml_text(text, pos);
                    if text.get(found.at) == Some(&b'<') {
                        if !SKIP && found.at > pos {
                            let piece =
                                Text { text: valid.slice(pos..found.at), ascii: found.ascii };
                            tell!(sink.piece(piece, locus.at(pos)), State::Content, found.at);
                        }
                        pos = found.at;
                    } else {
                        let rough = checked!(self.rough_text(isa, valid, pos, last, locus));
                        let Rough { end, next, touched, ascii } = rough;
                        let mut answer = Ok(Flow::Take);
                        if !SKIP && (touched || end > pos) {
                            let text =
                                if touched { self.scratch.text() } else { valid.slice(pos..end) };
                            if !text.as_bytes().is_empty() {
                                answer = sink.piece(Text { text, ascii }, locus.at(pos));
                            }
                        }
                        // The entity is entered whatever the answer is.
                        let (more, faulty) = match next {
                            Next::Markup => (false, false),
                            Next::More => (true, false),
                            Next::Fault => (false, true),
                            Next::Entity(entity) => {
                                self.stand(entity.range.end, state);
                                self.enter(entity, locus)?;
                                return match answer {
                                    Ok(Flow::Pause) => Ok(Step::Paused),
                                    Ok(Flow::Stop) => Ok(Step::Stopped),
                                    Ok(_) => Ok(Step::Again),
                                    Err(error) => Err(Fail::Sink(error)),
                                };
                            }
                        };
                        tell!(answer, State::Content, end);
                        if faulty {
                            continue;
                        }
                        if more {
                            if locus.is_fixed() {
                                // The end of the entity.
                                self.stand(pos, state);
                                self.leave_entity()?;
                                return Ok(Step::Again);
                            }
                            if last {
                                let end = locus.at(text.len());
                                fail!(token::unclosed(end, self.open.top()));
                            }
                            leave!(Step::More)
                        }
                    }
                    // Markup.
                    match text.get(pos + 1) {
                        // rule: end-tag
                        Some(b'/') => {
                            let name = self.open.top();
                            let end = pos + 2 + name.len();
                            if stands_at(text, pos + 2, name) && text.get(end) == Some(&b'>') {
                                let tag = pos;
                                pos = end + 1;
                                self.partial.forget();
                                checked!(self.close(tag, locus));
                                end!(locus.at(tag), pos);
                            } else {
                                waits!();
                                match self.end_tag(isa, valid, pos, locus) {
                                    Ok(end) if end - pos > self.limits.tag => {
                                        fail!(token::tag_too_long(locus.at(pos), self.limits.tag))
                                    }
                                    Ok(end) => {
                                        let tag = pos;
                                        pos = end;
                                        checked!(self.close(tag, locus));
                                        end!(locus.at(tag), pos);
                                    }
                                    Err(Stop::Fault(fault)) => fail!(fault),
                                    Err(Stop::Cut) => cut!("an end tag"),
                                }
                            }
                        }
                        Some(b'!') => {
                            let rest = &text[pos + 2..];
                            if rest.starts_with(b"--") {
                                comment!();
                            } else if rest.starts_with(b"[CDATA[") {
                                pos += 9;
                                state = State::Cdata;
                            } else if !last
                                && (b"--".starts_with(rest) || b"[CDATA[".starts_with(rest))
                            {
                                leave!(Step::More)
                            } else {
                                let reason = "expected a comment or a CDATA section after '<!'";
                                fail!(Fault::malformed(locus.at(pos), reason));
                            }
                        }
                        Some(b'?') => {
                            instruction!();
                        }
                        None => more!("a tag"),
                        // rule: start-tag
                        Some(_) => {
                            waits!();
                            match self.tag.read(isa, valid, pos, &self.rules, locus) {
                                Ok(()) => {}
                                // This must not depend on how much of it has come.
                                Err(Stop::Fault(fault))
                                    if fault.offset() > locus.at(pos + self.limits.tag) =>
                                {
                                    fail!(token::tag_too_long(locus.at(pos), self.limits.tag));
                                }
                                Err(Stop::Fault(fault)) => fail!(fault),
                                Err(Stop::Cut) => cut!("a tag"),
                            }
                            if self.tag.end > self.limits.tag {
                                fail!(token::tag_too_long(locus.at(pos), self.limits.tag));
                            }
                            checked!(self.begin(valid, pos, locus));
                            if !SKIP {
                                state = State::Telling(TELL_NAME);
                                continue;
                            }
                            if self.watching {
                                let tag = &text[pos + 1..pos + self.tag.name_end];
                                let local = &tag[self.tag.colon..];
                                if sink.wakes(local) {
                                    make_room(&mut self.woken, 1);
                                    self.woken.push(self.open.depth());
                                    self.skip_to = NOWHERE;
                                    self.watching = false;
                                    state = State::Telling(TELL_NAME);
                                    leave!(Step::Again);
                                }
                            }
                            pos += self.tag.end;
                            if self.tag.empty {
                                self.end_element();
                                ended!();
                            }
                        }
                    }
                }
                // rule: telling
                State::Telling(step) => {
                    if SKIP {
                        pos += self.tag.end;
                        state = State::Content;
                        if self.tag.empty {
                            self.end_element();
                            ended!();
                        }
                        continue;
                    }
                    let here = valid.slice(pos..pos + self.tag.end);
                    let at = locus.at(pos);
                    if step < TELL_ATTRIBUTES {
                        let flow = if step == TELL_NAME {
                            let key = self.element_key(here);
                            tell!(sink.name(key, at), State::Telling(TELL_BEGIN), pos)
                        } else {
                            let next = State::Telling(TELL_ATTRIBUTES);
                            tell!(sink.begin_map(at), next, pos)
                        };
                        if flow != Flow::Take {
                            let depth = self.open.depth() - 1;
                            pos += self.tag.end;
                            state = State::Content;
                            if self.tag.empty {
                                self.end_element();
                                ended!();
                                continue;
                            }
                            // Most skipped elements are leaves, and are skipped at once.
                            let end = isa.xml_text(text, pos).at;
                            let name = self.open.top();
                            let behind = end + 2 + name.len();
                            if text.get(end..end + 2) == Some(b"</")
                                && stands_at(text, end + 2, name)
                                && text.get(behind) == Some(&b'>')
                            {
                                checked!(self.close(end, locus));
                                pos = behind + 1;
                                ended!();
                                continue;
                            }
                            self.skip_to = depth;
                            if flow == Flow::Watch {
                                make_room(&mut self.watches, 1);
                                self.watches.push(depth);
                                self.watching = true;
                            }
                            leave!(Step::Again);
                        }
                        continue;
                    }
                    // Where to continue after a pause: at an attribute, or at its value.
                    let mut index = (step - TELL_ATTRIBUTES) / 2;
                    let mut named = !(step - TELL_ATTRIBUTES).is_multiple_of(2);
                    while let Some(&attribute) = self.tag.attributes.get(index) {
                        let step = TELL_ATTRIBUTES + 2 * index;
                        let place = if attribute.default { 0 } else { attribute.name as usize };
                        if !named {
                            let Some(key) = self.attribute_key(here, &attribute) else {
                                index += 1;
                                continue;
                            };
                            let at = locus.at(pos + place);
                            let flow = tell!(sink.name(key, at), State::Telling(step + 1), pos);
                            if flow != Flow::Take {
                                index += 1;
                                continue;
                            }
                        }
                        named = false;
                        let text = self.tag.value_in(here, &attribute);
                        let ascii = attribute.ascii || text.as_bytes().is_ascii();
                        let value = Scalar::Untyped(Text { text, ascii });
                        // The offset is that of the quote before the value.
                        let place = match (attribute.default, attribute.resolved) {
                            (true, _) => 0,
                            (false, true) => {
                                let behind = attribute.name_end as usize;
                                let rest = &here.as_bytes()[behind..];
                                behind + memchr::memchr2(b'"', b'\'', rest).unwrap_or(0)
                            }
                            (false, false) => attribute.value as usize - 1,
                        };
                        let at = locus.at(pos + place);
                        tell!(sink.scalar(value, at), State::Telling(step + 2), pos);
                        index += 1;
                    }
                    let end = pos + self.tag.end;
                    if self.tag.empty {
                        self.end_element();
                        end!(locus.at(end - 2), end);
                    } else {
                        pos = end;
                        state = State::Content;
                    }
                }
                // rule: cdata
                State::Cdata => {
                    let end = memchr::memmem::find(&text[pos..], b"]]>").map(|found| pos + found);
                    let to = end.unwrap_or_else(|| token::held_back(text, pos, b"]]"));
                    let piece =
                        checked!(self.raw_text(isa, valid, pos..to, last || end.is_some(), locus));
                    let stop = piece.end;
                    let after = if end == Some(stop) {
                        (stop + 3, State::Content)
                    } else {
                        (stop, State::Cdata)
                    };
                    let is_faulty = matches!(piece.next, Next::Fault);
                    let text =
                        if piece.touched { self.scratch.text() } else { valid.slice(pos..stop) };
                    if !SKIP && !text.as_bytes().is_empty() {
                        let piece = Text { text, ascii: piece.ascii };
                        tell!(sink.piece(piece, locus.at(pos)), after.1, after.0);
                    } else {
                        (pos, state) = after;
                    }
                    if state == State::Cdata && !is_faulty {
                        more!("a CDATA section");
                    }
                }
                // rule: comment
                State::Comment => {
                    let end = memchr::memmem::find(&text[pos..], b"--").map(|found| pos + found);
                    let to = end.unwrap_or_else(|| token::held_back(text, pos, b"-"));
                    checked!(self.characters(isa, text, pos..to, locus));
                    pos = to;
                    match end.map(|end| text.get(end + 2)) {
                        Some(Some(b'>')) => {
                            pos += 3;
                            state = self.outside();
                        }
                        Some(Some(_)) => {
                            let reason = "'--' is not allowed in a comment";
                            fail!(Fault::malformed(locus.at(pos), reason));
                        }
                        _ => more!("a comment"),
                    }
                }
                // rule: instruction
                State::Instruction => {
                    let end = memchr::memmem::find(&text[pos..], b"?>").map(|found| pos + found);
                    let to = end.unwrap_or_else(|| token::held_back(text, pos, b"?"));
                    checked!(self.characters(isa, text, pos..to, locus));
                    pos = to;
                    if end.is_none() {
                        more!("a processing instruction");
                    }
                    pos += 2;
                    state = self.outside();
                }
                // rule: declaration
                State::Start => {
                    const BEGIN: &[u8] = b"<?xml";
                    let begins = text.get(pos..pos + 6).is_some_and(|head| {
                        head.starts_with(BEGIN) && matches!(head[5], b' ' | b'\t' | b'\n' | b'\r')
                    });
                    if begins {
                        let found = checked!(self.whole(text, pos, 5, b"?>", locus));
                        let Some(end) = found else { more!("the XML declaration") };
                        let whole = valid.slice(pos..end + 2);
                        let said =
                            checked!(prolog::declaration(whole, Locus::document(locus.at(pos))));
                        self.standalone = said.standalone;
                        pos = end + 2;
                    } else if !last
                        && text.len() - pos < 6
                        && BEGIN.starts_with(&text[pos..text.len().min(pos + 5)])
                    {
                        leave!(Step::More);
                    }
                    state = State::Outside;
                }
                // rule: outside
                State::Outside => {
                    pos = isa.space(text, pos);
                    match (text.get(pos), text.get(pos + 1)) {
                        (None, _) if !last => leave!(Step::More),
                        (None, _) if self.seen_root => {
                            state = State::Done;
                        }
                        (None, _) => {
                            let reason = "the input ends before the root element";
                            fail!(Fault::truncated(locus.at(pos), reason));
                        }
                        (Some(b'<'), None) if !last => leave!(Step::More),
                        (Some(b'<'), Some(b'/')) if !self.seen_root => {
                            let reason = "an end tag before the root element";
                            fail!(Fault::malformed(locus.at(pos), reason));
                        }
                        (Some(b'<'), Some(b'?')) => {
                            if self.junk_instruction(isa, valid, pos, last, locus) {
                                state = State::Done;
                                continue;
                            }
                            instruction!();
                        }
                        (Some(b'<'), Some(b'!')) => {
                            let rest = &text[pos + 2..];
                            if rest.starts_with(b"--") {
                                comment!();
                            } else if !last
                                && (b"--".starts_with(rest) || b"DOCTYPE".starts_with(rest))
                            {
                                leave!(Step::More)
                            } else if self.junk(pos, locus) {
                                state = State::Done;
                            } else if rest.starts_with(b"DOCTYPE")
                                && !self.seen_doctype
                                && !self.seen_root
                            {
                                match self.partial.finds_end(text, pos, true) {
                                    Some(end) if end + 1 - pos > self.limits.tag => {
                                        fail!(token::tag_too_long(locus.at(pos), self.limits.tag))
                                    }
                                    Some(end) => {
                                        checked!(self.doctype(valid, pos..end, locus));
                                        self.in_subset = text[end] == b'[';
                                        pos = end + 1;
                                        state = self.outside();
                                    }
                                    None if text.len() - pos > self.limits.tag => {
                                        fail!(token::tag_too_long(locus.at(pos), self.limits.tag))
                                    }
                                    None => more!("the document type declaration"),
                                }
                            } else {
                                let reason = if rest.starts_with(b"DOCTYPE") {
                                    "a document type declaration is only allowed once, before the root element"
                                } else {
                                    "expected a comment or a document type declaration after '<!'"
                                };
                                fail!(Fault::malformed(locus.at(pos), reason));
                            }
                        }
                        (Some(b'<'), None) if !self.seen_root => more!("a tag"),
                        (Some(b'<'), Some(_)) if !self.seen_root => {
                            self.seen_root = true;
                            state = State::Content;
                        }
                        _ if self.junk(pos, locus) => state = State::Done,
                        _ => fail!(token::outside(text, pos, locus, self.seen_root)),
                    }
                }
                // rule: subset
                State::Subset => {
                    pos = isa.space(text, pos);
                    match text.get(pos) {
                        None if locus.is_fixed() => {
                            self.stand(pos, state);
                            self.leave_entity()?;
                            return Ok(Step::Again);
                        }
                        None => more!("the document type declaration"),
                        Some(b']') if !locus.is_fixed() => {
                            pos += 1;
                            self.in_subset = false;
                            state = State::AfterSubset;
                        }
                        Some(b'%')
                            if self.cut_reference.is_some()
                                && self.is_cut(text, pos, last, locus) =>
                        {
                            leave!(Step::More)
                        }
                        Some(b'%') => match self.parameter(isa, valid, pos, locus) {
                            Ok((end, entity)) => {
                                pos = end;
                                if let Some(entity) = entity {
                                    self.stand(pos, state);
                                    self.enter(entity, locus)?;
                                    return Ok(Step::Again);
                                }
                            }
                            Err(Stop::Fault(fault)) => fail!(fault),
                            Err(Stop::Cut) => {
                                self.cut_reference = Some(CutReference::new(text, pos, locus));
                                more!("a parameter-entity reference")
                            }
                        },
                        Some(b'<') => match text.get(pos + 1) {
                            Some(b'?') => {
                                instruction!();
                            }
                            Some(b'!') if text[pos + 2..].starts_with(b"--") => comment!(),
                            Some(b'!') if text[pos + 2..].starts_with(b"[") => {
                                let reason =
                                    "conditional sections are not allowed in the internal subset";
                                fail!(Fault::malformed(locus.at(pos), reason));
                            }
                            Some(b'!') if text.len() - pos < 4 && !last => leave!(Step::More),
                            Some(b'!') => match self.partial.finds_end(text, pos, false) {
                                Some(end) if end + 1 - pos > self.limits.tag => {
                                    fail!(token::tag_too_long(locus.at(pos), self.limits.tag))
                                }
                                Some(end) => {
                                    checked!(self.declare(valid.slice(pos..end + 1), pos, locus));
                                    pos = end + 1;
                                }
                                None if text.len() - pos > self.limits.tag => {
                                    fail!(token::tag_too_long(locus.at(pos), self.limits.tag))
                                }
                                None => more!("a declaration"),
                            },
                            None => more!("the document type declaration"),
                            Some(_) => {
                                let reason =
                                    "an element is not allowed in a document type declaration";
                                fail!(Fault::malformed(locus.at(pos), reason));
                            }
                        },
                        Some(_) => {
                            let reason = "expected a declaration or ']'";
                            fail!(Fault::malformed(locus.at(pos), reason));
                        }
                    }
                }
                // rule: after-subset
                State::AfterSubset => {
                    pos = isa.space(text, pos);
                    match text.get(pos) {
                        Some(b'>') => {
                            pos += 1;
                            state = State::Outside;
                        }
                        Some(_) => {
                            let reason = "expected '>' after ']'";
                            fail!(Fault::malformed(locus.at(pos), reason));
                        }
                        None => more!("the document type declaration"),
                    }
                }
                // rule: lost-subset
                State::LostSubset => match memchr::memchr(b']', &text[pos..]) {
                    Some(found) => {
                        let end = isa.space(text, pos + found + 1);
                        match text.get(end) {
                            Some(b'>') => {
                                pos = end + 1;
                                state = State::Outside;
                            }
                            None if !last => {
                                pos += found;
                                leave!(Step::More)
                            }
                            _ => pos += found + 1,
                        }
                    }
                    None => {
                        pos = text.len();
                        more!("the document type declaration")
                    }
                },
                State::Done => {
                    pos = text.len();
                    leave!(Step::Done)
                }
            }
        }
    }
}
