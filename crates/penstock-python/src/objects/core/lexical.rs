//! Text to objects: [`penstock_core::value::lexical`] converts a text, and this module makes the
//! object that the type asks for.
//!
//! That module knows the forms, this one the objects. Only a choice is looked up here, because its
//! values are objects.

use super::frame::FrameKind;
use super::place::{brief, shortened};
use super::refusal::{Code, Refusal};
use super::scalars::Chosen;
use super::standard;
use super::text::new_str;
use super::{Answer, Core};
use crate::plan::{Absent, Choice, Kind, KindByte, NodeId};
use penstock_core::event::Text;
use penstock_core::protocol::Flow;
use penstock_core::value::cells::Cells;
use penstock_core::value::lexical::{self, Reason, Rules, Value};
use penstock_core::value::xsd::{self, Integer};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ptr;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

impl Choice {
    /// Looks an untyped text up: first exactly as it is written, then without the white space
    /// around it.
    fn lexical<'py>(&self, py: Python<'py>, text: Text<'_>) -> Chosen<'py> {
        let collapsed = xsd::trimmed(text.bytes());
        for bytes in [text.bytes(), collapsed] {
            if let Some(index) = self.texts.find(bytes) {
                return Ok(Ok(self.text_objects[index as usize].bind(py).clone()));
            }
        }
        if let Some(Integer::Small(value)) = xsd::integer(collapsed)
            && let Some((_, object)) = self.ints.iter().find(|(known, _)| *known == value)
        {
            return Ok(Ok(object.bind(py).clone()));
        }
        if let Some(value) = xsd::boolean(collapsed)
            && let Some(object) = &self.bools[usize::from(value)]
        {
            return Ok(Ok(object.bind(py).clone()));
        }
        self.text(py, text.text.as_str())
    }
}

impl<'p> Core<'p> {
    /// Gives untyped text as the current value, in a format of keys.
    #[inline(never)]
    pub(crate) fn give_untyped(&mut self, text: Text<'_>, at: u64) -> Answer {
        if self.aim().kind == KindByte::OnPath {
            return self.pass_scalar(at);
        }
        let made = match text.bytes() {
            [] => self.empty_cell(text, at)?,
            _ => self.lexical(text, at)?,
        };
        if made.is_null() {
            return self.next_element().map(|()| Flow::Take);
        }
        self.put(made, at)
    }

    /// Gives a cell that is marked as text: one in quotes without characters, or one that would be
    /// NULL without its escape.
    #[cold]
    #[inline(never)]
    pub(crate) fn give_marked(&mut self, text: Text<'_>, at: u64) -> Answer {
        if !text.bytes().is_empty() {
            let made = self.lexical_of_key(text, at)?;
            return self.put(made, at);
        }
        if !self.takes_empty_text(self.aim().node) {
            return self.give_untyped(text, at);
        }
        let made = self.lexical(text, at)?;
        if made.is_null() {
            return self.next_element().map(|()| Flow::Take);
        }
        self.put(made, at)
    }

    /// Whether a text without characters is a value of a node.
    pub(crate) fn takes_empty_text(&self, node: NodeId) -> bool {
        match &self.plan().nodes[node as usize].kind {
            Kind::Str | Kind::Any | Kind::Separated(_) => true,
            Kind::Choice(choice) => choice.texts.find(b"").is_some(),
            Kind::Tokens(tokens) => tokens.untyped().any(|member| self.takes_empty_text(member)),
            _ => false,
        }
    }

    /// The value of an empty cell: None if the field takes None, otherwise its default, otherwise
    /// an empty text if it takes text.
    #[cold]
    #[inline(never)]
    fn empty_cell(&mut self, text: Text<'_>, at: u64) -> Made {
        if let Some(made) = self.no_value(at) {
            return made;
        }
        match self.lexical(text, at) {
            Err(refusal) if refusal.is_mismatch() => Err(self.misvalue(at, "an empty cell")),
            made => made,
        }
    }

