//! The CSV reader compared with its naive twin, and tested by hand and by suites.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod at_random;
#[path = "../effort/mod.rs"]
mod effort;
mod grammar;
mod indexing;
mod naive;
mod reading;
mod suites;
mod writing;
