//! Attributes. They are values like any other, except for `xsi:nil`.
//!
//! Attributes come before all content. So if a field has a value when the first element for it
//! comes, the value is from an attribute, and the element replaces it.

use super::{Awaited, Markup, written};
use crate::objects::core::Answer;
use crate::objects::core::frame::FrameKind;
use crate::objects::core::place::shortened;
use crate::objects::core::refusal::{Code, Refusal};
use crate::plan::{Kind, NameEdge, Target};
use penstock_core::event::{Key, Text};
use penstock_core::protocol::{Flow, Unknown};
use penstock_core::value::xsd;
pub(crate) use penstock_core::xml::is_about;

/// Whether an attribute that [is about](is_about) the document is `xsi:nil`.
pub(crate) fn is_nil(key: &Key<'_>) -> bool {
    match key.name.bytes() {
        b"xsi:nil" => key.prefix.is_none(),
        b"nil" => key.prefix.is_some_and(|prefix| prefix.bytes() != b"xmlns"),
        _ => false,
    }
}

impl<'p> Markup<'p> {
    /// The name of an attribute, whose value comes next.
    #[inline]
    pub(crate) fn attribute(&mut self, key: Key<'_>, at: u64) -> Answer {
        if self.markup.leaf > 0 {
            return self.leaf_attribute(&key, at);
        }
        self.core.attribute = true;
        self.markup.awaited = Awaited::Field;
        match self.top().kind {
            FrameKind::Element | FrameKind::Wrapper => match self.state().attributes.find(&key) {
                Some(found) => self.field_attribute(found, &key, at),
                None => self.other_attribute(&key, at),
            },
            FrameKind::Plain => self.plain_attribute(&key),
            FrameKind::Union => self.union_attribute(&key, at),
            _ => self.other_attribute(&key, at),
        }
    }

    /// An attribute that the class names.
    #[inline]
    fn field_attribute(&mut self, found: u32, key: &Key<'_>, at: u64) -> Answer {
        self.top_mut().key = found;
        self.top_mut().unnamed = false;
        let Target::Field(aim) = self.state().attributes.edges[found as usize].to else {
            return Ok(Flow::Skip);
        };
        self.aim_at(aim);
        let field = self.aim().field;
        let filled = !self.core.stack.get(self.top().slots + field as usize).is_null();
        if filled && !self.collects(field) {
            return self.again_in_markup(key, at);
        }
        if self.top().kind == FrameKind::Element {
            if field < 64 {
                self.top_mut().seen |= 1 << field;
            } else {
                self.core.seen_beyond.push((self.core.frames.len(), field as usize));
            }
        }
        Ok(Flow::Take)
    }

    /// An attribute that is for no field.
    #[inline(never)]
    fn other_attribute(&mut self, key: &Key<'_>, at: u64) -> Answer {
        if !is_about(key) {
            return self.unknown_in_markup(key, at);
        }
        if !is_nil(key) {
            return Ok(Flow::Skip);
        }
        self.markup.awaited = Awaited::Nil;
        Ok(Flow::Take)
    }

    /// An attribute of an element that becomes a scalar, or of one inside that.
    #[inline(never)]
    fn leaf_attribute(&mut self, key: &Key<'_>, at: u64) -> Answer {
        if self.markup.leaf > 1 || self.is_on_way() {
            return Ok(Flow::Skip);
        }
        if is_about(key) {
            if !is_nil(key) {
                return Ok(Flow::Skip);
            }
            self.markup.awaited = Awaited::Nil;
            return Ok(Flow::Take);
        }
        match self.core.options.unknown {
            Unknown::Skip => Ok(Flow::Skip),
            Unknown::Error => {
                let expected = &self.item().name;
                let name = shortened(&written(key));
                let reason = format!("{expected} has no place for the attribute '{name}'");
                Err(self.mismatch(at, reason, None, None).coded(Code::Unknown))
            }
            Unknown::Collect => {
                let path = self.path(true);
                let element = path.last().map_or_else(String::new, ToString::to_string);
                self.core.count_unknown(&[&element, ".@", &written(key)]);
                Ok(Flow::Skip)
            }
        }
    }

