//! Bytes to scalars: converts a text once a destination says which type it wants.
//!
//! Readers find where a scalar is. The conversion happens here, on demand, so a field that nobody
//! asked for is never converted. Every routine is strict: it accepts one documented spelling of the
//! type, all of it, or refuses with the position of the first invalid byte.

pub mod base64;
pub mod cells;
pub mod datetime;
pub mod duration;
pub mod exact;
pub mod hex;
mod iso;
pub mod lexical;
pub mod moment;
pub mod number;
pub mod pattern;
pub mod print;
pub mod unix;
pub mod uuid;
pub mod xsd;

/// The settings of every property test below: the same cases on each run, so that only a change of
/// the code makes one fail.
#[cfg(test)]
pub(crate) fn fixed(cases: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x70656e73),
        failure_persistence: None,
        ..Default::default()
    }
}
