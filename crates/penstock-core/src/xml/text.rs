//! Character data: resolves it, and rejects characters that are not allowed.

use std::ops::Range;
use std::sync::Arc;

use penstock_scan::{Isa, Job, ValidText, make_room};

use super::dtd::Missing;
use super::html_entities;
use super::names::is_char;
use super::options::Unresolved;
use super::reader::Reader;
use super::reference::{CutReference, Reference, reference};
use super::tag::{Locus, Stop, bad_character, is_noncharacter};
use crate::error::Fault;
use crate::event::Text;
use crate::repair::{Repair, RepairKind};

/// What follows a piece of text.
#[derive(Debug)]
pub(super) enum Next {
    /// A `<`.
    Markup,
    /// The end of the window, or bytes that cannot be judged before more have arrived.
    More,
    /// A fault, which the next call reports. The text before it comes first, also if it is at hand
    /// only now: whether a sink refuses it does not depend on how the input was cut.
    Fault,
    /// The replacement text of an entity.
    Entity(Reached),
}

/// A reference to an entity.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) name: Box<str>,
    pub(super) text: Arc<Box<str>>,
    /// The beginning and the end of the reference in the window.
    pub(super) range: Range<usize>,
}

/// A piece of text that needed more than copying.
#[derive(Debug)]
pub(super) struct Rough {
    /// Its end in the window.
    pub(super) end: usize,
    pub(super) next: Next,
    /// True if its resolved form is in the scratch buffer, false if it stays as written.
    pub(super) touched: bool,
    pub(super) ascii: bool,
}

/// [`Reader::rough_text`], out of line.
struct RoughText<'a> {
    reader: &'a mut Reader,
    text: ValidText<'a>,
    pos: usize,
    last: bool,
    locus: Locus,
}

impl Job for RoughText<'_> {
    type Output = Result<Rough, Fault>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        self.reader.read_rough_text(isa, self.text, self.pos, self.last, self.locus)
    }
}

/// [`Reader::raw_text`], out of line.
struct RawText<'a> {
    reader: &'a mut Reader,
    text: ValidText<'a>,
    range: Range<usize>,
    complete: bool,
    locus: Locus,
}

impl Job for RawText<'_> {
    type Output = Result<Rough, Fault>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        self.reader.read_raw_text(isa, self.text, self.range, self.complete, self.locus)
    }
}

/// [`Reader::characters`], out of line.
struct Characters<'a> {
    reader: &'a mut Reader,
    text: &'a [u8],
    from: usize,
    locus: Locus,
}

impl Job for Characters<'_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Characters { reader, text, from: mut at, locus } = self;
        loop {
            at = isa.xml_text(text, at).at;
            match text.get(at) {
                None => return Ok(()),
                Some(b'<' | b'&' | b']' | b'\r') => at += 1,
                Some(0xEF) if !is_noncharacter(text, at) => at += 3,
                Some(&byte) if reader.rules.control => {
                    reader.note_repair(RepairKind::ControlCharacter, locus.at(at));
                    at += if byte == 0xEF { 3 } else { 1 };
                }
                Some(_) => return Err(bad_character(text, at, locus)),
            }
        }
    }
}

