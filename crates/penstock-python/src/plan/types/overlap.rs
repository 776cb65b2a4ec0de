//! Whether two members of a union take the same text.
//!
//! Text leads to the first member that takes it: the values of an `Enum` or a `Literal` first, then
//! the types with a form of their own, and `str` takes the rest. So no two members of one of these
//! groups may take the same text: their order would decide, and `typing` keeps one object for both
//! orders of a union.

use penstock_core::value::datetime::{Date, DateTime, Offset, Time};
use penstock_core::value::lexical;
use penstock_core::value::moment::Form;
use penstock_core::value::{print, xsd};
use pyo3::prelude::*;

use super::walk::Walk;
use crate::edge::errors::answer;
use crate::plan::make::post_steps::Step;
use crate::plan::{Choice, Kind, NodeId};

/// Texts of the types that have a form of their own: each form takes one of these.
const TEXTS: [&str; 24] = [
    "2024-02-03",
    "2024-02-03T04:05:06Z",
    "2024-02-03T04:05:06",
    "2024-02-03T04:05",
    "2024-02-03 04:05:06",
    "20240203",
    "20240203T040506",
    "2024-W05",
    "2024-034",
    "04:05:06",
    "04:05:06Z",
    "04:05",
    "040506",
    "P1D",
    "PT5S",
    "c0ffee00-1234-5678-9abc-def012345678",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "::/8",
    "UTC",
    "3/4",
    "7",
    "1+2j",
];

/// The number of groups in which members are tried, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// The values of an `Enum` or a `Literal`.
    Values,
    /// A type with a form of its own.
    Form,
    /// An `Enum` that may take more than its values, or a function of the caller's.
    Open,
}

impl<'py> Walk<'_, 'py> {
    /// Puts the members that take text in the order in which they are tried.
    ///
    /// # Errors
    /// `PlanError` if two of them take the same text.
    pub(in crate::plan) fn ordered(&self, text: &mut [NodeId]) -> PyResult<()> {
        text.sort_by_key(|member| self.group(*member));
        for (place, &one) in text.iter().enumerate() {
            for &other in &text[place + 1..] {
                if self.group(one) != self.group(other) {
                    continue;
                }
                if let Some(text) = self.shared(one, other)? {
                    let (one, other) = (self.name(one), self.name(other));
                    let reason = format_args!(
                        "{one} | {other}: nothing tells them apart in a string, both take {text:?}"
                    );
                    return Err(self.error(reason));
                }
            }
        }
        Ok(())
    }

    fn group(&self, member: NodeId) -> Group {
        let node = &self.compiler.nodes[member as usize];
        let steps = node.after.iter().flat_map(|after| &after.steps);
        let mut calls = steps.filter(|step| matches!(step, Step::Call(_)));
        match &node.kind {
            _ if calls.next().is_some() => Group::Open,
            Kind::Choice(choice) if choice.enum_class.is_some() => Group::Open,
            Kind::Choice(_) => Group::Values,
            _ => Group::Form,
        }
    }

    /// A text that two members take, if there is one.
    fn shared(&self, one: NodeId, other: NodeId) -> PyResult<Option<String>> {
        let nodes = &self.compiler.nodes;
        if let (Kind::Choice(one), Kind::Choice(other)) =
            (&nodes[one as usize].kind, &nodes[other as usize].kind)
        {
            return self.shared_value(one, other);
        }
        let own = self.printed(one).into_iter().chain(self.printed(other));
        for text in TEXTS.iter().map(|text| (*text).to_owned()).chain(own) {
            if self.accepts(one, &text)? && self.accepts(other, &text)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// A text that is a value of two choices. White space around it counts only where text has a
    /// type.
    fn shared_value(&self, one: &Choice, other: &Choice) -> PyResult<Option<String>> {
        let trims = self.compiler.form.is_lexical();
        let same = |a: &str, b: &str| match trims {
            true => xsd::trimmed(a.as_bytes()) == xsd::trimmed(b.as_bytes()),
            false => a == b,
        };
        let py = self.compiler.py;
        let others = other.values(py)?;
        Ok(one.values(py)?.into_iter().find(|text| others.iter().any(|it| same(text, it))))
    }

    /// Whether a member takes a text. Functions of the caller's are not called.
    fn accepts(&self, member: NodeId, text: &str) -> PyResult<bool> {
        let py = self.compiler.py;
        let node = &self.compiler.nodes[member as usize];
        if !matches!(node.kind, Kind::Str) {
            return Ok(node
                .kind
                .lexical()
                .is_some_and(|to| lexical::quoted(text.as_bytes(), to).is_ok()));
        }
        for step in node.after.iter().flat_map(|after| &after.steps) {
            match step {
                Step::Convert(function) => {
                    return Ok(answer(py, function.bind(py).call1((text,)))?.is_some());
                }
                Step::Call(_) => return Ok(false),
                Step::Trim | Step::Check(_) => {}
            }
        }
        Ok(false)
    }

    /// Dates and times in the pattern of a member.
    fn printed(&self, member: NodeId) -> Vec<String> {
        let Kind::Moment(moment) = &self.compiler.nodes[member as usize].kind else {
            return Vec::new();
        };
        let Form::Pattern(pattern) = &moment.form else { return Vec::new() };
        let mut printed = Vec::new();
        for (year, month, day) in [(2024, 2, 3), (2011, 11, 10)] {
            for (hour, minute, second, microsecond) in
                [(0, 0, 0, 0), (4, 0, 0, 0), (4, 5, 0, 0), (14, 5, 6, 0), (14, 15, 16, 170_000)]
            {
                for offset in [None, Some(Offset::Utc)] {
                    let time = Time { hour, minute, second, microsecond, offset };
                    let value = DateTime { date: Date { year, month, day }, time };
                    let first = DateTime { date: Date { year: 1, month: 1, day: 1 }, time };
                    for value in [value, first] {
                        let mut text = Vec::with_capacity(print::LONGEST);
                        if pattern.print(value, &mut text) {
                            printed.push(String::from_utf8_lossy(&text).into_owned());
                        }
                    }
                }
            }
        }
        printed.sort_unstable();
        printed.dedup();
        printed
    }
}
