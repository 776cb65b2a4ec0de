//! The naive twin: values as a separate tree, compared in the obvious way.

use crate::inline::{doubles, integers};
use num_bigint::BigInt;
use num_rational::Ratio;
use penstock_core::word::{Arena, Date, Map, Numeral, Text, Value, Word, Zone};
use proptest::prelude::*;
use std::cmp::Ordering;

type Rational = Ratio<BigInt>;

/// A value with everything inside it. Doubles are kept as bits, so that trees are equal only if
/// they are the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Integer(i64),
    Double(u64),
    Number(String),
    Text(String),
    Date { micros: i64, zone: Clock, fold: bool },
    Seconds(u64),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clock {
    Naive,
    Utc,
    Offset(i32),
    Named(String),
}

impl Tree {
    pub(crate) fn double(value: f64) -> Self {
        Tree::Double(value.to_bits())
    }

    pub(crate) fn number(text: &str) -> Self {
        match Numeral::new(text) {
            Some(_) => Tree::Number(text.to_owned()),
            None => Tree::Integer(text.parse().unwrap()),
        }
    }

    pub(crate) fn encode(&self, arena: &mut Arena) -> Word {
        let value = match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Integer(value) => Value::Integer(*value),
            Tree::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Tree::Number(text) => Value::Number(Numeral::new(text).unwrap()),
            Tree::Text(text) => Value::Text(Text::new(text)),
            Tree::Seconds(bits) => Value::Seconds(f64::from_bits(*bits)),
            Tree::Date { micros, zone, fold } => {
                let zone = match zone {
                    Clock::Naive => Zone::Naive,
                    Clock::Utc => Zone::Utc,
                    Clock::Offset(seconds) => Zone::Offset(*seconds),
                    Clock::Named(name) => Zone::Named(name),
                };
                Value::Date(Date { micros: *micros, zone, fold: *fold })
            }
            Tree::List(items) => {
                let words: Vec<Word> = items.iter().map(|item| item.encode(arena)).collect();
                return arena.encode(Value::List(&words)).unwrap();
            }
            Tree::Map(items) => {
                let words: Vec<Word> = items.iter().map(|item| item.1.encode(arena)).collect();
                let keys: Vec<&str> = items.iter().map(|item| &*item.0).collect();
                return arena.encode(Value::Map(Map::new(&keys, &words).unwrap())).unwrap();
            }
        };
        let word = arena.encode(value).unwrap();
        assert_eq!(arena.decode(word), value);
        word
    }

    pub(crate) fn decode(arena: &Arena, word: Word) -> Self {
        match arena.decode(word) {
            Value::Null => Tree::Null,
            Value::Bool(value) => Tree::Bool(value),
            Value::Integer(value) => Tree::Integer(value),
            Value::Double(value) => Tree::Double(value.to_bits()),
            Value::Number(number) => Tree::Number(number.to_string()),
            Value::Text(text) => Tree::Text(text.as_str().to_owned()),
            Value::Seconds(value) => Tree::Seconds(value.to_bits()),
            Value::Date(Date { micros, zone, fold }) => {
                let zone = match zone {
                    Zone::Naive => Clock::Naive,
                    Zone::Utc => Clock::Utc,
                    Zone::Offset(seconds) => Clock::Offset(seconds),
                    Zone::Named(name) => Clock::Named(name.to_owned()),
                };
                Tree::Date { micros, zone, fold }
            }
            Value::List(words) => {
                Tree::List(words.iter().map(|word| Tree::decode(arena, *word)).collect())
            }
            Value::Map(map) => {
                let values = map.values().iter().map(|word| Tree::decode(arena, *word));
                Tree::Map(map.keys().map(|key| key.as_str().to_owned()).zip(values).collect())
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Tree::Null => 0,
            Tree::Bool(_) => 1,
            Tree::Integer(_) | Tree::Double(_) | Tree::Number(_) => 2,
            Tree::Text(_) => 3,
            Tree::Date { zone: Clock::Naive, .. } => 4,
            Tree::Date { zone: Clock::Named(_), .. } => 6,
            Tree::Date { .. } | Tree::Seconds(_) => 5,
            Tree::List(_) => 7,
            Tree::Map(_) => 8,
        }
    }

    /// The exact value of a number, or the seconds since 2001 of a moment.
    fn exact(&self) -> Real {
        match self {
            Tree::Integer(value) => Real::Finite(Rational::from_integer((*value).into())),
            Tree::Double(bits) | Tree::Seconds(bits) => match f64::from_bits(*bits) {
                value if value.is_nan() => Real::NaN,
                f64::INFINITY => Real::Infinite,
                f64::NEG_INFINITY => Real::Least,
                value => Real::Finite(exact(value)),
            },
            Tree::Number(text) => Real::Finite(parse(text)),
            Tree::Date { micros, zone, .. } => {
                let offset = if let Clock::Offset(seconds) = zone { *seconds } else { 0 };
                let micros = BigInt::from(*micros) - BigInt::from(offset) * 1_000_000;
                let seconds = Rational::new(micros, 1_000_000.into());
                Real::Finite(seconds - Rational::from_integer(978_307_200.into()))
            }
            other => panic!("{other:?}"),
        }
    }

    /// The order that `Held` promises.
    pub(crate) fn naive_cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| match (self, other) {
            (Tree::Bool(one), Tree::Bool(two)) => one.cmp(two),
            (Tree::Text(one), Tree::Text(two)) => one.chars().cmp(two.chars()),
            (
                Tree::Date { micros, zone: Clock::Naive, fold },
                Tree::Date { micros: other, fold: folds, .. },
            ) => micros.cmp(other).then(fold.cmp(folds)),
            (
                Tree::Date { micros, zone: Clock::Named(name), fold },
                Tree::Date { micros: other, zone: Clock::Named(names), fold: folds },
            ) => micros.cmp(other).then(name.cmp(names)).then(fold.cmp(folds)),
            (Tree::List(one), Tree::List(two)) => {
                let mut orders = one.iter().zip(two).map(|(one, two)| one.naive_cmp(two));
                let different = orders.find(|order| order.is_ne());
                different.unwrap_or_else(|| one.len().cmp(&two.len()))
            }
            (Tree::Map(one), Tree::Map(two)) => {
                let (mut one, mut two) = (one.clone(), two.clone());
                one.sort_by(|a, b| a.0.cmp(&b.0));
                two.sort_by(|a, b| a.0.cmp(&b.0));
                let mut orders = one
                    .iter()
                    .zip(&two)
                    .map(|(one, two)| one.0.cmp(&two.0).then_with(|| one.1.naive_cmp(&two.1)));
                let different = orders.find(|order| order.is_ne());
                different.unwrap_or_else(|| one.len().cmp(&two.len()))
            }
            (Tree::Null, Tree::Null) => Ordering::Equal,
            _ => self.exact().cmp(&other.exact()),
        })
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Real {
    Least,
    Finite(Rational),
    Infinite,
    NaN,
}

