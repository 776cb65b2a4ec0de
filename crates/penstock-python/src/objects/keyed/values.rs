//! Builds from Python values: dicts, lists, and objects with attributes.
//!
//! The values are reported as the events that a document with them would give, so a class means the
//! same as in a document. There is one rule more: a value that is of the type already is taken as it
//! is, and not copied.

use super::Keyed;
use super::containers::{attribute, changed, class_name, is_bytes, items, mapping};
use crate::cpython::text::ascii;
use crate::edge::errors::answer;
use crate::objects::core::frame::FrameKind;
use crate::objects::core::refusal::Refusal;
use crate::plan::{
    Kind, KindByte, NodeId, Raw, TagRule, Target, decimal_text, is_decimal, is_enum, is_unset,
};
use penstock_core::event::{Scalar, Text};
use penstock_core::protocol::{Flow, Hints, Look, LookAhead, Sink};
use penstock_core::value::moment::Of;
use penstock_scan::make_room;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashSet;

/// After so many items of a container, signals are checked.
pub(super) const SLICE: usize = 1 << 14;

/// How values are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taking<'a> {
    /// Whether an object stands for the class of a field if it has its attributes.
    pub(crate) attributes: bool,
    /// How many containers may be inside each other (`limits.depth`).
    pub(crate) depth: usize,
    /// If containers that are of their type already are taken as they are: those, by their addresses,
    /// that must be, because others refer to them.
    pub(crate) keeps: Option<&'a HashSet<usize>>,
}

/// Nothing, if the value is in its place.
type Taken = Result<(), Refusal>;

