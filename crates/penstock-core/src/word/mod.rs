//! Small words: one value in 64 bits, exactly, or its position elsewhere.
//!
//! A document that you only look into should not become objects first. A [`Word`] stands for a
//! value until then: four bits of tag and sixty of payload, which hold most values of most
//! documents. All others are *spilled*: the payload is then an offset into an [`Arena`] or into the
//! text of a document. **Exact or spilled**: no constructor rounds, truncates or wraps. If it
//! cannot hold a value bit for bit, it returns `None`.
//!
//! From the lowest bit to the highest:
//!
//! | tag | bits 4..64 | holds |
//! |---|---|---|
//! | [`Null`](Tag::Null) | zero | |
//! | [`Bool`](Tag::Bool) | 0 or 1 | |
//! | [`Integer`](Tag::Integer) | 60 signed | `-2^59 .. 2^59` |
//! | [`Decimal`](Tag::Decimal) | 5 scale, 1 sign, 54 mantissa | a number as it is written: [`Decimal`] |
//! | [`Double`](Tag::Double) | 52 fraction, 7 exponent, 1 sign | ±0.0, and magnitudes `2^-63 .. 2^64` |
//! | [`Short`](Tag::Short) | 4 length, 7 bytes | text of up to seven bytes |
//! | [`Calendar`](Tag::Calendar) | 1 UTC or naive, 59 signed | microseconds since 1970, from years before 1 to years after 9999 |
//! | [`Seconds`](Tag::Seconds) | 52 fraction, 7 exponent, 1 sign | seconds since 2001, magnitudes `2^-63 .. 2^64`; no zero |
//! | all others | 24 length, 36 offset | a place, see [`Tag`] |
//!
//! The tag is in the low bits, so one arithmetic shift gives a signed payload. Doubles are narrowed
//! as in tagged `NSDate` implementations, but only if the exponent survives it. Apple's reserves
//! payload zero for 0.0, as this does; GNUstep's turns 0.0 into 2.0.

mod arena;
mod compare;
mod date;
mod number;
mod order;
mod text;

pub use arena::{Arena, Full, Map, Value};
pub use date::{Date, Zone};
pub use number::{Decimal, Numeral};
pub use order::Held;
pub use text::{Short, Text};

/// The kind of value that a [`Word`] holds or points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Tag {
    /// The absent value.
    Null,
    /// False or true.
    Bool,
    /// An integer of 60 bits.
    Integer,
    /// A number with a fraction, by its digits.
    Decimal,
    /// A double whose exponent fits seven bits.
    Double,
    /// Text of up to seven bytes.
    Short,
    /// A date by the calendar: microseconds, naive or in UTC.
    Calendar,
    /// A date in seconds since 2001, a double.
    Seconds,
    /// Text at an offset, without escapes.
    Text,
    /// Text in a JSON document, with escapes.
    Escaped,
    /// A number by its text.
    Number,
    /// A list.
    List,
    /// A map.
    Map,
    /// A 64-bit integer, stored elsewhere.
    BoxedInteger,
    /// A double, stored elsewhere.
    BoxedDouble,
    /// A date, stored elsewhere.
    BoxedDate,
}

impl Tag {
    #[inline(always)]
    const fn of(bits: u64) -> Self {
        match bits & 15 {
            0 => Tag::Null,
            1 => Tag::Bool,
            2 => Tag::Integer,
            3 => Tag::Decimal,
            4 => Tag::Double,
            5 => Tag::Short,
            6 => Tag::Calendar,
            7 => Tag::Seconds,
            8 => Tag::Text,
            9 => Tag::Escaped,
            10 => Tag::Number,
            11 => Tag::List,
            12 => Tag::Map,
            13 => Tag::BoxedInteger,
            14 => Tag::BoxedDouble,
            _ => Tag::BoxedDate,
        }
    }

    /// True for a value that does not fit into the word, which then holds an offset and a length.
    #[inline(always)]
    #[must_use]
    pub const fn is_spilled(self) -> bool {
        self as u8 >= Tag::Text as u8
    }
}