    /// The current value if the document has none for it: None if its type takes that, otherwise
    /// the default of its field. That is a null pointer if the field is simply left without a value.
    fn no_value(&mut self, at: u64) -> Option<Made> {
        let node = self.item();
        let is_field = self.top().kind.has_fields() && !self.aim().gathers;
        let takes_null = match node.kind {
            // Elsewhere, as in a plain row, it is the text.
            Kind::Any => is_field,
            Kind::None => true,
            _ => node.nullable,
        };
        if takes_null {
            return Some(Ok(self.new_none()));
        }
        let member = match &node.kind {
            Kind::Tokens(tokens) => tokens.null,
            _ => Some(self.aim().node),
        };
        if let Some(member) = member
            && let Kind::Choice(choice) = self.kind(member)
            && let Some(object) = &choice.null
        {
            let object = object.clone_ref(self.attached()).into_ptr();
            return Some(match member == self.aim().node {
                true => Ok(object),
                false => self.finish(member, object, at),
            });
        }
        if !is_field {
            return None;
        }
        match self.plan().absent(self.class(), self.aim().field) {
            Absent::Error => None,
            // An array has a value in each place.
            Absent::Value(value) if self.top().kind == FrameKind::Row => {
                Some(Ok(value.clone_ref(self.attached()).into_ptr()))
            }
            Absent::Value(_) | Absent::Factory(_) | Absent::Unset => Some(Ok(ptr::null_mut())),
        }
    }

    /// The object that an untyped text stands for as the current value. `at` is where the element,
    /// the cell or the attribute's value begins. A null pointer if the text says that the field has
    /// no value.
    #[inline]
    pub(crate) fn lexical(&mut self, text: Text<'_>, at: u64) -> Made {
        self.weight += text.bytes().len() as u64;
        let node = self.aim().node;
        if let Some(cells) = &self.plan().nodes[node as usize].cells {
            return self.lexical_or_nothing(node, cells, text, at);
        }
        self.lexical_as(node, text, at)
    }

    /// The object of a text that is always there, such as that of a key: it is no word for null.
    pub(crate) fn lexical_of_key(&mut self, text: Text<'_>, at: u64) -> Made {
        self.lexical_there(self.aim().node, text, at)
    }

    fn lexical_there(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let of = &self.plan().nodes[node as usize];
        match (&of.cells, &of.kind) {
            (Some(cells), _) => self.lexical_in(node, cells, text, at),
            (None, Kind::Tokens(tokens)) => {
                self.first_fit(tokens.untyped(), text, at, |builder, member| {
                    builder.lexical_there(member, text, at)
                })
            }
            (None, _) => self.lexical_as(node, text, at),
        }
    }

    /// As [`lexical`](Self::lexical), for a value with declared forms.
    #[inline(never)]
    fn lexical_or_nothing(
        &mut self,
        node: NodeId,
        cells: &'p Cells,
        text: Text<'_>,
        at: u64,
    ) -> Made {
        if cells.is_null(text.bytes())
            && let Some(made) = self.no_value(at)
        {
            return made;
        }
        self.lexical_in(node, cells, text, at)
    }

    /// The object that an untyped text in a declared form stands for as the value of a node.
    pub(super) fn lexical_in(
        &mut self,
        node: NodeId,
        cells: &'p Cells,
        text: Text<'_>,
        at: u64,
    ) -> Made {
        let plan = self.plan();
        let of = &plan.nodes[node as usize];
        let cells = plan.own_cells(of).unwrap_or(cells);
        match &of.kind {
            Kind::Tokens(tokens) => {
                self.first_fit(tokens.untyped(), text, at, |builder, member| {
                    builder.lexical_in(member, cells, text, at)
                })
            }
            Kind::Separated(separated) => self.separated(separated, Some(cells), text, at),
            kind => {
                let Some(to) = kind.lexical() else { return self.lexical_as(node, text, at) };
                let mut room = std::mem::take(&mut self.room);
                let found = cells
                    .written(xsd::trimmed(text.bytes()), to, &mut room)
                    .and_then(|written| lexical::untyped(written, to, self.rules()));
                let made = self.converted(found, text, at);
                self.room = room;
                made
            }
        }
    }

    /// The object that an untyped text stands for as the value of a node.
    #[inline]
    pub(super) fn lexical_as(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let bytes = xsd::trimmed(text.bytes());
        let made = match &self.plan().nodes[node as usize].kind {
            Kind::Str => {
                let py = self.attached();
                let object = match self.cache() {
                    Some(cache) => self.caches.value(py, cache, text),
                    None => new_str(py, text),
                };
                return if object.is_null() { Err(self.raised()) } else { Ok(object) };
            }
            Kind::Int => lexical::int(bytes, self.rules()),
            Kind::Float => lexical::float(bytes).map(Value::Float),
            kind => match kind.lexical() {
                Some(to) => lexical::untyped(bytes, to, self.rules()),
                None => return self.lexical_rarely(node, text, at),
            },
        };
        self.converted(made, text, at)
    }

