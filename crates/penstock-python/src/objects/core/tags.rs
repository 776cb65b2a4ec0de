//! Unions of classes: what says the class of the object at hand.

use super::Core;
use super::frame::FrameKind;
use crate::plan::{Kind, TagRule, Tagged};

impl<'p> Core<'p> {
    /// The union that the element at hand is of.
    pub(crate) fn tagged(&self) -> Option<&'p Tagged> {
        match &self.plan().nodes[self.top().node as usize].kind {
            Kind::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// The key that says the class of the map or element at hand.
    pub(crate) fn tag_name(&self) -> Option<&str> {
        match &self.tagged()?.by {
            TagRule::Value { tag, .. } => Some(tag),
            _ => None,
        }
    }

    /// Whether a key that the class at hand does not name is the one that says the class.
    pub(crate) fn says_class(&self, key: &[u8]) -> bool {
        let frame = self.top();
        if !matches!(frame.kind, FrameKind::Class | FrameKind::Element) || frame.state != 0 {
            return false;
        }
        // An object of a union stands for the node of the union.
        self.tag_name().is_some_and(|tag| tag.as_bytes() == key)
    }
}
