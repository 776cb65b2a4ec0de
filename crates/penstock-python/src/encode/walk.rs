//! Walks an object and tells a writer its values.
//!
//! For whoever changes it. `frames` are the open containers, outermost first; the last one is asked
//! for its next value until it has none. A scalar is told at once, a container gets a frame. Code of
//! the caller's may run at any attribute, hash or function, and may change what is being walked: so
//! a frame owns its container and checks its size at each step.

use super::Stop;
use super::elements;
use super::known::Known;
use super::quick::Quick;
use super::values::class_name;
use crate::plan::written::layout::{Field, Get, Layout, Name, NoPart, Step, Within};
use crate::plan::{Absent, ClassPlan, Kind, NodeId, Plan, is_object_of};
use penstock_core::protocol::Flow;
use penstock_core::writer::Writer;
use pyo3::exceptions::{PyAttributeError, PyMemoryError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyMapping, PyString, PyTuple};
use std::collections::HashSet;

/// The fields that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Omit {
    /// None.
    #[default]
    Nothing,
    /// Those whose value is None.
    None,
    /// Those whose value is the default of their class.
    Defaults,
}

/// A type: a plan and one of its nodes.
#[derive(Clone, Copy)]
pub(super) struct As {
    pub(super) plan: usize,
    pub(super) node: NodeId,
}

/// A container that is being written.
pub(super) enum Frame<'py> {
    List {
        list: Bound<'py, PyList>,
        next: usize,
        item: As,
    },
    Tuple {
        tuple: Bound<'py, PyTuple>,
        next: usize,
        item: As,
    },
    /// A tuple whose items have types of their own.
    Fixed {
        tuple: Bound<'py, PyTuple>,
        next: usize,
        all: As,
    },
    /// Anything else that can be iterated over.
    Items {
        items: Bound<'py, PyIterator>,
        next: usize,
        item: As,
    },
    Dict {
        dict: Bound<'py, PyDict>,
        next: ffi::Py_ssize_t,
        size: usize,
        key: As,
        value: As,
        ends: bool,
        current: Option<Bound<'py, PyAny>>,
        /// The keys that were no text.
        texts: Option<HashSet<String>>,
    },
    Object {
        object: Bound<'py, PyAny>,
        plan: usize,
        class: u32,
        next: usize,
        depth: usize,
        /// Whether the object is an array of its fields' values.
        rows: bool,
    },
    /// In a format of elements.
    Elements(elements::Frame<'py>),
}

/// Walks objects, and tells a writer.
pub(crate) struct Walker<'py, 'w, W> {
    pub(super) py: Python<'py>,
    pub(super) writer: &'w mut W,
    pub(super) known: &'w mut Known,
    pub(super) omit: Omit,
    pub(super) frames: Vec<Frame<'py>>,
    /// How often the value at hand was replaced by what a function, or an `Enum`, has for it.
    pub(super) conversions: u32,
    /// Whether the text that was written last counts as absent when it is read.
    pub(super) blank: bool,
    /// Whether the coming value is that of a field with a default, if it has declared forms.
    pub(super) absent: bool,
}

/// Takes the text of a writer that has enough.
pub(crate) type HandOn<'a, W> = &'a mut dyn FnMut(&mut W) -> PyResult<()>;

impl<'py, 'w, W: Writer> Walker<'py, 'w, W> {
    pub(crate) fn new(
        py: Python<'py>,
        writer: &'w mut W,
        known: &'w mut Known,
        omit: Omit,
    ) -> Self {
        Walker {
            py,
            writer,
            known,
            omit,
            frames: Vec::new(),
            conversions: 0,
            blank: false,
            absent: false,
        }
    }

    /// The writer, between two objects.
    pub(crate) fn writer(&mut self) -> &mut W {
        self.writer
    }

    /// Writes one object. `hand_on` is called when the writer has enough text.
    pub(crate) fn write(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
        hand_on: HandOn<'_, W>,
    ) -> PyResult<()> {
        let Err(stop) = self.whole(value, plan, hand_on) else { return Ok(()) };
        let placed = self.placed(stop);
        self.frames.clear();
        self.writer.abandon();
        let (stop, path) = placed?;
        Err(stop.into_error(self.py, path))
    }

    /// The reason, and the path to the value that it is about.
    #[cold]
    fn placed(&self, stop: Stop) -> PyResult<(Stop, String)> {
        let Some((inner, outer)) = self.cycle()? else {
            return Ok((stop, self.path(self.frames.len())?));
        };
        let outer = self.path(outer)?;
        let whole = if outer.is_empty() { "the whole value" } else { &*outer };
        let reason = format!("it contains itself: it is {whole}");
        Ok((Stop::misfit(reason), self.path(inner)?))
    }

