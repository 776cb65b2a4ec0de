//! Small words beside boxes, and beside the values of serde_json and ijson.

use crate::counting::counted;
use crate::rounds::{Row, Table};
use ijson::{DestructuredRef, IArray, IObject, IString, IValue};
use penstock_core::word::{Arena, Date, Map, Numeral, Tag, Text, Value, Word, Zone};
use serde_json::Value as Json;
use std::hint::black_box;

/// How many values there are.
const MANY: usize = 1_000_000;

/// Numbers that look random, the same on each run.
struct Dice(u64);

impl Dice {
    /// A number below `sides`. By Knuth's multiplier, of which the upper bits are good.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A date to be made: in a word, in a box as most languages have it, or bare.
pub fn date() -> Table {
    let mut dice = Dice(1);
    let dates: Vec<i64> = (0..1024)
        .map(|_| dice.roll(1 << 31) as i64 * 1_000_000 + dice.roll(1_000_000) as i64)
        .collect();
    let seconds: Vec<f64> =
        dates.iter().map(|micros| *micros as f64 / 1e6 - 978_307_200.0).collect();
    let count = dates.len();
    let boxed = |micros: i64| Box::new(Date { micros, zone: Zone::Utc, fold: false });
    Row::new("a date made and read again")
        .case("word, microseconds", count, || {
            let made = |micros: &i64| Word::calendar(*micros, true).map(black_box);
            let read = |word: Word| word.as_calendar().0;
            dates.iter().map(|date| made(date).map_or(0, read)).fold(0, i64::wrapping_add)
        })
        .case("word, seconds", count, || {
            let made = |seconds: &f64| Word::seconds(*seconds).map(black_box);
            seconds.iter().map(|date| made(date).map_or(0.0, Word::as_seconds)).sum::<f64>()
        })
        .case("boxed", count, || {
            dates.iter().map(|date| black_box(boxed(*date)).micros).fold(0, i64::wrapping_add)
        })
        .case("bare integer", count, || {
            dates.iter().map(|date| black_box(*date)).fold(0, i64::wrapping_add)
        })
        .bar(5.0, "boxed")
        .measured()
}

/// A value as a document has it.
enum Source {
    Null,
    Bool(bool),
    Integer(i64),
    Decimal(String),
    Text(String),
}

/// One value of a document with mixed ones: a third integers, a fifth decimals, a third strings of
/// which half are short, and constants.
fn mixed(dice: &mut Dice) -> Source {
    match dice.roll(100) {
        0..30 => Source::Integer(dice.roll(1 << 31) as i64 >> dice.roll(31)),
        30..50 => Source::Decimal(format!("{}.{:05}", dice.roll(180), dice.roll(100_000))),
        50..65 => Source::Text(format!("{:.1$}", "country", dice.roll(8) as usize)),
        65..80 => Source::Text(format!("place number {}", dice.roll(50_000))),
        80..90 => Source::Bool(dice.roll(2) == 0),
        _ => Source::Null,
    }
}

fn word(source: &Source, arena: &mut Arena) -> Word {
    let value = match source {
        Source::Null => Value::Null,
        Source::Bool(value) => Value::Bool(*value),
        Source::Integer(value) => Value::Integer(*value),
        Source::Decimal(text) => Numeral::new(text).map_or(Value::Null, Value::Number),
        Source::Text(text) => Value::Text(Text::new(text)),
    };
    arena.encode(value).expect("there is room")
}

fn json(source: &Source) -> Json {
    match source {
        Source::Null => Json::Null,
        Source::Bool(value) => (*value).into(),
        Source::Integer(value) => (*value).into(),
        Source::Decimal(text) => text.parse::<f64>().expect("it is a number").into(),
        Source::Text(text) => text.as_str().into(),
    }
}

fn ivalue(source: &Source) -> IValue {
    match source {
        Source::Null => IValue::NULL,
        Source::Bool(value) => (*value).into(),
        Source::Integer(value) => (*value).into(),
        Source::Decimal(text) => text.parse::<f64>().expect("it is a number").into(),
        Source::Text(text) => text.as_str().into(),
    }
}

/// What a scan finds: a little of every kind, so that every value is read.
#[derive(Debug, Default, PartialEq)]
struct Found {
    nulls: usize,
    trues: usize,
    sum: f64,
    text: usize,
}

impl Found {
    #[inline(always)]
    fn word(&mut self, word: Word) {
        match word.tag() {
            Tag::Null => self.nulls += 1,
            Tag::Bool => self.trues += usize::from(word.as_bool()),
            Tag::Integer => self.sum += word.as_int() as f64,
            Tag::Decimal => self.sum += word.as_decimal().to_f64(),
            Tag::Short => self.text += word.as_short().as_bytes().len(),
            Tag::Text => self.text += word.length().unwrap_or(0),
            other => unreachable!("{other:?}"),
        }
    }

    #[inline(always)]
    fn json(&mut self, value: &Json) {
        match value {
            Json::Null => self.nulls += 1,
            Json::Bool(value) => self.trues += usize::from(*value),
            Json::Number(number) => self.sum += number.as_f64().unwrap_or(0.0),
            Json::String(text) => self.text += text.len(),
            _ => {}
        }
    }

