//! Objects of one of several classes.
//!
//! Which one it is must be known before the first value is put. The members of a map are looked
//! over by the reader, without being told, up to the key that says it. The attributes of an
//! element have no order, so those before the one that says it are held back and given to the class
//! then; a whole start tag is bounded, and so is what is held.

use super::attributes::{is_about, is_nil};
use super::builder::{Answer, Builder};
use super::elements::Awaited;
use super::frame::{Frame, FrameKind, WAY};
use super::place::{brief, shortened};
use super::refusal::{PathStep, Refusal};
use crate::plan::{Kind, LeadField, NodeId, Tagged, Telling};
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::sink::{Flow, Look};
use penstock_core::value::xsd;
use std::ops::Range;
use std::ptr::NonNull;

/// Attributes that wait for their class, their texts in one buffer.
#[derive(Default)]
pub(super) struct Held {
    attributes: Vec<Attribute>,
    text: String,
}

struct Attribute {
    name: Range<usize>,
    namespace: Option<Range<usize>>,
    prefix: Option<Range<usize>>,
    value: Range<usize>,
    at: u64,
    value_at: u64,
}

impl Held {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.attributes.clear();
        self.text.clear();
    }

    fn keep(&mut self, text: Text<'_>) -> Range<usize> {
        let from = self.text.len();
        self.text.push_str(text.text.as_str());
        from..self.text.len()
    }

    fn name(&mut self, key: &Key<'_>, at: u64) {
        let name = self.keep(key.name);
        let namespace = key.namespace.map(|uri| self.keep(uri));
        let prefix = key.prefix.map(|prefix| self.keep(prefix));
        let value = 0..0;
        self.attributes.push(Attribute { name, namespace, prefix, value, at, value_at: at });
    }

    /// The value of the attribute that was held last.
    pub(super) fn value(&mut self, text: Text<'_>, at: u64) {
        let value = self.keep(text);
        if let Some(attribute) = self.attributes.last_mut() {
            (attribute.value, attribute.value_at) = (value, at);
        }
    }
}

impl Builder {
    /// The union that the element at hand is of.
    fn tagged<'a>(&self) -> Option<&'a Tagged> {
        match &self.plan().nodes[self.top().node as usize].kind {
            Kind::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// The key that says the class of the map or element at hand.
    fn tag_name(&self) -> Option<&str> {
        match &self.tagged()?.by {
            Telling::Value { tag, .. } => Some(tag),
            _ => None,
        }
    }

    /// Whether a key that the class at hand does not name is the one that says the class.
    pub(super) fn says_class(&self, key: &[u8]) -> bool {
        let frame = self.top();
        if !matches!(frame.kind, FrameKind::Class | FrameKind::Element) || frame.state != 0 {
            return false;
        }
        // An object of a union stands for the node of the union.
        self.tag_name().is_some_and(|tag| tag.as_bytes() == key)
    }

    /// A map begins whose class is to be looked for.
    #[inline(always)]
    pub(super) fn look(&mut self, node: NodeId) -> Answer {
        let (way, base) = (NonNull::from(&WAY), self.stack.len());
        self.push_frame(Frame::new(FrameKind::Union, node, way, base));
        Ok(Flow::Look)
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
        self.matched = None;
        Ok(Look::Found)
    }

    /// The key that says the class of the map at hand, as it stands in JSON text with its colon.
    #[inline(always)]
    pub(super) fn tag_as_written(&self) -> &[u8] {
        match self.tagged() {
            Some(Tagged { by: Telling::Value { quoted, .. }, .. }) => quoted,
            _ => &[],
        }
    }

    /// A member of the map at hand says its class: takes that and the member with it, if all of it is
    /// known beforehand.
    #[inline(always)]
    pub(super) fn take_lead(&mut self, value: Text<'_>) -> bool {
        let Some(Tagged { by: Telling::Value { table, leads, .. }, .. }) = self.tagged() else {
            return false;
        };
        let found = table.find(value.bytes()).and_then(|found| leads.get(found as usize));
        let Some(Some(lead)) = found else { return false };
        self.become_class(lead.class);
        self.matched = None;
        if let Some(LeadField { key, field, value }) = &lead.field {
            self.found_key(*key);
            self.aim_at(*field);
            let place = self.top().slots + *field as usize;
            self.stack.replace(place, value.clone_ref(self.attached()).into_ptr());
        }
        true
    }

    /// A key of a map whose class is not known yet.
    #[inline(never)]
    pub(super) fn tag_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, Refusal> {
        let Some(Tagged { by, .. }) = self.tagged() else { return Ok(Look::Found) };
        match by {
            Telling::Value { tag, .. } if tag.as_bytes() == key.bytes() => Ok(Look::Value),
            Telling::Keys { table, classes, .. } if let Some(found) = table.find(key.bytes()) => {
                self.choose(classes[found as usize], at)
            }
            _ => Ok(Look::Pass),
        }
    }

    /// The value of the key by which the class is known.
    #[inline(never)]
    pub(super) fn tag_value(
        &mut self,
        value: Option<Scalar<'_>>,
        at: u64,
    ) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected }) = self.tagged() else { return Ok(Look::Found) };
        let Telling::Value { tag, table, classes, ints, .. } = by else { return Ok(Look::Found) };
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
    pub(super) fn no_tag(&mut self, at: u64) -> Result<Look, Refusal> {
        let Some(Tagged { by, expected }) = self.tagged() else { return Ok(Look::Found) };
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason = match by {
            Telling::Keys { rest: Some(node), .. } => return self.choose(*node, at),
            Telling::Value { tag, .. } => {
                let tag = brief(tag);
                format!("expected {name}, got an object without the key {tag} ({expected})")
            }
            _ => format!("expected {name}, got an object without a key of theirs ({expected})"),
        };
        Err(self.mismatch(at, reason, Some(name.to_string()), None))
    }

