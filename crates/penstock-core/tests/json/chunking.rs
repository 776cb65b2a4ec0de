//! However the text is cut, and wherever the sink pauses, the events and the fault are the same.

use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::Want;
use proptest::prelude::*;
use proptest::sample::select;

use crate::documents::{cuts, damaged, document};
use crate::naive::{What, naive, wanted};
use crate::recording::{Answers, Cuts, Recorder, read};
use crate::{config, expected, told};

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn any_windows_tell_the_same(text in damaged(document()), cuts in cuts(), skips in 0_u64..4) {
        let events = told(&text, Framing::Document, &cuts, skips);
        prop_assert_eq!(events, expected(&text, Framing::Document, skips));
    }

    /// The instruction set of this machine, the portable one, and the shared copy of the grammar
    /// report the same events.
    #[test]
    fn the_portable_set_tells_the_same(
        text in damaged(document()), cuts in cuts(), skips in 0_u64..4, portable: bool,
    ) {
        for cuts in [Cuts::WHOLE, cuts] {
            let shared = !portable;
            let mut recorder = Recorder { portable, shared, ..Recorder::skipping(skips) };
            read(&text, Framing::Document, &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(recorder.events, expected(&text, Framing::Document, skips));
        }
    }

    #[test]
    fn one_byte_at_a_time(text in damaged(document()), skips in 0_u64..4) {
        let events = told(&text, Framing::Document, &Cuts::bytes(), skips);
        prop_assert_eq!(events, expected(&text, Framing::Document, skips));
    }

    /// A pause between two events changes none of them; nor do a stop and a later continuation.
    #[test]
    fn pauses_change_nothing(
        text in damaged(document()), cuts in cuts(), skips in 0_u64..4, pauses in 1_u64..1000,
    ) {
        let mut recorder = Recorder { pauses, ..Recorder::skipping(skips) };
        read(&text, Framing::Document, &Limits::default(), &cuts, &mut recorder);
        prop_assert_eq!(recorder.events, expected(&text, Framing::Document, skips));
    }

    /// After a refused event the reader continues with the next one, or skips the abandoned value.
    #[test]
    fn what_is_given_up_is_passed_over(
        text in damaged(document()), cuts in cuts(), number in any::<prop::sample::Index>(), depth in 0_usize..4,
    ) {
        let all = expected(&text, Framing::Document, 0);
        let refused = number.index(all.len());
        let mut recorder = Recorder { refusal: Some((refused, depth)), ..Recorder::new() };
        read(&text, Framing::Document, &Limits::default(), &cuts, &mut recorder);

        let (mut open, mut passing) = (0_usize, false);
        let mut told = Vec::new();
        for (number, event) in all.into_iter().enumerate() {
            let silent = passing && !matches!(event.1, What::Fault(_));
            match event.1 {
                What::BeginMap | What::BeginList => open += 1,
                What::EndMap | What::EndList => open -= 1,
                _ => {}
            }
            if !silent {
                told.push(event);
            }
            passing = open > depth && (passing || number == refused);
        }
        prop_assert_eq!(recorder.events, told);
    }
}

proptest! {
    #![proptest_config(config(800))]

    /// The same with `NaN` and the infinities as values, in each framing, with looks ahead, and for
    /// each form of number that a sink may want.
    #[test]
    fn what_is_not_finite(
        text in damaged(damaged(document())), cuts in cuts(), skips in 0_u64..3, looks in 0_u64..3,
        framing in select(&[Framing::Document, Framing::Lines, Framing::Sequence, Framing::Concatenated]),
        want in select(&[Want::Digits, Want::Native, Want::Float]), bytes: bool,
    ) {
        let text = if framing == Framing::Sequence { format!("\u{1e}{text}\n") } else { text };
        let answers = Answers { skips, looks, non_finite: true, comments: false };
        let mut recorder = Recorder { want, ..Recorder::answering(answers) };
        let cuts = if bytes { Cuts::bytes() } else { cuts };
        read(&text, framing, &Limits::default(), &cuts, &mut recorder);
        let mut plain = naive(&text, framing, &Limits::default(), answers);
        for (_, what) in &mut plain {
            *what = wanted(what, want);
        }
        prop_assert_eq!(recorder.events, plain);
    }
}

/// Every cut of literals that are not finite, whole and damaged, skipped and wanted.
#[test]
fn every_cut_of_what_is_not_finite() {
    let literals = ["NaN", "Infinity", "-Infinity", "Na", "-Inf", "-I", "-", "NaNs", "-NaN", "I N"];
    for literal in literals {
        for text in [literal.to_owned(), format!("{{\"a\":[1,{literal},2]}}")] {
            for skips in 0..6 {
                for framing in [Framing::Document, Framing::Lines, Framing::Concatenated] {
                    let answers = Answers { skips, non_finite: true, ..Answers::default() };
                    let expected = naive(&text, framing, &Limits::default(), answers);
                    for first in 1..=text.len() as u8 {
                        for second in 1..=text.len() as u8 {
                            let cuts = Cuts(vec![first, second, 255]);
                            let mut recorder = Recorder::answering(answers);
                            read(&text, framing, &Limits::default(), &cuts, &mut recorder);
                            assert_eq!(recorder.events, expected, "{text} at {first} and {second}");
                        }
                    }
                }
            }
        }
    }
}

/// Every cut of a text in two, and in three.
#[test]
fn every_cut() {
    let text = r#"{"a\n":[-1.5e+7,"é\ud834\udd1e",true],"b":{"":null}} "#;
    for skips in 0..4 {
        let expected = expected(text, Framing::Document, skips);
        for first in 1..=text.len() as u8 {
            for second in 1..=text.len() as u8 {
                let events = told(text, Framing::Document, &Cuts(vec![first, second, 255]), skips);
                assert_eq!(events, expected, "cut at {first} and {second} bytes later");
            }
        }
    }
}
