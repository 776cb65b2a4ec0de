//! A document together with its text, from which its values can be read.

use super::own::{self, Own};
use super::places::closing_quote;
use super::shapes::{NodeId, Table};
use super::{Document, Header};
use crate::path_step::PathStep;
use crate::protocol::Duplicates;
use crate::value::number;
use crate::word::{Decimal, Tag, Word};
use penstock_scan::{TextBuf, ValidText, check_reserve, make_room, unescape_json};
use std::ops::Range;
use std::sync::Arc;

/// A document and the text from which it was made.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) document: &'a Document,
    pub(super) text: ValidText<'a>,
}

/// A value of a document.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer inside its word.
    Int(i64),
    /// Any other number.
    Number(Number<'a>),
    /// A string.
    Text(Text<'a>),
    /// An object.
    Map(Map<'a>),
    /// An array.
    List(List<'a>),
}

/// A number that is not a small integer.
#[derive(Clone, Copy, Debug)]
pub enum Number<'a> {
    /// A number inside its word: with a fraction, without an exponent.
    Parts(Decimal),
    /// The digits, and their position in the text.
    Digits(&'a [u8], usize),
}

/// A string or a key.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// Inside its word.
    Short(Word),
    /// In the text, without escapes.
    Plain(ValidText<'a>),
    /// In the text, with escapes to resolve.
    Escaped(ValidText<'a>),
}

impl<'a> Text<'a> {
    /// The text of a string's word.
    pub(super) fn of(word: Word, text: ValidText<'a>) -> Self {
        let raw = || {
            let from = word.offset() as usize;
            let to = word
                .length()
                .map_or_else(|| closing_quote(text.as_bytes(), from), |length| from + length);
            text.slice(from..to)
        };
        match word.tag() {
            Tag::Text => Text::Plain(raw()),
            Tag::Escaped => Text::Escaped(raw()),
            _ => Text::Short(word),
        }
    }

    /// The text. `room` is used if the text is not stored in one piece.
    pub fn resolve<'r>(&'r self, room: &'r mut TextBuf) -> ValidText<'r> {
        match self {
            Text::Plain(text) => *text,
            Text::Short(word) => {
                room.clear();
                if let Some(text) = word.as_short().as_str() {
                    room.push_text(text.into());
                }
                room.text()
            }
            Text::Escaped(raw) => {
                room.clear();
                // The reader has checked the escapes.
                let _ = unescape_json(*raw, room);
                room.text()
            }
        }
    }
}

/// A map or list.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    view: View<'a>,
    /// The position of its header.
    index: usize,
    header: Header,
    /// The tag of its words: a map's or a list's.
    tag: Tag,
}

impl<'a> Container<'a> {
    /// A number that distinguishes it from the other containers of its document.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.index as u64
    }
    /// True for a map.
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.tag == Tag::Map
    }
    /// Its word.
    #[must_use]
    pub fn word(&self) -> Word {
        Word::spilled(self.tag, self.index as u64, 0)
    }
    /// Its position in the text, with its brackets.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.header.at as usize..self.header.end as usize
    }
    /// The document that it is in.
    #[must_use]
    pub fn view(&self) -> View<'a> {
        self.view
    }

    /// How many values it has, those of repeated keys included.
    #[must_use]
    pub fn slots(&self) -> usize {
        match self.tag {
            Tag::Map if self.header.content & 1 == 1 => (self.header.content >> 1) as usize,
            Tag::Map => self.view.document.shapes.keys(self.node()),
            _ => self.header.content as usize,
        }
    }

    fn node(&self) -> NodeId {
        (self.header.content >> 1) as NodeId
    }

    /// Its values.
    pub(super) fn values(&self) -> &'a [u64] {
        let from = self.index + Header::WORDS;
        &self.view.document.arena[from..from + self.slots()]
    }

    /// The value at a position among all of them.
    #[must_use]
    pub fn slot(&self, slot: usize) -> Option<Word> {
        self.values().get(slot).map(|bits| Word::from_bits(*bits))
    }

    /// The step to the value at a position.
    #[must_use]
    pub fn step(&self, slot: usize) -> PathStep {
        if !self.is_map() {
            return PathStep::Index(slot as u64);
        }
        let mut room = TextBuf::new();
        let name = match Map(*self).keys() {
            Keys::Own(own) => own.key(slot).resolve(&mut room).as_str().to_owned(),
            Keys::Shared(shapes_node) => {
                let shapes = &self.view.document.shapes;
                let back = self.slots() - 1 - slot.min(self.slots() - 1);
                let node = shapes.ancestry(shapes_node).nth(back);
                node.map_or_else(String::new, |node| shapes.name(node).to_owned())
            }
        };
        PathStep::Key(name)
    }
}

