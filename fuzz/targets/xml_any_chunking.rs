//! However a document is cut into windows, wherever the sink pauses, skips or watches, and whatever
//! is repaired: the same events and the same fault as in the whole of it.
//!
//! The first bytes of the input choose; the rest is the document.

#![no_main]

#[path = "../../crates/penstock-core/tests/xml/recording.rs"]
#[allow(dead_code)]
mod recording;

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use penstock_core::limits::Limits;
use penstock_core::xml::{Options, RepairKind, Repairs, Unresolved};
use penstock_scan::ValidText;

use recording::{Answers, Cuts, Recorder, filtered, read, settled, unplaced};

#[derive(Arbitrary, Debug)]
struct Choices {
    cuts: [u8; 6],
    skips: u8,
    watches: u8,
    pauses: u8,
    repairs: u8,
    plain: bool,
    declarations: bool,
    unresolved: bool,
    extras: bool,
    short: bool,
    portable: bool,
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Unstructured::new(data);
    let Ok(chosen) = Choices::arbitrary(&mut choices) else { return };
    let text = ValidText::check(choices.take_rest()).text.as_str();
    let repairs = RepairKind::XML.into_iter().filter(|kind| chosen.repairs >> *kind as u8 & 1 == 1);
    let options = Options {
        namespaces: !chosen.plain,
        declarations: chosen.declarations,
        unresolved: if chosen.unresolved { Unresolved::Text } else { Unresolved::Error },
        repairs: repairs.fold(Repairs::default(), Repairs::with),
    };
    let depth = if chosen.short { 4 } else { 100 };
    let limits = Limits { depth, expansion: Some(1 << 20), ..Limits::default() };
    let told = |answers, cuts: &Cuts, portable| {
        let mut recorder = Recorder { portable, ..Recorder::new(answers) };
        read(text, options, &limits, cuts, &mut recorder);
        recorder.events
    };
    let taking = Answers { extras: chosen.extras, ..Answers::default() };
    let answers = Answers {
        skips: u64::from(chosen.skips % 8),
        watches: u64::from(chosen.watches % 8),
        pauses: chosen.pauses.into(),
        ..taking
    };
    let expected = unplaced(settled(filtered(&told(taking, &Cuts::WHOLE, false), answers)));
    let cuts = Cuts(chosen.cuts.to_vec());
    assert_eq!(unplaced(settled(told(answers, &cuts, chosen.portable))), expected);
});
