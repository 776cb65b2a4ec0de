//! The document type declaration and the entities that it declares.

use std::ops::Range;
use std::sync::Arc;

use penstock_scan::{Isa, ValidText, make_room};

use super::dtd::{Declaring, Entity};
use super::prolog;
use super::reader::{Input, Reader, State};
use super::tag::{self, Locus, Stop};
use super::text::Reached;
use super::token;
use crate::error::{Fault, Kind};
use crate::repair::{Repair, RepairKind};

impl Reader {
    /// The position of the next byte in the current text.
    #[inline(always)]
    pub(super) fn place(&self) -> usize {
        self.inputs.last().map_or(self.pos, |input| input.pos)
    }

    /// Moves to a position of the current text.
    #[inline(always)]
    pub(super) fn stand(&mut self, pos: usize, state: State) {
        match self.inputs.last_mut() {
            None => self.pos = pos,
            Some(input) => input.pos = pos,
        }
        self.state = state;
    }

    /// The state after a comment or an instruction.
    #[inline]
    pub(super) fn outside(&self) -> State {
        if self.open.depth() > 0 {
            State::Content
        } else if self.in_subset {
            State::Subset
        } else {
            State::Outside
        }
    }

    /// The fault for text that ends inside a construct.
    #[cold]
    pub(super) fn ends_inside(&self, length: usize, locus: Locus, what: &str) -> Fault {
        match self.inputs.last() {
            Some(input) => {
                let name = tag::brief(&input.name);
                Fault::malformed(locus.at(0), format!("the entity '{name}' ends inside {what}"))
            }
            None => Fault::truncated(locus.at(length), format!("the input ends inside {what}")),
        }
    }

    /// The position of `end` in the markup at `pos`, which the caller needs whole; the search
    /// begins after `skip` bytes. None if the window ends before it.
    pub(super) fn whole(
        &mut self,
        text: &[u8],
        pos: usize,
        skip: usize,
        end: &[u8],
        locus: Locus,
    ) -> Result<Option<usize>, Fault> {
        let found = self.partial.finds(text, pos, skip, end);
        if found.unwrap_or(text.len()) - pos > self.limits.token {
            return Err(token::too_long(locus.at(pos), self.limits.token));
        }
        Ok(found)
    }

    /// The end of the target of the processing instruction at `pos`.
    pub(super) fn target<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<usize, Stop> {
        let bytes = valid.as_bytes();
        let (end, colon) = tag::name(isa, valid, pos + 2, &self.rules, locus)?;
        let fault =
            |at: usize, reason: &'static str| Stop::from(Fault::malformed(locus.at(at), reason));
        if colon != 0 {
            return Err(fault(colon, "the target of an instruction has no colon"));
        }
        if bytes[pos + 2..end].eq_ignore_ascii_case(b"xml") {
            return Err(fault(pos, "the XML declaration is only allowed at the very beginning"));
        }
        match bytes[end..] {
            [b' ' | b'\t' | b'\n' | b'\r', ..] | [b'?', b'>', ..] => Ok(end),
            [] | [b'?'] => Err(Stop::Cut),
            _ => Err(fault(end, "expected white space or '?>' after the target")),
        }
    }

    /// Reads the document type declaration in `range` up to its `[` or `>`.
    pub(super) fn doctype(
        &mut self,
        valid: ValidText<'_>,
        range: Range<usize>,
        locus: Locus,
    ) -> Result<(), Fault> {
        let locus = Locus::document(locus.at(range.start));
        let head = prolog::head(valid.slice(range), locus, &self.rules)?;
        self.seen_doctype = true;
        self.open_ended = head.external;
        Ok(())
    }

