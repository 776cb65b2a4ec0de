//! The sink that makes words of a document, in one pass.

use super::Text as KeyText;
use super::shapes::{EMPTY, NodeId, Shapes};
use super::{Document, Header, MOST_TEXT};
use crate::event::{Key, Scalar, Text};
use crate::path_step::PathStep;
use crate::protocol::Duplicates;
use crate::protocol::{Flow, Hints, LookAhead, Sink, Want};
use crate::value::number::Outcome;
use crate::word::{Tag, Word};
use penstock_scan::{TextBuf, ValidText, check_reserve, copied, make_room};
use std::collections::HashSet;

/// The reason why a document cannot be gathered although its text is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The key at this offset is repeated in its map, and that is an error.
    Again(u64),
    /// There is no memory for the words.
    Memory,
    /// The text is longer than words can point into.
    TooLong(u64),
    /// The value at this offset has a kind that no word of a text can hold.
    Foreign(u64),
}

/// The kind of an open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No container: the root.
    Root,
    /// A map whose keys are shared.
    Shared,
    /// A map that stores its own keys.
    Own,
    /// A list.
    List,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    /// For a map with shared keys: its keys so far. For the others: the node from which the keys of
    /// their inner maps are predicted.
    node: NodeId,
    /// The keys so far, with the predicted one.
    next: NodeId,
    /// The node of the outer container at which this container begins.
    place: NodeId,
    /// The beginning of its values on the stack.
    values: usize,
    /// The beginning of its keys among those of maps that store their own.
    keys: usize,
    /// The offset of its bracket.
    at: u64,
}

/// Gathers the words of a document. Values wait on a stack until their container ends, so that it
/// gets all of its values in a row.
#[derive(Debug)]
pub struct Gather {
    top: Frame,
    frames: Vec<Frame>,
    values: Vec<Word>,
    keys: Vec<Word>,
    arena: Vec<u64>,
    shapes: Shapes,
    duplicates: Duplicates,
    /// The keys of the open maps that store their own, if a repeated key is an error.
    seen: Vec<HashSet<Box<str>>>,
    /// `limits.memory`, which the text counts for too.
    pub(super) most: Option<u64>,
}

type Answer = Result<Flow, Refusal>;

impl Gather {
    /// A sink that has gathered nothing.
    #[must_use]
    pub fn new(duplicates: Duplicates) -> Self {
        let top = Frame {
            kind: Kind::Root,
            node: EMPTY,
            next: EMPTY,
            place: EMPTY,
            values: 0,
            keys: 0,
            at: 0,
        };
        Gather {
            top,
            frames: Vec::new(),
            values: Vec::new(),
            keys: Vec::new(),
            arena: Vec::new(),
            shapes: Shapes::default(),
            duplicates,
            seen: Vec::new(),
            most: None,
        }
    }

    /// The same, which may take so many bytes of memory together with the text.
    #[must_use]
    pub fn within(self, most: Option<u64>) -> Self {
        Gather { most, ..self }
    }

    /// How many bytes the words and the keys take.
    pub(super) fn memory(&self) -> usize {
        let words = self.arena.len() + self.values.len() + self.keys.len();
        size_of::<u64>() * words + self.shapes.memory()
    }

    /// The document, when the reader has read it; none if its value is not complete.
    #[must_use]
    pub fn finish(mut self) -> Option<Document> {
        let root = self.values.pop().filter(|_| self.frames.is_empty())?;
        self.arena.shrink_to_fit();
        Some(Document::new(root, self.arena, self.shapes, self.duplicates))
    }

    /// The path to the current value.
    #[must_use]
    pub fn path(&self, text: ValidText<'_>) -> Vec<PathStep> {
        let mut path = Vec::new();
        for (depth, frame) in self.frames.iter().chain([&self.top]).enumerate().skip(1) {
            let inner =
                self.frames.get(depth + 1).or((depth < self.frames.len()).then_some(&self.top));
            let values = inner.map_or(self.values.len(), |inner| inner.values) - frame.values;
            let keys = inner.map_or(self.keys.len(), |inner| inner.keys);
            // Containers may be very deep, and each step is small.
            check_reserve();
            make_room(&mut path, 1);
            match frame.kind {
                Kind::Root => {}
                Kind::List => path.push(PathStep::Index(values as u64)),
                Kind::Shared if self.shapes.keys(frame.node) > values => {
                    path.push(PathStep::Key(self.shapes.name(frame.node).to_owned()));
                }
                Kind::Own if keys - frame.keys > values => {
                    let mut room = TextBuf::new();
                    let name = KeyText::of(self.keys[keys - 1], text);
                    path.push(PathStep::Key(name.resolve(&mut room).as_str().to_owned()));
                }
                Kind::Shared | Kind::Own => {}
            }
        }
        path
    }

