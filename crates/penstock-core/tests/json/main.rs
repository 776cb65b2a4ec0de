//! The JSON reader compared with its naive twin and with serde_json, and tested by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chunking;
mod comments;
mod documents;
#[path = "../effort/mod.rs"]
mod effort;
mod expectations;
mod grammar;
mod limits;
mod looking;
mod naive;
mod recording;
mod regressions;
mod replaying;
mod starting;
mod streams;
mod suite;
mod values;

use penstock_core::json::Framing;
use penstock_core::limits::Limits;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

use naive::{Event, naive};
use recording::{Answers, Cuts, Recorder, read};

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

/// The reader's events for a text; `skips` chooses what to skip.
fn told(text: &str, framing: Framing, cuts: &Cuts, skips: u64) -> Vec<Event> {
    let mut recorder = Recorder::skipping(skips);
    read(text, framing, &Limits::default(), cuts, &mut recorder);
    recorder.events
}

/// The events of its twin.
fn expected(text: &str, framing: Framing, seed: u64) -> Vec<Event> {
    naive(text, framing, &Limits::default(), Answers::skipping(seed))
}
