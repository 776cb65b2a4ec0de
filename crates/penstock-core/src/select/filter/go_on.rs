//! Where a filter goes on in the middle of a document, and what is known of the records that follow.

use penstock_scan::{gathered, make_room};

use super::{Frame, Place, Select};
use crate::event::{Key, KeyKind, Text};
use crate::protocol::{Listener, Sink};
use crate::select::automaton::{NameEdge, State};
use crate::select::open::{At, Open, SOMEWHERE};

/// The children of an element, by their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Children<'s>(&'s State);

impl Children<'_> {
    /// Whether all of them are records.
    pub(crate) fn are_all_records(self) -> bool {
        let State { elements, other, .. } = self.0;
        elements.is_empty() && other.is_some_and(|to| to.accept.is_some())
    }

    /// Whether those of this name, behind this prefix, are records. None if records may be in them.
    pub(crate) fn is_record(self, prefix: Option<&str>, name: &str) -> Option<bool> {
        let (name, prefix) = (Text::from(name), prefix.map(Text::from));
        let key = Key { name, namespace: None, prefix, kind: KeyKind::Element };
        match self.0.key(&key) {
            None => Some(false),
            Some(to) => to.accept.is_some().then_some(true),
        }
    }
}

impl<S: Listener> Select<S> {
    /// Where the last record began that is a map or a list.
    pub(crate) fn last(&self) -> Option<u64> {
        self.last.map(|(at, _)| at)
    }

    /// A filter in front of another sink, for a reader that begins at a record in the same
    /// containers as the last one. It counts from there. None if these are not open any more, and if
    /// records are found by their positions.
    pub(crate) fn beside<T: Listener>(&self, inner: T) -> Option<Select<T>> {
        let (_, frames) = self.last?;
        if frames != self.frames.len() {
            return None;
        }
        let mut beside = Select::new(inner, self.records.clone());
        beside.last = self.last;
        beside.frames.clone_from(&self.frames);
        beside.keys.clone_from(&self.keys);
        let top = beside.top();
        if let Place::List(begun) = &mut top.at {
            *begun = 0;
        }
        let state = top.state as usize;
        beside.records.states()[state].indexes.is_empty().then_some(beside)
    }

    /// Whether both are outside of a record, in the same containers.
    pub(crate) fn goes_on_as<T: Listener>(&self, other: &Select<T>) -> bool {
        let ([outer @ .., one], [others @ .., other_one]) = (&self.frames[..], &other.frames[..])
        else {
            return false;
        };
        let places = |frame: &Frame| (frame.state, frame.at);
        (self.depth, other.depth) == (0, 0)
            && outer.iter().map(places).eq(others.iter().map(places))
            && one.state == other_one.state
            && self.keys[..one.key] == other.keys[..other_one.key]
    }

    /// What is open outside of the record that has just begun, as it was before that.
    pub(crate) fn open(&self) -> Vec<Open> {
        let last = self.frames.len() - 1;
        let open = |(place, frame): (usize, &Frame)| Open {
            state: frame.state,
            at: match frame.at {
                Place::List(begun) if place == last => At::List(begun.saturating_sub(1)),
                Place::List(begun) => At::List(begun),
                Place::Start => At::Start,
                Place::Key(_) if place == last => At::Start,
                Place::Key(kind) => At::Key(kind, self.keys[self.key_range(place)].to_owned()),
            },
        };
        gathered(self.frames.iter().enumerate().map(open))
    }

    /// What is open outside of the record that has just ended.
    pub(crate) fn open_behind(&self) -> Vec<Open> {
        let mut open = self.open();
        if let (
            Some(Open { at: At::List(before), .. }),
            Some(Frame { at: Place::List(begun), .. }),
        ) = (open.last_mut(), self.frames.last())
        {
            *before = *begun;
        }
        open
    }

    /// Before anything is read: goes on where so much is open, behind so many records. False if that
    /// is not a place of this path.
    pub(crate) fn go_on(&mut self, open: &[Open], records: u64) -> bool {
        let states = self.records.states().len();
        if open.is_empty() || open.iter().any(|open| open.state as usize >= states) {
            return false;
        }
        self.frames.clear();
        self.keys.clear();
        make_room(&mut self.frames, open.len());
        for open in open {
            let key = self.keys.len();
            let at = match &open.at {
                At::Start => Place::Start,
                At::List(begun) => Place::List(*begun),
                At::Key(kind, name) => {
                    make_room(&mut self.keys, name.len());
                    self.keys.push_str(name);
                    Place::Key(*kind)
                }
            };
            self.frames.push(Frame { state: open.state, key, at });
        }
        self.met = records;
        true
    }

    /// The same behind nobody knows how many records, [somewhere](SOMEWHERE) in the innermost list.
    /// False, too, if records are found by their positions in it.
    pub(crate) fn go_on_somewhere(&mut self, open: &[Open]) -> bool {
        if !self.go_on(open, 0) {
            return false;
        }
        let top = self.top();
        if let Place::List(begun) = &mut top.at {
            *begun = SOMEWHERE;
        }
        let state = top.state as usize;
        self.records.states()[state].indexes.is_empty()
    }

    /// Counts what [another](Self::beside) has counted.
    pub(crate) fn pass<T: Listener>(&mut self, other: &Select<T>) {
        self.met += other.met;
        if let (Place::List(begun), Some(Place::List(more))) =
            (&mut self.top().at, other.frames.last().map(|frame| frame.at))
        {
            *begun += more;
        }
    }

    /// Whether the container around the record that has just begun has only records from there on,
    /// whatever its keys or the positions of its items are.
    pub(crate) fn only_records_follow(&self) -> bool {
        let Some(frame) = self.frames.last().filter(|_| self.frames.len() > 1) else {
            return false;
        };
        let State { keys, indexes, elements, attributes, other, .. } =
            &self.records.states()[frame.state as usize];
        let bare = keys.is_empty() && indexes.is_empty();
        let bare = bare && elements.is_empty() && attributes.is_empty();
        bare && other.is_some_and(|target| target.accept.is_some())
    }

    /// Leaves the record that has begun, and counts so many that follow it in the same container.
    pub(crate) fn leave_records(&mut self, count: u64) {
        self.abandon();
        self.pass_records(count);
    }

    /// Whether all items of the list in which the reader is between two of them are records.
    pub(crate) fn takes_items(&self) -> bool {
        self.depth == 0
            && self.frames.last().is_some_and(|frame| {
                let state = &self.records.states()[frame.state as usize];
                let is_record = state.other.is_some_and(|to| to.accept.is_some());
                matches!(frame.at, Place::List(_)) && state.indexes.is_empty() && is_record
            })
    }

    /// Which children of the element in which the reader is between two of them are records, if
    /// that is a question of their names alone, and not of their namespaces.
    pub(crate) fn children(&self) -> Option<Children<'_>> {
        let frame = self.frames.last().filter(|_| self.depth == 0)?;
        let state = &self.records.states()[frame.state as usize];
        let is_plain = |edge: &NameEdge| edge.namespace.is_none();
        let is_known = matches!(frame.at, Place::Key(KeyKind::Element))
            && self.frames.len() > 1
            && state.elements.iter().all(is_plain);
        is_known.then_some(Children(state))
    }

    /// Counts so many records that were passed behind the last one, in the same list or element.
    pub(crate) fn pass_records(&mut self, records: u64) {
        self.met += records;
        if let Place::List(begun) = &mut self.top().at {
            *begun += records;
        }
    }
}
