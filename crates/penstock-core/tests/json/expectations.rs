//! The sink's expectations: keys that may be right or wrong, and the form of numbers.

use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::Want;
use proptest::prelude::*;

use crate::documents::{cuts, damaged, document, number, string};
use crate::naive::{Event, What, wanted};
use crate::recording::{Cuts, Recorder, chance, read};
use crate::{config, expected};

/// The keys that the sink expects before each event: the next one, another key of the document, or
/// none.
fn lent(events: &[Event], seed: u64) -> Vec<String> {
    let as_text = |(_, what): &Event| match what {
        What::Key(key) if !key.contains(|c: char| c < ' ' || c == '"' || c == '\\') => {
            Some(format!("\"{key}\":"))
        }
        _ => None,
    };
    let keys: Vec<String> = events.iter().filter_map(as_text).collect();
    let lend = |(number, event)| {
        if chance(seed, number, 2) {
            as_text(event).unwrap_or_default()
        } else if chance(seed, number + 7, 3) || keys.is_empty() {
            String::new()
        } else {
            keys[number.wrapping_mul(0x9E37) % keys.len()].clone()
        }
    };
    // After the last event comes a fault, or nothing.
    events.iter().enumerate().map(lend).chain([String::new()]).collect()
}

/// The right key before each event.
fn all_keys(events: &[Event]) -> Vec<String> {
    let key = |(_, what): &Event| match what {
        What::Key(key) if !key.contains(|c: char| c < ' ' || c == '"' || c == '\\') => {
            format!("\"{key}\":")
        }
        _ => String::new(),
    };
    events.iter().map(key).collect()
}

/// Records of several scalars, in one line each or in several.
fn record() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        4 => number(),
        4 => string(),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("[1]".to_owned()),
    ];
    let space = || prop_oneof![6 => Just(""), 2 => Just(" "), 1 => Just("\n  "), 1 => Just("\t")];
    let member = (space(), "[a-z]{1,9}", space(), space(), scalar, space()).prop_map(
        |(front, key, before, after, value, behind)| {
            format!("{front}\"{key}\"{before}:{after}{value}{behind}")
        },
    );
    let record =
        prop::collection::vec(member, 0..40).prop_map(|it| format!("{{{}}}", it.join(",")));
    prop::collection::vec(record, 1..4).prop_map(|it| it.join("\n"))
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn lent_keys_change_nothing(
        text in prop_oneof![document(), damaged(document())], cuts in cuts(), skips in 0_u64..4, seed in 1_u64..1000,
    ) {
        let expected = expected(&text, Framing::Document, skips);
        let lent = lent(&expected, seed);
        let mut recorder = Recorder { lent, ..Recorder::skipping(skips) };
        read(&text, Framing::Document, &Limits::default(), &cuts, &mut recorder);
        prop_assert_eq!(recorder.events, expected);
    }

    #[test]
    fn members_ahead_change_nothing(
        text in prop_oneof![document(), damaged(document()), record(), damaged(record())],
        framing in prop_oneof![Just(Framing::Document), Just(Framing::Lines)],
        cuts in cuts(), seed in 0_u64..1000,
        want in prop_oneof![Just(Want::Native), Just(Want::Float), Just(Want::Digits)],
        token in prop_oneof![Just(Limits::default().token), 8_usize..30],
        refused in prop_oneof![Just(None), (0_usize..12).prop_map(|event| Some((event, 0)))],
    ) {
        let limits = Limits { token, number: token.min(Limits::default().number), ..Limits::default() };
        let told = |lent: Vec<String>, cuts: &Cuts| {
            let mut recorder = Recorder::ahead(lent, want);
            recorder.refusal = refused;
            read(&text, framing, &limits, cuts, &mut recorder);
            recorder
        };
        let plainly = told(Vec::new(), &Cuts::WHOLE).events;
        let lent = if seed == 0 { all_keys(&plainly) } else { lent(&plainly, seed) };
        prop_assert_eq!(told(lent, &cuts).events, plainly);
    }

    #[test]
    fn a_number_in_each_form(digits in number(), cuts in cuts()) {
        let told = |want| {
            let mut recorder = Recorder { want, ..Recorder::new() };
            read(&format!(" [{digits}]"), Framing::Document, &Limits::default(), &cuts, &mut recorder);
            let (at, what) = recorder.events.swap_remove(1);
            assert_eq!(at, 2);
            what
        };
        let number = What::Number(digits.clone());
        for want in [Want::Digits, Want::Float, Want::Native] {
            prop_assert_eq!(told(want), wanted(&number, want));
        }
    }
}

/// Members with scalars are found ahead, in as few parts as there may be.
#[test]
fn members_are_found_ahead() {
    let text = r#"{"a":1,"b": "x", "c":null,"d":[1],"e":true,"f":-0.5,"g":"\n","h":2}"#;
    let events = expected(text, Framing::Document, 0);
    let mut recorder = Recorder::ahead(all_keys(&events), Want::Float);
    read(text, Framing::Document, &Limits::default(), &Cuts::WHOLE, &mut recorder);
    // Not the list, and not the text with an escape.
    assert_eq!((recorder.found_ahead, recorder.found), (6, 8));
}

/// An expected key that is in the text is found, whatever its length; a key that only has the same
/// beginning is not.
#[test]
fn keys_of_every_length() {
    for length in 0..40 {
        let name = &"abcdefghijklmnopqrstuvwxyz0123456789ABCD"[..length];
        let text = format!("{{\"{name}\":1}}");
        let events = expected(&text, Framing::Document, 0);
        let recorder = |lent: &str| {
            let mut recorder = Recorder { lent: vec![format!("\"{lent}\":")], ..Recorder::new() };
            read(&text, Framing::Document, &Limits::default(), &Cuts::WHOLE, &mut recorder);
            assert_eq!(recorder.events, events);
            recorder.found
        };
        assert_eq!(recorder(name), 1, "{name}");
        for wrong in 0..length {
            let wrong = [&name[..wrong], "_", &name[wrong + 1..]].concat();
            assert_eq!(recorder(&wrong), 0, "{name} {wrong}");
        }
        assert_eq!(recorder(&format!("{name}_")), 0);
    }
}
