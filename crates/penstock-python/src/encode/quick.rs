//! Writes the usual values without a frame and without a reference of their own: scalars of exactly
//! the builtin classes, lists of them, and objects and dicts of both.
//!
//! For whoever changes it. **No code of the caller's runs in here, and no object is made or
//! dropped**: so no container changes, and a borrowed reference is good until the function returns.
//! Whatever needs more than that is left to the walker: a value is either written, or nothing of it
//! is, or an object or a dict is begun and the walker goes on with it in a frame. The walker also
//! finds out what is wrong with a value, and where it stands.

use super::Stop;
use super::known::Known;
use super::readback::is_text_key;
use super::walk::{As, Frame, Omit, Walker};
use crate::cpython::ints::int;
use crate::cpython::text::Units;
use crate::cpython::tuples::items_of_tuple;
use crate::cpython::{Fact, holds};
use crate::plan::written::inline::Values;
use crate::plan::written::layout::{Field, Get, Layout, Name, Step};
use crate::plan::written::simple::{Simple, Takes};
use crate::plan::{ClassId, Kind, PLAIN};
use penstock_core::json::direct::Direct;
use penstock_core::protocol::Flow;
use penstock_core::writer::Writer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ptr::null_mut;

/// A class whose objects are written here.
#[derive(Clone, Copy)]
struct Class<'a> {
    class: *mut ffi::PyTypeObject,
    plan: usize,
    number: ClassId,
    layout: &'a Layout,
}

/// What is known of the values of a container.
struct Aim<'a> {
    simple: Simple,
    /// The values of a dict.
    members: Option<Simple>,
    /// The class of an object; of the last one, if nobody declared it.
    class: Option<Class<'a>>,
    is_any: bool,
}

/// What was written of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrote {
    Whole,
    Nothing,
    /// An object was begun, up to a step of its layout.
    Object {
        plan: usize,
        class: ClassId,
        next: usize,
    },
    /// A dict was begun, up to a position of `PyDict_Next`.
    Dict {
        next: ffi::Py_ssize_t,
    },
}

/// Writes while no code of the caller's runs.
pub(super) struct Quick<'a> {
    direct: Direct<'a>,
    known: &'a Known,
    omit: Omit,
}

impl<'a> Quick<'a> {
    /// None if the format or the options leave no quick way.
    #[inline(always)]
    pub(super) fn new(direct: Option<Direct<'a>>, known: &'a Known, omit: Omit) -> Option<Self> {
        Some(Quick { direct: direct?, known, omit })
    }

