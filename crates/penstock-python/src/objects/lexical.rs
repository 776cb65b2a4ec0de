//! Text that markup leaves untyped to the object that the type asks for: by the lexical forms of
//! XML Schema.

use super::builder::Builder;
use super::frame::FrameKind;
use super::place::brief;
use super::refusal::Refusal;
use super::standard;
use super::text::new_str;
use crate::plan::{Choice, Kind, NodeId};
use penstock_core::event::Text;
use penstock_core::value::xsd::{self, Integer};
use penstock_core::value::{datetime, duration, hex, uuid};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate};

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

impl Builder {
    /// The object that a text stands for as the value at hand. `at` is where the element or the
    /// attribute's value begins.
    #[inline]
    pub(super) fn lexical(&mut self, text: Text<'_>, at: u64) -> Made {
        self.lexical_as(self.aim().node, text, at)
    }

    /// The object that a text stands for as the value of a node.
    #[inline]
    fn lexical_as(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let object = match &self.plan().nodes[node as usize].kind {
            Kind::Str => {
                let py = self.attached();
                match self.markup_cache() {
                    Some(cache) => self.caches.value(py, cache, text),
                    None => new_str(py, text),
                }
            }
            Kind::Int => match xsd::integer(xsd::trimmed(text.bytes())) {
                // SAFETY: makes a new object; the interpreter is attached while events are told.
                Some(Integer::Small(value)) => unsafe { ffi::PyLong_FromLongLong(value) },
                found => return self.large_int(found, text, at),
            },
            Kind::Float => match xsd::float(xsd::trimmed(text.bytes())) {
                // SAFETY: as above.
                Some(value) if value.is_finite() => unsafe { ffi::PyFloat_FromDouble(value) },
                found => return self.special_float(found, text, at),
            },
            _ => return self.lexical_rarely(node, text, at),
        };
        if object.is_null() { Err(self.raised()) } else { Ok(object) }
    }

    /// The place of the cache for the field at hand.
    #[inline(always)]
    fn markup_cache(&self) -> Option<usize> {
        matches!(self.top().kind, FrameKind::Element | FrameKind::Wrapper)
            .then(|| self.field_cache())
    }

    /// An integer beyond 64 bits, or none.
    #[inline(never)]
    fn large_int(&mut self, found: Option<Integer<'_>>, text: Text<'_>, at: u64) -> Made {
        match found {
            Some(Integer::Big { negative, digits }) => {
                let most = self.markup.options.number;
                if digits.len() > most {
                    let reason = format!("an integer of more than {most} digits (limits.number)");
                    return Err(self.exceeded(at, reason));
                }
                Ok(self.big_int(negative, digits)?.into_ptr())
            }
            _ => {
                let bytes = xsd::trimmed(text.bytes());
                let number = self.plan().lax && xsd::float(bytes).is_some();
                match if number { self.whole(bytes)? } else { None } {
                    Some(value) => Ok(value.into_ptr()),
                    None => Err(self.misfit(at, &brief(text.text.as_str()))),
                }
            }
        }
    }

    /// A float that is no finite one.
    #[inline(never)]
    fn special_float(&mut self, found: Option<f64>, text: Text<'_>, at: u64) -> Made {
        match found {
            Some(value) if value.is_nan() || xsd::is_infinity(xsd::trimmed(text.bytes())) => {
                Ok(value.into_pyobject(self.attached()).map_err(PyErr::from)?.into_any().into_ptr())
            }
            Some(_) => Err(self.misfit(at, "a number beyond the range of a double")),
            None => Err(self.misfit(at, &brief(text.text.as_str()))),
        }
    }

