//! The sink's expectations: keys that may be right or wrong, and the form of numbers.

use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::Want;
use proptest::prelude::*;

use crate::documents::{cuts, damaged, document, number};
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
