//! The text of elements: gathered while an element is open, and given to its field where it ends.

use super::{Markup, written};
use crate::edge::{modules, warnings};
use crate::objects::core::Answer;
use crate::objects::core::frame::{FrameKind, NONE};
use crate::objects::core::place::shortened;
use crate::objects::core::refusal::{Code, Refusal};
use penstock_core::event::{Key, Text};
use penstock_core::protocol::{Flow, Unknown};
use penstock_core::value::xsd;
use penstock_scan::{append, make_room};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;

impl Markup<'_> {
    /// Text between tags.
    #[inline]
    pub(crate) fn add_text(&mut self, text: Text<'_>, at: u64) -> Answer {
        if self.markup.leaf == 0 {
            match self.top().kind {
                FrameKind::Plain => {}
                FrameKind::Element | FrameKind::Wrapper if self.state().text.is_some() => {}
                FrameKind::Union if !self.markup.is_nil() => {
                    return match self.become_other()? {
                        true => self.add_text(text, at),
                        false => self.lost_union(at),
                    };
                }
                FrameKind::Element | FrameKind::Wrapper if self.markup.wholes.is_empty() => {
                    if self.unknown_in_class() != Unknown::Skip && !self.markup.is_nil() {
                        self.note_stray(text);
                    }
                    return Ok(Flow::Take);
                }
                _ if self.markup.wholes.is_empty() => return Ok(Flow::Take),
                _ => {}
            }
        }
        let room = self.markup.options.token.saturating_sub(self.markup.text.len());
        if text.bytes().len() > room || self.markup.overlong {
            return self.too_long();
        }
        self.markup.ascii &= text.ascii;
        let more = text.bytes().len();
        self.markup.text.try_reserve(more).map_err(|_| PyMemoryError::new_err(()))?;
        self.markup.text.push_str(text.text.as_str());
        Ok(Flow::Take)
    }

    /// There is more text than the limit. Which byte is one too many is not known, because
    /// references are resolved in a piece; and where a piece begins depends on how the source was
    /// cut. So the place is the element, if its beginning is kept, or else the tag after the text.
    #[cold]
    #[inline(never)]
    fn too_long(&mut self) -> Answer {
        if self.markup.leaf == 0 && self.markup.wholes.is_empty() {
            self.markup.overlong = true;
            return Ok(Flow::Take);
        }
        Err(self.overlong(self.markup.at()))
    }

    /// The refusal of more text than the limit.
    #[cold]
    #[inline(never)]
    pub(super) fn overlong(&self, at: u64) -> Refusal {
        let token = self.markup.options.token;
        let reason = format!("the text of an element is longer than {token} bytes (limits.token)");
        self.exceeded(at, reason)
    }

    /// Converts the text from a place on to the current value.
    #[inline]
    pub(crate) fn own_text(&mut self, from: usize, at: u64) -> Result<*mut ffi::PyObject, Refusal> {
        let text = std::mem::take(&mut self.markup.text);
        let own = Text { text: text[from..].into(), ascii: self.markup.ascii };
        let value = self.lexical(own, at);
        self.markup.text = text;
        value
    }

    /// The current element ends: gives its own text to the field that asks for it, if there is one.
    #[inline]
    pub(super) fn end_text(&mut self, at: u64) -> Result<(), Refusal> {
        match self.state().text {
            None if self.markup.stray.is_empty() => Ok(()),
            None => self.end_stray(at),
            Some(aim) => self.end_own_text(aim, at),
        }
    }

    /// Remembers that an element has text for which there is no field. It is said where the element ends: where the text
    /// begins depends on how the source was cut.
    #[cold]
    #[inline(never)]
    fn note_stray(&mut self, text: Text<'_>) {
        let within = self.markup.at();
        if !xsd::trimmed(text.bytes()).is_empty() && self.markup.stray.last() != Some(&within) {
            append(&mut self.markup.stray, within);
        }
    }

    /// An element ends: what becomes of text in it for which there is no field.
    #[cold]
    #[inline(never)]
    fn end_stray(&mut self, at: u64) -> Result<(), Refusal> {
        let within = self.markup.at();
        // An element in error has left its own behind.
        while self.markup.stray.pop_if(|of| *of > within).is_some() {}
        if self.markup.stray.pop_if(|of| *of == within).is_none() {
            return Ok(());
        }
        let class = &self.class().name;
        if self.unknown_in_class() == Unknown::Error {
            let reason = format!("{class} has no field for text: at('text()') is one");
            return Err(self.mismatch(at, reason, None, None).coded(Code::Unknown));
        }
        self.core.count_unknown(&[class, ".text()"]);
        Ok(())
    }

    #[inline(never)]
    fn end_own_text(&mut self, aim: u32, at: u64) -> Result<(), Refusal> {
        if self.takes_runs(aim) {
            return self.end_run(aim);
        }
        self.aim_at(aim);
        let from = self.markup.open.last().map_or(0, |open| open.text);
        // Empty text is a valid `str`, but no value of any other type, and never part of a choice.
        let text = &self.markup.text.as_bytes()[from..];
        let chosen = aim as usize >= self.class().fields.len();
        let may_lack = chosen || !self.item().is_text();
        let is_blank = xsd::trimmed(text).is_empty();
        if !self.markup.left_out.is_empty() {
            self.warn_of_left_out(aim, is_blank)?;
        }
        if may_lack && is_blank {
            return Ok(());
        }
        // The value is the element's own.
        self.top_mut().key = NONE;
        self.top_mut().unnamed = false;
        let field = self.aim().field;
        if !self.core.stack.get(self.top().slots + field as usize).is_null()
            && !self.collects(field)
        {
            let answer = self.again_by_rule("text", at);
            if self.keyed(answer)? == Flow::Skip {
                return Ok(());
            }
        }
        let answer = self.own_text(from, at).and_then(|value| self.put_in_markup(value, at));
        self.valued(answer).map(|_| ())
    }

    /// Remembers that an element is skipped whose text may belong to the text around it.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_out(&mut self, key: &Key<'_>) {
        let within = self.markup.at();
        // An element in error has left its own behind.
        while self.markup.left_out.pop_if(|(of, _)| *of > within).is_some() {}
        let known = self.markup.left_out.last().is_some_and(|(of, _)| *of == within);
        if !known && !self.markup.warned {
            make_room(&mut self.markup.left_out, 1);
            self.markup.left_out.push((within, written(key)));
        }
    }

    /// Warns, once, that the text of an element was left out, if there is text around it.
    #[cold]
    #[inline(never)]
    fn warn_of_left_out(&mut self, aim: u32, is_blank: bool) -> Result<(), Refusal> {
        let within = self.markup.at();
        while self.markup.left_out.pop_if(|(of, _)| *of > within).is_some() {}
        let found = self.markup.left_out.pop_if(|(of, _)| *of == within);
        let Some((_, name)) = found.filter(|_| !is_blank && !self.markup.warned) else {
            return Ok(());
        };
        self.markup.warned = true;
        let py = self.attached();
        let class = self.class();
        let field = match class.fields.get(self.aim().field as usize) {
            Some(field) => field.name.bind(py).to_string(),
            None => aim.to_string(),
        };
        Ok(warn_of_mixed(py, &left_out(&class.name, &field, &name))?)
    }

    /// Whether an element's own text is taken run by run: if it is part of a choice, whose values
    /// come in the order of the document.
    pub(super) fn takes_runs(&self, aim: u32) -> bool {
        let class = self.class();
        aim as usize >= class.fields.len() && class.aims[aim as usize].gathers
    }

    /// Ends a run of text where a child element begins, if text is gathered run by run.
    #[inline(never)]
    pub(super) fn end_run(&mut self, aim: u32) -> Result<(), Refusal> {
        if !self.takes_runs(aim) {
            return Ok(());
        }
        let open = self.markup.open.last();
        let (from, at) = open.map_or((0, 0), |open| (open.text, open.at));
        if self.markup.text.len() == from {
            return Ok(());
        }
        self.aim_at(aim);
        let value = self.own_text(from, at);
        self.markup.text.truncate(from);
        let answer = value.and_then(|value| self.put_in_markup(value, at));
        self.valued(answer).map(|_| ())
    }
}

/// What is said of the text of an element that was left out of the text around it.
#[cold]
pub(crate) fn left_out(class: &str, field: &str, element: &str) -> String {
    format!(
        "{class}.{field} is the text of an element without that of <{}> in it, which is left out: \
         at('string()') takes all of it",
        shortened(element)
    )
}

/// Warns of it.
#[cold]
pub(crate) fn warn_of_mixed(py: Python<'_>, reason: &str) -> PyResult<()> {
    warnings::issue(py, (modules::EMPTY, "MixedContentWarning"), reason)
}
