//! Property lists, form by form.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod binary;
#[path = "../effort/mod.rs"]
mod effort;
mod markup;
mod moody;
mod text;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The random inputs are the same in each run. To test more cases, change the seed by hand, or use
/// the fuzz targets.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: effort::often(cases),
        rng_seed: RngSeed::Fixed(33),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