/// The exact value of a finite double.
fn exact(value: f64) -> Rational {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction << 1 } else { fraction | 1 << 52 };
    let two = Rational::from_integer(2.into());
    let size = Rational::from_integer(mantissa.into()) * two.pow(exponent - 1075);
    if value.is_sign_negative() { -size } else { size }
}

fn parse(text: &str) -> Rational {
    let text = text.to_ascii_lowercase();
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let power = power.parse::<i32>().unwrap() - fraction.len() as i32;
    let ten = Rational::from_integer(10.into());
    Rational::from_integer(mantissa) * ten.pow(power)
}

/// Numbers in every form, many of them equal.
pub(crate) fn numbers() -> Vec<Tree> {
    let mut found: Vec<Tree> = integers().into_iter().map(Tree::Integer).collect();
    found.extend(doubles().into_iter().map(Tree::double));
    found.extend([2.5, 0.1, 110.0, -110.0, 1e22, 1e23, 0.000_001].map(Tree::double));
    found.extend([1, 2, 110, -110, 1_000_000].map(Tree::Integer));
    let near = |value: f64| format!("{value:.40e}");
    let texts = [
        "-0",
        "-0.0",
        "0.00",
        "0e5",
        "1.0",
        "1e0",
        "1.00",
        "0.01e2",
        "1e-2",
        "0.01",
        "110.0",
        "1.1e2",
        "-110.00",
        "0.1",
        "0.10",
        "1e-1",
        "0.1000000000000000055511151231257827021181583404541015625",
        "2.5",
        "25e-1",
        "576460752303423488.0",
        "5.76460752303423488e17",
        "9223372036854775808",
        "-9223372036854775809",
        "9223372036854775808.0",
        "18446744073709551616",
        "1e22",
        "1e23",
        "99999999999999991611392",
        "1e308",
        "1e309",
        "-1e309",
        "1e400",
        "1e-400",
        "4.9e-324",
        "0.5",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.0",
        "0.0000000000000000000001",
        "340282366920938463463374607431768211456",
        "2305843009213693951",
        "2305843009213693952e0",
    ];
    found.extend(texts.map(Tree::number));
    for value in [0.1, 2.5, 1e300, 5e-324, f64::MAX] {
        found.push(Tree::number(&near(value)));
        found.push(Tree::number(&format!("{value:.800e}")));
    }
    found
}

