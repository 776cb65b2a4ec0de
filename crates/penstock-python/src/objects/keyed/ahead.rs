//! Members that the reader has found ahead, and whole objects of them: a loop over their values.
//!
//! Texts, integers and floats go to their place at once. All other values, and those that do not fit, take the way of
//! any value in a map.

use super::Keyed;
use crate::objects::core::Answer;
use crate::objects::core::refusal::Refusal;
use crate::objects::core::text::new_str;
use crate::objects::make;
use crate::plan::{Aim, ClassId, Kind, KindByte, Lent, Target};
use penstock_core::event::{Member, Members, Scalar};
use penstock_core::protocol::{Coming, Duplicates, Flow, Sink};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ptr;

impl<'p> Keyed<'p> {
    /// The class of the coming object, if it may come as a whole.
    #[inline(always)]
    fn class_ahead(&self) -> Option<(ClassId, &'p Lent)> {
        if self.aim().kind != KindByte::Other {
            return None;
        }
        let Kind::Class(class) = self.item().kind else { return None };
        let lent = self.core.lends?.keys(&self.plan().classes[class as usize].states[0]);
        let may = lent.is_whole()
            && self.core.options.duplicates == Duplicates::Last
            && self.core.shared.is_none();
        may.then_some((class, lent))
    }

    /// The members with which the coming object probably begins.
    #[inline(always)]
    pub(super) fn expected_object(&self) -> &[Coming] {
        match self.class_ahead() {
            Some((class, _)) if self.order.is_some() => self.first_in_order(class),
            Some((_, lent)) => lent.run(0),
            None => &[],
        }
    }

    /// Puts an object in its place, all of whose members were found.
    #[inline(never)]
    pub(super) fn make_ahead(&mut self, members: &Members<'_>, at: u64, end: u64) -> Answer {
        if let Some((class, lent)) = self.class_ahead()
            && members.values() == self.plan().classes[class as usize].fields.len()
        {
            let weight = self.core.weight;
            if let Some(object) = self.at_once(class, lent, members)? {
                let answer = self.put(object, end);
                return self.valued(answer);
            }
            self.core.weight = weight;
        }
        self.begin_map(at)?;
        self.fill_ahead(members)?;
        self.end_map(end)
    }

    /// An object of members. None, with nothing left of it, if one of them is not of the usual form.
    #[inline(always)]
    fn at_once(
        &mut self,
        class: ClassId,
        lent: &Lent,
        members: &Members<'_>,
    ) -> Result<Option<*mut ffi::PyObject>, Refusal> {
        let plan = &self.plan().classes[class as usize];
        let state = &plan.states[0];
        let (base, caches) = (self.core.stack.len(), self.core.first_cache_of(class));
        self.core.stack.push_empty(plan.fields.len());
        let first = self.first_of(state.number);
        for Member { place, value, .. } in members.iter() {
            let key = self.key_ahead(state.number, first, place) as usize;
            let made = match state.keys[key].to {
                Target::Field(aim) => self.quick(&plan.aims[aim as usize], value, caches),
                Target::State(_) => None,
            };
            let Some((field, object)) = made else {
                self.core.stack.release_from(self.attached(), base);
                return Ok(None);
            };
            self.keep(base + field as usize, object)?;
        }
        if self.core.stack.from(base).contains(&ptr::null_mut()) {
            // Two keys lead to one field.
            self.core.stack.release_from(self.attached(), base);
            return Ok(None);
        }
        self.end_in_order(state.number, lent);
        make::object_at_once(&mut self.core, plan, base).map(Some)
    }

    /// Puts the values of members that were [expected](penstock_core::protocol::Hints::members_ahead) in their places.
    #[inline(never)]
    pub(super) fn fill_ahead(&mut self, members: &Members<'_>) -> Answer {
        let (slots, caches, next) = (self.top().slots, self.first_cache(), self.top().next);
        let number = self.state().number;
        for Member { place, value, key_at, at, .. } in members.iter() {
            let key = self.key_ahead(number, next, place);
            let made = match self.core.edges[key as usize].to {
                Target::Field(aim) => self.quick(&self.core.aims[aim as usize], value, caches),
                Target::State(_) => None,
            };
            match made {
                Some((field, object)) => self.keep(slots + field as usize, object)?,
                None => self.fill_rarely(key, value, key_at, at)?,
            }
        }
        let last = self.key_ahead(number, next, members.keys() - 1);
        if (last as usize) < self.core.edges.len() {
            self.top_mut().unnamed = false;
            self.top_mut().key = last;
        } else {
            self.remember_other(last);
        }
        self.go_on_behind(last);
        Ok(Flow::Take)
    }

    /// Puts an object in a place on the stack, which takes over the reference. Null is an exception that was set.
    #[inline(always)]
    fn keep(&mut self, place: usize, object: *mut ffi::PyObject) -> Result<(), Refusal> {
        if object.is_null() {
            return Err(self.raised());
        }
        let old = self.core.stack.replace(place, object);
        if !old.is_null() {
            // SAFETY: the stack gave its reference to us.
            unsafe { drop(Bound::from_owned_ptr(self.attached(), old)) };
        }
        Ok(())
    }

    /// The field and the object of a value whose type asks for nothing more: a new reference, or null with an exception set.
    #[inline(always)]
    fn quick(
        &mut self,
        aim: &Aim,
        value: Scalar<'_>,
        caches: usize,
    ) -> Option<(u32, *mut ffi::PyObject)> {
        let py = self.attached();
        let object = match (value, aim.kind) {
            (Scalar::Text(text), KindByte::Str) => {
                self.core.weight += text.bytes().len() as u64;
                self.core.caches.value(py, caches + aim.field as usize, text)
            }
            (Scalar::Text(text), KindByte::Any) => {
                self.core.weight += text.bytes().len() as u64;
                new_str(py, text)
            }
            // SAFETY: makes a new object; the interpreter is attached during events.
            (Scalar::Int(value), KindByte::Int | KindByte::Any) => unsafe {
                ffi::PyLong_FromLongLong(value)
            },
            // SAFETY: as above.
            (Scalar::Float(value), KindByte::Float | KindByte::Any) => unsafe {
                ffi::PyFloat_FromDouble(value)
            },
            (Scalar::Bool(value), _) if !aim.finishes && self.is_bool(aim) => {
                // SAFETY: makes no object, but a reference to one of two that live for ever.
                unsafe { ffi::PyBool_FromLong(value.into()) }
            }
            (Scalar::Null, _) if !aim.finishes && self.plan().nodes[aim.node as usize].nullable => {
                self.core.new_none()
            }
            _ => return None,
        };
        Some((aim.field, object))
    }

    /// Whether any truth value is one of a field's.
    #[inline(always)]
    fn is_bool(&self, aim: &Aim) -> bool {
        aim.kind == KindByte::Any
            || aim.kind == KindByte::Other && matches!(self.kind(aim.node), Kind::Bool)
    }

    /// Puts a value in its place, as that of any key.
    #[inline(never)]
    fn fill_rarely(
        &mut self,
        key: u32,
        value: Scalar<'_>,
        key_at: u64,
        at: u64,
    ) -> Result<(), Refusal> {
        self.top_mut().next = key;
        self.expected_key_found(key_at)?;
        match value {
            Scalar::Null => self.null(at),
            Scalar::Bool(value) => self.boolean(value, at),
            Scalar::Int(value) => self.int(value, at),
            Scalar::Float(value) => self.float(value, at),
            Scalar::Text(text) => self.text(text, at),
            value => self.scalar(value, at),
        }?;
        Ok(())
    }
}
