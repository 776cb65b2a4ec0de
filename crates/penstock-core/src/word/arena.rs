//! Stores spilled values.

use super::number::Written;
use super::{Date, Numeral, Tag, Text, Word, Zone};
use std::collections::HashMap;
use std::fmt;

/// A value, as it is stored in an arena and read from it.
///
/// Two values are `==` if they are the same bit for bit: NaN equals itself, 0.0 is not -0.0, and 1
/// is not 1.0. [`Held`](super::Held) compares their meaning.
///
/// Containers hold words of the arena, so no operation recurses, however deep a value is.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// The absent value.
    Null,
    /// False or true.
    Bool(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// Any double.
    Double(f64),
    /// A number by its text.
    Number(Numeral<'a>),
    /// Text.
    Text(Text<'a>),
    /// A date by the calendar.
    Date(Date<'a>),
    /// A date in seconds since 2001-01-01 00:00 UTC; any double.
    Seconds(f64),
    /// A list of values of the same arena.
    List(&'a [Word]),
    /// Keys with values of the same arena.
    Map(Map<'a>),
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Integer(one), Value::Integer(two)) => one == two,
            (Value::Double(one), Value::Double(two))
            | (Value::Seconds(one), Value::Seconds(two)) => one.to_bits() == two.to_bits(),
            (Value::Number(one), Value::Number(two)) => one == two,
            (Value::Text(one), Value::Text(two)) => one == two,
            (Value::Date(one), Value::Date(two)) => one == two,
            (Value::List(one), Value::List(two)) => one == two,
            (Value::Map(one), Value::Map(two)) => one == two,
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

/// The keys of a map and its values, in their order. A key may occur twice.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a> {
    keys: Keys<'a>,
    values: &'a [Word],
}

#[derive(Clone, Copy)]
enum Keys<'a> {
    Given(&'a [&'a str]),
    Kept(&'a Arena, &'a [Word]),
}

impl<'a> Map<'a> {
    /// A map with as many keys as values; `None` if the numbers differ.
    #[must_use]
    pub fn new(keys: &'a [&'a str], values: &'a [Word]) -> Option<Self> {
        (keys.len() == values.len()).then_some(Map { keys: Keys::Given(keys), values })
    }

    /// Its values, in the order of the keys.
    #[must_use]
    pub fn values(&self) -> &'a [Word] {
        self.values
    }

    /// The key at a position below the number of values.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn key(&self, at: usize) -> Text<'a> {
        match self.keys {
            Keys::Given(keys) => Text::new(keys[at]),
            Keys::Kept(arena, keys) => arena.text(keys[at]),
        }
    }

    /// The first position of a key.
    ///
    /// Searches all keys; maps with the same keys have the key at the same position.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<usize> {
        match (self.keys, Word::short(key.as_bytes())) {
            (Keys::Given(keys), _) => keys.iter().position(|other| *other == key),
            // Short keys are inside their words.
            (Keys::Kept(_, keys), Some(word)) => keys.iter().position(|other| *other == word),
            (Keys::Kept(arena, keys), None) => {
                let differs =
                    |other: &Word| other.length().is_some_and(|length| length != key.len());
                keys.iter().position(|other| {
                    other.tag() == Tag::Text && !differs(other) && arena.kept(*other) == key
                })
            }
        }
    }

    /// Its keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = Text<'a>> + use<'a> {
        let map = *self;
        (0..map.values.len()).map(move |at| map.key(at))
    }
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values && self.keys().eq(other.keys())
    }
}

impl Eq for Map<'_> {}

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keys::Given(keys) => keys.fmt(f),
            Keys::Kept(_, keys) => keys.fmt(f),
        }
    }
}

/// Why a value could not be stored in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// There is no memory for it.
    Memory,
    /// Its offset would be too large for a word: after 64 GiB of text, or 2^36 words.
    Range,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Full::Memory => "no memory for the value",
            Full::Range => "the arena is too large for words to point into",
        })
    }
}

impl std::error::Error for Full {}

