//! Paths, automata and the filter, compared with their naive twins, and tested by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod forwarding;
mod tree;

use std::collections::BTreeSet;

use penstock_core::event::Matched;
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Trace};
use penstock_core::select::{Automaton, Path, Records, Select, Test};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tree::{Edge, Moody, Token, Value, leads, tell, values};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A match of a path: its id, its position, and whether it was the value, its key or its text.
type Found = (u32, usize, &'static str);

/// Walks the values with the automaton.
fn by_automaton(automaton: &Automaton, values: &[Value]) -> BTreeSet<(Found, bool)> {
    let mut found = BTreeSet::new();
    // The state in each value, by its index among the values.
    let mut places: Vec<(&[Edge], Option<u32>)> = Vec::new();
    for value in values {
        let at = value.tokens.start;
        let state = match value.way.split_last() {
            None => Some(0),
            Some((edge, above)) => {
                // The document around a root element has no value of its own.
                let parent = places.iter().rev().find(|(way, _)| *way == above);
                let parent = parent.map_or(Some(0), |(_, state)| *state);
                parent.and_then(|state| {
                    let state = &automaton.states[state as usize];
                    let target = match edge {
                        Edge::Name(name) => state.key(&name.key()),
                        Edge::Index(index) => state.index(*index),
                    }?;
                    if let Some(inside) = target.state {
                        for id in &automaton.states[inside as usize].takes_key {
                            found.insert(((*id, at, "key"), true));
                        }
                    }
                    match target.accept {
                        Some(id) => {
                            found.insert(((id, at, "value"), target.any));
                            None
                        }
                        None => target.state,
                    }
                })
            }
        };
        if let Some(state) = state {
            for id in &automaton.states[state as usize].takes_text {
                found.insert(((*id, at, "text"), true));
            }
        }
        places.push((&value.way, state));
    }
    found
}

/// Tests each path against each value.
fn by_hand(paths: &[(Path, u32)], values: &[Value]) -> BTreeSet<(Found, bool)> {
    let mut found = BTreeSet::new();
    let mut taken: Option<(u32, &Value)> = None;
    for value in values {
        let at = value.tokens.start;
        taken = taken.filter(|(_, outer)| at < outer.tokens.end);
        let inside = taken;
        for (path, id) in paths {
            let last = path.steps().last().unwrap().test();
            if !matches!(last, Test::Text | Test::KeyOf) && leads(path, 0, &value.way, paths) {
                if let Some((owner, outer)) = inside {
                    let begun = value.way.len() - path.steps().len() < outer.way.len();
                    assert!(owner == *id || (path.anywhere() && !begun), "an unseen conflict");
                    continue;
                }
                if let Some((owner, same)) = taken {
                    assert!(same.tokens.start == at && owner == *id, "an unseen conflict");
                }
                taken = Some((*id, value));
                let many = paths.iter().any(|(path, i)| {
                    i == id && path.matches_many() && leads(path, 0, &value.way, paths)
                });
                found.insert(((*id, at, "value"), many));
            }
        }
        for (path, id) in paths.iter().filter(|_| inside.is_none()) {
            let last = path.steps().last().unwrap().test();
            if *last == Test::KeyOf && leads(path, 1, &value.way, paths) {
                found.insert(((*id, at, "key"), true));
            }
            if *last == Test::Text && taken.is_none() && leads(path, 1, &value.way, paths) {
                found.insert(((*id, at, "text"), true));
            }
        }
    }
    found
}

/// The values that are records, and the step by which a `*` found each.
fn records_by_hand(path: Option<&Path>, tokens: &[Token]) -> Vec<(Value, Option<Edge>)> {
    let values = values(tokens);
    let Some(path) = path else {
        let rooted = matches!(tokens[0], Token::Name(_));
        let children = rooted || matches!(tokens[0], Token::List);
        let is_record = |value: &&Value| match value.way.last() {
            Some(Edge::Name(name)) if rooted => {
                value.way.len() == 2 && name.kind == penstock_core::event::KeyKind::Element
            }
            _ => value.way.len() == usize::from(children),
        };
        return values.iter().filter(is_record).map(|value| (value.clone(), None)).collect();
    };
    let all = [(path.clone(), 0)];
    let path = &all[0].0;
    let mut records: Vec<(Value, Option<Edge>)> = Vec::new();
    for value in values {
        let inside = records.last().is_some_and(|(r, _)| value.tokens.start < r.tokens.end);
        if !inside && leads(path, 0, &value.way, &all) {
            let star = path.steps().iter().rev().position(|step| step.is_wild());
            let by = star.map(|above| value.way[value.way.len() - 1 - above].clone());
            records.push((value, by));
        }
    }
    records
}

/// The filter in front of a moody sink gives the same events as reporting each record to the sink
/// on its own.
fn filters_alike(path: Option<&Path>, tokens: &[Token], seed: u64) -> Result<(), TestCaseError> {
    let records = match path {
        None => Records::by_default(),
        Some(path) => Records::at(path).unwrap(),
    };
    let mut select = Select::new(Moody::new(seed), records);
    tell(tokens, 0..tokens.len(), &mut select, |select| select.record_depth());
    prop_assert_eq!(select.record_depth(), 0);

    let expected = records_by_hand(path, tokens);
    prop_assert_eq!(select.records(), expected.len() as u64);
    let mut alone = Moody::new(seed);
    for (value, by) in expected {
        match by {
            Some(Edge::Index(index)) => alone.matched(Matched::Index(index)),
            Some(Edge::Name(name)) => alone.matched(Matched::Key(name.local.into())),
            None => {}
        }
        tell(tokens, value.tokens, &mut alone, |_| 0);
    }
    prop_assert_eq!(select.inner().trace.text(), alone.trace.text());
    Ok(())
}

fn is_value(path: &Path) -> bool {
    !matches!(path.steps().last().unwrap().test(), Test::Text | Test::KeyOf)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn automaton_agrees_with_the_obvious_matcher(
        paths in vec(tree::path(), 0..5),
        tokens in prop_oneof![tree::json(), tree::xml()],
        alias in any::<bool>(),
    ) {
        let id = |n: usize| if alias { n as u32 / 2 } else { n as u32 };
        let paths: Vec<_> = paths.into_iter().enumerate().map(|(n, p)| (p, id(n))).collect();
        // A refused set has nothing to compare.
        let Ok(automaton) = Automaton::fields(&paths) else { return Ok(()) };
        let values = values(&tokens);
        prop_assert_eq!(by_automaton(&automaton, &values), by_hand(&paths, &values));
    }

    #[test]
    fn record_automaton_agrees_with_the_obvious_matcher(
        path in tree::path().prop_filter("a value", is_value),
        tokens in prop_oneof![tree::json(), tree::xml()],
    ) {
        let automaton = Automaton::record(&path).unwrap();
        let values = values(&tokens);
        prop_assert_eq!(by_automaton(&automaton, &values), by_hand(&[(path, 0)], &values));
    }

    #[test]
    fn several_kinds_are_told_apart(
        paths in vec(tree::path().prop_filter("a value", is_value), 2..4),
        tokens in prop_oneof![tree::json(), tree::xml()],
    ) {
        let Ok(records) = Records::several(&paths) else { return Ok(()) };
        let mut select = Select::new(Kinds::default(), records);
        tell(&tokens, 0..tokens.len(), &mut select, |select| select.record_depth());
        let all: Vec<_> = paths.into_iter().zip(0..).collect();
        let mut expected: Vec<_> =
            by_hand(&all, &values(&tokens)).into_iter().map(|((kind, at, _), _)| (at, kind)).collect();
        expected.sort_unstable();
        let expected: Vec<_> = expected.into_iter().map(|(_, kind)| kind).collect();
        prop_assert_eq!(&select.inner().told, &expected);
        prop_assert_eq!(select.records(), expected.len() as u64);
    }

    #[test]
    fn filter_forwards_the_records(
        path in prop::option::weighted(0.8, tree::path().prop_filter("a value", is_value)),
        tokens in prop_oneof![tree::json(), tree::xml()],
        seed in prop_oneof![Just(0), any::<u64>()],
    ) {
        filters_alike(path.as_ref(), &tokens, seed)?;
    }
}

#[test]
fn the_random_cases_do_match() {
    // The properties above mean little if most of their cases are empty.
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::new(config());
    let cases = (vec(tree::path(), 1..5), prop_oneof![tree::json(), tree::xml()]);
    let (mut compiled, mut matched) = (0, 0);
    for _ in 0..500 {
        let (paths, tokens) = cases.new_tree(&mut runner).unwrap().current();
        let paths: Vec<_> = paths.into_iter().zip(0..).collect();
        if Automaton::fields(&paths).is_ok() {
            compiled += 1;
            matched += usize::from(!by_hand(&paths, &values(&tokens)).is_empty());
        }
    }
    assert!(compiled > 200 && matched > 60, "{compiled} of 500 compiled, {matched} matched");
}

/// The kinds of the records that it gets. It skips their contents.
#[derive(Debug, Default)]
struct Kinds {
    told: Vec<u32>,
}

impl Sink for Kinds {
    type Error = ();
    fn begin_map(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Skip)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Skip)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: penstock_core::event::Key<'_>, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn scalar(&mut self, _value: penstock_core::event::Scalar<'_>, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: penstock_core::event::Text<'_>, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
    fn record(&mut self, kind: u32) {
        self.told.push(kind);
    }
}

