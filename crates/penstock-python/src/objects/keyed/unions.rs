//! Objects of one of several classes, from maps.
//!
//! The class must be known before the first value is put. So the reader goes over the members of
//! the map, without reporting them, up to the key that gives the class.

use super::Keyed;
use crate::objects::core::Answer;
use crate::objects::core::frame::{Frame, FrameKind, ON_PATH};
use crate::objects::core::place::brief;
use crate::objects::core::refusal::{Code, Refusal};
use crate::plan::{Absent, EarlyField, Kind, NodeId, TagRule, Tagged};
use penstock_core::event::{Scalar, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Flow, Look};
use penstock_core::value::xsd;

impl<'p> Keyed<'p> {
    /// Begins a map whose class must be found.
    #[inline(always)]
    pub(crate) fn look(&mut self, node: NodeId) -> Answer {
        let base = self.core.stack.len();
        self.core.push_frame(Frame::new(FrameKind::Union, node, &ON_PATH, base));
        Ok(Flow::Look)
    }

    /// The refusal of a map that the reader reports without having looked for its class. A correct
    /// reader never does. One that breaks the protocol gets a refusal, and never another class's
    /// fields.
    #[cold]
    #[inline(never)]
    pub(crate) fn unlooked(&self, at: u64) -> Refusal {
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason = format!("expected {name}, and the format cannot look ahead for its class");
        self.mismatch(at, reason, Some(name.to_string()), None).coded(Code::Union)
    }

    /// Chooses the class of `node` for the current map.
    fn choose(&mut self, node: NodeId, at: u64) -> Result<Look, Refusal> {
        // The conversions and checks of the object are those of the union.
        let union = self.top().node;
        self.pop_frame();
        match self.plan().nodes[node as usize].kind {
            Kind::Class(class) => self.enter_class(class, union, false, at)?,
            _ => self.begin_other_map(node, at)?,
        };
        // The key that found the record is for this object, and for none inside it.
        self.core.matched = None;
        Ok(Look::Found)
    }

    /// The key that gives the class of the current map, as it stands in JSON text with its colon.
    #[inline(always)]
    pub(crate) fn tag_as_written(&self) -> &[u8] {
        match (self.top().kind, self.core.lends) {
            (FrameKind::Union, Some(lends)) => lends.tag(self.top().node),
            _ => &[],
        }
    }

    /// Takes the class of the current map from a member, and the member itself, if the plan knows
    /// both beforehand (`EarlyTag`).
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

    /// The value of the key that gives the class.
    #[inline(never)]
    pub(crate) fn tag_value(
        &mut self,
        value: Option<Scalar<'_>>,
        at: u64,
    ) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected, other }) = self.tagged() else { return Ok(Look::Found) };
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
            // A value of another kind gives no class; the message says what it is.
            Some(_) | None => None,
        };
        if let Some(node) = node.or(*other) {
            return self.choose(node, at);
        }
        let got = match value {
            Some(Scalar::Text(text) | Scalar::Untyped(text)) => brief(text.text.as_str()),
            Some(Scalar::Int(value)) => value.to_string(),
            Some(value) => value.called().to_owned(),
            None => "an array or an object".to_owned(),
        };
        let reason = format!("the key {} is {got}, expected {expected}", brief(tag));
        let refusal = self.mismatch(at, reason, Some(expected.to_string()), Some(got));
        let mut refusal = refusal.coded(Code::Union);
        if let Some(mismatch) = refusal.mismatch() {
            mismatch.path.push(PathStep::Key(tag.to_string()));
        }
        Err(refusal)
    }

    /// Whether an object of this node, which is for all other values of the key, must have the key, too.
    fn needs_tag(&self, node: NodeId, by: &TagRule) -> bool {
        let (Kind::Class(class), TagRule::Value { tag, .. }) = (self.core.kind(node), by) else {
            return false;
        };
        let fields = &self.plan().classes[*class as usize].fields;
        fields.iter().any(|field| *field.key == **tag && matches!(field.absent, Absent::Error))
    }

    /// Answers the end of a map in which no key gave the class.
    #[inline(never)]
    pub(crate) fn no_tag(&mut self, at: u64) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected, other }) = self.tagged() else { return Ok(Look::Found) };
        if let Some(other) = other
            && !self.needs_tag(*other, by)
        {
            return self.choose(*other, at);
        }
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason = match by {
            TagRule::First { .. } => format!("expected {name}, got an object"),
            TagRule::Value { tag, .. } => {
                let tag = brief(tag);
                format!("expected {name}, got an object without the key {tag} ({expected})")
            }
            _ => format!("expected {name}, got an object without a key of theirs ({expected})"),
        };
        Err(self.mismatch(at, reason, Some(name.to_string()), None).coded(Code::Union))
    }
}