    pub(super) fn whole(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
        hand_on: HandOn<'_, W>,
    ) -> Result<(), Stop> {
        if W::ELEMENTS {
            self.name_root(value, plan)?;
        }
        if W::ROWS && self.writer.wants_columns() {
            self.say_columns_for(value, plan)?;
        }
        let flow = match (self.known_object(value, plan), plan) {
            (Some((plan, class)), _) => self.root_object(value, plan, class)?,
            (None, Some(plan)) => {
                let node = self.known.kept[plan].root;
                self.value(value, As { plan, node })?
            }
            (None, None) => self.any(value)?,
        };
        self.complete(flow, hand_on)
    }

    /// Writes whatever is left of the open containers.
    pub(super) fn complete(&mut self, mut flow: Flow, hand_on: HandOn<'_, W>) -> Result<(), Stop> {
        loop {
            if flow == Flow::Pause {
                hand_on(self.writer)?;
            }
            let Some(frame) = self.frames.last_mut() else { return Ok(()) };
            flow = match frame {
                Frame::List { .. } | Frame::Tuple { .. } => self.sequence()?,
                Frame::Fixed { tuple, next, all } => match tuple.get_item(*next).ok() {
                    Some(value) => {
                        let (at, all) = (*next, *all);
                        *next += 1;
                        let node = match &self.node(all).kind {
                            Kind::Tuple(nodes) => nodes[at],
                            _ => crate::plan::PLAIN,
                        };
                        self.value(&value, As { plan: all.plan, node })?
                    }
                    None => self.end_list()?,
                },
                Frame::Items { items, next, item } => match items.next() {
                    Some(value) => {
                        let item = *item;
                        *next += 1;
                        let value =
                            value.map_err(|error| Stop::own_code(self.py, "iterating", error))?;
                        self.value(&value, item)?
                    }
                    None => self.end_list()?,
                },
                Frame::Dict { .. } => self.member()?,
                Frame::Object { .. } => self.fields()?,
                Frame::Elements(_) => self.next_element()?,
            };
        }
    }

    #[inline]
    pub(super) fn end_list(&mut self) -> Result<Flow, Stop> {
        self.frames.pop();
        Ok(self.writer.end_list(0)?)
    }

    pub(super) fn plan(&self, of: As) -> &Plan {
        &self.known.kept[of.plan]
    }

    pub(super) fn node(&self, of: As) -> &crate::plan::Node {
        &self.known.kept[of.plan].nodes[of.node as usize]
    }

    /// Writes the next member of the innermost dict.
    pub(super) fn member(&mut self) -> Result<Flow, Stop> {
        if let Some(flow) = self.members()? {
            return Ok(flow);
        }
        let Some(Frame::Dict { dict, next, key, value, ends, current, .. }) =
            self.frames.last_mut()
        else {
            return Ok(Flow::Take);
        };
        let (mut found_key, mut found) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a live dict, and the position that the last call left.
        let (name, item) = unsafe {
            if ffi::PyDict_Next(dict.as_ptr(), next, &raw mut found_key, &raw mut found) == 0 {
                let ends = *ends;
                self.frames.pop();
                return Ok(if ends { self.writer.end_map(0)? } else { Flow::Take });
            }
            // Both are owned from here on, whatever the caller's code does to the dict.
            (Bound::from_borrowed_ptr(self.py, found_key), Bound::from_borrowed_ptr(self.py, found))
        };
        let (key, value) = (*key, *value);
        *current = Some(name.clone());
        self.key(&name, key)?;
        self.value(&item, value)
    }

    pub(super) fn is_plain(&self, of: As) -> bool {
        self.node(of).after.is_none()
    }

