//! Walks an object and tells a writer its values.
//!
//! For whoever changes it. `frames` are the open containers, outermost first; the last one is asked
//! for its next value until it has none. A scalar is told at once, a container gets a frame. Code of
//! the caller's may run at any attribute, hash or function, and may change what is being walked: so
//! a frame owns its container and checks its size at each step.

use super::Stop;
use super::layout::{Field, Get, Layout, Name, Step};
use super::scalars;
use super::text::text_of;
use crate::plan::{
    Absent, ClassPlan, Kind, NodeId, Plan, PlanRef, TagRule, is_decimal, is_plan_error, is_uuid,
    plan_from,
};
use penstock_core::event::Scalar;
use penstock_core::json::writer::Writer;
use penstock_core::shape::Form;
use penstock_core::sink::{Flow, Sink};
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{self, Moment};
use penstock_core::value::print;
use penstock_scan::TextBuf;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyFrozenSet, PyInt,
    PyIterator, PyList, PyMapping, PyString, PyTime, PyTuple, PyType,
};
use std::collections::HashMap;
use std::fmt::Write as _;

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

/// What a walker keeps from one object to the next.
#[derive(Default)]
pub(crate) struct Known {
    /// The plans of the classes that were met, by the address of the class. A plan keeps its class
    /// alive.
    plans: HashMap<usize, usize>,
    kept: Vec<PlanRef>,
    scratch: TextBuf,
}

impl Known {
    /// The plans that are kept, for the collector.
    pub(crate) fn plans(&self) -> &[PlanRef] {
        &self.kept
    }

    /// Forgets all plans if one of them is of a class that has changed.
    pub(crate) fn refresh(&mut self, py: Python<'_>) {
        if self.kept.iter().any(|plan| !plan.is_current(py)) {
            self.plans.clear();
            drop(std::mem::take(&mut self.kept));
        }
    }

    /// The number of a plan.
    pub(crate) fn number(&mut self, py: Python<'_>, plan: &PlanRef) -> usize {
        let known = self.kept.iter().position(|known| known.address() == plan.address());
        known.unwrap_or_else(|| self.keep(plan.clone_ref(py)))
    }

    fn keep(&mut self, plan: PlanRef) -> usize {
        self.kept.push(plan);
        self.kept.len() - 1
    }

    /// The number of the plan of a class.
    #[inline]
    fn of_class(&mut self, class: &Bound<'_, PyType>) -> PyResult<usize> {
        let key = class.as_ptr() as usize;
        if let Some(&known) = self.plans.get(&key) {
            return Ok(known);
        }
        let plan = plan_from(class.py(), class.as_any(), Form::KEYED.into())?;
        let number = self.keep(plan);
        self.plans.insert(key, number);
        Ok(number)
    }
}

/// A type: a plan and one of its nodes.
#[derive(Clone, Copy)]
struct As {
    plan: usize,
    node: NodeId,
}

/// A container that is being written.
enum Frame<'py> {
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
    },
    Object {
        object: Bound<'py, PyAny>,
        plan: usize,
        class: u32,
        next: usize,
        depth: usize,
    },
}

/// Walks objects, and tells a writer.
pub(crate) struct Walker<'py, 'w> {
    py: Python<'py>,
    writer: &'w mut Writer,
    known: &'w mut Known,
    omit: Omit,
    frames: Vec<Frame<'py>>,
}

/// Takes the text of a writer that has enough.
pub(crate) type HandOn<'a> = &'a mut dyn FnMut(&mut Writer) -> PyResult<()>;

impl<'py, 'w> Walker<'py, 'w> {
    pub(crate) fn new(
        py: Python<'py>,
        writer: &'w mut Writer,
        known: &'w mut Known,
        omit: Omit,
    ) -> Self {
        Walker { py, writer, known, omit, frames: Vec::new() }
    }