/// A map.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a>(pub Container<'a>);

/// A list.
#[derive(Clone, Copy, Debug)]
pub struct List<'a>(pub Container<'a>);

/// A key of a map, with its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The key.
    pub key: Text<'a>,
    /// The value that counts for it.
    pub value: Word,
    /// The position of that value among all of the map's.
    pub slot: usize,
}

/// Where the keys of a map are stored.
enum Keys<'a> {
    Shared(NodeId),
    Own(Own<'a>),
}

impl<'a> Map<'a> {
    fn keys(&self) -> Keys<'a> {
        let Container { view, index, header, .. } = self.0;
        if header.content & 1 == 0 {
            return Keys::Shared(self.0.node());
        }
        let count = self.0.slots();
        let from = index + Header::WORDS + count;
        Keys::Own(Own::new(view, index, &view.document.arena[from..from + count]))
    }

    fn table(&self, node: NodeId) -> &'a Table {
        let document = self.0.view.document;
        let first = document.duplicates == Duplicates::First;
        document.tables[node as usize]
            .get_or_init(|| Box::new(Table::new(&document.shapes, node, first)))
    }

    /// How many distinct keys it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.distinct().len()
    }
    /// True if it has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.slots() == 0
    }

    /// The position of the value that counts for a key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<usize> {
        match self.keys() {
            Keys::Shared(node) => self.table(node).find(key),
            Keys::Own(own) => own.find(key),
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Word> {
        self.0.slot(self.find(key)?)
    }

    /// Its distinct keys, in the order of their first occurrence.
    #[must_use]
    pub fn distinct(&self) -> Distinct<'a> {
        let map = self.0;
        match self.keys() {
            Keys::Shared(node) => Distinct::Shared(map, self.table(node)),
            Keys::Own(own) => {
                let index = own.distinct();
                Distinct::Own(map, own, index)
            }
        }
    }
}

/// The distinct keys of a map.
#[derive(Clone, Debug)]
pub enum Distinct<'a> {
    /// Shared keys.
    #[doc(hidden)]
    Shared(Container<'a>, #[doc(hidden)] &'a Table),
    /// The map's own keys.
    #[doc(hidden)]
    Own(Container<'a>, Own<'a>, Option<Arc<own::Index>>),
}

impl<'a> Distinct<'a> {
    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Distinct::Shared(_, table) => table.len(),
            Distinct::Own(map, _, index) => {
                index.as_ref().and_then(|index| index.distinct()).unwrap_or(map.slots())
            }
        }
    }
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// A key with its value.
    #[must_use]
    pub fn entry(&self, at: usize) -> Option<Entry<'a>> {
        let (key, slot, map) = match self {
            Distinct::Shared(map, table) => {
                let (node, slot) = table.entry(at)?;
                (Text::Plain(map.view.document.shapes.name(node).into()), slot, map)
            }
            Distinct::Own(map, own, index) => {
                let (first, slot) = match index {
                    Some(index) => index.entry(at)?,
                    None => (at, at),
                };
                if first >= map.slots() {
                    return None;
                }
                (own.key(first), slot, map)
            }
        };
        Some(Entry { key, value: map.slot(slot)?, slot })
    }
}