    /// Writes fields of the innermost object until one is a container.
    pub(super) fn fields(&mut self) -> Result<Flow, Stop> {
        let Some(&mut Frame::Object { ref object, plan, class, ref mut next, depth, rows }) =
            self.frames.last_mut()
        else {
            return Ok(Flow::Take);
        };
        // The plan is not dropped while the walker works, but the borrow checker cannot know.
        let kept = self.known.kept[plan].clone_ref(self.py);
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        let object = object.clone();
        let mut at = *next;
        layout.inline.learn(&object, &layout.steps)?;
        loop {
            if let Some(Step::Field(Field { get, .. })) = layout.steps.get(at)
                && (matches!(get, Get::Slot(_))
                    || (layout.inline.is_known() && matches!(get, Get::Attribute(_))))
                && let Some(mut quick) = Quick::new(self.writer.direct(), self.known, self.omit)
            {
                // SAFETY: the frame's object is of exactly the layout's class.
                at = unsafe { quick.fields(object.as_ptr(), layout, at) };
            }
            if W::ROWS {
                // SAFETY: as above; and an object with its values in a tuple is one.
                at = unsafe { self.row_fields(object.as_ptr(), layout, at) };
            }
            let Some(step) = layout.steps.get(at) else { break };
            at += 1;
            // For a path in an error, and for the next call.
            if let Some(Frame::Object { next, .. }) = self.frames.last_mut() {
                *next = at;
            }
            match step {
                Step::Field(field) => {
                    // In an array each value has its place, so none is left out.
                    let value = if rows {
                        self.get(&object, &field.get)?
                    } else {
                        self.field_value(&object, field, &kept.classes[class as usize])?
                    };
                    let Some(value) = value else {
                        if W::ROWS || matches!(field.get, Get::Key(_)) {
                            self.check_lack(&object, field, &kept, class)?;
                        }
                        continue;
                    };
                    if W::ROWS && self.row_value(&value, field, layout, at - 1) {
                        continue;
                    }
                    if !rows
                        && let Some(mut quick) =
                            Quick::new(self.writer.direct(), self.known, self.omit)
                        && quick.field_value(&value, field)
                    {
                        continue;
                    }
                    if !rows {
                        self.writer.lent_key(field.key.lent.as_bytes(), &field.key.name)?;
                    }
                    let of = As { plan, node: field.node };
                    if W::LEXICAL && kept.nodes[of.node as usize].cells.is_some() {
                        let class = &kept.classes[class as usize];
                        self.absent = !matches!(kept.absent(class, field.index), Absent::Error);
                    }
                    let flow = self.value(&value, of)?;
                    if flow == Flow::Pause || self.frames.len() > depth {
                        return Ok(flow);
                    }
                }
                Step::Open(Name { name, lent }) => {
                    self.writer.lent_key(lent.as_bytes(), name)?;
                    self.writer.begin_map(0)?;
                }
                Step::Close => {
                    self.writer.end_map(0)?;
                }
                Step::Columns(columns) => {
                    if let Some(value) = self.get(&object, &columns.get)? {
                        self.spread(&value, columns, plan)?;
                    }
                }
                Step::Rest(get) => {
                    let Some(rest) = self.get(&object, get)? else { continue };
                    if rest.is_none() {
                        continue;
                    }
                    let Ok(rest) = rest.cast_into::<PyDict>() else {
                        return Err(Stop::misfit("the rest must be a dict"));
                    };
                    for key in rest.keys() {
                        if let Ok(key) = key.cast::<PyString>()
                            && layout.writes(&key.to_string_lossy())
                        {
                            let reason = format!("the rest has the key {key:?} of a field");
                            return Err(Stop::misfit(reason));
                        }
                    }
                    let any = As { plan, node: crate::plan::PLAIN };
                    self.push_dict(rest, any, any, false)?;
                    return Ok(Flow::Take);
                }
            }
        }
        if W::ROWS && !layout.parts.is_empty() {
            self.check_parts(&object, layout)?;
        }
        self.frames.pop();
        Ok(if rows { self.writer.end_list(0)? } else { self.writer.end_map(0)? })
    }

