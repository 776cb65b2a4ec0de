//! Fields whose path has several steps: what both sinks do with the containers on that path.

use super::frame::{FrameKind, NONE, ON_PATH};
use super::place::shortened;
use super::refusal::{Code, Refusal};
use super::{Answer, Core};
use crate::objects::make::raised::own_code_raised;
use crate::plan::{Build, Kind, KindByte, Star, Target, element, needs_key, no_key};
use penstock_core::event::{Matched, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Flow;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ptr;

impl<'p> Core<'p> {
    /// The coming value leads to a state, or to no field ([`NONE`]).
    pub(crate) fn aim_on_path(&mut self, state: u32) {
        self.top_mut().aim = &ON_PATH;
        self.top_mut().leads_to = state;
    }

    /// Follows a key or an element that only a `*` names.
    #[inline(never)]
    pub(crate) fn follow_other(&mut self, target: Target, by: Matched<'_>) -> Answer {
        if let Matched::Key(key) = by {
            self.remember_key(key.text.as_str());
        }
        match target {
            Target::Field(aim) => self.aim_at(aim),
            Target::State(state) => {
                // After a key its value always comes. Whether there is an element only shows when
                // it has been passed.
                if let Matched::Key(_) = by {
                    self.give_to_takers(state, by)?;
                }
                self.aim_on_path(state);
            }
        }
        Ok(Flow::Take)
    }

    /// Gives the key or index that leads to a state to the fields that collect keys.
    pub(crate) fn give_to_takers(&mut self, state: u32, by: Matched<'_>) -> Result<(), Refusal> {
        if state == NONE {
            return Ok(());
        }
        for &field in &self.class().states[state as usize].takes_key {
            self.aim_at(field);
            self.give_step(by)?;
        }
        Ok(())
    }

    /// Puts the key or index of a match into the current field.
    fn give_step(&mut self, by: Matched<'_>) -> Result<(), Refusal> {
        // As if the field's own object were the current container, so that this does not advance a
        // list.
        let kind = std::mem::replace(&mut self.top_mut().kind, FrameKind::Class);
        let result = match by {
            Matched::Key(key) if self.plan().form.is_lexical() => {
                self.lexical_of_key(key, self.at).and_then(|value| self.put(value, self.at))
            }
            Matched::Key(key) => self.give_text(key, self.at),
            Matched::Index(index) => {
                self.give_int(index as i64, self.at).map_err(|why| of_index(why, index))
            }
        };
        let result = self.valued(result);
        self.top_mut().kind = kind;
        result.map(|_| ())
    }

    /// The coming record was found by a `*`.
    pub(crate) fn record_matched(&mut self, by: Matched<'_>) {
        // Among several kinds of records, the one expected last decides.
        if !self.plan().takes_key(self.top().node) {
            return;
        }
        self.matched = Some(match by {
            Matched::Key(key) => PathStep::Key(key.text.as_str().to_owned()),
            Matched::Index(index) => PathStep::Index(index),
        });
    }

    /// Gives the key by which the current object was found to the fields that take it.
    #[inline(never)]
    pub(crate) fn give_key(&mut self, fields: &[u32]) -> Result<(), Refusal> {
        let Some(found) = self.found_by() else {
            let py = self.attached();
            return match needs_key(py, self.class()) {
                Some(field) => Err(no_key(py, self.class(), &field).into()),
                None => Ok(()),
            };
        };
        for &field in fields {
            self.aim_at(field);
            self.give_step(match &found {
                PathStep::Key(key) | PathStep::Attribute(key) => Matched::Key(Text::from(&**key)),
                PathStep::Index(index) => Matched::Index(*index),
            })?;
        }
        Ok(())
    }

    /// The key or index by which the current object was found, which has just begun.
    fn found_by(&mut self) -> Option<PathStep> {
        let mut depth = self.frames.len().checked_sub(2)?;
        let around = &self.frames[depth];
        match around.kind {
            FrameKind::Root => return self.matched.take(),
            FrameKind::Dict
            | FrameKind::Named
            | FrameKind::List
            | FrameKind::Numbers
            | FrameKind::Tuple
            | FrameKind::Items => {}
            FrameKind::Class
            | FrameKind::PathMap
            | FrameKind::PathList
            | FrameKind::Gathered
            | FrameKind::Element
            | FrameKind::Wrapper => {
                let class = &self.plan().classes[around.class as usize];
                let aim = class.aims.iter().position(|aim| ptr::eq(aim, around.aim))?;
                let Some(Star::Above(above)) = class.stars.get(aim) else { return None };
                let gathered = usize::from(around.kind == FrameKind::Gathered);
                depth = depth.checked_sub(above + gathered)?;
            }
            _ => return None,
        }
        let frame = &self.frames[depth];
        let end = self.frames[depth + 1].base.max(frame.base);
        self.step(depth, frame, end)
    }

    /// The fields that can be reached from a state.
    pub(crate) fn fields_behind(&self, state: u32) -> Vec<u32> {
        let class = self.class();
        let mut fields = Vec::new();
        let mut open = vec![state];
        let mut known = open.clone();
        while let Some(state) = open.pop() {
            let state = &class.states[state as usize];
            let edges = state.keys.iter().map(|edge| edge.to);
            let targets = edges.chain(state.indexes.iter().map(|(_, to)| *to)).chain(state.other);
            let takers = state.takes_key.iter().map(|&field| Target::Field(field));
            for target in targets.chain(takers) {
                match target {
                    Target::Field(aim) => fields.push(class.aims[aim as usize].field),
                    Target::State(next) if !known.contains(&next) => {
                        known.push(next);
                        open.push(next);
                    }
                    Target::State(_) => {}
                }
            }
        }
        fields
    }

    pub(crate) fn forget_field(&mut self, field: u32) {
        let old = self.stack.replace(self.top().slots + field as usize, ptr::null_mut());
        // SAFETY: the stack gave its reference to us.
        unsafe { drop(Bound::from_owned_ptr_or_opt(self.attached(), old)) };
    }

    /// A scalar where the path to fields needs a container: it holds no field, so it counts as
    /// absent.
    #[cold]
    #[inline(never)]
    pub(crate) fn pass_scalar(&mut self, at: u64) -> Answer {
        self.at = at;
        self.next_element()?;
        Ok(Flow::Take)
    }

    /// Counts one element of the current list as passed, if the list holds fields.
    pub(crate) fn next_element(&mut self) -> Result<(), Refusal> {
        match self.top().kind {
            FrameKind::PathList => {
                if self.aim().kind == KindByte::OnPath {
                    let (state, index) = (self.top().leads_to, self.top().index);
                    self.give_to_takers(state, Matched::Index(index))?;
                }
                self.top_mut().index += 1;
                self.aim_element()?;
            }
            FrameKind::Row => {
                self.top_mut().index += 1;
                self.aim_at_column();
            }
            FrameKind::Tuple => self.top_mut().index += 1,
            _ => {}
        }
        Ok(())
    }

    /// Sets where the coming element of a list on the path to fields leads.
    pub(crate) fn aim_element(&mut self) -> Result<(), Refusal> {
        let index = self.top().index;
        let state = self.state();
        let named = state.indexes.iter().find(|(at, _)| *at == index).map(|(_, to)| *to);
        self.aim_on_path(NONE);
        match named.or(state.other) {
            Some(target) => self.follow_other(target, Matched::Index(index)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Adds a value to the collection of the current field. Takes over the reference.
    #[inline(never)]
    pub(crate) fn gather(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        let py = self.attached();
        // SAFETY: the reference is handed over to us.
        let value = unsafe { Bound::from_owned_ptr(py, value) };
        let index = self.aim().field as usize;
        let field = &self.class().fields[index];
        let place = self.top().slots + index;
        let gathered = self.stack.get(place);
        if let Some(key) = field.keyed {
            return self.gather_keyed(place, &value, key, at);
        }
        if let Some(item) = element(&self.plan().nodes, field.node) {
            self.add_packed(place, self.plan().nodes[item as usize].packed, &value)?;
            return Ok(Flow::Take);
        }
        if !gathered.is_null() {
            let reason = format!("{:?} is matched more than once by one record", field.key);
            return Err(self.mismatch(at, reason, None, None).coded(Code::Repeated));
        }
        self.stack.replace(place, value.into_ptr());
        Ok(Flow::Take)
    }

    /// Adds an object to the dict of the current field. The key is one of the object's own fields.
    #[inline(never)]
    fn gather_keyed(
        &mut self,
        place: usize,
        value: &Bound<'_, PyAny>,
        key: u32,
        at: u64,
    ) -> Answer {
        let py = value.py();
        let Kind::Class(class) = self.item().kind else { return Ok(Flow::Take) };
        let class = &self.plan().classes[class as usize];
        let name = class.fields[key as usize].name.bind(py);
        let key = match class.build {
            Build::Dict(_) => value.get_item(name)?,
            _ => value.getattr(name)?,
        };
        if self.stack.get(place).is_null() {
            self.stack.replace(place, PyDict::new(py).into_any().into_ptr());
        }
        // SAFETY: the stack owns this reference, and only this function fills such a place.
        let dict = unsafe { Bound::from_borrowed_ptr(py, self.stack.get(place)) };
        let dict = dict.cast::<PyDict>().map_err(PyErr::from)?;
        let known = dict.contains(&key);
        if known.map_err(|error| own_code_raised(self, error, at))? {
            let shown = key.repr()?.to_string_lossy().into_owned();
            let reason = format!("two objects have the key {}", shortened(&shown));
            return Err(self.mismatch(at, reason, None, None).coded(Code::Repeated));
        }
        dict.set_item(key, value)?;
        Ok(Flow::Take)
    }
}

/// The refusal of an index where a key is wanted.
#[cold]
fn of_index(mut refusal: Refusal, index: u64) -> Refusal {
    if let Some(mismatch) = refusal.mismatch()
        && let Some(expected) = &mismatch.expected
    {
        mismatch.reason = format!(
            "expected {expected}, got the index {index}: elements of an array have no keys; an int \
             takes the index, and key_column= is for the values of objects"
        );
        mismatch.got = Some(format!("the index {index}"));
    }
    refusal
}