    #[inline(always)]
    fn push(&mut self, word: Word) -> Answer {
        if self.values.len() == self.values.capacity() {
            self.grow()?;
        }
        self.values.push(word);
        Ok(Flow::Take)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Refusal> {
        self.values.try_reserve(1).map_err(|_| Refusal::Memory)
    }

    #[inline(always)]
    fn begin(&mut self, kind: Kind, at: u64) -> Answer {
        let place = self.top.node;
        let (node, next) = match kind {
            Kind::Shared => (EMPTY, self.shapes.inside(place)),
            _ => (place, EMPTY),
        };
        let (values, keys) = (self.values.len(), self.keys.len());
        let top = Frame { kind, node, next, place, values, keys, at };
        make_room(&mut self.frames, 1);
        self.frames.push(std::mem::replace(&mut self.top, top));
        Ok(Flow::Take)
    }

    /// Moves the current container to the arena.
    #[inline(always)]
    fn end(&mut self, end: u64) -> Answer {
        let Frame { kind, node, values: from, keys, at, .. } = self.top;
        if end >= MOST_TEXT {
            return Err(Refusal::TooLong(end));
        }
        let count = self.values.len() - from;
        let own = if kind == Kind::Own { count } else { 0 };
        let (tag, content) = match kind {
            Kind::Shared => (Tag::Map, Header::shared(node)),
            Kind::Own => (Tag::Map, Header::own(count)),
            Kind::List | Kind::Root => (Tag::List, count as u64),
        };
        let index = self.arena.len() as u64;
        if self.arena.capacity() - self.arena.len() < count + own + Header::WORDS {
            self.grow_arena(count + own + Header::WORDS)?;
        }
        self.arena.extend(Header { at, end: end + 1, content }.bits());
        self.arena.extend(self.values[from..].iter().map(|word| word.bits()));
        if kind == Kind::Own {
            self.end_own(keys);
        }
        self.values.truncate(from);
        if let Some(outer) = self.frames.pop() {
            self.top = outer;
        }
        self.push(Word::spilled(tag, index, 0))
    }

    fn end_own(&mut self, keys: usize) {
        self.arena.extend(self.keys[keys..].iter().map(|word| word.bits()));
        self.keys.truncate(keys);
        if self.duplicates == Duplicates::Error {
            self.seen.pop();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow_arena(&mut self, more: usize) -> Result<(), Refusal> {
        self.arena.try_reserve(more).map_err(|_| Refusal::Memory)
    }

    /// A key that was not predicted.
    #[inline(never)]
    fn other_key(&mut self, name: Text<'_>, raw: Text<'_>, at: u64) -> Answer {
        let (name, length) = (name.text.as_str(), raw.bytes().len());
        let tag = if name.len() == length { Tag::Text } else { Tag::Escaped };
        let key = Word::short(name.as_bytes()).unwrap_or(Word::spilled(tag, at + 1, length));
        if self.top.kind == Kind::Shared {
            let Frame { node, place, .. } = self.top;
            if let Some(node) = self.shapes.follow(node, place, name, key) {
                self.top.node = node;
                self.top.next = self.shapes.next(node);
                if self.shapes.again(node) && self.duplicates == Duplicates::Error {
                    return Err(Refusal::Again(at));
                }
                return Ok(Flow::Take);
            }
            self.top.kind = Kind::Own;
            self.top.next = EMPTY;
            self.shapes.push_keys(node, &mut self.keys);
            if self.duplicates == Duplicates::Error {
                let names = self.shapes.ancestry(node).map(|id| self.shapes.name(id).into());
                let mut seen = HashSet::new();
                seen.try_reserve(self.shapes.keys(node)).map_err(|_| Refusal::Memory)?;
                seen.extend(names);
                self.seen.push(seen);
            }
        }
        self.keys.try_reserve(1).map_err(|_| Refusal::Memory)?;
        self.keys.push(key);
        if self.duplicates == Duplicates::Error
            && let Some(seen) = self.seen.last_mut()
        {
            seen.try_reserve(1).map_err(|_| Refusal::Memory)?;
            if !seen.insert(copied(name).into()) {
                return Err(Refusal::Again(at));
            }
        }
        Ok(Flow::Take)
    }

    #[cold]
    #[inline(never)]
    fn long_number(&mut self, digits: &[u8], at: u64) -> Answer {
        self.push(Word::spilled(Tag::Number, at, digits.len()))
    }
}

impl Sink for Gather {
    type Error = Refusal;

    #[inline(always)]
    fn begin_map(&mut self, at: u64) -> Answer {
        self.begin(Kind::Shared, at)
    }
    #[inline(always)]
    fn end_map(&mut self, at: u64) -> Answer {
        self.end(at)
    }
    #[inline(always)]
    fn begin_list(&mut self, at: u64) -> Answer {
        self.begin(Kind::List, at)
    }
    #[inline(always)]
    fn end_list(&mut self, at: u64) -> Answer {
        self.end(at)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.other_key(key.name, key.name, at)
    }
    #[inline(always)]
    fn written_key(&mut self, key: Text<'_>, raw: Text<'_>, at: u64) -> Answer {
        self.other_key(key, raw, at)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        match value {
            Scalar::Null => self.null(at),
            Scalar::Bool(value) => self.boolean(value, at),
            Scalar::Int(value) => self.int(value, at),
            // A reader of text reports strings and numbers as they are written. Words can only
            // point to those.
            Scalar::Float(_)
            | Scalar::Number(_)
            | Scalar::Text(_)
            | Scalar::Untyped(_)
            | Scalar::Decimal(_)
            | Scalar::Bytes(_)
            | Scalar::Date(_)
            | Scalar::Time(_)
            | Scalar::DateTime(_)
            | Scalar::Since2001(_)
            | Scalar::Duration(_)
            | Scalar::Uuid(_)
            | Scalar::Uid(_) => Err(Refusal::Foreign(at)),
        }
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}

    #[inline(always)]
    fn null(&mut self, _at: u64) -> Answer {
        self.push(Word::null())
    }
    #[inline(always)]
    fn boolean(&mut self, value: bool, _at: u64) -> Answer {
        self.push(Word::boolean(value))
    }
    #[inline(always)]
    fn written_text(&mut self, raw: Text<'_>, escaped: bool, at: u64) -> Answer {
        let bytes = raw.bytes();
        if !escaped && let Some(word) = Word::short(bytes) {
            return self.push(word);
        }
        let tag = if escaped { Tag::Escaped } else { Tag::Text };
        self.push(Word::spilled(tag, at + 1, bytes.len()))
    }
    #[inline(always)]
    fn written_number(&mut self, digits: &[u8], found: Outcome, at: u64) -> Answer {
        match Word::numeral(digits, found) {
            Some(word) => self.push(word),
            None => self.long_number(digits, at),
        }
    }
    #[inline(always)]
    fn int(&mut self, value: i64, at: u64) -> Answer {
        // The JSON reader reports integers of up to seven digits in this way.
        match Word::integer(value) {
            Some(word) => self.push(word),
            None => Err(Refusal::Foreign(at)),
        }
    }
    #[inline(always)]
    fn expected_key_found(&mut self, _at: u64) -> Answer {
        self.top.node = self.top.next;
        self.top.next = self.shapes.next(self.top.next);
        Ok(Flow::Take)
    }
}

impl Hints for Gather {
    #[inline(always)]
    fn as_written(&self) -> bool {
        true
    }
    #[inline(always)]
    fn want(&self) -> Want {
        Want::Native
    }

    #[inline(always)]
    fn expected_key(&self) -> &[u8] {
        self.shapes.lent(self.top.next)
    }
}

impl LookAhead for Gather {}