    /// Reads a declaration, which begins at `pos`.
    pub(super) fn declare(
        &mut self,
        declaration: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<(), Fault> {
        let locus = if locus.is_fixed() { locus } else { Locus::document(locus.at(pos)) };
        let how = Declaring {
            rules: &self.rules,
            limits: &self.limits,
            options: self.options,
            counts: !self.unread || self.standalone,
            open_ended: self.open_ended && !self.standalone,
            expansion: &mut self.expansion,
            made: &mut self.made,
        };
        self.dtd.declare(declaration, locus, how)
    }

    /// The reference to a parameter entity at `pos`: its end, and the entity, if it can be read.
    pub(super) fn parameter<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        locus: Locus,
    ) -> Result<(usize, Option<Reached>), Stop> {
        let (end, _) = tag::name(isa, valid, pos + 1, &self.rules, locus)?;
        if valid.as_bytes().get(end) != Some(&b';') {
            let reason = "expected ';' at the end of the parameter-entity reference";
            return Err(Fault::malformed(locus.at(end), reason).into());
        }
        let name = valid.slice(pos + 1..end).as_str();
        self.open_ended = true;
        match self.dtd.parameter(name) {
            Some(Entity::Internal(text)) => {
                let (name, text) = (name.into(), text.clone());
                let range = pos..end + 1;
                Ok((end + 1, Some(Reached { name, text, range })))
            }
            // It is not read, so the declarations after it may not count.
            _ => {
                self.unread = true;
                Ok((end + 1, None))
            }
        }
    }

    /// Continues in the replacement text of an entity.
    #[inline(never)]
    pub(super) fn enter(&mut self, entity: Reached, locus: Locus) -> Result<(), Fault> {
        let Reached { name, text, range } = entity;
        let at = locus.at(range.start);
        // Each entity has its own text, even if two texts are equal.
        if self.inputs.iter().any(|input| Arc::ptr_eq(&input.text, &text)) {
            let name = tag::brief(&name);
            return Err(Fault::malformed(at, format!("the entity '{name}' refers to itself")));
        }
        if self.inputs.len() >= self.limits.depth {
            return Err(token::too_deep(at, self.limits.depth));
        }
        self.expansion.charge(text.len(), at)?;
        let depth = self.open.depth();
        make_room(&mut self.inputs, 1);
        self.inputs.push(Input { text, pos: 0, name, at, depth });
        Ok(())
    }

    /// The end of the innermost entity's replacement text.
    pub(super) fn leave_entity(&mut self) -> Result<(), Fault> {
        match self.inputs.pop() {
            Some(input) if self.open.depth() != input.depth => {
                let (name, open) = (tag::brief(&input.name), self.open.top());
                let open = tag::brief(&String::from_utf8_lossy(open));
                let reason = format!("the entity '{name}' ends inside the element '{open}'");
                Err(Fault::malformed(input.at, reason))
            }
            _ => Ok(()),
        }
    }

    /// Whether a repair ignores the text at `pos`, which is after the root element, and everything
    /// after it.
    pub(super) fn junk(&mut self, pos: usize, locus: Locus) -> bool {
        let kind = RepairKind::TrailingJunk;
        let is = self.seen_root && self.options.repairs.has(kind);
        if is {
            make_room(&mut self.made, 1);
            self.made.push(Repair { kind, offset: locus.at(pos) });
        }
        is
    }

    /// The same for text that begins like a processing instruction but is none.
    pub(super) fn junk_instruction<I: Isa>(
        &mut self,
        isa: I,
        valid: ValidText<'_>,
        pos: usize,
        last: bool,
        locus: Locus,
    ) -> bool {
        if !self.seen_root || !self.options.repairs.has(RepairKind::TrailingJunk) {
            return false;
        }
        match self.target(isa, valid, pos, locus) {
            Ok(_) => false,
            Err(Stop::Cut) => last && self.junk(pos, locus),
            Err(Stop::Fault(_)) => self.junk(pos, locus),
        }
    }

    /// Continues after a fault in the internal subset, if it may be repaired.
    #[cold]
    #[inline(never)]
    pub(super) fn survive(&mut self, fault: Fault) -> Result<(), Fault> {
        let kind = RepairKind::BrokenSubset;
        if !self.in_subset || fault.kind() != Kind::Malformed || !self.options.repairs.has(kind) {
            return Err(fault);
        }
        make_room(&mut self.made, 1);
        self.made.push(Repair { kind, offset: fault.offset() });
        self.inputs.clear();
        // The skipped text begins at the fault, not at the token that contains it: depending on the
        // windows, the beginning of that token may be dropped already.
        let at = usize::try_from(fault.offset().saturating_sub(self.base)).unwrap_or(0);
        self.pos = self.pos.max(at);
        self.in_subset = false;
        self.state = State::LostSubset;
        Ok(())
    }
}
