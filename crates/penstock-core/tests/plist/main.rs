//! The readers and writers of property lists.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod markup;
