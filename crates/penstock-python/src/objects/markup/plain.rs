//! Elements without a class become dicts, by the convention of xmltodict.
//!
//! Attributes have keys with `@`, the text beside them is `#text`, a repeated name becomes a list,
//! white space around text is removed, and an empty element is `None`.

use super::attributes::{is_about, is_nil};
use super::{Awaited, ForceList, Markup};
use crate::objects::core::frame::{Frame, FrameKind};
use crate::objects::core::refusal::Refusal;
use crate::objects::core::text::new_str;
use crate::objects::core::{Answer, caches};
use crate::plan::{Kind, NodeId};
use penstock_core::event::{Key, Text};
use penstock_core::protocol::Flow;
use penstock_scan::make_room;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ptr;

/// The key of an element's text beside attributes and child elements.
const TEXT: &str = "#text";

impl<'p> Markup<'p> {
    /// Begins an element that has no type.
    ///
    /// The stack holds its dict, once there is one, and behind it the key of the current value.
    #[inline(never)]
    pub(crate) fn begin_plain(&mut self, node: NodeId) -> Answer {
        let at = self.markup.at();
        self.note_plain(at);
        // Its child elements become plain values too.
        let aim = match self.plan().nodes[node as usize].kind {
            Kind::Dict(_, value) => self.aim_of(value),
            _ => self.aim_of(node),
        };
        self.core.push_frame(Frame::new(FrameKind::Plain, node, aim, self.core.stack.len()));
        self.core.weigh(self.core.stack.len());
        self.core.stack.push(ptr::null_mut());
        Ok(Flow::Take)
    }

    /// The name of a child element: its key.
    #[inline(never)]
    pub(crate) fn plain_child(&mut self, key: &Key<'_>) -> Answer {
        self.push_key("", key)?;
        let name = || match key.prefix {
            None => key.name.text.as_str(),
            Some(_) => self.markup.name.as_str(),
        };
        self.markup.forced = self.is_forced(name());
        Ok(Flow::Take)
    }

    /// Whether an element of this name is a list even if it occurs only once.
    fn is_forced(&self, name: &str) -> bool {
        match &self.markup.options.force_list {
            ForceList::Never => false,
            ForceList::Always => true,
            ForceList::Names(names) => names.contains(name),
        }
    }

    /// The name of an attribute: its key.
    #[inline(never)]
    pub(crate) fn plain_attribute(&mut self, key: &Key<'_>) -> Answer {
        if is_about(key) && is_nil(key) && self.is_dict() {
            self.markup.awaited = Awaited::Nil;
            return Ok(Flow::Take);
        }
        self.markup.awaited = Awaited::Plain;
        self.push_key("@", key)?;
        Ok(Flow::Take)
    }

    /// Puts a key on the stack: the name as it is written.
    fn push_key(&mut self, sign: &str, key: &Key<'_>) -> Result<(), Refusal> {
        let py = self.attached();
        let object = if sign.is_empty() && key.prefix.is_none() {
            caches::key(py, key.name)
        } else {
            let name = &mut self.markup.name;
            name.clear();
            let local = key.name.text.as_str();
            make_room(name, sign.len() + local.len());
            name.push_str(sign);
            if let Some(prefix) = key.prefix {
                make_room(name, prefix.text.as_str().len() + 1 + local.len());
                name.push_str(prefix.text.as_str());
                name.push(':');
            }
            name.push_str(local);
            caches::key(py, Text::from(name.as_str()))
        };
        if object.is_null() {
            return Err(self.raised());
        }
        // A child that was skipped leaves its key on the stack.
        self.core.stack.push(object);
        Ok(())
    }

    /// The value of an attribute.
    #[inline(never)]
    pub(crate) fn plain_value(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.note_part(at);
        self.core.weight += text.bytes().len() as u64;
        let value = new_str(self.attached(), text);
        if value.is_null() {
            return Err(self.raised());
        }
        self.put_plain(value, false)
    }

    /// Whether the current element becomes a dict, whatever it has.
    fn is_dict(&self) -> bool {
        matches!(self.plan().nodes[self.top().node as usize].kind, Kind::Dict(..))
    }

