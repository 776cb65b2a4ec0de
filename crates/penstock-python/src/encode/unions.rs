//! Values of unions: the value itself says which member it is.

use super::Stop;
use super::readback::is_text_key;
use super::text::{copied, text_of};
use super::values::enum_value;
use super::walk::{As, Frame, Walker};
use crate::plan::{Absent, Build, Choice, Kind, NodeId, TagRule, Tagged, Target};
use penstock_core::protocol::Flow;
use penstock_core::writer::Writer;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use std::borrow::Cow;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// The member of a union to which a value belongs, as far as its own class shows it.
    pub(super) fn member_of(&self, value: &Bound<'py, PyAny>, of: As) -> Option<NodeId> {
        self.plan(of).member_of(of.node, value)
    }

    /// Writes a value of a union as a member, or a value of a choice.
    pub(super) fn as_member(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        member: NodeId,
    ) -> Result<Flow, Stop> {
        let member = As { node: member, ..of };
        match &self.node(of).kind {
            Kind::Tokens(tokens) => {
                // A reader takes every row of such a union for an object.
                if W::ROWS && tokens.map.is_some() && tokens.list == Some(member.node) {
                    return Err(self.no_array(of));
                }
                // An array of its fields' values would be read as the list.
                if tokens.map == Some(member.node)
                    && tokens.list.is_some_and(|list| list != member.node)
                    && let Kind::Class(class) = self.node(member).kind
                    && self.is_plain(member)
                {
                    return self.object_as(value, class, member, true);
                }
                self.typed(value, member)
            }
            _ => self.chosen(value, of),
        }
    }

    /// A value of a choice.
    fn chosen(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let plain = enum_value(value)?.unwrap_or_else(|| value.clone());
        let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
        if choice.holds(value) {
            return if plain.is_none() { Ok(self.writer.null(0)?) } else { self.any(&plain) };
        }
        let known = if let Ok(flag) = plain.cast::<PyBool>() {
            choice.bools[usize::from(flag.is_true())].is_some()
        } else if let Ok(text) = plain.cast::<PyString>() {
            let text = text_of(text, &mut self.known.scratch)?.bytes();
            let text = copied(text)?;
            let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
            choice.texts.find(&text).is_some()
        } else if plain.is_instance_of::<PyInt>() {
            let number: Option<i64> = plain.extract().ok();
            choice.ints.iter().any(|(known, _)| Some(*known) == number)
        } else {
            false
        };
        let is_missing = |choice: &Choice| choice.enum_class.is_some();
        let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
        if known || is_missing(choice) { self.any(&plain) } else { Err(self.unfit(value, of)) }
    }

    /// Whether a value is one of a type, as far as its own class shows it.
    pub(super) fn takes(&self, value: &Bound<'py, PyAny>, of: As) -> bool {
        self.plan(of).takes(of.node, value)
    }

    pub(super) fn is_typed_dict(&self, of: As) -> bool {
        let Kind::Class(class) = &self.node(of).kind else { return false };
        matches!(self.plan(of).classes[*class as usize].build, Build::Dict(_))
    }

    #[cold]
    fn no_array(&self, of: As) -> Stop {
        let written = &self.node(of).written;
        Stop::misfit(format!("a row is no array, by which {written} are told apart"))
    }

    /// An object of one of several classes: with the tag that tells them apart.
    pub(super) fn tagged(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let Kind::Tagged(tagged) = &self.node(of).kind else { return self.any(value) };
        if W::ROWS && matches!(tagged.by, TagRule::First { .. }) {
            return Err(self.no_array(of));
        }
        let member = match value.cast::<PyDict>() {
            Ok(dict) => self.dict_member(dict, of)?,
            Err(_) => self.object_member(value, of),
        };
        let Kind::Tagged(tagged) = &self.node(of).kind else { return self.any(value) };
        let Some(member) = member else { return Err(self.unfit(value, of)) };
        let tag = match &tagged.by {
            TagRule::Value { tag, namespace, texts, classes, ints, .. } => {
                let tag = (tag.clone(), namespace.clone());
                let text = classes.iter().position(|node| *node == member);
                let int = ints.iter().find(|(_, node)| *node == member);
                match (text, int) {
                    (Some(place), _) => Some((tag, TagOf::Text(texts[place].clone()))),
                    (None, Some((int, _))) => Some((tag, TagOf::Int(*int))),
                    (None, None) => None,
                }
            }
            _ => None,
        };
        let before = self.frames.len();
        let member = As { node: member, ..of };
        let flow = match self.node(member).kind {
            // An array would not be told from those of other classes.
            Kind::Class(class) if self.is_plain(member) => {
                self.object_as(value, class, member, true)?
            }
            _ => self.typed(value, member)?,
        };
        // The object has begun, and no member of it is written. A class may have the tag itself.
        if let Some(((key, namespace), tag)) = tag
            && self.frames.len() > before
        {
            if W::ELEMENTS {
                self.tag_attribute(&key, &namespace, &tag)?;
                return Ok(flow);
            }
            if self.names(&key)? {
                return Ok(flow);
            }
            self.writer.key((&*key).into(), 0)?;
            match tag {
                TagOf::Text(text) => self.writer.text((&*text).into(), 0)?,
                TagOf::Int(int) => self.writer.int(int, 0)?,
            };
        }
        Ok(flow)
    }

    /// The member of a union of classes to which an object belongs: its own class, or else what takes it.
    fn object_member(&self, value: &Bound<'py, PyAny>, of: As) -> Option<NodeId> {
        let Kind::Tagged(tagged) = &self.node(of).kind else { return None };
        let class = value.get_type();
        let of_class = |node: &NodeId| match self.node(As { node: *node, ..of }).kind {
            Kind::Class(id) => self.plan(of).classes[id as usize].class.bind(self.py).is(&class),
            _ => false,
        };
        let fits = |node: &NodeId| self.takes(value, As { node: *node, ..of });
        tagged.every().find(of_class).or_else(|| tagged.every().find(fits))
    }

    /// The member of a union of classes to which a dict belongs: the class with its keys, of which
    /// a reader will find that they are of this class.
    fn dict_member(&mut self, dict: &Bound<'py, PyDict>, of: As) -> Result<Option<NodeId>, Stop> {
        let Kind::Tagged(tagged) = &self.node(of).kind else { return Ok(None) };
        let mut found: Option<NodeId> = None;
        for node in tagged.every() {
            if found == Some(node) || !self.is_dict_of(dict, As { node, ..of }, tagged)? {
                continue;
            }
            if let Some(other) = found {
                let name = |node: NodeId| &self.node(As { node, ..of }).written;
                let (one, more) = (name(other), name(node));
                let reason = format!("nothing tells whether the dict is of {one} or {more}");
                return Err(Stop::misfit(reason));
            }
            found = Some(node);
        }
        let Some(other) = tagged.other.filter(|_| found.is_none()) else { return Ok(found) };
        let is_dict =
            matches!(self.node(As { node: other, ..of }).kind, Kind::Dict(..) | Kind::Any);
        if !is_dict {
            return Ok(None);
        }
        // A dict of its own must not look like an object of a class.
        let class = self.class_of_keys(dict, of, As { node: other, ..of })?;
        match class {
            Some(class) => {
                let class = &self.node(As { node: class, ..of }).written;
                Err(Stop::misfit(format!("the dict would be read back as {class}")))
            }
            None => Ok(Some(other)),
        }
    }

    /// The class that a reader takes a dict for, by its keys and tag as they are written.
    fn class_of_keys(
        &mut self,
        dict: &Bound<'py, PyDict>,
        of: As,
        other: As,
    ) -> Result<Option<NodeId>, Stop> {
        let of_key = match self.node(other).kind {
            Kind::Dict(key, _) => As { node: key, ..of },
            _ => other,
        };
        // A list of them, because what makes text of a key may change the dict.
        for key in dict.keys() {
            let text = match key.cast::<PyString>().ok().and_then(|key| key.to_str().ok()) {
                Some(text) if is_text_key(self.plan(of), of_key.node) => Cow::Borrowed(text),
                _ => Cow::Owned(self.key_text(&key, of_key)?),
            };
            let Kind::Tagged(tagged) = &self.node(of).kind else { return Ok(None) };
            match &tagged.by {
                TagRule::Value { tag, texts, classes, ints, .. } if *text == **tag => {
                    let Some(value) = dict.get_item(&key)? else { return Ok(None) };
                    let value = enum_value(&value)?.unwrap_or(value);
                    let text = value.extract::<String>().ok();
                    let int = value.extract::<i64>().ok();
                    let place = texts.iter().position(|known| text.as_deref() == Some(&**known));
                    let by_int = ints.iter().find(|(known, _)| Some(*known) == int);
                    return Ok(place.map(|place| classes[place]).or(by_int.map(|(_, node)| *node)));
                }
                TagRule::Keys { table, classes } => {
                    if let Some(found) = table.find(text.as_bytes()) {
                        return Ok(Some(classes[found as usize]));
                    }
                }
                TagRule::Value { .. } => {}
                TagRule::First { .. } | TagRule::Unsettled => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether a dict has the keys of a dict class, and a reader finds that it is of that one.
    fn is_dict_of(&self, dict: &Bound<'py, PyDict>, of: As, tagged: &Tagged) -> Result<bool, Stop> {
        let Kind::Class(class) = self.node(of).kind else { return Ok(false) };
        if !self.is_typed_dict(of) {
            return Ok(false);
        }
        let plan = self.plan(of);
        let class = &plan.classes[class as usize];
        let mut known = 0;
        for field in class.own() {
            let value = dict.get_item(field.name.bind(self.py))?;
            if value.is_none() && matches!(field.absent, Absent::Error) {
                return Ok(false);
            }
            known += usize::from(value.is_some());
        }
        if known < dict.len() && class.rest.is_none() {
            return Ok(false);
        }
        let keys = &class.states[0].keys;
        let member = |field: u32| {
            let field = class.fields.get(field as usize)?;
            dict.get_item(field.name.bind(self.py)).ok().flatten()
        };
        match &tagged.by {
            TagRule::Value { tag, .. } => {
                for edge in keys.iter().filter(|edge| edge.name == *tag) {
                    let Target::Field(field) = edge.to else { continue };
                    let Some(value) = member(field) else { return Ok(false) };
                    let node = &plan.nodes[class.fields[field as usize].node as usize];
                    if let Kind::Choice(choice) = &node.kind
                        && !choice.holds(&value)
                    {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TagRule::Keys { table, classes } => {
                let mut there = keys.iter().filter(|edge| match edge.to {
                    Target::Field(field) => member(field).is_some(),
                    Target::State(_) => true,
                });
                let told = there.find_map(|edge| table.find(edge.name.as_bytes()));
                let told = told.map(|found| classes[found as usize]).or(tagged.other);
                Ok(told == Some(of.node))
            }
            TagRule::First { .. } | TagRule::Unsettled => Ok(true),
        }
    }

    /// Whether the class of the innermost object writes a member with this key.
    pub(super) fn names(&self, key: &str) -> Result<bool, Stop> {
        let Some(Frame::Object { plan, class, rows, .. }) = self.frames.last() else {
            return Ok(true);
        };
        let layouts = self.known.kept[*plan].layouts(self.py)?;
        let layout = layouts.class(*class).map_err(Stop::misfit)?;
        Ok(*rows || layout.writes(key))
    }
}

/// The value of a tag.
pub(super) enum TagOf {
    Text(Box<str>),
    Int(i64),
}
