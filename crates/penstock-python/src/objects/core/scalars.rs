//! Scalars: makes the object that the type asks for from a text or number of the document.
//!
//! The rules are strict: a float also takes an integer, and there are no other conversions. A
//! number is rounded only for a float, and then to the nearest.

use super::place::{brief, shortened};
use super::refusal::{Code, Refusal};
use super::standard::{new_date, new_datetime, new_uuid};
use super::text::{new_ascii, new_str};
use super::{Answer, Core};
use crate::edge::errors::{answer, is_of_values};
use crate::plan::types::packed::Number;
use crate::plan::{Choice, Kind, KindByte, NodeId, Tokens};
use penstock_core::event::{Scalar, Text};
use penstock_core::suggest::nearest;
use penstock_core::value::lexical::{self, Value};
use penstock_core::value::moment::Moment;
use penstock_core::value::xsd::{self, Integer};
use penstock_core::value::{datetime, print, uuid};
use pyo3::exceptions::PyArithmeticError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use pyo3::{ffi, intern};
use std::ffi::CString;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

/// What a string is called in messages.
const STRING: &str = "a string";

/// The object of a choice, or the exception by which its class refused the value, if there was one.
pub(crate) type Chosen<'py> = Result<Result<Bound<'py, PyAny>, Option<PyErr>>, Refusal>;

impl Choice {
    /// The object that a text stands for.
    pub(crate) fn text<'py>(&self, py: Python<'py>, text: &str) -> Chosen<'py> {
        if let Some(index) = self.texts.find(text.as_bytes()) {
            return Ok(Ok(self.text_objects[index as usize].bind(py).clone()));
        }
        self.missing(PyString::new(py, text).into_any())
    }

    /// The text of the choice that was probably meant by another text.
    fn nearest(&self, py: Python<'_>, text: &str) -> PyResult<Option<String>> {
        let value = |object: &Py<PyAny>| {
            let object = object.bind(py);
            match object.cast_exact::<PyString>() {
                Ok(text) => Ok(text.to_string()),
                Err(_) => object.getattr(intern!(py, "_value_"))?.extract::<String>(),
            }
        };
        // Members that cannot give their value are left out.
        let texts = self.text_objects.iter().map(|it| answer(py, value(it)));
        let texts = texts.filter_map(PyResult::transpose).collect::<PyResult<Vec<_>>>()?;
        Ok(nearest(text, texts.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The object that an integer stands for.
    fn int<'py>(&self, py: Python<'py>, value: i64) -> Chosen<'py> {
        if let Some((_, object)) = self.ints.iter().find(|(known, _)| *known == value) {
            return Ok(Ok(object.bind(py).clone()));
        }
        self.missing(value.into_pyobject(py).map_err(PyErr::from)?.into_any())
    }

    /// Asks an enum with a `_missing_` of its own about a value that none of its members has.
    fn missing<'py>(&self, value: Bound<'py, PyAny>) -> Chosen<'py> {
        let py = value.py();
        let Some(class) = &self.enum_class else { return Ok(Err(None)) };
        match class.bind(py).call1((value,)) {
            Ok(member) => Ok(Ok(member)),
            Err(error) if is_of_values(py, &error) => Ok(Err(Some(error))),
            Err(error) => Err(error.into()),
        }
    }
}

impl<'p> Core<'p> {
    /// Puts an object that was just made, or reports that there was no memory for it.
    #[inline(always)]
    fn give(&mut self, object: *mut ffi::PyObject, at: u64) -> Answer {
        if object.is_null() {
            return Err(self.raised());
        }
        self.store(object, at)
    }

    /// Puts an object made for a node: the current value's, or a member's of its union.
    #[inline(always)]
    pub(crate) fn give_as(&mut self, node: NodeId, made: Made, at: u64) -> Answer {
        let mut object = made?;
        if object.is_null() {
            return Err(self.raised());
        }
        if node != self.aim().node {
            self.fitted = node;
            object = self.finish(node, object, at)?;
        }
        self.put(object, at)
    }

    /// The node of the current value, or of the member of its union that takes such values.
    #[inline(always)]
    fn taker(&self, of: impl Fn(&Tokens) -> Option<NodeId>) -> Option<NodeId> {
        match &self.item().kind {
            Kind::Tokens(tokens) => of(tokens),
            _ => Some(self.aim().node),
        }
    }