impl Hints for Kinds {}
impl LookAhead for Kinds {}

/// Several kinds, in front of a sink that writes down its events.
fn kinds(paths: &[&str]) -> Select<Trace> {
    let paths: Vec<_> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
    Select::new(Trace::new(), Records::several(&paths).unwrap())
}

#[test]
fn each_record_has_its_kind() {
    // {"b": {"x": 1}, "a": [2, 3], "c": 4}
    let mut select = kinds(&["a/*", "b", "c"]);
    select.begin_map(0).unwrap();
    select.key("b".into(), 1).unwrap();
    select.begin_map(6).unwrap();
    select.key("x".into(), 7).unwrap();
    select.number(b"1", 12).unwrap();
    select.end_map(13).unwrap();
    select.key("a".into(), 16).unwrap();
    select.begin_list(21).unwrap();
    select.number(b"2", 22).unwrap();
    select.number(b"3", 25).unwrap();
    select.end_list(26).unwrap();
    select.key("c".into(), 29).unwrap();
    select.number(b"4", 34).unwrap();
    select.end_map(35).unwrap();
    assert_eq!(select.records(), 4);
    let expected = r#"
     record 1
   6 begin map
   7   key "x"
  12   number 1
  13 end map
     record 0
     matched index 0
  22 number 2
     record 0
     matched index 1
  25 number 3
     record 2
  34 number 4
"#;
    assert_eq!(select.inner().text(), expected.trim_start_matches('\n'));
}

