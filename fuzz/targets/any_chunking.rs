//! However a source is cut into windows, wherever the sink pauses or looks ahead, and whatever keys
//! it lends: the same events and the same faults as the naive twin finds in the whole of it.
//!
//! The first bytes of the input choose; the rest is the source.

#![no_main]

#[path = "../../crates/penstock-core/tests/json/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/json/recording.rs"]
#[allow(dead_code)]
mod recording;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_scan::ValidText;

use naive::What;
use recording::{Answers, Cuts, Recorder, read};

#[derive(Arbitrary, Debug)]
struct Choices {
    cuts: [u8; 6],
    framing: u8,
    skips: u8,
    pauses: u8,
    lends: u8,
    looks: u8,
    lookahead: u8,
    short: bool,
    portable: bool,
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let text = ValidText::check(choices.take_rest()).text.as_str();
    let framings = [Framing::Document, Framing::Lines, Framing::Sequence, Framing::Concatenated];
    let framing = framings[usize::from(chosen.framing % 4)];
    let mut limits = Limits { depth: if chosen.short { 4 } else { 100 }, ..Limits::default() };
    let answers = Answers {
        skips: (chosen.skips % 8).into(),
        looks: chosen.looks.into(),
        ..Answers::default()
    };

    let mut expected = naive::naive(text, framing, &limits, answers);
    if chosen.lookahead > 0 {
        // What is cut by the limit, the twin does not name as the reader does.
        limits.lookahead = chosen.lookahead.into();
        let mut whole = Recorder::answering(answers);
        read(text, framing, &limits, &Cuts::WHOLE, &mut whole);
        expected = whole.events;
    }
    let lent = match chosen.lends {
        0 => Vec::new(),
        lends => expected
            .iter()
            .enumerate()
            .map(|(n, (_, what))| match what {
                What::Key(key) if !key.contains(|c: char| c < ' ' || c == '"' || c == '\\') => {
                    // Now and then another key than the one that comes.
                    let wrong = if recording::chance(lends.into(), n, 4) { "_" } else { "" };
                    format!("\"{key}{wrong}\":")
                }
                _ => String::new(),
            })
            .chain([String::new()])
            .collect(),
    };
    let mut recorder = Recorder {
        pauses: chosen.pauses.into(),
        lent,
        portable: chosen.portable,
        ..Recorder::answering(answers)
    };
    read(text, framing, &limits, &Cuts(chosen.cuts.to_vec()), &mut recorder);
    assert_eq!(recorder.events, expected);
});