impl Reader {
    /// Reads text from `pos` to the next markup, or to the end of the window.
    #[inline(always)]
    pub(super) fn rough_text<I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        pos: usize,
        last: bool,
        locus: Locus,
    ) -> Result<Rough, Fault> {
        isa.enter(RoughText { reader: self, text, pos, last, locus })
    }

    #[inline(always)]
    fn read_rough_text<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        last: bool,
        locus: Locus,
    ) -> Result<Rough, Fault> {
        let text = valid.as_bytes();
        let (mut touched, mut ascii) = (false, true);
        // The text before `plain` is in the scratch buffer, if the buffer was used.
        let (mut at, mut plain) = (pos, pos);
        self.scratch.clear();
        /// Copies the plain text up to `$to` to the scratch buffer.
        macro_rules! flush {
            ($to:expr) => {{
                self.scratch.push_text(valid.slice(plain..$to));
                touched = true;
            }};
        }
        macro_rules! fault {
            ($fault:expr) => {{
                if at > pos {
                    break (at, Next::Fault);
                }
                return Err($fault);
            }};
        }
        let (end, next) = loop {
            let found = isa.xml_text(text, at);
            ascii &= found.ascii;
            at = found.at;
            match text.get(at) {
                None => break (at, Next::More),
                Some(b'<') => break (at, Next::Markup),
                Some(b']') => match &text[at..] {
                    [b']', b']', b'>', ..] => {
                        let reason = "']]>' is not allowed in text: write ']]&gt;'";
                        fault!(Fault::malformed(locus.at(at), reason))
                    }
                    [b']'] | [b']', b']'] if !last => break (at, Next::More),
                    _ => at += 1,
                },
                // In an entity, line ends were resolved when it was declared.
                Some(b'\r') if locus.is_fixed() => at += 1,
                Some(b'\r') => match text.get(at + 1) {
                    None if !last => break (at, Next::More),
                    next => {
                        flush!(at);
                        self.scratch.push_char('\n');
                        at += if next == Some(&b'\n') { 2 } else { 1 };
                        plain = at;
                    }
                },
                Some(b'&')
                    if self.cut_reference.is_some() && self.is_cut(text, at, last, locus) =>
                {
                    break (at, Next::More);
                }
                Some(b'&') => match reference(isa, valid, at, &self.rules, self.options, locus) {
                    Err(Stop::Cut) if !last => {
                        self.cut_reference = Some(CutReference::new(text, at, locus));
                        break (at, Next::More);
                    }
                    Err(Stop::Cut) => {
                        fault!(self.ends_inside(text.len(), locus, "a reference"))
                    }
                    Err(Stop::Fault(fault)) => fault!(fault),
                    Ok(Reference::Char { char, end, repair }) => {
                        flush!(at);
                        if let Some(kind) = repair {
                            self.note_repair(kind, locus.at(at));
                        }
                        if let Some(char) = char {
                            ascii &= char.is_ascii();
                            self.scratch.push_char(char);
                        }
                        (at, plain) = (end, end);
                    }
                    Ok(Reference::Bare) => {
                        self.note_repair(RepairKind::BareAmpersand, locus.at(at));
                        at += 1;
                    }
                    Ok(Reference::Entity { end }) => {
                        let name = valid.slice(at + 1..end - 1).as_str();
                        if let Some((char, more)) =
                            html_entities::repaired(self.options, &self.dtd, name)
                        {
                            flush!(at);
                            self.note_repair(RepairKind::HtmlEntity, locus.at(at));
                            for char in [Some(char), more].into_iter().flatten() {
                                ascii &= char.is_ascii();
                                self.scratch.push_char(char);
                            }
                            (at, plain) = (end, end);
                            continue;
                        }
                        match self.general(name, at, locus) {
                            Ok(Some(text)) => {
                                let name = name.into();
                                let reached = Reached { name, text, range: at..end };
                                break (at, Next::Entity(reached));
                            }
                            // The reference stays as written.
                            Ok(None) => {
                                ascii &= name.is_ascii();
                                at = end;
                            }
                            Err(fault) => fault!(fault),
                        }
                    }
                },
                Some(0xEF) if !is_noncharacter(text, at) => {
                    ascii = false;
                    at += 3;
                }
                Some(&byte) => {
                    if !self.rules.control {
                        fault!(bad_character(text, at, locus));
                    }
                    flush!(at);
                    self.note_repair(RepairKind::ControlCharacter, locus.at(at));
                    at += if byte == 0xEF { 3 } else { 1 };
                    plain = at;
                }
            }
        };
        if touched {
            flush!(end);
        }
        Ok(Rough { end, next, touched, ascii })
    }

    /// Whether the window still ends inside the reference that the last one ended in. If not, that
    /// reference is forgotten.
    #[cold]
    pub(super) fn is_cut(&mut self, text: &[u8], at: usize, last: bool, locus: Locus) -> bool {
        let Some(mut cut) = self.cut_reference.take() else { return false };
        let goes_on = !last && cut.goes_on(text, at, locus, &self.rules);
        self.cut_reference = goes_on.then_some(cut);
        goes_on
    }

    /// Notes a repair that is made at this offset.
    #[cold]
    #[inline(never)]
    fn note_repair(&mut self, kind: RepairKind, offset: u64) {
        make_room(&mut self.made, 1);
        self.made.push(Repair { kind, offset });
    }

    /// The replacement text of a general entity; none if the reference stays as written.
    fn general(&self, name: &str, at: usize, locus: Locus) -> Result<Option<Arc<Box<str>>>, Fault> {
        match self.dtd.text(name, self.open_ended && !self.standalone) {
            Ok(text) => Ok(Some(text.clone())),
            Err(Missing::Outside(_)) if self.options.unresolved == Unresolved::Text => Ok(None),
            Err(Missing::Outside(reason) | Missing::Undeclared(reason)) => {
                Err(Fault::malformed(locus.at(at), reason))
            }
        }
    }

    /// Reads the text of a CDATA section in `range`. With `complete`, no character of it depends on
    /// the bytes that follow.
    #[inline(always)]
    pub(super) fn raw_text<I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'_>,
        range: Range<usize>,
        complete: bool,
        locus: Locus,
    ) -> Result<Rough, Fault> {
        isa.enter(RawText { reader: self, text, range, complete, locus })
    }

    #[inline(always)]
    fn read_raw_text<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        range: Range<usize>,
        complete: bool,
        locus: Locus,
    ) -> Result<Rough, Fault> {
        let text = &valid.as_bytes()[..range.end];
        let (mut touched, mut ascii) = (false, true);
        let (mut at, mut plain) = (range.start, range.start);
        self.scratch.clear();
        let (end, next) = loop {
            let found = isa.xml_text(text, at);
            ascii &= found.ascii;
            at = found.at;
            match text.get(at) {
                None => break (at, Next::More),
                Some(b'<' | b'&' | b']') => at += 1,
                Some(b'\r') if locus.is_fixed() => at += 1,
                Some(b'\r') if at + 1 == text.len() && !complete => break (at, Next::More),
                Some(b'\r') => {
                    self.scratch.push_text(valid.slice(plain..at));
                    self.scratch.push_char('\n');
                    touched = true;
                    at += if text.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                    plain = at;
                }
                Some(0xEF) if !is_noncharacter(text, at) => {
                    ascii = false;
                    at += 3;
                }
                Some(&byte) => {
                    if !self.rules.control && at > range.start {
                        break (at, Next::Fault);
                    }
                    if !self.rules.control {
                        return Err(bad_character(text, at, locus));
                    }
                    self.note_repair(RepairKind::ControlCharacter, locus.at(at));
                    self.scratch.push_text(valid.slice(plain..at));
                    touched = true;
                    at += if byte == 0xEF { 3 } else { 1 };
                    plain = at;
                }
            }
        };
        if touched {
            self.scratch.push_text(valid.slice(plain..end));
        }
        Ok(Rough { end, next, touched, ascii })
    }

    /// Checks that all characters of a comment or an instruction are allowed, or reports that the
    /// repair removes them.
    #[inline(always)]
    pub(super) fn characters<I: Isa>(
        &mut self,
        isa: I,
        text: &[u8],
        range: Range<usize>,
        locus: Locus,
    ) -> Result<(), Fault> {
        let (text, from) = (&text[..range.end], range.start);
        isa.enter(Characters { reader: self, text, from, locus })
    }

    /// The text of a comment or an instruction with its line ends resolved.
    pub(super) fn resolved<'a>(&'a mut self, text: ValidText<'a>, locus: Locus) -> Text<'a> {
        let bytes = text.as_bytes();
        let ascii = bytes.is_ascii();
        self.scratch.clear();
        if self.rules.control && !text.as_str().chars().all(is_char) {
            let text = text.as_str().replace("\r\n", "\n").replace('\r', "\n");
            for char in text.chars().filter(|char| is_char(*char)) {
                self.scratch.push_char(char);
            }
            return Text { text: self.scratch.text(), ascii };
        }
        if locus.is_fixed() || memchr::memchr(b'\r', bytes).is_none() {
            return Text { text, ascii };
        }
        let mut plain = 0;
        for at in memchr::memchr_iter(b'\r', bytes) {
            self.scratch.push_text(text.slice(plain..at));
            self.scratch.push_char('\n');
            plain = at + if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
        }
        self.scratch.push_text(text.slice(plain..bytes.len()));
        Text { text: self.scratch.text(), ascii }
    }
}