    #[inline(never)]
    fn lexical_rarely(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let py = self.attached();
        let bytes = xsd::trimmed(text.bytes());
        let object = match &self.plan().nodes[node as usize].kind {
            Kind::Tokens(tokens) => {
                return self.first_fit(tokens.untyped(), text, at, |builder, member| {
                    builder.lexical_as(member, text, at)
                });
            }
            Kind::Bool => match xsd::boolean(bytes) {
                Some(value) => value.into_pyobject(py).map_err(PyErr::from)?.to_owned().into_any(),
                None => return Err(self.misfit(at, &brief(text.text.as_str()))),
            },
            Kind::Instant(unit) if xsd::is_decimal(bytes) => return self.instant(bytes, *unit, at),
            Kind::DateTime | Kind::Instant(_) => match datetime::datetime_to_24(bytes) {
                Ok(found) => standard::new_datetime(py, found)?,
                Err(reason) => return Err(self.bad_text(at, text, &reason.message())),
            },
            Kind::Date => match datetime::date_without_zone(bytes) {
                Ok(found) => {
                    PyDate::new(py, i32::from(found.year), found.month, found.day)?.into_any()
                }
                Err(reason) => return Err(self.bad_text(at, text, &reason.message())),
            },
            Kind::Time => match datetime::time_to_24(bytes) {
                Ok(found) => standard::new_time(py, found)?,
                Err(reason) => return Err(self.bad_text(at, text, &reason.message())),
            },
            Kind::Duration => match duration::duration(bytes) {
                Ok(found) => standard::new_duration(py, found)?,
                Err(reason) => return Err(self.bad_text(at, text, &reason.message())),
            },
            Kind::Uuid => match uuid::uuid(bytes) {
                Some(value) => standard::new_uuid(py, value)?,
                None => return Err(self.bad_text(at, text, "it is no UUID")),
            },
            Kind::Bytes => {
                let mut out = Vec::new();
                match xsd::base64_binary(bytes, &mut out) {
                    Ok(()) => PyBytes::new(py, &out).into_any(),
                    Err(reason) => return Err(self.bad_text(at, text, reason.message())),
                }
            }
            Kind::Hex => {
                let mut out = Vec::new();
                if !hex::decode(bytes, &mut out) {
                    return Err(self.bad_text(at, text, "it is not pairs of hexadecimal digits"));
                }
                PyBytes::new(py, &out).into_any()
            }
            Kind::Decimal if xsd::is_decimal(bytes) => {
                let most = self.markup.options.number;
                if bytes.len() > most {
                    let reason = format!("a number longer than {most} bytes (limits.number)");
                    return Err(self.exceeded(at, reason));
                }
                return self.decimal(bytes, at);
            }
            Kind::Decimal => return Err(self.bad_text(at, text, "it is no decimal number")),
            Kind::Choice(choice) => match choice.lexical(py, text)? {
                Some(object) => object,
                None => return Err(self.no_choice(choice, at, text)),
            },
            Kind::None if bytes.is_empty() => return Ok(self.new_none()),
            Kind::Any => {
                let object = new_str(py, text);
                return if object.is_null() { Err(self.raised()) } else { Ok(object) };
            }
            _ => return Err(self.misfit(at, &brief(text.text.as_str()))),
        };
        Ok(object.into_ptr())
    }
}

impl Choice {
    /// The object that an untyped text stands for: that of the very text, or of what it spells
    /// without the white space around it.
    fn lexical<'py>(
        &self,
        py: Python<'py>,
        text: Text<'_>,
    ) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
        let collapsed = xsd::trimmed(text.bytes());
        for bytes in [text.bytes(), collapsed] {
            if let Some(index) = self.texts.find(bytes) {
                return Ok(Some(self.text_objects[index as usize].bind(py).clone()));
            }
        }
        if let Some(Integer::Small(value)) = xsd::integer(collapsed)
            && let Some((_, object)) = self.ints.iter().find(|(known, _)| *known == value)
        {
            return Ok(Some(object.bind(py).clone()));
        }
        if let Some(value) = xsd::boolean(collapsed)
            && let Some(object) = &self.bools[usize::from(value)]
        {
            return Ok(Some(object.bind(py).clone()));
        }
        self.text(py, text.text.as_str())
    }
}
