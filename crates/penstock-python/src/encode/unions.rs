//! Values of unions: the value itself says which member it is.

use super::Stop;
use super::text::{copied, text_of};
use super::values::enum_value;
use super::walk::{As, Frame, Walker};
use crate::plan::{
    Build, Choice, Kind, NodeId, TagRule, is_decimal, is_object_of, is_uid, is_uuid,
};
use penstock_core::sink::Flow;
use penstock_core::value::moment;
use penstock_core::writer::Writer;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyMapping,
    PyString, PyTime,
};

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// A value of a union or a choice: its own kind decides.
    pub(super) fn one_of_typed(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let fits = |this: &Self, node: NodeId| this.takes(value, As { node, ..of });
        let member = match &self.node(of).kind {
            Kind::Tokens(tokens) => {
                let members = [
                    tokens.boolean,
                    tokens.uid,
                    tokens.integer,
                    tokens.number,
                    tokens.list,
                    tokens.map,
                ];
                let typed = members.into_iter().flatten();
                Some(typed.chain(tokens.text.iter().copied()).find(|node| fits(self, *node)))
            }
            _ => None,
        };
        match member {
            Some(Some(node)) => {
                if !W::LEXICAL {
                    self.check_text(value, of, node)?;
                }
                return self.typed(value, As { node, ..of });
            }
            Some(None) => return Err(self.unfit(value, of)),
            None => {}
        }
        let plain = enum_value(value)?.unwrap_or_else(|| value.clone());
        let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
        let known = if plain.is_none() {
            choice.null.is_some()
        } else if let Ok(flag) = plain.cast::<PyBool>() {
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
        let is_bool = value.is_instance_of::<PyBool>();
        match &self.node(of).kind {
            Kind::Any => true,
            Kind::None => value.is_none(),
            Kind::Bool => is_bool,
            Kind::Int => !is_bool && value.is_instance_of::<PyInt>(),
            Kind::Float => value.is_instance_of::<PyFloat>(),
            Kind::Str => match &self.node(of).after {
                None => value.is_instance_of::<PyString>(),
                Some(after) => {
                    !after.backs.is_empty()
                        || value.is_instance_of::<PyString>()
                        || after.makes(value)
                }
            },
            Kind::Bytes | Kind::Encoded(_) => {
                value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>()
            }
            Kind::Decimal => is_decimal(value),
            Kind::Uuid => is_uuid(value),
            Kind::Uid => is_uid(value),
            Kind::Duration => value.is_instance_of::<PyDelta>(),
            Kind::Choice(choice) => choice.holds(value),
            kind if kind.is(moment::Of::DateTime) => value.is_instance_of::<PyDateTime>(),
            kind if kind.is(moment::Of::Date) => {
                value.is_instance_of::<PyDate>() && !value.is_instance_of::<PyDateTime>()
            }
            kind if kind.is(moment::Of::Time) => value.is_instance_of::<PyTime>(),
            Kind::List(_)
            | Kind::TupleOf(_)
            | Kind::Tuple(_)
            | Kind::Set(_)
            | Kind::FrozenSet(_) => {
                !value.is_instance_of::<PyString>()
                    && !value.is_instance_of::<PyBytes>()
                    && !value.is_instance_of::<PyDict>()
                    && is_iterable(value)
            }
            Kind::Dict(..) => value.cast::<PyMapping>().is_ok(),
            Kind::Class(class) => {
                let class = self.plan(of).classes[*class as usize].class.bind(self.py);
                is_object_of(value, class)
                    || (value.is_instance_of::<PyDict>() && self.is_typed_dict(of))
            }
            Kind::Tagged(tagged) => tagged.every().any(|node| self.takes(value, As { node, ..of })),
            Kind::Tokens(tokens) => {
                let members = [
                    tokens.null,
                    tokens.boolean,
                    tokens.integer,
                    tokens.number,
                    tokens.list,
                    tokens.uid,
                    tokens.map,
                ];
                let all = members.into_iter().flatten().chain(tokens.text.iter().copied());
                all.into_iter().any(|node| self.takes(value, As { node, ..of }))
            }
            _ => false,
        }
    }

    pub(super) fn is_typed_dict(&self, of: As) -> bool {
        let Kind::Class(class) = &self.node(of).kind else { return false };
        matches!(self.plan(of).classes[*class as usize].build, Build::Dict(_))
    }

    /// An object of one of several classes: with the tag that tells them apart.
    pub(super) fn tagged(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let Kind::Tagged(tagged) = &self.node(of).kind else { return self.any(value) };
        let class = value.get_type();
        let of_class = |node: &NodeId| match self.node(As { node: *node, ..of }).kind {
            Kind::Class(id) => self.plan(of).classes[id as usize].class.bind(self.py).is(&class),
            _ => false,
        };
        let member = tagged.every().find(of_class);
        let member = member
            .or_else(|| tagged.every().find(|node| self.takes(value, As { node: *node, ..of })));
        let Some(member) = member else { return Err(self.unfit(value, of)) };
        let tag = match &tagged.by {
            TagRule::Value { tag, texts, classes, ints, .. } => {
                let text = classes.iter().position(|node| *node == member);
                let int = ints.iter().find(|(_, node)| *node == member);
                match (text, int) {
                    (Some(place), _) => Some((tag.clone(), TagOf::Text(texts[place].clone()))),
                    (None, Some((int, _))) => Some((tag.clone(), TagOf::Int(*int))),
                    (None, None) => None,
                }
            }
            _ => None,
        };
        let before = self.frames.len();
        let flow = self.typed(value, As { node: member, ..of })?;
        // The object has begun, and no member of it is written. A class may have the tag itself.
        if let Some((key, tag)) = tag
            && self.frames.len() > before
        {
            if W::ELEMENTS {
                self.tag_attribute(&key, &tag)?;
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

    /// Whether the class of the innermost object writes a member with this key.
    pub(super) fn names(&self, key: &str) -> Result<bool, Stop> {
        let Some(&Frame::Object { plan, class, .. }) = self.frames.last() else { return Ok(true) };
        let layouts = self.known.kept[plan].layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        Ok(layout.rows || layout.writes(key))
    }
}

/// The value of a tag.
pub(super) enum TagOf {
    Text(Box<str>),
    Int(i64),
}

/// Whether the class of a value can be iterated over. This runs no code of the class.
fn is_iterable(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the class of a live object is complete.
    unsafe { (*value.get_type_ptr()).tp_iter.is_some() }
}
