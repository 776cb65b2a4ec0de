//! Every limit that is enforced on input, with its default. Input that exceeds one is
//! [`Kind::Limit`](crate::error::Kind::Limit), and the message names it.

/// The limits. The caller can change all of them; none is ever exceeded silently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many maps and lists may be open at once.
    pub depth: usize,
    /// Bytes of one token that must be buffered whole: a string or a key that the sink wants.
    pub token: usize,
    /// Bytes of one map that a reader searches for the key of its class; they are buffered whole.
    pub lookahead: usize,
    /// Bytes of one row of a table, which is buffered whole.
    pub row: usize,
    /// Bytes of one number.
    pub number: usize,
    /// Decompressed bytes of the whole source, or none.
    pub total: Option<u64>,
    /// Bytes of memory that a document which is kept as a whole may take, or one record, or none:
    /// an estimate for objects, exact for an open document.
    pub memory: Option<u64>,
    /// Decompressed bytes per compressed byte, checked once 16 MiB have come out, or none.
    pub ratio: Option<u64>,
    /// Bytes that a decompressor may request as its window or dictionary.
    pub window: u64,
    /// Attributes of one element, namespace declarations and defaults included.
    pub attributes: usize,
    /// Bytes of one name in markup.
    pub name: usize,
    /// Bytes of one start tag, and of one declaration of a document type: always buffered whole.
    pub tag: usize,
    /// Entities that a document may declare.
    pub entities: usize,
    /// Bytes that entities may expand to per byte of the input, checked once they have made 8 MiB.
    pub amplification: u64,
    /// Bytes that entities may expand to in all, or none.
    pub expansion: Option<u64>,
}

impl Limits {
    /// Those for text that a reader has taken before, whatever its limits were.
    #[must_use]
    pub fn of_known_text() -> Self {
        Limits { depth: usize::MAX, token: usize::MAX, number: usize::MAX, ..Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 1_000,
            token: 256 << 20,
            lookahead: 16 << 20,
            row: 16 << 20,
            number: 4_300,
            total: None,
            memory: Some(8 << 30),
            // Real data that compresses well reaches 100 with deflate and 350 with xz; a bomb of
            // blanks reaches 1,030 with deflate.
            ratio: Some(500),
            window: 128 << 20,
            attributes: 1_000,
            name: 64 << 10,
            tag: 10 << 20,
            entities: 10_000,
            amplification: 10,
            expansion: Some(1 << 30),
        }
    }
}
