//! Compares words by their value: in one arena or two, inline or spilled.

use super::arena::Shape;
use super::compare::Real;
use super::number::Written;
use super::{Arena, Date, Numeral, Tag, Text, Value, Word, Zone};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A word with its arena, which can be compared, ordered and hashed.
///
/// The kinds of values are ordered like this, and within a kind:
///
/// 1. null
/// 2. false, true
/// 3. numbers, by their exact value: 1 is 1.0 and `1e0`, the double 0.1 is not the decimal `0.1`, zero
///    has no sign. All NaNs are equal and come last. Exponents beyond ±2^40 count as ±2^40.
/// 4. text, by its code points
/// 5. dates without a zone, by the time that the clock shows; of two moments with the same time,
///    the folded one is later
/// 6. moments: dates in UTC, with an offset, or in seconds since 2001, by their exact time, with
///    NaN last. Offset and fold do not count.
/// 7. dates on the clock of a place, by the time that the clock shows, then by the name of the
///    place, then by the fold. To find the moment, the order would need a table of time zones.
/// 8. lists, by their first different element; if there is none, the shorter one first
/// 9. maps, by their members in the order of the keys, as lists of a key and a value each. The
///    order of the members does not count, except for a key that occurs twice.
///
/// Equal values have equal hashes. Nothing recurses.
///
/// ```
/// use penstock_core::word::{Arena, Held, Numeral, Value};
///
/// let (mut one, mut two) = (Arena::new(), Arena::new());
/// let inline = one.encode(Value::Integer(1000))?;
/// let spilled = two.encode(Value::Number(Numeral::new("1e3").unwrap()))?;
/// assert_eq!(Held::new(&one, inline), Held::new(&two, spilled));
/// # Ok::<(), penstock_core::word::Full>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    arena: &'a Arena,
    word: Word,
}