impl<'a> List<'a> {
    /// How many values it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.slots()
    }
    /// True if it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The value at a position.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Word> {
        self.0.slot(at)
    }
}

impl<'a> View<'a> {
    /// A document and its text. It must be the text from which the document was gathered; otherwise
    /// the results mean nothing.
    #[must_use]
    pub fn new(document: &'a Document, text: ValidText<'a>) -> Self {
        View { document, text }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> ValidText<'a> {
        self.text
    }

    /// The position of the document's value, with the white space around it.
    #[must_use]
    pub fn whole(&self) -> Range<usize> {
        0..self.text.as_bytes().len()
    }

    /// The word of the whole document.
    #[must_use]
    pub fn root(&self) -> Word {
        self.document.root
    }

    /// The map or list of a word, if it has one.
    #[must_use]
    pub fn container(&self, word: Word) -> Option<Container<'a>> {
        let tag = word.tag();
        if !matches!(tag, Tag::Map | Tag::List) {
            return None;
        }
        let index = word.offset() as usize;
        let bits = self.document.arena.get(index..)?.first_chunk()?;
        Some(Container { view: *self, index, header: Header::from_bits(*bits), tag })
    }

    /// The value of a word of the document.
    #[must_use]
    pub fn value(&self, word: Word) -> Value<'a> {
        match word.tag() {
            Tag::Bool => Value::Bool(word.as_bool()),
            Tag::Integer => Value::Int(word.as_int()),
            Tag::Decimal => match word.as_decimal() {
                // `-0`
                Decimal { scale: 0, .. } => Value::Int(0),
                decimal => Value::Number(Number::Parts(decimal)),
            },
            Tag::Number => {
                let from = word.offset() as usize;
                let to = number::scan(self.text.as_bytes(), from).end;
                Value::Number(Number::Digits(&self.text.as_bytes()[from..to], from))
            }
            Tag::Short | Tag::Text | Tag::Escaped => Value::Text(self.string(word)),
            Tag::Map | Tag::List => match self.container(word) {
                Some(map) if map.is_map() => Value::Map(Map(map)),
                Some(list) => Value::List(List(list)),
                None => Value::Null,
            },
            // Tags that no word of a document has.
            _ => Value::Null,
        }
    }

    /// The text of a string's word.
    pub(super) fn string(&self, word: Word) -> Text<'a> {
        Text::of(word, self.text)
    }

    /// The path from the root to a map or list: the steps of each container around it.
    #[must_use]
    pub fn path(&self, to: &Container<'_>) -> Vec<PathStep> {
        let mut path = Vec::new();
        let mut at = self.container(self.root());
        while let Some(outer) = at {
            if outer.index == to.index {
                return path;
            }
            at = self.holder(&outer, to.header.at).map(|(slot, inner)| {
                check_reserve();
                make_room(&mut path, 1);
                path.push(outer.step(slot));
                inner
            });
        }
        path
    }

    /// The value of a container that contains a byte, and its position. The values are in the order
    /// of the text, so it is the last map or list that begins at or before the byte.
    fn holder(&self, outer: &Container<'a>, byte: u64) -> Option<(usize, Container<'a>)> {
        let values = outer.values();
        let (mut low, mut high, mut holder) = (0, values.len(), None);
        while low < high {
            let middle = low + (high - low) / 2;
            let mut next = values[middle..high].iter().zip(middle..).filter_map(|(bits, slot)| {
                self.container(Word::from_bits(*bits)).map(|inner| (slot, inner))
            });
            match next.next() {
                Some((slot, inner)) if inner.header.at <= byte => {
                    (low, holder) = (slot + 1, Some((slot, inner)));
                }
                _ => high = middle,
            }
        }
        holder
    }
}
