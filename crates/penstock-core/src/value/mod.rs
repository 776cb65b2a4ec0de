//! Bytes to scalars: what a text means once a destination says which type it wants.
//!
//! Readers find where a scalar stands; what is in it is told here, on demand, so that a field
//! nobody asked for is never valued. Every routine is strict: it takes one documented spelling of
//! the type, all of it, or refuses with the byte at which the text stops being one.

pub mod base64;
pub mod datetime;
pub mod duration;
pub mod exact;
pub mod hex;
pub mod number;
pub mod unix;
pub mod uuid;
pub mod xsd;

/// The settings of every property test below: the same cases on each run, so that a failure is
/// the change's and not the day's.
#[cfg(test)]
fn fixed(cases: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x70656e73),
        failure_persistence: None,
        ..Default::default()
    }
}
