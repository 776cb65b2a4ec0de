//! Equality, order and hash are those of the naive twin, in one arena and across two.

use crate::fixed;
use crate::tree::{Tree, dates, numbers, scalars, texts, trees};
use penstock_core::word::{Arena, Held, Value, Word};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

fn hash(held: Held<'_>) -> u64 {
    let mut state = DefaultHasher::new();
    held.hash(&mut state);
    state.finish()
}

/// Compares all of them with each other; returns how many pairs of different positions are equal.
fn agree(trees: &[Tree]) -> usize {
    let (mut one, mut two) = (Arena::new(), Arena::new());
    // Make the offsets in the second arena differ from those in the first.
    two.encode(Value::Integer(i64::MAX)).unwrap();
    let mut words: Vec<(Word, Word)> = Vec::new();
    for tree in trees.iter().rev() {
        words.push((Word::null(), tree.encode(&mut two)));
    }
    words.reverse();
    for (tree, word) in trees.iter().zip(&mut words) {
        word.0 = tree.encode(&mut one);
    }
    let mut equal = 0;
    for (tree, (word, _)) in trees.iter().zip(&words) {
        let held = Held::new(&one, *word);
        for (other, (near, far)) in trees.iter().zip(&words) {
            let expected = tree.naive_cmp(other);
            for found in [Held::new(&one, *near), Held::new(&two, *far)] {
                assert_eq!(held.cmp(&found), expected, "{tree:?} and {other:?}");
                assert_eq!(held == found, expected.is_eq());
                if expected == Ordering::Equal {
                    assert_eq!(hash(held), hash(found), "{tree:?} and {other:?}");
                    equal += 1;
                }
            }
        }
    }
    equal / 2 - trees.len()
}

#[test]
fn numbers_by_their_value() {
    assert!(agree(&numbers()) > 100);
}

#[test]
fn dates_by_their_moment() {
    assert!(agree(&dates()) > 50);
}

#[test]
fn texts_by_their_code_points() {
    agree(&texts());
}

#[test]
fn kinds_in_their_order() {
    let some: Vec<Tree> = scalars().into_iter().step_by(7).collect();
    let lists = some.iter().map(|tree| Tree::List(vec![tree.clone()]));
    let maps = some.iter().map(|tree| Tree::Map(vec![("name".into(), tree.clone())]));
    let all: Vec<Tree> = some.iter().cloned().chain(lists).chain(maps).collect();
    agree(&all);
}

#[test]
fn different_values_have_different_hashes() {
    let mut arena = Arena::new();
    let mut words: Vec<Word> = scalars().iter().map(|tree| tree.encode(&mut arena)).collect();
    let held = |word: &Word| Held::new(&arena, *word);
    words.sort_by(|one, two| held(one).cmp(&held(two)));
    words.dedup_by(|one, two| held(one) == held(two));
    let mut hashes: Vec<u64> = words.iter().map(|word| hash(held(word))).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), words.len());
}

#[test]
fn members_in_any_order_but_repeated_ones() {
    let map = |members: &[(&str, i64)]| {
        Tree::Map(members.iter().map(|(key, of)| ((*key).into(), Tree::Integer(*of))).collect())
    };
    let maps = [
        map(&[("id", 1), ("population", 2)]),
        map(&[("population", 2), ("id", 1)]),
        map(&[("id", 1), ("id", 2)]),
        map(&[("id", 2), ("id", 1)]),
        map(&[("id", 1)]),
        map(&[]),
    ];
    assert_eq!(agree(&maps), 2);
}

#[test]
fn exponents_beyond_use() {
    let mut arena = Arena::new();
    let mut word = |text| Tree::number(text).encode(&mut arena);
    let words =
        ["1e1000000000000000", "1e-1000000000000000", "-1e1000000000000000", "0e1000000000000000"]
            .map(&mut word);
    let zero = Word::integer(0).unwrap();
    let held = |word| Held::new(&arena, word);
    assert!(
        held(words[2]) < held(zero)
            && held(zero) < held(words[1])
            && held(words[1]) < held(words[0])
    );
    assert_eq!(held(words[3]), held(zero));
    assert_eq!(hash(held(words[3])), hash(held(zero)));
}

#[test]
fn a_million_levels() {
    let mut arenas = [Arena::new(), Arena::new()];
    let words = arenas.each_mut().map(|arena| {
        let mut word = arena.encode(Value::Double(1.0)).unwrap();
        for _ in 0..1_000_000 {
            word = arena.encode(Value::List(&[word])).unwrap();
        }
        word
    });
    let held = [0, 1].map(|at| Held::new(&arenas[at], words[at]));
    assert_eq!(held[0], held[1]);
    assert_eq!(hash(held[0]), hash(held[1]));
}

proptest! {
    #![proptest_config(fixed(1024))]

    #[test]
    fn trees_as_their_twins(trees in proptest::collection::vec(trees(), 2..8)) {
        agree(&trees);
    }
}
