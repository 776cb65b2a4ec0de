//! Walks an object for a format of elements.
//!
//! What differs from [`walk`](super::walk): attributes come before all content of their element
//! ([`tree`](crate::plan::written::tree)), a collection is an element repeated or an element of its own, the absence of an
//! element is a value, and every value is text, which must be read back as itself
//! ([`readback`](super::readback)).

use super::Stop;
use super::walk::{self, As, Walker};
use crate::plan::written::tree::Name;
use crate::plan::{Kind, PLAIN};
use penstock_core::event::{Key, KeyKind, Text};
use penstock_core::protocol::Flow;
use penstock_core::writer::{Named, Writer};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::HashSet;

/// An element, or several, that are being written.
pub(super) enum Frame<'py> {
    /// An element that is an object of a class.
    Object {
        object: Bound<'py, PyAny>,
        plan: usize,
        class: u32,
        /// The next step.
        next: usize,
        /// How many frames there are, with this one.
        depth: usize,
        /// The steps of elements on the path to fields that begin with their first content.
        coming: Vec<usize>,
        /// A field that is written already, as the attribute that gives the class.
        written: Option<u32>,
    },
    /// Values, one after the other.
    Items { items: Items<'py>, next: usize, item: As, each: Each },
    /// An element whose child elements have the keys of a dict.
    Dict {
        dict: Bound<'py, PyDict>,
        next: ffi::Py_ssize_t,
        size: usize,
        key: As,
        value: As,
        keys: Keys,
        current: Option<Bound<'py, PyAny>>,
        /// The keys that were no text.
        texts: HashSet<String>,
    },
}

impl Frame<'_> {
    /// The container, to find one that contains itself.
    pub(super) fn container(&self) -> Option<*mut ffi::PyObject> {
        match self {
            Frame::Object { object, .. } => Some(object.as_ptr()),
            Frame::Items { items: Items::List(list), .. } => Some(list.as_ptr()),
            Frame::Items { items: Items::Tuple(tuple), .. } => Some(tuple.as_ptr()),
            Frame::Dict { keys: Keys::AttributesOnly | Keys::OthersOnly, .. } => None,
            Frame::Dict { dict, .. } => Some(dict.as_ptr()),
        }
    }
}

/// Values in memory.
pub(super) enum Items<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
}

impl<'py> Items<'py> {
    /// The value at a place. The caller's code may have shortened a list.
    pub(super) fn get(&self, at: usize) -> Option<Bound<'py, PyAny>> {
        match self {
            Items::List(list) if at < list.len() => list.get_item(at).ok(),
            Items::Tuple(tuple) if at < tuple.len() => tuple.get_item(at).ok(),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Items::List(list) => list.len(),
            Items::Tuple(tuple) => tuple.len(),
        }
    }
}

/// How each of several values is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Each {
    /// As the element whose list has begun.
    Repeated,
    /// As a child element with a name of its own.
    Child,
    /// As a child element, and each has a type of its own.
    Position,
    /// As an element with an attribute or a text: a step of the object around it.
    Part(usize),
    /// By the path of its type: a step of the object around it. Whether the value before was text.
    Choice(usize, bool),
}

/// The keys of a dict that are to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Attributes, by the convention of plain values, and then all others.
    Attributes,
    /// All but attributes.
    Others,
    /// Attributes alone, into an element that goes on.
    AttributesOnly,
    /// All but attributes, into an element that goes on.
    OthersOnly,
    /// The names of child elements.
    Names,
}

