//! Elements whose whole text is the value of a field, while other fields have parts of them: `guid`
//! beside `guid/@isPermaLink`, `proto` beside `proto/name`.
//!
//! Such an element is one on the path to fields. Its text is gathered as that of a scalar: the text
//! of the elements in it stays in the buffer, also of those that are for no field. The same is true of
//! the element of a class with a field for all text below it (`//text()`).
//!
//! Where text is taken run by run, as a part of a choice, the text of an element that the choice does
//! not name is a part of the run around it.

use super::{Markup, Open};
use crate::objects::core::Answer;
use crate::objects::core::frame::{FrameKind, NONE};
use crate::objects::core::refusal::Refusal;
use crate::plan::{KindByte, State};
use penstock_core::event::Key;
use penstock_core::protocol::Flow;
use penstock_core::value::xsd;

impl Markup<'_> {
    /// Whether elements that lead to a state are a value as a whole.
    #[inline(always)]
    pub(crate) fn has_whole(&self, state: u32) -> bool {
        state != NONE && self.class().states[state as usize].whole.is_some()
    }

    /// An element whose whole text is the value of a field.
    #[cold]
    #[inline(never)]
    pub(crate) fn whole_element(&mut self, state: u32, key: &Key<'_>, at: u64) -> Answer {
        let Some(aim) = self.class().states[state as usize].whole else { return Ok(Flow::Skip) };
        self.aim_at(aim);
        let field = self.aim().field;
        let place = self.top().slots + field as usize;
        if !self.core.stack.get(place).is_null() && !self.collects(field) {
            if self.was_attribute(field) {
                self.forget_field(field);
                self.markup.joins.forget(place);
            } else if self.again_in_markup(key, at)? == Flow::Skip {
                return self.text_of_whole(Ok(Flow::Skip));
            }
        }
        self.aim_on_path(state);
        Ok(Flow::Take)
    }

    /// An element for no field, inside one whose whole text is a value: its text is a part of that.
    #[cold]
    #[inline(never)]
    pub(crate) fn element_of_whole(&mut self, key: &Key<'_>) -> Answer {
        self.remember_key(key.name.text.as_str());
        if let Some(aim) = self.state().whole {
            self.aim_at(aim);
            if !self.item().is_text() {
                if self.is_lost() {
                    return Ok(Flow::Skip);
                }
                // The problem is that of the whole element.
                self.top_mut().key = NONE;
                self.top_mut().unnamed = false;
                let refusal = self.misfit(self.markup.at(), "an element with child elements");
                return self.lost_element(refusal);
            }
        }
        self.aim_on_path(NONE);
        Ok(Flow::Take)
    }

    /// An element that is skipped, by the answer. Its text remains a part of that of the elements
    /// around it.
    #[inline(always)]
    pub(crate) fn text_of_whole(&mut self, answer: Answer) -> Answer {
        match answer {
            Ok(Flow::Skip) if !self.markup.wholes.is_empty() => {
                self.aim_on_path(NONE);
                Ok(Flow::Take)
            }
            answer => answer,
        }
    }

    /// An element that is no part of the choice whose texts come run by run: its text is a part of
    /// the run around it, so no text is lost, and the order is that of the document.
    #[cold]
    #[inline(never)]
    pub(crate) fn element_of_run(&mut self, key: &Key<'_>, at: u64) -> Answer {
        self.unknown_in_markup(key, at)?;
        self.aim_on_path(NONE);
        Ok(Flow::Take)
    }

    /// Gives all text below the current element to the field that asks for it.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_all_text(&mut self, aim: u32, at: u64) -> Result<(), Refusal> {
        if self.is_lost() {
            return Ok(());
        }
        self.aim_at(aim);
        (self.top_mut().key, self.top_mut().unnamed) = (NONE, false);
        let from = self.markup.open.last().map_or(0, |open| open.text);
        let text = &self.markup.text.as_bytes()[from..];
        // As for an element's own text: no text is no value, unless it is to be a text.
        if !self.item().is_text() && xsd::trimmed(text).is_empty() {
            return Ok(());
        }
        let answer = self.own_text(from, at).and_then(|value| self.put_in_markup(value, at));
        self.valued(answer).map(|_| ())
    }

    /// The text of the current element, if that is a value as a whole, has been taken.
    #[inline(always)]
    pub(crate) fn leave_whole(&mut self, whole: Option<u32>) {
        if whole.is_some() {
            self.markup.wholes.pop();
        }
    }

    /// The state of the current element, if it is on the path to fields.
    pub(crate) fn state_of_way(&self) -> Option<&State> {
        (self.top().kind == FrameKind::Wrapper).then(|| self.state())
    }

    /// Whether the current element is for no field, and only its text counts.
    #[inline(always)]
    pub(crate) fn is_on_way(&self) -> bool {
        self.aim().kind == KindByte::OnPath
    }

    /// Ends an element whose whole text is the value of a field.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_whole(&mut self, aim: u32) -> Answer {
        let none = Open { at: 0, text: 0, nil: false, forced: false, lost: false };
        let Open { at, text: from, nil, lost, .. } =
            self.markup.open.last().copied().unwrap_or(none);
        self.pop_frame();
        self.aim_at(aim);
        let value = match nil {
            _ if lost => Err(Refusal::kept()),
            true => Ok(self.new_none()),
            false => self.own_text(from, at),
        };
        self.markup.wholes.pop();
        self.markup.close();
        let answer = value.and_then(|value| self.put_in_markup(value, at));
        self.valued(answer)
    }
}
