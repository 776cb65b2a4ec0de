//! Starting inside a document: what a reader must know of the text before.
//!
//! A long document is read in parts at once, each by its own reader. The beginning of a part may be a guess: in the
//! end, the reader of the part before tells its position ([`Reader::start_here`]), which must be where the next part
//! began.

use super::comment::Comment;
use super::framing::Framing;
use super::look::NO_TAG;
use super::reader::{NOWHERE, Reader, State};
use crate::limits::Limits;
use penstock_scan::gathered;

/// A map or a list that is open where a reader starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An object.
    Map,
    /// An array.
    List,
}

/// The tokens that may come first, depending on the text directly before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coming {
    /// After `{` or `[`: a member or an element, or the end of the map or list.
    First,
    /// After a comma: a member or an element. At the root, where no map or list is open: a value, or the end of a
    /// stream of values. So this is also the beginning of a document and of a line.
    Item,
    /// After a member or an element: a comma, or the end of the map or list. At the root: what may follow a value.
    Separator,
}

/// The position where a reader starts.
///
/// It has no counts of lines and records, because a reader counts only bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The offset in the source of the first byte to read.
    pub offset: u64,
    /// The maps and lists that are open at this position, outermost first. The reader does not report their beginnings,
    /// but does report their ends.
    pub open: Vec<Container>,
    /// The tokens that may come first.
    pub coming: Coming,
}

impl Start {
    /// A position at the root, where a value may come: the beginning of a document, of a line, or
    /// of a record.
    #[must_use]
    pub fn at_root(offset: u64) -> Self {
        Start { offset, open: Vec::new(), coming: Coming::Item }
    }
}

impl Reader {
    /// A reader that starts inside a source.
    ///
    /// ```
    /// use penstock_core::json::{Coming, Container, Framing, Reader, Start, Step};
    /// use penstock_core::limits::Limits;
    /// use penstock_core::protocol::Discard;
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
        (reader.base, reader.begun) = (start.offset, start.offset);
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

    /// The position of this [reader](Reader::offset), for another reader to start at: that one would report the same
    /// events as this one from here on. None if that is impossible: between a key and its value, while skipping or
    /// looking ahead, after a record separator, and while the reader is lost.
    #[must_use]
    pub fn start_here(&self) -> Option<Start> {
        if self.comment != Comment::None {
            return None;
        }
        let is_taken = self.early.at != NO_TAG.at && self.early.end > self.offset();
        if self.skip_to != NOWHERE || self.looking.is_some() || is_taken || self.separated {
            return None;
        }
        let coming = match (self.state, self.stack.last()) {
            (State::Root, _) | (State::Key, _) | (State::Value, Some(false)) => Coming::Item,
            // After the separator of a sequence there must be no second one.
            (State::Value, None) if self.framing != Framing::Sequence => Coming::Item,
            (State::FirstKey | State::FirstElement, _) => Coming::First,
            (State::Next | State::After, _) => Coming::Separator,
            _ => return None,
        };
        let kind = |is_map: &bool| if *is_map { Container::Map } else { Container::List };
        let open = self.stack.iter().map(kind).collect();
        Some(Start { offset: self.offset(), open, coming })
    }

    /// A reader before any element of the innermost of the outermost `depth` lists and maps that are
    /// open here, which must be a list; without any, before any line. It has no position. None if
    /// elements cannot be found there without those before.
    pub(crate) fn beside(&self, depth: usize) -> Option<Self> {
        self.inside(&self.open_around(depth)?)
    }

    /// The outermost `depth` lists and maps that are open here. None if a value in there depends on
    /// what comes before it: on its key, or on the lines.
    pub(crate) fn open_around(&self, depth: usize) -> Option<Vec<Container>> {
        // Where a record begins cannot be told from a comment that says the same.
        if self.comments {
            return None;
        }
        let kind = |is_map: &bool| if *is_map { Container::Map } else { Container::List };
        let open = gathered(self.stack.get(..depth)?.iter().map(kind));
        let is_free = match (self.framing, open.last()) {
            (Framing::Lines, None) => true,
            (Framing::Document, last) => last == Some(&Container::List),
            _ => false,
        };
        is_free.then_some(open)
    }

    /// Whether it stands behind an element of a list, in a document, inside of so many lists and maps.
    pub(crate) fn is_behind_item(&self, depth: usize) -> bool {
        !self.comments
            && (self.state, self.stack.len()) == (State::Next, depth)
            && self.stack.last() == Some(&false)
            && (self.framing, self.skip_to) == (Framing::Document, NOWHERE)
            && self.looking.is_none()
            && self.early.at == NO_TAG.at
    }

    /// Whether it stands behind the value of a line.
    pub(crate) fn is_behind_line(&self) -> bool {
        (self.state, self.framing, self.skip_to) == (State::After, Framing::Lines, NOWHERE)
            && self.stack.is_empty()
            && self.looking.is_none()
            && self.trailing == 0
    }

    /// A reader as this one, without a position, before an element of a list that is in these lists
    /// and maps, or before a line.
    pub(crate) fn inside(&self, open: &[Container]) -> Option<Self> {
        let state = match (self.framing, open.last()) {
            (Framing::Lines, None) => State::Root,
            (Framing::Document, Some(Container::List)) => State::Value,
            _ => return None,
        };
        Some(self.starting_as(open, state))
    }

    /// A reader as this one, without a position, behind a value that is in these lists and maps.
    pub(crate) fn behind(&self, open: &[Container]) -> Option<Self> {
        let state = match (self.framing, open.is_empty()) {
            (Framing::Lines | Framing::Document, true) => State::After,
            (Framing::Document, false) => State::Next,
            _ => return None,
        };
        Some(self.starting_as(open, state))
    }

    fn starting_as(&self, open: &[Container], state: State) -> Self {
        Reader {
            state,
            stack: gathered(open.iter().map(|open| *open == Container::Map)),
            non_finite: self.non_finite,
            comments: self.comments,
            depth_limit: self.depth_limit,
            token_limit: self.token_limit,
            number_limit: self.number_limit,
            look_limit: self.look_limit,
            ..Reader::new(self.framing, &Limits::default())
        }
    }
}
