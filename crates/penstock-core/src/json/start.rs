//! Beginning to read inside of a document: what a reader has to know of the text before.
//!
//! A long document is read in parts at once, each by a reader of its own. Where a part begins need not be
//! guessed right: the reader of the part before says in the end where it stands
//! ([`Reader::start_here`]), and that has to be the place where the next part began.

use super::framing::Framing;
use super::look::NO_TAG;
use super::reader::{NOWHERE, Reader, State};
use crate::limits::Limits;

/// A map or a list that is open where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An object.
    Map,
    /// An array.
    List,
}

/// What may come where a reader begins, by what stands right before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coming {
    /// Behind `{` or `[`: a member or an element, or the end of the map or list.
    First,
    /// Behind a comma: a member or an element. At the root, where no map or list is open: a value, or
    /// the end of a stream of values; so this is what comes at the beginning of a document and of a line.
    Item,
    /// Behind a member or an element: a comma, or the end of the map or list. At the root: what may stand
    /// behind a value.
    Separator,
}

/// Where a reader begins.
///
/// Counts of lines and records are no part of it: a reader knows bytes only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The offset in the source of the first byte that is read.
    pub offset: u64,
    /// The maps and lists that are open there, outermost first. Their beginnings are not told, their ends
    /// are.
    pub open: Vec<Container>,
    /// What may come first.
    pub coming: Coming,
}

impl Start {
    /// At the root, where a value may come: the beginning of a document, of a line, or of a record.
    #[must_use]
    pub fn at_root(offset: u64) -> Self {
        Start { offset, open: Vec::new(), coming: Coming::Item }
    }
}

impl Reader {
    /// A reader that begins inside of a source.
    ///
    /// ```
    /// use penstock_core::json::{Coming, Container, Framing, Reader, Start, Step};
    /// use penstock_core::limits::Limits;
    /// use penstock_core::sink::Discard;
    ///
    /// let (whole, part) = ("[{\"id\": 1}, {\"id\": 2}]", "{\"id\": 2}]");
    /// let offset = (whole.len() - part.len()) as u64;
    /// let start = Start { offset, open: vec![Container::List], coming: Coming::Item };
    /// let mut reader = Reader::starting(Framing::Document, &Limits::default(), &start);
    /// assert_eq!(reader.run(part.into(), true, &mut Discard).unwrap(), Step::Done);
    /// assert_eq!(reader.offset(), whole.len() as u64);
    /// ```
    #[must_use]
    pub fn starting(framing: Framing, limits: &Limits, start: &Start) -> Self {
        let mut reader = Reader::new(framing, limits);
        reader.base = start.offset;
        reader.stack = start.open.iter().map(|open| *open == Container::Map).collect();
        reader.state = match (start.coming, start.open.last()) {
            (Coming::First | Coming::Item, None) => State::Root,
            (Coming::Separator, None) => State::After,
            (Coming::First, Some(Container::Map)) => State::FirstKey,
            (Coming::First, Some(Container::List)) => State::FirstElement,
            (Coming::Item, Some(Container::Map)) => State::Key,
            (Coming::Item, Some(Container::List)) => State::Value,
            (Coming::Separator, Some(_)) => State::Next,
        };
        reader
    }

    /// The place at which this reader [stands](Reader::offset), for another one to begin at: it would tell
    /// what this one would tell from here on. None where it cannot: between a key and its value, where
    /// something is skipped or looked over, behind a record separator, and where the way is lost.
    #[must_use]
    pub fn start_here(&self) -> Option<Start> {
        let is_taken = self.early.at != NO_TAG.at && self.early.end > self.offset();
        if self.skip_to != NOWHERE || self.looking.is_some() || is_taken || self.separated {
            return None;
        }
        let coming = match (self.state, self.stack.last()) {
            (State::Root, _) | (State::Key, _) | (State::Value, Some(false)) => Coming::Item,
            // Behind the separator of a sequence there is no other one.
            (State::Value, None) if self.framing != Framing::Sequence => Coming::Item,
            (State::FirstKey | State::FirstElement, _) => Coming::First,
            (State::Next | State::After, _) => Coming::Separator,
            _ => return None,
        };
        let kind = |is_map: &bool| if *is_map { Container::Map } else { Container::List };
        let open = self.stack.iter().map(kind).collect();
        Some(Start { offset: self.offset(), open, coming })
    }
}
