//! Every bound that is enforced on input, with its default. Exceeding one is
//! [`Kind::Limit`](crate::error::Kind::Limit), and the message names it.

/// The bounds. All can be changed by the caller; none is ever silently exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many maps and lists may be open at once.
    pub depth: usize,
    /// Bytes of one token that has to be kept whole: a string or a key that is wanted.
    pub token: usize,
    /// Bytes of one number.
    pub number: usize,
    /// Decompressed bytes of the whole source, or none.
    pub total: Option<u64>,
    /// Decompressed bytes for each compressed byte, judged once 16 MiB have come out, or none.
    pub ratio: Option<u64>,
    /// Bytes that a decompressor may ask for as its window or dictionary.
    pub window: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 1_000,
            token: 256 << 20,
            number: 4_300,
            total: None,
            // Deflate cannot exceed 1,032; the formats that can are the ones used for bombs.
            ratio: Some(1_100),
            window: 128 << 20,
        }
    }
}
