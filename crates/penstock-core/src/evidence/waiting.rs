//! Members of a map that wait for its tag, which says where they belong.

use super::tree::Step;
use crate::event::Scalar;
use penstock_scan::make_room;
use std::ops::Range;

/// Of larger members, or more of them, none waits: they go on their own way.
const MOST: usize = 4 << 10;
const MOST_MEMBERS: usize = 256;

/// A scalar whose text is kept in one buffer with others.
#[derive(Clone, Debug)]
enum Held {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Number(Range<usize>),
    Text(Range<usize>),
    Untyped(Range<usize>),
}

/// The members that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    text: String,
    members: Vec<(Step, Range<usize>, Option<Held>)>,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.members.clear();
    }

    /// Another member waits, whose value comes next. False if it cannot wait.
    pub(super) fn add_key(&mut self, step: Step, key: &str) -> bool {
        if !self.has_room(key) || self.members.len() == MOST_MEMBERS {
            return false;
        }
        let key = self.keep(key);
        make_room(&mut self.members, 1);
        self.members.push((step, key, None));
        true
    }

    /// The value of the last member. False if it cannot wait.
    pub(super) fn add_value(&mut self, value: Scalar<'_>) -> bool {
        let held = match value {
            Scalar::Null => Held::Null,
            Scalar::Bool(value) => Held::Bool(value),
            Scalar::Int(value) => Held::Int(value),
            Scalar::Float(value) => Held::Float(value),
            Scalar::Number(digits) => match std::str::from_utf8(digits) {
                Ok(digits) if self.has_room(digits) => Held::Number(self.keep(digits)),
                _ => return false,
            },
            Scalar::Text(text) if self.has_room(text.text.as_str()) => {
                Held::Text(self.keep(text.text.as_str()))
            }
            Scalar::Untyped(text) if self.has_room(text.text.as_str()) => {
                Held::Untyped(self.keep(text.text.as_str()))
            }
            _ => return false,
        };
        if let Some((_, _, value)) = self.members.last_mut() {
            *value = Some(held);
        }
        true
    }

    fn has_room(&self, text: &str) -> bool {
        self.text.len() + text.len() <= MOST
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        make_room(&mut self.text, text.len());
        self.text.push_str(text);
        start..self.text.len()
    }

    /// Each member with its value; the last one may have none yet.
    pub(super) fn members(&self) -> impl Iterator<Item = (Step, &str, Option<Scalar<'_>>)> {
        self.members.iter().map(|(step, key, value)| {
            let text = |range: &Range<usize>| &self.text[range.clone()];
            let value = value.as_ref().map(|value| match value {
                Held::Null => Scalar::Null,
                Held::Bool(value) => Scalar::Bool(*value),
                Held::Int(value) => Scalar::Int(*value),
                Held::Float(value) => Scalar::Float(*value),
                Held::Number(digits) => Scalar::Number(text(digits).as_bytes()),
                Held::Text(range) => Scalar::Text(text(range).into()),
                Held::Untyped(range) => Scalar::Untyped(text(range).into()),
            });
            (*step, text(key), value)
        })
    }
}