    /// Writes one object. `hand_on` is called when the writer has enough text.
    pub(crate) fn write(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
        hand_on: HandOn<'_>,
    ) -> PyResult<()> {
        let result = self.whole(value, plan, hand_on);
        result.map_err(|stop| {
            let (stop, path) = match self.cycle() {
                Some((inner, outer)) => {
                    let outer = self.path(outer);
                    let whole = if outer.is_empty() { "the whole value" } else { &*outer };
                    let reason = format!("it contains itself: it is {whole}");
                    (Stop::misfit(reason), self.path(inner))
                }
                None => (stop, self.path(self.frames.len())),
            };
            self.frames.clear();
            self.writer.abandon();
            stop.into_error(self.py, path)
        })
    }

    fn whole(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
        hand_on: HandOn<'_>,
    ) -> Result<(), Stop> {
        let mut flow = match plan {
            Some(plan) => {
                let node = self.known.kept[plan].root;
                self.value(value, As { plan, node })?
            }
            None => self.any(value)?,
        };
        loop {
            if flow == Flow::Pause {
                hand_on(self.writer)?;
            }
            let Some(frame) = self.frames.last_mut() else { return Ok(()) };
            flow = match frame {
                Frame::List { list, next, item } => match list.get_item(*next) {
                    Ok(value) => {
                        let item = *item;
                        *next += 1;
                        self.value(&value, item)?
                    }
                    Err(_) => self.end_list()?,
                },
                Frame::Tuple { tuple, next, item } => match tuple.get_item(*next) {
                    Ok(value) => {
                        let item = *item;
                        *next += 1;
                        self.value(&value, item)?
                    }
                    Err(_) => self.end_list()?,
                },
                Frame::Fixed { tuple, next, all } => match tuple.get_item(*next) {
                    Ok(value) => {
                        let (at, all) = (*next, *all);
                        *next += 1;
                        let node = match &self.node(all).kind {
                            Kind::Tuple(nodes) => nodes[at],
                            _ => crate::plan::PLAIN,
                        };
                        self.value(&value, As { plan: all.plan, node })?
                    }
                    Err(_) => self.end_list()?,
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
            };
        }
    }

    #[inline]
    fn end_list(&mut self) -> Result<Flow, Stop> {
        self.frames.pop();
        Ok(self.writer.end_list(0)?)
    }

    fn plan(&self, of: As) -> &Plan {
        &self.known.kept[of.plan]
    }

    fn node(&self, of: As) -> &crate::plan::Node {
        &self.known.kept[of.plan].nodes[of.node as usize]
    }

    /// Writes the next member of the innermost dict.
    fn member(&mut self) -> Result<Flow, Stop> {
        let Some(Frame::Dict { dict, next, size, key, value, ends, current }) =
            self.frames.last_mut()
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

    /// Writes a key of a dict.
    fn key(&mut self, key: &Bound<'py, PyAny>, of: As) -> Result<(), Stop> {
        if let Ok(key) = key.cast::<PyString>() {
            let text = text_of(key, &mut self.known.scratch)?;
            self.writer.key(text, 0)?;
            return Ok(());
        }
        let mut key = key.clone();
        if let Some(after) = &self.node(of).after {
            for back in after.backs.iter().rev() {
                key = self.back(back.as_ref().map(|back| back.clone_ref(self.py)), &key)?;
            }
        }
        if let Some(value) = enum_value(&key)? {
            key = value;
        }
        let text = if key.is_instance_of::<PyBool>() {
            if key.is_truthy()? { "true".to_owned() } else { "false".to_owned() }
        } else if key.is_instance_of::<PyInt>() || is_decimal(&key) || is_uuid(&key) {
            key.str()?.to_string()
        } else if let Ok(text) = key.cast::<PyString>() {
            text_of(text, &mut self.known.scratch)?.text.as_str().to_owned()
        } else {
            let mut out = Vec::with_capacity(print::LONGEST);
            if let Ok(float) = key.cast::<PyFloat>()
                && float.value().is_finite()
            {
                print::float(float.value(), &mut out);
            } else if let Ok(value) = key.cast::<PyDateTime>() {
                print::datetime(scalars::datetime(value)?, &mut out);
            } else if let Ok(value) = key.cast::<PyDate>() {
                print::date(scalars::date(value), &mut out);
            } else if let Ok(value) = key.cast::<PyTime>() {
                print::time(scalars::time(value)?, &mut out);
            } else if let Ok(value) = key.cast::<PyDelta>() {
                print::duration(scalars::duration(value), &mut out);
            } else if matches!(self.node(of).kind, Kind::Str) && !self.is_plain(of) {
                // A type that is made of text: a path, an address.
                out.extend_from_slice(key.str()?.to_str()?.as_bytes());
            } else {
                let reason = format!("a key must be text or a scalar, not {}", class_name(&key));
                return Err(Stop::misfit(reason));
            }
            String::from_utf8_lossy(&out).into_owned()
        };
        self.writer.key(text.as_str().into(), 0)?;
        Ok(())
    }

    fn is_plain(&self, of: As) -> bool {
        self.node(of).after.is_none()
    }

    /// Writes fields of the innermost object until one is a container.
    fn fields(&mut self) -> Result<Flow, Stop> {
        let Some(&mut Frame::Object { ref object, plan, class, ref mut next, depth }) =
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
        while let Some(step) = layout.steps.get(at) {
            at += 1;
            // For a path in an error, and for the next call.
            if let Some(Frame::Object { next, .. }) = self.frames.last_mut() {
                *next = at;
            }
            match step {
                Step::Field(field) => {
                    let Some(value) =
                        self.field_value(&object, field, &kept.classes[class as usize])?
                    else {
                        continue;
                    };
                    if !layout.rows {
                        self.writer.lent_key(field.key.lent.as_bytes(), &field.key.name)?;
                    }
                    let flow = self.value(&value, As { plan, node: field.node })?;
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
                Step::Rest(get) => {
                    let Some(rest) = self.get(&object, get)? else { continue };
                    if rest.is_none() {
                        continue;
                    }
                    let Ok(rest) = rest.cast_into::<PyDict>() else {
                        return Err(Stop::misfit("the rest must be a dict"));
                    };
                    let any = As { plan, node: crate::plan::PLAIN };
                    self.push_dict(rest, any, any, false);
                    return Ok(Flow::Take);
                }
            }
        }
        let rows = layout.rows;
        self.frames.pop();
        Ok(if rows { self.writer.end_list(0)? } else { self.writer.end_map(0)? })
    }

    /// The value of a field, unless it is left out.
    #[inline]
    fn field_value(
        &self,
        object: &Bound<'py, PyAny>,
        field: &Field,
        class: &ClassPlan,
    ) -> Result<Option<Bound<'py, PyAny>>, Stop> {
        let Some(value) = self.get(object, &field.get)? else { return Ok(None) };
        let omitted = match self.omit {
            Omit::Nothing => false,
            Omit::None => value.is_none(),
            Omit::Defaults => {
                self.is_default(&value, &class.fields[field.index as usize].absent)?
            }
        };
        Ok((!omitted).then_some(value))
    }

    fn is_default(&self, value: &Bound<'py, PyAny>, absent: &Absent) -> Result<bool, Stop> {
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
    fn get(
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
        }
    }

    /// Writes a value of a declared type: a scalar at once, a container by a frame.
    #[inline]
    fn value(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let node = self.node(of);
        if node.after.is_none() {
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

    fn typed(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let node = self.node(of);
        let mut value = value.clone();
        let mut converted = false;
        if let Some(after) = &node.after {
            if value.is_none() && node.nullable && after.null_from.is_none() {
                return Ok(self.writer.null(0)?);
            }
            converted = true;
            let backs: Vec<_> = after
                .backs
                .iter()
                .rev()
                .map(|back| back.as_ref().map(|back| back.clone_ref(self.py)))
                .collect();
            for back in backs {
                value = self.back(back, &value)?;
            }
        }
        let node = self.node(of);
        if value.is_none() && (node.nullable || matches!(node.kind, Kind::None)) {
            return Ok(self.writer.null(0)?);
        }
        match &node.kind {
            Kind::Any => self.any(&value),
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
                    // A class that is made of the text that `str` prints: a path, an address.
                    let text = value.getattr_opt(intern!(self.py, "pattern"))?;
                    let text = match text.filter(|text| text.is_instance_of::<PyString>()) {
                        Some(pattern) => pattern,
                        None => value
                            .str()
                            .map_err(|error| Stop::own_code(self.py, "str()", error))?
                            .into_any(),
                    };
                    return self.text(&text);
                }
                Err(self.unfit(&value, of))
            }
            Kind::Decimal if is_decimal(&value) => self.decimal(&value),
            Kind::Decimal if value.is_exact_instance_of::<PyInt>() => self.int(&value),
            Kind::Bytes | Kind::Encoded(_) => self.bytes(&value, of),
            Kind::DateTime | Kind::Date | Kind::Time | Kind::Duration | Kind::Uuid => {
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
                        let flow = self.writer.begin_list(0)?;
                        self.frames.push(Frame::Fixed { tuple, next: 0, all: of });
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
        }
    }

    /// Undoes one step of decoding.
    fn back(
        &self,
        back: Option<Py<PyAny>>,
        value: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>, Stop> {
        match back {
            Some(back) => back
                .bind(self.py)
                .call1((value,))
                .map_err(|error| Stop::own_code(self.py, "encode=", error)),
            None => Err(Stop::misfit(
                "nothing says how the value is written: give via(..., encode=...)",
            )),
        }
    }

    #[cold]
    fn unfit(&self, value: &Bound<'py, PyAny>, of: As) -> Stop {
        let node = self.node(of);
        Stop::misfit(format!("expected {}, got {}", node.written, class_name(value)))
    }

    #[inline]
    fn int(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
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
    fn float(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        // SAFETY: a `float`, or an object of a class derived from it.
        let value = unsafe { ffi::PyFloat_AS_DOUBLE(value.as_ptr()) };
        Ok(self.writer.float(value, 0)?)
    }

    #[inline]
    fn text(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        let value = value.cast::<PyString>().map_err(PyErr::from)?;
        let text = text_of(value, &mut self.known.scratch)?;
        Ok(self.writer.text(text, 0)?)
    }

    fn decimal(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        let text = value.str()?;
        let text = text.to_str()?;
        if !text.bytes().any(|byte| byte.is_ascii_digit()) || text.contains('N') {
            // It is as a double what it is as a decimal number.
            let value = if text.contains('N') { f64::NAN } else { value.extract()? };
            return Ok(self.writer.float(value, 0)?);
        }
        Ok(self.writer.scalar(Scalar::Decimal(text.as_bytes()), 0)?)
    }

    fn bytes(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let taken;
        let bytes = if let Ok(bytes) = value.cast::<PyBytes>() {
            bytes.as_bytes()
        } else if value.is_instance_of::<PyByteArray>() {
            taken = value.extract::<Vec<u8>>()?;
            &taken
        } else {
            return Err(self.unfit(value, of));
        };
        let Kind::Encoded(form) = &self.node(of).kind else {
            return Ok(self.writer.scalar(Scalar::Bytes(bytes), 0)?);
        };
        let mut out = Vec::new();
        out.try_reserve(bytes.len().saturating_mul(2).saturating_add(4))
            .map_err(|_| Stop::Raised(pyo3::exceptions::PyMemoryError::new_err(())))?;
        match form {
            Type::Hex => print::hex(bytes, &mut out),
            Type::Base64As(spelling) => print::base64_as(bytes, *spelling, &mut out),
            Type::Base64InLines => print::base64_in_lines(bytes, &mut out),
            _ => print::base64(bytes, &mut out),
        }
        let text = String::from_utf8_lossy(&out);
        Ok(self.writer.text(text.as_ref().into(), 0)?)
    }

    /// A date, a time, a duration or a UUID.
    fn standard(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
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
                    Scalar::Date(scalars::date(date))
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
                Ok(value) => Scalar::Duration(scalars::duration(value)),
                Err(_) => return Err(self.unfit(value, of)),
            },
            _ if is_uuid(value) => Scalar::Uuid(scalars::uuid(value)?),
            _ => return Err(self.unfit(value, of)),
        };
        Ok(self.writer.scalar(scalar, 0)?)
    }

    /// A date or a time in a form that the user chose.
    fn moment(&mut self, value: &Bound<'py, PyAny>, moment: &Moment, of: As) -> Result<Flow, Stop> {
        if let moment::Form::Pattern(_) = moment.form {
            return Err(Stop::misfit("a time in a form of your own cannot be written yet"));
        }
        let scalar = match (moment.of, moment.unit) {
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
                    return Ok(self.writer.number(&out, 0)?);
                }
                if moment.form == moment::Form::Rfc3339 {
                    refuse_fine(value.time.offset)?;
                }
                Scalar::DateTime(value)
            }
            (moment::Of::Date, _) => match value.cast::<PyDate>() {
                Ok(date) if !value.is_instance_of::<PyDateTime>() => {
                    Scalar::Date(scalars::date(date))
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
        };
        Ok(self.writer.scalar(scalar, 0)?)
    }

    /// A value of a union or a choice: its own kind decides.
    fn one_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        let fits = |this: &Self, node: NodeId| this.takes(value, As { node, ..of });
        let member = match &self.node(of).kind {
            Kind::Tokens(tokens) => {
                let members =
                    [tokens.boolean, tokens.integer, tokens.number, tokens.list, tokens.map];
                let typed = members.into_iter().flatten();
                Some(typed.chain(tokens.text.iter().copied()).find(|node| fits(self, *node)))
            }
            _ => None,
        };
        match member {
            Some(Some(node)) => return self.typed(value, As { node, ..of }),
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
            let text = text_of(text, &mut self.known.scratch)?.bytes().to_owned();
            let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
            choice.texts.find(&text).is_some()
        } else if plain.is_instance_of::<PyInt>() {
            let number: Option<i64> = plain.extract().ok();
            choice.ints.iter().any(|(known, _)| Some(*known) == number)
        } else {
            false
        };
        let is_missing = |choice: &crate::plan::Choice| choice.enum_class.is_some();
        let Kind::Choice(choice) = &self.node(of).kind else { return self.any(&plain) };
        if known || is_missing(choice) { self.any(&plain) } else { Err(self.unfit(value, of)) }
    }

    /// Whether a value is one of a type, as far as its own class shows it.
    fn takes(&self, value: &Bound<'py, PyAny>, of: As) -> bool {
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
                    && value.try_iter().is_ok()
            }
            Kind::Dict(..) => value.cast::<PyMapping>().is_ok(),
            Kind::Class(class) => {
                let class = self.plan(of).classes[*class as usize].class.bind(self.py);
                value.get_type().is(class)
                    || value.is_instance(class).unwrap_or(false)
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
                    tokens.map,
                ];
                let all = members.into_iter().flatten().chain(tokens.text.iter().copied());
                all.into_iter().any(|node| self.takes(value, As { node, ..of }))
            }
            _ => false,
        }
    }

    fn is_typed_dict(&self, of: As) -> bool {
        let Kind::Class(class) = &self.node(of).kind else { return false };
        matches!(self.plan(of).classes[*class as usize].build, crate::plan::Build::Dict(_))
    }

    /// An object of one of several classes: with the tag that tells them apart.
    fn tagged(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
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
            && !self.names(&key)?
        {
            self.writer.key((&*key).into(), 0)?;
            match tag {
                TagOf::Text(text) => self.writer.text((&*text).into(), 0)?,
                TagOf::Int(int) => self.writer.int(int, 0)?,
            };
        }
        Ok(flow)
    }

    /// Whether the class of the innermost object writes a member with this key.
    fn names(&self, key: &str) -> Result<bool, Stop> {
        let Some(&Frame::Object { plan, class, .. }) = self.frames.last() else { return Ok(true) };
        let layouts = self.known.kept[plan].layouts(self.py)?;
        let layout = layouts.class(class).map_err(Stop::misfit)?;
        Ok(layout.rows
            || layout.steps.iter().any(|step| match step {
                Step::Field(field) => &*field.key.name == key,
                Step::Open(name) => &*name.name == key,
                _ => false,
            }))
    }

    /// A list, or anything that is iterated over.
    fn items(&mut self, value: &Bound<'py, PyAny>, item: As, of: As) -> Result<Flow, Stop> {
        let frame = if let Ok(list) = value.cast::<PyList>() {
            Frame::List { list: list.clone(), next: 0, item }
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            Frame::Tuple { tuple: tuple.clone(), next: 0, item }
        } else if value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyDict>()
            || value.get_type().getattr_opt(intern!(self.py, "__iter__"))?.is_none()
        {
            return Err(self.unfit(value, of));
        } else {
            let items =
                value.try_iter().map_err(|error| Stop::own_code(self.py, "iterating", error))?;
            Frame::Items { items, next: 0, item }
        };
        let flow = self.writer.begin_list(0)?;
        self.frames.push(frame);
        Ok(flow)
    }

    fn dict(&mut self, value: &Bound<'py, PyAny>, key: As, item: As, of: As) -> Result<Flow, Stop> {
        let dict = if let Ok(dict) = value.cast::<PyDict>() {
            dict.clone()
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            let copy = PyDict::new(self.py);
            copy.update(mapping).map_err(|error| Stop::own_code(self.py, "the mapping", error))?;
            copy
        } else {
            return Err(self.unfit(value, of));
        };
        let flow = self.writer.begin_map(0)?;
        self.push_dict(dict, key, item, true);
        Ok(flow)
    }

    fn push_dict(&mut self, dict: Bound<'py, PyDict>, key: As, value: As, ends: bool) {
        let size = dict.len();
        self.frames.push(Frame::Dict { dict, next: 0, size, key, value, ends, current: None });
    }

    fn object(&mut self, value: &Bound<'py, PyAny>, class: u32, of: As) -> Result<Flow, Stop> {
        let planned = self.plan(of).classes[class as usize].class.bind(self.py);
        let typed_dict = value.is_instance_of::<PyDict>() && self.is_typed_dict(of);
        if value.get_type().is(planned) || typed_dict {
            return self.push_object(value, class, of.plan);
        }
        if value.is_instance(planned).unwrap_or(false) {
            // An object of a derived class is written with all its fields.
            return self.by_class(value);
        }
        Err(self.unfit(value, of))
    }

    fn push_object(
        &mut self,
        value: &Bound<'py, PyAny>,
        class: u32,
        plan: usize,
    ) -> Result<Flow, Stop> {
        let layouts = self.known.kept[plan].layouts(self.py)?;
        let Layout { rows, .. } = layouts.class(class).map_err(Stop::misfit)?;
        let flow = if *rows { self.writer.begin_list(0)? } else { self.writer.begin_map(0)? };
        let depth = self.frames.len() + 1;
        let object = value.clone();
        self.frames.push(Frame::Object { object, plan, class, next: 0, depth });
        Ok(flow)
    }

    /// An object by the plan of its own class.
    fn by_class(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
        let plan = match self.known.of_class(&value.get_type()) {
            Ok(plan) => plan,
            Err(error) if is_plan_error(self.py, &error) => {
                let reason =
                    format!("{} cannot be written: {}", class_name(value), error.value(self.py));
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
            return Err(Stop::misfit(format!("{} cannot be written", class_name(value))));
        }
        self.typed(value, As { plan, node })
    }

    /// A value whose type nobody declared.
    fn any(&mut self, value: &Bound<'py, PyAny>) -> Result<Flow, Stop> {
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
            return Ok(self.writer.null(0)?);
        }
        let plain = As { plan: self.plain()?, node: crate::plan::PLAIN };
        if is(&raw const ffi::PyDict_Type) {
            return self.dict(value, plain, plain, plain);
        } else if is(&raw const ffi::PyList_Type) || is(&raw const ffi::PyTuple_Type) {
            return self.items(value, plain, plain);
        }
        self.other(value, plain)
    }

    /// The plan of plain values.
    fn plain(&mut self) -> PyResult<usize> {
        self.known.of_class(&self.py.get_type::<PyAny>())
    }

    fn other(&mut self, value: &Bound<'py, PyAny>, plain: As) -> Result<Flow, Stop> {
        if let Some(inner) = enum_value(value)? {
            return self.any(&inner);
        }
        if let Ok(value) = value.cast::<PyDateTime>() {
            let value = scalars::datetime(value)?;
            refuse_fine(value.time.offset)?;
            return Ok(self.writer.scalar(Scalar::DateTime(value), 0)?);
        } else if let Ok(value) = value.cast::<PyDate>() {
            return Ok(self.writer.scalar(Scalar::Date(scalars::date(value)), 0)?);
        } else if let Ok(value) = value.cast::<PyTime>() {
            let value = scalars::time(value)?;
            refuse_fine(value.offset)?;
            return Ok(self.writer.scalar(Scalar::Time(value), 0)?);
        } else if let Ok(value) = value.cast::<PyDelta>() {
            return Ok(self.writer.scalar(Scalar::Duration(scalars::duration(value)), 0)?);
        } else if is_decimal(value) {
            return self.decimal(value);
        } else if is_uuid(value) {
            return Ok(self.writer.scalar(Scalar::Uuid(scalars::uuid(value)?), 0)?);
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
                result => return result,
            }
        }
        if let Some(result) = self.as_base(value, plain) {
            return result;
        }
        self.by_class(value)
    }

    /// An object of a class derived from a builtin one, as that.
    fn as_base(&mut self, value: &Bound<'py, PyAny>, plain: As) -> Option<Result<Flow, Stop>> {
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

    /// Two open containers that are the same object: the number of the inner and the outer one.
    #[cold]
    fn cycle(&self) -> Option<(usize, usize)> {
        let mut met = HashMap::new();
        self.frames.iter().enumerate().find_map(|(number, frame)| {
            let object = match frame {
                Frame::List { list, .. } => list.as_ptr(),
                Frame::Tuple { tuple, .. } | Frame::Fixed { tuple, .. } => tuple.as_ptr(),
                Frame::Dict { dict, ends: true, .. } => dict.as_ptr(),
                Frame::Object { object, .. } => object.as_ptr(),
                Frame::Items { .. } | Frame::Dict { .. } => return None,
            };
            met.insert(object, number).map(|outer| (number, outer))
        })
    }

    /// The path to the value in so many containers, as Python would write it: `items[3].price`.
    #[cold]
    fn path(&self, containers: usize) -> String {
        let mut path = String::new();
        for (number, frame) in self.frames[..containers].iter().enumerate() {
            // Of a path that is too long to read, the beginning and the end say enough.
            if (LONG_BEGINS..containers.saturating_sub(LONG_ENDS)).contains(&number) {
                if number == LONG_BEGINS {
                    path.push_str("...");
                }
                continue;
            }
            match frame {
                Frame::List { next, .. }
                | Frame::Tuple { next, .. }
                | Frame::Fixed { next, .. }
                | Frame::Items { next, .. } => {
                    let _ = write!(path, "[{}]", next.saturating_sub(1));
                }
                Frame::Dict { current: Some(key), .. } => {
                    let key = key.repr().map_or_else(|_| "?".to_owned(), |key| key.to_string());
                    let _ = write!(path, "[{key}]");
                }
                Frame::Dict { .. } => {}
                Frame::Object { plan, class, next, .. } => {
                    let Ok(layouts) = self.known.kept[*plan].layouts(self.py) else { continue };
                    let Ok(layout) = layouts.class(*class) else { continue };
                    let Some(Step::Field(field)) =
                        next.checked_sub(1).and_then(|at| layout.steps.get(at))
                    else {
                        continue;
                    };
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&field.shown);
                }
            }
        }
        path
    }
}

/// How many steps at the beginning and at the end of a long path are shown.
const LONG_BEGINS: usize = 20;
const LONG_ENDS: usize = 5;

enum TagOf {
    Text(Box<str>),
    Int(i64),
}

/// RFC 3339 has offsets of whole minutes.
fn refuse_fine(offset: Option<penstock_core::value::datetime::Offset>) -> Result<(), Stop> {
    match offset {
        Some(penstock_core::value::datetime::Offset::Microseconds(_)) => Err(Stop::misfit(
            "RFC 3339 has no offset with seconds: times=\"iso\" writes and reads it",
        )),
        _ => Ok(()),
    }
}

/// The value of a member of an `Enum`.
fn enum_value<'py>(value: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>, Stop> {
    if !crate::plan::is_enum(value) {
        return Ok(None);
    }
    Ok(Some(value.getattr(intern!(value.py(), "_value_"))?))
}

/// The class of a value, for messages.
fn class_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}