/// The parts of a value that its order depends on.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Null,
    Bool(bool),
    Number(Real<'a>),
    Text(Text<'a>),
    Naive(i64, bool),
    Moment(Real<'a>),
    Local(i64, &'a str, bool),
    List(Members<'a>),
    Map(Members<'a>),
}

/// From 1970 to 2001.
const EPOCHS: i128 = 978_307_200;

impl<'a> Kind<'a> {
    fn of(Held { arena, word }: Held<'a>) -> Self {
        match word.tag() {
            Tag::List => return Kind::List(Members::of_list(arena, arena.list(word))),
            Tag::Map => return Kind::Map(Members::of_map(arena, arena.map(word))),
            _ => {}
        }
        match arena.decode(word) {
            Value::Bool(value) => Kind::Bool(value),
            Value::Integer(value) => Kind::Number(value.into()),
            Value::Double(value) => Kind::Number(Real::Double(value)),
            Value::Number(Numeral(Written::Parts(decimal))) => Kind::Number(decimal.into()),
            Value::Number(Numeral(Written::Text(text))) => Kind::Number(Real::Text(text)),
            Value::Text(text) => Kind::Text(text),
            Value::Date(Date { micros, zone, fold }) => match zone {
                Zone::Naive => Kind::Naive(micros, fold),
                Zone::Utc => Kind::Moment(moment(micros, 0)),
                Zone::Offset(seconds) => Kind::Moment(moment(micros, seconds)),
                Zone::Named(name) => Kind::Local(micros, name, fold),
            },
            Value::Seconds(value) => Kind::Moment(Real::Double(value)),
            Value::Null | Value::List(_) | Value::Map(_) => Kind::Null,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Kind::Null => 0,
            Kind::Bool(_) => 1,
            Kind::Number(_) => 2,
            Kind::Text(_) => 3,
            Kind::Naive(..) => 4,
            Kind::Moment(_) => 5,
            Kind::Local(..) => 6,
            Kind::List(_) => 7,
            Kind::Map(_) => 8,
        }
    }
}

/// The seconds since 2001 of a date that is `offset` seconds ahead of UTC.
fn moment(micros: i64, offset: i32) -> Real<'static> {
    Real::ratio(i128::from(micros) - (i128::from(offset) + EPOCHS) * 1_000_000, 6)
}

/// The rest of a container: of a list in its order, of a map in the order of its keys.
#[derive(Clone, Copy, Debug)]
struct Members<'a> {
    arena: &'a Arena,
    shape: Option<&'a Shape>,
    values: &'a [Word],
    next: usize,
}

impl<'a> Members<'a> {
    fn of_list(arena: &'a Arena, values: &'a [Word]) -> Self {
        Members { arena, shape: None, values, next: 0 }
    }

    fn of_map(arena: &'a Arena, (shape, values): (&'a Shape, &'a [Word])) -> Self {
        Members { arena, shape: Some(shape), values, next: 0 }
    }
}

impl<'a> Iterator for Members<'a> {
    /// The key, of a map, and the value.
    type Item = (Option<Held<'a>>, Held<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let at = (self.next < self.values.len()).then_some(self.next)?;
        self.next += 1;
        let held = |word| Held { arena: self.arena, word };
        Some(match self.shape {
            None => (None, held(self.values[at])),
            Some(shape) => {
                let at = shape.sorted[at] as usize;
                (Some(held(shape.key(at))), held(self.values[at]))
            }
        })
    }
}

impl<'a> Held<'a> {
    /// A word of an arena.
    #[must_use]
    pub fn new(arena: &'a Arena, word: Word) -> Self {
        Held { arena, word }
    }

    /// The value of it.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.arena.decode(self.word)
    }

    /// Compares everything except the members of containers. These remain to be compared if
    /// everything else is equal.
    fn shallow(self, other: Self) -> (Ordering, Option<(Members<'a>, Members<'a>)>) {
        let same = self.word == other.word;
        if same && (!self.word.tag().is_spilled() || std::ptr::eq(self.arena, other.arena)) {
            return (Ordering::Equal, None);
        }
        match (self.word.tag(), other.word.tag()) {
            // The common cases, which need nothing else.
            (Tag::Integer, Tag::Integer) => {
                return (self.word.as_int().cmp(&other.word.as_int()), None);
            }
            (Tag::Short, Tag::Short) => {
                return (self.word.short_rank().cmp(&other.word.short_rank()), None);
            }
            _ => {}
        }
        let (one, two) = (Kind::of(self), Kind::of(other));
        let order = match (one, two) {
            (Kind::Bool(one), Kind::Bool(two)) => one.cmp(&two),
            (Kind::Number(one), Kind::Number(two)) | (Kind::Moment(one), Kind::Moment(two)) => {
                one.compare(two)
            }
            (Kind::Text(one), Kind::Text(two)) => one.cmp(&two),
            (Kind::Naive(one, fold), Kind::Naive(two, folds)) => (one, fold).cmp(&(two, folds)),
            (Kind::Local(one, name, fold), Kind::Local(two, other, folds)) => {
                (one, name, fold).cmp(&(two, other, folds))
            }
            (Kind::List(one), Kind::List(two)) | (Kind::Map(one), Kind::Map(two)) => {
                return (Ordering::Equal, Some((one, two)));
            }
            _ => one.rank().cmp(&two.rank()),
        };
        (order, None)
    }
}

impl Ord for Held<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (order, members) = self.shallow(*other);
        if members.is_none() || order.is_ne() {
            return order;
        }
        let mut open = Vec::from_iter(members);
        while let Some((one, two)) = open.last_mut() {
            let order = match (one.next(), two.next()) {
                (None, None) => {
                    open.pop();
                    continue;
                }
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
                (Some((key, value)), Some((other_key, other))) => {
                    // Keys are text, so nothing is below them.
                    let keys = key.zip(other_key).map(|(one, two)| one.shallow(two).0);
                    match keys.unwrap_or(Ordering::Equal) {
                        Ordering::Equal => {
                            let (order, members) = value.shallow(other);
                            open.extend(members);
                            order
                        }
                        order => order,
                    }
                }
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl PartialOrd for Held<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Held<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Held<'_> {}

impl Hash for Held<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut open: Vec<Members<'_>> = Vec::new();
        let mut next = Some((None, *self));
        loop {
            match next {
                Some((key, value)) => {
                    for held in key.into_iter().chain([value]) {
                        open.extend(held.hash_shallow(state));
                    }
                }
                // The end of a container is part of it: `[[1], 2]` is not `[[1, 2]]`.
                None => {
                    state.write_u8(u8::MAX);
                    open.pop();
                }
            }
            match open.last_mut() {
                Some(members) => next = members.next(),
                None => return,
            }
        }
    }
}

impl<'a> Held<'a> {
    /// Hashes everything except the members of a container, which remain to be hashed.
    fn hash_shallow<H: Hasher>(self, state: &mut H) -> Option<Members<'a>> {
        let kind = Kind::of(self);
        state.write_u8(kind.rank());
        match kind {
            Kind::Null => {}
            Kind::Bool(value) => value.hash(state),
            Kind::Number(number) | Kind::Moment(number) => number.hash(state),
            Kind::Text(text) => text.as_str().hash(state),
            Kind::Naive(micros, fold) => (micros, fold).hash(state),
            Kind::Local(micros, name, fold) => (micros, name, fold).hash(state),
            Kind::List(members) | Kind::Map(members) => return Some(members),
        }
        None
    }
}
