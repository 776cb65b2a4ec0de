//! The run of a planner, which hops over records where it can.

use std::convert::Infallible;

use super::hop::{Child, Hop, children, items, lines, rows};
use super::planner::Planner;
use crate::formats::{Passable, Reader};
use crate::protocol::{FormatReader, InputView};
use crate::run::{Failed, Input, RecordScope, Run, Turn, Windows};

/// A record of which so many bytes are at hand, and no end, is read by the reader, so that it need
/// not be kept.
const LONGEST: usize = 1 << 20;

/// After a hop that led nowhere, the reader reads one record, then two, and so on, up to so many.
const MOST_READ: u64 = 64;

/// How many bytes are read before it is decided whether the hops are worth it.
const TRIED: u64 = 4 << 20;

/// Hops over the records between points. The points are those that the reader would find, as long as
/// it would find no fault: of text with a fault that ends the reading, there may be points behind it.
#[derive(Debug, Default)]
pub struct Hops {
    /// How many bytes were passed.
    passed: u64,
    /// From this many bytes on, it makes sense to look for the end of the record again.
    enough: usize,
    /// How many records the reader is to read before the next hop.
    rest: u64,
    /// Whether the run has just paused behind a record.
    is_behind: bool,
}

/// What comes after a hop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// More text is needed.
    Dry,
    /// The reader goes on.
    Read,
}

impl Hops {
    /// Hops for a reader that has come to the first record. None if nothing but the reader can pass
    /// over the others.
    #[must_use]
    pub fn beside(reader: &Reader, to: &RecordScope<Planner>) -> Option<Self> {
        let can = reader.may_pass(matches!(to, RecordScope::Root(_)));
        can.then(Hops::default)
    }

    /// As [`Run::advance`], with hops between the records.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub fn advance(
        &mut self,
        run: &mut Run<Reader, Windows, Infallible>,
        to: &mut RecordScope<Planner>,
    ) -> Result<Turn<Infallible>, Failed<Infallible, Infallible>> {
        loop {
            let hop = if run.is_free() { self.hop(run, to) } else { None };
            if hop.is_none() && self.is_behind {
                self.is_behind = false;
                self.read_more();
            }
            if hop == Some(Next::Dry) {
                return Ok(Turn::Dry);
            }
            to.inner_mut().stop_behind(self.rest);
            match run.advance(to)? {
                Turn::Paused if to.inner_mut().take_behind() => {
                    (self.is_behind, self.enough) = (true, 0);
                }
                turn => return Ok(turn),
            }
        }
    }

    /// A hop has led nowhere.
    fn read_more(&mut self) {
        self.rest = (2 * self.rest + 1).min(MOST_READ);
    }

    /// How many bytes were hopped over.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Whether the hops are worth it, as far as this is known when so many bytes were read.
    #[must_use]
    pub fn are_worth_it(&self, read: u64) -> bool {
        read < TRIED || self.passed > read / 2
    }

    /// Ends the hops: from now on, [advance](Run::advance) the run itself.
    pub fn end(self, to: &mut RecordScope<Planner>) {
        to.inner_mut().stop_behind(u64::MAX);
    }

    /// Hops from where the reader stands, if it can.
    fn hop(
        &mut self,
        run: &mut Run<Reader, Windows, Infallible>,
        to: &mut RecordScope<Planner>,
    ) -> Option<Next> {
        let wanted = to.inner().wanted().saturating_sub(run.offset());
        let InputView::Text { text, last } = run.input().given() else { return None };
        let text = text.as_bytes().get(run.reader().consumed()..)?;
        // What begins behind the record that is wanted is none of the hop's.
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let is_wanted = wanted <= text.len();
        let is_all = is_wanted || last || run.input().fault().is_some();
        let waits = text.len() < self.enough && !is_all;
        let text = &text[..wanted.min(text.len())];
        let select = match &*to {
            RecordScope::Inside(select) => Some(select),
            RecordScope::Root(_) => None,
            // A condition asks each of them.
            RecordScope::Where(_) => return None,
        };
        let passable = run.reader().passable(select.map(|_| to.depth()))?;
        let can = match (&passable, select) {
            (Passable::Items, Some(select)) => select.takes_items(),
            (Passable::Children(_), Some(select)) => select.children().is_some(),
            _ => true,
        };
        if !can {
            return None;
        }
        if waits {
            return Some(Next::Dry);
        }
        let Hop { at, records, is_over } = match passable {
            Passable::Lines => lines(text),
            Passable::Items => items(text),
            Passable::Rows(kind, most) => rows(text.get(..most).unwrap_or(text), kind),
            Passable::Children(reader) => {
                let known = select?.children()?;
                let of_name = |name: &str| {
                    let (prefix, local) = reader.split_name(name);
                    known.is_record(prefix, local)
                };
                let is = |name: &[u8]| match std::str::from_utf8(name).map(of_name) {
                    Ok(Some(true)) => Child::Record,
                    Ok(Some(false)) => Child::Other,
                    Ok(None) | Err(_) => Child::Unknown,
                };
                children(text, (!known.are_all_records()).then_some(is))
            }
        };
        let left = text.len() - at;
        run.pass_over_text(at);
        to.pass_records(records);
        to.inner_mut().pass(records);
        self.passed += at as u64;
        self.is_behind = false;
        if records > 0 || is_wanted {
            self.rest = 0;
        } else {
            self.read_more();
        }
        if is_all || is_over || left >= LONGEST {
            self.enough = 0;
            return Some(Next::Read);
        }
        self.enough = 2 * left;
        Some(Next::Dry)
    }
}
