//! One document, whole: the reader says what its naive twin says, on both instruction sets, and of
//! what is skipped or watched the same without what was not wanted.

#![no_main]

#[path = "../../crates/penstock-core/tests/xml/naive.rs"]
mod naive;
#[path = "../../crates/penstock-core/tests/xml/recording.rs"]
#[allow(dead_code)]
mod recording;

use libfuzzer_sys::fuzz_target;
use penstock_core::limits::Limits;
use penstock_core::xml::Options;
use penstock_scan::ValidText;

use recording::{Answers, Cuts, Recorder, filtered, read, settled};

fuzz_target!(|data: &[u8]| {
    let text = ValidText::check(data).text.as_str();
    // The twin recurses.
    let limits = Limits { depth: 100, expansion: Some(1 << 20), ..Limits::default() };
    let told = |answers, portable| {
        let mut recorder = Recorder { portable, ..Recorder::new(answers) };
        read(text, Options::default(), &limits, &Cuts::WHOLE, &mut recorder);
        recorder.events
    };
    let extras = Answers { extras: true, ..Answers::default() };
    let all = told(extras, false);
    assert_eq!(told(extras, true), all);
    if text.matches('<').count() <= limits.depth {
        naive::assert_twin(text, all.clone());
    }
    for seed in 1..3 {
        for answers in [Answers { skips: seed, ..extras }, Answers { watches: seed, ..extras }] {
            assert_eq!(settled(told(answers, false)), settled(filtered(&all, answers)));
        }
    }
});