    /// An attribute of an element whose class is not known yet.
    #[inline(never)]
    pub(super) fn union_attribute(&mut self, key: &Key<'_>, at: u64) -> Answer {
        let name = self.tag_name().map(str::as_bytes);
        let tag = key.prefix.is_none() && name == Some(key.name.bytes());
        if !tag && is_about(key) && is_nil(key) {
            self.markup.awaited = Awaited::Nil;
            return Ok(Flow::Take);
        }
        self.markup.held.name(key, at);
        self.markup.awaited = if tag { Awaited::Tag } else { Awaited::Held };
        Ok(Flow::Take)
    }

    /// The value of the attribute by which the class is known.
    #[inline(never)]
    pub(super) fn tag(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.markup.held.value(text, at);
        let Some(Tagged { by, expected }) = self.tagged() else { return Ok(Flow::Take) };
        let Telling::Value { tag, table, classes, .. } = by else { return Ok(Flow::Take) };
        let found = [text.bytes(), xsd::trimmed(text.bytes())];
        let found = found.iter().find_map(|bytes| table.find(bytes));
        let Some(found) = found else {
            let got = brief(text.text.as_str());
            let reason = format!("the attribute '{tag}' is {got}, expected {expected}");
            let mut refusal = self.mismatch(at, reason, Some(expected.to_string()), Some(got));
            if let Some(mismatch) = refusal.mismatch() {
                mismatch.path.push(PathStep::Attribute(tag.to_string()));
            }
            return self.lost_element(refusal);
        };
        let node = classes[found as usize];
        let Kind::Class(class) = self.plan().nodes[node as usize].kind else {
            return Ok(Flow::Take);
        };
        let union = self.top().node;
        self.pop_frame();
        self.begin_object(class, union, self.markup.at())?;
        self.matched = None;
        // Nothing is held while what was held is given.
        let mut held = std::mem::take(&mut self.markup.held);
        let result = self.give_held(&held);
        held.clear();
        self.markup.held = held;
        result
    }

    fn give_held(&mut self, held: &Held) -> Answer {
        let text = |range: &Range<usize>| Text::from(&held.text[range.clone()]);
        for attribute in &held.attributes {
            let key = Key {
                name: text(&attribute.name),
                namespace: attribute.namespace.as_ref().map(text),
                prefix: attribute.prefix.as_ref().map(text),
                kind: KeyKind::Attribute,
            };
            let answer = self.attribute(key, attribute.at);
            if self.keyed(answer)? != Flow::Skip {
                let answer = self.attribute_value(text(&attribute.value), attribute.value_at);
                self.valued(answer)?;
            }
        }
        Ok(Flow::Take)
    }

    /// The content begins, and the class is not known: the element does not fit.
    #[cold]
    #[inline(never)]
    pub(super) fn lost_union(&mut self, at: u64) -> Answer {
        if self.is_lost() {
            return Ok(Flow::Skip);
        }
        let refusal = self.untagged(at);
        self.lost_element(refusal)
    }

    /// The content begins, or the element ends, and its class is not known.
    #[cold]
    #[inline(never)]
    pub(super) fn untagged(&mut self, at: u64) -> Refusal {
        self.markup.held.clear();
        let Some(tagged) = self.tagged() else { return self.misfit(at, "an element") };
        let (tag, expected) = (shortened(self.tag_name().unwrap_or_default()), &tagged.expected);
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason =
            format!("expected {name}, got an element without the attribute '{tag}' ({expected})");
        let expected = Some(name.to_string());
        let mut refusal = self.mismatch(at, reason, expected, None);
        if let Some(mismatch) = refusal.mismatch() {
            // The element itself is at fault, and not what is in it.
            mismatch.path = self.path(false);
        }
        refusal
    }
}