/// One value in 64 bits, or its position elsewhere.
///
/// Two words with the same bits are the same value, if they refer to the same arena. The reverse is
/// not true: the integer 1 and the double 1.0 are different words, and so are two positions with
/// the same text. [`Held`] compares values.
///
/// ```
/// use penstock_core::word::{Inline, Word};
///
/// let word = Word::integer(-7).unwrap();
/// assert_eq!((size_of::<Word>(), word.view()), (8, Inline::Integer(-7)));
/// assert_eq!(Word::integer(1 << 59), None);
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word(u64);

const _: () = assert!(size_of::<Word>() == 8);

/// The contents of a word, without the value that it points to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inline {
    /// The absent value.
    Null,
    /// False or true.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A number with a fraction, or `-0`.
    Decimal(Decimal),
    /// A double.
    Double(f64),
    /// Text of up to seven bytes.
    Short(Short),
    /// Microseconds since 1970-01-01 00:00, in UTC or on a clock without a zone.
    Calendar {
        /// The microseconds.
        micros: i64,
        /// True if the date is in UTC.
        utc: bool,
    },
    /// Seconds since 2001-01-01 00:00 UTC.
    Seconds(f64),
    /// A value elsewhere.
    Spilled {
        /// The kind of the value.
        tag: Tag,
        /// The offset.
        offset: u64,
        /// The length, if the word can hold it.
        length: Option<usize>,
    },
}

impl Word {
    /// The first offset that a word cannot hold.
    pub const OFFSETS: u64 = 1 << 36;
    /// The first length that a word cannot hold.
    pub const LENGTHS: usize = (1 << 24) - 1;

    #[inline(always)]
    const fn new(tag: Tag, payload: u64) -> Self {
        Word(payload << 4 | tag as u64)
    }

    /// The word with these bits. Any bits make a word.
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Word(bits)
    }

    /// The bits of the word.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The kind of value in the word.
    #[inline(always)]
    #[must_use]
    pub const fn tag(self) -> Tag {
        Tag::of(self.0)
    }

    /// The sixty bits of payload.
    #[inline(always)]
    #[must_use]
    pub const fn payload(self) -> u64 {
        self.0 >> 4
    }

    /// The absent value.
    #[inline(always)]
    #[must_use]
    pub const fn null() -> Self {
        Word::new(Tag::Null, 0)
    }

    /// False or true.
    #[inline(always)]
    #[must_use]
    pub const fn boolean(value: bool) -> Self {
        Word::new(Tag::Bool, value as u64)
    }

    /// The truth of a word with [`Tag::Bool`].
    #[inline(always)]
    #[must_use]
    pub const fn as_bool(self) -> bool {
        self.payload() != 0
    }

    /// A value that is stored at `offset`, which must be below [`OFFSETS`](Word::OFFSETS): excess
    /// bits would be lost. The word does not hold a length from [`LENGTHS`](Word::LENGTHS) on.
    #[inline(always)]
    #[must_use]
    pub const fn spilled(tag: Tag, offset: u64, length: usize) -> Self {
        debug_assert!(tag.is_spilled() && offset < Word::OFFSETS);
        let length = if length < Word::LENGTHS { length } else { Word::LENGTHS };
        Word::new(tag, offset << 24 | length as u64)
    }

    /// The offset of a spilled word.
    #[inline(always)]
    #[must_use]
    pub const fn offset(self) -> u64 {
        self.0 >> 28
    }

    /// The length of a spilled word, or nothing if the word cannot hold it.
    #[inline(always)]
    #[must_use]
    pub const fn length(self) -> Option<usize> {
        match self.payload() as usize & Word::LENGTHS {
            Word::LENGTHS => None,
            length => Some(length),
        }
    }

    /// The contents of the word.
    #[inline]
    #[must_use]
    pub const fn view(self) -> Inline {
        match self.tag() {
            Tag::Null => Inline::Null,
            Tag::Bool => Inline::Bool(self.as_bool()),
            Tag::Integer => Inline::Integer(self.as_int()),
            Tag::Decimal => Inline::Decimal(self.as_decimal()),
            Tag::Double => Inline::Double(self.as_double()),
            Tag::Short => Inline::Short(self.as_short()),
            Tag::Calendar => {
                let (micros, utc) = self.as_calendar();
                Inline::Calendar { micros, utc }
            }
            Tag::Seconds => Inline::Seconds(self.as_seconds()),
            tag => Inline::Spilled { tag, offset: self.offset(), length: self.length() },
        }
    }
}
