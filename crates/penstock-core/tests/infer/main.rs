//! What dialects are found.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod found;