#[test]
fn one_kind_is_not_told() {
    let mut select = kinds(&["a"]);
    select.begin_map(0).unwrap();
    select.key("a".into(), 1).unwrap();
    select.number(b"2", 6).unwrap();
    select.end_map(7).unwrap();
    assert_eq!(select.inner().text(), "   6 number 2\n");
}

#[test]
fn kinds_that_cannot_be_told_apart() {
    let refused = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
        let (place, error) = Records::several(&paths).unwrap_err();
        (place, error.to_string())
    };
    let claims = |path| format!("it claims the same values as '{path}' (column 1)");
    assert_eq!(refused(&["a/b", "c", "a/b"]), (2, claims("a/b")));
    assert_eq!(refused(&["a/b", "a"]), (1, claims("a/b")));
    assert_eq!(refused(&["//x", "a/*"]), (1, claims("//x")));
    let reason = "a record is a whole value, and text() is not (column 3)";
    assert_eq!(refused(&["a", "b/text()"]), (1, reason.to_owned()));
}

fn select(path: &str) -> Select<Trace> {
    Select::new(Trace::new(), Records::at(&Path::parse(path).unwrap()).unwrap())
}

#[test]
fn what_cannot_match_is_skipped() {
    let mut select = select("data/items/*");
    assert_eq!(select.begin_map(0), Ok(Flow::Take));
    assert_eq!(select.key("noise".into(), 1), Ok(Flow::Skip));
    assert_eq!(select.key("data".into(), 10), Ok(Flow::Take));
    // Only a map can have the key `items`.
    assert_eq!(select.begin_list(20), Ok(Flow::Skip));
    assert_eq!(select.key("data".into(), 30), Ok(Flow::Take));
    assert_eq!(select.number(b"7", 37), Ok(Flow::Take));
    assert_eq!(select.end_map(40), Ok(Flow::Take));
    assert_eq!((select.records(), select.inner().text()), (0, ""));
}

