//! Fields whose path has several steps: the maps and lists on the way to them.
//!
//! A container on the way makes no object. Its values go to the fields of the object that it
//! lies in, as the states of that object's class say, and whatever leads to no field is skipped.

use super::builder::{Answer, Builder, Duplicates};
use super::frame::{Frame, FrameKind, NONE, WAY};
use super::make::own_code_raised;
use super::place::shortened;
use super::refusal::Refusal;
use crate::plan::{Brief, Build, Kind, Target, element};
use penstock_core::event::{Matched, Text};
use penstock_core::sink::Flow;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use std::ptr::{self, NonNull};

impl Builder {
    /// A key that leads on to another map or list.
    #[inline(never)]
    pub(super) fn follow_way(&mut self, key: usize, state: u32, at: u64) -> Answer {
        // A key met before begins its part of the record anew; what came by a `*` adds up.
        let depth = self.frames.len();
        let again = if key < 64 {
            self.top().seen & 1 << key != 0
        } else {
            self.seen_beyond.contains(&(depth, key))
        };
        if again {
            if self.options.duplicates != Duplicates::Last {
                let name = self.state().keys[key].name.clone();
                return self.again(&name, at);
            }
            self.forget_way(state);
        } else if key < 64 {
            self.top_mut().seen |= 1 << key;
        } else {
            self.seen_beyond.push((depth, key));
        }
        self.on_way(state);
        Ok(Flow::Take)
    }

    /// The coming value leads on to a state, or nowhere.
    pub(super) fn on_way(&mut self, state: u32) {
        self.top_mut().aim = NonNull::from(&WAY);
        self.top_mut().way = state;
    }

    /// A key or an element that only a `*` names.
    #[inline(never)]
    pub(super) fn follow_other(&mut self, target: Target, by: Matched<'_>) -> Answer {
        if let Matched::Key(key) = by {
            self.remember_way_key(key.text.as_str());
        }
        match target {
            Target::Field(aim) => self.aim_at(aim),
            Target::State(state) => {
                // A key is there, so its value will be. That an element is there shows when it
                // is passed.
                if let Matched::Key(_) = by {
                    self.give_to_takers(state, by)?;
                }
                self.on_way(state);
            }
        }
        Ok(Flow::Take)
    }

    /// Gives the key or index that leads to a state to the fields that collect it.
    fn give_to_takers(&mut self, state: u32, by: Matched<'_>) -> Result<(), Refusal> {
        if state == NONE {
            return Ok(());
        }
        for &field in &self.class().states[state as usize].takes_key {
            self.aim_at(field);
            self.give_step(by)?;
        }
        Ok(())
    }

    /// The key or index of a match as the value of the field at hand, wherever that lies.
    fn give_step(&mut self, by: Matched<'_>) -> Result<(), Refusal> {
        // As if the field's own object were at hand: putting into it must not move a list on.
        let kind = std::mem::replace(&mut self.top_mut().kind, FrameKind::Class);
        let result = match by {
            Matched::Key(key) if self.is_markup() => {
                self.lexical(key, self.at).and_then(|value| self.put(value, self.at))
            }
            Matched::Key(key) => self.give_text(key, self.at),
            Matched::Index(index) => self.give_int(index as i64, self.at),
        };
        let result = self.valued(result);
        self.top_mut().kind = kind;
        result.map(|_| ())
    }

    /// The record that comes was found by a `*`.
    pub(super) fn record_matched(&mut self, by: Matched<'_>) {
        // Of several kinds of records it is the one that was said last.
        if !self.plan().takes_key(self.top().node) {
            return;
        }
        let py = self.attached();
        self.matched = Some(match by {
            Matched::Key(key) => PyString::new(py, key.text.as_str()).into_any().unbind(),
            Matched::Index(index) => {
                let Ok(index) = index.into_pyobject(py);
                let index: Bound<'_, PyInt> = index;
                index.into_any().unbind()
            }
        });
    }

    /// Gives the key by which the record was found to the fields that take it.
    #[inline(never)]
    pub(super) fn give_key(&mut self, fields: &[u32]) -> Result<(), Refusal> {
        let Some(matched) = self.matched.take() else { return Ok(()) };
        let matched = matched.bind(self.attached());
        for &field in fields {
            self.aim_at(field);
            match matched.cast::<PyString>() {
                Ok(key) => {
                    self.give_step(Matched::Key(Text::from(key.to_str()?)))?;
                }
                Err(_) => self.give_step(Matched::Index(matched.extract()?))?,
            }
        }
        Ok(())
    }

    /// Empties the fields that a state leads to.
    fn forget_way(&mut self, state: u32) {
        for field in self.fields_behind(state) {
            self.forget_field(field);
        }
    }

