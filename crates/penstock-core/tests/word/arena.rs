//! Every value comes out of an arena as it went in, bit for bit.

use crate::fixed;
use crate::tree::{Tree, scalars, trees};
use penstock_core::word::{Arena, Map, Tag, Text, Value, Word};
use proptest::prelude::*;

#[test]
fn every_scalar_comes_back() {
    let mut arena = Arena::new();
    let scalars = scalars();
    let words: Vec<Word> = scalars.iter().map(|scalar| scalar.encode(&mut arena)).collect();
    for (scalar, word) in scalars.iter().zip(words) {
        assert_eq!(Tree::decode(&arena, word), *scalar);
    }
}

#[test]
fn small_values_take_nothing() {
    let mut arena = Arena::new();
    for value in [
        Value::Null,
        Value::Bool(true),
        Value::Integer(1 << 58),
        Value::Double(-0.0),
        Value::Text(Text::new("Soldeu.")),
        Value::Seconds(797_500_800.5),
    ] {
        arena.encode(value).unwrap();
    }
    assert_eq!(arena.size(), 0);
    arena.encode(Value::Integer(1 << 62)).unwrap();
    assert_eq!(arena.size(), 8);
}

#[test]
fn maps_with_the_same_keys_share_them() {
    let mut arena = Arena::new();
    let values = [Word::null(), Word::boolean(true)];
    let mut sizes = Vec::new();
    for keys in [["identifier", "population"], ["identifier", "population"], ["id", "n"]] {
        let map = Map::new(&keys, &values).unwrap();
        let word = arena.encode(Value::Map(map)).unwrap();
        assert_eq!((word.tag(), arena.decode(word)), (Tag::Map, Value::Map(map)));
        sizes.push(arena.size());
    }
    // Two values; new keys add two words each and two positions.
    assert_eq!([sizes[1] - sizes[0], sizes[2] - sizes[1]], [16, 16 + 40]);
    assert!(Map::new(&["id"], &values).is_none());
}

#[test]
fn keys_are_found_where_they_are_first() {
    let mut arena = Arena::new();
    let long = "k".repeat(Word::LENGTHS);
    let other = format!("{}l", &long[1..]);
    let keys = ["id", "population", "", "id", "population", &long];
    let values = [Word::null(); 6];
    let given = Map::new(&keys, &values).unwrap();
    let word = arena.encode(Value::Map(given)).unwrap();
    let Value::Map(kept) = arena.decode(word) else { panic!() };
    for map in [given, kept] {
        let found =
            ["id", "population", "", &long, "name", "populatiom", &other].map(|key| map.find(key));
        assert_eq!(found, [Some(0), Some(1), Some(2), Some(5), None, None, None]);
    }
}

#[test]
fn text_too_long_for_a_word_to_tell_its_length() {
    let mut arena = Arena::new();
    let text = "ñ".repeat(1 << 23);
    let shorter = &text[..text.len() - 2];
    let words =
        [&text[..], shorter].map(|text| arena.encode(Value::Text(Text::new(text))).unwrap());
    assert_eq!(words.map(|word| word.length()), [None, Some(shorter.len())]);
    assert_eq!(arena.decode(words[0]), Value::Text(Text::new(&text)));
    assert_eq!(arena.decode(words[1]), Value::Text(Text::new(shorter)));
}

#[test]
fn list_too_long_for_a_word_to_tell_its_length() {
    let mut arena = Arena::new();
    let items = vec![Word::boolean(true); Word::LENGTHS];
    let word = arena.encode(Value::List(&items)).unwrap();
    assert_eq!((word.length(), arena.decode(word)), (None, Value::List(&items)));
}

proptest! {
    #![proptest_config(fixed(2048))]

    #[test]
    fn every_tree_comes_back(trees in proptest::collection::vec(trees(), 1..6)) {
        let mut arena = Arena::new();
        let words: Vec<Word> = trees.iter().map(|tree| tree.encode(&mut arena)).collect();
        for (tree, word) in trees.iter().zip(words) {
            prop_assert_eq!(&Tree::decode(&arena, word), tree);
        }
    }
}