    #[inline(always)]
    fn ivalue(&mut self, value: &IValue) {
        match value.destructure_ref() {
            DestructuredRef::Null => self.nulls += 1,
            DestructuredRef::Bool(value) => self.trues += usize::from(value),
            DestructuredRef::Number(number) => self.sum += number.to_f64_lossy(),
            DestructuredRef::String(text) => self.text += text.len(),
            _ => {}
        }
    }
}

/// Values whose kinds follow each other without an order.
fn shuffled() -> Vec<Source> {
    let mut dice = Dice(2);
    (0..MANY).map(|_| mixed(&mut dice)).collect()
}

/// The same values as the members of records: the kinds repeat.
fn ordered() -> Vec<Source> {
    let kind = |source: &Source| match source {
        Source::Null => 0,
        Source::Bool(_) => 1,
        Source::Integer(_) => 2,
        Source::Decimal(_) => 3,
        Source::Text(text) => 4 + usize::from(text.len() > 7),
    };
    let mut kinds: [Vec<Source>; 6] = Default::default();
    for source in shuffled() {
        kinds[kind(&source)].push(source);
    }
    let mut found = Vec::with_capacity(MANY);
    while found.len() < MANY {
        // An id, a name, two coordinates, a code, a number of people, a flag, and what is not known.
        for kind in [2, 5, 3, 3, 4, 2, 1, 0] {
            found.extend(kinds[kind].pop());
        }
    }
    found
}

fn words(sources: &[Source]) -> (Arena, Vec<Word>) {
    let mut arena = Arena::new();
    let words = sources.iter().map(|source| word(source, &mut arena)).collect();
    arena.shrink_to_fit();
    (arena, words)
}

/// Making values of what a reader found, and dropping them.
pub fn build() -> Table {
    let sources = shuffled();
    Row::new("1,000,000 mixed values made and dropped, for each of them")
        .case("words", MANY, || words(&sources))
        .case("serde_json", MANY, || sources.iter().map(json).collect::<Vec<_>>())
        .case("ijson", MANY, || sources.iter().map(ivalue).collect::<IArray>())
        .measured()
}

/// Reading every value of a list whose kinds repeat, as those of records do.
pub fn scan() -> Table {
    scan_of("1,000,000 mixed values read in turn, their kinds as in records, for each", &ordered())
}

/// Reading every value of a list in which no kind can be foreseen.
pub fn scan_shuffled() -> Table {
    scan_of("1,000,000 mixed values read in turn, their kinds at random, for each", &shuffled())
}

fn scan_of(title: &'static str, sources: &[Source]) -> Table {
    let ((_arena, words), for_words) = counted(|| words(sources));
    let (jsons, for_jsons) = counted(|| sources.iter().map(json).collect::<Vec<_>>());
    let (ivalues, for_ivalues) = counted(|| sources.iter().map(ivalue).collect::<IArray>());
    let scan_words = || {
        let mut found = Found::default();
        words.iter().for_each(|word| found.word(*word));
        found
    };
    let scan_jsons = || {
        let mut found = Found::default();
        jsons.iter().for_each(|value| found.json(value));
        found
    };
    let scan_ivalues = || {
        let mut found = Found::default();
        ivalues.iter().for_each(|value| found.ivalue(value));
        found
    };
    assert_eq!(scan_words(), scan_jsons());
    assert_eq!(scan_words(), scan_ivalues());
    let each = |bytes: usize| bytes as f64 / MANY as f64;
    Row::new(title)
        .sized_case("words", MANY, each(for_words), scan_words)
        .sized_case("serde_json", MANY, each(for_jsons), scan_jsons)
        .sized_case("ijson", MANY, each(for_ivalues), scan_ivalues)
        .measured()
}

const KEYS: [&str; 5] = ["id", "name", "latitude", "population", "capital"];

/// Reading one member of every map.
pub fn records() -> Table {
    let count = MANY / KEYS.len();
    let mut dice = Dice(3);
    let sources: Vec<[Source; 5]> = (0..count).map(|_| KEYS.map(|_| mixed(&mut dice))).collect();
    let ((arena, words), for_words) = counted(|| {
        let mut arena = Arena::new();
        let mut record = |sources: &[Source; 5]| {
            let values = sources.each_ref().map(|source| word(source, &mut arena));
            let map = Map::new(&KEYS, &values).expect("as many keys as values");
            arena.encode(Value::Map(map)).expect("there is room")
        };
        let words: Vec<Word> = sources.iter().map(&mut record).collect();
        arena.shrink_to_fit();
        (arena, words)
    });
    let (jsons, for_jsons) = counted(|| {
        let record = |of: &[Source; 5]| {
            KEYS.iter().map(|key| (*key).to_owned()).zip(of.iter().map(json)).collect::<Json>()
        };
        sources.iter().map(record).collect::<Vec<Json>>()
    });
    let (ivalues, for_ivalues) = counted(|| {
        let record = |of: &[Source; 5]| {
            KEYS.iter()
                .map(|key| IString::from(*key))
                .zip(of.iter().map(ivalue))
                .collect::<IObject>()
        };
        sources.iter().map(|of| IValue::from(record(of))).collect::<IArray>()
    });
    let scan_words = || {
        let mut found = Found::default();
        for word in &words {
            if let Value::Map(map) = arena.decode(*word)
                && let Some(at) = map.find("population")
            {
                found.word(map.values()[at]);
            }
        }
        found
    };
    let scan_jsons = || {
        let mut found = Found::default();
        jsons.iter().filter_map(|map| map.get("population")).for_each(|value| found.json(value));
        found
    };
    let scan_ivalues = || {
        let mut found = Found::default();
        for value in ivalues.iter().filter_map(|map| map.get("population")) {
            found.ivalue(value);
        }
        found
    };
    assert_eq!(scan_words(), scan_jsons());
    assert_eq!(scan_words(), scan_ivalues());
    let each = |bytes: usize| bytes as f64 / count as f64;
    Row::new("one of five members of 200,000 maps read, for each map")
        .sized_case("words", count, each(for_words), scan_words)
        .sized_case("serde_json", count, each(for_jsons), scan_jsons)
        .sized_case("ijson", count, each(for_ivalues), scan_ivalues)
        .measured()
}
