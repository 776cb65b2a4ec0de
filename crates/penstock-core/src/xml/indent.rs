//! Indentation that changes no text.
//!
//! White space may be added only in an element that contains no text. Whether it does is known at
//! its end, or at its first text. So the writer's text is held back from the first child element
//! on, and the places for line breaks are noted as slots. If text follows, the slots of the element
//! are forgotten, also those of elements inside it. At its end, they become line breaks.
//!
//! To use little memory, an element in whose first [`ENOUGH`] bytes there is no text is taken for
//! one without text. If text follows after all, the writer refuses it, unless it is white space.

use crate::options::Indent;
use crate::writer::{ENOUGH, Unwritable, make_room};

/// What is known of the content of an open element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// It has none yet.
    Empty,
    /// Only elements so far.
    Undecided,
    /// Only elements: it is indented.
    Indented,
    /// It contains text, or is inside an element that does.
    Plain,
}

#[derive(Clone, Copy, Debug)]
struct Element {
    layout: Layout,
    /// The index of its first slot, and the position of its first child.
    slot: usize,
    from: usize,
}

/// A place for a line break and the indentation after it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The position in the text that is held back.
    at: usize,
    depth: usize,
}

/// Breaks lines in the text of a writer.
#[derive(Debug)]
pub(super) struct Lines {
    indent: Indent,
    /// The text with its line breaks.
    pub(super) ready: Vec<u8>,
    open: Vec<Element>,
    slots: Vec<Slot>,
    /// The outermost undecided element.
    undecided: Option<usize>,
    /// How much of the text that is held back, and how many slots, are in `ready` already.
    done: usize,
    done_slots: usize,
}

impl Lines {
    pub(super) fn new(indent: Indent) -> Self {
        let (open, slots) = (Vec::new(), Vec::new());
        let ready = Vec::new();
        Lines { indent, ready, open, slots, undecided: None, done: 0, done_slots: 0 }
    }

    /// For a writer beside another one: so many elements are open, and all is decided.
    pub(super) fn beside(&self, open: usize) -> Self {
        Lines { open: self.open[..open].to_vec(), ..Lines::new(self.indent) }
    }

    /// An element begins. If it is known to contain only elements, it is `indented`.
    pub(super) fn begin(&mut self, indented: bool) -> Result<(), Unwritable> {
        let inside_text = self.open.last().is_some_and(|outer| outer.layout == Layout::Plain);
        let layout = match indented {
            _ if inside_text => Layout::Plain,
            true => Layout::Indented,
            false => Layout::Empty,
        };
        self.open.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.open.push(Element { layout, slot: 0, from: 0 });
        Ok(())
    }

    fn slot(&mut self, at: usize, depth: usize) -> Result<(), Unwritable> {
        self.slots.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.slots.push(Slot { at, depth });
        Ok(())
    }

    /// A child, a comment or an instruction begins, at the end of the text.
    pub(super) fn child(&mut self, text: &mut Vec<u8>) -> Result<(), Unwritable> {
        let depth = self.open.len();
        let Some(element) = self.open.last_mut() else { return Ok(()) };
        match element.layout {
            Layout::Plain => return Ok(()),
            Layout::Empty => {
                let (slot, from) = (self.slots.len(), text.len());
                *element = Element { layout: Layout::Undecided, slot, from };
                self.undecided.get_or_insert(depth - 1);
            }
            Layout::Undecided | Layout::Indented => {}
        }
        self.slot(text.len(), depth)?;
        while let Some(place) = self.undecided
            && text.len() - self.open[place].from > ENOUGH
        {
            self.open[place].layout = Layout::Indented;
            let next = self.open.get(place + 1);
            let is_undecided = next.is_some_and(|next| next.layout == Layout::Undecided);
            self.undecided = is_undecided.then_some(place + 1);
        }
        self.settle(text)
    }

    /// Text that is not empty begins; `blank` if it is white space.
    pub(super) fn text(&mut self, blank: bool) -> Result<(), Unwritable> {
        let Some(place) = self.open.len().checked_sub(1) else { return Ok(()) };
        match self.open[place].layout {
            Layout::Plain => return Ok(()),
            Layout::Indented if blank => return Ok(()),
            Layout::Empty => {}
            Layout::Undecided => {
                self.slots.truncate(self.open[place].slot);
                self.undecided = self.undecided.filter(|outermost| *outermost < place);
            }
            Layout::Indented => {
                return Err(Unwritable::value(
                    "text after so many child elements that these are already indented: \
                     write the document without indentation",
                ));
            }
        }
        self.open[place].layout = Layout::Plain;
        Ok(())
    }

    /// The innermost element ends: its end tag begins at the end of the text, unless it is `empty`.
    pub(super) fn end(&mut self, text: &[u8], empty: bool) -> Result<(), Unwritable> {
        let Some(element) = self.open.pop() else { return Ok(()) };
        self.undecided = self.undecided.filter(|outermost| *outermost < self.open.len());
        match element.layout {
            Layout::Undecided | Layout::Indented if !empty => {
                self.slot(text.len(), self.open.len())
            }
            _ => Ok(()),
        }
    }

    /// Moves everything that is decided to `ready`.
    pub(super) fn settle(&mut self, text: &mut Vec<u8>) -> Result<(), Unwritable> {
        let (end, slots) = match self.undecided {
            None => (text.len(), self.slots.len()),
            Some(place) => (self.open[place].from, self.open[place].slot),
        };
        for index in self.done_slots..slots {
            let Slot { at, depth } = self.slots[index];
            self.pass(text, at)?;
            make_room(&mut self.ready, self.indent.width(depth) + 1)?;
            self.indent.line(depth, &mut self.ready);
        }
        self.done_slots = self.done_slots.max(slots);
        self.pass(text, end)?;
        if self.undecided.is_none() {
            text.clear();
            self.slots.clear();
            (self.done, self.done_slots) = (0, 0);
        } else if self.done > ENOUGH {
            self.shift(text);
        }
        Ok(())
    }

    /// Moves the text up to a position to `ready`.
    fn pass(&mut self, text: &[u8], to: usize) -> Result<(), Unwritable> {
        if to > self.done {
            make_room(&mut self.ready, to - self.done)?;
            self.ready.extend_from_slice(&text[self.done..to]);
            self.done = to;
        }
        Ok(())
    }

    /// Drops the text and the slots that were moved. There is at least as much of them as of what
    /// must be shifted.
    fn shift(&mut self, text: &mut Vec<u8>) {
        text.drain(..self.done);
        self.slots.drain(..self.done_slots);
        for slot in &mut self.slots {
            slot.at -= self.done;
        }
        for element in &mut self.open {
            if element.layout == Layout::Undecided {
                element.from -= self.done;
                element.slot -= self.done_slots;
            }
        }
        (self.done, self.done_slots) = (0, 0);
    }

    /// Forgets the text that is held back, and that `ready` has beyond `length`. So many elements
    /// stay open.
    pub(super) fn abandon(&mut self, text: &mut Vec<u8>, length: usize, open: usize) {
        text.clear();
        self.slots.clear();
        (self.done, self.done_slots, self.undecided) = (0, 0, None);
        self.open.truncate(open);
        self.ready.truncate(length);
    }
}
