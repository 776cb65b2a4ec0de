//! The keys that maps have in common, stored once.
//!
//! Documents repeat a few sequences of keys. Each sequence that occurs is a node of a trie, and its
//! parent is the sequence without its last key. So one number describes the keys of a map. Each
//! node also predicts: it remembers the key that came after it the last time, in the form that the
//! reader can compare in place, and the first key of the last map under its own last key.
//!
//! Limits bound the trie: a map may have [`MOST_KEYS`] shared keys, a sequence [`MOST_NEXT`]
//! continuations, and the document [`MOST_NODES`] sequences. A map whose keys do not fit stores its
//! own.

use crate::json::lend;
use crate::keys::KeyTable;
use crate::word::Word;
use penstock_scan::{gathered, make_room};
use std::sync::OnceLock;

/// How many keys a sequence may have.
pub(super) const MOST_KEYS: u32 = 256;
/// How many different keys may come next.
const MOST_NEXT: u32 = 32;
/// How many sequences a document may have.
const MOST_NODES: usize = 1 << 16;
/// How many bytes their last keys may have together.
const MOST_BYTES: usize = 16 << 20;

/// A sequence of keys.
pub(super) type NodeId = u32;

/// The sequence without keys, with which every map begins. Nothing is predicted from it and it has
/// no last key, so it also means "none".
pub(super) const EMPTY: NodeId = 0;

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The sequence without the last key.
    parent: NodeId,
    /// How many keys the sequence has.
    keys: u32,
    /// The sequence that continued this one the last time.
    next: NodeId,
    /// The first key of the last map under the last key.
    inside: NodeId,
    /// The child that was added last; its siblings were added before it.
    child: NodeId,
    sibling: NodeId,
    /// How many children there are.
    children: u32,
    /// Whether the last key occurs earlier in the sequence.
    again: bool,
    /// The last key in `pool` as text has it, from the quote to the colon; nothing if the reader
    /// cannot compare it in place.
    lent: Span,
    /// The last key in `pool`.
    name: Span,
    /// The last key as a word.
    key: Word,
}

/// A part of the pool.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u32,
    to: u32,
}

const NOTHING: Span = Span { from: 0, to: 0 };

/// All key sequences that the maps of a document share.
#[derive(Debug)]
pub(super) struct Shapes {
    nodes: Vec<Node>,
    /// The keys as text has them, one after the other.
    pool: String,
}

impl Default for Shapes {
    fn default() -> Self {
        let empty = Node {
            parent: EMPTY,
            keys: 0,
            next: EMPTY,
            inside: EMPTY,
            child: EMPTY,
            sibling: EMPTY,
            children: 0,
            again: false,
            lent: NOTHING,
            name: NOTHING,
            key: Word::null(),
        };
        Shapes { nodes: vec![empty], pool: String::new() }
    }
}