    /// Ends the current element.
    #[inline(never)]
    pub(crate) fn end_plain(&mut self, at: u64) -> Answer {
        let py = self.attached();
        let open = self.markup.open.last();
        let (from, forced) = open.map_or((0, false), |open| (open.text, open.forced));
        let base = self.top().base;
        let buffer = std::mem::take(&mut self.markup.text);
        let text = buffer[from..].trim();
        let is_dict = self.is_dict();
        let is_nil = is_dict && self.markup.is_nil();
        let has_text = !is_nil && !text.is_empty();
        let text = Text { text: text.into(), ascii: self.markup.ascii };
        self.core.weight += text.bytes().len() as u64;
        let text = if has_text { new_str(py, text) } else { ptr::null_mut() };
        self.markup.text = buffer;
        if has_text && text.is_null() {
            return Err(self.raised());
        }
        let value = if is_nil {
            self.core.stack.release_from(py, base);
            self.new_none()
        } else if !is_dict && self.core.stack.get(base).is_null() {
            self.core.stack.forget_from(base);
            if has_text { text } else { self.new_none() }
        } else {
            if has_text {
                self.core.stack.push(caches::key(py, Text::from(TEXT)));
                self.put_plain(text, self.is_forced(TEXT))?;
            }
            self.plain_dict()?;
            let dict = self.core.stack.replace(base, ptr::null_mut());
            self.core.stack.forget_from(base);
            dict
        };
        self.markup.close();
        self.pop_frame();
        if self.top().kind == FrameKind::Plain {
            return self.put_plain(value, forced);
        }
        if self.top().kind == FrameKind::Root {
            self.markup.forced = forced;
        }
        let answer = self.put_in_markup(value, at);
        self.valued(answer)
    }

    /// The dict of the current element, which is made if there is none yet. The stack owns it.
    fn plain_dict(&mut self) -> Result<*mut ffi::PyObject, Refusal> {
        let base = self.top().base;
        let mut dict = self.core.stack.get(base);
        if dict.is_null() {
            // SAFETY: makes a new object.
            dict = unsafe { ffi::PyDict_New() };
            if dict.is_null() {
                return Err(self.raised());
            }
            self.core.stack.replace(base, dict);
        }
        Ok(dict)
    }

    /// Puts a value into the dict of the current element, by the key on top of the stack. Takes
    /// over the reference.
    fn put_plain(&mut self, value: *mut ffi::PyObject, forced: bool) -> Answer {
        let py = self.attached();
        let base = self.top().base;
        let key = self.core.stack.replace(base + 1, ptr::null_mut());
        self.core.stack.forget_from(base + 1);
        // SAFETY: both references are handed over to us.
        let (key, value) =
            unsafe { (Bound::from_owned_ptr(py, key), Bound::from_owned_ptr(py, value)) };
        let dict = self.plain_dict()?;
        add(py, dict, &key, value, forced).map_err(|error| error.into())
    }

    /// Wraps the root element's value in a dict, by the name that is on the stack. Takes over the
    /// reference.
    pub(crate) fn wrapped_root(
        &mut self,
        value: *mut ffi::PyObject,
    ) -> Result<*mut ffi::PyObject, Refusal> {
        let py = self.attached();
        let forced = std::mem::take(&mut self.markup.forced);
        // SAFETY: the reference is handed over to us.
        let value = unsafe { Bound::from_owned_ptr(py, value) };
        let key = self.core.stack.replace(0, ptr::null_mut());
        self.core.stack.forget_from(0);
        // SAFETY: the stack gave its reference to us.
        let key = unsafe { Bound::from_owned_ptr(py, key) };
        let dict = PyDict::new(py);
        add(py, dict.as_ptr(), &key, value, forced)?;
        Ok(dict.into_any().into_ptr())
    }
}

/// Adds a value to a dict: a second one with the same key makes a list of both.
fn add(
    py: Python<'_>,
    dict: *mut ffi::PyObject,
    key: &Bound<'_, PyAny>,
    value: Bound<'_, PyAny>,
    forced: bool,
) -> PyResult<Flow> {
    // SAFETY: a live dict that nobody else has seen, and live objects. The keys are `str` objects,
    // whose hashing and comparing run no other code.
    unsafe {
        let before = ffi::PyDict_Size(dict);
        let value = if forced && ffi::PyDict_Contains(dict, key.as_ptr()) == 0 {
            PyList::new(py, [value])?.into_any()
        } else {
            value
        };
        let there = ffi::PyDict_SetDefault(dict, key.as_ptr(), value.as_ptr());
        if there.is_null() {
            return Err(PyErr::fetch(py));
        }
        if ffi::PyDict_Size(dict) > before {
            return Ok(Flow::Take);
        }
        if ffi::PyList_CheckExact(there) != 0 {
            if ffi::PyList_Append(there, value.as_ptr()) != 0 {
                return Err(PyErr::fetch(py));
            }
            return Ok(Flow::Take);
        }
        let both = PyList::new(py, [Bound::from_borrowed_ptr(py, there), value])?;
        if ffi::PyDict_SetItem(dict, key.as_ptr(), both.as_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
    }
    Ok(Flow::Take)
}
