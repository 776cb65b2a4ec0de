//! Finds the positions of the values of a map or list: reads the text again, since words store
//! none.

use super::view::Container;
use crate::event::{Key, Scalar, Text};
use crate::json::{Framing, Reader};
use crate::limits::Limits;
use crate::protocol::{Flow, Hints, LookAhead, Sink};
use crate::value::number;
use penstock_scan::ValidText;
use std::convert::Infallible;

/// A sink that records where values begin, and skips their contents.
struct Places {
    /// The only value to look for, if there is one.
    only: Option<usize>,
    /// How many values were reported.
    met: usize,
    open: bool,
    found: Vec<u64>,
}

impl Places {
    fn value(&mut self, at: u64) -> Flow {
        let wanted = self.only.is_none_or(|only| only == self.met);
        self.met += 1;
        if !wanted {
            return Flow::Skip;
        }
        self.found.push(at);
        if self.only.is_some() { Flow::Stop } else { Flow::Skip }
    }

    fn begin(&mut self, at: u64) -> Flow {
        if self.open {
            return self.value(at);
        }
        self.open = true;
        Flow::Take
    }
}

impl Sink for Places {
    type Error = Infallible;

    fn begin_map(&mut self, at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(at))
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, at: u64) -> Result<Flow, Infallible> {
        Ok(self.begin(at))
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        if self.only.is_some_and(|only| only != self.met) {
            self.met += 1;
            return Ok(Flow::Skip);
        }
        Ok(Flow::Take)
    }
    fn scalar(&mut self, _value: Scalar<'_>, at: u64) -> Result<Flow, Infallible> {
        Ok(self.value(at))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Places {
    fn as_written(&self) -> bool {
        true
    }
}

impl LookAhead for Places {}

fn run(container: &Container<'_>, only: Option<usize>) -> Vec<u64> {
    let range = container.range();
    let mut reader = Reader::new(Framing::Document, &Limits::of_known_text());
    reader.jump(range.start as u64);
    let mut places = Places { only, met: 0, open: false, found: Vec::new() };
    // The text was validated before, so there can be no error.
    let _ = reader.run_dyn(container.view().text().slice(range), true, &mut places);
    places.found
}

/// The end of the scalar that begins at `from`.
#[must_use]
pub fn scalar_end(text: ValidText<'_>, from: usize) -> usize {
    let text = text.as_bytes();
    match text.get(from) {
        Some(b'"') => closing_quote(text, from + 1) + 1,
        Some(b't' | b'n') => from + 4,
        Some(b'f') => from + 5,
        _ => number::scan(text, from).end,
    }
}

/// The end of the string whose first character is at `from`.
pub(super) fn closing_quote(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// The position of one value of a map or list. It takes the time of skipping over everything before
/// it.
#[must_use]
pub fn place_of(container: &Container<'_>, slot: usize) -> Option<u64> {
    run(container, Some(slot)).pop()
}

/// The positions of all values of a map or list.
#[must_use]
pub fn places(container: &Container<'_>) -> Vec<u64> {
    run(container, None)
}
