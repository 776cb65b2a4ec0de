//! Objects of one of several classes, from maps.
//!
//! Which one it is must be known before the first value is put. So the reader looks the members of
//! the map over, without reporting them, up to the key that says it.

use super::Keyed;
use crate::objects::core::Answer;
use crate::objects::core::frame::{Frame, FrameKind, ON_PATH};
use crate::objects::core::place::brief;
use crate::objects::core::refusal::{PathStep, Refusal};
use crate::plan::{EarlyField, Kind, NodeId, TagRule, Tagged};
use penstock_core::event::{Scalar, Text};
use penstock_core::sink::{Flow, Look};
use penstock_core::value::xsd;

impl<'p> Keyed<'p> {
    /// A map begins whose class is to be looked for.
    #[inline(always)]
    pub(crate) fn look(&mut self, node: NodeId) -> Answer {
        let base = self.core.stack.len();
        self.core.push_frame(Frame::new(FrameKind::Union, node, &ON_PATH, base));
        Ok(Flow::Look)
    }

    /// The reader reports a map without having looked for its class. None that is right does: this is
    /// for one that does not keep to the protocol, so that it meets a refusal and not another
    /// class's fields.
    #[cold]
    #[inline(never)]
    pub(crate) fn unlooked(&self, at: u64) -> Refusal {
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason = format!("expected {name}, and the format cannot look ahead for its class");
        self.mismatch(at, reason, Some(name.to_string()), None)
    }

    /// The class of the map at hand is known: that of `node`.
    fn choose(&mut self, node: NodeId, at: u64) -> Result<Look, Refusal> {
        // What is to be done with an object of the union is said at the union.
        let union = self.top().node;
        self.pop_frame();
        if let Kind::Class(class) = self.plan().nodes[node as usize].kind {
            self.enter_class(class, union, false, at)?;
        }
        // The key by which the object was found is for it, and for none inside it.
        self.core.matched = None;
        Ok(Look::Found)
    }

    /// The key that says the class of the map at hand, as it stands in JSON text with its colon.
    #[inline(always)]
    pub(crate) fn tag_as_written(&self) -> &[u8] {
        match (self.top().kind, self.core.lends) {
            (FrameKind::Union, Some(lends)) => lends.tag(self.top().node),
            _ => &[],
        }
    }

    /// A member of the map at hand says its class: takes that and the member with it, if all of it is
    /// known beforehand.
    #[inline(always)]
    pub(crate) fn take_early_tag(&mut self, value: Text<'_>) -> bool {
        let Some(Tagged { by: TagRule::Value { table, early, .. }, .. }) = self.tagged() else {
            return false;
        };
        let found = table.find(value.bytes()).and_then(|found| early.get(found as usize));
        let Some(Some(tag)) = found else { return false };
        self.become_class(tag.class);
        self.core.matched = None;
        if let Some(EarlyField { key, field, value }) = &tag.field {
            self.found_key(*key);
            self.aim_at(*field);
            let place = self.top().slots + *field as usize;
            self.core.stack.replace(place, value.clone_ref(self.attached()).into_ptr());
        }
        true
    }

    /// A key of a map whose class is not known yet.
    #[inline(never)]
    pub(crate) fn tag_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refusal> {
        let Some(Tagged { by, .. }) = self.tagged() else { return Ok(Look::Found) };
        match by {
            TagRule::Value { tag, .. } if tag.as_bytes() == key.bytes() => Ok(Look::Value),
            TagRule::Keys { table, classes, .. } if let Some(found) = table.find(key.bytes()) => {
                self.choose(classes[found as usize], at)
            }
            _ => Ok(Look::Pass),
        }
    }

    /// The value of the key by which the class is known.
    #[inline(never)]
    pub(crate) fn tag_value(
        &mut self,
        value: Option<Scalar<'_>>,
        at: u64,
    ) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected }) = self.tagged() else { return Ok(Look::Found) };
        let TagRule::Value { tag, table, classes, ints, .. } = by else { return Ok(Look::Found) };
        let node = match value {
            Some(Scalar::Text(text)) => {
                table.find(text.bytes()).map(|found| classes[found as usize])
            }
            Some(Scalar::Untyped(text)) => {
                let spellings = [text.bytes(), xsd::trimmed(text.bytes())];
                let found = spellings.iter().find_map(|bytes| table.find(bytes));
                found.map(|found| classes[found as usize])
            }
            Some(Scalar::Int(value)) => {
                ints.iter().find(|(known, _)| *known == value).map(|(_, node)| *node)
            }
            // No class is known by a value of another kind: what it is stands in the message.
            Some(_) | None => None,
        };
        if let Some(node) = node {
            return self.choose(node, at);
        }
        let got = match value {
            Some(Scalar::Text(text) | Scalar::Untyped(text)) => brief(text.text.as_str()),
            Some(Scalar::Int(value)) => value.to_string(),
            Some(value) => value.called().to_owned(),
            None => "an array or an object".to_owned(),
        };
        let reason = format!("the key {} is {got}, expected {expected}", brief(tag));
        let mut refusal = self.mismatch(at, reason, Some(expected.to_string()), Some(got));
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.path.push(PathStep::Key(tag.to_string()));
        }
        Err(refusal)
    }

    /// The map at hand ends, and no key of it said its class.
    #[inline(never)]
    pub(crate) fn no_tag(&mut self, at: u64) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected }) = self.tagged() else { return Ok(Look::Found) };
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason = match by {
            TagRule::Keys { rest: Some(node), .. } => return self.choose(*node, at),
            TagRule::Value { tag, .. } => {
                let tag = brief(tag);
                format!("expected {name}, got an object without the key {tag} ({expected})")
            }
            _ => format!("expected {name}, got an object without a key of theirs ({expected})"),
        };
        Err(self.mismatch(at, reason, Some(name.to_string()), None))
    }
}
