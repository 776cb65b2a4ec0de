//! However a property list in XML is cut into windows, and wherever the sink pauses, skips or looks ahead: the same
//! events and the same fault as the naive twin finds in the whole of it. After what is refused, the reader goes on. What is
//! read is written, and read again as the same.
//!
//! The first bytes of the input choose; the rest is the text.

#![no_main]

#[path = "../../crates/penstock-core/tests/plist/markup/recording.rs"]
#[allow(dead_code)]
mod recording;
#[path = "../../crates/penstock-core/tests/plist/markup/twin.rs"]
mod twin;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_core::error::Fail;
use penstock_core::limits::Limits;
use penstock_core::plist::markup::{Reader, Writer};
use penstock_core::protocol::{FormatReader, InputView, Step};
use penstock_core::repair::Repairs;
use penstock_core::writer::Writer as _;
use penstock_scan::ValidText;

use recording::{Answers, Cuts, Event, Recorder, What, read};

#[derive(Arbitrary, Debug)]
struct Choices {
    cuts: [u8; 4],
    skips: u8,
    looks: u8,
    pauses: u8,
    depth: u8,
    refused: u8,
    abandoned: u8,
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let text = ValidText::check(choices.take_rest()).text.as_str();
    let limits = Limits { depth: usize::from(chosen.depth) + 1, ..Limits::default() };
    let answers = Answers {
        skips: (chosen.skips % 4).into(),
        looks: (chosen.looks % 4).into(),
        pauses: (chosen.pauses % 4).into(),
    };
    let told = |cuts: &Cuts, refusal| {
        let mut recorder = Recorder { refusal, ..Recorder::new(answers) };
        read(text, &limits, cuts, &mut recorder);
        recorder.events
    };
    let whole = told(&Cuts::WHOLE, None);
    let expected = twin::expected(text, &limits, answers);
    if answers.looks > 0
        && let Some(found) = fault(&whole)
    {
        // What was held back is never told. And it is checked, even if it would be skipped: then its
        // fault comes first.
        assert_eq!(whole[..whole.len() - 1], expected[..whole.len() - 1]);
        let told = fault(&expected);
        assert!(answers.skips > 0 || told.is_none_or(|told| found.0 < told.0 || found == told));
    } else {
        assert_eq!(whole, expected);
    }
    let refusal = Some((chosen.refused.into(), (chosen.abandoned % 4).into()));
    let given_up = told(&Cuts::WHOLE, refusal);
    for cuts in [Cuts(chosen.cuts.to_vec()), Cuts::bytes()] {
        assert_eq!(told(&cuts, None), whole);
        assert_eq!(told(&cuts, refusal), given_up);
    }

    // Written and read again.
    let (mut reader, mut writer) = (Reader::new(&limits, Repairs::default()), Writer::new(&limits));
    let given = InputView::Text { text: ValidText::from(text), last: true };
    loop {
        match reader.run(given, &mut writer) {
            Ok(Step::Done) => break,
            Ok(_) => {}
            Err(Fail::Input(_) | Fail::Sink(_)) => return,
        }
    }
    writer.finish().expect("all of it is written");
    let written = std::str::from_utf8(writer.ready()).expect("it is text");
    let without_places = |text: &str| {
        let mut recorder = Recorder::default();
        read(text, &limits, &Cuts::WHOLE, &mut recorder);
        recorder.events.into_iter().map(|(_, what): Event| what).collect::<Vec<_>>()
    };
    assert_eq!(without_places(written), without_places(text));
});

fn fault(events: &[Event]) -> Option<Event> {
    events.last().filter(|(_, what)| matches!(what, What::Fault(..))).cloned()
}