/// Stores the values that do not fit into words.
///
/// `decode(encode(x)?) == x` for every value, bit for bit. Maps with the same keys in the same
/// order share them: each costs one word per value, and nothing else.
///
/// A word is valid only with the arena that made it, as an index is with its list. With another
/// arena it gives some other value, or panics where an index would.
///
/// ```
/// use penstock_core::word::{Arena, Map, Text, Value};
///
/// let mut arena = Arena::new();
/// let name = arena.encode(Value::Text(Text::new("Sant Julià de Lòria")))?;
/// let people = arena.encode(Value::Integer(8022))?;
/// let city = arena.encode(Value::Map(Map::new(&["name", "population"], &[name, people]).unwrap()))?;
///
/// let Value::Map(city) = arena.decode(city) else { unreachable!() };
/// assert_eq!(city.key(0).as_str(), "name");
/// assert_eq!(arena.decode(city.values()[1]), Value::Integer(8022));
/// # Ok::<(), penstock_core::word::Full>(())
/// ```
#[derive(Debug, Default)]
pub struct Arena {
    /// The values of containers, and values that do not fit into a word, bit for bit.
    words: Vec<Word>,
    text: String,
    shapes: Vec<Shape>,
    /// The number of the shape that was found last.
    last: usize,
    /// The number of the shape that has these keys.
    known: HashMap<Box<[Word]>, usize>,
    /// The words of the keys that do not fit into one word.
    names: HashMap<Box<str>, Word>,
}

/// The keys of maps.
#[derive(Debug)]
pub(super) struct Shape {
    keys: Box<[Word]>,
    /// The positions of the keys, in the order of the keys' text.
    pub(super) sorted: Box<[u32]>,
}

/// The layout of the first word of a boxed date: the kind of its zone, whether it is folded, and in
/// the upper half the offset in seconds.
mod header {
    pub(super) const SECONDS: u64 = 0;
    pub(super) const NAIVE: u64 = 1;
    pub(super) const UTC: u64 = 2;
    pub(super) const OFFSET: u64 = 3;
    pub(super) const NAMED: u64 = 4;
    pub(super) const KINDS: u64 = 7;
    pub(super) const FOLD: u64 = 8;
}

impl Arena {
    /// An empty arena.
    #[must_use]
    pub fn new() -> Self {
        Arena::default()
    }

    /// How many bytes the stored values use, without spare room.
    #[must_use]
    pub fn size(&self) -> usize {
        let shapes: usize = self.shapes.iter().map(|shape| shape.keys.len()).sum();
        // The keys of a shape are stored twice, once with their order.
        let shape = 2 * size_of::<Word>() + size_of::<u32>();
        let names: usize = self.names.keys().map(|name| name.len() + size_of::<Word>()).sum();
        self.words.len() * size_of::<Word>() + self.text.len() + shapes * shape + names
    }

