//! Unions of classes: how the class of the current object is found.

use super::Core;
use super::frame::FrameKind;
use crate::plan::{Kind, TagRule, Tagged};

impl<'p> Core<'p> {
    /// The union of the current element.
    pub(crate) fn tagged(&self) -> Option<&'p Tagged> {
        match &self.plan().nodes[self.top().node as usize].kind {
            Kind::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// The key that gives the class of the current map or element.
    pub(crate) fn tag_name(&self) -> Option<&str> {
        match &self.tagged()?.by {
            TagRule::Value { tag, .. } => Some(tag),
            _ => None,
        }
    }

    /// Whether a key that the current class does not name is the one that gives the class.
    pub(crate) fn says_class(&self, key: &[u8]) -> bool {
        let frame = self.top();
        if !matches!(frame.kind, FrameKind::Class | FrameKind::Element) || frame.state != 0 {
            return false;
        }
        // An object of a union stands for the node of the union.
        self.tag_name().is_some_and(|tag| tag.as_bytes() == key)
    }
}