    /// The kind of a node.
    #[inline(always)]
    pub(crate) fn kind(&self, node: NodeId) -> &'p Kind {
        &self.plan().nodes[node as usize].kind
    }

    #[inline(never)]
    pub(crate) fn give_null(&mut self, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw if self.is_in_raw() || !self.item().nullable => {
                return self.give_raw(Scalar::Null, at);
            }
            _ => {}
        }
        let node = self.item();
        if node.nullable || matches!(node.kind, Kind::Any | Kind::None) {
            return self.give_as(self.aim().node, Ok(self.new_none()), at);
        }
        if let Some(taker) = self.taker(|tokens| tokens.null)
            && let Kind::Choice(choice) = self.kind(taker)
            && let Some(object) = &choice.null
        {
            let object = object.clone_ref(self.attached()).into_ptr();
            return self.give_as(taker, Ok(object), at);
        }
        Err(self.misfit(at, "null"))
    }

    #[inline(never)]
    pub(crate) fn give_bool(&mut self, value: bool, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw => return self.give_raw(Scalar::Bool(value), at),
            _ => {}
        }
        if let Some(answer) = self.pack(Number::Truth(value)) {
            return answer;
        }
        if let Some(taker) = self.taker(|tokens| tokens.boolean) {
            match self.kind(taker) {
                Kind::Any | Kind::Bool => {
                    // SAFETY: makes no object, but a reference to one of two that live for ever.
                    let object = unsafe { ffi::PyBool_FromLong(value.into()) };
                    return self.give_as(taker, Ok(object), at);
                }
                Kind::Choice(choice) if let Some(object) = &choice.bools[usize::from(value)] => {
                    let object = object.clone_ref(self.attached()).into_ptr();
                    return self.give_as(taker, Ok(object), at);
                }
                _ => {}
            }
        }
        Err(self.misfit(at, if value { "true" } else { "false" }))
    }

    #[inline(always)]
    pub(crate) fn give_int(&mut self, value: i64, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::Int | KindByte::Any => {
                // SAFETY: makes a new object; the interpreter is attached during events.
                self.give(unsafe { ffi::PyLong_FromLongLong(value) }, at)
            }
            _ => self.give_int_rarely(value, at),
        }
    }

    #[inline(never)]
    fn give_int_rarely(&mut self, value: i64, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw => return self.give_raw(Scalar::Int(value), at),
            _ => {}
        }
        if let Some(answer) = self.pack(Number::Int(value)) {
            return answer;
        }
        let loosely = matches!(value, 0 | 1) && self.plan().lax;
        let taker = self.taker(|tokens| tokens.integer.or(tokens.boolean.filter(|_| loosely)));
        let Some(taker) = taker else {
            return Err(self.misfit(at, &format!("the integer {value}")));
        };
        let made = match self.kind(taker) {
            // SAFETY: makes no object, but a reference to one of two that live for ever.
            Kind::Bool if loosely => Ok(unsafe { ffi::PyBool_FromLong(value as _) }),
            // SAFETY: as above.
            Kind::Int | Kind::Any => Ok(unsafe { ffi::PyLong_FromLongLong(value) }),
            // An index or an integer of a binary format; JSON's come as `float` here.
            // Beyond 2^53 it is the nearest double, as for a number of JSON.
            Kind::Float => {
                // SAFETY: as above.
                Ok(unsafe { ffi::PyFloat_FromDouble(value as f64) })
            }
            Kind::Decimal => self.decimal(value.to_string().as_bytes(), at),
            Kind::Moment(moment) => self.instant(value.to_string().as_bytes(), moment, at),
            Kind::Choice(choice) => match choice.int(self.attached(), value)? {
                Ok(object) => Ok(object.into_ptr()),
                Err(why) => Err(self.misvalue(at, &format!("the integer {value}")).because_of(why)),
            },
            _ => Err(self.misfit(at, &format!("the integer {value}"))),
        };
        self.give_as(taker, made, at)
    }

    #[inline(always)]
    pub(crate) fn give_float(&mut self, value: f64, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::Float | KindByte::Any => {
                // SAFETY: makes a new object; the interpreter is attached during events.
                self.give(unsafe { ffi::PyFloat_FromDouble(value) }, at)
            }
            _ => self.give_float_rarely(value, at),
        }
    }

    #[inline(never)]
    fn give_float_rarely(&mut self, value: f64, at: u64) -> Answer {
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw => return self.give_raw(Scalar::Float(value), at),
            _ => {}
        }
        if let Some(answer) = self.pack(Number::Float(value)) {
            return answer;
        }
        if let Some(taker) = self.taker(|tokens| tokens.number)
            && matches!(self.kind(taker), Kind::Float | Kind::Any)
        {
            // SAFETY: as above.
            let object = unsafe { ffi::PyFloat_FromDouble(value) };
            return self.give_as(taker, Ok(object), at);
        }
        if !value.is_finite() {
            return self.give_non_finite(value, at);
        }
        // A double of a binary format: its shortest digits, since JSON's come as digits here.
        if let Some(taker) = self.taker(|tokens| tokens.number) {
            let digits = || {
                let mut digits = Vec::with_capacity(print::LONGEST);
                print::float(value, &mut digits);
                digits
            };
            let made = match self.kind(taker) {
                Kind::Decimal => Some(self.decimal(&digits(), at)),
                Kind::Moment(moment) if moment.unit.is_some() => {
                    Some(self.instant(&digits(), moment, at))
                }
                _ => None,
            };
            if let Some(made) = made {
                return self.give_as(taker, made, at);
            }
        }
        let integers = self.taker(|tokens| tokens.integer);
        let of_ints = integers.is_some_and(|node| matches!(self.kind(node), Kind::Int));
        if of_ints {
            return Err(self.misvalue(at, "a number with a fraction or an exponent"));
        }
        Err(self.misfit(at, "a number"))
    }

    /// Gives NaN or an infinity to anything but a float.
    #[cold]
    #[inline(never)]
    fn give_non_finite(&mut self, value: f64, at: u64) -> Answer {
        let literal = match value {
            _ if value.is_nan() => "NaN",
            f64::INFINITY => "Infinity",
            _ => "-Infinity",
        };
        if let Some(taker) = self.taker(|tokens| tokens.number)
            && matches!(self.kind(taker), Kind::Decimal)
        {
            let made = self.decimal(literal.as_bytes(), at);
            return self.give_as(taker, made, at);
        }
        Err(self.misfit(at, literal))
    }

    #[inline(never)]
    pub(crate) fn give_number(&mut self, digits: &[u8], at: u64) -> Answer {
        self.weight += digits.len() as u64;
        match self.aim().kind {
            KindByte::OnPath => return self.pass_scalar(at),
            KindByte::Raw => return self.give_raw(Scalar::Number(digits), at),
            _ => {}
        }
        let whole = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
        let what = if whole { "an integer" } else { "a number" };
        let taker = self.taker(|tokens| {
            // With `strict=False`, `2.0` is an integer too.
            let loosely = tokens.integer.filter(|_| self.plan().lax);
            if whole { tokens.integer } else { tokens.number.or(loosely) }
        });
        let taker = match taker {
            Some(taker) => taker,
            None if self.plan().lax && matches!(digits, b"0" | b"1") => {
                return self.give_int_rarely(i64::from(digits == b"1"), at);
            }
            None => return Err(self.misfit(at, what)),
        };
        let made = match self.kind(taker) {
            Kind::Int if let Some(Integer::Small(value)) = xsd::integer(digits) => {
                // SAFETY: makes a new object; the interpreter is attached during events.
                Ok(unsafe { ffi::PyLong_FromLongLong(value) })
            }
            Kind::Int | Kind::Any if whole => {
                let negative = digits.first() == Some(&b'-');
                let value = self.big_int(negative, &digits[usize::from(negative)..])?;
                Ok(value.into_ptr())
            }
            Kind::Decimal => self.decimal(digits, at),
            Kind::Moment(moment) => self.instant(digits, moment, at),
            Kind::Int if self.plan().lax => match lexical::whole(digits) {
                Ok(Value::BigInt { negative, digits }) => {
                    Ok(self.big_int(negative, &digits)?.into_ptr())
                }
                _ => Err(self.misvalue(at, &shortened(&String::from_utf8_lossy(digits)))),
            },
            Kind::Float | Kind::Any => {
                Err(self.misvalue(at, "a number beyond the range of a double"))
            }
            Kind::Int => Err(self.misvalue(at, "a number with a fraction or an exponent")),
            Kind::Choice(choice)
                if let Some(value) =
                    std::str::from_utf8(digits).ok().and_then(|it| it.parse().ok())
                    && let Ok(object) = choice.int(self.attached(), value)? =>
            {
                Ok(object.into_ptr())
            }
            _ => Err(self.misfit(at, what)),
        };
        self.give_as(taker, made, at)
    }

    /// The instant that is so many units after the beginning of 1970.
    pub(crate) fn instant(&self, digits: &[u8], moment: &Moment, at: u64) -> Made {
        let Some(unit) = moment.unit else { return Err(self.misfit(at, "a number")) };
        match moment.number(digits, unit) {
            Ok(found) => Ok(new_datetime(self.attached(), found)?.into_ptr()),
            Err(reason) => Err(self.no_instant(digits, reason, at)),
        }
    }

    /// An integer of any size, from its digits.
    pub(crate) fn big_int(
        &self,
        negative: bool,
        digits: &[u8],
    ) -> Result<Bound<'p, PyAny>, Refusal> {
        let py = self.attached();
        // The interpreter limits the digits of one conversion by a setting of the process. We have
        // a limit of our own, so a longer number is put together from parts.
        const PART: usize = 600;
        let mut value = 0_i64.into_pyobject(py).map_err(PyErr::from)?.into_any();
        for part in digits.chunks(PART) {
            let text = CString::new(part).map_err(PyErr::from)?;
            // SAFETY: a string of digits that ends in a NUL.
            let part_value = unsafe {
                let object = ffi::PyLong_FromString(text.as_ptr(), std::ptr::null_mut(), 10);
                Bound::from_owned_ptr_or_err(py, object)?
            };
            if part.len() == digits.len() {
                value = part_value;
                break;
            }
            let ten = 10_i64.into_pyobject(py).map_err(PyErr::from)?;
            value = value.mul(ten.pow(part.len(), py.None())?)?.add(part_value)?;
        }
        Ok(if negative { value.neg()? } else { value })
    }

    /// A `Decimal`, from its digits: a new reference.
    pub(crate) fn decimal(&self, digits: &[u8], at: u64) -> Result<*mut ffi::PyObject, Refusal> {
        static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = self.attached();
        let class = DECIMAL.import(py, "decimal", "Decimal")?;
        // SAFETY: the digits are ASCII; a new reference, or null with an exception set.
        let text = unsafe { Bound::from_owned_ptr_or_err(py, new_ascii(py, digits)) }?;
        // Without an exponent, no number that fits into memory is out of range.
        let in_range = !digits.iter().any(|byte| matches!(byte, b'e' | b'E'));
        match class.call1((text,)) {
            // A context without traps returns NaN for a number that it cannot hold.
            Ok(object)
                if in_range || object.call_method0(intern!(py, "is_finite"))?.is_truthy()? =>
            {
                Ok(object.into_ptr())
            }
            Err(error) if !error.is_instance_of::<PyArithmeticError>(py) => Err(error.into()),
            _ => Err(self.misvalue(at, "a number beyond the range of Decimal")),
        }
    }

    /// A string. The kinds that most documents use come first.
    #[inline(always)]
    pub(crate) fn give_text(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.weight += text.bytes().len() as u64;
        match self.aim().kind {
            KindByte::Str => {
                let py = self.attached();
                let object = match self.cache() {
                    Some(cache) => self.caches.value(py, cache, text),
                    None => new_str(py, text),
                };
                self.give(object, at)
            }
            KindByte::Any => self.give(new_str(self.attached(), text), at),
            KindByte::OnPath => self.pass_scalar(at),
            _ => self.give_text_rarely(text, at),
        }
    }

    #[inline(never)]
    fn give_text_rarely(&mut self, text: Text<'_>, at: u64) -> Answer {
        if self.plan().form.is_lexical() {
            return self.give_marked(text, at);
        }
        if self.aim().kind == KindByte::Raw {
            return self.give_raw(Scalar::Text(text), at);
        }
        let Kind::Tokens(tokens) = &self.item().kind else {
            let node = self.aim().node;
            let made = self.text_as(node, text, at);
            return self.give_as(node, made, at);
        };
        if self.plan().lax {
            let made = self.first_fit(tokens.lax_text(), text, at, |builder, member| {
                builder.text_as(member, text, at)
            })?;
            return self.put(made, at);
        }
        if tokens.text.is_empty() {
            return Err(self.misfit(at, STRING));
        }
        let made = self.first_fit(tokens.text.iter().copied(), text, at, |builder, member| {
            builder.text_as(member, text, at)
        })?;
        self.put(made, at)
    }

    /// The value of a text as the first member of a union that takes it.
    pub(crate) fn first_fit(
        &mut self,
        members: impl Iterator<Item = NodeId>,
        text: Text<'_>,
        at: u64,
        mut make: impl FnMut(&mut Self, NodeId) -> Made,
    ) -> Made {
        let mut refused = None;
        let mut tried = 0;
        let mut is_number = false;
        for member in members {
            let of_number = matches!(self.kind(member), Kind::Int | Kind::Float | Kind::Decimal);
            // The kind of the number has decided, as for a number without quotes.
            if is_number && of_number {
                continue;
            }
            let made = make(self, member);
            let has_kind = made.is_ok();
            match made.and_then(|made| self.finish(member, made, at)) {
                Err(refusal) if refusal.is_mismatch() => {
                    is_number |= has_kind && of_number;
                    refused = Some(refusal);
                }
                made => {
                    self.fitted = member;
                    return made;
                }
            }
            tried += 1;
        }
        // If only one member was tried, its reason is worth reporting.
        match refused {
            Some(refusal) if tried == 1 => Err(refusal),
            _ => Err(self.misvalue(at, &brief(text.text.as_str()))),
        }
    }

    /// Converts a string as a node asks: a new reference.
    pub(crate) fn text_as(&mut self, node: NodeId, text: Text<'_>, at: u64) -> Made {
        let py = self.attached();
        let object = match self.kind(node) {
            Kind::Str | Kind::Any => {
                let object = new_str(py, text);
                return if object.is_null() { Err(self.raised()) } else { Ok(object) };
            }
            Kind::Choice(choice) => match choice.text(py, text.text.as_str())? {
                Ok(object) => object,
                Err(why) => return Err(self.no_choice(choice, at, text).because_of(why)),
            },
            Kind::Int | Kind::Float | Kind::Bool if !self.plan().lax => {
                return Err(self.misfit(at, STRING));
            }
            // The most frequent kinds, without a value in between. If the text does not fit, the
            // general case below finds the reason.
            Kind::DateTime if let Ok(found) = datetime::datetime(text.bytes()) => {
                new_datetime(py, found)?
            }
            Kind::Date if let Ok(found) = datetime::date(text.bytes()) => new_date(py, found)?,
            Kind::Decimal if lexical::is_number(text.bytes()) => {
                return self.decimal(text.bytes(), at);
            }
            Kind::Uuid if let Some(value) = uuid::uuid(text.bytes()) => new_uuid(py, value)?,
            kind => match kind.lexical() {
                Some(to) => return self.converted(lexical::quoted(text.bytes(), to), text, at),
                None => return Err(self.misfit(at, STRING)),
            },
        };
        Ok(object.into_ptr())
    }

    /// The refusal of a text that is not in a choice.
    #[cold]
    #[inline(never)]
    pub(crate) fn no_choice(&self, choice: &Choice, at: u64, text: Text<'_>) -> Refusal {
        let text = text.text.as_str();
        let mut refusal = self.misvalue(at, &brief(text));
        if !self.options.suggest {
            return refusal;
        }
        // If there are few, the message names them all.
        let near = match choice.nearest(self.attached(), text) {
            Ok(near) => near,
            Err(instead) => return instead.into(),
        };
        if let Some(mismatch) = refusal.mismatch()
            && let Some(near) = near
            && mismatch.expected.as_ref().is_some_and(|all| !all.contains(&near))
        {
            mismatch.reason.push_str(&format!("; did you mean {near:?}?"));
        }
        refusal
    }

    /// The refusal of a string with the wrong content.
    #[cold]
    #[inline(never)]
    pub(crate) fn bad_text(&self, at: u64, text: Text<'_>, why: &str) -> Refusal {
        let expected = self.item().name.to_string();
        let got = brief(text.text.as_str());
        let reason = format!("expected {expected}, got {got}: {why}");
        self.mismatch(at, reason, Some(expected), Some(got)).coded(Code::Value)
    }

    /// Gives a scalar of a format other than JSON.
    #[inline(never)]
    pub(crate) fn give_scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        match value {
            Scalar::Null => self.give_null(at),
            Scalar::Bool(value) => self.give_bool(value, at),
            Scalar::Int(value) => self.give_int(value, at),
            Scalar::Float(value) => self.give_float(value, at),
            Scalar::Number(digits) => self.give_number(digits, at),
            Scalar::Text(text) => self.give_text(text, at),
            Scalar::Untyped(text) => self.give_untyped(text, at),
            Scalar::Decimal(_)
            | Scalar::Bytes(_)
            | Scalar::Date(_)
            | Scalar::Time(_)
            | Scalar::DateTime(_)
            | Scalar::Since2001(_)
            | Scalar::Duration(_)
            | Scalar::Uuid(_)
            | Scalar::Uid(_) => self.give_typed(value, at),
        }
    }
}