    /// Releases the spare room.
    pub fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
        self.text.shrink_to_fit();
        self.shapes.shrink_to_fit();
    }

    /// The word of a value. The arena stores the value if it does not fit into the word.
    ///
    /// # Errors
    /// [`Full`]; the arena is unchanged.
    #[inline]
    pub fn encode(&mut self, value: Value<'_>) -> Result<Word, Full> {
        let inline = match value {
            Value::Null => Some(Word::null()),
            Value::Bool(value) => Some(Word::boolean(value)),
            Value::Integer(value) => Word::integer(value),
            Value::Double(value) => Word::double(value),
            Value::Number(Numeral(Written::Parts(value))) => value.word(),
            Value::Text(text) => text.word(),
            Value::Date(Date { micros, zone: zone @ (Zone::Naive | Zone::Utc), fold: false }) => {
                Word::calendar(micros, zone == Zone::Utc)
            }
            Value::Seconds(value) => Word::seconds(value),
            _ => None,
        };
        match inline {
            Some(word) => Ok(word),
            None => self.spill(value),
        }
    }

    #[inline(never)]
    fn spill(&mut self, value: Value<'_>) -> Result<Word, Full> {
        match value {
            Value::Integer(value) => self.boxed(Tag::BoxedInteger, &[value as u64]),
            Value::Double(value) => self.boxed(Tag::BoxedDouble, &[value.to_bits()]),
            Value::Seconds(value) => {
                self.boxed(Tag::BoxedDate, &[header::SECONDS, value.to_bits()])
            }
            Value::Number(number) => self.keep(Tag::Number, &number.to_string()),
            Value::Text(text) => self.keep(Tag::Text, text.as_str()),
            Value::Date(date) => self.date(date),
            Value::List(values) => self.container(Tag::List, values.len(), values),
            Value::Map(map) => {
                let shape = self.shape(map)?;
                self.container(Tag::Map, shape, map.values)
            }
            Value::Null | Value::Bool(_) => self.encode(value),
        }
    }

    /// Reserves room for `words` more words, and returns their position.
    fn room(&mut self, words: usize) -> Result<u64, Full> {
        let at = self.words.len() as u64;
        if at + words as u64 >= Word::OFFSETS {
            return Err(Full::Range);
        }
        self.words.try_reserve(words).map_err(|_| Full::Memory)?;
        Ok(at)
    }

    fn boxed(&mut self, tag: Tag, bits: &[u64]) -> Result<Word, Full> {
        let at = self.room(bits.len())?;
        self.words.extend(bits.iter().map(|bits| Word::from_bits(*bits)));
        Ok(Word::spilled(tag, at, bits.len()))
    }

    /// If text is too long for its word to hold the length, the word points to two words that point
    /// to the text.
    fn keep(&mut self, tag: Tag, text: &str) -> Result<Word, Full> {
        let at = self.text.len() as u64;
        if at + text.len() as u64 >= Word::OFFSETS {
            return Err(Full::Range);
        }
        self.text.try_reserve(text.len()).map_err(|_| Full::Memory)?;
        let long = text.len() >= Word::LENGTHS;
        let place = if long { self.room(2)? } else { at };
        if long {
            self.words.extend([at, text.len() as u64].map(Word::from_bits));
        }
        self.text.push_str(text);
        Ok(Word::spilled(tag, place, text.len()))
    }

    /// The values of a container, after its `number` if the word cannot hold it: the length of a
    /// list, or the number of a map's shape.
    fn container(&mut self, tag: Tag, number: usize, values: &[Word]) -> Result<Word, Full> {
        let at = self.room(values.len() + 1)?;
        if number >= Word::LENGTHS {
            self.words.push(Word::from_bits(number as u64));
        }
        self.words.extend_from_slice(values);
        Ok(Word::spilled(tag, at, number))
    }

    fn date(&mut self, Date { micros, zone, fold }: Date<'_>) -> Result<Word, Full> {
        let fold = if fold { header::FOLD } else { 0 };
        let micros = micros as u64;
        match zone {
            Zone::Naive => self.boxed(Tag::BoxedDate, &[header::NAIVE | fold, micros]),
            Zone::Utc => self.boxed(Tag::BoxedDate, &[header::UTC | fold, micros]),
            Zone::Offset(seconds) => {
                let header = u64::from(seconds as u32) << 32 | header::OFFSET | fold;
                self.boxed(Tag::BoxedDate, &[header, micros])
            }
            Zone::Named(name) => {
                // There are few zones and many dates.
                let name = self.name(name)?;
                self.boxed(Tag::BoxedDate, &[header::NAMED | fold, micros, name.bits()])
            }
        }
    }

    /// The word of text that is stored once, however often it occurs, and never inside the word.
    fn name(&mut self, name: &str) -> Result<Word, Full> {
        if let Some(word) = self.names.get(name) {
            return Ok(*word);
        }
        let word = self.keep(Tag::Text, name)?;
        self.names.try_reserve(1).map_err(|_| Full::Memory)?;
        self.names.insert(name.into(), word);
        Ok(word)
    }

    /// The number of the shape with the keys of a map.
    fn shape(&mut self, map: Map<'_>) -> Result<usize, Full> {
        // Documents repeat one shape.
        if let Some(shape) = self.shapes.get(self.last)
            && shape.keys.len() == map.values.len()
            && shape.keys.iter().zip(map.keys()).all(|(word, key)| self.text(*word) == key)
        {
            return Ok(self.last);
        }
        let mut keys = Vec::new();
        keys.try_reserve_exact(map.values.len()).map_err(|_| Full::Memory)?;
        for key in map.keys() {
            keys.push(key.word().map_or_else(|| self.name(key.as_str()), Ok)?);
        }
        if let Some(number) = self.known.get(&*keys) {
            self.last = *number;
            return Ok(*number);
        }
        let count = u32::try_from(keys.len()).map_err(|_| Full::Range)?;
        let mut sorted = Vec::new();
        sorted.try_reserve_exact(keys.len()).map_err(|_| Full::Memory)?;
        sorted.extend(0..count);
        // The sort is stable, so that the values of a repeated key keep their order.
        sorted.sort_by(|one, two| {
            self.text(keys[*one as usize]).cmp(&self.text(keys[*two as usize]))
        });
        self.shapes.try_reserve(1).map_err(|_| Full::Memory)?;
        self.known.try_reserve(1).map_err(|_| Full::Memory)?;
        let number = self.shapes.len();
        let keys = keys.into_boxed_slice();
        self.shapes.push(Shape { keys: keys.clone(), sorted: sorted.into_boxed_slice() });
        self.known.insert(keys, number);
        self.last = number;
        Ok(number)
    }

    /// The value of a word of this arena.
    ///
    /// # Panics
    /// If the word is of another arena, and points outside this one.
    #[inline]
    #[must_use]
    pub fn decode(&self, word: Word) -> Value<'_> {
        match word.tag() {
            Tag::Null => Value::Null,
            Tag::Bool => Value::Bool(word.as_bool()),
            Tag::Integer => Value::Integer(word.as_int()),
            Tag::Decimal => Value::Number(Numeral(Written::Parts(word.as_decimal()))),
            Tag::Double => Value::Double(word.as_double()),
            Tag::Short => Value::Text(word.as_short().into()),
            Tag::Calendar => {
                let (micros, utc) = word.as_calendar();
                let zone = if utc { Zone::Utc } else { Zone::Naive };
                Value::Date(Date { micros, zone, fold: false })
            }
            Tag::Seconds => Value::Seconds(word.as_seconds()),
            Tag::Text | Tag::Escaped => Value::Text(self.text(word)),
            Tag::Number => Value::Number(Numeral(Written::Text(self.kept(word)))),
            Tag::List => Value::List(self.list(word)),
            Tag::Map => {
                let (shape, values) = self.map(word);
                Value::Map(Map { keys: Keys::Kept(self, &shape.keys), values })
            }
            Tag::BoxedInteger => Value::Integer(self.bits(word, 0) as i64),
            Tag::BoxedDouble => Value::Double(f64::from_bits(self.bits(word, 0))),
            Tag::BoxedDate => self.boxed_date(word),
        }
    }

    fn boxed_date(&self, word: Word) -> Value<'_> {
        let (header, content) = (self.bits(word, 0), self.bits(word, 1));
        let zone = match header & header::KINDS {
            header::SECONDS => return Value::Seconds(f64::from_bits(content)),
            header::NAIVE => Zone::Naive,
            header::UTC => Zone::Utc,
            header::OFFSET => Zone::Offset((header >> 32) as i32),
            _ => Zone::Named(self.kept(Word::from_bits(self.bits(word, 2)))),
        };
        Value::Date(Date { micros: content as i64, zone, fold: header & header::FOLD != 0 })
    }

    #[inline]
    fn bits(&self, word: Word, at: usize) -> u64 {
        self.words[word.offset() as usize + at].bits()
    }

    /// The number for the word of a container (its length or shape), and the position of its
    /// values.
    #[inline]
    fn told(&self, word: Word) -> (usize, usize) {
        let at = word.offset() as usize;
        match word.length() {
            Some(number) => (number, at),
            None => (self.bits(word, 0) as usize, at + 1),
        }
    }

    /// The values of a list.
    #[inline]
    pub(super) fn list(&self, word: Word) -> &[Word] {
        let (length, at) = self.told(word);
        &self.words[at..at + length]
    }

    /// The keys and values of a map.
    #[inline]
    pub(super) fn map(&self, word: Word) -> (&Shape, &[Word]) {
        let (number, at) = self.told(word);
        let shape = &self.shapes[number];
        (shape, &self.words[at..at + shape.keys.len()])
    }

    /// The text of a word that is text.
    #[inline]
    fn text(&self, word: Word) -> Text<'_> {
        match word.tag() {
            Tag::Short => word.as_short().into(),
            _ => Text::new(self.kept(word)),
        }
    }

    /// The text that a word points to.
    #[inline]
    fn kept(&self, word: Word) -> &str {
        let (at, length) = match word.length() {
            Some(length) => (word.offset() as usize, length),
            None => (self.bits(word, 0) as usize, self.bits(word, 1) as usize),
        };
        &self.text[at..at + length]
    }
}

impl Shape {
    /// The word of the key at a position.
    pub(super) fn key(&self, at: usize) -> Word {
        self.keys[at]
    }
}