    /// What is known of values of a type.
    fn aim(&self, of: As) -> Aim<'a> {
        let plan = &self.known.kept[of.plan];
        let node = &plan.nodes[of.node as usize];
        let mut aim = Aim {
            simple: Simple::of(&plan.nodes, node),
            members: None,
            class: None,
            is_any: false,
        };
        if node.after.is_none() {
            match &node.kind {
                Kind::Any => {
                    aim.is_any = true;
                    aim.members = Some(aim.simple);
                }
                Kind::Dict(key, value) if is_text_key(plan, *key) => {
                    aim.members = Some(Simple::of(&plan.nodes, &plan.nodes[*value as usize]));
                }
                Kind::Class(number) => aim.class = self.class(of.plan, *number),
                _ => {}
            }
        }
        aim
    }

    /// A class of a plan, if the layout of its objects was made before.
    fn class(&self, plan: usize, number: ClassId) -> Option<Class<'a>> {
        let of = &self.known.kept[plan];
        let layout = of.made_layouts()?.class(number).ok()?;
        let class = of.classes[number as usize].class.as_ptr().cast();
        (!layout.rows).then_some(Class { class, plan, number, layout })
    }

    /// Writes a value.
    ///
    /// # Safety
    /// A live object, and the interpreter is attached.
    #[inline(always)]
    unsafe fn value(&mut self, value: *mut ffi::PyObject, aim: &mut Aim<'a>) -> Wrote {
        // SAFETY: as of this function.
        unsafe {
            let class = ffi::Py_TYPE(value);
            if let Some(known) = aim.class
                && std::ptr::eq(known.class, class)
            {
                return self.object(value, known);
            }
            if self.simple(value, aim.simple) {
                return Wrote::Whole;
            }
            if let Some(members) = aim.members
                && is(class, &raw mut ffi::PyDict_Type)
            {
                return self.dict(value, members);
            }
            if aim.is_any
                && let Some((plan, number)) = self.known.class_met(class)
                && let Some(known) = self.class(plan, number)
                && std::ptr::eq(known.class, class)
            {
                aim.class = Some(known);
                return self.object(value, known);
            }
            Wrote::Nothing
        }
    }

    /// Writes an object of a class.
    ///
    /// # Safety
    /// A live object of exactly this class.
    #[inline(always)]
    unsafe fn object(&mut self, object: *mut ffi::PyObject, known: Class<'a>) -> Wrote {
        if !self.direct.begin(b'{') {
            return Wrote::Nothing;
        }
        // SAFETY: the object is of the layout's class.
        let next = unsafe { self.fields(object, known.layout, 0) };
        if next == known.layout.steps.len() && self.direct.end(b'}') {
            return Wrote::Whole;
        }
        Wrote::Object { plan: known.plan, class: known.number, next }
    }

    /// Writes the fields of an object from a step on, and returns the first step that is left.
    ///
    /// # Safety
    /// A live object of exactly the layout's class.
    #[inline(always)]
    pub(super) unsafe fn fields(
        &mut self,
        object: *mut ffi::PyObject,
        layout: &Layout,
        from: usize,
    ) -> usize {
        if self.omit == Omit::Defaults || layout.rows {
            return from;
        }
        let mut at = from;
        // SAFETY: as of this function.
        let values = unsafe { layout.inline.values(object) };
        while let Some(step) = layout.steps.get(at) {
            let done = match step {
                // SAFETY: as of this function.
                Step::Field(field) => unsafe { self.field(object, values, field) },
                Step::Open(Name { lent, .. }) => {
                    let mark = self.direct.mark();
                    let done = self.direct.lent_key(lent.as_bytes()) && self.direct.begin(b'{');
                    if !done {
                        self.direct.back_to(mark);
                    }
                    done
                }
                Step::Close => self.direct.end(b'}'),
                Step::Rest(_) | Step::Columns(_) => false,
            };
            if !done {
                break;
            }
            at += 1;
        }
        at
    }

    /// Writes a field with a value that was read from it. False if it is left to the walker.
    #[inline(always)]
    pub(super) fn field_value(&mut self, value: &Bound<'_, PyAny>, field: &Field) -> bool {
        // SAFETY: the caller owns the value.
        unsafe { self.named(value.as_ptr(), field) }
    }

    /// Writes a field, or leaves it out. False if it is left to the walker.
    ///
    /// # Safety
    /// As for [`Quick::fields`].
    #[inline(always)]
    unsafe fn field(
        &mut self,
        object: *mut ffi::PyObject,
        values: Values<'_>,
        field: &Field,
    ) -> bool {
        let value = match &field.get {
            // SAFETY: the class has its slots at these offsets, and a slot holds an object or null.
            Get::Slot(offset) => unsafe {
                *object.cast::<u8>().add(*offset).cast::<*mut ffi::PyObject>()
            },
            // SAFETY: they are the object's values, and nothing changes it here.
            Get::Attribute(_) => unsafe { values.get(field.index) },
            Get::Fixed(value) => value.as_ptr(),
            _ => null_mut(),
        };
        if value.is_null() {
            return false;
        }
        // SAFETY: the object keeps its values, and nothing changes it here.
        unsafe {
            if self.omit == Omit::None && is_none(value) && !field.shows {
                return true;
            }
            self.named(value, field)
        }
    }

    /// Writes the key of a field and a value. False if nothing was written.
    ///
    /// # Safety
    /// A live object.
    #[inline(always)]
    unsafe fn named(&mut self, value: *mut ffi::PyObject, field: &Field) -> bool {
        let mark = self.direct.mark();
        // SAFETY: a live object.
        let done = self.direct.lent_key(field.key.lent.as_bytes())
            && unsafe { self.simple(value, field.simple) };
        if !done {
            self.direct.back_to(mark);
        }
        done
    }

    /// Writes a dict.
    ///
    /// # Safety
    /// A live dict.
    unsafe fn dict(&mut self, dict: *mut ffi::PyObject, of: Simple) -> Wrote {
        if !self.direct.begin(b'{') {
            return Wrote::Nothing;
        }
        let (mut next, mut key, mut value) = (0, null_mut(), null_mut());
        loop {
            let here = next;
            // SAFETY: a live dict, which keeps its keys and values.
            let done = unsafe {
                if ffi::PyDict_Next(dict, &raw mut next, &raw mut key, &raw mut value) == 0 {
                    return if self.direct.end(b'}') {
                        Wrote::Whole
                    } else {
                        Wrote::Dict { next: here }
                    };
                }
                let mark = self.direct.mark();
                let done = self.key(key) && self.simple(value, of);
                if !done {
                    self.direct.back_to(mark);
                }
                done
            };
            if !done {
                return Wrote::Dict { next: here };
            }
            if self.direct.is_enough() {
                return Wrote::Dict { next };
            }
        }
    }

    /// Writes a member of a dict.
    ///
    /// # Safety
    /// Live objects.
    #[inline(always)]
    unsafe fn member(
        &mut self,
        key: *mut ffi::PyObject,
        value: *mut ffi::PyObject,
        aim: &mut Aim<'a>,
    ) -> Wrote {
        let mark = self.direct.mark();
        // SAFETY: live objects.
        let wrote = unsafe { if self.key(key) { self.value(value, aim) } else { Wrote::Nothing } };
        if wrote == Wrote::Nothing {
            self.direct.back_to(mark);
        }
        wrote
    }

    /// Writes a key.
    ///
    /// # Safety
    /// A live object.
    #[inline(always)]
    unsafe fn key(&mut self, key: *mut ffi::PyObject) -> bool {
        // SAFETY: a live object, which is a `str` where it is taken for one.
        unsafe {
            is(ffi::Py_TYPE(key), &raw mut ffi::PyUnicode_Type)
                && match Units::of(key) {
                    Units::Utf8(text) => self.direct.key(text),
                    Units::One(units) => self.direct.key_units(units),
                    Units::Two(units) => self.direct.key_units(units),
                    Units::Four(units) => self.direct.key_units(units),
                }
        }
    }

    /// Writes a scalar, or a list or a tuple of scalars. False if nothing was written.
    ///
    /// # Safety
    /// A live object.
    #[inline(always)]
    unsafe fn simple(&mut self, value: *mut ffi::PyObject, of: Simple) -> bool {
        // SAFETY: a live object.
        unsafe { self.scalar(value, of.own()) || self.scalars(value, of.items) }
    }

    /// Writes a list or a tuple of scalars. False if nothing was written.
    ///
    /// # Safety
    /// A live object.
    unsafe fn scalars(&mut self, list: *mut ffi::PyObject, takes: Takes) -> bool {
        if takes == Takes::NOTHING {
            return false;
        }
        // SAFETY: a live object, which is a list or a tuple where it is taken for one, and keeps
        // its items.
        unsafe {
            let Some((items, count)) = items(list) else { return false };
            let mark = self.direct.mark();
            let mut done = self.direct.begin(b'[');
            for at in 0..count {
                done = done && self.scalar(*items.add(at), takes) && !self.direct.is_enough();
                if !done {
                    break;
                }
            }
            done = done && self.direct.end(b']');
            if !done {
                self.direct.back_to(mark);
            }
            done
        }
    }

    /// Writes a scalar. False if nothing was written.
    ///
    /// # Safety
    /// A live object.
    #[inline(always)]
    unsafe fn scalar(&mut self, value: *mut ffi::PyObject, takes: Takes) -> bool {
        // SAFETY: a live object, of exactly the class that it is taken for.
        unsafe {
            let class = ffi::Py_TYPE(value);
            if is(class, &raw mut ffi::PyUnicode_Type) {
                takes.has(Takes::STR)
                    && match Units::of(value) {
                        Units::Utf8(text) => self.direct.text(text),
                        Units::One(units) => self.direct.units(units),
                        Units::Two(units) => self.direct.units(units),
                        Units::Four(units) => self.direct.units(units),
                    }
            } else if is(class, &raw mut ffi::PyLong_Type) {
                takes.has(Takes::INT) && int(value).is_some_and(|value| self.direct.int(value))
            } else if is(class, &raw mut ffi::PyFloat_Type) {
                takes.has(Takes::FLOAT) && self.direct.float(ffi::PyFloat_AS_DOUBLE(value))
            } else if is(class, &raw mut ffi::PyBool_Type) {
                takes.has(Takes::BOOL) && self.direct.boolean(std::ptr::eq(value, ffi::Py_True()))
            } else {
                takes.has(Takes::NONE) && is_none(value) && self.direct.null()
            }
        }
    }
}

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// The plan and the number of the class of an object, if it is written by that and nothing is
    /// done to it before.
    #[inline]
    pub(super) fn known_object(
        &self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
    ) -> Option<(usize, ClassId)> {
        if W::ELEMENTS {
            return None;
        }
        let class = value.get_type_ptr();
        let Some(number) = plan else { return self.known.class_met(class) };
        let plan = &self.known.kept[number];
        let root = &plan.nodes[plan.root as usize];
        match root.kind {
            Kind::Class(id) if root.after.is_none() => {
                let planned = plan.classes[id as usize].class.as_ptr();
                std::ptr::eq(planned, class.cast()).then_some((number, id))
            }
            _ => None,
        }
    }

    /// Writes a whole object, or begins it.
    pub(super) fn root_object(
        &mut self,
        object: &Bound<'py, PyAny>,
        plan: usize,
        class: ClassId,
    ) -> Result<Flow, Stop> {
        let layouts = self.known.kept[plan].layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        if layout.rows {
            return self.push_object(object, class, plan);
        }
        let flow = self.writer.begin_map(0)?;
        let mut next = 0;
        if W::ROWS {
            let kept = self.known.kept[plan].clone_ref(self.py);
            let layout = kept.layouts(self.py)?.class(class).map_err(Stop::misfit)?;
            // SAFETY: the object is of exactly the layout's class.
            next = unsafe { self.row_fields(object.as_ptr(), layout, 0) };
        } else if let Some(mut quick) = Quick::new(self.writer.direct(), self.known, self.omit) {
            // SAFETY: the object is of exactly the layout's class.
            next = unsafe { quick.fields(object.as_ptr(), layout, 0) };
        }
        let layouts = self.known.kept[plan].layouts(self.py)?;
        if next == layouts.class(class).map_err(Stop::misfit)?.steps.len() {
            return Ok(self.writer.end_map(0)?);
        }
        let (object, depth) = (object.clone(), self.frames.len() + 1);
        self.push(Frame::Object { object, plan, class, next, depth, rows: false })?;
        Ok(flow)
    }

    /// Writes the items of the innermost list or tuple until one is a container.
    pub(super) fn sequence(&mut self) -> Result<Flow, Stop> {
        if W::ROWS {
            return self.row_sequence();
        }
        let Walker { py, writer, known, frames, omit, .. } = &mut *self;
        let py = *py;
        let (list, next, of) = match frames.last_mut() {
            Some(Frame::List { list, next, item }) => (list.as_ptr(), next, *item),
            Some(Frame::Tuple { tuple, next, item }) => (tuple.as_ptr(), next, *item),
            _ => return Ok(Flow::Take),
        };
        let mut begun = Wrote::Nothing;
        if let Some(mut quick) = Quick::new(writer.direct(), known, *omit) {
            let mut aim = quick.aim(of);
            // SAFETY: a list or a tuple that the frame owns. It keeps its items as long as only
            // this runs.
            while let Some(value) = unsafe { item(list, *next) } {
                // SAFETY: as above.
                begun = unsafe { quick.value(value, &mut aim) };
                if begun == Wrote::Nothing {
                    break;
                }
                *next += 1;
                if begun != Wrote::Whole {
                    break;
                }
                if quick.direct.is_enough() {
                    return Ok(Flow::Pause);
                }
            }
        }
        let at = *next - usize::from(!matches!(begun, Wrote::Nothing | Wrote::Whole));
        // SAFETY: as above. The item is owned from here on, whatever the caller's code does.
        let value = unsafe { item(list, at).map(|item| Bound::from_borrowed_ptr(py, item)) };
        let Some(value) = value else { return self.end_list() };
        match begun {
            Wrote::Nothing | Wrote::Whole => {
                *next += 1;
                self.value(&value, of)
            }
            begun => self.go_on(value, of, begun),
        }
    }

    /// Writes members of the innermost dict until one is a container. None if the next one is not
    /// written here, or there is none.
    pub(super) fn members(&mut self) -> Result<Option<Flow>, Stop> {
        if W::ROWS {
            return self.row_dict();
        }
        let Walker { py, writer, known, frames, omit, .. } = &mut *self;
        let py = *py;
        let Some(Frame::Dict { dict, next, size, key, value: of, current, .. }) = frames.last_mut()
        else {
            return Ok(None);
        };
        if dict.len() != *size {
            return Err(Stop::misfit("the dict changed its size while it was written"));
        }
        if !is_text_key(&known.kept[key.plan], key.node) {
            return Ok(None);
        }
        let Some(mut quick) = Quick::new(writer.direct(), known, *omit) else { return Ok(None) };
        let mut aim = quick.aim(*of);
        loop {
            let (mut here, mut key, mut value) = (*next, null_mut(), null_mut());
            // SAFETY: a live dict, and the position that the last call left. It keeps its keys and
            // values as long as only this runs.
            let begun = unsafe {
                if ffi::PyDict_Next(dict.as_ptr(), &raw mut here, &raw mut key, &raw mut value) == 0
                {
                    return Ok(None);
                }
                quick.member(key, value, &mut aim)
            };
            match begun {
                Wrote::Nothing => return Ok(None),
                Wrote::Whole if quick.direct.is_enough() => {
                    *next = here;
                    return Ok(Some(Flow::Pause));
                }
                Wrote::Whole => *next = here,
                begun => {
                    *next = here;
                    let of = *of;
                    // SAFETY: live objects, owned from here on.
                    let value = unsafe {
                        *current = Some(Bound::from_borrowed_ptr(py, key));
                        Bound::from_borrowed_ptr(py, value)
                    };
                    drop(quick);
                    return self.go_on(value, of, begun).map(Some);
                }
            }
        }
    }

    /// Makes a frame for an object or a dict that was begun.
    fn go_on(&mut self, value: Bound<'py, PyAny>, of: As, begun: Wrote) -> Result<Flow, Stop> {
        match begun {
            Wrote::Object { plan, class, next } => {
                let depth = self.frames.len() + 1;
                self.push(Frame::Object { object: value, plan, class, next, depth, rows: false })?;
            }
            Wrote::Dict { next: position } => {
                let (key, value_of) = match self.node(of).kind {
                    Kind::Dict(key, value) => (As { node: key, ..of }, As { node: value, ..of }),
                    _ => {
                        let plain = As { plan: self.plain()?, node: PLAIN };
                        (plain, plain)
                    }
                };
                let dict = value.cast_into::<PyDict>().map_err(PyErr::from)?;
                self.push_dict(dict, key, value_of, true)?;
                if let Some(Frame::Dict { next, .. }) = self.frames.last_mut() {
                    *next = position;
                }
            }
            Wrote::Whole | Wrote::Nothing => {}
        }
        Ok(Flow::Take)
    }
}