    /// The options for numbers in text.
    #[inline(always)]
    fn rules(&self) -> Rules {
        Rules { lax: self.plan().lax, number: self.number }
    }

    /// The object of a value that was converted from text.
    #[inline]
    pub(crate) fn converted(
        &self,
        found: Result<Value<'_>, Reason>,
        text: Text<'_>,
        at: u64,
    ) -> Made {
        let object = match found {
            // SAFETY: makes a new object; the interpreter is attached during events.
            Ok(Value::Int(value)) => unsafe { ffi::PyLong_FromLongLong(value) },
            // SAFETY: as above.
            Ok(Value::Float(value)) => unsafe { ffi::PyFloat_FromDouble(value) },
            Ok(value) => return self.converted_rarely(value, at),
            Err(reason) => return Err(self.unconverted_text(reason, text, at)),
        };
        if object.is_null() { Err(self.raised()) } else { Ok(object) }
    }

    /// The object of a value of one of the rarer types.
    #[inline(never)]
    fn converted_rarely(&self, value: Value<'_>, at: u64) -> Made {
        let py = self.attached();
        let object = match value {
            Value::Bool(value) => {
                value.into_pyobject(py).map_err(PyErr::from)?.to_owned().into_any()
            }
            Value::Int(value) => value.into_pyobject(py).map_err(PyErr::from)?.into_any(),
            Value::BigInt { negative, digits } => self.big_int(negative, &digits)?,
            Value::Float(value) => value.into_pyobject(py).map_err(PyErr::from)?.into_any(),
            Value::Decimal(digits) => return self.decimal(digits, at),
            Value::DateTime(found) => standard::new_datetime(py, found)?,
            Value::Date(found) => standard::new_date(py, found)?,
            Value::Time(found) => standard::new_time(py, found)?,
            Value::Duration(found) => standard::new_duration(py, found)?,
            Value::Uuid(value) => standard::new_uuid(py, value)?,
            Value::Bytes(bytes) => PyBytes::new(py, &bytes).into_any(),
        };
        Ok(object.into_ptr())
    }

    /// The refusal of a text that is no value of its type.
    #[cold]
    #[inline(never)]
    fn unconverted_text(&self, reason: Reason, text: Text<'_>, at: u64) -> Refusal {
        match reason {
            Reason::Form => self.misvalue(at, &brief(text.text.as_str())),
            Reason::Range => self.misvalue(at, "a number beyond the range of a double"),
            Reason::Limit(reason) => self.exceeded(at, reason),
            Reason::Other(reason) => self.bad_text(at, text, &reason),
            Reason::Unix(reason) => self.no_instant(xsd::trimmed(text.bytes()), reason, at),
        }
    }

    /// Converts untyped text for a node that [`Kind::lexical`] has no type for.
    #[inline(never)]
    fn lexical_rarely(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let py = self.attached();
        let object = match &self.plan().nodes[node as usize].kind {
            Kind::Tokens(tokens) => {
                let plan = self.plan();
                return self.first_fit(tokens.untyped(), text, at, |builder, member| {
                    match &plan.nodes[member as usize].cells {
                        Some(cells) if cells.is_null(text.bytes()) && builder.item().nullable => {
                            Ok(builder.new_none())
                        }
                        Some(cells) => builder.lexical_in(member, cells, text, at),
                        None => builder.lexical_as(member, text, at),
                    }
                });
            }
            Kind::Choice(choice) => match choice.lexical(py, text)? {
                Ok(object) => object.into_ptr(),
                Err(why) => return Err(self.no_choice(choice, at, text).because_of(why)),
            },
            Kind::Separated(separated) => return self.separated(separated, None, text, at),
            Kind::None if xsd::trimmed(text.bytes()).is_empty() => self.new_none(),
            Kind::Any => new_str(py, text),
            _ => return Err(self.misvalue(at, &brief(text.text.as_str()))),
        };
        if object.is_null() { Err(self.raised()) } else { Ok(object) }
    }

    /// The refusal of a number that is no instant.
    #[cold]
    #[inline(never)]
    pub(crate) fn no_instant(
        &self,
        digits: &[u8],
        reason: penstock_core::value::unix::Reason,
        at: u64,
    ) -> Refusal {
        let expected = self.item().name.to_string();
        let got = shortened(&String::from_utf8_lossy(digits));
        let reason = format!("expected {expected}, got {got}: {}", reason.message());
        self.mismatch(at, reason, Some(expected), Some(got)).coded(Code::Value)
    }
}
