//! The limits on the expansion of entities, and the values of attributes, in which entities are
//! expanded.

use std::sync::Arc;

use penstock_scan::{Isa, Job, TextBuf, ValidText, dispatch, make_room};

use super::dtd::{Dtd, Entity, Missing};
use super::html_entities;
use super::options::{Options, Unresolved};
use super::reference::{Reference, is_number, reference};
use super::tag::{Locus, Rules, Stop, brief};
use super::token;
use crate::error::Fault;
use crate::limits::Limits;
use crate::repair::{Repair, RepairKind};

/// The cost of each reference in addition to its text, so that empty entities are not free.
const REFERENCE: u64 = 16;

/// Expansion below this is always allowed.
const FREE: u64 = 8 << 20;

/// The longest tag, whatever the limits are.
pub(super) const TAG: usize = u32::MAX as usize / 2;

/// Counts the bytes that entities have expanded to.
#[derive(Debug)]
pub(super) struct Expansion {
    made: u64,
    amplification: u64,
    limit: Option<u64>,
    /// How deep entities may be nested.
    depth: usize,
    /// The most bytes to which the values of one element's attributes may be resolved.
    values: usize,
}

impl Expansion {
    pub(super) fn new(limits: &Limits) -> Self {
        Expansion {
            made: 0,
            amplification: limits.amplification,
            limit: limits.expansion,
            depth: limits.depth,
            // These bytes and the tag's own are counted together in 32 bits.
            values: limits.token.min(TAG),
        }
    }

    /// Fails if the resolved values of one element's attributes may not have this many bytes.
    pub(super) fn hold(&self, bytes: usize, at: u64) -> Result<(), Fault> {
        if bytes <= self.values {
            return Ok(());
        }
        let limit = self.values;
        let reason = format!("attributes that expand to more than {limit} bytes (limits.token)");
        Err(Fault::limit(at, reason))
    }

    /// Counts another reference, which expands to `bytes` bytes.
    pub(super) fn charge(&mut self, bytes: usize, at: u64) -> Result<(), Fault> {
        self.made = self.made.saturating_add(bytes as u64 + REFERENCE);
        if let Some(limit) = self.limit
            && self.made > limit
        {
            let reason = format!("entities expand to more than {limit} bytes (limits.expansion)");
            return Err(Fault::limit(at, reason));
        }
        if self.made > FREE && self.made > at.saturating_mul(self.amplification) {
            let reason = format!(
                "entities expand to more than {} bytes for each byte of input \
                 (limits.amplification)",
                self.amplification
            );
            return Err(Fault::limit(at, reason));
        }
        Ok(())
    }
}

/// An attribute's value as written, with everything that is needed to resolve it.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) raw: ValidText<'a>,
    pub(super) locus: Locus,
    pub(super) dtd: &'a Dtd,
    pub(super) rules: &'a Rules,
    pub(super) options: Options,
    /// Whether undeclared entities may be declared outside the document.
    pub(super) open_ended: bool,
}

impl Value<'_> {
    /// Normalises the value (XML 1.0, 3.3.3) and appends it to `out`. With `collapse` the type is
    /// not CDATA: spaces at the ends are dropped, and repeated spaces become one.
    pub(super) fn resolve(
        self,
        collapse: bool,
        expansion: &mut Expansion,
        made: &mut Vec<Repair>,
        out: &mut TextBuf,
    ) -> Result<(), Fault> {
        if !collapse {
            return dispatch(Resolve { value: self, expansion, made, out });
        }
        let mut whole = TextBuf::new();
        dispatch(Resolve { value: self, expansion, made, out: &mut whole })?;
        for (index, word) in whole.text().as_str().split(' ').filter(|w| !w.is_empty()).enumerate()
        {
            if index > 0 {
                out.push_char(' ');
            }
            out.push_text(ValidText::from(word));
        }
        expansion.hold(out.text().as_bytes().len(), self.locus.at(0))
    }

    /// The text of an entity; none if the reference stays as written.
    fn entity(&self, name: &str, at: u64) -> Result<Option<Arc<Box<str>>>, Fault> {
        let reason = match self.dtd.text(name, self.open_ended) {
            Ok(text) => return Ok(Some(text.clone())),
            Err(Missing::Undeclared(reason)) => return Err(Fault::malformed(at, reason)),
            Err(Missing::Outside(reason)) => reason,
        };
        let external = matches!(self.dtd.general(name), Some(Entity::External));
        if external || self.options.unresolved == Unresolved::Error {
            return Err(Fault::malformed(at, reason));
        }
        Ok(None)
    }
}

/// Resolves a value; compiled for each instruction set.
struct Resolve<'a, 'b> {
    value: Value<'a>,
    expansion: &'b mut Expansion,
    made: &'b mut Vec<Repair>,
    out: &'b mut TextBuf,
}

/// An entity whose text is being read in a value.
struct Inner {
    text: Arc<Box<str>>,
    at: usize,
}