impl Shapes {
    #[inline(always)]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn span(&self, span: Span) -> &str {
        &self.pool[span.from as usize..span.to as usize]
    }

    /// How many bytes the sequences take.
    pub(super) fn memory(&self) -> usize {
        size_of::<Node>() * self.nodes.len() + self.pool.len()
    }

    /// The sequence that is predicted after `id`.
    #[inline(always)]
    pub(super) fn next(&self, id: NodeId) -> NodeId {
        self.node(id).next
    }

    /// The sequence that is predicted at the beginning of a map at `id`.
    #[inline(always)]
    pub(super) fn inside(&self, id: NodeId) -> NodeId {
        self.node(id).inside
    }

    /// The last key of `id`, as text has it.
    #[inline(always)]
    pub(super) fn lent(&self, id: NodeId) -> &[u8] {
        let Span { from, to } = self.node(id).lent;
        self.pool.as_bytes().get(from as usize..to as usize).unwrap_or_default()
    }

    /// How many keys `id` has.
    pub(super) fn keys(&self, id: NodeId) -> usize {
        self.node(id).keys as usize
    }

    /// Whether the last key of `id` occurs earlier in it.
    pub(super) fn again(&self, id: NodeId) -> bool {
        self.node(id).again
    }

    /// The last key of `id`.
    pub(super) fn name(&self, id: NodeId) -> &str {
        self.span(self.node(id).name)
    }

    /// All sequences from `id` up to that of its first key.
    pub(super) fn ancestry(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let mut id = id;
        std::iter::from_fn(move || {
            let at = id;
            id = self.node(at).parent;
            (at != EMPTY).then_some(at)
        })
    }

    /// Appends the words of the keys of `id`.
    pub(super) fn push_keys(&self, id: NodeId, keys: &mut Vec<Word>) {
        let from = keys.len();
        make_room(keys, self.keys(id));
        keys.extend(self.ancestry(id).map(|id| self.node(id).key));
        keys[from..].reverse();
    }

    /// Looks up or adds the sequence that continues `id` with the key `name`, whose word is `key`.
    /// It becomes the prediction, for a first key at `place`. Nothing if the trie has no room for
    /// it.
    pub(super) fn follow(
        &mut self,
        id: NodeId,
        place: NodeId,
        name: &str,
        key: Word,
    ) -> Option<NodeId> {
        let mut child = self.node(id).child;
        while child != EMPTY && self.name(child) != name {
            child = self.node(child).sibling;
        }
        if child == EMPTY {
            child = self.add(id, name, key)?;
        }
        if id == EMPTY {
            self.nodes[place as usize].inside = child;
        } else {
            self.nodes[id as usize].next = child;
        }
        Some(child)
    }

    fn add(&mut self, parent: NodeId, name: &str, key: Word) -> Option<NodeId> {
        let &Node { keys, children, child: sibling, .. } = self.node(parent);
        let full = keys >= MOST_KEYS || children >= MOST_NEXT || self.nodes.len() >= MOST_NODES;
        if full || self.pool.len() + name.len() > MOST_BYTES {
            return None;
        }
        let again = self.ancestry(parent).any(|id| self.name(id) == name);
        // A key needs two quotes and a colon.
        make_room(&mut self.pool, name.len() + 3);
        make_room(&mut self.nodes, 1);
        let from = self.pool.len() as u32;
        lend::push(name, &mut self.pool);
        let to = self.pool.len() as u32;
        // The reader cannot compare a key in place if it needs an escape. A repeated key must be
        // reported.
        let plain = lend::is_plain(name);
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            parent,
            keys: keys + 1,
            next: EMPTY,
            inside: EMPTY,
            child: EMPTY,
            sibling,
            children: 0,
            again,
            lent: if plain && !again { Span { from, to } } else { NOTHING },
            name: Span { from: from + 1, to: to - 2 },
            key,
        });
        let parent = &mut self.nodes[parent as usize];
        parent.child = id;
        parent.children += 1;
        Some(id)
    }

    /// The tables, all of them empty.
    pub(super) fn tables(&self) -> Box<[OnceLock<Box<Table>>]> {
        gathered(self.nodes.iter().map(|_| OnceLock::new())).into()
    }
}

/// A sequence of keys, prepared for look-ups.
#[derive(Debug)]
pub struct Table {
    /// The nodes of the distinct keys, in the order of their first occurrence.
    names: Box<[NodeId]>,
    /// For each key, the position of the value that counts.
    slots: Box<[u32]>,
    places: KeyTable,
}

impl Table {
    /// The table of a sequence; with `first`, the first of several values for one key counts.
    pub(super) fn new(shapes: &Shapes, id: NodeId, first: bool) -> Self {
        let mut sequence = gathered(shapes.ancestry(id));
        sequence.reverse();
        let (mut names, mut slots): (Vec<NodeId>, Vec<u32>) = (Vec::new(), Vec::new());
        make_room(&mut names, sequence.len());
        make_room(&mut slots, sequence.len());
        for (slot, id) in (0..).zip(sequence) {
            if shapes.again(id) {
                let known = names.iter().position(|known| shapes.name(*known) == shapes.name(id));
                if let Some(known) = known {
                    if !first {
                        slots[known] = slot;
                    }
                    continue;
                }
            }
            names.push(id);
            slots.push(slot);
        }
        let keys: Vec<&[u8]> = gathered(names.iter().map(|id| shapes.name(*id).as_bytes()));
        let places = KeyTable::new(&keys);
        Table { names: names.into(), slots: slots.into(), places }
    }

    /// How many distinct keys there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The node and the value's position of the distinct key `index`.
    pub(super) fn entry(&self, index: usize) -> Option<(NodeId, usize)> {
        Some((*self.names.get(index)?, self.slots[index] as usize))
    }

    /// The position of the value that counts for the key `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        Some(self.slots[self.places.find(name.as_bytes())? as usize] as usize)
    }
}
