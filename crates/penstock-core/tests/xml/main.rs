//! The XML reader compared with the W3C's suite and with its naive twin, and tested by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod canonical;
mod chunking;
mod conformance;
mod declarations;
mod documents;
#[path = "../effort/mod.rs"]
mod effort;
mod entities;
mod limits;
mod naive;
mod recording;
mod rewriting;
mod starting;
mod writing;

use penstock_core::limits::Limits;
use penstock_core::xml::{Options, Repair};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

use recording::{Answers, Cuts, Event, Recorder, read};

/// The result for a document: its canonical form and the repairs, or the message of the fault. It
/// must be the same however the document is cut.
fn outcome(text: &str, options: Options, limits: &Limits) -> Result<(String, Vec<Repair>), String> {
    let read =
        |step| canonical::limited(text, options, limits, step).map_err(|fault| fault.to_string());
    let whole = read(usize::MAX);
    for step in [1, 3] {
        assert_eq!(read(step), whole, "{text:?}, {step} bytes at a time");
    }
    whole
}

/// The canonical form of a document.
fn resolved(text: &str) -> String {
    match outcome(text, Options::default(), &Limits::default()) {
        Ok((canonical, repairs)) => {
            assert_eq!(repairs, []);
            canonical
        }
        Err(fault) => panic!("{text:?}: {fault}"),
    }
}

/// The fault of a document, with its offset.
fn fault(text: &str) -> String {
    match outcome(text, Options::default(), &Limits::default()) {
        Ok(canonical) => panic!("{text:?}: {canonical:?}"),
        Err(fault) => fault,
    }
}

/// The random inputs are the same in each run. To test more cases, change the seed by hand, or use
/// the fuzz targets.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: effort::often(cases),
        rng_seed: RngSeed::Fixed(21),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The reader's events for a sink with these answers.
fn told(text: &str, options: Options, cuts: &Cuts, answers: Answers) -> Vec<Event> {
    let mut recorder = Recorder::new(answers);
    read(text, options, &Limits::default(), cuts, &mut recorder);
    recorder.events
}
