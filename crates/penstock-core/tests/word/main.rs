//! Words: every value comes back bit for bit, and equal values are equal wherever they are stored.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arena;
#[path = "../effort/mod.rs"]
mod effort;
mod inline;
mod order;
mod tree;

use proptest::test_runner::{Config, RngSeed};

/// The same cases on each run.
fn fixed(cases: u32) -> Config {
    Config {
        cases: effort::often(cases),
        rng_seed: RngSeed::Fixed(0x70656e73),
        failure_persistence: None,
        ..Config::default()
    }
}