#[test]
fn the_way_to_the_record() {
    let mut select = select("data/*/2");
    select.begin_map(0).unwrap();
    select.key("other".into(), 1).unwrap();
    select.key("data".into(), 2).unwrap();
    select.begin_map(3).unwrap();
    select.key("first".into(), 4).unwrap();
    select.begin_map(5).unwrap();
    select.end_map(6).unwrap();
    select.key("second".into(), 7).unwrap();
    select.begin_list(8).unwrap();
    select.null(9).unwrap();
    assert_eq!(select.begin_list(10), Ok(Flow::Skip));
    select.begin_map(11).unwrap();
    assert!(select.in_record());
    assert_eq!((select.record_depth(), select.records()), (3, 1));
    let key = |key: &str| PathStep::Key(key.to_owned());
    assert_eq!(select.path_prefix(), [key("data"), key("second"), PathStep::Index(2)]);
    // The inner sink handles the record's own keys.
    select.key("x".into(), 12).unwrap();
    assert_eq!(select.path_prefix().len(), 3);

    select.abandon();
    assert!(!select.in_record());
    select.end_list(20).unwrap();
    assert_eq!(select.path_prefix(), [key("data"), key("second")]);
    select.end_map(21).unwrap();
    assert_eq!(select.path_prefix(), [key("data")]);
    select.end_map(22).unwrap();
    assert_eq!(select.path_prefix(), []);
    let expected = "     matched key \"second\"\n  11 begin map\n  12   key \"x\"\n     abandon\n";
    assert_eq!(select.inner().text(), expected);
}

#[test]
fn documents_follow_each_other() {
    let mut select = select("a");
    for at in [0, 10] {
        select.begin_map(at).unwrap();
        select.key("a".into(), at + 1).unwrap();
        select.begin_list(at + 2).unwrap();
        // The rest of the line is malformed.
        select.restart();
    }
    assert_eq!((select.records(), select.record_depth()), (2, 0));
    let expected = "   2 begin list\n     abandon\n  12 begin list\n     abandon\n";
    assert_eq!(select.inner().text(), expected);
}

/// Expects a key, like sinks that know the order of keys.
struct Lending;

impl Sink for Lending {
    type Error = ();
    fn begin_map(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Pause)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Stop)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn name(&mut self, _key: penstock_core::event::Key<'_>, _at: u64) -> Result<Flow, ()> {
        Err(())
    }
    fn scalar(&mut self, _value: penstock_core::event::Scalar<'_>, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: penstock_core::event::Text<'_>, _at: u64) -> Result<Flow, ()> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Lending {
    fn expected_key(&self) -> &[u8] {
        b"\"id\":"
    }
}
impl LookAhead for Lending {}

#[test]
fn answers_pass_through() {
    let mut select = Select::new(Lending, Records::by_default());
    assert_eq!(select.begin_list(0), Ok(Flow::Take));
    assert_eq!(select.expected_key(), b"");
    assert_eq!(select.begin_map(1), Ok(Flow::Take));
    assert_eq!(select.expected_key(), b"\"id\":");
    assert_eq!(select.expected_key_found(2), Ok(Flow::Take));
    assert_eq!(select.key("x".into(), 3), Err(()));
    select.abandon();
    assert_eq!(select.expected_key(), b"");
    assert_eq!(select.begin_map(4), Ok(Flow::Take));
    assert_eq!(select.end_map(5), Ok(Flow::Pause));
    assert_eq!(select.begin_list(6), Ok(Flow::Stop));
    assert_eq!(select.path_prefix(), [PathStep::Index(2)]);
}

#[test]
fn before_a_real_reader() {
    use penstock_core::json::{Framing, Reader, Step};
    use penstock_core::limits::Limits;

    let text = r#"{"skip": [{"id": 0}], "items": {"x": {"id": 1}, "y": [2], "z": {"id": 3}}}"#;
    let records = Records::at(&Path::parse("items/*").unwrap()).unwrap();
    // The record at `y` is a list.
    let mut select = Select::new(Moody::refusing(53), records);
    let mut reader = Reader::new(Framing::Document, &Limits::default());
    let mut refused = Vec::new();
    while let Err(error) = reader.run(text.into(), true, &mut select) {
        refused.push((format!("{error:?}"), select.path_prefix()));
        select.abandon();
        reader.abandon(select.record_depth());
    }
    assert_eq!(reader.run(text.into(), true, &mut select).unwrap(), Step::Done);
    let way = ["items", "y"].map(|key| PathStep::Key(key.to_owned()));
    assert_eq!(refused, [("Sink(())".to_owned(), way.to_vec())]);
    let expected = r#"
     matched key "x"
  37 begin map
  38   key "id"
  44   number 1
  45 end map
     matched key "y"
  53 begin list
     abandon
     matched key "z"
  63 begin map
  64   key "id"
  70   number 3
  71 end map
"#;
    assert_eq!(select.inner().trace.text(), expected.trim_start_matches('\n'));
}
