//! Where values stand that may be refused after they were made.
//!
//! Pydantic says what is wrong with an object when all its values are there, and with a plain value
//! when all of it is there. Its errors name parts by their paths, so the builder remembers where the
//! values of such an object stand, and the parts of such a plain value.

use super::Core;
use super::frame::FrameKind;
use crate::plan::{Aim, Kind, NOTED, NodeId, Step};
use penstock_core::path_step::PathStep;
use penstock_core::position::Place;
use penstock_core::protocol::Duplicates;
use penstock_scan::make_room;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// How many parts of one plain value are remembered. Those behind them have the place of the last
/// container around them that is.
const MOST_PARTS: usize = 10_000;

/// Where a value stands that may be refused later.
pub(crate) struct Noted {
    /// The place on the stack of the field's value; for a plain value that is made at once, a place
    /// behind the values of the object around it.
    slot: usize,
    /// Its offset.
    pub(crate) at: u64,
    /// Its position, once the text around it is about to be dropped.
    pub(crate) place: Option<Box<Place>>,
    /// How many containers of a plain value it is inside of.
    depth: usize,
    /// Of a part of a plain value: the hash of its key, or its index.
    step: isize,
}

/// The plain value under construction whose parts are remembered.
pub(crate) struct Noting {
    /// Where its places begin among all that are remembered.
    first: usize,
    slot: usize,
    /// How many containers are around it.
    frames: usize,
    /// Whether it is the value of a field, and is still needed when the object is made.
    is_field: bool,
}

impl<'p> Core<'p> {
    /// Finishes the coming value, and remembers where it stands if it may be refused later. Takes
    /// the reference over and gives one back.
    #[inline(never)]
    pub(crate) fn finish_noted(
        &mut self,
        value: *mut ffi::PyObject,
        at: u64,
    ) -> Result<*mut ffi::PyObject, super::Refusal> {
        match self.finish(self.aim().node, value, at) {
            Ok(value) => {
                self.note_place(value, at);
                Ok(value)
            }
            Err(refusal) => {
                self.end_noting();
                Err(refusal)
            }
        }
    }

    /// Remembers where a value stands.
    fn note_place(&mut self, value: *mut ffi::PyObject, at: u64) {
        if self.end_noting() {
            return;
        }
        if self.top().kind.has_fields() && self.class().notes_fields {
            let slot = self.top().slots + self.aim().field as usize;
            self.note(slot, at, 0, 0);
        } else if self.aim().field == NOTED {
            // SAFETY: a live object, to which the caller holds a reference.
            let value = unsafe { Bound::from_borrowed_ptr(self.attached(), value) };
            // A container was noted when it began.
            let kind = &self.plan().nodes[self.aim().node as usize].kind;
            let is_container = matches!(kind, Kind::TupleOf(_) | Kind::Tuple(_) | Kind::Dict(..))
                || matches!(kind, Kind::List(_))
                || value.is_exact_instance_of::<PyDict>()
                || value.is_exact_instance_of::<PyList>();
            if !is_container {
                self.note_part(at);
            }
        }
    }

    fn note(&mut self, slot: usize, at: u64, depth: usize, step: isize) {
        make_room(&mut self.noted, 1);
        self.noted.push(Noted { slot, at, place: None, depth, step });
    }

