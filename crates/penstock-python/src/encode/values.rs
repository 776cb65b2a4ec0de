//! Values of a declared type, and values whose own class says what they are.

use super::Stop;
use super::scalars;
use super::text::{ascii_of, text_of};
use super::walk::{As, Frame, Walker};
use crate::edge::errors::answer;
use crate::plan::types::conversions;
use crate::plan::{
    Kind, Raw, Step, decimal_text, is_decimal, is_enum, is_plan_error, is_uid, is_uuid,
};
use penstock_core::event::Scalar;
use penstock_core::protocol::Flow;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{self, Moment};
use penstock_core::value::print;
use penstock_core::writer::Writer;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyFrozenSet, PyInt, PyList,
    PyMapping, PyString, PyTime, PyTuple, PyType,
};

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Writes a value of a declared type: a scalar at once, a container by a frame.
    #[inline]
    pub(super) fn value(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        self.conversions = 0;
        let absent = W::LEXICAL && std::mem::take(&mut self.absent);
        let node = self.node(of);
        if W::LEXICAL && node.cells.is_some() {
            return self.value_in_form(value, of, absent);
        }
        if node.after.is_none() && node.cells.is_none() {
            match node.kind {
                Kind::Int if value.is_exact_instance_of::<PyInt>() => return self.int(value),
                Kind::Str if value.is_exact_instance_of::<PyString>() => return self.text(value),
                Kind::Float if value.is_exact_instance_of::<PyFloat>() => return self.float(value),
                Kind::Any => return self.any(value),
                _ => {}
            }
        }
        self.typed(value, of)
    }

    pub(super) fn typed(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let node = self.node(of);
        let mut value = value.clone();
        let mut converted = false;
        if let Some(after) = &node.after {
            if value.is_none() && node.nullable && after.null_from.is_none() {
                return Ok(self.writer.null(0)?);
            }
            converted = true;
            for back in self.backs(of) {
                value = self.back(back, &value)?;
            }
        }
        let node = self.node(of);
        if value.is_none() && (node.nullable || matches!(node.kind, Kind::None)) {
            return Ok(self.writer.null(0)?);
        }
        if node.cells.is_some()
            && let Some(flow) = self.declared(&value, of)?
        {
            return Ok(flow);
        }
        let node = self.node(of);
        match &node.kind {
            Kind::Any => self.any(&value),
            Kind::Raw => match value.cast::<Raw>() {
                Ok(raw) => self.json_text(raw.get()),
                Err(_) => Err(self.unfit(&value, of)),
            },
            Kind::None => Err(self.unfit(&value, of)),
            Kind::Bool => match value.cast::<PyBool>() {
                Ok(value) => Ok(self.writer.boolean(value.is_true(), 0)?),
                Err(_) => Err(self.unfit(&value, of)),
            },
            Kind::Int => {
                let value = if converted { enum_value(&value)?.unwrap_or(value) } else { value };
                if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
                    return self.int(&value);
                }
                Err(self.unfit(&value, of))
            }
            Kind::Float => {
                if value.is_instance_of::<PyFloat>() {
                    return self.float(&value);
                }
                if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
                    return self.int(&value);
                }
                Err(self.unfit(&value, of))
            }
            Kind::Str => {
                if value.is_instance_of::<PyString>() {
                    return self.text(&value);
                }
                if converted {
                    return self.made_of_text(&value, of);
                }
                Err(self.unfit(&value, of))
            }
            Kind::Decimal if is_decimal(&value) => self.decimal(&value),
            Kind::Decimal if value.is_exact_instance_of::<PyInt>() => self.int(&value),
            Kind::Bytes | Kind::Encoded(_) => self.bytes(&value, of),
            Kind::DateTime | Kind::Date | Kind::Time | Kind::Duration | Kind::Uuid | Kind::Uid => {
                self.standard(&value, of)
            }
            Kind::Moment(moment) => {
                let moment = (**moment).clone();
                self.moment(&value, &moment, of)
            }
            Kind::Choice(_) | Kind::Tokens(_) => self.one_of(&value, of),
            Kind::Tagged(_) => self.tagged(&value, of),
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                let item = As { node: *item, ..of };
                self.items(&value, item, of)
            }
            Kind::Tuple(nodes) => {
                let count = nodes.len();
                match value.cast::<PyTuple>() {
                    Ok(tuple) if tuple.len() == count => {
                        let tuple = tuple.clone();
                        if W::ELEMENTS {
                            return self.tuple_element(&tuple, of);
                        }
                        let flow = self.writer.begin_list(0)?;
                        self.push(Frame::Fixed { tuple, next: 0, all: of })?;
                        Ok(flow)
                    }
                    Ok(tuple) => {
                        let reason = format!("expected {count} items, got {}", tuple.len());
                        Err(Stop::misfit(reason))
                    }
                    Err(_) => Err(self.unfit(&value, of)),
                }
            }
            Kind::Dict(key, item) => {
                let (key, item) = (As { node: *key, ..of }, As { node: *item, ..of });
                self.dict(&value, key, item, of)
            }
            Kind::Class(class) => {
                let class = *class;
                self.object(&value, class, of)
            }
            Kind::Decimal => Err(self.unfit(&value, of)),
            Kind::Separated(_) => self.separated(&value, of),
        }
    }

    /// A value of a class that is made of the text that `str` prints: a path, an address. It is
    /// written if the text makes an equal value.
    fn made_of_text(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let py = self.py;
        let own_code = |error| Stop::own_code(py, "the value", error);
        let pattern = value.getattr_opt(intern!(py, "pattern")).map_err(own_code)?;
        let text = match pattern.and_then(|pattern| pattern.cast_into::<PyString>().ok()) {
            Some(pattern) => pattern,
            None => value.str().map_err(own_code)?,
        };
        let mut made = text.clone().into_any();
        for step in self.node(of).after.iter().flat_map(|after| &after.steps) {
            if let Step::Convert(function) = step {
                match answer(py, function.bind(py).call1((&made,)))? {
                    Some(next) => made = next,
                    None => return Err(self.unfit(value, of)),
                }
            }
        }
        if made.eq(value).map_err(own_code)? {
            return self.text(text.as_any());
        }
        Err(self.unfit(value, of))
    }

    /// The functions that undo those of a type, in the order in which they are called.
    pub(super) fn backs(&self, of: As) -> Vec<Option<Py<PyAny>>> {
        let Some(after) = &self.node(of).after else { return Vec::new() };
        let check = after.check_of_text.as_ref().filter(|_| self.writer.has_only_text());
        let backs = after.backs.iter().rev().map(Option::as_ref).chain(check.map(Some));
        backs.map(|back| back.map(|back| back.clone_ref(self.py))).collect()
    }

    /// Undoes one step of decoding.
    pub(super) fn back(
        &mut self,
        back: Option<Py<PyAny>>,
        value: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Stop> {
        self.converts()?;
        let undone = |back: &Bound<'py, PyAny>| match &self.known.options {
            Some(options) if conversions::is_applied(back)? => {
                let undone = conversions::function(self.py, "undone")?;
                undone.call1((back, value, options))
            }
            _ => back.call1((value,)),
        };
        match back {
            Some(back) => undone(back.bind(self.py))
                .map_err(|error| Stop::own_code(self.py, "encode=", error)),
            None => Err(Stop::misfit(
                "nothing says how the value is written: give via(..., encode=...)",
            )),
        }
    }

    /// Counts a conversion of the value at hand. A function that returns what it was given would
    /// be called without end.
    pub(super) fn converts(&mut self) -> Result<(), Stop> {
        self.conversions += 1;
        if self.conversions > MOST_CONVERSIONS {
            return Err(Stop::misfit(
                "encode= returns a value that is converted again, without end",
            ));
        }
        Ok(())
    }

    #[cold]
    pub(super) fn unfit(&self, value: &Bound<'py, PyAny>, of: As) -> Stop {
        let node = self.node(of);
        match class_name(value) {
            Ok(class) => Stop::misfit(format!("expected {}, got {class}", node.written)),
            Err(error) => Stop::Raised(error),
        }
    }

    /// Gives the object itself to a writer that keeps objects.
    #[inline]
    fn hold(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        Ok(self.writer.hold(value.as_ptr() as usize)?)
    }

    #[inline]
    pub(super) fn int(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        if W::HOLDS && value.is_exact_instance_of::<PyInt>() {
            return self.hold(value);
        }
        let mut overflow = 0;
        // SAFETY: an `int`, or an object of a class derived from it.
        let small = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &raw mut overflow) };
        if overflow == 0 {
            if small == -1
                && let Some(error) = PyErr::take(self.py)
            {
                return Err(Stop::Raised(error));
            }
            return Ok(self.writer.int(small, 0)?);
        }
        let int = self.py.get_type::<PyInt>();
        let digits = int
            .call_method1(intern!(self.py, "__repr__"), (value,))
            .map_err(|error| Stop::own_code(self.py, "the digits of the int", error))?;
        let digits = digits.cast_into::<PyString>().map_err(PyErr::from)?;
        let text = text_of(&digits, &mut self.known.scratch)?;
        Ok(self.writer.number(text.bytes(), 0)?)
    }

    #[inline]
    pub(super) fn float(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        if W::HOLDS && value.is_exact_instance_of::<PyFloat>() {
            return self.hold(value);
        }
        // SAFETY: a `float`, or an object of a class derived from it.
        let value = unsafe { ffi::PyFloat_AS_DOUBLE(value.as_ptr()) };
        Ok(self.writer.float(value, 0)?)
    }

    #[inline]
    pub(super) fn text(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        if W::HOLDS && value.is_exact_instance_of::<PyString>() {
            return self.hold(value);
        }
        let value = value.cast::<PyString>().map_err(PyErr::from)?;
        if let Some(text) = ascii_of(value) {
            return Ok(self.writer.text(text, 0)?);
        }
        let text = text_of(value, &mut self.known.scratch)?;
        Ok(self.writer.text(text, 0)?)
    }

    /// A value that is JSON text already.
    fn json_text(&mut self, raw: &Raw) -> Result<Flow, Stop> {
        if self.writer.json_text(raw.json(self.py)?)? {
            return Ok(Flow::Take);
        }
        Err(Stop::misfit("a Raw is a part of JSON: no other format has a place for it"))
    }

    pub(super) fn decimal(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        if W::HOLDS {
            return self.hold(value);
        }
        // Not what a derived class prints: it could be anything.
        let text = decimal_text(value)?;
        let text = text.to_str()?;
        if W::LEXICAL && text.contains('N') {
            return Ok(self.writer.scalar(Scalar::Decimal(b"NaN"), 0)?);
        }
        if !text.bytes().any(|byte| byte.is_ascii_digit()) || text.contains('N') {
            if W::LEXICAL {
                return Ok(self.writer.scalar(Scalar::Decimal(text.as_bytes()), 0)?);
            }
            // It is as a double what it is as a decimal number.
            let value = if text.contains('N') { f64::NAN } else { value.extract()? };
            return Ok(self.writer.float(value, 0)?);
        }
        Ok(self.writer.scalar(Scalar::Decimal(text.as_bytes()), 0)?)
    }

    pub(super) fn bytes(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let taken;
        let bytes = if let Ok(bytes) = value.cast::<PyBytes>() {
            bytes.as_bytes()
        } else if value.is_instance_of::<PyByteArray>() {
            taken = value.extract::<Vec<u8>>()?;
            &taken
        } else {
            return Err(self.unfit(value, of));
        };
        if W::ROWS && bytes.is_empty() {
            return Ok(self.writer.scalar(Scalar::Bytes(bytes), 0)?);
        }
        if !matches!(self.node(of).kind, Kind::Encoded(_)) {
            return Ok(self.writer.scalar(Scalar::Bytes(bytes), 0)?);
        }
        let text = self.encoded(bytes, of)?;
        Ok(self.writer.text(text.as_str().into(), 0)?)
    }

    /// Bytes as text, in the form that their type declares, or in base64.
    pub(super) fn bytes_text(&self, value: &Bound<'py, PyAny>, of: As) -> Result<String, Stop> {
        match value.cast::<PyBytes>() {
            Ok(bytes) => self.encoded(bytes.as_bytes(), of),
            Err(_) => self.encoded(&value.extract::<Vec<u8>>()?, of),
        }
    }

    fn encoded(&self, bytes: &[u8], of: As) -> Result<String, Stop> {
        let mut out = Vec::new();
        out.try_reserve(bytes.len().saturating_mul(2).saturating_add(4))
            .map_err(|_| Stop::Raised(pyo3::exceptions::PyMemoryError::new_err(())))?;
        match &self.node(of).kind {
            Kind::Encoded(Type::Hex) => print::hex(bytes, &mut out),
            Kind::Encoded(Type::Base64As(spelling)) => print::base64_as(bytes, *spelling, &mut out),
            Kind::Encoded(Type::Base64InLines) => print::base64_in_lines(bytes, &mut out),
            _ => print::base64(bytes, &mut out),
        }
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// A date, a time, a duration, a UUID or a UID.
    pub(super) fn standard(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let scalar = match &self.node(of).kind {
            Kind::DateTime => match value.cast::<PyDateTime>() {
                Ok(value) => {
                    let value = scalars::datetime(value)?;
                    refuse_fine(value.time.offset)?;
                    Scalar::DateTime(value)
                }
                Err(_) => return Err(self.unfit(value, of)),
            },
            Kind::Date => match value.cast::<PyDate>() {
                Ok(date) if !value.is_instance_of::<PyDateTime>() => {
                    Scalar::Date(scalars::exact_date(date)?)
                }
                _ => return Err(self.unfit(value, of)),
            },
            Kind::Time => match value.cast::<PyTime>() {
                Ok(value) => {
                    let value = scalars::time(value)?;
                    refuse_fine(value.offset)?;
                    Scalar::Time(value)
                }
                Err(_) => return Err(self.unfit(value, of)),
            },
            Kind::Duration => match value.cast::<PyDelta>() {
                Ok(value) => Scalar::Duration(scalars::exact_duration(value)?),
                Err(_) => return Err(self.unfit(value, of)),
            },
            Kind::Uid if is_uid(value) => Scalar::Uid(scalars::uid(value)?),
            Kind::Uuid if is_uuid(value) => Scalar::Uuid(scalars::uuid(value)?),
            _ => return Err(self.unfit(value, of)),
        };
        Ok(self.writer.scalar(scalar, 0)?)
    }

    /// A date or a time in a form that the user chose.
    pub(super) fn moment(
        &mut self,
        value: &Bound<'py, PyAny>,
        moment: &Moment,
        of: As,
    ) -> Result<Flow, Stop> {
        Ok(match self.printed(value, moment, of)? {
            Printed::Text(text) => self.writer.text(text.as_str().into(), 0)?,
            Printed::Digits(digits) => self.writer.number(&digits, 0)?,
            Printed::Scalar(scalar) => self.writer.scalar(scalar, 0)?,
        })
    }

    /// The same as text alone: a key, or an item of several in one text.
    pub(super) fn moment_text(
        &self,
        value: &Bound<'py, PyAny>,
        moment: &Moment,
        of: As,
    ) -> Result<String, Stop> {
        let mut out = Vec::with_capacity(print::LONGEST);
        match self.printed(value, moment, of)? {
            Printed::Text(text) => return Ok(text),
            Printed::Digits(digits) => out = digits,
            Printed::Scalar(Scalar::DateTime(value)) => print::datetime(value, &mut out),
            Printed::Scalar(Scalar::Date(value)) => print::date(value, &mut out),
            Printed::Scalar(Scalar::Time(value)) => print::time(value, &mut out),
            Printed::Scalar(_) => {}
        }
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    fn printed(&self, value: &Bound<'py, PyAny>, moment: &Moment, of: As) -> Result<Printed, Stop> {
        let given = value;
        if let moment::Form::Pattern(pattern) = &moment.form {
            let value = match moment.of {
                moment::Of::DateTime => {
                    value.cast::<PyDateTime>().ok().map(scalars::datetime).transpose()?
                }
                moment::Of::Date if value.is_instance_of::<PyDateTime>() => None,
                moment::Of::Date => {
                    let date = value.cast::<PyDate>().ok();
                    date.map(scalars::exact_date).transpose()?.map(scalars::midnight)
                }
                moment::Of::Time => {
                    let time = value.cast::<PyTime>().ok().map(scalars::time).transpose()?;
                    time.map(scalars::on_first_day)
                }
            };
            let Some(value) = value else { return Err(self.unfit(given, of)) };
            let mut out = Vec::with_capacity(print::LONGEST);
            if !pattern.print(value, &mut out) {
                return Err(Stop::misfit(
                    "times(...) has no place for a part of it: it would be read back as another \
                     value",
                ));
            }
            return Ok(Printed::Text(String::from_utf8_lossy(&out).into_owned()));
        }
        Ok(Printed::Scalar(match (moment.of, moment.unit) {
            (moment::Of::DateTime, unit) => {
                let Ok(value) = value.cast::<PyDateTime>() else {
                    return Err(self.unfit(value, of));
                };
                let value = scalars::datetime(value)?;
                if let Some(unit) = unit {
                    let mut out = Vec::with_capacity(print::LONGEST);
                    if !print::instant(value, unit, &mut out) {
                        return Err(Stop::misfit("a datetime without a zone is no instant"));
                    }
                    return Ok(Printed::Digits(out));
                }
                if moment.form == moment::Form::Rfc3339 {
                    refuse_fine(value.time.offset)?;
                }
                Scalar::DateTime(value)
            }
            (moment::Of::Date, _) => match value.cast::<PyDate>() {
                Ok(date) if !value.is_instance_of::<PyDateTime>() => {
                    Scalar::Date(scalars::exact_date(date)?)
                }
                _ => return Err(self.unfit(value, of)),
            },
            (moment::Of::Time, _) => match value.cast::<PyTime>() {
                Ok(value) => {
                    let value = scalars::time(value)?;
                    if moment.form == moment::Form::Rfc3339 {
                        refuse_fine(value.offset)?;
                    }
                    Scalar::Time(value)
                }
                Err(_) => return Err(self.unfit(value, of)),
            },
        }))
    }

    /// An object by the plan of its own class.
    pub(super) fn by_class(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        let plan = match self.known.of_class(&value.get_type()) {
            Ok(plan) => plan,
            Err(error) if is_plan_error(self.py, &error) => {
                let reason =
                    format!("{} cannot be written: {}", class_name(value)?, error.value(self.py));
                return Err(Stop::Misfit(reason, Some(error)));
            }
            Err(error) => return Err(Stop::Raised(error)),
        };
        let node = self.known.kept[plan].root;
        if let Kind::Class(class) = self.known.kept[plan].nodes[node as usize].kind
            && self.is_plain(As { plan, node })
        {
            return self.push_object(value, class, plan);
        }
        if matches!(self.node(As { plan, node }).kind, Kind::Any)
            && self.is_plain(As { plan, node })
        {
            return Err(Stop::misfit(format!("{} cannot be written", class_name(value)?)));
        }
        self.typed(value, As { plan, node })
    }

    /// A value whose type nobody declared.
    pub(super) fn any(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        let class = value.get_type_ptr();
        let is = |builtin: *const ffi::PyTypeObject| std::ptr::eq(class, builtin);
        if is(&raw const ffi::PyUnicode_Type) {
            return self.text(value);
        } else if is(&raw const ffi::PyLong_Type) {
            return self.int(value);
        } else if is(&raw const ffi::PyFloat_Type) {
            return self.float(value);
        } else if is(&raw const ffi::PyBool_Type) {
            return Ok(self.writer.boolean(value.is_truthy()?, 0)?);
        } else if value.is_none() {
            return Ok(self.writer.plain_null()?);
        }
        let plain = As { plan: self.plain()?, node: crate::plan::PLAIN };
        if is(&raw const ffi::PyDict_Type) {
            return self.dict(value, plain, plain, plain);
        } else if is(&raw const ffi::PyList_Type) || is(&raw const ffi::PyTuple_Type) {
            return self.items(value, plain, plain);
        }
        if !W::ELEMENTS
            && let Some((plan, class)) = self.known.class_met(class)
        {
            return self.push_object(value, class, plan);
        }
        self.other(value, plain)
    }

    /// The plan of plain values.
    pub(super) fn plain(&mut self) -> PyResult<usize> {
        self.known.plain(self.py)
    }

    pub(super) fn other(&mut self, value: &Bound<'py, PyAny>, plain: As) -> Result<Flow, Stop> {
        match self.of_known_class(value, plain) {
            Err(Stop::Misfit(..)) if self.known.default.is_some() => self.by_default(value),
            written => written,
        }
    }

    /// Writes what the caller's function has for an object that cannot be written.
    #[cold]
    fn by_default(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        self.converts()?;
        let Some(default) = &self.known.default else { return Err(Stop::misfit("no default")) };
        let instead = default
            .bind(self.py)
            .call1((value,))
            .map_err(|error| Stop::own_code(self.py, "default=", error))?;
        self.any(&instead)
    }

    fn of_known_class(&mut self, value: &Bound<'py, PyAny>, plain: As) -> Result<Flow, Stop> {
        if let Some(inner) = enum_value(value)? {
            self.converts()?;
            return self.any(&inner);
        }
        if let Ok(value) = value.cast::<PyDateTime>() {
            let value = scalars::datetime(value)?;
            refuse_fine(value.time.offset)?;
            return Ok(self.writer.scalar(Scalar::DateTime(value), 0)?);
        } else if let Ok(value) = value.cast::<PyDate>() {
            return Ok(self.writer.scalar(Scalar::Date(scalars::exact_date(value)?), 0)?);
        } else if let Ok(value) = value.cast::<PyTime>() {
            let value = scalars::time(value)?;
            refuse_fine(value.offset)?;
            return Ok(self.writer.scalar(Scalar::Time(value), 0)?);
        } else if let Ok(value) = value.cast::<PyDelta>() {
            return Ok(self.writer.scalar(Scalar::Duration(scalars::exact_duration(value)?), 0)?);
        } else if is_decimal(value) {
            return self.decimal(value);
        } else if is_uuid(value) {
            return Ok(self.writer.scalar(Scalar::Uuid(scalars::uuid(value)?), 0)?);
        } else if let Ok(raw) = value.cast::<Raw>() {
            return self.json_text(raw.get());
        } else if is_uid(value) {
            return Ok(self.writer.scalar(Scalar::Uid(scalars::uid(value)?), 0)?);
        } else if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
            return self.bytes(value, plain);
        }
        let class = value.get_type();
        if value.is_instance_of::<PyFrozenSet>() || value.is_instance_of::<pyo3::types::PySet>() {
            return self.items(value, plain, plain);
        }
        // SAFETY: a class is complete once an object of it exists.
        let own = unsafe { (*class.as_type_ptr()).tp_flags & ffi::Py_TPFLAGS_HEAPTYPE != 0 };
        if own {
            let is_named = value.is_instance_of::<PyTuple>();
            match self.by_class(value) {
                Err(Stop::Misfit(reason, cause)) if !is_named && cause.is_some() => {
                    return self.as_base(value, plain).unwrap_or(Err(Stop::Misfit(reason, cause)));
                }
                Ok(flow) => {
                    self.meet(&class)?;
                    return Ok(flow);
                }
                result => return result,
            }
        }
        if let Some(result) = self.as_base(value, plain) {
            return result;
        }
        self.by_class(value)
    }

    /// Notes a class if [`Walker::other`] writes its objects by their fields. All that it asks before
    /// depends on the class alone.
    fn meet(&mut self, class: &Bound<'py, PyType>) -> Result<(), Stop> {
        let plan = self.known.of_class(class)?;
        let root = As { plan, node: self.plan(As { plan, node: 0 }).root };
        if let Kind::Class(number) = self.node(root).kind
            && self.is_plain(root)
        {
            self.known.meet(class.as_type_ptr(), plan, number);
        }
        Ok(())
    }

    /// An object of a class derived from a builtin one, as that.
    pub(super) fn as_base(
        &mut self,
        value: &Bound<'py, PyAny>,
        plain: As,
    ) -> Option<Result<Flow, Stop>> {
        Some(if value.is_instance_of::<PyString>() {
            self.text(value)
        } else if value.is_instance_of::<PyInt>() {
            self.int(value)
        } else if value.is_instance_of::<PyFloat>() {
            self.float(value)
        } else if value.cast::<PyMapping>().is_ok() {
            self.dict(value, plain, plain, plain)
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            self.items(value, plain, plain)
        } else {
            return None;
        })
    }
}

/// A date or a time as it is written.
enum Printed {
    Text(String),
    /// A number.
    Digits(Vec<u8>),
    /// In the form of its type.
    Scalar(Scalar<'static>),
}

/// How often one value may be converted: by a function of an annotation, of its class, as a member
/// of an `Enum`, and what each of these gives again.
const MOST_CONVERSIONS: u32 = 64;

/// RFC 3339 has offsets of whole minutes.
pub(super) fn refuse_fine(
    offset: Option<penstock_core::value::datetime::Offset>,
) -> Result<(), Stop> {
    match offset {
        Some(penstock_core::value::datetime::Offset::Microseconds(_)) => Err(Stop::misfit(
            "RFC 3339 has no offset with seconds: times=\"iso\" writes and reads it",
        )),
        _ => Ok(()),
    }
}

/// The value of a member of an `Enum`.
pub(super) fn enum_value<'py>(
    value: &Bound<'py, PyAny>,
) -> Result<Option<Bound<'py, PyAny>>, Stop> {
    if !is_enum(value) {
        return Ok(None);
    }
    Ok(Some(value.getattr(intern!(value.py(), "_value_"))?))
}

/// The class of a value, for messages.
pub(super) fn class_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.get_type().name()?.to_string())
}