    /// The value of a field, unless it is left out.
    #[inline]
    pub(super) fn field_value(
        &self,
        object: &Bound<'py, PyAny>,
        field: &Field,
        class: &ClassPlan,
    ) -> Result<Option<Bound<'py, PyAny>>, Stop> {
        let Some(value) = self.get(object, &field.get)? else { return Ok(None) };
        let absent = class.fields[field.index as usize].default();
        let omitted = !field.shows && self.omits(&value, absent)?;
        Ok((!omitted).then_some(value))
    }

    /// Whether the value of a field is left out.
    #[inline]
    pub(super) fn omits(&self, value: &Bound<'py, PyAny>, absent: &Absent) -> Result<bool, Stop> {
        match self.omit {
            // Where nothing can be written for None, the default says it, if that is None.
            Omit::Nothing if !W::NULLS && value.is_none() => self.is_default(value, absent),
            Omit::Nothing => Ok(false),
            Omit::None => Ok(value.is_none()),
            Omit::Defaults => self.is_default(value, absent),
        }
    }

    pub(super) fn is_default(
        &self,
        value: &Bound<'py, PyAny>,
        absent: &Absent,
    ) -> Result<bool, Stop> {
        let py = self.py;
        let default = match absent {
            Absent::Error | Absent::Unset => return Ok(false),
            Absent::Value(default) => default.bind(py).clone(),
            Absent::Factory(factory) => factory
                .bind(py)
                .call0()
                .map_err(|error| Stop::own_code(py, "the default's factory", error))?,
        };
        // 1 is no True, and 1.0 no 1, when it is read back.
        if !value.get_type().is(default.get_type()) {
            return Ok(false);
        }
        value.eq(default).map_err(|error| Stop::own_code(py, "==", error))
    }

    /// The value that an object keeps at a place; none if it has none there.
    #[inline]
    pub(super) fn get(
        &self,
        object: &Bound<'py, PyAny>,
        get: &Get,
    ) -> Result<Option<Bound<'py, PyAny>>, Stop> {
        match get {
            Get::Slot(offset) => {
                // SAFETY: the frame's object is of exactly the plan's class, whose slots were found
                // at these offsets. A slot holds an object or null.
                let value = unsafe {
                    let slot = object.as_ptr().cast::<u8>().add(*offset);
                    Bound::from_borrowed_ptr_or_opt(self.py, *slot.cast::<*mut ffi::PyObject>())
                };
                match value {
                    Some(value) => Ok(Some(value)),
                    None => Err(Stop::misfit("the object has no value for the field")),
                }
            }
            Get::Attribute(name) => match object.getattr(name.bind(self.py)) {
                Ok(value) => Ok(Some(value)),
                Err(error) if error.is_instance_of::<PyAttributeError>(self.py) => {
                    Err(Stop::Misfit("the object has no value for the field".into(), Some(error)))
                }
                Err(error) => Err(Stop::own_code(self.py, "the attribute", error)),
            },
            Get::Item(place) => {
                let tuple = object.cast::<PyTuple>().map_err(PyErr::from)?;
                Ok(Some(tuple.get_item(*place)?))
            }
            Get::Key(name) => {
                let dict = object.cast::<PyDict>().map_err(PyErr::from)?;
                Ok(dict.get_item(name.bind(self.py))?)
            }
            Get::Fixed(value) => Ok(Some(value.bind(self.py).clone())),
            Get::Unless(unset, get) => {
                Ok(self.get(object, get)?.filter(|value| !value.is(unset.bind(self.py))))
            }
            Get::Within(within) => self.within(object, within),
        }
    }

    /// The value that a part of an object keeps; none if the object has no such part.
    #[inline(never)]
    fn within(
        &self,
        object: &Bound<'py, PyAny>,
        within: &Within,
    ) -> Result<Option<Bound<'py, PyAny>>, Stop> {
        let Some(part) = self.get(object, &within.part)? else { return Ok(None) };
        let class = part.get_type().as_ptr() as usize;
        if class == within.class || (within.is_dict && part.is_instance_of::<PyDict>()) {
            return self.get(&part, &within.get);
        }
        match within.none {
            NoPart::Absent if part.is_none() => Ok(None),
            NoPart::Default if part.is_none() => {
                Err(Stop::misfit("None is left out here, and would not be read as None"))
            }
            _ => {
                let (expected, got) = (&within.name, class_name(&part)?);
                Err(Stop::misfit(format!("expected {expected}, got {got}")))
            }
        }
    }

    /// A list, or anything that is iterated over.
    pub(super) fn items(
        &mut self,
        value: &Bound<'py, PyAny>,
        item: As,
        of: As,
    ) -> Result<Flow, Stop> {
        if W::ELEMENTS {
            return self.items_element(value, item, of);
        }
        if let Ok(list) = value.cast::<PyList>() {
            let flow = self.writer.begin_list(0)?;
            self.push_with(|| Frame::List { list: list.clone(), next: 0, item })?;
            return Ok(flow);
        }
        let frame = if let Ok(tuple) = value.cast::<PyTuple>() {
            Frame::Tuple { tuple: tuple.clone(), next: 0, item }
        } else if value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyDict>()
            || value.get_type().getattr_opt(intern!(self.py, "__iter__"))?.is_none()
        {
            return Err(self.unfit(value, of));
        } else if let Some(flow) = self.in_order(value, item)? {
            return Ok(flow);
        } else {
            let items =
                value.try_iter().map_err(|error| Stop::own_code(self.py, "iterating", error))?;
            Frame::Items { items, next: 0, item }
        };
        let flow = self.writer.begin_list(0)?;
        self.push(frame)?;
        Ok(flow)
    }

    pub(super) fn dict(
        &mut self,
        value: &Bound<'py, PyAny>,
        key: As,
        item: As,
        of: As,
    ) -> Result<Flow, Stop> {
        let dict = if let Ok(dict) = value.cast::<PyDict>() {
            dict.clone()
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            let copy = PyDict::new(self.py);
            copy.update(mapping).map_err(|error| Stop::own_code(self.py, "the mapping", error))?;
            copy
        } else {
            return Err(self.unfit(value, of));
        };
        if W::ELEMENTS {
            return self.dict_element(dict, key, item, of);
        }
        let flow = self.writer.begin_map(0)?;
        self.push_dict(dict, key, item, true)?;
        Ok(flow)
    }

    /// Opens a container.
    #[inline]
    pub(super) fn push(&mut self, frame: Frame<'py>) -> Result<(), Stop> {
        self.push_with(|| frame)
    }

    /// Opens a container. Its frame is made where it stays: one that is made elsewhere is copied in
    /// wide parts, which the processor cannot read before all stores so far are done.
    #[inline(always)]
    fn push_with(&mut self, frame: impl FnOnce() -> Frame<'py>) -> Result<(), Stop> {
        let open = self.frames.len();
        if open == self.frames.capacity() {
            self.frames.try_reserve(1).map_err(|_| PyMemoryError::new_err(()))?;
        }
        // SAFETY: there is room for one more.
        unsafe {
            self.frames.as_mut_ptr().add(open).write(frame());
            self.frames.set_len(open + 1);
        }
        Ok(())
    }

    pub(super) fn push_dict(
        &mut self,
        dict: Bound<'py, PyDict>,
        key: As,
        value: As,
        ends: bool,
    ) -> Result<(), Stop> {
        let size = dict.len();
        let (current, texts) = (None, None);
        self.push_with(|| Frame::Dict { dict, next: 0, size, key, value, ends, current, texts })
    }

    pub(super) fn object(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        of: As,
    ) -> Result<Flow, Stop> {
        self.object_as(value, class, of, false)
    }

    /// An object of a class; by its keys, if `keyed`, where the class is also written as an array.
    pub(super) fn object_as(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        of: As,
        keyed: bool,
    ) -> Result<Flow, Stop> {
        let planned = self.plan(of).classes[class as usize].class.bind(self.py);
        let typed_dict = value.is_instance_of::<PyDict>() && self.is_typed_dict(of);
        if value.get_type().is(planned) || typed_dict {
            if typed_dict {
                self.check_keys(value, class, of)?;
            }
            return self.push_keyed(value, class, of.plan, keyed);
        }
        if is_object_of(value, planned) {
            let (expected, got) = (&self.node(of).written, class_name(value)?);
            return Err(Stop::misfit(format!(
                "expected {expected}, got {got}, which would be read back as {expected}"
            )));
        }
        Err(self.unfit(value, of))
    }

    /// Refuses a dict with a key that its class does not have: it would be lost.
    fn check_keys(&self, value: &Bound<'py, PyAny>, class: u32, of: As) -> Result<(), Stop> {
        let class = &self.plan(of).classes[class as usize];
        if class.rest.is_some() {
            return Ok(());
        }
        let dict = value.cast::<PyDict>().map_err(PyErr::from)?;
        for key in dict.keys() {
            let mut known = class.own().iter().map(|field| field.name.bind(self.py));
            if !known.any(|name| name.is(&key) || key.eq(name).unwrap_or(false)) {
                let (key, class) = (key.repr()?, &class.name);
                return Err(Stop::misfit(format!("{class} has no key {key}")));
            }
        }
        Ok(())
    }

    pub(super) fn push_object(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        plan: usize,
    ) -> Result<Flow, Stop> {
        self.push_keyed(value, class, plan, false)
    }

    fn push_keyed(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        plan: usize,
        keyed: bool,
    ) -> Result<Flow, Stop> {
        if W::ELEMENTS {
            return self.push_element(value, class, plan);
        }
        let layouts = self.known.kept[plan].layouts(self.py)?;
        let Layout { rows, only_rows, .. } = layouts.class(class).map_err(Stop::misfit)?;
        let rows = *rows && (*only_rows || !keyed);
        let flow = if rows { self.writer.begin_list(0)? } else { self.writer.begin_map(0)? };
        let depth = self.frames.len() + 1;
        let object = value.clone();
        self.push_with(|| Frame::Object { object, plan, class, next: 0, depth, rows })?;
        Ok(flow)
    }
}