    /// What the values of a plain container that begins become: values of a node, whose places are
    /// remembered if something may refuse them later.
    #[inline(never)]
    pub(crate) fn aim_in_plain(&mut self, of: NodeId, at: u64) -> &'p Aim {
        if self.note_plain(at) { &self.plan().noted_aims[of as usize] } else { self.aim_of(of) }
    }

    /// The aim of the items of a container that begins, which are values of a node. Their places are
    /// remembered if something may refuse them later.
    #[inline(always)]
    pub(crate) fn aim_in(&mut self, container: NodeId, of: NodeId, at: u64) -> &'p Aim {
        if self.plan().notes_items(container) || self.aim().field == NOTED {
            self.aim_in_plain(of, at)
        } else {
            self.aim_of(of)
        }
    }

    /// Remembers where a plain container begins, if something may refuse its parts later.
    pub(crate) fn note_plain(&mut self, at: u64) -> bool {
        let aim = self.aim();
        if aim.field == NOTED || self.top().kind == FrameKind::Plain {
            return self.note_part(at);
        }
        let has_fields = self.top().kind.has_fields();
        let is_field = has_fields && self.class().notes_fields && !aim.gathers;
        if !is_field && !self.is_made_by_call(aim.node) {
            return false;
        }
        let slot = if is_field { self.top().slots + aim.field as usize } else { self.stack.len() };
        let (first, frames) = (self.noted.len(), self.frames.len());
        self.noting = Some(Noting { first, slot, frames, is_field });
        self.note(slot, at, 0, 0);
        true
    }

    /// Whether a function makes the value of a node. A class of pydantic that takes its plain value
    /// as a whole is such a function.
    fn is_made_by_call(&self, node: NodeId) -> bool {
        let after = self.plan().nodes[node as usize].after.as_ref();
        after.is_some_and(|after| after.steps.iter().any(|step| matches!(step, Step::Call(_))))
    }

    /// Remembers where a part of a plain value begins, if the parts of that are remembered.
    pub(crate) fn note_part(&mut self, at: u64) -> bool {
        let Some(&Noting { first, slot, frames, .. }) = self.noting.as_ref() else { return false };
        if self.noted.len() - first < MOST_PARTS {
            self.note(slot, at, self.frames.len() - frames, self.step_in_plain());
        }
        true
    }

    /// The step to the coming value of a plain container.
    fn step_in_plain(&self) -> isize {
        let top = self.top();
        let key = match top.kind {
            FrameKind::PlainDict | FrameKind::Dict => self.stack.len() - 1,
            FrameKind::Plain => top.base + 1,
            _ => return (self.stack.len() - top.base) as isize,
        };
        // SAFETY: the stack owns the key.
        let key = unsafe { Bound::from_borrowed_ptr(self.attached(), self.stack.get(key)) };
        // The hash of another key may run code, and its name for pydantic is not known.
        match key.is_exact_instance_of::<PyString>() {
            true => key.hash().unwrap_or(-1),
            false => -1,
        }
    }

    /// The value whose parts were remembered is made, or will never be. True if it is a field's.
    pub(crate) fn end_noting(&mut self) -> bool {
        let frames = self.frames.len();
        let Some(noting) = self.noting.take_if(|noting| noting.frames == frames) else {
            return false;
        };
        if !noting.is_field {
            self.noted.truncate(noting.first);
        }
        noting.is_field
    }

    /// Where the value of a field of the current object stands, if it has one, or the part of it to
    /// which steps lead.
    pub(crate) fn noted_of(&self, field: usize, steps: &[PathStep]) -> Option<&Noted> {
        let slot = self.top().slots + field;
        if self.stack.get(slot).is_null() {
            return None;
        }
        let of = self.noted.iter().rposition(|noted| noted.slot == slot && noted.depth == 0)?;
        Some(self.noted_part(of, steps))
    }

    /// Where the part of the plain value stands that was just made, if its parts were remembered.
    pub(crate) fn noted_in_value(&self, steps: &[PathStep]) -> Option<&Noted> {
        let noting = self.noting.as_ref().filter(|it| it.frames == self.frames.len())?;
        Some(self.noted_part(noting.first, steps))
    }

    /// Where the part of a plain value stands to which steps lead, or the innermost container
    /// around it that was remembered.
    fn noted_part(&self, of: usize, steps: &[PathStep]) -> &Noted {
        let is_inside = |noted: &&Noted| noted.slot == self.noted[of].slot && noted.depth > 0;
        let all = &self.noted[of..];
        let all = &all[..1 + all[1..].iter().take_while(is_inside).count()];
        let (mut here, mut name) = (0, 0);
        for step in steps {
            let (number, is_index) = match step {
                PathStep::Index(index) => (isize::try_from(*index).unwrap_or(isize::MAX), true),
                PathStep::Key(key) | PathStep::Attribute(key) => {
                    // A key that cannot be hashed was never noted.
                    (PyString::new(self.attached(), key).hash().unwrap_or(-1), false)
                }
            };
            let within = all[here + 1..].iter().take_while(|part| part.depth > all[here].depth);
            let mut within = here + 1..here + 1 + within.count();
            let is_there =
                |&part: &usize| all[part].depth == all[here].depth + 1 && all[part].step == number;
            // Of equal keys, one counts.
            let found = match self.options.duplicates {
                Duplicates::First => within.find(is_there),
                _ => within.rfind(is_there),
            };
            match found {
                Some(part) => (here, name) = (part, number),
                // Markup: an item of a list is one of the elements of a name.
                None if is_index && all[here].depth > 0 => {
                    let depth = all[here].depth;
                    let from = all[..here].iter().rposition(|part| part.depth < depth);
                    let from = from.map_or(0, |parent| parent + 1);
                    let siblings = all.iter().enumerate().skip(from);
                    let siblings = siblings.take_while(|(_, part)| part.depth >= depth);
                    let mut named =
                        siblings.filter(|(_, part)| part.depth == depth && part.step == name);
                    let Some((sibling, _)) = named.nth(number as usize) else { break };
                    here = sibling;
                }
                None if is_index => break,
                // The name that pydantic gives to a member of a union.
                None => {}
            }
        }
        &all[here]
    }

    /// The values from this slot on have left the stack.
    pub(crate) fn forget_noted(&mut self, from: usize) {
        while self.noted.pop_if(|noted| noted.slot >= from).is_some() {}
    }
}
