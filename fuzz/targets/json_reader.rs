//! One document, whole: the reader says what serde_json says, and what its naive twin says, faults
//! and their places included.

#![no_main]

#[path = "../../crates/penstock-core/tests/json/naive.rs"]
#[allow(dead_code)]
mod naive;
#[path = "../../crates/penstock-core/tests/json/recording.rs"]
#[allow(dead_code)]
mod recording;
#[path = "../../crates/penstock-core/tests/json/values.rs"]
mod values;

use libfuzzer_sys::fuzz_target;
use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use penstock_core::protocol::Want;
use penstock_scan::ValidText;

use recording::{Answers, Cuts, Recorder, read};

/// The key by which serde_json passes its own numbers around: it takes an object with it for one.
const PRIVATE: &str = "$serde_json::private";

fuzz_target!(|data: &[u8]| {
    let text = ValidText::check(data).text.as_str();
    // As deep as serde_json goes.
    let limits = Limits { depth: 127, ..Limits::default() };
    let told = |skips, want| {
        let mut recorder = Recorder { want, ..Recorder::skipping(skips) };
        read(text, Framing::Document, &limits, &Cuts::WHOLE, &mut recorder);
        recorder.events
    };
    let all = told(0, Want::Digits);
    for seed in 0..3 {
        let expected = naive::naive(text, Framing::Document, &limits, Answers::skipping(seed));
        assert_eq!(told(seed, Want::Digits), expected);
    }
    for want in [Want::Native, Want::Float] {
        let expected = all.iter().map(|(at, plain)| (*at, naive::wanted(plain, want)));
        assert_eq!(told(0, want), expected.collect::<Vec<_>>());
    }
    if !text.contains(PRIVATE) {
        assert_eq!(values::value(&all), serde_json::from_str(text).ok());
    }
});
