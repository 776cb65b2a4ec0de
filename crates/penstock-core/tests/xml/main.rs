//! The XML reader against the W3C's suite and by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod canonical;
mod conformance;
