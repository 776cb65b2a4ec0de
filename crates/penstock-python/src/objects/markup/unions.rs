//! Objects of one of several classes, from elements.
//!
//! The class must be known before the first value is put. The attributes of an element have no
//! order, so those before the one that gives the class are held and given to the class once it is
//! known. A start tag is limited, and so are the held attributes.

use super::attributes::{is_about, is_nil};
use super::{Awaited, Markup};
use crate::objects::core::Answer;
use crate::objects::core::place::{brief, shortened};
use crate::objects::core::refusal::{Code, Refusal};
use crate::plan::{Kind, NodeId, TagRule, Tagged};
use penstock_core::event::{Key, KeyKind, Text};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::Flow;
use penstock_core::value::xsd;
use penstock_scan::make_room;
use std::ops::Range;

/// Attributes that wait for their class, with their texts in one buffer.
#[derive(Default)]
pub(crate) struct HeldAttributes {
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

impl HeldAttributes {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.attributes.clear();
        self.text.clear();
    }

    fn keep(&mut self, text: Text<'_>) -> Range<usize> {
        let from = self.text.len();
        let text = text.text.as_str();
        make_room(&mut self.text, text.len());
        self.text.push_str(text);
        from..self.text.len()
    }

    fn name(&mut self, key: &Key<'_>, at: u64) {
        let name = self.keep(key.name);
        let namespace = key.namespace.map(|uri| self.keep(uri));
        let prefix = key.prefix.map(|prefix| self.keep(prefix));
        let value = 0..0;
        make_room(&mut self.attributes, 1);
        self.attributes.push(Attribute { name, namespace, prefix, value, at, value_at: at });
    }

    /// The value of the attribute that was held last.
    pub(crate) fn value(&mut self, text: Text<'_>, at: u64) {
        let value = self.keep(text);
        if let Some(attribute) = self.attributes.last_mut() {
            (attribute.value, attribute.value_at) = (value, at);
        }
    }
}

impl<'p> Markup<'p> {
    /// An attribute of an element whose class is not known yet.
    #[inline(never)]
    pub(crate) fn union_attribute(&mut self, key: &Key<'_>, at: u64) -> Answer {
        let tag = self.is_tag(key);
        if !tag && is_about(key) && is_nil(key) {
            self.markup.awaited = Awaited::Nil;
            return Ok(Flow::Take);
        }
        self.markup.held.name(key, at);
        self.markup.awaited = if tag { Awaited::Tag } else { Awaited::Held };
        Ok(Flow::Take)
    }

    /// The value of the attribute that gives the class.
    #[inline(never)]
    pub(crate) fn tag(&mut self, text: Text<'_>, at: u64) -> Answer {
        self.markup.held.value(text, at);
        let Some(Tagged { by, expected, other }) = self.tagged() else { return Ok(Flow::Take) };
        let TagRule::Value { tag, table, classes, .. } = by else { return Ok(Flow::Take) };
        let found = [text.bytes(), xsd::trimmed(text.bytes())];
        let found = found.iter().find_map(|bytes| table.find(bytes));
        let Some(node) = found.map(|found| classes[found as usize]).or(*other) else {
            let got = brief(text.text.as_str());
            let reason = format!("the attribute '{tag}' is {got}, expected {expected}");
            let refusal = self.mismatch(at, reason, Some(expected.to_string()), Some(got));
            let mut refusal = refusal.coded(Code::Union);
            if let Some(mismatch) = refusal.mismatch() {
                mismatch.path.push(PathStep::Attribute(tag.to_string()));
            }
            return self.lost_element(refusal);
        };
        self.become_member(node)
    }

    /// The class of the current element is not given: makes it what the union has for that, if it
    /// has something.
    #[inline(never)]
    pub(crate) fn become_other(&mut self) -> Result<bool, Refusal> {
        let other = self.tagged().and_then(|tagged| tagged.other).filter(|_| !self.is_lost());
        let Some(other) = other else { return Ok(false) };
        self.become_member(other)?;
        Ok(true)
    }

    /// Makes the current element, whose class was not known, a member of its union.
    fn become_member(&mut self, node: NodeId) -> Answer {
        let union = self.top().node;
        self.pop_frame();
        match self.plan().nodes[node as usize].kind {
            Kind::Class(class) => self.begin_object(class, union, self.markup.at())?,
            Kind::Any => self.begin_plain(node)?,
            _ => self.begin_rarely(node)?,
        };
        self.core.matched = None;
        // Nothing is held while the held attributes are given.
        let mut held = std::mem::take(&mut self.markup.held);
        let result = self.give_held(&held);
        held.clear();
        self.markup.held = held;
        result
    }

    fn give_held(&mut self, held: &HeldAttributes) -> Answer {
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

    /// The content begins and the class is not known: the element does not fit.
    #[cold]
    #[inline(never)]
    pub(crate) fn lost_union(&mut self, at: u64) -> Answer {
        if self.is_lost() {
            return Ok(Flow::Skip);
        }
        let refusal = self.untagged(at);
        self.lost_element(refusal)
    }

    /// The refusal of an element without a known class at its content or end.
    #[cold]
    #[inline(never)]
    pub(crate) fn untagged(&mut self, at: u64) -> Refusal {
        self.markup.held.clear();
        let Some(tagged) = self.tagged() else { return self.misfit(at, "an element") };
        let (tag, expected) = (shortened(self.tag_name().unwrap_or_default()), &tagged.expected);
        let name = &self.plan().nodes[self.top().node as usize].name;
        let reason =
            format!("expected {name}, got an element without the attribute '{tag}' ({expected})");
        let expected = Some(name.to_string());
        let mut refusal = self.mismatch(at, reason, expected, None).coded(Code::Union);
        if let Some(mismatch) = refusal.mismatch() {
            // The element itself is wrong, not a value in it.
            mismatch.path = self.path(false);
        }
        refusal
    }
}