    /// The value of the attribute whose name was just reported.
    #[inline]
    pub(crate) fn attribute_value(&mut self, text: Text<'_>, at: u64) -> Answer {
        // A record may be an attribute. Its name was not reported, and it is the current value.
        match std::mem::take(&mut self.markup.awaited) {
            Awaited::Field => match self.lexical(text, at) {
                Ok(value) => self.put_in_markup(value, at),
                Err(refusal) => self.defer(refusal),
            },
            Awaited::Nil => self.nil(text, at),
            Awaited::Plain => self.plain_value(text, at),
            Awaited::Tag => self.tag(text, at),
            Awaited::Held => {
                self.markup.held.value(text, at);
                Ok(Flow::Take)
            }
        }
    }

    /// Keeps the refusal of an attribute that does not fit its field, if an element may still come
    /// for the field.
    #[cold]
    #[inline(never)]
    fn defer(&mut self, refusal: Refusal) -> Answer {
        if self.top().kind != FrameKind::Element || !refusal.is_mismatch() {
            return Err(refusal);
        }
        let class = self.class();
        let field = self.aim().field;
        let leads = |edge: &NameEdge| {
            let aim = class.aim_of(edge.to);
            aim.is_some_and(|aim| class.aims[aim as usize].field == field)
        };
        if !self.state().elements.edges.iter().any(leads) {
            return Err(refusal);
        }
        // The field has no value from the attribute that an element would replace.
        let depth = self.core.frames.len();
        if field < 64 {
            self.top_mut().seen &= !(1 << field);
        } else {
            self.core.seen_beyond.retain(|mark| *mark != (depth, field as usize));
        }
        self.markup.deferred.push((depth, field, refusal));
        Ok(Flow::Take)
    }

    /// The current element ends: reports attributes that did not fit, unless an element replaced
    /// them.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_deferred(&mut self) -> Result<(), Refusal> {
        let depth = self.core.frames.len();
        let slots = self.top().slots;
        let first = self.markup.deferred.partition_point(|(of, ..)| *of < depth);
        for (_, field, refusal) in self.markup.deferred.split_off(first) {
            if self.core.stack.get(slots + field as usize).is_null() {
                self.keep(refusal)?;
                self.fill_lost_field(field);
            }
        }
        Ok(())
    }

    /// The value of `xsi:nil`.
    #[cold]
    #[inline(never)]
    fn nil(&mut self, text: Text<'_>, at: u64) -> Answer {
        let leaf = self.markup.leaf > 0;
        let whole = self.state_of_way().and_then(|state| state.whole).filter(|_| !leaf);
        match xsd::boolean(xsd::trimmed(text.bytes())) {
            Some(false) => return Ok(Flow::Take),
            Some(true) => {}
            None => {
                let reason = format!("xsi:nil is '{}', not true or false", text.text.as_str());
                let refusal = self.mismatch(at, reason, None, None).coded(Code::Value);
                return self.lost_element(refusal);
            }
        }
        let node = match whole {
            Some(aim) => self.class().aims[aim as usize].node,
            None if leaf => self.aim().node,
            None => self.top().node,
        };
        let node = &self.plan().nodes[node as usize];
        let takes_none = match &node.kind {
            _ if node.nullable => true,
            Kind::None | Kind::Any => true,
            Kind::Choice(choice) => choice.null.is_some(),
            Kind::Tokens(tokens) if tokens.null.is_some() => true,
            _ => self.top().kind == FrameKind::Wrapper && !leaf && whole.is_none(),
        };
        if !takes_none {
            let expected = &node.name;
            let reason = format!("expected {expected}, got an element with xsi:nil");
            let got = Some("an element with xsi:nil".to_owned());
            let refusal = self.mismatch(at, reason, Some(expected.to_string()), got);
            return self.lost_element(refusal);
        }
        // An element on the path to fields is no value, and hides none.
        let way = self.top().kind == FrameKind::Wrapper && !leaf && whole.is_none();
        if !way && let Some(open) = self.markup.open.last_mut() {
            open.nil = true;
        }
        Ok(Flow::Take)
    }
}
