//! Elements that become dicts: each child's name is a key.
//!
//! The stack holds the dict, and behind it the key of the current child.

use super::{Markup, Repeated, written};
use crate::objects::core::Answer;
use crate::objects::core::place::shortened;
use crate::objects::core::refusal::{Code, Refusal};
use crate::objects::make;
use crate::plan::{Kind, element};
use penstock_core::event::{Key, Text};
use penstock_core::protocol::Flow;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::ptr;

impl<'p> Markup<'p> {
    /// A child of an element that becomes a dict: its name is the key.
    pub(crate) fn named_child(&mut self, key: &Key<'_>, at: u64) -> Answer {
        let name = written(key);
        self.remember_key(&name);
        let base = self.top().base;
        self.core.stack.release_from(self.attached(), base + 1);
        self.push_dict_key(Text::from(&*name), at)?;
        let Kind::Dict(_, value) = self.plan().nodes[self.top().node as usize].kind else {
            return Ok(Flow::Skip);
        };
        if element(&self.plan().nodes, value).is_some() || !self.named_dict_has(base)? {
            return Ok(Flow::Take);
        }
        if let Some(flow) = self.by_rule() {
            return Ok(flow);
        }
        let nodes = &self.plan().nodes;
        let Kind::Dict(keys, _) = nodes[self.top().node as usize].kind else {
            return Ok(Flow::Skip);
        };
        let reason = format!(
            "the element '{}' is repeated; ask for dict[{}, list[{}]] or say repeated='first'",
            shortened(&name),
            nodes[keys as usize].written,
            nodes[value as usize].written,
        );
        Err(self.mismatch(at, reason, None, None).coded(Code::Repeated))
    }

    /// Whether the dict at `base` has the key that stands behind it.
    fn named_dict_has(&self, base: usize) -> Result<bool, Refusal> {
        let py = self.attached();
        // SAFETY: the stack owns both; neither place is empty.
        let (dict, key) = unsafe {
            (
                Bound::from_borrowed_ptr(py, self.core.stack.get(base)),
                Bound::from_borrowed_ptr(py, self.core.stack.get(base + 1)),
            )
        };
        dict.contains(key)
            .map_err(|error| make::raised::own_code_raised(&self.core, error, self.markup.at()))
    }

    /// Puts the value of a child of an element that becomes a dict.
    #[inline(never)]
    pub(crate) fn put_named(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        let py = self.attached();
        let base = self.top().base;
        self.core.weigh(base);
        let key = self.core.stack.replace(base + 1, ptr::null_mut());
        self.core.stack.forget_from(base + 1);
        // SAFETY: the references are handed over to us; the stack owns the dict.
        let (dict, key, value) = unsafe {
            (
                Bound::from_borrowed_ptr(py, self.core.stack.get(base))
                    .cast_into_unchecked::<PyDict>(),
                Bound::from_owned_ptr(py, key),
                Bound::from_owned_ptr(py, value),
            )
        };
        let Kind::Dict(_, values) = self.plan().nodes[self.top().node as usize].kind else {
            return Ok(Flow::Take);
        };
        if element(&self.plan().nodes, values).is_some() {
            let known = dict.get_item(&key);
            match known.map_err(|error| make::raised::own_code_raised(&self.core, error, at))? {
                Some(list) => {
                    list.cast_into::<PyList>().map_err(PyErr::from)?.append(value)?;
                }
                None => dict.set_item(key, PyList::new(py, [value])?)?,
            }
            return Ok(Flow::Take);
        }
        if self.markup.options.repeated == Repeated::Join
            && let Some(old) = dict.get_item(&key)?
            && let Ok(old) = old.cast::<PyString>()
        {
            // An element with `xsi:nil` has no text to join.
            let Ok(new) = value.cast::<PyString>() else { return Ok(Flow::Take) };
            let (texts, token) = ((old.to_str()?, new.to_str()?), self.markup.options.token);
            let added = self.markup.named_joins.add(base, &key, texts, token);
            return match added {
                Ok(true) => Ok(Flow::Take),
                Ok(false) => Err(self.joined_too_long(at)),
                Err(error) => Err(make::raised::own_code_raised(&self.core, error, at)),
            };
        }
        dict.set_item(key, value)
            .map_err(|error| make::raised::own_code_raised(&self.core, error, at))?;
        Ok(Flow::Take)
    }

    /// Finishes the current dict, which leaves the stack.
    pub(crate) fn end_named(&mut self, at: u64) -> Result<*mut ffi::PyObject, Refusal> {
        if self.top().spoiled {
            return Err(Refusal::kept());
        }
        let py = self.attached();
        let base = self.top().base;
        self.core.stack.release_from(py, base + 1);
        let nodes = &self.plan().nodes;
        if let Kind::Dict(_, values) = nodes[self.top().node as usize].kind
            && element(nodes, values).is_some()
        {
            // SAFETY: the stack owns it, and it is a dict.
            let dict = unsafe { Bound::from_borrowed_ptr(py, self.core.stack.get(base)) };
            let dict = dict.cast::<PyDict>().map_err(PyErr::from)?;
            let finishes = nodes[values as usize].after.is_some();
            for (key, list) in dict.copy()?.iter() {
                let other = make::fields::collected(&self.core, values, list.clone(), at)?;
                if !finishes && other.is_none() {
                    continue;
                }
                // Messages are about this child.
                self.remember_key(&key.str()?.to_string_lossy());
                let made = self.finish(values, other.unwrap_or(list).into_ptr(), at);
                // SAFETY: the reference is handed over to us.
                let made = unsafe { Bound::from_owned_ptr(py, made?) };
                dict.set_item(key, made)?;
            }
        }
        // SAFETY: the stack owns it, and it is a dict.
        let dict = unsafe { Bound::from_borrowed_ptr(py, self.core.stack.get(base)) };
        let dict = dict.cast::<PyDict>().map_err(PyErr::from)?;
        let settled = self.markup.named_joins.settle(base, dict);
        settled.map_err(|error| make::raised::own_code_raised(&self.core, error, at))?;
        let dict = self.core.stack.replace(base, ptr::null_mut());
        self.core.stack.forget_from(base);
        Ok(dict)
    }
}
