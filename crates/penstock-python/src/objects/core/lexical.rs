//! Text to objects: [`penstock_core::value::lexical`] converts a text, and this module makes the
//! object that the type asks for.
//!
//! That module knows the forms, this one the objects. Only a choice is looked up here, because its
//! values are objects.

use super::place::{brief, shortened};
use super::refusal::{Code, Refusal};
use super::scalars::Chosen;
use super::standard;
use super::text::new_str;
use super::{Answer, Core};
use crate::plan::{Choice, Kind, KindByte, NodeId};
use penstock_core::event::Text;
use penstock_core::value::lexical::{self, Reason, Rules, Type, Value};
use penstock_core::value::xsd::{self, Integer};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

/// The type that [`penstock_core::value::lexical`] converts text to for a kind, if there is one.
pub(crate) fn type_of(kind: &Kind) -> Option<Type<'_>> {
    Some(match kind {
        Kind::Bool => Type::Bool,
        Kind::Int => Type::Int,
        Kind::Float => Type::Float,
        Kind::Decimal => Type::Decimal,
        Kind::DateTime => Type::DateTime,
        Kind::Moment(moment) => Type::Moment(moment),
        Kind::Date => Type::Date,
        Kind::Time => Type::Time,
        Kind::Duration => Type::Duration,
        Kind::Uuid => Type::Uuid,
        Kind::Bytes => Type::Base64,
        Kind::Encoded(to) => *to,
        _ => return None,
    })
}

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
        let made = self.lexical(text, at)?;
        self.put(made, at)
    }

    /// The object that an untyped text stands for as the current value. `at` is where the element,
    /// the cell or the attribute's value begins.
    #[inline]
    pub(crate) fn lexical(&mut self, text: Text<'_>, at: u64) -> Made {
        self.weight += text.bytes().len() as u64;
        self.lexical_as(self.aim().node, text, at)
    }

    /// The object that an untyped text stands for as the value of a node.
    #[inline]
    fn lexical_as(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
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
            kind => match type_of(kind) {
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

    /// Converts untyped text for a node that [`type_of`] has no type for.
    #[inline(never)]
    fn lexical_rarely(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let py = self.attached();
        let object = match &self.plan().nodes[node as usize].kind {
            Kind::Tokens(tokens) => {
                return self.first_fit(tokens.untyped(), text, at, |builder, member| {
                    builder.lexical_as(member, text, at)
                });
            }
            Kind::Choice(choice) => match choice.lexical(py, text)? {
                Ok(object) => object.into_ptr(),
                Err(why) => return Err(self.no_choice(choice, at, text).because_of(why)),
            },
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