/// A container whose values are being taken. They are on a stack of their own, because nothing that a
/// caller gives may overflow the processor's.
enum Open<'py> {
    Dict { dict: Bound<'py, PyDict>, next: ffi::Py_ssize_t, size: usize },
    List { list: Bound<'py, PyList>, next: usize },
    Object { object: Bound<'py, PyAny>, next: usize },
}

/// The open containers, outermost first.
type Opened<'py> = Vec<Open<'py>>;

impl<'p> Keyed<'p> {
    /// Takes a value in the place of a document.
    pub(crate) fn take(&mut self, value: &Bound<'_, PyAny>, how: Taking<'_>) -> Taken {
        let mut opened = Opened::new();
        self.value(value, how, &mut opened)?;
        loop {
            match opened.last() {
                Some(Open::Dict { .. }) => self.members(how, &mut opened)?,
                Some(Open::List { .. }) => self.items(how, &mut opened)?,
                Some(Open::Object { .. }) => self.attributes(how, &mut opened)?,
                None => return Ok(()),
            }
        }
    }

    /// Takes a scalar, or opens a container.
    fn value<'py>(
        &mut self,
        value: &Bound<'py, PyAny>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        let aim = self.aim();
        if aim.kind == KindByte::Any || (aim.kind == KindByte::Other && self.is_left(aim.node)) {
            return self.as_it_is(aim.node, value);
        }
        if value.is_exact_instance_of::<PyString>() {
            if aim.kind == KindByte::Str {
                return self.as_it_is(aim.node, value);
            }
            return self.string(value);
        }
        if value.is_exact_instance_of::<PyInt>() {
            if aim.kind == KindByte::Int {
                return self.as_it_is(aim.node, value);
            }
            return self.integer(value);
        }
        if value.is_exact_instance_of::<PyFloat>() {
            if aim.kind == KindByte::Float {
                return self.as_it_is(aim.node, value);
            }
            let is_float = |kind: &Kind| matches!(kind, Kind::Float | Kind::Any);
            if aim.kind == KindByte::Other && self.takes_made_scalar(value, is_float)? {
                return Ok(());
            }
            return done(self.float(value.extract()?, 0));
        }
        if let Ok(value) = value.cast::<PyBool>() {
            return done(self.boolean(value.is_true(), 0));
        }
        if value.is_none() {
            return done(self.null(0));
        }
        if let Some(shared) = how.keeps
            && self.keeps(aim.node, value, shared)?
        {
            return self.as_it_is(aim.node, value);
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return self.dict(dict, how, opened);
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return self.list(list, how, opened);
        }
        self.other(value, how, opened)
    }

    /// Puts a value that is what its type asks for.
    #[inline(always)]
    fn as_it_is(&mut self, node: NodeId, value: &Bound<'_, PyAny>) -> Taken {
        let object = value.clone().into_ptr();
        if node == self.aim().node && !self.aim().finishes {
            return done(self.store(object, 0));
        }
        let answer = self.give_as(node, Ok(object), 0);
        done(self.valued(answer))
    }

    fn string(&mut self, value: &Bound<'_, PyAny>) -> Taken {
        let is_text = |kind: &Kind| !matches!(kind, Kind::Int | Kind::Float | Kind::Bool);
        if self.aim().kind == KindByte::Other && self.takes_made_scalar(value, is_text)? {
            return Ok(());
        }
        match text_of(value.cast::<PyString>().map_err(PyErr::from)?) {
            Ok(text) => done(self.text(text, 0)),
            Err(_) => self.misfits("a string with a lone surrogate, which is not text"),
        }
    }

    fn integer(&mut self, value: &Bound<'_, PyAny>) -> Taken {
        let is_int = |kind: &Kind| match kind {
            Kind::Int | Kind::Any => true,
            Kind::Moment(moment) => moment.unit.is_some(),
            Kind::Choice(choice) => {
                let own = value.extract::<i64>().ok();
                choice.ints.iter().any(|(known, _)| Some(*known) == own)
            }
            _ => false,
        };
        if self.aim().kind == KindByte::Other && self.takes_made_scalar(value, is_int)? {
            return Ok(());
        }
        let mut overflow = 0;
        // SAFETY: an `int`, or an object of a class derived from it.
        let small = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &raw mut overflow) };
        if overflow == 0 {
            if small == -1
                && let Some(error) = PyErr::take(value.py())
            {
                return Err(error.into());
            }
            return done(self.int(small, 0));
        }
        match &self.item().kind {
            Kind::Int => return self.as_it_is(self.aim().node, value),
            Kind::Float => {
                return match answer(value.py(), value.extract::<f64>())? {
                    Some(near) => done(self.float(near, 0)),
                    None => self.misfits("a number beyond the range of a double"),
                };
            }
            _ => {}
        }
        let class = value.py().get_type::<PyInt>();
        let digits = class.call_method1(intern!(value.py(), "__repr__"), (value,))?;
        let digits = digits.cast_into::<PyString>().map_err(PyErr::from)?;
        done(self.number(digits.to_str()?.as_bytes(), 0))
    }

    /// A value that is neither JSON's nor a container of its own.
    #[inline(never)]
    fn other<'py>(
        &mut self,
        value: &Bound<'py, PyAny>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        if is_unset(value) && self.top().kind == FrameKind::Class {
            // As if the key were not there.
            return Ok(());
        }
        if self.is_in_raw()
            && let Ok(raw) = value.cast::<Raw>()
        {
            return done(self.join_raw(raw.get()));
        }
        if let Some(node) = self.takes_as_it_is(value) {
            return self.as_it_is(node, value);
        }
        if self.takes_made(value)? {
            return Ok(());
        }
        if value.is_instance_of::<PyString>() {
            return self.string(value);
        } else if value.is_instance_of::<PyInt>() {
            return self.integer(value);
        } else if value.is_instance_of::<PyFloat>() {
            return done(self.float(value.extract()?, 0));
        } else if is_enum(value) {
            let meant = value.getattr(intern!(value.py(), "_value_"))?;
            return if is_enum(&meant) {
                self.unfit(value, how)
            } else {
                self.value(&meant, how, opened)
            };
        } else if is_decimal(value) {
            let digits = decimal_text(value)?;
            return match digits.to_str()?.as_bytes() {
                digits if digits.iter().all(|byte| b"0123456789+-.E".contains(byte)) => {
                    done(self.scalar(Scalar::Decimal(digits), 0))
                }
                _ => self.unfit(value, how),
            };
        } else if let Some(dict) = mapping(value, self.takes_only_lists())? {
            return self.dict(&dict, how, opened);
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.tuple(tuple, how, opened);
        } else if is_bytes(value) {
            return self.unfit(value, how);
        } else if self.takes_lists()
            && let Some(list) = items(value)?
        {
            return self.list(&list, how, opened);
        } else if how.attributes && self.takes_attributes() {
            return self.object(value, how, opened);
        }
        self.unfit(value, how)
    }

    /// The node as which a value is taken as it is: the current one, or a member of its union.
    fn takes_as_it_is(&self, value: &Bound<'_, PyAny>) -> Option<NodeId> {
        let of = self.aim().node;
        if self.aim().kind == KindByte::OnPath {
            return None;
        }
        let node = match self.kind(of) {
            Kind::Tokens(_) => self.plan().member_of(of, value)?,
            _ => of,
        };
        self.is_of(node, value).then_some(node)
    }

    /// Whether a node of plain values is a field's that is left to pydantic.
    fn is_left(&self, of: NodeId) -> bool {
        let node = &self.plan().nodes[of as usize];
        node.after.as_ref().is_some_and(|after| after.steps.is_empty() && !after.backs.is_empty())
            && match &node.kind {
                Kind::Any => true,
                Kind::Tokens(tokens) => tokens.is_plain,
                _ => false,
            }
    }

    /// Whether a value is of the type of a node already. Containers are made anew, and so are scalars of
    /// derived classes.
    pub(super) fn is_of(&self, of: NodeId, value: &Bound<'_, PyAny>) -> bool {
        let node = &self.plan().nodes[of as usize];
        if node.after.as_ref().is_some_and(|after| after.changes()) {
            return false;
        }
        match &node.kind {
            Kind::Any => true,
            Kind::Bytes | Kind::Encoded(_) => value.is_instance_of::<PyBytes>(),
            Kind::Choice(choice) => is_enum(value) && choice.holds(value),
            Kind::Class(_) | Kind::Tagged(_) => {
                !value.is_instance_of::<PyDict>() && self.plan().takes(of, value)
            }
            Kind::Decimal | Kind::Uuid | Kind::Uid | Kind::Raw | Kind::Duration => {
                self.plan().takes(of, value)
            }
            kind if kind.is(Of::DateTime) || kind.is(Of::Date) || kind.is(Of::Time) => {
                self.plan().takes(of, value)
            }
            _ => false,
        }
    }

    /// Puts a value that is what the steps of its type make: a `Path`, an address. Then it needs no step. False
    /// if it is not.
    fn takes_made(&mut self, value: &Bound<'_, PyAny>) -> Result<bool, Refusal> {
        let of = self.aim().node;
        if self.aim().kind != KindByte::Other {
            return Ok(false);
        }
        let node = match self.kind(of) {
            Kind::Tokens(_) => self.plan().member_of(of, value),
            _ => Some(of),
        };
        let Some(node) = node.filter(|node| self.is_made(*node, value)) else { return Ok(false) };
        let object = value.clone().into_ptr();
        let answer = if node == of { self.store(object, 0) } else { self.put(object, 0) };
        self.valued(answer)?;
        Ok(true)
    }

    /// Whether the steps of a node make values of the class of this one.
    fn is_made(&self, node: NodeId, value: &Bound<'_, PyAny>) -> bool {
        let Some(after) = &self.plan().nodes[node as usize].after else { return false };
        after.knows_class() && after.makes(value) == Some(true)
    }

    /// Whether the steps of the current type make such scalars of other values. Where they make them of the same
    /// kind of scalar, they are to be called.
    fn takes_made_scalar(
        &mut self,
        value: &Bound<'_, PyAny>,
        is_own: impl Fn(&Kind) -> bool,
    ) -> Result<bool, Refusal> {
        let node = &self.item();
        let takes = match &node.kind {
            Kind::Tokens(tokens) => tokens.members().any(|member| is_own(self.kind(member))),
            kind => node.after.is_none() || is_own(kind),
        };
        if takes { Ok(false) } else { self.takes_made(value) }
    }

    /// Whether the coming value may be an object with keys.
    fn takes_attributes(&self) -> bool {
        self.aim().kind == KindByte::OnPath
            || match self.kind(self.aim().node) {
                Kind::Class(_) | Kind::Tagged(_) => true,
                Kind::Tokens(tokens) => tokens.map.is_some(),
                _ => false,
            }
    }

    /// Whether the coming value may be a list.
    fn takes_lists(&self) -> bool {
        self.aim().kind == KindByte::OnPath
            || self.aim().gathers
            || match self.kind(self.aim().node) {
                Kind::List(_)
                | Kind::Set(_)
                | Kind::FrozenSet(_)
                | Kind::TupleOf(_)
                | Kind::Tuple(_)
                | Kind::Raw
                | Kind::Separated(_) => true,
                Kind::Class(class) => self.plan().classes[*class as usize].takes_rows,
                Kind::Tokens(tokens) => tokens.list.is_some(),
                Kind::Tagged(tagged) => matches!(tagged.by, TagRule::First { .. }),
                _ => false,
            }
    }

    /// Whether the coming value may be a list, but nothing with keys.
    fn takes_only_lists(&self) -> bool {
        self.aim().kind != KindByte::OnPath
            && match self.kind(self.aim().node) {
                Kind::List(_)
                | Kind::Set(_)
                | Kind::FrozenSet(_)
                | Kind::TupleOf(_)
                | Kind::Tuple(_) => true,
                Kind::Class(class) => self.plan().classes[*class as usize].only_rows,
                Kind::Tokens(tokens) => tokens.map.is_none(),
                _ => false,
            }
    }

    fn dict<'py>(
        &mut self,
        dict: &Bound<'py, PyDict>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        if !self.may_open(how, opened)? {
            return Ok(());
        }
        match self.begin_map(0)? {
            Flow::Skip => return Ok(()),
            Flow::Look if !self.look_into(dict)? => return Ok(()),
            _ => {}
        }
        open(opened, Open::Dict { dict: dict.clone(), next: 0, size: dict.len() });
        Ok(())
    }

    /// Takes members of the innermost dict up to one that is a container.
    fn members<'py>(&mut self, how: Taking<'_>, opened: &mut Opened<'py>) -> Taken {
        let depth = opened.len();
        let Some(&mut Open::Dict { ref dict, next, size }) = opened.last_mut() else {
            return Ok(());
        };
        let dict = dict.clone();
        let mut at = next;
        let (mut key, mut item) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a live dict, and the position that the last call left.
        while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut at, &raw mut key, &raw mut item) }
            != 0
        {
            let py = dict.py();
            // SAFETY: both are owned from here on, whatever the caller's code does to the dict.
            let (key, item) =
                unsafe { (Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, item)) };
            if (at as usize).is_multiple_of(SLICE) {
                py.check_signals()?;
            }
            if self.member(&key)? {
                self.value(&item, how, opened)?;
            }
            if dict.len() != size {
                return Err(changed("dict").into());
            }
            if opened.len() > depth {
                if let Some(Open::Dict { next, .. }) = opened.get_mut(depth - 1) {
                    *next = at;
                }
                return Ok(());
            }
        }
        opened.pop();
        done(self.end_map(0))
    }

    /// Takes a key. False if its value is not wanted.
    #[inline(always)]
    fn member(&mut self, key: &Bound<'_, PyAny>) -> Result<bool, Refusal> {
        if let Ok(key) = key.cast::<PyString>()
            && let Ok(text) = text_of(key)
        {
            if self.top().kind == FrameKind::Dict && self.takes_text_as_key(key) {
                return Ok(true);
            }
            let expected = self.expected_name();
            let flow = if !expected.is_empty() && expected == text.bytes() {
                self.expected_key_found(0)?
            } else {
                self.key(text, 0)?
            };
            return Ok(flow != Flow::Skip);
        }
        self.other_key(key)
    }

    /// A key that is no text.
    #[inline(never)]
    fn other_key(&mut self, key: &Bound<'_, PyAny>) -> Result<bool, Refusal> {
        if self.top().kind == FrameKind::Dict
            && let Kind::Dict(keys, _) = self.kind(self.top().node)
            && self.is_key(*keys, key)
        {
            self.push_key(key);
            return Ok(true);
        }
        if key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PyFloat>() {
            // As a document would have it.
            let text = key.repr()?;
            return Ok(self.key(text.to_str()?.into(), 0)? != Flow::Skip);
        }
        let got = match key.is_instance_of::<PyString>() {
            true => "one with a lone surrogate, which is not text".to_owned(),
            false => class_name(key)?,
        };
        let refusal = self.mismatch(0, format!("expected a str as the key, got {got}"), None, None);
        let answer = self.keyed(Err(refusal))?;
        Ok(answer != Flow::Skip)
    }

    /// Takes a `str` as the key of a dict, if the keys are just that.
    fn takes_text_as_key(&mut self, key: &Bound<'_, PyString>) -> bool {
        let Kind::Dict(keys, _) = self.kind(self.top().node) else { return false };
        let node = &self.plan().nodes[*keys as usize];
        let takes = matches!(node.kind, Kind::Str)
            && node.after.is_none()
            && key.is_exact_instance_of::<PyString>();
        if takes {
            self.push_key(key);
        }
        takes
    }

    fn push_key(&mut self, key: &Bound<'_, PyAny>) {
        // Messages show the key itself.
        self.top_mut().unnamed = false;
        self.core.stack.push(key.clone().into_ptr());
    }

    /// Whether a key that is no text is of the type of the keys already.
    fn is_key(&self, of: NodeId, key: &Bound<'_, PyAny>) -> bool {
        let node = match self.kind(of) {
            Kind::Tokens(_) => self.plan().member_of(of, key),
            _ => Some(of),
        };
        let Some(node) = node else { return false };
        match self.kind(node) {
            Kind::Str if self.plan().nodes[node as usize].after.is_none() => {
                key.is_exact_instance_of::<PyString>()
            }
            Kind::Int | Kind::Float | Kind::Bool | Kind::Choice(_) => self.plan().takes(node, key),
            _ => self.is_of(node, key) || self.is_made(node, key),
        }
    }

    /// Looks for the class of a dict. False if it has none of the classes that are possible.
    fn look_into(&mut self, dict: &Bound<'_, PyDict>) -> Result<bool, Refusal> {
        for (key, value) in dict.iter() {
            let Ok(key) = key.cast::<PyString>() else { continue };
            let Ok(key) = text_of(key) else { continue };
            let mut look = self.look_key(key, 0)?;
            if look == Look::Value {
                look = self.look_tag(&value)?;
            }
            match look {
                Look::Pass | Look::Value => {}
                Look::Found => return Ok(true),
                Look::Skip => return Ok(false),
            }
        }
        Ok(self.look_end(0)? != Look::Skip)
    }

    fn look_tag(&mut self, value: &Bound<'_, PyAny>) -> Result<Look, Refusal> {
        let meant = match is_enum(value) {
            true => value.getattr(intern!(value.py(), "_value_"))?,
            false => value.clone(),
        };
        if let Ok(text) = meant.cast::<PyString>()
            && let Ok(text) = text_of(text)
        {
            return self.look_value(Some(Scalar::Text(text)), 0);
        }
        if let Ok(value) = meant.cast::<PyBool>() {
            return self.look_value(Some(Scalar::Bool(value.is_true())), 0);
        }
        if meant.is_none() {
            return self.look_value(Some(Scalar::Null), 0);
        }
        if meant.is_instance_of::<PyInt>()
            && let Ok(value) = meant.extract::<i64>()
        {
            return self.look_value(Some(Scalar::Int(value)), 0);
        }
        self.look_value(None, 0)
    }

    fn list<'py>(
        &mut self,
        list: &Bound<'py, PyList>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        if self.may_open(how, opened)? && self.begin_list(0)? != Flow::Skip {
            open(opened, Open::List { list: list.clone(), next: 0 });
        }
        Ok(())
    }

    /// Takes items of the innermost list up to one that is a container.
    fn items<'py>(&mut self, how: Taking<'_>, opened: &mut Opened<'py>) -> Taken {
        let depth = opened.len();
        let Some(&mut Open::List { ref list, next }) = opened.last_mut() else { return Ok(()) };
        let list = list.clone();
        let mut at = next;
        // The caller's code may change the list meanwhile.
        while at < list.len() {
            let item = list.get_item(at)?;
            at += 1;
            if at.is_multiple_of(SLICE) {
                list.py().check_signals()?;
            }
            self.value(&item, how, opened)?;
            if opened.len() > depth {
                if let Some(Open::List { next, .. }) = opened.get_mut(depth - 1) {
                    *next = at;
                }
                return Ok(());
            }
        }
        opened.pop();
        done(self.end_list(0))
    }

    /// A tuple, by its names where the type has keys and it has names.
    fn tuple<'py>(
        &mut self,
        tuple: &Bound<'py, PyTuple>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        let by_name = match self.kind(self.aim().node) {
            _ if self.aim().kind == KindByte::OnPath => false,
            Kind::Class(class) => !self.plan().classes[*class as usize].takes_rows,
            Kind::Dict(..) => true,
            Kind::Tagged(tagged) => !matches!(tagged.by, TagRule::First { .. }),
            Kind::Tokens(tokens) => tokens.list.is_none() && tokens.map.is_some(),
            _ => false,
        };
        if by_name
            && let Some(names) = tuple.getattr_opt(intern!(tuple.py(), "_fields"))?
            && let Ok(names) = names.cast_into::<PyTuple>()
        {
            let dict = PyDict::new(tuple.py());
            for (name, value) in names.iter().zip(tuple.iter()) {
                dict.set_item(name, value)?;
            }
            return self.dict(&dict, how, opened);
        }
        let list = tuple.to_list();
        self.list(&list, how, opened)
    }

    /// An object in the place of one of a class that has attributes of these names.
    fn object<'py>(
        &mut self,
        value: &Bound<'py, PyAny>,
        how: Taking<'_>,
        opened: &mut Opened<'py>,
    ) -> Taken {
        if !self.may_open(how, opened)? {
            return Ok(());
        }
        match self.begin_map(0)? {
            Flow::Skip => return Ok(()),
            Flow::Look => {
                let dict = PyDict::new(value.py());
                for name in self.looked_for() {
                    if let Some(found) = attribute(value, &PyString::new(value.py(), &name))? {
                        dict.set_item(name, found)?;
                    }
                }
                if !self.look_into(&dict)? {
                    return Ok(());
                }
            }
            _ => {}
        }
        open(opened, Open::Object { object: value.clone(), next: 0 });
        Ok(())
    }

    /// Takes attributes of the innermost object up to one that is a container. An attribute has the
    /// name of the field, or else that of its key.
    fn attributes<'py>(&mut self, how: Taking<'_>, opened: &mut Opened<'py>) -> Taken {
        let depth = opened.len();
        let Some(&mut Open::Object { ref object, next }) = opened.last_mut() else { return Ok(()) };
        let object = object.clone();
        let py = object.py();
        for at in next..self.core.edges.len() {
            let edge = &self.core.edges[at];
            let own = match edge.to {
                Target::Field(aim) => {
                    let field = self.core.aims[aim as usize].field;
                    attribute(&object, self.class().fields[field as usize].name.bind(py))?
                }
                Target::State(_) => None,
            };
            let found = match own {
                Some(own) => Some(own),
                None => attribute(&object, &PyString::new(py, &edge.name))?,
            };
            if let Some(found) = found
                && self.key((&*edge.name).into(), 0)? != Flow::Skip
            {
                self.value(&found, how, opened)?;
            }
            if opened.len() > depth {
                if let Some(Open::Object { next, .. }) = opened.get_mut(depth - 1) {
                    *next = at + 1;
                }
                return Ok(());
            }
        }
        opened.pop();
        done(self.end_map(0))
    }

    /// The keys by which the class of the current map is found.
    fn looked_for(&self) -> Vec<String> {
        match self.tagged().map(|tagged| &tagged.by) {
            Some(TagRule::Value { tag, .. }) => vec![tag.to_string()],
            Some(TagRule::Keys { classes, .. }) => {
                let classes = classes.iter().filter_map(|&node| match self.kind(node) {
                    Kind::Class(class) => Some(&self.plan().classes[*class as usize]),
                    _ => None,
                });
                let keys = classes.flat_map(|class| class.states.first().map(|it| &it.keys));
                keys.flatten().map(|edge| edge.name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether one more container may be opened. If not, and all problems are kept, that is one.
    fn may_open(&mut self, how: Taking<'_>, opened: &Opened<'_>) -> Result<bool, Refusal> {
        if opened.len() < how.depth {
            return Ok(true);
        }
        let depth = how.depth;
        let reason =
            format!("the values are more than {depth} deep in each other, or contain themselves");
        let answer = Err(self.exceeded(0, reason));
        self.begun(answer).map(|_| false)
    }

    /// A value of a class that the type does not take.
    #[cold]
    fn unfit(&mut self, value: &Bound<'_, PyAny>, how: Taking<'_>) -> Taken {
        let class = class_name(value)?;
        let hint = match self.takes_attributes() && !how.attributes && !is_bytes(value) {
            true => "; from_attributes=True reads the attributes of an object",
            false => "",
        };
        self.misfits(&format!("an object of the class {class}{hint}"))
    }

    #[cold]
    fn misfits(&mut self, got: &str) -> Taken {
        let answer = Err(self.misfit(0, got));
        done(self.valued(answer))
    }
}

#[inline(always)]
fn open<'py>(opened: &mut Opened<'py>, container: Open<'py>) {
    make_room(opened, 1);
    opened.push(container);
}

fn done(answer: Result<Flow, Refusal>) -> Taken {
    answer.map(|_| ())
}

/// The text of a `str`. An error if it has a lone surrogate.
#[inline(always)]
fn text_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Text<'a>> {
    // SAFETY: a live `str`. ASCII is UTF-8.
    match unsafe { ascii(text.as_ptr()).map(|bytes| std::str::from_utf8_unchecked(bytes)) } {
        Some(text) => Ok(Text { text: text.into(), ascii: true }),
        None => Ok(text.to_str()?.into()),
    }
}
