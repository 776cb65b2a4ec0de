//! An open document: one pass over the text makes a word per value, and no objects.
//!
//! [`Gather`] is the sink of that pass. Its result is a [`Document`]: words of 64 bits in one
//! arena. Scalars are inside their words, or their words point into the text. A map or list points
//! to a header in the arena, followed by its values in a row. Keys that maps share are stored once
//! (`shapes.rs`); a map with many or rare keys stores its own after its values (`own.rs`).
//!
//! The text is neither copied nor owned: code that has both the document and its text uses a
//! [`View`]. A word stores no position. To find the position of a value, its container is read
//! again (`places.rs`).

mod destination;
mod gather;
mod matches;
mod own;
mod places;
mod shapes;
mod view;

pub use destination::NoMemory;
pub use gather::{Gather, Refusal};
pub use matches::{Match, Matches};
pub use places::{place_of, places, scalar_end};
pub use view::{Container, Entry, List, Map, Number, Text, Value, View};

use self::own::Indexes;
use self::shapes::{Shapes, Table};
use crate::protocol::Duplicates;
use crate::word::Word;
use std::sync::OnceLock;

/// The longest text that words can point into, in bytes.
pub const MOST_TEXT: u64 = Word::OFFSETS - 1;

/// The words of a document. They mean nothing without its text: see [`View`].
#[derive(Debug)]
pub struct Document {
    root: Word,
    arena: Vec<u64>,
    shapes: Shapes,
    /// The shapes that were searched, by node.
    tables: Box<[OnceLock<Box<Table>>]>,
    /// The maps with keys of their own that were searched.
    indexes: Indexes,
    duplicates: Duplicates,
}

impl Document {
    fn new(root: Word, arena: Vec<u64>, shapes: Shapes, duplicates: Duplicates) -> Self {
        let tables = shapes.tables();
        Document { root, arena, shapes, tables, indexes: Indexes::default(), duplicates }
    }

    /// How many words there are: eight bytes each.
    #[must_use]
    pub fn words(&self) -> usize {
        self.arena.len() + 1
    }
}

/// The header before the values of a map or list in the arena: two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    /// The position of its opening bracket in the text.
    at: u64,
    /// The position after its closing bracket.
    end: u64,
    /// For a list, the number of its values; for a map, one of the two below.
    content: u64,
}

impl Header {
    const WORDS: usize = 2;
    /// The bits of an offset. The others hold the content, in two halves.
    const OFFSET: u32 = 40;
    const HALF: u32 = 64 - Self::OFFSET;

    /// The content of a map with shared keys: the number of the keys.
    const fn shared(node: shapes::NodeId) -> u64 {
        (node as u64) << 1
    }
    /// The content of a map with its own keys: how many.
    const fn own(count: usize) -> u64 {
        (count as u64) << 1 | 1
    }

    #[inline(always)]
    const fn bits(self) -> [u64; Self::WORDS] {
        let low = self.at | self.content << Self::OFFSET;
        [low, self.end | self.content >> Self::HALF << Self::OFFSET]
    }

    #[inline(always)]
    const fn from_bits([low, high]: [u64; Self::WORDS]) -> Self {
        const OFFSETS: u64 = (1 << Header::OFFSET) - 1;
        let content = low >> Self::OFFSET | high >> Self::OFFSET << Self::HALF;
        Header { at: low & OFFSETS, end: high & OFFSETS, content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let (at, end) = (MOST_TEXT - 1, MOST_TEXT);
        for content in [0, 1, (1 << 24) - 1, 1 << 24, Header::own(1 << 40), Header::shared(77)] {
            let header = Header { at, end, content };
            assert_eq!(Header::from_bits(header.bits()), header);
        }
    }
}
