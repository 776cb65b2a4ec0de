//! Unions of classes: how the class of the current object is found.

use super::frame::FrameKind;
use super::{Answer, Core};
use crate::plan::{Kind, TagRule, Tagged};
use penstock_core::event::Key;
use pyo3::ffi;
use pyo3::prelude::*;

impl<'p> Core<'p> {
    /// The union of the current element.
    pub(crate) fn tagged(&self) -> Option<&'p Tagged> {
        match &self.plan().nodes[self.top().node as usize].kind {
            Kind::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// The first item of the current array gives its class: the array becomes one of the class's
    /// fields. Takes over the reference.
    pub(crate) fn begin_fields(&mut self, value: *mut ffi::PyObject, at: u64) -> Answer {
        let classes: &[_] = match self.tagged() {
            Some(Tagged { by: TagRule::First { classes, .. }, .. }) => classes,
            _ => &[],
        };
        let found = classes.iter().find(|(tag, _)| tag.as_ptr() == value);
        let found = found.map(|&(_, node)| &self.plan().nodes[node as usize].kind);
        let Some(&Kind::Class(class)) = found else {
            // SAFETY: the reference is handed over to us.
            unsafe { drop(Bound::from_owned_ptr(self.attached(), value)) };
            return Err(self.misfit(at, "another value"));
        };
        self.stack.push_empty(self.plan().classes[class as usize].fields.len());
        (self.top_mut().kind, self.top_mut().class) = (FrameKind::Row, class);
        self.at_class();
        self.aim_at_column();
        self.store(value, at)
    }

    /// The key that gives the class of the current map or element.
    pub(crate) fn tag_name(&self) -> Option<&str> {
        match &self.tagged()?.by {
            TagRule::Value { tag, .. } => Some(tag),
            _ => None,
        }
    }

    /// Whether an attribute gives the class of the current element.
    pub(crate) fn is_tag(&self, key: &Key<'_>) -> bool {
        match self.tagged().map(|tagged| &tagged.by) {
            Some(TagRule::Value { tag, namespace, .. }) => {
                let uri = key.namespace.map(|uri| uri.text.as_str());
                // Without a namespace, unless only its prefix is known.
                let uri = uri.or(key.prefix.is_none().then_some(""));
                tag.as_bytes() == key.name.bytes() && namespace.admits(uri, key.prefix.is_some())
            }
            _ => false,
        }
    }

    /// Whether a key that the current class does not name is the one that gives the class.
    pub(crate) fn says_class(&self, key: &[u8]) -> bool {
        // An object of a union stands for the node of the union.
        self.is_itself() && self.tag_name().is_some_and(|tag| tag.as_bytes() == key)
    }

    /// The same, of an attribute.
    pub(crate) fn attribute_says_class(&self, key: &Key<'_>) -> bool {
        self.is_itself() && self.is_tag(key)
    }

    /// Whether the next key or attribute is one of the current object itself.
    fn is_itself(&self) -> bool {
        let frame = self.top();
        matches!(frame.kind, FrameKind::Class | FrameKind::Element) && frame.state == 0
    }
}