#[inline(always)]
pub(super) fn is(class: *mut ffi::PyTypeObject, builtin: *mut ffi::PyTypeObject) -> bool {
    std::ptr::eq(class, builtin)
}

#[inline(always)]
pub(super) fn is_none(value: *mut ffi::PyObject) -> bool {
    // SAFETY: the address of a static object.
    std::ptr::eq(value, unsafe { ffi::Py_None() })
}

/// The items of a list or a tuple, and their number.
///
/// # Safety
/// A live object. The items are good as long as nobody changes the list.
#[inline(always)]
unsafe fn items(list: *mut ffi::PyObject) -> Option<(*const *mut ffi::PyObject, usize)> {
    // SAFETY: the object is of exactly the class that it is taken for.
    unsafe {
        let class = ffi::Py_TYPE(list);
        let items = if !holds(Fact::Items) {
            return None;
        } else if is(class, &raw mut ffi::PyList_Type) {
            (*list.cast::<ffi::PyListObject>()).ob_item.cast_const()
        } else if is(class, &raw mut ffi::PyTuple_Type) {
            items_of_tuple(list).cast_const()
        } else {
            return None;
        };
        Some((items, ffi::Py_SIZE(list) as usize))
    }
}

/// The item of a list or a tuple at a place.
///
/// # Safety
/// A live list or tuple, of a derived class perhaps. The item is borrowed from it.
#[inline(always)]
pub(super) unsafe fn item(list: *mut ffi::PyObject, at: usize) -> Option<*mut ffi::PyObject> {
    // SAFETY: the place is inside of the list.
    unsafe {
        (at < ffi::Py_SIZE(list) as usize).then(|| {
            if ffi::PyList_Check(list) != 0 {
                ffi::PyList_GET_ITEM(list, at as isize)
            } else {
                ffi::PyTuple_GET_ITEM(list, at as isize)
            }
        })
    }
}