/// Dates, many of them the same moment.
pub(crate) fn dates() -> Vec<Tree> {
    let second = 1_000_000;
    let micros = [
        0,
        1,
        -1,
        978_307_200 * second,
        978_307_201 * second,
        978_310_800 * second,
        -62_135_596_800_000_000,
        253_402_300_799_999_999,
        i64::MIN,
        i64::MAX,
        1 << 58,
        -(1 << 58) - 1,
    ];
    let zones = [
        Clock::Naive,
        Clock::Utc,
        Clock::Offset(0),
        Clock::Offset(3600),
        Clock::Offset(-1),
        Clock::Offset(i32::MIN),
        Clock::Named("Europe/Andorra".into()),
        Clock::Named("UTC".into()),
    ];
    let mut found: Vec<Tree> = micros
        .iter()
        .flat_map(|micros| zones.iter().map(move |zone| (*micros, zone.clone())))
        .flat_map(|(micros, zone)| {
            [false, true].map(|fold| Tree::Date { micros, zone: zone.clone(), fold })
        })
        .collect();
    found.extend(doubles().into_iter().map(|value| Tree::Seconds(value.to_bits())));
    found.extend([1.0, 3600.0, -978_307_200.0].map(|value: f64| Tree::Seconds(value.to_bits())));
    found
}

/// Texts around the lengths at which they spill.
pub(crate) fn texts() -> Vec<Tree> {
    let mut found = vec![];
    for length in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 23, 24, 25] {
        found.push("a".repeat(length));
        found.push("\0".repeat(length));
        for last in ["ñ", "€", "😀"] {
            if length >= last.len() {
                found.push("a".repeat(length - last.len()) + last);
            }
        }
    }
    found.extend(["b", "a\0", "a\0b", "\u{10FFFF}", "\u{FFFF}"].map(str::to_owned));
    found.into_iter().map(Tree::Text).collect()
}

pub(crate) fn scalars() -> Vec<Tree> {
    let constants = vec![Tree::Null, Tree::Bool(false), Tree::Bool(true)];
    [constants, numbers(), dates(), texts()].concat()
}

/// Any values, with few different keys and few different small integers.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][-+]?[0-9]{1,2})?";
    let leaf = prop_oneof![
        3 => proptest::sample::select(scalars()),
        1 => any::<i64>().prop_map(Tree::Integer),
        3 => (0_i64..4).prop_map(Tree::Integer),
        1 => any::<u64>().prop_map(Tree::Double),
        1 => any::<u64>().prop_map(Tree::Seconds),
        1 => number.prop_map(|text| Tree::number(&text)),
        1 => ".{0,9}".prop_map(Tree::Text),
        1 => (any::<i64>(), any::<i32>(), any::<bool>()).prop_map(|(micros, seconds, fold)| {
            Tree::Date { micros, zone: Clock::Offset(seconds), fold }
        }),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = proptest::sample::select(vec!["", "id", "name", "population", "poblaciò"]);
        let member = (key.prop_map(str::to_owned), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Tree::List),
            proptest::collection::vec(member, 0..4).prop_map(Tree::Map),
        ]
    })
}
