//! Whether text is read back as the value that it was written for.
//!
//! A choice and a union take several types from one text. In a format without types, `"12"` of an
//! `int | str` would be read as a number. Such a value is refused.

use super::Stop;
use super::text::text_of;
use super::walk::{As, Walker};
use crate::failure::answer;
use crate::objects::type_of;
use crate::plan::{Choice, Kind, NodeId, Step};
use penstock_core::limits::Limits;
use penstock_core::sink::Flow;
use penstock_core::value::lexical::{self, Rules};
use penstock_core::value::xsd::{self, Integer};
use penstock_core::writer::Writer;
use pyo3::prelude::*;
use pyo3::types::PyString;

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// A value of a union or a choice.
    pub(super) fn one_of(&mut self, value: &Bound<'py, PyAny>, of: As) -> Result<Flow, Stop> {
        if !W::LEXICAL {
            return self.one_of_typed(value, of);
        }
        let listens = self.writer.listen();
        let flow = self.one_of_typed(value, of)?;
        if let Some(text) = self.writer.heard() {
            self.check(value, of, text)?;
        }
        if listens {
            self.writer.ignore();
        }
        Ok(flow)
    }

    /// Refuses a value whose text is another value of its type.
    pub(super) fn check(&self, value: &Bound<'py, PyAny>, of: As, text: &[u8]) -> Result<(), Stop> {
        match &self.node(of).kind {
            Kind::Choice(choice) => match choice.of_untyped(text) {
                Some(found) if !is_same(found.bind(self.py), value) => {
                    let found = found.bind(self.py).repr()?;
                    Err(Stop::misfit(format!("its text would be read back as {found}")))
                }
                _ => Ok(()),
            },
            Kind::Tokens(tokens) => {
                for node in tokens.untyped() {
                    let member = As { node, ..of };
                    if self.takes(value, member) {
                        return match self.node(member).kind {
                            Kind::Choice(_) => self.check(value, member, text),
                            _ => Ok(()),
                        };
                    }
                    if self.reads(node, of, text)? {
                        return Err(self.other_member(member));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Refuses a text that a member of a union takes which comes before `member`.
    pub(super) fn check_text(
        &mut self,
        value: &Bound<'py, PyAny>,
        of: As,
        member: NodeId,
    ) -> Result<(), Stop> {
        let Ok(value) = value.cast::<PyString>() else { return Ok(()) };
        let Kind::Tokens(tokens) = &self.node(of).kind else { return Ok(()) };
        if tokens.text.len() < 2 {
            return Ok(());
        }
        let text = text_of(value, &mut self.known.scratch)?.bytes().to_owned();
        let Kind::Tokens(tokens) = &self.node(of).kind else { return Ok(()) };
        // White space is no part of these forms.
        if xsd::trimmed(&text).len() != text.len() {
            return Ok(());
        }
        for &node in tokens.text.iter().take_while(|node| **node != member) {
            if self.reads(node, of, &text)? {
                return Err(self.other_member(As { node, ..of }));
            }
        }
        Ok(())
    }

    #[cold]
    fn other_member(&self, member: As) -> Stop {
        let name = &self.node(member).written;
        Stop::misfit(format!("its text would be read back as {name}"))
    }

    /// Whether a type takes a text.
    fn reads(&self, node: NodeId, of: As, text: &[u8]) -> Result<bool, Stop> {
        let node = self.node(As { node, ..of });
        let trimmed = xsd::trimmed(text);
        match &node.kind {
            Kind::Choice(choice) => Ok(choice.of_untyped(text).is_some()),
            Kind::None => Ok(trimmed.is_empty()),
            Kind::Any => Ok(true),
            Kind::Str => {
                let text = PyString::new(self.py, &String::from_utf8_lossy(text));
                let mut made = text.into_any();
                for step in node.after.iter().flat_map(|after| &after.steps) {
                    if let Step::Convert(function) | Step::Call(function) = step {
                        match answer(self.py, function.bind(self.py).call1((&made,)))? {
                            Some(next) => made = next,
                            None => return Ok(false),
                        }
                    }
                }
                Ok(true)
            }
            kind => Ok(type_of(kind).is_some_and(|to| {
                let number = Limits::default().number;
                let rules = Rules { lax: self.plan(of).lax, number };
                lexical::untyped(trimmed, to, rules).is_ok()
            })),
        }
    }
}

/// Whether two values are the same, also by their class.
fn is_same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    a.is(b) || a.get_type().is(b.get_type()) && a.eq(b).unwrap_or(false)
}

impl Choice {
    /// The object that an untyped text stands for.
    fn of_untyped(&self, text: &[u8]) -> Option<&Py<PyAny>> {
        let trimmed = xsd::trimmed(text);
        if let Some(found) = self.texts.find(text).or_else(|| self.texts.find(trimmed)) {
            return self.text_objects.get(found as usize);
        }
        if let Some(Integer::Small(value)) = xsd::integer(trimmed)
            && let Some((_, object)) = self.ints.iter().find(|(known, _)| *known == value)
        {
            return Some(object);
        }
        self.bools[usize::from(xsd::boolean(trimmed)?)].as_ref()
    }
}
