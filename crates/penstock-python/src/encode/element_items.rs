//! Writes collections and dicts as elements.

use super::Stop;
use super::elements::{Each, Frame, Items, Keys, is_attribute, is_list_of, is_scalar_key, lost};
use super::readback::is_text_key;
use super::text::text_of;
use super::walk::{self, As, Walker};
use crate::plan::written::layout::Get;
use crate::plan::written::tree::{Name, Part, Place, Route, Step};
use crate::plan::{Kind, element};
use penstock_core::event::{Key, KeyKind};
use penstock_core::protocol::Flow;
use penstock_core::writer::Writer;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::collections::HashSet;

impl<'py, W: Writer> Walker<'py, '_, W> {
    pub(super) fn push_items(&mut self, items: Items<'py>, item: As, each: Each) {
        self.frames.push(walk::Frame::Elements(Frame::Items { items, next: 0, item, each }));
    }

    /// The values of a dict that is keyed by a field of theirs.
    pub(super) fn keyed(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        key: u32,
    ) -> Result<Items<'py>, Stop> {
        let Ok(dict) = value.cast::<PyDict>() else { return Err(self.unfit(value, of)) };
        let Kind::Dict(_, value_node) = self.node(of).kind else {
            return Err(self.unfit(value, of));
        };
        let Kind::Class(inner) = self.node(As { node: value_node, ..of }).kind else {
            return Err(self.unfit(value, of));
        };
        let kept = self.known.kept[of.plan].clone_ref(self.py);
        let layouts = kept.layouts(self.py)?;
        let layout = layouts.class(inner).map_err(Stop::misfit)?;
        let mut parts = layout.elements.iter().filter_map(Step::part);
        let Some(part) = parts.find(|part| part.index == key) else {
            return Err(Stop::misfit("the key of the dict is not written"));
        };
        for (name, item) in dict {
            // An object of another class may keep its values elsewhere.
            let is_own = item.get_type().is(kept.classes[inner as usize].class.bind(self.py));
            if !is_own && !matches!(part.get, Get::Key(_)) {
                return Err(self.unfit(&item, As { node: value_node, ..of }));
            }
            let own = self.get(&item, &part.get)?;
            let same = own.map(|own| own.eq(&name)).transpose();
            if !same.map_err(|error| Stop::own_code(self.py, "==", error))?.unwrap_or(false) {
                let shown = name.repr()?;
                return Err(Stop::misfit(format!(
                    "the value under the key {shown} has another key itself"
                )));
            }
        }
        Ok(Items::List(dict.values()))
    }

    /// All values of a collection, in memory.
    pub(super) fn items_of(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
    ) -> Result<Items<'py>, Stop> {
        let mut value = value.clone();
        for back in self.backs(of) {
            value = self.back(back, &value)?;
        }
        self.all_of(&value, of)
    }

    pub(super) fn all_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Items<'py>, Stop> {
        if let Ok(list) = value.cast::<PyList>() {
            return Ok(Items::List(list.clone()));
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            return Ok(Items::Tuple(tuple.clone()));
        } else if value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyDict>()
            || value.get_type().getattr_opt(intern!(self.py, "__iter__"))?.is_none()
        {
            return Err(self.unfit(value, of));
        }
        let all = PyList::empty(self.py);
        for item in value.try_iter().map_err(|error| Stop::own_code(self.py, "iterating", error))? {
            all.append(item.map_err(|error| Stop::own_code(self.py, "iterating", error))?)?;
        }
        Ok(Items::List(all))
    }

    /// A collection at any place but that of a field or of a dict's value.
    pub(super) fn items_element(
        &mut self,
        value: &Bound<'py, PyAny>,
        item: As,
        of: As,
    ) -> Result<Flow, Stop> {
        let items = self.all_of(value, of)?;
        let at_root = self.frames.is_empty();
        if matches!(self.node(of).kind, Kind::Any) && !at_root {
            return Err(Stop::misfit(
                "XML has no list here that could be read back: annotate the value as one, \
                 list[...], or write its items under a key",
            ));
        }
        if at_root && self.writer.named().record && !self.writer.named().within {
            let flow = self.writer.begin_list(0)?;
            self.push_items(items, item, Each::Repeated);
            return Ok(flow);
        }
        let flow = self.writer.begin_map(0)?;
        self.push_items(items, item, Each::Child);
        Ok(flow)
    }

    /// A tuple whose items have types of their own.
    pub(super) fn tuple_element(
        &mut self,
        tuple: &Bound<'py, PyTuple>,
        all: As,
    ) -> Result<Flow, Stop> {
        let flow = self.writer.begin_map(0)?;
        self.push_items(Items::Tuple(tuple.clone()), all, Each::Position);
        Ok(flow)
    }

    /// Writes the next of several values.
    pub(super) fn next_item(&mut self) -> Result<Flow, Stop> {
        let around = self.frames.len().wrapping_sub(2);
        let Some(walk::Frame::Elements(Frame::Items { items, next, item, each })) =
            self.frames.last_mut()
        else {
            return Ok(Flow::Take);
        };
        let (at, each, mut of) = (*next, *each, *item);
        let Some(value) = items.get(at) else {
            self.frames.pop();
            return Ok(match each {
                Each::Repeated => self.writer.end_list(0)?,
                Each::Child | Each::Position => self.writer.end_map(0)?,
                Each::Part(_) | Each::Choice(..) => Flow::Take,
            });
        };
        *next += 1;
        match each {
            Each::Repeated => self.value(&value, of),
            Each::Child => {
                let name = self.element_name(&value, of)?;
                self.writer.key(name.as_deref().unwrap_or("item").into(), 0)?;
                self.value(&value, of)
            }
            Each::Position => {
                if let Kind::Tuple(nodes) = &self.node(of).kind
                    && let Some(node) = nodes.get(at)
                {
                    of.node = *node;
                }
                self.writer.key("item".into(), 0)?;
                self.value(&value, of)
            }
            Each::Part(step) | Each::Choice(step, _) => {
                let Some(walk::Frame::Elements(Frame::Object { plan, class, .. })) =
                    self.frames.get(around)
                else {
                    return Ok(Flow::Take);
                };
                let (plan, class) = (*plan, *class);
                let kept = self.known.kept[plan].clone_ref(self.py);
                let layouts = kept.layouts(self.py)?;
                let layout = layouts.class(class).map_err(Stop::misfit)?;
                match layout.elements.get(step) {
                    Some(Step::Each(name, part)) => self.one_part(&value, name, part, of),
                    Some(Step::Choice(_, routes)) => self.one_choice(&value, routes, of, each),
                    _ => Ok(Flow::Take),
                }
            }
        }
    }

    /// An element with nothing but an attribute or a text.
    pub(super) fn one_part(
        &mut self,
        value: &Bound<'py, PyAny>,
        name: &Name,
        part: &Part,
        of: As,
    ) -> Result<Flow, Stop> {
        if value.is_none() && self.takes_none(of) {
            return Err(lost("None"));
        }
        self.writer.name(name.key(false), 0)?;
        self.writer.begin_map(0)?;
        self.scalar_of(value, &part.place, of)?;
        if self.blank {
            return Err(lost("an empty text"));
        }
        Ok(self.writer.end_map(0)?)
    }

    pub(super) fn one_choice(
        &mut self,
        value: &Bound<'py, PyAny>,
        routes: &[Route],
        of: As,
        each: Each,
    ) -> Result<Flow, Stop> {
        let route = self.route(value, routes, of)?;
        let is_text = route.place == Place::Text;
        if let Each::Choice(step, true) = each {
            if is_text {
                return Err(Stop::misfit("two texts in a row would be read back as one"));
            }
            self.set_each(Each::Choice(step, false));
        } else if let Each::Choice(step, false) = each
            && is_text
        {
            self.set_each(Each::Choice(step, true));
        }
        self.by_route(value, route, of.plan)
    }

    pub(super) fn set_each(&mut self, new: Each) {
        if let Some(walk::Frame::Elements(Frame::Items { each, .. })) = self.frames.last_mut() {
            *each = new;
        }
    }

    /// A dict becomes an element.
    pub(super) fn dict_element(
        &mut self,
        dict: Bound<'py, PyDict>,
        key: As,
        value: As,
        of: As,
    ) -> Result<Flow, Stop> {
        let plain = matches!(self.node(of).kind, Kind::Any) || self.plan(of).is_open_dict(of.node);
        let flow = self.writer.begin_map(0)?;
        let keys = if plain { Keys::Attributes } else { Keys::Names };
        self.push_dict_element(dict, key, value, keys);
        Ok(flow)
    }

    pub(super) fn push_dict_element(
        &mut self,
        dict: Bound<'py, PyDict>,
        key: As,
        value: As,
        keys: Keys,
    ) {
        let size = dict.len();
        let (current, texts) = (None, HashSet::new());
        let frame = Frame::Dict { dict, next: 0, size, key, value, keys, current, texts };
        self.frames.push(walk::Frame::Elements(frame));
    }

    /// Writes the next member of the innermost dict.
    pub(super) fn element_member(&mut self) -> Result<Flow, Stop> {
        loop {
            let Some(walk::Frame::Elements(Frame::Dict {
                dict,
                next,
                size,
                key,
                value,
                keys,
                current,
                ..
            })) = self.frames.last_mut()
            else {
                return Ok(Flow::Take);
            };
            if dict.len() != *size {
                return Err(Stop::misfit("the dict changed its size while it was written"));
            }
            let (mut found_key, mut found) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: a live dict, and the position that the last call left.
            let (name, item) = unsafe {
                if ffi::PyDict_Next(dict.as_ptr(), next, &raw mut found_key, &raw mut found) == 0 {
                    if *keys == Keys::Attributes {
                        (*keys, *next) = (Keys::Others, 0);
                        continue;
                    }
                    let ends = matches!(keys, Keys::Others | Keys::Names);
                    self.frames.pop();
                    return Ok(if ends { self.writer.end_map(0)? } else { Flow::Take });
                }
                // Both are owned from here on, whatever the caller's code does to the dict.
                (
                    Bound::from_borrowed_ptr(self.py, found_key),
                    Bound::from_borrowed_ptr(self.py, found),
                )
            };
            let (key, value, keys) = (*key, *value, *keys);
            if keys != Keys::Names {
                let attributes = matches!(keys, Keys::Attributes | Keys::AttributesOnly);
                if is_attribute(&name)? != attributes {
                    continue;
                }
            }
            *current = Some(name.clone());
            return match keys {
                Keys::Names => self.named_member(&name, &item, key, value),
                _ => self.plain_member(&name, &item, key, value),
            };
        }
    }

    /// A member of a plain dict.
    pub(super) fn plain_member(
        &mut self,
        name: &Bound<'py, PyAny>,
        item: &Bound<'py, PyAny>,
        key: As,
        value: As,
    ) -> Result<Flow, Stop> {
        self.member_key(name, key, false)?;
        if item.is_none() && is_scalar_key(name)? {
            return Ok(self.writer.null(0)?);
        }
        if is_list_of(item) {
            let items = self.all_of(item, value)?;
            let flow = self.writer.begin_list(0)?;
            self.push_items(items, value, Each::Repeated);
            return Ok(flow);
        }
        self.value(item, value)
    }

    /// A member of a dict whose values have a type.
    pub(super) fn named_member(
        &mut self,
        name: &Bound<'py, PyAny>,
        item: &Bound<'py, PyAny>,
        key: As,
        value: As,
    ) -> Result<Flow, Stop> {
        self.member_key(name, key, true)?;
        let Some(node) = element(&self.plan(value).nodes, value.node) else {
            return self.value(item, value);
        };
        if item.is_none() && self.takes_none(value) {
            return Err(lost("None"));
        }
        let items = self.items_of(item, value)?;
        if items.len() == 0 {
            return Err(lost("an empty collection"));
        }
        let flow = self.writer.begin_list(0)?;
        self.push_items(items, As { node, ..value }, Each::Repeated);
        Ok(flow)
    }

    /// Writes a key of a dict. `named` if it can only be the name of an element.
    pub(super) fn member_key(
        &mut self,
        name: &Bound<'py, PyAny>,
        of: As,
        named: bool,
    ) -> Result<(), Stop> {
        let is_text = name.is_instance_of::<PyString>();
        let made = match is_text && is_text_key(self.plan(of), of.node) {
            true => None,
            false => Some(self.checked_key(name, of)?),
        };
        let text = match &made {
            None => {
                text_of(name.cast::<PyString>().map_err(PyErr::from)?, &mut self.known.scratch)?
            }
            Some(made) => made.as_str().into(),
        };
        // Names that begin so are no attributes here, and no element can have them.
        let kind = match text.bytes() {
            [b'@' | b'#', ..] if named => KeyKind::Element,
            _ => KeyKind::Member,
        };
        self.writer.name(Key { name: text, namespace: None, prefix: None, kind }, 0)?;
        let Some(made) = made else { return Ok(()) };
        let Some(walk::Frame::Elements(Frame::Dict { dict, texts, .. })) = self.frames.last_mut()
        else {
            return Ok(());
        };
        if (!is_text && dict.contains(&made)?) || !texts.insert(made) {
            return Err(Stop::misfit("two keys of the dict are written as the same text"));
        }
        Ok(())
    }
}