impl Job for Resolve<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) -> Self::Output {
        let mut outer = 0;
        let mut inner: Vec<Inner> = Vec::new();
        // The position of the reference through which the entities were entered.
        let mut entered = self.value.locus;
        loop {
            // An entity's text is shared while it is read.
            let current = inner.last().map(|entity| (entity.text.clone(), entity.at));
            let (text, from, locus) = match &current {
                None => (self.value.raw, outer, self.value.locus),
                Some((text, at)) => (ValidText::from(&***text), *at, entered),
            };
            let Some((name, range)) = self.pass(isa, text, from, locus)? else {
                if inner.pop().is_none() {
                    return Ok(());
                }
                continue;
            };
            let at = locus.at(range.start);
            match inner.last_mut() {
                None => outer = range.end,
                Some(entity) => entity.at = range.end,
            }
            let Some(replacement) = self.value.entity(name, at)? else {
                self.out.push_text(text.slice(range));
                continue;
            };
            // Each entity has its own text, even if two texts are equal.
            if inner.iter().any(|entity| Arc::ptr_eq(&entity.text, &replacement)) {
                let reason = format!("the entity '{}' refers to itself", brief(name));
                return Err(Fault::malformed(at, reason));
            }
            if inner.len() >= self.expansion.depth {
                return Err(token::too_deep(at, self.expansion.depth));
            }
            self.expansion.charge(replacement.len(), at)?;
            self.expansion.hold(self.out.text().as_bytes().len() + replacement.len(), at)?;
            if inner.is_empty() {
                entered = Locus::entity(at);
            }
            make_room(&mut inner, 1);
            inner.push(Inner { text: replacement, at: 0 });
        }
    }
}

impl Resolve<'_, '_> {
    /// Appends the text from `from` to the next reference to an entity. Returns the entity's name
    /// and the reference's position; none if there are no more references.
    #[inline(always)]
    fn pass<'t, I: Isa>(
        &mut self,
        isa: I,
        text: ValidText<'t>,
        from: usize,
        locus: Locus,
    ) -> Result<Option<(&'t str, std::ops::Range<usize>)>, Fault> {
        let bytes = text.as_bytes();
        let Value { rules, options, .. } = self.value;
        let mut plain = from;
        let mut at = from;
        while at < bytes.len() {
            at = isa.xml_value(bytes, at).at;
            match bytes.get(at) {
                None => break,
                Some(b'"' | b'\'') => at += 1,
                Some(b'\t' | b'\n' | b'\r') => {
                    self.out.push_text(text.slice(plain..at));
                    self.out.push_char(' ');
                    // In an entity, line ends were resolved when it was declared.
                    let two = !locus.is_fixed() && bytes[at..].starts_with(b"\r\n");
                    at += if two { 2 } else { 1 };
                    plain = at;
                }
                Some(b'&') => {
                    self.out.push_text(text.slice(plain..at));
                    match reference(isa, text, at, rules, options, locus) {
                        Ok(Reference::Char { char, end, repair }) => {
                            if let Some(kind) = repair {
                                make_room(self.made, 1);
                                self.made.push(Repair { kind, offset: locus.at(at) });
                            }
                            if let Some(char) = char {
                                self.out.push_char(char);
                            }
                            (at, plain) = (end, end);
                        }
                        Ok(Reference::Bare) => {
                            let kind = RepairKind::BareAmpersand;
                            make_room(self.made, 1);
                            self.made.push(Repair { kind, offset: locus.at(at) });
                            plain = at;
                            at += 1;
                        }
                        Ok(Reference::Entity { end }) => {
                            let name = text.slice(at + 1..end - 1).as_str();
                            if let Some((char, more)) =
                                html_entities::repaired(options, self.value.dtd, name)
                            {
                                let kind = RepairKind::HtmlEntity;
                                make_room(self.made, 1);
                                self.made.push(Repair { kind, offset: locus.at(at) });
                                for char in [Some(char), more].into_iter().flatten() {
                                    self.out.push_char(char);
                                }
                                (at, plain) = (end, end);
                                continue;
                            }
                            return Ok(Some((name, at..end)));
                        }
                        Err(Stop::Fault(fault)) => return Err(fault),
                        Err(Stop::Cut)
                            if options.repairs.has(RepairKind::BareAmpersand)
                                && !is_number(bytes, at) =>
                        {
                            let kind = RepairKind::BareAmpersand;
                            make_room(self.made, 1);
                            self.made.push(Repair { kind, offset: locus.at(at) });
                            plain = at;
                            at += 1;
                        }
                        Err(Stop::Cut) => {
                            let reason = "the attribute's value ends inside a reference";
                            return Err(Fault::malformed(locus.at(at), reason));
                        }
                    }
                }
                Some(b'<') => {
                    let reason = "an entity in an attribute's value may not hold '<'";
                    return Err(Fault::malformed(locus.at(at), reason));
                }
                Some(0xEF) if !super::tag::is_noncharacter(bytes, at) => at += 3,
                Some(&byte) => {
                    self.out.push_text(text.slice(plain..at));
                    let kind = RepairKind::ControlCharacter;
                    make_room(self.made, 1);
                    self.made.push(Repair { kind, offset: locus.at(at) });
                    at += if byte == 0xEF { 3 } else { 1 };
                    plain = at;
                }
            }
        }
        self.out.push_text(text.slice(plain..bytes.len()));
        Ok(None)
    }
}
