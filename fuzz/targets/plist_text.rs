//! However a text property list is cut into windows, and wherever the sink pauses, skips or looks ahead: the same events
//! and the same fault as the naive twin finds in the whole of it. What is read is written, and read again as the same. The
//! first bytes tell the same form however they come.
//!
//! The first bytes of the input choose; the rest is the text.

#![no_main]

#[path = "../../crates/penstock-core/tests/plist/text/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/plist/text/recording.rs"]
#[allow(dead_code)]
mod recording;
#[path = "../../crates/penstock-core/tests/plist/text/rewriting.rs"]
mod rewriting;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_core::limits::Limits;
use penstock_core::plist::text::{Looking, Looks};
use penstock_scan::ValidText;

use recording::{Answers, Recorder, read, whole};

#[derive(Arbitrary, Debug)]
struct Choices {
    cuts: [u8; 4],
    skips: u8,
    looks: u8,
    pauses: u8,
    lookahead: u8,
    token: u8,
    depth: u8,
    short: bool,
    portable: bool,
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let text = ValidText::check(choices.take_rest()).text.as_str();
    let mut limits = Limits { depth: usize::from(chosen.depth) + 1, ..Limits::default() };
    if chosen.short {
        (limits.token, limits.number) = (chosen.token.into(), usize::from(chosen.token) + 2);
    }
    let answers = Answers { skips: (chosen.skips % 8).into(), looks: chosen.looks.into() };

    let expected = naive::naive(text, &limits, answers);
    if chosen.lookahead > 0 {
        // What is cut by the limit, the twin does not cut.
        limits.lookahead = chosen.lookahead.into();
    }
    let (events, reason) = whole(text, &limits, answers);
    if chosen.lookahead == 0 {
        assert_eq!(events, expected);
    }
    for cuts in [chosen.cuts, [1, 1, 1, 1]] {
        let (pauses, portable) = (chosen.pauses.into(), chosen.portable);
        let mut recorder = Recorder { answers, pauses, portable, ..Recorder::default() };
        read(text, &limits, &cuts, &mut recorder);
        assert_eq!(recorder.events, events);
        assert_eq!(recorder.reason, reason);
    }

    rewriting::check(text, chosen.pauses);

    let form = Looking::new().look(text.as_bytes(), true);
    let mut looking = Looking::new();
    let first = (0..=text.len()).map(|end| looking.look(&text.as_bytes()[..end], false));
    assert_eq!(first.filter(|form| *form != Looks::NeedMore).next().unwrap_or(Looks::Text), form);
});
