//! Each limit at the last value that it allows, and at the first that it does not.

use penstock_core::error::Kind::Limit;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::Want;
use proptest::prelude::*;

use crate::config;
use crate::documents::{cuts, document};
use crate::naive::{Event, What, naive};
use crate::recording::{Answers, Cuts, Recorder, read};

/// The events of a text within the limits, which must be the same however it is cut.
fn told(text: &str, limits: &Limits, skips: u64) -> Vec<Event> {
    let mut recorder = Recorder::skipping(skips);
    read(text, Framing::Document, limits, &Cuts::WHOLE, &mut recorder);
    for cuts in [Cuts::bytes(), Cuts(vec![2]), Cuts(vec![5, 0, 3])] {
        let mut again = Recorder::skipping(skips);
        read(text, Framing::Document, limits, &cuts, &mut again);
        assert_eq!(again.events, recorder.events, "{text:?} {cuts:?}");
    }
    recorder.events
}

fn last(text: &str, limits: &Limits) -> Event {
    told(text, limits, 0).pop().unwrap()
}

#[test]
fn depth() {
    let limits = Limits { depth: 3, ..Limits::default() };
    assert_eq!(last(r#"[{"a":[1]}]"#, &limits), (10, What::EndList));
    assert_eq!(last(r#"[{"a":[[]]}]"#, &limits), (7, What::Fault(Limit)));
    assert_eq!(last("[[[],[],{}]]", &limits), (11, What::EndList));
    let none = Limits { depth: 0, ..Limits::default() };
    assert_eq!(last("1", &none).1, What::Number("1".to_owned()));
    assert_eq!(last(" {}", &none), (1, What::Fault(Limit)));
}

/// Skipped values have the same limit of depth.
#[test]
fn depth_of_what_is_skipped() {
    let limits = Limits { depth: 50, ..Limits::default() };
    for skips in 1..50 {
        let text = ["[".repeat(50), "]".repeat(50)].concat();
        assert!(!matches!(told(&text, &limits, skips).last(), Some((_, What::Fault(_)))));
        let text = ["[".repeat(51), "]".repeat(51)].concat();
        assert_eq!(told(&text, &limits, skips).pop(), Some((50, What::Fault(Limit))));
    }
}

#[test]
fn tokens() {
    let limits = Limits { token: 4, ..Limits::default() };
    assert_eq!(last(r#""abcd""#, &limits), (0, What::Text("abcd".to_owned())));
    assert_eq!(last(r#" "abcde""#, &limits), (1, What::Fault(Limit)));
    assert_eq!(last(r#"{"abcd":1}"#, &limits), (9, What::EndMap));
    assert_eq!(last(r#"{"abcde":1}"#, &limits), (1, What::Fault(Limit)));
    // The bytes in the text count, because they must be kept: escapes are not resolved.
    assert_eq!(last(r#""\n\n""#, &limits), (0, What::Text("\n\n".to_owned())));
    assert_eq!(last(r#""\n\na""#, &limits), (0, What::Fault(Limit)));
    assert_eq!(last(r#""\u00e9""#, &limits), (0, What::Fault(Limit)));
    // A string without an end is reported as soon as it is too long.
    assert_eq!(last("\"abcde", &limits), (0, What::Fault(Limit)));
    assert_eq!(last("\"abcde\n\"", &limits), (0, What::Fault(Limit)));
}

#[test]
fn numbers() {
    let limits = Limits { number: 4, ..Limits::default() };
    for good in ["1234", "-123", "1.25", "1e10"] {
        assert_eq!(last(good, &limits), (0, What::Number(good.to_owned())));
        let text = format!("[{good}0]");
        assert_eq!(last(&text, &limits), (1, What::Fault(Limit)));
        for want in [Want::Native, Want::Float] {
            let mut recorder = Recorder { want, ..Recorder::new() };
            // Add enough bytes for reading eight digits at once.
            let text = format!("{text}{:32}", "");
            read(&text, Framing::Document, &limits, &Cuts::WHOLE, &mut recorder);
            assert_eq!(recorder.events.last(), Some(&(1, What::Fault(Limit))), "{want:?}");
        }
    }
    // A text that only looks like a longer number is not one.
    let malformed = What::Fault(penstock_core::error::Kind::Malformed);
    assert_eq!(last("[1-1-1-1-1]", &limits), (2, malformed.clone()));
    assert_eq!(last("[0000000]", &limits), (2, malformed));
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn limits_are_those_of_the_twin(
        text in document(), cuts in cuts(), seed in 0_u64..4,
        depth in 0_usize..5, token in 0_usize..40, number in 0_usize..12,
    ) {
        let limits = Limits { depth, token, number, ..Limits::default() };
        let expected = naive(&text, Framing::Document, &limits, Answers::skipping(seed));
        for cuts in [Cuts::WHOLE, cuts] {
            let mut recorder = Recorder::skipping(seed);
            read(&text, Framing::Document, &limits, &cuts, &mut recorder);
            prop_assert_eq!(&recorder.events, &expected);
        }
    }
}