    /// The fields that a state leads to.
    pub(super) fn fields_behind(&self, state: u32) -> Vec<u32> {
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

    pub(super) fn forget_field(&mut self, field: u32) {
        let old = self.stack.replace(self.top().slots + field as usize, ptr::null_mut());
        // SAFETY: the stack gave its reference to us.
        unsafe { drop(Bound::from_owned_ptr_or_opt(self.attached(), old)) };
    }

    /// Adds an object to the dict of the field at hand, by the value of a field of its own.
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
            Build::Dict { .. } => value.get_item(name)?,
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
            return Err(self.mismatch(at, reason, None, None));
        }
        dict.set_item(key, value)?;
        Ok(Flow::Take)
    }

    /// A map on the way, or one that leads nowhere.
    #[inline(never)]
    pub(super) fn begin_way_map(&mut self, at: u64) -> Answer {
        if self.is_markup() {
            return self.begin_element(at);
        }
        self.at = at;
        let Some(frame) = self.way_frame(FrameKind::WayMap)? else { return Ok(Flow::Skip) };
        self.push_frame(frame);
        self.at_class();
        Ok(Flow::Take)
    }

    /// A list on the way, or one that leads nowhere.
    #[inline(never)]
    pub(super) fn begin_way_list(&mut self, at: u64) -> Answer {
        self.at = at;
        if self.top().way != NONE {
            let state = &self.class().states[self.top().way as usize];
            if state.indexes.is_empty() && state.other.is_none() && !state.keys.is_empty() {
                let next = &state.keys[0].name;
                let reason = format!(
                    "expected an object with the key {next:?}, got an array; to reach its \
                     elements, write '*' before {next:?} in the path"
                );
                let got = Some("an array".to_owned());
                return Err(self.mismatch(at, reason, Some("an object".to_owned()), got));
            }
        }
        let Some(frame) = self.way_frame(FrameKind::WayList)? else { return Ok(Flow::Skip) };
        self.push_frame(frame);
        self.at_class();
        self.aim_element()?;
        Ok(Flow::Take)
    }

    /// A value without parts on the way: it holds no field, so it counts as absent.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_scalar(&mut self, at: u64) -> Answer {
        self.at = at;
        self.next_element()?;
        Ok(Flow::Take)
    }

    /// The frame of the container that the coming value is, or nothing if it leads nowhere: then
    /// it counts as passed.
    fn way_frame(&mut self, kind: FrameKind) -> Result<Option<Frame>, Refusal> {
        let state = self.top().way;
        if state == NONE {
            self.next_element()?;
            return Ok(None);
        }
        let top = *self.top();
        let mut frame = Frame::new(kind, top.node, top.aim, self.stack.len());
        (frame.slots, frame.class, frame.state) = (top.slots, top.class, state);
        Ok(Some(frame))
    }

    /// The container on the way, or the gathered list, at hand ends.
    #[inline(never)]
    pub(super) fn end_way(&mut self) -> Answer {
        self.pop_frame();
        self.next_element()?;
        Ok(Flow::Take)
    }

    /// One element of the list at hand is passed, if it is one of fields.
    pub(super) fn next_element(&mut self) -> Result<(), Refusal> {
        match self.top().kind {
            FrameKind::WayList => {
                if self.aim().brief == Brief::Way {
                    let (state, index) = (self.top().way, self.top().index);
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

    /// Says where the coming element of a list on the way leads.
    fn aim_element(&mut self) -> Result<(), Refusal> {
        let index = self.top().index;
        let state = self.state();
        let named = state.indexes.iter().find(|(at, _)| *at == index).map(|(_, to)| *to);
        self.on_way(NONE);
        match named.or(state.other) {
            Some(target) => self.follow_other(target, Matched::Index(index)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether an array that comes holds elements for the field at hand rather than one of them:
    /// if the field is a collection, and not of arrays.
    pub(super) fn gathers_elements(&self) -> bool {
        let nodes = &self.plan().nodes;
        let field = &self.class().fields[self.aim().field as usize];
        element(nodes, field.node).is_some()
            && element(nodes, self.aim().node).is_none()
            && !matches!(self.item().kind, Kind::Tuple(_))
    }

    /// An array whose elements the field at hand gathers.
    pub(super) fn begin_gathered(&mut self) -> Answer {
        let top = *self.top();
        let mut frame = Frame::new(FrameKind::Gathered, self.aim().node, top.aim, self.stack.len());
        (frame.slots, frame.class) = (top.slots, top.class);
        self.push_frame(frame);
        Ok(Flow::Take)
    }

    /// Adds a value to what the field at hand gathers. Takes over the reference.
    #[inline(never)]
    pub(super) fn gather(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
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
        if element(&self.plan().nodes, field.node).is_none() {
            if !gathered.is_null() {
                let reason = format!("{:?} is matched more than once by one record", field.key);
                return Err(self.mismatch(at, reason, None, None));
            }
            self.stack.replace(place, value.into_ptr());
        } else if gathered.is_null() {
            self.stack.replace(place, PyList::new(py, [value])?.into_ptr());
        } else {
            // SAFETY: the stack owns this reference, and only this function fills such a place
            // where the field is a collection: with a list.
            let list = unsafe { Bound::from_borrowed_ptr(py, gathered).cast_into_unchecked() };
            let list: Bound<'_, PyList> = list;
            list.append(value)?;
        }
        Ok(Flow::Take)
    }
}