impl Name {
    /// The name as a writer takes it.
    pub(super) fn key(&self, attribute: bool) -> Key<'_> {
        let kind = match (&self.uri, attribute) {
            (_, true) => KeyKind::Attribute,
            // Exactly without a namespace, whatever is the default.
            (Some(uri), false) if uri.is_empty() => KeyKind::Element,
            // A member takes the default namespace, and a prefix for any other.
            _ => KeyKind::Member,
        };
        let namespace = self.uri.as_deref().filter(|uri| !uri.is_empty()).map(Text::from);
        Key { name: (&*self.local).into(), namespace, prefix: None, kind }
    }
}

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Names the value of the whole document, if nobody else does.
    pub(super) fn name_root(
        &mut self,
        value: &Bound<'py, PyAny>,
        plan: Option<usize>,
    ) -> Result<(), Stop> {
        let named = self.writer.named();
        let of = match plan {
            Some(plan) => As { plan, node: self.known.kept[plan].root },
            None => As { plan: self.plain()?, node: PLAIN },
        };
        if let Some(name) = self.root_name(value, of, named)? {
            self.writer.key(name.as_str().into(), 0)?;
        }
        Ok(())
    }

    pub(super) fn root_name(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        named: Named,
    ) -> Result<Option<String>, Stop> {
        let given = if named.within { named.record } else { named.root };
        if let Some(name) = self.element_name(value, of)? {
            return Ok((!given).then_some(name));
        }
        let of = self.own_type(value, of)?;
        let is_list = matches!(
            self.node(of).kind,
            Kind::List(_) | Kind::Set(_) | Kind::FrozenSet(_) | Kind::TupleOf(_) | Kind::Tuple(_)
        );
        let is_plain = matches!(self.node(of).kind, Kind::Any) && self.is_plain(of);
        let is_list = is_list || is_plain && is_list_of(value);
        let own = match self.node(of).kind {
            _ if given || named.within => false,
            // The writer has a form for these.
            _ if is_list && named.record => false,
            Kind::Dict(..) => true,
            _ => is_list,
        };
        Ok(own.then(|| "root".to_owned()))
    }

    /// The type of a value: the declared one, or if that is anything, the plan of its class.
    pub(super) fn own_type(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<As, Stop> {
        let class = value.get_type();
        // SAFETY: the class of a live object is complete.
        let own = unsafe { (*class.as_type_ptr()).tp_flags & ffi::Py_TPFLAGS_HEAPTYPE != 0 };
        if !own || !matches!(self.node(of).kind, Kind::Any) || !self.is_plain(of) {
            return Ok(of);
        }
        Ok(match self.known.of_class(&class) {
            Ok(plan) => As { plan, node: self.known.kept[plan].root },
            // It is said of the value itself.
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyException>(self.py) => of,
            Err(error) => return Err(Stop::Raised(error)),
        })
    }

    /// The name of the element of a value: the name of its class, if that has fields.
    pub(super) fn element_name(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
    ) -> Result<Option<String>, Stop> {
        let of = self.own_type(value, of)?;
        let name = match &self.node(of).kind {
            _ if value.is_none() => return Ok(None),
            Kind::Class(_) if value.is_instance_of::<PyDict>() => None,
            Kind::Class(_) => Some(value.get_type().name()?),
            Kind::Tagged(_) if !value.is_instance_of::<PyDict>() => Some(value.get_type().name()?),
            // A model that pydantic makes of plain values.
            Kind::Any if self.is_model(of) => Some(value.get_type().name()?),
            _ => return Ok(None),
        };
        let name = match (name, &self.node(of).kind) {
            (Some(name), _) => name,
            (None, Kind::Class(class)) => {
                self.plan(of).classes[*class as usize].class.bind(self.py).name()?
            }
            (None, _) => return Ok(None),
        };
        Ok(Some(name.to_str()?.to_owned()))
    }

    fn is_model(&self, of: As) -> bool {
        self.node(of).after.as_ref().is_some_and(|after| after.is_model)
    }

    /// Writes what comes next in the innermost frame, which is one of elements.
    pub(super) fn next_element(&mut self) -> Result<Flow, Stop> {
        match self.frames.last() {
            Some(walk::Frame::Elements(Frame::Object { .. })) => self.element_fields(),
            Some(walk::Frame::Elements(Frame::Items { .. })) => self.next_item(),
            _ => self.element_member(),
        }
    }
}

/// The refusal of a value that would be read back as absent.
#[cold]
pub(super) fn lost(what: &str) -> Stop {
    Stop::misfit(format!("{what} would not be read back: XML has no element or attribute for it"))
}

/// The refusal of an element whose text is left out.
#[cold]
pub(super) fn no_text() -> Stop {
    Stop::misfit("the text of an element cannot be absent: it would be read back as \"\"")
}

/// Whether a key of a plain dict is the name of an attribute.
pub(super) fn is_attribute(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(key) = key.cast::<PyString>() else { return Ok(false) };
    let key = key.as_ptr();
    // SAFETY: a `str`, which has a first character if it has a length.
    Ok(unsafe {
        ffi::PyUnicode_GET_LENGTH(key) > 0 && ffi::PyUnicode_ReadChar(key, 0) == u32::from(b'@')
    })
}

/// Whether a key of a plain dict leads to text alone.
pub(super) fn is_scalar_key(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(is_attribute(key)? || key.cast::<PyString>().is_ok_and(|key| key == "#text"))
}

/// Whether a plain value is a list.
pub(super) fn is_list_of(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<pyo3::types::PySet>()
        || value.is_exact_instance_of::<pyo3::types::PyFrozenSet>()
}
