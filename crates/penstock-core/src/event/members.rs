//! Members of a map, as one slice of values.

use super::{Scalar, Text};
use penstock_scan::ValidText;

/// Members that follow one another, whose keys the sink [expected](crate::protocol::Hints::members_ahead) in this
/// order, and whose values are scalars. They were found in one go, so no event is reported for each.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    text: ValidText<'a>,
    /// The offset of the text.
    base: u64,
    /// Where in the text the members begin. Their places count from there.
    from: usize,
    /// How many of the expected keys were found.
    keys: usize,
    found: &'a [Found],
}

/// A member of a slice.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The place of its key among the expected ones.
    pub place: usize,
    /// Its value.
    pub value: Scalar<'a>,
    /// The offset of its key.
    pub key_at: u64,
    /// The offset of its value.
    pub at: u64,
}

/// The most members of one slice.
pub const MOST: usize = 32;

/// A member as a reader finds it. Places count from one of the text.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its value.
    pub value: FoundValue,
    /// Its place among the expected keys.
    pub place: u32,
    /// Where its key begins.
    pub key_at: u32,
    /// Where its value begins.
    pub at: u32,
}

/// The value of a member as a reader finds it.
#[derive(Clone, Copy, Debug)]
pub enum FoundValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as an integer.
    Int(i64),
    /// A number, as a double.
    Float(f64),
    /// The inside of a string that has no escapes.
    Text {
        /// Where it ends, before its closing quote. It begins behind the quote at the value's place.
        end: u32,
        /// Whether it is ASCII.
        ascii: bool,
    },
}

impl Found {
    /// No member: fills the room for them.
    pub const NONE: Found = Found { value: FoundValue::Null, place: 0, key_at: 0, at: 0 };
}

impl<'a> Members<'a> {
    /// Members that were found in a text, which has the offset `base`. Their places count from `from`. `keys` of the
    /// expected keys were found, and `found` has the values that are wanted.
    #[inline(always)]
    #[must_use]
    pub fn new(
        text: ValidText<'a>,
        base: u64,
        from: usize,
        keys: usize,
        found: &'a [Found],
    ) -> Self {
        Members { text, base, from, keys, found }
    }

    /// How many of the expected keys were found, also of those whose values are not wanted.
    #[inline(always)]
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys
    }

    /// How many values are wanted.
    #[inline(always)]
    #[must_use]
    pub fn values(&self) -> usize {
        self.found.len()
    }

    /// Each value that is wanted.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Member<'a>> + '_ {
        let begin = self.base + self.from as u64;
        let text = |from: u32, to: u32| {
            self.text.slice(self.from + from as usize + 1..self.from + to as usize)
        };
        self.found.iter().map(move |found| {
            let value = match found.value {
                FoundValue::Text { end, ascii } => {
                    Scalar::Text(Text { text: text(found.at, end), ascii })
                }
                FoundValue::Int(value) => Scalar::Int(value),
                FoundValue::Float(value) => Scalar::Float(value),
                FoundValue::Bool(value) => Scalar::Bool(value),
                FoundValue::Null => Scalar::Null,
            };
            Member {
                place: found.place as usize,
                value,
                key_at: begin + u64::from(found.key_at),
                at: begin + u64::from(found.at),
            }
        })
    }
}
