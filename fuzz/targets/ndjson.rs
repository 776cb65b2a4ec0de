//! Lines and sequences, good ones and bad ones: each is read as if it stood alone, and what is wrong
//! with one takes nothing from the next.
//!
//! The first byte of the input chooses how it is cut; the rest is the source.

#![no_main]

#[path = "../../crates/penstock-core/tests/json/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/json/recording.rs"]
#[allow(dead_code)]
mod recording;

use libfuzzer_sys::fuzz_target;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_scan::ValidText;

use naive::{Event, naive};
use recording::{Answers, Cuts, Recorder, read};

fn told(text: &str, framing: Framing, cuts: &Cuts) -> Vec<Event> {
    let limits = Limits { depth: 100, ..Limits::default() };
    let mut recorder = Recorder::new();
    read(text, framing, &limits, cuts, &mut recorder);
    assert_eq!(recorder.events, naive(text, framing, &limits, Answers::default()));
    recorder.events
}

fuzz_target!(|data: &[u8]| {
    let Some((cut, data)) = data.split_first() else { return };
    let text = ValidText::check(data).text.as_str();
    let cuts = Cuts(vec![cut & 15, cut >> 4]);
    told(text, Framing::Sequence, &cuts);

    let mut alone = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let events = told(line, Framing::Lines, &Cuts::WHOLE);
        alone.extend(events.into_iter().map(|(at, what)| (from + at, what)));
        from += line.len();
    }
    assert_eq!(told(text, Framing::Lines, &cuts), alone);
});
